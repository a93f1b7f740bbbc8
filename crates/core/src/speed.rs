//! What there is to measure on a machine: the operations that `sealstone speed` and the project's benchmarks time.
//!
//! There is no clock here. Each operation runs on one thread, and a [`Trial`] allocates nothing that every user of it
//! would not also allocate.
//!
//! ```
//! use sealstone::speed::Operation;
//! use std::time::Instant;
//!
//! for operation in Operation::ALL {
//!     let mut trial = operation.prepare(vec![7; 1024])?;
//!     trial.run()?;
//!     assert_eq!(trial.plaintext()?, [7; 1024]);
//!     let started = Instant::now();
//!     trial.run()?;
//!     println!("{}: {:?}", operation.name(), started.elapsed());
//! }
//! # Ok::<(), sealstone::Error>(())
//! ```

use crate::aead::{Aead, Algorithm, NONCE_LEN, TAG_LEN};
use crate::error::Result;
use crate::file::{Decryptor, Encryptor};
use crate::key::{Identity, Kind};
use std::fmt;

/// An operation that can be measured.
///
/// ```
/// use sealstone::speed::Operation;
///
/// let names: Vec<_> = Operation::ALL.iter().map(Operation::name).collect();
/// assert!(names.contains(&"aead/aes-256-gcm/seal"));
/// assert!(names.contains(&"kem/hybrid/decrypt"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    name: &'static str,
    work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Seal(Algorithm),
    Open(Algorithm),
    Encrypt(Kind),
    Decrypt(Kind),
}

impl Operation {
    /// All operations: those of an AEAD on one buffer (`aead/SUITE/seal`, `aead/SUITE/open`), and those of a KEM, which
    /// encrypt to a public key in memory (`kem/KIND/encrypt`, `kem/KIND/decrypt`).
    pub const ALL: &[Self] = &[
        Self { name: "aead/aes-256-gcm/seal", work: Work::Seal(Algorithm::Aes256Gcm) },
        Self { name: "aead/aes-256-gcm/open", work: Work::Open(Algorithm::Aes256Gcm) },
        Self { name: "aead/chacha20-poly1305/seal", work: Work::Seal(Algorithm::ChaCha20Poly1305) },
        Self { name: "aead/chacha20-poly1305/open", work: Work::Open(Algorithm::ChaCha20Poly1305) },
        Self { name: "aead/sm4-gcm/seal", work: Work::Seal(Algorithm::Sm4Gcm) },
        Self { name: "aead/sm4-gcm/open", work: Work::Open(Algorithm::Sm4Gcm) },
        Self { name: "kem/x25519/encrypt", work: Work::Encrypt(Kind::X25519) },
        Self { name: "kem/x25519/decrypt", work: Work::Decrypt(Kind::X25519) },
        Self { name: "kem/p256/encrypt", work: Work::Encrypt(Kind::P256) },
        Self { name: "kem/p256/decrypt", work: Work::Decrypt(Kind::P256) },
        Self { name: "kem/ml-kem-768/encrypt", work: Work::Encrypt(Kind::MlKem768) },
        Self { name: "kem/ml-kem-768/decrypt", work: Work::Decrypt(Kind::MlKem768) },
        Self { name: "kem/hybrid/encrypt", work: Work::Encrypt(Kind::Hybrid) },
        Self { name: "kem/hybrid/decrypt", work: Work::Decrypt(Kind::Hybrid) },
    ];

    /// Its name, the same in every report.
    ///
    /// ```
    /// assert_eq!(sealstone::speed::Operation::ALL[0].name(), "aead/aes-256-gcm/seal");
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets it up on a plaintext: keys, schedules, and what there is to open.
    ///
    /// # Security
    /// The key and the nonce of an AEAD are fixed and public, and the nonce serves over and over. Nothing that comes
    /// out of this is secret.
    ///
    /// # Errors
    /// [`Error::NoRandomness`](crate::Error::NoRandomness) from the operations of a KEM, whose identities are fresh;
    /// [`Error::UnavailableBackend`](crate::Error::UnavailableBackend), of SM4, when the environment forces one;
    /// [`Error::TooLong`](crate::Error::TooLong).
    ///
    /// # Examples
    /// ```
    /// use sealstone::speed::Operation;
    ///
    /// let sealing = Operation::ALL.iter().find(|operation| operation.name() == "aead/aes-256-gcm/seal").unwrap();
    /// let mut trial = sealing.prepare(b"attack at dawn".to_vec())?;
    /// trial.run()?;
    /// assert_eq!(trial.output().len(), 14 + 16);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn prepare(&self, input: Vec<u8>) -> Result<Trial> {
        Ok(Trial(match self.work {
            Work::Seal(algorithm) => Prepared::Seal(aead(algorithm)?, with_room(&input)),
            Work::Open(algorithm) => {
                let key = aead(algorithm)?;
                let mut sealed = with_room(&input);
                seal(&key, &mut sealed)?;
                let opened = Buffer::new(sealed.len());
                Prepared::Open { key, sealed, opened }
            }
            Work::Encrypt(kind) => {
                let identity = Identity::generate(kind)?;
                let encryptor = Encryptor::new([identity.recipient()]).threads(1);
                Prepared::Encrypt { encryptor, identity, input, encrypted: Vec::new() }
            }
            Work::Decrypt(kind) => {
                let identity = Identity::generate(kind)?;
                let encrypted = Encryptor::new([identity.recipient()]).threads(1).encrypt(&input)?;
                let decryptor = Decryptor::new([identity]).threads(1);
                Prepared::Decrypt { decryptor, encrypted, decrypted: Vec::new() }
            }
        }))
    }
}

/// An operation that is set up, to be run as often as one likes.
///
/// ```
/// use sealstone::speed::Operation;
///
/// let opening = Operation::ALL.iter().find(|operation| operation.name() == "kem/x25519/decrypt").unwrap();
/// let mut trial = opening.prepare(b"attack at dawn".to_vec())?;
/// for _ in 0..3 {
///     trial.run()?;
///     assert_eq!(trial.output(), b"attack at dawn");
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Trial(Prepared);

enum Prepared {
    Seal(Aead, Buffer),
    Open { key: Aead, sealed: Buffer, opened: Buffer },
    Encrypt { encryptor: Encryptor, identity: Identity, input: Vec<u8>, encrypted: Vec<u8> },
    Decrypt { decryptor: Decryptor, encrypted: Vec<u8>, decrypted: Vec<u8> },
}

impl Trial {
    /// Does it once.
    ///
    /// `seal` works in place on what is there: the second run seals the ciphertext of the first, which is the same work.
    /// `open` begins with a copy of the ciphertext, since it opens in place. `encrypt` and `decrypt` allocate their
    /// output, as [`Encryptor::encrypt`](crate::Encryptor::encrypt) does for everybody.
    ///
    /// # Errors
    /// Those of the operation; none is expected but [`Error::NoRandomness`](crate::Error::NoRandomness).
    ///
    /// # Examples
    /// ```
    /// let mut trial = sealstone::speed::Operation::ALL[0].prepare(vec![0; 1024])?;
    /// for _ in 0..10 {
    ///     trial.run()?;
    /// }
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn run(&mut self) -> Result<()> {
        match &mut self.0 {
            Prepared::Seal(key, sealed) => seal(key, sealed)?,
            Prepared::Open { key, sealed, opened } => {
                opened.copy_from_slice(sealed);
                key.open_in_place(&NONCE, b"", opened)?;
            }
            Prepared::Encrypt { encryptor, input, encrypted, .. } => *encrypted = encryptor.encrypt(input)?,
            Prepared::Decrypt { decryptor, encrypted, decrypted } => *decrypted = decryptor.decrypt(encrypted)?,
        }
        Ok(())
    }

    /// The output of the last run: ciphertext and tag, a file, or for `open` and `decrypt` the plaintext. Before the
    /// first run it has no meaning.
    ///
    /// ```
    /// let sealing = sealstone::speed::Operation::ALL[0];
    /// let mut trial = sealing.prepare(b"attack at dawn".to_vec())?;
    /// trial.run()?;
    /// assert_eq!(trial.output().len(), 14 + 16);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn output(&self) -> &[u8] {
        match &self.0 {
            Prepared::Seal(_, sealed) => sealed,
            Prepared::Open { opened, .. } => &opened[..opened.len() - TAG_LEN],
            Prepared::Encrypt { encrypted, .. } => encrypted,
            Prepared::Decrypt { decrypted, .. } => decrypted,
        }
    }

    /// What the output opens to; for `open` and `decrypt`, the output. After the first run it is the input: whoever
    /// measures checks that.
    ///
    /// # Errors
    /// Those of opening, before the first run.
    ///
    /// # Examples
    /// ```
    /// for operation in sealstone::speed::Operation::ALL {
    ///     let mut trial = operation.prepare(b"attack at dawn".to_vec())?;
    ///     trial.run()?;
    ///     assert_eq!(trial.plaintext()?, b"attack at dawn");
    /// }
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn plaintext(&self) -> Result<Vec<u8>> {
        match &self.0 {
            Prepared::Seal(key, sealed) => key.open(&NONCE, b"", sealed),
            Prepared::Encrypt { identity, encrypted, .. } => Decryptor::new([identity.clone()]).decrypt(encrypted),
            Prepared::Open { .. } | Prepared::Decrypt { .. } => Ok(self.output().to_vec()),
        }
    }
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial").finish_non_exhaustive()
    }
}

/// The benchmark's: 0, 1, 2, … (docs/design/bench.md).
const KEY: [u8; 32] = counting(0);
/// The benchmark's: 0x40, 0x41, …
const NONCE: [u8; NONCE_LEN] = counting(0x40);

const fn counting<const N: usize>(from: u8) -> [u8; N] {
    let mut bytes = [from; N];
    let mut i = 1;
    while i < N {
        bytes[i] = bytes[i - 1] + 1;
        i += 1;
    }
    bytes
}

fn aead(algorithm: Algorithm) -> Result<Aead> {
    Aead::new(algorithm, &KEY[..algorithm.key_len()])
}

/// Seals the bytes before a tag's length; the tag goes there.
fn seal(key: &Aead, sealed: &mut [u8]) -> Result<()> {
    let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("speed: there is room for a tag");
    *tag = key.seal_in_place(&NONCE, b"", buffer)?;
    Ok(())
}

/// A copy of the input, with room for a tag.
fn with_room(input: &[u8]) -> Buffer {
    let mut buffer = Buffer::new(input.len() + TAG_LEN);
    buffer[..input.len()].copy_from_slice(input);
    buffer
}

/// Bytes that begin at a cache line: where an allocator happens to put them is worth 1 to 2 %.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

const LINE: usize = 64;

impl Buffer {
    fn new(len: usize) -> Self {
        let mut bytes = vec![0; len + LINE];
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        bytes.truncate(start + len);
        Self { bytes, start }
    }
}

impl std::ops::Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl std::ops::DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    fn named(name: &str) -> &'static Operation {
        Operation::ALL.iter().find(|operation| operation.name() == name).unwrap()
    }

    #[test]
    fn every_operation_gives_its_input_back_at_every_length() {
        for operation in Operation::ALL {
            for len in [0, 1, 17, 1000, 100_000] {
                let input: Vec<u8> = (0..=250).cycle().take(len).collect();
                let mut trial = operation.prepare(input.clone()).unwrap();
                trial.run().unwrap();
                assert!(trial.plaintext().unwrap() == input, "{}, {len} bytes", operation.name());
                for _ in 0..3 {
                    trial.run().unwrap();
                }
                let opens = operation.name().ends_with("open") || operation.name().ends_with("decrypt");
                assert_eq!(trial.output() == input, opens, "{}, {len} bytes", operation.name());
            }
        }
    }

    #[test]
    fn sealing_has_the_key_and_nonce_of_the_benchmark() {
        let key: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        for suite in Suite::ALL {
            let mut trial = named(&format!("aead/{suite}/seal")).prepare(b"abc".to_vec()).unwrap();
            trial.run().unwrap();
            let aead = Aead::new(suite.algorithm(), &key[..suite.key_len()]).unwrap();
            assert_eq!(trial.output(), aead.seal(b"@ABCDEFGHIJK", b"", b"abc").unwrap());
        }
    }

    #[test]
    fn there_is_an_operation_for_every_parallel_aead_and_kem_and_each_way() {
        let parallel = Algorithm::ALL.into_iter().filter(|algorithm| *algorithm != Algorithm::Sm4Ccm);
        let suites = parallel.map(|aead| ["seal", "open"].map(|verb| format!("aead/{aead}/{verb}")));
        let kems = [Kind::X25519, Kind::P256, Kind::MlKem768, Kind::Hybrid]
            .map(|kind| ["encrypt", "decrypt"].map(|verb| format!("kem/{kind}/{verb}")));
        let expected: Vec<_> = suites.chain(kems).flatten().collect();
        let found: Vec<_> = Operation::ALL.iter().map(Operation::name).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sealing_twice_is_not_what_the_input_was() {
        let mut trial = named("aead/aes-256-gcm/seal").prepare(vec![0; 100]).unwrap();
        trial.run().unwrap();
        let once = trial.output().to_vec();
        trial.run().unwrap();
        assert_ne!(trial.output(), once);
        assert_eq!(trial.plaintext().unwrap(), once[..100]);
    }

    #[test]
    fn buffers_begin_at_a_cache_line() {
        for len in [0, 1, 1000, 1 << 20] {
            let buffer = Buffer::new(len);
            assert_eq!((buffer.len(), buffer.as_ptr().align_offset(LINE)), (len, 0));
        }
    }
}
