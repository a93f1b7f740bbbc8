// SM4 of github.com/tjfoc/gmsm, behind the protocol of docs/design/bench.md.
//
// Its block in the modes of crypto/cipher is faster than its own functions for a mode, which take the key in each call
// and allocate for each block.
package main

import (
	"runtime"

	"github.com/tjfoc/gmsm/sm4"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{
		Name:    "gmsm-tjfoc",
		Version: protocol.ModuleVersion("github.com/tjfoc/gmsm"),
		Backend: runtime.Version(),
	}
	protocol.Serve(about, protocol.SM4Operations(newKey))
}

func newKey(key []byte) (*protocol.SM4, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	eachBlock := func(work func(dst, src []byte)) func(data []byte) {
		return func(data []byte) {
			for len(data) > 0 {
				work(data[:sm4.BlockSize], data)
				data = data[sm4.BlockSize:]
			}
		}
	}
	return &protocol.SM4{Block: block, EncryptECB: eachBlock(block.Encrypt), DecryptECB: eachBlock(block.Decrypt)}, nil
}
