//! `sealstone key bundle`

use super::Target;
use crate::args::Common;
use crate::failure::{Failure, Mistake};
use crate::identity_file::in_file;
use crate::keyring::Keyring;
use crate::keys::NKCT_HINT;
use crate::signers::{self, FoundKeys};
use crate::terminal::Terminal;
use clap::Args;
use sealstone::interop::{nkct, nkkb};
use sealstone::{Error, FileMode, UnsupportedKey, escape_name};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Make an nkCryptoTool key bundle: public keys under the name of their owner, signed by the owner
#[derive(Args)]
#[command(after_help = "\
Those who encrypt to you with nkCryptoTool need the bundle and its fingerprint, which this command prints. Tell them the fingerprint \
yourself, over another channel, since anyone can make a bundle in your name. With an ML-KEM key and a P-256 key, their files are hybrid. \
When a key expires or is lost, make a new bundle.

Examples:
  sealstone keygen --kind ml-dsa-65 -o owner.pem
  sealstone keygen --kind ml-kem-768 -o pqc.pem
  sealstone keygen --kind p256 -o ecc.pem
  sealstone key bundle -k owner.pem --handle alice --days 365 -o alice.nkkb pqc.pem ecc.pem")]
pub(crate) struct KeyBundle {
    /// The file with the owner's ml-dsa-65 key, of Sealstone or nkCryptoTool; - is stdin
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: PathBuf,
    /// The name of the owner, which the bundle shows
    #[arg(long, value_name = "NAME")]
    pub(crate) handle: String,
    /// Let the keys expire after N days; without this, they do not expire
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: Option<u32>,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Files with p256, ml-kem-512, ml-kem-768 and ml-kem-1024 keys, secret or public, or names (@me); - is stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

pub(super) fn make_bundle(command: &KeyBundle, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    let owner = signers::read_nkcs_signing_key(&command.key, &mut keys)?;
    let mut recipients = Vec::new();
    for path in &command.files {
        let found = signers::read_keys(path, false, &mut keys).map_err(|failure| match failure {
            // Without a seed, the public key cannot be derived.
            failure @ Failure::Mistake { mistake: Mistake::IdentityOfNkct, .. } => {
                failure.with_hint("name its public key, which nkCryptoTool wrote beside it, such as public_enc_pqc.key")
            }
            failure => failure,
        })?;
        let all: Result<Vec<_>, Error> = match &found {
            FoundKeys::Identities(file) => file.recipients().into_iter().map(nkct::Recipient::try_from).collect(),
            FoundKeys::Recipients(found) => found.iter().cloned().map(nkct::Recipient::try_from).collect(),
            FoundKeys::Application(key) => key.nkct_recipient().map(|key| vec![key]),
            FoundKeys::SigningKey(_) | FoundKeys::Signers(_) => Err(UnsupportedKey::OtherFamily.into()),
        };
        recipients.extend(all.map_err(|error| in_file(&escape_name(path), error).with_hint(NKCT_HINT))?);
    }
    let target = Target::of(command.output.as_deref(), FileMode::Shared, Some("a key bundle"), &keys.guard, common)?;
    let now = SystemTime::now();
    let expires = command.days.map(|days| now + Duration::from_secs(24 * 60 * 60 * u64::from(days)));
    let made =
        nkkb::KeyBundle::new(&owner, &command.handle, &recipients, now, expires).map_err(|error| match error {
            error @ Error::UnsupportedKey(_) => in_file(&escape_name(&command.key), error),
            error => error.into(),
        })?;
    target.write(&made.to_bytes())?;
    let fingerprint = made.fingerprint();
    if common.json {
        terminal.print_event(|| {
            json!({
                "event": "done", "owner": fingerprint.to_string(), "handle": made.handle(), "keys": made.keys().len(),
                "output": command.output.as_deref().map(escape_name),
            })
        });
        return Ok(());
    }
    terminal.note(&format!("fingerprint: {fingerprint}"));
    terminal.note("next: give the bundle to those who encrypt to you with nkCryptoTool, and tell them the fingerprint over another channel");
    Ok(())
}
