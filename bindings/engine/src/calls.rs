//! The calls: all that a binding asks of Sealstone, each of them once.
//!
//! A call is a function with the attribute `call`. Its types say what it takes and gives: `&T` an object by its number, `Arc<T>` an object that
//! the work keeps, `Last<T>` one whose number ends; `&[u8]` bytes for the time of the call, `Vec<u8>` bytes that are copied and zeroed after
//! the work; `Work` runs on another thread and is promised. `make generate` writes each binding's side of all of them
//! (`bindings/engine/examples/calls.rs`, [why](../../../docs/design/calls.md)). A folder is a module of WebAssembly.
//!
//! The last line of a call's documentation has the codes of its errors, in core's order. Three codes are left out, since every call may give
//! them: `internal`, of a bug; `too_many_objects`, where a result needs a number and none is free; in C `invalid_argument`; and in WebAssembly
//! `too_long`, of an argument that its memory has no room for. `none` says that a call gives only these. The errors of a call that gives a
//! [`Part`](crate::parts::Part) are in the part. The errors of an item of a batch are in the batch's result.

pub mod age;
pub mod base;
#[cfg(not(target_family = "wasm"))]
pub mod c;
pub mod cipher;
pub mod compat;
pub mod digest;
pub mod exchange;
pub mod forms;
pub mod native;
pub mod records;
pub mod rsa;
pub mod sign;
