//! Kernels for WASM's registers of 128 bits. A module that has them does not load where there are none, so nothing is asked
//! for when it runs.

pub(crate) mod keystream;
