//! Lists of digests: each line has a digest and a name, as `sha256sum` or BSD's `md5` write them.

use crate::descriptor;
use crate::digits;
use crate::failure::Failure;
use crate::place::{Place, is_stdin};
use crate::plural::count_noun;
use crate::terminal::Terminal;
use sealstone::hash::Algorithm;
use sealstone::{Lengths, Text};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Above the length of any line with a digest and a name that a system opens: 4,096 bytes, each of them escaped.
const LINE_MAX_LEN: u64 = 16 * 1024;

/// The minimum length for checking digests of SHAKE and BLAKE3. Another file with the same shorter digest could be found.
const SHORTEST: usize = 16;

/// The first line of a signature at the end of a list (spec/signature.md section 4).
const SIGNATURE_BEGIN: &[u8] = b"-----BEGIN SSH SIGNATURE-----";

/// The lengths of digests that are accepted.
pub(super) fn lengths(algorithm: Algorithm) -> Lengths {
    if algorithm.is_extendable() { Lengths::at_least(SHORTEST) } else { Lengths::exactly(algorithm.digest_len()) }
}

/// Escapes line ends in a name. Also returns the mark for the beginning of the line, which is empty if nothing was escaped.
pub(super) fn escape(name: &[u8]) -> (&'static [u8], Vec<u8>) {
    let mut escaped = Vec::with_capacity(name.len());
    for byte in name {
        match byte {
            b'\\' => escaped.extend(b"\\\\"),
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            byte => escaped.push(*byte),
        }
    }
    (if escaped.len() == name.len() { b"" } else { b"\\" }, escaped)
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut unescaped = Vec::with_capacity(name.len());
    while let Some(byte) = bytes.next() {
        unescaped.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => *byte,
        });
    }
    Some(unescaped)
}

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) algorithm: Algorithm,
    pub(super) digest: Vec<u8>,
    pub(super) path: PathBuf,
}

/// The lines of all lists.
#[derive(Default)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    /// Lines that are neither entries nor comments.
    pub(super) malformed: usize,
    /// Lists that could not be read; each was reported.
    pub(super) unread: usize,
    /// Lists without any entry; each was reported.
    pub(super) empty: usize,
    /// Whether the last list that was read has a signature.
    is_signed: bool,
    /// Whether stdin was used, as a list or as a file in one.
    is_stdin_used: bool,
}

/// The number of blanks before the names in a list. The first line without a tag decides it for the list, since a name may begin
/// with a blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// One blank, as BSD's `md5 -r` writes.
    One,
    /// Two blanks, or a blank and a star, which marks binary mode.
    Two,
}

impl List {
    /// Reads lists, or stdin if there are none. `contents` has their contents if they were read already. `algorithm` applies to
    /// lines that name none; lines that name another are malformed.
    ///
    /// # Errors
    /// If there is only one list, and it cannot be read.
    pub(super) fn read(
        paths: &[PathBuf],
        contents: Option<Vec<Vec<u8>>>,
        algorithm: Option<Algorithm>,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let mut list = Self::default();
        let standard = [PathBuf::from("-")];
        let paths = if paths.is_empty() { &standard[..] } else { paths };
        let mut contents = contents.map(Vec::into_iter);
        for path in paths {
            let place = Place::new(path);
            let (before, entries) = (list.malformed, list.entries.len());
            list.is_stdin_used |= is_stdin(path);
            let content = contents.as_mut().and_then(Iterator::next);
            let read = match (content, place.path()) {
                (Some(content), _) => list.read_lines(&mut &content[..], &place, algorithm),
                (None, None) => {
                    terminal.announce_stdin();
                    let stdin = descriptor::duplicate_to_read(descriptor::STDIN);
                    let stdin = stdin.map_err(|error| Failure::io("read", Some(Path::new("stdin")), error));
                    stdin.and_then(|stdin| list.read_lines(&mut BufReader::new(stdin), &place, algorithm))
                }
                (None, Some(path)) => {
                    let opened = File::open(path).map_err(|error| Failure::io("open", Some(path), error));
                    opened.and_then(|file| list.read_lines(&mut BufReader::new(file), &place, algorithm))
                }
            };
            match read {
                Err(failure) if paths.len() == 1 => return Err(failure),
                Err(failure) => {
                    terminal.print_failure(&failure);
                    list.unread += 1;
                }
                Ok(()) if list.entries.len() == entries && paths.len() > 1 => {
                    let message = format!("{}: there is no line with a digest and a file name", place.name());
                    terminal.print_failure(&Failure::Checked { code: "malformed_checksums", message });
                    list.empty += 1;
                }
                Ok(()) if list.malformed > before => {
                    let (lines, name) = (list.malformed - before, place.name());
                    terminal.warn(&format!("{name}: could not parse {}", count_noun(lines, "line")));
                    if std::mem::take(&mut list.is_signed) {
                        terminal.warn(&format!("{name}: the list has a signature, which --from SIGNER verifies"));
                    }
                }
                Ok(()) => {}
            }
        }
        Ok(list)
    }

    fn read_lines(
        &mut self,
        reader: &mut impl BufRead,
        place: &Place,
        algorithm: Option<Algorithm>,
    ) -> Result<(), Failure> {
        let failed = |error| Failure::io("read", Some(place.path().unwrap_or(Path::new("stdin"))), error);
        let (mut line, mut blanks, mut is_first) = (Vec::new(), None, true);
        loop {
            line.clear();
            if reader.by_ref().take(LINE_MAX_LEN).read_until(b'\n', &mut line).map_err(failed)? == 0 {
                return Ok(());
            }
            let is_too_long = !line.ends_with(b"\n") && line.len() as u64 == LINE_MAX_LEN;
            if is_too_long {
                reader.skip_until(b'\n').map_err(failed)?;
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let whole_len = text.len();
            let text = if std::mem::take(&mut is_first) {
                let malformed =
                    |why| Failure::Checked { code: "malformed_checksums", message: format!("{}: {why}", place.name()) };
                Text::of(text).map_err(malformed)?.bytes()
            } else {
                text
            };
            // After a byte order mark, sha256sum does not recognize the first line, so the line does not decide the blanks of the
            // list.
            let mut of_marked = None;
            let blanks = if text.len() < whole_len { &mut of_marked } else { &mut blanks };
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            self.is_signed |= text == SIGNATURE_BEGIN;
            match parse_entry(text, algorithm, blanks).filter(|_| !is_too_long) {
                Some(entry) if self.is_stdin_used && is_stdin(&entry.path) => self.malformed += 1,
                Some(entry) => {
                    self.is_stdin_used |= is_stdin(&entry.path);
                    self.entries.push(entry);
                }
                None => self.malformed += 1,
            }
        }
    }
}

/// Parses a line with only a digest, and the algorithm if the line names one.
pub(super) fn parse_digest(line: &str) -> Option<(Option<Algorithm>, &[u8])> {
    let line = trim_blanks(line.as_bytes());
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    match parse_tagged(line) {
        Some((algorithm, digits, _)) => Some((Some(algorithm), digits)),
        None => {
            let (digits, rest) = split_digits(line);
            parse_name(rest, &mut None).map(|_| (None, digits))
        }
    }
}

/// Parses one line as `sha256sum -c` does.
fn parse_entry(line: &[u8], wanted: Option<Algorithm>, blanks: &mut Option<Blanks>) -> Option<Entry> {
    let line = trim_blanks(line);
    let (escaped, line) = match line.strip_prefix(b"\\") {
        Some(line) => (true, line),
        None => (false, line),
    };
    let digest_of = |algorithm, digits: &[u8]| {
        let digest = digits::decode(digits)?;
        lengths(algorithm).check("the digest", digest.len()).ok().map(|()| digest)
    };
    let (algorithm, digest, name) = match parse_tagged(line) {
        Some((algorithm, digits, name)) if wanted.is_none_or(|wanted| wanted == algorithm) => {
            (algorithm, digest_of(algorithm, digits)?, name)
        }
        Some(_) => return None,
        None => {
            let algorithm = wanted.unwrap_or(Algorithm::Sha256);
            let (digits, rest) = split_digits(line);
            (algorithm, digest_of(algorithm, digits)?, parse_name(rest, blanks)?)
        }
    };
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    // A path cannot contain a zero byte.
    let is_name = !name.is_empty() && !name.contains(&0);
    is_name.then(|| Entry { algorithm, digest: digest.to_vec(), path: PathBuf::from(OsStr::from_bytes(&name)) })
}

/// Splits a line after its hexadecimal digits.
fn split_digits(line: &[u8]) -> (&[u8], &[u8]) {
    line.split_at(line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count())
}

/// Parses the name after a digest and its blanks.
fn parse_name<'a>(rest: &'a [u8], blanks: &mut Option<Blanks>) -> Option<&'a [u8]> {
    let (b' ' | b'\t', name @ [_, ..]) = rest.split_first()? else { return None };
    let second = name.strip_prefix(b" ").or_else(|| name.strip_prefix(b"*")).filter(|name| !name.is_empty());
    let found = if second.is_some() { Blanks::Two } else { Blanks::One };
    match blanks.get_or_insert(found) {
        Blanks::One => Some(name),
        Blanks::Two => second,
    }
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[len..]
}

/// Splits a line in BSD's style into algorithm, digest and name.
fn parse_tagged(line: &[u8]) -> Option<(Algorithm, &[u8], &[u8])> {
    let tags = |algorithm: Algorithm| algorithm.spellings().iter().map(move |name| (algorithm, name));
    Algorithm::ALL.into_iter().flat_map(tags).find_map(|(algorithm, name)| {
        let rest = line.strip_prefix(name.as_bytes())?;
        let rest = rest.strip_prefix(b" (").or_else(|| rest.strip_prefix(b"("))?;
        // The last parenthesis: a name may have parentheses, a digest has none.
        let end = rest.iter().rposition(|byte| *byte == b')')?;
        let digest = trim_blanks(trim_blanks(&rest[end + 1..]).strip_prefix(b"=")?);
        Some((algorithm, digest, &rest[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn name(line: &str, algorithm: Option<Algorithm>) -> Option<(Algorithm, String)> {
        let line = line.replace("HEX", SHA256);
        parse_entry(line.as_bytes(), algorithm, &mut None)
            .map(|entry| (entry.algorithm, entry.path.into_os_string().into_string().unwrap()))
    }

    #[test]
    fn names_come_back_from_a_line() {
        for original in ["a", " ", "a\nb", "\\n", "\n\r\\", "\\\\", "x) = y", "(", "  a *b", "a\r"] {
            let (mark, escaped) = escape(original.as_bytes());
            let (mark, escaped) = (std::str::from_utf8(mark).unwrap(), String::from_utf8(escaped).unwrap());
            assert!(!escaped.contains(['\n', '\r']));
            for line in [format!("{mark}HEX  {escaped}"), format!("{mark}SHA256 ({escaped}) = HEX")] {
                assert_eq!(name(&line, None), Some((Algorithm::Sha256, original.to_owned())), "{line}");
            }
        }
    }

    #[test]
    fn other_programs_lines_are_read() {
        for (line, wanted, found) in [
            ("HEX *a", None, Algorithm::Sha256),
            ("HEX  a", Some(Algorithm::Sm3), Algorithm::Sm3),
            ("SM3 (a) = HEX", None, Algorithm::Sm3),
            ("SM3(a)= HEX", None, Algorithm::Sm3),
            ("SHA2-256(a)= HEX", None, Algorithm::Sha256),
            ("SHA3-256(a)= HEX", Some(Algorithm::Sha3_256), Algorithm::Sha3_256),
            ("BLAKE3 (a) = HEX", None, Algorithm::Blake3),
            ("HEX a", None, Algorithm::Sha256),
            ("HEX\ta", None, Algorithm::Sha256),
            ("HEX\t*a", None, Algorithm::Sha256),
            (" \tHEX  a", None, Algorithm::Sha256),
            ("\tSHA256(a)\t=\tHEX", None, Algorithm::Sha256),
        ] {
            assert_eq!(name(line, wanted), Some((found, "a".to_owned())), "{line}");
            let upper = line.replace("HEX", &SHA256.to_uppercase());
            assert_eq!(name(&upper, wanted), Some((found, "a".to_owned())), "{line}");
        }
        for algorithm in Algorithm::ALL {
            let digest = |len: usize| format!("{} (a) = {}", algorithm.spellings()[0], "ab".repeat(len));
            assert_eq!(name(&digest(algorithm.digest_len()), None).unwrap().0, algorithm);
            for len in [SHORTEST, algorithm.digest_len() + 1] {
                let takes = algorithm.is_extendable() || len == algorithm.digest_len();
                assert_eq!(name(&digest(len), None).is_some(), takes, "{algorithm}, {len} bytes");
            }
        }
    }

    /// `sha256sum -c` (coreutils 9.1) reads the same lists in this way.
    #[test]
    fn the_first_line_says_how_many_blanks_stand_before_names() {
        for (lists, names) in [
            (["HEX a", "HEX  a"], [Some("a"), Some(" a")]),
            (["HEX a", "HEX *a"], [Some("a"), Some("*a")]),
            (["HEX ", "HEX  a"], [None, Some("a")]),
            (["HEX  a", "HEX a"], [Some("a"), None]),
            (["HEX *a", "HEX  *a"], [Some("a"), Some("*a")]),
            (["SHA256 (a) = HEX", "HEX a"], [Some("a"), Some("a")]),
            (["abcd x", "HEX  a"], [None, Some("a")]),
            (["HEX  ", "HEX  a"], [Some(" "), Some(" a")]),
        ] {
            let mut blanks = None;
            let found = lists.map(|line| {
                let entry = parse_entry(line.replace("HEX", SHA256).as_bytes(), None, &mut blanks);
                entry.map(|entry| entry.path.into_os_string().into_string().unwrap())
            });
            assert_eq!(found.each_ref().map(Option::as_deref), names, "{lists:?}");
        }
    }

    #[test]
    fn what_is_no_digest_and_name_is_nothing() {
        for (line, wanted) in [
            ("HEX", None),
            ("HEX ", None),
            ("HEX\u{a0}a", None),
            ("SHA256  (a) = HEX", None),
            ("SHA256 (a) = HEX ", None),
            ("HEXa  a", None),
            ("HEXaa  a", None),
            ("aHEX  a", None),
            ("HEX  a", Some(Algorithm::Sha512)),
            ("SM3 (a) = HEX", Some(Algorithm::Sha256)),
            ("SHA512 (a) = HEX", None),
            ("MD5 (a) = HEX", None),
            ("MD4 (a) = HEX", None),
            ("BLAKE3 (a) = aabbccddeeff00112233445566778", None),
            ("BLAKE3 (a) = aabbccddeeff001122334455667788", None),
            ("SHA256 (a) HEX", None),
            ("SHA256 a = HEX", None),
            ("SHA256 () = HEX", None),
            ("\\HEX  a\\", None),
            ("\\HEX  a\\x", None),
            ("HEX  a\0b", None),
            ("-----BEGIN PGP SIGNED MESSAGE-----", None),
        ] {
            assert_eq!(name(line, wanted), None, "{line}");
        }
    }
}
