//! Which input becomes which output.

use crate::args::{Common, Paths};
use crate::failure::Failure;
use crate::keys::Keys;
use crate::terminal::{Terminal, TextOnly, Watch};
use sealstone::{FileMode, Input, Output, Summary, escape_name};
use serde_json::json;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The ending of sealed files.
const SUFFIX: &str = ".seal";

/// What a command makes of its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt { armour: bool },
    Decrypt,
}

/// One input and where it goes.
pub(crate) struct Job {
    pub(crate) input: Place,
    pub(crate) output: Place,
}

/// A name, or a standard stream.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Standard,
    File(PathBuf),
    /// Nothing is written.
    Nowhere,
}

impl Place {
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Standard } else { Self::File(path.to_path_buf()) }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard | Self::Nowhere => None,
            Self::File(path) => Some(path),
        }
    }

    /// As messages name it.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "stdin".to_owned(), escape_name)
    }

    pub(crate) fn open(&self) -> Result<Input<'static>, Failure> {
        match self {
            Self::Standard => {
                let file = io::stdin().as_fd().try_clone_to_owned();
                let file = File::from(file.map_err(|error| Failure::io("open", Some(Path::new("stdin")), error))?);
                Ok(Input::from_file(file, None)?)
            }
            Self::File(path) => Ok(Input::open(path)?),
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

/// Whether stdin serves as an input.
pub(crate) fn use_stdin(inputs: &[PathBuf]) -> bool {
    inputs.is_empty() || inputs.iter().any(|path| path == Path::new("-"))
}

/// The jobs of one command, and whether there are several, so that one failure does not end the others.
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) several: bool,
}

/// Decides names for all inputs before any work is done.
pub(crate) fn plan(paths: &Paths, direction: Direction, terminal: &Terminal) -> Result<Plan, Failure> {
    let standard = [PathBuf::from("-")];
    let inputs = if paths.inputs.is_empty() { &standard[..] } else { &paths.inputs };
    if inputs.len() > 1 && inputs.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage("stdin cannot be one of several inputs"));
    }
    let folder_given = inputs.iter().any(|path| path != Path::new("-") && path.is_dir());
    if folder_given && !paths.recursive {
        return Err(Failure::usage_with_hint("an input is a folder", "take all that is in it with --recursive"));
    }
    let several = inputs.len() > 1 || paths.recursive;
    let jobs = if paths.in_place {
        in_place(inputs, paths, direction, terminal)?
    } else if several {
        beside(inputs, paths, direction, terminal)?
    } else {
        let output = match &paths.output {
            Some(path) => Place::new(path),
            None => {
                refuse_terminal(direction)?;
                Place::Standard
            }
        };
        vec![Job { input: Place::new(&inputs[0]), output }]
    };
    let mut seen = HashSet::new();
    for job in &jobs {
        if let Some(path) = job.output.path()
            && !seen.insert(path)
        {
            return Err(Failure::usage(format!("two inputs would be written to {}", escape_name(path))));
        }
    }
    Ok(Plan { jobs, several })
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

fn in_place(inputs: &[PathBuf], paths: &Paths, direction: Direction, terminal: &Terminal) -> Result<Vec<Job>, Failure> {
    if inputs.iter().any(|path| path == Path::new("-")) {
        return Err(Failure::usage("--in-place needs the names of files"));
    }
    let mut jobs = Vec::new();
    for input in inputs {
        for (path, _) in found_in(input, paths, terminal)? {
            // A second run over the same folder must not seal everything twice.
            if paths.recursive && input.is_dir() && direction != Direction::Decrypt && is_sealed(&path) {
                skip(&path, "is sealed already", terminal);
                continue;
            }
            jobs.push(Job { input: Place::File(path.clone()), output: Place::File(path) });
        }
    }
    Ok(jobs)
}

fn beside(inputs: &[PathBuf], paths: &Paths, direction: Direction, terminal: &Terminal) -> Result<Vec<Job>, Failure> {
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
    let mut jobs = Vec::new();
    for input in inputs {
        let inside = input.is_dir();
        for (path, below) in found_in(input, paths, terminal)? {
            let has_suffix = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
            let renamed = |name: &Path| match direction {
                Direction::Encrypt { .. } => Some(with_suffix(name)),
                Direction::Decrypt => without_suffix(name),
            };
            if inside && has_suffix == (direction != Direction::Decrypt) {
                let why = if has_suffix { "ends in .seal already" } else { "does not end in .seal" };
                skip(&path, why, terminal);
                continue;
            }
            let target = match &paths.output {
                Some(folder) => renamed(&below).map(|below| folder.join(below)),
                None => renamed(&path),
            };
            let target = target.ok_or_else(|| {
                Failure::usage_with_hint(
                    format!("{} does not end in .seal, so its output has no name", escape_name(&path)),
                    "decrypt it alone, with -o",
                )
            })?;
            jobs.push(Job { input: Place::File(path), output: Place::File(target) });
        }
    }
    Ok(jobs)
}

/// The files that an argument stands for, each with its name below the argument's own folder.
fn found_in(input: &Path, paths: &Paths, terminal: &Terminal) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let name = PathBuf::from(input.file_name().unwrap_or_default());
    if !paths.recursive || !input.is_dir() {
        return Ok(vec![(input.to_path_buf(), name)]);
    }
    let mut found = Vec::new();
    let mut folders = vec![(input.to_path_buf(), name)];
    while let Some((folder, below)) = folders.pop() {
        let fail = |error| Failure::io("read the folder", Some(&folder), error);
        let entries: io::Result<Vec<_>> = std::fs::read_dir(&folder).map_err(fail)?.collect();
        let mut entries = entries.map_err(fail)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let place = (entry.path(), below.join(entry.file_name()));
            let kind = entry.file_type().map_err(fail)?;
            if kind.is_file() {
                found.push(place);
            } else if kind.is_dir() {
                folders.push(place);
            } else {
                let why = if kind.is_symlink() { "is a symbolic link" } else { "is not a regular file" };
                skip(&place.0, why, terminal);
            }
        }
    }
    Ok(found)
}

fn skip(path: &Path, why: &str, terminal: &Terminal) {
    terminal.warning(&format!("skipped {}: it {why}", escape_name(path)));
}

fn is_sealed(path: &Path) -> bool {
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut magic));
    read.is_ok() && magic == *b"\x89SEAL\r\n\x1a"
}

fn with_suffix(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

fn without_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes().strip_suffix(SUFFIX.as_bytes()).filter(|name| !name.is_empty())?;
    Some(path.with_file_name(OsStr::from_bytes(name)))
}

/// The output of a job.
pub(crate) fn output(
    job: &Job,
    paths: &Paths,
    common: &Common,
    direction: Direction,
    keys: &Keys,
) -> Result<Output<'static>, Failure> {
    let output = match &job.output {
        Place::Standard => {
            let fail = |error| Failure::io("open", Some(Path::new("stdout")), error);
            let file = File::from(io::stdout().as_fd().try_clone_to_owned().map_err(fail)?);
            if direction == Direction::Decrypt && paths.output.is_none() && io::stdout().is_terminal() {
                Output::writer(TextOnly(file))
            } else {
                Output::from_file(file)?
            }
        }
        Place::File(path) => {
            if paths.output.is_some() && (paths.recursive || paths.inputs.len() > 1) {
                let folder = path.parent().unwrap_or(Path::new("."));
                std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", Some(folder), error))?;
            }
            Output::file(path)?
        }
        Place::Nowhere => unreachable!("files: this job has an output"),
    };
    let keeps_mode = paths.preserve_mode || (paths.in_place && direction != Direction::Decrypt);
    let mode = match job.input.path().filter(|_| keeps_mode) {
        Some(path) => {
            let metadata = std::fs::metadata(path).map_err(|error| Failure::io("stat", Some(path), error))?;
            FileMode::Exactly(metadata.mode() & 0o777)
        }
        None if direction == Direction::Decrypt => FileMode::Private,
        None => FileMode::Shared,
    };
    let output = output.mode(mode).sync(!common.no_sync).replace(common.force || paths.in_place);
    let output = if paths.in_place { output.in_place() } else { output };
    Ok(keys.files.iter().fold(output, |output, (id, path)| output.protect(*id, path)))
}

/// Does all jobs; each failure is reported as it happens when there are several.
pub(crate) fn run(
    plan: &Plan,
    terminal: &Terminal,
    mut work: impl FnMut(&Job, &Watch) -> Result<Done, Failure>,
) -> Result<(), Failure> {
    let mut failed = 0;
    for job in &plan.jobs {
        let watch = terminal.watch(&job.input.name());
        let done = work(job, &watch);
        let elapsed = watch.finish();
        match done {
            Ok(bytes) => terminal.event(&json!({
                "event": "done", "input": job.input.path().map(escape_name), "output": job.output.path().map(escape_name),
                "plaintext_bytes": bytes.plaintext, "ciphertext_bytes": bytes.ciphertext,
                "seconds": elapsed.as_secs_f64(),
            })),
            Err(failure) => {
                let is_open = job.output == Place::Standard && failure.code() != "usage";
                if !plan.several {
                    if is_open && !failure.is_broken_pipe() && may_be_partial(&failure) {
                        terminal.warning("output incomplete: what was written is not the whole file");
                    }
                    return Err(failure);
                }
                terminal.failure(&failure, job.input.path());
                failed += 1;
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of: plan.jobs.len() }) }
}

/// Whether some of the output may have been written before this error.
fn may_be_partial(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        "not_authentic" | "truncated" | "malformed_armour" | "input_changed" | "io" | "cancelled" | "too_long"
    )
}
