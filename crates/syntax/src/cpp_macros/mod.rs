//! Macros of C and C++ that the grammars take for types or functions, and lose a declaration over: in heads (`class API
//! Name {`), alone on a line (`Q_OBJECT`), behind a declaration (`int x GUARDED_BY(lock);`). They are parsed as spaces of
//! the same length; their words stay identifiers of the text. Only names in capitals count.

mod alone;
mod heads;
mod lines;
mod tails;

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Tree;

use self::lines::code_lines;

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

/// Returns the byte ranges of such macros with their arguments, in order.
pub(super) fn macros(text: &str) -> Vec<Range<usize>> {
    let lines = code_lines(text);
    let mut found = Vec::new();
    let mut follows_macro = false;
    for (at, line) in lines.iter().enumerate() {
        let alone = alone::alone(&lines, at, follows_macro);
        follows_macro = alone.is_some();
        if let Some(range) = alone {
            found.push(range);
            continue;
        }
        let head = heads::head(line.code).map(|range| line.start + range.start..line.start + range.end);
        let mut tails = tails::tails(&lines, at);
        tails.reverse();
        tails.retain(|tail| head.as_ref().is_none_or(|head| tail.start >= head.end));
        found.extend(head);
        found.extend(tails);
    }
    found
}

/// Returns the ranges of the words in a macro and its arguments, without those in literals.
pub(super) fn words(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut start = None;
    for (at, &byte) in text.as_bytes()[range.clone()].iter().enumerate() {
        let at = range.start + at;
        match (quote, start) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, None) if is_word(byte) => start = Some(at),
            (None, Some(begin)) if !is_word(byte) => {
                found.push(begin..at);
                start = None;
            }
            _ => {}
        }
        if quote.is_none() && start.is_none() && matches!(byte, b'"' | b'\'') && !is_word(byte) {
            quote = Some(byte);
        }
    }
    found.extend(start.map(|begin| begin..range.end));
    found.retain(|word| !text.as_bytes()[word.start].is_ascii_digit());
    found
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
            assert!(macros(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn macros_alone_and_behind_declarations_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = macros(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("struct A {\n  A_FIELDS\n  int x;\n};\n", &["A_FIELDS"]);
        check("struct A {\n  B_FIELDS  // Those of B.\n};\n", &["B_FIELDS"]);
        check("class A {\n  Q_OBJECT\n public:\n  DISALLOW_COPY(A)\n  int x;\n};\n", &["Q_OBJECT"]);
        check("BEGIN_DECLS\n\n/* More. */\nint f(void);\nEND_DECLS\n", &["BEGIN_DECLS", "END_DECLS"]);
        check("struct A {\n  A_FIELDS\n  B_FIELDS(1)\n};\n", &["A_FIELDS", "B_FIELDS(1)"]);
        check("enum A {\n  ONLY\n};\n", &[]);
        check("enum A {\n  ONE,\n  TWO\n};\n", &[]);
        check("int x =\n    LIMIT\n    + 1;\n", &[]);
        check("int\nMAIN(void)\n{\n}\n", &[]);
        check("#define A \\\n  BCD \\\n  EFG\n", &[]);
        check("  int x GUARDED_BY(lock);\n", &["GUARDED_BY(lock)"]);
        check(
            "  std::set<int> all GUARDED_BY(lock) PT_GUARDED_BY(l);\n",
            &["GUARDED_BY(lock)", "PT_GUARDED_BY(l)"],
        );
        check("  void f(int a) LOCKS_EXCLUDED(mu) {\n", &["LOCKS_EXCLUDED(mu)"]);
        check("  bool f(int a) const NO_LOCKS;\n", &["NO_LOCKS"]);
        check("void f(int a,\n       int b)\n    LOCKS_REQUIRED(mu);\n", &["LOCKS_REQUIRED(mu)"]);
        check("  if (a) RETURN(b);\n  else FAIL(c);\n  return CHECK(d);\n", &[]);
        check("  unsigned int FAST(int a);\n  static Shop MAKE(int a);\n  while (0) STOP;\n", &[]);
        check("  s = STR(a) STR(b);\n  f(a);\n  Shop* s = FIND(a);\n", &[]);
    }

    #[test]
    fn structs_with_macros_keep_their_members() {
        let text = "struct uv_process_s {\n  UV_HANDLE_FIELDS\n  uv_exit_cb exit_cb;\n  int pid;\n};\nclass DBImpl {\n  void Write(int a)\n      \
            EXCLUSIVE_LOCKS_REQUIRED(mutex_);\n  std::set<int> pending_ GUARDED_BY(mutex_);\n  int last_;\n};\n";
        let (found, has_errors) = rows("cpp", text);
        assert!(!has_errors, "{found:?}");
        let expected = [
            "struct uv_process_s",
            "field uv_process_s/exit_cb",
            "field uv_process_s/pid",
            "class DBImpl",
            "method DBImpl/Write",
            "field DBImpl/pending_",
            "field DBImpl/last_",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_words_of_a_macro_are_identifiers() {
        let text = "int x GUARDED_BY(lock_, \"text\", 1u);\n";
        let outline = outline(Grammar::named("cpp").expect("known"), text, &Cancel::new()).expect("parsed");
        let holds = |name: &str| outline.occurrences.offsets_of(name).count();
        assert_eq!([holds("GUARDED_BY"), holds("lock_"), holds("text"), holds("u")], [1, 1, 0, 0]);
    }

    #[test]
    fn a_macro_stays_an_identifier_but_not_in_a_comment() {
        let text = "API int run(int n);\n/*\nNOTE this calls run(1)\n*/\n";
        let outline = outline(Grammar::named("c").expect("known"), text, &Cancel::new()).expect("parsed");
        assert_eq!(outline.occurrences.offsets_of("API").collect::<Vec<_>>(), [0]);
        assert_eq!(outline.occurrences.offsets_of("NOTE").count(), 0);
    }
}
