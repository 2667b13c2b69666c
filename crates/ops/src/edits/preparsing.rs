//! Outlines of the texts that an edit of whole files will write, made before the files change: otherwise the
//! next question would wait while all of them are parsed. Invariant: an outline belongs to exactly the bytes
//! that the file will have; a text without one is parsed later, like any change.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Project;
use symd_base::cores;
use symd_base::text::{Encoding, decodes_unchanged};
use symd_base::{Cancel, ContentHash, RelPath, Text, TextEdits};
use symd_edit::{Plan, PlanStep};
use symd_engine::{MAX_PARSED_BYTES, PreparsedOutline, View};

/// Number of files that justify another thread.
const WORTH: usize = 4;

/// The text change of one file in a plan.
struct Changed<'p> {
    path: &'p RelPath,
    base: ContentHash,
    edits: &'p TextEdits,
}

/// Makes the outlines of the texts that `plan` will write, while its files are still unchanged, and passes
/// them to the engine. Returns the hashes of these texts.
pub(super) async fn preparse_outlines(project: &Project, plan: &Plan) -> Vec<ContentHash> {
    let plan = plan.clone();
    // If the project cannot be read, the edit itself reports the reason.
    let preparsed =
        project.with_view(move |view, cancel| outlines(view, &plan, cancel)).await.unwrap_or_default();
    let hashes = preparsed.iter().map(|one| one.hash).collect();
    project.engine.add_preparsed(preparsed);
    hashes
}

fn outlines(view: &View, plan: &Plan, cancel: &Cancel) -> Vec<PreparsedOutline> {
    let mut changed: BTreeMap<&RelPath, Changed> = BTreeMap::new();
    let mut preparsed = Vec::new();
    for step in &plan.steps {
        match step {
            PlanStep::Text { path, base, edits } => {
                changed.insert(path, Changed { path, base: *base, edits });
            }
            PlanStep::Rename { from, base, .. } => preparsed.extend(as_it_is(view, from, *base)),
            _ => {}
        }
    }
    let changed: Vec<Changed> = changed.into_values().collect();
    let made = cores::concurrent_map(&changed, WORTH, |one| one.outline(view, cancel));
    preparsed.extend(made.into_iter().flatten());
    preparsed
}

/// Returns the outline of a file that is only renamed.
fn as_it_is(view: &View, path: &RelPath, base: ContentHash) -> Option<PreparsedOutline> {
    let file = view.snapshot.files.get(path.as_str())?;
    let outline = file.outline().filter(|_| file.hash() == Some(base))?;
    Some(PreparsedOutline { hash: base, grammar: file.grammar()?, outline: Arc::clone(outline) })
}

impl Changed<'_> {
    /// Returns the outline of the file after the edit.
    fn outline(&self, view: &View, cancel: &Cancel) -> Option<PreparsedOutline> {
        cancel.check().ok()?;
        let grammar = view.snapshot.files.get(self.path.as_str())?.grammar()?;
        let bytes = view.files.read_no_follow(self.path, MAX_PARSED_BYTES).ok()?.bytes;
        if ContentHash::of(&bytes) != self.base {
            return None;
        }
        let before = Text::decode(bytes).ok()?;
        let after = self.edits.apply(before.as_str()).ok()?;
        // Only then are these the bytes on the disk that the index would parse.
        let is_verbatim = before.encoding() == Encoding::Utf8 && decodes_unchanged(&after);
        if !is_verbatim || u64::try_from(after.len()).unwrap_or(u64::MAX) > MAX_PARSED_BYTES {
            return None;
        }
        let outline = view.parsers.outline_now(grammar, &after, cancel).ok()?;
        Some(PreparsedOutline {
            hash: ContentHash::of(after.as_bytes()),
            grammar,
            outline: Arc::new(outline),
        })
    }
}
