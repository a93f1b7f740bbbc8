//! Identities and recipients, and their forms: strings, PEM, DER, JWK and hexadecimal digits (format section 12).
//!
//! [`kind`] has a row for each kind of key. Readers turn a form into an algorithm and bytes (`parsed.rs`); a type of keys is
//! made from these afterwards.
//!
//! This folder knows the type numbers of stanzas, and nothing else about encrypted files. `sign.rs`, `exchange.rs` and
//! `rsa.rs` give their forms to the families' types of keys.

/// Implements `From` for a type, of each type that always becomes one.
macro_rules! conversions {
    ($type:ident: $($source:ty => |$it:ident| $value:expr;)+) => {$(
        impl From<$source> for $type {
            fn from($it: $source) -> Self {
                $value
            }
        }
    )+};
}
pub(crate) use conversions;

mod algorithm;
mod asn1;
mod digits;
mod exchange;
mod file;
mod file_name;
mod form;
mod identity;
mod jwk;
mod kind;
#[cfg(feature = "interop")]
pub(crate) mod login;
mod names;
#[cfg(feature = "interop")]
pub(crate) mod nkcs;
#[cfg(feature = "interop")]
pub(crate) mod nkct;
mod parsed;
mod pbes2;
mod pem;
mod reader;
mod recipient;
mod refusal;
mod rsa;
#[cfg(feature = "sign")]
mod sign;
#[cfg(feature = "sign")]
mod signer;
#[cfg(feature = "sign")]
mod ssh;
mod string;
mod symmetric;

pub use file::{
    derivations, is_recipient_file, parse_identities, parse_identity_strings, parse_recipient_strings,
    parse_recipients, protect_identities,
};
pub use file_name::looks_like_file_name;
pub use form::KeyForm;
pub use identity::Identity;
pub use kind::Kind;
pub use reader::KeyFileError;
pub use recipient::Recipient;
#[cfg(feature = "sign")]
pub use signer::{Signer, Signers, SigningKey};
pub use symmetric::SymmetricKey;

pub(crate) use file::{derivations_after, parse_identities_after};
pub(crate) use identity::Secret;
pub(crate) use kind::{PASSPHRASE_SM3, Scheme};
pub(crate) use recipient::Public;
#[cfg(feature = "sign")]
pub(crate) use signer::{kind_of_name, public_of_blob};
#[cfg(feature = "sign")]
pub(crate) use ssh::{Reader, is_comment, string};

use crate::encoding::encode_hex;
use crate::hash::Sha256;

/// The fingerprint of a public key (format section 12.4), which need not be valid.
pub(crate) fn fingerprint(kind: &str, public: &[u8]) -> String {
    format!("SHA256:{}", encode_hex(&Sha256::of(&[kind.as_bytes(), b"\0", public])[..]))
}
