//! Encodings of bytes as text: hexadecimal digits, Base64, Base32 (RFC 4648) and Base58 (draft-msporny-base58), and for keys
//! Bech32.
//!
//! A decoder accepts only what its encoder writes; hexadecimal digits may be in either case.
//!
//! ```
//! use sealstone::encoding::Encoding;
//!
//! let encoding: Encoding = "base64url".parse()?;
//! assert_eq!(encoding.encode(b"seal?")?, "c2VhbD8");
//! assert_eq!(encoding.decode("c2VhbD8")?, b"seal?");
//! assert_eq!(encoding.decode("c2VhbD8=").unwrap_err().code(), "invalid_encoding");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! [`Encoding`] is suitable for secrets: except for Base58, the time depends only on the length, as `base16ct`, `base64ct` and
//! `base32ct` claim. [`encode_base64`] and [`decode_base64`] are for public data: they use vector instructions and are many
//! times as fast.

// `bindings/js/src/api/encoding.ts` has the same encodings in TypeScript: change both.

use crate::error::{Error, Result};
use base32ct::Encoding as _;
use base64_simd::{AsOut as _, STANDARD, STANDARD_NO_PAD};
use base64ct::Encoding as _;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::primitives::iter::{ByteIterExt, Fe32IterExt};
use bech32::{Bech32, Checksum, Hrp};
use std::hint::black_box;
use zeroize::Zeroizing;

/// An encoding of bytes as text.
///
/// ```
/// use sealstone::encoding::Encoding;
///
/// let texts = Encoding::ALL.map(|encoding| encoding.encode(b"f\xffo").unwrap());
/// assert_eq!(texts, ["66ff6f", "Zv9v", "Zv9v", "M37W6===", "bbZQ"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `hex`: hexadecimal digits in lower case, read in either case.
    Hex,
    /// `base64`: with the standard alphabet, padded (RFC 4648 section 4).
    Base64,
    /// `base64url`: with `-` and `_` in place of `+` and `/`, without padding (RFC 4648 section 5).
    Base64Url,
    /// `base32`: in upper case, padded (RFC 4648 section 6).
    Base32,
    /// `base58`: with Bitcoin's alphabet, without a checksum, for up to [`BASE58_MAX_LEN`] bytes. Not in constant time:
    /// characters index a table.
    Base58,
}

named_enum!(Encoding {
    Hex = "hex",
    Base64 = "base64",
    Base64Url = "base64url",
    Base32 = "base32",
    Base58 = "base58",
});

impl Encoding {
    /// Encodes `data`.
    ///
    /// # Errors
    /// [`Error::TooLong`] for Base58.
    pub fn encode(self, data: &[u8]) -> Result<String> {
        Ok(match self {
            Self::Hex => encode_hex(data),
            Self::Base64 => base64ct::Base64::encode_string(data),
            Self::Base64Url => base64ct::Base64UrlUnpadded::encode_string(data),
            Self::Base32 => base32ct::Base32Upper::encode_string(data),
            Self::Base58 => encode_base58(data)?,
        })
    }

    /// Decodes `text`, which must be the canonical text: with the encoding's padding, without spaces, and with unused bits
    /// zero.
    ///
    /// # Errors
    /// [`Error::InvalidEncoding`].
    pub fn decode(self, text: &str) -> Result<Vec<u8>> {
        match self {
            Self::Hex => decode_hex(text),
            Self::Base64 => base64ct::Base64::decode_vec(text).map_err(|_| NOT_BASE64),
            Self::Base64Url => {
                let wrong = Error::InvalidEncoding("the text is not base64url without padding and spaces");
                base64ct::Base64UrlUnpadded::decode_vec(text).map_err(|_| wrong)
            }
            Self::Base32 => decode_base32(text),
            Self::Base58 => decode_base58(text),
        }
    }
}

/// The most bytes that Base58 encodes here. They take some milliseconds: the work grows with the square of the length. Base58
/// is for keys and signatures, which have 64 bytes.
pub const BASE58_MAX_LEN: usize = 1 << 12;

/// Encodes up to [`BASE58_MAX_LEN`] bytes as Base58, with Bitcoin's alphabet and without a checksum. Use [`encode_base64`] for
/// longer data.
///
/// # Errors
/// [`Error::TooLong`].
pub fn encode_base58(data: &[u8]) -> Result<String> {
    if data.len() > BASE58_MAX_LEN {
        return Err(Error::TooLong);
    }
    Ok(bs58::encode(data).into_string())
}

/// Decodes Base58 of up to [`BASE58_MAX_LEN`] bytes.
///
/// # Errors
/// [`Error::InvalidEncoding`].
pub fn decode_base58(text: &str) -> Result<Vec<u8>> {
    const TOO_LONG: Error = Error::InvalidEncoding("base58 is for short data, at most 4,096 bytes");
    // A byte takes 1.366 characters; a zero at the start takes one.
    if text.len() > BASE58_MAX_LEN * 11 / 8 {
        return Err(TOO_LONG);
    }
    let data = bs58::decode(text).into_vec().map_err(|_| NOT_BASE58)?;
    if data.len() > BASE58_MAX_LEN { Err(TOO_LONG) } else { Ok(data) }
}

/// As [`decode_base58`], for a secret of up to `N` bytes: the result is zeroed on drop.
pub(crate) fn decode_base58_secret<const N: usize>(text: &str) -> Result<Zeroizing<Vec<u8>>> {
    let mut data = Zeroizing::new(vec![0; N]);
    let len = bs58::decode(text).onto(&mut data[..]).map_err(|error| match error {
        bs58::decode::Error::BufferTooSmall => Error::InvalidEncoding("the text is longer than any key"),
        _ => NOT_BASE58,
    })?;
    data.truncate(len);
    Ok(data)
}

const NOT_BASE58: Error = Error::InvalidEncoding("a character is not in the base58 alphabet");

/// Encodes as Base64 with the standard alphabet, padded (RFC 4648 section 4).
///
/// ```
/// use sealstone::encoding::{decode_base64, encode_base64};
///
/// assert_eq!(encode_base64(b"seal"), "c2VhbA==");
/// assert_eq!(decode_base64("c2VhbA==")?, b"seal");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn encode_base64(data: &[u8]) -> String {
    STANDARD.encode_to_string(data)
}

/// As [`encode_base64`], into `text`, which has exactly the text's length: 4 characters for each group of up to 3 bytes.
///
/// ```
/// let mut text = [0; 8];
/// sealstone::encoding::encode_base64_into(b"seal", &mut text);
/// assert_eq!(&text, b"c2VhbA==");
/// ```
///
/// # Panics
/// If `text` has another length.
pub fn encode_base64_into(data: &[u8], text: &mut [u8]) {
    assert_eq!(text.len(), STANDARD.encoded_length(data.len()), "encoding: the text has another length");
    _ = STANDARD.encode(data, text.as_out());
}

/// Decodes canonical Base64: with padding, with unused bits zero, and without spaces or line endings.
///
/// # Errors
/// [`Error::InvalidEncoding`].
pub fn decode_base64(text: &str) -> Result<Vec<u8>> {
    STANDARD.decode_to_vec(text).map_err(|_| NOT_BASE64)
}

/// As [`decode_base64`], into `data`; returns the number of bytes. On an error the content of `data` has no meaning.
///
/// ```
/// let mut data = [0; 6];
/// assert_eq!(sealstone::encoding::decode_base64_into(b"c2VhbA==", &mut data)?, 4);
/// assert_eq!(&data[..4], b"seal");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidEncoding`], also for a text that stands for more bytes than `data` has: its padding says how many these are.
pub fn decode_base64_into(text: &[u8], data: &mut [u8]) -> Result<usize> {
    let len = STANDARD.decoded_length(text).map_err(|_| NOT_BASE64)?;
    if len > data.len() {
        return Err(Error::InvalidEncoding("the text stands for more bytes than there is memory for"));
    }
    STANDARD.decode(text, data.as_out()).map(|data| data.len()).map_err(|_| NOT_BASE64)
}

/// As [`encode_base64`], without padding.
pub(crate) fn encode_base64_unpadded(data: &[u8]) -> String {
    STANDARD_NO_PAD.encode_to_string(data)
}

/// Decodes canonical Base64 without padding.
pub(crate) fn decode_base64_unpadded(text: &[u8]) -> Result<Vec<u8>> {
    STANDARD_NO_PAD.decode_to_vec(text).map_err(|_| Error::InvalidEncoding("the text is not base64 without padding"))
}

const NOT_BASE64: Error = Error::InvalidEncoding("the text is not padded base64 without spaces");

fn decode_base32(text: &str) -> Result<Vec<u8>> {
    const WRONG: Error = Error::InvalidEncoding("the text is not padded base32 in upper case without spaces");
    let data = Zeroizing::new(base32ct::Base32Upper::decode_vec(text).map_err(|_| WRONG)?);
    // The library ignores unused bits.
    let again = Zeroizing::new(base32ct::Base32Upper::encode_string(&data));
    let differs = again.bytes().zip(text.bytes()).fold(0, |differs, (one, other)| differs | (one ^ other));
    if again.len() == text.len() && black_box(differs) == 0 { Ok(data.to_vec()) } else { Err(WRONG) }
}

/// Encodes as hexadecimal digits in lower case.
///
/// ```
/// use sealstone::encoding::{decode_hex, encode_hex};
///
/// assert_eq!(encode_hex(&[0xab, 1]), "ab01");
/// assert_eq!(decode_hex("AB01")?, [0xab, 1]);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn encode_hex(data: &[u8]) -> String {
    base16ct::lower::encode_string(data)
}

/// Decodes hexadecimal digits of either case, two for each byte.
///
/// # Errors
/// [`Error::InvalidEncoding`].
pub fn decode_hex(text: &str) -> Result<Vec<u8>> {
    let wrong = |_| Error::InvalidEncoding("the text is not pairs of hexadecimal digits");
    base16ct::mixed::decode_vec(text).map_err(wrong)
}

/// Bech32 (BIP 173) without the length limit, as in age: a hybrid recipient has 1,959 characters.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = Bech32::ROOT_GENERATOR;
    const ROOT_EXPONENTS: core::ops::RangeInclusive<usize> = Bech32::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = 4096;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [Self::MidstateRepr; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: Self::MidstateRepr = Bech32::TARGET_RESIDUE;
}

/// Encodes `data` under `hrp`, in the case of `hrp`.
pub(crate) fn encode_bech32(hrp: &str, data: &[u8]) -> Zeroizing<String> {
    let parsed = Hrp::parse(hrp).expect("encoding: our prefixes are valid");
    let upper = hrp.bytes().any(|b| b.is_ascii_uppercase());
    let symbols = data.iter().copied().bytes_to_fes().with_checksum::<LongBech32>(&parsed).chars();
    // The library's function for strings leaves the characters in a buffer on the stack without zeroing it.
    let mut text =
        Zeroizing::new(String::with_capacity(hrp.len() + 1 + (data.len() * 8).div_ceil(5) + Bech32::CHECKSUM_LENGTH));
    text.extend(symbols.map(|symbol| if upper { symbol.to_ascii_uppercase() } else { symbol }));
    text
}

/// Decodes `text`; `None` if it is not the canonical encoding of its bytes under `hrp`, with the right checksum, case and
/// padding.
pub(crate) fn decode_bech32(hrp: &str, text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let checked = CheckedHrpstring::new::<LongBech32>(text).ok()?;
    if checked.hrp().as_str() != hrp {
        return None;
    }
    // The capacity is enough for all bytes, at five bits a character, so that no growth leaves a copy behind.
    let mut data = Zeroizing::new(Vec::with_capacity(text.len() * 5 / 8));
    data.extend(checked.byte_iter());
    // Encoding again checks prefix, case and padding bits at once: only the canonical text is accepted.
    (encode_bech32(hrp, &data).as_str() == text).then_some(data)
}

#[cfg(test)]
#[path = "encoding_tests.rs"]
mod tests;
