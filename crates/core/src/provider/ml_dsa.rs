//! ML-DSA (FIPS 204) by RustCrypto: in WebAssembly, and natively with a context or µ, which AWS-LC's bindings do not take.

use super::Shake256;
use ml_dsa::ExpandedSigningKey;
use ml_dsa::signature::rand_core::{Infallible, TryCryptoRng, TryRng};
use ml_dsa::{MlDsa44, MlDsa65, MlDsa87, MlDsaParams, Signature, SigningKey, VerifyingKey};
use zeroize::{Zeroize as _, Zeroizing};

/// A parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MlDsaSet {
    MlDsa44,
    MlDsa65,
    MlDsa87,
}

/// Bytes of µ, the message representative.
pub(crate) const MU_LEN: usize = 64;

/// A private key, expanded from its seed. Zeroed on drop.
pub(crate) enum Expanded {
    MlDsa44(Box<SigningKey<MlDsa44>>),
    MlDsa65(Box<SigningKey<MlDsa65>>),
    MlDsa87(Box<SigningKey<MlDsa87>>),
}

/// A private key that was stored expanded, without its seed. Zeroed on drop.
pub(crate) enum Stored {
    MlDsa44(Box<ExpandedSigningKey<MlDsa44>>),
    MlDsa65(Box<ExpandedSigningKey<MlDsa65>>),
    MlDsa87(Box<ExpandedSigningKey<MlDsa87>>),
}

/// A public key with its expanded matrix.
#[derive(Clone)]
pub(super) enum Public {
    MlDsa44(Box<VerifyingKey<MlDsa44>>),
    MlDsa65(Box<VerifyingKey<MlDsa65>>),
    MlDsa87(Box<VerifyingKey<MlDsa87>>),
}

/// Evaluates an expression with the key of any parameter set.
macro_rules! with {
    ($self:expr, $key:ident => $body:expr) => {
        match $self {
            Self::MlDsa44($key) => $body,
            Self::MlDsa65($key) => $body,
            Self::MlDsa87($key) => $body,
        }
    };
}

impl Expanded {
    /// Expands the key from its seed (algorithm 6).
    pub(crate) fn from_seed(set: MlDsaSet, seed: &[u8; 32]) -> Self {
        let seed = Zeroizing::new((*seed).into());
        match set {
            MlDsaSet::MlDsa44 => Self::MlDsa44(Box::new(SigningKey::from_seed(&seed))),
            MlDsaSet::MlDsa65 => Self::MlDsa65(Box::new(SigningKey::from_seed(&seed))),
            MlDsaSet::MlDsa87 => Self::MlDsa87(Box::new(SigningKey::from_seed(&seed))),
        }
    }

    #[allow(dead_code, reason = "natively AWS-LC computes it")]
    pub(super) fn public_key(&self) -> Vec<u8> {
        with!(self, key => (**key).as_ref().encode().to_vec())
    }

    /// The expanded private key, which other software stores (algorithm 24).
    pub(crate) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        with!(self, key => expand(key))
    }

    /// Signs (algorithm 2), hedged by 32 bytes of randomness.
    ///
    /// # Panics
    /// For a context over 255 bytes.
    pub(crate) fn sign(&self, context: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
        let len = u8::try_from(context.len()).expect("ml-dsa: the context has at most 255 bytes");
        let random = Zeroizing::new((*random).into());
        with!(self, key => {
            key.expanded_key().sign_internal(&[&[0, len], context, message], &random).encode().to_vec()
        })
    }

    /// Signs the message that µ represents (algorithm 7 from line 7 on), hedged as in [`sign`](Self::sign).
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN], random: &[u8; 32]) -> Vec<u8> {
        with!(self, key => sign_mu(key.expanded_key(), mu, random))
    }
}

#[cfg(test)]
impl Expanded {
    /// Signs bytes without a prefix (algorithm 7), with an expanded private key.
    pub(crate) fn sign_internal(set: MlDsaSet, expanded: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
        #[expect(deprecated, reason = "there is no other name for it")]
        fn sign<P: MlDsaParams>(expanded: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
            let expanded = expanded.try_into().expect("ml-dsa: the key has its length");
            let key = ExpandedSigningKey::<P>::from_expanded(&expanded);
            key.sign_internal(&[message], &(*random).into()).encode().to_vec()
        }
        match set {
            MlDsaSet::MlDsa44 => sign::<MlDsa44>(expanded, message, random),
            MlDsaSet::MlDsa65 => sign::<MlDsa65>(expanded, message, random),
            MlDsaSet::MlDsa87 => sign::<MlDsa87>(expanded, message, random),
        }
    }

    /// Verifies a signature of [`sign_internal`](Self::sign_internal) (algorithm 8).
    pub(crate) fn verify_internal(set: MlDsaSet, public: &[u8], message: &[u8], signature: &[u8]) -> bool {
        fn verify<P: MlDsaParams>(key: &VerifyingKey<P>, message: &[u8], signature: &[u8]) -> bool {
            Signature::<P>::try_from(signature).is_ok_and(|signature| key.verify_internal(message, &signature))
        }
        match Public::from_bytes(set, public).expect("ml-dsa: the key has its length") {
            Public::MlDsa44(key) => verify(&key, message, signature),
            Public::MlDsa65(key) => verify(&key, message, signature),
            Public::MlDsa87(key) => verify(&key, message, signature),
        }
    }

    pub(crate) fn verifies(&self, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        with!(self, key => verify((**key).as_ref(), context, message, signature))
    }
}

/// The place of the public key's hash in an expanded private key: after two seeds, and before s1 and s2.
const HASH: std::ops::Range<usize> = 64..128;

impl Stored {
    /// Reads an expanded key (algorithm 24), and returns it with its public key. `None` for another length, for numbers of s1
    /// and s2 out of range, and for a hash that is not the public key's: no seed expands to these. The checks do not cover all
    /// of s2 and t0; if they are wrong, signatures do not verify.
    pub(crate) fn from_bytes(set: MlDsaSet, expanded: &[u8]) -> Option<(Self, Vec<u8>)> {
        // The count of numbers in both vectors, and their packing: numbers from -max/2 to max/2 are stored as 0 to max in
        // `bits` bits.
        let (numbers, bits, max, len) = match set {
            MlDsaSet::MlDsa44 => (8 * 256, 3, 4, 2560),
            MlDsaSet::MlDsa65 => (11 * 256, 4, 8, 4032),
            MlDsaSet::MlDsa87 => (15 * 256, 3, 4, 4896),
        };
        if expanded.len() != len || !are_in_range(&expanded[HASH.end..][..numbers * bits / 8], bits, max) {
            return None;
        }
        let key = match set {
            MlDsaSet::MlDsa44 => Self::MlDsa44(Box::new(decode(expanded))),
            MlDsaSet::MlDsa65 => Self::MlDsa65(Box::new(decode(expanded))),
            MlDsaSet::MlDsa87 => Self::MlDsa87(Box::new(decode(expanded))),
        };
        let public = with!(&key, key => key.verifying_key().encode().to_vec());
        let mut hash = [0; HASH.end - HASH.start];
        Shake256::digest_into(&public, &mut hash);
        (hash == expanded[HASH]).then_some((key, public))
    }

    /// As [`Expanded::sign_mu`].
    pub(crate) fn sign_mu(&self, mu: &[u8; MU_LEN], random: &[u8; 32]) -> Vec<u8> {
        with!(self, key => sign_mu(key, mu, random))
    }
}

/// Whether all numbers of `bits` bits are at most `max`, in a time that does not depend on them.
fn are_in_range(packed: &[u8], bits: usize, max: u32) -> bool {
    let mut over = 0;
    // Eight numbers take `bits` bytes.
    for group in packed.chunks_exact(bits) {
        let word = group.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        for place in 0..8 {
            let number = word >> (place * bits) & (2 * max - 1);
            over |= (number + max - 1) & (2 * max);
        }
    }
    over == 0
}

fn decode<P: MlDsaParams>(expanded: &[u8]) -> ExpandedSigningKey<P> {
    let mut copy = expanded.try_into().expect("ml-dsa: the length was checked");
    #[expect(deprecated, reason = "there is no other name for it")]
    let key = ExpandedSigningKey::from_expanded(&copy);
    copy.zeroize();
    key
}

fn sign_mu<P: MlDsaParams>(key: &ExpandedSigningKey<P>, mu: &[u8; MU_LEN], random: &[u8; 32]) -> Vec<u8> {
    let signature = key.sign_mu_randomized(&(*mu).into(), &mut Drawn(random));
    signature.expect("ml-dsa: randomness is there").encode().to_vec()
}

impl Public {
    /// Reads a key; `None` for another length. All bytes of the right length are a key.
    pub(super) fn from_bytes(set: MlDsaSet, bytes: &[u8]) -> Option<Self> {
        Some(match set {
            MlDsaSet::MlDsa44 => Self::MlDsa44(Box::new(VerifyingKey::decode(&bytes.try_into().ok()?))),
            MlDsaSet::MlDsa65 => Self::MlDsa65(Box::new(VerifyingKey::decode(&bytes.try_into().ok()?))),
            MlDsaSet::MlDsa87 => Self::MlDsa87(Box::new(VerifyingKey::decode(&bytes.try_into().ok()?))),
        })
    }

    /// Verifies a signature (algorithm 3); false also for a context over 255 bytes.
    pub(super) fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        with!(self, key => verify(key, context, message, signature))
    }

    /// Verifies a signature of the message that µ represents (algorithm 8 from line 8 on).
    pub(super) fn verify_mu(&self, mu: &[u8; MU_LEN], signature: &[u8]) -> bool {
        with!(self, key => verify_mu(key, mu, signature))
    }
}

fn verify_mu<P: MlDsaParams>(key: &VerifyingKey<P>, mu: &[u8; MU_LEN], signature: &[u8]) -> bool {
    Signature::<P>::try_from(signature).is_ok_and(|signature| key.verify_mu(&(*mu).into(), &signature))
}

/// A generator that returns randomness drawn before.
struct Drawn<'a>(&'a [u8; 32]);

impl TryRng for Drawn<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("ml-dsa: it draws bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("ml-dsa: it draws bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(self.0);
        Ok(())
    }
}

impl TryCryptoRng for Drawn<'_> {}

fn expand<P: MlDsaParams>(key: &SigningKey<P>) -> Zeroizing<Vec<u8>> {
    #[expect(deprecated, reason = "there is no other name for it")]
    let mut bytes = key.expanded_key().to_expanded();
    let copy = Zeroizing::new(bytes.to_vec());
    bytes.zeroize();
    copy
}

fn verify<P: MlDsaParams>(key: &VerifyingKey<P>, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let signature = Signature::<P>::try_from(signature);
    signature.is_ok_and(|signature| key.verify_with_context(message, context, &signature))
}
