//! `sealstone mac`

use crate::args::{Common, Written};
use crate::encoded;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::keyring::Keyring;
use crate::place::Place;
use crate::plan;
use crate::secret;
use crate::terminal::{Terminal, json_text};
use crate::work;
use crate::{digits, whole};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sealstone::encoding::Encoding;
use sealstone::mac::{self, Algorithm};
use sealstone::{Error, FileSigner, Lengths, Text, escape_name};
use serde_json::json;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Print tags of files under a key (HMAC, CMAC, KMAC or a keyed BLAKE), or check one
#[derive(Args)]
#[command(after_help = "\
Whoever has the key can make tags and check them. A check exits with 0 if the tag matches, and with 4 if it does not. It compares \
in constant time: use it, and do not compare printed tags yourself.

The key file holds the key as hexadecimal digits and nothing else, or as bytes. With --key-text it holds one line of text, whose characters \
are the key, as with most webhooks.

Examples:
  (umask 077; openssl rand -hex 32 > key)
  sealstone mac -a hmac-sha256 --key-file key order.json > order.mac
  sealstone mac -a hmac-sha256 --key-file key --verify-file order.mac order.json
  sealstone mac -a hmac-sha256 --key-file secret --key-text --base64 < body")]
pub(crate) struct Mac {
    /// The message authentication code, such as hmac-sha256
    #[arg(short, long, value_name = "ALGORITHM", ignore_case = true, value_parser = mac_names())]
    pub(crate) algorithm: mac::Algorithm,
    /// A file with the key; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: PathBuf,
    /// The key is text: the characters of the file's one line
    #[arg(long)]
    pub(crate) key_text: bool,
    /// Check the tag in a file: one line of this command's output (with --base64 if it is base64), or the bytes of a tag
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify_hex", "raw"])]
    pub(crate) verify_file: Option<PathBuf>,
    /// Check this tag, in hexadecimal digits
    #[arg(long, value_name = "HEX", conflicts_with_all = ["raw", "base64"])]
    pub(crate) verify_hex: Option<String>,
    /// With a check, accept a tag that is cut short, with at least 8 bytes
    #[arg(long)]
    pub(crate) truncated: bool,
    /// For kmac256, a text that separates this use of the key from others
    #[arg(long, value_name = "TEXT")]
    pub(crate) customization: Option<String>,
    /// For kmac256, the length of the tag in bytes, from 8 to 64
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=64))]
    pub(crate) length: Option<u16>,
    #[command(flatten)]
    pub(crate) written: Written,
    /// Files; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

pub(crate) fn run(command: &Mac, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let is_check = command.verify_file.is_some() || command.verify_hex.is_some();
    if (is_check || command.written.raw) && command.inputs.len() > 1 {
        return Err(Failure::usage(format!("{} takes one input", if is_check { "a check" } else { "--raw" })));
    }
    if command.truncated && !is_check {
        return Err(Failure::usage("--truncated needs --verify-file or --verify-hex"));
    }
    encoded::check(&command.written)?;
    let mut keys = Keyring::new(common, terminal);
    let key = read_key(command, &mut keys)?;
    let lengths = if command.truncated { Lengths::from_to(8, key.tag_len()) } else { Lengths::exactly(key.tag_len()) };
    let expected = read_expected_tag(command, lengths, &mut keys.guard)?;
    keys.guard.check_stdin(&command.inputs)?;
    if let Some(tag) = &expected {
        lengths.check("the tag", tag.len())?;
    }
    plan::refuse_any_folder(&command.inputs)?;
    let plan = work::announce(plan::plan_to_hash(&command.inputs, false), terminal)?;
    if command.inputs.is_empty() {
        terminal.announce_stdin();
    }
    let of = plan.jobs.len() + plan.failed;
    let (mut failed, has_several) = (plan.failed, plan.has_several);
    for job in plan.jobs {
        match compute_tag(&key, &job.input, terminal) {
            Ok(tag) => match &expected {
                Some(expected) => return check(&tag, expected),
                None => print(command, common, &job.input, &tag)?,
            },
            Err(failure) if has_several => {
                terminal.print_failure(&failure);
                failed += 1;
            }
            Err(failure) => return Err(failure),
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

fn read_key(command: &Mac, keys: &mut Keyring<'_>) -> Result<mac::Mac, Failure> {
    let algorithm = command.algorithm;
    let bytes = match algorithm.key_len() {
        Some(len) if !command.key_text => secret::read_with_len(&command.key_file, len, keys)?,
        _ => secret::read_any_len(&command.key_file, command.key_text, keys)?,
    };
    let on = |error: Error| Failure::from(error).on(Some(&command.key_file));
    if algorithm == Algorithm::Kmac256 {
        let (customization, len) = (command.customization.as_deref().unwrap_or_default(), command.length);
        let len = len.map_or(algorithm.tag_len(), usize::from);
        return mac::Mac::kmac256(&bytes, customization.as_bytes(), len).map_err(Failure::from);
    }
    if command.customization.is_some() || command.length.is_some() {
        return Err(Failure::usage(format!("--customization and --length are for kmac256, not for {algorithm}")));
    }
    mac::Mac::new(algorithm, &bytes).map_err(on)
}

/// The tag to check, if there is one.
fn read_expected_tag(
    command: &Mac,
    lengths: Lengths,
    guard: &mut Guard,
) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
    match (&command.verify_hex, &command.verify_file) {
        (Some(text), _) => {
            secret::decode_digits(text, "the tag").map(Some).map_err(|failure| match text.split_once('=') {
                // Services write `sha256=` before the digits in a webhook's header.
                Some((name, tag)) if digits::decode(tag.as_bytes()).is_some_and(|tag| !tag.is_empty()) => {
                    failure.with_hint(format!("leave out {}= before the digits", escape_name(Path::new(name))))
                }
                _ => failure,
            })
        }
        (None, Some(path)) => read_tag(path, command.written.base64, lengths, guard).map(Some),
        (None, None) => Ok(None),
    }
}

/// Reads the tag in a file: a line that this command printed, or the bytes of the tag.
fn read_tag(path: &Path, is_base64: bool, lengths: Lengths, guard: &mut Guard) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let name = escape_name(path);
    guard.claim_stdin(path)?;
    let bytes = whole::read(&Place::new(path), TAG_FILE_MAX_LEN)?
        .ok_or_else(|| Failure::usage(format!("{name} is too long for a tag")))?;
    let line = Text::of(&*bytes).ok().and_then(|text| text.without_end().as_str()).unwrap_or_default();
    // In a line of this command, the tag comes first, followed by the name.
    let word = line.split([' ', '\n']).next().unwrap_or_default();
    let tag = if is_base64 {
        let decoded = Encoding::Base64.decode(word).map_err(|error| Failure::from(error).on(Some(path)))?;
        Some(Zeroizing::new(decoded))
    } else {
        digits::decode(word.as_bytes()).filter(|tag| !tag.is_empty())
    };
    let Some(tag) = tag else {
        let would_be = Encoding::Base64.decode(word).map(Zeroizing::new);
        let is_of_no_tag = lengths.check("", bytes.len()).is_err();
        if let (true, Err(why)) = (is_of_no_tag, Text::of(&*bytes)) {
            return Err(Failure::usage(format!("{name}: {why}")));
        }
        if is_of_no_tag && would_be.is_ok_and(|tag| lengths.check("", tag.len()).is_ok()) {
            return Err(Failure::usage_with_hint(
                format!("the tag in {name} looks like base64, and hexadecimal digits are expected"),
                "if it is base64, add --base64",
            ));
        }
        return Ok(bytes);
    };
    if line.contains('\n') {
        return Err(Failure::usage_with_hint(
            format!("{name} has several lines, and a check takes one tag"),
            "copy the line of this input into a file of its own",
        ));
    }
    Ok(tag)
}

/// Above the length of a tag with a name.
const TAG_FILE_MAX_LEN: usize = 8192;

fn compute_tag(key: &mac::Mac, place: &Place, terminal: &Terminal) -> Result<mac::Tag, Failure> {
    let watch = work::watch(std::iter::once(place), terminal);
    let signer = FileSigner::new(key.signer());
    let signer = match watch.callback() {
        Some(callback) => signer.on_progress(callback),
        None => signer,
    };
    let done = place.open().and_then(|input| Ok(signer.run(input)?));
    watch.finish();
    done.map_err(|failure| failure.on(place.path()))
}

/// Compares the beginning of a tag with the expected tag, which may be truncated.
fn check(tag: &mac::Tag, expected: &[u8]) -> Result<(), Failure> {
    if mac::equal(&tag.as_bytes()[..expected.len()], expected) {
        return Ok(());
    }
    Err(Failure::from(Error::NotAuthentic { chunk: None })
        .with_message("the tag does not match")
        .with_hint("the data or the tag was changed, or the tag was made with another key or algorithm"))
}

fn print(command: &Mac, common: &Common, place: &Place, tag: &mac::Tag) -> Result<(), Failure> {
    if command.written.raw {
        return encoded::print(tag.as_bytes());
    }
    let text = encoded::encode(tag.as_bytes(), &command.written)?;
    let line = if common.json {
        json_text(&json!({ "input": place.name(), "algorithm": command.algorithm.name(), "tag": *text }))
    } else {
        let name = place.path().map_or_else(|| PathBuf::from("-"), PathBuf::from);
        format!("{}  {}", *text, escape_name(&name))
    };
    encoded::print(format!("{line}\n").as_bytes())
}

fn mac_names() -> impl TypedValueParser<Value = mac::Algorithm> {
    let names = mac::Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    PossibleValuesParser::new(names)
        .map(|name| name.to_ascii_lowercase().parse().expect("mac: the core knows the names that are offered"))
}
