//! What the arguments of macros bind. They are parsed as an expression; where that fails they are read as arms
//! (`pattern = future => body`, `pattern => body`), whose bodies are parsed in turn.

use tree_sitter::Node;

use super::patterns::is_local_name;
use super::{BoundLocal, MAX_MACROS, Part, Reader};
use crate::extract::{OutlineError, with_tree};

/// Macros whose arms are known: their patterns certainly bind.
const WITH_ARMS: [&str; 3] = ["select", "select_biased", "select_ref"];
/// Macros whose arguments are expressions or patterns, in which a name means what it means outside.
const OF_EXPRESSIONS: [&str; 38] = [
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "eprint",
    "eprintln",
    "error",
    "expect",
    "format",
    "format_args",
    "info",
    "join",
    "json",
    "matches",
    "panic",
    "pin",
    "print",
    "println",
    "select",
    "span",
    "todo",
    "trace",
    "trace_span",
    "try_join",
    "unimplemented",
    "unreachable",
    "vec",
    "warn",
    "write",
    "writeln",
    "yield",
];
/// Macros whose second argument is a pattern.
const WITH_PATTERN: [&str; 2] = ["assert_matches", "matches"];

impl Reader<'_> {
    /// Notes what the arguments of a macro's call bind.
    pub(super) fn note_macro(&mut self, call: Node, part: Part) -> Result<(), OutlineError> {
        let text = self.text.get(part.offset..).unwrap_or("");
        let path = call.child_by_field_name("macro").and_then(|path| text.get(path.byte_range()));
        let name = path.and_then(|path| path.rsplit("::").next()).unwrap_or("");
        let mut cursor = call.walk();
        let Some(arguments) = call.named_children(&mut cursor).find(|child| child.kind() == "token_tree")
        else {
            return Ok(());
        };
        if !OF_EXPRESSIONS.contains(&name) {
            self.bindings.combined.push(part.range(arguments.start_byte(), arguments.end_byte()));
        }
        self.note_tokens(arguments, name, part)
    }

    /// Notes what a bracket with tokens binds, in the arguments of the macro `name`.
    fn note_tokens(&mut self, tokens: Node, name: &str, part: Part) -> Result<(), OutlineError> {
        if part.depth >= MAX_MACROS {
            self.bindings.unparsed.push(part.range(tokens.start_byte(), tokens.end_byte()));
            return Ok(());
        }
        let inner = Part { depth: part.depth + 1, ..part };
        if WITH_PATTERN.contains(&name) {
            self.note_pattern(tokens, inner);
            return self.note_brackets(tokens, name, inner);
        }
        if !self.parse(tokens, inner)? {
            let is_known = WITH_ARMS.contains(&name);
            if !is_known {
                self.bindings.unparsed.push(part.range(tokens.start_byte(), tokens.end_byte()));
            }
            self.note_arms(tokens, Part { is_sure: part.is_sure && is_known, ..inner });
            return self.note_brackets(tokens, "", inner);
        }
        Ok(())
    }

    /// Notes what the brackets directly inside `tokens` bind.
    fn note_brackets(&mut self, tokens: Node, name: &str, part: Part) -> Result<(), OutlineError> {
        let name = if WITH_PATTERN.contains(&name) { "" } else { name };
        let mut before = "";
        let mut cursor = tokens.walk();
        for child in tokens.children(&mut cursor) {
            if child.kind() == "token_tree" {
                // `S { field }` in a pattern: alone its bracket would be a block.
                if before == "identifier" && self.byte(child, part) == Some(b'{') {
                    self.bindings.unparsed.push(part.range(child.start_byte(), child.end_byte()));
                } else {
                    self.note_tokens(child, name, part)?;
                }
            }
            before = child.kind();
        }
        Ok(())
    }

    /// Parses the tokens as an expression and notes what it binds; `false` if they are none.
    fn parse(&mut self, tokens: Node, part: Part) -> Result<bool, OutlineError> {
        let (from, to) = (tokens.start_byte() + part.offset, tokens.end_byte() + part.offset);
        let Some(inner) = self.text.get(from..to) else { return Ok(false) };
        // As a statement: a tuple, an array, a block.
        let statement = format!("{inner};");
        with_tree(self.grammar, &statement, self.cancel, |tree| {
            let is_expression = !tree.root_node().has_error();
            if is_expression {
                self.walk(tree, Part { offset: from, ..part })?;
            }
            Ok(is_expression)
        })?
    }

    /// Notes the names that arms bind, each visible up to the end of its arm.
    fn note_arms(&mut self, tokens: Node, part: Part) {
        let mut pattern: Vec<Node> = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let (mut is_pattern, mut guard, mut is_body) = (true, None, false);
        // The future of `pattern = future => body` does not see the names.
        let mut visible_from = 0;
        let mut before = "";
        let mut cursor = tokens.walk();
        let children: Vec<Node> = tokens.children(&mut cursor).collect();
        let last = children.len().saturating_sub(1);
        for (number, &child) in children.iter().enumerate() {
            let kind = child.kind();
            let is_block = kind == "token_tree" && self.byte(child, part) == Some(b'{');
            let ends = match kind {
                "," => is_body || is_pattern,
                ";" => true,
                _ => number == last || is_body && is_block && before == "=>",
            };
            match kind {
                "=" | "=>" if is_pattern => {
                    open.extend(pattern.drain(..).flat_map(|node| self.names_in(node, part)));
                    visible_from = guard.unwrap_or(child.end_byte());
                    is_pattern = false;
                    is_body = kind == "=>";
                }
                "=>" => (visible_from, is_body) = (child.end_byte(), true),
                "if" if is_pattern => guard = Some(child.start_byte()),
                "identifier" | "token_tree" if is_pattern && guard.is_none() => pattern.push(child),
                // The name before it belongs to a path.
                "::" | "." | "!" if is_pattern && guard.is_none() => drop(pattern.pop()),
                _ => {}
            }
            if ends {
                self.close_arm(&mut open, (visible_from, child.end_byte()), part);
                pattern.clear();
                (is_pattern, guard, is_body) = (true, None, false);
            }
            before = kind;
        }
    }

    fn close_arm(&mut self, open: &mut Vec<(usize, usize)>, scope: (usize, usize), part: Part) {
        for (from, to) in open.drain(..) {
            self.bindings.locals.push(BoundLocal {
                name: part.range(from, to),
                scopes: vec![part.range(scope.0, scope.1)],
                is_sure: part.is_sure,
                is_type: false,
            });
        }
    }

    /// Notes the names of the pattern in `matches!(value, pattern)`, visible up to its end.
    fn note_pattern(&mut self, tokens: Node, part: Part) {
        let mut cursor = tokens.walk();
        let children: Vec<Node> = tokens.children(&mut cursor).collect();
        let comma = children.iter().position(|child| child.kind() == ",").unwrap_or(children.len());
        let behind = children.get(comma..).unwrap_or_default();
        let guard = behind.iter().position(|child| child.kind() == "if").unwrap_or(behind.len());
        let mut names: Vec<(usize, usize)> =
            behind[..guard].iter().flat_map(|&child| self.names_in(child, part)).collect();
        let visible_from = behind.get(guard).map_or(tokens.end_byte(), |guard| guard.start_byte());
        self.close_arm(&mut names, (visible_from, tokens.end_byte()), part);
    }

    /// Returns the names that a token, or a bracket with tokens, binds as a part of a pattern.
    fn names_in(&self, node: Node, part: Part) -> Vec<(usize, usize)> {
        let mut names = Vec::new();
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            if node.kind() == "token_tree" {
                left.extend(node.named_children(&mut node.walk()));
                continue;
            }
            let range = node.byte_range();
            let text = self.text.get(part.offset..).unwrap_or("");
            let next = text.get(range.end..).unwrap_or("").trim_start();
            let before = text.get(..range.start).unwrap_or("").trim_end();
            let is_path = next.starts_with("::") || before.ends_with("::") || before.ends_with('.');
            // `Name(…)`, `Name { … }`, `field: pattern`.
            let is_head = next.starts_with(['(', '!', ':', '.']);
            if node.kind() == "identifier"
                && !is_path
                && !is_head
                && text.get(range.clone()).is_some_and(is_local_name)
            {
                names.push((range.start, range.end));
            }
        }
        names
    }

    fn byte(&self, node: Node, part: Part) -> Option<u8> {
        self.text.as_bytes().get(node.start_byte() + part.offset).copied()
    }
}
