//! The suffixes of file names, and whether a file's content fits them.

use crate::place::Place;
use sealstone::{Error, FileFormat, Input, Text};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The suffix of detached signatures.
pub(crate) const SIGNATURE_SUFFIX: &str = ".sig";

/// The suffix of content with an attached signature.
pub(super) const SIGNED_SUFFIX: &str = ".signed";

pub(crate) fn add_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(super) fn remove_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes();
    let name = FileFormat::ALL.iter().find_map(|format| name.strip_suffix(format.suffix().as_bytes()))?;
    if matches!(name, b"" | b"." | b"..") {
        return None;
    }
    Some(path.with_file_name(OsStr::from_bytes(name)))
}

/// Whether a file in a folder is a complete encrypted file, judged by its form. The first bytes rule out most other files quickly.
pub(super) fn is_sealed(place: &Place) -> bool {
    let Place::Below(folder, path) = place else { unreachable!("plan: what is named is taken") };
    let Ok(file) = folder.open(path) else { return false };
    let mut start = [0; 64];
    // Text may be armour, whose form needs more bytes. A stream cannot be read at an offset.
    if let Ok(len @ 1..) = file.read_at(&mut start, 0)
        && Text::of(&start[..len])
            .is_ok_and(|text| text.bytes().trim_ascii_start().first().is_some_and(|byte| *byte != b'-'))
        && matches!(FileFormat::of(&mut Input::reader(&start[..len])), Ok(FileFormat::Sealstone))
        && matches!(sealstone::inspect(Input::reader(&start[..len])), Err(Error::NotSealstone(_)))
    {
        return false;
    }
    Input::from_file(file, None).is_ok_and(|mut input| match FileFormat::of(&mut input) {
        // Other text around the armour disqualifies the file, since that text would stay readable, or be lost.
        Ok(FileFormat::Sealstone) => sealstone::inspect_alone(input).is_ok(),
        format => format.and_then(|format| format.plaintext_len(input)).is_ok(),
    })
}

/// Whether a file begins like a file that `decrypt` opens, valid or not. A stream is not read, because it can be read only once.
pub(super) fn looks_sealed(place: &Place) -> bool {
    if matches!(place, Place::File(path) if !path.is_file()) {
        return false;
    }
    place.open().is_ok_and(|mut input| {
        let asked = FileFormat::of(&mut input).and_then(|format| format.asked(&mut input));
        !matches!(asked, Err(Error::NotSealstone(_) | Error::Io { .. }))
    })
}
