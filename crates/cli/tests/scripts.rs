//! Runs the scripts in `tests/scripts`: what a user types, and what must come back.
//!
//! ```text
//! === a sentence that the block proves
//! # why it is here
//! $ a command for the shell
//! > its second line
//! a line of its stdout
//! ! a line of its stderr
//! [3]
//! ```
//!
//! Each block has a folder of its own (see `support::Sandbox` for the keys in it), and each command a shell of its
//! own. Output must match line by line; `*` stands for any text within a line, and a line `...` for any lines. The
//! exit status stands in brackets and is 0 where none stands.

mod support;

use std::fmt::Write;
use std::path::PathBuf;
use support::Sandbox;

macro_rules! scripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        #[test]
        fn every_script_is_run() {
            let run = [$(concat!(stringify!($name), ".txt")),*];
            for entry in std::fs::read_dir(folder()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(run.contains(&name.as_str()), "{name} is not in the list of tests/scripts.rs");
            }
        }
    };
}

scripts! { age archive context encode errors existing fise foreign formats gm grammar hash hazmat inputs inspect kdf key_forms keygen keys mac manual message modes nkcs nkct outputs passphrases password pipes plugins profile random rewrap same_file several sign sm2 speed text }

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

fn run(name: &str) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
    let blocks = parse(&text);
    assert!(!blocks.is_empty(), "{name} has no block");
    if text.contains("sealtest") {
        support::require_plugin();
    }
    let mut faults = String::new();
    for block in &blocks {
        let sandbox = Sandbox::new();
        for step in &block.steps {
            let done = sandbox.sh(&step.command);
            let status = done.status.unwrap_or_else(|| 128 + done.signal.unwrap_or(0));
            let matches = status == step.status
                && lines_match(&step.stdout, &lines(&done.stdout))
                && lines_match(&step.stderr, &lines(&done.stderr));
            if !matches {
                let _ = writeln!(faults, "\n=== {} (line {})\n$ {}", block.title, step.line, step.command);
                for (prefix, expected, found) in
                    [("", &step.stdout, lines(&done.stdout)), ("! ", &step.stderr, lines(&done.stderr))]
                {
                    if !lines_match(expected, &found) {
                        for line in expected {
                            let _ = writeln!(faults, "  expected  {prefix}{line}");
                        }
                        for line in found {
                            let _ = writeln!(faults, "  found     {prefix}{}", visible(line));
                        }
                    }
                }
                let _ = writeln!(faults, "  expected [{}], found [{status}]", step.status);
                break;
            }
        }
    }
    assert!(faults.is_empty(), "{name}.txt:{faults}");
    println!("{name}.txt: {} blocks", blocks.len());
}

struct Block {
    title: String,
    steps: Vec<Step>,
}

struct Step {
    line: usize,
    command: String,
    stdout: Vec<String>,
    stderr: Vec<String>,
    status: i32,
}

fn parse(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("=== ") {
            assert!(blocks.iter().all(|block| block.title != title), "line {}: two blocks of one title", i + 1);
            blocks.push(Block { title: title.to_owned(), steps: Vec::new() });
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let block = blocks.last_mut().unwrap_or_else(|| panic!("line {}: before the first block", i + 1));
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.to_owned();
            block.steps.push(Step { line: i + 1, command, stdout: Vec::new(), stderr: Vec::new(), status: 0 });
            continue;
        }
        let step = block.steps.last_mut().unwrap_or_else(|| panic!("line {}: before the first command", i + 1));
        if let Some(more) = line.strip_prefix("> ") {
            step.command = format!("{}\n{more}", step.command);
        } else if let Some(said) = line.strip_prefix("! ") {
            step.stderr.push(said.to_owned());
        } else if let Some(status) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            step.status = status.parse().unwrap_or_else(|_| panic!("line {}: not a status", i + 1));
        } else {
            step.stdout.push(line.to_owned());
        }
    }
    blocks
}

/// The lines of an output that are not empty: scripts leave those out.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty()).collect()
}

fn lines_match(expected: &[String], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == "..." => (0..=found.len()).any(|n| lines_match(rest, &found[n..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, more)| line_matches(first, line) && lines_match(rest, more))
        }
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == line,
        Some((head, rest)) => line.strip_prefix(head).is_some_and(|tail| {
            tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| line_matches(rest, &tail[at..]))
        }),
    }
}

fn visible(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

#[test]
fn the_runner_tells_a_match_from_a_difference() {
    let expected: Vec<String> = ["a*c", "...", "z"].map(str::to_owned).into();
    for (found, matches) in [
        (&["abc", "z"][..], true),
        (&["ac", "x", "y", "z"], true),
        (&["ab", "z"], false),
        (&["abc", "z", "more"], false),
        (&["abc"], false),
        (&[], false),
    ] {
        assert_eq!(lines_match(&expected, found), matches, "{found:?}");
    }
    let blocks = parse("=== t\n$ a\n> b\nout\n! err\n[4]\n\n# note\n$ c\n");
    assert_eq!(blocks[0].steps.len(), 2);
    let step = &blocks[0].steps[0];
    assert_eq!((step.command.as_str(), step.status), ("a\nb", 4));
    assert_eq!((&step.stdout[..], &step.stderr[..]), (&["out".to_owned()][..], &["err".to_owned()][..]));
}
