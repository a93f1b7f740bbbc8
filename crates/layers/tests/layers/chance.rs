//! What makes a test red by chance, and what a green one then proves nothing by: a time that it waits or measures, and the memory or the
//! threads of a process. Only the homes in this table may use them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What depends on how busy the machine is.
const WORDS: &[&str] = &[
    "sleep",
    "sleep_ms",
    "sleep_until",
    "park_timeout",
    "wait_timeout",
    "recv_timeout",
    "Instant",
    "elapsed",
    "performance.now",
    "Date.now",
    "hrtime",
    "setTimeout",
    "setInterval",
    "AbortSignal.timeout",
    "Atomics.wait",
    "VmHWM",
    "VmRSS",
    "ru_maxrss",
    "/proc/self/task",
    "/proc/self/statm",
    "memoryUsage",
    "perf_counter",
    "perf_counter_ns",
    "monotonic",
    "monotonic_ns",
    "time.time",
    "time_ns",
    "process_time",
];

/// A file, what it may use, and why that fails nowhere by chance. A sleep that is too long, or whose thread is late, must change nothing.
const HOMES: &[(&str, &[&str], &str)] = &[
    (
        "crates/cli/tests/support/chance.rs",
        &["sleep", "Instant", "elapsed"],
        "the home of waiting in Rust: it looks again and again, and says after ten minutes what did not happen",
    ),
    (
        "crates/cli/tests/terminal.rs",
        &["sleep", "Instant", "elapsed"],
        "a person who types late: the program says at most the time that is measured around it, which is not compared with any other",
    ),
    (
        "crates/cli/tests/scripts/random.txt",
        &["sleep"],
        "two identifiers of different times: more time changes nothing",
    ),
    ("crates/cli/tests/scripts/outputs.txt", &["/proc/self/task"], "a name of a descriptor, and no count of threads"),
    (
        "crates/core/tests/hazmat.rs",
        &["sleep"],
        "a slow reader, which nobody waits for: it gives up after 50,000 reads",
    ),
    (
        "bindings/python/tests/victims.py",
        &["sleep", "monotonic"],
        "the home of waiting in Python: it looks again and again, and says after minutes what did not come to pass",
    ),
    (
        "bindings/python/tests/test_providers.py",
        &["monotonic"],
        "the clock that the test puts in the place of the real one",
    ),
    (
        "bindings/python/tests/jobs/conftest.py",
        &["sleep", "monotonic"],
        "it waits for a server on loopback to answer, and says when that did not happen",
    ),
    (
        "bindings/python/tests/jobs/scale.py",
        &["sleep", "monotonic", "ru_maxrss", "process_time"],
        "no test but a measurement, which `make scale` writes into a page",
    ),
    (
        "bindings/python/tests/jobs/test_secrets.py",
        &["sleep"],
        "between two looks at the processes of a job, to leave it a core",
    ),
    ("bindings/js/test/turns.ts", &["performance.now"], "the clock that tests put in the place of the real one"),
    (
        "bindings/js/test/kdf.test.ts",
        &["setTimeout"],
        "timers that the test puts in the place of the real ones, or counts",
    ),
    (
        "bindings/js/test/package.test.ts",
        &["setTimeout", "memoryUsage", "setInterval", "AbortSignal.timeout"],
        "names of globals and of types, turns of the event loop, looks again and again, and a measurement with a generous bound",
    ),
    ("bindings/js/test/browser/server.test.ts", &["setTimeout", "setInterval"], "names of globals"),
    ("bindings/js/test/bench.test.ts", &["setTimeout"], "a turn of the event loop"),
    (
        "bindings/js/test/compat-ldesign-tools.test.ts",
        &["setTimeout", "Date.now"],
        "a turn of the event loop, and the clock that the test puts in the place of the real one",
    ),
    ("bindings/js/test/vue.test.ts", &["setTimeout"], "a source that gives the event loop its turns"),
    (
        "bindings/js/test/stream.test.ts",
        &["setTimeout", "setInterval", "AbortSignal.timeout"],
        "slow readers, turns that are waited for, and signals to what does not end before: how late they are changes nothing",
    ),
    (
        "bindings/js/test/file.test.ts",
        &["setTimeout", "/proc/self/task", "setInterval"],
        "signals to waits that do not end before, and looks again and again at the names of threads",
    ),
    (
        "bindings/js/test/node-streams.test.ts",
        &["setTimeout", "memoryUsage"],
        "slow readers, whom nobody waits for; the memory is a measurement",
    ),
    (
        "bindings/js/test/hash-async.test.ts",
        &["performance.now"],
        "reports are at most so many for the time that is measured around them, however long it is",
    ),
    (
        "bindings/js/test/loop.test.ts",
        &["setTimeout", "memoryUsage"],
        "measurements, which are compared with SEALSTONE_EXHAUSTIVE=1 alone",
    ),
    (
        "bindings/js/test/garbage.ts",
        &["memoryUsage"],
        "what the engine has alive after it has collected, and not what the process takes",
    ),
    (
        "bindings/js/test/browser/memory.test.ts",
        &["setTimeout", "performance.now"],
        "turns that are waited for, and measurements, which are compared with SEALSTONE_EXHAUSTIVE=1 alone",
    ),
    (
        "bindings/js/test/browser/web.test.ts",
        &["setTimeout", "performance.now"],
        "signals to what does not end before, and measurements",
    ),
    (
        "bindings/js/test/browser/pages.test.ts",
        &["VmHWM", "VmRSS", "setInterval"],
        "measurements, which are printed, and turns that are counted",
    ),
    ("bindings/js/test/browser/sources.ts", &["VmHWM"], "the home of what measurements in a browser read"),
    (
        "bindings/js/test/browser/workers.test.ts",
        &["VmHWM", "sleep"],
        "a measurement with SEALSTONE_EXHAUSTIVE=1 alone; and a machine that sleeps, by the test's clock",
    ),
    ("crates/core/tests/properties.rs", &["recv_timeout"], "a guard against hanging, of ten minutes"),
    ("crates/layers/tests/lanes.rs", &["recv_timeout"], "a guard against hanging, of ten minutes"),
    ("bindings/engine/tests/engine.rs", &["recv_timeout"], "a guard against hanging, of ten minutes"),
    ("bindings/engine/src/pool.rs", &["recv_timeout"], "a guard against hanging, of ten minutes"),
    (
        "bench/harness/tests/scripted/mod.rs",
        &["sleep"],
        "an engine that takes at least as long as it says: longer changes nothing",
    ),
    (
        "bench/protocol/src/cost.rs",
        &["elapsed"],
        "it works until the clock has gone on, and compares with no more than that",
    ),
    ("bindings/python/tests/jobs/test_s3.py", &["time.time"], "when a job began, which nothing is compared with"),
    ("bindings/python/tests/test_jobs.py", &["time.time"], "when a job began, which nothing is compared with"),
    ("bindings/python/tests/test_kdf.py", &["/proc/self/statm"], "what a limit of memory is set above"),
    ("bindings/js/test/encrypt.test.ts", &["setInterval"], "timers that are counted"),
    ("bindings/js/test/lasting.ts", &["setInterval", "Date.now"], "it says which tests take long, and fails none"),
    (
        "bindings/js/test/compat-ldesign-defects.test.ts",
        &["Date.now"],
        "the clock that the test puts in the place of the real one",
    ),
];

/// Folders of tests, and how the names of their files end. Of sources only tests count: files of them, and `mod tests` at their ends.
const TESTS: &[(&str, &[&str])] = &[
    ("crates", &[".rs"]),
    ("crates/cli/tests/scripts", &[".txt"]),
    ("bench", &[".rs"]),
    ("bindings/c/tests", &[".rs", ".c", ".h"]),
    ("bindings/engine", &[".rs"]),
    ("bindings/js/test", &[".ts"]),
    ("bindings/python/tests", &[".py"]),
];

const ADVICE: &str = "a test that waits for a time or measures one is red by chance, and proves nothing where it is green. Wait for what \
    happens: `wait_until` of crates/cli/tests/support/chance.rs, `until` of bindings/python/tests/victims.py, bindings/js/test/turns.ts. Count what was done, use a FIFO, \
    a barrier or a clock of the test's, or limit the memory. Where only time will do, give it a row with its reason in \
    crates/layers/tests/layers/chance.rs";

#[test]
fn no_test_is_red_by_chance() {
    let found: BTreeSet<(String, &str)> = files()
        .into_iter()
        .flat_map(|(name, text)| {
            let used = WORDS.iter().filter(move |word| uses(&text, word));
            used.map(move |word| (name.clone(), *word)).collect::<Vec<_>>()
        })
        .collect();
    assert!(HOMES.iter().all(|(_, words, why)| !words.is_empty() && !why.is_empty()), "a row has words and a reason");
    let homes = HOMES.iter().flat_map(|(file, words, _)| words.iter().map(|word| ((*file).to_owned(), *word)));
    let homes: BTreeSet<_> = homes.collect();
    let unknown = found.difference(&homes).map(|(file, word)| format!("{file} uses `{word}`: {ADVICE}"));
    let stale =
        homes.difference(&found).map(|(file, word)| format!("{file} has no `{word}` any more: remove it from its row"));
    let faults: Vec<_> = unknown.chain(stale).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn words_are_whole_and_names_with_a_word_in_them_are_not_it() {
    for text in ["sleep(1)", "time.sleep(1)", "a sleep", "sleep"] {
        assert!(uses(text, "sleep"), "{text}");
    }
    for text in ["asleep", "sleeper", "no_sleep", ""] {
        assert!(!uses(text, "sleep"), "{text}");
    }
    assert!(uses("/proc/self/task/1", "/proc/self/task") && !uses("/proc/self/tasks", "/proc/self/task"));
    // Where they would be missed if a folder were renamed.
    let names: Vec<String> = files().into_iter().map(|(name, _)| name).collect();
    for name in [
        "crates/cli/tests/scripts/pipes.txt",
        "crates/cli/tests/terminal.rs",
        "crates/core/src/encoding_tests.rs",
        "crates/core/src/interop/nkcs/tests.rs",
        "crates/core/src/format/armour.rs",
        "bench/harness/tests/turns.rs",
        "bindings/c/tests/misuse.c",
        "bindings/engine/tests/engine.rs",
        "bindings/js/test/stream.test.ts",
        "bindings/js/test/browser/memory.test.ts",
        "bindings/python/tests/jobs/conftest.py",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}");
    }
}

fn uses(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The test files of the repository, by their path in it.
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/layers is two below");
    let mut found = Vec::new();
    for (folder, endings) in TESTS {
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder of tests") {
                let path = entry.expect("an entry").path();
                if path.is_symlink() || path.file_name().is_some_and(|name| name == "node_modules" || name == "target")
                {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(name) = name_of(root, &path, endings) {
                    let text = fs::read_to_string(&path).expect("a text");
                    if let Some(text) = tests_of(&name, text) {
                        found.push((name, text));
                    }
                }
            }
        }
    }
    found
}

/// Its name, if it may have tests, and is not this one.
fn name_of(root: &Path, path: &Path, endings: &[&str]) -> Option<String> {
    let name = path.strip_prefix(root).ok()?.to_str()?.to_owned();
    let is_this = name.ends_with("layers/tests/layers/chance.rs");
    (!is_this && endings.iter().any(|ending| name.ends_with(ending))).then_some(name)
}

/// All of a file of tests; of another one what is at its end.
fn tests_of(name: &str, text: String) -> Option<String> {
    let is_test = name.contains("/tests/") || name.contains("/test/") || name.ends_with("tests.rs");
    if is_test { Some(text) } else { text.find("\nmod tests {").map(|at| text[at..].to_owned()) }
}
