//! Name-path patterns, as defined by the contracts: components joined by `/`. A pattern without `/` matches
//! the last component at any depth; `a/b` matches a component-wise suffix; a leading `/` anchors at the
//! file's top level; a trailing `/` is ignored. All components but the last are compared exactly; comparison
//! is case-sensitive. `name[i]` selects the i-th (0-based) of the siblings that share the name. Invariant:
//! matching allocates nothing.
//!
//! A name can itself contain `/` or end in `[digits]` (Kotlin and Scala allow both in backticks, Rust's impl
//! blocks can contain them in types). Such a name is matched by a pattern that spells it out as one
//! component, because the row's name is compared with the whole pattern before the pattern is split.

use super::outline::{Outline, Row};

/// How the last component is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The component equals the name.
    Exact,
    /// The name contains the component.
    Substring,
}

/// Reasons why a text is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamePatternError {
    /// The pattern is empty.
    #[error("the name path pattern is empty: give a name, such as `main` or `Class/method`")]
    Empty,
    /// The pattern consists of slashes only.
    #[error("the name path pattern `{0}` has no name in it: give one, such as `/main`")]
    OnlySlashes(String),
    /// The pattern has an empty component, as in `a//b`.
    #[error("the name path pattern `{0}` has an empty component: write one `/` between two names")]
    EmptyComponent(String),
    /// The index does not fit, as in `x[99999999999]`.
    #[error("the index in `{0}` is too large: no {max} siblings can share a name", max = u16::MAX)]
    IndexTooLarge(String),
    /// A component has an index but no name, as in `[0]`.
    #[error("the component `{0}` has an index and no name: write `name{0}`")]
    IndexWithoutName(String),
}

/// A parsed pattern. The module's documentation defines what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The pattern without its leading and trailing slash.
    whole: Box<str>,
    /// Never empty; the last component is the name to be found.
    components: Box<[Component]>,
    anchored: bool,
    matching: Matching,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Component {
    name: Box<str>,
    index: Option<u16>,
}

impl NamePattern {
    pub fn parse(text: &str, matching: Matching) -> Result<NamePattern, NamePatternError> {
        if text.is_empty() {
            return Err(NamePatternError::Empty);
        }
        let (anchored, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let whole = rest.strip_suffix('/').unwrap_or(rest);
        if whole.trim_matches('/').is_empty() {
            return Err(NamePatternError::OnlySlashes(text.to_owned()));
        }
        let component = |part: &str| match part {
            "" => Err(NamePatternError::EmptyComponent(text.to_owned())),
            _ => Component::parse(part),
        };
        let components = whole.split('/').map(component).collect::<Result<Box<[_]>, _>>()?;
        Ok(NamePattern { whole: whole.into(), components, anchored, matching })
    }

    /// Returns the name that a match's last component equals or contains, without an index, for lookup in a
    /// table of names. A name that itself contains `/` or an index is not found by it; see
    /// [`NamePattern::whole`].
    pub fn last_name(&self) -> &str {
        self.components.last().map_or("", |last| &last.name)
    }

    /// Returns the pattern as one name, which differs from [`NamePattern::last_name`] if the pattern has
    /// several components or an index.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// Returns how the last component is compared.
    pub fn matching(&self) -> Matching {
        self.matching
    }

    /// Reports whether row `at` of `outline` matches; false if there is no such row.
    pub fn matches(&self, outline: &Outline, at: usize) -> bool {
        let Some(row) = outline.rows.get(at) else { return false };
        if outline.name(row) == &*self.whole && !(self.anchored && row.parent().is_some()) {
            return true;
        }
        let Some((last, before)) = self.components.split_last() else { return false };
        if !last.is_index_of(row) || !self.is_last_name(outline.name(row)) {
            return false;
        }
        let mut parent = row.parent();
        for component in before.iter().rev() {
            let Some(row) = parent.and_then(|at| outline.rows.get(at)) else { return false };
            if !component.is_index_of(row) || outline.name(row) != &*component.name {
                return false;
            }
            parent = row.parent();
        }
        !self.anchored || parent.is_none()
    }

    fn is_last_name(&self, name: &str) -> bool {
        match self.matching {
            Matching::Exact => name == self.last_name(),
            Matching::Substring => name.contains(self.last_name()),
        }
    }
}

impl Component {
    fn parse(part: &str) -> Result<Component, NamePatternError> {
        let indexed = part.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
        let Some((name, digits)) = indexed.filter(|(_, digits)| is_number(digits)) else {
            return Ok(Component { name: part.into(), index: None });
        };
        if name.is_empty() {
            return Err(NamePatternError::IndexWithoutName(part.to_owned()));
        }
        let too_large = |_| NamePatternError::IndexTooLarge(part.to_owned());
        Ok(Component { name: name.into(), index: Some(digits.parse().map_err(too_large)?) })
    }

    /// Reports whether the row has the requested index. A symbol that shares its name with no sibling has
    /// index 0.
    fn is_index_of(&self, row: &Row) -> bool {
        self.index.is_none_or(|index| index == row.index.saturating_sub(1))
    }
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grammar, outline};
    use symd_base::Cancel;

    const TEXT: &str = "
class Shop:
    def open(self): pass
    @property
    def size(self): pass
    @size.setter
    def size(self, v): pass
    class Shop:
        def open_late(self): pass
def open(): pass
def twice(): a = 1
def twice(): a = 2
";

    /// Returns the name paths of the rows that a pattern matches, local symbols excluded.
    fn found(pattern: &str, matching: Matching) -> Vec<String> {
        let grammar = Grammar::named("python").expect("is there");
        let outline = outline(grammar, TEXT, &Cancel::new()).expect("parses");
        let pattern = NamePattern::parse(pattern, matching).expect(pattern);
        let rows = 0..outline.rows.len();
        rows.filter(|&at| pattern.matches(&outline, at)).map(|at| outline.name_path(at)).collect()
    }

    #[test]
    fn matches_as_the_contracts_say() {
        use Matching::{Exact, Substring};
        let cases: &[(&str, Matching, &[&str])] = &[
            ("open", Exact, &["Shop/open", "open"]),
            ("/open", Exact, &["open"]),
            ("/open/", Exact, &["open"]),
            ("open/", Exact, &["Shop/open", "open"]),
            ("Open", Exact, &[]),
            ("Shop/open", Exact, &["Shop/open"]),
            ("hop/open", Exact, &[]),
            ("hop/open", Substring, &[]),
            ("Shop/open", Substring, &["Shop/open", "Shop/Shop/open_late"]),
            ("/Shop/open", Substring, &["Shop/open"]),
            ("pen", Exact, &[]),
            ("pen", Substring, &["Shop/open", "Shop/Shop/open_late", "open"]),
            ("Shop", Exact, &["Shop", "Shop/Shop"]),
            ("Shop/Shop", Exact, &["Shop/Shop"]),
            ("/Shop/Shop/open_late", Exact, &["Shop/Shop/open_late"]),
            ("Shop/Shop/Shop", Exact, &[]),
            ("size", Exact, &["Shop/size[0]", "Shop/size[1]"]),
            ("size[0]", Exact, &["Shop/size[0]"]),
            ("Shop/size[1]", Exact, &["Shop/size[1]"]),
            ("size[2]", Exact, &[]),
            ("siz[1]", Substring, &["Shop/size[1]"]),
            ("Shop[0]/open", Exact, &["Shop/open"]),
            ("Shop[1]/open", Exact, &[]),
            ("twice[1]/a", Exact, &["twice[1]/a"]),
            ("twice/a", Exact, &["twice[0]/a", "twice[1]/a"]),
            ("size[]", Exact, &[]),
            ("size[-1]", Exact, &[]),
        ];
        for &(pattern, matching, expected) in cases {
            assert_eq!(found(pattern, matching), expected, "{pattern:?} {matching:?}");
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let error = |pattern: &str| NamePattern::parse(pattern, Matching::Exact).expect_err(pattern);
        assert_eq!(error(""), NamePatternError::Empty);
        assert_eq!(error("/"), NamePatternError::OnlySlashes("/".to_owned()));
        assert_eq!(error("//"), NamePatternError::OnlySlashes("//".to_owned()));
        assert_eq!(error("a//b"), NamePatternError::EmptyComponent("a//b".to_owned()));
        assert_eq!(error("//a"), NamePatternError::EmptyComponent("//a".to_owned()));
        assert_eq!(error("a//"), NamePatternError::EmptyComponent("a//".to_owned()));
        assert_eq!(error("a/x[99999999999]"), NamePatternError::IndexTooLarge("x[99999999999]".to_owned()));
        assert_eq!(error("a/[0]"), NamePatternError::IndexWithoutName("[0]".to_owned()));
    }

    #[test]
    fn a_name_that_looks_like_a_path_is_found_by_itself_spelled_out() {
        let grammar = Grammar::named("kotlin").expect("is there");
        let text = "class T { fun `a/b`() {}\n fun `c[0]`() {} }";
        let outline = outline(grammar, text, &Cancel::new()).expect("parses");
        for (pattern, row) in [("a/b", 1), ("c[0]", 2)] {
            let pattern = NamePattern::parse(pattern, Matching::Exact).expect("valid");
            let hits: Vec<usize> = (0..3).filter(|&at| pattern.matches(&outline, at)).collect();
            assert_eq!(hits, [row]);
        }
    }
}
