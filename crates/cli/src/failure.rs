//! What a command can end in, and the hint that repairs the next one.

use crate::plural::counted;
use sealstone::{
    Error, KeyFault, LooksLike, PluginFault, ProfileRule, RecipientsRule, SignatureForm, Text, UnsupportedKey,
    escape_name,
};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// An error of the command line: the core's, or one of usage.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Of the core, on the file that the message names itself.
    Core(Error),
    /// Of the core, in a file of keys or another that the message must name.
    In { file: String, error: Error },
    /// Of the core, on one of the inputs.
    On { input: PathBuf, error: Error },
    /// That of a file; of the input once it is known.
    WrongPassphrase { of: Option<PathBuf>, is_input: bool },
    /// On keys that an input turned out to need, and not on the input.
    OfKeys(Box<Self>),
    /// On what an option asks for, and not on an input.
    OfOption(Box<Self>),
    /// On something in the place of a recipient, which is known for what it is.
    Instead { failure: Box<Self>, what: Instead },
    /// One whose hint the command knows better.
    Hinted { failure: Box<Self>, hint: String },
    /// One that the command has better words for. The input stands before them.
    Worded { failure: Box<Self>, message: String },
    /// The command does not make sense.
    Usage { message: String, hint: Option<String> },
    /// Some of several files failed; each was reported.
    Several { failed: usize, of: usize },
    /// Files were compared with a list of digests.
    Checked { code: &'static str, message: String },
}

/// What people give in the place of a key for another use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instead {
    SymmetricKey,
    SecretKey,
    SshKey,
    PluginRecipient,
    /// A key that signs, in the place of one that is encrypted to or decrypts.
    SigningKey,
    /// A key that is encrypted to or decrypts, in the place of one that signs.
    EncryptionKey,
    /// A private key in the place of a signer.
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
    /// A key that signs for nkCryptoTool alone.
    SigningKeyOfNkcs,
    /// A key that opens files of nkCryptoTool alone.
    IdentityOfNkct,
}

impl Instead {
    fn hint(self) -> &'static str {
        match self {
            Self::SymmetricKey => "a symmetric key has no recipient: use --key-file FILE",
            Self::SecretKey => "this is a secret key: `sealstone recipients FILE` prints its recipient",
            Self::SshKey => {
                "keys of SSH open files of age (--format age; Ed25519 and RSA), and those of Ed25519 sign; `sealstone keygen` makes a key for files of ours"
            }
            Self::PluginRecipient => {
                "recipients of age's plugins are for encrypt and rewrap, with files of ours and of age; copy it anew, if one of those refuses it"
            }
            Self::SigningKey => {
                "this key signs, and encrypts nothing: it is for `sealstone sign` and `sealstone verify-sig`; `sealstone keygen` makes one that decrypts; one of SSH opens files of age (--format age) if it is Ed25519 or RSA"
            }
            Self::EncryptionKey => {
                "this key is for encryption, and signs nothing: `sealstone keygen --sign -o FILE` makes one that signs"
            }
            Self::SigningKeyOfSigner => "this is a private key: `sealstone key public FILE` prints its public key",
            Self::SignerOfSigningKey => {
                "this is a public key, which others verify with: name the file of its private key"
            }
            Self::PublicKeyOfSsh => "this is a public key of SSH: name the file of its private key",
            Self::AllowedSigners => "this looks like a file of allowed signers: name it with --signers",
            Self::OpenPgpKey => {
                "this is a file of gpg (OpenPGP), whose keys are not taken: `sealstone keygen --sign` makes a key that signs"
            }
            Self::SshCertificate => {
                "this is a certificate of SSH: name the key that it is of, without -cert in its name"
            }
            Self::Minisign => {
                "this is of minisign or signify, whose keys are not taken: `sealstone keygen` makes a key, with --sign one that signs"
            }
            Self::Base64OfDer => {
                "this is base64 of a key in DER, which is read without it: (umask 077; base64 -d FILE > key.der)"
            }
            Self::Base64OfDigits => {
                "if this is base64 of a key of SM2, its digits are read: (umask 077; base64 -d FILE | xxd -p -c 65 > key.hex)"
            }
            Self::DigitsOfDer => {
                "these are the digits of a key in DER, which is read as bytes: (umask 077; xxd -r -p FILE > key.der)"
            }
            Self::SigningKeyOfNkcs => {
                "this key signs as nkCryptoTool does, and not otherwise: `sealstone sign --format nkcs -k FILE` takes it"
            }
            Self::IdentityOfNkct => {
                "this key opens files of nkCryptoTool, and no others: `sealstone decrypt -i FILE` takes it for those"
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    pub(crate) fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn io(action: &'static str, path: Option<&Path>, source: io::Error) -> Self {
        Self::Core(Error::Io { action, path: path.map(Path::to_path_buf), source })
    }

    /// The same with this hint.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self::Hinted { failure: Box::new(self), hint: hint.into() }
    }

    /// The same, on something in the place of a recipient.
    pub(crate) fn instead(self, what: Option<Instead>) -> Self {
        match what {
            Some(what) => Self::Instead { failure: Box::new(self), what },
            None => self,
        }
    }

    /// The same, when an option asks for it.
    pub(crate) fn of_option(error: Error) -> Self {
        Self::OfOption(Box::new(error.into()))
    }

    /// The same in other words.
    pub(crate) fn worded(self, message: impl Into<String>) -> Self {
        Self::Worded { failure: Box::new(self), message: message.into() }
    }

    /// The same, with what this command makes of an input that is no sealed file.
    pub(crate) fn of_command(self, command: &str) -> Self {
        match self.error() {
            Some(Error::NotSealstone(guess)) => {
                let hint = of_foreign(*guess, self.input(), command);
                self.with_hint(hint)
            }
            _ => self,
        }
    }

    /// The same, when it happened on this input.
    pub(crate) fn on(self, input: Option<&Path>) -> Self {
        match (self, input) {
            (Self::Hinted { failure, hint }, input) => Self::Hinted { failure: Box::new(failure.on(input)), hint },
            (Self::Worded { failure, message }, input) => {
                Self::Worded { failure: Box::new(failure.on(input)), message }
            }
            (Self::Instead { failure, what }, input) => Self::Instead { failure: Box::new(failure.on(input)), what },
            (Self::Core(error), Some(input)) => Self::On { input: input.to_path_buf(), error },
            (Self::WrongPassphrase { of: None, is_input }, input) => {
                Self::WrongPassphrase { of: input.map(Path::to_path_buf), is_input }
            }
            (failure, _) => failure,
        }
    }

    /// The input that it happened on.
    pub(crate) fn input(&self) -> Option<&Path> {
        match self {
            Self::On { input, .. } => Some(input),
            Self::WrongPassphrase { of, is_input: true } => of.as_deref(),
            Self::Instead { failure, .. }
            | Self::Hinted { failure, .. }
            | Self::Worded { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.input(),
            _ => None,
        }
    }

    /// The core's error, if it is one.
    pub(crate) fn error(&self) -> Option<&Error> {
        match self {
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => Some(error),
            Self::Instead { failure, .. }
            | Self::Hinted { failure, .. }
            | Self::Worded { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.error(),
            Self::WrongPassphrase { .. } => Some(&Error::WrongPassphrase),
            Self::Usage { .. } | Self::Several { .. } | Self::Checked { .. } => None,
        }
    }

    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => error.code(),
            Self::WrongPassphrase { .. } => Error::WrongPassphrase.code(),
            Self::Instead { failure, .. }
            | Self::Hinted { failure, .. }
            | Self::Worded { failure, .. }
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
            Self::In { file, error } => format!("{file}: {error}"),
            Self::On { error, .. } if names_a_file(error) => error.to_string(),
            Self::On { input, error } => format!("{}: {error}", escape_name(input)),
            Self::Worded { failure, message } => match failure.input() {
                Some(input) => format!("{}: {message}", escape_name(input)),
                None => message.clone(),
            },
            Self::Instead { failure, .. }
            | Self::Hinted { failure, .. }
            | Self::OfOption(failure)
            | Self::OfKeys(failure) => failure.message(),
            Self::Usage { message, .. } | Self::Checked { message, .. } => message.clone(),
            Self::Several { failed, of } => format!("{failed} of {} failed", counted(*of, "file")),
        }
    }

    /// Whether a passphrase was wrong, or could not be had.
    pub(crate) fn is_of_passphrase(&self) -> bool {
        matches!(self.error(), Some(Error::WrongPassphrase | Error::PassphraseRequired))
    }

    /// Whoever reads our output has gone: that is for them to know.
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
            | "invalid_namespace"
            | "invalid_comment"
            | "invalid_signer" => 2,
            "no_matching_identity" | "unknown_signer" => 3,
            "not_sealstone"
            | "unsupported_version"
            | "unsupported_suite"
            | "malformed_header"
            | "malformed_armour"
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
            | "malformed_checksums" => 4,
            "some_failed" => 5,
            _ => 1,
        })
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Usage { hint, .. } => return hint.clone(),
            Self::Hinted { hint, .. } => return Some(hint.clone()),
            Self::Instead { what, .. } => what.hint(),
            Self::Worded { failure, .. } | Self::OfOption(failure) | Self::OfKeys(failure) => return failure.hint(),
            Self::Several { .. } | Self::Checked { .. } => return None,
            Self::WrongPassphrase { .. } => "type it again: case, spaces and the layout of the keyboard matter",
            Self::Core(error) | Self::In { error, .. } | Self::On { error, .. } => match error {
                Error::NotSealstone(guess) => return Some(of_foreign(*guess, self.input(), "decrypt")),
                Error::UnsupportedVersion(_) | Error::UnsupportedSuite(_) => "a newer sealstone may read it",
                // The text says it.
                Error::MalformedArmour(Text::IS_UTF16) | Error::MalformedSignature(Text::IS_UTF16) => return None,
                Error::MalformedArmour(_) => {
                    "copy the text again, from the BEGIN line to the END line, into a file of its own"
                }
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
                    "use post-quantum recipients (hybrid, ml-kem-768) only, or accept the weakest with --allow-mixed"
                }
                Error::SameFile(_) => "name another output with -o, or replace the file with --in-place",
                Error::OutputExists(_) => "replace it with --force, or name another output with -o",
                Error::HardLinks(_) => "replace it under this name alone with --force",
                Error::NotRegularFile { kind: "a symbolic link", .. } => "name the file that it leads to",
                Error::InputChanged(_) => "try again when nothing writes to it",
                Error::TooMuchToHold(_) => "name a file with -o FILE",
                Error::PluginFailed { plugin, fault: PluginFault::Missing } => {
                    return Some(format!(
                        "install the program age-plugin-{plugin} in a folder of PATH whose name is absolute"
                    ));
                }
                Error::PluginFailed { fault: PluginFault::Silent(_), .. } => {
                    "--plugin-timeout SECONDS lets it take longer, if it waits for somebody"
                }
                Error::PluginFailed { .. } => return None,
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
                error => match of_signatures(error) {
                    Some(hint) => hint,
                    None => of_keys(error)?,
                },
            },
        };
        Some(hint.to_owned())
    }
}

/// A name that a shell takes as it is.
pub(crate) fn plain_name(path: &Path) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    path.to_str().filter(|name| !name.is_empty() && !name.starts_with('-') && name.chars().all(plain))
}

/// The hint for what is no sealed file, and was given to this command: the program that it is for.
fn of_foreign(guess: Option<LooksLike>, input: Option<&Path>, command: &str) -> String {
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
        Some(LooksLike::Keys) => format!("keys are named with -i: sealstone {command} -i {file} SEALED_FILE"),
        Some(LooksLike::Gzip) => format!("unpack it first: gunzip -c {file} | sealstone decrypt …"),
        Some(LooksLike::Xz) => format!("unpack it first: xz -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Zstd) => format!("unpack it first: zstd -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Bzip2) => format!("unpack it first: bzip2 -dc {file} | sealstone decrypt …"),
        Some(LooksLike::Age) => format!("`sealstone decrypt {file}` opens files of age, too"),
        Some(LooksLike::Nkct) => format!("`sealstone decrypt {file}` opens files of nkCryptoTool, too"),
        Some(LooksLike::OpenPgp) => format!("gpg decrypts it: gpg -d {file}"),
        Some(LooksLike::SevenZip) => format!("7z unpacks it: 7z x {file}"),
        Some(LooksLike::Zip) => format!("unzip unpacks it: unzip {file}; 7z x {file} if it is encrypted with AES"),
        Some(LooksLike::OpenSslEnc) => {
            format!("openssl decrypts it, if you know the cipher: openssl enc -d -aes-256-cbc -pbkdf2 -in {file}")
        }
        Some(LooksLike::Cms) => format!("openssl decrypts it: openssl cms -decrypt -in {file} -inkey KEY.pem"),
        Some(LooksLike::NkctSignature) => {
            format!("it is for `sealstone verify-sig -k SIGNER --signature {file} CONTENT`")
        }
        Some(LooksLike::KeyBundle) if command == "rewrap" => {
            format!("it has recipients: sealstone rewrap -r {file} --fingerprint HEX SEALED_FILE")
        }
        Some(LooksLike::KeyBundle) => format!(
            "it has recipients: sealstone encrypt -r {file} --fingerprint HEX …; `sealstone inspect {file}` shows it"
        ),
        Some(LooksLike::Nkc1) => {
            "decrypt it with the build that wrote it, and encrypt it anew: each 64 KiB of it are under the same keystream, and nothing is authenticated".to_owned()
        }
        Some(LooksLike::TpmKey) => {
            "the TPM that wrapped it opens it, with nkCryptoTool on the same machine: decrypt the files there".to_owned()
        }
        Some(LooksLike::RedbDatabase) => {
            "the private keys of a keyring.db stand in it as PEM: docs/guide/from-nkcryptotool.md has the line that takes them out".to_owned()
        }
        Some(LooksLike::NkctMessage) => "nkCryptoTool itself opens what its chats, groups and inboxes exchange".to_owned(),
        None if input.and_then(Path::extension).is_some_and(|ending| ending == "sig") => {
            "signatures are for `sealstone verify-sig -k SIGNER FILE`".to_owned()
        }
        Some(LooksLike::Quoted) => format!("take that away: sed 's/^> *//' {file}"),
        Some(LooksLike::Empty) => "the program that should have written it may have failed".to_owned(),
        _ => {
            let others = if command == "rewrap" { " and age" } else { ", age and nkCryptoTool" };
            format!("{command} takes files of Sealstone{others}; `file` may tell what this is")
        }
    }
}

/// The hints about signatures of files.
fn of_signatures(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::NotASignature(SignatureForm::Attached) => {
            "a signature in a file of its own is for verify-sig FILE SIG, without --attached"
        }
        Error::NotASignature(SignatureForm::Nkcs) => {
            "without a header, a signature of nkCryptoTool has 2420, 3309 or 4627 bytes, or is DER of two numbers"
        }
        Error::NotASignature(_) => {
            "a signature of `sealstone sign` or `ssh-keygen -Y sign` begins with -----BEGIN SSH SIGNATURE-----; one at the end of a file is for --attached"
        }
        Error::MalformedSignature(_) => "copy the signature again, from the BEGIN line to the END line",
        Error::UnsupportedSignature(_) => "a newer sealstone may read it, or the ssh-keygen that made it",
        Error::WrongNamespace { .. } => {
            "it was made for another purpose: if that is the one you expect, name it with --namespace"
        }
        Error::UnknownSigner { .. } => {
            "the signature claims this key, which proves nothing: if it is the signer's, get it from them, and name it"
        }
        Error::InvalidSignature(_) => "the file or its signature was changed: fetch both again",
        Error::InvalidNamespace(_) => {
            "a namespace has 1 to 255 visible characters of ASCII without a comma, and does not begin with sealstone-"
        }
        Error::InvalidComment(_) => {
            "a comment is one line of 1 to 1,024 bytes, without control characters; leave out --comment for none"
        }
        Error::InvalidSigner(KeyFault::PrivateKey) => "`sealstone key public FILE` prints the public key",
        Error::InvalidSigner(KeyFault::Utf16) => return None,
        Error::InvalidSigner(KeyFault::PublicKey) => "name the file of the private key",
        Error::InvalidSigner(_) => {
            "a key that signs is PEM, DER or OpenSSH's own form, and its public key PEM, DER or a line of SSH, which `sealstone key public FILE` prints"
        }
        _ => return None,
    })
}

/// The hints about keys and recipients.
fn of_keys(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::InvalidRecipients(RecipientsRule::Sm2Apart) => "encrypt twice, once to each kind",
        Error::InvalidRecipients(RecipientsRule::TakenBySuite) => "leave out --suite: the recipients decide",
        Error::InvalidRecipients(RecipientsRule::PluginApart) => {
            "encrypt to it alone; rewrap --replace makes it the only one"
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
            "put them into two files, or `sealstone key convert --to pem` those that have PEM"
        }
        Error::InvalidRecipient(KeyFault::CompressedDigits) => {
            "docs/guide/gm.md has a line of openssl that writes the whole point"
        }
        Error::InvalidRecipient(KeyFault::CompressedPoint | KeyFault::InvalidPoint) => {
            "openssl ec -pubin -in FILE -conv_form uncompressed -pubout writes the same key"
        }
        Error::InvalidIdentity(fault) if fault.is_other_half() => {
            "public keys are for encrypt -r: name the file of the private key"
        }
        Error::InvalidIdentity(KeyFault::DigitsOfPrivateKey) => {
            "some programs leave out zeros: put them before it, until there are 64; no 0x, no spaces"
        }
        Error::InvalidIdentity(KeyFault::OfPlugin) => {
            "such a key opens files (decrypt, verify, rewrap); its recipient is what the plugin printed when it made the key, as in a line # recipient: …"
        }
        Error::InvalidIdentity(KeyFault::SignByte) => {
            "leave the 00 out if it is a private key; of a public key docs/guide/gm.md writes the whole point"
        }
        Error::InvalidIdentity(KeyFault::FileName) => "name that file itself with -i",
        Error::InvalidRecipient(KeyFault::FileName) => "name that file itself with -R",
        Error::InvalidIdentity(KeyFault::NoKey | KeyFault::UnknownIdentity) => {
            "`sealstone keygen -o FILE` makes an identity file"
        }
        Error::InvalidIdentity(_) => "restore the file from a backup, if it once held a key",
        Error::InvalidRecipient(_) => {
            "a recipient is one line that begins with age1, a public key as PEM, DER or JWK, or the 128 or 130 digits of an SM2 key, without 0x and spaces; `sealstone recipients FILE` prints those of an identity file"
        }
        Error::UnsupportedKey(what) => of_unsupported(*what),
        Error::NotInProfile(ProfileRule::GmSuite) => {
            "the profile is for files of the suite sm4-gcm, which --suite sm4-gcm makes; without --profile all is allowed"
        }
        Error::NotInProfile(ProfileRule::GmKinds) => {
            "name a key of the profile, which `sealstone keygen --kind sm2` makes; without --profile all is allowed"
        }
        Error::NotInProfile(ProfileRule::FipsSuite) => {
            "encrypt with --suite aes-256-gcm; without --profile all is allowed"
        }
        Error::NotInProfile(ProfileRule::FipsSigners) => {
            "`sealstone keygen --kind p256-sign` makes a key of the profile; without --profile all is allowed"
        }
        Error::NotInProfile(ProfileRule::GmSigners) => {
            "`sealstone keygen --kind sm2-sign` makes a key of the profile; without --profile all is allowed"
        }
        Error::NotInProfile(_) => {
            "`sealstone keygen --kind ml-kem-768` makes a key of the profile; without --profile all is allowed"
        }
        _ => return None,
    })
}

/// The hints about keys that are well-formed and not read.
fn of_unsupported(what: UnsupportedKey) -> &'static str {
    match what {
        UnsupportedKey::Certificate => {
            "take the key alone: openssl pkey -in FILE for a private one, openssl x509 -in FILE -pubkey -noout for a public one, openssl req for one in a request"
        }
        UnsupportedKey::CurveByParameters => {
            "name the curve, if it is P-256: openssl ec -in FILE -param_enc named_curve"
        }
        UnsupportedKey::PemOneLine => {
            "give its lines back: (umask 077; awk '{gsub(/-----[A-Z0-9 ]*-----/, \"\\n&\\n\"); print}' FILE > key.pem)"
        }
        UnsupportedKey::PemEscaped => "write them as line ends: (umask 077; printf '%b\\n' \"$(cat FILE)\" > key.pem)",
        UnsupportedKey::Pkcs12 => {
            "take the key out: openssl pkcs12 -in FILE -nocerts -out key.pem, or -nokeys -clcerts and openssl x509 -pubkey -noout for the public one"
        }
        UnsupportedKey::BareSeed => {
            "OpenSSL writes the usual form: openssl pkey -provparam ml-kem.output_formats=seed-priv -provparam ml-dsa.output_formats=seed-priv -in FILE -out key.pem"
        }
        UnsupportedKey::RsaForm => "ssh-keygen -t ed25519 makes another key",
        UnsupportedKey::SshEncryption => "ssh-keygen -p -Z aes256-ctr -f FILE encrypts it as it is read here",
        UnsupportedKey::JwkSet => "take one key out of the set",
        UnsupportedKey::Encryption | UnsupportedKey::PemHeaders => {
            "convert it: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem, or ssh-keygen -p -f FILE of a key of SSH"
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
            "files of nkCryptoTool take it: `sealstone encrypt --format nkct -r FILE`, and `sealstone decrypt -i FILE`"
        }
        UnsupportedKey::SignerKind => "`sealstone keygen --sign` makes a key that signs files",
        _ => "it cannot be used here: `sealstone keygen` makes a key that can",
    }
}

/// Whether the message says which file it is about.
fn names_a_file(error: &Error) -> bool {
    matches!(
        error,
        Error::Io { path: Some(_), .. }
            | Error::SameFile(_)
            | Error::OutputExists(_)
            | Error::HardLinks(_)
            | Error::NotRegularFile { .. }
            | Error::InputChanged(_)
    )
}
