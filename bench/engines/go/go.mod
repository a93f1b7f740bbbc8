module sealstone.example/bench/engines/go

go 1.26.0

require (
	golang.org/x/crypto v0.58.0
	sealstone.example/bench/protocol v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect

replace sealstone.example/bench/protocol => ../../protocol/go
