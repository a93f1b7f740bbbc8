//! The rules: who may import whom, one table a crate. A module without a row fails, an arrow that is permitted and not used
//! fails, and so does a circle.

mod chance;
mod ciphers;
mod cli;
mod core;
mod engine;
mod js;
mod node;
mod python;
mod wasm;

use sealstone_layers::{Row, Rules, Sources, code_lines, dependencies, folders};
use std::collections::BTreeSet;

const MAY_USE: &[Row] = &[("rust", &[]), ("typescript", &[])];

/// This crate.
const SOURCES: &str = "crates/layers/src";

#[test]
fn this_crate_has_two_leaves() {
    none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, ..Rules::default() }));
}

#[test]
fn every_folder_of_sources_has_a_table() {
    let tables = [
        ciphers::SOURCES,
        cli::SOURCES,
        core::SOURCES,
        engine::SOURCES,
        js::SOURCES,
        node::SOURCES,
        python::SOURCES,
        wasm::SOURCES,
        SOURCES,
    ];
    assert_eq!(folders(), tables.map(str::to_owned).into());
}

#[test]
fn a_binding_converts_and_does_no_more() {
    // Python's classes and their options stand in its binding; those of JavaScript stand in bindings/js.
    for (binding, most) in [(node::SOURCES, 1500), (python::SOURCES, 3500), (wasm::SOURCES, 1500)] {
        let lines = code_lines(binding);
        assert!(
            (1..=most).contains(&lines),
            "{binding} has {lines} lines of code: what it decides belongs to the engine"
        );
    }
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{}\nthe tables of crates/layers/tests/layers/ say who may use whom", faults.join("\n"));
}

/// Fails when a crate depends on a library that its table does not name, or names one that it does not depend on.
fn every_dependency_has_a_rule(crate_folder: &str, third_party: &[Row], everywhere: &[&str]) {
    let ruled: BTreeSet<_> = third_party.iter().map(|(name, _)| *name).chain(everywhere.iter().copied()).collect();
    assert_eq!(dependencies(crate_folder), ruled.into_iter().map(str::to_owned).collect());
}
