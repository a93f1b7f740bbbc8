//! Tables that others published, with their rows and columns, and what we measured in the same cells.

use super::model::{lead, maybe_spread, ratio, seconds, word};
use super::number;
use crate::record::{Contender, Outcome, Record};
use crate::stats::{Spread, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Which size of the definition a row's label is, where it is not the label itself.
    #[serde(default)]
    pub sizes: BTreeMap<String, String>,
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
    /// Whether it is how long the output is, in percent of the input, and not a time.
    #[serde(default)]
    pub expansion: bool,
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

/// Fills the tables from the newest records that have their definitions.
pub(super) fn reproduce(published: &[Published], records: &[Record]) -> Vec<Reproduced> {
    let newest = |definition: &String| {
        let of_definition = |outcome: &&Outcome| outcome.definition == *definition;
        let found = records.iter().rev().find(|record| record.results.iter().any(|one| of_definition(&one)));
        found.map_or_else(Vec::new, |record| record.results.iter().filter(of_definition).collect::<Vec<_>>())
    };
    let reproduce = |table: &Published| {
        let outcomes: Vec<&Outcome> = [&table.definition].into_iter().chain(&table.also).flat_map(newest).collect();
        let row = |row: &Vec<String>| {
            let label = row.first().map_or("", String::as_str);
            let cells = table.columns.iter().zip(row.iter().skip(1));
            cells.map(|(column, text)| cell(table, column, label, text, &outcomes)).collect()
        };
        Reproduced { rows: table.rows.iter().map(row).collect(), table: table.clone() }
    };
    published.iter().map(reproduce).collect()
}

fn cell(table: &Published, column: &Column, label: &str, text: &str, outcomes: &[&Outcome]) -> Cell {
    let size = table.sizes.get(label).map_or(label, String::as_str);
    let outcome = column.operation.as_ref().and_then(|operation| {
        let place = |outcome: &Outcome| column.place.is_none() || outcome.place == column.place;
        outcomes.iter().find(|one| one.operation == *operation && one.size == size && place(one))
    });
    let ours = outcome.and_then(|outcome| match &column.ours {
        Some(name) => outcome.contender(name),
        None => lead(outcome),
    });
    let theirs = outcome.and_then(|outcome| outcome.contender(column.theirs.as_ref()?));
    let is_rate = [text, label, &column.title].iter().any(|text| text.contains("B/s"));
    let show = |contender: Option<&Contender>| {
        let Some(contender) = contender else { return NOT_RUN.to_owned() };
        let Some(seconds) = seconds(contender) else { return "failed here".to_owned() };
        match outcome {
            Some(outcome) if column.expansion => {
                format!("{:.2}{}%", contender.output_bytes as f64 / outcome.bytes as f64 * 100.0, number::SPACE)
            }
            Some(outcome) if is_rate => {
                let bytes = outcome.bytes as f64;
                number::quantity(bytes / seconds.median, number::digits(seconds), number::RATE)
            }
            _ => number::median(seconds, number::TIME),
        }
    };
    let timed = theirs.zip(ours).filter(|_| !column.expansion);
    let ratio = timed.and_then(|(theirs, ours)| ratio(theirs, ours));
    let verdict = ratio.map(|ratio| word(Verdict::of(ratio)));
    let instead = outcome.filter(|outcome| outcome.size == "largest").map(|outcome| outcome.bytes);
    Cell { published: text.to_owned(), theirs: show(theirs), ours: show(ours), ratio, verdict, instead }
}
