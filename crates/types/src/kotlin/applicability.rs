//! Whether a call with its arguments can mean a function.

use super::callables::{Argument, Arguments, ValueParameter};
use super::source_file::SourceFile;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Pairs each argument with its parameter. The flag says that the argument is an array of such values: `*values`, or the named argument
/// of a `vararg`. `None` when the arguments do not fit by number and names.
pub(super) fn pair_arguments(
    parameters: &[ValueParameter],
    arguments: &Arguments,
) -> Option<Vec<(usize, NodeId, bool)>> {
    let mut pairs: Vec<(usize, NodeId, bool)> = Vec::new();
    let mut is_given = vec![false; parameters.len()];
    let mut next = 0;
    for Argument { name, value, is_spread } in &arguments.values {
        let at = match name {
            Some(name) => parameters.iter().position(|parameter| parameter.name == *name)?,
            None => {
                if next >= parameters.len() {
                    return None;
                }
                next
            }
        };
        let is_vararg = parameters[at].is_vararg;
        if *is_spread && !is_vararg {
            return None;
        }
        if is_given[at] && !(is_vararg && name.is_none()) {
            return None;
        }
        is_given[at] = true;
        // What follows an argument for a `vararg` belongs to it too, until names begin.
        next = if is_vararg && name.is_none() { at } else { at + 1 };
        pairs.push((at, *value, *is_spread || is_vararg && name.is_some()));
    }
    if let Some(lambda) = arguments.lambda {
        let last = parameters.len().checked_sub(1)?;
        if is_given[last] && !parameters[last].is_vararg {
            return None;
        }
        is_given[last] = true;
        pairs.push((last, lambda, false));
    }
    let is_missing = |(parameter, given): (&ValueParameter, &bool)| {
        !given && !parameter.has_default && !parameter.is_vararg
    };
    (!parameters.iter().zip(&is_given).any(is_missing)).then_some(pairs)
}

impl Universe<'_> {
    /// Returns whether the arguments fit the parameters. `own` are the type parameters that the call
    /// determines.
    pub(super) fn is_applicable(
        &self,
        file: &ProjectFile,
        parameters: &[ValueParameter],
        arguments: &Arguments,
        own: &[DeclarationId],
    ) -> Fit {
        let Some(pairs) = pair_arguments(parameters, arguments) else { return Fit::No };
        let mut fit = Fit::Yes;
        for (at, value, is_array) in pairs {
            let parameter = &parameters[at];
            fit = fit.min(match is_array {
                true => self.array_fits(file, value, parameter, own),
                false if file.kind(value) == K::NullLiteral && self.takes_no_null(parameter.declaration) => {
                    Fit::No
                }
                false => self.argument_fits(file, value, &parameter.ty, own),
            });
        }
        fit
    }

    /// Returns whether an array fits a parameter that takes its elements: `IntArray` those of `vararg values: Int`, `Array<Int>` not.
    fn array_fits(
        &self,
        file: &ProjectFile,
        array: NodeId,
        parameter: &ValueParameter,
        own: &[DeclarationId],
    ) -> Fit {
        let given = self.expression_type(file, array);
        let wanted = self.declared_type(parameter.declaration);
        if let (Type::Class(given), Type::Class(wanted)) = (&given, &wanted)
            && given.class != wanted.class
        {
            return Fit::No;
        }
        self.fits(&self.element_type(file, array, &given), &parameter.ty, own)
    }

    pub(super) fn argument_fits(
        &self,
        file: &ProjectFile,
        value: NodeId,
        expected: &Type,
        own: &[DeclarationId],
    ) -> Fit {
        match file.kind(value) {
            K::LambdaLiteral => match expected {
                Type::Function(function) => {
                    match (file.child(value, K::LambdaParameters), function.parameters.len()) {
                        (Some(list), expected) => {
                            let count =
                                file.children(list).filter(|one| is_lambda_parameter(file, *one)).count();
                            if count == expected { Fit::Yes } else { Fit::No }
                        }
                        (None, 0 | 1) => Fit::Yes,
                        (None, _) => Fit::No,
                    }
                }
                Type::Class(_) => {
                    let lambda = Type::function(None, Vec::new(), Type::Unknown);
                    self.fits(&lambda, expected, own)
                }
                Type::Parameter(parameter) if own.contains(parameter) => Fit::Yes,
                _ => Fit::Unknown,
            },
            kind @ (K::AnonymousFunction | K::CallableReference) => match expected {
                // `KProperty` and its like.
                Type::Class(class) if kind == K::CallableReference && self.of_library(class.class) => {
                    match self.expression_type(file, value) {
                        ty @ Type::Class(_) => self.fits(&ty, expected, own),
                        _ => Fit::Unknown,
                    }
                }
                Type::Class(_) => self.fits(&Type::function(None, Vec::new(), Type::Unknown), expected, own),
                _ => Fit::Unknown,
            },
            K::UnsignedLiteral if self.is_unsigned(expected) => Fit::Yes,
            _ => self.fits(&self.expression_type(file, value), expected, own),
        }
    }
}

pub(super) fn is_lambda_parameter(file: &SourceFile, node: NodeId) -> bool {
    matches!(file.kind(node), K::VariableDeclaration | K::MultiVariableDeclaration)
}
