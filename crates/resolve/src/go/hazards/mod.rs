//! Effects of a rename in Go that no use of the name shows: names that encoders, `fmt` and `reflect` read from types, methods that the
//! library asks values for, names that `go test` finds, imports of the package's other files. By syntax alone: gopls knows types, but
//! little of this. Invariant: a doubt has a place in the project that gives cause for it.

mod asked_methods;
mod callers;
mod conversions;
mod name_readers;
mod package_names;
mod project_interfaces;
mod raised_values;
mod test_names;

use std::rc::Rc;

use crate::family::Family;
use crate::family_texts::FamilyTexts;
use crate::go::value_types::{methods_called, receiver_of};
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_syntax::{Row, SymbolKind};

/// The declaration of Go that is renamed.
struct GoRenamed<'q, 's> {
    resolver: &'q Resolver<'s>,
    here: Rc<CurrentFile>,
    at: usize,
    row: Row,
    owner: GoOwner,
    old: String,
    new: &'q str,
}

/// What a declaration of Go belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum GoOwner {
    Package,
    /// A field of this type.
    Struct(String),
    /// A method of this type.
    Receiver(String),
    Interface,
    Function,
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first.
pub(crate) fn go_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Go, cancel);
    let targets = resolver.refresh_targets(targets);
    let Some(symbol) = targets.first().and_then(|one| GoRenamed::new(&resolver, one, new_name)) else {
        return Ok(Vec::new());
    };
    if symbol.owner == GoOwner::Function {
        return Ok(Vec::new());
    }
    let texts = FamilyTexts::new(&resolver, &symbol.old);
    let mut found = package_names::find(&symbol, &texts);
    found.extend(test_names::find(&symbol, &texts)?);
    found.extend(asked_methods::find(&symbol, &texts)?);
    found.extend(project_interfaces::find(&symbol, &texts)?);
    found.extend(conversions::find(&symbol, &texts)?);
    found.extend(name_readers::find(&symbol, &texts)?);
    found.extend(texts.doubt_of_left_out());
    Ok(found)
}

impl<'q, 's> GoRenamed<'q, 's> {
    fn new(
        resolver: &'q Resolver<'s>,
        target: &IndexedDeclaration,
        new: &'q str,
    ) -> Option<GoRenamed<'q, 's>> {
        let here = resolver.read_file(&target.file)?;
        let at = here.row_of(target)?;
        let row = here.outline.rows[at];
        let owner = match row.parent().map(|parent| &here.outline.rows[parent]) {
            None => receiver_of(&here, at)
                .map_or(GoOwner::Package, |receiver| GoOwner::Receiver(receiver.to_owned())),
            Some(parent) if row.kind() == SymbolKind::Field => {
                GoOwner::Struct(here.outline.name(parent).to_owned())
            }
            Some(parent) if parent.kind() == SymbolKind::Interface => GoOwner::Interface,
            Some(_) => GoOwner::Function,
        };
        let old = here.outline.name(&row).to_owned();
        Some(GoRenamed { resolver, here, at, row, owner, old, new })
    }

    fn is_type(&self) -> bool {
        use SymbolKind::{Class, Interface, Struct};
        self.owner == GoOwner::Package && matches!(self.row.kind(), Class | Interface | Struct)
    }

    fn changes_visibility(&self) -> bool {
        is_exported(&self.old) != is_exported(self.new)
    }

    /// Returns the text behind the name, up to the end of the declaration's line.
    fn behind(&self) -> &str {
        let text = self.here.text.as_str();
        let from = self.row.name_start as usize + usize::from(self.row.name_len);
        text.get(from..).unwrap_or("").lines().next().unwrap_or("")
    }

    /// Whether a type of the declaration's directory has a method of this name.
    fn has_method(&self, of: &str, name: &str) -> Result<bool, Cancelled> {
        let directory = self.here.file.path.parent().unwrap_or_else(RelPath::root);
        Ok(methods_called(self.resolver, name)?.iter().any(|one| one.of == of && one.directory == directory))
    }

    /// Whether another file is of the same package.
    fn is_of_package(&self, other: &crate::family_texts::FamilyText) -> bool {
        let own = package_clause(self.here.text.as_str());
        self.here.file.path.parent() == other.path.parent() && own == package_clause(&other.text)
    }
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns the name in the package clause of a file.
fn package_clause(text: &str) -> Option<&str> {
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix("package ")).and_then(|rest| rest.split_whitespace().next())
}
