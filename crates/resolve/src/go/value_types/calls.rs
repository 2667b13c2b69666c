//! What calls of Go's functions give.

use super::text_around::{closing, parts, skip_blanks, skip_spaces, word_at};
use super::{GoReader, GoType, TypeSpot};
use symd_base::cancel::Cancelled;

/// What stands before the bracket of a call.
pub(super) enum Callee {
    /// A value; a call of it gives its results.
    Value(GoType),
    /// A type; the call converts to it.
    Type(GoType),
}

/// Words that begin a type and are no name of a result.
const TYPE_WORDS: [&str; 5] = ["chan", "func", "interface", "map", "struct"];

impl GoReader<'_, '_> {
    /// Returns the type of a call's result number `result`, from 0.
    pub(super) fn called(&self, callee: Callee, result: usize, depth: usize) -> Result<GoType, Cancelled> {
        match callee {
            Callee::Type(ty) if result == 0 => Ok(ty),
            Callee::Type(_) => Ok(GoType::Unknown),
            Callee::Value(value) => match self.unnamed(value, depth)? {
                GoType::Function(spot) => self.result(&spot, result, depth),
                GoType::Outside => Ok(GoType::Outside),
                _ => Ok(GoType::Unknown),
            },
        }
    }

    /// Returns the type of a function's result; its parameters, or type parameters, begin at the spot.
    fn result(&self, spot: &TypeSpot, result: usize, depth: usize) -> Result<GoType, Cancelled> {
        let Some(here) = self.resolver.read_file(&spot.file) else { return Ok(GoType::Unknown) };
        let text = here.text.as_str();
        let mut at = skip_spaces(text, spot.at);
        if text[at..].starts_with('[') {
            at = closing(text, at).map_or(at, |behind| skip_spaces(text, behind));
        }
        let Some(behind) = text[at..].starts_with('(').then(|| closing(text, at)).flatten() else {
            return Ok(GoType::Unknown);
        };
        at = skip_spaces(text, behind);
        let rest = &text[at..];
        if rest.is_empty() || rest.starts_with(['\n', '\r', '{', '}', ')', ']', ',', ';', '=', '/', '`', '"'])
        {
            return Ok(GoType::Unknown);
        }
        if !rest.starts_with('(') {
            return if result == 0 { self.written(&here, at, depth) } else { Ok(GoType::Unknown) };
        }
        let Some(end) = closing(text, at) else { return Ok(GoType::Unknown) };
        let results = parts(text, at + 1, end - 1);
        let typed: Vec<Option<usize>> = results.iter().map(|part| type_behind_name(text, *part)).collect();
        let are_named = typed.iter().any(Option::is_some);
        match (results.get(result), are_named) {
            (Some((start, _)), false) => self.written(&here, *start, depth),
            // `(a, b T)`
            (Some(_), true) => match typed[result..].iter().flatten().next() {
                Some(at) => self.written(&here, *at, depth),
                None => Ok(GoType::Unknown),
            },
            (None, _) => Ok(GoType::Unknown),
        }
    }
}

/// Returns where the type of a named result begins, in `name T`; `None` for a type or a name alone.
fn type_behind_name(text: &str, (start, end): (usize, usize)) -> Option<usize> {
    let at = skip_blanks(text, start);
    let word = word_at(text, at);
    let behind = at + word.len();
    let is_name =
        !word.is_empty() && !TYPE_WORDS.contains(&word) && text[behind..end].starts_with([' ', '\t']);
    let ty = skip_blanks(text, behind);
    (is_name && ty < end).then_some(ty)
}
