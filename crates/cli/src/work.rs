//! The work on the jobs of a plan. A command makes of each job a task, which is a value; this module runs the tasks in the
//! order of the inputs, and says what came of each.

use crate::args::{Common, Paths};
use crate::descriptor;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::place::Place;
use crate::plan::{Direction, Job, Plan};
use crate::terminal::{Terminal, TextOnly, Watch};
use sealstone::{Error, FileId, FileMode, Input, Output, Summary, escape_name};
use serde_json::json;
use std::fs::File;
use std::io::{self, IoSlice, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is to be done on one input. Its files are open, and whoever watches has been asked for what it needs: it says
/// nothing, and may run on any thread.
pub(crate) type Task<'a> = Box<dyn FnOnce() -> Result<Done, Failure> + Send + 'a>;

/// What a task has done.
pub(crate) struct Done {
    /// Bytes of plaintext.
    pub(crate) plaintext: u64,
    /// Bytes of ciphertext, which are not known of a range.
    pub(crate) ciphertext: Option<u64>,
    /// What stdout is told of it.
    pub(crate) line: Option<String>,
}

impl From<Summary> for Done {
    fn from(summary: Summary) -> Self {
        Self { plaintext: summary.plaintext, ciphertext: Some(summary.ciphertext), line: None }
    }
}

/// The first task of an input; or the second, which is asked for when a passphrase that was asked for before did not open it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    Second,
}

/// Does all jobs; each failure is reported as it happens when there are several.
pub(crate) fn run<'a>(
    mut plan: Plan,
    terminal: &Terminal,
    mut task: impl FnMut(&Job, &Watch, Attempt) -> Result<Task<'a>, Failure>,
) -> Result<(), Failure> {
    let jobs = std::mem::take(&mut plan.jobs);
    let (mut failed, of) = (plan.failed, jobs.len() + plan.failed);
    let mut is_first = true;
    // Each job goes when it is done, and the last of a folder closes it.
    for job in jobs {
        if matches!(job.input, Place::Standard) {
            terminal.awaits_stdin();
        }
        let watch = terminal.watch(&job.input.name());
        let mut attempt = |attempt| task(&job, &watch, attempt).and_then(|task| task());
        let allowed = if is_first { Ok(()) } else { refuse_own_output(&job) };
        let done = match allowed.and_then(|()| attempt(Attempt::First)) {
            Err(Failure::WrongPassphrase { is_input: true, .. }) => attempt(Attempt::Second),
            done => done,
        };
        is_first &= done.is_err();
        let elapsed = watch.finish();
        match done.and_then(|done| print(done.line.as_deref()).map(|()| done)) {
            Ok(done) => terminal.event(&json!({
                "event": "done", "input": job.input.path().map(escape_name), "output": job.output.path().map(escape_name),
                "plaintext_bytes": done.plaintext, "ciphertext_bytes": done.ciphertext,
                "seconds": elapsed.as_secs_f64(),
            })),
            Err(failure) => {
                let failure = plan.explain(&job.input, failure.on(job.input.path()));
                if !plan.several {
                    if job.written.load(Ordering::Relaxed) > 0 && !failure.is_broken_pipe() {
                        terminal.warning("output incomplete: what was written is not the whole file");
                    }
                    return Err(failure);
                }
                terminal.failure(&failure);
                failed += 1;
            }
        }
    }
    plan.say_skipped(of - failed, of, terminal);
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

fn print(line: Option<&str>) -> Result<(), Failure> {
    let written = line.map_or(Ok(()), |line| writeln!(io::stdout().lock(), "{line}"));
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// Refuses to write where another file stands than when the run began. In place that is a change of the input. Elsewhere it
/// is an output of this run, whose name this folder does not tell from the one of this job: which names those are only the
/// file system knows.
fn refuse_own_output(job: &Job) -> Result<(), Failure> {
    let now = job.output.standing();
    match (now, job.output.path()) {
        (Some(_), Some(path)) if now != job.standing && job.input.path() == Some(path) => {
            Err(Error::InputChanged(path.to_path_buf()).into())
        }
        (Some(_), Some(path)) if now != job.standing => {
            let failure = Failure::from(Error::OutputExists(path.to_path_buf()));
            Err(failure.with_hint(
                "it has come there during this run: its folder may treat two names as one, such as a and A; write this one to another folder",
            ))
        }
        _ => Ok(()),
    }
}

/// The output of a job.
pub(crate) fn output(
    job: &Job,
    input: &Input<'_>,
    paths: &Paths,
    common: &Common,
    direction: Direction,
    keys: &Keyring,
) -> Result<Output<'static>, Failure> {
    let stream = |number, name: &Path| {
        let file = descriptor::to_write(number).map_err(|error| Failure::io("open", Some(name), error))?;
        let id = FileId::of(&file)?;
        let file = Counted { inner: file, written: job.written.clone() };
        if direction.decrypts() && paths.output.is_none() && io::stdout().is_terminal() {
            Ok::<_, Failure>(Output::stream(TextOnly::new(file), id, Some(name)))
        } else {
            Ok(Output::stream(file, id, Some(name)))
        }
    };
    let output = match &job.output {
        Place::Standard => stream(descriptor::STDOUT, Path::new("stdout"))?,
        Place::Descriptor(number, name) => stream(*number, name)?,
        Place::Below(_, path) if descriptor::named(path).is_some() => {
            let failure = Failure::from(Error::OutputExists(path.clone()));
            return Err(failure.with_hint("it stands for an open descriptor, and is not replaced; name another output"));
        }
        Place::File(path) => Output::file(path)?,
        Place::Below(folder, path) => Output::file_in(&folder.parent(path)?.into(), path)?,
        Place::Nowhere => unreachable!("work: this job has an output"),
    };
    let keeps_mode = paths.preserve_mode || (paths.in_place && !direction.decrypts());
    let mode = match input.mode().filter(|_| keeps_mode) {
        Some(mode) => FileMode::Exactly(mode),
        None if direction.decrypts() => FileMode::Private,
        None => FileMode::Shared,
    };
    let output = output.mode(mode).sync(!common.no_sync).replace(common.force || paths.in_place);
    Ok(keys.guard(if paths.in_place { output.in_place() } else { output }))
}

/// Counts what is written, so that an error can say whether the output is incomplete.
struct Counted {
    inner: File,
    written: Arc<AtomicU64>,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let n = self.inner.write_vectored(slices)?;
        self.written.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
