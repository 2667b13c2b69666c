//! Limits per text, of two kinds: those for which a text is *blamed* (its own processor time and memory,
//! which do not depend on the load of the machine), and one after which only the worker is replaced
//! (wall-clock time).

use std::time::Duration;

/// A debug build takes several times as long for a text.
const SLOWNESS: u64 = if cfg!(debug_assertions) { 3 } else { 1 };
/// Processor time that any text may take.
const PROCESSOR_BASE: Duration = Duration::from_secs(2 * SLOWNESS);
/// Additional processor time for each mebibyte of text.
const PROCESSOR_PER_MEBIBYTE: Duration = Duration::from_secs(SLOWNESS);
/// Ratio of a text's wall-clock limit to its processor time limit.
const WALL_FACTOR: u32 = 10;

/// Address space in bytes that any text may take, beyond that of the worker before the first text.
const MEMORY_BASE: u64 = 512 << 20;
/// Additional bytes of address space for each byte of text: syntax trees took up to 200 bytes per byte of
/// Python.
const MEMORY_PER_BYTE: u64 = 320;

/// Base of the expected parsing time while other texts wait, in processor time, whatever the length.
const EXPECTED_BASE: Duration = Duration::from_millis(8 * SLOWNESS);
/// Ratio to the average of its grammar above which a text is slow and set aside.
const EXPECTED_FACTOR: u64 = 4;
/// Maximum time for which any text may delay others, whatever its length.
const MAX_EXPECTED: Duration = Duration::from_secs(2);
/// Tolerance for a worker that is to stop: twice the expected time, and this.
const LATE: Duration = Duration::from_millis(25 * SLOWNESS);
/// Wall-clock time for which others wait for a worker that gets no processor time, or is stopped; the text is
/// not slow for that reason.
const EXPECTED_WALL: Duration = Duration::from_secs(3);
/// Wall-clock time within which a worker must start, then receive a text, then load a grammar; else
/// another worker takes the text. Each takes milliseconds unless the worker is stopped.
pub(super) const START_WALL: Duration = Duration::from_secs(3);
/// Processor time of a trial before it gets the lowest priority of the machine. Most texts that were set
/// aside are not slow by themselves, and on a busy machine a process of the lowest priority gets no processor
/// time for seconds.
const NORMAL_PRIORITY_TIME: Duration = Duration::from_millis(100 * SLOWNESS);

/// The time that others wait for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// Processor time of the worker.
    pub(super) processor: Duration,
    /// Wall-clock time.
    pub(super) wall: Duration,
}

impl Expected {
    /// That of a trial of normal priority. Time that passes without processor time does not count: a worker of
    /// the lowest priority gets even less.
    pub(super) const OF_TRIAL: Expected = Expected { processor: NORMAL_PRIORITY_TIME, wall: Duration::MAX };

    pub(super) fn new(processor: Duration) -> Expected {
        Expected { processor, wall: EXPECTED_WALL.max(processor) }
    }
}

/// The limits for a text of a certain length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(super) processor: Duration,
    /// Wall-clock time.
    pub(super) wall: Duration,
    /// Address space, in bytes.
    pub(super) memory: u64,
}

impl Allowance {
    pub(super) fn of(bytes: usize) -> Allowance {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let mebibytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
        let processor = PROCESSOR_BASE + PROCESSOR_PER_MEBIBYTE.saturating_mul(mebibytes);
        let memory = MEMORY_BASE.saturating_add(bytes.saturating_mul(MEMORY_PER_BYTE));
        Allowance { processor, wall: processor * WALL_FACTOR, memory }
    }
}

/// Returns the expected parsing time of a text of `bytes` bytes while others wait, if the average is
/// `nanoseconds_per_byte`.
pub(super) fn expected(bytes: usize, nanoseconds_per_byte: u64) -> Duration {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let more = bytes.saturating_mul(nanoseconds_per_byte).saturating_mul(EXPECTED_FACTOR);
    MAX_EXPECTED.min(EXPECTED_BASE + Duration::from_nanos(more))
}

/// Returns the time after which a worker that was to stop after `expected` is considered unable to stop.
pub(super) fn stop_deadline(expected: Duration) -> Duration {
    expected * 2 + LATE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_may_cost_grows_with_it() {
        let small = Allowance::of(3_000);
        assert_eq!(small.processor, Duration::from_secs(2 * SLOWNESS));
        let large = Allowance::of(4 << 20);
        assert_eq!(large.processor, Duration::from_secs(6 * SLOWNESS));
        assert_eq!((small.wall, large.wall), (small.processor * 10, large.processor * 10));
        assert!(large.memory > small.memory + (1 << 30));
        assert_eq!(expected(10_000, 100), EXPECTED_BASE + Duration::from_millis(4));
        assert_eq!(expected(8 << 20, 400), MAX_EXPECTED);
    }
}
