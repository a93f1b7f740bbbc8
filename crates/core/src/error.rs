//! The only error type. Every variant has a code that never changes.
//!
//! An error's hint and exit status are in `crates/cli/src/failure.rs`, its class in Python in
//! `crates/core/examples/table/errors.rs`.

use crate::text::Text;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// The errors of every layer.
///
/// Errors state public facts exactly: a length, a section of `spec/format.md`, a chunk's index. Errors that depend on a secret
/// carry no detail. A wrong key, a wrong passphrase and damaged bytes show only as
/// [`NoMatchingIdentity`](Error::NoMatchingIdentity), [`WrongPassphrase`](Error::WrongPassphrase),
/// [`HeaderNotAuthentic`](Error::HeaderNotAuthentic) or [`NotAuthentic`](Error::NotAuthentic).
///
/// ```
/// use sealstone::{Decryptor, Encryptor, Error, Identity, Kind};
///
/// let sealed = Encryptor::new([Identity::generate(Kind::X25519)?.recipient()]).encrypt(b"attack at dawn")?;
/// let stranger = Identity::generate(Kind::X25519)?;
/// match Decryptor::new([stranger]).decrypt(&sealed) {
///     Err(Error::NoMatchingIdentity) => println!("for somebody else"),
///     Err(error) => panic!("{}: {error}", error.code()),
///     Ok(_) => panic!("opened"),
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input does not begin with the magic bytes (format section 1).
    #[error("{}", match .0 {
        Some(LooksLike::File) => "not a Sealstone message, but a sealed file".to_owned(),
        Some(guess) => format!("not a Sealstone file, but {guess}"),
        None => "not a Sealstone file".to_owned(),
    })]
    NotSealstone(Option<LooksLike>),
    /// The version byte is neither 1 nor 2.
    #[error("format version {0} is not supported; only 1 and 2 are")]
    UnsupportedVersion(u8),
    /// A flag of a version 2 file is set that this build or this function does not support (format section 1.4). The code is that of
    /// [`UnsupportedVersion`](Self::UnsupportedVersion).
    #[error("{0}")]
    UnsupportedFlag(&'static str),
    /// The suite byte names no suite of this implementation (format section 2).
    #[error("{}", match *.0 {
        SM4_GCM if cfg!(not(feature = "gm")) => "suite 3 is not supported without the crate's feature gm".to_owned(),
        id => format!("suite {id} is not supported"),
    })]
    UnsupportedSuite(u8),
    /// The header breaks a rule; the text names the rule and its section.
    #[error("malformed header: {0}")]
    MalformedHeader(&'static str),
    /// The ASCII armour breaks a rule of format section 11; the text names the rule.
    #[error("malformed armour: {0}")]
    MalformedArmour(&'static str),
    /// A frame or the seek table of a compressed file breaks a rule of archive section 2; the text names the rule.
    #[error("malformed compression: {0}")]
    MalformedCompression(&'static str),
    /// A member or the index of an archive breaks a rule of archive section 3; the text names the rule.
    #[error("malformed archive: {}{rule}", OfMember(.member.as_deref()))]
    MalformedArchive {
        /// The path of the member, with its control characters escaped for display.
        member: Option<Box<str>>,
        /// The rule.
        rule: &'static str,
    },
    /// A member of an archive is not extracted, because it could harm (archive section 4.3).
    #[error("{member}: {rule}")]
    UnsafeMember {
        /// The path of the member, with its control characters escaped for display.
        member: Box<str>,
        /// The danger.
        rule: &'static str,
    },
    /// The file is not an archive, so it has no members to list or to extract.
    #[error("the file is not an archive")]
    NotAnArchive,
    /// The archive has no member of this path, which is escaped for display.
    #[error("the archive has no member {0}")]
    NoSuchMember(Box<str>),
    /// The folder treats the names of two members as one name, such as `a` and `A`.
    #[error("{} is the name of two members here, since the file system takes their names for one", escape_name(.0))]
    NamesCollide(PathBuf),
    /// Some members were not read, or changed while they were read. The archive is complete except for them.
    #[error("{}", match .0 {
        1 => "the archive lacks a member, or has it as it was while it changed".to_owned(),
        n => format!("the archive lacks {n} members, or has them as they were while they changed"),
    })]
    IncompleteArchive(u64),
    /// The input ends before the file does.
    #[error("the file is truncated: {0}")]
    Truncated(&'static str),
    /// The file is bound to a context and none was given (format section 6).
    #[error("the file is bound to a context and none was given")]
    ContextRequired,
    /// A context was given and the file is not bound to one.
    #[error("a context was given and the file is not bound to one")]
    ContextNotBound,
    /// A file requires more work than a reader accepts (format sections 4 and 8), or a derivation more than its limit.
    #[error("the cost is too high: {0}")]
    CostTooHigh(&'static str),
    /// No identity opens any stanza.
    #[error("no identity opens this file")]
    NoMatchingIdentity,
    /// The file is for another passphrase than the given ones, or its header is damaged. The code is that of
    /// [`NoMatchingIdentity`](Self::NoMatchingIdentity).
    #[error("wrong passphrase")]
    WrongPassphrase,
    /// An identity opened a stanza, and the header's MAC is wrong.
    #[error("the header is not authentic")]
    HeaderNotAuthentic,
    /// A chunk is not authentic. Without an index, it is the commitment or a sealed buffer.
    #[error("{}", match .chunk { Some(k) => format!("chunk {k} is not authentic"), None => "not authentic".to_owned() })]
    NotAuthentic {
        /// The lowest chunk that failed, counted from 0.
        chunk: Option<u64>,
    },

    /// Post-quantum and classical recipients are mixed, and the caller did not allow that.
    #[error("post-quantum and classical recipients are mixed")]
    MixedRecipients,
    /// These recipients cannot be used together: for example, there is none, there are too many, or a passphrase is not the
    /// only one.
    #[error("{0}")]
    InvalidRecipients(RecipientsRule),
    /// A recipient is damaged, or is something else.
    #[error("invalid recipient: {0}")]
    InvalidRecipient(KeyFault),
    /// An identity or key is damaged, or is something else.
    #[error("invalid identity: {0}")]
    InvalidIdentity(KeyFault),
    /// The key is well-formed, but Sealstone does not support its type, its format or its encryption.
    #[error("unsupported {0}")]
    UnsupportedKey(UnsupportedKey),
    /// A private key is encrypted and no passphrase was given.
    #[error("the private key is encrypted, and no passphrase was given")]
    PassphraseRequired,
    /// The [`Profile`](crate::Profile) does not allow a key or a suite.
    #[error("not allowed by the profile: {0}")]
    NotInProfile(ProfileRule),
    /// A passphrase is empty, too long or not text.
    #[error("invalid passphrase: {0}")]
    InvalidPassphrase(&'static str),
    /// A context is empty or over 1,024 bytes.
    #[error("a context must be 1 to 1024 bytes, got {0}")]
    InvalidContext(usize),
    /// The name of an algorithm is unknown.
    #[error("unknown algorithm{}; expected one of: {known}", match .given {
        Some(given) => format!(" \"{given}\""),
        None => String::new(),
    })]
    UnknownAlgorithm {
        /// The given name, if it is similar to a known one. Any other text may be a secret in the wrong place.
        given: Option<Box<str>>,
        /// The known names.
        known: &'static str,
    },
    /// An algorithm does not have the option, or does not allow its value.
    #[error("invalid option: {0}")]
    InvalidOption(&'static str),
    /// An algorithm does not allow a cost, such as zero iterations.
    #[error("invalid cost: {0}")]
    InvalidCost(&'static str),
    /// A key, nonce or buffer has the wrong length.
    #[error("{what} must be {expected} bytes, got {actual}")]
    WrongLength {
        /// The name of the argument.
        what: &'static str,
        /// The required length in bytes.
        expected: usize,
        /// The given length.
        actual: usize,
    },
    /// A key, nonce or buffer has none of several allowed lengths. The code is that of [`WrongLength`](Self::WrongLength).
    #[error("{what} must be {lengths}, got {actual}")]
    OtherLength {
        /// The name of the argument.
        what: &'static str,
        /// The allowed lengths.
        lengths: Lengths,
        /// The given length.
        actual: usize,
    },
    /// The signature is damaged, or belongs to another key or message.
    #[error("the signature is not valid: {0}")]
    InvalidSignature(&'static str),
    /// The input does not begin as a detached signature, or has no attached signature at its end (spec/signature.md section 4).
    #[error("{}", match .0 {
        SignatureForm::Detached => "not a signature: no line begins with -----BEGIN SSH SIGNATURE-----",
        SignatureForm::Attached => "not a signed file: there is no signature at its end",
        SignatureForm::Nkcs => "not an nkCryptoTool signature: it does not begin with NKCS",
    })]
    NotASignature(SignatureForm),
    /// A signature's armour, or the blob in it, breaks a rule; the text names the rule.
    #[error("malformed signature: {0}")]
    MalformedSignature(&'static str),
    /// A signature has a version, a kind of key or a hash that is not supported.
    #[error("unsupported signature: {0}")]
    UnsupportedSignature(&'static str),
    /// A signature was made for another namespace than the expected one.
    #[error("the signature is for {}, not for the namespace \"{expected}\"", match .found {
        Some(found) => format!("the namespace \"{found}\""),
        None => "another namespace".to_owned(),
    })]
    WrongNamespace {
        /// The namespace in the file, if it is a valid one.
        found: Option<Box<str>>,
        /// The namespace that the reader expects.
        expected: Box<str>,
    },
    /// The key of a signature does not belong to a signer that the caller trusts.
    #[error("the signature claims a key that is not trusted: {kind} {fingerprint}{}", match .withheld {
        Some(withheld) => &withheld.text,
        None => "",
    })]
    UnknownSigner {
        /// The kind of the key in the signature.
        kind: &'static str,
        /// The key's fingerprint.
        fingerprint: Box<str>,
        /// The line of a file of allowed signers that has this key, but does not allow it here.
        withheld: Option<Box<Withheld>>,
    },
    /// A namespace of signatures breaks a rule.
    #[error("invalid namespace: {0}")]
    InvalidNamespace(&'static str),
    /// A comment of a signature breaks a rule.
    #[error("invalid comment: {0}")]
    InvalidComment(&'static str),
    /// A key to sign or verify files is damaged, or is something else; or there is no signer.
    #[error("invalid signer: {0}")]
    InvalidSigner(KeyFault),
    /// No key can have encrypted to this ciphertext.
    #[error("malformed ciphertext: {0}")]
    MalformedCiphertext(&'static str),
    /// The algorithm cannot encrypt an empty plaintext.
    #[error("the plaintext is empty")]
    EmptyPlaintext,
    /// A user id of SM2 is too long.
    #[error("a user id has at most 8191 bytes, got {0}")]
    InvalidUserId(usize),
    /// The text is not valid in its encoding, such as base64.
    #[error("invalid encoding: {0}")]
    InvalidEncoding(&'static str),
    /// The key has the right length, but must not be used.
    #[error("invalid key: {0}")]
    InvalidKey(&'static str),
    /// The cipher processes only whole blocks, and the data ends within a block.
    #[error("the data is not whole blocks: {} left over", match .0 { 1 => "1 byte is".to_owned(), n => format!("{n} bytes are") })]
    PartialBlock(usize),
    /// The caller did not allow encryption with a cipher for reading old data; or the cipher is Rabbit, which never encrypts.
    #[error("{0} is for reading old data, and encryption with it was not allowed")]
    LegacyEncryption(&'static str),
    /// The decrypted data does not end in padding. The key or IV is wrong, or the data is damaged or was not padded.
    #[error("the padding is wrong")]
    InvalidPadding,
    /// `SEALSTONE_BACKEND` names a backend that is unknown, or that this CPU does not support.
    #[error("{0}")]
    UnavailableBackend(String),
    /// A range begins after the end of the plaintext, or ends before it begins.
    #[error("the range begins past the end of the plaintext, or ends before it begins")]
    RangeOutOfBounds,
    /// Reading at a position needs a regular file or bytes in memory.
    #[error("the input must be a regular file, since it is read at several positions")]
    NotSeekable,
    /// The data is longer than 2^38 chunks (format section 9), than one nonce of an AEAD allows, or than a text form allows.
    #[error("the data is longer than the format or algorithm allows")]
    TooLong,
    /// HKDF outputs at most 255 digests. The code is that of [`TooLong`](Self::TooLong).
    #[error("HKDF over this hash gives at most {0} bytes")]
    TooMuchOfHkdf(usize),
    /// Signed content for a stream waits in memory until it is verified, and is longer than the limit. The code is that of
    /// [`TooLong`](Self::TooLong).
    #[error("content of more than {0} bytes must go to a file, since it is released only when it is verified")]
    TooMuchToHold(usize),

    /// The content of a compressed file is longer than the caller allows in memory. The code is that of [`TooLong`](Self::TooLong).
    #[error("the content is longer than the {0} bytes that are allowed in memory")]
    TooMuchContent(u64),

    /// A plugin of age failed, or broke the protocol.
    #[error("plugin {plugin}: {fault}")]
    PluginFailed {
        /// The plugin's name.
        plugin: Box<str>,
        /// The plugin's fault.
        fault: PluginFault,
    },

    /// The system provided no randomness.
    #[error("the system provided no randomness")]
    NoRandomness,
    /// Input and output are the same file.
    #[error("{} is both an input and the output", escape_name(.0))]
    SameFile(PathBuf),
    /// The output exists, and the caller did not ask to replace it.
    #[error("{} already exists", escape_name(.0))]
    OutputExists(PathBuf),
    /// A file to be replaced in place has hard links, and the caller did not allow to split them
    /// ([`Output::split_links`](crate::Output::split_links)).
    #[error("{} has other names (hard links), which would keep the old content", escape_name(.0))]
    HardLinks(PathBuf),
    /// The path names a FIFO, a device or a socket, and the caller did not allow those; or it names a symbolic link in place of
    /// a file to be replaced.
    #[error("{} is {kind}, not a regular file", escape_name(.path))]
    NotRegularFile {
        /// The path that the caller gave.
        path: PathBuf,
        /// The type of the file, such as "a FIFO".
        kind: &'static str,
    },
    /// The input changed while it was read.
    #[error("{} changed while it was read", escape_name(.0))]
    InputChanged(PathBuf),
    /// The caller's cancellation callback ended the work.
    #[error("cancelled")]
    Cancelled,
    /// The system refused an operation.
    #[error("{action}{}: {source}", match .path { Some(p) => format!(" {}", escape_name(p)), None => String::new() })]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file, if it has a name.
        path: Option<PathBuf>,
        /// The system's error.
        source: io::Error,
    },
}

/// Shows the member that a fault of an archive is about, if it is known.
struct OfMember<'a>(Option<&'a str>);

impl std::fmt::Display for OfMember<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |member| write!(f, "{member}: "))
    }
}

/// The suite `sm4-gcm` of format section 2, which a build may lack.
const SM4_GCM: u8 = 3;

/// The lengths in bytes that an argument may have.
///
/// ```
/// use sealstone::{Error, Lengths, mac::Mac};
///
/// let error = Mac::kmac256(&[7; 32], b"", 65).unwrap_err();
/// assert!(matches!(error, Error::OtherLength { lengths: Lengths { least: 8, most: 64, .. }, .. }));
/// assert_eq!(error.to_string(), "the tag must be from 8 to 64 bytes, got 65");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest length.
    pub least: usize,
    /// The longest length; `usize::MAX` for no limit.
    pub most: usize,
    /// Every length is a multiple of this number.
    pub multiple_of: usize,
}

impl Lengths {
    /// All lengths from `least` to `most`.
    #[must_use]
    pub const fn from_to(least: usize, most: usize) -> Self {
        Self { least, most, multiple_of: 1 }
    }

    /// Exactly one length.
    #[must_use]
    pub const fn exactly(len: usize) -> Self {
        Self::from_to(len, len)
    }

    /// All lengths from `least` on.
    #[must_use]
    pub const fn at_least(least: usize) -> Self {
        Self::from_to(least, usize::MAX)
    }

    /// Refuses a length that is not allowed.
    ///
    /// ```
    /// use sealstone::Lengths;
    ///
    /// Lengths::at_least(8).check("the salt", 8)?;
    /// assert_eq!(Lengths::at_least(8).check("the salt", 7).unwrap_err().code(), "wrong_length");
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherLength`]; [`Error::WrongLength`] if only one length is allowed.
    pub fn check(self, what: &'static str, actual: usize) -> Result<()> {
        if (self.least..=self.most).contains(&actual) && actual.is_multiple_of(self.multiple_of) {
            return Ok(());
        }
        Err(if self.least == self.most {
            Error::WrongLength { what, expected: self.least, actual }
        } else {
            Error::OtherLength { what, lengths: self, actual }
        })
    }
}

impl std::fmt::Display for Lengths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { least, most, multiple_of } = *self;
        // A set of three lengths is listed.
        if most - least == 2 * multiple_of {
            return write!(f, "{least}, {} or {most} bytes", least + multiple_of);
        }
        if multiple_of > 1 {
            write!(f, "a multiple of {multiple_of}, ")?;
        }
        match most {
            usize::MAX => write!(f, "at least {least} {}", if least == 1 { "byte" } else { "bytes" }),
            _ => write!(f, "from {least} to {most} bytes"),
        }
    }
}

/// The place of a signature relative to its content.
///
/// ```
/// use sealstone::{Error, SignatureForm, signature};
///
/// let error = signature::claims(b"attack at dawn").unwrap_err();
/// assert!(matches!(error, Error::NotASignature(SignatureForm::Detached)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SignatureForm {
    /// The signature is in a file of its own.
    Detached,
    /// The signature is behind the content.
    Attached,
    /// The signature is in a file of its own, in the format of nkCryptoTool.
    Nkcs,
}

/// A line of a file of allowed signers that has a key but does not allow it here, and the reason (spec/signature.md section
/// 7.4).
///
/// ```
/// use sealstone::sign::{Kind, PrivateKey};
/// use sealstone::signature::{AllowedSigners, SignatureReader, SignatureWriter, SigningKey};
/// use sealstone::{Error, Input, Restriction};
/// use std::time::SystemTime;
///
/// let key = SigningKey::new(PrivateKey::generate(Kind::Ed25519)?)?;
/// let signature = SignatureWriter::new(&key).detached(Input::reader(&b"attack at dawn"[..]))?;
/// let file = format!("alice@example.org valid-before=\"20250101Z\" {}", key.signer().to_line("")?);
/// let signers = AllowedSigners::parse(file)?.signers(None, "file", SystemTime::now());
/// match SignatureReader::new(signers).detached(Input::reader(&b"attack at dawn"[..]), signature.as_bytes()) {
///     Err(Error::UnknownSigner { withheld: Some(withheld), .. }) => {
///         assert_eq!((withheld.line, withheld.restriction), (1, Restriction::Until));
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Withheld {
    /// The line's number, counted from 1.
    pub line: usize,
    /// The restriction that excludes the key here.
    pub restriction: Restriction,
    /// The text in an error, with `; ` before it. The reader of such files makes it, so that programs without such files do not
    /// contain the code for it.
    text: Box<str>,
}

impl Withheld {
    /// Makes the text of the error. `time` is the time of the line's restriction, as the line has it.
    pub(crate) fn new(line: usize, restriction: Restriction, time: &str) -> Self {
        let only = match restriction {
            Restriction::Principals => "for other principals".to_owned(),
            Restriction::Namespaces => "for other namespaces".to_owned(),
            Restriction::From => format!("from {time} on"),
            Restriction::Until => format!("until {time}"),
        };
        let text = format!("; line {line} of the allowed signers has this key, but only {only}").into();
        Self { line, restriction, text }
    }
}

/// A restriction of a line in a file of allowed signers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Restriction {
    /// The line is for other principals than the requested one.
    Principals,
    /// The line is for other namespaces than the expected one.
    Namespaces,
    /// The line is valid from its `valid-after` on.
    From,
    /// The line is valid until its `valid-before`.
    Until,
}

/// Shows only the text, because the code of a derived `Debug` would add size to programs without such files.
impl std::fmt::Debug for Withheld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::fmt::Display for Withheld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text.trim_start_matches("; "))
    }
}

/// Declares an enum whose variants each have one text, which `Display` shows. A variant behind `or` has any other text.
macro_rules! texts {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $($(#[$doc:meta])* $variant:ident = $text:expr,)+
        } $(or {
            $(#[$other_doc:meta])* $other:ident(&'static str),
        })?
    ) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$doc])* $variant,)+
            $($(#[$other_doc])* $other(&'static str),)?
        }

        impl $type {
            pub(crate) fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                    $(Self::$other(text) => text,)?
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

texts! {
    /// The rule that a set of recipients breaks.
    ///
    /// ```
    /// use sealstone::{Encryptor, Error, RecipientsRule};
    ///
    /// let error = Encryptor::new([]).encrypt(b"").unwrap_err();
    /// assert!(matches!(error, Error::InvalidRecipients(RecipientsRule::AtLeastOne)));
    /// assert_eq!(error.to_string(), "there is no recipient");
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RecipientsRule {
        /// A file has at least one recipient.
        AtLeastOne = "there is no recipient",
        /// A file has at most 1,024 recipients.
        AtMost1024 = "there are over 1024 recipients",
        /// A header has at most 2 MiB.
        AtMost2MiB = "the recipients need over 2 MiB of header",
        /// `sm2` recipients can be combined only with symmetric keys.
        Sm2Apart = "one file cannot have sm2 recipients together with recipients of other kinds",
        /// The suite supports the kinds of all recipients.
        TakenBySuite = "the suite sm4-gcm is only for sm2 recipients, passphrases and symmetric keys, and sm2 recipients need it",
        /// A passphrase is the only recipient of its file.
        PassphraseAlone = "a passphrase must be the only recipient",
        /// Rewrapping cannot add a passphrase.
        NoNewPassphrase = "a passphrase cannot be added to an existing file",
        /// A message needs a public key that HPKE supports.
        MessageKind = "a message needs a public key of a kind other than sm2",
        /// A file of nkCryptoTool has one recipient, with a key of P-256, a key of ML-KEM, or one of each.
        NkctKeys = "an nkCryptoTool file has one recipient: a P-256 key, an ML-KEM key, or one of each, which are both needed to open it",
        /// A plugin's recipient with labels can be combined only with recipients that have the same labels; in files of Sealstone,
        /// with none.
        PluginApart = "a plugin's recipient cannot be combined with the other recipients",
        /// The stanzas of a plugin have at most about 64 KiB.
        PluginTooLong = "the plugin's part of the header is over 64 KiB",
    }
}

/// The fault of a plugin of age.
///
/// ```
/// use sealstone::PluginFault;
///
/// let fault = PluginFault::Said("the token is \u{1b}[31mlocked".into());
/// assert_eq!(fault.to_string(), "it said: the token is \\u{1b}[31mlocked");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginFault {
    /// The plugin's program was not found.
    Missing,
    /// The plugin ended too early; the text says how.
    Ended(Box<str>),
    /// The plugin was silent for this many seconds.
    Silent(u64),
    /// The plugin broke a rule of <https://c2sp.org/age-plugin>; the text names the rule.
    Protocol(&'static str),
    /// The plugin reported an error with this text, whose control characters are escaped for display.
    Said(Box<str>),
}

impl std::fmt::Display for PluginFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("its program was not found in PATH"),
            Self::Ended(how) => write!(f, "it ended too early: {}", escape_name(Path::new(&**how))),
            Self::Silent(seconds) => write!(f, "it said nothing for {seconds} s and was stopped"),
            Self::Protocol(rule) => write!(f, "it broke the plugin protocol: {rule}"),
            Self::Said(text) => write!(f, "it said: {}", escape_name(Path::new(&**text))),
        }
    }
}

texts! {
    /// The fault of an identity or a recipient.
    ///
    /// ```
    /// use sealstone::{Error, Identity, KeyFault};
    ///
    /// let recipient = "age13aqvttdk3ujkyjh9kg2w5an6dmy5mq5a84a4uxk3hfhnugfc9p0sy5p2wh";
    /// let error = recipient.parse::<Identity>().unwrap_err();
    /// assert!(matches!(error, Error::InvalidIdentity(KeyFault::RecipientString)));
    /// assert_eq!(error.to_string(), "invalid identity: this is a recipient; an identity begins with AGE-SECRET-KEY-");
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum KeyFault {
        /// A private key in PEM, DER or JWK, where a public key is expected.
        PrivateKey = "this is a private key, where a public key is expected",
        /// A private key in hexadecimal digits, where a public key is expected.
        PrivateDigits = "this is a private key in hexadecimal digits; a public key has 128 or 130 digits",
        /// The string of a secret key, where a recipient is expected.
        SecretString = "this is a secret key; a recipient begins with age1",
        /// A public key in PEM, DER or JWK, where a private key is expected.
        PublicKey = "this is a public key, where a private key is expected",
        /// A public key in hexadecimal digits, where a private key is expected.
        PublicDigits = "this is a public key in hexadecimal digits; a private key has 64 digits",
        /// The string of a recipient, where an identity is expected.
        RecipientString = "this is a recipient; an identity begins with AGE-SECRET-KEY-",
        /// The text does not begin as any form of an identity.
        UnknownIdentity = "an identity begins with AGE-SECRET-KEY-1, AGE-SECRET-KEY-PQ-1 or SEALSTONE-KEY-1, or is PEM, DER or JWK",
        /// The text looks like the name of a file ([`looks_like_file_name`](crate::looks_like_file_name)), where the key itself is expected.
        FileName = "this looks like the name of a file: give the key that is in it",
        /// The file has no key.
        NoKey = "the file has no key",
        /// The file of identities is sealed to a recipient, and not with a passphrase.
        SealedToRecipient = "the file is sealed to a recipient, not with a passphrase",
        /// Keys in PEM and keys in other forms are in one file.
        MixedForms = "one file cannot have both PEM and keys in other forms",
        /// The file is UTF-16.
        Utf16 = Text::IS_UTF16,
        /// An SM2 private key has 64 hexadecimal digits.
        DigitsOfPrivateKey = "an SM2 private key has 64 hexadecimal digits, with leading zeros",
        /// The 64 hexadecimal digits of an SM2 private key have 00 before them, as Java's `BigInteger` writes them.
        SignByte = "it has 66 hexadecimal digits and begins with 00: a private key from Java or a public key from tjfoc/gmsm",
        /// The point of a public key is compressed.
        CompressedPoint = "the point is compressed; only uncompressed points are supported",
        /// The point of an SM2 public key has 66 hexadecimal digits that begin with 00 or 01, as tjfoc/gmsm writes compressed points.
        CompressedDigits = "the SM2 point has 66 hexadecimal digits and begins with 00 or 01, as tjfoc/gmsm compresses points",
        /// The bytes of a public key are not an uncompressed point of its curve.
        InvalidPoint = "the point is not on the curve, or not uncompressed",
        /// The string belongs to a plugin of age, and can be read only together with the plugin.
        OfPlugin = "this is an age plugin string, which cannot be used here",
    } or {
        /// Any other fault, which the text describes.
        Other(&'static str),
    }
}

impl KeyFault {
    /// Whether the fault is a private key in place of a public one, or a public key in place of a private one.
    ///
    /// ```
    /// use sealstone::KeyFault;
    ///
    /// assert!(KeyFault::PublicKey.is_other_half());
    /// assert!(!KeyFault::NoKey.is_other_half());
    /// ```
    #[must_use]
    pub fn is_other_half(self) -> bool {
        let is_private = matches!(self, Self::PrivateKey | Self::PrivateDigits | Self::SecretString);
        is_private || matches!(self, Self::PublicKey | Self::PublicDigits | Self::RecipientString)
    }
}

texts! {
    /// The unsupported feature of a key: its type, its format or its encryption.
    ///
    /// ```
    /// use sealstone::{Error, Identity, Kind, UnsupportedKey};
    ///
    /// let error = Identity::generate(Kind::Hybrid)?.to_jwk().unwrap_err();
    /// assert!(matches!(error, Error::UnsupportedKey(UnsupportedKey::NoJwk)));
    /// assert_eq!(error.to_string(), "unsupported key format: only p256 and x25519 keys have a JWK form");
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum UnsupportedKey {
        /// A key of RSA.
        Rsa = if cfg!(feature = "gm") {
            "key type: RSA; use p256, ml-kem-768, sm2 or x25519"
        } else {
            "key type: RSA; use p256, ml-kem-768 or x25519"
        },
        /// A key on another curve.
        Curve = "key type: a curve other than P-256 and SM2's",
        /// A signature key: Ed25519 or Ed448.
        Signature = if cfg!(feature = "gm") {
            "key type: a signature key (Ed25519, Ed448); use p256, ml-kem-768, sm2 or x25519"
        } else {
            "key type: a signature key (Ed25519, Ed448); use p256, ml-kem-768 or x25519"
        },
        /// A key of ML-KEM-512 or ML-KEM-1024.
        MlKemSize = "key type: ML-KEM of a size other than 768",
        /// A key of an unknown algorithm.
        Algorithm = if cfg!(feature = "gm") {
            "key type: its algorithm is not P-256, ML-KEM-768, SM2 or X25519"
        } else {
            "key type: its algorithm is not P-256, ML-KEM-768 or X25519"
        },
        /// A JWK of an unknown algorithm.
        JwkAlgorithm = "key type: the JWK is not of P-256 or X25519",
        /// A key of SSH.
        Ssh = "key type: SSH",
        /// A key that has the curve's parameters in place of its name.
        CurveByParameters = "key format: its curve is given by parameters instead of by name",
        /// An expanded private key of ML-KEM without its seed.
        MlKemExpanded = "key format: an ML-KEM key in expanded form, without its seed",
        /// An expanded private key of ML-DSA without its seed.
        MlDsaExpanded = "key format: an ML-DSA key in expanded form, without its seed",
        /// A key of another family of algorithms than the requested one.
        OtherFamily = "key type: it is for another algorithm",
        /// A key of a kind that does not sign files.
        SignerKind = "key type: files are signed with ed25519, p256-sign, ml-dsa-65, hybrid-sign, hybrid44-sign and sm2-sign",
        /// A key of a kind that does not sign files of nkCryptoTool.
        NkcsKind = "key type: nkCryptoTool signs with p256-sign, ml-dsa-44, ml-dsa-65 and ml-dsa-87",
        /// A key of a kind that does not own key bundles of nkCryptoTool.
        NkkbOwner = "key type: key bundles of nkCryptoTool are signed with ml-dsa-65",
        /// A certificate.
        Certificate = "key format: a certificate, where a key is expected",
        /// A JSON Web Key, in a build without the feature `jwk`.
        JwkFeature = "key format: JWK, which this build does not read (the crate's feature jwk)",
        /// A set of JSON Web Keys.
        JwkSet = "key format: a set of JWKs, where one is expected",
        /// PEM with an unknown label.
        PemLabel = "key format: a PEM block with an unknown label",
        /// PEM without line ends.
        PemOneLine = "key format: PEM on one line, where BEGIN and END need lines of their own",
        /// PEM whose line ends are written as a backslash and `n`.
        PemEscaped = "key format: PEM with \\n, a backslash and a letter, in place of line breaks",
        /// PEM with the headers of RFC 1421.
        PemHeaders = "key format: PEM with headers, such as OpenSSL's old encryption; use PKCS#8",
        /// PKCS#12, which has certificates and their keys.
        Pkcs12 = "key format: PKCS#12, which has certificates and their keys",
        /// A bare seed of a key of ML-KEM or ML-DSA, as OpenSSL writes it with `bare-seed`.
        BareSeed = "key format: a bare ML-KEM or ML-DSA seed, without the structure of RFC 9935 and RFC 9881",
        /// A key of RSA of under 2,048 or over 8,192 bits, or of more than two primes.
        RsaForm = "key type: an RSA key must have 2048 to 8192 bits and two primes",
        /// A key wrapped by a TPM, as nkCryptoTool stores it.
        TpmBlob = "key format: TPM WRAPPED BLOB, which only its TPM can unwrap; decrypt the files with nkCryptoTool on that machine",
        /// An unsupported encryption.
        Encryption = "key encryption: it is not PBES2 with PBKDF2 or scrypt, and AES or SM4 in CBC mode",
        /// The kind has no PEM and DER.
        NoPem = "key format: only p256, ml-kem-768, sm2 and x25519 keys have PEM and DER forms",
        /// The kind has no JWK.
        NoJwk = "key format: only p256 and x25519 keys have a JWK form",
        /// Signature keys have neither age's strings nor bare digits, and encryption keys have no form of SSH.
        NoFormOfKind = "key format: keys of this kind do not have this form",
        /// The kind of an exchange key has neither PEM, DER nor JWK, or no JWK.
        NoExchangeForm = "key format: hybrid keys have only a raw form, and ML-KEM keys have no JWK form",
        /// The kind has no name in SSH.
        NoSsh = "key format: SSH has no name for keys of this kind",
        /// A private key of SSH that is neither of Ed25519, ECDSA nor `hybrid44-sign`.
        SshPrivate = "key format: an SSH private key that is not Ed25519, ECDSA or hybrid44-sign",
        /// A file of SSH with no private key, or with several.
        SshCount = "key format: an SSH file with no private key, or with several",
        /// A private key of SSH with an unsupported encryption.
        SshEncryption = "key encryption: it is not aes256-ctr or aes256-cbc with bcrypt",
        /// The kind has no form in hexadecimal digits.
        NoDigits = "key format: only sm2 keys are written as bare hexadecimal digits",
        /// The kind has no string in age's form.
        NoString = "key format: only hybrid, x25519 and symmetric keys have age's strings",
        /// The form has no passphrase of its own.
        NoPassphrase = "key format: only PEM, DER and SSH have a passphrase of their own",
        /// A passphrase has no text form.
        NoText = "key format: a passphrase has no text form",
        /// A symmetric key or a passphrase has no public form.
        NoPublicForm = "key format: a symmetric key or a passphrase has no public form",
    }
}

impl From<UnsupportedKey> for Error {
    fn from(what: UnsupportedKey) -> Self {
        Self::UnsupportedKey(what)
    }
}

texts! {
    /// The rule of a [`Profile`](crate::Profile) that a file or a key breaks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ProfileRule {
        /// The kinds of keys in `fips`.
        FipsKinds = "fips allows only p256 and ml-kem-768 keys",
        /// The suite of `fips`.
        FipsSuite = "fips allows only the suite aes-256-gcm",
        /// The kinds of keys in `gm`.
        GmKinds = "gm allows only sm2 keys, symmetric keys and passphrases",
        /// The suite of `gm`.
        GmSuite = "gm allows only the suite sm4-gcm",
        /// The kinds of keys that sign in `fips`.
        FipsSigners = "fips allows only p256-sign and ml-dsa-65 keys to sign",
        /// The kinds of keys that sign in `gm`.
        GmSigners = "gm allows only sm2-sign keys to sign",
        /// The kinds of all recipients of a file are known.
        KnownKinds = "the file has a recipient of an unknown kind",
    }
}

texts! {
    /// The likely type of an input that is not a Sealstone file, by its first bytes.
    ///
    /// ```
    /// use sealstone::{Decryptor, Error, LooksLike};
    ///
    /// let error = Decryptor::new([]).decrypt(b"age-encryption.org/v1\n").unwrap_err();
    /// assert!(matches!(error, Error::NotSealstone(Some(LooksLike::Age))));
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LooksLike {
        /// Base64 of a Sealstone file, without armour.
        Base64 = "base64 of one",
        /// A Sealstone file that was sent as text, which changed its line endings.
        ChangedLineEnds = "one whose line endings were changed",
        /// A Sealstone message, which [`message::open`](crate::message::open) opens.
        Message = "a Sealstone message",
        /// A Sealstone file where a message was expected.
        File = "a sealed file",
        /// A file of secret keys.
        Keys = "a key file",
        /// A file of public keys.
        PublicKeys = "a public key",
        /// Data compressed by gzip.
        Gzip = "gzip-compressed data",
        /// Data compressed by xz.
        Xz = "xz-compressed data",
        /// Data compressed by Zstandard.
        Zstd = "zstd-compressed data",
        /// Data compressed by bzip2.
        Bzip2 = "bzip2-compressed data",
        /// An age file.
        Age = "an age file",
        /// A file that nkCryptoTool encrypted.
        Nkct = "an nkCryptoTool file (NKCT)",
        /// An `OpenPGP` message, such as `gpg` writes.
        OpenPgp = "a gpg file (OpenPGP)",
        /// A 7-Zip archive.
        SevenZip = "a 7z archive",
        /// A zip archive.
        Zip = "a zip archive",
        /// A file from `openssl enc`.
        OpenSslEnc = "an openssl enc file",
        /// A CMS or PKCS #7 message, such as `openssl cms` writes.
        Cms = "a CMS message (PKCS #7)",
        /// A signature of nkCryptoTool, which [`nkcs`](crate::interop::nkcs) verifies.
        NkctSignature = "an nkCryptoTool signature (NKCS)",
        /// A key bundle of nkCryptoTool, which [`nkkb`](crate::interop::nkkb) reads.
        KeyBundle = "an nkCryptoTool key bundle (NKKB)",
        /// An encrypted file of nkCryptoTool from 2025.
        Nkc1 = "an nkCryptoTool file of 2025 (NKC1)",
        /// A message of nkCryptoTool's chats, groups and inboxes.
        NkctMessage = "an nkCryptoTool message (NKO1, NKB1, NKCB or NKFILE1)",
        /// A database of redb, such as nkCryptoTool's `keyring.db`.
        RedbDatabase = "a redb database, such as the keyring.db of nkCryptoTool",
        /// A private key of nkCryptoTool wrapped by a TPM.
        TpmKey = "an nkCryptoTool private key that a TPM wrapped",
        /// Armour of a file or a message, quoted in a mail with `> ` before its lines.
        Quoted = "armour with `> ` before each line",
        /// Empty input.
        Empty = "an empty file",
    }
}

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The code of each variant.
macro_rules! codes {
    ($($($case:ident)|+ = $code:literal,)+) => {
        impl Error {
            /// All codes, in the order of the documentation.
            ///
            /// ```
            /// assert!(sealstone::Error::CODES.contains(&"not_sealstone"));
            /// ```
            pub const CODES: [&'static str; [$($code),+].len()] = [$($code),+];

            /// The code of this error. It never changes, and is the same in every language, in `--json` and in the vectors.
            ///
            /// ```
            /// assert_eq!(sealstone::Error::NotSealstone(None).code(), "not_sealstone");
            /// ```
            #[must_use]
            pub fn code(&self) -> &'static str {
                match self { $($(Self::$case { .. })|+ => $code,)+ }
            }
        }
    };
}

codes! {
    NotSealstone = "not_sealstone",
    UnsupportedVersion | UnsupportedFlag = "unsupported_version",
    UnsupportedSuite = "unsupported_suite",
    MalformedHeader = "malformed_header",
    MalformedArmour = "malformed_armour",
    MalformedCompression = "malformed_compression",
    MalformedArchive = "malformed_archive",
    UnsafeMember = "unsafe_member",
    NotAnArchive = "not_an_archive",
    NoSuchMember = "no_such_member",
    NamesCollide = "names_collide",
    IncompleteArchive = "incomplete_archive",
    Truncated = "truncated",
    ContextRequired = "context_required",
    ContextNotBound = "context_not_bound",
    CostTooHigh = "cost_too_high",
    NoMatchingIdentity | WrongPassphrase = "no_matching_identity",
    HeaderNotAuthentic = "header_not_authentic",
    NotAuthentic = "not_authentic",
    MixedRecipients = "mixed_recipients",
    InvalidRecipients = "invalid_recipients",
    InvalidRecipient = "invalid_recipient",
    InvalidIdentity = "invalid_identity",
    UnsupportedKey = "unsupported_key",
    PassphraseRequired = "passphrase_required",
    NotInProfile = "not_in_profile",
    InvalidPassphrase = "invalid_passphrase",
    InvalidContext = "invalid_context",
    UnknownAlgorithm = "unknown_algorithm",
    InvalidOption = "invalid_option",
    InvalidCost = "invalid_cost",
    WrongLength | OtherLength = "wrong_length",
    InvalidEncoding = "invalid_encoding",
    InvalidKey = "invalid_key",
    InvalidSignature = "invalid_signature",
    NotASignature = "not_a_signature",
    MalformedSignature = "malformed_signature",
    UnsupportedSignature = "unsupported_signature",
    WrongNamespace = "wrong_namespace",
    UnknownSigner = "unknown_signer",
    InvalidNamespace = "invalid_namespace",
    InvalidComment = "invalid_comment",
    InvalidSigner = "invalid_signer",
    MalformedCiphertext = "malformed_ciphertext",
    EmptyPlaintext = "empty_plaintext",
    InvalidUserId = "invalid_user_id",
    PartialBlock = "partial_block",
    LegacyEncryption = "legacy_encryption",
    InvalidPadding = "invalid_padding",
    UnavailableBackend = "unavailable_backend",
    RangeOutOfBounds = "range_out_of_bounds",
    NotSeekable = "not_seekable",
    TooLong | TooMuchContent | TooMuchOfHkdf | TooMuchToHold = "too_long",
    PluginFailed = "plugin_failed",
    NoRandomness = "no_randomness",
    SameFile = "same_file",
    OutputExists = "output_exists",
    HardLinks = "hard_links",
    NotRegularFile = "not_regular_file",
    InputChanged = "input_changed",
    Cancelled = "cancelled",
    Io = "io",
}

impl Error {
    /// The error for an unknown name. `known` lists the known names, separated by commas.
    ///
    /// ```
    /// let error = sealstone::Error::unknown_algorithm("SHA-256", "sha256, sha512");
    /// assert_eq!(error.to_string(), "unknown algorithm \"SHA-256\"; expected one of: sha256, sha512");
    /// ```
    #[must_use]
    pub fn unknown_algorithm(given: &str, known: &'static str) -> Self {
        let is_misspelt = known.split(',').any(|name| is_like(given, name));
        Self::UnknownAlgorithm { given: is_misspelt.then(|| given.into()), known }
    }

    /// Wraps the system's error from `action` on `path`.
    pub(crate) fn io(action: &'static str, path: Option<&Path>, source: impl Into<io::Error>) -> Self {
        Self::Io { action, path: path.map(Path::to_path_buf), source: source.into() }
    }

    /// The reverse of [`into_io`](Self::into_io): unwraps an [`Error`] that passed through a `Read` or `Write`.
    pub(crate) fn from_io(action: &'static str, path: Option<&Path>, source: io::Error) -> Self {
        match source.downcast::<Error>() {
            Ok(error) => error,
            Err(source) => Self::io(action, path, source),
        }
    }

    /// Wraps the error for adapters that return `io::Error`.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            Self::Io { source, .. } => source,
            other => io::Error::other(other),
        }
    }
}

/// Formats a name as one line of text. It escapes control characters, marks of direction and ill-formed bytes, so that a file
/// name can neither move the cursor nor forge a second message. Names in all scripts stay readable.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(sealstone::escape_name(Path::new("it's\n\u{1b}[2J")), "it's\\n\\u{1b}[2J");
/// assert_eq!(sealstone::escape_name(Path::new("हिन्दी.txt")), "हिन्दी.txt");
/// assert_eq!(sealstone::escape_name(Path::new("\u{202e}txt.exe")), "\\u{202e}txt.exe");
/// // Some plugins keep the key in their identity; a program's name is shown.
/// assert_eq!(sealstone::escape_name(Path::new("AGE-PLUGIN-TOKEN-1QQQQQQQQQQQQQQ")), "AGE-PLUGIN-…");
/// let program = "/usr/bin/age-plugin-of-several-words";
/// assert_eq!(sealstone::escape_name(Path::new(program)), program);
/// ```
#[must_use]
pub fn escape_name(path: &Path) -> String {
    escape_bytes(path.as_os_str().as_encoded_bytes())
}

/// Formats the bytes of a name, such as the path of a member of an archive, as [`escape_name`] does.
///
/// ```
/// assert_eq!(sealstone::escape_bytes(b"caf\xe9\n"), "caf\\xe9\\n");
/// ```
#[must_use]
pub fn escape_bytes(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    let mut shown = String::with_capacity(text.len());
    for c in without_secrets(&text).chars() {
        if is_escaped(c) { shown.extend(c.escape_debug()) } else { shown.push(c) }
    }
    shown
}

/// Whether [`escape_name`] escapes a character: a control character, a line end, or a mark that changes the direction of text
/// (Unicode's `Bidi_Control`).
///
/// ```
/// assert!(sealstone::is_escaped('\u{1b}') && sealstone::is_escaped('\u{2067}'));
/// assert!(!sealstone::is_escaped('\u{94d}') && !sealstone::is_escaped('\u{200d}'));
/// ```
#[must_use]
pub fn is_escaped(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || c.is_control()
}

/// Characters behind a mark count as a secret key from this length on. A secret key has more, and a name has fewer.
const SECRET_MIN_LEN: usize = 16;

/// The marks of strings of secret keys, without the last hyphen, because it may be mistyped. The string of a new kind contains one, or the
/// kind adds its own here.
pub const SECRET_MARKS: [&str; 2] = ["SECRET-KEY", "SEALSTONE-KEY"];

/// The beginning of plugins' identities. Some plugins store the key itself there.
const PLUGIN_MARK: &str = "AGE-PLUGIN-";

/// Whether a text contains the mark of a secret key, in any case: that of a string, of a plugin's identity, or of PEM.
///
/// ```
/// assert!(sealstone::looks_secret("age-secret-key-1qqq"));
/// assert!(!sealstone::looks_secret("age1pq1qqq"));
/// ```
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    let has = |mark: &str| text.as_bytes().windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    SECRET_MARKS.into_iter().chain([PLUGIN_MARK, "PRIVATE KEY-----"]).any(has)
}

/// Removes secret keys that a user gave in place of a name.
fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    let upper = text.to_ascii_uppercase();
    // No name looks like PEM or JWK, so everything from their beginning on is removed.
    let begins = if upper.contains("PRIVATE KEY-----") { upper.find("-----BEGIN") } else { None };
    if let Some(at) = begins.or_else(|| if text.contains("\"kty\"") { text.find('{') } else { None }) {
        return format!("{}…", without_secrets(&text[..at]));
    }
    let marks = || SECRET_MARKS.into_iter().chain([PLUGIN_MARK]);
    while let Some((at, mark)) =
        marks().filter_map(|mark| Some((upper[upper.len() - rest.len()..].find(mark)?, mark))).min()
    {
        let (before, secret) = rest.split_at(at + mark.len());
        shown.push_str(before);
        rest = secret.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        // `my-secret-key-2.txt` is a name, because its key part is short.
        let key = &secret[..secret.len() - rest.len()];
        // `age-plugin-of-a-long-name` is a program. An identity has a `-1` behind the name.
        let is_name = key.len() < SECRET_MIN_LEN || mark == PLUGIN_MARK && !key.contains("-1");
        shown.push_str(if is_name { key } else { "…" });
    }
    shown.push_str(rest);
    shown
}

/// The most bytes of a misspelt name.
const NAME_MAX_LEN: usize = 32;

/// Whether a text is a misspelt name: in another case, with other hyphens, without its end, or with a third of it wrong. Such a
/// text reveals only the name, and is not a secret.
fn is_like(text: &str, name: &str) -> bool {
    if text.len() > NAME_MAX_LEN || !text.bytes().all(|c| c.is_ascii_graphic() || c == b' ') {
        return false;
    }
    let (text_len, name_len) = (letters(text).count(), letters(name).count());
    let is_beginning = letters(text).zip(letters(name)).all(|(a, b)| a == b);
    is_beginning && (2..=name_len).contains(&text_len) || distance(text, name) <= name_len / 3
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase())
}

/// The number of letters to insert, delete or replace between two names. `from` has at most [`NAME_MAX_LEN`] letters.
fn distance(from: &str, to: &str) -> usize {
    // The distances from each beginning of `from` to the letters of `to` so far.
    let mut row: [usize; NAME_MAX_LEN + 1] = std::array::from_fn(|i| i);
    for b in letters(to) {
        let mut diagonal = row[0];
        row[0] += 1;
        for (i, a) in letters(from).enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(row[i].min(diagonal) + 1);
        }
    }
    row[letters(from).count()]
}
