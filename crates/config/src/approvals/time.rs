//! Times in approvals: seconds since 1970 in UTC, written as in RFC 3339. No time zones; no clock but the
//! system's.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time, in whole seconds since the beginning of 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

const DAY: u64 = 86_400;

impl Timestamp {
    /// The last second with a four-digit year.
    const LAST: Timestamp = Timestamp(253_402_300_799);

    /// Returns the current time.
    pub fn now() -> Timestamp {
        Timestamp(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// Returns the time that many seconds after the beginning of 1970, limited to `LAST`.
    pub fn from_seconds(seconds: u64) -> Timestamp {
        Timestamp(seconds.min(Timestamp::LAST.0))
    }

    /// Returns the seconds since the beginning of 1970.
    pub fn seconds(self) -> u64 {
        self.0
    }

    /// Returns the time after `duration`; a fraction of a second counts as a whole one.
    pub fn after(self, duration: Duration) -> Timestamp {
        let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
        Timestamp::from_seconds(self.0.saturating_add(seconds))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut year, mut days) = (1970, self.0 / DAY);
        while days >= days_of(year) {
            days -= days_of(year);
            year += 1;
        }
        let mut month = 0;
        while days >= days_in(year, month) {
            days -= days_in(year, month);
            month += 1;
        }
        let second = self.0 % DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, days + 1)
    }
}

impl FromStr for Timestamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Timestamp, String> {
        parse(text).ok_or_else(|| {
            format!("{text:?} is not a time in UTC like \"2026-11-22T10:00:00Z\" (1970 to 9999)")
        })
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    const SHAPE: &[u8; 20] = b"0000-00-00T00:00:00Z";
    let fits = |(byte, shape): (u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == *shape };
    if text.len() != SHAPE.len() || !text.bytes().zip(SHAPE).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if year < 1970 || !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if !(1..=days_in(year, month - 1)).contains(&day) {
        return None;
    }
    let years: u64 = (1970..year).map(days_of).sum();
    let months: u64 = (0..month - 1).map(|month| days_in(year, month)).sum();
    Some(Timestamp((years + months + day - 1) * DAY + hour * 3600 + minute * 60 + second))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

/// Returns the number of days of a month, January being 0.
fn days_in(year: u64, month: u64) -> u64 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// Parses `90s`, `30m`, `2h`, `7d` or `4w`, or several of them in a row: `1h30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration like 30m, 2h, 1h30m or 7d (s, m, h, d, w)");
    let mut rest = text;
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = rest.split_at(digits);
        let unit_seconds = match unit.chars().next() {
            Some('s') => 1,
            Some('m') => 60,
            Some('h') => 3600,
            Some('d') => DAY,
            Some('w') => 7 * DAY,
            _ => return Err(wrong()),
        };
        let part = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit_seconds));
        seconds = part.and_then(|part| seconds.checked_add(part)).ok_or_else(wrong)?;
        rest = &unit[1..];
    }
    if seconds == 0 {
        return Err(wrong());
    }
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_255_200, "2026-11-21T10:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (Timestamp::LAST.0, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Timestamp(seconds).to_string(), text);
            assert_eq!(text.parse::<Timestamp>().expect(text), Timestamp(seconds));
        }
        for day in (0..200_000).step_by(37) {
            let moment = Timestamp(day * DAY + 12_345);
            assert_eq!(moment.to_string().parse::<Timestamp>().expect("a moment"), moment);
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "1969-12-31T23:59:59Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:0éZ",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, seconds) in [("90s", 90), ("2h", 7200), ("1h30m", 5400), ("7d", 604_800), ("1w", 604_800)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in [
            "",
            "2",
            "h",
            "0h",
            "-2h",
            "2 h",
            "2H",
            "2h3",
            "99999999999999999999s",
            "9999999999999999w",
            "2é",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        let late = Timestamp::LAST.after(Duration::from_secs(1));
        assert_eq!((late, Timestamp(5).after(Duration::from_millis(1500))), (Timestamp::LAST, Timestamp(7)));
    }
}
