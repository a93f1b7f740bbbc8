//! Profiles: rules as data (section 1).

use super::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// The rules of envelopes: where the marker stands and what it looks like, how long the salt is and where it is, and decoys.
///
/// ```
/// use sealstone::interop::fise::Profile;
///
/// // The rules of FISE 0.1.5 for bytes, and those for text with another offset.
/// let bytes = Profile::from_json(r#"{"fise": 1, "marker": {"kind": "uint16"}}"#)?;
/// let text = Profile::from_json(r#"{"fise": 1, "offset": {"kind": "fraction"}}"#)?;
/// assert_eq!(bytes.decode(&bytes.encode(b"123", 0)?, 0)?, b"123");
/// assert_eq!(text.decode_text(&text.encode_text("123", 0)?, 0)?, "123");
/// # Ok::<(), sealstone::interop::fise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Profile {
    pub(super) fise: u8,
    pub(super) offset: Offset,
    pub(super) marker: Marker,
    pub(super) salt: Salt,
    pub(super) decoys: Decoys,
}

/// Where the marker stands in the ciphertext (section 1.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Offset {
    Linear { multiplier: u32, modulo: u32, salt_multiplier: u32 },
    Fraction { numerator: u32, denominator: u32 },
    Modulo { divisor: u32 },
    Xor,
}

/// What stands for the length of the salt (section 1.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Marker {
    Digits { alphabet: String, width: u8, prefix: String },
    Uint16,
}

/// The lengths, the units and the place of the salt (section 1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Salt {
    pub(super) min: u16,
    pub(super) max: u16,
    pub(super) alphabet: String,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Place {
    Tail,
    Head,
    Interleaved,
}

impl Place {
    pub(super) const ALL: [(&str, Self); 3] =
        [("tail", Self::Tail), ("head", Self::Head), ("interleaved", Self::Interleaved)];
}

/// How many decoys there are, and where (section 1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Decoys {
    pub(super) head: u16,
    pub(super) tail: u16,
    pub(super) every: u16,
}

/// Letters and digits.
pub(super) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
/// Shown characters.
const SHOWN: RangeInclusive<char> = ' '..='~';
const PREFIX_MAX_LEN: usize = 16;
/// Units of the longest marker.
pub(super) const MARKER_MAX_LEN: usize = PREFIX_MAX_LEN + 16;

pub(super) fn refused(why: impl Into<String>) -> Error {
    Error::Rules(why.into())
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// [`Error::Rules`], which names the member that breaks a rule of section 1.
    pub fn from_json(json: &str) -> Result<Self> {
        let value: Value =
            serde_json::from_str(json).map_err(|error| refused(format!("the profile is no JSON: {error}")))?;
        let Value::Object(members) = &value else { return Err(refused("the profile must be a JSON object")) };
        let mut top = Members::of("", members);
        if top.integer::<u8>("fise", 1..=1, None).is_err() {
            return Err(refused("the profile needs fise: 1"));
        }
        let profile = Self {
            fise: 1,
            offset: Offset::read(&mut top.object("offset")?)?,
            marker: Marker::read(&mut top.object("marker")?)?,
            salt: Salt::read(&mut top.object("salt")?)?,
            decoys: Decoys::read(&mut top.object("decoys")?)?,
        };
        top.finish()?;
        profile.check()
    }

    /// The profile as JSON, with all members.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("fise: a profile is JSON")
    }

    /// Compares the lengths of salts with the digits of a marker.
    pub(super) fn check(self) -> Result<Self> {
        if let Marker::Digits { alphabet, width, .. } = &self.marker {
            let numbers = (alphabet.len() as u64).saturating_pow(u32::from(*width));
            if numbers <= u64::from(self.salt.max) {
                return Err(refused(format!(
                    "salt.max is {}, and marker.alphabet has no number of {width} digits for it",
                    self.salt.max
                )));
            }
        }
        Ok(self)
    }
}

impl Offset {
    fn read(members: &mut Members<'_>) -> Result<Self> {
        let offset = match members.kind(&["linear", "fraction", "modulo", "xor"])? {
            0 => Self::Linear {
                multiplier: members.integer("multiplier", 0..=1 << 20, Some(7))?,
                modulo: members.integer("modulo", 1..=(1 << 31) - 1, Some(11))?,
                salt_multiplier: members.integer("salt_multiplier", 0..=1 << 20, Some(0))?,
            },
            1 => {
                let numerator = members.integer("numerator", 0..=1 << 16, Some(1))?;
                let denominator = members.integer("denominator", 1..=1 << 16, Some(2))?;
                if numerator > denominator {
                    return Err(refused("offset.numerator must not be over offset.denominator"));
                }
                Self::Fraction { numerator, denominator }
            }
            2 => Self::Modulo { divisor: members.integer("divisor", 1..=(1 << 31) - 1, Some(7))? },
            _ => Self::Xor,
        };
        members.finish()?;
        Ok(offset)
    }

    /// The offset in a ciphertext of `len` units.
    pub(super) fn of(&self, len: usize, timestamp: i64, salt_len: usize) -> usize {
        let long = i64::try_from(len.max(1)).expect("fise: a ciphertext has under 2^31 units");
        let offset = match *self {
            Self::Linear { multiplier, modulo, salt_multiplier } => {
                let salt = i64::try_from(salt_len).expect("fise: a salt is short");
                (i64::from(multiplier) * long + timestamp % i64::from(modulo) + i64::from(salt_multiplier) * salt)
                    % long
            }
            Self::Fraction { numerator, denominator } => i64::from(numerator) * long / i64::from(denominator),
            Self::Modulo { divisor } => long % i64::from(divisor),
            Self::Xor => i64::from(low_word(long) ^ low_word(timestamp)) % long,
        };
        usize::try_from(offset).unwrap_or(0).min(len)
    }
}

/// The 32-bit integer that equals a number modulo 2^32.
#[expect(clippy::cast_possible_truncation, reason = "this is what it does")]
fn low_word(number: i64) -> i32 {
    number as i32
}

impl Marker {
    fn read(members: &mut Members<'_>) -> Result<Self> {
        let marker = match members.kind(&["digits", "uint16"])? {
            0 => Self::Digits {
                alphabet: members.alphabet("alphabet", DIGITS)?,
                width: members.integer("width", 1..=16, Some(2))?,
                prefix: members.prefix("prefix")?,
            },
            _ => Self::Uint16,
        };
        members.finish()?;
        Ok(marker)
    }

    /// The number of units of every marker.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Digits { width, prefix, .. } => prefix.len() + usize::from(*width),
            Self::Uint16 => 2,
        }
    }

    /// Writes the marker of a length, which has these units.
    pub(super) fn write(&self, salt_len: usize, units: &mut [u8]) {
        match self {
            Self::Digits { alphabet, prefix, .. } => {
                let (before, digits) = units.split_at_mut(prefix.len());
                before.copy_from_slice(prefix.as_bytes());
                let mut left = salt_len;
                for digit in digits.iter_mut().rev() {
                    *digit = alphabet.as_bytes()[left % alphabet.len()];
                    left /= alphabet.len();
                }
            }
            Self::Uint16 => {
                let number = u16::try_from(salt_len).expect("fise: a salt has at most 65,535 units");
                units.copy_from_slice(&number.to_be_bytes());
            }
        }
    }
}

impl Salt {
    fn read(members: &mut Members<'_>) -> Result<Self> {
        let salt = Self {
            min: members.integer("min", 1..=65_535, Some(10))?,
            max: members.integer("max", 1..=65_535, Some(99))?,
            alphabet: members.alphabet("alphabet", ALNUM)?,
            place: Place::ALL[members.word("place", &Place::ALL.map(|(name, _)| name))?].1,
        };
        members.finish()?;
        if salt.min > salt.max {
            return Err(refused("salt.min must not be over salt.max"));
        }
        Ok(salt)
    }
}

impl Decoys {
    fn read(members: &mut Members<'_>) -> Result<Self> {
        let decoys = Self {
            head: members.integer("head", 0..=65_535, Some(0))?,
            tail: members.integer("tail", 0..=65_535, Some(0))?,
            every: members.integer("every", 0..=65_535, Some(0))?,
        };
        members.finish()?;
        Ok(decoys)
    }
}

/// The members of an object, each of which is read once.
struct Members<'v> {
    name: &'static str,
    /// `None` if the object is absent.
    object: Option<&'v Map<String, Value>>,
    read: Vec<&'static str>,
}

impl<'v> Members<'v> {
    fn of(name: &'static str, object: &'v Map<String, Value>) -> Self {
        Self { name, object: Some(object), read: Vec::new() }
    }

    fn get(&mut self, member: &'static str) -> Option<&'v Value> {
        self.read.push(member);
        self.object?.get(member)
    }

    fn refused(&self, member: &str, what: &str) -> Error {
        let dot = if self.name.is_empty() { "" } else { "." };
        refused(format!("{}{dot}{member} must be {what}", self.name))
    }

    fn object(&mut self, member: &'static str) -> Result<Self> {
        match self.get(member) {
            None => Ok(Self { name: member, object: None, read: Vec::new() }),
            Some(Value::Object(object)) => Ok(Self::of(member, object)),
            Some(_) => Err(self.refused(member, "an object")),
        }
    }

    fn text(&mut self, member: &'static str, what: &str) -> Result<Option<&'v str>> {
        match self.get(member) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.refused(member, what)),
        }
    }

    /// The position of a word in a list, of which the first is the default.
    fn word(&mut self, member: &'static str, words: &[&str]) -> Result<usize> {
        let what = format!("one of {}", words.join(", "));
        let Some(text) = self.text(member, &what)? else { return Ok(0) };
        words.iter().position(|word| *word == text).ok_or_else(|| self.refused(member, &what))
    }

    fn kind(&mut self, kinds: &[&str]) -> Result<usize> {
        self.word("kind", kinds)
    }

    /// An integer. Without a default it must be there.
    fn integer<T: TryFrom<i64>>(
        &mut self,
        member: &'static str,
        range: RangeInclusive<i64>,
        default: Option<T>,
    ) -> Result<T> {
        let what = format!("an integer from {} to {}", range.start(), range.end());
        let number = match (self.get(member), default) {
            (None, Some(default)) => return Ok(default),
            (Some(Value::Number(number)), _) => integer_of(number),
            _ => None,
        };
        let number = number.filter(|number| range.contains(number)).and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.refused(member, &what))
    }

    fn alphabet(&mut self, member: &'static str, default: &str) -> Result<String> {
        let what = "2 to 95 different characters of ASCII that are shown";
        let Some(text) = self.text(member, what)? else { return Ok(default.to_owned()) };
        let is_new = |at: usize, c: char| !text[..at].contains(c);
        let is_sound = text.len() >= 2 && text.char_indices().all(|(at, c)| SHOWN.contains(&c) && is_new(at, c));
        if is_sound { Ok(text.to_owned()) } else { Err(self.refused(member, what)) }
    }

    fn prefix(&mut self, member: &'static str) -> Result<String> {
        let what = "at most 16 characters of ASCII that are shown";
        let text = self.text(member, what)?.unwrap_or_default();
        let is_sound = text.len() <= PREFIX_MAX_LEN && text.chars().all(|c| SHOWN.contains(&c));
        if is_sound { Ok(text.to_owned()) } else { Err(self.refused(member, what)) }
    }

    /// Refuses members that were not read.
    fn finish(&self) -> Result<()> {
        let unknown = self.object.and_then(|object| object.keys().find(|name| !self.read.contains(&name.as_str())));
        let Some(unknown) = unknown else { return Ok(()) };
        let place = if self.name.is_empty() { "the profile" } else { self.name };
        Err(refused(format!("{place} has an unknown member {unknown:?}")))
    }
}

/// The value of a JSON number that is an integer, in whatever form.
fn integer_of(number: &serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        // All members are smaller.
        let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() <= f64::from(u32::MAX))?;
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer below 2^32")]
        Some(value as i64)
    })
}
