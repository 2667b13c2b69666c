//! The types of Go's locals, and of declared variables and fields.

use super::calls::Callee;
use super::text_around::{embeds, is_without_type, qualifier_start, skip_blanks, skip_spaces, word_at};
use super::{GoReader, GoType, name_end, spot};
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{LocalSource, LocalSourceKind, SymbolKind};

impl GoReader<'_, '_> {
    /// Returns the type of the local `name` at byte `at`.
    pub(super) fn local(
        &self,
        here: &CurrentFile,
        at: usize,
        name: &str,
        depth: usize,
    ) -> Result<GoType, Cancelled> {
        let Some(bindings) = here.local_bindings(self.resolver) else { return Ok(GoType::Unknown) };
        let of_name = here.locals_called(self.resolver, name).into_iter().flatten();
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let scope_at = |scopes: &[TextRange]| {
            let around = scopes.iter().filter(|scope| scope.start <= place && place < scope.end);
            around.map(|scope| scope.start).max()
        };
        let nearest = of_name
            .filter_map(|local| Some((scope_at(&local.scopes)?, local)))
            .max_by_key(|(start, _)| *start);
        let Some((_, local)) = nearest.filter(|(_, local)| local.is_sure) else { return Ok(GoType::Unknown) };
        let of_local = bindings.sources.iter().filter(|source| source.name_start == local.name.start);
        // In a type switch the case before the place counts.
        let source = of_local
            .filter(|source| source.kind != LocalSourceKind::Case || source.range.start <= place)
            .max_by_key(|source| source.range.start);
        match source {
            Some(source) => self.of_source(here, source, depth),
            None => Ok(GoType::Unknown),
        }
    }

    fn of_source(&self, here: &CurrentFile, source: &LocalSource, depth: usize) -> Result<GoType, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(GoType::Unknown) };
        let start = source.range.start as usize;
        match source.kind {
            LocalSourceKind::Case if source.range.start == source.range.end => Ok(GoType::Unknown),
            LocalSourceKind::Type | LocalSourceKind::Case => self.written(here, start, depth),
            LocalSourceKind::Elements => Ok(GoType::List(spot(here, start))),
            LocalSourceKind::Value => self.whole(here, source.range, source.result as usize, depth),
            LocalSourceKind::Iterated => {
                let over = self.whole(here, source.range, 0, depth)?;
                match (self.unnamed(over, depth)?, source.result) {
                    (GoType::List(element), 1) | (GoType::Channel(element), 0) => {
                        self.at_spot(&element, depth)
                    }
                    (GoType::List(_), 0) | (GoType::Outside, _) => Ok(GoType::Outside),
                    (GoType::Map { key, .. }, 0) => self.at_spot(&key, depth),
                    (GoType::Map { value, .. }, 1) => self.at_spot(&value, depth),
                    _ => Ok(GoType::Unknown),
                }
            }
        }
    }

    /// Returns what a declared function, type, variable or field is.
    pub(super) fn declared(&self, found: &[IndexedDeclaration], depth: usize) -> Result<Callee, Cancelled> {
        use SymbolKind::{Constant, Field, Function, Method, Property, Variable};
        let unknown = Callee::Value(GoType::Unknown);
        let Some(depth) = depth.checked_sub(1) else { return Ok(unknown) };
        // Of several, in files for different systems, the first tells.
        let Some(one) = found.first() else { return Ok(unknown) };
        let Some((_, row)) = one.row() else { return Ok(unknown) };
        let Some(here) = self.resolver.read_file(&one.file) else { return Ok(unknown) };
        let Some(end) = name_end(&here, one) else { return Ok(unknown) };
        Ok(match row.kind() {
            Function | Method => Callee::Value(GoType::Function(spot(&here, end))),
            Variable | Constant | Field | Property => {
                Callee::Value(self.variable(&here, one, end, row.kind() == Field, depth)?)
            }
            _ => Callee::Type(self.declared_type(found, depth)?),
        })
    }

    /// Returns the type of a variable or a field whose name ends at byte `end`.
    fn variable(
        &self,
        here: &CurrentFile,
        one: &IndexedDeclaration,
        end: usize,
        is_field: bool,
        depth: usize,
    ) -> Result<GoType, Cancelled> {
        let text = here.text.as_str();
        if is_field && embeds(text, end) {
            return self.written(here, qualifier_start(text, end - one.name().len()), depth);
        }
        let mut at = skip_spaces(text, end);
        let mut is_list = false;
        while text[at..].starts_with(',') {
            let next = skip_blanks(text, at + 1);
            at = skip_spaces(text, next + word_at(text, next).len());
            is_list = true;
        }
        if text[at..].starts_with('=') {
            let row = here.row_of(one).map(|row| &here.outline.rows[row]);
            let Some(row) = row.filter(|_| !is_list) else { return Ok(GoType::Unknown) };
            let from = u32::try_from(at + 1).unwrap_or(u32::MAX);
            return self.whole(here, TextRange::new(from.min(row.end), row.end), 0, depth);
        }
        if is_without_type(text, at) {
            return Ok(GoType::Unknown);
        }
        self.written(here, at, depth)
    }
}
