//! Locals that the outline does not list, detected by the text around their names: parameters and variables
//! of every language but Python, and in Python those of lambdas and comprehensions. Those of Rust, Go, JavaScript and
//! TypeScript come from the syntax tree (`rust_locals`, `scoped_locals`). Invariant: a name is
//! certainly a local only where a visible binding is found; in the rest of the function it is possibly one,
//! so that no use is lost.

use super::blocks;
use super::brackets::{close_bracket, open_bracket};
use super::context::{first_word, last_word, text_after, text_before};
use super::cpp;
use super::enclosing::enclosing_row;
use super::family::Family;
use super::profiles::LocalSearch;
use super::resolver::{CurrentFile, Resolver};
use super::scoped_locals;
use crate::kotlin;
use crate::kotlin::code::closing;
use crate::rust;
use symd_base::TextRange;
use symd_syntax::{SymbolKind, is_short_template};

/// How far to search for the words of a binding, in bytes.
const MAX_NEAR: usize = 300;
/// How many nested brackets of a pattern are searched: a name nested deeper binds nothing.
pub(super) const MAX_NESTED: usize = 16;
/// How many bytes and rows may be read for all locals of one name in a file. Code that people write needs a
/// thousandth of it.
const MAX_STEPS: usize = 32 << 20;

/// A part of a text in bytes: inclusive start, exclusive end.
pub(super) type ByteSpan = (usize, usize);

/// Where locals of one name that the outline does not list are in scope.
#[derive(Debug, Default)]
pub(super) struct LocalScopes {
    /// Ranges in which the name is certainly a local.
    pub(super) sure: Vec<TextRange>,
    /// Ranges in which it is possibly one: the functions around its declarations.
    pub(super) doubtful: Vec<TextRange>,
}

/// Whether a name is a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locality {
    Yes,
    Perhaps,
    No,
}

impl LocalScopes {
    /// Whether the name is a local at byte `at`.
    pub(super) fn at(&self, at: u32) -> Locality {
        let holds = |scope: &TextRange| scope.start <= at && at < scope.end;
        match (self.sure.iter().any(holds), self.doubtful.iter().any(holds)) {
            (true, _) => Locality::Yes,
            (false, true) => Locality::Perhaps,
            (false, false) => Locality::No,
        }
    }
}

/// Finds where in the file a local called `name` that the outline does not list is in scope.
pub(super) fn scopes(resolver: &Resolver, here: &CurrentFile, name: &str) -> LocalScopes {
    let search = here.language.locals;
    match search {
        LocalSearch::RustPatterns => return rust::locals::scopes(resolver, here, name),
        LocalSearch::TreeScopes => return scoped_locals::scopes(resolver, here, name),
        _ => {}
    }
    let text = here.text.as_str();
    let mut scopes = LocalScopes::default();
    let mut steps = 0;
    for start in here.outline.occurrences.offsets_of(name) {
        let start = start as usize;
        let end = start + name.len();
        steps += here.outline.rows.len() + scopes.sure.len();
        let is_known = scopes.sure.iter().any(|scope| scope.as_range().contains(&start));
        if text.get(start..end) != Some(name) || is_known {
            continue;
        }
        let around = around(here, start);
        // The search for what is visible reads up to the function's end.
        steps += around.map_or(0, |row| (here.outline.rows[row].end as usize).saturating_sub(start));
        if steps > MAX_STEPS {
            scopes.doubtful = range((0, text.len())).into_iter().collect();
            break;
        }
        let is_no_row = || !is_row(here, start) || is_parameter_property(text, start);
        let found = match search {
            LocalSearch::PythonExpressions => python(here, start, end, resolver.family),
            _ if is_short_template(here.grammar, text, start) => Vec::new(),
            LocalSearch::KotlinCode => {
                around.map_or_else(Vec::new, |around| kotlin(here, (start, end), around))
            }
            LocalSearch::Declarators if is_no_row() => {
                let Some(around) = around else { continue };
                declarators(here, (start, end), around, &mut scopes.doubtful)
            }
            _ if !binds(text, (start, end), search, resolver.family) || !is_no_row() => Vec::new(),
            _ => {
                let Some(around) = around else { continue };
                let row = &here.outline.rows[around];
                scopes.doubtful.push(TextRange::new(row.start, row.end));
                let function = (row.start as usize, row.end as usize);
                blocks::visible(text, (start, end), function).into_iter().filter_map(range).collect()
            }
        };
        if !found.is_empty() && is_no_row() {
            scopes.sure.extend(found);
        }
    }
    scopes
}

fn range((from, to): (usize, usize)) -> Option<TextRange> {
    let (from, to) = (u32::try_from(from).ok()?, u32::try_from(to).ok()?);
    Some(TextRange::new(from.min(to), to))
}

fn is_row(here: &CurrentFile, start: usize) -> bool {
    here.outline.rows.iter().any(|row| row.name_start as usize == start)
}

/// Returns the row of the innermost function or class around a place, else the narrowest row around it.
fn around(here: &CurrentFile, start: usize) -> Option<usize> {
    let at = u32::try_from(start).ok()?;
    let rows = &here.outline.rows;
    // The outline does not list `const f = (name) => …` as a function.
    let holds = |row: &usize| rows[*row].start <= at && at < rows[*row].end;
    let narrowest = || (0..rows.len()).filter(holds).min_by_key(|&row| rows[row].end - rows[row].start);
    enclosing_row(&here.outline, at).or_else(narrowest)
}

/// Returns where a name of C or C++ that is bound at `start..end` is visible; adds to `doubtful` where it may be.
fn declarators(
    here: &CurrentFile,
    (start, end): ByteSpan,
    around: usize,
    doubtful: &mut Vec<TextRange>,
) -> Vec<TextRange> {
    let (text, row) = (here.text.as_str(), &here.outline.rows[around]);
    if cpp::follows_directive(text, start) {
        return Vec::new();
    }
    if cpp::is_template_parameter(text, (start, end), is_type_word) {
        return vec![row.range()];
    }
    let is_function =
        matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    let is_in_function = is_function && (row.name_start as usize) < start;
    let is_local = is_in_function && cpp::is_local_declarator(text, (start, end), is_type_word);
    let is_bound = is_local || binds(text, (start, end), LocalSearch::Declarators, Family::C);
    if is_bound || is_in_function && cpp::may_be_declarator(text, (start, end), is_type_word) {
        doubtful.push(row.range());
    }
    if !is_bound {
        return Vec::new();
    }
    let function = (row.start as usize, row.end as usize);
    blocks::visible(text, (start, end), function).into_iter().filter_map(range).collect()
}

fn kotlin(here: &CurrentFile, (start, end): ByteSpan, around: usize) -> Vec<TextRange> {
    let text = here.text.as_str();
    let left = text_before(text, start, Family::Jvm);
    let is_listed = left.ends_with(['{', ',', '(']) && arrow_follows(text_after(text, end));
    let lambda = if is_listed { lambda_around(text, start) } else { None };
    let lambda = lambda.map(|open| (open, closing(text, open, here.outline.rows[around].end as usize)));
    kotlin::locals::visible(here, (start, end), around, lambda).into_iter().filter_map(range).collect()
}

/// Returns where a name is visible that a comprehension or lambda binds at `start..end`: for a comprehension,
/// within its brackets except in its first iterable; for a lambda, up to the end of the brackets around it,
/// or of its line.
fn python(here: &CurrentFile, start: usize, end: usize, family: Family) -> Vec<TextRange> {
    match for_before(here.text.as_str(), start, end) {
        Some(at) => of_comprehension(here, at),
        None => of_lambda(here.text.as_str(), start, end, family).and_then(range).into_iter().collect(),
    }
}

/// Finds the `for` that binds the name as a target, as a byte offset.
fn for_before(text: &str, start: usize, end: usize) -> Option<usize> {
    let near = floor(text, start.saturating_sub(MAX_NEAR));
    let left = &text[near..start];
    let is_target = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_,()*".contains(c);
    let at = rfind_word(left, "for")?;
    let targets = &left[at + 3..];
    let right = &text[end..floor(text, (end + MAX_NEAR).min(text.len()))];
    let others = find_word(right, "in").map(|at| &right[..at]);
    let is_it = targets.chars().all(is_target)
        && find_word(targets, "in").is_none()
        && others.is_some_and(|others| others.chars().all(is_target));
    is_it.then_some(near + at)
}

/// Returns where the targets of the `for` at byte `at` are visible: nowhere if it is a statement.
fn of_comprehension(here: &CurrentFile, at: usize) -> Vec<TextRange> {
    let text = here.text.as_str();
    let inside = |range: TextRange| range.as_range().contains(&at);
    let around = here.comprehensions().iter().filter(|one| inside(one.range));
    if let Some(innermost) = around.min_by_key(|one| one.range.end - one.range.start) {
        return innermost.inside().to_vec();
    }
    // The bracket is not recognized as a comprehension.
    let open = open_bracket(text, at);
    open.and_then(|open| range((open, close_bracket(text, open)))).into_iter().collect()
}

fn of_lambda(text: &str, start: usize, end: usize, family: Family) -> Option<(usize, usize)> {
    let near = floor(text, start.saturating_sub(MAX_NEAR));
    let left = &text[near..start];
    let at = rfind_word(left, "lambda")?;
    let is_default = text_before(text, start, family).ends_with('=');
    if left[at..].contains(':') || is_default || !text_after(text, end).starts_with([',', ':', '=']) {
        return None;
    }
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    Some((near + at, open_bracket(text, near + at).map_or(line_end, |open| close_bracket(text, open))))
}

/// Whether the text binds the name at `start..end`, as a local or as a parameter.
fn binds(text: &str, (start, end): ByteSpan, search: LocalSearch, family: Family) -> bool {
    let left = text_before(text, start, family);
    let right = text_after(text, end);
    let word = last_word(left);
    let in_list = left.ends_with(['(', ',']) || left.ends_with("...");
    match search {
        LocalSearch::Java => {
            let is_lambda = right.starts_with("->") || in_list && closes_into(text, end, &["->"]);
            let is_pattern = right.starts_with("&&")
                && find_word(left.rsplit('\n').next().unwrap_or(""), "instanceof").is_some();
            is_lambda && word != "case"
                || is_typed_like_c(left, right)
                || (is_pattern && !word.is_empty() && word != "instanceof")
                || left.ends_with("...")
        }
        LocalSearch::TypesFirst => is_typed_like_c(left, right) || right.starts_with("=>"),
        LocalSearch::Declarators => {
            let is_other = || {
                cpp::is_tagged(text, start)
                    || cpp::is_inner_parameter(text, start)
                    || cpp::is_extern(text, start)
            };
            is_typed_like_c(left, right) && !is_other()
                || cpp::is_declarator(text, (start, end), is_type_word)
        }
        LocalSearch::RustPatterns
        | LocalSearch::TreeScopes
        | LocalSearch::PythonExpressions
        | LocalSearch::KotlinCode => false,
    }
}

/// Whether a word may name a type, as far as the word tells.
fn is_type_word(word: &str) -> bool {
    const NO_TYPES: [&str; 50] = [
        "return",
        "new",
        "throw",
        "case",
        "else",
        "in",
        "is",
        "as",
        "await",
        "yield",
        "goto",
        "instanceof",
        "delete",
        "import",
        "package",
        "using",
        "class",
        "interface",
        "enum",
        "struct",
        "object",
        "fun",
        "typedef",
        "and",
        "or",
        "not",
        "by",
        "typeof",
        "extends",
        "implements",
        "permits",
        "throws",
        "assert",
        "sizeof",
        "nameof",
        "ref",
        "out",
        "namespace",
        "friend",
        "do",
        "co_await",
        "co_return",
        "co_yield",
        "const",
        "volatile",
        "static",
        "extern",
        "mutable",
        "constexpr",
        "register",
    ];
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && !NO_TYPES.contains(&word)
}

/// Whether two words in a row declare a name: `Type name =`, `Type name;`, `Type name,`, `Type name)`.
fn is_typed_like_c(left: &str, right: &str) -> bool {
    let is_type = is_type_word(last_word(left)) || left.ends_with(']') || ends_with_type_arguments(left);
    let is_end = right.starts_with(['=', ';', ',', ')', ':', '[']);
    is_type && is_end && !right.starts_with("==") && !right.starts_with("::") && !is_deleted_array(left)
}

/// Whether the text ends with C++'s `delete[]`.
fn is_deleted_array(left: &str) -> bool {
    let array = left.strip_suffix(']').and_then(|left| left.trim_end().strip_suffix('['));
    array.is_some_and(|left| last_word(left.trim_end()) == "delete")
}

/// Whether the text ends with the arguments of a type, `List<String>`, and not with the sign of a comparison:
/// `size >`.
pub(super) fn ends_with_type_arguments(left: &str) -> bool {
    if !left.ends_with('>') {
        return false;
    }
    let near = &left[floor(left, left.len().saturating_sub(MAX_NEAR))..];
    let mut depth = 0_usize;
    for (at, c) in near.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' if depth == 1 => return !last_word(&near[..at]).is_empty(),
            '<' => depth -= 1,
            _ if c.is_alphanumeric() || c.is_whitespace() || "_$.,:?&*[]@".contains(c) => {}
            _ => return false,
        }
    }
    false
}

/// Whether only names and types, as of a lambda's parameters, stand before an arrow.
fn arrow_follows(right: &str) -> bool {
    let Some(at) = right.get(..floor(right, MAX_NEAR.min(right.len()))).and_then(|near| near.find("->"))
    else {
        return false;
    };
    right[..at].chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || "_,:?<>)(.*".contains(c))
}

/// Finds the brace around `start`, if it opens a lambda and not the branches of a `when`. A name that begins
/// with a capital letter is no local.
fn lambda_around(text: &str, start: usize) -> Option<usize> {
    if text[start..].starts_with(char::is_uppercase) {
        return None;
    }
    let mut open = open_bracket(text, start)?;
    if text[open..].starts_with('(') && text_before(text, open, Family::Jvm).ends_with(['{', ',']) {
        // `{ (a, b) -> … }`
        open = open_bracket(text, open)?;
    }
    let left = text_before(text, open, Family::Jvm);
    let head = match left.strip_suffix(')') {
        Some(inner) => {
            open_bracket(text, inner.len()).map_or(left, |open| text_before(text, open, Family::Jvm))
        }
        None => left,
    };
    (text[open..].starts_with('{') && last_word(head) != "when").then_some(open)
}

/// Whether the name is a property that a TypeScript constructor's parameter declares:
/// `constructor(private name: Type)`.
pub(super) fn is_parameter_property(text: &str, start: usize) -> bool {
    let word = last_word(text_before(text, start, Family::Ecma));
    matches!(word, "private" | "public" | "protected" | "readonly" | "override")
        && open_bracket(text, start).is_some_and(|open| text[open..].starts_with('('))
}

/// Whether the parenthesis around `end` closes directly before one of `tokens`.
fn closes_into(text: &str, end: usize, tokens: &[&str]) -> bool {
    let Some(open) = open_bracket(text, end) else { return false };
    let close = close_bracket(text, open);
    let rest = text.get(close..).unwrap_or("").trim_start();
    text[open..].starts_with('(') && tokens.iter().any(|token| rest.starts_with(token))
}

fn rfind_word(text: &str, word: &str) -> Option<usize> {
    let places = memchr::memmem::find_iter(text.as_bytes(), word);
    places.filter(|&at| is_whole(text, at, word)).last()
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), word).find(|&at| is_whole(text, at, word))
}

fn is_whole(text: &str, at: usize, word: &str) -> bool {
    last_word(&text[..at]).is_empty() && first_word(&text[at + word.len()..]).is_empty()
}

/// Returns the nearest character boundary at or below byte `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
