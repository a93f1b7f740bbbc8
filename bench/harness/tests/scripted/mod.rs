//! A repository whose engines are a few lines of shell, and the harness over it.

use std::path::Path;
use std::process::{Command, Output};

/// An engine whose output has this digest, and that dies at its `dies_at`-th run.
pub(crate) fn engine(root: &Path, name: &str, digest: &str, dies_at: u32) {
    let folder = root.join("bench/engines").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let toml = format!(
        "title = \"{name}\"\nlanguage = \"sh\"\nuse = \"as it is\"\nrun = [\"sh\", \"{{engine}}/engine.sh\"]\n"
    );
    std::fs::write(folder.join("engine.toml"), toml).unwrap();
    let script = format!(
        r#"runs=0
jitter=$(cat "$0.jitter" 2>/dev/null || echo 0)
while read -r word rest; do
    case $word in
        hello) echo "engine name={name} version=1" ;;
        prepare)
            case $rest in
                none*) echo "unsupported no%20such" ;;
                *) echo "ready digest={digest} bytes=3" ;;
            esac ;;
        run)
            runs=$((runs + 1))
            [ "$runs" != {dies_at} ] || exit 1
            echo "run" >> "$0.runs"
            sleep 0.02
            echo "sample wall_ns=$((19000000 + runs - runs * jitter % 9000000)) cpu_ns=1 iterations=$rest" ;;
        output) echo "output hex=0{name}" ;;
        opens) case $rest in
            0{name}|*x*) echo "error not%20mine" ;;
            *) echo "opened digest={digest}" ;;
        esac ;;
        memory) echo "memory peak_bytes=4096" ;;
        quit) exit 0 ;;
    esac
done
"#
    );
    std::fs::write(folder.join("engine.sh"), script).unwrap();
}

pub(crate) fn definition(root: &Path, operations: &str, engines: &[&str]) {
    let folder = root.join("bench/definitions");
    std::fs::create_dir_all(&folder).unwrap();
    let mut toml = format!(
        "question = \"Who?\"\nkind = \"latency\"\ngroup = \"aead\"\noperations = [{operations}]\nsizes = [\"1 KB\"]\n\
         check = \"digest\"\nreference = \"{}\"\n",
        engines[0]
    );
    let contender = |engine: &&str| {
        format!("[[contender]]\nengine = \"{engine}\"\nname = \"{engine}\"\nours = {}\n", *engine == engines[0])
    };
    toml.extend(engines.iter().map(contender));
    std::fs::write(folder.join("who.toml"), toml).unwrap();
}

/// The harness, on a machine of which nobody steals time, and that is never late.
pub(crate) fn bench(root: &Path, arguments: &[&str]) -> Output {
    let stat = root.join("target/stat");
    std::fs::create_dir_all(root.join("target")).unwrap();
    std::fs::write(&stat, "cpu 1 0 0 1 0 0 0 0\n").unwrap();
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    // Each root has its own target directory, and so its own lock. Its engines take as long as the machine lets them, and say 19 ms.
    bench.env_remove("CARGO_TARGET_DIR").env("BENCH_STAT", stat).env("BENCH_LATE_MS", "86400000");
    bench.arg("--root").arg(root).args(arguments).output().unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Git in a repository, as nobody.
pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    git.args(["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]);
    let output = git.arg("-C").arg(root).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
