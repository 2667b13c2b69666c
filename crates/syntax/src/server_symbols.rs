//! Outlines built from a language server's symbols, for languages without a grammar. Rows obey the same
//! invariants as the extractor's. Identifiers are recognized by their characters alone, so words in strings
//! and comments count as occurrences here.

use std::collections::HashMap;

use super::drafts::{Draft, rows_of};
use super::items::Item;
use super::kind::SymbolKind;
use super::occurrences::PackedOccurrence;
use super::outline::{Occurrences, Outline};
use super::scopes::is_indexed;
use symd_base::TextRange;

/// A symbol as reported by a language server; ranges are bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSymbol {
    pub name: String,
    pub kind: SymbolKind,
    /// The whole symbol.
    pub range: TextRange,
    /// The name in the text.
    pub name_range: TextRange,
    pub children: Vec<ServerSymbol>,
}

/// Returns the outline of `text` with these symbols. Omits a symbol whose ranges do not lie in the text,
/// together with its children; keeps children that lie outside their parent.
pub fn outline_from_symbols(text: &str, symbols: &[ServerSymbol]) -> Outline {
    let mut drafts: Vec<Draft> = Vec::new();
    // Level by level, without recursion: servers may nest to any depth.
    let mut level: Vec<(Option<usize>, Vec<&ServerSymbol>)> = vec![(None, symbols.iter().collect())];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (parent, mut siblings) in level {
            siblings.retain(|symbol| lies_in(text, symbol));
            siblings.sort_by_key(|symbol| (symbol.range.start, symbol.name_range.start));
            for (symbol, index) in siblings.iter().zip(indexes(&siblings)) {
                drafts.push(draft(symbol, parent, index));
                next.push((Some(drafts.len() - 1), symbol.children.iter().collect()));
            }
        }
        level = next;
    }
    let (rows, names) = rows_of(&drafts, text);
    let mut seen: Vec<PackedOccurrence> =
        words(text).map(|(at, word)| PackedOccurrence::new(word.as_bytes(), at)).collect();
    Outline { rows, names, occurrences: Occurrences::build(&mut seen), ..Outline::default() }
}

fn lies_in(text: &str, symbol: &ServerSymbol) -> bool {
    !symbol.name.is_empty()
        && text.get(symbol.range.as_range()).is_some()
        && text.get(symbol.name_range.as_range()).is_some()
        && symbol.range.contains(symbol.name_range)
}

fn draft(symbol: &ServerSymbol, parent: Option<usize>, index: u16) -> Draft<'_> {
    let item = Item {
        start: symbol.range.start,
        end: symbol.range.end,
        name_start: symbol.name_range.start,
        name_end: symbol.name_range.end,
        head_end: 0,
        pattern: 0,
        receiver: None,
        composed: None,
    };
    Draft { item, name: &symbol.name, kind: symbol.kind, flags: 0, index, parent, dead: false }
}

/// Returns the index of each sibling: one plus its 0-based number among the siblings of its name that are indexed
/// kinds (functions, classes); 0 for other kinds, and where there is only one.
fn indexes(siblings: &[&ServerSymbol]) -> Vec<u16> {
    let mut counts: HashMap<&str, u16> = HashMap::new();
    let mut indexes: Vec<u16> = Vec::with_capacity(siblings.len());
    for symbol in siblings {
        if !is_indexed(symbol.kind) {
            indexes.push(0);
            continue;
        }
        let count = counts.entry(&symbol.name).or_default();
        *count = count.saturating_add(1);
        indexes.push(*count);
    }
    for (symbol, index) in siblings.iter().zip(&mut indexes) {
        if counts.get(symbol.name.as_str()) == Some(&1) {
            *index = 0;
        }
    }
    indexes
}

/// Returns runs of letters, digits and underscores that do not begin with a digit, with their byte offsets.
fn words(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let skipped = rest.find(|c: char| c.is_alphanumeric() || c == '_')?;
            let word = &rest[skipped..];
            let length = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
            let start = at + skipped;
            at = start + length;
            if !word.starts_with(|c: char| c.is_numeric()) {
                return Some((u32::try_from(start).ok()?, &word[..length]));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(
        name: &str,
        kind: SymbolKind,
        range: (u32, u32),
        at: u32,
        children: Vec<ServerSymbol>,
    ) -> ServerSymbol {
        let end = at + u32::try_from(name.len()).expect("short");
        let name_range = TextRange::new(at, end);
        ServerSymbol {
            name: name.to_owned(),
            kind,
            range: TextRange::new(range.0, range.1),
            name_range,
            children,
        }
    }

    #[test]
    fn somebody_elses_symbols_become_rows() {
        let text = "class A\n  def f; end\n  def f; g; end\nend\n";
        let methods = vec![
            symbol("f", SymbolKind::Method, (23, 36), 27, Vec::new()),
            symbol("f", SymbolKind::Method, (10, 20), 14, Vec::new()),
        ];
        let beyond = symbol("x", SymbolKind::Method, (40, 400), 40, Vec::new());
        let outline =
            outline_from_symbols(text, &[beyond, symbol("A", SymbolKind::Class, (0, 40), 6, methods)]);
        let paths: Vec<String> = (0..outline.rows.len()).map(|row| outline.name_path(row)).collect();
        assert_eq!(paths, ["A", "A/f[0]", "A/f[1]"].map(str::to_owned));
        assert_eq!(outline.rows[0].descendants, 2);
        assert_eq!((outline.rows[2].start_line, outline.rows[2].name_line), (2, 2));
        assert_eq!(outline.occurrences.offsets_of("f").collect::<Vec<_>>(), [14, 27]);
        assert_eq!(outline.occurrences.offsets_of("g").count(), 1);
    }

    #[test]
    fn siblings_of_one_name_are_counted_by_name_and_kind() {
        let text = "f f g f";
        let of = |name: &str, kind, at: u32| symbol(name, kind, (at, at + 1), at, Vec::new());
        let siblings = [
            of("f", SymbolKind::Function, 0),
            of("f", SymbolKind::Variable, 2),
            of("g", SymbolKind::Function, 4),
            of("f", SymbolKind::Function, 6),
        ];
        let outline = outline_from_symbols(text, &siblings);
        let paths: Vec<String> = (0..outline.rows.len()).map(|row| outline.name_path(row)).collect();
        assert_eq!(paths, ["f[0]", "f", "g", "f[1]"].map(str::to_owned));
    }
}
