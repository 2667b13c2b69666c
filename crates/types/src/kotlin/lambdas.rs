//! Lambdas: the types that are expected of them, and their own.

use std::sync::Arc;

use super::applicability::{is_lambda_parameter, pair_arguments};
use super::callables::{Arguments, CallForm};
use super::declarations::DeclarationKind;
use super::inference::is_function_value;
use super::lookup::{Lookup, NameUse};
use super::ty::{FunctionType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the function type that is expected of a lambda: what it is passed to, assigned to or returned
    /// as determines it. Unknown where that is not known; `Nothing` where it stands alone.
    pub(super) fn expected_lambda(&self, file: &ProjectFile, lambda: NodeId) -> Type {
        let (memo, guard) = (&self.findings.lambda_types, (Work::ExpectedLambda, file.key, lambda));
        let find = || self.find_expected(file, lambda);
        let found = self.remembered_and_guarded(memo, (file.key, lambda), guard, find);
        found.unwrap_or(Type::Unknown)
    }

    fn find_expected(&self, file: &ProjectFile, lambda: NodeId) -> Type {
        let Some(holder) = file.parent(lambda) else { return Type::Unknown };
        // `name@{ … }`
        if file.kind(holder) == K::PrefixExpression && file.child(holder, K::Label).is_some() {
            return self.expected_of_value(file, holder, lambda);
        }
        self.expected_of_value(file, lambda, lambda)
    }

    /// Returns the function type that is expected of a value, which is the lambda, the lambda with its label, or a reference.
    pub(super) fn expected_of_value(&self, file: &ProjectFile, value: NodeId, lambda: NodeId) -> Type {
        let Some(holder) = file.parent(value) else { return Type::Unknown };
        let written = |node: Option<NodeId>| node.and_then(|node| self.type_in(file, node));
        let function = |ty: Option<Type>| ty.map_or(Type::Unknown, |ty| self.as_function(ty));
        match file.kind(holder) {
            K::AnnotatedLambda | K::ValueArgument => {
                let suffix = file.ancestors(lambda).find(|above| {
                    matches!(
                        file.kind(*above),
                        K::CallSuffix
                            | K::ConstructorInvocation
                            | K::ConstructorDelegationCall
                            | K::EnumEntry
                    )
                });
                suffix.map_or(Type::Unknown, |suffix| self.expected_argument(file, suffix, lambda))
            }
            K::PropertyDeclaration => match file.child(holder, K::VariableDeclaration) {
                Some(variable) => written(Some(variable)).map_or(Type::Nothing, |ty| self.as_function(ty)),
                None => Type::Unknown,
            },
            // A parameter's default value stands behind it.
            K::FunctionValueParameters => {
                let before = file.children(holder).take_while(|child| *child != value);
                function(written(before.filter(|before| file.kind(*before) == K::Parameter).last()))
            }
            K::ClassParameter => function(written(Some(holder))),
            K::FunctionBody => function(written(file.parent(holder))),
            // Both sides of `?:` are of one type; what is assigned is of the target's.
            K::ElvisExpression | K::Assignment => {
                let first = file.children(holder).next().filter(|first| *first != value);
                function(first.map(|first| self.expression_type(file, first)))
            }
            // `object name { … }`
            K::InfixExpression => match file.children(holder).collect::<Vec<_>>()[..] {
                [left, name, right] if right == value => {
                    if let Some((call, arguments)) = self.resolve_split(file, holder) {
                        return self.expected_by(file, (holder, &call), &arguments, lambda);
                    }
                    let receiver = self.expression_type(file, left);
                    let arguments = Arguments::operands(&[lambda], CallForm::Infix);
                    let wanted = NameUse::Call(&arguments);
                    let call = self.find_member(file, name, &receiver, file.name_text(name), wanted);
                    self.expected_by(file, (holder, &call), &arguments, lambda)
                }
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }

    /// Returns the type of the parameter that an argument of a call is for.
    fn expected_argument(&self, file: &ProjectFile, suffix: NodeId, argument: NodeId) -> Type {
        let arguments = Arguments::of(file, suffix);
        match self.call_of_suffix(file, suffix, &arguments) {
            Some(call) => self.expected_by(file, (suffix, &call), &arguments, argument),
            None => Type::Unknown,
        }
    }

    /// Returns the type of the parameter that an argument is for, of what is called at a node.
    fn expected_by(
        &self,
        file: &ProjectFile,
        (suffix, call): (NodeId, &Lookup),
        arguments: &Arguments,
        argument: NodeId,
    ) -> Type {
        let mut expected: Option<Type> = None;
        for candidate in &call.candidates {
            if self.kind(candidate.declaration) == Some(DeclarationKind::Interface) {
                // `Handler { … }` makes an object of an interface.
                return self.as_function(self.made_by_lambda(file, candidate.declaration, suffix, arguments));
            }
            if self.kind(candidate.declaration).is_some_and(DeclarationKind::is_variable) {
                let Type::Function(function) = self.member_type(candidate, call.receiver.as_ref()) else {
                    return Type::Unknown;
                };
                return self.as_function(value_parameter(&function, arguments, argument));
            }
            let parameters = self.parameters(candidate.declaration);
            let Some(pairs) = pair_arguments(&parameters, arguments) else { continue };
            let Some((at, ..)) = pairs.iter().find(|(_, value, _)| *value == argument) else { continue };
            let mut bound =
                self.bound_by_call(file, candidate, call.receiver.as_ref(), arguments, Some(argument));
            let values = pairs.iter().filter(|(_, value, _)| !is_function_value(file, *value));
            let given: Vec<&Type> = values.map(|(at, ..)| &parameters[*at].ty).collect();
            self.bind_expected(file, suffix, candidate, &given, &mut bound);
            let own = self.type_parameters(candidate.declaration);
            let ty = self.as_function(bound.close(&parameters[*at].ty, &own));
            match &expected {
                None => expected = Some(ty),
                Some(known) if has_same_shape(known, &ty) => {}
                Some(known) => match self.plain_function(known, &ty) {
                    Some(plain) if self.takes_nothing_own(file, arguments, argument) => {
                        expected = Some(plain)
                    }
                    _ => return Type::Unknown,
                },
            }
        }
        expected.unwrap_or(Type::Unknown)
    }

    /// Returns the type of a lambda or an anonymous function where `expected` is expected.
    pub(super) fn lambda_type(&self, file: &ProjectFile, node: NodeId, expected: &Type) -> Type {
        if file.kind(node) == K::AnonymousFunction {
            let number = file.declaration_of(node);
            let id = number.map(|number| DeclarationId::new(file.key, number));
            return id.map_or(Type::Unknown, |id| {
                let parameters = self.parameters(id).into_iter().map(|parameter| parameter.ty).collect();
                Type::function(self.extension_receiver(id), parameters, self.declared_type(id))
            });
        }
        let result = self.body_type(file, node);
        match expected {
            Type::Function(function) => {
                let (receiver, parameters) = (function.receiver.clone(), function.parameters.clone());
                Type::Function(Arc::new(FunctionType {
                    contexts: function.contexts,
                    receiver,
                    parameters,
                    result,
                }))
            }
            _ => {
                let written = file.child(node, K::LambdaParameters).map_or(Vec::new(), |list| {
                    let own = file.children(list).filter(|one| is_lambda_parameter(file, *one));
                    own.map(|one| self.type_in(file, one).unwrap_or(Type::Unknown)).collect()
                });
                Type::function(None, written, result)
            }
        }
    }

    /// Returns a function type as it is, that of an interface's one method for the interface; unknown for any other type.
    pub(super) fn as_function(&self, ty: Type) -> Type {
        match &ty {
            Type::Function(_) => ty,
            Type::Class(class) => self.only_method(class).unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        }
    }

    /// Returns the type of a lambda's last expression.
    fn body_type(&self, file: &ProjectFile, lambda: NodeId) -> Type {
        let statements = file.child(lambda, K::Statements);
        let last = statements.and_then(|statements| file.children(statements).last());
        match last {
            Some(last) => self.statement_type(file, last),
            None => self.library_type("kotlin", "Unit", Vec::new()),
        }
    }
}

/// Returns the type of the parameter that an argument is for, where a value of a function type is called.
fn value_parameter(function: &FunctionType, arguments: &Arguments, argument: NodeId) -> Type {
    let values = arguments.values.iter().map(|one| one.value).chain(arguments.lambda);
    let at = values.take_while(|value| *value != argument).count();
    // The receiver may be given as the first argument.
    let receiver = function.receiver.iter().filter(|_| arguments.count() > function.parameters.len());
    receiver.chain(&function.parameters).nth(at).cloned().unwrap_or(Type::Unknown)
}

fn has_same_shape(one: &Type, two: &Type) -> bool {
    match (one, two) {
        (Type::Function(one), Type::Function(two)) => {
            one.receiver == two.receiver && one.parameters == two.parameters
        }
        _ => one == two,
    }
}
