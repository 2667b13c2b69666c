//! Whether a value of one type fits where another is expected, as far as that is known.

use super::declarations::DeclarationKind;
use super::inference::mentions;
use super::ty::{ClassType, Type};
use super::universe::{DeclarationId, Universe};
use symd_syntax::kotlin::KotlinNode as K;

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Unknown,
    Yes,
}

/// The names of the types that an integer literal fits, besides those above `Int`.
const INTEGER_TYPES: [&str; 8] = ["Int", "Long", "Short", "Byte", "UInt", "ULong", "UShort", "UByte"];

impl Universe<'_> {
    /// Returns whether a value of type `actual` fits where `expected` is. Type parameters that `own` holds
    /// stand for anything within their bounds. Nullability is not looked at.
    pub(super) fn fits(&self, actual: &Type, expected: &Type, own: &[DeclarationId]) -> Fit {
        match (actual, expected) {
            (_, Type::Parameter(parameter)) if own.contains(parameter) => {
                let bounds = self.bounds(*parameter);
                let fits = |bound: &Type| match bound {
                    Type::Parameter(other) if other != parameter && own.contains(other) => {
                        let others: Vec<DeclarationId> =
                            own.iter().copied().filter(|one| one != parameter).collect();
                        self.fits(actual, bound, &others)
                    }
                    _ => self.fits_bound(actual, bound),
                };
                bounds.iter().map(fits).min().unwrap_or(Fit::Yes)
            }
            (Type::Both(one), Type::Both(two)) if one.0 == two.0 && matches!(one.0, Type::External(_)) => {
                self.fits(&one.1, &two.1, own)
            }
            (Type::Both(both), _) => self.fits(&both.0, expected, own).max(self.fits(&both.1, expected, own)),
            (_, Type::Both(both)) => self.fits(actual, &both.0, own).min(self.fits(actual, &both.1, own)),
            (Type::Java(one), Type::Java(two)) if one == two => Fit::Yes,
            (_, Type::Class(class)) if matches!(actual, Type::Java(_)) && self.is_any(class.class) => {
                Fit::Yes
            }
            (Type::LikelyExternal(one), Type::LikelyExternal(two)) if one == two => Fit::Yes,
            (Type::LikelyExternal(name), Type::External(path))
            | (Type::External(path), Type::LikelyExternal(name))
                if path.name.rsplit('.').next() == Some(&**name) =>
            {
                Fit::Yes
            }
            (_, Type::Class(class))
                if matches!(actual, Type::LikelyExternal(_)) && self.is_any(class.class) =>
            {
                Fit::Yes
            }
            (Type::Unknown | Type::LikelyExternal(_) | Type::Java(_), _)
            | (_, Type::Unknown | Type::LikelyExternal(_) | Type::Java(_)) => Fit::Unknown,
            (Type::Nothing | Type::Null, _) => Fit::Yes,
            (Type::Parameter(one), Type::Parameter(two)) if one == two => Fit::Yes,
            (Type::Parameter(parameter), _) => {
                let bounds = self.bounds(*parameter);
                bounds.iter().map(|bound| self.fits(bound, expected, own)).max().unwrap_or(Fit::Unknown)
            }
            (_, Type::Parameter(_)) => Fit::No,
            (_, Type::Class(class)) if self.is_any(class.class) => Fit::Yes,
            (Type::Integer, Type::Class(class)) => self.integer_fits(class.class),
            (Type::Integer, Type::Integer) => Fit::Yes,
            (Type::Integer, _) => Fit::No,
            (Type::Class(one), Type::Class(two)) => match self.class_fits(one.class, two.class) {
                Fit::Yes if self.arguments_miss_bounds(one, two, own) => Fit::No,
                Fit::Yes if self.arguments_are_apart(one, two) => Fit::No,
                Fit::Yes if self.arguments_contradict(one, two, own) => Fit::Unknown,
                fit => fit,
            },
            // An interface with one method takes a lambda.
            (Type::Function(_), Type::Class(class)) => match self.kind(class.class) {
                Some(DeclarationKind::Interface) if self.takes_lambdas(class.class) => Fit::Yes,
                _ if self.library_class("kotlin", "Function") == Some(class.class) => Fit::Yes,
                _ => Fit::No,
            },
            (Type::Function(one), Type::Function(two)) => {
                let count = |function: &super::ty::FunctionType| {
                    function.contexts + function.parameters.len() + usize::from(function.receiver.is_some())
                };
                if count(one) == count(two) { Fit::Yes } else { Fit::No }
            }
            (Type::Class(class), Type::Function(_)) => {
                // A class may implement a function type.
                let above = self.ancestors(class.class);
                match self.function_above(actual) {
                    Some(function) => self.fits(&Type::Function(function), expected, own),
                    None if above.is_complete && !self.implements_function(class.class) => Fit::No,
                    None => Fit::Unknown,
                }
            }
            (Type::External(one), Type::External(two)) if one.name == two.name && !actual.is_foreign() => {
                let differ = |(one, two): (&Type, &Type)| matches!((one, two), (Type::Class(one), Type::Class(two)) if one.class != two.class);
                match one.arguments.iter().zip(&two.arguments).any(differ) {
                    true => Fit::Unknown,
                    false => Fit::Yes,
                }
            }
            // An external class can be above another one, and take a lambda; no class of the project is above
            // it.
            (Type::External(_), Type::External(_)) => Fit::Unknown,
            // It may be one of the library, or of one outside that an `actual typealias` makes of it.
            (_, Type::Class(class)) if actual.is_foreign() => {
                match self.of_library(class.class) || self.outside_actual(class.class).is_some() {
                    true => Fit::Unknown,
                    false => Fit::No,
                }
            }
            (Type::External(_), Type::Class(class)) => {
                if self.of_library(class.class) && self.may_have_heirs(class.class) {
                    Fit::Unknown
                } else {
                    Fit::No
                }
            }
            (Type::Class(class), Type::External(_)) => {
                let above = self.ancestors(class.class);
                if above.is_complete && !self.of_library(class.class) { Fit::No } else { Fit::Unknown }
            }
            (Type::External(_) | Type::Function(_), _) => Fit::Unknown,
            (_, Type::Integer | Type::Null | Type::Nothing) => Fit::Unknown,
        }
    }

    /// Whether a class of the library is an interface, or open to heirs outside of it.
    fn may_have_heirs(&self, class: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(class) else { return true };
        let modifiers = file.child(declaration.node, K::Modifiers);
        let words = modifiers.map_or("", |modifiers| file.text_of(modifiers));
        declaration.kind == DeclarationKind::Interface
            || words.split_whitespace().any(|word| matches!(word, "open" | "abstract" | "sealed"))
    }

    /// Whether type arguments are other classes than the expected ones, where their parameter is not `out`.
    fn arguments_contradict(&self, given: &ClassType, wanted: &ClassType, own: &[DeclarationId]) -> bool {
        if given.arguments.is_empty()
            || wanted.arguments.is_empty()
            || wanted.is_projected
            || given.is_projected
        {
            return false;
        }
        let Some(arguments) = self.arguments_as(given.class, &given.arguments, wanted.class) else {
            return false;
        };
        let parameters = self.type_parameters(wanted.class);
        let contradicts = |((parameter, given), wanted): ((&DeclarationId, &Type), &Type)| {
            let is_out = || self.variance(*parameter) == Some("out");
            match (given, wanted) {
                (Type::Class(one), Type::Class(two)) => one.class != two.class && !is_out(),
                (Type::Parameter(one), Type::Class(_)) => !own.contains(one) && !is_out(),
                _ => false,
            }
        };
        parameters.iter().zip(&arguments).zip(&wanted.arguments).any(contradicts)
    }

    /// Whether type arguments that may be wider are classes of which neither is above the other: a list of texts is no list of numbers.
    fn arguments_are_apart(&self, given: &ClassType, wanted: &ClassType) -> bool {
        if given.is_projected || wanted.is_projected || wanted.arguments.is_empty() {
            return false;
        }
        let arguments = self.arguments_as(given.class, &given.arguments, wanted.class).unwrap_or_default();
        let parameters = self.type_parameters(wanted.class);
        parameters.iter().zip(&arguments).zip(&wanted.arguments).any(|((parameter, given), wanted)| {
            let (Type::Class(one), Type::Class(two)) = (given, wanted) else { return false };
            let is_class = |class: &ClassType| self.kind(class.class) != Some(DeclarationKind::Interface);
            self.variance(*parameter) == Some("out")
                && is_class(one)
                && is_class(two)
                && self.class_fits(one.class, two.class) == Fit::No
                && self.class_fits(two.class, one.class) == Fit::No
        })
    }

    /// Whether the call would give a type parameter an argument outside its bounds: a `Box<Any>` for `Box<T>` with `T : Shape`.
    fn arguments_miss_bounds(&self, given: &ClassType, wanted: &ClassType, own: &[DeclarationId]) -> bool {
        let has_own = |ty: &Type| matches!(ty, Type::Parameter(one) if own.contains(one));
        if given.is_projected || wanted.is_projected || !wanted.arguments.iter().any(has_own) {
            return false;
        }
        let arguments = self.arguments_as(given.class, &given.arguments, wanted.class).unwrap_or_default();
        let parameters = self.type_parameters(wanted.class);
        parameters.iter().zip(&arguments).zip(&wanted.arguments).any(|((parameter, given), wanted)| {
            matches!((given, wanted), (Type::Class(_), Type::Parameter(one))
                if own.contains(one)
                    && !self.is_variant(*parameter)
                    && self.bounds(*one).iter().any(|bound| self.fits_bound(given, bound) == Fit::No))
        })
    }

    /// Whether a type argument is not known where another type has a class: `Column<*>` beside `Column<Id>`.
    pub(super) fn is_open_within(&self, given: &Type, wanted: &Type) -> bool {
        let (Type::Class(given), Type::Class(wanted)) = (given, wanted) else { return false };
        let arguments = self.arguments_as(given.class, &given.arguments, wanted.class).unwrap_or_default();
        arguments.iter().zip(&wanted.arguments).any(|(given, wanted)| {
            given.is_unknown() && matches!(wanted, Type::Class(_)) || self.is_open_within(given, wanted)
        })
    }

    /// Whether an object of a type alone tells what a type parameter in it stands for: `Column<Id<T>>` does, `Iterable<T>` does not, which takes
    /// a list of what is narrower, too.
    pub(super) fn fixes(&self, ty: &Type, parameter: DeclarationId) -> bool {
        let Type::Class(class) = ty else { return false };
        let of_class = self.type_parameters(class.class);
        let mut arguments = of_class.iter().zip(&class.arguments);
        arguments.any(|(own, argument)| {
            let is_exact = !class.is_projected && !self.is_variant(*own) && mentions(argument, &[parameter]);
            is_exact || self.fixes(argument, parameter)
        })
    }

    /// Whether a type parameter of a class is declared with `in` or `out`.
    pub(super) fn is_variant(&self, parameter: DeclarationId) -> bool {
        self.variance(parameter).is_some()
    }

    /// Returns `in` or `out` if a type parameter is declared with it.
    pub(super) fn variance(&self, parameter: DeclarationId) -> Option<&'static str> {
        let (file, declaration) = self.get(parameter)?;
        let written = file.text_of(declaration.node);
        ["out", "in"].into_iter().find(|word| written.split_whitespace().next() == Some(word))
    }

    /// An argument rules a candidate out by the class of the bound alone.
    fn fits_bound(&self, actual: &Type, bound: &Type) -> Fit {
        match bound {
            Type::Class(_) => self.fits(actual, bound, &[]),
            Type::External(_) => self.fits(actual, bound, &[]),
            _ => Fit::Yes,
        }
    }

    pub(super) fn is_any(&self, class: DeclarationId) -> bool {
        self.library_class("kotlin", "Any") == Some(class)
    }

    pub(super) fn is_unsigned(&self, ty: &Type) -> bool {
        let Type::Class(class) = ty else { return false };
        INTEGER_TYPES
            .iter()
            .any(|name| name.starts_with('U') && self.library_class("kotlin", name) == Some(class.class))
    }

    pub(super) fn is_int(&self, ty: &Type) -> bool {
        matches!(ty, Type::Class(class) if self.library_class("kotlin", "Int") == Some(class.class))
    }

    fn integer_fits(&self, class: DeclarationId) -> Fit {
        let is_integer = INTEGER_TYPES.iter().any(|name| self.library_class("kotlin", name) == Some(class));
        if is_integer {
            return Fit::Yes;
        }
        match self.library_class("kotlin", "Int") {
            Some(int) => self.class_fits(int, class),
            None => Fit::Unknown,
        }
    }

    pub(super) fn class_fits(&self, one: DeclarationId, two: DeclarationId) -> Fit {
        if one == two {
            return Fit::Yes;
        }
        let above = self.ancestors(one);
        if above.classes.iter().any(|(class, _)| *class == two || self.is_same_class(*class, two)) {
            return Fit::Yes;
        }
        if self.is_same_class(one, two) {
            return Fit::Yes;
        }
        let is_twin = |class: DeclarationId| self.are_twin_classes(class, two);
        if is_twin(one) || above.classes.iter().any(|(class, _)| is_twin(*class)) {
            return Fit::Unknown;
        }
        // Classes that are not known may be above it; those of the project only where one of them is not.
        if above.is_complete || !above.may_lack_own && !self.of_library(two) { Fit::No } else { Fit::Unknown }
    }

    /// Whether both are declarations of one class: `expect` and `actual`.
    fn is_same_class(&self, one: DeclarationId, two: DeclarationId) -> bool {
        let (Some((one_file, one)), Some((two_file, two))) = (self.get(one), self.get(two)) else {
            return false;
        };
        let is_split =
            |modifiers: &super::declarations::Modifiers| modifiers.is_expect || modifiers.is_actual;
        is_split(&one.modifiers)
            && is_split(&two.modifiers)
            && one_file.package == two_file.package
            && one.name.map(|name| one_file.name_text(name)) == two.name.map(|name| two_file.name_text(name))
    }

    /// Whether an interface is declared with `fun`, so that a lambda makes an object of it.
    pub(super) fn takes_lambdas(&self, class: DeclarationId) -> bool {
        self.get(class).is_some_and(|(file, declaration)| file.child(declaration.node, K::FunToken).is_some())
    }

    fn implements_function(&self, class: DeclarationId) -> bool {
        let invoke = |kind: DeclarationKind| kind.is_function();
        !self.members(&self.self_type(class), "invoke", &invoke).found.is_empty()
    }
}
