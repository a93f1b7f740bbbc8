//! Records of an extended header (section 3.2), and the decimal numbers in them.

use super::{SECOND, Time};
use std::collections::BTreeMap;

/// Bytes of the records of the longest extended header.
pub(super) const RECORDS_MAX_LEN: usize = 1 << 20;

/// The keys that a reader takes, in the order in which a writer writes them. Attributes follow.
const KEYS: [&str; 13] = [
    "hdrcharset",
    "path",
    "linkpath",
    "size",
    "mtime",
    "uid",
    "gid",
    "uname",
    "gname",
    "GNU.sparse.major",
    "GNU.sparse.minor",
    "GNU.sparse.name",
    "GNU.sparse.realsize",
];
pub(super) const CHARSET: usize = 0;
pub(super) const PATH: usize = 1;
pub(super) const LINK: usize = 2;
pub(super) const SIZE: usize = 3;
pub(super) const MODIFIED: usize = 4;
pub(super) const USER: usize = 5;
pub(super) const GROUP: usize = 6;
pub(super) const USER_NAME: usize = 7;
pub(super) const GROUP_NAME: usize = 8;
pub(super) const SPARSE_MAJOR: usize = 9;
pub(super) const SPARSE_MINOR: usize = 10;
pub(super) const SPARSE_NAME: usize = 11;
pub(super) const SPARSE_SIZE: usize = 12;

const ATTRIBUTE: &[u8] = b"SCHILY.xattr.";
const SPARSE: &[u8] = b"GNU.sparse.";
/// Digits of the length of a record in an extended header: 2^20 has 7, and the reader has room to spare.
const LENGTH_MAX_DIGITS: usize = 10;
/// Digits of the greatest integer of 64 bits.
const DIGITS_MAX: usize = 20;
/// Digits of the greatest time, in seconds.
const SECONDS_MAX_DIGITS: usize = 19;
const FRACTION_MAX_DIGITS: usize = 9;

/// The records that a reader takes.
#[derive(Debug, Default)]
pub(super) struct Records<'a> {
    values: [Option<&'a [u8]>; KEYS.len()],
    pub(super) attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Whether another form of sparse files is used.
    pub(super) is_other_sparse: bool,
}

impl<'a> Records<'a> {
    pub(super) fn get(&self, key: usize) -> Option<&'a [u8]> {
        self.values[key]
    }

    /// Parses the records of an extended header.
    pub(super) fn parse(mut bytes: &'a [u8]) -> Result<Self, &'static str> {
        const SYNTAX: &str = "a record breaks the syntax of pax (archive section 3.2)";
        const TWICE: &str = "a record comes twice (archive section 3.2)";
        let mut records = Self::default();
        while !bytes.is_empty() {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_length = digits <= LENGTH_MAX_DIGITS && bytes.get(digits) == Some(&b' ');
            let len = decimal(&bytes[..digits]).filter(|_| is_length).and_then(|len| usize::try_from(len).ok());
            let (record, rest) = len.and_then(|len| bytes.split_at_checked(len)).ok_or(SYNTAX)?;
            let body = record.get(digits + 1..).and_then(|body| body.strip_suffix(b"\n")).ok_or(SYNTAX)?;
            let equals = body.iter().position(|byte| *byte == b'=').filter(|at| *at > 0).ok_or(SYNTAX)?;
            let (key, value) = (&body[..equals], &body[equals + 1..]);
            if let Some(at) = KEYS.iter().position(|known| known.as_bytes() == key) {
                if records.values[at].replace(value).is_some() {
                    return Err(TWICE);
                }
            } else if let Some(name) = key.strip_prefix(ATTRIBUTE).filter(|name| !name.is_empty())
                && records.attributes.insert(name.to_vec(), value.to_vec()).is_some()
            {
                return Err(TWICE);
            } else {
                records.is_other_sparse |= key.starts_with(SPARSE);
            }
            bytes = rest;
        }
        Ok(records)
    }
}

/// Appends a record of one of the keys.
pub(super) fn put(out: &mut Vec<u8>, key: usize, value: &[u8]) {
    put_record(out, &[KEYS[key].as_bytes(), b"=", value]);
}

/// Appends a record of a number.
pub(super) fn put_decimal(out: &mut Vec<u8>, key: usize, value: u64) {
    put(out, key, Digits::of(value).as_bytes());
}

/// Appends the record of an attribute.
pub(super) fn put_attribute(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    put_record(out, &[ATTRIBUTE, name, b"=", value]);
}

fn put_record(out: &mut Vec<u8>, parts: &[&[u8]]) {
    // The space and the line feed.
    let body_len = parts.iter().map(|part| part.len() as u64).sum::<u64>() + 2;
    // The length counts its own digits.
    let mut len = body_len + Digits::of(body_len).as_bytes().len() as u64;
    len = body_len + Digits::of(len).as_bytes().len() as u64;
    out.extend_from_slice(Digits::of(len).as_bytes());
    out.push(b' ');
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\n');
}

/// Decimal digits of a number.
pub(super) struct Digits {
    digits: [u8; DIGITS_MAX],
    begin: usize,
}

impl Digits {
    pub(super) fn of(mut value: u64) -> Self {
        let (mut digits, mut begin) = ([0; DIGITS_MAX], DIGITS_MAX);
        loop {
            begin -= 1;
            digits[begin] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                return Self { digits, begin };
            }
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.digits[self.begin..]
    }
}

/// A number without leading zeros.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > DIGITS_MAX || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Appends the record of a modification time.
pub(super) fn put_time(out: &mut Vec<u8>, time: Time) {
    // -1.25 is 2 seconds before 1970, and 0.75.
    let (whole, nanoseconds) = match time {
        Time { seconds: 0.., nanoseconds } => (time.seconds.unsigned_abs(), nanoseconds),
        Time { nanoseconds: 0, .. } => (time.seconds.unsigned_abs(), 0),
        Time { seconds, nanoseconds } => ((seconds + 1).unsigned_abs(), SECOND - nanoseconds),
    };
    let sign: &[u8] = if time.seconds < 0 { b"-" } else { b"" };
    // The first digit only keeps the zeros behind it.
    let fraction = Digits::of(u64::from(SECOND + nanoseconds));
    let fraction = &fraction.as_bytes()[1..];
    let len = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    let period: &[u8] = if len > 0 { b"." } else { b"" };
    let key = KEYS[MODIFIED].as_bytes();
    put_record(out, &[key, b"=", sign, Digits::of(whole).as_bytes(), period, &fraction[..len]]);
}

/// Parses the value of a record of a modification time.
pub(super) fn time(text: &[u8]) -> Option<Time> {
    let (is_negative, text) = text.strip_prefix(b"-").map_or((false, text), |text| (true, text));
    let period = text.iter().position(|byte| *byte == b'.');
    let whole = &text[..period.unwrap_or(text.len())];
    let nanoseconds = match period.map(|at| &text[at + 1..]) {
        None => 0,
        Some(fraction) if (1..=FRACTION_MAX_DIGITS).contains(&fraction.len()) => {
            let mut digits = [b'0'; FRACTION_MAX_DIGITS];
            digits[..fraction.len()].copy_from_slice(fraction);
            // Nine digits fit in 32 bits.
            digits
                .iter()
                .try_fold(0, |value, digit| digit.is_ascii_digit().then(|| value * 10 + u32::from(digit - b'0')))?
        }
        Some(_) => return None,
    };
    if whole.len() > SECONDS_MAX_DIGITS {
        return None;
    }
    let whole = i128::from(decimal(whole)?);
    let (seconds, nanoseconds) = match (is_negative, nanoseconds) {
        (false, _) => (whole, nanoseconds),
        (true, 0) => (-whole, 0),
        (true, _) => (-whole - 1, SECOND - nanoseconds),
    };
    Some(Time { seconds: seconds.try_into().ok()?, nanoseconds })
}
