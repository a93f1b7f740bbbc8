//! Ciphers in unauthenticated modes, those of old data, key wrap, CCM and Poly1305.

use crate::boundary::{computed, or_raise};
use crate::held::Held;
use crate::keys::stays;
use crate::memory::{Data, made, plain_bytes};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::hazmat::{ccm, cipher, legacy, poly1305 as core_poly1305, wrap};
use sealstone_engine::hazmat as engine;
use zeroize::Zeroizing;

/// A key of a block cipher in a mode, with its schedules, computed once for many messages. XTS takes two keys, concatenated.
///
/// It is zeroed by `destroy`, or after it is collected. `UnknownAlgorithm`, `WrongLength`; `InvalidKey` for two keys of XTS that are one.
///
/// >>> from sealstone.hazmat import Cipher
/// >>> key, iv = Cipher("sm4-cbc", bytes(16)), bytes(range(16))
/// >>> key.decrypt(iv, key.encrypt(iv, b"attack at dawn"))
/// b'attack at dawn'
///
/// GB/T 32907, GB/T 17964, FIPS 197, SP 800-38A.
#[pyclass(frozen, module = "sealstone.hazmat")]
pub struct Cipher {
    key: Held<cipher::Cipher>,
    algorithm: cipher::Algorithm,
}

#[pymethods]
impl Cipher {
    #[new]
    fn new(py: Python<'_>, algorithm: &str, key: Data<'_>) -> PyResult<Self> {
        let algorithm: cipher::Algorithm = or_raise(py, algorithm.parse::<cipher::Algorithm>())?;
        let key = or_raise(py, cipher::Cipher::new(algorithm, &key.read()))?;
        Ok(Self { key: Held::new(key), algorithm })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Encrypts a message. The IV has 16 bytes; ECB has none, and takes `None`.
    ///
    /// `padding` fills whole blocks (PKCS#7) where the mode needs them: ECB and CBC. It is on unless it is `False`; then a plaintext of
    /// another length is `PartialBlock`. `WrongLength` for the IV.
    #[pyo3(signature = (iv, data, *, padding=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        iv: Option<Data<'_>>,
        data: Data<'_>,
        padding: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, iv) = (self.key.get()?, iv.as_ref().map(Data::read));
        let (iv, len) = (iv.as_deref().unwrap_or_default(), data.len());
        let ciphertext_len = key.ciphertext_len(engine::padding(padding), len);
        made(py, ciphertext_len, |out| in_place(py, &data, out, |out| engine::encrypt(&key, iv, padding, out, len)))
    }

    /// Decrypts a message.
    ///
    /// `WrongLength`, `PartialBlock`; `InvalidPadding`, which is to be hidden from anyone who can choose ciphertexts: they could decrypt
    /// with it.
    #[pyo3(signature = (iv, data, *, padding=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        iv: Option<Data<'_>>,
        data: Data<'_>,
        padding: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, iv) = (self.key.get()?, iv.as_ref().map(Data::read));
        let iv = iv.as_deref().unwrap_or_default();
        if self.algorithm.pads() && padding != Some(false) {
            // How long the plaintext is only its end says.
            let (mut buffer, mut len) = (Zeroizing::new(vec![0; data.len()]), 0);
            in_place(py, &data, &mut buffer, |buffer| {
                len = engine::decrypt(&key, iv, padding, buffer)?;
                Ok(())
            })?;
            return Ok(PyBytes::new(py, &buffer[..len]));
        }
        made(py, data.len(), |out| in_place(py, &data, out, |out| engine::decrypt(&key, iv, padding, out).map(drop)))
    }

    /// Zeroes the key; every later use is a `ValueError`.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("Cipher({})", self.algorithm.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("Cipher"))
    }
}

/// Puts data at the beginning of a result, where they are worked on.
fn in_place(
    py: Python<'_>,
    data: &Data<'_>,
    out: &mut [u8],
    work: impl FnOnce(&mut [u8]) -> sealstone::Result<()> + Send,
) -> PyResult<()> {
    let len = data.len();
    match data {
        Data::Bytes(data) => {
            let data = data.as_bytes();
            computed(py, len, || {
                out[..len].copy_from_slice(data);
                work(out)
            })
        }
        Data::Buffer(..) => {
            data.copy(0..len, &mut out[..len]);
            computed(py, len, || work(out))
        }
    }
}

/// Bytes of a key of `Cipher`.
///
/// >>> from sealstone.hazmat import cipher_key_length
/// >>> cipher_key_length("sm4-cbc"), cipher_key_length("sm4-xts")
/// (16, 32)
#[pyfunction]
fn cipher_key_length(py: Python<'_>, algorithm: &str) -> PyResult<usize> {
    Ok(or_raise(py, algorithm.parse::<cipher::Algorithm>())?.key_len())
}

/// A key of a cipher that is broken, to read old data.
///
/// It decrypts; to encrypt, for a program that reads nothing else, say `allow_legacy_encryption=True`: others can read or change what such a
/// cipher encrypts. Keys have 8 bytes (`des-…`), 24 (`des-ede3-…`), 4 to 56 (`blowfish-…`), 1 to 256 (`rc4`) or 16 (`rabbit`, which never
/// encrypts). `UnknownAlgorithm`, `WrongLength`, `LegacyEncryption`.
///
/// >>> from base64 import b64decode
/// >>> from sealstone.hazmat import LegacyCipher
/// >>> key = LegacyCipher("des-ede3-cbc", b"a key of 24 characters..")
/// >>> key.decrypt(b"an IV: 8", b64decode("X1UCl5+oIsSXBsrx8H+JGQ=="))
/// b'attack at dawn'
#[pyclass(frozen, module = "sealstone.hazmat")]
pub struct LegacyCipher {
    key: Held<legacy::LegacyCipher>,
    algorithm: legacy::Algorithm,
}

#[pymethods]
impl LegacyCipher {
    #[new]
    #[pyo3(signature = (algorithm, key, *, allow_legacy_encryption=false))]
    fn new(py: Python<'_>, algorithm: &str, key: Data<'_>, allow_legacy_encryption: bool) -> PyResult<Self> {
        let key = or_raise(py, engine::legacy(algorithm, &key.read(), allow_legacy_encryption))?;
        let algorithm = key.algorithm();
        Ok(Self { key: Held::new(key), algorithm })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Decrypts a message. The IV has 8 bytes; ECB and RC4 have none, and Rabbit has one or none. ECB and CBC alone have padding.
    ///
    /// `WrongLength`, `PartialBlock`; `InvalidPadding`, which is to be hidden as that of `Cipher.decrypt`.
    #[pyo3(signature = (iv, data, *, padding=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        iv: Option<Data<'_>>,
        data: Data<'_>,
        padding: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, iv, data) = (self.key.get()?, iv.as_ref().map(Data::read), data.read());
        let iv = iv.as_deref().unwrap_or_default();
        let decrypt = || key.decrypt(iv, engine::padding(padding), &data).map(Zeroizing::new);
        Ok(plain_bytes(py, &computed(py, data.len(), decrypt)?))
    }

    /// Encrypts a message, for a program that reads nothing else.
    ///
    /// `LegacyEncryption`, unless the key allows it, and always of Rabbit; `WrongLength`, `PartialBlock`.
    #[pyo3(signature = (iv, data, *, padding=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        iv: Option<Data<'_>>,
        data: Data<'_>,
        padding: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, iv, data) = (self.key.get()?, iv.as_ref().map(Data::read), data.read());
        let iv = iv.as_deref().unwrap_or_default();
        let encrypt = || key.encrypt(iv, engine::padding(padding), &data);
        Ok(PyBytes::new(py, &computed(py, data.len(), encrypt)?))
    }

    /// Zeroes the key; every later use is a `ValueError`.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("LegacyCipher({})", self.algorithm.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("LegacyCipher"))
    }
}

/// A key that wraps other keys: AES key wrap (RFC 3394), and with padding for secrets of any length (`…-kwp`, RFC 5649).
///
/// Wrapping one secret twice gives the same bytes: wrap keys, which are random, and nothing else. `UnknownAlgorithm`, `WrongLength`.
///
/// >>> from sealstone.hazmat import KeyWrap
/// >>> wrap = KeyWrap("aes-256-kw", bytes(32))
/// >>> wrapped = wrap.wrap(bytes(range(32)))
/// >>> len(wrapped), wrap.unwrap(wrapped) == bytes(range(32))
/// (40, True)
#[pyclass(frozen, module = "sealstone.hazmat")]
pub struct KeyWrap {
    key: Held<wrap::KeyWrap>,
    algorithm: wrap::Algorithm,
}

#[pymethods]
impl KeyWrap {
    #[new]
    fn new(py: Python<'_>, algorithm: &str, key: Data<'_>) -> PyResult<Self> {
        let algorithm: wrap::Algorithm = or_raise(py, algorithm.parse::<wrap::Algorithm>())?;
        let key = or_raise(py, wrap::KeyWrap::new(algorithm, &key.read()))?;
        Ok(Self { key: Held::new(key), algorithm })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Wraps a secret, which becomes 8 bytes longer after it was filled up to a multiple of 8.
    ///
    /// `WrongLength` for a secret that is empty and, without padding, for under 16 bytes and for other lengths than multiples of 8.
    fn wrap<'py>(&self, py: Python<'py>, secret: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (key, secret) = (self.key.get()?, secret.read());
        Ok(PyBytes::new(py, &computed(py, secret.len(), || key.wrap(&secret))?))
    }

    /// Unwraps what `wrap` returned. `NotAuthentic` for a wrong key, byte or length; nothing of the secret is released.
    fn unwrap<'py>(&self, py: Python<'py>, wrapped: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (key, wrapped) = (self.key.get()?, wrapped.read());
        Ok(plain_bytes(py, &computed(py, wrapped.len(), || key.unwrap(&wrapped))?))
    }

    /// Zeroes the key; every later use is a `ValueError`.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("KeyWrap({})", self.algorithm.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("KeyWrap"))
    }
}

/// A key of AES-CCM (SP 800-38C), for protocols that use it, with their lengths of nonces and tags. New designs use `sealstone.aead`.
///
/// `tag_length` is 4, 6, 8, 10, 12, 14 or 16 bytes: one forgery in 256 to the power of these succeeds. `UnknownAlgorithm`, `WrongLength`.
///
/// >>> from sealstone.hazmat import CcmKey
/// >>> key, nonce = CcmKey("aes-128-ccm", bytes(16), tag_length=4), bytes(13)
/// >>> sealed = key.seal(nonce, b"attack at dawn", b"header")
/// >>> len(sealed), key.open(nonce, sealed, b"header")
/// (18, b'attack at dawn')
#[pyclass(frozen, module = "sealstone.hazmat")]
pub struct CcmKey {
    key: Held<ccm::Ccm>,
    algorithm: ccm::Algorithm,
    /// Bytes of a tag.
    #[pyo3(get)]
    tag_length: usize,
}

#[pymethods]
impl CcmKey {
    #[new]
    #[pyo3(signature = (algorithm, key, *, tag_length=16))]
    fn new(py: Python<'_>, algorithm: &str, key: Data<'_>, tag_length: usize) -> PyResult<Self> {
        let algorithm: ccm::Algorithm = or_raise(py, algorithm.parse::<ccm::Algorithm>())?;
        let key = or_raise(py, ccm::Ccm::new(algorithm, &key.read(), tag_length))?;
        Ok(Self { key: Held::new(key), algorithm, tag_length })
    }

    /// The algorithm of this key.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    /// Seals a plaintext: returns the ciphertext followed by the tag. A nonce has 7 to 13 bytes; never use one twice under one key.
    ///
    /// `WrongLength`; `TooLong` for a plaintext whose length does not fit in the bytes that the nonce leaves of 15: with nonces of 13 bytes
    /// it has at most 65,535, with those of 12 at most 2**24 - 1.
    #[pyo3(signature = (nonce, data, aad=None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        nonce: Data<'_>,
        data: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, nonce, data, aad) = (self.key.get()?, nonce.read(), data.read(), aad.as_ref().map(Data::read));
        let aad = aad.as_deref().unwrap_or_default();
        Ok(PyBytes::new(py, &computed(py, data.len(), || key.seal(&nonce, aad, &data))?))
    }

    /// Opens what `seal` returned.
    ///
    /// `NotAuthentic` for a wrong key, nonce, `aad`, length of tags or byte; nothing of the plaintext is released. `WrongLength` for a nonce
    /// that is not 7 to 13 bytes.
    #[pyo3(signature = (nonce, data, aad=None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        nonce: Data<'_>,
        data: Data<'_>,
        aad: Option<Data<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (key, nonce, data, aad) = (self.key.get()?, nonce.read(), data.read(), aad.as_ref().map(Data::read));
        let aad = aad.as_deref().unwrap_or_default();
        Ok(plain_bytes(py, &computed(py, data.len(), || key.open(&nonce, aad, &data).map(Zeroizing::new))?))
    }

    /// Zeroes the key; every later use is a `ValueError`.
    fn destroy(&self) {
        self.key.destroy();
    }

    fn __repr__(&self) -> String {
        format!("CcmKey({})", self.algorithm.name())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(stays("CcmKey"))
    }
}

/// The tag of one message under a key of 32 bytes (RFC 8439 section 2.5), for protocols that make its keys themselves.
///
/// Whoever has the tags of two messages under one key can forge all others. Compare tags with `hmac.compare_digest`. `WrongLength`.
///
/// >>> from sealstone.hazmat import poly1305
/// >>> len(poly1305(bytes(32), b"attack at dawn"))
/// 16
#[pyfunction]
fn poly1305<'py>(py: Python<'py>, key: Data<'_>, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let (key, data) = (key.read(), data.read());
    Ok(PyBytes::new(py, &computed(py, data.len(), || core_poly1305::sign(&key, &data))?))
}

pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Cipher>()?;
    module.add_class::<LegacyCipher>()?;
    module.add_class::<KeyWrap>()?;
    module.add_class::<CcmKey>()?;
    module.add_function(wrap_pyfunction!(cipher_key_length, module)?)?;
    module.add_function(wrap_pyfunction!(poly1305, module)?)
}
