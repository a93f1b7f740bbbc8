//! `sealstone hazmat`

use crate::args::{Common, Hazmat, HazmatAction, HazmatCipher, Paths};
use crate::failure::Failure;
use crate::format::Format;
use crate::keyring::Keyring;
use crate::plan::{self, Direction};
use crate::secret::{self, hex};
use crate::terminal::{Terminal, Watch};
use crate::work::{self, Bytes, Done, Task};
use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding, Stream};
use sealstone::{Error, FileCipher, aead};
use std::io::{self, IsTerminal};
use zeroize::Zeroizing;

pub(crate) fn run(command: &Hazmat, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        HazmatAction::Cipher(command) => cipher(command, common, terminal),
    }
}

fn cipher(command: &HazmatCipher, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let algorithm = algorithm(&command.algorithm)?;
    let padding = match command.padding {
        Some(_) if !algorithm.pads() => {
            return Err(Failure::usage(format!("{algorithm} takes any length, so --padding does not apply")));
        }
        padding => padding.unwrap_or_default(),
    };
    let iv = iv(command, algorithm)?;
    let mut keys = Keyring::new(common);
    let paths =
        Paths { output: command.output.clone(), inputs: command.input.iter().cloned().collect(), ..Paths::default() };
    let direction = if command.decrypt {
        Direction::Decrypt
    } else {
        Direction::Encrypt { armour: false, format: Format::Sealstone }
    };
    if !command.decrypt && paths.output.is_none() && io::stdout().is_terminal() {
        let hint = "name a file with -o FILE, or force it with -o -";
        return Err(Failure::usage_with_hint("binary output is not written to a terminal", hint));
    }
    plan::refuse_any_folder(&paths.inputs)?;
    let plan = plan::plan_one(command.input.as_deref(), command.output.as_deref())?;
    let cipher = Cipher::new(algorithm, &key(command, algorithm, &mut keys, terminal)?)?;
    keys.check_stdin(&paths.inputs)?;
    // Whether the IV fits is known before any file is touched.
    stream(&cipher, command.decrypt, &iv, padding)?;
    work::run(plan, common, terminal, |job, watch, _| {
        let input = job.input.open()?;
        let output = work::output(job, &input, &paths, common, direction, &keys)?;
        let stream = watched(stream(&cipher, command.decrypt, &iv, padding)?, watch);
        Ok(Task::new(input, move |input, threads| {
            let done = stream
                .threads(threads)
                .run(input, output)
                .map_err(|error| with_advice(error, command.decrypt, algorithm))?;
            let (plaintext, ciphertext) =
                if command.decrypt { (done.written, done.read) } else { (done.read, done.written) };
            Ok(Done { bytes: Bytes::Encrypted { plaintext, ciphertext: Some(ciphertext) }, line: None })
        }))
    })
}

fn stream<'a>(cipher: &'a Cipher, decrypt: bool, iv: &[u8], padding: Padding) -> Result<Stream<'a>, Failure> {
    Ok(if decrypt { cipher.decryptor(iv, padding)? } else { cipher.encryptor(iv, padding)? })
}

fn watched<'a>(stream: Stream<'a>, watch: &Watch) -> FileCipher<'a> {
    let stream = FileCipher::new(stream);
    match watch.callback() {
        Some(callback) => stream.on_progress(callback),
        None => stream,
    }
}

fn with_advice(error: Error, decrypt: bool, algorithm: Algorithm) -> Failure {
    let hint = match &error {
        Error::PartialBlock(_) if !decrypt && algorithm.pads() => "pad it with --padding pkcs7",
        Error::PartialBlock(_) if !decrypt => "XTS takes 16 bytes or more",
        Error::PartialBlock(_) => "it was cut short, or encrypted in another mode",
        Error::InvalidPadding => {
            "the key or the algorithm differs, or it was encrypted without padding: --padding none"
        }
        Error::SameFile(_) => "name another output with -o",
        _ => return error.into(),
    };
    Failure::from(error).with_hint(hint)
}

/// The names of AEADs are none of `--algorithm`, and must not lead to a mode that authenticates nothing.
fn algorithm(name: &str) -> Result<Algorithm, Failure> {
    if name.parse::<aead::Algorithm>().is_ok() {
        return Err(Failure::usage_with_hint(
            format!("{name} is authenticated, and hazmat cipher has only unauthenticated modes"),
            "use `sealstone encrypt` for files, and sealstone::aead of the Rust crate for protocols",
        ));
    }
    Ok(name.parse()?)
}

fn iv(command: &HazmatCipher, algorithm: Algorithm) -> Result<Zeroizing<Vec<u8>>, Failure> {
    match &command.iv_hex {
        None if algorithm.iv_len() > 0 => Err(Failure::usage_with_hint(
            format!("{algorithm} needs an IV of {} bytes", algorithm.iv_len()),
            if command.decrypt {
                "give the IV of the encryption with --iv-hex"
            } else {
                "make a new IV for each message (openssl rand -hex 16), and give it with --iv-hex"
            },
        )),
        Some(_) if algorithm.iv_len() == 0 => {
            Err(Failure::usage_with_hint(format!("{algorithm} has no IV"), "leave out --iv-hex"))
        }
        Some(text) => hex(text, algorithm.iv_len(), "the IV"),
        None => Ok(Zeroizing::default()),
    }
}

fn key(
    command: &HazmatCipher,
    algorithm: Algorithm,
    keys: &mut Keyring,
    terminal: &Terminal,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let len = algorithm.key_len();
    if let Some(text) = &command.key_hex {
        if !command.insecure_key_on_command_line {
            return Err(Failure::usage_with_hint(
                "a key on the command line can be read by every process, and stays in the shell's history",
                "put the key into a file and name it with --key-file; or accept the risk with --insecure-key-on-command-line",
            ));
        }
        return hex(text, len, "the key");
    }
    let path = command.key_file.as_deref().expect("hazmat: the grammar asks for one of the two");
    secret::of_len(path, len, keys, terminal)
}
