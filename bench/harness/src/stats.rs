//! Medians, spreads, ratios of pairs, and how cost grows.

use crate::record::{Contender, Outcome, Sample, Timing};
use crate::spread::DIGITS;
pub use crate::spread::{Spread, rounded};

/// A sample from which on few rounds are taken of a peer that is far from Sealstone, and how far that is.
const LONG_NS: u64 = 1_000_000_000;
const FAR: f64 = 3.0;
/// Where the interquartile range of the reference's own times is over this part of their median, the machine was noisy.
pub const NOISY_SPREAD: f64 = 0.15;
/// So it was where more of the time was stolen.
pub const NOISY_STEAL: f64 = 0.02;

/// Where the quartiles of one contender's times are so far apart, its median is a draw.
const APART: f64 = 1.6;

/// A lead is so much at least: less is another machine's draw.
pub const LEAD: f64 = 1.03;

impl Outcome {
    /// Says what the samples say, of all that are there now.
    pub fn summarize(&mut self) {
        let timings = timings(&self.contenders, &self.reference);
        for (contender, timing) in self.contenders.iter_mut().zip(timings) {
            contender.timing = timing;
        }
    }
}

/// Seconds of one operation, a value a round.
fn seconds(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(Sample::seconds).collect()
}

/// Whether the samples of one contender are of two kinds, so that they are taken again.
pub fn is_apart(samples: &[Sample]) -> bool {
    Spread::of(&seconds(samples)).is_some_and(|spread| spread.upper > APART * spread.lower)
}

/// How many times as long `one` takes as `other`: the median of the ratios of the pairs of each round, with its interval.
fn ratio(one: &Contender, other: &Contender) -> Option<Spread> {
    // Where one ran right before each sample of the other, those are the pairs.
    if other.beside.as_ref().is_some_and(|beside| beside.name == one.name) {
        return ratio(other, one).map(Spread::inverse);
    }
    let beside = one.beside.as_ref().filter(|beside| beside.name == other.name);
    let others = seconds(beside.map_or(&other.samples, |beside| &beside.samples));
    let pairs = seconds(&one.samples).into_iter().zip(others);
    let ratio = Spread::of_median(&pairs.map(|(one, other)| one / other).collect::<Vec<_>>())?;
    ratio.is_positive().then_some(ratio)
}

/// What the samples of all contenders of one result say. Of a contender whose samples are no time it is nothing.
pub fn timings(contenders: &[Contender], reference: &str) -> Vec<Option<Timing>> {
    let timing = |one: &Contender| {
        let spread = Spread::of(&seconds(&one.samples)).filter(Spread::is_positive)?;
        let cpu = Spread::of(&one.samples.iter().map(Sample::cpu_seconds).collect::<Vec<_>>())?;
        let longest: Vec<f64> = one.samples.iter().filter_map(Sample::longest_seconds).collect();
        let most = longest.iter().copied().reduce(f64::max);
        let means: Vec<f64> = one.samples.iter().filter_map(Sample::mean_seconds).collect();
        let others = contenders.iter().filter(|other| other.name != one.name);
        let others = others.filter(|other| other.ours || other.name == reference);
        let ratios = others.filter_map(|other| Some((other.name.clone(), ratio(one, other)?.rounded())));
        Some(Timing {
            rounds: one.samples.len(),
            iterations: one.samples[0].iterations,
            seconds: spread.rounded(),
            cpu_seconds: rounded(cpu.median, DIGITS),
            longest_seconds: Spread::of(&longest)
                .zip(most)
                .map(|(spread, most)| [spread.median, most].map(|value| rounded(value, DIGITS))),
            mean_seconds: Spread::of(&means).map(|spread| rounded(spread.median, DIGITS)),
            ratios: ratios.collect(),
        })
    };
    contenders.iter().map(timing).collect()
}

/// Which of two is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    /// Neither leads by [`LEAD`].
    Level,
    /// The pairs are too far apart, or too few, to say.
    Noisy,
}

impl Verdict {
    /// Of one, where the other takes `ratio` times as long: by the interval that the ratio lies in, and by nothing else.
    pub fn of(ratio: Spread) -> Self {
        if ratio.lower > LEAD {
            Self::Faster
        } else if ratio.upper < 1.0 / LEAD {
            Self::Slower
        } else if ratio.lower >= 1.0 / LEAD && ratio.upper <= LEAD {
            Self::Level
        } else {
            Self::Noisy
        }
    }
}

/// The contender that stands for Sealstone.
pub fn lead<'a>(contenders: &'a [Contender], reference: &str) -> Option<&'a Contender> {
    let reference = contenders.iter().find(|contender| contender.name == reference);
    let reference = reference.filter(|found| found.ours && found.is_timed());
    reference.or_else(|| contenders.iter().find(|contender| contender.ours && contender.is_timed()))
}

/// Whether all that were timed have a verdict beside the reference and beside who stands for Sealstone, so that more rounds would
/// change no word. Where there is nobody to compare with, nothing is decided.
pub fn is_decided(contenders: &[Contender], reference: &str) -> bool {
    let beside = [contenders.iter().find(|contender| contender.name == reference), lead(contenders, reference)];
    let timed = || contenders.iter().filter(|contender| contender.is_timed());
    let ratios = beside
        .into_iter()
        .flatten()
        .flat_map(|other| timed().filter(|one| one.name != other.name).filter_map(|one| ratio(one, other)));
    let verdicts: Vec<Verdict> = ratios.map(Verdict::of).collect();
    !verdicts.is_empty() && !verdicts.contains(&Verdict::Noisy)
}

/// Whether more rounds of a peer would cost more than they tell: each takes over a second, and in all so far it is at least three times as
/// slow, or as fast, as who stands for Sealstone.
pub fn is_far(one: &Contender, contenders: &[Contender], reference: &str) -> bool {
    let is_long = !one.samples.is_empty() && one.samples.iter().all(|sample| sample.wall_ns >= LONG_NS);
    let lead = lead(contenders, reference).filter(|_| is_long && !one.ours && one.name != reference);
    let ratio = lead.and_then(|lead| ratio(one, lead));
    ratio.is_some_and(|ratio| ratio.lower >= FAR || ratio.upper <= 1.0 / FAR)
}

/// Whether the machine was noisy: the reference's own times are spread, or time was stolen. Pairs of one round may say much all the same.
pub fn is_noisy(outcome: &Outcome) -> bool {
    let reference = outcome.contender(&outcome.reference).or_else(|| outcome.contenders.first());
    let timing = reference.and_then(|reference| reference.timing.as_ref());
    outcome.steal > NOISY_STEAL || timing.is_some_and(|timing| timing.seconds.relative() > NOISY_SPREAD)
}

/// How cost grows with size: `seconds = fixed + per_byte · bytes^exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// 1 is linear.
    pub exponent: f64,
    pub fixed_seconds: f64,
    /// The peak at the largest size, as a part of that at the smallest.
    pub memory: f64,
}

impl Growth {
    /// Of points `(bytes, seconds, peak bytes)` in order of size; at least three of them.
    pub fn of(points: &[(u64, f64, u64)]) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        if points.len() < 3 || first.1 <= 0.0 {
            return None;
        }
        // What the smallest takes beyond its share of the largest is the fixed cost.
        let fixed_seconds = (first.1 - last.1 * first.0 as f64 / last.0 as f64).max(0.0);
        let logs: Vec<(f64, f64)> = points[1..]
            .iter()
            .filter(|(_, seconds, _)| *seconds > 2.0 * fixed_seconds)
            .map(|(bytes, seconds, _)| ((*bytes as f64).ln(), (seconds - fixed_seconds).ln()))
            .collect();
        if logs.len() < 2 {
            return None;
        }
        let count = logs.len() as f64;
        let (mean_x, mean_y) =
            logs.iter().fold((0.0, 0.0), |(x, y), (log_x, log_y)| (x + log_x / count, y + log_y / count));
        let (covariance, variance) = logs.iter().fold((0.0, 0.0), |(covariance, variance), (x, y)| {
            (covariance + (x - mean_x) * (y - mean_y), variance + (x - mean_x).powi(2))
        });
        let memory = last.2 as f64 / first.2.max(1) as f64;
        Some(Self { exponent: covariance / variance, fixed_seconds, memory })
    }

    pub fn is_linear(&self) -> bool {
        (0.9..=1.1).contains(&self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_median_is_that_of_its_resamples() {
        let of = |count: u32| {
            let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            let Spread { lower, median, upper } = Spread::of_median(&values).unwrap();
            (lower, median, upper)
        };
        assert_eq!(Spread::of_median(&[]), None);
        assert_eq!(of(1), (1.0, 1.0, 1.0));
        assert_eq!(of(5), (1.0, 3.0, 5.0));
        assert_eq!(of(9), (2.0, 5.0, 8.0));
        // What 20,000 resamples of these give; for the last they give 87 to 114.
        assert_eq!(of(25), (8.0, 13.0, 18.0));
        assert_eq!(of(200), (86.0, 100.5, 115.0));
    }

    #[test]
    fn a_verdict_is_that_of_the_whole_interval() {
        let of = |lower, upper| Verdict::of(Spread { lower, median: f64::midpoint(lower, upper), upper });
        assert_eq!(of(1.04, 90.0), Verdict::Faster);
        assert_eq!(of(0.1, 0.96), Verdict::Slower);
        assert_eq!(of(0.98, 1.02), Verdict::Level);
        assert_eq!(of(1.01, 1.2), Verdict::Noisy);
        assert_eq!(of(0.5, 2.0), Verdict::Noisy);
    }

    #[test]
    fn a_peer_that_is_slow_and_far_off_needs_no_more_rounds() {
        let of = |name: &str, ours: bool, milliseconds: &[u64]| Contender {
            name: name.to_owned(),
            engine: name.to_owned(),
            ours,
            measure: false,
            note: None,
            digest: None,
            output_bytes: 0,
            units: 1,
            peak_bytes: 0,
            timing: None,
            samples: milliseconds
                .iter()
                .map(|milliseconds| Sample {
                    wall_ns: milliseconds * 1_000_000,
                    cpu_ns: 0,
                    iterations: 1,
                    longest_ns: None,
                    mean_ns: None,
                })
                .collect(),
            beside: None,
            error: None,
        };
        let is_far = |peer: Contender, ours: u64, reference: &str| {
            let all = [of("ours", true, &[ours, ours]), peer];
            super::is_far(&all[1], &all, reference)
        };
        assert!(is_far(of("slow", false, &[1500, 1400]), 400, "ours"));
        assert!(is_far(of("fast", false, &[1500, 1400]), 6000, "ours"));
        assert!(!is_far(of("near", false, &[1500, 1100]), 400, "ours"), "one pair is nearer");
        assert!(!is_far(of("short", false, &[1500, 900]), 100, "ours"), "a round of it costs little");
        assert!(!is_far(of("slow", false, &[1500, 1400]), 400, "slow"), "ratios are taken of it");
        assert!(!is_far(of("own", true, &[1500, 1400]), 400, "ours"));
        assert!(!is_far(of("none", false, &[]), 400, "ours"));
    }
}
