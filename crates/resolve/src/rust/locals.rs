//! Where a Rust name is a local, and where it is that of a field, by the syntax tree. Invariant: a text whose
//! names of this spelling are all members, paths or calls is not parsed.

use crate::binders::LocalScopes;
use crate::context::text_after;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::TextRange;
use symd_syntax::SymbolKind;

/// Returns where a local called `name` is in scope.
pub(crate) fn scopes(resolver: &Resolver, here: &CurrentFile, name: &str) -> LocalScopes {
    let mut scopes = LocalScopes::default();
    if !may_be_bound(here, name) {
        return scopes;
    }
    let text = here.text.as_str();
    let Some(bindings) = here.local_bindings(resolver) else {
        let whole = u32::try_from(text.len()).map(|end| TextRange::new(0, end));
        scopes.doubtful.extend(whole);
        return scopes;
    };
    // A constant of that name is no binding of a pattern.
    let may_be_constant = resolver.declared(name).is_ok_and(|declared| {
        declared.iter().any(|one| one.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Constant))
    });
    for local in here.locals_called(resolver, name).into_iter().flatten() {
        let into = if local.is_sure && !(may_be_constant && is_in_pattern(text, local.name)) {
            &mut scopes.sure
        } else {
            &mut scopes.doubtful
        };
        into.push(local.name);
        into.extend(&local.scopes);
    }
    scopes.doubtful.extend(bindings.unparsed.iter().filter(|part| binds_within(text, **part, name)));
    scopes
}

/// Whether the name at byte `at` is that of a field in a literal or a pattern; `None` where that is not known.
pub(crate) fn is_field_name(resolver: &Resolver, here: &CurrentFile, at: u32) -> Option<bool> {
    let bindings = here.local_bindings(resolver)?;
    if bindings.field_names.binary_search(&at).is_ok() {
        return Some(true);
    }
    let is_unparsed = bindings.unparsed.iter().any(|part| part.start <= at && at < part.end);
    (!is_unparsed).then_some(false)
}

/// Whether a local's name may be that of a constant in a pattern: no `let name`, `mut name`, `name: T` or
/// parameter `|name|`.
fn is_in_pattern(text: &str, name: TextRange) -> bool {
    let left = text.get(..name.start as usize).unwrap_or("");
    let right = text_after(text, name.end as usize);
    !["let ", "mut ", "ref ", "for ", "|"].iter().any(|word| left.ends_with(word))
        && !right.starts_with([':', '@'])
}

/// Whether the name stands anywhere in the file where a pattern could bind it.
fn may_be_bound(here: &CurrentFile, name: &str) -> bool {
    let text = here.text.as_str();
    let is_capital = name.starts_with(char::is_uppercase);
    here.outline.occurrences.offsets_of(name).any(|at| {
        let at = at as usize;
        let right = text_after(text, at + name.len());
        let left = text.get(..at).unwrap_or("");
        if is_capital {
            // `fn f<const N: usize>`; patterns bind no such name.
            let before = left.strip_suffix("const ").map(str::trim_end);
            return before.is_some_and(|before| before.ends_with(['<', ',']));
        }
        let is_member = left.ends_with('.') && !left.ends_with("..") || left.ends_with("::");
        let is_declared = left.ends_with("fn ") || left.ends_with("mod ");
        let is_head = right.starts_with(['(', '!', '<', '.', '?', ';']) || right.starts_with("::");
        !is_member && !is_declared && (!is_head || is_let(left, right))
    })
}

/// Whether `let name;` binds.
fn is_let(left: &str, right: &str) -> bool {
    right.starts_with(';') && (left.ends_with("let ") || left.ends_with("mut "))
}

/// Whether something in a part of the text that was not understood looks like a binding of the name.
fn binds_within(text: &str, part: TextRange, name: &str) -> bool {
    let Some(within) = text.get(part.as_range()) else { return false };
    memchr::memmem::find_iter(within.as_bytes(), name).any(|at| {
        let left = within[..at].trim_end();
        let right = within[at + name.len()..].trim_start();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if within[..at].ends_with(is_word) || within[at + name.len()..].starts_with(is_word) {
            return false;
        }
        ["let", "mut", "ref", "for", "|", "in"].iter().any(|word| left.ends_with(word))
            || right.starts_with("=>")
            || right.starts_with('=') && !right.starts_with("==")
            || right.starts_with(')') && right[1..].trim_start().starts_with('=')
    })
}
