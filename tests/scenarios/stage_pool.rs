//! Daemons that scenarios of one fixture use in turn: a start takes longer than most scenarios. As many run at once as
//! scenarios do, and few more wait.

use std::sync::Mutex;

use super::stage::{Kind, Stage};

/// The most daemons that wait for another scenario.
const MAX_WAITING: usize = 4;

/// The daemons that wait, each with the fixture whose scenarios have used it; the longest waiting first.
#[derive(Default)]
pub struct StagePool(Mutex<Vec<(String, Stage)>>);

impl StagePool {
    /// Returns a daemon of this kind that only scenarios of this fixture have used; starts one if none waits.
    pub fn take(&self, fixture: &str, kind: Kind) -> Stage {
        let mut waiting = self.0.lock().unwrap();
        let at = waiting.iter().position(|(of, stage)| of == fixture && stage.kind == kind);
        let known = at.map(|at| waiting.remove(at).1);
        drop(waiting);
        known.unwrap_or_else(|| Stage::new(kind))
    }

    /// Keeps a daemon for another scenario.
    pub fn give_back(&self, fixture: String, stage: Stage) {
        // A server's log keeps all requests, and few scenarios share one: its daemon ends with the scenario.
        if stage.has_server() {
            return;
        }
        let mut waiting = self.0.lock().unwrap();
        waiting.push((fixture, stage));
        // Ending a daemon takes time that others need not wait for.
        let ended = if waiting.len() > MAX_WAITING { Some(waiting.remove(0)) } else { None };
        drop(waiting);
        drop(ended);
    }

    /// Ends all daemons that wait.
    pub fn end(&self) {
        self.0.lock().unwrap().clear();
    }
}
