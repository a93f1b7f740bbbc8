//! FISE: envelopes and frames that hide data from a glance (`spec/fise-frames.md`). **This does not encrypt.** Whoever has an envelope can find
//! out its rules and open it, and nothing here detects changes that somebody makes on purpose.
//!
//! The rules are a [`Profile`], which is data: programs in other languages that have the same JSON read and write the same envelopes. The
//! default rules write the envelopes of FISE 0.1.5.
//!
//! ```
//! use sealstone::interop::fise::Profile;
//!
//! let profile = Profile::from_json(r#"{"fise": 1, "salt": {"place": "interleaved"}, "decoys": {"every": 16}}"#)?;
//! let envelope = profile.encode_text("not a secret", 29_400_000)?;
//! assert!(!envelope.contains("secret"));
//! assert_eq!(profile.decode_text(&envelope, 29_400_000)?, "not a secret");
//! # Ok::<(), sealstone::interop::fise::Error>(())
//! ```

mod envelope;
mod profile;
mod seed;

pub use profile::Profile;

/// The greatest timestamp, 2^53 - 1, which is also the greatest integer that JavaScript has exactly. The least is its negative.
pub const TIMESTAMP_MAX: i64 = (1 << 53) - 1;

/// Why a profile, an envelope or a stream of frames is refused.
///
/// ```
/// use sealstone::interop::fise::{Error, Profile};
///
/// let error = Profile::from_json("{}").unwrap_err();
/// assert_eq!((error.code(), error.to_string()), ("fise_rules", "the profile needs fise: 1".to_owned()));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A profile breaks a rule, or is not for this data.
    #[error("{0}")]
    Rules(String),
    /// Nothing in an envelope fits the profile and the timestamp.
    #[error("nothing in this envelope fits the rules and the timestamp")]
    NoSalt,
    /// Something fits, and no writer made what it leads to.
    #[error("the envelope has a marker, and no writer made what it leads to")]
    NoMarker,
    /// An envelope can be read in more than one way.
    #[error("the envelope can be read in more than one way")]
    Ambiguous,
    /// The error of a part of this crate that knows no envelopes.
    #[error(transparent)]
    Core(#[from] crate::Error),
}

/// The result of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The code of this error, which never changes, and is the same in every language and in the vectors.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Rules(_) => "fise_rules",
            Self::NoSalt => "fise_no_salt",
            Self::NoMarker => "fise_no_marker",
            Self::Ambiguous => "fise_ambiguous",
            Self::Core(error) => error.code(),
        }
    }
}

#[cfg(test)]
mod tests;
