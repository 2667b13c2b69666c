//! The value of a pytest function's parameter: the fixture of that name, found as pytest finds it, in the
//! class, the module, and each `conftest.py` from its directory up. Language servers do not know fixtures.
//! Invariant: there is no result where one of several fixtures may be meant, or where the value is no plain
//! name or call.

use std::sync::Arc;

use crate::context::{Receiver, first_word, receiver};
use crate::family::Family;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use crate::test_functions::is_test;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::FileEntry;
use symd_syntax::{Outline, SymbolKind};

/// Where the value of a fixture is named: the name that it returns or yields, or the class that it calls for
/// that.
#[derive(Clone, Debug)]
pub struct FixtureValue {
    /// The fixture's file.
    pub file: Arc<FileEntry>,
    /// The byte at which the name begins.
    pub at: u32,
    /// The members that are accessed on the value before the used one: `json` in `app.json.dumps()`.
    pub path: Vec<String>,
}

/// For each member use at `places` (`run` in `app.run()`, or `dumps` in `app.json.dumps()`, where `app` is a
/// parameter): finds where the value of the parameter's fixture is named.
pub fn fixture_values(
    sources: &dyn Sources,
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<Option<FixtureValue>>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Python, cancel);
    let value = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        Ok(here.and_then(|here| value(&resolver, &here, range.start)))
    };
    places.iter().map(value).collect()
}

/// Whether the target is a fixture: pytest passes it to parameters of its name, which no server counts as
/// uses.
pub fn is_pytest_fixture(sources: &dyn Sources, target: &IndexedDeclaration, cancel: &Cancel) -> bool {
    let family = Family::of(&target.file).filter(|family| family.profile().uses.has_test_functions);
    let Some(family) = family else { return false };
    let resolver = Resolver::new(sources, family, cancel);
    let here = resolver.read_file(&target.file);
    here.is_some_and(|here| here.row_of(target).is_some_and(|row| is_fixture(&here, row)))
}

fn value(resolver: &Resolver, here: &CurrentFile, at: u32) -> Option<FixtureValue> {
    let Receiver::Chain(chain, _) = receiver(here.text.as_str(), at as usize, Family::Python) else {
        return None;
    };
    let (&parameter, path) = chain.split_first()?;
    let function = holds_given(here, parameter, at)?;
    let (file, fixture) = fixture(resolver, here, function, parameter)?;
    let there = resolver.read_file(&file)?;
    let at = returned(&there, fixture)?;
    Some(FixtureValue { file, at, path: path.iter().map(|&part| part.to_owned()).collect() })
}

/// Finds the function around byte `at` to which pytest passes the parameter, and which does not rebind it.
pub(crate) fn holds_given(here: &CurrentFile, parameter: &str, at: u32) -> Option<usize> {
    let function = taking(&here.outline, parameter, at)?;
    let row = &here.outline.rows[function];
    let body = here.text.as_str().get(row.name_start as usize..row.end as usize)?;
    let is_called_by_pytest = is_test(&here.outline, function) || is_fixture(here, function);
    (is_called_by_pytest && !is_bound_again(body, parameter)).then_some(function)
}

/// Finds the innermost function around byte `at` with a parameter, or local, of that name.
fn taking(outline: &Outline, name: &str, at: u32) -> Option<usize> {
    let is_it = |row: &&symd_syntax::Row| {
        let holds = |parent: usize| {
            let function = &outline.rows[parent];
            function.start <= at && at < function.end
        };
        row.is_local() && outline.name(row) == name && row.parent().is_some_and(holds)
    };
    let parents = outline.rows.iter().filter(is_it).filter_map(|row| row.parent());
    parents.min_by_key(|&parent| outline.rows[parent].end - outline.rows[parent].start)
}

/// Whether the body rebinds the name.
fn is_bound_again(body: &str, name: &str) -> bool {
    let parameters = body.find("):").or_else(|| body.find(") ->")).unwrap_or(0);
    let inside = &body[parameters..];
    inside.match_indices(name).any(|(at, _)| {
        let before = &inside[..at];
        let behind = inside[at + name.len()..].trim_start();
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
            && !inside[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_assigned = (behind.starts_with('=') && !behind.starts_with("==")) || behind.starts_with(":=");
        let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        // `f(app=app)` names an argument.
        let is_argument = before.trim_end().ends_with(['(', ',']);
        is_word && ((is_assigned && !is_argument) || matches!(word, "as" | "for" | "global" | "nonlocal"))
    })
}

/// Returns the decorators of a function or class: the text before its name.
pub(crate) fn decorators(here: &CurrentFile, row: usize) -> &str {
    let row = &here.outline.rows[row];
    here.text_before_name(row)
}

/// Whether a decorator makes the function a fixture.
pub(crate) fn is_fixture(here: &CurrentFile, row: usize) -> bool {
    let mut decorators = decorators(here, row).lines().filter_map(|line| line.trim_start().strip_prefix('@'));
    decorators.any(|decorator| {
        let chain = decorator.split(['(', ' ', '#']).next().unwrap_or_default();
        chain.rsplit('.').next() == Some("fixture")
    })
}

/// Returns the name under which a fixture is passed to parameters: that of its function, unless its decorator gives
/// another: `@fixture(name="db")`.
pub(crate) fn provided_name(here: &CurrentFile, row: usize) -> &str {
    let decorators = decorators(here, row);
    let given = decorators.split_once("fixture(").and_then(|(_, arguments)| {
        let mut names = arguments.match_indices("name").filter_map(|(at, word)| {
            let is_whole = arguments[..at].ends_with(['(', ',', ' ', '\n']) || at == 0;
            let value = arguments[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
            let quote = value.chars().next().filter(|c| is_whole && matches!(c, '"' | '\''))?;
            value[1..].split(quote).next()
        });
        names.next()
    });
    given.unwrap_or_else(|| here.outline.name(&here.outline.rows[row]))
}

/// Finds the fixture that pytest passes to a parameter of `function`.
fn fixture(
    resolver: &Resolver,
    here: &CurrentFile,
    function: usize,
    name: &str,
) -> Option<(Arc<FileEntry>, usize)> {
    visible_fixture(resolver, here, here.outline.rows[function].parent(), name)
        .filter(|(file, row)| file.path != here.file.path || *row != function)
}

/// Finds the fixture of a name that functions of a class of `here` see, or those at its top level.
pub(crate) fn visible_fixture(
    resolver: &Resolver,
    here: &CurrentFile,
    class: Option<usize>,
    name: &str,
) -> Option<(Arc<FileEntry>, usize)> {
    if let Some(own) = class.and_then(|class| in_scope(here, Some(class), name)) {
        return Some((here.file.clone(), own));
    }
    if let Some(of_module) = in_scope(here, None, name) {
        return Some((here.file.clone(), of_module));
    }
    let mut directory = here.file.path.parent();
    while let Some(at) = directory {
        let path = at.join("conftest.py");
        let there = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        if let Some((there, row)) =
            there.and_then(|there| in_scope(&there, None, name).map(|row| (there, row)))
        {
            return Some((there.file.clone(), row)).filter(|_| there.file.path != here.file.path);
        }
        directory = at.parent();
    }
    None
}

/// Finds the only fixture of a name among the members of a class, or at the top level of the module for
/// `None`.
fn in_scope(here: &CurrentFile, class: Option<usize>, name: &str) -> Option<usize> {
    let is_it = |at: &usize| {
        let row = &here.outline.rows[*at];
        matches!(row.kind(), SymbolKind::Function | SymbolKind::Method)
            && row.parent() == class
            && provided_name(here, *at) == name
    };
    let mut rows = (0..here.outline.rows.len()).filter(is_it);
    let only = rows.next().filter(|&row| is_fixture(here, row))?;
    rows.next().is_none().then_some(only)
}

/// Finds where the only value that a fixture returns or yields is named, as a byte offset in the file.
fn returned(here: &CurrentFile, row: usize) -> Option<u32> {
    let row = &here.outline.rows[row];
    let text = here.text.as_str().get(row.name_start as usize..row.end as usize)?;
    let mut found: Option<(&str, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let statement = line.trim_start();
        let value = ["return ", "yield "].iter().find_map(|word| statement.strip_prefix(word));
        if let Some(value) = value {
            let (name, offset) = named_value(value)?;
            if found.is_some_and(|(known, _)| known != name) {
                return None;
            }
            found = Some((name, start + (line.len() - value.len()) + offset));
        } else if statement
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| matches!(word, "return" | "yield"))
        {
            return None;
        }
        start += line.len();
    }
    let (_, at) = found?;
    row.name_start.checked_add(u32::try_from(at).ok()?)
}

/// Returns the name that determines the type in `app`, `Flask(name)` or `flask.Flask(name)`, and the byte at
/// which it begins.
fn named_value(value: &str) -> Option<(&str, usize)> {
    let value = value.split('#').next()?.trim_end();
    let mut name = first_word(value);
    let mut at = 0;
    while let Some(rest) = value[at + name.len()..].strip_prefix('.') {
        at += name.len() + 1;
        name = first_word(rest);
    }
    let behind = &value[at + name.len()..];
    // An expression that uses the result of a call has another value.
    let is_call = behind.starts_with('(') && behind.ends_with(')') && behind.matches('(').count() == 1;
    let is_plain = behind.is_empty() && at == 0;
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_name && (is_plain || is_call)).then_some((name, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_have_a_name() {
        for (value, expected) in [
            ("app", Some(("app", 0))),
            ("Flask(__name__)  # new", Some(("Flask", 0))),
            ("flask.Flask(x, y=1)", Some(("Flask", 6))),
            ("app.test_client()", Some(("test_client", 4))),
            ("make()()", None),
            ("f(g(1))", None),
            ("app.name", None),
            ("[1]", None),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(named_value(value), expected, "{value}");
        }
    }

    #[test]
    fn names_that_are_bound_again() {
        assert!(!is_bound_again(
            "f(app):\n    app.run()\n    g(app=app)\n    my_app = 1\n    app.x = 2\n",
            "app"
        ));
        assert!(is_bound_again("f(app):\n    app = 1\n", "app"));
        assert!(is_bound_again("f(app):\n    with x as app: pass\n", "app"));
        assert!(is_bound_again("f(app):\n    for app in x: pass\n", "app"));
    }
}
