//! Examples in Python's documentation, `>>> run(1)`: code that tests may run. Bare names in the examples of a module's own
//! docstrings mean what the module declares; what else they mean is not resolved.

use crate::target::Target;
use symd_base::TextRange;
use symd_index::FileEntry;
use symd_syntax::Outline;

/// What the lines of an example begin with.
const PROMPTS: [&str; 2] = [">>> ", "... "];

/// Whether the name at `range` stands in a line of an example.
pub(super) fn holds(text: &str, range: TextRange) -> bool {
    let line = text[..range.start as usize].rsplit('\n').next().unwrap_or_default();
    // A docstring may begin with an example.
    let line = line.trim_start().trim_start_matches(['"', '\'', 'r', 'R', 'u', 'U']).trim_start();
    PROMPTS.iter().any(|prompt| line.starts_with(prompt))
}

/// Whether the name at `range`, in an example, is known to be a use of the target: the bare name of what the file declares at its
/// top level, or a parameter's in a call of its function in that function's docstring.
pub(super) fn uses(text: &str, range: TextRange, (file, target): (&FileEntry, &Target)) -> bool {
    if file.path != target.at.path {
        return false;
    }
    let (before, behind) = (&text[..range.start as usize], text[range.end as usize..].trim_start());
    let is_assigned = behind.starts_with('=') && !behind.starts_with("==");
    let path = target.symbol.name_path.trim_start_matches('/');
    let function = path.rsplit_once('/').map(|(around, _)| around);
    match function {
        None => !is_assigned && !before.ends_with('.') && !is_in_quotes(before),
        Some(function) => {
            let outline = target.file.outline();
            let is_parameter = outline.as_ref().is_some_and(|outline| is_parameter(outline, target.row));
            !function.contains('/') && is_parameter && is_assigned && is_argument_of(before, function)
        }
    }
}

/// Whether the row is of a parameter: a local in the head of its function.
fn is_parameter(outline: &Outline, row: usize) -> bool {
    let Some(row) = outline.rows.get(row).filter(|row| row.is_local()) else { return false };
    let function = row.parent().map(|at| &outline.rows[at]);
    function
        .is_some_and(|function| row.name_start < function.name_start.saturating_add(u32::from(function.head)))
}

/// Whether the line at the end of `before` has an open string.
fn is_in_quotes(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let code = PROMPTS.iter().find_map(|prompt| line.split_once(prompt)).map_or(line, |(_, code)| code);
    ['"', '\''].iter().any(|&quote| !code.matches(quote).count().is_multiple_of(2))
}

/// Whether `before` ends within the arguments of a call of `function` on the same line.
fn is_argument_of(before: &str, function: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut depth = 0_usize;
    for (at, c) in line.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let callee = line[..at].strip_suffix(function);
                return callee.is_some_and(|rest| {
                    !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
                });
            }
            '(' | '[' | '{' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_examples() {
        for (text, expected) in [
            ("def f():\n    \"\"\"F.\n\n    >>> run(1)\n", true),
            ("def f():\n    \"\"\">>> run(1)\n", true),
            ("    >>> for x in y:\n    ...     run(x)\n", true),
            ("    Call run(1) >>> 3\n", false),
        ] {
            let at = u32::try_from(text.find("run").expect("in it")).expect("short");
            assert_eq!(holds(text, TextRange::new(at, at + 3)), expected, "{text}");
        }
    }

    #[test]
    fn arguments_in_examples() {
        assert!(is_argument_of("    >>> add([1, (2)], ", "add"));
        assert!(!is_argument_of("    >>> add(1, max(", "add"));
        assert!(!is_argument_of("    >>> x.add(1, ", "add"));
        assert!(is_in_quotes(">>> print(\"") && !is_in_quotes("don't >>> print('a', "));
    }
}
