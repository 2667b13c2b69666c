//! The declarations that are linked to a member by overriding. For each class, all of it and its ancestors that declare the
//! member are linked: so two bases of one class are, though neither knows the other. To a fixpoint over the project.
//! Invariant: a base of which it is not known whether it declares the member is told, never passed over.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::classes::is_class;
use super::computed_names::computed_names;
use super::context::{Receiver, before, receiver};
use super::family::Family;
use super::graph::{ClassGraph, ClassNode};
use super::heads::WrittenBase;
use super::heirs::may_be_one_of;
use super::made_classes::{MadeClass, made_classes};
use super::meaning::Meaning;
use super::project::Project;
use super::python_classes::{Declares, declares};
use super::scope::own_class;
use super::signature::MemberHead;
use super::sources::{Sources, Target};
use super::stand_ins::{StandIn, stand_ins};
use super::structural::{alike, protocols_met};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::SymbolKind;

/// Methods that every object of Java, C# or JavaScript has.
const OF_EVERY_OBJECT: [&str; 16] = [
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

/// What is linked to a member.
#[derive(Clone, Debug, Default)]
pub struct OverrideFamily {
    /// All declarations of it, in path order, then by position; the asked one is among them.
    pub members: Vec<Target>,
    /// Those of them in classes that inherit from the asked one's.
    pub below: Vec<Target>,
    /// Those in classes from which the asked one's inherits.
    pub above: Vec<Target>,
    /// Why it is known that something outside the project declares it too.
    pub outside: Vec<OutsideMember>,
    /// Classes whose member overrides one of the project's, and may override one of a base outside besides.
    pub perhaps_outside: Vec<OutsideMember>,
    /// Bases of which the project's text does not tell what they declare, or what they are.
    pub unknown: Vec<UnknownBase>,
    /// Classes of which it is not known whether they inherit from the asked one's, and that declare the member, or whose heirs do.
    pub may_be_below: Vec<Target>,
    /// Calls that make a class which inherits from the asked one's, or may.
    pub made: Vec<MadeClass>,
    /// Where the members are used through `super()` in classes of the family: whatever comes next there is of the family.
    pub through_super: Vec<(RelPath, TextRange)>,
    /// Where classes of the family reach members by names that the program computes, which may be this one.
    pub by_computed_name: Vec<(RelPath, TextRange)>,
    /// Types that have every member of the interface, or protocol, whose member it is, without naming it as a base.
    pub alike: Vec<Target>,
    /// Protocols that have the member, and that a class of the family meets without naming them as a base. Python alone.
    pub met: Vec<Target>,
    /// Members of the same name in classes that may be used in place of one of these, as they declare what these do.
    pub stand_ins: Vec<StandIn>,
}

/// A member that overrides something outside the project.
#[derive(Clone, Debug)]
pub struct OutsideMember {
    /// The class that inherits it.
    pub class: Target,
    /// What declares it: `threading.Thread`.
    pub base: String,
}

/// A base in a class's head that may declare the member.
#[derive(Clone, Debug)]
pub struct UnknownBase {
    /// The class.
    pub class: Target,
    /// The base as it stands there.
    pub written: WrittenBase,
    /// What it is called, as far as it is known: `werkzeug.test.Client`, `make(Base)`.
    pub name: String,
    /// What is not known.
    pub what: Unknown,
}

/// What is not known of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// It is a class outside the project: whether that declares the member.
    Members,
    /// Which class it is.
    Class,
}

/// What a server said of bases in heads, by where they stand.
pub type SettledBases = HashMap<(RelPath, u32), SettledBase>;

/// What a server said of one base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettledBase {
    /// Classes of the project that it is: file, and where the name begins.
    pub classes: Vec<(RelPath, u32)>,
    /// A class outside the project that declares the member.
    pub declares: Option<String>,
    /// Whether that is all that it may be.
    pub is_known: bool,
}

/// Finds what is linked to `target`. Of what is no member of a class nothing is.
pub fn overrides(
    sources: &dyn Sources,
    target: &Target,
    settled: &SettledBases,
    cancel: &Cancel,
) -> Result<OverrideFamily, Cancelled> {
    cancel.check()?;
    let alone = OverrideFamily { members: vec![target.clone()], ..OverrideFamily::default() };
    let Some(family) = Family::of(&target.file) else { return Ok(alone) };
    let project = Project::new(sources, family, cancel);
    // A class without a name may stand between it and what the index has for its container.
    let at_hand = project.at_hand(std::slice::from_ref(target));
    let target = at_hand.first().unwrap_or(target);
    let Some(class) = class_of(&project, target)? else { return Ok(alone) };
    let name = target.name();
    // Python makes such a name one of the class's own.
    if family == Family::Python && name.starts_with("__") && !name.ends_with("__") {
        let members = rows(&class, name).into_iter().map(|row| of(&class, row)).collect();
        return Ok(OverrideFamily { members, ..OverrideFamily::default() });
    }
    let mut graph = ClassGraph::read(&project)?;
    for from in 0..graph.iter().count() {
        for to in settled_classes(&graph, graph.node(from), settled) {
            graph.link(from, to);
        }
    }
    let Some(class) = graph.number(&class) else { return Ok(alone) };
    let linking = Linking { project: &project, graph: &graph, name, settled };
    linking.family(class, target)
}

/// The class whose member it is.
fn class_of(project: &Project, target: &Target) -> Result<Option<Target>, Cancelled> {
    let Some((outline, row)) = target.row() else { return Ok(None) };
    if row.is_local() {
        return Ok(None);
    }
    if let Some(parent) = row.parent() {
        let holds = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Namespace);
        let is_holder =
            !holds(outline.rows[parent].kind()) && outline.rows[parent].kind() != SymbolKind::Module;
        return Ok(is_holder.then(|| of(target, parent)));
    }
    // C++'s `int Class::member() { … }`
    if project.family != Family::C {
        return Ok(None);
    }
    let Some(here) = project.here(&target.file) else { return Ok(None) };
    let left = before(here.text.as_str(), row.name_start as usize, project.family);
    let Some(qualifier) = left.strip_suffix("::") else { return Ok(None) };
    let classes = project.declared(super::context::last_word(qualifier))?;
    let mut classes = classes.iter().filter(|one| one.row().is_some_and(|(_, row)| is_class(row)));
    match (classes.next(), classes.next()) {
        (Some(only), None) => Ok(Some(only.clone())),
        _ => Ok(None),
    }
}

fn of(target: &Target, row: usize) -> Target {
    Target { file: target.file.clone(), row }
}

/// The rows of a class's own members of a name.
pub(super) fn rows(class: &Target, name: &str) -> Vec<usize> {
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

/// The classes that a server said the bases of `node` to be.
fn settled_classes(graph: &ClassGraph, node: &ClassNode, settled: &SettledBases) -> Vec<usize> {
    let said = node
        .bases
        .iter()
        .filter_map(|base| settled.get(&(node.class.file.path.clone(), base.written.range.start)));
    said.flat_map(|said| &said.classes).filter_map(|(path, at)| graph.named_at(path, *at)).collect()
}

/// The search for one member's family.
struct Linking<'p, 's> {
    project: &'p Project<'s>,
    graph: &'p ClassGraph,
    name: &'p str,
    settled: &'p SettledBases,
}

/// A declaration: the class's number, the row.
type MemberRow = (usize, usize);

impl Linking<'_, '_> {
    fn family(&self, class: usize, target: &Target) -> Result<OverrideFamily, Cancelled> {
        let own = rows(&self.graph.node(class).class, self.name);
        let start: Vec<usize> = match self.has_overloads() {
            true if own.contains(&target.row) => vec![target.row],
            // The definition outside of the class: all that it may be declared as.
            _ => own,
        };
        let mut members: BTreeSet<MemberRow> = start.into_iter().map(|row| (class, row)).collect();
        let mut open: Vec<MemberRow> = members.iter().copied().collect();
        let mut around = BTreeSet::new();
        while let Some(member) = open.pop() {
            self.project.cancel.check()?;
            for heir in self.graph.descendants(member.0) {
                for kin in self.graph.ancestors(heir) {
                    around.insert(kin);
                    for row in rows(&self.graph.node(kin).class, self.name) {
                        if self.is_linked(member, (kin, row)) && members.insert((kin, row)) {
                            open.push((kin, row));
                        }
                    }
                }
            }
        }
        let declared = members.iter().map(|&(class, row)| of(&self.graph.node(class).class, row));
        let mut family = OverrideFamily { members: declared.collect(), ..OverrideFamily::default() };
        if !family.members.iter().any(|one| one.is(target)) {
            family.members.push(target.clone());
        }
        sort(&mut family.members);
        self.look_outside(&members, &around, &mut family);
        self.look_beside(&members, &mut family)?;
        family.alike = self.alike(&members, &around)?;
        family.met = protocols_met(self.project, self.graph, self.name, (&members, &around));
        let mut known = around.clone();
        known.extend(family.alike.iter().chain(&family.met).filter_map(|class| self.graph.number(class)));
        family.stand_ins = stand_ins(self.project, self.graph, self.name, (&around, &known));
        let heirs: BTreeSet<usize> = self.graph.descendants(class).into_iter().collect();
        let below = members.iter().filter(|member| member.0 != class && heirs.contains(&member.0));
        family.below = below.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.below);
        let forebears: BTreeSet<usize> = self.graph.ancestors(class).into_iter().collect();
        let above = members.iter().filter(|member| member.0 != class && forebears.contains(&member.0));
        family.above = above.map(|&(class, row)| of(&self.graph.node(class).class, row)).collect();
        sort(&mut family.above);
        family.may_be_below = self.may_be_below(&heirs, &forebears)?;
        family.made = made_classes(self.project, self.graph, &heirs)?;
        family.through_super = self.through_super(&around);
        if self.project.family == Family::Python {
            let classes = around.iter().map(|&at| &self.graph.node(at).class);
            family.by_computed_name =
                classes.flat_map(|class| computed_names(self.project, class, self.name)).collect();
            family.by_computed_name.sort();
            family.by_computed_name.dedup();
        }
        Ok(family)
    }

    /// Whether one class may have several members of a name that have nothing to do with each other.
    fn has_overloads(&self) -> bool {
        matches!(self.project.family, Family::Jvm | Family::CSharp | Family::C)
    }

    fn signature(&self, (class, row): MemberRow) -> Option<MemberHead> {
        let here = self.project.here(&self.graph.node(class).class.file)?;
        Some(MemberHead::read(&here, self.project.family, row))
    }

    /// Whether of two members, whose classes some class inherits from both, one can override the other.
    fn is_linked(&self, one: MemberRow, other: MemberRow) -> bool {
        if !self.has_overloads() || one == other {
            return true;
        }
        let (Some(first), Some(second)) = (self.signature(one), self.signature(other)) else { return true };
        if first.is_own || second.is_own || !first.has_arity_of(&second) || one.0 == other.0 {
            return false;
        }
        // Arguments of types may stand for one another: `T` in the base, `String` in the class.
        let is_only = |member: MemberRow, of: &MemberHead| {
            let rows = rows(&self.graph.node(member.0).class, self.name);
            let alike = |row: &usize| self.signature((member.0, *row)).is_some_and(|it| it.has_arity_of(of));
            rows.iter().filter(|row| alike(row)).count() == 1
        };
        first.parameters == second.parameters
            || (first.overrides || second.overrides) && is_only(one, &first) && is_only(other, &second)
    }

    /// What outside the project declares the member, or may.
    fn look_outside(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
        family: &mut OverrideFamily,
    ) {
        let add = |family: &mut OverrideFamily, class: usize, base: &str| {
            let class = self.graph.node(class).class.clone();
            family.outside.push(OutsideMember { class, base: base.to_owned() });
        };
        let first = members.iter().next().map_or(0, |member| member.0);
        match self.project.family {
            Family::Python => {
                if self.name.starts_with("__") && self.name.ends_with("__") {
                    add(family, first, "Python itself");
                }
                for &class in around {
                    self.bases_outside(class, family);
                }
            }
            Family::Ecma => {
                if OF_EVERY_OBJECT.contains(&self.name) {
                    add(family, first, "Object");
                }
                for class in self.above(members) {
                    self.bases_outside(class, family);
                }
            }
            Family::Jvm | Family::CSharp | Family::C => self.nominal(members, family),
            Family::Rust => {
                // All that an `impl` of a trait holds is the trait's.
                for class in self.above(members) {
                    let node = self.graph.node(class);
                    for base in node.bases.iter().filter(|_| node.class.name().starts_with("impl")) {
                        base.outside.iter().for_each(|name| add(family, class, name));
                        if base.is_open {
                            self.unknown(class, &base.written, Unknown::Class, family);
                        }
                    }
                }
            }
            Family::Go => {}
        }
    }

    /// The classes of the members and all that they inherit from.
    fn above(&self, members: &BTreeSet<MemberRow>) -> BTreeSet<usize> {
        members.iter().flat_map(|member| self.graph.ancestors(member.0)).collect()
    }

    /// Languages in which a word says that a member overrides something: what has it, and nothing in the project to
    /// override, overrides something else.
    fn nominal(&self, members: &BTreeSet<MemberRow>, family: &mut OverrideFamily) {
        for &member in members {
            let Some(signature) = self.signature(member) else { continue };
            let above = self.graph.ancestors(member.0);
            let is_answered = || {
                let mut others =
                    members.iter().filter(|other| other.0 != member.0 && above.contains(&other.0));
                others.any(|&other| self.is_linked(member, other))
            };
            // C++ has no base of all classes.
            let is_objects = self.project.family != Family::C && OF_EVERY_OBJECT.contains(&self.name);
            if (signature.overrides && !is_answered()) || (is_objects && !signature.is_own) {
                let names = above.iter().flat_map(|&at| self.graph.node(at).bases.iter());
                let names: Vec<String> = names.flat_map(|base| base.outside.clone()).collect();
                if self.project.family == Family::C && names.is_empty() {
                    for &at in &above {
                        for base in self.graph.node(at).bases.iter() {
                            self.unknown(at, &base.written, Unknown::Class, family);
                        }
                    }
                    continue;
                }
                let base =
                    if names.is_empty() { "the base of all classes".to_owned() } else { names.join(", ") };
                let class = self.graph.node(member.0).class.clone();
                family.outside.push(OutsideMember { class, base });
                continue;
            }
            if signature.overrides {
                // What is declared without the word overrides nothing, neither do the classes above it.
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
                    family.perhaps_outside.push(OutsideMember { class, base });
                }
            }
            // Kotlin demands the word; the others do not, of interfaces or at all.
            let is_kotlin =
                self.graph.node(member.0).class.file.grammar().is_some_and(|it| it.name() == "kotlin");
            if !signature.overrides && !signature.is_own && !is_kotlin {
                above.into_iter().for_each(|class| self.bases_outside(class, family));
            }
        }
    }

    /// The bases of one class that lie outside the project, or may.
    fn bases_outside(&self, class: usize, family: &mut OverrideFamily) {
        let node = self.graph.node(class);
        // An interface, which a decorator names before the class, declares no private names.
        let is_private = self.project.family == Family::Python && self.name.starts_with('_');
        let name_start = node.class.row().map_or(0, |(_, row)| row.name_start);
        let bases = node.bases.iter().filter(|base| !is_private || base.written.range.start > name_start);
        for base in bases {
            let said = self.settled.get(&(node.class.file.path.clone(), base.written.range.start));
            if let Some(said) = said.filter(|said| said.is_known || said.declares.is_some()) {
                let outside = said.declares.clone();
                family.outside.extend(outside.map(|base| OutsideMember { class: node.class.clone(), base }));
                continue;
            }
            for name in &base.outside {
                match declares(name, self.name) {
                    Declares::No if self.project.family == Family::Python => {}
                    Declares::Yes(base) if self.project.family == Family::Python => {
                        family.outside.push(OutsideMember { class: node.class.clone(), base });
                    }
                    _ => self.unknown(class, &base.written, Unknown::Members, family),
                }
            }
            if base.is_open {
                self.unknown(class, &base.written, Unknown::Class, family);
            }
        }
    }

    fn unknown(&self, class: usize, written: &WrittenBase, what: Unknown, family: &mut OverrideFamily) {
        let node = self.graph.node(class);
        let is_known = |one: &UnknownBase| one.written == *written && one.class.is(&node.class);
        if family.unknown.iter().any(is_known) {
            return;
        }
        let base = node.bases.iter().find(|base| base.written == *written);
        let full = base.and_then(|base| base.outside.first()).filter(|_| what == Unknown::Members);
        let there = || {
            let here = self.project.here(&node.class.file)?;
            let text = here.text.as_str().get(written.range.as_range())?;
            Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let name = full.cloned().or_else(|| (!written.is_computed()).then(|| written.chain.clone()));
        let name = name.or_else(there).unwrap_or_default();
        let (class, written) = (node.class.clone(), written.clone());
        family.unknown.push(UnknownBase { class, written, name, what });
    }

    /// Classes that declare the member too and may, by a base that is not known, inherit from one of the family.
    fn look_beside(
        &self,
        members: &BTreeSet<MemberRow>,
        family: &mut OverrideFamily,
    ) -> Result<(), Cancelled> {
        let linked: BTreeSet<usize> = members.iter().map(|member| member.0).collect();
        let heirs: BTreeSet<usize> = linked.iter().flat_map(|&class| self.graph.descendants(class)).collect();
        for (class, all) in self.beside(&heirs)? {
            all.iter().for_each(|written| self.unknown(class, written, Unknown::Class, family));
        }
        Ok(())
    }

    /// Classes with a base that may be one of `heirs`, and which declare the member, or whose heirs do; none of `heirs` nor of
    /// their `forebears`.
    fn may_be_below(
        &self,
        heirs: &BTreeSet<usize>,
        forebears: &BTreeSet<usize>,
    ) -> Result<Vec<Target>, Cancelled> {
        let beside = self.beside(heirs)?.into_keys().filter(|class| !forebears.contains(class));
        let mut classes: Vec<Target> = beside.map(|class| self.graph.node(class).class.clone()).collect();
        sort(&mut classes);
        Ok(classes)
    }

    /// Classes with bases that are not known and may be one of `heirs`, with these bases; they, or what inherits from them,
    /// declare the member and are none of `heirs`.
    fn beside(&self, heirs: &BTreeSet<usize>) -> Result<BTreeMap<usize, Vec<WrittenBase>>, Cancelled> {
        let may_be = may_be_one_of(self.project, self.graph, heirs)?;
        let mut beside: BTreeMap<usize, Vec<WrittenBase>> = BTreeMap::new();
        for (at, node) in self.graph.iter() {
            if heirs.contains(&at) || rows(&node.class, self.name).is_empty() {
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

    /// Uses of the name through `super()` in these Python classes. Which class comes next is decided where one inherits from
    /// several; all that may are of the family.
    fn through_super(&self, classes: &BTreeSet<usize>) -> Vec<(RelPath, TextRange)> {
        let mut found = Vec::new();
        for class in classes.iter().map(|&at| &self.graph.node(at).class) {
            let Some((outline, row)) = class.row() else { continue };
            if self.project.family != Family::Python || !outline.occurrences.contains(self.name) {
                continue;
            }
            let Some(here) = self.project.here(&class.file) else { continue };
            let length = u32::try_from(self.name.len()).unwrap_or(u32::MAX);
            let places = here.outline.occurrences.offsets_of(self.name);
            for start in places.filter(|&start| row.start <= start && start < row.end) {
                let range = TextRange::new(start, start.saturating_add(length));
                let is_own = match own_class(&here, start) {
                    Meaning::Declared(around) => around.iter().any(|one| one.is(class)),
                    _ => false,
                };
                let text = here.text.as_str();
                if is_own
                    && here.text.slice(range) == self.name
                    && receiver(text, start as usize, Family::Python) == Receiver::Super
                {
                    found.push((class.file.path.clone(), range));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Types that meet an interface of the family without inheriting from it.
    fn alike(
        &self,
        members: &BTreeSet<MemberRow>,
        around: &BTreeSet<usize>,
    ) -> Result<Vec<Target>, Cancelled> {
        let mut all = Vec::new();
        for class in members.iter().map(|member| member.0).collect::<BTreeSet<usize>>() {
            all.extend(alike(self.project, self.graph, class, around)?);
        }
        sort(&mut all);
        Ok(all)
    }
}

/// The names of a class's own members, those of the language left out.
pub(super) fn own_names(class: &Target) -> Vec<String> {
    let Some((outline, row)) = class.row() else { return Vec::new() };
    let inside = class.row + 1..=class.row + row.descendants as usize;
    let own = inside.filter(|&at| outline.rows[at].parent() == Some(class.row));
    let names = own.map(|at| outline.name(&outline.rows[at])).filter(|name| !name.starts_with("__"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// By path, then by position; each once.
pub(super) fn sort(targets: &mut Vec<Target>) {
    targets.sort_by(|a, b| (&a.file.path, a.row).cmp(&(&b.file.path, b.row)));
    targets.dedup_by(|a, b| a.is(b));
}
