//! Files of identities and of recipients: lines of strings or hexadecimal digits, PEM, DER or JWK.

use super::form::KeyForm;
use super::parsed::Refusal;
use super::pbes2::Encrypted;
use super::pem::{self, Part};
use super::reader::{Holds, KeyFileError, Refused, is_comment, parse, parse_strings, read};
use super::{Identity, Recipient};
use crate::error::{Error, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::password::{Derivation, Passphrase};
use crate::text::Text;
use zeroize::Zeroizing;

/// Reads the identities of a file (format section 12):
///
/// - strings, one on each line, or 64 hexadecimal digits for `sm2`; empty lines and lines that begin with `#` are skipped;
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
/// The error of the first key that cannot be read, with its line: [`Error::InvalidIdentity`]; [`Error::UnsupportedKey`] for
/// unsupported key types, formats and encryption; [`Error::PassphraseRequired`]; [`Error::NoMatchingIdentity`] for a wrong
/// passphrase; [`Error::CostTooHigh`] for a KDF over 10,000,000 iterations, or over 1 GiB, 16 lanes or an r of 8192 of scrypt,
/// and for keys that together take more work than one key may. 16 keys that Sealstone encrypts fit into one file, and 10 of the
/// kind `sm2`. A file without any key is an error.
pub fn parse_identities(
    file: impl AsRef<[u8]>,
    passphrase: Option<&Passphrase>,
) -> Result<Vec<Identity>, KeyFileError> {
    parse(file.as_ref(), passphrase, Work::default())
}

/// As [`parse_identities`], after the work of opening the file that contains them.
pub(crate) fn parse_identities_after(
    work: Work,
    file: &[u8],
    passphrase: Option<&Passphrase>,
) -> Result<Vec<Identity>, KeyFileError> {
    parse(file, passphrase, work)
}

/// The derivations with PBKDF2 that [`parse_identities`] needs for encrypted keys. A program whose host computes them faster
/// passes the derived keys to [`Passphrase::know`]. The reader computes derivations that are not listed, such as those of
/// scrypt, and those that the passphrase does not know.
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
/// The errors of [`parse_identities`] that need no passphrase, so that no key is derived for a file that is refused or takes
/// too much work.
pub fn derivations(file: impl AsRef<[u8]>) -> Result<Vec<Derivation>, KeyFileError> {
    derivations_after(Work::default(), file.as_ref())
}

/// As [`derivations`], after the work of opening the file that contains the keys.
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
/// - strings, one on each line, or 66, 128 or 130 hexadecimal digits for `sm2`; empty lines and lines that begin with `#` are
///   skipped;
/// - PEM: one or more blocks of `SubjectPublicKeyInfo`, one of which may be an X.509 certificate; text around them is skipped;
/// - DER: one key in `SubjectPublicKeyInfo`, or a certificate;
/// - JWK: one key, `p256` or `x25519`.
///
/// ```
/// let text = "# alice\nage13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh\n";
/// assert_eq!(sealstone::parse_recipients(text)?.len(), 1);
/// # Ok::<(), sealstone::KeyFileError>(())
/// ```
///
/// # Security
/// A certificate is read only for its key. Nothing in it is verified: no signature, issuer, date or key usage. A file with several
/// certificates, such as a chain, is refused: otherwise the issuers would become recipients.
///
/// # Errors
/// The error of the first key that cannot be read, with its line: [`Error::InvalidRecipient`], also for a private key;
/// [`Error::UnsupportedKey`] for unsupported key types. A file without any key is an error.
pub fn parse_recipients(file: impl AsRef<[u8]>) -> Result<Vec<Recipient>, KeyFileError> {
    parse(file.as_ref(), None, Work::default())
}

/// Whether a file holds recipients, valid or not, and no identities.
///
/// ```
/// assert!(sealstone::is_recipient_file(b"age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh"));
/// assert!(!sealstone::is_recipient_file(b"AGE-SECRET-KEY-1"));
/// ```
#[must_use]
pub fn is_recipient_file(file: &[u8]) -> bool {
    match read::<Identity>(file, None, Work::default()) {
        Err(Refused { why: Refusal::Invalid(fault), .. }) => fault.is_other_half(),
        Err(Refused { why: Refusal::Other(Error::UnsupportedKey(fault)), .. }) => fault == UnsupportedKey::Certificate,
        _ => false,
    }
}

/// Changes or removes the passphrase of a file of PEM or DER. SEC1 becomes PKCS#8. Comments (`#`) around PEM are kept. Other
/// text is dropped, since it may reveal the key, as that of `openssl pkey -text` does.
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
/// The errors of [`parse_identities`], with [`Error::CostTooHigh`] also for more keys than a reader accepts under the new
/// passphrase; [`Error::UnsupportedKey`] for strings and JWK, which have no passphrase; [`Error::NoRandomness`].
pub fn protect_identities(
    file: &[u8],
    old: Option<&Passphrase>,
    new: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    // The whole file is read first, so that no unknown key is dropped.
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

/// As [`parse_identities`], for a file in the form `age` or `hex`; `None` for another form. So a program that reads only these
/// forms, such as a module of WebAssembly, contains no code for the others.
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

/// As [`parse_identity_strings`], for recipients.
///
/// # Errors
/// As [`parse_recipients`].
pub fn parse_recipient_strings(file: impl AsRef<[u8]>) -> Result<Option<Vec<Recipient>>, KeyFileError> {
    parse_strings(file.as_ref())
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
