//! `sealstone fise profile`: FISE hides data and does not encrypt it.

use super::{WARNING, read_profile};
use crate::args::Common;
use crate::encoded;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::place::{Place, refuse_printing_into};
use crate::terminal::Terminal;
use clap::Args;
use sealstone::interop::fise::Profile;
use sealstone::random;
use serde_json::json;
use std::path::PathBuf;

/// Print a profile, which is the rules of envelopes, with all its members
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
The profile is one line of JSON, which every program with FISE's profiles reads. Without FILE and --seed, the seed is drawn at random, and printed on stderr.

Examples:
  sealstone fise profile > profile.json
  sealstone fise profile --seed 2026-11-28 > profile.json
  echo '{\"fise\": 1, \"salt\": {\"place\": \"head\"}}' | sealstone fise profile -")]
pub(crate) struct FiseProfile {
    /// Make the profile of a text: the same in every program
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) seed: Option<String>,
    /// Check this profile, and add the members that it leaves out; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Digits of a seed that is drawn: more than the 32 bits that a seed has.
const SEED_LEN: usize = 16;

pub(crate) fn print(command: &FiseProfile, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let profile = match (&command.file, &command.seed) {
        (Some(file), _) => {
            refuse_printing_into(&[Place::new(file)])?;
            read_profile(file, &mut Guard::new(common))?
        }
        (None, Some(seed)) => Profile::random(seed),
        (None, None) => {
            let seed = random::text("0123456789abcdef", SEED_LEN)?;
            terminal.print_event(|| json!({ "event": "seed", "seed": *seed }));
            terminal.note(&format!("the seed is {}", *seed));
            Profile::random(&seed)
        }
    };
    encoded::print((profile.to_json() + "\n").as_bytes())
}
