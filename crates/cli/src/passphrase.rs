//! Passphrases: from the terminal, a file, a descriptor, a program or a named variable; never from an argument.

use crate::args::Common;
use crate::failure::Failure;
use crate::signals::{self, with_echo_restored};
use sealstone::{Passphrase, escape_name};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zeroize::Zeroizing;

/// More than a passphrase can have, so that a wrong file is refused and not read.
const SOURCE_MAX_LEN: u64 = 8 * 1024;

/// Asks for the passphrase of `what`.
pub(crate) fn ask(common: &Common, what: &str) -> Result<Passphrase, Failure> {
    match from_source(common, what)? {
        Some(passphrase) => Ok(passphrase),
        None => from_terminal(&format!("Passphrase for {what}: ")),
    }
}

/// Asks for a new passphrase for `what`, on a terminal twice.
pub(crate) fn ask_new(common: &Common, what: &str) -> Result<Passphrase, Failure> {
    if let Some(passphrase) = from_source(common, what)? {
        return Ok(passphrase);
    }
    let first = prompt(&format!("New passphrase for {what}: "))?;
    let passphrase = Passphrase::new(&first)?;
    if *prompt("The same again: ")? != *first {
        return Err(Failure::usage("the two passphrases differ"));
    }
    Ok(passphrase)
}

fn from_source(common: &Common, what: &str) -> Result<Option<Passphrase>, Failure> {
    let bytes = if let Some(path) = &common.passphrase_file {
        let file = File::open(path).map_err(|error| Failure::io("read the passphrase from", Some(path), error))?;
        read(file, path)?
    } else if let Some(number) = common.passphrase_fd {
        let name = PathBuf::from(format!("descriptor {number}"));
        read(descriptor(number).map_err(|error| Failure::io("read the passphrase from", Some(&name), error))?, &name)?
    } else if let Some(program) = &common.askpass {
        run(program, what)?
    } else if let Some(name) = &common.passphrase_env {
        let unset = || Failure::usage(format!("the variable {} is not set", escape_name(Path::new(name))));
        Zeroizing::new(std::env::var_os(name).ok_or_else(unset)?.into_encoded_bytes())
    } else {
        return Ok(None);
    };
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.contains(&b'\n') {
        return Err(Failure::usage("a passphrase is one line, and the source has more"));
    }
    Ok(Some(Passphrase::from_utf8(line)?))
}

/// Whether the passphrase is read from what is also standard input, by whatever name.
pub(crate) fn is_stdin(common: &Common) -> bool {
    let same = |path: &Path| {
        let (Ok(path), Ok(stdin)) = (std::fs::metadata(path), std::fs::metadata("/dev/stdin")) else { return false };
        (path.dev(), path.ino(), path.rdev()) == (stdin.dev(), stdin.ino(), stdin.rdev())
    };
    common.passphrase_fd == Some(0) || common.passphrase_file.as_deref().is_some_and(same)
}

/// A duplicate of an open descriptor of ours, with its position; opening it by name could be refused, and would begin
/// at the start.
fn descriptor(number: u16) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
        let duplicate = pidfd_open(getpid(), PidfdFlags::empty())
            .and_then(|own| pidfd_getfd(own, number.into(), PidfdGetfdFlags::empty()));
        match duplicate {
            Ok(file) => return Ok(file.into()),
            Err(rustix::io::Errno::BADF) => return Err(rustix::io::Errno::BADF.into()),
            // A kernel before 5.6, or a sandbox.
            Err(_) => {}
        }
    }
    File::open(format!("/dev/fd/{number}"))
}

fn read(file: File, name: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(SOURCE_MAX_LEN).unwrap_or(0) + 1));
    let read = file.take(SOURCE_MAX_LEN + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::io("read the passphrase from", Some(name), error))?;
    if bytes.len() as u64 > SOURCE_MAX_LEN {
        return Err(sealstone::Error::InvalidPassphrase("its source is longer than 8 KiB").into());
    }
    Ok(bytes)
}

fn run(program: &Path, what: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let fail = |error| Failure::io("run", Some(program), error);
    let mut command = Command::new(program);
    command.arg(format!("Passphrase for {what}: ")).stdin(Stdio::null());
    let output = command.stderr(Stdio::inherit()).output().map_err(fail)?;
    let answer = Zeroizing::new(output.stdout);
    if output.status.success() { Ok(answer) } else { Err(Failure::usage("the askpass program gave no passphrase")) }
}

fn from_terminal(text: &str) -> Result<Passphrase, Failure> {
    Ok(Passphrase::new(&prompt(text)?)?)
}

fn prompt(text: &str) -> Result<Zeroizing<String>, Failure> {
    with_echo_restored(|| rpassword::prompt_password(text)).map(Zeroizing::new).map_err(|error| {
        if error.kind() == io::ErrorKind::Interrupted {
            // The library reads Ctrl-C as a character.
            signals::end();
        }
        Failure::usage_with_hint(
            "there is no terminal to ask for a passphrase",
            "use --passphrase-file, --passphrase-fd, --askpass or --passphrase-env",
        )
    })
}
