module sealstone.example/bench/engines/gmsm-tjfoc

go 1.26.0

require (
	github.com/tjfoc/gmsm v1.4.1
	sealstone.example/bench/protocol v0.0.0
)

replace sealstone.example/bench/protocol => ../../protocol/go
