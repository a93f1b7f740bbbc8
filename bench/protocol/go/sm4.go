package protocol

import "crypto/cipher"

const (
	sm4Key = "1234567890abcdef"
	sm4IV  = "fedcba0987654321"

	blockSize = 16
	// Messages of a batch.
	batch = 16
)

// SM4 is a key of a library, with its schedule made; the modes are crypto/cipher's, which takes the library's own where
// its block has them. ECB is not there, so the library says how it is done.
type SM4 struct {
	Block cipher.Block
	// Whether goroutines may use the block at the same time.
	IsShared bool
	// Whole blocks, in place.
	EncryptECB, DecryptECB func(data []byte)
}

// SM4Operations are all of SM4, over the key of the study in Go whose table the report shows.
//
// All but opening work in place, over and over on what is there: it is the same work. An input that is no whole block
// is followed by zeros until it is, but for CTR and GCM.
func SM4Operations(newKey func(key []byte) (*SM4, error)) []Operation {
	operation := func(name string, setUp func(key *SM4, input []byte) (*Trial, error)) Operation {
		return Operation{Name: name, SetUp: func(input []byte) (*Trial, error) {
			key, err := newKey([]byte(sm4Key))
			if err != nil {
				return nil, err
			}
			return setUp(key, input)
		}}
	}
	// Does `before` once, which is not timed, and `work` over and over.
	blocks := func(unit int, before, work func(key *SM4, data []byte)) func(*SM4, []byte) (*Trial, error) {
		return func(key *SM4, input []byte) (*Trial, error) {
			data := Buffer((len(input) + unit - 1) / unit * unit)
			copy(data, input)
			before(key, data)
			return &Trial{Run: func() ([]byte, error) {
				work(key, data)
				return data, nil
			}}, nil
		}
	}
	gcm := func(setUp func(aead cipher.AEAD, input []byte) (*Trial, error)) func(*SM4, []byte) (*Trial, error) {
		return func(key *SM4, input []byte) (*Trial, error) {
			aead, err := cipher.NewGCM(key.Block)
			if err != nil {
				return nil, err
			}
			return setUp(aead, input)
		}
	}
	// A request takes the key anew where only one may use a block at a time.
	requests := func(key *SM4, input []byte) (*Trial, error) {
		shared, err := cipher.NewGCM(key.Block)
		if err != nil {
			return nil, err
		}
		return Requests(func() (cipher.AEAD, error) {
			if key.IsShared {
				return shared, nil
			}
			own, err := newKey([]byte(sm4Key))
			if err != nil {
				return nil, err
			}
			return cipher.NewGCM(own.Block)
		}, input)
	}
	nothing := func(*SM4, []byte) {}
	return []Operation{
		operation("sm4/ecb/encrypt", blocks(blockSize, nothing, encryptECB)),
		operation("sm4/ecb/decrypt", blocks(blockSize, encryptECB, decryptECB)),
		operation("sm4/cbc/encrypt", blocks(blockSize, nothing, encryptCBC)),
		operation("sm4/cbc/decrypt", blocks(blockSize, encryptCBC, decryptCBC)),
		operation("sm4/ctr/encrypt", blocks(1, nothing, applyCTR)),
		operation("sm4/ctr/decrypt", blocks(1, applyCTR, applyCTR)),
		operation("sm4/cbc/encrypt-batch-16", blocks(batch*blockSize, nothing, encryptBatch)),
		operation("sm4/gcm/seal", gcm(Seal)),
		operation("sm4/gcm/open", gcm(Open)),
		operation("sm4/gcm/seal-records", gcm(Records)),
		operation("sm4/gcm/seal-requests", requests),
		operation("sm4/gcm/deflate-seal", gcm(Deflate)),
	}
}

func encryptECB(key *SM4, data []byte) {
	key.EncryptECB(data)
}

func decryptECB(key *SM4, data []byte) {
	key.DecryptECB(data)
}

func encryptCBC(key *SM4, data []byte) {
	cipher.NewCBCEncrypter(key.Block, []byte(sm4IV)).CryptBlocks(data, data)
}

func decryptCBC(key *SM4, data []byte) {
	cipher.NewCBCDecrypter(key.Block, []byte(sm4IV)).CryptBlocks(data, data)
}

func applyCTR(key *SM4, data []byte) {
	cipher.NewCTR(key.Block, []byte(sm4IV)).XORKeyStream(data, data)
}

// Messages that have nothing to do with each other, one after the other: crypto/cipher has nothing for several.
func encryptBatch(key *SM4, data []byte) {
	size := len(data) / batch
	for i := range batch {
		iv := []byte(sm4IV)
		iv[blockSize-1] ^= byte(i)
		message := data[i*size : (i+1)*size]
		cipher.NewCBCEncrypter(key.Block, iv).CryptBlocks(message, message)
	}
}
