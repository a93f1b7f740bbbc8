//! Decides the place of outputs.

use super::refusals::refuse_foreign;
use super::suffixes::remove_suffix;
use super::{Direction, Plan};
use crate::args::Paths;
use crate::failure::Failure;
use crate::format::SignatureFormat;
use crate::place::{Place, is_unnamed};
use sealstone::escape_name;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The place of outputs. It does not depend on the number of inputs, because a shell pattern may match one file today and two
/// tomorrow.
pub(super) enum Target {
    One(Place),
    Folder(PathBuf),
    /// Each output goes beside its input.
    Beside,
}

impl Plan {
    pub(super) fn choose_target(
        &mut self,
        inputs: &[PathBuf],
        paths: &Paths,
        direction: Direction,
    ) -> Result<Target, Failure> {
        let (input, has_several) = (&inputs[0], self.has_several);
        let Some(output) = paths.output.as_deref() else {
            if !has_several && (is_unnamed(input) || direction == Direction::DecryptRange) {
                refuse_terminal(direction)?;
                return Ok(Target::One(Place::Standard));
            }
            let stdout = io::stdout();
            if direction == Direction::Decrypt && !has_several && !stdout.is_terminal() {
                refuse_foreign(input)?;
                // A user who redirects stdout may expect the plaintext there, and not on the disk.
                let file = remove_suffix(input).map_or("FILE".to_owned(), |path| escape_name(&path));
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
        // A descriptor of a folder stands for that folder.
        if matches!(place, Place::Standard) || matches!(place, Place::Descriptor(..)) && !output.is_dir() {
            return if has_several {
                let name = place.path().map_or_else(|| "stdout".to_owned(), escape_name);
                Err(Failure::usage(format!("several inputs cannot go to {name}")))
            } else {
                Ok(Target::One(place))
            };
        }
        // `components` drops a slash at the end.
        let plain: PathBuf = output.components().collect();
        let name = output.as_os_str().as_bytes();
        if plain.is_dir() || name.ends_with(b"/") || name.ends_with(b"/.") || paths.recursive {
            if plain.exists() && !plain.is_dir() {
                let hint =
                    if has_several { "several inputs need a folder" } else { "leave out the slash to name a file" };
                return Err(not_a_folder(&plain, hint));
            }
            if paths.recursive && !plain.exists() && !name.ends_with(b"/") && remove_suffix(&plain).is_some() {
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
        if has_several {
            let slash = format!("several inputs need a folder; -o {}/ makes it", escape_name(&plain));
            return Err(not_a_folder(&plain, if plain.exists() { "several inputs need a folder" } else { &slash }));
        }
        Ok(Target::One(Place::new(output)))
    }
}

/// The last of two inputs without `-o`, if it does not exist: it was probably meant as the output.
pub(super) fn find_mistaken_output(paths: &Paths) -> Option<&Path> {
    match &paths.inputs[..] {
        [input, last] if paths.output.is_none() && !paths.recursive && !paths.in_place => {
            (input.exists() && last.symlink_metadata().is_err()).then_some(last)
        }
        _ => None,
    }
}

pub(super) fn hint_at_output_option(path: &Path) -> String {
    format!("name the output with -o: -o {}", escape_name(path))
}

fn not_a_folder(path: &Path, hint: &str) -> Failure {
    Failure::usage_with_hint(format!("{} is not a folder", escape_name(path)), hint)
}

/// Refuses to write ciphertext to a terminal, where it is useless and may act as control sequences.
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
