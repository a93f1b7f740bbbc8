//! Files with one key a line.

use super::{Identity, Recipient};
use crate::error::Result;
use std::str::FromStr;

/// Reads an identity file: one identity a line; empty lines and lines that begin with `#` are skipped.
///
/// ```
/// let text = "# made by hand\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n";
/// assert_eq!(sealstone::parse_identities(text)?.len(), 1);
/// # Ok::<(), sealstone::ListError>(())
/// ```
///
/// # Errors
/// The first line that is not an identity, with its number. An empty list is no error here.
pub fn parse_identities(text: &str) -> Result<Vec<Identity>, ListError> {
    parse(text)
}

/// Reads a recipient file: one recipient a line; empty lines and lines that begin with `#` are skipped.
///
/// ```
/// let text = "# alice\nage13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh\n";
/// assert_eq!(sealstone::parse_recipients(text)?.len(), 1);
/// # Ok::<(), sealstone::ListError>(())
/// ```
///
/// # Errors
/// The first line that is not a recipient, with its number. An empty list is no error here.
pub fn parse_recipients(text: &str) -> Result<Vec<Recipient>, ListError> {
    parse(text)
}

/// A line that could not be read. The line itself is not shown, since it may be a secret.
///
/// ```
/// let error = sealstone::parse_recipients("# friends\nnonsense\n").unwrap_err();
/// assert_eq!((error.line, error.error.code()), (2, "invalid_recipient"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {error}")]
pub struct ListError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub error: crate::Error,
}

fn parse<T: FromStr<Err = crate::Error>>(text: &str) -> Result<Vec<T>, ListError> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(text, line)| text.parse().map_err(|error| ListError { line, error })).collect()
}
