//! The C library, `bindings/c`.

use sealstone_layers::{Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[&["calls"], &["results"], &["arguments", "numbers"]];

pub(crate) const SOURCES: &str = "bindings/c/src";

#[test]
fn no_arrow_points_up() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { layers: LAYERS, ..Rules::default() }));
}
