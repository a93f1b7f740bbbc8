//! SM2 that encrypts and signs with one key.

use crate::boundary::{computed, or_raise};
use crate::held::Held;
use crate::keys::{self, text_or_bytes};
use crate::memory::{Data, plain_bytes};
use crate::pairs;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::sm2;
use sealstone_engine::sm2 as engine;

/// A private key, which decrypts and signs. Nothing prints it, and only `export_private_key` returns it.
///
/// It is zeroed by `destroy`, or after it is collected. It is neither copied nor pickled.
///
/// >>> from sealstone.sm2 import generate_key
/// >>> key = generate_key()
/// >>> key.decrypt(key.public_key.encrypt(b"attack at dawn"))
/// b'attack at dawn'
/// >>> key.public_key.verify(b"attack at dawn", key.sign(b"attack at dawn"))
#[pyclass(frozen, module = "sealstone.sm2")]
pub struct PrivateKey(Held<sm2::PrivateKey>);

/// A public key, which encrypts and verifies. Two of them are equal where they are the same key, and they are pickled.
#[pyclass(frozen, module = "sealstone.sm2")]
pub struct PublicKey(sm2::PublicKey);

pairs::methods!(
    /// The half that encrypts and verifies.
    fn public_key();

    #[pymethods]
    impl PrivateKey {
        /// A key of its number: 32 bytes, big-endian.
        ///
        /// `WrongLength`; `InvalidKey` for 0, and from n - 1 on, with which nobody can sign.
        ///
        /// >>> from sealstone.sm2 import PrivateKey
        /// >>> PrivateKey.from_bytes(bytes.fromhex("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"))
        /// PrivateKey(sm2)
        #[staticmethod]
        fn from_bytes(py: Python<'_>, data: Data<'_>) -> PyResult<Self> {
            let data = data.read();
            computed(py, usize::MAX, || sm2::PrivateKey::from_bytes(&data)).map(|key| Self(Held::new(key)))
        }

        /// Decrypts what `PublicKey.encrypt` returned, in the same form, with or without the 04 before the point, which `sm-crypto` omits.
        ///
        /// That it decrypts shows that a ciphertext is complete, and not who made it. `MalformedCiphertext` for one that no key can have made;
        /// `NotAuthentic`.
        ///
        /// GB/T 32918.4.
        #[pyo3(signature = (ciphertext, *, form=None))]
        fn decrypt<'py>(
            &self,
            py: Python<'py>,
            ciphertext: Data<'_>,
            form: Option<&str>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let (key, ciphertext) = (self.0.get()?, ciphertext.read());
            Ok(plain_bytes(py, &computed(py, usize::MAX, || engine::decrypt(&key, &ciphertext, form))?))
        }

        /// Signs a message as the user `id`, `1234567812345678` by default.
        ///
        /// `encoding` is `der`, the default, as in OpenSSL and certificates, or `fixed`, r and s of 32 bytes each. `InvalidUserId`; `InvalidKey`
        /// for a message that begins as those do that signature files sign.
        ///
        /// GB/T 32918.2.
        #[pyo3(signature = (data, *, id=None, encoding=None))]
        fn sign<'py>(
            &self,
            py: Python<'py>,
            data: Data<'_>,
            id: Option<Data<'_>>,
            encoding: Option<&str>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let (key, data, id) = (self.0.get()?, data.read(), id.as_ref().map(Data::read));
            let signature = computed(py, usize::MAX, || engine::sign(&key, &data, id.as_deref(), encoding))?;
            Ok(PyBytes::new(py, &signature))
        }

        /// Signs what `PublicKey.digest` returned for a message, 32 bytes.
        ///
        /// A digest shows nothing of its message: sign those alone that you computed, of a message whose beginning you saw. `WrongLength`.
        #[pyo3(signature = (digest, *, encoding=None))]
        fn sign_digest<'py>(
            &self,
            py: Python<'py>,
            digest: Data<'_>,
            encoding: Option<&str>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let (key, digest) = (self.0.get()?, digest.read());
            let signature = computed(py, usize::MAX, || engine::sign_digest(&key, &digest, encoding))?;
            Ok(PyBytes::new(py, &signature))
        }

        fn __repr__(&self) -> String {
            pairs::shown(self.0.get().map(|_| "sm2"))
        }
    }

    #[pymethods]
    impl PublicKey {
        /// A key of its point: 65 bytes, 04, x and y, or 64 without the 04.
        ///
        /// `WrongLength`; `InvalidKey` for a point at infinity or off the curve.
        #[staticmethod]
        fn from_bytes(py: Python<'_>, data: Data<'_>) -> PyResult<Self> {
            let data = data.read();
            computed(py, usize::MAX, || sm2::PublicKey::from_bytes(&data)).map(Self)
        }

        /// Encrypts 1 byte or more. The ciphertext is 97 bytes longer, and a little more with DER.
        ///
        /// `form` is the order of its parts: `c1c3c2`, the default and that of GB/T 32918.4-2016; `c1c2c3`, that of 2010, in old data; or `der`,
        /// as OpenSSL and `GmSSL` write it. `EmptyPlaintext`, for which the standard has no ciphertext.
        ///
        /// GB/T 32918.4, GB/T 35276.
        #[pyo3(signature = (data, *, form=None))]
        fn encrypt<'py>(&self, py: Python<'py>, data: Data<'_>, form: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
            let data = data.read();
            Ok(PyBytes::new(py, &computed(py, usize::MAX, || engine::encrypt(&self.0, &data, form))?))
        }

        /// Verifies a message's signature by the user `id`. It returns nothing: `InvalidSignature`, whatever is wrong with it.
        ///
        /// The options are those of `PrivateKey.sign`.
        #[pyo3(signature = (data, signature, *, id=None, encoding=None))]
        fn verify(
            &self,
            py: Python<'_>,
            data: Data<'_>,
            signature: Data<'_>,
            id: Option<Data<'_>>,
            encoding: Option<&str>,
        ) -> PyResult<()> {
            let (data, signature, id) = (data.read(), signature.read(), id.as_ref().map(Data::read));
            computed(py, usize::MAX, || engine::verify(&self.0, &data, &signature, id.as_deref(), encoding))
        }

        /// Verifies what `PrivateKey.sign_digest` returned.
        #[pyo3(signature = (digest, signature, *, encoding=None))]
        fn verify_digest(
            &self,
            py: Python<'_>,
            digest: Data<'_>,
            signature: Data<'_>,
            encoding: Option<&str>,
        ) -> PyResult<()> {
            let (digest, signature) = (digest.read(), signature.read());
            computed(py, usize::MAX, || engine::verify_digest(&self.0, &digest, &signature, encoding))
        }

        /// The digest that a signature of this message by the user `id` signs: SM3 of the user's hash and the message, 32 bytes. `InvalidUserId`.
        #[pyo3(signature = (data, *, id=None))]
        fn digest<'py>(&self, py: Python<'py>, data: Data<'_>, id: Option<Data<'_>>) -> PyResult<Bound<'py, PyBytes>> {
            let (data, id) = (data.read(), id.as_ref().map(Data::read));
            Ok(PyBytes::new(py, &computed(py, data.len(), || engine::digest(&self.0, &data, id.as_deref()))?))
        }

        fn __hash__(&self) -> u64 {
            keys::hash_of(self.0.to_bytes())
        }

        fn __repr__(&self) -> String {
            format!("{:?}", self.0)
        }

        fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
            let pem = text_or_bytes(py, or_raise(py, engine::export_public(&self.0, "pem"))?);
            Ok((py.import("sealstone.sm2")?.getattr("import_public_key")?, (pem,)))
        }
    }
);

/// Makes a new key from the system's randomness.
#[pyfunction]
fn generate_key(py: Python<'_>) -> PyResult<PrivateKey> {
    computed(py, usize::MAX, sm2::PrivateKey::generate).map(|key| PrivateKey(Held::new(key)))
}

pairs::functions! {
    /// Reads a private key: PKCS#8 and SEC1 as PEM and DER, plain or encrypted. `PrivateKey.from_bytes` takes its number alone.
    ///
    /// `passphrase` is for a key that is encrypted; a wrong one is `NoMatchingIdentity`, and none `PassphraseRequired`.
    ///
    /// `InvalidKey` for what is damaged, for a public key, and for a key of another kind; `UnsupportedKey`; `CostTooHigh`.
    ///
    /// >>> from sealstone.sm2 import export_private_key, generate_key, import_private_key
    /// >>> import_private_key(export_private_key(generate_key(), passphrase="correct horse"), passphrase="correct horse")
    /// PrivateKey(sm2)
    import_private_key();

    /// Reads a public key: `SubjectPublicKeyInfo` and an X.509 certificate as PEM and DER. `PublicKey.from_bytes` takes its point alone. A
    /// certificate is read for its key only: nothing in it is verified.
    ///
    /// `InvalidKey` for what is damaged, for a private key, and for a key of another kind; `UnsupportedKey`.
    import_public_key();

    /// Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`, or as its number, `raw`.
    ///
    /// A `passphrase` encrypts the forms `pem` and `der`; it is `UnsupportedKey` for another form.
    export_private_key();

    /// Exports a public key: as `SubjectPublicKeyInfo` in `pem`, the default, or `der`, or as its point, `raw`.
    export_public_key();

    fill(generate_key);
}
