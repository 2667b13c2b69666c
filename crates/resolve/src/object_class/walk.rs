//! A walk from an object to what gives it its class: variables, members and functions lead to one another.

use std::cell::{Cell, RefCell};

use symd_base::RelPath;

/// The most chains that one walk follows.
const MAX_STEPS: usize = 64;

/// A variable or a member: its file, and the byte at which its name begins where it is first bound.
pub(super) type BoundName = (RelPath, u32);

/// A walk, and what it is asking about.
#[derive(Debug)]
pub(super) struct Walk {
    steps: Cell<usize>,
    asked: RefCell<Vec<BoundName>>,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk { steps: Cell::new(MAX_STEPS), asked: RefCell::default() }
    }
}

impl Walk {
    /// Whether one more chain may be followed.
    pub(super) fn step(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Runs `ask` about what a name is bound to; `None` while that is being asked already: `a = a.next`.
    pub(super) fn about<T>(&self, name: BoundName, ask: impl FnOnce() -> T) -> Option<T> {
        if self.asked.borrow().contains(&name) {
            return None;
        }
        self.asked.borrow_mut().push(name);
        let answer = ask();
        self.asked.borrow_mut().pop();
        Some(answer)
    }
}
