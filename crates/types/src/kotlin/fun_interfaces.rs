//! Interfaces of one method, of which a lambda makes an object; classes that implement a function type.

use std::sync::Arc;

use super::declarations::DeclarationKind;
use super::substitution::Substitution;
use super::ty::{ClassType, FunctionType, Type};
use super::universe::{DeclarationId, Universe};
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the type of the method that a lambda implements for an interface that is declared with `fun`; `None` where there
    /// may be none, or several.
    pub(super) fn only_method(&self, class: &ClassType) -> Option<Type> {
        if self.kind(class.class) != Some(DeclarationKind::Interface) || !self.takes_lambdas(class.class) {
            return None;
        }
        let above = self.ancestors(class.class);
        if !above.is_complete {
            return None;
        }
        let itself = std::iter::once((class.class, Substitution::default()));
        let all = itself.chain(above.classes.iter().cloned());
        let mut methods = all.flat_map(|(of, substitution)| {
            self.methods_without_body(of).into_iter().map(move |id| (id, substitution.clone()))
        });
        let (method, substitution) = methods.next()?;
        // A method that it overrides is the same one.
        if methods.any(|(other, _)| self.name(other) != self.name(method) || !self.hides(method, other)) {
            return None;
        }
        if !self.type_parameters(method).is_empty() {
            return None;
        }
        let own = self.type_parameters(class.class);
        let given = Substitution::new(&own, &class.arguments);
        let of_class = |ty: &Type| given.close(&substitution.apply(ty), &own);
        let receiver = self.extension_receiver(method).map(|ty| of_class(&ty));
        let parameters = self.parameters(method).iter().map(|one| of_class(&one.ty)).collect();
        Some(Type::function(receiver, parameters, of_class(&self.declared_type(method))))
    }

    /// Returns the function type that a class implements: `class Check : (Int) -> Boolean`.
    pub(super) fn function_above(&self, ty: &Type) -> Option<Arc<FunctionType>> {
        let Type::Class(class) = ty else { return None };
        let own = Substitution::new(&self.type_parameters(class.class), &class.arguments);
        self.ancestors(class.class).functions.iter().find_map(|function| match own.apply(function) {
            Type::Function(function) => Some(function),
            _ => None,
        })
    }

    fn methods_without_body(&self, class: DeclarationId) -> Vec<DeclarationId> {
        let is_interface = self.kind(class) == Some(DeclarationKind::Interface);
        let Some((file, declaration)) = self.get(class).filter(|_| is_interface) else { return Vec::new() };
        let is_abstract = |number: &usize| {
            let one = &file.declarations[*number];
            one.kind == DeclarationKind::Function && file.child(one.node, K::FunctionBody).is_none()
        };
        let numbers = file.all_in_scope(declaration.node).filter(is_abstract);
        numbers.map(|number| DeclarationId::new(class.file, number)).collect()
    }
}
