//! Definitions in brief: a line for each operation, over all of its sizes.

use super::markup::{escape_markdown as escape, put};
use super::model::{Panel, Point, Question, Row, Run};
use super::number::{self, SPACE};
use crate::record::{Outcome, Record};
use crate::stats::{Spread, Verdict};
use std::fmt::Write;

/// The newest result of each of these definitions as one table in Markdown, and the lines on where they come from.
pub(super) fn table(names: &[&str], records: &[Record]) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut origins: Vec<(String, Vec<&str>)> = Vec::new();
    for name in names {
        // A run in which ours failed says nothing.
        let is_timed = |outcome: &Outcome| outcome.contenders.iter().any(|one| one.ours && one.is_timed());
        let holds = |record: &&Record| record.results.iter().any(|one| one.definition == *name && is_timed(one));
        let record = records.iter().find(holds).ok_or_else(|| {
            format!("no record has {name}: `make bench` writes one of all that is short, `make bench Q={name} ARCHIVE=yes` of this one")
        })?;
        let results = record.results.iter().filter(|outcome| outcome.definition == *name).cloned().collect();
        let run = Run::new(&Record { results, ..record.clone() });
        let questions = run.chapters.iter().flat_map(|chapter| &chapter.questions);
        let panels = questions.flat_map(|question| question.panels.iter().map(move |panel| (question, panel)));
        let before = lines.len();
        for (question, panel) in panels {
            let definition = if lines.len() == before { format!("`{name}`") } else { String::new() };
            lines.extend(line(definition, question, panel));
        }
        let origin = super::origin(record);
        match origins.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, names)) => names.push(name),
            None => origins.push((origin, vec![name])),
        }
    }
    let mut table =
        "| definition | operation | size | Sealstone | time ÷ Sealstone, ? too noisy to say |\n| --- | --- | --- | --: | --- |\n"
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

/// One operation: its sizes, what Sealstone takes, and how many times as long each other contender does. Sizes at which who stands for
/// Sealstone was not timed are not there, and of an operation without one there is no line.
fn line(definition: String, question: &Question, panel: &Panel) -> Option<[String; 5]> {
    let lead = question.lead.as_ref()?;
    let points: Vec<&Point> = panel.points.iter().filter(|point| timed(point, lead).is_some()).collect();
    let times = points.iter().filter_map(|point| Some(number::median(timed(point, lead)?.seconds?, number::TIME)));
    let beside = panel.names().into_iter().filter(|name| name != lead).filter_map(|name| {
        let ratios = points.iter().filter_map(|point| timed(point, name)?.to(lead, &question.reference));
        let ratios: Vec<Spread> = ratios.collect();
        let is_noisy = ratios.iter().any(|ratio| Verdict::of(*ratio) == Verdict::Noisy);
        let medians: Vec<f64> = ratios.iter().map(|ratio| ratio.median).collect();
        let doubt = if is_noisy { "?" } else { "" };
        match medians[..] {
            [] if panel.points.iter().any(|point| point.rows.iter().any(|row| row.name == name)) => {
                Some(format!("{} failed", escape(name)))
            }
            [] => None,
            _ => Some(format!("{} {}{doubt}", escape(name), number::range(&medians))),
        }
    });
    let sizes = points.iter().map(|point| escape(&point.size));
    let (beside, time): (Vec<String>, String) = (beside.collect(), ends(times)?);
    // Where several are ours, which one it is.
    let time = if lead == "Sealstone" { time } else { format!("{time} ({})", escape(lead)) };
    Some([definition, escape(&panel.title()), ends(sizes)?, time, beside.join("; ")])
}

/// A contender's row, where it was timed.
fn timed<'a>(point: &'a Point, name: &str) -> Option<&'a Row> {
    point.rows.iter().find(|row| row.name == name && row.seconds.is_some())
}

/// The first and the last of several, or one of both where they are the same.
fn ends(mut texts: impl DoubleEndedIterator<Item = String>) -> Option<String> {
    let first = texts.next()?;
    Some(match texts.next_back() {
        Some(last) if last != first => format!("{first} … {last}"),
        _ => first,
    })
}
