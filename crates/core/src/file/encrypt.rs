use super::chunks::{Chunks, Seal};
use super::header::{Flags, Header, STANZAS_MAX, new_file_key, payload_key};
use super::inspect::Sealstone;
use super::parts::{FileSealer, batch};
use super::{Context, check_profile};
use crate::error::{Error, RecipientsRule, Result};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
use crate::format::Compression;
use crate::format::armour::{FILE, armour};
use crate::format::{self, Head, Prepared, Summary, Writer, asks, configured, settings_methods};
use crate::key::Recipient;
use crate::pipeline::{Input, Output, Settings};
use crate::profile::Profile;
use crate::recipient::{self, PREFIX_LEN, Stanza, StanzaId};
use crate::recipient::{Stretch, StretchKdf};
use crate::suite::Suite;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Encrypts files and data to recipients.
///
/// One `Encryptor` serves any number of files; each gets a new file key and salt.
///
/// # Security
/// A file does not prove who sent it: anyone who has the recipient can make one. Sign it if that matters. The length of the
/// plaintext, the kinds and number of recipients and the suite are visible (format section 10).
///
/// # Examples
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind};
///
/// let identity = Identity::generate(Kind::Hybrid)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
/// assert_eq!(Decryptor::new([identity]).decrypt(&sealed)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Encryptor {
    recipients: Vec<Recipient>,
    /// The caller's choice; `None` for the default of the recipients and the profile.
    suite: Option<Suite>,
    context: Context,
    allow_mixed: bool,
    profile: Option<Profile>,
    armour: bool,
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    compression: Compression,
    pub(super) settings: Settings,
}

impl Encryptor {
    /// Encrypts to these recipients, any one of which suffices to decrypt.
    #[must_use]
    pub fn new(recipients: impl IntoIterator<Item = Recipient>) -> Self {
        Self {
            recipients: recipients.into_iter().collect(),
            suite: None,
            context: Context::default(),
            allow_mixed: false,
            profile: None,
            armour: false,
            #[cfg(all(feature = "archive", not(target_family = "wasm")))]
            compression: Compression::None,
            settings: Settings::default(),
        }
    }

    /// Chooses the suite; by default `aes-256-gcm`, and `sm4-gcm` for an `sm2` recipient and in the profile `gm`.
    #[must_use]
    pub fn suite(mut self, suite: Suite) -> Self {
        self.suite = Some(suite);
        self
    }

    fn chosen_suite(&self) -> Suite {
        let default = Suite::default();
        let kind_with_suite =
            || self.recipients.iter().map(Recipient::kind).find(|kind| kind.stanza_id(default).is_none());
        let chosen = || match kind_with_suite() {
            _ if self.profile == Some(Profile::Gm) => Suite::Sm4Gcm,
            // This kind needs another suite.
            Some(kind) => Suite::ALL.into_iter().find(|suite| kind.stanza_id(*suite).is_some()).unwrap_or(default),
            None => default,
        };
        self.suite.unwrap_or_else(chosen)
    }

    /// Binds the file to a context that is not stored, such as a file name or a record's id: 1 to 1,024 bytes. The file
    /// decrypts only with the same context (format section 6).
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let sealed = Encryptor::new([identity.recipient()]).context("record 17")?.encrypt(b"attack at dawn")?;
    /// let decryptor = Decryptor::new([identity]);
    /// assert_eq!(decryptor.clone().context("record 17")?.decrypt(&sealed)?, b"attack at dawn");
    /// assert_eq!(decryptor.decrypt(&sealed).unwrap_err().code(), "context_required");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidContext`] for any other length.
    pub fn context(mut self, context: impl AsRef<[u8]>) -> Result<Self> {
        self.context = Context::new(context.as_ref())?;
        Ok(self)
    }

    /// Allows post-quantum and classical recipients together. The file is then only as strong as the weakest of them.
    #[must_use]
    pub fn allow_mixed(mut self, allow: bool) -> Self {
        self.allow_mixed = allow;
        self
    }

    /// Refuses everything outside a profile: recipients of other kinds, and other suites.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Writes ASCII armour (format section 11): text for mail and terminals, a third longer.
    #[must_use]
    pub fn armour(mut self, armour: bool) -> Self {
        self.armour = armour;
        self
    }

    /// Whether the encryptor writes ASCII armour.
    #[must_use]
    pub fn armours(&self) -> bool {
        self.armour
    }

    /// Compresses the content; by default, it is not compressed. See [`Compression`] for what that gives away.
    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    #[must_use]
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    settings_methods!();

    /// Encrypts bytes in memory.
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to), except for the errors of files.
    pub fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>> {
        #[cfg(all(feature = "archive", not(target_family = "wasm")))]
        if self.compression != Compression::None {
            let mut file = Vec::new();
            self.encrypt_stream(plaintext, &mut file)?;
            return Ok(file);
        }
        let sealed = self.sealer()?.encrypt(plaintext)?;
        Ok(if self.armour { armour(FILE, &sealed) } else { sealed })
    }

    /// Encrypts each of several plaintexts into a file of its own, on several threads; returns the results in their order.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let files = Encryptor::new([identity.recipient()]).encrypt_batch([&b"attack"[..], b"dawn"])?;
    /// assert_eq!(Decryptor::new([identity]).decrypt(files[1].as_ref().unwrap())?, b"dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`check_recipients`](Self::check_recipients); [`Error::Cancelled`]. The error of one plaintext is in its
    /// own result.
    pub fn encrypt_batch<'a>(&self, plaintexts: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Result<Vec<u8>>>> {
        self.check_recipients()?;
        let each = Self { settings: Settings::alone(), ..self.clone() };
        batch(plaintexts, &self.settings, |plaintext| each.encrypt(plaintext))
    }

    /// Encrypts a stream. It holds one buffer of 512 KiB for each thread, and one more.
    ///
    /// ```
    /// use sealstone::{Encryptor, Identity, Kind};
    ///
    /// let recipient = Identity::generate(Kind::Hybrid)?.recipient();
    /// let mut sealed = Vec::new();
    /// let summary = Encryptor::new([recipient]).encrypt_stream(&b"attack at dawn"[..], &mut sealed)?;
    /// assert_eq!((summary.plaintext, summary.ciphertext), (14, sealed.len() as u64));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to). The bytes written before an error are not a valid file.
    pub fn encrypt_stream(&self, reader: impl Read + Send, writer: impl Write + Send) -> Result<Summary> {
        self.encrypt_to(Input::reader(reader), Output::writer(writer))
    }

    /// Encrypts a file into a new file, which appears only when it is complete. An existing file is an error; to replace it,
    /// call [`encrypt_to`](Self::encrypt_to) with [`Output::replace`].
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, Recipient};
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// Encryptor::new([recipient]).encrypt_file("film.mkv", "film.mkv.seal")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to).
    pub fn encrypt_file(&self, input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Summary> {
        self.encrypt_to(Input::open(input)?, Output::file(output)?.mode(crate::FileMode::Shared))
    }

    /// Encrypts from any input to any output.
    ///
    /// ```no_run
    /// # use sealstone::{Encryptor, Recipient};
    /// use sealstone::{FileMode, Input, Output};
    ///
    /// # fn run(recipient: Recipient) -> sealstone::Result<()> {
    /// let output = Output::file("film.mkv.seal")?.mode(FileMode::Shared).replace(true);
    /// Encryptor::new([recipient]).encrypt_to(Input::open("film.mkv")?, output)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// - the errors of [`check_recipients`](Self::check_recipients), which a plugin's recipient can also cause here;
    ///   [`Error::PluginFailed`];
    /// - [`Error::TooLong`] at 4 PiB; [`Error::NoRandomness`];
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn encrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        self.prepare(input, output)?.publish()
    }

    /// As [`encrypt_to`](Self::encrypt_to), without publishing the output.
    ///
    /// # Errors
    /// See [`encrypt_to`](Self::encrypt_to).
    pub fn prepare<'o>(&self, input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
        format::encrypt(self, input, output)
    }

    /// The key to derive from the passphrase before the next file can be written; see [`Stretch`].
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Passphrase};
    ///
    /// let passphrase = Passphrase::new("correct horse battery staple")?;
    /// let encryptor = Encryptor::new([passphrase.clone().into()]);
    /// let stretch = encryptor.stretch()?.expect("the recipient is a passphrase");
    /// let key = stretch.begin()?.finish();
    /// encryptor.know(&stretch, &key);
    /// let file = encryptor.encrypt(b"attack at dawn")?;
    /// assert_eq!(Decryptor::new([passphrase.into()]).decrypt(&file)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`check_recipients`](Self::check_recipients); [`Error::NoRandomness`].
    pub fn stretch(&self) -> Result<Option<Stretch>> {
        let Some(passphrase) = self.recipients.iter().find_map(Recipient::passphrase) else { return Ok(None) };
        self.check_recipients()?;
        recipient::new_stretch(passphrase, self.chosen_suite())
    }

    /// Hands the key that [`stretch`](Self::stretch) asked for to the passphrase. The key serves one file, because the next
    /// file has another salt.
    pub fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        stretch.tell(self.recipients.iter().filter_map(Recipient::passphrase), key);
    }

    /// The bytes before the first chunk, and the keys of the chunks.
    pub(super) fn begin(&self, content: Flags) -> Result<(Vec<u8>, Arc<Chunks>)> {
        self.check_recipients()?;
        let suite = self.chosen_suite();
        let file_key = new_file_key()?;
        let flags = Flags { context: self.context.is_some(), ..content };
        let mut head = Header::write(suite, flags, &[], &self.recipients, self.allow_mixed, &file_key)?;
        let prefix = head.first_chunk::<PREFIX_LEN>().expect("encrypt: a header has a prefix");
        let (chunks, payload_head) =
            Chunks::create(suite, &payload_key(suite, &file_key), &[prefix, self.context.as_bytes()])?;
        head.extend_from_slice(&payload_head);
        Ok((head, Arc::new(chunks)))
    }

    /// Refuses invalid recipients, before any input is opened. Every operation checks this itself.
    ///
    /// ```
    /// assert_eq!(sealstone::Encryptor::new([]).check_recipients().unwrap_err().code(), "invalid_recipients");
    /// ```
    ///
    /// # Errors
    /// - [`Error::InvalidRecipients`]: no recipient, over 1,024, a passphrase beside another recipient, or a kind that the
    ///   suite does not support;
    /// - [`Error::MixedRecipients`]: post-quantum and classical together without [`allow_mixed`](Self::allow_mixed);
    /// - [`Error::NotInProfile`]: a recipient or the suite is outside the [`profile`](Self::profile).
    pub fn check_recipients(&self) -> Result<()> {
        let suite = self.chosen_suite();
        #[cfg(all(feature = "archive", not(target_family = "wasm")))]
        self.compression.check()?;
        check_profile(self.profile, suite, self.recipients.iter().map(|one| Some(one.kind())))?;
        check_recipients(suite, &self.recipients, &[], self.allow_mixed)
    }

    /// Begins to encrypt one file in parts, without armour.
    ///
    /// # Errors
    /// The errors of [`check_recipients`](Self::check_recipients); [`Error::NoRandomness`].
    pub fn sealer(&self) -> Result<FileSealer> {
        let (head, chunks) = self.begin(Flags::default())?;
        Ok(FileSealer::new(head, chunks, self.settings.clone()))
    }
}

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
impl Encryptor {
    /// Begins a file with an archive.
    pub(super) fn begin_archive(&self) -> Result<Head<Seal>> {
        self.begin_content(true)
    }

    pub(super) fn compression_of(&self) -> Compression {
        self.compression
    }

    pub(super) fn settings_of(&self) -> &Settings {
        &self.settings
    }
}

#[cfg(fuzzing)]
impl Encryptor {
    /// Seals bytes that need not be what the flags say. Only the fuzzer has this method.
    #[doc(hidden)]
    pub fn seal_content(&self, compressed: bool, archive: bool, content: &[u8]) -> Result<Vec<u8>> {
        use crate::format::content::{Writing, encrypt_input};
        let (head, chunks) = self.begin(Flags { compressed, archive, ..Flags::default() })?;
        let payload = Seal(chunks);
        let writing = Writing { head: &head, payload: &payload, compression: Compression::None, armour: None };
        let mut file = Vec::new();
        let mut destination = Output::writer(&mut file).begin(None)?;
        encrypt_input(&writing, &mut Input::reader(content), &mut destination, &self.settings)?;
        drop(destination);
        Ok(file)
    }
}

impl Encryptor {
    fn begin_content(&self, archive: bool) -> Result<Head<Seal>> {
        #[cfg(all(feature = "archive", not(target_family = "wasm")))]
        let compressed = self.compression != Compression::None;
        #[cfg(not(all(feature = "archive", not(target_family = "wasm"))))]
        let compressed = false;
        let (bytes, chunks) = self.begin(Flags { compressed, archive, ..Flags::default() })?;
        Ok(Head { bytes, payload: Seal(chunks), is_armoured: self.armour })
    }
}

configured!(Encryptor);

impl Writer for Encryptor {
    type Format = Sealstone;
    type Payload = Seal;

    fn begin_file(&self) -> Result<Head<Seal>> {
        self.begin_content(false)
    }

    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    fn compression(&self) -> Compression {
        self.compression
    }
}

asks!(Encryptor, StretchKdf, |this, _file| format::Asked::default().with_stretch(this.stretch()?));

/// Checks whether these recipients may be added to the `kept` stanzas (format section 4), as far as this is known before
/// plugins wrap.
pub(super) fn check_recipients(
    suite: Suite,
    recipients: &[Recipient],
    kept: &[Stanza<'_>],
    allow_mixed: bool,
) -> Result<()> {
    if recipients.is_empty() {
        return Err(Error::InvalidRecipients(RecipientsRule::AtLeastOne));
    }
    let kinds = || recipients.iter().map(Recipient::kind);
    if !Suite::ALL.into_iter().any(|suite| kinds().all(|kind| kind.stanza_id(suite).is_some())) {
        return Err(Error::InvalidRecipients(RecipientsRule::Sm2Apart));
    }
    let new = kinds().map(|kind| kind.stanza_id(suite).map(StanzaId)).collect::<Option<Vec<_>>>();
    let new = new.ok_or(Error::InvalidRecipients(RecipientsRule::TakenBySuite))?;
    let count = recipients.len() + kept.len();
    if count > STANZAS_MAX {
        return Err(Error::InvalidRecipients(RecipientsRule::AtMost1024));
    }
    let all = || new.iter().copied().chain(kept.iter().map(|stanza| stanza.id));
    if count > 1 && all().any(StanzaId::must_be_only) {
        return Err(Error::InvalidRecipients(RecipientsRule::PassphraseAlone));
    }
    if kept.iter().any(|stanza| stanza.must_be_only()) {
        return Err(Error::InvalidRecipients(RecipientsRule::PluginApart));
    }
    let kept = kept.iter().map(|stanza| stanza.is_post_quantum());
    let mut has = [false; 2];
    for is_post_quantum in new.iter().map(|id| id.is_post_quantum()).chain(kept).flatten() {
        has[usize::from(is_post_quantum)] = true;
    }
    if !allow_mixed && has == [true; 2] {
        return Err(Error::MixedRecipients);
    }
    Ok(())
}

debug!(|it: Encryptor| { recipients: it.recipients, suite: it.chosen_suite() });

#[cfg(test)]
#[path = "encrypt_tests.rs"]
mod tests;
