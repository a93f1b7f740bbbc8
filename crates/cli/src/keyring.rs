//! The keyring of one run: it reads keys from the files on the command line. The keyring takes a key bundle of nkCryptoTool
//! only if `pin` has its owner: core's `KeyBundle::pinned` checks the rest.

use crate::address_book::{self, Use};
use crate::args::{Common, PassphraseSource, Pinned, Plugins, With};
use crate::failure::{Failure, Mistake};
use crate::foreign::{self, is_base64};
use crate::guard::Guard;
use crate::identity_file::{IdentityFile, IdentityText, add_string, has_key, in_file, in_key_file, warn_exposed};
use crate::keys::{Keys, NKCT_HINT, Recipients};
use crate::passphrase;
use crate::place::is_stdin;
use crate::plugin::Programs;
use crate::plural::count_noun;
use crate::recognition::{
    identify_non_recipient, is_key_file, is_ssh_line, is_ssh_private_key, looks_like_digits, looks_like_key,
    recipient_kind, redact, ssh_key_type,
};
use crate::terminal::Terminal;
use sealstone::interop::nkkb::{self, Fingerprint, KeyBundle, PinnedBundle};
use sealstone::interop::{age, nkct};
use sealstone::plugin;
use sealstone::sign;
use sealstone::signature::Signers;
use sealstone::{Error, Identity, KeyFault, KeyForm, Kind, Passphrase, Recipient, Text, UnsupportedKey, escape_name};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use zeroize::Zeroizing;

/// Above the length of any list of keys that a person keeps, so that a wrong file is refused early.
const FILE_MAX_LEN: usize = 16 << 20;

/// The hint for an SSH key that cannot receive files.
const SSH_HINT: &str = "age files take SSH keys of Ed25519 or RSA that are not on a token: ask for one of these";

/// The hint for a key bundle that fails verification.
pub(crate) const BUNDLE_IS_DAMAGED: &str =
    "it was changed, damaged or cut short, or needs a newer sealstone: fetch it again from its owner";

/// Reads the keys of one run.
pub(crate) struct Keyring<'a> {
    /// Protects the key files from being overwritten.
    pub(crate) guard: Guard,
    /// The accepted owners of key bundles, and whether a bundle of each was used.
    owners: Vec<(Fingerprint, bool)>,
    pub(crate) source: &'a PassphraseSource,
    pub(crate) terminal: &'a Terminal,
}

impl<'a> Keyring<'a> {
    pub(crate) fn new(common: &'a Common, terminal: &'a Terminal) -> Self {
        Self { guard: Guard::new(common), owners: Vec::new(), source: &common.passphrase_source, terminal }
    }

    /// The plugins of this run.
    pub(crate) fn programs(&self, plugins: &Plugins) -> Programs {
        Programs::new(plugins, self.source, self.terminal)
    }

    /// Reads a key file. The second result says whether other users may read the file.
    pub(crate) fn read(&mut self, path: &Path) -> Result<(Zeroizing<Vec<u8>>, bool), Failure> {
        if path.to_str().is_some_and(looks_like_key) && !path.exists() {
            return Err(Failure::usage("this looks like the key itself, which is not shown again: name a file"));
        }
        let fail = |error| Failure::io("read", Some(path), error);
        let mut is_exposed = false;
        let bytes = if is_stdin(path) {
            self.guard.claim_stdin(path)?;
            passphrase::read_secret(self.guard.protect_stdin()?, FILE_MAX_LEN).map_err(fail)?
        } else {
            let file = File::open(path).map_err(fail)?;
            self.guard.protect(path);
            if self.guard.protect_open_file(&file, path)? {
                is_exposed = file.metadata().map_err(fail)?.mode() & 0o077 != 0;
            }
            passphrase::read_secret(file, FILE_MAX_LEN).map_err(fail)?
        };
        if bytes.len() > FILE_MAX_LEN {
            return Err(Failure::usage(format!("{} is too long for a key file", escape_name(path))));
        }
        Ok((bytes, is_exposed))
    }

    /// Reads a bare key: hexadecimal digits or bytes. Refuses files of keys in other forms: their text is surely not meant as the
    /// key, and a public key is known to all.
    pub(crate) fn read_bare_key(&mut self, path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let bytes = self.read_bytes(path)?;
        if is_key_file(&bytes) {
            return Err(Failure::usage_with_hint(
                format!(
                    "{} is not a bare key: it has another form (SEALSTONE-KEY-1…, age, SSH, PEM, DER, JWK), is UTF-16, or is sealed",
                    escape_name(path)
                ),
                "use hexadecimal digits or bytes, as `sealstone random` prints them, and make a new key for each use",
            ));
        }
        Ok(bytes)
    }

    /// Reads a file's bytes, whatever they look like.
    pub(crate) fn read_bytes(&mut self, path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (bytes, is_exposed) = self.read(path)?;
        if is_exposed {
            warn_exposed(&escape_name(path), self.terminal);
        }
        Ok(bytes)
    }

    /// The recipients that `-r` and `-R` name.
    pub(crate) fn find_recipients(
        &mut self,
        recipients: &[String],
        files: &[PathBuf],
    ) -> Result<Vec<Recipient>, Failure> {
        let mut found = Vec::new();
        for text in recipients {
            if let Some(name) = text.strip_prefix('@') {
                found.push(address_book::find(name)?);
                self.guard.protect(&address_book::record_path(name, Use::Encrypts)?);
                continue;
            }
            // A text is tried as a recipient first, then as a file name.
            match text.parse::<Recipient>() {
                Ok(recipient) => found.push(recipient),
                Err(_) if Path::new(text).exists() => found.extend(self.read_recipients(Path::new(text))?),
                Err(error)
                    if recipient_kind(text).is_some()
                        || text.starts_with("-----BEGIN ")
                        || sealstone::looks_secret(text)
                        || looks_like_digits(text)
                        || identify_non_recipient(text).is_some() =>
                {
                    return Err(Failure::from(error).with_mistake(identify_non_recipient(text)));
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
                    return Err(Failure::In { file: redact(text), error });
                }
            }
        }
        for path in files {
            found.extend(self.read_recipients(path)?);
        }
        Ok(remove_duplicates(found))
    }

    /// As [`find_recipients`](Self::find_recipients), with recipients of plugins, and with SSH keys if the format takes them.
    pub(crate) fn find_all_recipients(
        &mut self,
        recipients: &[String],
        files: &[PathBuf],
        takes_ssh: bool,
        programs: &Programs,
    ) -> Result<Recipients, Failure> {
        let mut lines = Lines { takes_ssh, ..Lines::default() };
        for text in recipients {
            if lines.can_add(text) {
                lines.add(text)?;
            } else if !text.starts_with('@') && text.parse::<Recipient>().is_err() && Path::new(text).exists() {
                self.read_recipient_lines(Path::new(text), &mut lines)?;
            } else {
                lines.found.own.extend(self.find_recipients(std::slice::from_ref(text), &[])?);
            }
        }
        for path in files {
            self.read_recipient_lines(path, &mut lines)?;
        }
        let mut found = lines.found;
        found.own = remove_duplicates(found.own);
        for (name, strings) in lines.plugins {
            found.plugins.push(programs.recipient(&name, &strings)?);
        }
        Ok(found)
    }

    /// Reads the recipients of a file, which may include lines of SSH and of plugins. SSH keys of a kind that cannot receive files
    /// are skipped if other lines can, as age does: a page of a person's keys has all of their kinds.
    fn read_recipient_lines(&mut self, path: &Path, lines: &mut Lines) -> Result<(), Failure> {
        let (bytes, _) = self.read(path)?;
        let name = escape_name(path);
        let text = Text::of(&*bytes).ok();
        let found =
            || text.into_iter().flat_map(Text::lines).map(|(number, line)| (number, line, Text::of_line(line).trim()));
        if !found().any(|(.., text)| lines.can_add(text)) {
            lines.found.own.extend(self.parse_recipients_or_bundle(&bytes, path)?);
            return Ok(());
        }
        let (mut others, mut at) = (Vec::with_capacity(bytes.len()), 1);
        let (mut has_any, mut skipped) = (false, Vec::new());
        for (number, line, text) in found() {
            // Lines keep their numbers.
            others.resize(others.len() + number - at, b'\n');
            at = number;
            // A line with a carriage return is left to the parser, which refuses it: some programs end the line there, and would
            // miss a key behind it.
            if line.contains(&b'\r') || !lines.can_add(text) {
                others.extend_from_slice(line);
                continue;
            }
            match lines.add(text) {
                Ok(()) => has_any = true,
                Err(error @ Error::UnsupportedKey(_)) => skipped.push((number, text, error)),
                Err(error) => return Err(in_file(&format!("{name}, line {number}"), error)),
            }
        }
        if has_key(&others) {
            lines.found.own.extend(parse_recipient_file(&others, path)?);
            has_any = true;
        }
        let skipped_lines: Vec<_> =
            skipped.iter().map(|(number, text, _)| format!("{number} ({})", ssh_key_type(text))).collect();
        match skipped.into_iter().next() {
            Some((number, text, error)) if !has_any => {
                let is_of_other_kind = matches!(error, Error::UnsupportedKey(UnsupportedKey::OtherFamily));
                let failure = in_file(&format!("{name}, line {number}"), error);
                Err(match foreign::identify(text.as_bytes()) {
                    None if is_of_other_kind => failure.with_hint(SSH_HINT),
                    what => failure.with_mistake(what),
                })
            }
            Some(_) => {
                let count = count_noun(skipped_lines.len(), "line");
                self.terminal.warn(&format!(
                    "{name}: left out {count} with keys that cannot receive files: {}; their owners cannot decrypt with them",
                    skipped_lines.join(", ")
                ));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The failure of a text that is neither a signer nor the name of a file; `error` is its error as a signer.
    pub(crate) fn explain_not_a_file(text: &str, error: Error, mistake: Option<Mistake>) -> Failure {
        // The text is a line of SSH, or a pasted key.
        if mistake.is_some() || text.contains([' ', '\t', '\n']) || sealstone::looks_secret(text) {
            return Failure::from(error).with_mistake(mistake);
        }
        let error = Error::InvalidSigner(KeyFault::Other("this is neither a signer nor the name of a file"));
        Failure::In { file: redact(text), error }
    }

    /// The recipients of a recipient file or a key bundle.
    pub(crate) fn read_recipients(&mut self, path: &Path) -> Result<Vec<Recipient>, Failure> {
        let (bytes, _) = self.read(path)?;
        self.parse_recipients_or_bundle(&bytes, path)
    }

    fn parse_recipients_or_bundle(&mut self, bytes: &[u8], path: &Path) -> Result<Vec<Recipient>, Failure> {
        match self.parse_bundle(bytes, path)? {
            Some(bundle) => self.bundle_recipient(&bundle, path).map(|one| vec![one]),
            None => parse_recipient_file(bytes, path),
        }
    }

    /// Accepts key bundles of these owners.
    pub(crate) fn pin(&mut self, owners: &Pinned) {
        self.owners.extend(owners.fingerprint.iter().map(|owner| (*owner, false)));
    }

    /// Refuses an owner without a bundle, since the user expects the bundle to be verified.
    pub(crate) fn check_pins(&self) -> Result<(), Failure> {
        match self.owners.iter().find(|(_, was_taken)| !was_taken) {
            Some((owner, _)) => Err(Failure::usage_with_hint(
                format!("no key bundle belongs to the owner {owner}"),
                "--fingerprint is for an nkCryptoTool key bundle: name the bundle, too",
            )),
            None => Ok(()),
        }
    }

    /// The keys of a key bundle of nkCryptoTool, if the file is one. Its owner must be pinned.
    pub(crate) fn parse_bundle(&mut self, bytes: &[u8], path: &Path) -> Result<Option<PinnedBundle>, Failure> {
        if !nkkb::begins(bytes) {
            return Ok(None);
        }
        let name = escape_name(path);
        let bundle = KeyBundle::parse(bytes).map_err(|error| in_file(&name, error).with_hint(BUNDLE_IS_DAMAGED))?;
        let owner = bundle.fingerprint();
        let Some((first, _)) = self.owners.first().copied() else {
            return Err(Failure::usage_with_hint(
                format!("{name} is a key bundle that names the owner {owner}, which proves nothing"),
                "ask the owner for the fingerprint over another channel, such as the telephone, and give it with --fingerprint HEX",
            ));
        };
        let known = self.owners.iter_mut().find(|(known, _)| *known == owner);
        let pin = known.map_or(first, |(known, was_taken)| {
            *was_taken = true;
            *known
        });
        let pinned = bundle.pinned(&pin, SystemTime::now());
        pinned.map(Some).map_err(|error| match error {
            error @ Error::UnknownSigner { .. } => Failure::from(error)
                .with_message(format!(
                    "{name}: the key bundle belongs to another owner than --fingerprint names: {owner}"
                ))
                .with_hint("somebody may have replaced it: ask its owner for the bundle and the fingerprint again"),
            error @ Error::InvalidSignature(_) => in_file(&name, error).with_hint(BUNDLE_IS_DAMAGED),
            error => in_file(&name, error).with_hint("ask its owner for a new one"),
        })
    }

    /// The recipient that a key bundle has for Sealstone files.
    pub(crate) fn bundle_recipient(&self, bundle: &PinnedBundle, path: &Path) -> Result<Recipient, Failure> {
        let name = escape_name(path);
        let recipient = bundle.recipient().map_err(|error| match error {
            Error::UnsupportedKey(_) => {
                in_file(&name, error).with_hint("its key is for nkCryptoTool files: use --format nkct")
            }
            error => in_file(&name, error),
        })?;
        if recipient.kind() == Kind::MlKem768 {
            self.terminal.note(&format!(
                "{name}: only a private key with its seed opens Sealstone files; keys of nkCryptoTool's C++ edition have it, for keys of its Rust edition use --format nkct"
            ));
        }
        Ok(recipient)
    }

    /// The identities of an identity file, which may be sealed with a passphrase.
    pub(crate) fn read_identities(&mut self, path: &Path) -> Result<Vec<Identity>, Failure> {
        self.read_identity_file(path).map(|file| file.identities)
    }

    /// The keys that open files, from an identity file or an SSH private key.
    pub(crate) fn read_openers(&mut self, path: &Path, programs: &Programs) -> Result<Keys, Failure> {
        let (bytes, is_exposed) = self.read(path)?;
        let opened = if is_ssh_private_key(&bytes) {
            IdentityText::plain(bytes)
        } else {
            IdentityText::of(bytes, path, self.source)?
        };
        if !is_ssh_private_key(&opened.text) {
            let (strings, others) = opened.without_plugins();
            if strings.is_empty() {
                return self.parse_openers(opened, is_exposed, path);
            }
            let mut found = Keys::default();
            if others.has_key() {
                found.own = IdentityFile::parse(others, is_exposed, path, None, self.source, self.terminal)?.identities;
            } else if is_exposed {
                warn_exposed(&escape_name(path), self.terminal);
            }
            for (name, strings) in strings {
                found.plugins.push(programs.identity(&name, &strings)?);
            }
            return Ok(found);
        }
        let name = escape_name(path);
        let parse = |passphrase: Option<&Passphrase>| age::Identity::from_ssh(&opened.text, passphrase);
        let (read, _) = passphrase::open_with_passphrase(None, self.source, &name, |error| error, parse)?;
        let key = read.map_err(|error| match error {
            Error::WrongPassphrase => Failure::WrongPassphrase { of: Some(path.to_path_buf()), is_input: false },
            error => in_file(&name, error),
        })?;
        if is_exposed {
            warn_exposed(&name, self.terminal);
        }
        Ok(key.into())
    }

    /// The identities of a file, or keys whose size or form only nkCryptoTool files take.
    fn parse_openers(&self, opened: IdentityText, is_exposed: bool, path: &Path) -> Result<Keys, Failure> {
        let other = match IdentityFile::read(opened, is_exposed, path, None, self.source, self.terminal)? {
            Ok(file) => return Ok(file.identities.into()),
            Err(other) => other,
        };
        let Some(nkct) = other.find_nkct_keys(path, self.source)? else { return Err(other.into_failure(path)) };
        if is_exposed {
            warn_exposed(&escape_name(path), self.terminal);
        }
        Ok(Keys { nkct, ..Keys::default() })
    }

    /// The public keys that `-r` and `-R` name for an nkCryptoTool file.
    pub(crate) fn find_nkct_recipients(
        &mut self,
        recipients: &[String],
        files: &[PathBuf],
    ) -> Result<Recipients, Failure> {
        let mut found = Recipients::default();
        for text in recipients {
            if !text.starts_with('@') && text.parse::<Recipient>().is_err() && Path::new(text).exists() {
                self.read_nkct_recipients(Path::new(text), &mut found)?;
            } else {
                let recipients = self.find_recipients(std::slice::from_ref(text), &[]).map_err(name_nkct_keys)?;
                // A text that is not a name is a whole key, too long for a message.
                found.own.extend(check_nkct_recipients(recipients, text.strip_prefix('@').map(|_| text.as_str()))?);
            }
        }
        for path in files {
            self.read_nkct_recipients(path, &mut found)?;
        }
        found.own = remove_duplicates(found.own);
        Ok(found)
    }

    fn read_nkct_recipients(&mut self, path: &Path, found: &mut Recipients) -> Result<(), Failure> {
        let (bytes, _) = self.read(path)?;
        if let Some(bundle) = self.parse_bundle(&bytes, path)? {
            // The owner's two keys.
            for key in bundle.ml_kem().into_iter().chain(bundle.p256()) {
                found.nkct.push(key.clone().try_into()?);
            }
            return Ok(());
        }
        match nkct::Recipient::parse(&*bytes) {
            Ok(keys) if sealstone::parse_recipients(&*bytes).is_err() => found.nkct.extend(keys),
            _ => {
                let recipients = parse_recipient_file(&bytes, path).map_err(name_nkct_keys)?;
                found.own.extend(check_nkct_recipients(recipients, Some(&escape_name(path)))?);
            }
        }
        Ok(())
    }

    /// The keys of an identity file or recipient file that was read.
    pub(crate) fn parse_keys(
        &self,
        bytes: Zeroizing<Vec<u8>>,
        is_exposed: bool,
        path: &Path,
    ) -> Result<Result<IdentityFile, Vec<Recipient>>, Failure> {
        if sealstone::is_recipient_file(&bytes) {
            return parse_recipient_file(&bytes, path).map(Err);
        }
        IdentityFile::open(bytes, is_exposed, path, self.source, self.terminal).map(Ok)
    }

    pub(crate) fn read_identity_file(&mut self, path: &Path) -> Result<IdentityFile, Failure> {
        let (bytes, is_exposed) = self.read(path)?;
        IdentityFile::open(bytes, is_exposed, path, self.source, self.terminal)
    }

    /// The symmetric keys of a key file.
    pub(crate) fn read_symmetric_keys(&mut self, path: &Path) -> Result<Vec<Identity>, Failure> {
        const OTHER: Error =
            Error::InvalidIdentity(KeyFault::Other("a key file holds symmetric keys, SEALSTONE-KEY-1…"));
        let (bytes, is_exposed) = self.read(path)?;
        let other = |hint: &str| Err(in_file(&escape_name(path), OTHER).with_hint(hint));
        // `kdf` and `random` print such a text; here its digits would parse as an SM2 key.
        if !is_key_file(&bytes) && (matches!(KeyForm::of(&bytes), None | Some(KeyForm::Hex)) || is_base64(&bytes)) {
            return other(
                "`sealstone keygen --kind key -o FILE` makes a key file, and `sealstone kdf … --for-files` derives one",
            );
        }
        let found = IdentityFile::open(bytes, is_exposed, path, self.source, self.terminal)?.identities;
        if found.iter().any(|identity| identity.kind() != Kind::Key) {
            return other("use -i or -r for this file; `sealstone keygen --kind key -o FILE` makes a key file");
        }
        Ok(found)
    }

    /// The keys that the command line names for opening files.
    pub(crate) fn find_identities(&mut self, with: &With) -> Result<Keys, Failure> {
        let programs = self.programs(&with.plugins);
        let mut found = Keys::default();
        let mut locked = None;
        for path in &with.identity {
            match self.read_openers(path, &programs) {
                Ok(keys) => found.extend(keys),
                // Another key may open the file, and no person is there to try again.
                Err(failure)
                    if with.identity.len() > 1
                        && !passphrase::is_typed(self.source)
                        && failure.is_passphrase_error() =>
                {
                    self.terminal.warn(&format!("left out: {}", failure.message()));
                    locked.get_or_insert(failure);
                }
                Err(failure) => return Err(failure),
            }
        }
        if let (true, Some(failure)) = (found.is_empty(), locked) {
            return Err(failure);
        }
        for name in &with.plugins.plugin {
            found.plugins.push(programs.find_without_data(name)?);
        }
        for path in &with.key_file {
            found.own.extend(self.read_symmetric_keys(path)?);
        }
        if let (true, Some(profile)) = (with.passphrase, with.allowed.profile) {
            profile.check_kind(Kind::Passphrase)?;
        }
        if with.passphrase {
            found.own.extend(passphrase::ask(self.source, "the file")?.into_identities());
        }
        if let Some(profile) = with.allowed.profile {
            found.for_sealstone().iter().try_for_each(|identity| profile.check_kind(identity.kind()))?;
        }
        Ok(found)
    }
}

/// Collects lines with recipients of SSH and of plugins.
#[derive(Default)]
struct Lines {
    found: Recipients,
    takes_ssh: bool,
    /// Strings grouped by their plugin's name, in the order of first appearance.
    plugins: Vec<(String, Vec<String>)>,
}

impl Lines {
    fn can_add(&self, line: &str) -> bool {
        self.takes_ssh && is_ssh_line(line) || plugin::Recipient::plugin_of(line).is_some()
    }

    /// Adds a line for which `can_add` is true.
    fn add(&mut self, line: &str) -> Result<(), Error> {
        match plugin::Recipient::plugin_of(line) {
            Some(name) => add_string(&mut self.plugins, name, line.to_owned()),
            None => self.found.ssh.push(line.parse()?),
        }
        Ok(())
    }
}

/// Gives a failure of a recipient the hint for nkCryptoTool files, unless the input was identified.
fn name_nkct_keys(failure: Failure) -> Failure {
    if matches!(failure, Failure::Mistake { .. }) { failure } else { failure.with_hint(NKCT_HINT) }
}

/// Refuses recipients that nkCryptoTool files do not take; the error names `name`.
fn check_nkct_recipients(recipients: Vec<Recipient>, name: Option<&str>) -> Result<Vec<Recipient>, Failure> {
    match recipients.iter().find_map(|one| nkct::Recipient::try_from(one.clone()).err()) {
        Some(error) => {
            let failure = match name {
                Some(name) => in_file(name, error),
                None => error.into(),
            };
            Err(failure.with_hint(NKCT_HINT))
        }
        None => Ok(recipients),
    }
}

fn parse_recipient_file(bytes: &[u8], path: &Path) -> Result<Vec<Recipient>, Failure> {
    sealstone::parse_recipients(bytes).map_err(|error| {
        let at = |number| Text::of(bytes).ok()?.lines().find(|(found, _)| *found == number);
        let what = error.line.and_then(|number| identify_non_recipient(Text::of_line(at(number)?.1)));
        // PEM and DER have no line that says the use of the key.
        let is_signing_key =
            || sign::PrivateKey::parse(bytes, None).is_ok() && sealstone::parse_identities(bytes, None).is_err();
        let signs = (Signers::parse(bytes).is_ok() || is_signing_key()).then_some(Mistake::SigningKey);
        in_key_file(&escape_name(path), error).with_mistake(foreign::identify(bytes).or(signs).or(what))
    })
}

/// Removes recipients that were named before, in any form.
pub(crate) fn remove_duplicates(recipients: Vec<Recipient>) -> Vec<Recipient> {
    recipients.into_iter().fold(Vec::new(), |mut found, recipient| {
        if !found.iter().any(|known| recipient.is_same(known)) {
            found.push(recipient);
        }
        found
    })
}
