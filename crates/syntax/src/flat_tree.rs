//! A syntax tree as plain arrays: what code outside a parse worker reads of a tree. Nodes are numbered in
//! preorder; kinds are numbers of a list that the caller gives. Invariant: a node's children lie within it, in
//! the order of the text, and every subtree is a run of consecutive numbers.

use super::compact_numbers::CompactNumbers;
use super::extract::{OutlineError, with_tree, with_tree_of_part};
use super::grammar::Grammar;
use super::index_writes;
use super::kotlin::{KOTLIN_KINDS, KotlinNode};
use super::leb128;
use super::object_arguments;
use std::ops::Range;
use symd_base::{Cancel, TextRange};
use tree_sitter::Node;

/// The number of a node, in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// A syntax tree without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlatTree {
    /// The number of each node's kind in the list that the tree was made with.
    kinds: Vec<u8>,
    /// Byte offsets of the first byte of each node.
    starts: CompactNumbers,
    /// Byte offsets behind the last byte of each node.
    ends: CompactNumbers,
    /// The first node behind each node's subtree.
    nexts: CompactNumbers,
    /// The parent of each node; the root is its own.
    parents: CompactNumbers,
}

/// The kinds of nodes that a [`FlatTree`] tells apart.
pub struct NodeKinds {
    /// The grammar's names. The first one stands for every named node that is not listed; tokens that are not
    /// listed are left out.
    pub names: &'static [&'static str],
}

/// Returns the kinds that trees of a grammar tell apart; `None` where nothing reads its trees.
pub fn node_kinds(grammar: Grammar) -> Option<&'static NodeKinds> {
    node_kinds_named(grammar.name())
}

/// Like [`node_kinds`], for a grammar's name.
pub(super) fn node_kinds_named(grammar: &str) -> Option<&'static NodeKinds> {
    (grammar == "kotlin").then_some(&KOTLIN_KINDS)
}

/// The cancel flag is checked once per this many nodes.
const NODES_BETWEEN_CHECKS: usize = 4096;

/// Parses a text and returns its tree; an empty one where [`node_kinds`] has none for the grammar.
///
/// # Errors
/// Those of parsing: cancelled, or larger than 4 GiB.
pub fn flat_tree(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<FlatTree, OutlineError> {
    let Some(kinds) = node_kinds(grammar) else { return Ok(FlatTree::default()) };
    with_tree(grammar, text, cancel, |parsed| {
        let root = parsed.root_node();
        let numbers = KindNumbers::new(kinds, &root.language());
        let (tree, writes) = (FlatTree::default(), Vec::new());
        let mut flattening = Flattening { grammar, text, cancel, numbers, tree, writes };
        flattening.add(root, vec![0], MAX_OBJECTS)?;
        let Flattening { mut tree, writes, .. } = flattening;
        writes.into_iter().for_each(|one| index_writes::make_assignment(&mut tree, one));
        Ok(tree)
    })?
}

/// How deep objects are parsed again within one another.
const MAX_OBJECTS: usize = 20;

/// A tree that is made flat.
struct Flattening<'t> {
    grammar: Grammar,
    text: &'t str,
    cancel: &'t Cancel,
    numbers: KindNumbers,
    tree: FlatTree,
    /// What `index_writes` changes at the end.
    writes: Vec<NodeId>,
}

impl Flattening<'_> {
    /// Adds a node with all beneath it; `parents` are the nodes around it, the innermost last.
    fn add(&mut self, root: Node, mut parents: Vec<u32>, objects: usize) -> Result<(), OutlineError> {
        let mut cursor = root.walk();
        let outermost = parents.len();
        // Where the object ends that was read last: what the grammar took for arguments behind it is a part of it.
        let mut read_to = 0;
        let mut visited = 0_usize;
        loop {
            visited += 1;
            if visited.is_multiple_of(NODES_BETWEEN_CHECKS) {
                self.cancel.check()?;
            }
            let node = cursor.node();
            let number = self.numbers.of(node).filter(|_| node.start_byte() >= read_to);
            let is_object = number.is_some_and(|kind| KotlinNode::of(kind) == KotlinNode::ObjectLiteral);
            let object =
                if is_object && node.id() != root.id() { object_arguments::whole_object(node) } else { None };
            if let (Some(bytes), Some(inner)) = (object, objects.checked_sub(1))
                && self.add_object(&bytes, &parents, inner)?
            {
                self.extend(&parents, node.end_byte(), bytes.end);
                read_to = bytes.end;
            } else {
                let pushed = number.map(|kind| self.tree.push(kind, node, &parents));
                if let Some(id) = pushed
                    && KotlinNode::of(self.tree.kind(NodeId(id))) == KotlinNode::DestructuringDeclaration
                    && index_writes::written_variable(node).is_some()
                {
                    self.writes.push(NodeId(id));
                }
                if let Some(id) = pushed
                    && cursor.goto_first_child()
                {
                    parents.push(id);
                    continue;
                }
                if let Some(id) = pushed {
                    self.tree.close(id);
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                if parents.len() > outermost
                    && let Some(id) = parents.pop()
                {
                    self.tree.close(id);
                }
            }
        }
    }

    /// Adds the object of these bytes, parsed alone. Returns whether it is one.
    fn add_object(
        &mut self,
        bytes: &Range<usize>,
        parents: &[u32],
        objects: usize,
    ) -> Result<bool, OutlineError> {
        let (grammar, text, cancel) = (self.grammar, self.text, self.cancel);
        with_tree_of_part(grammar, text, bytes, cancel, |part| {
            match object_arguments::object_in(part.root_node(), bytes) {
                Some(object) => self.add(object, parents.to_vec(), objects).map(|()| true),
                None => Ok(false),
            }
        })?
    }

    /// Moves the end of the nodes around an object that ended with its beginning.
    fn extend(&mut self, parents: &[u32], end: usize, to: usize) {
        let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        for &parent in parents.iter().rev() {
            if self.tree.ends.at(parent as usize) != offset(end) {
                break;
            }
            self.tree.ends.raise(parent as usize, offset(to));
        }
    }
}

/// The number of each kind of a grammar's nodes.
struct KindNumbers {
    by_id: Vec<Option<u8>>,
}

impl KindNumbers {
    fn new(kinds: &NodeKinds, language: &tree_sitter::LanguageRef) -> KindNumbers {
        let number = |id: usize| {
            let id = u16::try_from(id).ok()?;
            let name = language.node_kind_for_id(id)?;
            let listed = kinds.names.iter().position(|known| *known == name);
            let number = listed.or(language.node_kind_is_named(id).then_some(0))?;
            u8::try_from(number).ok()
        };
        KindNumbers { by_id: (0..language.node_kind_count()).map(number).collect() }
    }

    /// Returns `None` for tokens that are not listed and for nodes that are not in the text.
    fn of(&self, node: Node) -> Option<u8> {
        if node.is_missing() {
            return None;
        }
        // Errors have an id beyond those of the grammar; they stand for nodes that are not listed.
        self.by_id.get(usize::from(node.kind_id())).copied().unwrap_or(Some(0))
    }
}

impl FlatTree {
    fn push(&mut self, kind: u8, node: Node, parents: &[u32]) -> u32 {
        let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let id = offset(self.kinds.len());
        self.kinds.push(kind);
        self.starts.push(offset(node.start_byte()));
        self.ends.push(offset(node.end_byte()));
        self.nexts.push(id + 1);
        self.parents.push(parents.last().copied().unwrap_or(0));
        id
    }

    /// Notes that the subtree of `id` ends with the last node.
    fn close(&mut self, id: u32) {
        let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        self.nexts.raise(id as usize, next);
    }

    pub(super) fn set_kind(&mut self, node: NodeId, kind: KotlinNode) {
        self.kinds[node.0 as usize] = kind as u8;
    }

    /// Makes the siblings behind a node, up to `last`, its children.
    pub(super) fn take_in(&mut self, node: NodeId, last: NodeId) {
        let parent = NodeId(self.parents.at(node.0 as usize));
        let taken: Vec<NodeId> =
            self.children(parent).filter(|sibling| node < *sibling && *sibling <= last).collect();
        for sibling in taken {
            self.parents.raise(sibling.0 as usize, node.0);
        }
        self.ends.raise(node.0 as usize, self.ends.at(last.0 as usize));
        self.nexts.raise(node.0 as usize, self.nexts.at(last.0 as usize));
    }

    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn root(&self) -> Option<NodeId> {
        (!self.is_empty()).then_some(NodeId(0))
    }

    /// Iterates over all nodes in preorder.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.kinds.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// Returns the number of the node's kind in the list that the tree was made with.
    pub fn kind(&self, node: NodeId) -> u8 {
        self.kinds[node.0 as usize]
    }

    /// Returns the node's range, in bytes, exclusive of its end.
    pub fn range(&self, node: NodeId) -> TextRange {
        TextRange::new(self.starts.at(node.0 as usize), self.ends.at(node.0 as usize))
    }

    /// Returns how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let numbers = [&self.starts, &self.ends, &self.nexts, &self.parents];
        self.kinds.capacity() + numbers.map(CompactNumbers::memory).iter().sum::<usize>()
    }

    /// Returns `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node.0 != 0).then(|| NodeId(self.parents.at(node.0 as usize)))
    }

    /// Iterates over the direct children, in the order of the text.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        let end = self.nexts.at(node.0 as usize);
        let mut at = node.0 + 1;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let child = NodeId(at);
            at = self.nexts.at(at as usize);
            Some(child)
        })
    }

    /// Iterates over the node and everything beneath it, in preorder.
    pub fn subtree(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0..self.nexts.at(node.0 as usize)).map(NodeId)
    }

    /// Iterates over the nodes that come after `from` and before `to` in preorder.
    pub fn between(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (from.0.saturating_add(1)..to.0).map(NodeId)
    }

    /// Returns the tree as bytes: the number of nodes, and for each its kind, how far it begins behind the one
    /// before, its length, and the number of nodes beneath it. Numbers but the kind are LEB128.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 * self.len() + 4);
        leb128::push(&mut bytes, self.len() as u64);
        let mut last = 0;
        for at in 0..self.len() {
            bytes.push(self.kinds[at]);
            leb128::push(&mut bytes, u64::from(self.starts.at(at) - last));
            leb128::push(&mut bytes, u64::from(self.ends.at(at) - self.starts.at(at)));
            let below = self.nexts.at(at) - u32::try_from(at).unwrap_or(u32::MAX) - 1;
            leb128::push(&mut bytes, u64::from(below));
            last = self.starts.at(at);
        }
        bytes
    }

    /// Reads a tree of `text` from what [`FlatTree::to_bytes`] made; `None` for other bytes, and for a tree
    /// with a node outside the text or between two bytes of a character.
    pub fn from_bytes(mut bytes: &[u8], text: &str) -> Option<FlatTree> {
        let count = leb128::take_u32(&mut bytes)? as usize;
        // A node takes at least four bytes.
        if count > bytes.len() / 4 {
            return None;
        }
        let mut tree = FlatTree {
            kinds: Vec::with_capacity(count),
            starts: CompactNumbers::with_capacity(count),
            ends: CompactNumbers::with_capacity(count),
            nexts: CompactNumbers::with_capacity(count),
            parents: CompactNumbers::with_capacity(count),
        };
        // The nodes around the one that is read.
        let mut around: Vec<u32> = Vec::new();
        let mut last = 0_u32;
        for at in 0..u32::try_from(count).ok()? {
            let (kind, rest) = bytes.split_first()?;
            bytes = rest;
            let start = last.checked_add(leb128::take_u32(&mut bytes)?)?;
            let end = start.checked_add(leb128::take_u32(&mut bytes)?)?;
            let next = at.checked_add(leb128::take_u32(&mut bytes)?)?.checked_add(1)?;
            while around.last().is_some_and(|outer| tree.nexts.at(*outer as usize) <= at) {
                around.pop();
            }
            text.get(start as usize..end as usize)?;
            let (bottom, limit) = match around.last() {
                Some(&outer) => (tree.ends.at(outer as usize), tree.nexts.at(outer as usize)),
                // All nodes are beneath the first one.
                None if at == 0 => (u32::MAX, u32::try_from(count).ok()?),
                None => return None,
            };
            if end > bottom || next > limit {
                return None;
            }
            tree.kinds.push(*kind);
            tree.starts.push(start);
            tree.ends.push(end);
            tree.nexts.push(next);
            tree.parents.push(around.last().copied().unwrap_or(0));
            around.push(at);
            last = start;
        }
        bytes.is_empty().then_some(tree)
    }

    /// Returns the innermost node that begins exactly at byte `start` and ends at byte `end`.
    pub fn at(&self, start: u32, end: u32) -> Option<NodeId> {
        let here = (self.starts.count_below(start)..self.len()).take_while(|&id| self.starts.at(id) == start);
        here.filter(|&id| self.ends.at(id) == end).last().and_then(|id| u32::try_from(id).ok()).map(NodeId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kotlin::KotlinNode;

    fn tree(text: &str) -> FlatTree {
        let grammar = Grammar::named("kotlin").unwrap();
        flat_tree(grammar, text, &Cancel::new()).unwrap()
    }

    #[test]
    fn the_tree_has_the_shape_of_the_text() {
        let text = "fun f(a: Int) = a + 1\nval x = f(2)\n";
        let tree = tree(text);
        let root = tree.root().unwrap();
        let kinds: Vec<KotlinNode> =
            tree.children(root).map(|node| KotlinNode::of(tree.kind(node))).collect();
        assert_eq!(kinds, [KotlinNode::FunctionDeclaration, KotlinNode::PropertyDeclaration]);
        let name = tree.at(4, 5).unwrap();
        assert_eq!(KotlinNode::of(tree.kind(name)), KotlinNode::SimpleIdentifier);
        assert_eq!(tree.range(tree.parent(name).unwrap()), TextRange::new(0, 21));
    }

    #[test]
    fn every_subtree_is_a_run_of_nodes_within_its_parent() {
        let tree =
            tree("class A { fun f() { if (x is B) g { it.h(1) } else \"${a.b}\" } }\n= = class {{{ \"");
        for node in tree.nodes() {
            for child in tree.children(node) {
                assert_eq!(tree.parent(child), Some(node));
                let (outer, inner) = (tree.range(node), tree.range(child));
                assert!(outer.start <= inner.start && inner.end <= outer.end);
            }
        }
        assert_eq!(tree.subtree(tree.root().unwrap()).count(), tree.len());
    }

    #[test]
    fn between_two_nodes_is_neither_of_them() {
        let tree = tree("val a = 1; val b = 2");
        let nodes: Vec<NodeId> = tree.nodes().collect();
        let (from, to) = (nodes[1], nodes[nodes.len() - 1]);
        assert_eq!(tree.between(from, to).collect::<Vec<_>>(), nodes[2..nodes.len() - 1]);
        assert_eq!(tree.between(from, from).count(), 0);
        assert_eq!(tree.between(to, from).count(), 0);
    }

    #[test]
    fn a_tree_is_read_as_it_was_written() {
        for text in ["", "x", "fun f(é: Int) = \"${é + 1}\" // ü\nclass A { val b = f(2) }\n"] {
            let tree = tree(text);
            let bytes = tree.to_bytes();
            assert_eq!(FlatTree::from_bytes(&bytes, text).as_ref(), Some(&tree));
            for cut in 0..bytes.len() {
                assert_eq!(FlatTree::from_bytes(&bytes[..cut], text), None, "cut at {cut}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_tree_of_the_text_are_refused() {
        let text = "fun f(é: Int) = é";
        let bytes = tree(text).to_bytes();
        assert_eq!(FlatTree::from_bytes(&bytes, &text[..6]), None);
        assert_eq!(FlatTree::from_bytes(&bytes, &text.replace("(é", "é(")), None);
        assert_eq!(FlatTree::from_bytes(&[0xFF; 20], text), None);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x41;
            if let Some(tree) = FlatTree::from_bytes(&other, text) {
                for node in tree.nodes() {
                    assert!(text.get(tree.range(node).as_range()).is_some());
                    assert!(tree.children(node).all(|child| tree.parent(child) == Some(node)));
                }
            }
        }
    }

    #[test]
    fn nesting_costs_no_stack() {
        let text = format!("val x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
        assert!(tree(&text).len() > 20_000);
    }
}
