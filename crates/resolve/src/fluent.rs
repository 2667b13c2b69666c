//! Members behind methods that return their own object: `builder.add().build()`. Servers do not infer the
//! type of a method without annotations. Invariant: a method returns its object only if each of its `return`
//! statements says so.

use super::context::{last_word, text_before};
use super::family::Family;
use super::resolver::{CurrentFile, Resolver};
use super::sources::{IndexedDeclaration, Sources};
use crate::hierarchy::inherited::Inherited;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::SymbolKind;

/// The most chained calls that are read.
const MAX_CALLS: usize = 32;

/// How far back to search for the parenthesis that opens a call, in bytes.
const MAX_BACK: usize = 4000;

/// For each member use at `places`: returns the ranges of the method names that are called before it in the
/// chain, nearest first; `add` for `build` in `builder.add().build()`.
pub fn preceding_calls(
    sources: &dyn Sources,
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<Vec<TextRange>>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Python, cancel);
    let calls = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        Ok(here.map(|here| calls(here.text.as_str(), range.start as usize)).unwrap_or_default())
    };
    places.iter().map(calls).collect()
}

/// A chain of calls on one object.
#[derive(Clone, Debug)]
pub struct FluentChain {
    /// The declaration of the first method: its file, and the byte at which its name begins.
    pub method: (RelPath, u32),
    /// The names of the further methods, in order.
    pub names: Vec<String>,
}

/// For each chain whose methods all return their own object: resolves the member `name` of that object; one
/// of `members` takes precedence. `None` for every other chain.
pub fn fluent_members(
    sources: &dyn Sources,
    chains: &[FluentChain],
    name: &str,
    members: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<Option<IndexedDeclaration>>, Cancelled> {
    if chains.is_empty() {
        return Ok(Vec::new());
    }
    let resolver = Resolver::new(sources, Family::Python, cancel);
    let inherited = Inherited::read(&resolver)?;
    let member = |chain: &FluentChain| {
        let (path, name_start) = &chain.method;
        let here = resolver.read_file(resolver.file(path.as_str())?)?;
        let row = here.outline.rows.iter().position(|row| row.name_start == *name_start)?;
        let mut method = here.target(row);
        for next in chain.names.iter().map(String::as_str).chain([name]) {
            let class = object_of(&resolver, &method)?;
            method = inherited.member(|one| one.is_same_declaration(&class), next, members)?;
        }
        Some(method)
    };
    Ok(chains.iter().map(member).collect())
}

/// Returns the class of the method, if the method always returns its own object.
fn object_of(resolver: &Resolver, method: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let here = resolver.read_file(&method.file)?;
    let row = here.row_of(method)?;
    let class = here.outline.rows[row].parent()?;
    let is_plain = here.outline.rows[row].kind() == SymbolKind::Method && returns_itself(&here, row);
    is_plain.then(|| here.target(class))
}

/// Whether a method of Python returns its own object whenever it returns anything.
pub(super) fn returns_itself(here: &CurrentFile, row: usize) -> bool {
    let method = &here.outline.rows[row];
    let text = here.text.as_str();
    let decorated = text.get(method.start as usize..method.name_start as usize).unwrap_or("@");
    if decorated.contains('@') || decorated.contains("async") {
        return false;
    }
    // The `return` of a nested function does not count.
    let inner = |at: u32| {
        let below = row + 1..=row + method.descendants as usize;
        below.map(|at| &here.outline.rows[at]).any(|one| {
            matches!(one.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Class)
                && one.start <= at
                && at < one.end
        })
    };
    let Some(body) = text.get(method.name_start as usize..method.end as usize) else { return false };
    let mut returns = 0;
    let mut start = method.name_start;
    for line in body.split_inclusive('\n') {
        let statement = line.split('#').next().unwrap_or_default().trim();
        let indent = u32::try_from(line.len() - line.trim_start().len()).unwrap_or(0);
        let mut words = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
        if !inner(start.saturating_add(indent)) && words.any(|word| matches!(word, "return" | "yield")) {
            if statement != "return self" {
                return false;
            }
            returns += 1;
        }
        start = start.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX));
    }
    returns > 0
}

fn calls(text: &str, at: usize) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut at = at;
    while found.len() < MAX_CALLS {
        let Some(object) = text_before(text, at, Family::Python).strip_suffix('.') else { break };
        let object = text_before(text, object.len(), Family::Python);
        let Some(arguments) = object.strip_suffix(')') else { break };
        let Some(open) = opening(arguments) else { break };
        let callee = last_word(&text[..open]);
        let start = open - callee.len();
        if callee.is_empty() || !text[..start].trim_end().ends_with('.') {
            break;
        }
        let range = u32::try_from(start).ok().zip(u32::try_from(open).ok());
        let Some((start, end)) = range else { break };
        found.push(TextRange::new(start, end));
        at = start as usize;
    }
    found
}

/// Finds the parenthesis that a closing one behind `text` would match; a string with brackets in between ends
/// the search.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let from = text.len().saturating_sub(MAX_BACK);
    for (offset, &byte) in text.as_bytes()[from..].iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' if depth == 0 => {
                let at = from + offset;
                let quotes = |quote: char| text[at..].matches(quote).count();
                return (quotes('"') % 2 == 0 && quotes('\'') % 2 == 0).then_some(at);
            }
            b'(' | b'[' | b'{' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_before_a_member() {
        let check = |text: &str, expected: &[&str]| {
            let at = text.rfind("name").expect("in it");
            let found: Vec<&str> = calls(text, at).into_iter().map(|range| &text[range.as_range()]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("b.one().two(1, (2))\n  .name()", &["two", "one"]);
        check("b.one(\")\").name", &[]);
        check("one().name", &[]);
        check("b.name", &[]);
        check("b[0].one().name", &["one"]);
        check("(b).name", &[]);
    }
}
