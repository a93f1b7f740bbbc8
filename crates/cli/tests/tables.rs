//! The tables of the documentation can be read: what a cell cannot say shortly belongs into text.

mod support;

use std::path::{Path, PathBuf};
use support::repository;

/// Files and folders whose tables are looked at.
const DOCUMENTS: [&str; 10] = [
    "README.md",
    "README.zh-CN.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
    "bench/README.md",
    "bindings/js/README.md",
    "bindings/js/README.zh-CN.md",
    "vectors/README.md",
];
/// Characters of the longest cell.
const LONGEST: usize = 200;

fn documents(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).unwrap();
    let paths: Vec<PathBuf> = entries.flat_map(|entry| documents(&entry.unwrap().path())).collect();
    paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

/// The cells of all tables; `\\|` in a cell is no border.
fn cells(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix('|'));
    let plain: Vec<String> = rows.map(|row| row.replace("\\|", "/")).collect();
    plain.iter().flat_map(|row| row.split('|')).map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn no_cell_of_a_table_is_longer_than_200_characters() {
    let mut looked_at = 0;
    for path in DOCUMENTS.iter().flat_map(|name| documents(&repository().join(name))) {
        for cell in cells(&std::fs::read_to_string(&path).unwrap()) {
            assert!(cell.chars().count() <= LONGEST, "{}: {cell}", path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 1000, "only {looked_at} cells: are the documents still there?");
}

#[test]
fn cells_are_found() {
    assert_eq!(cells("text | no table\n| a `x \\| y` | b |\n|---|---|\n"), ["a `x / y`", "b", "", "---", "---", ""]);
}
