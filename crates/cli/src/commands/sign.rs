//! `sealstone sign`

use crate::args::{Allowed, Common, Existing, Paths, Purpose, one_of};
use crate::config::{existing_signing_key, signing_key_name};
use crate::descriptor;
use crate::failure::Failure;
use crate::format::SignatureFormat;
use crate::keyring::Keyring;
use crate::place::{FileState, Place};
use crate::plan::{self, Direction};
use crate::signers;
use crate::terminal::{NotText, Terminal};
use crate::work::{self, Bytes, Task, TaskReport};
use clap::Args;
use sealstone::interop::nkcs;
use sealstone::signature::{Comment, Namespace, SignatureWriter, SigningKey};
use sealstone::{Error, Input, Output};
use std::io::{BufRead, BufReader, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// Sign files, or stdin, so that others can verify who signed them
#[derive(Args)]
#[command(after_help = "\
Each FILE gets a signature in the format of OpenSSH: FILE.sig beside it, or in the folder -o DIR/. The signature of stdin goes to stdout. With --attach, \
FILE.signed holds the content and then its signature. A file of any length is read once.

`sealstone keygen --sign` makes a key. ssh-keygen -Y verify accepts signatures without a comment, by keys of the kinds ed25519 and p256-sign, and from OpenSSH \
10.6 on hybrid44-sign. The name and the time of a file are not signed.

sign exits with 0 if every FILE was signed. It refuses an empty stdin, since the command before the pipe may have failed.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is one complete signature; with --attach, if the signature comes after as many bytes as FILE has. The key of the signature and its validity are not checked. --newer also compares modification times, and signs again if the output is older or cannot be the result. --skip-existing replaces nothing: an output that cannot be the result is an error.

Examples:
  sealstone sign film.mkv
  sealstone sign -k release.pem *.tar.gz
  sealstone sign -k release.pem --newer *.tar.gz
  sealstone sign -k release.pem --comment 'release 7' film.mkv
  sealstone hash --tag *.tar.gz > SUMS && sealstone sign -k release.pem --attach SUMS
      signs many files at once, in SUMS.signed")]
pub(crate) struct Sign {
    /// The file with the signing key: PEM, DER or an OpenSSH private key (default: ~/.config/sealstone/signing.pem); - is
    /// stdin
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: Option<PathBuf>,
    /// Write the content and its signature into one file
    #[arg(long)]
    pub(crate) attach: bool,
    /// The format to write: ssh (the default); nkcs, for nkCryptoTool, with p256-sign and ML-DSA keys
    #[arg(long, value_name = "FORMAT", default_value = "ssh", hide_default_value = true, value_parser = one_of::<SignatureFormat>(SignatureFormat::NAMES))]
    pub(crate) format: SignatureFormat,
    #[command(flatten)]
    pub(crate) purpose: Purpose,
    /// Sign a line of text, of up to 1,024 bytes, with the content; verify-sig shows it, and ssh-keygen refuses such a
    /// signature
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write to a file, to a folder that exists or ends in / (it is created), or to stdout (-). By default, each output goes
    /// beside its input, and the output of stdin to stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) existing: Existing,
    /// The files to sign; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

pub(crate) fn run(command: &Sign, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if command.format == SignatureFormat::Nkcs {
        check_options(command)?;
    }
    let namespace = Namespace::new(&command.purpose.namespace)?;
    let comment = command.comment.as_deref().map(Comment::new).transpose()?;
    let paths = Paths {
        output: command.output.clone(),
        existing: command.existing,
        inputs: command.inputs.clone(),
        ..Paths::default()
    };
    // Checked before any question for a passphrase.
    plan::refuse_missing(&paths, false, common.has_passphrase_source())?;
    let direction = Direction::Sign { attach: command.attach, format: command.format };
    let plan = work::announce(plan::plan(&paths, direction, common.force), terminal)?;
    if let ([job], false) = (&plan.jobs[..], common.force)
        && let (Some(FileState { is_regular: true, .. }), Some(path)) = (&job.initial_state, job.output.path())
        && !job.is_stale()
    {
        return Err(job.explain(Error::OutputExists(path.to_path_buf()).into()));
    }
    let mut keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(&command.inputs)?;
    let key = Key::read(command, &mut keys)?;
    keys.guard.check_stdin(&command.inputs)?;
    keys.guard.check_outputs(plan.replaced_ids())?;
    if let (Key::Ssh(key), Some(profile)) = (&key, command.allowed.profile) {
        profile.check_signer(key.kind())?;
    }
    work::run(plan, common, terminal, |job, watch, _| {
        let input = open_content(&job.input)?;
        let output = work::open_output(job, &input, &paths, common, direction, &keys.guard)?;
        output.check(&input)?;
        let key = match &key {
            Key::Ssh(key) => key,
            Key::Nkcs(writer) => {
                let writer = match watch.callback() {
                    Some(callback) => writer.clone().on_progress(callback),
                    None => writer.clone(),
                };
                let task = Task::new(input, move |input, _| {
                    let content = input.len();
                    output.write_all(&writer.detached(input)?)?;
                    Ok(TaskReport { bytes: Bytes::Signed { content }, line: None })
                });
                return Ok(task.on_one_thread());
            }
        };
        let mut writer = SignatureWriter::new(key).namespace(namespace.clone());
        if let Some(comment) = &comment {
            writer = writer.comment(comment.clone());
        }
        if let Some(callback) = watch.callback() {
            writer = writer.on_progress(callback);
        }
        let attach = command.attach;
        let task = Task::new(input, move |input, _| {
            let content = if attach {
                writer.attached(input, output).map(|signed| Some(signed.content))
            } else {
                write_detached(&writer, input, output)
            };
            Ok(TaskReport { bytes: Bytes::Signed { content: content.map_err(explain)? }, line: None })
        });
        Ok(task.on_one_thread())
    })
}

/// A signing key, by the format of its signatures.
enum Key {
    Ssh(SigningKey),
    Nkcs(nkcs::SignatureWriter),
}

impl Key {
    fn read(command: &Sign, keys: &mut Keyring<'_>) -> Result<Self, Failure> {
        let path = find_key_file(command)?;
        Ok(match command.format {
            SignatureFormat::Ssh => Self::Ssh(signers::read_signing_key(&path, keys)?),
            SignatureFormat::Nkcs => {
                let key = signers::read_nkcs_signing_key(&path, keys)?;
                Self::Nkcs(nkcs::SignatureWriter::new(&key))
            }
        })
    }
}

/// Refuses options that nkCryptoTool signatures do not support, before any question.
fn check_options(command: &Sign) -> Result<(), Failure> {
    let given = [
        ("--attach", command.attach),
        ("--namespace", !command.purpose.is_default()),
        ("--comment", command.comment.is_some()),
        ("--profile", command.allowed.profile.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("nkCryptoTool signatures have no {option}"))),
        None => Ok(()),
    }
}

/// Opens the content to sign. Refuses an empty stdin, since the command before the pipe may have failed.
fn open_content(place: &Place) -> Result<Input<'static>, Failure> {
    let input = place.open()?;
    if !matches!(place, Place::Standard) || input.len().is_some() || std::io::stdin().is_terminal() {
        return Ok(input);
    }
    let stdin = descriptor::duplicate_to_read(descriptor::STDIN);
    let stdin = stdin.map_err(|error| Failure::io("open", Some(Path::new("stdin")), error))?;
    let mut stdin = BufReader::new(stdin);
    let has_some = loop {
        match stdin.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::io("read", Some(Path::new("stdin")), error)),
            Ok(bytes) => break !bytes.is_empty(),
        }
    };
    if has_some {
        return Ok(Input::reader(stdin));
    }
    Err(Failure::usage_with_hint(
        "there is nothing on stdin to sign",
        "the command before the pipe may have failed; to sign an empty file, give its name",
    ))
}

/// Writes a detached signature; returns the length of the content, if known in advance.
fn write_detached(writer: &SignatureWriter, input: Input<'_>, output: Output<'_>) -> Result<Option<u64>, Error> {
    let content = input.len();
    output.write_all(writer.detached(input)?.as_bytes())?;
    Ok(content)
}

/// The named key file; without one, the default.
fn find_key_file(command: &Sign) -> Result<PathBuf, Failure> {
    let none = || {
        let hint =
            format!("`sealstone keygen --sign` makes one; name it with -k, or keep it at {}", signing_key_name());
        Failure::usage_with_hint("there is no key to sign with", hint)
    };
    command.key.clone().or_else(existing_signing_key).ok_or_else(none)
}

fn explain(error: Error) -> Failure {
    if NotText::is_cause_of(&error) { NotText::failure() } else { error.into() }
}
