//! Keys that sign files, and keys whose signatures are trusted (spec/signature.md section 7).

use super::algorithm::Algorithm;
use super::parsed::{Half, Key, Parsed, Refusal, Use, Wanted};
use super::reader::{KeyFileError, parse, parse_one};
use super::ssh;
use super::{Reader, sign};
use crate::error::{Error, KeyFault, Restriction, Result, UnsupportedKey, Withheld};
use crate::kdf::Work;
use crate::password::Passphrase;
use crate::sign::{Kind, PrivateKey, PublicKey};
use std::sync::Arc;
use std::{fmt, slice};

/// A private key of a kind that [signs files](Kind::signs_files). It is zeroed on drop, and never printed.
///
/// ```
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::signature::SigningKey;
///
/// let key = PrivateKey::generate(Kind::HybridSign)?;
/// let read = SigningKey::parse(&*key.to_pem(None)?, None)?;
/// assert_eq!(read.signer().public_key(), &key.public_key());
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey {
    key: Arc<PrivateKey>,
    signer: Signer,
}

debug!(|key: SigningKey| "SigningKey({}, ..)", key.kind());

impl SigningKey {
    /// Takes an application's key.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for a kind that does not sign files.
    pub fn new(key: impl Into<Arc<PrivateKey>>) -> Result<Self> {
        let key = key.into();
        let signer = Signer::new(key.public_key())?;
        Ok(Self { key, signer })
    }

    /// Reads a file with one key: PKCS#8, plain or encrypted, and SEC1, as PEM and DER; and a private key of OpenSSH. A key of
    /// P-256 or SM2 becomes a signature key.
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] for a damaged key, for a public key, and for a public key beside the private one that does not
    /// match it; [`Error::UnsupportedKey`] for keys of other kinds, forms and encryptions; [`Error::PassphraseRequired`];
    /// [`Error::WrongPassphrase`]; [`Error::CostTooHigh`].
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file.as_ref(), passphrase)
    }

    /// The kind of the key.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// The public key, which verifies the signatures.
    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    pub(crate) fn private_key(&self) -> &PrivateKey {
        &self.key
    }
}

/// A public key whose signatures are trusted.
///
/// ```
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::signature::{Signer, Signers};
///
/// let signer = Signer::new(PrivateKey::generate(Kind::Ed25519)?.public_key())?;
/// let line = signer.to_line("alice@example.org")?;
/// assert!(line.starts_with("ssh-ed25519 AAAA"));
/// assert_eq!(Signers::parse(line).unwrap().iter().next(), Some(&signer));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Signer {
    key: PublicKey,
    /// The key as a blob of SSH, as in signature files.
    blob: Arc<[u8]>,
    allowed_line: Option<AllowedLine>,
}

/// The signer's line in a file of allowed signers.
#[derive(Clone, PartialEq, Eq)]
struct AllowedLine {
    line: usize,
    principals: Arc<str>,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({}, {}", self.kind(), self.fingerprint())?;
        self.principals().map_or(Ok(()), |principals| write!(f, ", {principals:?}"))?;
        f.write_str(")")
    }
}

impl Signer {
    /// Trusts a key.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for a kind that does not sign files.
    ///
    /// # Panics
    /// Never: every kind that signs files has a name in SSH.
    pub fn new(key: PublicKey) -> Result<Self> {
        if !key.kind().signs_files() {
            return Err(UnsupportedKey::SignerKind.into());
        }
        let blob = key.to_ssh_bytes().expect("signer: every kind that signs files has a name in SSH").into();
        Ok(Self { key, blob, allowed_line: None })
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }

    /// The kind of the key.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// The fingerprint ([`PublicKey::fingerprint`]).
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.key.fingerprint()
    }

    /// The fingerprint as `ssh-keygen -l` shows it.
    ///
    /// # Panics
    /// Never: every kind that signs files has a name in SSH.
    #[must_use]
    pub fn ssh_fingerprint(&self) -> String {
        self.key.ssh_fingerprint().expect("signer: every kind that signs files has a name in SSH")
    }

    /// The principals of the signer in a file of allowed signers: patterns, separated by commas.
    #[must_use]
    pub fn principals(&self) -> Option<&str> {
        self.allowed_line.as_ref().map(|allowed_line| &*allowed_line.principals)
    }

    /// The number of the signer's line in a file of allowed signers, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.allowed_line.as_ref().map(|allowed_line| allowed_line.line)
    }

    /// The line of the public key that [`Signers::parse`] reads, without a line end. An empty comment is left out.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a comment of several lines.
    pub fn to_line(&self, comment: &str) -> Result<String> {
        self.key.to_ssh(comment)
    }

    /// The key as a blob of SSH.
    pub(crate) fn blob(&self) -> &[u8] {
        &self.blob
    }

    /// Reads the key of a line of a file of allowed signers; `None` for a key of another kind.
    pub(crate) fn of_line(key: &str) -> Result<Option<Self>, KeyFault> {
        match ssh::read_line(key, Self::WANTED.takes).and_then(Self::from_parsed) {
            Ok(signer) => Ok(Some(signer)),
            Err(Refusal::Invalid(fault)) => Err(fault),
            Err(Refusal::Other(_)) => Ok(None),
        }
    }

    /// Adds the signer's line in a file of allowed signers.
    pub(crate) fn with_line(self, line: usize, principals: &str) -> Self {
        Self { allowed_line: Some(AllowedLine { line, principals: principals.into() }), ..self }
    }
}

/// The signers that a reader trusts. An empty list is an error when a signature is verified, unless it comes from a file of
/// allowed signers, which may allow no key.
///
/// ```
/// use sealstone::signature::Signers;
///
/// let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4 alice@example.com";
/// let signers = Signers::parse(line).unwrap();
/// let fingerprint = signers.iter().next().unwrap().ssh_fingerprint();
/// assert_eq!(fingerprint, "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signers {
    list: Vec<Signer>,
    /// Whether the list comes from a file of allowed signers.
    is_from_file: bool,
    /// The signers that the file has but does not allow.
    withheld: Vec<(Signer, Withheld)>,
}

impl Signers {
    /// Trusts these signers.
    #[must_use]
    pub fn new(signers: impl IntoIterator<Item = Signer>) -> Self {
        Self { list: signers.into_iter().collect(), ..Self::default() }
    }

    /// Reads a file of public keys: PEM and DER of `SubjectPublicKeyInfo`, an X.509 certificate, or lines of SSH (spec/signature.md
    /// sections 7.1 and 7.2).
    ///
    /// # Security
    /// A certificate is read only for its key. Nothing in it is verified: no signature, issuer, date or key usage. A file with several
    /// certificates is refused.
    ///
    /// # Errors
    /// The error of the first key that cannot be read, with its line: [`Error::InvalidSigner`], also for a private key;
    /// [`Error::UnsupportedKey`] for keys of other kinds. A file without any key is an error.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Self, KeyFileError> {
        parse(file.as_ref(), None, Work::default()).map(|list: Vec<Signer>| Self::new(list))
    }

    /// Also trusts the signers of another list.
    pub fn append(&mut self, others: Self) {
        self.list.extend(others.list);
        self.is_from_file |= others.is_from_file;
        self.withheld.extend(others.withheld);
    }

    /// The signers, in their order.
    pub fn iter(&self) -> slice::Iter<'_, Signer> {
        self.list.iter()
    }

    /// The number of signers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The signers of a file of allowed signers: those that it allows, and those that it does not.
    pub(crate) fn from_allowed(list: Vec<Signer>, withheld: Vec<(Signer, Withheld)>) -> Self {
        Self { list, is_from_file: true, withheld }
    }

    /// Finds the line with a key, given as a blob of SSH, that does not allow it. Of several lines, it returns one that
    /// satisfies the most conditions.
    pub(crate) fn find_withheld(&self, blob: &[u8]) -> Option<&Withheld> {
        let lines = self.withheld.iter().filter(|(signer, _)| signer.blob() == blob).map(|(_, withheld)| withheld);
        lines.max_by_key(|withheld| match withheld.restriction {
            Restriction::Principals => 0,
            Restriction::Namespaces => 1,
            Restriction::From | Restriction::Until => 2,
        })
    }

    /// Whether the caller gave neither a signer nor a file of allowed signers.
    pub(crate) fn are_missing(&self) -> bool {
        self.list.is_empty() && !self.is_from_file
    }
}

impl<'a> IntoIterator for &'a Signers {
    type Item = &'a Signer;
    type IntoIter = slice::Iter<'a, Signer>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<Signer> for Signers {
    fn from_iter<T: IntoIterator<Item = Signer>>(signers: T) -> Self {
        Self::new(signers)
    }
}

/// The kind of an algorithm whose keys sign files.
fn kind_of(algorithm: Algorithm) -> Result<Kind, UnsupportedKey> {
    sign::kind(algorithm).ok().filter(|kind| kind.signs_files()).ok_or(UnsupportedKey::SignerKind)
}

/// The kind of an algorithm's name in SSH, if it signs files.
pub(crate) fn kind_of_name(name: &[u8]) -> Option<Kind> {
    ssh::find_algorithm(name).and_then(|(algorithm, _)| kind_of(algorithm).ok())
}

/// The public key in a blob of SSH, of a kind that signs files. Only its length is checked.
pub(crate) fn public_of_blob(blob: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader(blob);
    let (algorithm, curve) = ssh::find_algorithm(reader.string().ok()?)?;
    if curve.is_some_and(|curve| reader.string() != Ok(curve.as_bytes())) {
        return None;
    }
    let public = reader.string().ok()?;
    reader.end().ok()?;
    (kind_of(algorithm).ok()?.public_len() == Some(public.len())).then_some(public)
}

fn error(refusal: Refusal) -> Error {
    match refusal.of_family(Error::InvalidSigner) {
        Error::UnsupportedKey(UnsupportedKey::OtherFamily) => UnsupportedKey::SignerKind.into(),
        other => other,
    }
}

impl Key for SigningKey {
    const WANTED: Wanted =
        Wanted { jwk: false, ..Wanted::new(Half::Private, Use::Signs, |algorithm| kind_of(algorithm).map(drop)) };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        Ok(Self::new(PrivateKey::from_parsed(parsed)?)?)
    }

    fn error(refusal: Refusal) -> Error {
        error(refusal)
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        Err(match ssh::read_line(line, |_| Ok(())) {
            Ok(_) => KeyFault::PublicKey.into(),
            Err(_) => KeyFault::Other("this does not look like a private key").into(),
        })
    }

    fn from_ssh(bytes: &[u8], passphrase: Option<&Passphrase>, work: &mut Work) -> Result<Parsed, Refusal> {
        ssh::read(bytes, Self::WANTED.takes, passphrase, work)
    }
}

impl Key for Signer {
    const WANTED: Wanted =
        Wanted { jwk: false, ..Wanted::new(Half::Public, Use::Signs, |algorithm| kind_of(algorithm).map(drop)) };

    fn from_parsed(parsed: Parsed) -> Result<Self, Refusal> {
        Ok(Self::new(PublicKey::from_parsed(parsed)?)?)
    }

    fn error(refusal: Refusal) -> Error {
        error(refusal)
    }

    fn is_comment(line: &[u8]) -> bool {
        ssh::is_comment(line) && !line.contains(&0)
    }

    fn from_line(line: &str) -> Result<Parsed, Refusal> {
        ssh::read_line(line, Self::WANTED.takes)
    }

    fn from_ssh(_: &[u8], _: Option<&Passphrase>, _: &mut Work) -> Result<Parsed, Refusal> {
        Err(KeyFault::PrivateKey.into())
    }
}
