//! ML-DSA and Ed25519 together: id-MLDSA65-Ed25519-SHA512 and id-MLDSA44-Ed25519-SHA512 (draft-ietf-lamps-pq-composite-sigs-19).

use super::{NO_PUBLIC_KEY, SEED_LEN, ml_dsa_public_len, ml_dsa_signature_len};
use crate::ed25519;
use crate::error::Result;
use crate::hash::Sha512;
use crate::provider::{MlDsa, MlDsaPublic, MlDsaSet};
use crate::reserved::COMPOSITES;

/// Bytes of a private key: both seeds.
pub(super) const PRIVATE_LEN: usize = SEED_LEN + ed25519::SEED_LEN;

/// The label of the combination (section 6), which is also ML-DSA's context.
fn label(set: MlDsaSet) -> &'static [u8] {
    match set {
        MlDsaSet::MlDsa44 => b"COMPSIG-MLDSA44-Ed25519-SHA512",
        MlDsaSet::MlDsa65 => b"COMPSIG-MLDSA65-Ed25519-SHA512",
        MlDsaSet::MlDsa87 => unreachable!("composite: no kind has this set"),
    }
}

/// The message that both halves sign: M' of section 3.2.
///
/// # Panics
/// For a context over 255 bytes.
fn representative(set: MlDsaSet, context: &[u8], message: &[u8]) -> Vec<u8> {
    let len = u8::try_from(context.len()).expect("composite: the context has at most 255 bytes");
    [COMPOSITES, label(set), &[len], context, &Sha512::of(&[message])[..]].concat()
}

/// A private key.
pub(super) struct Composite {
    set: MlDsaSet,
    ml_dsa: MlDsa,
    ed25519: ed25519::PrivateKey,
}

impl Composite {
    /// Derives the key from two seeds, [`PRIVATE_LEN`] bytes together, and returns it with its public key.
    pub(super) fn from_bytes(set: MlDsaSet, bytes: &[u8]) -> Result<(Self, Vec<u8>)> {
        let (seed, ed25519) = bytes.split_first_chunk().expect("composite: the length was checked");
        let (ml_dsa, mut public) = MlDsa::from_seed(set, seed);
        let ed25519 = ed25519::PrivateKey::from_seed(ed25519)?;
        public.extend_from_slice(&ed25519.public_key().to_bytes());
        Ok((Self { set, ml_dsa, ed25519 }, public))
    }

    /// Signs with a context of at most 255 bytes.
    pub(super) fn sign(&self, context: &[u8], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
        let message = representative(self.set, context, message);
        let mut signature = self.ml_dsa.sign(label(self.set), &message, random);
        signature.extend_from_slice(&self.ed25519.sign(&message));
        signature
    }
}

/// A public key.
pub(super) struct CompositePublic {
    set: MlDsaSet,
    ml_dsa: MlDsaPublic,
    ed25519: ed25519::PublicKey,
}

impl CompositePublic {
    pub(super) fn from_bytes(set: MlDsaSet, bytes: &[u8]) -> Result<Self> {
        let (ml_dsa, ed25519) = bytes.split_at(ml_dsa_public_len(set));
        let ml_dsa = MlDsaPublic::from_bytes(set, ml_dsa).ok_or(NO_PUBLIC_KEY)?;
        Ok(Self { set, ml_dsa, ed25519: ed25519::PublicKey::from_bytes(ed25519)? })
    }

    /// Verifies both halves, even if the first is wrong.
    pub(super) fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let Some((ml_dsa, ed25519)) = signature.split_at_checked(ml_dsa_signature_len(self.set)) else { return false };
        let message = representative(self.set, context, message);
        let first = self.ml_dsa.verify(label(self.set), &message, ml_dsa);
        let second = self.ed25519.verify(&message, ed25519).is_ok();
        first & second
    }
}
