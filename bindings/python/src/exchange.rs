//! Key agreement and encapsulation.

use crate::boundary::computed;
use crate::held::Held;
use crate::memory::{Data, plain_bytes};
use crate::pairs;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sealstone::exchange;
use sealstone_engine::exchange as engine;

/// A private key. Nothing prints it, and only `export_private_key` returns it.
///
/// It is zeroed by `destroy`, or after it is collected. It is neither copied nor pickled.
///
/// >>> from sealstone.exchange import generate_key
/// >>> alice, bob = generate_key("x25519"), generate_key("x25519")
/// >>> agreed = {"hash": "sha256", "info": b"example.com v1, session key", "length": 32}
/// >>> key = alice.diffie_hellman(bob.public_key, **agreed)
/// >>> key == bob.diffie_hellman(alice.public_key, **agreed)
/// True
#[pyclass(frozen, module = "sealstone.exchange")]
pub struct PrivateKey(Held<exchange::PrivateKey>);

/// A public key, checked when it is read: a point is on its curve, and numbers of ML-KEM are below its modulus.
///
/// Two of them are equal where they are the same key, and they are pickled.
///
/// >>> from sealstone.exchange import generate_key
/// >>> key = generate_key()  # hybrid
/// >>> secret, ciphertext = key.public_key.encapsulate()
/// >>> len(ciphertext), key.decapsulate(ciphertext) == secret
/// (1120, True)
#[pyclass(frozen, module = "sealstone.exchange")]
pub struct PublicKey(exchange::PublicKey);

pairs::methods!(
    fn kind();
    /// The half for the other side.
    fn public_key();

    #[pymethods]
    impl PrivateKey {
        /// Derives a key of `length` bytes from the shared secret of this key and the other side's public key.
        ///
        /// `info` says what the key is for, and who the two sides are: another text gives another key. `kdf` is `hkdf` (RFC 5869), the default,
        /// or `concat`, the one-step KDF of SP 800-56C, as in JOSE's ECDH-ES; `hash` is its hash. `salt`, for HKDF, is randomness or another
        /// secret that both sides have.
        ///
        /// `InvalidKey` where the public key is of another kind or has low order, and for kinds that encapsulate; `UnknownAlgorithm` for a hash
        /// without an HMAC; `TooLong` for more than 255 digests of HKDF; `InvalidOption` for a salt of `concat`.
        ///
        /// RFC 7748, SP 800-56A.
        #[pyo3(signature = (public_key, *, hash, info, length, salt=None, kdf="hkdf"))]
        fn diffie_hellman<'py>(
            &self,
            py: Python<'py>,
            public_key: &PublicKey,
            hash: &str,
            info: Data<'_>,
            length: u32,
            salt: Option<Data<'_>>,
            kdf: &str,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let key = self.0.get()?;
            let (info, salt) = (info.read(), salt.as_ref().map(Data::read));
            let salt = salt.as_deref().unwrap_or_default();
            let derive = || engine::agree(&key, &public_key.0, [kdf, hash], salt, &info, length);
            Ok(plain_bytes(py, &computed(py, usize::MAX, derive)?))
        }

        /// The shared secret of this key and the other side's public key, for protocols that define how a key is derived from it, such as TLS
        /// and Noise.
        ///
        /// It is not a key: its bits are not uniform, and several public keys give the same secret. `diffie_hellman` derives a key.
        /// `InvalidKey` as there.
        fn hazmat_shared_secret<'py>(&self, py: Python<'py>, public_key: &PublicKey) -> PyResult<Bound<'py, PyBytes>> {
            let key = self.0.get()?;
            Ok(plain_bytes(py, &computed(py, usize::MAX, || key.hazmat_shared_secret(&public_key.0))?))
        }

        /// The secret of a ciphertext, 32 bytes.
        ///
        /// A ciphertext that is damaged, or for another key, gives a secret that nobody else has: data under the right secret then does not
        /// open. `WrongLength`;
        /// `MalformedCiphertext` for one of `hybrid` whose point has low order; `InvalidKey` for kinds that agree.
        ///
        /// FIPS 203, draft-connolly-cfrg-xwing-kem.
        fn decapsulate<'py>(&self, py: Python<'py>, ciphertext: Data<'_>) -> PyResult<Bound<'py, PyBytes>> {
            let (key, ciphertext) = (self.0.get()?, ciphertext.read());
            let secret = computed(py, usize::MAX, || key.decapsulate(&ciphertext))?;
            Ok(PyBytes::new(py, &secret[..]))
        }
    }

    #[pymethods]
    impl PublicKey {
        /// A fresh `secret` of 32 bytes, and the `ciphertext` from which the private key gets the same secret.
        ///
        /// Derive a key for each purpose from it, with `hkdf` of `sealstone.kdf`. `InvalidKey` for kinds that agree.
        fn encapsulate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            let (ciphertext, secret) = computed(py, usize::MAX, || self.0.encapsulate())?;
            let both = (PyBytes::new(py, &secret[..]), PyBytes::new(py, &ciphertext));
            py.import("sealstone.exchange")?.getattr("Encapsulated")?.call1(both)
        }

        fn __repr__(&self) -> String {
            format!("PublicKey({})", self.kind())
        }

        /// By its bytes and its kind, since not every kind has PEM.
        fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
            let kind = PyDict::new(py);
            kind.set_item("kind", self.kind())?;
            let read = py.import("sealstone.exchange")?.getattr("import_public_key")?;
            let read = py.import("functools")?.getattr("partial")?.call((read,), Some(&kind))?;
            Ok((read, (PyBytes::new(py, self.0.to_bytes()),)))
        }
    }
);

/// Makes a new key from the system's randomness, `hybrid` if no kind is named.
///
/// >>> from sealstone.exchange import generate_key
/// >>> generate_key().kind, len(generate_key("ml-kem-1024").public_key.encapsulate().ciphertext)
/// ('hybrid', 1568)
#[pyfunction]
#[pyo3(signature = (kind=None))]
fn generate_key(py: Python<'_>, kind: Option<&str>) -> PyResult<PrivateKey> {
    computed(py, usize::MAX, || engine::generate(kind)).map(|key| PrivateKey(Held::new(key)))
}

pairs::functions! {
    /// Reads a private key: PKCS#8 and SEC1 as PEM and DER, plain or encrypted, a JWK, age's string of `hybrid` and `x25519`, or with a `kind`
    /// its bytes alone.
    ///
    /// `passphrase` is for a key that is encrypted; a wrong one is `NoMatchingIdentity`, and none `PassphraseRequired`.
    ///
    /// `InvalidKey` for what is damaged, and for a public key; `UnsupportedKey`, also for a key of ML-KEM without its seed; `CostTooHigh`;
    /// `WrongLength` for bytes alone.
    ///
    /// >>> from sealstone.exchange import export_private_key, generate_key, import_private_key
    /// >>> import_private_key(export_private_key(generate_key("p521"), passphrase="correct horse"), passphrase="correct horse")
    /// PrivateKey(p521)
    import_private_key(kind);

    /// Reads a public key: `SubjectPublicKeyInfo` and an X.509 certificate as PEM and DER, a JWK, age's string of `hybrid` and `x25519`, or
    /// with a
    /// `kind` its bytes alone. A certificate is read for its key only: nothing in it is verified.
    ///
    /// `InvalidKey` for what is damaged, and for a private key; `UnsupportedKey`; `WrongLength` for bytes alone.
    ///
    /// >>> from sealstone.exchange import import_public_key
    /// >>> import_public_key('{"kty":"OKP","crv":"X25519","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}').kind
    /// 'x25519'
    import_public_key(kind);

    /// Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`; as a JWK, which is JSON text; or as its bytes,
    /// `raw`. Keys of `hybrid` have only `raw`, and those of ML-KEM have no JWK.
    ///
    /// A `passphrase` encrypts the forms `pem` and `der`. `UnsupportedKey` for a kind without this form, and for a passphrase of a form that has
    /// none.
    export_private_key();

    /// Exports a public key: as `SubjectPublicKeyInfo` in `pem`, the default, or `der`; as a JWK, which is JSON text; or as its bytes, `raw`.
    /// Keys of `hybrid` have only `raw`, and those of ML-KEM have no JWK.
    ///
    /// `UnsupportedKey` for a kind without this form.
    export_public_key();

    fill(generate_key);
}
