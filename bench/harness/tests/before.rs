//! Before and after: a commit of a repository whose engine is a few lines of shell, and what was changed since.

mod scripted;

use scripted::{bench, definition, engine, git, said};
use sealstone_bench::before::Cell;
use sealstone_bench::record::{Contender, Kind, Outcome, Record, Sample};
use std::path::Path;

/// A repository with an engine of ours and a peer, committed.
fn committed() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    engine(root.path(), "ours", "aa", 0);
    engine(root.path(), "peer", "aa", 0);
    definition(root.path(), "\"seal\", \"open\"", &["ours", "peer"]);
    std::fs::write(root.path().join(".gitignore"), "target\n").unwrap();
    git(root.path(), &["init", "--quiet"]);
    git(root.path(), &["add", "."]);
    git(root.path(), &["commit", "--quiet", "--message", "before"]);
    root
}

/// Replaces in a file of the engine of ours as it is now.
fn change(root: &Path, file: &str, from: &str, to: &str) {
    let path = root.join("bench/engines/ours").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
}

#[test]
fn what_was_not_changed_is_level_and_only_ours_takes_part() {
    let root = committed();
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(done.status.success(), "{}", said(&done));
    let said = said(&done);
    assert!(said.contains("2 cells: 0 failed, 0 noisy, 0 left out"), "{said}");
    assert!(said.contains(&format!("before is {}", git(root.path(), &["rev-parse", "HEAD"]))), "{said}");
    let runs = |tree: &str, name: &str| {
        let path = root.path().join(tree).join("bench/engines").join(name).join("engine.sh.runs");
        std::fs::read_to_string(path).map_or(0, |runs| runs.lines().count())
    };
    assert!(runs("", "ours") > 0 && runs("target/before", "ours") > 0);
    assert_eq!((runs("", "peer"), runs("target/before", "peer")), (0, 0));
    let record = Record::read(&root.path().join("target/bench-before.json")).unwrap();
    assert_eq!(record.results[0].definition, "who, ours");
    assert!(record.engines.contains_key("ours") && record.engines.contains_key("before/ours"));
}

#[test]
fn a_planted_slow_down_is_named_after_it_was_measured_again_and_the_run_fails() {
    let root = committed();
    change(root.path(), "engine.sh", "19000000", "19900000");
    git(root.path(), &["commit", "--quiet", "--all", "--message", "slower"]);
    let done = bench(root.path(), &["before", "HEAD~"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    let said = said(&done);
    let named = said.split("Below 0.97, or lost:").nth(1).unwrap_or_default();
    assert!(named.contains("who, ours: open, 1 KB: ") && named.contains("0.955 (0.955 to 0.955), below"), "{said}");
    assert!(said.contains("2 cells: 2 failed, 0 noisy"), "{said}");
    let record = Record::read(&root.path().join("target/bench-before.json")).unwrap();
    let samples =
        record.results.iter().flat_map(|outcome| &outcome.contenders).map(|contender| contender.samples.len());
    assert_eq!(samples.collect::<Vec<_>>(), [15; 4], "five each time");
    // A speed-up is none, and the folder of the last time serves again.
    let faster = git(root.path(), &["rev-parse", "HEAD"]);
    change(root.path(), "engine.sh", "19900000", "18000000");
    let done = bench(root.path(), &["before", &faster]);
    assert!(done.status.success(), "{}", scripted::said(&done));
}

#[test]
fn an_operation_that_is_new_is_left_out_and_one_that_is_gone_fails() {
    let root = committed();
    definition(root.path(), "\"none\", \"seal\"", &["ours"]);
    let without = "none*) echo \"unsupported no%20such\"";
    change(root.path(), "engine.sh", without, "gone*) echo \"unsupported no%20such\"");
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(done.status.success(), "{}", said(&done));
    let left_out = "left out, since the earlier commit cannot do it";
    assert!(said(&done).contains(left_out) && said(&done).contains("2 cells: 0 failed, 0 noisy, 1 left out"));
    git(root.path(), &["commit", "--quiet", "--all", "--message", "with none"]);
    change(root.path(), "engine.sh", "gone*) echo", "none*) echo");
    let done = bench(root.path(), &["before", "HEAD"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("the earlier commit can do it, and this one cannot"), "{}", said(&done));
}

#[test]
fn an_engine_that_is_new_is_left_out() {
    let root = committed();
    engine(root.path(), "new", "aa", 0);
    definition(root.path(), "\"seal\"", &["new"]);
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(done.status.success() && said(&done).contains("1 cells: 0 failed, 0 noisy, 1 left out"), "{}", said(&done));
}

#[test]
fn another_output_stops_the_run() {
    let root = committed();
    change(root.path(), "engine.sh", "digest=aa", "digest=bb");
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(!done.status.success());
    assert!(said(&done).contains("outputs differ: before has aa, now has bb"), "{}", said(&done));
}

#[test]
fn what_cannot_be_built_and_what_is_no_commit_is_said_before_anything_is_timed() {
    let root = committed();
    let done = bench(root.path(), &["before", "nonsense"]);
    assert!(
        !done.status.success() && said(&done).contains("nonsense is no commit of this repository"),
        "{}",
        said(&done)
    );
    change(root.path(), "engine.toml", "run = ", "build = [[\"false\"]]\nrun = ");
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(!done.status.success() && said(&done).contains("ours: `false` failed"), "{}", said(&done));
    git(root.path(), &["commit", "--quiet", "--all", "--message", "broken"]);
    change(root.path(), "engine.toml", "build = [[\"false\"]]\n", "");
    let done = bench(root.path(), &["before", "HEAD"]);
    assert!(!done.status.success() && said(&done).contains("before/ours: `false` failed"), "{}", said(&done));
    assert!(!root.path().join("bench/engines/ours/engine.sh.runs").exists(), "something was timed");
}

/// What takes this, before and now.
fn outcome(before: &[u64], now: &[u64]) -> Outcome {
    let contender = |name: &str, samples: &[u64]| Contender {
        name: name.to_owned(),
        engine: "sealstone".to_owned(),
        ours: true,
        measure: false,
        note: None,
        digest: None,
        output_bytes: 1,
        units: 1,
        peak_bytes: 1,
        timing: None,
        samples: samples
            .iter()
            .map(|ns| Sample { wall_ns: *ns, cpu_ns: 1, iterations: 1, longest_ns: None, mean_ns: None })
            .collect(),
        beside: None,
        error: None,
    };
    let mut outcome = Outcome {
        definition: "who, ours".to_owned(),
        question: "Who?".to_owned(),
        group: "aead".to_owned(),
        kind: Kind::Latency,
        operation: "seal".to_owned(),
        size: "1 KB".to_owned(),
        bytes: 1000,
        place: None,
        reference: "before".to_owned(),
        fit: false,
        steal: 0.0,
        contenders: vec![contender("before", before), contender("now", now)],
    };
    outcome.summarize();
    outcome
}

#[test]
fn a_cell_below_in_noise_is_named_and_fails_nothing() {
    let quiet = Cell::of(&outcome(&[1000; 5], &[1100; 5])).unwrap();
    assert!(quiet.is_below() && quiet.is_failure());
    let spread = [700, 850, 1000, 1150, 1300];
    let consistent = Cell::of(&outcome(&spread, &spread.map(|ns| ns * 11 / 10))).unwrap();
    assert!(consistent.is_failure(), "each pair says the same, whatever the machine does: {consistent}");
    let apart = [1430, 1265, 1100, 935, 770];
    let noisy = Cell::of(&outcome(&spread, &apart)).unwrap();
    assert!(noisy.is_below() && !noisy.is_failure() && noisy.to_string().ends_with("below, noisy"), "{noisy}");
    let allowed = Cell::of(&outcome(&[1000; 5], &[1030; 5])).unwrap();
    assert!(!allowed.is_below() && !allowed.is_failure());
}
