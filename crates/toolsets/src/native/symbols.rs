//! `get_symbols_overview` and `find_symbol` of `native`: one symbol per line, grouped by file, with 1-based
//! lines.

use serde_json::{Map, Value, json};

use super::answer::{FORMAT, Format, format};
use super::batch::answer_each_sync;
use super::directory::{directory_json, directory_text};
use super::files::{DEFAULT_LIMIT, LIMIT, failed, limit};
use super::render;
use crate::arguments::{ArgumentError, Arguments};
use crate::outline_questions::{Gaps, ask_outlined};
use crate::{Client, Outcome, Reply, Tool};
use symd_base::{Cancel, RelPath};
use symd_engine::{CurrentError, View};
use symd_files::tree::Located;
use symd_index::NeededWords;
use symd_index::{Locals, Query, Scope};
use symd_ops::find_symbol::{
    Bodies, FindSymbol, SymbolError, excluded_candidates, find_interpreted, find_symbol, scope,
};
use symd_ops::outline::outline;
use symd_ops::overview::directory_overview;
use symd_ops::server_outlines::OutlineWait;
use symd_ops::symbol::Symbol;
use symd_ops::target::SIMILAR;
use symd_ops::unsearched;
use symd_ops::view_tree::ViewTree;
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, SymbolKind};
use symd_vfs::EntryKind;

pub(super) const GET_SYMBOLS_OVERVIEW: Tool = Tool::read_only(
    "get_symbols_overview",
    "Outline of a file",
    "Outline of a source file: its classes, functions, methods and variables \
     with their line ranges, nested as they are. The way to get to know a file without reading it. Of a directory, or of \
     the project: its files with what they declare, the most important first.",
    overview_schema,
    |call| {
        let client = call.client.clone();
        ask_outlined(call, OutlineWait::Brief, move |view, arguments, cancel, gaps| {
            get_symbols_overview(view, arguments, &client, cancel, gaps)
        })
    },
);

pub(super) const FIND_SYMBOL: Tool = Tool::read_only(
    "find_symbol",
    "Find symbol",
    "Find symbols (classes, functions, methods, properties, constants, \
     definitions) anywhere in the project by name path, optionally with their source code. Faster and more precise \
     than a text search: `name`, `Class/method`, `/top_level_name`, `name[1]` for the second of several.",
    find_schema,
    |call| {
        let client = call.client.clone();
        ask_outlined(call, OutlineWait::Brief, move |view, arguments, cancel, gaps| {
            let one = |arguments: &Map<String, Value>| find(view, arguments, &client, cancel, gaps);
            answer_each_sync(arguments, "name_path_pattern", one)
        })
    },
);

fn overview_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "default": "", "description": "The file or directory, relative to the project root; empty for the whole project."},
            "depth": {"type": "integer", "minimum": 0, "default": 1, "description": "Levels of children to show beneath the top-level symbols."},
            "include_locals": {"type": "boolean", "default": false, "description": "Also show parameters and local variables (Python)."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
            "format": {"type": "string", "enum": ["text", "json"], "default": "text", "description": FORMAT},
        },
        "required": [],
    })
}

fn find_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name_path_pattern": {"type": "string", "description": "`name` (at any depth), `Class/method` (end of the name path), `/name` (from the file's top level), `name[1]` (the second of several of that name). Case-sensitive."},
            "relative_path": {"type": "string", "default": "", "description": "Look only in this file or directory; empty for the whole project."},
            "include_body": {"type": "boolean", "default": false, "description": "Show the source code of each symbol."},
            "depth": {"type": "integer", "minimum": 0, "default": 0, "description": "Levels of children to show beneath each symbol."},
            "include_kinds": {"type": "array", "items": {"type": "string"}, "default": [], "description": "Only these kinds: class, method, function, property, variable, constant, interface, enum, enum_member, constructor, struct, field …"},
            "exclude_kinds": {"type": "array", "items": {"type": "string"}, "default": [], "description": "Not these kinds; wins over include_kinds."},
            "substring_matching": {"type": "boolean", "default": false, "description": "The last part of the pattern may be any part of a name."},
            "include_locals": {"type": "boolean", "default": false, "description": "Also find parameters and local variables (Python)."},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
            "format": {"type": "string", "enum": ["text", "json"], "default": "text", "description": FORMAT},
        },
        "required": ["name_path_pattern"],
    })
}

fn get_symbols_overview(
    view: &View,
    arguments: &Map<String, Value>,
    client: &Client,
    cancel: &Cancel,
    gaps: &Gaps,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let path = arguments.string_or("relative_path", "").map_err(failed)?;
        let depth = arguments.count_or("depth", 1).map_err(failed)?;
        let locals = locals(&arguments).map_err(failed)?;
        let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
        if let Some(directory) = directory(view, path).map_err(failed)? {
            let found = directory_overview(view, &directory, cancel).map_err(failed)?;
            let mut missing = gaps.missing();
            missing.extend(unsearched::within(view, &directory).clauses_of_all());
            return Ok(Reply::done(match format {
                Format::Json => directory_json(&found, &missing, limit),
                Format::Text => directory_text(&found, missing, limit),
            }));
        }
        let signatures = render::with_signatures(format);
        let mut found = outline(view, path, depth, signatures).map_err(|why| no_outline(why, gaps))?;
        client.record_read(&found.path, found.hash);
        if locals == Locals::Excluded {
            drop_locals(&mut found.symbols);
        }
        Ok(Reply::done(match format {
            Format::Json => render::outline_json(&found, limit),
            Format::Text => render::outline_text(&found, limit),
        }))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// Returns the directory at `path`, if it is one.
fn directory(view: &View, path: &str) -> Result<Option<RelPath>, SymbolError> {
    let Located { path, kind } = view.tree(|tree| tree.locate(path))?;
    if kind != EntryKind::Directory {
        return Ok(None);
    }
    // Ignored directories and links are rejected: the index has nothing of them.
    Ok(Some(match scope(view, path.as_str())? {
        Scope::Within(path) => path,
        Scope::Project => RelPath::root(),
    }))
}

/// Explains why there is no outline. Where a language server would have to make it, says what it waits for,
/// or how to get one.
fn no_outline(why: SymbolError, gaps: &Gaps) -> Reply {
    let SymbolError::Current(CurrentError::NoOutline(path)) = &why else { return failed(why) };
    if let Some(gap) = gaps.missing().first() {
        return Reply { outcome: Outcome::NotReady, ..failed(format!("{path} has no outline yet: {gap}")) };
    }
    match gaps.why_none(path) {
        Some(reason) => {
            let text = format!(
                "{path} has no outline: symd has no grammar for it, and {reason}. read_file and search work"
            );
            Reply { outcome: Outcome::NoServer, ..failed(text) }
        }
        None => failed(why),
    }
}

/// Runs the tool `find_symbol`.
fn find(view: &View, arguments: &Map<String, Value>, client: &Client, cancel: &Cancel, gaps: &Gaps) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let (ask, limit, format) = read_find(view, &arguments).map_err(failed)?;
        let mut found = find_symbol(view, &ask, cancel).map_err(failed)?;
        if found.symbols.is_empty() && ask.query.pattern.matching() == Matching::Exact {
            let name = arguments.string("name_path_pattern").map_err(failed)?;
            found = find_interpreted(view, &ask, name, cancel).map_err(failed)?.unwrap_or(found);
        }
        found.read.iter().for_each(|(path, hash)| client.record_read(path, *hash));
        if ask.query.locals == Locals::Excluded {
            found.symbols.iter_mut().for_each(|symbol| drop_locals(&mut symbol.children));
        }
        let needed = NeededWords::of_pattern(&ask.query.pattern);
        let mut missing = match &ask.query.scope {
            _ if !found.symbols.is_empty() => gaps.missing(),
            Scope::Project => gaps.all(view, &RelPath::root(), &needed),
            Scope::Within(path) => gaps.all(view, path, &needed),
        };
        missing.extend(found.unread.clauses());
        Ok(Reply::done(match format {
            Format::Json => render::found_json(&ask, &found, &missing, limit),
            Format::Text if found.symbols.is_empty() => {
                let kept_out = excluded_candidates(view, &ask.query, cancel).map_err(failed)?;
                let similar = if kept_out.is_empty() {
                    render::SimilarNames {
                        names: view.snapshot.similar_names(ask.query.pattern.last_name(), SIMILAR),
                        may_lack: !view.snapshot.files.is_complete(),
                    }
                } else {
                    render::SimilarNames::default()
                };
                render::nothing_found(&kept_out, &similar, missing)
            }
            Format::Text => render::found_text(&ask, &found, missing, limit),
        }))
    };
    reply().unwrap_or_else(|reply| reply)
}

fn read_find(view: &View, arguments: &Arguments<'_>) -> Result<(FindSymbol, usize, Format), String> {
    let text = |error: ArgumentError| error.to_string();
    let flag = |name| arguments.boolean_or(name, false).map_err(text);
    let matching = if flag("substring_matching")? { Matching::Substring } else { Matching::Exact };
    let pattern = arguments.string("name_path_pattern").map_err(text)?;
    let query = Query {
        pattern: NamePattern::parse(pattern, matching).map_err(|error| error.to_string())?,
        scope: scope(view, arguments.string_or("relative_path", "").map_err(text)?)
            .map_err(|error| error.to_string())?,
        include_kinds: kinds(arguments, "include_kinds")?,
        exclude_kinds: kinds(arguments, "exclude_kinds")?,
        locals: locals(arguments).map_err(text)?,
    };
    let format = format(arguments).map_err(text)?;
    let ask = FindSymbol {
        query,
        bodies: if flag("include_body")? { Bodies::Included } else { Bodies::LeftOut },
        signatures: render::with_signatures(format),
        depth: arguments.count_or("depth", 0).map_err(text)?,
    };
    Ok((ask, limit(arguments).map_err(text)?, format))
}

fn locals(arguments: &Arguments<'_>) -> Result<Locals, ArgumentError> {
    Ok(if arguments.boolean_or("include_locals", false)? { Locals::Included } else { Locals::Excluded })
}

pub(super) fn kinds(arguments: &Arguments<'_>, name: &str) -> Result<Vec<SymbolKind>, String> {
    let words = arguments.strings_or_empty(name).map_err(|error| error.to_string())?;
    words
        .into_iter()
        .map(|word| {
            SymbolKind::from_word(word).ok_or_else(|| {
                let known: Vec<&str> = SymbolKind::words().collect();
                format!(
                    "Invalid parameter '{name}': {word:?} is no kind of symbol; the kinds are {}",
                    known.join(", ")
                )
            })
        })
        .collect()
}

fn drop_locals(symbols: &mut Vec<Symbol>) {
    symbols.retain(|symbol| !symbol.is_local);
    symbols.iter_mut().for_each(|symbol| drop_locals(&mut symbol.children));
}
