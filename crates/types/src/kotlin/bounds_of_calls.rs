//! Bounds that type parameters give each other: of `fun <T, S : T, C : Column<S>> C.references(to: Column<T>)` the call gives `C`, and so fixes `S`,
//! which must be a `T`.

use super::applicability::pair_arguments;
use super::callables::{Arguments, ValueParameter};
use super::inference::{is_function_value, mentions};
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::{ClassType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe};

/// What a call tells about the type parameters of what it calls.
#[derive(Default)]
struct GivenTypes {
    /// Each type is one that the parameter stands for, or narrower.
    within: Vec<(DeclarationId, Type)>,
    /// What the parameters stand for, exactly; unknown where the call fixes it and it is not known.
    exact: Substitution,
    /// All type parameters.
    own: Vec<DeclarationId>,
    /// What was given for parameters and is given for their bounds, too: each once.
    followed: Vec<(DeclarationId, Type)>,
}

/// How many given types are followed to bounds: the bounds of many parameters may all name each other.
const MAX_FOLLOWED: usize = 64;

impl Universe<'_> {
    /// Returns whether what a call gives is within the bounds of the type parameters in `own`, if one of these bounds names another type
    /// parameter. `around` tells what the type parameters of the class stand for, `object` is what the called function extends, and what it is
    /// called on.
    pub(super) fn fits_bounds_among(
        &self,
        file: &ProjectFile,
        parameters: &[ValueParameter],
        arguments: &Arguments,
        own: &[DeclarationId],
        around: &Substitution,
        object: impl FnOnce() -> Option<(Type, Type)>,
    ) -> Fit {
        let mut bounds: Vec<(DeclarationId, Type)> = Vec::new();
        for parameter in own {
            bounds.extend(self.written_bounds(*parameter).into_iter().map(|bound| (*parameter, bound)));
        }
        let names_another = |(parameter, bound): &(DeclarationId, Type)| {
            mentions(bound, &without(own, *parameter)) || around.replaces_in(bound)
        };
        if !bounds.iter().any(names_another) {
            return Fit::Yes;
        }
        let mut given = GivenTypes { own: own.to_vec(), ..GivenTypes::default() };
        if let Some(list) = arguments.types {
            for (parameter, ty) in own.iter().zip(self.type_arguments(file, list)) {
                given.exact.bind(*parameter, ty);
            }
        }
        // What the call is to determine tells nothing.
        let told = |ty: Type| if mentions(&ty, own) { Type::Unknown } else { ty };
        if let Some((extended, object)) = object() {
            self.note_given(&extended, &told(object), own, &mut given);
        }
        for (at, value, is_array) in pair_arguments(parameters, arguments).unwrap_or_default() {
            let pattern = &parameters[at].ty;
            if !is_array && !is_function_value(file, value) && mentions(pattern, own) {
                self.note_given(pattern, &told(self.expression_type(file, value)), own, &mut given);
            }
        }
        let mut fit = Fit::Yes;
        for (parameter, bound) in &bounds {
            let limit = match bound {
                Type::Parameter(other) if own.contains(other) => given.exact.get(*other).cloned(),
                _ => (!mentions(bound, own)).then(|| around.apply(bound)),
            };
            let Some(limit) = limit else { continue };
            let within = given.within.iter().filter(|(of, _)| of == parameter).map(|(_, ty)| ty);
            for ty in within.chain(given.exact.get(*parameter)) {
                fit = fit.min(self.fits(ty, &limit, &[]));
            }
        }
        fit
    }

    /// Returns whether a type that stands in the class of a function is within the bounds of one of its type parameters that are type parameters
    /// of the class: in `class Box<T>` a `T` is for `fun <S : T> put(one: S)`, an `Any` is not.
    pub(super) fn fits_bounds_of_class(&self, ty: &Type, wanted: &Type, own: &[DeclarationId]) -> Fit {
        let Type::Parameter(parameter) = wanted else { return Fit::Yes };
        if !own.contains(parameter) {
            return Fit::Yes;
        }
        let bounds = self.written_bounds(*parameter).into_iter();
        let of_class = bounds.filter(|bound| matches!(bound, Type::Parameter(other) if !own.contains(other)));
        of_class.map(|bound| self.fits(ty, &bound, &[])).min().unwrap_or(Fit::Yes)
    }

    /// Notes what type parameters in `pattern` stand for where a value of type `actual` is given for it.
    fn note_given(&self, pattern: &Type, actual: &Type, own: &[DeclarationId], given: &mut GivenTypes) {
        match (pattern, actual) {
            (Type::Parameter(parameter), _) if own.contains(parameter) => {
                given.within.push((*parameter, actual.clone()));
                self.note_bounds(*parameter, actual, given);
            }
            (Type::Class(wanted), Type::Both(both)) => {
                let is_below =
                    |ty: &Type| matches!(ty, Type::Class(one) if self.seen_as(one, wanted).is_some());
                let of = if is_below(&both.0) { &both.0 } else { &both.1 };
                self.note_given(pattern, of, own, given);
            }
            (Type::Class(wanted), Type::Parameter(parameter)) => {
                let bounds = self.bounds(*parameter);
                let seen = |bound: &Type| match bound {
                    Type::Class(one) => self.seen_as(one, wanted),
                    _ => None,
                };
                self.note_arguments(wanted, bounds.iter().find_map(seen), own, given);
            }
            (Type::Class(wanted), Type::Class(one)) => {
                self.note_arguments(wanted, self.seen_as(one, wanted), own, given);
            }
            (Type::Class(wanted), _) => self.note_arguments(wanted, None, own, given),
            _ => {}
        }
    }

    /// What is given for a type parameter is given for its bounds, too.
    fn note_bounds(&self, parameter: DeclarationId, actual: &Type, given: &mut GivenTypes) {
        let one = (parameter, actual.clone());
        if given.followed.len() >= MAX_FOLLOWED || given.followed.contains(&one) {
            return;
        }
        given.followed.push(one);
        let others = without(&given.own, parameter);
        for bound in self.written_bounds(parameter).iter().filter(|bound| mentions(bound, &others)) {
            self.note_given(bound, actual, &others, given);
        }
    }

    /// Returns the type arguments of a class as those of one above it, where these are known.
    fn seen_as(&self, one: &ClassType, above: &ClassType) -> Option<Vec<Type>> {
        (!one.is_projected).then(|| self.arguments_as(one.class, &one.arguments, above.class)).flatten()
    }

    fn note_arguments(
        &self,
        wanted: &ClassType,
        actual: Option<Vec<Type>>,
        own: &[DeclarationId],
        given: &mut GivenTypes,
    ) {
        if wanted.is_projected {
            return;
        }
        let mut actual = actual.unwrap_or_default().into_iter();
        for (parameter, pattern) in self.type_parameters(wanted.class).iter().zip(&wanted.arguments) {
            let ty = actual.next().unwrap_or(Type::Unknown);
            match self.variance(*parameter) {
                Some("in") => {}
                Some(_) => self.note_given(pattern, &ty, own, given),
                None => self.note_exact(pattern, &ty, own, given),
            }
        }
    }

    /// Notes what type parameters in `pattern` stand for where it is to be the type `actual`, and no wider one.
    fn note_exact(&self, pattern: &Type, actual: &Type, own: &[DeclarationId], given: &mut GivenTypes) {
        match (pattern, actual) {
            (Type::Parameter(parameter), _) if own.contains(parameter) => {
                given.exact.bind_unknown(*parameter, actual.clone());
                self.note_bounds(*parameter, actual, given);
            }
            (Type::Class(wanted), Type::Class(one))
                if one.class == wanted.class && !one.is_projected && !wanted.is_projected =>
            {
                for (wanted, one) in wanted.arguments.iter().zip(&one.arguments) {
                    self.note_exact(wanted, one, own, given);
                }
            }
            // Another type: the argument does not fit, whatever the bounds say.
            (Type::Class(wanted), Type::Class(one)) if one.class != wanted.class => {}
            (Type::Class(_), Type::Parameter(_) | Type::Function(_)) => {}
            _ => {
                let left = own.iter().filter(|one| mentions(pattern, &[**one]));
                left.for_each(|one| given.exact.bind_unknown(*one, Type::Unknown));
            }
        }
    }
}

fn without(own: &[DeclarationId], parameter: DeclarationId) -> Vec<DeclarationId> {
    own.iter().copied().filter(|one| *one != parameter).collect()
}
