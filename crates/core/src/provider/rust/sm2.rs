//! The curve of SM2 with the crate `sm2`: its functions are those of `sealstone_ciphers::sm2`.

use crate::error::Result;
use ::sm2::elliptic_curve::BatchNormalize as _;
use ::sm2::elliptic_curve::ff::PrimeField as _;
use ::sm2::elliptic_curve::group::Group as _;
use ::sm2::elliptic_curve::ops::{MulByGeneratorVartime as _, Reduce};
use ::sm2::elliptic_curve::point::{AffineCoordinates as _, DecompressPoint as _};
use ::sm2::elliptic_curve::sec1::ToSec1Point as _;
use ::sm2::{AffinePoint, FieldBytes, ProjectivePoint};
use zeroize::Zeroize;

/// A number below n.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scalar(::sm2::Scalar);

impl Scalar {
    pub(crate) const ONE: Self = Self(::sm2::Scalar::ONE);

    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Option::from(::sm2::Scalar::from_bytes(bytes.into())).map(Self)
    }

    pub(crate) fn read(&mut self, bytes: &[u8; 32]) -> bool {
        Self::from_bytes(bytes).inspect(|number| *self = *number).is_some()
    }

    pub(crate) fn reduce(bytes: &[u8; 32]) -> Self {
        Self(<::sm2::Scalar as Reduce<FieldBytes>>::reduce(bytes.into()))
    }

    pub(crate) fn to_bytes(self) -> [u8; 32] {
        self.0.to_repr().into()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_zero().into()
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        Self(self.0 + other.0)
    }

    pub(crate) fn subtract(&self, other: &Self) -> Self {
        Self(self.0 - other.0)
    }

    pub(crate) fn multiply(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }

    /// 0 for 0.
    pub(crate) fn invert(&self) -> Self {
        Self(self.0.invert().unwrap_or(::sm2::Scalar::ZERO))
    }
}

impl Zeroize for Scalar {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// A point of the curve, but not the point at infinity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point(AffinePoint);

impl Zeroize for Point {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Point {
    pub(crate) const LEN: usize = 64;

    pub(crate) fn from_coordinates(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let (coordinates, _) = bytes.as_chunks::<32>();
        // Not the library's parser, which also reads other forms of points.
        let [x, y] = [0, 1].map(|i| (&coordinates[i]).into());
        Option::from(AffinePoint::from_coordinates(x, y)).map(Self)
    }

    pub(crate) fn from_x(x: &[u8; 32], is_odd: bool) -> Option<Self> {
        Option::from(AffinePoint::decompress(x.into(), u8::from(is_odd).into())).map(Self)
    }

    pub(crate) fn to_coordinates(self) -> [u8; Self::LEN] {
        let point = self.0.to_sec1_point(false);
        *point.as_bytes().last_chunk().expect("sm2: an uncompressed point has two coordinates")
    }
}

/// The curve.
#[derive(Clone, Copy)]
pub(crate) struct Curve;

#[expect(clippy::unnecessary_wraps, reason = "the other provider's backend may be missing")]
pub(crate) fn curve() -> Result<Curve> {
    Ok(Curve)
}

#[expect(clippy::unused_self, reason = "the other provider's curve has a backend")]
impl Curve {
    pub(crate) fn multiply_base(&self, k: &Scalar) -> Point {
        Point(ProjectivePoint::mul_by_generator(&k.0).to_affine())
    }

    pub(crate) fn multiply(&self, point: &Point, k: &Scalar) -> Point {
        Point((ProjectivePoint::from(point.0) * k.0).to_affine())
    }

    pub(crate) fn multiply_both(&self, point: &Point, k: &Scalar) -> [Point; 2] {
        let points = [ProjectivePoint::mul_by_generator(&k.0), ProjectivePoint::from(point.0) * k.0];
        ProjectivePoint::batch_normalize(&points).map(Point)
    }

    pub(crate) fn add(&self, p: &Point, q: &Point) -> Option<Point> {
        let sum = ProjectivePoint::from(p.0) + ProjectivePoint::from(q.0);
        (!bool::from(sum.is_identity())).then(|| Point(sum.to_affine()))
    }

    pub(crate) fn sum_has_x(&self, a: &Scalar, b: &Scalar, point: &Point, x: &Scalar) -> bool {
        let sum = ProjectivePoint::mul_by_generator_and_mul_add_vartime(&a.0, &b.0, &point.0.into());
        !bool::from(sum.is_identity()) && <::sm2::Scalar as Reduce<FieldBytes>>::reduce(&sum.to_affine().x()) == x.0
    }
}
