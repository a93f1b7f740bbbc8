//! `sealstone rewrap`

use crate::args::{Allowed, Common, Paths, Pinned, Plugins, Rewrapping, With};
use crate::failure::Failure;
use crate::format;
use crate::keyring::Keyring;
use crate::openers::Openers;
use crate::plan::{self, Direction};
use crate::terminal::Terminal;
use crate::work::{self, Task};
use clap::Args;
use sealstone::{Error, RecipientsRule};
use std::path::PathBuf;

/// Give files to other recipients without decrypting them
#[derive(Args)]
#[command(after_help = "\
Each file is replaced when its new form is complete; the payload is copied without decrypting it. The named recipients are added; with \
--replace, they replace all others. One command adds a recipient only once. A file does not say who its recipients are, so the \
same command adds them again. Rewrapping cannot revoke access: whoever could open a file before can open every \
copy of its payload. Instead, decrypt the content and encrypt it again.

Examples:
  sealstone rewrap -r bob.pub film.seal
  sealstone rewrap -r me.pub --replace --recursive backup")]
pub(crate) struct Rewrap {
    /// Open with the identities in a file (default: ~/.config/sealstone/identity.txt); may be repeated
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Vec<PathBuf>,
    /// Open with a passphrase; new recipients can only replace it (--replace)
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Open with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    /// Add a recipient (age1…, age1pq1…), a name (@bob) or the recipients in a file; may be repeated
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: Vec<String>,
    /// Add the recipients in a file, one on each line or PEM; may be repeated
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) recipients_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    #[command(flatten)]
    pub(crate) rewrapping: Rewrapping,
    /// Process all sealed files in folders
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Sealed files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}

pub(crate) fn run(command: &Rewrap, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let paths = Paths::in_place(&command.inputs, command.recursive);
    plan::refuse_missing(&paths, command.passphrase, common.has_passphrase_source())?;
    let plan = work::announce(plan::plan(&paths, Direction::Rewrap, common.force), terminal)?;
    let mut keys = Keyring::new(common, terminal);
    keys.pin(&command.pinned);
    let programs = keys.programs(&command.plugins);
    let recipients = keys.find_all_recipients(&command.recipient, &command.recipients_file, true, &programs)?;
    keys.check_pins()?;
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
    keys.guard.check_outputs(plan.replaced_ids())?;
    let mut openers = Openers::new(&with, common, keys)?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let output = work::open_output(job, &input, &paths, common, Direction::Rewrap, openers.guard())?;
        output.check(&input)?;
        let matching = openers.match_keys(&mut input, &job.input, watch)?;
        let rewrapper = format::of(matching.format).rewrapper(&matching.keys, &recipients, &command.rewrapping);
        let mut rewrapper = rewrapper.map_err(|failure| failure.of_format(job.input.path()))?;
        if let Some(callback) = watch.callback() {
            rewrapper.settings_mut().set_progress(callback);
        }
        let may_ask = matching.is_for_passphrase() || matching.keys.has_plugin() || !recipients.plugins.is_empty();
        let task = Task::new(input, move |input, threads| {
            rewrapper.settings_mut().set_threads(threads);
            match rewrapper.rewrap_to(input, output) {
            Ok(summary) => Ok(summary.into()),
            Err(error @ Error::InvalidRecipients(RecipientsRule::PassphraseAlone)) => Err(Failure::from(error)
                .with_hint("--replace puts the new recipients in the place of the passphrase, which then no longer opens the file")),
            Err(error @ Error::InvalidRecipients(RecipientsRule::TakenBySuite)) => Err(Failure::from(error)
                .with_hint("a file keeps its suite: decrypt it, and encrypt the content again")),
            Err(error) => Err(matching.explain(error).for_command("rewrap")),
        }
        });
        Ok(task.with_passphrase(may_ask))
    })
}
