//! Profiles: what an organisation allows of all that there is.

use crate::error::{Error, Result};
use crate::key::Kind;
use crate::suite::Suite;
use std::fmt;
use std::str::FromStr;

/// A choice of algorithms. What is not in it is refused, with the reason.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind, Profile};
///
/// let hybrid = Identity::generate(Kind::Hybrid)?.recipient();
/// let error = Encryptor::new([hybrid]).profile(Profile::Fips).encrypt(b"").unwrap_err();
/// assert_eq!(error.code(), "not_in_profile");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// `fips`: `p256` and `ml-kem-768` keys and the suite `aes-256-gcm`, which are made of algorithms that FIPS
    /// publications approve. It says nothing of a validated module: this build is none.
    Fips,
}

impl Profile {
    /// The identifier used in every language, option and report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fips => "fips",
        }
    }

    /// Whether keys of a kind are in the profile.
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    pub fn check_kind(self, kind: Kind) -> Result<()> {
        match (self, kind) {
            (Self::Fips, Kind::P256 | Kind::MlKem768) => Ok(()),
            (Self::Fips, _) => Err(Error::NotInProfile("fips takes keys of the kinds p256 and ml-kem-768 only")),
        }
    }

    /// Whether a suite is in the profile.
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    pub fn check_suite(self, suite: Suite) -> Result<()> {
        match (self, suite) {
            (Self::Fips, Suite::Aes256Gcm) => Ok(()),
            (Self::Fips, _) => Err(Error::NotInProfile("fips takes the suite aes-256-gcm only")),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        [Self::Fips].into_iter().find(|profile| profile.name() == text).ok_or(Error::UnknownAlgorithm("fips"))
    }
}
