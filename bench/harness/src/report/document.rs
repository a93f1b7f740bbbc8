//! Documents: what stands between their markers is made of records.
//!
//! `<!-- bench:begin -->` is README's table of files, `<!-- bench:begin NAME NAME -->` the definitions of these names in brief; both end at
//! `<!-- bench:end -->`.

use super::chart::put;
use super::{brief, table};
use crate::record::Record;
use std::fmt::Write;
use std::path::Path;

/// Where a line begins with it.
const BEGIN: &str = "<!-- bench:begin";
const CLOSE: &str = "-->";
const END: &str = "<!-- bench:end -->";

/// A part of a document.
enum Part<'a> {
    Text(&'a str),
    /// The names in the marker, and what stands behind it.
    Block(&'a str, &'a str),
}

fn parts(document: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = document;
    while let Some(at) = rest.find(&format!("\n{BEGIN}")) {
        let (text, block) = rest.split_at(at + 1);
        let block = &block[BEGIN.len()..];
        let whole = || format!("there is no {BEGIN} … {CLOSE} … {END}");
        let (names, block) = block.split_once(CLOSE).ok_or_else(whole)?;
        let (inside, after) = block.split_once(END).ok_or_else(whole)?;
        parts.extend([Part::Text(text), Part::Block(names.trim(), inside)]);
        rest = after;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

/// What belongs behind a marker with these names, by records of which the newest is first.
fn inside(names: &str, records: &[Record]) -> Result<String, String> {
    if names.is_empty() {
        // A part of a round has not all rows.
        let whole = records.iter().find(|record| record.round == "default");
        return table::table(whole.ok_or("there is no record yet: `make bench` writes one")?);
    }
    brief::table(&names.split_whitespace().collect::<Vec<_>>(), records)
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
    let spliced = spliced(&text, records).map_err(fail)?;
    if spliced == text {
        return Ok(());
    }
    std::fs::write(document, spliced).map_err(|error| fail(error.to_string()))
}

/// Fails when a block of a document is not of records. Records that
/// are newer than the document are no fault: whoever runs the benchmark has one more.
pub fn check(document: &Path, records: &[Record]) -> Result<(), String> {
    let fail = |error: String| format!("{}: {error}", document.display());
    let text = read(document)?;
    let parts = parts(&text).map_err(fail)?;
    for part in &parts {
        let Part::Block(names, found) = part else { continue };
        let mut last = String::from("there is no record yet: `make bench` writes one");
        let is_of_records = (0..records.len()).any(|newest| match inside(names, &records[newest..]) {
            Ok(inside) => inside.trim() == found.trim(),
            Err(error) => {
                last = error;
                false
            }
        });
        if !is_of_records {
            return Err(fail(match inside(names, records) {
                Ok(_) => format!("{BEGIN} {names}: the table is of no record: `make bench-splice` writes it"),
                Err(error) => error,
            }));
        }
    }
    Ok(())
}
