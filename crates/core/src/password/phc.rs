//! Stored passwords as text: PHC strings, and the strings of passlib and bcrypt.

use crate::error::{Error, Result};
use crate::hash::Algorithm;
use crate::kdf::{Cost, Variant};
use base64ct::{Base64Bcrypt, Base64Unpadded, Encoding as _};
use zeroize::Zeroizing;

/// The content of a string.
pub(super) struct Stored {
    pub(super) scheme: Scheme,
    pub(super) salt: Vec<u8>,
    /// Associated data of Argon2, an input of the hash.
    pub(super) data: Vec<u8>,
    /// The hash of the password.
    pub(super) hash: Zeroizing<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Kdf(Cost),
    Bcrypt { log_rounds: u8 },
}

/// Maximum length of a string of any scheme.
const TEXT_MAX_LEN: usize = 384;
const SALT_LENS: std::ops::RangeInclusive<usize> = 1..=64;
/// Maximum length of associated data. The PHC specification allows 32 bytes, but the npm package `argon2` writes any length
/// that it is given, such as the 36 bytes of a UUID.
const DATA_MAX_LEN: usize = 64;
/// Maximum length of the `keyid=` of PHC strings.
const KEY_ID_MAX_LEN: usize = 8;
/// Lengths of a hash: a shorter one could be guessed.
const HASH_LENS: std::ops::RangeInclusive<usize> = 10..=64;

const NAMES: &str = "argon2d, argon2i, argon2id, scrypt, pbkdf2-HASH, 2a, 2b, 2y";

impl Stored {
    /// Formats it in its only canonical form; [`parse`](Self::parse) returns the same content.
    pub(super) fn to_text(&self) -> String {
        let [salt, hash] = [&self.salt[..], &self.hash].map(Base64Unpadded::encode_string);
        let head = match self.scheme {
            Scheme::Kdf(Cost::Argon2 { variant, memory_kib, passes, lanes }) => {
                let data = match &self.data[..] {
                    [] => String::new(),
                    data => format!(",data={}", Base64Unpadded::encode_string(data)),
                };
                format!("{}$v=19$m={memory_kib},t={passes},p={lanes}{data}", variant_name(variant))
            }
            Scheme::Kdf(Cost::Scrypt { log_n, r, p }) => format!("scrypt$ln={log_n},r={r},p={p}"),
            Scheme::Kdf(Cost::Pbkdf2 { hash, iterations }) => {
                format!("pbkdf2-{hash}$i={iterations},l={}", self.hash.len())
            }
            Scheme::Bcrypt { log_rounds } => {
                let [salt, hash] = [&self.salt[..], &self.hash].map(Base64Bcrypt::encode_string);
                return format!("$2b${log_rounds:02}${salt}{hash}");
            }
        };
        format!("${head}${salt}${hash}")
    }

    /// Parses a string.
    ///
    /// # Errors
    /// [`Error::UnknownAlgorithm`]; [`Error::InvalidEncoding`].
    pub(super) fn parse(text: &str) -> Result<Self> {
        if text.len() > TEXT_MAX_LEN {
            return Err(Error::InvalidEncoding("it is longer than any stored password"));
        }
        let fields: Vec<&str> = text.strip_prefix('$').ok_or(SHAPE)?.split('$').collect();
        match *fields {
            [id @ ("argon2d" | "argon2i" | "argon2id"), version, parameters, salt, hash] => {
                if version != "v=19" {
                    return Err(Error::InvalidEncoding("only version 1.3 of Argon2, v=19, is supported"));
                }
                let mut parameters = Parameters::parse(parameters)?;
                let [memory_kib, passes, lanes] = parameters.numbers(["m", "t", "p"])?;
                let key_id = parameters.bytes("keyid", KEY_ID_MAX_LEN)?;
                let data = parameters.bytes("data", DATA_MAX_LEN)?;
                parameters.end()?;
                if !key_id.is_empty() {
                    return Err(KEYED);
                }
                let variant =
                    [Variant::D, Variant::I, Variant::Id].into_iter().find(|variant| variant_name(*variant) == id);
                let variant = variant.expect("phc: the name is one of them");
                Ok(Self { data, ..Self::new(Cost::Argon2 { variant, memory_kib, passes, lanes }, salt, hash)? })
            }
            ["scrypt", parameters, salt, hash] => {
                let [log_n, r, p] = Parameters::parse(parameters)?.only(["ln", "r", "p"])?;
                let log_n = u8::try_from(log_n).map_err(|_| NUMBER)?;
                Self::new(Cost::Scrypt { log_n, r, p }, salt, hash)
            }
            [id, parameters, salt, hash] if id.starts_with("pbkdf2") => {
                // passlib's name for SHA-1.
                let name = if id == "pbkdf2" { "sha1" } else { id.strip_prefix("pbkdf2-").ok_or(UNKNOWN)? };
                let over = name.parse::<Algorithm>().map_err(|_| UNKNOWN)?;
                if parameters.starts_with(|first: char| first.is_ascii_digit()) {
                    // passlib writes a full stop instead of the plus sign of Base64.
                    if salt.contains('+') || hash.contains('+') {
                        return Err(BASE64);
                    }
                    let cost = Cost::Pbkdf2 { hash: over, iterations: number(parameters)? };
                    return Self::new(cost, &salt.replace('.', "+"), &Zeroizing::new(hash.replace('.', "+")));
                }
                let [iterations, len] = Parameters::parse(parameters)?.only(["i", "l"])?;
                let stored = Self::new(Cost::Pbkdf2 { hash: over, iterations }, salt, hash)?;
                if stored.hash.len() as u64 != u64::from(len) {
                    return Err(Error::InvalidEncoding("the hash is not as long as l= says"));
                }
                Ok(stored)
            }
            ["2a" | "2b" | "2y", rounds, salted] => {
                let is_long = rounds.len() == 2 && salted.len() == 22 + 31 && salted.is_ascii();
                if !is_long || !rounds.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(SHAPE);
                }
                let log_rounds = rounds.parse().map_err(|_| NUMBER)?;
                let (salt, hash) = salted.split_at(22);
                let salt = Base64Bcrypt::decode_vec(salt).map_err(|_| BASE64)?;
                let hash = Zeroizing::new(Base64Bcrypt::decode_vec(hash).map_err(|_| BASE64)?);
                Ok(Self { scheme: Scheme::Bcrypt { log_rounds }, salt, data: Vec::new(), hash })
            }
            ["argon2d" | "argon2i" | "argon2id" | "scrypt" | "2a" | "2b" | "2y", ..] => Err(SHAPE),
            [id, ..] if id.starts_with("pbkdf2") => Err(SHAPE),
            _ => Err(UNKNOWN),
        }
    }

    fn new(cost: Cost, salt: &str, hash: &str) -> Result<Self> {
        let salt = Base64Unpadded::decode_vec(salt).map_err(|_| BASE64)?;
        let hash = Zeroizing::new(Base64Unpadded::decode_vec(hash).map_err(|_| BASE64)?);
        if !SALT_LENS.contains(&salt.len()) || !HASH_LENS.contains(&hash.len()) {
            return Err(Error::InvalidEncoding("a salt must have 1 to 64 bytes, and a hash 10 to 64"));
        }
        Ok(Self { scheme: Scheme::Kdf(cost), salt, data: Vec::new(), hash })
    }
}

const SHAPE: Error = Error::InvalidEncoding("it does not have the parts of a stored password");
const NUMBER: Error = Error::InvalidEncoding("a cost is not a number, is too large or begins with a zero");
const BASE64: Error = Error::InvalidEncoding("the salt or the hash is not Base64 without padding");
const BYTES: Error =
    Error::InvalidEncoding("data= is at most 64 bytes in Base64 without padding, and keyid= at most 8");
const LEFT_OVER: Error = Error::InvalidEncoding("a parameter is given twice, or does not belong to the scheme");
const KEYED: Error =
    Error::InvalidEncoding("the hash was made with a secret key, which keyid= names and verification does not have");
const UNKNOWN: Error = Error::UnknownAlgorithm { given: None, known: NAMES };

fn variant_name(variant: Variant) -> &'static str {
    match variant {
        Variant::D => "argon2d",
        Variant::I => "argon2i",
        Variant::Id => "argon2id",
    }
}

/// Parameters in any order, as names and values.
struct Parameters<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Parameters<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let pairs = text.split(',').map(|part| part.split_once('='));
        pairs.collect::<Option<_>>().map(Self).ok_or(SHAPE)
    }

    fn take(&mut self, name: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(found, _)| *found == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Takes required numeric parameters.
    fn numbers<const N: usize>(&mut self, names: [&str; N]) -> Result<[u32; N]> {
        let mut numbers = [0; N];
        for (into, name) in numbers.iter_mut().zip(names) {
            *into = number(self.take(name).ok_or(SHAPE)?)?;
        }
        Ok(numbers)
    }

    /// Takes an optional parameter in Base64, empty if absent.
    fn bytes(&mut self, name: &str, most: usize) -> Result<Vec<u8>> {
        let bytes = Base64Unpadded::decode_vec(self.take(name).unwrap_or_default());
        bytes.ok().filter(|bytes| bytes.len() <= most).ok_or(BYTES)
    }

    /// Parses numeric parameters with exactly these names.
    fn only<const N: usize>(mut self, names: [&str; N]) -> Result<[u32; N]> {
        let numbers = self.numbers(names)?;
        self.end()?;
        Ok(numbers)
    }

    /// Checks that no parameters are left. A duplicate of one that was taken is left over too.
    fn end(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(LEFT_OVER) }
    }
}

/// Parses a number of digits only, without leading zeros: `str::parse` would accept a plus sign.
fn number(digits: &str) -> Result<u32> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(NUMBER);
    }
    digits.parse().map_err(|_| NUMBER)
}
