//! Type arguments in place of type parameters.

use std::sync::Arc;

use super::inference::mentions;
use super::ty::{FunctionType, Type};
use super::universe::DeclarationId;

/// What type parameters stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Substitution {
    /// Each parameter once. A list: there are few.
    of: Vec<(DeclarationId, Type)>,
}

impl Substitution {
    /// Pairs parameters with arguments; a missing argument is unknown.
    pub(super) fn new(parameters: &[DeclarationId], arguments: &[Type]) -> Substitution {
        let arguments = arguments.iter().chain(std::iter::repeat(&Type::Unknown));
        Substitution { of: parameters.iter().copied().zip(arguments.cloned()).collect() }
    }

    pub(super) fn get(&self, parameter: DeclarationId) -> Option<&Type> {
        self.of.iter().find(|(known, _)| *known == parameter).map(|(_, ty)| ty)
    }

    pub(super) fn bind(&mut self, parameter: DeclarationId, ty: Type) {
        *self.bound_or_unknown(parameter) = ty;
    }

    /// Binds a parameter that stands for nothing that is known yet.
    pub(super) fn bind_unknown(&mut self, parameter: DeclarationId, ty: Type) {
        let known = self.bound_or_unknown(parameter);
        if known.is_unknown() {
            *known = ty;
        }
    }

    /// Binds those of `own` that stand for nothing that is known yet to what they stand for in `other`.
    pub(super) fn bind_open(&mut self, own: &[DeclarationId], other: &Substitution) {
        for parameter in own {
            if let Some(ty) = other.get(*parameter) {
                self.bind_unknown(*parameter, ty.clone());
            }
        }
    }

    /// Returns what a parameter stands for, and lets it stand for an unknown type if it stands for nothing.
    fn bound_or_unknown(&mut self, parameter: DeclarationId) -> &mut Type {
        let at = self.of.iter().position(|(known, _)| *known == parameter).unwrap_or_else(|| {
            self.of.push((parameter, Type::Unknown));
            self.of.len() - 1
        });
        &mut self.of[at].1
    }

    /// Whether a parameter that stands for something is in `ty`.
    pub(super) fn replaces_in(&self, ty: &Type) -> bool {
        self.of.iter().any(|(parameter, _)| mentions(ty, &[*parameter]))
    }

    /// Replaces the parameters in `ty` that stand for something.
    pub(super) fn apply(&self, ty: &Type) -> Type {
        match ty {
            Type::Parameter(parameter) => self.get(*parameter).unwrap_or(ty).clone(),
            Type::Class(class) if !class.arguments.is_empty() => {
                let arguments = class.arguments.iter().map(|argument| self.apply(argument)).collect();
                Type::class(class.class, arguments)
            }
            Type::External(class) if !class.arguments.is_empty() => {
                let arguments = class.arguments.iter().map(|argument| self.apply(argument)).collect();
                let ty = Type::outside(&class.name, arguments, class.may_give_own);
                if class.is_projected { ty.projected() } else { ty }
            }
            Type::Both(both) => Type::both(self.apply(&both.0), self.apply(&both.1)),
            Type::Function(function) => Type::Function(Arc::new(FunctionType {
                contexts: function.contexts,
                receiver: function.receiver.as_ref().map(|receiver| self.apply(receiver)),
                parameters: function.parameters.iter().map(|parameter| self.apply(parameter)).collect(),
                result: self.apply(&function.result),
            })),
            _ => ty.clone(),
        }
    }

    /// Like [`Substitution::apply`]; parameters of `own` that stand for nothing become unknown.
    pub(super) fn close(&self, ty: &Type, own: &[DeclarationId]) -> Type {
        let mut closed = self.clone();
        for parameter in own {
            closed.bound_or_unknown(*parameter);
        }
        closed.apply(ty)
    }
}
