//! ASCII armour: a file or a message as text (format section 11).

use crate::error::{Error, Result};
use data_encoding::BASE64;
use std::io::{self, BufRead, BufReader, Read, Write};

/// What stands around the base64.
#[derive(Clone, Copy)]
pub(super) struct Label {
    begin: &'static [u8],
    end: &'static [u8],
}

pub(super) const FILE: Label = Label { begin: BEGIN, end: b"-----END SEALSTONE FILE-----" };
pub(super) const MESSAGE: Label = Label { begin: BEGIN_MESSAGE, end: b"-----END SEALSTONE MESSAGE-----" };
pub(super) const BEGIN: &[u8] = b"-----BEGIN SEALSTONE FILE-----";
pub(super) const BEGIN_MESSAGE: &[u8] = b"-----BEGIN SEALSTONE MESSAGE-----";
/// Columns of a body line, and the bytes they stand for.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;
/// Lines that are encoded or decoded at once.
const LINES: usize = 512;

/// Writes armour around what is written to it.
pub(super) struct Armour<'a> {
    writer: &'a mut (dyn Write + Send),
    label: Label,
    pending: Vec<u8>,
}

impl<'a> Armour<'a> {
    pub(super) fn new(label: Label, writer: &'a mut (dyn Write + Send)) -> io::Result<Self> {
        writer.write_all(label.begin)?;
        writer.write_all(b"\n")?;
        Ok(Self { writer, label, pending: Vec::with_capacity(LINES * LINE_LEN) })
    }

    /// Writes the last line and the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_lines()?;
        self.writer.write_all(self.label.end)?;
        self.writer.write_all(b"\n")?;
        self.writer.flush()
    }

    fn write_lines(&mut self) -> io::Result<()> {
        let mut text = String::with_capacity(LINES * (COLUMNS + 1));
        for line in self.pending.chunks(LINE_LEN) {
            BASE64.encode_append(line, &mut text);
            text.push('\n');
        }
        self.pending.clear();
        self.writer.write_all(text.as_bytes())
    }
}

impl Write for Armour<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Lines are written only when there is more behind them, so that `finish` never has an empty one.
        if self.pending.len() == LINES * LINE_LEN {
            self.write_lines()?;
        }
        let n = bytes.len().min(LINES * LINE_LEN - self.pending.len());
        self.pending.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads what armour stands for. Everything but the one text that section 11 allows is refused.
pub(super) struct Dearmour<R> {
    label: Label,
    reader: BufReader<R>,
    line: Vec<u8>,
    bytes: Vec<u8>,
    at: usize,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Begin,
    /// The first body line, which cannot be the END line.
    First,
    Body,
    /// A line shorter than 64 columns, or with padding, was the last one.
    Last,
    Ended,
}

impl<R: Read> Dearmour<R> {
    pub(super) fn new(label: Label, reader: R) -> Self {
        Self {
            label,
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            bytes: Vec::with_capacity(LINES * LINE_LEN),
            at: 0,
            state: State::Begin,
        }
    }

    /// Reads one line without its end; `false` at the end of the input.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        // A line of ours has at most 64 columns and two characters of line end: memory does not grow with the input.
        let read = (&mut self.reader).take(COLUMNS as u64 + 2).read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        Ok(read > 0)
    }

    /// Decodes the next lines.
    fn refill(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.at = 0;
        while self.bytes.len() < LINES * LINE_LEN && self.state != State::Ended {
            if !self.next_line()? {
                return Err(refuse("the END line is missing"));
            }
            match self.state {
                State::Begin if self.line == self.label.begin => self.state = State::First,
                State::Begin => return Err(refuse("the BEGIN line is damaged")),
                State::First => self.decode()?,
                _ if self.line.starts_with(b"-") => return self.end(),
                State::Body => self.decode()?,
                State::Last | State::Ended => return Err(refuse("a line before the last is not of 64 columns")),
            }
        }
        Ok(())
    }

    fn decode(&mut self) -> io::Result<()> {
        if self.line.is_empty() || self.line.len() > COLUMNS {
            return Err(refuse("a line is empty or over 64 columns"));
        }
        let decoded = BASE64.decode(&self.line).map_err(|_| refuse("a line is not canonical base64"))?;
        // The library takes padding inside a line too, as if two texts were joined; the format has one text.
        if BASE64.encode_len(decoded.len()) != self.line.len() || BASE64.encode(&decoded).as_bytes() != self.line {
            return Err(refuse("a line is not canonical base64"));
        }
        self.state = if decoded.len() < LINE_LEN { State::Last } else { State::Body };
        self.bytes.extend_from_slice(&decoded);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if self.line != self.label.end {
            return Err(refuse("the END line is damaged"));
        }
        self.state = State::Ended;
        if self.next_line()? {
            return Err(refuse("there is something after the END line"));
        }
        Ok(())
    }
}

fn refuse(why: &'static str) -> io::Error {
    Error::MalformedArmour(why).into_io()
}

impl<R: Read> Read for Dearmour<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.bytes.len() {
            if self.state == State::Ended {
                return Ok(0);
            }
            self.refill()?;
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

/// The whole text of what is in memory.
pub(super) fn armour(label: Label, file: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(file.len() / LINE_LEN * (COLUMNS + 1) + 128);
    let mut writer = Armour::new(label, &mut text).expect("armour: memory can be written");
    writer.write_all(file).and_then(|()| writer.finish()).expect("armour: memory can be written");
    text
}

/// What a text in memory stands for.
pub(super) fn dearmour(label: Label, text: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::with_capacity(text.len() / 4 * 3);
    Dearmour::new(label, text).read_to_end(&mut file).map_err(|error| Error::from_io("read", None, error))?;
    Ok(file)
}
