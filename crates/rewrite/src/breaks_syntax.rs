//! The place of a syntax error in a proposed text. Only used for texts that parsed before the edit: whether
//! an edit made a broken text worse cannot be determined. The grammars accept some texts that compilers
//! reject, such as an empty block in Python.

use std::fmt;

use symd_base::text::line_starts;
use symd_syntax::SyntaxErrorAt;

/// The maximum length of a line in a message, in characters.
const LINE_CHARS: usize = 120;

/// The place where the proposed text no longer parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenAt {
    /// The 0-based line in the proposed text.
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// The missing element, as the grammar calls it.
    pub missing: Option<&'static str>,
}

impl fmt::Display for BrokenAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file would no longer parse: line {}: `{}`", self.line + 1, self.text)?;
        match self.missing {
            Some(missing) => write!(f, " (missing {missing})"),
            None => Ok(()),
        }
    }
}

impl BrokenAt {
    /// Finds the line of `after` that contains `error`.
    pub fn new(after: &str, error: &SyntaxErrorAt) -> BrokenAt {
        // The range of an error may begin with the white space before the wrong text.
        let place = after.get(error.range.as_range()).unwrap_or("");
        let start = error.range.start as usize + (place.len() - place.trim_start().len());
        let starts = line_starts(after);
        let line = starts.partition_point(|&at| at as usize <= start).saturating_sub(1);
        let text = after.get(starts[line] as usize..).unwrap_or("").split(['\n', '\r']).next().unwrap_or("");
        let text = text.trim().chars().take(LINE_CHARS).collect();
        BrokenAt { line, text, missing: error.missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::Cancel;
    use symd_syntax::{Grammar, first_error};

    fn broken(grammar: &str, after: &str) -> Option<String> {
        let grammar = Grammar::named(grammar).expect("known");
        let error = first_error(grammar, after, &Cancel::new()).expect("parsed");
        error.map(|error| BrokenAt::new(after, &error).to_string())
    }

    #[test]
    fn the_line_that_makes_no_sense_is_named() {
        assert_eq!(broken("python", "def f():\n    return 2\n"), None);
        assert_eq!(
            broken("python", "# 😀\r\ndef f():\r\n    return )\r\n").as_deref(),
            Some("the file would no longer parse: line 3: `return )`")
        );
        assert_eq!(
            broken("java", "class A {\n  int x = 1\n}\n").as_deref(),
            Some("the file would no longer parse: line 2: `int x = 1` (missing ;)")
        );
        assert!(broken("kotlin", "fun f() { g( }\n").is_some());
        assert!(broken("typescript", "class A {\n").is_some());
    }
}
