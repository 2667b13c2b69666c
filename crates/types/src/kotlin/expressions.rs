//! The types of expressions.

use std::sync::Arc;

use super::callables::{Arguments, CallForm, property_node};
use super::calls::callee_name;
use super::classes::{Member, Members};
use super::declarations::{DeclarationKind, is_class_node};
use super::declared_types::getter_of;
use super::lookup::{Lookup, NameUse, is_callable};
use super::qualifiers::Qualifier;
use super::resolve::Certainty;
use super::scopes::{Level, is_class_body};
use super::subtyping::Fit;
use super::ty::{ClassType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// How deep type arguments are joined within type arguments: for `class Tree : Iterable<Iterable<Tree>>` there is no end.
const MAX_JOINED: usize = 5;

impl Universe<'_> {
    /// Returns the type of an expression.
    pub(super) fn expression_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let (memo, guard) = (&self.findings.expression_types, (Work::ExpressionType, file.key, node));
        let found = self.remembered_and_guarded(memo, (file.key, node), guard, || self.find_type(file, node));
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
            K::SimpleIdentifier | K::InterpolatedIdentifier | K::NavigationExpression => {
                self.qualifier(file, node).map_or(Type::Unknown, |one| self.value_of(one))
            }
            K::DirectlyAssignableExpression => last().map_or(Type::Unknown, |last| match file.kind(last) {
                K::NavigationSuffix | K::IndexingSuffix => {
                    self.suffix_qualifier(file, last).map_or(Type::Unknown, |one| self.value_of(one))
                }
                _ => self.expression_type(file, last),
            }),
            K::CallExpression => self.call_type(file, node),
            K::ParenthesizedExpression | K::InterpolatedExpression => {
                first().map_or(Type::Unknown, |inner| self.expression_type(file, inner))
            }
            K::AsExpression => match self.type_in(file, node) {
                Some(ty) => {
                    let of = || first().map_or(Type::Unknown, |of| self.expression_type(file, of));
                    if self.lacks_arguments(&ty) { self.with_arguments_of(ty, &of()) } else { ty }
                }
                None => Type::Unknown,
            },
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
                Type::class(DeclarationId::new(file.key, number), Vec::new())
            }),
            K::LambdaLiteral | K::AnonymousFunction => {
                let expected = self.expected_lambda(file, node);
                self.lambda_type(file, node, &expected)
            }
            K::CallableReference => self.reference_type(file, node),
            K::PrefixExpression => self.prefix_type(file, node),
            K::PostfixExpression => first().map_or(Type::Unknown, |inner| self.expression_type(file, inner)),
            K::IndexingExpression => self.indexed_type(file, node),
            K::AdditiveExpression | K::MultiplicativeExpression | K::RangeExpression => {
                self.binary_type(file, node)
            }
            K::InfixExpression => {
                if let Some(ty) = self.split_type(file, node) {
                    return ty;
                }
                let parts: Vec<NodeId> = file.children(node).collect();
                match parts[..] {
                    [left, name, right] => {
                        let receiver = self.expression_type(file, left);
                        let arguments = Arguments::operands(&[right], CallForm::Infix);
                        self.call_of_member_type(file, node, &receiver, file.name_text(name), &arguments)
                    }
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }

    /// Returns the type of `::name` or `Class::name`: a function type where it means one function or class, `KProperty1` for a property
    /// of a class; unknown for the rest.
    fn reference_type(&self, file: &ProjectFile, reference: NodeId) -> Type {
        let names = file.children(reference).filter(|part| file.kind(*part) == K::SimpleIdentifier);
        let Some(name) = names.last() else { return self.class_literal(file, reference) };
        if let Some(owner) = file.child(reference, K::TypeIdentifier) {
            return match self.qualifier(file, owner) {
                Some(Qualifier::Class(class)) => self.property_reference_type(file, name, class),
                _ => Type::Unknown,
            };
        }
        let found = self.find_bare(file, name, file.name_text(name), NameUse::Reference);
        let [one] = &found.candidates[..] else { return Type::Unknown };
        let id = one.declaration;
        let types = |callable| self.parameters(callable).into_iter().map(|one| one.ty).collect();
        match self.kind(id) {
            Some(DeclarationKind::Function) if self.type_parameters(id).is_empty() => {
                Type::function(self.extension_receiver(id), types(id), self.declared_type(id))
            }
            Some(DeclarationKind::Class) if self.type_parameters(id).is_empty() => {
                let parameters = match self.constructors(id)[..] {
                    [] => Vec::new(),
                    [one] => types(one),
                    _ => return Type::Unknown,
                };
                Type::function(None, parameters, self.self_type(id))
            }
            Some(kind) if kind.is_variable() && found.certainty > Certainty::Possible => {
                let value = self.member_type(one, found.receiver.as_ref());
                let kind = if self.is_var(id) { "KMutableProperty0" } else { "KProperty0" };
                self.library_type("kotlin.reflect", kind, vec![value])
            }
            _ => Type::Unknown,
        }
    }

    /// Returns the type of `Name::class` and `value::class`.
    fn class_literal(&self, file: &ProjectFile, literal: NodeId) -> Type {
        let Some(of) = file.children(literal).next().filter(|_| file.text_of(literal).ends_with("::class"))
        else {
            return Type::Unknown;
        };
        self.class_of_qualifier(self.qualifier(file, of))
    }

    /// Returns the type of the class literal of what stands before `::class`.
    pub(super) fn class_of_qualifier(&self, before: Option<Qualifier>) -> Type {
        let of = match before {
            Some(Qualifier::Class(class)) => {
                let class = self.class_behind(class).unwrap_or(class);
                Type::class(class, vec![Type::Unknown; self.type_parameters(class).len()])
            }
            Some(Qualifier::External(path)) => self.outside_type(&path, vec![Type::Unknown]),
            Some(Qualifier::Value(ty)) => ty,
            _ => Type::Unknown,
        };
        self.library_type("kotlin.reflect", "KClass", vec![of])
    }

    /// Whether a variable is declared with `var`.
    fn is_var(&self, variable: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(variable) else { return false };
        let node = property_node(&file, declaration.node);
        file.child(node, K::BindingPatternKind).is_some_and(|kind| file.text_of(kind) == "var")
    }

    /// Returns the type of `Class::name` where it means one property.
    fn property_reference_type(&self, file: &ProjectFile, name: NodeId, class: DeclarationId) -> Type {
        let found = self.find_static(file, name, class, file.name_text(name), NameUse::Reference);
        let is_variable = |one: &Member| self.kind(one.declaration).is_some_and(DeclarationKind::is_variable);
        match (&found.candidates[..], &found.receiver) {
            ([one], Some(receiver)) if found.certainty > Certainty::Possible && is_variable(one) => {
                let value = self.member_type(one, Some(receiver));
                let kind = if self.is_var(one.declaration) { "KMutableProperty1" } else { "KProperty1" };
                self.library_type("kotlin.reflect", kind, vec![receiver.clone(), value])
            }
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

    /// Returns the type of the body of a `when` entry; `None` if the entry has no body.
    fn branch_type(&self, file: &ProjectFile, entry: NodeId) -> Option<Type> {
        let body = file.child(entry, K::ControlStructureBody)?;
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
    pub(super) fn joined(&self, types: Vec<Type>) -> Type {
        self.joined_within(types, MAX_JOINED)
    }

    fn joined_within(&self, types: Vec<Type>, depth: usize) -> Type {
        let mut left: Vec<Type> = Vec::new();
        for ty in types {
            if !matches!(ty, Type::Nothing | Type::Null) && !left.contains(&ty) {
                left.push(ty);
            }
        }
        match &left[..] {
            [] => Type::Nothing,
            [one] => one.clone(),
            _ if left.iter().any(Type::is_unknown) || depth == 0 => Type::Unknown,
            _ => {
                // What type arguments have in common is found apart.
                let is_above = |wide: &&Type| {
                    left.iter().all(|one| match (one, wide) {
                        (Type::Class(one), Type::Class(wide)) => {
                            self.class_fits(one.class, wide.class) == Fit::Yes
                        }
                        _ => self.fits(one, wide, &[]) == Fit::Yes,
                    })
                };
                match left.iter().find(is_above) {
                    Some(Type::Class(wide)) => self.with_common_arguments(wide, &left, depth - 1),
                    Some(wide) => wide.clone(),
                    None => self.common_classes(&left),
                }
            }
        }
    }

    /// Returns the type of a class above all of these, with what their type arguments have in common.
    fn with_common_arguments(&self, wide: &Arc<ClassType>, types: &[Type], depth: usize) -> Type {
        let given: Vec<Vec<Type>> = types
            .iter()
            .filter_map(|ty| match ty {
                Type::Class(one) => self.arguments_as(one.class, &one.arguments, wide.class),
                _ => None,
            })
            .collect();
        let is_same = |all: &Vec<Type>| *all == wide.arguments;
        if given.len() != types.len() || given.iter().all(is_same) {
            return Type::Class(wide.clone());
        }
        let at = |number: usize| {
            given.iter().map(|all| all.get(number).cloned().unwrap_or(Type::Unknown)).collect::<Vec<_>>()
        };
        let common = (0..wide.arguments.len()).map(|number| match at(number) {
            all if all.iter().all(|one| *one == all[0]) => all[0].clone(),
            all => self.joined_within(all, depth),
        });
        Type::class(wide.class, common.collect()).projected()
    }

    /// Returns the type of what is of all nearest classes above all of these.
    fn common_classes(&self, types: &[Type]) -> Type {
        let Some(Type::Class(first)) = types.first() else { return Type::Unknown };
        let above = self.ancestors(first.class);
        let is_any = self.library_class("kotlin", "Any");
        let mut common: Vec<DeclarationId> = Vec::new();
        for class in above.classes.iter().map(|(class, _)| *class).filter(|class| Some(*class) != is_any) {
            let is_covered =
                common.iter().any(|near| self.ancestors(*near).classes.iter().any(|(far, _)| *far == class));
            if !is_covered && types.iter().all(|one| self.fits(one, &self.any_of(class), &[]) == Fit::Yes) {
                common.push(class);
            }
        }
        // What is not known of the supertypes may be common, too.
        let may_lack = types.iter().all(|one| self.may_lack_own(one)).then_some(Type::Unknown);
        let found = common.into_iter().map(|class| self.any_of(class)).chain(may_lack);
        found.reduce(Type::both).unwrap_or(Type::Unknown)
    }

    /// Returns the type of a class with type arguments that are not known.
    fn any_of(&self, class: DeclarationId) -> Type {
        Type::class(class, vec![Type::Unknown; self.type_parameters(class).len()])
    }

    fn this_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let label = file.child(node, K::TypeIdentifier).map(|label| file.name_text(label));
        let is_meant = |level: &Level| match level {
            // Where there is an object of such a lambda, nothing is known of it.
            Level::Receiver { ty, label: own } if label.is_none() || own.as_deref() == label => {
                Some(if ty.is_foreign() { Type::Unknown } else { ty.clone() })
            }
            _ => None,
        };
        let ty = self.levels(file, node).iter().find_map(is_meant).unwrap_or(Type::Unknown);
        match label.and_then(|label| self.narrowed_labelled(file, node, label)) {
            None => ty,
            Some(narrow) if self.fits(&narrow, &ty, &[]) == Fit::Yes => narrow,
            Some(narrow) => Type::both(narrow, ty),
        }
    }

    /// Returns the type that `super` means: the one that is written, or all supertypes.
    fn super_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let Some(class) = class_of_super(file, node) else { return Type::Unknown };
        let mut all = self.direct_supertypes(class);
        if let Some(written) = self.type_in(file, node) {
            // The head of the class has the type arguments.
            let is_it = |ty: &Type| matches!((ty, &written), (Type::Class(one), Type::Class(two)) if one.class == two.class);
            return all.into_iter().find(is_it).unwrap_or(written);
        }
        let named = file.parent(node).and_then(|call| callee_name(file, call));
        if let Some(name) = named.map(|name| file.name_text(name)).filter(|_| all.len() > 1) {
            // One that has a body comes before those that do not.
            let found: Vec<Members> = all.iter().map(|ty| self.members(ty, name, &is_callable)).collect();
            let has_body = |of: &Members| of.found.iter().any(|one| self.has_body(one.declaration));
            if found.iter().any(has_body) && !found.iter().any(|of| of.may_be_more) {
                let mut is_meant = found.iter().map(has_body);
                all.retain(|_| is_meant.next() == Some(true));
            }
        }
        let all = all.into_iter().reduce(Type::both);
        all.unwrap_or_else(|| self.library_type("kotlin", "Any", Vec::new()))
    }

    /// Whether a function or property of a class is not abstract.
    fn has_body(&self, member: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(member) else { return false };
        let is_of_interface =
            self.class_of(member).is_some_and(|class| self.kind(class) == Some(DeclarationKind::Interface));
        match declaration.kind {
            DeclarationKind::Property if is_of_interface => {
                getter_of(&file, property_node(&file, declaration.node)).is_some()
            }
            DeclarationKind::Property | DeclarationKind::ConstructorProperty => {
                !declaration.modifiers.is_abstract
            }
            _ => file.child(declaration.node, K::FunctionBody).is_some(),
        }
    }

    /// Returns the superclass, whose constructor `super(…)` calls.
    pub(super) fn superclass(&self, class: DeclarationId) -> Type {
        let direct = self.direct_supertypes(class);
        let is_class = |ty: &&Type| matches!(ty, Type::Class(class) if self.kind(class.class) == Some(DeclarationKind::Class));
        match &direct[..] {
            [] => self.library_type("kotlin", "Any", Vec::new()),
            [one] => one.clone(),
            several => several.iter().find(is_class).cloned().unwrap_or(Type::Unknown),
        }
    }

    fn prefix_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let Some(operand) = file.children(node).last() else { return Type::Unknown };
        let is_negation = file.child(node, K::NotToken).is_some();
        let boolean = || self.library_type("kotlin", "Boolean", Vec::new());
        let declares_not = || {
            self.members_called("not").is_none_or(|found| !found.is_empty())
                || self.top_level("not").iter().any(|id| !self.of_library(*id))
        };
        if is_negation && !declares_not() {
            return boolean();
        }
        let ty = self.expression_type(file, operand);
        if is_negation {
            let is_own = matches!(&ty, Type::Class(_)) && ty != boolean();
            return if is_own { self.member_call_type(file, node, &ty, "not", &[]) } else { boolean() };
        }
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

    /// Returns what an operator gives that calls a member with these operands.
    pub(super) fn member_call_type(
        &self,
        file: &ProjectFile,
        node: NodeId,
        receiver: &Type,
        name: &str,
        values: &[NodeId],
    ) -> Type {
        let arguments = Arguments::operands(values, CallForm::Operator);
        self.call_of_member_type(file, node, receiver, name, &arguments)
    }

    fn call_of_member_type(
        &self,
        file: &ProjectFile,
        node: NodeId,
        receiver: &Type,
        name: &str,
        arguments: &Arguments,
    ) -> Type {
        let lookup = self.find_member(file, node, receiver, name, NameUse::Call(arguments));
        self.result_type(file, &lookup, arguments)
    }

    /// Returns the type of what a name was found to mean, as a value.
    pub(super) fn lookup_type(&self, lookup: &Lookup) -> Type {
        let receiver = lookup.receiver.as_ref();
        self.common_type(lookup.candidates.iter(), |member| self.member_type(member, receiver))
    }

    /// Returns the type that a member gives its name, where it is a member or an extension of `receiver`.
    pub(super) fn member_type(&self, member: &Member, receiver: Option<&Type>) -> Type {
        let mut bound = member.substitution.clone();
        let own = self.type_parameters(member.declaration);
        if let (Some(wanted), Some(actual)) = (self.extension_receiver(member.declaration), receiver) {
            self.unify(&wanted, actual, &own, &mut bound);
        }
        bound.close(&self.declared_type(member.declaration), &own)
    }
}

/// Returns the class whose supertypes `super` means: the innermost one that it stands in the body of, or the one of its label. What a
/// class gives its superclass is of the class around it.
fn class_of_super(file: &ProjectFile, node: NodeId) -> Option<DeclarationId> {
    let label = file.child(node, K::TypeIdentifier).map(|label| file.name_text(label));
    let mut child = node;
    for around in file.ancestors(node) {
        if is_class_node(file, around)
            && is_class_body(file, child)
            && let Some(number) = file.declaration_of(around)
            && label.is_none_or(|label| file.name_of(number) == label)
        {
            return Some(DeclarationId::new(file.key, number));
        }
        child = around;
    }
    None
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
