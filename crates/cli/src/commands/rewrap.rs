//! `sealstone rewrap`

use crate::args::{Allowed, Common, Paths, Rewrap, With};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::openers::Openers;
use crate::plan::{self, Direction};
use crate::terminal::Terminal;
use crate::work::{self, Task};
use sealstone::{Error, RecipientsRule, Rewrapper};

pub(crate) fn run(command: &Rewrap, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    plan::refuse_missing(&paths, command.passphrase, common)?;
    let plan = plan::plan(&paths, Direction::Rewrap, common, terminal)?;
    let mut keys = Keyring::new(common);
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
    keys.check_outputs(plan.replaced())?;
    let mut openers = Openers::new(&with, common, terminal, keys)?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let output = work::output(job, &input, &paths, common, Direction::Rewrap, openers.keys())?;
        output.check(&input)?;
        let fitting = openers.fitting(&mut input, &job.input, watch)?;
        let mut rewrapper = Rewrapper::new(fitting.identities.clone(), recipients.clone())
            .replace(command.replace)
            .allow_mixed(command.allow_mixed);
        if let Some(profile) = command.allowed.profile {
            rewrapper = rewrapper.profile(profile);
        }
        if let Some(callback) = watch.callback() {
            rewrapper = rewrapper.on_progress(callback);
        }
        let has_passphrase = fitting.is_for_passphrase();
        let task = Task::new(input, move |input, threads| match rewrapper.threads(threads).rewrap_to(input, output) {
            Ok(summary) => Ok(summary.into()),
            Err(error @ Error::InvalidRecipients(RecipientsRule::PassphraseAlone)) => Err(Failure::from(error)
                .with_hint("put them in the place of the passphrase, which then opens it no more: --replace")),
            Err(error) => Err(fitting.explain(error).of_command("rewrap")),
        });
        Ok(task.with_passphrase(has_passphrase))
    })
}
