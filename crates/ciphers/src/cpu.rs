//! The features of this CPU, as tokens. A token proves that its instructions were detected, and each kernel takes one. Only
//! [`detect`](Avx2::detect) makes tokens.

/// Plain Rust, which every CPU runs. In a WASM module for browsers with vectors this token cannot exist: the kernels on vectors
/// are always chosen, and the compiler leaves the portable ones out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain(Proof);

#[cfg(not(all(target_family = "wasm", target_os = "unknown", target_feature = "simd128")))]
type Proof = ();
#[cfg(all(target_family = "wasm", target_os = "unknown", target_feature = "simd128"))]
type Proof = std::convert::Infallible;

impl Plain {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown", target_feature = "simd128")))]
    #[expect(clippy::unnecessary_wraps, reason = "the other tokens have the same signature")]
    pub(crate) fn detect() -> Option<Self> {
        Some(Self(()))
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown", target_feature = "simd128"))]
    pub(crate) fn detect() -> Option<Self> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident: $($feature:tt),+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            #[cfg(target_arch = "x86_64")]
            pub(crate) fn detect() -> Option<Self> {
                ($(std::arch::is_x86_feature_detected!($feature))&&+).then_some(Self(()))
            }
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
tokens! {
    /// 256-bit integer instructions, multiplications and rotations that do not change the flags, and the negated and.
    Avx2: "avx2", "bmi1", "bmi2";
    /// 512-bit integer instructions.
    Avx512: "avx512f", "avx512bw", "avx512vl", "avx2", "bmi2";
    /// Multiplication of 52-bit integers in 512-bit registers, and shifts from one word into another.
    Avx512Ifma: "avx512ifma", "avx512vbmi2", "avx512f", "avx512bw", "avx512vl", "avx2", "bmi2";
    /// Additions on two carry chains, multiplications that do not change the flags, and 256-bit integer instructions.
    Adx: "adx", "bmi2", "avx2";
    /// AES-NI beside 256-bit integer instructions.
    AesAvx2: "aes", "avx2";
    /// AES on 256-bit registers.
    VaesAvx2: "vaes", "aes", "avx2";
    /// Galois-field instructions on 256-bit registers.
    GfniAvx2: "gfni", "avx2";
    /// Galois-field instructions on 512-bit registers.
    GfniAvx512: "gfni", "avx512f", "avx512bw", "avx512vl", "avx2";
    /// Carry-less multiplication on 128-bit registers.
    Clmul: "pclmulqdq", "ssse3";
    /// Carry-less multiplication on 256-bit registers.
    VpclmulAvx2: "vpclmulqdq", "pclmulqdq", "ssse3", "avx2";
    /// Carry-less multiplication on 512-bit registers.
    VpclmulAvx512: "vpclmulqdq", "pclmulqdq", "ssse3", "avx512f", "avx512bw", "avx2";
}

#[cfg(target_arch = "x86_64")]
impl From<Avx512Ifma> for Avx512 {
    fn from(_: Avx512Ifma) -> Self {
        Self(())
    }
}
