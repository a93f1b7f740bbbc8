//! `sealstone key passphrase`

use super::convert::encode_signing_key;
use super::{NEW_SOURCE, choose_suite};
use crate::application_key::ToForm;
use crate::args::Common;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::identity_file::seal;
use crate::keyring::Keyring;
use crate::passphrase;
use crate::plan::explain_hard_links;
use crate::signers::{self, FoundKeys, SigningFile};
use crate::terminal::Terminal;
use clap::Args;
use sealstone::{Error, FileId, FileMode, KeyFault, KeyForm, Output, Passphrase, escape_name};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Protect an identity file or a signing key with a passphrase, or change or remove the passphrase
#[derive(Args)]
#[command(after_help = "\
The file is replaced when its new form is complete. Sealstone asks for the old passphrase first, or takes it from \
--passphrase-file or a similar option.

Examples:
  sealstone key passphrase identity.txt
  sealstone key passphrase --remove identity.txt")]
pub(crate) struct KeyPassphrase {
    /// Write the file without a passphrase
    #[arg(long)]
    pub(crate) remove: bool,
    /// Read the new passphrase from a file with one line
    #[arg(long, value_name = "FILE", conflicts_with = "remove")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
    /// The identity file, or the file with a signing key
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

pub(super) fn change_passphrase(command: &KeyPassphrase, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let path = &command.file;
    if path == Path::new("-") {
        return Err(Failure::usage("this command changes the file itself, so it cannot take stdin"));
    }
    let metadata = std::fs::symlink_metadata(path).map_err(|error| Failure::io("open", Some(path), error))?;
    if metadata.nlink() > 1 && !common.force && metadata.is_file() {
        return Err(explain_hard_links(path));
    }
    if !metadata.is_file() {
        // Replacing the link would leave the file that it points to unchanged.
        return Err(Failure::usage_with_hint(
            format!("{} is not a regular file", escape_name(path)),
            "name the identity file itself",
        ));
    }
    let folder = Folder::of_file(path);
    let opened = folder.open(path)?;
    let output = Output::file_in(&folder.parent(path)?, path)?.mode(FileMode::Private).sync(!common.no_sync);
    let mut keys = Keyring::new(common, terminal);
    // The sources of passphrases must not be replaced.
    FileId::of(&opened)?.map_or(Ok(()), |id| keys.guard.check_output(id))?;
    let found = signers::read_keys(path, false, &mut keys)?;
    let file = match found {
        FoundKeys::Identities(file) => file,
        FoundKeys::SigningKey(file) => {
            let new = ask_new_passphrase(command, path)?;
            output.replace(true).write_all(&rewrite(&file, new.as_ref())?)?;
            say_removed(command, terminal);
            return Ok(());
        }
        FoundKeys::Application(key) if key.is_secret() => {
            let new = ask_new_passphrase(command, path)?;
            output.replace(true).write_all(&key.private(key.form(), new.as_ref())?)?;
            say_removed(command, terminal);
            return Ok(());
        }
        FoundKeys::Application(_) => return Err(Failure::usage("public keys have no passphrase")),
        // The reader of identities has the right error.
        FoundKeys::Recipients(_) => keys.read_identity_file(path)?,
        FoundKeys::Signers(_) => {
            return Err(Failure::In { file: escape_name(path), error: Error::InvalidSigner(KeyFault::PublicKey) });
        }
    };
    if !command.remove && file.form == KeyForm::Jwk && file.sealed.is_none() {
        return Err(Failure::usage_with_hint(
            "a JWK has no passphrase",
            "`sealstone key convert --to pem -p` writes PEM with one",
        ));
    }
    let new = ask_new_passphrase(command, path)?;
    let suite = file.sealed.unwrap_or_else(|| choose_suite(&file.identities));
    let content = match file.form {
        // A sealed file stays sealed.
        KeyForm::Pem | KeyForm::Der if file.sealed.is_none() => {
            let written = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), new.as_ref());
            written.map_err(|error| error.error)?
        }
        // The keys inside were also encrypted; the new passphrase replaces both.
        _ if file.passphrase.is_some() => {
            let opened = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), None);
            seal(opened.map_err(|error| error.error)?, new, suite)?
        }
        _ => seal(file.text, new, suite)?,
    };
    output.replace(true).write_all(&content)?;
    say_removed(command, terminal);
    Ok(())
}

fn ask_new_passphrase(command: &KeyPassphrase, path: &Path) -> Result<Option<Passphrase>, Failure> {
    match &command.new_passphrase_file {
        _ if command.remove => Ok(None),
        Some(source) if is_same(source, path) => {
            Err(Failure::usage("the identity file cannot also hold its passphrase"))
        }
        Some(path) => passphrase::read_file(path).map(Some),
        None => passphrase::ask_on_terminal("the identity file", NEW_SOURCE).map(Some),
    }
}

fn say_removed(command: &KeyPassphrase, terminal: &Terminal) {
    if command.remove {
        let name = escape_name(&command.file);
        terminal.note(&format!("{name} has no passphrase now: anyone who can read it can use it"));
    }
}

/// Writes a signing key in the form of its file, with another passphrase.
fn rewrite(file: &SigningFile, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let form = match KeyForm::of(&file.text) {
        Some(KeyForm::Der) => ToForm::Key(KeyForm::Der),
        _ if file.text.windows(OPENSSH.len()).any(|part| part == OPENSSH) => ToForm::Ssh,
        _ => ToForm::Key(KeyForm::Pem),
    };
    Ok(encode_signing_key(&file.private_key()?, form, passphrase)?)
}

/// The label of OpenSSH private keys.
const OPENSSH: &[u8] = b"-----BEGIN OPENSSH PRIVATE KEY-----";

/// Whether two paths name the same file.
fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path| std::fs::metadata(path).ok().map(|metadata| FileId::from(&metadata));
    id(a).is_some() && id(a) == id(b)
}
