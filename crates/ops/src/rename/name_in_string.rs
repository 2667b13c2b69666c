//! What stands around a name in a string, which tells whether a program may look the name up by it.

use crate::target::Target;
use symd_base::{RelPath, TextRange};

/// A name in a string, with the text of the file before and behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameInString<'t> {
    before: &'t str,
    name: &'t str,
    behind: &'t str,
}

impl<'t> NameInString<'t> {
    /// Returns the name at `range`, a whole word of the text.
    pub(super) fn new(text: &'t str, range: TextRange) -> NameInString<'t> {
        let (before, behind) = (&text[..range.start as usize], &text[range.end as usize..]);
        NameInString { before, name: &text[range.start as usize..range.end as usize], behind }
    }

    /// Returns the text in the string before and after the name, if it consists of words and of `joints` only.
    fn quoted(self, joints: &str) -> Option<(&'t str, &'t str)> {
        let is_part = |c: char| c.is_alphanumeric() || joints.contains(c);
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
        let (outside, rest) =
            (self.before.trim_end_matches(is_part), self.behind.trim_start_matches(is_part));
        (outside.ends_with(is_quote) && rest.starts_with(is_quote))
            .then(|| (&self.before[outside.len()..], &self.behind[..self.behind.len() - rest.len()]))
    }

    /// Whether the string consists of a name, or of names joined as in paths: `"run"`, `"lib.run"`, `"lib:run"`.
    pub(super) fn is_path(self) -> bool {
        self.quoted("_.:/#-").is_some()
    }

    /// Whether the string consists of the name and is a key: `{"name": 1}`, `x["name"]`.
    pub(super) fn is_key(self) -> bool {
        if self.quoted("") != Some(("", "")) {
            return false;
        }
        let before = self.before.trim_end_matches(['"', '\'']).trim_end();
        let behind = self.behind.trim_start_matches(['"', '\'']).trim_start();
        before.ends_with(['{', ',']) && behind.starts_with(':')
            || before.ends_with('[') && behind.starts_with(']')
    }

    /// Whether the string is the target's path (`"lib.Box"`, `"Box.run"`), or its name alone if that has several words: a single word
    /// may name anything.
    pub(super) fn is_name_of(self, target: &Target) -> bool {
        let Some((above, "")) = self.quoted("_.:") else { return false };
        let mut parts = above.trim_end_matches(['.', ':']).rsplit(['.', ':']);
        match parts.next().filter(|part| !part.is_empty()) {
            Some(around) => {
                let class = target.symbol.name_path.rsplit('/').nth(1);
                let stem = Some(target.at.path.file_stem());
                let package = target.at.path.parent();
                let package = package.as_ref().map(RelPath::file_name);
                [class, stem, package].contains(&Some(around))
            }
            None => has_several_words(self.name) && !self.is_given_to_its_own_name(),
        }
    }

    /// Whether the string consists of the name and is an argument with a name: `Rule(callback="parse")`.
    pub(super) fn is_argument(self) -> bool {
        let before = self.before.trim_end_matches(['"', '\'']).strip_suffix('=');
        self.quoted("_.:") == Some(("", ""))
            && before.is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    /// Whether the line before the string declares something of that name: `T = TypeVar("T")` passes a value its own name.
    fn is_given_to_its_own_name(self) -> bool {
        let line = self.before.rsplit('\n').next().unwrap_or_default().trim_start();
        line.strip_prefix(self.name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
    }

    /// Whether the name is declared, called or accessed through a dot: code that is generated, or run, from text.
    pub(super) fn reads_like_code(self) -> bool {
        let word = self.before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let is_declared = self.before.ends_with(char::is_whitespace)
            && matches!(word, "def" | "class" | "import" | "fun" | "function");
        let is_accessed = self.before.ends_with('.') || self.behind.starts_with('(');
        is_declared || is_accessed && !self.is_in_sentence()
    }

    /// Whether the line of the name is prose: `"run() is deprecated, use go() instead"`.
    fn is_in_sentence(self) -> bool {
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '\n');
        let before = self.before.rsplit(is_quote).next().unwrap_or_default();
        let behind = self.behind.split(is_quote).next().unwrap_or_default();
        let words = before.split(' ').chain(behind.split(' '));
        let words = words.map(|word| word.trim_end_matches([',', '.', ';', '\\']));
        let is_word = |word: &&str| word.len() >= 3 && word.chars().all(char::is_alphabetic);
        let is_code = |text: &str| text.contains(['=', ':', '[', '{']);
        words.filter(is_word).count() >= 2 && !is_code(before) && !is_code(behind)
    }

    /// Whether the string begins with the name, of several words, as programs print exceptions, `"BadRequest: no such page"`, and
    /// objects of Python, `"Box object at 0x"`.
    pub(super) fn is_title(self) -> bool {
        has_several_words(self.name)
            && self.before.ends_with(['"', '\''])
            && (self.behind.starts_with(": ") || self.behind.starts_with(" object at 0x"))
    }

    /// Whether the string has a placeholder for a value of this name (`{name}`, `%(name)s`) and the file, whose text is `text`, passes
    /// its variables, or an object's attributes, by name.
    pub(super) fn is_filled_by_name(self, text: &str) -> bool {
        let has_place = self.before.ends_with('{') && self.behind.starts_with(['}', ':', '!', '.', '['])
            || self.before.ends_with("%(") && self.behind.starts_with(')');
        has_place && ["locals()", "globals()", "vars(", "__dict__"].iter().any(|names| text.contains(names))
    }

    /// Whether the string is a list of names that the program splits: `"start stop".split(" ")`.
    pub(super) fn is_split(self) -> bool {
        let is_listed = |c: char| c.is_alphanumeric() || "_, |;\t".contains(c);
        let behind = self.behind.trim_start_matches(is_listed).strip_prefix(['"', '\'']);
        behind.is_some_and(|behind| behind.trim_start().starts_with(".split("))
    }

    /// Whether the name stands as programs print the name of a type: `Missing: no such key`, `<Box object>`, `<class 'Box'>`.
    pub(super) fn is_shown(self) -> bool {
        self.behind.starts_with([':', '>']) || self.before.ends_with(['<', '\''])
    }
}

/// Whether a name has several words: `max_size`, `maxSize`.
fn has_several_words(name: &str) -> bool {
    let has_hump = || {
        let mut pairs = name.chars().zip(name.chars().skip(1));
        pairs.any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    };
    name.trim_matches('_').contains('_') || has_hump()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first `name` in the text.
    fn here<'t>(text: &'t str, name: &str) -> NameInString<'t> {
        let at = u32::try_from(text.find(name).expect("in it")).expect("short");
        NameInString::new(text, TextRange::new(at, at + u32::try_from(name.len()).expect("short")))
    }

    #[test]
    fn a_string_may_read_like_code() {
        let check = |text: &str, expected: bool| {
            assert_eq!(here(text, "run").reads_like_code(), expected, "{text}");
        };
        check("\"class A:\\n    def run(self): ...\"", true);
        check("'x = a.run'", true);
        check("'it can run.'", false);
        check("'{run}'", false);
        check("'for one in box.run(two, three): one.go()'", true);
        check("'lib.run() is deprecated, use go() instead'", false);
    }

    #[test]
    fn a_string_may_show_a_type() {
        let check = |text: &str, expected: bool| {
            assert_eq!(here(text, "Box").is_shown(), expected, "{text}");
        };
        check("\"Box: it is full\"", true);
        check("\"<Box at 0x>\"", true);
        check("\"<class 'Box'>\"", true);
        check("\"a Box is full\"", false);
    }

    #[test]
    fn a_string_may_begin_with_a_types_name() {
        let check = |text: &str, expected: bool| {
            assert_eq!(here(text, "BadRequest").is_title(), expected, "{text}");
        };
        check("'BadRequest: no such page'", true);
        check("'a BadRequest: no such page'", false);
        check("{'BadRequest': 400}", false);
    }

    #[test]
    fn names_of_several_words() {
        for (name, expected) in [
            ("max_size", true),
            ("maxSize", true),
            ("run", false),
            ("_run", false),
            ("HTTP", false),
            ("Box", false),
        ] {
            assert_eq!(has_several_words(name), expected, "{name}");
        }
    }

    #[test]
    fn keys_of_dictionaries() {
        for (text, expected) in [
            ("{\"run\": run}", true),
            ("{'a': 1, 'run' : run}", true),
            ("context['run']", true),
            ("eval('run')", false),
            ("['run', 'go']", false),
            ("{'run fast': 1}", false),
        ] {
            assert_eq!(here(text, "run").is_key(), expected, "{text}");
        }
    }

    #[test]
    fn a_string_may_list_names() {
        let check = |text: &str, expected: bool| {
            assert_eq!(here(text, "run").is_split(), expected, "{text}");
        };
        check("\"run,go\".split(\",\")", true);
        check("'go run stop'.split()", true);
        check("\"run,go\"", false);
        check("\"run: go\".split(\",\")", false);
    }

    #[test]
    fn a_string_that_is_a_name_or_a_path_may_be_looked_up() {
        let check = |text: &str, expected: bool| {
            assert_eq!(here(text, "run").is_path(), expected, "{text}");
        };
        check("getattr(x, 'run')", true);
        check("\"lib.mod:run\"", true);
        check("\"run.fast\"", true);
        check("'please run it'", false);
        check("'run it'", false);
        check("f'{run}'", false);
    }
}
