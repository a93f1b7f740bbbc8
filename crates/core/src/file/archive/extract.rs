//! Makes the files and folders of an archive.

use super::check::check_is_archive;
use super::folders_max;
use super::links::{Link, Links};
use super::read::{Archive, Choice, Chosen};
use crate::archive::{EntryRef, Listed, MEMBER_DIFFERS, Member, MemberKind, Part, Splitter, compare, leads_out};
use crate::error::{Error, Result, escape_bytes};
use crate::file::decrypt::Decryptor;
use crate::file::inspect::Sealstone;
use crate::format::content::read_all;
use crate::format::{Format, Reader};
use crate::pipeline::tree::{Existing, Finish, Finished, Held, Parent, Plant, PlantOptions, Planted, is_within};
use crate::pipeline::{Buffer, FileId, Input, Sink, within};
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Makes the files and folders of an archive.
///
/// Everything of the archive appears together, under the name of a folder that did not exist: in a hidden folder beside it, which gets
/// the name when all members are authentic and on the disk. After an error, nothing is left.
///
/// Modes and times are those of the members. Set-user-ID, set-group-ID and sticky bits, owners, extended attributes and symbolic links that
/// lead out of the folder are restored only if the caller asks for them.
///
/// ```
/// use sealstone::{Archiver, Decryptor, Encryptor, Extractor, Identity, Input, Kind, Output};
///
/// # let place = tempfile::tempdir().unwrap();
/// # let (photos, backup) = (place.path().join("photos"), place.path().join("photos.tar.seal"));
/// # let restored = place.path().join("restored");
/// # std::fs::create_dir(&photos).unwrap();
/// # std::fs::write(photos.join("a.jpg"), "a photo").unwrap();
/// let identity = Identity::generate(Kind::X25519)?;
/// Archiver::new(Encryptor::new([identity.recipient()])).archive([&photos], Output::file(&backup)?)?;
/// let extracted = Extractor::new(Decryptor::new([identity])).extract(Input::open(&backup)?, &restored)?;
/// assert_eq!((extracted.members, extracted.file_bytes), (2, 7));
/// assert_eq!(std::fs::read(restored.join("photos/a.jpg")).unwrap(), b"a photo");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Extractor {
    decryptor: Decryptor,
    existing: Existing,
    outside_links: bool,
    options: PlantOptions,
    protected: Vec<(FileId, PathBuf)>,
}

/// The members that were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Extracted {
    /// The number of files, folders and links.
    pub members: u64,
    /// Bytes of all files.
    pub file_bytes: u64,
}

impl Extractor {
    /// Extracts with the identities and settings of a decryptor.
    #[must_use]
    pub fn new(decryptor: Decryptor) -> Self {
        Self {
            decryptor,
            existing: Existing::Refuse,
            outside_links: false,
            options: PlantOptions::default(),
            protected: Vec::new(),
        }
    }

    /// Sets whether members replace existing files and links; otherwise, an existing folder is an error, and in [`extract_members`](Self::extract_members) an existing
    /// file. Folders are merged, and what is only in an existing folder stays.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        self.existing = if replace { Existing::Replace } else { Existing::Refuse };
        self
    }

    /// Sets whether everything is flushed to the disk before it gets its name; on by default.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        self.options.sync = sync;
        self
    }

    /// Makes symbolic links that may lead out of the folder. A program that follows such a link works on files outside.
    #[must_use]
    pub fn outside_links(mut self, make: bool) -> Self {
        self.outside_links = make;
        self
    }

    /// Restores set-user-ID, set-group-ID and sticky bits.
    #[must_use]
    pub fn special_bits(mut self, restore: bool) -> Self {
        self.options.special_bits = restore;
        self
    }

    /// Restores users and groups, by their numbers. Only root can do that.
    #[must_use]
    pub fn owners(mut self, restore: bool) -> Self {
        self.options.owners = restore;
        self
    }

    /// Restores the extended attributes `user.*`.
    #[must_use]
    pub fn attributes(mut self, restore: bool) -> Self {
        self.options.attributes = restore;
        self
    }

    /// Refuses to replace a file: one with keys of the operation. The archive is never replaced.
    #[must_use]
    pub fn protect(mut self, id: FileId, path: impl Into<PathBuf>) -> Self {
        self.protected.push((id, path.into()));
        self
    }

    /// The files that are not replaced.
    fn protected(&self, input: &Input<'_>) -> Vec<(FileId, PathBuf)> {
        let path = input.path().unwrap_or(Path::new("standard input"));
        input.id().map(|id| (id, path.to_path_buf())).into_iter().chain(self.protected.iter().cloned()).collect()
    }

    /// Extracts all members into a folder that does not exist. The input can be a stream.
    ///
    /// # Errors
    /// - the errors of [`Decryptor::decrypt_to`]; [`Error::NotAnArchive`]; [`Error::MalformedArchive`];
    /// - [`Error::OutputExists`]; [`Error::NamesCollide`]; [`Error::UnsafeMember`]; [`Error::Io`].
    pub fn extract(&self, mut input: Input<'_>, folder: impl AsRef<Path>) -> Result<Extracted> {
        let protected = self.protected(&input);
        let extracted = Sealstone::strip_armour(&mut input, false, |input| {
            let (payload, at) = self.decryptor.open(input, false)?;
            check_is_archive(&payload)?;
            let mut plant = Plant::new(folder.as_ref(), self.existing, self.options)?;
            plant.protect(protected);
            let mut making = Making::new(plant, Splitter::new(), self.decryptor.settings_of().threads());
            let sink = Making::sink(self.outside_links, 0..u64::MAX);
            read_all(&payload, input, at, &sink, &mut making, self.decryptor.settings_of())?;
            Ok(making)
        });
        let making = input.finish_with(extracted)?;
        making.finish()
    }

    /// Extracts the members of some paths, and all that is in these folders. It reads only the index and these members.
    ///
    /// The folder may exist. Each file appears when all of it is authentic. If one fails, those that were complete stay.
    ///
    /// # Errors
    /// As [`extract`](Self::extract); [`Error::NoSuchMember`]; [`Error::NotSeekable`] if the input is a stream or armoured.
    pub fn extract_members(
        &self,
        input: Input<'_>,
        folder: impl AsRef<Path>,
        paths: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<Extracted> {
        let mut wanted = Wanted::new(paths);
        let protected = self.protected(&input);
        let mut archive = Archive::open(&self.decryptor, input)?;
        let mut chosen = Choice::default();
        let mut walk = archive.walk();
        archive.each(&mut walk, |listed| {
            if wanted.look_at(&listed, self.outside_links)? && !chosen.is_full() {
                chosen.push(listed);
            }
            Ok(true)
        })?;
        wanted.check(&mut archive)?;
        if chosen.is_full() || !wanted.outside.hashes.is_empty() {
            // They are chosen again, some at a time, and with the files of the hard links.
            walk = archive.walk();
            chosen = archive.choose(&mut walk, |listed| wanted.has(listed))?;
        }
        let mut plant = Plant::single_files(folder.as_ref(), self.existing, self.options)?;
        plant.protect(protected);
        let mut making = Making::new(plant, Splitter::run(0), self.decryptor.settings_of().threads());
        making.outside = Arc::clone(&wanted.outside);
        while !chosen.members.is_empty() {
            let mut members = chosen.members.into_iter().peekable();
            while let Some(first) = members.next() {
                // Members that stand together are read together.
                let mut range = first.offset..first.end();
                let mut run = VecDeque::from([first]);
                while let Some(next) = members.next_if(|next| next.offset == range.end) {
                    range.end = next.end();
                    run.push_back(next);
                }
                making.splitter = Some(Splitter::run(range.start));
                making.expected = Some(run);
                let sink = Making::sink(self.outside_links, range.clone());
                archive.run(&range, &sink, &mut making)?;
                sink.publish(&mut making)?;
                making.end_run()?;
            }
            chosen = archive.choose(&mut walk, |listed| wanted.has(listed))?;
        }
        archive.finish()?;
        making.finish()
    }
}

debug!(Extractor { decryptor, options });

/// The members that are asked for.
struct Wanted {
    /// In the order of members, and whether there is such a member.
    paths: Vec<(Vec<u8>, bool)>,
    /// Those of the paths that are not within others.
    tops: Vec<Vec<u8>>,
    /// The paths that hard links name.
    linked: Hashes,
    /// Those of them that are not asked for.
    outside: Arc<Hashes>,
}

/// A set of paths, of which it has only hashes: eight bytes each, however long they are.
#[derive(Default, Clone)]
struct Hashes {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl Hashes {
    fn hash(&self, path: &[u8]) -> u64 {
        self.hasher.hash_one(path)
    }

    fn insert(&mut self, path: &[u8]) {
        self.hashes.insert(self.hash(path));
    }

    fn remove(&mut self, path: &[u8]) {
        let hash = self.hash(path);
        self.hashes.remove(&hash);
    }

    /// The hash of a path, if that is in the set.
    fn find(&self, path: &[u8]) -> Option<u64> {
        // Most sets are empty, and then nothing is hashed.
        (!self.hashes.is_empty()).then(|| self.hash(path)).filter(|hash| self.hashes.contains(hash))
    }

    fn contains(&self, path: &[u8]) -> bool {
        self.find(path).is_some()
    }
}

impl Wanted {
    fn new(paths: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let trim = |path: &[u8]| {
            let path = path.strip_prefix(b"./").or_else(|| path.strip_prefix(b"/")).unwrap_or(path);
            path.strip_suffix(b"/").unwrap_or(path).to_vec()
        };
        let mut paths: Vec<_> = paths.into_iter().map(|path| (trim(path.as_ref()), false)).collect();
        paths.sort_unstable_by(|(a, _), (b, _)| compare(a, b));
        paths.dedup();
        let mut tops: Vec<Vec<u8>> = Vec::new();
        for (path, _) in &paths {
            // All that is in a folder stands behind it.
            if tops.last().is_none_or(|top| !is_within(path, top)) {
                tops.push(path.clone());
            }
        }
        Self { paths, tops, linked: Hashes::default(), outside: Arc::default() }
    }

    fn is_asked_for(&self, path: &[u8]) -> bool {
        let before = match &self.tops[..] {
            [_] => 1,
            tops => tops.partition_point(|top| compare(top, path).is_le()),
        };
        before > 0 && is_within(path, &self.tops[before - 1])
    }

    /// Looks at each member before the first is made; returns whether it is asked for.
    fn look_at(&mut self, listed: &Listed<'_>, outside_links: bool) -> Result<bool> {
        let EntryRef { path, link, kind, .. } = listed.entry;
        if !self.is_asked_for(path) {
            return Ok(false);
        }
        if let Ok(at) = self.paths.binary_search_by(|(asked, _)| compare(asked, path)) {
            self.paths[at].1 = true;
        }
        if kind == MemberKind::SymbolicLink {
            check_link(path, link, outside_links)?;
        }
        if kind == MemberKind::HardLink {
            self.linked.insert(link);
            if !self.is_asked_for(link) {
                Arc::make_mut(&mut self.outside).insert(link);
            }
        }
        Ok(true)
    }

    /// Refuses a path that no member has, and a hard link whose file is not there.
    fn check(&mut self, archive: &mut Archive<'_>) -> Result<()> {
        if let Some((path, _)) = self.paths.iter().find(|(_, is_found)| !is_found) {
            return Err(Error::NoSuchMember(escape_bytes(path).into()));
        }
        let mut missing = std::mem::take(&mut self.linked);
        if missing.hashes.is_empty() {
            return Ok(());
        }
        archive.each(&mut archive.walk(), |listed| {
            if listed.entry.kind == MemberKind::File {
                missing.remove(listed.entry.path);
            }
            Ok(!missing.hashes.is_empty())
        })?;
        if missing.hashes.is_empty() {
            return Ok(());
        }
        let rule = "a hard link does not name a file before it (archive section 3.2)";
        let mut member = None;
        archive.each(&mut archive.walk(), |listed| {
            let EntryRef { path, link, kind, .. } = listed.entry;
            if kind == MemberKind::HardLink && missing.contains(link) {
                member = Some(escape_bytes(path).into());
            }
            Ok(member.is_none())
        })?;
        Err(Error::MalformedArchive { member, rule })
    }

    /// Whether a member is made: also a file that is not asked for, if a link to it is.
    fn has(&self, listed: &Listed<'_>) -> bool {
        let EntryRef { path, kind, .. } = listed.entry;
        self.is_asked_for(path) || kind == MemberKind::File && self.outside.contains(path)
    }
}

/// Refuses a symbolic link that may lead out of the folder, unless the caller asked for it.
fn check_link(path: &[u8], link: &[u8], outside_links: bool) -> Result<()> {
    if outside_links || !leads_out(path, link) {
        return Ok(());
    }
    Err(Error::UnsafeMember {
        member: escape_bytes(path).into(),
        rule: "this symbolic link may lead out of the folder (archive section 4.3)",
    })
}

/// Members that are being made, in order.
struct Making {
    plant: Plant,
    /// `None` between two runs.
    splitter: Option<Splitter>,
    /// The members of a run by the index; `None` if all are made.
    expected: Option<VecDeque<Chosen>>,
    /// Files that only links name. They are made without a name.
    outside: Arc<Hashes>,
    /// Those of them that are complete, by the hashes of their paths.
    held: HashMap<u64, Held>,
    /// A file over several pieces of content.
    large: Option<Arc<Large>>,
    links: Links,
    made: Extracted,
    parts: Vec<Part>,
    /// The folder of the last small file, and how many folders wait in the jobs of this piece.
    last_folder: Option<Parent>,
    folders: usize,
    folders_max: usize,
}

/// A file that several workers write. The last of them finishes it.
struct Large {
    planted: Planted,
    member: Box<Member>,
    held: Option<u64>,
}

/// A file that is about to be made.
struct New {
    parent: Parent,
    member: Box<Member>,
    /// The hash of its path, if only links name it.
    held: Option<u64>,
}

/// The work on one piece of content.
#[derive(Default)]
struct Jobs {
    jobs: Vec<Job>,
    /// Where the content of the jobs begins in the piece.
    begin: usize,
}

enum Job {
    /// A file whose data are all in this piece.
    Small { new: New, data: Vec<(u64, Range<usize>)> },
    /// A part of a file's data.
    Data { file: Arc<Large>, at: u64, range: Range<usize> },
    /// The end of a file's data.
    End(Arc<Large>),
}

/// Gives content to the members that are being made.
struct Maker {
    outside_links: bool,
    range: Range<u64>,
    /// Files that are complete, for [`Plant::publish_one`], and the hashes of the paths of those that only links name.
    finished: Mutex<Vec<(Finished, Option<u64>)>>,
}

impl Making {
    fn new(plant: Plant, splitter: Splitter, threads: usize) -> Self {
        Self {
            plant,
            splitter: Some(splitter),
            expected: None,
            outside: Arc::default(),
            held: HashMap::new(),
            large: None,
            links: Links::default(),
            made: Extracted::default(),
            parts: Vec::new(),
            last_folder: None,
            folders: 0,
            folders_max: folders_max(threads),
        }
    }

    /// Counts the folder of another job. If there are too many, the jobs before have to be done first, so that their folders are closed.
    fn has_too_many_folders(&mut self, parent: &Parent) -> bool {
        if self.last_folder.as_ref().is_some_and(|last| last.is(parent)) {
            return false;
        }
        self.last_folder = Some(parent.clone());
        self.folders += 1;
        let is_over = self.folders > self.folders_max;
        if is_over {
            self.folders = 1;
        }
        is_over
    }

    fn sink(outside_links: bool, range: Range<u64>) -> Maker {
        Maker { outside_links, range, finished: Mutex::default() }
    }

    /// Begins a member.
    fn begin(&mut self, member: Box<Member>, blocks: u64, outside_links: bool) -> Result<Option<New>> {
        if let Some(expected) = &mut self.expected {
            let one = expected.pop_front();
            let one = one.ok_or(Error::MalformedArchive { member: None, rule: MEMBER_DIFFERS })?;
            Listed { entry: one.entry.borrow(), offset: one.offset, blocks: one.blocks }.check(&member, blocks)?;
        }
        let is_file = member.entry.kind == MemberKind::File;
        let held = if is_file { self.outside.find(&member.entry.path) } else { None };
        self.made.members += u64::from(held.is_none());
        self.made.file_bytes = self.made.file_bytes.saturating_add(member.entry.size);
        match member.entry.kind {
            MemberKind::Folder => {
                finish_of(&member, |finish| self.plant.folder(&member.entry.path, finish))?;
                Ok(None)
            }
            MemberKind::File => Ok(Some(New { parent: self.plant.parent(&member.entry.path)?, member, held })),
            MemberKind::SymbolicLink => {
                check_link(&member.entry.path, &member.entry.link, outside_links)?;
                finish_of(&member, |finish| self.links.push(&member, finish));
                Ok(None)
            }
            MemberKind::HardLink => {
                finish_of(&member, |finish| self.links.push(&member, finish));
                Ok(None)
            }
        }
    }

    /// Ends a run of members.
    fn end_run(&mut self) -> Result<()> {
        if let Some(splitter) = self.splitter.take() {
            splitter.finish()?;
        }
        if self.expected.take().is_some_and(|expected| !expected.is_empty()) {
            return Err(Error::MalformedArchive { member: None, rule: MEMBER_DIFFERS });
        }
        Ok(())
    }

    /// Makes the links, and gives everything its name.
    fn finish(mut self) -> Result<Extracted> {
        self.end_run()?;
        let Self { mut plant, links, outside, held, made, .. } = self;
        links.each(|Link { path, target, is_symbolic, finish }| match held.get(&outside.hash(target)) {
            _ if is_symbolic => plant.symbolic_link(path, target, &finish),
            Some(held) => plant.hard_link_to_held(path, held),
            None => plant.hard_link(path, target),
        })?;
        plant.publish()?;
        Ok(made)
    }
}

/// Calls `work` with the metadata of a member.
fn finish_of<T>(member: &Member, work: impl FnOnce(&Finish<'_>) -> T) -> T {
    let attributes: Vec<_> = member.attributes.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let number = |id: u64| u32::try_from(id).ok();
    let owner = member.owner.as_ref().and_then(|owner| Some((number(owner.user)?, number(owner.group)?)));
    let modified = (member.entry.modified.seconds, member.entry.modified.nanoseconds);
    work(&Finish { mode: member.entry.mode, modified, owner, attributes: &attributes })
}

impl Maker {
    /// Gives the complete files their names.
    fn publish(&self, making: &mut Making) -> Result<()> {
        for (one, held) in std::mem::take(&mut *self.finished.lock().expect("extract: no worker panics")) {
            match held {
                Some(hash) => drop(making.held.insert(hash, one.hold())),
                None => making.plant.publish_one(one)?,
            }
        }
        Ok(())
    }

    /// Finishes a file.
    fn complete(&self, planted: Planted, member: &Member, held: Option<u64>) -> Result<()> {
        if member.regions.is_some() {
            planted.set_len(member.entry.size)?;
        }
        let finished = finish_of(member, |finish| planted.finish(finish))?;
        self.finished.lock().expect("extract: no worker panics").push((finished, held));
        Ok(())
    }
}

impl Sink for Maker {
    type Order = Making;
    type Work = Jobs;

    fn sort(&self, making: &mut Making, at: u64, content: &mut Buffer, work: &mut Jobs) -> Result<()> {
        self.publish(making)?;
        let part = within(&self.range, at, content.len());
        work.jobs.clear();
        work.begin = part.start;
        let content = &content[part];
        (making.last_folder, making.folders) = (None, 0);
        let splitter = making.splitter.as_mut().expect("extract: a run has begun");
        let mut parts = std::mem::take(&mut making.parts);
        parts.clear();
        let taken = splitter.take(content, &mut parts);
        let ends: Vec<bool> = ends_after(&parts);
        for (part, is_whole) in parts.drain(..).zip(ends) {
            match part {
                Part::Begin { member, blocks, .. } => {
                    let Some(new) = making.begin(member, blocks, self.outside_links)? else { continue };
                    if is_whole {
                        if making.has_too_many_folders(&new.parent) {
                            self.work_off(&mut work.jobs, content)?;
                        }
                        work.jobs.push(Job::Small { new, data: Vec::new() });
                    } else {
                        let New { parent, member, held } = new;
                        let planted = parent.create(&member.entry.path, member.entry.mode)?;
                        making.large = Some(Arc::new(Large { planted, member, held }));
                    }
                }
                Part::Data { at, range } => match (&making.large, work.jobs.last_mut()) {
                    (Some(file), _) => work.jobs.push(Job::Data { file: Arc::clone(file), at, range }),
                    (None, Some(Job::Small { data, .. })) => data.push((at, range)),
                    (None, _) => unreachable!("extract: data belong to a file"),
                },
                Part::End => work.jobs.extend(making.large.take().map(Job::End)),
                Part::Finished => {}
            }
        }
        making.parts = parts;
        taken
    }

    fn apply(&self, work: &mut Jobs, content: &[u8]) -> Result<()> {
        self.work_off(&mut work.jobs, content.get(work.begin..).unwrap_or_default())
    }
}

impl Maker {
    /// Does jobs on some content.
    fn work_off(&self, jobs: &mut Vec<Job>, content: &[u8]) -> Result<()> {
        for job in jobs.drain(..) {
            match job {
                Job::Small { new: New { parent, member, held }, data } => {
                    let planted = parent.create(&member.entry.path, member.entry.mode)?;
                    for (at, range) in data {
                        planted.write_at(&content[range], at)?;
                    }
                    self.complete(planted, &member, held)?;
                }
                Job::Data { file, at, range } => {
                    file.planted.write_at(&content[range], at)?;
                    self.end(file)?;
                }
                Job::End(file) => self.end(file)?,
            }
        }
        Ok(())
    }

    /// Finishes a file if this was the last work on it.
    fn end(&self, file: Arc<Large>) -> Result<()> {
        match Arc::into_inner(file) {
            Some(Large { planted, member, held }) => self.complete(planted, &member, held),
            None => Ok(()),
        }
    }
}

/// For each part, whether it begins a member that ends within these parts.
fn ends_after(parts: &[Part]) -> Vec<bool> {
    let mut ends = vec![false; parts.len()];
    let mut is_end = false;
    for (part, end) in parts.iter().zip(&mut ends).rev() {
        match part {
            Part::End => is_end = true,
            Part::Begin { .. } => *end = std::mem::take(&mut is_end),
            Part::Data { .. } | Part::Finished => {}
        }
    }
    ends
}
