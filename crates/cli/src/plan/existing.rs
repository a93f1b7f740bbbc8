//! Decides what happens to outputs that exist.

use super::{Direction, Job, Notice, Plan, SkipReason};
use crate::args::{Existing, Paths};
use crate::failure::Failure;
use crate::place::{FileState, Place, is_unnamed};
use sealstone::FileFormat;
use sealstone::signature::MAX_LEN;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

impl Plan {
    /// Skips the jobs whose existing outputs can be their results, and records the decision about the other existing outputs.
    /// Without --skip-existing or --newer, records the hint that names these options.
    pub(super) fn skip_done(&mut self, existing: Existing, direction: Direction) -> Result<(), Failure> {
        if existing.option().is_none() {
            let takes_option =
                matches!(direction, Direction::Encrypt { .. } | Direction::Decrypt | Direction::Sign { .. });
            for job in
                self.jobs.iter_mut().filter(|job| takes_option && job.is_one_of_several && job.initial_state.is_some())
            {
                job.verdict = Some(Verdict::Kept(
                    "--newer and --skip-existing leave out files that are done, --force replaces them, and -o names another output",
                ));
            }
            return Ok(());
        }
        self.for_each_job(
            |job| &job.output,
            |job| {
                job.verdict = job.initial_state.map(|state| decide(job, &state, existing, direction));
                job.input.release();
                Ok(())
            },
        )?;
        let is_done = |job: &Job| job.verdict == Some(Verdict::Done);
        let (done, jobs): (Vec<_>, _) = std::mem::take(&mut self.jobs).into_iter().partition(is_done);
        self.jobs = jobs;
        for job in done {
            // Printing a line for each of thousands of files would hide the failures of others.
            *self.skips.counts.entry(SkipReason::Done).or_default() += 1;
            self.notices.push(Notice::Done { input: job.input, output: job.output });
        }
        Ok(())
    }
}

/// Refuses options about existing outputs if no output can exist, or if all are replaced.
pub(super) fn refuse_without_existing(
    inputs: &[PathBuf],
    paths: &Paths,
    direction: Direction,
    force: bool,
) -> Result<(), Failure> {
    let Some(option) = paths.existing.option() else { return Ok(()) };
    let why = if force {
        "--force replaces every output"
    } else if paths.in_place {
        "--in-place has no output beside the input"
    } else if direction == Direction::DecryptRange {
        "--range writes a part of the content"
    } else if inputs.iter().any(|path| is_unnamed(path)) {
        "stdin has neither a length nor a time to compare"
    } else if matches!(Place::output(paths.output.as_deref()), Place::Descriptor(..) | Place::Standard)
        && paths.output.is_some()
    {
        "an open descriptor is not a file that exists already"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!("{option} cannot be used here: {why}")))
}

/// The decision about an output that exists when the run begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The output can be the result; its input is skipped.
    Done,
    /// The output is outdated and is replaced.
    Stale,
    /// The output is neither, for this reason, and is an error.
    Kept(&'static str),
}

/// Decides about the existing output of a job.
fn decide(job: &Job, state: &FileState, existing: Existing, direction: Direction) -> Verdict {
    if !state.is_regular {
        return Verdict::Kept(
            "the output is not a regular file, and not a result of this command: name another output",
        );
    }
    let Some(input) = job.input.content_state() else {
        return Verdict::Kept("the input is not a regular file, so that its length and time cannot be compared");
    };
    let (can_be_result, is_newer) = (can_be_result(job, &input, direction), state.is_newer_than(&input));
    match can_be_result {
        true if existing.skip_existing || is_newer => Verdict::Done,
        // Ciphertext and signatures can be made again; plaintext that was changed later cannot.
        _ if existing.newer && !(is_newer && direction.is_decryption()) => Verdict::Stale,
        _ if direction.is_decryption() => Verdict::Kept(
            "its length is not that of the input's content: it was changed or cut short, or the input is damaged; only --force replaces it",
        ),
        _ => Verdict::Kept(
            "it is cut short, of another kind, or made from an input of another length: replace it with --newer instead of --skip-existing",
        ),
    }
}

/// Whether the existing output can be the result of the job, judged without a key.
fn can_be_result(job: &Job, input: &FileState, direction: Direction) -> bool {
    // Opened as a regular file, so that a link or FIFO that took its place is refused.
    let output = match &job.output {
        Place::File(path) => Place::regular_file(path.clone()),
        output => output.clone(),
    };
    match direction {
        Direction::Encrypt { format, .. } => {
            let len = output.open().map(|output| format.plaintext_len(output));
            matches!(len, Ok(Ok(len)) if len == input.len())
        }
        Direction::Decrypt => {
            let len = job.input.open().map(|mut input| FileFormat::of(&mut input)?.plaintext_len(input));
            matches!(len, Ok(Ok(len)) if job.initial_state.is_some_and(|state| state.len() == len))
        }
        Direction::Sign { attach, format } => {
            let content_len = if attach { input.len() } else { 0 };
            let Place::Below(folder, path) = &output else { return false };
            let signature = folder.open(path).and_then(|mut file| {
                let mut signature = Vec::new();
                let found = file.seek(SeekFrom::Start(content_len));
                let read = found.and_then(|_| file.take(MAX_LEN as u64 + 1).read_to_end(&mut signature));
                read.map(|_| signature).map_err(|error| Failure::io("read", Some(path), error))
            });
            signature.is_ok_and(|signature| format.is_signature(&signature))
        }
        Direction::DecryptRange | Direction::Rewrap | Direction::Release | Direction::Hide => {
            unreachable!("plan: no option asks for the outputs that such a run has")
        }
    }
}
