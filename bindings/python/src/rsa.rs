//! RSA that encrypts.

use crate::boundary::{computed, watched};
use crate::held::Held;
use crate::keys;
use crate::memory::{Data, plain_bytes};
use crate::pairs;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::rsa::{self, legacy};
use sealstone_engine::rsa as engine;

/// A private key, which decrypts. Nothing prints it, and only `export_private_key` returns it.
///
/// It is zeroed by `destroy`, or after it is collected. It is neither copied nor pickled.
///
/// >>> from sealstone.rsa import generate_key
/// >>> key = generate_key(2048)
/// >>> ciphertext = key.public_key.encrypt(b"a key of 32 bytes", label=b"example.com v1")
/// >>> key.decrypt(ciphertext, label=b"example.com v1")
/// b'a key of 32 bytes'
#[pyclass(frozen, module = "sealstone.rsa")]
pub struct PrivateKey(Held<rsa::PrivateKey>);

/// A public key, which encrypts. Two of them are equal where they are the same key, and they are pickled.
#[pyclass(frozen, module = "sealstone.rsa")]
pub struct PublicKey(rsa::PublicKey);

pairs::methods!(
    /// The half that encrypts.
    fn public_key();

    #[pymethods]
    impl PrivateKey {
        /// Bits of the modulus.
        #[getter]
        fn bits(&self) -> PyResult<usize> {
            Ok(self.0.get()?.bits())
        }

        /// Decrypts with OAEP (RFC 8017 section 7.1).
        ///
        /// `WrongLength` for a ciphertext that is not as long as the modulus; `NotAuthentic` for all else, so that the error does not tell
        /// whether the key, the hash, the label or a byte differs.
        #[pyo3(signature = (ciphertext, *, hash=None, label=None))]
        fn decrypt<'py>(
            &self,
            py: Python<'py>,
            ciphertext: Data<'_>,
            hash: Option<&str>,
            label: Option<Data<'_>>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let (key, ciphertext, label) = (self.0.get()?, ciphertext.read(), label.as_ref().map(Data::read));
            let label = label.as_deref().unwrap_or_default();
            Ok(plain_bytes(py, &computed(py, usize::MAX, || engine::decrypt(&key, &ciphertext, hash, label))?))
        }

        fn __repr__(&self) -> String {
            pairs::shown(self.bits().map(|bits| format!("rsa, {bits} bits")))
        }
    }

    #[pymethods]
    impl PublicKey {
        /// Bits of the modulus.
        #[getter]
        fn bits(&self) -> usize {
            self.0.bits()
        }

        /// Encrypts with OAEP data that is at most as long as the modulus, less two digests and 2 bytes: 190 bytes with 2,048 bits and SHA-256.
        ///
        /// `hash` is that of OAEP and of its MGF1: `sha1`, `sha256`, the default, `sha384` or `sha512`. SHA-1, which is broken for signatures,
        /// does no harm here. `label` is bound to the ciphertext, and not sent. `TooLong`; `UnknownAlgorithm`.
        #[pyo3(signature = (data, *, hash=None, label=None))]
        fn encrypt<'py>(
            &self,
            py: Python<'py>,
            data: Data<'_>,
            hash: Option<&str>,
            label: Option<Data<'_>>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let (data, label) = (data.read(), label.as_ref().map(Data::read));
            let label = label.as_deref().unwrap_or_default();
            Ok(PyBytes::new(py, &computed(py, usize::MAX, || engine::encrypt(&self.0, &data, hash, label))?))
        }

        fn __hash__(&self) -> u64 {
            keys::hash_of(self.0.to_bytes())
        }

        fn __repr__(&self) -> String {
            format!("PublicKey(rsa, {} bits)", self.0.bits())
        }

        fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
            Ok((py.import("sealstone.rsa")?.getattr("import_public_key")?, (self.0.to_pem(),)))
        }
    }
);

/// Makes a new key of 2048, 3072 or 4096 bits. It takes from a tenth of a second to some seconds, and Ctrl-C ends it.
///
/// `InvalidOption` for another number of bits.
///
/// >>> from sealstone.rsa import generate_key
/// >>> generate_key(2048)
/// PrivateKey(rsa, 2048 bits)
#[pyfunction]
#[pyo3(signature = (bits=3072))]
fn generate_key(py: Python<'_>, bits: u32) -> PyResult<PrivateKey> {
    watched(py, None, |job| engine::generate(bits, job)).map(|key| PrivateKey(Held::new(key)))
}

/// Encrypts with the padding of PKCS#1 v1.5. The data must be at least 11 bytes shorter than the modulus; otherwise it is `TooLong`.
#[pyfunction]
fn encrypt_pkcs1<'py>(py: Python<'py>, key: &PublicKey, data: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let data = data.read();
    Ok(PyBytes::new(py, &computed(py, usize::MAX, || legacy::encrypt(&key.0, &data))?))
}

/// Decrypts. It never says whether the padding was right: a ciphertext that is damaged, or for another key, decrypts to a message of random
/// length and bytes, always the same message.
///
/// `WrongLength` for a ciphertext that is not as long as the modulus; `MalformedCiphertext` for one that is not below it: both are seen
/// without the private key.
#[pyfunction]
fn decrypt_pkcs1<'py>(py: Python<'py>, key: &PrivateKey, ciphertext: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let (key, ciphertext) = (key.0.get()?, ciphertext.read());
    Ok(plain_bytes(py, &computed(py, usize::MAX, || legacy::decrypt(&key, &ciphertext))?))
}

pairs::functions! {
    /// Reads a private key: PKCS#8 and PKCS#1 as PEM and DER, plain or encrypted, or a JWK.
    ///
    /// `passphrase` is for a key that is encrypted; a wrong one is `NoMatchingIdentity`, and none `PassphraseRequired`.
    ///
    /// `InvalidKey` for what is damaged, for a public key, and for one of under 2,048 or over 8,192 bits; `UnsupportedKey`; `CostTooHigh`.
    import_private_key();

    /// Reads a public key: `SubjectPublicKeyInfo`, PKCS#1 and an X.509 certificate as PEM and DER, or a JWK. A certificate is read for its key
    /// only: nothing in it is verified.
    ///
    /// `InvalidKey` for what is damaged, for a private key, and for one of under 2,048 or over 8,192 bits; `UnsupportedKey`.
    import_public_key();

    /// Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`, or as a JWK, which is JSON text.
    ///
    /// A `passphrase` encrypts the forms `pem` and `der`; it is `UnsupportedKey` for a JWK.
    export_private_key();

    /// Exports a public key: as `SubjectPublicKeyInfo` in `pem`, the default, or `der`, or as a JWK, which is JSON text.
    export_public_key();

    fill(generate_key, encrypt_pkcs1, decrypt_pkcs1);
}
