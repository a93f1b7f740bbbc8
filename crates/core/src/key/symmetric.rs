use super::kind::{Kind, SYMMETRIC_KEY_LEN as LEN};
use crate::encoding::{decode_bech32, encode_bech32};
use crate::error::{Error, KeyFault, Result};
use crate::random;
use std::str::FromStr;
use zeroize::Zeroizing;

/// The error for any other text.
pub(super) const EXPECTED: KeyFault = KeyFault::Other("expected a key SEALSTONE-KEY-1…");

/// A 32-byte symmetric key: anyone who has it can encrypt and decrypt. It is zeroed on drop, and never printed by `Debug`. Its
/// bytes are on the heap, so that moving the value leaves no copy behind.
///
/// ```
/// use sealstone::SymmetricKey;
///
/// let key = SymmetricKey::generate()?;
/// let text = key.to_text();
/// assert!(text.starts_with("SEALSTONE-KEY-1"));
/// assert_eq!(text.parse::<SymmetricKey>()?.to_text(), text);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct SymmetricKey(Box<Zeroizing<[u8; LEN]>>);

impl SymmetricKey {
    /// Generates a key with the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate() -> Result<Self> {
        let mut key = Box::new(Zeroizing::new([0; 32]));
        random::fill(&mut key[..])?;
        Ok(Self(key))
    }

    /// Takes the caller's key: 32 bytes that cannot be guessed, and never a password.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut key = Box::new(Zeroizing::new([0; 32]));
        key.copy_from_slice(bytes);
        Self(key)
    }

    /// The text form, `SEALSTONE-KEY-1…`. It is secret.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        encode_bech32(hrp(), self.as_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

fn hrp() -> &'static str {
    Kind::Key.row().strings.as_ref().expect("symmetric: such keys are strings").identity
}

impl FromStr for SymmetricKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let data = decode_bech32(hrp(), text);
        let bytes = data.as_ref().and_then(|data| <&[u8; 32]>::try_from(data.as_slice()).ok());
        bytes.map(Self::from_bytes).ok_or(Error::InvalidIdentity(EXPECTED))
    }
}

debug!(SymmetricKey(..));
