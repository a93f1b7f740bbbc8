//! `sealstone keys`

use crate::address_book::{self, Use};
use crate::args::Common;
use crate::failure::{Failure, Mistake};
use crate::fingerprint;
use crate::keyring::Keyring;
use crate::signers;
use crate::terminal::Terminal;
use clap::{Args, Subcommand};
use sealstone::interop::nkkb;
use sealstone::signature::Signer;
use sealstone::{Input, Recipient};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Keep recipients and signers under names: encrypt -r @bob, verify-sig -k @bob
#[derive(Args)]
pub(crate) struct Names {
    #[command(subcommand)]
    pub(crate) action: NamesAction,
}

#[derive(Subcommand)]
pub(crate) enum NamesAction {
    Add(NamesAdd),
    List(NamesList),
    Remove(NamesRemove),
}

/// Keep a recipient or a signer under a name, with its fingerprint
#[derive(Args)]
#[command(after_help = "\
A name can have one recipient and one signer. Only --force replaces them by other keys. Compare the printed fingerprint \
with the one that Bob reads to you.

Examples:
  sealstone keys add bob bob.pub
  sealstone keys add --sign bob bob-signs.pem
  sealstone keys add bob age1pq1… --fingerprint SHA256:…")]
pub(crate) struct NamesAdd {
    /// 1 to 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The recipient (age1…, age1pq1…), the SSH line of a signer, or a file with one key
    #[arg(value_name = "RECIPIENT|FILE")]
    pub(crate) key: String,
    /// The key is a signing key; needed only for P-256 and SM2, whose forms do not say so
    #[arg(long)]
    pub(crate) sign: bool,
    /// Refuse a key with any other fingerprint; digits in groups and the fingerprint of ssh-keygen -l work, too
    #[arg(long, value_name = "FINGERPRINT")]
    pub(crate) fingerprint: Option<String>,
}

/// Show all names with their kinds and fingerprints
#[derive(Args)]
pub(crate) struct NamesList {}

/// Forget a name and its keys
#[derive(Args)]
pub(crate) struct NamesRemove {
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

pub(crate) fn run(command: &Names, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        NamesAction::Add(command) => add(command, common, terminal),
        NamesAction::List(_) => list(common, terminal),
        NamesAction::Remove(command) => address_book::remove(&command.name),
    }
}

/// A key to store under a name.
struct NamedKey {
    of: Use,
    kind: &'static str,
    fingerprint: String,
    /// The fingerprint of `ssh-keygen -l`, for signers.
    ssh_fingerprint: Option<String>,
    /// The key as its record has it.
    text: String,
    /// The public key in DER, which is equal for a recipient and a signer with the same key.
    der: Option<Vec<u8>>,
}

impl NamedKey {
    /// `None` for a symmetric key.
    fn recipient(recipient: &Recipient) -> Option<Self> {
        Some(Self {
            of: Use::Encrypts,
            kind: recipient.kind().name(),
            fingerprint: recipient.fingerprint()?,
            ssh_fingerprint: None,
            text: recipient.to_string(),
            der: recipient.to_der().ok(),
        })
    }

    fn signer(signer: &Signer) -> Self {
        Self {
            of: Use::Signs,
            kind: signer.kind().name(),
            fingerprint: signer.fingerprint(),
            ssh_fingerprint: Some(signer.ssh_fingerprint()),
            text: signers::format_line(signer),
            der: Some(signer.public_key().to_der()),
        }
    }

    /// The key of this use that a name already has.
    fn load(name: &str, of: Use) -> Result<Self, Failure> {
        match of {
            Use::Encrypts => {
                let kept = address_book::find(name)?;
                Self::recipient(&kept).ok_or_else(|| Failure::usage("only public keys have names"))
            }
            Use::Signs => address_book::find_signer(name).map(|signer| Self::signer(&signer)),
        }
    }
}

fn add(command: &NamesAdd, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    address_book::record_path(&command.name, Use::Signs)?;
    let typed = command.fingerprint.as_deref().map(fingerprint::TypedFingerprint::parse).transpose()?;
    let key = read_key(command, &mut Keyring::new(common, terminal))?;
    let NamedKey { of, kind, fingerprint, .. } = &key;
    let shown = fingerprint::group_digits(fingerprint);
    if typed.is_some_and(|typed| !typed.is_same_as(fingerprint, key.ssh_fingerprint.as_deref())) {
        return Err(Failure::usage_with_hint(
            format!("the key has another fingerprint, {shown}"),
            "ask the owner for the fingerprint, over another channel than the key came by",
        ));
    }
    // A P-256 or SM2 key has the same form for both uses.
    for name in address_book::names(of.other())? {
        if NamedKey::load(&name, of.other()).is_ok_and(|other| other.der.is_some() && other.der == key.der) {
            let (has, asked) = match of {
                Use::Encrypts => ("signing key", "a recipient"),
                Use::Signs => ("recipient", "a signer"),
            };
            return Err(Failure::usage_with_hint(
                format!("this is the {has} of @{name}, and cannot also be {asked}"),
                format!("`sealstone keys remove {name}` removes it, if that was a mistake"),
            ));
        }
    }
    let is_kept = address_book::has_record(&command.name, *of)?;
    if is_kept && !common.force {
        // An unreadable record is an error, and is not replaced without --force.
        let kept = NamedKey::load(&command.name, *of)?;
        if kept.fingerprint != *fingerprint {
            let kept = fingerprint::group_digits(&kept.fingerprint);
            return Err(Failure::usage_with_hint(
                format!("@{} already has another key: {kept}; the new key is {shown}", command.name),
                "ask the owner which key is right; --force replaces the old key",
            ));
        }
    }
    address_book::store(&command.name, *of, &key.text, fingerprint, is_kept, !common.no_sync)?;
    if common.json {
        terminal
            .print_event(|| json!({ "event": "done", "name": command.name, "kind": kind, "fingerprint": fingerprint }));
    } else {
        terminal.note(&format!("@{}: {kind} {shown}", command.name));
    }
    Ok(())
}

/// Reads the key for a name: a signer if `--sign` says so or the form does, otherwise a recipient.
fn read_key(command: &NamesAdd, keys: &mut Keyring<'_>) -> Result<NamedKey, Failure> {
    let named = std::slice::from_ref(&command.key);
    if !command.sign {
        match keys.find_recipients(named, &[]) {
            Ok(found) => {
                let [recipient] = &found[..] else {
                    return Err(Failure::usage("a name stands for one recipient, and the file names several"));
                };
                return NamedKey::recipient(recipient).ok_or_else(|| Failure::usage("only public keys have names"));
            }
            Err(Failure::Mistake { mistake: Mistake::SigningKey, .. }) => {}
            Err(failure) if is_bundle(&command.key) => {
                return Err(failure.with_hint(
                    "print its key with `sealstone recipients BUNDLE --fingerprint HEX` (ask its owner for HEX), and add that key",
                ));
            }
            Err(failure) => return Err(failure),
        }
    }
    match &signers::read_signers(named, keys)?[..] {
        [signer] => Ok(NamedKey::signer(signer)),
        _ => Err(Failure::usage("a name stands for one signer, and the file names several")),
    }
}

/// Whether a file is a key bundle, whose fingerprint has another form.
fn is_bundle(name: &str) -> bool {
    Input::open(name).is_ok_and(|mut input| nkkb::is_bundle(&mut input).unwrap_or(false))
}

fn list(common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut names = Vec::new();
    for of in Use::ALL {
        names.extend(address_book::names(of)?.into_iter().map(|name| (name, of)));
    }
    // A stable sort keeps the recipient of a name before its signer.
    names.sort_by(|(one, _), (other, _)| one.cmp(other));
    if names.is_empty() {
        terminal.note("there are no names; `sealstone keys add NAME RECIPIENT` adds one");
    }
    let mut lines = String::new();
    let mut failed = None;
    for (name, of) in names {
        let key = match NamedKey::load(&name, of) {
            Ok(key) => key,
            Err(failure) => {
                // The other names are still shown.
                failed = failed.or(Some(failure));
                continue;
            }
        };
        if common.json {
            let what = if of == Use::Encrypts { "recipient" } else { "signer" };
            lines +=
                &json!({ "name": name, "kind": key.kind, "fingerprint": key.fingerprint, what: key.text }).to_string();
        } else {
            lines.extend(["@", &name, "  ", key.kind, "  ", &fingerprint::group_digits(&key.fingerprint)]);
        }
        lines.push('\n');
    }
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
    failed.map_or(Ok(()), Err)
}
