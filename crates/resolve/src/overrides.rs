//! The declarations that are linked to a member by overriding. For each class, the members that it and its
//! ancestors declare are linked; so two bases of one class are, though neither knows the other. Computed to a
//! fixpoint over the project. Invariant: a base that possibly declares the member is reported, never skipped.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::classes::is_class;
use super::computed_names::computed_names;
use super::context::{Receiver, receiver, text_before};
use super::dynamic_classes::{DynamicClass, find_dynamic_classes};
use super::family::Family;
use super::graph::{ClassGraph, ClassNode};
use super::graph_by_need::Kin;
use super::heads::WrittenBase;
use super::meaning::Meaning;
use super::profiles::{LanguageProfile, MemberRules, Overriding};
use super::python_classes::{MemberLookup, lookup_member};
use super::resolver::Resolver;
use super::scope::own_class;
use super::signature::MemberHead;
use super::sources::{IndexedDeclaration, Sources};
use super::stand_ins::{StandIn, stand_ins};
use super::structural::{satisfied_protocols, structural_subtypes};
use super::subclasses::may_be_one_of;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::SymbolKind;

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

/// The family of a member: the declarations that are linked to it, and what may be linked.
#[derive(Clone, Debug, Default)]
pub struct OverrideFamily {
    /// All declarations of the member, in path order, then by position; the target is among them.
    pub members: Vec<IndexedDeclaration>,
    /// Members in classes that inherit from the target's class.
    pub in_subclasses: Vec<IndexedDeclaration>,
    /// Members in classes from which the target's class inherits.
    pub in_base_classes: Vec<IndexedDeclaration>,
    /// Evidence that something outside the project certainly declares the member too.
    pub outside_project: Vec<OutsideMember>,
    /// Classes whose member overrides one of the project's, and may also override one of a base outside the
    /// project.
    pub maybe_outside_project: Vec<OutsideMember>,
    /// Bases of which the project's text does not determine what they are, or what they declare.
    pub unknown: Vec<UnknownBase>,
    /// Classes that possibly inherit from the target's class, and that declare the member or have subclasses
    /// that do.
    pub possible_subclasses: Vec<IndexedDeclaration>,
    /// Calls that create a class that inherits, or may inherit, from the target's class.
    pub dynamic: Vec<DynamicClass>,
    /// Uses of the member through `super()` in classes of the family: whichever class comes next is of the
    /// family too.
    pub through_super: Vec<(RelPath, TextRange)>,
    /// Places where classes of the family access members by computed names that may be this member's.
    pub by_computed_name: Vec<(RelPath, TextRange)>,
    /// Types that have every member of the interface, or protocol, that declares the member, without naming
    /// it as a base.
    pub structural: Vec<IndexedDeclaration>,
    /// Protocols that have the member, and that a class of the family satisfies without naming them as a
    /// base. Python alone.
    pub satisfied_protocols: Vec<IndexedDeclaration>,
    /// Members of the same name in classes that may be used in place of one of the family, as they declare
    /// the same members.
    pub stand_ins: Vec<StandIn>,
}

/// A member that overrides something outside the project.
#[derive(Clone, Debug)]
pub struct OutsideMember {
    /// The class that inherits the member.
    pub class: IndexedDeclaration,
    /// What declares the member: `threading.Thread`.
    pub base: String,
}

/// A base in a class's head that may declare the member.
#[derive(Clone, Debug)]
pub struct UnknownBase {
    pub class: IndexedDeclaration,
    /// The base as written in the head.
    pub written: WrittenBase,
    /// The name of the base, as far as it is known: `werkzeug.test.Client`, `make(Base)`.
    pub name: String,
    pub fact: UnknownFact,
}

/// The unknown fact about a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownFact {
    /// Whether the base, which is a class outside the project, declares the member.
    Members,
    /// Which class the base is.
    Class,
}

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

/// Finds the family of `target`: the target alone, if it is not a member of a class. `settled` holds the
/// answers that a server has given about bases.
pub fn overrides(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    settled: &ServerBases,
    cancel: &Cancel,
) -> Result<OverrideFamily, Cancelled> {
    cancel.check()?;
    let alone = OverrideFamily { members: vec![target.clone()], ..OverrideFamily::default() };
    let Some(family) = Family::of(&target.file) else { return Ok(alone) };
    let resolver = Resolver::new(sources, family, cancel);
    // A class without a name may stand between the target and the container that the index has for it.
    let target = &resolver.refreshed(target);
    let Some(class) = class_of(&resolver, target)? else { return Ok(alone) };
    let name = target.name();
    // Python mangles such a name, so that it belongs to this class alone.
    if family.profile().members.mangles_private && name.starts_with("__") && !name.ends_with("__") {
        let members = own_member_rows(&class, name).into_iter().map(|row| of(&class, row)).collect();
        return Ok(OverrideFamily { members, ..OverrideFamily::default() });
    }
    // Servers say of which classes a class inherits that no text names.
    let mut graph = match settled.is_empty() {
        true => ClassGraph::of_kin(&resolver, std::slice::from_ref(&class), Kin::OfMember(name))?,
        false => ClassGraph::read(&resolver)?,
    };
    for from in 0..graph.iter().count() {
        for to in settled_classes(&graph, graph.node(from), settled) {
            graph.link(from, to);
        }
    }
    let Some(number) = graph.number(&class) else { return Ok(alone) };
    let linking = Linking { resolver: &resolver, graph: &graph, name, settled };
    let mut family = linking.family(number, target)?;
    if let Some(base) = resolver.kotlin().outside_actual(&class) {
        family.outside_project.push(OutsideMember { class, base });
    }
    Ok(family)
}

/// Returns the class of which the target is a member that can override another.
fn class_of(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Option<IndexedDeclaration>, Cancelled> {
    let Some((outline, row)) = target.row() else { return Ok(None) };
    // A constructor that has its class's name overrides nothing.
    let is_class_named =
        row.kind() == SymbolKind::Constructor && resolver.profile.members.constructors.have_class_name;
    if row.is_local() || is_class_named {
        return Ok(None);
    }
    if let Some(parent) = row.parent() {
        let holds = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Namespace);
        let is_holder =
            !holds(outline.rows[parent].kind()) && outline.rows[parent].kind() != SymbolKind::Module;
        return Ok(is_holder.then(|| of(target, parent)));
    }
    // C++'s `int Class::member() { … }`
    if !resolver.profile.members.are_defined_outside {
        return Ok(None);
    }
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let left = text_before(here.text.as_str(), row.name_start as usize, resolver.family);
    let Some(qualifier) = left.strip_suffix("::") else { return Ok(None) };
    let classes = resolver.declared(super::context::last_word(qualifier))?;
    let mut classes = classes.iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row)));
    match (classes.next(), classes.next()) {
        (Some(only), None) => Ok(Some(only.clone())),
        _ => Ok(None),
    }
}

fn of(target: &IndexedDeclaration, row: usize) -> IndexedDeclaration {
    IndexedDeclaration { file: target.file.clone(), row }
}

/// Returns the rows of a class's own members of a name.
pub(super) fn own_member_rows(class: &IndexedDeclaration, name: &str) -> Vec<usize> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    if !outline.occurrences.contains(name) {
        return Vec::new();
    }
    let inside = class.row + 1..=class.row + row.descendants as usize;
    let is_own = |&at: &usize| {
        outline.rows[at].parent() == Some(class.row)
            && !outline.rows[at].is_local()
            && outline.name(&outline.rows[at]) == name
    };
    inside.filter(is_own).collect()
}

/// Returns the classes that, according to a server, are the bases of `node`.
fn settled_classes(graph: &ClassGraph, node: &ClassNode, settled: &ServerBases) -> Vec<usize> {
    let said = node
        .bases
        .iter()
        .filter_map(|base| settled.get(&(node.class.file.path.clone(), base.written.range.start)));
    said.flat_map(|said| &said.classes).filter_map(|(path, at)| graph.named_at(path, *at)).collect()
}

/// The search for one member's family.
struct Linking<'p, 's> {
    resolver: &'p Resolver<'s>,
    graph: &'p ClassGraph,
    name: &'p str,
    settled: &'p ServerBases,
}

/// A declaration, by the number of its class and its row.
type MemberRow = (usize, usize);

impl Linking<'_, '_> {
    fn family(&self, class: usize, target: &IndexedDeclaration) -> Result<OverrideFamily, Cancelled> {
        let own = own_member_rows(&self.graph.node(class).class, self.name);
        let start: Vec<usize> = match self.rules().has_overloads {
            true if own.contains(&target.row) => vec![target.row],
            // A definition outside of the class may belong to any of the declarations inside.
            _ => own,
        };
        let mut members: BTreeSet<MemberRow> = start.into_iter().map(|row| (class, row)).collect();
        let mut open: Vec<MemberRow> = members.iter().copied().collect();
        let mut around = BTreeSet::new();
        while let Some(member) = open.pop() {
            self.resolver.cancel.check()?;
            for heir in self.graph.descendants(member.0) {
                for kin in self.graph.ancestors(heir) {
                    around.insert(kin);
                    for row in own_member_rows(&self.graph.node(kin).class, self.name) {
                        if self.is_linked(member, (kin, row)) && members.insert((kin, row)) {
                            open.push((kin, row));
                        }
                    }
                }
            }
        }
        let declared = members.iter().map(|&(class, row)| of(&self.graph.node(class).class, row));
        let mut family = OverrideFamily { members: declared.collect(), ..OverrideFamily::default() };
        if !family.members.iter().any(|one| one.is_same_declaration(target)) {
            family.members.push(target.clone());
        }
        sort(&mut family.members);
        self.look_outside(&members, &around, &mut family);
        self.look_beside(&members, &mut family)?;
        family.structural = self.alike(&members, &around)?;
        family.satisfied_protocols =
            satisfied_protocols(self.resolver, self.graph, self.name, (&members, &around));
        let mut known = around.clone();
        known.extend(
            family
                .structural
                .iter()
                .chain(&family.satisfied_protocols)
                .filter_map(|class| self.graph.number(class)),
        );
        family.stand_ins = stand_ins(self.resolver, self.graph, self.name, (&around, &known));
        let heirs: BTreeSet<usize> = self.graph.descendants(class).into_iter().collect();
        let below = members.iter().filter(|member| member.0 != class && heirs.contains(&member.0));
        family.in_subclasses = below.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.in_subclasses);
        let forebears: BTreeSet<usize> = self.graph.ancestors(class).into_iter().collect();
        let above = members.iter().filter(|member| member.0 != class && forebears.contains(&member.0));
        family.in_base_classes = above.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.in_base_classes);
        family.possible_subclasses = self.may_be_below(&heirs, &forebears)?;
        family.dynamic = find_dynamic_classes(self.resolver, self.graph, &heirs)?;
        family.through_super = self.through_super(&around);
        if self.resolver.profile.is_dynamic {
            let classes = around.iter().map(|&at| &self.graph.node(at).class);
            family.by_computed_name =
                classes.flat_map(|class| computed_names(self.resolver, class, self.name)).collect();
            family.by_computed_name.sort();
            family.by_computed_name.dedup();
        }
        Ok(family)
    }

    fn rules(&self) -> &'static MemberRules {
        &self.resolver.profile.members
    }

    fn is_class(&self, (class, row): MemberRow) -> bool {
        of(&self.graph.node(class).class, row).row().is_some_and(|(_, row)| is_class(row))
    }

    fn signature(&self, (class, row): MemberRow) -> Option<MemberHead> {
        let here = self.resolver.read_file(&self.graph.node(class).class.file)?;
        Some(MemberHead::read(&here, self.rules(), row))
    }

    /// Whether one of two members can override the other, given that some class inherits from the classes of
    /// both.
    fn is_linked(&self, one: MemberRow, other: MemberRow) -> bool {
        if !self.rules().has_overloads || one == other {
            return true;
        }
        // A nested class overrides nothing.
        if self.is_class(one) || self.is_class(other) {
            return false;
        }
        let (Some(first), Some(second)) = (self.signature(one), self.signature(other)) else { return true };
        if first.is_own || second.is_own || !first.has_arity_of(&second) || one.0 == other.0 {
            return false;
        }
        // Type arguments may replace type parameters: `T` in the base, `String` in the class.
        let is_only = |member: MemberRow, of: &MemberHead| {
            let rows = own_member_rows(&self.graph.node(member.0).class, self.name);
            let alike = |row: &usize| self.signature((member.0, *row)).is_some_and(|it| it.has_arity_of(of));
            rows.iter().filter(|row| alike(row)).count() == 1
        };
        first.parameters == second.parameters
            || (first.overrides || second.overrides) && is_only(one, &first) && is_only(other, &second)
    }

    /// Adds what declares, or may declare, the member outside the project.
    fn look_outside(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
        family: &mut OverrideFamily,
    ) {
        let add = |family: &mut OverrideFamily, class: usize, base: &str| {
            let class = self.graph.node(class).class.clone();
            family.outside_project.push(OutsideMember { class, base: base.to_owned() });
        };
        let first = members.iter().next().map_or(0, |member| member.0);
        match self.rules().overriding {
            Overriding::PythonNames => {
                if self.name.starts_with("__") && self.name.ends_with("__") {
                    add(family, first, "Python itself");
                }
                for &class in around {
                    self.bases_outside(class, family);
                }
            }
            Overriding::EcmaNames => {
                if OBJECT_METHODS.contains(&self.name) {
                    add(family, first, "Object");
                }
                for class in self.above(members) {
                    self.bases_outside(class, family);
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
    }

    /// Returns the classes of the members and all classes that they inherit from.
    fn above(&self, members: &BTreeSet<MemberRow>) -> BTreeSet<usize> {
        members.iter().flat_map(|member| self.graph.ancestors(member.0)).collect()
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
                let base =
                    if names.is_empty() { "the base of all classes".to_owned() } else { names.join(", ") };
                let class = self.graph.node(member.0).class.clone();
                family.outside_project.push(OutsideMember { class, base });
                continue;
            }
            if signature.overrides {
                // A member without the keyword overrides nothing, so no base of its class declares the member
                // either.
                let is_first = |other: &&MemberRow| {
                    above.contains(&other.0)
                        && self.signature(**other).is_some_and(|it| !it.overrides)
                        && self.is_linked(member, **other)
                };
                let firsts = members.iter().filter(is_first);
                let settled: BTreeSet<usize> =
                    firsts.flat_map(|first| self.graph.ancestors(first.0)).collect();
                let open = above.iter().filter(|at| !settled.contains(at));
                let outside = open.flat_map(|&at| self.graph.node(at).bases.iter());
                let outside: Vec<String> = outside.flat_map(|base| base.outside.clone()).collect();
                if !outside.is_empty() {
                    let (class, base) = (self.graph.node(member.0).class.clone(), outside.join(", "));
                    family.maybe_outside_project.push(OutsideMember { class, base });
                }
            }
            let is_required = LanguageProfile::of(&self.graph.node(member.0).class.file)
                .is_some_and(|it| it.requires_override);
            if !signature.overrides && !signature.is_own && !is_required {
                above.into_iter().for_each(|class| self.bases_outside(class, family));
            }
        }
    }

    /// Adds the bases of one class that lie, or may lie, outside the project.
    fn bases_outside(&self, class: usize, family: &mut OverrideFamily) {
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
                let listed = match self.resolver.profile.bases.knows_library {
                    true => lookup_member(name, self.name),
                    false => MemberLookup::Unknown,
                };
                match listed {
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

    fn unknown(&self, class: usize, written: &WrittenBase, what: UnknownFact, family: &mut OverrideFamily) {
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

    /// Adds the doubtful bases of classes that declare the member too and may, through such a base, inherit
    /// from a class of the family.
    fn look_beside(
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
    fn may_be_below(
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

    /// Finds uses of the name through `super()` in these classes. A class that inherits from several
    /// determines which class comes next; all candidates are of the family.
    fn through_super(&self, classes: &BTreeSet<usize>) -> Vec<(RelPath, TextRange)> {
        let mut found = Vec::new();
        for class in classes.iter().map(|&at| &self.graph.node(at).class) {
            let Some((outline, row)) = class.row() else { continue };
            if !self.rules().super_depends_on_subclass || !outline.occurrences.contains(self.name) {
                continue;
            }
            let Some(here) = self.resolver.read_file(&class.file) else { continue };
            let length = u32::try_from(self.name.len()).unwrap_or(u32::MAX);
            let places = here.outline.occurrences.offsets_of(self.name);
            for start in places.filter(|&start| row.start <= start && start < row.end) {
                let range = TextRange::new(start, start.saturating_add(length));
                let is_own = match own_class(&here, start) {
                    Meaning::Declared(around) => around.iter().any(|one| one.is_same_declaration(class)),
                    _ => false,
                };
                let text = here.text.as_str();
                if is_own
                    && here.text.slice(range) == self.name
                    && receiver(text, start as usize, self.resolver.family) == Receiver::Super
                {
                    found.push((class.file.path.clone(), range));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns types that satisfy an interface of the family without inheriting from it.
    fn alike(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
    ) -> Result<Vec<IndexedDeclaration>, Cancelled> {
        let mut all = Vec::new();
        for class in members.iter().map(|member| member.0).collect::<BTreeSet<usize>>() {
            all.extend(structural_subtypes(self.resolver, self.graph, class, around)?);
        }
        sort(&mut all);
        Ok(all)
    }
}

/// Returns the names of a class's own members, without those that begin with two underscores.
pub(super) fn own_names(class: &IndexedDeclaration) -> Vec<String> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    let inside = class.row + 1..=class.row + row.descendants as usize;
    let own = inside.filter(|&at| outline.rows[at].parent() == Some(class.row));
    let names = own.map(|at| outline.name(&outline.rows[at])).filter(|name| !name.starts_with("__"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Sorts the targets by path, then by position, and removes duplicates.
pub(super) fn sort(targets: &mut Vec<IndexedDeclaration>) {
    targets.sort_by(|a, b| (&a.file.path, a.row).cmp(&(&b.file.path, b.row)));
    targets.dedup_by(|a, b| a.is_same_declaration(b));
}
