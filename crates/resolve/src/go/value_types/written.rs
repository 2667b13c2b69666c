//! Types as Go code writes them.

use super::text_around::{closing, skip_blanks, word_at};
use super::{GoReader, GoType, name_end, spot};
use crate::hierarchy::classes::is_class;
use crate::meaning::Meaning;
use crate::resolver::CurrentFile;
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Go's own types, which have no members that a project declares.
const PREDECLARED: [&str; 22] = [
    "any",
    "bool",
    "byte",
    "comparable",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// What a type's declaration says that it is.
pub(super) enum Underlying {
    /// Its members are rows of the outline.
    Struct,
    /// Its methods are; what it embeds stands in its body, from this byte on.
    Interface(usize),
    Other(GoType),
}

impl GoReader<'_, '_> {
    /// Returns the type that is written at byte `at`. A pointer counts as what it points to.
    pub(super) fn written(&self, here: &CurrentFile, at: usize, depth: usize) -> Result<GoType, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(GoType::Unknown) };
        self.resolver.cancel.check()?;
        let text = here.text.as_str();
        let at = skip_blanks(text, at);
        let rest = text.get(at..).unwrap_or("");
        if rest.starts_with(['*', '(']) {
            return self.written(here, at + 1, depth);
        }
        if rest.starts_with("...") {
            return Ok(GoType::List(spot(here, at + 3)));
        }
        if rest.starts_with('[') {
            return Ok(closing(text, at).map_or(GoType::Unknown, |behind| GoType::List(spot(here, behind))));
        }
        if let Some(behind) =
            rest.strip_prefix("<-").map(|behind| skip_blanks(text, text.len() - behind.len()))
        {
            return Ok(match word_at(text, behind) {
                "chan" => GoType::Channel(spot(here, behind + "chan".len())),
                _ => GoType::Unknown,
            });
        }
        let word = word_at(text, at);
        let behind = at + word.len();
        match word {
            "" | "struct" | "interface" => Ok(GoType::Unknown),
            "map" => {
                let open = skip_blanks(text, behind);
                let value = text[open..].starts_with('[').then(|| closing(text, open)).flatten();
                Ok(value.map_or(GoType::Unknown, |value| GoType::Map {
                    key: spot(here, open + 1),
                    value: spot(here, value),
                }))
            }
            "chan" => {
                let element = skip_blanks(text, behind);
                let arrow = if text[element..].starts_with("<-") { 2 } else { 0 };
                Ok(GoType::Channel(spot(here, element + arrow)))
            }
            "func" => Ok(GoType::Function(spot(here, behind))),
            _ => self.named_at(here, at, word, depth),
        }
    }

    fn named_at(&self, here: &CurrentFile, at: usize, word: &str, depth: usize) -> Result<GoType, Cancelled> {
        let text = here.text.as_str();
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let mut behind = at + word.len();
        let meaning = if text[behind..].starts_with('.') {
            let second = word_at(text, behind + 1);
            behind += 1 + second.len();
            scope::resolve_chain(self.resolver, here, place, &[word, second], SearchStart::Inside)?
        } else {
            match scope::resolve_name(self.resolver, here, place, word)? {
                Meaning::Unknown if PREDECLARED.contains(&word) => Meaning::OutsideProject,
                found => found,
            }
        };
        let has_arguments = text[behind..].starts_with('[');
        match meaning {
            Meaning::Declared(found) => self.declared_type(&found, depth),
            Meaning::OutsideProject if !has_arguments => Ok(GoType::Outside),
            _ => Ok(GoType::Unknown),
        }
    }

    /// Returns the type that one of several declarations in files for different systems declares.
    pub(super) fn declared_type(
        &self,
        found: &[IndexedDeclaration],
        depth: usize,
    ) -> Result<GoType, Cancelled> {
        let [one] = found else { return Ok(GoType::Unknown) };
        if !one.row().is_some_and(|(_, row)| is_class(row)) {
            return Ok(GoType::Unknown);
        }
        let Some(here) = self.resolver.read_file(&one.file) else { return Ok(GoType::Unknown) };
        let Some(at) = behind_parameters(&here, one) else { return Ok(GoType::Unknown) };
        match here.text.as_str()[at..].strip_prefix('=') {
            Some(_) => self.written(&here, at + 1, depth),
            None => Ok(GoType::Named(one.clone())),
        }
    }

    pub(super) fn underlying(&self, one: &IndexedDeclaration, depth: usize) -> Result<Underlying, Cancelled> {
        let unknown = Underlying::Other(GoType::Unknown);
        let Some(here) = self.resolver.read_file(&one.file) else { return Ok(unknown) };
        let Some(at) = behind_parameters(&here, one) else { return Ok(unknown) };
        let text = here.text.as_str();
        match word_at(text, at) {
            "struct" => Ok(Underlying::Struct),
            "interface" => Ok(Underlying::Interface(at + "interface".len())),
            _ => Ok(Underlying::Other(self.written(&here, at, depth)?)),
        }
    }

    /// Returns what a named type stands for; other types are returned as they are.
    pub(super) fn unnamed(&self, ty: GoType, depth: usize) -> Result<GoType, Cancelled> {
        let GoType::Named(one) = &ty else { return Ok(ty) };
        let Some(depth) = depth.checked_sub(1) else { return Ok(GoType::Unknown) };
        match self.underlying(one, depth)? {
            Underlying::Other(inner) => self.unnamed(inner, depth),
            _ => Ok(ty),
        }
    }
}

/// Returns the byte behind a type's name and its type parameters.
fn behind_parameters(here: &CurrentFile, one: &IndexedDeclaration) -> Option<usize> {
    let text = here.text.as_str();
    let end = name_end(here, one)?;
    // `type A [5]int` has a blank before the bracket, as gofmt writes it.
    let end = if text[end..].starts_with('[') { closing(text, end)? } else { end };
    Some(skip_blanks(text, end))
}
