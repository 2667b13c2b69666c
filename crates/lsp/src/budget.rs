//! The restart policy: how often a server may die before it stays down, and the pause before each restart.
//! Pure. Invariant: a server that dies as soon as it is started is started a bounded number of times.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The time span within which deaths are counted.
const WINDOW: Duration = Duration::from_secs(600);
/// The pause before the restart after the first, second … death within the window; after one more death the
/// server stays down. The first pause is short, because a server that was killed should be back at once.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];

/// The recent deaths of one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    deaths: VecDeque<Instant>,
}

/// The consequence of a death.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Start the server again at this moment.
    StartAt(Instant),
    /// Leave it down: it died this many times within this many minutes.
    StayDown { deaths: usize, minutes: u64 },
}

impl Budget {
    /// Counts a death at `now` and returns what to do next.
    pub(super) fn died(&mut self, now: Instant) -> Next {
        while self.deaths.front().is_some_and(|death| now.duration_since(*death) > WINDOW) {
            self.deaths.pop_front();
        }
        self.deaths.push_back(now);
        match PAUSES.get(self.deaths.len() - 1) {
            Some(pause) => Next::StartAt(now + *pause),
            None => Next::StayDown { deaths: self.deaths.len(), minutes: WINDOW.as_secs() / 60 },
        }
    }

    /// Forgets all deaths, because the user restarts the server.
    pub(super) fn forgive(&mut self) {
        self.deaths.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_the_fifth_death_is_the_last() {
        let zero = Instant::now();
        let mut budget = Budget::default();
        for (second, pause) in (0..).zip(PAUSES) {
            let now = zero + Duration::from_secs(second);
            assert_eq!(budget.died(now), Next::StartAt(now + pause));
        }
        let down = Next::StayDown { deaths: 5, minutes: 10 };
        assert_eq!(budget.clone().died(zero + WINDOW), down);
        // The first two deaths are outside the window by then.
        let later = zero + WINDOW + Duration::from_millis(1500);
        assert_eq!(budget.died(later), Next::StartAt(later + PAUSES[2]));
        budget.forgive();
        assert_eq!(budget.died(later), Next::StartAt(later + PAUSES[0]));
    }
}
