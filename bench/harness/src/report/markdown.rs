//! The report as Markdown.

use super::Report;
use super::grid::{self, Grid};
use super::markup::{escape_markdown as escape, put};
use super::matrix;
use super::model::{Panel, Question, Run};
use super::{score, words};
use std::fmt::Write;

pub(super) fn page(report: &Report) -> String {
    let mut out = "# Sealstone benchmark\n\n".to_owned();
    put!(out, "Made from records alone by `bench report`.\n\n");
    for run in &report.runs {
        self::run(&mut out, run);
    }
    if !(report.published.is_empty() && report.unmeasured.is_empty()) {
        out.push_str("## Published tables\n\n");
        put!(out, "{}\n\n", super::PUBLISHED);
        for reproduced in &report.published {
            let table = &reproduced.table;
            put!(out, "### {}\n\n", escape(table.title.as_ref().unwrap_or(&table.definition)));
            put!(out, "Source: {}", escape(&table.source));
            if let Some(url) = &table.url {
                put!(out, ", <{}>", url.replace(['<', '>', ' '], ""));
            }
            out.push_str(".\n\n");
            if let Some(note) = &table.note {
                put!(out, "{}\n\n", escape(note));
            }
            self::grid(&mut out, &grid::published(reproduced));
        }
        if let Some(text) = words::unmeasured(&report.unmeasured) {
            put!(out, "{}\n\n", escape(&text));
        }
    }
    put!(out, "## Method\n\n{}\n\n{}\n\n{}\n\n", words::METHOD, super::GROWTH, score::FORMULA);
    put!(out, "## Bias\n\n{}\n\n## Commands\n\n", report.bias.trim());
    for (command, what) in &report.commands {
        put!(out, "- {command}: {what}\n");
    }
    out
}

fn run(out: &mut String, run: &Run) {
    let machine = &run.machine;
    put!(out, "## {}, {}, {}\n\n", escape(&run.date), escape(&machine.cpu), escape(&run.round));
    for chart in &run.jobs {
        put!(out, "- {}\n", escape(&chart.text()));
    }
    let behind = grid::behind(run);
    if !behind.is_empty() {
        put!(out, "\n{}:\n\n", escape(words::BEHIND));
        self::grid(out, &behind);
    }
    put!(out, "\n{}\n\n", escape(words::MATRIX));
    for matrix in matrix::matrices(run) {
        put!(out, "**{}**\n\n", escape(matrix.question));
        self::grid(out, &grid::matrix(&matrix));
    }
    put!(out, "{}\n\n{}\n\n", escape(&words::summary(run)), escape(&words::noise(run)));
    for (name, value) in super::machine(machine) {
        put!(out, "- {name}: {}\n", escape(&value));
    }
    put!(out, "- again: `{}`\n\n", run.command.replace('`', "'"));
    grid(out, &grid::overview(run));
    grid(out, &grid::engines(run));
    let failures = grid::failures(run);
    if !failures.is_empty() {
        out.push_str("Not measured:\n\n");
        grid(out, &failures);
    }
    for chapter in &run.chapters {
        put!(out, "### {}\n\n", escape(&words::title(&chapter.group)));
        for question in &chapter.questions {
            self::question(out, question);
        }
    }
}

fn question(out: &mut String, question: &Question) {
    put!(out, "#### {}\n\n`{}`.\n\n", escape(&question.question), question.definition.replace('`', "'"));
    for (name, note) in &question.notes {
        put!(out, "- {}: {}\n", escape(name), escape(note));
    }
    if !question.notes.is_empty() {
        out.push('\n');
    }
    for panel in &question.panels {
        put!(out, "##### {}\n\n", escape(&panel.title()));
        grid(out, &grid::panel(question, panel));
        growth(out, panel);
    }
    if !question.scores.is_empty() {
        out.push_str("Score:\n\n");
        grid(out, &grid::scores(question));
    }
}

fn growth(out: &mut String, panel: &Panel) {
    let growth = grid::growth(panel);
    if !growth.is_empty() {
        out.push_str("Growth over the sizes; an exponent of 1 is linear:\n\n");
        grid(out, &growth);
    }
}

/// A table; headings are lines of their own.
fn grid(out: &mut String, grid: &Grid) {
    if grid.is_empty() {
        return;
    }
    let titles: Vec<String> = grid.columns.iter().map(|column| escape(&column.title)).collect();
    put!(out, "| {} |\n|", titles.join(" | "));
    for column in &grid.columns {
        out.push_str(if column.words { " --- |" } else { " --: |" });
    }
    out.push('\n');
    for group in &grid.groups {
        if let Some(heading) = &group.heading {
            let remark = group.remark.as_ref().map_or_else(String::new, |remark| format!(" ({})", escape(remark)));
            put!(out, "| **{}**{remark} |{}\n", escape(heading), " |".repeat(grid.columns.len() - 1));
        }
        for line in &group.lines {
            let mut cells: Vec<String> = line.cells.iter().map(|cell| escape(cell)).collect();
            if line.ours {
                cells[0] = format!("**{}**", cells[0]);
            }
            put!(out, "| {} |\n", cells.join(" | "));
        }
    }
    out.push('\n');
}
