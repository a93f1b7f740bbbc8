//! `sealstone hazmat`

use crate::args::{Common, Paths};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::plan::{self, Direction};
use crate::secret::{self, decode_hex};
use crate::terminal::{Terminal, Watch};
use crate::work::{self, Bytes, Task, TaskReport};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding, Stream};
use sealstone::{Error, FileCipher, FileFormat, aead};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Unauthenticated ciphers, for data that already uses them
#[derive(Args)]
pub(crate) struct Hazmat {
    #[command(subcommand)]
    pub(crate) action: HazmatAction,
}

#[derive(Subcommand)]
pub(crate) enum HazmatAction {
    Cipher(HazmatCipher),
}

/// Encrypt or decrypt with SM4 or AES in a bare mode, as `openssl enc -K -iv` does
#[derive(Args)]
#[command(after_help = "\
Nothing detects changes to such data. ECB shows which blocks are equal. CTR and OFB reveal both plaintexts if an IV is used \
twice. Use `sealstone encrypt` for anything new.

sm4-xts follows GB/T 17964, sm4-xts-ieee IEEE 1619. Each run is one data unit, and the IV is its number.

Examples:
  (umask 077; openssl rand -hex 16 > key); iv=$(openssl rand -hex 16)
  sealstone hazmat cipher --algorithm sm4-cbc --key-file key --iv-hex $iv -o out in
  sealstone hazmat cipher --algorithm sm4-cbc --key-file key --iv-hex $iv -d < out > copy")]
pub(crate) struct HazmatCipher {
    /// The block cipher and its mode
    #[arg(short, long, value_name = "ALGORITHM", ignore_case = true, value_parser = cipher_names())]
    pub(crate) algorithm: String,
    /// A file with the key: its bytes, or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE", required_unless_present = "key_hex", conflicts_with = "key_hex")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key as hexadecimal digits; other processes can read it
    #[arg(long, value_name = "HEX")]
    pub(crate) key_hex: Option<String>,
    /// Accept a key on the command line
    #[arg(long)]
    pub(crate) insecure_key_on_command_line: bool,
    /// The IV as 32 hexadecimal digits: for CTR the first counter block, for XTS the number of the data unit
    #[arg(long, value_name = "HEX")]
    pub(crate) iv_hex: Option<String>,
    /// Decrypt
    #[arg(short, long)]
    pub(crate) decrypt: bool,
    /// The padding of ECB and CBC: pkcs7 (the default) or none
    #[arg(long, value_name = "PADDING", value_parser = PossibleValuesParser::new(["pkcs7", "none"]).map(|name| if name == "none" { Padding::None } else { Padding::Pkcs7 }))]
    pub(crate) padding: Option<Padding>,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to encrypt or decrypt; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

pub(crate) fn run(command: &Hazmat, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        HazmatAction::Cipher(command) => cipher(command, common, terminal),
    }
}

fn cipher(command: &HazmatCipher, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let algorithm = parse_algorithm(&command.algorithm)?;
    let padding = match command.padding {
        Some(_) if !algorithm.pads() => {
            return Err(Failure::usage(format!("{algorithm} takes any length, so --padding does not apply")));
        }
        padding => padding.unwrap_or_default(),
    };
    let iv = parse_iv(command, algorithm)?;
    let mut keys = Keyring::new(common, terminal);
    let paths =
        Paths { output: command.output.clone(), inputs: command.input.iter().cloned().collect(), ..Paths::default() };
    let direction = if command.decrypt {
        Direction::Decrypt
    } else {
        Direction::Encrypt { armour: false, format: FileFormat::Sealstone }
    };
    if !command.decrypt && paths.output.is_none() && io::stdout().is_terminal() {
        let hint = "name a file with -o FILE, or force it with -o -";
        return Err(Failure::usage_with_hint("binary output is not written to a terminal", hint));
    }
    plan::refuse_any_folder(&paths.inputs)?;
    let plan = plan::plan_one(command.input.as_deref(), command.output.as_deref())?;
    let cipher = Cipher::new(algorithm, &read_key(command, algorithm, &mut keys)?)?;
    keys.guard.check_stdin(&paths.inputs)?;
    // A wrong IV is reported before any file is touched.
    make_stream(&cipher, command.decrypt, &iv, padding)?;
    work::run(plan, common, terminal, |job, watch, _| {
        let input = job.input.open()?;
        let output = work::open_output(job, &input, &paths, common, direction, &keys.guard)?;
        let stream = with_progress(make_stream(&cipher, command.decrypt, &iv, padding)?, watch);
        Ok(Task::new(input, move |input, threads| {
            let done = stream
                .threads(threads)
                .run(input, output)
                .map_err(|error| add_hint(error, command.decrypt, algorithm))?;
            let (plaintext, ciphertext) =
                if command.decrypt { (done.written, done.read) } else { (done.read, done.written) };
            Ok(TaskReport { bytes: Bytes::Encrypted { plaintext, ciphertext: Some(ciphertext) }, line: None })
        }))
    })
}

fn make_stream<'a>(cipher: &'a Cipher, decrypt: bool, iv: &[u8], padding: Padding) -> Result<Stream<'a>, Failure> {
    Ok(if decrypt { cipher.decryptor(iv, padding)? } else { cipher.encryptor(iv, padding)? })
}

fn with_progress<'a>(stream: Stream<'a>, watch: &Watch) -> FileCipher<'a> {
    let stream = FileCipher::new(stream);
    match watch.callback() {
        Some(callback) => stream.on_progress(callback),
        None => stream,
    }
}

fn add_hint(error: Error, decrypt: bool, algorithm: Algorithm) -> Failure {
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

/// Parses an algorithm. Refuses the name of an AEAD with an error of its own, since the user expects authentication.
fn parse_algorithm(name: &str) -> Result<Algorithm, Failure> {
    if name.parse::<aead::Algorithm>().is_ok() {
        return Err(Failure::usage_with_hint(
            format!("{name} is authenticated, and hazmat cipher has only unauthenticated modes"),
            "use `sealstone encrypt` for files, and sealstone::aead of the Rust crate for protocols",
        ));
    }
    Ok(name.parse()?)
}

fn parse_iv(command: &HazmatCipher, algorithm: Algorithm) -> Result<Zeroizing<Vec<u8>>, Failure> {
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
        Some(text) => decode_hex(text, algorithm.iv_len(), "the IV"),
        None => Ok(Zeroizing::default()),
    }
}

fn read_key(
    command: &HazmatCipher,
    algorithm: Algorithm,
    keys: &mut Keyring<'_>,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let len = algorithm.key_len();
    if let Some(text) = &command.key_hex {
        if !command.insecure_key_on_command_line {
            return Err(Failure::usage_with_hint(
                "a key on the command line can be read by every process, and stays in the shell's history",
                "put the key into a file and name it with --key-file; or accept the risk with --insecure-key-on-command-line",
            ));
        }
        return decode_hex(text, len, "the key");
    }
    let path = command.key_file.as_deref().expect("hazmat: the grammar asks for one of the two");
    secret::read_with_len(path, len, keys)
}

/// The bare modes, and AEADs, which are parsed only to be refused with a reason.
fn cipher_names() -> impl TypedValueParser<Value = String> {
    let modes = Algorithm::ALL.iter().map(|algorithm| PossibleValue::new(algorithm.name()));
    let aeads = aead::Algorithm::ALL.map(|algorithm| PossibleValue::new(algorithm.name()).hide(true));
    PossibleValuesParser::new(modes.chain(aeads)).map(|name| name.to_ascii_lowercase())
}
