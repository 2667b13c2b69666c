//! The code around one line: the lines before and after it, the function that holds it, and the imports whose
//! names the shown code uses. Lines are 1-based.

use symd_base::text::Binary;
use symd_base::{Cancel, RelPath, Text, TextRange};
use symd_engine::View;
use symd_files::read_bytes::{Bytes, read_bytes_within};
use symd_files::tree::FileOpError;
use symd_syntax::imports::{Import, ImportKind, Imported};
use symd_syntax::{Grammar, Outline, Row, SymbolKind};

use crate::view_tree::ViewTree;

/// Parameters of [`code_context`].
#[derive(Clone, Debug)]
pub struct FindCodeContext {
    /// The file, as the client wrote it.
    pub path: String,
    pub line: usize,
    /// A longer file is refused.
    pub max_bytes: u64,
    /// How many lines to show before the line, and how many after it.
    pub lines: usize,
    pub function: FunctionPart,
}

/// Whether the enclosing function is part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionPart {
    Shown,
    Omitted,
}

/// The code around a line. Texts have their own line breaks inside and none at the end.
#[derive(Clone, Debug)]
pub struct CodeContext {
    pub path: RelPath,
    pub before: String,
    pub at: String,
    pub after: String,
    /// The innermost function with a name that holds the line, which may stand in the body of another one; of Kotlin also a
    /// property's accessor and a class's initializer.
    pub function: Option<EnclosingFunction>,
    /// The imports whose names occur in the shown code, in order; those of all names of a module always.
    pub imports: Vec<RelevantImport>,
}

/// A function around a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingFunction {
    /// The name path.
    pub name_path: String,
    /// The line of its first annotation or modifier.
    pub start_line: usize,
    /// Its last line, inclusive.
    pub end_line: usize,
    /// Its declaration up to the body, in one line.
    pub signature: String,
    /// All its lines.
    pub body: String,
}

/// The names of one module that one statement imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantImport {
    pub module: String,
    /// `C`, `C as D`, `*`, or `* as np` for a module under another name; empty for a module itself.
    pub imported: Vec<String>,
    pub line: usize,
}

/// Why there is no context.
#[derive(Debug, thiserror::Error)]
pub enum CodeContextError {
    #[error(transparent)]
    File(#[from] FileOpError),
    #[error("binary file")]
    Binary(#[from] Binary),
    /// The file has fewer lines.
    #[error("line {line} of {lines}")]
    OutOfRange { line: usize, lines: usize },
}

/// Returns the code around a line of the file as it is now.
pub fn code_context(
    view: &View,
    ask: &FindCodeContext,
    cancel: &Cancel,
) -> Result<CodeContext, CodeContextError> {
    let read = view.whole_tree(|tree| read_bytes_within(tree, &ask.path, ask.max_bytes));
    let Bytes { path, bytes, .. } = read?;
    // The text and outline of one read; a file without symbols has its text only.
    let known = view.snapshot.files.get(path.as_str());
    let known = known.and_then(|file| Some((file, view.current(file).ok()?)));
    let text = match &known {
        Some((_, current)) => current.text.clone(),
        None => Text::decode(bytes)?,
    };
    let lines = counted_lines(&text);
    let Some(at) = ask.line.checked_sub(1).filter(|at| *at < lines) else {
        return Err(CodeContextError::OutOfRange { line: ask.line, lines });
    };
    let (first, last) = (at.saturating_sub(ask.lines), (at + ask.lines).min(lines - 1));
    let function =
        known.as_ref().filter(|_| ask.function == FunctionPart::Shown).and_then(|(file, current)| {
            let outline = &*current.outline;
            let hidden = file.grammar().filter(|grammar| may_be_hidden(*grammar, &text, outline, at));
            let whole = hidden.and_then(|_| view.outline_with_hidden_functions(file, current, cancel));
            let outline = whole.as_ref().unwrap_or(outline);
            Some(function_of(&text, outline, enclosing_function(outline, at)?))
        });
    let mut shown = vec![range_of(&text, first, last)];
    shown.extend(
        function.as_ref().map(|function| range_of(&text, function.start_line - 1, function.end_line - 1)),
    );
    let imports = known.map(|(_, current)| relevant_imports(&text, &current.outline, &shown));
    Ok(CodeContext {
        path,
        before: if first < at { lines_of(&text, first, at - 1) } else { String::new() },
        at: lines_of(&text, at, at),
        after: if at < last { lines_of(&text, at + 1, last) } else { String::new() },
        function,
        imports: imports.unwrap_or_default(),
    })
}

/// Returns the number of lines; the empty one after a final line break does not count.
pub fn counted_lines(text: &Text) -> usize {
    let is_empty_last = text.as_str().is_empty() || text.as_str().ends_with(['\n', '\r']);
    text.line_count() - usize::from(is_empty_last)
}

/// Returns the lines `first` to `last` (0-based, inclusive) without the last one's line break.
pub fn lines_of(text: &Text, first: usize, last: usize) -> String {
    let lines = &text.as_str()[text.line_start(first)..text.line_start(last + 1)];
    let without = lines.strip_suffix('\n').unwrap_or(lines);
    without.strip_suffix('\r').unwrap_or(without).to_owned()
}

fn range_of(text: &Text, first: usize, last: usize) -> TextRange {
    let offset = |line: usize| u32::try_from(text.line_start(line)).unwrap_or(u32::MAX);
    TextRange::new(offset(first), offset(last + 1))
}

/// Whether line `at` (0-based) may stand in a function that the outline does not list: one in the body of another, or of a type there.
/// Most files need no second parse by this.
fn may_be_hidden(grammar: Grammar, text: &Text, outline: &Outline, at: usize) -> bool {
    let around = innermost(outline, at, |_| true);
    let words: &[&str] = match grammar.name() {
        "kotlin" => match around.map(|row| outline.rows[row].kind()) {
            Some(SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor) | None => {
                &["fun", "constructor"]
            }
            // Those of a class's initializer, and a property's accessors.
            Some(_) => &["fun", "constructor", "init", "get", "set"],
        },
        "javascript" | "typescript" | "tsx" => &["function"],
        "rust" => &["fn"],
        "csharp" => &["=>", "delegate"],
        _ => return outline.hides_types,
    };
    let start = around.map_or(0, |row| outline.rows[row].name_start as usize);
    let before = text.as_str().get(start..text.line_start(at + 1)).unwrap_or_default();
    words.iter().any(|word| before.contains(word))
}

/// Returns the row of the innermost function that holds line `at` (0-based).
fn enclosing_function(outline: &Outline, at: usize) -> Option<usize> {
    innermost(outline, at, is_function)
}

fn innermost(outline: &Outline, at: usize, is_asked: impl Fn(&Row) -> bool) -> Option<usize> {
    let holds = |row: &Row| row.start_line as usize <= at && at <= row.end_line as usize && is_asked(row);
    let rows = outline.rows.iter().enumerate().filter(|(_, row)| holds(row));
    rows.min_by_key(|&(number, row)| (row.end - row.start, std::cmp::Reverse(number)))
        .map(|(number, _)| number)
}

fn is_function(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

fn function_of(text: &Text, outline: &Outline, row: usize) -> EnclosingFunction {
    let this = &outline.rows[row];
    let (first, last) = (this.start_line as usize, this.end_line as usize);
    EnclosingFunction {
        name_path: outline.name_path(row),
        start_line: first + 1,
        end_line: last + 1,
        signature: declaration_head(text, this),
        body: lines_of(text, first, last),
    }
}

/// Returns the declaration from the line of its name up to its body, in one line.
pub(crate) fn declaration_head(text: &Text, row: &Row) -> String {
    let name_line = text.line_start(row.name_line as usize);
    let start = name_line.max(row.start as usize);
    let end = match row.head {
        0 => text.line_start(row.name_line as usize + 1),
        head => row.name_start as usize + usize::from(head),
    };
    let end = end.min(row.end as usize);
    let head = text.as_str().get(start..end).unwrap_or_default();
    let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
    // Parameters on lines of their own.
    let head = head.replace("( ", "(").replace(", )", ")").replace(" )", ")");
    head.trim_end_matches(['{', '=', ':', ' ']).to_owned()
}

/// Returns the imports whose names occur in one of the ranges, outside of import statements.
fn relevant_imports(text: &Text, outline: &Outline, shown: &[TextRange]) -> Vec<RelevantImport> {
    let list = outline.imports.unpack();
    let statements: Vec<TextRange> = list
        .iter()
        .filter(|import| import.kind == ImportKind::Import)
        .map(|import| import.statement)
        .collect();
    let occurs = |name: &str| {
        outline.occurrences.offsets_of(name).any(|at| {
            let is_shown = shown.iter().any(|range| range.start <= at && at < range.end);
            let is_import = || statements.iter().any(|range| range.start <= at && at < range.end);
            is_shown && text.as_str()[at as usize..].starts_with(name) && !is_import()
        })
    };
    let mut relevant: Vec<(u32, RelevantImport)> = Vec::new();
    for import in list.iter().filter(|import| import.kind == ImportKind::Import) {
        if !is_used(&import, &occurs) {
            continue;
        }
        let (start, imported) = (import.statement.start, imported(&import));
        match relevant.last_mut() {
            Some((at, last)) if *at == start && last.module == import.module => {
                last.imported.extend(imported)
            }
            _ => {
                let line = text.line_column(start).line as usize + 1;
                let imported = imported.into_iter().collect();
                relevant.push((start, RelevantImport { module: import.module.to_owned(), imported, line }));
            }
        }
    }
    relevant.into_iter().map(|(_, import)| import).collect()
}

fn is_used(import: &Import<'_>, occurs: &impl Fn(&str) -> bool) -> bool {
    match (import.bound(), import.imported) {
        (Some(name), _) => occurs(name),
        // It may give any name.
        (None, Imported::Everything) => true,
        // `import os.path` binds `os`, Go's `import "net/http"` binds `http`.
        (None, _) => {
            let mut parts = import.module.split(['.', '/', ':']).filter(|part| !part.is_empty());
            parts.next().is_some_and(occurs) || parts.next_back().is_some_and(occurs)
        }
    }
}

fn imported(import: &Import<'_>) -> Option<String> {
    let name = match import.imported {
        Imported::Name(name) => Some(name),
        Imported::Everything => Some("*"),
        Imported::Module => import.alias.map(|_| "*"),
    };
    name.map(|name| match import.alias {
        Some(alias) => format!("{name} as {alias}"),
        None => name.to_owned(),
    })
}
