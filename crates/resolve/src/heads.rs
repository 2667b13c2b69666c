//! Reads the bases that the head of a class extends or implements, by syntax, for every language. Names are
//! not resolved. Invariant: a base that is more than a name is marked as computed, never omitted; comments
//! and strings yield no bases.

use super::profiles::{BaseList, LanguageProfile, PYTHON};
use symd_base::TextRange;
use symd_syntax::{Outline, Row, SymbolKind};

/// The most bytes of a head that are read.
const MAX_HEAD: usize = 4_000;

/// Words that may precede a base and do not belong to it.
const MODIFIERS: [&str; 7] = ["public", "private", "protected", "internal", "virtual", "static", "readonly"];

/// A base as written in the head of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBase {
    /// The last name of `a.b.Base`; the whole expression for a computed base.
    pub range: TextRange,
    /// The base with its qualifiers, joined by dots, without arguments; empty for a computed base.
    pub(super) chain: String,
    /// The byte at which the first name begins.
    pub(super) start: u32,
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
pub(super) fn written_bases(
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

/// Returns what an alias declaration (`typealias A = b.B`, `A = b.B`) stands for, and the byte at which that
/// begins, read from behind the alias's name; `None` for any other text.
pub(super) fn alias_behind(language: &LanguageProfile, text: &str, name_end: usize) -> Option<(String, u32)> {
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
pub(super) fn named_type(language: &LanguageProfile, text: &str) -> Option<String> {
    item(text, 0, language).map(|(chain, _)| chain).filter(|chain| !chain.is_empty())
}

/// Returns the arguments in the parenthesis that a Python text opens at byte `at`, split at commas; empty
/// ones are omitted. `None` where no parenthesis opens there, or none closes it.
pub(super) fn arguments(text: &str, at: usize) -> Option<Vec<&str>> {
    arguments_of(slice(text, at, (at + MAX_HEAD).min(text.len()))?)
}

/// Like [`arguments`], for a text of any length that begins with the parenthesis.
pub(super) fn arguments_of(call: &str) -> Option<Vec<&str>> {
    if !call.starts_with('(') {
        return None;
    }
    let blank = without_comments(call, &PYTHON);
    let mut depth = 0_usize;
    let (mut all, mut begin) = (Vec::new(), 1);
    for (at, byte) in blank.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || depth == 1 && byte == b',' {
            all.push(&call[begin..at]);
            begin = at + 1;
        }
        if depth == 0 {
            all.retain(|one| !one.trim().is_empty());
            return Some(all);
        }
    }
    None
}

/// Returns the longest part of `from..to` that ends at a character boundary.
fn slice(text: &str, from: usize, to: usize) -> Option<&str> {
    (0..4).find_map(|less| text.get(from..to.checked_sub(less)?))
}

/// Returns the text with comments and strings replaced by blanks; offsets stay the same.
fn without_comments(head: &str, language: &LanguageProfile) -> String {
    let spelling = &language.family.profile().spelling;
    let mut blank = head.as_bytes().to_vec();
    let mut at = 0;
    while at < blank.len() {
        let rest = &head.as_bytes()[at..];
        let length = match rest[0] {
            _ if rest.starts_with(spelling.line_comment.as_bytes()) => line_length(rest),
            b'/' if rest.starts_with(b"/*") && spelling.has_block_comments => {
                memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
            }
            b'"' => string_length(rest),
            b'\'' if !language.heads.has_lifetimes => string_length(rest),
            _ => 0,
        };
        blank[at..at + length].fill(b' ');
        at += length.max(1);
    }
    // The blanks replace whole characters, so the bytes remain valid UTF-8.
    String::from_utf8(blank).unwrap_or_default()
}

/// Returns a Kotlin head with blanks for the blocks of its delegates: `class A : B by lazy { c }, D {`. A
/// block behind `by` is the class's body, unless the head continues behind it.
fn without_delegates(mut blank: String) -> String {
    loop {
        let brace = at_depth_0(&blank).find(|(_, c)| *c == '{').map(|(at, _)| at);
        let Some(brace) = brace else { return blank };
        let item = at_depth_0(&blank[..brace]).filter(|(_, c)| *c == ',').last().map_or(0, |(at, _)| at + 1);
        let words = words_at_depth_0(&blank[item..brace]);
        if !words.iter().any(|&(from, to)| &blank[item + from..item + to] == "by") {
            return blank;
        }
        let Some(end) = block_end(&blank[brace..]).map(|end| brace + end) else { return blank };
        let rest = blank[end..].trim_start();
        let goes_on = rest.starts_with([',', '{'])
            || rest.strip_prefix("where").is_some_and(|rest| !rest.starts_with(is_word));
        if !goes_on {
            return blank;
        }
        let spaces = " ".repeat(end - brace);
        blank.replace_range(brace..end, &spaces);
    }
}

/// Returns the byte just past the block that `text` begins with.
fn block_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let end = text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.map(|at| at + 1)
}

fn line_length(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Returns the length of a string literal with its quotes; 1 for a lone quote.
fn string_length(text: &[u8]) -> usize {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    1
}

/// Iterates over the characters of `text` outside all brackets but braces, and over the outermost brackets
/// themselves.
fn at_depth_0(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut depth = 0_usize;
    let mut before = ' ';
    text.char_indices().filter(move |&(_, c)| {
        let is_arrow = c == '>' && (before == '-' || before == '=');
        before = c;
        match c {
            '(' | '[' | '<' => {
                depth += 1;
                depth == 1
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            '>' if !is_arrow => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            _ => depth == 0,
        }
    })
}

/// Returns the start and the end of each word of `text` at depth 0.
fn words_at_depth_0(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in at_depth_0(text).filter(|(_, c)| is_word(*c)) {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(last) if last.1 == at => last.1 = end,
            _ => words.push((at, end)),
        }
    }
    words
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the byte at which the head ends: at its body, or at what ends a declaration without one.
fn head_end(blank: &str, language: &LanguageProfile) -> usize {
    let brace = at_depth_0(blank).find(|(_, c)| matches!(c, '{' | ';')).map_or(blank.len(), |(at, _)| at);
    let words = words_at_depth_0(&blank[..brace]);
    words
        .into_iter()
        .find(|&(from, to)| blank[from..to] == *language.heads.end_word)
        .map_or(brace, |(from, _)| from)
}

/// Returns the byte range of the bases behind `extends` or `implements` in a head.
fn keyword_list(blank: &str, language: &LanguageProfile) -> Option<(usize, usize)> {
    let end = head_end(blank, language);
    let head = &blank[..end];
    let words = words_at_depth_0(head);
    let opener = words.into_iter().find(|&(from, to)| matches!(&head[from..to], "extends" | "implements"))?;
    Some((opener.1, end))
}

/// Returns the byte range of the bases behind the colon in a head.
fn colon_list(blank: &str, language: &LanguageProfile) -> Option<(usize, usize)> {
    let end = head_end(blank, language);
    let head = &blank[..end];
    let is_single = |at: usize| !head[..at].ends_with(':') && !head[at + 1..].starts_with(':');
    let colon = at_depth_0(head).find(|&(at, c)| c == ':' && is_single(at))?;
    // Excludes Kotlin's `typealias A = B`. The default of a constructor's parameter stands in brackets.
    let is_alias = at_depth_0(&head[..colon.0]).any(|(_, c)| c == '=');
    (!is_alias).then_some((colon.0 + 1, end))
}

/// Returns the byte range of the bases in `class A[T](B, c.D):`.
fn python_list(blank: &str) -> Option<(usize, usize)> {
    let mut brackets = at_depth_0(blank);
    let open = brackets.find(|(_, c)| matches!(c, '(' | ':' | '\n'))?;
    if open.1 != '(' {
        return None;
    }
    let close = brackets.find(|&(_, c)| c == ')')?;
    Some((open.0 + 1, close.0))
}

/// Returns the byte range of the trait in `impl<T> a::Trait<T> for Type {`.
fn impl_list(blank: &str) -> Option<(usize, usize)> {
    let words = words_at_depth_0(&blank[..blank.find('{').unwrap_or(blank.len())]);
    let first = words.iter().find(|&&(from, to)| &blank[from..to] == "impl")?;
    let last = words.iter().find(|&&(from, to)| &blank[from..to] == "for")?;
    // Skips the generic parameters of `impl`.
    let from = match blank[first.1..].trim_start().strip_prefix('<') {
        None => first.1,
        Some(_) => at_depth_0(&blank[first.1..]).find(|(_, c)| *c == '>').map(|(at, _)| first.1 + at + 1)?,
    };
    (from < last.0).then_some((from, last.0))
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

/// Reads the bases of a list, the range `from..to` of `blank`. `offset` is the byte of the file at which
/// `blank` begins.
fn read(
    blank: &str,
    (from, to): (usize, usize),
    language: &LanguageProfile,
    offset: u32,
) -> Vec<WrittenBase> {
    let list = &blank[from..to];
    let mut cuts: Vec<(usize, usize)> = at_depth_0(list)
        .filter(|&(_, c)| c == language.heads.separator)
        .map(|(at, _)| (at, at + 1))
        .collect();
    if language.heads.list == BaseList::Keywords {
        let words = words_at_depth_0(list).into_iter();
        cuts.extend(words.filter(|&(from, to)| matches!(&list[from..to], "extends" | "implements")));
        cuts.sort_unstable();
    }
    cuts.push((list.len(), list.len()));
    let mut bases = Vec::new();
    let mut begin = 0;
    for (end, next) in cuts {
        let text = &list[begin..end];
        if let Some((chain, first, last)) = item(text, begin, language).map(|(chain, first)| {
            let last = first + chain_end(&list[first..]);
            (chain, first, last)
        }) {
            let at = |at: usize| u32::try_from(from + at).ok().and_then(|at| at.checked_add(offset));
            let name = chain.rsplit('.').next().unwrap_or("").len();
            let start = if chain.is_empty() { first } else { last.saturating_sub(name) };
            let last = if chain.is_empty() { begin + text.trim_end().len() } else { last };
            if let (Some(start), Some(end), Some(first)) = (at(start), at(last), at(first)) {
                bases.push(WrittenBase { range: TextRange::new(start, end.max(start)), chain, start: first });
            }
        }
        begin = next;
    }
    bases
}

/// Reads one base of a list: its chain of names, empty for a computed base, and the byte at which it begins.
/// `None` for an item that is no base.
fn item(text: &str, begin: usize, language: &LanguageProfile) -> Option<(String, usize)> {
    let rules = &language.heads;
    let are_arguments = rules.list == BaseList::Arguments;
    let mut rest = text.trim_start();
    if are_arguments && at_depth_0(rest).any(|(_, c)| c == '=') {
        return None;
    }
    loop {
        rest = rest.trim_start();
        let word = rest.find(|c| !is_word(c)).map_or(rest, |end| &rest[..end]);
        if MODIFIERS.contains(&word) {
            rest = &rest[word.len()..];
        } else if rest.starts_with('@') && !are_arguments {
            // Skips an annotation with its arguments.
            let name = rest[1..].find(|c| !(is_word(c) || c == '.')).map_or(rest.len(), |end| end + 1);
            let takes = rest[name..].starts_with('(');
            let end = at_depth_0(&rest[name..]).find(|&(_, c)| c == ')').map_or(0, |(at, _)| at + 1);
            rest = &rest[name + if takes { end } else { 0 }..];
        } else if let Some(global) = rest.strip_prefix("::") {
            rest = global;
        } else {
            break;
        }
    }
    if rest.is_empty() || (rules.has_lifetimes && rest.starts_with(['\'', '?'])) {
        return None;
    }
    let first = begin + text.len() - rest.len();
    let mut chain = String::new();
    let mut behind = rest;
    loop {
        let name = behind.find(|c| !is_word(c)).map_or(behind, |end| &behind[..end]);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Some((String::new(), first));
        }
        if !chain.is_empty() {
            chain.push('.');
        }
        chain.push_str(name);
        behind = &behind[name.len()..];
        let open = behind.trim_start();
        let next = open.strip_prefix("::").or_else(|| open.strip_prefix('.'));
        match next {
            Some(next) if !next.trim_start().starts_with('<') => behind = next.trim_start(),
            _ => break,
        }
    }
    let mut behind = behind.trim_start();
    if behind.starts_with(rules.type_bracket) {
        let close = at_depth_0(behind).nth(1).map_or(behind.len(), |(at, c)| at + c.len_utf8());
        behind = behind[close..].trim_start();
    }
    let is_named = match are_arguments {
        true => behind.is_empty(),
        false if behind.starts_with('(') => rules.bases_call_constructors,
        // `Outer<T>.Inner` is not resolved here.
        false => !behind.starts_with(['.', ':', '[']),
    };
    Some((if is_named { chain } else { String::new() }, first))
}

/// Returns the byte at which the chain of names at the beginning of `text` ends.
fn chain_end(text: &str) -> usize {
    let mut end = 0;
    loop {
        let name = text[end..].find(|c| !is_word(c)).map_or(text.len(), |at| end + at);
        let behind = text[name..].trim_start();
        let next = behind.strip_prefix("::").or_else(|| behind.strip_prefix('.')).map(str::trim_start);
        match next.filter(|next| next.starts_with(is_word) && name > end) {
            Some(next) => end = text.len() - next.len(),
            None => return name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
