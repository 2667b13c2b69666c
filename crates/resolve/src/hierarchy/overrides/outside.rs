//! What declares, or may declare, the member outside the project.

use std::collections::BTreeSet;

use super::{Linking, MemberRow, OutsideMember, OverrideFamily, UnknownBase, UnknownFact};
use crate::family::{Family, has_types};
use crate::hierarchy::bases::Base;
use crate::hierarchy::heads::WrittenBase;
use crate::library_members::{JAVA_ROOT, MemberLookup, WantedMember, base_declares, root_class_with};
use crate::profiles::{LanguageProfile, Overriding};

/// Methods that every object of Java, C# or JavaScript has.
const OBJECT_METHODS: [&str; 16] = [
    "clone",
    "constructor",
    "equals",
    "Equals",
    "finalize",
    "Finalize",
    "GetHashCode",
    "GetType",
    "hasOwnProperty",
    "hashCode",
    "isPrototypeOf",
    "toJSON",
    "toLocaleString",
    "toString",
    "ToString",
    "valueOf",
];

impl Linking<'_, '_> {
    /// Adds what declares, or may declare, the member outside the project.
    pub(super) fn look_outside(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
        family: &mut OverrideFamily,
    ) {
        let add = |family: &mut OverrideFamily, class: usize, base: &str| {
            let class = self.graph.node(class).class.clone();
            family.outside_project.push(OutsideMember { class, base: base.to_owned() });
        };
        let by_name = WantedMember { name: self.name, parameters: None };
        let first = members.iter().next().map_or(0, |member| member.0);
        match self.rules().overriding {
            Overriding::PythonNames => {
                if self.name.starts_with("__") && self.name.ends_with("__") {
                    add(family, first, "Python itself");
                }
                for &class in around {
                    self.bases_outside(class, by_name, family);
                }
            }
            Overriding::EcmaNames => {
                if OBJECT_METHODS.contains(&self.name) {
                    add(family, first, "Object");
                }
                for class in self.above(members) {
                    self.bases_outside(class, by_name, family);
                }
            }
            Overriding::Keyword => self.nominal(members, family),
            Overriding::Traits => {
                for class in self.above(members) {
                    let node = self.graph.node(class);
                    for base in node.bases.iter().filter(|_| node.class.name().starts_with("impl")) {
                        base.outside.iter().for_each(|name| add(family, class, name));
                        if base.may_be_unfound {
                            self.unknown(class, &base.written, UnknownFact::Class, family);
                        }
                    }
                }
            }
            Overriding::None => {}
        }
        // Several members may lead to one class.
        let mut told: Vec<OutsideMember> = Vec::new();
        for one in std::mem::take(&mut family.outside_project) {
            let is_same =
                |known: &OutsideMember| known.base == one.base && known.class.is_same_declaration(&one.class);
            if !told.iter().any(is_same) {
                told.push(one);
            }
        }
        family.outside_project = told;
    }

    /// Covers languages in which a keyword marks an override.
    fn nominal(&self, members: &BTreeSet<MemberRow>, family: &mut OverrideFamily) {
        for &member in members {
            let Some(signature) = self.signature(member) else { continue };
            let above = self.graph.ancestors(member.0);
            let is_answered = || {
                let mut others =
                    members.iter().filter(|other| other.0 != member.0 && above.contains(&other.0));
                others.any(|&other| self.is_linked(member, other))
            };
            let is_objects = self.rules().has_root_class && OBJECT_METHODS.contains(&self.name);
            if (signature.overrides && !is_answered()) || (is_objects && !signature.is_own) {
                let names = above.iter().flat_map(|&at| self.graph.node(at).bases.iter());
                let names: Vec<String> = names.flat_map(|base| base.outside.clone()).collect();
                if !self.rules().has_root_class && names.is_empty() {
                    for &at in &above {
                        for base in self.graph.node(at).bases.iter() {
                            self.unknown(at, &base.written, UnknownFact::Class, family);
                        }
                    }
                    continue;
                }
                let parameters = signature.parameters.as_ref().map(Vec::len);
                let base = self.base_that_declares(member.0, WantedMember { name: self.name, parameters });
                let class = self.graph.node(member.0).class.clone();
                family.outside_project.push(OutsideMember { class, base });
                continue;
            }
            let wanted =
                WantedMember { name: self.name, parameters: signature.parameters.as_ref().map(Vec::len) };
            let is_required = LanguageProfile::of(&self.graph.node(member.0).class.file)
                .is_some_and(|it| it.requires_override);
            let mut cleared = BTreeSet::new();
            if signature.overrides {
                // A member without the keyword overrides nothing, so no base of its class declares the member
                // either.
                let is_first = |other: &&MemberRow| {
                    above.contains(&other.0)
                        && self.signature(**other).is_some_and(|it| !it.overrides)
                        && self.is_linked(member, **other)
                };
                let firsts = members.iter().filter(is_first);
                cleared = firsts.flat_map(|first| self.graph.ancestors(first.0)).collect();
            } else if is_required {
                cleared.extend(&above);
            }
            if signature.is_own {
                continue;
            }
            let open = above.iter().filter(|at| !cleared.contains(at));
            open.for_each(|&at| self.bases_outside(at, wanted, family));
            // A class below that inherits the member may be given it for a library's, too.
            for at in self.graph.descendants(member.0).into_iter().flat_map(|heir| self.graph.ancestors(heir))
            {
                if !cleared.contains(&at) && !above.contains(&at) {
                    self.bases_that_declare(at, wanted, family);
                }
            }
        }
    }

    /// Returns what declares a member of a class that overrides none of the project's: the class of all objects, the bases of it and the
    /// classes above outside the project that are known to declare it, or else those that may.
    fn base_that_declares(&self, class: usize, wanted: WantedMember) -> String {
        let root = root_class_with(wanted).filter(|_| self.resolver.family == Family::Jvm);
        if let Some(root) = root {
            let is_kotlin = has_types(&self.graph.node(class).class.file);
            return if is_kotlin { root } else { JAVA_ROOT.to_owned() };
        }
        let (mut declaring, mut possible) = (Vec::new(), Vec::new());
        for at in self.graph.ancestors(class) {
            for base in self.graph.node(at).bases.iter() {
                for named in &base.outside {
                    match self.declared_by(at, base, named, wanted) {
                        MemberLookup::Yes(by) => declaring.push(by),
                        MemberLookup::No => {}
                        MemberLookup::Unknown => possible.push(named.clone()),
                    }
                }
            }
        }
        declaring.dedup();
        match (declaring.is_empty(), possible.is_empty()) {
            (false, _) => declaring.join(", "),
            (true, false) => possible.join(" or "),
            (true, true) if self.rules().has_root_class && OBJECT_METHODS.contains(&self.name) => {
                "the base of all classes".to_owned()
            }
            (true, true) => "a class above it that is not found".to_owned(),
        }
    }

    /// Adds those bases of one class that are known to declare the member outside the project.
    fn bases_that_declare(&self, class: usize, wanted: WantedMember, family: &mut OverrideFamily) {
        let node = self.graph.node(class);
        for base in node.bases.iter() {
            for name in &base.outside {
                if let MemberLookup::Yes(base) = self.declared_by(class, base, name, wanted) {
                    family.outside_project.push(OutsideMember { class: node.class.clone(), base });
                }
            }
        }
    }

    /// Whether a base of a class, which is called `named` outside the project, declares the member.
    fn declared_by(&self, class: usize, base: &Base, named: &str, wanted: WantedMember) -> MemberLookup {
        let here = self.resolver.read_file(&self.graph.node(class).class.file);
        here.map_or(MemberLookup::Unknown, |here| {
            base_declares(self.resolver, &here, (&base.written, named), wanted)
        })
    }

    /// Adds the bases of one class that lie, or may lie, outside the project.
    fn bases_outside(&self, class: usize, wanted: WantedMember, family: &mut OverrideFamily) {
        let node = self.graph.node(class);
        // An interface that a decorator names before the class declares no private names.
        let is_private = self.rules().underscored_are_private && self.name.starts_with('_');
        let name_start = node.class.row().map_or(0, |(_, row)| row.name_start);
        let bases = node.bases.iter().filter(|base| !is_private || base.written.range.start > name_start);
        for base in bases {
            let said = self.settled.get(&(node.class.file.path.clone(), base.written.range.start));
            if let Some(said) = said.filter(|said| said.is_known || said.declares.is_some()) {
                let outside = said.declares.clone();
                family
                    .outside_project
                    .extend(outside.map(|base| OutsideMember { class: node.class.clone(), base }));
                continue;
            }
            for name in &base.outside {
                match self.declared_by(class, base, name, wanted) {
                    MemberLookup::No => {}
                    MemberLookup::Yes(base) => {
                        family.outside_project.push(OutsideMember { class: node.class.clone(), base });
                    }
                    MemberLookup::Unknown => self.unknown(class, &base.written, UnknownFact::Members, family),
                }
            }
            if base.may_be_unfound {
                self.unknown(class, &base.written, UnknownFact::Class, family);
            }
        }
    }

    pub(super) fn unknown(
        &self,
        class: usize,
        written: &WrittenBase,
        what: UnknownFact,
        family: &mut OverrideFamily,
    ) {
        let node = self.graph.node(class);
        let is_known =
            |one: &UnknownBase| one.written == *written && one.class.is_same_declaration(&node.class);
        if family.unknown.iter().any(is_known) {
            return;
        }
        let base = node.bases.iter().find(|base| base.written == *written);
        let full = base.and_then(|base| base.outside.first()).filter(|_| what == UnknownFact::Members);
        let there = || {
            let here = self.resolver.read_file(&node.class.file)?;
            let text = here.text.as_str().get(written.range.as_range())?;
            Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let name = full.cloned().or_else(|| (!written.is_computed()).then(|| written.chain.clone()));
        let name = name.or_else(there).unwrap_or_default();
        let (class, written) = (node.class.clone(), written.clone());
        family.unknown.push(UnknownBase { class, written, name, fact: what });
    }
}
