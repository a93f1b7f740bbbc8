//! Block ciphers in unauthenticated modes: SM4 (GB/T 32907, GB/T 17964) and AES (FIPS 197, SP 800-38A), in memory and in
//! pieces. [`FileCipher`](crate::FileCipher) takes files.
//!
//! ```
//! use sealstone::hazmat::cipher::{Algorithm, BLOCK_LEN, Cipher, Padding};
//!
//! let cipher = Cipher::new(Algorithm::Aes256Cbc, &[7; 32])?;
//! assert_eq!(cipher.algorithm().iv_len(), BLOCK_LEN);
//! // A stream, in parts of any length.
//! let mut ciphertext = Vec::new();
//! let mut stream = cipher.encryptor(&[9; 16], Padding::Pkcs7)?;
//! stream.update(b"attack ", &mut ciphertext);
//! stream.update(b"at dawn", &mut ciphertext);
//! stream.finish(&mut ciphertext)?;
//! assert_eq!(ciphertext, cipher.encrypt(&[9; 16], Padding::Pkcs7, b"attack at dawn")?);
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A changed ciphertext decrypts to something else without an error. With CBC, anyone who can learn whether padding was right can
//! decrypt. ECB keeps equal blocks equal. CTR and OFB reveal both plaintexts if an IV is used twice. Use an
//! [`Aead`](crate::aead::Aead) for all new data.

mod schedule;

use crate::error::{Error, Result};
use crate::random;
use schedule::Schedule;
use sealstone_ciphers::padding;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a block, and of an IV.
pub const BLOCK_LEN: usize = 16;
/// Bytes that are copied and then processed while they are in the first-level cache.
const PIECE_LEN: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockCipher {
    Sm4,
    Aes128,
    Aes192,
    Aes256,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ecb,
    Cbc,
    Ctr,
    Cfb,
    Cfb8,
    Ofb,
    Xts,
    XtsIeee,
}

macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $cipher:ident, $mode:ident;)+) => {
        /// A block cipher in a mode.
        ///
        /// ```
        /// use sealstone::hazmat::cipher::Algorithm;
        ///
        /// let algorithm: Algorithm = "sm4-cbc".parse()?;
        /// assert_eq!((algorithm.key_len(), algorithm.iv_len()), (16, 16));
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Algorithm {
            $(#[doc = concat!("`", $name, "`.")] $(#[$doc])* $variant,)+
        }

        impl Algorithm {
            fn parts(self) -> (BlockCipher, Mode) {
                match self { $(Self::$variant => (BlockCipher::$cipher, Mode::$mode),)+ }
            }
        }

        named_enum!(Algorithm { $($variant = $name,)+ });
    };
}

algorithms! {
    Sm4Ecb = "sm4-ecb", Sm4, Ecb;
    Sm4Cbc = "sm4-cbc", Sm4, Cbc;
    Sm4Ctr = "sm4-ctr", Sm4, Ctr;
    /// Whole blocks are fed back.
    Sm4Cfb = "sm4-cfb", Sm4, Cfb;
    Sm4Ofb = "sm4-ofb", Sm4, Ofb;
    /// The tweak follows GB/T 17964-2021; the IV is the number of the data unit.
    Sm4Xts = "sm4-xts", Sm4, Xts;
    /// The tweak follows IEEE 1619; the IV is the number of the data unit, lowest byte first.
    Sm4XtsIeee = "sm4-xts-ieee", Sm4, XtsIeee;
    Aes128Ecb = "aes-128-ecb", Aes128, Ecb;
    Aes128Cbc = "aes-128-cbc", Aes128, Cbc;
    Aes128Ctr = "aes-128-ctr", Aes128, Ctr;
    /// Whole blocks are fed back.
    Aes128Cfb = "aes-128-cfb", Aes128, Cfb;
    /// Single bytes are fed back, so that each costs a block.
    Aes128Cfb8 = "aes-128-cfb8", Aes128, Cfb8;
    Aes128Ofb = "aes-128-ofb", Aes128, Ofb;
    Aes192Ecb = "aes-192-ecb", Aes192, Ecb;
    Aes192Cbc = "aes-192-cbc", Aes192, Cbc;
    Aes192Ctr = "aes-192-ctr", Aes192, Ctr;
    /// Whole blocks are fed back.
    Aes192Cfb = "aes-192-cfb", Aes192, Cfb;
    /// Single bytes are fed back, so that each costs a block.
    Aes192Cfb8 = "aes-192-cfb8", Aes192, Cfb8;
    Aes192Ofb = "aes-192-ofb", Aes192, Ofb;
    Aes256Ecb = "aes-256-ecb", Aes256, Ecb;
    Aes256Cbc = "aes-256-cbc", Aes256, Cbc;
    Aes256Ctr = "aes-256-ctr", Aes256, Ctr;
    /// Whole blocks are fed back.
    Aes256Cfb = "aes-256-cfb", Aes256, Cfb;
    /// Single bytes are fed back, so that each costs a block.
    Aes256Cfb8 = "aes-256-cfb8", Aes256, Cfb8;
    Aes256Ofb = "aes-256-ofb", Aes256, Ofb;
}

impl Algorithm {
    /// Bytes of a key; for XTS, of its two keys together.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self.parts() {
            (BlockCipher::Sm4, Mode::Xts | Mode::XtsIeee) | (BlockCipher::Aes256, _) => 32,
            (BlockCipher::Aes192, _) => 24,
            (BlockCipher::Sm4 | BlockCipher::Aes128, _) => 16,
        }
    }

    /// Bytes of an IV: none for ECB, otherwise a block.
    #[must_use]
    pub fn iv_len(self) -> usize {
        if self.parts().1 == Mode::Ecb { 0 } else { BLOCK_LEN }
    }

    /// A new key from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn generate_key(self) -> Result<Zeroizing<Vec<u8>>> {
        random::key(self.key_len())
    }

    /// Whether the algorithm takes whole blocks only, so that a plaintext of another length needs [`Padding::Pkcs7`].
    #[must_use]
    pub fn pads(self) -> bool {
        matches!(self.parts().1, Mode::Ecb | Mode::Cbc)
    }

    fn is_xts(self) -> bool {
        matches!(self.parts().1, Mode::Xts | Mode::XtsIeee)
    }

    /// How many of `len` bytes to hold back while more may come.
    fn held_len(self, padding: Padding, encrypt: bool, len: usize) -> usize {
        match self.parts().1 {
            // The last whole block may be padding.
            Mode::Ecb | Mode::Cbc if padding == Padding::Pkcs7 && !encrypt && len > 0 => (len - 1) % BLOCK_LEN + 1,
            // The last two blocks may share bytes (ciphertext stealing).
            Mode::Xts | Mode::XtsIeee if len >= BLOCK_LEN => BLOCK_LEN + len % BLOCK_LEN,
            _ => len % BLOCK_LEN,
        }
    }
}

/// The padding of a plaintext to whole blocks, for algorithms that need them ([`Algorithm::pads`]). Other algorithms ignore it.
///
/// ```
/// use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
///
/// let cipher = Cipher::new(Algorithm::Sm4Ecb, &[7; 16])?;
/// assert_eq!(cipher.encrypt(&[], Padding::Pkcs7, &[0; 16])?.len(), 32);
/// assert_eq!(cipher.encrypt(&[], Padding::None, &[0; 16])?.len(), 16);
/// assert_eq!(cipher.encrypt(&[], Padding::None, b"odd").unwrap_err().code(), "partial_block");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Padding {
    /// PKCS#7 (RFC 5652 section 6.3): 1 byte to a block; each byte is their number.
    #[default]
    Pkcs7,
    /// No padding: a plaintext that is not whole blocks is refused.
    None,
}

/// A key with its schedules, computed once for many messages. Threads can share it. Zeroed on drop.
///
/// # Security
/// Nothing is authenticated; see the [module](self). The IV of CBC, CFB and CFB8 must be unpredictable. Never use an IV of CTR and OFB
/// twice.
///
/// # Examples
/// ```
/// use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
///
/// let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
/// let ciphertext = cipher.encrypt(&[9; 16], Padding::Pkcs7, b"attack at dawn")?;
/// assert_eq!(cipher.decrypt(&[9; 16], Padding::Pkcs7, &ciphertext)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Cipher {
    algorithm: Algorithm,
    schedule: Schedule,
}

impl Cipher {
    /// Computes the schedules of a key of [`Algorithm::key_len`] bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for XTS when both keys are equal (IEEE 1619 section 5.1);
    /// [`Error::UnavailableBackend`] for SM4 when the environment forces one.
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_len() {
            return Err(Error::WrongLength { what: "the key", expected: algorithm.key_len(), actual: key.len() });
        }
        if algorithm.is_xts() {
            let (data, tweak) = key.split_at(key.len() / 2);
            let difference = data.iter().zip(tweak).fold(0, |difference, (a, b)| difference | (a ^ b));
            if std::hint::black_box(difference) == 0 {
                return Err(Error::InvalidKey("the two keys of XTS are the same"));
            }
        }
        Ok(Self { algorithm, schedule: Schedule::new(algorithm, key)? })
    }

    /// The algorithm of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The name of the implementation: `aws-lc`, `rustcrypto`, or the backend of our own kernels.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.schedule.backend()
    }

    /// Encrypts a message.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for an IV that is not [`Algorithm::iv_len`] bytes; [`Error::PartialBlock`] for a plaintext without
    /// padding that is not whole blocks, and for less than a block with XTS.
    pub fn encrypt(&self, iv: &[u8], padding: Padding, plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut buffer = vec![0; self.ciphertext_len(padding, plaintext.len())];
        buffer[..plaintext.len()].copy_from_slice(plaintext);
        self.encrypt_padded(iv, padding, &mut buffer, plaintext.len())?;
        Ok(buffer)
    }

    /// Decrypts a message.
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::PartialBlock`] as in [`encrypt`](Self::encrypt); [`Error::InvalidPadding`] when the
    /// decrypted data does not end with valid padding, for any reason. No plaintext is released then.
    ///
    /// # Security
    /// Hide [`Error::InvalidPadding`] from anyone who can submit ciphertexts: it lets them decrypt (a padding oracle).
    pub fn decrypt(&self, iv: &[u8], padding: Padding, ciphertext: &[u8]) -> Result<Vec<u8>> {
        let mut buffer = ciphertext.to_vec();
        let len = self.decrypt_padded(iv, padding, &mut buffer)?;
        buffer.truncate(len);
        Ok(buffer)
    }

    /// Bytes of the ciphertext for a plaintext of `plaintext_len` bytes.
    #[must_use]
    pub fn ciphertext_len(&self, padding: Padding, plaintext_len: usize) -> usize {
        if self.algorithm.pads() && padding == Padding::Pkcs7 {
            plaintext_len / BLOCK_LEN * BLOCK_LEN + BLOCK_LEN
        } else {
            plaintext_len
        }
    }

    /// Replaces the plaintext of `plaintext_len` bytes at the beginning of `buffer` with its ciphertext, which fills the buffer.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt), and [`Error::WrongLength`] for a buffer whose length is not
    /// [`ciphertext_len`](Self::ciphertext_len). `buffer` is unchanged then.
    ///
    /// # Examples
    /// ```
    /// use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
    ///
    /// let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
    /// let mut buffer = *b"attack at dawn..";
    /// cipher.encrypt_padded(&[9; 16], Padding::Pkcs7, &mut buffer, 14)?;
    /// let len = cipher.decrypt_padded(&[9; 16], Padding::Pkcs7, &mut buffer)?;
    /// assert_eq!(&buffer[..len], b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    pub fn encrypt_padded(&self, iv: &[u8], padding: Padding, buffer: &mut [u8], plaintext_len: usize) -> Result<()> {
        let expected = self.ciphertext_len(padding, plaintext_len);
        if buffer.len() != expected {
            return Err(Error::WrongLength { what: "the buffer", expected, actual: buffer.len() });
        }
        let mut chain = Zeroizing::new(self.begin(iv, expected)?);
        if expected > plaintext_len {
            let last = expected - BLOCK_LEN;
            let padded = Zeroizing::new(padding::pad::<BLOCK_LEN>(&buffer[last..plaintext_len]));
            buffer[last..].copy_from_slice(&padded[..]);
        }
        self.schedule.apply(true, &mut chain, buffer);
        Ok(())
    }

    /// Replaces a ciphertext with its plaintext followed by zeros, and returns the plaintext's length.
    ///
    /// # Errors
    /// As [`decrypt`](Self::decrypt). [`Error::InvalidPadding`] zeroes `buffer`; the others leave it unchanged.
    ///
    /// # Security
    /// As [`decrypt`](Self::decrypt).
    pub fn decrypt_padded(&self, iv: &[u8], padding: Padding, buffer: &mut [u8]) -> Result<usize> {
        let mut chain = Zeroizing::new(self.begin(iv, buffer.len())?);
        self.schedule.apply(false, &mut chain, buffer);
        if !self.algorithm.pads() || padding == Padding::None {
            return Ok(buffer.len());
        }
        let last = buffer.last_chunk::<BLOCK_LEN>().ok_or(Error::InvalidPadding)?;
        let Some(kept) = padding::unpadded_len(last) else {
            buffer.zeroize();
            return Err(Error::InvalidPadding);
        };
        let len = buffer.len() - BLOCK_LEN + kept;
        buffer[len..].zeroize();
        Ok(len)
    }

    /// Replaces a plaintext with its ciphertext of the same length, without padding.
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::PartialBlock`] as in [`encrypt`](Self::encrypt). `buffer` is unchanged then.
    pub fn encrypt_in_place(&self, iv: &[u8], buffer: &mut [u8]) -> Result<()> {
        self.encrypt_padded(iv, Padding::None, buffer, buffer.len())
    }

    /// Replaces a ciphertext with its plaintext, without removing padding.
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::PartialBlock`] as in [`encrypt`](Self::encrypt). `buffer` is unchanged then.
    pub fn decrypt_in_place(&self, iv: &[u8], buffer: &mut [u8]) -> Result<()> {
        self.decrypt_padded(iv, Padding::None, buffer).map(drop)
    }

    /// Replaces independent messages, each with its own IV, with their ciphertexts, without padding. SM4 in CBC encrypts
    /// several messages together, many times as fast as one by one.
    ///
    /// ```
    /// use sealstone::hazmat::cipher::{Algorithm, Cipher};
    ///
    /// let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
    /// let (mut one, mut other) = ([1; 32], [2; 48]);
    /// cipher.encrypt_batch([(&[8; 16][..], &mut one[..]), (&[9; 16], &mut other)])?;
    /// cipher.decrypt_in_place(&[9; 16], &mut other)?;
    /// assert_eq!(other, [2; 48]);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::PartialBlock`] as in [`encrypt`](Self::encrypt), for any message. All messages are
    /// unchanged then.
    pub fn encrypt_batch<'a>(&self, messages: impl IntoIterator<Item = (&'a [u8], &'a mut [u8])>) -> Result<()> {
        let begun = messages.into_iter().map(|(iv, buffer)| Ok((self.begin(iv, buffer.len())?, buffer)));
        self.schedule.encrypt_batch(&mut begun.collect::<Result<Vec<_>>>()?);
        Ok(())
    }

    /// Begins to encrypt a message that comes in pieces.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for the IV.
    pub fn encryptor(&self, iv: &[u8], padding: Padding) -> Result<Stream<'_>> {
        Stream::new(self, true, iv, padding)
    }

    /// Begins to decrypt a ciphertext that comes in pieces.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for the IV.
    pub fn decryptor(&self, iv: &[u8], padding: Padding) -> Result<Stream<'_>> {
        Stream::new(self, false, iv, padding)
    }

    /// Checks that `len` bytes need no padding, and begins a chain for them.
    fn begin(&self, iv: &[u8], len: usize) -> Result<[u8; BLOCK_LEN]> {
        let chain = self.begin_chain(iv)?;
        let whole = !self.algorithm.pads() || len.is_multiple_of(BLOCK_LEN);
        let enough = !self.algorithm.is_xts() || len >= BLOCK_LEN;
        if whole && enough { Ok(chain) } else { Err(Error::PartialBlock(len % BLOCK_LEN)) }
    }

    fn begin_chain(&self, iv: &[u8]) -> Result<[u8; BLOCK_LEN]> {
        if iv.len() != self.algorithm.iv_len() {
            return Err(Error::WrongLength { what: "the IV", expected: self.algorithm.iv_len(), actual: iv.len() });
        }
        Ok(self.schedule.begin(iv.try_into().unwrap_or(&[0; BLOCK_LEN])))
    }
}

debug!(Cipher { algorithm });

/// A message in pieces. Up to 31 bytes are held back until more come, or the message ends.
///
/// ```
/// use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
///
/// let cipher = Cipher::new(Algorithm::Aes256Ctr, &[7; 32])?;
/// let mut ciphertext = Vec::new();
/// let mut stream = cipher.encryptor(&[9; 16], Padding::None)?;
/// for piece in [&b"attack "[..], b"at dawn"] {
///     stream.update(piece, &mut ciphertext);
/// }
/// stream.finish(&mut ciphertext)?;
/// assert_eq!(cipher.decrypt(&[9; 16], Padding::None, &ciphertext)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct Stream<'a> {
    cipher: &'a Cipher,
    encrypt: bool,
    padding: Padding,
    chain: [u8; BLOCK_LEN],
    held: [u8; 2 * BLOCK_LEN],
    held_len: usize,
}

impl<'a> Stream<'a> {
    fn new(cipher: &'a Cipher, encrypt: bool, iv: &[u8], padding: Padding) -> Result<Self> {
        let chain = cipher.begin_chain(iv)?;
        Ok(Self { cipher, encrypt, padding, chain, held: [0; 2 * BLOCK_LEN], held_len: 0 })
    }

    /// Takes the next bytes, and appends the finished ones to `output`.
    pub fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        let len = self.held_len + input.len();
        let ready = len - self.cipher.algorithm.held_len(self.padding, self.encrypt, len);
        let from_held = ready.min(self.held_len);
        let (now, later) = input.split_at(ready - from_held);
        output.reserve(ready + BLOCK_LEN);
        let mut done = output.len();
        output.extend_from_slice(&self.held[..from_held]);
        for piece in now.chunks(PIECE_LEN) {
            output.extend_from_slice(piece);
            let whole = (output.len() - done) / BLOCK_LEN * BLOCK_LEN;
            self.apply(&mut output[done..done + whole]);
            done += whole;
        }
        self.apply(&mut output[done..]);
        self.held.copy_within(from_held..self.held_len, 0);
        self.held_len -= from_held;
        self.held[self.held_len..self.held_len + later.len()].copy_from_slice(later);
        self.held_len += later.len();
    }

    /// Ends the message, and appends its last bytes to `output`.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] and [`Error::InvalidPadding`] as in [`Cipher::decrypt`]. Nothing is appended then, and the
    /// earlier output is invalid.
    pub fn finish(mut self, output: &mut Vec<u8>) -> Result<()> {
        let algorithm = self.cipher.algorithm;
        let rest = self.held_len % BLOCK_LEN;
        let at = output.len();
        if algorithm.pads() && self.padding == Padding::Pkcs7 {
            if self.encrypt {
                output.extend_from_slice(&*Zeroizing::new(padding::pad::<BLOCK_LEN>(&self.held[..rest])));
                self.apply(&mut output[at..]);
                return Ok(());
            }
            if rest > 0 {
                return Err(Error::PartialBlock(rest));
            }
            let mut last =
                Zeroizing::new(*self.held.first_chunk::<BLOCK_LEN>().expect("cipher: more than a block is held"));
            if self.held_len == 0 {
                return Err(Error::InvalidPadding);
            }
            self.apply(&mut last[..]);
            let len = padding::unpadded_len(&last).ok_or(Error::InvalidPadding)?;
            output.extend_from_slice(&last[..len]);
            return Ok(());
        }
        if algorithm.pads() && rest > 0 || algorithm.is_xts() && self.held_len < BLOCK_LEN {
            return Err(Error::PartialBlock(rest));
        }
        output.extend_from_slice(&self.held[..self.held_len]);
        self.apply(&mut output[at..]);
        Ok(())
    }

    fn apply(&mut self, data: &mut [u8]) {
        if !data.is_empty() {
            self.cipher.schedule.apply(self.encrypt, &mut self.chain, data);
        }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        self.chain.zeroize();
        self.held.zeroize();
    }
}

debug!(|it: Stream<'_>| { algorithm: it.cipher.algorithm });
