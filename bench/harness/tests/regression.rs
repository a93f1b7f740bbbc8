//! Two stored records and a planted slow-down; no clock.

use sealstone_bench::record::{Contender, FORMAT, Kind, Machine, Outcome, Record, Sample};
use sealstone_bench::regression::{Finding, compare};
use sealstone_bench::stats::Spread;
use std::collections::BTreeMap;

/// Seven samples around `ns`, a few percent apart.
fn samples(ns: u64) -> Vec<Sample> {
    let spread = [100, 103, 98, 101, 99, 102, 97];
    let sample = |percent: u64| Sample {
        wall_ns: ns * percent / 100,
        cpu_ns: ns,
        iterations: 1,
        longest_ns: None,
        mean_ns: None,
    };
    spread.map(sample).to_vec()
}

fn contender(name: &str, ours: bool, ns: u64) -> Contender {
    Contender {
        name: name.to_owned(),
        engine: name.to_lowercase(),
        ours,
        measure: false,
        note: None,
        digest: Some("00".repeat(32)),
        output_bytes: 1040,
        units: 1,
        peak_bytes: 1 << 20,
        timing: None,
        samples: samples(ns),
        beside: None,
        error: None,
    }
}

/// Its timings are those of its samples again.
fn summarized(mut record: Record) -> Record {
    record.results.iter_mut().for_each(Outcome::summarize);
    record
}

fn record(ours: u64, peer: u64) -> Record {
    let outcome = |operation: &str| Outcome {
        definition: "aead-aes-256-gcm".to_owned(),
        question: "How fast?".to_owned(),
        group: "aead".to_owned(),
        kind: Kind::Throughput,
        operation: operation.to_owned(),
        size: "1 KiB".to_owned(),
        bytes: 1024,
        place: None,
        reference: "Sealstone".to_owned(),
        fit: true,
        steal: 0.0,
        contenders: vec![contender("Sealstone", true, ours), contender("Peer", false, peer)],
    };
    summarized(Record {
        format: FORMAT,
        round: "default".to_owned(),
        started: 1_795_219_200,
        date: "2026-11-21".to_owned(),
        command: "make bench".to_owned(),
        commit: String::new(),
        machine: Machine {
            cpu: "a CPU".to_owned(),
            vendor: "amd".to_owned(),
            family: "25".to_owned(),
            model: "1".to_owned(),
            cores: 2,
            features: Vec::new(),
            kernel: "Linux".to_owned(),
            memory_bytes: 1 << 30,
            is_virtual: true,
            governor: "unknown".to_owned(),
            rustc: "rustc".to_owned(),
            cc: "cc".to_owned(),
        },
        engines: BTreeMap::new(),
        results: vec![outcome("aead/aes-256-gcm/seal"), outcome("aead/aes-256-gcm/open")],
    })
}

#[test]
fn the_same_record_has_no_findings() {
    let baseline = record(1_000_000, 2_000_000);
    assert_eq!(compare(&baseline, &baseline), []);
}

#[test]
fn a_planted_slow_down_is_named_and_alone() {
    let baseline = record(1_000_000, 2_000_000);
    let mut candidate = record(1_020_000, 2_000_000);
    candidate.results[1].contenders[0].samples = samples(1_300_000);
    let candidate = summarized(candidate);
    let findings = compare(&baseline, &candidate);
    assert_eq!(findings.len(), 1, "{findings:?}");
    let text = findings[0].to_string();
    assert!(text.starts_with("aead-aes-256-gcm: aead/aes-256-gcm/open, 1 KiB, Sealstone: 1.30 times"), "{text}");
    assert_eq!(compare(&candidate, &baseline), [], "a speed-up is none");
}

#[test]
fn a_machine_that_became_slower_is_no_finding() {
    assert_eq!(compare(&record(1_000_000, 2_000_000), &record(1_500_000, 3_000_000)), []);
    assert_eq!(compare(&record(1_000_000, 2_000_000), &record(1_500_000, 2_000_000)).len(), 2);
}

#[test]
fn noise_of_either_record_is_allowed_for() {
    let mut baseline = record(1_000_000, 2_000_000);
    for (at, sample) in baseline.results[0].contenders[0].samples.iter_mut().enumerate() {
        sample.wall_ns = 700_000 + 100_000 * at as u64;
    }
    let mut candidate = baseline.clone();
    candidate.results[0].contenders[0].samples = samples(1_150_000);
    assert_eq!(compare(&summarized(baseline), &summarized(candidate)), []);
}

#[test]
fn another_output_and_a_missing_one_are_findings() {
    let baseline = record(1_000_000, 2_000_000);
    let mut candidate = baseline.clone();
    candidate.results[0].contenders[0].digest = Some("11".repeat(32));
    candidate.results[1].contenders[0].error = Some("it went away".to_owned());
    let findings = compare(&baseline, &candidate);
    assert!(matches!(findings[0], Finding::Output { .. }), "{findings:?}");
    assert!(matches!(findings[1], Finding::Missing { .. }), "{findings:?}");
    candidate.results[1].contenders.remove(0);
    assert!(matches!(compare(&baseline, &candidate)[1], Finding::Missing { .. }));
}

#[test]
fn records_survive_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine/date/default.json");
    let record = record(1_000_000, 2_000_000);
    record.write(&path).unwrap();
    assert_eq!(compare(&record, &Record::read(&path).unwrap()), []);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"format\": 2", "\"format\": 3")).unwrap();
    assert!(Record::read(&path).unwrap_err().contains("form 3"));
}

#[test]
fn an_archived_record_says_the_same_in_a_line_a_contender() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let (full, slower) = (record(1_000_000, 2_000_000), record(1_300_000, 2_000_000));
    full.clone().without_samples().write(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("wall_ns"), "{text}");
    let lines = text.lines().filter(|line| line.contains("\"peak_bytes\"")).count();
    assert_eq!(lines, 4, "{text}");
    let archived = Record::read(&path).unwrap();
    let of = |record: &Record| serde_json::to_value(&record.results[1].contenders[1].timing).unwrap();
    assert_eq!(of(&archived), of(&full));
    assert_eq!(of(&archived)["rounds"], 7);
    assert_eq!(of(&archived)["ratios"]["Sealstone"][1], 2.0);
    assert_eq!(compare(&archived, &slower), compare(&full, &slower));
}

#[test]
fn what_no_run_writes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let refused = |change: fn(&mut Record)| {
        let mut record = record(1_000_000, 2_000_000);
        change(&mut record);
        record.write(&path).unwrap();
        Record::read(&path).unwrap_err()
    };
    let disagree = refused(|record| record.results[0].contenders[1].digest = Some("11".repeat(32)));
    assert!(disagree.contains("disagree"), "{disagree}");
    let idle =
        refused(|record| record.results[0].contenders[1].timing.as_mut().unwrap().seconds = Spread::from([0.0; 3]));
    assert!(idle.contains("without time"), "{idle}");
    let twice = refused(|record| record.results.push(record.results[0].clone()));
    assert!(twice.contains("twice"), "{twice}");
}

#[test]
fn records_of_two_machines_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = record(1_000_000, 2_000_000);
    let path = |name: &str| folder.path().join(name).display().to_string();
    baseline.write(path("baseline").as_ref()).unwrap();
    let compared = |change: fn(&mut Machine)| {
        let mut candidate = baseline.clone();
        change(&mut candidate.machine);
        candidate.write(path("candidate").as_ref()).unwrap();
        let mut bench = std::process::Command::new(env!("CARGO_BIN_EXE_bench"));
        let done = bench.args(["regression", &path("baseline"), &path("candidate")]).output().unwrap();
        (done.status.success(), String::from_utf8(done.stderr).unwrap())
    };
    assert!(compared(|_| {}).0);
    assert!(compared(|machine| machine.kernel = "another".to_owned()).0);
    let changes: [fn(&mut Machine); 4] = [
        |machine| machine.model = "17".to_owned(),
        |machine| machine.features.push("avx512f".to_owned()),
        |machine| machine.cores = 4,
        |machine| machine.family = String::new(),
    ];
    for change in changes {
        let (same, said) = compared(change);
        let why =
            "the records are of two machines, whose times say nothing of each other: amd-family-25-model-1-2-cores";
        assert!(!same && said.contains(why), "{said}");
    }
}
