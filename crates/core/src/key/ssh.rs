//! Keys of SSH: lines of public keys (RFC 4253 section 6.6, with RFC 5656, 8709, draft-sfluhrer-ssh-mldsa and wolfSSH), and
//! private keys of OpenSSH (PROTOCOL.key: openssh-key-v1).

use super::asn1::OF_ANOTHER;
use super::parsed::{Algorithm, NO_PRIVATE_KEY, Parsed, Refusal};
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::hazmat::cipher::{self, BLOCK_LEN, Cipher, Padding};
use crate::kdf::{Work, bcrypt_pbkdf};
use crate::password::Passphrase;
use crate::random;
use crate::rsa::{PrivateDer, PublicDer};
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

const DAMAGED: KeyFault = KeyFault::Other("the SSH key is damaged, or not a supported key");
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// The ciphers of private keys. The writer uses the first.
const CIPHERS: [(&str, cipher::Algorithm); 2] =
    [("aes256-ctr", cipher::Algorithm::Aes256Ctr), ("aes256-cbc", cipher::Algorithm::Aes256Cbc)];
const KDF: &str = "bcrypt";
const NONE: &str = "none";
/// The rounds of `ssh-keygen` (from OpenSSH 9.9 on).
const ROUNDS: u32 = 24;
/// The most rounds that the reader accepts. They take a quarter of a minute.
const ROUNDS_MAX: u32 = 1024;
const SALT_LEN: usize = 16;

/// The name of an algorithm in SSH; `None` if it has none.
fn name(algorithm: Algorithm) -> Option<&'static str> {
    Some(match algorithm {
        Algorithm::Ed25519 => "ssh-ed25519",
        Algorithm::P256 => "ecdsa-sha2-nistp256",
        Algorithm::P384 => "ecdsa-sha2-nistp384",
        Algorithm::P521 => "ecdsa-sha2-nistp521",
        Algorithm::Rsa => "ssh-rsa",
        Algorithm::MlDsa44 => "ssh-mldsa-44",
        Algorithm::MlDsa65 => "ssh-mldsa-65",
        Algorithm::MlDsa87 => "ssh-mldsa-87",
        Algorithm::MlDsa44Ed25519 => "ssh-mldsa44-ed25519",
        // The name without a domain belongs to other, older constructions.
        Algorithm::MlDsa65Ed25519 => "ssh-mldsa65-ed25519@wolfssl.com",
        Algorithm::Sm2 => "sm2",
        _ => return None,
    })
}

/// The algorithm of a name, and its curve, if a curve follows the name.
pub(super) fn find_algorithm(name: &[u8]) -> Option<(Algorithm, Option<&'static str>)> {
    let (algorithm, name) = algorithm_of(name)?;
    Some((algorithm, curve(name)))
}

fn algorithm_of(found: &[u8]) -> Option<(Algorithm, &'static str)> {
    let mut all = Algorithm::ALL.iter().filter_map(|algorithm| Some((*algorithm, name(*algorithm)?)));
    all.find(|(_, name)| name.as_bytes() == found)
}

/// The curve that follows a name in blobs and private keys, for some algorithms.
fn curve(name: &'static str) -> Option<&'static str> {
    if name == "sm2" { Some(name) } else { name.strip_prefix("ecdsa-sha2-") }
}

/// The public key as a blob of SSH.
pub(super) fn blob(algorithm: Algorithm, public: &[u8]) -> Result<Vec<u8>> {
    let name = name(algorithm).ok_or(UnsupportedKey::NoSsh)?;
    let mut blob = Vec::new();
    string(&mut blob, name.as_bytes());
    if let Some(curve) = curve(name) {
        string(&mut blob, curve.as_bytes());
    }
    if algorithm == Algorithm::Rsa {
        let members = PublicDer::read(public).expect("ssh: the key was read").members();
        members.iter().rev().for_each(|(_, number)| mpint(&mut blob, number));
    } else {
        string(&mut blob, public);
    }
    Ok(blob)
}

/// Reads a blob of a public key, of an algorithm that `takes` accepts.
pub(super) fn read_blob(
    blob: &[u8],
    takes: impl Fn(Algorithm) -> Result<(), UnsupportedKey>,
) -> Result<Parsed, Refusal> {
    let mut reader = Reader(blob);
    let (algorithm, name) = reader.algorithm()?;
    takes(algorithm)?;
    if let Some(curve) = curve(name) {
        reader.exactly(curve)?;
    }
    let public = match algorithm {
        Algorithm::Rsa => {
            let (e, n) = (reader.mpint()?, reader.mpint()?);
            PublicDer::write(n, e).ok_or(DAMAGED)?
        }
        _ => reader.string()?.to_vec(),
    };
    reader.end()?;
    Ok(Parsed::new(algorithm, Zeroizing::new(public), algorithm.row().wrong))
}

/// Writes a line of a public key: name, base64, and the comment, unless it is empty.
pub(super) fn write_line(algorithm: Algorithm, public: &[u8], comment: &str) -> Result<String> {
    let base64 = Base64::encode_string(&blob(algorithm, public)?);
    let name = name(algorithm).expect("ssh: it has a blob");
    if comment.chars().any(char::is_control) {
        return Err(Error::InvalidOption("the comment of an SSH key is one line"));
    }
    Ok([name, " ", &base64, if comment.is_empty() { "" } else { " " }, comment].concat())
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Whether a line has only blanks, or blanks and a comment.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.iter().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|first| *first == b'#')
}

/// Reads a line of a public key, of an algorithm that `takes` accepts. It refuses options before the key, as in
/// `authorized_keys`.
pub(super) fn read_line(
    line: &str,
    takes: impl Fn(Algorithm) -> Result<(), UnsupportedKey>,
) -> Result<Parsed, Refusal> {
    const NO_LINE: KeyFault = KeyFault::Other("this does not look like a public key");
    let mut words = line.split(BLANKS).filter(|word| !word.is_empty());
    let (Some(name), Some(base64)) = (words.next(), words.next()) else { return Err(NO_LINE.into()) };
    // Programs in C take a NUL as the end of the line.
    if line.contains('\0') {
        return Err(NO_LINE.into());
    }
    let blob = Base64::decode_vec(base64).map_err(|_| NO_LINE)?;
    if Reader(&blob).string().ok() != Some(name.as_bytes()) {
        return Err(NO_LINE.into());
    }
    read_blob(&blob, takes)
}

/// Reads a private key of Ed25519, ECDSA or `hybrid44-sign`, in the order of spec/signature.md section 7.3.
pub(super) fn read(
    bytes: &[u8],
    takes: impl Fn(Algorithm) -> Result<(), UnsupportedKey>,
    passphrase: Option<&Passphrase>,
    work: &mut Work,
) -> Result<Parsed, Refusal> {
    let mut reader = Reader(bytes.strip_prefix(MAGIC).ok_or(DAMAGED)?);
    let (cipher, kdf, options) = (reader.string()?, reader.string()?, reader.string()?);
    let count = reader.number()?;
    let encryption = Encryption::of(cipher, kdf, options)?;
    if count != 1 {
        return Err(UnsupportedKey::SshCount.into());
    }
    let (public, section) = (reader.string()?, reader.string()?);
    reader.end()?;
    let public = read_blob(public, |algorithm| {
        takes(algorithm)?;
        if has_private(algorithm) { Ok(()) } else { Err(UnsupportedKey::SshPrivate) }
    })?;
    let Encryption::Bcrypt(algorithm, options) = encryption else { return read_private_section(section, 8, &public) };
    if section.is_empty() || !section.len().is_multiple_of(BLOCK_LEN) {
        return Err(DAMAGED.into());
    }
    let mut reader = Reader(options);
    let (salt, rounds) = (reader.string()?, reader.number()?);
    reader.end()?;
    if salt.is_empty() || rounds == 0 {
        return Err(DAMAGED.into());
    }
    if rounds > ROUNDS_MAX {
        return Err(Error::CostTooHigh("the key's encryption takes over 1,024 rounds of bcrypt").into());
    }
    work.add(Work::of_bcrypt(rounds, ROUNDS_MAX))?;
    let passphrase = passphrase.ok_or(Error::PassphraseRequired)?;
    let mut section = Zeroizing::new(section.to_vec());
    // The passphrase keys its cache by parameters. Those of PKCS#8 never begin as a string of SSH.
    let derived = passphrase.derive_once(options, |text| derive(text, salt, rounds));
    let (cipher, iv) = cipher_of(algorithm, &derived);
    cipher.decrypt_padded(&iv[..], Padding::None, &mut section).expect("ssh: IV and section have whole blocks");
    // These two numbers are equal if the passphrase is right.
    if section[..4] != section[4..8] {
        return Err(Error::NoMatchingIdentity.into());
    }
    let read = read_private_section(&section, BLOCK_LEN, &public).map_err(Refusal::behind_a_passphrase)?;
    Ok(Parsed { was_encrypted: true, ..read })
}

/// The encryption of a private key.
enum Encryption<'a> {
    None,
    /// A cipher with a key of bcrypt, and the options of bcrypt: salt and rounds.
    Bcrypt(cipher::Algorithm, &'a [u8]),
}

impl<'a> Encryption<'a> {
    fn of(cipher: &[u8], kdf: &[u8], options: &'a [u8]) -> Result<Self, UnsupportedKey> {
        if [cipher, kdf] == [NONE.as_bytes(); 2] && options.is_empty() {
            return Ok(Self::None);
        }
        let known = CIPHERS.iter().find(|(name, _)| name.as_bytes() == cipher && kdf == KDF.as_bytes());
        let (_, algorithm) = known.ok_or(UnsupportedKey::SshEncryption)?;
        Ok(Self::Bcrypt(*algorithm, options))
    }
}

/// Derives the key and the IV for [`cipher_of`] from a passphrase.
fn derive(passphrase: &[u8], salt: &[u8], rounds: u32) -> Zeroizing<Vec<u8>> {
    let mut derived = Zeroizing::new(vec![0; 32 + BLOCK_LEN]);
    bcrypt_pbkdf(passphrase, salt, rounds, &mut derived);
    derived
}

/// The cipher and its IV.
fn cipher_of(algorithm: cipher::Algorithm, derived: &[u8]) -> (Cipher, Zeroizing<[u8; BLOCK_LEN]>) {
    let (key, iv) = derived.split_last_chunk().expect("ssh: it is longer than an IV");
    (Cipher::new(algorithm, key).expect("ssh: the key has its length"), Zeroizing::new(*iv))
}

/// Whether this module supports OpenSSH's private form of an algorithm.
fn has_private(algorithm: Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::Ed25519
            | Algorithm::P256
            | Algorithm::P384
            | Algorithm::P521
            | Algorithm::Rsa
            | Algorithm::MlDsa44Ed25519
    )
}

/// Reads the section that may be encrypted: the private key with a copy of the public key, a comment, and padding to a block.
fn read_private_section(section: &[u8], block_len: usize, public: &Parsed) -> Result<Parsed, Refusal> {
    let mut reader = Reader(section);
    if section.is_empty() || !section.len().is_multiple_of(block_len) || reader.number()? != reader.number()? {
        return Err(DAMAGED.into());
    }
    let named = algorithm_of(reader.string()?).filter(|(algorithm, _)| *algorithm == public.algorithm);
    let (algorithm, name) = named.ok_or(OF_ANOTHER)?;
    let mut beside = vec![Ok(public.bytes.to_vec())];
    let bytes = match algorithm {
        Algorithm::Ed25519 => {
            beside.push(Ok(reader.string()?.to_vec()));
            let (seed, copy) = reader.string()?.split_at_checked(32).ok_or(DAMAGED)?;
            beside.push(Ok(copy.to_vec()));
            Zeroizing::new(seed.to_vec())
        }
        Algorithm::P256 | Algorithm::P384 | Algorithm::P521 => {
            reader.exactly(curve(name).ok_or(DAMAGED)?)?;
            let point = reader.string()?;
            beside.push(Ok(point.to_vec()));
            let (number, len) = (reader.mpint()?, point.len() / 2);
            let mut padded = Zeroizing::new(vec![0; len]);
            padded[len.checked_sub(number.len()).ok_or(DAMAGED)?..].copy_from_slice(number);
            padded
        }
        Algorithm::Rsa => {
            let mut numbers = [&[][..]; 6];
            for number in &mut numbers {
                *number = reader.mpint()?;
            }
            PrivateDer::of_ssh(numbers).ok_or(DAMAGED)?
        }
        Algorithm::MlDsa44Ed25519 => {
            beside.push(Ok(reader.string()?.to_vec()));
            Zeroizing::new(reader.string()?.to_vec())
        }
        _ => return Err(UnsupportedKey::SshPrivate.into()),
    };
    // The comment is ignored.
    reader.string()?;
    if reader.0.len() >= block_len || !reader.0.iter().copied().eq((1..).take(reader.0.len())) {
        return Err(DAMAGED.into());
    }
    Ok(Parsed { beside, is_of_ssh: true, ..Parsed::new(algorithm, bytes, NO_PRIVATE_KEY) })
}

/// Writes a private key, encrypted if there is a passphrase.
pub(super) fn write(
    algorithm: Algorithm,
    secret: &[u8],
    public: &[u8],
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>> {
    let name = name(algorithm).ok_or(UnsupportedKey::NoSsh)?;
    // The capacity suffices for the whole section, so that growth leaves no copies behind.
    let mut section = Zeroizing::new(Vec::with_capacity(2048));
    let check = random::array::<4>()?;
    section.extend([check, check].as_flattened());
    string(&mut section, name.as_bytes());
    match algorithm {
        Algorithm::Ed25519 => {
            string(&mut section, public);
            string(&mut section, &Zeroizing::new([secret, public].concat()));
        }
        Algorithm::P256 | Algorithm::P384 | Algorithm::P521 => {
            string(&mut section, curve(name).expect("ssh: the name has a curve").as_bytes());
            string(&mut section, public);
            mpint(&mut section, secret);
        }
        Algorithm::MlDsa44Ed25519 => {
            string(&mut section, public);
            string(&mut section, secret);
        }
        _ => return Err(UnsupportedKey::NoFormOfKind.into()),
    }
    string(&mut section, b"");
    let block_len = if passphrase.is_some() { BLOCK_LEN } else { 8 };
    let padding = section.len().next_multiple_of(block_len) - section.len();
    section.extend((1..).take(padding));

    let [(cipher, cipher_algorithm), _] = CIPHERS;
    let mut options = Vec::new();
    if let Some(passphrase) = passphrase {
        let salt = random::array::<SALT_LEN>()?;
        string(&mut options, &salt);
        options.extend(ROUNDS.to_be_bytes());
        let (cipher, iv) = cipher_of(cipher_algorithm, &derive(passphrase.as_bytes(), &salt, ROUNDS));
        let len = section.len();
        cipher.encrypt_padded(&iv[..], Padding::None, &mut section, len).expect("ssh: the IV has a block");
    }
    let (cipher, kdf) = if passphrase.is_some() { (cipher, KDF) } else { (NONE, NONE) };
    let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
    bytes.extend_from_slice(MAGIC);
    string(&mut bytes, cipher.as_bytes());
    string(&mut bytes, kdf.as_bytes());
    string(&mut bytes, &options);
    bytes.extend(1_u32.to_be_bytes());
    string(&mut bytes, &blob(algorithm, public)?);
    string(&mut bytes, &section);
    Ok(bytes)
}

/// Appends a string (RFC 4251 section 5).
pub(crate) fn string(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend(u32::try_from(bytes.len()).expect("ssh: keys are short").to_be_bytes());
    to.extend_from_slice(bytes);
}

/// Appends a positive number (`mpint`).
fn mpint(to: &mut Vec<u8>, number: &[u8]) {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = &number[zeros..];
    let sign = usize::from(number.first().is_some_and(|byte| byte & 0x80 != 0));
    to.extend(u32::try_from(sign + number.len()).expect("ssh: numbers are short").to_be_bytes());
    to.extend(std::iter::repeat_n(0, sign));
    to.extend_from_slice(number);
}

/// A reader of the remaining bytes.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn number(&mut self) -> Result<u32, KeyFault> {
        let (number, rest) = self.0.split_first_chunk().ok_or(DAMAGED)?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*number))
    }

    pub(crate) fn string(&mut self) -> Result<&'a [u8], KeyFault> {
        let len = usize::try_from(self.number()?).map_err(|_| DAMAGED)?;
        let (string, rest) = self.0.split_at_checked(len).ok_or(DAMAGED)?;
        self.0 = rest;
        Ok(string)
    }

    fn exactly(&mut self, text: &str) -> Result<(), KeyFault> {
        if self.string()? == text.as_bytes() { Ok(()) } else { Err(DAMAGED) }
    }

    /// Reads a positive number in its canonical encoding, without a leading zero byte.
    fn mpint(&mut self) -> Result<&'a [u8], KeyFault> {
        let string = self.string()?;
        let is_high = |bytes: &[u8]| bytes.first().is_some_and(|byte| byte & 0x80 != 0);
        match string.strip_prefix(&[0]) {
            Some(number) if is_high(number) => Ok(number),
            None if !string.is_empty() && !is_high(string) => Ok(string),
            _ => Err(DAMAGED),
        }
    }

    fn algorithm(&mut self) -> Result<(Algorithm, &'static str), Refusal> {
        Ok(algorithm_of(self.string()?).ok_or(UnsupportedKey::OtherFamily)?)
    }

    pub(crate) fn end(self) -> Result<(), KeyFault> {
        if self.0.is_empty() { Ok(()) } else { Err(DAMAGED) }
    }
}
