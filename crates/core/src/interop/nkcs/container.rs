//! The bytes of a signature file.

use crate::error::{Error, Result, SignatureForm};
use crate::hash::Algorithm;
use crate::interop::fields::{Fields, append};
use crate::sign::{Kind, ml_dsa_of_len};

/// The first bytes of a signature file.
pub(super) const MAGIC: &[u8] = b"NKCS";
/// The most bytes of a signature file: two headers, three names and a signature of ML-DSA-87.
pub const MAX_LEN: usize = 2 * (MAGIC.len() + 3) + 3 * (4 + NAME_MAX_LEN) + 4627;
/// The most bytes of a name.
const NAME_MAX_LEN: usize = 64;
/// The most bytes of DER of two numbers of P-256.
const DER_MAX_LEN: usize = 72;
/// The context (FIPS 204) of version 2.
const CONTEXT: &[u8] = b"nkct-file-sign-v1";

/// The types of signatures.
const ECC: u8 = 1;
const PQC: u8 = 2;
/// The type of builds from 2026-04-10 to 2026-04-24 in place of `PQC`. Builds from 2026-04-10 to 04-13 put a whole header of
/// `PQC` behind it.
const HYBRID: u8 = 3;

/// The only curve.
const CURVE: &str = "prime256v1";
/// The default hash of both editions, and the only one that the C++ edition writes into a header.
pub(super) const USUAL: Algorithm = Algorithm::Sha3_512;
/// Other hashes that a signature may use, whatever its header says.
const OTHERS: [Algorithm; 3] = [Algorithm::Sha256, Algorithm::Sha3_256, Algorithm::Sha512];

const CUT: Error = Error::MalformedSignature("it is cut short, or bytes are left over");

/// A parsed signature, which is not verified.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Container<'a> {
    /// `None` for a signature without a header.
    pub(super) version: Option<u16>,
    pub(super) value: Value<'a>,
}

/// The value of a signature, and the way in which it covers the content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// ECDSA on P-256 over a digest of one of these hashes, as DER.
    Ecdsa { hashes: Vec<Algorithm>, der: &'a [u8] },
    /// ML-DSA over the message, with a context.
    MlDsa { kind: Kind, context: &'static [u8], signature: &'a [u8] },
}

impl Value<'_> {
    /// The kind of the key that made the signature.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Ecdsa { .. } => Kind::P256Sign,
            Self::MlDsa { kind, .. } => *kind,
        }
    }

    /// The context of ML-DSA (FIPS 204); empty for ECDSA, which has none.
    pub(super) fn context(&self) -> &'static [u8] {
        match self {
            Self::Ecdsa { .. } => &[],
            Self::MlDsa { context, .. } => context,
        }
    }
}

impl<'a> Container<'a> {
    pub(super) fn read(file: &'a [u8]) -> Result<Self> {
        let rest = file.strip_prefix(MAGIC).ok_or(Error::NotASignature(SignatureForm::Nkcs))?;
        if file.len() > MAX_LEN {
            return Err(Error::MalformedSignature("it is longer than any nkCryptoTool signature"));
        }
        let mut fields = Fields(rest);
        let version = fields.u16().ok_or(CUT)?;
        let value = match (version, fields.byte().ok_or(CUT)?) {
            (1, ECC) => read_ecdsa(fields)?,
            (1, PQC) => read_ml_dsa(fields, &[])?,
            (2, PQC) => read_ml_dsa(fields, CONTEXT)?,
            (1, HYBRID) => {
                let nested = [MAGIC, &[1, 0, PQC]].concat();
                read_ml_dsa(Fields(fields.0.strip_prefix(&nested[..]).unwrap_or(fields.0)), &[])?
            }
            (1 | 2, _) => return Err(Error::UnsupportedSignature("its type is unknown (nkCryptoTool)")),
            _ => return Err(Error::UnsupportedSignature("its version is neither 1 nor 2")),
        };
        Ok(Self { version: Some(version), value })
    }

    /// Reads a signature without a header, as builds before 2026-04-10 wrote it.
    pub(super) fn read_bare(file: &'a [u8]) -> Result<Self> {
        let value = match ml_dsa_of_len(file.len()) {
            Some(kind) => Value::MlDsa { kind, context: &[], signature: file },
            None if file.len() <= DER_MAX_LEN && file.starts_with(&[0x30]) => {
                Value::Ecdsa { hashes: hashes(None), der: file }
            }
            None => return Err(Error::NotASignature(SignatureForm::Nkcs)),
        };
        Ok(Self { version: None, value })
    }
}

/// The hashes that a signature of ECDSA may use, first the one that its header names.
fn hashes(named: Option<Algorithm>) -> Vec<Algorithm> {
    let mut hashes = Vec::from_iter(named);
    for hash in [USUAL].into_iter().chain(OTHERS) {
        if !hashes.contains(&hash) {
            hashes.push(hash);
        }
    }
    hashes
}

fn read_ecdsa(mut fields: Fields<'_>) -> Result<Value<'_>> {
    let [curve, digest] = [read_name(&mut fields)?, read_name(&mut fields)?];
    if !matches!(&normalise(curve)[..], "PRIME256V1" | "SECP256R1" | "P256") {
        return Err(Error::UnsupportedSignature("its curve is not P-256"));
    }
    let named = match &normalise(digest)[..] {
        "SHA256" | "SHA2256" => Algorithm::Sha256,
        "SHA384" | "SHA2384" => Algorithm::Sha384,
        "SHA512" | "SHA2512" => Algorithm::Sha512,
        "SHA3256" => Algorithm::Sha3_256,
        "SHA3384" => Algorithm::Sha3_384,
        "SHA3512" => Algorithm::Sha3_512,
        _ => return Err(Error::UnsupportedSignature("its digest is not SHA-2 or SHA-3 with 256 bits or more")),
    };
    match fields.0 {
        der @ [0x30, len, content @ ..] if content.len() == usize::from(*len) && der.len() <= DER_MAX_LEN => {
            Ok(Value::Ecdsa { hashes: hashes(Some(named)), der })
        }
        _ => Err(Error::MalformedSignature("its value is not DER with two numbers")),
    }
}

/// Reads the names and the value of a signature of ML-DSA. Builds before 2026-04-26 left out one name, that of the KEM or that
/// of the digest. No name changes the verification, since the key determines it.
fn read_ml_dsa<'a>(mut fields: Fields<'a>, context: &'static [u8]) -> Result<Value<'a>> {
    let is_kem = |name: &str| ["MLKEM512", "MLKEM768", "MLKEM1024"].contains(&&normalise(name)[..]);
    let is_dsa = |name: &str| ["MLDSA44", "MLDSA65", "MLDSA87"].contains(&&normalise(name)[..]);
    let first = read_name(&mut fields)?;
    let (has_kem, dsa) = if is_kem(first) { (true, read_name(&mut fields)?) } else { (false, first) };
    if !is_dsa(dsa) {
        return Err(Error::UnsupportedSignature("its algorithm is not ML-DSA"));
    }
    let has_digest = !has_kem || !context.is_empty() || ml_dsa_of_len(fields.0.len()).is_none();
    if has_digest {
        read_name(&mut fields)?;
    }
    if !has_kem && !context.is_empty() {
        return Err(Error::MalformedSignature("a signature of version 2 must name its KEM"));
    }
    let kind = ml_dsa_of_len(fields.0.len()).ok_or(CUT)?;
    Ok(Value::MlDsa { kind, context, signature: fields.0 })
}

/// Reads a name with the characters that both editions allow.
fn read_name<'a>(fields: &mut Fields<'a>) -> Result<&'a str> {
    let name = fields.field(NAME_MAX_LEN).ok_or(CUT)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(byte);
    let text =
        std::str::from_utf8(name).ok().filter(|text| !text.is_empty() && text.bytes().all(|byte| is_name(&byte)));
    text.ok_or(Error::MalformedSignature("a name in it is empty, or has other characters than names have"))
}

/// Normalises a name for comparison as OpenSSL does: without regard to case and hyphens.
fn normalise(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
}

/// The header of a new signature, and its context; `None` for a kind that does not make such signatures.
pub(super) fn header(kind: Kind) -> Option<(Vec<u8>, &'static [u8])> {
    let (version, type_id, names, context): (u16, _, &[&str], &'static [u8]) = match kind {
        Kind::P256Sign => (1, ECC, &[CURVE, "SHA3-512"], &[]),
        Kind::MlDsa44 => (2, PQC, &["ML-KEM-768", "ML-DSA-44", "SHA3-512"], CONTEXT),
        Kind::MlDsa65 => (2, PQC, &["ML-KEM-768", "ML-DSA-65", "SHA3-512"], CONTEXT),
        Kind::MlDsa87 => (2, PQC, &["ML-KEM-768", "ML-DSA-87", "SHA3-512"], CONTEXT),
        _ => return None,
    };
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&version.to_le_bytes());
    header.push(type_id);
    for name in names {
        append(&mut header, name.as_bytes());
    }
    Some((header, context))
}
