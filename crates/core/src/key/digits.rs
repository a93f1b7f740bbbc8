//! SM2 keys as bare hexadecimal digits, as `sm-crypto` and others have them.

use super::Kind;
use super::parsed::{Algorithm, Half, Parsed, Refusal};
use crate::error::Error;
use crate::sm2;
use zeroize::Zeroizing;

/// Kinds that are not written as bare numbers.
pub(super) const NO_FORM: Error =
    Error::UnsupportedKey("key format: only sm2 keys are written as bare hexadecimal digits");

/// Whether a text seems to be a key in hexadecimal digits alone, sound or not.
pub(super) fn is_digits(text: &str) -> bool {
    text.len() >= DIGITS_MIN_LEN && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Fewer digits than any key has, and enough to be no word.
const DIGITS_MIN_LEN: usize = 32;

pub(super) fn read(text: &str, half: Half) -> Result<Parsed, Refusal> {
    // In constant time, since it may be a secret.
    let number = base16ct::mixed::decode_vec(text).ok().map(Zeroizing::new);
    let (bytes, wrong) = match half {
        Half::Private => (private(number)?, sm2::OUT_OF_RANGE),
        Half::Public => (public(number)?, sm2::OFF_CURVE),
    };
    Ok(Parsed { algorithm: Algorithm::Of(Kind::Sm2), bytes, beside: Vec::new(), wrong, was_encrypted: false })
}

/// In constant time, since it may be a secret.
pub(super) fn write(key: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(base16ct::lower::encode_string(key))
}

fn private(number: Option<Zeroizing<Vec<u8>>>) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    const WRONG: Refusal = Refusal::Invalid("an SM2 private key has 64 hexadecimal digits, leading zeros included");
    const PUBLIC_HERE: Refusal = Refusal::OtherHalf("this is a public key in hexadecimal digits; a private one has 64");
    let number = number.ok_or(WRONG)?;
    match number.len() {
        sm2::PRIVATE_KEY_LEN => Ok(number),
        33 if matches!(number[0], 2 | 3) => Err(PUBLIC_HERE),
        64 | 65 => Err(PUBLIC_HERE),
        // As Java's BigInteger writes a number whose first bit is set.
        33 if number[0] == 0 => {
            Err(Refusal::Invalid("it has 66 hexadecimal digits and begins with 00: leave those two out"))
        }
        _ => Err(WRONG),
    }
}

fn public(number: Option<Zeroizing<Vec<u8>>>) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    const WRONG: Refusal = Refusal::Invalid("an SM2 public key has 128 hexadecimal digits, or 130 with 04 before them");
    let number = number.ok_or(WRONG)?;
    match &number[..] {
        key if key.len() == sm2::PRIVATE_KEY_LEN => {
            Err(Refusal::OtherHalf("this is a private key in hexadecimal digits; a public one has 128 or 130"))
        }
        [2 | 3, x @ ..] if x.len() == 32 => {
            Err(Refusal::Invalid("the SM2 point is compressed: only whole ones are read, 128 or 130 digits"))
        }
        [4, xy @ ..] | xy if xy.len() == 64 => Ok(Zeroizing::new([&[4], xy].concat())),
        // It says which other form this is.
        other => Err(match sm2::PublicKey::from_bytes(other) {
            Err(Error::InvalidKey(why)) => Refusal::Invalid(why),
            _ => WRONG,
        }),
    }
}
