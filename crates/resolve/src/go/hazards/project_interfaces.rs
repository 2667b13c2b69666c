//! Interfaces of the project that values are asked for at run time, `x.(Runner)`, and that a type would satisfy by the new name.

use super::{GoOwner, GoRenamed};
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Returns the interfaces of the project with methods all of which a type has.
pub(super) fn satisfied(symbol: &GoRenamed, texts: &FamilyTexts, of: &str) -> Result<Vec<String>, Cancelled> {
    let mut found = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains("interface")) {
        symbol.resolver.cancel.check()?;
        let Some(here) = one.current(symbol.resolver) else { continue };
        let rows = &here.outline.rows;
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.kind() == SymbolKind::Interface) {
            let methods = here.outline.children(at).map(|at| &rows[at]);
            let (mut is_any, mut fits) = (false, true);
            for method in methods.filter(|row| row.kind() == SymbolKind::Method) {
                is_any = true;
                fits = fits && symbol.has_method(of, here.outline.name(method))?;
            }
            if is_any && fits {
                found.push(here.outline.name(row).to_owned());
            }
        }
    }
    Ok(found)
}

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let GoOwner::Receiver(of) = &symbol.owner else { return Ok(None) };
    let mut places = Vec::new();
    for declared in symbol.resolver.declared(symbol.new)?.iter() {
        let Some(there) = symbol.resolver.read_file(&declared.file) else { continue };
        let Some(at) = there.row_of(declared) else { continue };
        let rows = &there.outline.rows;
        let Some(parent) = rows[at].parent().filter(|&at| rows[at].kind() == SymbolKind::Interface) else {
            continue;
        };
        let others = rows.iter().enumerate().filter(|(one, row)| *one != at && row.parent() == Some(parent));
        let mut fits = true;
        for (_, other) in others.filter(|(_, row)| row.kind() == SymbolKind::Method) {
            fits &= symbol.has_method(of, there.outline.name(other))?;
        }
        if !fits {
            continue;
        }
        let name = there.outline.name(&rows[parent]);
        for one in texts.iter().filter(|one| one.text.contains(name)) {
            symbol.resolver.cancel.check()?;
            let asks = |at: &usize| {
                let line = one.text[..*at].rsplit('\n').next().unwrap_or("");
                let before = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
                before.ends_with(".(") || before.trim_start().starts_with("case ")
            };
            places.extend(one.words(name).filter(asks).map(|at| one.place(at, name.len())));
        }
    }
    // Interfaces without a name.
    for one in texts.iter().filter(|one| one.text.contains(symbol.new)) {
        let is_asked = |at: &usize| {
            let line = one.text[..*at].rsplit('\n').next().unwrap_or("");
            line.contains(".(interface")
        };
        places.extend(one.words(symbol.new).filter(is_asked).map(|at| one.place(at, symbol.new.len())));
    }
    let text = format!(
        "values are asked here for an interface with '{}', which those of '{of}' may satisfy then",
        symbol.new
    );
    Ok(RenameHazard::doubt(text, places))
}
