//! Places as answers list them: file, line, and the text of the line.

use super::answer::Listed;
use crate::spot::Source;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;

/// Maximum number of characters kept of a line.
const LINE_CHARS: usize = 160;

/// Maximum number of places kept of one list: more would tell nothing beyond the count.
const MAX_LISTED: usize = 200;

/// Returns the places of ranges, given in path order; one for each line.
pub(crate) fn listed(
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
