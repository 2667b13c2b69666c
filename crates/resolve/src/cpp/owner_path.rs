//! The namespaces and classes that a declaration belongs to: those around it, and those written before its name, as in
//! `void n::Shop<T>::run() { … }`.

use super::super::context::{last_word, text_before};
use super::super::family::Family;
use super::super::resolver::CurrentFile;
use symd_syntax::{Outline, Row};

/// How many words of a qualifier are read.
const MAX_WORDS: usize = 16;

/// Returns the words written before a declaration's name, outermost first, with the bytes at which they begin:
/// `n`, `Shop` for `void n::Shop<T>::run()`; empty without a qualifier.
pub(super) fn qualifier<'t>(text: &'t str, row: &Row) -> Vec<(&'t str, usize)> {
    words_before(text, row.name_start as usize, row.start as usize)
}

fn words_before(text: &str, name: usize, start: usize) -> Vec<(&str, usize)> {
    let mut words = Vec::new();
    let mut at = name;
    while words.len() < MAX_WORDS
        && let Some(left) = text_before(text, at, Family::C).strip_suffix("::")
    {
        let left = without_arguments(left.trim_end());
        let word = last_word(left);
        // `::name` is at the top level.
        if word.is_empty() || left.len() - word.len() < start {
            break;
        }
        at = left.len() - word.len();
        words.push((word, at));
    }
    words.reverse();
    words
}

/// Removes template arguments at the end: `Shop<A, B<C>>` becomes `Shop`.
pub(super) fn without_arguments(text: &str) -> &str {
    if !text.ends_with('>') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' if depth == 1 => return text[..at].trim_end(),
            '<' => depth -= 1,
            ';' | '{' | '}' => return text,
            _ => {}
        }
    }
    text
}

/// Returns the names of the rows around a row, outermost first; `namespace a::b` counts as two.
pub(super) fn around(outline: &Outline, row: usize) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = outline.rows.get(row).and_then(Row::parent);
    while let Some(parent) = at {
        names.extend(outline.name(&outline.rows[parent]).rsplit("::").filter(|name| !name.is_empty()));
        at = outline.rows[parent].parent();
    }
    names.reverse();
    names
}

/// Returns the names of the namespaces and classes that a declaration belongs to, outermost first.
pub(super) fn owner_path(here: &CurrentFile, row: usize) -> Vec<String> {
    let own = qualifier(here.text.as_str(), &here.outline.rows[row]);
    let mut path: Vec<String> = around(&here.outline, row).into_iter().map(str::to_owned).collect();
    path.extend(own.into_iter().map(|(word, _)| word.to_owned()));
    path
}

/// Whether two declarations belong to the same namespaces and classes, by name.
pub(in super::super) fn have_same_owner(one: (&CurrentFile, usize), other: (&CurrentFile, usize)) -> bool {
    owner_path(one.0, one.1) == owner_path(other.0, other.1)
}

/// Whether byte `at` precedes the name of a row that is declared with its class or namespace: the qualifier and the type
/// before it are looked up outside of it.
pub(in super::super) fn is_in_qualifier(here: &CurrentFile, row: usize, at: u32) -> bool {
    let row = &here.outline.rows[row];
    at < row.name_start && !qualifier(here.text.as_str(), row).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualifier_is_read_without_template_arguments() {
        let check = |text: &str, expected: &[&str]| {
            let name = text.find("run").expect("a name");
            let words: Vec<&str> = words_before(text, name, 0).into_iter().map(|(word, _)| word).collect();
            assert_eq!(words, expected, "{text}");
        };
        check("void run()", &[]);
        check("void n::Shop::run()", &["n", "Shop"]);
        check("template <class T> void Shop<A, B<T>>::run()", &["Shop"]);
        check("std::vector<n::A> Shop :: run()", &["Shop"]);
    }
}
