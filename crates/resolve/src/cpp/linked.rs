//! Declarations that are one symbol: a prototype and its definition, a member in its class and outside of it. Invariant:
//! two definitions are one symbol only where both see the same declaration.

use super::super::family::Family;
use super::super::resolver::{CurrentFile, Resolver};
use super::super::sources::{IndexedDeclaration, Sources};
use super::included::included;
use super::owner_path::{around, owner_path};
use crate::hierarchy::classes::is_class;
use std::rc::Rc;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::SymbolKind;
use symd_syntax::signature::signature_in;

/// The most declarations of one name that are compared: no symbol has so many.
const MAX_NAMESAKES: usize = 2_000;

/// The other declarations of a symbol.
#[derive(Debug, Default)]
pub(in super::super) struct LinkedDeclarations {
    /// Those that are the same symbol.
    pub(in super::super) same: Vec<IndexedDeclaration>,
    /// Those of which it is not known: overloads whose parameters are written differently.
    pub(in super::super) perhaps: Vec<IndexedDeclaration>,
}

/// Whether a symbol in this file's language may have declarations apart from its definition: C, C++.
pub fn has_prototypes(file: &FileEntry) -> bool {
    Family::of(file).is_some_and(|family| family.profile().uses.has_prototypes)
}

/// Returns the other declarations of a symbol of C or C++, in path order, then by row; empty for other languages.
pub fn linked_declarations(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let Some(family) = Family::of(&target.file).filter(|_| has_prototypes(&target.file)) else {
        return Ok(Vec::new());
    };
    let resolver = Resolver::new(sources, family, cancel);
    let same = linked(&resolver, &resolver.refreshed(target))?.same;
    // Rows of the index, which may differ from those of the files as they were read.
    let indexed = resolver.declared(target.name())?;
    let start = |one: &IndexedDeclaration| one.row().map(|(_, row)| row.name_start);
    let is_same = |one: &&IndexedDeclaration| {
        same.iter().any(|other| one.file.path == other.file.path && start(one) == start(other))
    };
    Ok(indexed.iter().filter(is_same).cloned().collect())
}

/// What of a declaration is compared.
struct LinkFacts {
    here: Rc<CurrentFile>,
    declared: IndexedDeclaration,
    path: Vec<String>,
    is_callable: bool,
    /// The types of its parameters as written, without white space; `None` in C, which has no overloads.
    types: Option<Vec<String>>,
    is_const: bool,
    is_definition: bool,
    /// Whether it is static outside of a class: only its own file sees it.
    is_static: bool,
    is_in_class: bool,
}

/// Returns the other declarations of the symbol that `target` declares. `target` is as of the question.
pub(in super::super) fn linked(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<LinkedDeclarations, Cancelled> {
    let mut found = LinkedDeclarations::default();
    let Some(own) = LinkFacts::read(resolver, target) else { return Ok(found) };
    let declared = resolver.declared(target.name())?;
    if declared.len() > MAX_NAMESAKES {
        return Ok(found);
    }
    let mut others = Vec::new();
    for other in declared.iter().filter(|other| may_belong_to(other, &own.path)) {
        resolver.cancel.check()?;
        let Some(other) = LinkFacts::read(resolver, other) else { continue };
        if other.path == own.path
            && other.is_callable == own.is_callable
            && !other.declared.is_same_declaration(&own.declared)
        {
            others.push(other);
        }
    }
    let (same, differing): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|other| own.has_parameters_of(other));
    // An overload set whose spellings differ is told apart only if its other members have their own halves.
    let is_open = |one: &LinkFacts| {
        own.has_arity_of(one)
            && !differing.iter().any(|other| !std::ptr::eq(one, other) && one.has_parameters_of(other))
    };
    let lacks_half = same.iter().all(|other| other.is_definition == own.is_definition);
    let near: Vec<&LinkFacts> = differing.iter().filter(|one| is_open(one)).collect();
    let halves: Vec<&&LinkFacts> = near.iter().filter(|one| one.is_definition != own.is_definition).collect();
    // The only other half of this many parameters.
    let spelled_otherwise = match (&halves[..], near.len()) {
        ([only], 1) if lacks_half => Some(**only),
        _ => None,
    };
    let is_static = own.is_static || same.iter().any(|one| one.is_static && one.is_in_file_of(&own));
    let all: Vec<&LinkFacts> = same.iter().chain(spelled_otherwise).collect();
    // What is static in another file is not counted: it is another symbol.
    let defines = |one: &LinkFacts| one.is_definition && !one.is_static;
    let definitions = all.iter().filter(|one| defines(one)).count() + usize::from(defines(&own));
    let mut reached = vec![false; all.len()];
    let mut open = vec![&own];
    while let Some(one) = open.pop() {
        for (at, other) in all.iter().enumerate() {
            let is_one = match (one.is_in_class, other.is_in_class) {
                // A class is defined once: two of one name are two classes.
                (true, true) => false,
                (true, false) => other.sees(resolver, one),
                (false, true) => one.sees(resolver, other),
                (false, false) if is_static || other.is_static => other.is_in_file_of(&own),
                (false, false) => definitions < 2 || one.sees(resolver, other) || other.sees(resolver, one),
            };
            if !reached[at] && is_one {
                reached[at] = true;
                open.push(other);
            }
        }
    }
    let of = |one: &LinkFacts| one.declared.clone();
    found.same = all.iter().zip(&reached).filter(|(_, is_one)| **is_one).map(|(one, _)| of(one)).collect();
    if lacks_half && spelled_otherwise.is_none() {
        found.perhaps = near.into_iter().map(of).collect();
    }
    Ok(found)
}

/// Whether a declaration can have this path, as far as its outline tells.
fn may_belong_to(other: &IndexedDeclaration, path: &[String]) -> bool {
    let Some((outline, row)) = other.row() else { return false };
    let above = around(outline, other.row);
    let is_in_class = row.parent().is_some_and(|parent| is_class(&outline.rows[parent]));
    let begins = above.len() <= path.len() && above.iter().zip(path).all(|(one, other)| one == other);
    begins && (!is_in_class || above.len() == path.len())
}

impl LinkFacts {
    fn read(resolver: &Resolver, declared: &IndexedDeclaration) -> Option<LinkFacts> {
        let here = resolver.read_file(&declared.file)?;
        let at = here.row_of(declared)?;
        let row = &here.outline.rows[at];
        let is_callable = row.kind().is_callable();
        if !is_callable && !matches!(row.kind(), SymbolKind::Variable | SymbolKind::Field) {
            return None;
        }
        let text = here.text.as_str();
        let before = text.get(row.start as usize..row.name_start as usize)?;
        let says =
            |word: &str| before.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|one| one == word);
        let is_in_class = row.parent().is_some_and(|parent| is_class(&here.outline.rows[parent]));
        let whole = text.get(row.start as usize..row.end as usize)?.trim_end();
        let is_definition = match is_callable {
            true => whole.ends_with('}'),
            false => !is_in_class && (!says("extern") || whole.contains('=')),
        };
        let signature = || signature_in(Some(here.grammar), text, &here.outline, at)?.parameter_types();
        let has_overloads = is_callable && here.grammar.name() != "c";
        Some(LinkFacts {
            declared: here.target(at),
            path: owner_path(&here, at),
            is_callable,
            types: if has_overloads { signature() } else { None },
            is_const: has_overloads && is_const(text.get(row.name_start as usize..row.end as usize)?),
            is_definition,
            is_static: says("static") && !is_in_class,
            is_in_class,
            here,
        })
    }

    /// Whether both take the same parameters, as they are written.
    fn has_parameters_of(&self, other: &LinkFacts) -> bool {
        match (&self.types, &other.types) {
            // A function that a header of C declares has one meaning.
            (None, _) | (_, None) => true,
            (one, other_types) => one == other_types && self.is_const == other.is_const,
        }
    }

    fn has_arity_of(&self, other: &LinkFacts) -> bool {
        let arity = |one: &LinkFacts| one.types.as_ref().map(Vec::len);
        arity(self) == arity(other) && self.is_const == other.is_const
    }

    fn is_in_file_of(&self, other: &LinkFacts) -> bool {
        self.declared.file.path == other.declared.file.path
    }

    /// Whether the file of this declaration holds or includes the other.
    fn sees(&self, resolver: &Resolver, other: &LinkFacts) -> bool {
        if self.is_in_file_of(other) {
            return true;
        }
        let (mine, theirs) = (&self.declared.file.path, &other.declared.file.path);
        mine.file_stem() == theirs.file_stem() || included(resolver, &self.here.file).holds(theirs)
    }
}

/// Whether `const` follows the parameter list in the text from a function's name on.
fn is_const(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return text[at + 1..].trim_start().starts_with("const"),
            ')' => depth = depth.saturating_sub(1),
            '{' | ';' if depth == 0 => return false,
            _ => {}
        }
    }
    false
}
