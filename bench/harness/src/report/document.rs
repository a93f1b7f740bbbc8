//! Documents: what stands between their markers is made of records, and no other table of theirs has a number of the benchmark.
//!
//! `<!-- bench:begin -->` is the table of files, `<!-- bench:begin charts -->` the charts of the first screen, which are files beside the
//! document, and `<!-- bench:begin NAME NAME -->` the definitions of these names in brief; all end at `<!-- bench:end -->`.

use super::markup::put;
use super::{brief, jobs, table};
use crate::record::Record;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What every marker begins with, on a line of its own.
const MARKER: &str = "<!-- bench:";
const BEGIN: &str = "<!-- bench:begin";
const CLOSE: &str = "-->";
const END: &str = "<!-- bench:end -->";
/// Around code.
const FENCE: &str = "```";
const CHARTS: &str = "charts";
/// Where the charts are, from the document's folder.
const FOLDER: &str = "docs/bench";
const NO_RECORD: &str = "there is no record yet: `make bench` writes one";

/// A part of a document.
enum Part<'a> {
    Text(&'a str),
    /// The names in the marker, and what stands behind it.
    Block(&'a str, &'a str),
}

/// A document's parts. Markers in code are text.
fn parts(document: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut block: Option<(&str, usize)> = None;
    let (mut text, mut at, mut is_code) = (0, 0, false);
    for line in document.split_inclusive('\n') {
        let marker = line.trim();
        is_code ^= block.is_none() && marker.starts_with(FENCE);
        if !is_code && marker.starts_with(MARKER) {
            let wrong = || format!("{marker}: a block is {BEGIN} … {CLOSE}, lines, and {END}");
            if marker == END {
                let (names, from) = block.take().ok_or_else(wrong)?;
                parts.push(Part::Block(names, &document[from..at]));
                text = at + line.trim_end().len();
            } else {
                let names = marker.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE)).ok_or_else(wrong)?;
                if block.replace((names.trim(), at + line.len())).is_some() {
                    return Err(wrong());
                }
                parts.push(Part::Text(&document[text..at]));
            }
        }
        at += line.len();
    }
    if let Some((names, _)) = block {
        return Err(format!("{BEGIN} {names} {CLOSE} has no {END}"));
    }
    parts.push(Part::Text(&document[text..]));
    Ok(parts)
}

/// What belongs behind a marker with these names, by records of which the newest is first.
fn inside(names: &str, records: &[Record]) -> Result<String, String> {
    match names {
        "" => table::table(whole(records)?),
        CHARTS => jobs::markdown(records, FOLDER).ok_or_else(|| NO_RECORD.to_owned()),
        _ => brief::table(&names.split_whitespace().collect::<Vec<_>>(), records),
    }
}

/// The files beside a document that belong to such a marker. One without a text is not there.
fn files(document: &Path, names: &str, records: &[Record]) -> Result<Vec<(PathBuf, Option<String>)>, String> {
    if names != CHARTS {
        return Ok(Vec::new());
    }
    let folder = document.with_file_name(FOLDER);
    let pictures = jobs::pictures(records).ok_or_else(|| NO_RECORD.to_owned())?;
    Ok(pictures.into_iter().map(|(name, picture)| (folder.join(name), picture)).collect())
}

/// A part of a round has not all that is shown.
fn whole(records: &[Record]) -> Result<&Record, String> {
    let whole = records.iter().find(|record| record.is_whole());
    whole.ok_or_else(|| NO_RECORD.to_owned())
}

fn read(document: &Path) -> Result<String, String> {
    std::fs::read_to_string(document).map_err(|error| format!("{}: {error}", document.display()))
}

/// The document as these records have it, of which the newest is first.
fn spliced(text: &str, records: &[Record]) -> Result<String, String> {
    let mut spliced = String::new();
    for part in parts(text)? {
        match part {
            Part::Text(text) => spliced.push_str(text),
            Part::Block(names, _) => {
                let space = if names.is_empty() { "" } else { " " };
                let inside = inside(names, records)?;
                put!(spliced, "{BEGIN}{space}{names} {CLOSE}\n{inside}{END}");
            }
        }
    }
    Ok(spliced)
}

/// Writes what belongs between the markers of a document, by records of which the newest is first.
pub fn splice(document: &Path, records: &[Record]) -> Result<(), String> {
    let fail = |error: String| format!("{}: {error}", document.display());
    let text = read(document)?;
    let mut files = vec![(document.to_path_buf(), Some(spliced(&text, records).map_err(fail)?))];
    for part in parts(&text).map_err(fail)? {
        if let Part::Block(names, _) = part {
            files.extend(self::files(document, names, records).map_err(fail)?);
        }
    }
    files.iter().try_for_each(|(path, text)| write(path, text.as_deref()))
}

/// Writes a file, unless it is the same; removes one that has no text.
fn write(path: &Path, text: Option<&str>) -> Result<(), String> {
    if std::fs::read_to_string(path).ok().as_deref() == text {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = match text {
        Some(text) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)),
        None => std::fs::remove_file(path),
    };
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Fails when a block of a document is not of records, or when a number of the benchmark stands beside one. Records that
/// are newer than the document are no fault: whoever runs the benchmark has one more.
pub fn check(document: &Path, records: &[Record]) -> Result<(), String> {
    let fail = |error: String| format!("{}: {error}", document.display());
    let text = read(document)?;
    let parts = parts(&text).map_err(fail)?;
    for part in &parts {
        let Part::Block(names, found) = part else { continue };
        let is_of = |records: &[Record]| {
            let files = files(document, names, records)?;
            let is_there = |(path, text): &(PathBuf, Option<String>)| std::fs::read_to_string(path).ok() == *text;
            Ok::<_, String>(inside(names, records)?.trim() == found.trim() && files.iter().all(is_there))
        };
        let is_of_records = (0..records.len()).any(|newest| is_of(&records[newest..]).unwrap_or(false));
        if !is_of_records {
            return Err(fail(match inside(names, records) {
                Ok(_) => format!("{BEGIN} {names}: what stands there is of no record: `make bench-splice` writes it"),
                Err(error) => error,
            }));
        }
    }
    match by_hand(&text) {
        Some(line) => Err(format!(
            "{}:{line}: a number of the benchmark is written by hand: put {BEGIN} NAME {CLOSE} and {END} in its place, and \
             `make bench-splice`",
            document.display()
        )),
        None => Ok(()),
    }
}

/// The first line of a table outside of all blocks that has a measured number, where the table, the paragraph before it or the
/// section's heading says that it is the benchmark's.
fn by_hand(text: &str) -> Option<usize> {
    let (mut is_inside, mut is_code) = (false, false);
    // The level of the heading that says so, and whether the paragraph before says it, and this one.
    let (mut heading, mut before, mut here) = (None, false, false);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        is_code ^= line.starts_with(FENCE);
        is_inside |= !is_code && line.starts_with(BEGIN);
        let says = !is_code && (line.contains("make bench") || line.contains("By the bench"));
        let level = line.chars().take_while(|letter| *letter == '#').count();
        if level > 0 && !is_code {
            heading = if says { Some(level) } else { heading.filter(|above| *above < level) };
            (before, here) = (false, false);
        } else if line.is_empty() {
            (before, here) = (here, false);
        } else if !is_inside && !is_code {
            here |= says;
            let is_measured = line.starts_with('|') && line.split('|').any(is_measured);
            if is_measured && (heading.is_some() || before || here) {
                return Some(at + 1);
            }
        }
        is_inside &= line != END;
    }
    None
}

/// Whether a cell has a number with a unit of time or of speed, or is a number with a point.
fn is_measured(cell: &str) -> bool {
    const UNITS: [&str; 8] = ["ns", "µs", "ms", "s", "GB/s", "MB/s", "kB/s", "×"];
    let is_number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit() || ".,–/".contains(letter));
    let has_digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    let cell = cell.replace(['*', '~'], "").replace('×', " × ");
    let words: Vec<&str> = cell.split([' ', '\u{202f}', '\u{a0}', ';']).filter(|word| !word.is_empty()).collect();
    let with_unit = words.windows(2).any(|pair| has_digit(pair[0]) && is_number(pair[0]) && UNITS.contains(&pair[1]));
    let alone =
        words.iter().all(|word| is_number(word)) && words.iter().any(|word| has_digit(word) && word.contains('.'));
    with_unit || alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_lines_of_their_own_outside_of_code_and_never_one_in_another() {
        let count = |text: &str| parts(text).map(|parts| parts.len());
        assert_eq!(count(&format!("{BEGIN} a {CLOSE}\nold\n{END}")), Ok(3), "from the first line to the last");
        assert_eq!(count(&format!("text {BEGIN} a {CLOSE}\n```\n{BEGIN} a {CLOSE}\n```\n")), Ok(1));
        for wrong in [
            format!("{BEGIN} a {CLOSE}\n"),
            format!("{END}\n"),
            format!("{BEGIN} a {CLOSE}\ntext\n{BEGIN} b {CLOSE}\n{END}\n"),
            format!("{MARKER} begin a {CLOSE}\n{END}\n"),
        ] {
            assert!(count(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_of_the_benchmark_that_is_written_by_hand_is_found() {
        let table = "| a | b |\n| --- | --: |\n| seal | 1.2 |\n";
        assert_eq!(by_hand(&format!("## One\n\n`make bench Q=aead`:\n\n{table}")), Some(7));
        assert_eq!(by_hand(&format!("## By the bench\n{table}\n## Two\n")), Some(4));
        assert_eq!(by_hand(&format!("## By the bench\n### AEAD\n{table}")), Some(5), "below a heading that says so");
        assert_eq!(
            by_hand(&format!("```sh\n# make bench\n```\n{table}\n## Two\n")),
            None,
            "a comment in code is no heading"
        );
        let spliced = format!("## By the bench\n{BEGIN} aead {CLOSE}\n{table}{END}\n");
        assert_eq!(by_hand(&spliced), None);
        let apart = format!("`make bench`.\n\nBy a script:\n\n{table}\n## By the bench\n\nText of 1.2 ms.\n");
        assert_eq!(by_hand(&apart), None);
        let cells = ["2.5 / 2.6", "12–94 µs", "× 3 ms", "0.41 s", "1.20", "**9.9 ms**", "3.1×"].map(is_measured);
        assert_eq!(cells, [true; 7]);
        let words = ["`aead-aes-256-gcm`", "1 MiB", "20 minutes", "", "--:", "version 1.2", "3"].map(is_measured);
        assert_eq!(words, [false; 7]);
    }
}
