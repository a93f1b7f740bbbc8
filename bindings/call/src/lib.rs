//! The attribute of the calls of bindings.

use proc_macro::TokenStream;

/// Marks a function as a call, or a structure as a record that crosses to another language.
///
/// It changes nothing: `make generate` reads the sources (`bindings/engine/examples/calls.rs`, which has the words of it).
#[proc_macro_attribute]
pub fn call(_words: TokenStream, item: TokenStream) -> TokenStream {
    item
}
