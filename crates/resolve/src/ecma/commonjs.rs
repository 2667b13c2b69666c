//! What a CommonJS module exports: `module.exports = name`, `module.exports = require(…)`, `exports.name = name`, `module.exports = { name }`.

use crate::brackets::close_bracket;
use crate::context::{first_word, last_word};
use crate::family::Family;
use crate::meaning::{Meaning, binds};
use crate::modules::Module;
use crate::resolver::Resolver;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::{ImportKind, Imported};

/// The name under which an outline lists what a module is as a whole.
pub(crate) const WHOLE: &str = "module.exports";

/// Resolves what a module is as a whole, where its file says `module.exports = name` or `module.exports = require(…)`.
pub(crate) fn whole_export(
    resolver: &Resolver,
    module: &Module,
    hops: usize,
) -> Result<Option<Meaning>, Cancelled> {
    let Module::File(file) = module else { return Ok(None) };
    let Some(imports) = resolver.imports_of(file) else { return Ok(None) };
    let exported =
        imports.iter().find(|import| import.kind == ImportKind::Export && import.alias == Some(WHOLE));
    let Some(exported) = exported else { return Ok(None) };
    let found = match exported.imported {
        Imported::Name(name) => {
            // `const name = require(…)` declares the name, and imports it.
            let required = imports.iter().find(|import| binds(Family::Ecma, import) == Some(name));
            match required {
                Some(import) => resolver.import(file, &import, hops)?,
                None => resolver.own(file, name, hops)?,
            }
        }
        // `module.exports = require(…)`
        _ => resolver.import(file, &exported, hops)?,
    };
    Ok(match found {
        found @ (Meaning::Declared(_) | Meaning::Module(_)) => Some(found),
        _ => None,
    })
}

/// Whether a file offers its own declaration called `name` to importers: a CommonJS module only what it assigns to its exports.
pub(crate) fn may_offer(resolver: &Resolver, file: &FileEntry, name: &str) -> bool {
    let exports_names = |imports: std::rc::Rc<symd_syntax::ImportList>| {
        imports.iter().any(|import| import.kind == ImportKind::Export && import.alias != Some(WHOLE))
    };
    let is_commonjs = file.holds("exports") && !resolver.imports_of(file).is_some_and(exports_names);
    let entry = if is_commonjs { resolver.file(file.path.as_str()) } else { None };
    let here = entry.and_then(|entry| resolver.read_file(entry));
    here.is_none_or(|here| assigns(here.text.as_str(), name))
}

/// Whether a text assigns the variable `name` to the export of that name.
fn assigns(text: &str, name: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "exports").any(|at| {
        let rest = text[at + "exports".len()..].trim_start();
        if let Some(member) = rest.strip_prefix('.') {
            let value = member.strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix('='));
            return first_word(member) == name
                && value.is_some_and(|value| first_word(value.trim_start()) == name);
        }
        let Some(object) = rest.strip_prefix('=').map(str::trim_start) else { return false };
        object.starts_with('{') && has_own(&object[..close_bracket(object, 0)], name)
    })
}

/// Whether an object has a member `name` that the variable of that name gives: `{ name }`, `{ name: name }`.
fn has_own(object: &str, name: &str) -> bool {
    memchr::memmem::find_iter(object.as_bytes(), name).any(|at| {
        let (left, right) = (object[..at].trim_end(), object[at + name.len()..].trim_start());
        let is_whole =
            last_word(&object[..at]).is_empty() && first_word(&object[at + name.len()..]).is_empty();
        let is_value = left.strip_suffix(':').is_some_and(|left| last_word(left.trim_end()) == name);
        is_whole && right.starts_with([',', '}']) && (left.ends_with(['{', ',']) || is_value)
    })
}

#[cfg(test)]
mod tests {
    use super::assigns;

    #[test]
    fn what_is_exported() {
        for (text, expected) in [
            ("exports.run = run;", true),
            ("module.exports.run = run", true),
            ("module.exports = { go, run };", true),
            ("module.exports = {\n  run: run,\n};", true),
            ("exports.run = other;", false),
            ("module.exports = { run: other };", false),
            ("exports.runs = runs", false),
            ("const api = module.exports = {}; api.run = 1;", false),
        ] {
            assert_eq!(assigns(text, "run"), expected, "{text}");
        }
    }
}
