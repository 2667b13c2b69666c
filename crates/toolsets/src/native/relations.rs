//! `find_callers`, `find_callees` and `type_hierarchy` of `native`: a tree, one symbol per line.

use serde_json::{Value, json};
use symd_base::{RelPath, escaped};

use super::answer::{Footer, Format, fitting, format};
use super::batch::answer_each;
use super::files::{counted, failed, limit};
use super::grouped::{grouped_json, grouped_text};
use super::reference_text::note_renamed;
use super::render::{short_word, truncate};
use super::server_tools::{
    format_refusal, name_path, note_reading, note_source, reading_json, relative_path, schema, selector,
    server_wait, source_json,
};
use super::tree::{WORTH_GROUPING, by_file, shared_directory};
use crate::arguments::{ArgumentError, Arguments};
use crate::server_questions::within;
use crate::{Call, Client, Reply, Tool};
use symd_ops::implementations::describe_possible;
use symd_ops::question::Source;
use symd_ops::relations::{
    Continuation, FileLocation, FindRelated, Node, Related, Relation, related_to_overloads,
};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};

pub(super) const FIND_CALLERS: Tool = Tool::read_only(
    "find_callers",
    "Find callers",
    "Find the callers of a function, method or class: which functions call it, and with \
     depth who calls those, as a tree with the lines of the calls. Use it to see what a change can break.",
    calls_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run(call, |_| Ok(Relation::Callers)))),
);

pub(super) const FIND_CALLEES: Tool = Tool::read_only(
    "find_callees",
    "Find callees",
    "Find the callees of a function or method: which functions it calls, and with depth \
     what those call, as a tree with the lines of the calls and where each callee is declared.",
    calls_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run(call, |_| Ok(Relation::Callees)))),
);

pub(super) const TYPE_HIERARCHY: Tool = Tool::read_only(
    "type_hierarchy",
    "Type hierarchy",
    "Supertypes or subtypes of a class or interface, as a tree: what it extends and \
     implements, or what extends and implements it, directly and indirectly.",
    types_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run(call, direction))),
);

/// The default depth of a type hierarchy.
const TYPE_DEPTH: usize = 4;
/// The default depth of a call hierarchy.
const CALL_DEPTH: usize = 1;
/// The maximum depth.
const MAX_DEPTH: usize = 20;

/// The maximum number of unresolved names that are shown.
const MAX_UNRESOLVED: usize = 12;

/// The schema of `find_callers` and `find_callees`.
fn calls_schema() -> Value {
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "depth": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": CALL_DEPTH, "description": "Levels to follow."},
    });
    schema(own, &["name_path"])
}

fn types_schema() -> Value {
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "direction": {"type": "string", "enum": ["supertypes", "subtypes"], "default": "subtypes", "description": "Which way."},
        "depth": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": TYPE_DEPTH, "description": "Levels to follow."},
    });
    schema(own, &["name_path"])
}

fn direction(arguments: &Arguments<'_>) -> Result<Relation, ArgumentError> {
    Ok(match arguments.one_of_or("direction", &["supertypes", "subtypes"], "subtypes")? {
        "supertypes" => Relation::Supertypes,
        _ => Relation::Subtypes,
    })
}

async fn run(
    call: &Call<'_>,
    relation: impl FnOnce(&Arguments<'_>) -> Result<Relation, ArgumentError>,
) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let relation = relation(&arguments).map_err(failed)?;
    let default = match relation {
        Relation::Callers | Relation::Callees => CALL_DEPTH,
        Relation::Supertypes | Relation::Subtypes => TYPE_DEPTH,
    };
    let depth = arguments.count_or("depth", default).map_err(failed)?;
    if !(1..=MAX_DEPTH).contains(&depth) {
        return Err(failed(arguments.invalid("depth", &format!("an integer from 1 to {MAX_DEPTH}"))));
    }
    let wanted =
        SymbolSelector { several: AmbiguityPolicy::Overloads, ..selector(&arguments).map_err(failed)? };
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = FindRelated { wanted, relation, depth, waiting: patience.waiting };
    let op = related_to_overloads(call.project, &ask);
    let all = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    Ok(match format {
        Format::Json => {
            Reply::done(grouped_json(&all, limit, |found, limit| as_json(found, relation, limit)))
        }
        Format::Text => {
            grouped_text(&all, limit, |found, limit| as_text(found, relation, (limit, &call.client)))
        }
    })
}

fn as_text(found: &Related, relation: Relation, (limit, client): (usize, &Client)) -> String {
    let lines = lines(&found.nodes, relation);
    let mut text = if lines.is_empty() { format!("No {}.", words(relation).1) } else { lines.join("\n") };
    let (one, many) = words(relation);
    let mut footer = Footer::new(counted(found.nodes.len(), one, many));
    note_source(&found.source, client, &mut footer);
    note_reading(found.target.read_as.as_ref(), &mut footer);
    note_omitted(found, relation, &mut footer);
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!("cut at {limit} characters; give a smaller depth, or raise limit"));
    }
    format!("{text}\n{footer}")
}

fn words(relation: Relation) -> (&'static str, &'static str) {
    match relation {
        Relation::Callers => ("caller", "callers"),
        Relation::Callees => ("callee", "callees"),
        Relation::Supertypes => ("supertype", "supertypes"),
        Relation::Subtypes => ("subtype", "subtypes"),
    }
}

fn note_omitted(found: &Related, relation: Relation, footer: &mut Footer) {
    let omitted = &found.omitted;
    if omitted.only_in_references > 0 {
        footer.add_note(format!("{} of them missing from the call hierarchy", omitted.only_in_references));
    }
    if omitted.only_in_hierarchy > 0 {
        footer.add_note(format!("{} of them missing from the references", omitted.only_in_hierarchy));
    }
    if omitted.other_uses > 0 {
        let uses = counted(omitted.other_uses, "other use is not a call", "other uses are not calls");
        footer.add_note(format!("{uses}; references lists them"));
    }
    if !omitted.unresolved.is_empty() {
        let names: Vec<&str> = omitted.unresolved.iter().take(MAX_UNRESOLVED).map(String::as_str).collect();
        let more = if omitted.unresolved.len() > MAX_UNRESOLVED { ", …" } else { "" };
        footer.add_note(format!("outside the project or unknown: {}{more}", names.join(", ")));
    }
    if found.nodes.iter().any(|node| node.more == Continuation::Yes) {
        footer.add_note("+: raise depth".to_owned());
    }
    if omitted.missing > 0 {
        let uses = counted(omitted.missing, "possible use", "possible uses");
        footer.add_incomplete(format!(
            "{uses} that {} does not report; references with show_unlisted lists them",
            found.source.name()
        ));
    }
    omitted.unread.clauses().into_iter().for_each(|why| footer.add_incomplete(why));
    if omitted.is_truncated {
        footer.add_incomplete(
            "the tree is too large or takes too long, … marks where it was cut; give a smaller depth, or ask about \
             those marked"
                .to_owned(),
        );
    }
    let unsure = found.nodes.iter().filter(|node| !node.branch.is_likely).count();
    if unsure > 0 {
        let what = match relation {
            Relation::Callers | Relation::Callees => "on unknown receivers",
            Relation::Supertypes | Relation::Subtypes => "of several types of that name",
        };
        footer.add_unchecked(format!("{unsure} marked ?, {what}"));
    }
    if let Some((path, alias)) = omitted.renamed.first() {
        note_renamed((path, alias), omitted.renamed.len(), footer);
    }
    if let Some(perhaps) = describe_possible(&omitted.perhaps) {
        footer.add_unchecked(format!("perhaps {}", perhaps.by_reason));
    }
    if omitted.unchecked > 0 {
        footer.add_unchecked(match &found.source {
            Source::Syntax(_) => {
                format!(
                    "{} not counted as callers",
                    counted(omitted.unchecked, "possible call", "possible calls")
                )
            }
            Source::Server(name) => format!(
                "{} of that name that {name} does not report and syntax cannot resolve",
                counted(omitted.unchecked, "occurrence", "occurrences"),
            ),
        });
    }
}

/// Formats the nodes, one per line: `src/a.py:12 function main @ 14 20 +`. Nodes of several levels form a
/// tree by indentation, beneath the directory that contains all of them; a path equal to that of the line
/// above is omitted: `:20 function run @ 22`. Many nodes of a single level are grouped by path instead.
fn lines(nodes: &[Node], relation: Relation) -> Vec<String> {
    if nodes.iter().all(|node| node.depth == 1) {
        return by_file(nodes, file, |node| line(node, relation));
    }
    let files: Vec<String> = nodes.iter().map(file).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let directory = shared_directory(&files);
    let is_shown = directory.len() * nodes.len() >= WORTH_GROUPING;
    let directory = if is_shown { directory } else { "" };
    let mut lines = Vec::new();
    let mut margin = "";
    if !directory.is_empty() {
        lines.push(escaped(directory).into_owned());
        margin = " ";
    }
    let mut above = String::new();
    for (at, node) in nodes.iter().enumerate() {
        let indent = format!("{margin}{}", " ".repeat(node.depth - 1));
        let is_same = |other: &Node| other.branch.key == node.branch.key;
        let has_its_name = |other: &&Node| other.branch.summary.name_path == node.branch.summary.name_path;
        let stands_above =
            matches!(node.more, Continuation::Cycle | Continuation::Shown) && nodes[..at].iter().any(is_same);
        // The node above gives its place, and no other symbol has its name.
        if stands_above && nodes.iter().filter(has_its_name).all(is_same) {
            lines.push(format!("{indent}{}", named(node, relation)));
            above.clear();
            continue;
        }
        let file = file(node);
        let shown = if file == above { "" } else { &file[directory.len()..] };
        lines.push(format!("{indent}{}:{}", escaped(shown), line(node, relation)));
        above = file;
    }
    lines
}

/// Formats what follows the path: `12 function main @ 14 20 +`.
fn line(node: &Node, relation: Relation) -> String {
    format!("{} {}", node.branch.summary.line + 1, named(node, relation))
}

/// Formats a node without its place: `function main @ 14 20 +`. The lines are those of calls; types have
/// none.
fn named(node: &Node, relation: Relation) -> String {
    let branch = &node.branch;
    let lines: Vec<String> = match relation {
        Relation::Callers | Relation::Callees => {
            branch.lines.iter().map(|line| (line + 1).to_string()).collect()
        }
        Relation::Supertypes | Relation::Subtypes => Vec::new(),
    };
    let calls = if lines.is_empty() { String::new() } else { format!(" @ {}", lines.join(" ")) };
    let unsure = if branch.is_likely { "" } else { " ?" };
    let more = match node.more {
        Continuation::No => "",
        Continuation::Cycle => " (cycle)",
        Continuation::Shown => " (shown above)",
        Continuation::Yes => " +",
        Continuation::Unknown => " …",
    };
    format!("{} {}{calls}{unsure}{more}", short_word(branch.summary.kind), branch.summary.name_path)
}

fn file(node: &Node) -> String {
    match &node.branch.key.file {
        FileLocation::Project(path) => path.as_str().to_owned(),
        FileLocation::Outside(path) => path.display().to_string(),
    }
}

fn as_json(found: &Related, relation: Relation, limit: usize) -> Value {
    let all: Vec<Value> = found.nodes.iter().map(node_json).collect();
    let shown = fitting(&all, limit);
    let omitted = &found.omitted;
    let is_whole = shown == all.len()
        && omitted.missing == 0
        && omitted.unchecked == 0
        && omitted.perhaps.is_empty()
        && omitted.renamed.is_empty()
        && !omitted.is_truncated
        && omitted.unread.is_empty();
    let mut object = json!({
        "symbol": { "name_path": found.target.symbol.name_path, "path": found.target.symbol.path.as_str() },
        words(relation).1: all[..shown], "left_out": all.len() - shown,
        "only_in_references": omitted.only_in_references, "only_in_hierarchy": omitted.only_in_hierarchy,
        "other_uses": omitted.other_uses, "missing": omitted.missing, "unchecked": omitted.unchecked,
        "unresolved": omitted.unresolved, "unread": omitted.unread.clauses(),
        "complete": is_whole && found.nodes.iter().all(|node| node.branch.is_likely),
        "revision": found.revision,
    });
    if !omitted.renamed.is_empty() {
        let one = |(path, alias): &(RelPath, String)| json!({ "path": path.as_str(), "as": alias });
        object["renamed"] = omitted.renamed.iter().map(one).collect();
    }
    if let Some(perhaps) = describe_possible(&omitted.perhaps) {
        object["perhaps"] = json!(perhaps.one_by_one);
    }
    reading_json(found.target.read_as.as_ref(), &mut object);
    source_json(&found.source, &mut object);
    object
}

fn node_json(node: &Node) -> Value {
    let branch = &node.branch;
    let lines: Vec<u32> = branch.lines.iter().map(|line| line + 1).collect();
    json!({
        "depth": node.depth, "name_path": branch.summary.name_path, "kind": branch.summary.kind.word(),
        "path": file(node), "line": branch.summary.line + 1, "at_lines": lines, "likely": branch.is_likely,
        "more": match node.more {
            Continuation::No => "no",
            Continuation::Cycle => "cycle",
            Continuation::Shown => "shown",
            Continuation::Yes => "yes",
            Continuation::Unknown => "unknown",
        },
    })
}
