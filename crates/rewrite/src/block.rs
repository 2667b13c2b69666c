//! A body given for a symbol, as lines that can be moved together. Invariant: only white space before a first
//! word is changed; lines that begin inside a string literal, blank lines and preprocessor lines at the
//! margin stay as they are given.

use super::indent_level::IndentLevel;
use super::reindent::indent_of;
use symd_syntax::{Grammar, LineKind};

/// A given text, split into lines.
#[derive(Debug)]
pub(super) struct TextBlock<'t> {
    /// The lines; never empty, and the first one is not blank.
    pub(super) lines: Vec<BlockLine<'t>>,
    pub(super) grammar: Grammar,
}

/// A line, without its line break.
#[derive(Debug)]
pub(super) struct BlockLine<'t> {
    given: &'t str,
    /// The white space before the line's first word, converted to the file's indentation.
    pub(super) indent: String,
    /// The rest of the line, from its first word.
    pub(super) rest: &'t str,
    pub(super) kind: LineKind,
}

impl<'t> TextBlock<'t> {
    /// Splits `text`, whose line breaks must be line feeds; `kinds` are the kinds of its lines.
    pub(super) fn new(grammar: Grammar, text: &'t str, kinds: &[LineKind]) -> TextBlock<'t> {
        let line = |(number, given): (usize, &'t str)| {
            let indent = indent_of(given);
            let kind = kinds.get(number).copied().unwrap_or(LineKind::Code);
            BlockLine { given, indent: indent.to_owned(), rest: &given[indent.len()..], kind }
        };
        TextBlock { lines: text.split('\n').enumerate().map(line).collect(), grammar }
    }

    /// Returns the text's own indentation level, if it differs from `level`.
    pub(super) fn foreign_level(&self, level: IndentLevel) -> Option<IndentLevel> {
        let (has_tabs, has_spaces) = self.tabs_and_spaces();
        match level {
            IndentLevel::Spaces(_) if has_tabs => Some(IndentLevel::Tab),
            IndentLevel::Tab if has_spaces && !has_tabs => {
                Some(IndentLevel::Spaces(self.step().unwrap_or(USUAL_STEP)))
            }
            _ => None,
        }
    }

    /// Whether any line is indented with a tab, and whether any is with at least two spaces (a single one
    /// precedes the stars of a comment).
    pub(super) fn tabs_and_spaces(&self) -> (bool, bool) {
        let moved = || self.lines.iter().filter(|line| line.is_moved());
        (moved().any(|line| line.indent.contains('\t')), moved().any(|line| line.indent.starts_with("  ")))
    }

    /// Converts each level of `from` to one of `to`.
    pub(super) fn translate(&mut self, from: IndentLevel, to: IndentLevel) {
        for line in &mut self.lines {
            line.indent = convert_indent(&line.indent, from, to);
        }
    }

    /// Returns the most frequent increase in indentation between consecutive lines of code; `None` if there
    /// is no increase.
    pub(super) fn step(&self) -> Option<usize> {
        let (first, rest) = self.lines.split_first()?;
        let code = rest.iter().filter(|line| line.is_code(self.grammar)).map(BlockLine::width);
        // The column of a first line without white space is not known.
        let known = Some(first.width()).filter(|&width| width > 0);
        let widths: Vec<usize> = known.into_iter().chain(code).collect();
        most_frequent(widths.windows(2).map(|pair| pair[1].saturating_sub(pair[0])))
    }

    /// Returns the text with column `from` moved to where `indent` ends; the first line begins there.
    pub(super) fn reindented(&self, from: usize, indent: &str) -> String {
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            let own = line.indent.as_str();
            if number == 0 {
                text.push_str(indent);
            } else if !line.is_moved() || line.is_directive_at_margin(self.grammar) {
                text.push_str(line.given);
                continue;
            } else if let Some(more) = own.get(from..) {
                text.push_str(indent);
                text.push_str(more);
            } else if let Some(further) = indent.get(from..) {
                text.push_str(own);
                text.push_str(further);
            } else {
                let nearer = from - indent.len();
                text.push_str(&own[..own.len().saturating_sub(nearer)]);
            }
            text.push_str(line.rest);
        }
        text
    }
}

/// The width of a level where nothing else determines it.
pub(super) const USUAL_STEP: usize = 4;

/// Returns the most frequent of `steps`, of those from 1 to 16; of equally frequent ones the smallest.
pub(super) fn most_frequent(steps: impl Iterator<Item = usize>) -> Option<usize> {
    const WIDEST: usize = 16;
    let mut counts = [0_usize; WIDEST + 1];
    for step in steps.filter(|step| (1..=WIDEST).contains(step)) {
        counts[step] += 1;
    }
    let most = counts.iter().copied().max().filter(|&most| most > 0)?;
    counts.iter().position(|&count| count == most)
}

impl BlockLine<'_> {
    /// Returns the width of the line's indentation, in characters.
    pub(super) fn width(&self) -> usize {
        self.indent.len()
    }

    /// Whether the line's column indicates for which column the text was written.
    pub(super) fn is_code(&self, grammar: Grammar) -> bool {
        self.kind == LineKind::Code && !self.is_directive(grammar)
    }

    /// Whether the line moves with its block.
    pub(super) fn is_moved(&self) -> bool {
        !matches!(self.kind, LineKind::Blank | LineKind::Literal)
    }

    /// Whether the line is a preprocessor directive such as `#if`, whose column has no meaning.
    fn is_directive(&self, grammar: Grammar) -> bool {
        grammar.rules().has_directives && self.rest.starts_with('#')
    }

    fn is_directive_at_margin(&self, grammar: Grammar) -> bool {
        self.is_directive(grammar) && self.indent.is_empty()
    }
}

/// Converts each level of `from` in `indent` to one of `to`; a remainder stays as it is.
fn convert_indent(indent: &str, from: IndentLevel, to: IndentLevel) -> String {
    let one = to.to_string();
    match from {
        IndentLevel::Tab => indent.replace('\t', &one),
        IndentLevel::Spaces(width) => {
            let levels = indent.len() / width;
            format!("{}{}", one.repeat(levels), &indent[levels * width..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::line_kinds;

    fn moved(grammar: &str, text: &str, level: Option<IndentLevel>, from: usize, indent: &str) -> String {
        let grammar = Grammar::named(grammar).expect("known");
        let kinds = line_kinds(grammar, text, &Cancel::new()).expect("parsed");
        let mut block = TextBlock::new(grammar, text, &kinds);
        if let Some(level) = level {
            let own = block.foreign_level(level).expect("another");
            block.translate(own, level);
        }
        block.reindented(from, indent)
    }

    #[test]
    fn a_block_moves_and_its_literals_stay() {
        let text = "def f():\n    '''Doc\n      more\n  less'''\n\n    x = '''\n  a\n    '''\n# c\n    return (\n  x)";
        assert_eq!(
            moved("python", text, None, 0, "    "),
            "    def f():\n        '''Doc\n          more\n      less'''\n\n        x = '''\n  a\n    '''\n    # c\n        return (\n      x)"
        );
        // To the left; a line with less indentation keeps its distance as far as there is room.
        assert_eq!(
            moved("python", text, None, 4, "  "),
            "  def f():\n  '''Doc\n    more\nless'''\n\n  x = '''\n  a\n    '''\n# c\n  return (\nx)"
        );
        assert_eq!(
            moved("cpp", "void f() {\n#if A\n  g();\n  #endif\n}", None, 0, "  "),
            "  void f() {\n#if A\n    g();\n    #endif\n  }"
        );
    }

    #[test]
    fn levels_are_translated() {
        let python = "def f():\n\tif x:\n\t\tg(a,\n\t\t  b)";
        assert_eq!(
            moved("python", python, Some(IndentLevel::Spaces(4)), 0, "    "),
            "    def f():\n        if x:\n            g(a,\n              b)"
        );
        let kotlin = "fun f() {\n  if (x) {\n    g(a,\n       b)\n  }\n}";
        assert_eq!(
            moved("kotlin", kotlin, Some(IndentLevel::Tab), 0, "\t"),
            "\tfun f() {\n\t\tif (x) {\n\t\t\tg(a,\n\t\t\t\t b)\n\t\t}\n\t}"
        );
        assert_eq!(moved("python", python, None, 0, "\t"), "\tdef f():\n\t\tif x:\n\t\t\tg(a,\n\t\t\t  b)");
    }
}
