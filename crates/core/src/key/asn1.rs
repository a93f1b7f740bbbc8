//! Keys as DER: PKCS#8 (RFC 5958), plain and encrypted, `SubjectPublicKeyInfo` (RFC 5280) and SEC1 (RFC 5915), with the
//! algorithms of RFC 5480 (P-256), GB/T 35276 (SM2), RFC 8410 (X25519) and RFC 9935 (ML-KEM-768).

use super::{Identity, Kind, Recipient, pbes2};
use crate::error::{Error, Result};
use crate::kem::ml_kem_768::{EXPANDED_LEN, SEED_LEN, expand};
use crate::mac::equal;
use crate::password::{Passphrase, Work};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber, Tagged};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use pkcs8::{PrivateKeyInfo, PrivateKeyInfoRef};
use zeroize::Zeroizing;

/// The first byte of every form here.
pub(super) const SEQUENCE: u8 = 0x30;

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const PRIME256V1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const SM2P256V1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.301");
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const ED448: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.113");
const ML_KEM_512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.1");
const ML_KEM_1024: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.3");
const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
const ML_KEM_768: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.4.2");

/// Kinds that have strings only, or that are no public keys.
pub(super) const NO_FORM: Error =
    Error::UnsupportedKey("key format: only p256, ml-kem-768, sm2 and x25519 keys have PEM and DER forms");
pub(super) const RSA: Error = Error::UnsupportedKey("key type: RSA; use p256, ml-kem-768, sm2 or x25519");
const OTHER_CURVE: Error = Error::UnsupportedKey("key type: a curve other than P-256 and SM2's");
const CURVE_BY_PARAMETERS: Error =
    Error::UnsupportedKey("key format: its curve is given by parameters instead of by name");
const SIGNS: Error =
    Error::UnsupportedKey("key type: a signature key (Ed25519, Ed448); use p256, ml-kem-768, sm2 or x25519");
const OTHER_ML_KEM: Error = Error::UnsupportedKey("key type: ML-KEM of a size other than 768");
const OTHER_ALGORITHM: Error = Error::UnsupportedKey("key type: its algorithm is not P-256, ML-KEM-768, SM2 or X25519");
pub(super) const CERTIFICATE: Error = Error::UnsupportedKey("key format: a certificate, where a key is expected");
/// One half where the other is expected.
pub(super) const PRIVATE_HERE: &str = "this is a private key, where a public key is expected";
pub(super) const PUBLIC_HERE: &str = "this is a public key, where a private key is expected";
const NO_CURVE: &str = "the key does not name its curve";
const DAMAGED: &str = "the DER is damaged, or not a supported key";

/// The forms, told apart by the first two elements of the sequence that each of them is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    PrivateKeyInfo,
    EncryptedPrivateKeyInfo,
    EcPrivateKey,
    SubjectPublicKeyInfo,
    /// PKCS#1.
    RsaKey,
    Certificate,
}

impl Shape {
    /// `None` when it is none of them, or has bytes behind it.
    pub(super) fn of(der: &[u8]) -> Option<Self> {
        let any = AnyRef::from_der(der).ok()?;
        if any.tag() != Tag::Sequence {
            return None;
        }
        let mut reader = SliceReader::new(any.value()).ok()?;
        let first = AnyRef::decode(&mut reader).ok()?.tag();
        let second = AnyRef::decode(&mut reader).ok()?.tag();
        match (first, second) {
            (Tag::Integer, Tag::Sequence) => Some(Self::PrivateKeyInfo),
            (Tag::Integer, Tag::OctetString) => Some(Self::EcPrivateKey),
            (Tag::Integer, Tag::Integer) => Some(Self::RsaKey),
            (Tag::Sequence, Tag::OctetString) => Some(Self::EncryptedPrivateKeyInfo),
            (Tag::Sequence, Tag::Sequence) => Some(Self::Certificate),
            (Tag::Sequence, Tag::BitString) => Some(Self::SubjectPublicKeyInfo),
            _ => None,
        }
    }
}

/// RFC 5915 section 3. Parameters other than a curve's name are allowed here, so that they can be refused by name.
#[derive(Sequence)]
struct EcPrivateKey<'a> {
    version: u8,
    private_key: &'a OctetStringRef,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    parameters: Option<AnyRef<'a>>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    public_key: Option<BitStringRef<'a>>,
}

/// RFC 9935 section 6, the choice `both`.
#[derive(Sequence)]
struct SeedAndExpanded<'a> {
    seed: &'a OctetStringRef,
    expanded: &'a OctetStringRef,
}

/// `work` is that of the file which the key is in.
pub(super) fn read_identity(der: &[u8], passphrase: Option<&Passphrase>, work: &mut Work) -> Result<Identity> {
    match Shape::of(der) {
        Some(Shape::PrivateKeyInfo) => private_key_info(der).ok_or(Error::InvalidIdentity(DAMAGED))?,
        Some(Shape::EncryptedPrivateKeyInfo) => {
            let encrypted = pbes2::Encrypted::read(der)?;
            work.add(encrypted.work())?;
            let opened = encrypted.decrypt(passphrase.ok_or(Error::PassphraseRequired)?);
            // One answer for whatever is wrong behind the passphrase: several would be an oracle for whoever can write the
            // file. Attributes are refused there, since anything can hide in them.
            let read = opened.as_deref().filter(|der| !has_attributes(der)).and_then(|der| private_key_info(der));
            read.and_then(Result::ok).ok_or(Error::NoMatchingIdentity)
        }
        Some(Shape::EcPrivateKey) => ec_private_key(der, None),
        Some(Shape::RsaKey) => Err(RSA),
        Some(Shape::Certificate) => Err(CERTIFICATE),
        Some(Shape::SubjectPublicKeyInfo) => Err(Error::InvalidIdentity(PUBLIC_HERE)),
        None => Err(Error::InvalidIdentity(DAMAGED)),
    }
}

pub(super) fn read_recipient(der: &[u8]) -> Result<Recipient> {
    match Shape::of(der) {
        Some(Shape::SubjectPublicKeyInfo) => {}
        Some(Shape::RsaKey) => return Err(RSA),
        Some(Shape::Certificate) => return Err(CERTIFICATE),
        Some(_) => return Err(Error::InvalidRecipient(PRIVATE_HERE)),
        None => return Err(Error::InvalidRecipient(DAMAGED)),
    }
    let info = SubjectPublicKeyInfoRef::try_from(der).map_err(|_| Error::InvalidRecipient(DAMAGED))?;
    let kind = kind_of(&info.algorithm, Error::InvalidRecipient)?;
    let key = info.subject_public_key.as_bytes().ok_or(Error::InvalidRecipient(DAMAGED))?;
    if is_on_curve(kind) {
        match key.first() {
            Some(0) => return Err(Error::InvalidRecipient("the point is at infinity")),
            Some(2 | 3) => {
                return Err(Error::InvalidRecipient("the point is compressed: only uncompressed ones are read"));
            }
            _ => {}
        }
    }
    let (len, wrong) = match kind {
        Kind::MlKem768 => (1184, "the key is not in range (FIPS 203 section 7.2)"),
        Kind::X25519 => (32, "the point has low order"),
        _ => (65, "the point is not on the curve, or not uncompressed"),
    };
    if key.len() != len {
        return Err(Error::InvalidRecipient("the key has the wrong length"));
    }
    Recipient::from_bytes(kind, key).ok_or(Error::InvalidRecipient(wrong))
}

/// PKCS#8, version 1, with the public key where others expect it: within the private key of a curve.
pub(super) fn write_identity(kind: Kind, secret: &[u8], public: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let octets = |bytes| OctetStringRef::new(bytes).expect("asn1: keys are short");
    let inner = match kind {
        Kind::P256 | Kind::Sm2 => EcPrivateKey {
            version: 1,
            private_key: octets(secret),
            parameters: None,
            public_key: Some(BitStringRef::from_bytes(public).expect("asn1: keys are short")),
        }
        .to_der(),
        Kind::X25519 => octets(secret).to_der(),
        // The choice `seed`, [0] IMPLICIT OCTET STRING.
        Kind::MlKem768 => AnyRef::new(Tag::ContextSpecific { constructed: false, number: TagNumber(0) }, secret)
            .and_then(|seed| seed.to_der()),
        Kind::Hybrid | Kind::Key | Kind::Passphrase => return Err(NO_FORM),
    };
    let inner = Zeroizing::new(inner.expect("asn1: keys are short"));
    let info = PrivateKeyInfoRef::new(algorithm(kind)?, octets(&inner));
    Ok(Zeroizing::new(info.to_der().expect("asn1: keys are short")))
}

pub(super) fn write_recipient(kind: Kind, public: &[u8]) -> Result<Vec<u8>> {
    let subject_public_key = BitStringRef::from_bytes(public).expect("asn1: keys are short");
    let info = SubjectPublicKeyInfoRef { algorithm: algorithm(kind)?, subject_public_key };
    Ok(info.to_der().expect("asn1: keys are short"))
}

/// An `EncryptedPrivateKeyInfo` around a `PrivateKeyInfo`.
pub(super) fn encrypt(kind: Kind, der: &[u8], passphrase: &Passphrase) -> Result<Vec<u8>> {
    pbes2::encrypt(scheme(kind), der, passphrase)
}

/// How private keys of a kind are encrypted.
pub(super) fn scheme(kind: Kind) -> pbes2::Scheme {
    if kind == Kind::Sm2 { pbes2::Scheme::Sm3Sm4 } else { pbes2::Scheme::Sha256Aes256 }
}

fn algorithm(kind: Kind) -> Result<AlgorithmIdentifierRef<'static>> {
    let (oid, parameters) = match kind {
        Kind::P256 => (EC_PUBLIC_KEY, Some((&PRIME256V1).into())),
        Kind::Sm2 => (EC_PUBLIC_KEY, Some((&SM2P256V1).into())),
        Kind::X25519 => (X25519, None),
        Kind::MlKem768 => (ML_KEM_768, None),
        Kind::Hybrid | Kind::Key | Kind::Passphrase => return Err(NO_FORM),
    };
    Ok(AlgorithmIdentifierRef { oid, parameters })
}

fn kind_of(algorithm: &AlgorithmIdentifierRef<'_>, invalid: fn(&'static str) -> Error) -> Result<Kind> {
    match (algorithm.oid, algorithm.parameters) {
        (EC_PUBLIC_KEY, Some(curve)) => curve_of(curve),
        (EC_PUBLIC_KEY, None) => Err(invalid(NO_CURVE)),
        (X25519, None) => Ok(Kind::X25519),
        (ML_KEM_768, None) => Ok(Kind::MlKem768),
        (X25519 | ML_KEM_768, Some(_)) => Err(invalid("the algorithm has parameters where none are allowed")),
        (RSA_ENCRYPTION, _) => Err(RSA),
        (ED25519 | ED448, _) => Err(SIGNS),
        (ML_KEM_512 | ML_KEM_1024, _) => Err(OTHER_ML_KEM),
        _ => Err(OTHER_ALGORITHM),
    }
}

/// The kind of keys on a curve, which its parameters name.
fn curve_of(parameters: AnyRef<'_>) -> Result<Kind> {
    match parameters.decode_as::<ObjectIdentifier>() {
        Ok(PRIME256V1) => Ok(Kind::P256),
        Ok(SM2P256V1) => Ok(Kind::Sm2),
        _ if parameters.tag() == Tag::ObjectIdentifier => Err(OTHER_CURVE),
        _ => Err(CURVE_BY_PARAMETERS),
    }
}

/// Whether public keys of a kind are points that have a compressed form.
fn is_on_curve(kind: Kind) -> bool {
    matches!(kind, Kind::P256 | Kind::Sm2)
}

/// Whether anything but the four elements that a key needs stands in a `PrivateKeyInfo`.
fn has_attributes(der: &[u8]) -> bool {
    let elements = |der| {
        let any = AnyRef::from_der(der).ok()?;
        let mut reader = SliceReader::new(any.value()).ok()?;
        let mut tags = Vec::new();
        while !reader.is_finished() {
            tags.push(AnyRef::decode(&mut reader).ok()?.tag());
        }
        Some(tags)
    };
    let is_public_key = |tag: &Tag| matches!(tag, Tag::ContextSpecific { number: TagNumber(1), .. });
    elements(der).is_none_or(|tags| tags.iter().skip(3).any(|tag| !is_public_key(tag)) || tags.len() > 4)
}

/// Whether the bytes are parameters of a curve, by name or not.
pub(super) fn is_curve(der: &[u8]) -> bool {
    AnyRef::from_der(der).is_ok_and(|any| matches!(any.tag(), Tag::ObjectIdentifier | Tag::Sequence))
}

/// `None` when the bytes are no `PrivateKeyInfo` at all.
fn private_key_info(der: &[u8]) -> Option<Result<Identity>> {
    let info: PrivateKeyInfo<AnyRef<'_>, &OctetStringRef, BitStringRef<'_>> = PrivateKeyInfo::from_der(der).ok()?;
    Some(private_key(&info))
}

fn private_key(info: &PrivateKeyInfoRef<'_>) -> Result<Identity> {
    let kind = kind_of(&info.algorithm, Error::InvalidIdentity)?;
    let inner = info.private_key.as_bytes();
    let identity = match kind {
        Kind::X25519 => {
            let key = <&OctetStringRef>::from_der(inner).map_err(|_| Error::InvalidIdentity(DAMAGED))?;
            identity(kind, key.as_bytes())?
        }
        Kind::MlKem768 => identity(kind, ml_kem_seed(inner)?)?,
        _ => ec_private_key(inner, Some(kind))?,
    };
    match info.public_key {
        Some(public) => with_public(identity, public),
        None => Ok(identity),
    }
}

/// SEC1; `named` is the curve that stands around it in PKCS#8.
fn ec_private_key(der: &[u8], named: Option<Kind>) -> Result<Identity> {
    let key = EcPrivateKey::from_der(der).ok().filter(|key| key.version == 1);
    let key = key.ok_or(Error::InvalidIdentity(DAMAGED))?;
    let kind = match (named, key.parameters.map(curve_of)) {
        (Some(kind), Some(inner)) if !inner.as_ref().is_ok_and(|inner| *inner == kind) => {
            return Err(Error::InvalidIdentity("the key names two curves"));
        }
        (Some(kind), _) => kind,
        (None, Some(inner)) => inner?,
        (None, None) => return Err(Error::InvalidIdentity(NO_CURVE)),
    };
    let identity = identity(kind, key.private_key.as_bytes())?;
    match key.public_key {
        Some(public) => with_public(identity, public),
        None => Ok(identity),
    }
}

/// RFC 9935 section 6: the seed, alone or with the key that it expands to.
fn ml_kem_seed(der: &[u8]) -> Result<&[u8]> {
    let any = AnyRef::from_der(der).map_err(|_| Error::InvalidIdentity(DAMAGED))?;
    match any.tag() {
        Tag::ContextSpecific { constructed: false, number: TagNumber(0) } => Ok(any.value()),
        Tag::OctetString if any.value().len() == EXPANDED_LEN => {
            Err(Error::UnsupportedKey("key format: an ML-KEM key in expanded form, without its seed"))
        }
        Tag::Sequence => {
            let both = SeedAndExpanded::from_der(der).map_err(|_| Error::InvalidIdentity(DAMAGED))?;
            let seed = <&[u8; SEED_LEN]>::try_from(both.seed.as_bytes());
            let seed = seed.map_err(|_| Error::InvalidIdentity("the key has the wrong length"))?;
            if !equal(&*expand(seed), both.expanded.as_bytes()) {
                return Err(Error::InvalidIdentity("the expanded key does not match the seed beside it"));
            }
            Ok(seed)
        }
        _ => Err(Error::InvalidIdentity(DAMAGED)),
    }
}

fn identity(kind: Kind, secret: &[u8]) -> Result<Identity> {
    let found = Identity::from_bytes(kind, Zeroizing::new(secret.to_vec()));
    found.ok_or(Error::InvalidIdentity("the private key has the wrong length, or is out of range"))
}

/// Checks the public key that stands beside a private one.
fn with_public(identity: Identity, beside: BitStringRef<'_>) -> Result<Identity> {
    let public = identity.public_bytes();
    let compressed = |point: &[u8]| [&[2 | (point[64] & 1)], &point[1..33]].concat();
    let is_own = beside
        .as_bytes()
        .is_some_and(|beside| beside == public || (is_on_curve(identity.kind()) && beside == compressed(&public)));
    if is_own { Ok(identity) } else { Err(OF_ANOTHER) }
}

/// A public key that is not that of the private key beside it.
pub(super) const OF_ANOTHER: Error = Error::InvalidIdentity("the public key beside the private key does not match it");
