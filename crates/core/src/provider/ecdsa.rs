//! ECDSA (FIPS 186-5) by RustCrypto: in WebAssembly, and natively for a curve with another hash than its own.
#![allow(dead_code, reason = "natively AWS-LC reads keys, and in WebAssembly the library normalizes s")]

use super::Curve;
use ::ecdsa::elliptic_curve::point::AffineCoordinates;
use ::ecdsa::elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytes, NonZeroScalar, ProjectivePoint};
use ::ecdsa::{EcdsaCurve, Signature, hazmat};
use zeroize::Zeroizing;

/// Calls a function of this file with the type of a curve.
macro_rules! for_curve {
    ($curve:expr, $function:ident($($argument:expr),+)) => {
        match $curve {
            Curve::P256 => $function::<p256::NistP256>($($argument),+),
            Curve::P384 => $function::<p384::NistP384>($($argument),+),
            Curve::P521 => $function::<p521::NistP521>($($argument),+),
            Curve::Secp256k1 => $function::<k256::Secp256k1>($($argument),+),
        }
    };
}

/// The uncompressed point of a private key; `None` for a number that is no private key.
pub(super) fn public_key(curve: Curve, private: &[u8]) -> Option<Vec<u8>> {
    for_curve!(curve, public_key_on(private))
}

/// Whether bytes are an uncompressed point of the curve.
pub(super) fn is_on_curve(curve: Curve, point: &[u8]) -> bool {
    for_curve!(curve, is_on(point))
}

/// Signs a digest, and returns r ‖ s with low s. The number k is derived from key, digest and randomness (RFC 6979 section
/// 3.6).
///
/// # Panics
/// For a number that is no private key.
pub(super) fn sign(curve: Curve, private: &[u8], digest: &[u8], random: &[u8; 32]) -> Vec<u8> {
    for_curve!(curve, sign_on(private, digest, random))
}

/// Whether r ‖ s is a signature of a digest under an uncompressed point.
pub(super) fn verify(curve: Curve, public: &[u8], digest: &[u8], signature: &[u8]) -> bool {
    for_curve!(curve, verify_on(public, digest, signature))
}

/// Returns the signature with low s.
///
/// # Panics
/// If `signature` is no signature.
pub(super) fn normalize_s(curve: Curve, signature: &[u8]) -> Vec<u8> {
    for_curve!(curve, normalize_s_on(signature))
}

/// Decompresses a point of P-256; `None` if it is no point.
pub(crate) fn decompress_p256(point: &[u8; 33]) -> Option<[u8; 65]> {
    use ::ecdsa::elliptic_curve::point::DecompressPoint;
    let [sign @ (2 | 3), x @ ..] = point else { return None };
    let found = p256::AffinePoint::decompress(&FieldBytes::<p256::NistP256>::from(*x), (sign & 1).into());
    let found: p256::AffinePoint = Option::from(found)?;
    let whole = [&[4], &found.x()[..], &found.y()[..]].concat();
    Some(whole[..].try_into().expect("ecdsa: a point of P-256 has 65 bytes"))
}

fn read_scalar<C: CurveArithmetic>(private: &[u8]) -> Option<Zeroizing<NonZeroScalar<C>>> {
    let bytes = Zeroizing::new(FieldBytes::<C>::try_from(private).ok()?);
    Option::from(NonZeroScalar::<C>::from_repr(*bytes)).map(Zeroizing::new)
}

fn public_key_on<C: CurveArithmetic>(private: &[u8]) -> Option<Vec<u8>>
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    use ::ecdsa::elliptic_curve::group::{Curve as _, Group as _};
    let scalar = read_scalar::<C>(private)?;
    let point = ProjectivePoint::<C>::mul_by_generator(&scalar).to_affine();
    Some([&[4], &point.x()[..], &point.y()[..]].concat())
}

/// Reads an uncompressed point by its coordinates: the library's parser also reads compressed points, and would bring square
/// roots into WebAssembly.
fn read_point<C: CurveArithmetic>(bytes: &[u8]) -> Option<AffinePoint<C>>
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    let coordinates = bytes.strip_prefix(&[4])?;
    let (x, y) = coordinates.split_at_checked(coordinates.len() / 2)?;
    let [x, y] = [FieldBytes::<C>::try_from(x).ok()?, FieldBytes::<C>::try_from(y).ok()?];
    AffinePoint::<C>::from_coordinates(&x, &y).into()
}

fn is_on<C: CurveArithmetic>(point: &[u8]) -> bool
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    read_point::<C>(point).is_some()
}

fn sign_on<C: EcdsaCurve + CurveArithmetic>(private: &[u8], digest: &[u8], random: &[u8; 32]) -> Vec<u8> {
    let scalar = read_scalar::<C>(private).expect("ecdsa: the private key was checked");
    let (signature, _) = hazmat::sign_prehashed_rfc6979::<C, sha2::Sha512>(&scalar, digest, random);
    signature.normalize_s().to_bytes().to_vec()
}

fn verify_on<C: EcdsaCurve + CurveArithmetic>(public: &[u8], digest: &[u8], signature: &[u8]) -> bool
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    let point = read_point::<C>(public).map(ProjectivePoint::<C>::from);
    // On Bitcoin's curve the library accepts low s only; a signature is valid with either s.
    let signature = Signature::<C>::from_slice(signature).map(|signature| signature.normalize_s());
    matches!((point, signature), (Some(point), Ok(signature)) if hazmat::verify_prehashed(&point, digest, &signature).is_ok())
}

fn normalize_s_on<C: EcdsaCurve + CurveArithmetic>(signature: &[u8]) -> Vec<u8> {
    let signature = Signature::<C>::from_slice(signature).expect("ecdsa: a library signed it");
    signature.normalize_s().to_bytes().to_vec()
}
