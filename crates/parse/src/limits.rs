//! What one text may cost. Two kinds of limit: what a text is *blamed* for (its own processor time and memory, which do not
//! depend on how busy the machine is), and what only replaces the worker (the clock on the wall).

use std::time::Duration;

/// A symd that is built for tests takes several times as long over a text.
const SLOWNESS: u64 = if cfg!(debug_assertions) { 3 } else { 1 };
/// Processor time that any text may take.
const PROCESSOR_BASE: Duration = Duration::from_secs(2 * SLOWNESS);
/// And for each mebibyte of it.
const PROCESSOR_PER_MEBIBYTE: Duration = Duration::from_secs(SLOWNESS);
/// How many times its processor time a text may take on the wall's clock.
const WALL_FACTOR: u32 = 10;

/// Address space that any text may take, beyond what the worker has before the first one.
const MEMORY_BASE: u64 = 512 << 20;
/// And for each byte of it: syntax trees took up to 200 bytes for one of Python.
const MEMORY_PER_BYTE: u64 = 320;

/// Processor time in which a text is expected to be parsed while others wait, whatever its length.
const EXPECTED_BASE: Duration = Duration::from_millis(8 * SLOWNESS);
/// How many times as slow as the average text of its grammar one may be until it is taken aside.
const EXPECTED_FACTOR: u64 = 4;
/// No text may hold up others longer than this, however long it is.
const EXPECTED_MOST: Duration = Duration::from_secs(2);
/// A worker that is to stop may take so much longer to come to it: twice the time, and this.
const LATE: Duration = Duration::from_millis(25 * SLOWNESS);
/// How long others wait for a worker that gets no processor time, or is stopped: no text is slow for that.
pub(super) const EXPECTED_WALL: Duration = Duration::from_secs(3);
/// Processor time of a trial before it is put behind everything else on the machine. Most texts that were set aside were
/// only unlucky, and on a busy machine the least favoured process gets none for seconds.
pub(super) const HEAD_START: Duration = Duration::from_millis(100 * SLOWNESS);

/// What a text of some length may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    /// Processor time.
    pub(super) processor: Duration,
    /// Time on the wall's clock.
    pub(super) wall: Duration,
    /// Bytes of address space.
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

/// How long a text of `bytes` may take while others wait, where the average one takes `nanoseconds_per_byte`.
pub(super) fn expected(bytes: usize, nanoseconds_per_byte: u64) -> Duration {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let more = bytes.saturating_mul(nanoseconds_per_byte).saturating_mul(EXPECTED_FACTOR);
    EXPECTED_MOST.min(EXPECTED_BASE + Duration::from_nanos(more))
}

/// When a worker that was to stop after `expected` is believed not to come to it.
pub(super) fn too_late(expected: Duration) -> Duration {
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
        assert_eq!(expected(8 << 20, 400), EXPECTED_MOST);
    }
}
