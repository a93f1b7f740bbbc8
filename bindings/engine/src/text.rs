//! Bytes as text.

use sealstone::{Error, Result, encoding};
use zeroize::Zeroizing;

/// A key or a message in one of its forms.
pub enum TextOrBytes {
    /// A form that is text.
    Text(Zeroizing<String>),
    /// DER, or a message without armour.
    Bytes(Zeroizing<Vec<u8>>),
}

/// Text for a language whose strings cannot be zeroed.
pub fn into_plain(mut text: Zeroizing<String>) -> String {
    std::mem::take(&mut *text)
}

/// Bytes in an encoding, by its name.
pub fn encode(encoding: &str, data: &[u8]) -> Result<String> {
    match encoding {
        "base58" => encoding::encode_base58(data),
        "base64" => Ok(encoding::encode_base64(data)),
        "hex" => Ok(encoding::encode_hex(data)),
        _ => Err(Error::unknown_algorithm(encoding, ENCODINGS)),
    }
}

/// The bytes for which such a text stands.
pub fn decode(encoding: &str, text: &str) -> Result<Vec<u8>> {
    match encoding {
        "base58" => encoding::decode_base58(text),
        "base64" => encoding::decode_base64(text),
        "hex" => encoding::decode_hex(text),
        _ => Err(Error::unknown_algorithm(encoding, ENCODINGS)),
    }
}

const ENCODINGS: &str = "base58, base64, hex";
