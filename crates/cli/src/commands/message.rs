//! `sealstone message`

use crate::args::{Allowed, Common};
use crate::config::{existing_identity, identity_name};
use crate::failure::{Failure, Mistake};
use crate::keyring::Keyring;
use crate::place::Place;
use crate::terminal::Terminal;
use crate::whole::{read, write};
use clap::{Args, Subcommand};
use sealstone::{Error, FileMode, Input, LooksLike, Text, message};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Seal and open small texts, for terminals and mail
#[derive(Args)]
pub(crate) struct Message {
    #[command(subcommand)]
    pub(crate) action: MessageAction,
}

#[derive(Subcommand)]
pub(crate) enum MessageAction {
    Seal(MessageSeal),
    Open(MessageOpen),
}

/// Seal up to 16 MiB to one recipient
#[derive(Args)]
#[command(after_help = "\
The message is base64 text. Before base64 it is longer than its content by 50 bytes with an x25519 recipient, 83 with p256, \
1,106 with ml-kem-768 and 1,138 with hybrid.

Examples:
  echo 'meet at six' | sealstone message seal -r bob.pub
  sealstone message seal -r bob.pub --aad 'order 17' -o note.txt note")]
pub(crate) struct MessageSeal {
    /// The recipient (age1…, age1pq1…), a name (@bob), or a file with one
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    /// Bind the message to a text that is not stored in it and must be given again to open it
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) aad: String,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write bytes instead of text
    #[arg(long)]
    pub(crate) binary: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to seal; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Open a message
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone message open -i identity.txt < note.txt")]
pub(crate) struct MessageOpen {
    /// A file with one identity (default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// The text that the message was bound to
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) aad: String,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The message; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Above the length of any message as text; a longer input is refused early.
const READ_MAX_LEN: usize = 24 << 20;

pub(crate) fn run(command: &Message, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        MessageAction::Seal(command) => seal(command, common, terminal),
        MessageAction::Open(command) => open(command, common, terminal),
    }
}

fn seal(command: &MessageSeal, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    let recipients = keys.find_recipients(std::slice::from_ref(&command.recipient), &[]);
    let recipients = recipients.map_err(|failure| match failure {
        Failure::Mistake { mistake: Mistake::SymmetricKey, .. } => failure.with_hint("a message needs a public key"),
        failure => failure,
    })?;
    let [recipient] = &recipients[..] else {
        return Err(Failure::usage("a message goes to one recipient, but the file has several"));
    };
    if let Some(profile) = command.allowed.profile {
        profile.check_kind(recipient.kind())?;
    }
    keys.guard.check_stdin(command.input.as_slice())?;
    let place = Place::new(command.input.as_deref().unwrap_or(Path::new("-")));
    keys.guard.protect_input(&place)?;
    let plaintext = read(&place, READ_MAX_LEN).map_err(|failure| {
        let is_text = place.path().is_some_and(|path| path.symlink_metadata().is_err());
        let hint = "the text comes from stdin or a file: echo hello | sealstone message seal -r RECIPIENT";
        if is_text { failure.with_hint(hint) } else { failure }
    });
    let plaintext = plaintext?.ok_or_else(|| explain_too_long(&place))?;
    let sealed = message::seal(recipient, &plaintext, command.aad.as_bytes()).map_err(Failure::from);
    let sealed = sealed.map_err(|failure| failure.on(place.path()))?;
    if command.binary {
        if command.output.is_none() && io::stdout().is_terminal() {
            return Err(Failure::usage_with_hint("binary output is not written to a terminal", "leave out --binary"));
        }
        return write(command.output.as_ref(), &sealed, FileMode::Shared, common, &keys.guard);
    }
    write(command.output.as_ref(), message::armour(&sealed).as_bytes(), FileMode::Shared, common, &keys.guard)
}

fn open(command: &MessageOpen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(command.input.as_slice())?;
    let place = Place::new(command.input.as_deref().unwrap_or(Path::new("-")));
    let path = command.identity.clone().or_else(existing_identity).ok_or_else(|| {
        let hint = format!("name an identity file with -i, or keep one at {}", identity_name());
        Failure::usage_with_hint("there is no identity to open the message with", hint)
    });
    // A message in a file is checked before any question for the key's passphrase.
    let named = place.path().map(|_| read_message(&place)).transpose()?;
    let identities = keys.read_identities(&path?)?;
    if let Some(profile) = command.allowed.profile {
        identities.iter().try_for_each(|identity| profile.check_kind(identity.kind()))?;
    }
    // A message does not commit to its key, so only one identity may be tried (format section 7).
    let [identity] = &identities[..] else {
        return Err(Failure::usage("a message is opened with one identity, but the file holds several"));
    };
    keys.guard.check_stdin(command.input.as_slice())?;
    keys.guard.protect_input(&place)?;
    let message = named.map_or_else(|| read_message(&place), Ok)?;
    let opened = message::open(identity, &message, command.aad.as_bytes());
    let opened = opened.map_err(|error| explain(error).on(place.path()));
    let opened = Zeroizing::new(opened?);
    write(command.output.as_ref(), &opened, FileMode::Private, common, &keys.guard)
}

/// Converts an error of opening: the words of core are about files, and these are about messages.
fn explain(error: Error) -> Failure {
    const AGAIN: &str = "`message open` takes the output of `sealstone message seal`: copy it again from the BEGIN line to the END line";
    let failure = |error| Failure::from(error);
    match error {
        // A message does not name its key, so nothing else is known about a wrong one.
        Error::NotAuthentic { .. } => failure(error).with_hint(
            "the message is for another key (name yours with -i), the --aad differs, or the message was changed or damaged",
        ),
        Error::NoMatchingIdentity => failure(error)
            .with_message("the identity does not open this message")
            .with_hint("the message is for a key of another kind: name that identity with -i"),
        Error::NotSealstone(None) => failure(error).with_message("not a Sealstone message").with_hint(AGAIN),
        Error::NotSealstone(Some(LooksLike::Keys)) => failure(error)
            .with_message("not a Sealstone message, but a key file")
            .with_hint("name keys with -i: sealstone message open -i IDENTITY MESSAGE"),
        // A part of a sealed file is not a message, and core's words fit.
        Error::NotSealstone(Some(LooksLike::File | LooksLike::Base64 | LooksLike::ChangedLineEnds)) => error.into(),
        Error::NotSealstone(Some(guess)) => failure(error).with_message(format!("not a Sealstone message, but {guess}")),
        Error::Truncated(why) => failure(error).with_message(format!("the message is truncated: {why}")).with_hint(AGAIN),
        Error::MalformedArmour(why) if why != Text::IS_UTF16 => failure(error).with_hint(AGAIN),
        error => error.into(),
    }
}

/// Reads the message to open. Refuses a sealed file.
fn read_message(place: &Place) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = read(place, READ_MAX_LEN)?;
    let mut start = match &bytes {
        Some(bytes) => Input::reader(&bytes[..]),
        // A sealed file may have any length, and is inspected from its start. stdin cannot be read again.
        None if place.path().is_some() => place.open()?,
        None => return Err(explain_too_long(place)),
    };
    if sealstone::stanzas(&mut start).is_ok() {
        return Err(Failure::from(Error::NotSealstone(Some(LooksLike::File))).on(place.path()));
    }
    drop(start);
    bytes.ok_or_else(|| explain_too_long(place))
}

fn explain_too_long(place: &Place) -> Failure {
    Failure::from(Error::TooLong).on(place.path())
}
