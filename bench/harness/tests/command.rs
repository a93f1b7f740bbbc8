//! An engine of whole processes, spoken to as the harness does: what its file's words become.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_report_is_written_into_the_repository_that_the_working_directory_is_in() {
    let root = tempfile::tempdir().unwrap();
    let bench =
        |folder: &Path| Command::new(env!("CARGO_BIN_EXE_bench")).arg("report").current_dir(folder).output().unwrap();
    let said = bench(root.path());
    assert!(
        !said.status.success() && String::from_utf8_lossy(&said.stderr).contains("name one with --root"),
        "{said:?}"
    );
    for folder in ["bench/definitions", "bench/engines", "bench/record", "crates/core"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::copy(here.join("README.md"), root.path().join("bench/README.md")).unwrap();
    let machine = fs::read_dir(here.join("record")).unwrap().next().unwrap().unwrap().path();
    let said = Command::new("cp").arg("-r").arg(machine).arg(root.path().join("bench/record/")).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let said = bench(&root.path().join("crates/core"));
    assert!(said.status.success() && root.path().join("bench/report/index.html").is_file(), "{said:?}");
}

/// The answers to some lines.
fn talk(commands: &Path, lines: &str) -> Vec<String> {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench"));
    let mut bench = bench.arg("command").arg(commands).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    bench.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let said = bench.wait_with_output().unwrap();
    assert!(said.status.success());
    String::from_utf8(said.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn words_name_options_and_lines_of_files_that_the_setup_makes() {
    let folder = tempfile::tempdir().unwrap();
    let (commands, input) = (folder.path().join("commands.toml"), folder.path().join("input"));
    let text = r#"
        version = ["echo", "1.0"]
        setup = [["sh", "-c", "printf '%s\nnot this\n' \"$1\" >\"$0\"", "{dir}/said", "{mode}, too"]]
        [lines]
        said = "{dir}/said"
        [operation.append]
        run = ["sh", "-c", "(cat \"$0\"; printf %s \"$2\") >\"$1\"", "{input}", "{output}", "{said}"]
        opens = ["sh", "-c", "[ \"$(tail -c 9 \"$0\")\" = 'fast, too' ] && head -c -9 \"$0\" >\"$1\"", "{source}", "{output}"]
    "#;
    fs::write(&commands, text).unwrap();
    fs::write(&input, "attack at dawn").unwrap();
    let prepare = format!("prepare append input={} dir={} mode=fast\n", input.display(), folder.path().display());
    let answers = talk(&commands, &[&prepare, "run 2\nquit\n"].concat());
    // The digest is that of the input, which `opens` made again, and the length that of what `run` wrote.
    let digest = "d502810c71aeb17e5ea1cbf930b46b87bb645a75df45f500230d061992aeb90a";
    assert_eq!(answers[0], format!("ready digest={digest} bytes=23"));
    assert!(answers[1].starts_with("sample ") && answers[1].ends_with(" iterations=2"), "{answers:?}");

    // What it reads and what it writes may be folders, which are removed between runs.
    let folders = r#"
        version = ["echo", "1.0"]
        [operation.unpack]
        prepare = [["sh", "-c", "mkdir -p \"$1/deep\" && cp \"$0\" \"$1/deep/file\"", "{input}", "{source}"]]
        run = ["cp", "-r", "{source}/.", "{output}"]
        opens = ["cp", "{source}/deep/file", "{output}"]
    "#;
    fs::write(&commands, folders).unwrap();
    let answers = talk(&commands, &[&prepare.replace("append", "unpack"), "run 2\nquit\n"].concat());
    assert!(answers[0].starts_with(&format!("ready digest={digest} bytes=")), "{answers:?}");
    assert!(answers[1].starts_with("sample ") && answers[1].ends_with(" iterations=2"), "{answers:?}");

    // A file that the setup did not make is said.
    let without = text.replace("{dir}/said\"\n        [operation", "{dir}/missing\"\n        [operation");
    assert_ne!(without, text);
    fs::write(&commands, without).unwrap();
    let answers = talk(&commands, &[&prepare, "quit\n"].concat());
    assert!(answers[0].starts_with("error ") && answers[0].contains("missing"), "{answers:?}");
}
