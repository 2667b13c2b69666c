//! The class that a type names where it is written: `Cart`, `"Cart"`, `Optional[Cart]`, `Cart | undefined`, `Box<number>`. Invariant: a
//! type that several classes fit names none.

use crate::context::is_word;
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Types that stand for what is between their brackets, as far as its members are concerned.
const TRANSPARENT: [&str; 6] = ["Annotated", "ClassVar", "Final", "Optional", "Readonly", "Required"];

/// Types of a value that is not there.
const NOTHING: [&str; 3] = ["None", "null", "undefined"];

/// Returns the class that `written` names, a type that stands at byte `at`; `receiver` is the class of the object whose member has the
/// type.
pub(super) fn type_class(
    resolver: &Resolver,
    here: &CurrentFile,
    (written, at): (&str, usize),
    receiver: Option<&IndexedDeclaration>,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some(name) = type_name(written, resolver.family) else { return Ok(None) };
    if matches!(name, "Self" | "this") {
        return Ok(receiver.cloned());
    }
    let chain: Vec<&str> = name.split('.').collect();
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let found = scope::resolve_chain(resolver, here, at, &chain, SearchStart::Inside)?;
    Ok(match found {
        Meaning::Declared(found) => match &found[..] {
            [class] if class.row().is_some_and(|(_, row)| is_class(row)) => Some(class.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns the name, or the names joined by dots, of the one type that a written type stands for.
fn type_name(written: &str, family: Family) -> Option<&str> {
    let is_python = family == Family::Python;
    let mut written = written.trim();
    loop {
        // A string is a type that is not declared yet; in TypeScript it is the type of that one text.
        let unquoted = if is_python { written.trim_matches(['"', '\'']).trim() } else { written };
        // Behind a sign at its end the type goes on in the next line.
        if unquoted.ends_with('|') {
            return None;
        }
        let mut parts = alternatives(unquoted).filter(|part| !NOTHING.contains(part));
        let only = parts.next().filter(|_| parts.next().is_none())?;
        let open = only.find(['[', '<']).unwrap_or(only.len());
        let (name, arguments) = only.split_at(open);
        let is_name = |c: char| is_word(c) || c == '.';
        if name.is_empty() || !name.chars().all(is_name) || name.ends_with('.') {
            return None;
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        if arguments.is_empty() || !TRANSPARENT.contains(&last) {
            // `Item[]` of TypeScript is a list, `Cart["item"]` the type of a member.
            let is_whole = arguments.is_empty() || arguments.ends_with(if is_python { ']' } else { '>' });
            return is_whole.then_some(name);
        }
        let inside = arguments.get(1..arguments.len() - 1)?;
        written = first_argument(inside);
    }
}

/// Returns the type of that number, from 0, of a written tuple, `tuple[Cart, Box]`, with its offset.
pub(super) fn tuple_item(written: &str, number: usize) -> Option<(usize, &str)> {
    let open = written.find('[')?;
    let name = written[..open].trim().rsplit('.').next()?;
    let inside = written.trim_end().strip_suffix(']').filter(|_| matches!(name, "tuple" | "Tuple"))?;
    let mut start = open + 1;
    for _ in 0..number {
        start += annotation_end(inside.get(start..)?, &[',']) + 1;
    }
    let rest = inside.get(start..)?;
    let item = &rest[..annotation_end(rest, &[','])];
    (item.trim() != "...").then_some((start, item))
}

/// Returns the types between the signs `|` that stand in no brackets.
fn alternatives(written: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    written
        .split(move |c| {
            match c {
                '[' | '<' | '(' | '{' => depth += 1,
                ']' | '>' | ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == '|' && depth == 0
        })
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn first_argument(inside: &str) -> &str {
    let end = annotation_end(inside, &[',']);
    &inside[..end]
}

/// Returns where the type ends that a text begins with: at the first of `ends` outside of brackets and strings.
pub(super) fn annotation_end(text: &str, ends: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        if let Some(open) = quote {
            if c == open {
                quote = None;
            }
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            _ if depth == 0 && ends.contains(&c) => return at,
            '[' | '<' | '(' | '{' => depth += 1,
            ']' | '>' | ')' | '}' if depth > 0 => depth -= 1,
            // The bracket around the type closes.
            ']' | ')' | '}' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_type_that_is_written() {
        for (written, expected) in [
            ("Cart", Some("Cart")),
            (" 'shop.Cart' ", Some("shop.Cart")),
            ("Optional[Cart]", Some("Cart")),
            ("Optional['Cart']", Some("Cart")),
            ("typing.Final[Cart | None]", Some("Cart")),
            ("Annotated[Cart, 'note']", Some("Cart")),
            ("Box[int]", Some("Box")),
            ("Cart | Box", None),
            ("", None),
            ("None", None),
            ("é", Some("é")),
        ] {
            assert_eq!(type_name(written, Family::Python), expected, "{written}");
        }
        for (written, expected) in [
            ("Cart | undefined", Some("Cart")),
            ("Box<number>", Some("Box")),
            ("Readonly<Cart>", Some("Cart")),
            ("Cart[]", None),
            ("Cart[\"item\"]", None),
            ("'Cart'", None),
            ("Cart |", None),
            ("{ a: Cart }", None),
            ("() => Cart", None),
        ] {
            assert_eq!(type_name(written, Family::Ecma), expected, "{written}");
        }
    }

    #[test]
    fn items_of_tuples() {
        let written = " tuple[dict[str, int], 'Cart', ...]";
        let item = |number| tuple_item(written, number).map(|(at, item)| (at, item.trim()));
        assert_eq!(
            [item(0), item(1), item(2), item(3)],
            [Some((7, "dict[str, int]")), Some((22, "'Cart'")), None, None]
        );
        assert_eq!(tuple_item("list[Cart, Box]", 0), None);
    }

    #[test]
    fn where_a_type_ends() {
        for (text, expected) in [
            ("Cart, b", "Cart"),
            ("dict[str, Cart] = x", "dict[str, Cart] "),
            ("Map<string, Cart>) {", "Map<string, Cart>"),
            ("'a, b', c", "'a, b'"),
        ] {
            assert_eq!(&text[..annotation_end(text, &[',', '='])], expected, "{text}");
        }
    }
}
