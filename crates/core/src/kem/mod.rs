//! Key encapsulation. HPKE is the only user so far.

pub(crate) mod hpke;
