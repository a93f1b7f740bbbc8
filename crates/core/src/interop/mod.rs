//! Formats of other software, for data that is in them already and for those who have to exchange it: one module each.
//!
//! They are read and written as they are, with what they lack. Nothing else in this crate writes them.
//!
//! ```
//! use sealstone::interop::yuants::{Format, KeyPair};
//!
//! let pair = KeyPair::generate()?;
//! let sealed = Format::Box.seal(&pair.public_key, b"attack at dawn")?;
//! assert_eq!(Format::Box.open(&pair.private_key, &sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

pub mod age;
mod fields;
mod marked;
pub mod nkcs;
pub mod nkct;
pub mod nkkb;
pub mod yuants;
