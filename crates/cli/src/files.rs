//! Which input becomes which output.

use crate::args::{Common, Paths};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::keys::Keys;
use crate::terminal::{Terminal, TextOnly, Watch, counted};
use sealstone::{FileId, FileMode, Input, Output, Summary, escape_name};
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IoSlice, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The ending of sealed files.
const SUFFIX: &str = ".seal";

/// What a command makes of its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt { armour: bool },
    Decrypt,
    Rewrap,
}

/// One input and where it goes.
pub(crate) struct Job {
    pub(crate) input: Place,
    pub(crate) output: Place,
    /// Bytes that have gone to stdout.
    written: Arc<AtomicU64>,
}

impl Job {
    pub(crate) fn new(input: Place, output: Place) -> Self {
        Self { input, output, written: Arc::default() }
    }
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

/// A name, or a standard stream.
#[derive(Clone)]
pub(crate) enum Place {
    Standard,
    File(PathBuf),
    /// A regular file, and never a link, whose name begins with that of the folder.
    Below(Rc<Folder>, PathBuf),
    /// Nothing is written.
    Nowhere,
}

/// The names that standard output has.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

impl Place {
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Standard } else { Self::File(path.to_path_buf()) }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard | Self::Nowhere => None,
            Self::File(path) | Self::Below(_, path) => Some(path),
        }
    }

    /// As messages name it.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "stdin".to_owned(), escape_name)
    }

    /// The place of another name in the same folder. It is not the user's word, so it is a regular file.
    fn renamed(&self, path: PathBuf) -> Self {
        match self {
            Self::Below(folder, _) => Self::Below(Rc::clone(folder), path),
            _ => Self::regular(path),
        }
    }

    /// A regular file in a folder that is the user's word.
    fn regular(path: PathBuf) -> Self {
        Self::Below(Rc::new(Folder::of_file(&path)), path)
    }

    /// The same for all names of one place: `a`, `./a` and `x/../a`.
    fn identity(&self) -> Option<(Result<FileId, PathBuf>, OsString)> {
        let path = self.path()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let id = match self {
            Self::Below(within, path) => within.parent_id(path),
            _ => std::fs::metadata(folder).ok().map(|metadata| FileId::from(&metadata)),
        };
        Some((id.ok_or_else(|| folder.to_path_buf()), path.file_name().unwrap_or_default().to_owned()))
    }

    /// Whether both are in one folder that is held.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Below(one, _), Self::Below(other, _)) if Rc::ptr_eq(one, other))
    }

    /// Gives the descriptors of its folder back until they are needed again.
    pub(crate) fn release(&self) {
        if let Self::Below(folder, _) = self {
            folder.release();
        }
    }

    pub(crate) fn open(&self) -> Result<Input<'static>, Failure> {
        match self {
            Self::Standard => {
                let file = io::stdin().as_fd().try_clone_to_owned();
                let file = File::from(file.map_err(|error| Failure::io("open", Some(Path::new("stdin")), error))?);
                Ok(Input::from_file(file, None)?)
            }
            Self::File(path) => Ok(Input::open(path)?),
            Self::Below(folder, path) => Ok(Input::from_file(folder.open(path)?, Some(path))?),
            Self::Nowhere => unreachable!("files: an input is somewhere"),
        }
    }
}

/// What a job has processed, in bytes.
pub(crate) struct Done {
    pub(crate) plaintext: u64,
    /// Not known of a range.
    pub(crate) ciphertext: Option<u64>,
}

impl From<Summary> for Done {
    fn from(summary: Summary) -> Self {
        Self { plaintext: summary.plaintext, ciphertext: Some(summary.ciphertext) }
    }
}

/// The jobs of one command, and whether there are several, so that one failure does not end the others.
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) several: bool,
    /// Folders that could not be read, each of them reported.
    pub(crate) failed: usize,
    /// What was left out, each of it reported.
    skipped: usize,
}

impl Plan {
    fn new(several: bool) -> Self {
        Self { jobs: Vec::new(), several, failed: 0, skipped: 0 }
    }

    fn skip(&mut self, path: &Path, why: &str, terminal: &Terminal) {
        terminal.warning(&format!("skipped {}: it {why}", escape_name(path)));
        self.skipped += 1;
    }
}

/// Decides names for all inputs before any work is done.
pub(crate) fn plan(paths: &Paths, direction: Direction, terminal: &Terminal) -> Result<Plan, Failure> {
    let standard = [PathBuf::from("-")];
    let inputs = if paths.inputs.is_empty() { &standard[..] } else { &paths.inputs };
    if (inputs.len() > 1 || paths.recursive) && inputs.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage("stdin cannot be one of several inputs"));
    }
    let is_encrypt = matches!(direction, Direction::Encrypt { .. });
    refuse_folders(inputs, paths.recursive, is_encrypt)?;
    let several = inputs.len() > 1 || paths.recursive;
    let mut plan = Plan::new(several);
    if paths.in_place {
        plan.in_place(inputs, paths, direction, terminal)?;
    } else if several {
        plan.beside(inputs, paths, direction, terminal)?;
    } else {
        let output = match &paths.output {
            Some(path) if is_stdout(path) => Place::Standard,
            Some(path) => Place::new(path),
            None => {
                refuse_terminal(direction)?;
                Place::Standard
            }
        };
        plan.jobs.push(Job::new(Place::new(&inputs[0]), output));
    }
    if plan.jobs.is_empty() && plan.failed == 0 && plan.skipped == 0 {
        terminal.warning("there is no file to work on");
    }
    let mut seen = BTreeSet::new();
    let mut last: Option<&Place> = None;
    for output in plan.jobs.iter().map(|job| &job.output) {
        if let Some(identity) = output.identity()
            && !seen.insert(identity)
        {
            return Err(Failure::usage(format!("two inputs would be written to {}", output.name())));
        }
        // There may be more folders than descriptors.
        if let Some(last) = last.filter(|last| !last.is_beside(output)) {
            last.release();
        }
        last = Some(output);
    }
    if let Some(last) = last {
        last.release();
    }
    Ok(plan)
}

fn refuse_folders(inputs: &[PathBuf], recursive: bool, is_encrypt: bool) -> Result<(), Failure> {
    let Some(folder) = inputs.iter().find(|path| !recursive && *path != Path::new("-") && path.is_dir()) else {
        return Ok(());
    };
    let name = escape_name(folder);
    let all = "take all files in it with --recursive";
    let hint = if is_encrypt {
        format!("{all}, which leaves their names readable, or make one file of it: tar c {name} | sealstone encrypt …")
    } else {
        all.to_owned()
    };
    Err(Failure::usage_with_hint(format!("{name} is a folder"), hint))
}

/// Ciphertext on a terminal helps nobody, and may do anything to it.
fn refuse_terminal(direction: Direction) -> Result<(), Failure> {
    if direction == (Direction::Encrypt { armour: false }) && io::stdout().is_terminal() {
        return Err(Failure::usage_with_hint(
            "binary output is not written to a terminal",
            "name a file with -o FILE, write text with -a, or force it with -o -",
        ));
    }
    Ok(())
}

impl Plan {
    fn in_place(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        if inputs.iter().any(|path| path == Path::new("-")) {
            return Err(Failure::usage("--in-place needs the names of files"));
        }
        for input in inputs {
            if input.is_symlink() {
                return Err(Failure::usage_with_hint(
                    format!("{} is a symbolic link, and what it points to would stay as it is", escape_name(input)),
                    "name the file itself",
                ));
            }
            if !input.is_dir() && !input.is_file() && input.exists() {
                return Err(Failure::usage(format!("{} is not a regular file", escape_name(input))));
            }
            let found = self.found_in(input, paths.recursive, terminal);
            let folder = found.first().map(|found| found.place.clone());
            for Found { place, .. } in found {
                let inside = matches!(place, Place::Below(..));
                let place = if let Place::File(path) = place { Place::regular(path) } else { place };
                if inside && direction == Direction::Rewrap && !is_sealed(&place) {
                    self.skip(place.path().unwrap_or(input), "is not sealed", terminal);
                    continue;
                }
                // A second run must not seal everything twice.
                if matches!(direction, Direction::Encrypt { .. }) && is_sealed(&place) {
                    let path = place.path().unwrap_or(input);
                    if inside {
                        self.skip(path, "is sealed already", terminal);
                        continue;
                    }
                    return Err(Failure::usage_with_hint(
                        format!("{} is sealed already", escape_name(path)),
                        "to seal it once more, write to another name: -o FILE",
                    ));
                }
                self.jobs.push(Job::new(place.clone(), place));
            }
            if let Some(folder) = folder {
                folder.release();
            }
        }
        Ok(())
    }

    fn beside(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        if paths.output.as_deref() == Some(Path::new("-")) {
            return Err(Failure::usage("several inputs cannot go to stdout"));
        }
        if let Some(folder) = &paths.output
            && folder.exists()
            && !folder.is_dir()
        {
            return Err(Failure::usage_with_hint(
                format!("{} is not a folder", escape_name(folder)),
                "several inputs go to a folder",
            ));
        }
        if let Some(folder) = &paths.output
            && !folder.exists()
            && without_suffix(folder).is_some()
        {
            return Err(Failure::usage_with_hint(
                format!("{} looks like one file, and several inputs go to a folder", escape_name(folder)),
                "name a folder with -o, or leave it out",
            ));
        }
        let outputs = paths.output.as_deref().map(Folder::of_outputs).map(Rc::new);
        for input in inputs {
            for Found { place, below } in self.found_in(input, paths.recursive, terminal) {
                let path = place.path().expect("files: an input of several has a name");
                let inside = matches!(place, Place::Below(..));
                let has_suffix = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
                let renamed = |name: &Path| match direction {
                    Direction::Encrypt { .. } => Some(with_suffix(name)),
                    Direction::Decrypt | Direction::Rewrap => without_suffix(name),
                };
                if inside && direction == Direction::Decrypt && has_suffix && without_suffix(path).is_none() {
                    self.skip(path, "has no name before .seal", terminal);
                    continue;
                }
                if inside && has_suffix == (direction != Direction::Decrypt) {
                    let why = if has_suffix { "ends in .seal already" } else { "does not end in .seal" };
                    self.skip(path, why, terminal);
                    continue;
                }
                let target = match &outputs {
                    Some(folder) => {
                        renamed(&below).map(|below| Place::Below(Rc::clone(folder), folder.path().join(below)))
                    }
                    None => renamed(path).map(|path| place.renamed(path)),
                };
                let target = target.ok_or_else(|| {
                    Failure::usage_with_hint(
                        format!("{} does not end in .seal, so its output has no name", escape_name(path)),
                        "decrypt it alone, with -o",
                    )
                })?;
                self.jobs.push(Job::new(place, target));
            }
        }
        Ok(())
    }

    /// The files that an argument stands for.
    fn found_in(&mut self, input: &Path, recursive: bool, terminal: &Terminal) -> Vec<Found> {
        let name = PathBuf::from(input.file_name().unwrap_or_default());
        if !recursive || !input.is_dir() {
            return vec![Found { place: Place::new(input), below: name }];
        }
        let folder = Rc::new(Folder::of_inputs(input));
        let mut found = Vec::new();
        for entry in folder.walk() {
            match entry {
                Ok((path, kind)) if kind.is_file() => {
                    let below = name.join(folder.below(&path));
                    found.push(Found { place: Place::Below(Rc::clone(&folder), path), below });
                }
                Ok((path, kind)) => {
                    let why = if kind.is_symlink() { "is a symbolic link" } else { "is not a regular file" };
                    self.skip(&path, why, terminal);
                }
                Err(failure) => {
                    terminal.failure(&failure);
                    self.failed += 1;
                }
            }
        }
        found
    }
}

/// The inputs of a command that writes nothing.
///
/// # Errors
/// When there is none: a backup whose disk is not there must not look healthy.
pub(crate) fn plan_to_check(inputs: &[PathBuf], recursive: bool, terminal: &Terminal) -> Result<Plan, Failure> {
    let plan =
        plan_to_read(inputs, recursive, terminal, |place, path| without_suffix(path).is_some() || is_sealed(place))?;
    if plan.jobs.is_empty() && plan.failed == 0 {
        return Err(Failure::usage_with_hint("there is no sealed file to verify", "name the folder of a backup"));
    }
    Ok(plan)
}

/// The inputs of a command that reads all that it is given.
pub(crate) fn plan_to_hash(inputs: &[PathBuf], recursive: bool, terminal: &Terminal) -> Result<Plan, Failure> {
    let plan = plan_to_read(inputs, recursive, terminal, |_, _| true)?;
    if plan.jobs.is_empty() && plan.failed == 0 {
        terminal.warning("there is no file to work on");
    }
    Ok(plan)
}

/// Inputs without outputs; those in folders only if they are taken, the others for not being sealed.
fn plan_to_read(
    inputs: &[PathBuf],
    recursive: bool,
    terminal: &Terminal,
    takes: impl Fn(&Place, &Path) -> bool,
) -> Result<Plan, Failure> {
    refuse_folders(inputs, recursive, false)?;
    let mut plan = Plan::new(inputs.len() > 1 || recursive);
    if inputs.is_empty() {
        plan.jobs.push(Job::new(Place::Standard, Place::Nowhere));
    }
    for input in inputs {
        let found = plan.found_in(input, recursive, terminal);
        let folder = found.first().map(|found| found.place.clone());
        for Found { place, .. } in found {
            if let Place::Below(_, path) = &place
                && !takes(&place, path)
            {
                plan.skip(path, "is not sealed", terminal);
                continue;
            }
            plan.jobs.push(Job::new(place, Place::Nowhere));
        }
        if let Some(folder) = folder {
            folder.release();
        }
    }
    Ok(plan)
}

/// A file that an argument stands for.
struct Found {
    place: Place,
    /// Its name below the argument's own folder.
    below: PathBuf,
}

/// Whether a file is one of ours, in its form and not by its first bytes alone.
fn is_sealed(place: &Place) -> bool {
    place.open().is_ok_and(|input| sealstone::inspect(input).is_ok())
}

fn with_suffix(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

fn without_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes().strip_suffix(SUFFIX.as_bytes())?;
    if matches!(name, b"" | b"." | b"..") {
        return None;
    }
    Some(path.with_file_name(OsStr::from_bytes(name)))
}

/// The output of a job.
pub(crate) fn output(
    job: &Job,
    input: &Input<'_>,
    paths: &Paths,
    common: &Common,
    direction: Direction,
    keys: &Keys,
) -> Result<Output<'static>, Failure> {
    let output = match &job.output {
        Place::Standard => {
            let name = Path::new("stdout");
            let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
            let file = file.map_err(|error| Failure::io("open", Some(name), error))?;
            let id = FileId::of(&file)?;
            let file = Counted { inner: file, written: job.written.clone() };
            if direction == Direction::Decrypt && paths.output.is_none() && io::stdout().is_terminal() {
                Output::stream(TextOnly::new(file), id, Some(name))
            } else {
                Output::stream(file, id, Some(name))
            }
        }
        Place::File(path) => Output::file(path)?,
        Place::Below(folder, path) => Output::file_in(folder.parent(path)?, path)?,
        Place::Nowhere => unreachable!("files: this job has an output"),
    };
    let keeps_mode = paths.preserve_mode || (paths.in_place && direction != Direction::Decrypt);
    let mode = match input.mode().filter(|_| keeps_mode) {
        Some(mode) => FileMode::Exactly(mode),
        None if direction == Direction::Decrypt => FileMode::Private,
        None => FileMode::Shared,
    };
    let output = output.mode(mode).sync(!common.no_sync).replace(common.force || paths.in_place);
    let output = if paths.in_place { output.in_place() } else { output };
    Ok(keys.files.iter().fold(output, |output, (id, path)| output.protect(*id, path)))
}

/// Does all jobs; each failure is reported as it happens when there are several.
pub(crate) fn run(
    plan: Plan,
    terminal: &Terminal,
    mut work: impl FnMut(&Job, &Watch) -> Result<Done, Failure>,
) -> Result<(), Failure> {
    let (mut failed, of) = (plan.failed, plan.jobs.len() + plan.failed);
    // Each job goes when it is done, and the last of a folder closes it.
    for job in plan.jobs {
        let watch = terminal.watch(&job.input.name());
        let done = work(&job, &watch);
        let elapsed = watch.finish();
        match done {
            Ok(bytes) => terminal.event(&json!({
                "event": "done", "input": job.input.path().map(escape_name), "output": job.output.path().map(escape_name),
                "plaintext_bytes": bytes.plaintext, "ciphertext_bytes": bytes.ciphertext,
                "seconds": elapsed.as_secs_f64(),
            })),
            Err(failure) => {
                let failure = failure.on(job.input.path());
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
    if plan.skipped > 0 {
        terminal.note(&format!("{} of {} done, {} skipped", of - failed, counted(of, "file"), plan.skipped));
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}
