//! Programs that read the name of a class or function as a text: `Box.name`, `this.constructor.name` of a class or one that it inherits from,
//! `f.name` of a variable that may hold it.

use super::{RenamedSymbol, SymbolOwner};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::{is_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::SymbolKind;

/// What gives the name of an object's class, within that class or one above it.
const OF_OBJECT: [&str; 2] = ["this.constructor.name", "new.target.name"];

pub(super) fn find(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let has_name = matches!(symbol.row.kind(), SymbolKind::Class | SymbolKind::Function);
    if !has_name || !matches!(symbol.owner, SymbolOwner::Module) {
        return Ok(None);
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.holds(&symbol.old) && one.text.contains(".name")) {
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
    places.extend(read_through_values(symbol, texts)?);
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

/// Finds reads of the name of a variable that may hold the function or class, where that is used as a value: in the same file of variables
/// that are called, and in the function that it is passed to of parameters.
fn read_through_values(
    symbol: &RenamedSymbol,
    texts: &FamilyTexts,
) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.holds(&symbol.old)) {
        symbol.resolver.cancel.check()?;
        let values: Vec<usize> =
            one.words(&symbol.old).filter(|&at| is_value(&one, at, &symbol.old)).collect();
        if values.is_empty() {
            continue;
        }
        places.extend(
            name_reads(&one.text)
                .filter(|(_, word)| is_called(&one.text, word))
                .map(|(at, word)| one.place(at, word.len() + ".name".len())),
        );
        for at in values {
            let Some(open) = open_bracket(&one.text, at) else { continue };
            let function = last_word(one.text[..open].trim_end());
            if !one.text[open..].starts_with('(') || function.is_empty() {
                continue;
            }
            for called in symbol.resolver.declared(function)?.iter() {
                let Some((_, row)) = called.row() else { continue };
                let Some(there) = texts.at(&called.file.path) else {
                    continue;
                };
                let Some(body) = there.text.get(row.name_start as usize..row.end as usize) else { continue };
                let head = body.find('(').map_or("", |open| &body[..close_bracket(body, open)]);
                let of_parameter = name_reads(body).filter(|(_, word)| words_of(head, word).next().is_some());
                let start = row.name_start as usize;
                places.extend(
                    of_parameter.map(|(at, word)| there.place(start + at, word.len() + ".name".len())),
                );
            }
        }
    }
    Ok(places)
}

/// Whether the name at byte `at` is a value that goes somewhere: an argument, an item, what is assigned or returned.
fn is_value(text: &FamilyText, at: usize, name: &str) -> bool {
    let before = text.text[..at].trim_end();
    let behind = text.text[at + name.len()..].trim_start();
    let goes = before.ends_with(['(', ',', '[', '?', ':', '='])
        || before.ends_with("=>")
        || last_word(before) == "return";
    let ends = behind.is_empty() || behind.starts_with([',', ')', ']', ';', '}', ':']);
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    // A type annotation, an entry of an import.
    let is_type = before.ends_with(':') && !before.contains('{') || line.starts_with("import ");
    goes && ends && !is_type
}

/// Returns the words whose `.name` a text reads, each with its byte.
fn name_reads(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(".name").filter_map(|(at, read)| {
        let word = last_word(&text[..at]);
        let is_whole = !text[at + read.len()..].starts_with(is_word);
        let is_variable = !word.is_empty() && word != "this" && word != "constructor";
        (is_whole && is_variable && !text[..at - word.len()].ends_with('.')).then(|| (at - word.len(), word))
    })
}

/// Whether a text calls a variable, or makes objects of it.
fn is_called(text: &str, variable: &str) -> bool {
    words_of(text, variable).any(|at| {
        text[at + variable.len()..].starts_with('(')
            && !text[..at].ends_with('.')
            && last_word(text[..at].trim_end()) != "function"
    })
}

/// Finds where the class, or one that it inherits from, reads the name of its objects' class.
fn read_within(symbol: &RenamedSymbol, texts: &FamilyTexts) -> Result<Vec<(RelPath, TextRange)>, Cancelled> {
    let Some(own) = symbol.targets.first() else { return Ok(Vec::new()) };
    let graph = ClassGraph::of_kin(symbol.resolver, std::slice::from_ref(own), Kin::Above)?;
    let Some(at) = graph.number(own) else { return Ok(Vec::new()) };
    let mut places = Vec::new();
    for class in graph.ancestors(at).into_iter().map(|at| &graph.node(at).class) {
        let Some((_, row)) = class.row() else { continue };
        let Some(one) = texts.at(&class.file.path) else { continue };
        let (start, end) = (row.start as usize, row.end as usize);
        let Some(body) = one.text.get(start..end) else { continue };
        for read in OF_OBJECT {
            places.extend(words_of(body, read).map(|at| one.place(start + at, read.len())));
        }
    }
    Ok(places)
}
