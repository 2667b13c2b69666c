//! Uses of what C and C++ declare that do not hold the name.

use super::super::family::Family;
use super::super::sources::{IndexedDeclaration, Sources};
use super::pasted::pasted_names;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Returns how many uses of `target` may lack its name, of which nothing more is known: one for an operator, a conversion or
/// a destructor; and each place where a macro may build the name. 0 for other languages.
pub fn unnamed_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<usize, Cancelled> {
    let pasted = pasted_names(sources, target, cancel)?.len();
    Ok(pasted + usize::from(is_used_without_name(target)))
}

/// Whether expressions use a function of C++ without its name: an operator, a conversion, a destructor.
fn is_used_without_name(target: &IndexedDeclaration) -> bool {
    let name = target.name();
    let is_word = || !name.starts_with("operator ") && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    Family::of(&target.file) == Some(Family::C)
        && target.row().is_some_and(|(_, row)| row.kind().is_callable())
        && !is_word()
}
