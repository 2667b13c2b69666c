//! Places as answers list them: file, line, and what stands on the line.

use super::answer::Listed;
use crate::spot::Source;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;

/// Characters of a line that are kept.
const LINE_CHARS: usize = 160;

/// Places that are kept of one list: more say nothing that the count does not.
const MAX_LISTED: usize = 200;

/// The places of ranges that stand in path order; one for each line.
pub(super) fn listed(
    view: &View,
    ranges: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<Listed>, Cancelled> {
    let mut all: Vec<Listed> = Vec::new();
    for of_file in ranges[..ranges.len().min(MAX_LISTED)].chunk_by(|a, b| a.0 == b.0) {
        cancel.check()?;
        let path = &of_file[0].0;
        let Some(source) = Source::read(view, path) else { continue };
        all.extend(of_file.iter().map(|(_, range)| {
            let line = source.text.line_column(range.start).line;
            let text = source.text.line(line as usize).unwrap_or("").trim();
            Listed { path: path.clone(), line, text: text.chars().take(LINE_CHARS).collect() }
        }));
    }
    all.dedup();
    Ok(all)
}
