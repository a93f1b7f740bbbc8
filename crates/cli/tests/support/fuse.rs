//! A file system in memory, served over `/dev/fuse`, that has what a test asks for and lacks the rest: names that differ
//! in case or composition only may be one file, hard links and the flags of `renameat2` may be missing. Files without
//! names, `fallocate` and extended attributes are always missing, as they are in many such file systems.

use crate::support::{is_root, skip};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a file system has.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    /// What names are compared by: those with one key are one.
    pub(crate) key: fn(&str) -> String,
    pub(crate) hard_links: bool,
    /// Whether `renameat2` knows flags, such as `RENAME_NOREPLACE`.
    pub(crate) rename_flags: bool,
}

impl Default for Traits {
    /// As most file systems of Linux are.
    fn default() -> Self {
        Self { key: str::to_owned, hard_links: true, rename_flags: true }
    }
}

/// A file system that is mounted until it is dropped.
pub(crate) struct Fuse {
    folder: PathBuf,
}

impl Fuse {
    /// Mounts one over an empty folder. Where that is not possible the test says so; `None`.
    pub(crate) fn mount(folder: &Path, traits: Traits) -> Option<Self> {
        if !is_root() {
            return None;
        }
        let Ok(device) = OpenOptions::new().read(true).write(true).open("/dev/fuse") else {
            skip("there is no /dev/fuse");
            return None;
        };
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0,allow_other", device.as_raw_fd());
        let options = CString::new(options).unwrap();
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        if let Err(error) = rustix::mount::mount("sealstone-test", folder, "fuse", flags, Some(options.as_c_str())) {
            skip(&format!("this machine mounts no FUSE: {error}"));
            return None;
        }
        // It ends when the last file is closed. Should it panic, its device is closed, and every call fails.
        std::thread::spawn(move || Server::new(traits).serve(device));
        Some(Self { folder: folder.to_path_buf() })
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        rustix::mount::unmount(&self.folder, UnmountFlags::DETACH).unwrap();
    }
}

struct Node {
    content: Content,
    mode: u32,
    owner: (u32, u32),
    links: u32,
    /// Seconds and nanoseconds.
    modified: (u64, u32),
}

enum Content {
    File(Vec<u8>),
    Link(Vec<u8>),
    /// By key: the name as it was given, and the node.
    Folder(BTreeMap<String, (String, u64)>),
}

struct Server {
    traits: Traits,
    /// Node 1 is the root; a number is never used again.
    nodes: BTreeMap<u64, Node>,
}

const ROOT: u64 = 1;
const WRITE_MAX_LEN: u32 = 128 * 1024;
const IS_FOLDER: u32 = 0o040_000;
const IS_FILE: u32 = 0o100_000;
const IS_LINK: u32 = 0o120_000;

/// One request of the kernel: its header, and what is left of it.
struct Request<'a> {
    operation: u32,
    node: u64,
    owner: (u32, u32),
    body: Body<'a>,
}

/// Reads fields in the kernel's order, which is this machine's.
struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(len);
        self.0 = rest;
        head
    }

    fn u32(&mut self) -> u32 {
        u32::from_ne_bytes(self.bytes(4).try_into().unwrap())
    }

    fn u64(&mut self) -> u64 {
        u64::from_ne_bytes(self.bytes(8).try_into().unwrap())
    }

    fn name(&mut self) -> Result<String, Errno> {
        let len = self.0.iter().position(|byte| *byte == 0).expect("the kernel ends a name with a zero");
        let name = self.bytes(len);
        self.bytes(1);
        String::from_utf8(name.to_vec()).map_err(|_| Errno::ILSEQ)
    }
}

/// Fields one after another.
#[derive(Default)]
struct Reply(Vec<u8>);

impl Reply {
    fn u16(mut self, value: u16) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

impl Server {
    fn new(traits: Traits) -> Self {
        let mut server = Self { traits, nodes: BTreeMap::new() };
        server.add(Content::Folder(BTreeMap::new()), IS_FOLDER | 0o755, (0, 0));
        server
    }

    /// Answers until the file system is unmounted.
    fn serve(mut self, mut device: File) {
        let mut buffer = vec![0; WRITE_MAX_LEN as usize + 4096];
        loop {
            let len = match device.read(&mut buffer) {
                Ok(len) => len,
                Err(error) => match Errno::from_io_error(&error) {
                    // A request was taken back, or the device is asked again.
                    Some(Errno::NOENT | Errno::INTR | Errno::AGAIN) => continue,
                    _ => return,
                },
            };
            let mut body = Body(&buffer[4..len]);
            let operation = body.u32();
            let unique = body.u64();
            let node = body.u64();
            let owner = (body.u32(), body.u32());
            body.bytes(8);
            // Nobody waits for an answer to FORGET, INTERRUPT and BATCH_FORGET.
            if matches!(operation, 2 | 36 | 42) {
                continue;
            }
            let (error, reply) = match self.answer(Request { operation, node, owner, body }) {
                Ok(reply) => (0, reply.0),
                Err(error) => (-error.raw_os_error(), Vec::new()),
            };
            let len = u32::try_from(16 + reply.len()).unwrap();
            let message = Reply::default().u32(len).bytes(&error.to_ne_bytes()).u64(unique).bytes(&reply);
            // Whoever asked may have been ended meanwhile.
            let _ = device.write_all(&message.0);
        }
    }

    /// `fuse_kernel.h` has the numbers and the fields.
    #[allow(clippy::too_many_lines, reason = "one arm for each operation of the protocol")]
    fn answer(&mut self, request: Request<'_>) -> Result<Reply, Errno> {
        let Request { operation, node, owner, mut body } = request;
        match operation {
            // LOOKUP
            1 => {
                let (_, found) = self.find(node, &body.name()?)?.ok_or(Errno::NOENT)?;
                Ok(self.entry(found))
            }
            // GETATTR
            3 => self.attributes(node),
            // SETATTR
            4 => {
                let which = body.u32();
                body.bytes(12);
                let len = body.u64();
                body.bytes(16);
                let seconds = body.u64();
                body.bytes(12);
                let nanoseconds = body.u32();
                body.bytes(4);
                let mode = body.u32();
                body.bytes(4);
                let ids = (body.u32(), body.u32());
                let it = self.node(node)?;
                it.mode = if which & 1 != 0 { it.mode & !0o7777 | mode & 0o7777 } else { it.mode };
                it.owner.0 = if which & 2 != 0 { ids.0 } else { it.owner.0 };
                it.owner.1 = if which & 4 != 0 { ids.1 } else { it.owner.1 };
                if which & 8 != 0 {
                    let Content::File(bytes) = &mut it.content else { return Err(Errno::INVAL) };
                    bytes.resize(usize::try_from(len).map_err(|_| Errno::FBIG)?, 0);
                }
                match which & (32 | 256) {
                    0 if which & 8 == 0 => {}
                    32 => it.modified = (seconds, nanoseconds),
                    _ => it.modified = now(),
                }
                self.attributes(node)
            }
            // READLINK
            5 => match &self.node(node)?.content {
                Content::Link(target) => Ok(Reply::default().bytes(target)),
                _ => Err(Errno::INVAL),
            },
            // SYMLINK
            6 => {
                let (name, target) = (body.name()?, body.name()?);
                self.make(node, name, Content::Link(target.into_bytes()), IS_LINK | 0o777, owner)
            }
            // MKDIR
            9 => {
                let (mode, _umask) = (body.u32(), body.u32());
                self.make(node, body.name()?, Content::Folder(BTreeMap::new()), IS_FOLDER | mode & 0o7777, owner)
            }
            // UNLINK and RMDIR
            10 | 11 => self.remove(node, &body.name()?, operation == 11),
            // RENAME, RENAME2
            12 => {
                let to = body.u64();
                self.rename(node, to, &body.name()?, body.name()?, false)
            }
            45 if self.traits.rename_flags => {
                let (to, flags) = (body.u64(), body.u32());
                body.bytes(4);
                // RENAME_NOREPLACE; the others are not served.
                if flags & !1 != 0 {
                    return Err(Errno::INVAL);
                }
                self.rename(node, to, &body.name()?, body.name()?, flags == 1)
            }
            // LINK
            13 if self.traits.hard_links => {
                let linked = body.u64();
                let name = body.name()?;
                self.insert(node, name, linked)?;
                self.node(linked)?.links += 1;
                Ok(self.entry(linked))
            }
            // OPEN, OPENDIR: node numbers are enough to know a file by
            14 | 27 => Ok(Reply::default().u64(0).u64(0)),
            // CREATE
            35 => {
                let (_flags, mode) = (body.u32(), body.u32());
                body.bytes(8);
                let reply = self.make(node, body.name()?, Content::File(Vec::new()), IS_FILE | mode & 0o7777, owner)?;
                Ok(reply.u64(0).u64(0))
            }
            // READ
            15 => {
                let (at, len) = (skip_handle(&mut body), body.u32());
                let Content::File(bytes) = &self.node(node)?.content else { return Err(Errno::ISDIR) };
                let at = usize::try_from(at).unwrap().min(bytes.len());
                let end = bytes.len().min(at + len as usize);
                Ok(Reply::default().bytes(&bytes[at..end]))
            }
            // WRITE
            16 => {
                let (at, len) = (skip_handle(&mut body), body.u32());
                body.bytes(20);
                let it = self.node(node)?;
                let Content::File(bytes) = &mut it.content else { return Err(Errno::ISDIR) };
                let at = usize::try_from(at).unwrap();
                let end = at + len as usize;
                bytes.resize(bytes.len().max(end), 0);
                bytes[at..end].copy_from_slice(body.bytes(len as usize));
                it.modified = now();
                Ok(Reply::default().u32(len).u32(0))
            }
            // STATFS
            17 => {
                let counts = [1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19];
                let reply = counts.into_iter().fold(Reply::default(), Reply::u64);
                Ok(reply.u32(4096).u32(255).u32(4096).bytes(&[0; 28]))
            }
            // RELEASE, FSYNC, FLUSH, RELEASEDIR, FSYNCDIR, DESTROY
            18 | 20 | 25 | 29 | 30 | 38 => Ok(Reply::default()),
            // INIT: protocol 7.31 or what the kernel has
            26 => {
                let (_major, minor, readahead, _flags) = (body.u32(), body.u32(), body.u32(), body.u32());
                let reply = Reply::default().u32(7).u32(minor.min(31)).u32(readahead).u32(0);
                Ok(reply.u16(16).u16(12).u32(WRITE_MAX_LEN).u32(1).bytes(&[0; 36]))
            }
            // READDIR
            28 => {
                let (from, room) = (skip_handle(&mut body), body.u32() as usize);
                self.list(node, from, room)
            }
            _ => Err(Errno::NOSYS),
        }
    }

    fn node(&mut self, number: u64) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&number).ok_or(Errno::STALE)
    }

    fn add(&mut self, content: Content, mode: u32, owner: (u32, u32)) -> u64 {
        let number = self.nodes.last_key_value().map_or(ROOT, |(last, _)| last + 1);
        self.nodes.insert(number, Node { content, mode, owner, links: 1, modified: now() });
        number
    }

    fn names(&mut self, folder: u64) -> Result<&mut BTreeMap<String, (String, u64)>, Errno> {
        match &mut self.node(folder)?.content {
            Content::Folder(names) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn find(&mut self, folder: u64, name: &str) -> Result<Option<(String, u64)>, Errno> {
        let key = (self.traits.key)(name);
        Ok(self.names(folder)?.get(&key).cloned())
    }

    /// Gives a node one more name, which must be new.
    fn insert(&mut self, folder: u64, name: String, node: u64) -> Result<(), Errno> {
        if self.find(folder, &name)?.is_some() {
            return Err(Errno::EXIST);
        }
        let key = (self.traits.key)(&name);
        self.names(folder)?.insert(key, (name, node));
        self.node(folder)?.modified = now();
        Ok(())
    }

    fn make(
        &mut self,
        folder: u64,
        name: String,
        content: Content,
        mode: u32,
        owner: (u32, u32),
    ) -> Result<Reply, Errno> {
        let node = self.add(content, mode, owner);
        self.insert(folder, name, node)?;
        Ok(self.entry(node))
    }

    fn remove(&mut self, folder: u64, name: &str, is_folder: bool) -> Result<Reply, Errno> {
        let (_, node) = self.find(folder, name)?.ok_or(Errno::NOENT)?;
        match (&self.node(node)?.content, is_folder) {
            (Content::Folder(names), true) if !names.is_empty() => return Err(Errno::NOTEMPTY),
            (Content::Folder(_), false) => return Err(Errno::ISDIR),
            (Content::Folder(_), true) | (_, false) => {}
            (_, true) => return Err(Errno::NOTDIR),
        }
        let key = (self.traits.key)(name);
        self.names(folder)?.remove(&key);
        self.node(folder)?.modified = now();
        // It stays for those who have it open.
        self.node(node)?.links -= 1;
        Ok(Reply::default())
    }

    fn rename(&mut self, from: u64, to: u64, name: &str, new: String, is_new: bool) -> Result<Reply, Errno> {
        let (_, node) = self.find(from, name)?.ok_or(Errno::NOENT)?;
        if let Some((_, there)) = self.find(to, &new)? {
            if is_new {
                return Err(Errno::EXIST);
            }
            if there != node {
                let is_folder = matches!(self.node(node)?.content, Content::Folder(_));
                self.remove(to, &new, is_folder)?;
            }
        }
        let key = (self.traits.key)(name);
        self.names(from)?.remove(&key);
        let key = (self.traits.key)(&new);
        self.names(to)?.insert(key, (new, node));
        for folder in [from, to] {
            self.node(folder)?.modified = now();
        }
        Ok(Reply::default())
    }

    fn list(&mut self, folder: u64, from: u64, room: usize) -> Result<Reply, Errno> {
        let own = [(".".to_owned(), folder), ("..".to_owned(), ROOT)];
        let all: Vec<_> = own.into_iter().chain(self.names(folder)?.values().cloned()).collect();
        let mut reply = Reply::default();
        for (next, (name, node)) in (1..).zip(all).skip(usize::try_from(from).unwrap()) {
            let padding = name.len().next_multiple_of(8) - name.len();
            if reply.0.len() + 24 + name.len() + padding > room {
                break;
            }
            let kind = self.node(node)?.mode >> 12;
            reply = reply.u64(node).u64(next).u32(u32::try_from(name.len()).unwrap()).u32(kind);
            reply = reply.bytes(name.as_bytes()).bytes(&vec![0; padding]);
        }
        Ok(reply)
    }

    /// Nothing is kept by the kernel: one node may have names that it would take for two.
    fn entry(&mut self, node: u64) -> Reply {
        let reply = Reply::default().u64(node).u64(0).u64(0).u64(0).u64(0);
        self.stat(reply, node)
    }

    fn attributes(&mut self, node: u64) -> Result<Reply, Errno> {
        self.node(node)?;
        Ok(self.stat(Reply::default().u64(0).u64(0), node))
    }

    fn stat(&mut self, reply: Reply, number: u64) -> Reply {
        let node = &self.nodes[&number];
        let len = match &node.content {
            Content::File(bytes) | Content::Link(bytes) => bytes.len() as u64,
            Content::Folder(_) => 0,
        };
        let (seconds, nanoseconds) = node.modified;
        let reply = [number, len, len.div_ceil(512), seconds, seconds, seconds].into_iter().fold(reply, Reply::u64);
        let rest =
            [nanoseconds, nanoseconds, nanoseconds, node.mode, node.links, node.owner.0, node.owner.1, 0, 4096, 0];
        rest.into_iter().fold(reply, Reply::u32)
    }
}

/// The handle that every open file has here, and the position that stands behind it.
fn skip_handle(body: &mut Body<'_>) -> u64 {
    body.bytes(8);
    body.u64()
}

fn now() -> (u64, u32) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    (now.as_secs(), now.subsec_nanos())
}
