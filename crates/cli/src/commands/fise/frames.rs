//! `sealstone fise frames`: FISE hides data and does not encrypt it.

use super::{Timestamp, WARNING, check_stdin, explain, read_profile, refuse_terminal};
use crate::args::{Common, Paths, parse_range};
use crate::failure::Failure;
use crate::guard::Guard;
use crate::place::{Place, refuse_printing_into};
use crate::plan::{self, Direction};
use crate::terminal::{Terminal, Watch, json_text};
use crate::work::{self, Bytes, Task, TaskReport};
use clap::{Args, Subcommand};
use sealstone::interop::fise::{self, FRAME_LEN, FileFrames, Frame, FrameDecoder, FrameEncoder, Profile};
use sealstone::{Error, Input, Output};
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Hide a stream of any length in frames
#[derive(Args)]
#[command(before_help = WARNING)]
pub(crate) struct FiseFrames {
    #[command(subcommand)]
    pub(crate) action: FramesAction,
}

#[derive(Subcommand)]
pub(crate) enum FramesAction {
    Encode(FramesEncode),
    Decode(FramesDecode),
    List(FramesList),
}

/// Write a file or stdin as frames
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
Frames are bytes. The reader needs the same profiles, in the same order, and the same timestamp.

Examples:
  sealstone fise frames encode --profile profile.json -o film.fise film.mp4
  sealstone fise frames encode --profile even.json --profile odd.json --index -o film.fise film.mp4
  tar c photos | sealstone fise frames encode --profile profile.json > photos.fise
  tail -f app.log | sealstone fise frames encode --profile profile.json --each-line | nc example.com 4000")]
pub(crate) struct FramesEncode {
    #[command(flatten)]
    pub(crate) rules: Rules,
    /// The most bytes of content in a frame, 16384 to 1048576
    #[arg(long, value_name = "N", default_value_t = FRAME_LEN)]
    pub(crate) frame_length: usize,
    /// Write an index behind the frames, for --range of `decode`; it takes 8 bytes of memory for each frame
    #[arg(long)]
    pub(crate) index: bool,
    /// Make each line a frame as soon as it comes, for a feed
    #[arg(long)]
    pub(crate) each_line: bool,
    #[command(flatten)]
    pub(crate) ends: Ends,
}

/// Print the content of frames
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
An output file appears when the stream is whole, or not at all. A pipe receives each frame as it is read: check the exit status. \
Lost, repeated, exchanged and mixed frames are errors. Changes that somebody made on purpose are not noticed. Metadata of frames is left out; `list` shows its length.

Examples:
  sealstone fise frames decode --profile profile.json -o film.mp4 film.fise
  sealstone fise frames decode --profile profile.json < film.fise | ffplay -
  sealstone fise frames decode --profile profile.json --range 1000000..2000000 film.fise | xxd")]
pub(crate) struct FramesDecode {
    #[command(flatten)]
    pub(crate) rules: Rules,
    /// Print only the bytes of content from A up to, but not including, B, or to the end; read only the frames that hold them.
    /// B may be past the end. This needs a file with an index
    #[arg(long, value_name = "A..[B]", value_parser = parse_range)]
    pub(crate) range: Option<(u64, u64)>,
    #[command(flatten)]
    pub(crate) ends: Ends,
}

/// List the frames of a stream
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
Each line has the number of a frame, the number of its profile from 0, and bytes: of its metadata, of its content, and of the whole frame in the stream. All of the stream is read. \
A line may be followed by an error about a later frame.

Examples:
  sealstone fise frames list --profile profile.json film.fise
  sealstone fise frames list --profile profile.json --json film.fise | jq -s 'map(.content_bytes) | add'")]
pub(crate) struct FramesList {
    #[command(flatten)]
    pub(crate) rules: Rules,
    /// The stream; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// The rules of a stream.
#[derive(Args)]
pub(crate) struct Rules {
    /// The rules, as JSON; - is stdin; may be repeated: the frames take the profiles in turn
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) profile: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) timestamp: Timestamp,
}

/// The input and the output.
#[derive(Args)]
pub(crate) struct Ends {
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to read; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

pub(crate) fn run(command: &FiseFrames, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        FramesAction::Encode(command) => encode(command, common, terminal),
        FramesAction::Decode(command) => decode(command, common, terminal),
        FramesAction::List(command) => list(command, common, terminal),
    }
}

fn encode(command: &FramesEncode, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    refuse_terminal(command.ends.output.as_ref())?;
    let make = |profiles| {
        let encoder = FrameEncoder::new(profiles)?.frame_len(command.frame_length)?;
        Ok(encoder.timestamp(command.rules.timestamp.number).index(command.index))
    };
    convert(&command.rules, &command.ends, common, terminal, make, |frames, encoder, input, output| {
        let done = frames.each_line(command.each_line).encode(encoder, input, output)?;
        Ok(Bytes::Hidden { content: done.plaintext, hidden: Some(done.ciphertext) })
    })
}

fn decode(command: &FramesDecode, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let make = |profiles| Ok(FrameDecoder::new(profiles)?.timestamp(command.rules.timestamp.number));
    convert(&command.rules, &command.ends, common, terminal, make, |frames, decoder, input, output| {
        let Some((from, to)) = command.range else {
            let done = frames.decode(decoder, input, output)?;
            return Ok(Bytes::Hidden { content: done.plaintext, hidden: Some(done.ciphertext) });
        };
        let content = frames.decode_range(decoder, input, from..to, output)?;
        Ok(Bytes::Hidden { content, hidden: None })
    })
}

/// Converts the input into the output, with the coder that `make` makes of the profiles. An error of `make` is about options.
fn convert<T: Send>(
    rules: &Rules,
    ends: &Ends,
    common: &Common,
    terminal: &Terminal,
    make: impl FnOnce(Vec<Profile>) -> fise::Result<T>,
    work: impl Fn(FileFrames, T, Input<'_>, Output<'_>) -> fise::Result<Bytes> + Sync,
) -> Result<(), Failure> {
    let inputs = ends.input.iter().cloned().collect();
    let paths = Paths { output: ends.output.clone(), inputs, ..Paths::default() };
    plan::refuse_any_folder(&paths.inputs)?;
    let plan = plan::plan_one(ends.input.as_deref(), ends.output.as_deref())?;
    let mut guard = Guard::new(common);
    let mut coder = Some(make(read_profiles(rules, &mut guard)?)?);
    check_stdin(&guard, &paths.inputs)?;
    work::run(plan, common, terminal, |job, watch, _| {
        let input = job.input.open()?;
        let output = work::open_output(job, &input, &paths, common, Direction::Hide, &guard)?;
        let coder = coder.take().expect("fise: one input has one attempt");
        let (frames, work) = (with_progress(FileFrames::new(), watch), &work);
        Ok(Task::new(input, move |input, _| {
            let bytes = work(frames, coder, input, output).map_err(|error| explain(error, hint))?;
            Ok(TaskReport { bytes, line: None })
        }))
    })
}

fn list(command: &FramesList, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    plan::refuse_any_folder(&command.input)?;
    let mut guard = Guard::new(common);
    let profiles = read_profiles(&command.rules, &mut guard)?;
    check_stdin(&guard, command.input.as_slice())?;
    let place = Place::new(command.input.as_deref().unwrap_or(Path::new("-")));
    if matches!(place, Place::Standard) {
        terminal.announce_stdin();
    }
    refuse_printing_into(std::slice::from_ref(&place))?;
    guard.check_stdout()?;
    let decoder = FrameDecoder::new(profiles)?.timestamp(command.rules.timestamp.number);
    let mut out = BufWriter::new(io::stdout().lock());
    let fail = |error| Error::Io { action: "write", path: Some(PathBuf::from("stdout")), source: error };
    let read = FileFrames::new().read(decoder, place.open()?, |frame| {
        let line = if common.json { format_json(&frame) } else { format_text(&frame) };
        Ok(writeln!(out, "{line}").map_err(fail)?)
    });
    out.flush().map_err(fail)?;
    read.map_err(|error| explain(error, hint).on(place.path()))
}

fn format_text(frame: &Frame) -> String {
    let Frame { number, rule, metadata, content, len, is_last, .. } = frame;
    let last = if *is_last { "  last" } else { "" };
    format!("{number:>8}  rule {rule}  metadata {}  content {}  frame {len}{last}", metadata.len(), content.len())
}

fn format_json(frame: &Frame) -> String {
    json_text(&json!({
        "number": frame.number, "rule": frame.rule, "metadata_bytes": frame.metadata.len(),
        "content_bytes": frame.content.len(), "frame_bytes": frame.len, "last": frame.is_last,
    }))
}

fn read_profiles(rules: &Rules, guard: &mut Guard) -> Result<Vec<Profile>, Failure> {
    rules.profile.iter().map(|path| read_profile(path, guard)).collect()
}

fn with_progress(frames: FileFrames, watch: &Watch) -> FileFrames {
    match watch.callback() {
        Some(callback) => frames.on_progress(callback),
        None => frames,
    }
}

fn hint(error: &fise::Error) -> Option<&'static str> {
    Some(match error {
        fise::Error::Malformed(fise::Error::NO_FRAMES) => "`sealstone fise decode` opens an envelope",
        fise::Error::Malformed(fise::Error::OTHER_RULES) => {
            "name all profiles of the writer, in the same order: --profile FILE --profile FILE"
        }
        fise::Error::Malformed(fise::Error::NO_INDEX) => {
            "leave out --range, or write the stream with `sealstone fise frames encode --index`"
        }
        fise::Error::Malformed(_) => "the stream was changed, or its writer broke the format: fetch it again",
        fise::Error::Order { .. } | fise::Error::Truncated => "fetch the whole stream again",
        fise::Error::NoSalt | fise::Error::NoMarker | fise::Error::Ambiguous => {
            "the profiles, their order or the --timestamp differ, or the stream was changed"
        }
        fise::Error::Frame { error, .. } => return hint(error),
        fise::Error::KeyRequired => "a newer sealstone may read it",
        _ => return None,
    })
}
