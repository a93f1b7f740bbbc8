use super::*;

const RULES: Rules = Rules {
    layers: &[&["file"], &["recipient"], &["aead"], &["error"]],
    narrow: &[("recipient", &["aead", "error"])],
    siblings: &[],
    apart: &["recipient"],
};

/// Files of all layers, and more.
fn faults(more: &[(&str, &str)]) -> Vec<String> {
    let files = [
        ("lib.rs", "pub use error::{Error, Result}; pub use file::Encryptor;"),
        ("file/mod.rs", "use crate::{Error, recipient::wrap}; fn f() { crate::aead::seal() }"),
        ("recipient/mod.rs", "use crate::{aead, error}; use self::hpke::Sender; mod hpke;"),
        ("recipient/hpke.rs", ""),
        ("aead.rs", "use super::error::Error;"),
        ("error.rs", ""),
    ];
    Sources::made_of(files.into_iter().chain(more.iter().copied())).arrows(&RULES)
}

#[test]
fn what_points_down_is_no_fault() {
    assert_eq!(faults(&[]), [""; 0]);
    for (file, line) in [
        ("file/header.rs", "use crate::recipient::{Stanza, wrap}; use super::Context;"),
        ("aead/gcm.rs", "//! crate::file\n/* crate::file */ const A: &str = \"crate::file\"; use crate::error::Error;"),
        ("aead/gcm.rs", "fn f<'a>(x: &'a u8) {} const Q: char = '\"'; const R: &str = r#\"crate::file\"#;"),
        ("aead/gcm.rs", "#[cfg(test)]\nmod tests { use crate::file::Encryptor; }"),
        ("aead/gcm.rs", "#[cfg(test)]\n#[path = \"gcm_tests.rs\"]\nmod tests;"),
        ("recipient/sm2.rs", "use super::Stanza; use crate::recipient::sm2::own;"),
    ] {
        assert_eq!(faults(&[(file, line)]), [""; 0], "{file}: {line}");
    }
}

#[test]
fn an_arrow_that_points_up_is_a_fault() {
    for (file, line) in [
        ("aead/gcm.rs", "use crate::file::Encryptor;"),
        ("aead/gcm.rs", "fn f() { crate::recipient::Stanza::default(); }"),
        ("aead/gcm.rs", "use crate::{error::Result, recipient::wrap};"),
        ("aead/gcm.rs", "use crate::Encryptor;"),
        ("aead/gcm.rs", "pub(crate) fn f(x: crate::recipient::Stanza) {}"),
        ("recipient/sm2.rs", "use super::super::file::open;"),
        ("recipient/sm2.rs", "use crate::file::{Input as I};"),
        ("recipient/sm2.rs", "use crate::file::*;"),
        ("recipient/sm2.rs", "use crate :: { file } ;"),
        ("file/header.rs", "use crate::nowhere::Thing;"),
        ("novel.rs", "use crate::error::Error;"),
    ] {
        assert_eq!(faults(&[(file, line)]).len(), 1, "{file}: {line}");
    }
}

#[test]
fn files_of_a_folder_are_kept_apart() {
    assert_eq!(faults(&[("recipient/sm2.rs", "use super::hpke::Sender;")]).len(), 1);
    assert_eq!(faults(&[("file/header.rs", "use super::chunked::Chunks;"), ("file/chunked.rs", "")]), [""; 0]);
}

#[test]
fn a_layer_permits_what_is_beside_and_below_and_other_rules_less() {
    let sources = Sources::made_of([("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "")]);
    let rules = |layers| Rules { layers, ..Rules::default() };
    assert_eq!(sources.arrows(&rules(&[&["a", "b"], &["c"]])), [""; 0]);
    assert_eq!(sources.arrows(&rules(&[&["b"], &["a", "c"]])), ["a.rs: a uses b: crate::b::B"]);
    assert_eq!(sources.arrows(&rules(&[&["a"], &["b"]])).len(), 2, "c has no layer");
    let narrow: &[Row] = &[("b", &[])];
    assert_eq!(sources.arrows(&Rules { narrow, ..rules(&[&["a", "b", "c"]]) }), ["b.rs: b uses c: crate::c::C"]);
    let siblings: &[&[&str]] = &[&["a", "b"]];
    assert_eq!(sources.arrows(&Rules { siblings, ..rules(&[&["a", "b"], &["c"]]) }), ["a.rs: a uses b: crate::b::B"]);
}

#[test]
fn a_circle_of_modules_is_a_fault() {
    let three = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "use crate::b::D;")];
    let rules = Rules { layers: &[&["a", "b", "c"]], ..Rules::default() };
    assert_eq!(Sources::made_of(three).arrows(&rules), ["a circle: b, c"]);
}

#[test]
fn a_circle_of_files_is_found_through_what_modules_export() {
    let circles = |files: &[(&str, &str)]| {
        let sources = Sources::made_of(files.iter().copied());
        sources.circles_of_files().into_iter().map(|group| group.join(" ")).collect::<Vec<_>>()
    };
    let file = |seal, open| {
        [
            ("lib.rs", "mod file; pub use file::{Open, Seal};"),
            ("file/mod.rs", "mod open; mod seal; pub use open::Open; pub use seal::Seal; fn shared() {}"),
            ("file/seal.rs", seal),
            ("file/open.rs", open),
        ]
    };
    assert_eq!(circles(&file("use super::open::Open;", "use super::shared;")), [""; 0]);
    assert_eq!(circles(&file("use super::Open;", "use crate::Seal;")), ["file/open.rs file/seal.rs"]);
    assert_eq!(circles(&file("use super::open;", "use super::seal;")), ["file/open.rs file/seal.rs"]);
    // A file and its folder know each other.
    assert_eq!(circles(&[("key.rs", "mod pem; use pem::Pem;"), ("key/pem.rs", "use super::Key;")]), [""; 0]);
    // A module in a file has the file above it.
    assert_eq!(circles(&[("lib.rs", "mod a { use super::super::b; }"), ("b.rs", "")]), [""; 0]);
}

#[test]
fn a_word_is_in_the_files_of_its_row() {
    let sources = Sources::made_of([("node/x.ts", "process.exit()"), ("a.ts", "// process"), ("b.ts", "f(process)")]);
    assert_eq!(sources.words(&[("process", &["b.ts"])], "node/"), [""; 0]);
    assert_eq!(sources.words(&[("process", &["a.ts"])], "node/"), ["b.ts: has the word process", "no process in a.ts"]);
}

#[test]
fn imports_of_a_file_are_files() {
    let text = "import { f } from '../b.js'\nimport 'vue'\nexport * from './c/index.js'\n";
    let sources = Sources::made_of([("a/x.ts", text)]);
    assert_eq!(sources.imports()["a/x.ts"], ["a/c/index.ts", "b.ts"].map(str::to_owned).into());
}

#[test]
fn a_library_is_named_in_the_files_of_its_row() {
    let fault = |file, line, name| Sources::made_of([(file, line)]).libraries(&[(name, &[])]);
    for (file, line, name) in [
        ("kdf.rs", "use hmac::Mac;", "hmac"),
        ("recipient/mod.rs", "fn f() { ::hpke::setup_receiver(); }", "hpke"),
        ("recipient/mod.rs", "use hpke::Kem;", "hpke"),
        ("recipient/mod.rs", "use ::hpke::Kem;", "hpke"),
        ("file/chunked.rs", "fn f() { base64_simd::STANDARD.encode_to_string(b\"\"); }", "base64_simd"),
        ("pipeline/mod.rs", "use {std::io, rustix::fs::openat};", "rustix"),
        ("fise/text.ts", "import { readFile } from 'node:fs'", "node:fs"),
    ] {
        assert_eq!(fault(file, line, name), [format!("{file}: names {name}")], "{line}");
    }
    assert_eq!(fault("recipient/mod.rs", "mod hpke; fn f() { hpke::wrap(); }", "hpke"), [""; 0]);
    assert_eq!(fault("key.rs", "use crate::sm2::{self, Form}; fn f(_: sm2::PublicKey) {}", "sm2"), [""; 0]);
    let unused = Sources::made_of([("a.rs", "")]).libraries(&[("hmac", &["a.rs"])]);
    assert_eq!(unused, ["no use of hmac in a.rs"]);
    let of_folder = |file| Sources::made_of([(file, "use hmac::Mac;")]).libraries(&[("hmac", &["mac/"])]);
    assert_eq!(of_folder("mac/hmac.rs"), [""; 0]);
    assert_eq!(of_folder("mac.rs"), ["mac.rs: names hmac", "no use of hmac in mac/"]);
}

#[test]
fn modules_of_the_standard_library_are_found() {
    for line in ["use std::fs::File;", "fn f() { std::os::unix::fs::symlink(); }", "use std::{fmt, fs};"] {
        assert_eq!(Sources::made_of([("suite.rs", line)]).name_std(&["fs", "os"]).len(), 1, "{line}");
    }
    assert!(Sources::made_of([("suite.rs", "use std::fmt; use crate::fs::F;")]).name_std(&["fs"]).is_empty());
}

#[test]
fn files_of_typescript_that_import_each_other_are_a_circle() {
    let files = [
        ("api/a.ts", "import { b } from './b.js'\nimport { bytes } from '../bytes.js'"),
        ("api/b.ts", "import type { A } from './a.js'"),
        ("bytes.ts", ""),
    ];
    assert_eq!(Sources::made_of(files).circles_of_imports(), [vec!["api/a.ts", "api/b.ts"]].into());
}
