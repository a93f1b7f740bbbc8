//! ASCII armour: a file or a message as text (format section 11).

use crate::encoding::{decode_base64_into, encode_base64_into};
use crate::error::{Error, Result};
use std::io::{self, Read, Write};

/// What stands around the base64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    pub(crate) begin: &'static [u8],
    pub(crate) end: &'static [u8],
}

pub(super) const FILE: Label = Label { begin: BEGIN, end: b"-----END SEALSTONE FILE-----" };
pub(super) const MESSAGE: Label = Label { begin: BEGIN_MESSAGE, end: b"-----END SEALSTONE MESSAGE-----" };
pub(super) const BEGIN: &[u8] = b"-----BEGIN SEALSTONE FILE-----";
pub(super) const BEGIN_MESSAGE: &[u8] = b"-----BEGIN SEALSTONE MESSAGE-----";
/// Columns of a body line, and the bytes they stand for.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;
/// Characters of a line with its end.
const LINE_MAX_LEN: usize = COLUMNS + 2;
/// Lines that are encoded at once.
const LINES: usize = 512;
/// Characters that are decoded at once.
const TEXT_LEN: usize = 64 << 10;

/// Makes armour of a file that comes in parts of any length, without I/O.
///
/// ```
/// use sealstone::{ArmourDecoder, ArmourEncoder};
///
/// let (mut text, mut file) = (Vec::new(), Vec::new());
/// let mut encoder = ArmourEncoder::new();
/// encoder.update(b"a file", &mut text);
/// encoder.finish(&mut text);
/// assert!(text.starts_with(b"-----BEGIN SEALSTONE FILE-----\n"));
///
/// let mut decoder = ArmourDecoder::new();
/// decoder.update(&text[..40], &mut file)?;
/// decoder.update(&text[40..], &mut file)?;
/// decoder.finish(&mut file)?;
/// assert_eq!(file, b"a file");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct ArmourEncoder {
    label: Label,
    begun: bool,
    pending: Vec<u8>,
}

impl Default for ArmourEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ArmourEncoder {
    /// Begins the armour of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::with_label(FILE)
    }

    pub(crate) fn with_label(label: Label) -> Self {
        Self { label, begun: false, pending: Vec::with_capacity(LINES * LINE_LEN) }
    }

    /// Takes more bytes and appends the complete lines to `out`. The last line is held back, so that no line is ever empty.
    pub fn update(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        self.begin(out);
        while !bytes.is_empty() {
            if self.pending.len() == LINES * LINE_LEN {
                self.write_lines(out);
            }
            let (now, rest) = bytes.split_at(bytes.len().min(LINES * LINE_LEN - self.pending.len()));
            self.pending.extend_from_slice(now);
            bytes = rest;
        }
    }

    /// Appends the last line and the end.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.begin(out);
        self.write_lines(out);
        out.extend_from_slice(self.label.end);
        out.push(b'\n');
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if !self.begun {
            out.extend_from_slice(self.label.begin);
            out.push(b'\n');
            self.begun = true;
        }
    }

    fn write_lines(&mut self, out: &mut Vec<u8>) {
        out.reserve(LINES * (COLUMNS + 1));
        for line in self.pending.chunks(LINE_LEN) {
            let mut text = [0; COLUMNS];
            let text = &mut text[..line.len().div_ceil(3) * 4];
            encode_base64_into(line, text);
            out.extend_from_slice(text);
            out.push(b'\n');
        }
        self.pending.clear();
    }
}

/// Writes armour around what is written to it.
pub(crate) struct Armour<'a> {
    writer: &'a mut (dyn Write + Send),
    encoder: ArmourEncoder,
    text: Vec<u8>,
}

impl<'a> Armour<'a> {
    pub(super) fn new(label: Label, writer: &'a mut (dyn Write + Send)) -> Self {
        Self { writer, encoder: ArmourEncoder::with_label(label), text: Vec::new() }
    }

    /// Writes the last line and the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.text.clear();
        self.encoder.finish(&mut self.text);
        self.writer.write_all(&self.text)?;
        self.writer.flush()
    }
}

impl Write for Armour<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.clear();
        self.encoder.update(bytes, &mut self.text);
        self.writer.write_all(&self.text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads what armour stands for, which comes in parts of any length, without I/O. Everything but the one text that section 11
/// of the format allows is refused.
///
/// See [`ArmourEncoder`].
///
/// ```
/// use sealstone::{ArmourDecoder, Encryptor, Identity, Kind, is_armoured};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let text = Encryptor::new([recipient]).armour(true).encrypt(b"attack at dawn")?;
/// assert!(is_armoured(&text[..ArmourDecoder::START_LEN]));
/// let (mut decoder, mut file) = (ArmourDecoder::new(), Vec::new());
/// for part in text.chunks(100) {
///     decoder.update(part, &mut file)?;
/// }
/// decoder.finish(&mut file)?;
/// assert!(file.starts_with(b"\x89SEAL"));
///
/// let mut cut = ArmourDecoder::new();
/// cut.update(&text[..150], &mut Vec::new())?;
/// assert_eq!(cut.finish(&mut Vec::new()).unwrap_err().code(), "malformed_armour");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct ArmourDecoder {
    label: Label,
    /// What is there of the next line, with its end.
    line: Vec<u8>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Begin,
    /// The first body line, which cannot be the END line.
    First,
    Body,
    /// A line shorter than 64 columns, or with padding, was the last one.
    Last,
    Ended,
}

impl Default for ArmourDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ArmourDecoder {
    /// Bytes at the start of a file that [`is_armoured`] looks at.
    pub const START_LEN: usize = BEGIN.len();

    /// Begins to read the armour of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::with_label(FILE)
    }

    pub(crate) fn with_label(label: Label) -> Self {
        Self { label, line: Vec::new(), state: State::Begin }
    }

    /// Takes more text and appends the bytes of the complete lines to `out`.
    ///
    /// # Errors
    /// [`Error::MalformedArmour`]; the text ends there.
    pub fn update(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        while !text.is_empty() {
            // A line of ours has at most 64 columns and two characters of line end: memory does not grow with the input.
            let room = &text[..text.len().min(LINE_MAX_LEN - self.line.len())];
            let end = room.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let (now, rest) = text.split_at(end.unwrap_or(room.len()));
            self.line.extend_from_slice(now);
            text = rest;
            if end.is_some() || self.line.len() == LINE_MAX_LEN {
                self.take_line(out)?;
            }
        }
        Ok(())
    }

    /// The end of the text, whose last line needs no end.
    ///
    /// # Errors
    /// [`Error::MalformedArmour`]: then the file is not whole.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.line.is_empty() {
            self.take_line(out)?;
        }
        if self.state == State::Ended { Ok(()) } else { refuse("the END line is missing") }
    }

    fn take_line(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let line = self.line.strip_suffix(b"\n");
        let line = line.map_or(&self.line[..], |line| line.strip_suffix(b"\r").unwrap_or(line));
        match self.state {
            State::Begin if line == self.label.begin => self.state = State::First,
            State::Begin => return refuse("the BEGIN line is damaged"),
            State::First => self.state = decode(line, out)?,
            State::Ended => return refuse("there is something after the END line"),
            _ if line == self.label.end => self.state = State::Ended,
            _ if line.starts_with(b"-") => return refuse("the END line is damaged"),
            State::Body => self.state = decode(line, out)?,
            State::Last => return refuse("a line before the last is not 64 columns long"),
        }
        self.line.clear();
        Ok(())
    }
}

/// Appends what one body line stands for; returns the state behind it.
fn decode(line: &[u8], out: &mut Vec<u8>) -> Result<State> {
    if line.is_empty() || line.len() > COLUMNS {
        return refuse("a line is empty or over 64 columns");
    }
    let mut decoded = [0; LINE_LEN];
    let len = decode_base64_into(line, &mut decoded).or_else(|_| refuse("a line is not canonical base64"))?;
    out.extend_from_slice(&decoded[..len]);
    Ok(if len < LINE_LEN { State::Last } else { State::Body })
}

fn refuse<T>(why: &'static str) -> Result<T> {
    Err(Error::MalformedArmour(why))
}

/// Reads what armour stands for, of a text that can be read.
pub(crate) struct Dearmour<R> {
    reader: R,
    text: Vec<u8>,
    /// `None` behind the end.
    decoder: Option<ArmourDecoder>,
    bytes: Vec<u8>,
    at: usize,
    /// A fault of the text, behind the bytes that came before it.
    fault: Option<Error>,
}

impl<R: Read> Dearmour<R> {
    pub(crate) fn new(label: Label, reader: R) -> Self {
        let (text, bytes) = (vec![0; TEXT_LEN], Vec::with_capacity(TEXT_LEN));
        Self { reader, text, decoder: Some(ArmourDecoder::with_label(label)), bytes, at: 0, fault: None }
    }

    /// Decodes what the next read gives; `false` behind the end. What a fault comes after is given before it, so that it does
    /// not matter how much was read at once.
    fn refill(&mut self) -> io::Result<bool> {
        self.bytes.clear();
        self.at = 0;
        if let Some(fault) = self.fault.take() {
            return Err(fault.into_io());
        }
        let Some(mut decoder) = self.decoder.take() else { return Ok(false) };
        let n = loop {
            match self.reader.read(&mut self.text) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.fault = if n == 0 {
            decoder.finish(&mut self.bytes).err()
        } else {
            let fault = decoder.update(&self.text[..n], &mut self.bytes).err();
            self.decoder = Some(decoder);
            fault
        };
        Ok(true)
    }
}

impl<R: Read> Read for Dearmour<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.bytes.len() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let n = out.len().min(self.bytes.len() - self.at);
        out[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Whether a file that begins so is ASCII armour (format section 11), sound or not.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind, is_armoured};
///
/// let encryptor = Encryptor::new([Identity::generate(Kind::X25519)?.recipient()]);
/// assert!(!is_armoured(&encryptor.encrypt(b"")?));
/// assert!(is_armoured(&encryptor.armour(true).encrypt(b"")?));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[must_use]
pub fn is_armoured(start: &[u8]) -> bool {
    start.starts_with(BEGIN)
}

/// Characters that hold the first `len` bytes of a file, with its longest line ends.
pub(super) fn text_len(len: usize) -> usize {
    BEGIN.len() + 2 + len.div_ceil(LINE_LEN) * LINE_MAX_LEN
}

/// The whole text of what is in memory.
pub(super) fn armour(label: Label, file: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(file.len() / LINE_LEN * (COLUMNS + 1) + 128);
    let mut encoder = ArmourEncoder::with_label(label);
    encoder.update(file, &mut text);
    encoder.finish(&mut text);
    text
}

/// What a text in memory stands for.
pub(super) fn dearmour(label: Label, text: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::with_capacity(text.len() / 4 * 3);
    let mut decoder = ArmourDecoder::with_label(label);
    decoder.update(text, &mut file)?;
    decoder.finish(&mut file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn armour_in_parts_of_any_length_is_that_of_the_whole() {
        let file: Vec<u8> = (0..=250).cycle().take(60_000).collect();
        for len in [0, 1, 47, 48, 49, 96, LINES * LINE_LEN, LINES * LINE_LEN + 1, file.len()] {
            let text = armour(FILE, &file[..len]);
            for piece in [1, 7, 63, 64, 65, 66, 1000] {
                let (mut made, mut read) = (Vec::new(), Vec::new());
                let (mut encoder, mut decoder) = (ArmourEncoder::new(), ArmourDecoder::new());
                file[..len].chunks(piece).for_each(|part| encoder.update(part, &mut made));
                encoder.finish(&mut made);
                assert!(made == text, "{len} bytes by {piece}");
                if len > 0 {
                    text.chunks(piece).for_each(|part| decoder.update(part, &mut read).unwrap());
                    decoder.finish(&mut read).unwrap();
                    assert!(read == file[..len], "{len} bytes by {piece}");
                }
            }
        }
    }

    #[test]
    fn a_fault_of_armour_is_found_again_by_every_later_call() {
        let mut decoder = ArmourDecoder::new();
        for _ in 0..3 {
            assert_eq!(decoder.update(&[b'x'; 200], &mut Vec::new()).unwrap_err().code(), "malformed_armour");
        }
    }
}
