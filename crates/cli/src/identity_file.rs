//! Identity files: reading them, with the passphrase that they need, and writing them.

use crate::application_key::ApplicationKey;
use crate::args::PassphraseSource;
use crate::descriptor;
use crate::failure::{Failure, Mistake, plain_name};
use crate::foreign;
use crate::passphrase;
use crate::terminal::Terminal;
use sealstone::interop::{age, nkcs, nkct};
use sealstone::plugin;
use sealstone::signature::SigningKey;
use sealstone::{
    Decryptor, Encryptor, Error, Identity, Input, Inspection, KeyFault, KeyFileError, KeyForm, Passphrase, Recipient,
    StanzaInfo, Suite, Text, UnsupportedKey, escape_name, exchange, sign,
};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use zeroize::Zeroizing;

/// The content of an identity file.
pub(crate) struct IdentityFile {
    pub(crate) identities: Vec<Identity>,
    /// The form of the text inside, if the file is sealed.
    pub(crate) form: KeyForm,
    pub(crate) text: Zeroizing<Vec<u8>>,
    /// The suite of the sealed file; `None` if the file is not sealed.
    pub(crate) sealed: Option<Suite>,
    /// Whether the file or its keys needed a passphrase.
    pub(crate) is_protected: bool,
    /// The passphrase of the keys in the text, if they are encrypted.
    pub(crate) passphrase: Option<Passphrase>,
}

impl IdentityFile {
    pub(crate) fn recipients(&self) -> Vec<Recipient> {
        self.identities.iter().map(Identity::recipient).collect()
    }

    pub(crate) fn open(
        bytes: Zeroizing<Vec<u8>>,
        is_exposed: bool,
        path: &Path,
        source: &PassphraseSource,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        Self::open_with(bytes, is_exposed, path, None, source, terminal)
    }

    /// As [`open`](Self::open), with the passphrase of the keys if the user has already typed it.
    pub(crate) fn open_with(
        bytes: Zeroizing<Vec<u8>>,
        is_exposed: bool,
        path: &Path,
        known: Option<Passphrase>,
        source: &PassphraseSource,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        Self::parse(IdentityText::of(bytes, path, source)?, is_exposed, path, known, source, terminal)
    }

    /// Reads the identities of an opened file.
    pub(crate) fn parse(
        opened: IdentityText,
        is_exposed: bool,
        path: &Path,
        known: Option<Passphrase>,
        source: &PassphraseSource,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        Self::read(opened, is_exposed, path, known, source, terminal)?.map_err(|other| other.into_failure(path))
    }

    /// As [`parse`](Self::parse), but returns a text without identities to the caller, who may find keys of another kind in it.
    pub(crate) fn read(
        opened: IdentityText,
        is_exposed: bool,
        path: &Path,
        known: Option<Passphrase>,
        source: &PassphraseSource,
        terminal: &Terminal,
    ) -> Result<Result<Self, NoIdentity>, Failure> {
        let name = escape_name(path);
        let IdentityText { text, sealed, is_age } = opened;
        let parse = |passphrase: Option<&Passphrase>| parse_identities(&text, sealed.as_ref(), passphrase);
        let (found, passphrase) = passphrase::open_with_passphrase(known, source, &name, |error| &error.error, parse)?;
        let identities = match found {
            Ok(identities) => identities,
            // The passphrase does not open the file as another type of key either.
            Err(KeyFileError { error: Error::NoMatchingIdentity, .. }) => return Err(wrong_passphrase(path)),
            Err(error) => return Ok(Err(NoIdentity { error, text, passphrase })),
        };
        if is_exposed {
            warn_exposed(&name, terminal);
        }
        let form = KeyForm::of(&text).expect("identity_file: a file that was read has a form");
        let is_protected = is_age || sealed.is_some() || passphrase.is_some();
        // A rewritten file is sealed as a Sealstone file, in the default suite if age had sealed it.
        let sealed = sealed.map(|sealed| sealed.suite).or(is_age.then(Suite::default));
        Ok(Ok(Self { identities, form, text, sealed, is_protected, passphrase }))
    }
}

/// A text without Sealstone identities, and the error that says why.
pub(crate) struct NoIdentity {
    error: KeyFileError,
    text: Zeroizing<Vec<u8>>,
    /// The passphrase that the user was asked for.
    passphrase: Option<Passphrase>,
}

impl NoIdentity {
    /// Finds keys in the text that open nkCryptoTool files.
    pub(crate) fn find_nkct_keys(
        &self,
        path: &Path,
        source: &PassphraseSource,
    ) -> Result<Option<Vec<nkct::Identity>>, Failure> {
        let parse = |passphrase: Option<&Passphrase>| nkct::Identity::parse(&*self.text, passphrase);
        if self.passphrase.is_some() {
            return Ok(parse(self.passphrase.as_ref()).ok());
        }
        // Parsing stopped at the first of several keys before it asked for a passphrase.
        let (found, _) =
            passphrase::open_with_passphrase(None, source, &escape_name(path), |error| &error.error, parse)?;
        Ok(found.ok())
    }

    /// Finds an application key in the text, which opens no Sealstone file.
    pub(crate) fn find_application_key(&self) -> Option<ApplicationKey> {
        ApplicationKey::of(&self.text, self.passphrase.as_ref())
    }

    pub(crate) fn into_failure(self, path: &Path) -> Failure {
        let Self { error, text, passphrase } = self;
        let name = escape_name(path);
        match find_signing_key(&text, passphrase.as_ref()) {
            Some(what) => in_key_file(&name, error).with_mistake(Some(what)),
            None => explain_nkcryptotool_key(&name, &text, passphrase.as_ref(), UnsupportedKey::Algorithm)
                .unwrap_or_else(|| {
                    let public = foreign::is_ssh_public_key(&text).then_some(Mistake::PublicKeyOfSsh);
                    in_key_file(&name, error).with_mistake(foreign::identify(&text).or(public))
                }),
        }
    }
}

/// The failure for a text whose keys work only in nkCryptoTool's files and signatures. Call it after reading the text as Sealstone
/// keys failed, since some keys fit both. `signs_elsewhere` is the error for a kind that signs only there. `None` for any other
/// text, and for a wrong passphrase.
pub(crate) fn explain_nkcryptotool_key(
    name: &str,
    text: &[u8],
    passphrase: Option<&Passphrase>,
    signs_elsewhere: UnsupportedKey,
) -> Option<Failure> {
    if let Ok(key) = nkcs::SigningKey::parse(text, passphrase) {
        let has_sealstone_kind = key.kind() == sign::Kind::MlDsa65;
        let lack = if has_sealstone_kind { UnsupportedKey::MlDsaExpanded } else { signs_elsewhere };
        return Some(in_file(name, lack.into()).with_mistake(Some(Mistake::SigningKeyOfNkcs)));
    }
    let keys = nkct::Identity::parse(text, passphrase).ok()?;
    let has_sealstone_kind = keys.iter().any(|key| key.kind() == exchange::Kind::MlKem768);
    let lack = if has_sealstone_kind { UnsupportedKey::MlKemExpanded } else { UnsupportedKey::MlKemSize };
    Some(in_file(name, lack.into()).with_mistake(Some(Mistake::IdentityOfNkct)))
}

/// The text of an identity file, and the format that it was sealed in.
#[derive(Clone)]
pub(crate) struct IdentityText {
    pub(crate) text: Zeroizing<Vec<u8>>,
    sealed: Option<Inspection>,
    is_age: bool,
}

/// Strings of identities grouped by their plugin's name, in the order of first appearance.
pub(crate) type Strings = Vec<(String, Vec<Zeroizing<String>>)>;

impl IdentityText {
    /// The text of a file that is not sealed.
    pub(crate) fn plain(text: Zeroizing<Vec<u8>>) -> Self {
        Self { text, sealed: None, is_age: false }
    }

    pub(crate) fn of(bytes: Zeroizing<Vec<u8>>, path: &Path, source: &PassphraseSource) -> Result<Self, Failure> {
        let is_age = age::begins(&bytes);
        let bytes = if is_age { open_age(&bytes, path, source)? } else { bytes };
        let (text, sealed) = open_sealed(bytes, path, source)?;
        Ok(Self { text, sealed, is_age })
    }

    /// Returns the strings of plugins, and the text without them. Lines keep their numbers.
    pub(crate) fn without_plugins(&self) -> (Strings, Self) {
        let mut strings = Vec::new();
        let mut others = Zeroizing::new(Vec::with_capacity(self.text.len() + 1));
        let text = Text::of(&*self.text).map_or(&self.text[..], Text::bytes);
        for line in text.split(|byte| *byte == b'\n') {
            let text = Text::of_line(line.strip_suffix(b"\r").unwrap_or(line));
            match plugin::Identity::plugin_of(text) {
                Some(name) => add_string(&mut strings, name, Zeroizing::new(text.to_owned())),
                None => others.extend_from_slice(line),
            }
            others.push(b'\n');
        }
        others.pop();
        (strings, Self { text: others, sealed: self.sealed.clone(), is_age: self.is_age })
    }

    /// Whether the text has anything but comments and empty lines.
    pub(crate) fn has_key(&self) -> bool {
        has_key(&self.text)
    }
}

/// Whether a file of keys has anything but comments and empty lines. A line with a carriage return counts, since a key may follow
/// it.
pub(crate) fn has_key(file: &[u8]) -> bool {
    let is_key =
        |(_, line): (_, &[u8])| line.contains(&b'\r') || !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    Text::of(file).map_or(true, |text| text.lines().any(is_key))
}

/// Adds a string to the strings of its plugin.
pub(crate) fn add_string<T>(all: &mut Vec<(String, Vec<T>)>, name: String, text: T) {
    match all.iter_mut().find(|(known, _)| *known == name) {
        Some((_, strings)) => strings.push(text),
        None => all.push((name, vec![text])),
    }
}

/// Finds a signing key in a text without identities.
fn find_signing_key(text: &[u8], passphrase: Option<&Passphrase>) -> Option<Mistake> {
    // An SSH key is recognized without its passphrase.
    let read = SigningKey::parse(text, passphrase);
    matches!(read, Ok(_) | Err(Error::PassphraseRequired)).then_some(Mistake::SigningKey)
}

/// Parses the identities in a text; `sealed` is the inspection of the file that sealed it.
fn parse_identities(
    text: &[u8],
    sealed: Option<&Inspection>,
    passphrase: Option<&Passphrase>,
) -> Result<Vec<Identity>, KeyFileError> {
    match sealed {
        Some(sealed) => sealed.parse_identities(text, passphrase),
        None => sealstone::parse_identities(text, passphrase),
    }
}

/// Opens an identity file if it is sealed with a passphrase. Returns its text, and the inspection of the sealed file.
fn open_sealed(
    mut bytes: Zeroizing<Vec<u8>>,
    path: &Path,
    source: &PassphraseSource,
) -> Result<(Zeroizing<Vec<u8>>, Option<Inspection>), Failure> {
    let name = &escape_name(path);
    let sealed = inspect_sealed(&bytes).map_err(|error| match error {
        error @ Error::MalformedArmour(_) => in_file(name, error).with_hint("a sealed key must be alone in its file"),
        error => in_file(name, error),
    })?;
    if let Some(sealed) = &sealed {
        if !sealed.stanzas.iter().any(StanzaInfo::is_passphrase) {
            let error = Error::InvalidIdentity(KeyFault::SealedToRecipient);
            let file = plain_name(path).unwrap_or("FILE");
            return Err(in_file(name, error).with_hint(format!("`sealstone inspect {file}` shows sealed files")));
        }
        let opened = Decryptor::new(passphrase::ask(source, name)?.into_identities()).decrypt(&bytes);
        bytes = Zeroizing::new(opened.map_err(|error| match error {
            Error::WrongPassphrase => wrong_passphrase(path),
            error => in_file(name, error),
        })?);
    }
    Ok((bytes, sealed))
}

/// Decrypts an identity file that age encrypted with a passphrase.
fn open_age(bytes: &[u8], path: &Path, source: &PassphraseSource) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let name = &escape_name(path);
    let stanzas = age::stanzas(&mut Input::reader(bytes)).map_err(|error| in_file(name, error))?;
    if !stanzas.iter().any(|stanza| stanza.kind() == "scrypt") {
        return Err(in_file(name, Error::InvalidIdentity(KeyFault::SealedToRecipient)));
    }
    let passphrases = passphrase::ask(source, name)?.into_passphrases().into_iter();
    let opened = age::Decryptor::new(passphrases.map(age::Identity::from)).decrypt(bytes);
    opened.map(Zeroizing::new).map_err(|error| match error {
        Error::WrongPassphrase => wrong_passphrase(path),
        error => in_file(name, error),
    })
}

/// Inspects the content of an identity file; `None` if it is not a Sealstone file.
fn inspect_sealed(bytes: &[u8]) -> Result<Option<Inspection>, Error> {
    match sealstone::inspect_alone(Input::reader(bytes)) {
        Ok(seen) => Ok(Some(seen)),
        Err(Error::NotSealstone(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Seals the content of an identity file if there is a passphrase.
pub(crate) fn seal(
    content: Zeroizing<Vec<u8>>,
    passphrase: Option<Passphrase>,
    suite: Suite,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let Some(passphrase) = passphrase else { return Ok(content) };
    Ok(Zeroizing::new(Encryptor::new([passphrase.into()]).suite(suite).armour(true).encrypt(&content)?))
}

/// Refuses a device as output, since writing the key would replace it with a regular file.
pub(crate) fn refuse_device(path: &Path) -> Result<(), Failure> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_char_device() || metadata.file_type().is_block_device() => {
            Err(Error::OutputExists(path.to_path_buf()).into())
        }
        _ => Ok(()),
    }
}

/// Turns a text into bytes without copying the secret.
pub(crate) fn into_bytes(mut text: Zeroizing<String>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(std::mem::take(&mut *text).into_bytes())
}

/// Writes a secret key to a descriptor, and warns if other users can read the file.
pub(crate) fn write_to_descriptor(number: u16, content: &[u8], terminal: &Terminal) -> Result<(), Failure> {
    let name = descriptor::name(number);
    let metadata = descriptor::duplicate_to_write(number).and_then(|file| file.metadata());
    let metadata = metadata.map_err(|error| Failure::io("write", Some(&name), error))?;
    if metadata.is_file() && metadata.mode() & 0o077 != 0 {
        terminal.warn("a secret key is written to a file that others can read; use -o FILE instead");
    }
    descriptor::write(number, content)
}

pub(crate) fn warn_exposed(name: &str, terminal: &Terminal) {
    terminal.warn(&format!("{name} can be read by others; chmod 600 it"));
}

pub(crate) fn wrong_passphrase(path: &Path) -> Failure {
    Failure::WrongPassphrase { of: Some(path.to_path_buf()), is_input: false }
}

pub(crate) fn in_file(name: &str, error: Error) -> Failure {
    Failure::In { file: name.to_owned(), error }
}

pub(crate) fn in_key_file(name: &str, error: KeyFileError) -> Failure {
    match error.line {
        Some(line) => in_file(&format!("{name}, line {line}"), error.error),
        None => in_file(name, error.error),
    }
}
