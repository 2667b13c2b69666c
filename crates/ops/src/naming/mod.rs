//! What a name means: other readings of it than as a name path, which declarations it has together, and which of those are
//! one thing. Not the questions about it.

mod across;
mod container;
pub(super) mod one_thing;
mod qualified;
mod reading;

pub(super) use self::container::are_overloads;
pub(super) use self::reading::{Understood, understood};
