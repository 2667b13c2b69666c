//! What one scope, object or class offers for a name, in the search through all of them.

use super::callables::{Arguments, property_node};
use super::choice::Receivers;
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse, Search, is_callable};
use super::resolve::Certainty;
use super::scopes::Level;
use super::subtyping::Fit;
use super::ty::{FunctionType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe};
use std::sync::Arc;
use symd_syntax::NodeId;

/// Packages of the JDK, none of whose classes (17, without those of packages beneath) has a method `invoke`.
const WITHOUT_INVOKE: [&str; 3] = ["java.io", "java.lang", "java.util"];

impl Universe<'_> {
    pub(super) fn among_locals(
        &self,
        file: &ProjectFile,
        ids: &[DeclarationId],
        wanted: NameUse,
    ) -> Option<Lookup> {
        let last = |fits: &dyn Fn(DeclarationKind) -> bool| {
            ids.iter().rev().copied().find(|id| self.kind(*id).is_some_and(fits))
        };
        match wanted {
            NameUse::Value => last(&|kind| kind.is_variable() || kind.is_object()).map(Lookup::one),
            // There are no references to variables.
            NameUse::Reference => {
                let is_meant = |kind: DeclarationKind| {
                    kind.is_function() || kind.is_class() || kind == DeclarationKind::ConstructorProperty
                };
                last(&is_meant).map(Lookup::one)
            }
            NameUse::Call(_) => {
                let callable: Vec<Member> = ids
                    .iter()
                    .filter(|id| self.kind(**id).is_some_and(|kind| kind.is_function() || kind.is_class()))
                    .map(|id| Member::new(*id))
                    .collect();
                let mut unfit = Vec::new();
                let found = self.choose(file, callable, wanted, Receivers::Implicit(&[]), &mut unfit);
                found.or_else(|| {
                    let variable = last(&DeclarationKind::is_variable)?;
                    let takes = || match (wanted, self.declared_type(variable)) {
                        (NameUse::Call(arguments), Type::Function(function)) => {
                            self.takes_arguments(file, &function, arguments)
                        }
                        _ => true,
                    };
                    (self.is_invocable(variable) && takes()).then(|| Lookup::one(variable))
                })
            }
        }
    }

    /// Whether a call was resolved to a local of unknown type.
    pub(super) fn may_be_no_function(&self, found: &Lookup, wanted: NameUse) -> bool {
        let is_open = |ty: Type| ty.is_unknown() || ty.is_foreign();
        let is_unknown = |member: &Member| {
            self.kind(member.declaration).is_some_and(DeclarationKind::is_variable)
                && is_open(self.declared_type(member.declaration))
        };
        matches!(wanted, NameUse::Call(_)) && found.candidates.iter().all(is_unknown)
    }

    /// Whether a declaration is a variable that certainly cannot be called: what its type is, and what is above that, has no `invoke`.
    pub fn is_no_function(&self, declaration: DeclarationId) -> bool {
        self.kind(declaration).is_some_and(DeclarationKind::is_variable)
            && self.lacks_invoke(&self.declared_type(declaration))
            && !self.is_invocable(declaration)
            && self.members_called("invoke").is_some_and(|all| {
                // Where a member is in scope that extends another class is not looked at.
                all.iter().all(|id| self.extension_receiver(*id).is_none())
            })
    }

    /// Whether no class outside the project, and no check of the value, gives a type an `invoke`.
    fn lacks_invoke(&self, ty: &Type) -> bool {
        let is_known = |name: &Arc<str>| {
            let package = name.rsplit_once('.').map_or("", |(package, _)| package);
            WITHOUT_INVOKE.contains(&package)
        };
        match ty {
            Type::Integer => true,
            Type::External(class) => is_known(&class.name),
            Type::Class(class) => {
                let above = self.ancestors(class.class);
                let is_any = self.library_class("kotlin", "Any") == Some(class.class);
                !is_any && (above.is_complete || !above.may_lack_own && above.outside.iter().all(is_known))
            }
            _ => false,
        }
    }

    /// Whether a variable can be called.
    pub(super) fn is_invocable(&self, variable: DeclarationId) -> bool {
        match self.declared_type(variable) {
            Type::Function(_) | Type::Unknown | Type::LikelyExternal(_) => true,
            ty if ty.is_foreign() => true,
            Type::External(_) | Type::Integer | Type::Null | Type::Nothing => false,
            ty => {
                let members = self.members(&ty, "invoke", &DeclarationKind::is_function);
                let extensions = self.top_level("invoke");
                let is_extended = |id: &DeclarationId| {
                    let own = self.type_parameters(*id);
                    let least = if self.of_library(*id) { Fit::Yes } else { Fit::Unknown };
                    self.extension_receiver(*id).is_some_and(|of| self.fits(&ty, &of, &own) >= least)
                };
                !members.found.is_empty()
                    || self.function_above(&ty).is_some()
                    || extensions.iter().any(is_extended)
            }
        }
    }

    /// Whether a node stands in the value, or the delegate, that decides the type of a property.
    fn is_in_deciding_value(&self, file: &ProjectFile, node: NodeId, property: DeclarationId) -> bool {
        let found = self.get(property).filter(|(_, one)| one.kind == DeclarationKind::Property);
        found.is_some_and(|(declared_in, declaration)| {
            declared_in.key == file.key
                && self.type_in(&declared_in, declaration.node).is_none()
                && file.ancestors(node).any(|above| above == property_node(&declared_in, declaration.node))
        })
    }

    pub(super) fn among_members(&self, search: &mut Search, ty: &Type) -> Option<Lookup> {
        let Search { file, node, name, wanted, .. } = *search;
        let members = self.members(ty, name, &is_callable);
        let found = self.seen_halves(file, members.found).into_iter();
        // `val size = size()`: a property whose type its value decides is not called there.
        let found = found.filter(|one| {
            !matches!(wanted, NameUse::Call(_)) || !self.is_in_deciding_value(file, node, one.declaration)
        });
        let visible = found.filter(|member| self.is_visible(file, member.declaration));
        let (visible, protected): (Vec<Member>, Vec<Member>) =
            visible.partition(|member| self.is_accessible(file, node, member.declaration));
        search.unfit.extend(protected);
        // A member that is an extension takes another object as its receiver.
        let (extensions, plain): (Vec<Member>, Vec<Member>) =
            visible.into_iter().partition(|member| self.extension_receiver(member.declaration).is_some());
        let found = self.choose(file, plain, wanted, Receivers::Member(ty), &mut search.unfit);
        // An extension of an object further in comes before what this object declares for itself.
        let further_in = match found.is_some() && !search.receivers.is_empty() {
            true => {
                let receivers = Receivers::Implicit(&search.receivers);
                self.choose(file, extensions.clone(), wanted, receivers, &mut Vec::new())
            }
            false => None,
        };
        let found = match (found, further_in) {
            (_, Some(further_in)) if further_in.certainty == Certainty::Certain && !further_in.is_open => {
                return Some(further_in);
            }
            (Some(mut found), Some(further_in)) => {
                found.candidates.extend(further_in.candidates);
                return Some(Lookup { certainty: Certainty::Likely, ..found });
            }
            (found, _) => found,
        };
        let found = found.or_else(|| {
            if extensions.is_empty() {
                return None;
            }
            // Any object in scope, further in or out.
            let mut receivers = vec![ty.clone()];
            receivers.extend(search.in_scope.iter().cloned());
            self.choose(file, extensions, wanted, Receivers::Implicit(&receivers), &mut search.unfit)
        });
        // A property of unknown type may be none that can be called, and hides no extension then.
        if let Some(found) = found.as_ref().filter(|found| self.may_be_no_function(found, wanted))
            && !self.may_be_extended(search, ty, &|id| !self.of_library(id)).is_empty()
        {
            search.unfit.extend(found.candidates.iter().cloned());
            return None;
        }
        // Where the arguments do not tell, an extension may be meant.
        let is_projected = matches!(ty, Type::Class(class) if class.is_projected);
        let rivals = |found: &Lookup| match wanted {
            NameUse::Call(arguments) if self.gives_null(file, found, arguments) => {
                self.may_be_extended(search, ty, &|_| true)
            }
            NameUse::Call(_) if self.is_called_on_null(search) => {
                self.may_be_extended(search, ty, &|id| self.extends_nullable(id))
            }
            NameUse::Call(_) if found.certainty == Certainty::Likely || is_projected => {
                self.may_be_extended(search, ty, &|id| !self.of_library(id))
            }
            _ => Vec::new(),
        };
        let rivals = found.as_ref().map_or(Vec::new(), rivals);
        if !rivals.is_empty() {
            return found.map(|mut found| {
                found.candidates.extend(rivals.into_iter().map(Member::new));
                Lookup { certainty: Certainty::Possible, may_be_other: true, ..found }
            });
        }
        if found.is_none() && members.may_be_more {
            search.passed.unknown = true;
            search.passed.own |= self.may_lack_own(ty);
        }
        found
    }

    /// Whether a type may have members of the project that are not known.
    pub(super) fn may_lack_own(&self, ty: &Type) -> bool {
        match ty {
            Type::Class(class) => self.ancestors(class.class).may_lack_own,
            Type::External(_) => false,
            Type::Both(both) => self.may_lack_own(&both.0) || self.may_lack_own(&both.1),
            _ => true,
        }
    }

    /// Returns those of these extensions, which the file sees, that may take the object and the arguments.
    fn may_be_extended(
        &self,
        search: &Search,
        ty: &Type,
        of: &dyn Fn(DeclarationId) -> bool,
    ) -> Vec<DeclarationId> {
        let Search { file, name, wanted, .. } = *search;
        let takes = |id: &DeclarationId| {
            let id = *id;
            let Some(receiver) = self.extension_receiver(id).filter(|_| of(id)) else { return false };
            let own = self.type_parameters(id);
            let fit = match wanted {
                NameUse::Call(arguments) => {
                    let explicit = Receivers::Explicit(ty);
                    self.fits_call(file, &Member::new(id), arguments, explicit)
                }
                _ => Some(Fit::Yes),
            };
            fit.is_some_and(|fit| fit != Fit::No) && self.fits(ty, &receiver, &own) != Fit::No
        };
        self.tiers(file, name).into_iter().flatten().filter(takes).collect()
    }

    pub(super) fn among_statics(&self, search: &mut Search, class: DeclarationId) -> Option<Lookup> {
        // Where types that are not known decide, a companion further up may have one that fits better.
        let mut open: Option<Lookup> = None;
        for class in std::iter::once(class).chain(self.superclasses(class)) {
            let found = self.among_statics_of(search, class);
            open = match (open, found) {
                (None, Some(found)) if may_be_another(search, &found) => Some(found),
                (None, Some(found)) => return Some(found),
                (Some(first), Some(more)) => Some(first.or_one_of(more)),
                (first, None) => first,
            };
        }
        open
    }

    /// Adds what the classes and companions further out may have of the name, where types that are not known decide.
    pub(super) fn with_outer_statics(&self, search: &mut Search, outer: &[Level], found: Lookup) -> Lookup {
        if !may_be_another(search, &found) {
            return found;
        }
        outer.iter().fold(found, |found, level| match level {
            Level::Statics { class } => match self.among_statics(search, *class) {
                Some(more) => found.or_one_of(more),
                None => found,
            },
            _ => found,
        })
    }

    fn among_statics_of(&self, search: &mut Search, class: DeclarationId) -> Option<Lookup> {
        let mut own = self.statics_of(class, search.name);
        own.retain(|one| {
            !search.hides_objects || self.kind(one.declaration) != Some(DeclarationKind::Object)
        });
        if let Some(found) = self.choose_in_scope(search, own) {
            return Some(found);
        }
        let companion = self.companion(class)?;
        let ty = self.self_type(companion);
        let passed = search.passed;
        let found = self.among_members(search, &ty);
        // A companion whose supertypes are not all known lowers no certainty.
        search.passed = passed;
        found.or_else(|| {
            let nested = self.statics_of(companion, search.name);
            self.choose_in_scope(search, nested)
        })
    }

    /// Returns the nested classes, aliases and entries of a class that have a name.
    fn statics_of(&self, class: DeclarationId, name: &str) -> Vec<Member> {
        let is_static = |kind: DeclarationKind| {
            kind == DeclarationKind::EnumEntry || kind.is_class() || kind == DeclarationKind::TypeAlias
        };
        let declared = self.declared_in(class, name).into_iter();
        declared.filter(|id| self.kind(*id).is_some_and(is_static)).map(Member::new).collect()
    }

    pub(super) fn companion_members(&self, class: DeclarationId, name: &str) -> Vec<Member> {
        let classes = std::iter::once(class).chain(self.superclasses(class));
        let companions = classes.filter_map(|class| self.companion(class));
        companions
            .flat_map(|companion| self.members(&self.self_type(companion), name, &is_callable).found)
            .collect()
    }

    /// Whether a value of a function type can be called so: its parameters have no names, and all are given; its receiver may be.
    pub(super) fn takes_arguments(
        &self,
        file: &ProjectFile,
        function: &FunctionType,
        arguments: &Arguments,
    ) -> bool {
        let values: Vec<NodeId> =
            arguments.values.iter().map(|one| one.value).chain(arguments.lambda).collect();
        let receiver = function.receiver.iter().filter(|_| values.len() > function.parameters.len());
        let wanted: Vec<&Type> = receiver.chain(&function.parameters).collect();
        arguments.values.iter().all(|one| one.name.is_none())
            && values.len() == wanted.len()
            && values
                .iter()
                .zip(wanted)
                .all(|(value, ty)| self.argument_fits(file, *value, ty, &[]) != Fit::No)
    }
}

/// Whether a call may mean a function further out, because types that are not known decide whether it means what was found.
fn may_be_another(search: &Search, found: &Lookup) -> bool {
    found.is_open && matches!(search.wanted, NameUse::Call(_))
}
