//! Which names a text binds as locals, and where they are in scope, by its syntax tree: what an outline does not hold. One
//! module for each language. Invariant: a local is `sure` only where the text around it was understood, so that a name of
//! unknown meaning stays one.

mod ecma;
mod go;
#[cfg(test)]
mod marked;
mod python;
mod rust;

use tree_sitter::{Node, Tree};

use crate::extract::{OutlineError, with_tree};
use crate::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The cancel flag is checked once per this many nodes.
const NODES_BETWEEN_CHECKS: u32 = 4096;

/// The locals and the bare field names of a text. Ranges are in bytes, exclusive of their end.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LocalBindings {
    /// One entry for each name that is bound, in no particular order.
    pub locals: Vec<BoundLocal>,
    /// Where the names of fields stand without a receiver, ascending: in Rust in literals and patterns of structs, in JavaScript
    /// in objects and types, and as JSX's attributes; so do the elements that the browser knows, `<button>`.
    pub field_names: Vec<u32>,
    /// TypeScript: where names stand in types, ascending. Only the names of types are looked up there.
    pub type_names: Vec<u32>,
    /// Rust: attributes, definitions of macros, and arguments of macros that may combine names with other tokens.
    pub combined: Vec<TextRange>,
    /// Parts of the text with syntax errors; in Rust also arguments of macros that are no expressions.
    pub unparsed: Vec<TextRange>,
    /// Go: where the types of the locals come from, in no particular order.
    pub sources: Vec<LocalSource>,
}

/// What tells the type of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSource {
    /// The byte where the local's name begins.
    pub name_start: u32,
    pub kind: LocalSourceKind,
    /// The type or the expression.
    pub range: TextRange,
    /// Of an expression with several results, or of what a loop goes over, which one it is, from 0.
    pub result: u32,
}

/// How a part of a text tells the type of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LocalSourceKind {
    /// It is the type: `x T`.
    Type,
    /// It is the type of an element: `x ...T`.
    Elements,
    /// It is the value: `x := value`.
    Value,
    /// The local is its key (result 0) or its element (1): `for x, y := range it`.
    Iterated,
    /// The type behind `case` in a type switch; what stands behind the next `case` is another type. An empty range where the case
    /// has no or several types.
    Case,
}

impl LocalSourceKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [LocalSourceKind; 5] = [
        LocalSourceKind::Type,
        LocalSourceKind::Elements,
        LocalSourceKind::Value,
        LocalSourceKind::Iterated,
        LocalSourceKind::Case,
    ];
}

impl LocalBindings {
    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let of_locals: usize =
            self.locals.iter().map(|local| size_of_val(local) + size_of_val(&*local.scopes)).sum();
        of_locals
            + 4 * (self.field_names.len() + self.type_names.len())
            + size_of_val(&*self.combined)
            + size_of_val(&*self.unparsed)
            + size_of_val(&*self.sources)
    }
}

/// A name that a text binds.
#[derive(Debug, PartialEq, Eq)]
pub struct BoundLocal {
    pub name: TextRange,
    /// Where the name means this local, except where another one hides it. Of Python these are the places of its name themselves.
    pub scopes: Vec<TextRange>,
    /// Whether it certainly is a local with these scopes.
    pub is_sure: bool,
    /// Whether it is a type in a language where types and values of one name do not hide each other.
    pub is_type: bool,
}

/// Returns what a text binds; nothing in languages whose locals are not read from the tree.
///
/// # Errors
/// Those of parsing: cancelled, or larger than 4 GiB.
pub fn local_bindings(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    match grammar.name() {
        "rust" => rust::bindings(grammar, text, cancel),
        "go" => noted(grammar, text, cancel, go::note),
        "python" => python::bindings(grammar, text, cancel),
        "javascript" | "typescript" | "tsx" => noted(grammar, text, cancel, ecma::note),
        _ => Ok(LocalBindings::default()),
    }
}

/// Returns what `note` finds at the nodes of a text.
fn noted(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
    note: fn(Node, &[Node], &str, &mut LocalBindings),
) -> Result<LocalBindings, OutlineError> {
    let mut found = LocalBindings::default();
    with_tree(grammar, text, cancel, |tree| {
        walk(tree, cancel, |node, around| {
            if node.is_error() {
                found.unparsed.push(range_of(node));
            }
            note(node, around, text, &mut found);
            Ok(true)
        })
    })??;
    Ok(found)
}

/// Calls `visit` with each node of a tree and the nodes around it, the outermost first; the children of a node are visited if it
/// returns `true`. Does not recurse over the tree.
fn walk<'t>(
    tree: &'t Tree,
    cancel: &Cancel,
    mut visit: impl FnMut(Node<'t>, &[Node<'t>]) -> Result<bool, OutlineError>,
) -> Result<(), OutlineError> {
    let mut around: Vec<Node> = Vec::new();
    let mut cursor = tree.root_node().walk();
    let mut nodes = 0_u32;
    loop {
        nodes = nodes.wrapping_add(1);
        if nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
            cancel.check()?;
        }
        let node = cursor.node();
        if visit(node, &around)? && cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
            around.pop();
        }
    }
}

/// Returns the bytes from `from` to `to` as a range. Texts over 4 GiB are not parsed.
fn range(from: usize, to: usize) -> TextRange {
    let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    TextRange::new(at(from), at(to.max(from)))
}

fn range_of(node: Node) -> TextRange {
    range(node.start_byte(), node.end_byte())
}
