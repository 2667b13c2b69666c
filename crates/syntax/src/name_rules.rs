//! How the languages spell names, as data.

use super::keywords;

/// How a language spells the names of symbols.
#[derive(Debug)]
pub struct NameRules {
    /// The words that cannot be names, separated by blanks.
    keywords: &'static str,
    /// The name that a constructor has in an outline, whatever its class is called.
    pub constructor: Option<&'static str>,
    pub quoting: NameQuoting,
    /// Whether `$` is a letter.
    pub has_dollar: bool,
    /// Whether `#name` is a private member.
    pub has_private_mark: bool,
}

/// How a keyword, or another text, is spelled as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameQuoting {
    None,
    /// Between backticks, where anything may stand.
    Backticks,
    /// `r#name`
    Raw,
    /// `@name`
    At,
}

impl NameRules {
    pub(super) const C: NameRules = NameRules { has_dollar: true, ..NameRules::plain(keywords::C) };
    pub(super) const CPP: NameRules = NameRules { has_dollar: true, ..NameRules::plain(keywords::CPP) };
    pub(super) const CSHARP: NameRules =
        NameRules { quoting: NameQuoting::At, ..NameRules::plain(keywords::CSHARP) };
    pub(super) const GO: NameRules = NameRules::plain(keywords::GO);
    pub(super) const JAVA: NameRules = NameRules { has_dollar: true, ..NameRules::plain(keywords::JAVA) };
    /// Of JavaScript and TypeScript.
    pub(super) const SCRIPT: NameRules = NameRules {
        constructor: Some("constructor"),
        has_dollar: true,
        has_private_mark: true,
        ..NameRules::plain(keywords::JAVASCRIPT)
    };
    pub(super) const KOTLIN: NameRules = NameRules {
        constructor: Some("constructor"),
        quoting: NameQuoting::Backticks,
        ..NameRules::plain(keywords::KOTLIN)
    };
    pub(super) const PYTHON: NameRules =
        NameRules { constructor: Some("__init__"), ..NameRules::plain(keywords::PYTHON) };
    pub(super) const RUST: NameRules =
        NameRules { quoting: NameQuoting::Raw, ..NameRules::plain(keywords::RUST) };

    const fn plain(keywords: &'static str) -> NameRules {
        NameRules {
            keywords,
            constructor: None,
            quoting: NameQuoting::None,
            has_dollar: false,
            has_private_mark: false,
        }
    }

    /// Whether the language reserves `word`.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.keywords.split_ascii_whitespace().any(|keyword| keyword == word)
    }
}

#[cfg(test)]
mod tests {
    use crate::Grammar;

    #[test]
    fn every_grammar_has_its_keywords() {
        for grammar in Grammar::all() {
            let names = &grammar.rules().names;
            assert!(names.is_keyword("if") && !names.is_keyword("iff"), "{grammar:?}");
        }
    }
}
