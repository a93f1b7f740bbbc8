module sealstone.example/examples/sm4-study

go 1.26.0

require (
	github.com/emmansun/gmsm v0.44.0
	github.com/tjfoc/gmsm v1.4.1
	sealstone.example/go v0.0.0
)

replace sealstone.example/go => ../../../bindings/go
