//! Points in time: seconds since 1970 in UTC, written as in RFC 3339. No time zones; no clock but the system's.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;

/// A point in time, in whole seconds since the beginning of 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The last second with a four-digit year.
    const LAST: Timestamp = Timestamp(253_402_300_799);

    /// Returns the current time.
    pub fn now() -> Timestamp {
        SystemTime::now().into()
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

/// Drops fractions of a second; a time before 1970 becomes its beginning.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Timestamp {
        Timestamp::from_seconds(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

// jiff::Timestamp ends a day before `LAST`; its civil dates do not.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = Duration::from_secs(self.0);
        write!(f, "{}Z", EPOCH.saturating_add(since))
    }
}

impl FromStr for Timestamp {
    type Err = String;

    fn from_str(text: &str) -> Result<Timestamp, String> {
        // jiff reads more forms than one, and 23:59:60 as 23:59:59: what it writes otherwise is refused.
        parse(text).filter(|time| time.to_string() == text).ok_or_else(|| {
            format!("{text:?} is not a time in UTC like \"2026-11-22T10:00:00Z\" (1970 to 9999)")
        })
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let since = text.strip_suffix('Z')?.parse::<DateTime>().ok()?.duration_since(EPOCH);
    u64::try_from(since.as_secs()).ok().map(Timestamp)
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
            let moment = Timestamp(day * 86_400 + 12_345);
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
            "2026-01-01T00:00:00Z[UTC]",
            "2026-01-01T00:00:00.5Z",
            "2026-01-01T000000Z",
            "20260101T00:00:00Z",
            "2026-01-01t00:00:00z",
            "2026-01-01T00:00Z",
            "2026-01-01Z",
            "+002026-01-01T00:00:00Z",
            " 2026-01-01T00:00:00Z",
            "2026-01-01T00:00:0éZ",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_end_with_the_year_9999() {
        let late = Timestamp::LAST.after(Duration::from_secs(1));
        assert_eq!((late, Timestamp(5).after(Duration::from_millis(1500))), (Timestamp::LAST, Timestamp(7)));
        let (before, never) =
            (UNIX_EPOCH - Duration::from_secs(5), UNIX_EPOCH + Duration::from_secs(u64::MAX >> 1));
        assert_eq!((Timestamp::from(before), Timestamp::from(never)), (Timestamp(0), Timestamp::LAST));
    }
}
