//! The curve of SM2 (GB/T 32918.5): multiples of points, and numbers modulo its order, in constant time, on two backends.
//!
//! Signatures, encryption and their formats are in the crate `sealstone`. docs/design/sm2.md explains the choices.

mod coordinate;
mod generator;
mod multiples;
mod point;
mod scalar;

pub use scalar::Scalar;

#[cfg(target_arch = "x86_64")]
use crate::cpu;
use crate::erasure::clear;
use crate::field::Field;
use crate::portable::sm2::Portable;
use point::{Affine, Jacobian};

/// An implementation of the field's arithmetic.
///
/// ```
/// use sealstone_ciphers::sm2::Backend;
///
/// assert!(Backend::ALL.iter().any(|backend| *backend == Backend::Portable && backend.is_available()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Plain Rust.
    Portable,
    /// Two carry chains (ADX) beside multiplications that do not change the flags (BMI2), and AVX2 for tables.
    Adx,
}

impl Backend {
    /// All backends, the slowest first.
    pub const ALL: [Self; 2] = [Self::Portable, Self::Adx];

    /// The identifier used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Adx => "adx",
        }
    }

    /// Whether this CPU supports the backend.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernel::of(self).is_some()
    }

    /// The fastest backend that this CPU supports.
    #[must_use]
    pub fn fastest() -> Self {
        if Self::Adx.is_available() { Self::Adx } else { Self::Portable }
    }
}

/// A backend that this CPU supports, with the token that proves it.
#[derive(Debug, Clone, Copy)]
enum Kernel {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Adx(cpu::Adx),
}

impl Kernel {
    fn of(backend: Backend) -> Option<Self> {
        match backend {
            Backend::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            Backend::Adx => cpu::Adx::detect().map(Self::Adx),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Adx => None,
        }
    }
}

/// Calls a generic function with the field of a backend.
macro_rules! on_field {
    ($kernel:expr, |$field:ident| $call:expr) => {
        match $kernel {
            Kernel::Portable => {
                let $field = Portable;
                $call
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Adx($field) => $call,
        }
    };
}

/// A point of the curve, but not the point at infinity. The time of `==` depends on the points.
///
/// A multiple by 0 has the coordinates 0, which [`from_coordinates`](Self::from_coordinates) refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Point(Affine);

impl Point {
    /// Bytes of both coordinates.
    pub const LEN: usize = 64;

    /// Reads x and y, each 32 bytes, big-endian; `None` if one is not below p, or the point is not on the curve.
    #[must_use]
    pub fn from_coordinates(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let (coordinates, _) = bytes.as_chunks::<32>();
        let (x, y) = (coordinate::read(&coordinates[0])?, coordinate::read(&coordinates[1])?);
        coordinate::is_on_curve(&x, &y).then_some(Self(Affine { x, y }))
    }

    /// The point with this x, 32 bytes, big-endian, and an odd or even y; `None` if x is not below p, or no point has it. The time
    /// depends on x, which must be public.
    ///
    /// ```
    /// use sealstone_ciphers::sm2::{Curve, Point, Scalar};
    ///
    /// let point = Curve::new().multiply_base(&Scalar::from_bytes(&[3; 32]).expect("it is below n"));
    /// let bytes = point.to_coordinates();
    /// assert_eq!(Point::from_x(bytes.first_chunk().expect("it has 64 bytes"), bytes[63] & 1 == 1), Some(point));
    /// ```
    #[must_use]
    pub fn from_x(x: &[u8; 32], is_odd: bool) -> Option<Self> {
        let x = coordinate::read(x)?;
        coordinate::y_of(&x, is_odd).map(|y| Self(Affine { x, y }))
    }

    /// Writes x and y.
    #[must_use]
    pub fn to_coordinates(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..32].copy_from_slice(&coordinate::write(&self.0.x));
        bytes[32..].copy_from_slice(&coordinate::write(&self.0.y));
        bytes
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Point(..)")
    }
}

impl zeroize::Zeroize for Point {
    fn zeroize(&mut self) {
        let Affine { x, y } = &mut self.0;
        x.0.zeroize();
        y.0.zeroize();
    }
}

/// The curve on a backend.
///
/// ```
/// use sealstone_ciphers::sm2::{Curve, Scalar};
///
/// // Both sides agree on a point (Diffie and Hellman, 1976).
/// let curve = Curve::new();
/// let [a, b] = [3, 5].map(|byte| Scalar::from_bytes(&[byte; 32]).expect("it is below n"));
/// let of_a = curve.multiply(&curve.multiply_base(&b), &a);
/// assert_eq!(of_a, curve.multiply(&curve.multiply_base(&a), &b));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Curve(Kernel);

impl Curve {
    /// The curve on the backend that is fastest on this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::with_backend(Backend::fastest()).expect("sm2: the fastest backend is available")
    }

    /// The curve on a backend of the caller's choice; `None` if this CPU does not support it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<Self> {
        Kernel::of(backend).map(Self)
    }

    /// \[k\]G, a multiple of the base point, in constant time. k must not be 0: then both coordinates are 0, which is no point of the curve.
    #[must_use]
    pub fn multiply_base(&self, k: &Scalar) -> Point {
        on_field!(self.0, |field| {
            let [point] = to_points([multiples::multiply_base(field, k)], field);
            point
        })
    }

    /// \[k\]P, in constant time. k must not be 0, as of [`multiply_base`](Self::multiply_base).
    #[must_use]
    pub fn multiply(&self, point: &Point, k: &Scalar) -> Point {
        on_field!(self.0, |field| {
            let [point] = to_points([multiples::multiply(field, &point.0, k)], field);
            point
        })
    }

    /// \[k\]G and \[k\]P, in constant time, with one inversion for both. k must not be 0, as of [`multiply_base`](Self::multiply_base).
    #[must_use]
    pub fn multiply_both(&self, point: &Point, k: &Scalar) -> [Point; 2] {
        on_field!(self.0, |field| {
            to_points([multiples::multiply_base(field, k), multiples::multiply(field, &point.0, k)], field)
        })
    }

    /// P + Q; `None` if that is the point at infinity. The time depends on the points, which must be public.
    #[must_use]
    pub fn add(&self, p: &Point, q: &Point) -> Option<Point> {
        on_field!(self.0, |field| {
            let sum = multiples::add(field, &p.0, &q.0);
            (sum.infinity_mask() == 0).then(|| {
                let [point] = to_points([sum], field);
                point
            })
        })
    }

    /// Whether \[a\]G + \[b\]P is a point whose x is `x` modulo n. The time depends on the numbers, which must be public.
    #[must_use]
    pub fn sum_has_x(&self, a: &Scalar, b: &Scalar, point: &Point, x: &Scalar) -> bool {
        on_field!(self.0, |field| multiples::add_multiples(field, a, b, &point.0).has_x(field, x))
    }
}

impl Default for Curve {
    fn default() -> Self {
        Self::new()
    }
}

fn to_points<const COUNT: usize>(mut sums: [Jacobian; COUNT], field: impl Field) -> [Point; COUNT] {
    let points = Jacobian::to_affine(&sums, field).map(Point);
    // Their z tells more of k than the points do (Naccache, Smart and Stern, 2004).
    clear(&mut sums, Jacobian::INFINITY);
    points
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
