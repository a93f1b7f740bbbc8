use super::check_profile;
use super::chunks::{HEAD_LEN, opened_len};
use super::encrypt::check_recipients;
use super::header::{Header, PEEK_LEN, header_len};
use super::inspect::Sealstone;
use crate::error::{Error, RecipientsRule, Result};
use crate::format::armour::{FILE_ALONE, dearmour_if_armoured};
use crate::format::{self, Prepared, Rewrap, Summary, asks, configured, settings_methods};
use crate::key::{Identity, Kind, Recipient};
use crate::pipeline::{Input, Output, Settings};
use crate::profile::Profile;
use crate::recipient::{Stretch, StretchKdf};
use std::path::Path;

/// Rewraps a file for other recipients, without decrypting it (format section 1.1).
///
/// The payload is copied; only the header is new. By default, the file keeps its recipients, and the new ones are added.
///
/// # Security
/// Rewrapping cannot revoke access. Whoever could once open the file can always open its payload, and can forge it for the
/// other recipients. To shut someone out of future versions, decrypt the file and encrypt it anew. Rewrapping does not
/// authenticate the payload.
///
/// # Examples
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind, Rewrapper};
///
/// let (alice, bob) = (Identity::generate(Kind::Hybrid)?, Identity::generate(Kind::Hybrid)?);
/// let sealed = Encryptor::new([alice.recipient()]).encrypt(b"attack at dawn")?;
/// let rewrapped = Rewrapper::new([alice], [bob.recipient()]).rewrap(&sealed)?;
/// assert_eq!(Decryptor::new([bob]).decrypt(&rewrapped)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Rewrapper {
    identities: Vec<Identity>,
    recipients: Vec<Recipient>,
    replace: bool,
    allow_mixed: bool,
    profile: Option<Profile>,
    settings: Settings,
}

impl Rewrapper {
    /// Opens headers with these identities and adds these recipients.
    #[must_use]
    pub fn new(
        identities: impl IntoIterator<Item = Identity>,
        recipients: impl IntoIterator<Item = Recipient>,
    ) -> Self {
        Self {
            identities: identities.into_iter().collect(),
            recipients: recipients.into_iter().collect(),
            replace: false,
            allow_mixed: false,
            profile: None,
            settings: Settings::default(),
        }
    }

    /// Sets whether the new recipients replace those of the file. A stanza does not tell its recipient, so a single one cannot
    /// be removed.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Allows post-quantum and classical recipients together, including the kept ones. The file is then only as strong as the
    /// weakest of them.
    #[must_use]
    pub fn allow_mixed(mut self, allow: bool) -> Self {
        self.allow_mixed = allow;
        self
    }

    /// Refuses everything outside a profile: identities and recipients of other kinds, including the kept recipients, and files
    /// of other suites.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    settings_methods!();

    /// Rewraps a file in memory; armour stays armour. Armour with other text around it is refused, since that text would be
    /// lost.
    ///
    /// # Errors
    /// See [`rewrap_to`](Self::rewrap_to), except for the errors of files.
    pub fn rewrap(&self, file: &[u8]) -> Result<Vec<u8>> {
        let mut rewrapped = Vec::with_capacity(file.len());
        self.rewrap_to(Input::reader(file), Output::writer(&mut rewrapped))?;
        Ok(rewrapped)
    }

    /// Replaces a file with its rewrapped form, once that is complete. A file with hard links is refused, since the old keys
    /// would still open it under its other names; [`rewrap_to`](Self::rewrap_to) with
    /// [`Output::split_links`](crate::Output::split_links) rewraps it under this name alone.
    ///
    /// ```no_run
    /// # use sealstone::{Identity, Recipient, Rewrapper};
    /// # fn run(own: Identity, other: Recipient) -> sealstone::Result<()> {
    /// Rewrapper::new([own], [other]).rewrap_file("film.mkv.seal")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::HardLinks`]; [`Error::NotRegularFile`] for a symbolic link; see [`rewrap_to`](Self::rewrap_to).
    pub fn rewrap_file(&self, path: impl AsRef<Path>) -> Result<Summary> {
        let input = Input::open(&path)?;
        let mode = input.mode().map_or_else(Default::default, crate::FileMode::Exactly);
        self.rewrap_to(input, Output::file(path)?.mode(mode).in_place())
    }

    /// Rewraps from any input to any output.
    ///
    /// # Errors
    /// - [`Error::InvalidRecipients`]: no recipient, over 1,024 with the kept ones, a passphrase among them, or recipients
    ///   added to a file with a passphrase;
    /// - [`Error::MixedRecipients`]: post-quantum and classical together without [`allow_mixed`](Self::allow_mixed);
    /// - [`Error::NotInProfile`]: an identity, a recipient or the suite is outside the [`profile`](Self::profile);
    /// - the errors of format section 8 for the header: [`Error::NotSealstone`], [`Error::UnsupportedVersion`],
    ///   [`Error::UnsupportedSuite`], [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`],
    ///   [`Error::CostTooHigh`], [`Error::NoMatchingIdentity`], [`Error::HeaderNotAuthentic`];
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::PluginFailed`]; [`Error::NoRandomness`]; [`Error::Cancelled`].
    pub fn rewrap_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        self.prepare(input, output)?.publish()
    }

    /// As [`rewrap_to`](Self::rewrap_to), without publishing the output.
    ///
    /// # Errors
    /// See [`rewrap_to`](Self::rewrap_to).
    pub fn prepare<'o>(&self, input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
        format::rewrap(self, input, output)
    }

    /// Rewraps the head of a binary file: the bytes before its first chunk, as many as [`FileOpener::read_head_len`] returns.
    /// The old file with the new head in its place is the rewrapped file. So a store that can copy on its side needs only the
    /// head.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, FileOpener, Identity, Kind, Rewrapper};
    ///
    /// let (alice, bob) = (Identity::generate(Kind::Hybrid)?, Identity::generate(Kind::Hybrid)?);
    /// let sealed = Encryptor::new([alice.recipient()]).encrypt(b"attack at dawn")?;
    /// let (head, chunks) = sealed.split_at(FileOpener::read_head_len(&sealed[..FileOpener::START_LEN])?);
    /// let rewrapped = Rewrapper::new([alice], [bob.recipient()]).rewrap_head(head)?;
    /// assert_eq!(Decryptor::new([bob]).decrypt(&[&rewrapped, chunks].concat())?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`rewrap_to`](Self::rewrap_to), except those of files and of armour; [`Error::WrongLength`] if chunks
    /// follow the head.
    ///
    /// [`FileOpener::read_head_len`]: crate::FileOpener::read_head_len
    pub fn rewrap_head(&self, head: &[u8]) -> Result<Vec<u8>> {
        self.check_new_recipients()?;
        let (mut rewrapped, at) = self.new_head(&mut Input::reader(head))?;
        let expected = at + HEAD_LEN;
        if head.len() < expected {
            return Err(Error::Truncated("it ends before the first chunk"));
        }
        if head.len() > expected {
            return Err(Error::WrongLength { what: "the head of the file", expected, actual: head.len() });
        }
        rewrapped.extend_from_slice(&head[at..]);
        Ok(rewrapped)
    }

    /// Refuses a new passphrase, which would have to be the only recipient of its file.
    fn check_new_recipients(&self) -> Result<()> {
        if self.recipients.iter().any(|recipient| recipient.kind() == Kind::Passphrase) {
            return Err(Error::InvalidRecipients(RecipientsRule::NoNewPassphrase));
        }
        Ok(())
    }

    /// As [`Decryptor::stretch`](crate::Decryptor::stretch).
    ///
    /// # Errors
    /// The errors of format section 8 for the header, and for costs that no reader accepts.
    pub fn stretch(&self, file: &[u8]) -> Result<Option<Stretch>> {
        if self.identities.iter().all(|identity| identity.kind() != Kind::Passphrase) {
            return Ok(None);
        }
        Header::parse(&dearmour_if_armoured(FILE_ALONE, file)?)?.stretch(&self.identities)
    }

    /// As [`Decryptor::know`](crate::Decryptor::know).
    pub fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        stretch.tell(self.identities.iter().filter_map(Identity::passphrase), key);
    }
}

configured!(Rewrapper);

asks!(Rewrapper, StretchKdf, |this, file| format::asked::<Sealstone>(file)?.with_stretch(this.stretch(file)?));

impl Rewrap for Rewrapper {
    type Format = Sealstone;

    fn check_recipients(&self) -> Result<()> {
        self.check_new_recipients()
    }

    fn new_head(&self, input: &mut Input<'_>) -> Result<(Vec<u8>, usize)> {
        let len = header_len(input.head(PEEK_LEN)?)?;
        let header = Header::parse(input.head(len)?)?;
        let file_key = header.open(&self.identities)?;
        let (kept, stanzas): (&[u8], Vec<_>) =
            if self.replace { (&[], Vec::new()) } else { (header.area(), header.stanzas().collect()) };
        let given = self.identities.iter().map(Identity::kind).chain(self.recipients.iter().map(Recipient::kind));
        let kinds_of_all = given.map(Some).chain(stanzas.iter().map(|stanza| stanza.id.key_kind()));
        check_profile(self.profile, header.suite(), kinds_of_all)?;
        check_recipients(header.suite(), &self.recipients, &stanzas, self.allow_mixed)?;
        let (suite, flags) = (header.suite(), header.flags());
        let new = Header::write(suite, flags, kept, &self.recipients, self.allow_mixed, &file_key)?;
        Ok((new, len))
    }

    fn plaintext_len(&self, payload_len: u64) -> Result<u64> {
        let chunks = payload_len.checked_sub(HEAD_LEN as u64);
        opened_len(chunks.ok_or(Error::Truncated("it ends before the first chunk"))?)
    }
}

debug!(Rewrapper { recipients });
