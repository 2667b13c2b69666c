//! Effects of a rename in C and C++ that no use of the name shows: names that macros and the compiler turn into texts, names that the
//! language or a template calls, names of the C library, names that the linker is asked for. By syntax alone. Invariant: a doubt has a
//! place in the project that gives cause for it.

mod called_names;
mod library_names;
mod linked_names;
mod macros;
mod spelled_names;

use std::rc::Rc;

use crate::family::Family;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// The declaration of C or C++ that is renamed.
struct CRenamed<'q, 's> {
    resolver: &'q Resolver<'s>,
    /// All declarations of it, the requested one first.
    targets: Vec<IndexedDeclaration>,
    here: Rc<CurrentFile>,
    row: Row,
    old: String,
    new: &'q str,
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first.
pub(crate) fn c_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let resolver = Resolver::new(sources, Family::C, cancel);
    let Some(symbol) = CRenamed::new(&resolver, targets, new_name) else { return Ok(Vec::new()) };
    let texts = FamilyTexts::new(&resolver, &symbol.old);
    let mut found = Vec::new();
    found.extend(spelled_names::find(&symbol, &texts)?);
    found.extend(library_names::find(&symbol, &texts));
    found.extend(linked_names::find(&symbol, &texts));
    found.extend(called_names::find(&symbol, &texts)?);
    found.extend(texts.doubt_of_left_out());
    Ok(found)
}

impl<'q, 's> CRenamed<'q, 's> {
    fn new(
        resolver: &'q Resolver<'s>,
        targets: &[IndexedDeclaration],
        new: &'q str,
    ) -> Option<CRenamed<'q, 's>> {
        let targets = resolver.refresh_targets(targets);
        let first = targets.first()?;
        let here = resolver.read_file(&first.file)?;
        let row = here.outline.rows[here.row_of(first)?];
        let old = here.outline.name(&row).to_owned();
        Some(CRenamed { resolver, here, row, old, new, targets })
    }

    fn is_function(&self) -> bool {
        matches!(self.row.kind(), SymbolKind::Function | SymbolKind::Method)
    }

    fn is_type(&self) -> bool {
        use SymbolKind::{Class, Enum, Interface, Struct};
        matches!(self.row.kind(), Class | Struct | Enum | Interface)
    }

    /// Whether it is declared in no class, namespace or function.
    fn is_global(&self) -> bool {
        self.row.parent().is_none() && !self.row.is_local()
    }

    fn is_static(&self) -> bool {
        let head = self.here.text.as_str().get(self.row.start as usize..self.row.name_start as usize);
        head.is_some_and(|head| head.split_whitespace().any(|word| word == "static"))
    }

    /// Calls `read` with the text of each declaration of it, and with its file.
    fn each_text(&self, mut read: impl FnMut(&Rc<CurrentFile>, &Row, &str)) {
        for target in &self.targets {
            let Some(there) = self.resolver.read_file(&target.file) else { continue };
            let Some(row) = there.row_of(target).map(|at| &there.outline.rows[at]) else { continue };
            read(&there, row, there.text_of(row));
        }
    }
}
