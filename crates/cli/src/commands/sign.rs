//! `sealstone sign`

use crate::args::{Common, Paths, Sign};
use crate::config::{existing_signing_key, signing_key_name};
use crate::descriptor;
use crate::failure::Failure;
use crate::format::SignatureFormat;
use crate::keyring::Keyring;
use crate::place::{Place, Standing};
use crate::plan::{self, Direction};
use crate::signers;
use crate::terminal::{NotText, Terminal};
use crate::work::{self, Bytes, Done, Task};
use sealstone::interop::nkcs;
use sealstone::signature::{Comment, Namespace, SignatureWriter, SigningKey};
use sealstone::{Error, Input, Output};
use std::io::{BufRead, BufReader, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

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
    // Before anybody is asked for a passphrase.
    plan::refuse_missing(&paths, false, common)?;
    let direction = Direction::Sign { attach: command.attach, format: command.format };
    let plan = plan::plan(&paths, direction, common, terminal)?;
    if let ([job], false) = (&plan.jobs[..], common.force)
        && let (Some(Standing { is_regular: true, .. }), Some(path)) = (&job.standing, job.output.path())
        && !job.is_stale()
    {
        return Err(job.explain(Error::OutputExists(path.to_path_buf()).into()));
    }
    let mut keys = Keyring::new(common);
    keys.check_stdin(&command.inputs)?;
    let key = Key::read(command, &mut keys, common, terminal)?;
    keys.check_stdin(&command.inputs)?;
    keys.check_outputs(plan.replaced())?;
    if let (Key::Ssh(key), Some(profile)) = (&key, command.allowed.profile) {
        profile.check_signer(key.kind())?;
    }
    work::run(plan, common, terminal, |job, watch, _| {
        let input = content(&job.input)?;
        let output = work::output(job, &input, &paths, common, direction, &keys)?;
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
                    Ok(Done { bytes: Bytes::Signed { content }, line: None })
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
                detached(&writer, input, output)
            };
            Ok(Done { bytes: Bytes::Signed { content: content.map_err(explain)? }, line: None })
        });
        Ok(task.on_one_thread())
    })
}

/// A key, and what it signs for.
enum Key {
    Ssh(SigningKey),
    Nkcs(nkcs::SignatureWriter),
}

impl Key {
    fn read(command: &Sign, keys: &mut Keyring, common: &Common, terminal: &Terminal) -> Result<Self, Failure> {
        let path = key_file(command)?;
        Ok(match command.format {
            SignatureFormat::Ssh => Self::Ssh(signers::signing_key(&path, keys, common, terminal)?),
            SignatureFormat::Nkcs => {
                let key = signers::signing_key_of_nkcs(&path, keys, common, terminal)?;
                Self::Nkcs(nkcs::SignatureWriter::new(&key))
            }
        })
    }
}

/// Refuses options that signatures of nkCryptoTool do not have, before anybody is asked for anything.
fn check_options(command: &Sign) -> Result<(), Failure> {
    let given = [
        ("--attach", command.attach),
        ("--namespace", !command.purpose.is_usual()),
        ("--comment", command.comment.is_some()),
        ("--profile", command.allowed.profile.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("nkCryptoTool signatures have no {option}"))),
        None => Ok(()),
    }
}

/// What is to be signed. Nothing at all on stdin is what a command leaves that failed before the pipe.
fn content(place: &Place) -> Result<Input<'static>, Failure> {
    let input = place.open()?;
    if !matches!(place, Place::Standard) || input.len().is_some() || std::io::stdin().is_terminal() {
        return Ok(input);
    }
    let stdin = descriptor::to_read(descriptor::STDIN);
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

/// Writes the signature of an input to an output of its own; returns how many bytes were signed, where that was known before.
fn detached(writer: &SignatureWriter, input: Input<'_>, output: Output<'_>) -> Result<Option<u64>, Error> {
    let content = input.len();
    output.write_all(writer.detached(input)?.as_bytes())?;
    Ok(content)
}

/// The file that is named, or else the default one.
fn key_file(command: &Sign) -> Result<PathBuf, Failure> {
    let none = || {
        let hint =
            format!("`sealstone keygen --sign` makes one; name it with -k, or keep it at {}", signing_key_name());
        Failure::usage_with_hint("there is no key to sign with", hint)
    };
    command.key.clone().or_else(existing_signing_key).ok_or_else(none)
}

fn explain(error: Error) -> Failure {
    if NotText::is_why(&error) { NotText::failure() } else { error.into() }
}
