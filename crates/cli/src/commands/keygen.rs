//! `sealstone keygen`

use crate::application_key::ApplicationKey;
use crate::args::{Common, Keygen, KeygenKind, ToForm};
use crate::config::{default_identity, default_signing_key, make_folder_of};
use crate::descriptor;
use crate::failure::{Failure, plain_name};
use crate::fingerprint;
use crate::folder::Folder;
use crate::identity_file::{into_bytes, refuse_device, sealed, to_descriptor};
use crate::keyring::Keyring;
use crate::passphrase;
use crate::terminal::Terminal;
use sealstone::{
    Error, FileMode, Identity, Input, KeyForm, Kind, Output, Profile, ProfileRule, Suite, escape_name, exchange, sign,
};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use zeroize::Zeroizing;

pub(crate) fn run(command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match kind(command)? {
        KeygenKind::Encrypts(kind) => identity(kind, command, common, terminal),
        KeygenKind::Encapsulates(kind) => {
            application_key(&exchange::PrivateKey::generate(kind)?.into(), command, common, terminal)
        }
        KeygenKind::Signs(kind) if !kind.signs_files() => {
            application_key(&sign::PrivateKey::generate(kind)?.into(), command, common, terminal)
        }
        KeygenKind::Signs(kind) => signing_key(kind, command, common, terminal),
    }
}

/// The kind that is asked for. One that signs needs no `--sign`, and with it no other is one.
fn kind(command: &Keygen) -> Result<KeygenKind, Failure> {
    let is_gm = command.allowed.profile == Some(Profile::Gm);
    let kind = command.mode.map(KeygenKind::Encrypts).or(command.kind);
    let kind = kind.unwrap_or(match (command.sign, is_gm) {
        (true, true) => KeygenKind::Signs(sign::Kind::Sm2Sign),
        (true, false) => KeygenKind::Signs(sign::Kind::HybridSign),
        (false, true) => KeygenKind::Encrypts(Kind::Sm2),
        (false, false) => KeygenKind::Encrypts(Kind::default()),
    });
    match kind {
        KeygenKind::Encrypts(kind) if command.sign => Err(signs_nothing(
            kind.name(),
            match kind {
                Kind::P256 => "the signing kind is p256-sign",
                Kind::Sm2 => "the signing kind is sm2-sign",
                Kind::Hybrid => "the signing kind is hybrid-sign, which is also the default with --sign",
                _ => LEAVE_OUT,
            },
        )),
        KeygenKind::Encapsulates(kind) if command.sign => Err(signs_nothing(kind.name(), LEAVE_OUT)),
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

fn signs_nothing(kind: &str, hint: &str) -> Failure {
    Failure::usage_with_hint(format!("keys of kind {kind} are for encryption and cannot sign"), hint)
}

/// Where a key goes, for which no passphrase was asked for yet.
struct Target<'a> {
    /// The file, if it is one.
    path: Option<&'a Path>,
    /// Whether nobody has named it.
    by_itself: bool,
    output: Option<Output<'static>>,
    number: Option<u16>,
}

impl<'a> Target<'a> {
    /// Refuses what can be refused. A file that is there already has a hint: the first if nobody has named it, else the second.
    fn of(
        command: &'a Keygen,
        by_itself_to: impl FnOnce() -> Result<&'a Path, Failure>,
        default: Option<&Path>,
        hints: [&str; 2],
        common: &Common,
    ) -> Result<Self, Failure> {
        // A secret key is not shown on a terminal unasked: it goes where the others look for it.
        let by_itself = command.output.is_none() && std::io::stdout().is_terminal();
        let to_file = if by_itself { Some(by_itself_to()?) } else { command.output.as_deref() };
        let number = descriptor::of_output(to_file);
        let to_file = to_file.filter(|_| number.is_none());
        to_file.map_or(Ok(()), refuse_device)?;
        if let Some(path) = to_file.filter(|path| Some(*path) == default) {
            // The place where it is looked for need not be there on a new machine.
            make_folder_of(path)?;
        }
        // A regular file: a FIFO may have been put there by somebody who reads it.
        let output = to_file.map(|path| {
            let folder = Folder::of_file(path).parent(path).map_err(|failure| match path.parent() {
                Some(folder) if folder.symlink_metadata().is_err() => failure
                    .with_hint(format!("make its folder first: mkdir -p {}", plain_name(folder).unwrap_or("FOLDER"))),
                _ => failure,
            })?;
            Ok::<_, Failure>(Output::file_in(&folder, path)?)
        });
        let output = output.transpose()?;
        let keys = Keyring::new(common);
        let output = output.map(|file| {
            keys.guard(file.mode(FileMode::Private).sync(!common.no_sync).replace(common.force && !by_itself))
        });
        number.map_or(Ok(()), |number| keys.check_descriptor(number))?;
        if let Some(output) = &output {
            // Before the user is asked for a passphrase.
            output.check(&Input::reader(std::io::empty())).map_err(|error| match error {
                Error::OutputExists(_) => Failure::from(error).with_hint(hints[usize::from(!by_itself)]),
                error => error.into(),
            })?;
        }
        Ok(Self { path: to_file, by_itself, output, number })
    }

    fn write(
        output: Option<Output<'static>>,
        number: Option<u16>,
        content: &[u8],
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        match output {
            Some(output) => Ok(output.write_all(content)?),
            None => to_descriptor(number.unwrap_or(descriptor::STDOUT), content, terminal),
        }
    }
}

fn identity(kind: Kind, command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let default = default_identity();
    let hints = [
        "`sealstone recipients` prints its recipient; -o FILE makes another key beside it",
        "choose another name with -o: files encrypted to the key in this file open with no other key",
    ];
    let place = || by_itself_to(kind, default.as_deref());
    let Target { path: to_file, by_itself, output, number } =
        Target::of(command, place, default.as_deref(), hints, common)?;
    let identity = Identity::generate(kind)?;
    let recipient = (kind != Kind::Key).then(|| identity.recipient().to_string());
    let seal = command.passphrase || common.has_passphrase_source();
    let passphrase = if seal { Some(passphrase::ask_new(common, "the identity file")?) } else { None };
    let content = if kind.has_form(KeyForm::Age) {
        let is_gm = command.allowed.profile == Some(Profile::Gm);
        let suite = if is_gm { Suite::Sm4Gcm } else { Suite::default() };
        sealed(lines(&identity, recipient.as_deref()), passphrase, suite)?
    } else {
        // What others read as well has the encryption that they know.
        into_bytes(identity.to_pem(passphrase.as_ref())?)
    };
    Target::write(output, number, &content, terminal)?;
    let fingerprint = identity.recipient().fingerprint();
    if common.json {
        let event = json!({
            "event": "done", "kind": kind.name(), "recipient": recipient, "fingerprint": fingerprint,
            "output": to_file.map(escape_name), "sealed": seal,
        });
        terminal.event(|| event);
        return Ok(());
    }
    let Some(fingerprint) = fingerprint else {
        if let Some(path) = to_file {
            terminal.note(&format!("encrypt and decrypt with --key-file {}", escape_name(path)));
        }
        return Ok(());
    };
    say(&ENCRYPTS, kind.name(), &fingerprint, to_file, by_itself, default.as_deref(), terminal);
    Ok(())
}

fn signing_key(kind: sign::Kind, command: &Keygen, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let default = default_signing_key();
    let hints = [
        "`sealstone key public` prints its public key; -o FILE makes another key beside it",
        "choose another name with -o: replacing this file would destroy the signing key in it",
    ];
    let place = || default.as_deref().ok_or_else(|| no_default("HOME is not set, so the key has no default file"));
    let Target { path: to_file, by_itself, output, number } =
        Target::of(command, place, default.as_deref(), hints, common)?;
    let key = sign::PrivateKey::generate(kind)?;
    let seal = command.passphrase || common.has_passphrase_source();
    let passphrase = if seal { Some(passphrase::ask_new(common, "the key")?) } else { None };
    let public = key.public_key();
    Target::write(output, number, &into_bytes(key.to_pem(passphrase.as_ref())?), terminal)?;
    let (line, fingerprint) = (public.to_ssh("")?, public.fingerprint());
    if common.json {
        terminal.event(|| {
            json!({
                "event": "done", "kind": kind.name(), "public_key": line, "fingerprint": fingerprint,
                "ssh_fingerprint": public.ssh_fingerprint().ok(), "output": to_file.map(escape_name), "sealed": seal,
            })
        });
        return Ok(());
    }
    say(&SIGNS, kind.name(), &fingerprint, to_file, by_itself, default.as_deref(), terminal);
    Ok(())
}

/// A key that no file of ours takes, so that it has no default place.
fn application_key(
    key: &ApplicationKey,
    command: &Keygen,
    common: &Common,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let place = || Err(no_default(&format!("a key of kind {} has no default file", key.kind())));
    let replaced = "choose another name with -o: replacing this file would destroy the key in it";
    let Target { path: to_file, output, number, .. } = Target::of(command, place, None, [replaced; 2], common)?;
    let seal = command.passphrase || common.has_passphrase_source();
    let passphrase = if seal { Some(passphrase::ask_new(common, "the key")?) } else { None };
    let pem = ToForm::Key(KeyForm::Pem);
    Target::write(output, number, &key.private(pem, passphrase.as_ref())?, terminal)?;
    let (half, next) = if key.signs() { ("public_key", &SIGNS) } else { ("recipient", &ENCRYPTS) };
    if common.json {
        terminal.event(|| {
            json!({
                "event": "done", "kind": key.kind(), half: key.public_pem(), "fingerprint": key.fingerprint(),
                "output": to_file.map(escape_name), "sealed": seal,
            })
        });
        return Ok(());
    }
    say(next, key.kind(), &key.fingerprint(), to_file, false, None, terminal);
    terminal.note(key.takers());
    Ok(())
}

/// How whoever made a key goes on.
struct Next {
    /// The command that prints the public key.
    publish: &'static str,
    /// The file that this goes to, and who needs it.
    public: &'static str,
    reader: &'static str,
    /// The command and option that take the key itself.
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

/// Says what was made and how to go on. A public key may have thousands of characters: a command prints it, into a file.
fn say(
    next: &Next,
    kind: &str,
    fingerprint: &str,
    path: Option<&Path>,
    by_itself: bool,
    default: Option<&Path>,
    terminal: &Terminal,
) {
    if let Some(path) = path.filter(|_| by_itself) {
        let path = escape_name(path);
        terminal.note(&format!("wrote {path}, the secret key of kind {kind}: keep a copy in a safe place"));
    }
    terminal.note(&format!("fingerprint: {}", fingerprint::shown(fingerprint)));
    let Next { publish, public, reader, take } = next;
    // That file is found by itself.
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

/// Where a key goes when nobody has said.
fn by_itself_to(kind: Kind, default: Option<&Path>) -> Result<&Path, Failure> {
    if kind == Kind::Key {
        return Err(no_default("a symmetric key has no default file"));
    }
    default.ok_or_else(|| no_default("HOME is not set, so the key has no default file"))
}

fn no_default(why: &str) -> Failure {
    Failure::usage_with_hint(
        format!("{why}, and is not written to a terminal"),
        "name a file with -o FILE, or print the key with -o -",
    )
}

/// A file of one string, which says what it is.
fn lines(identity: &Identity, recipient: Option<&str>) -> Zeroizing<Vec<u8>> {
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
