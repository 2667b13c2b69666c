//! The tools that native lists, and the tool that a call of each of them means.

use serde_json::{Map, Value};

use super::schema;
use crate::Tool;
use crate::alias::{Alias, run_alias};
use crate::arguments::{ArgumentError, Arguments};

/// The names of one parameter, the short one first.
pub(in super::super) const NAMES: [[&str; 2]; 7] = [
    ["name_path", "name_path_pattern"],
    ["path", "relative_path"],
    ["body", "include_body"],
    ["substring", "substring_matching"],
    ["kinds", "include_kinds"],
    ["pattern", "substring_pattern"],
    ["glob", "paths_include_glob"],
];

/// The listed tools.
pub(in super::super) static ALIASES: [Alias; 15] = [
    Alias {
        tool: Tool::read_only(
            "overview",
            "Overview",
            "Before you read a file you do not know, and to get to know a directory or the project: what each file declares, \
             nested, with line ranges and signatures; of a directory the most important files first. Instead of reading the \
             file whole or listing directories.",
            schema::overview,
            run_alias,
        )
        .standing_for(&["get_symbols_overview"]),
        read: |_| Ok("get_symbols_overview"),
    },
    Alias {
        tool: Tool::read_only(
            "find_symbol",
            "Find symbol",
            "When you know a name or a part of it (class, function, method, constant …): where it is declared, with its \
             signature; with body its source. Several names in one call. Exact and never stale, no hits in comments or \
             strings: use it before any text search.",
            schema::find_symbol,
            run_alias,
        )
        .standing_for(&["find_symbol"]),
        read: |_| Ok("find_symbol"),
    },
    Alias {
        tool: Tool::read_only(
            "explore",
            "Explore",
            "When you begin to work on a function, method or class and know its name: in one call its source or members, \
             documentation, what it calls, who uses it, overrides and the tests that reach it, most useful first. Instead of \
             several calls or reading the files.",
            schema::explore,
            run_alias,
        )
        .standing_for(&["explore"]),
        read: |_| Ok("explore"),
    },
    Alias {
        tool: Tool::read_only(
            "references",
            "References",
            "Before you change a signature or remove a symbol, and whenever you need where or by whom it is used: every place \
             with its line and the function around it. With relation: its callers, callees, implementations and overrides, \
             supertypes or subtypes. Instead of grep: other things of that name are left out.",
            schema::references,
            run_alias,
        )
        .standing_for(&[
            "find_referencing_symbols",
            "find_callers",
            "find_callees",
            "find_implementations",
            "type_hierarchy",
        ]),
        read: relation,
    },
    Alias {
        tool: Tool::read_only(
            "impact",
            "Impact",
            "Before you change a symbol's signature or behaviour, or remove it, and it may have many or indirect users: what that \
             reaches in production, tests and generated code, with counts, by module and over further calls, overrides, \
             mentions in texts, and which tests to run.",
            schema::impact,
            run_alias,
        )
        .standing_for(&["impact"]),
        read: |_| Ok("impact"),
    },
    Alias {
        tool: Tool::read_only(
            "definition",
            "Definition and type",
            "When you see a name on a line and need what it is: declaration, type, signature and documentation of exactly that \
             one, also from libraries. Settles what `?` marks. For a name alone use find_symbol.",
            schema::definition,
            run_alias,
        )
        .standing_for(&["find_definition"]),
        read: definition,
    },
    Alias {
        tool: Tool::read_only(
            "search",
            "Search text",
            "When you look for text: a message, a comment, a key of a configuration, a word of something whose names you do not \
             know. Regular expression over all files, lines grouped by file. For a symbol's name use find_symbol, for its \
             uses references.",
            schema::search,
            run_alias,
        )
        .standing_for(&["search_for_pattern"]),
        read: search,
    },
    Alias {
        tool: Tool::read_only(
            "diagnostics",
            "Diagnostics",
            "After edits, and to learn what is broken: errors and warnings of compiler, type checker and lint, in a file, a \
             symbol or the project. Edits tell new ones by themselves where a language server runs.",
            schema::diagnostics,
            run_alias,
        )
        .standing_for(&["diagnostics"]),
        read: |_| Ok("diagnostics"),
    },
    Alias {
        tool: Tool::changing(
            "rename",
            "Rename",
            "When a class, function, method, variable or parameter gets another name: changes the declaration and every use in \
             all files, or nothing, and lists mentions in texts. Instead of search and replace.",
            schema::rename,
            run_alias,
        )
        .standing_for(&["rename_symbol"]),
        read: |_| Ok("rename_symbol"),
    },
    Alias {
        tool: Tool::changing(
            "replace_symbol_body",
            "Replace symbol",
            "When you write a whole function, method or class anew and have seen it: replaces it, head and documentation \
             included, whatever lines it has now.",
            schema::replace_symbol_body,
            run_alias,
        )
        .standing_for(&["replace_symbol_body"]),
        read: |_| Ok("replace_symbol_body"),
    },
    Alias {
        tool: Tool::adding(
            "insert_symbol",
            "Insert",
            "When you add a function, method, class, import or decorator next to a symbol: inserts code before or after it, \
             with the indentation and blank lines of the place.",
            schema::insert_symbol,
            run_alias,
        )
        .standing_for(&["insert_before_symbol", "insert_after_symbol"]),
        read: position,
    },
    Alias {
        tool: Tool::changing(
            "safe_delete",
            "Delete if unused",
            "When a symbol should go: deletes it if nothing uses it, else lists the uses and deletes nothing.",
            schema::safe_delete,
            run_alias,
        )
        .standing_for(&["safe_delete"]),
        read: |_| Ok("safe_delete"),
    },
    Alias {
        tool: Tool::changing(
            "apply_patch",
            "Apply patch",
            "When a change has several places or files, or is none of a symbol, and for new, moved or deleted files: a unified \
             diff, or `*** Begin Patch`, applied whole or not at all.",
            schema::apply_patch,
            run_alias,
        )
        .standing_for(&["apply_patch"]),
        read: |_| Ok("apply_patch"),
    },
    Alias {
        tool: Tool::changing(
            "code_actions",
            "Code actions",
            "When a diagnostic has a quick fix, and for the language server's refactorings (import, extract, inline, organize \
             imports): without title lists what is offered there, with title does it.",
            schema::code_actions,
            run_alias,
        )
        .standing_for(&["list_code_actions", "apply_code_action"]),
        read: title,
    },
    Alias {
        tool: Tool::changing(
            "undo",
            "Undo or redo",
            "When an edit made here was wrong: takes back the last one, or that of this number, in all its files; redo makes it \
             again.",
            schema::undo,
            run_alias,
        )
        .standing_for(&["undo", "redo"]),
        read: undo_or_redo,
    },
];

/// Returns the tool for a relation.
fn relation(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    let relation = Arguments::new(arguments).one_of_or("relation", &schema::RELATIONS, "uses")?;
    arguments.remove("relation");
    Ok(match relation {
        "callers" => "find_callers",
        "callees" => "find_callees",
        "implementations" => "find_implementations",
        "supertypes" | "subtypes" => {
            let given = Arguments::new(arguments).string_or("direction", relation)?;
            if given != relation {
                return Err(Arguments::new(arguments)
                    .invalid("direction", &format!("the same as relation: '{relation}'")));
            }
            arguments.insert("direction".to_owned(), Value::from(relation));
            "type_hierarchy"
        }
        _ => "find_referencing_symbols",
    })
}

/// Requests the hover text too, unless the call says otherwise.
fn definition(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    arguments.entry("hover").or_insert(Value::Bool(true));
    Ok("find_definition")
}

/// Uses the same number of context lines on both sides.
fn search(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    if let Some(lines) = arguments.remove("context") {
        for side in ["context_lines_before", "context_lines_after"] {
            arguments.entry(side).or_insert_with(|| lines.clone());
        }
    }
    Ok("search_for_pattern")
}

/// Returns the tool for a side of the symbol.
fn position(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    let position = Arguments::new(arguments).one_of_or("position", &["before", "after"], "after")?;
    arguments.remove("position");
    Ok(match position {
        "before" => "insert_before_symbol",
        _ => "insert_after_symbol",
    })
}

/// A call with a title applies that action; one without lists the actions.
fn title(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    Ok(match Arguments::new(arguments).string_if("title")? {
        Some(_) => "apply_code_action",
        None => "list_code_actions",
    })
}

fn undo_or_redo(arguments: &mut Map<String, Value>) -> Result<&'static str, ArgumentError> {
    let redo = Arguments::new(arguments).boolean_or("redo", false)?;
    arguments.remove("redo");
    if redo && arguments.get("id").is_some_and(|id| !id.is_null()) {
        let expected = "no value together with redo, which reapplies the last undone edit";
        return Err(Arguments::new(arguments).invalid("id", expected));
    }
    Ok(if redo { "redo" } else { "undo" })
}
