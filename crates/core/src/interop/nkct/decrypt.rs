//! Reading.

use super::header::Header;
use super::inspect::Nkct;
use super::key::{Identity, secrets};
use super::stream::Chunks;
use super::whole::Message;
use crate::aead::TAG_LEN;
use crate::error::{Error, Result};
use crate::format::{self, Reader, Summary, configured, settings_methods};
use crate::interop::marked::{Chunked, Open};
use crate::pipeline::{Destination, Input, Output, Settings};
use std::ops::Range;
use std::path::Path;
use zeroize::Zeroizing;

/// Decrypts files of nkCryptoTool.
///
/// # Security
/// A returned plaintext or a finished output file is authentic as a whole. Of version 3, a stream may receive an authentic prefix before an
/// error; of versions 1 and 2, which are one message, it receives nothing before all was verified.
///
/// A file does not say which key it is for. So a wrong key and a damaged file are one error, [`Error::NotAuthentic`].
///
/// # Memory
/// A chunk of version 3 may have 64 MiB, which its writer chose. Each thread has one, twice where the output is a stream, and there are no
/// more threads than 256 MiB of chunks need, but one at least, and one more for streams. Where several keys may fit, the first chunk is
/// held besides.
///
/// # Examples
/// ```
/// use sealstone::exchange::{Kind, PrivateKey};
/// use sealstone::interop::nkct::{Decryptor, Encryptor, Identity};
///
/// let identity = Identity::try_from(PrivateKey::generate(Kind::P256)?)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(&[7; 2_000_000])?;
/// let decryptor = Decryptor::new([identity]);
/// assert_eq!(decryptor.decrypt_range(&sealed, 1_500_000..1_500_003)?, [7, 7, 7]);
/// assert_eq!(decryptor.decrypt(&sealed[..sealed.len() - 1]).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Decryptor {
    identities: Vec<Identity>,
    settings: Settings,
}

impl Decryptor {
    /// Decrypts with these identities. A hybrid file takes one of P-256 and one of ML-KEM, which may be among others.
    #[must_use]
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Self {
        Self { identities: identities.into_iter().collect(), settings: Settings::default() }
    }

    /// Authenticates all of the input before the first byte is written, and reads it twice for that. Of versions 1 and 2 a stream always
    /// waits for that.
    #[must_use]
    pub fn verify_first(mut self, verify_first: bool) -> Self {
        self.settings.set_verify_first(verify_first);
        self
    }

    settings_methods!();

    /// Decrypts bytes in memory.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to), except for the errors of files. Nothing is released then.
    pub fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>> {
        if let Some(header) = Header::parse(ciphertext)?
            && header.version < 3
        {
            let message = self.message(&header)?;
            return message.open(&ciphertext[header.len..]).map(|mut plaintext| std::mem::take(&mut *plaintext));
        }
        format::decrypt_in_memory(self, ciphertext)
    }

    /// Decrypts a part of bytes in memory, of version 3. Only the chunks that hold it are authenticated.
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to).
    pub fn decrypt_range(&self, ciphertext: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
        format::decrypt_range_in_memory(self, ciphertext, range)
    }

    /// Decrypts a file into a new one with mode 0600, which appears when all of it is authentic or not at all.
    ///
    /// ```no_run
    /// # use sealstone::interop::nkct::{Decryptor, Identity};
    /// # fn run(identity: Identity) -> sealstone::Result<()> {
    /// Decryptor::new([identity]).decrypt_file("film.mkv.nkct", "film.mkv")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn decrypt_file(&self, input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Summary> {
        self.decrypt_to(Input::open(input)?, Output::file(output)?)
    }

    /// Decrypts from any input to any output.
    ///
    /// # Errors
    /// - what is wrong with the bytes: [`Error::MalformedHeader`], [`Error::Truncated`], [`Error::TooLong`],
    ///   [`Error::NoMatchingIdentity`] where there is no identity of the file's kinds, [`Error::NotAuthentic`];
    /// - [`Error::NotSeekable`] when the input is a stream and everything must be verified first, or when it is one of version 1 or 2 over
    ///   64 MiB and another than the first of the keys opens it;
    /// - [`Error::TooMuchToHold`] for a file of version 1 or 2 over 64 MiB to a stream;
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        format::decrypt(self, input, output)?.publish()
    }

    /// Authenticates all of an input and writes nothing.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn verify(&self, input: Input<'_>) -> Result<Summary> {
        format::verify(self, input)
    }

    /// Decrypts bytes `range.start` up to `range.end` of the plaintext of a file of version 3; an end past the plaintext's end is cut to
    /// it. Returns how many bytes were written.
    ///
    /// # Security
    /// As of [`Decryptor::decrypt_range_to`](crate::Decryptor::decrypt_range_to).
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to); [`Error::RangeOutOfBounds`] when the range begins past the end of the plaintext or ends before
    /// it begins; [`Error::NotSeekable`] when the input is a stream; [`Error::InvalidOption`] for versions 1 and 2, whose plaintext
    /// is authentic only as a whole.
    pub fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        format::decrypt_range(self, input, range, output)
    }

    /// What opens the chunks. Where several keys fit, the first chunk tells which.
    fn chunks(&self, input: &mut Input<'_>, header: &Header, is_stream: bool) -> Result<Open<Chunks>> {
        let secrets = secrets(&self.identities, &header.keys)?;
        let mut all = secrets.iter().map(|secret| Chunks::new(header, secret)).collect::<Result<Vec<_>>>()?;
        let mut chosen = 0;
        if all.len() > 1 {
            let sealed_chunk_len = header.chunk_len as usize + TAG_LEN;
            let head = input.head(header.len + sealed_chunk_len)?;
            let first = &head[header.len..];
            let opens = |chunks: &Chunks| {
                first.len() >= TAG_LEN
                    && [false, true]
                        .into_iter()
                        .any(|is_last| chunks.open_chunk(0, is_last, &mut Zeroizing::new(first.to_vec())).is_ok())
            };
            // Whichever is tried then says that it does not open.
            chosen = all.iter().position(opens).unwrap_or(0);
        }
        Ok(Open::new(all.swap_remove(chosen), is_stream))
    }

    /// The body of versions 1 and 2.
    fn message(&self, header: &Header) -> Result<Message> {
        Message::new(header, &secrets(&self.identities, &header.keys)?)
    }
}

configured!(Decryptor);

impl Reader for Decryptor {
    type Format = Nkct;
    type Payload = Open<Chunks>;

    fn open(&self, input: &mut Input<'_>, is_stream: bool) -> Result<(Open<Chunks>, usize)> {
        let header = Header::of(input)?;
        if header.version < 3 {
            return Err(Error::InvalidOption(
                "only nkCryptoTool files of version 3 or newer can be read in part, and this file is older",
            ));
        }
        Ok((self.chunks(input, &header, is_stream)?, header.len))
    }

    /// Versions 1 and 2 wait in memory, or in a file without a name.
    fn holds_back(&self, input: &mut Input<'_>) -> Result<bool> {
        Ok(Header::of(input)?.version < 3)
    }

    fn run<'o>(&self, input: &mut Input<'_>, output: Output<'o>) -> Result<(Destination<'o>, Summary)> {
        let header = Header::of(input)?;
        if header.version == 3 {
            let chunks = self.chunks(input, &header, output.is_stream())?;
            return format::deliver((chunks, header.len), &self.settings, input, output);
        }
        let (destination, plaintext) = self.message(&header)?.decrypt(input, header.len, output, &self.settings)?;
        Ok((destination, Summary { plaintext, ciphertext: plaintext + (header.len + TAG_LEN) as u64 }))
    }
}

impl std::fmt::Debug for Decryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decryptor").field("identities", &self.identities).finish_non_exhaustive()
    }
}
