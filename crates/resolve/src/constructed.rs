//! The only value that a function of Python assigns to one of its locals, by the text. Invariant: the local has this one value in the
//! function.

use super::context::last_word;
use super::resolver::CurrentFile;

/// Returns the byte at which the only value begins that the function in row `function` assigns to a local;
/// `None` if it assigns none, or binds the local in another way too.
pub(super) fn only_value(here: &CurrentFile, function: usize, name: &str) -> Option<usize> {
    let range = here.outline.rows[function].range();
    let mut value = None;
    for start in here.outline.occurrences.offsets_of(name) {
        if start < range.start || start >= range.end {
            continue;
        }
        match bound(here.text.as_str(), start as usize, name) {
            Binding::Not => {}
            Binding::To(at) if value.is_none() => value = Some(at),
            Binding::To(_) | Binding::Unread => return None,
        }
    }
    value
}

/// The effect of an occurrence of a name on its binding.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// The name is read.
    Not,
    /// The name is bound to the value that begins at this byte.
    To(usize),
    /// The name is bound to something that is not understood: as a parameter, a loop variable, one of several
    /// targets.
    Unread,
}

/// Returns what the occurrence of `name` at byte `start` does.
pub(super) fn bound(text: &str, start: usize, name: &str) -> Binding {
    let Some(behind) = text.get(start + name.len()..).filter(|_| text[start..].starts_with(name)) else {
        return Binding::Not;
    };
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..start];
    if before.ends_with('.') {
        return Binding::Not;
    }
    let rest = behind.split('\n').next().unwrap_or_default();
    let trimmed = rest.trim_start();
    let is_assigned = trimmed.starts_with('=') && !trimmed.starts_with("==");
    if before.trim().is_empty() && is_assigned {
        let value = trimmed[1..].trim_start();
        return Binding::To(start + name.len() + (rest.len() - value.len()));
    }
    let word = last_word(before.trim_end());
    let is_taken =
        matches!(word, "as" | "for" | "del" | "global" | "nonlocal" | "import" | "def" | "class" | "lambda");
    // `f(name=1)` names an argument of another function; a parameter of this function's head stands behind
    // `def`.
    let is_in_head = before.trim_start().starts_with("def ") || before.contains("lambda");
    let is_read = matches!(trimmed.chars().next(), Some('.' | ')' | '(' | ']' | '[' | '}') | None);
    let is_open = before.matches(['(', '[', '{']).count() > before.matches([')', ']', '}']).count();
    let is_argument = is_assigned && is_open && before.trim_end().ends_with(['(', ',']);
    match is_taken || is_in_head {
        true => Binding::Unread,
        // `{name: 1}`, `x[name:]`
        false if is_open && trimmed.starts_with(':') && !trimmed.starts_with(":=") => Binding::Not,
        false if is_read || is_argument => Binding::Not,
        // `a, name = …`, `name: Type = …`, `name += 1`, or a read that looks like one of these.
        false if rest.contains('=') || trimmed.starts_with(':') => Binding::Unread,
        false => Binding::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_is_bound_to() {
        for (text, expected) in [
            ("    it = Box()", Binding::To(9)),
            ("it.run()", Binding::Not),
            ("f(it, x)", Binding::Not),
            ("f(it=1)", Binding::Not),
            ("x.it = 1", Binding::Not),
            ("x = {it: a == b}", Binding::Not),
            ("if (it := f()):", Binding::Unread),
            ("return it", Binding::Not),
            ("a, it = 1, 2", Binding::Unread),
            ("it, a = 1, 2", Binding::Unread),
            ("it += 1", Binding::Unread),
            ("it: Box = f()", Binding::Unread),
            ("def f(it):", Binding::Unread),
            ("for it in x:", Binding::Unread),
            ("with x as it:", Binding::Unread),
            ("global it", Binding::Unread),
        ] {
            let start = text.rfind("it").filter(|_| !text.starts_with("it")).unwrap_or(0);
            assert_eq!(bound(text, start, "it"), expected, "{text}");
        }
    }
}
