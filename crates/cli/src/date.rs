//! Dates and times for people.

const DAY: u64 = 24 * 60 * 60;
/// The first second of the year 10000, whose dates would need another digit.
const MAX: u64 = 253_402_300_800;

/// Formats seconds since 1970 as date and time in UTC (RFC 3339).
pub(crate) fn format_time(seconds: u64) -> String {
    if seconds >= MAX {
        return format!("{seconds} seconds after 1970");
    }
    let (mut days, time) = (seconds / DAY, seconds % DAY);
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let mut month = 0;
    while days >= days_in(year, month) {
        days -= days_in(year, month);
        month += 1;
    }
    let (hours, minutes, seconds) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year}-{:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}Z", month + 1, days + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

/// Days of a month; 0 is January.
fn days_in(year: u64, month: usize) -> u64 {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    DAYS[month] + u64::from(month == 1 && is_leap(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // `date -u -d @N +%FT%TZ`
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (1_790_000_000, "2026-09-21T14:13:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (MAX - 1, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(format_time(seconds), expected, "{seconds}");
        }
        assert_eq!(format_time(MAX), "253402300800 seconds after 1970");
        assert_eq!(format_time(u64::MAX), format!("{} seconds after 1970", u64::MAX));
    }
}
