//! Who a file is for, and who opens it; and the stanza of each.

use super::header::{FILE_KEY_LEN, FileKey, STANZAS_MAX};
use super::stretch::{self, SALT_LEN};
use super::tag::{self, P256_TAG, TAG_OF_KEY_LEN, Tag, tag_of};
use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::encoding::{decode_base64_unpadded, encode_base64, encode_base64_unpadded};
use crate::error::{Error, KeyFault, PluginFault, RecipientsRule, Result, UnsupportedKey};
use crate::hash;
use crate::kdf::hkdf_sha256;
use crate::kem::hpke::AeadId;
use crate::key::{KeyFileError, Kind, Public, Secret, login, parse_identity_strings, parse_recipient_strings};
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
/// What plugins write and read: only its strength is known here.
const HYBRID_TAG: &str = "mlkem768p256tag";

/// What the file key is sealed with, and RSA's OAEP labelled.
const X25519_INFO: &[u8] = b"age-encryption.org/v1/X25519";
const SSH_ED25519_INFO: &[u8] = b"age-encryption.org/v1/ssh-ed25519";
const SSH_RSA_LABEL: &[u8] = b"age-encryption.org/v1/ssh-rsa";
const HYBRID_INFO: &[u8] = b"age-encryption.org/mlkem768x25519";

const POINT_LEN: usize = 32;
const HYBRID_ENC_LEN: usize = 1120;
const WRAPPED_LEN: usize = FILE_KEY_LEN + TAG_LEN;

/// What age itself writes, and the most that it reads: 2^18 and 2^22 blocks of 1 KiB. A reader here takes 2^20 unless it is told more.
const WRITER_LOG_N: u8 = 18;
pub(super) const LOG_N_USUAL: u8 = 20;
pub(super) const LOG_N_MAX: u8 = 22;

/// What a stanza's type says, where it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    Classical,
    PostQuantum,
    /// A passphrase, which is alone.
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

/// Checks what is known of a stanza's form: of a known type it fails the file, whoever it is for.
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

/// What a passphrase's stanza asks for: a salt, and the logarithm of N.
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

/// Whether stanzas of a header are a passphrase's, which is alone then; all of known types must have their form.
pub(super) fn judged(stanzas: &[Stanza]) -> Result<bool> {
    stanzas.iter().try_for_each(check)?;
    let is_alone = |stanza| strength(stanza) == Some(Strength::Alone);
    let is_of_passphrase = stanzas.iter().any(is_alone);
    if is_of_passphrase && stanzas.len() > 1 {
        return Err(Error::MalformedHeader("a passphrase is not the only recipient (age)"));
    }
    Ok(is_of_passphrase)
}

/// Whether a file may have these stanzas, by the types that are known.
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

/// Whether anybody reads a file of such a passphrase.
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

/// The share of a stanza of type `X25519`, of which a private key that is elsewhere makes a secret for [`x25519_file_key`].
///
/// # Errors
/// [`Error::MalformedHeader`].
pub fn x25519_share(stanza: &Stanza) -> Result<[u8; POINT_LEN]> {
    let [share] = arguments(stanza)?;
    decode(share)
}

/// The file key of a stanza of type `X25519`, for a private key that is elsewhere, as in an HSM or in a browser: `secret` is what that key
/// and the stanza's share have in common, and `public` the key's public half. None where the stanza is another key's.
///
/// # Errors
/// [`Error::MalformedHeader`], also for a share of low order.
pub fn x25519_file_key(
    stanza: &Stanza,
    public: &[u8; POINT_LEN],
    secret: &[u8; POINT_LEN],
) -> Result<Option<Zeroizing<[u8; FILE_KEY_LEN]>>> {
    let share = x25519_share(stanza)?;
    // Of a point of low order every key makes zero, and nothing is secret then.
    if mac::equal(secret, &[0; POINT_LEN]) {
        return Err(LOW_ORDER);
    }
    open(&wrap_key(secret, &share, public, X25519_INFO)[..], &NONCE, stanza)
}

/// Opens files of age.
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
pub struct Identity(Own);

#[derive(Clone)]
enum Own {
    X25519(Arc<SecretKey>),
    Hybrid(crate::Identity),
    Passphrase(Passphrase),
    Ssh(Arc<login::PrivateKey>),
    Plugin(plugin::Identity),
}

impl Identity {
    /// Reads a private key of SSH, of Ed25519 or RSA with at least 2048 bits: OpenSSH's form, PKCS#8 and PKCS#1 in PEM.
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
        login::PrivateKey::parse(file.as_ref(), passphrase).map(|key| Self(Own::Ssh(key.into())))
    }

    /// Reads a string that begins with `AGE-SECRET-KEY-`, and nothing else: a module of WebAssembly has no code for other forms then.
    ///
    /// ```
    /// use sealstone::interop::age::Identity;
    ///
    /// assert!(Identity::from_string("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX").is_ok());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for kinds that age has not.
    pub fn from_string(text: &str) -> Result<Self> {
        if plugin::Identity::plugin_of(text).is_some() {
            return Err(Error::InvalidIdentity(KeyFault::OfPlugin));
        }
        match only(parse_identity_strings(text))? {
            Some(identity) => identity.try_into(),
            None => Err(Error::InvalidIdentity(NO_STRING)),
        }
    }

    /// Who encrypts to this identity.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient(match &self.0 {
            Own::X25519(key) => Other::X25519(key.public_key()),
            Own::Hybrid(key) => Other::Hybrid(key.recipient()),
            Own::Passphrase(passphrase) => Other::Passphrase(passphrase.clone(), WRITER_LOG_N),
            Own::Ssh(key) => Other::Ssh(key.public_key()),
            Own::Plugin(identity) => Other::Plugin(identity.recipient()),
        })
    }

    pub(super) fn passphrase(&self) -> Option<&Passphrase> {
        match &self.0 {
            Own::Passphrase(passphrase) => Some(passphrase),
            _ => None,
        }
    }

    pub(super) fn as_plugin(&self) -> Option<&plugin::Identity> {
        if let Own::Plugin(identity) = &self.0 { Some(identity) } else { None }
    }

    /// The file key, of a stanza for this identity, which is none of a plugin. The stanza was [`check`]ed.
    pub(super) fn unwrap(&self, stanza: &Stanza, log_n_max: u8) -> Result<Option<FileKey>> {
        match (&self.0, stanza.kind()) {
            (Own::X25519(key), X25519) => {
                let share = x25519_share(stanza)?;
                let secret = agree(key, &share)?;
                open(&wrap_key(&secret[..], &share, &key.public_key(), X25519_INFO)[..], &NONCE, stanza)
            }
            (Own::Hybrid(key), HYBRID) => {
                let Secret::Kem { key, .. } = &key.0 else { unreachable!("key: hybrid keys are a KEM's") };
                let [enc] = arguments(stanza)?;
                let enc = decode::<HYBRID_ENC_LEN>(enc)?;
                let schedule = key.decapsulate(AeadId::ChaCha20Poly1305, &enc, HYBRID_INFO).ok_or(LOW_ORDER)?;
                open(&schedule.key[..], &schedule.base_nonce[..], stanza)
            }
            (Own::Passphrase(passphrase), SCRYPT) => {
                let (salt, log_n) = scrypt_cost(stanza)?;
                if log_n > log_n_max {
                    return Err(TOO_MUCH);
                }
                open(&stretch::key(passphrase, salt, log_n)?[..], &NONCE, stanza)
            }
            (Own::Ssh(key), kind) => unwrap_ssh(key, kind, stanza),
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
            (Secret::Kem { bytes, .. }, Kind::X25519) => Own::X25519(SecretKey::from_bytes(bytes)?.into()),
            (_, Kind::Hybrid) => Own::Hybrid(identity),
            (Secret::Passphrase(passphrase), _) => Own::Passphrase(passphrase.clone()),
            (Secret::Plugin(identity), _) => Own::Plugin(identity.identity().clone()),
            _ => return Err(UnsupportedKey::OtherFamily.into()),
        }))
    }
}

impl From<Passphrase> for Identity {
    fn from(passphrase: Passphrase) -> Self {
        Self(Own::Passphrase(passphrase))
    }
}

impl From<plugin::Identity> for Identity {
    fn from(identity: plugin::Identity) -> Self {
        Self(Own::Plugin(identity))
    }
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

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Identity({}, ..)", self.recipient().stanza_kind())
    }
}

/// Whom files of age are encrypted to.
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
pub struct Recipient(Other);

#[derive(Clone)]
enum Other {
    X25519([u8; POINT_LEN]),
    Hybrid(crate::Recipient),
    /// With the logarithm of scrypt's N.
    Passphrase(Passphrase, u8),
    Ssh(login::PublicKey),
    Plugin(plugin::Recipient),
}

impl Recipient {
    /// A passphrase that costs another amount of work of scrypt than [`From`] has, as the logarithm of N: each takes twice the time
    /// and memory of the one before. It is 18 otherwise, and 256 MiB.
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
    /// With less than 18 a passphrase is guessed faster: that is for passphrases of 128 bits.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for 0 and more than 22.
    pub fn of_passphrase(passphrase: Passphrase, log_n: u8) -> Result<Self> {
        check_work(log_n)?;
        Ok(Self(Other::Passphrase(passphrase, log_n)))
    }

    /// What is derived of it for a file, at which cost, where it is a passphrase.
    pub(super) fn passphrase(&self) -> Option<(&Passphrase, u8)> {
        match &self.0 {
            Other::Passphrase(passphrase, log_n) => Some((passphrase, *log_n)),
            _ => None,
        }
    }

    /// Wraps a file key that the caller has, for [`FileSealer::of_stanzas`](super::FileSealer::of_stanzas).
    ///
    /// # Errors
    /// [`Error::InvalidRecipient`] for a point of low order; [`Error::UnavailableBackend`] for a key of RSA in WebAssembly;
    /// [`Error::PluginFailed`]; [`Error::NoRandomness`].
    pub fn wrap_file_key(&self, file_key: &[u8; FILE_KEY_LEN]) -> Result<Vec<Stanza>> {
        Ok(self.wrap(&Zeroizing::new(*file_key))?.stanzas)
    }

    /// Its text, as [`FromStr`] reads it; none for a passphrase, and for several strings of a plugin.
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
            Other::X25519(key) => {
                let recipient = crate::Recipient::from_bytes(Kind::X25519, key);
                recipient.expect("key: a point that was read").to_bech32()
            }
            Other::Hybrid(key) => key.to_bech32(),
            Other::Ssh(key) => Some(format!("{} {}", self.stanza_kind(), encode_base64(&key.blob()))),
            Other::Plugin(recipient) => {
                let mut strings = recipient.strings();
                strings.next().filter(|_| strings.next().is_none()).map(str::to_owned)
            }
            Other::Passphrase(..) => None,
        }
    }

    /// The type of the stanza that a file has for it; of a plugin's, which are of any type, `plugin`.
    #[must_use]
    pub fn stanza_kind(&self) -> &'static str {
        match &self.0 {
            Other::X25519(_) => X25519,
            Other::Hybrid(_) => HYBRID,
            Other::Passphrase(..) => SCRYPT,
            Other::Ssh(login::PublicKey::Ed25519(_)) => SSH_ED25519,
            Other::Ssh(login::PublicKey::Rsa(_)) => SSH_RSA,
            Other::Plugin(recipient) if recipient.name() == tag::NAME => P256_TAG,
            Other::Plugin(_) => "plugin",
        }
    }

    /// `None` of plugins, which say it with what they wrapped.
    pub(super) fn strength(&self) -> Option<Strength> {
        match &self.0 {
            Other::X25519(_) | Other::Ssh(_) => Some(Strength::Classical),
            Other::Hybrid(_) => Some(Strength::PostQuantum),
            Other::Passphrase(..) => Some(Strength::Alone),
            Other::Plugin(recipient) => (recipient.name() == tag::NAME).then_some(Strength::Classical),
        }
    }

    /// The stanzas of the file key, and the labels that say with what they go.
    pub(super) fn wrap(&self, file_key: &FileKey) -> Result<Wrapped> {
        match &self.0 {
            Other::Plugin(recipient) => {
                let wrapped = recipient.wrap(file_key)?;
                // A stanza that is wrong would keep all others from the file.
                if wrapped.stanzas.iter().try_for_each(check).is_err() {
                    let fault = PluginFault::Protocol("a stanza does not have the structure of its type");
                    return Err(Error::PluginFailed { plugin: recipient.name().into(), fault });
                }
                Ok(wrapped)
            }
            Other::Hybrid(_) => Ok(Wrapped::post_quantum([self.wrap_alone(file_key)?])),
            _ => Ok(Wrapped::classical([self.wrap_alone(file_key)?])),
        }
    }

    fn wrap_alone(&self, file_key: &FileKey) -> Result<Stanza> {
        match &self.0 {
            Other::X25519(key) => {
                let ephemeral = SecretKey::generate()?;
                let secret = agree(&ephemeral, key).map_err(invalid)?;
                let share = ephemeral.public_key();
                let wrapped = seal(&wrap_key(&secret[..], &share, key, X25519_INFO)[..], file_key)?;
                Stanza::new(X25519, [encode_base64_unpadded(&share)], wrapped)
            }
            Other::Hybrid(key) => {
                let Public::Kem(_, key) = &key.0 else { unreachable!("key: hybrid keys are a KEM's") };
                let mut sealed = key.seal(b"", AeadId::ChaCha20Poly1305, HYBRID_INFO, b"", &file_key[..])?;
                let wrapped = sealed.split_off(HYBRID_ENC_LEN);
                Stanza::new(HYBRID, [encode_base64_unpadded(&sealed)], wrapped)
            }
            Other::Passphrase(passphrase, log_n) => {
                let (salt, key) = stretch::new_key(passphrase, *log_n)?;
                Stanza::new(SCRYPT, [encode_base64_unpadded(&salt), log_n.to_string()], seal(&key[..], file_key)?)
            }
            Other::Ssh(key) => wrap_ssh(key, file_key),
            Other::Plugin(_) => unreachable!("key: a plugin wraps by itself"),
        }
    }
}

fn wrap_ssh(key: &login::PublicKey, file_key: &FileKey) -> Result<Stanza> {
    let blob = key.blob();
    let tag = encode_base64_unpadded(&tag_of(&blob));
    match key {
        login::PublicKey::Ed25519(point) => {
            let key = crate::ed25519::PublicKey::from_bytes(point).map_err(invalid)?.to_x25519();
            let ephemeral = SecretKey::generate()?;
            let secret = agree(&tweak(&blob)?, &*agree(&ephemeral, &key).map_err(invalid)?)?;
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
                Other::X25519(key.to_bytes()[..].try_into().expect("key: a point has 32 bytes"))
            }
            (_, Kind::Hybrid) => Other::Hybrid(recipient),
            (Public::Passphrase(passphrase), _) => Other::Passphrase(passphrase.clone(), WRITER_LOG_N),
            (Public::Plugin(recipient), _) => Other::Plugin(recipient.recipient().clone()),
            _ => return Err(UnsupportedKey::OtherFamily.into()),
        }))
    }
}

impl From<Passphrase> for Recipient {
    fn from(passphrase: Passphrase) -> Self {
        Self(Other::Passphrase(passphrase, WRITER_LOG_N))
    }
}

impl From<plugin::Recipient> for Recipient {
    fn from(recipient: plugin::Recipient) -> Self {
        Self(Other::Plugin(recipient))
    }
}

impl FromStr for Recipient {
    type Err = Error;

    /// Reads a string that begins with `age1`, also with `age1tag1`, or a line of `authorized_keys` without options. Strings of plugins
    /// are read by [`plugin::Recipient::new`].
    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("ssh-") || text.starts_with("ecdsa-") || text.starts_with("sk-") {
            return login::PublicKey::from_line(text).map(|key| Self(Other::Ssh(key)));
        }
        match plugin::Recipient::plugin_of(text).as_deref() {
            Some(tag::NAME) => Tag::recipient([text]).map(Self::from),
            Some(_) => Err(Error::InvalidRecipient(KeyFault::OfPlugin)),
            None => match only(parse_recipient_strings(text))? {
                Some(recipient) => recipient.try_into(),
                None => Err(Error::InvalidRecipient(NO_STRING)),
            },
        }
    }
}

const NO_STRING: KeyFault = KeyFault::Other("it is not the string of one age key");

/// The key of a text that has one, as a string.
fn only<T>(read: std::result::Result<Option<Vec<T>>, KeyFileError>) -> Result<Option<T>> {
    let mut keys = read.map_err(|error| error.error)?.unwrap_or_default().into_iter();
    Ok(keys.next().filter(|_| keys.next().is_none()))
}

impl std::fmt::Debug for Recipient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recipient({})", self.stanza_kind())
    }
}

const OAEP: Oaep<'_> = Oaep { hash: hash::Algorithm::Sha256, label: SSH_RSA_LABEL };

fn invalid(_: Error) -> Error {
    Error::InvalidRecipient(KeyFault::Other("its point has low order"))
}

fn agree(key: &SecretKey, point: &[u8; POINT_LEN]) -> Result<Zeroizing<[u8; POINT_LEN]>> {
    key.diffie_hellman(point).ok_or(LOW_ORDER)
}

/// What a point of an SSH key is multiplied by once more, so that its use here is apart from that in other protocols.
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

/// A key is used once.
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
