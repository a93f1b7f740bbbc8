//! In the place of SM2 where the feature `gm` is off: types of which there is no value, so that keys of other kinds are used by the same
//! code in all builds.

use crate::error::{Result, UnsupportedKey};
use crate::hash::SM3_LEN;
use std::convert::Infallible;
use zeroize::Zeroizing;

pub(crate) const PRIVATE_KEY_LEN: usize = 32;
pub(crate) const PUBLIC_KEY_LEN: usize = 65;
pub(crate) const OUT_OF_RANGE: &str = UNKNOWN;
pub(crate) const OFF_CURVE: &str = UNKNOWN;

/// Nobody sees it: the algorithm is refused before the number.
const UNKNOWN: &str = "this build has no SM2";

#[derive(Clone)]
pub(crate) struct PrivateKey(Infallible);

impl PrivateKey {
    pub(crate) fn generate() -> Result<Self> {
        Err(UnsupportedKey::Algorithm.into())
    }

    pub(crate) fn from_bytes(_bytes: &[u8]) -> Result<Self> {
        Err(UnsupportedKey::Algorithm.into())
    }

    pub(crate) fn to_bytes(&self) -> Zeroizing<[u8; PRIVATE_KEY_LEN]> {
        match self.0 {}
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        match self.0 {}
    }

    pub(crate) fn open(&self, _c1: &PublicKey, _c3: &[u8; SM3_LEN], _c2: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        match self.0 {}
    }
}

#[derive(Clone)]
pub(crate) struct PublicKey(Infallible);

impl PublicKey {
    pub(crate) fn from_bytes(_bytes: &[u8]) -> Result<Self> {
        Err(UnsupportedKey::Algorithm.into())
    }

    pub(crate) fn from_uncompressed(_point: &[u8; PUBLIC_KEY_LEN]) -> Option<Self> {
        None
    }

    pub(crate) fn to_bytes(&self) -> [u8; PUBLIC_KEY_LEN] {
        match self.0 {}
    }

    pub(crate) fn seal(&self, _plaintext: &[u8]) -> Result<(Self, [u8; SM3_LEN], Vec<u8>)> {
        match self.0 {}
    }
}

#[cfg(feature = "sign")]
pub(crate) use signatures::*;

/// The same of signatures.
#[cfg(feature = "sign")]
mod signatures {
    use super::{PrivateKey, PublicKey};
    use crate::error::{Result, UnsupportedKey};
    use std::convert::Infallible;

    pub(crate) const SIGNATURE_LEN: usize = 64;
    pub(crate) const DEFAULT_ID: &[u8] = b"1234567812345678";

    pub(crate) struct Signature(Infallible);

    impl Signature {
        pub(crate) fn from_bytes(_bytes: &[u8]) -> Result<Self> {
            Err(UnsupportedKey::Algorithm.into())
        }

        pub(crate) fn to_bytes(&self) -> [u8; SIGNATURE_LEN] {
            match self.0 {}
        }
    }

    impl PrivateKey {
        pub(crate) fn sign_any(&self, _id: &[u8], _message: &[u8]) -> Result<Signature> {
            match self.0 {}
        }
    }

    impl PublicKey {
        pub(crate) fn verify_any(&self, _id: &[u8], _message: &[u8], _signature: &Signature) -> Result<()> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encryptor, Identity, Kind, Passphrase, Suite, parse_identities};

    #[test]
    fn what_needs_the_feature_gm_is_refused_as_what_is_unknown() {
        assert_eq!("sm2".parse::<Kind>().unwrap_err().code(), "unknown_algorithm");
        assert_eq!("sm4-gcm".parse::<Suite>().unwrap_err().code(), "unknown_algorithm");
        let passphrase = Passphrase::new("correct horse battery staple").unwrap();
        let sealed = Encryptor::new([passphrase.into()]).suite(Suite::Sm4Gcm).encrypt(b"attack at dawn");
        assert_eq!(sealed.unwrap_err().code(), "unsupported_suite");
        assert_eq!(Suite::from_id(3).unwrap_err().code(), "unsupported_suite");
        assert_eq!(Identity::generate(Kind::Sm2).err().unwrap().code(), "unsupported_key");
        assert_eq!(Identity::from_bytes(Kind::Sm2, &[7; 32]).err().unwrap().code(), "unsupported_key");
        assert_eq!(parse_identities("07".repeat(32), None).err().unwrap().error.code(), "unsupported_key");
    }

    #[cfg(feature = "sign")]
    #[test]
    fn no_key_of_sm2_signs() {
        use crate::sign::{Kind, PrivateKey};
        assert_eq!(PrivateKey::generate(Kind::Sm2Sign).unwrap_err().code(), "unsupported_key");
    }
}
