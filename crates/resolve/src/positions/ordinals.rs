//! Reads of the member that is the position of an enumeration's constant: `color.ordinal()`, `Color::ordinal`.

use super::PositionUse;
use super::constants::Enumeration;
use crate::brackets::open_bracket;
use crate::context::{Receiver, last_word, receiver, text_after, text_before};
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

impl Enumeration<'_, '_> {
    /// Finds a read of the member that is a constant's position. `is_user`: whether the file names the enumeration, so that a value
    /// of unknown type may be one.
    pub(super) fn member(&self, here: &CurrentFile, is_user: bool) -> Result<Option<PositionUse>, Cancelled> {
        let (text, member) = (here.text.as_str(), self.rules.member);
        if member.is_empty() {
            return Ok(None);
        }
        for at in here.outline.occurrences.offsets_of(member).filter(|&at| self.is_of_enumerations(here, at))
        {
            let is_read = match receiver(text, at as usize, self.resolver.family) {
                Receiver::None => self.may_be_own(here, at, is_user),
                Receiver::Chain(chain, _) => self.may_hold(here, &chain, at, is_user)?,
                Receiver::Super => is_user,
                Receiver::Expression => is_user || self.names.has(&here.file.path, value_before(here, at)),
            };
            if is_read {
                return Ok(Some(PositionUse::at(here, at as usize)));
            }
        }
        Ok(None)
    }

    /// Whether the member at byte `at`, of the object itself, may be that of one of the constants.
    fn may_be_own(&self, here: &CurrentFile, at: u32, is_user: bool) -> bool {
        self.is_around(here, at).unwrap_or_else(|| is_user && !self.is_declared_around(here, at))
    }

    /// Whether the value `chain` may be a constant of the enumeration.
    fn may_hold(
        &self,
        here: &CurrentFile,
        chain: &[&str],
        at: u32,
        is_user: bool,
    ) -> Result<bool, Cancelled> {
        let [.., last] = chain else { return Ok(is_user) };
        let own = self.declaration.name();
        let of_type = chain.len().checked_sub(2).map(|place| chain[place]);
        Ok(match of_type {
            // `Color::ordinal`, `Enum::ordinal`
            None if *last == own => true,
            Some(of_type) if of_type == own => true,
            _ if *last == "this" => self.may_be_own(here, at, is_user),
            _ if self.names.has(&here.file.path, last) => true,
            // A constant of another enumeration; an object's member may have any type.
            Some(of_type)
                if of_type.starts_with(char::is_uppercase) && last.starts_with(char::is_uppercase) =>
            {
                false
            }
            _ if self.constants.iter().any(|one| one == last) => is_user,
            None if self.is_other_enumeration(last)? => false,
            _ => is_user && !self.is_declared_otherwise(here, last),
        })
    }

    /// Whether the member at byte `at` is read as that of an enumeration: Java calls it, Kotlin does not.
    fn is_of_enumerations(&self, here: &CurrentFile, at: u32) -> bool {
        let text = here.text.as_str();
        let is_declared = here.outline.rows.iter().any(|row| row.name_start == at);
        let is_called = text_after(text, at as usize + self.rules.member.len()).starts_with('(');
        let is_reference = text_before(text, at as usize, self.resolver.family).ends_with("::");
        !is_declared && (is_reference || is_called == here.language.positions.member_is_called)
    }

    /// Whether what stands around byte `at` declares a value or function that has the member's name.
    fn is_declared_around(&self, here: &CurrentFile, at: u32) -> bool {
        let rows = &here.outline.rows;
        let text = here.text.as_str();
        let declares = |start: &u32| {
            let right = text_after(text, *start as usize + self.rules.member.len());
            let is_typed = right.starts_with(':') && !right.starts_with("::");
            is_typed && here.language.positions.types_follow
                || rows.iter().any(|row| row.name_start == *start)
        };
        let is_around = |start: u32| {
            let around = |row: &&Row| row.start <= start && start < row.end && row.name_start != start;
            rows.iter().rfind(around).is_none_or(|scope| scope.start <= at && at < scope.end)
        };
        here.outline.occurrences.offsets_of(self.rules.member).filter(declares).any(is_around)
    }

    /// Whether `name` is that of other enumerations only.
    fn is_other_enumeration(&self, name: &str) -> Result<bool, Cancelled> {
        let declared = self.resolver.declared(name)?;
        let is_other =
            |one: &IndexedDeclaration| one.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Enum);
        Ok(!declared.is_empty() && name != self.declaration.name() && declared.iter().all(is_other))
    }

    /// Whether the file declares values called `name`, with other types only.
    fn is_declared_otherwise(&self, here: &CurrentFile, name: &str) -> bool {
        let text = here.text.as_str();
        let declares = |start: &u32| {
            let end = *start as usize + name.len();
            let left = text_before(text, *start as usize, self.resolver.family);
            let right = text_after(text, end);
            match here.language.positions.types_follow {
                true => right.starts_with(':') && !right.starts_with("::"),
                false => last_word(left).starts_with(char::is_uppercase) || left.ends_with('>'),
            }
        };
        here.outline.occurrences.offsets_of(name).any(|start| declares(&start))
    }
}

/// Returns the last name of the value whose member stands at byte `at`: that of a function in `m.kind().ordinal`, that of a list in
/// `kinds[0].ordinal`; empty where it has none.
fn value_before(here: &CurrentFile, at: u32) -> &str {
    let text = here.text.as_str();
    let left = text_before(text, at as usize, here.language.family);
    let left = left.trim_end_matches(['.', '?', '!', ':']).trim_end();
    let Some(inside) = left.strip_suffix([')', ']']) else { return last_word(left) };
    open_bracket(text, inside.len()).map_or("", |open| last_word(text[..open].trim_end()))
}
