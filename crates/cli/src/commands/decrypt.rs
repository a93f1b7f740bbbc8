//! `sealstone decrypt`

use crate::args::{Common, Decrypt};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::openers::{Fitting, Openers};
use crate::plan::{self, Direction};
use crate::terminal::{NotText, Terminal};
use crate::work::{self, Bytes, Done, Task};
use sealstone::Error;

pub(crate) fn run(command: &Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if command.range.is_some() && command.paths.inputs.len() > 1 {
        return Err(Failure::usage("--range takes one input"));
    }
    plan::refuse_missing(&command.paths, command.with.passphrase, common)?;
    let direction = if command.range.is_some() { Direction::DecryptRange } else { Direction::Decrypt };
    let plan = plan::plan(&command.paths, direction, common, terminal)?;
    let keys = Keyring::new(common);
    keys.check_stdin(&command.paths.inputs)?;
    let mut openers = Openers::new(&command.with, common, terminal, keys)?;
    openers.keys().check_stdin(&command.paths.inputs)?;
    openers.keys().check_outputs(plan.replaced())?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let output = work::output(job, &input, &command.paths, common, direction, openers.keys())?;
        output.check(&input)?;
        let fitting = openers.fitting(&mut input, &job.input, watch)?;
        let mut opener = openers.opener(&fitting, watch)?;
        opener.settings_mut().set_verify_first(command.verify_first);
        let asks = fitting.is_for_passphrase() || fitting.keys.has_plugin();
        let task = Task::new(input, move |input, threads| {
            opener.settings_mut().set_threads(threads);
            let done = match command.range {
                Some((from, to)) => opener
                    .decrypt_range_to(input, from..to, output)
                    .map(|plaintext| Done { bytes: Bytes::Encrypted { plaintext, ciphertext: None }, line: None }),
                None => opener.decrypt_to(input, output).map(Done::from),
            };
            done.map_err(|error| explain(error, &fitting))
        });
        Ok(task.with_passphrase(asks))
    })
}

fn explain(error: Error, fitting: &Fitting) -> Failure {
    if NotText::is_why(&error) { NotText::failure() } else { fitting.explain(error) }
}
