//! Braces of C++ that stand apart from the type whose fields they give: behind `return`, in calls, in containers and assignments.
//! By the text around the type's name, and around the names that are declared with it.

use super::initializers::QUALIFIERS;
use super::literals::{Search, items};
use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, last_word, text_after};
use crate::resolver::CurrentFile;
use std::ops::Range;
use symd_base::{RelPath, TextRange};
use symd_syntax::Row;

/// Words with parentheses that are no parameters.
const NO_FUNCTIONS: [&str; 8] = ["alignof", "catch", "decltype", "for", "if", "return", "sizeof", "while"];

/// Containers whose only braces may hold the fields of their items.
const FLAT_CONTAINERS: [&str; 2] = ["array", "optional"];

/// How a declared name holds values of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Value,
    /// In a container; `is_flat`: whether its own braces may give the fields.
    Items {
        is_flat: bool,
    },
}

/// A name that is declared with the type, and that gets its values.
pub(super) struct Receiving {
    name: String,
    /// The 0-based number of the parameter that has the type, for a function.
    parameter: Option<usize>,
    holds: Holds,
    /// The file outside of which nothing names it: that of a local.
    only_in: Option<RelPath>,
}

/// A type as it is written, with the containers around it.
struct WrittenType {
    range: Range<usize>,
    holds: Holds,
}

impl Receiving {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the code of a file may name it.
    pub(super) fn may_be_in(&self, path: &RelPath) -> bool {
        self.only_in.as_ref().is_none_or(|only| only == path)
    }

    /// Returns what is declared with the type that is named at `place`, and gets its values elsewhere: a variable, or a function
    /// with its parameter.
    pub(super) fn declared(here: &CurrentFile, text: &str, place: TextRange) -> Vec<Receiving> {
        let written = written_type(text, place);
        let behind = behind_type(text, written.range.end);
        let name = first_word(behind);
        let start = text.len() - behind.len();
        let rest = text_after(text, start + name.len());
        let holds = written.holds;
        let mut found = Vec::new();
        if !name.is_empty() && !rest.starts_with(['(', ':']) {
            let is_shared = |row: &Row| row.name_start as usize == start && !row.is_local();
            let only_in = (!here.outline.rows.iter().any(is_shared)).then(|| here.file.path.clone());
            found.push(Receiving { name: name.to_owned(), parameter: None, holds, only_in });
        }
        let open = open_bracket(text, written.range.start).filter(|&open| text[open..].starts_with('('));
        if let Some(open) = open.filter(|_| rest.starts_with([',', ')', '=', '['])) {
            let function = last_word(text[..open].trim_end());
            let before = items(text, open).iter().filter(|item| item.end <= written.range.start).count();
            if !function.is_empty() && !NO_FUNCTIONS.contains(&function) {
                found.push(Receiving {
                    name: function.to_owned(),
                    parameter: Some(before),
                    holds,
                    only_in: None,
                });
            }
        }
        found
    }
}

impl Search {
    /// Returns where braces give the field by position in the body of a function that returns the type, or a container of it; or in
    /// the initializer of such a container. `place`: where the type is named.
    pub(super) fn apart(&self, text: &str, place: TextRange) -> Option<usize> {
        let WrittenType { range, holds } = written_type(text, place);
        let behind = behind_type(text, range.end);
        let at = text.len() - behind.len();
        if text[..range.start].trim_end().ends_with("->") {
            return behind.starts_with('{').then(|| self.returned(text, at, holds)).flatten();
        }
        // `Point::scaled(int by) {`
        if behind.starts_with("::") {
            return None;
        }
        // `Point Shop::make(int count) const {`
        let path = behind.find(|c: char| !(c.is_alphanumeric() || "_:~".contains(c))).unwrap_or(behind.len());
        let mut rest = text_after(text, at + path);
        if last_word(&behind[..path]) == "operator" {
            rest = &rest[rest.find('(')?..];
        }
        let rest_at = text.len() - rest.len();
        if path > 0 && rest.starts_with('(') {
            let close = close_bracket(text, rest_at);
            let body = text[close..].find(['{', ';', ','])? + close;
            return text[body..].starts_with('{').then(|| self.returned(text, body, holds)).flatten();
        }
        let value = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        let is_initialized = matches!(holds, Holds::Items { .. }) && value.starts_with('{');
        is_initialized.then(|| self.held(text, text.len() - value.len(), holds)).flatten()
    }

    /// Returns where the file gives fields by position to `receiving`: in a call, an assignment, a method of a container.
    pub(super) fn given_to(&self, here: &CurrentFile, text: &str, receiving: &Receiving) -> Option<usize> {
        let places =
            here.outline.occurrences.offsets_of(&receiving.name).map(|at| at as usize + receiving.name.len());
        places.into_iter().find_map(|end| {
            let behind = text_after(text, end);
            let at = text.len() - behind.len();
            if let Some(number) = receiving.parameter {
                // `Line{{1, 2}, {3, 4}}` and `Line line({1, 2})` call a constructor.
                let named = first_word(behind);
                let rest = text_after(text, at + named.len());
                let open = text.len() - rest.len();
                let is_call = rest.starts_with('(') || rest.starts_with('{');
                let given = if is_call { items(text, open) } else { Vec::new() };
                return self.braced(text, given.get(number)?, receiving.holds);
            }
            // `points[0] = {1, 2}`
            let (behind, holds) = match receiving.holds {
                Holds::Items { .. } if behind.starts_with('[') => {
                    (text_after(text, close_bracket(text, at)), Holds::Value)
                }
                holds => (behind, holds),
            };
            if let Some(value) = behind.strip_prefix('=').filter(|value| value.trim_start().starts_with('{'))
            {
                return self.held(text, text.len() - value.trim_start().len(), holds);
            }
            let Holds::Items { .. } = receiving.holds else { return None };
            let method = behind.strip_prefix('.').or_else(|| behind.strip_prefix("->"))?;
            let start = text.len() - method.len();
            let open = start + first_word(method).len();
            let is_call = text[open..].starts_with('(');
            let given = if is_call { items(text, open) } else { Vec::new() };
            let item = |item| {
                self.braced(text, item, Holds::Value)
                    .or_else(|| self.braced(text, item, Holds::Items { is_flat: false }))
            };
            given.iter().find_map(item)
        })
    }

    /// Returns where a `return` in the body whose brace stands at byte `body` gives the field by position.
    fn returned(&self, text: &str, body: usize, holds: Holds) -> Option<usize> {
        let end = close_bracket(text, body);
        text[body..end].match_indices("return").find_map(|(at, word)| {
            let value = text_after(text, body + at + word.len());
            let open = text.len() - value.len();
            (value.starts_with('{') && open < end).then(|| self.held(text, open, holds)).flatten()
        })
    }

    /// Returns where an item that is braces gives the field by position.
    fn braced(&self, text: &str, item: &Range<usize>, holds: Holds) -> Option<usize> {
        let open = item.end - text[item.clone()].trim_start().len();
        text[open..].starts_with('{').then(|| self.held(text, open, holds)).flatten()
    }

    /// Returns where the braces that stand at byte `open`, the value of a `holds`, give the field by position.
    fn held(&self, text: &str, open: usize, holds: Holds) -> Option<usize> {
        let Holds::Items { is_flat } = holds else { return self.initialized(text, open, 0, &self.inside) };
        let mut left: Vec<(usize, usize)> = vec![(open, 0)];
        while let Some((open, depth)) = left.pop() {
            let braces =
                items(text, open).into_iter().map(|item| item.end - text[item.clone()].trim_start().len());
            let inner: Vec<usize> = braces.filter(|&at| text[at..].starts_with('{')).collect();
            if (depth > 0 || is_flat)
                && let Some(found) = self.initialized(text, open, 0, &self.inside)
            {
                return Some(found);
            }
            // Each is read once for each level around it.
            if depth < MAX_LEVELS {
                left.extend(inner.into_iter().map(|at| (at, depth + 1)));
            }
        }
        None
    }
}

/// How many levels of braces of a container are read.
const MAX_LEVELS: usize = 8;

/// Returns the type as it is written where its name stands at `place`: with its namespace, and in `std::vector<Point>` the whole.
fn written_type(text: &str, place: TextRange) -> WrittenType {
    let (mut start, mut end) = (place.start as usize, place.end as usize);
    let mut holds = Holds::Value;
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    loop {
        start = text[..start].trim_end_matches(is_path).len();
        let mut left = text[..start].trim_end();
        while let Some(rest) =
            Some(last_word(left)).filter(|word| is_qualifier(word)).and_then(|word| left.strip_suffix(word))
        {
            left = rest.trim_end();
        }
        // `std::map<int, Point>`
        let outer = left.trim_end_matches(|c: char| is_path(c) || c == ',' || c == ' ');
        let Some(before) = outer.strip_suffix('<') else { break };
        let container = last_word(before.trim_end());
        if container.is_empty() || before.len() < start.saturating_sub(MAX_TYPE) {
            break;
        }
        let Some(close) = text[end..]
            .find(['>', ';', '{', '}', '('])
            .map(|at| end + at)
            .filter(|&at| text[at..].starts_with('>'))
        else {
            break;
        };
        let is_flat = FLAT_CONTAINERS.contains(&container);
        holds = Holds::Items { is_flat: is_flat && !matches!(holds, Holds::Items { is_flat: false }) };
        (start, end) = (before.trim_end().len(), close + 1);
    }
    WrittenType { range: start..end, holds }
}

/// Whether a word may stand between a type and what is declared with it, or before the type.
fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.contains(&word) || matches!(word, "struct" | "class")
}

/// How many bytes of a type are read before its argument.
const MAX_TYPE: usize = 200;

/// Returns the text behind a type, without qualifiers and the mark of a reference.
fn behind_type(text: &str, end: usize) -> &str {
    let mut behind = text_after(text, end);
    loop {
        let at = text.len() - behind.len();
        let word = first_word(behind);
        behind = match behind.chars().next() {
            Some('&') => text_after(text, at + 1),
            _ if is_qualifier(word) => text_after(text, at + word.len()),
            _ => return behind,
        };
    }
}
