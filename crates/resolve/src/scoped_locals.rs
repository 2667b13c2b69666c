//! Where a name of Go, JavaScript or TypeScript is a local, by the syntax tree. Invariant: a text in which no name of this spelling
//! stands where one is bound is not parsed.

use super::binders::LocalScopes;
use super::brackets::close_bracket;
use super::context::{last_word, text_after, text_before};
use super::family::Family;
use super::resolver::{CurrentFile, Resolver};
use symd_base::TextRange;

/// How many comparisons of scopes and occurrences may be made for one name in a file. Code that people write needs a thousandth of it.
const MAX_STEPS: usize = 32 << 20;

/// Returns where a local called `name` is in scope. The scope of a declaration in the outline that hides the local is left out.
pub(super) fn scopes(resolver: &Resolver, here: &CurrentFile, name: &str) -> LocalScopes {
    let mut scopes = LocalScopes::default();
    if !may_be_bound(here, name, resolver.family) {
        return scopes;
    }
    let text = here.text.as_str();
    let whole = || u32::try_from(text.len()).map(|end| TextRange::new(0, end)).into_iter();
    let Some(bindings) = here.local_bindings(resolver) else {
        scopes.doubtful.extend(whole());
        return scopes;
    };
    let of_name: Vec<_> = here.locals_called(resolver, name).into_iter().flatten().collect();
    if of_name.is_empty() && bindings.unparsed.is_empty() {
        return scopes;
    }
    let declared = here.declared_starts();
    let (listed, locals): (Vec<_>, Vec<_>) =
        of_name.into_iter().partition(|local| declared.contains(&local.name.start));
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let as_range = |&at: &u32| TextRange::new(at, at.saturating_add(length));
    let in_types: Vec<TextRange> = bindings
        .type_names
        .iter()
        .filter(|&&at| text.get(at as usize..).is_some_and(|rest| rest.starts_with(name)))
        .map(as_range)
        .collect();
    let occurrences = here.outline.occurrences.offsets_of(name).count();
    if locals.len().saturating_mul(occurrences + listed.len() + bindings.type_names.len()) > MAX_STEPS {
        scopes.doubtful.extend(whole());
        return scopes;
    }
    for local in locals {
        let into = if local.is_sure { &mut scopes.sure } else { &mut scopes.doubtful };
        into.push(local.name);
        for &scope in &local.scopes {
            let hidden = listed.iter().flat_map(|one| &one.scopes).filter(|part| is_within(**part, scope));
            let seen = without(scope, hidden);
            // Types and values of one name do not hide each other. A type is in scope at the names of other types too, as
            // a rename asks.
            match local.is_type {
                true => into.extend(
                    bindings
                        .type_names
                        .iter()
                        .map(as_range)
                        .filter(|at| seen.iter().any(|part| is_within(*at, *part))),
                ),
                false => into.extend(seen.into_iter().flat_map(|part| without(part, in_types.iter()))),
            }
        }
    }
    let may_bind = |part: &TextRange| text.get(part.as_range()).is_some_and(|part| part.contains(name));
    if bindings.unparsed.iter().any(may_bind) {
        scopes.doubtful.extend(whole());
    }
    scopes
}

/// Whether the name at byte `at` is that of a member in an object or a type, of an attribute in JSX, or of an element that the browser
/// knows.
pub(super) fn is_field_name(resolver: &Resolver, here: &CurrentFile, range: TextRange) -> bool {
    resolver.family == Family::Ecma
        && (here.may_hold_markup() || may_be_member(here.text.as_str(), range))
        && here
            .local_bindings(resolver)
            .is_some_and(|bindings| bindings.field_names.binary_search(&range.start).is_ok())
}

/// Whether the text around a name may declare a member: `name() {}`, `get name()`, `readonly name: T`, `[name: T]`.
fn may_be_member(text: &str, range: TextRange) -> bool {
    let (start, end) = (range.start as usize, range.end as usize);
    let (left, right) = (text_before(text, start, Family::Ecma), text_after(text, end));
    let has_body = || {
        let open = text.len() - right.len();
        right.starts_with('(') && text_after(text, close_bracket(text, open)).starts_with(['{', ':'])
    };
    matches!(last_word(left), "get" | "set" | "async" | "readonly")
        || left.ends_with('*')
        || right.starts_with(['?', '<'])
        || right.starts_with(':') && left.ends_with(['[', ','])
        || has_body()
}

fn is_within(part: TextRange, scope: TextRange) -> bool {
    scope.start <= part.start && part.end <= scope.end
}

/// Returns what is left of a scope without some parts of it.
fn without<'a>(scope: TextRange, parts: impl Iterator<Item = &'a TextRange>) -> Vec<TextRange> {
    let mut left = vec![scope];
    for part in parts {
        left = left
            .into_iter()
            .flat_map(|one| {
                let before = TextRange::new(one.start, part.start.clamp(one.start, one.end));
                let after = TextRange::new(part.end.clamp(one.start, one.end), one.end);
                [before, after].into_iter().filter(|rest| rest.start < rest.end)
            })
            .collect();
    }
    left
}

/// Whether the name stands anywhere in the file where it could be bound.
fn may_be_bound(here: &CurrentFile, name: &str, family: Family) -> bool {
    let text = here.text.as_str();
    here.outline.occurrences.offsets_of(name).any(|at| {
        let (start, end) = (at as usize, at as usize + name.len());
        let (left, right) = (text_before(text, start, family), text_after(text, end));
        let word = last_word(left);
        match family {
            Family::Go => {
                let is_variadic = right.starts_with("...");
                let is_listed =
                    left.ends_with(['(', ',', '[']) && (is_variadic || !right.starts_with(['(', '.']));
                is_listed || right.starts_with([',', ':']) || matches!(word, "var" | "const" | "type")
            }
            _ => {
                let is_listed =
                    left.ends_with(['(', ',', '[', '{', ':', '<', ')']) && !right.starts_with(['(', '.']);
                let is_declared = DECLARING.contains(&word) || left.ends_with(['*', '@']);
                is_listed || is_declared || left.ends_with("...") || right.starts_with("=>")
            }
        }
    })
}

/// Words of JavaScript and TypeScript that precede a name that they declare.
const DECLARING: [&str; 14] = [
    "const",
    "let",
    "var",
    "function",
    "class",
    "interface",
    "type",
    "enum",
    "infer",
    "private",
    "public",
    "protected",
    "readonly",
    "override",
];
