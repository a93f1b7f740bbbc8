//! `sealstone rewrap`

use crate::args::{Allowed, Common, Paths, Rewrap, With};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::openers::Openers;
use crate::plan::{self, Direction};
use crate::plugin::Programs;
use crate::sealer;
use crate::terminal::Terminal;
use crate::work::{self, Task};
use sealstone::{Error, RecipientsRule};

pub(crate) fn run(command: &Rewrap, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    plan::refuse_missing(&paths, command.passphrase, common)?;
    let plan = plan::plan(&paths, Direction::Rewrap, common, terminal)?;
    let mut keys = Keyring::new(common);
    keys.pin(&command.pinned);
    let programs = Programs::new(&command.plugins, common, terminal);
    let recipients = keys.named_recipients_of_all(&command.recipient, &command.recipients_file, true, &programs)?;
    keys.check_pinned()?;
    if recipients.is_empty() {
        return Err(Failure::usage_with_hint("there is no recipient", "name recipients with -r or -R"));
    }
    let with = With {
        identity: command.identity.clone(),
        passphrase: command.passphrase,
        key_file: command.key_file.clone(),
        context: None,
        scrypt_max: None,
        plugins: command.plugins.clone(),
        allowed: Allowed { profile: command.rewrapping.allowed.profile },
    };
    keys.check_outputs(plan.replaced())?;
    let mut openers = Openers::new(&with, common, terminal, keys)?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let output = work::output(job, &input, &paths, common, Direction::Rewrap, openers.keys())?;
        output.check(&input)?;
        let fitting = openers.fitting(&mut input, &job.input, watch)?;
        let mut rewrapper = sealer::rewrapper(&fitting.stanzas, &fitting.keys, &recipients, &command.rewrapping)?;
        if let Some(callback) = watch.callback() {
            rewrapper.settings_mut().set_progress(callback);
        }
        let asks = fitting.is_for_passphrase() || fitting.keys.has_plugin() || !recipients.plugins.is_empty();
        let task = Task::new(input, move |input, threads| {
            rewrapper.settings_mut().set_threads(threads);
            match rewrapper.rewrap_to(input, output) {
            Ok(summary) => Ok(summary.into()),
            Err(error @ Error::InvalidRecipients(RecipientsRule::PassphraseAlone)) => Err(Failure::from(error)
                .with_hint("--replace puts the new recipients in the place of the passphrase, which then no longer opens the file")),
            Err(error) => Err(fitting.explain(error).of_command("rewrap")),
        }
        });
        Ok(task.with_passphrase(asks))
    })
}
