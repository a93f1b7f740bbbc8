//! The kernels of ChaCha20, Salsa20, Poly1305, Argon2 and Keccak, and the choice between them.

#[cfg(target_arch = "x86_64")]
use crate::cpu;

/// An implementation of ChaCha20, Salsa20, Poly1305, Argon2 and Keccak.
///
/// ```
/// use sealstone_ciphers::chacha20::Backend;
///
/// assert!(Backend::ALL.iter().any(|backend| *backend == Backend::Portable && backend.is_available()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Plain Rust.
    Portable,
    /// The 128-bit registers of WASM, chosen at compile time: a module cannot detect them.
    Simd128,
    /// AVX2.
    Avx2,
    /// AVX-512.
    Avx512,
    /// AVX-512 with multiplication of 52 bits (IFMA).
    Avx512Ifma,
}

impl Backend {
    /// All backends, the slowest first.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Simd128, Self::Avx2, Self::Avx512, Self::Avx512Ifma];

    /// The identifier used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Simd128 => "simd128",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512-ifma",
        }
    }

    /// Whether this CPU supports the backend.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernel::of(self).is_some()
    }

    /// The fastest backend that this CPU supports.
    #[must_use]
    pub fn fastest() -> Self {
        Kernel::fastest().backend()
    }
}

/// A backend that this CPU supports, with the token that proves it.
#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    Portable,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(target_arch = "x86_64")]
    Avx2(cpu::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(cpu::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512Ifma(cpu::Avx512Ifma),
}

impl Kernel {
    pub(crate) fn of(backend: Backend) -> Option<Self> {
        match backend {
            Backend::Portable => Some(Self::Portable),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Backend::Simd128 => Some(Self::Simd128),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => cpu::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => cpu::Avx512::detect().map(Self::Avx512),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512Ifma => cpu::Avx512Ifma::detect().map(Self::Avx512Ifma),
            _ => None,
        }
    }

    pub(crate) fn fastest() -> Self {
        Backend::ALL.into_iter().rev().find_map(Self::of).expect("backend: the portable one is always there")
    }

    pub(crate) fn backend(self) -> Backend {
        match self {
            Self::Portable => Backend::Portable,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => Backend::Simd128,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Backend::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Backend::Avx512,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma(_) => Backend::Avx512Ifma,
        }
    }
}
