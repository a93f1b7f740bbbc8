//! The first screen: of each system that Sealstone replaces the main job, and who takes how long for it.

use super::chart::{Frame, Length, Line, Look, Style, Tiles};
use super::markup::{escape_html as escape, put};
use super::model::{Chart, Comparison, Run, ratio, seconds};
use super::number::{self, SPACE, TIME};
use super::theme::{self, THEMES};
use super::words;
use crate::record::{Contender, Outcome, Record};
use crate::stats::Verdict;
use std::fmt::Write;

/// Pixels of a document's picture: two stand beside each other on a desktop, and one fills a phone.
const WIDTH: u32 = 405;

/// What the chart of all comparisons is called.
const TALLY: &str = "all";

/// Of the colours of peers, the grey one and the orange one.
const OURS: Style = Style { peer: None, variant: 0 };
const PEER: Style = Style { peer: Some(1), variant: 0 };
const BEHIND: Style = Style { peer: Some(0), variant: 0 };

/// A system's main job, and the result that shows it.
struct Job {
    /// What its pictures are called.
    name: &'static str,
    /// `{size}` is that of the result.
    title: &'static str,
    operation: &'static str,
    /// Definition and size; the first that was measured is shown.
    results: &'static [(&'static str, &'static str)],
    /// Ours, then whom it replaces, then others.
    contenders: &'static [&'static str],
}

const JOBS: [Job; 5] = [
    Job {
        name: "file",
        title: "A file of {size} in memory to a public key",
        operation: "file/encrypt",
        results: &[("files-tmpfs-large", "1 GiB"), ("files-tmpfs", "256 MiB")],
        contenders: &["Sealstone", "nkCryptoTool", "age", "rage", "gpg", "openssl enc", "cp"],
    },
    Job {
        name: "public-key",
        title: "{size} to an X25519 key in Node, as yuants has it",
        operation: "yuants/box/encrypt",
        results: &[("node-yuants", "1 MiB")],
        contenders: &["Sealstone", "yuants", "libsodium-wrappers", "sodium-native"],
    },
    Job {
        name: "aes",
        title: "AES-256-CBC of a text of {size} in Node",
        operation: "aes-text/aes-256-cbc/encrypt",
        results: &[("node-aes-text", "50 B")],
        contenders: &["Sealstone", "@ldesign/crypto", "crypto-js", "node-forge", "noble", "node:crypto"],
    },
    Job {
        name: "sm4",
        title: "SM4-GCM of {size} on one core",
        operation: "sm4/gcm/seal",
        results: &[("sm4", "1 MiB")],
        contenders: &["Sealstone", "tjfoc/gmsm", "emmansun/gmsm", "RustCrypto", "OpenSSL"],
    },
    Job {
        name: "fise",
        title: "A text of {size} out of a FISE envelope (obfuscation)",
        operation: "fise/ascii/decrypt",
        results: &[("fise", "1 KB")],
        contenders: &["Sealstone", "FISE"],
    },
];

/// The record with the charts of its first screen.
pub(super) fn run(record: &Record) -> Run {
    let mut run = Run::new(record);
    run.jobs = charts(&[record], &run.comparisons);
    run
}

/// Of all jobs that these records have, of which the newest is first, and of all comparisons.
fn charts(records: &[&Record], comparisons: &[Comparison]) -> Vec<Chart> {
    JOBS.iter().filter_map(|job| chart(records, job)).chain(tally(comparisons)).collect()
}

fn chart(records: &[&Record], job: &Job) -> Option<Chart> {
    let find = |(definition, size): &(&str, &str)| {
        let is_shown =
            |one: &&Outcome| one.definition == *definition && one.operation == job.operation && one.size == *size;
        records.iter().find_map(|record| Some((*record, record.results.iter().find(is_shown)?)))
    };
    let (record, outcome) = job.results.iter().find_map(find)?;
    let (ours, peers) = job.contenders.split_first()?;
    let ours = outcome.contender(ours).filter(|ours| seconds(ours).is_some())?;
    let peers: Vec<&Contender> = peers.iter().filter_map(|peer| outcome.contender(peer)).collect();
    peers.iter().find(|peer| !peer.measure)?;
    let rivals = peers.iter().filter(|peer| !peer.measure);
    let ratios: Vec<_> = rivals.map(|peer| (peer.name.as_str(), ratio(peer, ours))).collect();
    let mut lines: Vec<Line> = std::iter::once(ours).chain(peers).map(|one| line(one, ours)).collect();
    let factor = |line: &Line| line.factor().unwrap_or(f64::INFINITY);
    lines.sort_by(|one, other| factor(one).total_cmp(&factor(other)));
    Some(Chart {
        name: job.name,
        title: job.title.replace("{size}", &outcome.size),
        sentence: words::pace(&ratios),
        lines,
        question: Some([outcome.group.clone(), outcome.definition.clone()]),
        origin: Some([record.date.clone(), record.command.clone()]),
    })
}

fn line(one: &Contender, ours: &Contender) -> Line {
    let is_ours = one.name == ours.name;
    let ratio = ratio(one, ours);
    let look = Look::of(ratio.map(Verdict::of));
    let text = match (ratio, look) {
        _ if is_ours => String::new(),
        (None, _) => "failed".to_owned(),
        (Some(ratio), Look::Full) => format!("{}×", number::factor(ratio.median)),
        (Some(_), Look::Level) => "level".to_owned(),
        (Some(_), Look::Noisy) => "noisy".to_owned(),
    };
    let time = seconds(one).map_or_else(String::new, |seconds| number::quantity(seconds.median, 2, TIME));
    Line {
        name: one.name.clone(),
        style: if is_ours { OURS } else { PEER },
        length: if is_ours { Some(Length::Times(1.0)) } else { ratio.map(|ratio| Length::Times(ratio.median)) },
        look,
        texts: [time, text],
        note: one.note.clone(),
    }
}

/// How often Sealstone is ahead of a peer in the run.
fn tally(comparisons: &[Comparison]) -> Option<Chart> {
    let comparisons = || comparisons.iter().filter(|one| !one.measure);
    let order = [(Verdict::Faster, OURS), (Verdict::Level, PEER), (Verdict::Slower, BEHIND), (Verdict::Noisy, PEER)];
    let all = comparisons().count();
    let count = |verdict| comparisons().filter(|one| one.verdict == verdict).count();
    let lines = order.map(|(verdict, style)| {
        let (count, name) = (count(verdict), words::standing(verdict).to_owned());
        let part = count as f64 / all as f64;
        Line {
            name,
            style,
            length: (count > 0).then_some(Length::Part(part)),
            look: Look::of(Some(verdict)),
            texts: [count.to_string(), number::percent(part)],
            note: None,
        }
    });
    let [ahead, behind] = [Verdict::Faster, Verdict::Slower].map(count);
    (all > 0).then(|| Chart {
        name: TALLY,
        title: format!("All {all} comparisons with a peer"),
        sentence: format!("ahead in {ahead}, behind in {behind}, undecided in {}", all - ahead - behind),
        lines: lines.into(),
        question: None,
        origin: None,
    })
}

/// The charts as SVG, with identifiers that begin with a prefix.
pub(super) fn draw(charts: &[Chart], prefix: &str) -> Vec<String> {
    let tiles = Tiles::of(&charts.iter().map(|chart| chart.lines.as_slice()).collect::<Vec<_>>());
    let draw = |chart: &Chart| {
        let lines = chart.lines.iter().map(|line| {
            let note = line.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
            format!("{}{note}: {}", line.name, line.texts.join(" ").trim())
        });
        let frame = Frame {
            id: &format!("{prefix}{}", chart.name),
            title: &chart.title,
            description: &format!("{}. {}.", chart.sentence, lines.collect::<Vec<_>>().join("; ")),
        };
        tiles.draw(&frame, &chart.sentence, &chart.lines)
    };
    charts.iter().map(draw).collect()
}

/// What a document shows of these records, of which the newest is first: the newest whole one. A job that was measured by itself on
/// the same machine is of that record.
fn shown(records: &[Record]) -> Option<(&Record, Run)> {
    let whole = records.iter().find(|record| record.is_whole())?;
    let of_machine: Vec<&Record> = records.iter().filter(|one| one.machine.is_same(&whole.machine)).collect();
    let mut run = Run::new(whole);
    run.jobs = charts(&of_machine, &run.comparisons);
    Some((whole, run))
}

/// The files of all jobs in all themes, by name; nothing of a job that no record has.
pub(super) fn pictures(records: &[Record]) -> Option<Vec<(String, Option<String>)>> {
    let (_, run) = shown(records)?;
    let drawn = draw(&run.jobs, "");
    let picture = |name: &str, (theme, colours): (&str, &str)| {
        let at = run.jobs.iter().position(|chart| chart.name == name);
        (file_name(name, theme), at.map(|at| theme::file(&drawn[at], colours)))
    };
    let names = JOBS.iter().map(|job| job.name).chain([TALLY]);
    Some(names.flat_map(|name| THEMES.map(|theme| picture(name, theme))).collect())
}

fn file_name(job: &str, theme: &str) -> String {
    format!("{job}-{theme}.svg")
}

/// A document's pictures, which are in this folder.
pub(super) fn markdown(records: &[Record], folder: &str) -> Option<String> {
    let mut text = String::new();
    let (record, run) = shown(records)?;
    for chart in &run.jobs {
        let [light, dark] = THEMES.map(|(theme, _)| format!("{folder}/{}", file_name(chart.name, theme)));
        let alt = escape(&chart.text());
        put!(
            text,
            "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\
             <img src=\"{light}\" width=\"{WIDTH}\" alt=\"{alt}\"></picture>\n"
        );
    }
    let (cpu, cores) = (super::markup::escape_markdown(&record.machine.cpu), record.machine.cores);
    let of_round = [record.date.clone(), record.command.clone()];
    put!(text, "\n{} {} {cpu}, {cores} cores, {}.", words::JOBS, words::behind(&run), origin(&of_round));
    for chart in &run.jobs {
        if let Some(by_itself) = chart.origin.as_ref().filter(|origin| **origin != of_round) {
            put!(text, " {}: {}.", chart.title, origin(by_itself));
        }
    }
    text.push('\n');
    Some(text.replace(SPACE, " "))
}

fn origin([date, command]: &[String; 2]) -> String {
    format!("{date}, `{}`", command.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Definition;
    use std::path::Path;

    #[test]
    fn every_job_names_what_its_definition_has() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../definitions");
        for job in JOBS {
            for (definition, size) in job.results {
                let definition = Definition::read(&folder.join(definition).with_extension("toml")).unwrap();
                assert!(definition.operations.iter().any(|one| one == job.operation), "{}", job.name);
                assert!(definition.sizes.iter().any(|one| one.label == *size), "{}", job.name);
                for (at, name) in job.contenders.iter().enumerate() {
                    let entry = definition.contenders.iter().find(|entry| entry.name == *name);
                    assert_eq!(entry.map(|entry| entry.ours), Some(at == 0), "{}: {name}", job.name);
                }
            }
        }
    }
}
