//! What the links in Kotlin's documentation mean: `[size]`, `[Foo.size]`, `[p.Foo.size]`, and the names behind `@param`, `@property`,
//! `@see`, `@throws` and `@sample`. A link is looked up from the documented declaration outwards. Invariant: a link whose meaning is
//! in doubt is `Unknown`; prose is no link. A name behind a tag without brackets is `Other` where it means
//! something else, and `Unknown` otherwise.

use crate::conflicts::extended_type;
use crate::family::{Family, has_types};
use crate::hierarchy::classes::{self, is_class};
use crate::jvm::javadoc_links::resolve_javadoc_link;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::{IndexedDeclaration, Sources};
use crate::string_name::{StringName, judged};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// A link, as far as the name in question: `p.Foo` of `[p.Foo.size]` for the name `Foo`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DocLink<'t> {
    /// The names before it and the name itself.
    chain: Vec<&'t str>,
    kind: LinkKind,
    is_bracketed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkKind {
    /// In brackets, or behind `@see` and the like.
    Declaration,
    /// Behind `@param` or `@property`: the documented declaration's own.
    OwnPart,
}

/// For each of `places`, where the targets' name stands in a documentation comment: resolves the link around it. The targets are one
/// symbol, in several declarations. `Unknown` where there is no link, and where a tag without brackets names a target. In Java's comments links are Javadoc's.
pub(crate) fn kdoc_links(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<StringName>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let targets = resolver.refresh_targets(targets);
    let meant = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let file = resolver.file(path.as_str());
        match file.and_then(|file| Some((has_types(file), resolver.read_file(file)?))) {
            Some((true, here)) => resolve_link(&resolver, &here, *range, &targets),
            Some((false, here)) => resolve_javadoc_link(&resolver, &here, *range, &targets),
            None => Ok(StringName::Unknown),
        }
    };
    places.iter().map(meant).collect()
}

fn resolve_link(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    targets: &[IndexedDeclaration],
) -> Result<StringName, Cancelled> {
    let text = here.text.as_str();
    let (Some(link), Some(row)) = (link_around(text, range), documented_row(here, range)) else {
        return Ok(StringName::Unknown);
    };
    let meant = named_by(resolver, here, row, &link, targets)?;
    let is_tagged = meant == StringName::Symbol && !link.is_bracketed;
    Ok(if is_tagged { StringName::Unknown } else { meant })
}

fn named_by(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
    link: &DocLink,
    targets: &[IndexedDeclaration],
) -> Result<StringName, Cancelled> {
    if link.kind == LinkKind::OwnPart {
        let name = link.chain.last().copied().unwrap_or_default();
        let is_target =
            |one: &IndexedDeclaration| targets.iter().any(|target| target.is_same_declaration(one));
        return Ok(match own_parts(here, row, name).first() {
            Some(part) if is_target(part) => StringName::Symbol,
            Some(_) => StringName::Other,
            None if has_parameter(here, row, name) => StringName::Other,
            None => StringName::Unknown,
        });
    }
    if let Some(meant) = extension_by_receiver(resolver, link, targets) {
        return Ok(meant);
    }
    Ok(match resolve_chain(resolver, here, row, &link.chain)? {
        // A parameter of the documented function.
        Meaning::Local => StringName::Other,
        meaning => judged(&meaning, targets),
    })
}

/// Whether `[Foo.name]` may name an extension of `Foo`; `None` if the targets are no extensions, or are not qualified.
fn extension_by_receiver(
    resolver: &Resolver,
    link: &DocLink,
    targets: &[IndexedDeclaration],
) -> Option<StringName> {
    let (_, above) = link.chain.split_last().filter(|(_, above)| !above.is_empty())?;
    let receiver = targets.iter().find_map(|target| {
        let here = resolver.read_file(&target.file)?;
        let range = extended_type(&here, &here.outline.rows[here.row_of(target)?])?;
        Some(here.text.slice(range).to_owned())
    })?;
    Some(match above.last() == Some(&receiver.as_str()) {
        // The class may have a member of that name, which is meant then.
        true if targets.len() == 1 => StringName::Symbol,
        _ => StringName::Unknown,
    })
}

/// Resolves a link in the documentation of the declaration in `row`.
fn resolve_chain(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
    chain: &[&str],
) -> Result<Meaning, Cancelled> {
    let Some((first, rest)) = chain.split_first() else { return Ok(Meaning::Unknown) };
    let mut meaning = resolve_first(resolver, here, row, first)?;
    for part in rest {
        meaning = match scope::resolve_member(resolver, &meaning, part)? {
            // It may be an extension, which a link names like a member.
            Meaning::OutsideProject if matches!(meaning, Meaning::Declared(_)) => Meaning::Unknown,
            found => found,
        };
    }
    match meaning {
        Meaning::Unknown if !rest.is_empty() => of_package(resolver, chain),
        found => Ok(found),
    }
}

/// Resolves the first name of a link: a part of the documented declaration, a member of a class around it, a name of the file.
fn resolve_first(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let rows = &here.outline.rows;
    let mut around = Some(row);
    while let Some(at) = around {
        let found = match is_class(&rows[at]) {
            _ if at == row && own_parts(here, at, name).is_empty() && has_parameter(here, at, name) => {
                return Ok(Meaning::Local);
            }
            true => classes::member(resolver, &here.target(at), name)?,
            false => match own_parts(here, at, name) {
                own if own.is_empty() => Meaning::OutsideProject,
                own => Meaning::Declared(own),
            },
        };
        match found {
            // Nothing there has the name: it means what is further out.
            Meaning::OutsideProject => around = rows[at].parent(),
            found => return Ok(found),
        }
    }
    scope::resolve_chain(resolver, here, 0, &[name], SearchStart::File)
}

/// Resolves a link that begins with a package.
fn of_package(resolver: &Resolver, chain: &[&str]) -> Result<Meaning, Cancelled> {
    for length in (1..chain.len()).rev() {
        let package = Module::Package(chain[..length].join("."));
        let mut meaning = resolver.exported(&package, chain[length], 0)?;
        if !matches!(meaning, Meaning::Declared(_)) {
            continue;
        }
        for part in &chain[length + 1..] {
            meaning = scope::resolve_member(resolver, &meaning, part)?;
        }
        return Ok(match meaning {
            Meaning::Declared(found) => Meaning::Declared(found),
            _ => Meaning::Unknown,
        });
    }
    Ok(Meaning::Unknown)
}

/// Returns the parameters, properties and members of a declaration that have the name.
fn own_parts(here: &CurrentFile, row: usize, name: &str) -> Vec<IndexedDeclaration> {
    let is_it = |&at: &usize| here.outline.name(&here.outline.rows[at]) == name;
    here.outline.children(row).filter(is_it).map(|at| here.target(at)).collect()
}

/// Whether a function, or a class's constructor, has a parameter of that name. The outline does not list those that declare no
/// property.
fn has_parameter(here: &CurrentFile, row: usize, name: &str) -> bool {
    let this = &here.outline.rows[row];
    let from = (this.name_start + u32::from(this.name_len)) as usize;
    let Some(behind) = here.text.as_str().get(from..this.end as usize) else { return false };
    let (mut depth, mut end) = (0_usize, 0);
    for (at, c) in behind.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => {
                end = at;
                break;
            }
            ')' => depth -= 1,
            // A property, or a class without a constructor of its own.
            '{' | '=' | ':' | ';' if depth == 0 => break,
            _ => {}
        }
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let list = &behind[..end];
    list.match_indices(name).any(|(at, _)| {
        !list[..at].ends_with(is_word)
            && list[at + name.len()..].trim_start_matches('`').trim_start().starts_with(':')
    })
}

/// Returns the row of the declaration that the comment around a range documents.
fn documented_row(here: &CurrentFile, range: TextRange) -> Option<usize> {
    let text = here.text.as_str();
    let end = range.end as usize + text.get(range.end as usize..)?.find("*/")? + 2;
    let rows = &here.outline.rows;
    let behind = (0..rows.len()).filter(|&at| rows[at].name_start as usize >= end);
    let row = behind.min_by_key(|&at| rows[at].name_start)?;
    // What stands in between begins the declaration: annotations, modifiers, a receiver.
    let between = text.get(end..rows[row].name_start as usize)?;
    (!between.contains([';', '}', '{', '='])).then_some(row)
}

/// Returns the link in a documentation comment that the name at a range is a part of.
fn link_around(text: &str, range: TextRange) -> Option<DocLink<'_>> {
    let (start, end) = (range.start as usize, range.end as usize);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let before = &text[line_start..start];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '`');
    let opens = before.trim_end_matches(is_part).len();
    let behind = &text[end..line_end];
    let rest = behind.trim_start_matches(is_part);
    let chain: Vec<&str> =
        text[line_start + opens..end].split('.').map(|name| name.trim_matches('`')).collect();
    if chain.iter().any(|name| name.is_empty()) {
        return None;
    }
    let left = &before[..opens];
    let said = left.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/'));
    let is_bracketed = left.ends_with('[') && rest.starts_with(']');
    let tag = said.strip_suffix('[').filter(|_| is_bracketed).unwrap_or(said).trim_end();
    let is_tag = tag.len() < said.len() || left.is_empty();
    match tag {
        "@param" | "@property" if is_tag && chain.len() == 1 => {
            return Some(DocLink { chain, kind: LinkKind::OwnPart, is_bracketed });
        }
        "@see" | "@throws" | "@exception" | "@sample" if is_tag => {
            return Some(DocLink { chain, kind: LinkKind::Declaration, is_bracketed });
        }
        _ => {}
    }
    // `[text](address)` and `[text][link]` show the text; between backticks stands code.
    let is_text = rest.get(1..).is_some_and(|more| more.starts_with(['(', '[']));
    let is_code = left.matches('`').count() % 2 == 1;
    (is_bracketed && !is_text && !is_code).then_some(DocLink {
        chain,
        kind: LinkKind::Declaration,
        is_bracketed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_from_prose() {
        let check = |text: &str, expected: Option<(&[&str], LinkKind)>| {
            let at = u32::try_from(text.find("size").expect("in it")).expect("short");
            let found = link_around(text, TextRange::new(at, at + 4));
            assert_eq!(
                found.map(|link| (link.chain, link.kind)),
                expected.map(|(all, kind)| (all.to_vec(), kind)),
                "{text}"
            );
        };
        check("/** The [size]. */", Some((&["size"], LinkKind::Declaration)));
        check("/** The [`size`]. */", Some((&["size"], LinkKind::Declaration)));
        check("/** The [p.Foo.size] */", Some((&["p", "Foo", "size"], LinkKind::Declaration)));
        check(" * [size.max] is", Some((&["size"], LinkKind::Declaration)));
        check(" * the [number of things][size]", Some((&["size"], LinkKind::Declaration)));
        check(" * @param size the number", Some((&["size"], LinkKind::OwnPart)));
        check("/** @param [size] the number */", Some((&["size"], LinkKind::OwnPart)));
        check(" * @property size the number", Some((&["size"], LinkKind::OwnPart)));
        check(" * @see Foo.size", Some((&["Foo", "size"], LinkKind::Declaration)));
        check(" * the size of it", None);
        check(" * @return size of it", None);
        check(" * @param other size", None);
        check(" * see [size](https://a)", None);
        check(" * see [size][Foo]", None);
        check(" * `a[size]`", None);
        check(" * [the size]", None);
    }
}
