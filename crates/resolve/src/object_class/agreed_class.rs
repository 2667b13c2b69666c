//! The class on which several values agree: of a variable that is set more than once, of a function with more than one `return`.

use super::class_of_value;
use super::walk::Walk;
use crate::context::first_word;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Words for a value that is no object.
const NOTHING: [&str; 3] = ["None", "null", "undefined"];

/// A value that something is given.
#[derive(Clone, Debug)]
pub(super) enum GivenValue {
    /// An object of this class, or of one below it.
    Object(IndexedDeclaration),
    /// `None`, which has no members.
    Nothing,
    Unknown,
}

impl GivenValue {
    pub(super) fn of(class: Option<IndexedDeclaration>) -> GivenValue {
        class.map_or(GivenValue::Unknown, GivenValue::Object)
    }
}

/// Reads the value that begins at byte `at`.
pub(super) fn given_value(
    resolver: &Resolver,
    here: &CurrentFile,
    at: usize,
    walk: &Walk,
) -> Result<GivenValue, Cancelled> {
    let text = here.text.as_str();
    let word = first_word(text.get(at..).unwrap_or(""));
    if NOTHING.contains(&word) && super::ends_value(text, at + word.len(), resolver.family) {
        return Ok(GivenValue::Nothing);
    }
    Ok(GivenValue::of(class_of_value(resolver, here, at, walk)?))
}

/// The class of all values that were added, as long as they agree.
#[derive(Debug, Default)]
pub(super) struct AgreedClass {
    class: Option<IndexedDeclaration>,
    is_unknown: bool,
}

impl AgreedClass {
    pub(super) fn add(&mut self, value: GivenValue) {
        match (value, &self.class) {
            (GivenValue::Nothing, _) => {}
            (GivenValue::Object(class), None) => self.class = Some(class),
            (GivenValue::Object(class), Some(known)) if known.is_same_declaration(&class) => {}
            (GivenValue::Object(_) | GivenValue::Unknown, _) => self.is_unknown = true,
        }
    }

    /// Whether no further value can make them agree.
    pub(super) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Returns the class; `None` where the values do not agree, or none is an object.
    pub(super) fn class(self) -> Option<IndexedDeclaration> {
        self.class.filter(|_| !self.is_unknown)
    }
}
