//! What a class's head says it extends or implements, by syntax: names in the places where each language has its
//! supertypes. Knows no types: `type A = B` and Go's structural interfaces are not seen.

use crate::base::TextRange;
use crate::syntax::{Grammar, Outline, Row, SymbolKind};

/// Heads longer than this are not read on.
const MAX_HEAD: usize = 4_000;

/// Words in a head that are no types.
const KEYWORDS: [&str; 16] = [
    "extends",
    "implements",
    "with",
    "public",
    "private",
    "protected",
    "internal",
    "virtual",
    "override",
    "constructor",
    "final",
    "readonly",
    "sealed",
    "abstract",
    "static",
    "for",
];

/// Whether a symbol can have supertypes.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(kind, Class | Interface | Enum | Struct | Object)
}

/// The names of the supertypes in the head of row `row`, as ranges in `text`, in order.
pub(super) fn bases(grammar: Grammar, outline: &Outline, row: &Row, text: &str) -> Vec<TextRange> {
    if !is_type(row.kind()) {
        return Vec::new();
    }
    let is_impl = grammar.name() == "rust" && outline.name(row).starts_with("impl");
    let name_len = u32::from(row.name_len);
    let from = if is_impl { row.start } else { row.name_start.saturating_add(name_len) };
    let end = (row.end as usize).min(from as usize + MAX_HEAD);
    let Some(head) = (0..4).find_map(|less| text.get(from as usize..end - less.min(end))) else {
        return Vec::new();
    };
    let found = if is_impl { of_impl(head) } else { Reader::new(grammar).read(head) };
    let offset = |at: usize| u32::try_from(at).ok().map(|at| from + at);
    found.into_iter().filter_map(|(start, end)| Some(TextRange::new(offset(start)?, offset(end)?))).collect()
}

/// `impl<T> a::Trait<T> for Type {`: the trait.
fn of_impl(head: &str) -> Vec<(usize, usize)> {
    let head = &head[..head.find('{').unwrap_or(head.len())];
    let Some(end) = head.find(" for ") else { return Vec::new() };
    let words = Reader { begun: true, ..Reader::default() }.read(&head[..end]);
    words.into_iter().filter(|&(start, end)| &head[start..end] != "impl").collect()
}

/// Reads a head word by word.
#[derive(Default)]
struct Reader {
    /// At which depth of brackets the supertypes stand.
    depth: usize,
    /// What must come first: `:`, a keyword, or nothing.
    opener: Opener,
    begun: bool,
    is_python: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Opener {
    #[default]
    None,
    Colon,
    Keyword,
}

impl Reader {
    fn new(grammar: Grammar) -> Reader {
        match grammar.name() {
            "python" => Reader { depth: 1, is_python: true, begun: true, ..Reader::default() },
            "kotlin" | "cpp" | "csharp" | "rust" => Reader { opener: Opener::Colon, ..Reader::default() },
            "java" | "typescript" | "tsx" | "javascript" => {
                Reader { opener: Opener::Keyword, ..Reader::default() }
            }
            // C and Go have no heads that name supertypes.
            _ => Reader { depth: usize::MAX, ..Reader::default() },
        }
    }

    fn read(mut self, head: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut depth = 0_usize;
        let mut before = ' ';
        let mut chars = head.char_indices().peekable();
        let mut previous_word = "";
        while let Some((at, c)) = chars.next() {
            match c {
                '(' | '[' | '<' => depth += 1,
                ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    if self.is_python && depth == 0 {
                        break;
                    }
                }
                '>' if before != '-' && before != '=' => depth = depth.saturating_sub(1),
                '{' | ';' if depth == 0 => break,
                // C++'s `::` opens nothing.
                ':' if depth == 0 && before != ':' && !head[at + 1..].starts_with(':') => {
                    if self.is_python {
                        break;
                    }
                    self.begun |= self.opener == Opener::Colon;
                }
                c if c.is_alphabetic() || c == '_' => {
                    let mut end = at + c.len_utf8();
                    while let Some(&(next, c)) =
                        chars.peek().filter(|(_, c)| c.is_alphanumeric() || *c == '_')
                    {
                        end = next + c.len_utf8();
                        chars.next();
                    }
                    let word = &head[at..end];
                    if matches!(word, "where" | "permits") && depth == 0 {
                        break;
                    }
                    if matches!(word, "extends" | "implements") && depth == 0 {
                        self.begun |= self.opener == Opener::Keyword;
                    }
                    let behind = head[end..].trim_start();
                    let is_qualifier = behind.starts_with('.') || behind.starts_with("::");
                    let is_keyword_argument = self.is_python && (behind.starts_with('=') || before == '=');
                    let is_delegate = previous_word == "by";
                    let is_word = KEYWORDS.contains(&word) || word == "by";
                    if self.begun
                        && depth == self.depth
                        && !(is_qualifier || is_keyword_argument || is_delegate || is_word)
                    {
                        found.push((at, end));
                    }
                    previous_word = word;
                    before = 'a';
                    continue;
                }
                _ => {}
            }
            if !c.is_whitespace() {
                before = c;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Cancel;
    use crate::syntax::outline;

    fn check(grammar: &str, text: &str, expected: &[&str]) {
        let grammar = Grammar::named(grammar).expect("known");
        let outline = outline(grammar, text, &Cancel::new()).expect("parsed");
        let row = outline.rows.iter().find(|row| is_type(row.kind())).expect("a type");
        let found: Vec<&str> =
            bases(grammar, &outline, row, text).iter().map(|range| &text[range.as_range()]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_head_names_its_supertypes() {
        check("python", "class A(b.B, Generic[T], metaclass=M):\n    x: int = C()\n", &["B", "Generic"]);
        check("python", "class A:\n    x = B(C)\n", &[]);
        check(
            "kotlin",
            "class A(val x: X) : B(x), c.C<D>, E by x where F : G {\n val y: Y = Y()\n}",
            &["B", "C", "E"],
        );
        check("kotlin", "interface A : B", &["B"]);
        check("java", "class A<T extends X> extends p.B<C> implements D, E { F f; }", &["B", "D", "E"]);
        check("java", "interface A extends B { }", &["B"]);
        check("typescript", "class A<T> extends B<C> implements D, e.E { f: F }", &["B", "D", "E"]);
        check("cpp", "class A : public n::B, private C<D> { E e; };", &["B", "C"]);
        check("csharp", "class A<T> : B, IC<D> where T : E { }", &["B", "IC"]);
        check("rust", "impl<T> a::Show<T> for Size { fn f() {} }", &["Show"]);
        check("rust", "trait A: B + c::C { }", &["B", "C"]);
    }
}
