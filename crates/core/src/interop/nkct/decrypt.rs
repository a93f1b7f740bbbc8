//! Decrypts files of nkCryptoTool.

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
/// A returned plaintext or a finished output file is authentic as a whole. With version 3, a stream may receive an authentic
/// prefix before an error. With versions 1 and 2, which are one message, it receives nothing before all is verified.
///
/// A file does not name its key. So a wrong key and a damaged file give the same error, [`Error::NotAuthentic`].
///
/// # Memory
/// A chunk of version 3 has up to 64 MiB, as its writer chose. Each thread holds one chunk, and a copy of it if the output is a
/// stream. There are at most as many threads as 256 MiB hold chunks, but at least one, and one more for streams. If several
/// keys may fit, the first chunk is held too.
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
    /// Decrypts with these identities. A hybrid file needs one of P-256 and one of ML-KEM among them.
    #[must_use]
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Self {
        Self { identities: identities.into_iter().collect(), settings: Settings::default() }
    }

    /// Authenticates all of the input before the first byte is written, which reads the input twice. Output to a stream always
    /// waits for that with versions 1 and 2.
    #[must_use]
    pub fn verify_first(mut self, verify_first: bool) -> Self {
        self.settings.set_verify_first(verify_first);
        self
    }

    settings_methods!();

    /// Decrypts bytes in memory.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to), except for the errors of files. After an error, no plaintext is released.
    pub fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>> {
        if let Some(header) = Header::parse(ciphertext)?
            && header.version < 3
        {
            let message = self.message(&header)?;
            return message.open(&ciphertext[header.len..]).map(|mut plaintext| std::mem::take(&mut *plaintext));
        }
        format::decrypt_in_memory(self, ciphertext)
    }

    /// Decrypts a range of the plaintext of a version 3 file in memory. Only the chunks that hold the range are authenticated.
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to).
    pub fn decrypt_range(&self, ciphertext: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
        format::decrypt_range_in_memory(self, ciphertext, range)
    }

    /// Decrypts a file into a new file with mode 0600, which appears only when all of it is authentic.
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
    /// - the errors of the file: [`Error::MalformedHeader`], [`Error::Truncated`], [`Error::TooLong`],
    ///   [`Error::NoMatchingIdentity`] without an identity of the file's kinds, [`Error::NotAuthentic`];
    /// - [`Error::NotSeekable`] when the input is a stream and everything must be verified first, or when it is a stream of
    ///   version 1 or 2 over 64 MiB and the first of the keys does not open it;
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

    /// Decrypts bytes `range.start` up to `range.end` of the plaintext of a version 3 file; an end past the plaintext's end is
    /// cut to it. Returns the number of bytes written.
    ///
    /// # Security
    /// As for [`Decryptor::decrypt_range_to`](crate::Decryptor::decrypt_range_to).
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to); [`Error::RangeOutOfBounds`] when the range begins past the end of the plaintext or ends before
    /// it begins; [`Error::NotSeekable`] when the input is a stream; [`Error::InvalidOption`] for versions 1 and 2, whose plaintext
    /// is authentic only as a whole.
    pub fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        format::decrypt_range(self, input, range, output)
    }

    /// The transform that opens the chunks. If several keys may fit, it tries them on the first chunk.
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
            // If none opens the first chunk, any key leads to the error.
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

    /// With versions 1 and 2, the plaintext waits in memory or in a file without a name.
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

debug!(Decryptor { identities });
