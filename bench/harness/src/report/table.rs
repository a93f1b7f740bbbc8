//! The table of files in the guide: a row a contender, made of a record.

use super::model::{Run, ratio, seconds};
use super::number::{self, SPACE};
use super::words;
use crate::record::{Contender, Outcome, Record};
use std::fmt::Write;

/// The first of these that the record has, and a small one.
const LARGE: [&str; 2] = ["256 MiB", "1 GiB"];
const SMALL: &str = "1 KB";
const OPERATIONS: [&str; 2] = ["file/encrypt", "file/decrypt"];
const PLACE: &str = "tmpfs";

/// The table of the first definition of files on a tmpfs with a large size, with the line on where it comes from. A cell with
/// two numbers has encryption first.
pub fn table(record: &Record) -> Result<String, String> {
    let on_tmpfs = |outcome: &&Outcome| outcome.group == "files" && outcome.place.as_deref() == Some(PLACE);
    let of_size = |size: &&str| record.results.iter().filter(on_tmpfs).find(|outcome| outcome.size == **size);
    let large_size = LARGE.into_iter().find(|size| of_size(size).is_some()).unwrap_or(LARGE[0]);
    let definition = of_size(&large_size).map(|outcome| &outcome.definition);
    let outcome = |operation: &str, size: &str| {
        let found = record.results.iter().filter(on_tmpfs).find(|outcome| {
            Some(&outcome.definition) == definition && outcome.operation == operation && outcome.size == size
        });
        found.ok_or_else(|| format!("the record has no {operation} of {size} on {PLACE}"))
    };
    let pair = |size: &str| Ok::<_, String>([outcome(OPERATIONS[0], size)?, outcome(OPERATIONS[1], size)?]);
    let (large, small) = (pair(large_size)?, pair(SMALL)?);

    let reference = &large[0].reference;
    let mut table = format!(
        "| encrypt / decrypt | {large_size} | GB/s | × {reference} | peak MiB | {SMALL} | × {reference} |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n"
    );
    // The reference first, then in the definition's order.
    let mut names: Vec<&Contender> = large[0].contenders.iter().collect();
    names.sort_by_key(|contender| contender.name != *reference);
    for contender in names {
        let name = &contender.name;
        let both = |pair: [&Outcome; 2], value: &dyn Fn(&Outcome, &Contender, usize) -> Option<String>| {
            // Two numbers of one cell have as many digits.
            let spreads = pair.iter().filter_map(|outcome| seconds(outcome.contender(name)?));
            let digits = spreads.map(number::digits).min().unwrap_or(2);
            join(pair.map(|outcome| {
                let text = outcome.contender(name).and_then(|own| value(outcome, own, digits));
                text.unwrap_or_else(|| number::NOTHING.to_owned())
            }))
        };
        let time = |_: &Outcome, own: &Contender, digits: usize| {
            Some(number::quantity(seconds(own)?.median, digits, number::TIME))
        };
        let rate = |outcome: &Outcome, own: &Contender, digits: usize| {
            Some(number::plain(outcome.bytes as f64 / seconds(own)?.median / 1e9, digits))
        };
        let times = |outcome: &Outcome, own: &Contender, _: usize| {
            if own.name == *reference {
                return seconds(own).map(|_| "1".to_owned());
            }
            Some(number::plain(ratio(own, outcome.contender(reference)?)?.median, 2))
        };
        let peaks = large.iter().filter_map(|outcome| outcome.contender(name)).map(|own| own.peak_bytes);
        let peak = peaks.filter(|bytes| *bytes > 0).max();
        let peak =
            peak.map_or_else(|| number::NOTHING.to_owned(), |bytes| number::plain(bytes as f64 / 1_048_576.0, 2));
        let name = escape(name);
        let name = if contender.ours { bold(&name) } else { name };
        let line = [
            name,
            both(large, &time),
            both(large, &rate),
            both(large, &times),
            peak,
            both(small, &time),
            both(small, &times),
        ];
        let _ = writeln!(table, "| {} |", line.join(" | "));
    }
    let _ = write!(table, "\n{}\n", origin(record, &[large[0], large[1], small[0], small[1]]));
    Ok(table.replace(SPACE, " "))
}

/// Where the numbers come from, and how to get them again.
fn origin(record: &Record, outcomes: &[&Outcome]) -> String {
    let reference = &outcomes[0].reference;
    let mut line = format!(
        "{} Files on {PLACE}. × {reference} is the median of pairs in one round, so the columns do not divide.",
        super::origin(record)
    );
    let notes: Vec<String> = outcomes[0]
        .contenders
        .iter()
        .filter_map(|contender| Some(format!("{}: {}", escape(&contender.name), escape(contender.note.as_ref()?))))
        .collect();
    if !notes.is_empty() {
        let _ = write!(line, " {}.", notes.join("; "));
    }
    let run = Run::new(record);
    let all: Vec<_> = run.with_peers().collect();
    let _ = write!(line, " In all {} comparisons of this run Sealstone is {}.", all.len(), words::tally(&all));
    line
}

/// `459 / 483 ms` of `459 ms` and `483 ms`; one of both where they are the same.
fn join([one, other]: [String; 2]) -> String {
    match (one.split_once(SPACE), other.split_once(SPACE)) {
        _ if one == other => one,
        (Some((number, unit)), Some((_, other_unit))) if unit == other_unit => format!("{number} / {other}"),
        _ => format!("{one} / {other}"),
    }
}

/// The product's name stands out, not the options.
fn bold(name: &str) -> String {
    let (first, rest) = name.split_once([',', ' ']).map_or((name, ""), |(first, _)| (first, &name[first.len()..]));
    format!("**{first}**{rest}")
}

fn escape(text: &str) -> String {
    super::markup::escape_markdown(text)
}
