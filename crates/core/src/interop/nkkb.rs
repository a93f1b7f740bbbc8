//! Key bundles of nkCryptoTool (NKKB): the public keys of a recipient, signed with a key of the same owner.
//!
//! ```
//! use sealstone::Encryptor;
//! use sealstone::exchange::{self, PrivateKey};
//! use sealstone::interop::nkcs::SigningKey;
//! use sealstone::interop::nkkb::KeyBundle;
//! use sealstone::sign::{self, Kind};
//! use std::time::SystemTime;
//!
//! let owner = SigningKey::new(sign::PrivateKey::generate(Kind::MlDsa65)?)?;
//! let key = PrivateKey::generate(exchange::Kind::MlKem768)?.public_key();
//! let file = KeyBundle::new(&owner, "alice", &[key.try_into()?], SystemTime::now(), None)?.to_bytes();
//!
//! let bundle = KeyBundle::parse(&file)?;
//! // Alice says this on the telephone. Do not take it from the file.
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! The owner's key of ML-DSA-65 signs the whole bundle, and binds each key in it. The sender must compare its [`Fingerprint`]
//! with the owner over another channel: anyone can make a bundle, so it proves nothing by itself.
//!
//! # Security
//! No key of a bundle becomes a recipient before [`KeyBundle::pinned`] has verified the whole bundle. An expired key is
//! refused, and never replaced by a weaker key. The methods of [`KeyBundle`] return unverified claims.

use super::fields::{Fields, append};
use super::nkcs::SigningKey;
use super::nkct;
use crate::encoding::{decode_hex, encode_hex};
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::exchange;
use crate::hash::{self, Algorithm};
use crate::key::{Kind, Recipient};
use crate::pipeline::Input;
use crate::sign::{self, Mu, Options};
use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first bytes of a bundle.
const MAGIC: &[u8] = b"NKKB";
const VERSION: u8 = 1;
/// The most keys of a bundle.
const KEYS_MAX: usize = 64;
/// The most bytes of a field.
const FIELD_MAX_LEN: usize = 64 * 1024;
/// The most bytes of a bundle. 64 keys with their signatures take a third of it.
const MAX_LEN: usize = 1 << 20;
/// The contexts (FIPS 204) of the signature of a bundle, and of the signature that binds a key to its owner.
const BUNDLE: &[u8] = b"nkct-bundle-v1";
const KEYBIND: &[u8] = b"nkct-keybind-v1";
/// The uses of a key.
const ML_KEM: u8 = 1;
const P256: u8 = 2;

const CUT: Error = invalid("the key bundle is cut short, or a field of it is too long");
const TOO_MANY: Error = invalid("a key bundle has at most 64 keys");
const NO_KEY: Error = invalid("the key bundle has no key");

const fn invalid(fault: &'static str) -> Error {
    Error::InvalidRecipient(KeyFault::Other(fault))
}

/// Whether a file begins as a key bundle, valid or not.
///
/// ```
/// use sealstone::interop::nkkb;
///
/// assert!(nkkb::begins(b"NKKB\x01"));
/// assert!(!nkkb::begins(b"age1"));
/// ```
#[must_use]
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Whether an input begins as a key bundle, valid or not. Nothing is consumed.
///
/// # Errors
/// [`Error::Io`].
pub fn is_bundle(input: &mut Input<'_>) -> Result<bool> {
    Ok(begins(input.head(MAGIC.len())?))
}

/// The fingerprint of an owner: SHA3-256 of the public key. Its text is 64 hexadecimal digits. Parsing also accepts upper case,
/// and colons, spaces or hyphens between the digits.
///
/// ```
/// use sealstone::interop::nkkb::Fingerprint;
///
/// let text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// let fingerprint: Fingerprint = text.parse()?;
/// assert_eq!(fingerprint.to_string(), text);
/// let typed: Fingerprint = "0011 2233-4455:66778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF".parse()?;
/// assert_eq!(typed, fingerprint);
/// assert_eq!("00:11".parse::<Fingerprint>().unwrap_err().code(), "invalid_option");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a key of ML-DSA, as nkCryptoTool shows it; `None` for other kinds. Only keys of ML-DSA-65 own
    /// bundles.
    ///
    /// ```
    /// use sealstone::interop::nkkb::Fingerprint;
    /// use sealstone::sign::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::MlDsa65)?.public_key();
    /// assert_eq!(Fingerprint::of(&key).unwrap().to_string().len(), 64);
    /// assert_eq!(Fingerprint::of(&PrivateKey::generate(Kind::Ed25519)?.public_key()), None);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn of(owner: &sign::PublicKey) -> Option<Self> {
        owner.kind().has_mu().then(|| {
            let digest = hash::hash(Algorithm::Sha3_256, owner.to_bytes());
            Self(digest.as_bytes().try_into().expect("nkkb: a digest has its length"))
        })
    }

    /// The bytes of the fingerprint.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        const WRONG: Error =
            Error::InvalidOption("an nkCryptoTool fingerprint has 64 hexadecimal digits, in groups or not");
        let digits = decode_hex(&text.trim().replace([':', ' ', '-'], "")).map_err(|_| WRONG)?;
        digits.try_into().map(Self).map_err(|_| WRONG)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_hex(&self.0))
    }
}

debug!(|it: Fingerprint| "Fingerprint({it})");

/// A parsed key bundle, which is not verified.
#[derive(Debug, Clone)]
pub struct KeyBundle {
    owner: sign::PublicKey,
    handle: String,
    created: u64,
    keys: Vec<BoundKey>,
    /// The bytes that the signature covers.
    body: Vec<u8>,
    signature: Vec<u8>,
}

/// A key of a bundle.
#[derive(Debug, Clone)]
pub struct BoundKey {
    key: exchange::PublicKey,
    created: u64,
    expires: Option<u64>,
    /// The message that binds the key to its owner.
    binding: Vec<u8>,
    signature: Vec<u8>,
}

impl BoundKey {
    /// The public key, of ML-KEM or P-256.
    #[must_use]
    pub fn key(&self) -> &exchange::PublicKey {
        &self.key
    }

    /// When the key was put into the bundle, in seconds since 1970.
    #[must_use]
    pub fn created(&self) -> u64 {
        self.created
    }

    /// The first second since 1970 in which the key has expired; `None` if it never expires.
    #[must_use]
    pub fn expires(&self) -> Option<u64> {
        self.expires
    }

    /// Whether the key has expired.
    #[must_use]
    pub fn has_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| expires <= seconds(now))
    }

    /// The key as a recipient of Sealstone's files; `None` for ML-KEM of another size than 768.
    #[must_use]
    pub fn recipient(&self) -> Option<Recipient> {
        let kind = match self.key.kind() {
            exchange::Kind::P256 => Kind::P256,
            exchange::Kind::MlKem768 => Kind::MlKem768,
            _ => return None,
        };
        Recipient::from_bytes(kind, self.key.to_bytes()).ok()
    }

    fn is_ml_kem(&self) -> bool {
        self.key.kind() != exchange::Kind::P256
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl KeyBundle {
    /// Makes a bundle of public keys, in their order, under any name of their owner. Of several keys of P-256 or of ML-KEM,
    /// senders use the first. The keys expire together, or never.
    ///
    /// ```
    /// use sealstone::exchange::{self, PrivateKey};
    /// use sealstone::interop::{nkcs::SigningKey, nkkb::{Fingerprint, KeyBundle}};
    /// use sealstone::sign::{self, Kind};
    /// use std::time::{Duration, SystemTime};
    ///
    /// let owner = SigningKey::new(sign::PrivateKey::generate(Kind::MlDsa65)?)?;
    /// let key = PrivateKey::generate(exchange::Kind::P256)?.public_key();
    /// let (now, year) = (SystemTime::now(), Duration::from_secs(365 * 86_400));
    /// let bundle = KeyBundle::new(&owner, "alice", &[key.try_into()?], now, Some(now + year))?;
    /// assert_eq!(Some(bundle.fingerprint()), Fingerprint::of(&owner.public_key()));
    /// assert!(bundle.keys()[0].has_expired(now + year));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for an owner's key of another kind than `ml-dsa-65`; [`Error::InvalidRecipient`] for no key,
    /// for over 64, for a handle of over 64 KiB, and for keys that would have expired already; [`Error::InvalidKey`] for a
    /// damaged key of the owner; [`Error::NoRandomness`].
    pub fn new(
        owner: &SigningKey,
        handle: &str,
        keys: &[nkct::Recipient],
        created: SystemTime,
        expires: Option<SystemTime>,
    ) -> Result<Self> {
        let public = owner.public_key();
        if public.kind() != sign::Kind::MlDsa65 {
            return Err(UnsupportedKey::NkkbOwner.into());
        }
        if keys.is_empty() {
            return Err(NO_KEY);
        }
        if keys.len() > KEYS_MAX {
            return Err(TOO_MANY);
        }
        if expires.is_some_and(|expires| expires <= created) {
            return Err(invalid("the keys of the key bundle would expire before it is made"));
        }
        let sign = |context: &[u8], message: &[u8]| {
            let mut mu = Mu::new(&public, context);
            mu.update(message);
            owner.sign_mu(mu)
        };
        let (created, expires) = (seconds(created), expires.map(seconds));
        let mut bundle = MAGIC.to_vec();
        bundle.push(VERSION);
        append(&mut bundle, public.to_bytes());
        append(&mut bundle, handle.as_bytes());
        bundle.extend_from_slice(&created.to_be_bytes());
        let count = u16::try_from(keys.len()).expect("nkkb: there are at most 64 keys");
        bundle.extend_from_slice(&count.to_le_bytes());
        for recipient in keys {
            let key = recipient.key();
            let (usage, target) = match key.kind() {
                exchange::Kind::P256 => (P256, key.to_der()?),
                _ => (ML_KEM, key.to_bytes().to_vec()),
            };
            bundle.push(usage);
            append(&mut bundle, &target);
            append_times(&mut bundle, created, expires);
            let binding = binding(public.to_bytes(), usage, &target, handle, created, expires);
            append(&mut bundle, &sign(KEYBIND, &binding)?);
        }
        let signature = sign(BUNDLE, &bundle)?;
        append(&mut bundle, &signature);
        // Applies the limits of a reader.
        Self::parse(&bundle)
    }

    /// The bytes of the bundle in a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bundle = self.body.clone();
        append(&mut bundle, &self.signature);
        bundle
    }

    /// Reads and parses an input.
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse), and [`Error::Io`].
    pub fn read(mut input: Input<'_>) -> Result<Self> {
        let bundle = Self::parse(input.head(MAX_LEN + 1)?)?;
        input.finish()?;
        Ok(bundle)
    }

    /// Parses a bundle and its keys. It verifies no signature.
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`].
    pub fn parse(bundle: &[u8]) -> Result<Self> {
        if bundle.len() > MAX_LEN {
            return Err(invalid("it is longer than any key bundle"));
        }
        let rest = bundle.strip_prefix(MAGIC).ok_or(invalid("a key bundle begins with NKKB"))?;
        let mut fields = Fields(rest);
        if fields.byte().ok_or(CUT)? != VERSION {
            return Err(invalid("the version of the key bundle is not 1"));
        }
        let owner = fields.field(FIELD_MAX_LEN).ok_or(CUT)?;
        let key = sign::PublicKey::from_bytes(sign::Kind::MlDsa65, owner);
        let key = key.map_err(|_| invalid("the owner's key in the key bundle is not an ML-DSA-65 key"))?;
        let handle = std::str::from_utf8(fields.field(FIELD_MAX_LEN).ok_or(CUT)?);
        let handle = handle.map_err(|_| invalid("the handle of the key bundle is not UTF-8 text"))?;
        let created = fields.time().ok_or(CUT)?;
        let count = fields.u16().map(usize::from).ok_or(CUT)?;
        if count > KEYS_MAX {
            return Err(TOO_MANY);
        }
        let keys: Vec<BoundKey> = (0..count).map(|_| read_key(&mut fields, owner, handle)).collect::<Result<_>>()?;
        let body = bundle[..bundle.len() - fields.0.len()].to_vec();
        let signature = fields.field(FIELD_MAX_LEN).ok_or(CUT)?.to_vec();
        if !fields.0.is_empty() {
            return Err(invalid("there are bytes after the end of the key bundle"));
        }
        Ok(Self { owner: key, handle: handle.to_owned(), created, keys, body, signature })
    }

    /// The fingerprint of the owner's key in the bundle, not verified.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.owner).expect("nkkb: an owner is of ML-DSA-65")
    }

    /// The owner's name, chosen by the bundle's maker. It may be any text.
    #[must_use]
    pub fn handle(&self) -> &str {
        &self.handle
    }

    /// When the bundle was made, in seconds since 1970.
    #[must_use]
    pub fn created(&self) -> u64 {
        self.created
    }

    /// The keys of the bundle.
    #[must_use]
    pub fn keys(&self) -> &[BoundKey] {
        &self.keys
    }

    /// Verifies that the owner's key in the bundle has signed the bundle and has bound each key. It does not check whose key
    /// that is.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`].
    pub fn check_signatures(&self) -> Result<()> {
        let holds = |context: &[u8], message: &[u8], signature: &[u8]| {
            self.owner.verify_with(&Options::new().context(context), message, signature).is_ok()
        };
        if !holds(BUNDLE, &self.body, &self.signature) {
            return Err(Error::InvalidSignature("the key bundle does not match its owner's signature"));
        }
        if !self.keys.iter().all(|key| holds(KEYBIND, &key.binding, &key.signature)) {
            return Err(Error::InvalidSignature("a key of the key bundle does not match its owner's signature"));
        }
        Ok(())
    }

    /// Verifies the whole bundle as one of the owner with this fingerprint. Do not take the fingerprint from the bundle.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] if the bundle has another owner; [`Error::InvalidSignature`]; [`Error::InvalidRecipient`] if it
    /// has no key, or if all its keys of ML-KEM, or all of P-256, have expired.
    pub fn pinned(&self, owner: &Fingerprint, now: SystemTime) -> Result<PinnedBundle> {
        let fingerprint = self.fingerprint();
        if fingerprint != *owner {
            let fingerprint = fingerprint.to_string().into();
            return Err(Error::UnknownSigner { kind: self.owner.kind().name(), fingerprint, withheld: None });
        }
        self.check_signatures()?;
        if self.keys.is_empty() {
            return Err(NO_KEY);
        }
        let (ml_kem, p256): (Vec<&BoundKey>, Vec<&BoundKey>) = self.keys.iter().partition(|key| key.is_ml_kem());
        let usable = |keys: &[&BoundKey], expired: Error| -> Result<Vec<BoundKey>> {
            let usable: Vec<BoundKey> = keys.iter().filter(|key| !key.has_expired(now)).copied().cloned().collect();
            if usable.is_empty() && !keys.is_empty() { Err(expired) } else { Ok(usable) }
        };
        let ml_kem = usable(&ml_kem, invalid("the ML-KEM key in the key bundle has expired"))?;
        let p256 = usable(&p256, invalid("the P-256 key in the key bundle has expired"))?;
        Ok(PinnedBundle { ml_kem, p256 })
    }
}

fn read_key(fields: &mut Fields<'_>, owner: &[u8], handle: &str) -> Result<BoundKey> {
    let usage = fields.byte().ok_or(CUT)?;
    let target = fields.field(FIELD_MAX_LEN).ok_or(CUT)?;
    let kind = match (usage, target.len()) {
        (ML_KEM, 800) => exchange::Kind::MlKem512,
        (ML_KEM, 1184) => exchange::Kind::MlKem768,
        (ML_KEM, 1568) => exchange::Kind::MlKem1024,
        (ML_KEM, _) => return Err(invalid("a key of the key bundle does not have a length of ML-KEM")),
        (P256, _) => exchange::Kind::P256,
        _ => return Err(invalid("a key of the key bundle is for an unknown use")),
    };
    let key = match kind {
        // Only DER is allowed, though the parser of files also accepts text.
        exchange::Kind::P256 if !target.starts_with(&[0x30]) => None,
        exchange::Kind::P256 => exchange::PublicKey::parse(target).ok().filter(|key| key.kind() == kind),
        _ => exchange::PublicKey::from_bytes(kind, target).ok(),
    };
    let key = key.ok_or(invalid("a key of the key bundle is damaged, or is of another kind than it says"))?;
    let created = fields.time().ok_or(CUT)?;
    let expires = match fields.byte().ok_or(CUT)? {
        0 => None,
        1 => Some(fields.time().ok_or(CUT)?),
        _ => return Err(invalid("a key of the key bundle does not say whether it expires")),
    };
    let signature = fields.field(FIELD_MAX_LEN).ok_or(CUT)?.to_vec();
    let binding = binding(owner, usage, target, handle, created, expires);
    Ok(BoundKey { key, created, expires, binding, signature })
}

/// The message that binds a key to its owner.
fn binding(owner: &[u8], usage: u8, target: &[u8], handle: &str, created: u64, expires: Option<u64>) -> Vec<u8> {
    let mut binding = Vec::new();
    append(&mut binding, owner);
    binding.push(usage);
    append(&mut binding, target);
    append(&mut binding, handle.as_bytes());
    append_times(&mut binding, created, expires);
    binding
}

/// Appends the time when a key was put into its bundle, and the time when it expires.
fn append_times(to: &mut Vec<u8>, created: u64, expires: Option<u64>) {
    to.extend_from_slice(&created.to_be_bytes());
    to.push(expires.is_some().into());
    to.extend(expires.into_iter().flat_map(u64::to_be_bytes));
}

/// The keys of a verified bundle, without the expired ones.
#[derive(Debug, Clone)]
pub struct PinnedBundle {
    ml_kem: Vec<BoundKey>,
    p256: Vec<BoundKey>,
}

impl PinnedBundle {
    /// The first key of ML-KEM, if there is one.
    #[must_use]
    pub fn ml_kem(&self) -> Option<&exchange::PublicKey> {
        self.ml_kem.first().map(BoundKey::key)
    }

    /// The first key of P-256, if there is one.
    #[must_use]
    pub fn p256(&self) -> Option<&exchange::PublicKey> {
        self.p256.first().map(BoundKey::key)
    }

    /// The recipient of Sealstone's files: the key of ML-KEM-768, which is post-quantum; or the key of P-256, if the bundle has
    /// no key of ML-KEM.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] if all keys of ML-KEM have other sizes. A key of P-256, which is not post-quantum, never
    /// replaces them.
    pub fn recipient(&self) -> Result<Recipient> {
        let keys = if self.ml_kem.is_empty() { &self.p256 } else { &self.ml_kem };
        let recipient = keys.iter().find_map(BoundKey::recipient);
        recipient.ok_or_else(|| UnsupportedKey::MlKemSize.into())
    }
}

#[cfg(test)]
#[path = "nkkb_tests.rs"]
mod tests;
