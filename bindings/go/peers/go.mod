module sealstone.example/go/peers

go 1.25.0

require (
	github.com/emmansun/gmsm v0.44.0
	github.com/tjfoc/gmsm v1.4.1
	sealstone.example/go v0.0.0
)

require (
	golang.org/x/crypto v0.53.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
)

replace sealstone.example/go => ../
