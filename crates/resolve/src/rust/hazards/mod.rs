//! Effects of a rename in Rust that no use of the name shows: names that derives print or write out, that macros turn into texts, that
//! strings in attributes hold; methods that would hide a trait's, and constants that patterns would mean. By syntax alone.
//! Invariant: a doubt has a place in the project that gives cause for it.

mod attribute_strings;
mod hidden_traits;
mod in_documentation;
mod new_constants;
mod printed_names;
mod spelled_names;

use std::rc::Rc;

use crate::context::first_word;
use crate::family::Family;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// The item of Rust that is renamed.
struct RustRenamed<'q, 's> {
    resolver: &'q Resolver<'s>,
    here: Rc<CurrentFile>,
    row: Row,
    old: String,
    new: &'q str,
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first.
pub(crate) fn rust_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Rust, cancel);
    let targets = resolver.refresh_targets(targets);
    let new = new_name.strip_prefix("r#").unwrap_or(new_name);
    let Some(symbol) = targets.first().and_then(|one| RustRenamed::new(&resolver, one, new)) else {
        return Ok(Vec::new());
    };
    let texts = FamilyTexts::new(&resolver, &symbol.old);
    let mut found = Vec::new();
    found.extend(attribute_strings::find(&symbol, &texts));
    found.extend(in_documentation::find(&symbol, &texts));
    found.extend(spelled_names::find(&symbol, &texts)?);
    found.extend(new_constants::find(&symbol, &texts)?);
    found.extend(hidden_traits::find(&symbol, &texts)?);
    found.extend(printed_names::find(&symbol, &texts)?);
    found.extend(texts.doubt_of_left_out());
    Ok(found)
}

impl<'q, 's> RustRenamed<'q, 's> {
    fn new(
        resolver: &'q Resolver<'s>,
        target: &IndexedDeclaration,
        new: &'q str,
    ) -> Option<RustRenamed<'q, 's>> {
        let here = resolver.read_file(&target.file)?;
        let row = here.outline.rows[here.row_of(target)?];
        let old = here.outline.name(&row).to_owned();
        Some(RustRenamed { resolver, here, row, old, new })
    }

    fn parent(&self) -> Option<&Row> {
        self.row.parent().map(|at| &self.here.outline.rows[at])
    }

    /// Returns the type whose field, variant or method it is, or that it is itself.
    fn type_name(&self) -> Option<&str> {
        use SymbolKind::{Class, Enum, EnumMember, Field, Method, Struct};
        match self.row.kind() {
            Struct | Enum | Class => Some(&self.old),
            Field | EnumMember | Method | SymbolKind::Function => {
                let parent = self.parent()?;
                let name = self.here.outline.name(parent);
                match name.strip_prefix("impl ") {
                    Some(of) => Some(first_word(of)),
                    // The field of a variant.
                    None if parent.kind() == EnumMember => {
                        Some(self.here.outline.name(&self.here.outline.rows[parent.parent()?]))
                    }
                    None => Some(name),
                }
            }
            _ => None,
        }
    }
}
