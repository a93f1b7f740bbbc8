package sealstone

import (
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// SealMessage seals a short message to a recipient, with additional data that is authenticated and not in it. A message is compact: it has no
// suites, no chunks and one recipient.
func SealMessage(recipient *Recipient, plaintext, additionalData []byte) ([]byte, error) {
	if recipient == nil {
		return nil, fault.New("invalid_argument", "the recipient is nil")
	}
	length, err := native.MessageLen(recipient.key, len(plaintext))
	if err != nil {
		return nil, err
	}
	message := make([]byte, length)
	if err := native.MessageSealInto(recipient.key, plaintext, additionalData, message); err != nil {
		return nil, err
	}
	return message, nil
}

// OpenMessage opens a message, armoured or not. The errors are not_sealstone, no_matching_identity, not_authentic and others of its form.
func OpenMessage(identity *Identity, message, additionalData []byte) ([]byte, error) {
	if identity == nil {
		return nil, fault.New("invalid_argument", "the identity is nil")
	}
	key, release := identity.use()
	defer release()
	return native.MessageOpenArmoured(key, message, additionalData)
}
