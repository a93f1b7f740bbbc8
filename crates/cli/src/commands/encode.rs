//! `sealstone encode` and `sealstone decode`

use crate::args::{Common, one_of};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::place::Place;
use crate::plan;
use crate::terminal::Terminal;
use crate::whole::{check, read, write};
use clap::Args;
use sealstone::encoding::Encoding;
use sealstone::{Error, FileMode, Text, escape_name};
use serde_json::json;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Write data as text: hexadecimal digits, Base64, Base32 or Base58
#[derive(Args)]
#[command(after_help = "\
The text is one line with a line end. base58 takes up to 4,096 bytes, the others up to 64 MiB.

Examples:
  sealstone encode base64 picture.png
  sealstone random --raw --bytes 16 | sealstone encode base58")]
pub(crate) struct Encode {
    #[command(flatten)]
    pub(crate) coded: Coded,
}

/// Turn such text back into data, strictly
#[derive(Args)]
#[command(after_help = "\
decode accepts only the exact text of the data, with or without one line end after it: no spaces, no other line ends, no missing padding, \
no unused bits. Hexadecimal digits may be in either case.

Examples:
  sealstone decode base64 -o picture.png picture.txt
  printf 'c2VhbD8' | sealstone decode base64url")]
pub(crate) struct Decode {
    #[command(flatten)]
    pub(crate) coded: Coded,
}

/// An encoding, and the input and output to convert.
#[derive(Args)]
pub(crate) struct Coded {
    /// hex, base64, base64url (without padding), base32 or base58
    #[arg(value_name = "ENCODING", value_parser = one_of::<Encoding>(&["hex", "base64", "base64url", "base32", "base58"]))]
    pub(crate) encoding: Encoding,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to read; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// The maximum length of data.
const DATA_MAX_LEN: usize = 64 << 20;
/// Text of this much data has at most two characters for each byte, and a line end.
const TEXT_MAX_LEN: usize = 2 * DATA_MAX_LEN + 2;

pub(crate) fn encode(command: &Coded, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    work(command, common, terminal, DATA_MAX_LEN, |data| {
        let mut text = command.encoding.encode(data)?;
        text.push('\n');
        Ok(text.into_bytes())
    })
}

pub(crate) fn decode(command: &Coded, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    work(command, common, terminal, TEXT_MAX_LEN, |text| {
        let text = Text::of(text).map_err(Error::InvalidEncoding)?.bytes();
        let line = text.strip_suffix(b"\n").unwrap_or(text);
        let line = line.strip_suffix(b"\r").filter(|_| line.len() < text.len()).unwrap_or(line);
        // The replacement character is in no alphabet, so text that is not UTF-8 is refused too.
        command.encoding.decode(std::str::from_utf8(line).unwrap_or("\u{fffd}"))
    })
}

/// Converts an input into an output.
fn work(
    command: &Coded,
    common: &Common,
    terminal: &Terminal,
    max_len: usize,
    convert: impl FnOnce(&[u8]) -> Result<Vec<u8>, Error>,
) -> Result<(), Failure> {
    plan::refuse_any_folder(&command.input)?;
    let path = command.input.as_deref().unwrap_or(Path::new("-"));
    let (mut keys, place) = (Keyring::new(common, terminal), Place::new(path));
    keys.guard.protect_input(&place)?;
    check(command.output.as_ref(), common, &keys.guard)?;
    let data = read(&place, max_len)?.ok_or_else(|| Failure::from(Error::TooLong).on(place.path()))?;
    let made = convert(&data).map(Zeroizing::new).map_err(|error| {
        let has_hint = matches!(error, Error::InvalidEncoding(why) if why != Text::IS_UTF16);
        let hint = "the text must be as `sealstone encode` writes it: one line, without spaces";
        let failure = Failure::from(error).on(place.path());
        if has_hint { failure.with_hint(hint) } else { failure }
    })?;
    // The result may be a key.
    write(command.output.as_ref(), &made, FileMode::Private, common, &keys.guard)?;
    terminal.print_event(|| {
        json!({
            "event": "done", "input": place.path().map(escape_name), "output": command.output.as_deref().map(escape_name),
        })
    });
    Ok(())
}
