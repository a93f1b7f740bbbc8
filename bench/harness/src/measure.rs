//! One run: contenders agree, then take turns.

use crate::definition::{Check, Content, Definition, Entry, LEAST_REPETITIONS, Place, Size};
use crate::engine::{Engine, OUTPUT_MAX_LEN, Places, Process, Ready, Refusal};
use crate::machine;
use crate::record::{Beside, Contender, EngineInfo, Outcome, Sample};
use crate::samples;
use crate::stats;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A peer has so many rounds at least.
const FEW: usize = 2;
/// A sample of a short operation lasts so long, so that the clock does not matter.
pub const STRETCH_NS: u64 = 20_000_000;

/// What the name of an earlier commit's engine begins with.
pub const BEFORE: &str = "before/";

/// How a run goes.
#[derive(Debug, Clone)]
pub struct Plan {
    pub places: Places,
    /// Where the engines of an earlier commit are, whose names begin with [`BEFORE`].
    pub before: Option<Places>,
    /// Where files are written for each kind of place.
    pub tmpfs: PathBuf,
    pub disk: PathBuf,
    /// Only these engines; all when empty.
    pub only: Vec<String>,
    /// Nothing is timed: every operation is done once, at the smallest size.
    pub sanity: bool,
    /// An engine that cannot be built is an error, not a gap.
    pub strict: bool,
    /// Part of each definition's repetitions, in percent; never under 5 of them.
    pub effort: u64,
}

/// Engines that were built, or why not.
pub struct Engines<'a> {
    plan: &'a Plan,
    built: BTreeMap<String, (Engine, Result<String, String>)>,
}

impl<'a> Engines<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Self { plan, built: BTreeMap::new() }
    }

    /// Builds an engine when it is first asked for.
    fn get(&mut self, name: &str) -> Result<&(Engine, Result<String, String>), String> {
        if !self.built.contains_key(name) {
            let engine = match (name.strip_prefix(BEFORE), &self.plan.before) {
                (Some(folder), Some(before)) => Engine::read(folder, before)?,
                _ => Engine::read(name, &self.plan.places)?,
            };
            eprintln!("bench: {name}: building");
            let said = engine.build().and_then(|()| {
                let mut process = engine.start()?;
                process.hello().map_err(|refusal| refusal.to_string())
            });
            if let Err(error) = &said {
                if self.plan.strict {
                    return Err(format!("{name}: {error}"));
                }
                eprintln!("bench: {name} does not take part: {error}");
            }
            self.built.insert(name.to_owned(), (engine, said));
        }
        Ok(&self.built[name])
    }

    /// Builds an engine now; that it cannot be is an error.
    pub fn build(&mut self, name: &str) -> Result<(), String> {
        match self.get(name)? {
            (_, Ok(_)) => Ok(()),
            (_, Err(error)) => Err(format!("{name}: {error}")),
        }
    }

    /// Engines that were asked for by name and could not take part.
    pub fn missing(&self) -> Vec<String> {
        let skipped = self.built.iter().filter(|(name, (_, said))| said.is_err() && self.plan.only.contains(name));
        skipped.map(|(name, _)| name.clone()).collect()
    }

    pub fn infos(&self) -> BTreeMap<String, EngineInfo> {
        let infos = self.built.iter().map(|(name, (engine, said))| (name.clone(), engine.info(said.clone())));
        infos.collect()
    }
}

/// A contender that is running.
struct Running<'a> {
    entry: &'a Entry,
    engine: Engine,
    process: Process,
    folder: PathBuf,
}

/// Measures one definition.
///
/// # Errors
/// When contenders disagree, or give another output than the one that is right: then nothing was timed.
pub fn run(definition: &Definition, plan: &Plan, engines: &mut Engines<'_>) -> Result<Vec<Outcome>, String> {
    let root = if definition.place == Some(Place::Disk) { &plan.disk } else { &plan.tmpfs };
    let work = Work::new(root)?;
    let mut running = start(definition, plan, engines, &work.0)?;
    let mut outcomes = Vec::new();
    let smallest = std::slice::from_ref(definition.sanity.as_ref().unwrap_or(&definition.sizes[0]));
    for size in if plan.sanity { smallest } else { &definition.sizes } {
        let amount = fitting(definition, size, root);
        if amount == 0 {
            return Err(format!("{}: there is no room for {} in {}", definition.name, size.label, root.display()));
        }
        let input = work.0.join("input");
        match samples::write(&input, definition.input, amount) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                eprintln!("bench: {}: {} is left out: {error}", definition.name, size.label);
                continue;
            }
            done => done.map_err(|error| format!("{}: {error}", input.display()))?,
        }
        let bytes = std::fs::metadata(&input).map_err(|error| error.to_string())?.len();
        for operation in &definition.operations {
            eprintln!("bench: {}: {operation}, {}", definition.name, size.label);
            outcomes.push(outcome(definition, operation, (size, bytes), plan, &input, &mut running)?);
        }
    }
    Ok(outcomes)
}

/// A folder that is removed at the end.
struct Work(PathBuf);

/// The folder of this run, for the thread that waits for signals.
static WORK: Mutex<Option<PathBuf>> = Mutex::new(None);

impl Work {
    /// A new folder, for its owner alone.
    fn new(root: &Path) -> Result<Self, String> {
        let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        std::fs::create_dir_all(root).map_err(|error| fail(root, error))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let path = root.join(format!("sealstone-bench-{}-{since:x}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| fail(&path, error))?;
        *WORK.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.clone());
        Ok(Self(path))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        *WORK.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Removes the files of a run that a signal ends.
pub fn watch_signals() -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| error.to_string())?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            if let Some(path) = &*WORK.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = std::fs::remove_dir_all(path);
            }
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

fn start<'a>(
    definition: &'a Definition,
    plan: &Plan,
    engines: &mut Engines<'_>,
    work: &Path,
) -> Result<Vec<Running<'a>>, String> {
    let mut running = Vec::new();
    for (index, entry) in definition.contenders.iter().enumerate() {
        if !plan.only.is_empty() && !plan.only.contains(&entry.engine) {
            continue;
        }
        let (engine, said) = engines.get(&entry.engine)?;
        if said.is_err() {
            continue;
        }
        let folder = work.join(index.to_string());
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (engine, process) = (engine.clone(), engine.start()?);
        running.push(Running { entry, engine, process, folder });
    }
    Ok(running)
}

/// The amount of a size here: `largest` is what fits, with room for outputs.
fn fitting(definition: &Definition, size: &Size, root: &Path) -> u64 {
    if size.label != "largest" {
        return size.amount;
    }
    // The input, and for each contender a source and an output.
    let files = 2 * definition.contenders.len() as u64 + 2;
    let memory = machine::describe().memory_bytes;
    // A tmpfs may have as many bytes as there is memory, which others need, too.
    let most = if definition.place == Some(Place::Tmpfs) { memory / 2 } else { u64::MAX };
    let free = free_bytes(root).unwrap_or(u64::MAX).min(most) / files;
    // More does not stay in memory, and would measure how the kernel throttles whoever writes.
    let cached = memory / 12;
    // Whole megabytes, so that the number can be read.
    free.min(cached).min(size.amount) / 1_000_000 * 1_000_000
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let output = std::process::Command::new("df").args(["-B1", "--output=avail"]).arg(folder).output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().nth(1)?.trim().parse().ok()
}

fn outcome(
    definition: &Definition,
    operation: &str,
    (size, bytes): (&Size, u64),
    plan: &Plan,
    input: &Path,
    running: &mut [Running<'_>],
) -> Result<Outcome, String> {
    let mut contenders = Vec::new();
    let mut ready = Vec::new();
    for (index, contender) in running.iter_mut().enumerate() {
        let entry = contender.entry;
        let operation = entry.instead.get(operation).map_or(operation, String::as_str);
        if contender.process.has_failed() {
            contender.process = contender.engine.start()?;
        }
        let answer = contender.process.prepare(operation, input, &contender.folder, &entry.options);
        let mut seen = blank(entry);
        match answer {
            Ok(answer) => {
                // What machines have differs, so records do not compare it.
                seen.digest = (definition.input != Content::Sources).then(|| answer.digest.clone());
                (seen.output_bytes, seen.units) = (answer.bytes, answer.units);
                ready.push((index, answer));
            }
            // Not offered is no failure.
            Err(Refusal::Unsupported(_)) => continue,
            Err(Refusal::Error(error)) if plan.strict => {
                return Err(format!("{}, {operation}, {}: {}: {error}", definition.name, size.label, entry.name));
            }
            Err(Refusal::Error(error)) => {
                fail(&mut seen, error);
            }
        }
        contenders.push(seen);
    }
    agree(definition, operation, input, &ready, running)
        .and_then(|()| exchange(definition, operation, input, &ready, running))
        .map_err(|error| format!("{error} ({})", size.label))?;
    let mut steal = 0.0;
    if !plan.sanity {
        let before = machine::stolen_time();
        let mut rounds = Rounds { definition, bytes, running, plan };
        rounds.run(&mut contenders);
        let after = machine::stolen_time();
        steal = (after.0 - before.0) as f64 / (after.1 - before.1).max(1) as f64;
    }
    let mut outcome = Outcome {
        definition: definition.name.clone(),
        question: definition.question.clone(),
        group: definition.group.clone(),
        kind: definition.kind,
        operation: operation.to_owned(),
        size: size.label.clone(),
        bytes,
        place: definition.place.map(|place| place.name().to_owned()),
        reference: definition.reference.clone(),
        fit: definition.fit,
        steal,
        contenders,
    };
    outcome.summarize();
    Ok(outcome)
}

/// A contender that failed has no samples: those that it has are of a program that was about to fail.
fn fail(contender: &mut Contender, error: String) {
    eprintln!("bench: {}: {error}", contender.name);
    (contender.samples, contender.beside, contender.error) = (Vec::new(), None, Some(error));
}

fn blank(entry: &Entry) -> Contender {
    Contender {
        name: entry.name.clone(),
        engine: entry.engine.clone(),
        ours: entry.ours,
        measure: entry.measure,
        note: entry.note.clone(),
        digest: None,
        output_bytes: 0,
        units: 1,
        peak_bytes: 0,
        timing: None,
        samples: Vec::new(),
        beside: None,
        error: None,
    }
}

/// Nobody is timed unless all have the same output, and where it is known, that one.
fn agree(
    definition: &Definition,
    operation: &str,
    input: &Path,
    ready: &[(usize, Ready)],
    running: &[Running<'_>],
) -> Result<(), String> {
    let expected = match definition.check {
        Check::RoundTrip => ("the input".to_owned(), digest(input)?),
        Check::Digest => match ready.first() {
            Some((index, first)) => (running[*index].entry.name.clone(), first.digest.clone()),
            None => return Ok(()),
        },
    };
    let odd: Vec<_> = ready
        .iter()
        .filter(|(_, ready)| ready.digest != expected.1)
        .map(|(index, ready)| format!("{} has {}", running[*index].entry.name, ready.digest))
        .collect();
    if odd.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}, {operation}: outputs differ: {} has {}, {}",
        definition.name,
        expected.0,
        expected.1,
        odd.join(", ")
    ))
}

/// Nor unless each opens what the others made, where that is random.
fn exchange(
    definition: &Definition,
    operation: &str,
    input: &Path,
    ready: &[(usize, Ready)],
    running: &mut [Running<'_>],
) -> Result<(), String> {
    // What is too long for a line is of the same code as what is short.
    let is_long = ready.iter().any(|(_, ready)| ready.bytes > OUTPUT_MAX_LEN);
    if is_long || !definition.exchange.iter().any(|name| name == operation) {
        return Ok(());
    }
    let expected = digest(input)?;
    for (from, _) in ready {
        let said = running[*from].process.output();
        let output = said.map_err(|refusal| format!("{operation}: {}: {refusal}", running[*from].entry.name))?;
        for (to, _) in ready.iter().filter(|(to, _)| to != from) {
            let why = match running[*to].process.opens(&output) {
                Ok(opened) if opened == expected => continue,
                Ok(opened) => format!("it opens to {opened}, and the input has {expected}"),
                Err(refusal) => refusal.to_string(),
            };
            let [by, of] = [to, from].map(|index| &running[*index].entry.name);
            return Err(format!("{}, {operation}: {by} does not open what {of} put out: {why}", definition.name));
        }
    }
    Ok(())
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn digest(path: &Path) -> Result<String, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(fail)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(fail)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

/// The timed part of one outcome.
struct Rounds<'a, 'b> {
    definition: &'a Definition,
    bytes: u64,
    running: &'a mut [Running<'b>],
    plan: &'a Plan,
}

impl Rounds<'_, '_> {
    fn run(&mut self, contenders: &mut [Contender]) {
        // Contenders that are ready, by their place in `contenders` and in `running`.
        let position = |name: &str| self.running.iter().position(|running| running.entry.name == name);
        let mut ready: Vec<(usize, usize)> = contenders
            .iter()
            .enumerate()
            .filter(|(_, contender)| contender.error.is_none())
            .filter_map(|(at, contender)| Some((at, position(&contender.name)?)))
            .collect();
        let mut iterations = vec![1; contenders.len()];
        ready.retain(|&(at, index)| match self.calibrate(index) {
            Ok(found) => {
                iterations[at] = found;
                true
            }
            Err(error) => {
                fail(&mut contenders[at], error);
                false
            }
        });
        let reference = ready.iter().copied().find(|&(at, _)| contenders[at].name == self.definition.reference);
        let reference = reference.filter(|_| self.definition.beside);
        self.take(contenders, &ready, &iterations, reference);
        if contenders.iter().any(|contender| stats::is_apart(&contender.samples)) {
            eprintln!("bench: samples of one contender are far apart: all are taken again");
            for contender in contenders.iter_mut() {
                (contender.samples, contender.beside) = (Vec::new(), None);
            }
            self.take(contenders, &ready, &iterations, reference);
        }
        for (at, index) in ready {
            match self.running[index].process.memory() {
                Ok(peak) => contenders[at].peak_bytes = peak,
                Err(refusal) => fail(&mut contenders[at], refusal.to_string()),
            }
        }
    }

    /// The rounds: as many as decide, and not more than the definition has.
    fn take(
        &mut self,
        contenders: &mut [Contender],
        ready: &[(usize, usize)],
        iterations: &[u64],
        reference: Option<(usize, usize)>,
    ) {
        let most = usize::try_from(self.definition.repetitions as u64 * self.plan.effort / 100).unwrap_or(usize::MAX);
        let count = ready.len();
        for round in 0..most.max(LEAST_REPETITIONS) {
            if round >= self.definition.least_repetitions && stats::is_decided(contenders, &self.definition.reference) {
                break;
            }
            for turn in 0..count {
                let (at, index) = ready[(round + turn) % count];
                if round >= FEW && stats::is_far(&contenders[at], contenders, &self.definition.reference) {
                    continue;
                }
                // A peer's ratio is not worth that time.
                let beside = reference.filter(|_| contenders[at].ours);
                let beside = beside.filter(|&(other_at, _)| other_at != at && contenders[other_at].error.is_none());
                let beside = beside.map(|(other_at, other)| (self.sample(other, iterations[other_at]), other_at));
                match (self.sample(index, iterations[at]), beside) {
                    _ if contenders[at].error.is_some() => {}
                    (Ok(sample), None) => contenders[at].samples.push(sample),
                    (Ok(sample), Some((Ok(before), other_at))) => {
                        let name = contenders[other_at].name.clone();
                        contenders[at].samples.push(sample);
                        let beside = contenders[at].beside.get_or_insert(Beside { name, samples: Vec::new() });
                        beside.samples.push(before);
                    }
                    (_, Some((Err(error), other_at))) => fail(&mut contenders[other_at], error),
                    (Err(error), _) => fail(&mut contenders[at], error),
                }
            }
        }
    }

    /// How many operations make a stretch, at the pace that the engine has after its warm-up.
    fn calibrate(&mut self, index: usize) -> Result<u64, String> {
        let warm_up_ns = self.running[index].engine.warm_up_ms * 1_000_000;
        let mut iterations = 1;
        let mut warmed_ns = 0;
        loop {
            let process = &mut self.running[index].process;
            let all_timed = self.definition.place.is_none();
            let sample = process.run(iterations, all_timed).map_err(|refusal| refusal.to_string())?;
            warmed_ns += sample.wall_ns;
            let wanted = STRETCH_NS * iterations / sample.wall_ns.max(1);
            if sample.wall_ns < STRETCH_NS / 2 && iterations < 1 << 20 {
                iterations = wanted.clamp(iterations + 1, iterations * 100);
            } else if warmed_ns < warm_up_ns {
                iterations = wanted.clamp(1, 1 << 20);
            } else {
                return Ok(iterations.max(self.definition.iterations));
            }
        }
    }

    fn sample(&mut self, index: usize, iterations: u64) -> Result<Sample, String> {
        self.warm_memory();
        let running = &mut self.running[index];
        running.process.run(iterations, self.definition.place.is_none()).map_err(|refusal| refusal.to_string())
    }

    /// On a virtual machine free memory may have gone to the host, and whoever uses it first waits: before a large
    /// file is written, as much memory and a quarter more is touched and given back, which takes longer than the run itself.
    fn warm_memory(&self) {
        if self.definition.place.is_none() || self.bytes < 1 << 20 {
            return;
        }
        let len = usize::try_from(self.bytes.min(4 << 30)).unwrap_or(0);
        let mut memory = vec![0_u8; len + len / 4];
        for page in memory.chunks_mut(4096) {
            page[0] = 1;
        }
        std::hint::black_box(&memory);
    }
}
