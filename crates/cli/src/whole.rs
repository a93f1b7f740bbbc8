//! Reads and writes small data as a whole, such as messages and signatures.

use crate::args::Common;
use crate::descriptor;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::passphrase::read_secret;
use crate::place::Place;
use crate::terminal::{NotText, TextOnly};
use sealstone::{FileMode, Input, Output};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Reads a place to its end; `None` if it has over `max_len` bytes.
pub(crate) fn read(place: &Place, max_len: usize) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
    let bytes = read_beginning(place, max_len)?;
    Ok((bytes.len() <= max_len).then_some(bytes))
}

/// Reads a place to its end, or `max_len + 1` bytes if it is longer.
pub(crate) fn read_beginning(place: &Place, max_len: usize) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let name = PathBuf::from(place.name());
    let read = match place.path() {
        Some(path) => File::open(path).and_then(|file| read_secret(file, max_len)),
        None => descriptor::duplicate_to_read(descriptor::STDIN).and_then(|stdin| read_secret(stdin, max_len)),
    };
    read.map_err(|error| Failure::io("read", Some(&name), error))
}

pub(crate) fn write(
    output: Option<&PathBuf>,
    bytes: &[u8],
    mode: FileMode,
    common: &Common,
    guard: &Guard,
) -> Result<(), Failure> {
    if let Some(number) = descriptor::find_output(output.map(PathBuf::as_path)) {
        let stdout = io::stdout();
        if stdout.is_terminal() && output.is_none() {
            let mut text = TextOnly::new(stdout.lock());
            let written = text.write_all(bytes).and_then(|()| text.flush());
            return written.map_err(|_| NotText::failure());
        }
        guard.check_descriptor(number)?;
        return descriptor::write(number, bytes);
    }
    let path = output.expect("whole: what goes to no descriptor has a name");
    Ok(make_output(path, mode, common, guard)?.write_all(bytes)?)
}

/// Refuses, before the work, an output that [`write`] would refuse.
pub(crate) fn check(output: Option<&PathBuf>, common: &Common, guard: &Guard) -> Result<(), Failure> {
    match (output, descriptor::find_output(output.map(PathBuf::as_path))) {
        (Some(path), None) => {
            Ok(make_output(path, FileMode::Private, common, guard)?.check(&Input::reader(io::empty()))?)
        }
        (_, number) => guard.check_descriptor(number.unwrap_or(descriptor::STDOUT)),
    }
}

fn make_output(path: &Path, mode: FileMode, common: &Common, guard: &Guard) -> Result<Output<'static>, Failure> {
    Ok(guard.apply(Output::file(path)?.mode(mode).sync(!common.no_sync).replace(common.force)))
}
