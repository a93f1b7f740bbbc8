//! `sealstone decrypt`

use crate::args::{Common, Decrypt, With};
use crate::failure::Failure;
use crate::files::{self, Direction, Done, Job};
use crate::keys::Keys;
use crate::terminal::{NotText, Terminal, Watch};
use sealstone::{Decryptor, Error, Kind, StanzaInfo};

pub(crate) fn run(command: &Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if command.range.is_some() && command.paths.inputs.len() > 1 {
        return Err(Failure::usage("--range takes one input"));
    }
    let direction = if command.range.is_some() { Direction::DecryptRange } else { Direction::Decrypt };
    let plan = files::plan(&command.paths, direction, common, terminal)?;
    let mut keys = Keys::new(common);
    keys.check_stdin(&command.paths.inputs)?;
    let decryptor = decryptor(&command.with, common, terminal, &mut keys)?.verify_first(command.verify_first);
    keys.check_stdin(&command.paths.inputs)?;
    plan.refuse_keys_as_outputs(&keys)?;
    files::run(plan, terminal, |job, watch| {
        let input = job.input.open()?;
        let output = files::output(job, &input, &command.paths, common, direction, &keys)?;
        let decryptor = watched(&decryptor, watch);
        let done = match command.range {
            Some((from, to)) => decryptor
                .decrypt_range_to(input, from..to, output)
                .map(|plaintext| Done { plaintext, ciphertext: None }),
            None => decryptor.decrypt_to(input, output).map(Done::from),
        };
        done.map_err(|error| explain(error, job, command))
    })
}

/// What `decrypt` and `verify` have in common.
pub(crate) fn decryptor(
    with: &With,
    common: &Common,
    terminal: &Terminal,
    keys: &mut Keys,
) -> Result<Decryptor, Failure> {
    let mut decryptor = Decryptor::new(keys.identities_for(with, common, terminal)?);
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

/// The decryptor for one job, whose progress is shown where somebody watches.
pub(crate) fn watched(decryptor: &Decryptor, watch: &Watch) -> Decryptor {
    let decryptor = decryptor.clone();
    match watch.callback() {
        Some(callback) => decryptor.on_progress(callback),
        None => decryptor,
    }
}

fn explain(error: Error, job: &Job, command: &Decrypt) -> Failure {
    match &error {
        // The kinds of recipients are public, so they may say what is missing.
        Error::NoMatchingIdentity => {
            let seen = job.input.path().and(job.input.open().ok()).and_then(|input| sealstone::inspect(input).ok());
            let mut stanzas = seen.iter().flat_map(|seen| &seen.stanzas);
            let has_passphrase = stanzas.clone().any(StanzaInfo::is_passphrase);
            if has_passphrase && !command.with.passphrase {
                Failure::from(error).with_hint("it was encrypted with a passphrase: use -p")
            } else if has_passphrase {
                Failure::from(error).with_hint("the passphrase is another")
            } else if stanzas.any(|stanza| stanza.kind == Kind::Key.name()) && command.with.key_file.is_empty() {
                Failure::from(error).with_hint("it was encrypted with a symmetric key: name its file with --key-file")
            } else {
                error.into()
            }
        }
        Error::Io { source, .. }
            if source.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<NotText>) =>
        {
            Failure::usage_with_hint(
                "the plaintext is not text, and is not written to a terminal",
                "name a file with -o FILE, or force it with -o -",
            )
        }
        _ => error.into(),
    }
}
