//! Three numbers that say where values lie.

use serde::{Deserialize, Serialize};

/// A median with its quartiles, or with the interval that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 3]", into = "[f64; 3]")]
pub struct Spread {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl From<[f64; 3]> for Spread {
    fn from([lower, median, upper]: [f64; 3]) -> Self {
        Self { lower, median, upper }
    }
}

impl From<Spread> for [f64; 3] {
    fn from(Spread { lower, median, upper }: Spread) -> Self {
        [lower, median, upper]
    }
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

    /// The median of values in any order, with the interval that has 95 % of the medians of resamples (the bootstrap, computed
    /// exactly); `None` of none. Of five values that is all of their range.
    pub fn of_median(values: &[f64]) -> Option<Self> {
        let Self { median, .. } = Self::of(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let first = |least: usize, chance: f64| {
            let rank = (1..count).find(|rank| at_least(least, count, *rank as f64 / count as f64) >= chance);
            sorted[rank.unwrap_or(count) - 1]
        };
        // Of an even number, the median lies between the two in the middle; the outer one of them makes it a little wider.
        Some(Self { lower: first(count.div_ceil(2), 0.025), median, upper: first(count / 2 + 1, 0.975) })
    }

    /// How `of / this` lies where this is `this / of`.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { lower: 1.0 / self.upper, median: 1.0 / self.median, upper: 1.0 / self.lower }
    }

    /// Whether it is of something that was measured.
    pub fn is_positive(&self) -> bool {
        [self.lower, self.median, self.upper].iter().all(|value| value.is_finite() && *value > 0.0)
    }

    pub(crate) fn rounded(self) -> Self {
        let Self { lower, median, upper } = self;
        [lower, median, upper].map(|value| rounded(value, DIGITS)).into()
    }

    /// The interquartile range as a part of the median.
    pub fn relative(&self) -> f64 {
        (self.upper - self.lower) / self.median
    }
}

/// Significant digits of a record's numbers, which are more than any measurement has.
pub(crate) const DIGITS: usize = 5;

/// A value with so many significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// The chance that of so many draws at least `least` succeed, each with this chance between 0 and 1.
fn at_least(least: usize, count: usize, chance: f64) -> f64 {
    let mut ways = 0.0;
    let mut sum = 0.0;
    for successes in 0..=count {
        if successes > 0 {
            ways += ((count - successes + 1) as f64 / successes as f64).ln();
        }
        if successes >= least {
            sum += (ways + successes as f64 * chance.ln() + (count - successes) as f64 * (1.0 - chance).ln()).exp();
        }
    }
    sum
}
