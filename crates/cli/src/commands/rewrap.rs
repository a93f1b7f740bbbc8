//! `sealstone rewrap`

use crate::args::{Allowed, Common, Paths, Rewrap, With};
use crate::failure::Failure;
use crate::files::{self, Direction};
use crate::keys::Keys;
use crate::openers::Openers;
use crate::terminal::Terminal;
use sealstone::{Error, Rewrapper};

pub(crate) fn run(command: &Rewrap, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    files::refuse_missing(&paths, command.passphrase, common)?;
    let plan = files::plan(&paths, Direction::Rewrap, common, terminal)?;
    let mut keys = Keys::new(common);
    let recipients = keys.named_recipients(&command.recipient, &command.recipients_file)?;
    if recipients.is_empty() {
        return Err(Failure::usage_with_hint("there is no recipient", "name recipients with -r or -R"));
    }
    let with = With {
        identity: command.identity.clone(),
        passphrase: command.passphrase,
        key_file: command.key_file.clone(),
        context: None,
        allowed: Allowed { profile: command.allowed.profile },
    };
    plan.refuse_keys_as_outputs(&keys)?;
    let mut openers = Openers::new(&with, common, terminal, &mut keys)?;
    openers.prepare(&plan, &mut keys)?;
    files::run(plan, terminal, |job, watch| {
        openers.retried(&job.input, |openers| {
            let mut input = job.input.open()?;
            let output = files::output(job, &input, &paths, common, Direction::Rewrap, &keys)?;
            output.check(&input)?;
            let fitting = openers.fitting(&mut input, &job.input.name(), watch, &mut keys)?;
            let mut rewrapper = Rewrapper::new(fitting.identities.clone(), recipients.clone())
                .replace(command.replace)
                .allow_mixed(command.allow_mixed);
            if let Some(profile) = command.allowed.profile {
                rewrapper = rewrapper.profile(profile);
            }
            if let Some(threads) = common.threads {
                rewrapper = rewrapper.threads(threads.into());
            }
            if let Some(callback) = watch.callback() {
                rewrapper = rewrapper.on_progress(callback);
            }
            Ok(rewrapper
                .rewrap_to(input, output)
                .map_err(|error| match error {
                    Error::InvalidRecipients(why) if why.contains("only recipient") => Failure::from(error)
                        .with_hint("put them in the place of the passphrase, which then opens it no more: --replace"),
                    error => fitting.explain(error).on(job.input.path()).of_command("rewrap"),
                })?
                .into())
        })
    })
}
