//! The report: `index.html`, `report.md` and `report.json`, made from records and from nothing else.

mod brief;
mod chart;
mod document;
mod grid;
mod html;
mod jobs;
mod markdown;
mod markup;
mod matrix;
mod model;
mod number;
mod published;
mod score;
mod table;
mod theme;
mod words;

pub use document::{check, splice};
pub use published::{Column, Published, Shows};
pub use table::table;

use crate::definition::Definition;
use crate::record::{Machine, Record};
use model::Run;
use published::Reproduced;
use serde::Serialize;
use std::path::Path;

/// What is said above all published tables.
const PUBLISHED: &str = "Each table has the rows and columns with which it was published. Published numbers are of \
    another machine and only context; the ratio of the last two, measured in one run, is the result.";

/// What is said above all tables of growth.
const GROWTH: &str = "Growth: seconds = fixed + factor · bytes to the power of the exponent, by least squares in \
    logarithms; linear is an exponent between 0.9 and 1.1. Memory is flat when the peak at the largest size is at most \
    1.1 times that at the second largest.";

/// Everything that the pages show.
#[derive(Serialize)]
struct Report {
    runs: Vec<Run>,
    published: Vec<Reproduced>,
    /// Of which these records have nothing.
    unmeasured: Vec<Reproduced>,
    /// What to type, and what it does; in Markdown.
    commands: Vec<(String, String)>,
    #[serde(skip)]
    bias: String,
}

/// Writes the report of these records into a folder, which is made. Published tables are those of the definitions; the
/// section *Bias* and the table of commands are those of `bench/README.md`.
pub fn write(records: &[Record], definitions: &[Definition], readme: &str, folder: &Path) -> Result<(), String> {
    let published = definitions.iter().filter_map(|one| Some(Published::of(&one.name, one.published.as_ref()?)));
    let published = published.collect::<Result<Vec<_>, _>>()?.concat();
    let tables = published::reproduce(&published, definitions, records);
    let (published, unmeasured) = tables.into_iter().partition(Reproduced::is_measured);
    let report = Report {
        runs: records.iter().map(jobs::run).collect(),
        published,
        unmeasured,
        commands: commands_of(readme),
        // The report lies a folder below.
        bias: bias_of(readme).replace("](../", "](../../"),
    };
    let json = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())? + "\n";
    let files = [("index.html", html::page(&report)), ("report.md", markdown::page(&report)), ("report.json", json)];
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The run in sentences: in how many comparisons Sealstone leads, how sure that is, and how quiet the machine was.
pub fn summary(record: &Record) -> String {
    let run = Run::new(record);
    format!("{}\n{}", words::summary(&run), words::noise(&run)).replace(number::SPACE, " ")
}

/// The section *Bias* of a document, without its heading; empty where there is none.
fn bias_of(document: &str) -> &str {
    let Some((_, after)) = document.split_once("\n## Bias\n") else { return "" };
    after.split_once("\n## ").map_or(after, |(section, _)| section).trim()
}

/// The rows of a document's table that begins with `| command |`, both cells in Markdown.
fn commands_of(document: &str) -> Vec<(String, String)> {
    let table = document.lines().skip_while(|line| !line.starts_with("| command |")).skip(2);
    let row = |line: &str| {
        let (command, what) = line.trim().strip_prefix('|')?.strip_suffix('|')?.split_once('|')?;
        Some((command.trim().to_owned(), what.trim().to_owned()))
    };
    table.map_while(row).collect()
}

/// A machine's properties.
fn machine(machine: &Machine) -> Vec<(&'static str, String)> {
    let governor = machine.governor.as_str();
    vec![
        ("processor", machine.cpu.clone()),
        ("generation", generation(machine)),
        ("features", machine.features.join(" ")),
        ("cores", machine.cores.to_string()),
        ("memory", number::memory(machine.memory_bytes)),
        ("kernel", machine.kernel.clone()),
        ("virtual", if machine.is_virtual { "yes, under a hypervisor" } else { "no" }.to_owned()),
        ("frequency governor", if governor.is_empty() { "unknown" } else { governor }.to_owned()),
        ("rustc", machine.rustc.clone()),
        ("cc", machine.cc.clone()),
    ]
}

/// Where a record's numbers come from, and how to get them again, in Markdown.
fn origin(record: &Record) -> String {
    let Machine { cpu, cores, is_virtual, kernel, rustc, .. } = &record.machine;
    let virtual_machine = if *is_virtual { ", virtual" } else { "" };
    let rustc = rustc.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let generation = generation(&record.machine);
    let [cpu, kernel] = [cpu, kernel].map(|text| markup::escape_markdown(text));
    let command = record.command.replace('`', "'");
    format!("{cpu} ({generation}), {cores} cores{virtual_machine}, {kernel}, {rustc}, {}. `{command}`.", record.date)
}

fn generation(machine: &Machine) -> String {
    let Machine { vendor, family, model, .. } = machine;
    if family.is_empty() {
        "generation unknown".to_owned()
    } else {
        format!("{vendor}, family {family}, model {model}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Benchmarks\n\n| command | what it does |\n|---|---|\n| `make bench` | times `all` |\n\n\
        ## Bias\n\n- one\n  more\n- two\n\n## After\n";

    #[test]
    fn bias_is_one_section_of_its_document() {
        assert_eq!(bias_of(DOCUMENT), "- one\n  more\n- two");
        assert_eq!(bias_of("# Benchmarks\n"), "");
    }

    #[test]
    fn commands_are_one_table_of_it() {
        assert_eq!(commands_of(DOCUMENT), [("`make bench`".to_owned(), "times `all`".to_owned())]);
        assert_eq!(commands_of("# Benchmarks\n"), []);
    }
}
