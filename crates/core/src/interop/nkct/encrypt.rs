//! Encrypts files of nkCryptoTool, in version 3.

use super::header::{CHUNK_LEN, CHUNK_LEN_MAX, Parts, SALT_LEN, session_of};
use super::inspect::Nkct;
use super::key::{Recipient, concat, split_keys};
use super::stream::Chunks;
use crate::aead::{Algorithm, NONCE_LEN};
use crate::error::{Error, Result};
use crate::exchange::{self, Kind};
use crate::format::{self, Head, Summary, Writer, configured, settings_methods};
use crate::interop::marked::Seal;
use crate::pipeline::{FileMode, Input, Output, Settings};
use crate::random;
use std::path::Path;
use zeroize::Zeroizing;

/// Encrypts to files of nkCryptoTool, in version 3, which both of its editions read.
///
/// A file has one recipient. A key of P-256 gives the scheme `ecc`, a key of ML-KEM the scheme `pqc`. One key of each gives
/// `hybrid`, and **both private keys are needed to open the file**. They are two keys of one recipient, not two recipients.
///
/// # Security
/// Anyone who has the public keys can make such a file: it does not prove who sent it. It does not name its key. There is no
/// forward secrecy, except that the sender's key is ephemeral.
///
/// # Examples
/// ```
/// use sealstone::exchange::{Kind, PrivateKey};
/// use sealstone::interop::nkct::{Decryptor, Encryptor, Identity};
///
/// let [ecc, pqc] = [PrivateKey::generate(Kind::P256)?, PrivateKey::generate(Kind::MlKem768)?];
/// let (ecc, pqc) = (Identity::try_from(ecc)?, Identity::try_from(pqc)?);
/// let sealed = Encryptor::new([ecc.recipient(), pqc.recipient()]).encrypt(b"attack at dawn")?;
/// assert_eq!(Decryptor::new([pqc, ecc.clone()]).decrypt(&sealed)?, b"attack at dawn");
/// assert_eq!(Decryptor::new([ecc]).decrypt(&sealed).unwrap_err().code(), "no_matching_identity");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Encryptor {
    keys: Vec<Recipient>,
    aead: Algorithm,
    chunk_len: u32,
    settings: Settings,
}

impl Encryptor {
    /// Encrypts to the keys of one recipient: one of P-256, one of ML-KEM, or one of each.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = Recipient>) -> Self {
        let keys = keys.into_iter().collect();
        Self { keys, aead: Algorithm::Aes256Gcm, chunk_len: CHUNK_LEN, settings: Settings::default() }
    }

    /// Sets the AEAD: `aes-256-gcm`, the default, or `chacha20-poly1305`. Hybrid files use `aes-256-gcm`, because nkCryptoTool
    /// reads them with AES whatever the file says.
    ///
    /// ```
    /// use sealstone::aead::Algorithm;
    /// use sealstone::interop::nkct::Encryptor;
    ///
    /// let encryptor = Encryptor::new([]).aead(Algorithm::ChaCha20Poly1305)?;
    /// assert_eq!(encryptor.aead(Algorithm::Sm4Gcm).unwrap_err().code(), "invalid_option");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for another AEAD.
    pub fn aead(mut self, aead: Algorithm) -> Result<Self> {
        if !matches!(aead, Algorithm::Aes256Gcm | Algorithm::ChaCha20Poly1305) {
            return Err(Error::InvalidOption("nkCryptoTool files use aes-256-gcm or chacha20-poly1305"));
        }
        self.aead = aead;
        Ok(self)
    }

    /// Sets the bytes of plaintext in a chunk: 1 MiB by default, and at most 64 MiB. A reader holds some chunks in memory. A
    /// file has at most 2^32 chunks.
    ///
    /// ```
    /// use sealstone::interop::nkct::Encryptor;
    ///
    /// let encryptor = Encryptor::new([]).chunk_len(64 << 10)?;
    /// assert_eq!(encryptor.chunk_len(0).unwrap_err().code(), "invalid_option");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for 0 and for more than 64 MiB.
    pub fn chunk_len(mut self, len: u32) -> Result<Self> {
        if !(1..=CHUNK_LEN_MAX).contains(&len) {
            return Err(Error::InvalidOption("a chunk of an nkCryptoTool file must have 1 byte to 64 MiB"));
        }
        self.chunk_len = len;
        Ok(self)
    }

    settings_methods!();

    /// Encrypts bytes in memory.
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to), except for the errors of files.
    pub fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = Vec::new();
        self.encrypt_to(Input::reader(plaintext), Output::writer(&mut sealed))?;
        Ok(sealed)
    }

    /// Encrypts a file into a new file, which appears only when it is complete.
    ///
    /// ```no_run
    /// # use sealstone::interop::nkct::{Encryptor, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// Encryptor::new([recipient]).encrypt_file("film.mkv", "film.mkv.nkct")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to).
    pub fn encrypt_file(&self, input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Summary> {
        self.encrypt_to(Input::open(input)?, Output::file(output)?.mode(FileMode::Shared))
    }

    /// Encrypts from any input to any output.
    ///
    /// # Errors
    /// - the errors of [`check_recipients`](Self::check_recipients);
    /// - [`Error::NoRandomness`]; [`Error::TooLong`] for more than 2^32 chunks;
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        format::encrypt(self, input, output)?.publish()
    }

    /// Refuses invalid recipients, before any input is opened. Every operation checks this itself.
    ///
    /// ```
    /// use sealstone::interop::nkct::Encryptor;
    ///
    /// assert_eq!(Encryptor::new([]).check_recipients().unwrap_err().code(), "invalid_recipients");
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidRecipients`]: no key, or two of P-256 or of ML-KEM; [`Error::InvalidOption`] for one of each together with
    /// `chacha20-poly1305`.
    pub fn check_recipients(&self) -> Result<()> {
        match split_keys(&self.keys)? {
            (Some(_), Some(_)) if self.aead == Algorithm::ChaCha20Poly1305 => Err(Error::InvalidOption(
                "hybrid nkCryptoTool files use aes-256-gcm: nkCryptoTool ignores the cipher that the file names",
            )),
            _ => Ok(()),
        }
    }

    /// Makes a header, and the keys of the chunks behind it.
    fn begin(&self) -> Result<(Vec<u8>, Chunks)> {
        let (point, kem) = split_keys(&self.keys)?;
        let agreed = point.map(agree).transpose()?;
        let encapsulated = kem.map(|key| key.0.encapsulate()).transpose()?;
        let (salt, second_salt) = (random::array::<SALT_LEN>()?, random::array::<SALT_LEN>()?);
        let nonces = [random::array::<NONCE_LEN>()?, random::array::<NONCE_LEN>()?];
        let head = Parts {
            point: agreed.as_ref().map(|(point, _)| &point[..]),
            ciphertext: encapsulated.as_ref().map(|(ciphertext, _)| &ciphertext[..]),
            aead: self.aead,
            salt: &salt,
            second_salt: &second_salt,
            nonces: &nonces,
            chunk_len: self.chunk_len,
        }
        .write();
        let agreed = agreed.as_ref().map_or(&[][..], |(_, secret)| &secret[..]);
        let encapsulated = encapsulated.as_ref().map_or(&[][..], |(_, secret)| &secret[..]);
        let secret = concat(agreed, encapsulated);
        let chunks = Chunks::of(self.aead, &secret, &salt, session_of(&head), self.chunk_len)?;
        Ok((head, chunks))
    }
}

configured!(Encryptor);

impl Writer for Encryptor {
    type Format = Nkct;
    type Payload = Seal<Chunks>;

    fn begin_file(&self) -> Result<Head<Seal<Chunks>>> {
        self.check_recipients()?;
        let (bytes, chunks) = self.begin()?;
        Ok(Head { bytes, payload: Seal(chunks), is_armoured: false })
    }
}

/// Generates an ephemeral key; returns it as `SubjectPublicKeyInfo`, with the secret that it shares with a recipient.
fn agree(recipient: &Recipient) -> Result<(Vec<u8>, Zeroizing<Vec<u8>>)> {
    let ephemeral = exchange::PrivateKey::generate(Kind::P256)?;
    Ok((ephemeral.public_key().to_der()?, ephemeral.hazmat_shared_secret(&recipient.0)?))
}

debug!(Encryptor { keys, aead });
