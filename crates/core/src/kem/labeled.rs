//! `LabeledExtract` and `LabeledExpand` (RFC 9180 section 4) over HKDF-SHA256.

use crate::mac::HmacSha256;
use zeroize::Zeroizing;

/// Bytes of a digest (Nh).
pub(super) const DIGEST_LEN: usize = 32;

const VERSION: &[u8] = b"HPKE-v1";

/// `LabeledExtract`.
pub(super) fn extract(suite_id: &[u8], salt: &[u8], label: &[u8], ikm: &[u8]) -> Zeroizing<[u8; DIGEST_LEN]> {
    Zeroizing::new(HmacSha256::new(salt).sign([VERSION, suite_id, label, ikm]))
}

/// A pseudorandom key, from which several values are expanded.
pub(crate) struct Prk<'a> {
    suite_id: &'a [u8],
    key: HmacSha256,
}

impl<'a> Prk<'a> {
    /// The key that [`extract`] returns.
    pub(super) fn extract(suite_id: &'a [u8], salt: &[u8], label: &[u8], ikm: &[u8]) -> Self {
        Self { suite_id, key: HmacSha256::new(&extract(suite_id, salt, label, ikm)[..]) }
    }

    /// `LabeledExpand` to at most one block of HKDF: T(1) of RFC 5869 section 2.3.
    pub(super) fn expand<const N: usize>(&self, label: &[u8], info: &[u8]) -> Zeroizing<[u8; N]> {
        const { assert!(N <= DIGEST_LEN) };
        let len = u16::try_from(N).expect("labeled: a block is short").to_be_bytes();
        let block = Zeroizing::new(self.key.sign([&len, VERSION, self.suite_id, label, info, &[1]]));
        let mut out = Zeroizing::new([0; N]);
        out.copy_from_slice(&block[..N]);
        out
    }
}
