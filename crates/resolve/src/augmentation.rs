//! Types and namespaces of TypeScript that add to what a library declares by the same name: in `declare global { … }`, in
//! `declare module "library" { … }`, and at the top level of a file that is no module. The library's name stays as it is.

use super::brackets::open_bracket;
use super::context::{last_word, text_before};
use super::family::Family;
use super::profiles::LanguageProfile;
use super::sources::{IndexedDeclaration, Sources};
use symd_syntax::SymbolKind;

/// Returns what the declaration `target` adds to outside of the project, as an answer says it: "`declare module \"express\"`"; `None`
/// if it adds to nothing that is known.
pub fn augmented_outside(sources: &dyn Sources, target: &IndexedDeclaration) -> Option<String> {
    let (outline, row) = target.row()?;
    if Family::of(&target.file) != Some(Family::Ecma)
        || !matches!(row.kind(), SymbolKind::Interface | SymbolKind::Module | SymbolKind::Class)
    {
        return None;
    }
    let current = target.unchanged_text(sources)?;
    let text = current.text.as_str();
    let is_module = text.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
    let mut at = row.name_start as usize;
    while let Some(open) = open_bracket(text, at) {
        let head = text_before(text, open, Family::Ecma);
        if last_word(head) == "global" {
            return Some("declare global".to_owned());
        }
        if let Some(module) = quoted(head).filter(|_| is_module) {
            return (!module.starts_with('.')).then(|| format!("declare module \"{module}\""));
        }
        at = open;
    }
    let is_known = LanguageProfile::of(&target.file)?.global_types.contains(&outline.name(row));
    (!is_module && row.parent().is_none() && is_known).then(|| "a file that is no module".to_owned())
}

/// Returns the string that the head of `declare module "name"` ends with.
fn quoted(head: &str) -> Option<&str> {
    let quote = head.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
    let (before, name) = head[..head.len() - 1].rsplit_once(quote)?;
    (last_word(before.trim_end()) == "module").then_some(name)
}
