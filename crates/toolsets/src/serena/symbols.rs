//! `get_symbols_overview` and `find_symbol` of the serena contract: JSON with Python's separators, 0-based
//! lines, LSP's kind numbers.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json as schema};

use super::answer::{AnswerLimit, bad_argument, error, not_a_file, not_yet_parsed_error, path_error};
use super::files::MAX_ANSWER_CHARS;
use super::json;
use crate::arguments::Arguments;
use crate::outline_questions::{Gaps, ask_outlined};
use crate::{Outcome, Reply, Tool};
use symd_base::Cancel;
use symd_engine::{CurrentError, View};
use symd_index::{Locals, Query};
use symd_ops::find_symbol::{Bodies, FindSymbol, SymbolError, find_symbol, scope};
use symd_ops::outline::outline;
use symd_ops::server_outlines::OutlineWait;
use symd_ops::symbol::Symbol;
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, SymbolKind};

/// How long to wait for language servers that must outline files: the contract has no term for "not yet".
const PATIENCE: OutlineWait = OutlineWait::Long(Duration::from_secs(60));

pub(super) const GET_SYMBOLS_OVERVIEW: Tool = Tool::read_only(
    "get_symbols_overview",
    "Symbols overview",
    "Gets an overview of the top-level symbols defined in a given file. \
     Outline of a file: its classes, functions, variables. Use this first to understand a new file.",
    overview_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask_outlined(call, PATIENCE, move |view, arguments, _, gaps| {
            get_symbols_overview(view, arguments, chars, gaps)
        })
    },
);

pub(super) const FIND_SYMBOL: Tool = Tool::read_only(
    "find_symbol",
    "Find symbol",
    "Performs a global (or local) search using the language server backend. \
     Finds symbols (classes, functions, methods, variables, definitions) by name path, with their location, \
     on request their body and children.",
    find_schema,
    |call| {
        let chars = call.project.max_answer_chars;
        ask_outlined(call, PATIENCE, move |view, arguments, cancel, gaps| {
            find(view, arguments, chars, cancel, gaps)
        })
    },
);

fn overview_schema() -> Value {
    schema!({
        "type": "object",
        "properties": {
            "relative_path": {"type": "string", "description": "The relative path to the file to get the overview of."},
            "depth": {"type": "integer", "default": 0, "description": "Depth up to which descendants of top-level symbols shall be retrieved (e.g. 1 retrieves immediate children)."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS},
        },
        "required": ["relative_path"],
    })
}

fn find_schema() -> Value {
    schema!({
        "type": "object",
        "properties": {
            "name_path_pattern": {"type": "string", "description": "The name path pattern: a simple name (`method`), a suffix (`Class/method`), or a path from the file's top level (`/Class/method`); `[i]` picks one of several symbols of the same name."},
            "depth": {"type": "integer", "default": 0, "description": "Depth up to which descendants shall be retrieved (e.g. 1 retrieves immediate children)."},
            "relative_path": {"type": "string", "default": "", "description": "Restrict the search to this file or directory; empty for the whole project."},
            "include_body": {"type": "boolean", "default": false, "description": "Whether to include the symbols' source code."},
            "include_kinds": {"type": "array", "items": {"type": "integer"}, "default": [], "description": "LSP symbol kinds to include (empty: all): 5 class, 6 method, 7 property, 9 constructor, 10 enum, 11 interface, 12 function, 13 variable, 14 constant, 22 enum member, 23 struct …"},
            "exclude_kinds": {"type": "array", "items": {"type": "integer"}, "default": [], "description": "LSP symbol kinds to exclude; takes precedence over include_kinds."},
            "substring_matching": {"type": "boolean", "default": false, "description": "Whether the last part of the pattern may match a part of a name."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS},
        },
        "required": ["name_path_pattern"],
    })
}

fn get_symbols_overview(
    view: &View,
    arguments: &Map<String, Value>,
    default_chars: usize,
    gaps: &Gaps,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let path = arguments.string("relative_path").map_err(bad_argument)?;
        let depth = arguments.count_or("depth", 0).map_err(bad_argument)?;
        let limit = AnswerLimit::read(&arguments, default_chars)?;
        let outline = outline(view, path, depth, 0).map_err(|why| no_outline(why, gaps))?;
        Ok(limit.reply(dicts(&outline.symbols)))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// Runs `find_symbol`.
fn find(
    view: &View,
    arguments: &Map<String, Value>,
    default_chars: usize,
    cancel: &Cancel,
    gaps: &Gaps,
) -> Reply {
    let arguments = Arguments::new(arguments);
    let reply = || -> Result<Reply, Reply> {
        let (ask, limit) = read_find(view, &arguments, default_chars)?;
        let found = find_symbol(view, &ask, cancel).map_err(format_refusal)?;
        let missing = [gaps.missing(), found.unread.clauses_of_unknown()].concat();
        if found.symbols.is_empty() && !missing.is_empty() {
            return Ok(not_yet_parsed_error("symbol", &missing));
        }
        Ok(limit.reply(dicts(&found.symbols)))
    };
    reply().unwrap_or_else(|reply| reply)
}

/// Explains why there is no outline, and, where a language server would have to make it, what helps.
fn no_outline(problem: SymbolError, gaps: &Gaps) -> Reply {
    let SymbolError::Current(CurrentError::NoOutline(path)) = &problem else {
        return format_refusal(problem);
    };
    match (gaps.missing().first(), gaps.why_none(path)) {
        (Some(gap), _) => Reply { outcome: Outcome::NotReady, ..error(gap) },
        (None, Some(why)) => Reply { outcome: Outcome::NoServer, ..error(why) },
        (None, None) => format_refusal(problem),
    }
}

fn dicts(symbols: &[Symbol]) -> String {
    let dicts: Vec<SymbolDict> = symbols.iter().map(|symbol| dict(symbol, Nesting::Top)).collect();
    json::to_string(&dicts)
}

fn read_find(
    view: &View,
    arguments: &Arguments<'_>,
    default_chars: usize,
) -> Result<(FindSymbol, AnswerLimit), Reply> {
    let bad = bad_argument;
    let matching = if arguments.boolean_or("substring_matching", false).map_err(bad)? {
        Matching::Substring
    } else {
        Matching::Exact
    };
    let pattern = arguments.string("name_path_pattern").map_err(bad)?;
    let pattern = NamePattern::parse(pattern, matching).map_err(error)?;
    let path = arguments.string_or("relative_path", "").map_err(bad)?;
    let bodies = if arguments.boolean_or("include_body", false).map_err(bad)? {
        Bodies::Included
    } else {
        Bodies::LeftOut
    };
    let query = Query {
        pattern,
        scope: scope(view, path).map_err(format_refusal)?,
        include_kinds: kinds(arguments, "include_kinds")?,
        exclude_kinds: kinds(arguments, "exclude_kinds")?,
        locals: Locals::Included,
    };
    let depth = arguments.count_or("depth", 0).map_err(bad)?;
    let limit = AnswerLimit::read(arguments, default_chars)?;
    Ok((FindSymbol { query, bodies, signatures: 0, depth }, limit))
}

pub(super) fn kinds(arguments: &Arguments<'_>, name: &str) -> Result<Vec<SymbolKind>, Reply> {
    let numbers = arguments.integers_or(name, &[]).map_err(error)?;
    numbers
        .into_iter()
        .map(|number| {
            SymbolKind::from_number(number).ok_or_else(|| error(format!("Invalid symbol kind: {number}")))
        })
        .collect()
}

/// Formats a failure in the contract's words.
pub(super) fn format_refusal(problem: SymbolError) -> Reply {
    match problem {
        SymbolError::Locate(problem) => path_error(&problem),
        SymbolError::IsDirectory(path) => not_a_file(&path),
        other => error(other),
    }
}

/// The contract's `SymbolDict`.
#[derive(Serialize)]
pub(super) struct SymbolDict<'a> {
    name_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_path: Option<&'a str>,
    kind: u8,
    body_location: BodyLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<SymbolDict<'a>>,
}

#[derive(Serialize)]
struct BodyLocation {
    start_line: u32,
    end_line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Top,
    Child,
}

/// Returns the entry of a symbol that is not nested in another one here.
pub(super) fn dict_of(symbol: &Symbol) -> SymbolDict<'_> {
    dict(symbol, Nesting::Top)
}

fn dict(symbol: &Symbol, nesting: Nesting) -> SymbolDict<'_> {
    SymbolDict {
        name_path: &symbol.name_path,
        relative_path: (nesting == Nesting::Top).then(|| symbol.path.as_str()),
        kind: symbol.kind.number(),
        body_location: BodyLocation { start_line: symbol.start_line, end_line: symbol.end_line },
        body: symbol.body.as_deref(),
        children: symbol.children.iter().map(|child| dict(child, Nesting::Child)).collect(),
    }
}
