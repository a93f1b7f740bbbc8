//! Signing keys, and the signers that a run trusts: from files, from names and from the command line. This module also
//! reports verified signatures.

use crate::address_book::{self, Use};
use crate::application_key::ApplicationKey;
use crate::args::PassphraseSource;
use crate::failure::{Failure, Mistake};
use crate::fingerprint;
use crate::foreign;
use crate::identity_file::{
    IdentityFile, explain_nkcryptotool_key, in_file, in_key_file, warn_exposed, wrong_passphrase,
};
use crate::keyring::Keyring;
use crate::keys::NKCS_ONLY_KINDS;
use crate::passphrase;
use crate::plural::count_noun;
use crate::terminal::Terminal;
use sealstone::interop::{nkcs, nkct};
use sealstone::signature::{AllowedSigners, Signer, Signers, SigningKey, Verified};
use sealstone::{Error, KeyFault, Passphrase, Recipient, Restriction, UnsupportedKey, escape_name, sign};
use serde_json::{Value, json};
use std::path::Path;
use std::time::SystemTime;
use zeroize::Zeroizing;

/// A file with a signing key.
pub(crate) struct SigningFile {
    pub(crate) key: SigningKey,
    /// The content of the file, for parsing it as another type of key.
    pub(crate) text: Zeroizing<Vec<u8>>,
    /// The passphrase of the key, if it is encrypted.
    pub(crate) passphrase: Option<Passphrase>,
}

impl SigningFile {
    fn open(
        text: Zeroizing<Vec<u8>>,
        is_exposed: bool,
        path: &Path,
        known: Option<Passphrase>,
        source: &PassphraseSource,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let name = escape_name(path);
        let parse = |passphrase: Option<&Passphrase>| SigningKey::parse(&text, passphrase);
        let (found, passphrase) = passphrase::open_with_passphrase(known, source, &name, |error| error, parse)?;
        let key = found.map_err(|error| {
            if matches!(error, Error::WrongPassphrase) {
                return wrong_passphrase(path);
            }
            match identify_non_signing_key(&text, passphrase.as_ref()) {
                None => explain_nkcryptotool_key(&name, &text, passphrase.as_ref(), UnsupportedKey::SignerKind)
                    .unwrap_or_else(|| in_file(&name, error)),
                what => in_file(&name, error).with_mistake(what),
            }
        })?;
        if is_exposed {
            warn_exposed(&name, terminal);
        }
        Ok(Self { key, text, passphrase })
    }

    /// The key as a `sign::PrivateKey`, which can be written in all forms.
    pub(crate) fn private_key(&self) -> Result<sign::PrivateKey, Error> {
        sign::PrivateKey::parse(&self.text, self.passphrase.as_ref())
    }
}

/// Reads the signing key in a file.
pub(crate) fn read_signing_key(path: &Path, keys: &mut Keyring<'_>) -> Result<SigningKey, Failure> {
    let (text, is_exposed) = keys.read(path)?;
    SigningFile::open(text, is_exposed, path, None, keys.source, keys.terminal).map(|file| file.key)
}

/// Reads the key in a file that signs in nkCryptoTool's format.
pub(crate) fn read_nkcs_signing_key(path: &Path, keys: &mut Keyring<'_>) -> Result<nkcs::SigningKey, Failure> {
    let (text, is_exposed) = keys.read(path)?;
    let name = escape_name(path);
    let parse = |passphrase: Option<&Passphrase>| nkcs::SigningKey::parse(&text, passphrase);
    let (found, passphrase) = passphrase::open_with_passphrase(None, keys.source, &name, |error| error, parse)?;
    let key = found.map_err(|error| match error {
        Error::WrongPassphrase => wrong_passphrase(path),
        error => {
            let passphrase = passphrase.as_ref();
            let opens = || nkct::Identity::parse(&text, passphrase).is_ok().then_some(Mistake::EncryptionKey);
            in_file(&name, error).with_mistake(identify_non_signing_key(&text, passphrase).or_else(opens))
        }
    })?;
    if is_exposed {
        warn_exposed(&name, keys.terminal);
    }
    Ok(key)
}

/// The signers that a run trusts.
#[derive(Default)]
pub(crate) struct TrustedSigners {
    pub(crate) signers: Vec<Signer>,
    /// Signers of nkCryptoTool files only.
    pub(crate) of_nkcs: Vec<NkcsSigner>,
}

/// An ML-DSA-44 or ML-DSA-87 key, which signs only in nkCryptoTool's format.
#[derive(Clone)]
pub(crate) struct NkcsSigner {
    file: String,
    pub(crate) key: sign::PublicKey,
}

impl NkcsSigner {
    /// Parses the key in a file, if it is of such a kind.
    fn of(bytes: &[u8], path: &Path) -> Option<Self> {
        let key = sign::PublicKey::parse(bytes).ok()?;
        NKCS_ONLY_KINDS.contains(&key.kind()).then(|| Self { file: escape_name(path), key })
    }

    /// The failure if a signature of another format needs this key.
    pub(crate) fn refusal(&self) -> Failure {
        in_file(&self.file, UnsupportedKey::SignerKind.into())
    }
}

/// The signers that `-k` or `--from` names.
pub(crate) fn read_signers(named: &[String], keys: &mut Keyring<'_>) -> Result<Vec<Signer>, Failure> {
    let trusted = read_trusted(named, keys)?;
    match trusted.of_nkcs.first() {
        Some(other) => Err(other.refusal()),
        None => Ok(trusted.signers),
    }
}

/// As [`read_signers`], with signers of nkCryptoTool files.
pub(crate) fn read_trusted(named: &[String], keys: &mut Keyring<'_>) -> Result<TrustedSigners, Failure> {
    let mut trusted = TrustedSigners::default();
    let found = &mut trusted.signers;
    for text in named {
        if let Some(name) = text.strip_prefix('@') {
            found.push(address_book::find_signer(name)?);
            keys.guard.protect(&address_book::record_path(name, Use::Signs)?);
            continue;
        }
        // A text is tried as a line with a key first, then as a file name.
        match Signers::parse(text) {
            Ok(signers) => found.extend(signers.iter().cloned()),
            Err(_) if text == "-" || Path::new(text).exists() => {
                let path = Path::new(text);
                let (bytes, _) = keys.read(path)?;
                match NkcsSigner::of(&bytes, path) {
                    Some(other) => trusted.of_nkcs.push(other),
                    None => found.extend(parse_signer_file(&bytes, path)?),
                }
            }
            Err(_) if address_book::find_signer(text).is_ok() => {
                return Err(Failure::usage_with_hint(
                    format!("{} is neither a signer nor the name of a file", escape_name(Path::new(text))),
                    format!("for the name that you keep, write @{text}"),
                ));
            }
            Err(error) => {
                return Err(Keyring::explain_not_a_file(text, error.error, identify_non_signer(text.as_bytes())));
            }
        }
    }
    Ok(trusted)
}

fn parse_signer_file(bytes: &[u8], path: &Path) -> Result<Vec<Signer>, Failure> {
    let found = Signers::parse(bytes);
    let found =
        found.map_err(|error| in_key_file(&escape_name(path), error).with_mistake(identify_non_signer(bytes)))?;
    Ok(found.iter().cloned().collect())
}

/// The signers that a file of allowed signers lists for a namespace now; there may be none.
pub(crate) fn read_allowed(
    path: &Path,
    principal: Option<&str>,
    namespace: &str,
    keys: &mut Keyring<'_>,
) -> Result<Signers, Failure> {
    let (bytes, _) = keys.read(path)?;
    let name = escape_name(path);
    let found = AllowedSigners::parse(&bytes).map_err(|error| {
        let is_utf16 = matches!(error.error, Error::InvalidSigner(KeyFault::Utf16));
        let failure = in_key_file(&name, error);
        if is_utf16 {
            return failure;
        }
        if Signers::parse(&bytes).is_ok() {
            return failure.with_hint(
                "each line must name the key's owner before the key; for a file of public keys alone, use -k",
            );
        }
        failure.with_hint("each line has one or more names, options and a key: see ALLOWED SIGNERS in `man ssh-keygen`")
    })?;
    if !found.skipped().is_empty() {
        let lines: Vec<String> = found.skipped().iter().map(ToString::to_string).collect();
        let count = count_noun(lines.len(), "line");
        keys.terminal
            .warn(&format!("{name}: left out {count} with keys that are not supported here: {}", lines.join(", ")));
    }
    Ok(found.signers(principal, namespace, SystemTime::now()))
}

/// The signer as an SSH line.
pub(crate) fn format_line(signer: &Signer) -> String {
    signer.to_line("").expect("signers: no comment is one line")
}

/// Identifies a file that is not a signer.
fn identify_non_signer(bytes: &[u8]) -> Option<Mistake> {
    if looks_like_signing_key(bytes) {
        Some(Mistake::SigningKeyOfSigner)
    } else if sealstone::parse_recipients(bytes).is_ok() || is_identity(bytes, None) {
        Some(Mistake::EncryptionKey)
    } else if AllowedSigners::parse(bytes).is_ok() {
        Some(Mistake::AllowedSigners)
    } else if is_open_pgp(bytes) {
        Some(Mistake::OpenPgpKey)
    } else {
        foreign::identify(bytes)
    }
}

/// Identifies a file that is not a signing key.
fn identify_non_signing_key(bytes: &[u8], passphrase: Option<&Passphrase>) -> Option<Mistake> {
    if Signers::parse(bytes).is_ok() {
        Some(Mistake::SignerOfSigningKey)
    } else if sealstone::parse_recipients(bytes).is_ok() || is_identity(bytes, passphrase) {
        Some(Mistake::EncryptionKey)
    } else if is_open_pgp(bytes) {
        Some(Mistake::OpenPgpKey)
    } else {
        foreign::identify(bytes)
    }
}

/// Whether a file is an armored `OpenPGP` file.
pub(crate) fn is_open_pgp(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"-----BEGIN PGP ")
}

/// Whether a file has a private signing key; an encrypted key may be one.
fn looks_like_signing_key(bytes: &[u8]) -> bool {
    matches!(SigningKey::parse(bytes, None), Ok(_) | Err(Error::PassphraseRequired))
}

/// Whether a file has identities; an encrypted key may be one.
fn is_identity(bytes: &[u8], passphrase: Option<&Passphrase>) -> bool {
    match sealstone::parse_identities(bytes, passphrase) {
        Ok(_) => true,
        Err(error) => matches!(error.error, Error::PassphraseRequired),
    }
}

/// The keys of a file, by their use.
pub(crate) enum FoundKeys {
    Identities(IdentityFile),
    Recipients(Vec<Recipient>),
    SigningKey(SigningFile),
    Signers(Vec<Signer>),
    Application(ApplicationKey),
}

/// The keys of a file or a name. If the form does not tell the use of a key, `is_signing` does.
pub(crate) fn read_keys(path: &Path, is_signing: bool, keys: &mut Keyring<'_>) -> Result<FoundKeys, Failure> {
    if let Some(name) = path.to_str().and_then(|text| text.strip_prefix('@'))
        && !path.exists()
    {
        let of = if is_signing
            || !address_book::has_record(name, Use::Encrypts)? && address_book::has_record(name, Use::Signs)?
        {
            Use::Signs
        } else {
            Use::Encrypts
        };
        keys.guard.protect(&address_book::record_path(name, of)?);
        return match of {
            Use::Encrypts => Ok(FoundKeys::Recipients(vec![address_book::find(name)?])),
            Use::Signs => Ok(FoundKeys::Signers(vec![address_book::find_signer(name)?])),
        };
    }
    let (bytes, is_exposed) = keys.read(path)?;
    let is_signer = || Signers::parse(&bytes).is_ok();
    if is_signer() && (is_signing || sealstone::parse_recipients(&bytes).is_err()) {
        return parse_signer_file(&bytes, path).map(FoundKeys::Signers);
    }
    // Only the passphrase reveals the type of an encrypted key.
    let parse = |passphrase: Option<&Passphrase>| SigningKey::parse(&bytes, passphrase);
    let (_, known) = passphrase::open_with_passphrase(None, keys.source, &escape_name(path), |error| error, parse)?;
    if let Some(key) = ApplicationKey::of(&bytes, known.as_ref()).filter(|key| key.can_sign() || !is_signing) {
        if key.is_secret() && is_exposed {
            warn_exposed(&escape_name(path), keys.terminal);
        }
        return Ok(FoundKeys::Application(key));
    }
    if looks_like_signing_key(&bytes) && (is_signing || !is_identity(&bytes, None)) {
        return SigningFile::open(bytes, is_exposed, path, known, keys.source, keys.terminal)
            .map(FoundKeys::SigningKey);
    }
    if is_signing {
        let (name, what) = (escape_name(path), identify_non_signer(&bytes));
        if let (None, Some(failure)) = (what, explain_nkcryptotool_key(&name, &bytes, None, UnsupportedKey::SignerKind))
        {
            return Err(failure);
        }
        let wrong = Error::InvalidSigner(KeyFault::Other("the file has no signing key"));
        return Err(in_file(&name, wrong).with_mistake(what));
    }
    if let Some(passphrase) = known {
        let known = Some(passphrase.clone());
        let found = IdentityFile::open_with(bytes.clone(), is_exposed, path, known, keys.source, keys.terminal);
        return match found {
            Err(Failure::Mistake { mistake: Mistake::SigningKey, .. }) => {
                let key = SigningKey::parse(&bytes, Some(&passphrase))?;
                if is_exposed {
                    warn_exposed(&escape_name(path), keys.terminal);
                }
                Ok(FoundKeys::SigningKey(SigningFile { key, text: bytes, passphrase: Some(passphrase) }))
            }
            found => found.map(FoundKeys::Identities),
        };
    }
    match keys.parse_keys(bytes, is_exposed, path)? {
        Ok(identities) => Ok(FoundKeys::Identities(identities)),
        Err(recipients) => Ok(FoundKeys::Recipients(recipients)),
    }
}

/// The signer of an input, as text and as JSON.
pub(crate) struct SignerReport {
    pub(crate) text: String,
    pub(crate) json: Value,
}

/// Names of signers.
#[derive(Clone, Default)]
pub(crate) struct Names(Vec<(String, Signer)>);

impl Names {
    /// The valid signers in the address book. If a key has two names, one that the user typed is preferred.
    pub(crate) fn load(asked: &[String]) -> Self {
        let mut names = address_book::names(Use::Signs).unwrap_or_default();
        names.sort_by_key(|name| !asked.iter().any(|asked| asked.strip_prefix('@') == Some(name)));
        Self(
            names.into_iter().filter_map(|name| Some((name.clone(), address_book::find_signer(&name).ok()?))).collect(),
        )
    }

    fn find(&self, key: &sign::PublicKey) -> Option<&str> {
        let found = self.0.iter().find(|(_, known)| known.public_key() == key);
        found.map(|(name, _)| name.as_str())
    }

    /// The name of the key with this fingerprint.
    pub(crate) fn find_by_fingerprint(&self, fingerprint: &str) -> Option<&str> {
        self.0.iter().find(|(_, known)| known.fingerprint() == fingerprint).map(|(name, _)| name.as_str())
    }

    /// Describes a verified signature of the file `input`.
    pub(crate) fn describe(
        &self,
        input: &str,
        signature: Option<&str>,
        namespace: &str,
        verified: &Verified,
    ) -> SignerReport {
        let signer = verified.signer();
        let (kind, fingerprint) = (signer.kind().name(), signer.fingerprint());
        let name = self.find(signer.public_key());
        // The comment is last, since it may have any words.
        let comment = verified.comment().map(|comment| format!("comment: {comment}"));
        let text = self.format_line(input, signer.public_key(), signer.principals(), comment);
        let json = json!({
            "event": "verified", "input": input, "signature": signature, "kind": kind, "fingerprint": fingerprint,
            "ssh_fingerprint": signer.ssh_fingerprint(), "name": name, "principals": signer.principals(),
            "namespace": namespace, "comment": verified.comment(),
        });
        SignerReport { text, json }
    }

    /// Describes a verified signature of nkCryptoTool. `signers` may include some of a file of allowed signers.
    pub(crate) fn describe_nkcs(
        &self,
        input: &str,
        signature: &str,
        signers: &Signers,
        verified: &nkcs::Verified,
    ) -> SignerReport {
        let key = verified.key();
        let signer = signers.iter().find(|signer| signer.public_key() == key);
        let principals = signer.and_then(Signer::principals);
        let text = self.format_line(input, key, principals, None);
        let json = json!({
            "event": "verified", "format": "nkcs", "input": input, "signature": signature, "kind": key.kind().name(),
            "fingerprint": key.fingerprint(), "ssh_fingerprint": signer.map(Signer::ssh_fingerprint),
            "name": self.find(key), "principals": principals, "version": verified.version(),
        });
        SignerReport { text, json }
    }

    fn format_line(
        &self,
        input: &str,
        key: &sign::PublicKey,
        principals: Option<&str>,
        last: Option<String>,
    ) -> String {
        let named = self.find(key).map(|name| format!("@{name}"));
        let shown = format!("{} {}", key.kind().name(), fingerprint::group_digits(&key.fingerprint()));
        let principals = principals.map(|text| format!("principals {}", escape_name(Path::new(text))));
        let parts: Vec<String> = named.into_iter().chain([shown]).chain(principals).chain(last).collect();
        format!("{input}: signed by {}", parts.join(", "))
    }
}

/// Adds hints to the failure of a signature by an unknown key, with the name that the key has in the address book. If
/// `has_no_signer`, no line of the file of allowed signers applies.
pub(crate) fn explain(failure: Failure, names: &Names, option: &str, has_no_signer: bool) -> Failure {
    let Some(error @ Error::UnknownSigner { fingerprint, withheld, .. }) = failure.error() else { return failure };
    let (known, withheld) = (names.find_by_fingerprint(fingerprint), withheld.as_ref().map(|line| line.restriction));
    let message = error.to_string().replace(&**fingerprint, &fingerprint::group_digits(fingerprint));
    let failure = failure.with_message(message);
    // No option should override the restriction in the file.
    if let Some(restriction) = withheld {
        return failure.with_hint(match restriction {
            Restriction::Principals => {
                "the file says that this key belongs to another principal than --principal names"
            }
            Restriction::Namespaces => {
                "the file allows this key for other purposes only: get a signature by a key for this purpose"
            }
            _ => {
                "get the newest file of allowed signers from its maintainer, or a signature by a key that is valid now"
            }
        });
    }
    if let Some(name) = known {
        let hint = format!("this is the key of @{name}: to trust it, add {option} @{name}");
        return failure.with_hint(hint);
    }
    if has_no_signer {
        return failure.with_hint(
            "no line of the allowed signers applies now, and none has this key: check their principals, namespaces, valid-after and valid-before",
        );
    }
    failure
}
