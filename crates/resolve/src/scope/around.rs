//! The functions and classes around a place, and what of them the place sees.

use crate::context::{last_word, text_before};
use crate::enclosing::is_enclosing;
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_syntax::{Row, SymbolKind};

/// Returns what `self` and the like stand for at byte `at`: the innermost class around it, unknown outside of classes.
pub(crate) fn own_class(here: &CurrentFile, at: u32) -> Meaning {
    class_around(here, at).map_or(Meaning::Unknown, |class| Meaning::Declared(vec![class]))
}

/// Returns the innermost class around byte `at`.
pub(crate) fn class_around(here: &CurrentFile, at: u32) -> Option<IndexedDeclaration> {
    let row = around(here, at).into_iter().find(|&row| is_class(&here.outline.rows[row]))?;
    Some(here.target(row))
}

/// Returns the row of the innermost function around byte `at`.
pub(crate) fn function_around(here: &CurrentFile, at: u32) -> Option<usize> {
    around(here, at).into_iter().find(|&row| !is_class(&here.outline.rows[row]))
}

/// Returns the outermost function around byte `at`; `None` outside of functions.
pub(crate) fn outermost_function(here: &CurrentFile, at: usize) -> Option<&Row> {
    let byte = u32::try_from(at).ok()?;
    let is_function =
        |row: &Row| matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    here.outline.rows.iter().find(|row| row.start <= byte && byte < row.end && is_function(row))
}

/// Returns the rows of the functions and classes around byte `at`, innermost first.
pub(crate) fn around(here: &CurrentFile, at: u32) -> Vec<usize> {
    let rows = here.outline.rows.iter().enumerate();
    let mut around: Vec<usize> = rows
        .filter(|(_, row)| row.start <= at && at < row.end && is_enclosing(row))
        .map(|(number, _)| number)
        .collect();
    around.sort_by_key(|&row| {
        let range = &here.outline.rows[row];
        (range.end - range.start, std::cmp::Reverse(row))
    });
    around
}

pub(super) fn children(
    here: &CurrentFile,
    scope: usize,
    name: &str,
    accepts: &dyn Fn(&Row) -> bool,
) -> Vec<usize> {
    let rows = &here.outline.rows;
    let is_it = |&at: &usize| here.outline.name(&rows[at]) == name && accepts(&rows[at]);
    here.outline.children(scope).filter(is_it).collect()
}

/// Whether byte `at` is in the body of a class that binds `name` later: until then, the name means what is
/// outside of the class.
pub(crate) fn reads_past_class(here: &CurrentFile, at: u32, name: &str) -> bool {
    let innermost = around(here, at).into_iter().find(|&row| is_in_body(here, &here.outline.rows[row], at));
    let Some(class) = innermost.filter(|&row| is_class(&here.outline.rows[row])) else { return false };
    let own = children(here, class, name, &|_| true);
    !own.is_empty() && is_read_before(here, &own, at)
}

/// Whether a class body reads the name at byte `at` before it binds it: `zap = zap + 1` reads what is
/// outside.
pub(super) fn is_read_before(here: &CurrentFile, own: &[usize], at: u32) -> bool {
    let rows = || own.iter().map(|&row| &here.outline.rows[row]);
    let is_name = rows().any(|row| row.name_start == at);
    !is_name && rows().map(|row| row.end).min().is_some_and(|end| at < end)
}

/// Whether byte `at` of a Python file is evaluated in the scope of a comprehension, which does not see the
/// names of an enclosing class body.
pub(super) fn is_in_comprehension(here: &CurrentFile, at: u32) -> bool {
    here.comprehensions().iter().any(|one| one.holds(at))
}

/// Whether byte `at` lies before the brace that opens the body of a class, which is no record.
pub(super) fn is_in_head(here: &CurrentFile, row: &Row, at: u32) -> bool {
    let text = here.text.as_str();
    let name_end = row.name_start as usize + usize::from(row.name_len);
    let is_record = || last_word(text_before(text, row.name_start as usize, Family::Jvm)) == "record";
    match text.get(name_end..at as usize) {
        Some(between) => !between.contains('{') && !is_record(),
        None => true,
    }
}

/// Whether byte `at` lies behind the header of a Python function or class: decorators, defaults, annotations
/// and bases belong to the enclosing scope.
pub(super) fn is_in_body(here: &CurrentFile, row: &Row, at: u32) -> bool {
    if at < row.name_start + u32::from(row.name_len) {
        return false;
    }
    let from = row.name_start as usize + usize::from(row.name_len);
    let Some(header) = here.text.as_str().get(from..at as usize) else { return false };
    let mut depth = 0_usize;
    for byte in header.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
