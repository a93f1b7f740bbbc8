module sealstone.example/vectors/gmsm

go 1.26.0

require (
	github.com/emmansun/gmsm v0.44.0
	github.com/tjfoc/gmsm v1.4.1
)

require (
	golang.org/x/crypto v0.53.0 // indirect
	golang.org/x/sys v0.46.0 // indirect
)
