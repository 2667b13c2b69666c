//! Where Kotlin's locals and parameters are visible. Invariant: a name is visible behind the statement that
//! binds it, in the enclosing block; a class's parameters, in the code that runs when an object is created.
//! Where the text is not understood, a name is visible in the whole function.

use crate::binders::ByteSpan;
use crate::brackets::{open_bracket, open_parenthesis};
use crate::context::{first_word, last_word, text_after, text_before};
use crate::enclosing::is_enclosing;
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::kotlin::code::{KotlinCode, block_end, closing, statement_end};
use crate::resolver::CurrentFile;
use symd_syntax::Row;

/// Returns where the local that the name at `start..end` binds is visible, the name included; empty where the
/// name binds none. `around` is the row of the function or class around it; `lambda` is the lambda whose
/// parameter it is.
pub(crate) fn visible(
    here: &CurrentFile,
    (start, end): ByteSpan,
    around: usize,
    lambda: Option<ByteSpan>,
) -> Vec<ByteSpan> {
    let text = here.text.as_str();
    let row = &here.outline.rows[around];
    let limit = row.end as usize;
    let left = text_before(text, start, Family::Jvm);
    if let Some(lambda) = lambda {
        return vec![lambda];
    }
    match last_word(left) {
        // An extension property: `val Receiver<*>.name`.
        "val" | "var" if text_after(text, end).starts_with(['.', '<', '?']) => return Vec::new(),
        "val" | "var" => {
            let statement = left[..left.len() - 3].trim_end();
            return of_variable(text, (start, end), end, statement, limit);
        }
        _ if left.ends_with('(') && is_word_before(text, left, "for") => {
            return of_header(text, (start, end), left.len() - 1, limit);
        }
        _ => {}
    }
    let Some(open) = list_around(text, start, left) else { return Vec::new() };
    let head = text_before(text, open, Family::Jvm);
    let is_typed = is_typed(text, end);
    match last_word(head) {
        // `val (a, b) = pair`
        "val" | "var" => {
            let statement = head[..head.len() - 3].trim_end();
            of_variable(text, (start, end), closing(text, open, limit) + 1, statement, limit)
        }
        // `(name: Type) -> Result` is a type.
        _ if text_after(text, closing(text, open, limit) + 1).starts_with("->") => vec![(start, end)],
        // An annotation of a parameter, or of the function, does not see the parameters.
        _ if head[..head.len() - last_word(head).len()].ends_with('@') => Vec::new(),
        "catch" => of_header(text, (start, end), open, limit),
        "set" if is_accessor(text, head, open) => of_header(text, (start, end), open, limit),
        // `for ((a, b) in all)`
        "" if head.ends_with('(') && is_word_before(text, head, "for") => {
            of_header(text, (start, end), head.len() - 1, limit)
        }
        _ if !is_typed => Vec::new(),
        "fun" => of_header(text, (start, end), open, limit),
        "" if head.ends_with('.') => of_header(text, (start, end), open, limit),
        "" if !head.ends_with(['>', '`']) => Vec::new(),
        // A local function, which the outline does not list.
        name if is_local_function(head, name, row) => of_header(text, (start, end), open, limit),
        _ if is_class(row) => of_class(here, around),
        _ => vec![(open, limit)],
    }
}

/// Whether `set` at the end of `head` begins an accessor: only modifiers precede it on its line, and it has
/// one parameter.
fn is_accessor(text: &str, head: &str, open: usize) -> bool {
    let line = head[..head.len() - "set".len()].rsplit(['\n', ';']).next().unwrap_or("");
    let is_modifier =
        |word: &str| matches!(word, "private" | "protected" | "internal" | "inline") || word.starts_with('@');
    let list = &text[open..closing(text, open, text.len())];
    line.split_whitespace().all(is_modifier) && !list.contains(',')
}

/// Whether `head` ends with `fun name`, the head of a function other than the one in `row`.
fn is_local_function(head: &str, name: &str, row: &Row) -> bool {
    let start = head.len() - name.len();
    let line = head[..start].rsplit(['\n', ';', '{', '}']).next().unwrap_or("");
    row.name_start as usize != start && line.split_whitespace().any(|word| word == "fun")
}

/// Finds the parenthesis of a list that contains the name directly: behind the parenthesis, a comma, a
/// modifier or an annotation.
fn list_around(text: &str, start: usize, left: &str) -> Option<usize> {
    let is_in_list = left.ends_with(['(', ','])
        || matches!(last_word(left), "vararg" | "noinline" | "crossinline")
        // An annotation of a parameter: `(@Some name: Type)`.
        || left.ends_with(')')
        || !last_word(left).is_empty() && left[..left.len() - last_word(left).len()].ends_with('@');
    let open = open_parenthesis(text, start)?;
    is_in_list.then_some(open)
}

fn is_typed(text: &str, end: usize) -> bool {
    let right = text_after(text, end);
    right.starts_with(':') && !right.starts_with("::")
}

/// Whether `word` stands before the parenthesis that `text` ends with.
fn is_word_before(text: &str, left: &str, word: &str) -> bool {
    last_word(text_before(text, left.len() - 1, Family::Jvm)) == word
}

/// Returns where `val name = …` is visible: from behind its statement to the end of the block; as the subject
/// of a `when`, in its branches.
fn of_variable(text: &str, name: ByteSpan, from: usize, statement: &str, limit: usize) -> Vec<ByteSpan> {
    let end = statement_end(text, from, limit);
    if statement.ends_with('(') {
        let body = KotlinCode::new(text, end + 1, limit).find(|(_, byte)| *byte == b'{');
        let body = body.map(|(brace, _)| (end, closing(text, brace, limit)));
        return std::iter::once(name).chain(body).collect();
    }
    let close = block_end(text, end, limit);
    // The condition of `do { val name = … } while (name)` sees the name.
    let behind_block = text_after(text, close + 1);
    let close = match first_word(behind_block) == "while" && is_do(text, from) {
        true => closing(text, text.len() - behind_block.len() + "while".len(), limit),
        false => close,
    };
    vec![name, (end, close)]
}

/// Whether the block around byte `at` is that of a `do`.
fn is_do(text: &str, at: usize) -> bool {
    open_bracket(text, at).is_some_and(|open| last_word(text_before(text, open, Family::Jvm)) == "do")
}

/// Returns where a name that the parenthesis at `open` binds is visible: in the body behind it, of a loop, a
/// `catch`, a setter, or an anonymous or local function.
fn of_header(text: &str, name: ByteSpan, open: usize, limit: usize) -> Vec<ByteSpan> {
    let close = closing(text, open, limit);
    let mut body = KotlinCode::new(text, close + 1, limit).filter(|(_, byte)| !byte.is_ascii_whitespace());
    let end = match body.next() {
        Some((brace, b'{')) => closing(text, brace, limit),
        // `= expression`, `: Type { … }`, a statement without braces.
        Some((first, _)) => statement_end(text, first, limit),
        None => limit,
    };
    vec![name, (close, end)]
}

/// Returns where the parameters in a class's head are visible: in the head, in property initializers and in
/// `init`; not in the functions, accessors and classes of the class.
fn of_class(here: &CurrentFile, class: usize) -> Vec<ByteSpan> {
    let text = here.text.as_str();
    let rows = &here.outline.rows;
    let members = rows.iter().filter(|row| row.parent() == Some(class));
    let mut hidden: Vec<ByteSpan> = members
        .filter_map(|row| {
            let (start, end) = (row.start as usize, row.end as usize);
            match is_enclosing(row) {
                true => Some((start, end)),
                false => accessor(text, row.name_start as usize + usize::from(row.name_len), end)
                    .map(|at| (at, end)),
            }
        })
        .collect();
    hidden.sort_unstable();
    let mut at = rows[class].start as usize;
    let mut visible = Vec::new();
    for (start, end) in hidden {
        if at < start {
            visible.push((at, start));
        }
        at = at.max(end);
    }
    visible.push((at, (rows[class].end as usize).max(at)));
    visible
}

/// Words that a value follows.
const OPERATORS: [&str; 7] = ["else", "in", "is", "as", "return", "throw", "by"];

/// Finds the first accessor, `get` or `set`, of the property whose name ends at byte `from`, behind its type
/// or its initializer.
fn accessor(text: &str, from: usize, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    // Just past the last byte that is no white space.
    let mut last = from;
    for (at, byte) in KotlinCode::new(text, from, end) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'g' | b's' if depth == 0 && at > last => {
                let rest = text.get(at..end).unwrap_or("");
                let is_called = text_after(text, at + 3).starts_with('(');
                let before = text.get(from..last).unwrap_or("");
                // `= get()` calls a function of that name.
                let is_in_line = !text.get(last..at).unwrap_or("").contains('\n');
                let is_operand = before
                    .ends_with(['=', '+', '-', '*', '/', '%', '&', '|', ',', '.', ':', '<', '!'])
                    || is_in_line && before.ends_with([')', '>', '}'])
                    || OPERATORS.contains(&last_word(before));
                if matches!(first_word(rest), "get" | "set") && is_called && !is_operand {
                    return Some(at);
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = at + 1;
        }
    }
    None
}
