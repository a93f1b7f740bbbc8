//! Before and after: Sealstone as an earlier commit has it and as it is now take turns.

use crate::definition::{Definition, Entry, Size};
use crate::measure::{self, BEFORE, Engines, Plan};
use crate::record::{Contender, Outcome};
use crate::stats::{Spread, Verdict};
use std::fmt::Write;

/// The least that before ÷ now may be.
pub const LEAST: f64 = 0.97;
/// How often a cell below that is measured again.
const AGAIN: usize = 2;

/// What both contenders are called.
const THEN: &str = "before";
const NOW: &str = "now";

/// One operation at one size: what it took before, and what it takes now.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Seconds of each, and before ÷ now.
    Compared { before: Spread, now: Spread, ratio: Spread, noisy: bool },
    /// The earlier commit cannot do it.
    New { why: String },
    /// The earlier commit can do it, and this one cannot.
    Lost { why: String },
}

impl Cell {
    /// `None` of what neither offers.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let why_not = |contender: Option<&Contender>| match contender {
            None => "it is not offered".to_owned(),
            Some(contender) => contender.error.clone().unwrap_or_else(|| "it was not timed".to_owned()),
        };
        let timed = |name| {
            let contender = outcome.contender(name);
            let timing = contender.and_then(|contender| contender.timing.as_ref());
            timing.ok_or_else(|| why_not(contender))
        };
        match (timed(THEN), timed(NOW)) {
            (Ok(before), Ok(now)) => {
                let (ratio, before, now) = (*before.ratios.get(NOW)?, before.seconds, now.seconds);
                Some(Self::Compared { before, now, ratio, noisy: Verdict::of(ratio) == Verdict::Noisy })
            }
            (Err(why), Ok(_)) => Some(Self::New { why }),
            (_, Err(_)) if outcome.contenders.is_empty() => None,
            (_, Err(why)) => Some(Self::Lost { why }),
        }
    }

    /// Whether it is below what is allowed, for sure or in noise.
    pub fn is_below(&self) -> bool {
        matches!(self, Self::Compared { ratio, .. } if ratio.median < LEAST)
    }

    /// Whether a run with it fails.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Compared { noisy, .. } => self.is_below() && !noisy,
            Self::New { .. } => false,
            Self::Lost { .. } => true,
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Compared { before, now, ratio, noisy } => {
                let (before, now) = (before.median * 1e6, now.median * 1e6);
                let Spread { lower, median, upper } = ratio;
                write!(f, "{before:>14.3} µs {now:>14.3} µs   {median:.3} ({lower:.3} to {upper:.3})")?;
                f.write_str(if self.is_below() { ", below" } else { "" })?;
                f.write_str(if *noisy { ", noisy" } else { "" })
            }
            Self::New { why } => write!(f, "left out, since the earlier commit cannot do it: {why}"),
            Self::Lost { why } => write!(f, "the earlier commit can do it, and this one cannot: {why}"),
        }
    }
}

/// Lets both take turns in all that Sealstone does in these definitions. A cell that is below what is allowed is measured again,
/// each time by new processes, and all of its samples count.
pub fn run(definitions: &[Definition], plan: &Plan, engines: &mut Engines<'_>) -> Result<Vec<Outcome>, String> {
    let pairs: Vec<_> = definitions.iter().flat_map(|definition| pairs(definition, plan)).collect();
    for entry in pairs.iter().flat_map(|pair| &pair.contenders) {
        engines.build(&entry.engine)?;
    }
    let mut outcomes = Vec::new();
    for pair in &pairs {
        for mut outcome in measure::run(pair, plan, engines)? {
            for _ in 0..AGAIN {
                if !Cell::of(&outcome).is_some_and(|cell| cell.is_below()) {
                    break;
                }
                let size = Size::try_from(outcome.size.clone())?;
                let alone =
                    Definition { operations: vec![outcome.operation.clone()], sizes: vec![size], ..pair.clone() };
                for again in measure::run(&alone, plan, engines)? {
                    pool(&mut outcome, again);
                }
            }
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// For each contender of ours a definition of two: as it was, and as it is. An engine that the earlier commit has not got is
/// alone in its definition.
fn pairs(definition: &Definition, plan: &Plan) -> Vec<Definition> {
    let ours = definition.contenders.iter().filter(|entry| entry.ours);
    ours.map(|entry| {
        let now = Entry { name: NOW.to_owned(), ..entry.clone() };
        let before = Entry { name: THEN.to_owned(), engine: format!("{BEFORE}{}", entry.engine), ..entry.clone() };
        let is_there = plan.before.as_ref().is_some_and(|places| places.engines.join(&entry.engine).is_dir());
        Definition {
            name: format!("{}, {}", definition.name, entry.name),
            contenders: if is_there { vec![before, now] } else { vec![now] },
            reference: THEN.to_owned(),
            // Of two that take turns, one is always right before the other.
            beside: false,
            published: None,
            ..definition.clone()
        }
    })
    .collect()
}

/// Adds what was measured later to what was measured before.
fn pool(outcome: &mut Outcome, again: Outcome) {
    outcome.steal = outcome.steal.max(again.steal);
    for later in again.contenders {
        let Some(contender) = outcome.contenders.iter_mut().find(|contender| contender.name == later.name) else {
            continue;
        };
        contender.samples.extend(later.samples);
        if let Some(error) = later.error {
            (contender.samples, contender.error) = (Vec::new(), Some(error));
        }
    }
    outcome.summarize();
}

/// What is to be compared; nothing of what neither offers.
pub fn cells(outcomes: &[Outcome]) -> Vec<(&Outcome, Cell)> {
    outcomes.iter().filter_map(|outcome| Some((outcome, Cell::of(outcome)?))).collect()
}

/// Every cell in a line; then those below or lost again, and how many there are.
pub fn table(cells: &[(&Outcome, Cell)]) -> String {
    let mut text = String::new();
    for group in cells.chunk_by(|(one, _), (other, _)| one.definition == other.definition) {
        let definition = &group[0].0.definition;
        let _ = writeln!(text, "\n{definition:<42} {THEN:>14}    {NOW:>14}      {THEN} ÷ {NOW}");
        for (outcome, cell) in group {
            let _ = writeln!(text, "  {:<40} {cell}", place(outcome));
        }
    }
    let named: Vec<_> = cells.iter().filter(|(_, cell)| cell.is_below() || cell.is_failure()).collect();
    if !named.is_empty() {
        let _ = writeln!(text, "\nBelow {LEAST}, or lost:");
    }
    for (outcome, cell) in &named {
        let _ = writeln!(text, "  {}: {}: {}", outcome.definition, place(outcome), cell.to_string().trim_start());
    }
    let count = |is: fn(&Cell) -> bool| cells.iter().filter(|(_, cell)| is(cell)).count();
    let failed = count(Cell::is_failure);
    let noisy = count(|cell| matches!(cell, Cell::Compared { noisy: true, .. }));
    let new = count(|cell| matches!(cell, Cell::New { .. }));
    let _ = writeln!(text, "\n{} cells: {failed} failed, {noisy} noisy, {new} left out", cells.len());
    text
}

fn place(outcome: &Outcome) -> String {
    let place = outcome.place.as_ref().map(|place| format!(" on {place}")).unwrap_or_default();
    format!("{}, {}{place}", outcome.operation, outcome.size)
}
