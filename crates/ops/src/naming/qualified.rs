//! A symbol's place as words: the modules, namespaces and types around it, whatever separates them in its
//! declaration.

use super::entity_rules::EntityRules;
use std::sync::Arc;

use crate::symbol::signature_of;
use symd_engine::View;
use symd_index::FileEntry;
use symd_syntax::{Outline, SymbolKind};

/// Returns the words above row `row`, outermost first: `a::b/Shop<T>/run` has `a`, `b`, `Shop`, Rust's
/// `impl Store for Cache<K>/get` has `Cache`.
pub(super) fn words_above(outline: &Outline, row: usize) -> Vec<String> {
    let mut above = Vec::new();
    let mut at = row;
    while let Some(parent) = outline.rows.get(at).and_then(|row| row.parent()) {
        let mut words = words(outline.name(&outline.rows[parent]));
        words.extend(above);
        above = words;
        at = parent;
    }
    above
}

/// Returns the words of the receiver, or of the class, that a symbol's declaration names besides its name;
/// empty without one.
pub(super) fn receiver(view: &View, file: &Arc<FileEntry>, row: usize) -> Vec<String> {
    let has_receivers = EntityRules::of(file).has_receivers;
    let kind = file.outline().and_then(|outline| outline.rows.get(row)).map(|row| row.kind());
    let is_member = kind.is_some_and(|kind| {
        use SymbolKind::{Constructor, Function, Method, Property, Variable};
        matches!(kind, Function | Method | Constructor | Property | Variable)
    });
    if !has_receivers || !is_member {
        return Vec::new();
    }
    signature_of(view, file, row).map_or_else(Vec::new, |signature| words(&signature.receiver))
}

/// Returns the two lists of words that may name a file's module: its path without the extension, and its
/// directory.
pub(super) fn modules(file: &FileEntry) -> Vec<Vec<String>> {
    let mut all: Vec<String> = file.path.components().map(str::to_owned).collect();
    all.pop();
    let directory = all.clone();
    all.push(file.path.file_stem().to_owned());
    vec![all, directory]
}

/// Returns the words of one component of a name path, or of a type, without type arguments and pointers; of a
/// Rust `impl` only those of its type.
pub(super) fn words(component: &str) -> Vec<String> {
    let own = component
        .strip_prefix("impl ")
        .map_or(component, |head| head.split_once(" for ").map_or(head, |(_, of_type)| of_type));
    let plain = without_arguments(own);
    let word = |word: &str| {
        let last = word.split_whitespace().next_back().unwrap_or("");
        last.trim_matches(['*', '&', '?', '(', ')', '`', '!']).to_owned()
    };
    plain.split(['.', ':']).map(word).filter(|word| !word.is_empty()).collect()
}

/// Removes type arguments: `Map<K, V>.Entry` becomes `Map.Entry`, `Shop[T]` becomes `Shop`. A text with
/// unbalanced brackets stays as it is.
pub(super) fn without_arguments(text: &str) -> String {
    let opening = text.matches(['<', '[']).count();
    // The `>` of `->` is not a closing bracket.
    let closing = text.matches(['>', ']']).count() - text.matches("->").count();
    if opening != closing {
        return text.to_owned();
    }
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
        before = c;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_is_left_of_a_component() {
        let cases = [
            ("Shop", "Shop"),
            ("a::b", "a b"),
            ("Inner.Deep", "Inner Deep"),
            ("impl<T> Cache<T>", "Cache"),
            ("impl Cache<'a, K>", "Cache"),
            ("impl fmt::Display for shapes::Size<T>", "shapes Size"),
            ("*Server[T]", "Server"),
            ("Map<String, List<T>>?", "Map"),
            ("operator<", "operator<"),
        ];
        for (component, expected) in cases {
            assert_eq!(words(component).join(" "), expected, "{component}");
        }
    }
}
