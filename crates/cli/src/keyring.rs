//! The keys of one run: the files that hold them, which no output may replace, and what is read from those.

use crate::address_book::{self, Use};
use crate::args::{Common, With};
use crate::descriptor;
use crate::failure::{Failure, Instead};
use crate::identity_file::{IdentityFile, in_file, in_key_file, warn_exposed};
use crate::passphrase;
use crate::place::{Place, is_stdin, on_the_way};
use crate::terminal::Terminal;
use rustix::fs::{FileType, Stat};
use sealstone::encoding::Encoding;
use sealstone::signature::{Signers, SigningKey};
use sealstone::{Error, FileId, Identity, Input, KeyFault, KeyForm, Kind, Output, Recipient, escape_name};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// More than any list of keys a person keeps, so that a wrong file is refused and not read.
const FILE_MAX_LEN: usize = 16 << 20;

/// The keys of one run.
pub(crate) struct Keyring {
    /// Files that hold them, which no output may replace.
    files: Vec<(FileId, PathBuf)>,
    /// Whether one of them was read from stdin.
    pub(crate) used_stdin: bool,
    /// Where somebody may have to type.
    terminal: Terminal,
}

impl Keyring {
    pub(crate) fn new(common: &Common) -> Self {
        let used_stdin = passphrase::is_stdin(common);
        let mut keys = Self { files: Vec::new(), used_stdin, terminal: Terminal::new(common) };
        common.passphrase_file.iter().chain(&common.askpass).for_each(|path| keys.protect(path));
        if let Some(number) = common.passphrase_fd {
            let id = descriptor::to_read(number).ok().and_then(|file| FileId::of(&file).ok()).flatten();
            keys.files.extend(id.map(|id| (id, PathBuf::from(format!("the file on descriptor {number}")))));
        }
        keys
    }

    /// One more file that no output may replace, nor a link on the way to it.
    pub(crate) fn protect(&mut self, path: &Path) {
        // What a descriptor gives has no name to be found by.
        let opened = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        let is_replaced = |stat: &&Stat| {
            let kind = FileType::from_raw_mode(stat.st_mode);
            kind.is_symlink() || kind.is_file()
        };
        let on_the_way = on_the_way(path);
        let ids = on_the_way.iter().filter(is_replaced).map(FileId::from);
        let ids = ids.chain(opened.map(|metadata| FileId::from(&metadata)));
        self.files.extend(ids.map(|id| (id, path.to_path_buf())));
    }

    /// What a command reads, and no output replaces.
    pub(crate) fn protect_input(&mut self, place: &Place) -> Result<(), Failure> {
        match place.path() {
            Some(path) => self.protect(path),
            None => {
                self.terminal.awaits_stdin();
                let stdin = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
                let stdin = stdin.map_err(|error| Failure::io("read", Some(Path::new("stdin")), error))?;
                self.files.extend(FileId::of(&stdin)?.map(|id| (id, PathBuf::from("the file on stdin"))));
            }
        }
        Ok(())
    }

    /// Refuses to print into a file of keys.
    pub(crate) fn check_stdout(&self) -> Result<(), Failure> {
        self.check_descriptor(descriptor::STDOUT)
    }

    /// Refuses to write a file of keys through a descriptor.
    pub(crate) fn check_descriptor(&self, number: u16) -> Result<(), Failure> {
        let fail = |error| Failure::io("write", Some(&descriptor::name(number)), error);
        FileId::of(&descriptor::to_write(number).map_err(fail)?)?.map_or(Ok(()), |id| self.check_output(id))
    }

    /// Refuses an output that is a file of keys.
    pub(crate) fn check_output(&self, id: FileId) -> Result<(), Failure> {
        match self.files.iter().find(|(file, _)| *file == id) {
            Some((_, path)) => {
                Err(Failure::from(Error::SameFile(path.clone())).with_hint("name another file for the output"))
            }
            None => Ok(()),
        }
    }

    /// Refuses outputs that are files of keys, before the first of them is made.
    pub(crate) fn check_outputs(&self, mut ids: impl Iterator<Item = FileId>) -> Result<(), Failure> {
        ids.try_for_each(|id| self.check_output(id))
    }

    /// An output that refuses to replace a file of keys.
    pub(crate) fn guard<'a>(&self, output: Output<'a>) -> Output<'a> {
        self.files.iter().fold(output, |output, (id, path)| output.protect(*id, path))
    }

    /// Refuses to read stdin for keys or a passphrase and as an input.
    pub(crate) fn check_stdin(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let is_input = inputs.is_empty() || inputs.iter().any(|path| is_stdin(path));
        if self.used_stdin && is_input {
            return Err(Failure::usage("stdin cannot be both the input and a source of keys, passphrases or tags"));
        }
        Ok(())
    }

    /// Refuses to read stdin twice, if this is stdin.
    pub(crate) fn takes_stdin(&mut self, path: &Path) -> Result<(), Failure> {
        if is_stdin(path) && std::mem::replace(&mut self.used_stdin, true) {
            return Err(Failure::usage("stdin can be read only once"));
        }
        Ok(())
    }

    /// The text of a key file, and whether others than its owner may read it.
    pub(crate) fn read(&mut self, path: &Path) -> Result<(Zeroizing<Vec<u8>>, bool), Failure> {
        if path.to_str().is_some_and(looks_like_key) && !path.exists() {
            return Err(Failure::usage("this looks like a key itself, which is not shown again; name a file"));
        }
        let fail = |error| Failure::io("read", Some(path), error);
        let mut is_exposed = false;
        let bytes = if is_stdin(path) {
            self.takes_stdin(path)?;
            self.terminal.awaits_stdin();
            let stdin = std::io::stdin().as_fd().try_clone_to_owned().map(File::from).map_err(fail)?;
            if let Some(id) = FileId::of(&stdin)? {
                self.files.push((id, PathBuf::from("the file on stdin")));
            }
            passphrase::read_secret(std::io::stdin().lock(), FILE_MAX_LEN).map_err(fail)?
        } else {
            let file = File::open(path).map_err(fail)?;
            self.protect(path);
            if let Some(id) = FileId::of(&file)? {
                self.files.push((id, path.to_path_buf()));
                is_exposed = file.metadata().map_err(fail)?.mode() & 0o077 != 0;
            }
            passphrase::read_secret(file, FILE_MAX_LEN).map_err(fail)?
        };
        if bytes.len() > FILE_MAX_LEN {
            return Err(Failure::usage(format!("{} is too long for a key file", escape_name(path))));
        }
        Ok((bytes, is_exposed))
    }

    /// A key that is in no form of ours. A file of keys for files or people is refused: its text would be a key that nobody means, and
    /// a public one is known to all.
    pub(crate) fn raw(&mut self, path: &Path, terminal: &Terminal) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let bytes = self.any(path, terminal)?;
        if is_of_ours(&bytes) {
            return Err(Failure::usage_with_hint(
                format!("{} has a key of another kind (SEALSTONE-KEY-1…, age's, PEM), or is sealed", escape_name(path)),
                "this takes digits, or bytes as they are, which `sealstone random` prints: each use has a key of its own",
            ));
        }
        Ok(bytes)
    }

    /// Bytes as they are, whatever they look like.
    pub(crate) fn any(&mut self, path: &Path, terminal: &Terminal) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (bytes, is_exposed) = self.read(path)?;
        if is_exposed {
            warn_exposed(&escape_name(path), terminal);
        }
        Ok(bytes)
    }

    /// The recipients that `-r` and `-R` name.
    pub(crate) fn named_recipients(
        &mut self,
        recipients: &[String],
        files: &[PathBuf],
    ) -> Result<Vec<Recipient>, Failure> {
        let mut found = Vec::new();
        for text in recipients {
            if let Some(name) = text.strip_prefix('@') {
                found.push(address_book::find(name)?);
                self.protect(&address_book::path_of(name, Use::Encrypts)?);
                continue;
            }
            // A recipient is tried as one first; whatever cannot be one is a name.
            match text.parse::<Recipient>() {
                Ok(recipient) => found.push(recipient),
                Err(_) if Path::new(text).exists() => found.extend(self.recipients(Path::new(text))?),
                Err(error)
                    if recipient_kind(text).is_some()
                        || text.starts_with("-----BEGIN ")
                        || looks_secret(text)
                        || looks_like_digits(text)
                        || instead_of_recipient(text).is_some() =>
                {
                    return Err(Failure::from(error).instead(instead_of_recipient(text)));
                }
                Err(_) if address_book::find(text).is_ok() => {
                    return Err(Failure::usage_with_hint(
                        format!("{} is neither a recipient nor the name of a file", escape_name(Path::new(text))),
                        format!("for the name that you keep, write -r @{text}"),
                    ));
                }
                Err(_) if text == "-" => {
                    return Err(Failure::usage_with_hint("-r does not read stdin", "use -R - for recipients on stdin"));
                }
                Err(_) => {
                    let error =
                        Error::InvalidRecipient(KeyFault::Other("this is neither a recipient nor the name of a file"));
                    return Err(Failure::In { file: shown(text), error });
                }
            }
        }
        for path in files {
            found.extend(self.recipients(path)?);
        }
        Ok(each_once(found))
    }

    /// The failure of a text that is neither a signer nor the name of a file, with what it was refused for as a signer.
    pub(crate) fn not_a_file(text: &str, error: Error, instead: Option<Instead>) -> Failure {
        // A line of SSH, or a key that was pasted.
        if instead.is_some() || text.contains([' ', '\t', '\n']) || looks_secret(text) {
            return Failure::from(error).instead(instead);
        }
        let error = Error::InvalidSigner(KeyFault::Other("this is neither a signer nor the name of a file"));
        Failure::In { file: shown(text), error }
    }

    /// The recipients of a recipient file.
    pub(crate) fn recipients(&mut self, path: &Path) -> Result<Vec<Recipient>, Failure> {
        let (bytes, _) = self.read(path)?;
        parse_recipient_file(&bytes, path)
    }

    /// The identities of an identity file, which may itself be sealed with a passphrase.
    pub(crate) fn identities(
        &mut self,
        path: &Path,
        common: &Common,
        terminal: &Terminal,
    ) -> Result<Vec<Identity>, Failure> {
        self.identity_file(path, common, terminal).map(|file| file.identities)
    }

    /// The keys of a file of identities or of recipients, which was read.
    pub(crate) fn either_of(
        bytes: Zeroizing<Vec<u8>>,
        is_exposed: bool,
        path: &Path,
        common: &Common,
        terminal: &Terminal,
    ) -> Result<Result<IdentityFile, Vec<Recipient>>, Failure> {
        if sealstone::is_recipient_file(&bytes) {
            return parse_recipient_file(&bytes, path).map(Err);
        }
        IdentityFile::open(bytes, is_exposed, path, common, terminal).map(Ok)
    }

    pub(crate) fn identity_file(
        &mut self,
        path: &Path,
        common: &Common,
        terminal: &Terminal,
    ) -> Result<IdentityFile, Failure> {
        let (bytes, is_exposed) = self.read(path)?;
        IdentityFile::open(bytes, is_exposed, path, common, terminal)
    }

    /// The symmetric keys of a key file.
    pub(crate) fn symmetric(
        &mut self,
        path: &Path,
        common: &Common,
        terminal: &Terminal,
    ) -> Result<Vec<Identity>, Failure> {
        const OTHER: Error =
            Error::InvalidIdentity(KeyFault::Other("a key file holds symmetric keys, SEALSTONE-KEY-1…"));
        let (bytes, is_exposed) = self.read(path)?;
        let other = |hint: &str| Err(in_file(&escape_name(path), OTHER).with_hint(hint));
        // What `kdf` and `random` print: digits would be an SM2 key here.
        if !is_of_ours(&bytes) && (matches!(KeyForm::of(&bytes), None | Some(KeyForm::Hex)) || is_base64(&bytes)) {
            return other(
                "`sealstone keygen --kind key -o FILE` makes a key file, and `sealstone kdf … --for-files` derives one",
            );
        }
        let found = IdentityFile::open(bytes, is_exposed, path, common, terminal)?.identities;
        if found.iter().any(|identity| identity.kind() != Kind::Key) {
            return other("use -i or -r for this file; `sealstone keygen --kind key -o FILE` makes a key file");
        }
        Ok(found)
    }

    /// What the command line names to open files with.
    pub(crate) fn named_identities(
        &mut self,
        with: &With,
        common: &Common,
        terminal: &Terminal,
    ) -> Result<Vec<Identity>, Failure> {
        let mut found = Vec::new();
        for path in &with.identity {
            found.extend(self.identities(path, common, terminal)?);
        }
        for path in &with.key_file {
            found.extend(self.symmetric(path, common, terminal)?);
        }
        if let (true, Some(profile)) = (with.passphrase, with.allowed.profile) {
            profile.check_kind(Kind::Passphrase)?;
        }
        if with.passphrase {
            found.push(passphrase::ask(common, "the file")?.into());
        }
        if let Some(profile) = with.allowed.profile {
            found.iter().try_for_each(|identity| profile.check_kind(identity.kind()))?;
        }
        Ok(found)
    }
}

fn parse_recipient_file(bytes: &[u8], path: &Path) -> Result<Vec<Recipient>, Failure> {
    sealstone::parse_recipients(bytes).map_err(|error| {
        let text = String::from_utf8_lossy(bytes);
        let what = error.line.and_then(|line| instead_of_recipient(text.lines().nth(line - 1)?));
        // PEM and DER do not say on a line what they hold.
        let is_signing_key =
            || SigningKey::parse(bytes, None).is_ok() && sealstone::parse_identities(bytes, None).is_err();
        let signs = (Signers::parse(bytes).is_ok() || is_signing_key()).then_some(Instead::SigningKey);
        in_key_file(&escape_name(path), error).instead(signs.or(what))
    })
}

/// What a line is that is no recipient of ours.
fn instead_of_recipient(line: &str) -> Option<Instead> {
    let line = line.trim_start();
    let is_identity = |kind: &Kind| kind.identity_prefix().is_some_and(|prefix| line.starts_with(prefix));
    if let Some(kind) = Kind::ALL.into_iter().find(is_identity) {
        Some(if kind == Kind::Key { Instead::SymmetricKey } else { Instead::SecretKey })
    } else if line.contains("PRIVATE KEY-----") {
        Some(Instead::SecretKey)
    } else if Signers::parse(line).is_ok() {
        Some(Instead::SigningKey)
    } else if line.starts_with("ssh-") || line.starts_with("ecdsa-") {
        Some(Instead::SshKey)
    } else if recipient_kind(line) == Some(Kind::X25519) && line.matches('1').count() > 1 {
        // Bech32 has no 1 but the one before the data.
        Some(Instead::PluginRecipient)
    } else {
        None
    }
}

/// The kind whose recipients begin as a text does; of several, the one with more in common.
fn recipient_kind(text: &str) -> Option<Kind> {
    let rest = |kind: Kind| text.strip_prefix(kind.recipient_prefix()?)?.strip_prefix('1');
    let found = Kind::ALL.into_iter().filter_map(|kind| Some((kind, rest(kind)?)));
    found.min_by_key(|(_, rest)| rest.len()).map(|(kind, _)| kind)
}

/// The recipients without those that were named before, in whatever form.
pub(crate) fn each_once(recipients: Vec<Recipient>) -> Vec<Recipient> {
    recipients.into_iter().fold(Vec::new(), |mut found, recipient| {
        if !found.iter().any(|known| recipient.is_same(known)) {
            found.push(recipient);
        }
        found
    })
}

/// A text of the command line as messages repeat it.
fn shown(text: &str) -> String {
    if looks_like_data(text) { "…".to_owned() } else { escape_name(Path::new(text)) }
}

/// Characters in a row that no name of a file has, and a key in base64 does.
fn looks_like_data(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '/' | '_' | '-' | '='))
        .any(|run| run.len() >= 32)
}

/// A private key in place of a name: digits, as `sm-crypto` or `openssl -text` has them, or the base64 of DER.
fn looks_like_key(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or(name).replace([':', ' '], "");
    (24..=256).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        || name.starts_with("MI") && looks_like_data(name)
}

/// A key in hexadecimal digits, sound or not: what is wrong with it is known.
fn looks_like_digits(text: &str) -> bool {
    text.len() >= 60 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file has keys in forms of ours, public ones too, or is sealed.
fn is_of_ours(bytes: &[u8]) -> bool {
    let is_key = |line: &str| {
        let mut prefixes = Kind::ALL.into_iter().filter_map(Kind::identity_prefix);
        prefixes.any(|prefix| line.starts_with(prefix))
            || line.starts_with("-----BEGIN ")
            || recipient_kind(line).is_some()
    };
    let is_sealed = || sealstone::inspect(Input::reader(bytes)).is_ok();
    std::str::from_utf8(bytes).map_or_else(|_| is_sealed(), |text| text.lines().any(is_key))
}

/// A key as base64.
fn is_base64(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| Encoding::Base64.decode(text.trim_ascii()).is_ok_and(|key| !key.is_empty()))
}

/// A secret key does not belong in an argument, and must not be repeated in a message.
fn looks_secret(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    text.contains("SECRET-KEY") || text.contains("SEALSTONE-KEY") || text.contains("PRIVATE KEY-----")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_every_kind_are_known() {
        for kind in Kind::ALL {
            if let Some(prefix) = kind.identity_prefix() {
                let text = format!("{prefix}1q");
                assert!(looks_secret(&text) && instead_of_recipient(&text).is_some(), "{kind}");
            }
            if let Some(prefix) = kind.recipient_prefix() {
                let text = format!("{prefix}1q");
                assert!(recipient_kind(&text) == Some(kind) && instead_of_recipient(&text).is_none(), "{kind}");
            }
        }
    }
}
