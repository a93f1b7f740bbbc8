//! `sealstone key`

use crate::application_key::ToForm;
use crate::args::Common;
use crate::config::{existing_signing_key, signing_key_name};
use crate::descriptor;
use crate::failure::{Failure, Instead};
use crate::fingerprint;
use crate::folder::Folder;
use crate::format::TAKEN_BY_NKCT;
use crate::identity_file::{in_file, into_bytes, refuse_device, sealed, to_descriptor};
use crate::keyring::Keyring;
use crate::passphrase;
use crate::plan::other_names;
use crate::signers::{self, Found, SigningFile};
use crate::terminal::Terminal;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use sealstone::interop::nkct;
use sealstone::interop::nkkb::{self, Fingerprint};
use sealstone::signature::Signer;
use sealstone::{
    Error, FileId, FileMode, Identity, Input, KeyFault, KeyForm, Kind, Output, Passphrase, Recipient, Suite,
    UnsupportedKey, escape_name, exchange, sign,
};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use zeroize::Zeroizing;

/// Look at keys, convert them, and change the passphrase of an identity file
#[derive(Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

#[derive(Subcommand)]
pub(crate) enum KeyAction {
    Inspect(KeyInspect),
    Fingerprint(KeyFingerprint),
    Public(KeyPublic),
    Passphrase(KeyPassphrase),
    Convert(KeyConvert),
    Bundle(KeyBundle),
}

/// Show the keys in a file: kinds, fingerprints and whether they are secret; never the secrets
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone key inspect identity.txt")]
pub(crate) struct KeyInspect {
    #[command(flatten)]
    pub(crate) keys: KeyFiles,
}

/// Which keys a command shows.
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

/// Write keys in another form: age strings, PEM, DER, JWK, hexadecimal digits, SSH, or PEM with an expanded key
#[derive(Args)]
#[command(after_help = "\
Which keys each form can hold:
  age       hybrid, x25519 and symmetric keys
  pem, der  p256, ML-KEM, sm2, x25519 and all signing keys
  jwk       p256 and x25519 keys; public keys of ed25519, p256-sign and ML-DSA
  hex       sm2 keys
  ssh       public keys of all signing kinds; private keys of ed25519, p256-sign and hybrid44-sign
  expanded  private keys of ML-KEM and ML-DSA: the seed and the key that it expands to, for nkCryptoTool's Rust edition

Sealstone asks for the passphrase of the file. The result has no passphrase unless -p is given.

Examples:
  sealstone key convert --to jwk --public key.pem
  sealstone key convert --to pem -p -o key.pem key.der
  sealstone key convert --to ssh -o id_release release.pem")]
pub(crate) struct KeyConvert {
    /// age, pem, der, jwk, hex, ssh or expanded
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub(crate) to: ToForm,
    /// Treat a P-256 or SM2 key as a signing key: its form does not say what it is for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Write the public keys of identities
    #[arg(long)]
    pub(crate) public: bool,
    /// Protect the result with a passphrase
    #[arg(short, long, conflicts_with = "public")]
    pub(crate) passphrase: bool,
    /// Read the passphrase of the result from a file with one line
    #[arg(long, value_name = "FILE", conflicts_with = "public")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
    /// Write to FILE (secrets: mode 0600) instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Identity file or recipient file; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

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

pub(crate) fn run(command: &Key, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        KeyAction::Inspect(command) => print(&command.keys, common, terminal, What::All),
        KeyAction::Fingerprint(command) => print(&command.keys, common, terminal, What::Fingerprint),
        KeyAction::Public(command) => print(&public_of(command)?, common, terminal, What::PublicKey),
        KeyAction::Convert(command) => convert(command, common, terminal),
        KeyAction::Passphrase(command) => change_passphrase(command, common, terminal),
        KeyAction::Bundle(command) => bundle(command, common, terminal),
    }
}

/// The files that are named, or else the one of the key that `sign` takes by itself.
fn public_of(command: &KeyPublic) -> Result<KeyFiles, Failure> {
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

/// What is shown of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    All,
    Fingerprint,
    PublicKey,
}

/// A key of a file, as it is shown.
struct Shown {
    kind: &'static str,
    /// `None` of a public key; of a private one, whether it was encrypted.
    is_protected: Option<bool>,
    signs: bool,
    /// `None` of a key that both sides have.
    fingerprint: Option<String>,
    /// That of `ssh-keygen -l`, of a key that signs.
    ssh_fingerprint: Option<String>,
    /// That of nkCryptoTool, of a key of ML-DSA.
    nkct_fingerprint: Option<Fingerprint>,
    /// The public key, where there is one.
    text: Option<String>,
    /// What takes it, where that are no files of ours.
    takers: Option<&'static str>,
}

impl Shown {
    fn recipient(recipient: &Recipient, is_protected: Option<bool>) -> Self {
        Self {
            kind: recipient.kind().name(),
            is_protected,
            signs: false,
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
            signs: true,
            fingerprint: Some(signer.fingerprint()),
            ssh_fingerprint: Some(signer.ssh_fingerprint()),
            nkct_fingerprint: Fingerprint::of(signer.public_key()),
            text: Some(signers::line(signer)),
            takers: None,
        }
    }

    fn all(found: &Found) -> Vec<Self> {
        match found {
            Found::Identities(file) => {
                file.recipients().iter().map(|one| Self::recipient(one, Some(file.is_protected))).collect()
            }
            Found::Recipients(recipients) => recipients.iter().map(|one| Self::recipient(one, None)).collect(),
            Found::SigningKey(file) => vec![Self::signer(file.key.signer(), Some(file.passphrase.is_some()))],
            Found::Signers(signers) => signers.iter().map(|one| Self::signer(one, None)).collect(),
            Found::Application(key) => vec![Self {
                kind: key.kind(),
                is_protected: key.is_secret().then(|| key.is_protected()),
                signs: key.signs(),
                fingerprint: Some(key.fingerprint()),
                ssh_fingerprint: None,
                nkct_fingerprint: key.nkct_fingerprint(),
                text: Some(key.public_pem()),
                takers: Some(key.takers()),
            }],
        }
    }
}

/// Shows every key of the files in the way that is given, or as JSON.
fn print(command: &KeyFiles, common: &Common, terminal: &Terminal, what: What) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    let mut lines = String::new();
    for path in &command.files {
        let file = escape_name(path);
        let found = signers::any(path, command.sign, &mut keys, common, terminal)?;
        for key in Shown::all(&found) {
            if common.json {
                let mut object = json!({
                    "file": file, "kind": key.kind, "secret": key.is_protected.is_some(), "fingerprint": key.fingerprint,
                    "protected": key.is_protected == Some(true),
                });
                if key.signs {
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
                    What::All => inspected(&file, &key),
                    What::Fingerprint => fingerprinted(&file, &key)?,
                    What::PublicKey => public_line(&file, &key)?,
                };
            }
            lines.push('\n');
        }
    }
    keys.check_stdout()?;
    let written = io::stdout().lock().write_all(lines.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// The kinds whose forms do not say whether a key signs.
const MAY_SIGN: [Kind; 2] = [Kind::P256, Kind::Sm2];

fn inspected(file: &str, key: &Shown) -> String {
    let what = match (key.is_protected, key.signs) {
        (Some(true), false) => "identity (secret, protected with a passphrase)",
        (Some(false), false) => "identity (secret)",
        (None, false) => "recipient",
        (Some(true), true) => "signing key (secret, protected with a passphrase)",
        (Some(false), true) => "signing key (secret)",
        (None, true) => "signer",
    };
    let more = match &key.fingerprint {
        Some(fingerprint) => format!("fingerprint {}", fingerprint::shown(fingerprint)),
        None if key.kind == Kind::Key.name() => "whoever has it can encrypt and decrypt".to_owned(),
        None => "no fingerprint".to_owned(),
    };
    let of_ssh =
        key.ssh_fingerprint.as_ref().map(|shown| format!("\n  ssh-keygen -l shows {shown}")).unwrap_or_default();
    let of_nkct = key.nkct_fingerprint.map(|shown| format!("\n  nkCryptoTool shows {shown}")).unwrap_or_default();
    // The form of these says no use, and a fingerprint is of one.
    let other = if !key.signs && MAY_SIGN.map(Kind::name).contains(&key.kind) {
        "\n  as a signing key, it has another fingerprint, which --sign shows"
    } else {
        ""
    };
    let takers = key.takers.map(|takers| format!("\n  {takers}")).unwrap_or_default();
    format!("{file}\n  {what} of kind {}\n  {more}{of_ssh}{of_nkct}{other}{takers}", key.kind)
}

fn fingerprinted(file: &str, key: &Shown) -> Result<String, Failure> {
    let none =
        || Failure::usage(format!("{file}: a symmetric key has no fingerprint, since that would help to guess it"));
    Ok(format!("{} {} {file}", fingerprint::shown(key.fingerprint.as_ref().ok_or_else(none)?), key.kind))
}

fn public_line(file: &str, key: &Shown) -> Result<String, Failure> {
    let none = || Failure::usage(format!("{file}: a symmetric key has no public key"));
    // PEM has a line end of its own.
    key.text.as_deref().map(|text| text.trim_end().to_owned()).ok_or_else(none)
}

fn change_passphrase(command: &KeyPassphrase, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let path = &command.file;
    if path == Path::new("-") {
        return Err(Failure::usage("this command changes the file itself, so it cannot take stdin"));
    }
    let metadata = std::fs::symlink_metadata(path).map_err(|error| Failure::io("open", Some(path), error))?;
    if metadata.nlink() > 1 && !common.force && metadata.is_file() {
        return Err(other_names(path));
    }
    if !metadata.is_file() {
        // A link would be replaced, and what it points to would stay as it is.
        return Err(Failure::usage_with_hint(
            format!("{} is not a regular file", escape_name(path)),
            "name the identity file itself",
        ));
    }
    let folder = Folder::of_file(path);
    let opened = folder.open(path)?;
    let output = Output::file_in(&folder.parent(path)?, path)?.mode(FileMode::Private).sync(!common.no_sync);
    let mut keys = Keyring::new(common);
    // What the passphrase comes from is not what is replaced.
    FileId::of(&opened)?.map_or(Ok(()), |id| keys.check_output(id))?;
    let found = signers::any(path, false, &mut keys, common, terminal)?;
    let file = match found {
        Found::Identities(file) => file,
        Found::SigningKey(file) => {
            let new = new_passphrase(command, path)?;
            output.replace(true).write_all(&rewritten(&file, new.as_ref())?)?;
            say_removed(command, terminal);
            return Ok(());
        }
        Found::Application(key) if key.is_secret() => {
            let new = new_passphrase(command, path)?;
            output.replace(true).write_all(&key.private(key.form(), new.as_ref())?)?;
            say_removed(command, terminal);
            return Ok(());
        }
        Found::Application(_) => return Err(Failure::usage("public keys have no passphrase")),
        // In the words of the reader of identities.
        Found::Recipients(_) => keys.identity_file(path, common, terminal)?,
        Found::Signers(_) => {
            return Err(Failure::In { file: escape_name(path), error: Error::InvalidSigner(KeyFault::PublicKey) });
        }
    };
    if !command.remove && file.form == KeyForm::Jwk && file.sealed.is_none() {
        return Err(Failure::usage_with_hint(
            "a JWK has no passphrase",
            "`sealstone key convert --to pem -p` writes PEM with one",
        ));
    }
    let new = new_passphrase(command, path)?;
    let suite = file.sealed.unwrap_or_else(|| suite_for(&file.identities));
    let content = match file.form {
        // What is sealed stays so.
        KeyForm::Pem | KeyForm::Der if file.sealed.is_none() => {
            let written = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), new.as_ref());
            written.map_err(|error| error.error)?
        }
        // The keys inside had a passphrase of their own, too: the new one is the only one.
        _ if file.passphrase.is_some() => {
            let opened = sealstone::protect_identities(&file.text, file.passphrase.as_ref(), None);
            sealed(opened.map_err(|error| error.error)?, new, suite)?
        }
        _ => sealed(file.text, new, suite)?,
    };
    output.replace(true).write_all(&content)?;
    say_removed(command, terminal);
    Ok(())
}

fn new_passphrase(command: &KeyPassphrase, path: &Path) -> Result<Option<Passphrase>, Failure> {
    match &command.new_passphrase_file {
        _ if command.remove => Ok(None),
        Some(source) if is_same(source, path) => {
            Err(Failure::usage("the identity file cannot also hold its passphrase"))
        }
        Some(path) => passphrase::from_file(path).map(Some),
        None => passphrase::ask_on_terminal("the identity file", NEW_SOURCE).map(Some),
    }
}

fn say_removed(command: &KeyPassphrase, terminal: &Terminal) {
    if command.remove {
        let name = escape_name(&command.file);
        terminal.note(&format!("{name} has no passphrase now: anyone who can read it can use it"));
    }
}

/// A key that signs in the form that its file has, with another passphrase.
fn rewritten(file: &SigningFile, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let form = match KeyForm::of(&file.text) {
        Some(KeyForm::Der) => ToForm::Key(KeyForm::Der),
        _ if file.text.windows(OPENSSH.len()).any(|part| part == OPENSSH) => ToForm::Ssh,
        _ => ToForm::Key(KeyForm::Pem),
    };
    Ok(signing_key(&file.private_key()?, form, passphrase)?)
}

/// The label of OpenSSH's private keys.
const OPENSSH: &[u8] = b"-----BEGIN OPENSSH PRIVATE KEY-----";

fn convert(command: &KeyConvert, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    command.new_passphrase_file.iter().for_each(|path| keys.protect(path));
    let found = signers::any(&command.file, command.sign, &mut keys, common, terminal)?;
    let name = escape_name(&command.file);
    let in_file = |error| Failure::In { file: name.clone(), error };
    let is_protected = command.passphrase || command.new_passphrase_file.is_some();
    let (secret, plain) = match &found {
        Found::Identities(file) if !command.public => (true, encoded(&file.identities, command.to)),
        Found::SigningKey(file) if !command.public => {
            let key = file.private_key().map_err(in_file)?;
            (true, signing_key(&key, command.to, None))
        }
        Found::Application(key) if key.is_secret() && !command.public => (true, key.private(command.to, None)),
        _ if is_protected => return Err(Failure::usage("public keys have no passphrase")),
        Found::Identities(file) => (false, public(&file.recipients(), command.to)),
        Found::Recipients(recipients) => (false, public(recipients, command.to)),
        Found::SigningKey(file) => (false, signers_in(std::slice::from_ref(file.key.signer()), command.to)),
        Found::Signers(signers) => (false, signers_in(signers, command.to)),
        Found::Application(key) => (false, key.public(command.to)),
    };
    let may_sign = match &found {
        Found::Identities(file) => file.identities.iter().all(|identity| MAY_SIGN.contains(&identity.kind())),
        Found::Recipients(recipients) => recipients.iter().all(|recipient| MAY_SIGN.contains(&recipient.kind())),
        _ => false,
    };
    let plain = plain.map_err(|error| match in_file(error) {
        failure if command.to == ToForm::Ssh && may_sign => {
            failure.with_hint("SSH has a form for signing keys only: if this is a signing key, add --sign")
        }
        failure => failure,
    })?;
    let count = Shown::all(&found).len();
    if count > 1 && matches!(command.to, ToForm::Key(KeyForm::Der | KeyForm::Jwk)) {
        let message = format!("{} holds one key, and {name} has {count}", command.to);
        return Err(Failure::usage_with_hint(message, "use --to pem, which holds several"));
    }
    if is_protected && command.to == ToForm::Key(KeyForm::Jwk) {
        return Err(Failure::usage_with_hint("a JWK has no passphrase", "PEM has one: --to pem"));
    }
    let mode = if secret { FileMode::Private } else { FileMode::Shared };
    let binary = (command.to == ToForm::Key(KeyForm::Der)).then_some("DER");
    let target = Target::of(command.output.as_deref(), mode, binary, &keys, common)?;
    // Whoever is asked for a passphrase is asked last.
    let passphrase = match &command.new_passphrase_file {
        Some(path) => Some(passphrase::from_file(path)?),
        None if command.passphrase => Some(passphrase::ask_on_terminal("the result", NEW_SOURCE)?),
        None => None,
    };
    let content = match (found, passphrase) {
        (Found::Application(key), Some(passphrase)) => key.private(command.to, Some(&passphrase)).map_err(in_file)?,
        (Found::SigningKey(file), Some(passphrase)) => {
            let key = file.private_key().map_err(in_file)?;
            signing_key(&key, command.to, Some(&passphrase)).map_err(in_file)?
        }
        (Found::Identities(file), Some(passphrase)) => match command.to {
            ToForm::Expanded => expanded(&file.identities, Some(&passphrase)).map_err(in_file)?,
            ToForm::Key(KeyForm::Age | KeyForm::Hex) => sealed(plain, Some(passphrase), suite_for(&file.identities))?,
            _ => {
                sealstone::protect_identities(&plain, None, Some(&passphrase)).map_err(|error| in_file(error.error))?
            }
        },
        _ => plain,
    };
    if target.output.is_none() && secret {
        return to_descriptor(target.number, &content, terminal);
    }
    target.write(&content)
}

/// Where a command puts what it made.
struct Target {
    output: Option<Output<'static>>,
    /// The descriptor, where it is no file.
    number: u16,
}

impl Target {
    /// Refuses what can be refused before there is something to write, and bytes on a terminal unasked: `binary` says what they are.
    fn of(
        output: Option<&Path>,
        mode: FileMode,
        binary: Option<&str>,
        keys: &Keyring,
        common: &Common,
    ) -> Result<Self, Failure> {
        let number = descriptor::of_output(output);
        if let Some(what) = binary.filter(|_| output.is_none() && io::stdout().is_terminal()) {
            let message = format!("{what} is not written to a terminal");
            return Err(Failure::usage_with_hint(message, "name a file with -o FILE"));
        }
        let Some(path) = output.filter(|_| number.is_none()) else {
            let number = number.unwrap_or(descriptor::STDOUT);
            keys.check_descriptor(number)?;
            return Ok(Self { output: None, number });
        };
        refuse_device(path)?;
        // A regular file: a FIFO may have been put there by somebody who reads it.
        let output = Output::file_in(&Folder::of_file(path).parent(path)?, path)?;
        let output = keys.guard(output.mode(mode).sync(!common.no_sync).replace(common.force));
        output.check(&Input::reader(io::empty())).map_err(|error| match error {
            Error::SameFile(_) => Failure::from(error).with_hint("name another file with -o"),
            error => error.into(),
        })?;
        Ok(Self { output: Some(output), number: descriptor::STDOUT })
    }

    fn write(self, content: &[u8]) -> Result<(), Failure> {
        match self.output {
            Some(output) => Ok(output.write_all(content)?),
            None => descriptor::write(self.number, content),
        }
    }
}

fn bundle(command: &KeyBundle, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    let owner = signers::signing_key_of_nkcs(&command.key, &mut keys, common, terminal)?;
    let mut recipients = Vec::new();
    for path in &command.files {
        let found = signers::any(path, false, &mut keys, common, terminal).map_err(|failure| match failure {
            // It has no seed, from which its public key would be derived.
            failure @ Failure::Instead { what: Instead::IdentityOfNkct, .. } => {
                failure.with_hint("name its public key, which nkCryptoTool wrote beside it, such as public_enc_pqc.key")
            }
            failure => failure,
        })?;
        let all: Result<Vec<_>, Error> = match &found {
            Found::Identities(file) => file.recipients().into_iter().map(nkct::Recipient::try_from).collect(),
            Found::Recipients(found) => found.iter().cloned().map(nkct::Recipient::try_from).collect(),
            Found::Application(key) => key.recipient_of_nkct().map(|key| vec![key]),
            Found::SigningKey(_) | Found::Signers(_) => Err(UnsupportedKey::OtherFamily.into()),
        };
        recipients.extend(all.map_err(|error| in_file(&escape_name(path), error).with_hint(TAKEN_BY_NKCT))?);
    }
    let target = Target::of(command.output.as_deref(), FileMode::Shared, Some("a key bundle"), &keys, common)?;
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
        terminal.event(|| {
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

/// What keys are sealed with: those of Chinese commercial cryptography with nothing else.
fn suite_for(identities: &[Identity]) -> Suite {
    let is_gm = identities.iter().all(|identity| identity.kind() == Kind::Sm2);
    if is_gm { Suite::Sm4Gcm } else { Suite::default() }
}

/// A key that signs in a form, as the content of a file.
fn signing_key(
    key: &sign::PrivateKey,
    form: ToForm,
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    match form {
        ToForm::Key(KeyForm::Pem) => key.to_pem(passphrase).map(into_bytes),
        ToForm::Key(KeyForm::Der) => key.to_der(passphrase),
        ToForm::Ssh => key.to_ssh(passphrase).map(into_bytes),
        ToForm::Expanded => key.to_expanded_pem(passphrase).map(into_bytes),
        ToForm::Key(_) => Err(UnsupportedKey::NoFormOfKind.into()),
    }
}

/// Signers in a form, as the content of a file.
fn signers_in(signers: &[Signer], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parts = signers.iter().map(|signer| match form {
        ToForm::Key(KeyForm::Pem) => Ok(signer.public_key().to_pem().into_bytes()),
        ToForm::Key(KeyForm::Der) => Ok(signer.public_key().to_der()),
        ToForm::Key(KeyForm::Jwk) => signer.public_key().to_jwk().map(|json| format!("{json}\n").into_bytes()),
        ToForm::Ssh => Ok(format!("{}\n", signers::line(signer)).into_bytes()),
        ToForm::Key(_) | ToForm::Expanded => Err(UnsupportedKey::NoFormOfKind.into()),
    });
    Ok(Zeroizing::new(parts.collect::<Result<Vec<_>, Error>>()?.concat()))
}

/// Identities in a form, as the content of a file.
fn encoded(identities: &[Identity], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let form = match form {
        ToForm::Key(form) => form,
        ToForm::Ssh => return Err(UnsupportedKey::NoFormOfKind.into()),
        ToForm::Expanded => return expanded(identities, None),
    };
    let parts = identities.iter().map(|identity| match form {
        KeyForm::Pem => Ok(into_bytes(identity.to_pem(None)?)),
        KeyForm::Der => identity.to_der(None),
        KeyForm::Jwk => Ok(with_line_end(&identity.to_jwk()?)),
        KeyForm::Hex => Ok(with_line_end(&identity.to_hex()?)),
        _ => match identity.kind() {
            kind if !kind.has_form(KeyForm::Age) => Err(UnsupportedKey::NoString.into()),
            _ => Ok(with_line_end(&identity.to_text().expect("key: what is read from a file has a text form"))),
        },
    });
    Ok(joined(&parts.collect::<Result<Vec<_>, Error>>()?))
}

/// Identities with what their seeds expand to, as the content of a file.
fn expanded(identities: &[Identity], passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parts = identities.iter().map(|identity| {
        let (kind, bytes) = (identity.kind().name().parse().ok(), identity.to_bytes());
        let (kind, bytes) = kind.zip(bytes).ok_or(UnsupportedKey::NoFormOfKind)?;
        exchange::PrivateKey::from_bytes(kind, &bytes)?.to_expanded_pem(passphrase).map(into_bytes)
    });
    Ok(joined(&parts.collect::<Result<Vec<_>, Error>>()?))
}

fn joined(parts: &[Zeroizing<Vec<u8>>]) -> Zeroizing<Vec<u8>> {
    let mut content = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in parts {
        content.extend_from_slice(part);
    }
    content
}

/// Recipients in a form, as the content of a file.
fn public(recipients: &[Recipient], form: ToForm) -> Result<Zeroizing<Vec<u8>>, Error> {
    let ToForm::Key(form) = form else { return Err(UnsupportedKey::NoFormOfKind.into()) };
    let parts = recipients.iter().map(|recipient| match form {
        KeyForm::Pem => recipient.to_pem().map(String::into_bytes),
        KeyForm::Der => recipient.to_der(),
        KeyForm::Jwk => recipient.to_jwk().map(|json| format!("{json}\n").into_bytes()),
        KeyForm::Hex => recipient.to_hex().map(|digits| format!("{digits}\n").into_bytes()),
        _ => match recipient.kind() {
            kind if !kind.has_form(KeyForm::Age) => Err(UnsupportedKey::NoString.into()),
            Kind::Key => Err(Error::InvalidIdentity(KeyFault::Other("a symmetric key has no public key"))),
            _ => Ok(format!("{recipient}\n").into_bytes()),
        },
    });
    Ok(Zeroizing::new(parts.collect::<Result<Vec<_>, Error>>()?.concat()))
}

const NEW_SOURCE: &str = "name a file of one line with --new-passphrase-file";

/// Whether two paths name one file.
fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path| std::fs::metadata(path).ok().map(|metadata| FileId::from(&metadata));
    id(a).is_some() && id(a) == id(b)
}

fn with_line_end(text: &str) -> Zeroizing<Vec<u8>> {
    let mut line = Zeroizing::new(Vec::with_capacity(text.len() + 1));
    line.extend_from_slice(text.as_bytes());
    line.push(b'\n');
    line
}

fn forms() -> impl TypedValueParser<Value = ToForm> {
    let names = KeyForm::ALL.into_iter().map(KeyForm::name).chain(["ssh", "expanded"]);
    PossibleValuesParser::new(names).map(|name| match name.parse() {
        Ok(form) => ToForm::Key(form),
        Err(_) if name == "ssh" => ToForm::Ssh,
        Err(_) => ToForm::Expanded,
    })
}
