//! ECDSA (FIPS 186-5) by RustCrypto: in WebAssembly, and natively where a curve is used with another hash than its own.
#![allow(dead_code, reason = "natively keys are AWS-LC's, and in WebAssembly low s is the library's")]

use super::Curve;
use ::ecdsa::elliptic_curve::point::AffineCoordinates;
use ::ecdsa::elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytes, NonZeroScalar, ProjectivePoint};
use ::ecdsa::{EcdsaCurve, Signature, hazmat};
use zeroize::Zeroizing;

/// Calls a function of this file for a curve.
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

/// The point of a private key, uncompressed; `None` for a number that is no private key.
pub(super) fn public_key(curve: Curve, private: &[u8]) -> Option<Vec<u8>> {
    for_curve!(curve, public_key_on(private))
}

/// Whether bytes are an uncompressed point of the curve.
pub(super) fn is_on_curve(curve: Curve, point: &[u8]) -> bool {
    for_curve!(curve, is_on(point))
}

/// r ‖ s of a digest, with low s. The number k comes of the key, the digest and randomness together (RFC 6979 section 3.6).
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

/// The same signature with low s.
///
/// # Panics
/// For what is no signature.
pub(super) fn low_s(curve: Curve, signature: &[u8]) -> Vec<u8> {
    for_curve!(curve, low_s_on(signature))
}

/// A point of P-256, whole, of its compressed form; `None` of what is none.
pub(crate) fn decompress_p256(point: &[u8; 33]) -> Option<[u8; 65]> {
    use ::ecdsa::elliptic_curve::point::DecompressPoint;
    let [sign @ (2 | 3), x @ ..] = point else { return None };
    let found = p256::AffinePoint::decompress(&FieldBytes::<p256::NistP256>::from(*x), (sign & 1).into());
    let found: p256::AffinePoint = Option::from(found)?;
    let whole = [&[4], &found.x()[..], &found.y()[..]].concat();
    Some(whole[..].try_into().expect("ecdsa: a point of P-256 has 65 bytes"))
}

fn scalar_of<C: CurveArithmetic>(private: &[u8]) -> Option<Zeroizing<NonZeroScalar<C>>> {
    let bytes = Zeroizing::new(FieldBytes::<C>::try_from(private).ok()?);
    Option::from(NonZeroScalar::<C>::from_repr(*bytes)).map(Zeroizing::new)
}

fn public_key_on<C: CurveArithmetic>(private: &[u8]) -> Option<Vec<u8>>
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    use ::ecdsa::elliptic_curve::group::{Curve as _, Group as _};
    let scalar = scalar_of::<C>(private)?;
    let point = ProjectivePoint::<C>::mul_by_generator(&scalar).to_affine();
    Some([&[4], &point.x()[..], &point.y()[..]].concat())
}

/// A point by its coordinates: what reads compressed ones too would bring square roots into WebAssembly.
fn point_on<C: CurveArithmetic>(bytes: &[u8]) -> Option<AffinePoint<C>>
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
    point_on::<C>(point).is_some()
}

fn sign_on<C: EcdsaCurve + CurveArithmetic>(private: &[u8], digest: &[u8], random: &[u8; 32]) -> Vec<u8> {
    let scalar = scalar_of::<C>(private).expect("ecdsa: the private key was checked");
    let (signature, _) = hazmat::sign_prehashed_rfc6979::<C, sha2::Sha512>(&scalar, digest, random);
    signature.normalize_s().to_bytes().to_vec()
}

fn verify_on<C: EcdsaCurve + CurveArithmetic>(public: &[u8], digest: &[u8], signature: &[u8]) -> bool
where
    AffinePoint<C>: AffineCoordinates<FieldRepr = FieldBytes<C>>,
{
    let point = point_on::<C>(public).map(ProjectivePoint::<C>::from);
    // Low, since the library takes no other on Bitcoin's curve, and both are signatures of one key and digest.
    let signature = Signature::<C>::from_slice(signature).map(|signature| signature.normalize_s());
    matches!((point, signature), (Some(point), Ok(signature)) if hazmat::verify_prehashed(&point, digest, &signature).is_ok())
}

fn low_s_on<C: EcdsaCurve + CurveArithmetic>(signature: &[u8]) -> Vec<u8> {
    let signature = Signature::<C>::from_slice(signature).expect("ecdsa: a library signed it");
    signature.normalize_s().to_bytes().to_vec()
}
