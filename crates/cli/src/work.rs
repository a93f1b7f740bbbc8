//! Runs the jobs of a plan. A command turns each job into a task; this module runs several tasks at once, and reports their results
//! in the order of the inputs.
//!
//! Tasks are made on the thread that calls [`run`], since making one may ask for a passphrase. `crew.rs` has the other threads.

use crate::args::{Common, Paths};
use crate::crew::Crew;
use crate::descriptor;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::place::Place;
use crate::plan::{Direction, Job, Notice, Plan, PlanResult, SkipReason, Skips};
use crate::terminal::{Reasons, Terminal, TextOnly, Watch};
use sealstone::{Error, FileId, FileMode, Input, Output, Summary, escape_name};
use serde_json::json;
use std::cell::LazyCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A longer file is worked on alone, by all threads. Shorter files have one thread each.
const SMALL: u64 = 4 * 1024 * 1024;

/// For a shorter input, core uses only the caller's thread, whatever the limit.
const SHORT: u64 = 1024 * 1024;

/// Tasks in flight for each thread. The thread that makes tasks also runs some, and the others must not run out of tasks meanwhile.
const AHEAD: usize = 8;

/// The limit of open files is divided by this number. A task in flight has its input, the folder of its output, the output, and for
/// a moment a second descriptor of it; the other half is left to the rest of the process.
const DESCRIPTORS: usize = 8;

/// The work on one input. Its files are open and all questions were asked, so it prints nothing and may run on any thread.
pub(crate) struct Task<'a> {
    /// Whether the task runs alone, with all threads.
    is_alone: bool,
    /// Whether one thread is enough.
    is_short: bool,
    work: Box<dyn FnOnce(usize) -> Result<TaskReport, Failure> + Send + 'a>,
}

impl<'a> Task<'a> {
    /// A task on this input; `work` is called with the number of threads that it may use.
    pub(crate) fn new(
        input: Input<'static>,
        work: impl FnOnce(Input<'static>, usize) -> Result<TaskReport, Failure> + Send + 'a,
    ) -> Self {
        let is_alone = input.len().is_some_and(|len| len > SMALL);
        let is_short = input.len().is_some_and(|len| len < SHORT);
        Self { is_alone, is_short, work: Box::new(move |threads| work(input, threads)) }
    }

    /// Runs the task alone if it has a passphrase: deriving its key takes much memory, and may have to be repeated with another
    /// passphrase before the next task is made.
    pub(crate) fn with_passphrase(mut self, has_one: bool) -> Self {
        self.is_alone |= has_one;
        self
    }

    /// Makes the task run beside others, however long its input is: more threads do not make it faster.
    pub(crate) fn on_one_thread(mut self) -> Self {
        (self.is_alone, self.is_short) = (false, true);
        self
    }
}

/// The result of a task.
pub(crate) struct TaskReport {
    pub(crate) bytes: Bytes,
    /// The line to print on stdout.
    pub(crate) line: Option<String>,
}

/// The number of bytes that a task worked on.
pub(crate) enum Bytes {
    /// Bytes of plaintext and of ciphertext; the latter are unknown for a range.
    Encrypted { plaintext: u64, ciphertext: Option<u64> },
    /// Bytes of the signed content, if known.
    Signed { content: Option<u64> },
    /// Bytes of content, and of the envelope or stream that hides it; the latter are unknown for a range.
    Hidden { content: u64, hidden: Option<u64> },
}

impl From<Summary> for TaskReport {
    fn from(summary: Summary) -> Self {
        let bytes = Bytes::Encrypted { plaintext: summary.plaintext, ciphertext: Some(summary.ciphertext) };
        Self { bytes, line: None }
    }
}

/// The first task of an input, or a second one with a new passphrase if those typed before did not open it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    Second,
}

/// The result of a task, and its duration.
type Outcome = (Result<TaskReport, Failure>, Duration);

/// Runs a task on this number of threads.
fn run_on(task: Task<'_>, threads: usize) -> Outcome {
    let start = Instant::now();
    let done = (task.work)(threads);
    (done, start.elapsed())
}

/// Prints the notices of planning, and returns the plan.
pub(crate) fn announce(planned: PlanResult, terminal: &Terminal) -> Result<Plan, Failure> {
    for notice in planned.notices {
        match notice {
            Notice::Warning(warning) => terminal.warn(warning),
            Notice::Skipped(path, why) => {
                terminal.warn(&format!("skipped {}: it {}", escape_name(&path), why.predicates().0));
            }
            Notice::Done { input, output } => terminal.print_event(|| {
                let name = |place: &Place| place.path().map(escape_name);
                json!({ "event": "skipped", "input": name(&input), "output": name(&output) })
            }),
            Notice::Failure(failure) => terminal.print_failure(&failure),
            Notice::AllSkipped(skips) => say_skipped(&skips, 0, 0, terminal),
        }
    }
    planned.plan
}

/// Prints how many files were skipped, if any; `done` of the others succeeded.
fn say_skipped(skips: &Skips, done: usize, of: usize, terminal: &Terminal) {
    if skips.counts.is_empty() {
        return;
    }
    let mut reasons = Reasons::default();
    for (why, count) in &skips.counts {
        let (one, many) = why.predicates();
        let reason = format!("{count} {}", if *count == 1 { one } else { many });
        if *why == SkipReason::Done {
            reasons.of_unnamed.push(reason.clone());
        }
        reasons.all.push(reason);
    }
    let is_mandatory = skips.is_mandatory && skips.counts.keys().any(|why| *why != SkipReason::Done);
    terminal.print_summary(done, of, skips.counts.values().sum(), &reasons, is_mandatory);
}

/// Runs all jobs. If there are several, reports each failure once all jobs before it are done.
pub(crate) fn run<'a>(
    mut plan: Plan,
    common: &Common,
    terminal: &Terminal,
    mut task: impl FnMut(&Job, &Watch, Attempt) -> Result<Task<'a>, Failure>,
) -> Result<(), Failure> {
    let jobs = std::mem::take(&mut plan.jobs);
    // Counting the threads takes the system a while, and one short input does not need it.
    let threads = LazyCell::new(|| common.threads());
    let watch = watch(jobs.iter().map(|job| &job.input), terminal);
    let of = jobs.len() + plan.failed;
    let most = match jobs.len() {
        0 | 1 => 1,
        _ if *threads == 1 => 1,
        _ => (*threads * AHEAD).min(descriptor::limit() / DESCRIPTORS).max(1),
    };
    let alone_on = |task: Task<'a>| {
        let threads = if task.is_short { 1 } else { *threads };
        run_on(task, threads)
    };
    let crew = Crew::default();
    let mut report = Report { failed: plan.failed, plan, terminal, watch: &watch, started: VecDeque::new(), first: 0 };
    std::thread::scope(|scope| {
        // This thread runs tasks too.
        let others = if most == 1 { 0 } else { threads.min(jobs.len()).min(most) - 1 };
        let (_dismissed_at_the_end, _) = crew.begin(scope, others);
        let mut jobs = jobs.into_iter().enumerate().peekable();
        while let Some((index, job)) = jobs.next() {
            if matches!(job.input, Place::Standard) {
                terminal.announce_stdin();
            }
            let waits = job.input.may_wait();
            if waits || report.may_collide(&job) {
                report.work_until(&crew, 0)?;
            }
            let mut prepare = |attempt| {
                // The first job cannot collide with another of this run, but the output that it replaces may have changed since.
                let allowed = if index == 0 && !job.is_stale() { Ok(()) } else { refuse_own_output(&job) };
                allowed.and_then(|()| task(&job, &watch, attempt))
            };
            let mut made = prepare(Attempt::First);
            if matches!(&made, Err(failure) if matches!(failure.error(), Some(Error::Io { .. })))
                && crew.in_flight() > 0
            {
                // A task in flight may be writing the file that this one reads.
                report.work_until(&crew, 0)?;
                made = prepare(Attempt::First);
            }
            let outcome = match made {
                Err(failure) => Some((Err(failure), Duration::ZERO)),
                Ok(task) if task.is_alone || waits || of == 1 => {
                    report.work_until(&crew, 0)?;
                    match alone_on(task) {
                        (Err(Failure::WrongPassphrase { is_input: true, .. }), elapsed) => {
                            Some(prepare(Attempt::Second).map_or_else(|failure| (Err(failure), elapsed), alone_on))
                        }
                        outcome => Some(outcome),
                    }
                }
                Ok(task) => {
                    crew.give(index, move || run_on(task, 1));
                    None
                }
            };
            // There may be more folders than descriptors.
            let next = jobs.peek().map(|(_, job)| job);
            if next.is_none_or(|next| !next.input.is_beside(&job.input)) {
                job.input.release();
            }
            if next.is_none_or(|next| !next.output.is_beside(&job.output)) {
                job.output.release();
            }
            report.started.push_back((job, outcome));
            report.work_until(&crew, most - 1)?;
        }
        report.work_until(&crew, 0)
    })?;
    assert!(report.started.is_empty(), "work: every job is reported");
    watch.finish();
    let Report { plan, failed, .. } = report;
    say_skipped(&plan.skips, of - failed, of, terminal);
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

/// Shows the progress of the work on all inputs as one operation.
pub(crate) fn watch<'a>(inputs: impl ExactSizeIterator<Item = &'a Place> + Clone, terminal: &Terminal) -> Watch {
    let mut first = inputs.clone();
    match (first.next(), first.next()) {
        (Some(input), None) => terminal.watch(&input.name()),
        _ => terminal.watch_several(inputs.len(), || inputs.map(Place::len).sum()),
    }
}

/// Reports the results of the jobs in their order.
struct Report<'a> {
    plan: Plan,
    terminal: &'a Terminal,
    watch: &'a Watch,
    failed: usize,
    /// The jobs that were started and not yet reported, each with its outcome once it is done.
    started: VecDeque<(Job, Option<Outcome>)>,
    /// Index of the first job in `started`.
    first: usize,
}

impl Report<'_> {
    /// Runs tasks and reports outcomes until at most `in_flight` tasks are in flight.
    fn work_until(&mut self, crew: &Crew<'_, Outcome>, in_flight: usize) -> Result<(), Failure> {
        loop {
            let (done, still_in_flight) = crew.take_results();
            for (index, outcome) in done {
                self.started[index - self.first].1 = Some(outcome);
            }
            while let Some((job, outcome)) = self.started.pop_front() {
                let Some(outcome) = outcome else {
                    self.started.push_front((job, None));
                    break;
                };
                self.first += 1;
                self.report(&job, outcome)?;
            }
            if still_in_flight <= in_flight {
                return Ok(());
            }
            crew.help();
        }
    }

    fn report(&mut self, job: &Job, (done, elapsed): Outcome) -> Result<(), Failure> {
        let (terminal, watch) = (self.terminal, self.watch);
        if !self.plan.has_several {
            watch.finish();
        }
        match done.and_then(|done| watch.suspend_bar(|| print(done.line.as_deref())).map(|()| done)) {
            Ok(done) => {
                terminal.print_event(|| {
                    let mut event = json!({
                        "event": "done",
                        "input": job.input.path().map(escape_name), "output": job.output.path().map(escape_name),
                        "seconds": elapsed.as_secs_f64(),
                    });
                    match done.bytes {
                        Bytes::Encrypted { plaintext, ciphertext } => {
                            event["plaintext_bytes"] = plaintext.into();
                            event["ciphertext_bytes"] = ciphertext.into();
                        }
                        Bytes::Signed { content } => event["content_bytes"] = content.into(),
                        Bytes::Hidden { content, hidden } => {
                            event["content_bytes"] = content.into();
                            event["hidden_bytes"] = hidden.into();
                        }
                    }
                    event
                });
            }
            Err(failure) => {
                let failure = if job.is_one_of_several && job.initial_state.is_none() {
                    explain_collision(failure)
                } else {
                    failure
                };
                let failure = job.explain(failure);
                let failure = self.plan.explain(&job.input, failure.on(job.input.path()));
                // After a broken pipe, the reader of stdout has gone, and no file is at fault.
                if !self.plan.has_several || failure.is_broken_pipe() {
                    if job.written.load(Ordering::Relaxed) > 0 && !failure.is_broken_pipe() {
                        terminal.warn("the output is incomplete: it does not have the whole file");
                    }
                    return Err(failure);
                }
                watch.suspend_bar(|| terminal.print_failure(&failure));
                self.failed += 1;
            }
        }
        Ok(())
    }

    /// Whether this job and one in flight may write the same file under names that only the folder treats as equal, so that one
    /// would replace the other's output. Without an existing file nothing is replaced, and two names in one folder listing are
    /// different files.
    fn may_collide(&self, job: &Job) -> bool {
        let is_listed = |other: &Job| job.input.path() == job.output.path() && job.input.is_beside(&other.input);
        self.started.iter().filter(|(_, outcome)| outcome.is_none()).any(|(other, _)| {
            match (job.initial_state, other.initial_state) {
                (None, None) => false,
                (Some(one), Some(other_one)) => one.may_be_same_as(&other_one) && !is_listed(other),
                // The file system may have reported a file that no longer exists.
                _ => true,
            }
        })
    }
}

fn print(line: Option<&str>) -> Result<(), Failure> {
    let written = line.map_or(Ok(()), |line| writeln!(io::stdout().lock(), "{line}"));
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// Refuses to write if the output is not the file that was there when the run began. In place, the input has changed. Elsewhere, an
/// earlier job of this run wrote it, under a name that the folder treats as equal; only the file system knows which names those
/// are.
fn refuse_own_output(job: &Job) -> Result<(), Failure> {
    let now = job.output.file_state();
    match (now, job.output.path()) {
        (Some(_), Some(path)) if now != job.initial_state && job.input.path() == Some(path) => {
            Err(Error::InputChanged(path.to_path_buf()).into())
        }
        (Some(_), Some(path)) if now != job.initial_state => {
            Err(explain_collision(Error::OutputExists(path.to_path_buf()).into()))
        }
        _ => Ok(()),
    }
}

/// Explains the failure of a job whose output did not exist when the run began.
fn explain_collision(failure: Failure) -> Failure {
    match failure.error() {
        Some(Error::OutputExists(_)) => failure.with_hint(
            "it appeared during this run: its folder may treat two names as one, such as a and A; write this output to another folder",
        ),
        _ => failure,
    }
}

/// Opens the output of a job.
pub(crate) fn open_output(
    job: &Job,
    input: &Input<'_>,
    paths: &Paths,
    common: &Common,
    direction: Direction,
    guard: &Guard,
) -> Result<Output<'static>, Failure> {
    let stream = |number, name: &Path| {
        let file = descriptor::duplicate_to_write(number).map_err(|error| Failure::io("open", Some(name), error))?;
        let id = FileId::of(&file)?;
        let file = CountingFile { inner: file, written: job.written.clone() };
        if direction.has_content() && paths.output.is_none() && io::stdout().is_terminal() {
            Ok::<_, Failure>(Output::stream(TextOnly::new(file), id, Some(name)))
        } else {
            Ok(Output::stream(file, id, Some(name)))
        }
    };
    let output = match &job.output {
        Place::Standard => stream(descriptor::STDOUT, Path::new("stdout"))?,
        Place::Descriptor(number, name) => stream(*number, name)?,
        // The name of a descriptor is a link.
        Place::Below(_, path)
            if job.initial_state.is_some_and(|state| !state.is_regular) && descriptor::parse_path(path).is_some() =>
        {
            let failure = Failure::from(Error::OutputExists(path.clone()));
            return Err(failure.with_hint("it is an open descriptor, and is not replaced: name another output"));
        }
        Place::File(path) => Output::file(path)?,
        Place::Below(folder, path) => Output::file_in(&folder.parent(path)?, path)?,
        Place::Nowhere => unreachable!("work: this job has an output"),
    };
    let keeps_mode = paths.preserve_mode || (paths.in_place && !direction.is_decryption());
    let mode = match input.mode().filter(|_| keeps_mode) {
        Some(mode) => FileMode::Exactly(mode),
        None if direction.is_decryption() => FileMode::Private,
        None if direction.has_content() && is_private(input) => FileMode::Private,
        None => FileMode::Shared,
    };
    // Another job in flight may be about to write the same file, so a file that did not exist is not replaced.
    let is_known = job.initial_state.is_some() || !job.is_one_of_several;
    let output =
        output.mode(mode).sync(!common.no_sync).replace(common.force && is_known || job.is_stale() || paths.in_place);
    Ok(guard.apply(if paths.in_place { output.in_place().split_links(common.force) } else { output }))
}

/// Whether an input is readable by its owner alone, so that its copies must be, too.
fn is_private(input: &Input<'_>) -> bool {
    let mode = input.mode().filter(|_| input.len().is_some());
    mode.is_some_and(|mode| mode & !0o700 == 0)
}

/// Counts the bytes written, so that an error can say whether the output is incomplete.
struct CountingFile {
    inner: File,
    written: Arc<AtomicU64>,
}

impl Write for CountingFile {
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
