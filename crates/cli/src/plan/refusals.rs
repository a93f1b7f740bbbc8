//! Refuses inputs before the work.

use super::has_several_inputs;
use crate::args::Paths;
use crate::failure::Failure;
use sealstone::{Error, FileFormat, Input, escape_name};
use std::io;
use std::path::{Path, PathBuf};

/// Refuses a missing input before any question for a passphrase. If another of several inputs exists, the run goes on without the
/// missing one, unless -p would ask: the user may have typed a passphrase after -p, which looks like a missing input. `has_source`
/// says that the passphrase does not come from the terminal.
pub(crate) fn refuse_missing(paths: &Paths, passphrase: bool, has_source: bool) -> Result<(), Failure> {
    let has_several = has_several_inputs(paths);
    let is_any_there = || paths.inputs.iter().any(|path| path.symlink_metadata().is_ok());
    if has_several && (!passphrase || has_source) && is_any_there() {
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

/// Refuses folders for a command that takes only files.
pub(crate) fn refuse_any_folder<'a>(inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match inputs.into_iter().find(|path| *path != Path::new("-") && path.is_dir()) {
        Some(folder) => Err(Failure::usage_with_hint(format!("{} is a folder", escape_name(folder)), "name a file")),
        None => Ok(()),
    }
}

/// The failure of a file with other hard links, in the words of core's error. Core's own check covers links that are created during
/// the run.
pub(crate) fn explain_hard_links(path: &Path) -> Failure {
    let failure = Failure::from(Error::HardLinks(path.to_path_buf()));
    Failure::usage_with_hint(failure.message(), failure.hint().unwrap_or_default())
}

pub(super) fn refuse_folders(inputs: &[PathBuf], recursive: bool, is_encrypt: bool) -> Result<(), Failure> {
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

/// Refuses an input that cannot be read or is not an encrypted file. This error matters more than a missing name for its plaintext.
pub(super) fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    // Only a regular file can be opened a second time.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    match Input::open(path).and_then(|mut input| FileFormat::of(&mut input)?.asked(&mut input)) {
        Err(error @ (Error::Io { .. } | Error::NotSealstone(_))) => Err(Failure::from(error).on(Some(path))),
        _ => Ok(()),
    }
}
