//! `sealstone verify`

use super::decrypt::{decryptor, watched};
use crate::args::{Common, Paths, Verify};
use crate::failure::Failure;
use crate::files;
use crate::keys::Keys;
use crate::openers::Openers;
use crate::terminal::{Terminal, counted};
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(command: &Verify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    files::refuse_missing(&paths, command.with.passphrase, common)?;
    let mut keys = Keys::new(common);
    keys.check_stdin(&command.inputs)?;
    decryptor(Vec::new(), &command.with, common)?;
    let mut openers = Openers::new(&command.with, common, terminal, &mut keys)?;
    keys.check_stdin(&command.inputs)?;
    let plan = files::plan_to_check(&command.inputs, command.recursive, terminal)?;
    keys.check_stdout()?;
    openers.prepare(&plan, &mut keys)?;
    files::run(plan, terminal, |job, watch| {
        openers.retried(&job.input, |openers| {
            let mut input = job.input.open()?;
            let fitting = openers.fitting(&mut input, &job.input.name(), watch, &mut keys)?;
            let decryptor = watched(decryptor(fitting.identities.clone(), &command.with, common)?, watch);
            let summary = decryptor
                .verify(input)
                .map_err(|error| fitting.explain(error).on(job.input.path()).of_command("verify"))?;
            watch.finish();
            let name = job.input.name();
            let line = if common.json {
                json!({ "event": "verified", "input": name, "authentic": true, "plaintext_bytes": summary.plaintext })
                    .to_string()
            } else {
                format!("{name}: authentic, {} of plaintext", counted(summary.plaintext, "byte"))
            };
            if common.json || !common.quiet {
                let written = writeln!(std::io::stdout().lock(), "{line}");
                written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
            }
            Ok(summary.into())
        })
    })
}
