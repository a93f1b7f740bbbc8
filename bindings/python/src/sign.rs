//! Keys that sign, and signatures.

use crate::boundary::{computed, or_raise, watched};
use crate::held::Held;
use crate::memory::Data;
use crate::pairs;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealstone::sign;
use sealstone_engine::sign as engine;

/// A private key, which signs. Nothing prints it, and only `export_private_key` returns it.
///
/// It is zeroed by `destroy`, or after it is collected. It is neither copied nor pickled.
///
/// >>> from sealstone.sign import generate_key
/// >>> key = generate_key("ed25519")
/// >>> signature = key.sign(b"attack at dawn")
/// >>> key.kind, len(signature)
/// ('ed25519', 64)
/// >>> key.public_key.verify(b"attack at dawn", signature)
/// >>> key.destroy()
#[pyclass(frozen, module = "sealstone.sign")]
pub struct PrivateKey(pub Held<sign::PrivateKey>);

/// A public key, which verifies. Two of them are equal where they are the same key, and they are pickled.
///
/// >>> from sealstone.sign import generate_key, import_public_key
/// >>> from sealstone.errors import InvalidSignature
/// >>> key = import_public_key("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea")
/// >>> try:
/// ...     key.verify(b"attack at dawn", generate_key("ed25519").sign(b"attack at dawn"))
/// ... except InvalidSignature as error:
/// ...     error.code
/// 'invalid_signature'
#[pyclass(frozen, module = "sealstone.sign")]
pub struct PublicKey(pub sign::PublicKey);

pairs::methods!(
    fn kind();
    /// The half that verifies.
    fn public_key();

    #[pymethods]
    impl PrivateKey {
        /// Signs a message, with the options of its kind; verifying needs the same options.
        ///
        /// `hash` is the hash of the message for ECDSA and RSA: `sha256`, `sha384` or `sha512`. By default it is the curve's own, and SHA-256
        /// for RSA.
        /// `encoding` is how a signature of ECDSA or SM2 is written: `der`, the default, as in OpenSSL and certificates, or `fixed`, as in JWS.
        /// `scheme` is how RSA pads: `pss`, the default, with a salt as long as the digest, or `pkcs1`.
        /// `context` separates signatures of one use from all others: up to 255 bytes, for ML-DSA and hybrid kinds.
        /// `id` is the user id of SM2, `1234567812345678` by default.
        ///
        /// `InvalidOption` for an option that the kind does not have. `InvalidKey` for a key of OpenSSH, which signs files alone, and for a
        /// message that begins as what a signature file signs (spec/signature.md section 7.6).
        ///
        /// >>> from sealstone.sign import generate_key
        /// >>> len(generate_key("p256-sign").sign(b"attack at dawn", encoding="fixed"))
        /// 64
        ///
        /// RFC 8032, FIPS 186-5, FIPS 204, RFC 8017, GB/T 32918.2.
        #[pyo3(signature = (data, *, hash=None, encoding=None, scheme=None, context=None, id=None))]
        fn sign<'py>(
            &self,
            py: Python<'py>,
            data: Data<'_>,
            hash: Option<&str>,
            encoding: Option<&str>,
            scheme: Option<&str>,
            context: Option<Data<'_>>,
            id: Option<Data<'_>>,
        ) -> PyResult<Bound<'py, PyBytes>> {
            let key = self.0.get()?;
            let choices = or_raise(py, engine::choices(hash, encoding, scheme))?;
            let (data, context, id) = (data.read(), context.as_ref().map(Data::read), id.as_ref().map(Data::read));
            let options = engine::SignOptions { choices, context: context.as_deref(), id: id.as_deref() }.read();
            Ok(PyBytes::new(py, &computed(py, usize::MAX, || key.sign_with(&options, &data))?))
        }
    }

    #[pymethods]
    impl PublicKey {
        /// `SHA256:` and 64 hexadecimal digits, to compare keys by eye or over the phone.
        #[getter]
        fn fingerprint(&self) -> String {
            self.0.fingerprint()
        }

        /// The fingerprint as `ssh-keygen -l` shows it. `UnsupportedKey` for `secp256k1`, which SSH does not have.
        #[getter]
        fn ssh_fingerprint(&self, py: Python<'_>) -> PyResult<String> {
            or_raise(py, self.0.ssh_fingerprint())
        }

        /// Verifies a signature. It returns nothing: `InvalidSignature`, whatever is wrong with it.
        ///
        /// The options are those of `PrivateKey.sign`, and `InvalidOption` is for one that the kind does not have.
        #[pyo3(signature = (data, signature, *, hash=None, encoding=None, scheme=None, context=None, id=None))]
        fn verify(
            &self,
            py: Python<'_>,
            data: Data<'_>,
            signature: Data<'_>,
            hash: Option<&str>,
            encoding: Option<&str>,
            scheme: Option<&str>,
            context: Option<Data<'_>>,
            id: Option<Data<'_>>,
        ) -> PyResult<()> {
            let choices = or_raise(py, engine::choices(hash, encoding, scheme))?;
            let (data, signature) = (data.read(), signature.read());
            let (context, id) = (context.as_ref().map(Data::read), id.as_ref().map(Data::read));
            let options = engine::SignOptions { choices, context: context.as_deref(), id: id.as_deref() }.read();
            computed(py, usize::MAX, || self.0.verify_with(&options, &data, &signature))
        }

        fn __repr__(&self) -> String {
            format!("PublicKey({} {})", self.kind(), self.fingerprint())
        }

        fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
            Ok((py.import("sealstone.sign")?.getattr("import_public_key")?, (self.0.to_pem(),)))
        }
    }
);

/// Makes a new key from the system's randomness, `hybrid-sign` if no kind is named.
///
/// `UnknownAlgorithm` also for RSA: `generate_rsa_key` makes its keys.
///
/// >>> from sealstone.sign import export_public_key, generate_key
/// >>> key = generate_key("ed25519")
/// >>> export_public_key(key.public_key, "ssh", comment="alice@example.org")  # doctest: +ELLIPSIS
/// 'ssh-ed25519 AAAA... alice@example.org'
#[pyfunction]
#[pyo3(signature = (kind=None))]
fn generate_key(py: Python<'_>, kind: Option<&str>) -> PyResult<PrivateKey> {
    computed(py, usize::MAX, || engine::generate(kind)).map(|key| PrivateKey(Held::new(key)))
}

/// Makes a new key of RSA, of 2048, 3072 or 4096 bits. It takes from a tenth of a second to some seconds, and Ctrl-C ends it.
///
/// `InvalidOption` for another number of bits.
///
/// >>> from sealstone.sign import generate_rsa_key
/// >>> key = generate_rsa_key(2048)
/// >>> key.public_key.verify(b"attack at dawn", key.sign(b"attack at dawn", scheme="pkcs1"), scheme="pkcs1")
#[pyfunction]
#[pyo3(signature = (bits=3072))]
fn generate_rsa_key(py: Python<'_>, bits: u32) -> PyResult<PrivateKey> {
    watched(py, None, |job| engine::generate_rsa(bits, job)).map(|key| PrivateKey(Held::new(key)))
}

pairs::functions! {
    /// Reads a private key: PKCS#8, SEC1 and PKCS#1 as PEM and DER, plain or encrypted, a JWK, OpenSSH's, or with a `kind` its bytes alone.
    ///
    /// `passphrase` is for a key that is encrypted; a wrong one is `NoMatchingIdentity`, and none `PassphraseRequired`. A private key of
    /// OpenSSH may be used to log in, so it signs files only: `sign` refuses it with `InvalidKey`.
    ///
    /// `InvalidKey` for what is damaged, and for a public key; `UnsupportedKey`; `CostTooHigh`; `WrongLength` for bytes alone.
    ///
    /// >>> from sealstone.sign import import_private_key
    /// >>> import_private_key(bytes(32), kind="ed25519")
    /// PrivateKey(ed25519)
    import_private_key(kind);

    /// Reads a public key: `SubjectPublicKeyInfo`, PKCS#1 and an X.509 certificate as PEM and DER, a JWK, a line of SSH, or with a `kind` its
    /// bytes alone. A certificate is read for its key only: nothing in it is verified.
    ///
    /// `InvalidKey` for what is damaged, and for a private key; `UnsupportedKey`; `WrongLength` for bytes alone.
    ///
    /// >>> from sealstone.sign import import_public_key
    /// >>> import_public_key('{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}').kind
    /// 'ed25519'
    import_public_key(kind);

    /// Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`; as a JWK, which is JSON text; as OpenSSH has it,
    /// `ssh`; or as its bytes, `raw`.
    ///
    /// A `passphrase` encrypts the forms `pem`, `der` and `ssh`. `UnsupportedKey` for a kind without this form, and for a passphrase of a form
    /// that has none.
    ///
    /// >>> from sealstone.sign import export_private_key, generate_key
    /// >>> len(export_private_key(generate_key("p256-sign"), "raw"))
    /// 32
    export_private_key();

    /// Exports a public key: as `SubjectPublicKeyInfo` in `pem`, the default, or `der`; as a JWK, which is JSON text; as a line of SSH, `ssh`;
    /// or as its bytes, `raw`.
    ///
    /// A `comment` comes after the key in an SSH line. `UnsupportedKey` for a kind without this form; `InvalidOption` for a comment of
    /// several lines, or of another form.
    export_public_key(comment);

    fill(generate_key, generate_rsa_key);
}
