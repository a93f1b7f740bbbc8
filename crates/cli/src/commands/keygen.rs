//! `sealstone keygen`

use crate::application_key::{ApplicationKey, ToForm};
use crate::args::{Allowed, Common};
use crate::config::{default_identity, default_signing_key, make_folder_of};
use crate::descriptor;
use crate::failure::{Failure, plain_name};
use crate::fingerprint;
use crate::folder::Folder;
use crate::guard::Guard;
use crate::identity_file::{into_bytes, refuse_device, seal, write_to_descriptor};
use crate::keys::{NKCS_ONLY_KINDS, NKCT_ONLY_KINDS};
use crate::passphrase;
use crate::terminal::Terminal;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sealstone::{
    Error, FileMode, Identity, Input, KeyForm, Kind, Output, Profile, ProfileRule, Suite, escape_name, exchange, sign,
};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Make a new key
#[derive(Args)]
#[command(after_help = "\
On a terminal, keygen writes ~/.config/sealstone/identity.txt, where decrypt and recipients look by default. It never replaces \
that file. If stdout is not a terminal, keygen prints the secret key there. -o FILE names another file. XDG_CONFIG_HOME, if set, replaces ~/.config. \
`sealstone recipients` prints the recipient, which others encrypt to.

A signing key is a separate key. --sign makes one: on a terminal, it becomes signing.pem in the same folder, where sign looks by default. \
`sealstone key public` prints its public key, which others use to verify.

Examples:
  sealstone keygen
  sealstone keygen -p
      protects the key with a passphrase
  sealstone keygen -o identity.txt
  sealstone keygen --kind key -o shared.key
      a symmetric key, for --key-file
  sealstone keygen --kind p256 -p -o key.pem
      writes encrypted PKCS#8, which OpenSSL reads
  sealstone keygen --sign -p -o release.pem
  sealstone keygen --kind ed25519 -o release.pem
      makes signatures that a stock ssh-keygen verifies")]
pub(crate) struct Keygen {
    /// hybrid (ML-KEM-768 and X25519, post-quantum; the default), x25519, p256, ml-kem-768, sm2 (the default with --profile gm) or key (symmetric);
    /// to sign: hybrid-sign (ML-DSA-65 and Ed25519, post-quantum; the default with --sign), ed25519, p256-sign, ml-dsa-65, hybrid44-sign or sm2-sign;
    /// only for nkCryptoTool and for applications: ml-kem-512, ml-kem-1024, ml-dsa-44 or ml-dsa-87
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Option<KeygenKind>,
    /// Make a signing key
    #[arg(long)]
    pub(crate) sign: bool,
    /// Another name for a kind: ecc (p256), pqc (ml-kem-768) or hybrid
    #[arg(long, value_name = "MODE", value_parser = modes(), conflicts_with_all = ["kind", "sign"])]
    pub(crate) mode: Option<Kind>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Protect the file with a passphrase: PEM becomes encrypted PKCS#8, other forms a sealed file
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Write to FILE (mode 0600); - is stdout, even if it is a terminal
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A kind of key, by its use.
#[derive(Clone, Copy)]
pub(crate) enum KeygenKind {
    Encrypts(Kind),
    /// For nkCryptoTool files and for applications.
    Encapsulates(exchange::Kind),
    Signs(sign::Kind),
}

pub(crate) fn run(command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match choose_kind(command)? {
        KeygenKind::Encrypts(kind) => make_identity(kind, command, common, terminal),
        KeygenKind::Encapsulates(kind) => {
            make_application_key(&exchange::PrivateKey::generate(kind)?.into(), command, common, terminal)
        }
        KeygenKind::Signs(kind) if !kind.signs_files() => {
            make_application_key(&sign::PrivateKey::generate(kind)?.into(), command, common, terminal)
        }
        KeygenKind::Signs(kind) => make_signing_key(kind, command, common, terminal),
    }
}

/// The kind that the options choose. A signing kind does not need `--sign`; with `--sign`, other kinds are errors.
fn choose_kind(command: &Keygen) -> Result<KeygenKind, Failure> {
    let is_gm = command.allowed.profile == Some(Profile::Gm);
    let kind = command.mode.map(KeygenKind::Encrypts).or(command.kind);
    let kind = kind.unwrap_or(match (command.sign, is_gm) {
        (true, true) => KeygenKind::Signs(sign::Kind::Sm2Sign),
        (true, false) => KeygenKind::Signs(sign::Kind::HybridSign),
        (false, true) => KeygenKind::Encrypts(Kind::Sm2),
        (false, false) => KeygenKind::Encrypts(Kind::default()),
    });
    match kind {
        KeygenKind::Encrypts(kind) if command.sign => Err(explain_cannot_sign(
            kind.name(),
            match kind {
                Kind::P256 => "the signing kind is p256-sign",
                Kind::Sm2 => "the signing kind is sm2-sign",
                Kind::Hybrid => "the signing kind is hybrid-sign, which is also the default with --sign",
                _ => LEAVE_OUT,
            },
        )),
        KeygenKind::Encapsulates(kind) if command.sign => Err(explain_cannot_sign(kind.name(), LEAVE_OUT)),
        KeygenKind::Encapsulates(kind) => {
            let rule = command.allowed.profile.map(|profile| match profile {
                Profile::Gm => ProfileRule::GmKinds,
                _ => ProfileRule::FipsKinds,
            });
            rule.map_or(Ok(KeygenKind::Encapsulates(kind)), |rule| Err(Error::NotInProfile(rule).into()))
        }
        KeygenKind::Encrypts(kind) => {
            command.allowed.profile.map_or(Ok(()), |profile| profile.check_kind(kind))?;
            Ok(KeygenKind::Encrypts(kind))
        }
        KeygenKind::Signs(kind) => {
            command.allowed.profile.map_or(Ok(()), |profile| profile.check_signer(kind))?;
            Ok(KeygenKind::Signs(kind))
        }
    }
}

const LEAVE_OUT: &str = "leave out --sign; or leave out --kind: --sign alone makes a hybrid-sign key";

fn explain_cannot_sign(kind: &str, hint: &str) -> Failure {
    Failure::usage_with_hint(format!("keys of kind {kind} are for encryption and cannot sign"), hint)
}

/// The output of a key, checked before any question for a passphrase.
struct Target<'a> {
    /// The path, if the output is a file.
    path: Option<&'a Path>,
    /// Whether the file is the default one, without `-o`.
    is_default: bool,
    output: Option<Output<'static>>,
    number: Option<u16>,
}

impl<'a> Target<'a> {
    /// Checks the output. If the file exists, the error has the first hint for the default file, or the second for a named one.
    fn of(
        command: &'a Keygen,
        choose_default: impl FnOnce() -> Result<&'a Path, Failure>,
        default: Option<&Path>,
        hints: [&str; 2],
        common: &Common,
    ) -> Result<Self, Failure> {
        // A secret key is not printed on a terminal by default: it goes to the default file, where other commands look.
        let is_default = command.output.is_none() && std::io::stdout().is_terminal();
        let to_file = if is_default { Some(choose_default()?) } else { command.output.as_deref() };
        let number = descriptor::find_output(to_file);
        let to_file = to_file.filter(|_| number.is_none());
        to_file.map_or(Ok(()), refuse_device)?;
        if let Some(path) = to_file.filter(|path| Some(*path) == default) {
            // A new machine may not have the folder of the default file.
            make_folder_of(path)?;
        }
        // As a regular file, since another user may have put a FIFO there to read the key.
        let output = to_file.map(|path| {
            let folder = Folder::of_file(path).parent(path).map_err(|failure| match path.parent() {
                Some(folder) if folder.symlink_metadata().is_err() => failure
                    .with_hint(format!("make its folder first: mkdir -p {}", plain_name(folder).unwrap_or("FOLDER"))),
                _ => failure,
            })?;
            Ok::<_, Failure>(Output::file_in(&folder, path)?)
        });
        let output = output.transpose()?;
        let guard = Guard::new(common);
        let output = output.map(|file| {
            guard.apply(file.mode(FileMode::Private).sync(!common.no_sync).replace(common.force && !is_default))
        });
        number.map_or(Ok(()), |number| guard.check_descriptor(number))?;
        if let Some(output) = &output {
            // Checked before the user is asked for a passphrase.
            output.check(&Input::reader(std::io::empty())).map_err(|error| match error {
                Error::OutputExists(_) => Failure::from(error).with_hint(hints[usize::from(!is_default)]),
                error => error.into(),
            })?;
        }
        Ok(Self { path: to_file, is_default, output, number })
    }

    fn write(
        output: Option<Output<'static>>,
        number: Option<u16>,
        content: &[u8],
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        match output {
            Some(output) => Ok(output.write_all(content)?),
            None => write_to_descriptor(number.unwrap_or(descriptor::STDOUT), content, terminal),
        }
    }
}

fn make_identity(kind: Kind, command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let default = default_identity();
    let hints = [
        "`sealstone recipients` prints its recipient; -o FILE makes another key beside it",
        "choose another name with -o: files encrypted to the key in this file open with no other key",
    ];
    let place = || choose_default(kind, default.as_deref());
    let Target { path: to_file, is_default, output, number } =
        Target::of(command, place, default.as_deref(), hints, common)?;
    let identity = Identity::generate(kind)?;
    let recipient = (kind != Kind::Key).then(|| identity.recipient().to_string());
    let is_sealed = command.passphrase || common.has_passphrase_source();
    let passphrase =
        if is_sealed { Some(passphrase::ask_new(&common.passphrase_source, "the identity file")?) } else { None };
    let content = if kind.has_form(KeyForm::Age) {
        let is_gm = command.allowed.profile == Some(Profile::Gm);
        let suite = if is_gm { Suite::Sm4Gcm } else { Suite::default() };
        seal(format_identity(&identity, recipient.as_deref()), passphrase, suite)?
    } else {
        // Other programs read this form, so it has an encryption that they support.
        into_bytes(identity.to_pem(passphrase.as_ref())?)
    };
    Target::write(output, number, &content, terminal)?;
    let fingerprint = identity.recipient().fingerprint();
    if common.json {
        let event = json!({
            "event": "done", "kind": kind.name(), "recipient": recipient, "fingerprint": fingerprint,
            "output": to_file.map(escape_name), "sealed": is_sealed,
        });
        terminal.print_event(|| event);
        return Ok(());
    }
    let Some(fingerprint) = fingerprint else {
        if let Some(path) = to_file {
            terminal.note(&format!("encrypt and decrypt with --key-file {}", escape_name(path)));
        }
        return Ok(());
    };
    print_next_steps(&ENCRYPTS, kind.name(), &fingerprint, to_file, is_default, default.as_deref(), terminal);
    Ok(())
}

fn make_signing_key(kind: sign::Kind, command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let default = default_signing_key();
    let hints = [
        "`sealstone key public` prints its public key; -o FILE makes another key beside it",
        "choose another name with -o: replacing this file would destroy the signing key in it",
    ];
    let place =
        || default.as_deref().ok_or_else(|| explain_no_default("HOME is not set, so the key has no default file"));
    let Target { path: to_file, is_default, output, number } =
        Target::of(command, place, default.as_deref(), hints, common)?;
    let key = sign::PrivateKey::generate(kind)?;
    let is_sealed = command.passphrase || common.has_passphrase_source();
    let passphrase = if is_sealed { Some(passphrase::ask_new(&common.passphrase_source, "the key")?) } else { None };
    let public = key.public_key();
    Target::write(output, number, &into_bytes(key.to_pem(passphrase.as_ref())?), terminal)?;
    let (line, fingerprint) = (public.to_ssh("")?, public.fingerprint());
    if common.json {
        terminal.print_event(|| {
            json!({
                "event": "done", "kind": kind.name(), "public_key": line, "fingerprint": fingerprint,
                "ssh_fingerprint": public.ssh_fingerprint().ok(), "output": to_file.map(escape_name), "sealed": is_sealed,
            })
        });
        return Ok(());
    }
    print_next_steps(&SIGNS, kind.name(), &fingerprint, to_file, is_default, default.as_deref(), terminal);
    Ok(())
}

/// Makes a key that Sealstone files do not take, and that has no default file.
fn make_application_key(
    key: &ApplicationKey,
    command: &Keygen,
    common: &Common,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let place = || Err(explain_no_default(&format!("a key of kind {} has no default file", key.kind())));
    let replaced = "choose another name with -o: replacing this file would destroy the key in it";
    let Target { path: to_file, output, number, .. } = Target::of(command, place, None, [replaced; 2], common)?;
    let is_sealed = command.passphrase || common.has_passphrase_source();
    let passphrase = if is_sealed { Some(passphrase::ask_new(&common.passphrase_source, "the key")?) } else { None };
    let pem = ToForm::Key(KeyForm::Pem);
    Target::write(output, number, &key.private(pem, passphrase.as_ref())?, terminal)?;
    let (half, next) = if key.can_sign() { ("public_key", &SIGNS) } else { ("recipient", &ENCRYPTS) };
    if common.json {
        terminal.print_event(|| {
            json!({
                "event": "done", "kind": key.kind(), half: key.public_pem(), "fingerprint": key.fingerprint(),
                "output": to_file.map(escape_name), "sealed": is_sealed,
            })
        });
        return Ok(());
    }
    print_next_steps(next, key.kind(), &key.fingerprint(), to_file, false, None, terminal);
    terminal.note(key.takers());
    Ok(())
}

/// The next steps after making a key.
struct Next {
    /// The command that prints the public key.
    publish: &'static str,
    /// The file for the public key, and the people who need it.
    public: &'static str,
    reader: &'static str,
    /// The command and option that use the secret key.
    take: &'static str,
}

const ENCRYPTS: Next =
    Next { publish: "recipients", public: "me.pub", reader: "whoever encrypts to you", take: "decrypt with -i" };

const SIGNS: Next = Next {
    // The form of some keys does not say that they sign.
    publish: "key public --sign",
    public: "signer.pub",
    reader: "whoever verifies what you sign",
    take: "sign with -k",
};

/// Prints the fingerprint and the next steps. The public key may have thousands of characters, so a command writes it into a file.
fn print_next_steps(
    next: &Next,
    kind: &str,
    fingerprint: &str,
    path: Option<&Path>,
    is_default: bool,
    default: Option<&Path>,
    terminal: &Terminal,
) {
    if let Some(path) = path.filter(|_| is_default) {
        let path = escape_name(path);
        terminal.note(&format!("wrote {path}, the secret key of kind {kind}: keep a copy in a safe place"));
    }
    terminal.note(&format!("fingerprint: {}", fingerprint::group_digits(fingerprint)));
    let Next { publish, public, reader, take } = next;
    // Other commands find the default file without its name.
    let file = match path {
        Some(path) if Some(path) == default => String::new(),
        path => format!(" {}", path.and_then(plain_name).unwrap_or("FILE")),
    };
    terminal.note(&format!("next: sealstone {publish}{file} > {public}, and give {public} to {reader}"));
    if let (Some(path), Some(default)) = (path, default)
        && path != default
        && !default.exists()
    {
        terminal.note(&format!("{take} {}, or keep it as {}", escape_name(path), escape_name(default)));
    }
}

/// The default file for an identity of this kind.
fn choose_default(kind: Kind, default: Option<&Path>) -> Result<&Path, Failure> {
    if kind == Kind::Key {
        return Err(explain_no_default("a symmetric key has no default file"));
    }
    default.ok_or_else(|| explain_no_default("HOME is not set, so the key has no default file"))
}

fn explain_no_default(why: &str) -> Failure {
    Failure::usage_with_hint(
        format!("{why}, and is not written to a terminal"),
        "name a file with -o FILE, or print the key with -o -",
    )
}

/// Writes an identity as a file: one string, and a comment that describes it.
fn format_identity(identity: &Identity, recipient: Option<&str>) -> Zeroizing<Vec<u8>> {
    let secret = identity.to_text().expect("keygen: a generated identity has a text form");
    let comment = match recipient {
        Some(recipient) => format!("# public key: {recipient}\n"),
        None => "# symmetric key: whoever has it can encrypt and decrypt\n".to_owned(),
    };
    let mut content = Zeroizing::new(Vec::with_capacity(comment.len() + secret.len() + 1));
    content.extend_from_slice(comment.as_bytes());
    content.extend_from_slice(secret.as_bytes());
    content.push(b'\n');
    content
}

/// The kinds of keys that can be generated.
fn kinds() -> impl TypedValueParser<Value = KeygenKind> {
    let encrypt = Kind::ALL.into_iter().filter(|kind| kind.is_generated()).map(Kind::name);
    let sign = sign::Kind::ALL.into_iter().filter(|kind| kind.signs_files()).map(sign::Kind::name);
    let others = NKCT_ONLY_KINDS.map(exchange::Kind::name).into_iter().chain(NKCS_ONLY_KINDS.map(sign::Kind::name));
    PossibleValuesParser::new(encrypt.chain(sign).chain(others)).map(|name| {
        let encrypts = name.parse().map(KeygenKind::Encrypts);
        let kind = encrypts.or_else(|_| name.parse().map(KeygenKind::Encapsulates));
        kind.or_else(|_| name.parse().map(KeygenKind::Signs)).expect("keygen: the core knows its kinds")
    })
}

fn modes() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(["ecc", "pqc", "hybrid"]).map(|mode| match mode.as_str() {
        "ecc" => Kind::P256,
        "pqc" => Kind::MlKem768,
        _ => Kind::Hybrid,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_kind_that_is_made() {
        let help = Keygen::augment_args(clap::Command::new("keygen")).render_long_help().to_string();
        let missing: Vec<_> =
            Kind::ALL.into_iter().filter(|kind| kind.is_generated() && !help.contains(kind.name())).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
