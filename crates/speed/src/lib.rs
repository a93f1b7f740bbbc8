//! The operations that `sealstone speed` and the project's benchmarks time.
//!
//! This crate has no clock, and uses only the public API of `sealstone`. Each operation runs on one thread, and a [`Trial`]
//! allocates only what a call of the API allocates.
//!
//! ```
//! use sealstone_speed::Operation;
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

use sealstone::aead::{Aead, Algorithm, TAG_LEN};
use sealstone::exchange;
use sealstone::hash::{self, Digest, Hasher, hash};
use sealstone::sign;
use sealstone::sm2::{self, DEFAULT_ID, Form};
use sealstone::{Decryptor, Encryptor, Error, Identity, Kind, Result};
use std::fmt;

/// An operation that can be measured.
///
/// ```
/// use sealstone_speed::Operation;
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
    Hash(hash::Algorithm),
    Encrypt(Kind),
    Decrypt(Kind),
    Sign(sign::Kind),
    Verify(sign::Kind),
    Agree(exchange::Kind),
    Encapsulate(exchange::Kind),
    Decapsulate(exchange::Kind),
    Sm2(Sm2),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sm2 {
    Sign,
    Verify,
    Encrypt,
    Decrypt,
}

impl Operation {
    /// All operations:
    ///
    /// - an AEAD on one buffer: `aead/SUITE/seal`, `aead/SUITE/open`
    /// - hashes: `hash/ALGORITHM`
    /// - encryption to a public key, in memory: `kem/KIND/encrypt`, `kem/KIND/decrypt`
    /// - signatures: `sign/KIND/sign`, `sign/KIND/verify`
    /// - shared secrets: `exchange/KIND/agree`, `exchange/KIND/encapsulate`, `exchange/KIND/decapsulate`
    /// - SM2: `sm2/sign`, `sm2/verify`, `sm2/encrypt`, `sm2/decrypt`
    pub const ALL: &[Self] = &[
        Self { name: "aead/aes-256-gcm/seal", work: Work::Seal(Algorithm::Aes256Gcm) },
        Self { name: "aead/aes-256-gcm/open", work: Work::Open(Algorithm::Aes256Gcm) },
        Self { name: "aead/chacha20-poly1305/seal", work: Work::Seal(Algorithm::ChaCha20Poly1305) },
        Self { name: "aead/chacha20-poly1305/open", work: Work::Open(Algorithm::ChaCha20Poly1305) },
        Self { name: "aead/xchacha20-poly1305/seal", work: Work::Seal(Algorithm::XChaCha20Poly1305) },
        Self { name: "aead/xchacha20-poly1305/open", work: Work::Open(Algorithm::XChaCha20Poly1305) },
        Self { name: "aead/sm4-gcm/seal", work: Work::Seal(Algorithm::Sm4Gcm) },
        Self { name: "aead/sm4-gcm/open", work: Work::Open(Algorithm::Sm4Gcm) },
        Self { name: "hash/sm3", work: Work::Hash(hash::Algorithm::Sm3) },
        Self { name: "hash/sha256", work: Work::Hash(hash::Algorithm::Sha256) },
        Self { name: "hash/sha512", work: Work::Hash(hash::Algorithm::Sha512) },
        Self { name: "hash/sha3-256", work: Work::Hash(hash::Algorithm::Sha3_256) },
        Self { name: "hash/blake2b", work: Work::Hash(hash::Algorithm::Blake2b) },
        Self { name: "hash/blake3", work: Work::Hash(hash::Algorithm::Blake3) },
        Self { name: "kem/x25519/encrypt", work: Work::Encrypt(Kind::X25519) },
        Self { name: "kem/x25519/decrypt", work: Work::Decrypt(Kind::X25519) },
        Self { name: "kem/p256/encrypt", work: Work::Encrypt(Kind::P256) },
        Self { name: "kem/p256/decrypt", work: Work::Decrypt(Kind::P256) },
        Self { name: "kem/ml-kem-768/encrypt", work: Work::Encrypt(Kind::MlKem768) },
        Self { name: "kem/ml-kem-768/decrypt", work: Work::Decrypt(Kind::MlKem768) },
        Self { name: "kem/hybrid/encrypt", work: Work::Encrypt(Kind::Hybrid) },
        Self { name: "kem/hybrid/decrypt", work: Work::Decrypt(Kind::Hybrid) },
        Self { name: "sign/ed25519/sign", work: Work::Sign(sign::Kind::Ed25519) },
        Self { name: "sign/ed25519/verify", work: Work::Verify(sign::Kind::Ed25519) },
        Self { name: "sign/p256-sign/sign", work: Work::Sign(sign::Kind::P256Sign) },
        Self { name: "sign/p256-sign/verify", work: Work::Verify(sign::Kind::P256Sign) },
        Self { name: "sign/ml-dsa-65/sign", work: Work::Sign(sign::Kind::MlDsa65) },
        Self { name: "sign/ml-dsa-65/verify", work: Work::Verify(sign::Kind::MlDsa65) },
        Self { name: "sign/hybrid-sign/sign", work: Work::Sign(sign::Kind::HybridSign) },
        Self { name: "sign/hybrid-sign/verify", work: Work::Verify(sign::Kind::HybridSign) },
        Self { name: "exchange/x25519/agree", work: Work::Agree(exchange::Kind::X25519) },
        Self { name: "exchange/p256/agree", work: Work::Agree(exchange::Kind::P256) },
        Self { name: "exchange/ml-kem-768/encapsulate", work: Work::Encapsulate(exchange::Kind::MlKem768) },
        Self { name: "exchange/ml-kem-768/decapsulate", work: Work::Decapsulate(exchange::Kind::MlKem768) },
        Self { name: "exchange/hybrid/encapsulate", work: Work::Encapsulate(exchange::Kind::Hybrid) },
        Self { name: "exchange/hybrid/decapsulate", work: Work::Decapsulate(exchange::Kind::Hybrid) },
        Self { name: "sm2/sign", work: Work::Sm2(Sm2::Sign) },
        Self { name: "sm2/verify", work: Work::Sm2(Sm2::Verify) },
        Self { name: "sm2/encrypt", work: Work::Sm2(Sm2::Encrypt) },
        Self { name: "sm2/decrypt", work: Work::Sm2(Sm2::Decrypt) },
    ];

    /// The operation's name in reports.
    ///
    /// ```
    /// assert_eq!(sealstone_speed::Operation::ALL[0].name(), "aead/aes-256-gcm/seal");
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Prepares the operation for a plaintext or a message: keys, schedules, and the ciphertext to open. The operations of
    /// `exchange` do not depend on the input.
    ///
    /// # Security
    /// The key and the nonce of an AEAD are fixed and public, and the nonce is reused. No output is secret.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] from operations with key pairs, which are fresh; [`Error::EmptyPlaintext`] from `sm2/decrypt`
    /// with an empty input; [`Error::UnavailableBackend`], except from AES, when the environment forces one;
    /// [`Error::TooLong`].
    ///
    /// # Examples
    /// ```
    /// use sealstone_speed::Operation;
    ///
    /// let sealing = Operation::ALL.iter().find(|operation| operation.name() == "aead/aes-256-gcm/seal").unwrap();
    /// let mut trial = sealing.prepare(b"attack at dawn".to_vec())?;
    /// trial.run()?;
    /// assert_eq!(trial.output().len(), 14 + 16);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn prepare(&self, input: Vec<u8>) -> Result<Trial> {
        Ok(Trial(match self.work {
            Work::Seal(algorithm) => Prepared::Seal(aead(algorithm)?, copy_with_room(&input)),
            Work::Open(algorithm) => {
                let key = aead(algorithm)?;
                let mut sealed = copy_with_room(&input);
                seal(&key, &mut sealed)?;
                let opened = Buffer::new(sealed.len());
                Prepared::Open { key, sealed, opened }
            }
            Work::Hash(algorithm) => Prepared::Hash { input, digest: Hasher::new(algorithm).finish(), algorithm },
            Work::Sm2(operation) => prepare_sm2(operation, input)?,
            Work::Sign(kind) => {
                let key = sign::PrivateKey::generate(kind)?;
                Prepared::Sign { key, message: input, signature: Vec::new() }
            }
            Work::Verify(kind) => {
                let key = sign::PrivateKey::generate(kind)?;
                let signature = key.sign(&input)?;
                Prepared::Verify { key: key.public_key(), message: input, signature }
            }
            Work::Agree(kind) => Prepared::Agree(Pair::new(kind, input)?),
            Work::Encapsulate(kind) => Prepared::Encapsulate(Pair::new(kind, input)?),
            Work::Decapsulate(kind) => {
                let mut pair = Pair::new(kind, input)?;
                (pair.ciphertext, _) = pair.public.encapsulate()?;
                Prepared::Decapsulate(pair)
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

/// A prepared operation, which can run any number of times.
///
/// ```
/// use sealstone_speed::Operation;
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
    Hash { algorithm: hash::Algorithm, input: Vec<u8>, digest: Digest },
    Encrypt { encryptor: Encryptor, identity: Identity, input: Vec<u8>, encrypted: Vec<u8> },
    Decrypt { decryptor: Decryptor, encrypted: Vec<u8>, decrypted: Vec<u8> },
    Sign { key: sign::PrivateKey, message: Vec<u8>, signature: Vec<u8> },
    Verify { key: sign::PublicKey, message: Vec<u8>, signature: Vec<u8> },
    Agree(Pair),
    Encapsulate(Pair),
    Decapsulate(Pair),
    SignSm2 { key: sm2::PrivateKey, message: Vec<u8>, signature: Vec<u8> },
    VerifySm2 { key: sm2::PublicKey, message: Vec<u8>, signature: Vec<u8> },
    EncryptSm2 { key: sm2::PrivateKey, public: sm2::PublicKey, plaintext: Vec<u8>, ciphertext: Vec<u8> },
    DecryptSm2 { key: sm2::PrivateKey, ciphertext: Vec<u8>, plaintext: Vec<u8> },
}

/// Two private keys of one kind, and their shared secret.
struct Pair {
    own: exchange::PrivateKey,
    /// The public key of `other`.
    public: exchange::PublicKey,
    other: exchange::PrivateKey,
    input: Vec<u8>,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
}

impl Pair {
    fn new(kind: exchange::Kind, input: Vec<u8>) -> Result<Self> {
        let own = exchange::PrivateKey::generate(kind)?;
        let other = if kind.ciphertext_len().is_some() { own.clone() } else { exchange::PrivateKey::generate(kind)? };
        Ok(Self { own, public: other.public_key(), other, input, ciphertext: Vec::new(), secret: Vec::new() })
    }

    fn keep(&mut self, secret: &[u8]) {
        self.secret.clear();
        self.secret.extend_from_slice(secret);
    }

    /// Returns the input if the other side computes the same secret.
    fn confirm(&self) -> Result<Vec<u8>> {
        let is_same = if self.ciphertext.is_empty() {
            *self.other.hazmat_shared_secret(&self.own.public_key())? == self.secret
        } else {
            self.own.decapsulate(&self.ciphertext)?[..] == self.secret
        };
        if is_same { Ok(self.input.clone()) } else { Err(Error::NotAuthentic { chunk: None }) }
    }
}

/// Signatures and ciphertexts are in DER, as in OpenSSL and in certificates.
fn prepare_sm2(operation: Sm2, message: Vec<u8>) -> Result<Prepared> {
    let key = sm2::PrivateKey::generate()?;
    let public = key.public_key();
    Ok(match operation {
        Sm2::Sign => Prepared::SignSm2 { key, message, signature: Vec::new() },
        Sm2::Verify => {
            let signature = key.sign(DEFAULT_ID, &message)?.to_der();
            Prepared::VerifySm2 { key: public, message, signature }
        }
        Sm2::Encrypt => Prepared::EncryptSm2 { key, public, plaintext: message, ciphertext: Vec::new() },
        Sm2::Decrypt => {
            let ciphertext = public.encrypt(Form::Der, &message)?;
            Prepared::DecryptSm2 { key, ciphertext, plaintext: Vec::new() }
        }
    })
}

impl Trial {
    /// Runs the operation once.
    ///
    /// `seal` works in place: the second run seals the ciphertext of the first, which is the same work. `open` begins with a
    /// copy of the ciphertext, since it opens in place. `encrypt` and `decrypt` allocate their output, as
    /// [`Encryptor::encrypt`](sealstone::Encryptor::encrypt) does.
    ///
    /// # Errors
    /// The errors of the operation; expected are only [`Error::NoRandomness`], and [`Error::EmptyPlaintext`] from `sm2/encrypt`
    /// with an empty input.
    ///
    /// # Examples
    /// ```
    /// let mut trial = sealstone_speed::Operation::ALL[0].prepare(vec![0; 1024])?;
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
                key.open_in_place(nonce(key), b"", opened)?;
            }
            Prepared::Hash { algorithm, input, digest } => *digest = hash(*algorithm, input),
            Prepared::Sign { key, message, signature } => *signature = key.sign(message)?,
            Prepared::Verify { key, message, signature } => key.verify(message, signature)?,
            Prepared::Agree(pair) => {
                let secret = pair.own.hazmat_shared_secret(&pair.public)?;
                pair.keep(&secret);
            }
            Prepared::Encapsulate(pair) => {
                let (ciphertext, secret) = pair.public.encapsulate()?;
                pair.ciphertext = ciphertext;
                pair.keep(&secret[..]);
            }
            Prepared::Decapsulate(pair) => {
                let secret = pair.own.decapsulate(&pair.ciphertext)?;
                pair.keep(&secret[..]);
            }
            Prepared::SignSm2 { key, message, signature } => *signature = key.sign(DEFAULT_ID, message)?.to_der(),
            Prepared::VerifySm2 { key, message, signature } => {
                key.verify(DEFAULT_ID, message, &sm2::Signature::from_der(signature)?)?;
            }
            Prepared::EncryptSm2 { public, plaintext, ciphertext, .. } => {
                *ciphertext = public.encrypt(Form::Der, plaintext)?;
            }
            Prepared::DecryptSm2 { key, ciphertext, plaintext } => {
                *plaintext = key.decrypt(Form::Der, ciphertext)?.to_vec();
            }
            Prepared::Encrypt { encryptor, input, encrypted, .. } => *encrypted = encryptor.encrypt(input)?,
            Prepared::Decrypt { decryptor, encrypted, decrypted } => *decrypted = decryptor.decrypt(encrypted)?,
        }
        Ok(())
    }

    /// The output of the last run: ciphertext and tag, a file, a digest, a signature or a shared secret; the ciphertext for
    /// `encapsulate`, the plaintext for `open` and `decrypt`, and the message for `verify`. Before the first run it has no
    /// meaning.
    ///
    /// ```
    /// let sealing = sealstone_speed::Operation::ALL[0];
    /// let mut trial = sealing.prepare(b"attack at dawn".to_vec())?;
    /// trial.run()?;
    /// assert_eq!(trial.output().len(), 14 + 16);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn output(&self) -> &[u8] {
        match &self.0 {
            Prepared::Seal(_, sealed) => sealed,
            Prepared::Hash { digest, .. } => digest.as_bytes(),
            Prepared::Sign { signature, .. } | Prepared::SignSm2 { signature, .. } => signature,
            Prepared::Verify { message, .. } | Prepared::VerifySm2 { message, .. } => message,
            Prepared::Encapsulate(pair) => &pair.ciphertext,
            Prepared::Agree(pair) | Prepared::Decapsulate(pair) => &pair.secret,
            Prepared::EncryptSm2 { ciphertext, .. } => ciphertext,
            Prepared::DecryptSm2 { plaintext, .. } => plaintext,
            Prepared::Open { opened, .. } => &opened[..opened.len() - TAG_LEN],
            Prepared::Encrypt { encrypted, .. } => encrypted,
            Prepared::Decrypt { decrypted, .. } => decrypted,
        }
    }

    /// Checks the output of the last run by the inverse operation, and returns the input that it stands for. After the first
    /// run that is the input of [`Operation::prepare`]: compare them when you measure. A ciphertext is opened, a signature
    /// verified, a digest computed again in two pieces, and a shared secret computed on the other side; `open`, `decrypt` and
    /// `verify` return their output.
    ///
    /// # Errors
    /// The errors of opening and verifying, before the first run; [`Error::NotAuthentic`] if a digest or a secret differs.
    ///
    /// # Examples
    /// ```
    /// for operation in sealstone_speed::Operation::ALL {
    ///     let mut trial = operation.prepare(b"attack at dawn".to_vec())?;
    ///     trial.run()?;
    ///     assert_eq!(trial.plaintext()?, b"attack at dawn");
    /// }
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn plaintext(&self) -> Result<Vec<u8>> {
        match &self.0 {
            Prepared::Seal(key, sealed) => key.open(nonce(key), b"", sealed),
            Prepared::Encrypt { identity, encrypted, .. } => Decryptor::new([identity.clone()]).decrypt(encrypted),
            Prepared::Hash { algorithm, input, digest } => {
                let mut hasher = Hasher::new(*algorithm);
                let (first, second) = input.split_at(input.len() / 3);
                hasher.update(first);
                hasher.update(second);
                if hasher.finish() == *digest { Ok(input.clone()) } else { Err(Error::NotAuthentic { chunk: None }) }
            }
            Prepared::Sign { key, message, signature } => {
                key.public_key().verify(message, signature)?;
                Ok(message.clone())
            }
            Prepared::Agree(pair) | Prepared::Encapsulate(pair) | Prepared::Decapsulate(pair) => pair.confirm(),
            Prepared::SignSm2 { key, message, signature } => {
                key.public_key().verify(DEFAULT_ID, message, &sm2::Signature::from_der(signature)?)?;
                Ok(message.clone())
            }
            Prepared::EncryptSm2 { key, ciphertext, .. } => Ok(key.decrypt(Form::Der, ciphertext)?.to_vec()),
            Prepared::Open { .. }
            | Prepared::Decrypt { .. }
            | Prepared::Verify { .. }
            | Prepared::VerifySm2 { .. }
            | Prepared::DecryptSm2 { .. } => Ok(self.output().to_vec()),
        }
    }
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial").finish_non_exhaustive()
    }
}

/// The benchmark's key: 0, 1, 2, … (docs/design/bench.md). An algorithm takes the first bytes.
const KEY: [u8; 32] = count_from(0);
/// The benchmark's nonce: 0x40, 0x41, … An algorithm takes the first bytes.
const NONCE: [u8; 24] = count_from(0x40);

const fn count_from<const N: usize>(from: u8) -> [u8; N] {
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

fn nonce(key: &Aead) -> &'static [u8] {
    &NONCE[..key.algorithm().nonce_len()]
}

/// Seals all bytes but the last 16, and writes the tag there.
fn seal(key: &Aead, sealed: &mut [u8]) -> Result<()> {
    let (buffer, tag) = sealed.split_last_chunk_mut::<TAG_LEN>().expect("speed: there is room for a tag");
    *tag = key.seal_in_place(nonce(key), b"", buffer)?;
    Ok(())
}

/// Copies the input, with room for a tag.
fn copy_with_room(input: &[u8]) -> Buffer {
    let mut buffer = Buffer::new(input.len() + TAG_LEN);
    buffer[..input.len()].copy_from_slice(input);
    buffer
}

/// Bytes that begin at a cache line: the allocator's choice of address would change results by 1 to 2 %.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

/// Bytes of a cache line.
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
    use std::collections::BTreeSet;

    fn find(name: &str) -> &'static Operation {
        Operation::ALL.iter().find(|operation| operation.name() == name).unwrap()
    }

    #[test]
    fn every_operation_gives_its_input_back_at_every_length() {
        for operation in Operation::ALL {
            // SM2 does not encrypt an empty plaintext.
            let is_sm2 = operation.name().starts_with("sm2/");
            for len in [0, 1, 17, 1000, 100_000].into_iter().filter(|len| *len > 0 || !is_sm2) {
                let input: Vec<u8> = (0..=250).cycle().take(len).collect();
                let mut trial = operation.prepare(input.clone()).unwrap();
                trial.run().unwrap();
                assert!(trial.plaintext().unwrap() == input, "{}, {len} bytes", operation.name());
                for _ in 0..3 {
                    trial.run().unwrap();
                }
                let opens = ["open", "decrypt", "verify"].iter().any(|verb| operation.name().ends_with(verb));
                assert_eq!(trial.output() == input, opens, "{}, {len} bytes", operation.name());
            }
        }
    }

    #[test]
    fn sealing_has_the_key_and_nonce_of_the_benchmark() {
        let key: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        for algorithm in [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305, Algorithm::Sm4Gcm] {
            let mut trial = find(&format!("aead/{algorithm}/seal")).prepare(b"abc".to_vec()).unwrap();
            trial.run().unwrap();
            let aead = Aead::new(algorithm, &key[..algorithm.key_len()]).unwrap();
            assert_eq!(trial.output(), aead.seal(b"@ABCDEFGHIJK", b"", b"abc").unwrap());
        }
    }

    #[test]
    fn there_is_an_operation_for_every_parallel_aead_common_hash_and_key_pair_each_way() {
        // Shorter keys of AES are for protocols that use them, GCM-SIV reads a plaintext twice, and CCM is not parallel.
        let others = [
            Algorithm::Aes128Gcm,
            Algorithm::Aes192Gcm,
            Algorithm::Aes128GcmSiv,
            Algorithm::Aes256GcmSiv,
            Algorithm::Sm4Ccm,
        ];
        let parallel = Algorithm::ALL.into_iter().filter(|algorithm| !others.contains(algorithm));
        let suites = parallel.map(|aead| ["seal", "open"].map(|verb| format!("aead/{aead}/{verb}")));
        let kems = [Kind::X25519, Kind::P256, Kind::MlKem768, Kind::Hybrid]
            .map(|kind| ["encrypt", "decrypt"].map(|verb| format!("kem/{kind}/{verb}")));
        // The other hashes are these with another length, or slower ones of the same family.
        let measured = ["sha256", "sha512", "sha3-256", "blake2b", "blake3", "sm3"];
        let hashes = hash::Algorithm::ALL.iter().filter(|hash| measured.contains(&hash.name()));
        let hashes = hashes.map(|hash| format!("hash/{hash}"));
        // The other kinds are these with longer numbers; RSA takes long to generate a key.
        let signs = [sign::Kind::Ed25519, sign::Kind::P256Sign, sign::Kind::MlDsa65, sign::Kind::HybridSign];
        let signs = signs.map(|kind| ["sign", "verify"].map(|verb| format!("sign/{kind}/{verb}")));
        let agrees = [exchange::Kind::X25519, exchange::Kind::P256].map(|kind| format!("exchange/{kind}/agree"));
        let encapsulates = [exchange::Kind::MlKem768, exchange::Kind::Hybrid]
            .map(|kind| ["encapsulate", "decapsulate"].map(|verb| format!("exchange/{kind}/{verb}")));
        let sm2 = ["sign", "verify", "encrypt", "decrypt"].map(|verb| format!("sm2/{verb}"));
        let pairs = signs.into_iter().chain(encapsulates).flatten().chain(agrees).chain(sm2);
        let expected: BTreeSet<_> =
            suites.flatten().chain(hashes).chain(kems.into_iter().flatten()).chain(pairs).collect();
        let found: BTreeSet<_> = Operation::ALL.iter().map(|operation| operation.name().to_owned()).collect();
        assert_eq!(found, expected);
        assert_eq!(found.len(), Operation::ALL.len(), "no name is there twice");
    }

    #[test]
    fn sealing_twice_is_not_what_the_input_was() {
        let mut trial = find("aead/aes-256-gcm/seal").prepare(vec![0; 100]).unwrap();
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
