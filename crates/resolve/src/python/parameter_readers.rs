//! What reads the names of a function's parameters, besides calls: decorators, of which those from outside the project may do so
//! and those of the project where they look at signatures; code that looks at the signature of a function that it is given.
//! By syntax alone: what is told here need not read the names. Decorators that are known to leave them alone are not told.

use crate::conflicts::SourcePlace;
use crate::context::{first_word, is_word};
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::python::fixtures::decorators;
use crate::python::function_heads::is_parameter;
use crate::python::function_values::is_value_anywhere;
use crate::python::keyword_uses::CONSTRUCTORS;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{SearchStart, resolve_chain};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// What gives the names of a function's parameters.
const SIGNATURES: [&str; 7] = [
    "signature",
    "getfullargspec",
    "getargspec",
    "getcallargs",
    "get_type_hints",
    "co_varnames",
    "__annotations__",
];

/// Attributes of a function that hold the names of its parameters.
const OF_FUNCTION: [&str; 4] = [".__annotations__", ".__code__", ".__kwdefaults__", ".__signature__"];

/// Decorators, by their last names, that do not read the names of parameters, or hand on keywords as they come.
const HARMLESS: [&str; 37] = [
    "abstractmethod",
    "abstractproperty",
    "asynccontextmanager",
    "cache",
    "cached",
    "cached_property",
    "cachedmethod",
    "classmethod",
    "contextmanager",
    "coroutine",
    "dataclass",
    "deleter",
    "deprecated",
    "expectedFailure",
    "final",
    "fixture",
    "getter",
    "jit",
    "lru_cache",
    "mark",
    "no_type_check",
    "override",
    "overload",
    "override_settings",
    "parametrize",
    "patch",
    "property",
    "setter",
    "skip",
    "skipIf",
    "skipUnless",
    "skipif",
    "staticmethod",
    "total_ordering",
    "usefixtures",
    "wraps",
    "xfail",
];

/// Whether a decorator with this chain of names leaves the names of parameters alone.
fn is_harmless(chain: &[&str]) -> bool {
    let is_mock = chain.contains(&"patch") || chain.contains(&"mark");
    is_mock || chain.last().is_some_and(|last| HARMLESS.contains(last))
}

/// Returns the decorators of the declaration in a row, except those that leave the names of parameters alone: each as its chain of
/// names, with its offset in the declaration.
pub(crate) fn reading_decorators(here: &CurrentFile, row: usize) -> Vec<(usize, &str)> {
    let all = chains(decorators(here, row)).into_iter();
    all.filter(|(_, chain)| !is_harmless(&chain.split('.').collect::<Vec<&str>>())).collect()
}

/// Finds in a decorator of the project a function with a parameter of the name, which may stand in for the decorated one.
fn own_parameter(resolver: &Resolver, decorator: &IndexedDeclaration, name: &str) -> Option<SourcePlace> {
    let there = resolver.read_file(&decorator.file)?;
    let at = there.row_of(decorator)?;
    let rows = &there.outline.rows;
    let mut inside = at + 1..=at + rows[at].descendants as usize;
    let one = inside.find(|&row| {
        let one = &rows[row];
        let function = one.parent().filter(|&function| function != at);
        there.outline.name(one) == name
            && one.is_local()
            && function.is_some_and(|function| is_parameter(&there, function, one.name_start))
    })?;
    let start = rows[one].name_start;
    let end = start.saturating_add(u32::from(rows[one].name_len));
    Some((there.file.path.clone(), TextRange::new(start, end)))
}

/// Finds what may read the names of the parameters of the function in a row: its decorators, each by the range of its chain of
/// names, and the calls that look at signatures, where the function is handed to the project's code as a value.
pub(crate) fn parameter_readers(
    resolver: &Resolver,
    (here, function): (&CurrentFile, usize),
    parameter: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    let mut is_handed_on = false;
    let start = here.outline.rows[function].start;
    for (offset, chain) in reading_decorators(here, function) {
        let parts: Vec<&str> = chain.split('.').collect();
        let at = start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        let end = at.saturating_add(u32::try_from(chain.len()).unwrap_or(u32::MAX));
        let place = (here.file.path.clone(), TextRange::new(at, end));
        match resolve_chain(resolver, here, at, &parts, SearchStart::Inside)? {
            // The project's own, which is read for itself.
            Meaning::Declared(found_decorators) => {
                is_handed_on = true;
                for decorator in &found_decorators {
                    found.extend(own_parameter(resolver, decorator, parameter));
                }
            }
            _ => found.push(place),
        }
    }
    let row = &here.outline.rows[function];
    let name = here.outline.name(row);
    let is_special = name.starts_with("__") && name.ends_with("__") && !CONSTRUCTORS.contains(&name);
    let is_value = || -> Result<bool, Cancelled> {
        let of = match row.parent().filter(|_| CONSTRUCTORS.contains(&name)) {
            Some(class) => here.target(class),
            None => here.target(function),
        };
        Ok(!is_special && is_value_anywhere(resolver, &of)?)
    };
    found.extend(own_signature_reads(resolver, name)?);
    let readers = signature_readers(resolver)?;
    if !readers.is_empty() && (is_handed_on || is_value()?) {
        found.extend(readers);
    }
    Ok(found)
}

/// Finds where the signature of a function of this name is read from the function itself: `run.__code__`.
fn own_signature_reads(resolver: &Resolver, name: &str) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        let is_read = |range: &TextRange| {
            let behind = &text[range.end as usize..];
            OF_FUNCTION.iter().any(|attribute| behind.starts_with(attribute))
        };
        found.extend(
            places_of(&here, name).into_iter().filter(is_read).map(|range| (here.file.path.clone(), range)),
        );
    }
    Ok(found)
}

/// Finds the calls that look at the signature of a function that they are given.
fn signature_readers(resolver: &Resolver) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    for word in SIGNATURES {
        for here in with_name(resolver, word)? {
            let text = here.text.as_str();
            for range in places_of(&here, word) {
                let (before, behind) = (&text[..range.start as usize], &text[range.end as usize..]);
                let is_attribute = word.starts_with("co_") || word.starts_with("__");
                let is_read = match is_attribute {
                    true => before.ends_with('.'),
                    false => behind.starts_with('(') && reads_any(word, before, behind),
                };
                if is_read {
                    found.push((here.file.path.clone(), range));
                }
            }
        }
    }
    Ok(found)
}

/// Whether a call of `signature` and the like looks at what a name holds, and is none of a method of that name.
fn reads_any(word: &str, before: &str, behind: &str) -> bool {
    let is_method = before.ends_with('.') && !before.ends_with("inspect.") && !before.ends_with("typing.");
    let is_declared = before.trim_end().ends_with("def");
    let argument = first_word(behind[1..].trim_start());
    !(is_declared || argument.is_empty() || word == "signature" && is_method)
}

/// Returns the chains of names of decorators, `@a.b(…)`, each with its offset in the text.
fn chains(decorators: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in decorators.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix('@') {
            let end = rest.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(rest.len());
            found.push((offset + (line.len() - rest.len()), &rest[..end]));
        }
        offset += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decorators_and_their_names() {
        let text = "@app.command(\n    x\n)\n  @wraps\nasync def ";
        assert_eq!(chains(text), [(1, "app.command"), (25, "wraps")]);
        assert!(is_harmless(&["functools", "wraps"]) && is_harmless(&["mock", "patch", "object"]));
        assert!(!is_harmless(&["app", "command"]));
    }

    #[test]
    fn calls_that_look_at_signatures() {
        for (word, before, behind, expected) in [
            ("signature", "inspect.", "(f)", true),
            ("signature", "", "(func)", true),
            ("signature", "self.", "(f)", false),
            ("signature", "def ", "(f)", false),
            ("get_type_hints", "typing.", "(f)", true),
            ("signature", "", "()", false),
        ] {
            assert_eq!(reads_any(word, before, behind), expected, "{before}{word}{behind}");
        }
    }
}
