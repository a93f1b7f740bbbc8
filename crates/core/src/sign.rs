//! Signatures of data: a private key signs, and its public key verifies.
//!
//! ```
//! use sealstone::sign::{Kind, PrivateKey};
//!
//! let key = PrivateKey::generate(Kind::HybridSign)?;
//! let signature = key.sign(b"attack at dawn")?;
//! key.public_key().verify(b"attack at dawn", &signature)?;
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! A key has one kind, which determines how it signs. [`Options`] are the choices that a kind leaves open.

// This module knows no form of keys: `key/sign.rs` has the algorithm of each kind. `file/signature/blob.rs` has the hash
// functions of the kinds that sign files. Every failed verification gives the same error, and a kind refuses an option that
// it lacks.

mod composite;
mod numbers;
mod options;
mod streamed;

use crate::debug::Hex;
use crate::ed25519;
use crate::error::{Error, Result};
use crate::provider::{Curve, Ecdsa, EcdsaPublic, MlDsa, MlDsaExpanded, MlDsaPublic, MlDsaSet, Rsa, RsaPublic};
use crate::random;
use crate::reserved::{RESERVED, is_reserved};
use crate::rsa;
use crate::sm2;
use composite::{Composite, CompositePublic};
pub use options::{Encoding, Hash, Options, Scheme};
use std::sync::Arc;
pub(crate) use streamed::{ExpandedKey, Mu, ml_dsa_of_len};
use zeroize::Zeroizing;

/// The most bytes of a context (FIPS 204 section 5.2).
pub const CONTEXT_MAX_LEN: usize = 255;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal $(if $feature:literal)?;)+) => {
        /// A kind of key that signs.
        ///
        /// ```
        /// use sealstone::sign::Kind;
        ///
        /// assert_eq!("ml-dsa-65".parse::<Kind>()?, Kind::MlDsa65);
        /// # Ok::<(), sealstone::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`:", $($doc),+)] $variant,)+
        }

        named_enum!(Kind { $($variant = $name $(if $feature)?,)+ });

        impl Kind {
            /// A description of the kind, in one line.
            ///
            /// ```
            /// assert!(sealstone::sign::Kind::Ed25519.description().starts_with("Ed25519"));
            /// ```
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii().trim_end_matches('.'),)+ }
            }
        }
    };
}

kinds! {
    /// Ed25519 (RFC 8032), as strictly as it allows.
    Ed25519 = "ed25519";
    /// ECDSA (FIPS 186-5) on P-256.
    P256Sign = "p256-sign";
    /// ECDSA on P-384.
    P384Sign = "p384-sign";
    /// ECDSA on P-521.
    P521Sign = "p521-sign";
    /// ECDSA on the curve of Bitcoin (SEC 2).
    Secp256k1 = "secp256k1";
    /// RSA (RFC 8017) with 2,048 to 8,192 bits: PSS, or PKCS#1 v1.5.
    RsaSign = "rsa-sign";
    /// ML-DSA-44 (FIPS 204); post-quantum.
    MlDsa44 = "ml-dsa-44";
    /// ML-DSA-65; post-quantum.
    MlDsa65 = "ml-dsa-65";
    /// ML-DSA-87; post-quantum.
    MlDsa87 = "ml-dsa-87";
    /// ML-DSA-65 and Ed25519 together (id-MLDSA65-Ed25519-SHA512), secure as long as either holds.
    HybridSign = "hybrid-sign";
    /// ML-DSA-44 and Ed25519 together, likewise.
    Hybrid44Sign = "hybrid44-sign";
    /// SM2 (GB/T 32918.2), the signatures of Chinese commercial cryptography.
    Sm2Sign = "sm2-sign" if "gm";
}

/// The algorithm of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Ed25519,
    Ecdsa(Curve),
    Rsa,
    MlDsa(MlDsaSet),
    Composite(MlDsaSet),
    Sm2,
}

impl Kind {
    fn family(self) -> Family {
        match self {
            Self::Ed25519 => Family::Ed25519,
            Self::P256Sign => Family::Ecdsa(Curve::P256),
            Self::P384Sign => Family::Ecdsa(Curve::P384),
            Self::P521Sign => Family::Ecdsa(Curve::P521),
            Self::Secp256k1 => Family::Ecdsa(Curve::Secp256k1),
            Self::RsaSign => Family::Rsa,
            Self::MlDsa44 => Family::MlDsa(MlDsaSet::MlDsa44),
            Self::MlDsa65 => Family::MlDsa(MlDsaSet::MlDsa65),
            Self::MlDsa87 => Family::MlDsa(MlDsaSet::MlDsa87),
            Self::HybridSign => Family::Composite(MlDsaSet::MlDsa65),
            Self::Hybrid44Sign => Family::Composite(MlDsaSet::MlDsa44),
            Self::Sm2Sign => Family::Sm2,
        }
    }

    /// Bytes of a private key, as [`PrivateKey::to_bytes`] returns it; `None` for RSA, whose keys vary in length.
    ///
    /// ```
    /// assert_eq!(sealstone::sign::Kind::P521Sign.private_len(), Some(66));
    /// ```
    #[must_use]
    pub fn private_len(self) -> Option<usize> {
        match self.family() {
            Family::Ed25519 => Some(ed25519::SEED_LEN),
            Family::Ecdsa(curve) => Some(curve.len()),
            Family::Rsa => None,
            Family::MlDsa(_) => Some(SEED_LEN),
            Family::Composite(_) => Some(composite::PRIVATE_LEN),
            Family::Sm2 => Some(sm2::PRIVATE_KEY_LEN),
        }
    }

    /// Bytes of a public key, as [`PublicKey::to_bytes`] returns it; `None` for RSA.
    ///
    /// ```
    /// assert_eq!(sealstone::sign::Kind::MlDsa65.public_len(), Some(1952));
    /// ```
    #[must_use]
    pub fn public_len(self) -> Option<usize> {
        match self.family() {
            Family::Ed25519 => Some(ed25519::PUBLIC_KEY_LEN),
            Family::Ecdsa(curve) => Some(1 + 2 * curve.len()),
            Family::Rsa => None,
            Family::MlDsa(set) => Some(ml_dsa_public_len(set)),
            Family::Composite(set) => Some(ml_dsa_public_len(set) + ed25519::PUBLIC_KEY_LEN),
            Family::Sm2 => Some(sm2::PUBLIC_KEY_LEN),
        }
    }

    /// Whether quantum computers cannot forge signatures of this kind.
    #[must_use]
    pub fn is_post_quantum(self) -> bool {
        matches!(self.family(), Family::MlDsa(_) | Family::Composite(_))
    }

    /// Whether keys of this kind sign files, as [`signature`](crate::signature) does.
    ///
    /// ```
    /// use sealstone::sign::Kind;
    ///
    /// assert!(Kind::HybridSign.signs_files());
    /// assert!(!Kind::RsaSign.signs_files());
    /// ```
    #[must_use]
    pub fn signs_files(self) -> bool {
        use Kind::{Ed25519, Hybrid44Sign, HybridSign, MlDsa65, P256Sign, Sm2Sign};
        matches!(self, Ed25519 | P256Sign | MlDsa65 | HybridSign | Hybrid44Sign | Sm2Sign)
    }

    /// Bytes of a signature, with numbers as r ‖ s; `None` for RSA.
    pub(crate) fn signature_len(self) -> Option<usize> {
        match self.family() {
            Family::Ed25519 => Some(ed25519::SIGNATURE_LEN),
            Family::Ecdsa(curve) => Some(2 * curve.len()),
            Family::Rsa => None,
            Family::MlDsa(set) => Some(ml_dsa_signature_len(set)),
            Family::Composite(set) => Some(ml_dsa_signature_len(set) + ed25519::SIGNATURE_LEN),
            Family::Sm2 => Some(sm2::SIGNATURE_LEN),
        }
    }

    /// The options of signature files, which have numbers as r ‖ s.
    fn file_options(self) -> Options<'static> {
        match self.family() {
            Family::Ecdsa(_) | Family::Sm2 => Options::new().encoding(Encoding::Fixed),
            _ => Options::new(),
        }
    }
}

/// Bytes of a seed of ML-DSA.
const SEED_LEN: usize = 32;

/// Bytes of a public key of ML-DSA (FIPS 204 section 4, table 2).
fn ml_dsa_public_len(set: MlDsaSet) -> usize {
    match set {
        MlDsaSet::MlDsa44 => 1312,
        MlDsaSet::MlDsa65 => 1952,
        MlDsaSet::MlDsa87 => 2592,
    }
}

/// Bytes of a signature of ML-DSA (FIPS 204 section 4, table 2).
fn ml_dsa_signature_len(set: MlDsaSet) -> usize {
    match set {
        MlDsaSet::MlDsa44 => 2420,
        MlDsaSet::MlDsa65 => 3309,
        MlDsaSet::MlDsa87 => 4627,
    }
}

/// Expands a seed of ML-DSA to the private key that other software stores (FIPS 204 algorithm 24); `None` for other kinds, and
/// for another length.
pub(crate) fn expand(kind: Kind, seed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let Family::MlDsa(set) = kind.family() else { return None };
    Some(MlDsaExpanded::from_seed(set, seed.try_into().ok()?).to_bytes())
}

const DIFFERS: Error = Error::InvalidSignature("it is damaged, or belongs to another key, message or option");
const OF_SSH: Error =
    Error::InvalidKey("an SSH key signs files only, since its other signatures could be used to log in");
const NO_PRIVATE_KEY: Error = Error::InvalidKey("the private key is out of range, or damaged");
const NO_PUBLIC_KEY: Error = Error::InvalidKey("the key is not a valid public key of its kind");

/// A private key. Zeroed on drop, and never printed.
///
/// ```
/// use sealstone::sign::{Kind, PrivateKey};
///
/// let key = PrivateKey::generate(Kind::Ed25519)?;
/// let same = PrivateKey::from_bytes(Kind::Ed25519, &key.to_bytes())?;
/// assert_eq!(same.public_key(), key.public_key());
/// # Ok::<(), sealstone::Error>(())
/// ```
pub struct PrivateKey {
    bytes: Zeroizing<Vec<u8>>,
    signer: Signer,
    public: PublicKey,
    /// Whether the key signs only files.
    is_for_files: bool,
}

enum Signer {
    Ed25519(ed25519::PrivateKey),
    Ecdsa(Ecdsa),
    Rsa(Rsa),
    MlDsa(MlDsa),
    Composite(Composite),
    Sm2(sm2::PrivateKey),
}

debug!(|key: PrivateKey| "PrivateKey({}, ..)", key.kind());

impl PrivateKey {
    /// Generates a key; for RSA, of 3,072 bits.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::UnavailableBackend`] for RSA in WebAssembly, where the host has RSA, when AWS-LC
    /// fails to generate a key of RSA, and for SM2 when the environment forces a missing one.
    pub fn generate(kind: Kind) -> Result<Self> {
        let Some(len) = kind.private_len() else { return Self::generate_rsa(3072) };
        let mut bytes = Zeroizing::new(vec![0; len]);
        loop {
            random::fill(&mut bytes)?;
            // A number of P-521 has 521 bits. For P-256, one number in 2^32 is no private key.
            if kind == Kind::P521Sign {
                bytes[0] &= 1;
            }
            match Self::from_bytes(kind, &bytes) {
                Err(Error::InvalidKey(_)) => {}
                made => return made,
            }
        }
    }

    /// Generates a key of RSA, of 2,048, 3,072 or 4,096 bits. It takes from a tenth of a second to several seconds.
    ///
    /// ```
    /// use sealstone::sign::PrivateKey;
    ///
    /// assert_eq!(PrivateKey::generate_rsa(1024).unwrap_err().code(), "invalid_option");
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for another number; [`Error::NoRandomness`]; [`Error::UnavailableBackend`] as in
    /// [`generate`](Self::generate).
    pub fn generate_rsa(bits: u32) -> Result<Self> {
        Self::generate_rsa_while(bits, || true)
    }

    /// As [`generate_rsa`](Self::generate_rsa). Calls `go_on` after each of hundreds of candidates, and stops if it returns
    /// false. A panic in `go_on` ends the process.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `go_on` returns false; the errors of [`generate_rsa`](Self::generate_rsa).
    pub fn generate_rsa_while(bits: u32, go_on: impl FnMut() -> bool) -> Result<Self> {
        Self::from_bytes(Kind::RsaSign, &rsa::PrivateKey::generate_while(bits as usize, go_on)?.to_bytes())
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) returns.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`].
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        if let Some(expected) = kind.private_len().filter(|len| bytes.len() != *len) {
            return Err(Error::WrongLength { what: "the private key", expected, actual: bytes.len() });
        }
        let (signer, public) = match kind.family() {
            Family::Ed25519 => {
                let key = ed25519::PrivateKey::from_seed(bytes)?;
                let public = key.public_key().to_bytes().to_vec();
                (Signer::Ed25519(key), public)
            }
            Family::Ecdsa(curve) => {
                let (key, public) = Ecdsa::from_bytes(curve, bytes).ok_or(NO_PRIVATE_KEY)?;
                (Signer::Ecdsa(key), public)
            }
            Family::Rsa => {
                let public = rsa::public_of(bytes).ok_or(NO_PRIVATE_KEY)?;
                (Signer::Rsa(Rsa::from_pkcs1(bytes).ok_or(NO_PRIVATE_KEY)?), public)
            }
            Family::MlDsa(set) => {
                let (key, public) = MlDsa::from_seed(set, bytes.try_into().expect("sign: the length was checked"));
                (Signer::MlDsa(key), public)
            }
            Family::Composite(set) => {
                let (key, public) = Composite::from_bytes(set, bytes)?;
                (Signer::Composite(key), public)
            }
            Family::Sm2 => {
                let key = sm2::PrivateKey::from_bytes(bytes)?;
                let public = key.public_key().to_bytes().to_vec();
                (Signer::Sm2(key), public)
            }
        };
        let public = PublicKey::from_bytes(kind, &public)?;
        Ok(Self { bytes: Zeroizing::new(bytes.to_vec()), signer, public, is_for_files: false })
    }

    /// Restricts the key to signing files.
    pub(crate) fn for_files_only(self) -> Self {
        Self { is_for_files: true, ..self }
    }

    /// The key itself, a secret: the number for curves, the seed for Ed25519 and ML-DSA, both seeds for a hybrid key (ML-DSA's
    /// first), and PKCS#1 for RSA.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.bytes.clone()
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.public.kind()
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public.clone()
    }

    /// Bytes of the longest signature, in any encoding.
    ///
    /// ```
    /// use sealstone::sign::{Kind, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::P256Sign)?;
    /// assert!(key.sign(b"attack at dawn")?.len() <= key.signature_max_len());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn signature_max_len(&self) -> usize {
        match self.kind().family() {
            Family::Ed25519 => ed25519::SIGNATURE_LEN,
            Family::Ecdsa(curve) => numbers::max_len(curve.len()),
            Family::Rsa => rsa::modulus_len(self.public.to_bytes()),
            Family::MlDsa(set) => ml_dsa_signature_len(set),
            Family::Composite(set) => ml_dsa_signature_len(set) + ed25519::SIGNATURE_LEN,
            Family::Sm2 => numbers::max_len(sm2::SIGNATURE_LEN / 2),
        }
    }

    /// Signs a message, with the kind's default options. If others choose the message, put a prefix of your protocol before it.
    ///
    /// # Errors
    /// As [`sign_with`](Self::sign_with).
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        self.sign_with(&Options::new(), message)
    }

    /// Signs a message with options.
    ///
    /// ```
    /// use sealstone::sign::{Encoding, Kind, Options, PrivateKey};
    ///
    /// let key = PrivateKey::generate(Kind::P256Sign)?;
    /// let options = Options::new().encoding(Encoding::Fixed);
    /// let signature = key.sign_with(&options, b"attack at dawn")?;
    /// assert_eq!(signature.len(), 64);
    /// key.public_key().verify_with(&options, b"attack at dawn", &signature)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for an option that the kind does not have; [`Error::InvalidUserId`]; [`Error::NoRandomness`];
    /// [`Error::InvalidKey`] for a key in OpenSSH's form, which signs only files ([`signature`](crate::signature)), and for a
    /// message that begins like the signed data of signature files, ours or OpenSSH's: with `SSHSIG` or
    /// `CompositeAlgorithmSignatures2025`; [`Error::UnavailableBackend`] for RSA in WebAssembly, where the host has RSA.
    pub fn sign_with(&self, options: &Options<'_>, message: &[u8]) -> Result<Vec<u8>> {
        options.check(self.kind())?;
        if self.is_for_files {
            return Err(OF_SSH);
        }
        if is_reserved(message) {
            return Err(Error::InvalidKey(RESERVED));
        }
        self.sign_any(options, message)
    }

    /// Signs the data of a signature file, with numbers as r ‖ s.
    pub(crate) fn sign_of_file(&self, signed: &[u8]) -> Result<Vec<u8>> {
        self.sign_any(&self.kind().file_options(), signed)
    }

    fn sign_any(&self, options: &Options<'_>, message: &[u8]) -> Result<Vec<u8>> {
        let random = || random::array::<32>().map(Zeroizing::new);
        Ok(match &self.signer {
            Signer::Ed25519(key) => key.sign(message).to_vec(),
            Signer::Ecdsa(key) => {
                let hash = options.hash_of(self.kind());
                let random = if key.has_own_randomness(hash) { random::ask().map(|()| None)? } else { Some(random()?) };
                options.encode(key.sign(hash, message, random.as_deref()))
            }
            Signer::Rsa(key) => {
                rsa::check_available()?;
                random::ask()?;
                key.sign(options.padding(), options.hash_of(self.kind()), message)
            }
            Signer::MlDsa(key) => key.sign(options.context, message, &*random()?),
            Signer::Composite(key) => key.sign(options.context, message, &*random()?),
            Signer::Sm2(key) => options.encode(key.sign_any(options.user_id(), message)?.to_bytes().to_vec()),
        })
    }
}

/// A public key.
///
/// ```
/// use sealstone::sign::{Kind, PrivateKey, PublicKey};
///
/// let key = PrivateKey::generate(Kind::MlDsa44)?.public_key();
/// assert_eq!(PublicKey::from_bytes(Kind::MlDsa44, key.to_bytes())?, key);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct PublicKey(Arc<Public>);

struct Public {
    kind: Kind,
    bytes: Vec<u8>,
    verifier: Verifier,
}

enum Verifier {
    Ed25519(ed25519::PublicKey),
    Ecdsa(EcdsaPublic),
    Rsa(RsaPublic),
    MlDsa(MlDsaPublic, usize),
    Composite(CompositePublic),
    Sm2(sm2::PublicKey),
}

debug!(|key: PublicKey| "PublicKey({}, {})", key.kind(), Hex(key.to_bytes()));

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), self.to_bytes()) == (other.kind(), other.to_bytes())
    }
}

impl Eq for PublicKey {}

impl PublicKey {
    /// Reads the bytes that [`to_bytes`](Self::to_bytes) returns.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for bytes that are no public key of the kind.
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self> {
        if let Some(expected) = kind.public_len().filter(|len| bytes.len() != *len) {
            return Err(Error::WrongLength { what: "the public key", expected, actual: bytes.len() });
        }
        let verifier = match kind.family() {
            Family::Ed25519 => Verifier::Ed25519(ed25519::PublicKey::from_bytes(bytes)?),
            Family::Ecdsa(curve) => Verifier::Ecdsa(EcdsaPublic::from_bytes(curve, bytes).ok_or(NO_PUBLIC_KEY)?),
            Family::Rsa => {
                let key = if rsa::is_public(bytes) { RsaPublic::from_pkcs1(bytes) } else { None };
                Verifier::Rsa(key.ok_or(Error::InvalidKey("the key is not an RSA public key with 2048 to 8192 bits"))?)
            }
            Family::MlDsa(set) => {
                let key = MlDsaPublic::from_bytes(set, bytes).ok_or(NO_PUBLIC_KEY)?;
                Verifier::MlDsa(key, ml_dsa_signature_len(set))
            }
            Family::Composite(set) => Verifier::Composite(CompositePublic::from_bytes(set, bytes)?),
            Family::Sm2 => Verifier::Sm2(sm2::PublicKey::from_bytes(bytes)?),
        };
        Ok(Self(Arc::new(Public { kind, bytes: bytes.to_vec(), verifier })))
    }

    /// The key itself: an uncompressed point for curves, the bytes for Ed25519 and ML-DSA (in a hybrid key ML-DSA's first), and
    /// PKCS#1 for RSA.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Verifies a signature that was made without options. For Ed25519, also in hybrid keys, the rule is the same as in
    /// [signature files](crate::signature): that of [`ed25519::PublicKey::verify`](crate::ed25519::PublicKey::verify).
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], for any reason; [`Error::UnavailableBackend`] for RSA in WebAssembly, and for SM2 when the environment
    /// forces a missing one.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.verify_with(&Options::new(), message, signature)
    }

    /// Verifies a signature that was made with these options.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], for any reason, and for a message that [`PrivateKey::sign_with`] refuses;
    /// [`Error::InvalidOption`] for an option that the kind does not have; [`Error::InvalidUserId`];
    /// [`Error::UnavailableBackend`] as in [`verify`](Self::verify).
    pub fn verify_with(&self, options: &Options<'_>, message: &[u8], signature: &[u8]) -> Result<()> {
        options.check(self.kind())?;
        if is_reserved(message) {
            return Err(Error::InvalidSignature(RESERVED));
        }
        self.verify_any(options, message, signature)
    }

    /// Verifies the signature of a signature file, with numbers as r ‖ s.
    pub(crate) fn verify_of_file(&self, signed: &[u8], signature: &[u8]) -> Result<()> {
        self.verify_any(&self.kind().file_options(), signed, signature)
    }

    fn verify_any(&self, options: &Options<'_>, message: &[u8], signature: &[u8]) -> Result<()> {
        let is_valid = match &self.0.verifier {
            Verifier::Ed25519(key) => key.verify(message, signature).is_ok(),
            Verifier::Ecdsa(key) => {
                let signature = options.decode(self.kind(), signature);
                signature.is_some_and(|signature| key.verify(options.hash_of(self.kind()), message, &signature))
            }
            // A wrong length is invalid even in a build that does not compute RSA.
            Verifier::Rsa(_) if signature.len() != rsa::modulus_len(self.to_bytes()) => false,
            Verifier::Rsa(key) => {
                rsa::check_available()?;
                key.verify(options.padding(), options.hash_of(self.kind()), message, signature)
            }
            Verifier::MlDsa(key, len) => signature.len() == *len && key.verify(options.context, message, signature),
            Verifier::Composite(key) => key.verify(options.context, message, signature),
            Verifier::Sm2(key) => {
                let signature = options.decode(self.kind(), signature);
                let signature = signature.and_then(|signature| sm2::Signature::from_bytes(&signature).ok());
                match signature.map(|signature| key.verify_any(options.user_id(), message, &signature)) {
                    Some(Err(error @ (Error::InvalidUserId(_) | Error::UnavailableBackend(_)))) => return Err(error),
                    verified => matches!(verified, Some(Ok(()))),
                }
            }
        };
        if is_valid { Ok(()) } else { Err(DIFFERS) }
    }
}

#[cfg(all(test, feature = "gm"))]
#[path = "sign_tests.rs"]
pub(crate) mod tests;
