//! The head of a Python function as its text shows it: its parameters.

use crate::brackets::close_bracket;
use crate::context::{first_word, last_word};
use crate::hierarchy::heads::arguments_of;
use crate::resolver::CurrentFile;

/// Returns the byte of the parenthesis that opens the parameters of the function in a row: behind its name, and behind its type parameters,
/// whose bounds may have parentheses of their own (PEP 695).
pub(crate) fn parameters_begin(here: &CurrentFile, function: usize) -> Option<usize> {
    let row = &here.outline.rows[function];
    let text = here.text.as_str();
    let behind = |at: usize| text.get(at..).map(|rest| text.len() - rest.trim_start().len());
    let mut at = behind(row.name_start as usize + usize::from(row.name_len))?;
    if text[at..].starts_with('[') {
        at = behind(close_bracket(text, at))?;
    }
    text[at..].starts_with('(').then_some(at)
}

/// Returns the parameters of the function in a row, trimmed.
pub(crate) fn parameters_of(here: &CurrentFile, function: usize) -> Vec<&str> {
    let all = parameters_begin(here, function).and_then(|open| arguments_of(&here.text.as_str()[open..]));
    all.unwrap_or_default().into_iter().map(str::trim).collect()
}

/// Whether the name at byte `name_start` stands between the parentheses of its function's head.
pub(crate) fn is_parameter(here: &CurrentFile, function: usize, name_start: u32) -> bool {
    parameters_begin(here, function).is_some_and(|open| {
        let close = close_bracket(here.text.as_str(), open);
        (open..close).contains(&(name_start as usize))
    })
}

/// Whether the function in a row takes keywords that it does not name, and no parameter `name`: it may hand them on.
pub(crate) fn takes_unnamed(here: &CurrentFile, function: usize, name: &str) -> bool {
    let all = parameters_of(here, function);
    all.iter().any(|one| one.starts_with("**")) && !all.iter().any(|one| first_word(one) == name)
}

/// Whether the text ends with the beginning of a function's head, before its parenthesis.
pub(crate) fn is_head(before: &str) -> bool {
    let before = before.trim_end();
    last_word(before[..before.len() - last_word(before).len()].trim_end()) == "def"
}
