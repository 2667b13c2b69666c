//! Calls that give a program the names of a class's fields: `asdict(x)` of dataclasses, `x._asdict()` of named tuples. What `x` is,
//! is not known: a call is told for every field of such a class.

use crate::conflicts::SourcePlace;
use crate::hierarchy::classes::is_class;
use crate::name_places::{places_of, with_name};
use crate::python::fixtures::decorators;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Decorators that make parameters of fields.
const DECORATORS: [&str; 5] = ["dataclass", "define", "frozen", "mutable", "attrs"];

/// Finds these calls, where the target is a field of a dataclass or a named tuple.
pub(crate) fn field_readers(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(Vec::new()) };
    let row = here.row_of(target).map(|at| &here.outline.rows[at]);
    let is_value = |row: &&symd_syntax::Row| {
        !matches!(row.kind(), SymbolKind::Method | SymbolKind::Function | SymbolKind::Class)
    };
    let class =
        row.filter(is_value).and_then(|row| row.parent()).filter(|&at| is_class(&here.outline.rows[at]));
    let Some(class) = class else { return Ok(Vec::new()) };
    let of = &here.outline.rows[class];
    let head = &here.text.as_str()[of.name_start as usize..];
    let bases = head.split(':').next().unwrap_or_default();
    let own = decorators(&here, class);
    let readers: &[&str] = match DECORATORS.iter().any(|one| own.contains(one)) {
        true => &["asdict", "fields"],
        false if bases.contains("NamedTuple") => &["_asdict", "_fields"],
        false => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for word in readers {
        for there in with_name(resolver, word)? {
            let text = there.text.as_str();
            for range in places_of(&there, word) {
                let (before, behind) = (&text[..range.start as usize], &text[range.end as usize..]);
                let is_read = match *word {
                    "_fields" => before.ends_with('.'),
                    "_asdict" => before.ends_with('.') && behind.starts_with('('),
                    _ => behind.starts_with('(') && is_module_function(before),
                };
                if is_read {
                    found.push((there.file.path.clone(), range));
                }
            }
        }
    }
    Ok(found)
}

/// Whether a called name is that of `dataclasses`, or of attrs, and no method or declaration.
fn is_module_function(before: &str) -> bool {
    let is_of_module = ["dataclasses.", "attr.", "attrs."].iter().any(|module| before.ends_with(module));
    is_of_module || !before.ends_with('.') && !before.trim_end().ends_with("def")
}
