//! Values of Java whose text holds names of the program, as `toString` writes them unless a class says otherwise: constants of
//! enumerations, records, annotations, exceptions, and plain objects.

use super::{JavaRenamed, is_record};
use crate::hierarchy::graph::ClassGraph;
use crate::hierarchy::graph_by_need::Kin;
use crate::resolver::CurrentFile;
use crate::scope::outermost_function;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// How the text of a value holds the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BearerKind {
    /// A constant of an enumeration: its name.
    Constant,
    /// A record or an annotation: the names of its class and of its components.
    Record,
    /// An exception: the name of its class before its message.
    Exception,
    /// Another object: the name of its class before its hash.
    Object,
}

/// The values whose texts hold the renamed name.
pub(super) struct NameBearer {
    pub(super) kind: BearerKind,
    /// The class of the values.
    pub(super) class: IndexedDeclaration,
    /// The project's classes of which a value may be declared to be: the class, and what it inherits from.
    pub(super) declared: Vec<IndexedDeclaration>,
    /// The last names of such classes outside of the project.
    pub(super) outside: Vec<String>,
    /// Whether `toString` of the class, or of one that it inherits from, writes another text.
    pub(super) has_own_text: bool,
}

impl NameBearer {
    pub(super) fn of(symbol: &JavaRenamed) -> Result<Option<NameBearer>, Cancelled> {
        let here = &symbol.here;
        let rows = &here.outline.rows;
        let own = symbol.targets.first().and_then(|first| here.row_of(first));
        let at = match symbol.row.kind() {
            SymbolKind::EnumMember => symbol.row.parent(),
            SymbolKind::Field => symbol.row.parent().filter(|&at| is_record(here, &rows[at])),
            SymbolKind::Method => symbol.row.parent().filter(|&at| is_annotation(here, &rows[at])),
            _ if symbol.is_type() => own,
            _ => None,
        };
        let Some(at) = at else { return Ok(None) };
        let class = here.target(at);
        let graph = ClassGraph::of_kin(symbol.resolver, std::slice::from_ref(&class), Kin::Above)?;
        let above = graph.all_ancestors(std::slice::from_ref(&class));
        let mut outside: Vec<String> = Vec::new();
        for base in above.iter().flat_map(|&at| graph.node(at).bases.iter()) {
            outside.extend(base.outside.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned));
        }
        let is_exception = outside
            .iter()
            .any(|name| ["Exception", "Error", "Throwable"].iter().any(|end| name.ends_with(end)));
        let kind = match rows[at].kind() {
            _ if symbol.is_constant_of_enum() => BearerKind::Constant,
            _ if is_record(here, &rows[at]) || is_annotation(here, &rows[at]) => BearerKind::Record,
            // Each value of an abstract class is of a class that extends it.
            SymbolKind::Class if before_name(here, &rows[at]).contains("abstract ") => return Ok(None),
            SymbolKind::Class if is_exception => BearerKind::Exception,
            SymbolKind::Class => BearerKind::Object,
            _ => return Ok(None),
        };
        if kind == BearerKind::Exception {
            outside.extend(["Throwable", "Exception", "RuntimeException", "Error"].map(str::to_owned));
        } else {
            // What is declared as an interface of the library is mostly no value of the class.
            outside.clear();
        }
        let mut declared: Vec<IndexedDeclaration> = Vec::new();
        let mut has_own_text = false;
        for one in graph.classes(above) {
            has_own_text |= symbol
                .resolver
                .read_file(&one.file)
                .is_some_and(|there| there.row_of(&one).is_some_and(|row| writes_text(&there, row)));
            declared.push(one);
        }
        Ok(Some(NameBearer { kind, class, declared, outside, has_own_text }))
    }
}

/// Whether a class has a `toString` of its own.
pub(super) fn writes_text(here: &CurrentFile, class: usize) -> bool {
    let rows = &here.outline.rows;
    let is_it =
        |at: usize| rows[at].kind() == SymbolKind::Method && here.outline.name(&rows[at]) == "toString";
    here.outline.children(class).any(is_it)
}

/// Returns the outermost method around byte `at`; else the innermost declaration.
pub(super) fn code_around(here: &CurrentFile, at: usize) -> Option<&Row> {
    let byte = u32::try_from(at).ok()?;
    let innermost = || here.outline.rows.iter().rfind(|row| row.start <= byte && byte < row.end);
    outermost_function(here, at).or_else(innermost)
}

/// Whether a class is an annotation: `@interface Rule`.
fn is_annotation(here: &CurrentFile, class: &Row) -> bool {
    before_name(here, class).trim_end().ends_with("@interface")
}

fn before_name<'t>(here: &'t CurrentFile, class: &Row) -> &'t str {
    here.text_before_name(class)
}
