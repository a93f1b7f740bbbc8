//! Key encapsulation. HPKE is the only user so far.

mod dhkem;
mod expanded;
pub(crate) mod hpke;
pub(crate) mod ml_kem_768;
