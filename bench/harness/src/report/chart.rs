//! Charts: inline SVG without scripts, 400 units wide so that a phone shows them at their own size. Colours come from
//! the page's CSS by class, so that they follow dark mode; shapes and dashes differ where colours do.

use super::markup::{escape_html as escape, put};
use super::number;
use crate::stats::{Spread, Verdict};
use serde::Serialize;
use std::fmt::Write;

const WIDTH: f64 = 400.0;
/// Those of the first screen are narrower, so that their text is larger where they are as wide.
const TILE: f64 = 360.0;
/// From one line of text to the next.
const LINE: f64 = 12.5;
/// A label may be so wide before it is broken, and so wide again before it is cut.
const LABEL: f64 = 128.0;
/// So many peers have a colour and a shape of their own.
pub(super) const COLOURS: usize = 8;

/// What a contender looks like, the same in all charts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    /// Which peer's colour; none is ours.
    pub(super) peer: Option<usize>,
    /// Among the contenders of the same engine.
    pub(super) variant: usize,
}

impl Style {
    pub(super) fn class(self) -> String {
        self.peer.map_or_else(|| "ours".to_owned(), |peer| format!("p{}", peer % COLOURS))
    }

    fn shape(self) -> usize {
        self.peer.map_or(self.variant * 3, |peer| 1 + peer + self.variant)
    }

    fn dash(self) -> &'static str {
        ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\"", " stroke-dasharray=\"8 3 2 3\""]
            [self.variant % 4]
    }
}

/// What every chart has.
pub(super) struct Frame<'a> {
    /// Unique on the page.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) description: &'a str,
}

impl Frame<'_> {
    fn draw(&self, height: f64, body: &str) -> String {
        self.draw_wide(WIDTH, height, body)
    }

    fn draw_wide(&self, width: f64, height: f64, body: &str) -> String {
        let (id, title, description) = (self.id, escape(self.title), escape(self.description));
        format!(
            "<svg viewBox=\"0 0 {width} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{title}</title>\n<desc id=\"{id}-d\">{description}</desc>\n{body}</svg>\n"
        )
    }
}

/// One contender over all sizes.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    /// Bytes, value, and what to say of it.
    pub(super) points: Vec<(f64, Spread, String)>,
}

/// One value of one contender.
pub(super) struct Bar<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    pub(super) spread: Spread,
    pub(super) label: String,
    pub(super) look: Look,
}

/// How sure a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Decided.
    Full,
    /// Hollow.
    Level,
    /// Hollow and dashed.
    Noisy,
}

impl Look {
    pub(super) fn of(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::Level) => Self::Level,
            Some(Verdict::Noisy) => Self::Noisy,
            _ => Self::Full,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Full => "bar",
            Self::Level => "bar hollow",
            Self::Noisy => "bar hollow noisy",
        }
    }
}

/// A line of a tile.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    pub(super) name: String,
    #[serde(skip)]
    pub(super) style: Style,
    pub(super) length: Option<Length>,
    #[serde(skip)]
    pub(super) look: Look,
    /// What stands at its end.
    pub(super) texts: [String; 2],
    pub(super) note: Option<String>,
}

/// How long a line's bar is.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Length {
    /// So many times what ours takes, on a scale of logarithms.
    Times(f64),
    /// A part of all.
    Part(f64),
}

impl Line {
    /// How many times what ours takes, where that is known.
    pub(super) fn factor(&self) -> Option<f64> {
        match self.length? {
            Length::Times(factor) => Some(factor),
            Length::Part(_) => None,
        }
    }
}

/// Charts with headings that stand beside each other: as high, and with one scale, so that an inch is the same factor in all.
pub(super) struct Tiles {
    scale: Log,
    lines: usize,
}

/// A scale of logarithms.
struct Log {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Log {
    fn at(&self, value: f64) -> f64 {
        let part = (value.ln() - self.from.ln()) / (self.to.ln() - self.from.ln());
        self.start + part.clamp(-0.02, 1.02) * (self.end - self.start)
    }

    /// At least two round values, at most about seven.
    fn ticks(&self) -> Vec<f64> {
        let (first, last) = (self.from.log10().floor(), self.to.log10().ceil());
        let inside = |value: &f64| (self.from * 0.999..=self.to * 1.001).contains(value);
        let steps: [&[f64]; 4] =
            [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]];
        let mut best = Vec::new();
        for multiples in steps {
            let mut ticks = Vec::new();
            let mut exponent = first;
            while exponent <= last {
                ticks.extend(multiples.iter().map(|multiple| multiple * 10_f64.powf(exponent)).filter(inside));
                exponent += 1.0;
            }
            if ticks.len() > 7 && best.len() >= 2 {
                break;
            }
            best = ticks;
            if best.len() >= 4 {
                break;
            }
        }
        while best.len() > 7 {
            best = best.into_iter().step_by(2).collect();
        }
        best
    }
}

/// Values against sizes, both in logarithms.
pub(super) fn lines(frame: &Frame, sizes: &[(f64, &str)], series: &[Series], units: &[(f64, &'static str)]) -> String {
    let series: Vec<&Series> = series.iter().filter(|one| !one.points.is_empty()).collect();
    let labels: Vec<Vec<String>> = series.iter().map(|one| wrap(one.name)).collect();
    let widths =
        series.iter().zip(&labels).flat_map(|(one, lines)| lines.iter().map(|line| name_width(line, one.style)));
    let label_width = widths.fold(0.0, f64::max);
    let lines: usize = labels.iter().map(Vec::len).sum();
    let (left, right) = (58.0, WIDTH - label_width - 22.0);
    let (top, bottom) = (8.0, 8.0 + f64::max(220.0, lines as f64 * (LINE + 2.0)));
    let values = || series.iter().flat_map(|one| &one.points).map(|(_, spread, _)| spread);
    let (low, high) =
        values().fold((f64::INFINITY, 0.0_f64), |(low, high), spread| (low.min(spread.lower), high.max(spread.upper)));
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return String::new() };
    if series.is_empty() || first.0 >= last.0 {
        return String::new();
    }
    let x = Log { from: first.0, to: last.0, start: left, end: right };
    // Points at the ends do not sit on the frame.
    let margin = (high / low).powf(0.04).max(1.1);
    let y = Log { from: low / margin, to: high * margin, start: bottom, end: top };

    let mut body = String::new();
    for tick in y.ticks() {
        let at = y.at(tick);
        put!(body, "<line class=\"grid\" x1=\"{left}\" x2=\"{right:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\n");
        let text = number::quantity(tick, 1, units);
        put!(body, "<text class=\"soft end\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>\n", left - 6.0, at + 4.0);
    }
    put!(body, "<line class=\"axis\" x1=\"{left}\" x2=\"{right:.1}\" y1=\"{bottom:.1}\" y2=\"{bottom:.1}\"/>\n");
    let mut free = f64::NEG_INFINITY;
    for (at, (bytes, label)) in sizes.iter().enumerate() {
        let (middle, half) = (x.at(*bytes), width(label) / 2.0);
        put!(
            body,
            "<line class=\"axis\" x1=\"{middle:.1}\" x2=\"{middle:.1}\" y1=\"{bottom:.1}\" y2=\"{:.1}\"/>\n",
            bottom + 4.0
        );
        // The largest is always named; who would touch it, or the one before, is not.
        let is_last = at + 1 == sizes.len();
        let reserved = x.at(last.0) - width(last.1) / 2.0 - 6.0;
        if is_last || (middle - half > free && middle + half < reserved) {
            put!(
                body,
                "<text class=\"soft middle\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\n",
                bottom + 17.0,
                escape(label)
            );
            free = middle + half + 6.0;
        }
    }
    // Ours last, so that they lie on top.
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by_key(|at| series[*at].style.peer.is_none());
    for at in order {
        curve(&mut body, series[at], &x, &y);
    }
    let mut places: Vec<(usize, f64)> = Vec::new();
    for (at, one) in series.iter().enumerate() {
        let end = one.points.last().map_or(top, |(_, spread, _)| y.at(spread.median));
        places.push((at, end));
    }
    let heights: Vec<f64> = labels.iter().map(|lines| lines.len() as f64 * LINE + 1.5).collect();
    let bottom_label = dodge(&mut places, &heights, top - 4.0, bottom + 4.0);
    for (at, middle) in places {
        let one = series[at];
        let class = one.style.class();
        if let Some((bytes, spread, _)) = one.points.last() {
            let (from_x, from_y) = (x.at(*bytes) + 6.0, y.at(spread.median));
            put!(
                body,
                "<path class=\"{class} leader\" d=\"M{from_x:.1} {from_y:.1}L{:.1} {middle:.1}\"/>\n",
                right + 16.0
            );
        }
        let start = middle - (labels[at].len() as f64 - 1.0) * LINE / 2.0 + 4.0;
        for (line, text) in labels[at].iter().enumerate() {
            let line_y = start + line as f64 * LINE;
            put!(body, "<text class=\"{class}\" x=\"{:.1}\" y=\"{line_y:.1}\">{}</text>\n", right + 18.0, escape(text));
        }
    }
    frame.draw(f64::max(bottom + 24.0, bottom_label), &body)
}

fn curve(body: &mut String, series: &Series, x: &Log, y: &Log) {
    let class = series.style.class();
    put!(body, "<g class=\"{class}\">\n<path class=\"curve\"{} d=\"", series.style.dash());
    for (at, (bytes, spread, _)) in series.points.iter().enumerate() {
        let letter = if at == 0 { 'M' } else { 'L' };
        put!(body, "{letter}{:.1} {:.1}", x.at(*bytes), y.at(spread.median));
    }
    body.push_str("\"/>\n");
    for (bytes, spread, text) in &series.points {
        let (at, low, high) = (x.at(*bytes), y.at(spread.lower), y.at(spread.upper));
        let (left, right) = (at - 3.0, at + 3.0);
        put!(
            body,
            "<path class=\"whisker\" d=\"M{at:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}H{right:.1}\
             M{left:.1} {high:.1}H{right:.1}\"/>\n"
        );
        let size = if series.style.peer.is_none() { 4.5 } else { 3.8 };
        let marker = marker(series.style.shape(), at, y.at(spread.median), size);
        put!(body, "<path class=\"marker\" d=\"{marker}\"><title>{}</title></path>\n", escape(text));
    }
    body.push_str("</g>\n");
}

/// Moves labels of these heights apart, within bounds if they fit; gives where the last one ends.
fn dodge(places: &mut [(usize, f64)], heights: &[f64], top: f64, bottom: f64) -> f64 {
    places.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut free = top;
    for (at, middle) in places.iter_mut() {
        *middle = middle.max(free + heights[*at] / 2.0);
        free = *middle + heights[*at] / 2.0;
    }
    let mut ceiling = bottom.max(top + heights.iter().sum::<f64>());
    for (at, middle) in places.iter_mut().rev() {
        *middle = middle.min(ceiling - heights[*at] / 2.0);
        ceiling = *middle - heights[*at] / 2.0;
    }
    places.last().map_or(bottom, |(at, middle)| middle + heights[*at] / 2.0)
}

/// Bars from zero.
pub(super) fn bars(frame: &Frame, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.spread.median).fold(0.0, f64::max);
    if bars.is_empty() || most <= 0.0 {
        return String::new();
    }
    let left = label_column(bars.iter().map(|bar| (bar.name, bar.style)));
    let value_width = bars.iter().map(|bar| name_width(&bar.label, bar.style)).fold(0.0, f64::max);
    let right = WIDTH - value_width - 10.0;
    // A whisker may be longer than the longest bar, but not make all bars short.
    let longest = bars.iter().map(|bar| bar.spread.upper).fold(most, f64::max).min(most * 1.5);
    let at = |value: f64| left + (value / longest).clamp(0.0, 1.0) * (right - left);
    let mut body = String::new();
    let mut y = 4.0;
    for bar in bars {
        y += row(&mut body, bar.name, bar.style, left, y, |body, middle| {
            draw_bar(body, bar, (left, at(bar.spread.median)), [at(bar.spread.lower), at(bar.spread.upper)], middle);
        });
    }
    put!(body, "<line class=\"axis\" x1=\"{left:.1}\" x2=\"{left:.1}\" y1=\"2\" y2=\"{:.1}\"/>\n", y + 1.0);
    frame.draw(y + 4.0, &body)
}

/// Bars from 1 on a scale of logarithms, in groups with headings.
pub(super) fn ratios(frame: &Frame, groups: &[(String, Vec<Bar>)]) -> String {
    let all = || groups.iter().flat_map(|(_, bars)| bars);
    if all().next().is_none() {
        return String::new();
    }
    let left = label_column(all().map(|bar| (bar.name, bar.style)));
    let value_width = all().map(|bar| name_width(&bar.label, bar.style)).fold(0.0, f64::max);
    let spreads: Vec<Spread> = all().map(|bar| bar.spread).collect();
    let scale = around_one(&spreads, left + 6.0, WIDTH - value_width - 12.0);
    let mut rows = String::new();
    let mut y = 18.0;
    for (heading, bars) in groups {
        put!(rows, "<text class=\"heading\" x=\"0\" y=\"{:.1}\">{}</text>\n", y + 12.0, escape(heading));
        y += 17.0;
        for bar in bars {
            y += row(&mut rows, bar.name, bar.style, left, y, |body, middle| {
                let ends = [bar.spread.lower, bar.spread.upper].map(|value| scale.at(value));
                draw_bar(body, bar, (scale.at(1.0), scale.at(bar.spread.median)), ends, middle);
            });
        }
        y += 4.0;
    }
    frame.draw(y + 2.0, &(axis(&scale, y) + &rows))
}

impl Tiles {
    /// From one line to the next.
    const LINE: f64 = 18.0;
    /// Where the lines begin, and where their texts end.
    const TOP: f64 = 38.0;
    const ENDS: [f64; 2] = [TILE - 62.0, TILE - 14.0];

    pub(super) fn of(tiles: &[&[Line]]) -> Self {
        let all = || tiles.iter().copied().flatten();
        let names = all().map(|line| name_width(&line.name, line.style)).fold(0.0, f64::max);
        let factors = || all().filter_map(Line::factor);
        let (least, most) = (factors().fold(1.0, f64::min), factors().fold(10.0, f64::max));
        // What ours takes has a length too.
        let scale = Log { from: least / 2.0, to: most * 1.1, start: names + 8.0, end: Self::ENDS[0] - 48.0 };
        Self { scale, lines: tiles.iter().map(|tile| tile.len()).max().unwrap_or(0) }
    }

    /// The frame's title and a sentence, and the lines below them.
    pub(super) fn draw(&self, frame: &Frame, sentence: &str, lines: &[Line]) -> String {
        let Log { start, end, .. } = self.scale;
        let mut body = String::new();
        put!(body, "<text class=\"heading\" y=\"12\">{}</text>\n", escape(frame.title));
        put!(body, "<text class=\"strong\" y=\"28\">{}</text>\n", escape(sentence));
        if lines.iter().any(|line| line.factor().is_some()) {
            self.ticks(&mut body, Self::TOP + Self::LINE * lines.len() as f64);
        }
        for (at, line) in lines.iter().enumerate() {
            let middle = Self::TOP + Self::LINE * (at as f64 + 0.5);
            let strong = if line.style.peer.is_none() { " strong" } else { "" };
            let y = middle + 4.0;
            put!(body, "<text class=\"name{strong}\" y=\"{y:.1}\">{}</text>\n", escape(&line.name));
            if let Some(length) = line.length {
                let to = match length {
                    Length::Times(factor) => self.scale.at(factor),
                    Length::Part(part) => start + part * (end - start),
                };
                bar(&mut body, line.style, line.look, (start, to), middle);
            }
            for (text, x) in line.texts.iter().zip(Self::ENDS).filter(|(text, _)| !text.is_empty()) {
                put!(body, "<text class=\"end{strong}\" x=\"{x}\" y=\"{y:.1}\">{}</text>\n", escape(text));
            }
        }
        frame.draw_wide(TILE, Self::TOP + Self::LINE * self.lines as f64 + 26.0, &body)
    }

    /// What ours takes, and ten times that, and so on.
    fn ticks(&self, body: &mut String, bottom: f64) {
        for power in 0.. {
            let tick = 10_f64.powi(power);
            if tick > self.scale.to {
                break;
            }
            let at = self.scale.at(tick);
            let (class, top) = (if power == 0 { "axis" } else { "grid" }, Self::TOP);
            put!(body, "<line class=\"{class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>\n");
            let (text, y) = (number::plain(tick, 1), bottom + 13.0);
            put!(body, "<text class=\"soft middle\" x=\"{at:.1}\" y=\"{y:.1}\">{text}×</text>\n");
        }
    }
}

fn around_one(spreads: &[Spread], start: f64, end: f64) -> Log {
    let from = spreads.iter().map(|spread| spread.lower).fold(0.93, f64::min) / 1.04;
    let to = spreads.iter().map(|spread| spread.upper).fold(1.25, f64::max) * 1.04;
    Log { from, to, start, end }
}

fn axis(scale: &Log, bottom: f64) -> String {
    let mut body = String::new();
    let one = scale.at(1.0);
    let mut texts = vec![one];
    for tick in scale.ticks().into_iter().filter(|tick| (tick - 1.0).abs() > 1e-9) {
        let at = scale.at(tick);
        put!(body, "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"18\" y2=\"{bottom:.1}\"/>\n");
        if texts.iter().all(|text| (text - at).abs() > 27.0) {
            let digits = if (tick - tick.round()).abs() < 1e-9 || tick < 1.0 { 1 } else { 2 };
            put!(body, "<text class=\"soft middle\" x=\"{at:.1}\" y=\"12\">{}×</text>\n", number::plain(tick, digits));
            texts.push(at);
        }
    }
    put!(body, "<line class=\"one\" x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"16\" y2=\"{bottom:.1}\"/>\n");
    put!(body, "<text class=\"middle\" x=\"{one:.1}\" y=\"12\">1×</text>\n");
    body
}

/// A name and what stands beside it; gives the row's height.
fn row(body: &mut String, name: &str, style: Style, left: f64, y: f64, draw: impl Fn(&mut String, f64)) -> f64 {
    let lines = wrap(name);
    let height = f64::max(19.0, lines.len() as f64 * LINE + 6.0);
    let middle = y + height / 2.0;
    let start = middle - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    let class = if style.peer.is_none() { "end strong" } else { "end" };
    for (line, text) in lines.iter().enumerate() {
        let line_y = start + line as f64 * LINE;
        put!(body, "<text class=\"{class}\" x=\"{:.1}\" y=\"{line_y:.1}\">{}</text>\n", left - 6.0, escape(text));
    }
    draw(body, middle);
    height
}

fn bar(body: &mut String, style: Style, look: Look, (from, to): (f64, f64), middle: f64) {
    let (x, length, y) = (from.min(to), (to - from).abs().max(1.0), middle - 6.0);
    let (class, look) = (style.class(), look.class());
    put!(body, "<g class=\"{class}\">\n");
    put!(
        body,
        "<rect class=\"{look}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"12\" rx=\"1.5\"/>\n</g>\n"
    );
}

fn draw_bar(body: &mut String, bar: &Bar, (from, to): (f64, f64), [low, high]: [f64; 2], middle: f64) {
    self::bar(body, bar.style, bar.look, (from, to), middle);
    if high - low > 1.5 {
        let (top, bottom) = (middle - 3.5, middle + 3.5);
        put!(
            body,
            "<path class=\"ink\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {top:.1}V{bottom:.1}\
             M{high:.1} {top:.1}V{bottom:.1}\"/>\n"
        );
    }
    let after = from.max(to).max(high) + 5.0;
    let class = if bar.style.peer.is_none() { "value strong" } else { "value" };
    put!(body, "<text class=\"{class}\" x=\"{after:.1}\" y=\"{:.1}\">{}</text>\n", middle + 4.0, escape(&bar.label));
}

fn label_column<'a>(names: impl Iterator<Item = (&'a str, Style)>) -> f64 {
    let widths = names.flat_map(|(name, style)| wrap(name).into_iter().map(move |line| name_width(&line, style)));
    widths.fold(0.0, f64::max) + 8.0
}

/// A marker around a point: circle, square, triangle, diamond, triangle upside down, pentagon, and again.
fn marker(shape: usize, x: f64, y: f64, size: f64) -> String {
    let polygon = |corners: usize, turn: f64, size: f64| {
        let mut path = String::new();
        for corner in 0..corners {
            let angle = std::f64::consts::TAU * (corner as f64 / corners as f64) + turn.to_radians();
            let letter = if corner == 0 { 'M' } else { 'L' };
            put!(path, "{letter}{:.1} {:.1}", x + size * angle.cos(), y + size * angle.sin());
        }
        path + "Z"
    };
    match shape % 6 {
        0 => {
            let width = 2.0 * size;
            format!("M{:.1} {y:.1}a{size} {size} 0 1 0 {width} 0a{size} {size} 0 1 0 -{width} 0Z", x - size)
        }
        1 => polygon(4, 45.0, size * 1.2),
        2 => polygon(3, -90.0, size * 1.3),
        3 => polygon(4, 0.0, size * 1.3),
        4 => polygon(3, 90.0, size * 1.3),
        _ => polygon(5, -90.0, size * 1.15),
    }
}

/// A name in bold, if it is ours.
fn name_width(line: &str, style: Style) -> f64 {
    if style.peer.is_none() { width(line) * 1.1 } else { width(line) }
}

/// About so wide is a text of 11 pixels; too wide rather than too narrow.
fn width(text: &str) -> f64 {
    text.chars().map(|letter| if letter > '\u{2e7f}' { 11.0 } else { 6.1 }).sum()
}

/// A name on one line, or on two; what is longer still is cut.
fn wrap(name: &str) -> Vec<String> {
    if width(name) <= LABEL {
        return vec![name.to_owned()];
    }
    let (mut first, mut second) = (String::new(), String::new());
    for word in name.split_whitespace() {
        let line = if second.is_empty() && width(&first) + width(word) < LABEL { &mut first } else { &mut second };
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    [first, second].into_iter().filter(|line| !line.is_empty()).map(|line| cut(&line)).collect()
}

fn cut(line: &str) -> String {
    if width(line) <= LABEL {
        return line.to_owned();
    }
    let mut kept = String::new();
    for letter in line.chars() {
        if width(&kept) + 12.2 > LABEL {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_touch() {
        let mut places = vec![(0, 100.0), (1, 101.0), (2, 99.0), (3, 219.0), (4, 220.0)];
        dodge(&mut places, &[14.0; 5], 0.0, 225.0);
        assert!(places.windows(2).all(|pair| pair[1].1 - pair[0].1 >= 13.9), "{places:?}");
        assert!(places.iter().all(|(_, middle)| (7.0..=218.1).contains(middle)), "{places:?}");
    }

    #[test]
    fn ticks_are_few_and_at_least_two() {
        for (from, to) in [(1.0, 1.3), (0.2, 40.0), (0.9, 2.0), (1e3, 1e10), (3.0, 9.5), (1.0, 100.0), (0.5, 1e6)] {
            let ticks = Log { from, to, start: 0.0, end: 100.0 }.ticks();
            assert!((2..=8).contains(&ticks.len()), "{from} to {to}: {ticks:?}");
        }
    }

    #[test]
    fn long_names_are_broken_and_then_cut() {
        assert_eq!(wrap("age"), ["age"]);
        assert_eq!(wrap("openssl enc (not authenticated)").len(), 2);
        assert!(wrap(&"x".repeat(200))[0].ends_with('…'));
    }
}
