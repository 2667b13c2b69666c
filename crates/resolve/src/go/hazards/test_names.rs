//! Names by which `go test` finds tests, and by which `go vet` checks examples: `ExampleReverse` belongs to `Reverse`.

use super::{GoOwner, GoRenamed, is_exported};
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// What a test's name begins with.
const TESTS: [&str; 4] = ["Test", "Benchmark", "Fuzz", "Example"];

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut found: Vec<RenameHazard> = becomes_test(symbol).into_iter().collect();
    let examples = match &symbol.owner {
        GoOwner::Package if is_exported(&symbol.old) => examples_of(symbol, texts, &symbol.old)?,
        GoOwner::Receiver(of) => examples_of(symbol, texts, &format!("{of}_{}", symbol.old))?,
        _ => Vec::new(),
    };
    let text = format!(
        "examples belong to '{}' by their names, which are not changed: go vet will not find what they show",
        symbol.old
    );
    found.extend(RenameHazard::doubt(text, examples));
    Ok(found)
}

/// Returns whether a function of a test file gets a name that `go test` takes for a test's.
fn becomes_test(symbol: &GoRenamed) -> Option<RenameHazard> {
    let is_it = symbol.owner == GoOwner::Package
        && symbol.row.kind() == SymbolKind::Function
        && symbol.here.file.path.as_str().ends_with("_test.go")
        && is_test_name(symbol.new)
        && !is_test_name(&symbol.old);
    is_it.then(|| {
        let text = format!("go test would run '{}' as a test, which '{}' is not", symbol.new, symbol.old);
        RenameHazard::breaks(text)
    })
}

/// Whether a name is `Test`, or `TestX` where `X` does not begin with a small letter.
fn is_test_name(name: &str) -> bool {
    let rest = TESTS.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase)) || name == "TestMain"
}

/// Returns the examples of test files that are called after `named`, `ExampleNamed`, or after it with a suffix.
fn examples_of(
    symbol: &GoRenamed,
    texts: &FamilyTexts,
    named: &str,
) -> Result<Vec<crate::conflicts::SourcePlace>, Cancelled> {
    let wanted = format!("Example{named}");
    let mut places = Vec::new();
    let directory = symbol.here.file.path.parent();
    for one in texts.iter() {
        let is_test = one.path.as_str().ends_with("_test.go") && one.path.parent() == directory;
        if !is_test || !one.text.contains(&wanted) {
            continue;
        }
        symbol.resolver.cancel.check()?;
        let Some(there) = one.current(symbol.resolver) else { continue };
        for row in there.outline.rows.iter().filter(|row| row.kind() == SymbolKind::Function) {
            let name = there.outline.name(row);
            if name.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')) {
                places.push(one.place(row.name_start as usize, name.len()));
            }
        }
    }
    Ok(places)
}
