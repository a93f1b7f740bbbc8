//! `sealstone sm2`

use crate::args::{Common, SignatureForm, Sm2, Sm2Action, Sm2Decrypt, Sm2Encrypt, Sm2Sign, Sm2Verify};
use crate::config::{existing_identity, identity_name};
use crate::digits;
use crate::failure::Failure;
use crate::foreign::is_base64;
use crate::keyring::Keyring;
use crate::place::{Place, is_stdin, refuse_printing_into};
use crate::terminal::Terminal;
use crate::whole::{check, read, write};
use sealstone::encoding::encode_hex;
use sealstone::hash::Digest;
use sealstone::sm2::{Form, PrivateKey, PublicKey, Signature};
use sealstone::{Error, FileHasher, FileMode, Identity, KeyFault, Recipient, escape_name};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The longest plaintext.
const PLAINTEXT_MAX_LEN: usize = 16 << 20;
/// The longest ciphertext as digits, with room for the ends of their lines.
const CIPHERTEXT_MAX_LEN: usize = 40 << 20;
/// Longer than any signature as digits.
const SIGNATURE_MAX_LEN: usize = 4096;

pub(crate) fn run(command: &Sm2, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        Sm2Action::Sign(command) => sign(command, common, terminal),
        Sm2Action::Verify(command) => verify(command, common, terminal),
        Sm2Action::Encrypt(command) => encrypt(command, common, terminal),
        Sm2Action::Decrypt(command) => decrypt(command, common, terminal),
    }
}

fn sign(command: &Sm2Sign, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    let identity = identity(command.identity.as_deref(), &mut keys, common, terminal)?;
    let (key, place) = (private(&identity), input(command.input.as_deref(), &mut keys)?);
    // Before a large file is read.
    check(command.output.as_ref(), common, &keys).map_err(other_output)?;
    let digest = digest(&key.public_key(), &command.id, &place, terminal)?;
    let signature = key.sign_digest(digest.as_bytes())?;
    let bytes = match command.form {
        SignatureForm::Der => signature.to_der(),
        SignatureForm::Raw => signature.to_bytes().to_vec(),
    };
    write_public(bytes, command.hex, command.output.as_ref(), common, &keys)?;
    terminal.event(|| json!({
        "event": "done", "input": place.path().map(escape_name), "output": command.output.as_deref().map(escape_name),
    }));
    Ok(())
}

fn verify(command: &Sm2Verify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    let recipient = recipient(&command.recipient, &mut keys)?;
    let signature_place = Place::new(&command.signature);
    if is_stdin(&command.signature) {
        if keys.used_stdin {
            return Err(Failure::usage("stdin can be read only once"));
        }
        keys.used_stdin = true;
    }
    let place = input(command.input.as_deref(), &mut keys)?;
    refuse_printing_into(std::slice::from_ref(&signature_place))?;
    keys.check_stdout()?;
    let signature = signature(&signature_place)?;
    let key = public(&recipient);
    let digest = digest(key, &command.id, &place, terminal).map_err(|failure| match failure.error() {
        Some(Error::InvalidKey(reserved)) => {
            let failure = Failure::from(Error::InvalidSignature(reserved)).on(place.path());
            failure.with_hint("`sealstone verify-sig` verifies the signature of a file")
        }
        _ => failure,
    })?;
    key.verify_digest(digest.as_bytes(), &signature).map_err(|error| {
        let failure = Failure::from(error).on(place.path());
        failure.with_hint("the key or the --id differs, or the file or its signature was changed")
    })?;
    let name = place.name();
    if common.json || !common.quiet {
        let line = if common.json {
            json!({ "input": name, "valid": true }).to_string()
        } else {
            format!("{name}: the signature is valid")
        };
        let written = writeln!(io::stdout().lock(), "{line}");
        written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
    }
    Ok(())
}

fn encrypt(command: &Sm2Encrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let form = command.form.form;
    if command.without_04 && form == Form::Der {
        return Err(Failure::usage("--without-04 does not apply to DER"));
    }
    let mut keys = Keyring::new(common);
    let recipient = recipient(&command.recipient, &mut keys)?;
    let place = input(command.input.as_deref(), &mut keys)?;
    check(command.output.as_ref(), common, &keys).map_err(other_output)?;
    let plaintext = read(&place, PLAINTEXT_MAX_LEN)?.ok_or_else(|| {
        let message = format!("{} is longer than 16 MiB, and SM2 alone is for small data", place.name());
        Failure::usage_with_hint(message, "use `sealstone encrypt` for files; it takes the same keys")
    })?;
    let encrypted = public(&recipient).encrypt(form, &plaintext).map_err(Failure::from);
    let mut ciphertext = encrypted.map_err(|failure| failure.on(place.path()))?;
    if command.without_04 {
        ciphertext.remove(0);
    }
    let len = ciphertext.len();
    write_public(ciphertext, command.hex, command.output.as_ref(), common, &keys)?;
    done(&place, command.output.as_deref(), plaintext.len(), len, terminal);
    Ok(())
}

fn decrypt(command: &Sm2Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common);
    let identity = identity(command.identity.as_deref(), &mut keys, common, terminal)?;
    let place = input(command.input.as_deref(), &mut keys)?;
    check(command.output.as_ref(), common, &keys).map_err(other_output)?;
    let bytes = read(&place, CIPHERTEXT_MAX_LEN)?.ok_or_else(|| {
        let message = format!("{} is longer than any output of `sealstone sm2 encrypt`", place.name());
        Failure::usage_with_hint(message, "use `sealstone decrypt` for files of `sealstone encrypt`")
    })?;
    let digits = digits(&bytes);
    let ciphertext = digits.as_ref().unwrap_or(&bytes);
    let plaintext = private(&identity).decrypt(command.form.form, ciphertext).map_err(|error| {
        let hint = match &error {
            Error::NotAuthentic { .. } => "the key or the --form differs, or the ciphertext was changed",
            _ if sealstone::inspect(sealstone::Input::reader(&bytes[..])).is_ok() => "`sealstone decrypt` opens this",
            _ if is_base64(&bytes) => "if this is base64, decode it first: base64 -d FILE | sealstone sm2 decrypt",
            _ if looks_like_der(ciphertext) && command.form.form != Form::Der => "if this is DER, add --form der",
            _ => "it is damaged, the --form differs, or it is not an SM2 ciphertext",
        };
        Failure::from(error).on(place.path()).with_hint(hint)
    })?;
    write(command.output.as_ref(), &plaintext, FileMode::Private, common, &keys).map_err(other_output)?;
    done(&place, command.output.as_deref(), plaintext.len(), ciphertext.len(), terminal);
    Ok(())
}

fn done(place: &Place, output: Option<&Path>, plaintext: usize, ciphertext: usize, terminal: &Terminal) {
    terminal.event(|| {
        json!({
            "event": "done", "input": place.path().map(escape_name), "output": output.map(escape_name),
            "plaintext_bytes": plaintext, "ciphertext_bytes": ciphertext,
        })
    });
}

/// The one sm2 key of a file, or of the default one.
fn identity(
    path: Option<&Path>,
    keys: &mut Keyring,
    common: &Common,
    terminal: &Terminal,
) -> Result<Identity, Failure> {
    let path = path.map(Path::to_path_buf).or_else(existing_identity).ok_or_else(|| {
        let hint = format!("name an identity file with -i, or keep one at {}", identity_name());
        Failure::usage_with_hint("there is no key", hint)
    })?;
    let mut found = keys.identities(&path, common, terminal)?;
    found.retain(|identity| identity.as_sm2().is_some());
    let fault = match (found.pop(), found.is_empty()) {
        (Some(identity), true) => return Ok(identity),
        (Some(_), false) => "it holds several sm2 keys, and one is needed",
        (None, _) => "it holds no sm2 key",
    };
    let failure = Failure::In { file: escape_name(&path), error: Error::InvalidIdentity(KeyFault::Other(fault)) };
    Err(failure
        .with_hint("`sealstone key inspect FILE` shows what it holds; `sealstone keygen --kind sm2 -o FILE` makes one"))
}

/// The one sm2 key that `-r` names.
fn recipient(text: &str, keys: &mut Keyring) -> Result<Recipient, Failure> {
    let mut found = keys.named_recipients(&[text.to_owned()], &[])?;
    found.retain(|recipient| recipient.as_sm2().is_some());
    let fault = match (found.pop(), found.is_empty()) {
        (Some(recipient), true) => return Ok(recipient),
        (Some(_), false) => "there are several sm2 keys in the file, and one is needed",
        (None, _) => "this is not an sm2 key",
    };
    let hint =
        "an SM2 public key is 130 hexadecimal digits, PEM or DER; `sealstone key inspect FILE` shows what a file holds";
    Err(Failure::from(Error::InvalidRecipient(KeyFault::Other(fault))).with_hint(hint))
}

fn private(identity: &Identity) -> &PrivateKey {
    identity.as_sm2().expect("sm2: others were sorted out")
}

fn public(recipient: &Recipient) -> &PublicKey {
    recipient.as_sm2().expect("sm2: others were sorted out")
}

/// What a command reads, and no output replaces.
fn input(path: Option<&Path>, keys: &mut Keyring) -> Result<Place, Failure> {
    let path = path.unwrap_or(Path::new("-"));
    keys.check_stdin(&[path.to_path_buf()])?;
    if path.is_dir() {
        return Err(Failure::usage(format!("{} is a folder", escape_name(path))));
    }
    let place = Place::new(path);
    keys.protect_input(&place)?;
    Ok(place)
}

/// The digest that the user `id` signs for all of a place.
fn digest(key: &PublicKey, id: &str, place: &Place, terminal: &Terminal) -> Result<Digest, Failure> {
    let hasher = FileHasher::new(key.hasher(id.as_bytes())?).to_be_signed();
    let input = place.open()?;
    let watch = terminal.watch(&place.name());
    let hasher = match watch.callback() {
        Some(callback) => hasher.on_progress(callback),
        None => hasher,
    };
    let digest = hasher.run(input);
    watch.finish();
    digest.map_err(|error| Failure::from(error).on(place.path()))
}

/// A signature in any of its forms.
fn signature(place: &Place) -> Result<Signature, Failure> {
    let bytes = read(place, SIGNATURE_MAX_LEN)?.unwrap_or_default();
    let digits = digits(&bytes);
    let bytes = digits.as_ref().unwrap_or(&bytes);
    // DER of 64 bytes is possible, and r || s that is DER as well is not to be met with.
    let found = Signature::from_der(bytes);
    let found = if bytes.len() == sealstone::sm2::SIGNATURE_LEN {
        found.or_else(|_| Signature::from_bytes(bytes))
    } else {
        found
    };
    let name = place.path().map_or_else(|| "stdin".to_owned(), escape_name);
    found.map_err(|error| {
        let hint = "an SM2 signature is DER or 64 bytes (r and s), or hexadecimal digits of either";
        Failure::In { file: name, error }.with_hint(hint)
    })
}

/// The bytes that hexadecimal digits stand for, with any white space between them; `None` of anything else.
fn digits(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits::decode(&digits).filter(|bytes| !bytes.is_empty())
}

/// Whether it begins as a SEQUENCE of this length does.
fn looks_like_der(bytes: &[u8]) -> bool {
    match bytes {
        [0x30, len @ ..=0x7f, rest @ ..] => rest.len() == usize::from(*len),
        [0x30, count @ 0x81..=0x84, rest @ ..] => {
            rest.split_at_checked(usize::from(count & 15)).is_some_and(|(len, content)| {
                len.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)) == content.len()
            })
        }
        _ => false,
    }
}

/// Writes what is no secret, as digits if they are asked for, or if a terminal would get the bytes.
fn write_public(
    bytes: Vec<u8>,
    hex: bool,
    output: Option<&PathBuf>,
    common: &Common,
    keys: &Keyring,
) -> Result<(), Failure> {
    let is_shown = output.is_none() && io::stdout().is_terminal();
    let bytes = if hex || is_shown { (encode_hex(&bytes) + "\n").into_bytes() } else { bytes };
    write(output, &bytes, FileMode::Shared, common, keys).map_err(other_output)
}

fn other_output(failure: Failure) -> Failure {
    match failure {
        Failure::Core(Error::SameFile(_)) => failure.with_hint("name another file with -o"),
        _ => failure,
    }
}
