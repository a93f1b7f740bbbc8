//! Passphrases.

use crate::error::{Error, Result};
use zeroize::Zeroizing;

/// Most bytes of a passphrase, as UTF-8 in NFC.
const PASSPHRASE_MAX_LEN: usize = 1024;

/// A passphrase: 1 to 1,024 bytes of UTF-8, held in Unicode normalization form C, so that the same characters typed
/// on two systems are the same passphrase (format section 4).
///
/// It is zeroed on drop and never printed.
///
/// ```
/// use sealstone::Passphrase;
///
/// assert!(Passphrase::new("correct horse battery staple").is_ok());
/// assert_eq!(Passphrase::new("").unwrap_err().code(), "invalid_passphrase");
/// ```
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Normalises and checks a passphrase.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] when it is empty or over 1,024 bytes.
    pub fn new(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty"));
        }
        // Checked before the normalization too, which could be made to work on any amount of text.
        if text.len() > 4 * PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        // Reserved for the longest expansion of NFC (3 times in UTF-8), so that no copy is left behind by growth.
        let mut normal = Zeroizing::new(String::with_capacity(3 * text.len()));
        #[cfg(not(sealstone_host_normalizes))]
        normal.extend(unicode_normalization::UnicodeNormalization::nfc(text));
        // What JavaScript has in its engine is a third of a module (docs/design/wasm.md): it gives text that is normalized.
        #[cfg(sealstone_host_normalizes)]
        normal.push_str(text);
        if normal.len() > PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        Ok(Self(normal))
    }

    /// As [`new`](Self::new), from bytes that must be well-formed UTF-8.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] also when the bytes are not UTF-8.
    pub fn from_utf8(bytes: &[u8]) -> Result<Self> {
        Self::new(std::str::from_utf8(bytes).map_err(|_| Error::InvalidPassphrase("it is not UTF-8 text"))?)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposed_and_composed_text_are_one_passphrase() {
        let composed = Passphrase::new("caf\u{e9}").unwrap();
        let decomposed = Passphrase::new("cafe\u{301}").unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
    }

    #[test]
    fn length_bounds_are_1_and_1024_bytes() {
        assert!(Passphrase::new(&"x".repeat(1024)).is_ok());
        assert!(Passphrase::new(&"x".repeat(1025)).is_err());
        assert!(Passphrase::from_utf8(&[0xff, 0xfe]).is_err());
    }

    #[test]
    fn the_length_that_counts_is_that_of_the_normal_form() {
        // U+212A is 3 bytes and becomes K; no normal form is shorter than a third.
        assert_eq!(Passphrase::new(&"\u{212a}".repeat(1024)).unwrap().as_bytes(), "K".repeat(1024).as_bytes());
        assert!(Passphrase::new(&"\u{212a}".repeat(1025)).is_err());
        // U+1D160 is 4 bytes and becomes 12.
        assert!(Passphrase::new(&"\u{1d160}".repeat(85)).is_ok());
        assert!(Passphrase::new(&"\u{1d160}".repeat(86)).is_err());
        assert!(Passphrase::new(&"x".repeat(1 << 20)).is_err());
    }

    #[test]
    fn spaces_and_line_ends_are_part_of_it() {
        let passphrase = |text| Passphrase::new(text).unwrap().as_bytes().to_vec();
        assert_ne!(passphrase("pass"), passphrase("pass\n"));
        assert_ne!(passphrase("pass"), passphrase(" pass"));
        assert!(Passphrase::new(" ").is_ok());
    }
}
