//! `sealstone decrypt`

use crate::args::{Common, Decrypt, With};
use crate::failure::Failure;
use crate::files::{self, Direction, Done};
use crate::keys::Keys;
use crate::openers::{Fitting, Openers};
use crate::terminal::{NotText, Terminal, Watch};
use sealstone::{Decryptor, Error, Identity};

pub(crate) fn run(command: &Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if command.range.is_some() && command.paths.inputs.len() > 1 {
        return Err(Failure::usage("--range takes one input"));
    }
    files::refuse_missing(&command.paths, command.with.passphrase, common)?;
    let direction = if command.range.is_some() { Direction::DecryptRange } else { Direction::Decrypt };
    let plan = files::plan(&command.paths, direction, common, terminal)?;
    let mut keys = Keys::new(common);
    keys.check_stdin(&command.paths.inputs)?;
    let decryptor =
        |identities| Ok::<_, Failure>(decryptor(identities, &command.with, common)?.verify_first(command.verify_first));
    // What is wrong with the options is said before anybody is asked.
    decryptor(Vec::new())?;
    let mut openers = Openers::new(&command.with, common, terminal, &mut keys)?;
    keys.check_stdin(&command.paths.inputs)?;
    plan.refuse_keys_as_outputs(&keys)?;
    openers.prepare(&plan, &mut keys)?;
    files::run(plan, terminal, |job, watch| {
        openers.retried(&job.input, |openers| {
            let mut input = job.input.open()?;
            let output = files::output(job, &input, &command.paths, common, direction, &keys)?;
            output.check(&input)?;
            let fitting = openers.fitting(&mut input, &job.input.name(), watch, &mut keys)?;
            let decryptor = watched(decryptor(fitting.identities.clone())?, watch);
            let done = match command.range {
                Some((from, to)) => decryptor
                    .decrypt_range_to(input, from..to, output)
                    .map(|plaintext| Done { plaintext, ciphertext: None }),
                None => decryptor.decrypt_to(input, output).map(Done::from),
            };
            done.map_err(|error| explain(error, &fitting))
        })
    })
}

/// What `decrypt` and `verify` have in common.
pub(crate) fn decryptor(identities: Vec<Identity>, with: &With, common: &Common) -> Result<Decryptor, Failure> {
    let mut decryptor = Decryptor::new(identities);
    if let Some(profile) = with.allowed.profile {
        decryptor = decryptor.profile(profile);
    }
    if let Some(context) = &with.context {
        decryptor = decryptor.context(context)?;
    }
    if let Some(threads) = common.threads {
        decryptor = decryptor.threads(threads.into());
    }
    Ok(decryptor)
}

/// A decryptor whose progress is shown where somebody watches.
pub(crate) fn watched(decryptor: Decryptor, watch: &Watch) -> Decryptor {
    match watch.callback() {
        Some(callback) => decryptor.on_progress(callback),
        None => decryptor,
    }
}

fn explain(error: Error, fitting: &Fitting) -> Failure {
    match &error {
        Error::Io { source, .. }
            if source.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<NotText>) =>
        {
            Failure::usage_with_hint(
                "the plaintext is not text, and is not written to a terminal",
                "name a file with -o FILE, or force it with -o -",
            )
        }
        _ => fitting.explain(error),
    }
}
