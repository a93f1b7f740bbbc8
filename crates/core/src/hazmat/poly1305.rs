//! Bare Poly1305 (RFC 8439 section 2.5), for protocols that derive its one-time keys themselves. [`aead`](crate::aead) and
//! [`nacl`](crate::nacl) use it safely, and [`mac`](crate::mac) has MACs for many messages.

use crate::error::{Error, Result};
use crate::kernel;
use sealstone_ciphers::poly1305::{KEY_LEN, Poly1305, TAG_LEN};

/// Computes the tag of one message under a key of 32 bytes.
///
/// ```
/// use sealstone::hazmat::poly1305;
///
/// let tag = poly1305::sign(&[7; 32], b"attack at dawn")?;
/// poly1305::verify(&[7; 32], b"attack at dawn", &tag)?;
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongLength`]; [`Error::UnavailableBackend`] when the environment forces one.
///
/// # Security
/// A key is for one message. An attacker with the tags of two messages under one key can forge all others.
pub fn sign(key: &[u8], data: &[u8]) -> Result<[u8; TAG_LEN]> {
    Ok(begin(key, data)?.tag())
}

/// Checks the tag of one message, in constant time.
///
/// # Errors
/// [`Error::NotAuthentic`]; [`Error::WrongLength`] for the key or the tag; [`Error::UnavailableBackend`] when the environment
/// forces one.
pub fn verify(key: &[u8], data: &[u8], tag: &[u8]) -> Result<()> {
    let mac = begin(key, data)?;
    if tag.len() != TAG_LEN {
        return Err(Error::WrongLength { what: "the tag", expected: TAG_LEN, actual: tag.len() });
    }
    mac.verify(tag).map_err(|_| Error::NotAuthentic { chunk: None })
}

fn begin(key: &[u8], data: &[u8]) -> Result<Poly1305> {
    let wrong_length = || Error::WrongLength { what: "the key", expected: KEY_LEN, actual: key.len() };
    let key = key.try_into().map_err(|_| wrong_length())?;
    let mut mac = Poly1305::with_backend(kernel::chacha_backend()?, key).expect("poly1305: the CPU has the backend");
    mac.update(data);
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439 section 2.5.2; the crate `sealstone-ciphers` has all other examples.
    #[test]
    fn the_rfc_s_example() {
        let key = data_encoding::HEXLOWER
            .decode(b"85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
            .unwrap();
        let (message, expected) = (b"Cryptographic Forum Research Group", "a8061dc1305136c6c22b8baf0c0127a9");
        let tag = sign(&key, message).unwrap();
        assert_eq!(data_encoding::HEXLOWER.encode(&tag), expected);
        verify(&key, message, &tag).unwrap();
        for at in 0..128 {
            let mut other = tag;
            other[at / 8] ^= 1 << (at % 8);
            assert_eq!(verify(&key, message, &other).unwrap_err().code(), "not_authentic");
        }
    }

    #[test]
    fn keys_and_tags_of_other_lengths_are_refused() {
        let tag = sign(&[7; 32], b"").unwrap();
        for len in (0..=65).filter(|len| *len != 32) {
            assert_eq!(sign(&[7; 65][..len], b"").unwrap_err().code(), "wrong_length");
            assert_eq!(verify(&[7; 65][..len], b"", &tag).unwrap_err().code(), "wrong_length");
        }
        for len in (0..=65).filter(|len| *len != 16) {
            assert_eq!(
                verify(&[7; 32], b"", &[tag.to_vec(), vec![0; 49]].concat()[..len]).unwrap_err().code(),
                "wrong_length"
            );
        }
    }
}
