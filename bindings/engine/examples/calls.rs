//! Writes each binding's side of the calls, from the functions of `bindings/engine/src/calls` that have the attribute `call`.
//!
//! `cargo run -p sealstone-engine --example calls -- write` writes the files, and `-- check` fails where one differs (`make generate`,
//! `make check`). The words of the attribute:
//!
//! - `native`: only bindings with threads and files have it. `wasm`: only WebAssembly has it, for a host that computes a part itself. `c`: only
//!   C has it, or of those the one that C has, too. `js`: C has it not.
//! - `stack = KIB`: the deepest place of the stack that a secret of it has reached, as measured. Without it all of the stack is zeroed.
//! - `counts(OPERATION, OF)` and `counts(OPERATION, OF, DATA)`: a monitor counts it, by the parameter that has the data. Without one its
//!   result is counted. `takes(OPERATION, OF)`: its data is counted with the call that ends it.
//! - `makes(OF)`: it makes an object of an algorithm. `tells_kind`: it says of which kind a key is.

#[path = "calls/addon.rs"]
mod addon;
#[path = "calls/c.rs"]
mod c;
#[path = "calls/call.rs"]
mod call;
#[path = "calls/go.rs"]
mod go;
#[path = "calls/monitor.rs"]
mod monitor;
#[path = "calls/typescript.rs"]
mod typescript;
#[path = "calls/wasm.rs"]
mod wasm;

use call::Calls;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{fs, io::Write as _};

fn main() -> ExitCode {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let calls = Calls::read(&bindings.join("engine/src"));
    let mut files = vec![
        (bindings.join("node/src/calls.rs"), formatted(&addon::written(&calls))),
        (bindings.join("js/src/backend/calls.ts"), typescript::types(&calls)),
        (bindings.join("js/src/backend/wasm/signatures.ts"), typescript::signatures(&calls)),
        (bindings.join("js/src/extras/monitor/rows.ts"), monitor::written(&calls)),
    ];
    files.push((bindings.join("c/src/calls.rs"), formatted(&c::written(&calls))));
    files.push((bindings.join("c/src/numbers.rs"), formatted(&c::numbered())));
    files.push((bindings.join("c/include/sealstone.h"), c::header(&calls, &read(&bindings.join("c/sealstone.in.h")))));
    files.push((bindings.join("go/internal/native/calls.go"), go::written(&calls)));
    files.push((bindings.join("go/codes.go"), go::codes()));
    files.push((bindings.join("go/internal/native/without.go"), go::without(&calls)));
    files.push((bindings.join("wasm/src/records.rs"), formatted(&wasm::records(&calls))));
    for module in call::MODULES {
        files.push((bindings.join(format!("wasm/src/{module}.rs")), formatted(&wasm::written(&calls, module))));
    }
    let differ: Vec<_> = files.into_iter().filter(|(path, text)| read(path) != *text).collect();
    match std::env::args().nth(1).as_deref() {
        Some("write") => {
            for (path, text) in differ {
                fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                println!("calls: wrote {}", shown(&path));
            }
            ExitCode::SUCCESS
        }
        Some("check") => {
            for (path, _) in &differ {
                eprintln!("calls: {} is not of these calls; run `make generate`", shown(path));
            }
            if differ.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: calls write|check");
            ExitCode::FAILURE
        }
    }
}

/// Empty when there is none.
fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().rsplit_once("../").map_or_else(String::new, |(_, name)| format!("bindings/{name}"))
}

/// Rust as `cargo fmt` has it.
fn formatted(source: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("calls: rustfmt runs");
    rustfmt.stdin.take().expect("calls: a pipe").write_all(source.as_bytes()).expect("calls: rustfmt reads");
    let done = rustfmt.wait_with_output().expect("calls: rustfmt ends");
    assert!(done.status.success(), "calls: this is no Rust:\n{source}");
    String::from_utf8(done.stdout).expect("calls: Rust is text")
}
