//! Walks a Python tree with the scope of each node. Does not recurse over the tree.

use tree_sitter::Node;

use super::super::{NODES_BETWEEN_CHECKS, range_of};
use super::scopes::{ScopeId, ScopeKind, Scopes};
use crate::extract::OutlineError;
use symd_base::Cancel;

/// The walk over a text.
pub(super) struct Walk<'w, 't> {
    text: &'t str,
    scopes: &'w mut Scopes<'t>,
    /// The nodes to visit, each with the scope that evaluates it.
    open: Vec<(Node<'t>, ScopeId)>,
}

impl<'w, 't> Walk<'w, 't> {
    pub(super) fn new(text: &'t str, scopes: &'w mut Scopes<'t>) -> Walk<'w, 't> {
        Walk { text, scopes, open: Vec::new() }
    }

    /// Notes the names of all nodes.
    ///
    /// # Errors
    /// If cancelled.
    pub(super) fn run(mut self, root: Node<'t>, cancel: &Cancel) -> Result<(), OutlineError> {
        self.open.push((root, Scopes::MODULE));
        let mut nodes = 0_u32;
        while let Some((node, scope)) = self.open.pop() {
            nodes = nodes.wrapping_add(1);
            if nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
                cancel.check()?;
            }
            self.visit(node, scope);
        }
        Ok(())
    }

    pub(super) fn text_of(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub(super) fn bind(&mut self, name: Node, scope: ScopeId) {
        self.scopes.bind(self.text_of(name), range_of(name).start, scope);
    }

    pub(super) fn read(&mut self, name: Node, scope: ScopeId) {
        self.scopes.read(self.text_of(name), range_of(name).start, scope);
    }

    /// Visits a node later, as evaluated in `scope`.
    pub(super) fn later(&mut self, node: Node<'t>, scope: ScopeId) {
        self.open.push((node, scope));
    }

    fn later_field(&mut self, node: Node<'t>, field: &str, scope: ScopeId) {
        for child in node.children_by_field_name(field, &mut node.walk()) {
            self.later(child, scope);
        }
    }

    fn later_children(&mut self, node: Node<'t>, scope: ScopeId) {
        for child in node.named_children(&mut node.walk()) {
            self.later(child, scope);
        }
    }

    fn visit(&mut self, node: Node<'t>, scope: ScopeId) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => self.read(node, scope),
            "function_definition" => self.function(node, scope),
            "lambda" => {
                let inside = self.scopes.begin(ScopeKind::Function, scope);
                if let Some(parameters) = field("parameters") {
                    self.parameters(parameters, inside, scope, scope);
                }
                self.later_field(node, "body", inside);
            }
            "class_definition" => {
                if let Some(name) = field("name") {
                    self.bind(name, scope);
                }
                let around = self.type_parameters(node, scope);
                self.later_field(node, "superclasses", around);
                let inside = self.scopes.begin(ScopeKind::Class, around);
                self.later_field(node, "body", inside);
            }
            "type_alias_statement" => self.type_alias(node, scope),
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => {
                self.comprehension(node, scope);
            }
            "named_expression" => {
                let around = self.scopes.around_comprehensions(scope);
                if let Some(name) = field("name") {
                    self.bind(name, around);
                }
                self.later_field(node, "value", scope);
            }
            "assignment" | "augmented_assignment" | "for_statement" => {
                if let Some(target) = field("left") {
                    self.bind_target(target, scope);
                }
                for part in ["right", "type", "body", "alternative"] {
                    self.later_field(node, part, scope);
                }
            }
            "as_pattern" => match field("alias") {
                Some(target) => {
                    self.bind_target(target, scope);
                    self.later_others(node, target, scope);
                }
                None => self.bind_case(node, scope),
            },
            "except_clause" => {
                let alias = field("alias");
                if let Some(alias) = alias {
                    self.bind_target(alias, scope);
                }
                for child in node.named_children(&mut node.walk()).filter(|child| Some(*child) != alias) {
                    self.later(child, scope);
                }
            }
            "delete_statement" => {
                for target in node.named_children(&mut node.walk()) {
                    self.bind_target(target, scope);
                }
            }
            "case_clause" => {
                for child in node.named_children(&mut node.walk()) {
                    match child.kind() {
                        "case_pattern" => self.bind_case(child, scope),
                        _ => self.later(child, scope),
                    }
                }
            }
            "global_statement" | "nonlocal_statement" => {
                let is_global = node.kind() == "global_statement";
                for name in node.named_children(&mut node.walk()) {
                    let (text, at) = (self.text_of(name), range_of(name).start);
                    self.scopes.declare_outer(text, at, scope, is_global);
                }
            }
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                self.import(node, scope);
            }
            "keyword_argument" => self.later_field(node, "value", scope),
            "attribute" => self.later_field(node, "object", scope),
            // `type.name` in an annotation.
            "member_type" => {
                if let Some(first) = node.named_child(0) {
                    self.later(first, scope);
                }
            }
            _ => self.later_children(node, scope),
        }
    }

    fn later_others(&mut self, node: Node<'t>, but: Node<'t>, scope: ScopeId) {
        for child in node.named_children(&mut node.walk()).filter(|child| *child != but) {
            self.later(child, scope);
        }
    }

    fn function(&mut self, node: Node<'t>, scope: ScopeId) {
        if let Some(name) = node.child_by_field_name("name") {
            self.bind(name, scope);
        }
        let around = self.type_parameters(node, scope);
        let inside = self.scopes.begin(ScopeKind::Function, around);
        if let Some(parameters) = node.child_by_field_name("parameters") {
            self.parameters(parameters, inside, around, scope);
        }
        self.later_field(node, "return_type", around);
        self.later_field(node, "body", inside);
    }

    /// Binds parameters in `inside`; their annotations are evaluated in `annotations`, their defaults in `defaults`.
    fn parameters(&mut self, list: Node<'t>, inside: ScopeId, annotations: ScopeId, defaults: ScopeId) {
        let mut left: Vec<Node> = list.named_children(&mut list.walk()).collect();
        while let Some(node) = left.pop() {
            match node.kind() {
                "identifier" => self.bind(node, inside),
                "default_parameter" | "typed_default_parameter" => {
                    left.extend(node.child_by_field_name("name"));
                    self.later_field(node, "type", annotations);
                    self.later_field(node, "value", defaults);
                }
                "typed_parameter" => {
                    let annotation = node.child_by_field_name("type");
                    left.extend(
                        node.named_children(&mut node.walk()).filter(|child| Some(*child) != annotation),
                    );
                    self.later_field(node, "type", annotations);
                }
                _ => left.extend(node.named_children(&mut node.walk())),
            }
        }
    }

    /// Binds the type parameters of a function or class in a scope of their own, and returns the scope in which its head is
    /// evaluated.
    fn type_parameters(&mut self, node: Node<'t>, scope: ScopeId) -> ScopeId {
        let Some(list) = node.child_by_field_name("type_parameters") else { return scope };
        let around = self.scopes.begin(ScopeKind::TypeParameters, scope);
        self.bind_type_parameters(list, around);
        around
    }

    /// Binds each first name of `[T, U: bound, *Ts, **P]`, and reads the others.
    fn bind_type_parameters(&mut self, list: Node<'t>, around: ScopeId) {
        for parameter in list.named_children(&mut list.walk()) {
            let mut named = parameter;
            while named.kind() != "identifier"
                && let Some(first) = named.named_child(0)
            {
                for other in named.named_children(&mut named.walk()).skip(1) {
                    self.later(other, around);
                }
                named = first;
            }
            if named.kind() == "identifier" {
                self.bind(named, around);
            }
        }
    }

    /// `type Name[T] = …`
    fn type_alias(&mut self, node: Node<'t>, scope: ScopeId) {
        let mut around = scope;
        if let Some(left) = node.child_by_field_name("left").and_then(|left| left.named_child(0)) {
            match left.kind() {
                "generic_type" => {
                    if let Some(name) = left.named_child(0) {
                        self.bind(name, scope);
                    }
                    around = self.scopes.begin(ScopeKind::TypeParameters, scope);
                    if let Some(list) = left.named_child(1) {
                        self.bind_type_parameters(list, around);
                    }
                }
                _ => self.bind_target(left, scope),
            }
        }
        self.later_field(node, "right", around);
    }

    fn comprehension(&mut self, node: Node<'t>, scope: ScopeId) {
        let inside = self.scopes.begin(ScopeKind::Comprehension, scope);
        let mut is_first = true;
        for child in node.named_children(&mut node.walk()) {
            if child.kind() != "for_in_clause" {
                self.later(child, inside);
                continue;
            }
            if let Some(target) = child.child_by_field_name("left") {
                self.bind_target(target, inside);
            }
            let evaluated_in = if is_first { scope } else { inside };
            self.later_field(child, "right", evaluated_in);
            is_first = false;
        }
    }

    /// Binds the names that an import brings. One without `as` is a name of the module that it comes from.
    fn import(&mut self, node: Node<'t>, scope: ScopeId) {
        let module = node.child_by_field_name("module_name");
        for child in node.named_children(&mut node.walk()).filter(|child| Some(*child) != module) {
            let (name, is_own) = match child.kind() {
                "aliased_import" => (child.child_by_field_name("alias"), true),
                "dotted_name" => (child.named_child(0), false),
                _ => (None, false),
            };
            let Some(name) = name else { continue };
            self.bind(name, scope);
            if !is_own {
                self.scopes.share(self.text_of(name), scope);
            }
        }
    }
}
