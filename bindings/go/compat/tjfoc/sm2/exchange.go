package sm2

import (
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// KeyExchangeA agrees on a key of klen bytes with user B, for the user A who began. Both give the ids in the same order. rpri is the key that A made
// for this exchange alone, rpubB that of B, as it came.
//
// k is the standard's (GB/T 32918.3), which is tjfoc's but for 1 exchange of 128: there, tjfoc's loses a zero byte.
//
// s1 and s2 are the standard's confirmations of B and of A. They are not tjfoc's, which hashes the ephemeral keys in the wrong order: both ends
// have to be moved. A sends s2, and compares what comes from B with s1, by crypto/subtle.
func KeyExchangeA(klen int, ida, idb []byte, priA *PrivateKey, pubB *PublicKey, rpri *PrivateKey, rpubB *PublicKey) (k, s1, s2 []byte, err error) {
	k, own, peer, err := exchange(true, klen, ida, idb, priA, pubB, rpri, rpubB)
	return k, peer, own, err
}

// KeyExchangeB is KeyExchangeA for user B, with the other roles: B sends s1, and compares what comes from A with s2.
func KeyExchangeB(klen int, ida, idb []byte, priB *PrivateKey, pubA *PublicKey, rpri *PrivateKey, rpubA *PublicKey) (k, s1, s2 []byte, err error) {
	k, own, peer, err := exchange(false, klen, idb, ida, priB, pubA, rpri, rpubA)
	return k, own, peer, err
}

func exchange(
	isInitiator bool, length int, id, peerID []byte, priv *PrivateKey, pub *PublicKey, ephemeral *PrivateKey, peerEphemeral *PublicKey,
) (k, own, peer []byte, err error) {
	if length < 0 {
		return nil, nil, nil, fault.New("wrong_length", "a key has no length below 0")
	}
	// An empty id is one, as in tjfoc's; native code takes the default for nil.
	id, peerID = append([]byte{}, id...), append([]byte{}, peerID...)
	key, err := priv.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer key.Free()
	drawn, err := ephemeral.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer drawn.Free()
	theirs, err := pub.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer theirs.Free()
	came, err := peerEphemeral.native()
	if err != nil {
		return nil, nil, nil, err
	}
	defer came.Free()
	exchanged, err := native.Sm2Exchange(key, isInitiator, id, drawn, theirs, peerID, came, length)
	if err != nil {
		return nil, nil, nil, err
	}
	defer exchanged.Free()
	if k, err = native.Sm2ExchangedKey(exchanged); err != nil {
		return nil, nil, nil, err
	}
	if own, err = native.Sm2ExchangedConfirmation(exchanged); err != nil {
		return nil, nil, nil, err
	}
	if peer, err = native.Sm2ExchangedPeerConfirmation(exchanged); err != nil {
		return nil, nil, nil, err
	}
	return k, own, peer, nil
}
