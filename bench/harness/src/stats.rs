//! Medians, spreads, ratios of pairs, and how cost grows.

use crate::record::{Contender, Outcome, Sample};

/// An interquartile range over this part of the median is noise.
pub const NOISY_SPREAD: f64 = 0.15;
/// More stolen time than this is noise too.
pub const NOISY_STEAL: f64 = 0.02;

/// A median with its quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl Spread {
    /// Of values in any order; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let position = part * (sorted.len() - 1) as f64;
            let below = position.floor();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An index.
            let (low, high) = (sorted[below as usize], sorted[position.ceil() as usize]);
            low + (high - low) * (position - below)
        };
        (!sorted.is_empty()).then(|| Self { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }

    /// The interquartile range as a part of the median.
    pub fn relative(&self) -> f64 {
        (self.upper - self.lower) / self.median
    }
}

/// How many times as long `one` takes as `other`: the ratios of the pairs of each round.
pub fn ratio(one: &Contender, other: &Contender) -> Option<Spread> {
    let beside = one.beside.as_ref().filter(|beside| beside.name == other.name);
    let others = beside.map_or_else(|| other.seconds(), |beside| beside.samples.iter().map(Sample::seconds).collect());
    let pairs = one.seconds().into_iter().zip(others);
    Spread::of(&pairs.map(|(one, other)| one / other).collect::<Vec<_>>())
}

/// Which of two is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    /// The quartiles of the ratio include 1.
    Draw,
    /// Too noisy to say: the result is, or the pairs are further apart than two such results allow.
    Noisy,
}

/// Whether `one` is faster than `other` in this outcome.
pub fn verdict(outcome: &Outcome, one: &Contender, other: &Contender) -> Option<Verdict> {
    let ratio = ratio(one, other)?;
    Some(if is_noisy(outcome) || ratio.relative() > 2.0 * NOISY_SPREAD {
        Verdict::Noisy
    } else if ratio.upper < 1.0 {
        Verdict::Faster
    } else if ratio.lower > 1.0 {
        Verdict::Slower
    } else {
        Verdict::Draw
    })
}

/// Whether the machine was too noisy: the reference's own times are spread, or time was stolen.
pub fn is_noisy(outcome: &Outcome) -> bool {
    let reference = outcome.contender(&outcome.reference).or_else(|| outcome.contenders.first());
    let spread = reference.and_then(|reference| Spread::of(&reference.seconds()));
    outcome.steal > NOISY_STEAL || spread.is_some_and(|spread| spread.relative() > NOISY_SPREAD)
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
