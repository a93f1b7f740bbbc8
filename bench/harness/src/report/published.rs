//! Tables that others published, with their rows and columns, and what we measured in the same cells.

use super::model::{lead, maybe_spread, point, ratio, seconds, word};
use super::number;
use crate::definition::Definition;
use crate::record::{Contender, Outcome, Record};
use crate::stats::{Spread, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A published table, as a definition has it under `[published]`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The definition's name.
    #[serde(skip_deserializing)]
    pub definition: String,
    pub title: Option<String>,
    /// Who published it, and on which machine.
    pub source: String,
    pub url: Option<String>,
    /// What a reader must know to compare.
    pub note: Option<String>,
    /// Heading of the first column of every row.
    #[serde(default = "size")]
    pub rows_are: String,
    /// One for each cell of a row.
    pub columns: Vec<Column>,
    /// The row's label, then its cells.
    pub rows: Vec<Vec<String>>,
    /// What of the definition a row's label is, where it is not a size of that name in the column's operation.
    #[serde(default)]
    pub at: BTreeMap<String, At>,
    /// Other definitions that have sizes or operations of it, such as those that take too long for `make bench`.
    #[serde(default)]
    pub also: Vec<String>,
}

/// What stands in one column of a published table.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub title: String,
    /// The definition's operation; without one, the column is shown as it was published.
    pub operation: Option<String>,
    /// The contender that is their code, where it runs here.
    pub theirs: Option<String>,
    /// The contender of ours; otherwise the one that stands for Sealstone in all comparisons.
    pub ours: Option<String>,
    /// Where files are written; otherwise the first place that was measured.
    pub place: Option<String>,
    #[serde(default)]
    pub shows: Shows,
    /// What of the row the cell compares with, or adds: the parts that differ.
    pub with: Option<Box<Place>>,
}

/// What a cell says of a contender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Seconds of one operation.
    #[default]
    Time,
    /// Bytes a second.
    Rate,
    /// Units a second: records, or whole operations.
    Operations,
    /// CPU seconds of one operation, of all threads.
    Cpu,
    /// The peak of memory, in bytes.
    Memory,
    /// How long the output is, in percent of the input.
    Expansion,
    /// Operations of one sample.
    Iterations,
    /// Its time and that of what it is `with`.
    Total,
    /// What it is `with` takes so many times as long.
    SpeedUp,
    /// The same in percent, beyond 100 %.
    Improvement,
    /// Which part it saves of the time of what it is `with`, in percent.
    Saving,
    /// Seconds of the longest unit.
    Longest,
    /// Seconds that units took on average.
    Mean,
    /// The score, of 100.
    Score,
}

/// Where a row is measured.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub enum At {
    /// At a size of another name.
    Size(String),
    /// Where it has parts of its own.
    Place(Place),
}

/// What stands in place of a column's parts.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub size: Option<String>,
    pub operation: Option<String>,
    pub theirs: Option<String>,
    pub ours: Option<String>,
    pub shows: Option<Shows>,
    pub with: Option<Box<Place>>,
}

fn size() -> String {
    "size".to_owned()
}

impl Published {
    /// The tables of one definition: `[published]`, or several `[[published]]`.
    pub fn of(definition: &str, value: &toml::Value) -> Result<Vec<Self>, String> {
        let tables = match value {
            toml::Value::Array(tables) => tables.clone(),
            table => vec![table.clone()],
        };
        let parse = |table: toml::Value| {
            let mut published: Self = table.try_into().map_err(|error| format!("{definition}: published: {error}"))?;
            definition.clone_into(&mut published.definition);
            for row in &published.rows {
                if row.len() != published.columns.len() + 1 {
                    let (cells, columns) = (row.len(), published.columns.len());
                    return Err(format!(
                        "{definition}: published: a row has {cells} strings, not a label and {columns} cells: {row:?}"
                    ));
                }
            }
            Ok(published)
        };
        tables.into_iter().map(parse).collect()
    }
}

/// A published table with what was measured.
#[derive(Debug, Serialize)]
pub(super) struct Reproduced {
    pub(super) table: Published,
    /// A row of the table, without its label.
    pub(super) rows: Vec<Vec<Cell>>,
}

/// One cell of it.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) published: String,
    pub(super) theirs: String,
    pub(super) ours: String,
    /// Their time here divided by ours.
    #[serde(serialize_with = "maybe_spread")]
    pub(super) ratio: Option<Spread>,
    pub(super) verdict: Option<&'static str>,
    /// Bytes that were measured in place of those of the row, for which there was no room.
    pub(super) instead: Option<u64>,
    /// The definition that measures it, where these records have it not.
    pub(super) missing: Option<String>,
}

impl Cell {
    /// The ratio in words.
    pub(super) fn ratio(&self) -> String {
        let ratio = self.ratio.map_or_else(|| number::NOTHING.to_owned(), number::times);
        match self.verdict {
            Some(verdict @ ("level" | "too noisy to say")) => format!("{ratio} {verdict}"),
            _ => ratio,
        }
    }
}

const NOT_RUN: &str = "not run here";
/// Others of its result were measured: its engine was left out, or does not offer it.
const NOT_AVAILABLE: &str = "not available here";

impl Reproduced {
    /// Whether these records have something of it.
    pub(super) fn is_measured(&self) -> bool {
        self.rows.iter().flatten().any(|cell| [&cell.theirs, &cell.ours].iter().any(|text| *text != NOT_RUN))
    }

    /// The definitions that measure what these records have not.
    pub(super) fn missing(&self) -> BTreeSet<&str> {
        self.rows.iter().flatten().filter_map(|cell| cell.missing.as_deref()).collect()
    }

    pub(super) fn title(&self) -> &str {
        self.table.title.as_ref().unwrap_or(&self.table.definition)
    }
}

/// Fills the tables from the newest records that have their definitions.
pub(super) fn reproduce(published: &[Published], definitions: &[Definition], records: &[Record]) -> Vec<Reproduced> {
    let newest = |definition: &String| {
        let of_definition = |outcome: &&Outcome| outcome.definition == *definition;
        let holders = records.iter().filter(|record| record.results.iter().any(|one| of_definition(&one)));
        let found = holders.max_by_key(|record| record.started);
        found.map_or_else(Vec::new, |record| record.results.iter().filter(of_definition).collect::<Vec<_>>())
    };
    let reproduce = |table: &Published| {
        let outcomes: Vec<&Outcome> = [&table.definition].into_iter().chain(&table.also).flat_map(newest).collect();
        let row = |row: &Vec<String>| {
            let label = row.first().map_or("", String::as_str);
            let cells = table.columns.iter().zip(row.iter().skip(1));
            let cell = |(column, text): (&Column, &String)| {
                let mut cell = cell(table, column, label, text, &outcomes);
                if cell.theirs == NOT_RUN || cell.ours == NOT_RUN {
                    cell.missing = table.measured_by((column, label), definitions, &outcomes);
                }
                cell
            };
            cells.map(cell).collect()
        };
        Reproduced { rows: table.rows.iter().map(row).collect(), table: table.clone() }
    };
    published.iter().map(reproduce).collect()
}

fn cell(table: &Published, column: &Column, label: &str, text: &str, outcomes: &[&Outcome]) -> Cell {
    let (column, size) = table.place(column, label);
    let found = Found::of(&column, &size, outcomes);
    // Times of one result are of the same rounds.
    let near: Vec<_> = found.outcome.into_iter().chain(outcomes.iter().copied()).collect();
    let other = column.with(&size).map_or_else(Found::default, |(column, size)| Found::of(&column, &size, &near));
    let show = |contender: Option<&Contender>, with: Option<&Contender>| {
        let is_run = column.with.is_none() || other.outcome.is_some();
        let Some(outcome) = found.outcome.filter(|_| is_run) else { return NOT_RUN.to_owned() };
        let Some(contender) = contender.filter(|_| column.with.is_none() || with.is_some()) else {
            return NOT_AVAILABLE.to_owned();
        };
        let text = column.shows.text(outcome, (contender, with));
        text.unwrap_or_else(|| if contender.error.is_some() { "failed here" } else { "not measured" }.to_owned())
    };
    let both = found.theirs.zip(found.ours);
    let ratio = both.and_then(|(theirs, ours)| column.shows.ratio((theirs, other.theirs), (ours, other.ours)));
    let is_timed = matches!(column.shows, Shows::Time | Shows::Rate | Shows::Operations);
    let verdict = ratio.filter(|_| is_timed).map(|ratio| word(Verdict::of(ratio)));
    let instead = found.outcome.filter(|outcome| outcome.size == "largest").map(|outcome| outcome.bytes);
    let (theirs, ours) = (show(found.theirs, other.theirs), show(found.ours, other.ours));
    Cell { published: text.to_owned(), theirs, ours, ratio, verdict, instead, missing: None }
}

/// What was measured of a place, and of whom.
#[derive(Default)]
struct Found<'a> {
    outcome: Option<&'a Outcome>,
    theirs: Option<&'a Contender>,
    ours: Option<&'a Contender>,
}

impl<'a> Found<'a> {
    fn of(column: &Column, size: &str, outcomes: &[&'a Outcome]) -> Self {
        let outcome = column.operation.as_ref().and_then(|operation| {
            let is_there = |one: &&&Outcome| {
                one.operation == *operation && one.size == size && (column.place.is_none() || one.place == column.place)
            };
            let has_theirs = |one: &&&Outcome| column.theirs.as_ref().is_none_or(|name| one.contender(name).is_some());
            let mut found = outcomes.iter().filter(is_there);
            found.clone().find(has_theirs).or_else(|| found.next()).copied()
        });
        let ours = outcome.and_then(|outcome| match &column.ours {
            Some(name) => outcome.contender(name),
            None => lead(outcome),
        });
        let theirs = outcome.and_then(|outcome| outcome.contender(column.theirs.as_ref()?));
        Self { outcome, theirs, ours }
    }
}

impl Published {
    /// The definition of the table that measures a cell, of which these outcomes have nothing.
    fn measured_by(&self, cell: (&Column, &str), definitions: &[Definition], outcomes: &[&Outcome]) -> Option<String> {
        let (column, size) = self.place(cell.0, cell.1);
        let with = column.with(&size);
        let is_of_table = |one: &&Definition| one.name == self.definition || self.also.contains(&one.name);
        std::iter::once((column, size)).chain(with).find_map(|(column, size)| {
            let operation = column.operation?;
            let has = |one: &&Definition| {
                one.operations.contains(&operation) && one.sizes.iter().any(|one| one.label == size)
            };
            let is_open = |one: &&Definition| !outcomes.iter().any(|outcome| outcome.definition == one.name);
            definitions.iter().filter(is_of_table).filter(has).find(is_open).map(|one| one.name.clone())
        })
    }

    /// The column as a row has it, and the row's size.
    pub fn place(&self, column: &Column, label: &str) -> (Column, String) {
        match self.at.get(label) {
            Some(At::Place(place)) => column.at(place, label),
            Some(At::Size(size)) => (column.clone(), size.clone()),
            None => (column.clone(), label.to_owned()),
        }
    }
}

impl Column {
    /// What it is compared with, and the size of that.
    pub fn with(&self, size: &str) -> Option<(Self, String)> {
        Some(self.at(self.with.as_ref()?, size))
    }

    /// It with the parts of a place, and the size.
    fn at(&self, place: &Place, size: &str) -> (Self, String) {
        let (place, column) = (place.clone(), self.clone());
        let placed = Self {
            operation: place.operation.or(column.operation),
            theirs: place.theirs.or(column.theirs),
            ours: place.ours.or(column.ours),
            shows: place.shows.unwrap_or(column.shows),
            with: place.with.or(column.with),
            ..column
        };
        (placed, place.size.unwrap_or_else(|| size.to_owned()))
    }
}

/// A contender, and what the cell compares it with.
type Measured<'a> = (&'a Contender, Option<&'a Contender>);

impl Shows {
    /// It in words; `None` of a contender that has it not.
    fn text(self, outcome: &Outcome, (contender, with): Measured<'_>) -> Option<String> {
        let seconds = seconds(contender)?;
        let per_second =
            |amount: u64, units| number::quantity(amount as f64 / seconds.median, number::digits(seconds), units);
        Some(match self {
            Self::Time => number::median(seconds, number::TIME),
            Self::Rate => per_second(outcome.bytes, number::RATE),
            Self::Operations => per_second(contender.units.max(1), number::UNITS),
            Self::Cpu => number::quantity(cpu_seconds(contender)?, number::digits(seconds), number::TIME),
            Self::Memory => number::memory((contender.peak_bytes > 0).then_some(contender.peak_bytes)?),
            Self::Expansion => {
                let part = contender.output_bytes as f64 / outcome.bytes as f64;
                format!("{:.2}{}%", part * 100.0, number::SPACE)
            }
            Self::Iterations => contender.timing.as_ref()?.iterations.to_string(),
            Self::Total => number::median(total((contender, with))?, number::TIME),
            Self::SpeedUp => format!("{}×", number::plain(self::seconds(with?)?.median / seconds.median, 2)),
            Self::Improvement => number::change(self::seconds(with?)?.median / seconds.median - 1.0),
            Self::Saving => number::change(1.0 - seconds.median / self::seconds(with?)?.median),
            Self::Longest => number::quantity(longest_seconds(contender)?, number::digits(seconds), number::TIME),
            Self::Mean => number::quantity(mean_seconds(contender)?, number::digits(seconds), number::TIME),
            Self::Score => {
                let row = point(outcome).rows.into_iter().find(|row| row.name == contender.name)?;
                number::plain(row.score?.total, 2)
            }
        })
    }

    /// Theirs ÷ ours, where less is better.
    fn ratio(self, theirs: Measured<'_>, ours: Measured<'_>) -> Option<Spread> {
        let divided = |of: &dyn Fn(Measured<'_>) -> Option<f64>| {
            let ratio = of(theirs)? / of(ours)?;
            ratio.is_finite().then_some(Spread { lower: ratio, median: ratio, upper: ratio })
        };
        match self {
            Self::Time | Self::Rate | Self::Operations => ratio(theirs.0, ours.0),
            Self::Cpu => divided(&|(one, _)| cpu_seconds(one)),
            Self::Memory => divided(&|(one, _)| Some(one.peak_bytes as f64).filter(|peak| *peak > 0.0)),
            Self::Total => divided(&|both| Some(total(both)?.median)),
            Self::Longest => divided(&|(one, _)| longest_seconds(one)),
            Self::Mean => divided(&|(one, _)| mean_seconds(one)),
            Self::Expansion | Self::Iterations | Self::SpeedUp | Self::Improvement | Self::Saving | Self::Score => None,
        }
    }
}

/// The times of both, one after the other.
fn total((one, other): Measured<'_>) -> Option<Spread> {
    let (one, other) = (seconds(one)?, seconds(other?)?);
    let [lower, median, upper] = [one.lower + other.lower, one.median + other.median, one.upper + other.upper];
    Some(Spread { lower, median, upper })
}

fn cpu_seconds(contender: &Contender) -> Option<f64> {
    Some(contender.timing.as_ref()?.cpu_seconds).filter(|seconds| *seconds > 0.0)
}

fn longest_seconds(contender: &Contender) -> Option<f64> {
    Some(contender.timing.as_ref()?.longest_seconds?[0])
}

fn mean_seconds(contender: &Contender) -> Option<f64> {
    contender.timing.as_ref()?.mean_seconds
}
