//! The words that a query and a solution share.

use std::collections::HashSet;

use crate::related::related;
use crate::solution::Solution;
use crate::terms::for_each_term;

/// Maximum number of words of a query for the search by words.
const MAX_TERMS: usize = 40;

/// Returns the first terms of a text, each once.
pub(crate) fn distinct_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for_each_term(text, |term| {
        if terms.len() < MAX_TERMS && !terms.iter().any(|known| known == term) {
            terms.push(term.to_owned());
        }
    });
    terms
}

/// Returns all terms of a text.
pub(crate) fn distinct(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    for_each_term(text, |term| {
        if !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms
}

/// Returns how many of the terms a solution has, or has one related to.
pub(crate) fn shared(terms: &[String], solution: &Solution) -> usize {
    let own = distinct(&solution.worded_text());
    terms
        .iter()
        .filter(|term| own.contains(*term) || related(term).iter().any(|one| own.contains(one)))
        .count()
}
