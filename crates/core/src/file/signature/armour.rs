//! The armour of a blob (spec/signature.md section 4).

use crate::error::{Error, Result, SignatureForm};
use crate::format::armour::{Label, Tolerance, dearmour, is_armour, trim_blanks};
use crate::text::Text;
use base64ct::{Base64, Encoding};

const LABEL: Label = Label { begin: BEGIN, end: END, others: &[], tolerance: Tolerance::Text };
const BEGIN: &[u8] = b"-----BEGIN SSH SIGNATURE-----";
const END: &[u8] = b"-----END SSH SIGNATURE-----";
/// Columns of a body line in the output.
const COLUMNS: usize = 70;
/// The most bytes of a signature, including its line ends.
pub const MAX_LEN: usize = 16_384;

/// Armours a blob, with LF behind every line.
pub(super) fn write(blob: &[u8]) -> String {
    let base64 = Base64::encode_string(blob);
    let mut text = [BEGIN, b"\n"].concat();
    for line in base64.as_bytes().chunks(COLUMNS) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text.extend_from_slice(END);
    text.push(b'\n');
    String::from_utf8(text).expect("armour: it is ASCII")
}

/// Reads the blob of a detached signature.
pub(super) fn read(text: &[u8]) -> Result<Vec<u8>> {
    if !is_armour(LABEL, &text[..text.len().min(MAX_LEN)]) {
        return Err(Error::NotASignature(SignatureForm::Detached));
    }
    Text::of(text).map_err(Error::MalformedSignature)?;
    if text.len() > MAX_LEN {
        return Err(Error::MalformedSignature("it has over 16,384 bytes (section 4.1)"));
    }
    dearmour(LABEL, text).map_err(|error| match error {
        Error::MalformedArmour(why) => Error::MalformedSignature(why),
        error => error,
    })
}

/// Reads the blob of an attached signature. `text` is the file from its BEGIN line on.
pub(super) fn read_behind(text: &[u8]) -> Result<Vec<u8>> {
    let mut lines = text.strip_suffix(b"\n").unwrap_or_default().split(|byte| *byte == b'\n');
    let is_bare = |line: &[u8]| !line.is_empty() && trim_blanks(line) == line;
    if lines.next_back() != Some(END) || !lines.all(|line| is_bare(line) && line != END) {
        return Err(Error::MalformedSignature(
            "after content, only base64 may be between the BEGIN and END lines, and nothing after them (section 4.2)",
        ));
    }
    read(text)
}

/// Finds the BEGIN line of an attached signature in the last [`MAX_LEN`] bytes of a file.
pub(super) fn find_begin(tail: &[u8]) -> Result<usize> {
    let line = [BEGIN, b"\n"].concat();
    let found = tail.windows(line.len()).rposition(|part| part == line);
    found.ok_or(Error::NotASignature(SignatureForm::Attached))
}
