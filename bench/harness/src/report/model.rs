//! What the report says, as data: every number of every page is here, and nothing here is text to be looked at.

use super::chart::Line;
use super::score::{self, Facts, Score};
use crate::record::{Contender, EngineInfo, Kind, Machine, Outcome, Record};
use crate::stats::{self, Growth, Spread, Verdict};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Memory is flat when the peak at the largest size is at most so many times that at the second largest.
pub(super) const FLAT: f64 = 1.1;

/// One record.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    pub(super) date: String,
    pub(super) round: String,
    pub(super) command: String,
    pub(super) machine: Machine,
    pub(super) engines: BTreeMap<String, EngineInfo>,
    /// The first screen, where it is drawn.
    pub(super) jobs: Vec<Chart>,
    pub(super) comparisons: Vec<Comparison>,
    pub(super) failures: Vec<Failure>,
    /// Results, and in how many of them the machine was noisy.
    pub(super) results: usize,
    pub(super) noisy: usize,
    pub(super) chapters: Vec<Chapter>,
}

/// A job's chart in one record.
#[derive(Debug, Serialize)]
pub(super) struct Chart {
    pub(super) name: &'static str,
    pub(super) title: String,
    /// How much faster Sealstone is than whom it replaces, and than the fastest.
    pub(super) sentence: String,
    pub(super) lines: Vec<Line>,
    /// Group and definition of the question whose result it shows.
    pub(super) question: Option<[String; 2]>,
    /// Date and command of the record that has it.
    #[serde(skip)]
    pub(super) origin: Option<[String; 2]>,
}

impl Chart {
    /// What it says, in a line.
    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.title, self.sentence)
    }
}

/// Sealstone beside one peer, for one operation, size and place.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) group: String,
    pub(super) definition: String,
    pub(super) operation: String,
    pub(super) size: String,
    pub(super) place: Option<String>,
    pub(super) ours: String,
    pub(super) peer: String,
    pub(super) engine: String,
    /// The peer's time divided by ours.
    #[serde(serialize_with = "spread")]
    pub(super) ratio: Spread,
    /// Whether ours is faster.
    #[serde(serialize_with = "verdict")]
    pub(super) verdict: Verdict,
    /// Whether it is with a measure, and no peer: it is in no count.
    pub(super) measure: bool,
}

/// A contender that was not measured.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    pub(super) contender: String,
    /// Operation, size and place.
    pub(super) at: String,
    pub(super) why: String,
}

/// All questions of one group.
#[derive(Debug, Serialize)]
pub(super) struct Chapter {
    pub(super) group: String,
    pub(super) questions: Vec<Question>,
}

/// One definition.
#[allow(clippy::struct_field_names)] // The question's question, as in records.
#[derive(Debug, Serialize)]
pub(super) struct Question {
    pub(super) definition: String,
    pub(super) question: String,
    pub(super) reference: String,
    /// Who stands for Sealstone: the reference where it is ours, else the first of ours.
    pub(super) lead: Option<String>,
    pub(super) notes: Vec<(String, String)>,
    pub(super) panels: Vec<Panel>,
    /// Means over all panels and sizes; of the group `workload`.
    pub(super) scores: Vec<(String, Score)>,
}

/// One operation at one place, over all sizes.
#[derive(Debug, Serialize)]
pub(super) struct Panel {
    pub(super) operation: String,
    pub(super) place: Option<String>,
    pub(super) kind: Kind,
    pub(super) points: Vec<Point>,
    pub(super) growth: Vec<Grown>,
}

/// One size.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    pub(super) size: String,
    pub(super) bytes: u64,
    pub(super) rows: Vec<Row>,
}

/// One contender at one size.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) engine: String,
    pub(super) ours: bool,
    pub(super) reference: bool,
    pub(super) error: Option<String>,
    pub(super) rounds: usize,
    #[serde(serialize_with = "maybe_spread")]
    pub(super) seconds: Option<Spread>,
    /// Bytes a second.
    #[serde(serialize_with = "maybe_spread")]
    pub(super) bytes_per_second: Option<Spread>,
    /// Records, or whole operations, a second.
    #[serde(serialize_with = "maybe_spread")]
    pub(super) units_per_second: Option<Spread>,
    /// This contender's time divided by the reference's.
    #[serde(serialize_with = "maybe_spread")]
    pub(super) ratio: Option<Spread>,
    /// Whether this contender is faster than the reference.
    #[serde(serialize_with = "maybe_verdict")]
    pub(super) verdict: Option<Verdict>,
    /// This contender's time divided by that of who stands for Sealstone, where that is not the reference.
    #[serde(serialize_with = "maybe_spread")]
    pub(super) lead_ratio: Option<Spread>,
    /// Whether Sealstone is faster than this contender.
    #[serde(serialize_with = "maybe_verdict")]
    pub(super) lead_verdict: Option<Verdict>,
    pub(super) cpu_seconds: Option<f64>,
    pub(super) peak_bytes: Option<u64>,
    /// Seconds that the longest unit of a sample took: the median over the samples.
    pub(super) longest_seconds: Option<f64>,
    /// The longest of all samples.
    pub(super) longest_of_all_seconds: Option<f64>,
    pub(super) score: Option<Score>,
}

/// How one contender's cost grows.
#[derive(Debug, Serialize)]
pub(super) struct Grown {
    pub(super) name: String,
    pub(super) ours: bool,
    pub(super) exponent: f64,
    pub(super) linear: bool,
    pub(super) fixed_seconds: f64,
    /// The peak at the largest size, as a part of that at the smallest.
    pub(super) memory: f64,
    pub(super) flat: bool,
}

impl Row {
    /// This contender's time divided by that of who stands for Sealstone, which may be the reference.
    pub(super) fn to(&self, lead: &str, reference: &str) -> Option<Spread> {
        if lead == reference { self.ratio } else { self.lead_ratio }
    }

    pub(super) fn rate(&self, kind: Kind) -> Option<Spread> {
        match kind {
            Kind::Operations => self.units_per_second,
            Kind::Throughput | Kind::Latency => self.bytes_per_second,
        }
    }
}

impl Panel {
    /// What one of many is called: a record, or an operation.
    pub(super) fn units(&self) -> &'static str {
        match self.operation.split('/').next() {
            Some("columns") => "rows",
            Some("job") => "objects",
            _ if self.operation.contains("records") => "records",
            _ if self.operation.contains("requests") => "requests",
            _ => "operations",
        }
    }

    pub(super) fn title(&self) -> String {
        place_of(&self.operation, self.place.as_deref())
    }

    /// All contenders, in their order.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for row in self.points.iter().flat_map(|point| &point.rows) {
            if !names.contains(&row.name.as_str()) {
                names.push(&row.name);
            }
        }
        names
    }
}

fn place_of(operation: &str, place: Option<&str>) -> String {
    place.map_or_else(|| operation.to_owned(), |place| format!("{operation}, {place}"))
}

/// What one verdict is called.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Level => "level",
        Verdict::Noisy => "too noisy to say",
    }
}

/// The contender that stands for Sealstone.
pub(super) fn lead(outcome: &Outcome) -> Option<&Contender> {
    stats::lead(&outcome.contenders, &outcome.reference)
}

/// Seconds of one operation, where there are any that mean something.
pub(super) fn seconds(contender: &Contender) -> Option<Spread> {
    Some(contender.timing.as_ref()?.seconds)
}

/// How many times as long `one` takes as `other`, in pairs. One of the two is ours or the reference.
pub(super) fn ratio(one: &Contender, other: &Contender) -> Option<Spread> {
    let (of, to) = (one.timing.as_ref()?, other.timing.as_ref()?);
    let inverse = || to.ratios.get(&one.name).map(|ratio| ratio.inverse());
    of.ratios.get(&other.name).copied().or_else(inverse)
}

/// So much of something each time.
fn per_second(amount: u64, seconds: Spread) -> Option<Spread> {
    let rate = seconds.inverse();
    let amount = amount as f64;
    let rate = Spread { lower: amount * rate.lower, median: amount * rate.median, upper: amount * rate.upper };
    rate.is_positive().then_some(rate)
}

impl Run {
    /// The comparisons with peers.
    pub(super) fn with_peers(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|one| !one.measure)
    }

    /// The comparisons in which a peer takes less time, of each peer of each question together. The farthest is the first, in and among these.
    pub(super) fn behind(&self) -> Vec<Vec<&Comparison>> {
        let mut slower: Vec<&Comparison> = self.with_peers().filter(|one| one.verdict == Verdict::Slower).collect();
        slower.sort_by(|one, other| one.ratio.median.total_cmp(&other.ratio.median));
        let mut pairs: Vec<Vec<&Comparison>> = Vec::new();
        for one in slower {
            let is_pair =
                |pair: &&mut Vec<&Comparison>| (&pair[0].definition, &pair[0].peer) == (&one.definition, &one.peer);
            match pairs.iter_mut().find(is_pair) {
                Some(pair) => pair.push(one),
                None => pairs.push(vec![one]),
            }
        }
        pairs
    }

    pub(super) fn new(record: &Record) -> Self {
        let outcomes = &record.results;
        let at = |outcome: &Outcome| {
            format!("{} at {}", place_of(&outcome.operation, outcome.place.as_deref()), outcome.size)
        };
        let failures = outcomes.iter().flat_map(|outcome| {
            let failed = outcome.contenders.iter().filter(|contender| seconds(contender).is_none());
            failed.map(|contender| Failure {
                contender: contender.name.clone(),
                at: at(outcome),
                why: contender.error.clone().unwrap_or_else(|| "not measured".to_owned()),
            })
        });
        let comparisons: Vec<Comparison> = outcomes.iter().flat_map(comparisons).collect();
        Self {
            date: record.date.clone(),
            round: record.round.clone(),
            command: record.command.clone(),
            machine: record.machine.clone(),
            engines: record.engines.clone(),
            jobs: Vec::new(),
            comparisons,
            failures: failures.collect(),
            results: outcomes.len(),
            noisy: outcomes.iter().filter(|outcome| stats::is_noisy(outcome)).count(),
            chapters: chapters(outcomes),
        }
    }
}

fn comparisons(outcome: &Outcome) -> Vec<Comparison> {
    let Some(ours) = lead(outcome) else { return Vec::new() };
    let peers = outcome.contenders.iter().filter(|contender| !contender.ours);
    let compare = |peer: &Contender| {
        let ratio = ratio(peer, ours)?;
        Some(Comparison {
            group: outcome.group.clone(),
            definition: outcome.definition.clone(),
            operation: outcome.operation.clone(),
            size: outcome.size.clone(),
            place: outcome.place.clone(),
            ours: ours.name.clone(),
            peer: peer.name.clone(),
            engine: peer.engine.clone(),
            ratio,
            verdict: Verdict::of(ratio),
            measure: peer.measure,
        })
    };
    peers.filter_map(compare).collect()
}

/// The order of the chapters; others follow.
const GROUPS: [&str; 15] = [
    "files",
    "archive",
    "sign-files",
    "aead",
    "sm4",
    "sm2",
    "hash",
    "kem",
    "sign",
    "workload",
    "python",
    "spark",
    "node",
    "node-wasm",
    "browser",
];

fn chapters(outcomes: &[Outcome]) -> Vec<Chapter> {
    let mut groups = distinct(outcomes.iter().map(|outcome| outcome.group.as_str()));
    groups.sort_by_key(|group| GROUPS.iter().position(|known| known == group).unwrap_or(GROUPS.len()));
    let chapter = |group: &str| {
        let of_group: Vec<_> = outcomes.iter().filter(|outcome| outcome.group == group).collect();
        let definitions = distinct(of_group.iter().map(|outcome| outcome.definition.as_str()));
        let questions = definitions.into_iter().map(|definition| {
            question(&of_group.iter().copied().filter(|outcome| outcome.definition == definition).collect::<Vec<_>>())
        });
        Chapter { group: group.to_owned(), questions: questions.collect() }
    };
    groups.into_iter().map(chapter).collect()
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Of the outcomes of one definition; there is at least one.
fn question(outcomes: &[&Outcome]) -> Question {
    let first = outcomes[0];
    let mut series: Vec<(&str, Option<&str>)> = Vec::new();
    for outcome in outcomes {
        let key = (outcome.operation.as_str(), outcome.place.as_deref());
        if !series.contains(&key) {
            series.push(key);
        }
    }
    let panels: Vec<Panel> = series
        .into_iter()
        .map(|(operation, place)| {
            let of_series =
                outcomes.iter().copied().filter(|one| one.operation == operation && one.place.as_deref() == place);
            panel(of_series.collect())
        })
        .collect();
    let mut notes: Vec<(String, String)> = Vec::new();
    for contender in outcomes.iter().flat_map(|outcome| &outcome.contenders) {
        if let Some(note) = &contender.note
            && !notes.iter().any(|(name, _)| *name == contender.name)
        {
            notes.push((contender.name.clone(), note.clone()));
        }
    }
    let rows = || panels.iter().flat_map(|panel| &panel.points).flat_map(|point| &point.rows);
    let scores = distinct(rows().map(|row| row.name.as_str())).into_iter().filter_map(|name| {
        let own: Vec<Score> = rows().filter(|row| row.name == name).filter_map(|row| row.score).collect();
        Some((name.to_owned(), Score::mean(&own)?))
    });
    Question {
        definition: first.definition.clone(),
        question: first.question.clone(),
        reference: first.reference.clone(),
        lead: outcomes.iter().find_map(|outcome| lead(outcome)).map(|lead| lead.name.clone()),
        notes,
        scores: scores.collect(),
        panels,
    }
}

/// Of the outcomes of one operation at one place; there is at least one.
fn panel(mut outcomes: Vec<&Outcome>) -> Panel {
    outcomes.sort_by_key(|outcome| outcome.bytes);
    let first = outcomes[0];
    let growth = if outcomes.iter().any(|outcome| outcome.fit) { growth(&outcomes) } else { Vec::new() };
    Panel {
        operation: first.operation.clone(),
        place: first.place.clone(),
        kind: first.kind,
        points: outcomes.into_iter().map(point).collect(),
        growth,
    }
}

pub(super) fn point(outcome: &Outcome) -> Point {
    let mut rows: Vec<Row> = outcome.contenders.iter().map(|contender| row(outcome, contender)).collect();
    if outcome.group == "workload" {
        let facts: Vec<Facts> = rows.iter().map(facts).collect();
        for (row, score) in rows.iter_mut().zip(score::scores(&facts)) {
            row.score = Some(score);
        }
    }
    Point { size: outcome.size.clone(), bytes: outcome.bytes, rows }
}

fn row(outcome: &Outcome, contender: &Contender) -> Row {
    let seconds = seconds(contender);
    let is_reference = contender.name == outcome.reference;
    let reference = outcome.contender(&outcome.reference).filter(|_| !is_reference && seconds.is_some());
    let ratio = reference.and_then(|reference| self::ratio(contender, reference));
    let lead = lead(outcome).filter(|lead| lead.name != outcome.reference && lead.name != contender.name);
    let lead_ratio = lead.filter(|_| seconds.is_some()).and_then(|lead| self::ratio(contender, lead));
    let timing = contender.timing.as_ref();
    let longest = timing.and_then(|timing| timing.longest_seconds);
    Row {
        name: contender.name.clone(),
        engine: contender.engine.clone(),
        ours: contender.ours,
        reference: is_reference,
        error: contender.error.clone(),
        rounds: timing.map_or(0, |timing| timing.rounds),
        seconds,
        bytes_per_second: seconds.and_then(|seconds| per_second(outcome.bytes, seconds)),
        units_per_second: seconds.and_then(|seconds| per_second(contender.units.max(1), seconds)),
        ratio,
        verdict: ratio.map(|ratio| Verdict::of(ratio.inverse())),
        lead_ratio,
        lead_verdict: lead_ratio.map(Verdict::of),
        cpu_seconds: timing.map(|timing| timing.cpu_seconds).filter(|seconds| *seconds > 0.0),
        peak_bytes: (contender.peak_bytes > 0 && seconds.is_some()).then_some(contender.peak_bytes),
        longest_seconds: longest.map(|[median, _]| median).filter(|seconds| *seconds > 0.0),
        longest_of_all_seconds: longest.map(|[_, most]| most),
        score: None,
    }
}

fn facts(row: &Row) -> Facts {
    Facts {
        seconds: row.seconds.map(|seconds| seconds.median),
        longest: row.longest_seconds,
        throughput: row.units_per_second.map(|rate| rate.median),
        rounds: row.rounds,
        peak_bytes: row.peak_bytes.map(|bytes| bytes as f64),
        cpu_seconds: row.cpu_seconds,
    }
}

fn growth(outcomes: &[&Outcome]) -> Vec<Grown> {
    let names = distinct(outcomes.iter().flat_map(|one| &one.contenders).map(|contender| contender.name.as_str()));
    let grown = |name: &str| {
        let of_name = outcomes.iter().filter_map(|outcome| Some((outcome.bytes, outcome.contender(name)?)));
        let points: Vec<(u64, f64, u64)> = of_name
            .clone()
            .filter_map(|(bytes, contender)| Some((bytes, seconds(contender)?.median, contender.peak_bytes)))
            .collect();
        let growth = Growth::of(&points)?;
        let [.., (_, _, second), (_, _, largest)] = points[..] else { return None };
        growth.exponent.is_finite().then(|| Grown {
            name: name.to_owned(),
            ours: of_name.clone().any(|(_, contender)| contender.ours),
            exponent: growth.exponent,
            linear: growth.is_linear(),
            fixed_seconds: growth.fixed_seconds,
            memory: growth.memory,
            flat: largest as f64 <= FLAT * second as f64,
        })
    };
    names.into_iter().filter_map(grown).collect()
}

#[derive(Serialize)]
struct Quartiles {
    lower: f64,
    median: f64,
    upper: f64,
}

fn spread<S: Serializer>(value: &Spread, serializer: S) -> Result<S::Ok, S::Error> {
    Quartiles { lower: value.lower, median: value.median, upper: value.upper }.serialize(serializer)
}

#[allow(clippy::ref_option)] // Serde's form.
pub(super) fn maybe_spread<S: Serializer>(value: &Option<Spread>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => spread(value, serializer),
        None => serializer.serialize_none(),
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde's form.
fn verdict<S: Serializer>(value: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(word(*value))
}

#[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref)] // Serde's form.
fn maybe_verdict<S: Serializer>(value: &Option<Verdict>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => verdict(value, serializer),
        None => serializer.serialize_none(),
    }
}
