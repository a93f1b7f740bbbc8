//! `sealstone fise`: FISE hides data and does not encrypt it.

mod envelope;
mod frames;
mod profile;
mod validate;

use crate::args::Common;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::place::Place;
use crate::terminal::{NotText, Terminal};
use crate::whole::read;
use clap::{Args, Subcommand};
use sealstone::interop::fise::{self, Profile, TIMESTAMP_MAX};
use sealstone::{Error, Text};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// The first line of each command's help.
const WARNING: &str = "FISE hides data and does not encrypt it (`sealstone encrypt` does)";

/// FISE hides data and does not encrypt it (`sealstone encrypt` does): envelopes, frames and their profiles
#[derive(Args)]
pub(crate) struct Fise {
    #[command(subcommand)]
    pub(crate) action: FiseAction,
}

#[derive(Subcommand)]
pub(crate) enum FiseAction {
    Encode(envelope::FiseEncode),
    Decode(envelope::FiseDecode),
    Frames(frames::FiseFrames),
    Profile(profile::FiseProfile),
    Validate(validate::FiseValidate),
}

/// The timestamp of an envelope or a stream.
#[derive(Args)]
pub(crate) struct Timestamp {
    /// The timestamp that writer and reader agree on, an integer
    #[arg(long = "timestamp", value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-TIMESTAMP_MAX..=TIMESTAMP_MAX))]
    pub(crate) number: i64,
}

pub(crate) fn run(command: &Fise, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.action {
        FiseAction::Encode(command) => envelope::encode(command, common, terminal),
        FiseAction::Decode(command) => envelope::decode(command, common, terminal),
        FiseAction::Frames(command) => frames::run(command, common, terminal),
        FiseAction::Profile(command) => profile::print(command, common, terminal),
        FiseAction::Validate(command) => validate::validate(command, common),
    }
}

/// Above the length of any profile that a person or a program writes.
const PROFILE_MAX_LEN: usize = 1 << 16;

/// Reads a profile.
fn read_profile(path: &Path, guard: &mut Guard) -> Result<Profile, Failure> {
    guard.claim_stdin(path)?;
    let place = Place::new(path);
    guard.protect_input(&place)?;
    let bytes = read(&place, PROFILE_MAX_LEN)?;
    let bytes = bytes.as_ref().ok_or("this is no profile, which has less than 64 KiB");
    let text = bytes
        .and_then(|bytes| Text::of(bytes.as_slice()))
        .and_then(|text| text.as_str().ok_or("the profile is not UTF-8"));
    let profile = text.map_err(|why| fise::Error::Rules(why.to_owned())).and_then(Profile::from_json);
    profile.map_err(|error| {
        let failure = Failure::Fise { of: Some(PathBuf::from(place.name())), is_input: false, error };
        failure.with_hint(
            "`sealstone fise profile` prints a profile with all members; spec/fise-frames.md has their rules",
        )
    })
}

/// Refuses to read a profile and the input from stdin.
fn check_stdin(guard: &Guard, inputs: &[PathBuf]) -> Result<(), Failure> {
    guard.check_stdin(inputs).map_err(|_| Failure::usage("stdin cannot be both a profile and the input"))
}

/// Refuses to write bytes to a terminal that no `-o` names.
fn refuse_terminal(output: Option<&PathBuf>) -> Result<(), Failure> {
    if output.is_none() && io::stdout().is_terminal() {
        let hint = "name a file with -o FILE, or force it with -o -";
        return Err(Failure::usage_with_hint("binary output is not written to a terminal", hint));
    }
    Ok(())
}

/// Converts an error of work on an input; `hint` is for an error of FISE.
fn explain(error: fise::Error, hint: impl FnOnce(&fise::Error) -> Option<&'static str>) -> Failure {
    let hint = match &error {
        fise::Error::Core(error) if NotText::is_cause_of(error) => return NotText::failure(),
        fise::Error::Core(Error::SameFile(_)) => Some("name another output with -o"),
        fise::Error::Core(Error::RangeOutOfBounds) => {
            Some("`sealstone fise frames list` shows the lengths of the content")
        }
        fise::Error::Core(Error::NotSeekable) => Some("save the stream to a file first"),
        fise::Error::Core(_) => None,
        error => hint(error),
    };
    let failure = Failure::from(error);
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}
