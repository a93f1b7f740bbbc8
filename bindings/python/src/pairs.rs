//! Pairs of keys: what their classes and functions have in common, whatever the keys are for.

use crate::boundary::{computed, or_raise, watched};
use crate::held::Held;
use crate::keys::{Text, bytes_of, text_or_bytes};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use sealstone::Result;
use sealstone_engine::Work;
use sealstone_engine::text::TextOrBytes;
use zeroize::Zeroizing;

/// The methods of both classes of a pair: the common ones, and the family's own. A family that has kinds begins with `fn kind();`.
///
/// `$class` is `PublicKey`, as the family writes it: rustc warns of the code that pyo3 makes of `__eq__` if this macro writes the name.
macro_rules! methods {
    (
        fn kind();
        $(#[$half:meta])*
        fn public_key();
        #[pymethods]
        impl PrivateKey { $($private:tt)* }
        #[pymethods]
        impl $class:ident { $($public:tt)* }
    ) => {
        crate::pairs::methods!(
            $(#[$half])*
            fn public_key();
            #[pymethods]
            impl PrivateKey {
                /// The kind of this key.
                #[getter]
                fn kind(&self) -> PyResult<&'static str> {
                    Ok(self.0.get()?.kind().name())
                }

                fn __repr__(&self) -> String {
                    crate::pairs::shown(self.kind())
                }

                $($private)*
            }
            #[pymethods]
            impl $class {
                /// The kind of this key.
                #[getter]
                fn kind(&self) -> &'static str {
                    self.0.kind().name()
                }

                fn __hash__(&self) -> u64 {
                    crate::keys::hash_of((self.kind(), self.0.to_bytes()))
                }

                $($public)*
            }
        );
    };
    (
        $(#[$half:meta])*
        fn public_key();
        #[pymethods]
        impl PrivateKey { $($private:tt)* }
        #[pymethods]
        impl $class:ident { $($public:tt)* }
    ) => {
        #[pymethods]
        impl PrivateKey {
            $(#[$half])*
            #[getter]
            fn public_key(&self) -> PyResult<PublicKey> {
                Ok(PublicKey(self.0.get()?.public_key()))
            }

            /// Zeroes the key; every later use is a `ValueError`.
            fn destroy(&self) {
                self.0.destroy();
            }

            fn __reduce__(&self) -> PyResult<()> {
                Err(crate::keys::stays("PrivateKey"))
            }

            $($private)*
        }

        #[pymethods]
        impl $class {
            fn __eq__(&self, other: &Self) -> bool {
                self.0 == other.0
            }

            $($public)*
        }
    };
}
pub(crate) use methods;

/// The functions that read and write the keys of a pair, by those of the family's `engine`, and `fill`, which puts both classes, the
/// functions that it names and these four into the module. A parameter in parentheses is one that the family has beside the common ones.
macro_rules! functions {
    (
        $(#[$import_private:meta])*
        import_private_key($($kind:ident)?);
        $(#[$import_public:meta])*
        import_public_key($($public_kind:ident)?);
        $(#[$export_private:meta])*
        export_private_key();
        $(#[$export_public:meta])*
        export_public_key($($comment:ident)?);
        fill($($other:ident),*);
    ) => {
        $(#[$import_private])*
        #[pyfunction]
        #[pyo3(signature = (key, *, passphrase=None $(, $kind=None)?))]
        fn import_private_key(
            py: Python<'_>,
            key: crate::keys::Text<'_>,
            passphrase: Option<crate::keys::Text<'_>>,
            $($kind: Option<&str>,)?
        ) -> PyResult<PrivateKey> {
            $(crate::pairs::check_kind($kind, &key, passphrase.as_ref())?;)?
            let now = |key: &[u8]| engine::private(key, $($kind,)? None);
            crate::pairs::private(py, &key, passphrase.as_ref(), now, engine::private_later).map(PrivateKey)
        }

        $(#[$import_public])*
        #[pyfunction]
        #[pyo3(signature = (key $(, *, $public_kind=None)?))]
        fn import_public_key(
            py: Python<'_>,
            key: crate::keys::Text<'_>,
            $($public_kind: Option<&str>,)?
        ) -> PyResult<PublicKey> {
            $(crate::pairs::check_kind($public_kind, &key, None)?;)?
            crate::pairs::public(py, &key, |key| engine::public(key $(, $public_kind)?)).map(PublicKey)
        }

        $(#[$export_private])*
        #[pyfunction]
        #[pyo3(signature = (key, form="pem", *, passphrase=None))]
        fn export_private_key<'py>(
            py: Python<'py>,
            key: &PrivateKey,
            form: &str,
            passphrase: Option<crate::keys::Text<'_>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let export = |key: &_, passphrase: Option<&[u8]>| engine::export_private(key, form, passphrase);
            crate::pairs::export_private(py, &key.0, passphrase.as_ref(), export)
        }

        $(#[$export_public])*
        #[pyfunction]
        #[pyo3(signature = (key, form="pem" $(, *, $comment=None)?))]
        fn export_public_key<'py>(
            py: Python<'py>,
            key: &PublicKey,
            form: &str,
            $($comment: Option<&str>,)?
        ) -> PyResult<Bound<'py, PyAny>> {
            let form = crate::boundary::or_raise(py, engine::export_public(&key.0, form $(, $comment)?))?;
            Ok(crate::keys::text_or_bytes(py, form))
        }

        pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_class::<PrivateKey>()?;
            module.add_class::<PublicKey>()?;
            $(module.add_function(wrap_pyfunction!($other, module)?)?;)*
            module.add_function(wrap_pyfunction!(import_private_key, module)?)?;
            module.add_function(wrap_pyfunction!(import_public_key, module)?)?;
            module.add_function(wrap_pyfunction!(export_private_key, module)?)?;
            module.add_function(wrap_pyfunction!(export_public_key, module)?)
        }
    };
}
pub(crate) use functions;

/// A private key in whatever form it is. One that is protected costs a password hash, which takes long.
pub fn private<T: Send, F: FnOnce() -> Result<T> + Send>(
    py: Python<'_>,
    key: &Text<'_>,
    passphrase: Option<&Text<'_>>,
    now: impl FnOnce(&[u8]) -> Result<T> + Send,
    later: impl FnOnce(Zeroizing<Vec<u8>>, Option<&[u8]>) -> Result<Work<F>>,
) -> PyResult<Held<T>> {
    let key = key.read()?;
    match passphrase {
        None => computed(py, usize::MAX, || now(&key)),
        Some(passphrase) => {
            let work = or_raise(py, later(key.to_vec().into(), Some(&passphrase.read()?)))?;
            watched(py, None, |_| work)
        }
    }
    .map(Held::new)
}

/// A public key likewise.
pub fn public<T: Send>(py: Python<'_>, key: &Text<'_>, read: impl FnOnce(&[u8]) -> Result<T> + Send) -> PyResult<T> {
    let key = key.read()?;
    computed(py, usize::MAX, || read(&key))
}

/// A form of a private key. One with a passphrase costs a password hash.
pub fn export_private<'py, T: Send + Sync>(
    py: Python<'py>,
    key: &Held<T>,
    passphrase: Option<&Text<'_>>,
    export: impl FnOnce(&T, Option<&[u8]>) -> Result<TextOrBytes> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let (key, passphrase) = (key.get()?, bytes_of(passphrase)?);
    let form = computed(py, usize::MAX, || export(&key, passphrase.as_deref()))?;
    Ok(text_or_bytes(py, form))
}

/// Refuses a kind of a key that is text, and a passphrase of the bytes of a key alone.
pub fn check_kind(kind: Option<&str>, key: &Text<'_>, passphrase: Option<&Text<'_>>) -> PyResult<()> {
    let wrong = match key {
        _ if kind.is_none() => return Ok(()),
        Text::Text(_) => "a key as text names its kind itself: leave out 'kind'",
        Text::Data(_) if passphrase.is_some() => {
            "raw bytes of a key have no passphrase: leave out 'passphrase' or 'kind'"
        }
        Text::Data(_) => return Ok(()),
    };
    Err(PyTypeError::new_err(wrong))
}

/// How a private key shows itself: its secret never.
pub fn shown<T: std::fmt::Display>(named: PyResult<T>) -> String {
    named.map_or_else(|_| "PrivateKey(destroyed)".into(), |named| format!("PrivateKey({named})"))
}
