//! What servers say, in our types. A server's positions are kept as it sent them until the file's text is at hand:
//! only then can they be checked and become byte offsets.

use std::path::PathBuf;

use symd_base::RelPath;
use symd_syntax::SymbolKind;

/// An answer and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<T> {
    /// What was said.
    pub value: T,
    /// Which server said it.
    pub server: String,
    /// Whether it may still be indexing: it counts as ready only because its time is over, or has just begun to work.
    pub maybe_indexing: bool,
}

/// A file as a server names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRef {
    /// One of the project's.
    Project(RelPath),
    /// Outside the project (or not a file of a disk: then its URI): path and range may be told, its text not.
    Outside(PathBuf),
}

/// How a server counts columns (LSP 3.17, `PositionEncodingKind`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColumnEncoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16: LSP's default.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

/// A position as the server sent it: 0-based line, 0-based column in its own units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerPosition {
    /// 0-based.
    pub line: u32,
    /// 0-based, in the units of the span's encoding.
    pub character: u32,
}

/// A range in a file as the server sent it: unchecked. [`Span::resolve`] checks it against the file's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which file.
    pub file: FileRef,
    /// First position.
    pub start: ServerPosition,
    /// Just past the last.
    pub end: ServerPosition,
    /// How columns are counted.
    pub encoding: ColumnEncoding,
}

/// A declaration that a server names: an item of a call or type hierarchy, or a symbol of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name, as the server writes it.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The whole of it.
    pub range: Span,
    /// Its name.
    pub name_range: Span,
    /// What it is in, signature and the like, if the server says.
    pub detail: Option<String>,
    /// What is in it (documents' symbols only).
    pub children: Vec<Item>,
}

/// What a server knows of a member of a class outside the project, and of those that this inherits from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideMembers {
    /// The class that declares it.
    pub declared_by: Option<String>,
    /// Whether every class that it inherits from was looked at.
    pub is_whole: bool,
    /// Whether the server also lists what methods assign to the object; else such a member is not seen.
    pub lists_attributes: bool,
}

/// Calls between the asked-for symbol and one other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The other one: the caller of an incoming, the callee of an outgoing call.
    pub item: Item,
    /// Where the calls stand, all in one file: the caller's.
    pub sites: Vec<Span>,
}

/// Which way along a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Incoming calls; supertypes.
    Up,
    /// Outgoing calls; subtypes.
    Down,
}

/// How bad a diagnostic is (LSP `DiagnosticSeverity`).
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

/// Something a server finds wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// How bad; servers that do not say mean an error.
    pub severity: Severity,
    /// The rule: `unresolved-import`.
    pub code: Option<String>,
    /// The tool: `ty`.
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// Diagnostics, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnoses {
    /// What is wrong.
    pub list: Vec<Diagnostic>,
    /// Whether that is all.
    pub covers: Covers,
}

/// How far a server has looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Everything that was asked about.
    Everything,
    /// Files that it looked at of its own accord: it cannot be asked about the whole project.
    Published,
}

/// A code action that is on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// What it does.
    pub title: String,
    /// LSP's kind: `quickfix`, `refactor.extract` …
    pub kind: Option<String>,
    /// Whether the server prefers it.
    pub preferred: bool,
    /// Why it cannot be applied here, if so.
    pub disabled: Option<String>,
}

/// What a question about several things is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One file.
    File(RelPath),
    /// The whole project.
    Project,
}
