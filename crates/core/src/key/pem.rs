//! PEM (RFC 7468): DER as text. Written strictly; read as files are found, with text around the blocks, CRLF, and lines
//! of any width.

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

pub(super) const PRIVATE_KEY: &str = "PRIVATE KEY";
pub(super) const ENCRYPTED_PRIVATE_KEY: &str = "ENCRYPTED PRIVATE KEY";
pub(super) const PUBLIC_KEY: &str = "PUBLIC KEY";
pub(super) const EC_PRIVATE_KEY: &str = "EC PRIVATE KEY";
pub(super) const EC_PARAMETERS: &str = "EC PARAMETERS";

/// What every block begins with.
pub(super) const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Columns of a line that is written.
const COLUMNS: usize = 64;

/// A part of a text: a block, or a line outside of all blocks.
pub(super) enum Part<'a> {
    Block(Block<'a>),
    Text { line: usize, text: &'a str },
}

/// What stands between a BEGIN line and the END line after it.
pub(super) struct Block<'a> {
    /// `None` when the BEGIN line is damaged.
    pub(super) label: Option<&'a str>,
    /// Of the BEGIN line, counted from 1.
    pub(super) line: usize,
    body: &'a str,
    /// The label of the END line; `None` when there is none, or another BEGIN before it.
    end: Option<&'a str>,
}

/// Why a block cannot be decoded.
pub(super) enum Fault {
    Damaged(&'static str),
    /// Headers of RFC 1421, which RFC 7468 does not have.
    Headers,
}

pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut open: Option<(Block<'_>, usize)> = None;
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let (begins, ends) = (line.starts_with(BEGIN), line.starts_with(END));
        if let Some((mut block, from)) = open.take_if(|_| begins || ends) {
            block.body = &text[from..at];
            block.end = label(line, END);
            parts.push(Part::Block(block));
        } else if open.is_none() && !begins {
            parts.push(Part::Text { line: number, text: line });
        }
        at += line.len();
        if begins {
            open = Some((Block { label: label(line, BEGIN), line: number, body: "", end: None }, at));
        }
    }
    parts.extend(open.map(|(block, _)| Part::Block(block)));
    parts
}

fn label<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    line.trim_end().strip_prefix(start)?.strip_suffix(DASHES)
}

impl Block<'_> {
    pub(super) fn decode(&self) -> Result<Zeroizing<Vec<u8>>, Fault> {
        if self.end.is_none() || self.end != self.label {
            return Err(Fault::Damaged("the END line of the PEM is missing, or of another label"));
        }
        if self.body.contains(':') {
            return Err(Fault::Headers);
        }
        let mut text = Zeroizing::new(String::with_capacity(self.body.len()));
        text.extend(self.body.chars().filter(|c| !c.is_ascii_whitespace()));
        // In constant time, since it may be a secret; the one encoding of its bytes and no other.
        let der = Base64::decode_vec(&text).map(Zeroizing::new);
        der.ok().filter(|der| !der.is_empty()).ok_or(Fault::Damaged("the base64 of the PEM is damaged"))
    }
}

/// One block, with the line end that text files have.
pub(super) fn write(label: &str, der: &[u8]) -> Zeroizing<String> {
    let base64 = Zeroizing::new(Base64::encode_string(der));
    // BEGIN and END line, and a line end for each line.
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
