//! The text around a blob (spec/signature.md section 4).

use crate::error::{Error, Result, SignatureForm};
use base64ct::{Base64, Encoding};

const BEGIN: &[u8] = b"-----BEGIN SSH SIGNATURE-----";
const END: &[u8] = b"-----END SSH SIGNATURE-----";
/// Columns of a body line that is written, and of one that is read at the most.
const COLUMNS: usize = 70;
const COLUMNS_MAX: usize = 76;
/// Bytes of a signature at the most, its line ends among them.
pub const MAX_LEN: usize = 16_384;

/// The text of a blob, with LF behind every line.
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

/// The blob of a signature that has the whole input to itself, or of one behind content, where every line ends with LF alone.
pub(super) fn read(text: &[u8], form: SignatureForm) -> Result<Vec<u8>> {
    let malformed = |rule| Err(Error::MalformedSignature(rule));
    let line_end = |rest: &[u8]| match (form, rest) {
        (_, [b'\n', ..]) => Some(1),
        (SignatureForm::Detached, [b'\r', b'\n', ..]) => Some(2),
        _ => None,
    };
    let rest = text.strip_prefix(BEGIN).ok_or(Error::NotASignature(form))?;
    if text.len() > MAX_LEN {
        return malformed("it has over 16,384 bytes (section 4.1)");
    }
    let Some(len) = line_end(rest) else {
        return malformed("a line end stands right behind the BEGIN line (section 4.1)");
    };
    let (mut rest, mut body) = (&rest[len..], Vec::with_capacity(text.len()));
    let behind = loop {
        if let Some(behind) = rest.strip_prefix(END) {
            break behind;
        }
        let columns = rest.iter().take_while(|byte| is_base64(**byte)).count();
        let (line, end) = rest.split_at(columns);
        let Some(len) = line_end(end).filter(|_| (1..=COLUMNS_MAX).contains(&columns)) else {
            return malformed(
                "body lines have 1 to 76 characters of base64, and an END line stands behind them (section 4.1)",
            );
        };
        body.extend_from_slice(line);
        rest = &end[len..];
    };
    let is_the_end = match form {
        SignatureForm::Detached => behind.is_empty() || line_end(behind) == Some(behind.len()),
        _ => behind == b"\n",
    };
    if !is_the_end {
        return malformed("nothing stands behind the END line but its line end (section 4.1)");
    }
    let body = String::from_utf8(body).expect("armour: base64 is ASCII");
    match Base64::decode_vec(&body) {
        Ok(blob) if !blob.is_empty() => Ok(blob),
        _ => malformed("the body is canonical base64 with padding (section 4.1)"),
    }
}

/// Where the signature begins that stands behind content, in the last [`MAX_LEN`] bytes of a file.
pub(super) fn begin(tail: &[u8]) -> Result<usize> {
    let line = [BEGIN, b"\n"].concat();
    let found = tail.windows(line.len()).rposition(|part| part == line);
    found.ok_or(Error::NotASignature(SignatureForm::Attached))
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
