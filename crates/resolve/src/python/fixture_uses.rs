//! Where pytest passes a fixture: parameters of its name, and the strings of `usefixtures` and `getfixturevalue`. No
//! other code names a fixture, and servers do not know these uses.

use std::sync::Arc;

use crate::family::Family;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::python::fixtures::{decorators, is_fixture, provided_name, visible_fixture};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::function_around;
use crate::sources::{IndexedDeclaration, Sources};
use crate::test_functions::is_test;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{Row, SymbolKind};

/// The file whose fixtures are visible beneath its directory.
const CONFTEST: &str = "conftest.py";

/// The functions that take the names of fixtures as strings.
const TAKES_NAMES: [&str; 2] = ["usefixtures", "getfixturevalue"];

/// Returns the places at which pytest passes the fixture `target`, each with the fixture's name; none for other
/// symbols.
pub(crate) fn fixture_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    let family = Family::of(&target.file).filter(|family| family.profile().uses.has_test_functions);
    let Some(family) = family else { return Ok(found) };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(there) = resolver.read_file(&target.file) else { return Ok(found) };
    let Some(row) = there.row_of(target).filter(|&row| is_fixture(&there, row)) else { return Ok(found) };
    let fixture =
        Fixture { name: provided_name(&there, row), row, class: class_of(&there, row), here: &there };
    let words = TAKES_NAMES.into_iter().chain([fixture.name]).map(NeededWords::of_name);
    for file in sources.snapshot().files.with_any_words(words) {
        if Family::of(file) != Some(family) {
            continue;
        }
        let holds = |word| file.holds(word);
        if !fixture.may_be_visible(file) || !holds(fixture.name) && !TAKES_NAMES.into_iter().any(holds) {
            continue;
        }
        cancel.check()?;
        let Some(here) = resolver.read_uncached(file) else { continue };
        let places = parameters(&here, &fixture).into_iter().chain(strings(&here, fixture.name));
        for (range, function) in places {
            if let Some(judgement) = fixture.judge(&resolver, &here, function) {
                let path = here.file.path.clone();
                found.push((fixture.name.to_owned(), Occurrence { path, range, judgement, role: Role::Use }));
            }
        }
    }
    Ok(found)
}

/// The fixture whose uses are searched.
struct Fixture<'h> {
    /// The name under which it is passed.
    name: &'h str,
    row: usize,
    /// The row of the class that declares it.
    class: Option<usize>,
    here: &'h CurrentFile,
}

impl Fixture<'_> {
    /// Whether functions of a file may see the fixture. A module's fixtures are visible elsewhere if they are imported,
    /// or if the module is a plugin.
    fn may_be_visible(&self, file: &FileEntry) -> bool {
        let own = &self.here.file.path;
        let is_beneath = || own.parent().is_some_and(|directory| file.path.is_within(&directory));
        match own.file_name() {
            CONFTEST => is_beneath(),
            _ => self.class.is_none() || file.path == *own,
        }
    }

    /// Judges whether pytest passes this fixture by its name to the function in a row of `here`, or to its module.
    /// Returns `None` if it passes another one, or none.
    fn judge(&self, resolver: &Resolver, here: &CurrentFile, function: Option<usize>) -> Option<Judgement> {
        let class = function.and_then(|function| class_of(here, function));
        let is_own =
            |(file, row): &(Arc<FileEntry>, usize)| file.path == self.here.file.path && *row == self.row;
        let is_itself = here.file.path == self.here.file.path && function == Some(self.row);
        let meant = visible_fixture(resolver, here, class, self.name);
        match &meant {
            // A fixture that takes one of its own name takes the one that it replaces.
            Some(_) if is_itself => None,
            Some(meant) if is_own(meant) => Some(Judgement::Likely),
            Some((file, row)) if file.path == here.file.path && Some(*row) == function => {
                Some(Judgement::Unchecked)
            }
            Some(_) => None,
            None => Some(Judgement::Unchecked),
        }
    }
}

/// Returns the class whose member the function in a row is.
fn class_of(here: &CurrentFile, function: usize) -> Option<usize> {
    here.outline.rows.get(function)?.parent()
}

/// Returns what passes the parameter `target` by its name: "pytest" a fixture, "a decorator" a value whose name it holds in a
/// string, `@option("--dry-run")`. `None` for others, and for other declarations.
pub fn parameter_filler(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Option<&'static str>, Cancelled> {
    let family = Family::of(&target.file).filter(|family| family.profile().uses.has_test_functions);
    let Some(family) = family else { return Ok(None) };
    let resolver = Resolver::new(sources, family, cancel);
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let Some(row) = here.row_of(target).map(|row| &here.outline.rows[row]) else { return Ok(None) };
    let Some(function) = row.parent().filter(|&function| is_parameter(&here, row, function)) else {
        return Ok(None);
    };
    let name = here.outline.name(row);
    let of = here.outline.name(&here.outline.rows[function]);
    Ok(
        if names_in_string(decorators(&here, function), name) || is_keyword(decorators(&here, function), name)
        {
            Some("a decorator")
        } else if of.starts_with("pytest_")
            && row.parent().is_some_and(|at| here.outline.rows[at].parent().is_none())
        {
            // A hook gets what it asks for by name.
            Some("pytest")
        } else {
            let is_known = is_test(&here.outline, function) || is_fixture(&here, function);
            let is_filled = is_known && !is_given(&here, row) && is_filled_by_pytest(&here, function, name);
            is_filled.then_some("pytest")
        },
    )
}

/// Whether a local's row is a parameter of the function in a row.
fn is_parameter(here: &CurrentFile, row: &Row, function: usize) -> bool {
    let of = &here.outline.rows[function];
    let is_function = matches!(of.kind(), SymbolKind::Function | SymbolKind::Method);
    is_function && row.is_local() && row.name_start < of.name_start.saturating_add(u32::from(of.head))
}

/// Whether a parameter has a default value, which pytest leaves to it.
fn is_given(here: &CurrentFile, row: &Row) -> bool {
    let behind = here.text.as_str().get(row.name_start as usize + usize::from(row.name_len)..).unwrap_or("");
    let end = behind.find([',', ')', '\n']).unwrap_or(behind.len());
    behind[..end].contains('=')
}

/// Whether strings in these decorators hold the name, `-` for `_`.
fn names_in_string(decorators: &str, name: &str) -> bool {
    let mut strings = decorators.split(['"', '\'']).skip(1).step_by(2);
    strings.any(|string| {
        let string = string.replace('-', "_");
        let mut words = string.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| word.trim_start_matches('_') == name.trim_start_matches('_') && !word.is_empty())
    })
}

/// Whether decorators are given a keyword of the name: `@given(name=integers())`.
fn is_keyword(decorators: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    decorators.match_indices(name).any(|(at, _)| {
        let behind = decorators[at + name.len()..].trim_start();
        decorators[..at].trim_end().ends_with(['(', ','])
            && !decorators[at + name.len()..].starts_with(is_part)
            && behind.starts_with('=')
            && !behind.starts_with("==")
    })
}

/// Returns the parameters of the fixture's name, each with its function's row, which pytest may fill.
fn parameters(here: &CurrentFile, fixture: &Fixture) -> Vec<(TextRange, Option<usize>)> {
    let outline = &here.outline;
    let filled = |row: &Row| {
        let function = row.parent().filter(|_| outline.name(row) == fixture.name)?;
        let is_filled =
            is_parameter(here, row, function) && is_filled_by_pytest(here, function, fixture.name);
        let end = row.name_start.saturating_add(u32::from(row.name_len));
        is_filled.then(|| (TextRange::new(row.name_start, end), Some(function)))
    };
    outline.rows.iter().filter_map(filled).collect()
}

/// Whether pytest fills the parameter of this name of a function: a test, a fixture, or a function that a decorator makes
/// known to a plugin; unless `parametrize` gives the value.
fn is_filled_by_pytest(here: &CurrentFile, function: usize, name: &str) -> bool {
    let own = decorators(here, function);
    let of_class = class_of(here, function).map_or("", |class| decorators(here, class));
    let is_parametrized = [own, of_class].into_iter().any(|text| gives_value(text, name));
    let is_known = is_test(&here.outline, function) || is_fixture(here, function);
    (is_known || own.contains('@')) && !is_parametrized
}

/// Whether `parametrize` in these decorators gives the parameter's value itself, not that of a fixture.
fn gives_value(decorators: &str, name: &str) -> bool {
    decorators.match_indices("parametrize(").any(|(at, call)| {
        let arguments = &decorators[at + call.len()..];
        let arguments = arguments.split("\n@").next().unwrap_or(arguments);
        let named = arguments.trim_start().trim_start_matches(['(', '[']);
        // `"a, b"`, or `("a", "b")`.
        let end = match named.len() == arguments.trim_start().len() {
            true => named.char_indices().skip(1).find(|(_, c)| matches!(c, '"' | '\'')).map(|(at, _)| at),
            false => named.find([')', ']']),
        };
        let names = &named[..end.unwrap_or(named.len())];
        let mut words = names.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| word == name) && !arguments.contains("indirect")
    })
}

/// Returns the strings that name the fixture as an argument of `usefixtures` or `getfixturevalue`, without quotes, each
/// with the row of the function around it, or of the one that is decorated.
fn strings(here: &CurrentFile, name: &str) -> Vec<(TextRange, Option<usize>)> {
    let text = here.text.as_str();
    let mut found = Vec::new();
    for taker in TAKES_NAMES {
        for at in here.outline.occurrences.offsets_of(taker) {
            let start = at as usize + taker.len();
            let Some(arguments) = text.get(start..).filter(|rest| rest.starts_with('(')) else { continue };
            let arguments = &arguments[..arguments.find(')').unwrap_or(0)];
            for (offset, _) in arguments.match_indices(name) {
                let is_whole = arguments[..offset].ends_with(['"', '\''])
                    && arguments[offset + name.len()..].starts_with(['"', '\'']);
                let Some(from) = u32::try_from(start + offset).ok().filter(|_| is_whole) else { continue };
                let end = from.saturating_add(u32::try_from(name.len()).unwrap_or(0));
                let function = function_around(here, at).or_else(|| decorated(here, at));
                found.push((TextRange::new(from, end), function));
            }
        }
    }
    found
}

/// Returns the row of the function or class that the decorator at byte `at` decorates.
fn decorated(here: &CurrentFile, at: u32) -> Option<usize> {
    here.outline.rows.iter().position(|row| row.start <= at && at < row.name_start && !row.is_local())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_parametrize_gives() {
        for (decorators, expected) in [
            ("@pytest.mark.parametrize(\"db\", [1])\n", true),
            ("@pytest.mark.parametrize('x, db', [(1, 2)])\n", true),
            ("@pytest.mark.parametrize((\"x\", \"db\"), [(1, 2)])\n", true),
            ("@pytest.mark.parametrize(\n    [\"db\"], [(1,)])\n", true),
            ("@pytest.mark.parametrize(\"x\", [\"db\"])\n", false),
            ("@pytest.mark.parametrize(\"db\", [1], indirect=True)\n", false),
            ("@pytest.mark.slow\n", false),
        ] {
            assert_eq!(gives_value(decorators, "db"), expected, "{decorators}");
        }
    }
}
