//! How long a run takes, by what records say of its definitions.

use crate::definition::{Definition, Size};
use crate::engine::{Engine, Places};
use crate::measure::STRETCH_NS;
use crate::record::{Outcome, Record};
use std::time::Duration;

/// Nanoseconds for a byte, of a definition that no record has: most peers are faster, and the slow ones have fewer rounds.
const UNKNOWN_NS: u64 = 2;
/// To prepare a contender, and to find out how many operations make a stretch.
const PREPARED: Duration = Duration::from_millis(100);

/// How long a definition takes besides building, by the newest record that has it, of whatever machine.
pub fn of(definition: &Definition, records: &[Record], places: &Places) -> Option<Duration> {
    let mut results =
        records.iter().map(|record| record.results.iter().filter(|one| one.definition == definition.name));
    let found = results.find(|found| found.clone().next().is_some())?;
    Some(found.map(|outcome| of_result(outcome, definition, places)).sum())
}

/// How long one may take that no record has.
pub fn guess(definition: &Definition) -> Duration {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let rounds = count(definition.least_repetitions);
    let samples = count(definition.operations.len() * definition.contenders.len());
    let of_size = |size: &Size| {
        PREPARED + Duration::from_nanos(size.amount.saturating_mul(UNKNOWN_NS).max(STRETCH_NS)) * (rounds + 1)
    };
    definition.sizes.iter().map(of_size).sum::<Duration>() * samples
}

fn of_result(outcome: &Outcome, definition: &Definition, places: &Places) -> Duration {
    let of_contender = |contender: &crate::record::Contender| {
        let sample = contender.timing.as_ref().map_or(0.0, |timing| timing.seconds.median * timing.iterations as f64);
        let sample = Duration::from_secs_f64(sample).max(Duration::from_nanos(STRETCH_NS));
        let warm_up = Engine::read(&contender.engine, places).map_or(0, |engine| engine.warm_up_ms);
        let is_twice = definition.beside && contender.ours;
        // A peer that is far off had fewer.
        let had = contender.timing.as_ref().map_or(usize::MAX, |timing| timing.rounds);
        let rounds = definition.least_repetitions.min(had) * if is_twice { 2 } else { 1 };
        sample * u32::try_from(rounds + 1).unwrap_or(u32::MAX) + Duration::from_millis(warm_up) + PREPARED
    };
    outcome.contenders.iter().map(of_contender).sum()
}

/// A duration for people: `3 min`, `40 s`.
pub fn text(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ ..100 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_one_unit() {
        let of = |seconds| text(Duration::from_secs(seconds));
        assert_eq!([of(0), of(99), of(100), of(1200), of(1201)], ["0 s", "99 s", "2 min", "20 min", "21 min"]);
    }
}
