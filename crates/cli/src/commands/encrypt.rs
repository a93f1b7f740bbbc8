//! `sealstone encrypt`

use crate::archive;
use crate::args::{Common, Paths, Pinned, Plugins, Sealing};
use crate::failure::Failure;
use crate::format;
use crate::keyring::{Keyring, remove_duplicates};
use crate::keys::Recipients;
use crate::passphrase;
use crate::plan::{self, Direction};
use crate::terminal::Terminal;
use crate::work::{self, Task, TaskReport};
use clap::Args;
use sealstone::{Encryptor, Error, FileFormat, Kind, RecipientsRule, Suite, escape_name};
use std::path::PathBuf;

/// Encrypt files, or stdin
#[derive(Args)]
#[command(after_help = "\
Each file NAME becomes NAME.seal (NAME.age or NAME.nkct in those formats) beside it, or in the folder -o DIR/; stdin goes to stdout. --recursive skips files that \
are sealed already, and prints how many.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is a complete file of the format and its content is as long as the input. Its recipients and its authenticity are not checked. --newer also compares modification times, and encrypts again if the output is older or cannot be the result. --skip-existing replaces nothing: an output that cannot be the result is an error.

Examples:
  sealstone encrypt -r age1pq1… film
  tar c photos | sealstone encrypt -R friends.txt > photos.tar.seal
  sealstone encrypt -p -o notes.seal notes.txt
  sealstone encrypt -r age1pq1… --recursive photos -o backup/
  sealstone encrypt -r age1pq1… --recursive photos -o backup/ --newer
      every night: encrypts new and changed files
  sealstone encrypt -r age1pq1… -o - film | ssh host 'cat > film.seal'
  sealstone encrypt --format age -r ~/.ssh/id_ed25519.pub film
  sealstone encrypt -r age1pq1… --archive photos -o backup.seal
      one file with all names and links, compressed; `list` and `decrypt --extract` read it")]
pub(crate) struct Encrypt {
    /// Encrypt to a recipient (age1…, age1pq1…, or age1NAME1… of a plugin), to a name (@bob) or to the recipients in a file
    /// (age, PEM, DER, JWK); may be repeated
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: Vec<String>,
    /// Encrypt to the recipients in a file, one on each line or PEM; may be repeated
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) recipients_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    /// Encrypt with a passphrase
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Encrypt with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) sealing: Sealing,
    #[command(flatten)]
    pub(crate) paths: Paths,
}

pub(crate) fn run(command: &Encrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    check_options(command)?;
    if !command.sealing.archiving.archive {
        plan::refuse_missing(&command.paths, command.passphrase, common.has_passphrase_source())?;
    }
    let has_recipients = !(command.recipient.is_empty()
        && command.recipients_file.is_empty()
        && command.key_file.is_empty()
        && command.plugins.plugin.is_empty());
    if !has_recipients && !command.passphrase && !common.has_passphrase_source() {
        // Missing recipients are reported before a missing output.
        Encryptor::new(Vec::new()).check_recipients()?;
    }
    if command.sealing.archiving.archive {
        return run_archive(command, common, terminal);
    }
    let direction = Direction::Encrypt { armour: command.sealing.armor, format: command.sealing.format };
    let plan = work::announce(plan::plan(&command.paths, direction, common.force), terminal)?;
    warn_of_name(command, terminal);
    let mut keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(&command.paths.inputs)?;
    keys.pin(&command.pinned);
    let recipients = read_recipients(command, &mut keys)?;
    let may_ask = recipients.own.iter().any(|one| one.kind() == Kind::Passphrase) || !recipients.plugins.is_empty();
    keys.guard.check_stdin(&command.paths.inputs)?;
    let encryptor = format::of(command.sealing.format).encryptor(&command.sealing, &recipients)?;
    keys.guard.check_outputs(plan.replaced_ids())?;
    work::run(plan, common, terminal, |job, watch, _| {
        let input = job.input.open()?;
        let output = work::open_output(job, &input, &command.paths, common, direction, &keys.guard)?;
        let mut encryptor = encryptor.boxed();
        if let Some(callback) = watch.callback() {
            encryptor.settings_mut().set_progress(callback);
        }
        let format = command.sealing.format;
        let task = Task::new(input, move |input, threads| {
            encryptor.settings_mut().set_threads(threads);
            encryptor.encrypt_to(input, output).map(TaskReport::from).map_err(|error| format::explain(format, error))
        });
        Ok(task.with_passphrase(may_ask))
    })
}

/// Encrypts the inputs as one archive.
fn run_archive(command: &Encrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let output = archive::output_of(&command.paths)?;
    let mut keys = Keyring::new(common, terminal);
    keys.pin(&command.pinned);
    let recipients = read_recipients(command, &mut keys)?;
    for input in command.paths.inputs.iter().chain(&command.sealing.archiving.exclude_from) {
        keys.guard.protect(input);
    }
    let encryptor = format::sealstone::encryptor(&command.sealing, &recipients)?;
    archive::encrypt(encryptor, &command.sealing.archiving, &command.paths, &output, common, terminal, &keys.guard)
}

/// Refuses options that the format does not support, before any question.
fn check_options(command: &Encrypt) -> Result<(), Failure> {
    let sealing = &command.sealing;
    let format = format::of(sealing.format);
    let given = [
        ("--suite", sealing.suite.is_some()),
        ("--suite sm4-gcm", sealing.suite == Some(Suite::Sm4Gcm)),
        ("--armor", sealing.armor),
        ("--passphrase", command.passphrase),
        ("--plugin", !command.plugins.plugin.is_empty()),
        ("--context", sealing.context.is_some()),
        ("--profile", sealing.allowed.profile.is_some()),
        ("--key-file", !command.key_file.is_empty()),
        ("--allow-mixed", sealing.allow_mixed),
        ("--archive", sealing.archiving.archive),
        ("--compress", sealing.archiving.compress.is_some()),
    ];
    match given.iter().find(|(option, is_given)| *is_given && format.unsupported_options().contains(option)) {
        Some((option, _)) => Err(Failure::usage(format!("{} files have no {option}", format.program()))),
        None => Ok(()),
    }
}

/// Warns if the output's name has the suffix of another format, since that format's program could not open it.
fn warn_of_name(command: &Encrypt, terminal: &Terminal) {
    let Some(output) = &command.paths.output else { return };
    let name = output.as_os_str().as_encoded_bytes();
    let own = FileFormat::Sealstone;
    for other in FileFormat::ALL.into_iter().filter(|format| *format != own) {
        if command.sealing.format == own && name.ends_with(other.suffix().as_bytes()) {
            let (shown, suffix) = (escape_name(output), other.suffix());
            terminal.warn(&format!(
                "{shown} is in Sealstone's own format, which no other program reads: --format {} writes {suffix} files",
                other.name()
            ));
        }
    }
}

fn read_recipients(command: &Encrypt, keys: &mut Keyring<'_>) -> Result<Recipients, Failure> {
    let (named, files) = (&command.recipient, &command.recipients_file);
    let programs = keys.programs(&command.plugins);
    let format = format::of(command.sealing.format);
    let mut found = format.recipients(keys, named, files, &programs)?;
    for name in &command.plugins.plugin {
        found.plugins.push(programs.find_without_data(name)?.recipient());
    }
    keys.check_pins()?;
    for path in &command.key_file {
        found.own.extend(keys.read_symmetric_keys(path)?.iter().map(sealstone::Identity::recipient));
    }
    found.own = remove_duplicates(found.own);
    // With a key file, the passphrase opens that file and is no recipient.
    if command.passphrase || keys.source.is_named() && command.key_file.is_empty() {
        if format.unsupported_options().contains(&"--passphrase") {
            let program = format.program();
            return Err(Failure::usage(format!("{program} files cannot be encrypted with a passphrase")));
        }
        if let Some(profile) = command.sealing.allowed.profile {
            profile.check_kind(Kind::Passphrase)?;
        }
        if !found.is_empty() {
            let error = Error::InvalidRecipients(RecipientsRule::PassphraseAlone);
            return Err(Failure::from(error).with_hint("leave out the passphrase, or all other recipients"));
        }
        found.own.push(passphrase::ask_new(keys.source, "the file")?.into());
    }
    Ok(found)
}
