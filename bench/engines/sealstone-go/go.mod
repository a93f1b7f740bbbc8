module sealstone.example/bench/engines/sealstone-go

go 1.26.0

require (
	sealstone.example/bench/protocol v0.0.0
	sealstone.example/go v0.0.0
)

replace (
	sealstone.example/bench/protocol => ../../protocol/go
	sealstone.example/go => ../../../bindings/go
)
