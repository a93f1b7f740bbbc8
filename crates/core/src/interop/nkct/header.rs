//! The header: the scheme, what the keys are made of, and in version 3 how long chunks are.

use crate::aead::{Algorithm, NONCE_LEN};
use crate::error::{Error, Result};
use crate::exchange::{self, Kind};
use crate::hash::Sha256;
use crate::key::nkct;
use crate::pipeline::Input;

/// What every version begins with.
pub(super) const MAGIC: &[u8] = b"NKCT";
/// Bytes before what differs between the schemes: the magic, the version and the scheme.
const START_LEN: usize = 7;
/// Its programs look for the header in the first 16 KiB.
const LEN_MAX: usize = 64 << 10;
/// Characters of a name, as its Rust edition has it.
const NAME_MAX_LEN: usize = 64;
/// More than a point of P-256 has in PEM.
const POINT_MAX_LEN: usize = 1024;

pub(super) const SALT_LEN: usize = 16;
/// Bytes of what tells the chunks of one file from those of others: the beginning of the header's digest.
pub(super) const SESSION_LEN: usize = 16;

/// Bytes of plaintext in a chunk where nobody says another number, and the most that there may be.
pub(super) const CHUNK_LEN: u32 = 1 << 20;
pub(super) const CHUNK_LEN_MAX: u32 = 64 << 20;

const CURVE: &str = "prime256v1";
const DIGEST: &str = "SHA3-512";
const SIGNATURE: &str = "ML-DSA-65";
const AES_256_GCM: &str = "AES-256-GCM";
const CHACHA20_POLY1305: &str = "ChaCha20-Poly1305";

/// Which keys a file is for.
///
/// ```
/// assert_eq!(sealstone::interop::nkct::Scheme::Hybrid.name(), "hybrid");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `ecc`: one of P-256.
    Ecc,
    /// `pqc`: one of ML-KEM.
    Pqc,
    /// `hybrid`: one of each, both of which are needed.
    Hybrid,
}

named_enum!(Scheme { Ecc = "ecc", Pqc = "pqc", Hybrid = "hybrid", });

impl Scheme {
    fn number(self) -> u8 {
        match self {
            Self::Ecc => 1,
            Self::Pqc => 2,
            Self::Hybrid => 3,
        }
    }
}

/// A header that was read. What of it is authentic shows with the first chunk, or with the tag.
pub(super) struct Header {
    /// Of the body, from 1 to 3.
    pub(super) version: u16,
    pub(super) scheme: Scheme,
    pub(super) keys: Keys,
    pub(super) aead: Algorithm,
    pub(super) salt: [u8; SALT_LEN],
    /// Of a message that is not in chunks.
    pub(super) nonce: [u8; NONCE_LEN],
    /// Bytes of plaintext in a chunk; of version 3.
    pub(super) chunk_len: u32,
    pub(super) session: [u8; SESSION_LEN],
    /// Bytes of the header.
    pub(super) len: usize,
}

/// What the secret is made of.
pub(super) enum Keys {
    /// An ephemeral key of P-256.
    Point(exchange::PublicKey),
    /// A ciphertext of ML-KEM.
    Ciphertext(Vec<u8>),
    /// Both. Until 2026-04-24 ML-KEM's secret was the first.
    Both { point: exchange::PublicKey, ciphertext: Vec<u8>, ciphertext_first: bool },
}

impl Keys {
    pub(super) fn ciphertext(&self) -> Option<&[u8]> {
        match self {
            Self::Point(_) => None,
            Self::Ciphertext(ciphertext) | Self::Both { ciphertext, .. } => Some(ciphertext),
        }
    }
}

/// The header of one scheme, alone or within that of a hybrid file.
struct Inner {
    version: u16,
    aead: Option<Algorithm>,
    salt: [u8; SALT_LEN],
    nonce: [u8; NONCE_LEN],
    chunk_len: u32,
}

const CURVE_FAULT: Error = Error::MalformedHeader("its ephemeral key is not a P-256 key (nkCryptoTool)");

impl Header {
    /// Reads it from the beginning of an input.
    pub(super) fn of(input: &mut Input<'_>) -> Result<Self> {
        const FIRST: usize = 2048;
        const TOO_LONG: Error = Error::MalformedHeader("it is over 64 KiB (nkCryptoTool)");
        input.parse_head(FIRST, LEN_MAX, TOO_LONG, Self::parse)
    }

    /// Reads the header that `file` begins with; `None` where more of it is needed.
    pub(super) fn parse(file: &[u8]) -> Result<Option<Self>> {
        match Self::read(&mut Reader { bytes: file, at: 0 }) {
            Ok(header) => Ok(Some(header)),
            Err(Stop::More) => Ok(None),
            Err(Stop::Fault(error)) => Err(error),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Stop> {
        let (version, scheme) = reader.start()?;
        let (inner, keys) = match scheme {
            Scheme::Ecc => reader.ecc(version).map(|(inner, point)| (inner, Keys::Point(point)))?,
            Scheme::Pqc => reader.pqc(version).map(|(inner, ciphertext)| (inner, Keys::Ciphertext(ciphertext)))?,
            Scheme::Hybrid => reader.hybrid(version)?,
        };
        let chunk_len = match (inner.version, scheme) {
            (..3, _) => 0,
            (_, Scheme::Hybrid) => reader.chunk_len()?,
            _ => inner.chunk_len,
        };
        let len = reader.at;
        let digest = Sha256::of(&[&reader.bytes[..len]]);
        Ok(Self {
            version: inner.version,
            scheme,
            keys,
            aead: match scheme {
                // Whatever the headers in it say.
                Scheme::Hybrid => Algorithm::Aes256Gcm,
                _ => inner.aead.ok_or(Error::MalformedHeader("its AEAD is unknown (nkCryptoTool)"))?,
            },
            salt: inner.salt,
            nonce: inner.nonce,
            chunk_len,
            session: *digest.first_chunk().expect("header: a digest has 32 bytes"),
            len,
        })
    }
}

/// A key of P-256 as `SubjectPublicKeyInfo`; as PEM until 2026-04-24.
fn point_of(bytes: &[u8]) -> Result<exchange::PublicKey> {
    let is_key = bytes.first() == Some(&0x30) || bytes.starts_with(b"-----BEGIN PUBLIC KEY-----");
    let keys = if is_key { nkct::PublicKey::parse(bytes).ok() } else { None };
    let [nkct::PublicKey(point)] = keys.and_then(|keys| <[_; 1]>::try_from(keys).ok()).ok_or(CURVE_FAULT)?;
    if point.kind() == Kind::P256 { Ok(point) } else { Err(CURVE_FAULT) }
}

/// Why reading stops.
enum Stop {
    /// The bytes end before the header does.
    More,
    Fault(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Stop> {
        let end = self.at + len;
        let taken = self.bytes.get(self.at..end).ok_or(Stop::More)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Stop> {
        let bytes = self.take(4)?.try_into().expect("header: there are four bytes");
        Ok(u32::from_le_bytes(bytes))
    }

    /// Bytes behind their length, which is looked at before anybody waits for them.
    fn field(&mut self, fits: impl FnOnce(usize) -> bool, fault: &'static str) -> Result<&'a [u8], Stop> {
        let len = usize::try_from(self.number()?).ok().filter(|len| fits(*len));
        self.take(len.ok_or(Error::MalformedHeader(fault))?)
    }

    fn array<const N: usize>(&mut self, fault: &'static str) -> Result<[u8; N], Stop> {
        Ok(self.field(|len| len == N, fault)?.try_into().expect("header: the field has its length"))
    }

    /// A name, which nothing but the AEAD's depends on. Programs show it.
    fn name(&mut self) -> Result<&'a [u8], Stop> {
        const FAULT: &str =
            "a name in it is over 64 characters, or has other characters than names have (nkCryptoTool)";
        let name = self.field(|len| len <= NAME_MAX_LEN, FAULT)?;
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(byte);
        if name.iter().all(is_of_name) { Ok(name) } else { Err(Error::MalformedHeader(FAULT).into()) }
    }

    fn start(&mut self) -> Result<(u16, Scheme), Stop> {
        let magic = self.bytes.get(self.at..).unwrap_or_default();
        if !MAGIC.starts_with(&magic[..magic.len().min(MAGIC.len())]) {
            return Err(Error::MalformedHeader("it does not begin with NKCT").into());
        }
        let start: &[u8; START_LEN] = self.take(START_LEN)?.try_into().expect("header: the start has its length");
        let version = u16::from_le_bytes([start[4], start[5]]);
        if !(1..=3).contains(&version) {
            return Err(
                Error::MalformedHeader("it is of a version of nkCryptoTool's format that is not 1, 2 or 3").into()
            );
        }
        let scheme = Scheme::ALL.into_iter().find(|scheme| scheme.number() == start[6]);
        let scheme = scheme.ok_or(Error::MalformedHeader("its scheme is not 1, 2 or 3 (nkCryptoTool)"))?;
        Ok((version, scheme))
    }

    /// What stands behind the start of a file to a key of P-256.
    fn ecc(&mut self, version: u16) -> Result<(Inner, exchange::PublicKey), Stop> {
        let [_curve, _digest] = [self.name()?, self.name()?];
        let point = self.field(|len| len <= POINT_MAX_LEN, "its ephemeral key is too long (nkCryptoTool)")?;
        let inner = self.inner(version)?;
        Ok((inner, point_of(point)?))
    }

    /// The same of a key of ML-KEM. The second name was the digest's until 2026-04-13, and either may be another than that of the key: the
    /// length of the ciphertext tells its size.
    fn pqc(&mut self, version: u16) -> Result<(Inner, Vec<u8>), Stop> {
        let [_kem, _signature] = [self.name()?, self.name()?];
        let is_ciphertext = |len| kem_of(len).is_some();
        let ciphertext = self.field(is_ciphertext, "its ciphertext does not have a length of ML-KEM (nkCryptoTool)")?;
        Ok((self.inner(version)?, ciphertext.to_vec()))
    }

    /// What both end in.
    fn inner(&mut self, version: u16) -> Result<Inner, Stop> {
        let salt = self.array("its salt does not have 16 bytes (nkCryptoTool)")?;
        let nonce = self.array("its nonce does not have 12 bytes (nkCryptoTool)")?;
        let aead = if version >= 2 { aead_of(self.name()?) } else { Some(Algorithm::Aes256Gcm) };
        let chunk_len = if version >= 3 { self.chunk_len()? } else { 0 };
        Ok(Inner { version, aead, salt, nonce, chunk_len })
    }

    fn chunk_len(&mut self) -> Result<u32, Stop> {
        let len = self.number()?;
        if (1..=CHUNK_LEN_MAX).contains(&len) {
            return Ok(len);
        }
        Err(Error::MalformedHeader("its chunks have 0 bytes, or over 64 MiB (nkCryptoTool)").into())
    }

    /// Two headers, one of each scheme; the outer version is 1 where the inner ones are 2. Until 2026-04-24 no length stood before them,
    /// and the one of ML-KEM was the first.
    fn hybrid(&mut self, outer: u16) -> Result<(Inner, Keys), Stop> {
        if self.bytes.len() < self.at + MAGIC.len() {
            return Err(Stop::More);
        }
        if self.bytes[self.at..].starts_with(MAGIC) {
            let (inner, ciphertext) = self.part(outer, Scheme::Pqc, Reader::pqc)?;
            let (_, point) = self.part(outer, Scheme::Ecc, Reader::ecc)?;
            return Ok((inner, Keys::Both { point, ciphertext, ciphertext_first: true }));
        }
        let (inner, point) = self.with_len(|reader| reader.part(outer, Scheme::Ecc, Reader::ecc))?;
        let (_, ciphertext) = self.with_len(|reader| reader.part(outer, Scheme::Pqc, Reader::pqc))?;
        Ok((inner, Keys::Both { point, ciphertext, ciphertext_first: false }))
    }

    /// A header within a header, behind its length.
    fn with_len<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        const FAULT: Error =
            Error::MalformedHeader("a header within it has another length than it says (nkCryptoTool)");
        let bytes = self.field(|len| len <= LEN_MAX / 2, "a header within it is too long (nkCryptoTool)")?;
        let mut reader = Reader { bytes, at: 0 };
        match read(&mut reader) {
            Err(Stop::More) => Err(FAULT.into()),
            Ok(_) if reader.at != bytes.len() => Err(FAULT.into()),
            read => read,
        }
    }

    fn part<T>(
        &mut self,
        outer: u16,
        scheme: Scheme,
        read: impl FnOnce(&mut Self, u16) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let (version, found) = self.start()?;
        if found != scheme || (outer == 3) != (version == 3) {
            return Err(Error::MalformedHeader("the headers within it do not fit it (nkCryptoTool)").into());
        }
        read(self, version)
    }
}

/// The AEAD of a name, in any case as its programs take it.
fn aead_of(name: &[u8]) -> Option<Algorithm> {
    [(AES_256_GCM, Algorithm::Aes256Gcm), (CHACHA20_POLY1305, Algorithm::ChaCha20Poly1305)]
        .into_iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
        .map(|(_, algorithm)| algorithm)
}

/// The kind of keys whose ciphertexts have this length.
pub(super) fn kem_of(ciphertext_len: usize) -> Option<Kind> {
    [Kind::MlKem512, Kind::MlKem768, Kind::MlKem1024]
        .into_iter()
        .find(|kind| kind.ciphertext_len() == Some(ciphertext_len))
}

/// What a header is written of, by its parts.
pub(super) struct Parts<'a> {
    /// An ephemeral key as `SubjectPublicKeyInfo`.
    pub(super) point: Option<&'a [u8]>,
    pub(super) ciphertext: Option<&'a [u8]>,
    pub(super) aead: Algorithm,
    pub(super) salt: &'a [u8; SALT_LEN],
    /// Of the second header in one of a hybrid file, where nothing uses it.
    pub(super) second_salt: &'a [u8; SALT_LEN],
    /// Nothing uses nonces in version 3 but the digest of the header.
    pub(super) nonces: &'a [[u8; NONCE_LEN]; 2],
    pub(super) chunk_len: u32,
}

impl Parts<'_> {
    /// The header, in version 3.
    pub(super) fn write(&self) -> Vec<u8> {
        let [nonce, second_nonce] = self.nonces;
        match (self.point, self.ciphertext) {
            (Some(point), Some(ciphertext)) => {
                let parts = [self.ecc(point, self.salt, nonce), self.pqc(ciphertext, self.second_salt, second_nonce)];
                let mut header = start(Scheme::Hybrid);
                for part in &parts {
                    put(&mut header, part);
                }
                header.extend(self.chunk_len.to_le_bytes());
                header
            }
            (Some(point), None) => self.ecc(point, self.salt, nonce),
            (None, ciphertext) => self.pqc(ciphertext.unwrap_or_default(), self.salt, nonce),
        }
    }

    fn ecc(&self, point: &[u8], salt: &[u8], nonce: &[u8]) -> Vec<u8> {
        self.inner(Scheme::Ecc, [CURVE, DIGEST], point, salt, nonce)
    }

    fn pqc(&self, ciphertext: &[u8], salt: &[u8], nonce: &[u8]) -> Vec<u8> {
        let kem = match kem_of(ciphertext.len()) {
            Some(Kind::MlKem512) => "ML-KEM-512",
            Some(Kind::MlKem1024) => "ML-KEM-1024",
            _ => "ML-KEM-768",
        };
        self.inner(Scheme::Pqc, [kem, SIGNATURE], ciphertext, salt, nonce)
    }

    fn inner(&self, scheme: Scheme, names: [&str; 2], key: &[u8], salt: &[u8], nonce: &[u8]) -> Vec<u8> {
        let aead = if self.aead == Algorithm::ChaCha20Poly1305 { CHACHA20_POLY1305 } else { AES_256_GCM };
        let mut header = start(scheme);
        for field in [names[0].as_bytes(), names[1].as_bytes(), key, salt, nonce, aead.as_bytes()] {
            put(&mut header, field);
        }
        header.extend(self.chunk_len.to_le_bytes());
        header
    }
}

fn start(scheme: Scheme) -> Vec<u8> {
    [MAGIC, &3_u16.to_le_bytes(), &[scheme.number()]].concat()
}

fn put(header: &mut Vec<u8>, field: &[u8]) {
    header.extend(u32::try_from(field.len()).expect("header: fields are short").to_le_bytes());
    header.extend_from_slice(field);
}

/// The session of a header that was written.
pub(super) fn session_of(header: &[u8]) -> [u8; SESSION_LEN] {
    *Sha256::of(&[header]).first_chunk().expect("header: a digest has 32 bytes")
}
