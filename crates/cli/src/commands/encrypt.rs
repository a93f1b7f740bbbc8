//! `sealstone encrypt`

use crate::args::{Common, Encrypt};
use crate::failure::Failure;
use crate::keyring::{Keyring, each_once};
use crate::passphrase;
use crate::plan::{self, Direction};
use crate::terminal::Terminal;
use crate::work::{self, Task};
use sealstone::{Encryptor, Error, Kind, Recipient, RecipientsRule};

pub(crate) fn run(command: &Encrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    plan::refuse_missing(&command.paths, command.passphrase, common)?;
    let has_recipients =
        !(command.recipient.is_empty() && command.recipients_file.is_empty() && command.key_file.is_empty());
    if !has_recipients && !command.passphrase && !common.has_passphrase_source() {
        // Where the output goes matters after that.
        Encryptor::new(Vec::new()).check_recipients()?;
    }
    let direction = Direction::Encrypt { armour: command.armor };
    let plan = plan::plan(&command.paths, direction, common, terminal)?;
    let mut keys = Keyring::new(common);
    keys.check_stdin(&command.paths.inputs)?;
    let recipients = recipients(command, common, terminal, &mut keys)?;
    let has_passphrase = recipients.iter().any(|one| one.kind() == Kind::Passphrase);
    let mut encryptor = Encryptor::new(recipients).allow_mixed(command.allow_mixed).armour(command.armor);
    if let Some(suite) = command.suite {
        encryptor = encryptor.suite(suite);
    }
    if let Some(profile) = command.allowed.profile {
        encryptor = encryptor.profile(profile);
    }
    keys.check_stdin(&command.paths.inputs)?;
    encryptor.check_recipients()?;
    keys.check_outputs(plan.replaced())?;
    if let Some(context) = &command.context {
        encryptor = encryptor.context(context)?;
    }
    work::run(plan, common, terminal, |job, watch, _| {
        let input = job.input.open()?;
        let output = work::output(job, &input, &command.paths, common, direction, &keys)?;
        let mut encryptor = encryptor.clone();
        if let Some(callback) = watch.callback() {
            encryptor = encryptor.on_progress(callback);
        }
        let task =
            Task::new(input, move |input, threads| Ok(encryptor.threads(threads).encrypt_to(input, output)?.into()));
        Ok(task.with_passphrase(has_passphrase))
    })
}

fn recipients(
    command: &Encrypt,
    common: &Common,
    terminal: &Terminal,
    keys: &mut Keyring,
) -> Result<Vec<Recipient>, Failure> {
    let mut found = keys.named_recipients(&command.recipient, &command.recipients_file)?;
    for path in &command.key_file {
        found.extend(keys.symmetric(path, common, terminal)?.iter().map(sealstone::Identity::recipient));
    }
    let mut found = each_once(found);
    // Beside a key file it opens that.
    if command.passphrase || common.has_passphrase_source() && command.key_file.is_empty() {
        if let Some(profile) = command.allowed.profile {
            profile.check_kind(Kind::Passphrase)?;
        }
        if !found.is_empty() {
            let error = Error::InvalidRecipients(RecipientsRule::PassphraseAlone);
            return Err(Failure::from(error).with_hint("leave out the passphrase, or all other recipients"));
        }
        found.push(passphrase::ask_new(common, "the file")?.into());
    }
    Ok(found)
}
