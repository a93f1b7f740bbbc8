//! HMAC (RFC 2104, FIPS 198-1).

use aws_lc_rs::hmac;

/// Bytes of an HMAC-SHA-512 output.
pub(crate) const HMAC_SHA512_LEN: usize = 64;

/// HMAC-SHA-512 with its key schedule made once.
pub(crate) struct HmacSha512(hmac::Key);

impl HmacSha512 {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA512, key))
    }

    /// The MAC of the concatenation of `parts`.
    pub(crate) fn sign<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; HMAC_SHA512_LEN] {
        let mut context = hmac::Context::with_key(&self.0);
        for part in parts {
            context.update(part);
        }
        let mut out = [0; HMAC_SHA512_LEN];
        out.copy_from_slice(context.sign().as_ref());
        out
    }
}

/// Compares two MACs, or other values derived from secrets, in constant time. Different lengths are different.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    aws_lc_rs::constant_time::verify_slices_are_equal(a, b).is_ok()
}
