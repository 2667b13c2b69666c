//! The types of values by what declares them: fields, parameters, methods, locals, type parameters. A written type is read
//! where it stands.

use super::text_around::{closing, ends_parameters, kotlin_type, type_before};
use super::written_type::{self, ARRAY, WrittenType};
use super::{MAX_BACK, OUTSIDE, Reader, ValueType, library};
use crate::context::text_after;
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::scope::{self, SearchStart, function_around};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;
use symd_types::kotlin::KotlinType;

impl Reader<'_, '_> {
    /// Returns what all of these declarations give their values, as members of `owner`; a class itself for one.
    pub(super) fn type_of(&self, found: Meaning, owner: &ValueType) -> Result<ValueType, Cancelled> {
        let declared = match found {
            Meaning::Declared(declared) => declared,
            Meaning::Module(_) => return Ok(ValueType::of(found)),
            // A class from outside, or a value of one: nothing tells which.
            Meaning::OutsideProject => return Ok(ValueType::of(found)),
            _ => return Ok(ValueType::unknown()),
        };
        if declared.iter().any(|one| one.row().is_some_and(|(_, row)| is_class(row))) {
            let class = if declared.len() == 1 { Meaning::Declared(declared) } else { Meaning::Unknown };
            return Ok(ValueType::of(class));
        }
        let mut known: Option<ValueType> = None;
        for one in &declared {
            let its = self.declared_type(one, owner)?;
            known = match known {
                None => Some(its),
                Some(known) => match (known.declared(), its.declared()) {
                    (Some(one), Some(other)) if one.is_same_declaration(other) => Some(known),
                    _ => return Ok(ValueType::unknown()),
                },
            };
        }
        Ok(known.unwrap_or_else(ValueType::unknown))
    }

    /// Returns the type that is written of a field, a parameter or what a method returns.
    fn declared_type(
        &self,
        declared: &IndexedDeclaration,
        owner: &ValueType,
    ) -> Result<ValueType, Cancelled> {
        let Some((_, row)) = declared.row() else { return Ok(ValueType::unknown()) };
        // An entry is a value of its enum.
        if row.kind() == SymbolKind::EnumMember {
            let class = row.parent().map(|row| IndexedDeclaration { file: declared.file.clone(), row });
            return Ok(
                class.map_or_else(ValueType::unknown, |class| ValueType::of(Meaning::Declared(vec![class])))
            );
        }
        let Some(there) = self.resolver.read_file(&declared.file) else { return Ok(ValueType::unknown()) };
        let (start, text) = (row.name_start as usize, there.text.as_str());
        let written = match there.language.has_types {
            true => kotlin_type(text, start + usize::from(row.name_len)),
            false => type_before(text, start),
        };
        let there = Reader { resolver: self.resolver, here: &there };
        let Some(written) = written else {
            let inferred = match there.here.language.has_types {
                true => self.resolver.kotlin().type_of_value(declared),
                false => None,
            };
            return Ok(inferred.map_or_else(ValueType::unknown, |ty| self.of_kotlin(&ty)));
        };
        // What stands for a type parameter of the class.
        let names = there.type_parameters(declared, owner);
        there.substituted(&written, start, &names)
    }

    fn of_kotlin(&self, ty: &KotlinType) -> ValueType {
        let class = match (ty.class, ty.name.is_empty()) {
            (Some(class), _) => self.resolver.kotlin().class_row(self.resolver, class),
            (None, _) => None,
        };
        let arguments = ty.arguments.iter().map(|argument| self.of_kotlin(argument)).collect();
        let class = class.map_or(Meaning::Unknown, |class| Meaning::Declared(vec![class]));
        ValueType { class, name: ty.name.clone(), arguments }
    }

    /// Returns the type parameters of the class that declares a member, with what they stand for in `owner`.
    pub(super) fn type_parameters(
        &self,
        member: &IndexedDeclaration,
        owner: &ValueType,
    ) -> Vec<(String, ValueType)> {
        let class = member.row().and_then(|(outline, row)| Some((outline, outline.rows.get(row.parent()?)?)));
        let Some((_, class)) = class.filter(|_| !owner.arguments.is_empty()) else { return Vec::new() };
        let behind = self.text().get(class.name_start as usize + usize::from(class.name_len)..).unwrap_or("");
        let Some(list) = behind.trim_start().strip_prefix('<') else { return Vec::new() };
        let mut names = Vec::new();
        let mut rest = list;
        while let Some((ty, behind)) = written_type::read(rest) {
            names.push(ty.path.to_owned());
            let behind = behind.trim_start();
            let behind = behind
                .strip_prefix("extends ")
                .or_else(|| behind.strip_prefix(':'))
                .map_or(behind, |bound| written_type::read(bound).map_or("", |(_, rest)| rest.trim_start()));
            match behind.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        names.into_iter().zip(owner.arguments.iter().cloned()).collect()
    }

    /// Returns a written type at byte `at`, in which type parameters stand for these types.
    pub(super) fn substituted(
        &self,
        written: &WrittenType,
        at: usize,
        names: &[(String, ValueType)],
    ) -> Result<ValueType, Cancelled> {
        if let Some((_, ty)) = names.iter().find(|(name, _)| name == written.path) {
            return Ok(ty.clone());
        }
        let mut arguments = Vec::new();
        for argument in &written.arguments {
            arguments.push(self.substituted(argument, at, names)?);
        }
        let name = written.path.rsplit('.').next().unwrap_or(written.path).to_owned();
        if matches!(written.path, ARRAY | written_type::FUNCTION) {
            return Ok(ValueType { class: Meaning::OutsideProject, name, arguments });
        }
        let class = self.class(written.path, u32::try_from(at).unwrap_or(u32::MAX))?;
        if let (Meaning::Unknown, Some(bound)) = (&class, self.bound_of(written.path, at)) {
            // Of the bound only its class: `T extends Comparable<T>` has no end.
            let class = self.class(bound.path, u32::try_from(at).unwrap_or(u32::MAX))?;
            return Ok(ValueType::of(class));
        }
        Ok(ValueType { class, name, arguments })
    }

    pub(super) fn written(&self, written: &WrittenType, at: usize) -> Result<ValueType, Cancelled> {
        self.substituted(written, at, &[])
    }

    /// Returns the bound of a type parameter: `T extends Book` above byte `at`.
    fn bound_of(&self, name: &str, at: usize) -> Option<WrittenType<'_>> {
        let before = self.text().get(..at)?;
        let from = before.len().saturating_sub(MAX_BACK);
        let before = before.get(from..).unwrap_or(before);
        let mark = format!("{name} extends ");
        let place = before.rfind(&mark).filter(|&place| before[..place].trim_end().ends_with(['<', ',']))?;
        written_type::read(&before[place + mark.len()..]).map(|(ty, _)| ty)
    }

    /// Returns the type of a local or parameter, by the nearest declaration before byte `start`.
    pub(super) fn type_of_local(
        &self,
        name: &str,
        start: usize,
        depth: usize,
    ) -> Result<ValueType, Cancelled> {
        let text = self.text();
        let function = |at: u32| function_around(self.here, at);
        let around = function(u32::try_from(start).unwrap_or(u32::MAX));
        let mut before: Vec<u32> = self.here.outline.occurrences.offsets_of(name).collect();
        before.retain(|at| (*at as usize) < start && function(*at) == around);
        for at in before.into_iter().rev() {
            let at = at as usize;
            let behind = text_after(text, at + name.len());
            if text.get(at..at + name.len()) != Some(name) {
                continue;
            }
            let written = type_before(text, at);
            if written.is_none() && (behind.starts_with("->") || ends_parameters(behind)) {
                return self.lambda_parameter(at, depth);
            }
            let Some(written) = written else { continue };
            let is_condition = behind.starts_with("&&") || behind.starts_with("||");
            if !is_condition && !behind.starts_with(['=', ';', ':', ',', ')', '?'])
                || behind.starts_with("==")
            {
                continue;
            }
            if written.path != "var" {
                return self.written(&written, at);
            }
            if let Some(value) = behind.strip_prefix(':') {
                // `for (var book : books)`
                let from = text.len() - value.len();
                let Some(end) = closing(text, from) else { return Ok(ValueType::unknown()) };
                let all = self.value(end, depth)?;
                return Ok(library::element(&all).unwrap_or_else(ValueType::unknown));
            }
            let value = behind.strip_prefix('=').and_then(|value| value.find(';'));
            let end = value.map(|length| text.len() - behind.len() + 1 + length);
            return end.map_or(Ok(ValueType::unknown()), |end| self.value(end, depth));
        }
        Ok(ValueType::unknown())
    }

    /// Resolves a written path of a class at byte `at`.
    fn class(&self, path: &str, at: u32) -> Result<Meaning, Cancelled> {
        if OUTSIDE.contains(&path) {
            return Ok(Meaning::OutsideProject);
        }
        let parts: Vec<&str> = path.split('.').map(str::trim).collect();
        let mut found = scope::resolve_chain(self.resolver, self.here, at, &parts, SearchStart::Inside)?;
        if let (Meaning::Unknown, Some((package, name))) = (&found, path.rsplit_once('.')) {
            found = self.resolver.exported(&Module::Package(package.to_owned()), name, 0)?;
        }
        // Within a class its name is that of its constructors, too.
        if let Meaning::Declared(declared) = &mut found {
            for one in declared.iter_mut() {
                if let Some((_, row)) = one.row()
                    && let (SymbolKind::Constructor, Some(row)) = (row.kind(), row.parent())
                {
                    *one = IndexedDeclaration { file: one.file.clone(), row };
                }
            }
            let first = declared.first().cloned();
            declared.dedup_by(|one, _| first.as_ref().is_some_and(|first| first.is_same_declaration(one)));
        }
        Ok(match found {
            Meaning::Declared(declared)
                if declared.len() == 1 && declared[0].row().is_some_and(|(_, row)| is_class(row)) =>
            {
                Meaning::Declared(declared)
            }
            Meaning::OutsideProject => Meaning::OutsideProject,
            _ => Meaning::Unknown,
        })
    }
}
