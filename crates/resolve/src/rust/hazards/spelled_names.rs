//! Macros that turn names into texts: `stringify!(name)`, macros of the project that do so with what they are given, `type_name` and
//! `module_path!`.

use super::RustRenamed;
use crate::brackets::{close_bracket, open_bracket};
use crate::context::last_word;
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::rename_hazard::RenameHazard;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let name = symbol.old.as_str();
    let mut spelling = vec!["stringify".to_owned()];
    for one in texts.iter().filter(|one| one.text.contains("stringify!")) {
        spelling.extend(macros_with(&one.text, "stringify!"));
    }
    // The text of a failed assertion holds its condition.
    if catches_panics(texts) {
        spelling.extend(["assert", "debug_assert"].map(str::to_owned));
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(name)) {
        symbol.resolver.cancel.check()?;
        for at in one.words(name) {
            // The name itself is changed; the macro shows what it does.
            let around =
                macros_around(&one.text, at).find(|(_, called)| spelling.iter().any(|one| one == called));
            places.extend(around.map(|(at, called)| one.place(at, called.len())));
        }
        if symbol.type_name() == Some(name) {
            places.extend(type_names(&one, name));
        }
    }
    if symbol.row.kind() == SymbolKind::Module {
        // The module's own text: its body, or files at its path.
        let body = symbol.here.text.as_str().get(symbol.row.start as usize..symbol.row.end as usize);
        let is_within = |one: &FamilyText| {
            let path = one.path.as_str();
            path.ends_with(&format!("{name}.rs")) || path.contains(&format!("{name}/"))
        };
        if let Some(at) = body.and_then(|body| body.find("module_path!")) {
            let start = symbol.row.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
            let range = TextRange::new(start, start.saturating_add(12));
            places.push((symbol.here.file.path.clone(), range));
        }
        for one in texts.iter().filter(is_within) {
            let sign = "module_path!";
            places.extend(one.text.match_indices(sign).map(|(at, sign)| one.place(at, sign.len())));
        }
    }
    let text = format!("a macro or a function turns '{name}' into a text here");
    Ok(RenameHazard::doubt(text, places))
}

/// Whether the program reads the texts of panics; otherwise a panic's text is for those that mend the program, like a backtrace.
pub(super) fn catches_panics(texts: &FamilyTexts) -> bool {
    texts.iter().any(|one| one.text.contains("catch_unwind") || one.text.contains("panic::set_hook"))
}

/// Returns the names of the macros of a text whose definitions contain a sign.
fn macros_with<'t>(text: &'t str, sign: &'t str) -> impl Iterator<Item = String> + 't {
    text.match_indices("macro_rules!").filter_map(move |(at, word)| {
        let rest = text[at + word.len()..].trim_start();
        let name = crate::context::first_word(rest);
        let open = rest.find(['{', '('])?;
        let body = &rest[open..close_bracket(rest, open)];
        (!name.is_empty() && body.contains(sign)).then(|| name.to_owned())
    })
}

/// Returns the macros in whose arguments byte `at` stands, innermost first, with the bytes where their names begin.
pub(super) fn macros_around(text: &str, at: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut from = at;
    std::iter::from_fn(move || {
        from = open_bracket(text, from)?;
        let name = text[..from].strip_suffix('!').map_or("", last_word);
        Some((from.saturating_sub(name.len() + 1), name))
    })
    .take(8)
    .filter(|(_, name)| !name.is_empty())
}

/// Returns the calls that give the type's name as a text: `type_name::<Point>()`, or `type_name::<T>()` beside the type.
fn type_names(one: &FamilyText, name: &str) -> Vec<crate::conflicts::SourcePlace> {
    let mut places = Vec::new();
    for call in ["type_name", "type_name_of_val"] {
        for at in words_of(&one.text, call) {
            let rest = &one.text[at + call.len()..];
            let statement = &rest[..rest.find(';').unwrap_or(rest.len())];
            if rest.starts_with("::<") && words_of(statement, name).next().is_some() || rest.starts_with('(')
            {
                places.push(one.place(at, call.len()));
            }
        }
    }
    places
}
