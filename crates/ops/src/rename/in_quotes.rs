//! Uses that stand in quotes and mean what they name: the entries of `__all__`, annotations that are evaluated later, Kotlin's
//! `"$name"`. Servers say nothing of some, so what scopes and imports say of them counts. Invariant: an identifier that syntax
//! finds likely and that stands in a string, not in an expression in braces there.

use std::collections::{BTreeMap, HashSet};

use super::leads::Placed;
use crate::Project;
use crate::question::QuestionError;
use crate::references::Judged;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
use symd_engine::View;
use symd_resolve::Judgement;
use symd_syntax::{TextKind, is_short_template, text_kinds};

/// The likely uses that stand in quotes.
pub(super) async fn in_quotes(project: &Project, judged: &Judged) -> Result<HashSet<Placed>, QuestionError> {
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
    Ok(project.look(work).await??)
}

/// Whether a quote stands before the range in its line: only then is the text parsed.
fn is_behind_quote(text: &str, range: TextRange) -> bool {
    let before = text.get(..range.start as usize).unwrap_or("");
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.contains(['"', '\''])
}
