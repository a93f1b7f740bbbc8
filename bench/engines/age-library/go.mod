module sealstone.example/bench/engines/age-library

go 1.26.0

require (
	filippo.io/age v1.3.1
	sealstone.example/bench/protocol v0.0.0
)

require (
	filippo.io/hpke v0.4.0 // indirect
	golang.org/x/crypto v0.45.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
)

replace sealstone.example/bench/protocol => ../../protocol/go
