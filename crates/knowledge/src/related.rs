//! Words of a similar meaning: a query finds texts that have another word for the same. They are looked up for the query only, so
//! that each word keeps its own rarity and the list can change without a change of what is stored.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::terms::for_each_term;

/// One group on each line; a word may be in several.
const GROUPS: &str = include_str!("related_words.txt");

static RELATED: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut related: HashMap<String, Vec<String>> = HashMap::new();
    for group in GROUPS.lines() {
        let mut terms: Vec<String> = Vec::new();
        for_each_term(group, |term| terms.push(term.to_owned()));
        for term in &terms {
            let known = related.entry(term.clone()).or_default();
            for other in &terms {
                if other != term && !known.contains(other) {
                    known.push(other.clone());
                }
            }
        }
    }
    related
});

/// Returns the terms of a meaning similar to that of `term`.
pub(crate) fn related(term: &str) -> &'static [String] {
    RELATED.get(term).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_others_of_all_its_groups() {
        assert!(
            related("hang").contains(&"freez".to_owned()) && related("freez").contains(&"hang".to_owned())
        );
        assert!(
            related("abort").contains(&"crash".to_owned()) && related("abort").contains(&"cancel".to_owned())
        );
        assert!(related("hieroglyph").is_empty());
    }

    /// A group of common words would make everything similar.
    #[test]
    fn groups_are_small() {
        for group in GROUPS.lines() {
            assert!((2..=8).contains(&group.split_whitespace().count()), "{group}");
        }
        let most = RELATED.values().map(Vec::len).max();
        assert!(most <= Some(16), "{most:?}");
    }
}
