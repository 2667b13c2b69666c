//! Effects of a rename in JavaScript and TypeScript that no use of the name shows: names that the language calls, names that the
//! program computes, writes out or reads in, types that fit without naming each other. By syntax alone: a server knows types, but
//! none of this. Invariant: a doubt has a place in the project that gives cause for it.

mod alike;
mod called_names;
mod computed_keys;
mod declared_beside;
mod decorators;
mod derived_names;
mod enum_names;
mod forbidden_names;
mod key_text;
mod listed_exports;
mod own_name;
mod printed;
mod type_reach;
mod written_out;
mod written_types;

use std::rc::Rc;

use crate::family::Family;
use crate::family_texts::FamilyTexts;
use crate::hierarchy::classes::is_class;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// What declares the symbol.
#[derive(Clone, Debug)]
enum SymbolOwner {
    /// A class or an interface.
    Type {
        class: IndexedDeclaration,
        is_static: bool,
    },
    Enum(IndexedDeclaration),
    /// A file, at its top level, or a namespace.
    Module,
    /// A function.
    Function,
}

/// The symbol that is renamed.
struct RenamedSymbol<'q, 's> {
    resolver: &'q Resolver<'s>,
    /// All declarations of it, as they are now, the requested one first.
    targets: Vec<IndexedDeclaration>,
    here: Rc<CurrentFile>,
    row: Row,
    owner: SymbolOwner,
    old: String,
    new: &'q str,
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first.
pub(crate) fn ecma_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Ecma, cancel);
    let Some(symbol) = RenamedSymbol::new(&resolver, targets, new_name) else { return Ok(Vec::new()) };
    let mut found = called_names::find(&symbol);
    found.extend(forbidden_names::find(&symbol));
    found.extend(decorators::find(&symbol)?);
    // Nothing outside of its class names a private member.
    if symbol.old.starts_with('#') {
        return Ok(found);
    }
    if let SymbolOwner::Function = symbol.owner {
        return Ok(found);
    }
    let texts = FamilyTexts::new(symbol.resolver, &symbol.old);
    found.extend(own_name::find(&symbol, &texts)?);
    found.extend(enum_names::find(&symbol, &texts)?);
    found.extend(computed_keys::find(&symbol, &texts)?);
    found.extend(alike::find(&symbol, &texts)?);
    found.extend(listed_exports::find(&symbol, &texts)?);
    found.extend(declared_beside::find(&symbol, &texts));
    found.extend(written_types::find(&symbol, &texts));
    if printed::is_printed_class(&symbol)
        && let Some(class) = symbol.targets.first()
    {
        let reach = type_reach::TypeReach::of(&symbol, class, &texts)?;
        found.extend(printed::find(&symbol, &reach, &texts)?);
    }
    if let SymbolOwner::Type { class, .. } = &symbol.owner {
        let reach = type_reach::TypeReach::of(&symbol, class, &texts)?;
        found.extend(derived_names::find(&symbol, &reach, &texts)?);
        found.extend(written_out::find(&symbol, &reach, &texts)?);
    }
    found.extend(texts.doubt_of_left_out());
    Ok(found)
}

impl<'q, 's> RenamedSymbol<'q, 's> {
    fn new(
        resolver: &'q Resolver<'s>,
        targets: &[IndexedDeclaration],
        new: &'q str,
    ) -> Option<RenamedSymbol<'q, 's>> {
        let targets = resolver.refresh_targets(targets);
        let first = targets.first()?;
        let here = resolver.read_file(&first.file)?;
        let at = here.row_of(first)?;
        let row = here.outline.rows[at];
        let old = here.outline.name(&row).to_owned();
        let owner = owner(&here, &row);
        Some(RenamedSymbol { resolver, targets, here, row, owner, old, new })
    }

    /// Returns the text before the name: decorators and modifiers.
    fn head(&self) -> &str {
        head(&self.here, &self.row)
    }

    /// Returns the types that declare it, without repetitions.
    fn owners(&self) -> Vec<IndexedDeclaration> {
        let mut found: Vec<IndexedDeclaration> = Vec::new();
        for target in &self.targets {
            let Some(there) = self.resolver.read_file(&target.file) else { continue };
            let parent = there.row_of(target).and_then(|at| there.outline.rows[at].parent());
            let Some(parent) = parent.filter(|&at| is_class(&there.outline.rows[at])) else { continue };
            let class = there.target(parent);
            if !found.iter().any(|one| one.is_same_declaration(&class)) {
                found.push(class);
            }
        }
        found
    }

    fn is_member(&self) -> bool {
        matches!(self.owner, SymbolOwner::Type { .. })
    }
}

fn owner(here: &CurrentFile, row: &Row) -> SymbolOwner {
    let rows = &here.outline.rows;
    let Some(parent) = row.parent() else { return SymbolOwner::Module };
    match rows[parent].kind() {
        SymbolKind::Enum => SymbolOwner::Enum(here.target(parent)),
        SymbolKind::Module | SymbolKind::Namespace => SymbolOwner::Module,
        _ if is_class(&rows[parent]) && !row.is_local() => {
            let is_static = head(here, row).split_whitespace().any(|word| word == "static");
            SymbolOwner::Type { class: here.target(parent), is_static }
        }
        _ => SymbolOwner::Function,
    }
}

fn head<'h>(here: &'h CurrentFile, row: &Row) -> &'h str {
    here.text_before_name(row)
}
