//! Calls of a language whose callers have memory and threads of their own.

pub mod cipher;
pub mod gmsm;
pub mod sm2;
pub mod streams;
