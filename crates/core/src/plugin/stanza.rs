//! Stanzas of age, the form of a header's recipients and of the commands of plugins.

use crate::encoding::{decode_base64_unpadded, encode_base64_unpadded};
use crate::error::{Error, Result};
use zeroize::Zeroizing;

/// Characters of a full line of a body, and the bytes that they encode.
const COLUMNS: usize = 64;
const LINE_LEN: usize = COLUMNS / 4 * 3;

/// A stanza: a type, arguments and a body.
///
/// ```
/// use sealstone::plugin::Stanza;
///
/// let stanza = Stanza::new("example", ["one"], b"body".to_vec())?;
/// assert_eq!(stanza.to_text(), "-> example one\nYm9keQ\n");
/// assert!(Stanza::new("no spaces", [""; 0], Vec::new()).is_err());
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stanza {
    kind: String,
    arguments: Vec<String>,
    body: Vec<u8>,
}

impl Stanza {
    /// Makes a stanza. The type and each argument have one or more visible ASCII characters.
    ///
    /// # Errors
    /// [`Error::MalformedHeader`].
    pub fn new<A: Into<String>>(kind: &str, arguments: impl IntoIterator<Item = A>, body: Vec<u8>) -> Result<Self> {
        let arguments: Vec<String> = arguments.into_iter().map(Into::into).collect();
        if !is_word(kind) || !arguments.iter().all(|argument| is_word(argument)) {
            return Err(NOT_WORDS);
        }
        Ok(Self { kind: kind.to_owned(), arguments, body })
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The arguments behind the type.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The body, decoded.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn into_parts(self) -> (String, Vec<String>, Vec<u8>) {
        (self.kind, self.arguments, self.body)
    }

    /// The lines of the stanza in a header, each with its end.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("-> {}", self.kind);
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(argument);
        }
        text.push('\n');
        // The last line is the first that is not full; it may be empty.
        let mut lines = self.body.chunks(LINE_LEN).map(encode_base64_unpadded).collect::<Vec<_>>();
        if self.body.len().is_multiple_of(LINE_LEN) {
            lines.push(String::new());
        }
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// Reads the stanza with the first line `line`, without its end. `next` returns the lines behind it, or `None` if no whole
    /// line is there yet; then the result is `None` too.
    pub(crate) fn read<'a>(line: &'a [u8], mut next: impl FnMut() -> Option<&'a [u8]>) -> Result<Option<Self>> {
        let words = line.strip_prefix(b"-> ").ok_or(Error::MalformedHeader("a line begins no stanza (age)"))?;
        let words = std::str::from_utf8(words).map_err(|_| NOT_WORDS)?;
        let (kind, rest) = words.split_once(' ').map_or((words, None), |(kind, rest)| (kind, Some(rest)));
        let mut stanza = Self::new(kind, rest.into_iter().flat_map(|rest| rest.split(' ')), Vec::new())?;
        loop {
            let Some(line) = next() else { return Ok(None) };
            if line.len() > COLUMNS {
                return Err(Error::MalformedHeader("a line of a stanza's body is over 64 columns (age)"));
            }
            // A plugin's commands are stanzas too, and may have a secret.
            let bytes = decode_base64_unpadded(line).map(Zeroizing::new);
            let bytes = bytes.map_err(|_| Error::MalformedHeader("a stanza's body is not base64 (age)"))?;
            stanza.body.extend_from_slice(&bytes);
            if line.len() < COLUMNS {
                return Ok(Some(stanza));
            }
        }
    }
}

const NOT_WORDS: Error =
    Error::MalformedHeader("a stanza's type or argument is empty, or has other than visible ASCII characters (age)");

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic())
}
