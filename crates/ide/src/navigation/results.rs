//! Results as LSP 3.17 has them.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;

use crate::position::{LspPosition, LspRange};
use symd_base::RelPath;
use symd_lsp::{FileRef, ServerPosition, Severity, Span, uri};
use symd_ops::at_place::{HierarchyItem, PlacedDiagnostic, PlacedEdit, PlacedRename, PlacedSymbol};

fn position(position: ServerPosition) -> LspPosition {
    LspPosition { line: position.line, character: position.character }
}

fn range(span: &Span) -> LspRange {
    LspRange { start: position(span.start), end: position(span.end) }
}

fn uri_of(root: &Path, span: &Span) -> String {
    match &span.file {
        FileRef::Project(path) => uri::of_file(root, path),
        // What a server names by another scheme is no path.
        FileRef::Outside(path) if path.is_absolute() => uri::of_path(path),
        FileRef::Outside(path) => path.display().to_string(),
    }
}

/// `Location`.
#[derive(Serialize)]
pub(super) struct LocatedRange<'u> {
    uri: Cow<'u, str>,
    range: LspRange,
}

impl LocatedRange<'_> {
    pub(super) fn of(root: &Path, span: &Span) -> LocatedRange<'static> {
        LocatedRange { uri: Cow::Owned(uri_of(root, span)), range: range(span) }
    }

    /// Returns a place in the file of this URI.
    pub(super) fn within<'u>(uri: &'u str, span: &Span) -> LocatedRange<'u> {
        LocatedRange { uri: Cow::Borrowed(uri), range: range(span) }
    }
}

/// Returns the URIs of files, each with the places in it that stand together.
pub(super) fn by_file<'s>(root: &Path, spans: &'s [Span]) -> Vec<(String, &'s [Span])> {
    let of_files = spans.chunk_by(|a, b| a.file == b.file);
    of_files.filter_map(|of_file| Some((uri_of(root, of_file.first()?), of_file))).collect()
}

/// `Hover`.
#[derive(Serialize)]
pub(super) struct HoverResult {
    contents: Markup,
}

#[derive(Serialize)]
struct Markup {
    kind: &'static str,
    value: String,
}

impl HoverResult {
    pub(super) fn markdown(value: String) -> HoverResult {
        HoverResult { contents: Markup { kind: "markdown", value } }
    }
}

/// `DocumentSymbol`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentSymbol<'s> {
    name: &'s str,
    kind: u8,
    range: LspRange,
    selection_range: LspRange,
    children: Vec<DocumentSymbol<'s>>,
}

impl<'s> DocumentSymbol<'s> {
    pub(super) fn of(symbol: &'s PlacedSymbol) -> DocumentSymbol<'s> {
        DocumentSymbol {
            name: shown(&symbol.name),
            kind: symbol.kind as u8,
            range: range(&symbol.range),
            selection_range: range(&symbol.name_range),
            children: symbol.children.iter().map(DocumentSymbol::of).collect(),
        }
    }
}

/// LSP demands a name that is not empty.
fn shown(name: &str) -> &str {
    if name.trim().is_empty() { "(unnamed)" } else { name }
}

/// `SymbolInformation`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SymbolInformation<'s> {
    name: &'s str,
    kind: u8,
    container_name: &'s str,
    location: LocatedRange<'static>,
}

impl<'s> SymbolInformation<'s> {
    pub(super) fn of(root: &Path, symbol: &'s PlacedSymbol) -> SymbolInformation<'s> {
        SymbolInformation {
            name: shown(&symbol.name),
            kind: symbol.kind as u8,
            container_name: &symbol.container,
            location: LocatedRange::of(root, &symbol.name_range),
        }
    }
}

/// `CallHierarchyItem` and `TypeHierarchyItem`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallItem<'s> {
    name: &'s str,
    kind: u8,
    detail: &'s str,
    uri: String,
    range: LspRange,
    selection_range: LspRange,
    data: ItemData<'s>,
}

/// What symd needs to go on from an item.
#[derive(Serialize)]
struct ItemData<'s> {
    symd: &'s RelPath,
    offset: u32,
}

impl<'s> CallItem<'s> {
    pub(super) fn of(root: &Path, symbol: &'s PlacedSymbol) -> CallItem<'s> {
        CallItem {
            name: shown(&symbol.name),
            kind: symbol.kind as u8,
            detail: &symbol.container,
            uri: uri_of(root, &symbol.range),
            range: range(&symbol.range),
            selection_range: range(&symbol.name_range),
            data: ItemData { symd: &symbol.path, offset: symbol.offset },
        }
    }
}

/// `CallHierarchyIncomingCall`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IncomingCall<'s> {
    from: CallItem<'s>,
    from_ranges: Vec<LspRange>,
}

impl<'s> IncomingCall<'s> {
    pub(super) fn of(root: &Path, item: &'s HierarchyItem) -> IncomingCall<'s> {
        let from_ranges = item.sites.iter().map(range).collect();
        IncomingCall { from: CallItem::of(root, &item.symbol), from_ranges }
    }
}

/// `CallHierarchyOutgoingCall`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OutgoingCall<'s> {
    to: CallItem<'s>,
    from_ranges: Vec<LspRange>,
}

impl<'s> OutgoingCall<'s> {
    pub(super) fn of(root: &Path, item: &'s HierarchyItem) -> OutgoingCall<'s> {
        let from_ranges = item.sites.iter().map(range).collect();
        OutgoingCall { to: CallItem::of(root, &item.symbol), from_ranges }
    }
}

/// The result of `textDocument/prepareRename`: a `Range`.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Prepared(LspRange);

impl Prepared {
    pub(super) fn of(span: &Span) -> Prepared {
        Prepared(range(span))
    }
}

/// `WorkspaceEdit`. The versions of open documents are filled in by `symd lsp`, which knows them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkspaceEditResult<'s> {
    document_changes: Vec<DocumentChange<'s>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DocumentChange<'s> {
    #[serde(rename_all = "camelCase")]
    Text { text_document: VersionedUri, edits: Vec<TextEdit<'s>> },
    #[serde(rename_all = "camelCase")]
    Rename { kind: &'static str, old_uri: String, new_uri: String },
}

#[derive(Serialize)]
struct VersionedUri {
    uri: String,
    version: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextEdit<'s> {
    range: LspRange,
    new_text: &'s str,
}

impl<'s> WorkspaceEditResult<'s> {
    pub(super) fn of(root: &Path, rename: &'s PlacedRename) -> WorkspaceEditResult<'s> {
        let text = |edit: &'s PlacedEdit| DocumentChange::Text {
            text_document: VersionedUri { uri: uri::of_file(root, &edit.path), version: None },
            edits: edit
                .changes
                .iter()
                .map(|(span, new_text)| TextEdit { range: range(span), new_text })
                .collect(),
        };
        let renamed = |(from, to): &(RelPath, RelPath)| DocumentChange::Rename {
            kind: "rename",
            old_uri: uri::of_file(root, from),
            new_uri: uri::of_file(root, to),
        };
        let texts = rename.edits.iter().map(text);
        WorkspaceEditResult { document_changes: texts.chain(rename.renamed.iter().map(renamed)).collect() }
    }
}

/// `DocumentDiagnosticReport`, a full one.
#[derive(Serialize)]
pub(super) struct DiagnosticReport {
    kind: &'static str,
    items: Vec<ReportedDiagnostic>,
}

#[derive(Serialize)]
struct ReportedDiagnostic {
    range: LspRange,
    severity: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    source: String,
    message: String,
}

impl DiagnosticReport {
    pub(super) fn of(list: Vec<PlacedDiagnostic>) -> DiagnosticReport {
        let items = list.into_iter().map(|PlacedDiagnostic { range: span, diagnostic }| ReportedDiagnostic {
            range: range(&span),
            severity: match diagnostic.severity {
                Severity::Error => 1,
                Severity::Warning => 2,
                Severity::Information => 3,
                Severity::Hint => 4,
            },
            code: diagnostic.code,
            source: diagnostic.source.unwrap_or_else(|| "symd".to_owned()),
            message: diagnostic.message,
        });
        DiagnosticReport { kind: "full", items: items.collect() }
    }
}
