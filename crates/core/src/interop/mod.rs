//! Formats of other software, one module each, for existing data and for exchange with that software.
//!
//! The modules read and write each format with all its weaknesses. No other module of this crate writes these formats.
//!
//! ```
//! use sealstone::interop::yuants::{Format, KeyPair};
//!
//! let pair = KeyPair::generate()?;
//! let sealed = Format::Box.seal(&pair.public_key, b"attack at dawn")?;
//! assert_eq!(Format::Box.open(&pair.private_key, &sealed)?, b"attack at dawn");
//! # Ok::<(), sealstone::Error>(())
//! ```

// In this crate, only `formats.rs` uses these modules. They have no algorithm of their own and do not use `file/`: I/O, armour
// and delivery come from `pipeline/` and `format/`.

pub mod age;
mod fields;
pub mod fise;
#[cfg(feature = "gm")]
pub mod gmsm;
mod marked;
pub mod nkcs;
pub mod nkct;
pub mod nkkb;
pub mod yuants;
