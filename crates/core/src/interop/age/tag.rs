//! `age1tag1…`: keys of P-256 in hardware, which recognise their stanzas by a tag.

use crate::encoding::{decode_bech32, encode_base64_unpadded};
use crate::error::{Error, KeyFault, Result};
use crate::hash::Sha256;
use crate::kem::hpke::{AeadId, PublicKey};
use crate::mac::HmacSha256;
use crate::plugin::{Identity, Plugin, Recipient, Secret, Stanza, Wrapped};

/// The plugin's name, and the prefix of its recipients before the `1` of Bech32.
pub(super) const NAME: &str = "tag";
const HRP: &str = "age1tag";
/// The type of the plugin's stanzas.
pub(super) const P256_TAG: &str = "p256tag";
const INFO: &[u8] = b"age-encryption.org/p256tag";

/// Bytes of a point of P-256, and of its compressed form.
const POINT_LEN: usize = 65;
const COMPRESSED_LEN: usize = 33;

/// Bytes of a tag.
pub(super) const TAG_OF_KEY_LEN: usize = 4;

/// The tag of a key: the first bytes of its digest.
pub(super) fn tag_of(key: &[u8]) -> [u8; TAG_OF_KEY_LEN] {
    *Sha256::of(&[key]).first_chunk().expect("tag: a digest has 32 bytes")
}

/// Wraps for recipients `age1tag1…` in place of the program `age-plugin-tag`. The plugin of the hardware, which has another
/// name, unwraps.
///
/// ```
/// use sealstone::interop::age::Tag;
/// use sealstone::{Error, plugin::Recipient};
///
/// let text = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e";
/// let recipient = Tag::recipient([text])?;
/// assert_eq!(recipient.name(), "tag");
/// assert_eq!(Tag::recipient(["age1tag1"]).unwrap_err().code(), "invalid_recipient");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag;

impl Tag {
    /// Makes a recipient from these strings.
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`] if a string is damaged or has another prefix, or if its point is not on the curve.
    pub fn recipient<S: AsRef<str>>(strings: impl IntoIterator<Item = S>) -> Result<Recipient> {
        let recipient = Recipient::new(strings, std::sync::Arc::new(Self))?;
        recipient.strings().try_for_each(|text| key_of(text).map(drop))?;
        Ok(recipient)
    }
}

impl Plugin for Tag {
    fn wrap(&self, recipient: &Recipient, secret: &Secret) -> Result<Wrapped> {
        let stanzas = recipient.strings().map(|text| {
            let (key, compressed) = key_of(text)?;
            let mut enc = key.seal(b"", AeadId::ChaCha20Poly1305, INFO, b"", &secret[..])?;
            let wrapped = enc.split_off(POINT_LEN);
            // HKDF-Extract, with the label as its salt.
            let tag = HmacSha256::new(INFO).sign([&enc[..], &tag_of(&compressed)]);
            let arguments = [&tag[..TAG_OF_KEY_LEN], &enc].map(encode_base64_unpadded);
            Stanza::new(P256_TAG, arguments, wrapped)
        });
        Ok(Wrapped::classical(stanzas.collect::<Result<Vec<_>>>()?))
    }

    fn unwrap(&self, _: &Identity, _: &[Stanza]) -> Result<Option<Secret>> {
        Ok(None)
    }
}

/// The key of a string, and its compressed point, from which the tag is computed.
fn key_of(text: &str) -> Result<(PublicKey, [u8; COMPRESSED_LEN])> {
    let key = decode_bech32(HRP, text).and_then(|bytes| {
        let compressed = bytes[..].try_into().ok()?;
        Some((PublicKey::from_compressed_p256(&compressed)?, compressed))
    });
    key.ok_or(Error::InvalidRecipient(KeyFault::Other("its data is not a compressed P-256 point")))
}
