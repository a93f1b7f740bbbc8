//! Key files in any form: strings or hexadecimal digits one a line, PEM, DER or JWK.

use super::asn1::{self, Shape};
use super::digits::is_digits;
use super::parsed::{Half, Key, Parsed, Refusal, Wanted};
use super::pbes2::Encrypted;
use super::pem::{self, Block, Part};
use super::{Identity, Kind, Recipient, jwk, string};
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::password::{Derivation, Passphrase};
use crate::text::Text;
use zeroize::Zeroizing;

/// Reads the identities of a file (format section 12):
///
/// - strings, one a line, or 64 hexadecimal digits for `sm2`; empty lines and lines that begin with `#` are skipped;
/// - PEM: one or more blocks of PKCS#8, plain or encrypted, or of SEC1 for P-256 and SM2; text around them is skipped;
/// - DER: one key in PKCS#8, plain or encrypted, or in SEC1;
/// - JWK: one key, `p256` or `x25519`.
///
/// `passphrase` opens encrypted PKCS#8, and is not used otherwise.
///
/// ```
/// use sealstone::parse_identities;
///
/// let text = "# made by hand\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n";
/// assert_eq!(parse_identities(text, None)?.len(), 1);
/// let error = parse_identities("# nothing\n", None).unwrap_err();
/// assert_eq!(error.error.code(), "invalid_identity");
/// # Ok::<(), sealstone::KeyFileError>(())
/// ```
///
/// # Security
/// PBES2 is unauthenticated: a wrong passphrase shows as damage.
///
/// # Errors
/// The first key that cannot be read, with its line: [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for unsupported key
/// types, formats and encryption; [`Error::PassphraseRequired`]; [`Error::NoMatchingIdentity`] for a wrong passphrase;
/// [`Error::CostTooHigh`] for a KDF over 10,000,000 iterations, or over 1 GiB, 16 lanes or an r of 8192 of scrypt, and for keys that
/// together take more work than one may: 16 of those that Sealstone encrypts fit into one file, 10 of the kind `sm2`. A file without
/// any key is an error.
pub fn parse_identities(
    file: impl AsRef<[u8]>,
    passphrase: Option<&Passphrase>,
) -> Result<Vec<Identity>, KeyFileError> {
    parse(file.as_ref(), passphrase, Work::default())
}

/// As [`parse_identities`], after as much work as opening the file took that they were in.
pub(crate) fn parse_identities_after(
    work: Work,
    file: &[u8],
    passphrase: Option<&Passphrase>,
) -> Result<Vec<Identity>, KeyFileError> {
    parse(file, passphrase, work)
}

/// What PBKDF2 is to make of the passphrase where [`parse_identities`] opens encrypted keys, for a program whose host computes that
/// faster, or elsewhere: it gives the keys to [`Passphrase::know`]. What is not listed, as scrypt, or is not known, the reader
/// computes.
///
/// ```
/// use sealstone::{Identity, Kind, Passphrase, derivations, parse_identities};
///
/// let passphrase = Passphrase::new("correct horse battery staple")?;
/// let pem = Identity::generate(Kind::P256)?.to_pem(Some(&passphrase))?;
/// let mut other = Passphrase::new("it is not looked at")?;
/// for derivation in derivations(&*pem).unwrap() {
///     assert_eq!((derivation.sha, derivation.iterations, derivation.len), (256, 600_000, 32));
///     // The host derives it; here it is wrong, so it does not open the key.
///     let key = vec![0; derivation.len];
///     other.know(derivation, &key)?;
/// }
/// assert_eq!(parse_identities(&*pem, Some(&other)).unwrap_err().error.code(), "no_matching_identity");
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// Those of [`parse_identities`] that depend on no passphrase: nobody derives keys for a file that is refused, or that takes too
/// much work.
pub fn derivations(file: impl AsRef<[u8]>) -> Result<Vec<Derivation>, KeyFileError> {
    derivations_after(Work::default(), file.as_ref())
}

/// As [`derivations`], after as much work as opening the file took that they were in.
pub(crate) fn derivations_after(work: Work, file: &[u8]) -> Result<Vec<Derivation>, KeyFileError> {
    match parse::<Identity>(file, None, work) {
        Ok(_) => return Ok(Vec::new()),
        Err(KeyFileError { error: Error::PassphraseRequired, .. }) => {}
        Err(refused) => return Err(refused),
    }
    let derivation = |der: &[u8]| Encrypted::read(der).ok()?.derivation();
    Ok(match (KeyForm::of(file), Text::of(file)) {
        (Some(KeyForm::Pem), Ok(text)) => pem::parts(text)
            .filter_map(|part| if let Part::Block(block) = part { block.decode().ok() } else { None })
            .filter_map(|der| derivation(&der))
            .collect(),
        _ => derivation(file).into_iter().collect(),
    })
}

/// Reads the recipients of a file (format section 12):
///
/// - strings, one a line, or 128 or 130 hexadecimal digits for `sm2`; empty lines and lines that begin with `#` are skipped;
/// - PEM: one or more blocks of `SubjectPublicKeyInfo`; text around them is skipped;
/// - DER: one key in `SubjectPublicKeyInfo`;
/// - JWK: one key, `p256` or `x25519`.
///
/// ```
/// let text = "# alice\nage13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh\n";
/// assert_eq!(sealstone::parse_recipients(text)?.len(), 1);
/// # Ok::<(), sealstone::KeyFileError>(())
/// ```
///
/// # Errors
/// The first key that cannot be read, with its line: [`Error::InvalidRecipient`], private keys included;
/// [`Error::UnsupportedKey`] for unsupported key types. A file without any key is an error.
pub fn parse_recipients(file: impl AsRef<[u8]>) -> Result<Vec<Recipient>, KeyFileError> {
    parse(file.as_ref(), None, Work::default())
}

/// Whether a file holds recipients, sound or not, and no identities.
///
/// ```
/// assert!(sealstone::is_recipient_file(b"age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh"));
/// assert!(!sealstone::is_recipient_file(b"AGE-SECRET-KEY-1"));
/// ```
#[must_use]
pub fn is_recipient_file(file: &[u8]) -> bool {
    let read = read::<Identity>(file, None, Work::default());
    matches!(read, Err(Refused { why: Refusal::Invalid(fault), .. }) if fault.is_other_half())
}

/// Whether a text looks like the name of a file, and so like no key: it is one word, and ends as files of keys do, or begins as paths do.
/// It may be a key that is damaged, so nobody asks a system for such a file, and no message repeats the text.
///
/// ```
/// for name in ["alice.pub", "identity.txt", "keys/KEY.PEM", "/home/alice/.ssh/id_ed25519", "~/key", r"C:\keys\id"] {
///     assert!(sealstone::looks_like_file_name(name), "{name}");
/// }
/// for other in ["age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh", "two words.txt", "alice", "", "/"] {
///     assert!(!sealstone::looks_like_file_name(other), "{other}");
/// }
/// // Base64 may begin with a slash.
/// assert!(!sealstone::looks_like_file_name("/ifIm+zM3yN0hZ6qZp7hXq8a1LQb0dV2m4cKtYpRuWE="));
/// ```
#[must_use]
pub fn looks_like_file_name(text: &str) -> bool {
    let is_ending = |ending: &str| FILE_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    let is_path = || {
        let drive =
            text.get(1..3).is_some_and(|sign| sign == r":\") && text.starts_with(|c: char| c.is_ascii_alphabetic());
        let begins = drive || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start));
        let mut parts = text.split(['/', '\\']);
        begins && text.len() > 1 && parts.all(|part| part.len() < DATA_MIN_LEN)
    };
    let is_word = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word && (text.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_ending(ending)) || is_path())
}

/// What names of files of keys end with.
const FILE_ENDINGS: [&str; 14] =
    ["age", "asc", "crt", "der", "hex", "id", "json", "jwk", "key", "p8", "pem", "pub", "seal", "txt"];

/// More characters than names have without a separator, and fewer than keys have in base64 between two slashes.
const DATA_MIN_LEN: usize = 32;

/// Encrypts a file of PEM or DER with another passphrase, or with none. SEC1 becomes PKCS#8. Comments (`#`) around PEM are kept,
/// and other text is dropped, since it may reveal the key, as that of `openssl pkey -text` does.
///
/// ```
/// use sealstone::{Identity, Kind, Passphrase, parse_identities, protect_identities};
///
/// let identity = Identity::generate(Kind::P256)?;
/// let plain = format!("# my key\n{}", *identity.to_pem(None)?);
/// let passphrase = Passphrase::new("correct horse battery staple")?;
/// let protected = protect_identities(plain.as_bytes(), None, Some(&passphrase)).unwrap();
/// assert!(protected.starts_with(b"# my key\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
/// assert_eq!(parse_identities(&protected[..], Some(&passphrase)).unwrap().len(), 1);
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// Those of [`parse_identities`], with [`Error::CostTooHigh`] also for more keys than a reader would take under the new
/// passphrase; [`Error::UnsupportedKey`] for strings and JWK, which have no passphrase; [`Error::NoRandomness`].
pub fn protect_identities(
    file: &[u8],
    old: Option<&Passphrase>,
    new: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    // All of it is read first, so that no key is dropped for being unknown.
    let identities: Vec<Identity> = parse(file, old, Work::default())?;
    match (KeyForm::of(file), Text::of(file)) {
        (Some(KeyForm::Der), _) => Ok(identities[0].to_der(new)?),
        (Some(KeyForm::Pem), Ok(text)) => {
            if new.is_some() {
                let mut work = Work::default();
                let mut algorithms = identities.iter().filter_map(|identity| identity.kind().algorithm());
                algorithms.try_for_each(|algorithm| work.add(algorithm.row().encryption.work()))?;
            }
            let blocks = identities.iter().map(|identity| identity.to_pem(new)).collect::<Result<Vec<_>>>()?;
            let len = text.bytes().len() + blocks.iter().map(|block| block.len()).sum::<usize>();
            let mut written = Zeroizing::new(Vec::with_capacity(len));
            let mut blocks = blocks.iter();
            for part in pem::parts(text) {
                match part {
                    Part::Text { text, .. } if is_comment(text) || text.trim_ascii().is_empty() => {
                        written.extend_from_slice(text);
                    }
                    Part::Text { .. } => {}
                    Part::Block(block) if matches!(block.label.and_then(Holds::of), Some(Holds::Parameters)) => {}
                    Part::Block(_) => {
                        let block = blocks.next().expect("file: there is an identity for each block");
                        written.extend_from_slice(block.as_bytes());
                    }
                }
            }
            Ok(written)
        }
        _ => Err(Error::UnsupportedKey(UnsupportedKey::NoPassphrase).into()),
    }
}

/// A form of keys in files.
///
/// ```
/// use sealstone::{Identity, KeyForm, Kind};
///
/// let pem = Identity::generate(Kind::P256)?.to_pem(None)?;
/// assert_eq!(KeyForm::of(pem.as_bytes()), Some(KeyForm::Pem));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyForm {
    /// `age`: strings, one a line, as in age; symmetric keys too.
    Age,
    /// `pem`: blocks of PEM.
    Pem,
    /// `der`: what PEM is the text of.
    Der,
    /// `jwk`: a JSON Web Key.
    Jwk,
    /// `hex`: `sm2` keys as hexadecimal digits, one a line.
    Hex,
}

named_enum!(KeyForm {
    Age = "age",
    Pem = "pem",
    Der = "der",
    Jwk = "jwk",
    Hex = "hex",
});

impl KeyForm {
    /// The form that a file seems to have; `None` for what is neither text nor DER. The file need not be sound.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Self> {
        let text = Text::of(file).ok()?;
        // First, since the text around PEM may begin with anything.
        if text.lines().any(|(_, line)| pem::begins(line)) {
            return Some(Self::Pem);
        }
        let first = text.lines().map(|(_, line)| line).find(|line| !is_comment(line)).unwrap_or_default();
        // Before DER, whose first byte is the digit 0; those that follow in DER are no digits.
        if is_digits(first) {
            return Some(Self::Hex);
        }
        // Text that begins with that digit is none either: DER has a tag below the space in its first bytes.
        if file.first() == Some(&asn1::SEQUENCE) && file.iter().take(8).any(u8::is_ascii_control) {
            return Some(Self::Der);
        }
        if text.bytes().trim_ascii_start().starts_with(b"{") {
            return Some(Self::Jwk);
        }
        // A comment may be of another encoding.
        (first.is_empty() || !Text::of_line(first).is_empty()).then_some(Self::Age)
    }
}

/// A key that could not be read. Neither it nor its line is shown, since it may be a secret.
///
/// ```
/// let error = sealstone::parse_recipients("# friends\nnonsense\n").unwrap_err();
/// assert_eq!((error.line, error.error.code()), (Some(2), "invalid_recipient"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}{error}", match .line { Some(line) => format!("line {line}: "), None => String::new() })]
pub struct KeyFileError {
    /// The line where the key begins, counted from 1; `None` for a file without lines, and for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong with it.
    #[source]
    pub error: Error,
}

impl From<Error> for KeyFileError {
    fn from(error: Error) -> Self {
        Self { line: None, error }
    }
}

/// Reads a file that holds one key.
pub(super) fn parse_one<T: Key>(file: &[u8], passphrase: Option<&Passphrase>) -> Result<T> {
    let mut found = parse(file, passphrase, Work::default()).map_err(|error| error.error)?;
    let one = found.pop().expect("file: a file has at least one key");
    let several = KeyFault::Other("there are several keys where one is expected");
    if found.is_empty() { Ok(one) } else { Err(T::error(several.into())) }
}

/// Most keys of one file: what a file can be encrypted to.
const KEYS_MAX: usize = 1024;
const OVER_KEYS_MAX: KeyFault = KeyFault::Other("the file has over 1024 keys");

/// What a block of PEM holds.
enum Holds {
    Key(Half),
    /// What may stand before a private key and is none.
    Parameters,
}

impl Holds {
    /// What a label says; `None` of one that is not known.
    fn of(label: &str) -> Option<Self> {
        match label {
            pem::PRIVATE_KEY
            | pem::ENCRYPTED_PRIVATE_KEY
            | pem::EC_PRIVATE_KEY
            | pem::SM2_PRIVATE_KEY
            | pem::RSA_PRIVATE_KEY => Some(Self::Key(Half::Private)),
            pem::PUBLIC_KEY | pem::RSA_PUBLIC_KEY => Some(Self::Key(Half::Public)),
            pem::EC_PARAMETERS | pem::SM2_PARAMETERS => Some(Self::Parameters),
            _ => None,
        }
    }
}

/// Where in the file a key is refused, and why.
struct Refused {
    line: Option<usize>,
    why: Refusal,
}

impl<T: Into<Refusal>> From<T> for Refused {
    fn from(why: T) -> Self {
        Self { line: None, why: why.into() }
    }
}

/// As [`parse_identities`], of a file whose form is `age` or `hex`; `None` for another form. A program that reads no other form can
/// do without what reads them, as a module of WebAssembly does.
///
/// ```
/// use sealstone::{Identity, Kind, parse_identity_strings};
///
/// let identity = Identity::generate(Kind::P256)?;
/// assert!(parse_identity_strings(&identity.to_pem(None)?).unwrap().is_none());
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// As [`parse_identities`].
pub fn parse_identity_strings(file: impl AsRef<[u8]>) -> Result<Option<Vec<Identity>>, KeyFileError> {
    parse_strings(file.as_ref())
}

/// As [`parse_identity_strings`], of recipients.
///
/// # Errors
/// As [`parse_recipients`].
pub fn parse_recipient_strings(file: impl AsRef<[u8]>) -> Result<Option<Vec<Recipient>>, KeyFileError> {
    parse_strings(file.as_ref())
}

fn parse_strings<T: Key>(file: &[u8]) -> Result<Option<Vec<T>>, KeyFileError> {
    let read = match form(file) {
        Ok(KeyForm::Age | KeyForm::Hex) => {
            text(file).map_err(Refused::from).and_then(lines).and_then(counted).map(Some)
        }
        Ok(_) => Ok(None),
        Err(fault) => Err(fault.into()),
    };
    read.map_err(|Refused { line, why }| KeyFileError { line, error: T::error(why) })
}

pub(super) fn parse<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, work: Work) -> Result<Vec<T>, KeyFileError> {
    read(file, passphrase, work).map_err(|Refused { line, why }| KeyFileError { line, error: T::error(why) })
}

/// Everything that can be said without the passphrase is said before it is used.
fn read<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, work: Work) -> Result<Vec<T>, Refused> {
    match read_with(file, None, work) {
        Err(Refused { why: Refusal::Other(Error::PassphraseRequired), .. }) if passphrase.is_some() => {
            read_with(file, passphrase, work)
        }
        read => read,
    }
}

fn read_with<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, mut work: Work) -> Result<Vec<T>, Refused> {
    counted(match form(file)? {
        KeyForm::Der => vec![T::of(asn1::read(file, &T::WANTED, passphrase, &mut work)?)?],
        KeyForm::Jwk if T::WANTED.jwk => {
            let json = str::from_utf8(text(file)?.bytes()).map_err(|_| KeyFault::Other("the JWK is not UTF-8"))?;
            vec![T::of(jwk::read(json, &T::WANTED)?)?]
        }
        KeyForm::Pem => blocks(text(file)?, passphrase, work)?,
        KeyForm::Age | KeyForm::Hex | KeyForm::Jwk => lines(text(file)?)?,
    })
}

fn form(file: &[u8]) -> Result<KeyForm, KeyFault> {
    text(file)?;
    KeyForm::of(file).ok_or(KeyFault::Other("the file is neither text nor DER"))
}

fn text(file: &[u8]) -> Result<Text<'_>, KeyFault> {
    Text::of(file).map_err(|_| KeyFault::Utf16)
}

fn counted<T>(found: Vec<T>) -> Result<Vec<T>, Refused> {
    match found.len() {
        0 => Err(KeyFault::NoKey.into()),
        1..=KEYS_MAX => Ok(found),
        _ => Err(OVER_KEYS_MAX.into()),
    }
}

fn lines<T: Key>(text: Text<'_>) -> Result<Vec<T>, Refused> {
    let mut found = Vec::new();
    for (number, line) in text.lines() {
        let read = match Text::of_line(line) {
            // To some programs it ends the line, and a key behind it would be passed over.
            _ if line.contains(&b'\r') => Err(KeyFault::Other("there is a carriage return within the line").into()),
            _ if T::is_comment(line) => continue,
            text => match T::read_line(text) {
                Err(_) if text.len() < line.len() => Err(KeyFault::Other("the line is not UTF-8").into()),
                read => read,
            },
        };
        found.push(read.map_err(|why| Refused { line: Some(number), why })?);
        if found.len() > KEYS_MAX {
            break;
        }
    }
    Ok(found)
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#")
}

fn blocks<T: Key>(text: Text<'_>, passphrase: Option<&Passphrase>, mut work: Work) -> Result<Vec<T>, Refused> {
    let mut found = Vec::new();
    // Whatever else is wrong in the file is said before anybody is asked for a passphrase.
    let (mut locked, mut count) = (None, 0);
    for part in pem::parts(text) {
        let (line, read) = match part {
            // Locked ones too, so that nobody pays for the passphrase of a file that is refused.
            Part::Block(_) if count == KEYS_MAX => return Err(OVER_KEYS_MAX.into()),
            Part::Block(block) => {
                count += 1;
                let read = match block.label {
                    Some(pem::SSH_PRIVATE_KEY) => {
                        block.decode().and_then(|bytes| T::from_ssh(&bytes, passphrase, &mut work)).map(Some)
                    }
                    _ => from_block(&block, &T::WANTED, passphrase, &mut work),
                };
                (block.line, read.and_then(|parsed| parsed.map(T::of).transpose()))
            }
            // Else it would be a recipient that is passed over in silence.
            Part::Text { text: b"\n" | b"\r\n", .. } => continue,
            Part::Text { line, text } if is_key(text) => (line, Err(KeyFault::MixedForms.into())),
            Part::Text { .. } => continue,
        };
        match read {
            Err(Refusal::Other(Error::PassphraseRequired)) => locked = locked.or(Some(line)),
            read => found.extend(read.map_err(|why| Refused { line: Some(line), why })?),
        }
    }
    match locked {
        Some(line) => Err(Refused { line: Some(line), why: Error::PassphraseRequired.into() }),
        None => Ok(found),
    }
}

fn from_block(
    block: &Block<'_>,
    wanted: &Wanted,
    passphrase: Option<&Passphrase>,
    work: &mut Work,
) -> Result<Option<Parsed>, Refusal> {
    block.check_lines()?;
    let label = block.label.ok_or(KeyFault::Other("the BEGIN line is damaged"))?;
    // Other programs look at what is there, so any form of a half stands under any label of it.
    let is_certificate = match Holds::of(label) {
        Some(Holds::Key(held)) if held == wanted.half => false,
        Some(Holds::Key(Half::Public)) => return Err(KeyFault::PublicKey.into()),
        Some(Holds::Key(Half::Private)) => return Err(KeyFault::PrivateKey.into()),
        Some(Holds::Parameters) if wanted.half == Half::Private => {
            let is_curve = block.decode().is_ok_and(|der| asn1::is_curve(&der));
            let damaged = KeyFault::Other("the parameters in the PEM are damaged");
            return if is_curve { Ok(None) } else { Err(damaged.into()) };
        }
        _ if label == pem::CERTIFICATE && wanted.certificates => true,
        _ if label.contains("CERTIFICATE") => return Err(UnsupportedKey::Certificate.into()),
        _ if label.contains("OPENSSH") => return Err(UnsupportedKey::Ssh.into()),
        _ if label == pem::TPM_BLOB => return Err(UnsupportedKey::TpmBlob.into()),
        _ => return Err(UnsupportedKey::PemLabel.into()),
    };
    let der = block.decode()?;
    match Shape::of(&der) {
        Some(found) if is_certificate == (found == Shape::Certificate) => {
            asn1::read(&der, wanted, passphrase, work).map(Some)
        }
        Some(_) => Err(KeyFault::Other("the label of the PEM does not match its content").into()),
        None => Err(KeyFault::Other("the DER in the PEM is damaged").into()),
    }
}

/// Whether a line outside of all blocks would be a key by itself, or part of one.
fn is_key(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let has = |mark: &str| line.windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    let has_recipient = |hrp: &str| {
        line.windows(hrp.len() + 1).zip(hrp.len() + 1..).any(|(part, at)| {
            let data = line[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric());
            part[..hrp.len()].eq_ignore_ascii_case(hrp.as_bytes()) && part[hrp.len()] == b'1' && data.count() >= 16
        })
    };
    let marks = string::SECRET_MARKS.into_iter().chain(["kty", "--BEGIN", "--END"]);
    let mut recipients = Kind::ALL.into_iter().filter_map(Kind::recipient_prefix);
    let is_number = || matches!(line.len(), 64 | 66 | 128 | 130) && is_digits(line);
    line.iter().any(|byte| matches!(byte, b'\r' | 0))
        || is_number()
        || marks.into_iter().any(has)
        || recipients.any(has_recipient)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
