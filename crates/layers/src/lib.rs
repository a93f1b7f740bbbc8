//! Who may import whom. This is the checker; the rules are tables, one file a crate, in `tests/layers/`.
//!
//! It reads sources as text and compiles nothing, so that a rule also holds for code that this machine leaves out.

mod rust;
mod typescript;

use rust::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A name, and the names that go with it: a module and what it may use, or a crate and the files that name it.
pub type Row = (&'static str, &'static [&'static str]);

/// What the modules of a crate may do.
#[derive(Default)]
pub struct Rules {
    /// Every module of the crate root, and what it may use.
    pub may_use: &'static [Row],
    /// Folders whose files do not use each other.
    pub apart: &'static [&'static str],
}

/// The sources of a crate without their tests.
pub struct Sources {
    /// By path below the folder of sources.
    files: BTreeMap<String, Names>,
    /// What the crate root exports, and from which module.
    exported: BTreeMap<String, String>,
}

impl Sources {
    /// Those in a folder of the repository.
    ///
    /// # Panics
    /// When a file cannot be read, or is in another language than Rust and TypeScript.
    #[must_use]
    pub fn of(folder: &str) -> Self {
        let files = read(folder);
        Self::made_of(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// Those of a crate that is made up of these files.
    ///
    /// # Panics
    /// When a file is in another language than Rust and TypeScript.
    #[must_use]
    pub fn made_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let names = |name: &str, text| match name.rsplit_once('.') {
            Some((_, "rs")) => Names::of(text),
            Some((_, "ts")) => {
                Names { paths: typescript::paths(name, text), words: typescript::words(text), ..Names::default() }
            }
            _ => panic!("layers: {name} is no source file"),
        };
        let files: BTreeMap<_, _> =
            files.into_iter().map(|(name, text)| (name.to_owned(), names(name, text))).collect();
        let modules: BTreeSet<_> = files.keys().map(|file| module_of(file)[0].clone()).collect();
        let mut exported = BTreeMap::new();
        for path in files.get("lib.rs").into_iter().flat_map(|names| &names.paths) {
            if let [module, .., leaf] = &path[..]
                && modules.contains(module)
            {
                exported.insert(leaf.clone(), module.clone());
            }
        }
        Self { files, exported }
    }

    /// What is wrong with the arrows between modules: one that is not permitted, or permitted and not used, a module without
    /// a row, a circle.
    #[must_use]
    pub fn arrows(&self, rules: &Rules) -> Vec<String> {
        let (used, mut faults) = self.used(rules);
        let permitted = rules.may_use.iter().flat_map(|(from, to)| to.iter().map(move |to| (*from, *to)));
        let permitted: BTreeSet<_> = permitted.collect();
        faults.extend(permitted.difference(&used).map(|(from, to)| format!("{from} may use {to}, and does not")));
        faults.extend(circle(permitted).map(|modules| format!("a circle: {}", modules.join(", "))));
        faults
    }

    /// The arrows that are used and permitted, and those that are not permitted.
    fn used(&self, rules: &Rules) -> (BTreeSet<(&'static str, &'static str)>, Vec<String>) {
        let (mut used, mut faults) = (BTreeSet::new(), Vec::new());
        for (file, names) in self.files.iter().filter(|(file, _)| !ROOTS.contains(&file.as_str())) {
            let module = module_of(file);
            let Some((from, allowed)) = rules.may_use.iter().find(|(name, _)| *name == module[0]) else {
                faults.push(format!(
                    "{file}: the module {} has no row in the table of its crate in crates/layers/tests/layers/",
                    module[0]
                ));
                continue;
            };
            for path in &names.paths {
                let Some(target) = resolve(&module, path).filter(|target| !target.is_empty()) else { continue };
                let first = self.exported.get(&target[0]).unwrap_or(&target[0]);
                let shown = || format!("{file}: {from} uses {first}: {}", path.join("::"));
                if first != from {
                    match allowed.iter().find(|to| *to == first) {
                        Some(to) => _ = used.insert((*from, *to)),
                        None => faults.push(shown()),
                    }
                } else if rules.apart.contains(from) && self.is_beside(&module, &target) {
                    faults.push(shown());
                }
            }
        }
        (used, faults)
    }

    /// Whether a file in a folder uses another one there.
    fn is_beside(&self, module: &[String], target: &[String]) -> bool {
        match (module, target) {
            ([_, own, ..], [folder, other, ..]) => {
                let is_file = self.files.keys().any(|file| module_of(file) == [folder.as_str(), other]);
                own != other && is_file
            }
            _ => false,
        }
    }

    /// What is wrong with where libraries are named: each in all files of its row, and in no other.
    #[must_use]
    pub fn libraries(&self, rows: &[Row]) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, allowed) in rows {
            let named_in: BTreeSet<_> = self
                .files
                .iter()
                .filter(|(_, names)| names_crate(names, name))
                .map(|(file, _)| file.as_str())
                .collect();
            let allowed: BTreeSet<_> = allowed.iter().copied().collect();
            faults.extend(named_in.difference(&allowed).map(|file| format!("{file}: names {name}")));
            faults.extend(allowed.difference(&named_in).map(|file| format!("no use of {name} in {file}")));
        }
        faults
    }

    /// What is wrong with where TypeScript has these words: each in all files of its row, besides those of a folder, and in no other.
    #[must_use]
    pub fn words(&self, rows: &[Row], folder: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for (word, allowed) in rows {
            let have =
                self.files.iter().filter(|(file, names)| !file.starts_with(folder) && names.words.contains(*word));
            let have: BTreeSet<_> = have.map(|(file, _)| file.as_str()).collect();
            let allowed: BTreeSet<_> = allowed.iter().copied().collect();
            faults.extend(have.difference(&allowed).map(|file| format!("{file}: has the word {word}")));
            faults.extend(allowed.difference(&have).map(|file| format!("no {word} in {file}")));
        }
        faults
    }

    /// The packages that TypeScript imports.
    #[must_use]
    pub fn packages(&self) -> BTreeSet<&str> {
        let paths = self.files.values().flat_map(|names| &names.paths);
        paths.filter(|path| path.len() == 1).filter_map(|path| path[0].strip_prefix("::")).collect()
    }

    /// The files that name one of these modules of the standard library.
    #[must_use]
    pub fn name_std(&self, modules: &[&str]) -> BTreeSet<&str> {
        let does = |names: &Names| {
            let mut paths = names.paths.iter().filter(|path| path[0].trim_start_matches(':') == "std");
            paths.any(|path| path.get(1).is_some_and(|module| modules.contains(&module.as_str())))
        };
        self.files.iter().filter(|(_, names)| does(names)).map(|(file, _)| file.as_str()).collect()
    }
}

/// The folders of sources that have several modules.
///
/// # Panics
/// When a folder cannot be read.
#[must_use]
pub fn folders() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for group in ["crates", "bindings"] {
        for entry in std::fs::read_dir(repository().join(group)).unwrap() {
            let folder = entry.unwrap().path().join("src");
            if std::fs::read_dir(&folder).is_ok_and(|files| files.count() > 1) {
                found.insert(folder.strip_prefix(repository()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// The names of a crate's dependencies, as its code writes them, without those of tests and of the build.
///
/// # Panics
/// When the manifest cannot be read.
#[must_use]
pub fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(repository().join(folder).join("Cargo.toml")).unwrap();
    let sections = manifest.split("\n[").filter_map(|section| section.split_once("]\n"));
    let sections = sections.filter(|(name, _)| *name == "dependencies" || name.ends_with(".dependencies"));
    let lines = sections.flat_map(|(_, lines)| lines.lines()).filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.split_once('=').map(|(name, _)| name.trim()));
    names.map(|name| name.trim_end_matches(".workspace").replace('-', "_")).collect()
}

/// The files that declare the modules of a crate, and use them all.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Endings of what a folder of sources has beside sources: scripts that are made a part of the program.
const DATA: [&str; 3] = [".bash", ".fish", ".zsh"];

/// The files of a folder of sources without their tests: each path below it, and the text.
fn read(folder: &str) -> Vec<(String, String)> {
    let root = repository().join(folder);
    let (mut files, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with("tests.rs") && !DATA.iter().any(|ending| name.ends_with(ending)) {
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

/// How many lines of code the sources in a folder of the repository have: those that are neither empty nor comments.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn code_lines(folder: &str) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    read(folder).iter().map(|(_, text)| text.lines().filter(is_code).count()).sum()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Some modules that use each other in a circle.
fn circle<'a>(mut arrows: BTreeSet<(&'a str, &'a str)>) -> Option<Vec<&'a str>> {
    // A module that uses none of those left, or that none of those uses, is in no circle.
    loop {
        let (users, used): (BTreeSet<_>, BTreeSet<_>) = arrows.iter().copied().unzip();
        let count = arrows.len();
        arrows.retain(|(from, to)| users.contains(to) && used.contains(from));
        if arrows.len() == count {
            return (!users.is_empty()).then(|| users.into_iter().collect());
        }
    }
}

/// `file/chunked.rs` is `["file", "chunked"]`, `key/mod.rs` is `["key"]`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.rsplit_once('.').map_or(file, |(path, _)| path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// The absolute path of one that begins with `crate`, `self` or `super`; `None` of any other, and of these words alone.
fn resolve(module: &[String], path: &[String]) -> Option<Vec<String>> {
    if path.len() == 1 {
        return None;
    }
    let mut at = match path[0].as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return None,
    };
    for name in path {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => {
                at.pop().expect("layers: super of the crate root");
            }
            name => at.push(name.to_owned()),
        }
    }
    Some(at)
}

/// Whether a file names a crate. `::name` is always the crate; `name::x` is, unless the file has or imports a module of that
/// name. A word alone is a function or a variable.
fn names_crate(names: &Names, name: &str) -> bool {
    let is_local = names.modules.contains(name) || names.paths.iter().any(|path| imports(path, name));
    names
        .paths
        .iter()
        .any(|path| path[0].strip_prefix("::") == Some(name) || (path[0] == name && path.len() > 1 && !is_local))
}

/// Whether a path is of something else that has the name of a crate, which the file then means by it.
fn imports(path: &[String], name: &str) -> bool {
    let path = path.strip_suffix(&["self".to_owned()][..]).unwrap_or(path);
    path.len() > 1 && path.last().is_some_and(|last| last == name)
}

#[cfg(test)]
#[path = "lib_tests.rs"]
mod tests;
