//! Options that several commands share, and their parsers. A command's own options are in its file.

mod archive;
mod common;
mod costs;
mod formats;
mod keys;
mod paths;
mod values;

pub(crate) use archive::{Archiving, Extracting};
pub(crate) use common::{Common, PassphraseSource};
pub(crate) use costs::{CostName, CostOptions, find_hmac_hash, parse_cost_name};
pub(crate) use formats::{Rewrapping, Sealing};
pub(crate) use keys::{Allowed, Pinned, Plugins, Purpose, With};
pub(crate) use paths::{Existing, Paths};
pub(crate) use values::{DigestNames, Written, digest_name, one_of, parse_range};
