//! Methods of a type that would hide those of traits that it implements: `value.len()` calls a method of the type itself first.

use super::RustRenamed;
use crate::family_texts::{FamilyTexts, words_of};
use crate::lookup::rust_attributes;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Methods of the standard library's traits that code calls by name: the trait that brings them.
const STANDARD: [(&str, &str); 46] = [
    ("to_string", "Display"),
    ("fmt", "Display"),
    ("clone", "Clone"),
    ("clone_from", "Clone"),
    ("eq", "PartialEq"),
    ("ne", "PartialEq"),
    ("cmp", "Ord"),
    ("max", "Ord"),
    ("min", "Ord"),
    ("clamp", "Ord"),
    ("partial_cmp", "PartialOrd"),
    ("lt", "PartialOrd"),
    ("le", "PartialOrd"),
    ("gt", "PartialOrd"),
    ("ge", "PartialOrd"),
    ("hash", "Hash"),
    ("default", "Default"),
    ("from", "From"),
    ("into", "From"),
    ("try_from", "TryFrom"),
    ("from_str", "FromStr"),
    ("from_iter", "FromIterator"),
    ("extend", "Extend"),
    ("as_ref", "AsRef"),
    ("as_mut", "AsMut"),
    ("borrow", "Borrow"),
    ("deref", "Deref"),
    ("index", "Index"),
    ("add", "Add"),
    ("sub", "Sub"),
    ("mul", "Mul"),
    ("div", "Div"),
    ("neg", "Neg"),
    ("not", "Not"),
    ("into_iter", "IntoIterator"),
    ("next", "Iterator"),
    ("map", "Iterator"),
    ("filter", "Iterator"),
    ("count", "Iterator"),
    ("last", "Iterator"),
    ("nth", "Iterator"),
    ("collect", "Iterator"),
    ("by_ref", "Iterator"),
    ("read", "Read"),
    ("write", "Write"),
    ("flush", "Write"),
];

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(parent) = symbol.parent() else { return Ok(None) };
    let block = symbol.here.outline.name(parent);
    let is_own = block.starts_with("impl ") && !block.contains(" for ");
    let Some(of) = symbol.type_name().filter(|_| is_own) else { return Ok(None) };
    let mut traits: Vec<String> =
        STANDARD.iter().filter(|one| one.0 == symbol.new).map(|one| one.1.to_owned()).collect();
    for declared in symbol.resolver.declared(symbol.new)?.iter() {
        let Some((outline, row)) = declared.row() else { continue };
        let around =
            row.parent().map(|at| &outline.rows[at]).filter(|row| row.kind() == SymbolKind::Interface);
        traits.extend(around.map(|row| outline.name(row).to_owned()));
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| !traits.is_empty() && one.text.contains(of)) {
        symbol.resolver.cancel.check()?;
        for name in &traits {
            places.extend(words_of(&one.text, name).filter_map(|at| {
                let line = one.text[..at].rsplit('\n').next().unwrap_or("").trim_start();
                let rest = &one.text[at + name.len()..];
                let rest = rest[..rest.find('{').unwrap_or(rest.len())].trim_start();
                let is_impl = line.starts_with("impl") || line.starts_with("unsafe impl");
                // `impl<T> From<A> for T`, and for all types: `impl<T> Len for T`.
                let (_, target) = rest.split_once("for ").filter(|_| is_impl)?;
                let is_all = line.starts_with("impl<") && target.trim().len() == 1;
                (is_all || words_of(target, of).next().is_some()).then(|| one.place(at, name.len()))
            }));
        }
        let Some(there) = one.current(symbol.resolver) else { continue };
        for row in there.outline.rows.iter().filter(|row| there.outline.name(row) == of) {
            let derives = rust_attributes(&there.text, row).filter(|one| one.starts_with("derive"));
            let is_derived = |derive: &str| traits.iter().any(|name| words_of(derive, name).next().is_some());
            if derives.into_iter().any(is_derived) {
                places.push(one.place(row.name_start as usize, of.len()));
            }
        }
    }
    let text = format!("'{of}' has a method '{}' of a trait, which this one would hide", symbol.new);
    Ok(RenameHazard::breaks_at(text, places))
}
