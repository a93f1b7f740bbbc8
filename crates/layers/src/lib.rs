//! Who may import whom. This is the checker; the rules are tables, one file a crate, in `tests/layers/`.
//!
//! It reads sources as text and compiles nothing, so that a rule also holds for code that this machine leaves out.

mod rust;
mod typescript;

use rust::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A name, and the names that go with it: a module and what it may use, or a crate and the files and folders that name it.
pub type Row = (&'static str, &'static [&'static str]);

/// What the modules of a crate may do.
#[derive(Default)]
pub struct Rules {
    /// The layers, from top to bottom, with every module of the crate root. A module may use those of its own layer and of all below.
    pub layers: &'static [&'static [&'static str]],
    /// Modules that use no more than these.
    pub narrow: &'static [Row],
    /// Modules that do not use each other.
    pub siblings: &'static [&'static [&'static str]],
    /// Folders whose files do not use each other.
    pub apart: &'static [&'static str],
}

impl Rules {
    /// How far a module is from the top.
    fn depth(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }

    fn is_permitted(&self, from: &str, to: &str) -> bool {
        let is_downward = matches!((self.depth(from), self.depth(to)), (Some(from), Some(to)) if from <= to);
        let is_wide = self.narrow.iter().all(|(name, most)| *name != from || most.contains(&to));
        is_downward && is_wide && !self.siblings.iter().any(|group| group.contains(&from) && group.contains(&to))
    }
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

    /// What is wrong with the arrows between modules: one that points up or is not permitted, a module without a layer, a circle of
    /// modules.
    #[must_use]
    pub fn arrows(&self, rules: &Rules) -> Vec<String> {
        let (mut used, mut faults) = (BTreeSet::new(), Vec::new());
        for (file, names) in self.files.iter().filter(|(file, _)| !ROOTS.contains(&file.as_str())) {
            let module = module_of(file);
            let from = &module[0];
            if rules.depth(from).is_none() {
                faults.push(format!("{file}: the module {from} has no layer in crates/layers/tests/layers/"));
                continue;
            }
            for path in &names.paths {
                let Some(target) = resolve(&module, path).filter(|target| !target.is_empty()) else { continue };
                let to = self.exported.get(&target[0]).unwrap_or(&target[0]);
                let is_permitted = if from == to {
                    !(rules.apart.contains(&from.as_str()) && self.is_beside(&module, &target))
                } else {
                    rules.is_permitted(from, to)
                };
                if is_permitted {
                    used.extend((from != to).then(|| (from.clone(), to.clone())));
                } else {
                    faults.push(format!("{file}: {from} uses {to}: {}", path.join("::")));
                }
            }
        }
        let used = used.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        faults.extend(circles(&used).iter().map(|modules| format!("a circle: {}", modules.join(", "))));
        faults
    }

    /// Files that use each other in a circle. What a file and a file of a folder below it use of each other does not count.
    #[must_use]
    pub fn circles_of_files(&self) -> BTreeSet<Vec<&str>> {
        let arrows = self.files.keys().flat_map(|file| {
            let module = module_of(file);
            let used = self.files[file].paths.iter().filter_map(|path| self.file_of(file, &resolve(&module, path)?));
            let is_related = |one: &[String], other: &[String]| one.starts_with(other) || other.starts_with(one);
            let apart = used.filter(|used| !is_related(&module_of(file), &module_of(used))).collect::<Vec<_>>();
            apart.into_iter().map(|used| (file.as_str(), used))
        });
        circles(&arrows.filter(|(file, used)| !ROOTS.contains(file) && !ROOTS.contains(used)).collect())
    }

    /// The file that defines a name, which `user` may have from another one that exports it.
    fn file_of(&self, user: &str, target: &[String]) -> Option<&str> {
        let mut target = target.to_vec();
        for _ in 0..LONGEST_WAY {
            let is_prefix = |file: &&String| {
                let module = module_of(file);
                ROOTS.contains(&file.as_str()) || target.starts_with(&module)
            };
            let depth = |file: &&String| if ROOTS.contains(&file.as_str()) { 0 } else { module_of(file).len() };
            let file = self.files.keys().filter(is_prefix).max_by_key(depth)?;
            let Some(name) = target.get(depth(&file)) else { return Some(file) };
            let module = if depth(&file) == 0 { Vec::new() } else { module_of(file) };
            let exported = self.files[file].paths.iter().filter(|path| path.last() == Some(name) && path.len() > 1);
            let exported = exported.filter_map(|path| resolve_from(&module, path, &self.files[file].modules));
            match { exported }.find(|path| *path != target && !path.starts_with(&target)) {
                Some(path) if file != user => target = path,
                _ => return Some(file),
            }
        }
        None
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

    /// What is wrong with where libraries are named: each in all files of its row, and in no other. A row may have a folder, which ends in
    /// a slash: some of its files name the library.
    #[must_use]
    pub fn libraries(&self, rows: &[Row]) -> Vec<String> {
        let has = |place: &str, file: &str| file == place || place.ends_with('/') && file.starts_with(place);
        let mut faults = Vec::new();
        for (name, places) in rows {
            let named_in = self.files.iter().filter(|(_, names)| names_crate(names, name));
            let named_in: Vec<_> = named_in.map(|(file, _)| file.as_str()).collect();
            let others = named_in.iter().filter(|file| !places.iter().any(|place| has(place, file)));
            faults.extend(others.map(|file| format!("{file}: names {name}")));
            let unused = places.iter().filter(|place| !named_in.iter().any(|file| has(place, file)));
            faults.extend(unused.map(|place| format!("no use of {name} in {place}")));
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

    /// The files that each file of TypeScript imports, by their paths below the folder.
    #[must_use]
    pub fn imports(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let imported = |names: &Names| {
            let paths = names.paths.iter().filter(|path| path[0] == "crate");
            paths.map(|path| format!("{}.ts", path[1..].join("/"))).collect()
        };
        self.files.iter().map(|(file, names)| (file.as_str(), imported(names))).collect()
    }

    /// The circles of files of TypeScript, types too.
    #[must_use]
    pub fn circles_of_imports(&self) -> BTreeSet<Vec<&str>> {
        let arrows = self.imports().into_iter().flat_map(|(file, imported)| {
            let used = imported.into_iter().filter_map(|name| self.files.get_key_value(&name));
            used.map(|(used, _)| (file, used.as_str())).collect::<Vec<_>>()
        });
        circles(&arrows.collect())
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

/// Endings of what a folder of sources has beside sources: scripts and styles that are made a part of the program.
const DATA: [&str; 5] = [".bash", ".css", ".fish", ".md", ".zsh"];

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

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How many files hand on a name at the most.
const LONGEST_WAY: usize = 8;

/// The groups that use each other in circles, each in an order of its names.
fn circles<'a>(arrows: &BTreeSet<(&'a str, &'a str)>) -> BTreeSet<Vec<&'a str>> {
    let reached = |from: &'a str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            let next = arrows.iter().filter(|(user, _)| *user == at).map(|(_, used)| *used);
            open.extend(next.filter(|used| reached.insert(*used)));
        }
        reached
    };
    let names: BTreeSet<_> = arrows.iter().flat_map(|(from, to)| [*from, *to]).collect();
    let ways: BTreeMap<_, _> = names.into_iter().map(|name| (name, reached(name))).collect();
    let group = |name: &&'a str| -> Vec<&'a str> {
        ways[name].iter().copied().filter(|other| ways[other].contains(name)).collect()
    };
    ways.keys().map(group).filter(|group| !group.is_empty()).collect()
}

/// `file/chunks.rs` is `["file", "chunks"]`, `key/mod.rs` is `["key"]`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.rsplit_once('.').map_or(file, |(path, _)| path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// The absolute path of one that begins with `crate`, `self` or `super`; `None` of any other, of these words alone, and above the root,
/// where a module in a file is meant.
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
                at.pop()?;
            }
            name => at.push(name.to_owned()),
        }
    }
    Some(at)
}

/// As [`resolve`], also of a path that begins with a module that the file declares.
fn resolve_from(module: &[String], path: &[String], declared: &BTreeSet<String>) -> Option<Vec<String>> {
    if declared.contains(&path[0]) { Some([module, path].concat()) } else { resolve(module, path) }
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
