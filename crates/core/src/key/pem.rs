//! PEM (RFC 7468): DER as text. The writer is strict. The reader accepts text around the blocks, CRLF, and lines of any width.

use super::refusal::Refusal;
use crate::error::{KeyFault, UnsupportedKey};
use crate::password::Passphrase;
use crate::text::Text;
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

pub(super) const PRIVATE_KEY: &str = "PRIVATE KEY";
pub(super) const ENCRYPTED_PRIVATE_KEY: &str = "ENCRYPTED PRIVATE KEY";
pub(super) const PUBLIC_KEY: &str = "PUBLIC KEY";
pub(super) const EC_PRIVATE_KEY: &str = "EC PRIVATE KEY";
/// PKCS#1.
pub(super) const RSA_PRIVATE_KEY: &str = "RSA PRIVATE KEY";
pub(super) const RSA_PUBLIC_KEY: &str = "RSA PUBLIC KEY";
pub(super) const CERTIFICATE: &str = "CERTIFICATE";
/// The label of nkCryptoTool for a key that only a TPM can unwrap.
pub(super) const TPM_BLOB: &str = "TPM WRAPPED BLOB";
/// The only label whose block is not DER.
pub(super) const SSH_PRIVATE_KEY: &str = "OPENSSH PRIVATE KEY";
pub(super) const EC_PARAMETERS: &str = "EC PARAMETERS";
/// The labels of OpenSSL for keys and parameters of SM2's curve.
pub(super) const SM2_PRIVATE_KEY: &str = "SM2 PRIVATE KEY";
pub(super) const SM2_PARAMETERS: &str = "SM2 PARAMETERS";

/// The beginning of every block.
pub(super) const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Columns of a line in the output.
const COLUMNS: usize = 64;

/// A part of a text: a block, or a line outside of all blocks.
pub(super) enum Part<'a> {
    Block(Block<'a>),
    Text { line: usize, text: &'a [u8] },
}

/// A block from a BEGIN line to its END line.
pub(super) struct Block<'a> {
    begin: &'a [u8],
    /// `None` when the BEGIN line is damaged.
    pub(super) label: Option<&'a str>,
    /// The number of the BEGIN line, counted from 1.
    pub(super) line: usize,
    body: &'a [u8],
    /// The label of the END line; `None` without an END line before the next BEGIN line.
    end: Option<&'a str>,
}

/// The parts of a text, in their order.
pub(super) fn parts(text: Text<'_>) -> Parts<'_> {
    Parts { text: text.bytes(), at: 0, line: 0 }
}

pub(super) struct Parts<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Parts<'a> {
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let line = self.text[self.at..].split_inclusive(|byte| *byte == b'\n').next()?;
        self.at += line.len();
        self.line += 1;
        Some(line)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let text = self.next_line()?;
        let line = self.line;
        if !begins(text) {
            return Some(Part::Text { line, text });
        }
        let from = self.at;
        let mut block = Block { begin: text, label: label(text, BEGIN), line, body: b"", end: None };
        loop {
            let before = (self.at, self.line);
            match self.next_line() {
                Some(next) if next.starts_with(END.as_bytes()) => block.end = label(next, END),
                // The current block has no end, and the next block begins here.
                Some(next) if begins(next) => (self.at, self.line) = before,
                Some(_) => continue,
                None => {}
            }
            block.body = &self.text[from..before.0];
            return Some(Part::Block(block));
        }
    }
}

/// Whether a line begins a block.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(BEGIN.as_bytes())
}

fn label<'a>(line: &'a [u8], start: &str) -> Option<&'a str> {
    str::from_utf8(line).ok()?.trim_end().strip_prefix(start)?.strip_suffix(DASHES)
}

impl Block<'_> {
    /// Refuses PEM whose lines are joined to one BEGIN line. The error says how they are joined.
    pub(super) fn check_lines(&self) -> Result<(), UnsupportedKey> {
        let has = |mark: &str| self.begin.windows(mark.len()).any(|part| part == mark.as_bytes());
        match has(END) {
            true if has("\\n") => Err(UnsupportedKey::PemEscaped),
            true => Err(UnsupportedKey::PemOneLine),
            false => Ok(()),
        }
    }

    pub(super) fn decode(&self) -> Result<Zeroizing<Vec<u8>>, Refusal> {
        if self.end.is_none() || self.end != self.label {
            return Err(KeyFault::Other("the END line of the PEM is missing, or has another label").into());
        }
        // Headers belong to RFC 1421; RFC 7468 has none.
        if self.body.contains(&b':') {
            return Err(UnsupportedKey::PemHeaders.into());
        }
        let mut text = Zeroizing::new(Vec::with_capacity(self.body.len()));
        text.extend(self.body.iter().filter(|byte| !byte.is_ascii_whitespace()));
        // The decoder runs in constant time, because the key may be secret, and accepts only canonical base64.
        let mut der = Zeroizing::new(vec![0; text.len()]);
        let len = Base64::decode(&text[..], &mut der).map_or(0, <[u8]>::len);
        der.truncate(len);
        if der.is_empty() { Err(KeyFault::Other("the base64 of the PEM is damaged").into()) } else { Ok(der) }
    }
}

/// Writes a block of PKCS#8. The passphrase selects the label of an encrypted key.
pub(super) fn write_private(der: &[u8], passphrase: Option<&Passphrase>) -> Zeroizing<String> {
    write(if passphrase.is_some() { ENCRYPTED_PRIVATE_KEY } else { PRIVATE_KEY }, der)
}

/// Writes one block, with a line end at its end.
pub(super) fn write(label: &str, der: &[u8]) -> Zeroizing<String> {
    let base64 = Zeroizing::new(Base64::encode_string(der));
    // The base64, its line ends, and the BEGIN and END lines.
    let len = base64.len() + base64.len() / COLUMNS + 2 * (label.len() + BEGIN.len() + DASHES.len()) + 4;
    let mut text = Zeroizing::new(String::with_capacity(len));
    text.extend([BEGIN, label, DASHES, "\n"]);
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(COLUMNS));
        text.extend([line, "\n"]);
        rest = more;
    }
    text.extend([END, label, DASHES, "\n"]);
    text
}
