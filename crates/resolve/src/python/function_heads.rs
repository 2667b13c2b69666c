//! The head of a Python function as its text shows it.

use crate::brackets::close_bracket;
use crate::context::last_word;
use crate::resolver::CurrentFile;

/// Whether the name at byte `name_start` stands between the parentheses of its function's head.
pub(crate) fn is_parameter(here: &CurrentFile, function: usize, name_start: u32) -> bool {
    let row = &here.outline.rows[function];
    let text = here.text.as_str();
    let head = row.name_start as usize + usize::from(row.name_len);
    let open = text.get(head..).and_then(|rest| rest.find('(')).map(|at| head + at);
    open.is_some_and(|open| {
        let close = close_bracket(text, open);
        (open..close).contains(&(name_start as usize))
    })
}

/// Whether the text ends with the beginning of a function's head, before its parenthesis.
pub(crate) fn is_head(before: &str) -> bool {
    let before = before.trim_end();
    last_word(before[..before.len() - last_word(before).len()].trim_end()) == "def"
}
