//! Reads an open file of a tree: its parts without holes, its extended attributes, and bytes at a position.

use super::super::os;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;

/// The maximum number of parts that [`regions`] gives. More would take longer to describe than to store the holes.
const REGIONS_MAX: usize = 10_000;

/// The parts of a file of `len` bytes that are no holes; `None` if there are over 10,000. Where the file system does not know
/// holes, it is one part.
pub(crate) fn regions(file: &File, len: u64) -> io::Result<Option<Vec<Range<u64>>>> {
    os::regions(file, len, REGIONS_MAX)
}

/// The maximum length of an attribute in bytes, and of the list of their names. Linux allows no more.
const ATTRIBUTE_LEN_MAX: usize = 64 * 1024;
/// The maximum length of all attributes of a file, with their names.
const ATTRIBUTES_LEN_MAX: usize = 1024 * 1024;

/// The name and the value of an extended attribute.
pub(crate) type Attribute = (Vec<u8>, Vec<u8>);

/// The namespace of attributes that programs may use.
pub(super) const NAMESPACE: &[u8] = b"user.";

/// The extended attributes `user.*` of an open file or folder, in the order of their names; none if the file system has none.
pub(crate) fn attributes(file: &File) -> io::Result<Vec<Attribute>> {
    let names = os::attribute_names(file, ATTRIBUTE_LEN_MAX)?;
    let mut names: Vec<&[u8]> = names.split(|byte| *byte == 0).filter(|name| name.starts_with(NAMESPACE)).collect();
    names.sort_unstable();
    let (mut attributes, mut len) = (Vec::with_capacity(names.len()), 0);
    for name in names {
        let Some(value) = os::attribute(file, name, ATTRIBUTE_LEN_MAX)? else { continue };
        len += name.len() + value.len();
        if len > ATTRIBUTES_LEN_MAX {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "its extended attributes are over 1 MiB"));
        }
        attributes.push((name.to_vec(), value));
    }
    Ok(attributes)
}

/// Reads at a position until `bytes` is full or the file ends; returns the number of bytes.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    let mut len = 0;
    while len < bytes.len() {
        match os::read_part(file, &mut bytes[len..], position + len as u64) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
