//! ML-KEM-768 (FIPS 203) by itself.

use aws_lc_rs::kem::{self, ML_KEM_768};
use core::ops::Range;
use ml_kem::MlKem768;
use zeroize::Zeroizing;

/// Bytes of a seed, d || z.
pub(crate) const SEED_LEN: usize = 64;
/// Bytes of an expanded decapsulation key.
pub(crate) const EXPANDED_LEN: usize = 2400;
/// The encapsulation key inside of it (FIPS 203 algorithm 16).
const ENCAPSULATION_KEY: Range<usize> = 1152..2336;

/// The decapsulation key that a seed expands to (FIPS 203 algorithm 16).
pub(crate) fn expand(seed: &[u8; SEED_LEN]) -> Zeroizing<[u8; EXPANDED_LEN]> {
    let key = ml_kem::DecapsulationKey::<MlKem768>::from_seed((*seed).into());
    // The library deprecates the form for storing keys; it is never stored.
    #[expect(deprecated, reason = "there is no other name for it")]
    let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key);
    Zeroizing::new(expanded.into())
}

/// A decapsulation key, for AWS-LC, which takes no seeds.
pub(crate) struct DecapsulationKey(kem::DecapsulationKey);

impl DecapsulationKey {
    /// Expands a seed, also to its encapsulation key.
    pub(crate) fn from_seed(seed: &[u8; SEED_LEN]) -> (Self, Vec<u8>) {
        let expanded = expand(seed);
        let key = kem::DecapsulationKey::new(&ML_KEM_768, &expanded[..]);
        (Self(key.expect("ml-kem: the key was expanded")), expanded[ENCAPSULATION_KEY].to_vec())
    }

    /// The shared secret of a ciphertext of 1,088 bytes, which for a wrong one is a secret that nobody has.
    pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Zeroizing<[u8; 32]> {
        let secret = self.0.decapsulate(ciphertext.into()).expect("ml-kem: key and ciphertext have their lengths");
        let mut copy = Zeroizing::new([0; 32]);
        copy.copy_from_slice(secret.as_ref());
        copy
    }
}
