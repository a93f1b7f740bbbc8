//! The backend.

use sealstone::{Result, aead};
use sealstone_call::call;

/// Names what computes the AEADs, and the CPU's instruction sets, for people to read.
/// Errors: `unavailable_backend`.
#[call(stack = 16)]
pub fn backend() -> Result<String> {
    aead::backend()
}
