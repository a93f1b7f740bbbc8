//! The report as one page: no script, nothing from elsewhere.

use super::Report;
use super::chart::{self, Bar, Frame, Look, Series, Style};
use super::grid::{self, Grid};
use super::markup::{escape_html as escape, put};
use super::matrix::{self, Matrix};
use super::model::{Panel, Point, Question, Row, Run};
use super::number::{self, RATE, TIME};
use super::{jobs, score, theme, words};
use crate::record::{self, Kind};
use crate::stats::{Spread, Verdict};
use std::fmt::Write;

/// Ratios are drawn of so many sizes at most, and of so many bars.
const RATIO_SIZES: usize = 4;
const RATIO_BARS: usize = 28;

/// Words of so many letters stay on one line.
const SHORT: usize = 18;

pub(super) fn page(report: &Report) -> String {
    let mut out = String::new();
    let title = match report.runs.as_slice() {
        [run] => format!("Sealstone benchmark, {}, {}", run.date, run.machine.cpu),
        _ => "Sealstone benchmark".to_owned(),
    };
    put!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>Sealstone benchmark</h1>\n",
        escape(&title),
        theme::page()
    );
    // Of several, the newest that has all the default definitions.
    let shown = report.runs.iter().position(|run| record::is_whole(&run.round)).unwrap_or(0);
    if let Some(run) = report.runs.get(shown) {
        headline(&mut out, run, &format!("r{}", shown + 1));
    }
    out.push_str("</header>\n");
    contents(&mut out, report);
    out.push_str("<main>\n");
    for (at, run) in report.runs.iter().enumerate() {
        let mut page = Page { out: &mut out, run, prefix: format!("r{}", at + 1), charts: 0 };
        if report.runs.len() > 1 {
            put!(page.out, "<h2 id=\"r{}\">{}</h2>\n", at + 1, escape(&run_title(run)));
            if at != shown {
                headline(page.out, run, &page.prefix);
            }
        }
        page.run();
    }
    published(&mut out, report);
    method(&mut out, report);
    out.push_str(
        "</main>\n<footer><p>Made from records alone; the same numbers are in <a href=\"report.json\">report.json</a> ",
    );
    out.push_str("and <a href=\"report.md\">report.md</a>.</p></footer>\n</body>\n</html>\n");
    out
}

fn run_title(run: &Run) -> String {
    format!("{}, {}, {}", run.date, run.machine.cpu, run.round)
}

/// The first screen: who is fastest at what.
fn headline(out: &mut String, run: &Run, prefix: &str) {
    put!(out, "<p class=\"soft\">{}, {} cores", escape(&run_title(run)), run.machine.cores);
    put!(out, "{}</p>\n", if run.machine.is_virtual { ", virtual" } else { "" });
    if !run.jobs.is_empty() {
        out.push_str("<div class=\"jobs\">\n");
        for (chart, svg) in run.jobs.iter().zip(jobs::draw(&run.jobs, &format!("{prefix}-"))) {
            match &chart.question {
                Some([group, definition]) => {
                    let id = anchor(&[prefix, group, definition]);
                    put!(out, "<a href=\"#{id}\">\n{svg}</a>\n");
                }
                None => put!(out, "<div>\n{svg}</div>\n"),
            }
        }
        out.push_str("</div>\n");
        if run.jobs.iter().any(|chart| chart.question.is_some()) {
            put!(out, "<p class=\"soft\">{}</p>\n", escape(words::JOBS));
        }
    }
    let behind = grid::behind(run);
    if !behind.is_empty() {
        put!(out, "<details class=\"behind-table\">\n<summary>{}</summary>\n", escape(&words::behind(run)));
        grid(out, &behind, words::BEHIND);
        out.push_str("</details>\n");
    }
    let matrices = matrix::matrices(run);
    if matrices.is_empty() {
        return;
    }
    put!(out, "<p class=\"soft\">{}</p>\n<div class=\"matrices\">\n", escape(words::MATRIX));
    for one in &matrices {
        self::matrix(out, one, prefix);
    }
    out.push_str("</div>\n");
}

fn matrix(out: &mut String, matrix: &Matrix, prefix: &str) {
    let id = anchor(&[prefix, matrix.group, matrix.definition]);
    let question = escape(matrix.question);
    put!(out, "<div class=\"matrix\">\n<p><a href=\"#{id}\">{question}</a></p>\n");
    put!(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{question}\">\n<table>\n<thead><tr>");
    out.push_str("<th scope=\"col\" colspan=\"2\"></th><th scope=\"col\">fastest</th>");
    for peer in &matrix.peers {
        put!(out, "<th scope=\"col\" class=\"peer\"><span>{}</span></th>", escape(peer));
    }
    out.push_str("</tr></thead>\n");
    for operation in &matrix.operations {
        out.push_str("<tbody>\n");
        for (at, line) in operation.lines.iter().enumerate() {
            out.push_str("<tr>");
            if at == 0 {
                let rows = operation.lines.len();
                put!(out, "<th scope=\"rowgroup\" rowspan=\"{rows}\">{}</th>", escape(&operation.name));
            }
            let fastest = line.fastest();
            let class = if fastest == matrix::OURS { "fastest ours" } else { "fastest" };
            put!(out, "<th scope=\"row\" class=\"size\">{}</th>", escape(line.size));
            put!(out, "<td class=\"{class}\">{}</td>", escape(fastest));
            for cell in &line.cells {
                match cell {
                    Some(cell) => {
                        let interval = format!("{}: {}", cell.peer, number::plain_quartiles(cell.ratio));
                        let class = shade(cell.verdict, cell.ratio.median);
                        put!(out, "<td class=\"{class}\" title=\"{}\">{}</td>", escape(&interval), matrix::text(cell));
                    }
                    None => out.push_str("<td></td>"),
                }
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table>\n</div>\n</div>\n");
}

/// The colour of a cell: the further from 1, the darker.
fn shade(verdict: Verdict, ratio: f64) -> &'static str {
    let steps = |classes: [&'static str; 3]| match ratio.max(1.0 / ratio) {
        ..1.5 => classes[0],
        ..4.0 => classes[1],
        _ => classes[2],
    };
    match verdict {
        Verdict::Faster => steps(["ahead", "ahead far", "ahead farthest"]),
        Verdict::Slower => steps(["behind", "behind far", "behind farthest"]),
        Verdict::Level => "level",
        Verdict::Noisy => "noisy",
    }
}

fn contents(out: &mut String, report: &Report) {
    out.push_str(
        "<nav aria-label=\"Contents\">\n<h2>Details</h2>\n<details>\n<summary>All questions</summary>\n<ul>\n",
    );
    for (at, run) in report.runs.iter().enumerate() {
        let prefix = format!("r{}", at + 1);
        if report.runs.len() > 1 {
            put!(out, "<li><a href=\"#{prefix}\">{}</a></li>\n", escape(&run_title(run)));
        }
        for chapter in &run.chapters {
            let group = anchor(&[&prefix, &chapter.group]);
            put!(out, "<li><a href=\"#{group}\">{}</a>\n<ul>\n", escape(&words::title(&chapter.group)));
            for question in &chapter.questions {
                let id = anchor(&[&prefix, &chapter.group, &question.definition]);
                put!(out, "<li><a href=\"#{id}\">{}</a></li>\n", escape(&question.question));
            }
            out.push_str("</ul></li>\n");
        }
    }
    if !(report.published.is_empty() && report.unmeasured.is_empty()) {
        out.push_str("<li><a href=\"#published\">Published tables</a></li>\n");
    }
    out.push_str("<li><a href=\"#method\">Method</a> · <a href=\"#bias\">Bias</a> · ");
    out.push_str("<a href=\"#again\">How to run it again</a></li>\n</ul>\n</details>\n</nav>\n");
}

/// An identifier of letters, digits and hyphens.
fn anchor(parts: &[&str]) -> String {
    let clean = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    parts.join("-").chars().map(clean).collect()
}

fn published(out: &mut String, report: &Report) {
    let unmeasured = words::unmeasured(&report.unmeasured);
    if report.published.is_empty() && unmeasured.is_none() {
        return;
    }
    put!(out, "<h2 id=\"published\">Published tables</h2>\n<p>{}</p>\n", super::PUBLISHED);
    for reproduced in &report.published {
        let table = &reproduced.table;
        let title = table.title.as_ref().unwrap_or(&table.definition);
        put!(out, "<h3>{}</h3>\n<p>Source: ", escape(title));
        match table.url.as_deref().filter(|url| is_link(url)) {
            Some(url) => put!(out, "<a href=\"{}\">{}</a>.", escape(url), escape(&table.source)),
            None => put!(out, "{}.", escape(&table.source)),
        }
        if let Some(note) = &table.note {
            put!(out, " {}", escape(note));
        }
        out.push_str("</p>\n");
        self::grid(out, &grid::published(reproduced), title);
    }
    if let Some(text) = unmeasured {
        put!(out, "<p>{}</p>\n", escape(&text));
    }
}

fn method(out: &mut String, report: &Report) {
    put!(out, "<h2 id=\"method\">Method</h2>\n<p>{}</p>\n", escape(words::METHOD));
    put!(out, "<p>{}</p>\n<p id=\"score\">{}</p>\n", escape(super::GROWTH), escape(score::FORMULA));
    put!(out, "<h2 id=\"bias\">Bias</h2>\n{}", markdown(&report.bias));
    out.push_str("<h2 id=\"again\">How to run it again</h2>\n");
    for run in &report.runs {
        put!(out, "<p>{}:</p>\n<pre><code>{}</code></pre>\n", escape(&run_title(run)), escape(&run.command));
    }
    if !report.commands.is_empty() {
        out.push_str("<dl class=\"facts\">\n");
        for (command, what) in &report.commands {
            put!(out, "<dt>{}</dt><dd>{}</dd>\n", inline(command), inline(what));
        }
        out.push_str("</dl>\n");
    }
}

/// One run's part of the page.
struct Page<'a> {
    out: &'a mut String,
    run: &'a Run,
    prefix: String,
    charts: usize,
}

impl Page<'_> {
    fn run(&mut self) {
        let run = self.run;
        let overview = grid::overview(run);
        put!(
            self.out,
            "<p class=\"summary\">{}</p>\n<p>{}</p>\n",
            escape(&words::summary(run)),
            escape(&words::noise(run))
        );
        grid(self.out, &overview, "Sealstone and each peer, all comparisons");
        put!(self.out, "<h3>Machine</h3>\n<dl class=\"facts\">\n");
        for (name, value) in super::machine(&run.machine) {
            put!(self.out, "<dt>{name}</dt><dd>{}</dd>\n", escape(&value));
        }
        put!(self.out, "<dt>command</dt><dd><code>{}</code></dd>\n</dl>\n", escape(&run.command));
        self.out.push_str("<h3>Engines</h3>\n");
        grid(self.out, &grid::engines(run), "Versions, and how each is used");
        let failures = grid::failures(run);
        if !failures.is_empty() {
            self.out.push_str("<h3>Not measured</h3>\n");
            grid(self.out, &failures, "Contenders without a result, and why");
        }
        for chapter in &run.chapters {
            let id = anchor(&[&self.prefix, &chapter.group]);
            put!(self.out, "<h2 id=\"{id}\">{}</h2>\n", escape(&words::title(&chapter.group)));
            for question in &chapter.questions {
                self.question(&chapter.group, question);
            }
        }
    }

    /// What a contender looks like: the engine decides the colour, everywhere in the run.
    fn style(&self, question: &Question, name: &str) -> Style {
        let rows = |question: &'_ Question| -> Vec<(bool, String, String)> {
            let points = question.panels.iter().flat_map(|panel| &panel.points);
            points.flat_map(|point| &point.rows).map(|row| (row.ours, row.engine.clone(), row.name.clone())).collect()
        };
        let own = rows(question);
        let Some((ours, engine, _)) = own.iter().find(|(.., of)| of == name).cloned() else {
            return Style { peer: Some(0), variant: 0 };
        };
        let mut siblings: Vec<&str> = Vec::new();
        for (_, _, sibling) in own.iter().filter(|one| one.0 == ours && (ours || one.1 == engine)) {
            if !siblings.contains(&sibling.as_str()) {
                siblings.push(sibling);
            }
        }
        let variant = siblings.iter().position(|sibling| *sibling == name).unwrap_or(0);
        let mut engines: Vec<String> = Vec::new();
        for (_, engine, _) in
            self.run.chapters.iter().flat_map(|chapter| &chapter.questions).flat_map(rows).filter(|one| !one.0)
        {
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
        let peer = (!ours).then(|| engines.iter().position(|other| *other == engine).unwrap_or(0));
        Style { peer, variant }
    }

    fn next_id(&mut self) -> String {
        self.charts += 1;
        format!("{}-c{}", self.prefix, self.charts)
    }

    fn figure(&mut self, title: &str, caption: &str, draw: impl FnOnce(&Frame) -> String) {
        let id = self.next_id();
        let svg = draw(&Frame { id: &id, title, description: caption });
        if !svg.is_empty() {
            let caption = escape(caption);
            put!(self.out, "<figure>\n<figcaption><b>{}</b>{caption}</figcaption>\n{svg}</figure>\n", escape(title));
        }
    }

    fn question(&mut self, group: &str, question: &Question) {
        let id = anchor(&[&self.prefix, group, &question.definition]);
        put!(self.out, "<section>\n<h3 id=\"{id}\">{}</h3>\n", escape(&question.question));
        put!(self.out, "<p class=\"soft\">Definition <code>{}</code>; ", escape(&question.definition));
        put!(self.out, "ratios are taken of <b>{}</b>", escape(&question.reference));
        if let Some(lead) = question.lead.as_ref().filter(|lead| **lead != question.reference) {
            put!(self.out, "; <b>{}</b> stands for Sealstone in comparisons", escape(lead));
        }
        self.out.push_str(".</p>\n");
        if !question.notes.is_empty() {
            self.out.push_str("<ul class=\"soft\">\n");
            for (name, note) in &question.notes {
                put!(self.out, "<li>{}: {}</li>\n", escape(name), escape(note));
            }
            self.out.push_str("</ul>\n");
        }
        for panel in &question.panels {
            self.panel(question, panel);
        }
        self.scores(question);
        self.out.push_str("</section>\n");
    }

    fn panel(&mut self, question: &Question, panel: &Panel) {
        put!(self.out, "<h4>{}</h4>\n<div class=\"charts\">\n", escape(&panel.title()));
        self.curves(question, panel);
        if let (Some(smallest), Some(largest)) = (panel.points.first(), panel.points.last()) {
            let caption = "The median of one operation, with its quartiles. Shorter is better.";
            self.bars(question, smallest, &format!("Time at {}", smallest.size), caption, |row| {
                Some((row.seconds?, number::median(row.seconds?, TIME)))
            });
            let caption = "The peak of the process that does the work. Shorter is better.";
            self.bars(question, largest, &format!("Peak memory at {}", largest.size), caption, |row| {
                Some((exact(row.peak_bytes? as f64), number::memory(row.peak_bytes?)))
            });
            let caption = "The longest that one unit took: the median over the samples, and to the longest of all.";
            self.bars(question, largest, &format!("Longest pause at {}", largest.size), caption, |row| {
                let median = row.longest_seconds?;
                let spread = Spread { lower: median, median, upper: row.longest_of_all_seconds.unwrap_or(median) };
                Some((spread, number::quantity(median, 2, TIME)))
            });
        }
        self.ratios(question, panel);
        self.out.push_str("</div>\n");
        grid(self.out, &grid::panel(question, panel), &format!("All sizes of {}", panel.title()));
        let growth = grid::growth(panel);
        if !growth.is_empty() {
            grid(self.out, &growth, &format!("Growth of {} over the sizes; an exponent of 1 is linear", panel.title()));
        }
    }

    fn curves(&mut self, question: &Question, panel: &Panel) {
        if panel.points.len() < 2 {
            return;
        }
        let value = |row: &Row| if panel.kind == Kind::Latency { row.seconds } else { row.rate(panel.kind) };
        let units: &[(f64, &'static str)] = match panel.kind {
            Kind::Throughput => RATE,
            Kind::Latency => TIME,
            Kind::Operations => &[(1e6, "M/s"), (1e3, "k/s"), (1.0, "/s"), (1e-3, "m/s")],
        };
        // Nothing has no logarithm.
        let measurable = || panel.points.iter().filter(|point| point.bytes > 0);
        let sizes: Vec<(f64, &str)> = measurable().map(|point| (point.bytes as f64, point.size.as_str())).collect();
        let series = panel.names().into_iter().map(|name| {
            let points = measurable().filter_map(|point| {
                let row = point.rows.iter().find(|row| row.name == name)?;
                let spread = value(row)?;
                let text = format!("{name} at {}: {}", point.size, number::median(spread, units));
                Some((point.bytes as f64, spread, text))
            });
            Series { name, style: self.style(question, name), points: points.collect() }
        });
        let series: Vec<Series> = series.collect();
        let (title, better) = match panel.kind {
            Kind::Throughput => ("Throughput over size".to_owned(), "Higher"),
            Kind::Latency => ("Time over size".to_owned(), "Lower"),
            Kind::Operations => (format!("{} a second over size", capital(panel.units())), "Higher"),
        };
        let caption = format!("Medians with their quartiles, both axes in logarithms. {better} is better.");
        self.figure(&title, &caption, |frame| chart::lines(frame, &sizes, &series, units));
    }

    fn ratios(&mut self, question: &Question, panel: &Panel) {
        let caption = |of: &str| {
            format!(
                "Each time divided by that of {of}, with its interval. Right of 1: {of} takes less time. Hollow: level; \
                 dashed: too noisy to say."
            )
        };
        let reference = &question.reference;
        let title = format!("Time ÷ {reference}");
        self.ratio(question, panel, &title, &caption(reference), |row| (row.ratio, row.verdict));
        if let Some(lead) = question.lead.as_ref().filter(|lead| *lead != reference) {
            let title = format!("Time ÷ {lead}");
            self.ratio(question, panel, &title, &caption(lead), |row| (row.lead_ratio, row.lead_verdict));
        }
    }

    fn ratio(
        &mut self,
        question: &Question,
        panel: &Panel,
        title: &str,
        caption: &str,
        value: impl Fn(&Row) -> (Option<Spread>, Option<Verdict>),
    ) {
        let bar = |row: &Row| {
            let (Some(spread), verdict) = value(row) else { return None };
            let look = Look::of(verdict);
            let label = match look {
                Look::Full => number::times(spread),
                Look::Level => format!("{} level", number::times(spread)),
                Look::Noisy => format!("{} noisy", number::times(spread)),
            };
            Some((row.name.clone(), spread, label, look))
        };
        let most = panel.names().len().max(1);
        let wanted = RATIO_SIZES.min((RATIO_BARS / most).max(2));
        let chosen = choose(&panel.points, wanted);
        let values: Vec<(String, Vec<_>)> = chosen
            .iter()
            .map(|point| (point.size.clone(), point.rows.iter().filter_map(bar).collect::<Vec<_>>()))
            .filter(|(_, bars)| !bars.is_empty())
            .collect();
        let groups: Vec<(String, Vec<Bar>)> = values
            .iter()
            .map(|(size, bars)| {
                let bars = bars.iter().map(|(name, spread, label, look)| Bar {
                    name,
                    style: self.style(question, name),
                    spread: *spread,
                    label: label.clone(),
                    look: *look,
                });
                (size.clone(), bars.collect())
            })
            .collect();
        let left_out = panel.points.len() - chosen.len();
        let caption = match left_out {
            0 => caption.to_owned(),
            count => format!("{caption} {count} more {} in the table.", words::plural(count, "size")),
        };
        self.figure(title, &caption, |frame| chart::ratios(frame, &groups));
    }

    fn bars(
        &mut self,
        question: &Question,
        point: &Point,
        title: &str,
        caption: &str,
        value: impl Fn(&Row) -> Option<(Spread, String)>,
    ) {
        let mut bars: Vec<Bar> = point
            .rows
            .iter()
            .filter_map(|row| {
                let (spread, label) = value(row)?;
                Some(Bar { name: &row.name, style: self.style(question, &row.name), spread, label, look: Look::Full })
            })
            .collect();
        bars.sort_by(|one, other| one.spread.median.total_cmp(&other.spread.median));
        self.figure(title, caption, |frame| chart::bars(frame, &bars));
    }

    fn scores(&mut self, question: &Question) {
        if question.scores.is_empty() {
            return;
        }
        let mut bars: Vec<Bar> = question
            .scores
            .iter()
            .map(|(name, score)| Bar {
                name,
                style: self.style(question, name),
                spread: exact(score.total),
                label: number::plain(score.total, 2),
                look: Look::Full,
            })
            .collect();
        bars.sort_by(|one, other| other.spread.median.total_cmp(&one.spread.median));
        self.out.push_str("<h4>Score</h4>\n<div class=\"wide\">\n");
        self.figure("Score out of 100", "The mean over all operations and sizes. Longer is better.", |frame| {
            chart::bars(frame, &bars)
        });
        self.out.push_str("<div>\n");
        grid(self.out, &grid::scores(question), "The score and its parts, each relative to the best contender");
        self.out.push_str("</div>\n</div>\n<p class=\"soft\"><a href=\"#score\">How the score is made</a></p>\n");
    }
}

fn exact(value: f64) -> Spread {
    Spread { lower: value, median: value, upper: value }
}

/// So many, the first and the last among them.
fn choose(points: &[Point], count: usize) -> Vec<&Point> {
    if points.len() <= count {
        return points.iter().collect();
    }
    (0..count).map(|at| &points[at * (points.len() - 1) / (count - 1)]).collect()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A table in a box of its own, which scrolls where it is too wide.
fn grid(out: &mut String, grid: &Grid, caption: &str) {
    if grid.is_empty() {
        return;
    }
    let caption = escape(caption);
    put!(out, "<p class=\"caption\">{caption}</p>\n");
    put!(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table>\n");
    out.push_str("<thead><tr>");
    for column in &grid.columns {
        let class = if column.words { " class=\"words\"" } else { "" };
        put!(out, "<th scope=\"col\"{class}>{}</th>", escape(&column.title));
    }
    out.push_str("</tr></thead>\n");
    for group in &grid.groups {
        out.push_str("<tbody>\n");
        if let Some(heading) = &group.heading {
            put!(
                out,
                "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}",
                grid.columns.len(),
                escape(heading)
            );
            if let Some(remark) = &group.remark {
                put!(out, " <span class=\"remark\">({})</span>", escape(remark));
            }
            out.push_str("</th></tr>\n");
        }
        for line in &group.lines {
            out.push_str(if line.ours { "<tr class=\"ours\">" } else { "<tr>" });
            for (at, (cell, column)) in line.cells.iter().zip(&grid.columns).enumerate() {
                let cell = escape(cell);
                match (at, column.words) {
                    (0, _) => put!(out, "<th scope=\"row\">{cell}</th>"),
                    (_, true) if cell.chars().count() <= SHORT => put!(out, "<td class=\"words short\">{cell}</td>"),
                    (_, true) => put!(out, "<td class=\"words\">{cell}</td>"),
                    (_, false) => put!(out, "<td>{cell}</td>"),
                }
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table>\n</div>\n");
}

/// The Markdown that README.md of `bench` uses: paragraphs, lists, code, links, emphasis.
fn markdown(text: &str) -> String {
    let mut blocks: Vec<(bool, String)> = Vec::new();
    let mut fresh = true;
    for line in text.lines() {
        let trimmed = line.trim();
        let item = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* "));
        match (trimmed.is_empty(), item, blocks.last_mut()) {
            (true, ..) => fresh = true,
            (_, Some(item), _) => {
                blocks.push((true, item.to_owned()));
                fresh = false;
            }
            (_, None, Some((_, block))) if !fresh => {
                block.push(' ');
                block.push_str(trimmed);
            }
            _ => {
                blocks.push((false, trimmed.to_owned()));
                fresh = false;
            }
        }
    }
    let mut out = String::new();
    let mut in_list = false;
    for (item, block) in blocks {
        if item != in_list {
            out.push_str(if item { "<ul>\n" } else { "</ul>\n" });
            in_list = item;
        }
        let element = if item { "li" } else { "p" };
        put!(out, "<{element}>{}</{element}>\n", inline(&block));
    }
    if in_list {
        out.push_str("</ul>\n");
    }
    out
}

fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '*']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        let mark = if rest.starts_with("**") { "**" } else { &rest[..1] };
        let inside = &rest[mark.len()..];
        let found = match mark {
            "`" => inside.split_once('`').map(|(code, after)| (format!("<code>{}</code>", escape(code)), after)),
            "**" => inside.split_once("**").map(|(strong, after)| (format!("<b>{}</b>", inline(strong)), after)),
            "*" => inside.split_once('*').map(|(stressed, after)| (format!("<em>{}</em>", inline(stressed)), after)),
            _ => inside.split_once("](").and_then(|(words, after)| {
                let (url, after) = after.split_once(')')?;
                // A link within the repository leads nowhere from here.
                let words = inline(words);
                Some((if is_link(url) { format!("<a href=\"{}\">{words}</a>", escape(url)) } else { words }, after))
            }),
        };
        match found {
            Some((html, after)) => {
                out.push_str(&html);
                rest = after;
            }
            None => {
                out.push_str(&escape(mark));
                rest = inside;
            }
        }
    }
    out + &escape(rest)
}

fn is_link(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_s_markdown_becomes_html() {
        let text =
            "- One `a < b`\n  and *more*.\n- [two](https://example.org/?a&b)\n\nA **paragraph**, 2 * 3, [x](y.md).";
        let html = "<ul>\n<li>One <code>a &lt; b</code> and <em>more</em>.</li>\n\
            <li><a href=\"https://example.org/?a&amp;b\">two</a></li>\n</ul>\n\
            <p>A <b>paragraph</b>, 2 * 3, x.</p>\n";
        assert_eq!(markdown(text), html);
    }

    #[test]
    fn a_script_in_a_link_is_text() {
        assert_eq!(inline("[a](javascript:b)<script>"), "a&lt;script&gt;");
    }
}
