//! Key pairs that sign, and signature files.

pub mod pairs;
pub mod signature;
