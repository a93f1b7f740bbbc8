//! SM2 keys as bare hexadecimal digits, as in `sm-crypto` and other libraries.

use super::parsed::{Algorithm, Half, Parsed, Refusal};
use crate::error::{Error, KeyFault};
use crate::sm2;
use zeroize::Zeroizing;

/// Whether a text looks like a key in bare hexadecimal digits, valid or not.
pub(super) fn is_digits(text: &[u8]) -> bool {
    text.len() >= DIGITS_MIN_LEN && text.iter().all(u8::is_ascii_hexdigit)
}

/// The least digits of a text that looks like a key. Every key has more, and no word has as many.
const DIGITS_MIN_LEN: usize = 32;

pub(super) fn read(text: &str, half: Half) -> Result<Parsed, Refusal> {
    // The decoder runs in constant time, because the key may be secret.
    let mut number = Zeroizing::new(vec![0; text.len() / 2]);
    let number = base16ct::mixed::decode(text, &mut number).is_ok().then_some(number);
    let (bytes, wrong) = match half {
        Half::Private => (check_private(number)?, KeyFault::Other(sm2::OUT_OF_RANGE)),
        Half::Public => (check_public(number)?, KeyFault::Other(sm2::OFF_CURVE)),
    };
    Ok(Parsed::new(Algorithm::Sm2, bytes, wrong))
}

/// Encodes in constant time, because the key may be secret.
pub(super) fn write(key: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(base16ct::lower::encode_string(key))
}

fn check_private(number: Option<Zeroizing<Vec<u8>>>) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
    let number = number.ok_or(KeyFault::DigitsOfPrivateKey)?;
    match number.len() {
        sm2::PRIVATE_KEY_LEN => Ok(number),
        // A compressed point, or an uncompressed one without or with its first byte.
        33 if matches!(number[0], 1..=3) => Err(KeyFault::PublicDigits),
        64 | 65 => Err(KeyFault::PublicDigits),
        33 if number[0] == 0 => Err(KeyFault::SignByte),
        _ => Err(KeyFault::DigitsOfPrivateKey),
    }
}

fn check_public(number: Option<Zeroizing<Vec<u8>>>) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
    const WRONG: KeyFault = KeyFault::Other(
        "an SM2 public key has 128 hexadecimal digits, or 130 with 04 before them, or 66 with 02 or 03 before x",
    );
    let number = number.ok_or(WRONG)?;
    match &number[..] {
        key if key.len() == sm2::PRIVATE_KEY_LEN => Err(KeyFault::PrivateDigits),
        // tjfoc/gmsm begins compressed points with 0 and 1. A private key of Java may begin with 0, too.
        [0 | 1, x @ ..] if x.len() == 32 => Err(KeyFault::CompressedDigits),
        [4, xy @ ..] | xy if xy.len() == 64 => Ok(Zeroizing::new([&[4], xy].concat())),
        // A compressed point becomes a whole one. The module of SM2 explains the form of another one.
        other => match sm2::PublicKey::from_bytes(other) {
            Ok(key) => Ok(Zeroizing::new(key.to_bytes().to_vec())),
            Err(Error::InvalidKey(fault)) => Err(KeyFault::Other(fault)),
            Err(_) => Err(WRONG),
        },
    }
}
