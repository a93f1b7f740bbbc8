module sealstone.example/core/gmsm

go 1.26.0

require github.com/emmansun/gmsm v0.44.0

require golang.org/x/crypto v0.53.0 // indirect
