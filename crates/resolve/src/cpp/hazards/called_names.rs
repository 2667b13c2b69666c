//! Names that C++ or its templates call without a use that names the symbol: `begin` and `end` of a loop over a range, functions that
//! are found by the types of arguments (`swap(a, b)`), members that a template asks a type for.

use super::CRenamed;
use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::context::{first_word, last_word};
use crate::family_texts::{FamilyText, FamilyTexts, words_of};
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;

/// Signs of code that asks types for members.
const ASKING: [&str; 4] = ["declval", "requires", "is_detected", "void_t"];

/// Members that coroutines call.
const OF_COROUTINES: [&str; 11] = [
    "await_ready",
    "await_resume",
    "await_suspend",
    "await_transform",
    "final_suspend",
    "get_return_object",
    "initial_suspend",
    "promise_type",
    "return_value",
    "return_void",
    "yield_value",
];

pub(super) fn find(symbol: &CRenamed, texts: &FamilyTexts) -> Result<Vec<RenameHazard>, Cancelled> {
    let mut found = Vec::new();
    if symbol.here.language.grammar != "cpp" || symbol.is_type() {
        return Ok(found);
    }
    let (old, new) = (symbol.old.as_str(), symbol.new);
    let (mut loops, mut arguments, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    let owner = symbol.row.parent().map(|at| symbol.here.outline.name(&symbol.here.outline.rows[at]));
    let is_free = !matches!(symbol.row.kind(), symd_syntax::SymbolKind::Method);
    for one in texts.iter() {
        symbol.resolver.cancel.check()?;
        if symbol.is_function() && matches!(old, "begin" | "end") {
            loops.extend(range_loops(&one, owner));
        }
        if symbol.is_function() && is_free && symbol.row.parent().is_some() {
            arguments.extend(bare_calls(&one, new));
        }
        for sign in ASKING {
            for at in one.words(sign) {
                let rest = &one.text[at..];
                let end = rest.find([';', '{']).unwrap_or(rest.len());
                let end = if sign == "requires" { rest.find(';').unwrap_or(end) } else { end };
                let is_member = |at: &usize| rest[..*at].ends_with(['.', '>', ':']);
                if words_of(&rest[..end], new).any(|at| is_member(&at)) {
                    asked.push(one.place(at, sign.len()));
                }
            }
        }
        if OF_COROUTINES.contains(&old) {
            for sign in ["co_await", "co_return", "co_yield"] {
                asked.extend(one.words(sign).map(|at| one.place(at, sign.len())));
            }
        }
    }
    let text = format!("a loop over a range calls '{old}' of what it loops over");
    found.extend(RenameHazard::doubt(text, loops));
    let text =
        format!("this call may mean the function under its new name '{new}', by the types of its arguments");
    found.extend(RenameHazard::doubt(text, arguments));
    if symbol.row.parent().is_some() {
        let text =
            "types are asked here for a member that the rename gives them, or takes from them".to_owned();
        found.extend(RenameHazard::doubt(text, asked));
    }
    Ok(found)
}

/// Returns the loops over ranges in a file that mentions the class; in any file for a function outside of classes.
fn range_loops(one: &FamilyText, owner: Option<&str>) -> Vec<SourcePlace> {
    if owner.is_some_and(|owner| !one.holds(owner)) {
        return Vec::new();
    }
    let is_range_loop = |at: &usize| {
        let behind = one.text[at + "for".len()..].trim_start();
        if !behind.starts_with('(') {
            return false;
        }
        let head = &behind[..close_bracket(behind, 0)];
        !head.contains(';') && head.replace("::", "  ").contains(':')
    };
    one.words("for").filter(is_range_loop).map(|at| one.place(at, "for".len())).collect()
}

/// Returns the calls of a function that stand without a receiver, and so may mean one of the arguments' namespace.
fn bare_calls(one: &FamilyText, name: &str) -> Vec<SourcePlace> {
    let text = &one.text;
    let is_bare = |at: &usize| {
        let before = text[..*at].trim_end();
        // Behind a type stands a declaration.
        let is_declared = matches!(last_word(before), "return" | "else" | "co_await")
            || !before.ends_with(crate::context::is_word);
        let arguments = text[at + name.len()..].strip_prefix('(').unwrap_or("");
        !before.ends_with(['.', '>', ':', '&', '*', '~'])
            && is_declared
            && !arguments.is_empty()
            && !first_word(arguments.trim_start()).is_empty()
    };
    one.words(name).filter(is_bare).map(|at| one.place(at, name.len())).collect()
}
