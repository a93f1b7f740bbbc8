//! SHA-256 (FIPS 180-4), for names of keys.

use aws_lc_rs::digest;

/// Bytes of a SHA-256 output.
pub(crate) const SHA256_LEN: usize = 32;

/// The hash of the concatenation of `parts`.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; SHA256_LEN] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    let mut out = [0; SHA256_LEN];
    out.copy_from_slice(context.finish().as_ref());
    out
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn fips_180_4_examples() {
        // "abc", and the 448-bit message, of FIPS 180-4's examples.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        let message = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        for (parts, expected) in [(&[&b"a"[..], b"", b"bc"][..], abc), (&[&message[..20], &message[20..]], long)] {
            let hex = sha256(parts).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
            assert_eq!(hex, expected);
        }
    }
}
