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
pub(super) enum Holds {
    Key(Half),
    /// What may stand before a private key and is none.
    Parameters,
}

impl Holds {
    /// What a label says; `None` of one that is not known.
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

/// Where in the file a key is refused, and why.
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
pub(super) fn read<T: Key>(file: &[u8], passphrase: Option<&Passphrase>, work: Work) -> Result<Vec<T>, Refused> {
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

pub(super) fn is_comment(line: &[u8]) -> bool {
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
    let marks = SECRET_MARKS.into_iter().chain(["kty", "--BEGIN", "--END"]);
    let mut recipients = Kind::ALL.into_iter().filter_map(Kind::recipient_prefix);
    let is_number = || matches!(line.len(), 64 | 66 | 128 | 130) && is_digits(line);
    line.iter().any(|byte| matches!(byte, b'\r' | 0))
        || is_number()
        || marks.into_iter().any(has)
        || recipients.any(has_recipient)
}
