//! Recipients and identities of files, and their stanzas.

use super::header::{FILE_KEY_LEN, FileKey, STANZAS_MAX};
use super::stretch::{self, SALT_LEN};
use super::tag::{self, P256_TAG, TAG_OF_KEY_LEN, Tag, tag_of};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::encoding::{decode_base64_unpadded, encode_base64, encode_base64_unpadded};
use crate::error::{Error, KeyFault, PluginFault, RecipientsRule, Result, UnsupportedKey};
use crate::hash;
use crate::kdf::hkdf_sha256;
use crate::kem::hpke::AeadId;
use crate::key::{
    KeyFileError, Kind, Public, Secret, conversions, login, parse_identity_strings, parse_recipient_strings,
};
use crate::mac;
use crate::nacl::SecretKey;
use crate::password::Passphrase;
use crate::plugin::{self, Stanza, Wrapped};
use crate::rsa::Oaep;
use std::str::FromStr;
use std::sync::Arc;
use zeroize::Zeroizing;

const X25519: &str = "X25519";
const HYBRID: &str = "mlkem768x25519";
const SCRYPT: &str = "scrypt";
const SSH_ED25519: &str = "ssh-ed25519";
const SSH_RSA: &str = "ssh-rsa";
/// The type of a plugin's stanza. This module knows only its strength.
const HYBRID_TAG: &str = "mlkem768p256tag";

/// The info of the keys that seal the file key, and the label of RSA's OAEP.
const X25519_INFO: &[u8] = b"age-encryption.org/v1/X25519";
const SSH_ED25519_INFO: &[u8] = b"age-encryption.org/v1/ssh-ed25519";
const SSH_RSA_LABEL: &[u8] = b"age-encryption.org/v1/ssh-rsa";
const HYBRID_INFO: &[u8] = b"age-encryption.org/mlkem768x25519";

const POINT_LEN: usize = 32;
const HYBRID_ENC_LEN: usize = 1120;
const WRAPPED_LEN: usize = FILE_KEY_LEN + TAG_LEN;

/// The logarithms of N: age writes 2^18 blocks of 1 KiB, and reads up to 2^22. A reader here accepts 2^20 by default.
const WRITER_LOG_N: u8 = 18;
pub(super) const LOG_N_USUAL: u8 = 20;
pub(super) const LOG_N_MAX: u8 = 22;

/// The strength of a known type of stanzas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    Classical,
    PostQuantum,
    /// A passphrase, which must be the only recipient.
    Alone,
}

pub(super) fn strength(stanza: &Stanza) -> Option<Strength> {
    match stanza.kind() {
        X25519 | SSH_ED25519 | SSH_RSA | P256_TAG => Some(Strength::Classical),
        HYBRID | HYBRID_TAG => Some(Strength::PostQuantum),
        SCRYPT => Some(Strength::Alone),
        _ => None,
    }
}

/// Checks the form of a stanza of a known type. A wrong form fails the file, even if the stanza is for another recipient.
pub(super) fn check(stanza: &Stanza) -> Result<()> {
    match stanza.kind() {
        X25519 => {
            let [share] = arguments(stanza)?;
            decode::<POINT_LEN>(share)?;
            wrapped(stanza).map(drop)
        }
        HYBRID => {
            let [enc] = arguments(stanza)?;
            decode::<HYBRID_ENC_LEN>(enc)?;
            wrapped(stanza).map(drop)
        }
        SCRYPT => scrypt_cost(stanza).and(wrapped(stanza).map(drop)),
        SSH_ED25519 => {
            let [tag, share] = arguments(stanza)?;
            decode::<TAG_OF_KEY_LEN>(tag)?;
            decode::<POINT_LEN>(share)?;
            wrapped(stanza).map(drop)
        }
        SSH_RSA => {
            let [tag] = arguments(stanza)?;
            decode::<TAG_OF_KEY_LEN>(tag).map(drop)
        }
        _ => Ok(()),
    }
}

/// The salt and the logarithm of N of a passphrase's stanza.
pub(super) fn scrypt_cost(stanza: &Stanza) -> Result<([u8; SALT_LEN], u8)> {
    let [salt, log_n] = arguments(stanza)?;
    let is_canonical = !log_n.starts_with('0') && log_n.bytes().all(|byte| byte.is_ascii_digit());
    let salt = decode(salt)?;
    match log_n.parse() {
        _ if !is_canonical => Err(Error::MalformedHeader("the scrypt work factor is not a number (age)")),
        Ok(log_n) => Ok((salt, log_n)),
        Err(_) => Err(TOO_MUCH),
    }
}

/// Checks the stanzas of a header: known types must have their form, and a passphrase must be alone. Returns whether there is a
/// passphrase.
pub(super) fn has_passphrase(stanzas: &[Stanza]) -> Result<bool> {
    stanzas.iter().try_for_each(check)?;
    let is_alone = |stanza| strength(stanza) == Some(Strength::Alone);
    let is_for_passphrase = stanzas.iter().any(is_alone);
    if is_for_passphrase && stanzas.len() > 1 {
        return Err(Error::MalformedHeader("a passphrase is not the only recipient (age)"));
    }
    Ok(is_for_passphrase)
}

/// Checks whether a file may have these stanzas, by the known types.
pub(super) fn check_stanzas(stanzas: &[Stanza]) -> Result<()> {
    if stanzas.is_empty() {
        return Err(Error::InvalidRecipients(RecipientsRule::AtLeastOne));
    }
    stanzas.iter().try_for_each(check)?;
    check_strengths(stanzas.len(), &stanzas.iter().filter_map(strength).collect::<Vec<_>>())
}

pub(super) fn check_strengths(count: usize, strengths: &[Strength]) -> Result<()> {
    if count > STANZAS_MAX {
        return Err(Error::InvalidRecipients(RecipientsRule::AtMost1024));
    }
    if count > 1 && strengths.contains(&Strength::Alone) {
        return Err(Error::InvalidRecipients(RecipientsRule::PassphraseAlone));
    }
    if strengths.contains(&Strength::Classical) && strengths.contains(&Strength::PostQuantum) {
        return Err(Error::MixedRecipients);
    }
    Ok(())
}

/// Checks that age can read a file with this logarithm of N.
pub(super) fn check_work(log_n: u8) -> Result<()> {
    if (1..=LOG_N_MAX).contains(&log_n) {
        return Ok(());
    }
    Err(Error::InvalidOption("the limit for the scrypt work factor of age files is from 1 to 22"))
}

pub(super) const TOO_MUCH: Error = Error::CostTooHigh("its scrypt work factor is over the limit");

fn arguments<const N: usize>(stanza: &Stanza) -> Result<[&str; N]> {
    let arguments: Vec<&str> = stanza.arguments().iter().map(String::as_str).collect();
    arguments.try_into().map_err(|_| Error::MalformedHeader("a stanza does not have the arguments of its type (age)"))
}

fn decode<const N: usize>(argument: &str) -> Result<[u8; N]> {
    let bytes = decode_base64_unpadded(argument.as_bytes()).ok();
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or(Error::MalformedHeader("a stanza's argument is damaged (age)"))
}

fn wrapped(stanza: &Stanza) -> Result<&[u8; WRAPPED_LEN]> {
    stanza
        .body()
        .try_into()
        .map_err(|_| Error::MalformedHeader("a stanza's body does not have the length of its type (age)"))
}

const LOW_ORDER: Error = Error::MalformedHeader("a stanza's share has low order (age)");

/// The share of a stanza of type `X25519`. A private key elsewhere derives from it the secret for [`x25519_file_key`].
///
/// # Errors
/// [`Error::MalformedHeader`].
pub fn x25519_share(stanza: &Stanza) -> Result<[u8; POINT_LEN]> {
    let [share] = arguments(stanza)?;
    decode(share)
}

/// Unwraps the file key of a stanza of type `X25519` with a private key elsewhere, such as in an HSM or in a browser. `secret`
/// is the Diffie-Hellman secret of that key and the stanza's share, and `public` is the key's public half. `None` if the stanza
/// is for another key.
///
/// # Errors
/// [`Error::MalformedHeader`], also for a share of low order.
pub fn x25519_file_key(
    stanza: &Stanza,
    public: &[u8; POINT_LEN],
    secret: &[u8; POINT_LEN],
) -> Result<Option<Zeroizing<[u8; FILE_KEY_LEN]>>> {
    let share = x25519_share(stanza)?;
    // For a point of low order every key gives zero, which is not secret.
    if mac::equal(secret, &[0; POINT_LEN]) {
        return Err(LOW_ORDER);
    }
    open(&wrap_key(secret, &share, public, X25519_INFO)[..], &NONCE, stanza)
}

/// A key or a passphrase that opens files of age.
///
/// ```
/// use sealstone::interop::age::{Decryptor, Encryptor, Identity};
///
/// let identity = Identity::try_from(sealstone::Identity::generate(sealstone::Kind::Hybrid)?)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
/// assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Identity(IdentityKey);

#[derive(Clone)]
enum IdentityKey {
    X25519(Arc<SecretKey>),
    Hybrid(crate::Identity),
    Passphrase(Passphrase),
    Ssh(Arc<login::PrivateKey>),
    Plugin(plugin::Identity),
}

impl Identity {
    /// Reads a private key of SSH, of Ed25519 or of RSA with at least 2048 bits, in OpenSSH's form, or as PKCS#8 or PKCS#1 in
    /// PEM.
    ///
    /// ```no_run
    /// use sealstone::interop::age::Identity;
    ///
    /// let identity = Identity::from_ssh(std::fs::read("id_ed25519")?, None)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for other kinds of keys; [`Error::PassphraseRequired`];
    /// [`Error::WrongPassphrase`]; [`Error::CostTooHigh`].
    pub fn from_ssh(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        login::PrivateKey::parse(file.as_ref(), passphrase).map(|key| Self(IdentityKey::Ssh(key.into())))
    }

    /// Reads only a string that begins with `AGE-SECRET-KEY-`, so that a module of WebAssembly needs no code for other forms.
    ///
    /// ```
    /// use sealstone::interop::age::Identity;
    ///
    /// assert!(Identity::from_string("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX").is_ok());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for kinds that age does not have.
    pub fn from_string(text: &str) -> Result<Self> {
        if plugin::Identity::plugin_of(text).is_some() {
            return Err(Error::InvalidIdentity(KeyFault::OfPlugin));
        }
        match single(parse_identity_strings(text))? {
            Some(identity) => identity.try_into(),
            None => Err(Error::InvalidIdentity(NO_STRING)),
        }
    }

    /// The recipient of this identity.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(match &self.0 {
            IdentityKey::X25519(key) => RecipientKey::X25519(key.public_key()),
            IdentityKey::Hybrid(key) => RecipientKey::Hybrid(key.recipient()),
            IdentityKey::Passphrase(passphrase) => RecipientKey::Passphrase(passphrase.clone(), WRITER_LOG_N),
            IdentityKey::Ssh(key) => RecipientKey::Ssh(key.public_key()),
            IdentityKey::Plugin(identity) => RecipientKey::Plugin(identity.recipient()),
        })
    }

    pub(super) fn passphrase(&self) -> Option<&Passphrase> {
        match &self.0 {
            IdentityKey::Passphrase(passphrase) => Some(passphrase),
            _ => None,
        }
    }

    pub(super) fn as_plugin(&self) -> Option<&plugin::Identity> {
        if let IdentityKey::Plugin(identity) = &self.0 { Some(identity) } else { None }
    }

    /// Unwraps the file key of a [`check`]ed stanza; `None` if it is not for this identity. Plugins unwrap elsewhere.
    pub(super) fn unwrap(&self, stanza: &Stanza, log_n_max: u8) -> Result<Option<FileKey>> {
        match (&self.0, stanza.kind()) {
            (IdentityKey::X25519(key), X25519) => {
                let share = x25519_share(stanza)?;
                let secret = agree(key, &share)?;
                open(&wrap_key(&secret[..], &share, &key.public_key(), X25519_INFO)[..], &NONCE, stanza)
            }
            (IdentityKey::Hybrid(key), HYBRID) => {
                let Secret::Kem { key, .. } = &key.0 else { unreachable!("key: hybrid keys are a KEM's") };
                let [enc] = arguments(stanza)?;
                let enc = decode::<HYBRID_ENC_LEN>(enc)?;
                let schedule = key.decapsulate(AeadId::ChaCha20Poly1305, &enc, HYBRID_INFO).ok_or(LOW_ORDER)?;
                open(&schedule.key[..], &schedule.base_nonce[..], stanza)
            }
            (IdentityKey::Passphrase(passphrase), SCRYPT) => {
                let (salt, log_n) = scrypt_cost(stanza)?;
                if log_n > log_n_max {
                    return Err(TOO_MUCH);
                }
                open(&stretch::key(passphrase, salt, log_n)?[..], &NONCE, stanza)
            }
            (IdentityKey::Ssh(key), kind) => unwrap_ssh(key, kind, stanza),
            _ => Ok(None),
        }
    }
}

fn unwrap_ssh(key: &login::PrivateKey, kind: &str, stanza: &Stanza) -> Result<Option<FileKey>> {
    let blob = key.public_key().blob();
    let is_for = |tag: &str| Ok::<_, Error>(decode::<TAG_OF_KEY_LEN>(tag)? == tag_of(&blob));
    match (key, kind) {
        (login::PrivateKey::Ed25519(key), SSH_ED25519) => {
            let [tag, share] = arguments(stanza)?;
            if !is_for(tag)? {
                return Ok(None);
            }
            let share = decode::<POINT_LEN>(share)?;
            let own = key.to_x25519();
            let secret = agree(&tweak(&blob)?, &*agree(&own, &share)?)?;
            open(&wrap_key(&secret[..], &share, &own.public_key(), SSH_ED25519_INFO)[..], &NONCE, stanza)
        }
        (login::PrivateKey::Rsa(key), SSH_RSA) => {
            let [tag] = arguments(stanza)?;
            if !is_for(tag)? {
                return Ok(None);
            }
            match key.decrypt(&OAEP, stanza.body()) {
                Ok(opened) => Ok(opened[..].try_into().ok().map(Zeroizing::new)),
                Err(Error::NotAuthentic { .. } | Error::WrongLength { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        }
        _ => Ok(None),
    }
}

impl TryFrom<crate::Identity> for Identity {
    type Error = Error;

    fn try_from(identity: crate::Identity) -> Result<Self> {
        Ok(Self(match (&identity.0, identity.kind()) {
            (Secret::Kem { bytes, .. }, Kind::X25519) => IdentityKey::X25519(SecretKey::from_bytes(bytes)?.into()),
            (_, Kind::Hybrid) => IdentityKey::Hybrid(identity),
            (Secret::Passphrase(passphrase), _) => IdentityKey::Passphrase(passphrase.clone()),
            (Secret::Plugin(identity), _) => IdentityKey::Plugin(identity.identity().clone()),
            _ => return Err(UnsupportedKey::OtherFamily.into()),
        }))
    }
}

conversions! {
    Identity:
    Passphrase => |passphrase| Identity(IdentityKey::Passphrase(passphrase));
    plugin::Identity => |identity| Identity(IdentityKey::Plugin(identity));
}

impl FromStr for Identity {
    type Err = Error;

    /// Reads a string that begins with `AGE-SECRET-KEY-`, or the text of a private key of SSH that is not encrypted.
    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("-----BEGIN OPENSSH") || text.starts_with("-----BEGIN RSA") {
            return Self::from_ssh(text, None);
        }
        Self::from_string(text)
    }
}

debug!(|identity: Identity| "Identity({}, ..)", identity.recipient().stanza_kind());

/// A public key or a passphrase that files of age are encrypted to.
///
/// ```
/// use sealstone::interop::age::Recipient;
///
/// let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN alice@example.org";
/// let recipient: Recipient = key.parse()?;
/// assert_eq!(recipient.stanza_kind(), "ssh-ed25519");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Recipient(RecipientKey);

#[derive(Clone)]
enum RecipientKey {
    X25519([u8; POINT_LEN]),
    Hybrid(crate::Recipient),
    /// A passphrase, and the logarithm of scrypt's N.
    Passphrase(Passphrase, u8),
    Ssh(login::PublicKey),
    Plugin(plugin::Recipient),
}

impl Recipient {
    /// A passphrase with another work of scrypt than that of [`From`], as the logarithm of N. Each step doubles time and
    /// memory. [`From`] has 18, which is 256 MiB.
    ///
    /// ```
    /// use sealstone::Passphrase;
    /// use sealstone::interop::age::Recipient;
    ///
    /// let recipient = Recipient::of_passphrase(Passphrase::new("correct horse battery staple")?, 20)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// With less than 18, an attacker guesses faster. Use that only for passphrases of 128 bits.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for 0 and more than 22.
    pub fn of_passphrase(passphrase: Passphrase, log_n: u8) -> Result<Self> {
        check_work(log_n)?;
        Ok(Self(RecipientKey::Passphrase(passphrase, log_n)))
    }

    /// The passphrase and its cost, if this is a passphrase.
    pub(super) fn passphrase(&self) -> Option<(&Passphrase, u8)> {
        match &self.0 {
            RecipientKey::Passphrase(passphrase, log_n) => Some((passphrase, *log_n)),
            _ => None,
        }
    }

    /// Wraps the caller's file key, for [`FileSealer::of_stanzas`](super::FileSealer::of_stanzas).
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`] for a point of low order; [`Error::UnavailableBackend`] for a key of RSA in WebAssembly;
    /// [`Error::PluginFailed`]; [`Error::NoRandomness`].
    pub fn wrap_file_key(&self, file_key: &[u8; FILE_KEY_LEN]) -> Result<Vec<Stanza>> {
        Ok(self.wrap(&Zeroizing::new(*file_key))?.stanzas)
    }

    /// The text that [`FromStr`] reads; `None` for a passphrase, and for several strings of a plugin.
    ///
    /// ```
    /// use sealstone::interop::age::Identity;
    ///
    /// let identity: Identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX".parse()?;
    /// let text = identity.recipient().to_text().expect("it is no passphrase");
    /// assert_eq!(text, "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match &self.0 {
            RecipientKey::X25519(key) => {
                let recipient = crate::Recipient::from_bytes(Kind::X25519, key);
                recipient.expect("key: a point that was read").to_bech32()
            }
            RecipientKey::Hybrid(key) => key.to_bech32(),
            RecipientKey::Ssh(key) => Some(format!("{} {}", self.stanza_kind(), encode_base64(&key.blob()))),
            RecipientKey::Plugin(recipient) => {
                let mut strings = recipient.strings();
                strings.next().filter(|_| strings.next().is_none()).map(str::to_owned)
            }
            RecipientKey::Passphrase(..) => None,
        }
    }

    /// The type of the recipient's stanza; `plugin` for a plugin, whose stanzas may have any type.
    #[must_use]
    pub fn stanza_kind(&self) -> &'static str {
        match &self.0 {
            RecipientKey::X25519(_) => X25519,
            RecipientKey::Hybrid(_) => HYBRID,
            RecipientKey::Passphrase(..) => SCRYPT,
            RecipientKey::Ssh(login::PublicKey::Ed25519(_)) => SSH_ED25519,
            RecipientKey::Ssh(login::PublicKey::Rsa(_)) => SSH_RSA,
            RecipientKey::Plugin(recipient) if recipient.name() == tag::NAME => P256_TAG,
            RecipientKey::Plugin(_) => "plugin",
        }
    }

    /// The strength; `None` for a plugin, which states it when it wraps.
    pub(super) fn strength(&self) -> Option<Strength> {
        match &self.0 {
            RecipientKey::X25519(_) | RecipientKey::Ssh(_) => Some(Strength::Classical),
            RecipientKey::Hybrid(_) => Some(Strength::PostQuantum),
            RecipientKey::Passphrase(..) => Some(Strength::Alone),
            RecipientKey::Plugin(recipient) => (recipient.name() == tag::NAME).then_some(Strength::Classical),
        }
    }

    /// Wraps the file key; returns the stanzas, and the labels of the recipients that may be mixed with them.
    pub(super) fn wrap(&self, file_key: &FileKey) -> Result<Wrapped> {
        match &self.0 {
            RecipientKey::Plugin(recipient) => {
                let wrapped = recipient.wrap(file_key)?;
                // A malformed stanza would lock all other recipients out of the file.
                if wrapped.stanzas.iter().try_for_each(check).is_err() {
                    let fault = PluginFault::Protocol("a stanza does not have the structure of its type");
                    return Err(Error::PluginFailed { plugin: recipient.name().into(), fault });
                }
                Ok(wrapped)
            }
            RecipientKey::Hybrid(_) => Ok(Wrapped::post_quantum([self.wrap_alone(file_key)?])),
            _ => Ok(Wrapped::classical([self.wrap_alone(file_key)?])),
        }
    }

    fn wrap_alone(&self, file_key: &FileKey) -> Result<Stanza> {
        match &self.0 {
            RecipientKey::X25519(key) => {
                let ephemeral = SecretKey::generate()?;
                let secret = agree(&ephemeral, key).map_err(low_order_recipient)?;
                let share = ephemeral.public_key();
                let wrapped = seal(&wrap_key(&secret[..], &share, key, X25519_INFO)[..], file_key)?;
                Stanza::new(X25519, [encode_base64_unpadded(&share)], wrapped)
            }
            RecipientKey::Hybrid(key) => {
                let Public::Kem(_, key) = &key.0 else { unreachable!("key: hybrid keys are a KEM's") };
                let mut sealed = key.seal(b"", AeadId::ChaCha20Poly1305, HYBRID_INFO, b"", &file_key[..])?;
                let wrapped = sealed.split_off(HYBRID_ENC_LEN);
                Stanza::new(HYBRID, [encode_base64_unpadded(&sealed)], wrapped)
            }
            RecipientKey::Passphrase(passphrase, log_n) => {
                let (salt, key) = stretch::new_key(passphrase, *log_n)?;
                Stanza::new(SCRYPT, [encode_base64_unpadded(&salt), log_n.to_string()], seal(&key[..], file_key)?)
            }
            RecipientKey::Ssh(key) => wrap_ssh(key, file_key),
            RecipientKey::Plugin(_) => unreachable!("key: a plugin wraps by itself"),
        }
    }
}

fn wrap_ssh(key: &login::PublicKey, file_key: &FileKey) -> Result<Stanza> {
    let blob = key.blob();
    let tag = encode_base64_unpadded(&tag_of(&blob));
    match key {
        login::PublicKey::Ed25519(point) => {
            let key = crate::ed25519::PublicKey::from_bytes(point).map_err(low_order_recipient)?.to_x25519();
            let ephemeral = SecretKey::generate()?;
            let secret = agree(&tweak(&blob)?, &*agree(&ephemeral, &key).map_err(low_order_recipient)?)?;
            let share = ephemeral.public_key();
            let wrapped = seal(&wrap_key(&secret[..], &share, &key, SSH_ED25519_INFO)[..], file_key)?;
            Stanza::new(SSH_ED25519, [tag, encode_base64_unpadded(&share)], wrapped)
        }
        login::PublicKey::Rsa(key) => Stanza::new(SSH_RSA, [tag], key.encrypt(&OAEP, &file_key[..])?),
    }
}

impl TryFrom<crate::Recipient> for Recipient {
    type Error = Error;

    fn try_from(recipient: crate::Recipient) -> Result<Self> {
        Ok(Self(match (&recipient.0, recipient.kind()) {
            (Public::Kem(_, key), Kind::X25519) => {
                RecipientKey::X25519(key.to_bytes()[..].try_into().expect("key: a point has 32 bytes"))
            }
            (_, Kind::Hybrid) => RecipientKey::Hybrid(recipient),
            (Public::Passphrase(passphrase), _) => RecipientKey::Passphrase(passphrase.clone(), WRITER_LOG_N),
            (Public::Plugin(recipient), _) => RecipientKey::Plugin(recipient.recipient().clone()),
            _ => return Err(UnsupportedKey::OtherFamily.into()),
        }))
    }
}

conversions! {
    Recipient:
    Passphrase => |passphrase| Recipient(RecipientKey::Passphrase(passphrase, WRITER_LOG_N));
    plugin::Recipient => |recipient| Recipient(RecipientKey::Plugin(recipient));
}

impl FromStr for Recipient {
    type Err = Error;

    /// Reads a string that begins with `age1`, including `age1tag1`, or a line of `authorized_keys` without options.
    /// [`plugin::Recipient::new`] reads strings of plugins.
    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("ssh-") || text.starts_with("ecdsa-") || text.starts_with("sk-") {
            return login::PublicKey::from_line(text).map(|key| Self(RecipientKey::Ssh(key)));
        }
        match plugin::Recipient::plugin_of(text).as_deref() {
            Some(tag::NAME) => Tag::recipient([text]).map(Self::from),
            Some(_) => Err(Error::InvalidRecipient(KeyFault::OfPlugin)),
            None => match single(parse_recipient_strings(text))? {
                Some(recipient) => recipient.try_into(),
                None => Err(Error::InvalidRecipient(NO_STRING)),
            },
        }
    }
}

const NO_STRING: KeyFault = KeyFault::Other("it is not the string of one age key");

/// The key of a text with exactly one key.
fn single<T>(read: std::result::Result<Option<Vec<T>>, KeyFileError>) -> Result<Option<T>> {
    let mut keys = read.map_err(|error| error.error)?.unwrap_or_default().into_iter();
    Ok(keys.next().filter(|_| keys.next().is_none()))
}

debug!(|recipient: Recipient| "Recipient({})", recipient.stanza_kind());

const OAEP: Oaep<'_> = Oaep { hash: hash::Algorithm::Sha256, label: SSH_RSA_LABEL };

fn low_order_recipient(_: Error) -> Error {
    Error::InvalidRecipient(KeyFault::Other("its point has low order"))
}

fn agree(key: &SecretKey, point: &[u8; POINT_LEN]) -> Result<Zeroizing<[u8; POINT_LEN]>> {
    key.diffie_hellman(point).ok_or(LOW_ORDER)
}

/// The scalar that multiplies the shared point of an SSH key once more, to separate this use of the key from other protocols.
fn tweak(blob: &[u8]) -> Result<SecretKey> {
    let mut tweak = Zeroizing::new([0; POINT_LEN]);
    hkdf_sha256(b"", blob, SSH_ED25519_INFO, &mut tweak[..]);
    SecretKey::from_bytes(&tweak[..])
}

fn wrap_key(secret: &[u8], share: &[u8], public: &[u8], info: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    hkdf_sha256(secret, &[share, public].concat(), info, &mut key[..]);
    key
}

/// The nonce is zero because every key is used once.
const NONCE: [u8; NONCE_LEN] = [0; NONCE_LEN];

fn seal(key: &[u8], file_key: &FileKey) -> Result<Vec<u8>> {
    Aead::new(Algorithm::ChaCha20Poly1305, key)?.seal(&NONCE, b"", &file_key[..])
}

fn open(key: &[u8], nonce: &[u8], stanza: &Stanza) -> Result<Option<FileKey>> {
    let mut file_key = Zeroizing::new([0; FILE_KEY_LEN]);
    let key = Aead::new(Algorithm::ChaCha20Poly1305, key)?;
    match key.open_into(nonce, b"", wrapped(stanza)?, &mut file_key[..]) {
        Ok(()) => Ok(Some(file_key)),
        Err(Error::NotAuthentic { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
