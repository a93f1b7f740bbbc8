//! Randomness, only from the system: bytes, numbers, UUIDs, passwords and passphrases.
//!
//! ```
//! use sealstone::random;
//! use std::num::NonZero;
//!
//! let die = random::below(NonZero::new(6).unwrap())? + 1;
//! assert!((1..=6).contains(&die));
//! let password = random::text("abcdefghijkmnpqrstuvwxyz23456789", 20)?;
//! assert_eq!(password.len(), 20);
//! assert!(random::entropy_bits(32, 20) == 100.0);
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! Drawn characters and words index a list, so constant time is not claimed for passwords and passphrases.

// No random number is reduced with a modulo, which would favour small numbers. `bindings/js/src/api/random.ts` has the same
// functions in TypeScript: change both.

use crate::error::{Error, Result};
use std::collections::HashSet;
use std::num::NonZero;
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// The most characters or words of one text.
pub const TEXT_MAX_LEN: usize = 1 << 16;

/// The default alphabet of passwords: letters and digits without those that look alike (0 and O, 1, I and l). Each character
/// has 5.8 bits.
pub const PASSWORD_ALPHABET: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";

/// The default number of characters of a password: 116 bits.
pub const PASSWORD_LEN: usize = 20;

/// The default number of words of a passphrase: 77 bits with [`EFF_WORDS`].
pub const PASSPHRASE_WORDS: usize = 6;

/// Fills `out` from the system's generator.
///
/// ```
/// let mut token = [0; 16];
/// sealstone::random::fill(&mut token)?;
/// assert_ne!(token, [0; 16]);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoRandomness`] when the system refuses; nothing weaker is used instead.
pub fn fill(out: &mut [u8]) -> Result<()> {
    #[cfg(target_os = "linux")]
    if fill_by_syscall(out).is_ok() {
        return Ok(());
    }
    ::getrandom::fill(out).map_err(|_| Error::NoRandomness)
}

/// Fills `out` with Linux's system call. The crate `getrandom` looks for the call in the C library at run time. A statically
/// linked program does not find it, and would read a device, which a chroot may lack. So `getrandom` is only for kernels before
/// 3.17, and for sandboxes that forbid the call.
#[cfg(target_os = "linux")]
fn fill_by_syscall(mut out: &mut [u8]) -> rustix::io::Result<()> {
    while !out.is_empty() {
        // A signal may interrupt a call for over 256 bytes, and a wait for the first randomness.
        match rustix::rand::getrandom(&mut *out, rustix::rand::GetRandomFlags::empty()) {
            Ok(len) => out = &mut out[len..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Checks that the system has randomness, for a library that draws itself and ends the process if there is none.
pub(crate) fn ask() -> Result<()> {
    // A call for no bytes takes a third of the time of drawing 32 bytes.
    #[cfg(target_os = "linux")]
    if rustix::rand::getrandom(&mut [0_u8; 0], rustix::rand::GetRandomFlags::empty()).is_ok() {
        return Ok(());
    }
    array::<1>().map(drop)
}

/// An array of fresh random bytes.
pub(crate) fn array<const N: usize>() -> Result<[u8; N]> {
    let mut out = [0; N];
    fill(&mut out)?;
    Ok(out)
}

/// A random key of `len` bytes.
pub(crate) fn key(len: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut key = Zeroizing::new(vec![0; len]);
    fill(&mut key)?;
    Ok(key)
}

/// A number below `n`, uniformly distributed.
///
/// ```
/// use std::num::NonZero;
///
/// assert_eq!(sealstone::random::below(NonZero::<u64>::MIN)?, 0);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn below(n: NonZero<u64>) -> Result<u64> {
    // Lemire, Fast random integer generation in an interval (2019), section 4: the upper half of the product is the number.
    // Products with a lower half below this threshold are rejected, so that the same number of products is left for each
    // number.
    let threshold = n.get().wrapping_neg() % n;
    loop {
        let product = u128::from(u64::from_ne_bytes(array()?)) * u128::from(n.get());
        if product & u128::from(u64::MAX) >= u128::from(threshold) {
            return Ok((product >> 64) as u64);
        }
    }
}

/// A random UUID (RFC 9562 section 5.4) with 122 random bits.
///
/// ```
/// use sealstone::random::{uuid_text, uuid_v4};
///
/// let text = uuid_text(&uuid_v4()?);
/// assert_eq!((text.len(), &text[14..15]), (36, "4"));
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn uuid_v4() -> Result<[u8; 16]> {
    Ok(set_version(4, array()?))
}

/// A UUID that begins with the time (RFC 9562 section 5.7): the lowest 48 bits of the milliseconds since 1970 without leap
/// seconds. The other 74 bits are random, so UUIDs of the same millisecond have no order.
///
/// ```
/// use sealstone::random::{uuid_text, uuid_v7};
///
/// assert!(uuid_text(&uuid_v7(1_645_557_742_000)?).starts_with("017f22e2-79b0-7"));
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoRandomness`].
pub fn uuid_v7(unix_ms: u64) -> Result<[u8; 16]> {
    let mut bytes = array()?;
    bytes[..6].copy_from_slice(&unix_ms.to_be_bytes()[2..]);
    Ok(set_version(7, bytes))
}

/// Sets the bits of variant and version (RFC 9562 sections 4.1 and 4.2).
fn set_version(version: u8, mut bytes: [u8; 16]) -> [u8; 16] {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

/// A UUID as text: 36 characters, with hyphens and in lower case.
///
/// ```
/// let uuid = [0x91, 0x91, 8, 0xf7, 0x52, 0xd1, 0x43, 0x20, 0x9b, 0xac, 0xf8, 0x47, 0xdb, 0x41, 0x48, 0xa8];
/// assert_eq!(sealstone::random::uuid_text(&uuid), "919108f7-52d1-4320-9bac-f847db4148a8");
/// ```
#[must_use]
pub fn uuid_text(uuid: &[u8; 16]) -> String {
    let digits = base16ct::lower::encode_string(uuid);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Draws `len` characters of an alphabet, each with the same probability, for example a password. Zeroed on drop.
///
/// ```
/// let pin = sealstone::random::text("0123456789", 6)?;
/// assert!(pin.parse::<u32>().is_ok());
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidEncoding`] for an alphabet of fewer than two characters, or with a repeated one; [`Error::TooLong`] for over
/// [`TEXT_MAX_LEN`] characters; [`Error::NoRandomness`].
pub fn text(alphabet: &str, len: usize) -> Result<Zeroizing<String>> {
    let characters: Vec<char> = alphabet.chars().collect();
    let choices = count_choices(&characters)?;
    let mut text = with_capacity(len, char::MAX.len_utf8())?;
    for _ in 0..len {
        text.push(characters[draw_index(choices)?]);
    }
    Ok(text)
}

/// Draws `count` words of a list, each with the same probability, and joins them with a separator. Zeroed on drop.
///
/// ```
/// use sealstone::random::{EFF_WORDS, entropy_bits, words};
///
/// let passphrase = words(&EFF_WORDS, 6, "-")?;
/// assert!(passphrase.len() >= 6 * 3 + 5);
/// assert!(entropy_bits(EFF_WORDS.len(), 6) > 77.0);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidEncoding`] for a list of fewer than two words, or with a repeated one; [`Error::TooLong`] for over
/// [`TEXT_MAX_LEN`] words; [`Error::NoRandomness`].
pub fn words(list: &[&str], count: usize, separator: &str) -> Result<Zeroizing<String>> {
    let choices = count_choices(list)?;
    let longest = list.iter().map(|word| word.len()).max().unwrap_or(0);
    let mut text = with_capacity(count, longest + separator.len())?;
    for at in 0..count {
        text.push_str(if at == 0 { "" } else { separator });
        text.push_str(list[draw_index(choices)?]);
    }
    Ok(text)
}

/// The entropy, in bits, of `count` draws from `choices` characters or words.
///
/// ```
/// assert!((sealstone::random::entropy_bits(62, 20) - 119.08).abs() < 0.01);
/// ```
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "neither is near 2^52")]
pub fn entropy_bits(choices: usize, count: usize) -> f64 {
    count as f64 * (choices as f64).log2()
}

/// The EFF's large word list: 7,776 words of 3 to 9 letters, 12.9 bits each. `words/eff_large.txt` names its source and
/// licence.
///
/// ```
/// use sealstone::random::EFF_WORDS;
///
/// assert_eq!((EFF_WORDS[0], EFF_WORDS[7775]), ("abacus", "zoom"));
/// ```
pub static EFF_WORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../words/eff_large.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// The number of members of a list. Checks that there are at least two, and that none is repeated.
fn count_choices<T: std::hash::Hash + Eq>(list: &[T]) -> Result<NonZero<u64>> {
    let is_twice = list.iter().collect::<HashSet<_>>().len() < list.len();
    match NonZero::new(list.len() as u64) {
        Some(choices) if !is_twice && list.len() > 1 => Ok(choices),
        _ => Err(Error::InvalidEncoding(
            "an alphabet or a list to draw from must have at least two members, and none of them twice",
        )),
    }
}

/// Draws an index below `choices`.
fn draw_index(choices: NonZero<u64>) -> Result<usize> {
    Ok(usize::try_from(below(choices)?).expect("random: a list fits in memory"))
}

/// An empty text with enough capacity for `count` items, so that no growth leaves a copy behind.
fn with_capacity(count: usize, longest: usize) -> Result<Zeroizing<String>> {
    if count > TEXT_MAX_LEN { Err(Error::TooLong) } else { Ok(Zeroizing::new(String::with_capacity(count * longest))) }
}
