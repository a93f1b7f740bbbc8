use super::chunks::{Chunks, HEAD_LEN, Open};
use super::header::{Flags, Header, payload_key};
use super::inspect::{Sealstone, header_len_of};
use super::parts::{FileOpener, batch};
use super::{Context, check_profile};
use crate::error::{Error, Result};
use crate::format::armour::{FILE, dearmour_if_armoured, is_armoured};
use crate::format::{self, Prepared, Reader, Summary, asks, configured, settings_methods};
use crate::key::{Identity, Kind};
#[cfg(all(feature = "archive", not(target_family = "wasm")))]
use crate::pipeline::Destination;
use crate::pipeline::{Input, Output, Settings};
use crate::profile::Profile;
use crate::recipient::PREFIX_LEN;
use crate::recipient::{Stretch, StretchKdf};
use crate::suite::Suite;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Decrypts files and data with identities.
///
/// # Security
/// A returned plaintext or a finished output file is authentic as a whole. A stream may receive an authentic prefix before an
/// error: check the result. A file does not prove who sent it: anyone who has the recipient can make one.
///
/// A service that decrypts for others must return one error for all of [`Error::NoMatchingIdentity`],
/// [`Error::HeaderNotAuthentic`] and [`Error::NotAuthentic`]: the difference tells whether an identity opened a stanza.
///
/// # Examples
/// ```
/// use sealstone::{Decryptor, Encryptor, Identity, Kind};
///
/// let identity = Identity::generate(Kind::X25519)?;
/// let sealed = Encryptor::new([identity.recipient()]).encrypt(&[7; 100_000])?;
/// let decryptor = Decryptor::new([identity]);
/// assert_eq!(decryptor.decrypt_range(&sealed, 50_000..50_003)?, [7, 7, 7]);
/// assert_eq!(decryptor.decrypt(&sealed[..sealed.len() - 1]).unwrap_err().code(), "not_authentic");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct Decryptor {
    identities: Vec<Identity>,
    context: Context,
    profile: Option<Profile>,
    content_limit: u64,
    pub(super) settings: Settings,
}

impl Decryptor {
    /// Decrypts with these identities, tried in their order.
    #[must_use]
    pub fn new(identities: impl IntoIterator<Item = Identity>) -> Self {
        Self {
            identities: identities.into_iter().collect(),
            context: Context::default(),
            profile: None,
            content_limit: 1 << 30,
            settings: Settings::default(),
        }
    }

    /// Sets the context that the file is bound to, 1 to 1,024 bytes (format section 6).
    ///
    /// # Errors
    /// [`Error::InvalidContext`] for any other length.
    pub fn context(mut self, context: impl AsRef<[u8]>) -> Result<Self> {
        self.context = Context::new(context.as_ref())?;
        Ok(self)
    }

    /// Authenticates all of the input before the first byte is written, which reads the input twice. Use it for output to a
    /// stream; an output file appears only when everything is authentic anyway.
    #[must_use]
    pub fn verify_first(mut self, verify_first: bool) -> Self {
        self.settings.set_verify_first(verify_first);
        self
    }

    /// Refuses everything outside a profile: identities of other kinds, and files of other suites.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Sets the most bytes that [`decrypt`](Self::decrypt) and its relatives take into memory from one compressed file; by default 1 GiB. A
    /// few bytes can be compressed content of any length, so a service that decrypts for others should set less.
    ///
    /// ```
    /// use sealstone::{Compression, Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let encryptor = Encryptor::new([identity.recipient()]).compression(Compression::Auto);
    /// let file = encryptor.encrypt(&[7; 1_000_000])?;
    /// let error = Decryptor::new([identity]).content_limit(999_999).decrypt(&file).unwrap_err();
    /// assert_eq!(error.code(), "too_long");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn content_limit(mut self, bytes: u64) -> Self {
        self.content_limit = bytes;
        self
    }

    settings_methods!();

    /// Decrypts bytes in memory, with or without armour.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to), except for the errors of files. After an error, no plaintext is released.
    /// [`Error::TooMuchContent`] if the content of a compressed file is longer than the [`content_limit`](Self::content_limit).
    pub fn decrypt(&self, ciphertext: &[u8]) -> Result<Vec<u8>> {
        let file = dearmour_if_armoured(FILE, ciphertext)?;
        #[cfg(all(feature = "archive", not(target_family = "wasm")))]
        if Header::parse(&file)?.flags().compressed {
            return format::decrypt_content_in_memory(self, &file);
        }
        self.opener(&file)?.decrypt(&file)
    }

    /// As [`decrypt`](Self::decrypt), in the ciphertext's memory, so that a long plaintext needs no second buffer.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// assert_eq!(Decryptor::new([identity]).decrypt_in_place(sealed)?, b"attack at dawn");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`decrypt`](Self::decrypt). After an error, the memory is zeroed.
    pub fn decrypt_in_place(&self, ciphertext: Vec<u8>) -> Result<Vec<u8>> {
        if is_armoured(&ciphertext) || Header::parse(&ciphertext)?.flags().compressed {
            return self.decrypt(&ciphertext);
        }
        self.opener(&ciphertext)?.open_in_place(ciphertext)
    }

    /// Decrypts each of several files, on several threads; returns the results in their order.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let plaintexts = Decryptor::new([identity]).decrypt_batch([&sealed[..], &sealed[1..]])?;
    /// assert_eq!(plaintexts[0].as_ref().unwrap(), b"attack at dawn");
    /// assert_eq!(plaintexts[1].as_ref().unwrap_err().code(), "not_sealstone");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Cancelled`]. The error of one file is in its own result.
    pub fn decrypt_batch<'a>(&self, ciphertexts: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Result<Vec<u8>>>> {
        let each = Self { settings: Settings::alone(), ..self.clone() };
        batch(ciphertexts, &self.settings, |ciphertext| each.decrypt(ciphertext))
    }

    /// Decrypts a range of the plaintext of a file in memory. Only the chunks that hold the range are authenticated.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let decryptor = Decryptor::new([identity]);
    /// assert_eq!(decryptor.decrypt_range(&sealed, 10..1000)?, b"dawn");
    /// assert_eq!(decryptor.decrypt_range(&sealed, 15..16).unwrap_err().code(), "range_out_of_bounds");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`decrypt_range_to`](Self::decrypt_range_to). [`Error::TooMuchContent`] if the range in a compressed file is longer than the
    /// [`content_limit`](Self::content_limit).
    pub fn decrypt_range(&self, ciphertext: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
        format::decrypt_range_in_memory(self, &dearmour_if_armoured(FILE, ciphertext)?, range)
    }

    /// Decrypts a stream. Only authentic chunks are written.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let (mut sealed, mut opened) = (Vec::new(), Vec::new());
    /// Encryptor::new([identity.recipient()]).encrypt_stream(&b"attack at dawn"[..], &mut sealed)?;
    /// let summary = Decryptor::new([identity]).decrypt_stream(&sealed[..], &mut opened)?;
    /// assert_eq!((summary.plaintext, &opened[..]), (14, &b"attack at dawn"[..]));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to). The bytes written before an error are an authentic prefix.
    pub fn decrypt_stream(&self, reader: impl Read + Send, writer: impl Write + Send) -> Result<Summary> {
        self.decrypt_to(Input::reader(reader), Output::writer(writer))
    }

    /// Decrypts a file into a new file with mode 0600, which appears only when all of it is authentic. An existing file is an
    /// error; to replace it, call [`decrypt_to`](Self::decrypt_to) with [`Output::replace`].
    ///
    /// ```no_run
    /// # use sealstone::{Decryptor, Identity};
    /// # fn run(identity: Identity) -> sealstone::Result<()> {
    /// Decryptor::new([identity]).decrypt_file("film.mkv.seal", "film.mkv")?;
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
    /// ```no_run
    /// # use sealstone::{Decryptor, Identity};
    /// use sealstone::{Input, Output};
    ///
    /// # fn run(identity: Identity) -> sealstone::Result<()> {
    /// let output = Output::file("film.mkv")?.replace(true);
    /// Decryptor::new([identity]).decrypt_to(Input::reader(std::io::stdin()), output)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// - the errors of format section 8: [`Error::NotSealstone`], [`Error::UnsupportedVersion`], [`Error::UnsupportedSuite`],
    ///   [`Error::MalformedHeader`], [`Error::MalformedArmour`], [`Error::Truncated`], [`Error::ContextRequired`],
    ///   [`Error::ContextNotBound`], [`Error::CostTooHigh`], [`Error::NoMatchingIdentity`], [`Error::HeaderNotAuthentic`],
    ///   [`Error::NotAuthentic`];
    /// - [`Error::NotSeekable`] when the input is a stream and everything must be verified first;
    /// - [`Error::SameFile`], [`Error::OutputExists`], [`Error::InputChanged`] and [`Error::Io`] from files;
    /// - [`Error::Cancelled`].
    pub fn decrypt_to(&self, input: Input<'_>, output: Output<'_>) -> Result<Summary> {
        self.prepare(input, output)?.publish()
    }

    /// As [`decrypt_to`](Self::decrypt_to), without publishing the output, all of which is then authentic.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn prepare<'o>(&self, input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
        format::decrypt(self, input, output)
    }

    /// Authenticates all of an input and writes nothing. Of an archive, it also checks all members and the index.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Input, Kind};
    ///
    /// let identity = Identity::generate(Kind::X25519)?;
    /// let mut sealed = Encryptor::new([identity.recipient()]).encrypt(b"attack at dawn")?;
    /// let decryptor = Decryptor::new([identity]);
    /// assert_eq!(decryptor.verify(Input::reader(&sealed[..]))?.plaintext, 14);
    /// *sealed.last_mut().unwrap() ^= 1;
    /// assert_eq!(decryptor.verify(Input::reader(&sealed[..])).unwrap_err().code(), "not_authentic");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to).
    pub fn verify(&self, input: Input<'_>) -> Result<Summary> {
        format::verify(self, input)
    }

    /// Decrypts bytes `range.start` up to `range.end` of the plaintext; an end past the plaintext's end is cut to it. Returns
    /// the number of bytes written.
    ///
    /// ```no_run
    /// # use sealstone::{Decryptor, Identity};
    /// use sealstone::{Input, Output};
    ///
    /// # fn run(identity: Identity) -> sealstone::Result<()> {
    /// let mut part = Vec::new();
    /// let input = Input::open("film.mkv.seal")?;
    /// Decryptor::new([identity]).decrypt_range_to(input, 1_000_000..1_001_000, Output::writer(&mut part))?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Security
    /// Only the header and the chunks that hold the range are authenticated, so each byte is authentic at its place. If fewer
    /// bytes come than the range has, the last chunk was authenticated too, and so was the length.
    ///
    /// # Errors
    /// See [`decrypt_to`](Self::decrypt_to); [`Error::RangeOutOfBounds`] when the range begins past the end of the
    /// plaintext or ends before it begins; [`Error::NotSeekable`] when the input is a stream or armoured.
    pub fn decrypt_range_to(&self, input: Input<'_>, range: Range<u64>, output: Output<'_>) -> Result<u64> {
        format::decrypt_range(self, input, range, output)
    }

    /// The key to derive from the passphrase before this file can be opened; see [`Stretch`]. `file` is the beginning of the
    /// file with its whole header, or a whole file in armour.
    ///
    /// # Errors
    /// The errors of format section 8 for the header, and for costs that no reader accepts.
    pub fn stretch(&self, file: &[u8]) -> Result<Option<Stretch>> {
        if self.identities.iter().all(|identity| identity.kind() != Kind::Passphrase) {
            return Ok(None);
        }
        self.check_header(&dearmour_if_armoured(FILE, file)?)?.stretch(&self.identities)
    }

    /// Hands the key that [`stretch`](Self::stretch) asked for to the passphrase, which does not derive it again for this file.
    /// A wrong key opens nothing.
    pub fn know(&self, stretch: &Stretch, key: &[u8; 32]) {
        stretch.tell(self.identities.iter().filter_map(Identity::passphrase), key);
    }

    /// Steps 1 to 7 of format section 8. Returns the keys and the offset of the chunks.
    pub(super) fn open_head(&self, file: &[u8]) -> Result<(Chunks, usize)> {
        let unlocked = self.unlock(file)?;
        self.begin(&unlocked, &file[unlocked.header_len..])
    }

    /// Steps 1 to 6, which need only the header.
    fn unlock(&self, file: &[u8]) -> Result<Unlocked> {
        let header = self.check_header(file)?;
        let file_key = header.open(&self.identities)?;
        let key = payload_key(header.suite(), &file_key);
        let (suite, flags) = (header.suite(), header.flags());
        Ok(Unlocked { suite, flags, prefix: *header.prefix(), header_len: header.len(), key })
    }

    /// Parses the header, and makes all checks that need no key.
    fn check_header<'a>(&self, file: &'a [u8]) -> Result<Header<'a>> {
        let header = Header::parse(file)?;
        check_profile(self.profile, header.suite(), self.identities.iter().map(|one| Some(one.kind())))?;
        match (self.context.is_some(), header.flags().context) {
            (false, true) => Err(Error::ContextRequired),
            (true, false) => Err(Error::ContextNotBound),
            _ => Ok(header),
        }
    }

    /// Step 7, with the bytes behind the header.
    fn begin(&self, unlocked: &Unlocked, payload: &[u8]) -> Result<(Chunks, usize)> {
        let Unlocked { suite, prefix, header_len, key, .. } = unlocked;
        let head = payload.first_chunk::<HEAD_LEN>().ok_or(Error::Truncated("it ends before the first chunk"))?;
        let chunks = Chunks::open(*suite, key, &[prefix, self.context.as_bytes()], head)?;
        Ok((chunks, header_len + HEAD_LEN))
    }

    /// Begins to decrypt one file in parts. `head` has the number of bytes that [`FileOpener::read_head_len`] returns, or more.
    ///
    /// # Errors
    /// The errors of [`decrypt_to`](Self::decrypt_to) for the header.
    pub fn opener(&self, head: &[u8]) -> Result<FileOpener> {
        if Header::parse(head)?.flags().compressed {
            return Err(Error::UnsupportedFlag(COMPRESSED));
        }
        let (chunks, head_len) = self.open_head(head)?;
        Ok(FileOpener::new(chunks, head_len, self.settings.clone()))
    }
}

#[cfg(all(feature = "archive", not(target_family = "wasm")))]
impl Decryptor {
    pub(super) fn settings_of(&self) -> &Settings {
        &self.settings
    }
}

configured!(Decryptor);

asks!(Decryptor, StretchKdf, |this, file| format::asked::<Sealstone>(file)?.with_stretch(this.stretch(file)?));

/// The files that [`FileOpener`] does not open.
const COMPRESSED: &str = "the file is compressed, and can only be decrypted as a whole here";

impl Reader for Decryptor {
    type Format = Sealstone;
    type Payload = Open;

    /// Reads only as much of a stream as each step needs, so that the error is that of the first fault.
    fn open(&self, input: &mut Input<'_>, _is_stream: bool) -> Result<(Open, usize)> {
        let len = header_len_of(input)?;
        let unlocked = self.unlock(input.head(len)?)?;
        let (chunks, at) = self.begin(&unlocked, &input.head(len + HEAD_LEN)?[len..])?;
        Ok((Open(Arc::new(chunks), unlocked.flags), at))
    }

    fn content_limit(&self) -> u64 {
        self.content_limit
    }

    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    fn run<'o>(&self, input: &mut Input<'_>, output: Output<'o>) -> Result<(Destination<'o>, Summary)> {
        let (payload, at) = self.open(input, output.is_stream())?;
        if payload.1.archive && output.is_stream() {
            return super::archive::write_tape(&payload, at, input, output, &self.settings);
        }
        format::deliver((payload, at), &self.settings, input, output)
    }

    #[cfg(all(feature = "archive", not(target_family = "wasm")))]
    fn check(&self, input: &mut Input<'_>) -> Result<Summary> {
        let (payload, at) = self.open(input, false)?;
        if payload.1.archive {
            return super::archive::verify(&payload, at, input, &self.settings);
        }
        format::deliver((payload, at), &self.settings, input, Output::nothing()).map(|(_, summary)| summary)
    }
}

debug!(Decryptor { identities });

/// The values of an opened header.
struct Unlocked {
    suite: Suite,
    flags: Flags,
    prefix: [u8; PREFIX_LEN],
    header_len: usize,
    key: Zeroizing<Vec<u8>>,
}
