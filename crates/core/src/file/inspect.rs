use super::chunks::{HEAD_LEN, opened_len};
use super::header::{Header, MAGIC, PEEK_LEN, START_LEN, header_len};
use crate::error::{Error, Result};
use crate::format::armour::{self, ArmourDecoder, Dearmour, FILE, FILE_ALONE, Label};
use crate::format::{self, Asked, Format};
use crate::kdf::Work;
use crate::key::{Identity, KeyFileError, Kind, derivations_after, parse_identities_after, parse_identity_strings};
use crate::password::{Derivation, Passphrase};
use crate::pipeline::Input;
use crate::recipient::{Stanza, StanzaId, work};
use crate::suite::Suite;

/// The facts about a file that are visible without a key. They are not authenticated.
///
/// ```
/// use sealstone::{Encryptor, Identity, Input, Kind, inspect};
///
/// let recipient = Identity::generate(Kind::Hybrid)?.recipient();
/// let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
/// let seen = inspect(Input::reader(&sealed[..]))?;
/// assert_eq!(seen.stanzas[0].kind, "hybrid");
/// assert_eq!(seen.plaintext_len, 14);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// Format version.
    pub version: u8,
    /// The suite.
    pub suite: Suite,
    /// Whether a context is bound.
    pub context_bound: bool,
    /// Whether the content is compressed.
    pub compressed: bool,
    /// Whether the content is an archive of files and folders.
    pub archive: bool,
    /// Whether the file is ASCII armour.
    pub armoured: bool,
    /// One entry for each stanza, in file order.
    pub stanzas: Vec<StanzaInfo>,
    /// Bytes of the header.
    pub header_len: u64,
    /// Bytes of the payload: salt, commitment and chunks.
    pub payload_len: u64,
    /// Bytes of plaintext, computed from the payload's length. Of a [compressed](Self::compressed) file, it is the stored
    /// content, and the length of the content is not visible.
    pub plaintext_len: u64,
    /// The number of chunks, including the short last one.
    pub chunks: u64,
}

/// One stanza of a file.
///
/// ```
/// use sealstone::{Encryptor, Identity, Input, Kind, inspect};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
/// let stanza = &inspect(Input::reader(&sealed[..]))?.stanzas[0];
/// assert_eq!((stanza.kind, stanza.type_id, stanza.body_len), ("x25519", 1, 80));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StanzaInfo {
    /// The name of the stanza's type, or `unknown`.
    pub kind: &'static str,
    /// The type number.
    pub type_id: u16,
    /// Bytes of the stanza's body.
    pub body_len: usize,
    /// The work of trying a passphrase on the stanza.
    work: Work,
}

impl StanzaInfo {
    /// The kind of key that opens the stanza; `None` for an unknown type.
    ///
    /// ```
    /// use sealstone::{Encryptor, Identity, Input, Kind, inspect};
    ///
    /// let recipient = Identity::generate(Kind::X25519)?.recipient();
    /// let sealed = Encryptor::new([recipient]).encrypt(b"attack at dawn")?;
    /// assert_eq!(inspect(Input::reader(&sealed[..]))?.stanzas[0].served(), Some(Kind::X25519));
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn served(&self) -> Option<Kind> {
        StanzaId(self.type_id).key_kind()
    }

    /// Whether a passphrase opens the stanza, with any derivation.
    ///
    /// ```
    /// use sealstone::{Encryptor, Input, Passphrase, Suite, inspect};
    ///
    /// let passphrase = Passphrase::new("correct horse battery staple")?;
    /// let sealed = Encryptor::new([passphrase.into()]).suite(Suite::Sm4Gcm).encrypt(b"attack at dawn")?;
    /// let seen = inspect(Input::reader(&sealed[..]))?;
    /// assert_eq!(seen.stanzas[0].kind, "passphrase-sm3");
    /// assert!(seen.stanzas[0].is_passphrase());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn is_passphrase(&self) -> bool {
        self.served() == Some(Kind::Passphrase)
    }
}

impl Inspection {
    /// Parses the identities in `plaintext`, the content of this file, as [`parse_identities`](crate::parse_identities) does.
    /// The passphrase of this file and all encrypted keys in it share the limit of work that one key has.
    ///
    /// ```
    /// use sealstone::{Decryptor, Encryptor, Identity, Input, Kind, Passphrase, inspect};
    ///
    /// let passphrase = Passphrase::new("correct horse battery staple")?;
    /// let text = Identity::generate(Kind::Hybrid)?.to_text().unwrap();
    /// let file = Encryptor::new([passphrase.clone().into()]).encrypt(text.as_bytes())?;
    ///
    /// let seen = inspect(Input::reader(&file[..]))?;
    /// let opened = Decryptor::new([passphrase.into()]).decrypt(&file)?;
    /// assert_eq!(seen.parse_identities(&opened, None).unwrap().len(), 1);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`parse_identities`](crate::parse_identities).
    pub fn parse_identities(
        &self,
        plaintext: &[u8],
        passphrase: Option<&Passphrase>,
    ) -> Result<Vec<Identity>, KeyFileError> {
        parse_identities_after(self.work()?, plaintext, passphrase)
    }

    /// The derivations with PBKDF2 that [`parse_identities`](Self::parse_identities) needs, as
    /// [`derivations`](crate::derivations) returns them.
    ///
    /// # Errors
    /// As [`derivations`](crate::derivations).
    pub fn derivations(&self, plaintext: &[u8]) -> Result<Vec<Derivation>, KeyFileError> {
        derivations_after(self.work()?, plaintext)
    }

    /// As [`parse_identities`](Self::parse_identities), for a plaintext in the form `age` or `hex`; `None` for another form.
    ///
    /// # Errors
    /// As [`parse_identities`](crate::parse_identities).
    pub fn parse_identity_strings(&self, plaintext: &[u8]) -> Result<Option<Vec<Identity>>, KeyFileError> {
        self.work()?;
        parse_identity_strings(plaintext)
    }

    /// The work of opening the file.
    fn work(&self) -> Result<Work> {
        let mut work = Work::default();
        self.stanzas.iter().try_for_each(|stanza| work.add(stanza.work))?;
        Ok(work)
    }

    /// Bytes of the file, without armour.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.header_len + self.payload_len
    }
}

/// Inspects a file without a key. A stream is read to its end to know its length.
///
/// ```
/// use sealstone::{Encryptor, Identity, Input, Kind, Suite, inspect};
///
/// let recipients = [Identity::generate(Kind::X25519)?.recipient(), Identity::generate(Kind::X25519)?.recipient()];
/// let sealed = Encryptor::new(recipients).armour(true).encrypt(&[7; 100_000])?;
/// // For a file on the disk: `Input::open("film.mkv.seal")?`.
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// The errors of steps 1 and 2 and of the length rule of format section 8, and [`Error::Io`].
pub fn inspect(input: Input<'_>) -> Result<Inspection> {
    format::inspect::<Sealstone>(input, false)
}

/// As [`inspect`], for a file that will be replaced or that holds keys: armour with other text around it is refused.
///
/// ```
/// use sealstone::{Encryptor, Identity, Input, Kind, inspect, inspect_alone};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let mail = [b"Read this:\n", &Encryptor::new([recipient]).armour(true).encrypt(b"attack at dawn")?[..]].concat();
/// assert_eq!(inspect(Input::reader(&mail[..]))?.plaintext_len, 14);
/// assert_eq!(inspect_alone(Input::reader(&mail[..])).unwrap_err().code(), "malformed_armour");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// The errors of [`inspect`], and [`Error::MalformedArmour`] for text around the armour.
pub fn inspect_alone(input: Input<'_>) -> Result<Inspection> {
    format::inspect::<Sealstone>(input, true)
}

/// Inspects a binary file of `len` bytes by its first bytes. [`FileOpener::read_head_len`](crate::FileOpener::read_head_len)
/// returns the number of bytes that are needed.
///
/// ```
/// use sealstone::{Encryptor, Identity, Kind, inspect_head};
///
/// let recipient = Identity::generate(Kind::X25519)?.recipient();
/// let sealed = Encryptor::new([recipient]).encrypt(&[7; 100_000])?;
/// assert_eq!(inspect_head(&sealed[..1000], sealed.len() as u64)?.plaintext_len, 100_000);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// The errors of [`inspect`].
pub fn inspect_head(head: &[u8], len: u64) -> Result<Inspection> {
    let header_len = header_len(head)?;
    let header = head.get(..header_len).ok_or(Error::Truncated("it ends within the header"))?;
    let payload_len = len.checked_sub(header_len as u64).ok_or(Error::Truncated("it ends within the header"))?;
    Sealstone::complete(Inspection::from_header(header)?, false, payload_len)
}

impl Inspection {
    /// Inspects a header.
    fn from_header(header: &[u8]) -> Result<Self> {
        let header_len = header.len() as u64;
        let header = Header::parse(header)?;
        Ok(Self {
            version: header.prefix()[8],
            suite: header.suite(),
            context_bound: header.flags().context,
            compressed: header.flags().compressed,
            archive: header.flags().archive,
            armoured: false,
            stanzas: stanza_infos(&header),
            header_len,
            payload_len: 0,
            plaintext_len: 0,
            chunks: 0,
        })
    }
}

/// The format of Sealstone's files.
pub(crate) enum Sealstone {}

impl Format for Sealstone {
    type Inspection = Inspection;

    const SUFFIX: &str = ".seal";

    const ARMOUR: Option<Label> = Some(FILE);

    fn is_in(input: &mut Input<'_>) -> Result<bool> {
        Ok(input.head(MAGIC.len())?.starts_with(&MAGIC) || Self::is_armoured(input)?)
    }

    fn is_armoured(input: &mut Input<'_>) -> Result<bool> {
        let len = ArmourDecoder::look_len(input.head(ArmourDecoder::START_LEN)?);
        Ok(armour::is_armoured(input.head(len)?))
    }

    fn strip_armour<T>(
        input: &mut Input<'_>,
        is_alone: bool,
        work: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        if !Self::is_armoured(input)? {
            return work(input);
        }
        let label = if is_alone { FILE_ALONE } else { FILE };
        work(&mut Input::reader(Dearmour::new(label, input.source(0).into_reader())))
    }

    fn head(input: &mut Input<'_>) -> Result<(Inspection, usize)> {
        let len = header_len_of(input)?;
        Ok((Inspection::from_header(input.head(len)?)?, len))
    }

    fn complete(head: Inspection, is_armoured: bool, payload_len: u64) -> Result<Inspection> {
        let sealed = payload_len.checked_sub(HEAD_LEN as u64);
        let plaintext_len = opened_len(sealed.ok_or(Error::Truncated("it ends before the first chunk"))?)?;
        let chunks = plaintext_len / super::chunks::CHUNK_LEN as u64 + 1;
        Ok(Inspection { armoured: is_armoured, payload_len, plaintext_len, chunks, ..head })
    }

    fn plaintext_len(seen: &Inspection) -> u64 {
        seen.plaintext_len
    }

    fn asked(seen: &Inspection) -> Asked {
        let is_for = |kind| seen.stanzas.iter().any(|stanza| stanza.served() == Some(kind));
        Asked {
            keys: seen.stanzas.iter().map(|stanza| stanza.kind.to_owned()).collect(),
            passphrase: is_for(Kind::Passphrase),
            symmetric_key: is_for(Kind::Key),
            context: seen.context_bound,
            ..Asked::default()
        }
    }
}

/// Checks the first bytes of an input as [`header_len`] does. Only if they are not those of a file, it reads more, to guess the
/// input's type. So it reads no more of a stream than necessary, and the error is that of the first fault.
pub(super) fn header_len_of(input: &mut Input<'_>) -> Result<usize> {
    match header_len(input.head(START_LEN)?) {
        Err(error @ Error::NotSealstone(_)) => match input.head(PEEK_LEN) {
            Ok(start) => header_len(start),
            Err(_) => Err(error),
        },
        result => result,
    }
}

/// Lists the stanzas of a file, not authenticated. Nothing is consumed, so the input can be decrypted afterwards.
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Input, Output, Passphrase, stanzas};
///
/// let passphrase = Passphrase::new("correct horse battery staple")?;
/// let sealed = Encryptor::new([passphrase.clone().into()]).encrypt(b"attack at dawn")?;
/// let mut input = Input::reader(&sealed[..]);
/// assert!(stanzas(&mut input)?.iter().all(|stanza| stanza.is_passphrase()));
/// let mut plaintext = Vec::new();
/// Decryptor::new([passphrase.into()]).decrypt_to(input, Output::writer(&mut plaintext))?;
/// assert_eq!(plaintext, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// The errors of steps 1 and 2 of format section 8, and [`Error::Io`].
pub fn stanzas(input: &mut Input<'_>) -> Result<Vec<StanzaInfo>> {
    Ok(format::inspect_head::<Sealstone>(input)?.stanzas)
}

fn stanza_infos(header: &Header<'_>) -> Vec<StanzaInfo> {
    let info = |stanza: Stanza<'_>| StanzaInfo {
        kind: stanza.id.name(),
        type_id: stanza.id.0,
        body_len: stanza.body.len(),
        work: work(stanza).unwrap_or_default(),
    };
    header.stanzas().map(info).collect()
}
