//! SM2: signatures (GB/T 32918.2), key exchange (GB/T 32918.3) and public-key encryption (GB/T 32918.4) on the curve of
//! GB/T 32918.5, with SM3.
//!
//! [`Encryptor`](crate::Encryptor) encrypts files to keys of [`Kind::Sm2`](crate::Kind). This module is for protocols that
//! already use SM2: certificates, payments, and data of `sm-crypto`, `GmSSL` and Go's libraries.
//!
//! ```
//! use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey};
//!
//! let key = PrivateKey::generate()?;
//! let signature = key.sign(DEFAULT_ID, b"attack at dawn")?;
//! key.public_key().verify(DEFAULT_ID, b"attack at dawn", &signature)?;
//!
//! let ciphertext = key.public_key().encrypt(Form::C1C3C2, b"attack at dawn")?;
//! assert_eq!(*key.decrypt(Form::C1C3C2, &ciphertext)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```
//!
//! # Security
//! A key of this module both decrypts and signs. It refuses messages that begin like the signed data of a [signature
//! file](crate::signature) (spec/signature.md section 7.6). A digest does not show its message: give
//! [`PrivateKey::sign_digest`] only a digest that you computed yourself, of a message whose beginning you checked.
//! [`FileHasher::to_be_signed`](crate::FileHasher::to_be_signed) checks it.

// The curve is that of `sealstone_ciphers::sm2`, in WebAssembly that of the crate `sm2` (`provider/rust/sm2.rs`). A private
// key is in one place and is zeroed. One error covers every failure of decryption that depends on the key.

use crate::debug::Hex;
use crate::error::{Error, Result};
use crate::hash::{Hasher, SM3_LEN, Sm3};
use crate::mac;
use crate::provider::Sm2Nonces;
use crate::provider::sm2::{Curve, Point, Scalar, curve};
use crate::random;
use crate::reserved::{RESERVED, is_reserved};
use der::asn1::{OctetStringRef, UintRef};
use der::{Decode, Encode, Sequence};
use zeroize::Zeroizing;

mod exchange;

pub use exchange::{EXCHANGED_KEY_MAX_LEN, Exchanged, Peer, Role};

/// Bytes of a private key.
pub const PRIVATE_KEY_LEN: usize = 32;
/// Bytes of a public key: 04, x and y.
pub const PUBLIC_KEY_LEN: usize = 65;
/// Bytes of a compressed public key: 02 or 03, and x.
pub const COMPRESSED_PUBLIC_KEY_LEN: usize = 33;
/// Bytes of a signature: r and s.
pub const SIGNATURE_LEN: usize = 64;
/// The default user id (GB/T 35276 section 10).
pub const DEFAULT_ID: &[u8] = b"1234567812345678";
/// The most bytes of a plaintext, as DER limits it. This is far more than you should encrypt with SM2.
pub const PLAINTEXT_MAX_LEN: usize = (1 << 28) - 256;
/// The most bytes of a user id: its length in bits is stored in 16 bits.
pub const ID_MAX_LEN: usize = 0xffff / 8;

/// The reason for refusing a private key.
pub(crate) const OUT_OF_RANGE: &str = "the private key is outside the range 1 to n - 2";
/// The reason for refusing a public key.
pub(crate) const OFF_CURVE: &str = "the point is not on the curve";

const COORDINATE_LEN: usize = 32;
/// The first byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;
/// The first byte of a compressed point whose y is even.
const EVEN: u8 = 2;
/// The first byte of a compressed point whose y is odd.
const ODD: u8 = 3;

/// The curve's a, b, and x and y of G (GB/T 32918.5 section 2), as in the hash of a user.
const CURVE: [u8; 4 * COORDINATE_LEN] = *b"\
    \xff\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xfc\
    \x28\xe9\xfa\x9e\x9d\x9f\x5e\x34\x4d\x5a\x9e\x4b\xcf\x65\x09\xa7\xf3\x97\x89\xf5\x15\xab\x8f\x92\xdd\xbc\xbd\x41\x4d\x94\x0e\x93\
    \x32\xc4\xae\x2c\x1f\x19\x81\x19\x5f\x99\x04\x46\x6a\x39\xc9\x94\x8f\xe3\x0b\xbf\xf2\x66\x0b\xe1\x71\x5a\x45\x89\x33\x4c\x74\xc7\
    \xbc\x37\x36\xa2\xf4\xf6\x77\x9c\x59\xbd\xce\xe3\x6b\x69\x21\x53\xd0\xa9\x87\x7c\xc6\x2a\x47\x40\x02\xdf\x32\xe5\x21\x39\xf0\xa0";

/// A private key d, 1 <= d <= n - 2. Zeroed on drop, and never printed.
///
/// ```
/// use sealstone::sm2::PrivateKey;
///
/// let key = PrivateKey::from_bytes(&[7; 32])?;
/// assert_eq!(*key.to_bytes(), [7; 32]);
/// assert_eq!(format!("{key:?}"), "PrivateKey(..)");
/// assert_eq!(PrivateKey::from_bytes(&[0; 32]).unwrap_err().code(), "invalid_key");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone)]
pub struct PrivateKey(Box<Secret>);

#[derive(Clone)]
struct Secret {
    curve: Curve,
    d: Number,
    /// (1 + d)^-1, which every signature needs.
    inverse: Number,
    public: PublicKey,
}

/// A secret number, in a box, so that no move leaves a copy behind.
type Number = Box<Zeroizing<Scalar>>;

impl PrivateKey {
    /// Generates a key, from the system's generator.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]; [`Error::UnavailableBackend`].
    pub fn generate() -> Result<Self> {
        loop {
            let bytes = Zeroizing::new(random::array::<PRIVATE_KEY_LEN>()?);
            // One number in 2^32 is over n - 2.
            match Self::from_bytes(&bytes[..]) {
                Err(Error::InvalidKey(_)) => {}
                made => return made,
            }
        }
    }

    /// Reads a key: a number of 32 bytes, big-endian.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::InvalidKey`] for 0, and for n - 1 and more, which cannot sign;
    /// [`Error::UnavailableBackend`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let number: &[u8; PRIVATE_KEY_LEN] =
            bytes.try_into().map_err(|_| wrong_length("an SM2 private key", PRIVATE_KEY_LEN, bytes))?;
        let d = nonzero(number).ok_or(Error::InvalidKey(OUT_OF_RANGE))?;
        let next = Zeroizing::new(d.add(&Scalar::ONE));
        if next.is_zero() {
            return Err(Error::InvalidKey(OUT_OF_RANGE));
        }
        let (curve, inverse) = (curve()?, Box::new(Zeroizing::new(next.invert())));
        let public = PublicKey(curve.multiply_base(&d));
        Ok(Self(Box::new(Secret { curve, d, inverse, public })))
    }

    /// The number, a secret.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; PRIVATE_KEY_LEN]> {
        Zeroizing::new(self.0.d.to_bytes())
    }

    /// The public key, the point `[d]G`.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.0.public
    }

    /// Signs a message as the user `id`.
    ///
    /// The number k is derived from the key, the message and the system's randomness together (RFC 6979 section 3.6), so a weak
    /// generator alone does not reveal the key.
    ///
    /// # Errors
    /// [`Error::InvalidUserId`]; [`Error::NoRandomness`]; [`Error::InvalidKey`] for a message that begins like the signed data
    /// of [signature files](crate::signature): with `SSHSIG` or `CompositeAlgorithmSignatures2025`.
    pub fn sign(&self, id: &[u8], message: &[u8]) -> Result<Signature> {
        if is_reserved(message) {
            return Err(Error::InvalidKey(RESERVED));
        }
        self.sign_any(id, message)
    }

    /// As [`sign`](Self::sign), also for the signed data of signature files.
    pub(crate) fn sign_any(&self, id: &[u8], message: &[u8]) -> Result<Signature> {
        self.sign_digest(&digest(&self.0.public, id, message)?)
    }

    /// Signs the digest that [`PublicKey::hasher`] computed for a message.
    ///
    /// ```
    /// use sealstone::sm2::{DEFAULT_ID, PrivateKey};
    ///
    /// let key = PrivateKey::generate()?;
    /// let mut hasher = key.public_key().hasher(DEFAULT_ID)?;
    /// hasher.update(b"attack ");
    /// hasher.update(b"at dawn");
    /// let signature = key.sign_digest(hasher.finish().as_bytes())?;
    /// key.public_key().verify(DEFAULT_ID, b"attack at dawn", &signature)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] for anything but 32 bytes; [`Error::NoRandomness`].
    pub fn sign_digest(&self, digest: &[u8]) -> Result<Signature> {
        let e = reduce(digest)?;
        let (d, random) = (self.to_bytes(), Zeroizing::new(random::array::<32>()?));
        let mut nonces = Sm2Nonces::new(&d, &e.to_bytes(), &random);
        loop {
            let k = nonzero(&nonces.next()).expect("sm2: RFC 6979 gives numbers from 1 to n - 1");
            if let Some(signature) = self.sign_with(e, &k) {
                return Ok(signature);
            }
        }
    }

    /// The steps of GB/T 32918.2 section 6.1 from A4 on; `None` if the standard goes back to A3.
    fn sign_with(&self, e: Scalar, k: &Scalar) -> Option<Signature> {
        let Secret { curve, inverse, .. } = &*self.0;
        let r = e.add(&x_of(&curve.multiply_base(k)));
        let sum = Zeroizing::new(r.add(k));
        if r.is_zero() | sum.is_zero() {
            return None;
        }
        // (k - r d) / (1 + d) = (k + r) / (1 + d) - r.
        let s = inverse.multiply(&sum).subtract(&r);
        (!s.is_zero()).then_some(Signature { r, s })
    }

    /// Decrypts. The 04 before the point may be missing, as in `sm-crypto`.
    ///
    /// # Security
    /// C3 shows that the ciphertext is unchanged, but not who made it. It is compared in constant time.
    ///
    /// # Errors
    /// [`Error::MalformedCiphertext`] for data that is no ciphertext for any key; [`Error::NotAuthentic`].
    pub fn decrypt(&self, form: Form, ciphertext: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        let Parts { c1, c3, c2 } = Parts::read(form, ciphertext)?;
        self.open(&c1, c3, c2).ok_or(Error::NotAuthentic { chunk: None })
    }

    /// The steps of GB/T 32918.4 section 7.1 from B3 on; `None` if t is zero or C3 differs.
    pub(crate) fn open(&self, c1: &PublicKey, c3: &[u8; SM3_LEN], c2: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let shared = Shared::new(&Zeroizing::new(self.0.curve.multiply(&c1.0, &self.0.d)));
        let mut plaintext = Zeroizing::new(c2.to_vec());
        let is_sound = shared.apply(&mut plaintext);
        // Both checks are always computed, so that the time does not tell which failed.
        (mac::equal(&shared.hash(&plaintext), c3) & is_sound).then_some(plaintext)
    }
}

debug!(PrivateKey(..));

/// A public key: a point of the curve, but not the point at infinity.
///
/// ```
/// use sealstone::sm2::{DEFAULT_ID, Form, PrivateKey, PublicKey, Signature};
///
/// let key = PrivateKey::generate()?;
/// let public = PublicKey::from_bytes(&key.public_key().to_bytes())?;
/// let signature = Signature::from_der(&key.sign(DEFAULT_ID, b"attack at dawn")?.to_der())?;
/// public.verify(DEFAULT_ID, b"attack at dawn", &signature)?;
/// assert_eq!(public.verify(DEFAULT_ID, b"attack at dusk", &signature).unwrap_err().code(), "invalid_signature");
///
/// let ciphertext = public.encrypt(Form::C1C3C2, b"attack at dawn")?;
/// assert_eq!(*key.decrypt(Form::C1C3C2, &ciphertext)?, b"attack at dawn");
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(Point);

impl PublicKey {
    /// Reads a point (GB/T 32918.1 section 4.2; SEC 1 section 2.3.4): 65 bytes, 04 || x || y, or 64 without the 04; or the 33 bytes of
    /// [`to_compressed_bytes`](Self::to_compressed_bytes).
    ///
    /// # Errors
    /// [`Error::InvalidKey`] with the reason: the point is at infinity, off the curve, or in the hybrid form (06, 07), or no point
    /// has the x of a compressed point; [`Error::WrongLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut point = [UNCOMPRESSED; PUBLIC_KEY_LEN];
        match bytes {
            [UNCOMPRESSED, coordinates @ ..] | coordinates if coordinates.len() == 2 * COORDINATE_LEN => {
                point[1..].copy_from_slice(coordinates);
            }
            [0] => return Err(Error::InvalidKey("the point is at infinity")),
            [tag @ (EVEN | ODD), x @ ..] if x.len() == COORDINATE_LEN => {
                let x = x.try_into().expect("sm2: the length was checked");
                return Point::from_x(x, *tag == ODD).map(Self).ok_or(Error::InvalidKey(OFF_CURVE));
            }
            [6 | 7, xy @ ..] if xy.len() == 2 * COORDINATE_LEN => {
                return Err(Error::InvalidKey("the point is in the hybrid form, which is not supported"));
            }
            [_, xy @ ..] if xy.len() == 2 * COORDINATE_LEN => {
                return Err(Error::InvalidKey("the point does not begin with 04"));
            }
            _ => return Err(wrong_length("an SM2 public key", PUBLIC_KEY_LEN, bytes)),
        }
        Self::from_uncompressed(&point).ok_or(Error::InvalidKey(OFF_CURVE))
    }

    /// Reads a point; `None` if it does not begin with 04, or is not on the curve.
    pub(crate) fn from_uncompressed(point: &[u8; PUBLIC_KEY_LEN]) -> Option<Self> {
        let coordinates = point.strip_prefix(&[UNCOMPRESSED])?.first_chunk()?;
        Point::from_coordinates(coordinates).map(Self)
    }

    /// Writes 04 || x || y.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; PUBLIC_KEY_LEN] {
        let mut bytes = [UNCOMPRESSED; PUBLIC_KEY_LEN];
        bytes[1..].copy_from_slice(&self.0.to_coordinates());
        bytes
    }

    /// Writes the compressed form (GB/T 32918.1 section 4.2; SEC 1 section 2.3.3): 02 for an even y or 03 for an odd one, and x.
    ///
    /// ```
    /// use sealstone::sm2::{PrivateKey, PublicKey};
    ///
    /// let key = PrivateKey::from_bytes(&[7; 32])?.public_key();
    /// let compressed = key.to_compressed_bytes();
    /// assert_eq!(compressed[0], 2 | key.to_bytes()[64] & 1);
    /// assert_eq!(PublicKey::from_bytes(&compressed)?, key);
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    #[must_use]
    pub fn to_compressed_bytes(&self) -> [u8; COMPRESSED_PUBLIC_KEY_LEN] {
        let (x, y) = (x_bytes(&self.0), self.0.to_coordinates()[2 * COORDINATE_LEN - 1]);
        let mut bytes = [EVEN | y & 1; COMPRESSED_PUBLIC_KEY_LEN];
        bytes[1..].copy_from_slice(&x);
        bytes
    }

    /// Begins the digest for a signature by the user `id` with this key: an SM3 state after the user's hash, ready for the
    /// message.
    ///
    /// ```
    /// use sealstone::sm2::{DEFAULT_ID, PrivateKey};
    ///
    /// let key = PrivateKey::generate()?;
    /// let mut hasher = key.public_key().hasher(DEFAULT_ID)?;
    /// hasher.update(b"attack ");
    /// hasher.update(b"at dawn");
    /// let signature = key.sign_digest(hasher.finish().as_bytes())?;
    /// key.public_key().verify(DEFAULT_ID, b"attack at dawn", &signature)?;
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidUserId`].
    pub fn hasher(&self, id: &[u8]) -> Result<Hasher> {
        let mut hasher = Hasher::new(crate::hash::Algorithm::Sm3);
        hasher.update(&self.hash_user(id)?);
        Ok(hasher)
    }

    /// The hash Z of a user (GB/T 32918.2 section 5.5).
    fn hash_user(&self, id: &[u8]) -> Result<[u8; SM3_LEN]> {
        let bits =
            u16::try_from(id.len()).ok().and_then(|len| len.checked_mul(8)).ok_or(Error::InvalidUserId(id.len()))?;
        let mut hash = Sm3::new();
        for part in [&bits.to_be_bytes()[..], id, &CURVE, &self.to_bytes()[1..]] {
            hash.update(part);
        }
        Ok(hash.finish())
    }

    /// Verifies the signature of a message by the user `id`.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] if the signature does not match this key, message and user id, and for a message that
    /// [`sign`](PrivateKey::sign) refuses; [`Error::InvalidUserId`]; [`Error::UnavailableBackend`].
    pub fn verify(&self, id: &[u8], message: &[u8], signature: &Signature) -> Result<()> {
        if is_reserved(message) {
            return Err(Error::InvalidSignature(RESERVED));
        }
        self.verify_any(id, message, signature)
    }

    /// As [`verify`](Self::verify), also for the signed data of signature files.
    pub(crate) fn verify_any(&self, id: &[u8], message: &[u8], signature: &Signature) -> Result<()> {
        self.verify_digest(&digest(self, id, message)?, signature)
    }

    /// Verifies the signature of the digest that [`hasher`](Self::hasher) computed for a message.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`]; [`Error::WrongLength`] for anything but 32 bytes; [`Error::UnavailableBackend`].
    pub fn verify_digest(&self, digest: &[u8], signature: &Signature) -> Result<()> {
        const OTHER: Error = Error::InvalidSignature("it does not match this key, user id and data");
        let (e, Signature { r, s }) = (reduce(digest)?, *signature);
        let t = r.add(&s);
        // All numbers are public, so variable time is fine.
        let is_sound = !t.is_zero() && curve()?.sum_has_x(&s, &t, &self.0, &r.subtract(&e));
        if is_sound { Ok(()) } else { Err(OTHER) }
    }

    /// Encrypts at least 1 byte. The ciphertext is 97 bytes longer than the plaintext, and a little more with DER.
    ///
    /// # Errors
    /// [`Error::EmptyPlaintext`]: the standard does not encrypt an empty plaintext; [`Error::TooLong`] over
    /// [`PLAINTEXT_MAX_LEN`]; [`Error::NoRandomness`]; [`Error::UnavailableBackend`].
    pub fn encrypt(&self, form: Form, plaintext: &[u8]) -> Result<Vec<u8>> {
        if plaintext.is_empty() {
            return Err(Error::EmptyPlaintext);
        }
        if plaintext.len() > PLAINTEXT_MAX_LEN {
            return Err(Error::TooLong);
        }
        let (c1, c3, c2) = self.seal(plaintext)?;
        Ok(Parts { c1, c3: &c3, c2: &c2 }.write(form))
    }

    /// Encrypts, and returns C1, C3 and C2 (GB/T 32918.4 section 6.1).
    pub(crate) fn seal(&self, plaintext: &[u8]) -> Result<(Self, [u8; SM3_LEN], Vec<u8>)> {
        let curve = curve()?;
        loop {
            let bytes = Zeroizing::new(random::array()?);
            if let Some(sealed) = nonzero(&bytes).and_then(|k| self.seal_with(plaintext, curve, &k)) {
                return Ok(sealed);
            }
        }
    }

    /// The steps from A2 on; `None` if the standard goes back to A1.
    fn seal_with(&self, plaintext: &[u8], curve: Curve, k: &Scalar) -> Option<(Self, [u8; SM3_LEN], Vec<u8>)> {
        let [c1, shared] = curve.multiply_both(&self.0, k);
        let shared = Shared::new(&Zeroizing::new(shared));
        let mut c2 = plaintext.to_vec();
        // For a plaintext of one byte, t is zero one time in 256, and the plaintext would be its own ciphertext.
        let is_sound = shared.apply(&mut c2);
        is_sound.then(|| (Self(c1), shared.hash(plaintext), c2))
    }
}

debug!(|key: PublicKey| "PublicKey({})", Hex(&key.to_bytes()));

/// A signature (r, s), both from 1 to n - 1.
///
/// ```
/// use sealstone::sm2::{DEFAULT_ID, PrivateKey, Signature};
///
/// let signature = PrivateKey::generate()?.sign(DEFAULT_ID, b"attack at dawn")?;
/// assert_eq!(Signature::from_der(&signature.to_der())?, signature);
/// assert_eq!(Signature::from_bytes(&signature.to_bytes())?, signature);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    r: Scalar,
    s: Scalar,
}

/// A signature in DER (GB/T 35276 section 7.3).
#[derive(Sequence)]
struct SignatureDer<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

impl Signature {
    /// Reads r || s, 64 bytes.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] for another length, and if r or s is 0, or not below n.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let halves = bytes.split_first_chunk().and_then(|(r, s)| Some((*r, <[u8; COORDINATE_LEN]>::try_from(s).ok()?)));
        let (r, s) = halves.ok_or(Error::InvalidSignature("r || s must be 64 bytes"))?;
        let [r, s] = [r, s].map(|number| Scalar::from_bytes(&number).filter(|number| !number.is_zero()));
        match (r, s) {
            (Some(r), Some(s)) => Ok(Self { r, s }),
            _ => Err(Error::InvalidSignature("r or s is outside the range 1 to n - 1")),
        }
    }

    /// Reads a `SEQUENCE` of two `INTEGER`s.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`] for anything else, including other encodings of the same numbers, and if r or s is 0, or not
    /// below n.
    pub fn from_der(der: &[u8]) -> Result<Self> {
        const DAMAGED: Error = Error::InvalidSignature("the DER is damaged, or not a signature");
        let parsed = SignatureDer::from_der(der).map_err(|_| DAMAGED)?;
        let (r, s) = (pad(parsed.r).ok_or(DAMAGED)?, pad(parsed.s).ok_or(DAMAGED)?);
        Self::from_bytes(&[r, s].concat())
    }

    /// Writes r || s.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; SIGNATURE_LEN] {
        let mut bytes = [0; SIGNATURE_LEN];
        bytes[..COORDINATE_LEN].copy_from_slice(&self.r.to_bytes());
        bytes[COORDINATE_LEN..].copy_from_slice(&self.s.to_bytes());
        bytes
    }

    /// Writes a `SEQUENCE` of both numbers, at most 72 bytes, as in OpenSSL and in certificates.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        let (r, s) = (self.r.to_bytes(), self.s.to_bytes());
        let [r, s] = [&r, &s].map(|number| UintRef::new(number).expect("sm2: a number of 32 bytes is short"));
        SignatureDer { r, s }.to_der().expect("sm2: a signature is short")
    }
}

debug!(|it: Signature| "Signature({})", Hex(&it.to_bytes()));

/// The order of a ciphertext's three parts: the point C1, the encrypted data C2, and the hash C3.
///
/// ```
/// use sealstone::sm2::Form;
///
/// assert_eq!("c1c2c3".parse::<Form>()?, Form::C1C2C3);
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Form {
    /// `c1c3c2`: C1 || C3 || C2, the order of GB/T 32918.4-2016.
    #[default]
    C1C3C2,
    /// `c1c2c3`: C1 || C2 || C3, the order of 2010, for old data.
    C1C2C3,
    /// `der`: the `SEQUENCE` of GB/T 35276 section 7.2, which OpenSSL and `GmSSL` write.
    Der,
}

named_enum!(Form {
    C1C3C2 = "c1c3c2",
    C1C2C3 = "c1c2c3",
    Der = "der",
});

/// A ciphertext in DER (GB/T 35276 section 7.2).
#[derive(Sequence)]
struct CiphertextDer<'a> {
    x: UintRef<'a>,
    y: UintRef<'a>,
    c3: &'a OctetStringRef,
    c2: &'a OctetStringRef,
}

/// The parts of a ciphertext.
struct Parts<'a> {
    c1: PublicKey,
    c3: &'a [u8; SM3_LEN],
    c2: &'a [u8],
}

impl<'a> Parts<'a> {
    fn read(form: Form, ciphertext: &'a [u8]) -> Result<Self> {
        const SHORT: Error = Error::MalformedCiphertext("it is shorter than a point, a hash and a byte");
        let (c1, c3, c2) = match form {
            Form::Der => {
                const DAMAGED: Error = Error::MalformedCiphertext("the DER is damaged, or not an SM2 ciphertext");
                let parsed = CiphertextDer::from_der(ciphertext).map_err(|_| DAMAGED)?;
                let point = [pad(parsed.x).ok_or(DAMAGED)?, pad(parsed.y).ok_or(DAMAGED)?].concat();
                (read_point(&point)?, parsed.c3.as_bytes().try_into().map_err(|_| DAMAGED)?, parsed.c2.as_bytes())
            }
            Form::C1C3C2 | Form::C1C2C3 => {
                let (c1, rest) = Self::split_point(ciphertext).ok_or(SHORT)??;
                let (c3, c2) = match form {
                    Form::C1C2C3 => rest.split_last_chunk().map(|(c2, c3)| (c3, c2)),
                    _ => rest.split_first_chunk(),
                }
                .ok_or(SHORT)?;
                (c1, c3, c2)
            }
        };
        if c2.is_empty() { Err(SHORT) } else { Ok(Self { c1, c3, c2 }) }
    }

    /// Splits off the point. x may begin with 04 as well: then only one of the two readings is on the curve.
    fn split_point(ciphertext: &'a [u8]) -> Option<Result<(PublicKey, &'a [u8])>> {
        let read = |point: &[u8], rest| read_point(point).map(|point| (point, rest));
        let (bare, behind_bare) = ciphertext.split_at_checked(2 * COORDINATE_LEN)?;
        let (whole, behind_whole) = ciphertext.split_at_checked(PUBLIC_KEY_LEN)?;
        Some(match whole[0] {
            UNCOMPRESSED => read(whole, behind_whole).or_else(|error| read(bare, behind_bare).map_err(|_| error)),
            2 | 3 => {
                read(bare, behind_bare).or(Err(Error::MalformedCiphertext("its point is compressed, or off the curve")))
            }
            _ => read(bare, behind_bare),
        })
    }

    fn write(&self, form: Form) -> Vec<u8> {
        let c1 = self.c1.to_bytes();
        match form {
            Form::C1C3C2 => [&c1[..], self.c3, self.c2].concat(),
            Form::C1C2C3 => [&c1[..], self.c2, self.c3].concat(),
            Form::Der => {
                let (x, y) = c1[1..].split_at(COORDINATE_LEN);
                let number = |bytes| UintRef::new(bytes).expect("sm2: a coordinate is short");
                let octets = |bytes| OctetStringRef::new(bytes).expect("sm2: the length was checked");
                let der = CiphertextDer { x: number(x), y: number(y), c3: octets(self.c3), c2: octets(self.c2) };
                der.to_der().expect("sm2: the length was checked")
            }
        }
    }
}

fn read_point(bytes: &[u8]) -> Result<PublicKey> {
    PublicKey::from_bytes(bytes).map_err(|_| Error::MalformedCiphertext("its point is not on the curve"))
}

/// The shared secret: the coordinates of [k]P = [d]C1. Zeroed on drop.
struct Shared(Zeroizing<[u8; Point::LEN]>);

impl Shared {
    fn new(point: &Point) -> Self {
        Self(Zeroizing::new(point.to_coordinates()))
    }

    /// XORs t = KDF(x || y, length) into the data. Returns false if t is zero.
    fn apply(&self, data: &mut [u8]) -> bool {
        // x and y fill one block of the hash, which is hashed only once.
        let mut begun = Sm3::new();
        begun.update(&self.0[..]);
        derive(&begun, data)
    }

    /// C3 = SM3(x || plaintext || y).
    fn hash(&self, plaintext: &[u8]) -> [u8; SM3_LEN] {
        let mut hash = Sm3::new();
        let (x, y) = self.0.split_at(COORDINATE_LEN);
        for part in [x, plaintext, y] {
            hash.update(part);
        }
        hash.finish()
    }
}

/// XORs a KDF's bytes into the data, of the secret that a hash has begun with (GB/T 32918.4 section 5.4.3). Returns false if all are zero.
///
/// # Panics
/// For over 2^32 - 1 hashes, which is 128 GiB.
fn derive(begun: &Sm3, data: &mut [u8]) -> bool {
    assert!(u32::try_from(data.len().div_ceil(SM3_LEN)).is_ok(), "sm2: the KDF gives at most 2^32 - 1 hashes");
    let mut any = 0;
    for (counter, piece) in (1..=u32::MAX).zip(data.chunks_mut(SM3_LEN)) {
        let mut hash = begun.clone();
        hash.update(&counter.to_be_bytes());
        let t = Zeroizing::new(hash.finish());
        for (byte, t) in piece.iter_mut().zip(&t[..]) {
            *byte ^= t;
            any |= t;
        }
    }
    any != 0
}

/// The coordinate x.
fn x_bytes(point: &Point) -> [u8; COORDINATE_LEN] {
    *point.to_coordinates().first_chunk().expect("sm2: a point has two coordinates")
}

/// The coordinate x modulo n.
fn x_of(point: &Point) -> Scalar {
    Scalar::reduce(&x_bytes(point))
}

/// e = SM3(Z || message).
fn digest(key: &PublicKey, id: &[u8], message: &[u8]) -> Result<[u8; SM3_LEN]> {
    let mut hash = Sm3::new();
    hash.update(&key.hash_user(id)?);
    hash.update(message);
    Ok(hash.finish())
}

/// Reads a digest as a number modulo n.
fn reduce(digest: &[u8]) -> Result<Scalar> {
    let bytes: [u8; SM3_LEN] = digest.try_into().map_err(|_| wrong_length("the digest", SM3_LEN, digest))?;
    Ok(Scalar::reduce(&bytes))
}

/// Reads a secret number from 1 to n - 1.
fn nonzero(bytes: &[u8; COORDINATE_LEN]) -> Option<Number> {
    let mut number = Number::default();
    (number.read(bytes) && !number.is_zero()).then_some(number)
}

/// Pads a number of DER to 32 bytes; `None` for a longer number.
fn pad(number: UintRef<'_>) -> Option<[u8; COORDINATE_LEN]> {
    let bytes = number.as_bytes();
    let mut padded = [0; COORDINATE_LEN];
    padded.get_mut(COORDINATE_LEN.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    Some(padded)
}

fn wrong_length(what: &'static str, expected: usize, bytes: &[u8]) -> Error {
    Error::WrongLength { what, expected, actual: bytes.len() }
}

#[cfg(test)]
#[path = "sm2_tests.rs"]
mod tests;
