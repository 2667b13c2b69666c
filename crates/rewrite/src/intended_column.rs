//! Determines the column that a given text was written for, from the lines after its first: in languages with
//! braces the closing brace is at that column, in Python a block is one level deeper. Invariant: where the
//! lines are consistent with the symbol's own column, that is the result.

use super::block::{BlockLine, TextBlock};

/// Where to put a given text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In place of a symbol's text: its first line gets the symbol's column, whatever precedes it.
    Replace,
    /// On lines of its own before the symbol.
    Before,
    /// On lines of its own after the symbol.
    After,
}

/// The position for which a text may have been written.
#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolColumn<'a> {
    /// The symbol's column, in characters.
    pub(super) column: usize,
    /// The width of an indentation level.
    pub(super) level: usize,
    pub(super) placing: Placement,
    /// The text that is replaced.
    pub(super) replaced_text: Option<&'a TextBlock<'a>>,
}

/// Returns the column that `body` was written for; `None` where its lines do not determine it.
pub(super) fn intended_column(body: &TextBlock<'_>, column: SymbolColumn<'_>) -> Option<usize> {
    let (first, further) = body.lines.split_first()?;
    let own = Some(first.width()).filter(|&width| width > 0 || column.placing != Placement::Replace);
    let code: Vec<&BlockLine<'_>> = further.iter().filter(|line| line.is_code(body.grammar)).collect();
    let Some(least) = code.iter().map(|line| line.width()).min() else {
        return match column.placing {
            Placement::Before | Placement::After => own,
            Placement::Replace => column_by_continuation(body, column, own),
        };
    };
    let is_flush = opens_nothing(body, first)
        || code[0].width() > least
        || code.iter().filter(|line| line.width() == least).all(|line| is_bracket(line));
    match (column.placing, own) {
        (Placement::Before | Placement::After, Some(own)) => {
            Some(column_beside(body, column, own, least, is_flush))
        }
        _ if is_flush => Some(least),
        _ if !body.grammar.rules().has_indented_blocks => column_by_continuation(body, column, own),
        _ => {
            let steps = [Some(column.level), body.step()];
            let fits = |at: &usize| steps.iter().flatten().any(|step| least == at + step);
            let known = [Some(column.column), own].into_iter().flatten().find(fits);
            Some(known.unwrap_or_else(|| least.saturating_sub(body.step().unwrap_or(column.level))))
        }
    }
}

/// Returns the column of a text on lines of its own: that of its first line, unless only the first line has
/// lost its white space.
fn column_beside(
    body: &TextBlock<'_>,
    column: SymbolColumn<'_>,
    own: usize,
    least: usize,
    is_flush: bool,
) -> usize {
    if least <= own {
        return least;
    }
    if is_flush {
        return if own == 0 { least } else { own };
    }
    // The continuation of an expression may be two levels deeper.
    let twice = (!body.grammar.rules().has_indented_blocks).then_some(2 * column.level);
    let is_own = [Some(column.level), body.step(), twice].into_iter().flatten().any(|step| least == step);
    if own == 0 && !is_own && least == column.column + column.level { column.column } else { own }
}

/// Returns the column of a text whose further lines continue its first: determined by lines that also occur
/// in the present text, by the bracket to which they are aligned, or by one or two levels.
fn column_by_continuation(
    body: &TextBlock<'_>,
    column: SymbolColumn<'_>,
    own: Option<usize>,
) -> Option<usize> {
    let (first, further) = body.lines.split_first()?;
    let is_told =
        |line: &&BlockLine<'_>| line.is_code(body.grammar) || line.kind == symd_syntax::LineKind::Continued;
    let lines: Vec<&BlockLine<'_>> = further.iter().filter(is_told).collect();
    let least = lines.iter().map(|line| line.width()).min()?;
    if let Some(found) =
        column.replaced_text.and_then(|present| column_by_present_text(&lines, present, column.column))
    {
        return Some(found);
    }
    if lines.iter().filter(|line| line.width() == least).all(|line| is_bracket(line)) {
        return Some(least);
    }
    let aligned = open_bracket(first.rest).map(|at| at + 1).filter(|&at| !first.rest[at..].trim().is_empty());
    let depths: Vec<usize> = match aligned {
        Some(depth) => vec![depth],
        None => vec![column.level, 2 * column.level],
    };
    let known: Vec<usize> = [Some(column.column), own].into_iter().flatten().collect();
    let fits = |depth: &usize| known.iter().copied().find(|at| least == at + depth);
    depths.iter().find_map(fits).or_else(|| least.checked_sub(depths[0])).or(Some(0))
}

/// Returns the column that follows from lines that also occur in the present text, if they all agree.
fn column_by_present_text(lines: &[&BlockLine<'_>], present: &TextBlock<'_>, at: usize) -> Option<usize> {
    let mut found = None;
    for line in lines {
        let mut same = present.lines.iter().skip(1).filter(|other| other.rest == line.rest);
        let (Some(other), None) = (same.next(), same.next()) else { continue };
        let column = (at + line.width()).checked_sub(other.width())?;
        if *found.get_or_insert(column) != column {
            return None;
        }
    }
    found
}

/// Whether the lines after the first are at its level, because the first is a comment, an annotation, a
/// decorator or a whole statement.
fn opens_nothing(body: &TextBlock<'_>, first: &BlockLine<'_>) -> bool {
    const OPENERS: [&str; 9] = ["async", "class", "def", "for", "if", "match", "try", "while", "with"];
    let rest = first.rest.trim_end();
    if body.grammar.rules().has_indented_blocks {
        let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        return !OPENERS.contains(&word);
    }
    let is_comment = rest.starts_with("//") || rest.starts_with("/*");
    let is_attribute = (rest.starts_with("#[") || rest.starts_with('[')) && rest.ends_with(']');
    let is_template = rest.starts_with("template") && rest.ends_with('>');
    is_comment || is_attribute || is_template || is_annotation(rest)
}

/// Whether the line is only an annotation: `@A`, `@a.B(1, "x")`.
fn is_annotation(rest: &str) -> bool {
    let Some(named) = rest.strip_prefix('@') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let behind = named.trim_start_matches(is_name);
    behind.is_empty() || (behind.starts_with('(') && open_bracket(behind).is_none() && behind.ends_with(')'))
}

fn is_bracket(line: &BlockLine<'_>) -> bool {
    line.rest.starts_with(['}', ')', ']', '{'])
}

/// Returns the last bracket of `line` that is not closed on it, ignoring quoted ones.
fn open_bracket(line: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(quoted), c) if c == quoted => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push(at),
            (None, ')' | ']' | '}') => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, line_kinds};

    fn told(grammar: &str, text: &str, placing: Placement, at: usize) -> Option<usize> {
        let grammar = Grammar::named(grammar).expect("known");
        let kinds = line_kinds(grammar, text.trim_start(), &Cancel::new()).expect("parsed");
        let body = TextBlock::new(grammar, text, &kinds);
        intended_column(&body, SymbolColumn { column: at, level: 4, placing, replaced_text: None })
    }

    #[test]
    fn what_replaces_a_symbol_tells_by_its_further_lines() {
        for (grammar, text, at, expected) in [
            ("python", "def f():\n    return 1", 4, Some(0)),
            ("python", "def f():\n    return 1", 0, Some(0)),
            ("python", "def f():\n        return 1", 4, Some(4)),
            ("python", "def f():\n        return 1", 8, Some(4)),
            ("python", "def f():\n  if x:\n    return 1", 4, Some(0)),
            ("python", "@d\ndef f():\n    return 1", 4, Some(0)),
            ("python", "@d\n    def f():\n        return 1", 4, Some(4)),
            ("python", "def f(a,\n      b):\n    return 1", 4, Some(0)),
            ("python", "    def f():\n    return 1", 4, Some(0)),
            ("python", "        def f():\n            return 1", 4, Some(8)),
            // One level deeper than the symbol's column, whatever precedes the first line.
            ("python", "  def f():\n    return 1", 0, Some(0)),
            ("python", "def f():\n    return 1\n\ndef g():\n    return 2", 4, Some(0)),
            ("python", "x = [\n    1,\n]", 4, Some(0)),
            ("python", "x = [\n        1,\n    ]", 4, Some(4)),
            ("python", "x = f(a,\n      b)", 4, Some(0)),
            ("python", "x = f(a,\n          b)", 4, Some(4)),
            ("python", "x = 1\ny = 2", 4, Some(0)),
            ("python", "x = '''\n  a\n'''", 4, None),
            ("python", "def f(): pass", 4, None),
            ("kotlin", "fun f() {\n    g()\n}", 4, Some(0)),
            ("kotlin", "fun f() {\n        g()\n    }", 4, Some(4)),
            ("kotlin", "@A(\"x)\")\nfun f() = 1", 4, Some(0)),
            ("kotlin", "fun f() =\n    1", 4, Some(0)),
            ("kotlin", "fun f() =\n        1", 4, Some(4)),
            ("kotlin", "fun f() =\n            1", 4, Some(4)),
            ("kotlin", "val a: Int\n    get() {\n        return 1\n    }", 0, Some(0)),
            ("kotlin", "fun f() {\n        g()\n    }\n\n    fun h() {\n        g()\n    }", 4, Some(4)),
            ("cpp", "void f()\n{\n#if A\n    g();\n#endif\n}", 4, Some(0)),
        ] {
            assert_eq!(told(grammar, text, Placement::Replace, at), expected, "{at}: {text}");
        }
    }

    #[test]
    fn what_goes_beside_a_symbol_tells_by_its_first_line() {
        for (grammar, text, at, expected) in [
            ("python", "def f():\n    return 1", 4, Some(0)),
            ("python", "    def f():\n        return 1", 4, Some(4)),
            ("python", "x = 1", 4, Some(0)),
            ("python", "        def f():\n            return 1", 4, Some(8)),
            // Only the first line has lost its white space.
            ("python", "def f():\n        return 1", 4, Some(4)),
            ("kotlin", "fun f() {\n        g()\n    }", 4, Some(4)),
            ("kotlin", "fun f() =\n        g()", 4, Some(0)),
            ("kotlin", "fun f() {\n    g()\n}\n\nfun h() {\n    g()\n}", 4, Some(0)),
        ] {
            assert_eq!(told(grammar, text, Placement::After, at), expected, "{at}: {text}");
        }
    }

    #[test]
    fn lines_that_are_there_already_tell_their_column() {
        let kotlin = Grammar::named("kotlin").expect("known");
        let body = |text| TextBlock::new(kotlin, text, &[]);
        let present = body("fun f() = a\n            .b()\n            .c()");
        let column =
            SymbolColumn { column: 4, level: 4, placing: Placement::Replace, replaced_text: Some(&present) };
        assert_eq!(intended_column(&body("fun f() = x\n        .b()\n        .d()"), column), Some(0));
        assert_eq!(
            intended_column(&body("fun f() = x\n        .d()\n        .e()"), column),
            Some(4),
            "none is there: one level"
        );
    }
}
