//! Signature files: the holder of a private key signs content (`spec/signature.md`).
//!
//! The files are signatures of OpenSSH: a stock `ssh-keygen` verifies those of `ed25519`, `p256-sign` and, from OpenSSH 10.6
//! on, `hybrid44-sign`.
//!
//! ```
//! use sealstone::Input;
//! use sealstone::sign::{Kind, PrivateKey};
//! use sealstone::signature::{SignatureReader, SignatureWriter, Signers, SigningKey};
//!
//! let key = SigningKey::new(PrivateKey::generate(Kind::HybridSign)?)?;
//! let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..]))?;
//! assert!(signature.starts_with("-----BEGIN SSH SIGNATURE-----\n"));
//!
//! let reader = SignatureReader::new(Signers::new([key.signer().clone()]));
//! let verified = reader.detached(Input::reader(&b"attack at dawn"[..]), signature.as_bytes())?;
//! assert_eq!(verified.signer(), key.signer());
//! let changed = reader.detached(Input::reader(&b"attack at dusk"[..]), signature.as_bytes());
//! assert_eq!(changed.unwrap_err().code(), "invalid_signature");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! A signature is *detached*, in a file of its own, or *attached*, behind the content in the same file.
//!
//! # Security
//! A signature proves who signed, and not when. It covers neither the name of a file nor its mode. Older content with its valid
//! signature can replace newer content, so name the version in the [`Comment`] or in the content. Do not use a signature as an
//! identifier of its content, since a valid one can be changed into another valid one.

// Checks follow the order of `spec/signature.md` section 6.1: those of the blob are in `signature/blob.rs`. The verifier
// computes only with keys that the caller gave, and releases nothing before it is verified. The keys are in `key/signer.rs`.
// docs/design/signatures.md explains the choices.

mod allowed;
mod armour;
mod blob;
mod content;
mod quarantine;

use crate::error::{Error, KeyFault, Result, SignatureForm, is_escaped};
use crate::key::fingerprint;
use crate::pipeline::{Input, Meter, Output, Settings, Source, run_in_sequence};
use crate::profile::Profile;
use crate::sign::Kind;
pub use allowed::AllowedSigners;
pub use armour::MAX_LEN;
use blob::Blob;
use content::{Digests, HoldBack, Tee};
use quarantine::Quarantine;
use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

pub use crate::key::{Signer, Signers, SigningKey};

/// The most bytes of a namespace.
pub const NAMESPACE_MAX_LEN: usize = 255;
/// The most bytes of a comment.
pub const COMMENT_MAX_LEN: usize = 1024;
/// The prefix of namespaces of this project's formats.
const RESERVED: &str = "sealstone-";

/// The purpose of a signature: a signature for one namespace is not valid for another. 1 to 255 printable characters of ASCII
/// without spaces and commas; `file` by default.
///
/// ```
/// use sealstone::signature::Namespace;
///
/// assert_eq!(Namespace::default().as_str(), "file");
/// assert_eq!(Namespace::new("git")?.as_str(), "git");
/// assert_eq!(Namespace::new("my files").unwrap_err().code(), "invalid_namespace");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Namespace(Box<str>);

impl Namespace {
    /// Checks a name.
    ///
    /// # Errors
    /// [`Error::InvalidNamespace`] for any other text, and for one that begins with `sealstone-`, which is reserved for formats
    /// of this project.
    pub fn new(name: &str) -> Result<Self> {
        if !is_namespace(name.as_bytes()) {
            return Err(Error::InvalidNamespace(
                "it must have 1 to 255 printable ASCII characters, without spaces and commas",
            ));
        }
        if name.starts_with(RESERVED) {
            return Err(Error::InvalidNamespace("names that begin with sealstone- are reserved"));
        }
        Ok(Self(name.into()))
    }

    /// The text of the namespace.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_namespace(name: &[u8]) -> bool {
    (1..=NAMESPACE_MAX_LEN).contains(&name.len()) && name.iter().all(|byte| byte.is_ascii_graphic() && *byte != b',')
}

impl Default for Namespace {
    fn default() -> Self {
        Self("file".into())
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Namespace {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

/// A text that is signed with the content: 1 to 1,024 bytes of UTF-8 in one line, without characters that change the direction
/// of text.
///
/// `ssh-keygen` refuses a signature with a comment.
///
/// ```
/// use sealstone::signature::Comment;
///
/// assert_eq!(Comment::new("release 1.2")?.as_str(), "release 1.2");
/// assert_eq!(Comment::new("two\nlines").unwrap_err().code(), "invalid_comment");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comment(Box<str>);

impl Comment {
    /// Checks a text.
    ///
    /// # Errors
    /// [`Error::InvalidComment`] for any other text. An empty text is an error, and does not mean "none".
    pub fn new(text: &str) -> Result<Self> {
        match comment_fault(text) {
            Some(fault) => Err(Error::InvalidComment(fault)),
            None => Ok(Self(text.into())),
        }
    }

    /// The text of the comment.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Comment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

/// Explains why a text is not a comment; `None` for a comment.
fn comment_fault(text: &str) -> Option<&'static str> {
    match text.len() {
        1..=COMMENT_MAX_LEN if text.contains(is_escaped) => {
            Some("it must not have control characters, line ends or characters that change the direction of text")
        }
        1..=COMMENT_MAX_LEN => None,
        _ => Some("it must have 1 to 1,024 bytes"),
    }
}

/// Signs content.
///
/// ```
/// use sealstone::signature::{Comment, Namespace, SignatureWriter, SigningKey};
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::{Input, Output};
///
/// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
/// let mut signed = Vec::new();
/// let writer = SignatureWriter::new(&key).namespace(Namespace::new("release")?).comment(Comment::new("1.2")?);
/// let done = writer.attached(Input::reader(&b"attack at dawn"[..]), Output::writer(&mut signed))?;
/// assert_eq!((done.content, done.written), (14, signed.len() as u64));
/// assert!(signed.starts_with(b"attack at dawn-----BEGIN SSH SIGNATURE-----\n"));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SignatureWriter {
    key: SigningKey,
    namespace: Namespace,
    comment: Option<Comment>,
    profile: Option<Profile>,
    settings: Settings,
}

/// The bytes that were signed and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signed {
    /// Bytes of the content.
    pub content: u64,
    /// Bytes of the content and its signature.
    pub written: u64,
}

impl SignatureWriter {
    /// Signs with a key.
    #[must_use]
    pub fn new(key: &SigningKey) -> Self {
        let (namespace, settings) = (Namespace::default(), Settings::default());
        Self { key: key.clone(), namespace, comment: None, profile: None, settings }
    }

    /// Signs for a namespace; `file` by default.
    #[must_use]
    pub fn namespace(self, namespace: Namespace) -> Self {
        Self { namespace, ..self }
    }

    /// Signs a comment with the content. `ssh-keygen` refuses such a signature.
    #[must_use]
    pub fn comment(self, comment: Comment) -> Self {
        Self { comment: Some(comment), ..self }
    }

    /// Refuses keys of kinds outside a profile.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    crate::pipeline::callback_methods!();

    /// Signs an input; returns a signature for a file of its own, by custom with the ending `.sig`.
    ///
    /// # Errors
    /// [`Error::NotInProfile`]; [`Error::InputChanged`] and [`Error::Io`] from files; [`Error::Cancelled`]; [`Error::NoRandomness`].
    pub fn detached(&self, mut input: Input<'_>) -> Result<String> {
        self.check()?;
        let mut digests = self.digests();
        hash_input(&mut input, &mut digests, &self.settings)?;
        input.finish()?;
        self.sign(digests)
    }

    /// Signs an input, and writes the content and the signature behind it to an output.
    ///
    /// # Errors
    /// The errors of [`detached`](Self::detached); [`Error::SameFile`] and [`Error::OutputExists`]. After an error, a file is
    /// unchanged, and a stream has received the bytes before the error.
    pub fn attached(&self, mut input: Input<'_>, output: Output<'_>) -> Result<Signed> {
        self.check()?;
        output.check(&input)?;
        let len = input.len();
        let mut digests = self.digests();
        let mut destination = output.begin(len)?;
        let signed = destination.with_writer(|writer| {
            let (mut reader, meter) = (input.source(0).into_reader(), Meter::new(&self.settings, len));
            let (content, _) = run_in_sequence(Tee(&mut digests), &mut *reader, writer, &meter)?;
            let signature = self.sign(digests)?;
            write(writer, signature.as_bytes())?;
            Ok(Signed { content, written: content + signature.len() as u64 })
        })?;
        input.finish()?;
        destination.commit()?;
        Ok(signed)
    }

    /// Begins the signature of content that comes in parts.
    ///
    /// ```
    /// use sealstone::Input;
    /// use sealstone::sign::{Kind, PrivateKey};
    /// use sealstone::signature::{SignatureReader, SignatureWriter, Signers, SigningKey};
    ///
    /// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
    /// let mut signing = SignatureWriter::new(&key).begin()?;
    /// signing.update(b"attack ");
    /// signing.update(b"at dawn");
    /// let signature = signing.finish()?;
    /// let reader = SignatureReader::new(Signers::new([key.signer().clone()]));
    /// let mut verifying = reader.begin(signature.as_bytes())?;
    /// verifying.update(b"attack at dawn");
    /// assert_eq!(verifying.finish()?.content_len(), 14);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInProfile`].
    pub fn begin(&self) -> Result<Signing> {
        self.check()?;
        Ok(Signing { digests: self.digests(), writer: self.clone() })
    }

    fn check(&self) -> Result<()> {
        self.profile.map_or(Ok(()), |profile| profile.check_signer(self.key.kind()))
    }

    fn digests(&self) -> Digests {
        Digests::new(blob::hashes(self.key.kind()).iter().copied().take(1))
    }

    fn sign(&self, digests: Digests) -> Result<String> {
        let digest = digests.finish(blob::hashes(self.key.kind())[0]);
        Ok(armour::write(&blob::sign(&self.key, &self.namespace, self.comment.as_ref(), &digest)?))
    }
}

/// The signature of content that comes in parts. [`SignatureWriter::begin`] begins one.
pub struct Signing {
    writer: SignatureWriter,
    digests: Digests,
}

impl Signing {
    /// Takes the next bytes.
    pub fn update(&mut self, content: &[u8]) {
        self.digests.update(content);
    }

    /// Signs the content.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn finish(self) -> Result<String> {
        self.writer.sign(self.digests)
    }
}

debug!(Signing { writer });

fn write(writer: &mut (dyn Write + Send), bytes: &[u8]) -> Result<()> {
    writer.write_all(bytes).and_then(|()| writer.flush()).map_err(|error| Error::from_io("write", None, error))
}

/// Hashes a whole input; returns its length.
fn hash_input(input: &mut Input<'_>, digests: &mut Digests, settings: &Settings) -> Result<u64> {
    // A thread that reads ahead costs more than it saves, as in `FileHasher`.
    let settings = Settings { threads: Some(1), ..settings.clone() };
    let meter = Meter::new(&settings, input.len());
    let mut reader = input.source(0).into_reader();
    Ok(run_in_sequence(Tee(digests), &mut *reader, &mut io::sink(), &meter)?.0)
}

/// Verifies signatures.
///
/// # Security
/// The content of an attached file is released only when all of it is verified. A key that is not among the signers is never
/// computed with.
///
/// # Examples
/// ```
/// use sealstone::signature::{SignatureReader, SignatureWriter, Signers, SigningKey};
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::{Input, Output};
///
/// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
/// let (mut signed, mut content) = (Vec::new(), Vec::new());
/// SignatureWriter::new(&key).attached(Input::reader(&b"attack at dawn"[..]), Output::writer(&mut signed))?;
/// let reader = SignatureReader::new(Signers::new([key.signer().clone()]));
/// reader.attached(Input::reader(&signed[..]), Output::writer(&mut content))?;
/// assert_eq!(content, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SignatureReader {
    signers: Signers,
    namespace: Namespace,
    profile: Option<Profile>,
    settings: Settings,
}

impl SignatureReader {
    /// Trusts these signers.
    #[must_use]
    pub fn new(signers: Signers) -> Self {
        Self { signers, namespace: Namespace::default(), profile: None, settings: Settings::default() }
    }

    /// Expects signatures for a namespace; `file` by default.
    #[must_use]
    pub fn namespace(self, namespace: Namespace) -> Self {
        Self { namespace, ..self }
    }

    /// Refuses signers of kinds outside a profile.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    crate::pipeline::callback_methods!();

    /// Verifies content by a signature from a file of its own. The first [`MAX_LEN`] + 1 bytes of that file suffice. The
    /// content is read only if everything else is right.
    ///
    /// # Errors
    /// - the errors of spec/signature.md section 6: [`Error::NotASignature`], [`Error::MalformedSignature`],
    ///   [`Error::UnsupportedSignature`], [`Error::WrongNamespace`], [`Error::UnknownSigner`], [`Error::InvalidSignature`];
    /// - [`Error::InvalidSigner`] if there is no signer; [`Error::NotInProfile`];
    /// - [`Error::InputChanged`] and [`Error::Io`] from files; [`Error::Cancelled`].
    pub fn detached(&self, mut content: Input<'_>, signature: &[u8]) -> Result<Verified> {
        self.check()?;
        let blob = armour::read(signature)?;
        let unverified = self.check_blob(&blob)?;
        let mut digests = Digests::new([unverified.blob.hash]);
        let len = hash_input(&mut content, &mut digests, &self.settings)?;
        content.finish()?;
        unverified.verify(digests, len)
    }

    /// Verifies a file with its signature behind its content, and writes the content. An output file appears under its name
    /// when the signature is verified; content for a stream waits in memory until then.
    ///
    /// # Errors
    /// The errors of [`detached`](Self::detached); [`Error::SameFile`] and [`Error::OutputExists`]; [`Error::TooMuchToHold`] if
    /// over 64 MiB of content go to a stream. After an error, no content is released.
    pub fn attached(&self, input: Input<'_>, output: Output<'_>) -> Result<Verified> {
        self.run(input, output, &self.settings)
    }

    /// Verifies a file with its signature behind its content, and writes nothing.
    ///
    /// # Errors
    /// The errors of [`detached`](Self::detached).
    pub fn check_attached(&self, input: Input<'_>) -> Result<Verified> {
        self.run(input, Output::nothing(), &Settings { threads: Some(1), ..self.settings.clone() })
    }

    /// Begins to verify content that comes in parts, by a signature from a file of its own.
    ///
    /// # Errors
    /// The errors of [`detached`](Self::detached) that do not depend on the content.
    pub fn begin(&self, signature: &[u8]) -> Result<Verifying> {
        self.check()?;
        let blob = armour::read(signature)?;
        let digests = Digests::new([self.check_blob(&blob)?.blob.hash]);
        Ok(Verifying { reader: self.clone(), blob, digests, len: 0 })
    }

    /// Begins to verify content that comes in parts with its signature behind it, which the caller gives to
    /// [`Verifying::behind`].
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey};
    /// use sealstone::signature::{MAX_LEN, SignatureReader, SignatureWriter, Signers, SigningKey};
    /// use sealstone::{Input, Output};
    ///
    /// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
    /// let mut file = Vec::new();
    /// SignatureWriter::new(&key).attached(Input::reader(&b"attack at dawn"[..]), Output::writer(&mut file))?;
    /// let mut verifying = SignatureReader::new(Signers::new([key.signer().clone()])).begin_attached()?;
    /// let before = file.len().saturating_sub(MAX_LEN);
    /// let content = before + verifying.behind(&file[before..])?;
    /// verifying.update(&file[..content]);
    /// assert_eq!(verifying.finish()?.content_len(), 14);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidSigner`] if there is no signer; [`Error::NotInProfile`].
    pub fn begin_attached(&self) -> Result<Verifying> {
        self.check()?;
        let hashes = self.signers.iter().flat_map(|signer| blob::hashes(signer.kind()).iter().copied());
        Ok(Verifying { reader: self.clone(), blob: Vec::new(), digests: Digests::new(hashes), len: 0 })
    }

    fn run(&self, mut input: Input<'_>, output: Output<'_>, settings: &Settings) -> Result<Verified> {
        let mut verifying = self.begin_attached()?;
        output.check(&input)?;
        let quarantine = match input.source(0) {
            Source::Region(region) => {
                let start = region.len().saturating_sub(MAX_LEN as u64);
                let mut tail = Vec::with_capacity(MAX_LEN);
                let read = region.reader(start).read_to_end(&mut tail);
                read.map_err(|error| Error::from_io("read", None, error))?;
                let len = start + verifying.behind(&tail)? as u64;
                let meter = Meter::new(settings, Some(len));
                let mut quarantine = Quarantine::begin(output, Some(len))?;
                let (tee, mut content) = (Tee(&mut verifying.digests), region.reader(0).take(len));
                quarantine.with_writer(|writer| run_in_sequence(tee, &mut content, writer, &meter))?;
                verifying.len = len;
                quarantine
            }
            // The signature of a stream is at its end.
            Source::Reader(mut reader) => {
                let (mut held, meter) = (Vec::with_capacity(MAX_LEN), Meter::new(settings, None));
                let mut quarantine = Quarantine::begin(output, None)?;
                quarantine.with_writer(|writer| {
                    let hold_back = HoldBack { digests: &mut verifying.digests, held: &mut held };
                    verifying.len = run_in_sequence(hold_back, &mut *reader, writer, &meter)?.1;
                    let at = verifying.behind(&held)?;
                    verifying.update(&held[..at]);
                    write(writer, &held[..at])
                })?;
                quarantine
            }
        };
        input.finish()?;
        let verified = verifying.finish()?;
        quarantine.release()?;
        Ok(verified)
    }

    /// Checks the caller's signers.
    fn check(&self) -> Result<()> {
        if self.signers.are_missing() {
            return Err(Error::InvalidSigner(KeyFault::Other("there is no signer")));
        }
        let Some(profile) = self.profile else { return Ok(()) };
        self.signers.iter().try_for_each(|signer| profile.check_signer(signer.kind()))
    }

    /// Steps 2 to 8 of section 6.1.
    fn check_blob<'b>(&'b self, blob: &'b [u8]) -> Result<Unverified<'b>> {
        let blob = Blob::read(blob)?;
        if blob.namespace != self.namespace.as_str().as_bytes() {
            let expected = self.namespace.0.clone();
            return Err(Error::WrongNamespace { found: valid_namespace(blob.namespace), expected });
        }
        match self.signers.iter().find(|signer| signer.blob() == blob.key) {
            Some(signer) => Ok(Unverified { blob, signer }),
            None => Err(Error::UnknownSigner {
                kind: blob.kind.name(),
                fingerprint: fingerprint(blob.kind.name(), blob.public).into(),
                withheld: self.signers.find_withheld(blob.key).cloned().map(Box::new),
            }),
        }
    }
}

/// Verifies content that comes in parts. [`SignatureReader::begin`] and [`SignatureReader::begin_attached`] begin it.
pub struct Verifying {
    reader: SignatureReader,
    /// The signature; empty before [`behind`](Self::behind).
    blob: Vec<u8>,
    digests: Digests,
    len: u64,
}

impl Verifying {
    /// Reads the signature behind the content. `tail` is the last [`MAX_LEN`] bytes of the whole file, or all of a shorter one.
    /// Returns the offset of the signature in `tail`. The bytes before it are content, which the caller gives to
    /// [`update`](Self::update) before or after this call. If this call comes first, only one digest is computed.
    ///
    /// # Errors
    /// The errors of [`SignatureReader::detached`] that do not depend on the content.
    ///
    /// # Panics
    /// If there is a signature already, such as that of [`SignatureReader::begin`].
    pub fn behind(&mut self, tail: &[u8]) -> Result<usize> {
        assert!(self.blob.is_empty(), "signature: it has one");
        let at = armour::find_begin(tail)?;
        let blob = armour::read_behind(&tail[at..])?;
        let hash = self.reader.check_blob(&blob)?.blob.hash;
        self.digests.keep(hash);
        self.blob = blob;
        Ok(at)
    }

    /// Takes the next bytes.
    pub fn update(&mut self, content: &[u8]) {
        self.digests.update(content);
        self.len += content.len() as u64;
    }

    /// Verifies the content.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::NotASignature`] if the signature behind the content was not given.
    pub fn finish(self) -> Result<Verified> {
        if self.blob.is_empty() {
            return Err(Error::NotASignature(SignatureForm::Attached));
        }
        self.reader.check_blob(&self.blob)?.verify(self.digests, self.len)
    }
}

debug!(Verifying { reader });

/// The namespace of a signature, if it is a valid one.
fn valid_namespace(namespace: &[u8]) -> Option<Box<str>> {
    let text = std::str::from_utf8(namespace).ok().filter(|text| is_namespace(text.as_bytes()));
    text.map(Into::into)
}

/// A signature with the key of a trusted signer, before its verification.
struct Unverified<'a> {
    blob: Blob<'a>,
    signer: &'a Signer,
}

impl Unverified<'_> {
    /// Step 9 of section 6.1.
    fn verify(&self, digests: Digests, content: u64) -> Result<Verified> {
        self.blob.verify(self.signer.public_key(), &digests.finish(self.blob.hash))?;
        let comment = Some(self.blob.comment).filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Verified { signer: self.signer.clone(), comment, content })
    }
}

/// The facts that a verified signature proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    signer: Signer,
    comment: Option<String>,
    content: u64,
}

impl Verified {
    /// The signer.
    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The kind of the key that signed.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.signer.kind()
    }

    /// The fingerprint of the key that signed.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.signer.fingerprint()
    }

    /// The principals of the signer in a file of allowed signers.
    #[must_use]
    pub fn principals(&self) -> Option<&str> {
        self.signer.principals()
    }

    /// The comment signed with the content.
    #[must_use]
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }

    /// Bytes of the content.
    #[must_use]
    pub fn content_len(&self) -> u64 {
        self.content
    }
}

/// The claims of an unverified signature. Its comment is not included.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claims {
    /// The kind of the key.
    pub kind: Kind,
    /// The fingerprint of the key.
    pub fingerprint: String,
    /// The namespace, if it is a valid one.
    pub namespace: Option<Box<str>>,
}

/// Reads the claims of a signature in a file of its own.
///
/// ```
/// use sealstone::signature::{SignatureWriter, SigningKey, claims};
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::Input;
///
/// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
/// let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..]))?;
/// let claims = claims(signature.as_bytes())?;
/// assert_eq!((claims.kind, claims.fingerprint), (Kind::Ed25519, key.signer().fingerprint()));
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotASignature`], [`Error::MalformedSignature`], [`Error::UnsupportedSignature`].
///
/// # Security
/// The claims are not proved: anyone can make a file with any claims.
pub fn claims(signature: &[u8]) -> Result<Claims> {
    let blob = armour::read(signature)?;
    let blob = Blob::read(&blob)?;
    let (fingerprint, namespace) = (fingerprint(blob.kind.name(), blob.public), valid_namespace(blob.namespace));
    Ok(Claims { kind: blob.kind, fingerprint, namespace })
}

#[cfg(all(test, feature = "gm", feature = "legacy"))]
#[path = "signature_tests.rs"]
mod tests;
