//! Selects Sealstone's own kernels: the widest that this CPU supports, or the one that the environment names. Only this
//! module reads `SEALSTONE_BACKEND`.

use crate::error::{Error, Result};
use sealstone_ciphers::{chacha20, sm2, sm4};
use std::sync::OnceLock;

/// The environment variable that names a backend.
const VARIABLE: &str = "SEALSTONE_BACKEND";

/// The backend that the environment variable `SEALSTONE_BACKEND` names for Sealstone's own kernels. The variable is read once.
/// If it is not set or empty, every key gets the fastest backend of this CPU.
///
/// There are three families of kernels. A name applies to the families that have it:
///
/// | | names |
/// |---|---|
/// | SM4, and GCM's GHASH: portable, or the widest available | `portable`, `aes-avx2`, `vaes-avx2`, `gfni-avx2`, `gfni-avx512`
/// |
/// | ChaCha20, Salsa20, Poly1305, Argon2 and Keccak | `portable`, `avx2`, `avx512`, `avx512-ifma` |
/// | SM2 | `portable`, `adx` |
///
/// A family without the name, and AES, compute as without the variable. If ChaCha20's family has the name, it also computes
/// [`chacha20-poly1305`](crate::aead::Algorithm::ChaCha20Poly1305), which AWS-LC otherwise computes on CPUs without AVX2.
///
/// ```
/// if std::env::var_os("SEALSTONE_BACKEND").is_none() {
///     assert_eq!(sealstone::forced_backend()?, None);
/// }
/// # Ok::<(), sealstone::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnavailableBackend`] when no family has the name, or this CPU does not support it. There is no silent fallback:
/// every operation of these families then fails with this error. Only hashes cannot fail: SHA-3 is then computed by the fastest backend.
/// Programs that need the named one call this function when they start, as the command line and the npm package do.
pub fn forced_backend() -> Result<Option<&'static str>> {
    Ok(read_environment()?.map(|forced| forced.name))
}

/// The backend for keys of SM4.
pub(crate) fn sm4_backend() -> Result<sm4::Backend> {
    Ok(read_environment()?.and_then(|forced| forced.sm4).unwrap_or_else(sm4::Backend::fastest))
}

/// The backend for keys of ChaCha20-Poly1305, and for the other algorithms of its family.
pub(crate) fn chacha_backend() -> Result<chacha20::Backend> {
    Ok(read_environment()?.and_then(|forced| forced.chacha).unwrap_or_else(chacha20::Backend::fastest))
}

/// The backend of Keccak, which has the names of ChaCha20's family. A name that no family has, or a backend that this
/// CPU does not support, is an error of the others only: a hash cannot fail.
pub(crate) fn keccak_backend() -> chacha20::Backend {
    // A digest of a few bytes takes a fifth of a microsecond.
    static FOUND: OnceLock<chacha20::Backend> = OnceLock::new();
    *FOUND.get_or_init(|| chacha_backend().unwrap_or_else(|_| chacha20::Backend::fastest()))
}

/// The backend of SM2.
#[cfg(all(feature = "gm", not(any(target_family = "wasm", sealstone_rustcrypto))))]
pub(crate) fn sm2_backend() -> Result<sm2::Backend> {
    Ok(read_environment()?.and_then(|forced| forced.sm2).unwrap_or_else(sm2::Backend::fastest))
}

/// Whether Sealstone's kernels compute ChaCha20-Poly1305, rather than a library. AWS-LC is faster than plain Rust, and slower
/// than Sealstone's kernels on wider registers (docs/design/chacha20-poly1305.md). A forced backend is used however slow it is.
pub(crate) fn prefers_own_chacha() -> Result<bool> {
    Ok(read_environment()?.is_some_and(|forced| forced.chacha.is_some())
        || chacha20::Backend::fastest() != chacha20::Backend::Portable)
}

/// A name, and its backend in each family that has it; one family at least.
#[derive(Clone, Copy)]
struct NamedBackends {
    name: &'static str,
    sm4: Option<sm4::Backend>,
    chacha: Option<chacha20::Backend>,
    #[cfg_attr(any(not(feature = "gm"), target_family = "wasm", sealstone_rustcrypto), allow(dead_code))]
    sm2: Option<sm2::Backend>,
}

fn read_environment() -> Result<Option<NamedBackends>> {
    static FORCED: OnceLock<Result<Option<NamedBackends>, String>> = OnceLock::new();
    let named = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let read = || named().map(|name| find(&name.to_string_lossy())).transpose();
    FORCED.get_or_init(read).clone().map_err(Error::UnavailableBackend)
}

fn find(name: &str) -> Result<NamedBackends, String> {
    let sm4 = sm4_backends().find(|backend| backend.name() == name);
    let chacha = chacha20_backends().find(|backend| backend.name() == name);
    let sm2 = sm2::Backend::ALL.into_iter().find(|backend| backend.name() == name);
    let known = sm4.map(sm4::Backend::name).or(chacha.map(chacha20::Backend::name)).or(sm2.map(sm2::Backend::name));
    let Some(known) = known else {
        let mut names: Vec<_> = sm4_backends().map(sm4::Backend::name).collect();
        // All families have the portable one.
        names.extend(chacha20_backends().map(chacha20::Backend::name).skip(1));
        names.extend(sm2::Backend::ALL.map(sm2::Backend::name).into_iter().skip(1));
        let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
        return Err(format!("{VARIABLE} is '{name}'; expected one of: {}", names.join(", ")));
    };
    let is_available = sm4.is_none_or(sm4::Backend::is_available)
        && chacha.is_none_or(chacha20::Backend::is_available)
        && sm2.is_none_or(sm2::Backend::is_available);
    if !is_available {
        return Err(format!("{VARIABLE} is '{name}', which this CPU does not support"));
    }
    Ok(NamedBackends { name: known, sm4, chacha, sm2 })
}

/// All backends of SM4 except WebAssembly's, which has no environment that could name it.
fn sm4_backends() -> impl Iterator<Item = sm4::Backend> {
    sm4::Backend::ALL.into_iter().filter(|backend| *backend != sm4::Backend::Simd128)
}

/// As [`sm4_backends`], for ChaCha20's family.
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
        let sm2 = sm2::Backend::ALL.into_iter().map(|backend| (backend.name(), backend.is_available()));
        for (name, available) in sm4.chain(chacha).chain(sm2) {
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
            assert!(text.ends_with("gfni-avx512, avx2, avx512, avx512-ifma, adx"), "{text}");
        }
    }

    #[test]
    fn a_name_is_for_the_families_that_have_it() {
        let portable = find("portable").unwrap();
        assert!(portable.sm4 == Some(sm4::Backend::Portable) && portable.chacha == Some(chacha20::Backend::Portable));
        assert_eq!(portable.sm2, Some(sm2::Backend::Portable));
        if let Ok(forced) = find("adx") {
            assert!(forced.sm2 == Some(sm2::Backend::Adx) && forced.sm4.is_none() && forced.chacha.is_none());
        }
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
