//! Effects of a rename in Java that no use of the name shows: names that are printed, reflected or written out, members that an heir
//! inherits from two sides, and what annotations make of names. By syntax alone. Invariant: a doubt has a place in the project that
//! gives cause for it.

mod class_names;
mod forwarded_names;
mod generated_names;
mod given_names;
mod inherited_twice;
mod javadoc;
mod made_texts;
mod name_bearers;
mod printed_values;
mod read_names;
mod serialized;

use std::rc::Rc;

use crate::family::Family;
use crate::family_texts::FamilyTexts;
use crate::hierarchy::classes::is_class;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::{Row, SymbolKind};

/// The declaration of Java that is renamed.
struct JavaRenamed<'q, 's> {
    resolver: &'q Resolver<'s>,
    /// All declarations of it, the requested one first.
    targets: Vec<IndexedDeclaration>,
    here: Rc<CurrentFile>,
    row: Row,
    old: String,
    new: &'q str,
}

/// Finds the hazards of renaming the symbol that `targets` declare, the requested declaration first.
pub(crate) fn java_hazards(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<RenameHazard>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let Some(symbol) = JavaRenamed::new(&resolver, targets, new_name) else { return Ok(Vec::new()) };
    let texts = FamilyTexts::new(&resolver, &symbol.old);
    let mut found = Vec::new();
    found.extend(serialized::find(&symbol));
    found.extend(generated_names::find(&symbol));
    found.extend(given_names::find(&symbol)?);
    found.extend(javadoc::find(&symbol, &texts));
    found.extend(inherited_twice::find(&symbol)?);
    found.extend(class_names::find(&symbol, &texts)?);
    found.extend(printed_values::find(&symbol, &texts)?);
    found.extend(read_names::find(&symbol, &texts)?);
    found.extend(texts.doubt_of_left_out());
    Ok(found)
}

impl<'q, 's> JavaRenamed<'q, 's> {
    fn new(
        resolver: &'q Resolver<'s>,
        targets: &[IndexedDeclaration],
        new: &'q str,
    ) -> Option<JavaRenamed<'q, 's>> {
        let mut targets = resolver.refresh_targets(targets);
        // A constructor has the name of its class.
        let class = targets.iter().position(|one| one.row().is_some_and(|(_, row)| is_class(row)));
        if let Some(at) = class {
            targets.swap(0, at);
        }
        let first = targets.first()?;
        let here = resolver.read_file(&first.file)?;
        let row = here.outline.rows[here.row_of(first)?];
        let old = here.outline.name(&row).to_owned();
        Some(JavaRenamed { resolver, here, row, old, new, targets })
    }

    fn is_type(&self) -> bool {
        is_class(&self.row)
    }

    /// Returns the row of the class that declares it.
    fn owner(&self) -> Option<&Row> {
        self.row.parent().map(|at| &self.here.outline.rows[at]).filter(|row| is_class(row))
    }

    /// Returns the text of a declaration before its body.
    fn head(&self, row: &Row) -> &str {
        let text = self.here.text_of(row);
        let name = (row.name_start - row.start) as usize;
        let end = text.get(name..).and_then(|rest| rest.find('{')).map_or(text.len(), |at| name + at);
        &text[..end]
    }

    fn is_constant_of_enum(&self) -> bool {
        self.row.kind() == SymbolKind::EnumMember
    }

    /// Returns the place of a class's name.
    fn place_of(&self, class: &Row) -> (RelPath, TextRange) {
        let start = class.name_start;
        let range = TextRange::new(start, start.saturating_add(u32::from(class.name_len)));
        (self.here.file.path.clone(), range)
    }
}

/// Whether a class is a record.
fn is_record(here: &CurrentFile, class: &Row) -> bool {
    let before = here.text_before_name(class);
    before.trim_end().ends_with("record")
}
