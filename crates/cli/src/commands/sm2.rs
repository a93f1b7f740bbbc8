//! `sealstone sm2`

use crate::args::{Common, one_of};
use crate::config::{existing_identity, identity_name};
use crate::digits;
use crate::failure::Failure;
use crate::foreign::is_base64;
use crate::guard::Guard;
use crate::keyring::Keyring;
use crate::place::{Place, refuse_printing_into};
use crate::terminal::Terminal;
use crate::whole::{check, read, write};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use sealstone::encoding::encode_hex;
use sealstone::hash::Digest;
use sealstone::sm2::{Form, PrivateKey, PublicKey, Signature};
use sealstone::{Error, FileHasher, FileMode, Identity, KeyFault, Recipient, escape_name};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// SM2 for other systems: signatures, and encryption of small data
#[derive(Args)]
pub(crate) struct Sm2 {
    #[command(subcommand)]
    pub(crate) action: Sm2Action,
}

#[derive(Subcommand)]
pub(crate) enum Sm2Action {
    Sign(Sm2Sign),
    Verify(Sm2Verify),
    Encrypt(Sm2Encrypt),
    Decrypt(Sm2Decrypt),
}

/// Sign a file, or stdin, with SM2 and SM3 (GB/T 32918.2)
#[derive(Args)]
#[command(after_help = "\
The signature is DER, as in OpenSSL, GmSSL and certificates; on a terminal it is printed as hexadecimal digits. \
--form raw --hex is what sm-crypto uses (before 0.4.0 with its option hash: true), and --id is its userId.

OpenSSL signs for the empty user id unless you give another: openssl dgst -sm3 -sign key.pem -sigopt distid:1234567812345678

Examples:
  sealstone sm2 sign -i key.pem -o contract.sig contract.pdf
  sealstone sm2 sign -i key.pem --id alice@example.com --form raw --hex contract.pdf")]
pub(crate) struct Sm2Sign {
    /// A file with one sm2 key (PEM, DER, digits; default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    /// The user id of the signer
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_ID)]
    pub(crate) id: String,
    /// der, or raw: r and s, 32 bytes each
    #[arg(long, value_name = "FORM", default_value = "der", value_parser = PossibleValuesParser::new(["der", "raw"]).map(|name| if name == "raw" { SignatureForm::Raw } else { SignatureForm::Der }))]
    pub(crate) form: SignatureForm,
    /// Write hexadecimal digits instead of bytes
    #[arg(long)]
    pub(crate) hex: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to sign; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// The encoding of a signature's r and s.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureForm {
    Der,
    Raw,
}

/// Verify a signature of a file, or of stdin
#[derive(Args)]
#[command(after_help = "\
verify exits with 0 if this key and user id signed these bytes, and otherwise with 4.

Examples:
  sealstone sm2 verify -r @alice --signature contract.sig contract.pdf
  sealstone sm2 verify -r alice.pem --id alice@example.com --signature contract.sig < contract.pdf")]
pub(crate) struct Sm2Verify {
    /// The public key: 130 hexadecimal digits, a name (@alice), or a file with one key
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    /// A file with the signature: DER or r and s, as bytes or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: PathBuf,
    /// The user id of the signer
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_ID)]
    pub(crate) id: String,
    /// The signed file; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// Encrypt small data, 1 byte to 16 MiB, with SM2 alone (GB/T 32918.4)
#[derive(Args)]
#[command(after_help = "\
This is for protocols that use such ciphertexts. They do not prove who made them. Use `sealstone encrypt` for files; it \
takes the same keys.

c1c3c2 is the order of the standard, c1c2c3 the order of 2010, and der the form of OpenSSL and GmSSL. For sm-crypto use \
--hex --without-04. On a terminal the output is hexadecimal digits.

Examples:
  sealstone sm2 encrypt -r bob.pem --form der -o pin.sm2 pin
  printf 123456 | sealstone sm2 encrypt -r @bob --hex --without-04")]
pub(crate) struct Sm2Encrypt {
    /// The public key: 130 hexadecimal digits, a name (@bob), or a file with one key
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    #[command(flatten)]
    pub(crate) form: CiphertextForm,
    /// Write hexadecimal digits instead of bytes
    #[arg(long)]
    pub(crate) hex: bool,
    /// Leave out the byte 04 that a point begins with
    #[arg(long)]
    pub(crate) without_04: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to encrypt; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// The encoding of a ciphertext.
#[derive(Args)]
pub(crate) struct CiphertextForm {
    /// c1c3c2, c1c2c3 or der
    #[arg(long, value_name = "FORM", default_value = "c1c3c2", value_parser = one_of::<Form>(&["c1c3c2", "c1c2c3", "der"]))]
    pub(crate) form: Form,
}

/// Decrypt small data that was encrypted with SM2 alone
#[derive(Args)]
#[command(after_help = "\
Bytes and hexadecimal digits are both recognised, with or without the 04 before the point. A ciphertext that decrypts does \
not prove who made it.

Examples:
  sealstone sm2 decrypt -i key.pem --form der pin.sm2
  printf $ciphertext | sealstone sm2 decrypt -i key.pem")]
pub(crate) struct Sm2Decrypt {
    /// A file with one sm2 key (PEM, DER, digits; default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: CiphertextForm,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The ciphertext; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// The maximum length of a plaintext.
const PLAINTEXT_MAX_LEN: usize = 16 << 20;
/// Above the length of any ciphertext as digits with line ends.
const CIPHERTEXT_MAX_LEN: usize = 40 << 20;
/// Above the length of any signature as digits.
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
    let mut keys = Keyring::new(common, terminal);
    let identity = read_identity(command.identity.as_deref(), &mut keys)?;
    let (key, place) = (private_key(&identity), open_input(command.input.as_deref(), &mut keys.guard)?);
    // Checked before a large file is read.
    check(command.output.as_ref(), common, &keys.guard).map_err(explain_same_file)?;
    let digest = compute_digest(&key.public_key(), &command.id, &place, terminal)?;
    let signature = key.sign_digest(digest.as_bytes())?;
    let bytes = match command.form {
        SignatureForm::Der => signature.to_der(),
        SignatureForm::Raw => signature.to_bytes().to_vec(),
    };
    write_public(bytes, command.hex, command.output.as_ref(), common, &keys.guard)?;
    terminal.print_event(|| json!({
        "event": "done", "input": place.path().map(escape_name), "output": command.output.as_deref().map(escape_name),
    }));
    Ok(())
}

fn verify(command: &Sm2Verify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    let recipient = read_recipient(&command.recipient, &mut keys)?;
    let signature_place = Place::new(&command.signature);
    keys.guard.claim_stdin(&command.signature)?;
    let place = open_input(command.input.as_deref(), &mut keys.guard)?;
    refuse_printing_into(std::slice::from_ref(&signature_place))?;
    keys.guard.check_stdout()?;
    let signature = read_signature(&signature_place)?;
    let key = public_key(&recipient);
    let digest = compute_digest(key, &command.id, &place, terminal).map_err(|failure| match failure.error() {
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
    let mut keys = Keyring::new(common, terminal);
    let recipient = read_recipient(&command.recipient, &mut keys)?;
    let place = open_input(command.input.as_deref(), &mut keys.guard)?;
    check(command.output.as_ref(), common, &keys.guard).map_err(explain_same_file)?;
    let plaintext = read(&place, PLAINTEXT_MAX_LEN)?.ok_or_else(|| {
        let message = format!("{} is longer than 16 MiB, and SM2 alone is for small data", place.name());
        Failure::usage_with_hint(message, "use `sealstone encrypt` for files; it takes the same keys")
    })?;
    let encrypted = public_key(&recipient).encrypt(form, &plaintext).map_err(Failure::from);
    let mut ciphertext = encrypted.map_err(|failure| failure.on(place.path()))?;
    if command.without_04 {
        ciphertext.remove(0);
    }
    let len = ciphertext.len();
    write_public(ciphertext, command.hex, command.output.as_ref(), common, &keys.guard)?;
    report_done(&place, command.output.as_deref(), plaintext.len(), len, terminal);
    Ok(())
}

fn decrypt(command: &Sm2Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keyring::new(common, terminal);
    let identity = read_identity(command.identity.as_deref(), &mut keys)?;
    let place = open_input(command.input.as_deref(), &mut keys.guard)?;
    check(command.output.as_ref(), common, &keys.guard).map_err(explain_same_file)?;
    let bytes = read(&place, CIPHERTEXT_MAX_LEN)?.ok_or_else(|| {
        let message = format!("{} is longer than any output of `sealstone sm2 encrypt`", place.name());
        Failure::usage_with_hint(message, "use `sealstone decrypt` for files of `sealstone encrypt`")
    })?;
    let digits = decode_digits(&bytes);
    let ciphertext = digits.as_ref().unwrap_or(&bytes);
    let plaintext = private_key(&identity).decrypt(command.form.form, ciphertext).map_err(|error| {
        let hint = match &error {
            Error::NotAuthentic { .. } => "the key or the --form differs, or the ciphertext was changed",
            _ if sealstone::inspect(sealstone::Input::reader(&bytes[..])).is_ok() => "`sealstone decrypt` opens this",
            _ if is_base64(&bytes) => "if this is base64, decode it first: base64 -d FILE | sealstone sm2 decrypt",
            _ if looks_like_der(ciphertext) && command.form.form != Form::Der => "if this is DER, add --form der",
            _ => "it is damaged, the --form differs, or it is not an SM2 ciphertext",
        };
        Failure::from(error).on(place.path()).with_hint(hint)
    })?;
    write(command.output.as_ref(), &plaintext, FileMode::Private, common, &keys.guard).map_err(explain_same_file)?;
    report_done(&place, command.output.as_deref(), plaintext.len(), ciphertext.len(), terminal);
    Ok(())
}

fn report_done(place: &Place, output: Option<&Path>, plaintext: usize, ciphertext: usize, terminal: &Terminal) {
    terminal.print_event(|| {
        json!({
            "event": "done", "input": place.path().map(escape_name), "output": output.map(escape_name),
            "plaintext_bytes": plaintext, "ciphertext_bytes": ciphertext,
        })
    });
}

/// The sm2 key in a file, or in the default identity file. There must be exactly one.
fn read_identity(path: Option<&Path>, keys: &mut Keyring<'_>) -> Result<Identity, Failure> {
    let path = path.map(Path::to_path_buf).or_else(existing_identity).ok_or_else(|| {
        let hint = format!("name an identity file with -i, or keep one at {}", identity_name());
        Failure::usage_with_hint("there is no key", hint)
    })?;
    let mut found = keys.read_identities(&path)?;
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

/// The sm2 key that `-r` names. There must be exactly one.
fn read_recipient(text: &str, keys: &mut Keyring<'_>) -> Result<Recipient, Failure> {
    let mut found = keys.find_recipients(&[text.to_owned()], &[])?;
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

fn private_key(identity: &Identity) -> &PrivateKey {
    identity.as_sm2().expect("sm2: others were sorted out")
}

fn public_key(recipient: &Recipient) -> &PublicKey {
    recipient.as_sm2().expect("sm2: others were sorted out")
}

/// The input of a command, protected from being replaced.
fn open_input(path: Option<&Path>, guard: &mut Guard) -> Result<Place, Failure> {
    let path = path.unwrap_or(Path::new("-"));
    guard.check_stdin(&[path.to_path_buf()])?;
    if path.is_dir() {
        return Err(Failure::usage(format!("{} is a folder", escape_name(path))));
    }
    let place = Place::new(path);
    guard.protect_input(&place)?;
    Ok(place)
}

/// The digest of a place's content that the user `id` signs.
fn compute_digest(key: &PublicKey, id: &str, place: &Place, terminal: &Terminal) -> Result<Digest, Failure> {
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

/// Reads a signature in any of its forms.
fn read_signature(place: &Place) -> Result<Signature, Failure> {
    let bytes = read(place, SIGNATURE_MAX_LEN)?.unwrap_or_default();
    let digits = decode_digits(&bytes);
    let bytes = digits.as_ref().unwrap_or(&bytes);
    // A DER signature may have 64 bytes. That r and s happen to be valid DER is too improbable to matter.
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

/// Decodes hexadecimal digits with any white space between them; `None` for other text.
fn decode_digits(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits::decode(&digits).filter(|bytes| !bytes.is_empty())
}

/// Whether this is one DER SEQUENCE by its head and its length.
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

/// Writes public data: as digits if `hex` is set or if it would go to a terminal.
fn write_public(
    bytes: Vec<u8>,
    hex: bool,
    output: Option<&PathBuf>,
    common: &Common,
    guard: &Guard,
) -> Result<(), Failure> {
    let is_shown = output.is_none() && io::stdout().is_terminal();
    let bytes = if hex || is_shown { (encode_hex(&bytes) + "\n").into_bytes() } else { bytes };
    write(output, &bytes, FileMode::Shared, common, guard).map_err(explain_same_file)
}

fn explain_same_file(failure: Failure) -> Failure {
    match failure {
        Failure::Core(Error::SameFile(_)) => failure.with_hint("name another file with -o"),
        _ => failure,
    }
}

/// Core's default id, as text.
const DEFAULT_ID: &str = match std::str::from_utf8(sealstone::sm2::DEFAULT_ID) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};
