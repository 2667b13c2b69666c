//! When an API may be asked again: kept in a file, because several daemons of the user share the API's limits.
//! Invariant: a time that the API named is never shortened.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use symd_base::Timestamp;
use symd_base::state;

use crate::apis::Refusal;

/// The wait after a first refusal that names none; it doubles with each further one.
const FIRST: Duration = Duration::from_secs(1);

/// The longest wait that doubling leads to.
const LONGEST: Duration = Duration::from_secs(900);

/// The longest wait that an API can ask for.
const MOST: Duration = Duration::from_secs(86_400);

/// The state of one API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wait {
    /// Seconds since 1970.
    until: u64,
    /// Refusals since the last answer.
    refusals: u32,
    /// Whether the last refusal was about too many requests.
    pub(super) is_limit: bool,
}

impl Wait {
    /// Reads the state; a file that cannot be read counts as missing.
    pub(super) fn read(file: &Path) -> Wait {
        let bytes = state::read_file(file).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Writes the state if it differs from `before`. If that fails, the API may be asked too early.
    pub(super) fn write(self, file: &Path, before: Wait) {
        if self == before {
            return;
        }
        let bytes = serde_json::to_vec(&self).unwrap_or_default();
        let written = file.parent().map_or(Ok(()), state::private_dir);
        if let Err(error) = written.and_then(|()| state::replace_file(file, &[&bytes])) {
            tracing::warn!(%error, "cannot keep how long an API wants to be left alone");
        }
    }

    /// Returns how many seconds the API must be left alone; `None` if it may be asked.
    pub(super) fn remaining(self, now: Timestamp) -> Option<u64> {
        // A clock that was set back must not lock an API out for good.
        let remaining = self.until.saturating_sub(now.seconds()).min(MOST.as_secs());
        (remaining > 0).then_some(remaining)
    }

    pub(super) fn after_refusal(self, refusal: &Refusal, now: Timestamp) -> Wait {
        if !refusal.counts {
            return self;
        }
        let doubled = FIRST.saturating_mul(1 << self.refusals.min(16)).min(LONGEST);
        let pause = refusal.wait.unwrap_or(doubled).max(FIRST).min(MOST);
        Wait {
            until: now.after(pause).seconds().max(self.until),
            refusals: self.refusals.saturating_add(1),
            is_limit: refusal.is_limit,
        }
    }

    /// Returns the state after an answer that asks for a pause.
    pub(super) fn after_answer(pause: Option<Duration>, now: Timestamp) -> Wait {
        let Some(pause) = pause else { return Wait::default() };
        Wait { until: now.after(pause.min(MOST)).seconds(), refusals: 0, is_limit: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(wait: Option<u64>) -> Refusal {
        Refusal { reason: String::new(), wait: wait.map(Duration::from_secs), is_limit: true, counts: true }
    }

    #[test]
    fn pauses_double_and_named_ones_hold() {
        let now = Timestamp::from_seconds(1_000);
        let mut wait = Wait::default();
        assert_eq!(wait.remaining(now), None);
        for seconds in [1, 2, 4, 8, 16] {
            wait = wait.after_refusal(&refusal(None), now);
            assert_eq!(wait.remaining(now), Some(seconds));
        }
        let named = wait.after_refusal(&refusal(Some(100)), now);
        assert_eq!(named.remaining(Timestamp::from_seconds(1_001)), Some(99));
        assert_eq!(named.after_refusal(&refusal(Some(5)), now).remaining(now), Some(100));
        assert_eq!(named.remaining(Timestamp::from_seconds(1_100)), None);
        let unlimited = Wait::default().after_refusal(&refusal(Some(u64::MAX / 2)), now);
        assert_eq!(unlimited.remaining(now), Some(86_400));
        assert_eq!(Wait::after_answer(Some(Duration::from_secs(10)), now).remaining(now), Some(10));
    }
}
