//! Errors of ciphers and modes.

/// A key, nonce, tag or buffer has a length that the mode does not accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidLength;

impl std::fmt::Display for InvalidLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("invalid length")
    }
}

impl std::error::Error for InvalidLength {}

/// A sealed buffer was changed, or the key, nonce or associated data is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAuthentic;

impl std::fmt::Display for NotAuthentic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not authentic")
    }
}

impl std::error::Error for NotAuthentic {}
