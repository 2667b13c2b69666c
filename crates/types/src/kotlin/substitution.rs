//! Type arguments in place of type parameters.

use std::collections::HashMap;
use std::sync::Arc;

use super::ty::{FunctionType, Type};
use super::universe::DeclarationId;

/// What type parameters stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Substitution {
    of: HashMap<DeclarationId, Type>,
}

impl Substitution {
    /// Pairs parameters with arguments; a missing argument is unknown.
    pub(super) fn new(parameters: &[DeclarationId], arguments: &[Type]) -> Substitution {
        let pairs = parameters
            .iter()
            .enumerate()
            .map(|(number, parameter)| (*parameter, arguments.get(number).cloned().unwrap_or(Type::Unknown)));
        Substitution { of: pairs.collect() }
    }

    pub(super) fn get(&self, parameter: DeclarationId) -> Option<&Type> {
        self.of.get(&parameter)
    }

    pub(super) fn bind(&mut self, parameter: DeclarationId, ty: Type) {
        self.of.insert(parameter, ty);
    }

    /// Binds a parameter that stands for nothing that is known yet.
    pub(super) fn bind_unknown(&mut self, parameter: DeclarationId, ty: Type) {
        let known = self.of.entry(parameter).or_insert(Type::Unknown);
        if known.is_unknown() {
            *known = ty;
        }
    }

    /// Replaces the parameters in `ty` that stand for something.
    pub(super) fn apply(&self, ty: &Type) -> Type {
        match ty {
            Type::Parameter(parameter) => self.of.get(parameter).unwrap_or(ty).clone(),
            Type::Class(class) if !class.arguments.is_empty() => {
                let arguments = class.arguments.iter().map(|argument| self.apply(argument)).collect();
                Type::class(class.class, arguments)
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
            closed.of.entry(*parameter).or_insert(Type::Unknown);
        }
        closed.apply(ty)
    }
}
