//! Plans which input becomes which output. Planning prints nothing: it returns notices, which `work.rs` prints.

mod existing;
mod notices;
mod refusals;
mod suffixes;
mod target;

pub(crate) use notices::{Notice, SkipReason, Skips};
pub(crate) use refusals::{explain_hard_links, refuse_any_folder, refuse_missing};
pub(crate) use suffixes::{SIGNATURE_SUFFIX, add_suffix};

use crate::args::Paths;
use crate::failure::{Failure, plain_name};
use crate::folder::Folder;
use crate::format::SignatureFormat;
use crate::place::{FileState, Place, find_stdout_file, is_unnamed, refuse_printing_into};
use existing::{Verdict, refuse_without_existing};
use refusals::{refuse_folders, refuse_foreign};
use sealstone::{Error, FileFormat, FileId, escape_name};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use suffixes::{SIGNED_SUFFIX, is_sealed, looks_sealed, remove_suffix};
use target::{Target, find_mistaken_output, hint_at_output_option};

/// The operation of a command on its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt {
        armour: bool,
        format: FileFormat,
    },
    Decrypt,
    /// A part of a file. It goes to stdout by default, because people look at parts more often than they keep them.
    DecryptRange,
    Rewrap,
    Sign {
        attach: bool,
        format: SignatureFormat,
    },
    /// Writes the content of signed files without the signature.
    Release,
    /// Hides content, or writes hidden content, without encryption.
    Hide,
}

impl Direction {
    pub(crate) fn is_decryption(self) -> bool {
        matches!(self, Self::Decrypt | Self::DecryptRange)
    }

    /// Whether the output is content that anyone may have written.
    pub(crate) fn has_content(self) -> bool {
        self.is_decryption() || matches!(self, Self::Sign { attach: true, .. } | Self::Release | Self::Hide)
    }

    /// The suffix that the output's name adds to the input's.
    fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Encrypt { format, .. } => Some(format.suffix()),
            Self::Sign { attach: false, .. } => Some(SIGNATURE_SUFFIX),
            Self::Sign { attach: true, .. } => Some(SIGNED_SUFFIX),
            Self::Decrypt | Self::DecryptRange | Self::Rewrap | Self::Release | Self::Hide => None,
        }
    }
}

/// An input and its output.
pub(crate) struct Job {
    pub(crate) input: Place,
    pub(crate) output: Place,
    /// The state of the existing output when the run began; `None` if it did not exist.
    pub(crate) initial_state: Option<FileState>,
    /// The decision about an existing output, if an option asks for one.
    verdict: Option<Verdict>,
    /// Whether the run has other jobs.
    pub(crate) is_one_of_several: bool,
    /// Bytes written to a stream.
    pub(crate) written: Arc<AtomicU64>,
}

impl Job {
    fn new(input: Place, output: Place) -> Self {
        Self { input, output, initial_state: None, verdict: None, is_one_of_several: false, written: Arc::default() }
    }

    /// Whether the existing output is outdated and must be replaced, unless it changes before that.
    pub(crate) fn is_stale(&self) -> bool {
        self.verdict == Some(Verdict::Stale)
    }

    /// Adds to the failure of an existing output why the output does not count as done.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        match (failure.error(), self.verdict) {
            (Some(Error::OutputExists(_)), Some(Verdict::Kept(why))) => failure.with_hint(why),
            _ => failure,
        }
    }
}

/// The result of planning: notices to print in their order, then the plan or the failure.
pub(crate) struct PlanResult {
    pub(crate) notices: Vec<Notice>,
    pub(crate) plan: Result<Plan, Failure>,
}

/// The jobs of a command. If it `has_several` inputs, a failure does not end the other jobs.
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) has_several: bool,
    /// The number of folders that could not be read; each has a notice.
    pub(crate) failed: usize,
    pub(crate) skips: Skips,
    notices: Vec<Notice>,
    /// An input that does not exist and was probably meant as the output.
    mistaken_output: Option<PathBuf>,
}

impl Plan {
    fn new(has_several: bool) -> Self {
        Self {
            jobs: Vec::new(),
            has_several,
            failed: 0,
            skips: Skips::default(),
            notices: Vec::new(),
            mistaken_output: None,
        }
    }

    /// Makes a plan with `fill`.
    fn make_with(has_several: bool, fill: impl FnOnce(&mut Self) -> Result<(), Failure>) -> PlanResult {
        let mut plan = Self::new(has_several);
        let filled = fill(&mut plan);
        PlanResult { notices: std::mem::take(&mut plan.notices), plan: filled.map(|()| plan) }
    }

    fn warn(&mut self, warning: &'static str) {
        self.notices.push(Notice::Warning(warning));
    }

    fn skip(&mut self, path: &Path, why: SkipReason) {
        self.notices.push(Notice::Skipped(path.to_path_buf(), why));
        *self.skips.counts.entry(why).or_default() += 1;
    }

    /// Adds to the failure of a mistaken input the option that it was meant for.
    pub(crate) fn explain(&self, input: &Place, failure: Failure) -> Failure {
        match &self.mistaken_output {
            Some(path) if input.path() == Some(path) => failure.with_hint(hint_at_output_option(path)),
            _ => failure,
        }
    }

    /// The ids of the files that the outputs replace.
    pub(crate) fn replaced_ids(&self) -> impl Iterator<Item = FileId> {
        self.jobs.iter().filter_map(|job| Some(job.initial_state?.id))
    }
}

/// Decides the output names of all inputs before any work, and refuses outputs that would replace an input. `force` says that the
/// run replaces all existing outputs.
pub(crate) fn plan(paths: &Paths, direction: Direction, force: bool) -> PlanResult {
    Plan::make_with(has_several_inputs(paths), |plan| plan.fill(paths, direction, force))
}

/// Plans one input with a named output or stdout.
pub(crate) fn plan_one(input: Option<&Path>, output: Option<&Path>) -> Result<Plan, Failure> {
    let mut plan = Plan::new(false);
    plan.jobs.push(Job::new(Place::new(input.unwrap_or(Path::new("-"))), Place::output(output)));
    plan.refuse_colliding_outputs()?;
    plan.refuse_inputs_as_outputs()?;
    Ok(plan)
}

/// Plans the inputs of a command that writes nothing. An empty plan is a failure, because a backup on a disk that is not mounted
/// must not look healthy.
pub(crate) fn plan_to_check(inputs: &[PathBuf], recursive: bool) -> PlanResult {
    let takes = |place: &Place, path: &Path| remove_suffix(path).is_some() || is_sealed(place);
    Plan::make_with(inputs.len() > 1 || recursive, |plan| {
        plan.fill_to_read(inputs, recursive, takes)?;
        if plan.jobs.is_empty() && plan.failed == 0 {
            return Err(Failure::usage_with_hint("there is no sealed file to verify", "name the folder of a backup"));
        }
        Ok(())
    })
}

/// Plans the inputs of a command that reads any file.
pub(crate) fn plan_to_hash(inputs: &[PathBuf], recursive: bool) -> PlanResult {
    Plan::make_with(inputs.len() > 1 || recursive, |plan| {
        plan.fill_to_read(inputs, recursive, |_, _| true)?;
        if plan.jobs.is_empty() && plan.failed == 0 {
            plan.warn(NO_FILE);
        }
        Ok(())
    })
}

const NO_FILE: &str = "there is no file to work on";

/// Whether there are, or may be, several inputs.
fn has_several_inputs(paths: &Paths) -> bool {
    paths.inputs.len() > 1 || paths.recursive
}

impl Plan {
    fn fill(&mut self, paths: &Paths, direction: Direction, force: bool) -> Result<(), Failure> {
        let standard = [PathBuf::from("-")];
        let inputs = if paths.inputs.is_empty() { &standard[..] } else { &paths.inputs };
        if self.has_several && inputs.iter().any(|path| is_unnamed(path)) {
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
        self.skips.is_mandatory = is_encrypt;
        self.mistaken_output = find_mistaken_output(paths).map(Path::to_path_buf);
        if paths.in_place {
            self.plan_in_place(inputs, paths, direction, force)?;
        } else {
            match self.choose_target(inputs, paths, direction)? {
                Target::One(output) => self.jobs.push(Job::new(Place::new(&inputs[0]), output)),
                Target::Folder(folder) => self.plan_named(inputs, paths, direction, Some(&folder))?,
                Target::Beside => self.plan_named(inputs, paths, direction, None)?,
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
                    Some(SkipReason::WithoutSuffix) => {
                        let hint = "with -o DIR/, `decrypt` takes sealed files of any name; a name without such an ending stays";
                        Failure::usage_with_hint(failure, hint)
                    }
                    _ => Failure::usage(failure),
                });
            }
        }
        self.refuse_colliding_outputs()?;
        if !paths.in_place {
            self.refuse_inputs_as_outputs()?;
        }
        self.skip_done(paths.existing, direction)
    }

    fn plan_in_place(
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
            let found = self.find_files(input, paths.recursive);
            let folder = found.first().map(|found| found.place.clone());
            for FoundFile { place, .. } in found {
                let is_inside = matches!(place, Place::Below(..));
                let place = if let Place::File(path) = place { Place::regular_file(path) } else { place };
                if !force && place.has_other_names() {
                    let path = place.path().unwrap_or(input);
                    if is_inside {
                        self.skip(path, SkipReason::OtherNames);
                        continue;
                    }
                    return Err(explain_hard_links(path));
                }
                let is_named_so = place.path().and_then(remove_suffix).is_some();
                if is_inside && direction == Direction::Rewrap && !is_named_so && !is_sealed(&place) {
                    self.skip(place.path().unwrap_or(input), SkipReason::NotSealed);
                    continue;
                }
                // A second run must not seal everything twice.
                if matches!(direction, Direction::Encrypt { .. }) && is_sealed(&place) {
                    let path = place.path().unwrap_or(input);
                    if is_inside {
                        self.skip(path, SkipReason::AlreadySealed);
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

    /// Plans outputs whose names derive from the inputs' names, in a folder or beside the inputs. A sealed file without a known
    /// suffix keeps its name when decrypted into a folder.
    fn plan_named(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
        folder: Option<&Path>,
    ) -> Result<(), Failure> {
        let outputs = folder.map(Folder::of_outputs).map(Rc::new);
        let mut beside = BTreeSet::new();
        for input in inputs {
            let found = self.find_files(input, paths.recursive);
            let folder = found.first().map(|found| found.place.clone());
            for FoundFile { place, below } in found {
                let path = place.path().expect("files: stdin was sorted out");
                let has_suffix = FileFormat::ALL
                    .iter()
                    .any(|format| path.as_os_str().as_bytes().ends_with(format.suffix().as_bytes()));
                let may_keep_name = !has_suffix && direction == Direction::Decrypt;
                // A missing input reports its own error when opened.
                let keeps_name = may_keep_name
                    && if matches!(place, Place::File(_)) && path.symlink_metadata().is_err() {
                        find_mistaken_output(paths).is_none()
                    } else {
                        outputs.is_some() && looks_sealed(&place)
                    };
                let renamed = |name: &Path| match direction.suffix() {
                    Some(suffix) => Some(add_suffix(name, suffix)),
                    None if keeps_name => Some(name.to_path_buf()),
                    None => remove_suffix(name),
                };
                // This is the output of an earlier run, and not plaintext with such a name: its input comes before it, and decides
                // about both.
                if beside.contains(path) && looks_sealed(&place) {
                    continue;
                }
                let why_not = match direction {
                    // An input named on the command line is always taken. It may also be a FIFO, which can be read only once.
                    _ if matches!(place, Place::File(_)) => None,
                    // The content decides, since plaintext may have any name.
                    Direction::Encrypt { .. } if is_sealed(&place) => Some(SkipReason::AlreadySealed),
                    Direction::Encrypt { .. } => None,
                    _ if keeps_name => None,
                    _ if may_keep_name && outputs.is_some() => Some(SkipReason::NotSealed),
                    _ if !has_suffix => Some(SkipReason::WithoutSuffix),
                    _ if renamed(path).is_none() => Some(SkipReason::SuffixAlone),
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
                    None => renamed(path).map(|path| place.with_path(path)),
                };
                let Some(target) = target else {
                    if direction == Direction::Decrypt && outputs.is_none() && !self.has_several {
                        refuse_foreign(path)?;
                    }
                    return Err(Failure::usage_with_hint(
                        format!(
                            "{} does not end in .seal, .age or .nkct, so its output has no name",
                            escape_name(path)
                        ),
                        match find_mistaken_output(paths) {
                            Some(last) if last == path => hint_at_output_option(last),
                            _ if outputs.is_some() && path.is_file() => {
                                let name = plain_name(path).unwrap_or("FILE");
                                format!(
                                    "its content does not look sealed either: `sealstone inspect {name}` shows more"
                                )
                            }
                            _ if outputs.is_some() => "decrypt it alone, with -o FILE".to_owned(),
                            _ if self.has_several => "a sealed file keeps its name with -o DIR/".to_owned(),
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

    /// Refuses two outputs with one name in any spelling, and two names of one file, which a case-insensitive folder has. Records
    /// the state of each existing output.
    fn refuse_colliding_outputs(&mut self) -> Result<(), Failure> {
        let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
        let has_several = self.jobs.len() > 1;
        self.for_each_job(
            |job| &job.output,
            |job| {
                let stat = job.output.stat();
                job.initial_state = stat.as_ref().map(FileState::from);
                job.is_one_of_several = has_several;
                // A file with several hard links can be replaced under each name separately.
                let alone = stat.filter(|stat| stat.st_nlink == 1).map(|stat| FileId::from(&stat));
                let is_new = job.output.identity().is_none_or(|identity| names.insert(identity));
                if is_new && alone.is_none_or(|id| ids.insert(id)) {
                    return Ok(());
                }
                Err(Failure::usage(format!("two inputs would be written to {}", job.output.name())))
            },
        )
    }

    /// Refuses outputs that are inputs of this run under any name: the input would be lost before it is read.
    fn refuse_inputs_as_outputs(&mut self) -> Result<(), Failure> {
        let outputs: BTreeSet<_> = self.replaced_ids().collect();
        if outputs.is_empty() {
            return Ok(());
        }
        let has_several = self.has_several;
        self.for_each_job(
            |job| &job.input,
            |job| {
                if !job.input.ids().iter().any(|id| outputs.contains(id)) {
                    return Ok(());
                }
                let path = job.input.path().unwrap_or(Path::new("stdin")).to_path_buf();
                let failure = Failure::from(Error::SameFile(path));
                let hint = "write to another folder with -o DIR/, or leave this input out";
                Err(if has_several { failure.with_hint(hint) } else { failure })
            },
        )
    }

    /// Calls `each` for every job, and closes each folder afterwards, since there may be more folders than descriptors.
    fn for_each_job(
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

    /// Lists the files that an argument names, or that its folder contains.
    fn find_files(&mut self, input: &Path, recursive: bool) -> Vec<FoundFile> {
        let name = PathBuf::from(input.file_name().unwrap_or_default());
        if !recursive || !input.is_dir() {
            return vec![FoundFile { place: Place::new(input), below: name }];
        }
        let folder = Rc::new(Folder::of_inputs(input));
        let mut found = Vec::new();
        for entry in folder.walk() {
            match entry {
                Ok((path, kind)) if kind.is_file() => {
                    let below = name.join(folder.relative_path(&path));
                    found.push(FoundFile { place: Place::Below(Rc::clone(&folder), path), below });
                }
                Ok((path, kind)) => {
                    let why = if kind.is_symlink() { SkipReason::SymbolicLink } else { SkipReason::NotRegular };
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

impl Plan {
    /// Plans inputs without outputs. Files in folders are skipped as not sealed unless `takes` accepts them.
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
        let stdout = find_stdout_file()?;
        for input in inputs {
            let found = self.find_files(input, recursive);
            let folder = found.first().map(|found| found.place.clone());
            for FoundFile { place, .. } in found {
                if let Place::Below(_, path) = &place {
                    if !takes(&place, path) {
                        self.skip(path, SkipReason::NotSealed);
                        continue;
                    }
                    // The shell created this file for the output.
                    if stdout.is_some_and(|stdout| place.ids().contains(&stdout)) {
                        self.skip(path, SkipReason::StdoutItself);
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

/// A file that an argument names, or that its folder contains.
struct FoundFile {
    place: Place,
    /// Its path below the parent of the argument.
    below: PathBuf,
}
