//! Whether a function or a class of Python is a value somewhere: passed on, stored, returned. Then it may be called by other names.
//! Invariant: a name counts unless it certainly means something else.

use crate::brackets::open_bracket;
use crate::context::{Receiver, receiver};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::hierarchy::inheritance::Inheritance;
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::python::keyword_uses::hands_on;
use crate::python::keywords::is_value;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use std::collections::BTreeSet;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Import, Imported};

/// Whether the declaration is a value anywhere in the project.
pub(crate) fn is_value_anywhere(
    resolver: &Resolver,
    declaration: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    for here in with_name(resolver, declaration.name())? {
        for range in places_of_names(&here, declaration.name()) {
            if is_value_at(resolver, &here, range, declaration)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the places in a file of a name, and of the other names that the file's imports give what is called so elsewhere.
pub(crate) fn places_of_names(here: &CurrentFile, name: &str) -> Vec<TextRange> {
    let mut found = places_of(here, name);
    let is_it = |import: &Import| import.imported == Imported::Name(name) && import.alias.is_some();
    for import in here.imports().iter().filter(is_it) {
        found.extend(import.alias.map_or(Vec::new(), |alias| places_of(here, alias)));
    }
    found
}

/// Whether the name at `range` is the declaration as a value.
pub(crate) fn is_value_at(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    declaration: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let is_declared = || here.outline.rows.iter().any(|row| row.name_start == range.start);
    Ok(is_value(here.text.as_str(), range) && !is_declared() && may_mean(resolver, here, range, declaration)?)
}

/// Whether the name at `range` may mean the declaration.
pub(crate) fn may_mean(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    declaration: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let class = class_of(declaration);
    let is_it = |found: &[IndexedDeclaration]| -> Result<bool, Cancelled> {
        for one in found {
            if one.is_same_declaration(declaration) {
                return Ok(true);
            }
            // A method that it overrides, or that overrides it.
            if let (Some(class), Some(other)) = (&class, class_of(one))
                && Inheritance::new(class).is_related(resolver, &other)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let text = here.text.as_str();
    match receiver(text, range.start as usize, resolver.family) {
        Receiver::None => match scope::resolve_name(resolver, here, range.start, here.text.slice(range))? {
            Meaning::Declared(found)
            | Meaning::LocalOrDeclared(found)
            | Meaning::Probable(found)
            | Meaning::Possible(found) => is_it(&found),
            Meaning::Unknown => Ok(class.is_none()),
            Meaning::Local | Meaning::OutsideProject | Meaning::Module(_) => Ok(false),
        },
        Receiver::Chain(chain, first) => {
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            let owner = scope::resolve_chain(resolver, here, first, &chain, SearchStart::Inside)?;
            match scope::resolve_member(resolver, &owner, here.text.slice(range))? {
                Meaning::Declared(found) => is_it(&found),
                Meaning::OutsideProject if matches!(owner, Meaning::OutsideProject) => Ok(false),
                _ => Ok(class.is_some()),
            }
        }
        Receiver::Super | Receiver::Expression => Ok(class.is_some()),
    }
}

/// Whether the name of a function or a class is bound to something else in its file: `f = h`, behind `def f`.
pub(crate) fn is_rebound(resolver: &Resolver, declaration: &IndexedDeclaration) -> bool {
    let Some(here) = resolver.read_file(&declaration.file) else { return true };
    let text = here.text.as_str();
    let is_bound = |range: &TextRange| {
        let (before, behind) = (&text[..range.start as usize], text[range.end as usize..].trim_start());
        let is_first = before.rsplit('\n').next().unwrap_or_default().trim().is_empty();
        is_first
            && behind.starts_with('=')
            && !behind.starts_with("==")
            && open_bracket(text, before.len()).is_none()
    };
    let places = places_of(&here, declaration.name());
    let around = |at: u32| scope::around(&here, at).first().copied();
    let own = declaration.row().and_then(|(_, row)| row.parent());
    places.iter().any(|range| is_bound(range) && around(range.start) == own)
}

/// A class with the classes that are related to it.
#[derive(Default)]
pub(crate) struct ClassKin {
    /// The class, and those that inherit from it.
    pub(crate) heirs: Vec<IndexedDeclaration>,
    /// These, and all classes from which they inherit.
    pub(crate) around: Vec<IndexedDeclaration>,
}

impl ClassKin {
    pub(crate) fn of(resolver: &Resolver, class: &IndexedDeclaration) -> Result<ClassKin, Cancelled> {
        let graph = ClassGraph::of_kin(resolver, std::slice::from_ref(class), Kin::Around)?;
        let Some(at) = graph.number(class) else {
            return Ok(ClassKin { heirs: vec![class.clone()], around: vec![class.clone()] });
        };
        let below = graph.descendants(at);
        let of_node = |at: &usize| graph.node(*at).class.clone();
        let around = below.iter().flat_map(|&heir| graph.ancestors(heir));
        let around: BTreeSet<usize> = around.collect();
        Ok(ClassKin {
            heirs: below.iter().map(of_node).collect(),
            around: around.iter().map(of_node).collect(),
        })
    }

    /// Whether a method `method` of one of the classes around takes keywords that it does not name, `keyword` among them.
    pub(crate) fn hands_on(
        &self,
        resolver: &Resolver,
        method: &str,
        keyword: &str,
    ) -> Result<bool, Cancelled> {
        let may_hand_on = |one: &IndexedDeclaration| {
            class_of(one).is_some_and(|class| self.holds_any(std::slice::from_ref(&class)))
                && hands_on(resolver, one, keyword)
        };
        Ok(resolver.declared(method)?.iter().any(may_hand_on))
    }

    /// Whether one of `others` may come before or behind the class where a class inherits from both.
    pub(crate) fn holds_any(&self, others: &[IndexedDeclaration]) -> bool {
        others.iter().any(|one| self.around.iter().any(|kin| kin.is_same_declaration(one)))
    }
}

/// Returns the class whose member a declaration is.
pub(crate) fn class_of(declaration: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let (outline, row) = declaration.row()?;
    let parent = row.parent().filter(|&parent| is_class(&outline.rows[parent]))?;
    Some(IndexedDeclaration { file: declaration.file.clone(), row: parent })
}
