//! The header: the scheme, the inputs of the key derivation, and in version 3 the length of chunks.

use crate::aead::{Algorithm, NONCE_LEN};
use crate::error::{Error, Result};
use crate::exchange::{self, Kind};
use crate::hash::Sha256;
use crate::key::nkct;
use crate::pipeline::Input;

/// The first bytes of every version.
pub(super) const MAGIC: &[u8] = b"NKCT";
/// Bytes of the magic, the version and the scheme. The bytes behind them depend on the scheme.
const START_LEN: usize = 7;
/// The most bytes of a header. nkCryptoTool looks for the header in the first 16 KiB.
const LEN_MAX: usize = 64 << 10;
/// The most characters of a name, as in the Rust edition.
const NAME_MAX_LEN: usize = 64;
/// The most bytes of an ephemeral key. A point of P-256 in PEM is shorter.
const POINT_MAX_LEN: usize = 1024;

pub(super) const SALT_LEN: usize = 16;
/// Bytes of the session, which distinguishes the chunks of different files: the beginning of the header's digest.
pub(super) const SESSION_LEN: usize = 16;

/// Bytes of plaintext in a chunk by default, and at most.
pub(super) const CHUNK_LEN: u32 = 1 << 20;
pub(super) const CHUNK_LEN_MAX: u32 = 64 << 20;

const CURVE: &str = "prime256v1";
const DIGEST: &str = "SHA3-512";
const SIGNATURE: &str = "ML-DSA-65";
const AES_256_GCM: &str = "AES-256-GCM";
const CHACHA20_POLY1305: &str = "ChaCha20-Poly1305";

/// The scheme of a file, by the keys that open it.
///
/// ```
/// assert_eq!(sealstone::interop::nkct::Scheme::Hybrid.name(), "hybrid");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `ecc`: a key of P-256.
    Ecc,
    /// `pqc`: a key of ML-KEM.
    Pqc,
    /// `hybrid`: one key of each, both of which are needed.
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

/// A parsed header. Only the first chunk, or the tag of versions 1 and 2, authenticates it.
pub(super) struct Header {
    /// The version of the body, from 1 to 3.
    pub(super) version: u16,
    pub(super) scheme: Scheme,
    pub(super) keys: Keys,
    pub(super) aead: Algorithm,
    pub(super) salt: [u8; SALT_LEN],
    /// The nonce of a body without chunks.
    pub(super) nonce: [u8; NONCE_LEN],
    /// Bytes of plaintext in a chunk, in version 3.
    pub(super) chunk_len: u32,
    pub(super) session: [u8; SESSION_LEN],
    /// Bytes of the header.
    pub(super) len: usize,
}

/// The inputs of the secret.
pub(super) enum Keys {
    /// An ephemeral key of P-256.
    Point(exchange::PublicKey),
    /// A ciphertext of ML-KEM.
    Ciphertext(Vec<u8>),
    /// Both. Until 2026-04-24, the secret of ML-KEM came first.
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

/// The header of one scheme, alone or within the header of a hybrid file.
struct Inner {
    version: u16,
    aead: Option<Algorithm>,
    salt: [u8; SALT_LEN],
    nonce: [u8; NONCE_LEN],
    chunk_len: u32,
}

const CURVE_FAULT: Error = Error::MalformedHeader("its ephemeral key is not a P-256 key (nkCryptoTool)");

impl Header {
    /// Reads the header at the beginning of an input.
    pub(super) fn of(input: &mut Input<'_>) -> Result<Self> {
        const FIRST: usize = 2048;
        const TOO_LONG: Error = Error::MalformedHeader("it is over 64 KiB (nkCryptoTool)");
        input.parse_head(FIRST, LEN_MAX, TOO_LONG, Self::parse)
    }

    /// Parses the header at the beginning of `file`; `None` if it needs more bytes.
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
                // nkCryptoTool ignores the AEADs that the inner headers name.
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

/// Reads a key of P-256 as `SubjectPublicKeyInfo`, which was PEM until 2026-04-24.
fn point_of(bytes: &[u8]) -> Result<exchange::PublicKey> {
    let is_key = bytes.first() == Some(&0x30) || bytes.starts_with(b"-----BEGIN PUBLIC KEY-----");
    let keys = if is_key { nkct::PublicKey::parse(bytes).ok() } else { None };
    let [nkct::PublicKey(point)] = keys.and_then(|keys| <[_; 1]>::try_from(keys).ok()).ok_or(CURVE_FAULT)?;
    if point.kind() == Kind::P256 { Ok(point) } else { Err(CURVE_FAULT) }
}

/// The reason why the reader stops.
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

    /// Reads a field behind its length. The length is checked before the reader asks for more bytes.
    fn field(&mut self, fits: impl FnOnce(usize) -> bool, fault: &'static str) -> Result<&'a [u8], Stop> {
        let len = usize::try_from(self.number()?).ok().filter(|len| fits(*len));
        self.take(len.ok_or(Error::MalformedHeader(fault))?)
    }

    fn array<const N: usize>(&mut self, fault: &'static str) -> Result<[u8; N], Stop> {
        Ok(self.field(|len| len == N, fault)?.try_into().expect("header: the field has its length"))
    }

    /// Reads a name, which programs display. Only the AEAD's name has an effect.
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

    /// Reads the header of the scheme `ecc` behind the start.
    fn ecc(&mut self, version: u16) -> Result<(Inner, exchange::PublicKey), Stop> {
        let [_curve, _digest] = [self.name()?, self.name()?];
        let point = self.field(|len| len <= POINT_MAX_LEN, "its ephemeral key is too long (nkCryptoTool)")?;
        let inner = self.inner(version)?;
        Ok((inner, point_of(point)?))
    }

    /// Reads the header of the scheme `pqc` behind the start. Until 2026-04-13, the second name was that of the digest. Either
    /// name may differ from the key's, since the length of the ciphertext determines the size of the key.
    fn pqc(&mut self, version: u16) -> Result<(Inner, Vec<u8>), Stop> {
        let [_kem, _signature] = [self.name()?, self.name()?];
        let is_ciphertext = |len| kem_of(len).is_some();
        let ciphertext = self.field(is_ciphertext, "its ciphertext does not have a length of ML-KEM (nkCryptoTool)")?;
        Ok((self.inner(version)?, ciphertext.to_vec()))
    }

    /// Reads the fields at the end of both headers.
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

    /// Reads two headers, one of each scheme. The outer version is 1 if the inner versions are 2. Until 2026-04-24, the headers
    /// had no length before them, and that of ML-KEM came first.
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

    /// Reads an inner header behind its length.
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

/// The AEAD of a name, in upper or lower case, as nkCryptoTool accepts it.
fn aead_of(name: &[u8]) -> Option<Algorithm> {
    [(AES_256_GCM, Algorithm::Aes256Gcm), (CHACHA20_POLY1305, Algorithm::ChaCha20Poly1305)]
        .into_iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
        .map(|(_, algorithm)| algorithm)
}

/// The kind of ML-KEM whose ciphertexts have this length.
pub(super) fn kem_of(ciphertext_len: usize) -> Option<Kind> {
    [Kind::MlKem512, Kind::MlKem768, Kind::MlKem1024]
        .into_iter()
        .find(|kind| kind.ciphertext_len() == Some(ciphertext_len))
}

/// The parts of a new header.
pub(super) struct Parts<'a> {
    /// An ephemeral key as `SubjectPublicKeyInfo`.
    pub(super) point: Option<&'a [u8]>,
    pub(super) ciphertext: Option<&'a [u8]>,
    pub(super) aead: Algorithm,
    pub(super) salt: &'a [u8; SALT_LEN],
    /// The salt of the second inner header of a hybrid file, which is unused.
    pub(super) second_salt: &'a [u8; SALT_LEN],
    /// The nonces, which version 3 uses only in the digest of the header.
    pub(super) nonces: &'a [[u8; NONCE_LEN]; 2],
    pub(super) chunk_len: u32,
}

impl Parts<'_> {
    /// Writes the header, in version 3.
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

/// The session of a new header.
pub(super) fn session_of(header: &[u8]) -> [u8; SESSION_LEN] {
    *Sha256::of(&[header]).first_chunk().expect("header: a digest has 32 bytes")
}
