//! Reading.

use super::header::Header;
use super::key::{Identity, secrets};
use super::stream::{Chunks, bounded, opened_len};
use super::whole::Message;
use crate::aead::TAG_LEN;
use crate::error::{Error, Result};
use crate::format::{Delivery, Part, Summary, settings_methods};
use crate::interop::marked::{Chunked, Open};
use crate::pipeline::{Destination, Input, Output, Settings, Source};
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use zeroize::{Zeroize, Zeroizing};

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
    verify_first: bool,
    settings: Settings,
}

impl Decryptor {
    /// Decrypts with these identities. A hybrid file takes one of P-256 and one of ML-KEM, which may be among others.
    #[must_use]
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Self {
        Self { identities: identities.into_iter().collect(), verify_first: false, settings: Settings::default() }
    }

    /// Authenticates all of the input before the first byte is written, and reads it twice for that. Of versions 1 and 2 a stream always
    /// waits for that.
    #[must_use]
    pub fn verify_first(mut self, verify_first: bool) -> Self {
        self.verify_first = verify_first;
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
            let message = Message::new(&header, &secrets(&self.identities, &header.keys)?)?;
            return message.open(&ciphertext[header.len..]).map(|mut plaintext| std::mem::take(&mut *plaintext));
        }
        let mut plaintext = Vec::with_capacity(ciphertext.len());
        match self.decrypt_to(Input::reader(ciphertext), Output::writer(&mut plaintext)) {
            Ok(_) => Ok(plaintext),
            Err(error) => {
                plaintext.zeroize();
                Err(error)
            }
        }
    }

    /// Decrypts a part of bytes in memory, of version 3. Only the chunks that hold it are authenticated.
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to).
    pub fn decrypt_range(&self, ciphertext: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
        let mut input = Input::reader(ciphertext);
        let header = with_ranges(&mut input)?;
        let open = self.open(&mut input, &header, true)?;
        let chunks = &ciphertext[header.len..];
        let plaintext_len = opened_len(chunks.len() as u64, header.chunk_len)?;
        let read_from = |offset: u64| -> Box<dyn Read + Send + '_> {
            let at = usize::try_from(offset).expect("decrypt: it is in memory").min(chunks.len());
            Box::new(&chunks[at..])
        };
        let mut plaintext = Zeroizing::new(Vec::new());
        let part = Part { open: &open, plaintext_len, range };
        let settings = bounded(&self.settings, header.chunk_len);
        open.finish(part.read(read_from, &mut *plaintext, &settings))?;
        Ok(std::mem::take(&mut *plaintext))
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
    pub fn decrypt_to(&self, mut input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        output.check(&input)?;
        if self.verify_first {
            let header = Header::of(&mut input)?;
            // Of a stream, versions 1 and 2 wait in memory anyway.
            if input.len().is_none() && header.version == 3 {
                self.open(&mut input, &header, false)?;
                return Err(Error::NotSeekable);
            }
            if input.len().is_some() {
                let verified = self.verified(&mut input);
                input.finish_with(verified)?;
            }
        }
        let decrypted = self.run(&mut input, output);
        let (destination, summary) = input.finish_with(decrypted)?;
        destination.commit()?;
        Ok(summary)
    }

    /// Authenticates all of an input and writes nothing.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn verify(&self, mut input: Input<'_>) -> Result<Summary> {
        let verified = self.verified(&mut input);
        input.finish_with(verified)
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
    pub fn decrypt_range_to(&self, mut input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        output.check(&input)?;
        let header = with_ranges(&mut input)?;
        let open = self.open(&mut input, &header, output.is_stream())?;
        let Source::Region(region) = input.source(header.len) else { return Err(Error::NotSeekable) };
        let plaintext_len = opened_len(region.len(), header.chunk_len)?;
        let read_from = |offset| -> Box<dyn Read + Send + '_> { Box::new(region.reader(offset)) };
        let mut destination = output.begin(None)?;
        let part = Part { open: &open, plaintext_len, range };
        let settings = bounded(&self.settings, header.chunk_len);
        let written = destination.with_writer(|writer| part.read(read_from, writer, &settings));
        let written = input.finish_with(open.finish(written))?;
        destination.commit()?;
        Ok(written)
    }

    /// What opens the chunks. Where several keys fit, the first chunk tells which.
    fn open(&self, input: &mut Input<'_>, header: &Header, is_stream: bool) -> Result<Open<Chunks>> {
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

    fn verified(&self, input: &mut Input<'_>) -> Result<Summary> {
        let header = Header::of(input)?;
        if header.version == 3 {
            return self.run(input, Output::nothing()).map(|(_, summary)| summary);
        }
        let message = Message::new(&header, &secrets(&self.identities, &header.keys)?)?;
        let plaintext = message.verify(input, header.len, &self.settings)?;
        Ok(Summary { plaintext, ciphertext: plaintext + (header.len + TAG_LEN) as u64 })
    }

    fn run<'a>(&self, input: &mut Input<'_>, output: Output<'a>) -> Result<(Destination<'a>, Summary)> {
        let header = Header::of(input)?;
        let at = header.len;
        if header.version < 3 {
            let message = Message::new(&header, &secrets(&self.identities, &header.keys)?)?;
            let (destination, plaintext) = message.decrypt(input, at, output, &self.settings)?;
            return Ok((destination, Summary { plaintext, ciphertext: plaintext + (at + TAG_LEN) as u64 }));
        }
        let open = self.open(input, &header, output.is_stream())?;
        let chunk_len = header.chunk_len;
        let len = input.len().map(|len| opened_len(len - at as u64, chunk_len)).transpose()?;
        let delivery = Delivery { head: &[], transform: open, len, armour: None };
        let delivered = delivery.run(input, at, output, &bounded(&self.settings, chunk_len));
        let (destination, plaintext) = delivery.transform.finish(delivered)?;
        let ciphertext = delivery.transform.sealed_len(plaintext)? + at as u64;
        Ok((destination, Summary { plaintext, ciphertext }))
    }
}

/// The header of a file that can be read at any position.
fn with_ranges(input: &mut Input<'_>) -> Result<Header> {
    let header = Header::of(input)?;
    if header.version == 3 {
        return Ok(header);
    }
    Err(Error::InvalidOption("files of nkCryptoTool can be read in part from version 3 on, and this one is older"))
}

impl std::fmt::Debug for Decryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decryptor").field("identities", &self.identities).finish_non_exhaustive()
    }
}
