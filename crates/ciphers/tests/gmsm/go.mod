module sealstone.example/ciphers/gmsm

go 1.26.0

require github.com/emmansun/gmsm v0.44.0
