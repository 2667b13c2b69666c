//! Ranges of bytes as ranges of lines and columns.

use std::path::PathBuf;

use crate::Project;
use crate::question::QuestionError;
use symd_base::{ContentHash, RelPath, Text, TextRange};
use symd_engine::View;
use symd_lsp::{ColumnEncoding, FileRef, ServerPosition, Span, position_of};

/// The most bytes of a file whose text is read for a range in it.
const MAX_BYTES: u64 = 64 << 20;

/// Converts ranges; keeps the text of the last file.
pub(super) struct Ranges<'v> {
    view: &'v View,
    encoding: ColumnEncoding,
    last: Option<(RelPath, Option<Text>)>,
}

impl<'v> Ranges<'v> {
    pub(super) fn new(view: &'v View, encoding: ColumnEncoding) -> Ranges<'v> {
        Ranges { view, encoding, last: None }
    }

    /// Returns a range of a file; `None` if its text does not reach that far.
    pub(super) fn span(&mut self, path: &RelPath, range: TextRange) -> Option<Span> {
        let encoding = self.encoding;
        let text = self.text(path)?;
        text.as_str().get(range.as_range())?;
        let (start, end) = (position_of(text, range.start, encoding), position_of(text, range.end, encoding));
        Some(Span { file: FileRef::Project(path.clone()), start, end, encoding })
    }

    /// Returns the line, 0-based, of a file outside the project, whose text is not read.
    pub(super) fn outside(&self, path: PathBuf, line: u32) -> Span {
        let start = ServerPosition { line, character: 0 };
        Span { file: FileRef::Outside(path), start, end: start, encoding: self.encoding }
    }

    pub(super) fn view(&self) -> &'v View {
        self.view
    }

    pub(super) fn text(&mut self, path: &RelPath) -> Option<&Text> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            self.last = Some((path.clone(), text_of(self.view, path).map(|(text, _)| text)));
        }
        self.last.as_ref()?.1.as_ref()
    }
}

/// Runs a step of a question that converts ranges.
pub(super) async fn with_ranges<T: Send + 'static>(
    project: &Project,
    encoding: ColumnEncoding,
    work: impl FnOnce(&mut Ranges<'_>) -> T + Send + 'static,
) -> Result<T, QuestionError> {
    project.with_view(move |view, _| work(&mut Ranges::new(view, encoding))).await
}

/// Reads a file's text, with the hash of its bytes.
pub(super) fn text_of(view: &View, path: &RelPath) -> Option<(Text, ContentHash)> {
    let (text, hash) = view.read_text(path, MAX_BYTES).ok()?;
    Some((text.ok()?, hash))
}
