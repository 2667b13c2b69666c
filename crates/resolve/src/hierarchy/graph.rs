//! The classes of one language family in the project, and their inheritance. Built from
//! class heads alone: of all classes, once for all questions about the same files, or of those that a question needs (`graph_by_need`).
//! Invariant: cyclic bases are walked once; a class whose bases cannot be resolved is present all the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::context::{first_word, text_after};
use crate::family::Family;
use crate::hierarchy::bases::{Base, bases_in};
use crate::hierarchy::classes::is_class;
use crate::python::registered::{REGISTER, registered};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

#[derive(Clone, Debug)]
pub(crate) struct ClassNode {
    pub(crate) class: IndexedDeclaration,
    pub(crate) bases: Arc<[Base]>,
    up: Vec<usize>,
    down: Vec<usize>,
}

/// The inheritance graph. Classes are identified by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassGraph {
    nodes: Vec<ClassNode>,
    /// Class numbers, by file and by the byte at which the name begins.
    numbers: HashMap<(RelPath, u32), usize>,
}

/// The graphs of all classes, by language family. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ClassGraphs(BTreeMap<Family, Arc<ClassGraph>>);

impl ClassGraphs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns about how many bytes of memory they take, without the files.
    pub fn memory(&self) -> usize {
        let of_base = |base: &Base| {
            size_of::<Base>()
                + base.written.chain.len()
                + base.classes.len() * size_of::<IndexedDeclaration>()
        };
        let of_node = |(_, node): (usize, &ClassNode)| {
            let links = (node.up.len() + node.down.len()) * size_of::<usize>();
            // A node, and its entry among the numbers.
            2 * size_of::<ClassNode>() + links + node.bases.iter().map(of_base).sum::<usize>()
        };
        self.0.values().map(|graph| graph.iter().map(of_node).sum::<usize>()).sum()
    }
}

/// A class's place, by which classes are sorted.
type ClassPlace = (RelPath, usize);

/// Classes with their bases, and what registers as what, of which a graph is made.
#[derive(Default)]
pub(crate) struct ClassHeads {
    classes: BTreeMap<ClassPlace, (IndexedDeclaration, Arc<[Base]>)>,
    /// Classes that are registered as subclasses, each with its abstract class.
    pub(crate) registered: Vec<(IndexedDeclaration, IndexedDeclaration)>,
}

impl ClassHeads {
    /// Adds the class in `row` of a file, unless it is there. Returns whether it was added.
    pub(crate) fn add(
        &mut self,
        resolver: &Resolver,
        here: &CurrentFile,
        row: usize,
    ) -> Result<bool, Cancelled> {
        let place = (here.file.path.clone(), row);
        if self.classes.contains_key(&place) {
            return Ok(false);
        }
        let bases = bases_in(resolver, here, row)?;
        self.classes.insert(place, (here.target(row), bases));
        Ok(true)
    }

    /// Returns the graph of the classes so far.
    pub(crate) fn graph(&self) -> ClassGraph {
        let mut graph = ClassGraph::default();
        for (class, bases) in self.classes.values() {
            let name_start = class.row().map_or(u32::MAX, |(_, row)| row.name_start);
            graph.numbers.insert((class.file.path.clone(), name_start), graph.nodes.len());
            let (class, bases) = (class.clone(), bases.clone());
            graph.nodes.push(ClassNode { class, bases, up: Vec::new(), down: Vec::new() });
        }
        for (class, abstract_class) in &self.registered {
            if let (Some(from), Some(to)) = (graph.number(class), graph.number(abstract_class)) {
                graph.link(from, to);
            }
        }
        for from in 0..graph.nodes.len() {
            let bases = graph.nodes[from].bases.clone();
            for class in bases.iter().flat_map(|base| &base.classes) {
                if let Some(to) = graph.number(class) {
                    graph.link(from, to);
                }
            }
        }
        graph
    }
}

impl ClassGraph {
    /// Returns the graph of all classes, built once from the same files.
    pub(crate) fn read(resolver: &Resolver) -> Result<Arc<ClassGraph>, Cancelled> {
        if let Some(known) = ClassGraph::known(resolver) {
            return Ok(known);
        }
        let graph = Arc::new(ClassGraph::build(resolver)?);
        if resolver.sources.snapshot().files.is_complete() {
            let mut all = resolver.sources.class_graphs();
            all.0.insert(resolver.family, graph.clone());
            resolver.sources.keep_class_graphs(all);
        }
        Ok(graph)
    }

    /// Returns the graph of all classes if there is one.
    pub(crate) fn known(resolver: &Resolver) -> Option<Arc<ClassGraph>> {
        resolver.sources.class_graphs().0.get(&resolver.family).cloned()
    }

    /// Builds the graph from the head of every class.
    fn build(resolver: &Resolver) -> Result<ClassGraph, Cancelled> {
        let mut heads = ClassHeads::default();
        for file in resolver.sources.snapshot().files.iter() {
            let may_hold = |outline: &Arc<symd_syntax::Outline>| {
                outline.hides_types
                    || outline.rows.iter().any(|row| is_class(row) || row.descendants > 0)
                    || resolver.profile.is_dynamic && outline.occurrences.contains(REGISTER)
            };
            if Family::of(file) != Some(resolver.family) {
                continue;
            }
            // Held, so that reading the file below finds the outline in memory.
            let Some(_outline) = file.outline_once().filter(may_hold) else { continue };
            resolver.cancel.check()?;
            let Some(here) = CurrentFile::new(resolver, file) else { continue };
            heads.registered.extend(registered(resolver, &here)?);
            for row in 0..here.outline.rows.len() {
                if declares_class(resolver, &here, row) {
                    heads.add(resolver, &here, row)?;
                }
            }
        }
        Ok(heads.graph())
    }

    /// Records that `from` inherits from `to`.
    pub(crate) fn link(&mut self, from: usize, to: usize) {
        if from != to && !self.nodes[from].up.contains(&to) {
            self.nodes[from].up.push(to);
            self.nodes[to].down.push(from);
        }
    }

    /// Returns the number of a class; `None` if it is not in the graph.
    pub(crate) fn number(&self, class: &IndexedDeclaration) -> Option<usize> {
        let name_start = class.row()?.1.name_start;
        let of_row = self.numbers.get(&(class.file.path.clone(), name_start)).copied();
        match of_row.filter(|&at| self.nodes[at].class.is_same_declaration(class)) {
            Some(at) => Some(at),
            // One of the two comes from an older scan of the file.
            None => self.nodes.iter().position(|node| node.class.is_same_declaration(class)),
        }
    }

    /// Returns the number of the class whose name begins at byte `name_start` of a file.
    pub(crate) fn named_at(&self, path: &RelPath, name_start: u32) -> Option<usize> {
        self.nodes.iter().position(|node| {
            node.class.file.path == *path
                && node.class.row().is_some_and(|(_, row)| row.name_start == name_start)
        })
    }

    pub(crate) fn node(&self, at: usize) -> &ClassNode {
        &self.nodes[at]
    }

    /// Iterates over all classes with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &ClassNode)> {
        self.nodes.iter().enumerate()
    }

    /// Returns the class and all classes that it inherits from.
    pub(crate) fn ancestors(&self, of: usize) -> Vec<usize> {
        walk(of, |at| &self.nodes[at].up)
    }

    /// Returns the class and all classes that inherit from it.
    pub(crate) fn descendants(&self, of: usize) -> Vec<usize> {
        walk(of, |at| &self.nodes[at].down)
    }

    /// Returns these classes and all from which they inherit; those that are not in the graph are left out.
    pub(crate) fn all_ancestors(&self, of: &[IndexedDeclaration]) -> BTreeSet<usize> {
        of.iter().filter_map(|class| self.number(class)).flat_map(|at| self.ancestors(at)).collect()
    }

    /// Returns these classes and all that inherit from them; those that are not in the graph are left out.
    pub(crate) fn all_descendants(&self, of: &[IndexedDeclaration]) -> BTreeSet<usize> {
        of.iter().filter_map(|class| self.number(class)).flat_map(|at| self.descendants(at)).collect()
    }

    /// Returns the classes of these numbers.
    pub(crate) fn classes(&self, numbers: impl IntoIterator<Item = usize>) -> Vec<IndexedDeclaration> {
        numbers.into_iter().map(|at| self.nodes[at].class.clone()).collect()
    }
}

fn walk<'g>(from: usize, next: impl Fn(usize) -> &'g Vec<usize>) -> Vec<usize> {
    let mut seen = vec![from];
    let mut known = std::collections::HashSet::from([from]);
    let mut at = 0;
    while let Some(&one) = seen.get(at) {
        for &further in next(one) {
            if known.insert(further) {
                seen.push(further);
            }
        }
        at += 1;
    }
    seen
}

/// Whether the row declares a class, also one that the outline lists as another kind.
pub(crate) fn declares_class(resolver: &Resolver, here: &CurrentFile, row: usize) -> bool {
    let this = &here.outline.rows[row];
    let text = here.text.as_str();
    let name_end = this.name_start as usize + usize::from(this.name_len);
    match this.kind() {
        SymbolKind::EnumMember => resolver.profile.bases.entries_are_classes && this.descendants > 0,
        // `const A = class extends B { … }`
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Property | SymbolKind::Field => {
            let value = text_after(text, name_end).strip_prefix('=').map(str::trim_start);
            resolver.profile.bases.has_class_values
                && this.descendants > 0
                && value.is_some_and(|value| first_word(value) == "class")
        }
        _ => is_class(this),
    }
}
