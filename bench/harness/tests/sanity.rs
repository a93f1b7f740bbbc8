//! The sanity round of Sealstone and OpenSSL: every definition once, and all outputs agree.

use std::process::Command;

#[test]
fn sealstone_and_openssl_agree_on_every_definition() {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    bench.args(["sanity", "--engine", "sealstone", "--engine", "openssl", "--engine", "sealstone-cli"]);
    bench.args(["--engine", "openssl-enc", "--engine", "cp"]);
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
