package main

import "sealstone.example/go/sm4"

// sealstoneModes are the block of Sealstone. crypto/cipher finds its code for each mode.
var sealstoneModes = library{
	newBlock:        sm4.NewCipher,
	newECBEncrypter: sm4.NewECBEncrypter,
	newECBDecrypter: sm4.NewECBDecrypter,
}.allModes()
