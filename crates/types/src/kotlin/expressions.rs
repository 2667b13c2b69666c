//! The types of expressions and of declared variables and functions.

use super::callables::{Arguments, property_node};
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::Type;
use super::type_references::{Classifier, is_type, type_node};
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What stands before a dot.
#[derive(Clone, Debug)]
pub(super) enum Qualifier {
    Value(Type),
    Class(DeclarationId),
    /// A class outside the project and the library.
    External(String),
    /// The beginning of a qualified name.
    Package(String),
}

impl Universe<'_> {
    /// Returns the type of an expression.
    pub(super) fn expression_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        if let Some(known) = self.expression_types.borrow().get(&(file.key, node)) {
            return known.clone();
        }
        let found = self.guarded(Work::ExpressionType, file.key, node, || self.find_type(file, node));
        if let Some(found) = &found {
            self.expression_types.borrow_mut().insert((file.key, node), found.clone());
        }
        found.unwrap_or(Type::Unknown)
    }

    fn find_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let first = || file.children(node).next();
        let last = || file.children(node).last();
        let kotlin = |name: &str| self.library_type("kotlin", name, Vec::new());
        match file.kind(node) {
            K::StringLiteral => kotlin("String"),
            K::BooleanLiteral
            | K::CheckExpression
            | K::ComparisonExpression
            | K::EqualityExpression
            | K::ConjunctionExpression
            | K::DisjunctionExpression => kotlin("Boolean"),
            K::IntegerLiteral | K::HexLiteral | K::BinLiteral => Type::Integer,
            K::LongLiteral => kotlin("Long"),
            K::UnsignedLiteral => kotlin("UInt"),
            K::RealLiteral => match file.text_of(node).ends_with(['f', 'F']) {
                true => kotlin("Float"),
                false => kotlin("Double"),
            },
            K::CharacterLiteral => kotlin("Char"),
            K::NullLiteral => Type::Null,
            K::JumpExpression => Type::Nothing,
            K::ThisExpression => self.this_type(file, node),
            K::SuperExpression => self.super_type(file, node),
            K::SimpleIdentifier | K::InterpolatedIdentifier => match self.narrowed_type(file, node) {
                Some(narrowed) => narrowed,
                None => match self.qualifier(file, node) {
                    Some(qualifier) => self.value_of(qualifier),
                    None => Type::Unknown,
                },
            },
            K::NavigationExpression => match self.narrowed_type(file, node) {
                Some(narrowed) => narrowed,
                None => self.qualifier(file, node).map_or(Type::Unknown, |one| self.value_of(one)),
            },
            K::DirectlyAssignableExpression => last().map_or(Type::Unknown, |last| match file.kind(last) {
                K::NavigationSuffix | K::IndexingSuffix => {
                    self.suffix_qualifier(file, last, true).map_or(Type::Unknown, |one| self.value_of(one))
                }
                _ => self.expression_type(file, last),
            }),
            K::CallExpression => self.call_type(file, node),
            K::ParenthesizedExpression | K::InterpolatedExpression => {
                first().map_or(Type::Unknown, |inner| self.expression_type(file, inner))
            }
            K::AsExpression => self.type_in(file, node).unwrap_or(Type::Unknown),
            K::ElvisExpression => {
                let mut operands = file.children(node);
                let types = [operands.next(), operands.last()];
                let types = types.into_iter().flatten().map(|one| self.expression_type(file, one)).collect();
                self.joined(types)
            }
            K::IfExpression => self.if_type(file, node),
            K::WhenExpression => {
                let entries = file.children(node).filter(|entry| file.kind(*entry) == K::WhenEntry);
                self.joined(entries.filter_map(|entry| self.branch_type(file, entry)).collect())
            }
            K::TryExpression => {
                let mut types = Vec::new();
                for part in file.children(node) {
                    match file.kind(part) {
                        K::Statements => types.push(self.block_type(file, part)),
                        K::CatchBlock => {
                            if let Some(block) = file.child(part, K::Statements) {
                                types.push(self.block_type(file, block));
                            }
                        }
                        _ => {}
                    }
                }
                self.joined(types)
            }
            K::ObjectLiteral => file.declaration_of(node).map_or(Type::Unknown, |number| {
                Type::class(DeclarationId { file: file.key, number }, Vec::new())
            }),
            K::LambdaLiteral | K::AnonymousFunction => {
                let expected = self.expected_lambda(file, node);
                self.lambda_type(file, node, &expected)
            }
            K::PrefixExpression => self.prefix_type(file, node),
            K::PostfixExpression => first().map_or(Type::Unknown, |inner| self.expression_type(file, inner)),
            K::IndexingExpression => self.indexed_type(file, node),
            K::AdditiveExpression | K::MultiplicativeExpression | K::RangeExpression => {
                self.binary_type(file, node)
            }
            K::InfixExpression => {
                let parts: Vec<NodeId> = file.children(node).collect();
                match parts[..] {
                    [left, name, right] => {
                        let receiver = self.expression_type(file, left);
                        self.member_call_type(file, node, &receiver, file.name_text(name), &[right])
                    }
                    _ => Type::Unknown,
                }
            }
            K::CollectionLiteral => Type::Unknown,
            _ => Type::Unknown,
        }
    }

    /// Returns the type of the last statement of a block or a lambda.
    pub(super) fn statement_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        match file.kind(node) {
            K::Assignment
            | K::ForStatement
            | K::WhileStatement
            | K::DoWhileStatement
            | K::PropertyDeclaration
            | K::FunctionDeclaration
            | K::ClassDeclaration => self.library_type("kotlin", "Unit", Vec::new()),
            _ => self.expression_type(file, node),
        }
    }

    fn block_type(&self, file: &ProjectFile, statements: NodeId) -> Type {
        let last = file.children(statements).last();
        last.map_or(Type::Unknown, |last| self.statement_type(file, last))
    }

    /// Returns the type of the body of a branch; `None` where there is none.
    fn branch_type(&self, file: &ProjectFile, holder: NodeId) -> Option<Type> {
        let body = file.child(holder, K::ControlStructureBody)?;
        Some(self.body_of_branch(file, body))
    }

    fn body_of_branch(&self, file: &ProjectFile, body: NodeId) -> Type {
        match file.children(body).last() {
            Some(block) if file.kind(block) == K::Statements => self.block_type(file, block),
            Some(statement) => self.statement_type(file, statement),
            None => self.library_type("kotlin", "Unit", Vec::new()),
        }
    }

    fn if_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        if file.child(node, K::ElseToken).is_none() {
            return self.library_type("kotlin", "Unit", Vec::new());
        }
        let bodies = file.children(node).filter(|part| file.kind(*part) == K::ControlStructureBody);
        self.joined(bodies.map(|body| self.body_of_branch(file, body)).collect())
    }

    /// Returns one type that all of these fit.
    fn joined(&self, types: Vec<Type>) -> Type {
        let mut left: Vec<Type> = Vec::new();
        for ty in types {
            if !matches!(ty, Type::Nothing | Type::Null) && !left.contains(&ty) {
                left.push(ty);
            }
        }
        match &left[..] {
            [] => Type::Nothing,
            [one] => one.clone(),
            _ if left.iter().any(Type::is_unknown) => Type::Unknown,
            _ => {
                let is_above = |wide: &&Type| left.iter().all(|one| self.fits(one, wide, &[]) == Fit::Yes);
                left.iter().find(is_above).cloned().unwrap_or_else(|| self.common_class(&left))
            }
        }
    }

    /// Returns the nearest class above all of these.
    fn common_class(&self, types: &[Type]) -> Type {
        let Some(Type::Class(first)) = types.first() else { return Type::Unknown };
        let above = self.ancestors(first.class);
        let is_any = self.library_class("kotlin", "Any");
        let candidates = above.classes.iter().map(|(class, _)| *class).filter(|class| Some(*class) != is_any);
        for class in candidates {
            let wide = Type::class(class, vec![Type::Unknown; self.type_parameters(class).len()]);
            if types.iter().all(|one| self.fits(one, &wide, &[]) == Fit::Yes) {
                return wide;
            }
        }
        Type::Unknown
    }

    fn this_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        use super::scopes::Level;
        let label = file.child(node, K::TypeIdentifier).map(|label| file.name_text(label));
        let is_meant = |level: &Level| match level {
            Level::Receiver { ty, label: own } if label.is_none() || own.as_deref() == label => {
                Some(ty.clone())
            }
            _ => None,
        };
        self.levels(file, node).iter().find_map(is_meant).unwrap_or(Type::Unknown)
    }

    /// Returns the type that `super` means: the one supertype, or an unknown one of several.
    fn super_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        if let Some(ty) = self.type_in(file, node) {
            return ty;
        }
        let class = file.ancestors(node).find_map(|above| {
            let number = file.declaration_of(above)?;
            file.declarations[number].kind.is_class().then_some(DeclarationId { file: file.key, number })
        });
        class.map_or(Type::Unknown, |class| self.super_of(class))
    }

    /// Returns the type of a class that has all that its supertypes declare, and nothing of its own.
    fn super_of(&self, class: DeclarationId) -> Type {
        let direct = self.direct_supertypes(class);
        match &direct[..] {
            [] => self.library_type("kotlin", "Any", Vec::new()),
            [one] => one.clone(),
            _ => {
                // Of several, the class.
                let is_class = |ty: &&Type| {
                    matches!(ty, Type::Class(class)
                        if self.kind(class.class) == Some(DeclarationKind::Class))
                };
                direct.iter().find(is_class).cloned().unwrap_or(Type::Unknown)
            }
        }
    }

    fn prefix_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let Some(operand) = file.children(node).last() else { return Type::Unknown };
        if file.child(node, K::NotToken).is_some() {
            return self.library_type("kotlin", "Boolean", Vec::new());
        }
        let ty = self.expression_type(file, operand);
        let operator = match file.children(node).next().map(|first| file.kind(first)) {
            Some(K::Minus) => "unaryMinus",
            Some(K::Plus) => "unaryPlus",
            _ => return ty,
        };
        match ty {
            Type::Integer => Type::Integer,
            _ => self.member_call_type(file, node, &ty, operator, &[]),
        }
    }

    fn binary_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let parts: Vec<NodeId> = file.children(node).collect();
        let [left, operator, right] = parts[..] else { return Type::Unknown };
        let Some(name) = operator_name(file.kind(operator)) else { return Type::Unknown };
        let receiver = self.expression_type(file, left);
        if receiver == Type::Integer && self.expression_type(file, right) == Type::Integer {
            return match file.kind(node) {
                K::RangeExpression => self.library_type("kotlin.ranges", "IntRange", Vec::new()),
                _ => Type::Integer,
            };
        }
        self.member_call_type(file, node, &receiver, name, &[right])
    }

    fn indexed_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let mut parts = file.children(node);
        let (Some(receiver), Some(suffix)) = (parts.next(), parts.last()) else { return Type::Unknown };
        let ty = self.expression_type(file, receiver);
        let arguments: Vec<NodeId> = file.children(suffix).collect();
        self.member_call_type(file, node, &ty, "get", &arguments)
    }

    /// Returns what a call of a member with positional arguments returns.
    fn member_call_type(
        &self,
        file: &ProjectFile,
        node: NodeId,
        receiver: &Type,
        name: &str,
        values: &[NodeId],
    ) -> Type {
        let arguments = Arguments::positional(values);
        let lookup = self.find_member(file, node, receiver, name, NameUse::Call(&arguments));
        self.result_type(file, &lookup, &arguments)
    }

    /// Returns the type of the elements that a loop over a value of this type takes.
    fn element_type(&self, file: &ProjectFile, node: NodeId, ty: &Type) -> Type {
        let iterator = self.member_call_type(file, node, ty, "iterator", &[]);
        self.member_call_type(file, node, &iterator, "next", &[])
    }

    /// Returns the type of one part of a destructured value; parts are counted from 0.
    fn component_type(&self, file: &ProjectFile, node: NodeId, ty: &Type, at: usize) -> Type {
        if let Type::Class(class) = ty
            && self.get(class.class).is_some_and(|(_, declaration)| declaration.modifiers.is_data)
        {
            let constructor = self.constructors(class.class).into_iter().next();
            let parameters = constructor.map_or(Vec::new(), |constructor| self.parameters(constructor));
            let own = Substitution::new(&self.type_parameters(class.class), &class.arguments);
            return parameters.get(at).map_or(Type::Unknown, |parameter| own.apply(&parameter.ty));
        }
        self.member_call_type(file, node, ty, &format!("component{}", at + 1), &[])
    }

    /// Returns what stands before a dot: a value, a class or a part of a qualified name.
    pub(super) fn qualifier(&self, file: &ProjectFile, node: NodeId) -> Option<Qualifier> {
        self.guarded(Work::Qualifier, file.key, node, || self.find_qualifier(file, node)).flatten()
    }

    fn find_qualifier(&self, file: &ProjectFile, node: NodeId) -> Option<Qualifier> {
        match file.kind(node) {
            K::SimpleIdentifier | K::InterpolatedIdentifier | K::TypeIdentifier => {
                let name = file.name_text(node);
                if let Some(narrowed) = self.narrowed_type(file, node) {
                    return Some(Qualifier::Value(narrowed));
                }
                if name == "it"
                    && let Some(ty) = self.it_type(file, node)
                {
                    return Some(Qualifier::Value(ty));
                }
                let lookup = self.find_bare(file, node, name, NameUse::Value);
                if let [object] = &lookup.candidates[..]
                    && matches!(
                        self.kind(object.declaration),
                        Some(DeclarationKind::Object | DeclarationKind::Companion)
                    )
                {
                    return Some(Qualifier::Class(object.declaration));
                }
                if !lookup.candidates.is_empty() {
                    return Some(Qualifier::Value(self.lookup_type(&lookup)));
                }
                match self.classifier(file, node, name) {
                    Classifier::Declared(class) => Some(Qualifier::Class(class)),
                    Classifier::External(name) => Some(Qualifier::External(name)),
                    Classifier::Unknown if self.has_package(name) => {
                        Some(Qualifier::Package(name.to_owned()))
                    }
                    Classifier::Unknown => Some(Qualifier::Value(Type::Unknown)),
                }
            }
            K::NavigationExpression => {
                let suffix = file.children(node).last()?;
                self.suffix_qualifier(file, suffix, false)
            }
            _ => Some(Qualifier::Value(self.expression_type(file, node))),
        }
    }

    /// Returns what stands before a suffix `.name`.
    pub(super) fn before_suffix(&self, file: &ProjectFile, suffix: NodeId) -> Option<Qualifier> {
        let holder = file.parent(suffix)?;
        let before = file.children(holder).take_while(|sibling| *sibling < suffix).last()?;
        match file.kind(before) {
            // `a.b.c = …` is a row of suffixes.
            K::NavigationSuffix | K::IndexingSuffix => self.suffix_qualifier(file, before, false),
            _ => self.qualifier(file, before),
        }
    }

    /// Returns what an expression that ends with this suffix means.
    fn suffix_qualifier(&self, file: &ProjectFile, suffix: NodeId, is_last: bool) -> Option<Qualifier> {
        let found =
            self.guarded(Work::Qualifier, file.key, suffix, || self.find_suffix(file, suffix, is_last));
        found.flatten()
    }

    fn find_suffix(&self, file: &ProjectFile, suffix: NodeId, is_last: bool) -> Option<Qualifier> {
        if !is_last
            && let Some(holder) = file.parent(suffix)
            && let Some(narrowed) = self.narrowed_type(file, holder)
        {
            return Some(Qualifier::Value(narrowed));
        }
        let before = self.before_suffix(file, suffix)?;
        if file.kind(suffix) == K::IndexingSuffix {
            let Qualifier::Value(ty) = before else { return None };
            let arguments: Vec<NodeId> = file.children(suffix).collect();
            return Some(Qualifier::Value(self.member_call_type(file, suffix, &ty, "get", &arguments)));
        }
        if file.child(suffix, K::Reference).is_some() {
            return Some(Qualifier::Value(Type::Unknown));
        }
        let name_node = file.child(suffix, K::SimpleIdentifier)?;
        let name = file.name_text(name_node);
        match before {
            Qualifier::Value(ty) => {
                let lookup = self.find_member(file, name_node, &ty, name, NameUse::Value);
                Some(Qualifier::Value(self.lookup_type(&lookup)))
            }
            Qualifier::Class(class) => {
                let lookup = self.find_static(file, name_node, class, name, NameUse::Value);
                if !lookup.candidates.is_empty() {
                    return Some(Qualifier::Value(self.lookup_type(&lookup)));
                }
                let class = self.class_behind(class).unwrap_or(class);
                self.nested(class, name).map(Qualifier::Class)
            }
            Qualifier::External(outer) => Some(Qualifier::External(format!("{outer}.{name}"))),
            Qualifier::Package(package) => {
                let path = format!("{package}.{name}");
                let found = self.qualified(&path);
                match found.first() {
                    Some(id) if self.kind(*id).is_some_and(DeclarationKind::is_classifier) => {
                        Some(Qualifier::Class(*id))
                    }
                    Some(id) => Some(Qualifier::Value(self.declared_type(*id))),
                    None if self.has_package(&path) => Some(Qualifier::Package(path)),
                    None => Some(Qualifier::Value(Type::Unknown)),
                }
            }
        }
    }

    /// Returns the type of a qualifier that stands as a value.
    pub(super) fn value_of(&self, qualifier: Qualifier) -> Type {
        match qualifier {
            Qualifier::Value(ty) => ty,
            Qualifier::Class(class) => match self.kind(class) {
                Some(kind) if kind.is_object() => self.self_type(class),
                _ => self.companion(class).map_or(Type::Unknown, |companion| self.self_type(companion)),
            },
            Qualifier::External(_) | Qualifier::Package(_) => Type::Unknown,
        }
    }

    /// Returns the type of `it` at a node, where a lambda around it has one parameter without a name.
    fn it_type(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        use super::scopes::Level;
        for level in self.levels(file, node) {
            match level {
                Level::Names { scope, child }
                    if super::scopes::visible_names(file, scope, child, "it").next().is_some() =>
                {
                    return None;
                }
                Level::It { lambda } => match self.expected_lambda(file, lambda) {
                    Type::Function(function) if function.parameters.is_empty() => {}
                    Type::Function(function) => return function.parameters.first().cloned(),
                    _ => return Some(Type::Unknown),
                },
                _ => {}
            }
        }
        None
    }

    /// Returns the type of what a name was found to mean, as a value.
    pub(super) fn lookup_type(&self, lookup: &Lookup) -> Type {
        let mut types = lookup.candidates.iter().map(|member| self.member_type(member, &lookup.receiver));
        let Some(first) = types.next() else { return Type::Unknown };
        if types.all(|other| other == first) { first } else { Type::Unknown }
    }

    fn member_type(&self, member: &Member, receiver: &Option<Type>) -> Type {
        let mut bound = member.substitution.clone();
        let own = self.type_parameters(member.declaration);
        if let (Some(wanted), Some(actual)) = (self.extension_receiver(member.declaration), receiver) {
            self.unify(&wanted, actual, &own, &mut bound);
        }
        bound.close(&self.declared_type(member.declaration), &own)
    }

    /// Returns the type that a call returns.
    fn call_type(&self, file: &ProjectFile, call: NodeId) -> Type {
        let Some(suffix) = file.child(call, K::CallSuffix) else { return Type::Unknown };
        let arguments = Arguments::of(file, suffix);
        match self.call_of_suffix(file, suffix, &arguments) {
            Some(lookup) => self.result_type(file, &lookup, &arguments),
            None => Type::Unknown,
        }
    }

    /// Returns what a call of the found declarations returns.
    fn result_type(&self, file: &ProjectFile, lookup: &Lookup, arguments: &Arguments) -> Type {
        if lookup.certainty == super::resolve::Certainty::Possible {
            return Type::Unknown;
        }
        let result = |member: &Member| {
            let id = member.declaration;
            let own = self.own_parameters(id);
            match self.kind(id) {
                Some(DeclarationKind::Function) => {
                    let bound = self.bound_by_call(file, member, &lookup.receiver, arguments, None);
                    bound.close(&self.declared_type(id), &own)
                }
                Some(DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor) => {
                    // `copy` returns what it is called on.
                    if let Some(receiver @ Type::Class(_)) = &lookup.receiver {
                        return receiver.clone();
                    }
                    let bound = self.bound_by_call(file, member, &lookup.receiver, arguments, None);
                    self.class_of(id).map_or(Type::Unknown, |class| bound.close(&self.self_type(class), &own))
                }
                Some(DeclarationKind::TypeAlias) => {
                    let class = self.class_behind(id);
                    let types = arguments.types.map(|types| self.type_arguments(file, types));
                    class.map_or(Type::Unknown, |class| Type::class(class, types.unwrap_or_default()))
                }
                Some(kind) if kind.is_object() => Type::Unknown,
                Some(kind) if kind.is_class() => {
                    let types = arguments.types.map(|types| self.type_arguments(file, types));
                    Type::class(id, types.unwrap_or_default())
                }
                Some(kind) if kind.is_variable() => match self.member_type(member, &lookup.receiver) {
                    Type::Function(function) => function.result.clone(),
                    Type::Unknown => Type::Unknown,
                    ty => file.tree().root().map_or(Type::Unknown, |root| {
                        let invoked = self.find_member(file, root, &ty, "invoke", NameUse::Call(arguments));
                        self.result_type(file, &invoked, arguments)
                    }),
                },
                _ => Type::Unknown,
            }
        };
        let mut types = lookup.candidates.iter().map(result);
        let Some(first) = types.next() else { return Type::Unknown };
        if types.all(|other| other == first) { first } else { Type::Unknown }
    }

    /// Returns the type parameters that a call of the declaration determines.
    pub(super) fn own_parameters(&self, id: DeclarationId) -> Vec<DeclarationId> {
        self.type_parameters(id)
    }

    /// Returns what type parameters stand for in a call; `until` is the lambda whose parameters are asked for.
    pub(super) fn bound_by_call(
        &self,
        file: &ProjectFile,
        member: &Member,
        receiver: &Option<Type>,
        arguments: &Arguments,
        until: Option<NodeId>,
    ) -> Substitution {
        let own = self.own_parameters(member.declaration);
        let mut bound = member.substitution.clone();
        if let (Some(wanted), Some(actual)) = (self.extension_receiver(member.declaration), receiver) {
            self.unify(&bound.apply(&wanted), actual, &own, &mut bound);
        }
        let mut parameters = self.parameters(member.declaration);
        for parameter in &mut parameters {
            parameter.ty = bound.apply(&parameter.ty);
        }
        self.infer(file, &parameters, arguments, &own, &mut bound, until);
        bound
    }

    /// Resolves what the call with this suffix calls; classes give way to their constructors.
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
                    Type::Class(class) => self.of_class(class.class),
                    _ => return None,
                }
            }
            K::EnumEntry => {
                let class = file.ancestors(suffix).find_map(|above| file.declaration_of(above))?;
                self.of_class(DeclarationId { file: file.key, number: class })
            }
            K::ConstructorDelegationCall => {
                let class = file.ancestors(suffix).find_map(|above| {
                    let number = file.declaration_of(above)?;
                    file.declarations[number].kind.is_class().then_some(number)
                })?;
                let class = DeclarationId { file: file.key, number: class };
                match file.child(suffix, K::SuperToken) {
                    None => self.of_class(class),
                    Some(_) => match self.super_of(class) {
                        Type::Class(above) => self.of_class(above.class),
                        _ => return None,
                    },
                }
            }
            _ => self.callee(file, callee_of(file, file.parent(suffix)?)?, arguments)?,
        };
        Some(self.with_constructors(file, lookup, arguments))
    }

    fn of_class(&self, class: DeclarationId) -> Lookup {
        Lookup {
            candidates: vec![Member { declaration: class, substitution: Substitution::default() }],
            certainty: super::resolve::Certainty::Certain,
            ..Lookup::nothing(false)
        }
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
                .filter(|one| self.is_applicable(file, &self.parameters(*one), arguments, &own) != Fit::No)
                .collect();
            if fitting.is_empty() {
                candidates.push(member);
            }
            candidates.extend(
                fitting
                    .into_iter()
                    .map(|declaration| Member { declaration, substitution: Substitution::default() }),
            );
        }
        lookup.candidates = candidates;
        lookup
    }

    /// Resolves what is called where a call begins with this expression.
    pub(super) fn callee(&self, file: &ProjectFile, callee: NodeId, arguments: &Arguments) -> Option<Lookup> {
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
                    Type::Function(_) | Type::Unknown => None,
                    ty => Some(self.find_member(file, callee, ty, "invoke", NameUse::Call(arguments))),
                }
            }
        }
    }

    /// Resolves the name in a suffix `.name`; `None` where nothing is known of what stands before it.
    pub(super) fn named_by_suffix(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        wanted: NameUse,
    ) -> Option<Lookup> {
        let name_node = file.child(suffix, K::SimpleIdentifier)?;
        let name = file.name_text(name_node);
        match self.before_suffix(file, suffix)? {
            Qualifier::Value(ty) => Some(self.find_member(file, name_node, &ty, name, wanted)),
            Qualifier::Class(class) => Some(self.find_static(file, name_node, class, name, wanted)),
            Qualifier::External(_) => Some(Lookup::nothing(false)),
            Qualifier::Package(package) => {
                let found = self.qualified(&format!("{package}.{name}"));
                let candidates = found
                    .into_iter()
                    .map(|declaration| Member { declaration, substitution: Substitution::default() });
                Some(Lookup { candidates: candidates.collect(), ..Lookup::nothing(false) })
            }
        }
    }

    /// Returns the type that a declaration gives its name: of a function what it returns.
    pub(super) fn declared_type(&self, id: DeclarationId) -> Type {
        if let Some(known) = self.declared_types.borrow().get(&id) {
            return known.clone();
        }
        let Some((file, declaration)) = self.get(id) else { return Type::Unknown };
        let found = self.guarded(Work::DeclaredType, id.file, declaration.node, || match declaration.kind {
            DeclarationKind::Function | DeclarationKind::AnonymousFunction => {
                self.returned_type(&file, declaration.node)
            }
            DeclarationKind::EnumEntry => {
                let of = file.declaration_of(declaration.scope);
                of.map_or(Type::Unknown, |number| {
                    Type::class(DeclarationId { file: id.file, number }, Vec::new())
                })
            }
            kind if kind.is_class() => self.self_type(id),
            kind if kind.is_variable() => self.variable_type(&file, id, &declaration),
            _ => Type::Unknown,
        });
        if let Some(found) = &found {
            self.declared_types.borrow_mut().insert(id, found.clone());
        }
        found.unwrap_or(Type::Unknown)
    }

    fn returned_type(&self, file: &ProjectFile, function: NodeId) -> Type {
        let written = file
            .children(function)
            .skip_while(|child| file.kind(*child) != K::FunctionValueParameters)
            .find(|child| is_type(file.kind(*child)));
        if let Some(written) = written {
            return self.written_type(file, written);
        }
        match file.child(function, K::FunctionBody).and_then(|body| expression_of_body(file, body)) {
            Some(expression) => self.expression_type(file, expression),
            None => self.library_type("kotlin", "Unit", Vec::new()),
        }
    }

    fn variable_type(
        &self,
        file: &ProjectFile,
        id: DeclarationId,
        declaration: &super::declarations::KotlinDeclaration,
    ) -> Type {
        let node = declaration.node;
        if let Some(ty) = self.type_in(file, node) {
            return match declaration.modifiers.is_vararg {
                true => self.library_type("kotlin", "Array", vec![ty]),
                false => ty,
            };
        }
        let Some(parent) = file.parent(node) else { return Type::Unknown };
        match file.kind(parent) {
            K::PropertyDeclaration => self.property_type(file, property_node(file, node)),
            K::MultiVariableDeclaration => {
                let parts = file.children(parent).filter(|part| file.kind(*part) == K::VariableDeclaration);
                let at = parts.take_while(|part| *part != node).count();
                let whole = self.destructured_type(file, parent);
                self.component_type(file, node, &whole, at)
            }
            K::ForStatement => self.looped_type(file, parent),
            K::WhenSubject => file
                .children(parent)
                .last()
                .map_or(Type::Unknown, |subject| self.expression_type(file, subject)),
            K::LambdaParameters => self.lambda_parameter_type(file, node),
            // The parameter of a setter.
            K::Setter => {
                let property =
                    file.ancestors(parent).find_map(|above| file.child(above, K::VariableDeclaration));
                let number = property.and_then(|variable| file.declaration_of(variable));
                number.map_or(Type::Unknown, |number| {
                    let property = DeclarationId { file: id.file, number };
                    if property == id { Type::Unknown } else { self.declared_type(property) }
                })
            }
            _ => Type::Unknown,
        }
    }

    fn looped_type(&self, file: &ProjectFile, statement: NodeId) -> Type {
        let subject = file.children(statement).skip_while(|part| file.kind(*part) != K::InToken).nth(1);
        subject.map_or(Type::Unknown, |subject| {
            let ty = self.expression_type(file, subject);
            self.element_type(file, statement, &ty)
        })
    }

    /// Returns the type of the value that a list of variables takes apart.
    fn destructured_type(&self, file: &ProjectFile, list: NodeId) -> Type {
        let Some(holder) = file.parent(list) else { return Type::Unknown };
        match file.kind(holder) {
            K::PropertyDeclaration | K::DestructuringDeclaration => {
                initializer(file, holder).map_or(Type::Unknown, |value| self.expression_type(file, value))
            }
            K::ForStatement => self.looped_type(file, holder),
            K::LambdaParameters => self.lambda_parameter_type(file, list),
            _ => Type::Unknown,
        }
    }

    fn lambda_parameter_type(&self, file: &ProjectFile, parameter: NodeId) -> Type {
        let Some(list) = file.parent(parameter) else { return Type::Unknown };
        let Some(lambda) = file.parent(list) else { return Type::Unknown };
        let own = file.children(list).filter(|one| super::applicability::is_lambda_parameter(file, *one));
        let at = own.take_while(|one| *one != parameter).count();
        match self.expected_lambda(file, lambda) {
            Type::Function(function) => function.parameters.get(at).cloned().unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        }
    }

    fn property_type(&self, file: &ProjectFile, property: NodeId) -> Type {
        if let Some(value) = initializer(file, property) {
            return match self.expression_type(file, value) {
                Type::Integer => self.library_type("kotlin", "Int", Vec::new()),
                ty => ty,
            };
        }
        if let Some(delegate) = file.child(property, K::PropertyDelegate) {
            let value = file.children(delegate).last();
            let ty = value.map_or(Type::Unknown, |value| self.expression_type(file, value));
            return self.delegated_type(file, delegate, &ty);
        }
        let getter = file.child(property, K::Getter).or_else(|| following_getter(file, property));
        let Some(getter) = getter else { return Type::Unknown };
        if let Some(ty) = self.type_in(file, getter) {
            return ty;
        }
        let body = file.child(getter, K::FunctionBody);
        let value = body.and_then(|body| expression_of_body(file, body));
        value.map_or(Type::Unknown, |value| self.expression_type(file, value))
    }

    /// Returns the type of a property with a delegate of this type.
    fn delegated_type(&self, file: &ProjectFile, node: NodeId, delegate: &Type) -> Type {
        let lookup = self.find_member(file, node, delegate, "getValue", NameUse::Reference);
        let result = |member: &Member| {
            let own = self.type_parameters(member.declaration);
            let mut bound = member.substitution.clone();
            if let Some(wanted) = self.extension_receiver(member.declaration) {
                self.unify(&wanted, delegate, &own, &mut bound);
            }
            bound.close(&self.declared_type(member.declaration), &own)
        };
        match &lookup.candidates[..] {
            [one] if lookup.certainty > super::resolve::Certainty::Possible => result(one),
            _ => Type::Unknown,
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

fn is_binary(kind: K) -> bool {
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

/// Returns the value that a property or a destructuring declaration begins with.
pub(super) fn initializer(file: &SourceFile, declaration: NodeId) -> Option<NodeId> {
    file.children(declaration).skip_while(|part| file.kind(*part) != K::AssignToken).nth(1)
}

/// Returns the expression of `= expression`; `None` for a block.
fn expression_of_body(file: &SourceFile, body: NodeId) -> Option<NodeId> {
    file.children(body).skip_while(|part| file.kind(*part) != K::AssignToken).nth(1)
}

/// Returns a getter that the grammar parsed apart from its property.
fn following_getter(file: &SourceFile, property: NodeId) -> Option<NodeId> {
    let parent = file.parent(property)?;
    let next = file.children(parent).find(|sibling| *sibling > property)?;
    (file.kind(next) == K::Getter).then_some(next)
}

/// Returns the function that an operator between two operands calls.
pub(super) fn operator_name(operator: K) -> Option<&'static str> {
    Some(match operator {
        K::Plus => "plus",
        K::Minus => "minus",
        K::Times => "times",
        K::Div => "div",
        K::Rem => "rem",
        K::Range => "rangeTo",
        K::RangeUntil => "rangeUntil",
        _ => return None,
    })
}
