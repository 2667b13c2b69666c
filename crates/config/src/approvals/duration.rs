//! Durations of rules, as people write them: `90s`, `1h30m`, `7d`.

use std::time::Duration;

const DAY: u64 = 86_400;

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
    }
}
