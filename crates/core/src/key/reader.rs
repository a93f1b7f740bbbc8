//! Reads files of keys of any type, in any form.

use super::asn1::{self, Shape};
use super::digits::is_digits;
use super::form::KeyForm;
use super::parsed::{Half, Key, Parsed, Refusal, Wanted};
use super::pem::{self, Block, Part};
use super::{Kind, jwk};
use crate::error::{Error, KeyFault, Result, SECRET_MARKS, UnsupportedKey};
use crate::kdf::Work;
use crate::password::Passphrase;
use crate::text::Text;

/// The error of a key that cannot be read. It shows neither the key nor the line, which may be secret.
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
    /// The fault of the key.
    #[source]
    pub error: Error,
}

impl From<Error> for KeyFileError {
    fn from(error: Error) -> Self {
        Self { line: None, error }
    }
}

/// For callers that only need the fault, and not its line.
impl From<KeyFileError> for Error {
    fn from(error: KeyFileError) -> Self {
        error.error
    }
}

/// Reads a file with one key.
pub(super) fn parse_one<T: Key>(file: &[u8], passphrase: Option<&Passphrase>) -> Result<T> {
    let mut found = parse(file, passphrase, Work::default()).map_err(|error| error.error)?;
    let one = found.pop().expect("file: a file has at least one key");
    let several = KeyFault::Other("there are several keys where one is expected");
    if found.is_empty() { Ok(one) } else { Err(T::error(several.into())) }
}

/// The most keys of one file, which is also the most recipients of an encrypted file.
const KEYS_MAX: usize = 1024;
const OVER_KEYS_MAX: KeyFault = KeyFault::Other("the file has over 1024 keys");

/// The content of a block of PEM.
pub(super) enum Holds {
    Key(Half),
    /// A curve's parameters, which may precede a private key.
    Parameters,
}

impl Holds {
    /// The content that a label names; `None` for an unknown label.
    pub(super) fn of(label: &str) -> Option<Self> {
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

/// The refusal of a key, and its line in the file.
pub(super) struct Refused {
    line: Option<usize>,
    pub(super) why: Refusal,
}

impl<T: Into<Refusal>> From<T> for Refused {
    fn from(why: T) -> Self {
        Self { line: None, why: why.into() }
    }
}

pub(super) fn parse_strings<T: Key>(file: &[u8]) -> Result<Option<Vec<T>>, KeyFileError> {
    let read = match detect_form(file) {
        Ok(KeyForm::Age | KeyForm::Hex) => {
            read_text(file).map_err(Refused::from).and_then(read_lines).and_then(check_count).map(Some)
        }
        Ok(_) => Ok(None),
        Err(fault) => Err(fault.into()),
    };
    read.map_err(|Refused { line, why }| KeyFileError { line, error: T::error(why) })
}

pub(super) fn parse<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, work: Work) -> Result<Vec<T>, KeyFileError> {
    read(file, passphrase, work).map_err(|Refused { line, why }| KeyFileError { line, error: T::error(why) })
}

/// Reads a file first without the passphrase, so that every fault that does not depend on it is reported before a derivation.
pub(super) fn read<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, work: Work) -> Result<Vec<T>, Refused> {
    match read_with(file, None, work) {
        Err(Refused { why: Refusal::Other(Error::PassphraseRequired), .. }) if passphrase.is_some() => {
            read_with(file, passphrase, work)
        }
        read => read,
    }
}

fn read_with<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, mut work: Work) -> Result<Vec<T>, Refused> {
    check_count(match detect_form(file)? {
        KeyForm::Der => vec![T::of(asn1::read(file, &T::WANTED, passphrase, &mut work)?)?],
        KeyForm::Jwk if T::WANTED.jwk => {
            let json = str::from_utf8(read_text(file)?.bytes()).map_err(|_| KeyFault::Other("the JWK is not UTF-8"))?;
            vec![T::of(jwk::read(json, &T::WANTED)?)?]
        }
        KeyForm::Pem => read_blocks(read_text(file)?, passphrase, work)?,
        KeyForm::Age | KeyForm::Hex | KeyForm::Jwk => read_lines(read_text(file)?)?,
    })
}

fn detect_form(file: &[u8]) -> Result<KeyForm, KeyFault> {
    read_text(file)?;
    KeyForm::of(file).ok_or(KeyFault::Other("the file is neither text nor DER"))
}

fn read_text(file: &[u8]) -> Result<Text<'_>, KeyFault> {
    Text::of(file).map_err(|_| KeyFault::Utf16)
}

fn check_count<T>(found: Vec<T>) -> Result<Vec<T>, Refused> {
    match found.len() {
        0 => Err(KeyFault::NoKey.into()),
        1..=KEYS_MAX => Ok(found),
        _ => Err(OVER_KEYS_MAX.into()),
    }
}

fn read_lines<T: Key>(text: Text<'_>) -> Result<Vec<T>, Refused> {
    let mut found = Vec::new();
    for (number, line) in text.lines() {
        let read = match Text::of_line(line) {
            // Some programs take a carriage return as the end of the line, and would read a key behind it.
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

pub(super) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#")
}

fn read_blocks<T: Key>(text: Text<'_>, passphrase: Option<&Passphrase>, mut work: Work) -> Result<Vec<T>, Refused> {
    let mut found = Vec::new();
    // Every other fault in the file takes precedence over PassphraseRequired.
    let (mut locked, mut count, mut certificates) = (None, 0, 0);
    for part in pem::parts(text) {
        let (line, read) = match part {
            // Encrypted keys count too, so that no key is derived for a file that is refused.
            Part::Block(_) if count == KEYS_MAX => return Err(OVER_KEYS_MAX.into()),
            Part::Block(block) => {
                count += 1;
                certificates += usize::from(block.label == Some(pem::CERTIFICATE));
                let read = match block.label {
                    // A chain: the keys of those who issued the first certificate must not become recipients or signers.
                    Some(pem::CERTIFICATE) if T::WANTED.certificates && certificates > 1 => {
                        Err(KeyFault::Other("the file has several certificates: keep only the one whose key you mean")
                            .into())
                    }
                    Some(pem::SSH_PRIVATE_KEY) => {
                        block.decode().and_then(|bytes| T::from_ssh(&bytes, passphrase, &mut work)).map(Some)
                    }
                    _ => read_block(&block, &T::WANTED, passphrase, &mut work),
                };
                (block.line, read.and_then(|parsed| parsed.map(T::of).transpose()))
            }
            // Otherwise a recipient in this line would be skipped silently.
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

fn read_block(
    block: &Block<'_>,
    wanted: &Wanted,
    passphrase: Option<&Passphrase>,
    work: &mut Work,
) -> Result<Option<Parsed>, Refusal> {
    block.check_lines()?;
    let label = block.label.ok_or(KeyFault::Other("the BEGIN line is damaged"))?;
    // Other programs detect the form by the content, so a label allows every form of its half.
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

/// Whether a line outside of all blocks looks like a key, or a part of one.
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
    let marks = SECRET_MARKS.into_iter().chain(["kty", "--BEGIN", "--END"]);
    let mut recipients = Kind::ALL.into_iter().filter_map(Kind::recipient_prefix);
    let is_number = || matches!(line.len(), 64 | 66 | 128 | 130) && is_digits(line);
    line.iter().any(|byte| matches!(byte, b'\r' | 0))
        || is_number()
        || marks.into_iter().any(has)
        || recipients.any(has_recipient)
}
