//! Passphrases: read from the terminal, a file, a descriptor, a program or an environment variable, and never from an argument.

use crate::args::PassphraseSource;
use crate::descriptor;
use crate::failure::Failure;
use crate::signals::{self, run_with_echo_restored};
use sealstone::{Error, Identity, Passphrase, Text, escape_name};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zeroize::Zeroizing;

/// Above the maximum length of a passphrase, so that a wrong file is refused early.
const SOURCE_MAX_LEN: usize = 8 * 1024;

/// The hint where there is no terminal.
const SOURCES: &str = "use --passphrase-file, --passphrase-fd, --askpass or --passphrase-env";

/// The user's answer: a passphrase, followed by alternatives to try. A file with a UTF-8 byte order mark gives the text without the
/// mark, then with it, because earlier versions kept the mark in the passphrase.
pub(crate) struct Answer(Vec<Passphrase>);

impl Answer {
    /// Calls `open` with each passphrase until one is not wrong, and returns the result and that passphrase. If all are wrong,
    /// returns the result of the first.
    fn open<T, E>(
        self,
        error_of: fn(&E) -> &Error,
        open: impl Fn(Option<&Passphrase>) -> Result<T, E>,
    ) -> (Result<T, E>, Passphrase) {
        let is_wrong = |opened: &Result<T, E>| {
            let error = opened.as_ref().err().map(error_of);
            matches!(error, Some(Error::NoMatchingIdentity | Error::WrongPassphrase))
        };
        let mut others = self.0.into_iter();
        let first = others.next().expect("passphrase: whoever is asked says one");
        let opened = open(Some(&first));
        if is_wrong(&opened) {
            for other in others {
                let again = open(Some(&other));
                if !is_wrong(&again) {
                    return (again, other);
                }
            }
        }
        (opened, first)
    }

    pub(crate) fn into_identities(self) -> impl Iterator<Item = Identity> {
        self.0.into_iter().map(Identity::from)
    }

    pub(crate) fn into_passphrases(self) -> Vec<Passphrase> {
        self.0
    }
}

/// Asks for the passphrase of `what`.
pub(crate) fn ask(source: &PassphraseSource, what: &str) -> Result<Answer, Failure> {
    match read_source(source, what)? {
        Some(answers) => Ok(answers),
        None => Ok(Answer(vec![Passphrase::new(&prompt(&format!("Passphrase for {what}: "), what, SOURCES)?)?])),
    }
}

/// Calls `open` on a key, and returns its result and the passphrase used. If `open` needs a passphrase and `known` has none, asks
/// for it.
pub(crate) fn open_with_passphrase<T, E>(
    known: Option<Passphrase>,
    source: &PassphraseSource,
    what: &str,
    error_of: fn(&E) -> &Error,
    open: impl Fn(Option<&Passphrase>) -> Result<T, E>,
) -> Result<(Result<T, E>, Option<Passphrase>), Failure> {
    match open(None) {
        Err(error) if matches!(error_of(&error), Error::PassphraseRequired) => {
            let answers = known.map_or_else(|| ask(source, what), |known| Ok(Answer(vec![known])))?;
            let (opened, passphrase) = answers.open(error_of, open);
            Ok((opened, Some(passphrase)))
        }
        opened => Ok((opened, None)),
    }
}

/// Whether a person types the passphrases, one for each question.
pub(crate) fn is_typed(source: &PassphraseSource) -> bool {
    source.askpass.is_some() || !source.is_named() && File::open("/dev/tty").is_ok()
}

/// Asks for a new passphrase for `what`; on a terminal, twice.
pub(crate) fn ask_new(source: &PassphraseSource, what: &str) -> Result<Passphrase, Failure> {
    match read_source(source, what)? {
        Some(Answer(mut answers)) => Ok(answers.swap_remove(0)),
        None => ask_on_terminal(what, SOURCES),
    }
}

/// A password: the bytes as they are, without a UTF-8 byte order mark.
pub(crate) struct Password {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// The password with that mark, which earlier versions kept.
    pub(crate) marked: Option<Zeroizing<Vec<u8>>>,
}

/// Asks for a password as bytes, without normalization; for a new one on a terminal, twice.
pub(crate) fn ask_for_password(source: &PassphraseSource, what: &str, is_new: bool) -> Result<Password, Failure> {
    if let Some(password) = read_line(source, what)? {
        return Ok(password);
    }
    let kind = if is_new { "New password" } else { "Password" };
    let first = prompt(&format!("{kind} for {what}: "), what, SOURCES)?;
    if is_new && *prompt("Repeat the password: ", what, SOURCES)? != *first {
        return Err(Failure::usage("the two passwords differ"));
    }
    Ok(Password { bytes: Zeroizing::new(first.as_bytes().to_vec()), marked: None })
}

/// Asks on the terminal for a new passphrase for `what`, twice; `otherwise` is the hint if there is no terminal.
pub(crate) fn ask_on_terminal(what: &str, otherwise: &str) -> Result<Passphrase, Failure> {
    let first = prompt(&format!("New passphrase for {what}: "), what, otherwise)?;
    let passphrase = Passphrase::new(&first)?;
    if *prompt("Repeat the passphrase: ", what, otherwise)? != *first {
        return Err(Failure::usage("the two passphrases differ"));
    }
    Ok(passphrase)
}

/// Asks for a secret of a plugin, such as a PIN.
pub(crate) fn ask_for_plugin(askpass: Option<&Path>, what: &str) -> Result<Zeroizing<String>, Failure> {
    let Some(program) = askpass else {
        let otherwise = |_| Failure::usage("there is no terminal to ask at, and no --askpass");
        return prompt(&format!("{what} "), what, "").map_err(otherwise);
    };
    let line = parse_line(&run_program(program, what)?)?;
    let text =
        str::from_utf8(&line.bytes).map_err(|_| Failure::usage("the output of the askpass program is not text"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

fn read_source(source: &PassphraseSource, what: &str) -> Result<Option<Answer>, Failure> {
    if let Some(answers) = source.descriptor_answer.get() {
        return Ok(Some(Answer(answers.clone())));
    }
    let Some(line) = read_line(source, what)? else { return Ok(None) };
    let mut answers = vec![Passphrase::from_utf8(&line.bytes)?];
    if let Some(marked) = &line.marked {
        answers.push(Passphrase::from_utf8(marked)?);
    }
    if source.passphrase_fd.is_some() {
        // Two files may need it, but a descriptor can be read only once.
        source.descriptor_answer.get_or_init(|| answers.clone());
    }
    Ok(Some(Answer(answers)))
}

fn read_line(source: &PassphraseSource, what: &str) -> Result<Option<Password>, Failure> {
    let bytes = if let Some(path) = &source.passphrase_file {
        read(open(path)?, path)?
    } else if let Some(number) = source.passphrase_fd {
        let name = PathBuf::from(format!("descriptor {number}"));
        read(
            descriptor::duplicate_to_read(number)
                .map_err(|error| Failure::io("read the passphrase from", Some(&name), error))?,
            &name,
        )?
    } else if let Some(program) = &source.askpass {
        ask_program(program, what)?
    } else if let Some(name) = &source.passphrase_env {
        let unset = || Failure::usage(format!("the variable {} is not set", escape_name(Path::new(name))));
        Zeroizing::new(std::env::var_os(name).ok_or_else(unset)?.into_encoded_bytes())
    } else {
        return Ok(None);
    };
    parse_line(&bytes).map(Some)
}

/// Reads the passphrase in a file of one line.
pub(crate) fn read_file(path: &Path) -> Result<Passphrase, Failure> {
    Ok(Passphrase::from_utf8(&parse_line(&read(open(path)?, path)?)?.bytes)?)
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| Failure::io("read the passphrase from", Some(path), error))
}

fn parse_line(bytes: &[u8]) -> Result<Password, Failure> {
    let text = match Text::of(bytes) {
        Ok(text) => text.bytes(),
        // There is no mark; files that were encrypted with these bytes still open.
        Err(_) if str::from_utf8(bytes).is_ok() => bytes,
        Err(why) => return Err(Error::InvalidPassphrase(why).into()),
    };
    let line_of = |text: &[u8]| {
        let line = text.strip_suffix(b"\n").unwrap_or(text);
        Zeroizing::new(line.strip_suffix(b"\r").unwrap_or(line).to_vec())
    };
    let line = line_of(text);
    if line.contains(&b'\n') {
        return Err(Failure::usage("a passphrase is one line, but the source has more"));
    }
    Ok(Password { bytes: line, marked: (text.len() < bytes.len()).then(|| line_of(bytes)) })
}

/// Whether the passphrase comes from standard input, under any name.
pub(crate) fn is_stdin(source: &PassphraseSource) -> bool {
    let same = |path: &Path| {
        let (Ok(path), Ok(stdin)) = (std::fs::metadata(path), std::fs::metadata("/dev/stdin")) else { return false };
        (path.dev(), path.ino(), path.rdev()) == (stdin.dev(), stdin.ino(), stdin.rdev())
    };
    source.passphrase_fd == Some(0) || source.passphrase_file.as_deref().is_some_and(same)
}

/// Reads a source to its end, or `max_len + 1` bytes if it is longer. Leaves no copy of the secret in freed memory.
pub(crate) fn read_secret(mut source: impl Read, max_len: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; max_len.min(16 * 1024) + 1]);
    let mut len = 0;
    loop {
        match source.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if len == bytes.len() {
            if len > max_len {
                break;
            }
            let mut longer = Zeroizing::new(vec![0; max_len.min(len * 2) + 1]);
            longer[..len].copy_from_slice(&bytes);
            bytes = longer;
        }
    }
    bytes.truncate(len);
    Ok(bytes)
}

fn read(source: impl Read, name: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = read_secret(source, SOURCE_MAX_LEN)
        .map_err(|error| Failure::io("read the passphrase from", Some(name), error))?;
    if bytes.len() > SOURCE_MAX_LEN {
        return Err(sealstone::Error::InvalidPassphrase("its source is longer than 8 KiB").into());
    }
    Ok(bytes)
}

fn ask_program(program: &Path, what: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    run_program(program, &format!("Passphrase for {what}: "))
}

/// Runs a program with the prompt as its argument, and returns its output.
fn run_program(program: &Path, prompt: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let fail = |error| Failure::io("run", Some(program), error);
    let mut command = Command::new(program);
    command.arg(prompt).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(fail)?;
    let answer = read(child.stdout.take().expect("passphrase: it was asked for above"), program);
    if answer.is_err() {
        // The program may go on writing, or sleep; its output is not used.
        child.kill().map_err(fail)?;
    }
    if child.wait().map_err(fail)?.success() {
        answer
    } else {
        Err(Failure::usage("the askpass program gave no passphrase"))
    }
}

fn prompt(text: &str, what: &str, otherwise: &str) -> Result<Zeroizing<String>, Failure> {
    run_with_echo_restored(|| rpassword::prompt_password(text)).map(Zeroizing::new).map_err(|error| {
        if error.kind() == io::ErrorKind::Interrupted {
            // rpassword reads Ctrl-C as a character.
            signals::end_process();
        }
        if error.kind() == io::ErrorKind::UnexpectedEof {
            // The prompt's line has no newline yet.
            let _ = File::options().write(true).open("/dev/tty").and_then(|mut tty| tty.write_all(b"\n"));
            return Failure::usage(format!("no passphrase was entered for {what}"));
        }
        Failure::from(Error::PassphraseRequired)
            .with_message(format!("there is no terminal to ask for the passphrase of {what}"))
            .with_hint(otherwise)
    })
}
