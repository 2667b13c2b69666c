//! Functions that hand on what they are given to code that reads names, each followed once.

use std::collections::HashSet;

/// How often a value, or a class, is handed on.
const MAX_STEPS: usize = 3;

/// The names of such functions, in steps from the code that reads names.
#[derive(Debug, Default)]
pub(super) struct ForwardedNames {
    /// Functions whose calls are not looked at yet.
    open: Vec<String>,
    known: HashSet<String>,
    steps: usize,
}

impl ForwardedNames {
    pub(super) fn add(&mut self, name: &str) {
        if self.known.insert(name.to_owned()) {
            self.open.push(name.to_owned());
        }
    }

    /// Returns the functions that were added since the last step; `None` if there are none, and after the last step.
    pub(super) fn next_step(&mut self) -> Option<Vec<String>> {
        let names = std::mem::take(&mut self.open);
        self.steps += 1;
        (self.steps <= MAX_STEPS && !names.is_empty()).then_some(names)
    }
}
