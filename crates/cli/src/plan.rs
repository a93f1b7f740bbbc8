//! Which input becomes which output. Planning prints nothing: what there is to say of it are values, which `work.rs` prints.

use crate::args::{Existing, Paths};
use crate::failure::{Failure, plain_name};
use crate::folder::Folder;
use crate::format::{Format, SignatureFormat, Stanzas};
use crate::place::{Place, Standing, is_unnamed, printed_into, refuse_printing_into};
use sealstone::interop::{age, nkct};
use sealstone::signature::MAX_LEN;
use sealstone::{Error, FileId, Input, Text, escape_name};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The ending of detached signatures.
pub(crate) const SIGNATURE_SUFFIX: &str = ".sig";

/// The ending of content with its signature.
const SIGNED_SUFFIX: &str = ".signed";

/// What a command makes of its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt {
        armour: bool,
        format: Format,
    },
    Decrypt,
    /// A part of a file, which is looked at more often than kept: it goes to stdout.
    DecryptRange,
    Rewrap,
    Sign {
        attach: bool,
        format: SignatureFormat,
    },
    /// The content of files that are signed.
    Release,
}

impl Direction {
    pub(crate) fn decrypts(self) -> bool {
        matches!(self, Self::Decrypt | Self::DecryptRange)
    }

    /// Whether the output is whatever its author likes.
    pub(crate) fn shows_content(self) -> bool {
        self.decrypts() || matches!(self, Self::Sign { attach: true, .. } | Self::Release)
    }

    /// The ending that an output's name has more than its input's.
    fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Encrypt { format, .. } => Some(format.suffix()),
            Self::Sign { attach: false, .. } => Some(SIGNATURE_SUFFIX),
            Self::Sign { attach: true, .. } => Some(SIGNED_SUFFIX),
            Self::Decrypt | Self::DecryptRange | Self::Rewrap | Self::Release => None,
        }
    }
}

/// One input and where it goes.
pub(crate) struct Job {
    pub(crate) input: Place,
    pub(crate) output: Place,
    /// What stood under the output's name when the run began.
    pub(crate) standing: Option<Standing>,
    /// What is made of it, if that was asked.
    verdict: Option<Verdict>,
    /// Whether the run has others.
    pub(crate) is_one_of_several: bool,
    /// Bytes that have gone to stdout.
    pub(crate) written: Arc<AtomicU64>,
}

impl Job {
    fn new(input: Place, output: Place) -> Self {
        Self { input, output, standing: None, verdict: None, is_one_of_several: false, written: Arc::default() }
    }

    /// Whether the output that stands is to be replaced, unless it changes before that.
    pub(crate) fn is_stale(&self) -> bool {
        self.verdict == Some(Verdict::Stale)
    }

    /// The failure of an output that stands, with why it was not taken for done.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        match (failure.error(), self.verdict) {
            (Some(Error::OutputExists(_)), Some(Verdict::Kept(why))) => failure.with_hint(why),
            _ => failure,
        }
    }
}

/// What is made of an output that stands when the run begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It can be the result, and its input is left out.
    Done,
    /// It is replaced.
    Stale,
    /// It is neither, for this reason.
    Kept(&'static str),
}

/// What came of planning: notices, which are printed in their order, and then the plan or why there is none.
pub(crate) struct Planned {
    pub(crate) notices: Vec<Notice>,
    pub(crate) plan: Result<Plan, Failure>,
}

/// Something to say of a plan.
pub(crate) enum Notice {
    Warning(&'static str),
    /// A file was left out.
    Skipped(PathBuf, Skipped),
    /// A job was left out, since its output can be its result.
    Done {
        input: Place,
        output: Place,
    },
    /// A folder could not be read.
    Failure(Failure),
    /// All files were left out.
    AllSkipped(Skips),
}

/// How many files were left out, for which reasons.
#[derive(Clone, Default)]
pub(crate) struct Skips {
    pub(crate) counts: BTreeMap<Skipped, usize>,
    /// Whether even a quiet run says so: a file that is left out of encryption stays readable.
    pub(crate) must_be_said: bool,
}

/// The jobs of one command, and whether there are several, so that one failure does not end the others.
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) several: bool,
    /// Folders that could not be read, with a notice of each.
    pub(crate) failed: usize,
    pub(crate) skips: Skips,
    notices: Vec<Notice>,
    /// An input that was meant as the output, if it is not there.
    meant_as_output: Option<PathBuf>,
}

/// Why a file in a folder is left out; in the order in which the reasons are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skipped {
    WithoutSuffix,
    SuffixAlone,
    OtherNames,
    SymbolicLink,
    NotRegular,
    NotSealed,
    SealedAlready,
    StdoutItself,
    Done,
}

impl Skipped {
    /// What is so of one file, and of several.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::WithoutSuffix => ("does not end in .seal, .age or .nkct", "do not end in .seal, .age or .nkct"),
            Self::SuffixAlone => ("has no name before its ending", "have no name before their endings"),
            Self::OtherNames => (
                "has other names (hard links), which would keep the old content",
                "have other names (hard links), which would keep the old content",
            ),
            Self::SymbolicLink => ("is a symbolic link", "are symbolic links"),
            Self::NotRegular => ("is not a regular file", "are not regular files"),
            Self::NotSealed => ("is not sealed", "are not sealed"),
            Self::SealedAlready => ("is sealed already", "are sealed already"),
            Self::StdoutItself => ("is where stdout goes", "are where stdout goes"),
            Self::Done => ("has its output already", "have their outputs already"),
        }
    }
}

impl Plan {
    fn new(several: bool) -> Self {
        Self {
            jobs: Vec::new(),
            several,
            failed: 0,
            skips: Skips::default(),
            notices: Vec::new(),
            meant_as_output: None,
        }
    }

    /// What came of planning by `fill`.
    fn made_by(several: bool, fill: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Planned {
        let mut plan = Self::new(several);
        let filled = fill(&mut plan);
        Planned { notices: std::mem::take(&mut plan.notices), plan: filled.map(|()| plan) }
    }

    fn warn(&mut self, warning: &'static str) {
        self.notices.push(Notice::Warning(warning));
    }

    fn skip(&mut self, path: &Path, why: Skipped) {
        self.notices.push(Notice::Skipped(path.to_path_buf(), why));
        *self.skips.counts.entry(why).or_default() += 1;
    }

    /// The failure of an input, with the option that it was meant for.
    pub(crate) fn explain(&self, input: &Place, failure: Failure) -> Failure {
        match &self.meant_as_output {
            Some(path) if input.path() == Some(path) => failure.with_hint(name_with_option(path)),
            _ => failure,
        }
    }

    /// The files that stand under the names of outputs.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = FileId> {
        self.jobs.iter().filter_map(|job| Some(job.standing?.id))
    }
}

/// Decides names for all inputs before any work is done, and refuses outputs that would replace an input. `force` says that the run
/// replaces every output.
pub(crate) fn plan(paths: &Paths, direction: Direction, force: bool) -> Planned {
    Plan::made_by(is_of_several(paths), |plan| plan.fill(paths, direction, force))
}

/// Whether there are several inputs, or may be.
fn is_of_several(paths: &Paths) -> bool {
    paths.inputs.len() > 1 || paths.recursive
}

/// Refuses options about outputs that exist where none can, or where all are replaced.
fn refuse_without_existing(
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

/// A file that is not replaced under one of its names, in the words of the core's error. That one tells of names that come during
/// the run.
pub(crate) fn other_names(path: &Path) -> Failure {
    let failure = Failure::from(Error::HardLinks(path.to_path_buf()));
    Failure::usage_with_hint(failure.message(), failure.hint().unwrap_or_default())
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

impl Plan {
    fn target(&mut self, inputs: &[PathBuf], paths: &Paths, direction: Direction) -> Result<Target, Failure> {
        let (input, several) = (&inputs[0], self.several);
        let Some(output) = paths.output.as_deref() else {
            if !several && (is_unnamed(input) || direction == Direction::DecryptRange) {
                refuse_terminal(direction)?;
                return Ok(Target::One(Place::Standard));
            }
            let stdout = io::stdout();
            if direction == Direction::Decrypt && !several && !stdout.is_terminal() {
                refuse_foreign(input)?;
                // Whoever redirects stdout may expect the plaintext there, and not on the disk.
                let file = without_suffix(input).map_or("FILE".to_owned(), |path| escape_name(&path));
                return Err(Failure::usage_with_hint(
                    format!("say where the plaintext of {} goes, since stdout is not a terminal", escape_name(input)),
                    format!("-o - writes it to stdout, -o {file} to a file"),
                ));
            }
            let is_new = |stdout: File| stdout.metadata().is_ok_and(|stdout| stdout.is_file() && stdout.len() == 0);
            if stdout.as_fd().try_clone_to_owned().is_ok_and(|stdout| is_new(stdout.into())) {
                self.warn(
                    "the output goes to a file beside the input, and stdout stays an empty file; -o - writes to stdout",
                );
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
                let hint = if several { "several inputs need a folder" } else { "leave out the slash to name a file" };
                return Err(not_a_folder(&plain, hint));
            }
            if paths.recursive && !plain.exists() && !name.ends_with(b"/") && without_suffix(&plain).is_some() {
                return Err(Failure::usage_with_hint(
                    format!("{} looks like one file, and several inputs need a folder", escape_name(&plain)),
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
            let slash = format!("several inputs need a folder; -o {}/ makes it", escape_name(&plain));
            return Err(not_a_folder(&plain, if plain.exists() { "several inputs need a folder" } else { &slash }));
        }
        Ok(Target::One(Place::new(output)))
    }
}

/// Refuses an input that cannot be read or is no file of ours: that matters more than where its plaintext would go.
fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    // What is no regular file can be opened only once.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    match Input::open(path).and_then(|mut input| Stanzas::of(&mut input)) {
        Err(error @ (Error::Io { .. } | Error::NotSealstone(_))) => Err(Failure::from(error).on(Some(path))),
        _ => Ok(()),
    }
}

fn not_a_folder(path: &Path, hint: &str) -> Failure {
    Failure::usage_with_hint(format!("{} is not a folder", escape_name(path)), hint)
}

/// Refuses an input that is not there, before anybody is asked for a passphrase. Of several one that is there has the others done,
/// unless somebody is asked: a passphrase that follows `-p` is taken for an input. `has_source` says that the passphrase comes from
/// elsewhere than the terminal.
pub(crate) fn refuse_missing(paths: &Paths, passphrase: bool, has_source: bool) -> Result<(), Failure> {
    let several = is_of_several(paths);
    let is_any_there = || paths.inputs.iter().any(|path| path.symlink_metadata().is_ok());
    if several && (!passphrase || has_source) && is_any_there() {
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
    let all = "use --recursive for all files in it";
    let hint = if is_encrypt {
        format!("{all} (their names stay readable), or make one file of it: tar c {name} | sealstone encrypt …")
    } else {
        all.to_owned()
    };
    Err(Failure::usage_with_hint(format!("{name} is a folder"), hint))
}

/// Refuses folders where no command would take the files in them.
pub(crate) fn refuse_any_folder<'a>(inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match inputs.into_iter().find(|path| *path != Path::new("-") && path.is_dir()) {
        Some(folder) => Err(Failure::usage_with_hint(format!("{} is a folder", escape_name(folder)), "name a file")),
        None => Ok(()),
    }
}

/// Ciphertext on a terminal helps nobody, and may do anything to it.
fn refuse_terminal(direction: Direction) -> Result<(), Failure> {
    let hint = match direction {
        Direction::Encrypt { armour: false, .. } => {
            "name a file with -o FILE, write text with -a, or force it with -o -"
        }
        Direction::Sign { format: SignatureFormat::Nkcs, .. } => "name a file with -o FILE, or force it with -o -",
        _ => return Ok(()),
    };
    if io::stdout().is_terminal() {
        return Err(Failure::usage_with_hint("binary output is not written to a terminal", hint));
    }
    Ok(())
}

impl Plan {
    fn fill(&mut self, paths: &Paths, direction: Direction, force: bool) -> Result<(), Failure> {
        let standard = [PathBuf::from("-")];
        let inputs = if paths.inputs.is_empty() { &standard[..] } else { &paths.inputs };
        if self.several && inputs.iter().any(|path| is_unnamed(path)) {
            return Err(Failure::usage("stdin cannot be one of several inputs"));
        }
        refuse_without_existing(inputs, paths, direction, force)?;
        if matches!(direction, Direction::Sign { .. }) {
            refuse_any_folder(inputs).map_err(|failure| {
                failure.with_hint(
                    "sign a list of the files in it: sealstone hash --tag --recursive DIR > SUMS && sealstone sign --attach SUMS",
                )
            })?;
        }
        let is_encrypt = matches!(direction, Direction::Encrypt { .. });
        refuse_folders(inputs, paths.recursive, is_encrypt)?;
        self.skips.must_be_said = is_encrypt;
        self.meant_as_output = meant_as_output(paths).map(Path::to_path_buf);
        if paths.in_place {
            self.in_place(inputs, paths, direction, force)?;
        } else {
            match self.target(inputs, paths, direction)? {
                Target::One(output) => self.jobs.push(Job::new(Place::new(&inputs[0]), output)),
                Target::Folder(folder) => self.named(inputs, paths, direction, Some(&folder))?,
                Target::Beside => self.named(inputs, paths, direction, None)?,
            }
        }
        if self.jobs.is_empty() && self.failed == 0 {
            if self.skips.counts.is_empty() {
                self.warn(NO_FILE);
            } else if direction == Direction::Decrypt {
                // Files that stay encrypted must not look restored.
                self.notices.push(Notice::AllSkipped(self.skips.clone()));
                let failure = "there is no file to decrypt: all were skipped";
                return Err(match self.skips.counts.keys().next() {
                    Some(Skipped::WithoutSuffix) => {
                        let hint = "with -o DIR/, `decrypt` takes sealed files of any name; a name without such an ending stays";
                        Failure::usage_with_hint(failure, hint)
                    }
                    _ => Failure::usage(failure),
                });
            }
        }
        self.refuse_meeting_outputs()?;
        if !paths.in_place {
            self.refuse_inputs_as_outputs()?;
        }
        self.leave_out_done(paths.existing, direction)
    }

    fn in_place(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        force: bool,
    ) -> Result<(), Failure> {
        if inputs.iter().any(|path| path == Path::new("-")) {
            return Err(Failure::usage("--in-place needs the names of files"));
        }
        for input in inputs {
            if input.is_symlink() {
                return Err(Failure::usage_with_hint(
                    format!(
                        "{} is a symbolic link, and the file that it points to would stay unchanged",
                        escape_name(input)
                    ),
                    "name the file itself",
                ));
            }
            if !input.is_dir() && !input.is_file() && input.exists() {
                return Err(Failure::usage(format!("{} is not a regular file", escape_name(input))));
            }
            let found = self.found_in(input, paths.recursive);
            let folder = found.first().map(|found| found.place.clone());
            for Found { place, .. } in found {
                let inside = matches!(place, Place::Below(..));
                let place = if let Place::File(path) = place { Place::regular(path) } else { place };
                if !force && place.has_other_names() {
                    let path = place.path().unwrap_or(input);
                    if inside {
                        self.skip(path, Skipped::OtherNames);
                        continue;
                    }
                    return Err(other_names(path));
                }
                let is_named_so = place.path().and_then(without_suffix).is_some();
                if inside && direction == Direction::Rewrap && !is_named_so && !is_sealed(&place) {
                    self.skip(place.path().unwrap_or(input), Skipped::NotSealed);
                    continue;
                }
                // A second run must not seal everything twice.
                if matches!(direction, Direction::Encrypt { .. }) && is_sealed(&place) {
                    let path = place.path().unwrap_or(input);
                    if inside {
                        self.skip(path, Skipped::SealedAlready);
                        continue;
                    }
                    return Err(Failure::usage_with_hint(
                        format!("{} is sealed already", escape_name(path)),
                        "to seal it once more, name another output: -o FILE",
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

    /// Outputs whose names are made of their inputs' names, in a folder or beside the inputs. What is decrypted into a folder keeps a
    /// name without an ending of ours.
    fn named(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        folder: Option<&Path>,
    ) -> Result<(), Failure> {
        let outputs = folder.map(Folder::of_outputs).map(Rc::new);
        let mut beside = BTreeSet::new();
        for input in inputs {
            let found = self.found_in(input, paths.recursive);
            let folder = found.first().map(|found| found.place.clone());
            for Found { place, below } in found {
                let path = place.path().expect("files: stdin was sorted out");
                let has_suffix =
                    Format::SUFFIXES.iter().any(|suffix| path.as_os_str().as_bytes().ends_with(suffix.as_bytes()));
                let may_keep_name = !has_suffix && direction == Direction::Decrypt;
                // One that is not there says so when it is opened.
                let keeps_name = may_keep_name
                    && if matches!(place, Place::File(_)) && path.symlink_metadata().is_err() {
                        meant_as_output(paths).is_none()
                    } else {
                        outputs.is_some() && begins_as_sealed(&place)
                    };
                let renamed = |name: &Path| match direction.suffix() {
                    Some(suffix) => Some(with_suffix(name, suffix)),
                    None if keeps_name => Some(name.to_path_buf()),
                    None => without_suffix(name),
                };
                // Of an earlier run, and not plaintext that is called so: it comes behind its input, and is looked at with that.
                if beside.contains(path) && begins_as_sealed(&place) {
                    continue;
                }
                let why_not = match direction {
                    // What is named is taken, and a FIFO is read once.
                    _ if matches!(place, Place::File(_)) => None,
                    // Whatever its name says: plaintext may be called anything.
                    Direction::Encrypt { .. } if is_sealed(&place) => Some(Skipped::SealedAlready),
                    Direction::Encrypt { .. } => None,
                    _ if keeps_name => None,
                    _ if may_keep_name && outputs.is_some() => Some(Skipped::NotSealed),
                    _ if !has_suffix => Some(Skipped::WithoutSuffix),
                    _ if renamed(path).is_none() => Some(Skipped::SuffixAlone),
                    _ => None,
                };
                if let Some(why) = why_not {
                    self.skip(path, why);
                    continue;
                }
                let target = match &outputs {
                    Some(folder) => {
                        renamed(&below).map(|below| Place::Below(Rc::clone(folder), folder.path().join(below)))
                    }
                    None => renamed(path).map(|path| place.renamed(path)),
                };
                let Some(target) = target else {
                    if direction == Direction::Decrypt && outputs.is_none() && !self.several {
                        refuse_foreign(path)?;
                    }
                    return Err(Failure::usage_with_hint(
                        format!(
                            "{} does not end in .seal, .age or .nkct, so its output has no name",
                            escape_name(path)
                        ),
                        match meant_as_output(paths) {
                            Some(last) if last == path => name_with_option(last),
                            _ if outputs.is_some() && path.is_file() => {
                                let name = plain_name(path).unwrap_or("FILE");
                                format!(
                                    "its content does not look sealed either: `sealstone inspect {name}` shows more"
                                )
                            }
                            _ if outputs.is_some() => "decrypt it alone, with -o FILE".to_owned(),
                            _ if self.several => "a sealed file keeps its name with -o DIR/".to_owned(),
                            _ => "name it with -o FILE, or -o - for stdout".to_owned(),
                        },
                    ));
                };
                if paths.existing.option().is_some()
                    && matches!(direction, Direction::Encrypt { .. })
                    && paths.recursive
                {
                    beside.extend(target.path().map(Path::to_path_buf));
                }
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
        let several = self.jobs.len() > 1;
        self.each_place(
            |job| &job.output,
            |job| {
                let stat = job.output.stat();
                job.standing = stat.as_ref().map(Standing::from);
                job.is_one_of_several = several;
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
        let outputs: BTreeSet<_> = self.replaced().collect();
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

    /// Leaves out the jobs whose outputs can be their results, and notes what becomes of the other outputs that stand. Where nobody asks
    /// for that, it notes the hint that names the options.
    fn leave_out_done(&mut self, existing: Existing, direction: Direction) -> Result<(), Failure> {
        if existing.option().is_none() {
            let takes_option =
                matches!(direction, Direction::Encrypt { .. } | Direction::Decrypt | Direction::Sign { .. });
            for job in
                self.jobs.iter_mut().filter(|job| takes_option && job.is_one_of_several && job.standing.is_some())
            {
                job.verdict = Some(Verdict::Kept(
                    "--newer and --skip-existing leave out files that are done, --force replaces them, and -o names another output",
                ));
            }
            return Ok(());
        }
        self.each_place(
            |job| &job.output,
            |job| {
                job.verdict = job.standing.map(|standing| verdict(job, &standing, existing, direction));
                job.input.release();
                Ok(())
            },
        )?;
        let is_done = |job: &Job| job.verdict == Some(Verdict::Done);
        let (done, jobs): (Vec<_>, _) = std::mem::take(&mut self.jobs).into_iter().partition(is_done);
        self.jobs = jobs;
        for job in done {
            // A line for each of thousands would hide the failures of the others.
            *self.skips.counts.entry(Skipped::Done).or_default() += 1;
            self.notices.push(Notice::Done { input: job.input, output: job.output });
        }
        Ok(())
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
    fn found_in(&mut self, input: &Path, recursive: bool) -> Vec<Found> {
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
                    let why = if kind.is_symlink() { Skipped::SymbolicLink } else { Skipped::NotRegular };
                    self.skip(&path, why);
                }
                Err(failure) => {
                    self.notices.push(Notice::Failure(failure));
                    self.failed += 1;
                }
            }
        }
        found
    }
}

/// The inputs of a command that writes nothing. That there is none is a failure: a backup whose disk is not there must not look healthy.
pub(crate) fn plan_to_check(inputs: &[PathBuf], recursive: bool) -> Planned {
    let takes = |place: &Place, path: &Path| without_suffix(path).is_some() || is_sealed(place);
    Plan::made_by(inputs.len() > 1 || recursive, |plan| {
        plan.fill_to_read(inputs, recursive, takes)?;
        if plan.jobs.is_empty() && plan.failed == 0 {
            return Err(Failure::usage_with_hint("there is no sealed file to verify", "name the folder of a backup"));
        }
        Ok(())
    })
}

/// The inputs of a command that reads all that it is given.
pub(crate) fn plan_to_hash(inputs: &[PathBuf], recursive: bool) -> Planned {
    Plan::made_by(inputs.len() > 1 || recursive, |plan| {
        plan.fill_to_read(inputs, recursive, |_, _| true)?;
        if plan.jobs.is_empty() && plan.failed == 0 {
            plan.warn(NO_FILE);
        }
        Ok(())
    })
}

const NO_FILE: &str = "there is no file to work on";

impl Plan {
    /// Inputs without outputs; those in folders only if they are taken, the others for not being sealed.
    fn fill_to_read(
        &mut self,
        inputs: &[PathBuf],
        recursive: bool,
        takes: impl Fn(&Place, &Path) -> bool,
    ) -> Result<(), Failure> {
        refuse_folders(inputs, recursive, false)?;
        if inputs.is_empty() {
            self.jobs.push(Job::new(Place::Standard, Place::Nowhere));
        }
        refuse_printing_into(&self.jobs.iter().map(|job| job.input.clone()).collect::<Vec<_>>())?;
        let stdout = printed_into()?;
        for input in inputs {
            let found = self.found_in(input, recursive);
            let folder = found.first().map(|found| found.place.clone());
            for Found { place, .. } in found {
                if let Place::Below(_, path) = &place {
                    if !takes(&place, path) {
                        self.skip(path, Skipped::NotSealed);
                        continue;
                    }
                    // The shell has made it for the output.
                    if stdout.is_some_and(|stdout| place.ids().contains(&stdout)) {
                        self.skip(path, Skipped::StdoutItself);
                        continue;
                    }
                } else {
                    refuse_printing_into(std::slice::from_ref(&place))?;
                }
                self.jobs.push(Job::new(place, Place::Nowhere));
            }
            if let Some(folder) = folder {
                folder.release();
            }
        }
        Ok(())
    }
}

/// A file that an argument stands for.
struct Found {
    place: Place,
    /// Its name below the argument's own folder.
    below: PathBuf,
}

/// What becomes of the output of a job that stands.
fn verdict(job: &Job, standing: &Standing, existing: Existing, direction: Direction) -> Verdict {
    if !standing.is_regular {
        return Verdict::Kept(
            "the output is not a regular file, and not a result of this command: name another output",
        );
    }
    let Some(input) = job.input.content() else {
        return Verdict::Kept("the input is not a regular file, so that its length and time cannot be compared");
    };
    let (can_be_result, is_newer) = (can_be_result(job, &input, direction), standing.is_newer_than(&input));
    match can_be_result {
        true if existing.skip_existing || is_newer => Verdict::Done,
        // Ciphertext and signatures can be made again. Plaintext that was changed later cannot.
        _ if existing.newer && !(is_newer && direction.decrypts()) => Verdict::Stale,
        _ if direction.decrypts() => Verdict::Kept(
            "its length is not that of the input's content: it was changed or cut short, or the input is damaged; only --force replaces it",
        ),
        _ => Verdict::Kept(
            "it is cut short, of another kind, or made from an input of another length: replace it with --newer instead of --skip-existing",
        ),
    }
}

/// Whether the output of a job can be its result, by all that is seen without a key.
fn can_be_result(job: &Job, input: &Standing, direction: Direction) -> bool {
    // A link or a FIFO that came there meanwhile is not opened.
    let output = match &job.output {
        Place::File(path) => Place::regular(path.clone()),
        output => output.clone(),
    };
    match direction {
        Direction::Encrypt { format, .. } => {
            let len = output.open().map(|output| format.content_len(output));
            matches!(len, Ok(Ok(len)) if len == input.len())
        }
        Direction::Decrypt => {
            let len = job.input.open().map(|mut input| Format::of(&mut input).content_len(input));
            matches!(len, Ok(Ok(len)) if job.standing.is_some_and(|standing| standing.len() == len))
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
        Direction::DecryptRange | Direction::Rewrap | Direction::Release => {
            unreachable!("plan: no option asks for the outputs that such a run has")
        }
    }
}

/// Whether a file in a folder is one of ours, in its form and not by its first bytes alone. Most that are not are told by those.
fn is_sealed(place: &Place) -> bool {
    let Place::Below(folder, path) = place else { unreachable!("plan: what is named is taken") };
    let Ok(file) = folder.open(path) else { return false };
    let mut start = [0; 64];
    // Armour is longer than its start shows. What cannot be read at a place is a stream.
    if let Ok(len @ 1..) = file.read_at(&mut start, 0)
        && Text::of(&start[..len])
            .is_ok_and(|text| text.bytes().trim_ascii_start().first().is_some_and(|byte| *byte != b'-'))
        && !age::begins(&start[..len])
        && !nkct::begins(&start[..len])
        && matches!(sealstone::inspect(Input::reader(&start[..len])), Err(Error::NotSealstone(_)))
    {
        return false;
    }
    Input::from_file(file, None).is_ok_and(|mut input| match Format::of(&mut input) {
        // With other text around its armour it is not, since that would stay as it is, or be lost.
        Format::Sealstone => sealstone::inspect_alone(input).is_ok(),
        format => format.content_len(input).is_ok(),
    })
}

/// Whether a file begins as one that `decrypt` opens, sound or not. What is no regular file can be read only once.
fn begins_as_sealed(place: &Place) -> bool {
    if matches!(place, Place::File(path) if !path.is_file()) {
        return false;
    }
    place
        .open()
        .is_ok_and(|mut input| !matches!(Stanzas::of(&mut input), Err(Error::NotSealstone(_) | Error::Io { .. })))
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn without_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes();
    let name = Format::SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix.as_bytes()))?;
    if matches!(name, b"" | b"." | b"..") {
        return None;
    }
    Some(path.with_file_name(OsStr::from_bytes(name)))
}
