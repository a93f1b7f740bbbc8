//! Text that people save, mail and paste. Only the parts that Sealstone uses must be UTF-8. No other module drops a byte
//! order mark.

/// A text from a user, such as a file of keys, a list or a passphrase. It is without the mark that some editors put before
/// UTF-8, and is not UTF-16.
///
/// ```
/// use sealstone::Text;
///
/// let text = Text::of(b"\xef\xbb\xbf# by M\xfcller\r\nfirst\n")?;
/// assert_eq!(text.lines().collect::<Vec<_>>(), [(1, &b"# by M\xfcller"[..]), (2, b"first")]);
/// assert_eq!(Text::of(b"\xff\xfea\0b\0").unwrap_err(), Text::IS_UTF16);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Text<'a>(&'a [u8]);

/// U+FEFF in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// U+FEFF in UTF-16 of either byte order.
const MARKS_OF_UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// The number of first bytes that show that a text without a mark is UTF-16: four characters.
pub(crate) const PROBE_LEN: usize = 8;

impl<'a> Text<'a> {
    /// The text of the error for UTF-16.
    pub const IS_UTF16: &'static str = "this is UTF-16, as PowerShell writes it; save it as UTF-8";

    /// Takes the text of a file, or its beginning.
    ///
    /// # Errors
    /// [`IS_UTF16`](Self::IS_UTF16) if it begins with the mark of UTF-16, or if every other of its first eight bytes is zero.
    pub fn of(bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> Result<Self, &'static str> {
        let bytes = bytes.as_ref();
        let (pairs, _) = bytes[..bytes.len().min(PROBE_LEN)].as_chunks::<2>();
        let is_zero = |at: usize| pairs.len() > 1 && pairs.iter().all(|pair| pair[at] == 0 && pair[1 - at] != 0);
        if MARKS_OF_UTF16.iter().any(|mark| bytes.starts_with(mark)) || is_zero(0) || is_zero(1) {
            return Err(Self::IS_UTF16);
        }
        Ok(Self(bytes.strip_prefix(MARK).unwrap_or(bytes)))
    }

    /// The ASCII characters at the beginning of a text in UTF-16; `None` for another text.
    pub(crate) fn ascii_of_utf16(start: &[u8]) -> Option<Vec<u8>> {
        let is_ascii = |byte: &u8| !matches!(byte, 0 | 0xfe | 0xff);
        Text::of(start).is_err().then(|| start.iter().copied().filter(is_ascii).collect())
    }

    /// The bytes of the text, without a mark.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text as a string, if all of it is UTF-8.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        str::from_utf8(self.0).ok()
    }

    /// The text without the end of its last line: LF, CRLF or CR.
    #[must_use]
    pub fn without_end(self) -> Self {
        let line = self.0.strip_suffix(b"\n").unwrap_or(self.0);
        Self(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The lines that are not empty, without their ends (LF or CRLF), each with its number from 1.
    pub fn lines(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut rest = self.0;
        let mut number = 0;
        let lines = std::iter::from_fn(move || {
            let line = rest.split_inclusive(|byte| *byte == b'\n').next()?;
            rest = &rest[line.len()..];
            number += 1;
            // A carriage return belongs to a line's end only before a line feed.
            let line = line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
            Some((number, line))
        });
        lines.filter(|(_, line)| !line.is_empty())
    }

    /// The words at the beginning of a line that are UTF-8. A comment in another encoding may follow a key.
    ///
    /// ```
    /// use sealstone::Text;
    ///
    /// assert_eq!(Text::of_line(b"ssh-ed25519 AAAA M\xfcller"), "ssh-ed25519 AAAA ");
    /// assert_eq!(Text::of_line(b"AGE-SECRET-KEY-1\xff"), "");
    /// ```
    #[must_use]
    pub fn of_line(line: &[u8]) -> &str {
        let valid = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if valid.len() == line.len() {
            return valid;
        }
        &valid[..valid.rfind([' ', '\t']).map_or(0, |at| at + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library_without_empty_ones() {
        // Every text of up to 8 of these characters.
        let characters = ['\n', '\r', 'a'];
        for len in 0..=8 {
            for mut number in 0..3_usize.pow(len) {
                let mut text = String::new();
                for _ in 0..len {
                    text.push(characters[number % 3]);
                    number /= 3;
                }
                let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.as_bytes()));
                let expected: Vec<_> = lines.filter(|(_, line)| !line.is_empty()).collect();
                assert_eq!(Text::of(&text).unwrap().lines().collect::<Vec<_>>(), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn utf16_is_told_by_its_mark_or_its_zeros() {
        let utf16 = |text: &str, mark: bool, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.then_some(0xfeff).into_iter().chain(text.encode_utf16()).flat_map(order).collect()
        };
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for text in ["key", "# a comment\n", "a\n"] {
                for mark in [false, true] {
                    let utf16 = utf16(text, mark, order);
                    assert!(Text::of(&utf16).is_err(), "{text:?}");
                    assert_eq!(Text::ascii_of_utf16(&utf16).as_deref(), Some(text.as_bytes()));
                }
            }
            for text in ["", "密", "\n\n"] {
                assert!(Text::of(&utf16(text, true, order)).is_err(), "{text:?}");
            }
        }
        for bytes in [&b""[..], b"a", b"a\0", b"a\0\0\0", b"\0\0\0\0", b"\xef\xbb\xbf", b"a\0b\0c\0dd", b"\xff\xff"] {
            assert!(Text::of(bytes).is_ok(), "{bytes:?}");
        }
    }

    #[test]
    fn a_line_is_cut_before_the_word_that_is_not_utf8_and_nowhere_else() {
        for (line, text) in [
            (&b"key M\xfc"[..], "key "),
            (b"key\tM\xfc of", "key\t"),
            (b"a b", "a b"),
            (b"\xfc key", ""),
            (b"ke\xfcy", ""),
            (b"k \xc3", "k "),
            ("k ü".as_bytes(), "k ü"),
            (b"", ""),
        ] {
            assert_eq!(Text::of_line(line), text, "{line:?}");
        }
    }
}
