//! A score out of 100, with the weights of TABLES.md section 4, each part relative to the best contender.

use serde::Serialize;

/// What the report says about it.
pub(super) const FORMULA: &str = "Score = 40 · response time + 30 · throughput + 20 · success + 10 · resources, where \
    each part is between 0 and 1 and relative to the best contender of the same operation and size. Response time: \
    the best longest pause of one record ÷ this one's (each the median over the samples; the time of one operation \
    where no pauses are measured). Throughput: this one's ÷ the best. Success: the rounds that were measured ÷ the \
    most of any contender. Resources: the mean of best peak memory ÷ this one's and best CPU time ÷ this one's. Who \
    was not measured at all has 0. The score of several operations and sizes is their mean.";

const RESPONSE: f64 = 40.0;
const THROUGHPUT: f64 = 30.0;
const SUCCESS: f64 = 20.0;
const RESOURCES: f64 = 10.0;

/// What one contender did; nothing of what is not known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts {
    /// Seconds of one operation.
    pub(super) seconds: Option<f64>,
    /// Seconds of the longest unit.
    pub(super) longest: Option<f64>,
    /// Units a second.
    pub(super) throughput: Option<f64>,
    pub(super) rounds: usize,
    pub(super) peak_bytes: Option<f64>,
    pub(super) cpu_seconds: Option<f64>,
}

/// A score and its parts, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct Score {
    pub(super) response: f64,
    pub(super) throughput: f64,
    pub(super) success: f64,
    pub(super) resources: f64,
    /// Out of 100.
    pub(super) total: f64,
}

impl Score {
    fn new(response: f64, throughput: f64, success: f64, resources: f64) -> Self {
        let total = RESPONSE * response + THROUGHPUT * throughput + SUCCESS * success + RESOURCES * resources;
        Self { response, throughput, success, resources, total }
    }

    /// The mean of several; nothing of none.
    pub(super) fn mean(scores: &[Self]) -> Option<Self> {
        let count = scores.len() as f64;
        let mean = |part: fn(&Self) -> f64| scores.iter().map(part).sum::<f64>() / count;
        (!scores.is_empty()).then(|| {
            Self::new(
                mean(|score| score.response),
                mean(|score| score.throughput),
                mean(|score| score.success),
                mean(|score| score.resources),
            )
        })
    }
}

/// Scores of all contenders of one operation at one size, in their order.
pub(super) fn scores(contenders: &[Facts]) -> Vec<Score> {
    let measured: Vec<_> = contenders.iter().filter(|facts| facts.seconds.is_some()).collect();
    // Pauses of some and whole operations of others cannot be compared.
    let paused = measured.iter().all(|facts| facts.longest.is_some());
    let response = |facts: &Facts| if paused { facts.longest } else { facts.seconds };
    let least = |value: &dyn Fn(&Facts) -> Option<f64>| {
        measured.iter().filter_map(|facts| value(facts)).filter(|value| *value > 0.0).reduce(f64::min)
    };
    let best_response = least(&response);
    let best_peak = least(&|facts| facts.peak_bytes);
    let best_cpu = least(&|facts| facts.cpu_seconds);
    let best_throughput = measured.iter().filter_map(|facts| facts.throughput).reduce(f64::max);
    let most_rounds = contenders.iter().map(|facts| facts.rounds).max().unwrap_or(0);
    let score = |facts: &Facts| {
        if facts.seconds.is_none() || facts.rounds == 0 {
            return Score::default();
        }
        let costs: Vec<f64> = [(best_peak, facts.peak_bytes), (best_cpu, facts.cpu_seconds)]
            .into_iter()
            // Where nobody's is known, it decides nothing.
            .filter_map(|(best, own)| best.map(|best| part(Some(best), own)))
            .collect();
        let resources = if costs.is_empty() { 1.0 } else { costs.iter().sum::<f64>() / costs.len() as f64 };
        Score::new(
            part(best_response, response(facts)),
            part(facts.throughput, best_throughput),
            facts.rounds as f64 / most_rounds as f64,
            resources,
        )
    };
    contenders.iter().map(score).collect()
}

/// One divided by the other; 0 where one of them is not known.
fn part(one: Option<f64>, other: Option<f64>) -> f64 {
    match (one, other) {
        (Some(one), Some(other)) if other > 0.0 => (one / other).clamp(0.0, 1.0),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEST: Facts = Facts {
        seconds: Some(1.0),
        longest: Some(0.01),
        throughput: Some(1000.0),
        rounds: 9,
        peak_bytes: Some(4e6),
        cpu_seconds: Some(1.0),
    };

    fn close(score: f64, expected: f64) {
        assert!((score - expected).abs() < 1e-9, "{score}, not {expected}");
    }

    #[test]
    fn the_best_in_everything_has_100() {
        close(scores(&[BEST])[0].total, 100.0);
    }

    #[test]
    fn twice_as_slow_has_half_of_what_is_about_time() {
        let slow = Facts { seconds: Some(2.0), longest: Some(0.02), throughput: Some(500.0), ..BEST };
        let scores = scores(&[BEST, slow]);
        close(scores[0].total, 100.0);
        close(scores[1].total, 20.0 + 15.0 + 20.0 + 10.0);
    }

    #[test]
    fn memory_and_time_of_the_processor_are_five_each() {
        let heavy = Facts { peak_bytes: Some(8e6), cpu_seconds: Some(4.0), ..BEST };
        close(scores(&[BEST, heavy])[1].total, 90.0 + 2.5 + 1.25);
    }

    #[test]
    fn who_was_not_measured_has_nothing_and_spoils_nothing() {
        let scores = scores(&[BEST, Facts::default()]);
        close(scores[0].total, 100.0);
        close(scores[1].total, 0.0);
    }

    #[test]
    fn missing_rounds_cost_their_part() {
        close(scores(&[BEST, Facts { rounds: 3, ..BEST }])[1].total, 80.0 + 20.0 / 3.0);
    }

    #[test]
    fn without_all_pauses_whole_operations_are_compared() {
        let slow = Facts { seconds: Some(4.0), longest: None, ..BEST };
        close(scores(&[BEST, slow])[1].response, 0.25);
        close(scores(&[BEST, slow])[0].response, 1.0);
    }

    #[test]
    fn what_nobody_knows_decides_nothing() {
        let unknown = Facts { peak_bytes: None, cpu_seconds: None, ..BEST };
        close(scores(&[unknown, unknown])[0].total, 100.0);
    }

    #[test]
    fn the_mean_of_none_is_none() {
        assert_eq!(Score::mean(&[]), None);
        let half = Score::new(0.5, 0.5, 0.5, 0.5);
        close(Score::mean(&[Score::new(1.0, 1.0, 1.0, 1.0), half]).unwrap().total, 75.0);
    }
}
