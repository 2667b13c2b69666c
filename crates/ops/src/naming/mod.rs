//! Interprets names: other readings than as a name path, which declarations a name selects together, and
//! which of those are one entity. Does not answer questions about them.

mod across;
mod container;
pub(super) mod entity;
mod entity_rules;
mod qualified;
mod reading;

pub(super) use self::container::are_overloads;
pub(super) use self::entity_rules::has_decorated_overloads;
pub(super) use self::reading::{Interpretation, interpret};
