//! The forms of keys in files.
//!
//! A new form has its name here, and an arm of `read_with` in `reader.rs`, which gives a `Parsed`.

use super::digits::is_digits;
use super::{asn1, pem};
use crate::text::Text;

/// A form of keys in files.
///
/// ```
/// use sealstone::{Identity, KeyForm, Kind};
///
/// let pem = Identity::generate(Kind::P256)?.to_pem(None)?;
/// assert_eq!(KeyForm::of(pem.as_bytes()), Some(KeyForm::Pem));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyForm {
    /// `age`: strings, one on each line, as in age; also symmetric keys.
    Age,
    /// `pem`: blocks of PEM.
    Pem,
    /// `der`: the binary form of PEM.
    Der,
    /// `jwk`: a JSON Web Key.
    Jwk,
    /// `hex`: `sm2` keys as hexadecimal digits, one on each line.
    Hex,
}

named_enum!(KeyForm {
    Age = "age",
    Pem = "pem",
    Der = "der",
    Jwk = "jwk",
    Hex = "hex",
});

impl KeyForm {
    /// Detects the form of a file, which need not be valid; `None` for a file that is neither text nor DER.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Self> {
        let text = Text::of(file).ok()?;
        // PEM is checked first, since the text around it may begin with anything.
        if text.lines().any(|(_, line)| pem::begins(line)) {
            return Some(Self::Pem);
        }
        let first = text.lines().map(|(_, line)| line).find(|line| !line.starts_with(b"#")).unwrap_or_default();
        // Digits are checked before DER, whose first byte is the digit 0. The next bytes of DER are not digits.
        if is_digits(first) {
            return Some(Self::Hex);
        }
        // Text that begins with the digit 0 is not DER, which has a control character among its first bytes.
        if file.first() == Some(&asn1::SEQUENCE) && file.iter().take(8).any(u8::is_ascii_control) {
            return Some(Self::Der);
        }
        if text.bytes().trim_ascii_start().starts_with(b"{") {
            return Some(Self::Jwk);
        }
        // A comment may have another encoding.
        (first.is_empty() || !Text::of_line(first).is_empty()).then_some(Self::Age)
    }
}
