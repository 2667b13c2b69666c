//! Kotlin's properties whose delegates use the property's name: `val name: String by map`.

use crate::family::{Family, has_types};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::{Cancel, RelPath, TextRange};

/// Finds the delegates of `targets`, declarations of one symbol, that look a value up by the property's name, or may read it: maps, and delegates
/// whose code names `.name`. None for other languages.
pub fn delegates_that_read_name(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Vec<(RelPath, TextRange)> {
    let typed: Vec<&IndexedDeclaration> = targets.iter().filter(|one| has_types(&one.file)).collect();
    if typed.is_empty() {
        return Vec::new();
    }
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let found = typed.into_iter().filter_map(|one| {
        let range = resolver.kotlin().delegate_that_reads_name(one)?;
        Some((one.file.path.clone(), range))
    });
    found.collect()
}
