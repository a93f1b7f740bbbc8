//! The calls: all that a binding asks of Sealstone, each of them once.
//!
//! A call is a function with the attribute `call`. Its types say what it takes and gives: `&T` an object by its number, `Arc<T>` an object that
//! the work keeps, `Last<T>` one whose number ends; `&[u8]` bytes for the time of the call, `Vec<u8>` bytes that are copied and zeroed after
//! the work; `Work` runs on another thread and is promised. `make generate` writes each binding's side of all of them
//! (`bindings/engine/examples/calls.rs`, [why](../../../docs/design/calls.md)). A folder is a module of WebAssembly.

pub mod age;
pub mod base;
pub mod cipher;
pub mod compat;
pub mod digest;
pub mod exchange;
pub mod forms;
pub mod native;
pub mod records;
pub mod rsa;
pub mod sign;
