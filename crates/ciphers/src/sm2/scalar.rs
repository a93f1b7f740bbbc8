//! Numbers modulo n, the order of SM2's curve (GB/T 32918.5), in constant time.

use crate::field::P;
use crate::words::{self, Words, add, add_product, reduce_once};
use std::hint::black_box;
use zeroize::Zeroize;

/// n.
pub(crate) const N: Words =
    [0x53bb_f409_39d5_4123, 0x7203_df6b_21c6_052b, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff];
/// −n^−1 mod 2^64.
const QUOTIENT: u64 = 0x327f_9e88_7235_0975;
/// 2^512 mod n.
const R_SQUARED: Words = [0x9011_92af_7c11_4f20, 0x3464_504a_de6f_a2fa, 0x620f_c84c_3aff_e0d4, 0x1eb5_e412_a22b_3d3b];

/// A number below n, the order of the curve. It may be secret: the caller zeroes it. Only the time of `==` depends on numbers.
///
/// ```
/// use sealstone_ciphers::sm2::Scalar;
///
/// let seven = Scalar::from_bytes(&[7; 32]).expect("it is below n");
/// assert_eq!(seven.multiply(&seven.invert()), Scalar::ONE);
/// assert!(Scalar::from_bytes(&[0xff; 32]).is_none());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Scalar(pub(crate) Words);

impl Scalar {
    /// 1.
    pub const ONE: Self = Self([1, 0, 0, 0]);

    /// Reads a number of 32 bytes, big-endian; `None` if it is not below n.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let mut number = Self::default();
        number.read(bytes).then_some(number)
    }

    /// Reads a number of 32 bytes, big-endian, in place: no copy of a secret stays where it came from. Returns whether it is below n; a
    /// larger one must not be used.
    #[must_use]
    pub fn read(&mut self, bytes: &[u8; 32]) -> bool {
        words::read(&mut self.0, bytes);
        words::is_below(&self.0, &N)
    }

    /// Reads any number of 32 bytes, big-endian, modulo n.
    #[must_use]
    pub fn reduce(bytes: &[u8; 32]) -> Self {
        // n is over 2^255.
        Self(reduce_once(words::of_bytes(bytes), 0, &N))
    }

    /// Writes 32 bytes, big-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        words::to_bytes(&self.0)
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        words::zero_mask(&self.0) != 0
    }

    /// a + n, if that is below p.
    pub(super) fn plus_order(&self) -> Option<Words> {
        let mut carry = 0;
        let sum = std::array::from_fn(|i| add(self.0[i], N[i], &mut carry));
        (carry == 0 && words::is_below(&sum, &P)).then_some(sum)
    }

    /// a + b.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let mut carry = 0;
        let sum = std::array::from_fn(|i| add(self.0[i], other.0[i], &mut carry));
        Self(reduce_once(sum, carry, &N))
    }

    /// a − b.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Self {
        let mut borrow = 0;
        let difference: Words = std::array::from_fn(|i| words::subtract(self.0[i], other.0[i], &mut borrow));
        let (mask, mut carry) = (black_box(borrow.wrapping_neg()), 0);
        Self(std::array::from_fn(|i| add(difference[i], N[i] & mask, &mut carry)))
    }

    /// a · b.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        Self(multiply_reduced(&multiply_reduced(&self.0, &R_SQUARED), &other.0))
    }

    /// 1 / a, by Fermat's little theorem a^(n − 2); 0 for 0. It takes windows of four bits of the exponent, which is public.
    #[must_use]
    pub fn invert(&self) -> Self {
        let one = multiply_reduced(&R_SQUARED, &Self::ONE.0);
        let mut base = multiply_reduced(&self.0, &R_SQUARED);
        let mut powers = [one; 16];
        for i in 1..16 {
            powers[i] = multiply_reduced(&powers[i - 1], &base);
        }
        let mut power = one;
        for at in (0..64).rev() {
            for _ in 0..4 {
                power = multiply_reduced(&power, &power);
            }
            // 2 is taken from the lowest word, which ends with 3.
            let word = if at < 16 { N[0] - 2 } else { N[at / 16] };
            power = multiply_reduced(&power, &powers[(word >> (4 * (at % 16))) as usize & 15]);
        }
        let inverse = multiply_reduced(&power, &Self::ONE.0);
        crate::erasure::clear(&mut powers, [0; 4]);
        crate::erasure::clear(&mut power, 0);
        crate::erasure::clear(&mut base, 0);
        Self(inverse)
    }
}

impl Zeroize for Scalar {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl std::fmt::Debug for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scalar(..)")
    }
}

/// a · b / 2^256, by Montgomery's reduction word by word (Koç, Acar and Kaliski, "Analyzing and comparing Montgomery multiplication
/// algorithms", 1996: CIOS).
fn multiply_reduced(a: &Words, b: &Words) -> Words {
    // Below (2^64 + 1) · n, so five words suffice.
    let mut sum = [0; 5];
    for word in b {
        let mut carry = 0;
        for (sum, a) in sum.iter_mut().zip(a) {
            *sum = add_product(*sum, *a, *word, &mut carry);
        }
        sum[4] += carry;
        // The multiple of n that makes the lowest word 0, which is then left out.
        let quotient = sum[0].wrapping_mul(QUOTIENT);
        let mut carry = 0;
        add_product(sum[0], quotient, N[0], &mut carry);
        for i in 1..4 {
            sum[i - 1] = add_product(sum[i], quotient, N[i], &mut carry);
        }
        let mut top = 0;
        sum[3] = add(sum[4], carry, &mut top);
        sum[4] = top;
    }
    let [a, b, c, d, top] = sum;
    reduce_once([a, b, c, d], top, &N)
}
