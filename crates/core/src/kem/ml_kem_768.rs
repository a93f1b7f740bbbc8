//! ML-KEM-768 (FIPS 203) by itself.

pub(crate) use crate::provider::{
    ML_KEM_768_EXPANDED_LEN as EXPANDED_LEN, MlKem768 as DecapsulationKey, ml_kem_768_expand as expand,
};

/// Bytes of a seed, d || z.
pub(crate) const SEED_LEN: usize = 64;
