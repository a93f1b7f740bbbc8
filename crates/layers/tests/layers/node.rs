//! The addon of the npm package, `bindings/node`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[&["calls"], &["handles"], &["call"], &["answer", "memory"]];

pub(crate) const SOURCES: &str = "bindings/node/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
