//! Calls of members that an argument that may be null rules out: then an extension of that name is meant. Types are
//! otherwise compared as if no value could be null.

use super::applicability::pair_arguments;
use super::callables::{Arguments, ValueParameter};
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse, Search};
use super::ty::Type;
use super::type_references::{Classifier, stated_type};
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Whether a call gives a function what may be null for a parameter that may not.
    pub(super) fn gives_null(&self, file: &ProjectFile, found: &Lookup, arguments: &Arguments) -> bool {
        let gives = |function: DeclarationId| {
            let parameters = self.parameters(function);
            let pairs = pair_arguments(&parameters, arguments).unwrap_or_default();
            pairs.iter().any(|(at, value, is_array)| {
                !is_array
                    && !self.is_declared_nullable(parameters[*at].declaration)
                    && self.may_be_null(file, *value)
            })
        };
        found.candidates.iter().any(|one| gives(one.declaration))
    }

    /// Whether a value is one that a declaration says may be null. A check before it is not looked at.
    fn may_be_null(&self, file: &ProjectFile, value: NodeId) -> bool {
        match file.kind(value) {
            K::NullLiteral => return true,
            K::NavigationExpression => {
                let suffix = file.children(value).last();
                if suffix.is_some_and(|suffix| file.child(suffix, K::SafeDot).is_some()) {
                    return true;
                }
            }
            _ => {}
        }
        self.read_by(file, value).is_some_and(|found| {
            found.candidates.iter().any(|one| self.is_declared_nullable(one.declaration))
        })
    }

    /// Returns the variable that a value is read from, or the function that gives it.
    fn read_by(&self, file: &ProjectFile, value: NodeId) -> Option<Lookup> {
        match file.kind(value) {
            K::SimpleIdentifier => Some(self.find_bare(file, value, file.name_text(value), NameUse::Value)),
            K::NavigationExpression => {
                self.named_by_suffix(file, file.children(value).last()?, NameUse::Value)
            }
            K::CallExpression => {
                let suffix = file.child(value, K::CallSuffix)?;
                self.call_of_suffix(file, suffix, &Arguments::of(file, suffix))
            }
            _ => None,
        }
    }

    /// Whether a member is called, by a plain dot, on what a declaration says may be null, and an extension of that name takes null.
    pub(super) fn is_called_on_null(&self, search: &Search) -> bool {
        let Search { file, node, name, .. } = *search;
        let Some(suffix) = file.parent(node).filter(|above| file.kind(*above) == K::NavigationSuffix) else {
            return false;
        };
        if file.child(suffix, K::Dot).is_none()
            || !self.top_level(name).iter().any(|id| self.extends_nullable(*id))
        {
            return false;
        }
        let before = file
            .parent(suffix)
            .and_then(|holder| file.children(holder).take_while(|one| *one < suffix).last());
        before.is_some_and(|before| self.may_be_null(file, before))
    }

    /// Removes extensions that take no object which holds null (`fun <T : Any> List<T>.known()`), where the one before a name is declared to hold
    /// some (`List<Any?>`); returns them where that is not known, and others are left. Of one list all are kept.
    pub(super) fn without_those_ruled_out_by_null(
        &self,
        file: &ProjectFile,
        name: NodeId,
        extensions: &mut Vec<Member>,
    ) -> Vec<Member> {
        let is_strict = |one: &Member| !self.arguments_without_null(one.declaration).is_empty();
        if extensions.iter().all(is_strict) || !extensions.iter().any(is_strict) {
            return Vec::new();
        }
        let Some(ty) = self.declared_before(file, name) else {
            return extensions.iter().filter(|one| is_strict(one)).cloned().collect();
        };
        let mut doubted = Vec::new();
        extensions.retain(|one| {
            let strict = self.arguments_without_null(one.declaration);
            let held: Vec<Option<bool>> = strict.iter().map(|at| self.holds_null(&ty, one, *at)).collect();
            if held.contains(&None) {
                doubted.push(one.clone());
            }
            !held.contains(&Some(true))
        });
        doubted
    }

    /// Returns the type arguments of what a function extends that are its type parameters and stand for no null.
    fn arguments_without_null(&self, id: DeclarationId) -> Vec<usize> {
        let Some(Type::Class(class)) = self.extension_receiver(id) else { return Vec::new() };
        let own = self.type_parameters(id);
        let is_strict = |argument: &Type| {
            matches!(argument, Type::Parameter(one)
                if own.contains(one) && !self.has_nullable_bounds(*one, &mut Vec::new()))
        };
        (0..class.arguments.len()).filter(|at| is_strict(&class.arguments[*at])).collect()
    }

    /// Returns the written type of the variable before a name, or of what the function gives that is called there.
    fn declared_before(&self, file: &ProjectFile, name: NodeId) -> Option<(ProjectFile, NodeId)> {
        let suffix = file.parent(name).filter(|above| file.kind(*above) == K::NavigationSuffix)?;
        let before = file.children(file.parent(suffix)?).take_while(|one| *one < suffix).last()?;
        let found = self.read_by(file, before)?;
        let [one] = &found.candidates[..] else { return None };
        let (declared_in, declaration) = self.get(one.declaration)?;
        let ty = stated_type(&declared_in, declaration.node)?;
        Some((declared_in, ty))
    }

    /// Whether what is written for a type argument of the class that an extension extends may be null; `None` where another class is written, or
    /// something that may stand for null.
    fn holds_null(&self, written: &(ProjectFile, NodeId), extension: &Member, at: usize) -> Option<bool> {
        let (file, ty) = written;
        let (Some(Type::Class(extended)), Type::Class(class)) =
            (self.extension_receiver(extension.declaration), self.written_type(file, *ty))
        else {
            return None;
        };
        let list = file.tree().subtree(*ty).find(|one| file.kind(*one) == K::TypeArguments)?;
        let mut arguments = file.children(list).filter(|one| file.kind(*one) == K::TypeProjection);
        let argument = arguments.nth(at).filter(|_| class.class == extended.class)?;
        if file.child(argument, K::NullableType).is_some() {
            return Some(true);
        }
        let path = file.child(argument, K::UserType)?;
        let names = file.children(path).filter(|one| file.kind(*one) == K::TypeIdentifier);
        match self.classifier_of_path(file, &names.collect::<Vec<_>>()) {
            Classifier::Declared(id) if self.kind(id).is_some_and(DeclarationKind::is_class) => Some(false),
            _ => None,
        }
    }

    /// Whether a function extends a type that may be null: `fun Any?.toString()`.
    pub(super) fn extends_nullable(&self, id: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(id) else { return false };
        let receiver = file.child(declaration.node, K::ReceiverType);
        receiver.is_some_and(|receiver| file.child(receiver, K::NullableType).is_some())
    }

    /// Whether the type that a parameter states is certainly one that cannot be null: a class or a function type. A type parameter may stand for
    /// what can be null, and so may an alias.
    pub(super) fn takes_no_null(&self, parameter: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(parameter) else { return false };
        stated_type(&file, declaration.node).is_some_and(|ty| match file.kind(ty) {
            K::FunctionType => true,
            K::UserType => {
                let names = file.children(ty).filter(|child| file.kind(*child) == K::TypeIdentifier);
                match self.classifier_of_path(&file, &names.collect::<Vec<_>>()) {
                    Classifier::Declared(id) => self.kind(id).is_some_and(DeclarationKind::is_class),
                    _ => false,
                }
            }
            _ => false,
        })
    }

    /// Whether a parameter takes null: its type is written with `?`, or is a type parameter without a bound that rules null out.
    pub(super) fn may_stand_for_null(&self, parameter: &ValueParameter) -> bool {
        match &parameter.ty {
            Type::Parameter(one) => self.has_nullable_bounds(*one, &mut Vec::new()),
            _ => self.is_declared_nullable(parameter.declaration),
        }
    }

    fn has_nullable_bounds(&self, parameter: DeclarationId, seen: &mut Vec<DeclarationId>) -> bool {
        // Bounds in a circle are an error.
        if seen.contains(&parameter) {
            return false;
        }
        seen.push(parameter);
        let Some((file, declaration)) = self.get(parameter) else { return false };
        let written = stated_type(&file, declaration.node);
        if written.is_some_and(|written| file.kind(written) == K::NullableType) {
            return true;
        }
        let mut bounds = self.written_bounds(parameter).into_iter();
        bounds.all(|bound| matches!(bound, Type::Parameter(one) if self.has_nullable_bounds(one, seen)))
    }

    /// Whether the type that a declaration states may be null.
    pub(super) fn is_declared_nullable(&self, id: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(id) else { return false };
        stated_type(&file, declaration.node).is_some_and(|ty| file.kind(ty) == K::NullableType)
    }
}
