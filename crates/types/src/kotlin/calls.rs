//! What calls call, and what they return.

use super::applicability::pair_arguments;
use super::callables::Arguments;
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::qualifiers::Qualifier;
use super::resolve::Certainty;
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::Type;
use super::type_references::{Classifier, type_node};
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the type that a call returns.
    pub(super) fn call_type(&self, file: &ProjectFile, call: NodeId) -> Type {
        let Some(suffix) = file.child(call, K::CallSuffix) else { return Type::Unknown };
        let arguments = Arguments::of(file, suffix);
        if let Some(made) = self.made_for_enum(file, call) {
            return made;
        }
        match self.call_of_suffix(file, suffix, &arguments) {
            Some(Lookup { candidates, java_class: Some(class), .. }) if candidates.is_empty() => {
                let name = callee_of(file, call).and_then(|callee| callee_name(file, callee));
                name.filter(|_| arguments.are_none())
                    .map_or(Type::Unknown, |name| self.given_by_java(&class, file.name_text(name), true))
            }
            Some(lookup) if lookup.candidates.is_empty() => {
                let found = self.result_of_value(file, call).unwrap_or_else(|| self.made_outside(file, call));
                match found {
                    Type::Unknown if !lookup.may_be_other => self.given_outside(file, call),
                    found => found,
                }
            }
            Some(lookup) => match self.result_type(file, &lookup, &arguments) {
                Type::Unknown => self.given_by_either(file, call, &lookup),
                ty => ty,
            },
            None => self.result_of_value(file, call).unwrap_or(Type::Unknown),
        }
    }

    /// Returns what a value of a function type returns that is no variable by its name: `table["x"]!!(4)`, `f.invoke(4)`.
    fn result_of_value(&self, file: &ProjectFile, call: NodeId) -> Option<Type> {
        let callee = callee_of(file, call)?;
        let called = match file.kind(callee) {
            K::SimpleIdentifier => return None,
            K::NavigationExpression => {
                let suffix = file.children(callee).last()?;
                let name = file.child(suffix, K::SimpleIdentifier)?;
                match self.before_suffix(file, suffix).filter(|_| file.name_text(name) == "invoke")? {
                    Qualifier::Value(ty) => ty,
                    _ => return None,
                }
            }
            _ => self.expression_type(file, callee),
        };
        match called {
            Type::Function(function) => Some(function.result.clone()),
            _ => None,
        }
    }

    /// Returns the type of what a constructor from outside makes, or a function that is named like a class: hardly one of the project's.
    fn made_outside(&self, file: &ProjectFile, call: NodeId) -> Type {
        let callee = file.children(call).next().filter(|callee| file.kind(*callee) == K::SimpleIdentifier);
        let Some(callee) = callee else { return Type::Unknown };
        let name = file.name_text(callee);
        let is_class = name.starts_with(char::is_uppercase);
        match self.classifier(file, callee, name) {
            Classifier::External(path) if is_class => {
                let suffix = file.child(call, K::CallSuffix);
                let types = suffix.and_then(|suffix| file.child(suffix, K::TypeArguments));
                let types = match (types, suffix) {
                    (Some(types), _) => self.type_arguments(file, types),
                    // What it holds is of what it is given.
                    (None, Some(suffix)) if !self.holds_nothing_own(file, suffix) => vec![Type::Unknown; 2],
                    (None, _) => Vec::new(),
                };
                match self.outside_type(&path, types) {
                    known @ Type::Both(_) => known,
                    _ => Type::LikelyExternal(name.into()),
                }
            }
            Classifier::Java(path) if is_class => Type::Java(path.as_str().into()),
            _ => Type::Unknown,
        }
    }

    /// Returns the type of `Enum.values()` and `Enum.valueOf(name)`, which the compiler makes; within the enum without its name.
    fn made_for_enum(&self, file: &ProjectFile, call: NodeId) -> Option<Type> {
        let callee = file.children(call).next()?;
        let is_made = |name: &str| matches!(name, "values" | "valueOf");
        let (name, class) = match file.kind(callee) {
            K::NavigationExpression => {
                let suffix = file.children(callee).last()?;
                let name = file.name_text(file.child(suffix, K::SimpleIdentifier)?);
                match is_made(name).then(|| self.before_suffix(file, suffix)).flatten()? {
                    Qualifier::Class(class) => (name, class),
                    _ => return None,
                }
            }
            K::SimpleIdentifier if is_made(file.name_text(callee)) => {
                let (name, class) = (file.name_text(callee), self.enum_around(file, callee)?);
                let found = self.find_bare(file, callee, name, NameUse::Reference);
                if !found.candidates.is_empty() || found.may_be_other {
                    return None;
                }
                (name, class)
            }
            _ => return None,
        };
        let class = self.class_behind(class)?;
        let is_enum = self.kind(class) == Some(DeclarationKind::EnumClass);
        let entry = Type::class(class, Vec::new());
        match (is_enum, name) {
            (false, _) => None,
            (true, "values") => Some(self.library_type("kotlin", "Array", vec![entry])),
            (true, _) => Some(entry),
        }
    }

    /// Returns what a call of the found declarations returns.
    pub(super) fn result_type(&self, file: &ProjectFile, lookup: &Lookup, arguments: &Arguments) -> Type {
        if lookup.certainty == Certainty::Possible {
            return Type::Unknown;
        }
        let receiver = lookup.receiver.as_ref();
        let result = |member: &Member| {
            let id = member.declaration;
            let own = self.type_parameters(id);
            match self.kind(id) {
                Some(DeclarationKind::Function) => {
                    let bound = self.bound_by_call(file, member, receiver, arguments, None);
                    bound.close(&self.declared_type(id), &own)
                }
                Some(DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor) => {
                    // `copy` returns what it is called on.
                    if let Some(receiver @ Type::Class(of)) = receiver
                        && self.class_of(id) == Some(of.class)
                    {
                        return receiver.clone();
                    }
                    let bound = self.bound_by_call(file, member, receiver, arguments, None);
                    self.class_of(id).map_or(Type::Unknown, |class| bound.close(&self.self_type(class), &own))
                }
                Some(DeclarationKind::TypeAlias) => {
                    let types = arguments.types.map(|types| self.type_arguments(file, types));
                    let types = types.unwrap_or_default();
                    match self.aliased(id, &types) {
                        Type::Class(class) => {
                            Type::class(self.representative(class.class), class.arguments.clone())
                        }
                        // Only a class can be made so.
                        ty @ (Type::External(_) | Type::Both(_)) => ty,
                        _ => Type::Unknown,
                    }
                }
                Some(kind) if kind.is_object() => Type::Unknown,
                Some(kind) if kind.is_class() => {
                    let types = arguments.types.map(|types| self.type_arguments(file, types));
                    Type::class(self.representative(id), types.unwrap_or_default())
                }
                Some(kind) if kind.is_variable() => match self.member_type(member, receiver) {
                    Type::Function(function) => function.result.clone(),
                    ty => self.function_above(&ty).map_or(Type::Unknown, |above| above.result.clone()),
                },
                _ => Type::Unknown,
            }
        };
        // What an `actual` alias stands for has the members of the `expect` class.
        let is_half = |one: &&Member| {
            self.kind(one.declaration) == Some(DeclarationKind::TypeAlias)
                && !self.counterparts(one.declaration).is_empty()
        };
        let mut whole: Vec<&Member> = lookup.candidates.iter().filter(|one| !is_half(one)).collect();
        if whole.is_empty() {
            whole = lookup.candidates.iter().collect();
        }
        let takes = |one: &Member| self.takes_lambda_results(file, one, receiver, arguments);
        if whole.len() > 1 && whole.iter().any(|one| takes(one)) {
            whole.retain(|one| takes(one));
        }
        self.common_type(whole.into_iter(), result)
    }

    /// Whether what the lambdas of a call give may be what a function takes: `flatMap` takes a list from its lambda, or a sequence.
    fn takes_lambda_results(
        &self,
        file: &ProjectFile,
        member: &Member,
        receiver: Option<&Type>,
        arguments: &Arguments,
    ) -> bool {
        let parameters = self.parameters(member.declaration);
        let Some(pairs) = pair_arguments(&parameters, arguments) else { return true };
        let own = self.type_parameters(member.declaration);
        let lambdas = pairs.iter().filter(|(_, value, _)| file.kind(*value) == K::LambdaLiteral);
        let mut lambdas = lambdas.peekable();
        if lambdas.peek().is_none() {
            return true;
        }
        let bound = self.bound_by_call(file, member, receiver, arguments, None);
        lambdas.all(|(at, value, _)| {
            let Type::Function(wanted) = &parameters[*at].ty else { return true };
            let expected = bound.close(&parameters[*at].ty, &own);
            match self.lambda_type(file, *value, &expected) {
                Type::Function(given) => self.fits(&given.result, &wanted.result, &own) != Fit::No,
                _ => true,
            }
        })
    }

    /// Returns what type parameters stand for in a call; `until` is the lambda whose parameters are asked for.
    pub(super) fn bound_by_call(
        &self,
        file: &ProjectFile,
        member: &Member,
        receiver: Option<&Type>,
        arguments: &Arguments,
        until: Option<NodeId>,
    ) -> Substitution {
        let own = self.type_parameters(member.declaration);
        let mut bound = member.substitution.clone();
        if let (Some(wanted), Some(actual)) = (self.extension_receiver(member.declaration), receiver) {
            self.unify(&bound.apply(&wanted), actual, &own, &mut bound);
        }
        let mut parameters = self.parameters(member.declaration);
        for parameter in &mut parameters {
            // The object is only one of the values that determine what the function's own ones stand for.
            parameter.ty = member.substitution.apply(&parameter.ty);
        }
        self.infer(file, &parameters, arguments, &own, &mut bound, until);
        self.bind_by_bounds(&own, &mut bound);
        bound
    }

    /// Resolves what the call with this suffix calls: classes give way to their constructors, and values to their `invoke`.
    pub(super) fn call_of_suffix(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        arguments: &Arguments,
    ) -> Option<Lookup> {
        let lookup = match file.kind(suffix) {
            K::ConstructorInvocation => {
                let names = type_node(file, suffix)?;
                match self.written_type(file, names) {
                    Type::Class(class) => Lookup::one(class.class),
                    _ => return None,
                }
            }
            K::EnumEntry => Lookup::one(file.class_around(suffix)?),
            K::ConstructorDelegationCall => {
                let class = file.class_around(suffix)?;
                match file.child(suffix, K::SuperToken) {
                    None => Lookup::one(class),
                    Some(_) => match self.superclass(class) {
                        Type::Class(above) => Lookup::one(above.class),
                        _ => return None,
                    },
                }
            }
            _ => self.callee(file, callee_of(file, file.parent(suffix)?)?, arguments)?,
        };
        let invoked = self.invoke_of(file, suffix, &lookup, arguments);
        Some(invoked.unwrap_or_else(|| self.with_constructors(file, lookup, arguments)))
    }

    /// Returns what a call possibly calls whose function means nothing that the file sees; `None` for nothing of the project.
    pub(super) fn unbound_call(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        arguments: &Arguments,
    ) -> Option<Lookup> {
        let callee = callee_of(file, file.parent(suffix)?)?;
        let name = callee_name(file, callee)?;
        let candidates: Vec<Member> = self.unbound(file, name).into_iter().map(Member::new).collect();
        if candidates.is_empty() {
            return None;
        }
        let lookup = Lookup { candidates, certainty: Certainty::Possible, ..Lookup::nothing(false) };
        Some(self.with_constructors(file, lookup, arguments))
    }

    /// Resolves `invoke` where an object of a class is called.
    fn invoke_of(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        called: &Lookup,
        arguments: &Arguments,
    ) -> Option<Lookup> {
        if !self.are_one_symbol(&called.candidates) {
            return None;
        }
        let ty @ Type::Class(_) = &self.invoked_value(file, called, arguments)? else { return None };
        let found = self.find_member(file, suffix, ty, "invoke", NameUse::Call(arguments));
        let certainty = found.certainty.min(called.certainty);
        (!found.candidates.is_empty()).then_some(Lookup { certainty, ..found })
    }

    fn with_constructors(&self, file: &ProjectFile, mut lookup: Lookup, arguments: &Arguments) -> Lookup {
        let mut candidates = Vec::new();
        for member in lookup.candidates {
            let class = match self.kind(member.declaration) {
                Some(DeclarationKind::TypeAlias) => self.class_behind(member.declaration),
                Some(kind) if kind.is_class() && !kind.is_object() => Some(member.declaration),
                _ => None,
            };
            let constructors = class.map_or(Vec::new(), |class| self.constructors(class));
            let own = class.map_or(Vec::new(), |class| self.type_parameters(class));
            let fitting: Vec<DeclarationId> = constructors
                .into_iter()
                .filter(|one| self.is_visible(file, *one))
                .filter(|one| self.is_applicable(file, &self.parameters(*one), arguments, &own) != Fit::No)
                .collect();
            if fitting.is_empty() {
                candidates.push(member.clone());
            }
            let given = self.given_by_alias(member.declaration);
            let made = |one| Member { substitution: given.clone(), ..Member::new(one) };
            candidates.extend(fitting.into_iter().map(made));
        }
        lookup.candidates = candidates;
        lookup
    }

    /// Returns what an alias gives the type parameters of its class: `typealias Tags = Repo<String, Tag>`.
    fn given_by_alias(&self, alias: DeclarationId) -> Substitution {
        let mut given = Substitution::default();
        if self.kind(alias) == Some(DeclarationKind::TypeAlias)
            && let Type::Class(class) = self.aliased(alias, &[])
        {
            let known = self.type_parameters(class.class).into_iter().zip(&class.arguments);
            known.filter(|(_, ty)| !ty.is_unknown()).for_each(|(one, ty)| given.bind(one, ty.clone()));
        }
        given
    }

    /// Resolves what is called where a call begins with this expression.
    fn callee(&self, file: &ProjectFile, callee: NodeId, arguments: &Arguments) -> Option<Lookup> {
        match file.kind(callee) {
            K::SimpleIdentifier => {
                Some(self.find_bare(file, callee, file.name_text(callee), NameUse::Call(arguments)))
            }
            K::NavigationExpression => {
                let suffix = file.children(callee).last()?;
                self.named_by_suffix(file, suffix, NameUse::Call(arguments))
            }
            _ => {
                let ty = self.expression_type(file, callee);
                match &ty {
                    Type::Function(_) | Type::Unknown | Type::LikelyExternal(_) => None,
                    ty => Some(self.find_member(file, callee, ty, "invoke", NameUse::Call(arguments))),
                }
            }
        }
    }
}

/// Returns the expression that a call calls. The grammar takes `a ?: f<T>()` for a call of `a ?: f`.
pub(super) fn callee_of(file: &SourceFile, call: NodeId) -> Option<NodeId> {
    let mut callee = file.children(call).next()?;
    while is_binary(file.kind(callee)) {
        callee = file.children(callee).last()?;
    }
    Some(callee)
}

/// Returns the name of what is called: the one behind the last dot.
pub(super) fn callee_name(file: &SourceFile, callee: NodeId) -> Option<NodeId> {
    match file.kind(callee) {
        K::SimpleIdentifier => Some(callee),
        K::NavigationExpression => file.child(file.children(callee).last()?, K::SimpleIdentifier),
        _ => None,
    }
}

/// Returns the call whose callee a node is.
pub(super) fn call_of_callee(file: &SourceFile, node: NodeId) -> Option<NodeId> {
    let mut callee = node;
    loop {
        let above = file.parent(callee)?;
        if file.kind(above) == K::CallExpression {
            return (file.children(above).next() == Some(callee)).then_some(above);
        }
        if !is_binary(file.kind(above)) || file.children(above).last() != Some(callee) {
            return None;
        }
        callee = above;
    }
}

/// Returns the suffix, with the arguments, of the call that is given an expression as a whole argument.
pub(super) fn suffix_given(file: &SourceFile, expression: NodeId) -> Option<NodeId> {
    let argument = file.parent(expression).filter(|above| file.kind(*above) == K::ValueArgument)?;
    file.ancestors(argument).find(|above| file.kind(*above) == K::CallSuffix)
}

pub(super) fn is_binary(kind: K) -> bool {
    matches!(
        kind,
        K::ElvisExpression
            | K::InfixExpression
            | K::AdditiveExpression
            | K::MultiplicativeExpression
            | K::RangeExpression
            | K::ComparisonExpression
            | K::EqualityExpression
            | K::ConjunctionExpression
            | K::DisjunctionExpression
            | K::CheckExpression
    )
}
