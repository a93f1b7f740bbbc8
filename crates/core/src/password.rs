//! Passphrases, and what turns them into keys: Argon2id (RFC 9106), PBKDF2 (RFC 8018) and scrypt (RFC 7914).

use crate::argon2::{self, Input, Variant};
use crate::error::{Error, Result};
use crate::hash::SM3_LEN;
use crate::mac::HmacSm3;
use crate::provider::{self, pbkdf2_hmac};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Most bytes of a passphrase, as UTF-8 in NFC.
const PASSPHRASE_MAX_LEN: usize = 1024;

/// A passphrase: 1 to 1,024 bytes of UTF-8, held in Unicode normalization form C, so that the same characters typed
/// on two systems are the same passphrase (format section 4).
///
/// It is zeroed on drop and never printed.
///
/// ```
/// use sealstone::Passphrase;
///
/// assert!(Passphrase::new("correct horse battery staple").is_ok());
/// assert_eq!(Passphrase::new("").unwrap_err().code(), "invalid_passphrase");
/// ```
#[derive(Clone)]
pub struct Passphrase {
    text: Zeroizing<String>,
    /// Copies share them.
    known: Arc<Vec<(Derivation, Zeroizing<Vec<u8>>)>>,
}

impl Passphrase {
    /// Normalises and checks a passphrase.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] when it is empty or over 1,024 bytes.
    pub fn new(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::InvalidPassphrase("it is empty"));
        }
        // Checked before the normalization too, which could be made to work on any amount of text.
        if text.len() > 4 * PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        // Reserved for the longest expansion of NFC (3 times in UTF-8), so that no copy is left behind by growth.
        let mut normal = Zeroizing::new(String::with_capacity(3 * text.len()));
        #[cfg(not(sealstone_host_normalizes))]
        normal.extend(unicode_normalization::UnicodeNormalization::nfc(text));
        // What JavaScript has in its engine is a third of a module (docs/design/wasm.md): it gives text that is normalized.
        #[cfg(sealstone_host_normalizes)]
        normal.push_str(text);
        if normal.len() > PASSPHRASE_MAX_LEN {
            return Err(Error::InvalidPassphrase("it is longer than 1024 bytes"));
        }
        Ok(Self { text: normal, known: Arc::default() })
    }

    /// As [`new`](Self::new), from bytes that must be well-formed UTF-8.
    ///
    /// # Errors
    /// [`Error::InvalidPassphrase`] also when the bytes are not UTF-8.
    pub fn from_utf8(bytes: &[u8]) -> Result<Self> {
        Self::new(std::str::from_utf8(bytes).map_err(|_| Error::InvalidPassphrase("it is not UTF-8 text"))?)
    }

    /// Lets it know a key that PBKDF2 makes of it, which [`derivations`](crate::derivations) has asked for: that is not computed
    /// again. A wrong one opens nothing.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn know(&mut self, derivation: Derivation, key: &[u8]) -> Result<()> {
        if key.len() != derivation.len {
            return Err(Error::WrongLength { what: "the derived key", expected: derivation.len, actual: key.len() });
        }
        Arc::make_mut(&mut self.known).push((derivation, Zeroizing::new(key.to_vec())));
        Ok(())
    }

    pub(crate) fn known(&self, derivation: &Derivation) -> Option<&[u8]> {
        self.known.iter().find(|(known, _)| known == derivation).map(|(_, key)| &key[..])
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

/// What PBKDF2 makes a key of, beside the passphrase (RFC 8018 section 5.2), with HMAC over SHA-1 or SHA-2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// Which SHA: 1, 256, 384 or 512.
    pub sha: u32,
    /// The salt.
    pub salt: Vec<u8>,
    /// How often HMAC is computed for each block of the key; at least once.
    pub iterations: u32,
    /// Bytes of the key.
    pub len: usize,
}

/// The most that readers accept (format section 4.10), and for scrypt as much work as Argon2id's.
pub(crate) const ARGON2ID_MAX: argon2::Cost = argon2::Cost { memory_kib: 1024 * 1024, passes: 16, lanes: 16 };
pub(crate) const ITERATIONS_MAX: u32 = 10_000_000;
pub(crate) const SCRYPT_MEMORY_MAX: u64 = 1 << 30;
pub(crate) const SCRYPT_LANES_MAX: u64 = 16;

/// What turning a passphrase into a key takes, as a part of the most that is accepted for one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work(
    /// In units of which the whole has [`Work::MAX`], so that iterations and bytes are both whole numbers.
    u64,
);

impl Work {
    /// Bytes that scrypt mixes at its bounds: each lane fills its memory once.
    const SCRYPT_MAX: u64 = SCRYPT_MEMORY_MAX * SCRYPT_LANES_MAX;
    /// Kibibytes that Argon2id mixes at its bounds.
    const ARGON2ID_MAX: u64 = ARGON2ID_MAX.memory_kib as u64 * ARGON2ID_MAX.passes as u64;
    const MAX: u64 = ITERATIONS_MAX as u64 * Self::SCRYPT_MAX;

    pub(crate) fn of_iterations(iterations: u32) -> Self {
        Self(u64::from(iterations) * Self::SCRYPT_MAX)
    }

    pub(crate) fn of_scrypt(cost: ScryptCost) -> Self {
        Self(((128 * u64::from(cost.r) * u64::from(cost.p)) << cost.log_n) * u64::from(ITERATIONS_MAX))
    }

    pub(crate) fn of_argon2id(cost: argon2::Cost) -> Self {
        Self(u64::from(cost.memory_kib) * u64::from(cost.passes) * (Self::MAX / Self::ARGON2ID_MAX))
    }

    /// Adds what the next key of a file takes, before it is done: all keys of one file together take no more than one may.
    ///
    /// # Errors
    /// [`Error::CostTooHigh`].
    pub(crate) fn add(&mut self, next: Self) -> Result<()> {
        const TOO_MUCH: Error = Error::CostTooHigh(
            "its encrypted keys together take over 10,000,000 iterations, or as much of scrypt; divide them among files",
        );
        self.0 = self.0.checked_add(next.0).filter(|sum| *sum <= Self::MAX).ok_or(TOO_MUCH)?;
        Ok(())
    }
}

/// Argon2id without a secret or associated data, 32 bytes.
///
/// # Errors
/// Those of [`argon2::derive`].
///
/// # Panics
/// When the costs are outside Argon2's own bounds; the caller has checked them.
pub(crate) fn argon2id(passphrase: &Passphrase, salt: &[u8; 16], cost: argon2::Cost) -> Result<Zeroizing<[u8; 32]>> {
    let mut root = Zeroizing::new([0; 32]);
    let input = Input { password: passphrase.as_bytes(), salt, ..Input::default() };
    argon2::derive(Variant::Id, input, cost, &mut root[..])?;
    Ok(root)
}

/// The HMAC under PBKDF2 (RFC 8018 appendix B.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prf {
    HmacSha1,
    HmacSha224,
    HmacSha256,
    HmacSha384,
    HmacSha512,
    HmacSm3,
}

impl Prf {
    /// The number of its SHA, as [`Derivation`] has it; none where hosts have no such function.
    pub(crate) fn sha(self) -> Option<u32> {
        match self {
            Self::HmacSha1 => Some(1),
            Self::HmacSha256 => Some(256),
            Self::HmacSha384 => Some(384),
            Self::HmacSha512 => Some(512),
            Self::HmacSha224 | Self::HmacSm3 => None,
        }
    }
}

/// PBKDF2 (RFC 8018 section 5.2) with at least one iteration.
pub(crate) fn pbkdf2(prf: Prf, password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
    let derive = match prf {
        Prf::HmacSha1 => pbkdf2_hmac::SHA1,
        Prf::HmacSha224 => pbkdf2_hmac::SHA224,
        Prf::HmacSha256 => pbkdf2_hmac::SHA256,
        Prf::HmacSha384 => pbkdf2_hmac::SHA384,
        Prf::HmacSha512 => pbkdf2_hmac::SHA512,
        Prf::HmacSm3 => pbkdf2_hmac_sm3,
    };
    derive(password, salt, iterations, out);
}

/// As the library's, over a MAC that it does not know.
fn pbkdf2_hmac_sm3(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
    let hmac = HmacSm3::new(password);
    for (i, piece) in (1..=u32::MAX).zip(out.chunks_mut(SM3_LEN)) {
        let mut last = Zeroizing::new(hmac.sign([salt, &i.to_be_bytes()]));
        let mut sum = last.clone();
        for _ in 1..iterations {
            *last = hmac.sign([&last[..]]);
            sum.iter_mut().zip(&*last).for_each(|(sum, byte)| *sum ^= byte);
        }
        piece.copy_from_slice(&sum[..piece.len()]);
    }
}

/// Costs of scrypt (RFC 7914 section 2); N is 2^`log_n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScryptCost {
    pub(crate) log_n: u8,
    pub(crate) r: u32,
    pub(crate) p: u32,
}

/// scrypt (RFC 7914).
///
/// # Panics
/// When the costs are outside scrypt's own bounds; the caller has checked them.
pub(crate) fn scrypt(password: &[u8], salt: &[u8], cost: ScryptCost, out: &mut [u8]) {
    provider::scrypt(password, salt, cost.log_n, cost.r, cost.p, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;

    #[test]
    fn decomposed_and_composed_text_are_one_passphrase() {
        let composed = Passphrase::new("caf\u{e9}").unwrap();
        let decomposed = Passphrase::new("cafe\u{301}").unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
    }

    #[test]
    fn length_bounds_are_1_and_1024_bytes() {
        assert!(Passphrase::new(&"x".repeat(1024)).is_ok());
        assert!(Passphrase::new(&"x".repeat(1025)).is_err());
        assert!(Passphrase::from_utf8(&[0xff, 0xfe]).is_err());
    }

    #[test]
    fn the_length_that_counts_is_that_of_the_normal_form() {
        // U+212A is 3 bytes and becomes K; no normal form is shorter than a third.
        assert_eq!(Passphrase::new(&"\u{212a}".repeat(1024)).unwrap().as_bytes(), "K".repeat(1024).as_bytes());
        assert!(Passphrase::new(&"\u{212a}".repeat(1025)).is_err());
        // U+1D160 is 4 bytes and becomes 12.
        assert!(Passphrase::new(&"\u{1d160}".repeat(85)).is_ok());
        assert!(Passphrase::new(&"\u{1d160}".repeat(86)).is_err());
        assert!(Passphrase::new(&"x".repeat(1 << 20)).is_err());
    }

    #[test]
    fn spaces_and_line_ends_are_part_of_it() {
        let passphrase = |text| Passphrase::new(text).unwrap().as_bytes().to_vec();
        assert_ne!(passphrase("pass"), passphrase("pass\n"));
        assert_ne!(passphrase("pass"), passphrase(" pass"));
        assert!(Passphrase::new(" ").is_ok());
    }

    #[test]
    fn the_work_of_several_keys_is_as_much_as_one_may_take() {
        let half_of_scrypt = Work::of_scrypt(ScryptCost { log_n: 19, r: 8, p: 16 });
        let half_of_argon2id = Work::of_argon2id(argon2::Cost { passes: 8, ..ARGON2ID_MAX });
        for parts in [
            vec![Work::of_iterations(10_000_000)],
            vec![Work::of_iterations(9_999_999), Work::of_iterations(1)],
            vec![half_of_scrypt, half_of_scrypt],
            vec![half_of_argon2id, half_of_scrypt],
            vec![half_of_argon2id, Work::of_iterations(5_000_000)],
            vec![Work::of_argon2id(ARGON2ID_MAX)],
            vec![half_of_scrypt, Work::of_iterations(5_000_000)],
            vec![Work::of_iterations(600_000); 16],
            vec![Work::of_iterations(1_000_000); 10],
        ] {
            let mut work = Work::default();
            assert!(parts.iter().all(|part| work.add(*part).is_ok()), "{parts:?}");
        }
        // One iteration, or the least of scrypt, is too much then.
        for one in [
            Work::of_argon2id(argon2::Cost { memory_kib: 8, passes: 1, lanes: 1 }),
            Work::of_iterations(1),
            Work::of_scrypt(ScryptCost { log_n: 1, r: 1, p: 1 }),
        ] {
            let mut work = Work::default();
            work.add(half_of_scrypt).unwrap();
            work.add(Work::of_iterations(5_000_000)).unwrap();
            assert_eq!(work.add(one).unwrap_err().code(), "cost_too_high");
        }
        let mut work = Work::default();
        assert_eq!(work.add(Work(u64::MAX)).unwrap_err().code(), "cost_too_high");
    }

    /// What OpenSSL 3.0.19 makes of the inputs of RFC 6070's fifth example, and of a short one, with SM3:
    /// `openssl kdf -keylen 40 -kdfopt digest:SM3 -kdfopt pass:… -kdfopt salt:… -kdfopt iter:4096 -kdfopt pkcs5:1 PBKDF2`.
    #[test]
    fn pbkdf2_sm3_is_that_of_openssl() {
        for (password, salt, iterations, expected) in [
            ("password", "salt1234", 1000, "1f7f48a74828642b77cc9158ee387dba9c3b4f291dbe112483233855f29b46e7"),
            (
                "passwordPASSWORDpassword",
                "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                4096,
                "3b6282ac8519f059e465abff0ea37b0dbfe6c672a76e6b805312d53900db630732ccc1a88fa5512a",
            ),
        ] {
            let mut key = vec![0; expected.len() / 2];
            pbkdf2(Prf::HmacSm3, password.as_bytes(), salt.as_bytes(), iterations, &mut key);
            assert_eq!(HEXLOWER.encode(&key), expected);
        }
    }
}
