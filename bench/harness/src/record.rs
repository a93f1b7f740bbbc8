//! Records: what one run saw, as medians, quartiles and counts. All numbers in documents are computed from them.

use crate::spread::Spread;
use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// The version of this form.
pub const FORMAT: u32 = 2;
/// Seconds: no operation takes so long.
const YEAR: f64 = 366.0 * 24.0 * 3600.0;

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
    /// Whether it is a measure, such as a copy, and no peer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measure: bool,
    pub note: Option<String>,
    /// SHA-256 of the output, where it is determined.
    pub digest: Option<String>,
    pub output_bytes: u64,
    /// Records in one operation, where it has several.
    pub units: u64,
    pub peak_bytes: u64,
    /// What its samples say, once all are taken.
    pub timing: Option<Timing>,
    /// One a round: those of all contenders at one index belong together. An archived record has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// The reference again, right before each of these samples, where the definition asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Why there are none.
    pub error: Option<String>,
}

/// What the samples of one contender say.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    pub rounds: usize,
    /// Operations of one sample, which is their mean.
    pub iterations: u64,
    /// Seconds of one operation: the median with its quartiles.
    pub seconds: Spread,
    /// CPU seconds of one operation: the median.
    pub cpu_seconds: f64,
    /// Seconds of the longest unit of a sample, where that is measured: the median over the samples, and the longest of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_seconds: Option<[f64; 2]>,
    /// Seconds that units took on average, where units wait for each other: the median over the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_seconds: Option<f64>,
    /// This time ÷ that of each contender of ours and of the reference: the median of pairs with its interval.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ratios: BTreeMap<String, Spread>,
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
    /// What units took on average, where that is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<u64>,
}

/// Whether a round has all the default definitions.
pub fn is_whole(round: &str) -> bool {
    matches!(round, "default" | "pressure")
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

    pub fn longest_seconds(&self) -> Option<f64> {
        Some(self.longest_ns? as f64 / 1e9)
    }

    pub fn mean_seconds(&self) -> Option<f64> {
        Some(self.mean_ns? as f64 / 1e9)
    }
}

impl Contender {
    /// Whether it was measured, or is being measured.
    pub fn is_timed(&self) -> bool {
        self.timing.is_some() || !self.samples.is_empty()
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
            let mut timings = outcome.contenders.iter().filter_map(|contender| contender.timing.as_ref());
            let is_sound = |spread: &Spread| spread.is_positive() && spread.lower <= spread.upper;
            let is_time = |one: &Timing| {
                one.rounds > 0 && one.iterations > 0 && is_sound(&one.seconds) && one.seconds.upper < YEAR
            };
            if timings.any(|timing| !is_time(timing) || !timing.ratios.values().all(is_sound)) {
                return Err(format!("{place} has a contender without time"));
            }
            let timed = outcome.contenders.iter().filter(|contender| contender.timing.is_some());
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

    /// Whether it has all the default definitions.
    pub fn is_whole(&self) -> bool {
        is_whole(&self.round)
    }

    /// The record without its samples, as it is archived: a fortieth of the length.
    #[must_use]
    pub fn without_samples(mut self) -> Self {
        for contender in self.results.iter_mut().flat_map(|outcome| &mut outcome.contenders) {
            (contender.samples, contender.beside) = (Vec::new(), None);
        }
        self
    }

    /// # Errors
    /// When no contender was measured.
    pub fn check_measured(&self) -> Result<(), String> {
        let mut contenders = self.results.iter().flat_map(|outcome| &outcome.contenders);
        let measured = contenders.any(|contender| contender.timing.is_some());
        measured.then_some(()).ok_or_else(|| "nothing was measured".to_owned())
    }

    /// Writes it, making its folder.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let mut text = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, Lines::default());
        self.serialize(&mut serializer).map_err(|error| error.to_string())?;
        text.push(b'\n');
        std::fs::write(path, text).map_err(fail)
    }
}

/// JSON with a line for each engine, each result and each contender, so that a record is short and two can be compared.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    /// Whether what stands in the innermost list or object has lines of its own: what the record has, its engines and its results,
    /// and what a result's list has, its contenders.
    fn is_list(&self, is_array: bool) -> bool {
        self.depth <= 2 || (self.depth == 4 && is_array)
    }

    fn next<W: ?Sized + io::Write>(&self, writer: &mut W, first: bool, is_array: bool) -> io::Result<()> {
        match (first, self.is_list(is_array)) {
            (true, true) => writer.write_all(b"\n"),
            (true, false) => Ok(()),
            (false, true) => writer.write_all(b",\n"),
            (false, false) => writer.write_all(b", "),
        }
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first, true)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first, false)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
