//! Which of our own kernels compute: the widest that this CPU supports, or the one that the environment names.

use crate::error::{Error, Result};
use sealstone_ciphers::{chacha20, sm4};
use std::sync::OnceLock;

/// The variable that names a backend of our own kernels.
const VARIABLE: &str = "SEALSTONE_BACKEND";

/// The backend that the environment variable `SEALSTONE_BACKEND` asks for, for what Sealstone computes itself. It is read once.
/// Without it, or where it is empty, every key gets the fastest backend that this CPU has.
///
/// There are two families of kernels, and a name applies to the families that have it:
///
/// | | names |
/// |---|---|
/// | SM4, and GCM's GHASH: portable, or the widest there is | `portable`, `aes-avx2`, `vaes-avx2`, `gfni-avx2`, `gfni-avx512` |
/// | ChaCha20, Salsa20, Poly1305 and Argon2 | `portable`, `avx2`, `avx512`, `avx512-ifma` |
///
/// The other family computes as without the variable, as AES does. A family that has the name computes
/// [`chacha20-poly1305`](crate::aead::Algorithm::ChaCha20Poly1305) too, which AWS-LC else does on CPUs without AVX2.
///
/// ```
/// if std::env::var_os("SEALSTONE_BACKEND").is_none() {
///     assert_eq!(sealstone::forced_backend()?, None);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnavailableBackend`] when no family has the name, or this CPU does not support it. Nothing falls back silently: then
/// everything that either family would compute fails in the same way.
pub fn forced_backend() -> Result<Option<&'static str>> {
    Ok(forced()?.map(|forced| forced.name))
}

/// The backend of SM4's keys.
pub(crate) fn of_sm4() -> Result<sm4::Backend> {
    Ok(forced()?.and_then(|forced| forced.sm4).unwrap_or_else(sm4::Backend::fastest))
}

/// The backend of keys of ChaCha20-Poly1305 and its kin.
pub(crate) fn of_chacha() -> Result<chacha20::Backend> {
    Ok(forced()?.and_then(|forced| forced.chacha).unwrap_or_else(chacha20::Backend::fastest))
}

/// Whether keys of ChaCha20-Poly1305 are for our kernels, rather than for a library. AWS-LC's are faster than plain Rust, and
/// slower than ours on wider registers (docs/design/chacha20-poly1305.md); what was forced is used however slow it is.
pub(crate) fn prefers_own_chacha() -> Result<bool> {
    Ok(forced()?.is_some_and(|forced| forced.chacha.is_some())
        || chacha20::Backend::fastest() != chacha20::Backend::Portable)
}

/// A name, and what it is in each family that has it; in one at least.
#[derive(Clone, Copy)]
struct Forced {
    name: &'static str,
    sm4: Option<sm4::Backend>,
    chacha: Option<chacha20::Backend>,
}

fn forced() -> Result<Option<Forced>> {
    static FORCED: OnceLock<Result<Option<Forced>, String>> = OnceLock::new();
    let named = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let read = || named().map(|name| find(&name.to_string_lossy())).transpose();
    FORCED.get_or_init(read).clone().map_err(Error::UnavailableBackend)
}

fn find(name: &str) -> Result<Forced, String> {
    let sm4 = sm4_backends().find(|backend| backend.name() == name);
    let chacha = chacha20_backends().find(|backend| backend.name() == name);
    let Some(known) = sm4.map(sm4::Backend::name).or(chacha.map(chacha20::Backend::name)) else {
        // Both families have the portable one.
        let others = chacha20_backends().filter(|backend| *backend != chacha20::Backend::Portable);
        let names: Vec<_> = sm4_backends().map(sm4::Backend::name).chain(others.map(chacha20::Backend::name)).collect();
        let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
        return Err(format!("{VARIABLE} is '{name}'; expected one of: {}", names.join(", ")));
    };
    if !sm4.is_none_or(sm4::Backend::is_available) || !chacha.is_none_or(chacha20::Backend::is_available) {
        return Err(format!("{VARIABLE} is '{name}', which this CPU does not support"));
    }
    Ok(Forced { name: known, sm4, chacha })
}

/// All but WASM's: what is compiled for it has no environment to force anything.
fn sm4_backends() -> impl Iterator<Item = sm4::Backend> {
    sm4::Backend::ALL.into_iter().filter(|backend| *backend != sm4::Backend::Simd128)
}

/// As [`sm4_backends`].
fn chacha20_backends() -> impl Iterator<Item = chacha20::Backend> {
    chacha20::Backend::ALL.into_iter().filter(|backend| *backend != chacha20::Backend::Simd128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_where_the_cpu_has_it_and_no_other() {
        let mut found = 0;
        let sm4 = sm4_backends().map(|backend| (backend.name(), backend.is_available()));
        let chacha = chacha20_backends().map(|backend| (backend.name(), backend.is_available()));
        for (name, available) in sm4.chain(chacha) {
            match find(name) {
                Ok(forced) => {
                    assert!(forced.name == name && available);
                    found += 1;
                }
                Err(text) => assert!(!available && text.ends_with("which this CPU does not support"), "{text}"),
            }
        }
        assert!(found >= 2);
        for name in ["", "Portable", "portable ", "avx9", "simd128", "a\u{1b}[2J"] {
            let text = find(name).map(drop).unwrap_err();
            assert!(text.contains("one of: portable, ") && !text.contains('\u{1b}'), "{text}");
            assert!(text.ends_with("gfni-avx512, avx2, avx512, avx512-ifma"), "{text}");
        }
    }

    #[test]
    fn a_name_is_for_the_families_that_have_it() {
        let portable = find("portable").unwrap();
        assert!(portable.sm4 == Some(sm4::Backend::Portable) && portable.chacha == Some(chacha20::Backend::Portable));
        for backend in sm4_backends().filter(|backend| *backend != sm4::Backend::Portable) {
            if let Ok(forced) = find(backend.name()) {
                assert!(forced.sm4 == Some(backend) && forced.chacha.is_none());
            }
        }
        for backend in chacha20_backends().filter(|backend| *backend != chacha20::Backend::Portable) {
            if let Ok(forced) = find(backend.name()) {
                assert!(forced.sm4.is_none() && forced.chacha == Some(backend));
            }
        }
    }
}
