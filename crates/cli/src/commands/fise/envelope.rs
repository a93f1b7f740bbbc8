//! `sealstone fise encode` and `sealstone fise decode`: FISE hides data and does not encrypt it.

use super::{Timestamp, WARNING, check_stdin, explain, read_profile, refuse_terminal};
use crate::args::{Common, Paths};
use crate::failure::Failure;
use crate::guard::Guard;
use crate::plan::{self, Direction};
use crate::terminal::Terminal;
use crate::work::{self, Bytes, Task, TaskReport};
use clap::Args;
use sealstone::interop::fise::{self, DATA_LIMIT, Profile};
use sealstone::{Error, Text};
use std::path::PathBuf;

/// Write text or bytes as an envelope
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
The envelope of a text is one line of ASCII with a line end. A line end of the text is hidden as all of the text is. An envelope holds less than 256 MiB; \
for more use `sealstone fise frames encode`.

Examples:
  sealstone fise profile --seed 2026-11-28 > profile.json
  echo '{\"id\": 1}' | sealstone fise encode --profile profile.json > envelope
  sealstone fise encode --profile profile.json --bytes -o icon.fise icon.png")]
pub(crate) struct FiseEncode {
    #[command(flatten)]
    pub(crate) coded: FiseCoded,
}

/// Print the text or bytes of an envelope
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
The line of a text's envelope may have a line end or none. The output is the text alone, without a line end of its own. An envelope that somebody changed on purpose \
may give another text.

Examples:
  sealstone fise decode --profile profile.json envelope
  sealstone fise decode --profile profile.json --bytes -o icon.png icon.fise")]
pub(crate) struct FiseDecode {
    #[command(flatten)]
    pub(crate) coded: FiseCoded,
}

/// The rules of an envelope, and the input and output to convert.
#[derive(Args)]
pub(crate) struct FiseCoded {
    /// The rules, as JSON; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: PathBuf,
    #[command(flatten)]
    pub(crate) timestamp: Timestamp,
    /// Take bytes of any kind, whose envelope is bytes too, instead of text
    #[arg(long)]
    pub(crate) bytes: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to read; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Base64 adds a third to the longest text, and decoys at most double that. Salts and markers are short beside it.
const ENVELOPE_MAX_LEN: usize = 3 * DATA_LIMIT;

pub(crate) fn encode(command: &FiseEncode, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let FiseCoded { timestamp, bytes, .. } = &command.coded;
    if *bytes {
        refuse_terminal(command.coded.output.as_ref())?;
    }
    // One byte too many is enough to be refused.
    run(&command.coded, DATA_LIMIT, common, terminal, |profile, data| {
        let envelope = if *bytes {
            profile.encode(data, timestamp.number)
        } else {
            let text = std::str::from_utf8(data).map_err(|_| {
                let failure = Failure::from(Error::InvalidEncoding("the text is not UTF-8"));
                failure.with_hint("to hide bytes of any kind: --bytes")
            })?;
            profile.encode_text(text, timestamp.number).map(|envelope| (envelope + "\n").into_bytes())
        };
        let envelope = envelope.map_err(|error| {
            explain(error, |_| {
                Some(match data.len() {
                    DATA_LIMIT.. => "`sealstone fise frames encode` hides data of any length",
                    _ if !bytes && !profile.takes_text() => FOR_BYTES,
                    _ => "give the profile longer markers: marker.width or marker.prefix",
                })
            })
        })?;
        let bytes = lengths(data, &envelope);
        Ok((envelope, bytes))
    })
}

pub(crate) fn decode(command: &FiseDecode, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let FiseCoded { timestamp, bytes, .. } = &command.coded;
    run(&command.coded, ENVELOPE_MAX_LEN + 1, common, terminal, |profile, envelope| {
        if envelope.len() > ENVELOPE_MAX_LEN {
            return Err(
                Failure::from(Error::TooLong).with_hint("`sealstone fise frames decode` reads streams of any length")
            );
        }
        let data = if *bytes {
            profile.decode(envelope, timestamp.number)
        } else {
            decode_text(profile, envelope, timestamp.number)
        };
        let data = data.map_err(|error| {
            explain(error, |error| {
                Some(match error {
                    _ if envelope.starts_with(b"FISEFRM") => "this is a stream of frames: `sealstone fise frames decode` reads it",
                    fise::Error::Rules(_) if !bytes && !profile.takes_text() => FOR_BYTES,
                    fise::Error::Rules(_) => return None,
                    fise::Error::Ambiguous => "let the writer make another envelope: a new one can be read in one way",
                    _ if *bytes => "the profile or the --timestamp differs, this is the envelope of a text (leave out --bytes), or it was changed",
                    _ => "the profile or the --timestamp differs, this is an envelope of bytes (--bytes), or it was changed",
                })
            })
        })?;
        let bytes = lengths(&data, envelope);
        Ok((data, bytes))
    })
}

const FOR_BYTES: &str = "with this profile: --bytes";

/// The text of an envelope in a file, as a line.
fn decode_text(profile: &Profile, envelope: &[u8], timestamp: i64) -> fise::Result<Vec<u8>> {
    let text = Text::of(envelope).map_err(Error::InvalidEncoding)?.bytes();
    let line = text.strip_suffix(b"\n").map_or(text, |line| line.strip_suffix(b"\r").unwrap_or(line));
    // A character that replaces a wrong one is no unit of an envelope either.
    Ok(profile.decode_text(&String::from_utf8_lossy(line), timestamp)?.into_bytes())
}

fn lengths(content: &[u8], hidden: &[u8]) -> Bytes {
    Bytes::Hidden { content: content.len() as u64, hidden: Some(hidden.len() as u64) }
}

/// Converts at most `limit` bytes of the input into the output.
fn run(
    command: &FiseCoded,
    limit: usize,
    common: &Common,
    terminal: &Terminal,
    convert: impl Fn(&Profile, &[u8]) -> Result<(Vec<u8>, Bytes), Failure> + Sync,
) -> Result<(), Failure> {
    let inputs = command.input.iter().cloned().collect();
    let paths = Paths { output: command.output.clone(), inputs, ..Paths::default() };
    plan::refuse_any_folder(&paths.inputs)?;
    let plan = plan::plan_one(command.input.as_deref(), command.output.as_deref())?;
    let mut guard = Guard::new(common);
    let profile = read_profile(&command.profile, &mut guard)?;
    check_stdin(&guard, &paths.inputs)?;
    work::run(plan, common, terminal, |job, _, _| {
        let input = job.input.open()?;
        let output = work::open_output(job, &input, &paths, common, Direction::Hide, &guard)?;
        let (profile, convert) = (&profile, &convert);
        Ok(Task::new(input, move |mut input, _| {
            output.check(&input).map_err(|error| explain(error.into(), |_| None))?;
            let (made, bytes) = convert(profile, input.head(limit)?)?;
            output.write_all(&made).map_err(|error| explain(error.into(), |_| None))?;
            Ok(TaskReport { bytes, line: None })
        }))
    })
}
