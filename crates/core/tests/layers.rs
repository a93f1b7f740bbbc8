//! Who may import whom: reads the source and fails when an arrow points up, when a third-party crate is named outside
//! of the one module that adapts it, and when anything but `pipeline` does I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every module of the crate root, and what it may use. A module that is not here fails the test.
const MAY_USE: &[(&str, &[&str])] = &[
    ("speed", &["file", "key", "sm2", "hash", "aead", "error"]),
    ("interop", &["ed25519", "nacl", "mac", "aead", "encoding", "random", "error"]),
    ("profile", &["key", "suite", "error"]),
    (
        "file",
        &[
            "recipient",
            "hash",
            "hazmat",
            "password",
            "profile",
            "key",
            "kem",
            "suite",
            "mac",
            "aead",
            "pipeline",
            "random",
            "error",
        ],
    ),
    ("recipient", &["key", "sm2", "hash", "kem", "suite", "password", "aead", "random", "error"]),
    ("key", &["sm2", "hazmat", "hash", "kem", "password", "mac", "encoding", "random", "error"]),
    ("kem", &["provider", "random", "error"]),
    ("sm2", &["hash", "mac", "provider", "random", "error"]),
    ("suite", &["aead", "kdf", "mac", "error"]),
    ("kdf", &["mac", "hash"]),
    ("aead", &["kernel", "provider", "random", "error"]),
    ("hazmat", &["kernel", "provider", "error"]),
    ("ed25519", &["nacl", "hash", "provider", "random", "error"]),
    ("nacl", &["kernel", "provider", "random", "error"]),
    ("kernel", &["error"]),
    ("mac", &["hash", "provider"]),
    ("hash", &["provider"]),
    ("password", &["mac", "hash", "provider", "error"]),
    ("provider", &[]),
    ("pipeline", &["error", "random"]),
    ("encoding", &["error"]),
    ("random", &["error"]),
    ("named", &["error"]),
    ("error", &[]),
];

/// Every dependency of the crate, and the files that name it: all of these and no other.
const THIRD_PARTY: &[(&str, &[&str])] = &[
    ("aes", &["provider/rust.rs"]),
    ("aes_gcm", &["provider/rust.rs"]),
    ("argon2", &["provider/shared.rs"]),
    ("aws_lc_rs", &["provider/aws_lc.rs"]),
    ("base16ct", &["key/identity.rs", "key/recipient.rs"]),
    ("base64ct", &["key/jwk.rs", "key/pem.rs"]),
    ("bech32", &["encoding.rs"]),
    ("blake2", &["provider/shared.rs"]),
    ("blake3", &["provider/shared.rs"]),
    ("bs58", &["encoding.rs"]),
    ("cbc", &["provider/rust.rs"]),
    ("cfb_mode", &["provider/rust.rs"]),
    ("chacha20poly1305", &["provider/rust.rs"]),
    ("ctr", &["provider/rust.rs"]),
    ("curve25519_dalek", &["provider/rust.rs", "provider/shared.rs"]),
    ("data_encoding", &["encoding.rs", "file/armour.rs"]),
    ("der", &["key/asn1.rs", "key/pbes2.rs", "sm2.rs"]),
    ("ed25519_dalek", &["provider/rust.rs"]),
    ("getrandom", &["random.rs"]),
    ("hmac", &["provider/rust.rs"]),
    ("hpke", &["provider/shared.rs"]),
    ("ml_kem", &["provider/rust.rs", "provider/shared.rs"]),
    ("nix", &["pipeline/os/unix.rs"]),
    ("ofb", &["provider/rust.rs"]),
    ("p256", &["provider/rust.rs"]),
    ("pbkdf2", &["provider/shared.rs"]),
    ("pkcs8", &["key/asn1.rs", "key/pbes2.rs"]),
    ("rfc6979", &["provider/shared.rs"]),
    ("ring", &["provider/ring.rs"]),
    ("rustix", &["pipeline/os/linux.rs", "pipeline/os/macos.rs", "pipeline/os/unix.rs"]),
    ("scrypt", &["provider/shared.rs"]),
    (
        "sealstone_ciphers",
        &["aead/schedule.rs", "kernel.rs", "hazmat/cipher.rs", "hazmat/cipher/schedule.rs", "nacl.rs"],
    ),
    ("serde", &["key/jwk.rs"]),
    ("serde_json", &["key/jwk.rs"]),
    ("sha1", &["provider/shared.rs"]),
    ("sha2", &["provider/rust.rs", "provider/shared.rs"]),
    ("sha3", &["provider/rust.rs"]),
    ("shake", &["provider/shared.rs"]),
    ("sm2", &["provider/shared.rs"]),
    ("sm3", &["provider/shared.rs"]),
    ("subtle", &["provider/rust.rs", "provider/shared.rs"]),
    ("unicode_normalization", &["password.rs"]),
];

/// These may be named anywhere: they adapt no algorithm.
const EVERYWHERE: &[&str] = &["thiserror", "zeroize"];

#[test]
fn no_arrow_points_up() {
    let sources = sources();
    let (uses, faults) = sources.arrows();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let count: usize = uses.values().sum();
    println!("{} files, {count} uses of our own modules", sources.files.len());
    assert!(sources.files.len() >= 33, "only {} files were found", sources.files.len());
    assert!(count >= 220, "only {count} uses were found");
    let permitted = MAY_USE.iter().flat_map(|(module, allowed)| allowed.iter().map(move |target| (*module, *target)));
    let unused: Vec<_> =
        permitted.filter(|(module, target)| !uses.contains_key(&((*module).into(), (*target).into()))).collect();
    assert!(unused.is_empty(), "permitted and not used: {unused:?}");
}

#[test]
fn each_third_party_crate_is_named_in_its_own_module_only() {
    let sources = sources();
    let (uses, faults) = sources.third_party();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{uses} uses of third-party crates");
    assert!(uses >= 40, "only {uses} uses were found");
}

#[test]
fn every_dependency_has_a_rule() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let sections = manifest.split("\n[").filter_map(|section| section.split_once("]\n"));
    let sections = sections.filter(|(name, _)| name.ends_with("dependencies") && *name != "dev-dependencies");
    let lines = sections.flat_map(|(_, lines)| lines.lines()).filter(|line| !line.starts_with('#'));
    let names: BTreeSet<String> =
        lines.filter_map(|line| line.split_once('=').map(|(name, _)| name.trim().replace('-', "_"))).collect();
    let ruled = THIRD_PARTY.iter().map(|(name, _)| *name).chain(EVERYWHERE.iter().copied());
    assert_eq!(names, ruled.map(str::to_owned).collect());
}

#[test]
fn only_the_pipeline_does_io_and_the_chunks_do_none() {
    let sources = sources();
    let (uses, faults) = sources.io();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{uses} uses of std::fs and std::os");
    assert!(uses >= 10, "only {uses} uses were found");
}

#[test]
fn the_checker_finds_arrows_that_point_up() {
    for (file, line) in [
        ("aead.rs", "use crate::file::Encryptor;"),
        ("aead.rs", "fn f() { crate::suite::Suite::default(); }"),
        ("aead.rs", "use crate::{error::Result, kdf::hkdf_expand_sha512};"),
        ("aead.rs", "use crate::Encryptor;"),
        ("kem/hpke.rs", "use super::super::recipient::wrap;"),
        ("kem/hpke.rs", "use crate::key::{Identity as I};"),
        ("key/mod.rs", "pub(crate) fn f(x: crate::recipient::Stanza) {}"),
        ("recipient/key.rs", "use crate::pipeline::*;"),
        ("pipeline/unit.rs", "use crate::suite::Suite;"),
        ("pipeline/unit.rs", "use super::super::aead::Aead;"),
        ("error.rs", "use crate::random;"),
        ("random.rs", "use crate :: { encoding } ;"),
        ("file/header.rs", "use crate::nowhere::Thing;"),
        ("novel.rs", "use crate::error::Error;"),
    ] {
        let (_, faults) = Sources::made_up(&[(file, line)]).arrows();
        assert_eq!(faults.len(), 1, "{file}: {line}: {faults:?}");
    }
    for (file, line) in [
        ("file/header.rs", "use crate::recipient::{Stanza, wrap}; use super::Context;"),
        (
            "aead.rs",
            "//! crate::file::Encryptor\n/* crate::file */ const A: &str = \"crate::file\"; use crate::error::Error;",
        ),
        ("aead.rs", "fn f<'a>(x: &'a u8) {} const Q: char = '\"'; const R: &str = r#\"crate::file\"#;"),
        ("aead.rs", "#[cfg(test)]\nmod tests { use crate::file::Encryptor; }"),
        ("aead.rs", "#[cfg(test)]\n#[path = \"aead_tests.rs\"]\nmod tests;"),
        ("key/list.rs", "fn f() -> crate::Error { todo!() }"),
    ] {
        let (_, faults) = Sources::made_up(&[(file, line)]).arrows();
        assert!(faults.is_empty(), "{file}: {line}: {faults:?}");
    }
}

#[test]
fn the_checker_finds_third_party_names_and_io() {
    for (file, line) in [
        ("kdf.rs", "use aws_lc_rs::hmac;"),
        ("recipient/mod.rs", "fn f() { ::hpke::setup_receiver(); }"),
        ("recipient/mod.rs", "use hpke::Kem;"),
        ("recipient/mod.rs", "use ::hpke::Kem;"),
        ("file/chunked.rs", "fn f() { data_encoding::BASE64.encode(b\"\"); }"),
        ("pipeline/mod.rs", "use {std::io, rustix::fs::openat};"),
    ] {
        let (_, faults) = Sources::made_up(&[(file, line)]).third_party();
        assert!(faults.iter().any(|fault| fault.starts_with(file)), "{file}: {line}: {faults:?}");
    }
    let (_, faults) = Sources::made_up(&[("recipient/mod.rs", "mod hpke; fn f() { hpke::wrap(); }")]).third_party();
    assert!(!faults.iter().any(|fault| fault.starts_with("recipient/mod.rs")), "{faults:?}");
    let (_, faults) =
        Sources::made_up(&[("key/mod.rs", "use crate::sm2::{self, Form}; fn f(_: sm2::PublicKey) {}")]).third_party();
    assert!(!faults.iter().any(|fault| fault.starts_with("key/mod.rs")), "{faults:?}");
    for (file, line) in [
        ("file/decrypt.rs", "use std::fs::File;"),
        ("file/decrypt.rs", "fn f() { std::os::unix::fs::symlink(); }"),
        ("suite.rs", "use std::{fmt, fs};"),
        ("file/chunked.rs", "use std::io::Read;"),
    ] {
        let (_, faults) = Sources::made_up(&[(file, line)]).io();
        assert_eq!(faults.len(), 1, "{file}: {line}: {faults:?}");
    }
}

fn sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with("tests.rs") {
                assert_eq!(path.extension().unwrap(), "rs", "{name} is no source file");
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    Sources::new(files)
}

/// Source files without their tests, by their path under `src`, each as the paths that it names.
struct Sources {
    files: BTreeMap<String, Vec<Vec<String>>>,
    /// Modules that a file declares.
    declared: BTreeMap<String, BTreeSet<String>>,
    /// What the crate root exports, and from which module.
    exported: BTreeMap<String, String>,
}

impl Sources {
    fn new(texts: BTreeMap<String, String>) -> Self {
        let mut sources = Self { files: BTreeMap::new(), declared: BTreeMap::new(), exported: BTreeMap::new() };
        for (name, text) in texts {
            let tokens = without_tests(&tokens(&text));
            let declared = tokens.windows(2).filter(|pair| pair[0] == "mod").map(|pair| pair[1].clone()).collect();
            sources.declared.insert(name.clone(), declared);
            sources.files.insert(name, paths(&tokens));
        }
        for path in sources.files.get("lib.rs").into_iter().flatten() {
            if let [module, .., leaf] = &path[..]
                && MAY_USE.iter().any(|(name, _)| name == module)
            {
                sources.exported.insert(leaf.clone(), module.clone());
            }
        }
        sources
    }

    fn made_up(files: &[(&str, &str)]) -> Self {
        let root = ("lib.rs", "pub use error::{Error, Result}; pub use file::Encryptor;");
        Self::new(files.iter().chain([&root]).map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    /// Checks every use of one of our own modules; returns how many each arrow has, and what is wrong.
    fn arrows(&self) -> (BTreeMap<(String, String), usize>, Vec<String>) {
        let (mut uses, mut faults) = (BTreeMap::new(), Vec::new());
        for (file, paths) in self.files.iter().filter(|(file, _)| *file != "lib.rs") {
            let module = module_of(file);
            let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module[0]) else {
                faults.push(format!("{file}: the module {} has no rule", module[0]));
                continue;
            };
            for path in paths {
                let Some(target) = resolve(&module, path) else { continue };
                let Some(first) = target.first() else { continue };
                let first = self.exported.get(first).unwrap_or(first);
                *uses.entry((module[0].clone(), first.clone())).or_default() += 1;
                if *first != module[0] && !allowed.contains(&first.as_str()) {
                    faults.push(format!("{file}: {} uses {first}: {}", module[0], path.join("::")));
                }
            }
        }
        (uses, faults)
    }

    fn third_party(&self) -> (usize, Vec<String>) {
        let (mut uses, mut faults) = (0, Vec::new());
        for (name, allowed) in THIRD_PARTY {
            let mut named_in = BTreeSet::new();
            for (file, paths) in &self.files {
                let local = paths.iter().any(|path| imports(path, name)) || self.declared[file].contains(*name);
                for path in paths {
                    // `::name` is always the crate; `name` is, unless the file has or imports a module of that
                    // name.
                    // A word alone is a function or a variable.
                    let is_crate =
                        path[0].strip_prefix("::") == Some(name) || (path[0] == *name && path.len() > 1 && !local);
                    if is_crate {
                        uses += 1;
                        named_in.insert(file.as_str());
                    }
                }
            }
            let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
            faults.extend(named_in.difference(&allowed).map(|file| format!("{file}: names {name}")));
            faults.extend(allowed.difference(&named_in).map(|file| format!("no use of {name} in {file}")));
        }
        (uses, faults)
    }

    fn io(&self) -> (usize, Vec<String>) {
        let (mut uses, mut faults) = (0, Vec::new());
        for (file, paths) in &self.files {
            for path in paths.iter().filter(|path| path[0].trim_start_matches(':') == "std") {
                let does_io = matches!(path.get(1).map(String::as_str), Some("fs" | "os" | "net" | "process"));
                uses += usize::from(does_io);
                if does_io && module_of(file)[0] != "pipeline" {
                    faults.push(format!("{file}: I/O outside of the pipeline: {}", path.join("::")));
                }
                if file == "file/chunked.rs" && path.get(1).is_some_and(|module| module == "io") {
                    faults.push(format!("{file}: uses std::io"));
                }
            }
        }
        (uses, faults)
    }
}

/// `file/chunked.rs` is `["file", "chunked"]`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap();
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// The absolute path of one that begins with `crate`, `self` or `super`; `None` for any other, and for the bare words.
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
                at.pop().expect("super of the crate root");
            }
            name => at.push(name.to_owned()),
        }
    }
    Some(at)
}

/// Names, `::`, and single other characters; no comments, and strings as `""`.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize, what: &str| chars[at..].iter().copied().take(what.len()).eq(what.chars());
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            while !starts(at, "*/") {
                at += 1;
            }
            at += 2;
        } else if c == 'r' && (starts(at, "r\"") || starts(at, "r#\"")) {
            let end = if chars[at + 1] == '#' { "\"#" } else { "\"" };
            at += 1 + end.len();
            while !starts(at, end) {
                at += 1;
            }
            at += end.len();
            tokens.push("\"\"".to_owned());
        } else if c == '"' {
            at += 1;
            while chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
            tokens.push("\"\"".to_owned());
        } else if c == '\'' {
            // A character if it is closed, a lifetime otherwise.
            if chars[at + 1] == '\\' {
                at += 3;
                while chars[at] != '\'' {
                    at += 1;
                }
                at += 1;
            } else if chars.get(at + 2) == Some(&'\'') {
                at += 3;
            } else {
                at += 1;
            }
        } else if c.is_alphanumeric() || c == '_' {
            let from = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            tokens.push(chars[from..at].iter().collect());
        } else if starts(at, "::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// Leaves out every item behind `#[cfg(test)]`.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const CFG_TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].iter().take(CFG_TEST.len()).eq(CFG_TEST.iter()) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += CFG_TEST.len();
        let mut depth = 0;
        loop {
            match tokens[at].as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(tokens[at - 1].as_str(), ";" | "}") {
                break;
            }
        }
    }
    kept
}

/// Whether a path is of something else that has the name of a crate, which the file then means by it.
fn imports(path: &[String], name: &str) -> bool {
    let path = path.strip_suffix(&["self".to_owned()][..]).unwrap_or(path);
    path.len() > 1 && path.last().is_some_and(|last| last == name)
}

/// Every path in the tokens, groups written out; a leading `::` stays with the first name.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let leading = tokens[at] == "::" && (at == 0 || !is_name(&tokens[at - 1]) && tokens[at - 1] != ">");
        if leading || is_name(&tokens[at]) {
            at = tree(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path, or one tree of a `use`, from token `at` on; returns where it ends.
fn tree(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    if token(at) == "::" {
        path.push(format!("::{}", token(at + 1)));
        at += 2;
    } else {
        path.push(token(at).to_owned());
        at += 1;
    }
    while token(at) == "::" {
        if token(at + 1) == "{" {
            at += 2;
            while token(at) != "}" {
                at = if is_name(token(at)) { tree(tokens, at, &path, found) } else { at + 1 };
            }
            return at + 1;
        }
        if !is_name(token(at + 1)) {
            // `::<` or `::*`
            at += 1;
            break;
        }
        path.push(token(at + 1).to_owned());
        at += 2;
    }
    found.push(path);
    if token(at) == "as" { at + 2 } else { at }
}

/// Words that may stand before a path, whose leading `::` is not theirs.
const KEYWORDS: &[&str] =
    &["use", "as", "dyn", "else", "for", "if", "impl", "in", "match", "mut", "return", "where", "while"];

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !KEYWORDS.contains(&token)
}
