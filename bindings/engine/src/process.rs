//! The process that an object belongs to.

use crate::failure::misused;

/// The process that began a file. A fork of it has the same key, and would use the same nonces for other bytes.
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn current() -> Self {
        Self(id())
    }

    /// Ends the call in another process.
    pub(crate) fn check(&self) {
        if !self.is_here() {
            misused("another process began this file, and that one alone may go on: begin another after a fork");
        }
    }

    pub(crate) fn is_here(&self) -> bool {
        id() == self.0
    }
}

/// WebAssembly has no processes.
fn id() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}
