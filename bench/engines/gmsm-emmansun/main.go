// SM4 of github.com/emmansun/gmsm, behind the protocol of docs/design/bench.md.
//
// Its documentation recommends its own ECB and otherwise the modes of crypto/cipher, which find its assembly for each.
package main

import (
	"runtime"

	gmsm "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{
		Name:    "gmsm-emmansun",
		Version: protocol.ModuleVersion("github.com/emmansun/gmsm"),
		Backend: runtime.Version(),
	}
	protocol.Serve(about, protocol.SM4Operations(newKey))
}

func newKey(key []byte) (*protocol.SM4, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	// Nothing is chained in this mode, so one of each serves all messages.
	encrypter, decrypter := gmsm.NewECBEncrypter(block), gmsm.NewECBDecrypter(block)
	return &protocol.SM4{
		Block:      block,
		EncryptECB: func(data []byte) { encrypter.CryptBlocks(data, data) },
		DecryptECB: func(data []byte) { decrypter.CryptBlocks(data, data) },
	}, nil
}
