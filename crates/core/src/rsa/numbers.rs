//! The numbers of RSA keys (RFC 8017 appendix A.1), and what is checked of them wherever RSA is computed.

use der::asn1::UintRef;
use der::{Decode as _, Encode as _, Sequence};
use zeroize::Zeroizing;

/// Bits of the shortest modulus.
pub const MIN_BITS: usize = 2048;
/// Bits of the longest modulus.
pub const MAX_BITS: usize = 8192;

/// RFC 8017 appendix A.1.2, of two primes.
#[derive(Sequence)]
pub(super) struct PrivateDer<'a> {
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

impl PrivateDer<'_> {
    /// Whether the primes make the modulus.
    pub(super) fn is_product(&self) -> bool {
        let [p, q, modulus] = [self.prime1, self.prime2, self.modulus].map(|number| number.as_bytes().to_vec());
        let [p, q] = [p, q].map(Zeroizing::new);
        if p.len().max(q.len()) > modulus.len() {
            return false;
        }
        let product = product(&p, &q);
        let (above, low) = product.split_at(product.len().saturating_sub(modulus.len()));
        above.iter().all(|byte| *byte == 0) && low == modulus
    }
}

/// The product of two big-endian numbers, in a time that their lengths determine.
fn product(a: &[u8], b: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut product = Zeroizing::new(vec![0; a.len() + b.len()]);
    for (i, a) in a.iter().rev().enumerate() {
        let mut carry = 0;
        for (j, b) in b.iter().rev().enumerate() {
            // At most 255 · 255 + 2 · 255.
            let sum = u16::from(*a) * u16::from(*b) + u16::from(product[i + j]) + u16::from(carry);
            [product[i + j], carry] = sum.to_le_bytes();
        }
        product[i + b.len()] = carry;
    }
    product.reverse();
    product
}

/// RFC 8017 appendix A.1.1.
#[derive(Sequence)]
pub(super) struct PublicDer<'a> {
    pub(super) modulus: UintRef<'a>,
    pub(super) public_exponent: UintRef<'a>,
}

impl PublicDer<'_> {
    pub(super) fn bits(&self) -> usize {
        bits(self.modulus)
    }

    /// Whether the modulus has a length that is taken.
    pub(super) fn has_length(&self) -> bool {
        (MIN_BITS..=MAX_BITS).contains(&self.bits())
    }

    /// AWS-LC's rule: both are odd, and the exponent has at most 33 bits.
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

/// The public key of a private one whose numbers may be a key's: in PKCS#1, as the private one is.
pub(crate) fn public_of(private: &[u8]) -> Option<Vec<u8>> {
    let numbers = PrivateDer::from_der(private).ok().filter(|numbers| numbers.version == 0)?;
    let public = PublicDer { modulus: numbers.modulus, public_exponent: numbers.public_exponent };
    (public.has_length() && public.is_regular() && numbers.is_product()).then(|| public.to_bytes())
}

/// Whether numbers may be a public key's.
pub(crate) fn is_public(der: &[u8]) -> bool {
    PublicDer::from_der(der).is_ok_and(|numbers| numbers.has_length() && numbers.is_regular())
}

/// Bytes of the modulus of a public key that was read.
pub(crate) fn modulus_len(public: &[u8]) -> usize {
    PublicDer::from_der(public).expect("rsa: the key was read").bits().div_ceil(8)
}
