//! `sealstone fise validate`: FISE hides data and does not encrypt it.

use super::{WARNING, read_profile};
use crate::args::Common;
use crate::encoded;
use crate::failure::Failure;
use crate::guard::Guard;
use clap::Args;
use sealstone::interop::fise::{self, Assurance};
use std::path::PathBuf;

/// Show that a profile can hide every text, and that readers find it again
#[derive(Args)]
#[command(before_help = WARNING, after_help = "\
It proves this for all lengths and timestamps where that is possible, and otherwise makes and opens 100,000 envelopes; it says which. It takes seconds. The exit status is 2 if there is a text that the profile cannot hide.

Examples:
  sealstone fise validate --profile profile.json
  sealstone fise validate --profile profile.json --json | jq .text.by")]
pub(crate) struct FiseValidate {
    /// The rules, as JSON; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: PathBuf,
}

pub(crate) fn validate(command: &FiseValidate, common: &Common) -> Result<(), Failure> {
    let validation = read_profile(&command.profile, &mut Guard::new(common))?.validate()?;
    let report = if common.json {
        validation.to_json() + "\n"
    } else {
        let lines = [("bytes", Some(&validation.bytes)), ("text", validation.text.as_ref())];
        lines
            .map(|(form, assurance)| format!("{form}: {}\n", assurance.map_or("no envelopes".to_owned(), words)))
            .concat()
    };
    encoded::print(report.as_bytes())?;
    if validation.is_ok() {
        return Ok(());
    }
    let error = fise::Error::Rules("the profile cannot hide every text".to_owned());
    let failure = Failure::Fise { of: Some(command.profile.clone()), is_input: false, error };
    Err(failure.with_hint("use longer markers, a longer alphabet, or fewer lengths of the salt"))
}

fn words(assurance: &Assurance) -> String {
    match assurance {
        Assurance::Proved { lengths, timestamps } => format!(
            "ok, proved for every length and timestamp ({lengths} lengths, {timestamps} remainders of timestamps)"
        ),
        Assurance::Tested { cases } => format!("ok, tried and not proved: {cases} envelopes opened to their plaintext"),
        Assurance::Failed { reason, plaintext, timestamp } => {
            format!("failed with the timestamp {timestamp} and the text {plaintext:?}: {reason}")
        }
        _ => "unknown".to_owned(),
    }
}
