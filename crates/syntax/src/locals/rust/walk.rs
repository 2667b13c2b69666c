//! Walks a tree and notes what each construct with a pattern binds.

use tree_sitter::{Node, Tree};

use super::super::walk;
use super::patterns::bound_names;
use super::{BoundLocal, Part, Reader};
use crate::extract::OutlineError;
use symd_base::TextRange;

/// How many nodes outwards the expression of an `if let` is searched.
const MAX_CHAIN: usize = 64;
/// How many items inside one scope are left out of it; with more of them its local is not sure.
const MAX_ITEMS: usize = 64;

impl Reader<'_> {
    /// Notes the bindings of a tree.
    pub(super) fn walk(&mut self, tree: &Tree, part: Part) -> Result<(), OutlineError> {
        let first = self.bindings.locals.len();
        let mut items = Vec::new();
        let cancel = self.cancel;
        walk(tree, cancel, |node, around| {
            if is_item(node) && !around.is_empty() {
                items.push(part.range(node.start_byte(), node.end_byte()));
            }
            self.note(node, around, part)
        })?;
        self.leave_items_out(first, &items);
        Ok(())
    }

    /// Notes what one node binds; returns whether its children are to be visited.
    fn note(&mut self, node: Node, around: &[Node], part: Part) -> Result<bool, OutlineError> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "let_declaration" => {
                if let (Some(pattern), Some(block)) = (field("pattern"), around.last()) {
                    self.bind(pattern, (node.end_byte(), block.end_byte()), part);
                }
            }
            "function_item" | "closure_expression" => {
                if let (Some(parameters), Some(body)) = (field("parameters"), field("body")) {
                    for parameter in parameters.named_children(&mut parameters.walk()) {
                        let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
                        self.bind(pattern, (body.start_byte(), body.end_byte()), part);
                    }
                }
            }
            "for_expression" => {
                if let (Some(pattern), Some(body)) = (field("pattern"), field("body")) {
                    self.bind(pattern, (body.start_byte(), body.end_byte()), part);
                }
            }
            "match_arm" => {
                if let Some(pattern) = field("pattern").and_then(|pattern| pattern.named_child(0)) {
                    self.bind(pattern, (pattern.end_byte(), node.end_byte()), part);
                }
            }
            "let_condition" => {
                if let Some(pattern) = field("pattern") {
                    match condition_end(around) {
                        Some(end) => self.bind(pattern, (node.end_byte(), end), part),
                        None => self.bind(
                            pattern,
                            (node.end_byte(), around.first().map_or(node, |root| *root).end_byte()),
                            Part { is_sure: false, ..part },
                        ),
                    }
                }
            }
            "field_identifier" | "shorthand_field_identifier" => {
                let is_bare = around
                    .last()
                    .is_some_and(|parent| matches!(parent.kind(), "field_pattern" | "field_initializer"));
                if is_bare {
                    self.note_field(node, part);
                }
            }
            "shorthand_field_initializer" => {
                // Attributes may precede the name.
                let name = node.named_children(&mut node.walk()).last();
                if let Some(name) = name {
                    self.note_field(name, part);
                }
            }
            "ERROR" => {
                self.bindings.unparsed.push(part.range(node.start_byte(), node.end_byte()));
            }
            "macro_invocation" => {
                self.note_macro(node, part)?;
                return Ok(false);
            }
            "macro_definition" | "attribute_item" | "inner_attribute_item" => {
                let range = part.range(node.start_byte(), node.end_byte());
                self.bindings.unparsed.push(range);
                self.bindings.combined.push(range);
                return Ok(false);
            }
            "token_tree" => return Ok(false),
            "const_parameter" => {
                // Visible in its item, from the list of parameters on.
                if let (Some(name), [.., item, _]) = (field("name"), around) {
                    let local = BoundLocal {
                        name: part.range(name.start_byte(), name.end_byte()),
                        scopes: vec![part.range(name.end_byte(), item.end_byte())],
                        is_sure: part.is_sure,
                        is_type: false,
                    };
                    match item.kind() {
                        "impl_item" | "trait_item" => self.of_items.push(local),
                        _ => self.bindings.locals.push(local),
                    }
                }
            }
            _ => {}
        }
        Ok(true)
    }

    pub(super) fn note_field(&mut self, name: Node, part: Part) {
        self.bindings.field_names.push(part.range(name.start_byte(), name.end_byte()).start);
    }

    /// Notes the names that `pattern` binds, visible in `scope`, which is in the tree's offsets.
    fn bind(&mut self, pattern: Node, scope: (usize, usize), part: Part) {
        let scope = part.range(scope.0, scope.1);
        let text = self.text.get(part.offset..).unwrap_or("");
        let locals = bound_names(pattern, text).into_iter().map(|(from, to)| BoundLocal {
            name: part.range(from, to),
            scopes: vec![scope],
            is_sure: part.is_sure,
            is_type: false,
        });
        self.bindings.locals.extend(locals);
    }

    /// Cuts the items that are declared inside a scope out of it: their bodies do not see the locals around.
    /// `items` is in the order of the text.
    fn leave_items_out(&mut self, first: usize, items: &[TextRange]) {
        for local in &mut self.bindings.locals[first..] {
            let Some(&scope) = local.scopes.first() else { continue };
            let from = items.partition_point(|item| item.start < scope.start);
            let inside = items[from..].iter().take_while(|item| item.start < scope.end);
            let mut start = scope.start;
            let mut parts = Vec::new();
            for (number, item) in inside.enumerate() {
                if number == MAX_ITEMS {
                    local.is_sure = false;
                    break;
                }
                if item.start > start {
                    parts.push(TextRange::new(start, item.start));
                }
                start = start.max(item.end);
            }
            if start < scope.end {
                parts.push(TextRange::new(start, scope.end));
            }
            local.scopes = parts;
        }
    }
}

/// Returns where the names that a condition binds are no longer visible: at the end of the block that it
/// guards.
fn condition_end(around: &[Node]) -> Option<usize> {
    let mut outwards = around.iter().rev().take(MAX_CHAIN);
    outwards.find_map(|node| match node.kind() {
        "if_expression" => Some(node.child_by_field_name("consequence")?.end_byte()),
        "while_expression" => Some(node.child_by_field_name("body")?.end_byte()),
        "match_arm" => Some(node.end_byte()),
        _ => None,
    })
}

fn is_item(node: Node) -> bool {
    matches!(
        node.kind(),
        "function_item" | "impl_item" | "trait_item" | "mod_item" | "const_item" | "static_item"
    )
}
