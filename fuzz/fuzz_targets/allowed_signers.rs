//! Files of allowed signers: arbitrary text, and lines that are read again by the rules alone, with every principal, namespace and
//! moment.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sealstone::signature::{AllowedSigners, Signer};
use sealstone_fuzz::{Edit, find, lines, signing};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    File {
        file: &'a [u8],
    },
    Lines {
        lines: Vec<Line>,
        crlf: bool,
        principal: Option<Vec<Letter>>,
        namespace: Vec<Letter>,
        minute: u32,
        edits: Vec<Edit>,
    },
}

#[derive(Arbitrary, Debug)]
struct Line {
    key: u8,
    principals: Vec<Pattern>,
    is_quoted: bool,
    namespaces: Option<Vec<Pattern>>,
    after: Option<Time>,
    before: Option<Time>,
    is_authority: bool,
    upper: bool,
    tabs: bool,
}

/// Few letters, so that patterns match.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq)]
enum Letter {
    A,
    B,
    At,
    Accent,
}

#[derive(Arbitrary, Debug)]
struct Pattern {
    not: bool,
    parts: Vec<Part>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Part {
    Letter(Letter),
    One,
    Any,
}

/// A minute of 2026.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Time {
    day: u8,
    minute: u16,
    is_utc: bool,
}

/// 2026-01-01T00:00:00Z.
const START: u64 = 1_767_225_600;
const HOUR: i64 = 3600;
/// More would only be slow.
const MOST: usize = 12;

/// Lines of keys: those that sign files, and one that does not.
static LINES: LazyLock<Vec<(String, bool)>> = LazyLock::new(|| {
    let lines = signing::KEYS.iter().filter_map(|key| {
        let public = key.public_key();
        Some((public.to_ssh("").ok()?, Signer::new(public).is_ok()))
    });
    lines.collect()
});

impl Letter {
    fn text(self) -> char {
        match self {
            Self::A => 'a',
            Self::B => 'b',
            Self::At => '@',
            Self::Accent => '\u{e9}',
        }
    }
}

fn text(letters: &[Letter]) -> String {
    letters.iter().take(MOST).map(|letter| letter.text()).collect()
}

impl Pattern {
    fn parts(&self) -> &[Part] {
        &self.parts[..self.parts.len().min(8)]
    }

    fn write(&self) -> String {
        let parts = self.parts().iter().map(|part| match part {
            Part::Letter(letter) => letter.text(),
            Part::One => '?',
            Part::Any => '*',
        });
        if self.not { "!" } else { "" }.chars().chain(parts).collect()
    }
}

/// By the definition, of bytes: `?` stands for one, and `*` for any number, each of which is tried.
fn matches(text: &[u8], parts: &[Part]) -> bool {
    match (parts, text) {
        ([], text) => text.is_empty(),
        ([Part::Any, rest @ ..], text) => (0..=text.len()).any(|len| matches(&text[len..], rest)),
        ([Part::One, rest @ ..], [_, text @ ..]) => matches(text, rest),
        ([Part::Letter(letter), rest @ ..], text) => {
            let letter = letter.text().to_string();
            text.strip_prefix(letter.as_bytes()).is_some_and(|text| matches(text, rest))
        }
        _ => false,
    }
}

fn is_in(text: &str, patterns: &[Pattern]) -> bool {
    let text = text.as_bytes();
    if patterns.is_empty() {
        // What is written then is one pattern, of nothing.
        return text.is_empty();
    }
    let fits = |pattern: &&Pattern| matches(text, pattern.parts());
    let patterns = || patterns.iter().take(MOST);
    patterns().filter(|pattern| !pattern.not).any(|pattern| fits(&pattern))
        && !patterns().filter(|pattern| pattern.not).any(|pattern| fits(&pattern))
}

fn list(patterns: &[Pattern]) -> String {
    patterns.iter().take(MOST).map(Pattern::write).collect::<Vec<_>>().join(",")
}

impl Time {
    /// Since 1970, as if it were UTC.
    fn seconds(self) -> i64 {
        let minute = u64::from(self.day % 31) * 24 * 60 + u64::from(self.minute % (24 * 60));
        i64::try_from(START + minute * 60).expect("allowed_signers: it is in 2026")
    }

    fn write(self) -> String {
        let minute = self.minute % (24 * 60);
        let zone = if self.is_utc { "Z" } else { "" };
        format!("202601{:02}{:02}{:02}{zone}", self.day % 31 + 1, minute / 60, minute % 60)
    }
}

impl Line {
    /// `None` where it would break a rule that is not meant.
    fn write(&self) -> Option<String> {
        let principals = list(&self.principals);
        let is_ordered = match (self.after, self.before) {
            (Some(after), Some(before)) => after.seconds() < before.seconds(),
            _ => true,
        };
        // A `#` begins a comment, and an empty field is none.
        if principals.is_empty() || !is_ordered {
            return None;
        }
        let mut options = Vec::new();
        options.extend(self.namespaces.as_ref().map(|of| format!("namespaces=\"{}\"", list(of))));
        options.extend(self.after.map(|time| format!("valid-after=\"{}\"", time.write())));
        options.extend(self.before.map(|time| format!("valid-before=\"{}\"", time.write())));
        options.extend(self.is_authority.then(|| "cert-authority".to_owned()));
        let names = ["namespaces", "valid-after", "valid-before", "cert-authority"];
        let mut options = options.join(",");
        if self.upper {
            names.iter().for_each(|name| options = options.replace(name, &name.to_uppercase()));
        }
        let principals = if self.is_quoted { format!("\"{principals}\"") } else { principals };
        let (key, _) = &LINES[usize::from(self.key) % LINES.len()];
        let blank = if self.tabs { "\t  " } else { " " };
        let fields = [&principals[..], &options, key, "a comment"];
        Some(fields.into_iter().filter(|field| !field.is_empty()).collect::<Vec<_>>().join(blank))
    }

    fn can_give(&self) -> bool {
        LINES[usize::from(self.key) % LINES.len()].1 && !self.is_authority
    }

    fn gives(&self, principal: Option<&str>, namespace: &str, now: i64) -> bool {
        self.can_give()
            && principal.is_none_or(|principal| is_in(principal, &self.principals))
            && self.namespaces.as_ref().is_none_or(|patterns| is_in(namespace, patterns))
            && self.after.is_none_or(|time| now >= time.seconds() + if time.is_utc { 0 } else { 12 * HOUR })
            && self.before.is_none_or(|time| now <= time.seconds() - if time.is_utc { 0 } else { 14 * HOUR })
    }
}

fuzz_target!(|case: Case<'_>| match case {
    Case::File { file } => drop(check(file)),
    Case::Lines { lines, crlf, principal, namespace, minute, edits } => {
        let lines: Vec<_> = lines.iter().take(MOST).filter_map(|line| Some((line, line.write()?))).collect();
        let end = if crlf { "\r\n" } else { "\n" };
        let mut file = lines.iter().map(|(_, text)| format!("{text}{end}")).collect::<String>().into_bytes();
        edits.iter().for_each(|edit| edit.apply(&mut file));
        let read = check(&file);
        if !edits.is_empty() {
            return;
        }
        let can_give = lines.iter().any(|(line, _)| line.can_give());
        let Some(read) = read else { return assert!(!can_give, "a good file was refused") };
        assert!(can_give);
        let numbered = || (1..).zip(&lines);
        let skipped: Vec<usize> = numbered().filter(|(_, (line, _))| !line.can_give()).map(|(at, _)| at).collect();
        assert_eq!(read.skipped(), skipped);
        let (principal, namespace) = (principal.map(|letters| text(&letters)), text(&namespace));
        let now = START + u64::from(minute % (40 * 24 * 60)) * 60;
        let found = read.signers(principal.as_deref(), &namespace, UNIX_EPOCH + Duration::from_secs(now));
        let now = i64::try_from(now).expect("allowed_signers: it is in 2026");
        let expected = numbered().filter(|(_, (line, _))| line.gives(principal.as_deref(), &namespace, now));
        let expected: Vec<usize> = expected.map(|(at, _)| at).collect();
        assert_eq!(found.iter().filter_map(Signer::line).collect::<Vec<_>>(), expected);
    }
});

/// What holds for any file.
fn check(file: &[u8]) -> Option<AllowedSigners> {
    let read = match AllowedSigners::parse(file) {
        Ok(read) => read,
        Err(error) => {
            signing::check_error(&error.error, &["invalid_signer"]);
            let text = error.line.map(|line| lines(file).get(line.wrapping_sub(1)).copied());
            assert!(text.is_none_or(|text| text.is_some_and(|text| !text.is_empty())), "a line that is not there");
            return None;
        }
    };
    let lines = lines(file);
    let has = |line: &[u8], part: &str| find(line, part.as_bytes()).is_some();
    assert!(read.skipped().is_sorted() && read.skipped().iter().all(|line| (1..=lines.len()).contains(line)));
    let now = SystemTime::now();
    for namespace in ["file", "git"] {
        let all = read.signers(None, namespace, now);
        for signer in all.iter() {
            let (line, principals) =
                (signer.line().expect("a line gave it"), signer.principals().expect("it has some"));
            assert!(!read.skipped().contains(&line) && has(lines[line - 1], principals));
            let key = signer.to_line("").expect("it has a line");
            let [name, base64] = <[&str; 2]>::try_from(key.split(' ').collect::<Vec<_>>()).expect("two fields");
            assert!(has(lines[line - 1], name));
            let at = find(lines[line - 1], base64.as_bytes()).expect("its line has the key");
            let before = &lines[line - 1][..at];
            assert!(std::str::from_utf8(before).is_ok(), "only a comment may be in another encoding");
        }
        let some = read.signers(Some("alice@example.com"), namespace, now);
        assert!(some.iter().all(|signer| all.iter().any(|other| other == signer)));
    }
    Some(read)
}
