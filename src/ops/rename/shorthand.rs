//! Names that stand for two things at once: `{ name }` is a field and the variable it is given. What such a name becomes, only
//! a server knows.

use crate::base::{Text, TextRange};
use crate::syntax::Grammar;

/// Whether a language has them.
pub(super) fn has_shorthand(grammar: Option<Grammar>) -> bool {
    grammar.is_some_and(|grammar| ["javascript", "typescript", "tsx", "rust"].contains(&grammar.name()))
}

/// Whether a name may stand for a field and a variable at once: `{ name, … }`. Import and export lists look the same; a
/// name there is what other files call it.
pub(super) fn is_shorthand(text: &Text, range: TextRange) -> bool {
    let text = text.as_str();
    let after = text[range.end as usize..].trim_start().chars().next();
    if !matches!(after, Some(',' | '}')) {
        return false;
    }
    let mut depth = 0_u32;
    for character in text[..range.start as usize].chars().rev() {
        match character {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '{' => return true,
            '(' | '[' | ';' => return false,
            _ => {}
        }
    }
    false
}
