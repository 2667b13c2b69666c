//! The ceiling of the daemon's memory: how much of it the caches may take, and what is let go of above it. Invariant: nothing
//! is let go of that an answer depends on; it is only made again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::freed_memory::{FreedMemory, taken};
use super::question_caches::QuestionCaches;

/// How much memory the daemon may take, and what besides the engine can let go of some.
#[derive(Clone, Debug)]
pub struct MemoryOptions {
    /// Bytes of anonymous memory above which the daemon lets go of what it can make again.
    pub ceiling: u64,
    /// Lets go of what others keep.
    pub let_go: Option<LetGo>,
}

impl Default for MemoryOptions {
    fn default() -> MemoryOptions {
        MemoryOptions { ceiling: 512 << 20, let_go: None }
    }
}

/// A callback that frees memory. It runs on a thread that may block.
#[derive(Clone)]
pub struct LetGo(pub Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for LetGo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LetGo")
    }
}

/// The ceiling. Shared by the engine's task and the pool's workers.
#[derive(Debug)]
pub(super) struct Ceiling {
    options: MemoryOptions,
    pub(super) freed: Arc<FreedMemory>,
    /// The least that the process took since everything had been let go of; 0 if it was below the ceiling.
    settled: AtomicU64,
    /// Whether something is being let go of, or is about to be.
    is_asked: AtomicBool,
    /// Number of times that something was let go of.
    times: AtomicU64,
}

/// Frees some memory.
type LettingGo<'a> = &'a dyn Fn();

impl Ceiling {
    pub(super) fn new(options: MemoryOptions) -> Ceiling {
        let (settled, is_asked, times) = (AtomicU64::new(0), AtomicBool::new(false), AtomicU64::new(0));
        Ceiling { options, freed: Arc::default(), settled, is_asked, times }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.options.ceiling
    }

    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::Relaxed)
    }

    /// Returns how many bytes the caches may take beside an index of this size: half of what it leaves, since questions
    /// need memory while they run. A sixteenth of the ceiling in any case: without caches, a question about a large project
    /// would parse the same files again and again.
    pub(super) fn for_caches(&self, index: usize) -> usize {
        let ceiling = usize::try_from(self.options.ceiling).unwrap_or(usize::MAX);
        (ceiling.saturating_sub(index) / 2).max(ceiling / 16)
    }

    /// Returns how many bytes outlines may take that can be read back from the cache: a sixteenth of the ceiling. Those of most projects
    /// take less, and none is let go of.
    pub(super) fn for_outlines(&self) -> usize {
        usize::try_from(self.options.ceiling / 16).unwrap_or(usize::MAX)
    }

    /// Whether a process that takes this much takes too much, once until [`Ceiling::let_go`] has ended.
    pub(super) fn is_exceeded(&self, taken: u64) -> bool {
        self.exceeds(taken) && !self.is_asked.swap(true, Ordering::Relaxed)
    }

    /// Whether this is too much.
    fn exceeds(&self, taken: u64) -> bool {
        self.settle(taken);
        taken > self.threshold()
    }

    /// Measures again what is left, after more was let go of.
    pub(super) fn measure_again(&self) {
        taken().into_iter().for_each(|taken| self.settle(taken));
    }

    /// What is left is never more than what the process is seen to take.
    fn settle(&self, taken: u64) {
        let left = if taken <= self.options.ceiling { 0 } else { taken };
        self.settled.fetch_min(left, Ordering::Relaxed);
    }

    /// What does not go below the ceiling would be let go of again after every question, in vain: the next time only when
    /// it has grown by an eighth of the ceiling.
    fn threshold(&self) -> u64 {
        match self.settled.load(Ordering::Relaxed) {
            0 => self.options.ceiling,
            settled => settled + self.options.ceiling / 8,
        }
    }

    /// Lets go of what can be made again, what is cheapest to make first, until the process takes no more than the ceiling. Slow,
    /// for a pool thread.
    pub(super) fn let_go(&self, caches: &QuestionCaches) {
        let _asked = EndOfLettingGo(self);
        let caches = || caches.let_go();
        let others = || self.options.let_go.iter().for_each(|LetGo(let_go)| let_go());
        self.let_go_in_turn(&[("nothing", &|| ()), ("caches", &caches), ("vectors", &others)], || {
            // What is freed is the system's only then.
            self.freed.give_back();
            taken()
        });
    }

    fn let_go_in_turn(&self, turns: &[(&str, LettingGo<'_>)], taken: impl Fn() -> Option<u64>) {
        for (what, let_go) in turns {
            let_go();
            let Some(now) = taken() else { return };
            let is_below = now <= self.options.ceiling;
            self.settled.store(if is_below { 0 } else { now }, Ordering::Relaxed);
            if is_below {
                let (now, ceiling) = (now >> 20, self.options.ceiling >> 20);
                tracing::debug!(
                    "memory was given back, up to {what}: {now} MiB, the ceiling is {ceiling} MiB"
                );
                break;
            }
        }
        self.times.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lets the next one begin, even after a panic.
struct EndOfLettingGo<'a>(&'a Ceiling);

impl Drop for EndOfLettingGo<'_> {
    fn drop(&mut self) {
        self.0.is_asked.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    fn ceiling(bytes: u64) -> Ceiling {
        Ceiling::new(MemoryOptions { ceiling: bytes, let_go: None })
    }

    #[test]
    fn caches_get_half_of_what_the_index_leaves() {
        let ceiling = ceiling(512 << 20);
        let mebibytes = |index: usize| ceiling.for_caches(index << 20) >> 20;
        assert_eq!((mebibytes(0), mebibytes(112), mebibytes(500), mebibytes(9000)), (256, 200, 32, 32));
    }

    #[test]
    fn it_stops_below_the_ceiling_and_begins_again_when_more_is_taken() {
        let ceiling = ceiling(80);
        let (taken, done) = (Cell::new(100_u64), RefCell::new(Vec::new()));
        let by = |what: &'static str, bytes: u64| {
            let (taken, done) = (&taken, &done);
            move || {
                done.borrow_mut().push(what);
                taken.set(taken.get() - bytes);
            }
        };
        let (a, b, c) = (by("a", 5), by("b", 20), by("c", 10));
        let run = || ceiling.let_go_in_turn(&[("a", &a), ("b", &b), ("c", &c)], || Some(taken.get()));
        run();
        assert_eq!((done.take(), ceiling.threshold()), (vec!["a", "b"], 80));
        taken.set(200);
        run();
        assert_eq!((done.take(), ceiling.threshold()), (vec!["a", "b", "c"], 175));
        taken.set(84);
        run();
        assert_eq!((done.take(), ceiling.threshold(), ceiling.times()), (vec!["a"], 80, 3));
    }

    #[test]
    fn memory_that_goes_down_by_itself_lowers_what_may_be_taken_next() {
        let ceiling = ceiling(80);
        ceiling.let_go_in_turn(&[("nothing", &|| ())], || Some(160));
        assert!(!ceiling.exceeds(165) && !ceiling.exceeds(120) && !ceiling.exceeds(125));
        assert!(ceiling.exceeds(131) && !ceiling.exceeds(70) && ceiling.exceeds(81));
    }

    #[test]
    fn it_is_asked_for_once_at_a_time() {
        let ceiling = ceiling(1);
        let taken = taken().expect("told");
        assert!(ceiling.is_exceeded(taken) && !ceiling.is_exceeded(taken));
        let freed = ceiling.freed.clone();
        freed.note(31 << 20);
        ceiling.let_go(&QuestionCaches::new(1 << 20));
        assert_eq!(ceiling.times(), 1);
        let times = freed.times();
        freed.note(1 << 20);
        assert_eq!((times > 0, freed.times()), (true, times), "what was freed before has been given back");
        assert!(ceiling.settled.swap(0, Ordering::Relaxed) > 0, "a process takes more than a byte");
        assert!(ceiling.is_exceeded(taken) && !ceiling.is_exceeded(taken));
        assert!(!Ceiling::new(MemoryOptions { ceiling: u64::MAX, let_go: None }).is_exceeded(taken));
    }
}
