//! Background processes of one connection's commands. Invariant: all of them are killed when the connection
//! ends.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::stream::Stream;
use super::watched_command::WatchedCommand;

/// The most commands of one connection whose background processes are tracked. Beyond that, those of the
/// oldest command are killed.
const MAX_COMMANDS: usize = 64;

/// The background processes of one connection's commands.
#[derive(Debug, Default)]
pub struct BackgroundCommands(Mutex<VecDeque<BackgroundCommand>>);

#[derive(Debug)]
struct BackgroundCommand {
    ward: WatchedCommand,
    /// Still read, so that the processes that write to them do not block.
    _streams: Vec<Stream>,
}

impl BackgroundCommands {
    /// Takes over the background processes of a command.
    pub(crate) fn take(&self, ward: WatchedCommand, streams: Vec<Stream>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|left| !left.ward.is_over());
        if all.len() == MAX_COMMANDS {
            all.pop_front();
        }
        all.push_back(BackgroundCommand { ward, _streams: streams });
    }
}
