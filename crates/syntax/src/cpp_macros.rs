//! Macros in the heads of C and C++ declarations: `class API Name {`, `API int run(int n);`. The grammars take them for
//! types and lose the declaration, so they are parsed as spaces of the same length; they stay identifiers of the text.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Tree;

/// Returns the text with spaces in place of `macros`.
pub(super) fn masked<'t>(text: &'t str, macros: &[Range<usize>]) -> Cow<'t, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    for range in macros {
        bytes.to_mut()[range.clone()].fill(b' ');
    }
    bytes
}

/// Whether a macro stands in code of the tree, and not in a comment or a string.
pub(super) fn is_code(tree: &Tree, range: &Range<usize>) -> bool {
    let node = tree.root_node().descendant_for_byte_range(range.start, range.end);
    node.is_none_or(|node| !node.kind().contains("comment") && !node.kind().contains("string"))
}

/// Returns the byte ranges of such macros, in order. Only names in capitals count. A type in capitals directly before a
/// variable's name is left: `struct STAT now;`, `DWORD size = 0;`.
pub(super) fn head_macros(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        let mut words = Words { line, at: 0 };
        if let Some(range) = words.next_word().and_then(|first| head_macro(&mut words, first)) {
            found.push(start + range.start..start + range.end);
        }
        start += line.len() + 1;
    }
    found
}

/// Returns the macro in the head that begins a line with the word `first`.
fn head_macro(words: &mut Words<'_>, first: Range<usize>) -> Option<Range<usize>> {
    let keyword = &words.line[first.clone()];
    match keyword {
        b"class" | b"struct" | b"union" => {
            let named = words.next_word().filter(|word| words.is_in_capitals(word))?;
            words.next_word()?;
            let rest = words.rest();
            let is_head = rest.starts_with(b"{")
                || rest.starts_with(b":") && !rest.starts_with(b"::")
                || rest.starts_with(b"final")
                || rest.trim_ascii().is_empty()
                || keyword == b"class" && rest.starts_with(b";");
            is_head.then_some(named)
        }
        // A type and a name follow, and the parentheses of a function.
        _ if words.is_in_capitals(&first) => {
            words.next_word()?;
            let rest = words.rest();
            let rest = &rest[rest.iter().position(|byte| !b"*&:<> ".contains(byte)).unwrap_or(0)..];
            let end = rest.iter().position(|&byte| !is_word(byte) && !b":<> *&".contains(&byte))?;
            (end > 0 && rest[end] == b'(').then_some(first)
        }
        _ => None,
    }
}

/// The words of a line that stand next to each other.
struct Words<'l> {
    line: &'l [u8],
    /// Where the next word may begin.
    at: usize,
}

impl Words<'_> {
    /// Returns the byte range of the next word; `None` if something else than spaces comes before it.
    fn next_word(&mut self) -> Option<Range<usize>> {
        let start = self.line.len() - self.rest().len();
        let end = start + self.rest().iter().take_while(|&&byte| is_word(byte)).count();
        self.at = end;
        (start < end && !self.line[start].is_ascii_digit()).then_some(start..end)
    }

    fn rest(&self) -> &[u8] {
        self.line[self.at..].trim_ascii_start()
    }

    fn is_in_capitals(&self, word: &Range<usize>) -> bool {
        let word = &self.line[word.clone()];
        word.len() > 2
            && word[0].is_ascii_uppercase()
            && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
    }
}

/// Whether a byte of UTF-8 may belong to an identifier of C.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grammar, outline};
    use symd_base::Cancel;

    fn rows(grammar: &str, text: &str) -> (Vec<String>, bool) {
        let grammar = Grammar::named(grammar).expect("known");
        let outline = outline(grammar, text, &Cancel::new()).expect("parsed");
        let paths = (0..outline.rows.len())
            .map(|row| format!("{} {}", outline.rows[row].kind().word(), outline.name_path(row)));
        (paths.collect(), outline.has_errors)
    }

    #[test]
    fn declarations_behind_macros_are_found() {
        let text = "class DB_EXPORT Slice : public Base {\n public:\n  DB_EXPORT static Slice of(int n);\n  int size() const;\n};\n\
            struct API_\tPoint\n{ int x; };\nclass API Other;\nAPI std::vector<int> all(int n);\n\
            API const Slice& best(Slice a) { return a; }\nDWORD WINAPI run(void *p) { return 0; }\n";
        let (found, has_errors) = rows("cpp", text);
        assert!(!has_errors, "{found:?}");
        for wanted in [
            "class Slice",
            "method Slice/of",
            "method Slice/size",
            "struct Point",
            "field Point/x",
            "function best",
            "function run",
        ] {
            assert!(found.iter().any(|one| one == wanted), "{wanted}: {found:?}");
        }
    }

    #[test]
    fn types_in_capitals_are_no_macros() {
        for text in [
            "struct STAT now;\n",
            "struct STAT *now;\n",
            "DWORD size = f(1);\n",
            "BOOL ready;\n",
            "  MUTEX lock(all);\n",
            "TEST(Slice, Empty) {\n}\n",
            "class A {\n};\n",
            "#define API int f(int n);\n",
        ] {
            assert!(head_macros(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_macro_stays_an_identifier_but_not_in_a_comment() {
        let text = "API int run(int n);\n/*\nNOTE this calls run(1)\n*/\n";
        let outline = outline(Grammar::named("c").expect("known"), text, &Cancel::new()).expect("parsed");
        assert_eq!(outline.occurrences.offsets_of("API").collect::<Vec<_>>(), [0]);
        assert_eq!(outline.occurrences.offsets_of("NOTE").count(), 0);
    }
}
