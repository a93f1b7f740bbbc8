//! `sealstone decrypt`

use crate::archive;
use crate::args::{Common, Extracting, Paths, With, parse_range};
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::openers::{MatchingKeys, Openers};
use crate::plan::{self, Direction};
use crate::terminal::{NotText, Terminal};
use crate::work::{self, Bytes, Task, TaskReport};
use clap::Args;
use sealstone::Error;

/// Decrypt files, or stdin
#[derive(Args)]
#[command(after_help = "\
Each file NAME.seal, NAME.age or NAME.nkct becomes NAME beside it, or in the folder -o DIR/. There, sealed files with other names keep their names. stdin goes to stdout. \
If stdout is not a terminal, a single file needs -o; -o - writes to stdout.
An output file appears when all of it is authentic, or not at all. A pipe receives authentic parts only: check the exit \
status before you use them, or give --verify-first. --range authenticates only the parts that it reads.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is as long as the content of the input; nothing else is compared. --newer also compares modification times, and decrypts again if the output is older. An output that cannot be the result may have been changed since: it is an error, unless it is older and --newer is given, which replaces it.

Examples:
  sealstone decrypt -i identity.txt film.seal
  sealstone decrypt -i identity.txt -o copy film.seal
  sealstone decrypt -o - photos.tar.seal | tar x
  sealstone decrypt --range 1000..2000 film.seal | xxd
  sealstone decrypt --extract -o restored backup.seal
      the files and folders of an archive, which appear together
  sealstone decrypt --extract -o restored backup.seal photos/2026/a.jpg
      one file, without reading the rest")]
pub(crate) struct Decrypt {
    #[command(flatten)]
    pub(crate) with: With,
    /// Decrypt only the plaintext bytes from A up to, but not including, B, or to the end; authenticate only the parts that
    /// hold them. B may be past the end. Armour is refused. Without -o, the bytes go to stdout
    #[arg(long, value_name = "A..[B]", value_parser = parse_range, conflicts_with_all = ["verify_first", "recursive", "in_place"])]
    pub(crate) range: Option<(u64, u64)>,
    /// Authenticate everything before writing the first byte (reads the file twice)
    #[arg(long)]
    pub(crate) verify_first: bool,
    #[command(flatten)]
    pub(crate) extracting: Extracting,
    #[command(flatten)]
    pub(crate) paths: Paths,
}

pub(crate) fn run(command: &Decrypt, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    if command.extracting.extract {
        return archive::extract(&command.extracting, &command.with, &command.paths, common, terminal);
    }
    if command.range.is_some() && command.paths.inputs.len() > 1 {
        return Err(Failure::usage("--range takes one input"));
    }
    plan::refuse_missing(&command.paths, command.with.passphrase, common.has_passphrase_source())?;
    let direction = if command.range.is_some() { Direction::DecryptRange } else { Direction::Decrypt };
    let plan = work::announce(plan::plan(&command.paths, direction, common.force), terminal)?;
    let keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(&command.paths.inputs)?;
    let mut openers = Openers::new(&command.with, common, keys)?;
    openers.guard().check_stdin(&command.paths.inputs)?;
    openers.guard().check_outputs(plan.replaced_ids())?;
    openers.prepare(&plan)?;
    work::run(plan, common, terminal, |job, watch, attempt| {
        let mut input = openers.open(&job.input, attempt)?;
        let output = work::open_output(job, &input, &command.paths, common, direction, openers.guard())?;
        output.check(&input)?;
        let matching = openers.match_keys(&mut input, &job.input, watch)?;
        let mut opener = openers.make_opener(&matching, watch)?;
        opener.settings_mut().set_verify_first(command.verify_first);
        let may_ask = matching.is_for_passphrase() || matching.keys.has_plugin();
        let task = Task::new(input, move |input, threads| {
            opener.settings_mut().set_threads(threads);
            let done = match command.range {
                Some((from, to)) => opener.decrypt_range_to(input, from..to, output).map(|plaintext| TaskReport {
                    bytes: Bytes::Encrypted { plaintext, ciphertext: None },
                    line: None,
                }),
                None => opener.decrypt_to(input, output).map(TaskReport::from),
            };
            done.map_err(|error| explain(error, &matching))
        });
        Ok(task.with_passphrase(may_ask))
    })
}

fn explain(error: Error, matching: &MatchingKeys) -> Failure {
    if NotText::is_cause_of(&error) { NotText::failure() } else { matching.explain(error) }
}
