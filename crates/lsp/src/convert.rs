//! The only place where the types of a server's answers become symd's own. Invariant: nothing is validated
//! against a text here (see [`Span::resolve`]), and only what has no place in symd's types is dropped.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{Position, Range};
use serde_json::Value;

pub(crate) use super::shapes::DiagnosticShape;
use super::shapes::{ActionShape, CallShape, ItemShape, LocationShape, SignaturesShape, SymbolShape};
use super::span::{
    CallSite, CodeAction, ColumnEncoding, Diagnostic, FileRef, Item, ServerPosition, Severity, Span,
};
use super::uri;
use symd_syntax::SymbolKind;

/// The context of a conversion: the project's root (symlinks resolved), and how the server counts columns.
#[derive(Clone, Debug)]
pub(crate) struct Converter {
    pub(crate) root: Arc<PathBuf>,
    pub(crate) encoding: ColumnEncoding,
}

impl From<ServerPosition> for Position {
    fn from(place: ServerPosition) -> Position {
        Position { line: place.line, character: place.character }
    }
}

impl From<Position> for ServerPosition {
    fn from(position: Position) -> ServerPosition {
        ServerPosition { line: position.line, character: position.character }
    }
}

impl Converter {
    /// Converts a file URI.
    pub(crate) fn file(&self, uri: &str) -> FileRef {
        uri::file_ref(&self.root, uri)
    }

    pub(crate) fn span(&self, file: &FileRef, range: Range) -> Span {
        Span { file: file.clone(), start: range.start.into(), end: range.end.into(), encoding: self.encoding }
    }

    /// Converts locations; of a link, the range is that of the target's name. Locations without any range are
    /// omitted.
    pub(crate) fn spans(&self, locations: Vec<LocationShape>) -> Vec<Span> {
        let files = UriCache { rim: self, last: RefCell::new(None) };
        let one = |location: LocationShape| {
            let range = location.target_selection_range.or(location.range).or(location.target_range)?;
            Some(self.span(&files.of(location.uri), range))
        };
        locations.into_iter().filter_map(one).collect()
    }

    /// Converts an item of a call or type hierarchy.
    pub(crate) fn item(&self, item: ItemShape) -> Item {
        let file = self.file(&item.uri);
        Item {
            name: item.name,
            kind: kind(item.kind),
            range: self.span(&file, item.range),
            name_range: self.span(&file, item.selection_range.unwrap_or(item.range)),
            detail: item.detail.filter(|detail| !detail.is_empty()),
            children: Vec::new(),
        }
    }

    /// Converts an incoming call; its ranges are in the caller's file, which is that of the returned item.
    pub(crate) fn incoming(&self, call: CallShape) -> CallSite {
        let item = self.item(call.from);
        let sites = call.from_ranges.into_iter().map(|range| self.span(&item.range.file, range)).collect();
        CallSite { item, sites }
    }

    /// Converts an outgoing call; its ranges are in `caller`, the file of the item that was asked about.
    pub(crate) fn outgoing(&self, call: CallShape, caller: &FileRef) -> CallSite {
        let sites = call.from_ranges.into_iter().map(|range| self.span(caller, range)).collect();
        CallSite { item: self.item(call.from), sites }
    }

    /// Converts the symbols of `file` to a tree; a flat list (`SymbolInformation`) is nested by its ranges.
    pub(crate) fn symbols(&self, file: &FileRef, symbols: Vec<SymbolShape>) -> Vec<Item> {
        let is_flat = symbols.iter().any(|symbol| symbol.location.is_some());
        let items = symbols.into_iter().filter_map(|symbol| self.symbol(file, symbol)).collect();
        if is_flat { nest(items) } else { items }
    }

    fn symbol(&self, file: &FileRef, symbol: SymbolShape) -> Option<Item> {
        let range = symbol.range.or(symbol.location.and_then(|location| location.range))?;
        let children = symbol.children.unwrap_or_default();
        Some(Item {
            name: symbol.name,
            kind: kind(symbol.kind),
            range: self.span(file, range),
            name_range: self.span(file, symbol.selection_range.unwrap_or(range)),
            detail: symbol.detail.or(symbol.container_name).filter(|detail| !detail.is_empty()),
            children: children.into_iter().filter_map(|child| self.symbol(file, child)).collect(),
        })
    }

    pub(crate) fn diagnostic(&self, file: &FileRef, diagnostic: DiagnosticShape) -> Diagnostic {
        Diagnostic {
            span: self.span(file, diagnostic.range),
            severity: match diagnostic.severity {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                _ => Severity::Error,
            },
            code: plain(&diagnostic.code),
            source: diagnostic.source.filter(|source| !source.is_empty()),
            message: plain(&diagnostic.message).unwrap_or_default(),
        }
    }
}

/// Converts URIs to files, and caches the last one: long answers repeat the same URI many times in a row.
struct UriCache<'a> {
    rim: &'a Converter,
    last: RefCell<Option<(String, FileRef)>>,
}

impl UriCache<'_> {
    fn of(&self, uri: String) -> FileRef {
        let mut last = self.last.borrow_mut();
        if let Some((known, file)) = last.as_ref()
            && *known == uri
        {
            return file.clone();
        }
        let file = self.rim.file(&uri);
        *last = Some((uri, file.clone()));
        file
    }
}

/// Converts LSP's symbol kind; an unknown number becomes `Variable`, which claims least.
fn kind(number: i64) -> SymbolKind {
    SymbolKind::from_number(number).unwrap_or(SymbolKind::Variable)
}

/// Returns a number, a text, or the `value` of an object (diagnostic codes, markup) as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => plain(fields.get("value")?),
        _ => None,
    }
    .filter(|text| !text.is_empty())
}

/// Moves every item into the innermost item that encloses it.
fn nest(mut flat: Vec<Item>) -> Vec<Item> {
    // Enclosing items first: by start, then the longer one first. The sort is stable, so items with equal
    // ranges keep the server's order.
    flat.sort_by(|a, b| a.range.start.cmp(&b.range.start).then(b.range.end.cmp(&a.range.end)));
    let mut tree = Vec::new();
    let mut open: Vec<Item> = Vec::new();
    for item in flat {
        while open.last().is_some_and(|outer| outer.range.end < item.range.end || outer.range == item.range) {
            close(&mut open, &mut tree);
        }
        open.push(item);
    }
    while !open.is_empty() {
        close(&mut open, &mut tree);
    }
    tree
}

fn close(open: &mut Vec<Item>, tree: &mut Vec<Item>) {
    if let Some(done) = open.pop() {
        open.last_mut().map_or(tree, |outer| &mut outer.children).push(done);
    }
}

/// Returns a hover's contents as Markdown, from any of LSP's forms: `MarkupContent`, `MarkedString`, a list
/// of these. `None` if there is no text.
pub(crate) fn markdown(contents: &Value) -> Option<String> {
    let text = match contents {
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().filter_map(markdown).collect();
            parts.join("\n\n")
        }
        Value::Object(fields) => {
            let value = fields.get("value")?.as_str()?;
            match fields.get("language").and_then(Value::as_str) {
                Some(language) if !value.is_empty() => format!("```{language}\n{value}\n```"),
                _ => value.to_owned(),
            }
        }
        other => other.as_str()?.to_owned(),
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the signatures' labels, the active one first.
pub(crate) fn signatures(shape: SignaturesShape) -> Vec<String> {
    let mut all: Vec<String> = shape.signatures.into_iter().map(|signature| signature.label).collect();
    let active = usize::try_from(shape.active_signature.unwrap_or(0)).unwrap_or(usize::MAX);
    if active < all.len() {
        all[..=active].rotate_right(1);
    }
    all
}

pub(crate) fn action(action: ActionShape) -> CodeAction {
    CodeAction {
        title: action.title,
        kind: action.kind,
        preferred: action.is_preferred,
        disabled: action.disabled.map(|disabled| disabled.reason),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use symd_base::RelPath;

    fn rim() -> Converter {
        Converter { root: Arc::new(PathBuf::from("/p")), encoding: ColumnEncoding::Utf16 }
    }

    fn project(path: &str) -> FileRef {
        FileRef::Project(RelPath::new(path).unwrap())
    }

    fn range(start: (u32, u32), end: (u32, u32)) -> Value {
        json!({"start": {"line": start.0, "character": start.1}, "end": {"line": end.0, "character": end.1}})
    }

    fn shape<T: serde::de::DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_links_name_is_what_counts() {
        let spans = rim().spans(shape(json!([
            {"targetUri": "file:///p/a.py", "targetRange": range((0, 0), (9, 0)), "targetSelectionRange": range((1, 4), (1, 7))},
            {"uri": "file:///p/a.py", "range": range((2, 0), (2, 1))},
            {"uri": "file:///q/b.py", "range": range((2, 0), (2, 1))},
            {"uri": "file:///p/no-range.py"},
        ])));
        let found: Vec<(&FileRef, ServerPosition)> =
            spans.iter().map(|span| (&span.file, span.start)).collect();
        let outside = FileRef::Outside(Path::new("/q/b.py").to_owned());
        assert_eq!(
            found,
            [
                (&project("a.py"), ServerPosition { line: 1, character: 4 }),
                (&project("a.py"), ServerPosition { line: 2, character: 0 }),
                (&outside, ServerPosition { line: 2, character: 0 }),
            ]
        );
    }

    fn outline(items: &[Item]) -> String {
        let one = |item: &Item| match item.children.as_slice() {
            [] => item.name.clone(),
            children => format!("{}({})", item.name, outline(children)),
        };
        items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_flat_list_becomes_a_tree() {
        let symbol = |name: &str, start, end| json!({"name": name, "kind": 12, "location": {"uri": "file:///p/a", "range": range(start, end)}});
        let flat = json!([
            symbol("g", (4, 0), (5, 0)),
            symbol("m", (1, 0), (2, 0)),
            symbol("C", (0, 0), (3, 0)),
            symbol("n", (2, 0), (3, 0)),
            symbol("l", (1, 2), (1, 9)),
            symbol("twin", (4, 0), (5, 0)),
            symbol("overlaps", (4, 5), (6, 0)),
        ]);
        assert_eq!(outline(&rim().symbols(&project("a"), shape(flat))), "C(m(l) n) g twin overlaps");
        let tree = json!([{"name": "C", "kind": 5, "range": range((0, 0), (3, 0)), "selectionRange": range((0, 1), (0, 2)),
            "children": [{"name": "m", "kind": 99, "range": range((1, 0), (2, 0)), "selectionRange": range((1, 0), (1, 1)), "children": null}]}]);
        let tree = rim().symbols(&project("a"), shape(tree));
        assert_eq!(outline(&tree), "C(m)");
        assert_eq!((tree[0].kind, tree[0].children[0].kind), (SymbolKind::Class, SymbolKind::Variable));
        assert_eq!(tree[0].name_range.start, ServerPosition { line: 0, character: 1 });
    }

    #[test]
    fn hovers_come_in_many_forms() {
        for (contents, expected) in [
            (json!("plain"), Some("plain")),
            (json!({"kind": "markdown", "value": "**x**\n"}), Some("**x**")),
            (json!({"language": "py", "value": "def f()"}), Some("```py\ndef f()\n```")),
            (json!(["a", {"language": "py", "value": "b"}, ""]), Some("a\n\n```py\nb\n```")),
            (json!([]), None),
            (json!(null), None),
            (json!({"kind": "markdown", "value": "  "}), None),
            (json!({"language": "py", "value": ""}), None),
        ] {
            assert_eq!(markdown(&contents).as_deref(), expected, "{contents}");
        }
    }

    #[test]
    fn diagnostics_have_codes_of_any_kind() {
        let code = |code: Value| {
            let one = json!({"range": range((0, 0), (0, 1)), "code": code, "severity": 2, "message": {"kind": "plaintext", "value": "m"}});
            let one = rim().diagnostic(&project("a"), shape(one));
            assert_eq!((one.severity, one.message.as_str()), (Severity::Warning, "m"));
            one.code
        };
        assert_eq!(code(json!(2304)).as_deref(), Some("2304"));
        assert_eq!(code(json!("E1")).as_deref(), Some("E1"));
        assert_eq!(code(json!({"value": "E2", "target": "https://x"})).as_deref(), Some("E2"));
        assert_eq!(code(json!(null)), None);
        let bare =
            rim().diagnostic(&project("a"), shape(json!({"range": range((0, 0), (0, 1)), "message": "m"})));
        assert_eq!((bare.severity, bare.message.as_str()), (Severity::Error, "m"));
    }

    #[test]
    fn the_active_signature_comes_first() {
        let labels = |active: Value| {
            signatures(shape(
                json!({"signatures": [{"label": "a"}, {"label": "b"}, {"label": "c"}], "activeSignature": active}),
            ))
        };
        assert_eq!(labels(json!(1)), ["b", "a", "c"]);
        assert_eq!(labels(json!(null)), ["a", "b", "c"]);
        assert_eq!(labels(json!(7)), ["a", "b", "c"]);
    }

    #[test]
    fn calls_stand_in_the_callers_file() {
        let item = json!({"name": "f", "kind": 12, "uri": "file:///p/b", "range": range((0, 0), (1, 0)), "selectionRange": range((0, 4), (0, 5)), "data": 1});
        let incoming = rim().incoming(shape(json!({"from": item, "fromRanges": [range((5, 0), (5, 1))]})));
        assert_eq!(incoming.sites[0].file, project("b"));
        let outgoing =
            rim().outgoing(shape(json!({"to": item, "fromRanges": [range((5, 0), (5, 1))]})), &project("a"));
        assert_eq!((&outgoing.sites[0].file, &outgoing.item.range.file), (&project("a"), &project("b")));
    }
}
