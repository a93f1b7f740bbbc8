//! Every test that `docs/robustness.md` names exists.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::repository;

/// All that a row can name: `folder/file.rs::function`, `folder/test_file.py::function`, `folder/file.txt: title`,
/// `folder/file.test.ts: title`, `vectors/FOLDER/name`.
fn tree() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let rust = ["crates/cli/tests", "crates/core/tests", "crates/cli/src", "crates/core/src", "bindings/engine/src"];
    for folder in rust.into_iter().chain(["bindings/js/test", "bindings/python/tests"]) {
        collect(&repository(), Path::new(folder), &mut names);
    }
    for folder in
        ["vectors/file", "vectors/keys", "vectors/signature", "vectors/signing_keys", "vectors/allowed_signers"]
    {
        for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
            names.insert(format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    names
}

fn collect(root: &Path, folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if root.join(&path).is_dir() {
            // Other people's tests.
            if !path.ends_with("node_modules") {
                collect(root, &path, names);
            }
            continue;
        }
        let shown = path.to_str().unwrap();
        let Ok(text) = std::fs::read_to_string(root.join(&path)) else { continue };
        if path.extension().is_some_and(|ending| ending == "rs") {
            let functions = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
            names.extend(functions.map(|rest| format!("{shown}::{}", rest.split(['(', '<']).next().unwrap())));
        } else if path.extension().is_some_and(|ending| ending == "py") {
            // Tests are no methods here.
            let functions = text.lines().filter_map(|line| line.strip_prefix("def test_")?.split_once('('));
            names.extend(functions.map(|(rest, _)| format!("{shown}::test_{rest}")));
        } else if shown.ends_with(".test.ts") {
            let titles = text.lines().filter_map(|line| {
                let line = line.trim_start();
                let begins =
                    ["test(", "exhaustive(", "measured("].into_iter().find_map(|begin| line.strip_prefix(begin));
                let title = begins.unwrap_or(line).strip_prefix('\'');
                let given = ["test.each(", "test.runIf("].into_iter().find_map(|begin| line.strip_prefix(begin));
                let title = title.or_else(|| given?.split_once(")('").map(|(_, title)| title));
                title?.split_once("',")
            });
            names.extend(titles.map(|(title, _)| format!("{shown}: {title}")));
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            names.extend(
                text.lines().filter_map(|line| line.strip_prefix("=== ")).map(|title| format!("{shown}: {title}")),
            );
        } else {
            names.insert(shown.to_owned());
        }
    }
}

/// The names in backticks in the last column of each row, with the row.
fn named(text: &str) -> Vec<(String, String)> {
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    rows.flat_map(|row| {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        last.split('`').skip(1).step_by(2).map(|name| (name.to_owned(), row.to_owned())).collect::<Vec<_>>()
    })
    .collect()
}

/// Whether a name is in the tree; `*` at its end stands for at least one.
fn exists(tree: &BTreeSet<String>, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => tree.iter().any(|known| known.starts_with(start)),
        None => tree.contains(name),
    }
}

#[test]
fn every_test_named_in_the_robustness_document_exists() {
    let text = std::fs::read_to_string(repository().join("docs/robustness.md")).unwrap();
    let tree = tree();
    let named = named(&text);
    let missing: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).filter(|name| !exists(&tree, name)).collect();
    assert!(missing.is_empty(), "docs/robustness.md names what is not there:\n{}", missing.join("\n"));
    assert!(named.len() > 100, "only {} names: is the table still one?", named.len());
}

#[test]
fn every_row_has_a_test() {
    let text = std::fs::read_to_string(repository().join("docs/robustness.md")).unwrap();
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| duty")) {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        assert!(last.contains('`'), "no test in: {row}");
    }
}

#[test]
fn the_checker_finds_a_missing_name() {
    let tree = tree();
    assert!(exists(&tree, "crates/cli/tests/robustness.rs::the_checker_finds_a_missing_name"));
    assert!(exists(&tree, "crates/cli/tests/scripts/pipes.txt: closed descriptors do no harm"));
    assert!(exists(&tree, "bindings/python/tests/jobs/test_faults.py::test_an_executor_that_is_killed"));
    assert!(!exists(&tree, "bindings/python/tests/jobs/test_faults.py::test_an_executor_that_is"));
    assert!(!exists(&tree, "bindings/python/tests/jobs/test_faults.py"));
    assert!(exists(&tree, "vectors/file/magic_gzip") && exists(&tree, "vectors/file/magic_*"));
    assert!(!exists(&tree, "crates/cli/tests/robustness.rs::no_such_test") && !exists(&tree, "vectors/file/zzz_*"));
    assert_eq!(named("| a `x` | `y`, `z` |").iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["y", "z"]);
}
