//! Archives of files and folders, by name. WebAssembly has none.

use crate::files::by_name;
use crate::job::{Job, watched};
use crate::work::Work;
use sealstone::{
    Archive, Archived, Archiver, Compression, Decryptor, Encryptor, Entry, Error, Extracted, Extractor, FileMode,
    Pattern, Result,
};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The most notes about members that are left out.
pub const NOTES_MAX: usize = 1000;

/// How an archive is written.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Writing {
    /// Whether it replaces an existing file.
    pub replace: bool,
    /// Patterns of members that are left out, with a zero byte between two.
    pub exclude: Vec<u8>,
    /// `auto`, `none`, or a level of Zstandard; without it `auto`.
    pub compression: Option<String>,
    /// Whether it enters no other file system.
    pub one_file_system: bool,
    /// Whether it keeps users and groups.
    pub owners: bool,
    /// Whether it keeps extended attributes.
    pub attributes: bool,
}

/// How the members of an archive are made.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Extracting {
    /// Whether members replace existing files.
    pub replace: bool,
    /// Whether symbolic links may lead out of the folder.
    pub outside_links: bool,
    /// Whether set-user-ID, set-group-ID and sticky bits are restored.
    pub special_bits: bool,
    /// Whether users and groups are restored.
    pub owners: bool,
    /// Whether extended attributes are restored.
    pub attributes: bool,
}

/// Why a member is not in an archive, or not as it is: a code and a text.
pub type Note = (&'static str, String);

/// Encrypts files and folders into one archive. Their names have a zero byte between two.
pub fn encrypt_folder(
    encryptor: Arc<Encryptor>,
    folders: Vec<u8>,
    output: PathBuf,
    options: Writing,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<(Archived, Vec<Note>)> + Send + 'static> {
    let folders: Vec<_> = apart(&folders).map(here).collect();
    by_name(false, job, move |access, job| {
        let Writing { replace, exclude, compression, one_file_system, owners, attributes } = options;
        let encryptor = watched!((*encryptor).clone(), job).compression(compression_of(compression.as_deref())?);
        let notes = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&notes);
        let mut archiver = Archiver::new(encryptor)
            .one_file_system(one_file_system)
            .owners(owners)
            .attributes(attributes)
            .on_left_out(move |why| {
                let mut notes = noted.lock().expect("archives: nothing panics");
                if notes.len() < NOTES_MAX {
                    notes.push((why.code(), why.to_string()));
                }
            });
        for pattern in apart(&exclude) {
            let pattern = str::from_utf8(pattern).map_err(|_| Error::InvalidOption("a pattern is UTF-8"))?;
            archiver = archiver.exclude(Pattern::new(pattern)?);
        }
        let output = access.output(output)?.mode(FileMode::Shared).replace(replace);
        let archived = archiver.archive(folders, output)?;
        drop(archiver);
        let notes = std::mem::take(&mut *notes.lock().expect("archives: nothing panics"));
        Ok((archived, notes))
    })
}

/// Lists the members of an archive.
pub fn list_archive(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Vec<Entry>> + Send + 'static> {
    by_name(false, job, move |access, job| {
        let decryptor = watched!((*decryptor).clone(), job);
        Archive::open(&decryptor, access.input(input)?)?.entries()?.collect()
    })
}

/// Makes the members of an archive in a folder: those of some paths, which have a zero byte between two, or all.
pub fn extract_archive(
    decryptor: Arc<Decryptor>,
    input: PathBuf,
    folder: PathBuf,
    paths: Vec<u8>,
    options: Extracting,
    job: Arc<Job>,
) -> Work<impl FnOnce() -> Result<Extracted> + Send + 'static> {
    let folder = here(folder.as_os_str().as_bytes());
    by_name(false, job, move |access, job| {
        let Extracting { replace, outside_links, special_bits, owners, attributes } = options;
        let extractor = Extractor::new(watched!((*decryptor).clone(), job))
            .replace(replace)
            .outside_links(outside_links)
            .special_bits(special_bits)
            .owners(owners)
            .attributes(attributes);
        let input = access.input(input)?;
        if paths.is_empty() {
            extractor.extract(input, folder)
        } else {
            extractor.extract_members(input, folder, apart(&paths))
        }
    })
}

/// The level of a text.
fn compression_of(text: Option<&str>) -> Result<Compression> {
    match text {
        None | Some("auto") => Ok(Compression::Auto),
        Some("none") => Ok(Compression::None),
        Some(level) => level
            .parse()
            .map(Compression::Zstd)
            .map_err(|_| Error::InvalidOption("the compression is auto, none, or a level of 1 to 22")),
    }
}

/// Texts with a zero byte between two; no bytes are no texts.
fn apart(texts: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = (!texts.is_empty()).then(|| texts.split(|byte| *byte == 0));
    all.into_iter().flatten()
}

/// A path from where the process is now, whatever its working directory is later.
fn here(path: &[u8]) -> PathBuf {
    let path = crate::files::path(path);
    match std::env::current_dir() {
        Ok(folder) if !path.as_os_str().is_empty() => folder.join(path),
        _ => path,
    }
}
