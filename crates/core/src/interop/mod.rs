//! Formats of other software, for data that is in them already and for those who have to exchange it: one module each.
//!
//! They are read and written as they are, with what they lack. Nothing else in this crate writes them.

pub mod yuants;
