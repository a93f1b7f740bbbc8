//! Two records of one machine: has an output changed, has Sealstone become slower?

use crate::machine::folder_name;
use crate::record::{Contender, Machine, Outcome, Record};
use crate::stats::Spread;

/// A slow-down of less is not worth a name, however sure.
const LEAST: f64 = 1.05;

/// What the later record has that the earlier had not.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The output is another.
    Output { place: String },
    /// It takes `factor` times as long, beyond the noise of both records.
    Slower { place: String, factor: f64, noise: f64 },
    /// It was measured before, and failed or is missing now.
    Missing { place: String, why: String },
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Output { place } => write!(f, "{place}: the output is another"),
            Self::Slower { place, factor, noise } => {
                write!(f, "{place}: {factor:.2} times as long, where {noise:.2} is noise")
            }
            Self::Missing { place, why } => write!(f, "{place}: {why}"),
        }
    }
}

/// Compares Sealstone's contenders of two records. A change that the peers of the same outcome show as well is the
/// machine's, and is divided out.
pub fn compare(baseline: &Record, candidate: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    for before in &baseline.results {
        let Some(after) = candidate.results.iter().find(|after| same_question(before, after)) else { continue };
        let drift = drift(before, after);
        for old in before.contenders.iter().filter(|contender| contender.ours && contender.error.is_none()) {
            let place = describe(before, old);
            let new = after.contender(&old.name);
            match new {
                None => findings.push(Finding::Missing { place, why: "not measured any more".to_owned() }),
                Some(Contender { error: Some(error), .. }) => {
                    findings.push(Finding::Missing { place, why: error.clone() });
                }
                Some(new) => {
                    if old.digest != new.digest {
                        findings.push(Finding::Output { place: place.clone() });
                    }
                    findings.extend(slower(place, old, new, drift));
                }
            }
        }
    }
    findings
}

/// Why records of these two are not compared.
pub fn of_two_machines(baseline: &Machine, candidate: &Machine) -> String {
    let [one, other] = [baseline, candidate].map(|machine| {
        let of_generation = if machine.family.is_empty() { ", its family and model unknown" } else { "" };
        format!("{}{of_generation} ({})", folder_name(machine), machine.features.join(" "))
    });
    format!("the records are of two machines, whose times say nothing of each other: {one}; {other}")
}

/// How many results both records have.
pub fn shared(baseline: &Record, candidate: &Record) -> usize {
    baseline.results.iter().filter(|before| candidate.results.iter().any(|after| same_question(before, after))).count()
}

fn same_question(one: &Outcome, other: &Outcome) -> bool {
    (&one.definition, &one.operation, &one.size, &one.place, one.bytes)
        == (&other.definition, &other.operation, &other.size, &other.place, other.bytes)
}

fn describe(outcome: &Outcome, contender: &Contender) -> String {
    let place = outcome.place.as_ref().map(|place| format!(" on {place}")).unwrap_or_default();
    format!("{}: {}, {}{place}, {}", outcome.definition, outcome.operation, outcome.size, contender.name)
}

/// How much longer the peers take now, or 1 where there is none.
fn drift(before: &Outcome, after: &Outcome) -> f64 {
    let peers = before.contenders.iter().filter(|contender| !contender.ours);
    let factors = peers.filter_map(|old| {
        let (old, new) = (old.timing.as_ref()?, after.contender(&old.name)?.timing.as_ref()?);
        Some(new.seconds.median / old.seconds.median)
    });
    Spread::of(&factors.collect::<Vec<_>>()).map_or(1.0, |spread| spread.median)
}

fn slower(place: String, old: &Contender, new: &Contender, drift: f64) -> Option<Finding> {
    let (old, new) = (old.timing.as_ref()?.seconds, new.timing.as_ref()?.seconds);
    let factor = new.median / old.median / drift;
    // Both spreads, one behind the other, and what a noisy machine is allowed anyway.
    let noise = (1.0 + old.relative()) * (1.0 + new.relative());
    let noise = noise.max(LEAST);
    (factor > noise).then_some(Finding::Slower { place, factor, noise })
}
