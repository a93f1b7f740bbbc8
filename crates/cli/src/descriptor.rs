//! Open descriptors of this process, and the names that they have as files.

use crate::failure::Failure;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Standard input.
pub(crate) const STDIN: u16 = 0;
/// Standard output.
pub(crate) const STDOUT: u16 = 1;

/// Linux follows at most 40 links.
pub(crate) const LINKS_MAX: usize = 40;

/// The descriptor that an output goes to: stdout if no output is named, `None` for a file.
pub(crate) fn find_output(output: Option<&Path>) -> Option<u16> {
    match output {
        None => Some(STDOUT),
        Some(path) if path == Path::new("-") => Some(STDOUT),
        Some(path) => parse_path(path),
    }
}

/// The descriptor that a path names, such as `/dev/stdout`, `/dev/fd/3` or a link to `/proc/self/fd/3`, in any spelling.
pub(crate) fn parse_path(path: &Path) -> Option<u16> {
    let text = path.as_os_str().as_bytes();
    if text.ends_with(b"/") || text.ends_with(b"/.") {
        return None;
    }
    let mut path = path.to_path_buf();
    for _ in 0..=LINKS_MAX {
        let name = path.file_name()?.to_owned();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = match std::fs::canonicalize(parent) {
            Ok(folder) => folder,
            // Without `/proc` or `/dev/fd`, these names still have their meaning.
            Err(_) if has_descriptor_folder_name(parent) => return parse_number(&name),
            Err(_) => return None,
        };
        if is_descriptor_folder(&folder) {
            return parse_number(&name);
        }
        path = folder.join(name);
        // A path that is not a link is a file, unless it is a standard name.
        path = match std::fs::read_link(&path) {
            Ok(target) => folder.join(target),
            Err(_) => return find_standard_stream(&path),
        };
    }
    None
}

fn parse_number(name: &std::ffi::OsStr) -> Option<u16> {
    name.to_str()?.parse().ok()
}

fn has_descriptor_folder_name(folder: &Path) -> bool {
    [Path::new("/dev/fd"), Path::new("/proc/self/fd")].contains(&folder)
}

fn find_standard_stream(path: &Path) -> Option<u16> {
    let names = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    let position = names.iter().position(|name| path == Path::new(name))?;
    // A regular file may have taken the place of the link.
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    u16::try_from(position).ok().filter(|_| !is_file)
}

/// Whether a canonical folder lists the descriptors of this process or of one of its threads.
fn is_descriptor_folder(folder: &Path) -> bool {
    // On every system, the last part of its name is `fd`.
    if folder.file_name().is_none_or(|name| name != "fd") {
        return false;
    }
    if std::fs::canonicalize("/dev/fd").is_ok_and(|own| own == folder) {
        return true;
    }
    let Ok(own) = std::fs::canonicalize("/proc/self") else { return false };
    let Ok(below) = folder.strip_prefix(own) else { return false };
    let parts: Vec<_> = below.components().map(Component::as_os_str).collect();
    matches!(&parts[..], [fd] if *fd == "fd")
        || matches!(&parts[..], [task, _thread, fd] if *task == "task" && *fd == "fd")
}

/// The number of descriptors that this process may have open.
pub(crate) fn limit() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| limit.try_into().unwrap_or(usize::MAX))
}

/// The name in messages.
pub(crate) fn name(number: u16) -> PathBuf {
    match number {
        STDOUT => "stdout".into(),
        _ => format!("/dev/fd/{number}").into(),
    }
}

/// Duplicates an open descriptor for reading, and shares its position. Opening it by name could be refused, and would begin at the
/// start.
pub(crate) fn duplicate_to_read(number: u16) -> io::Result<File> {
    let file = duplicate(number, File::options().read(true))?;
    if number == STDIN && is_stand_in(&file) {
        return Err(io::Error::new(ErrorKind::NotConnected, "it is closed, or /dev/null: nothing can be read"));
    }
    Ok(file)
}

/// Whether the standard library opened `/dev/null`, for reading and writing, in the place of a closed descriptor. Daemons open it
/// so, too, but no shell does; reading it would give an empty input.
fn is_stand_in(file: &File) -> bool {
    let is_null = || Some(file.metadata().ok()?.rdev() == std::fs::metadata("/dev/null").ok()?.rdev());
    let mode = rustix::fs::fcntl_getfl(file).map(|flags| flags & OFlags::RWMODE);
    mode == Ok(OFlags::RDWR) && is_null() == Some(true)
}

/// Duplicates an open descriptor for writing.
pub(crate) fn duplicate_to_write(number: u16) -> io::Result<File> {
    // Opened by name, it must append, so as not to overwrite the content.
    duplicate(number, File::options().append(true))
}

fn duplicate(number: u16, otherwise: &std::fs::OpenOptions) -> io::Result<File> {
    let standard = match number {
        0 => Some(io::stdin().as_fd().try_clone_to_owned()),
        1 => Some(io::stdout().as_fd().try_clone_to_owned()),
        2 => Some(io::stderr().as_fd().try_clone_to_owned()),
        _ => None,
    };
    if let Some(descriptor) = standard {
        return descriptor.map(File::from);
    }
    if !is_inherited(number) {
        return Err(rustix::io::Errno::BADF.into());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
        let duplicate = pidfd_open(getpid(), PidfdFlags::empty())
            .and_then(|own| pidfd_getfd(own, number.into(), PidfdGetfdFlags::empty()));
        match duplicate {
            Ok(file) => return Ok(file.into()),
            Err(rustix::io::Errno::BADF) => return Err(rustix::io::Errno::BADF.into()),
            // The kernel is older than 5.6, or a sandbox refuses the call.
            Err(_) => {}
        }
    }
    otherwise.open(format!("/dev/fd/{number}"))
}

/// Whether the parent process passed the descriptor on. Descriptors that this process opened itself have CLOEXEC set; inherited
/// ones do not.
fn is_inherited(number: u16) -> bool {
    const CLOEXEC: u32 = 0o2_000_000;
    match std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")) {
        Ok(text) => {
            let flags = text.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
            flags.is_none_or(|flags| flags & CLOEXEC == 0)
        }
        Err(error) => error.kind() != ErrorKind::NotFound || !Path::new("/proc/self/fdinfo").exists(),
    }
}

/// Writes all bytes to a descriptor.
pub(crate) fn write(number: u16, bytes: &[u8]) -> Result<(), Failure> {
    let written = duplicate_to_write(number).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| Failure::io("write", Some(&name(number)), error))
}
