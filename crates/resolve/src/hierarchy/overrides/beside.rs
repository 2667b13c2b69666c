//! Classes with doubtful bases, which may inherit from classes of the family.

use std::collections::{BTreeMap, BTreeSet};

use super::{Linking, MemberRow, OverrideFamily, UnknownFact, own_member_rows, sort};
use crate::hierarchy::heads::WrittenBase;
use crate::hierarchy::subclasses::may_be_one_of;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

impl Linking<'_, '_> {
    /// Adds the doubtful bases of classes that declare the member too and may, through such a base, inherit
    /// from a class of the family.
    pub(super) fn look_beside(
        &self,
        members: &BTreeSet<MemberRow>,
        family: &mut OverrideFamily,
    ) -> Result<(), Cancelled> {
        let linked: BTreeSet<usize> = members.iter().map(|member| member.0).collect();
        let heirs: BTreeSet<usize> = linked.iter().flat_map(|&class| self.graph.descendants(class)).collect();
        for (class, all) in self.beside(&heirs)? {
            all.iter().for_each(|written| self.unknown(class, written, UnknownFact::Class, family));
        }
        Ok(())
    }

    /// Returns classes with a base that may be one of `heirs`, which declare the member or have subclasses
    /// that do; without `heirs` and their `forebears`.
    pub(super) fn may_be_below(
        &self,
        heirs: &BTreeSet<usize>,
        forebears: &BTreeSet<usize>,
    ) -> Result<Vec<IndexedDeclaration>, Cancelled> {
        let beside = self.beside(heirs)?.into_keys().filter(|class| !forebears.contains(class));
        let mut classes: Vec<IndexedDeclaration> =
            beside.map(|class| self.graph.node(class).class.clone()).collect();
        sort(&mut classes);
        Ok(classes)
    }

    /// Returns classes with unresolved bases that may be one of `heirs`, with these bases. The classes, or
    /// subclasses of theirs, declare the member and are not among `heirs`.
    fn beside(&self, heirs: &BTreeSet<usize>) -> Result<BTreeMap<usize, Vec<WrittenBase>>, Cancelled> {
        let may_be = may_be_one_of(self.resolver, self.graph, heirs)?;
        let mut beside: BTreeMap<usize, Vec<WrittenBase>> = BTreeMap::new();
        for (at, node) in self.graph.iter() {
            if heirs.contains(&at) || own_member_rows(&node.class, self.name).is_empty() {
                continue;
            }
            for above in self.graph.ancestors(at) {
                for base in self.graph.node(above).bases.iter().filter(|base| may_be(base)) {
                    let place = (self.graph.node(above).class.file.path.clone(), base.written.range.start);
                    let is_settled = self.settled.get(&place).is_some_and(|said| said.is_known);
                    if !is_settled {
                        beside.entry(above).or_default().push(base.written.clone());
                    }
                }
            }
        }
        Ok(beside)
    }
}
