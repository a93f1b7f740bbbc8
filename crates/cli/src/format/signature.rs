//! The formats of signatures.

use sealstone::interop::nkcs;
use sealstone::{Error, Result, signature};
use std::str::FromStr;

/// A format of detached signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureFormat {
    Ssh,
    Nkcs,
}

impl SignatureFormat {
    pub(crate) const NAMES: &'static [&'static str] = &["ssh", "nkcs"];

    /// Whether these bytes have the form of a detached signature, valid or not.
    pub(crate) fn is_signature(self, bytes: &[u8]) -> bool {
        match self {
            Self::Ssh => signature::claims(bytes).is_ok(),
            Self::Nkcs => nkcs::kind(bytes).is_ok(),
        }
    }
}

impl FromStr for SignatureFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "ssh" => Ok(Self::Ssh),
            "nkcs" => Ok(Self::Nkcs),
            _ => Err(Error::unknown_algorithm(name, "ssh, nkcs")),
        }
    }
}
