//! Keywords of calls that may mean a parameter of Python: of calls of its function by any name, of classes that it constructs and
//! of their heirs, of variables that may hold it. Invariant: a keyword is left out only where the called name certainly means
//! something else, or the function is never a value.

use crate::conflicts::SourcePlace;
use crate::context::{Receiver, last_word, receiver};
use crate::hierarchy::classes::{is_class, is_function};
use crate::hierarchy::heads::arguments_of;
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::place::{OccurrenceKind, classify_occurrence};
use crate::python::function_heads::{parameters_begin, takes_unnamed};
use crate::python::function_values::{ClassKin, class_of, is_rebound};
use crate::python::keywords::{arguments_behind, called_with, holds_value, is_local, takes_heads};
use crate::python::reached_unnamed::{gets_class_of_object, is_class_of, is_in_string, may_be_held};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::own_class;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Methods that a call of their class runs.
pub(crate) const CONSTRUCTORS: [&str; 2] = ["__init__", "__new__"];

/// Finds the keywords that may mean the parameter `target` of the function in a row.
pub(crate) fn keyword_uses(
    resolver: &Resolver,
    (here, function): (&CurrentFile, usize),
    target: &IndexedDeclaration,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(row) = here.row_of(target).map(|at| &here.outline.rows[at]) else { return Ok(Vec::new()) };
    let start = row.name_start as usize;
    if is_without_keyword(here, function, (start, start + target.name().len())) {
        return Ok(Vec::new());
    }
    let mut callee: Option<Callee> = None;
    let mut found = Vec::new();
    for other in with_name(resolver, target.name())? {
        for range in places_of(&other, target.name()) {
            let Some(called) = called_with(other.text.as_str(), range) else { continue };
            let callee = match &mut callee {
                Some(callee) => callee,
                empty => empty.insert(Callee::new(resolver, here, function)?),
            };
            if callee.may_be_called(resolver, &other, range, called)? {
                found.push((other.file.path.clone(), range));
            }
        }
    }
    Ok(found)
}

/// Whether no keyword can name the parameter at `start..end`: `*rest`, `**rest`, and one before `/`.
pub(crate) fn is_without_keyword(here: &CurrentFile, function: usize, (start, end): (usize, usize)) -> bool {
    let text = here.text.as_str();
    if text[..start].ends_with('*') {
        return true;
    }
    let Some(open) = parameters_begin(here, function).filter(|open| *open < start) else { return false };
    let parameters = arguments_of(&text[open..]).unwrap_or_default();
    let begins = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    parameters.iter().any(|one| one.trim() == "/" && begins(one) >= end)
}

/// A function whose calls are searched.
struct Callee {
    function: IndexedDeclaration,
    /// Whether it constructs objects of its class.
    is_constructor: bool,
    class: Option<IndexedDeclaration>,
    kin: ClassKin,
    /// Whether the function is a value somewhere; of a constructor, its class or an heir.
    is_value: bool,
    takes_heads: bool,
}

impl Callee {
    fn new(resolver: &Resolver, here: &CurrentFile, function: usize) -> Result<Callee, Cancelled> {
        let row = &here.outline.rows[function];
        let of = here.target(function);
        let class = row.parent().filter(|&at| is_class(&here.outline.rows[at])).map(|at| here.target(at));
        let kin = match &class {
            Some(class) => ClassKin::of(resolver, class)?,
            None => ClassKin::default(),
        };
        let is_constructor = class.is_some() && CONSTRUCTORS.contains(&of.name());
        let is_value = may_be_held(resolver, here, function, &kin)?;
        let takes_heads = takes_heads(here, function);
        Ok(Callee { function: of, is_constructor, class, kin, is_value, takes_heads })
    }

    /// Whether a call of an object runs it.
    fn is_instance_call(&self) -> bool {
        self.function.name() == "__call__" && self.class.is_some()
    }

    /// Whether the call with the keyword at `range` may run the function; `called` is the text up to its parenthesis.
    fn may_be_called(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
        called: &str,
    ) -> Result<bool, Cancelled> {
        let word = last_word(called);
        match last_word(called[..called.len() - word.len()].trim_end()) {
            "def" => return Ok(false),
            "class" => return Ok(self.takes_heads),
            _ => {}
        }
        if word.is_empty() && !called.ends_with([')', ']']) {
            return Ok(false);
        }
        let text = here.text.as_str();
        let name = &text[range.as_range()];
        let names = self.names();
        let arguments = arguments_behind(text, called);
        // `methodcaller("go", size=1)`
        if names.iter().any(|one| is_in_string(arguments, one)) {
            return Ok(true);
        }
        let is_value = self.is_value || names.iter().any(|one| is_in_string(text, one));
        let meaning = match classify_occurrence(resolver, here, range, name)? {
            OccurrenceKind::Argument { meaning, .. } => meaning,
            _ => Meaning::Unknown,
        };
        let is_kin = |one: &IndexedDeclaration| self.kin.holds_any(std::slice::from_ref(one));
        let is_class_of_object = self.is_constructor
            && !called[..called.len() - word.len()].ends_with('.')
            && gets_class_of_object(here, range.start)
            && is_local(here, word);
        match meaning {
            // `kind = x.__class__`, then `kind(size=1)`.
            _ if is_class_of_object => return Ok(true),
            Meaning::OutsideProject | Meaning::Module(_) => return Ok(false),
            Meaning::Declared(found) => {
                let is_of = |one: &IndexedDeclaration| {
                    let is_heir = |heir: &IndexedDeclaration| heir.is_same_declaration(one);
                    let is_class_of = self.is_constructor && self.kin.heirs.iter().any(is_heir);
                    // A method that it overrides, or that overrides it.
                    let is_family = one.name() == self.function.name()
                        && class_of(one).is_some_and(|class| is_kin(&class));
                    one.is_same_declaration(&self.function) || is_class_of || is_family
                };
                let is_known = |one: &IndexedDeclaration| {
                    (is_function(one) || one.row().is_some_and(|(_, row)| is_class(row)))
                        && !is_rebound(resolver, one)
                };
                let may_hand_on = |one: &IndexedDeclaration| {
                    (is_value || self.is_constructor && class_of(one).is_some_and(|class| is_kin(&class)))
                        && hands_on(resolver, one, name)
                };
                let is_called = is_value || self.is_instance_call();
                return Ok(found.iter().any(is_of)
                    || is_called && !found.iter().all(is_known)
                    || found.iter().any(may_hand_on));
            }
            _ => {}
        }
        if word == self.function.name() || matches!(word, "cls" | "__class__") && self.is_constructor {
            let at = called.len() - word.len();
            let is_super = receiver(called, at, resolver.family) == Receiver::Super;
            let is_own = is_super || word == "cls" || called.ends_with("self.__class__");
            return Ok(match own_class(here, range.start) {
                Meaning::Declared(class) if is_own => class.iter().any(is_kin),
                _ => true,
            });
        }
        if self.is_instance_call() {
            return Ok(true);
        }
        // `type(x)(…)`
        let is_type_of = self.is_constructor && is_class_of(called);
        let is_attribute = called[..called.len() - word.len()].ends_with('.');
        // A method of a class around that constructs its own: `kind.make(size=1)`.
        let mut may_construct = false;
        if is_attribute && (self.is_constructor || is_value) {
            may_construct = resolver.declared(word)?.iter().any(|one| {
                (is_value || class_of(one).is_some_and(|class| is_kin(&class)))
                    && hands_on(resolver, one, name)
            });
        }
        Ok(is_type_of || may_construct || is_value && (!is_attribute || holds_value(resolver, word)?))
    }

    /// Returns the names by which strings mean the function.
    fn names(&self) -> Vec<&str> {
        match self.is_constructor {
            true => self.kin.heirs.iter().map(IndexedDeclaration::name).collect(),
            false => vec![self.function.name()],
        }
    }
}

/// Whether a function of the project takes keywords that it does not name, and no parameter `name`: it may hand them on.
pub(crate) fn hands_on(resolver: &Resolver, function: &IndexedDeclaration, name: &str) -> bool {
    let here = resolver.read_file(&function.file);
    let Some((here, at)) =
        here.and_then(|here| Some((here.row_of(function)?, here))).map(|(at, here)| (here, at))
    else {
        return false;
    };
    takes_unnamed(&here, at, name)
}
