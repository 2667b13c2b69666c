//! Which of several functions a call in Java means, by the number and the types of its arguments. A function is ruled out
//! only by what is known of an argument.

use super::text_around::closing;
use super::written_type::{self, WrittenType};
use super::{MAX_BACK, MAX_DEPTH, Reader, ValueType};
use crate::context::text_before;
use crate::family::{Family, has_types};
use crate::hierarchy::classes::is_function;
use crate::hierarchy::inheritance::Inheritance;
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

const NUMBERS: [&str; 15] = [
    "int", "long", "short", "byte", "double", "float", "Int", "Long", "Short", "Byte", "Double", "Float",
    "Integer", "char", "Char",
];

/// The types that strings have, besides type parameters.
const TEXTS: [&str; 4] = ["String", "CharSequence", "Comparable", "Serializable"];

/// Types that fit everything.
const ANY: [&str; 2] = ["Any", "Object"];

/// The parameters of a function.
struct Parameters<'t> {
    types: Vec<WrittenType<'t>>,
    /// Whether a call may give another number of arguments.
    varies: bool,
}

/// Leaves out the functions that the call, whose name ends at byte `end`, cannot mean. All are left if none fits.
pub(crate) fn fitting(
    resolver: &Resolver,
    here: &CurrentFile,
    end: usize,
    found: Vec<IndexedDeclaration>,
) -> Result<Vec<IndexedDeclaration>, Cancelled> {
    let text = here.text.as_str();
    let behind = text.get(end..).unwrap_or("");
    if found.len() < 2 || !found.iter().all(is_function) || !behind.trim_start().starts_with('(') {
        return Ok(found);
    }
    let open = end + behind.find('(').unwrap_or(0);
    let Some(ends) = argument_ends(text, open) else { return Ok(found) };
    let reader = Reader { resolver, here };
    let mut fitting = Vec::new();
    for one in &found {
        if reader.fits(one, &ends)? {
            fitting.push(one.clone());
        }
    }
    Ok(if fitting.is_empty() { found } else { fitting })
}

impl Reader<'_, '_> {
    /// Whether a function may take the arguments that end at these bytes.
    fn fits(&self, function: &IndexedDeclaration, ends: &[usize]) -> Result<bool, Cancelled> {
        let Some(there) = self.resolver.read_file(&function.file) else { return Ok(true) };
        let Some((_, row)) = function.row() else { return Ok(true) };
        let name_end = row.name_start as usize + usize::from(row.name_len);
        let Some(parameters) = parameters(&there, row.name_start as usize, name_end) else { return Ok(true) };
        if parameters.types.len() != ends.len() && !parameters.varies {
            return Ok(false);
        }
        if parameters.types.len() != ends.len() {
            return Ok(true);
        }
        let there = Reader { resolver: self.resolver, here: &there };
        for (ty, end) in parameters.types.iter().zip(ends) {
            let wanted = there.written(ty, name_end)?;
            if !self.takes(&wanted, *end)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a parameter may take the argument that ends at this byte.
    fn takes(&self, wanted: &ValueType, end: usize) -> Result<bool, Cancelled> {
        let name = wanted.name.as_str();
        let is_known = wanted.declared().is_some() || NUMBERS.contains(&name) || TEXTS.contains(&name);
        if !is_known || ANY.contains(&name) {
            return Ok(true);
        }
        let rest = text_before(self.text(), end, Family::Jvm);
        if rest.ends_with('"') {
            return Ok(TEXTS.contains(&name));
        }
        let literal =
            rest.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next().unwrap_or("");
        if literal.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(NUMBERS.contains(&name));
        }
        if matches!(literal, "true" | "false" | "null") {
            return Ok(literal == "null");
        }
        let given = self.value(end, MAX_DEPTH)?;
        match (given.declared(), wanted.declared()) {
            (Some(given), Some(wanted)) => Ok(given.is_same_declaration(wanted)
                || Inheritance::new(given).is_related(self.resolver, wanted)?),
            (Some(_), None) => Ok(TEXTS[2..].contains(&name)),
            (None, Some(_)) => Ok(!matches!(given.class, Meaning::OutsideProject) || given.name.is_empty()),
            (None, None) => Ok(!(TEXTS.contains(&given.name.as_str()) && NUMBERS.contains(&name))),
        }
    }
}

/// Returns the parameters as Java sees them: the receiver of an extension is the first.
fn parameters(there: &CurrentFile, name_start: usize, name_end: usize) -> Option<Parameters<'_>> {
    let text = there.text.as_str();
    let is_kotlin = has_types(&there.file);
    let open = text.get(name_end..)?.find('(')? + name_end;
    let close = closing(text, open + 1)?;
    let list = text.get(open..close)?;
    let mut types = super::lambdas::parameters(text, name_end, is_kotlin);
    // A type that is not understood ends the list.
    if types.len() != argument_ends(text, open)?.len() {
        return None;
    }
    if is_kotlin && text_before(text, name_start, Family::Jvm).ends_with('.') {
        types.insert(0, receiver_type(text, name_start)?);
    }
    let varies = list.contains("...") || list.contains("vararg ") || is_kotlin && list.contains('=');
    Some(Parameters { types, varies })
}

/// Returns the type before the dot in `fun Book.name()`.
fn receiver_type(text: &str, name_start: usize) -> Option<WrittenType<'_>> {
    let before = text.get(name_start.saturating_sub(MAX_BACK)..name_start)?;
    let head = &before[before.rfind("fun ")? + 4..];
    let head = head.trim_start();
    let head = match head.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?.1,
        None => head,
    };
    written_type::read(head.trim_end().trim_end_matches('.').trim_end_matches('?')).map(|(ty, _)| ty)
}

/// Returns the bytes at which the arguments of a call end.
fn argument_ends(text: &str, open: usize) -> Option<Vec<usize>> {
    let mut depth = 0_usize;
    let mut angles = 0_usize;
    let mut quote = None;
    let mut ends = Vec::new();
    let mut was = b' ';
    for (offset, byte) in text.as_bytes().get(open + 1..)?.iter().enumerate().take(MAX_BACK) {
        let at = open + 1 + offset;
        match (quote, byte) {
            (Some(mark), byte) if *byte == mark && was != b'\\' => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')') if depth == 0 => {
                let is_empty = text.get(open + 1..at)?.trim().is_empty();
                if !is_empty {
                    ends.push(at);
                }
                return Some(ends);
            }
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            // `new HashMap<A, B>()`; a comparison has no comma before its end.
            (None, b'<') => angles += 1,
            (None, b'>') => angles = angles.saturating_sub(1),
            (None, b',') if depth == 0 && angles == 0 => ends.push(at),
            _ => {}
        }
        was = *byte;
    }
    None
}
