//! Numbers as a reader wants them: units, three significant digits at most, and fewer where the spread is wide.

use crate::stats::{Spread, rounded};

/// Between a number and its unit, and between thousands: narrow, and no line breaks there.
pub(super) const SPACE: char = '\u{202f}';
/// Between quartiles.
const DASH: char = '–';
/// What is not known.
pub(super) const NOTHING: &str = "–";

type Units = [(f64, &'static str)];

pub(super) const TIME: &Units = &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
pub(super) const RATE: &Units = &[(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];
pub(super) const UNITS: &Units = &[(1.0, "/s")];
pub(super) const MEMORY: &Units = &[(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];

/// As many significant digits as a spread warrants: two, or three where two do not tell its quartiles apart.
pub(super) fn digits(spread: Spread) -> usize {
    let step = 10_f64.powi(-places(spread.median, 2));
    if spread.upper - spread.lower < step { 3 } else { 2 }
}

/// A value with so many significant digits, without a unit.
pub(super) fn plain(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    fixed(value, places(value, digits))
}

/// A value with its unit.
pub(super) fn quantity(value: f64, digits: usize, units: &Units) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let (factor, unit) = unit_of(value, digits, units);
    format!("{}{SPACE}{unit}", plain(value / factor, digits))
}

/// A median with its unit.
pub(super) fn median(spread: Spread, units: &Units) -> String {
    quantity(spread.median, digits(spread), units)
}

/// Two quartiles with their unit, to the same decimal place as the median.
pub(super) fn quartiles(spread: Spread, units: &Units) -> String {
    let digits = digits(spread);
    let (factor, unit) = unit_of(spread.median, digits, units);
    let range = plain_quartiles(Spread {
        lower: spread.lower / factor,
        median: spread.median / factor,
        upper: spread.upper / factor,
    });
    format!("{range}{SPACE}{unit}")
}

/// A median without a unit.
pub(super) fn plain_median(spread: Spread) -> String {
    plain(spread.median, digits(spread))
}

/// Two quartiles without a unit, to the same decimal place as the median.
pub(super) fn plain_quartiles(spread: Spread) -> String {
    let places = places(spread.median, digits(spread));
    format!("{}{DASH}{}", fixed(spread.lower, places), fixed(spread.upper, places))
}

/// So many times, with the sign.
pub(super) fn times(spread: Spread) -> String {
    format!("{}×", plain_median(spread))
}

/// How many times, without the sign: near 1, the third digit tells more from less.
pub(super) fn factor(value: f64) -> String {
    plain(value, if (0.9..1.1).contains(&value) { 3 } else { 2 })
}

/// The least and the most of several values: `1.2 to 8.9`, or one value where they look the same.
pub(super) fn range(values: &[f64]) -> String {
    let least = factor(values.iter().copied().fold(f64::INFINITY, f64::min));
    let most = factor(values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    if least == most { least } else { format!("{least} to {most}") }
}

/// A part of one, in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{}{SPACE}%", plain(part * 100.0, 2))
}

/// A change as a part of what there was, in percent and with its sign.
pub(super) fn change(part: f64) -> String {
    let sign = if part < 0.0 { '−' } else { '+' };
    format!("{sign}{}", percent(part.abs()))
}

fn unit_of<'a>(value: f64, digits: usize, units: &'a [(f64, &'static str)]) -> (f64, &'a str) {
    let value = rounded(value, digits);
    let found = units.iter().find(|(factor, _)| value >= *factor).or(units.last());
    found.map_or((1.0, ""), |(factor, unit)| (*factor, *unit))
}

/// Decimal places that show so many significant digits; negative to the left of the point.
fn places(value: f64, digits: usize) -> i32 {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    i32::try_from(digits).unwrap_or(3) - 1 - exponent
}

fn fixed(value: f64, places: i32) -> String {
    match usize::try_from(places) {
        Ok(places) => group(&format!("{value:.places$}")),
        Err(_) => {
            let step = 10_f64.powi(-places);
            group(&format!("{:.0}", (value / step).round() * step))
        }
    }
}

fn group(number: &str) -> String {
    let (whole, part) = number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if whole.len() > 4 && at > 0 && left.is_multiple_of(3) {
            grouped.push(SPACE);
        }
        grouped.push(digit);
    }
    if let Some(part) = part {
        grouped.push('.');
        grouped.push_str(part);
    }
    grouped
}

/// Bytes of memory.
pub(super) fn memory(bytes: u64) -> String {
    quantity(bytes as f64, 3, MEMORY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(lower: f64, median: f64, upper: f64) -> Spread {
        Spread { lower, median, upper }
    }

    #[test]
    fn three_digits_and_the_unit_that_fits() {
        let texts =
            [(0.622_44, "622 ms"), (1.299_9, "1.30 s"), (9.996e-4, "1.00 ms"), (3.2e-8, "32.0 ns"), (0.0, "0.00 ns")];
        for (value, text) in texts {
            assert_eq!(quantity(value, 3, TIME).replace(SPACE, " "), text);
        }
        assert_eq!(quantity(2.34e9, 3, RATE).replace(SPACE, " "), "2.34 GB/s");
        assert_eq!(quantity(f64::NAN, 3, RATE), NOTHING);
    }

    #[test]
    fn a_wide_spread_takes_a_digit_away() {
        let wide = spread(0.58, 0.622, 0.66);
        assert_eq!(median(wide, TIME).replace(SPACE, " "), "620 ms");
        assert_eq!(quartiles(wide, TIME).replace(SPACE, " "), "580–660 ms");
        let narrow = spread(0.621, 0.622_4, 0.624);
        assert_eq!(quartiles(narrow, TIME).replace(SPACE, " "), "621–624 ms");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(plain(1234.0, 4), "1234");
        assert_eq!(plain(852_313.0, 3).replace(SPACE, " "), "852 000");
    }

    #[test]
    fn one_value_is_no_range() {
        assert_eq!(range(&[1.23, 8.91, 4.0]), "1.2 to 8.9");
        assert_eq!(range(&[1.23, 1.24]), "1.2");
    }
}
