//! `sealstone verify`

use crate::args::{Common, Paths, With};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::openers::Openers;
use crate::plan;
use crate::plural::count_noun;
use crate::terminal::{Terminal, json_text};
use crate::work::{self, Task, TaskReport};
use clap::Args;
use sealstone::Summary;
use serde_json::json;
use std::path::PathBuf;

/// Authenticate whole files and write nothing
#[derive(Args)]
#[command(after_help = "\
verify needs a key that opens the files. A host without the key can check a signed list of digests: `sealstone hash --check --from`.

Examples:
  sealstone verify -i identity.txt film.seal
  sealstone verify --recursive backup")]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) with: With,
    /// Verify all files in folders that are sealed, or whose names end in .seal, .age or .nkct
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Inputs; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}

pub(crate) fn run(command: &Verify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    plan::refuse_missing(&paths, command.with.passphrase, common.has_passphrase_source())?;
    let keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(&command.inputs)?;
    let mut openers = Openers::new(&command.with, common, keys)?;
    openers.guard().check_stdin(&command.inputs)?;
    let plan = work::announce(plan::plan_to_check(&command.inputs, command.recursive), terminal)?;
    openers.guard().check_stdout()?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let matching = openers.match_keys(&mut input, &job.input, watch)?;
        let mut opener = openers.make_opener(&matching, watch)?;
        let (name, has_passphrase) = (job.input.name(), matching.is_for_passphrase());
        let task = Task::new(input, move |input, threads| {
            opener.settings_mut().set_threads(threads);
            let verified = opener.verify(input).map_err(|error| matching.explain(error).for_command("verify"))?;
            Ok(TaskReport { line: format_line(&name, &verified, common), ..verified.into() })
        });
        Ok(task.with_passphrase(has_passphrase))
    })
}

fn format_line(name: &str, verified: &Summary, common: &Common) -> Option<String> {
    if common.json {
        let plaintext = verified.plaintext;
        Some(json_text(&json!({ "event": "verified", "input": name, "authentic": true, "plaintext_bytes": plaintext })))
    } else if common.quiet {
        None
    } else {
        Some(format!("{name}: authentic, {} of plaintext", count_noun(verified.plaintext, "byte")))
    }
}
