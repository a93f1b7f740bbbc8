//! Age's armour: Sealstone's armour with another label, and with lines of white space allowed around it.

use crate::error::{Error, Result};
use crate::format::armour::{Dearmour, Label, Tolerance};
use crate::pipeline::Input;
use crate::text::Text;
use std::io::{self, ErrorKind, Read};

pub(super) const LABEL: Label =
    Label { begin: BEGIN, end: b"-----END AGE ENCRYPTED FILE-----", others: &[], tolerance: Tolerance::LineEnds };
const BEGIN: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
/// Bytes of text that `TrimLines` reads at once.
const PART_LEN: usize = 64 << 10;
/// The most bytes of white space before the armour, as in age's own program.
const BLANKS_MAX: usize = 1024;
/// The beginning that identifies armour in UTF-16, so that its error names UTF-16. In UTF-16 it has as many bytes as BEGIN has.
const BEGIN_OF_UTF16: &[u8] = b"-----BEGIN AGE ";

pub(super) fn begins(start: &[u8]) -> bool {
    let of_utf16 = Text::ascii_of_utf16(&start[..start.len().min(BEGIN.len())]);
    of_utf16.map_or(start.trim_ascii_start().starts_with(BEGIN), |text| text.starts_with(BEGIN_OF_UTF16))
}

/// Whether the input is armour. A stream is read only as far as necessary.
pub(super) fn is_armoured(input: &mut Input<'_>) -> Result<bool> {
    let start = input.head(BEGIN.len())?;
    if !start.first().is_some_and(u8::is_ascii_whitespace) {
        return Ok(begins(start));
    }
    Ok(begins(input.head(BLANKS_MAX + BEGIN.len())?))
}

/// A reader of the file in the armour. White space may surround the armour.
pub(super) fn open<'a>(input: &'a mut Input<'_>) -> Result<impl Read + Send + 'a> {
    Text::of(input.head(BEGIN.len())?).map_err(Error::MalformedArmour)?;
    Ok(Dearmour::new(LABEL, TrimLines::new(input.source(0).into_reader())))
}

/// A reader of a text without the lines of white space before and behind it.
struct TrimLines<R> {
    reader: R,
    /// Whether a character other than white space has come.
    has_begun: bool,
    /// White space that may be the end of the text. Before the text begins, the last byte of the white space.
    blanks: Vec<u8>,
    /// The buffer of the next read.
    rest: Vec<u8>,
    /// The bytes to return next, from `blanks` and `rest`.
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> TrimLines<R> {
    fn new(reader: R) -> Self {
        Self { reader, has_begun: false, blanks: Vec::new(), rest: vec![0; PART_LEN], ready: Vec::new(), at: 0 }
    }

    /// Reads more text; `false` at the end.
    fn refill(&mut self) -> io::Result<bool> {
        (self.at, self.ready) = (0, Vec::new());
        let n = loop {
            match self.reader.read(&mut self.rest) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        if n == 0 {
            // White space in lines of its own is dropped. On the last line of the text it is not, so that it is refused.
            if self.has_begun && !matches!(self.blanks[..], [] | [b'\n', ..] | [b'\r', b'\n', ..]) {
                self.ready = std::mem::take(&mut self.blanks);
            }
            return Ok(!self.ready.is_empty());
        }
        let mut part = &self.rest[..n];
        if !self.has_begun {
            let text = part.trim_ascii_start();
            self.blanks.extend(part[..part.len() - text.len()].last());
            self.blanks.drain(..self.blanks.len().saturating_sub(1));
            part = text;
            if part.is_empty() {
                return Ok(true);
            }
            self.has_begun = true;
            if self.blanks == b"\n" {
                self.blanks.clear();
            }
        }
        let text = part.trim_ascii_end();
        let blanks = &part[text.len()..];
        if !text.is_empty() {
            self.ready.append(&mut self.blanks);
            self.ready.extend_from_slice(text);
        } else if self.blanks.len() > PART_LEN {
            // This is longer than any allowed white space, so it is passed on and refused.
            self.ready.append(&mut self.blanks);
        }
        self.blanks.extend_from_slice(blanks);
        Ok(true)
    }
}

impl<R: Read> Read for TrimLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let n = out.len().min(self.ready.len() - self.at);
        out[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = out.len().min(1);
            self.0.read(&mut out[..len])
        }
    }

    #[test]
    fn lines_of_white_space_are_left_out_around_a_text_and_nowhere_else() {
        for (text, expected) in [
            ("", ""),
            (" \n\t\n", ""),
            ("a\nb\n", "a\nb"),
            ("a\r\n\r\nb\r\n \r\n\t", "a\r\n\r\nb"),
            ("\n \na", "a"),
            (" a", " a"),
            ("\n a", " a"),
            ("a ", "a "),
            ("a \n", "a \n"),
            ("a\r", "a\r"),
        ] {
            let (mut whole, mut dripped) = (String::new(), String::new());
            TrimLines::new(text.as_bytes()).read_to_string(&mut whole).unwrap();
            TrimLines::new(Drip(text.as_bytes())).read_to_string(&mut dripped).unwrap();
            assert_eq!((&*whole, &*dripped), (expected, expected), "{text:?}");
        }
    }

    #[test]
    fn white_space_without_end_takes_no_memory() {
        let mut endless = TrimLines::new(io::repeat(b' ').take(1 << 24).chain(&b"a"[..]));
        endless.read_exact(&mut [0; 2]).unwrap();
        assert!(endless.blanks.capacity() <= 2 * PART_LEN);
        let mut behind = TrimLines::new(b"a".chain(io::repeat(b'\n').take(1 << 24)));
        io::copy(&mut behind, &mut io::sink()).unwrap();
        assert!(behind.blanks.capacity() <= 4 * PART_LEN);
    }
}
