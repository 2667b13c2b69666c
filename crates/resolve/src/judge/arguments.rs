//! Judges named arguments, `f(name = …)`: parameters, and properties that constructors take.

use super::TargetContext;
use crate::enclosing::enclosing_row;
use crate::hierarchy::classes::{self, is_class};
use crate::meaning::Meaning;
use crate::occurrence::Judgement;
use crate::python::function_heads::is_parameter;
use crate::python::function_values::is_rebound;
use crate::python::keyword_uses::is_without_keyword;
use crate::resolver::Resolver;
use crate::sources::IndexedDeclaration;
use symd_syntax::{Row, SymbolKind};

impl TargetContext<'_> {
    /// Judges `f(name=…)`, which means the parameter of `f`, or the property that the constructor of `f`
    /// takes.
    pub(super) fn argument(&self, resolver: &Resolver, callee: &str, meaning: &Meaning) -> Judgement {
        if self.is_field_in_body(resolver) {
            // A parameter of the same name is another symbol; a keyword that a function takes with `**` may
            // be the field.
            let has_parameter = |one: &IndexedDeclaration| {
                one.row().is_some_and(|(outline, row)| {
                    let is_function = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
                    let is_it = |other: &Row| {
                        other.is_local()
                            && other.parent() == Some(one.row)
                            && outline.name(other) == self.name
                    };
                    is_function && outline.rows.iter().any(is_it)
                })
            };
            return match meaning {
                Meaning::Declared(found) if found.iter().all(has_parameter) => Judgement::Unlikely,
                _ => Judgement::Unchecked,
            };
        }
        if self.is_positional(resolver) {
            return Judgement::Unlikely;
        }
        let judgements = self.owners.iter().map(|owner| self.argument_of(resolver, owner, callee, meaning));
        judgements.min().unwrap_or(Judgement::Unlikely)
    }

    /// Whether the target is a field that a class declares in its body, of which dataclasses and the like make
    /// constructor parameters. Other functions accept the same parameters.
    pub(super) fn is_field_in_body(&self, resolver: &Resolver) -> bool {
        use SymbolKind::{Class, Constructor, Function, Method};
        let Some((outline, row)) = self.target.row() else { return false };
        resolver.profile.uses.fields_are_parameters
            && self.is_member
            && !row.is_local()
            && !matches!(row.kind(), Method | Function | Constructor | Class)
            && enclosing_row(outline, row.name_start) == row.parent()
    }

    pub(super) fn argument_of(
        &self,
        resolver: &Resolver,
        owner: &IndexedDeclaration,
        callee: &str,
        meaning: &Meaning,
    ) -> Judgement {
        let (function, class) = match owner.row() {
            Some((outline, row)) => (owner.name(), row.parent().map(|at| outline.name(&outline.rows[at]))),
            None => return Judgement::Unlikely,
        };
        let is_constructor = function == "__init__" && class.is_some();
        let is_of = callee == function
            || (function == "__init__" && class == Some(callee))
            || self.row.is_local() && self.is_called(resolver, owner, meaning, is_constructor);
        let takes_properties = resolver.profile.uses.parameters_are_properties;
        if !is_of && takes_properties && self.is_member && may_construct(callee, meaning, class) {
            return Judgement::Unchecked;
        }
        if !is_of || !(self.row.is_local() || self.is_member) {
            return Judgement::Unlikely;
        }
        let Meaning::Declared(found) = meaning else { return Judgement::Unchecked };
        let leads_here = self.row.is_local() && self.is_called(resolver, owner, meaning, is_constructor)
            || found.iter().any(|one| {
                one.is_same_declaration(owner)
                    || owner.row().and_then(|(_, row)| row.parent()).is_some_and(|class| {
                        one.is_same_declaration(&IndexedDeclaration { file: owner.file.clone(), row: class })
                    })
            });
        // A function that is declared again: the call may run either.
        let is_redeclared = || {
            resolver.profile.is_dynamic
                && found.iter().any(|one| {
                    one.row().is_some_and(|(_, row)| {
                        matches!(row.kind(), SymbolKind::Function | SymbolKind::Method)
                    }) && (!self.is_owner(one) || is_rebound(resolver, one))
                })
        };
        match leads_here {
            false => Judgement::Unlikely,
            true if is_redeclared() => Judgement::Unchecked,
            true if takes_properties || self.row.is_local() => Judgement::Likely,
            true => Judgement::Unchecked,
        }
    }
}

impl TargetContext<'_> {
    /// Whether it is a local of Python that no keyword can name.
    fn is_positional(&self, resolver: &Resolver) -> bool {
        if !resolver.profile.is_dynamic || !self.row.is_local() {
            return false;
        }
        let start = self.row.name_start as usize;
        resolver.read_file(&self.target.file).zip(self.row.parent()).is_some_and(|(here, function)| {
            !is_parameter(&here, function, self.row.name_start)
                || is_without_keyword(&here, function, (start, start + self.name.len()))
        })
    }

    /// Whether what is called is the function by another name, such as that of an import, or an heir of the class that it constructs and
    /// that declares no constructor of its own.
    fn is_called(
        &self,
        resolver: &Resolver,
        owner: &IndexedDeclaration,
        meaning: &Meaning,
        is_constructor: bool,
    ) -> bool {
        let Meaning::Declared(found) = meaning else { return false };
        found.iter().any(|one| {
            let is_class = one.row().is_some_and(|(_, row)| is_class(row));
            let is_inherited = || {
                matches!(classes::member(resolver, one, owner.name()),
                    Ok(Meaning::Declared(members)) if members.iter().all(|one| one.is_same_declaration(owner)))
            };
            one.is_same_declaration(owner) || is_constructor && is_class && is_inherited()
        })
    }
}

/// Whether a call with named arguments may call a Kotlin constructor by a name other than its class's:
/// `copy`, `this`, `super`, an enum entry, an alias of the class.
fn may_construct(callee: &str, meaning: &Meaning, class: Option<&str>) -> bool {
    let is_other_name = |target: &IndexedDeclaration| {
        target.row().is_some_and(|(_, row)| match row.kind() {
            SymbolKind::EnumMember => true,
            // An alias has no members.
            SymbolKind::Class => row.descendants == 0 && Some(target.name()) != class,
            _ => false,
        })
    };
    matches!(callee, "copy" | "this" | "super")
        || matches!(meaning, Meaning::Declared(found) if found.iter().any(is_other_name))
}
