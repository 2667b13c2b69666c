//! Where names of Rust can stand: methods behind `.` or `::`, fields besides in literals and patterns, modules before `::`.
//! Most macros take expressions, in which names mean what they mean outside; others may build names from tokens:
//! `call!(object, method)`. Reads text, and the tree for fields and macros. Invariant: what is not certain may be.

use crate::context::{Receiver, receiver, text_after, text_before};
use crate::family::Family;
use crate::meaning::top_level;
use crate::resolver::{CurrentFile, Resolver};
use crate::rust;
use symd_base::TextRange;
use symd_syntax::{Row, SymbolKind};

/// Whether the name at byte `at` may be combined with other tokens, by a macro or an attribute.
fn may_be_combined(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    let holds = |part: &TextRange| part.start <= at && at < part.end;
    here.local_bindings(resolver).is_none_or(|bindings| bindings.combined.iter().any(holds))
}

/// Whether the bare name at `range` may mean a declaration of `kind`.
pub(crate) fn may_be_bare(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    kind: SymbolKind,
) -> bool {
    let text = here.text.as_str();
    let right = text_after(text, range.end as usize);
    let is_path = right.starts_with("::");
    let may_be = match kind {
        SymbolKind::Method => false,
        // `S { name: value }`, and where it stands for both: `S { name }`.
        SymbolKind::Field => rust::locals::is_field_name(resolver, here, range.start)
            .unwrap_or_else(|| right.starts_with([',', '}']) || right.starts_with(':') && !is_path),
        SymbolKind::Module => is_path,
        _ => true,
    };
    may_be || may_be_combined(resolver, here, range.start)
}

/// Whether a declaration is a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroKind {
    None,
    /// `macro_rules!`: used as `name!`.
    ByExample,
    /// A function of a procedural macro: used as `name!`, or in attributes.
    Procedural,
}

impl MacroKind {
    /// Returns the kind by the text before the name of a declaration.
    pub(crate) fn of(here: &CurrentFile, row: &Row) -> MacroKind {
        let text = here.text.as_str();
        if text_before(text, row.name_start as usize, Family::Rust).ends_with("macro_rules!") {
            return MacroKind::ByExample;
        }
        // Attributes stand between the declaration before and this one.
        let above = text.get(..row.name_start as usize).unwrap_or("");
        let above = &above[above.rfind(['}', ';']).map_or(0, |at| at + 1)..];
        if above.contains("proc_macro") { MacroKind::Procedural } else { MacroKind::None }
    }
}

/// Whether the use at `range` can be in the namespace of the row, by what stands around it: `name!` is a macro's,
/// `name::` a module's or a type's, `'name` that of a label or a lifetime.
pub(crate) fn is_in_namespace(
    resolver: &Resolver,
    here: &CurrentFile,
    range: TextRange,
    target: &Row,
    kind: MacroKind,
) -> bool {
    use SymbolKind::{Constant, Field, Function, Method, Module, Variable};
    let text = here.text.as_str();
    let (left, right) =
        (text.get(..range.start as usize).unwrap_or(""), text_after(text, range.end as usize));
    if left.ends_with('\'') {
        return false;
    }
    let is_invoked = right.starts_with('!') && !right.starts_with("!=");
    let is_path = right.starts_with("::") && !right["::".len()..].trim_start().starts_with('<');
    let is_key = right.starts_with(':') && !right.starts_with("::");
    if is_key
        && target.kind() != Field
        && rust::locals::is_field_name(resolver, here, range.start) == Some(true)
    {
        return false;
    }
    let fits = match (target.kind(), kind) {
        (_, MacroKind::Procedural) => true,
        (Function, MacroKind::ByExample) => is_invoked,
        (Function | Method | Constant | Variable, _) => !is_invoked && !is_path,
        // `pub(in crate::module)`, `module /* comment */ ::name`.
        (Module, _) => is_path || right.starts_with(')') || right.starts_with('/'),
        _ => !is_invoked,
    };
    fits || may_be_combined(resolver, here, range.start)
}

/// Whether locals cannot hide the name that ends at byte `end`: that of a module, a type or a macro.
pub(crate) fn is_beside_locals(text: &str, end: usize) -> bool {
    let right = text_after(text, end);
    right.starts_with("::") || right.starts_with('!') && !right.starts_with("!=")
}

/// Whether the name at byte `at` is at the end of a path into the standard library: `std::fs::write`.
pub(crate) fn is_of_standard_library(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    let standard = resolver.profile.imports.standard;
    !standard.is_empty()
        && match receiver(here.text.as_str(), at as usize, resolver.family) {
            Receiver::Chain(names, start) => {
                let first = names.first().copied().unwrap_or_default();
                standard.contains(&first)
                    && here.text.as_str()[start + first.len()..].starts_with("::")
                    // The project may have a module of that name.
                    && here.binding(resolver.family, first).next().is_none()
                    && top_level(&here.file, first).is_empty()
            }
            _ => false,
        }
}
