//! Keys, files and messages.

#[cfg(not(target_family = "wasm"))]
pub mod archives;
pub mod backend;
pub mod chunked;
pub mod files;
pub mod host;
pub mod keys;
pub mod messages;
pub mod options;
pub mod parts;
