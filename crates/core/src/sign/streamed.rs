//! Signatures over the representative of a message: a digest for ECDSA, and µ for ML-DSA (FIPS 204 algorithm 7, line 6). So a
//! message of any length is read only once, and not kept in memory.

use super::numbers;
use super::{DIFFERS, Family, Kind, NO_PRIVATE_KEY, PrivateKey, PublicKey, Signer, Verifier, ml_dsa_signature_len};
use crate::error::Result;
use crate::provider::{MU_LEN, MlDsaStored, Shake256};
use crate::random;
use zeroize::Zeroizing;

/// Computes µ of a message that comes in parts. µ depends on public key and context.
pub(crate) struct Mu(Shake256);

impl Mu {
    /// Begins a message, for a key of ML-DSA.
    ///
    /// # Panics
    /// For a context over 255 bytes.
    pub(crate) fn new(key: &PublicKey, context: &[u8]) -> Self {
        assert!(matches!(key.kind().family(), Family::MlDsa(_)), "streamed: only ML-DSA has µ");
        let mut tr = [0; MU_LEN];
        Shake256::digest_into(key.to_bytes(), &mut tr);
        let len = u8::try_from(context.len()).expect("streamed: the context has at most 255 bytes");
        let mut state = Shake256::new();
        for part in [&tr[..], &[0, len], context] {
            state.update(part);
        }
        Self(state)
    }

    /// Takes the next bytes.
    pub(crate) fn update(&mut self, message: &[u8]) {
        self.0.update(message);
    }

    pub(crate) fn finish(self) -> [u8; MU_LEN] {
        self.0.finish()
    }
}

impl Kind {
    /// Whether signatures of this kind are over [`Mu`].
    pub(crate) fn has_mu(self) -> bool {
        matches!(self.family(), Family::MlDsa(_))
    }
}

impl PublicKey {
    /// Verifies a signature of ML-DSA over µ.
    ///
    /// # Errors
    /// [`InvalidSignature`](crate::Error::InvalidSignature), also for a key of another kind.
    pub(crate) fn verify_mu(&self, mu: &[u8; MU_LEN], signature: &[u8]) -> Result<()> {
        match &self.0.verifier {
            Verifier::MlDsa(key, len) if signature.len() == *len && key.verify_mu(mu, signature) => Ok(()),
            _ => Err(DIFFERS),
        }
    }

    /// Verifies a signature of ECDSA, as DER, over a digest of any hash.
    ///
    /// # Errors
    /// [`InvalidSignature`](crate::Error::InvalidSignature), also for a key of another kind.
    pub(crate) fn verify_digest(&self, digest: &[u8], signature: &[u8]) -> Result<()> {
        let (Verifier::Ecdsa(key), Family::Ecdsa(curve)) = (&self.0.verifier, self.kind().family()) else {
            return Err(DIFFERS);
        };
        match numbers::read(signature, curve.len()) {
            Some(signature) if key.verify_digest(digest, &signature) => Ok(()),
            _ => Err(DIFFERS),
        }
    }
}

impl PrivateKey {
    /// Signs µ, with a key of ML-DSA.
    ///
    /// # Errors
    /// [`NoRandomness`](crate::Error::NoRandomness).
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN]) -> Result<Vec<u8>> {
        let Signer::MlDsa(key) = &self.signer else { unreachable!("streamed: only ML-DSA has µ") };
        Ok(key.sign_mu(mu, &*random::array::<32>().map(Zeroizing::new)?))
    }

    /// Signs a digest of any hash, with a key of ECDSA. Returns DER.
    ///
    /// # Errors
    /// [`InvalidKey`](crate::Error::InvalidKey) for a key in OpenSSH's form; [`NoRandomness`](crate::Error::NoRandomness).
    pub(crate) fn sign_digest(&self, digest: &[u8]) -> Result<Vec<u8>> {
        let Signer::Ecdsa(key) = &self.signer else { unreachable!("streamed: only ECDSA signs digests") };
        if self.is_for_files {
            return Err(super::OF_SSH);
        }
        Ok(numbers::write(&key.sign_digest(digest, &*random::array::<32>().map(Zeroizing::new)?)))
    }
}

/// A private key of ML-DSA that other software stored expanded. Without its seed it cannot be written in our forms, and it
/// signs only [`Mu`].
pub(crate) struct ExpandedKey {
    key: MlDsaStored,
    public: PublicKey,
}

impl ExpandedKey {
    /// Reads an expanded key; `None` for other kinds, for another length, and for a key to which no seed expands.
    pub(crate) fn from_bytes(kind: Kind, expanded: &[u8]) -> Option<Self> {
        let Family::MlDsa(set) = kind.family() else { return None };
        let (key, public) = MlDsaStored::from_bytes(set, expanded)?;
        Some(Self { key, public: PublicKey::from_bytes(kind, &public).ok()? })
    }

    pub(crate) fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Signs µ.
    ///
    /// # Errors
    /// [`NoRandomness`](crate::Error::NoRandomness); [`InvalidKey`](crate::Error::InvalidKey) for a key with damage that its
    /// public key does not show: the signature does not verify.
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN]) -> Result<Vec<u8>> {
        let signature = self.key.sign_mu(mu, &*random::array::<32>().map(Zeroizing::new)?);
        self.public.verify_mu(mu, &signature).map_err(|_| NO_PRIVATE_KEY)?;
        Ok(signature)
    }
}

/// The kind of ML-DSA whose signatures have `len` bytes.
pub(crate) fn ml_dsa_of_len(len: usize) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| match kind.family() {
        Family::MlDsa(set) => ml_dsa_signature_len(set) == len,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::{Hash, Options};

    const CONTEXT: &[u8] = b"a context";

    #[test]
    fn mu_in_parts_stands_for_the_message() {
        for kind in [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87] {
            let key = PrivateKey::generate(kind).unwrap();
            let public = key.public_key();
            let mu = |context: &[u8], parts: &[&[u8]]| {
                let mut mu = Mu::new(&public, context);
                for part in parts {
                    mu.update(part);
                }
                mu.finish()
            };
            // With a context and without one: natively two libraries compute these.
            for context in [&[][..], CONTEXT] {
                let options = Options::new().context(context);
                let signature = key.sign_with(&options, b"attack at dawn").unwrap();
                public.verify_mu(&mu(context, &[b"attack ", b"", b"at dawn"]), &signature).unwrap();
                for other in [mu(context, &[b"attack at noon"]), mu(b"another", &[b"attack at dawn"])] {
                    assert_eq!(public.verify_mu(&other, &signature).unwrap_err().code(), "invalid_signature");
                }
                let signature = key.sign_mu(&mu(context, &[b"attack at dawn"])).unwrap();
                public.verify_with(&options, b"attack at dawn", &signature).unwrap();
                assert_eq!(ml_dsa_of_len(signature.len()), Some(kind));
            }
            // Hedged: randomness goes in.
            let mu = mu(CONTEXT, &[b"attack at dawn"]);
            assert_ne!(key.sign_mu(&mu).unwrap(), key.sign_mu(&mu).unwrap());
        }
    }

    /// For both ranges of the numbers of s1 and s2.
    #[test]
    fn what_a_seed_expands_to_signs_without_the_seed() {
        for kind in [Kind::MlDsa44, Kind::MlDsa65, Kind::MlDsa87] {
            let seed = [7; 32];
            let whole = PrivateKey::from_bytes(kind, &seed).unwrap();
            let bytes = crate::sign::expand(kind, &seed).unwrap();
            let key = ExpandedKey::from_bytes(kind, &bytes).unwrap();
            assert_eq!(key.public_key(), &whole.public_key());
            let signature = key.sign_mu(&[9; 64]).unwrap();
            whole.public_key().verify_mu(&[9; 64], &signature).unwrap();
            assert!(ExpandedKey::from_bytes(kind, &bytes[1..]).is_none());
            assert!(ExpandedKey::from_bytes(Kind::Ed25519, &bytes).is_none());
            // The public key reveals damage to the seed of the matrix, the hash and s1. It reveals little of s2 and nothing of
            // t0, whose damage shows when the key signs. K only affects randomness.
            for at in [0, 31, 64, 127, 128, 129, 130, 128 + 300] {
                for bit in 0..8 {
                    let mut changed = bytes.to_vec();
                    changed[at] ^= 1 << bit;
                    assert!(ExpandedKey::from_bytes(kind, &changed).is_none(), "{kind}, byte {at}, bit {bit}");
                }
            }
            let mut changed = bytes.to_vec();
            changed[bytes.len() - 200..].iter_mut().for_each(|byte| *byte ^= 0xff);
            let damaged = ExpandedKey::from_bytes(kind, &changed).unwrap();
            let failed = (0..50).any(|_| damaged.sign_mu(&[9; 64]).is_err_and(|error| error.code() == "invalid_key"));
            assert!(failed, "{kind}");
            // Numbers out of range, in each place of a group.
            for at in 0..4 {
                let mut changed = bytes.to_vec();
                changed[128 + at] = 0xff;
                assert!(ExpandedKey::from_bytes(kind, &changed).is_none(), "{kind}, byte {at}");
            }
        }
    }

    #[test]
    fn ecdsa_of_a_digest_is_that_of_the_message() {
        let key = PrivateKey::generate(Kind::P256Sign).unwrap();
        let public = key.public_key();
        let digest = crate::hash::hash(crate::hash::Algorithm::Sha512, b"attack at dawn");
        let options = Options::new().hash(Hash::Sha512);
        public.verify_digest(digest.as_bytes(), &key.sign_with(&options, b"attack at dawn").unwrap()).unwrap();
        let signature = key.sign_digest(digest.as_bytes()).unwrap();
        public.verify_with(&options, b"attack at dawn", &signature).unwrap();
        assert_eq!(public.verify_digest(&[7; 64], &signature).unwrap_err().code(), "invalid_signature");
    }
}
