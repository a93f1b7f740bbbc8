package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
)

func TestEnginesAgreeByteByByte(t *testing.T) {
	for _, m := range modes {
		for _, length := range []int{0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 1_000, 1_008, 4_096, 65_537} {
			if err := compareEngines(m, makeText(length)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestEnginesAgreeOnEachSample(t *testing.T) {
	for _, m := range modes {
		for _, sample := range makeSamples(studyPlan.sanity) {
			if err := compareEngines(m, sample); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestADisagreementNamesTheEngineAndTheByte(t *testing.T) {
	right := engines
	defer func() { engines = right }()
	wrong := engine{name: "wrong", modes: map[string]newCipher{"cbc": func(key, iv []byte) (*keyedCipher, error) {
		cipher, err := right[0].modes["cbc"](key, iv)
		if err != nil {
			return nil, err
		}
		return &keyedCipher{decrypt: cipher.decrypt, encrypt: func(dst, plaintext []byte) []byte {
			ciphertext := cipher.encrypt(dst, plaintext)
			ciphertext[20] ^= 1
			return ciphertext
		}}, nil
	}}}
	engines = append(engines[:len(engines):len(engines)], wrong)
	err := compareEngines(modes[1], makeText(100))
	if err == nil || err.Error() != "tjfoc and wrong disagree on cbc of 100 bytes, from byte 20 on" {
		t.Errorf("got %v", err)
	}
}

// GB/T 32907, appendix A.1.
func TestEachEngineEncryptsTheBlockOfTheStandard(t *testing.T) {
	key := decodeHex(t, "0123456789abcdeffedcba9876543210")
	expected := decodeHex(t, "681edf34d206965e86b3e94f536e4246")
	for _, e := range engines {
		cipher, err := e.modes["ecb"](key, nil)
		if err != nil {
			t.Fatal(err)
		}
		ciphertext := cipher.encrypt(nil, newSample(key))
		if !bytes.Equal(ciphertext[:blockSize], expected) {
			t.Errorf("%s: %x", e.name, ciphertext[:blockSize])
		}
	}
}

func TestEachEngineHasBothModesOfTheStudy(t *testing.T) {
	names := map[string]bool{}
	for _, e := range engines {
		if names[e.name] {
			t.Errorf("two engines have the name %s", e.name)
		}
		names[e.name] = true
		for _, m := range modes[:2] {
			if e.modes[m.name] == nil {
				t.Errorf("%s has no %s", e.name, m.name)
			}
		}
	}
}

func TestTheKeyAndTheIVHave16Bytes(t *testing.T) {
	if len(studyKey) != 16 || len(studyIV) != 16 {
		t.Error(len(studyKey), len(studyIV))
	}
}

func TestPaddingIsOneToSixteenBytesOfTheirNumber(t *testing.T) {
	for length := range 50 {
		padded := pad(newBuffer(length))
		count := len(padded) - length
		if len(padded)%blockSize != 0 || count < 1 || count > blockSize {
			t.Fatalf("%d bytes become %d", length, len(padded))
		}
		if !bytes.Equal(padded[length:], bytes.Repeat([]byte{byte(count)}, count)) {
			t.Fatalf("padding of %d bytes is %x", length, padded[length:])
		}
		plaintext, err := unpad(padded)
		if err != nil || len(plaintext) != length {
			t.Fatalf("%d bytes come back as %d: %v", length, len(plaintext), err)
		}
	}
}

func TestABufferHasRoomForItsPadding(t *testing.T) {
	buffer := newBuffer(1_000)
	if padded := pad(buffer); &padded[0] != &buffer[0] {
		t.Error("padding moved the plaintext to new memory")
	}
}

func TestWrongPaddingIsRefused(t *testing.T) {
	for name, last := range map[string]string{
		"zero":            "00000000000000000000000000000000",
		"more than 16":    "11111111111111111111111111111111",
		"255":             "ffffffffffffffffffffffffffffffff",
		"one byte amiss":  "00000000000000000000000004030404",
		"the first amiss": "0f101010101010101010101010101010",
	} {
		t.Run(name, func(t *testing.T) {
			block := decodeHex(t, last)
			if plaintext, err := unpad(block); !errors.Is(err, errCiphertext) {
				t.Errorf("unpadded to %x: %v", plaintext, err)
			}
			// A ciphertext of this block, without padding of its own.
			for _, e := range engines {
				cipher, err := e.open(modes[0])
				if err != nil {
					t.Fatal(err)
				}
				ciphertext := cipher.encrypt(nil, newSample(block))[:blockSize]
				if plaintext, err := cipher.decrypt(nil, ciphertext); !errors.Is(err, errCiphertext) {
					t.Errorf("%s: decrypted to %x: %v", e.name, plaintext, err)
				}
			}
		})
	}
}

func TestACiphertextOfAWrongLengthIsRefused(t *testing.T) {
	forEachCipher(t, func(t *testing.T, m mode, cipher *keyedCipher) {
		for _, length := range []int{0, 1, 15, 17, 31} {
			if plaintext, err := cipher.decrypt(nil, make([]byte, length)); m.name != "ctr" && !errors.Is(err, errCiphertext) {
				t.Errorf("%d bytes: decrypted to %x: %v", length, plaintext, err)
			}
		}
	})
}

func TestEncryptionInPlaceIsTheSame(t *testing.T) {
	forEachCipher(t, func(t *testing.T, _ mode, cipher *keyedCipher) {
		text := makeText(1_000)
		expected := cipher.encrypt(nil, newSample(text))
		own := newSample(text)
		if ciphertext := cipher.encrypt(own[:0], own); !bytes.Equal(ciphertext, expected) {
			t.Error("another ciphertext")
		}
	})
}

func TestPiecesAreTheSameAsAtOnce(t *testing.T) {
	for _, e := range engines {
		cipher, err := e.open(modes[1])
		if err != nil {
			t.Fatal(err)
		}
		if cipher.newEncrypter == nil {
			continue
		}
		for _, length := range []int{0, 1, 64, 1_000, 4_096} {
			text := makeText(length)
			whole := cipher.encrypt(nil, newSample(text))
			last := encryptPieces(cipher, text, 64)
			if len(last) != length%64/blockSize*blockSize+blockSize || !bytes.HasSuffix(whole, last) {
				t.Errorf("%s: %d bytes end with %x", e.name, length, last)
			}
		}
	}
}

// forEachCipher runs a test for each engine in each of its modes.
func forEachCipher(t *testing.T, test func(t *testing.T, m mode, cipher *keyedCipher)) {
	for _, m := range modes {
		opened, err := openEngines(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range opened {
			t.Run(fmt.Sprint(m.name, "/", e.name), func(t *testing.T) { test(t, m, e.cipher) })
		}
	}
}

func decodeHex(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}
