//! Decrypts files of age.

use super::header::{FILE_KEY_LEN, FileKey, Header};
use super::inspect::Age;
use super::key::{Identity, LOG_N_USUAL, TOO_MUCH, check_work, has_passphrase, scrypt_cost};
use super::parts::{CUT, FileOpener, split_head};
use super::stream::{Chunks, Open, SALT_LEN};
use super::stretch::{self, Scrypt, Stretch};
use crate::error::{Error, Result};
use crate::format::{self, Reader, Summary, asks, configured, settings_methods};
use crate::pipeline::{Input, Output, Settings};
use crate::plugin;
use std::ops::Range;
use std::path::Path;
use zeroize::Zeroizing;

/// Decrypts files of age, with or without armour.
///
/// # Security
/// As for [`Decryptor`](crate::Decryptor): a returned plaintext or a finished output file is authentic as a whole, and a stream
/// may receive an authentic prefix before an error.
///
/// # Examples
/// ```
/// use sealstone::interop::age::{Decryptor, Encryptor, Identity};
/// use sealstone::Kind;
///
/// let identity = Identity::try_from(sealstone::Identity::generate(Kind::X25519)?)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(&[7; 200_000])?;
/// let decryptor = Decryptor::new([identity]);
/// assert_eq!(decryptor.decrypt_range(&sealed, 150_000..150_003)?, [7, 7, 7]);
/// assert_eq!(decryptor.decrypt(&sealed[..sealed.len() - 1]).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Decryptor {
    pub(super) identities: Vec<Identity>,
    pub(super) log_n_max: u8,
    settings: Settings,
}

impl Decryptor {
    /// Decrypts with these identities, tried in their order. Identities of plugins, which may prompt a person, come after all
    /// others.
    #[must_use]
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Self {
        Self { identities: identities.into_iter().collect(), log_n_max: LOG_N_USUAL, settings: Settings::default() }
    }

    /// Authenticates all of the input before the first byte is written, which reads the input twice.
    #[must_use]
    pub fn verify_first(mut self, verify_first: bool) -> Self {
        self.settings.set_verify_first(verify_first);
        self
    }

    /// Sets the most work of scrypt that a passphrase may cost, as the logarithm of N. Each step doubles time and memory. The
    /// default is 20, which is 1 GiB; the maximum is 22, as in age's own program.
    ///
    /// ```
    /// use sealstone::Passphrase;
    /// use sealstone::interop::age::Decryptor;
    ///
    /// let identity = Passphrase::new("correct horse battery staple")?.into();
    /// let decryptor = Decryptor::new([identity]).work_max(22)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for 0 and more than 22.
    pub fn work_max(mut self, log_n: u8) -> Result<Self> {
        check_work(log_n)?;
        self.log_n_max = log_n;
        Ok(self)
    }

    settings_methods!();

    /// Decrypts bytes in memory.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to), except for the errors of files. After an error, no plaintext is released.
    pub fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>> {
        format::decrypt_in_memory(self, ciphertext)
    }

    /// Decrypts a range of the plaintext of a binary file in memory. Only the chunks that hold the range are authenticated.
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to).
    pub fn decrypt_range(&self, ciphertext: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
        format::decrypt_range_in_memory(self, ciphertext, range)
    }

    /// Decrypts a file into a new file with mode 0600, which appears only when all of it is authentic.
    ///
    /// ```no_run
    /// # use sealstone::interop::age::{Decryptor, Identity};
    /// # fn run(identity: Identity) -> sealstone::Result<()> {
    /// Decryptor::new([identity]).decrypt_file("film.mkv.age", "film.mkv")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn decrypt_file(&self, input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Summary> {
        self.decrypt_to(Input::open(input)?, Output::file(output)?)
    }

    /// Decrypts from any input to any output.
    ///
    /// # Errors
    /// - the errors of the file: [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`],
    ///   [`Error::CostTooHigh`], [`Error::NoMatchingIdentity`], [`Error::WrongPassphrase`], [`Error::HeaderNotAuthentic`],
    ///   [`Error::NotAuthentic`];
    /// - [`Error::NotSeekable`] when the input is a stream or armour and everything must be verified first;
    /// - [`Error::PluginFailed`], if no other identity opens the file;
    /// - [`Error::UnavailableBackend`] for a key of RSA in WebAssembly;
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        format::decrypt(self, input, output)?.publish()
    }

    /// Authenticates all of an input and writes nothing.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn verify(&self, input: Input<'_>) -> Result<Summary> {
        format::verify(self, input)
    }

    /// Decrypts bytes `range.start` up to `range.end` of the plaintext; an end past the plaintext's end is cut to it. Returns
    /// the number of bytes written.
    ///
    /// # Security
    /// As for [`Decryptor::decrypt_range_to`](crate::Decryptor::decrypt_range_to).
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to); [`Error::RangeOutOfBounds`] when the range begins past the end of the
    /// plaintext or ends before it begins; [`Error::NotSeekable`] when the input is a stream or armour.
    pub fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        format::decrypt_range(self, input, range, output)
    }

    pub(super) fn unlock(&self, header: &Header) -> Result<FileKey> {
        unlock(header, &self.identities, self.log_n_max)
    }

    /// The key to derive from the passphrase before this file can be opened; see [`Stretch`]. `file` is the beginning of the
    /// file with its whole header.
    ///
    /// # Errors
    /// [`Error::MalformedHeader`], [`Error::Truncated`], [`Error::CostTooHigh`].
    pub fn stretch(&self, file: &[u8]) -> Result<Option<Stretch>> {
        let mut passphrases = self.identities.iter().filter_map(|identity| identity.passphrase()).peekable();
        if passphrases.peek().is_none() {
            return Ok(None);
        }
        let header = Header::parse(file)?.ok_or(Error::Truncated("it ends within its header"))?;
        if !has_passphrase(&header.stanzas)? {
            return Ok(None);
        }
        let (salt, log_n) = scrypt_cost(&header.stanzas[0])?;
        if log_n > self.log_n_max {
            return Err(TOO_MUCH);
        }
        let stretches = passphrases.map(|passphrase| stretch::stretch(passphrase, &salt, log_n, false));
        Ok({ stretches }.find(|stretch| !stretch.is_known()))
    }

    /// Hands the key that [`stretch`](Self::stretch) asked for to the passphrase, which does not derive it again for this file.
    /// A wrong key opens nothing.
    pub fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        stretch.tell(self.identities.iter().filter_map(|identity| identity.passphrase()), key);
    }

    /// Begins to decrypt a file that comes in parts. `head` has all bytes before the first chunk.
    ///
    /// # Errors
    /// The errors of [`decrypt_to`](Self::decrypt_to) for the header.
    pub fn opener(&self, head: &[u8]) -> Result<FileOpener> {
        let (header, salt) = split_head(head)?;
        FileOpener::new(&self.unlock(&header)?, salt)
    }

    /// Unwraps the file key of a header, for callers who open the payload elsewhere. No payload need follow the header.
    ///
    /// ```
    /// use sealstone::interop::age::{Decryptor, Encryptor, FileOpener, Identity};
    ///
    /// let identity = Identity::try_from(sealstone::Identity::generate(sealstone::Kind::X25519)?)?;
    /// let file = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let head = &file[..FileOpener::read_head_len(&file)?.expect("all of it is here")];
    /// let file_key = Decryptor::new([identity]).file_key(head)?;
    /// let opener = FileOpener::of_file_key(head, &file_key)?;
    /// assert_eq!(opener.open_at(0, &file[head.len()..], true)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// Anyone who has the file key can decrypt the file.
    ///
    /// # Errors
    /// As [`opener`](Self::opener).
    pub fn file_key(&self, header: &[u8]) -> Result<Zeroizing<[u8; FILE_KEY_LEN]>> {
        self.unlock(&Header::parse(header)?.ok_or(CUT)?)
    }
}

configured!(Decryptor);

asks!(Decryptor, Scrypt, |this, file| format::asked::<Age>(file)?.with_stretch(this.stretch(file)?));

impl Reader for Decryptor {
    type Format = Age;
    type Payload = Open;

    fn open(&self, input: &mut Input<'_>, is_stream: bool) -> Result<(Open, usize)> {
        let header = Header::of(input)?;
        let file_key = self.unlock(&header)?;
        let at = header.len + SALT_LEN;
        let salt = input.head(at)?.get(header.len..).and_then(|salt| salt.try_into().ok());
        let salt = salt.ok_or(Error::Truncated("it ends before the first chunk"))?;
        Ok((Open::new(Chunks::new(&file_key, salt)?.into(), is_stream), at))
    }
}

/// Unwraps the file key of a header, and authenticates the header with it.
pub(super) fn unlock(header: &Header, identities: &[Identity], log_n_max: u8) -> Result<FileKey> {
    let is_for_passphrase = has_passphrase(&header.stanzas)?;
    for stanza in &header.stanzas {
        for identity in identities {
            if let Some(file_key) = identity.unwrap(stanza, log_n_max)? {
                header.check(&file_key)?;
                return Ok(file_key);
            }
        }
    }
    let plugins = identities.iter().filter_map(Identity::as_plugin);
    if let Some(file_key) = plugin::first_answer(plugins.map(|identity| identity.unwrap(&header.stanzas)))? {
        header.check(&file_key)?;
        return Ok(file_key);
    }
    let tried_passphrase = is_for_passphrase && identities.iter().any(|identity| identity.passphrase().is_some());
    Err(if tried_passphrase { Error::WrongPassphrase } else { Error::NoMatchingIdentity })
}

debug!(Decryptor { identities });
