//! The addon behind the npm package `sealstone`: it converts bytes, errors and threads, and decides nothing.
//!
//! Its exports are called by `bindings/js/src/` and by nobody else. `bytes.ts` and `option.ts` there check what a caller may pass;
//! here a wrong argument is a bug, and no undefined behaviour.

// napi-rs registers nothing in tests, of which there are none here; lints of all targets look at them.
#![cfg_attr(test, allow(dead_code, unused_imports))]

/// Exports that answer at once, with what the work's result converts into. An error or a panic is thrown.
macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($($taken:tt)*) -> $answer:ty = $work:expr;)*) => { $(
        $(#[$meta])*
        #[napi_derive::napi]
        pub fn $name($($taken)*) -> crate::boundary::Result<$answer> {
            crate::boundary::guard(|| $work).map(Into::into)
        }
    )* };
}

/// Exports that answer with a promise, or with nothing where there is no work. Behind the comma is what makes the work, behind the
/// arrow what makes a value of its result, both on JavaScript's thread.
macro_rules! promises {
    ($(fn $name:ident($($taken:tt)*) => $finish:expr, $work:expr;)*) => { $(
        #[napi_derive::napi]
        pub fn $name<'env>(
            env: &'env napi::Env,
            $($taken)*
        ) -> crate::boundary::Result<crate::boundary::Promise<'env>> {
            crate::boundary::promise(env, crate::boundary::guard(|| Ok($work))?, $finish)
        }
    )* };
}

/// Objects of JavaScript's: what each is made of, and its properties.
macro_rules! objects {
    ($($(#[$meta:meta])* $name:ident of $source:pat => $from:ty {
        $($field:ident: $type:ident $(<$of:ident>)? = $value:expr,)*
    })*) => { $(
        $(#[$meta])*
        #[napi_derive::napi(object, object_from_js = false)]
        pub struct $name {
            $(pub $field: $type $(<$of>)?,)*
        }

        impl From<$from> for $name {
            fn from($source: $from) -> Self {
                Self { $($field: $value,)* }
            }
        }
    )* };
}

mod aead;
mod age;
mod boundary;
mod direct;
mod exchange;
mod exports;
mod handles;
mod hash;
mod hazmat;
mod kdf;
mod mac;
mod memory;
mod rsa;
mod sign;
mod signature;
