//! Members of Python classes, own and inherited.

use std::sync::Arc;

use crate::family::Family;
use crate::hierarchy::graph::ClassGraph;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each place and name in `asked`: finds the class whose name, or declaration, stands at the place, and
/// returns its own or inherited member of that name; one of `members` takes precedence.
pub fn inherited_members(
    sources: &dyn Sources,
    asked: &[((RelPath, TextRange), String)],
    members: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Vec<Option<IndexedDeclaration>>, Cancelled> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let resolver = Resolver::new(sources, Family::Python, cancel);
    let inherited = Inherited::read(&resolver)?;
    let member = |((path, range), name): &((RelPath, TextRange), String)| {
        let is_it = |class: &IndexedDeclaration| {
            class.file.path == *path
                && class.row().is_some_and(|(_, row)| {
                    range.start <= row.name_start && row.name_start <= range.end && row.start <= range.start
                })
        };
        inherited.member(is_it, name, members)
    };
    Ok(asked.iter().map(member).collect())
}

/// The classes of the project with their ancestors.
pub(crate) struct Inherited(Arc<ClassGraph>);

impl Inherited {
    pub(crate) fn read(resolver: &Resolver) -> Result<Inherited, Cancelled> {
        Ok(Inherited(ClassGraph::read(resolver)?))
    }

    /// Returns the member of that name that the class declares or inherits; one of `members` takes
    /// precedence.
    pub(crate) fn member(
        &self,
        is_class: impl Fn(&IndexedDeclaration) -> bool,
        name: &str,
        members: &[IndexedDeclaration],
    ) -> Option<IndexedDeclaration> {
        let (number, _) = self.0.iter().find(|(_, node)| is_class(&node.class))?;
        let above = self.0.ancestors(number);
        let of = |class: &IndexedDeclaration| {
            let is_of = |member: &&IndexedDeclaration| {
                member.file.path == class.file.path
                    && member.row().and_then(|(_, row)| row.parent()) == Some(class.row)
            };
            members.iter().filter(|member| member.name() == name).find(is_of).cloned()
        };
        let other = |class: &IndexedDeclaration| {
            let (outline, _) = class.row()?;
            let is_it = |at: &usize| {
                outline.rows[*at].parent() == Some(class.row) && outline.name(&outline.rows[*at]) == name
            };
            let row = (0..outline.rows.len()).find(is_it)?;
            Some(IndexedDeclaration { file: class.file.clone(), row })
        };
        let classes = || above.iter().map(|&at| &self.0.node(at).class);
        classes().find_map(of).or_else(|| classes().find_map(other))
    }
}
