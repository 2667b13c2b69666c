//! Types as the resolver knows them. What is not known is `Unknown`, which fits everything.

use std::sync::Arc;

use super::universe::DeclarationId;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Nothing is known of it.
    Unknown,
    Class(Arc<ClassType>),
    /// A type parameter of a class or function.
    Parameter(DeclarationId),
    /// A class outside the project and the known library.
    External(Arc<OutsideClass>),
    /// A class that is hardly one of the project's, by its simple name: no file of the project declares it, and the file imports a package
    /// from outside with a star; or what makes the value is imported from outside and named like a class. It fits like an unknown one.
    LikelyExternal(Arc<str>),
    /// A class that a Java file of the project declares, by its qualified name. Its members are not known here.
    Java(Arc<str>),
    Function(Arc<FunctionType>),
    /// Both of two types, the narrower first: what a check has shown, and what is declared.
    Both(Arc<(Type, Type)>),
    /// The type of an integer literal, which fits every integer type.
    Integer,
    /// `null`
    Null,
    /// The type of `return` and `throw`, which fits every type.
    Nothing,
}

/// A class outside the project and the known library.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutsideClass {
    /// The qualified name; empty for a class of which the name is not known.
    pub(super) name: Arc<str>,
    pub(super) arguments: Vec<Type>,
    /// Whether an argument is projected (`out T`, `in T`).
    pub(super) is_projected: bool,
    /// Whether what its members give may be of a class of the project, whatever the arguments are: it may be generated for the project.
    pub(super) may_give_own: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct ClassType {
    pub(super) class: DeclarationId,
    pub(super) arguments: Vec<Type>,
    /// Whether an argument is projected (`out T`, `in T`): members that take the parameter accept less then.
    pub(super) is_projected: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct FunctionType {
    /// How many values it takes from the context: `context(Raise<E>) () -> A`.
    pub(super) contexts: usize,
    pub(super) receiver: Option<Type>,
    pub(super) parameters: Vec<Type>,
    pub(super) result: Type,
}

impl Type {
    pub(super) fn class(class: DeclarationId, arguments: Vec<Type>) -> Type {
        Type::Class(Arc::new(ClassType { class, arguments, is_projected: false }))
    }

    /// Returns the type of a class outside the project and the known library.
    pub(super) fn outside(name: &str, arguments: Vec<Type>, may_give_own: bool) -> Type {
        Type::External(Arc::new(OutsideClass {
            name: name.into(),
            arguments,
            is_projected: false,
            may_give_own,
        }))
    }

    /// Returns the type of an object whose class is outside the project and has no known name.
    pub(super) fn foreign() -> Type {
        Type::outside("", Vec::new(), false)
    }

    /// Whether the type is [`Type::foreign`].
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self, Type::External(class) if class.name.is_empty())
    }

    /// Marks a class type as one whose arguments are projected.
    pub(super) fn projected(self) -> Type {
        match self {
            Type::Class(class) => Type::Class(Arc::new(ClassType {
                class: class.class,
                arguments: class.arguments.clone(),
                is_projected: true,
            })),
            Type::External(class) => {
                Type::External(Arc::new(OutsideClass { is_projected: true, ..Arc::unwrap_or_clone(class) }))
            }
            other => other,
        }
    }

    /// Returns the type of what is of both types.
    pub(super) fn both(narrow: Type, declared: Type) -> Type {
        Type::Both(Arc::new((narrow, declared)))
    }

    pub(super) fn function(receiver: Option<Type>, parameters: Vec<Type>, result: Type) -> Type {
        Type::Function(Arc::new(FunctionType { contexts: 0, receiver, parameters, result }))
    }

    /// Returns the type that all of these are; unknown if they differ, or if there are none. Type arguments in
    /// which they differ are unknown.
    pub(super) fn if_same(mut types: impl Iterator<Item = Type>) -> Type {
        let Some(first) = types.next() else { return Type::Unknown };
        types.fold(first, |one, two| match (&one, &two) {
            _ if one == two => one,
            (Type::Class(one), Type::Class(two)) if one.class == two.class => {
                let pairs = one.arguments.iter().zip(&two.arguments);
                let same = |(one, two): (&Type, &Type)| if one == two { one.clone() } else { Type::Unknown };
                let ty = Type::class(one.class, pairs.map(same).collect());
                if one.is_projected || two.is_projected { ty.projected() } else { ty }
            }
            (Type::External(one), Type::External(two)) if one.name == two.name => {
                let may_give_own = one.may_give_own || two.may_give_own;
                Type::outside(&one.name, vec![Type::Unknown; one.arguments.len()], may_give_own)
            }
            _ => Type::Unknown,
        })
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Type::Unknown | Type::LikelyExternal(_))
    }
}
