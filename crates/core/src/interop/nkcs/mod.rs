//! Verifies signatures of nkCryptoTool (NKCS), and writes them for users of that program.
//!
//! ```
//! use sealstone::Input;
//! use sealstone::interop::nkcs::{SignatureReader, SignatureWriter, SigningKey};
//! use sealstone::sign::{Kind, PrivateKey};
//!
//! let key = SigningKey::new(PrivateKey::generate(Kind::MlDsa65)?)?;
//! let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..]))?;
//! assert!(signature.starts_with(b"NKCS"));
//!
//! let reader = SignatureReader::new([key.public_key()])?;
//! let verified = reader.detached(Input::reader(&b"attack at dawn"[..]), &signature)?;
//! assert_eq!(verified.key(), &key.public_key());
//! let changed = reader.detached(Input::reader(&b"attack at dusk"[..]), &signature);
//! assert_eq!(changed.unwrap_err().code(), "invalid_signature");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! A signature has a file of its own, and does not name its key. [`Kind::P256Sign`] signs with ECDSA over SHA3-512, as version
//! 1; [`Kind::MlDsa44`], [`Kind::MlDsa65`] and [`Kind::MlDsa87`] sign with ML-DSA and a context, as version 2. Both editions of
//! nkCryptoTool verify these signatures. The reader also accepts:
//!
//! - ML-DSA without a context of version 1, in each layout of the builds of April 2026;
//! - ECDSA over another digest than the header names, since the C++ edition always writes `SHA3-512` there;
//! - a signature without a header, as builds before 2026-04-10 wrote it, if the caller [allows](SignatureReader::allow_bare)
//!   it.
//!
//! Content of any length is read once and not kept in memory.
//!
//! # Security
//! The [security of signature files](crate::signature#security) applies here too. There is no namespace and no comment. The
//! header is not signed, so the only trustworthy fact about a file is the key that verified it. Another key and a damaged
//! signature give the same error, since a signature does not name its key. A version 1 signature of ML-DSA may have been made
//! for another protocol.

mod container;

pub use container::MAX_LEN;

use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::hash::{Digest, Hasher};
use crate::key::nkcs as key;
use crate::password::Passphrase;
use crate::pipeline::{Input, Meter, Sequence, Settings, run_in_sequence};
use crate::reserved::{Head, RESERVED};
use crate::sign::{Kind, Mu, PrivateKey, PublicKey};
use container::{Container, MAGIC, USUAL, Value};
use std::io;
use std::sync::Arc;

/// Whether a file begins as a signature of nkCryptoTool, valid or not.
///
/// ```
/// use sealstone::interop::nkcs;
///
/// assert!(nkcs::begins(b"NKCS\x02\x00\x02"));
/// assert!(!nkcs::begins(b"-----BEGIN SSH SIGNATURE-----"));
/// ```
#[must_use]
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// The kind of the key that made a signature, read from the whole signature. It does not verify the signature.
///
/// ```
/// use sealstone::interop::nkcs;
///
/// assert_eq!(nkcs::kind(b"NKCS\x02\x00\x02").unwrap_err().code(), "malformed_signature");
/// ```
///
/// # Errors
/// [`Error::NotASignature`], [`Error::MalformedSignature`], [`Error::UnsupportedSignature`].
pub fn kind(signature: &[u8]) -> Result<Kind> {
    Container::read(signature).map(|container| container.value.kind())
}

/// Refuses a kind whose keys do not make such signatures.
fn check_kind(kind: Kind) -> Result<()> {
    container::header(kind).map(drop).ok_or_else(|| UnsupportedKey::NkcsKind.into())
}

/// A private key for signatures, of `p256-sign`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. It is zeroed on drop, and never
/// printed.
///
/// ```
/// use sealstone::interop::nkcs::SigningKey;
/// use sealstone::sign::{Kind, PrivateKey};
///
/// let key = PrivateKey::generate(Kind::MlDsa44)?;
/// let read = SigningKey::parse(&*key.to_pem(None)?, None)?;
/// assert_eq!(read.public_key(), key.public_key());
/// let ed25519 = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?);
/// assert_eq!(ed25519.unwrap_err().code(), "unsupported_key");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey(key::SigningKey);

impl SigningKey {
    /// Takes an application's key.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for another kind.
    pub fn new(key: impl Into<Arc<PrivateKey>>) -> Result<Self> {
        let key = key.into();
        check_kind(key.kind())?;
        Ok(Self(key::SigningKey::Whole(key)))
    }

    /// Reads a file with one private key, in each form that nkCryptoTool's editions wrote: PKCS#8, encrypted PKCS#8 and SEC1,
    /// under the label `PRIVATE KEY` or their own. For ML-DSA, the file may hold the seed, the expanded key, or both.
    ///
    /// A key without its seed signs only files of nkCryptoTool, because Sealstone's own forms of keys need the seed.
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] for a damaged key, and for a public key; [`Error::UnsupportedKey`] for other kinds of keys, and
    /// for a key wrapped by a TPM; [`Error::PassphraseRequired`]; [`Error::WrongPassphrase`] and [`Error::NoMatchingIdentity`];
    /// [`Error::CostTooHigh`].
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        key::SigningKey::parse(file.as_ref(), passphrase).map(Self)
    }

    /// The kind of the key.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.public_key().kind()
    }

    /// The public key, which verifies the signatures.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.0.public_key()
    }

    /// Signs µ, with a key of ML-DSA.
    pub(super) fn sign_mu(&self, mu: Mu) -> Result<Vec<u8>> {
        match &self.0 {
            key::SigningKey::Whole(key) => key.sign_mu(&mu.finish()),
            key::SigningKey::Expanded(key) => key.sign_mu(&mu.finish()),
        }
    }

    fn sign_digest(&self, digest: &Digest) -> Result<Vec<u8>> {
        match &self.0 {
            key::SigningKey::Whole(key) => key.sign_digest(digest.as_bytes()),
            key::SigningKey::Expanded(_) => unreachable!("nkcs: ML-DSA signs no digests"),
        }
    }
}

debug!(|key: SigningKey| "SigningKey({}, ..)", key.kind());

/// Signs content.
///
/// ```
/// use sealstone::Input;
/// use sealstone::interop::nkcs::{SignatureWriter, SigningKey};
/// use sealstone::sign::{Kind, PrivateKey};
///
/// let key = SigningKey::new(PrivateKey::generate(Kind::P256Sign)?)?;
/// let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..]))?;
/// assert!(signature.len() < 120);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SignatureWriter {
    key: SigningKey,
    settings: Settings,
}

impl SignatureWriter {
    /// Signs with a key.
    #[must_use]
    pub fn new(key: &SigningKey) -> Self {
        Self { key: key.clone(), settings: Settings::default() }
    }

    crate::pipeline::callback_methods!();

    /// Signs an input; returns a signature for a file of its own.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for a private key of SSH, for a damaged key, and, with `p256-sign`, for content that begins with
    /// the prefix of data signed by [signature files](crate::signature); [`Error::InputChanged`] and [`Error::Io`] from files;
    /// [`Error::Cancelled`]; [`Error::NoRandomness`].
    pub fn detached(&self, input: Input<'_>) -> Result<Vec<u8>> {
        let public = self.key.public_key();
        let (mut signature, context) = container::header(public.kind()).expect("nkcs: the kind was checked");
        let mut state = if public.kind().has_mu() {
            ContentState { mus: vec![Mu::new(&public, context)], ..ContentState::default() }
        } else {
            ContentState { hashers: vec![Hasher::new(USUAL)], ..ContentState::default() }
        };
        hash_input(input, &mut state, &self.settings)?;
        let ContentState { mut mus, mut hashers, head } = state;
        let value = match (mus.pop(), hashers.pop()) {
            (Some(mu), _) => self.key.sign_mu(mu)?,
            (None, Some(_)) if head.is_reserved() => return Err(Error::InvalidKey(RESERVED)),
            (None, Some(hasher)) => self.key.sign_digest(&hasher.finish())?,
            (None, None) => unreachable!("nkcs: a key signs one of both"),
        };
        signature.extend_from_slice(&value);
        Ok(signature)
    }
}

/// Verifies signatures.
///
/// ```
/// use sealstone::Input;
/// use sealstone::interop::nkcs::{SignatureReader, SignatureWriter, SigningKey};
/// use sealstone::sign::{Kind, PrivateKey};
///
/// let keys = [PrivateKey::generate(Kind::P256Sign)?, PrivateKey::generate(Kind::MlDsa87)?];
/// let reader = SignatureReader::new(keys.iter().map(PrivateKey::public_key))?;
/// for key in keys {
///     let signature = SignatureWriter::new(&SigningKey::new(key)?).detached(Input::reader(&b"attack at dawn"[..]))?;
///     assert_eq!(reader.detached(Input::reader(&b"attack at dawn"[..]), &signature)?.content_len(), 14);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SignatureReader {
    keys: Vec<PublicKey>,
    allow_bare: bool,
    settings: Settings,
}

impl SignatureReader {
    /// Trusts these keys. The reader tries the keys of the signature's kind in this order.
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] if there is no key; [`Error::UnsupportedKey`] for a kind that does not make such signatures.
    pub fn new(keys: impl IntoIterator<Item = PublicKey>) -> Result<Self> {
        let keys: Vec<PublicKey> = keys.into_iter().collect();
        keys.iter().try_for_each(|key| check_kind(key.kind()))?;
        if keys.is_empty() {
            return Err(Error::InvalidSigner(KeyFault::Other("there is no signer")));
        }
        Ok(Self { keys, allow_bare: false, settings: Settings::default() })
    }

    /// Sets whether to accept a signature without a header, as builds before 2026-04-10 wrote it. By default it is refused,
    /// because any bytes of its length look like one.
    #[must_use]
    pub fn allow_bare(self, allow_bare: bool) -> Self {
        Self { allow_bare, ..self }
    }

    crate::pipeline::callback_methods!();

    /// Verifies content by its signature. The first [`MAX_LEN`] + 1 bytes of the signature's file suffice. The content is read
    /// only if everything else is right.
    ///
    /// # Errors
    /// - [`Error::NotASignature`], [`Error::MalformedSignature`], [`Error::UnsupportedSignature`];
    /// - [`Error::InvalidSignature`] if no trusted key made the signature, if it is damaged, or if the content was changed;
    /// - [`Error::InputChanged`] and [`Error::Io`] from files; [`Error::Cancelled`].
    pub fn detached(&self, content: Input<'_>, signature: &[u8]) -> Result<Verified> {
        let Container { version, value } = match Container::read(signature) {
            Err(Error::NotASignature(_)) if self.allow_bare => Container::read_bare(signature)?,
            container => container?,
        };
        let kind = value.kind();
        let keys: Vec<&PublicKey> = self.keys.iter().filter(|key| key.kind() == kind).collect();
        if keys.is_empty() {
            return Err(untrusted_kind(kind));
        }
        let mut state = match &value {
            Value::Ecdsa { hashes, .. } => {
                ContentState { hashers: hashes.iter().copied().map(Hasher::new).collect(), ..ContentState::default() }
            }
            Value::MlDsa { context, .. } => {
                ContentState { mus: keys.iter().map(|key| Mu::new(key, context)).collect(), ..ContentState::default() }
            }
        };
        let content = hash_input(content, &mut state, &self.settings)?;
        // The key signed this as a signature file, and not as content.
        if value.context().is_empty() && state.head.is_reserved() {
            return Err(Error::InvalidSignature(RESERVED));
        }
        let key = match value {
            Value::Ecdsa { der, .. } => {
                let digests: Vec<Digest> = state.hashers.into_iter().map(Hasher::finish).collect();
                keys.into_iter().find(|key| digests.iter().any(|one| key.verify_digest(one.as_bytes(), der).is_ok()))
            }
            Value::MlDsa { signature, .. } => {
                let mut mus = keys.into_iter().zip(state.mus);
                mus.find_map(|(key, mu)| key.verify_mu(&mu.finish(), signature).is_ok().then_some(key))
            }
        };
        let key = key.ok_or(Error::InvalidSignature("it is damaged, or belongs to another key or content"))?;
        Ok(Verified { key: key.clone(), version, content })
    }
}

/// The error for a signature of a kind that no trusted key has.
fn untrusted_kind(kind: Kind) -> Error {
    Error::InvalidSignature(match kind {
        Kind::P256Sign => "it is made with p256-sign, and no trusted key is of that kind",
        Kind::MlDsa44 => "it is made with ml-dsa-44, and no trusted key is of that kind",
        Kind::MlDsa65 => "it is made with ml-dsa-65, and no trusted key is of that kind",
        _ => "it is made with ml-dsa-87, and no trusted key is of that kind",
    })
}

/// The facts that a verified signature proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    key: PublicKey,
    version: Option<u16>,
    content: u64,
}

impl Verified {
    /// The key that signed.
    #[must_use]
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The version of the format; `None` for a signature without a header.
    #[must_use]
    pub fn version(&self) -> Option<u16> {
        self.version
    }

    /// Bytes of the content.
    #[must_use]
    pub fn content_len(&self) -> u64 {
        self.content
    }
}

/// The hash states of content, one for each way in which the signature may cover it.
#[derive(Default)]
struct ContentState {
    hashers: Vec<Hasher>,
    mus: Vec<Mu>,
    head: Head,
}

debug!(ContentState(..));

impl Sequence for &mut ContentState {
    fn update(&mut self, input: &[u8], _: &mut Vec<u8>) {
        self.head.take(input);
        self.hashers.iter_mut().for_each(|hasher| hasher.update(input));
        self.mus.iter_mut().for_each(|mu| mu.update(input));
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// Hashes a whole input; returns its length.
fn hash_input(mut input: Input<'_>, state: &mut ContentState, settings: &Settings) -> Result<u64> {
    // A thread that reads ahead costs more than it saves, as for signature files.
    let settings = Settings { threads: Some(1), ..settings.clone() };
    let meter = Meter::new(&settings, input.len());
    let mut reader = input.source(0).into_reader();
    let (len, _) = run_in_sequence(state, &mut *reader, &mut io::sink(), &meter)?;
    drop(reader);
    input.finish()?;
    Ok(len)
}

#[cfg(test)]
mod tests;
