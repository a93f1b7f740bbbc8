//! The numbers of RSA keys (RFC 8017 appendix A.1): PKCS#1, their encoding, and the checks on them.

use crate::provider::RsaDecryption;
use der::asn1::{AnyRef, UintRef};
use der::{Decode as _, Encode as _, Sequence, SliceReader, Tag, Tagged as _};
use zeroize::Zeroizing;

/// Bits of the shortest modulus.
pub const MIN_BITS: usize = 2048;
/// Bits of the longest modulus.
pub const MAX_BITS: usize = 8192;

/// An `RSAPrivateKey` of two primes (RFC 8017 appendix A.1.2).
#[derive(Sequence)]
pub(crate) struct PrivateDer<'a> {
    pub(super) version: u8,
    pub(super) modulus: UintRef<'a>,
    pub(super) public_exponent: UintRef<'a>,
    pub(super) private_exponent: UintRef<'a>,
    pub(super) prime1: UintRef<'a>,
    pub(super) prime2: UintRef<'a>,
    pub(super) exponent1: UintRef<'a>,
    pub(super) exponent2: UintRef<'a>,
    pub(super) coefficient: UintRef<'a>,
}

impl<'a> PrivateDer<'a> {
    pub(crate) fn read(der: &'a [u8]) -> Option<Self> {
        Self::from_der(der).ok().filter(|numbers: &Self| numbers.version == 0)
    }

    /// Whether these are the numbers of a key of three primes or more, whose version is 1.
    pub(crate) fn has_more_primes(der: &[u8]) -> bool {
        let numbers = AnyRef::from_der(der).ok().filter(|any| any.tag() == Tag::Sequence);
        let version = numbers.and_then(|any| u8::decode(&mut SliceReader::new(any.value()).ok()?).ok());
        version == Some(1)
    }

    /// Encodes n, e, d, p, q, dp, dq and qi; `None` for fewer numbers.
    pub(crate) fn write(numbers: &[Zeroizing<Vec<u8>>]) -> Option<Zeroizing<Vec<u8>>> {
        let number = |at: usize| UintRef::new(numbers.get(at)?).ok();
        let numbers = PrivateDer {
            version: 0,
            modulus: number(0)?,
            public_exponent: number(1)?,
            private_exponent: number(2)?,
            prime1: number(3)?,
            prime2: number(4)?,
            exponent1: number(5)?,
            exponent2: number(6)?,
            coefficient: number(7)?,
        };
        numbers.to_der().ok().map(Zeroizing::new)
    }

    /// Encodes the numbers that OpenSSH stores: n, e, d, the inverse of q, p and q. Computes dp and dq. `None` for numbers that
    /// are no key's, such as an even prime.
    #[allow(clippy::many_single_char_names, reason = "they are RFC 8017's")]
    pub(crate) fn of_ssh([n, e, d, inverse, p, q]: [&[u8]; 6]) -> Option<Zeroizing<Vec<u8>>> {
        let secret = |bytes: &[u8]| Zeroizing::new(bytes.to_vec());
        let exponent = |prime: &[u8]| {
            let is_odd = prime.last().is_some_and(|last| last & 1 == 1);
            let fits = is_odd && prime.len() > 1 && d.len() <= n.len() && n.len() <= MAX_BITS / 8;
            let reduce = || Limbs::from_bytes(d).modulo(&Limbs::from_bytes(prime).clear_last_bit()).to_bytes();
            fits.then(reduce)
        };
        let (dp, dq) = (exponent(p)?, exponent(q)?);
        Self::write(&[secret(n), secret(e), secret(d), secret(p), secret(q), dp, dq, secret(inverse)])
    }

    /// The numbers by their short names.
    pub(crate) fn members(&self) -> Vec<(&'static str, &'a [u8])> {
        let names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"];
        let numbers = [
            self.modulus,
            self.public_exponent,
            self.private_exponent,
            self.prime1,
            self.prime2,
            self.exponent1,
            self.exponent2,
            self.coefficient,
        ];
        names.into_iter().zip(numbers.map(|number| number.as_bytes())).collect()
    }

    pub(super) fn public(&self) -> PublicDer<'a> {
        PublicDer { modulus: self.modulus, public_exponent: self.public_exponent }
    }

    /// Whether the numbers are reduced and consistent. AWS-LC checks consistency itself. Primality is not checked.
    pub(super) fn are_valid(&self) -> bool {
        self.are_reduced() && (RsaDecryption::IS_THERE || self.are_consistent())
    }

    /// Whether exponents and coefficient are below their moduli, as RFC 8017 section 3.2 requires: AWS-LC accepts larger ones,
    /// and then fails to use them. The time depends only on the lengths of the numbers.
    fn are_reduced(&self) -> bool {
        let [p, q, n] = [self.prime1, self.prime2, self.modulus].map(Limbs::of);
        let [dp, dq, inverse, d] =
            [self.exponent1, self.exponent2, self.coefficient, self.private_exponent].map(Limbs::of);
        d.is_below(&n) & dp.is_below(&p) & dq.is_below(&q) & inverse.is_below(&p)
    }

    /// Whether the numbers belong together. The time depends only on their lengths.
    #[allow(clippy::many_single_char_names, reason = "they are RFC 8017's")]
    pub(super) fn are_consistent(&self) -> bool {
        let [p, q, d] = [self.prime1, self.prime2, self.private_exponent].map(Limbs::of);
        let [dp, dq, inverse] = [self.exponent1, self.exponent2, self.coefficient].map(Limbs::of);
        let [n, e] = [self.modulus, self.public_exponent].map(Limbs::of);
        if [&p, &q, &d, &dp, &dq, &inverse].iter().any(|number| number.0.len() > n.0.len()) {
            return false;
        }
        // p and q are odd, since n is, so this subtracts 1.
        let [p_1, q_1] = [&p, &q].map(Limbs::clear_last_bit);
        [
            p.times(&q).equals(&n),
            e.times(&dp).modulo(&p_1).is_one(),
            e.times(&dq).modulo(&q_1).is_one(),
            d.modulo(&p_1).equals(&dp),
            d.modulo(&q_1).equals(&dq),
            q.times(&inverse).modulo(&p).is_one(),
        ]
        .into_iter()
        .all(|fits| fits)
    }
}

/// A number, the lowest limb first. Its length is public.
struct Limbs(Zeroizing<Vec<u32>>);

impl Limbs {
    fn of(number: UintRef<'_>) -> Self {
        Self::from_bytes(number.as_bytes())
    }

    /// Reads a big-endian number.
    fn from_bytes(bytes: &[u8]) -> Self {
        let limbs = bytes.rchunks(4);
        Self(Zeroizing::new(
            limbs.map(|bytes| bytes.iter().fold(0, |limb, byte| limb << 8 | u32::from(*byte))).collect(),
        ))
    }

    /// Writes the number big-endian.
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 * self.0.len()));
        self.0.iter().rev().for_each(|limb| bytes.extend(limb.to_be_bytes()));
        bytes
    }

    fn zero(len: usize) -> Self {
        Self(Zeroizing::new(vec![0; len]))
    }

    fn clear_last_bit(&self) -> Self {
        let mut limbs = self.0.clone();
        limbs[0] &= !1;
        Self(limbs)
    }

    /// The limb at `i`; 0 beyond the highest.
    fn at(&self, i: usize) -> u32 {
        self.0.get(i).copied().unwrap_or_default()
    }

    fn equals(&self, other: &Self) -> bool {
        (0..self.0.len().max(other.0.len())).fold(0, |differ, i| differ | (self.at(i) ^ other.at(i))) == 0
    }

    fn is_below(&self, other: &Self) -> bool {
        let mut borrow = false;
        for i in 0..self.0.len().max(other.0.len()) {
            let (limb, first) = self.at(i).overflowing_sub(other.at(i));
            borrow = first | limb.overflowing_sub(u32::from(borrow)).1;
        }
        borrow
    }

    fn is_one(&self) -> bool {
        let mut one = Self::zero(1);
        one.0[0] = 1;
        self.equals(&one)
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.0.len() + other.0.len());
        for (i, a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.0.iter().enumerate() {
                let sum = u64::from(*a) * u64::from(*b) + u64::from(product.0[i + j]) + u64::from(carry);
                (product.0[i + j], carry) = halves(sum);
            }
            product.0[i + other.0.len()] = carry;
        }
        product
    }

    /// The remainder of a division, bit by bit: each step doubles the rest, and subtracts the modulus if it fits.
    fn modulo(&self, modulus: &Self) -> Self {
        let len = modulus.0.len() + 1;
        let (mut rest, mut less) = (Self::zero(len), Self::zero(len));
        for bit in (0..32 * self.0.len()).rev() {
            let mut carry = self.0[bit / 32] >> (bit % 32) & 1;
            for limb in rest.0.iter_mut() {
                (*limb, carry) = (*limb << 1 | carry, *limb >> 31);
            }
            let mut borrow = false;
            for i in 0..len {
                let (limb, first) = rest.0[i].overflowing_sub(modulus.at(i));
                let (limb, second) = limb.overflowing_sub(u32::from(borrow));
                (less.0[i], borrow) = (limb, first | second);
            }
            let stays = u32::from(borrow).wrapping_neg();
            for (limb, less) in rest.0.iter_mut().zip(less.0.iter()) {
                *limb = *limb & stays | *less & !stays;
            }
        }
        rest
    }
}

/// The lower and the upper half.
#[allow(clippy::cast_possible_truncation, reason = "the upper half is returned too")]
fn halves(number: u64) -> (u32, u32) {
    (number as u32, (number >> 32) as u32)
}

/// An `RSAPublicKey` (RFC 8017 appendix A.1.1).
#[derive(Sequence)]
pub(crate) struct PublicDer<'a> {
    pub(super) modulus: UintRef<'a>,
    pub(super) public_exponent: UintRef<'a>,
}

impl<'a> PublicDer<'a> {
    pub(crate) fn read(der: &'a [u8]) -> Option<Self> {
        Self::from_der(der).ok()
    }

    pub(crate) fn write(n: &[u8], e: &[u8]) -> Option<Vec<u8>> {
        PublicDer { modulus: UintRef::new(n).ok()?, public_exponent: UintRef::new(e).ok()? }.to_der().ok()
    }

    /// The numbers by their short names.
    pub(crate) fn members(&self) -> Vec<(&'static str, &'a [u8])> {
        vec![("n", self.modulus.as_bytes()), ("e", self.public_exponent.as_bytes())]
    }

    pub(super) fn bits(&self) -> usize {
        bits(self.modulus)
    }

    /// Whether the modulus has an accepted length.
    pub(super) fn has_length(&self) -> bool {
        (MIN_BITS..=MAX_BITS).contains(&self.bits())
    }

    /// Whether the numbers keep AWS-LC's rule: both are odd, and the exponent has 2 to 33 bits.
    pub(super) fn is_regular(&self) -> bool {
        let is_odd = |number: UintRef<'_>| number.as_bytes().last().is_some_and(|byte| byte % 2 == 1);
        is_odd(self.modulus) && is_odd(self.public_exponent) && (2..=33).contains(&bits(self.public_exponent))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.to_der().expect("rsa: a key is short")
    }
}

fn bits(number: UintRef<'_>) -> usize {
    let bytes = number.as_bytes();
    bytes.len() * 8 - bytes.first().map_or(0, |byte| byte.leading_zeros() as usize)
}

/// The public key of a private key, both in PKCS#1; `None` if the numbers are invalid.
pub(crate) fn public_of(private: &[u8]) -> Option<Vec<u8>> {
    let numbers = PrivateDer::read(private)?;
    let public = numbers.public();
    (public.has_length() && public.is_regular() && numbers.are_valid()).then(|| public.to_bytes())
}

/// Whether `der` is a public key with valid numbers.
pub(crate) fn is_public(der: &[u8]) -> bool {
    PublicDer::read(der).is_some_and(|numbers| numbers.has_length() && numbers.is_regular())
}

/// Bytes of the modulus of a public key that was read before.
pub(crate) fn modulus_len(public: &[u8]) -> usize {
    PublicDer::read(public).expect("rsa: the key was read").bits().div_ceil(8)
}
