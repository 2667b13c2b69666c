//! What assignments, loops and `case` bind: the names in their targets.

use tree_sitter::Node;

use super::scopes::ScopeId;
use super::walk::Walk;

impl<'t> Walk<'_, 't> {
    /// Binds the names of a target of an assignment, a loop, `with` or `del`; attributes and items of a target are read.
    pub(super) fn bind_target(&mut self, target: Node<'t>, scope: ScopeId) {
        let mut left = vec![target];
        while let Some(node) = left.pop() {
            match node.kind() {
                "identifier" => self.bind(node, scope),
                "tuple"
                | "list"
                | "pattern_list"
                | "tuple_pattern"
                | "list_pattern"
                | "expression_list"
                | "parenthesized_expression"
                | "list_splat"
                | "list_splat_pattern"
                | "as_pattern_target" => {
                    left.extend(node.named_children(&mut node.walk()));
                }
                _ => self.later(node, scope),
            }
        }
    }

    /// Binds the captures of a `case`, and reads its classes and constants.
    pub(super) fn bind_case(&mut self, pattern: Node<'t>, scope: ScopeId) {
        let mut left = vec![pattern];
        while let Some(node) = left.pop() {
            match node.kind() {
                "dotted_name" => self.bind_or_read(node, scope),
                // `rest` of `*rest`, `name` of `… as name`.
                "identifier" => self.bind(node, scope),
                "class_pattern" => {
                    let mut parts = node.named_children(&mut node.walk()).collect::<Vec<_>>().into_iter();
                    if let Some(first) = parts.next().and_then(|class| class.named_child(0)) {
                        self.read(first, scope);
                    }
                    left.extend(parts);
                }
                // The keyword is an attribute's name.
                "keyword_pattern" => left.extend(node.named_children(&mut node.walk()).skip(1)),
                "string" | "concatenated_string" => self.later(node, scope),
                _ => left.extend(node.named_children(&mut node.walk())),
            }
        }
    }

    /// A single name of a pattern is bound, the first of a path is read.
    fn bind_or_read(&mut self, path: Node<'t>, scope: ScopeId) {
        match (path.named_child(0), path.named_child_count()) {
            (Some(name), 1) if self.text_of(name) != "_" => self.bind(name, scope),
            (Some(first), count) if count > 1 => self.read(first, scope),
            _ => {}
        }
    }
}
