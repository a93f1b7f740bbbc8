//! Which code computes: of our own kernels the widest that this CPU has, or the one that the environment names.

use crate::error::{Error, Result};
use sealstone_ciphers::sm4;
use std::sync::OnceLock;

/// The variable that names a backend of our own kernels.
const VARIABLE: &str = "SEALSTONE_BACKEND";

/// The backend that the environment variable `SEALSTONE_BACKEND` asks for, for what Sealstone computes itself (SM4):
/// `portable`, `aes-avx2`, `vaes-avx2`, `gfni-avx2` or `gfni-avx512`. GCM's GHASH goes with it: portable, or the widest there is. It is read once. Without it, or where it is
/// empty, every key gets the fastest
/// backend that this CPU has.
///
/// ```
/// if std::env::var_os("SEALSTONE_BACKEND").is_none() {
///     assert_eq!(sealstone::forced_backend()?, None);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnavailableBackend`] when the name is another, or this CPU lacks it. Nothing falls back in silence: whatever
/// needs the backend fails in the same way.
pub fn forced_backend() -> Result<Option<&'static str>> {
    Ok(forced()?.map(sm4::Backend::name))
}

/// The backend of SM4's keys.
pub(crate) fn of_sm4() -> Result<sm4::Backend> {
    Ok(forced()?.unwrap_or_else(sm4::Backend::fastest))
}

fn forced() -> Result<Option<sm4::Backend>> {
    static FORCED: OnceLock<Result<Option<sm4::Backend>, String>> = OnceLock::new();
    let named = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let read = || named().map(|name| find(&name.to_string_lossy())).transpose();
    FORCED.get_or_init(read).clone().map_err(Error::UnavailableBackend)
}

fn find(name: &str) -> Result<sm4::Backend, String> {
    let Some(backend) = sm4::Backend::ALL.into_iter().find(|backend| backend.name() == name) else {
        let names = sm4::Backend::ALL.map(sm4::Backend::name).join(", ");
        let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
        return Err(format!("{VARIABLE} is '{name}', and expected is one of: {names}"));
    };
    if !backend.is_available() {
        return Err(format!("{VARIABLE} is '{name}', which this CPU lacks"));
    }
    Ok(backend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_where_the_cpu_has_it_and_no_other() {
        let mut found = 0;
        for backend in sm4::Backend::ALL {
            match find(backend.name()) {
                Ok(same) => {
                    assert!(same == backend && backend.is_available());
                    found += 1;
                }
                Err(text) => assert!(!backend.is_available() && text.ends_with("which this CPU lacks"), "{text}"),
            }
        }
        assert!(found >= 1);
        for name in ["", "Portable", "portable ", "avx9", "a\u{1b}[2J"] {
            let text = find(name).unwrap_err();
            assert!(text.contains("one of: portable, ") && !text.contains('\u{1b}'), "{text}");
        }
    }
}
