//! Expressions of Go: names, selectors, calls, indexing, literals, assertions.

use super::calls::Callee;
use super::literals::type_start;
use super::text_around::{before, opening, operand_before, skip_blanks, word_at};
use super::{GO, GoReader, GoType, spot};
use crate::context::last_word;
use crate::meaning::Meaning;
use crate::resolver::CurrentFile;
use crate::scope;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

/// Packages of Go's library that have functions with type parameters, or values of any type.
const GENERIC_PACKAGES: [&str; 9] =
    ["cmp", "iter", "maps", "reflect", "slices", "sync", "sync/atomic", "unique", "weak"];

/// The type of an expression, and the byte where the expression begins.
pub(super) struct TypedExpression {
    pub(super) ty: GoType,
    pub(super) start: usize,
}

fn unknown() -> TypedExpression {
    TypedExpression { ty: GoType::Unknown, start: usize::MAX }
}

impl GoReader<'_, '_> {
    /// Returns the type of result number `result` of an expression that is the whole of `range`.
    pub(super) fn whole(
        &self,
        here: &CurrentFile,
        range: TextRange,
        result: usize,
        depth: usize,
    ) -> Result<GoType, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(GoType::Unknown) };
        let text = here.text.as_str();
        let (mut start, end) = (skip_blanks(text, range.start as usize), range.end as usize);
        if start >= end {
            return Ok(GoType::Unknown);
        }
        let mut is_received = false;
        loop {
            let rest = &text[start..end];
            let skipped = match rest.as_bytes().first() {
                Some(b'&' | b'*') => 1,
                _ if rest.starts_with("<-") && !is_received => {
                    is_received = true;
                    2
                }
                _ => break,
            };
            start = skip_blanks(text, start + skipped);
        }
        let rest = &text[start.min(end)..end];
        if rest.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '!' | '-' | '^' | '+')) {
            return Ok(GoType::Outside);
        }
        if word_at(text, start) == "func" && rest.ends_with('}') {
            return Ok(GoType::Function(spot(here, start + "func".len())));
        }
        let found = self.value(here, end, result, depth)?;
        if found.start != start {
            return Ok(GoType::Unknown);
        }
        match (is_received, self.unnamed(found.ty.clone(), depth)?) {
            (false, _) => Ok(found.ty),
            (true, GoType::Channel(element)) if result == 0 => self.at_spot(&element, depth),
            (true, GoType::Outside) => Ok(GoType::Outside),
            (true, _) => Ok(GoType::Unknown),
        }
    }

    /// Returns the type of result number `result` of the expression that ends at byte `end`, without what operators before it make of it.
    pub(super) fn value(
        &self,
        here: &CurrentFile,
        end: usize,
        result: usize,
        depth: usize,
    ) -> Result<TypedExpression, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(unknown()) };
        self.resolver.cancel.check()?;
        let rest = before(here, end);
        match rest.as_bytes().last() {
            Some(b')') => self.bracketed(here, rest.len() - 1, result, depth),
            Some(b']') => self.indexed(here, rest.len() - 1, result, depth),
            Some(b'}') => {
                let Some(open) = opening(here.text.as_str(), rest.len() - 1) else { return Ok(unknown()) };
                let start = type_start(here, operand_before(here, open)).unwrap_or(usize::MAX);
                Ok(TypedExpression { ty: self.literal_type(here, open, depth)?, start })
            }
            // A type has the methods of its values: `T.Method`.
            _ => {
                let (Callee::Value(ty) | Callee::Type(ty), start) = self.name(here, rest.len(), depth)?;
                Ok(TypedExpression { ty, start })
            }
        }
    }

    /// Returns the value or the package before the dot in front of byte `at`; `None` where no dot stands there.
    pub(super) fn owner(
        &self,
        here: &CurrentFile,
        at: usize,
        depth: usize,
    ) -> Result<Option<TypedExpression>, Cancelled> {
        let Some(owner) = before(here, at).strip_suffix('.') else { return Ok(None) };
        self.value(here, owner.len(), 0, depth).map(Some)
    }

    /// Returns what the name or selector that ends at byte `end` is, and where it begins.
    fn name(&self, here: &CurrentFile, end: usize, depth: usize) -> Result<(Callee, usize), Cancelled> {
        let text = here.text.as_str();
        let word = last_word(&text[..end]);
        if word.is_empty() || word.starts_with(|first: char| first.is_ascii_digit()) {
            return Ok((Callee::Value(GoType::Unknown), usize::MAX));
        }
        let at = end - word.len();
        if let Some(owner) = self.owner(here, at, depth)? {
            let callee = match self.member(&owner.ty, word, depth)? {
                Meaning::Declared(found) => self.declared(&found, depth)?,
                // A function from outside may give back what it is given.
                Meaning::OutsideProject => match owner.ty {
                    GoType::OutsidePackage { is_plain: false } => Callee::Value(GoType::Unknown),
                    _ => Callee::Value(GoType::Outside),
                },
                _ => Callee::Value(GoType::Unknown),
            };
            return Ok((callee, owner.start));
        }
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let callee = match scope::resolve_name(self.resolver, here, place, word)? {
            Meaning::Local => Callee::Value(self.local(here, at, word, depth)?),
            Meaning::Declared(found) => self.declared(&found, depth)?,
            Meaning::Module(module) => Callee::Value(GoType::Package(module)),
            Meaning::OutsideProject => {
                let import = here.binding(GO, word).next();
                Callee::Value(import.map_or(GoType::Unknown, |import| {
                    let is_own = !import.module.split('/').next().unwrap_or("").contains('.');
                    let is_plain = is_own && !GENERIC_PACKAGES.contains(&import.module);
                    GoType::OutsidePackage { is_plain }
                }))
            }
            _ => Callee::Value(GoType::Unknown),
        };
        Ok((callee, at))
    }

    /// Returns the type of a call, a conversion, an assertion or an expression in brackets whose last bracket stands at byte `close`.
    fn bracketed(
        &self,
        here: &CurrentFile,
        close: usize,
        result: usize,
        depth: usize,
    ) -> Result<TypedExpression, Cancelled> {
        let text = here.text.as_str();
        let Some(open) = opening(text, close).filter(|open| text[*open..].starts_with('(')) else {
            return Ok(unknown());
        };
        let left = operand_before(here, open);
        if let Some(value) = left.strip_suffix('.') {
            // `x.(T)`, and whether it is one.
            let start = self.value(here, value.len(), 0, depth)?.start;
            let is_switch = word_at(text, skip_blanks(text, open + 1)) == "type";
            let ty = match (is_switch, result) {
                (true, _) => GoType::Unknown,
                (false, 0) => self.written(here, open + 1, depth)?,
                (false, _) => GoType::Outside,
            };
            return Ok(TypedExpression { ty, start });
        }
        if left.ends_with(')') {
            let Some(inner) = opening(text, left.len() - 1) else { return Ok(unknown()) };
            // `(*T)(x)`
            if text[inner + 1..].trim_start().starts_with('*') && is_operator(operand_before(here, inner)) {
                return Ok(TypedExpression { ty: self.written(here, inner + 1, depth)?, start: inner });
            }
        }
        match left.as_bytes().last() {
            Some(b')' | b']') => {
                let callee = self.value(here, left.len(), 0, depth)?;
                let ty = self.called(Callee::Value(callee.ty), result, depth)?;
                Ok(TypedExpression { ty, start: callee.start })
            }
            Some(b'}') => Ok(unknown()),
            _ if last_word(left).is_empty() || is_keyword(last_word(left)) => {
                // `(*x)`, `(x)`
                let inside = TextRange::new(
                    u32::try_from(open + 1).unwrap_or(u32::MAX),
                    u32::try_from(close).unwrap_or(u32::MAX),
                );
                Ok(TypedExpression { ty: self.whole(here, inside, 0, depth)?, start: open })
            }
            _ => self.call(here, left.len(), open, result, depth),
        }
    }

    /// Returns the type of a call whose callee, a name or a selector, ends at byte `end`.
    fn call(
        &self,
        here: &CurrentFile,
        end: usize,
        open: usize,
        result: usize,
        depth: usize,
    ) -> Result<TypedExpression, Cancelled> {
        let (callee, start) = self.name(here, end, depth)?;
        if let Callee::Value(GoType::Unknown) = callee {
            let word = last_word(&here.text.as_str()[..end]);
            if start.checked_add(word.len()) == Some(end) && self.is_builtin(here, start, word)? {
                let ty = match word {
                    "new" | "make" => self.written(here, open + 1, depth)?,
                    "cap" | "copy" | "len" => GoType::Outside,
                    _ => GoType::Unknown,
                };
                return Ok(TypedExpression { ty, start });
            }
        }
        Ok(TypedExpression { ty: self.called(callee, result, depth)?, start })
    }

    /// Whether nothing declares the name at byte `at`, so that it is the language's.
    fn is_builtin(&self, here: &CurrentFile, at: usize, word: &str) -> Result<bool, Cancelled> {
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        Ok(matches!(scope::resolve_name(self.resolver, here, place, word)?, Meaning::Unknown))
    }

    fn indexed(
        &self,
        here: &CurrentFile,
        close: usize,
        result: usize,
        depth: usize,
    ) -> Result<TypedExpression, Cancelled> {
        let text = here.text.as_str();
        let Some(open) = opening(text, close).filter(|open| text[*open..].starts_with('[')) else {
            return Ok(unknown());
        };
        let container = self.value(here, operand_before(here, open).len(), 0, depth)?;
        let is_slice = text[open..close].contains(':');
        let ty = match self.unnamed(container.ty.clone(), depth)? {
            GoType::List(_) if is_slice => container.ty,
            GoType::List(element) if result == 0 => self.at_spot(&element, depth)?,
            GoType::Map { value, .. } if result == 0 => self.at_spot(&value, depth)?,
            GoType::Outside => GoType::Outside,
            // `f[T]`: what type parameters stand for is unknown anyway.
            GoType::Function(spot) => GoType::Function(spot),
            _ => GoType::Unknown,
        };
        Ok(TypedExpression { ty, start: container.start })
    }
}

/// Whether a text ends with no operand, so that a bracket behind it begins one.
fn is_operator(left: &str) -> bool {
    !left.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '}'))
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "if"
            | "for"
            | "switch"
            | "case"
            | "go"
            | "defer"
            | "range"
            | "else"
            | "select"
            | "func"
            | "var"
    )
}
