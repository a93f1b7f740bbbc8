//! Which input becomes which output.

use crate::args::{Common, Paths};
use crate::descriptor;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::keys::Keys;
use crate::terminal::{Terminal, TextOnly, Watch};
use rustix::fs::Stat;
use sealstone::{Error, FileId, FileMode, Input, Output, Summary, escape_name};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IoSlice, IsTerminal, Read, Write};
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
    Encrypt {
        armour: bool,
    },
    Decrypt,
    /// A part of a file, which is looked at more often than kept: it goes to stdout.
    DecryptRange,
    Rewrap,
}

impl Direction {
    fn decrypts(self) -> bool {
        matches!(self, Self::Decrypt | Self::DecryptRange)
    }
}

/// One input and where it goes.
pub(crate) struct Job {
    pub(crate) input: Place,
    pub(crate) output: Place,
    /// What stood under the output's name when the run began.
    standing: Option<Standing>,
    /// Bytes that have gone to stdout.
    written: Arc<AtomicU64>,
}

impl Job {
    pub(crate) fn new(input: Place, output: Place) -> Self {
        Self { input, output, standing: None, written: Arc::default() }
    }
}

/// What stands under a name, by everything that changes when another file comes there: some file systems number a file
/// anew for each of its spellings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Standing {
    id: FileId,
    len: i64,
    modified: (i64, u64),
}

impl From<&Stat> for Standing {
    fn from(stat: &Stat) -> Self {
        // The types of these fields differ between systems.
        #[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion)]
        let nanoseconds = u64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Self { id: FileId::from(stat), len: stat.st_size, modified: (stat.st_mtime, nanoseconds) }
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

/// What somebody types. A terminal that has been read to its end gives more when it is asked again: one Ctrl-D is enough.
struct Typed {
    inner: File,
    has_ended: bool,
}

impl Read for Typed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended || buffer.is_empty() {
            return Ok(0);
        }
        let n = self.inner.read(buffer)?;
        self.has_ended = n == 0;
        Ok(n)
    }
}

/// The links that a name leads over, in its folders too, and what stands at its end.
pub(crate) fn on_the_way(path: &Path) -> Vec<Stat> {
    let parts = |path: &Path| path.components().rev().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    // What has been walked has no links in it.
    let (mut walked, mut rest, mut found, mut links) = (PathBuf::new(), parts(path), Vec::new(), 0);
    while let Some(part) = rest.pop() {
        walked.push(&part);
        let Ok(stat) = rustix::fs::lstat(&walked) else { break };
        let target = std::fs::read_link(&walked).ok();
        if target.is_some() || rest.is_empty() {
            found.push(stat);
        }
        if let Some(target) = target {
            links += 1;
            if links > descriptor::LINKS_MAX {
                break;
            }
            walked.pop();
            rest.extend(parts(&target));
        }
    }
    found
}

/// A name, or a standard stream.
#[derive(Clone)]
pub(crate) enum Place {
    Standard,
    File(PathBuf),
    /// A regular file, and never a link, whose name begins with that of the folder.
    Below(Rc<Folder>, PathBuf),
    /// An output that goes to another open descriptor, and the name of that.
    Descriptor(u16, PathBuf),
    /// Nothing is written.
    Nowhere,
}

/// Whether an input is stdin or another open descriptor, and so has no name that its output's could be made of.
fn is_unnamed(path: &Path) -> bool {
    let is_in = |folder| path.parent() == Some(Path::new(folder));
    path == Path::new("-") || path == Path::new("/dev/stdin") || is_in("/dev/fd") || is_in("/proc/self/fd")
}

impl Place {
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Standard } else { Self::File(path.to_path_buf()) }
    }

    /// Where `-o` says, or else stdout.
    fn output(path: Option<&Path>) -> Self {
        match (path, descriptor::of_output(path)) {
            (None, _) | (_, Some(descriptor::STDOUT)) => Self::Standard,
            (Some(path), Some(number)) => Self::Descriptor(number, path.to_path_buf()),
            (Some(path), None) => Self::new(path),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard | Self::Nowhere => None,
            Self::File(path) | Self::Below(_, path) | Self::Descriptor(_, path) => Some(path),
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

    /// Whether the file has hard links, under which its content would stay as it is.
    fn has_other_names(&self) -> bool {
        self.stat().is_some_and(|stat| stat.st_nlink > 1)
    }

    /// What stands under the name, itself and not what a link points to.
    fn stat(&self) -> Option<Stat> {
        match self {
            Self::Standard | Self::Descriptor(..) | Self::Nowhere => None,
            Self::File(path) => rustix::fs::lstat(path).ok(),
            Self::Below(folder, path) => folder.stat(path),
        }
    }

    /// Every file that reading this place needs, and every link on the way there.
    fn ids(&self) -> Vec<FileId> {
        match self {
            Self::File(path) => on_the_way(path).iter().map(FileId::from).collect(),
            Self::Below(folder, _) => self.stat().iter().chain(&on_the_way(folder.path())).map(FileId::from).collect(),
            Self::Standard | Self::Descriptor(..) | Self::Nowhere => Vec::new(),
        }
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
                if file.is_terminal() {
                    return Ok(Input::reader(Typed { inner: file, has_ended: false }));
                }
                Ok(Input::from_file(file, None)?)
            }
            Self::File(path) => Ok(Input::open(path)?),
            Self::Below(folder, path) => Ok(Input::from_file(folder.open(path)?, Some(path))?),
            Self::Descriptor(..) | Self::Nowhere => unreachable!("files: an input is stdin or has a name"),
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
    /// How many were left out for which reason, each of them reported.
    skipped: BTreeMap<&'static str, usize>,
    /// Whether it is said in any case that some were left out: what is left out of encryption stays readable.
    says_skipped: bool,
    /// An input that was meant as the output, if it is not there.
    meant_as_output: Option<PathBuf>,
}

impl Plan {
    fn new(several: bool) -> Self {
        Self {
            jobs: Vec::new(),
            several,
            failed: 0,
            skipped: BTreeMap::new(),
            says_skipped: false,
            meant_as_output: None,
        }
    }

    fn skip(&mut self, path: &Path, why: &'static str, terminal: &Terminal) {
        terminal.warning(&format!("skipped {}: it {why}", escape_name(path)));
        *self.skipped.entry(why).or_default() += 1;
    }
}

/// Decides names for all inputs before any work is done, and refuses outputs that would replace an input.
pub(crate) fn plan(paths: &Paths, direction: Direction, common: &Common, terminal: &Terminal) -> Result<Plan, Failure> {
    let standard = [PathBuf::from("-")];
    let inputs = if paths.inputs.is_empty() { &standard[..] } else { &paths.inputs };
    let several = inputs.len() > 1 || paths.recursive;
    if several && inputs.iter().any(|path| is_unnamed(path)) {
        return Err(Failure::usage("stdin cannot be one of several inputs"));
    }
    let is_encrypt = matches!(direction, Direction::Encrypt { .. });
    refuse_folders(inputs, paths.recursive, is_encrypt)?;
    let mut plan = Plan::new(several);
    plan.says_skipped = is_encrypt;
    plan.meant_as_output = meant_as_output(paths).map(Path::to_path_buf);
    if paths.in_place {
        plan.in_place(inputs, paths, direction, common, terminal)?;
    } else {
        match target(inputs, paths, direction, terminal)? {
            Target::One(output) => plan.jobs.push(Job::new(Place::new(&inputs[0]), output)),
            Target::Folder(folder) => plan.named(inputs, paths, direction, Some(&folder), terminal)?,
            Target::Beside => plan.named(inputs, paths, direction, None, terminal)?,
        }
    }
    if plan.jobs.is_empty() && plan.failed == 0 && plan.skipped.is_empty() {
        terminal.warning("there is no file to work on");
    }
    plan.refuse_meeting_outputs()?;
    if !paths.in_place {
        plan.refuse_inputs_as_outputs()?;
    }
    Ok(plan)
}

/// A file that is not replaced under one of its names.
pub(crate) fn other_names(path: &Path) -> Failure {
    Failure::usage_with_hint(
        format!("{} has other names (hard links), which would keep the old content", escape_name(path)),
        "replace it under this name alone with --force",
    )
}

/// One input that goes to a named file, or to stdout.
pub(crate) fn plan_one(input: Option<&Path>, output: Option<&Path>) -> Result<Plan, Failure> {
    let mut plan = Plan::new(false);
    plan.jobs.push(Job::new(Place::new(input.unwrap_or(Path::new("-"))), Place::output(output)));
    plan.refuse_meeting_outputs()?;
    plan.refuse_inputs_as_outputs()?;
    Ok(plan)
}

/// Where outputs go. It does not depend on how many inputs there are: a pattern of the shell may match one file today
/// and two tomorrow.
enum Target {
    One(Place),
    Folder(PathBuf),
    /// Beside their inputs.
    Beside,
}

fn target(inputs: &[PathBuf], paths: &Paths, direction: Direction, terminal: &Terminal) -> Result<Target, Failure> {
    let (input, several) = (&inputs[0], inputs.len() > 1 || paths.recursive);
    let Some(output) = paths.output.as_deref() else {
        if !several && (is_unnamed(input) || direction == Direction::DecryptRange) {
            refuse_terminal(direction)?;
            return Ok(Target::One(Place::Standard));
        }
        let stdout = io::stdout();
        if direction == Direction::Decrypt && !several {
            refuse_foreign(input)?;
        }
        if direction == Direction::Decrypt && !several && !stdout.is_terminal() {
            // Whoever redirects stdout may expect the plaintext there, and not on the disk.
            let file = without_suffix(input).map_or("FILE".to_owned(), |path| escape_name(&path));
            return Err(Failure::usage_with_hint(
                format!("say where the plaintext of {} goes, as stdout is not a terminal", escape_name(input)),
                format!("-o - writes it to stdout, -o {file} to a file"),
            ));
        }
        let is_new = |stdout: File| stdout.metadata().is_ok_and(|stdout| stdout.is_file() && stdout.len() == 0);
        if stdout.as_fd().try_clone_to_owned().is_ok_and(|stdout| is_new(stdout.into())) {
            terminal.warning("stdout is an empty file, and nothing goes there; -o - writes to it");
        }
        return Ok(Target::Beside);
    };
    let place = Place::output(Some(output));
    // One that is open on a folder is that folder.
    if matches!(place, Place::Standard) || matches!(place, Place::Descriptor(..)) && !output.is_dir() {
        return if several {
            let name = place.path().map_or_else(|| "stdout".to_owned(), escape_name);
            Err(Failure::usage(format!("several inputs cannot go to {name}")))
        } else {
            Ok(Target::One(place))
        };
    }
    // Without the slash that the name may end in.
    let plain: PathBuf = output.components().collect();
    let name = output.as_os_str().as_bytes();
    if plain.is_dir() || name.ends_with(b"/") || name.ends_with(b"/.") || paths.recursive {
        if plain.exists() && !plain.is_dir() {
            let hint = if several { "several inputs go to a folder" } else { "leave out the slash to name a file" };
            return Err(not_a_folder(&plain, hint));
        }
        if paths.recursive && !plain.exists() && !name.ends_with(b"/") && without_suffix(&plain).is_some() {
            return Err(Failure::usage_with_hint(
                format!("{} looks like one file, and several inputs go to a folder", escape_name(&plain)),
                "name a folder with -o, or leave it out",
            ));
        }
        if is_unnamed(input) {
            return Err(Failure::usage_with_hint(
                format!("{} is a folder, and stdin has no name for a file in it", escape_name(&plain)),
                format!("name the file: -o {}", escape_name(&plain.join("FILE"))),
            ));
        }
        return Ok(Target::Folder(plain));
    }
    if several {
        let slash = format!("several inputs go to a folder; -o {}/ makes it", escape_name(&plain));
        return Err(not_a_folder(&plain, if plain.exists() { "several inputs go to a folder" } else { &slash }));
    }
    Ok(Target::One(Place::new(output)))
}

/// What a named input is, where it cannot be read or is no file of ours: that matters more than where its plaintext would go.
fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    // What is no regular file can be opened only once.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    match Input::open(path).and_then(|mut input| sealstone::stanzas(&mut input)) {
        Err(error @ (Error::Io { .. } | Error::NotSealstone(_))) => Err(Failure::from(error).on(Some(path))),
        _ => Ok(()),
    }
}

fn not_a_folder(path: &Path, hint: &str) -> Failure {
    Failure::usage_with_hint(format!("{} is not a folder", escape_name(path)), hint)
}

/// Refuses an input that is not there, before anybody is asked for a passphrase. One of several does not end the others,
/// unless somebody is asked: a passphrase that follows `-p` is taken for an input.
pub(crate) fn refuse_missing(paths: &Paths, passphrase: bool, common: &Common) -> Result<(), Failure> {
    let several = paths.inputs.len() > 1 || paths.recursive;
    if several && (!passphrase || common.has_passphrase_source()) {
        return Ok(());
    }
    let missing = paths.inputs.iter().filter(|path| *path != Path::new("-")).find_map(|path| {
        let error = std::fs::metadata(path).err().filter(|error| error.kind() == io::ErrorKind::NotFound)?;
        Some(Failure::io("open", Some(path), error))
    });
    missing.map_or(Ok(()), |failure| {
        Err(if passphrase {
            failure
                .with_hint("-p takes no value: Sealstone asks for the passphrase, or reads it with --passphrase-file")
        } else {
            failure
        })
    })
}

/// The last of two inputs without `-o`, if it is not there: it was meant as the output.
fn meant_as_output(paths: &Paths) -> Option<&Path> {
    match &paths.inputs[..] {
        [input, last] if paths.output.is_none() && !paths.recursive && !paths.in_place => {
            (input.exists() && last.symlink_metadata().is_err()).then_some(last)
        }
        _ => None,
    }
}

fn name_with_option(path: &Path) -> String {
    format!("name the output with -o: -o {}", escape_name(path))
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
        common: &Common,
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
                if !common.force && place.has_other_names() {
                    let path = place.path().unwrap_or(input);
                    if inside {
                        self.skip(path, "has other names (hard links), which would keep the old content", terminal);
                        continue;
                    }
                    return Err(other_names(path));
                }
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

    /// Outputs whose names are made of their inputs' names, in a folder or beside the inputs.
    fn named(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        folder: Option<&Path>,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        let outputs = folder.map(Folder::of_outputs).map(Rc::new);
        for input in inputs {
            let found = self.found_in(input, paths.recursive, terminal);
            let folder = found.first().map(|found| found.place.clone());
            for Found { place, below } in found {
                let path = place.path().expect("files: stdin was sorted out");
                let renamed = |name: &Path| match direction {
                    Direction::Encrypt { .. } => Some(with_suffix(name)),
                    _ => without_suffix(name),
                };
                let has_suffix = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
                let why_not = match direction {
                    // What is named is taken, and a FIFO is read once.
                    _ if matches!(place, Place::File(_)) => None,
                    // Whatever its name says: plaintext may be called anything.
                    Direction::Encrypt { .. } if is_sealed(&place) => Some("is sealed already"),
                    Direction::Encrypt { .. } => None,
                    _ if !has_suffix => Some("does not end in .seal"),
                    _ if renamed(path).is_none() => Some("has no name before .seal"),
                    _ => None,
                };
                if let Some(why) = why_not {
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
                        match meant_as_output(paths) {
                            Some(last) if last == path => name_with_option(last),
                            _ if self.several => "decrypt it alone, with -o".to_owned(),
                            _ => "name it with -o FILE, or -o - for stdout".to_owned(),
                        },
                    )
                })?;
                self.jobs.push(Job::new(place, target));
            }
            if let Some(folder) = folder {
                folder.release();
            }
        }
        Ok(())
    }

    /// Refuses two outputs of one name, however it is written, and two names of one file: a folder that ignores the case
    /// of names has those. Notes what stands under each name.
    fn refuse_meeting_outputs(&mut self) -> Result<(), Failure> {
        let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
        self.each_place(
            |job| &job.output,
            |job| {
                let stat = job.output.stat();
                job.standing = stat.as_ref().map(Standing::from);
                // Of a file with several names each can be replaced by itself.
                let alone = stat.filter(|stat| stat.st_nlink == 1).map(|stat| FileId::from(&stat));
                let is_new = job.output.identity().is_none_or(|identity| names.insert(identity));
                if is_new && alone.is_none_or(|id| ids.insert(id)) {
                    return Ok(());
                }
                Err(Failure::usage(format!("two inputs would be written to {}", job.output.name())))
            },
        )
    }

    /// Refuses outputs that are inputs of this run, however they are named: the first would be lost before it is read.
    fn refuse_inputs_as_outputs(&mut self) -> Result<(), Failure> {
        let outputs: BTreeSet<_> = self.jobs.iter().filter_map(|job| Some(job.standing?.id)).collect();
        if outputs.is_empty() {
            return Ok(());
        }
        let several = self.several;
        self.each_place(
            |job| &job.input,
            |job| {
                if !job.input.ids().iter().any(|id| outputs.contains(id)) {
                    return Ok(());
                }
                let path = job.input.path().unwrap_or(Path::new("stdin")).to_path_buf();
                let failure = Failure::from(Error::SameFile(path));
                let hint = "write to another folder with -o DIR/, or leave this input out";
                Err(if several { failure.with_hint(hint) } else { failure })
            },
        )
    }

    /// Refuses outputs that hold keys or a passphrase, before the first of them is made.
    pub(crate) fn refuse_keys_as_outputs(&self, keys: &Keys) -> Result<(), Failure> {
        let outputs = self.jobs.iter().filter_map(|job| job.standing);
        outputs.into_iter().try_for_each(|standing| keys.check_output(standing.id))
    }

    /// Calls `each` with every job. There may be more folders than descriptors: none stays open.
    fn each_place(
        &mut self,
        place: impl Fn(&Job) -> &Place,
        mut each: impl FnMut(&mut Job) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut last: Option<Place> = None;
        let mut result = Ok(());
        for job in &mut self.jobs {
            result = each(job);
            let place = place(job);
            if let Some(last) = last.filter(|last| !last.is_beside(place)) {
                last.release();
            }
            last = Some(place.clone());
            if result.is_err() {
                break;
            }
        }
        if let Some(last) = last {
            last.release();
        }
        result
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

/// What is so of one file, as it is said of so many.
fn of_all(why: &str, count: usize) -> String {
    if count == 1 {
        return why.to_owned();
    }
    let many = [("is a symbolic link", "are symbolic links"), ("is not a regular file", "are not regular files")];
    if let Some((_, many)) = many.iter().find(|(one, _)| *one == why) {
        return (*many).to_owned();
    }
    let verbs = [("is ", "are "), ("has ", "have "), ("does ", "do ")];
    verbs.iter().find_map(|(one, many)| Some(format!("{many}{}", why.strip_prefix(one)?))).unwrap_or(why.to_owned())
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
    refuse_printing_into(&plan.jobs.iter().map(|job| job.input.clone()).collect::<Vec<_>>())?;
    let stdout = stdout_id()?;
    for input in inputs {
        let found = plan.found_in(input, recursive, terminal);
        let folder = found.first().map(|found| found.place.clone());
        for Found { place, .. } in found {
            if let Place::Below(_, path) = &place {
                if !takes(&place, path) {
                    plan.skip(path, "is not sealed", terminal);
                    continue;
                }
                // The shell has made it for the output.
                if stdout.is_some_and(|stdout| place.ids().contains(&stdout)) {
                    plan.skip(path, "is where stdout goes", terminal);
                    continue;
                }
            } else {
                refuse_printing_into(std::slice::from_ref(&place))?;
            }
            plan.jobs.push(Job::new(place, Place::Nowhere));
        }
        if let Some(folder) = folder {
            folder.release();
        }
    }
    Ok(plan)
}

/// Refuses to print into what is read.
pub(crate) fn refuse_printing_into(inputs: &[Place]) -> Result<(), Failure> {
    let Some(stdout) = stdout_id()? else { return Ok(()) };
    for input in inputs {
        let is_same = match input {
            Place::Standard => FileId::of(&opened(descriptor::to_read(0), "stdin")?)? == Some(stdout),
            _ => input.ids().contains(&stdout),
        };
        if is_same {
            let path = input.path().unwrap_or(Path::new("standard input")).to_path_buf();
            return Err(Failure::from(Error::SameFile(path)).with_hint("redirect the output to another file"));
        }
    }
    Ok(())
}

/// The file that stdout is, if it is a regular one.
fn stdout_id() -> Result<Option<FileId>, Failure> {
    Ok(FileId::of(&opened(descriptor::to_write(descriptor::STDOUT), "stdout")?)?)
}

fn opened(file: io::Result<File>, name: &str) -> Result<File, Failure> {
    file.map_err(|error| Failure::io("open", Some(Path::new(name)), error))
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
        Place::Nowhere => unreachable!("files: this job has an output"),
    };
    let keeps_mode = paths.preserve_mode || (paths.in_place && !direction.decrypts());
    let mode = match input.mode().filter(|_| keeps_mode) {
        Some(mode) => FileMode::Exactly(mode),
        None if direction.decrypts() => FileMode::Private,
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
    let mut is_first = true;
    // Each job goes when it is done, and the last of a folder closes it.
    for job in plan.jobs {
        if matches!(job.input, Place::Standard) {
            terminal.awaits_stdin();
        }
        let watch = terminal.watch(&job.input.name());
        let done = if is_first { Ok(()) } else { refuse_own_output(&job) }.and_then(|()| work(&job, &watch));
        is_first &= done.is_err();
        let elapsed = watch.finish();
        match done {
            Ok(bytes) => terminal.event(&json!({
                "event": "done", "input": job.input.path().map(escape_name), "output": job.output.path().map(escape_name),
                "plaintext_bytes": bytes.plaintext, "ciphertext_bytes": bytes.ciphertext,
                "seconds": elapsed.as_secs_f64(),
            })),
            Err(failure) => {
                let failure = failure.on(job.input.path());
                let failure = match &plan.meant_as_output {
                    Some(path) if job.input.path() == Some(path) => failure.with_hint(name_with_option(path)),
                    _ => failure,
                };
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
    if !plan.skipped.is_empty() {
        let counts: Vec<_> =
            plan.skipped.iter().map(|(why, count)| format!("{count} {}", of_all(why, *count))).collect();
        let all: usize = plan.skipped.values().sum();
        terminal.summary(of - failed, of, all, &counts.join(", "), plan.says_skipped);
    }
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

/// Refuses to write where another file stands than when the run began. In place that is a change of the input. Elsewhere it
/// is an output of this run, whose name this folder does not tell from the one of this job: which names those are only the
/// file system knows.
fn refuse_own_output(job: &Job) -> Result<(), Failure> {
    let now = job.output.stat().map(|stat| Standing::from(&stat));
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
