//! `sealstone key inspect`, `sealstone key fingerprint` and `sealstone key public`

use crate::args::Common;
use crate::config::{existing_signing_key, signing_key_name};
use crate::failure::Failure;
use crate::fingerprint;
use crate::keyring::Keyring;
use crate::signers::{self, FoundKeys};
use crate::terminal::Terminal;
use clap::Args;
use sealstone::interop::nkkb::Fingerprint;
use sealstone::signature::Signer;
use sealstone::{Kind, Recipient, escape_name};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Show the keys in a file: kinds, fingerprints and whether they are secret; never the secrets
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone key inspect identity.txt")]
pub(crate) struct KeyInspect {
    #[command(flatten)]
    pub(crate) keys: KeyFiles,
}

/// The keys that a command shows.
#[derive(Args)]
pub(crate) struct KeyFiles {
    /// Treat P-256 and SM2 keys as signing keys: their form does not say what they are for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Key files, secret or public, or names (@bob); - is stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// Print fingerprints, to compare keys by eye or over the phone
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone key fingerprint bob.pub")]
pub(crate) struct KeyFingerprint {
    #[command(flatten)]
    pub(crate) keys: KeyFiles,
}

/// Print public keys: recipients, and SSH lines for signing keys
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone key public > signer.pub
  sealstone key public release.pem > release.pub
  sealstone key public --sign p256.pem")]
pub(crate) struct KeyPublic {
    /// Treat P-256 and SM2 keys as signing keys: their form does not say what they are for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Key files, secret or public, or names (@bob) (default: ~/.config/sealstone/signing.pem); - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// The named files; without any, the default signing key.
pub(super) fn find_key_files(command: &KeyPublic) -> Result<KeyFiles, Failure> {
    if !command.files.is_empty() {
        return Ok(KeyFiles { sign: command.sign, files: command.files.clone() });
    }
    let none = || {
        Failure::usage_with_hint(
            format!("there is no signing key at {}", signing_key_name()),
            "`sealstone keygen --sign` makes one; or name a file; `sealstone recipients` prints the public key of an encryption key",
        )
    };
    Ok(KeyFiles { sign: true, files: vec![existing_signing_key().ok_or_else(none)?] })
}

/// The facts about keys that a command shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    All,
    Fingerprint,
    PublicKey,
}

/// The facts about one key.
pub(super) struct KeyFacts {
    kind: &'static str,
    /// For a secret key, whether it was encrypted; `None` for a public key.
    is_protected: Option<bool>,
    can_sign: bool,
    /// `None` for a symmetric key.
    fingerprint: Option<String>,
    /// The fingerprint of `ssh-keygen -l`, for signing keys.
    ssh_fingerprint: Option<String>,
    /// The fingerprint of nkCryptoTool, for ML-DSA keys.
    nkct_fingerprint: Option<Fingerprint>,
    /// The public key, if there is one.
    text: Option<String>,
    /// The commands that take the key, if Sealstone files do not.
    takers: Option<&'static str>,
}

impl KeyFacts {
    fn recipient(recipient: &Recipient, is_protected: Option<bool>) -> Self {
        Self {
            kind: recipient.kind().name(),
            is_protected,
            can_sign: false,
            fingerprint: recipient.fingerprint(),
            ssh_fingerprint: None,
            nkct_fingerprint: None,
            text: (recipient.kind() != Kind::Key).then(|| recipient.to_string()),
            takers: None,
        }
    }

    fn signer(signer: &Signer, is_protected: Option<bool>) -> Self {
        Self {
            kind: signer.kind().name(),
            is_protected,
            can_sign: true,
            fingerprint: Some(signer.fingerprint()),
            ssh_fingerprint: Some(signer.ssh_fingerprint()),
            nkct_fingerprint: Fingerprint::of(signer.public_key()),
            text: Some(signers::format_line(signer)),
            takers: None,
        }
    }

    pub(super) fn all(found: &FoundKeys) -> Vec<Self> {
        match found {
            FoundKeys::Identities(file) => {
                file.recipients().iter().map(|one| Self::recipient(one, Some(file.is_protected))).collect()
            }
            FoundKeys::Recipients(recipients) => recipients.iter().map(|one| Self::recipient(one, None)).collect(),
            FoundKeys::SigningKey(file) => vec![Self::signer(file.key.signer(), Some(file.passphrase.is_some()))],
            FoundKeys::Signers(signers) => signers.iter().map(|one| Self::signer(one, None)).collect(),
            FoundKeys::Application(key) => vec![Self {
                kind: key.kind(),
                is_protected: key.is_secret().then(|| key.is_protected()),
                can_sign: key.can_sign(),
                fingerprint: Some(key.fingerprint()),
                ssh_fingerprint: None,
                nkct_fingerprint: key.nkct_fingerprint(),
                text: Some(key.public_pem()),
                takers: Some(key.takers()),
            }],
        }
    }
}

/// Prints the chosen facts about every key in the files, or JSON.
pub(super) fn print(command: &KeyFiles, common: &Common, terminal: &Terminal, what: What) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    let mut lines = String::new();
    for path in &command.files {
        let file = escape_name(path);
        let found = signers::read_keys(path, command.sign, &mut keys)?;
        for key in KeyFacts::all(&found) {
            if common.json {
                let mut object = json!({
                    "file": file, "kind": key.kind, "secret": key.is_protected.is_some(), "fingerprint": key.fingerprint,
                    "protected": key.is_protected == Some(true),
                });
                if key.can_sign {
                    object["ssh_fingerprint"] = key.ssh_fingerprint.into();
                }
                if let Some(fingerprint) = key.nkct_fingerprint {
                    object["nkcryptotool_fingerprint"] = fingerprint.to_string().into();
                }
                if what == What::PublicKey {
                    object["public_key"] = key.text.into();
                }
                lines += &object.to_string();
            } else {
                lines += &match what {
                    What::All => format_facts(&file, &key),
                    What::Fingerprint => format_fingerprint(&file, &key)?,
                    What::PublicKey => format_public_key(&file, &key)?,
                };
            }
            lines.push('\n');
        }
    }
    keys.guard.check_stdout()?;
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// The kinds whose forms do not say whether the key signs.
pub(super) const MAY_SIGN: [Kind; 2] = [Kind::P256, Kind::Sm2];

fn format_facts(file: &str, key: &KeyFacts) -> String {
    let what = match (key.is_protected, key.can_sign) {
        (Some(true), false) => "identity (secret, protected with a passphrase)",
        (Some(false), false) => "identity (secret)",
        (None, false) => "recipient",
        (Some(true), true) => "signing key (secret, protected with a passphrase)",
        (Some(false), true) => "signing key (secret)",
        (None, true) => "signer",
    };
    let more = match &key.fingerprint {
        Some(fingerprint) => format!("fingerprint {}", fingerprint::group_digits(fingerprint)),
        None if key.kind == Kind::Key.name() => "whoever has it can encrypt and decrypt".to_owned(),
        None => "no fingerprint".to_owned(),
    };
    let of_ssh =
        key.ssh_fingerprint.as_ref().map(|shown| format!("\n  ssh-keygen -l shows {shown}")).unwrap_or_default();
    let of_nkct = key.nkct_fingerprint.map(|shown| format!("\n  nkCryptoTool shows {shown}")).unwrap_or_default();
    // The form of such a key does not say its use, and its fingerprint depends on the use.
    let other = if !key.can_sign && MAY_SIGN.map(Kind::name).contains(&key.kind) {
        "\n  as a signing key, it has another fingerprint, which --sign shows"
    } else {
        ""
    };
    let takers = key.takers.map(|takers| format!("\n  {takers}")).unwrap_or_default();
    format!("{file}\n  {what} of kind {}\n  {more}{of_ssh}{of_nkct}{other}{takers}", key.kind)
}

fn format_fingerprint(file: &str, key: &KeyFacts) -> Result<String, Failure> {
    let none =
        || Failure::usage(format!("{file}: a symmetric key has no fingerprint, since that would help to guess it"));
    Ok(format!("{} {} {file}", fingerprint::group_digits(key.fingerprint.as_ref().ok_or_else(none)?), key.kind))
}

fn format_public_key(file: &str, key: &KeyFacts) -> Result<String, Failure> {
    let none = || Failure::usage(format!("{file}: a symmetric key has no public key"));
    // PEM already ends its line.
    key.text.as_deref().map(|text| text.trim_end().to_owned()).ok_or_else(none)
}
