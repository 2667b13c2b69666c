//! A given text moved to the column where it is put. Knows no language: every line moves alike, those inside
//! multi-line strings too. Invariant: the lines' indentation relative to each other stays.

use super::endings::line_feeds;

/// Whether a given text is moved to the column of the symbol it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indentation {
    /// It is put there as it is, which is what the contracts ask for.
    #[default]
    AsGiven,
    /// Its outermost lines take the symbol's indentation.
    OfSymbol,
}

/// `text` with `indent` before every line that is not blank, in place of the white space that they have in common.
/// Line breaks become `\n`.
pub(super) fn reindent(text: &str, indent: &str) -> String {
    let text = line_feeds(text);
    let common = common_indent(text.lines()).len();
    moved(&text, common, indent)
}

/// As [`reindent`], for a text that begins at its first line's first word: that line's own column is not known. If the
/// other lines show that they stand where they belong, nothing moves.
pub(super) fn reindent_behind_first(text: &str, indent: &str) -> String {
    let text = line_feeds(text);
    let Some((first, rest)) = text.split_once('\n') else { return text.into_owned() };
    let lines = || rest.lines().filter(|line| !line.trim().is_empty());
    let common = common_indent(lines());
    let is_closer = |line: &str| line.trim_start().starts_with(['}', ')', ']']);
    let outermost = lines().filter(|line| indent_of(line).len() == common.len());
    let is_placed =
        common.starts_with(indent) && (common.len() > indent.len() || outermost.clone().all(is_closer));
    if indent.is_empty() || is_placed {
        return text.into_owned();
    }
    format!("{first}\n{}", moved(rest, 0, indent))
}

fn moved(text: &str, drop: usize, indent: &str) -> String {
    let mut moved = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            moved.push_str(line.trim_start_matches([' ', '\t']));
        } else {
            moved.push_str(indent);
            moved.push_str(&line[drop..]);
        }
    }
    moved
}

/// The white space at the start of `line`.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn common_indent<'a>(lines: impl Iterator<Item = &'a str>) -> &'a str {
    let mut indents = lines.filter(|line| !line.trim().is_empty()).map(indent_of);
    let Some(first) = indents.next() else { return "" };
    indents.fold(first, |common, indent| {
        let same = common.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        &common[..same]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_together() {
        let cases = [
            ("a\n  b\n", "    ", "    a\n      b\n"),
            ("    a\r\n\r\n      b", "\t", "\ta\n\n\t  b"),
            ("\ta\n\t\tb", "", "a\n\tb"),
            ("\ta\n  b", " ", " \ta\n   b"),
            ("", "  ", ""),
        ];
        for (text, indent, expected) in cases {
            assert_eq!(reindent(text, indent), expected, "{text:?}");
        }
    }

    #[test]
    fn a_first_line_without_its_column_leaves_the_others_to_say() {
        let cases = [
            // Written from the margin: moves.
            ("def f():\n    return 1", "    ", "def f():\n        return 1"),
            ("fun f() {\n    x\n}", "    ", "fun f() {\n        x\n    }"),
            // Written where it belongs: stays.
            ("def f():\n        return 1", "    ", "def f():\n        return 1"),
            ("fun f() {\n\t\tx\n\t}", "\t", "fun f() {\n\t\tx\n\t}"),
            ("f()", "    ", "f()"),
            ("a\n  b", "", "a\n  b"),
        ];
        for (text, indent, expected) in cases {
            assert_eq!(reindent_behind_first(text, indent), expected, "{text:?}");
        }
    }
}
