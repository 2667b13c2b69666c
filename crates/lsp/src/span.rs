//! Servers' answers in symd's own types. A server's positions are kept as sent until the file's text is at
//! hand; only then can they be validated and converted to byte offsets.

use std::path::PathBuf;

use symd_base::RelPath;
use symd_syntax::SymbolKind;

/// An answer and the server that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAnswer<T> {
    pub value: T,
    /// The server's name.
    pub server: String,
    /// Whether the server may still be indexing: it counts as ready only because its time limit is over, or
    /// it has just started to work.
    pub maybe_indexing: bool,
}

/// A file as a server names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRef {
    /// A file in the project.
    Project(RelPath),
    /// A file outside the project, or a URI that is not a local file. Its path and range may be shown, its
    /// text must not.
    Outside(PathBuf),
}

/// How a server counts columns (LSP 3.17, `PositionEncodingKind`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColumnEncoding {
    /// The unit is a byte.
    Utf8,
    /// The unit is a UTF-16 code unit: LSP's default.
    #[default]
    Utf16,
    /// The unit is a character.
    Utf32,
}

/// A position as the server sent it: 0-based line, 0-based column in the server's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerPosition {
    /// 0-based.
    pub line: u32,
    /// 0-based, in the units of the span's encoding.
    pub character: u32,
}

/// A range in a file as the server sent it, not validated. [`Span::resolve`] validates it against the file's
/// text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: FileRef,
    /// Inclusive.
    pub start: ServerPosition,
    /// Exclusive.
    pub end: ServerPosition,
    /// The unit of the columns.
    pub encoding: ColumnEncoding,
}

/// A declaration that a server reports: an item of a call or type hierarchy, or a document symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name as the server writes it.
    pub name: String,
    pub kind: SymbolKind,
    /// The range of the whole declaration.
    pub range: Span,
    /// The range of the name.
    pub name_range: Span,
    /// The container, signature or similar, if the server sends it.
    pub detail: Option<String>,
    /// The nested declarations (document symbols only).
    pub children: Vec<Item>,
}

/// What a server knows of a member of a class outside the project and of that class's base classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideMembers {
    /// The class that declares the member; `None` if none does as far as known.
    pub declared_by: Option<String>,
    /// Whether all base classes were searched.
    pub is_whole: bool,
    /// Whether the server also lists the attributes that methods assign; if not, such a member is not found.
    pub lists_attributes: bool,
}

/// The calls between the symbol asked about and one other symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The other symbol: the caller of incoming calls, the callee of outgoing ones.
    pub item: Item,
    /// The ranges of the calls, all in the caller's file.
    pub sites: Vec<Span>,
}

/// The direction along a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Incoming calls; supertypes.
    Up,
    /// Outgoing calls; subtypes.
    Down,
}

/// The severity of a diagnostic (LSP `DiagnosticSeverity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// 1.
    Error,
    /// 2.
    Warning,
    /// 3.
    Information,
    /// 4.
    Hint,
}

/// A problem that a server reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub span: Span,
    /// The severity; an error if the server sends none.
    pub severity: Severity,
    /// The rule: `unresolved-import`.
    pub code: Option<String>,
    /// The tool: `ty`.
    pub source: Option<String>,
    pub message: String,
}

/// Diagnostics, and whether they are complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticList {
    pub list: Vec<Diagnostic>,
    pub covers: DiagnosticCoverage,
}

/// The files that a list of diagnostics covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticCoverage {
    /// Everything that was asked about.
    Everything,
    /// Only the files about which the server published diagnostics: it cannot be asked about the whole
    /// project.
    Published,
}

/// A code action that the server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    pub title: String,
    /// LSP's code action kind: `quickfix`, `refactor.extract` …
    pub kind: Option<String>,
    /// Whether the server marks it as preferred.
    pub preferred: bool,
    /// Why it cannot be applied, if the server disabled it.
    pub disabled: Option<String>,
}

/// The subject of a question about diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiagnosticSubject {
    File(RelPath),
    Project,
}
