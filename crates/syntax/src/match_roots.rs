//! The kinds of nodes at which the matches of a grammar's query begin, read from the text of its patterns. A query that is run
//! over a whole tree visits every node; most of them begin no match. Invariant: a match begins at a node of these kinds, and
//! lies within it; a pattern of which that cannot be told is an error.

use std::collections::BTreeSet;

use tree_sitter::{Language, Query};

use super::roles::{QueryError, Roles};

/// The kind of a node, as a pattern spells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RootKind {
    Named(String),
    /// A token: `"enum"`.
    Token(String),
}

/// Returns, for each node kind id, whether a match may begin at such a node.
pub(super) fn match_roots(
    grammar: &'static str,
    language: &Language,
    query: &Query,
    source: &str,
    roles: &Roles,
) -> Result<Box<[bool]>, QueryError> {
    let mut flags = vec![false; language.node_kind_count()];
    for pattern in (0..query.pattern_count()).filter(|&pattern| roles.is_run(pattern)) {
        let kinds = kinds_of_pattern(query, source, pattern);
        kinds.and_then(|kinds| flag(language, &kinds, &mut flags)).ok_or_else(|| {
            let why = "it does not begin with one node of named kinds, so symd cannot tell where its matches begin; \
                       write out the kinds, and match siblings from their parent";
            QueryError::Vocabulary { grammar, pattern, why: why.to_owned() }
        })?;
    }
    Ok(flags.into())
}

/// Returns the kinds of the node with which a pattern begins and which holds the others; `None` if there is no such node.
fn kinds_of_pattern(query: &Query, source: &str, pattern: usize) -> Option<BTreeSet<RootKind>> {
    if !query.is_pattern_rooted(pattern) {
        return None;
    }
    let text = source.get(query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern))?;
    let mut kinds = BTreeSet::new();
    PatternText { rest: text }.roots(&mut kinds)?;
    Some(kinds)
}

/// Sets the flags of the nodes of some kinds. `None` if the language has no nodes of one of them.
fn flag(language: &Language, kinds: &BTreeSet<RootKind>, flags: &mut [bool]) -> Option<()> {
    for kind in kinds {
        let (name, is_named) = match kind {
            RootKind::Named(name) => (name, true),
            RootKind::Token(name) => (name, false),
        };
        let mut is_known = false;
        for (id, flag) in flags.iter_mut().enumerate() {
            let id = u16::try_from(id).ok()?;
            if language.node_kind_for_id(id) == Some(name) && language.node_kind_is_named(id) == is_named {
                // Nodes have the kinds below it.
                if language.node_kind_is_supertype(id) {
                    return None;
                }
                (*flag, is_known) = (true, true);
            }
        }
        is_known.then_some(())?;
    }
    Some(())
}

/// What is left of a pattern's text.
struct PatternText<'a> {
    rest: &'a str,
}

impl PatternText<'_> {
    /// Reads one node, group or choice, and adds the kinds of the node that it begins with. `None` for anything else.
    fn roots(&mut self, kinds: &mut BTreeSet<RootKind>) -> Option<()> {
        self.skip_blank();
        match self.rest.chars().next()? {
            '"' => {
                let token = self.string()?;
                if token.contains('\\') {
                    return None;
                }
                kinds.insert(RootKind::Token(token));
            }
            '[' => {
                self.rest = &self.rest[1..];
                loop {
                    self.skip_blank();
                    match self.rest.chars().next()? {
                        ']' => break,
                        // The nodes of a group are siblings: no node at which the query is run holds them all.
                        '(' if self.is_group() => return None,
                        '(' | '[' | '"' => self.roots(kinds)?,
                        '@' => self.skip_word(),
                        _ => return None,
                    }
                }
                self.rest = &self.rest[1..];
            }
            '(' => {
                self.rest = &self.rest[1..];
                self.skip_blank();
                match self.rest.chars().next()? {
                    '(' | '[' | '"' => self.roots(kinds)?,
                    c if c.is_ascii_alphabetic() => {
                        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
                        kinds.insert(RootKind::Named(self.rest[..end].to_owned()));
                        self.rest = &self.rest[end..];
                    }
                    _ => return None,
                }
                self.skip_group()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether the parenthesis that comes next begins a group, not a node.
    fn is_group(&self) -> bool {
        let mut inner = PatternText { rest: self.rest.get(1..).unwrap_or_default() };
        inner.skip_blank();
        inner.rest.starts_with(['(', '[', '"'])
    }

    /// Skips the rest of a group, with its closing parenthesis.
    fn skip_group(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            self.skip_blank();
            match self.rest.chars().next()? {
                '"' => drop(self.string()?),
                c => {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
        Some(())
    }

    /// Reads a string; escapes stay as they are written.
    fn string(&mut self) -> Option<String> {
        let text = self.rest.strip_prefix('"')?;
        let mut is_escaped = false;
        let end = text.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        self.rest = &text[end + 1..];
        Some(text[..end].to_owned())
    }

    fn skip_word(&mut self) {
        let end =
            self.rest.find(|c: char| c.is_whitespace() || "()[]".contains(c)).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(';') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(pattern: &str) -> Option<Vec<RootKind>> {
        let mut kinds = BTreeSet::new();
        PatternText { rest: pattern }.roots(&mut kinds)?;
        Some(kinds.into_iter().collect())
    }

    #[test]
    fn a_pattern_begins_with_its_first_node() {
        let named =
            |names: &[&str]| Some(names.iter().map(|name| RootKind::Named((*name).to_owned())).collect());
        let pattern = "((a name: (b) @name \"(\") @definition.class ; (x)\n (#set! member \"(\\\"(\"))";
        assert_eq!(roots(pattern), named(&["a"]));
        assert_eq!(roots("[\n (a (b)) @x\n ; (y)\n [(c) (d)] @y\n] @z"), named(&["a", "c", "d"]));
        assert_eq!(roots("([(a) (b)] @x (#eq? @x \"]\"))"), named(&["a", "b"]));
        assert_eq!(roots("\"enum\" @becomes.enum"), Some(vec![RootKind::Token("enum".to_owned())]));
        for unclear in ["(_) @x", "[(a) _] @x", "[(a) ((b) (c))] @x", "x: (a)", "\"\\\"\" @x", "(a", ""] {
            assert_eq!(roots(unclear), None, "{unclear}");
        }
    }

    #[test]
    fn a_pattern_whose_matches_have_no_root_is_refused() {
        let language = crate::Grammar::named("python").expect("known").language();
        let is_told = |pattern: &str| {
            let query = Query::new(&language, pattern).expect("compiles");
            kinds_of_pattern(&query, pattern, 0).is_some()
        };
        assert!(is_told("(block (comment)+ @leading)"));
        for siblings in [
            "(comment)+ @leading",
            "((comment) . (block)) @leading",
            "[((comment) (block)) (string)] @leading",
        ] {
            assert!(!is_told(siblings), "{siblings}");
        }
    }
}
