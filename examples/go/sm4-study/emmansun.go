package main

import (
	gmsm "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"
)

// emmansunModes are the block of emmansun/gmsm. crypto/cipher finds its assembly for each mode.
var emmansunModes = library{
	newBlock:        sm4.NewCipher,
	newECBEncrypter: gmsm.NewECBEncrypter,
	newECBDecrypter: gmsm.NewECBDecrypter,
}.allModes()
