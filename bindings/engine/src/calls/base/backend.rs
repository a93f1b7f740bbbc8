//! The backend.

use sealstone::{Result, aead};
use sealstone_call::call;

/// Names what computes the AEADs, and the CPU's instruction sets, for people to read.
#[call(stack = 16)]
pub fn backend() -> Result<String> {
    aead::backend()
}
