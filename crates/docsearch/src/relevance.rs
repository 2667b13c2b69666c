//! How relevant a page is: the share of the query's words in its title and text, and its rank. The sources' own scores
//! cannot be compared with each other.

use crate::apis::FoundPage;

/// Words that say nothing about an error.
const COMMON: [&str; 28] = [
    "a", "an", "and", "are", "as", "at", "by", "can", "do", "for", "from", "how", "in", "is", "it", "not",
    "of", "on", "or", "the", "this", "to", "when", "while", "why", "with", "be", "i",
];

/// Returns the words of a text, each once, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let word = word.to_lowercase();
        if !word.is_empty() && !COMMON.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Returns a number from 0 to 1 with two decimals. `rank` counts from 0 in a source's `count` pages.
#[allow(clippy::cast_precision_loss)]
pub(super) fn relevance(page: &FoundPage, query: &[String], rank: usize, count: usize) -> f64 {
    let share = |of: &[String]| {
        let present = query.iter().filter(|word| of.contains(word)).count();
        if query.is_empty() { 0.0 } else { present as f64 / query.len() as f64 }
    };
    let title = words(&page.title);
    let mut all = words(&page.text);
    all.extend(title.iter().cloned());
    let rank = 1.0 - rank as f64 / count.max(1) as f64;
    let settled = if page.is_settled { 1.0 } else { 0.0 };
    let score = 0.45 * share(&title) + 0.25 * share(&all) + 0.2 * rank + 0.1 * settled;
    (score.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_the_query_is_more_relevant() {
        let query = words("How to fix the NullPointerException in RecyclerView?");
        assert_eq!(query, ["fix", "nullpointerexception", "recyclerview"]);
        let page = |title: &str, text: &str| FoundPage {
            title: title.to_owned(),
            text: text.to_owned(),
            is_settled: true,
            ..FoundPage::default()
        };
        let whole = relevance(&page("Fix a NullPointerException in RecyclerView", ""), &query, 0, 10);
        let part = relevance(&page("RecyclerView", "nullpointerexception"), &query, 0, 10);
        let none = relevance(&page("Tabs", "or spaces"), &query, 9, 10);
        assert!(whole > part && part > none && whole <= 1.0 && none >= 0.0, "{whole} {part} {none}");
    }
}
