//! Whether a value may be null, as the compiler sees it: by written types, what gives the value, and checks before it.

use super::callables::{Arguments, property_node};
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::declared_types::{getter_of, initializer};
use super::null_checks::NullCheck;
use super::source_file::SourceFile;
use super::type_references::{Classifier, stated_type};
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Whether a value may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nullness {
    /// Its type has no null.
    Never,
    /// Its type is not known so far.
    Open,
    /// Its type has null.
    Nullable,
}

/// How many values that give one another are followed.
const MAX_VALUES: usize = 12;

impl Universe<'_> {
    /// Returns whether a value may be null.
    pub(super) fn nullness(&self, file: &ProjectFile, value: NodeId) -> Nullness {
        self.nullness_within(file, value, MAX_VALUES)
    }

    fn nullness_within(&self, file: &ProjectFile, value: NodeId, depth: usize) -> Nullness {
        let Some(depth) = depth.checked_sub(1) else { return Nullness::Open };
        let of = |node: Option<NodeId>| {
            node.map_or(Nullness::Open, |node| self.nullness_within(file, node, depth))
        };
        let (first, last) = (file.children(value).next(), file.children(value).last());
        match file.kind(value) {
            K::NullLiteral => Nullness::Nullable,
            K::StringLiteral
            | K::BooleanLiteral
            | K::IntegerLiteral
            | K::HexLiteral
            | K::BinLiteral
            | K::LongLiteral
            | K::UnsignedLiteral
            | K::RealLiteral
            | K::CharacterLiteral
            | K::LambdaLiteral
            | K::AnonymousFunction
            | K::ObjectLiteral
            | K::CallableReference
            | K::CheckExpression
            | K::ComparisonExpression
            | K::EqualityExpression
            | K::ConjunctionExpression
            | K::DisjunctionExpression
            | K::RangeExpression
            | K::JumpExpression => Nullness::Never,
            K::ParenthesizedExpression => of(first),
            K::PostfixExpression if file.text_of(value).ends_with("!!") => Nullness::Never,
            K::ElvisExpression => of(last),
            K::AsExpression if file.child(value, K::SafeAsToken).is_some() => Nullness::Nullable,
            K::AsExpression => last.map_or(Nullness::Open, |ty| self.nullness_of_type(file, ty)),
            K::IfExpression if file.child(value, K::ElseToken).is_some() => {
                let bodies = file.children(value).filter(|part| file.kind(*part) == K::ControlStructureBody);
                bodies.map(|body| of(last_statement(file, body))).max().unwrap_or(Nullness::Open)
            }
            K::AdditiveExpression | K::MultiplicativeExpression => {
                match self.is_plain(&self.expression_type(file, value)) {
                    true => Nullness::Never,
                    false => Nullness::Open,
                }
            }
            K::SimpleIdentifier | K::NavigationExpression | K::CallExpression => {
                self.nullness_of_named(file, value, depth)
            }
            _ => Nullness::Open,
        }
    }

    /// Returns whether what a name or a call gives may be null.
    fn nullness_of_named(&self, file: &ProjectFile, value: NodeId, depth: usize) -> Nullness {
        let found = self.read_by(file, value);
        let declared = match &found {
            Some(found) if !found.candidates.is_empty() => {
                let mut all = found.candidates.iter().map(|one| self.declared_nullness(file, one, depth));
                let first = all.next().unwrap_or(Nullness::Open);
                if all.all(|one| one == first) { first } else { Nullness::Open }
            }
            _ if file.text_of(value) == "it" => self.nullness_of_it(file, value, depth),
            _ => Nullness::Open,
        };
        let callee =
            if file.kind(value) == K::CallExpression { file.children(value).next() } else { Some(value) };
        let is_safe = callee.and_then(|callee| file.children(callee).last()).is_some_and(|suffix| {
            file.kind(suffix) == K::NavigationSuffix && file.child(suffix, K::SafeDot).is_some()
        });
        let declared = if is_safe { Nullness::Nullable } else { declared };
        if declared == Nullness::Never || file.kind(value) == K::CallExpression {
            return declared;
        }
        match self.null_check(file, value, found.as_ref()) {
            NullCheck::Passed => Nullness::Never,
            NullCheck::Unclear => Nullness::Open,
            NullCheck::None => declared,
        }
    }

    /// Returns whether what a declaration gives that a value is read from may be null.
    fn declared_nullness(&self, from: &ProjectFile, one: &Member, depth: usize) -> Nullness {
        let Some((file, declaration)) = self.get(one.declaration) else { return Nullness::Open };
        let node = declaration.node;
        if let Some(ty) = stated_type(&file, node) {
            let written = self.nullness_of_type(&file, ty);
            // `requireNotNull` gives a `T`, whose bound has no null.
            return match written {
                Nullness::Open if self.is_strict_parameter(&file, ty) => Nullness::Never,
                written => written,
            };
        }
        let of = |value: Option<NodeId>| {
            value.map_or(Nullness::Open, |value| self.nullness_within(&file, value, depth))
        };
        match declaration.kind {
            kind if kind.is_class() => Nullness::Never,
            DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor => Nullness::Never,
            DeclarationKind::Function => match file.child(node, K::FunctionBody) {
                Some(body) => initializer(&file, body).map_or(Nullness::Never, |given| of(Some(given))),
                None => Nullness::Never,
            },
            DeclarationKind::Property | DeclarationKind::Local => {
                let property = property_node(&file, node);
                match file.parent(node).map(|above| file.kind(above)) {
                    Some(K::LambdaParameters) if file.key == from.key => {
                        self.nullness_of_lambda_value(&file, node, depth)
                    }
                    Some(K::WhenSubject) => {
                        of(file.parent(node).and_then(|above| file.children(above).last()))
                    }
                    _ if property == node => Nullness::Open,
                    _ => {
                        let getter = || getter_of(&file, property);
                        let given = || initializer(&file, file.child(getter()?, K::FunctionBody)?);
                        of(initializer(&file, property).or_else(given))
                    }
                }
            }
            _ => Nullness::Open,
        }
    }

    /// Returns whether a written type has null.
    fn nullness_of_type(&self, file: &ProjectFile, ty: NodeId) -> Nullness {
        match file.kind(ty) {
            K::NullableType => Nullness::Nullable,
            K::FunctionType | K::NotNullableType => Nullness::Never,
            K::UserType => {
                let names = file.children(ty).filter(|child| file.kind(*child) == K::TypeIdentifier);
                match self.classifier_of_path(file, &names.collect::<Vec<_>>()) {
                    Classifier::Declared(id) if self.kind(id).is_some_and(DeclarationKind::is_class) => {
                        Nullness::Never
                    }
                    Classifier::External(_) | Classifier::Java(_) => Nullness::Never,
                    _ => Nullness::Open,
                }
            }
            _ => Nullness::Open,
        }
    }

    /// Whether a written type is a type parameter that stands for no null.
    fn is_strict_parameter(&self, file: &ProjectFile, ty: NodeId) -> bool {
        let names = file.children(ty).filter(|child| file.kind(*child) == K::TypeIdentifier);
        matches!(self.classifier_of_path(file, &names.collect::<Vec<_>>()),
            Classifier::Declared(id) if self.kind(id) == Some(DeclarationKind::TypeParameter) && !self.may_be_null_by_bounds(id))
    }

    /// Returns whether `it` may be null: of `x?.let { … }` it is not.
    fn nullness_of_it(&self, file: &ProjectFile, value: NodeId, depth: usize) -> Nullness {
        let is_its = |above: &NodeId| {
            file.kind(*above) == K::LambdaLiteral && file.child(*above, K::LambdaParameters).is_none()
        };
        file.ancestors(value)
            .find(is_its)
            .map_or(Nullness::Open, |lambda| self.nullness_of_lambda(file, lambda, depth))
    }

    fn nullness_of_lambda_value(&self, file: &ProjectFile, parameter: NodeId, depth: usize) -> Nullness {
        let lambda = file.parent(parameter).and_then(|list| file.parent(list));
        lambda.map_or(Nullness::Open, |lambda| self.nullness_of_lambda(file, lambda, depth))
    }

    /// Returns whether what `let` and `also` give their lambda may be null.
    fn nullness_of_lambda(&self, file: &ProjectFile, lambda: NodeId, depth: usize) -> Nullness {
        let call = file.ancestors(lambda).find(|above| file.kind(*above) == K::CallExpression);
        let callee = call.and_then(|call| file.children(call).next());
        let Some(callee) = callee.filter(|callee| file.kind(*callee) == K::NavigationExpression) else {
            return Nullness::Open;
        };
        let is_direct = call
            .and_then(|call| file.child(call, K::CallSuffix))
            .is_some_and(|suffix| Arguments::of(file, suffix).lambda == Some(lambda));
        let (Some(object), Some(suffix)) = (file.children(callee).next(), file.children(callee).last())
        else {
            return Nullness::Open;
        };
        let name = file.child(suffix, K::SimpleIdentifier).map(|name| file.name_text(name));
        match (is_direct && matches!(name, Some("let" | "also")), file.child(suffix, K::SafeDot).is_some()) {
            (false, _) => Nullness::Open,
            (true, true) => Nullness::Never,
            (true, false) => self.nullness_within(file, object, depth),
        }
    }
}

fn last_statement(file: &SourceFile, body: NodeId) -> Option<NodeId> {
    match file.children(body).last() {
        Some(block) if file.kind(block) == K::Statements => file.children(block).last(),
        other => other,
    }
}
