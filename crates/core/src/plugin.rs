//! Plugins of age (<https://c2sp.org/age-plugin>).

mod stanza;

pub use stanza::Stanza;
