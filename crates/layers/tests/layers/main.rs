//! The rules: the layers of each crate, from top to bottom. A module without a layer fails, and so do an arrow that points up and a
//! circle of modules or of files.

mod c;
mod chance;
mod ciphers;
mod cli;
mod core;
mod engine;
mod js;
mod node;
mod python;
mod wasm;

use sealstone_layers::{Row, Rules, Sources, dependencies, folders};
use std::collections::BTreeSet;

const RULES: Rules =
    Rules { layers: &[&["rust", "typescript"]], narrow: &[], siblings: &[&["rust", "typescript"]], apart: &[] };

/// This crate.
const SOURCES: &str = "crates/layers/src";

#[test]
fn this_crate_has_two_leaves() {
    none(&Sources::of(SOURCES).arrows(&RULES));
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for folder in [
        c::SOURCES,
        ciphers::SOURCES,
        cli::SOURCES,
        core::SOURCES,
        engine::SOURCES,
        node::SOURCES,
        python::SOURCES,
        wasm::SOURCES,
        "bench/harness/src",
        SOURCES,
    ] {
        assert_eq!(Sources::of(folder).circles_of_files(), BTreeSet::new(), "{folder}");
    }
    assert_eq!(Sources::of(js::SOURCES).circles_of_imports(), BTreeSet::new(), "{}", js::SOURCES);
}

#[test]
fn every_folder_of_sources_has_a_table() {
    let tables = [
        c::SOURCES,
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

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{}\nthe tables of crates/layers/tests/layers/ say who may use whom", faults.join("\n"));
}

/// Fails when a crate depends on a library that its table does not name, or names one that it does not depend on.
fn every_dependency_has_a_rule(crate_folder: &str, third_party: &[Row], everywhere: &[&str]) {
    let ruled: BTreeSet<_> = third_party.iter().map(|(name, _)| *name).chain(everywhere.iter().copied()).collect();
    assert_eq!(dependencies(crate_folder), ruled.into_iter().map(str::to_owned).collect());
}
