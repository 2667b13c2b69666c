//! Code that reads the positions of an enumeration's constants: `color as u8`, `color.ordinal()`, `Color.values()[i]`.

use super::lists::ConstantList;
use super::typed_names::TypedNames;
use super::{PositionUse, TypeUses, uses_of_type};
use crate::brackets::open_bracket;
use crate::context::{Receiver, first_word, last_word, receiver, text_after};
use crate::hierarchy::heads::without_comments;
use crate::jvm::accessors::accessor_names;
use crate::lookup::rust_attributes;
use crate::profiles::PositionRules;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::{Row, SymbolKind};

/// An enumeration whose constants' positions are searched for.
pub(super) struct Enumeration<'r, 'a> {
    pub(super) resolver: &'r Resolver<'a>,
    pub(super) rules: &'static PositionRules,
    pub(super) declaration: IndexedDeclaration,
    pub(super) constants: Vec<String>,
    pub(super) names: TypedNames,
    pub(super) lists: Vec<ConstantList>,
}

/// Finds code that reads the positions of the constants behind `target`, a constant.
pub(super) fn find(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Option<PositionUse>, Cancelled> {
    let Some(here) = resolver.read_file(&target.file) else { return Ok(None) };
    let rules = &here.language.positions;
    let (Some(row), true) = (here.outline.rows.get(target.row), rules.are_read()) else { return Ok(None) };
    let is_beside = |other: &&Row| other.parent == row.parent && other.kind() == SymbolKind::EnumMember;
    let next = here.outline.rows.iter().filter(is_beside).find(|other| other.name_start > row.name_start);
    let (Some(next), Some(parent)) = (next, row.parent()) else { return Ok(None) };
    let behind = here.text_from_name(next);
    if !rules.casts.is_empty() && behind.contains('=') {
        return Ok(None);
    }
    if let Some(found) = fixed(&here, parent) {
        return Ok(Some(found));
    }
    let declaration = here.target(parent);
    let uses = uses_of_type(resolver, &declaration)?;
    let mut enumeration = Enumeration {
        resolver,
        rules,
        declaration,
        constants: here
            .outline
            .rows
            .iter()
            .filter(is_beside)
            .map(|one| here.outline.name(one).to_owned())
            .collect(),
        names: TypedNames::read(&uses),
        lists: Vec::new(),
    };
    enumeration.lists = uses.iter().flat_map(|user| enumeration.lists_of(user)).collect();
    for one in &uses {
        resolver.cancel.check()?;
        if let Some(found) = enumeration.in_user(one)? {
            return Ok(Some(found));
        }
    }
    enumeration.elsewhere(&uses)
}

/// Returns the attribute of a Rust enumeration that fixes its positions: `repr(u8)`, `derive(FromPrimitive)`.
fn fixed(here: &CurrentFile, row: usize) -> Option<PositionUse> {
    let rules = &here.language.positions;
    let row = &here.outline.rows[row];
    let fixes = |attribute: &&str| {
        let mut words = attribute.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        match words.next() {
            Some("repr") => words.any(|word| rules.layouts.contains(&word) || rules.casts.contains(&word)),
            Some("derive") => words.any(|word| rules.derives.contains(&word)),
            _ => false,
        }
    };
    if rules.derives.is_empty() {
        return None;
    }
    let attribute = rust_attributes(&here.text, row).find(fixes)?;
    Some(PositionUse { code: format!("#[{attribute}]"), ..PositionUse::at(here, row.name_start as usize) })
}

impl Enumeration<'_, '_> {
    /// Finds a read in a file that names the enumeration.
    fn in_user(&self, user: &TypeUses) -> Result<Option<PositionUse>, Cancelled> {
        let here = &user.here;
        if let Some(found) = self.indexed(user)?.or_else(|| self.indexed_elsewhere(here)) {
            return Ok(Some(found));
        }
        if let Some(found) = self.cast(here, Some(&user.ranges))? {
            return Ok(Some(found));
        }
        self.member(here, true)
    }

    /// Returns the names by which files that do not name the enumeration can reach a value of it.
    fn value_names(&self) -> Result<Vec<String>, Cancelled> {
        let mut names = Vec::new();
        for name in self.names.members() {
            // A cast counts only where all members of the name have the type.
            if self.rules.casts.is_empty() || self.names.is_member(self.resolver, name)? {
                names.push(name.clone());
            }
            if !self.rules.member.is_empty() {
                names.extend(accessor_names(name));
            }
        }
        Ok(names)
    }

    /// Finds a read in files that hold a value of the enumeration, or a list of its constants, without naming it.
    fn elsewhere(&self, uses: &[TypeUses]) -> Result<Option<PositionUse>, Cancelled> {
        let files = &self.resolver.sources.snapshot().files;
        let values = self.value_names()?;
        let with_values =
            values.iter().map(|name| NeededWords::of_name(&format!("{name} {}", self.rules.member)));
        let words = with_values.chain(self.list_names().map(|name| NeededWords::of_name(name)));
        for file in files.with_any_words(words) {
            let is_user = uses.iter().any(|user| user.here.file.path == file.path);
            let holds = |name: &String| file.holds(name);
            let is_unknown = self.resolver.file(file.path.as_str()).is_none();
            if is_user || is_unknown || !values.iter().chain(self.list_names()).any(holds) {
                continue;
            }
            self.resolver.cancel.check()?;
            let Some(here) = self.resolver.read_file(file) else { continue };
            if let Some(found) = self.indexed_elsewhere(&here) {
                return Ok(Some(found));
            }
            let found = match self.cast(&here, None)? {
                Some(found) => Some(found),
                None => self.member(&here, false)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Finds a cast of a constant, or of a value of the type, to a number.
    fn cast(
        &self,
        here: &CurrentFile,
        users: Option<&[TextRange]>,
    ) -> Result<Option<PositionUse>, Cancelled> {
        if self.rules.casts.is_empty() {
            return Ok(None);
        }
        let blank = without_comments(here.text.as_str(), here.language);
        for (at, word) in blank.match_indices(" as ") {
            let kind = first_word(text_after(&blank, at + word.len()));
            if self.rules.casts.contains(&kind) && self.is_value(here, &blank, at, users)? {
                return Ok(Some(PositionUse::at(here, at)));
            }
        }
        Ok(None)
    }

    /// Whether the operand that ends before byte `end` is a constant or a value of the enumeration.
    fn is_value(
        &self,
        here: &CurrentFile,
        text: &str,
        end: usize,
        users: Option<&[TextRange]>,
    ) -> Result<bool, Cancelled> {
        let operand = text[..end].trim_end();
        let mut is_call = false;
        let operand = match operand.strip_suffix(')') {
            Some(inside) => match open_bracket(text, inside.len()) {
                // `(self) as u8`, `f(x) as u8`
                Some(open) if last_word(&text[..open]).is_empty() => inside.trim_end(),
                Some(open) => {
                    is_call = true;
                    &text[..open]
                }
                None => return Ok(false),
            },
            None => operand,
        };
        let name = last_word(operand);
        let start = operand.len() - name.len();
        let is_inside = || self.is_in_type(here, start, users);
        let is_constant = self.constants.iter().any(|one| one == name);
        Ok(match receiver(text, start, self.resolver.family) {
            _ if name.is_empty() => false,
            Receiver::Chain(chain, _) if is_constant => {
                let last = chain.last().copied().unwrap_or("");
                last == self.declaration.name() || last == "Self" && is_inside()
            }
            Receiver::None if name == "self" => is_inside(),
            Receiver::None if is_constant => users.is_some(),
            Receiver::None if !is_call => self.names.is_variable(here, name, start),
            _ => self.names.is_member(self.resolver, name)?,
        })
    }

    /// Whether the innermost enumeration around byte `at` is this one; `None` outside of enumerations.
    pub(super) fn is_around(&self, here: &CurrentFile, at: u32) -> Option<bool> {
        let around = |row: &&Row| row.kind() == SymbolKind::Enum && row.start <= at && at < row.end;
        let innermost = here.outline.rows.iter().rfind(around)?.name_start;
        let own = self.declaration.row().map(|(_, own)| own.name_start);
        Some(here.file.path == self.declaration.file.path && own == Some(innermost))
    }

    /// Whether byte `at` is in the enumeration's body, or in that of an `impl` of it.
    fn is_in_type(&self, here: &CurrentFile, at: usize, users: Option<&[TextRange]>) -> bool {
        let text = here.text.as_str();
        let is_own = |row: &Row| {
            let body = row.start as usize + text[row.start as usize..].find('{').unwrap_or(0);
            let is_in_head = |it: &TextRange| row.start <= it.start && (it.start as usize) < body;
            row.name_start == self.declaration.row().map_or(0, |(_, own)| own.name_start)
                && here.file.path == self.declaration.file.path
                || row.kind() == SymbolKind::Object && users.unwrap_or_default().iter().any(is_in_head)
        };
        let around = |row: &&Row| (row.start as usize) <= at && at < row.end as usize;
        here.outline.rows.iter().filter(around).any(is_own)
    }
}
