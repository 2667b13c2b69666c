//! What a CommonJS module exports: `module.exports = name`, `module.exports = require(…)`, `exports.name = name`, `module.exports = { name }`.

use crate::brackets::close_bracket;
use crate::context::{first_word, last_word};
use crate::family::Family;
use crate::meaning::{Meaning, binds};
use crate::modules::Module;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::TextRange;
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
    !keys(text, name).is_empty()
}

/// Returns the places where a CommonJS module names the export that its own `target` is given to, if it has the target's name:
/// the keys in `exports.run = run`, `exports["run"] = run`, `module.exports = { run }`.
pub fn own_export_names(sources: &dyn Sources, target: &IndexedDeclaration) -> Vec<TextRange> {
    let is_script = Family::of(&target.file) == Some(Family::Ecma);
    let is_of_module = target.row().is_some_and(|(_, row)| row.parent().is_none());
    if !is_script || !is_of_module || !target.file.holds("exports") {
        return Vec::new();
    }
    let Some(current) = target.unchanged_text(sources) else { return Vec::new() };
    let name = target.name();
    let range = |at: usize| {
        let start = u32::try_from(at).ok()?;
        Some(TextRange::new(start, start.checked_add(u32::try_from(name.len()).ok()?)?))
    };
    keys(current.text.as_str(), name).into_iter().filter_map(range).collect()
}

/// Returns the places where a CommonJS module gives its own `target` to its exports under the target's name, none where it is the
/// module as a whole, `module.exports = run`; `None` where it is not exported by its value. Other files name the export, and no use of
/// theirs depends on the name of what it was given.
pub fn exported_by_value(sources: &dyn Sources, target: &IndexedDeclaration) -> Option<Vec<TextRange>> {
    let keys = own_export_names(sources, target);
    let is_of_module = target.row().is_some_and(|(_, row)| row.parent().is_none());
    let imports = target.file.imports()?.unpack();
    let exports = || imports.iter().filter(|import| import.kind == ImportKind::Export);
    let is_whole = |import: &symd_syntax::Import| {
        import.alias == Some(WHOLE) && import.imported == Imported::Name(target.name())
    };
    let is_commonjs =
        is_of_module && target.file.holds("exports") && exports().all(|one| one.alias == Some(WHOLE));
    (is_commonjs && (!keys.is_empty() || exports().any(|one| is_whole(&one)))).then_some(keys)
}

/// Returns the bytes of the keys by which a text gives the variable `name` to the export of that name.
fn keys(text: &str, name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), "exports") {
        let rest = text[at + "exports".len()..].trim_start();
        if let Some(member) = rest.strip_prefix('.').map(str::trim_start) {
            let value = member.strip_prefix(name).and_then(|rest| rest.trim_start().strip_prefix('='));
            let is_it = first_word(member) == name
                && value.is_some_and(|value| first_word(value.trim_start()) == name);
            found.extend(is_it.then(|| text.len() - member.len()));
            continue;
        }
        // `exports["run"] = run`
        if let Some(key) =
            rest.strip_prefix('[').map(str::trim_start).filter(|key| key.starts_with(['"', '\'']))
        {
            let value = key[1..].strip_prefix(name).and_then(|rest| rest.strip_prefix(&key[..1]));
            let value = value.and_then(|rest| rest.trim_start().strip_prefix(']'));
            let value = value.and_then(|rest| rest.trim_start().strip_prefix('='));
            let is_it = value.is_some_and(|value| first_word(value.trim_start()) == name);
            found.extend(is_it.then(|| text.len() - key.len() + 1));
            continue;
        }
        let Some(object) = rest.strip_prefix('=').map(str::trim_start) else { continue };
        if object.starts_with('{') {
            let begin = text.len() - object.len();
            let of_object = &object[..close_bracket(object, 0)];
            found.extend(keys_in(of_object, name).into_iter().map(|key| begin + key));
        }
    }
    found
}

/// Returns the bytes of the keys `name` of an object to which the variable of that name is given: `{ name }`, `{ name: name }`.
fn keys_in(object: &str, name: &str) -> Vec<usize> {
    let key = |at: usize| {
        let (left, right) = (object[..at].trim_end(), object[at + name.len()..].trim_start());
        let is_whole =
            last_word(&object[..at]).is_empty() && first_word(&object[at + name.len()..]).is_empty();
        if !is_whole || !right.starts_with([',', '}']) {
            return None;
        }
        if left.ends_with(['{', ',']) {
            return Some(at);
        }
        let key = left.strip_suffix(':')?.trim_end();
        (last_word(key) == name).then(|| key.len() - name.len())
    };
    memchr::memmem::find_iter(object.as_bytes(), name).filter_map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::{assigns, keys};

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
    #[test]
    fn the_keys_of_exports() {
        for (text, expected) in [
            ("exports.run = run;", vec![8]),
            ("exports[\"run\"] = run;", vec![9]),
            ("exports['run'] = go;", vec![]),
            ("module.exports = { go, run };", vec![23]),
            ("module.exports = { run: run };\nexports . run=run", vec![19, 41]),
        ] {
            assert_eq!(keys(text, "run"), expected, "{text}");
        }
    }
}
