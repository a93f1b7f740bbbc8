//! Points of y^2 = x^3 − 3x + b, and their sums, in constant time.

use super::coordinate;
use super::scalar::Scalar;
use crate::field::{Element, Field};

/// A point by its coordinates x and y. It is never the point at infinity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) x: Element,
    pub(crate) y: Element,
}

/// A point as (x / z², y / z³). The point at infinity has z = 0. Aligned, a number is in one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Jacobian {
    pub(crate) x: Element,
    pub(crate) y: Element,
    pub(crate) z: Element,
}

impl From<[Element; 2]> for Affine {
    fn from([x, y]: [Element; 2]) -> Self {
        Self { x, y }
    }
}

impl From<[Element; 3]> for Jacobian {
    fn from([x, y, z]: [Element; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<Affine> for Jacobian {
    fn from(Affine { x, y }: Affine) -> Self {
        Self { x, y, z: Element::ONE }
    }
}

impl Affine {
    /// The opposite point if the mask is all ones, itself if it is 0.
    #[inline(always)]
    pub(crate) fn negate_if(self, field: impl Field, mask: u64) -> Self {
        Self { y: self.y.negate_if(field, mask), ..self }
    }
}

/// The sum of two points.
pub(crate) struct Sum {
    pub(crate) point: Jacobian,
    /// All ones if the points are equal, else 0. Then `point` is wrong, and the sum is twice either of them.
    pub(crate) equal_mask: u64,
}

// The order of independent statements below is worth a tenth and more: processors run them beside each other, as far as their
// window reaches. It was found by search (docs/design/sm2.md), so change it only with a measurement.
impl Jacobian {
    pub(crate) const INFINITY: Self = Self { x: Element::ONE, y: Element::ONE, z: Element::ZERO };

    /// All ones if it is the point at infinity, else 0.
    #[inline(always)]
    pub(crate) fn infinity_mask(&self) -> u64 {
        self.z.zero_mask()
    }

    /// `other` if the mask is all ones, itself if it is 0.
    #[inline(always)]
    pub(crate) fn select(&self, other: &Self, mask: u64) -> Self {
        let [x, y, z] = [(self.x, other.x), (self.y, other.y), (self.z, other.z)].map(|(a, b)| a.select(&b, mask));
        Self { x, y, z }
    }

    /// The opposite point if the mask is all ones, itself if it is 0.
    #[inline(always)]
    pub(crate) fn negate_if(self, field: impl Field, mask: u64) -> Self {
        Self { y: self.y.negate_if(field, mask), ..self }
    }

    /// 2P; of the point at infinity, itself. With w = 3(x − z²)(x + z²) / 2 it is x' = w² − 2xy², y' = w(xy² − x') − y⁴ and z' = yz: the
    /// usual formulas with half of z', which spares multiplications by small numbers. y is never 0, since the order is odd.
    #[inline(always)]
    fn double_once<F: Field>(&self, field: F) -> Self {
        let (m, s) = (|a: &_, b: &_| field.multiply(a, b), |a: &_| field.square(a));
        let (plus, minus) = (|a: &_, b: &_| field.add(a, b), |a: &_, b: &_| field.subtract(a, b));
        let zz = s(&self.z);
        let x_plus = plus(&self.x, &zz);
        let x_minus = minus(&self.x, &zz);
        let yy = s(&self.y);
        let third = m(&x_minus, &x_plus);
        let half = third.halve();
        let v = m(&self.x, &yy);
        let w = plus(&half, &third);
        let ww = s(&w);
        let yyyy = s(&yy);
        let x = minus(&ww, &v);
        let x = minus(&x, &v);
        let z = m(&self.y, &self.z);
        let v = minus(&v, &x);
        let y = m(&w, &v);
        let y = minus(&y, &yyyy);
        Self { x, y, z }
    }

    /// 2^count · P. The point stays in the frame of one function.
    #[inline(never)]
    pub(crate) fn double<F: Field>(&self, field: F, count: u32) -> Self {
        (0..count).fold(*self, |point, _| point.double_once(field))
    }

    /// P + Q.
    #[inline(never)]
    pub(crate) fn add<F: Field>(&self, field: F, other: &Self) -> Sum {
        let (m, s) = (|a: &_, b: &_| field.multiply(a, b), |a: &_| field.square(a));
        let minus = |a: &_, b: &_| field.subtract(a, b);
        let (p, q) = (self, other);
        let qzz = s(&q.z);
        let pzz = s(&p.z);
        let u = m(&p.x, &qzz);
        let pyz = m(&p.y, &q.z);
        let qu = m(&q.x, &pzz);
        let qyz = m(&q.y, &p.z);
        let t = m(&pyz, &qzz);
        let h = minus(&qu, &u);
        let qt = m(&qyz, &pzz);
        let hh = s(&h);
        let r = minus(&qt, &t);
        let rr = s(&r);
        let v = m(&u, &hh);
        let hhh = m(&h, &hh);
        let x = minus(&rr, &hhh);
        let x = minus(&x, &v);
        let zz = m(&p.z, &q.z);
        let x = minus(&x, &v);
        let v = minus(&v, &x);
        let t = m(&t, &hhh);
        let z = m(&zz, &h);
        let y = m(&r, &v);
        let y = minus(&y, &t);
        let (no_p, no_q) = (p.infinity_mask(), q.infinity_mask());
        let equal_mask = h.zero_mask() & r.zero_mask() & !no_p & !no_q;
        Sum { point: Self { x, y, z }.select(q, no_p).select(p, no_q), equal_mask }
    }

    /// P + Q; P itself if the mask `skips` is all ones.
    #[inline(never)]
    pub(crate) fn add_affine<F: Field>(&self, field: F, other: &Affine, skips: u64) -> Sum {
        let (m, s) = (|a: &_, b: &_| field.multiply(a, b), |a: &_| field.square(a));
        let minus = |a: &_, b: &_| field.subtract(a, b);
        let (p, q) = (self, other);
        let pzz = s(&p.z);
        let qyz = m(&q.y, &p.z);
        let qu = m(&q.x, &pzz);
        let h = minus(&qu, &p.x);
        let qt = m(&qyz, &pzz);
        let hh = s(&h);
        let r = minus(&qt, &p.y);
        let hhh = m(&h, &hh);
        let v = m(&p.x, &hh);
        let rr = s(&r);
        let x = minus(&rr, &hhh);
        let x = minus(&x, &v);
        let t = m(&p.y, &hhh);
        let x = minus(&x, &v);
        let v = minus(&v, &x);
        let z = m(&p.z, &h);
        let y = m(&r, &v);
        let y = minus(&y, &t);
        let no_p = p.infinity_mask();
        let equal_mask = h.zero_mask() & r.zero_mask() & !no_p & !skips;
        Sum { point: Self { x, y, z }.select(&Self::from(*q), no_p).select(p, skips), equal_mask }
    }

    /// Whether it is a point whose x is `x` modulo n: x / z² is compared without a division. n is below p, so the coordinate may be x or
    /// x + n.
    pub(crate) fn has_x(&self, field: impl Field, x: &Scalar) -> bool {
        let square = field.square(&self.z);
        let is_x = |candidate| field.multiply(&coordinate::of_words(candidate), &square) == self.x;
        self.infinity_mask() == 0 && (is_x(x.0) || x.plus_order().is_some_and(is_x))
    }

    /// The coordinates of several points, with one inversion of a product (Montgomery's trick). Those of the point at infinity, which
    /// has none, and of all points beside it, are zeros.
    pub(crate) fn to_affine<const COUNT: usize>(points: &[Self; COUNT], field: impl Field) -> [Affine; COUNT] {
        let mut products = [Element::ONE; COUNT];
        let mut product = points[0].z;
        for (i, point) in points.iter().enumerate().skip(1) {
            products[i] = product;
            product = field.multiply(&product, &point.z);
        }
        let mut inverse = product.invert(field);
        let mut affine = [Affine { x: Element::ZERO, y: Element::ZERO }; COUNT];
        for (i, point) in points.iter().enumerate().rev() {
            let one = field.multiply(&inverse, &products[i]);
            inverse = field.multiply(&inverse, &point.z);
            let square = field.square(&one);
            let x = field.multiply(&point.x, &square);
            let y = field.multiply(&point.y, &field.multiply(&square, &one));
            affine[i] = Affine { x, y };
        }
        affine
    }
}
