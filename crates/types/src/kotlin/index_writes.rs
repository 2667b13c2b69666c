//! `data[i] = value`, where the variable is called like a modifier: the grammar takes the statement for a declaration of `i`.

use super::source_file::SourceFile;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A write that the grammar took for a declaration.
pub(super) struct IndexWrite {
    /// The name of what is indexed.
    pub(super) variable: NodeId,
    /// The names between the brackets.
    pub(super) indices: Vec<NodeId>,
    pub(super) value: NodeId,
}

impl SourceFile {
    /// Returns the write that a declaration of several variables is in truth; `None` for all other nodes.
    pub(super) fn index_write(&self, declaration: NodeId) -> Option<IndexWrite> {
        if self.kind(declaration) != K::DestructuringDeclaration {
            return None;
        }
        let list = self.child(declaration, K::MultiVariableDeclaration)?;
        let variable = self.children(self.child(declaration, K::Modifiers)?).last()?;
        if !self.text_of(list).starts_with('[') || self.kind(variable) == K::Annotation {
            return None;
        }
        let indices = self.children(list).filter_map(|one| self.child(one, K::SimpleIdentifier));
        let value = self.children(declaration).last()?;
        Some(IndexWrite { variable, indices: indices.collect(), value })
    }

    /// Whether a node is the name of what such a write indexes.
    pub(super) fn is_written_variable(&self, node: NodeId) -> bool {
        let declaration = self.parent(node).and_then(|modifiers| self.parent(modifiers));
        declaration.and_then(|one| self.index_write(one)).is_some_and(|write| write.variable == node)
    }
}
