//! Rewraps files of age for other recipients.

use super::decrypt::unlock;
use super::encrypt::{check_recipients, wrap_all};
use super::header::Header;
use super::inspect::{Age, plaintext_len};
use super::key::{Identity, LOG_N_USUAL, Recipient, Strength};
use crate::error::{Error, RecipientsRule, Result};
use crate::format::{self, Rewrap, Summary, configured, settings_methods};
use crate::pipeline::{FileMode, Input, Output, Settings};
use crate::plugin::Stanza;
use std::path::Path;

/// Rewraps a file of age for other recipients, without decrypting it: the payload is copied, only the header is new. By
/// default, the file keeps its recipients, and the new ones are added.
///
/// # Security
/// As for [`Rewrapper`](crate::Rewrapper): rewrapping cannot revoke access, and does not authenticate the payload. A file of
/// age does not store the labels of a plugin's stanzas, so both classical and post-quantum recipients can be added beside them.
///
/// # Examples
/// ```
/// use sealstone::Kind;
/// use sealstone::interop::age::{Decryptor, Encryptor, Identity, Rewrapper};
///
/// let generate = || Identity::try_from(sealstone::Identity::generate(Kind::X25519)?);
/// let (alice, bob) = (generate()?, generate()?);
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
    settings: Settings,
}

impl Rewrapper {
    /// Opens headers with these identities and adds these recipients.
    #[must_use]
    pub fn new(
        identities: impl IntoIterator<Item = Identity>,
        recipients: impl IntoIterator<Item = Recipient>,
    ) -> Self {
        let (identities, recipients) = (identities.into_iter().collect(), recipients.into_iter().collect());
        Self { identities, recipients, replace: false, settings: Settings::default() }
    }

    /// Sets whether the new recipients replace those of the file.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    settings_methods!();

    /// Rewraps a file in memory; armour stays armour.
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
    /// # use sealstone::interop::age::{Identity, Recipient, Rewrapper};
    /// # fn run(own: Identity, other: Recipient) -> sealstone::Result<()> {
    /// Rewrapper::new([own], [other]).rewrap_file("film.mkv.age")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::HardLinks`]; [`Error::NotRegularFile`] for a symbolic link; see [`rewrap_to`](Self::rewrap_to).
    pub fn rewrap_file(&self, path: impl AsRef<Path>) -> Result<Summary> {
        let input = Input::open(&path)?;
        let mode = input.mode().map_or_else(Default::default, FileMode::Exactly);
        self.rewrap_to(input, Output::file(path)?.mode(mode).in_place())
    }

    /// Rewraps from any input to any output.
    ///
    /// # Errors
    /// - [`Error::InvalidRecipients`]: no recipient, over 1,024 with the kept ones, a passphrase among them, or recipients
    ///   added to a file with a passphrase; [`Error::MixedRecipients`]: post-quantum and classical together;
    /// - the errors of the header: [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`],
    ///   [`Error::CostTooHigh`], [`Error::NoMatchingIdentity`], [`Error::WrongPassphrase`], [`Error::HeaderNotAuthentic`];
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::PluginFailed`]; [`Error::NoRandomness`]; [`Error::Cancelled`].
    pub fn rewrap_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        format::rewrap(self, input, output)?.publish()
    }
}

configured!(Rewrapper);

impl Rewrap for Rewrapper {
    type Format = Age;

    fn check_recipients(&self) -> Result<()> {
        if self.recipients.iter().any(|recipient| recipient.strength() == Some(Strength::Alone)) {
            return Err(Error::InvalidRecipients(RecipientsRule::NoNewPassphrase));
        }
        Ok(())
    }

    fn new_head(&self, input: &mut Input<'_>) -> Result<(Vec<u8>, usize)> {
        let header = Header::of(input)?;
        let file_key = unlock(&header, &self.identities, LOG_N_USUAL)?;
        let kept: &[Stanza] = if self.replace { &[] } else { &header.stanzas };
        check_recipients(&self.recipients, kept)?;
        let head = Header::write(&wrap_all(&self.recipients, kept, &file_key)?, &file_key)?;
        Ok((head, header.len))
    }

    fn plaintext_len(&self, payload_len: u64) -> Result<u64> {
        plaintext_len(payload_len)
    }
}

debug!(Rewrapper { recipients });
