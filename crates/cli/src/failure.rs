//! Failures of commands, their messages, hints and exit codes.

use crate::plural::count_noun;
use sealstone::interop::fise;
use sealstone::{
    Error, KeyFault, LooksLike, PluginFault, ProfileRule, RecipientsRule, SignatureForm, Text, UnsupportedKey,
    escape_name,
};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A failure: an error of core, or one of the command line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of core whose message names the file itself.
    Core(Error),
    /// An error of core in a key file or another file, which the message must name.
    In { file: String, error: Error },
    /// An error of core on one of the inputs.
    On { input: PathBuf, error: Error },
    /// A wrong passphrase for this file; for an input, the file is set later.
    WrongPassphrase { of: Option<PathBuf>, is_input: bool },
    /// An error of FISE in this file; for an input, the file is set later.
    Fise { of: Option<PathBuf>, is_input: bool, error: fise::Error },
    /// A failure of keys that an input needs, and not of the input itself.
    OfKeys(Box<Self>),
    /// A failure caused by an option, and not by an input.
    OfOption(Box<Self>),
    /// A failure on something that is not a key for this use, but was identified.
    Mistake { failure: Box<Self>, mistake: Mistake },
    /// A failure with a hint of the command.
    WithHint { failure: Box<Self>, hint: String },
    /// A failure with a message of the command, printed after the input's name.
    WithMessage { failure: Box<Self>, message: String },
    /// A usage error. `input` is the input whose format refuses the use.
    Usage { message: String, hint: Option<String>, input: Option<PathBuf> },
    /// Some of several files failed; each failure was reported.
    Several { failed: usize, of: usize },
    /// The result of comparing files with a list of digests.
    Checked { code: &'static str, message: String },
}

/// An input that was mistaken for a key of another use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    SymmetricKey,
    SecretKey,
    SshKey,
    PluginRecipient,
    /// A signing key in the place of an encryption key or identity.
    SigningKey,
    /// An encryption key or identity in the place of a signing key.
    EncryptionKey,
    /// A private signing key in the place of a signer.
    SigningKeyOfSigner,
    /// A signer in the place of its private key.
    SignerOfSigningKey,
    AllowedSigners,
    OpenPgpKey,
    SshCertificate,
    Minisign,
    PublicKeyOfSsh,
    Base64OfDer,
    Base64OfDigits,
    DigitsOfDer,
    /// A key that signs only for nkCryptoTool.
    SigningKeyOfNkcs,
    /// A key that opens only nkCryptoTool files.
    IdentityOfNkct,
}

impl Mistake {
    fn hint(self) -> &'static str {
        match self {
            Self::SymmetricKey => "a symmetric key has no recipient: use --key-file FILE",
            Self::SecretKey => "this is a secret key: `sealstone recipients FILE` prints its recipient",
            Self::SshKey => {
                "an SSH key (Ed25519 or RSA) opens age files (--format age), and an Ed25519 key signs; `sealstone keygen` makes a key for Sealstone files"
            }
            Self::PluginRecipient => {
                "recipients of age plugins are for `encrypt` and `rewrap` only; if one of these refuses it, copy the recipient again"
            }
            Self::SigningKey => {
                "this is a signing key, for `sealstone sign` and `sealstone verify-sig`; `sealstone keygen` makes a key that decrypts; an SSH key (Ed25519 or RSA) also opens age files (--format age)"
            }
            Self::EncryptionKey => "this is an encryption key: `sealstone keygen --sign -o FILE` makes a signing key",
            Self::SigningKeyOfSigner => "this is a private key: `sealstone key public FILE` prints its public key",
            Self::SignerOfSigningKey => "this is a public key, for verifying: name the file with its private key",
            Self::PublicKeyOfSsh => "this is an SSH public key: name the file with its private key",
            Self::AllowedSigners => "this looks like a file of allowed signers: name it with --signers",
            Self::OpenPgpKey => {
                "this is a gpg (OpenPGP) file, and Sealstone takes no gpg keys: `sealstone keygen --sign` makes a signing key"
            }
            Self::SshCertificate => {
                "this is an SSH certificate: name the file with its key, which has no -cert in its name"
            }
            Self::Minisign => {
                "this is a minisign or signify file, and Sealstone takes no such keys: `sealstone keygen` makes a key, and `sealstone keygen --sign` a signing key"
            }
            Self::Base64OfDer => "this is a DER key in base64; decode it first: (umask 077; base64 -d FILE > key.der)",
            Self::Base64OfDigits => {
                "if this is an SM2 key in base64, write it in hexadecimal digits: (umask 077; base64 -d FILE | xxd -p -c 65 > key.hex)"
            }
            Self::DigitsOfDer => {
                "this is a DER key in hexadecimal digits; write its bytes: (umask 077; xxd -r -p FILE > key.der)"
            }
            Self::SigningKeyOfNkcs => {
                "this key signs only in the format of nkCryptoTool: `sealstone sign --format nkcs -k FILE`"
            }
            Self::IdentityOfNkct => "this key opens nkCryptoTool files only: `sealstone decrypt -i FILE`",
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<fise::Error> for Failure {
    fn from(error: fise::Error) -> Self {
        match error {
            fise::Error::Core(error) => Self::Core(error),
            error => Self::Fise { of: None, is_input: true, error },
        }
    }
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None, input: None }
    }

    pub(crate) fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()), input: None }
    }

    pub(crate) fn io(action: &'static str, path: Option<&Path>, source: io::Error) -> Self {
        Self::Core(Error::Io { action, path: path.map(Path::to_path_buf), source })
    }

    /// Replaces the hint.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self::WithHint { failure: Box::new(self), hint: hint.into() }
    }

    /// Adds the hint for a mistaken input, if there is one.
    pub(crate) fn with_mistake(self, mistake: Option<Mistake>) -> Self {
        match mistake {
            Some(mistake) => Self::Mistake { failure: Box::new(self), mistake },
            None => self,
        }
    }

    /// A failure caused by an option.
    pub(crate) fn of_option(error: Error) -> Self {
        Self::OfOption(Box::new(error.into()))
    }

    /// Replaces the message.
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self::WithMessage { failure: Box::new(self), message: message.into() }
    }

    /// Adds this command's hint if the input is not a sealed file.
    pub(crate) fn for_command(self, command: &str) -> Self {
        match self.error() {
            Some(Error::NotSealstone(guess)) => {
                let hint = hint_for_foreign(*guess, self.input(), command);
                self.with_hint(hint)
            }
            _ => self,
        }
    }

    /// Sets the input that the failure happened on.
    pub(crate) fn on(self, input: Option<&Path>) -> Self {
        match (self, input) {
            (Self::WithHint { failure, hint }, input) => Self::WithHint { failure: Box::new(failure.on(input)), hint },
            (Self::WithMessage { failure, message }, input) => {
                Self::WithMessage { failure: Box::new(failure.on(input)), message }
            }
            (Self::Mistake { failure, mistake }, input) => {
                Self::Mistake { failure: Box::new(failure.on(input)), mistake }
            }
            (Self::Core(error), Some(input)) => Self::On { input: input.to_path_buf(), error },
            (Self::WrongPassphrase { of: None, is_input }, input) => {
                Self::WrongPassphrase { of: input.map(Path::to_path_buf), is_input }
            }
            (Self::Fise { of: None, is_input, error }, input) => {
                Self::Fise { of: input.map(Path::to_path_buf), is_input, error }
            }
            (failure, _) => failure,
        }
    }

    /// Says that a usage error is about one of the inputs, whose format does not have the use.
    pub(crate) fn of_format(self, of: Option<&Path>) -> Self {
        match self {
            Self::Usage { message, hint, .. } => Self::Usage { message, hint, input: of.map(Path::to_path_buf) },
            failure => failure,
        }
    }

    /// The input that the failure happened on.
    pub(crate) fn input(&self) -> Option<&Path> {
        match self {
            Self::On { input, .. } => Some(input),
            Self::WrongPassphrase { of, is_input: true }
            | Self::Fise { of, is_input: true, .. }
            | Self::Usage { input: of, .. } => of.as_deref(),
            Self::Mistake { failure, .. }
            | Self::WithHint { failure, .. }
            | Self::WithMessage { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.input(),
            _ => None,
        }
    }

    /// The error of core, if there is one.
    pub(crate) fn error(&self) -> Option<&Error> {
        match self {
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => Some(error),
            Self::Mistake { failure, .. }
            | Self::WithHint { failure, .. }
            | Self::WithMessage { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.error(),
            Self::WrongPassphrase { .. } => Some(&Error::WrongPassphrase),
            Self::Fise { .. } | Self::Usage { .. } | Self::Several { .. } | Self::Checked { .. } => None,
        }
    }

    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => error.code(),
            Self::WrongPassphrase { .. } => Error::WrongPassphrase.code(),
            Self::Fise { error, .. } => error.code(),
            Self::Mistake { failure, .. }
            | Self::WithHint { failure, .. }
            | Self::WithMessage { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.code(),
            Self::Usage { .. } => "usage",
            Self::Several { .. } => "some_failed",
            Self::Checked { code, .. } => code,
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::Core(error) => error.to_string(),
            Self::WrongPassphrase { of: Some(path), .. } => format!("{}: wrong passphrase", escape_name(path)),
            Self::WrongPassphrase { of: None, .. } => "wrong passphrase".to_owned(),
            Self::Fise { of: Some(path), error, .. } => format!("{}: {error}", escape_name(path)),
            Self::Fise { of: None, error, .. } => error.to_string(),
            Self::In { file, error } => format!("{file}: {error}"),
            Self::On { error, .. } if has_file_name(error) => error.to_string(),
            Self::On { input, error } => format!("{}: {error}", escape_name(input)),
            Self::WithMessage { failure, message } => match failure.input() {
                Some(input) => format!("{}: {message}", escape_name(input)),
                None => message.clone(),
            },
            Self::Mistake { failure, .. }
            | Self::WithHint { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.message(),
            Self::Usage { message, input: Some(input), .. } => format!("{}: {message}", escape_name(input)),
            Self::Usage { message, .. } | Self::Checked { message, .. } => message.clone(),
            Self::Several { failed, of } => format!("{failed} of {} failed", count_noun(*of, "file")),
        }
    }

    /// Whether a passphrase was wrong or missing.
    pub(crate) fn is_passphrase_error(&self) -> bool {
        matches!(self.error(), Some(Error::WrongPassphrase | Error::PassphraseRequired))
    }

    /// Whether the reader of our output has gone, which needs no report.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self.error(), Some(Error::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.code() {
            _ if matches!(self, Self::OfOption(_)) => 2,
            "usage"
            | "context_required"
            | "context_not_bound"
            | "mixed_recipients"
            | "invalid_recipients"
            | "invalid_recipient"
            | "invalid_identity"
            | "unsupported_key"
            | "passphrase_required"
            | "not_in_profile"
            | "invalid_passphrase"
            | "invalid_context"
            | "unknown_algorithm"
            | "invalid_option"
            | "invalid_cost"
            | "wrong_length"
            | "invalid_encoding"
            | "invalid_key"
            | "invalid_user_id"
            | "empty_plaintext"
            | "legacy_encryption"
            | "unavailable_backend"
            | "range_out_of_bounds"
            | "not_seekable"
            | "not_an_archive"
            | "no_such_member"
            | "invalid_namespace"
            | "invalid_comment"
            | "invalid_signer"
            | "fise_rules" => 2,
            "no_matching_identity" | "unknown_signer" => 3,
            "not_sealstone"
            | "unsupported_version"
            | "unsupported_suite"
            | "malformed_header"
            | "malformed_armour"
            | "malformed_compression"
            | "malformed_archive"
            | "unsafe_member"
            | "truncated"
            | "cost_too_high"
            | "header_not_authentic"
            | "not_authentic"
            | "partial_block"
            | "invalid_padding"
            | "malformed_ciphertext"
            | "invalid_signature"
            | "not_a_signature"
            | "malformed_signature"
            | "unsupported_signature"
            | "wrong_namespace"
            | "digest_mismatch"
            | "malformed_checksums"
            | "fise_no_salt"
            | "fise_no_marker"
            | "fise_ambiguous"
            | "fise_malformed"
            | "fise_order"
            | "fise_truncated"
            | "fise_key_required" => 4,
            "some_failed" => 5,
            _ => 1,
        })
    }

    /// The hint: what to do next.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Usage { hint, .. } => return hint.clone(),
            Self::WithHint { hint, .. } => return Some(hint.clone()),
            Self::Mistake { mistake, .. } => mistake.hint(),
            Self::WithMessage { failure, .. } | Self::OfOption(failure) | Self::OfKeys(failure) => {
                return failure.hint();
            }
            Self::Several { .. } | Self::Checked { .. } | Self::Fise { .. } => return None,
            Self::WrongPassphrase { .. } => "type it again: case, spaces and the keyboard layout matter",
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => match error {
                Error::NotSealstone(guess) => return Some(hint_for_foreign(*guess, self.input(), "decrypt")),
                Error::UnsupportedVersion(_) | Error::UnsupportedFlag(_) | Error::UnsupportedSuite(_) => {
                    "a newer sealstone may read it"
                }
                // The message says it already.
                Error::MalformedArmour(Text::IS_UTF16) | Error::MalformedSignature(Text::IS_UTF16) => return None,
                Error::MalformedArmour(_) => {
                    "copy the text again, from the BEGIN line to the END line, into a file of its own"
                }
                Error::MalformedCompression(_) | Error::MalformedArchive { .. } => {
                    "the file is as its writer made it, and the writer broke the format: do not trust its content"
                }
                Error::UnsafeMember { .. } => "if you trust the archive's writer: --outside-links",
                Error::NotAnArchive => "`sealstone decrypt` without --extract opens it",
                Error::NoSuchMember(_) => "`sealstone list` shows the paths of the members",
                Error::NamesCollide(_) => {
                    "extract into a folder of a file system that tells upper and lower case apart, or single members"
                }
                Error::IncompleteArchive(_) => "each of them was named above; the rest of the archive is good",
                Error::Truncated(_) => "the file was cut short: fetch it again",
                Error::ContextRequired => "give the text it was encrypted with: --context TEXT",
                Error::ContextNotBound => "leave out --context",
                Error::NoMatchingIdentity => {
                    "it was encrypted to other keys, or its header is damaged: name an identity (-i FILE) or a key (--key-file); `sealstone inspect` shows the kinds it was encrypted to"
                }
                Error::HeaderNotAuthentic | Error::NotAuthentic { .. } => {
                    "the file was changed, damaged or cut short, or the --context differs: fetch it again"
                }
                Error::MixedRecipients => {
                    "use only post-quantum recipients (hybrid, ml-kem-768), or accept the strength of the weakest with --allow-mixed"
                }
                Error::SameFile(_) => "name another output with -o, or replace the file with --in-place",
                Error::OutputExists(_) => "replace it with --force, or name another output with -o",
                Error::HardLinks(_) => "replace the file under this name only: --force",
                Error::NotRegularFile { kind: "a symbolic link", .. } => "name the file that the link points to",
                Error::InputChanged(_) => "try again when no program writes to the file",
                Error::TooMuchToHold(_) => "name a file with -o FILE",
                Error::PluginFailed { plugin, fault: PluginFault::Missing } => {
                    return Some(format!(
                        "install age-plugin-{plugin} in a folder that PATH names with an absolute path"
                    ));
                }
                Error::PluginFailed { fault: PluginFault::Silent(_), .. } => {
                    "if it waits for somebody, give it more time: --plugin-timeout SECONDS"
                }
                Error::PluginFailed { .. } => return None,
                Error::NotSeekable if self.input().is_some_and(Path::is_file) => {
                    "armour is read from its beginning: decrypt the file as a whole, or save it without armour"
                }
                Error::NotSeekable => "save the input to a file first, without armour",
                Error::UnavailableBackend(_) => "unset SEALSTONE_BACKEND",
                Error::RangeOutOfBounds => "`sealstone inspect` shows the length of the plaintext",
                Error::Io { action: "create", path, source } if source.kind() == io::ErrorKind::NotFound => {
                    let folder = path.as_deref().and_then(Path::parent).and_then(plain_name).unwrap_or("FOLDER");
                    return Some(format!("make its folder first: mkdir -p {folder}"));
                }
                Error::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                    "free some space, or name an output on another disk"
                }
                Error::Io { action: "create" | "read", source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                    "name the file, not its folder"
                }
                Error::Io { action: "open", source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                    "use --recursive for folders, or name a file"
                }
                Error::Io { action: "set the owner of", source, .. }
                    if source.kind() == io::ErrorKind::PermissionDenied =>
                {
                    "only root may do that: leave --owners out"
                }
                error => match hint_for_signature(error) {
                    Some(hint) => hint,
                    None => hint_for_key(error)?,
                },
            },
        };
        Some(hint.to_owned())
    }
}

/// A name that needs no quotes in a shell.
pub(crate) fn plain_name(path: &Path) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    path.to_str().filter(|name| !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain))
}

/// The hint for an input of `command` that is not a sealed file: it names the program that takes it.
fn hint_for_foreign(guess: Option<LooksLike>, input: Option<&Path>, command: &str) -> String {
    let file = input.and_then(plain_name).unwrap_or("FILE");
    match guess {
        Some(LooksLike::Keys | LooksLike::PublicKeys) if command == "inspect" => {
            format!("`sealstone key inspect {file}` shows keys")
        }
        Some(LooksLike::PublicKeys) => format!("public keys are for encryption: sealstone encrypt -r {file} …"),
        Some(LooksLike::Base64) => format!("decode the base64 first: base64 -d {file} | sealstone decrypt …"),
        Some(LooksLike::ChangedLineEnds) => {
            "fetch it again as a binary file, or encrypt with -a where only text gets through".to_owned()
        }
        Some(LooksLike::Message) => format!("`sealstone message open {file}` opens messages"),
        Some(LooksLike::File) => format!("`sealstone decrypt {file}` opens files"),
        Some(LooksLike::Keys) => format!("name keys with -i: sealstone {command} -i {file} SEALED_FILE"),
        Some(LooksLike::Gzip) => format!("unpack it first: gunzip -c {file} | sealstone decrypt …"),
        Some(LooksLike::Xz) => format!("unpack it first: xz -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Zstd) => format!("unpack it first: zstd -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Bzip2) => format!("unpack it first: bzip2 -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Age) => format!("`sealstone decrypt {file}` opens age files, too"),
        Some(LooksLike::Nkct) => format!("`sealstone decrypt {file}` opens nkCryptoTool files, too"),
        Some(LooksLike::OpenPgp) => format!("gpg decrypts it: gpg -d {file}"),
        Some(LooksLike::SevenZip) => format!("7z unpacks it: 7z x {file}"),
        Some(LooksLike::Zip) => format!("unzip unpacks it: unzip {file}; 7z x {file} if it is encrypted with AES"),
        Some(LooksLike::OpenSslEnc) => {
            format!("openssl decrypts it, if you know the cipher: openssl enc -d -aes-256-cbc -pbkdf2 -in {file}")
        }
        Some(LooksLike::Cms) => format!("openssl decrypts it: openssl cms -decrypt -in {file} -inkey KEY.pem"),
        Some(LooksLike::NkctSignature) => {
            format!("`sealstone verify-sig -k SIGNER --signature {file} CONTENT` verifies it")
        }
        Some(LooksLike::KeyBundle) if command == "rewrap" => {
            format!("it names recipients: sealstone rewrap -r {file} --fingerprint HEX SEALED_FILE")
        }
        Some(LooksLike::KeyBundle) => format!(
            "it names recipients: sealstone encrypt -r {file} --fingerprint HEX …; `sealstone inspect {file}` shows it"
        ),
        Some(LooksLike::Nkc1) => {
            "decrypt it with the nkCryptoTool build that wrote it, and encrypt it again: every 64 KiB of it reuse one keystream, and nothing is authenticated".to_owned()
        }
        Some(LooksLike::TpmKey) => {
            "only its TPM can unwrap it: decrypt the files with nkCryptoTool on the machine with that TPM".to_owned()
        }
        Some(LooksLike::RedbDatabase) => {
            "a keyring.db holds its private keys as PEM: docs/guide/from-nkcryptotool.md has the command that extracts them".to_owned()
        }
        Some(LooksLike::NkctMessage) => "only nkCryptoTool opens messages of its chats, groups and inboxes".to_owned(),
        None if input.and_then(Path::extension).is_some_and(|ending| ending == "sig") => {
            "`sealstone verify-sig -k SIGNER FILE` verifies signatures".to_owned()
        }
        Some(LooksLike::Quoted) => format!("remove the marks: sed 's/^> *//' {file}"),
        Some(LooksLike::Empty) => "the program that should have written it may have failed".to_owned(),
        _ => {
            let formats = if command == "rewrap" { "Sealstone and age" } else { "Sealstone, age and nkCryptoTool" };
            format!("{command} takes {formats} files; the command `file` may tell what this is")
        }
    }
}

/// The hints for errors of signatures.
fn hint_for_signature(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::NotASignature(SignatureForm::Attached) => {
            "if the signature is in a separate file, use verify-sig FILE SIG, without --attached"
        }
        Error::NotASignature(SignatureForm::Nkcs) => {
            "an nkCryptoTool signature without a header has 2420, 3309 or 4627 bytes, or is DER with two numbers"
        }
        Error::NotASignature(_) => {
            "a signature of `sealstone sign` or `ssh-keygen -Y sign` begins with -----BEGIN SSH SIGNATURE-----; for a signature at the end of the file, use --attached"
        }
        Error::MalformedSignature(_) => "copy the signature again, from the BEGIN line to the END line",
        Error::UnsupportedSignature(_) => "a newer sealstone may read it, or the ssh-keygen that made it",
        Error::WrongNamespace { .. } => {
            "it was made for another purpose: if that is the one you expect, name it with --namespace"
        }
        Error::UnknownSigner { .. } => "the claim proves nothing: get the signer's key from the signer, and name it",
        Error::InvalidSignature(_) => "the file or its signature was changed: fetch both again",
        Error::InvalidNamespace(_) => {
            "a namespace has 1 to 255 visible characters of ASCII without a comma, and does not begin with sealstone-"
        }
        Error::InvalidComment(_) => {
            "a comment is one line of 1 to 1,024 bytes, without control characters; leave out --comment for none"
        }
        Error::InvalidSigner(KeyFault::PrivateKey) => "`sealstone key public FILE` prints the public key",
        Error::InvalidSigner(KeyFault::Utf16) => return None,
        Error::InvalidSigner(KeyFault::PublicKey) => "name the file with the private key",
        Error::InvalidSigner(_) => {
            "a signing key is PEM, DER or an OpenSSH private key; its public key is PEM, DER or an SSH line, which `sealstone key public FILE` prints"
        }
        _ => return None,
    })
}

/// The hints for errors of keys and recipients.
fn hint_for_key(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::InvalidRecipients(RecipientsRule::Sm2Apart) => "encrypt twice, once to each kind",
        Error::InvalidRecipients(RecipientsRule::TakenBySuite) => "leave out --suite: the recipients decide",
        Error::InvalidRecipients(RecipientsRule::PluginApart) => {
            "encrypt to this recipient alone; `rewrap --replace` removes the others"
        }
        Error::InvalidRecipients(RecipientsRule::PluginTooLong) => "name fewer recipients of this plugin",
        Error::InvalidRecipients(RecipientsRule::MessageKind) => "encrypt to the key with `sealstone encrypt`",
        Error::InvalidRecipients(_) => "name recipients with -r or -R, or use -p or --key-file",
        Error::InvalidRecipient(KeyFault::Utf16) | Error::InvalidIdentity(KeyFault::Utf16) => return None,
        Error::InvalidRecipient(KeyFault::PrivateDigits) => {
            "`sealstone key convert --to hex --public FILE` writes the public key"
        }
        Error::InvalidRecipient(KeyFault::PrivateKey) => {
            "`sealstone recipients FILE` prints the recipient of an identity"
        }
        Error::InvalidRecipient(KeyFault::MixedForms) | Error::InvalidIdentity(KeyFault::MixedForms) => {
            "put them into two files, or convert the others to PEM with `sealstone key convert --to pem`, if their kind has it"
        }
        Error::InvalidRecipient(KeyFault::CompressedDigits) => {
            "write 02 in place of 00, or 03 in place of 01, unless it is a private key from Java"
        }
        Error::InvalidRecipient(KeyFault::CompressedPoint | KeyFault::InvalidPoint) => {
            "write the same key uncompressed: openssl ec -pubin -in FILE -conv_form uncompressed -pubout"
        }
        Error::InvalidIdentity(fault) if fault.is_other_half() => {
            "public keys are for encrypt -r: name the file with the private key"
        }
        Error::InvalidIdentity(KeyFault::DigitsOfPrivateKey) => {
            "some programs leave out leading zeros: add zeros in front until there are 64 digits, without 0x and spaces"
        }
        Error::InvalidIdentity(KeyFault::OfPlugin) => {
            "a plugin key works with decrypt, verify and rewrap; its recipient is in the output of the plugin that made it, such as in a line # recipient: …"
        }
        Error::InvalidIdentity(KeyFault::SignByte) => {
            "if it is a private key, remove the leading 00; for a public key, write 02 in place of 00, and give it to encrypt -r"
        }
        Error::InvalidIdentity(KeyFault::FileName) => "name that file itself with -i",
        Error::InvalidRecipient(KeyFault::FileName) => "name that file itself with -R",
        Error::InvalidIdentity(KeyFault::NoKey | KeyFault::UnknownIdentity) => {
            "`sealstone keygen -o FILE` makes an identity file"
        }
        Error::InvalidIdentity(_) => "restore the file from a backup, if it once held a key",
        Error::InvalidRecipient(_) => {
            "a recipient is one line that begins with age1, a public key as PEM, DER or JWK, or the 128 or 130 digits of an SM2 key, without 0x and spaces; `sealstone recipients FILE` prints the recipients of an identity file"
        }
        Error::UnsupportedKey(what) => hint_for_unsupported(*what),
        Error::NotInProfile(ProfileRule::GmSuite) => {
            "encrypt with --suite sm4-gcm; without --profile everything is allowed"
        }
        Error::NotInProfile(ProfileRule::GmKinds) => {
            "`sealstone keygen --kind sm2` makes a key that the profile allows; without --profile everything is allowed"
        }
        Error::NotInProfile(ProfileRule::FipsSuite) => {
            "encrypt with --suite aes-256-gcm; without --profile everything is allowed"
        }
        Error::NotInProfile(ProfileRule::FipsSigners) => {
            "`sealstone keygen --kind p256-sign` makes a key that the profile allows; without --profile everything is allowed"
        }
        Error::NotInProfile(ProfileRule::GmSigners) => {
            "`sealstone keygen --kind sm2-sign` makes a key that the profile allows; without --profile everything is allowed"
        }
        Error::NotInProfile(_) => {
            "`sealstone keygen --kind ml-kem-768` makes a key that the profile allows; without --profile everything is allowed"
        }
        _ => return None,
    })
}

/// The hints for keys that are well-formed but not supported.
fn hint_for_unsupported(what: UnsupportedKey) -> &'static str {
    match what {
        UnsupportedKey::Certificate => {
            "extract the key: openssl pkey -in FILE for a private key, openssl x509 -in FILE -pubkey -noout for a public key, openssl req -in FILE -pubkey -noout for the key of a request"
        }
        UnsupportedKey::CurveByParameters => {
            "name the curve, if it is P-256: openssl ec -in FILE -param_enc named_curve"
        }
        UnsupportedKey::PemOneLine => {
            "restore its line breaks: (umask 077; awk '{gsub(/-----[A-Z0-9 ]*-----/, \"\\n&\\n\"); print}' FILE > key.pem)"
        }
        UnsupportedKey::PemEscaped => {
            "write them as line breaks: (umask 077; printf '%b\\n' \"$(cat FILE)\" > key.pem)"
        }
        UnsupportedKey::Pkcs12 => {
            "extract the private key: openssl pkcs12 -in FILE -nocerts -out key.pem; or the public key: openssl pkcs12 -in FILE -nokeys -clcerts | openssl x509 -pubkey -noout"
        }
        UnsupportedKey::BareSeed => {
            "write the usual form: openssl pkey -provparam ml-kem.output_formats=seed-priv -provparam ml-dsa.output_formats=seed-priv -in FILE -out key.pem"
        }
        UnsupportedKey::RsaForm => "`ssh-keygen -t ed25519` makes a key that works",
        UnsupportedKey::SshEncryption => "encrypt it with a supported cipher: ssh-keygen -p -Z aes256-ctr -f FILE",
        UnsupportedKey::JwkSet => "copy one key of the set into a file of its own",
        UnsupportedKey::Encryption | UnsupportedKey::PemHeaders => {
            "convert it: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem, or for an SSH key: ssh-keygen -p -f FILE"
        }
        UnsupportedKey::NoPem
        | UnsupportedKey::NoJwk
        | UnsupportedKey::NoDigits
        | UnsupportedKey::NoString
        | UnsupportedKey::NoFormOfKind
        | UnsupportedKey::NoSsh
        | UnsupportedKey::NoPassphrase => "`sealstone key convert --help` lists the forms of each kind",
        UnsupportedKey::NkcsKind => {
            "`sealstone keygen --kind p256-sign` and `--kind ml-dsa-65` make keys that nkCryptoTool knows"
        }
        UnsupportedKey::NkkbOwner => "`sealstone keygen --kind ml-dsa-65` makes such a key",
        UnsupportedKey::MlKemSize => {
            "it is for nkCryptoTool files: `sealstone encrypt --format nkct -r FILE` and `sealstone decrypt -i FILE`"
        }
        UnsupportedKey::SignerKind => "`sealstone keygen --sign` makes a signing key for files",
        _ => "`sealstone keygen` makes a key that works here",
    }
}

/// Whether the message already names the file.
fn has_file_name(error: &Error) -> bool {
    matches!(
        error,
        Error::Io { path: Some(_), .. }
            | Error::SameFile(_)
            | Error::OutputExists(_)
            | Error::HardLinks(_)
            | Error::NotRegularFile { .. }
            | Error::InputChanged(_)
            | Error::NamesCollide(_)
    )
}
