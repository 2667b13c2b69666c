//! The classes of values in Java code, as far as declared types tell: of `book` in `book.title()` where `Book book`
//! is declared, of `new Book()`, of what a method is declared to return. Reads the text backwards from the dot.
//! Invariant: terminates on every input; a value of which nothing is declared is unknown.

use super::context::{first_word, last_word, text_after, text_before};
use super::family::Family;
use super::meaning::Meaning;
use super::resolver::{CurrentFile, Resolver};
use super::scope::{self, SearchStart, function_around};
use super::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// How far back the bracket of a call is searched for, in bytes.
const MAX_BACK: usize = 4_000;

/// How many calls and variables are followed from one to the next.
const MAX_DEPTH: usize = 12;

/// Words that stand before a name and are no type.
const NO_TYPES: [&str; 9] =
    ["return", "new", "throw", "else", "case", "yield", "assert", "instanceof", "final"];

/// Types that no project declares.
const OUTSIDE: [&str; 16] = [
    "boolean",
    "byte",
    "char",
    "double",
    "float",
    "int",
    "long",
    "short",
    "void",
    "Boolean",
    "Byte",
    "Character",
    "Double",
    "Integer",
    "Long",
    "String",
];

/// Returns the class of the value before the dot that precedes the name at byte `start`.
pub(super) fn owner(resolver: &Resolver, here: &CurrentFile, start: usize) -> Result<Meaning, Cancelled> {
    Reader { resolver, here }.before_dot(start, MAX_DEPTH)
}

/// Reads expressions of one file.
struct Reader<'r, 's> {
    resolver: &'r Resolver<'s>,
    here: &'r CurrentFile,
}

impl Reader<'_, '_> {
    fn text(&self) -> &str {
        self.here.text.as_str()
    }

    fn before_dot(&self, start: usize, depth: usize) -> Result<Meaning, Cancelled> {
        let before = text_before(self.text(), start, Family::Jvm);
        match before.strip_suffix("::").or_else(|| before.strip_suffix('.')) {
            Some(value) => self.value(value.len(), depth),
            None => Ok(Meaning::Unknown),
        }
    }

    /// Returns the class of the expression that ends at byte `end`.
    fn value(&self, end: usize, depth: usize) -> Result<Meaning, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Meaning::Unknown) };
        self.resolver.cancel.check()?;
        let rest = text_before(self.text(), end, Family::Jvm);
        if rest.ends_with('"') {
            return Ok(Meaning::OutsideProject);
        }
        if let Some(inside) = rest.strip_suffix(')') {
            return self.call(inside.len(), depth);
        }
        let word = last_word(rest);
        let start = rest.len() - word.len();
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Meaning::Unknown);
        }
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        let before = text_before(self.text(), start, Family::Jvm);
        if before.ends_with('.') {
            if word == "this" {
                return self.value(before.len() - 1, depth);
            }
            let owner = self.value(before.len() - 1, depth)?;
            let found = scope::resolve_member(self.resolver, &owner, word)?;
            return self.type_of(found);
        }
        if word == "this" {
            return Ok(scope::own_class(self.here, at));
        }
        match scope::resolve_name(self.resolver, self.here, at, word)? {
            Meaning::Local | Meaning::LocalOrDeclared(_) | Meaning::Unknown => {
                self.type_of_local(word, start, depth)
            }
            found => self.type_of(found),
        }
    }

    /// Returns the class of a call, a new object or a cast whose last bracket stands at byte `close`.
    fn call(&self, close: usize, depth: usize) -> Result<Meaning, Cancelled> {
        let text = self.text();
        let Some(open) = opening(text, close) else { return Ok(Meaning::Unknown) };
        let callee = without_type_arguments(text_before(text, open, Family::Jvm));
        let word = last_word(callee);
        if word.is_empty() {
            let inside = text[open + 1..close].trim_start();
            return match inside.strip_prefix('(').and_then(|cast| cast.split_once(')')) {
                Some((path, value)) if !value.trim_start().starts_with('.') => {
                    self.class(path.trim(), u32::try_from(open).unwrap_or(u32::MAX))
                }
                _ => self.value(close, depth),
            };
        }
        let start = callee.len() - word.len();
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        if let Some(path) = new_class(callee) {
            return self.class(path, at);
        }
        let before = text_before(text, start, Family::Jvm);
        let found = match before.strip_suffix('.') {
            Some(value) => {
                let owner = self.value(value.len(), depth)?;
                scope::resolve_member(self.resolver, &owner, word)?
            }
            None => scope::resolve_name(self.resolver, self.here, at, word)?,
        };
        self.type_of(found)
    }

    /// Returns the class that all of these declarations give their values; a class itself for one.
    fn type_of(&self, found: Meaning) -> Result<Meaning, Cancelled> {
        let declared = match found {
            Meaning::Declared(declared) => declared,
            Meaning::OutsideProject | Meaning::Module(_) => return Ok(found),
            _ => return Ok(Meaning::Unknown),
        };
        if declared.iter().any(|one| one.row().is_some_and(|(_, row)| super::classes::is_class(row))) {
            return Ok(if declared.len() == 1 { Meaning::Declared(declared) } else { Meaning::Unknown });
        }
        let mut class: Option<Meaning> = None;
        for one in &declared {
            let its = self.declared_class(one)?;
            class = match (class, its) {
                (None, its) => Some(its),
                (Some(Meaning::Declared(known)), Meaning::Declared(its))
                    if known[0].is_same_declaration(&its[0]) =>
                {
                    Some(Meaning::Declared(known))
                }
                _ => return Ok(Meaning::Unknown),
            };
        }
        Ok(class.unwrap_or(Meaning::Unknown))
    }

    /// Returns the class that is written of a field, a parameter or what a method returns.
    fn declared_class(&self, declared: &IndexedDeclaration) -> Result<Meaning, Cancelled> {
        let Some((_, row)) = declared.row() else { return Ok(Meaning::Unknown) };
        let Some(there) = self.resolver.read_file(&declared.file) else { return Ok(Meaning::Unknown) };
        let (start, text) = (row.name_start as usize, there.text.as_str());
        let path = match there.language.has_types {
            true => kotlin_type(text, start + usize::from(row.name_len)),
            false => type_before(text, start),
        };
        let Some(path) = path.map(str::to_owned) else { return Ok(Meaning::Unknown) };
        Reader { resolver: self.resolver, here: &there }.class(&path, row.name_start)
    }

    /// Returns the class of a local or parameter, by the nearest declaration before byte `start`.
    fn type_of_local(&self, name: &str, start: usize, depth: usize) -> Result<Meaning, Cancelled> {
        let text = self.text();
        let function = |at: u32| function_around(self.here, at);
        let around = function(u32::try_from(start).unwrap_or(u32::MAX));
        let mut before: Vec<u32> = self.here.outline.occurrences.offsets_of(name).collect();
        before.retain(|at| (*at as usize) < start && function(*at) == around);
        for at in before.into_iter().rev() {
            let behind = text_after(text, at as usize + name.len());
            if text.get(at as usize..at as usize + name.len()) != Some(name) {
                continue;
            }
            let is_untyped = type_before(text, at as usize).is_none();
            if is_untyped && (behind.starts_with("->") || ends_parameters(behind)) {
                return Ok(Meaning::Unknown);
            }
            if is_untyped || !behind.starts_with(['=', ';', ':', ',', ')']) || behind.starts_with("==") {
                continue;
            }
            let path = type_before(text, at as usize).unwrap_or_default();
            if path != "var" {
                return self.class(path, at);
            }
            let value = behind.strip_prefix('=').and_then(|value| value.find(';'));
            let end = value.map(|length| text.len() - behind.len() + 1 + length);
            return end.map_or(Ok(Meaning::Unknown), |end| self.value(end, depth));
        }
        Ok(Meaning::Unknown)
    }

    /// Resolves a written type at byte `at`.
    fn class(&self, path: &str, at: u32) -> Result<Meaning, Cancelled> {
        let path = path.split('<').next().unwrap_or(path).trim();
        if OUTSIDE.contains(&path) {
            return Ok(Meaning::OutsideProject);
        }
        let parts: Vec<&str> = path.split('.').map(str::trim).collect();
        let found = scope::resolve_chain(self.resolver, self.here, at, &parts, SearchStart::Inside)?;
        Ok(match found {
            Meaning::Declared(declared) if declared.len() == 1 => Meaning::Declared(declared),
            Meaning::OutsideProject => Meaning::OutsideProject,
            _ => Meaning::Unknown,
        })
    }
}

/// Finds the parenthesis that the one at byte `close` ends.
fn opening(text: &str, close: usize) -> Option<usize> {
    let from = close.saturating_sub(MAX_BACK);
    let mut depth = 0_usize;
    for (offset, byte) in text.as_bytes().get(from..close)?.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return Some(from + offset),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Removes type arguments, array brackets and dots of variable parameters at the end of a text.
fn without_type_arguments(text: &str) -> &str {
    let Some(inside) = text.strip_suffix('>') else { return text };
    let mut depth = 0_usize;
    for (at, byte) in inside.as_bytes().iter().enumerate().rev().take(MAX_BACK) {
        match byte {
            b'>' => depth += 1,
            b'<' if depth == 0 => return text[..at].trim_end(),
            b'<' => depth -= 1,
            b';' | b'{' | b'}' => return text,
            _ => {}
        }
    }
    text
}

/// Returns the class in a text that ends with `new a.Class`.
fn new_class(callee: &str) -> Option<&str> {
    let path = callee.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
    let before = callee[..callee.len() - path.len()].trim_end();
    (last_word(before) == "new" && !path.is_empty()).then_some(path)
}

/// Returns the type that is written before the name at byte `at`, without type arguments.
fn type_before(text: &str, at: usize) -> Option<&str> {
    let before = without_type_arguments(text_before(text, at, Family::Jvm));
    if before.ends_with([']', '.', ')', '"']) || at == before.len() {
        return None;
    }
    let path = before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).next()?;
    let is_name = path.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_name && !NO_TYPES.contains(&path)).then_some(path)
}

/// Returns the type that is written behind the name of a Kotlin property or function.
fn kotlin_type(text: &str, name_end: usize) -> Option<&str> {
    let mut behind = text.get(name_end..)?.trim_start();
    if behind.starts_with('(') {
        let mut depth = 0_usize;
        let close = behind.bytes().take(MAX_BACK).position(|byte| {
            depth += usize::from(byte == b'(');
            depth -= usize::from(byte == b')');
            depth == 0
        })?;
        behind = behind[close + 1..].trim_start();
    }
    let ty = behind.strip_prefix(':')?.trim_start();
    let end = ty.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(ty.len());
    (end > 0).then(|| &ty[..end])
}

/// Whether a text continues the untyped parameters of a lambda: `, b) ->`.
fn ends_parameters(text: &str) -> bool {
    let mut rest = text;
    while let Some(more) = rest.strip_prefix(',') {
        let more = more.trim_start();
        rest = more[first_word(more).len()..].trim_start();
    }
    rest.strip_prefix(')').is_some_and(|rest| rest.trim_start().starts_with("->"))
}
