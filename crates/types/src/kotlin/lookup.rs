//! Names to declarations, in the order of the language: scopes from the inside out, then imports, the package,
//! star imports, default imports; members before extensions.

use std::sync::Arc;

use super::callables::{Arguments, property_node};
use super::choice::Receivers;
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::question_memos::Tiers;
use super::resolve::Certainty;
use super::scopes::{Level, visible_names};
use super::subtyping::Fit;
use super::ty::Type;
use super::type_references::DEFAULT_IMPORTS;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;

/// What a name was found to mean.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    /// The declarations that it means: one, or all between which nothing decides.
    pub(super) candidates: Vec<Member>,
    pub(super) certainty: Certainty,
    /// Whether it may mean a declaration of the project that is not among them.
    pub(super) may_be_other: bool,
    /// The object whose member or extension is meant, where it is known.
    pub(super) receiver: Option<Type>,
    /// Whether a type that is not known decides whether it is meant.
    pub(super) is_open: bool,
    /// The Java class of the project whose member is meant.
    pub(super) java_class: Option<Arc<str>>,
}

impl Lookup {
    pub(super) fn nothing(may_be_other: bool) -> Lookup {
        Lookup {
            candidates: Vec::new(),
            certainty: Certainty::Certain,
            may_be_other,
            receiver: None,
            is_open: false,
            java_class: None,
        }
    }

    /// The name means one of these, or one of the others.
    pub(super) fn or_one_of(mut self, others: Lookup) -> Lookup {
        let is_new = |one: &Member| !self.candidates.iter().any(|known| known.declaration == one.declaration);
        let new: Vec<Member> = others.candidates.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            self.candidates.extend(new);
            self.certainty = self.certainty.min(Certainty::Likely);
        }
        self
    }

    /// The name means this declaration.
    pub(super) fn one(declaration: DeclarationId) -> Lookup {
        Lookup { candidates: vec![Member::new(declaration)], ..Lookup::nothing(false) }
    }
}

/// What stands where a name does.
#[derive(Clone, Copy)]
pub(super) enum NameUse<'a> {
    /// A value: a variable or an object.
    Value,
    /// Something that is called with these arguments.
    Call(&'a Arguments),
    /// A function or variable behind `::`.
    Reference,
}

/// What was passed on the way outwards that may hold the name.
#[derive(Clone, Copy, Default)]
pub(super) struct Passed {
    /// Something that is not known may bind the name.
    pub(super) unknown: bool,
    /// Something of the project may.
    pub(super) own: bool,
}

/// The state of a search for a name.
pub(super) struct Search<'a> {
    pub(super) file: &'a ProjectFile,
    /// Where the name stands.
    pub(super) node: NodeId,
    pub(super) name: &'a str,
    pub(super) wanted: NameUse<'a>,
    /// The objects in scope that were passed, the innermost first.
    pub(super) receivers: Vec<Type>,
    /// All objects in scope, where the name has no receiver.
    pub(super) in_scope: Vec<Type>,
    pub(super) passed: Passed,
    /// Declarations of the name that do not fit.
    pub(super) unfit: Vec<Member>,
    /// Whether a value is looked up, and a class of its name was found further in. It hides the objects of this name further out, because
    /// `Name.member` then means the class's.
    pub(super) hides_objects: bool,
}

impl<'a> Search<'a> {
    fn new(file: &'a ProjectFile, node: NodeId, name: &'a str, wanted: NameUse<'a>) -> Search<'a> {
        let (receivers, in_scope, unfit) = (Vec::new(), Vec::new(), Vec::new());
        let (passed, hides_objects) = (Passed::default(), false);
        Search { file, node, name, wanted, receivers, in_scope, passed, unfit, hides_objects }
    }
}

impl Universe<'_> {
    /// Lowers the certainty of what was found behind something that is not known.
    fn behind(&self, search: &Search, mut found: Lookup) -> Lookup {
        if search.passed.unknown || search.passed.own {
            found.certainty = found.certainty.min(Certainty::Likely);
        }
        if search.passed.unknown && self.is_in_its_own_value(search, &found) {
            found.certainty = Certainty::Possible;
        }
        found.may_be_other |= search.passed.own && self.may_be_member(search, &found);
        found
    }

    /// Whether the name stands in the value, the delegate or an accessor of the property that was found: it would read itself. `val url by
    /// lazyOf { url }` rather means a member of the object that the lambda is called on.
    fn is_in_its_own_value(&self, search: &Search, found: &Lookup) -> bool {
        let holds = |one: &Member| {
            let property = self.get(one.declaration).filter(|(_, one)| one.kind == DeclarationKind::Property);
            property.is_some_and(|(file, property)| {
                file.key == search.file.key
                    && file.ancestors(search.node).any(|above| above == property_node(&file, property.node))
            })
        };
        found.candidates.iter().any(holds)
    }

    /// Ends a search with the declarations that do not fit, if there are any.
    fn leftover(&self, search: Search, objects: &[Type]) -> Lookup {
        let has_members = || self.members_called(search.name).is_none_or(|members| !members.is_empty());
        let may_be_other = search.passed.own && has_members() || self.may_be_narrowed(&search, objects);
        let found = Lookup::nothing(may_be_other);
        if search.unfit.is_empty() {
            return found;
        }
        Lookup { candidates: search.unfit, certainty: Certainty::Possible, ..found }
    }

    /// Whether a class of the project has another member that the name may mean where the object is unknown.
    fn may_be_member(&self, search: &Search, found: &Lookup) -> bool {
        let Search { file, name, wanted, .. } = *search;
        let Some(members) = self.members_called(name) else { return true };
        members.iter().any(|id| {
            let is_found = found.candidates.iter().any(|one| one.declaration == *id);
            !is_found && self.may_be_called(file, *id, wanted)
        })
    }

    /// Whether a member may be meant where nothing is known of the object.
    pub(super) fn may_be_called(&self, file: &ProjectFile, member: DeclarationId, wanted: NameUse) -> bool {
        let Some(kind) = self.kind(member).filter(|_| self.is_visible(file, member)) else { return false };
        match wanted {
            NameUse::Value => is_callable(kind) && kind.is_variable() || kind.is_object(),
            NameUse::Reference => is_callable(kind),
            NameUse::Call(arguments) => {
                let receiver = Receivers::Member(&Type::Unknown);
                let fit = self.fits_call(file, &Member::new(member), arguments, receiver);
                is_callable(kind) && fit.is_some_and(|fit| fit != Fit::No)
            }
        }
    }

    /// Resolves a name that has no receiver.
    pub(super) fn find_bare(&self, file: &ProjectFile, node: NodeId, name: &str, wanted: NameUse) -> Lookup {
        let mut called = None;
        let found = self.search_outwards(file, node, name, wanted, &mut called);
        match called {
            None => found,
            Some(called) if found.candidates.is_empty() => Lookup::one(called),
            Some(called) => {
                let mut candidates = found.candidates;
                candidates.push(Member::new(called));
                Lookup { candidates, certainty: found.certainty.min(Certainty::Likely), ..found }
            }
        }
    }

    /// Searches the scopes from the inside out. A local that may not be a function is noted in `called`, and
    /// does not end the search for one.
    fn search_outwards(
        &self,
        file: &ProjectFile,
        node: NodeId,
        name: &str,
        wanted: NameUse,
        called: &mut Option<DeclarationId>,
    ) -> Lookup {
        let mut search = Search::new(file, node, name, wanted);
        let levels = self.levels(file, node);
        // Whether a lambda may have an `it` of its own: of a function that is not known it may as well take nothing.
        let mut may_be_its_own = false;
        // All locals come before the members of all objects, wherever these are.
        for level in levels.iter() {
            match level {
                Level::Names { scope, child } => {
                    let numbers: Vec<usize> = visible_names(file, *scope, *child, name).collect();
                    let ids: Vec<DeclarationId> =
                        numbers.iter().map(|&number| DeclarationId::new(file.key, number)).collect();
                    match self.among_locals(file, &ids, wanted) {
                        Some(found) if self.may_be_no_function(&found, wanted) => {
                            *called = called.or(found.candidates.first().map(|one| one.declaration));
                        }
                        Some(found) if may_be_its_own => {
                            return Lookup { certainty: Certainty::Possible, ..found };
                        }
                        Some(found) => return found,
                        None => {}
                    }
                }
                Level::It { lambda } if name == "it" => {
                    may_be_its_own = true;
                    if matches!(self.expected_lambda(file, *lambda), Type::Function(_)) {
                        break;
                    }
                }
                // It is no declaration of the project. A call of it means a function, unless the value can be called.
                Level::Field { property }
                    if name == "field"
                        && match wanted {
                            NameUse::Reference => false,
                            NameUse::Call(_) => self.is_invocable(*property),
                            _ => true,
                        } =>
                {
                    return Lookup::nothing(false);
                }
                _ => {}
            }
        }
        if may_be_its_own {
            return Lookup::nothing(false);
        }
        let in_scope = levels.iter().filter_map(|level| match level {
            Level::Receiver { ty, .. } => Some(ty.clone()),
            _ => None,
        });
        search.in_scope = in_scope.collect();
        for (at, level) in levels.iter().enumerate() {
            match level {
                Level::Names { .. } | Level::It { .. } | Level::Field { .. } => {}
                Level::Receiver { ty, .. } => {
                    let passed = search.passed;
                    let mut found = self.among_members(&mut search, ty);
                    if found.is_none() {
                        found = self.by_convention(&mut search, ty);
                        // What the class itself may have besides was passed only if nothing of it is meant.
                        if found.is_some() {
                            search.passed = passed;
                        }
                    }
                    if let Some(mut found) = found {
                        found.receiver = Some(ty.clone());
                        let found = self.with_outer_statics(&mut search, &levels[at + 1..], found);
                        let found = self.unless_extended(&mut search, &levels, found);
                        return self.behind(&search, found);
                    }
                    search.receivers.push(ty.clone());
                }
                Level::Statics { class } => {
                    if let Some(found) = self.among_statics(&mut search, *class) {
                        let found = self.unless_extended(&mut search, &levels, found);
                        return self.behind(&search, found);
                    }
                    if matches!(wanted, NameUse::Value) && !search.hides_objects {
                        let nested = self.nested(*class, name).and_then(|nested| self.kind(nested));
                        search.hides_objects = nested.is_some_and(|kind| !kind.is_object());
                    }
                }
            }
        }
        if let Some(found) = self.among_local_extensions(&mut search, &levels) {
            return self.behind(&search, found);
        }
        let tiers = self.tiers(file, name);
        let names_outside = self.names_outside(file, name);
        let beyond_import = |found: Lookup| match names_outside {
            true => Lookup { certainty: Certainty::Possible, ..found },
            false => found,
        };
        if let Some(mut found) = self.among_extensions(&mut search, &tiers) {
            if self.may_be_members(&search, &found) {
                found.certainty = Certainty::Possible;
            }
            return beyond_import(self.behind(&search, found));
        }
        let all = tiers.clone();
        let mut tiers = tiers.into_iter();
        while let Some(tier) = tiers.next() {
            let kind = |id: &DeclarationId| self.kind(*id);
            let is_object = |id: &DeclarationId| kind(id).is_some_and(DeclarationKind::is_object);
            let hides = matches!(wanted, NameUse::Value)
                && tier
                    .iter()
                    .any(|id| kind(id).is_some_and(DeclarationKind::is_classifier) && !is_object(id));
            let is_hidden = search.hides_objects;
            let members =
                tier.into_iter().filter(|id| !(is_hidden && is_object(id))).map(Member::new).collect();
            if let Some(found) = self.choose_in_scope(&mut search, members) {
                let receivers = Receivers::Implicit(&search.receivers);
                let mut found = self.with_further(file, found, tiers.collect(), wanted, receivers);
                self.add_extensions_of_unknown(&search, &mut found, all);
                if self.may_be_members(&search, &found) {
                    found.certainty = Certainty::Possible;
                }
                return beyond_import(self.behind(&search, found));
            }
            search.hides_objects |= hides;
        }
        let objects = std::mem::take(&mut search.receivers);
        self.leftover(search, &objects)
    }

    /// Finds a local extension that takes one of the objects that were passed.
    fn among_local_extensions(&self, search: &mut Search, levels: &[Level]) -> Option<Lookup> {
        let Search { file, name, .. } = *search;
        levels.iter().find_map(|level| {
            let Level::Names { scope, child } = level else { return None };
            let numbers = visible_names(file, *scope, *child, name);
            let members = numbers.map(|number| Member::new(DeclarationId::new(file.key, number))).collect();
            self.choose_in_scope(search, self.extensions(members))
        })
    }

    /// Returns what was found in an object or a class, unless an extension of an object further in is meant, which comes before it.
    fn unless_extended(&self, search: &mut Search, levels: &[Level], mut found: Lookup) -> Lookup {
        // A member that is an extension comes before those outside of classes.
        let is_extension = |one: &Member| self.extension_receiver(one.declaration).is_some();
        if search.receivers.is_empty() || found.candidates.iter().any(is_extension) {
            return found;
        }
        let tiers = self.tiers(search.file, search.name);
        // What may be no object at all takes none.
        let is_known = |ty: &Type| *ty != Type::Unknown && !ty.is_foreign();
        let known = search.receivers.iter().filter(|ty| is_known(ty)).cloned().collect();
        let all = std::mem::replace(&mut search.receivers, known);
        let local = self.among_local_extensions(search, levels);
        let extension = local.or_else(|| self.among_extensions(search, &tiers));
        search.receivers = all;
        // The import may bring an extension that is not known.
        let names_outside = self.names_outside(search.file, search.name);
        match extension {
            Some(one) if !names_outside && one.certainty == Certainty::Certain && !one.is_open => return one,
            None if !names_outside => return found,
            more => found.candidates.extend(more.into_iter().flat_map(|one| one.candidates)),
        }
        let least = if names_outside { Certainty::Possible } else { Certainty::Likely };
        found.certainty = found.certainty.min(least);
        found
    }

    /// Finds an extension outside of classes that one of the objects in scope certainly takes. These come before
    /// declarations without a receiver: `run { … }` in a class is `this.run { … }`.
    fn among_extensions(&self, search: &mut Search, tiers: &[Vec<DeclarationId>]) -> Option<Lookup> {
        for ty in search.receivers.clone() {
            // An object of unknown type may take any of them.
            if ty == Type::Unknown {
                return None;
            }
            for tier in tiers {
                let takes = |member: &Member| {
                    let wanted = self.extension_receiver(member.declaration);
                    let own = self.type_parameters(member.declaration);
                    wanted.is_some_and(|wanted| self.fits(&ty, &wanted, &own) == Fit::Yes)
                };
                let members = tier.iter().copied().map(Member::new).filter(takes).collect();
                let receiver = Receivers::Explicit(&ty);
                let found = self.choose(search.file, members, search.wanted, receiver, &mut search.unfit);
                if let Some(found) = found {
                    return Some(Lookup { receiver: Some(ty), ..found });
                }
            }
        }
        None
    }

    /// Resolves a member or extension of a value.
    pub(super) fn find_member(
        &self,
        file: &ProjectFile,
        node: NodeId,
        receiver: &Type,
        name: &str,
        wanted: NameUse,
    ) -> Lookup {
        let mut search = Search::new(file, node, name, wanted);
        let found = self.among_members(&mut search, receiver);
        if let Some(mut found) = found.or_else(|| self.by_convention(&mut search, receiver)) {
            found.receiver = Some(receiver.clone());
            return found;
        }
        if let Some(found) = self.java_member_of(receiver, name, wanted) {
            return found;
        }
        let explicit = Receivers::Explicit(receiver);
        for level in self.levels(file, node).iter() {
            let found = match level {
                Level::Names { scope, child } => {
                    let ids: Vec<DeclarationId> = visible_names(file, *scope, *child, name)
                        .map(|number| DeclarationId::new(file.key, number))
                        .collect();
                    // `action: Fragment.() -> Unit` is called as `fragment.action()`.
                    let called = ids.iter().copied().find(|id| self.extends_as_value(*id, receiver, wanted));
                    let extensions = self.extensions(ids.into_iter().map(Member::new).collect());
                    self.choose(file, extensions, wanted, explicit, &mut search.unfit)
                        .or(called.map(Lookup::one))
                }
                Level::It { .. } | Level::Field { .. } => None,
                Level::Receiver { ty, .. } => {
                    let members = self.members(ty, name, &is_callable).found;
                    let mut values = members.iter();
                    let called = values
                        .find(|member| self.extends_as_value(member.declaration, receiver, wanted))
                        .cloned();
                    let found =
                        self.choose(file, self.extensions(members), wanted, explicit, &mut search.unfit);
                    found
                        .or(called
                            .map(|member| Lookup { candidates: vec![member], ..Lookup::nothing(false) }))
                }
                Level::Statics { class } => {
                    let members = self.companion_members(*class, name);
                    self.choose(file, self.extensions(members), wanted, explicit, &mut search.unfit)
                }
            };
            if let Some(mut found) = found {
                found.receiver = Some(receiver.clone());
                return self.behind(&search, found);
            }
        }
        let mut tiers = self.tiers(file, name).into_iter();
        while let Some(tier) = tiers.next() {
            let mut members = self.extensions(tier.into_iter().map(Member::new).collect());
            let doubted = self.without_those_ruled_out_by_null(file, node, &mut members);
            let others: Vec<Member> = match doubted.is_empty() {
                true => Vec::new(),
                false => members.iter().filter(|one| !is_among(one, &doubted)).cloned().collect(),
            };
            if let Some(mut found) = self.choose(file, members, wanted, explicit, &mut search.unfit) {
                if found.candidates.iter().any(|one| is_among(one, &doubted))
                    && let Some(others) = self.choose(file, others, wanted, explicit, &mut Vec::new())
                {
                    found = found.or_one_of(others);
                }
                found = self.with_further(file, found, tiers.collect(), wanted, explicit);
                let is_known = matches!(receiver, Type::Class(class) if !self.of_library(class.class));
                let has_rival = self.may_be_library_member(&search, &found, std::slice::from_ref(receiver))
                    || !(is_known && found.certainty == Certainty::Certain) && self.names_outside(file, name);
                if has_rival && found.candidates.iter().any(|one| !self.of_library(one.declaration)) {
                    found.certainty = Certainty::Possible;
                }
                found.receiver = Some(receiver.clone());
                return self.behind(&search, found);
            }
        }
        let java_class = match receiver {
            Type::Java(name) => Some(name.clone()),
            _ => None,
        };
        Lookup { java_class, ..self.leftover(search, std::slice::from_ref(receiver)) }
    }

    /// Finds what a name means for an object without being declared in its class by that name.
    fn by_convention(&self, search: &mut Search, ty: &Type) -> Option<Lookup> {
        self.made_from(search, ty).or_else(|| self.overridden_accessors(search, ty))
    }

    /// Whether a value of a function type with a receiver is called on an object like an extension.
    fn extends_as_value(&self, variable: DeclarationId, receiver: &Type, wanted: NameUse) -> bool {
        let is_variable = self.kind(variable).is_some_and(DeclarationKind::is_variable);
        if !is_variable || !matches!(wanted, NameUse::Call(_)) || self.extension_receiver(variable).is_some()
        {
            return false;
        }
        match self.declared_type(variable) {
            Type::Function(function) => {
                function.receiver.as_ref().is_some_and(|of| self.fits(receiver, of, &[]) != Fit::No)
            }
            _ => false,
        }
    }

    /// Resolves a name behind a class: a nested class, an entry, a member of its companion.
    pub(super) fn find_static(
        &self,
        file: &ProjectFile,
        node: NodeId,
        class: DeclarationId,
        name: &str,
        wanted: NameUse,
    ) -> Lookup {
        let mut search = Search::new(file, node, name, wanted);
        let class = self.class_behind(class).unwrap_or(class);
        let is_object = self.kind(class).is_some_and(DeclarationKind::is_object);
        // `Name::member` is the class's before it is its companion's.
        if matches!(wanted, NameUse::Reference) && !is_object {
            let found = self.find_member(file, node, &self.self_type(class), name, wanted);
            if !found.candidates.is_empty() {
                return found;
            }
        }
        if let Some(found) = self.among_statics(&mut search, class) {
            return found;
        }
        if is_object {
            return self.find_member(file, node, &self.self_type(class), name, wanted);
        }
        if let Some(companion) = self.companion(class) {
            let found = self.find_member(file, node, &self.self_type(companion), name, wanted);
            if !found.candidates.is_empty() || found.may_be_other {
                return found;
            }
        }
        self.leftover(search, &[])
    }

    /// Chooses among declarations of one level, for a name that has no receiver.
    pub(super) fn choose_in_scope(&self, search: &mut Search, members: Vec<Member>) -> Option<Lookup> {
        let receivers = Receivers::Implicit(&search.receivers);
        self.choose(search.file, members, search.wanted, receivers, &mut search.unfit)
    }

    fn extensions(&self, members: Vec<Member>) -> Vec<Member> {
        members.into_iter().filter(|member| self.extension_receiver(member.declaration).is_some()).collect()
    }

    /// Returns the declarations of a name outside of classes that a file sees, by the order in which they
    /// count.
    pub(super) fn tiers(&self, file: &ProjectFile, name: &str) -> Tiers {
        self.known_tiers_or(file, name, || self.find_tiers(file, name))
    }

    fn find_tiers(&self, file: &ProjectFile, name: &str) -> Tiers {
        let mut tiers = Vec::new();
        let explicit = file.imports.iter().filter(|import| import.bound() == Some(name));
        tiers.push(explicit.flat_map(|import| self.qualified(&import.path)).collect());
        tiers.push(self.in_package(&file.package, name));
        let stars = file.imports.iter().filter(|import| import.is_star);
        tiers.push(stars.flat_map(|import| self.qualified(&format!("{}.{name}", import.path))).collect());
        tiers.push(DEFAULT_IMPORTS.iter().flat_map(|package| self.in_package(package, name)).collect());
        for tier in &mut tiers {
            *tier = self.seen(file, std::mem::take(tier));
            let mut seen = Vec::new();
            tier.retain(|id: &DeclarationId| {
                let is_new = !seen.contains(id);
                seen.push(*id);
                is_new && self.is_visible(file, *id)
            });
        }
        tiers
    }

    /// Whether a declaration is not private, or of this file, and not hidden from all.
    pub(super) fn is_visible(&self, file: &ProjectFile, id: DeclarationId) -> bool {
        self.get(id).is_some_and(|(_, declaration)| {
            let modifiers = declaration.modifiers;
            (id.file == file.key || !modifiers.is_private) && !modifiers.is_hidden
        })
    }
}

pub(super) fn is_callable(kind: DeclarationKind) -> bool {
    kind.is_function() || matches!(kind, DeclarationKind::Property | DeclarationKind::ConstructorProperty)
}

fn is_among(one: &Member, all: &[Member]) -> bool {
    all.iter().any(|other| other.declaration == one.declaration)
}
