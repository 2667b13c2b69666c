//! Members of Python whose names a program computes from the name of a class: `getattr(self, f"on_{type(event).__name__}")` finds
//! `on_Click` for the class `Click`. By the text around `__name__`.

use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;

const NAME: &str = "__name__";

/// A place that computes the name of a member from that of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedMember {
    pub place: (RelPath, TextRange),
    /// The member of the project that it finds by the class's name.
    pub member: String,
}

/// Finds the places that compute the name of a declared member from the name of the class `target`; none for other declarations.
pub fn members_named_by_class(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<ComputedMember>, Cancelled> {
    let mut found = Vec::new();
    let Some(family) = Family::dynamic_of(&target.file) else { return Ok(found) };
    if !target.row().is_some_and(|(_, row)| is_class(row)) {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, family, cancel);
    for file in sources.snapshot().files.with_words(NeededWords::of_name("getattr __name__")) {
        cancel.check()?;
        let reads = file.holds("getattr");
        if Family::of(file) != Some(family) || !reads {
            continue;
        }
        let Some(here) = resolver.read_uncached(file) else { continue };
        let text = here.text.as_str();
        for (at, _) in text.match_indices(NAME) {
            let Some(parts) = NameParts::around(text, at) else { continue };
            let member = parts.of(target.name());
            if !resolver.declared(&member)?.is_empty() {
                let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                let range = TextRange::new(offset(at), offset(at + NAME.len()));
                found.push(ComputedMember { place: (here.file.path.clone(), range), member });
            }
        }
    }
    Ok(found)
}

/// What a program puts around the name of a class.
#[derive(Debug, PartialEq, Eq)]
struct NameParts<'t> {
    /// Never empty: without it, every name may be meant.
    before: &'t str,
    behind: &'t str,
    is_lower: bool,
}

impl<'t> NameParts<'t> {
    /// Reads them from the line that holds `.__name__` at byte `at`.
    fn around(text: &'t str, at: usize) -> Option<NameParts<'t>> {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let left = text[line..at].strip_suffix('.')?;
        let right = text[at + NAME.len()..].lines().next().unwrap_or("");
        let is_lower = right.starts_with(".lower()");
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let last = |literal: &'t str| &literal[literal.trim_end_matches(is_part).len()..];
        let parts =
            |before, behind| (!str::is_empty(before)).then_some(NameParts { before, behind, is_lower });
        // `f"on_{type(event).__name__}_done"`
        if let Some(open) = left.rfind('{').filter(|open| !left[*open..].contains(['}', '"'])) {
            let behind = right.find('}').map_or("", |close| &right[close + 1..]);
            let end = behind.find(|c| !is_part(c)).unwrap_or(behind.len());
            return parts(last(&left[..open]), &behind[..end]);
        }
        // `"on_" + …`, `"on_%s" % …`, `"on_{}".format(…)`
        let close = left.rfind(['"', '\''])?;
        let operator = left[close + 1..].trim_start();
        let literal = &left[..close];
        match operator.chars().next()? {
            '+' => parts(last(literal), ""),
            '%' => parts(last(literal.strip_suffix("%s")?), ""),
            '.' if operator.starts_with(".format(") => parts(last(literal.strip_suffix("{}")?), ""),
            _ => None,
        }
    }

    /// Returns the name of the member for the class called `class`.
    fn of(&self, class: &str) -> String {
        let class = if self.is_lower { class.to_lowercase() } else { class.to_owned() };
        format!("{}{class}{}", self.before, self.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_around_the_name_of_a_class() {
        for (text, expected) in [
            ("getattr(self, f\"on_{type(e).__name__}\")", Some("on_Click")),
            ("name = f'on_{e.__class__.__name__.lower()}_done'", Some("on_click_done")),
            ("getattr(self, 'on_' + type(e).__name__)", Some("on_Click")),
            ("getattr(self, \"on_%s\" % type(e).__name__)", Some("on_Click")),
            ("getattr(self, 'on_{}'.format(type(e).__name__))", Some("on_Click")),
            ("getattr(self, type(e).__name__)", None),
            ("print(f'{type(e).__name__}: {e}')", None),
            ("if __name__ == '__main__':", None),
        ] {
            let at = text.find(NAME).expect("a name");
            let found = NameParts::around(text, at).map(|parts| parts.of("Click"));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
