//! Reads the bases that the head of a class extends or implements, by syntax, for every language. Names are
//! not resolved. Invariant: a base that is more than a name is marked as computed, never omitted; comments
//! and strings yield no bases.

mod arguments;
mod base_list;
mod blanks;
mod items;
mod nesting;

pub(crate) use self::arguments::{arguments, arguments_in, arguments_of};
use self::base_list::{colon_list, impl_list, keyword_list, python_list};
use self::blanks::without_delegates;
pub(crate) use self::blanks::{without_comments, without_texts};
use self::items::{item, read};
use self::nesting::{at_depth_0, is_word};
use crate::profiles::{BaseList, LanguageProfile};
use symd_base::TextRange;
use symd_syntax::{Outline, Row, SymbolKind};

/// The most bytes of a head that are read.
const MAX_HEAD: usize = 4_000;

/// A base as written in the head of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBase {
    /// The last name of `a.b.Base`; the whole expression for a computed base.
    pub range: TextRange,
    /// The base with its qualifiers, joined by dots, without arguments; empty for a computed base.
    pub(crate) chain: String,
    /// The byte at which the first name begins.
    pub(crate) start: u32,
}

impl WrittenBase {
    /// Whether it is an expression: a call, a condition, an unpacked list.
    pub fn is_computed(&self) -> bool {
        self.chain.is_empty()
    }
}

/// Whether a symbol of this kind can have supertypes.
pub fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(kind, Class | Interface | Enum | Struct | Object)
}

/// Returns the bases in the head of `row`, in order. `outline` is that of `text`, the whole file.
pub(crate) fn written_bases(
    language: &LanguageProfile,
    outline: &Outline,
    row: &Row,
    text: &str,
) -> Vec<WrittenBase> {
    let rules = &language.heads;
    let has_impls = language.family.profile().members.has_impls;
    let is_impl = has_impls && outline.name(row).starts_with("impl");
    let name_end = row.name_start.saturating_add(u32::from(row.name_len));
    let from = if is_impl { row.start } else { name_end };
    // The only base of `new Base(…) {` stands before the parenthesis.
    let is_new = rules.has_anonymous_classes && outline.name(row).starts_with("new ");
    let from = if is_new { row.name_start.saturating_add(3) } else { from };
    let Some(head) = slice(text, from as usize, (row.end as usize).min(from as usize + MAX_HEAD)) else {
        return Vec::new();
    };
    let blank = without_comments(head, language);
    let blank = if rules.has_delegates { without_delegates(blank) } else { blank };
    let list = match rules.list {
        BaseList::Arguments => python_list(&blank),
        _ if is_impl => impl_list(&blank),
        _ if is_new => at_depth_0(&blank).find(|(_, c)| *c == '(').map(|(at, _)| (0, at)),
        BaseList::None => None,
        BaseList::Keywords => keyword_list(&blank, language),
        BaseList::Colon => colon_list(&blank, language),
    };
    let mut bases = list.map_or_else(Vec::new, |list| read(&blank, list, language, from));
    if rules.list == BaseList::Arguments {
        bases.extend(implemented(text, row, language));
    }
    bases
}

/// Reads the interfaces in zope's decorator `@implementer(A, b.B)` before a class.
fn implemented(text: &str, row: &Row, language: &LanguageProfile) -> Vec<WrittenBase> {
    let (from, to) = (row.start as usize, row.name_start as usize);
    let Some(before) = text.get(from..to).filter(|before| before.contains("implementer(")) else {
        return Vec::new();
    };
    let blank = without_comments(before, language);
    let mut bases = Vec::new();
    for (at, word) in blank.match_indices("implementer(") {
        let decorator = blank[..at].rfind('@').map_or("", |mark| &blank[mark + 1..at]);
        let open = at + word.len();
        let close = at_depth_0(&blank[open - 1..]).find(|(_, c)| *c == ')').map(|(at, _)| open - 1 + at);
        if let (true, Some(close)) = (decorator.chars().all(|c| is_word(c) || c == '.'), close) {
            bases.extend(read(&blank, (open, close), language, row.start));
        }
    }
    bases
}

/// Returns what an alias declaration (`typealias A = b.B`, `A = b.B`) stands for, and the byte at which that
/// begins, read from behind the alias's name; `None` for any other text.
pub(crate) fn alias_behind(language: &LanguageProfile, text: &str, name_end: usize) -> Option<(String, u32)> {
    let rest = slice(text, name_end, (name_end + MAX_HEAD).min(text.len()))?;
    let equals = rest.find(['=', '\n', ';', '('])?;
    if !rest[equals..].starts_with('=') || rest[equals..].starts_with("==") {
        return None;
    }
    let value = &rest[equals + 1..];
    let line = value.split(['\n', ';', '#']).next().unwrap_or("");
    let line = line.split("//").next().unwrap_or("");
    let (chain, first) = item(line, 0, language).filter(|(chain, _)| !chain.is_empty())?;
    Some((chain, u32::try_from(name_end + equals + 1 + first).ok()?))
}

/// Returns the chain of names of a base that stands alone in `text`; `None` for an expression.
pub(crate) fn named_type(language: &LanguageProfile, text: &str) -> Option<String> {
    item(text, 0, language).map(|(chain, _)| chain).filter(|chain| !chain.is_empty())
}

/// Returns the longest part of `from..to` that ends at a character boundary.
fn slice(text: &str, from: usize, to: usize) -> Option<&str> {
    (0..4).find_map(|less| text.get(from..to.checked_sub(less)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::PYTHON;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, outline};

    /// Checks the bases of the first type of `text`: chains, and computed bases in braces; each must stand at
    /// its range.
    fn check(grammar: &str, text: &str, expected: &[&str]) {
        let grammar = Grammar::named(grammar).expect("known");
        let language = LanguageProfile::of_grammar(grammar.name()).expect("of a family");
        let outline = outline(grammar, text, &Cancel::new()).expect("parsed");
        let row = outline.rows.iter().find(|row| is_type(row.kind())).expect("a type");
        let shown = |base: &WrittenBase| {
            let there = &text[base.range.as_range()];
            if base.is_computed() {
                return format!("{{{there}}}");
            }
            assert_eq!(base.chain.rsplit('.').next(), Some(there), "{text}");
            assert!(text[base.start as usize..].starts_with(base.chain.split('.').next().expect("one")));
            base.chain.clone()
        };
        let found: Vec<String> = written_bases(language, &outline, row, text).iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_head_names_its_bases() {
        check("python", "class A(b.B, Generic[T], metaclass=M):\n    x: int = C()\n", &["b.B", "Generic"]);
        check("python", "class A[T](A[T], b . C): pass\n", &["A", "b.C"]);
        check("python", "class A:\n    x = B(C)\n", &[]);
        check("python", "class A(  # of (B)\n    C,  # D,\n    'E',\n): pass\n", &["C"]);
        check(
            "kotlin",
            "class A(val x: X) : B(x), c.C<D>, E by x where F : G {\n val y: Y = Y()\n}",
            &["B", "c.C", "E"],
        );
        check(
            "kotlin",
            "class A : B by lazy { c { d } }, E by f({ 1 }), G { val x: X = 1 }",
            &["B", "E", "G"],
        );
        check("kotlin", "class A : B by c { val x: X = 1 }", &["B"]);
        check("kotlin", "interface A : B", &["B"]);
        check("kotlin", "class A<T : X>(f: (Int) -> Unit) : B<T>()", &["B"]);
        check("kotlin", "class A { val x: Int = 1 }", &[]);
        check("kotlin", "class A(val x: String = \"\", y: Int = 3) : B() {}", &["B"]);
        check("kotlin", "class A<T : X>(f: (Int) -> Unit = { }) : B<T>", &["B"]);
        check("csharp", "record A(int X = 3) : B(X) { }", &["B"]);
        check("java", "class A<T extends X> extends p.B<C> implements D, E { F f; }", &["p.B", "D", "E"]);
        check("java", "interface A extends B { }", &["B"]);
        check("java", "sealed class A implements B permits C { }", &["B"]);
        check("typescript", "class A<T> extends B<C> implements D, e.E { f: F }", &["B", "D", "e.E"]);
        check("cpp", "class A : public n::B, private C<D> { E e; };", &["n.B", "C"]);
        check("cpp", "struct A final : virtual public ::B {};", &["B"]);
        check("csharp", "class A<T> : B, IC<D> where T : E { }", &["B", "IC"]);
        check("rust", "impl<T> a::Show<T> for Size { fn f() {} }", &["a.Show"]);
        check("rust", "impl Size { fn f() {} }", &[]);
        check("rust", "trait A: B + c::C + 'static + ?Sized { }", &["B", "c.C"]);
    }

    #[test]
    fn a_base_that_is_no_name_is_computed() {
        check("python", "class A(make(B), C): pass\n", &["{make(B)}", "C"]);
        check("python", "class A(B if x else C, *d): pass\n", &["{B if x else C}", "{*d}"]);
        check("typescript", "class A extends mix(B) implements C { }", &["{mix(B)}", "C"]);
    }

    #[test]
    fn interfaces_that_a_decorator_names_are_bases() {
        check("python", "@implementer(I, j.J)\nclass A(B): pass\n", &["B", "I", "j.J"]);
        check("python", "@zope.interface.implementer(I)  # (K)\n@other(X)\nclass A: pass\n", &["I"]);
    }

    #[test]
    fn another_name_is_read_behind_the_name() {
        let alias = |text: &str| alias_behind(&PYTHON, text, 1);
        assert_eq!(alias("A = b.B\n"), Some(("b.B".to_owned(), 4)));
        assert_eq!(alias("A: TypeAlias = B[int]  # B\n"), Some(("B".to_owned(), 15)));
        assert_eq!(alias("A = B()\n"), None);
        assert_eq!(alias("A == B\n"), None);
        assert_eq!(alias("A\nB = C\n"), None);
    }
}
