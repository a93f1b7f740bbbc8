//! Encrypts files of age.

use super::header::{self, FileKey};
use super::inspect::Age;
use super::key::{Recipient, Strength, check_strengths, strength};
use super::parts::{self, FileSealer};
use super::stream::{Chunks, Seal};
use super::stretch::{self, Scrypt, Stretch};
use crate::error::{Error, RecipientsRule, Result};
use crate::format::{self, Head, Summary, Writer, asks, configured, settings_methods};
use crate::password::NO_STANZA;
use crate::pipeline::{FileMode, Input, Output, Settings};
use crate::plugin::{Stanza, Wrapped};
use crate::random;
use std::path::Path;

/// Encrypts to files of age.
///
/// # Security
/// Anyone who has the recipients can make such a file: it does not prove who sent it.
///
/// # Examples
/// ```
/// use sealstone::interop::age::{Encryptor, Recipient};
///
/// let recipient: Recipient = "age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh".parse()?;
/// let text = Encryptor::new([recipient]).armour(true).encrypt(b"attack at dawn")?;
/// assert!(text.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Encryptor {
    pub(super) recipients: Vec<Recipient>,
    armour: bool,
    settings: Settings,
}

impl Encryptor {
    /// Encrypts to these recipients. A passphrase must be the only one.
    #[must_use]
    pub fn new(recipients: impl IntoIterator<Item = Recipient>) -> Self {
        Self { recipients: recipients.into_iter().collect(), armour: false, settings: Settings::default() }
    }

    /// Writes ASCII armour: text for mail and terminals, a third longer.
    #[must_use]
    pub fn armour(mut self, armour: bool) -> Self {
        self.armour = armour;
        self
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
    /// # use sealstone::interop::age::{Encryptor, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// Encryptor::new([recipient]).encrypt_file("film.mkv", "film.mkv.age")?;
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
    /// - the errors of [`check_recipients`](Self::check_recipients); [`Error::PluginFailed`]; [`Error::UnavailableBackend`] for
    ///   a key of RSA in WebAssembly;
    /// - [`Error::NoRandomness`]; [`Error::TooLong`];
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        format::encrypt(self, input, output)?.publish()
    }

    /// Generates a file key, and wraps it for each recipient.
    pub(super) fn wrap(&self) -> Result<(Vec<Stanza>, FileKey)> {
        self.check_recipients()?;
        let file_key = header::new_file_key()?;
        let stanzas = wrap_all(&self.recipients, &[], &file_key)?;
        Ok((stanzas, file_key))
    }

    /// Refuses invalid recipients, before any input is opened. Every operation checks this itself.
    ///
    /// ```
    /// use sealstone::interop::age::Encryptor;
    ///
    /// assert_eq!(Encryptor::new([]).check_recipients().unwrap_err().code(), "invalid_recipients");
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidRecipients`]: no recipient, over 1,024, or a passphrase beside another recipient;
    /// [`Error::MixedRecipients`]: post-quantum and classical together, which age never allows.
    pub fn check_recipients(&self) -> Result<()> {
        check_recipients(&self.recipients, &[])
    }

    /// The key to derive from the passphrase before the next file can be written; see [`Stretch`].
    ///
    /// # Errors
    /// The errors of [`check_recipients`](Self::check_recipients); [`Error::NoRandomness`].
    pub fn stretch(&self) -> Result<Option<Stretch>> {
        self.check_recipients()?;
        let [only] = &self.recipients[..] else { return Ok(None) };
        let asking = only.passphrase().filter(|(passphrase, _)| !passphrase.has_new_root(NO_STANZA));
        asking.map(|(passphrase, log_n)| Ok(stretch::stretch(passphrase, &random::array()?, log_n, true))).transpose()
    }

    /// Hands the key that [`stretch`](Self::stretch) asked for to the passphrase. The key serves one file, because the next
    /// file has another salt.
    pub fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        stretch.tell(self.recipients.iter().filter_map(|one| Some(one.passphrase()?.0)), key);
    }

    /// Begins to encrypt a file in parts, without armour. [`armour`](super::armour) armours the file.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn sealer(&self) -> Result<FileSealer> {
        let (stanzas, file_key) = self.wrap()?;
        FileSealer::new(&stanzas, &file_key)
    }
}

configured!(Encryptor);

asks!(Encryptor, Scrypt, |this, _file| format::Asked::default().with_stretch(this.stretch()?));

impl Writer for Encryptor {
    type Format = Age;
    type Payload = Seal<Chunks>;

    fn begin_file(&self) -> Result<Head<Seal<Chunks>>> {
        let (stanzas, file_key) = self.wrap()?;
        let (bytes, chunks) = parts::begin(&stanzas, &file_key)?;
        Ok(Head { bytes, payload: Seal(chunks), is_armoured: self.armour })
    }
}

/// Checks whether these recipients may be added to the `kept` stanzas.
pub(super) fn check_recipients(recipients: &[Recipient], kept: &[Stanza]) -> Result<()> {
    if recipients.is_empty() {
        return Err(Error::InvalidRecipients(RecipientsRule::AtLeastOne));
    }
    let strengths = recipients.iter().filter_map(Recipient::strength).chain(kept.iter().filter_map(strength));
    check_strengths(recipients.len() + kept.len(), &strengths.collect::<Vec<_>>())
}

/// Wraps the file key for these recipients, and adds their stanzas to the `kept` ones. Fails if the labels of the recipients
/// differ.
pub(super) fn wrap_all(recipients: &[Recipient], kept: &[Stanza], file_key: &FileKey) -> Result<Vec<Stanza>> {
    let mut stanzas = kept.to_vec();
    let mut before: Option<Wrapped> = None;
    for recipient in recipients {
        let wrapped = recipient.wrap(file_key)?;
        // The labels of kept stanzas of plugins are unknown, so only stanzas of known types are compared.
        let is_kept_otherwise =
            |stanza| strength(stanza).is_some_and(|kept| (kept == Strength::PostQuantum) != wrapped.is_post_quantum());
        let is_apart = |one: &Wrapped| one.is_apart();
        let differs = before.as_ref().is_some_and(|before| before.labels != wrapped.labels);
        if differs && before.as_ref().into_iter().chain([&wrapped]).any(is_apart)
            || wrapped.is_apart() && !kept.is_empty()
        {
            return Err(Error::InvalidRecipients(RecipientsRule::PluginApart));
        }
        if differs || kept.iter().any(is_kept_otherwise) {
            return Err(Error::MixedRecipients);
        }
        stanzas.extend_from_slice(&wrapped.stanzas);
        before = Some(wrapped);
    }
    // A reader checks stanzas by their types, and not by the labels of a plugin.
    check_strengths(stanzas.len(), &stanzas.iter().filter_map(strength).collect::<Vec<_>>())?;
    Ok(stanzas)
}

debug!(Encryptor { recipients });
