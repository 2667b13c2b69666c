//! Links of Javadoc, `{@link Box#size()}`, `@see #size`, as far as the name is certainly the target's. Invariant: prose is no link; a
//! link that may mean something else is `Unknown`.

use crate::context::{first_word, is_word, last_word};
use crate::hierarchy::classes::{is_class, own_members};
use crate::hierarchy::subclasses::heirs;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use crate::string_name::StringName;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Tags behind which a class or a member is named.
const TAGS: [&str; 6] = ["@link", "@linkplain", "@see", "@throws", "@exception", "@value"];

/// How a name stands in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JavadocName<'t> {
    /// As a class's.
    Class,
    /// Behind `#`, with the class before it, if one is written.
    Member(Option<&'t str>),
}

/// Returns what the link around `range` means, for the declarations of one symbol.
pub(crate) fn resolve_javadoc_link(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    targets: &[IndexedDeclaration],
) -> Result<StringName, Cancelled> {
    let Some(link) = javadoc_name(here.text.as_str(), range) else { return Ok(StringName::Unknown) };
    let Some(first) = targets.first() else { return Ok(StringName::Unknown) };
    let is_target = |one: &IndexedDeclaration| targets.iter().any(|target| target.is_same_declaration(one));
    let is_meant = match link {
        JavadocName::Class => {
            let declared = resolver.declared(first.name())?;
            let mut classes = declared.iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row)));
            classes.all(is_target) && first.row().is_some_and(|(_, row)| is_class(row))
        }
        JavadocName::Member(class) => {
            let mut is_meant = false;
            for target in targets {
                let Some(owner) = owner(target) else { continue };
                let mut classes = heirs(resolver, &owner)?;
                classes.push(owner.clone());
                let is_of = |one: &IndexedDeclaration| match class {
                    Some(name) => one.name() == name,
                    None => is_around(here, one, range),
                };
                // A name without parameters means the first of several overloads.
                is_meant |= classes.iter().any(is_of)
                    && own_members(resolver, &owner, target.name()).iter().all(is_target);
            }
            is_meant
        }
    };
    Ok(if is_meant { StringName::Symbol } else { StringName::Unknown })
}

/// Returns the class that declares a member.
fn owner(target: &IndexedDeclaration) -> Option<IndexedDeclaration> {
    let (outline, row) = target.row()?;
    let parent = row.parent().filter(|&at| is_class(&outline.rows[at]))?;
    Some(IndexedDeclaration { file: target.file.clone(), row: parent })
}

/// Whether the comment stands in the class, or documents it.
fn is_around(here: &CurrentFile, class: &IndexedDeclaration, range: TextRange) -> bool {
    let Some(row) = here.row_of(class).filter(|_| class.file.path == here.file.path) else { return false };
    let row = &here.outline.rows[row];
    let is_within = row.start <= range.start && range.start < row.end;
    let between = here.text.as_str().get(range.end as usize..row.start as usize);
    is_within
        || between
            .is_some_and(|between| between.find("*/").is_some_and(|end| between[end + 2..].trim().is_empty()))
}

/// Tells how the name at `range` stands in a link; `None` in prose.
pub(crate) fn javadoc_name(text: &str, range: TextRange) -> Option<JavadocName<'_>> {
    let left = text.get(..range.start as usize)?;
    let is_part = |c: char| is_word(c) || c == '.';
    let (before, member) = match left.strip_suffix('#') {
        Some(before) => (before, true),
        None => (left, false),
    };
    let outside = before.trim_end_matches(is_part);
    let tag = last_word(outside.trim_end());
    let at = outside.trim_end().len() - tag.len();
    let is_tag = outside.ends_with(char::is_whitespace)
        && outside[..at].ends_with('@')
        && TAGS.iter().any(|known| known[1..] == *tag);
    let class = last_word(before);
    match (is_tag, member) {
        (false, _) => None,
        (true, true) => Some(JavadocName::Member(Some(class).filter(|class| !class.is_empty()))),
        // `{@link p.Box.Part}`: what stands behind a dot is a class or a package all the same.
        (true, false) => {
            (!first_word(&text[range.start as usize..]).is_empty()).then_some(JavadocName::Class)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_from_prose() {
        let check = |text: &str, expected: Option<JavadocName>| {
            let at = u32::try_from(text.find("run").expect("in it")).expect("short");
            assert_eq!(javadoc_name(text, TextRange::new(at, at + 3)), expected, "{text}");
        };
        check("/** See {@link Box#run(int)}. */", Some(JavadocName::Member(Some("Box"))));
        check("/** See {@linkplain p.Box#run it}. */", Some(JavadocName::Member(Some("Box"))));
        check("/** @see #run */", Some(JavadocName::Member(None)));
        check("/** @see p.run */", Some(JavadocName::Class));
        check("/** {@link run#f} */", Some(JavadocName::Class));
        check("/** Please run it. */", None);
        check("/** {@code run} */", None);
        check("/** {@link Box the run} */", None);
    }
}
