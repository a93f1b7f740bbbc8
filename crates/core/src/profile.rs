//! Profiles: sets of algorithms that an organisation allows. A profile refuses, and never chooses.

use crate::error::{Error, ProfileRule, Result};
use crate::key::Kind;
#[cfg(feature = "sign")]
use crate::sign;
use crate::suite::Suite;

/// A set of allowed algorithms. Operations refuse all others, with the reason.
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
    /// `fips`: `p256` and `ml-kem-768` keys, the suite `aes-256-gcm`, and `p256-sign` and `ml-dsa-65` keys to sign files. FIPS
    /// publications approve these algorithms. This build is not a validated module.
    Fips,
    /// `gm`: `sm2` keys, passphrases and symmetric keys, the suite `sm4-gcm`, and `sm2-sign` keys to sign files: SM2, SM3 and SM4
    /// throughout. This build is not a certified product.
    Gm,
}

named_enum!(Profile {
    Fips = "fips",
    Gm = "gm" if "gm",
});

impl Profile {
    /// Checks whether keys of a kind are in the profile.
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    pub fn check_kind(self, kind: Kind) -> Result<()> {
        let (is_in, rule) = match self {
            Self::Fips => (kind.is_fips(), ProfileRule::FipsKinds),
            Self::Gm => (kind.stanza_id(Suite::Sm4Gcm).is_some(), ProfileRule::GmKinds),
        };
        if is_in { Ok(()) } else { Err(Error::NotInProfile(rule)) }
    }

    /// Checks whether keys of a kind may sign files (spec/signature.md section 7.7).
    ///
    /// ```
    /// use sealstone::{Profile, sign::Kind};
    ///
    /// assert!(Profile::Gm.check_signer(Kind::Sm2Sign).is_ok());
    /// assert_eq!(Profile::Fips.check_signer(Kind::Ed25519).unwrap_err().code(), "not_in_profile");
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    #[cfg(feature = "sign")]
    pub fn check_signer(self, kind: sign::Kind) -> Result<()> {
        let (is_in, rule) = match self {
            Self::Fips => (matches!(kind, sign::Kind::P256Sign | sign::Kind::MlDsa65), ProfileRule::FipsSigners),
            Self::Gm => (kind == sign::Kind::Sm2Sign, ProfileRule::GmSigners),
        };
        if is_in { Ok(()) } else { Err(Error::NotInProfile(rule)) }
    }

    /// Checks whether a suite is in the profile.
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    pub fn check_suite(self, suite: Suite) -> Result<()> {
        let (only, rule) = match self {
            Self::Fips => (Suite::Aes256Gcm, ProfileRule::FipsSuite),
            Self::Gm => (Suite::Sm4Gcm, ProfileRule::GmSuite),
        };
        if suite == only { Ok(()) } else { Err(Error::NotInProfile(rule)) }
    }
}
