//! `sealstone speed`

use crate::args::Common;
use crate::failure::Failure;
use clap::Args;
use sealstone_speed::{Operation, Trial};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Measure how fast this machine is: ciphers, hashes and keys, on one thread
#[derive(Args)]
#[command(after_help = "\
speed takes some seconds, and shows which code this CPU uses. Other work on the machine changes the numbers.

Examples:
  sealstone speed
  sealstone speed aes-256-gcm sm4
  sealstone speed --json | jq '.results[] | {operation, bytes, seconds}'")]
pub(crate) struct Speed {
    /// Measure only operations whose names contain one of these, such as sm4, sign or kem/hybrid
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
}

/// Typical inputs of an AEAD: a record, a chunk of a file, a buffer.
const SIZES: [usize; 3] = [1024, 16 * 1024, 1024 * 1024];
/// The plaintext for public-key encryption: so short that the KEM dominates.
const MESSAGE: usize = 1024;
/// The input of signing, and of encryption with SM2 itself: a digest or a key. A key exchange has no input of a chosen length.
const DIGEST: usize = 32;
/// The approximate duration of a sample. A shorter one would measure the clock, a longer one other programs.
const STRETCH: Duration = Duration::from_millis(20);
/// Samples for each operation; the median is shown.
const ROUNDS: usize = 9;

/// Measures the operations whose names contain one of `names`, or all operations.
pub(crate) fn run(names: &[String], common: &Common) -> Result<(), Failure> {
    let has = |operation: &Operation, name: &String| operation.name().contains(name.as_str());
    if let Some(name) = names.iter().find(|name| Operation::ALL.iter().all(|operation| !has(operation, name))) {
        return Err(Failure::usage_with_hint(
            format!("no operation has {name:?} in its name"),
            "`sealstone speed --json` shows the names of all operations",
        ));
    }
    let mut subjects = Vec::new();
    let asked = |operation: &&Operation| names.is_empty() || names.iter().any(|name| has(operation, name));
    for operation in Operation::ALL.iter().filter(asked) {
        let sizes = match group(operation) {
            "aead" | "hash" => &SIZES[..],
            "sign" | "exchange" | "sm2" => &[DIGEST],
            _ => &[MESSAGE],
        };
        for &bytes in sizes {
            subjects.push(Subject::new(operation, bytes)?);
        }
    }
    // In turns, so that a moment of other load is spread over all operations.
    for _ in 0..ROUNDS {
        for subject in &mut subjects {
            subject.sample()?;
        }
    }
    let text = if common.json { format_json(&subjects)? } else { format_text(&subjects)? };
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::io("write", Some(Path::new("stdout")), error))
}

/// The first part of the name: `aead`, `hash`, `kem`, `sign`, `exchange` or `sm2`.
fn group(operation: &Operation) -> &str {
    operation.name().split('/').next().unwrap_or_default()
}

/// An operation at one size, and its measurements.
struct Subject {
    operation: &'static Operation,
    bytes: usize,
    trial: Trial,
    /// The number of runs in a sample.
    runs: u32,
    /// The seconds of one run, for each sample.
    samples: Vec<f64>,
}

impl Subject {
    fn new(operation: &'static Operation, bytes: usize) -> Result<Self, Failure> {
        let plaintext = vec![b'a'; bytes];
        let mut trial = operation.prepare(plaintext.clone())?;
        trial.run()?;
        assert!(trial.plaintext()? == plaintext, "speed: {} does not give its input back", operation.name());
        let mut subject = Self { operation, bytes, trial, runs: 1, samples: Vec::with_capacity(ROUNDS) };
        // This search also lets the processor reach its full clock speed.
        loop {
            let took = subject.time_stretch()?;
            if took >= STRETCH / 4 {
                let runs = f64::from(subject.runs) * STRETCH.as_secs_f64() / took.as_secs_f64();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most four times")]
                let runs = runs.round() as u32;
                subject.runs = runs.max(1);
                return Ok(subject);
            }
            subject.runs *= 2;
        }
    }

    fn time_stretch(&mut self) -> Result<Duration, Failure> {
        let started = Instant::now();
        for _ in 0..self.runs {
            self.trial.run()?;
        }
        Ok(started.elapsed())
    }

    fn sample(&mut self) -> Result<(), Failure> {
        let took = self.time_stretch()?;
        self.samples.push(took.as_secs_f64() / f64::from(self.runs));
        Ok(())
    }

    /// The median of the samples.
    fn seconds(&self) -> f64 {
        let mut samples = self.samples.clone();
        samples.sort_by(f64::total_cmp);
        samples[ROUNDS / 2]
    }
}

fn format_json(subjects: &[Subject]) -> Result<String, Failure> {
    let results: Vec<_> = subjects
        .iter()
        .map(|subject| {
            let seconds = subject.seconds();
            json!({
                "operation": subject.operation.name(), "bytes": subject.bytes, "seconds": seconds,
                "per_second": 1.0 / seconds,
            })
        })
        .collect();
    let mut report = json!({ "version": env!("CARGO_PKG_VERSION"), "results": results });
    // The lines are `backends: …` and `cpu: …`.
    for (name, value) in sealstone::backend()?.lines().filter_map(|line| line.split_once(": ")) {
        report[name] = value.into();
    }
    Ok(format!("{report}\n"))
}

fn format_text(subjects: &[Subject]) -> Result<String, Failure> {
    let mut text = format!("sealstone {}\n{}\n", env!("CARGO_PKG_VERSION"), sealstone::backend()?);
    let of = |name| subjects.iter().filter(move |subject| group(subject.operation) == name);
    let rates: Vec<_> = of("aead").chain(of("hash")).collect();
    if !rates.is_empty() {
        let _ = write!(text, "\n{:<28}", "one thread, GB/s");
        for bytes in SIZES {
            let size = if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) };
            let _ = write!(text, "{size:>10}");
        }
    }
    for row in rates.chunk_by(|a, b| a.operation == b.operation) {
        let _ = write!(text, "\n  {:<26}", label(row[0].operation));
        for subject in row {
            #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
            let rate = subject.bytes as f64 / subject.seconds() / 1e9;
            let _ = write!(text, "{rate:>10.2}");
        }
    }
    let parts = [
        (&["kem"][..], "one thread, 1 KiB to a key"),
        (&["sign", "sm2"], "one thread, 32 bytes"),
        (&["exchange"], "one thread, a secret"),
    ];
    for (names, title) in parts {
        let subjects: Vec<_> = names.iter().flat_map(|name| of(*name)).collect();
        if subjects.is_empty() {
            continue;
        }
        let _ = write!(text, "\n\n{title:<28}{:>10}{:>10}", "a second", "µs");
        for subject in subjects {
            let seconds = subject.seconds();
            let _ = write!(text, "\n  {:<26}{:>10.0}{:>10.1}", label(subject.operation), 1.0 / seconds, seconds * 1e6);
        }
    }
    Ok(text + "\n")
}

/// The label of an operation: `aes-256-gcm seal` for `aead/aes-256-gcm/seal`, and `sm2 sign` for `sm2/sign`.
fn label(operation: &Operation) -> String {
    let skipped = usize::from(group(operation) != "sm2");
    operation.name().split('/').skip(skipped).collect::<Vec<_>>().join(" ")
}
