//! The types of lambdas' parameters in Java, by what takes the lambda, and of what lambdas return.

use super::text_around::{opening, type_before, without_type_arguments};
use super::written_type::{self, FUNCTION, WrittenType};
use super::{MAX_BACK, Reader, ValueType, library};
use crate::context::{last_word, text_before};
use crate::family::{Family, has_types};
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// Methods of streams and the like that hold what a function returns.
const MAPPING: [&str; 4] = ["map", "mapToObj", "thenApply", "thenApplyAsync"];

/// Where a lambda stands among arguments.
struct ArgumentPlace {
    /// The byte of the opening parenthesis.
    open: usize,
    /// How many arguments stand before it.
    number: usize,
}

impl Reader<'_, '_> {
    /// Returns the type of the lambda's parameter whose name stands at byte `at`.
    pub(super) fn lambda_parameter(&self, at: usize, depth: usize) -> Result<ValueType, Cancelled> {
        let unknown = || Ok(ValueType::unknown());
        let text = self.text();
        // `(one, two) ->`
        let (mut start, mut number) = (at, 0);
        let mut before = text_before(text, at, Family::Jvm);
        let mut names = before;
        while let Some(rest) = names.strip_suffix(',') {
            let rest = rest.trim_end();
            let name = last_word(rest);
            if name.is_empty() {
                break;
            }
            number += 1;
            names = rest[..rest.len() - name.len()].trim_end();
        }
        let behind = text.get(at..).unwrap_or("");
        let is_listed = !behind
            .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
            .trim_start()
            .starts_with("->");
        if (number > 0 || is_listed) && names.ends_with('(') {
            start = names.len() - 1;
            before = text_before(text, start, Family::Jvm);
        } else {
            number = 0;
        }
        if let Some(assigned) = before.strip_suffix('=') {
            // `Function<Book, String> caption = book -> …`
            let assigned = assigned.trim_end();
            let name = assigned.len() - last_word(assigned).len();
            let Some(written) = type_before(text, name) else { return unknown() };
            let interface = self.written(&written, name)?;
            return self.parameter_of(&interface, number);
        }
        let Some(place) = argument_place(text, start) else { return unknown() };
        let callee = without_type_arguments(text_before(text, place.open, Family::Jvm));
        let method = last_word(callee);
        let name_start = callee.len() - method.len();
        if method.is_empty() {
            return unknown();
        }
        let before = text_before(text, name_start, Family::Jvm);
        let owner = match before.strip_suffix('.') {
            Some(value) => self.value(value.len(), depth)?,
            None => ValueType::unknown(),
        };
        let found = match (before.ends_with('.'), &owner.class) {
            (true, Meaning::OutsideProject | Meaning::Unknown) => {
                return Ok(library::given(&owner, method, number).unwrap_or_else(ValueType::unknown));
            }
            (true, class) => scope::resolve_member(self.resolver, class, method)?,
            (false, _) => {
                let at = u32::try_from(name_start).unwrap_or(u32::MAX);
                scope::resolve_name(self.resolver, self.here, at, method)?
            }
        };
        let Meaning::Declared(declared) = found else { return unknown() };
        let mut types = Vec::new();
        for function in &declared {
            types.extend(self.parameter_type(function, place.number, &owner)?);
        }
        // Of overloads, all that take a lambda there.
        match &types[..] {
            [only] => self.parameter_of(only, number),
            _ => unknown(),
        }
    }

    /// Returns the type of the function's parameter with this number; `None` where none is written.
    fn parameter_type(
        &self,
        function: &IndexedDeclaration,
        number: usize,
        owner: &ValueType,
    ) -> Result<Option<ValueType>, Cancelled> {
        let Some(there) = self.resolver.read_file(&function.file) else { return Ok(None) };
        let Some((_, row)) = function.row() else { return Ok(None) };
        let there = Reader { resolver: self.resolver, here: &there };
        let name_end = row.name_start as usize + usize::from(row.name_len);
        let is_kotlin = has_types(&function.file);
        let Some(written) = parameters(there.text(), name_end, is_kotlin).into_iter().nth(number) else {
            return Ok(None);
        };
        let names = there.type_parameters(function, owner);
        Ok(Some(there.substituted(&written, name_end, &names)?))
    }

    /// Returns the type of the parameter with this number of what a lambda stands for.
    fn parameter_of(&self, interface: &ValueType, number: usize) -> Result<ValueType, Cancelled> {
        if interface.name == FUNCTION {
            let given = interface.arguments.len().saturating_sub(1);
            return Ok(interface
                .arguments
                .get(number)
                .filter(|_| number < given)
                .cloned()
                .unwrap_or_else(ValueType::unknown));
        }
        let Some(class) = interface.declared() else {
            return Ok(library::parameter(interface, number).unwrap_or_else(ValueType::unknown));
        };
        let method = self.only_method(class);
        let ty = match method {
            Some(method) => self.parameter_type(&method, number, interface)?,
            None => None,
        };
        Ok(ty.unwrap_or_else(ValueType::unknown))
    }

    /// Returns the method of an interface that has only one without a body.
    fn only_method(&self, class: &IndexedDeclaration) -> Option<IndexedDeclaration> {
        let (outline, row) = class.row().filter(|(_, row)| is_class(row))?;
        let there = self.resolver.read_file(&class.file)?;
        let is_abstract = |at: &usize| {
            let member = &outline.rows[*at];
            let is_method = matches!(member.kind(), SymbolKind::Method | SymbolKind::Function);
            is_method
                && member.parent() == Some(class.row)
                && !there.text.slice(member.range()).contains(['{', '='])
        };
        let mut methods = (class.row + 1..=class.row + row.descendants as usize).filter(is_abstract);
        let first = methods.next()?;
        methods.next().is_none().then(|| IndexedDeclaration { file: class.file.clone(), row: first })
    }

    /// Returns what a call of `map` and the like, whose last bracket stands at byte `close`, makes of what a value holds;
    /// `None` for other calls.
    pub(super) fn mapped(
        &self,
        owner: &ValueType,
        method: &str,
        close: usize,
        depth: usize,
    ) -> Result<Option<ValueType>, Cancelled> {
        let is_outside = matches!(owner.class, Meaning::OutsideProject | Meaning::Unknown);
        let is_flat = method == "flatMap" || method == "thenCompose";
        if !is_outside || owner.arguments.len() != 1 || !(is_flat || MAPPING.contains(&method)) {
            return Ok(None);
        }
        // An expression ends right before the bracket; a block's value is not read.
        let result = match text_before(self.text(), close, Family::Jvm).ends_with('}') {
            true => ValueType::unknown(),
            false => self.value(close, depth)?,
        };
        Ok(Some(match is_flat {
            true => result,
            false => ValueType {
                class: Meaning::OutsideProject,
                name: owner.name.clone(),
                arguments: vec![result],
            },
        }))
    }
}

/// Returns the types of a function's parameters, behind its name.
pub(super) fn parameters(text: &str, name_end: usize, is_kotlin: bool) -> Vec<WrittenType<'_>> {
    let behind = text.get(name_end..).unwrap_or("").trim_start();
    let Some(mut rest) = behind.strip_prefix('(') else { return Vec::new() };
    let mut found = Vec::new();
    loop {
        if is_kotlin {
            let Some((_, ty)) =
                rest.split_once([':', ')']).filter(|(name, _)| rest[name.len()..].starts_with(':'))
            else {
                return found;
            };
            rest = ty;
        }
        let Some((ty, behind)) = written_type::read(rest) else { return found };
        found.push(ty);
        // The name, or a default value.
        let mut depth = 0_usize;
        let end = behind.bytes().take(MAX_BACK).position(|byte| {
            let is_end = depth == 0 && matches!(byte, b',' | b')');
            depth += usize::from(matches!(byte, b'(' | b'{' | b'['));
            depth = depth.saturating_sub(usize::from(matches!(byte, b')' | b'}' | b']')));
            is_end
        });
        match end.map(|end| behind.split_at(end)) {
            Some((_, more)) if more.starts_with(',') => rest = &more[1..],
            _ => return found,
        }
    }
}

/// Finds the argument list around byte `at`, which stands at the beginning of an argument.
fn argument_place(text: &str, at: usize) -> Option<ArgumentPlace> {
    let before = text_before(text, at, Family::Jvm);
    if !before.ends_with(['(', ',']) {
        return None;
    }
    let open = opening(text, before.len(), ('(', ')'))
        .or_else(|| before.ends_with('(').then(|| before.len() - 1))?;
    let mut depth = 0_usize;
    let mut number = 0;
    for byte in text.get(open + 1..before.len())?.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => number += 1,
            _ => {}
        }
    }
    Some(ArgumentPlace { open, number })
}
