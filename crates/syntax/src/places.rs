//! Queries about single places of a text that need its tree: the first syntax error, and the statement that
//! contains a range. Not the outline. Invariant: offsets are bytes of the text as given.

use tree_sitter::{Node, Tree};

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The first syntax error of a text, in text order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxErrorAt {
    /// The range that the parser skipped; empty if something is missing.
    pub range: TextRange,
    /// The missing node, as the grammar names it (`:`, `identifier`); `None` if text was skipped.
    pub missing: Option<&'static str>,
}

/// Returns the first syntax error of `text`, or `None` if there is none.
pub fn first_error(
    grammar: Grammar,
    text: &str,
    cancel: &Cancel,
) -> Result<Option<SyntaxErrorAt>, OutlineError> {
    with_tree(grammar, text, cancel, first_error_in)
}

pub(super) fn first_error_in(tree: &Tree) -> Option<SyntaxErrorAt> {
    let mut cursor = tree.walk();
    if !cursor.node().has_error() {
        return None;
    }
    // Descends into the first child that contains an error, until a node is an error itself.
    loop {
        let node = cursor.node();
        if node.is_missing() {
            return Some(SyntaxErrorAt { range: range_of(node), missing: Some(node.kind()) });
        }
        let mut found = cursor.goto_first_child();
        while found && !cursor.node().has_error() {
            found = cursor.goto_next_sibling();
            if !found {
                cursor.goto_parent();
            }
        }
        if !found {
            return Some(SyntaxErrorAt { range: range_of(cursor.node()), missing: None });
        }
    }
}

/// A statement, declaration or member: a direct child of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub range: TextRange,
    /// How the requested range lies in the statement.
    pub kind: StatementKind,
    /// Number of other statements in its block, not counting comments.
    pub others: usize,
}

/// How a range lies in its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// No nested block lies between the range and the statement: `v` in `v = 3`.
    Simple,
    /// The statement has a block, and the range is not in it: `i` in `for i in x: …`.
    Compound,
    /// The range is a parameter, or in one.
    Parameter,
}

/// Returns the innermost statement that contains `range` of `text`, or `None` if there is none, as between
/// two statements.
pub fn statement_at(
    grammar: Grammar,
    text: &str,
    range: TextRange,
    cancel: &Cancel,
) -> Result<Option<Statement>, OutlineError> {
    with_tree(grammar, text, cancel, |tree| statement_in(tree, range))
}

fn statement_in(tree: &Tree, range: TextRange) -> Option<Statement> {
    let root = tree.root_node();
    let mut node = root.descendant_for_byte_range(range.start as usize, range.end as usize)?;
    if is_block(node) {
        return None;
    }
    let mut kind = StatementKind::Simple;
    loop {
        let parent = node.parent()?;
        if is_block(parent) {
            if kind == StatementKind::Simple && range != range_of(node) && has_block(node) {
                kind = StatementKind::Compound;
            }
            let mut cursor = parent.walk();
            let in_block = parent.named_children(&mut cursor).filter(|child| !child.is_extra()).count();
            return Some(Statement { range: range_of(node), kind, others: in_block.saturating_sub(1) });
        }
        if PARAMETERS.contains(&parent.kind()) {
            kind = StatementKind::Parameter;
        }
        node = parent;
    }
}

/// Node kinds, of all grammars, whose children are separate statements, members or entries.
const BLOCKS: [&str; 30] = [
    // Whole files.
    "compilation_unit",
    "module",
    "program",
    "source_file",
    "translation_unit",
    // Statements.
    "block",
    "compound_statement",
    "control_structure_body",
    "statement_block",
    "statement_list",
    "statements",
    "switch_block_statement_group",
    // Members.
    "annotation_type_body",
    "class_body",
    "const_declaration",
    "declaration_list",
    "enum_body",
    "enum_body_declarations",
    "enum_class_body",
    "enum_member_declaration_list",
    "enum_variant_list",
    "enumerator_list",
    "field_declaration_list",
    "import_list",
    "interface_body",
    "interface_type",
    "object_type",
    "ordered_field_declaration_list",
    "type_declaration",
    "var_spec_list",
];

/// Node kinds that contain parameters.
const PARAMETERS: [&str; 7] = [
    "formal_parameters",
    "function_value_parameters",
    "lambda_parameters",
    "parameter_list",
    "parameters",
    "primary_constructor",
    "type_parameters",
];

fn is_block(node: Node) -> bool {
    BLOCKS.contains(&node.kind()) && node.is_named()
}

fn has_block(node: Node) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(is_block)
}

fn range_of(node: Node) -> TextRange {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    TextRange::new(offset(node.start_byte()), offset(node.end_byte()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(grammar: &str, text: &str) -> Option<(String, Option<&'static str>)> {
        let grammar = Grammar::named(grammar).expect("known");
        let found = first_error(grammar, text, &Cancel::new()).expect("parsed");
        found.map(|found| (text[found.range.as_range()].to_owned(), found.missing))
    }

    #[test]
    fn the_first_error_is_found() {
        assert_eq!(error("python", "def f():\n    return 1\n"), None);
        assert_eq!(error("python", "x = 1\ny = )\nz = (\n"), Some((")".to_owned(), None)));
        assert_eq!(error("kotlin", "fun f() = 1\n"), None);
        assert_eq!(error("java", "class A { int x = 1 }\n"), Some((String::new(), Some(";"))));
        assert!(error("typescript", "const 😀 = {\n").is_some());
    }

    #[test]
    fn the_named_nodes_exist() {
        let exists = |kind: &&str| Grammar::all().any(|g| g.language().id_for_node_kind(kind, true) != 0);
        let unknown: Vec<&str> =
            BLOCKS.iter().chain(&PARAMETERS).copied().filter(|kind| !exists(kind)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    fn statement(grammar: &str, text: &str, at: &str) -> Option<(String, StatementKind)> {
        let grammar = Grammar::named(grammar).expect("known");
        let start = u32::try_from(text.find(at).expect("there")).expect("short");
        let range = TextRange::new(start, start + u32::try_from(at.len()).expect("short"));
        let found = statement_at(grammar, text, range, &Cancel::new()).expect("parsed");
        found.map(|found| (text[found.range.as_range()].to_owned(), found.kind))
    }

    #[test]
    fn the_statement_of_a_place_is_found() {
        use StatementKind::{Compound, Parameter, Simple};
        let python = "class A: x = 1; yy = 2\nfor i in zz:\n    pass\ndef f(p=3):\n    vv, ww = 4, 5\n";
        let cases = [
            ("yy", "yy = 2", Simple),
            ("i in", "for i in zz:\n    pass", Compound),
            ("p=3", "def f(p=3):\n    vv, ww = 4, 5", Parameter),
            ("ww", "vv, ww = 4, 5", Simple),
            ("for i in zz:\n    pass", "for i in zz:\n    pass", Simple),
        ];
        for (at, expected, kind) in cases {
            assert_eq!(statement("python", python, at), Some((expected.to_owned(), kind)), "{at}");
        }
        let kotlin = "enum class E { AA, BB }\nclass C(val pp: Int) {\n    val (q, r) = s\n}\n";
        assert_eq!(statement("kotlin", kotlin, "BB"), Some(("BB".to_owned(), Simple)));
        assert_eq!(
            statement("kotlin", kotlin, "val (q, r) = s"),
            Some(("val (q, r) = s".to_owned(), Simple))
        );
        assert_eq!(statement("kotlin", kotlin, "pp").expect("there").1, Parameter);
        let typescript =
            "export enum E { AA, BB }\nexport class C {\n  constructor(private pp: string) {}\n}\n";
        assert_eq!(statement("typescript", typescript, "AA"), Some(("AA".to_owned(), Simple)));
        assert_eq!(statement("typescript", typescript, "pp").expect("there").1, Parameter);
    }
}
