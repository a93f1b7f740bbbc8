//! Files of allowed signers in the form of `ssh-keygen` (spec/signature.md section 7.4).

use crate::error::{Error, KeyFault, Restriction, Withheld};
use crate::key::{KeyFileError, Signer, Signers, is_comment};
use crate::text::Text;
use std::time::{SystemTime, UNIX_EPOCH};

/// The most bytes of a file.
const MAX_LEN: usize = 1 << 20;
const BLANKS: [char; 2] = [' ', '\t'];
const HOUR: i64 = 3600;

/// A file of allowed signers, which lists the keys that may sign, for which namespaces, and when.
///
/// ```
/// use sealstone::signature::AllowedSigners;
/// use std::time::SystemTime;
///
/// let file = "alice@example.com,alice@example.org namespaces=\"file,git\",valid-after=\"20260101Z\" \
///             ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4 Alice\n";
/// let allowed = AllowedSigners::parse(file).unwrap();
/// assert_eq!(allowed.signers(Some("alice@example.org"), "file", SystemTime::now()).len(), 1);
/// assert!(allowed.signers(Some("bob@example.org"), "file", SystemTime::now()).is_empty());
/// assert!(allowed.signers(None, "email", SystemTime::now()).is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct AllowedSigners {
    lines: Vec<Line>,
    skipped: Vec<usize>,
}

/// A line with a signer.
#[derive(Debug, Clone)]
struct Line {
    signer: Signer,
    options: Options,
}

impl AllowedSigners {
    /// Parses a whole file.
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] with the number of the first wrong line, for a file of over 1 MiB, and for a file without a
    /// signer.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Self, KeyFileError> {
        let file = file.as_ref();
        let fault = |line, fault| KeyFileError { line, error: Error::InvalidSigner(fault) };
        if file.len() > MAX_LEN {
            return Err(fault(None, KeyFault::Other("the file has over 1 MiB")));
        }
        let text = Text::of(file).map_err(|_| fault(None, KeyFault::Utf16))?;
        let (mut lines, mut skipped) = (Vec::new(), Vec::new());
        for (number, line) in text.lines() {
            let has_break = line.iter().any(|byte| BREAKS.contains(byte));
            if is_comment(line) && !has_break {
                continue;
            }
            let read = if has_break { Err(BROKEN) } else { read(number, line) };
            match read.map_err(|why| fault(Some(number), KeyFault::Other(why.0)))? {
                Some(line) => lines.push(line),
                None => skipped.push(number),
            }
        }
        if lines.is_empty() {
            const OTHERS: KeyFault =
                KeyFault::Other("the file has only certificate authorities and keys of other kinds");
            return Err(fault(None, if skipped.is_empty() { KeyFault::NoKey } else { OTHERS }));
        }
        Ok(Self { lines, skipped })
    }

    /// The numbers of the lines without a signer: those of certificate authorities, and of keys of other kinds.
    #[must_use]
    pub fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// The signers that the file allows for a namespace at a time, which is usually now. With a principal, only the signers
    /// whose principals match it. If a signature has the key of another line, [`Error::UnknownSigner`] names that line.
    #[must_use]
    pub fn signers(&self, principal: Option<&str>, namespace: &str, at: SystemTime) -> Signers {
        let now = match at.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            // No time of a file is before 1970.
            Err(_) => -1,
        };
        let (mut given, mut withheld) = (Vec::new(), Vec::new());
        for line in &self.lines {
            match line.find_restriction(principal, namespace, now) {
                None => given.push(line.signer.clone()),
                Some(why) => withheld.push((line.signer.clone(), why)),
            }
        }
        Signers::from_allowed(given, withheld)
    }
}

impl Line {
    /// Finds the option of the line that excludes its signer; `None` if the signer is allowed.
    fn find_restriction(&self, principal: Option<&str>, namespace: &str, now: i64) -> Option<Withheld> {
        let Options { namespaces, after, before, .. } = &self.options;
        let why =
            |restriction, time: &str| Some(Withheld::new(self.signer.line().unwrap_or_default(), restriction, time));
        if principal.is_some_and(|principal| !is_in(principal, self.signer.principals().unwrap_or_default())) {
            return why(Restriction::Principals, "");
        }
        if namespaces.as_ref().is_some_and(|namespaces| !is_in(namespace, namespaces)) {
            return why(Restriction::Namespaces, "");
        }
        if let Some(after) = after.as_ref().filter(|after| now < after.latest()) {
            return why(Restriction::From, &after.text);
        }
        let before = before.as_ref().filter(|before| now > before.earliest())?;
        why(Restriction::Until, &before.text)
    }
}

/// The fault of a line.
struct LineFault(&'static str);

/// Bytes that other programs take as the end of a line.
const BREAKS: [u8; 2] = [b'\r', 0];
const BROKEN: LineFault = LineFault("there is a carriage return or a NUL within the line");

/// Reads a line; `None` for a line without a signer.
fn read(number: usize, line: &[u8]) -> Result<Option<Line>, LineFault> {
    let text = Text::of_line(line);
    let is_cut = text.len() < line.len();
    read_signer(number, text)
        .map_err(|why| if is_cut { LineFault("the line is not UTF-8 before its comment") } else { why })
}

fn read_signer(number: usize, line: &str) -> Result<Option<Line>, LineFault> {
    let line = line.trim_matches(BLANKS);
    let (principals, rest) = split_principals(line)?;
    let (field, behind) = split_field(rest)?;
    let (options, key) = match read_options(field)? {
        Some(options) => (options, behind),
        None => (Options::default(), rest),
    };
    if let (Some(after), Some(before)) = (&options.after, &options.before)
        && after.seconds >= before.seconds
    {
        return Err(LineFault("valid-before is not after valid-after"));
    }
    let signer = Signer::of_line(key).map_err(|fault| LineFault(fault.text()))?;
    let signer = signer.filter(|_| !options.is_authority);
    Ok(signer.map(|signer| Line { signer: signer.with_line(number, principals), options }))
}

/// Splits off the principals, without quotes, from the rest of the line.
fn split_principals(line: &str) -> Result<(&str, &str), LineFault> {
    let (principals, rest) = match line.strip_prefix('"') {
        Some(quoted) => {
            let (principals, rest) = quoted
                .split_once('"')
                .ok_or(LineFault("the principals begin with a quotation mark and do not end with one"))?;
            if !rest.starts_with(BLANKS) {
                return Err(LineFault("white space and a key must follow the quoted principals"));
            }
            (principals, rest)
        }
        None => {
            let (principals, rest) = line.split_once(BLANKS).ok_or(LineFault("the line has principals and no key"))?;
            if principals.contains('"') {
                return Err(LineFault("there is a quotation mark within the principals"));
            }
            (principals, rest)
        }
    };
    let rest = rest.trim_start_matches(BLANKS);
    if principals.is_empty() || rest.is_empty() {
        return Err(LineFault("the line must have principals and a key"));
    }
    Ok((principals, rest))
}

/// Splits off the first field, which ends at a blank outside of quotes.
fn split_field(text: &str) -> Result<(&str, &str), LineFault> {
    let (mut is_quoted, mut before) = (false, '\0');
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => is_quoted = !is_quoted,
            ' ' | '\t' if !is_quoted => return Ok((&text[..at], text[at..].trim_start_matches(BLANKS))),
            _ => {}
        }
        before = c;
    }
    if is_quoted { Err(LineFault("a quotation mark is not closed")) } else { Ok((text, "")) }
}

/// The options of a line.
#[derive(Debug, Clone, Default)]
struct Options {
    is_authority: bool,
    namespaces: Option<String>,
    after: Option<Time>,
    before: Option<Time>,
}

const AUTHORITY: &str = "cert-authority";
const NAMESPACES: &str = "namespaces";
const AFTER: &str = "valid-after";
const BEFORE: &str = "valid-before";
/// The most bytes of a pattern, without its `!`.
const PATTERN_MAX_LEN: usize = 1022;

/// Reads the options of a field; `None` for a field that does not begin with an option, which is then the name of a key.
fn read_options(field: &str) -> Result<Option<Options>, LineFault> {
    let (mut options, mut rest) = (Options::default(), field);
    loop {
        let Some((name, value, behind)) = read_option(rest) else {
            let is_none = rest.len() == field.len();
            return if is_none { Ok(None) } else { Err(LineFault("an option is unknown, or has no value in quotes")) };
        };
        let is_first = match (name, value) {
            (NAMESPACES, Some(value)) => options.namespaces.replace(value).is_none(),
            (AFTER, Some(value)) => options.after.replace(Time::parse(&value)?).is_none(),
            (BEFORE, Some(value)) => options.before.replace(Time::parse(&value)?).is_none(),
            _ => {
                options.is_authority = true;
                true
            }
        };
        if !is_first {
            return Err(LineFault("an option is given twice"));
        }
        if behind.is_empty() {
            return Ok(Some(options));
        }
        rest = behind.strip_prefix(',').ok_or(LineFault("there must be a comma between options"))?;
    }
}

/// Reads the first option of a text: its name, its value, and the text behind it.
fn read_option(text: &str) -> Option<(&'static str, Option<String>, &str)> {
    let behind = |name: &str| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    };
    if let Some(rest) = behind(AUTHORITY) {
        return Some((AUTHORITY, None, rest));
    }
    let (name, rest) = [NAMESPACES, AFTER, BEFORE].into_iter().find_map(|name| Some((name, behind(name)?)))?;
    let (value, rest) = split_value(rest.strip_prefix("=\"")?)?;
    Some((name, Some(value), rest))
}

/// Splits a text at the closing quote: the value before it, without escapes, and the text behind it.
fn split_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let at = rest.find('"')?;
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        match before.strip_suffix('\\') {
            Some(before) => value.extend([before, "\""]),
            None => {
                value.push_str(before);
                return Some((value, behind));
            }
        }
        rest = behind;
    }
}

/// A time in an option.
#[derive(Debug, Clone)]
struct Time {
    text: Box<str>,
    /// Seconds since 1970, computed as for UTC.
    seconds: i64,
    is_utc: bool,
}

impl Time {
    /// Parses `YYYYMMDD`, optionally with `hhmm` or `hhmmss` behind it, and optionally with `Z` or `UTC` at the end.
    fn parse(text: &str) -> Result<Self, LineFault> {
        const WRONG: LineFault =
            LineFault("a time is not YYYYMMDD, YYYYMMDDhhmm or YYYYMMDDhhmmss of the calendar from 1970 on");
        let digits_len = text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, zone) = text.split_at(digits_len);
        let is_utc = zone.eq_ignore_ascii_case("Z") || zone.eq_ignore_ascii_case("UTC");
        if !matches!(digits_len, 8 | 12 | 14) || !(is_utc || zone.is_empty()) {
            return Err(WRONG);
        }
        let part = |from: usize, len: usize| digits.get(from..from + len).map_or(0, |part| part.parse().unwrap_or(0));
        let [year, month, day, hour, minute, second]: [i64; 6] =
            [part(0, 4), part(4, 2), part(6, 2), part(8, 2), part(10, 2), part(12, 2)];
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=12).contains(&month) || !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
            return Err(WRONG);
        }
        let seconds = days_since_1970(year, month, day) * 24 * HOUR + hour * HOUR + minute * 60 + second;
        if seconds > 0 { Ok(Self { text: text.into(), seconds, is_utc }) } else { Err(WRONG) }
    }

    /// The time in the zone where it comes last, 12 hours behind UTC.
    fn latest(&self) -> i64 {
        if self.is_utc { self.seconds } else { self.seconds + 12 * HOUR }
    }

    /// The time in the zone where it comes first, 14 hours ahead of UTC.
    fn earliest(&self) -> i64 {
        if self.is_utc { self.seconds } else { self.seconds - 14 * HOUR }
    }
}

/// The days of the Gregorian calendar since 1970; negative before it.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days_of_months = (153 * month + 2) / 5;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + days_of_months + day - 719_469
}

/// Whether a pattern of the list matches, and no pattern with `!` before it. As in ssh-keygen, no pattern matches behind one
/// that is too long.
fn is_in(text: &str, patterns: &str) -> bool {
    let mut found = false;
    for pattern in patterns.split(',') {
        if pattern.strip_prefix('!').unwrap_or(pattern).len() > PATTERN_MAX_LEN {
            return false;
        }
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(text, pattern) => return false,
            Some(_) => {}
            None => found |= matches(text, pattern),
        }
    }
    found
}

/// Matches a pattern as ssh-keygen does: `*` matches any bytes, and `?` one byte.
fn matches(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let (mut at, mut next) = (0, 0);
    // The offset behind the last `*` in the pattern, and the end of the text that it matches.
    let mut star = None;
    while at < text.len() {
        match pattern.get(next) {
            Some(b'*') => {
                next += 1;
                star = Some((next, at));
            }
            Some(c) if *c == b'?' || *c == text[at] => (at, next) = (at + 1, next + 1),
            _ => {
                let Some((behind, end)) = star else { return false };
                (at, next, star) = (end + 1, behind, Some((behind, end + 1)));
            }
        }
    }
    pattern[next..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((1970, 3, 1), 59),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2026, 11, 23), 20_780),
            ((2100, 3, 1), 47_541),
            ((9999, 12, 31), 2_932_896),
        ] {
            assert_eq!(days_since_1970(date.0, date.1, date.2), days, "{date:?}");
        }
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (text, pattern) in
            [("", ""), ("", "*"), ("ä", "??"), ("a@b.c", "*@*.c"), ("aXbXc", "a*X?"), ("aab", "*a*b")]
        {
            assert!(matches(text, pattern), "{text} {pattern}");
        }
        for (text, pattern) in
            [("", "?"), ("ä", "?"), ("a", ""), ("a", "A"), ("ab", "a"), ("a@b.d", "*@*.c"), ("ab", "*a")]
        {
            assert!(!matches(text, pattern), "{text} {pattern}");
        }
        let long = |len: usize| format!("a,{}", "x".repeat(len));
        assert!(is_in("a", &long(1022)) && !is_in("a", &long(1023)));
        // The time does not grow exponentially with the number of stars.
        assert!(!matches(&"a".repeat(200), &"*a".repeat(100).replace("a*a", "a*b")));
    }
}
