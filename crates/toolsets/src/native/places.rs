//! `find_definition`, `find_implementations` and `hover` of `native`.

use serde_json::{Value, json};
use symd_base::escaped;

use super::answer::{Footer, Format, fitting, format};
use super::batch::answer_each;
use super::files::{counted, failed, limit};
use super::reference_text::{note_dropped, shown_line};
use super::render::{Signatures, line, of_each_line, shared_signature, truncate};
use super::server_tools::{
    format_refusal, name_path, note_reading, note_source, reading_json, relative_path, schema, selector,
    server_wait, source_json,
};
use super::tree::by_file;
use crate::arguments::{ArgumentError, Arguments};
use crate::server_questions::{NoAnswerReason, within};
use crate::{Call, Client, Reply, Tool};
use symd_lsp::Goto;
use symd_ops::definition::{DeclaredSymbol, Definitions, FindDefinition, Pointer, definition};
use symd_ops::hover::{AskHover, Hover, hover};
use symd_ops::implementations::{FindImplementations, Implementations, PossibleMatchText, implementations};
use symd_ops::question::Source;

pub(super) const FIND_DEFINITION: Tool = Tool::read_only(
    "find_definition",
    "Go to definition",
    "Go to the definition, declaration or type definition of a name where it is used: \
     give the file, the line and the name on that line. Tells the file, the lines and the declaration. To find a symbol \
     by name alone use find_symbol.",
    definition_schema,
    |call| Box::pin(async move { run_definition(&call).await.unwrap_or_else(|reply| reply) }),
);

pub(super) const FIND_IMPLEMENTATIONS: Tool = Tool::read_only(
    "find_implementations",
    "Find implementations",
    "Find the implementations of an interface, abstract class or method: the \
     classes that implement or extend it, or the methods that override it.",
    implementations_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run_implementations(call))),
);

pub(super) const HOVER: Tool = Tool::read_only(
    "hover",
    "Hover",
    "Type, signature and documentation of a symbol, or of a name on a line: what an editor \
     shows on hover. Cheaper than reading the file.",
    hover_schema,
    |call| Box::pin(async move { run_hover(&call).await.unwrap_or_else(|reply| reply) }),
);

fn pointer_schema(more: Value, name: &str) -> Value {
    let mut own = json!({
        "relative_path": {"type": "string", "default": "", "description": "The file of the use; or, with name_path, the file that declares the symbol."},
        "line": {"type": "integer", "minimum": 1, "description": "The line of the use, 1-based."},
        "name": {"type": "string", "description": name},
        "name_path": {"type": "string", "description": "Instead of line and name: the symbol itself, as in find_symbol."},
    });
    if let (Value::Object(own), Value::Object(more)) = (&mut own, more) {
        own.extend(more);
    }
    schema(own, &[])
}

fn definition_schema() -> Value {
    pointer_schema(
        json!({"which": {"type": "string", "enum": ["definition", "declaration", "type_definition"], "default": "definition", "description": "Where to go."}}),
        "The name on that line to go from; its first place on the line is meant.",
    )
}

fn hover_schema() -> Value {
    pointer_schema(json!({}), "The name on that line; its first place on the line is meant.")
}

fn implementations_schema() -> Value {
    schema(json!({ "name_path": name_path(), "relative_path": relative_path() }), &["name_path"])
}

async fn run_definition(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let from = pointer(&arguments)?;
    let which = match arguments
        .one_of_or("which", &["definition", "declaration", "type_definition"], "definition")
        .map_err(failed)?
    {
        "declaration" => Goto::Declaration,
        "type_definition" => Goto::TypeDefinition,
        _ => Goto::Definition,
    };
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = FindDefinition { from: from.clone(), which, waiting: patience.waiting };
    let found = within(call.project, patience.at_most, definition(call.project, &ask))
        .await
        .map_err(format_refusal)?;
    // From syntax, several declarations at a use are candidates.
    let is_candidates = matches!((&from, &found.source), (Pointer::Use { .. }, Source::Syntax(_)))
        && found.found.inside.len() > 1;
    let mut more = ExtraFacts { is_candidates, ..ExtraFacts::default() };
    if arguments.boolean_or("hover", false).map_err(failed)? {
        let ask = AskHover { over: from, waiting: patience.waiting };
        let op = hover(call.project, &ask);
        more.hover = Some(within(call.project, patience.at_most, op).await);
    }
    Ok(reply(&found, &more, ("definition", "definitions"), format, (limit, &call.client)))
}

async fn run_implementations(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask =
        FindImplementations { wanted: selector(&arguments).map_err(failed)?, waiting: patience.waiting };
    let op = implementations(call.project, &ask);
    let found = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    let Implementations { found, source, untold, perhaps, unread, read_as, revision } = found;
    let more = ExtraFacts { untold, perhaps, ..ExtraFacts::default() };
    let found = Definitions { found, is_guess: false, source, unread, read_as, revision };
    Ok(reply(&found, &more, ("implementation", "implementations"), format, (limit, &call.client)))
}

/// Additional facts of an answer.
#[derive(Default)]
struct ExtraFacts {
    /// Whether the results are candidates, of which one is meant.
    is_candidates: bool,
    /// The number of results that the server does not report and the heads of classes show.
    untold: usize,
    /// Declarations that may be results too.
    perhaps: Option<PossibleMatchText>,
    /// The hover text of the name, if it is requested.
    hover: Option<Result<Hover, NoAnswerReason>>,
}

/// Parses what the client points at: a symbol, or a name on a line.
fn pointer(arguments: &Arguments<'_>) -> Result<Pointer, Reply> {
    if arguments.string_if("name_path").map_err(failed)?.is_some() {
        return Ok(Pointer::Symbol(selector(arguments).map_err(failed)?));
    }
    let read = || -> Result<Pointer, ArgumentError> {
        let line = arguments.integer("line")?;
        let line = usize::try_from(line.saturating_sub(1))
            .map_err(|_| arguments.invalid("line", "an integer from 1"))?;
        let (relative_path, name) = (arguments.string("relative_path")?, arguments.string("name")?);
        Ok(Pointer::Use { relative_path: relative_path.to_owned(), line, name: name.to_owned() })
    };
    read().map_err(|error| failed(format!("{error}; give path, line and name, or a name_path")))
}

fn reply(
    found: &Definitions,
    more: &ExtraFacts,
    words: (&str, &str),
    form: Format,
    (limit, client): (usize, &Client),
) -> Reply {
    Reply::done(match form {
        Format::Json => as_json(found, more, words, limit),
        Format::Text => as_text(found, more, words, (limit, client)),
    })
}

fn as_text(
    found: &Definitions,
    more: &ExtraFacts,
    words: (&str, &str),
    (limit, client): (usize, &Client),
) -> String {
    let declared = &found.found;
    let mut lines = declared_lines(&declared.inside);
    let inside = declared.inside.len();
    lines.extend(
        declared
            .outside
            .iter()
            .map(|spot| format!("{}:{}", escaped(&spot.path.display().to_string()), spot.line + 1)),
    );
    let count = inside + declared.outside.len();
    let mut text = if lines.is_empty() { format!("No {} found.", words.0) } else { lines.join("\n") };
    let mut footer = Footer::new(counted(count, words.0, words.1));
    note_reading(found.read_as.as_ref(), &mut footer);
    note_source(&found.source, client, &mut footer);
    note_dropped(&declared.dropped, &mut footer);
    match &more.hover {
        Some(Ok(hover)) => {
            let is_shown = declared.inside.iter().any(|one| one.symbol.is_some());
            let lines = hover_lines(hover, if is_shown { Head::Shown } else { Head::Missing });
            lines.iter().for_each(|line| text.push_str(&format!("\n{line}")));
            if hover.source.name() != found.source.name() && !lines.is_empty() {
                footer.add_note(format!("type and documentation from {}", hover.source.name()));
            }
        }
        Some(Err(_)) => footer.add_note("type and documentation are not known".to_owned()),
        None => {}
    }
    found.unread.clauses().into_iter().for_each(|why| footer.add_incomplete(why));
    if more.untold > 0 {
        footer.add_note(format!("{} of them found by class headers only, not by the server", more.untold));
    }
    if let Some(perhaps) = &more.perhaps {
        footer.add_unchecked(format!("perhaps {}", perhaps.by_reason));
    }
    if found.is_guess || more.is_candidates {
        footer.add_unchecked(doubt(found));
    }
    if truncate(&mut text, limit) {
        footer.add_incomplete(format!("cut at {limit} characters; raise limit"));
    }
    format!("{text}\n{footer}")
}

/// Tells why the declarations may not be what is meant.
fn doubt(found: &Definitions) -> String {
    let several = found.found.inside.len() > 1;
    match (found.is_guess, several) {
        (true, true) => "syntax cannot tell which of them is meant, or whether any is",
        (true, false) => "syntax cannot tell whether it is meant",
        (false, _) => "syntax cannot tell which of them is meant",
    }
    .to_owned()
}

/// Whether the head of the declaration is shown above already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Shown,
    Missing,
}

/// Returns the lines of a hover text. Text from syntax begins with the place and the head, which are omitted
/// if shown already.
fn hover_lines(hover: &Hover, head: Head) -> Vec<String> {
    let text = match (&hover.source, head) {
        (Source::Syntax(_), Head::Shown) => hover.comment.clone(),
        _ => hover.text.clone(),
    };
    let lines = hover.signatures.iter().cloned().chain(text);
    lines.map(|part| part.trim_end().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Formats declarations as `src/a.py:12-20 function run(x)`, one per line; of many, a shared path prefix is
/// written once.
fn declared_lines(all: &[DeclaredSymbol]) -> Vec<String> {
    let path =
        |one: &DeclaredSymbol| one.symbol.as_ref().map_or(&one.spot.path, |symbol| &symbol.path).to_string();
    let symbols: Option<Vec<_>> = all.iter().map(|one| one.symbol.as_ref()).collect();
    let shared = symbols.and_then(|symbols| shared_signature(&symbols));
    let signatures = if shared.is_some() { Signatures::Once } else { Signatures::Shown };
    let mut lines: Vec<String> = shared.as_deref().map(of_each_line).into_iter().collect();
    lines.extend(by_file(all, path, |one| declared_line(one, signatures)));
    lines
}

/// Formats what follows the path: `12-20 function run(x)`, or the source line where no symbol is declared.
fn declared_line(one: &DeclaredSymbol, signatures: Signatures) -> String {
    match &one.symbol {
        Some(symbol) => line(symbol, &symbol.name_path, signatures),
        None => format!("{}: {}", one.spot.line + 1, shown_line(&one.spot)),
    }
}

fn as_json(found: &Definitions, more: &ExtraFacts, words: (&str, &str), limit: usize) -> String {
    let inside = found.found.inside.iter().map(|one| {
        let symbol = one.symbol.as_ref();
        json!({
            "path": one.spot.path.as_str(), "line": one.spot.line + 1, "text": one.spot.around.line.trim(),
            "name_path": symbol.map(|symbol| &symbol.name_path), "kind": symbol.map(|symbol| symbol.kind.word()),
            "start_line": symbol.map(|symbol| symbol.start_line + 1), "end_line": symbol.map(|symbol| symbol.end_line + 1),
        })
    });
    let outside = found.found.outside.iter().map(
        |spot| json!({ "path": spot.path.display().to_string(), "line": spot.line + 1, "outside_project": true }),
    );
    let all: Vec<Value> = inside.chain(outside).collect();
    let shown = fitting(&all, limit);
    let mut object = json!({
        words.1: all[..shown], "left_out": all.len() - shown,
        "complete": shown == all.len()
            && found.unread.is_empty()
            && more.perhaps.is_none()
            && !more.is_candidates
            && !found.is_guess,
        "unread": found.unread.clauses(), "revision": found.revision,
    });
    if let Some(perhaps) = &more.perhaps {
        object["perhaps"] = json!(perhaps.one_by_one);
    }
    match &more.hover {
        Some(Ok(hover)) => {
            object["hover"] =
                json!({ "text": hover.text, "signatures": hover.signatures, "source": hover.source.name() });
        }
        Some(Err(_)) => object["hover"] = Value::Null,
        None => {}
    }
    reading_json(found.read_as.as_ref(), &mut object);
    source_json(&found.source, &mut object);
    object.to_string()
}

async fn run_hover(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = AskHover { over: pointer(&arguments)?, waiting: patience.waiting };
    let found =
        within(call.project, patience.at_most, hover(call.project, &ask)).await.map_err(format_refusal)?;
    Ok(Reply::done(hover_answer(&found, format, (limit, &call.client))))
}

fn hover_answer(found: &Hover, form: Format, (limit, client): (usize, &Client)) -> String {
    let mut parts: Vec<String> = found.signatures.clone();
    parts.extend(found.text.clone());
    let count = parts.len();
    let mut text = parts.join("\n");
    let is_cut = truncate(&mut text, limit);
    if form == Format::Json {
        let is_complete = !is_cut && !found.is_guess;
        let mut object = json!({ "text": text, "signatures": found.signatures, "revision": found.revision, "complete": is_complete });
        reading_json(found.read_as.as_ref(), &mut object);
        source_json(&found.source, &mut object);
        return object.to_string();
    }
    if count == 0 {
        "No hover information.".clone_into(&mut text);
    }
    let mut footer = Footer::new("hover".to_owned());
    note_reading(found.read_as.as_ref(), &mut footer);
    note_source(&found.source, client, &mut footer);
    if found.is_guess {
        footer.add_unchecked("syntax cannot tell whether this declaration is meant".to_owned());
    }
    if is_cut {
        footer.add_incomplete(format!("cut at {limit} characters; raise limit"));
    }
    format!("{}\n{footer}", text.trim_end())
}
