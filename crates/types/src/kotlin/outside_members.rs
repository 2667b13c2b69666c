//! What members of classes from outside give. A library does not know the project's classes: it gives an object of one only where a type
//! argument, an argument or the place of the call tells it to.

use super::callables::Arguments;
use super::classes::Member;
use super::lookup::{Lookup, NameUse};
use super::qualifiers::Qualifier;
use super::scopes::Level;
use super::source_file::SourceFile;
use super::ty::{FunctionType, Type};
use super::type_references::{stated_type, type_node};
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Maximum number of calls within each other that are followed.
const MAX_NESTED_CALLS: usize = 16;

impl Universe<'_> {
    /// Whether objects of a type are none of the project's, and hold none.
    pub(super) fn is_plain(&self, ty: &Type) -> bool {
        match ty {
            Type::Integer | Type::Null | Type::Nothing => true,
            Type::External(class) => {
                !class.may_give_own && class.arguments.iter().all(|one| self.is_plain(one))
            }
            Type::Class(class) => {
                self.of_library(class.class) && class.arguments.iter().all(|one| self.is_plain(one))
            }
            Type::Both(both) => self.is_plain(&both.0) && self.is_plain(&both.1),
            Type::Unknown
            | Type::LikelyExternal(_)
            | Type::Java(_)
            | Type::Parameter(_)
            | Type::Function(_) => false,
        }
    }

    /// Returns the type of what a call gives that calls nothing of the project or the known library.
    pub(super) fn given_outside(&self, file: &ProjectFile, call: NodeId) -> Type {
        match is_expected_nowhere(file, call) && self.gives_nothing_own(file, call) {
            true => Type::foreign(),
            false => Type::Unknown,
        }
    }

    /// Returns the type of a property of an object that has none of this name that is known, nor is extended by one.
    pub(super) fn property_outside(&self, file: &ProjectFile, receiver: &Type, name: NodeId) -> Type {
        let is_outside = (self.is_plain_outside(receiver) || self.inherits_outside(file, receiver, name))
            && !self.may_be_imported(file, name)
            && !self.has_foreign_generics(file, name);
        if is_outside { Type::foreign() } else { Type::Unknown }
    }

    /// Returns the type of a class or an object from outside that stands for a value.
    pub(super) fn object_outside(&self, path: &str) -> Type {
        if self.may_declare(path) { Type::Unknown } else { Type::foreign() }
    }

    /// Whether the values in the parentheses of a call are none of the project's, and it has no lambda.
    pub(super) fn holds_nothing_own(&self, file: &ProjectFile, suffix: NodeId) -> bool {
        let arguments = Arguments::of(file, suffix);
        arguments.lambda.is_none()
            && arguments.values.iter().all(|one| self.is_plain(&self.expression_type(file, one.value)))
    }

    /// Whether a call calls what is declared outside, with nothing of the project: no class of it is a type argument, and no value holds one.
    fn gives_nothing_own(&self, file: &ProjectFile, call: NodeId) -> bool {
        self.gives_nothing_own_within(file, call, MAX_NESTED_CALLS)
    }

    fn gives_nothing_own_within(&self, file: &ProjectFile, call: NodeId, depth: usize) -> bool {
        let mut parts = file.children(call);
        let (Some(callee), Some(suffix)) = (parts.next(), parts.last()) else { return false };
        let arguments = Arguments::of(file, suffix);
        let types = arguments.types.map_or(Vec::new(), |types| self.type_arguments(file, types));
        arguments.lambda.is_none()
            && types.iter().all(|one| self.is_plain(one))
            && self.calls_outside(file, callee, &arguments)
            && arguments.values.iter().all(|one| self.is_nothing_own_within(file, one.value, depth))
    }

    /// Whether a value certainly holds no object of a class of the project. A call's result counts if the call gives nothing of the project.
    pub(super) fn is_nothing_own(&self, file: &ProjectFile, value: NodeId) -> bool {
        self.is_nothing_own_within(file, value, MAX_NESTED_CALLS)
    }

    fn is_nothing_own_within(&self, file: &ProjectFile, value: NodeId, depth: usize) -> bool {
        self.is_plain(&self.expression_type(file, value))
            || depth > 0
                && file.kind(value) == K::CallExpression
                && self.gives_nothing_own_within(file, value, depth - 1)
    }

    fn calls_outside(&self, file: &ProjectFile, callee: NodeId, arguments: &Arguments) -> bool {
        match file.kind(callee) {
            // A function may extend the object around it, and give that.
            K::SimpleIdentifier => {
                file.name_text(callee).starts_with(char::is_uppercase)
                    && self.names_outside(file, file.name_text(callee))
                    && self.is_foreign_callee(file, callee, arguments)
            }
            K::NavigationExpression => {
                let before = file.children(callee).last().and_then(|suffix| self.before_suffix(file, suffix));
                let is_outside = match before {
                    Some(Qualifier::External(path)) => !self.may_declare(&path),
                    Some(Qualifier::Value(ty)) => self.is_plain_outside(&ty),
                    _ => false,
                };
                is_outside
                    && self.is_declared_outside(file, callee, arguments)
                    && !self.has_foreign_generics(file, callee)
            }
            _ => false,
        }
    }

    /// Whether what a name means of an object of the project's can only be inherited from a class from outside that has no type arguments.
    fn inherits_outside(&self, file: &ProjectFile, ty: &Type, name: NodeId) -> bool {
        let Type::Class(class) = ty else { return false };
        let above = self.ancestors(class.class);
        let may_be_brought =
            || file.imports.iter().any(|import| import.bound() == Some(file.name_text(name)));
        !above.is_complete
            && !above.may_lack_own
            && !self.extends_foreign_generics(class.class)
            && !self.imports_from_outside(file)
            && !may_be_brought()
    }

    /// Returns the function type that both of two are, whose values are none of the project's.
    pub(super) fn plain_function(&self, one: &Type, two: &Type) -> Option<Type> {
        let (Type::Function(one), Type::Function(two)) = (one, two) else { return None };
        let is_plain = |function: &FunctionType| {
            function.receiver.is_none() && function.parameters.iter().all(|ty| self.is_plain(ty))
        };
        let is_alike = one.parameters.len() == two.parameters.len() && is_plain(one) && is_plain(two);
        let parameters = vec![Type::foreign(); one.parameters.len()];
        is_alike.then(|| Type::function(None, parameters, Type::Unknown))
    }

    /// Whether the other arguments of a call hold nothing of the project.
    pub(super) fn takes_nothing_own(
        &self,
        file: &ProjectFile,
        arguments: &Arguments,
        lambda: NodeId,
    ) -> bool {
        let mut others = arguments.values.iter().map(|one| one.value).filter(|value| *value != lambda);
        arguments.types.is_none()
            && arguments.lambda.is_none_or(|last| last == lambda)
            && others.all(|value| self.is_nothing_own(file, value))
    }

    /// Returns the type of what a call gives that calls one of several functions of the known library, or one of a class from outside: where
    /// each gives nothing of the project.
    pub(super) fn given_by_either(&self, file: &ProjectFile, call: NodeId, found: &Lookup) -> Type {
        let is_library = |one: &Member| self.of_library(one.declaration);
        let is_outside = found.receiver.as_ref().is_some_and(|ty| self.is_plain_outside(ty));
        let Some(suffix) = file.child(call, K::CallSuffix).filter(|_| is_outside && !found.may_be_other)
        else {
            return Type::Unknown;
        };
        let arguments = Arguments::of(file, suffix);
        let gives_nothing_own = |value: NodeId| match file.kind(value) {
            // A `return` may give another value than the last expression.
            K::LambdaLiteral => match self.expression_type(file, value) {
                Type::Function(function) => {
                    self.is_plain(&function.result)
                        && !file.tree().subtree(value).any(|one| file.kind(one) == K::JumpExpression)
                }
                _ => false,
            },
            _ => self.is_nothing_own(file, value),
        };
        let mut values = arguments.values.iter().map(|one| one.value).chain(arguments.lambda);
        let is_plain = arguments.types.is_none()
            && found.candidates.iter().all(is_library)
            && is_expected_nowhere(file, call)
            && values.all(gives_nothing_own);
        if is_plain { Type::foreign() } else { Type::Unknown }
    }

    /// Whether a loop over an object takes what its class, from outside, tells alone.
    pub(super) fn is_looped_outside(&self, file: &ProjectFile, node: NodeId, ty: &Type) -> bool {
        let is_own = |one: &Member| !self.of_library(one.declaration);
        self.is_plain_outside(ty) && {
            let found = self.find_member(file, node, ty, "iterator", NameUse::Reference);
            !found.candidates.iter().any(is_own)
        }
    }

    /// Whether a type is that of a class from outside whose members give nothing of the project.
    fn is_plain_outside(&self, ty: &Type) -> bool {
        match ty {
            Type::External(_) => self.is_plain(ty),
            Type::Both(both) => matches!(both.0, Type::External(_)) && self.is_plain(ty),
            _ => false,
        }
    }

    /// Whether a class around a node inherits from one that is given type arguments: an extension that it inherits may give objects of these.
    pub(super) fn has_foreign_generics(&self, file: &ProjectFile, node: NodeId) -> bool {
        self.levels(file, node).iter().any(|level| match level {
            Level::Receiver { ty: Type::Class(class), .. } => self.extends_foreign_generics(class.class),
            _ => false,
        })
    }
}

/// Whether nothing around a call expects a type of it, which a type parameter of what is called could stand for.
pub(super) fn is_expected_nowhere(file: &SourceFile, call: NodeId) -> bool {
    let mut node = call;
    while let Some(above) = file.parent(node) {
        let is_first = || file.children(above).next() == Some(node);
        match file.kind(above) {
            K::NavigationExpression | K::IndexingExpression | K::DirectlyAssignableExpression => {
                return is_first() && file.children(above).count() > 1;
            }
            K::ForStatement => return true,
            K::PropertyDeclaration => {
                let variable = file.child(above, K::VariableDeclaration);
                return variable.is_none_or(|variable| type_node(file, variable).is_none());
            }
            K::FunctionBody => {
                let function = file.parent(above);
                return function.is_some_and(|function| {
                    file.kind(function) == K::FunctionDeclaration && stated_type(file, function).is_none()
                });
            }
            K::ParenthesizedExpression | K::PostfixExpression | K::ElvisExpression => node = above,
            _ => return false,
        }
    }
    false
}
