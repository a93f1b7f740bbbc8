//! Records: everything one run saw. All numbers in documents are computed from them.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The version of this form.
pub const FORMAT: u32 = 1;

/// One run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub format: u32,
    /// `pressure`, or another word for what was run.
    pub round: String,
    /// Seconds since 1970.
    pub started: u64,
    /// The same as a date, `2026-11-21`.
    pub date: String,
    /// What to type to run it again.
    pub command: String,
    /// The commit that was built, with `+` where the tree had changes.
    #[serde(default)]
    pub commit: String,
    pub machine: Machine,
    /// By the engine's folder.
    pub engines: BTreeMap<String, EngineInfo>,
    pub results: Vec<Outcome>,
}

/// Where it ran.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub cpu: String,
    /// Who made it, and which generation it is; empty in records that were written before these were asked for.
    #[serde(default)]
    pub vendor: String,
    #[serde(default)]
    pub family: String,
    #[serde(default)]
    pub model: String,
    pub cores: usize,
    /// The CPU's features that decide about cryptography: `aes`, `vaes`, `avx512f`…
    pub features: Vec<String>,
    pub kernel: String,
    pub memory_bytes: u64,
    /// Whether a hypervisor is below.
    pub is_virtual: bool,
    pub governor: String,
    pub rustc: String,
    pub cc: String,
}

/// What one engine says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineInfo {
    pub title: String,
    pub language: String,
    pub version: String,
    /// How the peer is used, in a sentence.
    #[serde(rename = "use")]
    pub used: String,
    /// Why it did not take part, if it did not.
    pub skipped: Option<String>,
}

/// What a definition measures.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Bytes a second.
    Throughput,
    /// Seconds.
    Latency,
    /// Operations a second.
    Operations,
}

/// One operation at one size: what all contenders took.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub definition: String,
    pub question: String,
    /// The chapter of the report.
    pub group: String,
    pub kind: Kind,
    pub operation: String,
    /// As the definition writes it: `1 KiB`.
    pub size: String,
    pub bytes: u64,
    /// `tmpfs`, `disk`, or nothing where no file is written.
    pub place: Option<String>,
    /// The contender that ratios are taken of.
    pub reference: String,
    /// Whether the cost over all sizes is worth a fit.
    pub fit: bool,
    /// Part of the CPU time that the hypervisor gave to others meanwhile.
    pub steal: f64,
    pub contenders: Vec<Contender>,
}

/// One contender's part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// Unique in its definition.
    pub name: String,
    pub engine: String,
    /// Whether it is Sealstone.
    pub ours: bool,
    pub note: Option<String>,
    /// SHA-256 of the output, where it is determined.
    pub digest: Option<String>,
    pub output_bytes: u64,
    /// Records in one operation, where it has several.
    pub units: u64,
    pub peak_bytes: u64,
    /// One a round: those of all contenders at one index belong together.
    pub samples: Vec<Sample>,
    /// The reference again, right before each of these samples, where the definition asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Why there are none.
    pub error: Option<String>,
}

/// Samples of another contender, each taken right before one of this contender's.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    pub name: String,
    pub samples: Vec<Sample>,
}

/// One stretch of operations.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    pub wall_ns: u64,
    /// Of all threads, and of children.
    pub cpu_ns: u64,
    pub iterations: u64,
    /// The longest that one unit took, where that is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_ns: Option<u64>,
}

impl Machine {
    /// Whether times of both can be compared: one CPU with the same features, and as many cores.
    pub fn is_same(&self, other: &Self) -> bool {
        let Self { cpu, vendor, family, model, cores, features, .. } = self;
        (cpu, vendor, family, model, cores, features)
            == (&other.cpu, &other.vendor, &other.family, &other.model, &other.cores, &other.features)
    }
}

impl Sample {
    /// Seconds of one operation.
    pub fn seconds(&self) -> f64 {
        self.wall_ns as f64 / self.iterations as f64 / 1e9
    }

    /// CPU seconds of one operation.
    pub fn cpu_seconds(&self) -> f64 {
        self.cpu_ns as f64 / self.iterations as f64 / 1e9
    }
}

impl Contender {
    /// Seconds of one operation, a value a round.
    pub fn seconds(&self) -> Vec<f64> {
        self.samples.iter().map(Sample::seconds).collect()
    }
}

impl Outcome {
    pub fn contender(&self, name: &str) -> Option<&Contender> {
        self.contenders.iter().find(|contender| contender.name == name)
    }
}

impl Record {
    /// Reads a record.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let record: Self = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if record.format != FORMAT {
            return Err(format!("{}: form {} of records, not {FORMAT}", path.display(), record.format));
        }
        record.validate().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(record)
    }

    /// Refuses what no run writes.
    fn validate(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for outcome in &self.results {
            let place = format!("{}, {}, {}", outcome.definition, outcome.operation, outcome.size);
            if !seen.insert((&outcome.definition, &outcome.operation, &outcome.size)) {
                return Err(format!("{place} is there twice"));
            }
            let samples = outcome.contenders.iter().flat_map(|contender| {
                contender.samples.iter().chain(contender.beside.iter().flat_map(|beside| &beside.samples))
            });
            if samples.into_iter().any(|sample| sample.wall_ns == 0 || sample.iterations == 0) {
                return Err(format!("{place} has a sample without time"));
            }
            let timed = outcome.contenders.iter().filter(|contender| !contender.samples.is_empty());
            if timed.filter_map(|contender| contender.digest.as_ref()).collect::<BTreeSet<_>>().len() > 1 {
                return Err(format!("{place} has contenders that disagree"));
            }
        }
        Ok(())
    }

    /// This record of a run that was ended, where `fresh` would begin the same run: at one commit, on one machine, within a day.
    /// Otherwise `fresh`.
    #[must_use]
    pub fn or(self, fresh: Self) -> Self {
        const DAY: u64 = 24 * 60 * 60;
        let is_same = (&self.round, &self.command, &self.commit) == (&fresh.round, &fresh.command, &fresh.commit);
        // A tree with changes may have had others then.
        let is_committed = !fresh.commit.is_empty() && !fresh.commit.ends_with('+');
        let is_recent = fresh.started.saturating_sub(self.started) < DAY;
        if is_same && is_committed && is_recent && self.machine.is_same(&fresh.machine) { self } else { fresh }
    }

    /// # Errors
    /// When there is no sample in it.
    pub fn check_measured(&self) -> Result<(), String> {
        let mut contenders = self.results.iter().flat_map(|outcome| &outcome.contenders);
        let measured = contenders.any(|contender| !contender.samples.is_empty());
        measured.then_some(()).ok_or_else(|| "nothing was measured".to_owned())
    }

    /// Writes it, making its folder.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::write(path, text + "\n").map_err(fail)
    }
}
