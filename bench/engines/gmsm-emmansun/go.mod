module sealstone.example/bench/engines/gmsm-emmansun

go 1.26.0

require (
	github.com/emmansun/gmsm v0.44.0
	sealstone.example/bench/protocol v0.0.0
)

require golang.org/x/crypto v0.53.0 // indirect

replace sealstone.example/bench/protocol => ../../protocol/go
