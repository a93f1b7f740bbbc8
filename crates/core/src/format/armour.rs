//! ASCII armour: a file or a message as text (format section 11).

use crate::encoding::{decode_base64_into, encode_base64_into};
use crate::error::{Error, Result};
use crate::text::{self, Text};
use std::borrow::Cow;
use std::io::{self, Read, Write};

/// The lines around the base64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    pub(crate) begin: &'static [u8],
    pub(crate) end: &'static [u8],
    /// The beginnings of all lines that begin sealed data. The first such line of a text decides what the text is.
    pub(crate) others: &'static [&'static [u8]],
    pub(crate) tolerance: Tolerance,
}

impl Label {
    /// Whether a line begins sealed data.
    fn has_begin(self, line: &[u8]) -> bool {
        line.starts_with(self.begin) || self.others.iter().any(|other| line.starts_with(other))
    }
}

/// The deviations from a writer's text that a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// CRLF, and a last line without an end.
    LineEnds,
    /// The changes that mail, editors and people make to lines (section 11), but no other text around them, which would be lost
    /// when the file is replaced.
    Alone,
    /// The same changes, and other text around the lines.
    Text,
}

pub(crate) const FILE: Label =
    Label { begin: BEGIN, end: b"-----END SEALSTONE FILE-----", others: SEALED, tolerance: Tolerance::Text };
pub(crate) const FILE_ALONE: Label = Label { tolerance: Tolerance::Alone, ..FILE };
pub(crate) const MESSAGE: Label =
    Label { begin: BEGIN_MESSAGE, end: b"-----END SEALSTONE MESSAGE-----", others: SEALED, tolerance: Tolerance::Text };
/// The beginnings of lines that begin sealed data (section 11).
const SEALED: &[&[u8]] = &[
    b"-----BEGIN SEALSTONE FILE",
    b"-----BEGIN SEALSTONE MESSAGE",
    b"-----BEGIN AGE ENCRYPTED FILE",
    b"age-encryption.org/",
];
pub(crate) const BEGIN: &[u8] = b"-----BEGIN SEALSTONE FILE-----";
pub(crate) const BEGIN_MESSAGE: &[u8] = b"-----BEGIN SEALSTONE MESSAGE-----";
/// Columns of a body line that a writer writes, and the bytes that they encode.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;
/// The most columns of a body line that a reader accepts.
const COLUMNS_MAX: usize = 76;
/// The reader looks for the BEGIN line in this many bytes.
const LOOK_LEN: usize = 1 << 16;
/// The most bytes of a line that the decoder keeps. No line of armour is longer.
const KEPT_LEN: usize = 128;
/// Lines that the encoder encodes at once.
const LINES: usize = 512;
/// Characters that `Dearmour` decodes at once.
const TEXT_LEN: usize = 64 << 10;

/// Armours a file that comes in parts of any length, without I/O.
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
    has_begun: bool,
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
        Self { label, has_begun: false, pending: Vec::with_capacity(LINES * LINE_LEN) }
    }

    /// Takes more bytes, and appends complete lines to `out`. It holds back the last line until `finish`, so that no line is
    /// empty.
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
        if !self.has_begun {
            out.extend_from_slice(self.label.begin);
            out.push(b'\n');
            self.has_begun = true;
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

/// A writer that armours all bytes written to it.
pub(crate) struct Armour<'a> {
    writer: &'a mut (dyn Write + Send),
    encoder: ArmourEncoder,
    text: Vec<u8>,
}

impl<'a> Armour<'a> {
    pub(crate) fn new(label: Label, writer: &'a mut (dyn Write + Send)) -> Self {
        Self { writer, encoder: ArmourEncoder::with_label(label), text: Vec::new() }
    }

    /// Writes the last line and the end.
    pub(crate) fn finish(mut self) -> io::Result<()> {
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

/// Decodes armour that comes in parts of any length, without I/O. Other text may surround it, as section 11 of the format
/// allows.
///
/// See [`ArmourEncoder`].
///
/// ```
/// use sealstone::{ArmourDecoder, Encryptor, Identity, Kind, is_armoured};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let text = Encryptor::new([recipient]).armour(true).encrypt(b"attack at dawn")?;
/// let mail = [b"Read this:\r\n\r\n", &text[..], b"-- \r\nAlice\r\n"].concat();
/// let len = ArmourDecoder::look_len(&mail[..ArmourDecoder::START_LEN]).min(mail.len());
/// assert!(is_armoured(&mail[..len]));
/// let (mut decoder, mut file) = (ArmourDecoder::new(), Vec::new());
/// for part in mail.chunks(100) {
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
    /// The beginning of the next line: up to [`KEPT_LEN`] bytes, and one more if the line is longer.
    line: Vec<u8>,
    /// The up to three characters of body lines that are not yet a group of four.
    quad: Vec<u8>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Before the first bytes are complete, which tell whether the text is UTF-16. `line` keeps them.
    Start,
    /// Before the BEGIN line, after this many bytes.
    Begin(usize),
    /// Before the first body line.
    First,
    Body,
    /// After the last body line.
    Last,
    Ended,
    Refused(&'static str),
}

impl Default for ArmourDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ArmourDecoder {
    /// The number of bytes at the start of a file that usually suffice to tell whether it is armour; see
    /// [`look_len`](Self::look_len).
    pub const START_LEN: usize = BEGIN_MESSAGE.len();

    /// Begins to decode the armour of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::with_label(FILE)
    }

    /// Begins to decode armour without other text around it. Use it before you replace the file, since other text would be
    /// lost.
    #[must_use]
    pub fn alone() -> Self {
        Self::with_label(FILE_ALONE)
    }

    pub(crate) fn with_label(label: Label) -> Self {
        let state = match label.tolerance {
            Tolerance::LineEnds => State::Begin(0),
            Tolerance::Alone | Tolerance::Text => State::Start,
        };
        Self { label, line: Vec::new(), quad: Vec::new(), state }
    }

    /// The number of bytes that [`is_armoured`] needs from a file with this start: [`START_LEN`](Self::START_LEN), or 65,536 if
    /// those do not suffice.
    #[must_use]
    pub fn look_len(start: &[u8]) -> usize {
        if FILE.has_begin(start) || !may_be_text(start) { Self::START_LEN } else { LOOK_LEN }
    }

    /// Takes more text, and appends the bytes of its complete lines to `out`.
    ///
    /// # Errors
    /// [`Error::MalformedArmour`], and again from every later call.
    pub fn update(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let result = match self.state {
            State::Refused(why) => Err(why),
            _ => self.take(text, out),
        };
        result.map_err(|why| {
            self.state = State::Refused(why);
            Error::MalformedArmour(why)
        })
    }

    /// Ends the text, whose last line needs no line end.
    ///
    /// # Errors
    /// [`Error::MalformedArmour`]; the file is then incomplete.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, false, out).map_err(Error::MalformedArmour)?;
        }
        Err(Error::MalformedArmour(match self.state {
            State::Ended => return Ok(()),
            State::Refused(why) => why,
            State::Start | State::Begin(_) => NO_BEGIN,
            _ => "the END line is missing",
        }))
    }

    fn take(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> LineResult {
        while !text.is_empty() {
            if self.state == State::Start {
                let (now, rest) = text.split_at(text.len().min(text::PROBE_LEN - self.line.len()));
                self.line.extend_from_slice(now);
                text = rest;
                if self.line.len() == text::PROBE_LEN {
                    self.take_start(out)?;
                }
                continue;
            }
            if let Some(rest) = self.take_usual_line(text, out) {
                text = rest;
                continue;
            }
            // The BEGIN line has to come within LOOK_LEN bytes.
            let within = match self.state {
                State::Begin(before) if self.is_skipped() => LOOK_LEN - before,
                _ => text.len(),
            };
            if within == 0 {
                return Err(NO_BEGIN);
            }
            let now = &text[..text.len().min(within)];
            let end = now.iter().position(|byte| *byte == b'\n');
            let now = &now[..end.unwrap_or(now.len())];
            let len = now.len() + usize::from(end.is_some());
            text = &text[len..];
            if let State::Begin(before) = &mut self.state {
                *before = (*before + len).min(LOOK_LEN);
            }
            if end.is_some() && self.line.is_empty() {
                self.take_line(now, true, out)?;
                continue;
            }
            self.keep(now);
            if end.is_some() || self.line.len() > KEPT_LEN && !self.is_skipped() {
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, end.is_some(), out)?;
                self.line = line;
                self.line.clear();
            }
        }
        Ok(())
    }

    /// Decodes a full body line if the text begins with one, and returns the text behind it. Most lines are full, and need no
    /// search for their end.
    fn take_usual_line<'a>(&mut self, text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
        let (line, rest) = text.split_first_chunk::<COLUMNS>()?;
        let rest = rest.strip_prefix(b"\n")?;
        let is_begun = matches!(self.state, State::First | State::Body) && self.line.is_empty() && self.quad.is_empty();
        let mut decoded = [0; LINE_LEN];
        if !is_begun || decode_base64_into(line, &mut decoded).ok()? < LINE_LEN {
            return None;
        }
        out.extend_from_slice(&decoded);
        self.state = State::Body;
        Some(rest)
    }

    /// Checks the encoding by the first bytes, then takes them.
    fn take_start(&mut self, out: &mut Vec<u8>) -> LineResult {
        let start = std::mem::take(&mut self.line);
        let text = Text::of(&start)?.bytes();
        if !may_be_text(&start) {
            return Err(NO_BEGIN);
        }
        self.state = State::Begin(start.len() - text.len());
        self.take(text, out)
    }

    /// Keeps a limited part of a line, so that memory does not grow with the input.
    fn keep(&mut self, part: &[u8]) {
        let is_tolerant = self.is_tolerant();
        let part = if is_tolerant && self.line.is_empty() { trim_blanks_start(part) } else { part };
        let (kept, rest) = part.split_at(part.len().min(KEPT_LEN.saturating_sub(self.line.len())));
        self.line.extend_from_slice(kept);
        if self.line.len() == KEPT_LEN {
            self.line.extend(rest.iter().find(|byte| !(is_tolerant && is_blank(**byte))));
        }
    }

    fn is_tolerant(&self) -> bool {
        self.label.tolerance != Tolerance::LineEnds
    }

    /// Whether the current line, judged by its beginning, is other text around the armour.
    fn is_skipped(&self) -> bool {
        self.is_tolerant()
            && matches!(self.state, State::Begin(_) | State::Ended)
            && !self.line.starts_with(self.label.begin)
    }

    fn take_line(&mut self, line: &[u8], is_ended: bool, out: &mut Vec<u8>) -> LineResult {
        let Label { begin, end, tolerance, .. } = self.label;
        let (line, is_tolerant) = match tolerance {
            Tolerance::Alone | Tolerance::Text => (trim_blanks(line), true),
            Tolerance::LineEnds if is_ended => (line.strip_suffix(b"\r").unwrap_or(line), false),
            Tolerance::LineEnds => (line, false),
        };
        self.state = match self.state {
            State::Begin(_) if line == begin => State::First,
            State::Begin(_) if line.starts_with(begin) || !is_tolerant => return Err("the BEGIN line is damaged"),
            State::Ended if !is_tolerant => return Err("there are other lines after the END line"),
            State::Begin(_) if self.label.has_begin(line) => return Err("there is other sealed data before it"),
            State::Ended if self.label.has_begin(line) => return Err("there is other sealed data after it"),
            State::Begin(_) | State::Ended if tolerance == Tolerance::Alone && !line.is_empty() => {
                return Err("there is other text around it, which would be lost");
            }
            State::Start | State::Begin(_) | State::Ended | State::Refused(_) => return Ok(()),
            _ if line.is_empty() && is_tolerant => return Ok(()),
            State::First if line == end => return Err("there is no base64 before the END line"),
            _ if line == end && self.quad.is_empty() => State::Ended,
            _ if line == end => return Err("the base64 is cut short, or its padding is missing"),
            _ if line.starts_with(b"-") => return Err("the END line is damaged"),
            State::Last if is_tolerant => return Err("the base64 continues after its padding"),
            State::Last => return Err("a line before the last is not 64 columns long"),
            State::First | State::Body => self.decode(line, out)?,
        };
        Ok(())
    }

    /// Decodes one body line to `out`; returns the next state.
    fn decode(&mut self, line: &[u8], out: &mut Vec<u8>) -> LineResult<State> {
        const NOT_BASE64: &str = "a line is not canonical base64";
        let is_tolerant = self.is_tolerant();
        if line.is_empty() || line.len() > if is_tolerant { COLUMNS_MAX } else { COLUMNS } {
            return Err(if is_tolerant { "a line is over 76 columns" } else { "a line is empty or over 64 columns" });
        }
        let joined;
        let text = if self.quad.is_empty() {
            line
        } else {
            joined = [&self.quad, line].concat();
            &joined
        };
        let (whole, rest) = text.split_at(if is_tolerant { text.len() / 4 * 4 } else { text.len() });
        let mut decoded = [0; COLUMNS_MAX / 4 * 3];
        let len = decode_base64_into(whole, &mut decoded).map_err(|_| NOT_BASE64)?;
        let is_last = len < whole.len() / 4 * 3;
        if is_last && !rest.is_empty() {
            return Err(NOT_BASE64);
        }
        out.extend_from_slice(&decoded[..len]);
        self.quad.clear();
        self.quad.extend_from_slice(rest);
        Ok(if is_last || !is_tolerant && len < LINE_LEN { State::Last } else { State::Body })
    }
}

/// A result whose error says what is wrong with the armour.
type LineResult<T = ()> = std::result::Result<T, &'static str>;

const NO_BEGIN: &str = "there is no BEGIN line in its first 65,536 bytes";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn trim_blanks_start(line: &[u8]) -> &[u8] {
    let at = line.iter().position(|byte| !is_blank(*byte));
    &line[at.unwrap_or(line.len())..]
}

pub(crate) fn trim_blanks(line: &[u8]) -> &[u8] {
    let line = trim_blanks_start(line);
    let last = line.iter().rposition(|byte| !is_blank(*byte));
    &line[..last.map_or(0, |last| last + 1)]
}

/// Whether an input may be text, judged by its first bytes. Text does not begin with a control character, unless that is half a
/// character of UTF-16. Binary files and messages are no text, and neither are files of nkCryptoTool.
fn may_be_text(start: &[u8]) -> bool {
    if start.starts_with(b"NKCT") {
        return false;
    }
    match start.first() {
        None | Some(0x89 | 0xa6) => false,
        Some(b'\t' | b'\n' | b'\r') => true,
        Some(first) => !first.is_ascii_control() || Text::of(start).is_err(),
    }
}

/// A reader of the bytes that another reader's armour encodes.
pub(crate) struct Dearmour<R> {
    reader: R,
    text: Vec<u8>,
    /// `None` after the end.
    decoder: Option<ArmourDecoder>,
    bytes: Vec<u8>,
    at: usize,
    /// A fault of the text, reported once the bytes before it are read.
    fault: Option<Error>,
}

impl<R: Read> Dearmour<R> {
    pub(crate) fn new(label: Label, reader: R) -> Self {
        let (text, bytes) = (vec![0; TEXT_LEN], Vec::with_capacity(TEXT_LEN));
        Self { reader, text, decoder: Some(ArmourDecoder::with_label(label)), bytes, at: 0, fault: None }
    }

    /// Decodes the text of the next read; `false` after the end. Bytes before a fault come before its error, so the result does
    /// not depend on the length of the reads.
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

/// Whether a file with this start is ASCII armour (format section 11), valid or not. The first
/// [`look_len`](ArmourDecoder::look_len) bytes of a file suffice.
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
    is_armour(FILE, start)
}

/// As [`is_armoured`], for any label whose reader accepts text around the armour.
pub(crate) fn is_armour(label: Label, start: &[u8]) -> bool {
    let start = &start[..start.len().min(LOOK_LEN)];
    let has_begin = |text: &[u8]| {
        let mut lines = text.split(|byte| *byte == b'\n').map(trim_blanks_start);
        lines.find(|line| label.has_begin(line)).is_some_and(|line| line.starts_with(label.begin))
    };
    // UTF-16 counts as armour, so that its error names UTF-16.
    may_be_text(start)
        && match Text::of(start) {
            Ok(text) => has_begin(text.bytes()),
            Err(_) => Text::ascii_of_utf16(start).is_some_and(|text| has_begin(&text)),
        }
}

/// Armours bytes in memory.
pub(crate) fn armour(label: Label, file: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(file.len() / LINE_LEN * (COLUMNS + 1) + 128);
    let mut encoder = ArmourEncoder::with_label(label);
    encoder.update(file, &mut text);
    encoder.finish(&mut text);
    text
}

/// The bytes of a file or a message in memory, with or without armour.
pub(crate) fn dearmour_if_armoured(label: Label, file: &[u8]) -> Result<Cow<'_, [u8]>> {
    if is_armour(label, file) { dearmour(label, file).map(Cow::Owned) } else { Ok(Cow::Borrowed(file)) }
}

/// Decodes the armour of a text in memory.
pub(crate) fn dearmour(label: Label, text: &[u8]) -> Result<Vec<u8>> {
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
        for wrong in [&b"\xff\xfe-\0-\0-\0"[..], &b"text ".repeat(15_000), b"-----BEGIN SEALSTONE FILE-----\n....\n"] {
            let mut decoder = ArmourDecoder::new();
            for _ in 0..3 {
                assert_eq!(decoder.update(wrong, &mut Vec::new()).unwrap_err().code(), "malformed_armour");
            }
            assert_eq!(decoder.finish(&mut Vec::new()).unwrap_err().code(), "malformed_armour");
        }
    }

    #[test]
    fn of_a_line_of_any_length_few_bytes_are_kept() {
        let text = String::from_utf8(armour(FILE, b"a file")).unwrap();
        let blanks = " ".repeat(1 << 20);
        let text = text.replace('\n', &format!("{blanks}\n{blanks}")) + &"x".repeat(1 << 20);
        for piece in [1, 1000, 1 << 20] {
            let (mut decoder, mut file) = (ArmourDecoder::new(), Vec::new());
            for part in text.as_bytes().chunks(piece) {
                decoder.update(part, &mut file).unwrap();
                assert!(decoder.line.capacity() <= 2 * KEPT_LEN, "{} bytes", decoder.line.capacity());
            }
            decoder.finish(&mut file).unwrap();
            assert_eq!(file, b"a file");
        }
    }
}
