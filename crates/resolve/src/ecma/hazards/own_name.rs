//! Programs that read the name of a class or function as a text: `Box.name`, `this.constructor.name` of a class or one that it inherits from.

use super::{RenamedSymbol, SymbolOwner};
use crate::context::is_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// What gives the name of an object's class, within that class or one above it.
const OF_OBJECT: [&str; 2] = ["this.constructor.name", "new.target.name"];

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let has_name = matches!(symbol.row.kind(), SymbolKind::Class | SymbolKind::Function);
    if !has_name || !matches!(symbol.owner, SymbolOwner::Module) {
        return Ok(None);
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.file.holds(&symbol.old) && one.text.contains(".name")) {
        symbol.resolver.cancel.check()?;
        for at in one.words(&symbol.old) {
            let behind = &one.text[at + symbol.old.len()..];
            let is_read = behind.strip_prefix(".name").is_some_and(|rest| !rest.starts_with(is_word));
            // `other.Box.name` is as good; a static member of that name is not this.
            if is_read && !has_static_name(symbol) {
                places.push(one.place(at, symbol.old.len() + ".name".len()));
            }
        }
    }
    if is_class(&symbol.row) {
        places.extend(read_within(symbol, texts)?);
    }
    Ok(RenameHazard::doubt(format!("the program reads the name '{}' as a text", symbol.old), places))
}

/// Whether the class declares a static `name`, which is then no text of its name.
fn has_static_name(symbol: &RenamedSymbol) -> bool {
    let inside = symbol.row.range();
    let code = symbol.here.text.slice(inside);
    code.contains("static name")
}

/// Finds where the class, or one that it inherits from, reads the name of its objects' class.
fn read_within(
    symbol: &RenamedSymbol,
    texts: &FamilyTexts,
) -> Result<Vec<(symd_base::RelPath, symd_base::TextRange)>, Cancelled> {
    let Some(own) = symbol.targets.first() else { return Ok(Vec::new()) };
    let graph = ClassGraph::of_kin(symbol.resolver, std::slice::from_ref(own), Kin::Above)?;
    let Some(at) = graph.number(own) else { return Ok(Vec::new()) };
    let mut places = Vec::new();
    for class in graph.ancestors(at).into_iter().map(|at| &graph.node(at).class) {
        let Some((_, row)) = class.row() else { continue };
        let of_file = |one: &&FamilyText| one.file.path == class.file.path;
        let Some(one) = texts.iter().find(of_file) else { continue };
        let (start, end) = (row.start as usize, row.end as usize);
        let Some(body) = one.text.get(start..end) else { continue };
        for read in OF_OBJECT {
            places.extend(words_of(body, read).map(|at| one.place(start + at, read.len())));
        }
    }
    Ok(places)
}
