//! Tables as text, before they become HTML or Markdown.

use super::matrix::Matrix;
use super::model::{Comparison, Panel, Question, Row, Run, word};
use super::number::{self, NOTHING, RATE, SPACE, TIME};
use super::published::Reproduced;
use super::score::Score;
use super::words;
use crate::record::Kind;
use crate::stats::{Spread, Verdict};

/// A table.
pub(super) struct Grid {
    pub(super) columns: Vec<Column>,
    pub(super) groups: Vec<Group>,
}

/// A column's title, and whether it holds words rather than numbers.
pub(super) struct Column {
    pub(super) title: String,
    pub(super) words: bool,
}

/// Lines under one heading.
pub(super) struct Group {
    pub(super) heading: Option<String>,
    /// Beside the heading.
    pub(super) remark: Option<String>,
    pub(super) lines: Vec<Line>,
}

/// A line, which stands out where it is about Sealstone.
pub(super) struct Line {
    pub(super) cells: Vec<String>,
    pub(super) ours: bool,
}

impl Grid {
    /// Titles that begin with `<` are of columns of words.
    fn new(titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('<') {
            Some(title) => Column { title: title.to_owned(), words: true },
            None => Column { title: (*title).to_owned(), words: false },
        };
        Self { columns: titles.iter().map(column).collect(), groups: Vec::new() }
    }

    fn with(mut self, lines: Vec<Line>) -> Self {
        self.groups.push(Group { heading: None, remark: None, lines });
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.lines.is_empty())
    }
}

fn or_nothing<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), text)
}

/// A rate, in what the definition measures.
pub(super) fn rate(row: &Row, panel: &Panel) -> Option<String> {
    let rate = row.rate(panel.kind)?;
    Some(match panel.kind {
        Kind::Operations => number::plain_median(rate),
        Kind::Throughput | Kind::Latency => number::median(rate, RATE),
    })
}

fn ratio(spread: Spread) -> String {
    format!("{} ({})", number::times(spread), number::plain_quartiles(spread))
}

/// All sizes of one operation.
pub(super) fn panel(question: &Question, panel: &Panel) -> Grid {
    let rows = || panel.points.iter().flat_map(|point| &point.rows);
    let paused = rows().any(|row| row.longest_seconds.is_some());
    let scored = rows().any(|row| row.score.is_some());
    let rate_title = if panel.kind == Kind::Operations { format!("{}/s", panel.units()) } else { "rate".to_owned() };
    let led = rows().any(|row| row.lead_ratio.is_some());
    let lead_title = format!("time ÷ {} (95 %)", question.lead.as_deref().unwrap_or("Sealstone"));
    let ratio_title = format!("time ÷ {} (95 %)", question.reference);
    let verdict_title = format!("<against {}", question.reference);
    let lead_verdict_title = format!("<against {}", question.lead.as_deref().unwrap_or("Sealstone"));
    let mut titles = vec!["<contender", "time", "quartiles", &rate_title, &ratio_title];
    if led {
        titles.push(&lead_title);
    }
    titles.extend(["CPU", "peak memory"]);
    if paused {
        titles.extend(["longest pause", "longest of all"]);
    }
    if scored {
        titles.push("score");
    }
    titles.push(&verdict_title);
    if led {
        titles.push(&lead_verdict_title);
    }
    let mut grid = Grid::new(&titles);
    for point in &panel.points {
        let lines = point
            .rows
            .iter()
            .map(|row| Line { cells: cells(question, panel, row, [led, paused, scored]), ours: row.ours });
        grid.groups.push(Group { heading: Some(point.size.clone()), remark: None, lines: lines.collect() });
    }
    grid
}

fn cells(question: &Question, panel: &Panel, row: &Row, [led, paused, scored]: [bool; 3]) -> Vec<String> {
    let mut cells = vec![
        row.name.clone(),
        or_nothing(row.seconds, |seconds| number::median(seconds, TIME)),
        or_nothing(row.seconds, |seconds| number::quartiles(seconds, TIME)),
        or_nothing(rate(row, panel), |rate| rate),
        if row.reference && row.seconds.is_some() { "1".to_owned() } else { or_nothing(row.ratio, ratio) },
    ];
    if led {
        let is_lead = question.lead.as_ref() == Some(&row.name) && row.seconds.is_some();
        cells.push(if is_lead { "1".to_owned() } else { or_nothing(row.lead_ratio, ratio) });
    }
    let digits = row.seconds.map_or(2, number::digits);
    cells.push(or_nothing(row.cpu_seconds, |seconds| number::quantity(seconds, digits, TIME)));
    cells.push(or_nothing(row.peak_bytes, number::memory));
    if paused {
        for value in [row.longest_seconds, row.longest_of_all_seconds] {
            cells.push(or_nothing(value, |seconds| number::quantity(seconds, 2, TIME)));
        }
    }
    if scored {
        cells.push(or_nothing(row.score, |score| number::plain(score.total, 2)));
    }
    cells.push(match (&row.error, row.verdict) {
        (Some(error), _) => format!("failed: {error}"),
        (None, _) if row.seconds.is_none() => "not measured".to_owned(),
        (None, Some(verdict)) => word(verdict).to_owned(),
        (None, None) if row.reference => "reference".to_owned(),
        (None, None) => NOTHING.to_owned(),
    });
    if led {
        // Ours is the other one here.
        cells.push(or_nothing(row.lead_verdict, |verdict| match verdict {
            Verdict::Faster => word(Verdict::Slower).to_owned(),
            Verdict::Slower => word(Verdict::Faster).to_owned(),
            verdict => word(verdict).to_owned(),
        }));
    }
    cells
}

/// Operations and sizes against peers.
pub(super) fn matrix(matrix: &Matrix) -> Grid {
    let mut titles = vec!["<operation", "<size", "<fastest"];
    titles.extend(&matrix.peers);
    let line = |operation: &str, line: &super::matrix::Line| {
        let cells = line.cells.iter().map(|cell| or_nothing(*cell, super::matrix::text));
        let heads = [operation, line.size, line.fastest()].map(str::to_owned);
        Line { cells: heads.into_iter().chain(cells).collect(), ours: false }
    };
    let lines = matrix.operations.iter().flat_map(|one| one.lines.iter().map(|size| line(&one.name, size)));
    Grid::new(&titles).with(lines.collect())
}

/// Where Sealstone is behind: each peer of each question, the farthest first.
pub(super) fn behind(run: &Run) -> Grid {
    let line = |slower: &Vec<&Comparison>| {
        let farthest = slower[0];
        let is_pair = |one: &&Comparison| (&one.definition, &one.peer) == (&farthest.definition, &farthest.peer);
        let cells = vec![
            farthest.peer.clone(),
            farthest.definition.clone(),
            format!("{} of {}", slower.len(), run.with_peers().filter(is_pair).count()),
            format!("{}, {}", farthest.operation, farthest.size),
            ratio(farthest.ratio),
        ];
        Line { cells, ours: false }
    };
    let titles = ["<peer", "<question", "comparisons", "<farthest in", "its time ÷ Sealstone (95 %)"];
    Grid::new(&titles).with(run.behind().iter().map(line).collect())
}

/// How often Sealstone was faster than each peer.
pub(super) fn overview(run: &Run) -> Grid {
    let titles = ["<peer", "comparisons", "faster", "slower", "level", "too noisy", "time ÷ Sealstone"];
    let mut grid = Grid::new(&titles);
    for chapter in &run.chapters {
        let of_chapter = || run.comparisons.iter().filter(|one| one.group == chapter.group);
        let mut peers: Vec<&str> = Vec::new();
        for one in of_chapter() {
            if !peers.contains(&one.peer.as_str()) {
                peers.push(&one.peer);
            }
        }
        let line = |peer: &str| {
            let own: Vec<_> = of_chapter().filter(|one| one.peer == peer).collect();
            let count = |verdict: Verdict| own.iter().filter(|one| one.verdict == verdict).count().to_string();
            let ratios: Vec<f64> = own.iter().map(|one| one.ratio.median).collect();
            let cells = vec![
                peer.to_owned(),
                own.len().to_string(),
                count(Verdict::Faster),
                count(Verdict::Slower),
                count(Verdict::Level),
                count(Verdict::Noisy),
                format!("{}{SPACE}×", number::range(&ratios)),
            ];
            Line { cells, ours: false }
        };
        let lines: Vec<Line> = peers.into_iter().map(line).collect();
        if !lines.is_empty() {
            grid.groups.push(Group { heading: Some(words::title(&chapter.group)), remark: None, lines });
        }
    }
    grid
}

/// Versions, and how each engine is used.
pub(super) fn engines(run: &Run) -> Grid {
    let lines = run.engines.iter().map(|(name, engine)| {
        let version = match &engine.skipped {
            Some(why) => format!("did not take part: {why}"),
            None => engine.version.clone(),
        };
        let cells = vec![engine.title.clone(), engine.language.clone(), version, engine.used.clone()];
        Line { cells, ours: name.starts_with("sealstone") }
    });
    Grid::new(&["<engine", "<language", "<version", "<used"]).with(lines.collect())
}

/// What was not measured.
pub(super) fn failures(run: &Run) -> Grid {
    let lines = run.failures.iter().map(|failure| Line {
        cells: vec![failure.contender.clone(), failure.at.clone(), failure.why.clone()],
        ours: false,
    });
    Grid::new(&["<contender", "<where", "<why"]).with(lines.collect())
}

/// How cost grows over the sizes.
pub(super) fn growth(panel: &Panel) -> Grid {
    let lines = panel.growth.iter().map(|grown| {
        let cells = vec![
            grown.name.clone(),
            number::plain(grown.exponent, 3),
            if grown.linear { "linear" } else { "not linear" }.to_owned(),
            number::quantity(grown.fixed_seconds, 2, TIME),
            format!("{}×", number::plain(grown.memory, 2)),
            if grown.flat { "flat" } else { "grows" }.to_owned(),
        ];
        Line { cells, ours: grown.ours }
    });
    let titles = ["<contender", "exponent", "<time", "fixed cost", "memory, largest ÷ smallest size", "<memory"];
    Grid::new(&titles).with(lines.collect())
}

/// The score and its parts.
pub(super) fn scores(question: &Question) -> Grid {
    let rows = || question.panels.iter().flat_map(|panel| &panel.points).flat_map(|point| &point.rows);
    let part = |value: f64| number::plain(value, 2);
    let line = |(name, score): &(String, Score)| Line {
        cells: vec![
            name.clone(),
            number::plain(score.total, 2),
            part(score.response),
            part(score.throughput),
            part(score.success),
            part(score.resources),
        ],
        ours: rows().any(|row| row.ours && row.name == *name),
    };
    let titles = [
        "<contender",
        "score of 100",
        "response time, 40\u{202f}%",
        "throughput, 30\u{202f}%",
        "success, 20\u{202f}%",
        "resources, 10\u{202f}%",
    ];
    Grid::new(&titles).with(question.scores.iter().map(line).collect())
}

/// What a row is measured with here, if not with its own length, and by what it is measured, if it was not.
fn remark(cells: &[super::published::Cell]) -> Option<String> {
    const MEGABYTES: &[(f64, &str)] = &[(1e6, "MB")];
    if let Some(bytes) = cells.iter().find_map(|cell| cell.instead) {
        return Some(format!("here {}, for which there is room", super::number::quantity(bytes as f64, 4, MEGABYTES)));
    }
    let missing = cells.iter().find_map(|cell| cell.missing.as_ref())?;
    Some(format!("not run here: make bench Q={missing}"))
}

/// A published table: the same rows and columns, and four lines in each row.
pub(super) fn published(reproduced: &Reproduced) -> Grid {
    let table = &reproduced.table;
    let first = format!("<{}", table.rows_are);
    let mut titles = vec![first.as_str()];
    titles.extend(table.columns.iter().map(|column| column.title.as_str()));
    let mut grid = Grid::new(&titles);
    for (row, cells) in table.rows.iter().zip(&reproduced.rows) {
        let line = |title: &str, ours: bool, text: &dyn Fn(&super::published::Cell) -> String| Line {
            cells: std::iter::once(title.to_owned()).chain(cells.iter().map(text)).collect(),
            ours,
        };
        let mut lines = vec![line("published, their machine", false, &|cell| cell.published.clone())];
        if cells.iter().any(|cell| cell.missing.is_none()) {
            lines.extend([
                line("theirs, here", false, &|cell| cell.theirs.clone()),
                line("Sealstone, here", true, &|cell| cell.ours.clone()),
                line("Sealstone better by", false, &super::published::Cell::ratio),
            ]);
        }
        grid.groups.push(Group { heading: row.first().cloned(), remark: remark(cells), lines });
    }
    grid
}
