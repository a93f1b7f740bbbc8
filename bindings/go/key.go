package sealstone

import (
	"sync"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// Identity opens what was encrypted to its recipient. It is in the memory of native code, and prints as Identity(hybrid).
type Identity struct {
	mutex sync.Mutex
	// users is how many calls have the key now. Once it isClosed no other begins, and none waits for an identity: one call may have several,
	// and one of them twice.
	users    int
	isClosed bool
	// idle is where Close waits for them.
	idle *sync.Cond
	key  *native.Identity
	kind string
}

// use returns the key, which Close does not free before release is called; nil once the identity is closed.
func (i *Identity) use() (key *native.Identity, release func()) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.isClosed {
		return nil, func() {}
	}
	i.users++
	return i.key, func() {
		i.mutex.Lock()
		defer i.mutex.Unlock()
		if i.users--; i.users == 0 && i.idle != nil {
			i.idle.Broadcast()
		}
	}
}

// Recipient is whom a file is encrypted to: a public key, or a secret that both sides have.
type Recipient struct {
	key  *native.Recipient
	kind string
}

// GenerateIdentity makes a new identity of a kind: "hybrid", which is that of an empty name, "x25519", "p256", "ml-kem-768" or "sm2".
func GenerateIdentity(kind string) (*Identity, error) {
	return identity(native.IdentityGenerate(kind))
}

// ParseIdentities reads the identities of a file in any form: strings, PEM, DER, JWK, or a file of keys that is sealed with a passphrase; else
// that is nil.
func ParseIdentities(file, passphrase []byte) ([]*Identity, error) {
	keys, err := native.IdentitiesParse(file, passphrase)
	if err != nil {
		return nil, err
	}
	all := make([]*Identity, len(keys))
	for i, key := range keys {
		if all[i], err = identity(key, nil); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// PassphraseIdentity makes the identity of a passphrase, whose recipient encrypts to the same.
func PassphraseIdentity(passphrase []byte) (*Identity, error) {
	return identity(native.IdentityOfPassphrase(passphrase))
}

// KeyIdentity makes the identity of a symmetric key of 32 bytes.
func KeyIdentity(key []byte) (*Identity, error) {
	return identity(native.IdentityOfKey(key))
}

func identity(key *native.Identity, err error) (*Identity, error) {
	if err != nil {
		return nil, err
	}
	kind, err := native.IdentityKind(key)
	if err != nil {
		return nil, err
	}
	return &Identity{key: key, kind: kind}, nil
}

// Kind returns the kind, such as "hybrid".
func (i *Identity) Kind() string { return i.kind }

// Recipient returns whom files for this identity are encrypted to; nil once the identity is closed.
func (i *Identity) Recipient() *Recipient {
	key, release := i.use()
	defer release()
	recipient, err := recipient(native.IdentityRecipient(key))
	if err != nil {
		return nil
	}
	return recipient
}

// Export writes the identity, a secret, as "age", the string of one line, "pem", "der", "jwk" or "hex"; not every kind has each form. With a
// passphrase, which is nil where there is none, "pem" and "der" are encrypted.
func (i *Identity) Export(form string, passphrase []byte) ([]byte, error) {
	key, release := i.use()
	defer release()
	return native.IdentityExport(key, form, passphrase)
}

// Close zeroes the identity, when calls that have it now have ended. What was made of it before still opens.
func (i *Identity) Close() error {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.isClosed = true
	if i.idle == nil {
		i.idle = sync.NewCond(&i.mutex)
	}
	for i.users > 0 {
		i.idle.Wait()
	}
	i.key.Free()
	return nil
}

// String names the type and the kind, and shows nothing of the key.
func (i *Identity) String() string { return "Identity(" + i.kind + ")" }

// GoString is as String.
func (i *Identity) GoString() string { return i.String() }

// identitiesOf gives the keys, which nobody closes before release is called.
func identitiesOf(identities []*Identity) (keys []*native.Identity, release func(), err error) {
	var releases []func()
	release = func() {
		for _, one := range releases {
			one()
		}
	}
	for _, one := range identities {
		if one == nil {
			release()
			return nil, nil, fault.New("invalid_argument", "an identity is nil")
		}
		key, done := one.use()
		releases, keys = append(releases, done), append(keys, key)
	}
	return keys, release, nil
}

// ParseRecipients reads the recipients of a file in any form: strings, PEM, DER or JWK, or a certificate, which is not verified.
func ParseRecipients(file []byte) ([]*Recipient, error) {
	keys, err := native.RecipientsParse(file)
	if err != nil {
		return nil, err
	}
	all := make([]*Recipient, len(keys))
	for i, key := range keys {
		if all[i], err = recipient(key, nil); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func recipient(key *native.Recipient, err error) (*Recipient, error) {
	if err != nil {
		return nil, err
	}
	kind, err := native.RecipientKind(key)
	if err != nil {
		return nil, err
	}
	return &Recipient{key, kind}, nil
}

// Kind returns the kind, such as "hybrid".
func (r *Recipient) Kind() string { return r.kind }

// Fingerprint returns the fingerprint of a public key; it is empty of a passphrase and of a symmetric key.
func (r *Recipient) Fingerprint() string {
	text, err := native.RecipientFingerprint(r.key)
	if err != nil {
		return ""
	}
	return string(text)
}

// Export writes a public key as "age", the string of one line, "pem", "der", "jwk" or "hex"; not every kind has each form.
func (r *Recipient) Export(form string) ([]byte, error) { return native.RecipientExport(r.key, form) }

// String returns the public key as a string of one line, or as PEM where its kind has none; of a secret, the name of its kind.
func (r *Recipient) String() string {
	for _, form := range []string{"age", "pem"} {
		if text, err := native.RecipientExport(r.key, form); err == nil {
			return string(text)
		}
	}
	return "Recipient(" + r.kind + ")"
}

func recipientsOf(recipients []*Recipient) []*native.Recipient {
	keys := make([]*native.Recipient, len(recipients))
	for i, one := range recipients {
		if one != nil {
			keys[i] = one.key
		}
	}
	return keys
}
