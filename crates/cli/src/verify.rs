//! `sealstone verify`

use crate::args::{Common, Verify};
use crate::decrypt::{decryptor, watched};
use crate::failure::Failure;
use crate::files;
use crate::keys::Keys;
use crate::terminal::Terminal;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(command: &Verify, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let mut keys = Keys::new(common);
    keys.check_stdin(&command.inputs)?;
    let decryptor = decryptor(&command.with, common, terminal, &mut keys)?;
    keys.check_stdin(&command.inputs)?;
    let plan = files::plan_to_check(&command.inputs, command.recursive, terminal)?;
    files::run(plan, terminal, |job, watch| {
        let decryptor = watched(&decryptor, watch);
        let summary = decryptor.verify(job.input.open()?)?;
        watch.finish();
        let name = job.input.name();
        let line = if common.json {
            json!({ "input": name, "authentic": true, "plaintext_bytes": summary.plaintext }).to_string()
        } else {
            format!("{name}: authentic, {} bytes of plaintext", summary.plaintext)
        };
        if common.json || !common.quiet {
            let written = writeln!(std::io::stdout().lock(), "{line}");
            written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))?;
        }
        Ok(summary.into())
    })
}
