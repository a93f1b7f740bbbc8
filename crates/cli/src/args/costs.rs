//! Options for the cost of passwords.

use clap::Args;
use sealstone::kdf::Variant;
use sealstone::{hash, mac};

/// The cost of a password hash.
#[derive(Args)]
pub(crate) struct CostOptions {
    /// Argon2: memory in KiB (default: 65536)
    #[arg(long, value_name = "KIB")]
    pub(crate) memory_kib: Option<u32>,
    /// Argon2: number of passes over the memory (default: 3)
    #[arg(long, value_name = "N")]
    pub(crate) passes: Option<u32>,
    /// Argon2: number of parallel lanes (default: 1)
    #[arg(long, value_name = "N")]
    pub(crate) lanes: Option<u32>,
    /// scrypt: log2 of N (default: 17)
    #[arg(long, value_name = "N")]
    pub(crate) log_n: Option<u8>,
    /// scrypt: block size, r (default: 8)
    #[arg(long = "block-size", value_name = "N")]
    pub(crate) r: Option<u32>,
    /// scrypt: parallelization, p (default: 1)
    #[arg(long = "parallel", value_name = "N")]
    pub(crate) p: Option<u32>,
    /// PBKDF2: number of iterations (default: 600000)
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
}

/// An algorithm with a cost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CostName {
    Argon2(Variant),
    Scrypt,
    Pbkdf2(hash::Algorithm),
}

impl std::fmt::Display for CostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argon2(Variant::D) => f.write_str("argon2d"),
            Self::Argon2(Variant::I) => f.write_str("argon2i"),
            Self::Argon2(_) => f.write_str("argon2id"),
            Self::Scrypt => f.write_str("scrypt"),
            Self::Pbkdf2(hash) => write!(f, "pbkdf2-{hash}"),
        }
    }
}

pub(crate) fn parse_cost_name(name: &str) -> Option<CostName> {
    Some(match name {
        "argon2id" => CostName::Argon2(Variant::Id),
        "argon2i" => CostName::Argon2(Variant::I),
        "argon2d" => CostName::Argon2(Variant::D),
        "scrypt" => CostName::Scrypt,
        _ => CostName::Pbkdf2(find_hmac_hash(name.strip_prefix("pbkdf2-")?)?),
    })
}

/// The hash function of this name, if HMAC supports it.
pub(crate) fn find_hmac_hash(name: &str) -> Option<hash::Algorithm> {
    name.parse().ok().filter(|hash| mac::Algorithm::ALL.iter().any(|mac| mac.hash() == Some(*hash)))
}
