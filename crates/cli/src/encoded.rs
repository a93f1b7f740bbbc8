//! Prints bytes on stdout: as hexadecimal digits, as base64 or raw.

use crate::args::Written;
use crate::failure::Failure;
use sealstone::encoding::Encoding;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use zeroize::Zeroizing;

/// Encodes bytes as text.
pub(crate) fn encode(bytes: &[u8], written: &Written) -> Result<Zeroizing<String>, Failure> {
    Ok(Zeroizing::new(encoding(written).encode(bytes)?))
}

/// The encoding that the options choose.
pub(crate) fn encoding(written: &Written) -> Encoding {
    if written.base64 { Encoding::Base64 } else { Encoding::Hex }
}

/// Refuses to print raw bytes on a terminal.
pub(crate) fn check(written: &Written) -> Result<(), Failure> {
    if written.raw && io::stdout().is_terminal() {
        return Err(Failure::usage_with_hint("bytes are not written to a terminal", "leave out --raw"));
    }
    Ok(())
}

/// Writes all bytes to stdout.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let done = stdout.write_all(bytes).and_then(|()| stdout.flush());
    done.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}
