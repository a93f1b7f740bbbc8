//! Keys, files and messages.

pub mod backend;
pub mod chunked;
pub mod files;
pub mod host;
pub mod keys;
pub mod messages;
pub mod options;
pub mod parts;
