//! Who is fastest at what: of each definition a matrix of its operations and sizes against the peers.

use super::model::{Comparison, Panel, Point, Question, Run};
use super::number;
use crate::stats::Verdict;

/// Who is fastest where no peer is.
pub(super) const OURS: &str = "Sealstone";

/// One definition's.
pub(super) struct Matrix<'a> {
    pub(super) group: &'a str,
    pub(super) definition: &'a str,
    pub(super) question: &'a str,
    pub(super) peers: Vec<&'a str>,
    pub(super) operations: Vec<Operation<'a>>,
}

/// One operation, by its sizes.
pub(super) struct Operation<'a> {
    /// Without what the names of all operations of the definition begin with.
    pub(super) name: String,
    pub(super) lines: Vec<Line<'a>>,
}

/// One size.
pub(super) struct Line<'a> {
    pub(super) size: &'a str,
    /// As many as there are peers; nothing of a peer that was not measured.
    pub(super) cells: Vec<Option<&'a Comparison>>,
}

impl Line<'_> {
    /// Who takes the least time.
    pub(super) fn fastest(&self) -> &str {
        let cells = || self.cells.iter().flatten();
        let first = cells().min_by(|one, other| one.ratio.median.total_cmp(&other.ratio.median));
        match first {
            Some(first) if first.verdict == Verdict::Slower => &first.peer,
            _ if cells().any(|cell| cell.verdict == Verdict::Noisy) => "too noisy",
            _ if cells().any(|cell| cell.verdict == Verdict::Level) => "level",
            _ => OURS,
        }
    }
}

/// Of all definitions that compare Sealstone with a peer, in the order of the chapters.
pub(super) fn matrices(run: &Run) -> Vec<Matrix<'_>> {
    let mut matrices = Vec::new();
    for chapter in &run.chapters {
        matrices.extend(chapter.questions.iter().filter_map(|question| matrix(run, &chapter.group, question)));
    }
    matrices
}

fn matrix<'a>(run: &'a Run, group: &'a str, question: &'a Question) -> Option<Matrix<'a>> {
    let all = || run.comparisons.iter().filter(|one| one.definition == question.definition);
    let mut peers: Vec<&str> = Vec::new();
    for one in all() {
        if !peers.contains(&one.peer.as_str()) {
            peers.push(&one.peer);
        }
    }
    let names: Vec<&str> = question.panels.iter().map(|panel| panel.operation.as_str()).collect();
    let shared = shared_len(&names);
    let is_one_place = question.panels.iter().all(|panel| panel.place == question.panels[0].place);
    let operation = |panel: &'a Panel| {
        let own = || all().filter(|one| one.operation == panel.operation && one.place == panel.place);
        let line = |point: &'a Point| {
            let cell = |peer: &&str| own().find(|one| one.size == point.size && one.peer == *peer);
            Line { size: &point.size, cells: peers.iter().map(cell).collect() }
        };
        let place = panel.place.as_ref().filter(|_| !is_one_place);
        let place = place.map_or_else(String::new, |place| format!(", {place}"));
        let lines = panel.points.iter().map(line).filter(|line| line.cells.iter().any(Option::is_some));
        Operation { name: format!("{}{place}", &panel.operation[shared..]), lines: lines.collect() }
    };
    let operations = question.panels.iter().map(operation).filter(|operation| !operation.lines.is_empty());
    let (operations, definition) = (operations.collect(), question.definition.as_str());
    (!peers.is_empty()).then(|| Matrix { group, definition, question: &question.question, operations, peers })
}

/// What all names begin with, up to a slash; a name by itself keeps its last part.
fn shared_len(names: &[&str]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let mut ends = first.match_indices('/').map(|(at, _)| at + 1).rev();
    ends.find(|end| names.iter().all(|name| name.starts_with(&first[..*end]))).unwrap_or(0)
}

/// A comparison without its colour: above 1 Sealstone takes less time.
pub(super) fn text(cell: &Comparison) -> String {
    let ratio = cell.ratio.median;
    let digits = if (0.995..9.995).contains(&ratio) { 3 } else { 2 };
    format!("{} {}", sign(cell.verdict), number::plain(ratio, digits))
}

/// What stands for a verdict where there is no colour.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "▲",
        Verdict::Slower => "▼",
        Verdict::Level => "=",
        Verdict::Noisy => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_named_by_what_tells_them_apart() {
        assert_eq!(shared_len(&["aead/aes-256-gcm/seal", "aead/aes-256-gcm/open"]), "aead/aes-256-gcm/".len());
        assert_eq!(shared_len(&["hash/sm3", "hash/sha256"]), "hash/".len());
        assert_eq!(shared_len(&["workload/records/seal"]), "workload/records/".len());
        assert_eq!(shared_len(&["encrypt", "file/encrypt"]), 0);
        assert_eq!(shared_len(&[]), 0);
    }
}
