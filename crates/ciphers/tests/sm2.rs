//! Multiples of points on every backend against the crate `sm2`: random scalars, those at the edges of windows and of the order, and
//! points that are not on the curve.

mod support;

use ::sm2::elliptic_curve::ff::PrimeField;
use ::sm2::elliptic_curve::group::Group;
use ::sm2::elliptic_curve::ops::{MulByGeneratorVartime, Reduce};
use ::sm2::elliptic_curve::sec1::ToSec1Point;
use ::sm2::{FieldBytes, ProjectivePoint};
use sealstone_ciphers::sm2::{Backend, Curve, Point, Scalar};
use support::{array, hex, noise};

const N: &str = "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123";
const P: &str = "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff";

fn curves() -> Vec<Curve> {
    let found: Vec<_> = Backend::ALL.into_iter().filter(|backend| backend.is_available()).collect();
    println!("backends here: {}", found.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", "));
    assert!(found.contains(&Backend::Portable));
    found.into_iter().map(|backend| Curve::with_backend(backend).unwrap()).collect()
}

/// The same numbers and points as the crate has them.
fn theirs(scalar: &Scalar) -> ::sm2::Scalar {
    ::sm2::Scalar::from_repr(scalar.to_bytes().into()).unwrap()
}

fn coordinates(point: &ProjectivePoint) -> [u8; 64] {
    point.to_affine().to_sec1_point(false).as_bytes()[1..].try_into().unwrap()
}

fn small(number: u64) -> Scalar {
    let mut bytes = [0; 32];
    bytes[24..].copy_from_slice(&number.to_be_bytes());
    Scalar::from_bytes(&bytes).unwrap()
}

/// n − number.
fn below_order(number: u64) -> Scalar {
    small(0).subtract(&small(number))
}

fn power_of_2(exponent: usize) -> Scalar {
    let mut bytes = [0; 32];
    bytes[31 - exponent / 8] = 1 << (exponent % 8);
    Scalar::reduce(&bytes)
}

fn random(seed: u64) -> Scalar {
    Scalar::reduce(&noise(seed, 32).try_into().unwrap())
}

/// Multiples of G and of another point by `k`, on each backend.
fn compare(curves: &[Curve], k: &Scalar, factor: &Scalar) {
    let (number, theirs_of_factor) = (theirs(k), ProjectivePoint::mul_by_generator(&theirs(factor)));
    let base = coordinates(&ProjectivePoint::mul_by_generator(&number));
    let other = coordinates(&(theirs_of_factor * number));
    let point = Point::from_coordinates(&coordinates(&theirs_of_factor)).unwrap();
    for curve in curves {
        assert_eq!(curve.multiply_base(k).to_coordinates(), base, "{curve:?} {:02x?}", k.to_bytes());
        assert_eq!(curve.multiply(&point, k).to_coordinates(), other, "{curve:?} {:02x?}", k.to_bytes());
        assert_eq!(curve.multiply_both(&point, k).map(|point| point.to_coordinates()), [base, other]);
    }
}

/// Scalars where digits carry, where the order wraps, and where both points of an addition are equal.
fn edges() -> Vec<Scalar> {
    let mut found: Vec<_> = (1..=130).flat_map(|number| [small(number), below_order(number)]).collect();
    for exponent in 1..256 {
        for distance in [0, 1, 2, 3, 15, 16, 17, 31, 32, 33] {
            let power = power_of_2(exponent);
            found.extend([power.add(&small(distance)), power.subtract(&small(distance))]);
        }
    }
    // Each digit the largest, the smallest, and one over or below.
    for width in [5, 6, 12] {
        for digit in [1, (1 << (width - 1)) - 1, 1 << (width - 1), (1 << (width - 1)) + 1, (1 << width) - 1] {
            let digits = (0..256).step_by(width).map(|at| power_of_2(at).multiply(&small(digit)));
            let sum = digits.fold(small(0), |sum, digit| sum.add(&digit));
            found.extend([sum, small(0).subtract(&sum)]);
        }
    }
    found.retain(|scalar| !scalar.is_zero());
    found
}

#[test]
fn multiples_by_scalars_at_the_edges() {
    let curves = curves();
    let edges = edges();
    assert!(edges.len() > 5_000);
    for (i, k) in edges.iter().enumerate().step_by(step()) {
        compare(&curves, k, &small(1 + i as u64 % 40));
    }
    // n − 6, for which the last two points of a multiple are equal, with all small factors.
    for factor in 1..=8 {
        compare(&curves, &below_order(6), &small(factor));
    }
}

/// All edges with `SEALSTONE_EXHAUSTIVE=1`; some of each kind otherwise.
fn step() -> usize {
    if std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some() { 1 } else { 7 }
}

#[test]
fn multiples_by_random_scalars() {
    let curves = curves();
    let cases = if std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some() { 1_000_000 } else { 300 };
    for case in 0..cases {
        compare(&curves, &random(2 * case), &random(2 * case + 1));
    }
}

#[test]
fn a_multiple_by_zero_is_no_point() {
    for curve in curves() {
        let point = curve.multiply_base(&small(1));
        let multiples = [curve.multiply_base(&small(0)), curve.multiply(&point, &small(0))];
        for multiple in multiples.into_iter().chain(curve.multiply_both(&point, &small(0))) {
            assert_eq!(multiple.to_coordinates(), [0; 64]);
            assert!(Point::from_coordinates(&multiple.to_coordinates()).is_none());
        }
    }
}

/// The coordinates of [a]G + [b]P, by the crate; `None` for the point at infinity.
fn sum_of(a: &Scalar, b: &Scalar, point: &ProjectivePoint) -> Option<[u8; 64]> {
    let sum = ProjectivePoint::mul_by_generator_and_mul_add_vartime(&theirs(a), &theirs(b), point);
    (!bool::from(sum.is_identity())).then(|| coordinates(&sum))
}

fn compare_sums(curves: &[Curve], a: &Scalar, b: &Scalar, factor: &Scalar) {
    let point = ProjectivePoint::mul_by_generator(&theirs(factor));
    let own = Point::from_coordinates(&coordinates(&point)).unwrap();
    let sum = sum_of(a, b, &point);
    let x = sum.map(|sum| Scalar::reduce(sum.first_chunk().unwrap()));
    for curve in curves {
        let known = format!("{curve:?} {:02x?} {:02x?} {:02x?}", a.to_bytes(), b.to_bytes(), factor.to_bytes());
        match &x {
            Some(x) => {
                assert!(curve.sum_has_x(a, b, &own, x), "{known}");
                for other in [x.add(&small(1)), x.subtract(&small(1)), small(0).subtract(x), small(0)] {
                    assert!(other == *x || !curve.sum_has_x(a, b, &own, &other), "{known}");
                }
            }
            None => assert!([small(0), small(1)].iter().all(|x| !curve.sum_has_x(a, b, &own, x)), "{known}"),
        }
        // A multiple by 0 is no point.
        if !a.is_zero() && !b.is_zero() {
            let found = curve.add(&curve.multiply_base(a), &curve.multiply(&own, b));
            assert_eq!(found.map(|point| point.to_coordinates()), sum, "{known}");
        }
    }
}

#[test]
fn sums_of_multiples_of_small_scalars_and_of_equal_and_opposite_points() {
    let curves = curves();
    let scalars = || (0..=5).map(small).chain((1..=5).map(below_order)).chain([small(62), small(64), small(65)]);
    for a in scalars() {
        for b in scalars() {
            for factor in [small(1), small(2), small(3), below_order(1), below_order(2)] {
                compare_sums(&curves, &a, &b, &factor);
            }
        }
    }
    // Half of one point and half of the other meet in each window.
    for exponent in (1..255).step_by(step()) {
        let power = power_of_2(exponent);
        for (a, b) in [(power, power), (power, small(0).subtract(&power)), (power.add(&small(1)), power)] {
            compare_sums(&curves, &a, &b, &small(1));
            compare_sums(&curves, &b, &a, &below_order(1));
        }
        // [2 power]G and [power](-2G) are opposite before the last digit of a.
        if exponent > 12 {
            compare_sums(&curves, &power.add(&power).add(&small(1)), &power, &below_order(2));
        }
    }
}

#[test]
fn sums_of_multiples_of_random_scalars() {
    let curves = curves();
    for case in 0..if step() == 1 { 100_000 } else { 300 } {
        compare_sums(&curves, &random(3 * case), &random(3 * case + 1), &random(3 * case + 2));
    }
}

#[test]
fn a_small_coordinate_is_not_known_by_a_number_that_passes_p_or_2_256_with_the_order() {
    use ::sm2::elliptic_curve::point::DecompressPoint;
    let curves = curves();
    // p - n and 2^256 - n.
    let p_less_n = Scalar::reduce(&array(P));
    let less_n = Scalar::reduce(&[0xff; 32]).add(&small(1));
    let mut found = 0;
    for x in 0..40u64 {
        let bytes = small(x).to_bytes();
        let point = ::sm2::AffinePoint::decompress(&FieldBytes::from(bytes), 0.into());
        let Some(point) = Option::<::sm2::AffinePoint>::from(point) else { continue };
        found += 1;
        let own = Point::from_coordinates(&coordinates(&point.into())).unwrap();
        // x + p is another writing of x.
        let p: [u8; 32] = array(P);
        let low = u128::from_be_bytes(p[16..].try_into().unwrap()) + u128::from(x);
        let aliased = [&p[..16], &low.to_be_bytes(), &own.to_coordinates()[32..]].concat();
        assert!(Point::from_coordinates(&aliased.try_into().unwrap()).is_none());
        for curve in &curves {
            assert!(curve.sum_has_x(&small(0), &small(1), &own, &small(x)));
            for other in [&p_less_n, &less_n] {
                assert!(!curve.sum_has_x(&small(0), &small(1), &own, &other.add(&small(x))));
            }
        }
    }
    assert!(found > 10);
}

/// Of x coordinates from n to p − 1, whose remainder is compared with r, points are known by their x alone: y is a root.
#[test]
fn a_coordinate_above_the_order_is_known_by_its_remainder() {
    use ::sm2::elliptic_curve::point::DecompressPoint;
    let curves = curves();
    let mut found = 0;
    for offset in 0..40u64 {
        // n + offset, which Scalar cannot have.
        let mut x: [u8; 32] = array(N);
        let low = u64::from_be_bytes(x[24..].try_into().unwrap()) + offset;
        x[24..].copy_from_slice(&low.to_be_bytes());
        let point = ::sm2::AffinePoint::decompress(&FieldBytes::from(x), 0.into());
        let Some(point) = Option::<::sm2::AffinePoint>::from(point) else { continue };
        found += 1;
        let own = Point::from_coordinates(&coordinates(&point.into())).unwrap();
        for curve in &curves {
            // [0]G + [1]P.
            assert!(curve.sum_has_x(&small(0), &small(1), &own, &small(offset)));
            assert!(!curve.sum_has_x(&small(0), &small(1), &own, &small(offset + 1)));
        }
    }
    assert!(found > 10);
}

#[test]
fn an_x_gives_the_points_that_the_crate_finds() {
    use ::sm2::elliptic_curve::point::DecompressPoint;
    let p: [u8; 32] = array(P);
    let near_p = |distance: u8| {
        let mut x = p;
        x[31] -= distance;
        x
    };
    let xs: Vec<[u8; 32]> = (0..100).map(|x| small(x).to_bytes()).chain((0..20).map(near_p)).collect();
    let random = (0..200).map(|seed| noise(seed, 32).try_into().unwrap());
    let mut found = [0, 0];
    for x in xs.into_iter().chain(random) {
        for is_odd in [false, true] {
            let expected = ::sm2::AffinePoint::decompress(&FieldBytes::from(x), u8::from(is_odd).into());
            let expected = Option::<::sm2::AffinePoint>::from(expected).map(|point| coordinates(&point.into()));
            let own = Point::from_x(&x, is_odd);
            assert_eq!(own.map(|point| point.to_coordinates()), expected, "{x:02x?} {is_odd}");
            if let Some(own) = own {
                assert_eq!(Point::from_coordinates(&own.to_coordinates()), Some(own));
                assert_eq!(own.to_coordinates()[63] & 1 == 1, is_odd);
            }
            found[usize::from(own.is_some())] += 1;
        }
    }
    assert!(found[0] > 200 && found[1] > 200, "{found:?}");
    for x in [p, [0xff; 32]] {
        assert!(Point::from_x(&x, false).is_none() && Point::from_x(&x, true).is_none());
    }
}

#[test]
fn points_off_the_curve_and_coordinates_that_are_not_reduced_are_refused() {
    let point = Curve::new().multiply_base(&random(1)).to_coordinates();
    assert_eq!(Point::from_coordinates(&point).unwrap().to_coordinates(), point);
    for bit in 0..512 {
        let mut changed = point;
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Point::from_coordinates(&changed).is_none(), "bit {bit}");
    }
    let p = hex(P);
    for (at, bytes) in [(0, &p[..]), (32, &p), (0, &[0xff; 32]), (32, &[0xff; 32]), (0, &[0; 32]), (32, &[0; 32])] {
        let mut changed = point;
        changed[at..at + 32].copy_from_slice(bytes);
        assert!(Point::from_coordinates(&changed).is_none());
    }
    assert!(Point::from_coordinates(&[0; 64]).is_none());
}

#[test]
fn scalars_are_those_of_the_crate() {
    let edges: Vec<_> = edges().into_iter().step_by(13).chain((0..100).map(random)).collect();
    for (i, a) in edges.iter().enumerate() {
        let b = &edges[(7 * i + 3) % edges.len()];
        let (x, y) = (theirs(a), theirs(b));
        let expected = [x + y, x - y, x * y, x.invert().unwrap()].map(|number| <[u8; 32]>::from(number.to_repr()));
        assert_eq!([a.add(b), a.subtract(b), a.multiply(b), a.invert()].map(|number| number.to_bytes()), expected);
    }
    assert!(small(0).invert().is_zero() && small(0).is_zero() && !small(1).is_zero());
    let n: [u8; 32] = array(N);
    assert!(Scalar::from_bytes(&n).is_none() && Scalar::from_bytes(&[0xff; 32]).is_none());
    assert!(Scalar::reduce(&n).is_zero());
    assert_eq!(Scalar::from_bytes(&below_order(1).to_bytes()).unwrap(), below_order(1));
    for seed in 0..100 {
        let bytes: [u8; 32] = noise(seed, 32).try_into().unwrap();
        let expected = <::sm2::Scalar as Reduce<FieldBytes>>::reduce(&bytes.into());
        assert_eq!(Scalar::reduce(&bytes).to_bytes(), <[u8; 32]>::from(expected.to_repr()));
    }
    assert_eq!(format!("{:?} {:?}", small(3), Curve::new().multiply_base(&small(3))), "Scalar(..) Point(..)");
}
