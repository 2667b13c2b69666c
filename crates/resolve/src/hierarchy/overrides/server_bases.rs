//! What a server has told about the bases of classes.

use std::collections::HashMap;

use crate::hierarchy::graph::{ClassGraph, ClassNode};
use symd_base::RelPath;

/// A server's answers about bases, by the file and the start of the base's range in the head.
pub type ServerBases = HashMap<(RelPath, u32), ServerBase>;

/// A server's answer about one base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerBase {
    /// Classes of the project that the base is: file, and the byte at which the name begins.
    pub classes: Vec<(RelPath, u32)>,
    /// A class outside the project that declares the member.
    pub declares: Option<String>,
    /// Whether the base can be nothing else.
    pub is_known: bool,
}

/// Returns the classes that, according to a server, are the bases of `node`.
pub(super) fn settled_classes(graph: &ClassGraph, node: &ClassNode, settled: &ServerBases) -> Vec<usize> {
    let said = node
        .bases
        .iter()
        .filter_map(|base| settled.get(&(node.class.file.path.clone(), base.written.range.start)));
    said.flat_map(|said| &said.classes).filter_map(|(path, at)| graph.named_at(path, *at)).collect()
}
