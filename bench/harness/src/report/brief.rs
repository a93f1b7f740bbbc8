//! Definitions in brief: a line for each operation, over all of its sizes.

use super::chart::put;
use super::markdown::escape;
use super::model::{Panel, Point, Question, Row, Run};
use super::number::{self, SPACE};
use crate::record::Record;
use std::fmt::Write;

/// The newest result of each of these definitions as one table in Markdown, and the lines on where they come from.
pub(super) fn table(names: &[&str], records: &[Record]) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut origins: Vec<(String, Vec<&str>)> = Vec::new();
    for name in names {
        let holds = |record: &&Record| record.results.iter().any(|outcome| outcome.definition == *name);
        let record = records.iter().find(holds).ok_or_else(|| {
            format!("no record has {name}: `make bench` writes one of all that is short, `make bench Q={name} ARCHIVE=yes` of this one")
        })?;
        let results = record.results.iter().filter(|outcome| outcome.definition == *name).cloned().collect();
        let run = Run::new(&Record { results, ..record.clone() });
        let questions = run.chapters.iter().flat_map(|chapter| &chapter.questions);
        let panels = questions.flat_map(|question| question.panels.iter().map(move |panel| (question, panel)));
        for (at, (question, panel)) in panels.enumerate() {
            let definition = if at == 0 { format!("`{name}`") } else { String::new() };
            lines.extend(line(definition, question, panel));
        }
        let origin = super::origin(record);
        match origins.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, names)) => names.push(name),
            None => origins.push((origin, vec![name])),
        }
    }
    let mut table =
        "| definition | operation | size | Sealstone | time ÷ Sealstone |\n| --- | --- | --- | --: | --- |\n"
            .to_owned();
    for line in lines {
        put!(table, "| {} |\n", line.join(" | "));
    }
    table.push('\n');
    for (origin, of) in &origins {
        let of = if origins.len() > 1 { format!("{}: ", of.join(", ")) } else { String::new() };
        put!(table, "{of}{origin}\n");
    }
    Ok(table.replace(SPACE, " "))
}

/// One operation: its sizes, what Sealstone takes, and how many times as long each other contender does. Of an operation that
/// Sealstone has not there is no line.
fn line(definition: String, question: &Question, panel: &Panel) -> Option<[String; 5]> {
    let lead = question.lead.as_ref()?;
    let rows = |name: &str| {
        let own = |point: &'_ Point| point.rows.iter().position(|row| row.name == name);
        let rows = panel.points.iter().filter_map(|point| Some(&point.rows[own(point)?]));
        rows.filter(|row| row.seconds.is_some()).collect::<Vec<&Row>>()
    };
    let times = rows(lead).into_iter().filter_map(|row| Some(number::median(row.seconds?, number::TIME)));
    let beside = panel.names().into_iter().filter(|name| name != lead).filter_map(|name| {
        let ratios: Vec<f64> = rows(name).into_iter().filter_map(|row| Some(row.to_lead()?.median)).collect();
        (!ratios.is_empty()).then(|| format!("{} {}", escape(name), number::range(&ratios)))
    });
    let sizes = panel.points.iter().map(|point| escape(&point.size));
    let beside: Vec<String> = beside.collect();
    Some([definition, escape(&panel.title()), ends(sizes)?, ends(times)?, beside.join("; ")])
}

/// The first and the last of several, or one of both where they are the same.
fn ends(mut texts: impl DoubleEndedIterator<Item = String>) -> Option<String> {
    let first = texts.next()?;
    Some(match texts.next_back() {
        Some(last) if last != first => format!("{first} … {last}"),
        _ => first,
    })
}
