//! Keys as DER: PKCS#8 (RFC 5958), plain and encrypted, `SubjectPublicKeyInfo` (RFC 5280) and SEC1 (RFC 5915), with the
//! algorithms of RFC 5480 (P-256), GB/T 35276 (SM2), RFC 8410 (X25519) and RFC 9935 (ML-KEM-768).

use super::Kind;
use super::parsed::{Algorithm, Half, NO_PRIVATE_KEY, Parsed, Refusal, WRONG_LENGTH};
use super::pbes2::{self, Encryption};
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::kem::ml_kem::{SEED_LEN, Size as _, Size768};
use crate::mac::equal;
use crate::password::Passphrase;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber, Tagged};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use pkcs8::{PrivateKeyInfo, PrivateKeyInfoRef};
use zeroize::Zeroizing;

/// A kind's form in DER.
#[derive(Debug)]
pub(super) struct Der {
    pub(super) names: Names,
    /// What is said of a public key of the right length that is none.
    pub(super) wrong: KeyFault,
    /// How its private keys are encrypted.
    pub(super) encryption: Encryption,
}

/// How DER names an algorithm, and with that how it holds private keys.
#[derive(Debug)]
pub(super) enum Names {
    /// By a curve (RFC 5480), with keys of SEC1, and with points that have a compressed form.
    Curve(ObjectIdentifier),
    /// By itself, with keys in an `OCTET STRING` (RFC 8410).
    Octets(ObjectIdentifier),
    /// By itself, with seeds (RFC 9935).
    MlKem(ObjectIdentifier),
}

pub(super) const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// The first byte of every form here.
pub(super) const SEQUENCE: u8 = 0x30;

const EC_PUBLIC_KEY: ObjectIdentifier = oid("1.2.840.10045.2.1");
const RSA_ENCRYPTION: ObjectIdentifier = oid("1.2.840.113549.1.1.1");
const ED25519: ObjectIdentifier = oid("1.3.101.112");
const ED448: ObjectIdentifier = oid("1.3.101.113");
const ML_KEM_512: ObjectIdentifier = oid("2.16.840.1.101.3.4.4.1");
const ML_KEM_1024: ObjectIdentifier = oid("2.16.840.1.101.3.4.4.3");

const NO_CURVE: KeyFault = KeyFault::Other("the key does not name its curve");
const DAMAGED: KeyFault = KeyFault::Other("the DER is damaged, or not a supported key");
/// What is said of a public key that does not belong to the private key beside it.
pub(super) const OF_ANOTHER: KeyFault = KeyFault::Other("the public key beside the private key does not match it");

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

/// Reads one half. `work` is that of the file which the key is in.
pub(super) fn read(
    der: &[u8],
    half: Half,
    passphrase: Option<&Passphrase>,
    work: &mut Work,
) -> Result<Parsed, Refusal> {
    match (Shape::of(der).ok_or(DAMAGED)?, half) {
        // PKCS#1 has keys of RSA only.
        (Shape::RsaKey, _) => Ok(parsed(Algorithm::Rsa, der)),
        (Shape::Certificate, _) => Err(UnsupportedKey::Certificate.into()),
        (Shape::SubjectPublicKeyInfo, Half::Public) => public_key_info(der),
        (Shape::SubjectPublicKeyInfo, Half::Private) => Err(KeyFault::PublicKey.into()),
        (_, Half::Public) => Err(KeyFault::PrivateKey.into()),
        (Shape::PrivateKeyInfo, Half::Private) => private_key_info(der),
        (Shape::EcPrivateKey, Half::Private) => ec_private_key(der, None),
        (Shape::EncryptedPrivateKeyInfo, Half::Private) => {
            let encrypted = pbes2::Encrypted::read(der)?;
            work.add(encrypted.work())?;
            let opened = encrypted.decrypt(passphrase.ok_or(Error::PassphraseRequired)?);
            // One answer for whatever is wrong behind the passphrase, here and in what is made of it. Attributes are refused
            // there, since anything can hide in them.
            let read = opened.as_deref().filter(|der| !has_attributes(der)).and_then(|der| private_key_info(der).ok());
            Ok(Parsed { was_encrypted: true, ..read.ok_or(Error::NoMatchingIdentity)? })
        }
    }
}

fn public_key_info(der: &[u8]) -> Result<Parsed, Refusal> {
    let info = SubjectPublicKeyInfoRef::try_from(der).map_err(|_| DAMAGED)?;
    let algorithm = algorithm_of(&info.algorithm)?;
    let Some(form) = form_of(algorithm) else { return Ok(parsed(algorithm, info.subject_public_key.raw_bytes())) };
    let key = info.subject_public_key.as_bytes().ok_or(DAMAGED)?;
    match (&form.names, key.first()) {
        (Names::Curve(_), Some(0)) => Err(KeyFault::Other("the point is at infinity").into()),
        (Names::Curve(_), Some(2 | 3)) => Err(KeyFault::CompressedPoint.into()),
        _ => Ok(Parsed { wrong: form.wrong, ..parsed(algorithm, key) }),
    }
}

fn parsed(algorithm: Algorithm, bytes: &[u8]) -> Parsed {
    let bytes = Zeroizing::new(bytes.to_vec());
    Parsed { algorithm, bytes, beside: Vec::new(), wrong: NO_PRIVATE_KEY, was_encrypted: false }
}

/// PKCS#8, version 1, with the public key where others expect it: within the private key of a curve.
pub(super) fn write_private(kind: Kind, secret: &[u8], public: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let octets = |bytes| OctetStringRef::new(bytes).expect("asn1: keys are short");
    let form = form(kind)?;
    let inner = match form.names {
        Names::Curve(_) => EcPrivateKey {
            version: 1,
            private_key: octets(secret),
            parameters: None,
            public_key: Some(BitStringRef::from_bytes(public).expect("asn1: keys are short")),
        }
        .to_der(),
        Names::Octets(_) => octets(secret).to_der(),
        // The choice `seed`, [0] IMPLICIT OCTET STRING.
        Names::MlKem(_) => AnyRef::new(Tag::ContextSpecific { constructed: false, number: TagNumber(0) }, secret)
            .and_then(|seed| seed.to_der()),
    };
    let inner = Zeroizing::new(inner.expect("asn1: keys are short"));
    let info = PrivateKeyInfoRef::new(form.names.identifier(), octets(&inner));
    Ok(Zeroizing::new(info.to_der().expect("asn1: keys are short")))
}

pub(super) fn write_public(kind: Kind, public: &[u8]) -> Result<Vec<u8>> {
    let subject_public_key = BitStringRef::from_bytes(public).expect("asn1: keys are short");
    let algorithm = form(kind)?.names.identifier();
    let info = SubjectPublicKeyInfoRef { algorithm, subject_public_key };
    Ok(info.to_der().expect("asn1: keys are short"))
}

/// An `EncryptedPrivateKeyInfo` around a `PrivateKeyInfo`.
pub(super) fn encrypt(kind: Kind, der: &[u8], passphrase: &Passphrase) -> Result<Vec<u8>> {
    pbes2::encrypt(encryption(kind)?, der, passphrase)
}

/// How private keys of a kind are encrypted.
pub(super) fn encryption(kind: Kind) -> Result<Encryption> {
    Ok(form(kind)?.encryption)
}

fn form(kind: Kind) -> Result<&'static Der> {
    Ok(kind.row().der.as_ref().ok_or(UnsupportedKey::NoPem)?)
}

/// The form of an algorithm, if it is that of a kind.
fn form_of(algorithm: Algorithm) -> Option<&'static Der> {
    if let Algorithm::Of(kind) = algorithm { kind.row().der.as_ref() } else { None }
}

/// The algorithm of the kind whose name in DER fits.
fn named(is: impl Fn(&Names) -> bool) -> Option<Algorithm> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.row().der.as_ref().is_some_and(|form| is(&form.names)));
    kind.map(Algorithm::Of)
}

impl Names {
    fn identifier(&self) -> AlgorithmIdentifierRef<'_> {
        let (oid, parameters) = match self {
            Self::Curve(curve) => (EC_PUBLIC_KEY, Some(curve.into())),
            Self::Octets(oid) | Self::MlKem(oid) => (*oid, None),
        };
        AlgorithmIdentifierRef { oid, parameters }
    }
}

fn algorithm_of(identifier: &AlgorithmIdentifierRef<'_>) -> Result<Algorithm, Refusal> {
    let is_own = |names: &Names| matches!(names, Names::Octets(oid) | Names::MlKem(oid) if *oid == identifier.oid);
    match (identifier.oid, identifier.parameters) {
        (EC_PUBLIC_KEY, Some(curve)) => Ok(curve_of(curve)?),
        (EC_PUBLIC_KEY, None) => Err(NO_CURVE.into()),
        (RSA_ENCRYPTION, _) => Ok(Algorithm::Rsa),
        (ED25519, _) => Ok(Algorithm::Ed25519),
        (ED448, _) => Ok(Algorithm::Ed448),
        (ML_KEM_512, _) => Ok(Algorithm::MlKem512),
        (ML_KEM_1024, _) => Ok(Algorithm::MlKem1024),
        (_, parameters) => {
            let found = named(is_own).ok_or(UnsupportedKey::Algorithm)?;
            let has_some = KeyFault::Other("the algorithm has parameters where none are allowed");
            if parameters.is_none() { Ok(found) } else { Err(has_some.into()) }
        }
    }
}

/// The algorithm of keys on a curve, which their parameters name.
fn curve_of(parameters: AnyRef<'_>) -> Result<Algorithm, UnsupportedKey> {
    let Ok(curve) = parameters.decode_as::<ObjectIdentifier>() else {
        let is_name = parameters.tag() == Tag::ObjectIdentifier;
        return Err(if is_name { UnsupportedKey::Curve } else { UnsupportedKey::CurveByParameters });
    };
    let found = named(|names| matches!(names, Names::Curve(oid) if *oid == curve));
    found.ok_or(UnsupportedKey::Curve)
}

/// Whether a `PrivateKeyInfo` has anything beside version, algorithm, private key and public key.
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

fn private_key_info(der: &[u8]) -> Result<Parsed, Refusal> {
    let info: PrivateKeyInfo<AnyRef<'_>, &OctetStringRef, BitStringRef<'_>> =
        PrivateKeyInfo::from_der(der).map_err(|_| DAMAGED)?;
    let algorithm = algorithm_of(&info.algorithm)?;
    let inner = info.private_key.as_bytes();
    let mut key = match form_of(algorithm).map(|form| &form.names) {
        Some(Names::Curve(_)) => ec_private_key(inner, Some(algorithm))?,
        Some(Names::Octets(_)) => {
            parsed(algorithm, <&OctetStringRef>::from_der(inner).map_err(|_| DAMAGED)?.as_bytes())
        }
        Some(Names::MlKem(_)) => parsed(algorithm, ml_kem_seed(inner)?),
        None => parsed(algorithm, inner),
    };
    key.beside.extend(info.public_key.map(|public| beside(public)));
    Ok(key)
}

/// SEC1; `named` is the curve that stands around it in PKCS#8.
fn ec_private_key(der: &[u8], named: Option<Algorithm>) -> Result<Parsed, Refusal> {
    let key = EcPrivateKey::from_der(der).ok().filter(|key| key.version == 1).ok_or(DAMAGED)?;
    let algorithm = match (named, key.parameters.map(curve_of)) {
        (Some(named), Some(inner)) if !inner.as_ref().is_ok_and(|inner| *inner == named) => {
            return Err(KeyFault::Other("the key names two curves").into());
        }
        (Some(named), _) => named,
        (None, Some(inner)) => inner?,
        (None, None) => return Err(NO_CURVE.into()),
    };
    let beside = key.public_key.map(|public| beside(public)).into_iter().collect();
    Ok(Parsed { beside, ..parsed(algorithm, key.private_key.as_bytes()) })
}

/// Whether `other` is the public key `public`, whole or as a compressed point.
pub(super) fn is_same_point(kind: Kind, public: &[u8], other: &[u8]) -> bool {
    let has_points = matches!(kind.row().der, Some(Der { names: Names::Curve(_), .. }));
    let compressed = || [&[2 | (public[64] & 1)], &public[1..33]].concat();
    other == public || (has_points && other == compressed())
}

/// A public key that stands beside a private one.
fn beside(public: BitStringRef<'_>) -> Result<Vec<u8>, KeyFault> {
    public.as_bytes().map(<[u8]>::to_vec).ok_or(OF_ANOTHER)
}

/// RFC 9935 section 6: the seed, alone or with the key that it expands to.
fn ml_kem_seed(der: &[u8]) -> Result<&[u8], Refusal> {
    let any = AnyRef::from_der(der).map_err(|_| DAMAGED)?;
    match any.tag() {
        Tag::ContextSpecific { constructed: false, number: TagNumber(0) } => Ok(any.value()),
        Tag::OctetString if any.value().len() == Size768::EXPANDED_LEN => Err(UnsupportedKey::MlKemExpanded.into()),
        Tag::Sequence => {
            let both = SeedAndExpanded::from_der(der).map_err(|_| DAMAGED)?;
            let seed = <&[u8; SEED_LEN]>::try_from(both.seed.as_bytes()).map_err(|_| WRONG_LENGTH)?;
            if !equal(&Size768::expand(seed), both.expanded.as_bytes()) {
                return Err(KeyFault::Other("the expanded key does not match the seed beside it").into());
            }
            Ok(seed)
        }
        _ => Err(DAMAGED.into()),
    }
}
