//! ML-KEM-768 (FIPS 203) by itself: what HPKE has no use for.

use ml_kem::{DecapsulationKey, MlKem768};
use zeroize::Zeroizing;

/// Bytes of a seed, d || z.
pub(crate) const SEED_LEN: usize = 64;
/// Bytes of an expanded decapsulation key.
pub(crate) const EXPANDED_LEN: usize = 2400;

/// The decapsulation key that a seed expands to (FIPS 203 algorithm 16).
pub(crate) fn expand(seed: &[u8; SEED_LEN]) -> Zeroizing<[u8; EXPANDED_LEN]> {
    let key = DecapsulationKey::<MlKem768>::from_seed((*seed).into());
    // The library deprecates the form for storing keys; it is compared here, never stored.
    #[expect(deprecated, reason = "there is no other name for it")]
    let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key);
    Zeroizing::new(expanded.into())
}
