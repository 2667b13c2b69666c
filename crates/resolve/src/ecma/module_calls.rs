//! Modules that JavaScript and TypeScript load in an expression: `import('./a').name`, `(await import('./a')).name`,
//! `require('./a').name`, `const { name } = await import('./a')`, and `typeof import('./a')` in types.

use crate::brackets::{close_bracket, open_bracket};
use crate::context::{first_word, last_word, text_after, text_before};
use crate::family::Family;
use crate::meaning::Meaning;
use crate::modules::{self, Module};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use symd_base::cancel::Cancelled;
use symd_syntax::Imported;

/// Resolves the name at byte `start` as an export of the module that the call before its dot loads; `None` where no such call
/// stands there.
pub(crate) fn exported_of_call(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<Option<Meaning>, Cancelled> {
    match loaded_before(here.text.as_str(), start) {
        Some(written) => Ok(Some(exported(resolver, here, written, start, name)?)),
        None => Ok(None),
    }
}

/// Resolves the name at byte `start` as an export that a pattern takes from a module: `const { name } = await import('./a')`;
/// `None` where it stands in no such pattern.
pub(crate) fn taken_from_call(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
    name: &str,
) -> Result<Option<Meaning>, Cancelled> {
    let Some(value) = value_of_pattern(here.text.as_str(), start) else { return Ok(None) };
    if let Some(written) = loaded_at(value) {
        return Ok(Some(exported(resolver, here, written, start, name)?));
    }
    // `const { name } = module`
    let whole = first_word(value);
    let is_alone =
        value[whole.len()..].split('\n').next().unwrap_or("").trim_start_matches([';', ')', ' ']).is_empty();
    if whole.is_empty() || !is_alone {
        return Ok(None);
    }
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    match scope::resolve_name(resolver, here, at, whole)? {
        Meaning::Module(module) => Ok(Some(resolver.exported(&module, name, 0)?)),
        _ => Ok(None),
    }
}

/// Whether the file has a module in hand whose export `name` `is_meant`: any receiver may hold it then.
pub(crate) fn reaches(
    resolver: &Resolver,
    here: &CurrentFile,
    name: &str,
    is_meant: &dyn Fn(&Meaning) -> bool,
) -> Result<bool, Cancelled> {
    if resolver.family != Family::Ecma {
        return Ok(false);
    }
    for module in here.whole_modules(resolver) {
        if is_meant(&resolver.exported(module, name, 0)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the modules that the file imports as a whole, or loads in an expression.
pub(crate) fn whole_modules(resolver: &Resolver, here: &CurrentFile) -> Vec<Module> {
    let text = here.text.as_str();
    let called = memchr::memmem::find_iter(text.as_bytes(), "import")
        .filter_map(|at| unquoted(text[at + "import".len()..].trim_start().strip_prefix('(')?.trim_start()));
    let imports = here.imports();
    let whole =
        imports.iter().filter(|import| import.imported == Imported::Module).map(|import| import.module);
    called.chain(whole).filter_map(|written| modules::find(resolver, &here.file, written, 0)).collect()
}

fn exported(
    resolver: &Resolver,
    here: &CurrentFile,
    written: &str,
    start: usize,
    name: &str,
) -> Result<Meaning, Cancelled> {
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    match modules::find(resolver, &here.file, written, at) {
        Some(module) => resolver.exported(&module, name, 0),
        None => Ok(Meaning::Unknown),
    }
}

/// Returns the text from the value on that a pattern takes apart, `{ …, name, … } = value`, where the name begins at byte `start`.
fn value_of_pattern(text: &str, start: usize) -> Option<&str> {
    let open = open_bracket(text, start).filter(|&open| text[open..].starts_with('{'))?;
    let value = text_after(text, close_bracket(text, open)).strip_prefix('=')?.trim_start();
    (!value.starts_with(['=', '>'])).then_some(value)
}

/// Returns the module's path in `await import('path')` and `require('path')`; `None` where the value goes on behind the call.
fn loaded_at(value: &str) -> Option<&str> {
    let value = value.strip_prefix("await").map_or(value, str::trim_start);
    let call = value.strip_prefix("import").or_else(|| value.strip_prefix("require"))?.trim_start();
    let argument = call.strip_prefix('(')?.trim_start();
    let behind = text_after(call, close_bracket(call, 0));
    let goes_on = behind.starts_with(['.', '(', '[']) || behind.starts_with("?.");
    unquoted(argument).filter(|_| !goes_on)
}

/// Returns the module's path in `import('path').`, which ends at byte `end`.
fn loaded_before(text: &str, end: usize) -> Option<&str> {
    let left = text_before(text, end, Family::Ecma).strip_suffix('.')?;
    let left = left.strip_suffix('?').unwrap_or(left).trim_end();
    let inner = left.strip_suffix(')')?;
    let open = open_bracket(text, inner.len())?;
    let argument = text.get(open + 1..inner.len())?.trim();
    match last_word(text_before(text, open, Family::Ecma)) {
        "import" | "require" => unquoted(argument),
        // `(await import('path'))`
        "" => loaded_at(argument),
        _ => None,
    }
}

/// Returns what stands in the quotes of a plain string; the argument may be followed by others.
fn unquoted(argument: &str) -> Option<&str> {
    let quote = argument.chars().next().filter(|one| matches!(one, '\'' | '"' | '`'))?;
    argument[1..].split_once(quote).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::{loaded_at, loaded_before, value_of_pattern};

    #[test]
    fn patterns_that_take_exports() {
        for (text, expected) in [
            ("const { name } = await import('./a')", Some("./a")),
            ("({ a, name: b } = await import(\n  './a'))", Some("./a")),
            ("const { name } = require('./a');", Some("./a")),
            ("const { name } = load('./a')", None),
            ("const { name } = require('./a')(options)", None),
            ("const { name } = await import('./a').then(f)", None),
            ("const { name } = require('./a').inner", None),
            ("f({ name }, import('./a'))", None),
        ] {
            let start = text.find("name").expect("in it");
            assert_eq!(value_of_pattern(text, start).and_then(loaded_at), expected, "{text}");
        }
    }

    #[test]
    fn calls_that_load_modules() {
        for (text, expected) in [
            ("import('./a').name", Some("./a")),
            ("type T = import(\"./a\", { with: {} }).name", Some("./a")),
            ("require('./a').name", Some("./a")),
            ("(await import('./a')).name", Some("./a")),
            ("(await import( './a' ))\n  ?.name", Some("./a")),
            ("load('./a').name", None),
            ("(await import('./a').then(f)).name", None),
            ("require('./a')(1).name", None),
            ("import(path).name", None),
            ("import('./a').then(name", None),
        ] {
            let start = text.find("name").expect("in it");
            assert_eq!(loaded_before(text, start), expected, "{text}");
        }
    }
}
