//! Uses in quotes that refer to what they name: the entries of `__all__`, annotations that are evaluated
//! later, Kotlin's `"$name"`. Servers do not report some of them, so scopes and imports decide. Invariant:
//! each is an identifier that syntax finds likely, in a string and not in an expression in braces there.

use std::collections::{BTreeMap, HashSet};

use super::definition_index::Placed;
use crate::Project;
use crate::question::QuestionError;
use crate::references::JudgedOccurrences;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_engine::View;
use symd_resolve::Judgement;
use symd_syntax::{TextKind, is_short_template, text_kinds};

/// Returns the likely uses in quotes.
pub(super) async fn in_quotes(
    project: &Project,
    judged: &JudgedOccurrences,
) -> Result<HashSet<Placed>, QuestionError> {
    let mut likely: BTreeMap<_, Vec<TextRange>> = BTreeMap::new();
    for one in judged.of(Judgement::Likely) {
        likely.entry(one.path.clone()).or_default().push(one.range);
    }
    let work = move |view: &View, cancel: &Cancel| {
        let mut found = HashSet::new();
        for (path, ranges) in likely {
            cancel.check()?;
            let Some(file) = view.snapshot.files.get(path.as_str()) else { continue };
            let Some(grammar) = file.grammar() else { continue };
            let Ok(current) = view.current(file) else { continue };
            let text = current.text.as_str();
            let ranges: Vec<TextRange> =
                ranges.into_iter().filter(|&range| is_behind_quote(text, range)).collect();
            if ranges.is_empty() {
                continue;
            }
            let kinds = text_kinds(grammar, text, &ranges, cancel).unwrap_or_default();
            let is_quoted = |range: TextRange, kind: TextKind| {
                matches!(kind, TextKind::String | TextKind::Doc)
                    || is_short_template(grammar, text, range.start as usize)
            };
            let kinds = ranges.into_iter().zip(kinds).filter(|&(range, kind)| is_quoted(range, kind));
            found.extend(kinds.map(|(range, _)| (path.clone(), range)));
        }
        Ok::<_, Cancelled>(found)
    };
    Ok(project.with_view(work).await??)
}

/// Whether the line has a quote before the range: only then is the text parsed.
fn is_behind_quote(text: &str, range: TextRange) -> bool {
    let before = text.get(..range.start as usize).unwrap_or("");
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.contains(['"', '\''])
}
