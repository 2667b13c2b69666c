//! What the commands of one connection left running. Invariant: whatever is here is ended when the connection ends.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::stream::Stream;
use super::ward::Ward;

/// Commands of one connection of which something may run on. When it is full, what the oldest one left is ended.
const MAX_COMMANDS: usize = 64;

/// What is left of the commands of one connection.
#[derive(Debug, Default)]
pub struct LeftBehind(Mutex<VecDeque<BackgroundCommand>>);

#[derive(Debug)]
struct BackgroundCommand {
    ward: Ward,
    /// Still read, so that what writes to them goes on.
    _streams: Vec<Stream>,
}

impl LeftBehind {
    /// Takes over what is left of a command.
    pub(crate) fn take(&self, ward: Ward, streams: Vec<Stream>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|left| !left.ward.is_over());
        if all.len() == MAX_COMMANDS {
            all.pop_front();
        }
        all.push_back(BackgroundCommand { ward, _streams: streams });
    }
}
