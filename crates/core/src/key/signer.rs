//! Keys that sign files, and those whose signatures are trusted (spec/signature.md section 7).

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

/// A key that signs files: a private key of a kind that [signs files](Kind::signs_files). Zeroed on drop, and never printed.
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

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, ..)", self.kind())
    }
}

impl SigningKey {
    /// Takes a key of an application's.
    ///
    /// # Errors
    /// [`Error::UnsupportedKey`] for a kind that signs no files.
    pub fn new(key: impl Into<Arc<PrivateKey>>) -> Result<Self> {
        let key = key.into();
        let signer = Signer::new(key.public_key())?;
        Ok(Self { key, signer })
    }

    /// Reads a file that holds one key: PKCS#8, plain or encrypted, and SEC1, as PEM and DER; and a private key of OpenSSH. A key of
    /// P-256 or SM2 becomes one that signs.
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] for what is damaged, for a public key, and where a public key beside the private one is another's;
    /// [`Error::UnsupportedKey`] for keys of other kinds, forms and encryptions; [`Error::PassphraseRequired`];
    /// [`Error::WrongPassphrase`]; [`Error::CostTooHigh`].
    pub fn parse(file: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self> {
        parse_one(file.as_ref(), passphrase)
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// The public key, for those who verify.
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
    /// As SSH has the key, and signature files do.
    blob: Arc<[u8]>,
    given: Option<Given>,
}

/// The line of a file of allowed signers.
#[derive(Clone, PartialEq, Eq)]
struct Given {
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
    /// [`Error::UnsupportedKey`] for a kind that signs no files.
    ///
    /// # Panics
    /// Never: every kind that signs files has a name in SSH.
    pub fn new(key: PublicKey) -> Result<Self> {
        if !key.kind().signs_files() {
            return Err(UnsupportedKey::SignerKind.into());
        }
        let blob = key.to_ssh_bytes().expect("signer: every kind that signs files has a name in SSH").into();
        Ok(Self { key, blob, given: None })
    }

    /// The key itself.
    #[must_use]
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }

    /// The kind.
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

    /// Who may sign with it, as its line of a file of allowed signers says: patterns with commas between them.
    #[must_use]
    pub fn principals(&self) -> Option<&str> {
        self.given.as_ref().map(|given| &*given.principals)
    }

    /// That line's number, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.given.as_ref().map(|given| given.line)
    }

    /// A line of a public key, as [`Signers::parse`] reads it, without a line end. An empty comment is none.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a comment of several lines.
    pub fn to_line(&self, comment: &str) -> Result<String> {
        self.key.to_ssh(comment)
    }

    /// As SSH has the key.
    pub(crate) fn blob(&self) -> &[u8] {
        &self.blob
    }

    /// The key of a line of a file of allowed signers; `None` for a key of another kind.
    pub(crate) fn of_line(key: &str) -> Result<Option<Self>, KeyFault> {
        match ssh::read_line(key, Self::WANTED.takes).and_then(Self::from_parsed) {
            Ok(signer) => Ok(Some(signer)),
            Err(Refusal::Invalid(fault)) => Err(fault),
            Err(Refusal::Other(_)) => Ok(None),
        }
    }

    /// As a line gives it.
    pub(crate) fn given(self, line: usize, principals: &str) -> Self {
        Self { given: Some(Given { line, principals: principals.into() }), ..self }
    }
}

/// Whom a reader trusts. Nobody is an error where a signature is verified, unless a file of allowed signers was asked, which may give
/// nobody.
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
    /// Whether a file of allowed signers was asked.
    were_looked_up: bool,
    /// Those that it has and does not give.
    withheld: Vec<(Signer, Withheld)>,
}

impl Signers {
    /// These keys.
    #[must_use]
    pub fn new(signers: impl IntoIterator<Item = Signer>) -> Self {
        Self { list: signers.into_iter().collect(), ..Self::default() }
    }

    /// Reads a file of public keys: PEM and DER of `SubjectPublicKeyInfo`, or lines of SSH (spec/signature.md sections 7.1 and 7.2).
    ///
    /// # Errors
    /// The first key that cannot be read, with its line: [`Error::InvalidSigner`], private keys included; [`Error::UnsupportedKey`] for
    /// keys of other kinds. A file without any key is an error.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Self, KeyFileError> {
        parse(file.as_ref(), None, Work::default()).map(|list: Vec<Signer>| Self::new(list))
    }

    /// Trusts those of others as well.
    pub fn append(&mut self, others: Self) {
        self.list.extend(others.list);
        self.were_looked_up |= others.were_looked_up;
        self.withheld.extend(others.withheld);
    }

    /// They, in their order.
    pub fn iter(&self) -> slice::Iter<'_, Signer> {
        self.list.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nobody is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Those whom a file of allowed signers gives, and those whom it does not.
    pub(crate) fn looked_up(list: Vec<Signer>, withheld: Vec<(Signer, Withheld)>) -> Self {
        Self { list, were_looked_up: true, withheld }
    }

    /// The line that has a key, as SSH has that, and does not give it. Of several it is one that is nearest to giving it.
    pub(crate) fn withheld(&self, blob: &[u8]) -> Option<&Withheld> {
        let lines = self.withheld.iter().filter(|(signer, _)| signer.blob() == blob).map(|(_, withheld)| withheld);
        lines.max_by_key(|withheld| match withheld.restriction {
            Restriction::Principals => 0,
            Restriction::Namespaces => 1,
            Restriction::From | Restriction::Until => 2,
        })
    }

    /// Whether the caller named nobody at all.
    pub(crate) fn are_missing(&self) -> bool {
        self.list.is_empty() && !self.were_looked_up
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

/// The kind that SSH's name of an algorithm stands for, if it signs files.
pub(crate) fn kind_of_name(name: &[u8]) -> Option<Kind> {
    ssh::named(name).and_then(|(algorithm, _)| kind_of(algorithm).ok())
}

/// The key in what SSH has of it, of a kind that signs files. It has the kind's length, and nobody has looked whether it is one.
pub(crate) fn public_of_blob(blob: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader(blob);
    let (algorithm, curve) = ssh::named(reader.string().ok()?)?;
    if curve.is_some_and(|curve| reader.string() != Ok(curve.as_bytes())) {
        return None;
    }
    let public = reader.string().ok()?;
    reader.end().ok()?;
    (kind_of(algorithm).ok()?.public_len() == Some(public.len())).then_some(public)
}

fn error(refusal: Refusal) -> Error {
    let refusal = match refusal {
        Refusal::Invalid(fault) => return Error::InvalidSigner(fault),
        other @ Refusal::Other(_) => other.of_family(),
    };
    match refusal {
        Error::UnsupportedKey(UnsupportedKey::OtherFamily) => UnsupportedKey::SignerKind.into(),
        other => other,
    }
}

impl Key for SigningKey {
    const WANTED: Wanted = Wanted {
        half: Half::Private,
        usage: Use::Signs,
        certificates: false,
        jwk: false,
        expanded: false,
        takes: |algorithm| kind_of(algorithm).map(drop),
    };

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
    const WANTED: Wanted = Wanted {
        half: Half::Public,
        usage: Use::Signs,
        certificates: false,
        jwk: false,
        expanded: false,
        takes: |algorithm| kind_of(algorithm).map(drop),
    };

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
