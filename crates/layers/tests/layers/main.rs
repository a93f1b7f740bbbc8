//! The rules: who may import whom, one table a crate. A module without a row fails, an arrow that is permitted and not used
//! fails, and so does a circle.

mod ciphers;
mod cli;
mod core;
mod engine;
mod js;
mod node;

use sealstone_layers::{Row, Rules, Sources, folders};

const MAY_USE: &[Row] = &[("rust", &[]), ("typescript", &[])];

/// This crate.
const SOURCES: &str = "crates/layers/src";

#[test]
fn this_crate_has_two_leaves() {
    none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}

#[test]
fn every_folder_of_sources_has_a_table() {
    let tables = [ciphers::SOURCES, cli::SOURCES, core::SOURCES, engine::SOURCES, js::SOURCES, node::SOURCES, SOURCES];
    assert_eq!(folders(), tables.map(str::to_owned).into());
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
