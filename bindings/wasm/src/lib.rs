//! The core as a WebAssembly module: it converts bytes, errors and numbers, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/backend/wasm` and by nothing else (`docs/design/wasm.md` has the boundary). There a wrong
//! argument is a bug, and no undefined behaviour. A panic ends the instance.
//!
//! The module knows no length of a format. Its allocator zeroes memory when the memory is given back (`host.rs`).

/// Exports: each is a function without arguments of WebAssembly's own, which reads its arguments from the block and answers there;
/// it returns 0, or 1 for a failure. `SIGNATURES` has the arguments and the answer of each.
macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($($taken:ident: $kind:ty),* $(,)?) -> $answer:ty = $work:expr;)*) => {
        $(
            $(#[$meta])*
            // Natively the names are Rust's, since others could have them.
            #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
            pub extern "C" fn $name() -> u32 {
                crate::boundary::run(&|_arguments| {
                    $(let $taken = <$kind as crate::boundary::Argument>::take(_arguments);)*
                    let answer: $answer = $work;
                    Ok(crate::boundary::answer(answer))
                })
            }
        )*

        pub const SIGNATURES: &[(&str, &[char], char)] = &[$((
            stringify!($name),
            &[$(<$kind as crate::boundary::Argument>::LETTER),*],
            <$answer as crate::boundary::Answer>::LETTER,
        )),*];
    };
}

pub mod boundary;
pub mod handles;
mod host;
mod json;
mod records;

#[cfg(feature = "age")]
pub mod age;
#[cfg(feature = "base")]
pub mod base;
#[cfg(feature = "cipher")]
pub mod cipher;
#[cfg(feature = "compat")]
pub mod compat;
#[cfg(feature = "digest")]
pub mod digest;
#[cfg(feature = "exchange")]
pub mod exchange;
#[cfg(feature = "forms")]
pub mod forms;
#[cfg(feature = "rsa")]
pub mod rsa;
#[cfg(feature = "sign")]
pub mod sign;

/// The exports of this module, one a line; the answer is as an export's.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn signatures() -> u32 {
    let tables = [
        handles::SIGNATURES,
        #[cfg(feature = "age")]
        age::SIGNATURES,
        #[cfg(feature = "base")]
        base::SIGNATURES,
        #[cfg(feature = "cipher")]
        cipher::SIGNATURES,
        #[cfg(feature = "compat")]
        compat::SIGNATURES,
        #[cfg(feature = "digest")]
        digest::SIGNATURES,
        #[cfg(feature = "exchange")]
        exchange::SIGNATURES,
        #[cfg(feature = "forms")]
        forms::SIGNATURES,
        #[cfg(feature = "rsa")]
        rsa::SIGNATURES,
        #[cfg(feature = "sign")]
        sign::SIGNATURES,
    ];
    boundary::run(&|_| {
        let mut text = String::new();
        for (name, taken, answer) in tables.into_iter().flatten() {
            text.push_str(name);
            text.push(' ');
            text.extend(*taken);
            text.push('>');
            text.push(*answer);
            text.push('\n');
        }
        Ok(boundary::answer(text))
    })
}
