//! Where a text to come stops making sense. It is asked only of texts that made sense before: whether an edit made others
//! worse cannot be told. The grammars accept some texts that compilers do not: Python's an
//! empty block.

use std::fmt;

use symd_base::text::line_starts;
use symd_syntax::SyntaxErrorAt;

/// Longest line shown, in characters.
const LINE_CHARS: usize = 120;

/// Where the text after the edit stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenAt {
    /// 0-based line in the text after the edit.
    pub line: usize,
    /// What stands on it.
    pub text: String,
    /// What is missing there, as the grammar calls it.
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
    /// The line of `after` on which `error` is.
    pub fn new(after: &str, error: &SyntaxErrorAt) -> BrokenAt {
        // An error can begin with the white space before what is wrong.
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
