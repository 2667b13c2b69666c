//! Classes that fit an interface without naming it: the types of TypeScript are compared by their members. Where a file uses both,
//! an object of the class may be used as the interface, and one that keeps a name no longer fits.

use std::collections::BTreeSet;

use super::{RenamedSymbol, SymbolOwner};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::{is_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::classes::{self, is_class};
use crate::meaning::Meaning;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    if !matches!(symbol.owner, SymbolOwner::Type { is_static: false, .. }) {
        return Ok(Vec::new());
    }
    let family = symbol.owners();
    let mut found = Vec::new();
    for other in others(symbol, &family)? {
        for own in &family {
            let (interface, class) = match (kind(own), kind(&other)) {
                (Some(SymbolKind::Interface), Some(SymbolKind::Class)) => (own, &other),
                (Some(SymbolKind::Class), Some(SymbolKind::Interface)) => (&other, own),
                _ => continue,
            };
            if !fits(symbol, interface, class)? {
                continue;
            }
            let mut uses = Vec::new();
            for one in texts.iter().filter(|one| one.holds(class.name())) {
                uses.extend(uses_in(symbol, &one, interface, class)?);
            }
            let certain: Vec<_> =
                uses.iter().filter(|one| one.is_certain).map(|one| one.place.clone()).collect();
            let text = format!(
                "{} fits the interface {} by its members, without naming it, and '{}' is one of them",
                class.name(),
                interface.name(),
                symbol.old
            );
            if certain.is_empty() {
                let text = format!("{text}: it may be used as one");
                found.extend(RenameHazard::doubt(
                    text,
                    uses.into_iter().map(|one| one.place).take(1).collect(),
                ));
            } else {
                found.extend(RenameHazard::breaks_at(format!("{text}: it is used as one"), certain));
            }
        }
    }
    Ok(found)
}

fn kind(class: &IndexedDeclaration) -> Option<SymbolKind> {
    class.row().map(|(_, row)| row.kind())
}

/// Returns the other types that declare a member of the name.
fn others(
    symbol: &RenamedSymbol,
    family: &[IndexedDeclaration],
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let mut found: Vec<IndexedDeclaration> = Vec::new();
    for one in symbol.resolver.declared(&symbol.old)?.iter() {
        let Some((outline, row)) = one.row() else { continue };
        let Some(parent) = row.parent().filter(|&at| is_class(&outline.rows[at])) else { continue };
        let class = IndexedDeclaration { file: one.file.clone(), row: parent };
        if !family.iter().chain(&found).any(|known| known.is_same_declaration(&class)) {
            found.push(class);
        }
    }
    Ok(found)
}

/// Whether the class has all members that the interface requires.
fn fits(
    symbol: &RenamedSymbol,
    interface: &IndexedDeclaration,
    class: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let Some(there) = symbol.resolver.read_file(&interface.file) else { return Ok(false) };
    let Some(at) = there.row_of(interface) else { return Ok(false) };
    for name in required(&there, at) {
        if name != symbol.old
            && !matches!(classes::member(symbol.resolver, class, name)?, Meaning::Declared(_))
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the members of an interface that have no `?`.
fn required(here: &CurrentFile, interface: usize) -> BTreeSet<&str> {
    let own = here.outline.children(interface).map(|at| &here.outline.rows[at]);
    let is_required = |row: &&symd_syntax::Row| {
        let end = row.name_start as usize + usize::from(row.name_len);
        !here.text.as_str().get(end..).unwrap_or("").starts_with('?')
    };
    own.filter(is_required).map(|row| here.outline.name(row)).collect()
}

/// A place where a file uses the class and the interface.
struct Use {
    place: (RelPath, TextRange),
    /// Whether an object of the class is certainly used as the interface there.
    is_certain: bool,
}

/// Finds where a file makes objects of the class, if it uses the interface as well, or passes them to a function that takes one.
fn uses_in(
    symbol: &RenamedSymbol,
    text: &FamilyText,
    interface: &IndexedDeclaration,
    class: &IndexedDeclaration,
) -> Result<Vec<Use>, Cancelled> {
    let (wanted, made) = (interface.name(), class.name());
    let code = text.text.as_str();
    let is_used = text.holds(wanted)
        && words_of(code, wanted).any(|at| !is_declared(code, at) && !is_imported(code, at));
    let mut found = Vec::new();
    for at in words_of(code, made).filter(|&at| code[..at].trim_end().ends_with("new")) {
        let new = code[..at].trim_end().len() - "new".len();
        let before = code[..new].trim_end();
        let behind = &code[at + made.len()..];
        let cast = behind.split([';', '\n']).next().unwrap_or("");
        let is_certain = before.strip_suffix('=').is_some_and(|left| is_typed(left, wanted))
            || cast.contains(&format!(" satisfies {wanted}"));
        if is_used || is_taken(symbol, code, new, wanted)? {
            found.push(Use { place: text.place(at, made.len()), is_certain });
        }
    }
    Ok(found)
}

/// Whether the argument at byte `at` is that of a function in whose head the interface stands.
fn is_taken(symbol: &RenamedSymbol, code: &str, at: usize, wanted: &str) -> Result<bool, Cancelled> {
    let Some(mut open) = open_bracket(code, at) else { return Ok(false) };
    if code[open..].starts_with('[') {
        // `f([new A()])`
        open = open_bracket(code, open).unwrap_or(open);
    }
    let called = last_word(code[..open].trim_end());
    if !code[open..].starts_with('(') || called.is_empty() {
        return Ok(false);
    }
    Ok(symbol.resolver.declared(called)?.iter().any(|one| {
        let Some(there) = symbol.resolver.read_file(&one.file) else { return false };
        let Some(row) = there.row_of(one).map(|at| &there.outline.rows[at]) else { return false };
        let text = there.text_from_name(row);
        let head = text.find('(').map_or("", |open| &text[..close_bracket(text, open)]);
        words_of(head, wanted).next().is_some()
    }))
}

/// Whether the name at byte `at` is that of the declaration.
fn is_declared(code: &str, at: usize) -> bool {
    let before = code[..at].trim_end();
    ["interface", "class"].iter().any(|word| before.ends_with(word))
}

/// Whether the name at byte `at` stands in an import or an export: such a statement holds no brackets but these.
fn is_imported(code: &str, at: usize) -> bool {
    let before = code[..at].trim_end_matches(|c: char| is_word(c) || c.is_whitespace() || c == ',');
    let open = before.strip_suffix('{').map(str::trim_end);
    open.is_some_and(|before| ["import", "export", "type"].iter().any(|word| before.ends_with(word)))
}

/// Whether the left side of an assignment declares a variable of the type: `const shape: Shape `.
fn is_typed(left: &str, wanted: &str) -> bool {
    let left = left.trim_end();
    let rest = left.strip_suffix(wanted).map(str::trim_end);
    rest.is_some_and(|rest| rest.ends_with(':'))
}
