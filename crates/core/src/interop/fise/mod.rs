//! FISE: envelopes and frames that hide data from a glance (`spec/fise-frames.md`). **This does not encrypt.** Whoever has an envelope can find
//! out its rules and open it, and nothing here detects changes that somebody makes on purpose.
//!
//! The rules are a [`Profile`], which is data: programs in other languages that have the same JSON read and write the same envelopes. The
//! default rules write the envelopes of FISE 0.1.5. [`FrameEncoder`] hides a stream of any length, of which [`FrameReader`] reads any part;
//! [`FileFrames`] does both with files.
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
mod files;
mod frames;
mod profile;
mod seed;
mod validation;

pub use envelope::DATA_LIMIT;
pub use files::FileFrames;
pub use frames::{FRAME_LEN, FRAME_LEN_RANGE, Frame, FrameDecoder, FrameEncoder, FrameReader};
pub use profile::Profile;
pub use validation::{Assurance, Validation};

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
    /// The error of a frame's envelope, with the code of that error.
    #[error("frame {number}: {error}")]
    Frame {
        /// The number of the frame.
        number: u32,
        /// The error of its envelope.
        #[source]
        error: Box<Error>,
    },
    /// A stream breaks a rule of section 3.
    #[error("{0}")]
    Malformed(&'static str),
    /// A frame is not the next one of its stream: frames were lost, repeated, exchanged or mixed.
    #[error("{}", order_message(*expected, *found))]
    Order {
        /// The number of the next frame.
        expected: u32,
        /// The number of the frame that came; `None` if it is of another stream.
        found: Option<u32>,
    },
    /// A stream ends before its end.
    #[error("the stream ends before its last frame or its index does")]
    Truncated,
    /// A frame is authenticated, and its reader has no key.
    #[error("a frame is authenticated: a reader needs the key")]
    KeyRequired,
    /// The error of a part of this crate that knows no envelopes.
    #[error(transparent)]
    Core(#[from] crate::Error),
}

/// The result of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The text of [`Malformed`](Self::Malformed) for what is no stream of frames.
    pub const NO_FRAMES: &'static str = "this is no stream of FISE frames, or one of another version";
    /// The text of [`Malformed`](Self::Malformed) for a reader that has more or fewer rules than the writer had.
    pub const OTHER_RULES: &'static str = "the stream was written with another number of rules";
    /// The text of [`Malformed`](Self::Malformed) for [`FrameReader`] and a stream that only [`FrameDecoder`] reads.
    pub const NO_INDEX: &'static str = "the stream has no index";

    /// The code of this error, which never changes, and is the same in every language and in the vectors.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Rules(_) => "fise_rules",
            Self::NoSalt => "fise_no_salt",
            Self::NoMarker => "fise_no_marker",
            Self::Ambiguous => "fise_ambiguous",
            Self::Frame { error, .. } => error.code(),
            Self::Malformed(_) => "fise_malformed",
            Self::Order { .. } => "fise_order",
            Self::Truncated => "fise_truncated",
            Self::KeyRequired => "fise_key_required",
            Self::Core(error) => error.code(),
        }
    }
}

fn order_message(expected: u32, found: Option<u32>) -> String {
    let came = found.map_or("one of another stream".to_owned(), |found| format!("frame {found}"));
    format!("{came} came in place of frame {expected}: frames were lost, repeated or exchanged")
}

#[cfg(test)]
mod tests;
