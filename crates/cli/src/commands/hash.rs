//! `sealstone hash`

mod list;

use crate::args::{Common, DigestNames, digest_name};
use crate::crew::Crew;
use crate::digits;
use crate::failure::Failure;
use crate::keyring::Keyring;
use crate::place::{Place, refuse_printing_into};
use crate::plan;
use crate::plural::count_noun;
use crate::signers::{self, Names};
use crate::terminal::{Terminal, Watch, json_text};
use crate::work;
use clap::Args;
use list::{Entry, List};
use sealstone::encoding::encode_hex;
use sealstone::hash::{Algorithm, Hasher};
use sealstone::signature::{Namespace, SignatureReader, Signers};
use sealstone::{Error, FileAccess, FileHasher, Input, Output, escape_name};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Print digests of files, as sha256sum does, or check files against such lines
#[derive(Args)]
#[command(after_help = "\
--check reads the output of this command, sha256sum and its relatives, cksum, b3sum and openssl dgst. --check and --verify exit with 4 \
if a digest differs, and otherwise with 1 if a file cannot be read.

Anyone who can change both the files and the list can make them match, unless the list is signed. --from and --signers verify the \
signature of the list first. If that fails, they check no file and exit as `sealstone verify-sig` does.

Examples:
  sealstone hash film.mkv
  sealstone hash --verify ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad film.mkv
  sealstone hash --algorithm sm3 --recursive photos > photos.sm3
  sealstone hash --algorithm sm3 --check photos.sm3
  sealstone hash --tag *.tar.gz > SUMS && sealstone sign --attach SUMS
  sealstone hash --check --from @alice SUMS.signed

md5 and sha1 are for old lists: anyone can make two files with the same digest.")]
pub(crate) struct Hash {
    /// The hash function (default: sha256, or the one that a line of --check or the digest of --verify names)
    #[arg(short, long, value_name = "ALGORITHM", value_parser = DigestNames)]
    pub(crate) algorithm: Option<Algorithm>,
    /// Length of the digests in bytes, for shake128, shake256 and blake3
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) length: Option<u32>,
    /// Read lists of digests and names, and check the files that they name
    #[arg(short, long, conflicts_with_all = ["tag", "recursive", "length"])]
    pub(crate) check: bool,
    /// Check one file against these digits, for example from a web page; sha256:DIGITS names the hash function
    #[arg(long, value_name = "DIGITS", conflicts_with_all = ["check", "tag", "recursive", "length"])]
    pub(crate) verify: Option<String>,
    /// With --check, require that this key signed each list with `sealstone sign --attach`: a name (@alice), the public keys
    /// in a file, or an SSH line; may be repeated
    #[arg(long, value_name = "SIGNER|FILE", requires = "check", conflicts_with = "verify")]
    pub(crate) from: Vec<String>,
    /// With --check, the same for the signers in a file of allowed signers (ALLOWED SIGNERS in `man ssh-keygen`)
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(crate) signers: Option<PathBuf>,
    /// Of the allowed signers, trust only this one
    #[arg(long, value_name = "NAME", requires = "signers")]
    pub(crate) principal: Option<String>,
    /// With --check, fail if a line cannot be parsed, instead of warning
    #[arg(long, requires = "check", conflicts_with = "verify")]
    pub(crate) strict: bool,
    /// Write lines that name the algorithm: SHA256 (film.mkv) = …
    #[arg(long)]
    pub(crate) tag: bool,
    /// Hash all files in folders; symbolic links inside are skipped
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Files; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

pub(crate) fn run(command: &Hash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match &command.verify {
        Some(text) => verify(text, command, common, terminal),
        None if command.check => check(command, common, terminal),
        None => print(command, common, terminal),
    }
}

fn print(command: &Hash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let algorithm = command.algorithm.unwrap_or(Algorithm::Sha256);
    let len = command.length.map_or(algorithm.digest_len(), |len| len as usize);
    algorithm.check_len(len)?;
    let plan = work::announce(plan::plan_to_hash(&command.inputs, command.recursive), terminal)?;
    if command.inputs.is_empty() {
        terminal.announce_stdin();
    }
    let of = plan.jobs.len() + plan.failed;
    let (mut failed, has_several) = (plan.failed, plan.has_several);
    let tasks: Vec<_> = plan.jobs.into_iter().map(|job| (job.input, algorithm, len)).collect();
    digest_all(&tasks, Place::open, common, terminal, |index, digest, watch| {
        let place = &tasks[index].0;
        match digest {
            Ok(digest) if common.json => print_line(watch, |_| {
                let digest = encode_hex(&digest);
                json_text(&json!({ "input": place.name(), "algorithm": algorithm.name(), "digest": digest }))
                    .into_bytes()
            }),
            Ok(digest) => print_line(watch, |to_terminal| {
                let (mark, name) = format_name(place, to_terminal);
                if command.tag {
                    [mark, algorithm.spellings()[0].as_bytes(), b" (", &name, b") = ", encode_hex(&digest).as_bytes()]
                        .concat()
                } else {
                    [mark, encode_hex(&digest).as_bytes(), b"  ", &name].concat()
                }
            }),
            Err(failure) if has_several => {
                watch.suspend_bar(|| terminal.print_failure(&failure));
                failed += 1;
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    })?;
    if failed == 0 { Ok(()) } else { Err(Failure::Several { failed, of }) }
}

fn check(command: &Hash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let lists = if command.inputs.is_empty() { vec![Place::Standard] } else { make_places(&command.inputs) };
    refuse_printing_into(&lists)?;
    let contents = read_verified_lists(command, common, terminal)?;
    let list = List::read(&command.inputs, contents, command.algorithm, terminal)?;
    if list.entries.is_empty() && list.unread == 0 && list.empty == 0 {
        let failure = Failure::Checked {
            code: "malformed_checksums",
            message: "there is no line with a digest and a file name".to_owned(),
        };
        return Err(failure
            .with_hint("each line must look like a line of sha256sum; name another hash function with --algorithm"));
    }
    let tasks: Vec<_> =
        list.entries.iter().map(|entry| (Place::new(&entry.path), entry.algorithm, entry.digest.len())).collect();
    refuse_printing_into(&tasks.iter().map(|(place, ..)| place.clone()).collect::<Vec<_>>())?;
    let (mut differ, mut unread) = (0, list.unread);
    digest_all(&tasks, open_entry, common, terminal, |index, digest, watch| {
        let (Entry { algorithm, digest: expected, .. }, (place, ..)) = (&list.entries[index], &tasks[index]);
        let (code, word) = match &digest {
            Ok(digest) if digest == expected => (None, "OK"),
            Ok(_) => {
                differ += 1;
                (Some("digest_mismatch"), "FAILED")
            }
            Err(failure) => {
                unread += 1;
                watch.suspend_bar(|| terminal.print_failure(failure));
                (Some(failure.code()), "FAILED open or read")
            }
        };
        print_verdict(watch, common, place, *algorithm, code, word)
    })?;
    let of = tasks.len();
    let failure = |code, message| Err(Failure::Checked { code, message });
    match (differ, unread) {
        (0, 0) if list.empty > 0 => failure(
            "malformed_checksums",
            format!("{} without a digest and a file name", count_noun(list.empty, "list")),
        ),
        (0, 0) if list.malformed > 0 && command.strict => {
            failure("malformed_checksums", format!("could not parse {}", count_noun(list.malformed, "line")))
        }
        (0, 0) => Ok(()),
        (0, _) => failure("unread", format!("could not read {}", count_noun(unread, "file"))),
        (_, 0) => {
            let differs = failure("digest_mismatch", format_difference(differ, of));
            let is_doubtful = differ == of && command.algorithm.is_none();
            let hint = "if the list was made with another hash function, name it, as in -a sm3";
            if is_doubtful { differs.map_err(|failure| failure.with_hint(hint)) } else { differs }
        }
        _ => failure("digest_mismatch", format!("{}, and {unread} could not be read", format_difference(differ, of))),
    }
}

/// Verifies the signatures of all lists, and returns the contents of the lists; `None` if no signature is required.
fn read_verified_lists(command: &Hash, common: &Common, terminal: &Terminal) -> Result<Option<Vec<Vec<u8>>>, Failure> {
    if command.from.is_empty() && command.signers.is_none() {
        return Ok(None);
    }
    let mut keys = Keyring::new(common, terminal);
    let mut signers = Signers::new(signers::read_signers(&command.from, &mut keys)?);
    if let Some(path) = &command.signers {
        let (principal, namespace) = (command.principal.as_deref(), Namespace::default());
        signers.append(signers::read_allowed(path, principal, namespace.as_str(), &mut keys)?);
    }
    let (names, has_no_signer) = (Names::load(&command.from), signers.is_empty());
    keys.guard.check_stdin(&command.inputs)?;
    let lists = if command.inputs.is_empty() { vec![Place::Standard] } else { make_places(&command.inputs) };
    let mut contents = Vec::new();
    for place in lists {
        if matches!(place, Place::Standard) {
            terminal.announce_stdin();
        }
        let mut content = Vec::new();
        let reader = SignatureReader::new(signers.clone());
        let read = place.open().and_then(|input| {
            let verified = reader.attached(input, Output::writer(&mut content));
            verified.map_err(|error| signers::explain(error.into(), &names, "--from", has_no_signer))
        });
        let verified = read.map_err(|failure| explain_unverified(failure).on(place.path()))?;
        let report = names.describe(&place.name(), None, Namespace::default().as_str(), &verified);
        terminal.note(&report.text);
        terminal.print_event(|| report.json);
        contents.push(content);
    }
    Ok(Some(contents))
}

/// Adds a hint about signed lists.
fn explain_unverified(failure: Failure) -> Failure {
    match failure.error() {
        Some(Error::NotASignature(_)) => failure.with_hint(
            "--from and --signers need a list with its signature at the end, as `sealstone sign --attach` writes it; for a signature in a separate file, use `sealstone verify-sig`",
        ),
        _ => failure,
    }
}

/// Compares one input with a digest. The digest may have a prefix with its algorithm, or be a line of a list, whose file name is
/// ignored, since the file may have been renamed.
fn verify(text: &str, command: &Hash, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let text = text.trim_ascii();
    if text.contains('\n') {
        return Err(Failure::usage("--verify takes one digest; --check reads a list of digests"));
    }
    let (named, digits) = match (list::parse_digest(text), text.split_once(':')) {
        (Some(found), _) => found,
        (None, Some((name, digits))) => {
            let unknown = || Failure::usage(format!("no hash function is called {}", escape_name(Path::new(name))));
            (Some(digest_name(name).ok_or_else(unknown)?), digits.trim_ascii().as_bytes())
        }
        (None, None) => (None, text.as_bytes()),
    };
    if let (Some(named), Some(asked)) = (named, command.algorithm)
        && named != asked
    {
        return Err(Failure::usage(format!("the digest names {named}, and -a names {asked}")));
    }
    let algorithm = named.or(command.algorithm).unwrap_or(Algorithm::Sha256);
    let none = || Failure::usage("the digest is not hexadecimal digits, two for each byte");
    let expected = digits::decode(digits).filter(|digest| !digest.is_empty()).ok_or_else(none)?.to_vec();
    list::lengths(algorithm).check("the digest", expected.len()).map_err(|error| {
        let others = Algorithm::ALL.into_iter().filter(|other| other.digest_len() == expected.len());
        let others: Vec<_> = others.map(Algorithm::name).collect();
        let hint = if others.is_empty() {
            "digits are missing, or there are too many: copy the digest again".to_owned()
        } else {
            format!("name its function with -a: {}", others.join(", "))
        };
        Failure::from(error).with_hint(hint)
    })?;
    let place = match &command.inputs[..] {
        [] => {
            terminal.announce_stdin();
            Place::Standard
        }
        [input] => Place::new(input),
        _ => return Err(Failure::usage("--verify takes one input; --check reads a list of digests")),
    };
    plan::refuse_any_folder(&command.inputs)?;
    refuse_printing_into(std::slice::from_ref(&place))?;
    digest_all(&[(place.clone(), algorithm, expected.len())], Place::open, common, terminal, |_, digest, watch| {
        if digest? == *expected {
            return print_verdict(watch, common, &place, algorithm, None, "OK");
        }
        print_verdict(watch, common, &place, algorithm, Some("digest_mismatch"), "FAILED")?;
        let failure = Failure::Checked { code: "digest_mismatch", message: format!("the {algorithm} digest differs") };
        Err(failure.with_hint(
            "the file was changed or damaged, or the digest is for another file or hash function: fetch both again",
        ))
    })
}

/// Prints the result for a compared file; `code` is its error code.
fn print_verdict(
    watch: &Watch,
    common: &Common,
    place: &Place,
    algorithm: Algorithm,
    code: Option<&str>,
    word: &str,
) -> Result<(), Failure> {
    let is_ok = code.is_none();
    if common.json {
        let line = json!({ "input": place.name(), "algorithm": algorithm.name(), "ok": is_ok, "code": code });
        print_line(watch, |_| json_text(&line).into_bytes())
    } else if is_ok && common.quiet {
        Ok(())
    } else {
        print_line(watch, |_| {
            // Escaped for people: programs do not parse names in this line, and a stranger may have written the list.
            let (mark, name) = format_name(place, true);
            [mark, &name, b": ", word.as_bytes()].concat()
        })
    }
}

fn make_places(paths: &[PathBuf]) -> Vec<Place> {
    paths.iter().map(|path| Place::new(path)).collect()
}

/// Opens a file of a list. A stranger may have written the list, so a FIFO or device is refused: it could block the check for ever.
fn open_entry(place: &Place) -> Result<Input<'static>, Failure> {
    match place {
        Place::File(path) => Ok(FileAccess::new().input(path)?),
        _ => place.open(),
    }
}

/// Calls `each` on this thread with the digest of every file in order, while several files are read at once.
///
/// # Errors
/// The error of `each`, which ends the work.
fn digest_all(
    tasks: &[(Place, Algorithm, usize)],
    open: fn(&Place) -> Result<Input<'static>, Failure>,
    common: &Common,
    terminal: &Terminal,
    mut each: impl FnMut(usize, Result<Vec<u8>, Failure>, &Watch) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let threads = common.threads();
    let workers = threads.min(tasks.len()).max(1);
    let watch = work::watch(tasks.iter().map(|(place, ..)| place), terminal);
    let ended = Arc::new(AtomicBool::new(false));
    let hasher = |algorithm: Algorithm| {
        let ended = Arc::clone(&ended);
        let hasher = FileHasher::new(Hasher::new(algorithm)).threads(threads / workers);
        let hasher = hasher.cancel_when(move || ended.load(Ordering::Relaxed));
        match watch.callback() {
            Some(callback) => hasher.on_progress(callback),
            None => hasher,
        }
    };
    let crew = Crew::<Result<Vec<u8>, Error>>::default();
    let result = std::thread::scope(|scope| {
        // This thread opens files and reports results, so that a long file does not delay them. If the system starts no other
        // thread, this one also hashes.
        let (_dismissed_at_the_end, others) = crew.begin(scope, if workers > 1 { workers } else { 0 });
        let (mut ready, mut next) = (BTreeMap::new(), 0);
        let mut until = |ready: &mut BTreeMap<usize, Result<Vec<u8>, Failure>>, at_most| loop {
            let (done, in_flight) = crew.take_results();
            ready.extend(done.into_iter().map(|(index, digest)| (index, digest.map_err(Failure::from))));
            while let Some(digest) = ready.remove(&next) {
                each(next, digest.map_err(|failure| failure.on(tasks[next].0.path())), &watch)?;
                next += 1;
            }
            if in_flight <= at_most {
                return Ok(());
            }
            if others > 0 { crew.wait() } else { crew.help() }
        };
        let mut all = || {
            for (index, (place, algorithm, len)) in tasks.iter().enumerate() {
                match open(place) {
                    Ok(input) => {
                        let (hasher, mut digest) = (hasher(*algorithm), vec![0; *len]);
                        crew.give(index, move || hasher.run_into(input, &mut digest).map(|()| digest));
                    }
                    Err(failure) => _ = ready.insert(index, Err(failure)),
                }
                // There may be more folders than descriptors.
                if tasks.get(index + 1).is_none_or(|(after, ..)| !after.is_beside(place)) {
                    place.release();
                }
                // One task more than there are threads, so that no thread waits.
                until(&mut ready, others)?;
            }
            until(&mut ready, 0)
        };
        let result = all();
        ended.store(true, Ordering::Relaxed);
        result
    });
    watch.finish();
    result
}

fn format_difference(differ: usize, of: usize) -> String {
    format!("{differ} of {} {}", count_noun(of, "file"), if differ == 1 { "differs" } else { "differ" })
}

/// The name as coreutils write it: line ends are escaped, and a mark at the beginning of the line says so. For people, other
/// control characters are escaped too.
fn format_name(place: &Place, is_for_people: bool) -> (&'static [u8], Vec<u8>) {
    let name = place.path().map_or(&b"-"[..], |path| path.as_os_str().as_bytes());
    let (mark, name) = list::escape(name);
    let name = if is_for_people { escape_name(Path::new(OsStr::from_bytes(&name))).into_bytes() } else { name };
    (mark, name)
}

/// Writes a line to stdout; `line` is told whether stdout is a terminal.
fn print_line(watch: &Watch, line: impl FnOnce(bool) -> Vec<u8>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let mut line = line(stdout.is_terminal());
    line.push(b'\n');
    let written = watch.suspend_bar(|| stdout.write_all(&line).and_then(|()| stdout.flush()));
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}
