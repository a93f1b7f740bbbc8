//! Keys as DER: PKCS#8 (RFC 5958), plain and encrypted, `SubjectPublicKeyInfo` (RFC 5280), SEC1 (RFC 5915) and PKCS#1 (RFC 8017).

use super::names::{DerNames as Names, oid};
use super::parsed::{Algorithm, Half, NO_PRIVATE_KEY, Parsed, Refusal, Wanted, map_fault};
use super::pbes2;
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::kdf::Work;
use crate::mac;
use crate::password::Passphrase;
use crate::sm2;
use der::asn1::{AnyRef, BitStringRef, Null, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber, Tagged};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use pkcs8::{PrivateKeyInfo, PrivateKeyInfoRef};
use zeroize::Zeroizing;

/// The first byte of every form here.
pub(super) const SEQUENCE: u8 = 0x30;

const EC_PUBLIC_KEY: ObjectIdentifier = oid("1.2.840.10045.2.1");
const RSA_ENCRYPTION: ObjectIdentifier = oid("1.2.840.113549.1.1.1");

const NO_CURVE: KeyFault = KeyFault::Other("the key does not name its curve");
const DAMAGED: KeyFault = KeyFault::Other("the DER is damaged, or not a supported key");
/// The error for an expanded key that does not match the seed.
pub(super) const OTHER_EXPANDED: KeyFault = KeyFault::Other("the expanded key does not match the seed beside it");
/// The error for a public key that does not match the private key beside it.
pub(super) const OF_ANOTHER: KeyFault = KeyFault::Other("the public key beside the private key does not match it");

/// The forms of keys in DER. Each is a sequence, and its first elements distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    PrivateKeyInfo,
    EncryptedPrivateKeyInfo,
    EcPrivateKey,
    SubjectPublicKeyInfo,
    /// PKCS#1.
    RsaKey,
    Certificate,
    /// RFC 7292 section 4.
    Pkcs12,
}

impl Shape {
    /// Detects the form; `None` for another structure, or for bytes behind it.
    pub(super) fn of(der: &[u8]) -> Option<Self> {
        let any = AnyRef::from_der(der).ok()?;
        if any.tag() != Tag::Sequence {
            return None;
        }
        let mut reader = SliceReader::new(any.value()).ok()?;
        let first = AnyRef::decode(&mut reader).ok()?.tag();
        let second = AnyRef::decode(&mut reader).ok()?.tag();
        let third = AnyRef::decode(&mut reader).ok().map(|third| third.tag());
        match (first, second) {
            (Tag::Integer, Tag::Sequence) if third == Some(Tag::Sequence) => Some(Self::Pkcs12),
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

/// RFC 5915 section 3. It allows parameters other than a curve's name, so that a specific error refuses them.
#[derive(Sequence)]
struct EcPrivateKey<'a> {
    version: u8,
    private_key: &'a OctetStringRef,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    parameters: Option<AnyRef<'a>>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    public_key: Option<BitStringRef<'a>>,
}

/// The choice `both` of RFC 9881 section 6 and RFC 9935 section 6.
#[derive(Sequence)]
struct SeedAndExpanded<'a> {
    seed: &'a OctetStringRef,
    expanded: &'a OctetStringRef,
}

/// Reads one half of a key pair. `work` counts the work of the whole file.
pub(super) fn read(
    der: &[u8],
    wanted: &Wanted,
    passphrase: Option<&Passphrase>,
    work: &mut Work,
) -> Result<Parsed, Refusal> {
    match (Shape::of(der).ok_or(DAMAGED)?, wanted.half) {
        (Shape::RsaKey, _) => read_rsa_key(der, wanted),
        (Shape::Certificate, Half::Public) if wanted.certificates => {
            read_public_key(&key_of_certificate(der).ok_or(DAMAGED)?, wanted)
        }
        (Shape::Certificate, _) => Err(UnsupportedKey::Certificate.into()),
        (Shape::Pkcs12, _) => Err(UnsupportedKey::Pkcs12.into()),
        (Shape::SubjectPublicKeyInfo, Half::Public) => read_public_key(der, wanted),
        (Shape::SubjectPublicKeyInfo, Half::Private) => Err(KeyFault::PublicKey.into()),
        (_, Half::Public) => Err(KeyFault::PrivateKey.into()),
        (Shape::PrivateKeyInfo, Half::Private) => read_private_key(&private_key_info(der).ok_or(DAMAGED)?, wanted),
        (Shape::EcPrivateKey, Half::Private) => read_ec_private_key(der, None, wanted),
        (Shape::EncryptedPrivateKeyInfo, Half::Private) => {
            let encrypted = pbes2::Encrypted::read(der)?;
            work.add(encrypted.work())?;
            let opened = encrypted.decrypt(passphrase.ok_or(Error::PassphraseRequired)?);
            let info = opened.as_deref().and_then(|der| private_key_info(der));
            let read = read_private_key(&info.ok_or(Error::NoMatchingIdentity)?, wanted);
            Ok(Parsed { was_encrypted: true, ..read.map_err(Refusal::behind_a_passphrase)? })
        }
    }
}

fn read_public_key(der: &[u8], wanted: &Wanted) -> Result<Parsed, Refusal> {
    let info = SubjectPublicKeyInfoRef::try_from(der).map_err(|_| DAMAGED)?;
    let algorithm = read_algorithm(&info.algorithm, wanted)?;
    let key = info.subject_public_key.as_bytes().ok_or(DAMAGED)?;
    match key.first() {
        Some(0) if algorithm.has_points() => Err(KeyFault::Other("the point is at infinity").into()),
        // Every key has one encoding in this crate.
        Some(2 | 3) if algorithm == Algorithm::Sm2 => {
            let whole = map_fault(sm2::PublicKey::from_bytes(key), KeyFault::Other(sm2::OFF_CURVE))?;
            Ok(new_parsed(algorithm, &whole.to_bytes()))
        }
        Some(2 | 3) if algorithm.has_points() => Err(KeyFault::CompressedPoint.into()),
        _ => Ok(Parsed { wrong: algorithm.row().wrong, ..new_parsed(algorithm, key) }),
    }
}

/// The `SubjectPublicKeyInfo` of a certificate (RFC 5280 section 4.1). It checks that the other fields are there, and reads nothing in
/// them: neither signature, issuer and dates, nor extensions.
fn key_of_certificate(der: &[u8]) -> Option<Vec<u8>> {
    let [signed, algorithm, signature] = elements_of(AnyRef::from_der(der).ok()?)?.try_into().ok()?;
    let tags = [signed.tag(), algorithm.tag(), signature.tag()];
    if tags != [Tag::Sequence, Tag::Sequence, Tag::BitString] {
        return None;
    }
    let mut fields = elements_of(signed)?.into_iter().peekable();
    // A certificate of version 1 has no version field.
    let is_version = |field: &AnyRef<'_>| field.tag() == VERSION;
    if let Some(version) = fields.next_if(is_version) {
        AnyRef::from_der(version.value()).ok().filter(|number| number.tag() == Tag::Integer)?;
    }
    let serial_number = fields.next()?;
    let sequences = [fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?];
    let [_signature, _issuer, _validity, _subject, key] = sequences;
    if serial_number.tag() != Tag::Integer || sequences.iter().any(|field| field.tag() != Tag::Sequence) {
        return None;
    }
    // Unique identifiers, which are bit strings, and extensions, each at most once and in this order.
    let mut last = 0;
    for field in fields {
        let Tag::ContextSpecific { constructed, number } = field.tag() else { return None };
        let number = number.value();
        if !(1..=3).contains(&number) || number <= last || constructed != (number == 3) {
            return None;
        }
        last = number;
    }
    key.to_der().ok()
}

/// The version of a certificate, which is explicit.
const VERSION: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };

/// The elements of a structure, to its end.
fn elements_of(structure: AnyRef<'_>) -> Option<Vec<AnyRef<'_>>> {
    let mut reader = SliceReader::new(structure.value()).ok()?;
    let mut elements = Vec::new();
    while !reader.is_finished() {
        elements.push(AnyRef::decode(&mut reader).ok()?);
    }
    Some(elements)
}

/// Reads a key of PKCS#1, which has only keys of RSA: two numbers for a public key, and nine elements for a private key.
fn read_rsa_key(der: &[u8], wanted: &Wanted) -> Result<Parsed, Refusal> {
    (wanted.takes)(Algorithm::Rsa)?;
    match (element_tags(der).map_or(0, |tags| tags.len()), wanted.half) {
        (2, Half::Public) => Ok(Parsed { wrong: Algorithm::Rsa.row().wrong, ..new_parsed(Algorithm::Rsa, der) }),
        (2, Half::Private) => Err(KeyFault::PublicKey.into()),
        (_, Half::Public) => Err(KeyFault::PrivateKey.into()),
        (_, Half::Private) => Ok(new_parsed(Algorithm::Rsa, der)),
    }
}

fn new_parsed(algorithm: Algorithm, bytes: &[u8]) -> Parsed {
    Parsed::new(algorithm, Zeroizing::new(bytes.to_vec()), NO_PRIVATE_KEY)
}

/// Writes PKCS#8, version 1, encrypted if there is a passphrase. A private key of a curve contains the public key, as other
/// programs expect.
pub(super) fn write_private(
    algorithm: Algorithm,
    secret: &[u8],
    public: &[u8],
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>> {
    let inner = match der_names(algorithm)? {
        Names::Curve(_) => EcPrivateKey {
            version: 1,
            private_key: octets(secret),
            parameters: None,
            public_key: Some(BitStringRef::from_bytes(public).expect("asn1: keys are short")),
        }
        .to_der(),
        Names::Octets(_) => octets(secret).to_der(),
        // The choice `seed`, [0] IMPLICIT OCTET STRING.
        Names::Seed { .. } => AnyRef::new(Tag::ContextSpecific { constructed: false, number: TagNumber(0) }, secret)
            .and_then(|seed| seed.to_der()),
        Names::Raw(_) | Names::Rsa => Ok(secret.to_vec()),
    };
    wrap_in_pkcs8(algorithm, inner, passphrase)
}

/// Writes PKCS#8 of a seed and the expanded key, the choice `both`.
pub(super) fn write_both(
    algorithm: Algorithm,
    seed: &[u8],
    expanded: &[u8],
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>> {
    let both = SeedAndExpanded { seed: octets(seed), expanded: octets(expanded) };
    wrap_in_pkcs8(algorithm, both.to_der(), passphrase)
}

/// Wraps a key in PKCS#8, encrypted if there is a passphrase.
fn wrap_in_pkcs8(
    algorithm: Algorithm,
    inner: der::Result<Vec<u8>>,
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>> {
    let inner = Zeroizing::new(inner.expect("asn1: keys are short"));
    let info = PrivateKeyInfoRef::new(der_names(algorithm)?.identifier(), octets(&inner));
    let der = Zeroizing::new(info.to_der().expect("asn1: keys are short"));
    match passphrase {
        Some(passphrase) => pbes2::encrypt(algorithm.row().encryption, &der, passphrase).map(Zeroizing::new),
        None => Ok(der),
    }
}

fn octets(bytes: &[u8]) -> &OctetStringRef {
    OctetStringRef::new(bytes).expect("asn1: keys are short")
}

pub(super) fn write_public(algorithm: Algorithm, public: &[u8]) -> Result<Vec<u8>> {
    let subject_public_key = BitStringRef::from_bytes(public).expect("asn1: keys are short");
    let algorithm = der_names(algorithm)?.identifier();
    let info = SubjectPublicKeyInfoRef { algorithm, subject_public_key };
    Ok(info.to_der().expect("asn1: keys are short"))
}

fn der_names(algorithm: Algorithm) -> Result<&'static Names> {
    Ok(algorithm.row().der.as_ref().ok_or(UnsupportedKey::NoPem)?)
}

impl Algorithm {
    /// Whether the public keys are points with a compressed form.
    pub(super) fn has_points(self) -> bool {
        matches!(self.row().der, Some(Names::Curve(_)))
    }

    /// The algorithm whose names in DER satisfy a condition.
    fn find(is: impl Fn(&Names) -> bool) -> Option<Self> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.row().der.as_ref().is_some_and(&is))
    }
}

impl Names {
    /// The object identifier that names the algorithm. For elliptic curves, it is that of the curve, since all have the same
    /// algorithm identifier.
    pub(super) fn oid(&self) -> ObjectIdentifier {
        match self {
            Self::Curve(oid) | Self::Octets(oid) | Self::Seed { oid, .. } | Self::Raw(oid) => *oid,
            Self::Rsa => RSA_ENCRYPTION,
        }
    }

    fn identifier(&self) -> AlgorithmIdentifierRef<'_> {
        match self {
            Self::Curve(curve) => AlgorithmIdentifierRef { oid: EC_PUBLIC_KEY, parameters: Some(curve.into()) },
            // RFC 3279 section 2.3.1.
            Self::Rsa => AlgorithmIdentifierRef { oid: RSA_ENCRYPTION, parameters: Some(Null.into()) },
            other => AlgorithmIdentifierRef { oid: other.oid(), parameters: None },
        }
    }
}

fn read_algorithm(identifier: &AlgorithmIdentifierRef<'_>, wanted: &Wanted) -> Result<Algorithm, Refusal> {
    // OpenSSL 3.0.0 to 3.0.12 wrote SM2's curve both as algorithm and as parameters.
    let sm2 = der_names(Algorithm::Sm2)?.oid();
    let is_sm2_twice = *identifier == AlgorithmIdentifierRef { oid: sm2, parameters: Some((&sm2).into()) };
    if identifier.oid == EC_PUBLIC_KEY || is_sm2_twice {
        let found = curve_of(identifier.parameters.ok_or(NO_CURVE)?)?;
        (wanted.takes)(found)?;
        return Ok(found);
    }
    let is_named = |names: &Names| !matches!(names, Names::Curve(_)) && names.oid() == identifier.oid;
    let found = Algorithm::find(is_named).ok_or(UnsupportedKey::Algorithm)?;
    (wanted.takes)(found)?;
    let is_right = match identifier.parameters {
        None => found != Algorithm::Rsa,
        Some(parameters) => found == Algorithm::Rsa && parameters.is_null(),
    };
    let has_others = KeyFault::Other(match found {
        Algorithm::Rsa => "the algorithm has other parameters than NULL",
        _ => "the algorithm has parameters where none are allowed",
    });
    if is_right { Ok(found) } else { Err(has_others.into()) }
}

/// The algorithm of keys on the curve that the parameters name.
fn curve_of(parameters: AnyRef<'_>) -> Result<Algorithm, UnsupportedKey> {
    let Ok(curve) = parameters.decode_as::<ObjectIdentifier>() else {
        let is_name = parameters.tag() == Tag::ObjectIdentifier;
        return Err(if is_name { UnsupportedKey::Curve } else { UnsupportedKey::CurveByParameters });
    };
    Algorithm::find(|names| matches!(names, Names::Curve(oid) if *oid == curve)).ok_or(UnsupportedKey::Curve)
}

/// The tags of a sequence's elements; `None` for malformed DER.
fn element_tags(der: &[u8]) -> Option<Vec<Tag>> {
    Some(elements_of(AnyRef::from_der(der).ok()?)?.iter().map(Tagged::tag).collect())
}

/// Whether the bytes are a curve's name or parameters.
pub(super) fn is_curve(der: &[u8]) -> bool {
    AnyRef::from_der(der).is_ok_and(|any| matches!(any.tag(), Tag::ObjectIdentifier | Tag::Sequence))
}

type Info<'a> = PrivateKeyInfo<AnyRef<'a>, &'a OctetStringRef, BitStringRef<'a>>;

/// Parses PKCS#8, with or without attributes. It refuses further elements (format section 12.3), which the parser would skip.
fn private_key_info(der: &[u8]) -> Option<Info<'_>> {
    let info = Info::from_der(der).ok()?;
    let tags = element_tags(der)?;
    let is_attributes = |tag: &Tag| matches!(tag, Tag::ContextSpecific { number: TagNumber(0), .. });
    let known = 3 + usize::from(tags.get(3).is_some_and(is_attributes)) + usize::from(info.public_key.is_some());
    (tags.len() == known).then_some(info)
}

fn read_private_key(info: &Info<'_>, wanted: &Wanted) -> Result<Parsed, Refusal> {
    let algorithm = read_algorithm(&info.algorithm, wanted)?;
    let inner = info.private_key.as_bytes();
    let mut key = match der_names(algorithm)? {
        Names::Curve(_) => read_ec_private_key(inner, Some(algorithm), wanted)?,
        Names::Octets(_) => new_parsed(algorithm, <&OctetStringRef>::from_der(inner).map_err(|_| DAMAGED)?.as_bytes()),
        Names::Seed { seed_len, .. } if inner.len() == *seed_len => return Err(UnsupportedKey::BareSeed.into()),
        Names::Seed { expanded_len, alone, .. } => match SeedForm::read(inner, *expanded_len)? {
            SeedForm::Seed(seed) => new_parsed(algorithm, seed),
            SeedForm::Both(both) => {
                let expanded = Some(Zeroizing::new(both.expanded.as_bytes().to_vec()));
                Parsed { expanded, ..new_parsed(algorithm, both.seed.as_bytes()) }
            }
            SeedForm::Expanded(key) if wanted.expanded => Parsed { is_expanded: true, ..new_parsed(algorithm, key) },
            SeedForm::Expanded(_) => return Err((*alone).into()),
        },
        Names::Raw(_) | Names::Rsa => new_parsed(algorithm, inner),
    };
    key.beside.extend(info.public_key.map(|public| copy_of(public)));
    Ok(key)
}

/// Reads SEC1. `named` is the curve that the surrounding PKCS#8 names.
fn read_ec_private_key(der: &[u8], named: Option<Algorithm>, wanted: &Wanted) -> Result<Parsed, Refusal> {
    let key = EcPrivateKey::from_der(der).ok().filter(|key| key.version == 1).ok_or(DAMAGED)?;
    let algorithm = match (named, key.parameters.map(curve_of)) {
        (Some(named), Some(inner)) if !inner.as_ref().is_ok_and(|inner| *inner == named) => {
            return Err(KeyFault::Other("the key names two curves").into());
        }
        (Some(named), _) => named,
        (None, Some(inner)) => inner?,
        (None, None) => return Err(NO_CURVE.into()),
    };
    (wanted.takes)(algorithm)?;
    let beside = key.public_key.map(|public| copy_of(public)).into_iter().collect();
    Ok(Parsed { beside, ..new_parsed(algorithm, key.private_key.as_bytes()) })
}

/// Refuses a private key whose copies in the file belong to another key: its public keys, and the expanded key of its seed.
/// With a wrong public key, two signatures of Ed25519 would reveal the private key.
pub(super) fn check_copies(
    parsed: Parsed,
    public: &[u8],
    expand: impl FnOnce(&[u8]) -> Option<Zeroizing<Vec<u8>>>,
) -> Result<(), Refusal> {
    if let Some(expanded) = &parsed.expanded
        && !expand(&parsed.bytes).is_some_and(|own| mac::equal(&own, expanded))
    {
        return Err(OTHER_EXPANDED.into());
    }
    for beside in parsed.beside {
        if !is_same_point(parsed.algorithm, public, &beside?) {
            return Err(OF_ANOTHER.into());
        }
    }
    Ok(())
}

/// Whether `other` equals the public key `public`, uncompressed or compressed.
pub(super) fn is_same_point(algorithm: Algorithm, public: &[u8], other: &[u8]) -> bool {
    let compressed = || {
        let (x, y) = public[1..].split_at(public.len() / 2);
        [&[2 | y.last().map_or(0, |last| last & 1)], x].concat()
    };
    other == public || (algorithm.has_points() && other == compressed())
}

/// The public key beside a private key.
fn copy_of(public: BitStringRef<'_>) -> Result<Vec<u8>, KeyFault> {
    public.as_bytes().map(<[u8]>::to_vec).ok_or(OF_ANOTHER)
}

/// The forms of a private key with a seed (RFC 9881 section 6, RFC 9935 section 6).
enum SeedForm<'a> {
    Seed(&'a [u8]),
    Both(SeedAndExpanded<'a>),
    /// The expanded key without its seed.
    Expanded(&'a [u8]),
}

impl<'a> SeedForm<'a> {
    fn read(der: &'a [u8], expanded_len: usize) -> Result<Self, Refusal> {
        // nkCryptoTool writes the expanded key without the CHOICE around it. No CHOICE has this length.
        if der.len() == expanded_len {
            return Ok(Self::Expanded(der));
        }
        let any = AnyRef::from_der(der).map_err(|_| DAMAGED)?;
        match any.tag() {
            Tag::ContextSpecific { constructed: false, number: TagNumber(0) } => Ok(Self::Seed(any.value())),
            Tag::OctetString if any.value().len() == expanded_len => Ok(Self::Expanded(any.value())),
            Tag::Sequence => Ok(Self::Both(SeedAndExpanded::from_der(der).map_err(|_| DAMAGED)?)),
            _ => Err(DAMAGED.into()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// PKCS#8 of a seed and its expanded key.
    pub(in super::super) fn both(algorithm: Algorithm, seed: &[u8], expanded: &[u8]) -> Vec<u8> {
        write_both(algorithm, seed, expanded, None).unwrap().to_vec()
    }

    /// PKCS#8 of an expanded key without its seed.
    pub(in super::super) fn expanded(algorithm: Algorithm, expanded: &[u8]) -> Vec<u8> {
        info(algorithm, &OctetStringRef::new(expanded).unwrap().to_der().unwrap())
    }

    fn info(algorithm: Algorithm, inner: &[u8]) -> Vec<u8> {
        let identifier = der_names(algorithm).unwrap().identifier();
        PrivateKeyInfoRef::new(identifier, OctetStringRef::new(inner).unwrap()).to_der().unwrap()
    }
}
