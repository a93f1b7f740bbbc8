package sm2

import (
	"crypto/rand"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// KeyExchangeA agrees on a key of klen bytes with user B, for the user A who began. Both give the ids in the same order. An empty one is an
// error, invalid_user_id; tjfoc's takes it as it is. rpri is the key that A made for this exchange alone, rpubB that of B, as it came.
//
// k is the standard's (GB/T 32918.3), which is tjfoc's but for 1 exchange of 128: there, tjfoc's loses a zero byte.
//
// The confirmations are not tjfoc's, which hashes the ephemeral keys in the wrong order. s2 is the one of the standard that A sends, and s1 is
// random: it equals nothing, so that a comparison with it fails. Whoever confirms exchanges takes Exchange of sealstone.example/go/sm2, whose
// result has Verify, at both ends.
func KeyExchangeA(klen int, ida, idb []byte, priA *PrivateKey, pubB *PublicKey, rpri *PrivateKey, rpubB *PublicKey) (k, s1, s2 []byte, err error) {
	k, confirmation, unknown, err := exchange(true, klen, ida, idb, priA, pubB, rpri, rpubB)
	return k, unknown, confirmation, err
}

// KeyExchangeB is KeyExchangeA for user B, with the other roles: s1 is the confirmation of the standard that B sends, and s2 is random.
func KeyExchangeB(klen int, ida, idb []byte, priB *PrivateKey, pubA *PublicKey, rpri *PrivateKey, rpubA *PublicKey) (k, s1, s2 []byte, err error) {
	k, confirmation, unknown, err := exchange(false, klen, idb, ida, priB, pubA, rpri, rpubA)
	return k, confirmation, unknown, err
}

func exchange(
	isInitiator bool, length int, id, peerID []byte, priv *PrivateKey, pub *PublicKey, ephemeral *PrivateKey, peerEphemeral *PublicKey,
) (k, confirmation, unknown []byte, err error) {
	if length < 0 {
		return nil, nil, nil, fault.New("wrong_length", "a key has no length below 0")
	}
	if len(id) == 0 || len(peerID) == 0 {
		// Native code takes the default for it, and k would be another one than tjfoc's.
		return nil, nil, nil, fault.New("invalid_user_id", "a user id of the exchange is empty")
	}
	own, err := priv.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer own.Free()
	drawn, err := ephemeral.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer drawn.Free()
	peer, err := pub.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer peer.Free()
	came, err := peerEphemeral.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer came.Free()
	exchanged, err := native.Sm2Exchange(own, isInitiator, id, drawn, peer, peerID, came, length)
	if err != nil {
		return nil, nil, nil, err
	}
	defer exchanged.Free()
	if k, err = native.Sm2ExchangedKey(exchanged); err != nil {
		return nil, nil, nil, err
	}
	if confirmation, err = native.Sm2ExchangedConfirmation(exchanged); err != nil {
		return nil, nil, nil, err
	}
	unknown = make([]byte, 32)
	rand.Read(unknown)
	return k, confirmation, unknown, nil
}
