//! Writes archives.

use super::first_names::FirstNames;
use super::folders_max;
use super::pattern::Pattern;
use crate::archive::{self, Entry, IndexWriter, Member, MemberKind, Owner, Time, padding};
use crate::error::{Error, Result};
use crate::file::encrypt::Encryptor;
use crate::file::inspect::Sealstone;
use crate::format::content::Writing;
use crate::format::frames::FRAME_LEN;
use crate::format::{Format, Head, Summary};
use crate::pipeline::tree::{
    self, File, Found, Kind, Left, Meta, Owners, Place, Root, Step, Walk, WalkOptions, attributes, regions,
};
use crate::pipeline::{FileId, Folder, Input, Meter, Output, Supply, Wiped};
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Encrypts files and folders as one archive.
///
/// The members of a folder `photos` have the paths `photos`, `photos/a.jpg` and so on, whatever folder `photos` is in. Modes, modification times,
/// symbolic links, hard links and holes are kept. FIFOs, devices and sockets are left out. The same folder gives the same archive.
///
/// ```
/// use sealstone::{Archive, Archiver, Compression, Decryptor, Encryptor, Identity, Input, Kind, Output, Pattern};
///
/// # let place = tempfile::tempdir().unwrap();
/// # let (photos, backup) = (place.path().join("photos"), place.path().join("photos.tar.seal"));
/// # std::fs::create_dir(&photos).unwrap();
/// # std::fs::write(photos.join("a.jpg"), "a photo").unwrap();
/// let identity = Identity::generate(Kind::Hybrid)?;
/// let encryptor = Encryptor::new([identity.recipient()]).compression(Compression::Auto);
/// let archived = Archiver::new(encryptor).exclude(Pattern::new("*.tmp")?).archive([&photos], Output::file(&backup)?)?;
/// assert_eq!((archived.members, archived.left_out), (2, 0));
///
/// let mut archive = Archive::open(&Decryptor::new([identity]), Input::open(&backup)?)?;
/// let paths: Vec<_> = archive.entries()?.map(|entry| Ok(entry?.path)).collect::<sealstone::Result<_>>()?;
/// assert_eq!(paths, [&b"photos"[..], b"photos/a.jpg"]);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Archiver {
    encryptor: Encryptor,
    excluded: Vec<Pattern>,
    options: Options,
    on_left_out: Option<OnLeftOut>,
}

/// Called for each member that is not in the archive, or not as it is.
type OnLeftOut = Arc<dyn Fn(&Error) + Send + Sync>;

/// The facts about members that are asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    one_file_system: bool,
    owners: bool,
    attributes: bool,
}

/// The bytes and members of an archive that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Archived {
    /// The bytes of the archive, and of the whole file without armour.
    pub summary: Summary,
    /// The number of members.
    pub members: u64,
    /// Bytes of all files.
    pub file_bytes: u64,
    /// The number of members that could not be read, or changed while they were read; each was reported to
    /// [`on_left_out`](Archiver::on_left_out). FIFOs, devices, sockets and the archive itself, which are reported too, do not count.
    pub left_out: u64,
}

impl Archiver {
    /// Archives with the recipients and settings of an encryptor, also with its [`Compression`](crate::Compression).
    #[must_use]
    pub fn new(encryptor: Encryptor) -> Self {
        Self { encryptor, excluded: Vec::new(), options: Options::default(), on_left_out: None }
    }

    /// Leaves out members, and what is in folders that it leaves out.
    #[must_use]
    pub fn exclude(mut self, pattern: Pattern) -> Self {
        self.excluded.push(pattern);
        self
    }

    /// Enters no folder that is on another file system than the folder that was named.
    #[must_use]
    pub fn one_file_system(mut self, one: bool) -> Self {
        self.options.one_file_system = one;
        self
    }

    /// Keeps the users and groups of members. Otherwise, the archive does not say whose they were.
    #[must_use]
    pub fn owners(mut self, owners: bool) -> Self {
        self.options.owners = owners;
        self
    }

    /// Keeps the extended attributes `user.*` of files and folders. Others, and access control lists, are never kept.
    #[must_use]
    pub fn attributes(mut self, attributes: bool) -> Self {
        self.options.attributes = attributes;
        self
    }

    /// Calls `callback` for each member that cannot be read, that changes while it is read, or whose kind no archive has.
    #[must_use]
    pub fn on_left_out(mut self, callback: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_left_out = Some(Arc::new(callback));
        self
    }

    /// Archives files and folders. A path that ends with `.` or is `/` stands for the content of the folder, without a name of its own; it
    /// must be the only one.
    ///
    /// # Errors
    /// - the errors of [`Encryptor::encrypt_to`];
    /// - [`Error::InvalidOption`] if there is no path, or if two have one name;
    /// - [`Error::Io`] if one of the paths cannot be opened. A member below it that cannot be read is left out, which the result says.
    pub fn archive(&self, paths: impl IntoIterator<Item = impl AsRef<Path>>, output: Output<'_>) -> Result<Archived> {
        let roots = roots(paths)?;
        let settings = self.encryptor.settings_of();
        output.check(&Input::reader(io::empty()))?;
        let existing = output.existing_id();
        let Head { bytes, payload, is_armoured } = self.encryptor.begin_archive()?;
        let compression = self.encryptor.compression_of();
        let armour = Sealstone::ARMOUR.filter(|_| is_armoured);
        let writing = Writing { head: &bytes, payload: &payload, compression, armour };
        let mut destination = output.begin(None)?;
        let own = Own { existing, unfinished: destination.temporary_id() };
        let mut ledger = Ledger::new(self.on_left_out.clone());
        let meter = Meter::new(settings, None);
        let mut members = 0;
        let named = roots.iter().map(|root| root.name.clone()).collect();
        let summary = writing.run(&mut destination, |packer| {
            let walk = Walk::new(
                roots,
                WalkOptions {
                    one_file_system: self.options.one_file_system,
                    excluded: Box::new(|path, is_folder| self.excluded.iter().any(|one| one.matches(path, is_folder))),
                },
            );
            packer.run(
                Members::new(walk, named, self.options, own, settings.threads()),
                &mut ledger,
                settings.threads(),
                &meter,
            )?;
            let index = std::mem::take(&mut ledger.index);
            members = index.members();
            let index = Index { pieces: std::iter::once(archive::END.to_vec()).chain(index.finish()) };
            packer.run(index, &mut (), 1, &meter)
        })?;
        destination.commit()?;
        Ok(Archived { summary, members, file_bytes: ledger.file_bytes, left_out: ledger.left_out })
    }
}

debug!(Archiver { encryptor, options });

/// The roots of a walk: each path, and its name in the archive.
fn roots(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Vec<Root>> {
    let mut roots = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let name = match path.components().next_back() {
            Some(Component::Normal(_)) if ends_with_dot(path) => Vec::new(),
            Some(Component::Normal(name)) => name.as_encoded_bytes().to_vec(),
            Some(Component::ParentDir) | None => {
                return Err(Error::InvalidOption(
                    "an archive needs the names of its folders: a path must not end with ..",
                ));
            }
            _ => Vec::new(),
        };
        roots.push(Root { name, path: path.to_path_buf() });
    }
    let mut names: Vec<&[u8]> = roots.iter().map(|root| &*root.name).collect();
    names.sort_unstable();
    match names[..] {
        [] => Err(Error::InvalidOption("an archive needs a file or folder")),
        [[], _, ..] => {
            Err(Error::InvalidOption("the content of a folder (a path that ends with .) must be alone in an archive"))
        }
        _ if names.windows(2).any(|two| two[0] == two[1]) => {
            Err(Error::InvalidOption("two of the files and folders have the same name: archive the folder above them"))
        }
        _ => Ok(roots),
    }
}

/// Whether the last component of a path is `.`, which [`Path::components`] leaves out.
fn ends_with_dot(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
    bytes == b"." || bytes.ends_with(b"/.")
}

/// The members so far, in order.
struct Ledger {
    index: IndexWriter,
    on_left_out: Option<OnLeftOut>,
    left_out: u64,
    file_bytes: u64,
}

impl Ledger {
    fn new(on_left_out: Option<OnLeftOut>) -> Self {
        Self { index: IndexWriter::default(), on_left_out, left_out: 0, file_bytes: 0 }
    }

    fn leave_out(&mut self, why: &Error) {
        // A kind that no archive has is no loss: the file lives only while a program or a driver runs. Nor is the archive itself.
        self.left_out += u64::from(!matches!(why, Error::NotRegularFile { .. } | Error::SameFile(_)));
        if let Some(callback) = &self.on_left_out {
            callback(why);
        }
    }
}

/// Below this length, a file is read as a whole by the worker that has its part.
const SMALL_LEN: u64 = 256 << 10;

/// Gives the members of a walk, as parts of an archive.
struct Members<'a> {
    walk: Walk<'a>,
    /// The names of the roots.
    named: HashSet<Vec<u8>>,
    options: Options,
    /// If they are kept.
    owners: Option<Owners>,
    own: Own,
    linked: FirstNames,
    /// A small file that did not fit into the part before.
    waiting: Option<Item>,
    /// A file that is read over several parts, and how much of it was given.
    large: Option<(Arc<Large>, u64)>,
    /// What was left out before the next part.
    left: Vec<Error>,
    /// The folders that one part may keep open.
    folders_max: usize,
}

/// The files of the archive itself, which are not archived.
struct Own {
    /// The existing file that the archive replaces.
    existing: Option<FileId>,
    /// The unfinished file, which nobody misses.
    unfinished: Option<FileId>,
}

/// A file that is read over several parts.
struct Large {
    file: File,
    meta: Meta,
    shown: PathBuf,
    /// Whether it was reported to have changed.
    is_reported: AtomicBool,
    /// The stored parts of the file.
    regions: Vec<Range<u64>>,
    len: u64,
}

/// A piece of a part.
enum Item {
    /// Bytes that are known.
    Head { bytes: Wiped, member: Option<(Entry, u64)> },
    /// A file that is read whole.
    Small(Small),
    /// A range of the stored bytes of a large file.
    Data { file: Arc<Large>, range: Range<u64> },
}

/// A file that is read whole.
struct Small {
    place: Place,
    path: Box<[u8]>,
    meta: Meta,
    owner: Option<Owner>,
}

/// A part of an archive.
#[derive(Default)]
struct Load {
    items: Vec<Item>,
    bytes: Wiped,
    members: Vec<(Entry, u64)>,
    left: Vec<Error>,
}

impl<'a> Members<'a> {
    fn new(walk: Walk<'a>, named: HashSet<Vec<u8>>, options: Options, own: Own, threads: usize) -> Self {
        Self {
            walk,
            named,
            owners: options.owners.then(Owners::read),
            options,
            own,
            linked: FirstNames::default(),
            waiting: None,
            large: None,
            left: Vec::new(),
            folders_max: folders_max(threads),
        }
    }

    /// Reads a small file at once, so that its folder need not stay open.
    fn read_now(&mut self, small: &Small) -> Option<Item> {
        let mut bytes = Wiped::default();
        match small.read(&mut bytes) {
            Ok((member, fault)) => {
                self.left.extend(fault);
                Some(Item::Head { bytes, member: Some(member) })
            }
            Err(why) => {
                self.left.push(why);
                None
            }
        }
    }

    /// Gives as much of the large file as fits into `room` bytes; returns the number of bytes, with padding.
    fn give_large(&mut self, room: u64, items: &mut Vec<Item>) -> u64 {
        let Some((file, at)) = &mut self.large else { return 0 };
        let len = room.min(file.len - *at);
        let range = *at..*at + len;
        *at += len;
        let is_whole = *at == file.len;
        items.push(Item::Data { file: Arc::clone(file), range });
        if is_whole {
            let padding = padding(file.len);
            items.push(Item::Head { bytes: padding.to_vec().into(), member: None });
            self.large = None;
            return len + padding.len() as u64;
        }
        len
    }

    /// The next item of the walk; `None` at its end.
    fn step(&mut self) -> Result<Option<Item>> {
        loop {
            let Self { walk, named, options, owners, own, linked, large, left, .. } = self;
            let found = match walk.next() {
                None => return Ok(None),
                Some(Step::Left(Left { path, why })) => {
                    // What the caller named has to be there.
                    if named.contains(path) {
                        return Err(why);
                    }
                    left.push(why);
                    continue;
                }
                Some(Step::Found(found)) => found,
            };
            if found.path.is_empty() {
                continue;
            }
            if own.unfinished == Some(found.meta.id) {
                continue;
            }
            if own.existing == Some(found.meta.id) {
                left.push(Error::SameFile(found.place().shown(found.path)));
                continue;
            }
            let owner = owners.as_ref().map(|owners| owner(owners, &found.meta));
            let is_named = named.contains(found.path);
            match item(&found, owner, *options, is_named, linked, large) {
                Ok(item) => return Ok(Some(item)),
                Err(why) if is_named => return Err(why),
                Err(why) => left.push(why),
            }
        }
    }
}

/// The item of a member. A large file is opened, and its data are left in `large`.
fn item(
    found: &Found<'_>,
    owner: Option<Owner>,
    options: Options,
    is_named: bool,
    linked: &mut FirstNames,
    large: &mut Option<(Arc<Large>, u64)>,
) -> Result<Item> {
    let &Found { path, meta, target, .. } = found;
    let head = |member: &Member| {
        let mut bytes = Vec::new();
        let blocks = member.write_head(&mut bytes)?;
        Ok(Item::Head { bytes: bytes.into(), member: Some((member.entry.clone(), blocks)) })
    };
    let member =
        |kind, meta: &Meta, link: &[u8]| Member { owner: owner.clone(), ..Member::new(entry(path, kind, meta, link)) };
    if meta.kind == Kind::File
        && meta.links > 1
        && let Some(first) = linked.path_of(&meta)
    {
        return head(&member(MemberKind::HardLink, &meta, &first));
    }
    match meta.kind {
        Kind::SymbolicLink => head(&member(MemberKind::SymbolicLink, &meta, target)),
        Kind::Folder => {
            let mut folder = member(MemberKind::Folder, &meta, &[]);
            if options.attributes {
                folder.attributes = attributes_of(&found.place().open(path)?.0, found, path)?;
            }
            head(&folder)
        }
        // Attributes can be longer than the file: its head is made here, so that the length of the part is known. What the caller named is
        // opened here, so that it is an error if it cannot be.
        Kind::File
            if meta.links == 1
                && meta.len <= SMALL_LEN
                && !meta.may_have_holes()
                && !options.attributes
                && !is_named =>
        {
            Ok(Item::Small(Small { place: found.place(), path: path.into(), meta, owner }))
        }
        Kind::File => {
            // A file with several names is opened here, since a link to it is written only if it could be opened.
            let place = found.place();
            let (file, meta) = place.open(path)?;
            let mut one = member(MemberKind::File, &meta, &[]);
            if options.attributes {
                one.attributes = attributes_of(&file, found, path)?;
            }
            if meta.may_have_holes() {
                let found =
                    regions(&file, meta.len).map_err(|error| Error::io("read", Some(&place.shown(path)), error))?;
                let found = found.map(|regions| archive::align_regions(&regions, meta.len));
                one.regions = found.filter(|regions| is_worth_it(regions, meta.len));
            }
            let item = head(&one)?;
            if meta.links > 1 {
                linked.add(&meta, path);
            }
            let len = one.data_len();
            let whole = 0..meta.len;
            let regions = one.regions.unwrap_or_else(|| Vec::from([whole]));
            *large = Some((
                Arc::new(Large {
                    file,
                    meta,
                    shown: place.shown(path),
                    is_reported: AtomicBool::new(false),
                    regions,
                    len,
                }),
                0,
            ));
            Ok(item)
        }
    }
}

/// Whether holes are worth a map: it takes an extended header and one block or more.
fn is_worth_it(regions: &[Range<u64>], len: u64) -> bool {
    let stored: u64 = regions.iter().map(|region| region.end - region.start).sum();
    stored + archive::map_len(regions, len) + 1024 < len
}

fn attributes_of(file: &File, found: &Found<'_>, path: &[u8]) -> Result<std::collections::BTreeMap<Vec<u8>, Vec<u8>>> {
    let read =
        attributes(file).map_err(|error| Error::io("read attributes of", Some(&found.place().shown(path)), error))?;
    Ok(read.into_iter().filter(|(name, _)| archive::is_attribute_name(name)).collect())
}

fn owner(owners: &Owners, meta: &Meta) -> Owner {
    let bytes = |name: Option<&str>| name.unwrap_or_default().as_bytes().to_vec();
    Owner {
        user: meta.owner.into(),
        group: meta.group.into(),
        user_name: bytes(owners.user(meta.owner)),
        group_name: bytes(owners.group(meta.group)),
    }
}

fn entry(path: &[u8], kind: MemberKind, meta: &Meta, link: &[u8]) -> Entry {
    let mode = if kind == MemberKind::SymbolicLink { 0o777 } else { meta.mode };
    let size = if kind == MemberKind::File { meta.len } else { 0 };
    let (seconds, nanoseconds) = meta.modified;
    Entry { path: path.to_vec(), kind, size, mode, modified: Time { seconds, nanoseconds }, link: link.to_vec() }
}

/// The least room for another item in a part.
const HEAD_LEN: u64 = 2048;

impl Small {
    /// The most bytes of its head, its data and the padding.
    fn room(&self) -> u64 {
        let names = self.owner.as_ref().map_or(0, |owner| owner.user_name.len() + owner.group_name.len());
        // An extended header and its records, of which those of fixed length have less than 512 bytes; and the header block.
        let records = (self.path.len() + names + 512).next_multiple_of(archive::BLOCK_LEN);
        (2 * archive::BLOCK_LEN + records) as u64 + self.meta.len + padding(self.meta.len).len() as u64
    }

    /// Appends its head, its data and the padding. If it has grown, the rest is not read. Returns its entry and blocks, and an error if it
    /// changed meanwhile.
    fn read(&self, bytes: &mut Wiped) -> Result<((Entry, u64), Option<Error>)> {
        let Self { place, path, meta: before, owner } = self;
        let (file, mut meta) = place.open(path)?;
        if meta.kind != Kind::File {
            return Err(Error::InputChanged(place.shown(path)));
        }
        let now = meta;
        meta.len = meta.len.min(before.len);
        let member = Member { owner: owner.clone(), ..Member::new(entry(path, MemberKind::File, &meta, &[])) };
        bytes.make_room(usize::try_from(self.room()).expect("archive: it is small"));
        let blocks = member.write_head(bytes)?;
        let begin = bytes.len();
        let len = usize::try_from(meta.len).expect("archive: it is small");
        bytes.set_len(begin + len);
        let read = tree::read_at(&file, &mut bytes[begin..], 0)
            .map_err(|error| Error::io("read", Some(&place.shown(path)), error))?;
        bytes.extend(padding(meta.len));
        let is_same = read == len && before.is_unchanged(&now) && is_unchanged(&file, &now);
        let fault = (!is_same).then(|| Error::InputChanged(place.shown(path)));
        Ok(((member.entry, blocks), fault))
    }
}

impl Supply for Members<'_> {
    type Load = Load;
    type Ledger = Ledger;

    fn claim(&mut self, load: &mut Load) -> Result<bool> {
        load.items.clear();
        let mut room = FRAME_LEN as u64;
        let (mut folders, mut before) = (0, None::<Folder>);
        loop {
            room = room.saturating_sub(self.give_large(room, &mut load.items));
            if self.large.is_some() || room < HEAD_LEN {
                break;
            }
            let Some(item) = self.waiting.take().map_or_else(|| self.step(), |item| Ok(Some(item)))? else { break };
            let len = match &item {
                Item::Head { bytes, .. } => bytes.len() as u64,
                Item::Small(small) => small.room(),
                Item::Data { .. } => 0,
            };
            if len > room && !load.items.is_empty() {
                self.waiting = Some(item);
                break;
            }
            room = room.saturating_sub(len);
            let item = match item {
                Item::Small(small) => {
                    if !before.as_ref().is_some_and(|before| before.is(small.place.folder())) {
                        folders += 1;
                        before = Some(small.place.folder().clone());
                    }
                    if folders > self.folders_max { self.read_now(&small) } else { Some(Item::Small(small)) }
                }
                item => Some(item),
            };
            load.items.extend(item);
        }
        load.left.append(&mut self.left);
        Ok(!load.items.is_empty() || !load.left.is_empty())
    }

    fn bytes(load: &mut Load) -> Result<&[u8]> {
        let Load { items, bytes, members, left } = load;
        bytes.clear();
        for item in items.drain(..) {
            match item {
                Item::Head { bytes: head, member } => {
                    bytes.extend(&head);
                    members.extend(member);
                }
                Item::Small(small) => {
                    let begin = bytes.len();
                    match small.read(bytes) {
                        Ok((member, fault)) => {
                            members.push(member);
                            left.extend(fault);
                        }
                        Err(why) => {
                            bytes.truncate(begin);
                            left.push(why);
                        }
                    }
                }
                Item::Data { file, range } => left.extend(read_data(&file, range, bytes)),
            }
        }
        Ok(bytes)
    }

    fn settle(ledger: &mut Ledger, load: &mut Load) -> Result<()> {
        for why in load.left.drain(..) {
            ledger.leave_out(&why);
        }
        for (entry, blocks) in load.members.drain(..) {
            ledger.file_bytes = ledger.file_bytes.saturating_add(entry.size);
            ledger.index.add(&entry, blocks)?;
        }
        Ok(())
    }
}

fn is_unchanged(file: &File, before: &Meta) -> bool {
    matches!(Meta::of(file), Ok(Some(now)) if now.is_unchanged(before))
}

/// Appends stored bytes of a large file. What cannot be read is zeros, and the returned error says so.
fn read_data(file: &Large, range: Range<u64>, bytes: &mut Wiped) -> Option<Error> {
    let mut fault = None;
    let mut stored = 0;
    for region in &file.regions {
        let len = region.end - region.start;
        let within = range.start.max(stored)..range.end.min(stored + len);
        if !within.is_empty() {
            let begin = bytes.len();
            let part_len = usize::try_from(within.end - within.start).expect("archive: a part is short");
            bytes.set_len(begin + part_len);
            match tree::read_at(&file.file, &mut bytes[begin..], region.start + within.start - stored) {
                Ok(read) if read == part_len => {}
                Ok(_) => fault = Some(Error::InputChanged(file.shown.clone())),
                Err(error) => fault = Some(Error::io("read", Some(&file.shown), error)),
            }
        }
        stored += len;
    }
    if fault.is_none() && range.end == file.len && !is_unchanged(&file.file, &file.meta) {
        fault = Some(Error::InputChanged(file.shown.clone()));
    }
    // It is one member, whatever fails of it.
    fault.filter(|_| !file.is_reported.swap(true, Ordering::Relaxed))
}

/// Gives the end and the index as parts of an archive.
struct Index<I> {
    pieces: I,
}

impl<I: Iterator<Item = Vec<u8>> + Send> Supply for Index<I> {
    type Load = Vec<u8>;
    type Ledger = ();

    fn claim(&mut self, load: &mut Vec<u8>) -> Result<bool> {
        load.clear();
        for piece in self.pieces.by_ref() {
            load.extend_from_slice(&piece);
            if load.len() + PIECE_LEN > FRAME_LEN {
                break;
            }
        }
        Ok(!load.is_empty())
    }

    fn bytes(load: &mut Vec<u8>) -> Result<&[u8]> {
        Ok(load)
    }

    fn settle((): &mut (), _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// The most bytes of a piece of the index.
const PIECE_LEN: usize = 64 << 10;
