//! The wall clock, read together with the time since the machine's start: it may be set back, that may not.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A reading of both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Wall-clock time, nanoseconds since 1970.
    pub wall: i64,
    /// Nanoseconds since the machine's start, sleep included.
    pub since_start: i64,
    /// Identifies that start; zero if it is not known.
    pub start: u128,
}

/// Drift between the clocks that is no setting: the kernel speeds one up or slows it down by a two-thousandth at most,
/// so this much in half an hour.
const MAX_DRIFT: i64 = 1_000_000_000;

impl ClockReading {
    /// Reads the machine's clocks.
    pub fn now() -> ClockReading {
        let nanoseconds =
            |time: Timespec| time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
        ClockReading {
            wall: nanoseconds(clock_gettime(ClockId::Realtime)),
            since_start: nanoseconds(clock_gettime(ClockId::Boottime)),
            start: start_of_machine(),
        }
    }

    /// Reports whether the wall clock shows less time since `then` than has passed. A clock that was set back and forth
    /// again is not noticed, nor is one that was set back across a restart of the machine to a time after `then`.
    pub fn was_set_back_since(&self, then: &ClockReading) -> bool {
        let shown = self.wall.saturating_sub(then.wall);
        let is_same_start = self.start == then.start && self.since_start >= then.since_start;
        let passed = if is_same_start { self.since_start - then.since_start } else { 0 };
        shown < 0 || shown.saturating_add(MAX_DRIFT) < passed
    }
}

/// Returns the identity of the machine's last start (`man 4 random`).
#[allow(clippy::disallowed_methods, reason = "a file of the kernel's")]
fn start_of_machine() -> u128 {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    u128::from_str_radix(&text.trim().replace('-', ""), 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn at(wall: i64, since_start: i64, start: u128) -> ClockReading {
        ClockReading { wall: wall * SECOND, since_start: since_start * SECOND, start }
    }

    #[test]
    fn a_clock_that_was_set_back_is_noticed() {
        let then = at(1_000, 10, 1);
        for (now, was_set_back) in [
            (at(1_005, 15, 1), false),
            (at(1_000, 10, 1), false),
            (at(1_100, 15, 1), false),
            (at(1_002, 15, 1), true),
            (at(999, 15, 1), true),
            // After a restart of the machine only the wall clock tells.
            (at(1_002, 5, 2), false),
            (at(1_002, 500, 2), false),
            (at(999, 5, 2), true),
        ] {
            assert_eq!(now.was_set_back_since(&then), was_set_back, "{now:?}");
        }
    }

    #[test]
    fn the_machines_clocks_go_forward() {
        let (first, second) = (ClockReading::now(), ClockReading::now());
        assert!(second.since_start >= first.since_start && first.start == second.start && first.start != 0);
        assert!(!second.was_set_back_since(&first));
    }
}
