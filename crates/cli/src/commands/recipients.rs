//! `sealstone recipients`

use crate::args::{Common, Pinned};
use crate::config::{existing_identity, identity_name};
use crate::failure::Failure;
use crate::identity_file::{IdentityFile, IdentityText};
use crate::keyring::Keyring;
use crate::terminal::Terminal;
use clap::Args;
use sealstone::{Error, KeyFault, Kind, escape_name};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print the recipients of identities
#[derive(Args)]
#[command(after_help = "Examples:\n  sealstone recipients > me.pub\n  sealstone recipients identity.txt")]
pub(crate) struct Recipients {
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    /// Identity files (default: ~/.config/sealstone/identity.txt), or key bundles; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

pub(crate) fn run(command: &Recipients, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    keys.pin(&command.pinned);
    let mut lines = String::new();
    let mut add = |kind: &str, recipient: String| {
        lines += &if common.json { json!({ "kind": kind, "recipient": recipient }).to_string() } else { recipient };
        lines.push('\n');
    };
    let default = command.files.is_empty().then(|| existing_identity().ok_or_else(explain_no_default)).transpose()?;
    for path in command.files.iter().chain(&default) {
        let (bytes, is_exposed) = keys.read(path)?;
        if let Some(bundle) = keys.parse_bundle(&bytes, path)? {
            let recipient = keys.bundle_recipient(&bundle, path)?;
            add(recipient.kind().name(), recipient.to_string());
            continue;
        }
        let opened = IdentityText::of(bytes, path, &common.passphrase_source)?;
        let file = match IdentityFile::read(opened, is_exposed, path, None, &common.passphrase_source, terminal)? {
            Ok(file) => file,
            Err(other) => match other.find_application_key().filter(|key| key.is_secret() && !key.can_sign()) {
                Some(key) => {
                    // PEM already ends its line.
                    add(key.kind(), key.public_pem().trim_end().to_owned());
                    continue;
                }
                None => return Err(other.into_failure(path)),
            },
        };
        for identity in file.identities {
            if identity.kind() == Kind::Key {
                let error = Error::InvalidIdentity(KeyFault::Other(
                    "a symmetric key has no recipient: share the key itself, secretly",
                ));
                let hint = "both sides encrypt and decrypt with the same key: --key-file FILE";
                return Err(Failure::In { file: escape_name(path), error }.with_hint(hint));
            }
            add(identity.kind().name(), identity.recipient().to_string());
        }
    }
    keys.check_pins()?;
    keys.guard.check_stdout()?;
    let written = std::io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

fn explain_no_default() -> Failure {
    Failure::usage_with_hint(
        format!("there is no identity file at {}", identity_name()),
        "`sealstone keygen` makes it; or name another file",
    )
}
