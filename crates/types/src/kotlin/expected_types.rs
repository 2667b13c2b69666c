//! The types that are expected of expressions by the place where they stand. They decide type parameters that the arguments of a call
//! leave open: `fun shape(): Lens<Box, Size> = Lens({ it.size }, …)`.

use super::applicability::pair_arguments;
use super::callables::Arguments;
use super::classes::Member;
use super::inference::mentions;
use super::resolve::Certainty;
use super::substitution::Substitution;
use super::ty::Type;
use super::type_references::stated_type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the type that is written for what an expression gives: of the variable, the function or the lambda whose value it is.
    /// Unknown where none is.
    pub(super) fn expected_type(&self, file: &ProjectFile, expression: NodeId) -> Type {
        let mut child = expression;
        for holder in file.ancestors(expression) {
            match file.kind(holder) {
                K::ParenthesizedExpression | K::ControlStructureBody => {}
                K::ElvisExpression | K::WhenExpression => {}
                K::IfExpression | K::WhenEntry if file.kind(child) == K::ControlStructureBody => {}
                K::Statements if file.children(holder).last() == Some(child) => {}
                K::LambdaLiteral => {
                    let unit = self.library_type("kotlin", "Unit", Vec::new());
                    return match self.expected_lambda(file, holder) {
                        // Where nothing is wanted, any value is given up.
                        Type::Function(function) if function.result != unit => function.result.clone(),
                        _ => Type::Unknown,
                    };
                }
                K::PropertyDeclaration => {
                    let variable = file.child(holder, K::VariableDeclaration);
                    let ty = variable.and_then(|variable| self.type_in(file, variable));
                    return ty.unwrap_or(Type::Unknown);
                }
                // A block gives its result by `return`.
                K::FunctionBody if file.kind(child) != K::Statements => {
                    return self.written_result(file, holder);
                }
                K::JumpExpression => return self.returned_by(file, holder),
                K::ValueArgument => return self.expected_of_argument(file, holder, child),
                _ => return Type::Unknown,
            }
            child = holder;
        }
        Type::Unknown
    }

    /// Returns the type of the parameter that an argument is for, where one function alone may be called, by what its object and its other
    /// arguments tell.
    fn expected_of_argument(&self, file: &ProjectFile, argument: NodeId, value: NodeId) -> Type {
        let suffix = file.parent(argument).and_then(|list| file.parent(list));
        let Some(suffix) = suffix.filter(|suffix| file.kind(*suffix) == K::CallSuffix) else {
            return Type::Unknown;
        };
        let arguments = Arguments::of(file, suffix);
        let Some(call) = self.call_of_suffix(file, suffix, &arguments) else { return Type::Unknown };
        let [called] = &call.candidates[..] else { return Type::Unknown };
        let parameters = self.parameters(called.declaration);
        let pairs = pair_arguments(&parameters, &arguments).unwrap_or_default();
        let Some((at, ..)) = pairs.iter().find(|(_, given, _)| *given == value) else { return Type::Unknown };
        if call.certainty == Certainty::Possible {
            return Type::Unknown;
        }
        let bound = self.bound_by_call(file, called, call.receiver.as_ref(), &arguments, Some(value));
        bound.close(&parameters[*at].ty, &self.type_parameters(called.declaration))
    }

    /// Returns the type that the function around a `return` writes; unknown for a jump with a label.
    fn returned_by(&self, file: &ProjectFile, jump: NodeId) -> Type {
        if !file.text_of(jump).starts_with("return") || file.text_of(jump).starts_with("return@") {
            return Type::Unknown;
        }
        let body = file.ancestors(jump).find(|above| file.kind(*above) == K::FunctionBody);
        body.map_or(Type::Unknown, |body| self.written_result(file, body))
    }

    /// Returns the type that is written for the result of the function, or of the property with the getter, that a body is of.
    fn written_result(&self, file: &ProjectFile, body: NodeId) -> Type {
        let Some(holder) = file.parent(body) else { return Type::Unknown };
        let of_property = || {
            let property = file.parent(holder).filter(|above| file.kind(*above) == K::PropertyDeclaration)?;
            self.type_in(file, file.child(property, K::VariableDeclaration)?)
        };
        let ty = match file.kind(holder) {
            K::FunctionDeclaration => stated_type(file, holder).map(|ty| self.written_type(file, ty)),
            K::Getter => self.type_in(file, holder).or_else(of_property),
            _ => None,
        };
        ty.unwrap_or(Type::Unknown)
    }

    /// Binds those type parameters of a called function that neither the receiver nor a value decides, where what is expected of its result
    /// tells. `given` are the types of the parameters that take values. What a value of an unknown type decides stays unknown: its type
    /// may be narrower than the expected one.
    pub(super) fn bind_expected(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        called: &Member,
        given: &[&Type],
        bound: &mut Substitution,
    ) {
        let mut own = self.type_parameters(called.declaration);
        own.retain(|one| bound.get(*one).is_none_or(Type::is_unknown));
        if own.is_empty() {
            return;
        }
        let receiver = self.extension_receiver(called.declaration);
        own.retain(|one| {
            let decides = |ty: &Type| mentions(ty, &[*one]);
            !receiver.as_ref().is_some_and(decides) && !given.iter().any(|ty| decides(ty))
        });
        let Some(expected) = self.expected_of_call(file, suffix) else { return };
        let result = self.written_or_made(called.declaration);
        self.bind_result(&result, &expected, &own, bound);
    }

    /// Returns what is expected of a call; `None` where that is not known.
    pub(super) fn expected_of_call(&self, file: &ProjectFile, suffix: NodeId) -> Option<Type> {
        let call = file.parent(suffix).filter(|call| file.kind(*call) == K::CallExpression)?;
        Some(self.expected_type(file, call)).filter(|ty| !ty.is_unknown())
    }

    /// Returns the type that a function is declared to return, or that a constructor makes.
    fn written_or_made(&self, callable: DeclarationId) -> Type {
        let Some((file, declaration)) = self.get(callable) else { return Type::Unknown };
        if file.kind(declaration.node) == K::FunctionDeclaration {
            let written = stated_type(&file, declaration.node);
            return written.map_or(Type::Unknown, |ty| self.written_type(&file, ty));
        }
        self.class_of(callable).map_or(Type::Unknown, |class| self.self_type(class))
    }

    /// Binds open ones of `own`, so that `result` fits what is expected.
    fn bind_result(&self, result: &Type, expected: &Type, own: &[DeclarationId], bound: &mut Substitution) {
        match (result, expected) {
            (Type::Parameter(parameter), Type::Class(_) | Type::Function(_) | Type::Parameter(_))
                if own.contains(parameter) =>
            {
                bound.bind_unknown(*parameter, expected.clone());
            }
            (Type::Class(made), Type::Class(wanted)) => {
                let given = self.arguments_as(made.class, &made.arguments, wanted.class);
                for (given, wanted) in given.iter().flatten().zip(&wanted.arguments) {
                    self.bind_result(given, wanted, own, bound);
                }
            }
            (Type::External(made), Type::External(wanted)) if made.name == wanted.name => {
                for (made, wanted) in made.arguments.iter().zip(&wanted.arguments) {
                    self.bind_result(made, wanted, own, bound);
                }
            }
            (Type::Function(made), Type::Function(wanted)) => {
                let pairs = made.parameters.iter().zip(&wanted.parameters);
                for (made, wanted) in pairs.chain([(&made.result, &wanted.result)]) {
                    self.bind_result(made, wanted, own, bound);
                }
            }
            _ => {}
        }
    }

    /// Returns the type of the object that a lambda behind the name of an interface makes, from what is written or expected.
    pub(super) fn made_by_lambda(
        &self,
        file: &ProjectFile,
        interface: DeclarationId,
        suffix: NodeId,
        arguments: &Arguments,
    ) -> Type {
        if let Some(types) = arguments.types {
            return Type::class(interface, self.type_arguments(file, types));
        }
        match self.expected_of_call(file, suffix) {
            Some(Type::Class(wanted)) if wanted.class == self.representative(interface) => {
                Type::Class(wanted)
            }
            _ => Type::class(interface, Vec::new()),
        }
    }
}
