//! An expression that computes a name of which it writes the beginning or the end: `"on_" + event`, `` `get${what}` ``, `kind + "Name"`.

/// The fewest bytes of a beginning that tell a name from others, and of an end where there is no beginning.
const TELLING: (usize, usize) = (3, 4);

/// The fewest bytes of a beginning that is a whole word of the name.
const SHORT_WORD: usize = 2;

/// What is known of a computed name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyText<'t> {
    pub(super) beginning: &'t str,
    pub(super) end: &'t str,
}

impl<'t> KeyText<'t> {
    /// Reads an expression; `None` where it is no text that is put together, or the text is written out.
    pub(super) fn read(expression: &'t str) -> Option<KeyText<'t>> {
        let mut inner = expression.trim();
        if let Some(cast) = inner.find(" as ") {
            inner = inner[..cast].trim_end();
        }
        while let Some(rest) = inner.strip_prefix('(') {
            inner = rest.strip_suffix(')').unwrap_or(rest).trim();
        }
        if let Some(cast) = inner.find(" as ") {
            inner = inner[..cast].trim_end();
        }
        if let Some(template) = inner.strip_prefix('`') {
            let template = template.strip_suffix('`')?;
            let (beginning, rest) = template.split_once("${")?;
            let end = rest.rsplit('}').next().unwrap_or("");
            return Some(KeyText { beginning, end });
        }
        if !inner.contains('+') {
            return None;
        }
        let beginning = first_literal(inner).unwrap_or("");
        let end = last_literal(inner).unwrap_or("");
        (!beginning.is_empty() || !end.is_empty()).then_some(KeyText { beginning, end })
    }

    pub(super) fn may_be(&self, name: &str) -> bool {
        let is_told =
            self.beginning.len() >= TELLING.0 || self.beginning.is_empty() && self.end.len() >= TELLING.1;
        // `on` of `onOpen`: a word ends there.
        let is_word = self.beginning.len() >= SHORT_WORD
            && name.get(self.beginning.len()..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
            && self.beginning.ends_with(char::is_lowercase);
        let is_all = !self.beginning.is_empty() && self.beginning.len() + self.end.len() == name.len();
        (is_told || is_word || is_all)
            && self.beginning.len() + self.end.len() <= name.len()
            && name.starts_with(self.beginning)
            && name.ends_with(self.end)
    }
}

/// Returns the string that an expression begins with, if something is added to it.
fn first_literal(expression: &str) -> Option<&str> {
    let quote = expression.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (literal, behind) = expression[1..].split_once(quote)?;
    behind.trim_start().starts_with('+').then_some(literal)
}

/// Returns the string that an expression ends with, if it is added to something.
fn last_literal(expression: &str) -> Option<&str> {
    let quote = expression.chars().next_back().filter(|last| matches!(last, '"' | '\''))?;
    let (before, literal) = expression[..expression.len() - 1].rsplit_once(quote)?;
    before.trim_end().ends_with('+').then_some(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_computed_name() {
        for (expression, expected) in [
            ("\"on_\" + event", Some(("on_", ""))),
            ("`on_${event}`", Some(("on_", ""))),
            ("`get${what}Name`", Some(("get", "Name"))),
            ("kind + 'Name'", Some(("", "Name"))),
            ("(\"theme_\" + mode) as keyof typeof settings", Some(("theme_", ""))),
            ("\"name\"", None),
            ("`name`", None),
            ("a + b", None),
            ("key", None),
            ("", None),
        ] {
            let read = KeyText::read(expression);
            assert_eq!(read.map(|key| (key.beginning, key.end)), expected, "{expression}");
        }
    }

    #[test]
    fn few_letters_tell_nothing() {
        assert!(KeyText { beginning: "on_", end: "" }.may_be("on_open"));
        assert!(KeyText { beginning: "lo", end: "ad" }.may_be("load"));
        assert!(!KeyText { beginning: "on", end: "" }.may_be("on_open"));
        assert!(!KeyText { beginning: "on", end: "" }.may_be("online"));
        assert!(KeyText { beginning: "on", end: "" }.may_be("onOpen"));
        assert!(!KeyText { beginning: "", end: "pen" }.may_be("on_open"));
        assert!(!KeyText { beginning: "on_o", end: "open" }.may_be("on_open"));
    }
}
