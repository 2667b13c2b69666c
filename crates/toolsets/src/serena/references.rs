//! `find_referencing_symbols` of the serena contract: one entry per reference, attributed to the innermost
//! symbol around it, 0-based lines. The contract has no term for completeness: references that syntax cannot
//! decide are listed too, since a missing reference costs more than one too many.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json as schema};
use tokio::time::Instant;

use super::answer::{AnswerLimit, bad_argument, error, not_yet_parsed_error};
use super::files::MAX_ANSWER_CHARS;
use super::json;
use super::symbols::{dict_of, format_refusal, kinds};
use crate::arguments::Arguments;
use crate::server_questions::{NoAnswerReason, within};
use crate::{Call, Reply, Tool};
use symd_index::Locals;
use symd_lsp::WaitPolicy;
use symd_ops::question::QuestionError;
use symd_ops::references::{FindReferences, Reference, references};
use symd_ops::spot::Spot;
use symd_ops::target::{SymbolSelector, TargetError};
use symd_syntax::SymbolKind;

/// How long to wait for a server that is not ready; then syntax answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// The description is ours: the contract has no sentence for it.
pub(super) const FIND_REFERENCING_SYMBOLS: Tool = Tool::read_only(
    "find_referencing_symbols",
    "Find references",
    "Finds symbols that reference the symbol at the given name path, using the language server backend. \
     One entry per reference: where a class, function, method or variable is used, with the lines around.",
    references_schema,
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
);

fn references_schema() -> Value {
    schema!({
        "type": "object",
        "properties": {
            "name_path": {"type": "string", "description": "The name path of the symbol whose references to find: a simple name, a suffix (`Class/method`), or a path from the file's top level (`/Class/method`)."},
            "relative_path": {"type": "string", "description": "The relative path to the file containing the symbol."},
            "include_kinds": {"type": "array", "items": {"type": "integer"}, "default": [], "description": "LSP symbol kinds of the referencing symbols to include (empty: all); 1 is the file itself."},
            "exclude_kinds": {"type": "array", "items": {"type": "integer"}, "default": [], "description": "LSP symbol kinds to exclude; takes precedence over include_kinds."},
            "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS},
        },
        "required": ["name_path", "relative_path"],
    })
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let text = |name: &str| arguments.string(name).map_err(bad_argument);
    let wanted = SymbolSelector {
        locals: Locals::Included,
        ..SymbolSelector::only(text("name_path")?, text("relative_path")?)
    };
    let (include, exclude) = (kinds(&arguments, "include_kinds")?, kinds(&arguments, "exclude_kinds")?);
    let limit = AnswerLimit::read(&arguments, call.project.max_answer_chars)?;
    let ask = FindReferences { wanted, waiting: WaitPolicy::Until(Instant::now() + PATIENCE) };
    let op = references(call.project, &ask);
    let mut found = within(call.project, PATIENCE, op).await.map_err(refusal)?;
    found.keep_kinds(&include, &exclude);
    // One list here: the references from the server of one language, possible ones, and those found in files of
    // other languages.
    let lists = [&found.list, &found.possible, &found.unreported, &found.in_other_languages];
    let mut all: Vec<&Reference> = lists.into_iter().flatten().collect();
    all.sort_by(|a, b| (&a.spot.path, a.spot.range).cmp(&(&b.spot.path, b.spot.range)));
    all.dedup_by(|a, b| a.spot.path == b.spot.path && a.spot.range == b.spot.range);
    let missing = found.unread.clauses_of_unknown();
    if all.is_empty() && !missing.is_empty() {
        return Err(not_yet_parsed_error("reference", &missing));
    }
    let entries: Vec<ReferenceDict> = all.into_iter().map(|one| entry(&one.spot)).collect();
    Ok(limit.reply(json::to_string(&entries)))
}

/// The contract's `ReferenceDict`.
#[derive(Serialize)]
struct ReferenceDict<'a> {
    name_path: &'a str,
    relative_path: &'a str,
    kind: u8,
    content_around_reference: String,
}

fn entry(spot: &Spot) -> ReferenceDict<'_> {
    let inside = spot.inside.as_ref();
    ReferenceDict {
        name_path: inside.map_or_else(|| spot.path.file_stem(), |inside| &inside.name_path),
        relative_path: spot.path.as_str(),
        kind: inside.map_or(SymbolKind::File, |inside| inside.kind).number(),
        content_around_reference: content_around(spot),
    }
}

/// Formats the lines around a reference, one before and one after: `  >` before the reference's own line,
/// `...` before the others, then the 0-based number.
fn content_around(spot: &Spot) -> String {
    let line = |mark: &str, number: u32, text: &str| format!("{mark}{number:>4}:{text}");
    let mut lines = Vec::with_capacity(3);
    if let Some(before) = &spot.around.before {
        lines.push(line("...", spot.line.saturating_sub(1), before));
    }
    lines.push(line("  >", spot.line, &spot.around.line));
    if let Some(after) = &spot.around.after {
        lines.push(line("...", spot.line + 1, after));
    }
    lines.join("\n")
}

/// Formats a failure in the contract's words.
pub(super) fn refusal(refusal: NoAnswerReason) -> Reply {
    let outcome = refusal.outcome();
    let reply = match refusal {
        NoAnswerReason::TooLate(text) => Reply::failed(text),
        NoAnswerReason::Question(QuestionError::Target(problem)) => format_target_error(problem),
        NoAnswerReason::Question(problem) => error(problem),
    };
    Reply { outcome, ..reply }
}

pub(super) fn format_target_error(problem: TargetError) -> Reply {
    match problem {
        TargetError::Symbol(problem) => format_refusal(problem),
        TargetError::Several { pattern, candidates } => {
            let dicts: Vec<_> = candidates.iter().map(dict_of).collect();
            error(format!(
                "Found multiple {} symbols matching '{pattern}'. They are: \n{}",
                candidates.len(),
                json::to_string_indented(&dicts)
            ))
        }
        TargetError::None { pattern, gaps, .. } => {
            let clauses = [gaps.unread.clauses_of_unknown(), gaps.not_outlined.clone()].concat();
            let none = format!("No symbol matching '{pattern}' found");
            error(clauses.iter().fold(none, |text, clause| format!("{text}. But {clause}")))
        }
        TargetError::Pattern(_) => error(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::{RelPath, TextRange};
    use symd_ops::spot::Around;
    use symd_resolve::Role;

    #[test]
    fn content_has_the_lines_around() {
        let spot = |line: u32, before: Option<&str>, after: Option<&str>| Spot {
            path: RelPath::new("src/main.py").expect("valid"),
            range: TextRange::new(0, 1),
            line,
            around: Around {
                before: before.map(str::to_owned),
                line: "  run()".to_owned(),
                after: after.map(str::to_owned),
            },
            role: Role::Call,
            inside: None,
            is_generated: false,
        };
        assert_eq!(
            content_around(&spot(12, Some("def f():"), Some(""))),
            "...  11:def f():\n  >  12:  run()\n...  13:"
        );
        assert_eq!(content_around(&spot(0, None, None)), "  >   0:  run()");
        assert_eq!(content_around(&spot(12345, None, None)), "  >12345:  run()");
        let top = spot(0, None, None);
        let entry = entry(&top);
        assert_eq!((entry.name_path, entry.kind), ("main", 1), "at the top level it is the file's");
    }
}
