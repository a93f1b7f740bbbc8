//! The sanity round: every definition once, and all outputs agree. It asks Sealstone and the engines in C; `make test-peers` asks those
//! in Node, Chromium and Python as well, with all their peers, for five minutes and the time that the wheel takes to build.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Engines that need headers of the system.
const IN_C: [&str; 3] = ["openssl", "libgcrypt", "libsodium"];
/// Engines that need Node or Chromium, or Python and Java.
const WITH_AN_INTERPRETER: [&str; 4] = ["node", "browser", "python", "python-spark"];
/// What needs no more than Node.
const WITH_NODE: [&str; 2] = ["node-wasm", "node-process"];

#[test]
fn sealstone_and_its_peers_agree_on_every_definition() {
    let mut engines = vec!["sealstone", "sealstone-cli", "sealstone-plugin", "openssl-enc", "cp", "tar"];
    let is_exhaustive = std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some();
    let interpreted = WITH_AN_INTERPRETER.into_iter().filter(|_| is_exhaustive);
    engines.extend(IN_C.into_iter().chain(interpreted).filter(|engine| can_be_built(engine)));
    if engines.contains(&"node") {
        engines.extend(WITH_NODE);
    }
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    bench.arg("sanity");
    for engine in &engines {
        bench.args(["--engine", engine]);
    }
    if std::env::var_os("CI").is_some() {
        bench.arg("--strict");
    }
    let done = bench.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    println!("{said}");
    let operations = said.lines().last().and_then(|line| line.split(' ').next()).and_then(|n| n.parse::<u32>().ok());
    assert!(operations.is_some_and(|operations| operations >= 30), "{said}");
}

/// Whether an engine can be built here, which `talk` does before it connects. Where it cannot, `make test` says so at its
/// end, and with CI=true that is a failure.
fn can_be_built(engine: &str) -> bool {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    let built = bench.args(["talk", engine]).stdin(Stdio::null()).output().unwrap();
    if built.status.success() {
        return true;
    }
    let said = String::from_utf8_lossy(&built.stderr);
    let why = said.trim().lines().last().unwrap_or_default();
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "skipped: {why}");
    println!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skipped.txt");
    let list = std::fs::OpenOptions::new().create(true).append(true).open(list);
    writeln!(list.unwrap(), "the bench's engine {engine}: {why}").unwrap();
    false
}
