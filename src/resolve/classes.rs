//! Members of classes, own and inherited: bases are read from the class's header. Invariant: ends on every input;
//! what an unknown base might declare is unknown, not absent.

use super::binders::close_bracket;
use super::family::Family;
use super::meaning::Meaning;
use super::project::Project;
use super::scope;
use super::sources::Target;
use crate::base::cancel::Cancelled;
use crate::syntax::{Row, SymbolKind};

/// How many classes up a member is looked for.
const MAX_CLASSES: usize = 64;
/// A class's header is read no further than this, in bytes.
const MAX_HEADER: usize = 2000;

/// Whether the row is a class or one of its kin.
pub(super) fn is_class(row: &Row) -> bool {
    use SymbolKind::*;
    matches!(row.kind(), Class | Interface | Enum | Struct | Object)
}

/// What `name` means as a member of `class`: its own, else that of the first base that has it.
pub(super) fn member(project: &Project, class: &Target, name: &str) -> Result<Meaning, Cancelled> {
    let own = own_members(project, class, name);
    if own.is_empty() { inherited(project, class, name) } else { Ok(Meaning::Declared(own)) }
}

/// What `name` means in the bases of `class`.
pub(super) fn inherited(project: &Project, class: &Target, name: &str) -> Result<Meaning, Cancelled> {
    let mut seen: Vec<Target> = vec![class.clone()];
    let mut at = 0;
    let mut is_open = false;
    // Breadth first: near enough to Python's order.
    while at < seen.len() && seen.len() < MAX_CLASSES {
        project.cancel.check()?;
        for base in bases(project, &seen[at])? {
            match base {
                Meaning::Declared(found) => {
                    for base in found {
                        if seen.iter().any(|known| known.is(&base)) {
                            continue;
                        }
                        let own = own_members(project, &base, name);
                        if !own.is_empty() {
                            return Ok(Meaning::Declared(own));
                        }
                        seen.push(base);
                    }
                }
                _ => is_open = true,
            }
        }
        at += 1;
    }
    Ok(if is_open { Meaning::Unknown } else { Meaning::Elsewhere })
}

fn own_members(project: &Project, class: &Target, name: &str) -> Vec<Target> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    if !outline.occurrences.contains(name) || !is_class(row) {
        return Vec::new();
    }
    let inside = class.row + 1..=class.row + row.descendants as usize;
    let is_own = |at: usize| match outline.rows[at].parent() {
        Some(parent) if parent == class.row => true,
        Some(parent) if project.family == Family::Jvm => {
            let companion = &outline.rows[parent];
            outline.name(companion) == "Companion" && companion.parent() == Some(class.row)
        }
        _ => false,
    };
    let mut found: Vec<usize> =
        inside.filter(|&at| is_own(at) && outline.name(&outline.rows[at]) == name).collect();
    if project.family == Family::Rust {
        let of_type = outline.name(row);
        let is_impl = |at: usize| {
            outline.rows[at].parent().is_some_and(|parent| {
                let parent = outline.name(&outline.rows[parent]);
                parent.strip_prefix("impl ").is_some_and(|rest| rest.rsplit(' ').next() == Some(of_type))
            })
        };
        found.extend(
            (0..outline.rows.len()).filter(|&at| outline.name(&outline.rows[at]) == name && is_impl(at)),
        );
    }
    found.into_iter().map(|row| Target { file: class.file.clone(), row }).collect()
}

/// What the names of the bases of `class` mean.
pub(super) fn bases(project: &Project, class: &Target) -> Result<Vec<Meaning>, Cancelled> {
    let Some((outline, row)) = class.row() else { return Ok(Vec::new()) };
    let Some(here) = project.here(&class.file) else { return Ok(vec![Meaning::Unknown]) };
    // The file may have changed since: then the row is another's.
    if !std::sync::Arc::ptr_eq(&here.outline, outline) {
        return Ok(vec![Meaning::Unknown]);
    }
    let from = row.name_start as usize + usize::from(row.name_len);
    let until = (from + MAX_HEADER).min(row.end as usize);
    let until = (0..=until).rev().find(|&at| here.text.as_str().is_char_boundary(at)).unwrap_or(0);
    let header = here.text.as_str().get(from..until).unwrap_or("");
    let mut meanings = Vec::new();
    for base in names_of_bases(header, project.family) {
        let chain: Vec<&str> = base.split('.').collect();
        meanings.push(scope::chain(project, &here, row.start, &chain, scope::From::File)?);
    }
    Ok(meanings)
}

/// The bases that a class's header names, as written, arguments left out: dots between components.
pub(super) fn names_of_bases(header: &str, family: Family) -> Vec<String> {
    let list = match family {
        Family::Python => {
            let header = header.trim_start();
            let header = if header.starts_with('[') {
                header[close_bracket(header, 0)..].trim_start()
            } else {
                header
            };
            if !header.starts_with('(') {
                return Vec::new();
            }
            let close = close_bracket(header, 0);
            flat(header.get(1..close.saturating_sub(1)).unwrap_or(""), &[])
        }
        Family::Jvm | Family::CSharp | Family::C | Family::Ecma => {
            let flat = flat(header, &['{', ';']);
            let colon = flat.split_once(':').map(|(_, list)| list.to_owned());
            let words = flat.replace(" implements ", ",").replace("\nimplements ", ",");
            let extends = words.split_once("extends ").map(|(_, list)| list.to_owned());
            let implements = words.split_once(',').map(|(_, list)| list.to_owned());
            match family {
                Family::Jvm => extends.or(colon).or(implements),
                Family::Ecma => extends.or(implements),
                _ => colon,
            }
            .unwrap_or_default()
        }
        Family::Rust | Family::Go => return Vec::new(),
    };
    let is_part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    let mut names = Vec::new();
    for base in list.split(',').filter(|base| !base.contains('=')) {
        let mut words = base.split_whitespace();
        let word = words.find(|word| !matches!(*word, "public" | "private" | "protected" | "virtual"));
        let name: String = word.unwrap_or("").chars().take_while(|&c| is_part(c)).collect();
        if !name.is_empty() {
            names.push(name);
        }
    }
    names
}

/// The text up to one of `ends`, without what stands in brackets.
fn flat(text: &str, ends: &[char]) -> String {
    let mut depth = 0_usize;
    let mut flat = String::new();
    for c in text.chars() {
        match c {
            c if depth == 0 && ends.contains(&c) => break,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => flat.push(c),
            _ => {}
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_read_from_headers() {
        for (family, header, expected) in [
            (Family::Python, "(A, b.C[int], metaclass=M): pass", vec!["A", "b.C"]),
            (Family::Python, "[T](A[T]): pass", vec!["A"]),
            (Family::Python, ": pass", vec![]),
            (Family::Jvm, "<T>(val a: Int) : B<T>(a), c.D by e { val x: Int }", vec!["B", "c.D"]),
            (Family::Jvm, " extends B<T> implements C, d.E { int x; }", vec!["B", "C", "d.E"]),
            (Family::Jvm, " { val x: Int }", vec![]),
            (Family::Ecma, " extends B implements C {", vec!["B", "C"]),
            (Family::CSharp, " : B, C<D> {", vec!["B", "C"]),
            (Family::C, " : public B, private c {", vec!["B", "c"]),
        ] {
            assert_eq!(names_of_bases(header, family), expected, "{header}");
        }
    }
}
