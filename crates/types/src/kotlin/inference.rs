//! Type arguments of calls, from the types of receivers and arguments.

use super::applicability::pair_arguments;
use super::callables::{Arguments, ValueParameter};
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Binds those of `own` that stand in `pattern`, so that `actual` fits it. One that is bound already stands for what both
    /// have in common then.
    pub(super) fn unify(
        &self,
        pattern: &Type,
        actual: &Type,
        own: &[DeclarationId],
        bound: &mut Substitution,
    ) {
        match (pattern, actual) {
            (_, Type::Unknown | Type::Nothing | Type::Null) => {}
            (_, Type::Both(both)) => {
                self.unify(pattern, &both.0, own, bound);
                self.unify(pattern, &both.1, own, bound);
            }
            (Type::Both(both), _) => self.unify(&both.1, actual, own, bound),
            (Type::Parameter(parameter), _) if own.contains(parameter) => {
                let known = bound.get(*parameter).filter(|known| !known.is_unknown()).cloned();
                let ty = match (actual, known) {
                    // A number takes the type of what it stands with.
                    (Type::Integer, Some(known)) => known,
                    (Type::Integer, None) => self.library_type("kotlin", "Int", Vec::new()),
                    (_, Some(known)) => self.joined(vec![known, actual.clone()]),
                    (_, None) => actual.clone(),
                };
                let ty = self.by_own_bound(*parameter, ty);
                bound.bind(*parameter, ty);
            }
            (Type::Class(wanted), Type::Class(given)) => {
                let Some(arguments) = self.arguments_as(given.class, &given.arguments, wanted.class) else {
                    return;
                };
                for (wanted, given) in wanted.arguments.iter().zip(&arguments) {
                    self.unify(wanted, given, own, bound);
                }
            }
            (Type::External(wanted), Type::External(given)) if wanted.name == given.name => {
                if wanted.is_projected || given.is_projected {
                    return;
                }
                // Whether its parameters are declared with `in` or `out` is not known.
                let mut taken = Substitution::default();
                for (wanted, given) in wanted.arguments.iter().zip(&given.arguments) {
                    self.unify(wanted, given, own, &mut taken);
                }
                for parameter in own {
                    let differs = |other: &&Type| {
                        let known = bound.get(*parameter).filter(|known| !known.is_unknown());
                        !other.is_unknown() && known.is_some_and(|known| known != *other)
                    };
                    if taken.get(*parameter).filter(differs).is_some() {
                        taken.bind(*parameter, Type::Unknown);
                        bound.bind(*parameter, Type::Unknown);
                    }
                }
                bound.bind_open(own, &taken);
            }
            // What an object from outside holds is from outside, too.
            (Type::Class(wanted), Type::External(_)) if self.is_plain(actual) => {
                for wanted in &wanted.arguments {
                    self.unify(wanted, &Type::foreign(), own, bound);
                }
            }
            (Type::Class(_), Type::Parameter(parameter)) => {
                for bound_type in self.bounds(*parameter) {
                    self.unify(pattern, &bound_type, own, bound);
                }
            }
            (Type::Function(wanted), Type::Function(given)) => {
                // What a function takes may be wider than what it is given.
                let mut taken = Substitution::default();
                if let (Some(wanted), Some(given)) = (&wanted.receiver, &given.receiver) {
                    self.unify(wanted, given, own, &mut taken);
                }
                for (wanted, given) in wanted.parameters.iter().zip(&given.parameters) {
                    self.unify(wanted, given, own, &mut taken);
                }
                bound.bind_open(own, &taken);
                self.unify(&wanted.result, &given.result, own, bound);
            }
            _ => {}
        }
    }

    /// Returns the type that a parameter with a bound like `T : Base<T>` stands for when it is given `ty`: for an object of a class below
    /// `Base<A>` that is `A`, because `Base` takes no other.
    fn by_own_bound(&self, parameter: DeclarationId, ty: Type) -> Type {
        let Type::Class(class) = &ty else { return ty };
        let stands = self.bounds(parameter).into_iter().find_map(|bound| {
            let Type::Class(bound) = bound else { return None };
            let at = bound.arguments.iter().position(|one| *one == Type::Parameter(parameter))?;
            let is_exact =
                self.type_parameters(bound.class).get(at).is_some_and(|one| !self.is_variant(*one));
            let given = self.arguments_as(class.class, &class.arguments, bound.class)?;
            given.into_iter().nth(at).filter(|one| is_exact && matches!(one, Type::Class(_)))
        });
        stands.unwrap_or(ty)
    }

    /// Binds those of `own` that only bounds name: of `fun <E, T : Table<E>> rows(of: T)` a table of coins fixes `E`, too, because
    /// `Table` takes no other. With `out E`, of the class or of the bound, an argument whose type is not known might make it wider.
    pub(super) fn bind_by_bounds(&self, own: &[DeclarationId], bound: &mut Substitution) {
        let is_open = |one: &DeclarationId| bound.get(*one).is_none_or(Type::is_unknown);
        let open: Vec<DeclarationId> = own.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            return;
        }
        for parameter in own {
            let Some(Type::Class(given)) = bound.get(*parameter).cloned() else { continue };
            for wanted in self.written_bounds(*parameter) {
                let Type::Class(wanted) = wanted else { continue };
                if wanted.is_projected {
                    continue;
                }
                let Some(arguments) = self.arguments_as(given.class, &given.arguments, wanted.class) else {
                    continue;
                };
                let declared = self.type_parameters(wanted.class);
                for ((wanted, given), declared) in wanted.arguments.iter().zip(&arguments).zip(declared) {
                    if !self.is_variant(declared) && mentions(wanted, &open) {
                        self.unify(wanted, given, &open, bound);
                    }
                }
            }
        }
    }

    /// Adds to `open` those of `own` that stand in `pattern` where the type in `actual` is not known.
    pub(super) fn left_open(
        &self,
        pattern: &Type,
        actual: &Type,
        own: &[DeclarationId],
        open: &mut Vec<DeclarationId>,
    ) {
        match (pattern, actual) {
            (Type::Parameter(parameter), actual) if actual.is_unknown() && own.contains(parameter) => {
                open.push(*parameter);
            }
            (Type::Class(wanted), Type::Class(given)) => {
                let arguments = self.arguments_as(given.class, &given.arguments, wanted.class);
                for (wanted, given) in wanted.arguments.iter().zip(arguments.iter().flatten()) {
                    self.left_open(wanted, given, own, open);
                }
            }
            _ => {}
        }
    }

    /// Returns the type arguments of a class seen as one of the classes above it.
    pub(super) fn arguments_as(
        &self,
        class: DeclarationId,
        arguments: &[Type],
        above: DeclarationId,
    ) -> Option<Vec<Type>> {
        if class == above {
            return Some(arguments.to_vec());
        }
        let own = Substitution::new(&self.type_parameters(class), arguments);
        let all = self.ancestors(class);
        let (_, substitution) = all.classes.iter().find(|(known, _)| *known == above)?;
        let parameters = self.type_parameters(above);
        let argument = |parameter: &DeclarationId| {
            substitution.get(*parameter).map_or(Type::Unknown, |ty| own.apply(ty))
        };
        Some(parameters.iter().map(argument).collect())
    }

    /// Returns what the type parameters of a called function stand for: by type arguments, else by the
    /// arguments, those that are no lambdas first.
    pub(super) fn infer(
        &self,
        file: &ProjectFile,
        parameters: &[ValueParameter],
        arguments: &Arguments,
        own: &[DeclarationId],
        bound: &mut Substitution,
        until: Option<NodeId>,
    ) {
        if let Some(list) = arguments.types {
            for (parameter, ty) in own.iter().zip(self.type_arguments(file, list)) {
                bound.bind(*parameter, ty);
            }
            if own.iter().all(|one| bound.get(*one).is_some_and(|ty| !ty.is_unknown())) {
                return;
            }
        }
        let Some(pairs) = pair_arguments(parameters, arguments) else { return };
        let mut undecided = Vec::new();
        for (at, value, is_array) in &pairs {
            if !is_function_value(file, *value) && mentions(&parameters[*at].ty, own) {
                let given = self.expression_type(file, *value);
                let actual = if *is_array { self.element_type(file, *value, &given) } else { given };
                self.unify(&parameters[*at].ty, &actual, own, bound);
                self.left_open(&parameters[*at].ty, &actual, own, &mut undecided);
            }
        }
        // `listOf(circle, unknown)` holds circles and something else.
        undecided.into_iter().for_each(|parameter| bound.bind(parameter, Type::Unknown));
        self.bind_by_lower_bounds(own, bound);
        for (at, value, _) in &pairs {
            // The type of a lambda's parameters is asked for: its own body tells nothing of it.
            if until == Some(*value) {
                return;
            }
            if is_function_value(file, *value) && mentions(&parameters[*at].ty, own) {
                let expected = bound.close(&parameters[*at].ty, own);
                let actual = self.lambda_type(file, *value, &expected);
                self.unify(&parameters[*at].ty, &actual, own, bound);
            }
        }
        for (at, value, _) in &pairs {
            let Type::Function(wanted) = &parameters[*at].ty else { continue };
            let Some(Type::Class(object)) = &wanted.receiver else { continue };
            let is_open = |one: &DeclarationId| {
                bound.get(*one).is_none_or(Type::is_unknown)
                    && object.arguments.iter().any(|argument| mentions(argument, &[*one]))
            };
            let open: Vec<DeclarationId> = own.iter().copied().filter(is_open).collect();
            if until.is_none() && !open.is_empty() && file.kind(*value) == K::LambdaLiteral {
                self.bind_by_body(file, *value, object, &open, bound);
            }
        }
    }

    /// Binds type parameters that nothing else decides to what those below them stand for: `S` of `<S, T : S>`.
    fn bind_by_lower_bounds(&self, own: &[DeclarationId], bound: &mut Substitution) {
        for parameter in own {
            let is_below = |one: &DeclarationId| self.bounds(*one).contains(&Type::Parameter(*parameter));
            let below: Vec<Type> =
                own.iter().filter(|one| is_below(one)).filter_map(|one| bound.get(*one)).cloned().collect();
            if !below.is_empty() {
                bound.bind_unknown(*parameter, self.joined(below));
            }
        }
    }
}

/// Whether an argument is a lambda or an anonymous function.
pub(super) fn is_function_value(file: &SourceFile, value: NodeId) -> bool {
    matches!(file.kind(value), K::LambdaLiteral | K::AnonymousFunction)
}

/// Whether a type holds one of these parameters.
pub(super) fn mentions(ty: &Type, own: &[DeclarationId]) -> bool {
    match ty {
        Type::Parameter(parameter) => own.contains(parameter),
        Type::Class(class) => class.arguments.iter().any(|argument| mentions(argument, own)),
        Type::External(class) => class.arguments.iter().any(|argument| mentions(argument, own)),
        Type::Function(function) => {
            function.receiver.iter().chain(&function.parameters).any(|part| mentions(part, own))
                || mentions(&function.result, own)
        }
        Type::Both(both) => mentions(&both.0, own) || mentions(&both.1, own),
        _ => false,
    }
}
