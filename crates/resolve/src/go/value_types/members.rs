//! Members of Go's types: fields, methods, and what embedded types promote, the shallowest first.

use super::receivers::methods_called;
use super::text_around::{closing, embeds, qualifier_start, skip_blanks, word_at};
use super::written::Underlying;
use super::{GoReader, GoType};
use crate::hierarchy::classes::own_members;
use crate::meaning::Meaning;
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// How deep embedded types are followed.
const MAX_EMBEDDING: usize = 12;

/// How many types are looked at for one member.
const MAX_TYPES: usize = 64;

/// Which members of a type count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoMemberSet {
    All,
    /// All but methods that stand outside of the type: only a struct's fields, and what an interface declares.
    WithoutMethods,
}

impl GoReader<'_, '_> {
    /// Resolves a member of a value or a package.
    pub(super) fn member(&self, owner: &GoType, name: &str, depth: usize) -> Result<Meaning, Cancelled> {
        match owner {
            GoType::Package(module) => self.resolver.exported(module, name, 0),
            GoType::Outside | GoType::OutsidePackage { .. } => Ok(Meaning::OutsideProject),
            GoType::Named(one) => self.promoted(one, name, GoMemberSet::All, depth),
            _ => Ok(Meaning::Unknown),
        }
    }

    /// Resolves a field of a struct.
    pub(super) fn field(&self, owner: &GoType, name: &str, depth: usize) -> Result<Meaning, Cancelled> {
        match owner {
            GoType::Named(one) => self.promoted(one, name, GoMemberSet::WithoutMethods, depth),
            _ => Ok(Meaning::Unknown),
        }
    }

    fn promoted(
        &self,
        one: &IndexedDeclaration,
        name: &str,
        set: GoMemberSet,
        depth: usize,
    ) -> Result<Meaning, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Meaning::Unknown) };
        // What another module does not export, it does not promote.
        let is_exported = name.starts_with(char::is_uppercase);
        let mut level = vec![(one.clone(), set)];
        let mut seen: Vec<IndexedDeclaration> = Vec::new();
        // Whether a type from outside, embedded no deeper than the types of this level, may have the member.
        let mut is_outside = false;
        for _ in 0..MAX_EMBEDDING {
            let (mut found, mut next) = (Vec::new(), Vec::new());
            let (mut opens, mut goes_outside) = (false, false);
            while let Some((ty, set)) = level.pop() {
                if seen.iter().any(|known| known.is_same_declaration(&ty)) || seen.len() > MAX_TYPES {
                    continue;
                }
                seen.push(ty.clone());
                let underlying = self.underlying(&ty, depth)?;
                found.extend(self.own(&ty, &underlying, name, set)?);
                let embedded = match underlying {
                    Underlying::Struct => self.embedded_fields(&ty, depth)?,
                    Underlying::Interface(at) => self.embedded_interfaces(&ty, at, depth)?,
                    // Only the fields of another type go over to one that is declared by it, or the methods of an interface.
                    Underlying::Other(GoType::Named(inner)) => {
                        let is_interface =
                            matches!(self.underlying(&inner, depth)?, Underlying::Interface(_));
                        level.push((inner, if is_interface { set } else { GoMemberSet::WithoutMethods }));
                        Vec::new()
                    }
                    Underlying::Other(GoType::Unknown) => vec![GoType::Unknown],
                    Underlying::Other(GoType::Outside) => vec![GoType::Outside],
                    Underlying::Other(_) => Vec::new(),
                };
                for part in embedded {
                    match part {
                        GoType::Named(part) => next.push((part, set)),
                        GoType::Outside => goes_outside |= is_exported,
                        _ => opens = true,
                    }
                }
            }
            if !found.is_empty() {
                return Ok(if is_outside { Meaning::Unknown } else { Meaning::Declared(found) });
            }
            // An unknown type of this level may have the member; so may one from outside, where no type of the project beside it does.
            if opens {
                return Ok(Meaning::Unknown);
            }
            if next.is_empty() {
                let has_outside = goes_outside || is_outside;
                return Ok(if has_outside { Meaning::OutsideProject } else { Meaning::Unknown });
            }
            level = next;
            // What is embedded beside the next level's types lies as deep as their members.
            is_outside |= goes_outside && !self.declares_any(&level, name, depth)?;
        }
        Ok(Meaning::Unknown)
    }

    /// Whether one of the types of a level declares a member called `name` itself.
    fn declares_any(
        &self,
        level: &[(IndexedDeclaration, GoMemberSet)],
        name: &str,
        depth: usize,
    ) -> Result<bool, Cancelled> {
        for (ty, set) in level {
            if !self.own(ty, &self.underlying(ty, depth)?, name, *set)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the members called `name` that a type declares itself.
    pub(super) fn own(
        &self,
        ty: &IndexedDeclaration,
        underlying: &Underlying,
        name: &str,
        set: GoMemberSet,
    ) -> Result<Vec<IndexedDeclaration>, Cancelled> {
        let mut found = Vec::new();
        if set == GoMemberSet::All {
            let directory = ty.file.path.parent().unwrap_or_else(RelPath::root);
            let methods = methods_called(self.resolver, name)?;
            let own = methods.iter().filter(|one| one.of == ty.name() && one.directory == directory);
            found.extend(own.map(|one| one.declaration.clone()));
        }
        if !matches!(underlying, Underlying::Other(_)) {
            found.extend(own_members(self.resolver, ty, name));
        }
        Ok(found)
    }

    /// Returns the types that a struct embeds.
    fn embedded_fields(&self, ty: &IndexedDeclaration, depth: usize) -> Result<Vec<GoType>, Cancelled> {
        let Some(here) = self.resolver.read_file(&ty.file) else { return Ok(vec![GoType::Unknown]) };
        let Some(at) = here.row_of(ty) else { return Ok(vec![GoType::Unknown]) };
        let text = here.text.as_str();
        let mut types = Vec::new();
        let own = here.outline.children(at).map(|row| &here.outline.rows[row]);
        for row in own.filter(|row| row.kind() == SymbolKind::Field) {
            let (start, end) = (row.name_start as usize, row.name_start as usize + usize::from(row.name_len));
            if embeds(text, end) {
                types.push(self.written(&here, qualifier_start(text, start), depth)?);
            }
        }
        Ok(types)
    }

    /// Returns the interfaces that an interface embeds; its body begins behind byte `at`. Type sets (`~int | string`) are unknown.
    fn embedded_interfaces(
        &self,
        ty: &IndexedDeclaration,
        at: usize,
        depth: usize,
    ) -> Result<Vec<GoType>, Cancelled> {
        let Some(here) = self.resolver.read_file(&ty.file) else { return Ok(vec![GoType::Unknown]) };
        let text = here.text.as_str();
        let open = skip_blanks(text, at);
        let Some(end) = text[open..].starts_with('{').then(|| closing(text, open)).flatten() else {
            return Ok(vec![GoType::Unknown]);
        };
        let (mut types, mut at) = (Vec::new(), open + 1);
        loop {
            at = skip_blanks(text, at);
            if at + 1 >= end {
                return Ok(types);
            }
            let word = word_at(text, at);
            let behind = at + word.len();
            if text[behind..].starts_with('(') && !word.is_empty() {
                // A method: its parameters may span lines, its result may hold braces.
                at = closing(text, behind).unwrap_or(end);
                at = skip_result(text, at, end);
                continue;
            }
            let element = &text[at..end - 1];
            let element = &element[..element.find(['\n', ';']).unwrap_or(element.len())];
            types.push(match element.contains(['|', '~']) {
                true => GoType::Unknown,
                false => self.written(&here, at, depth)?,
            });
            at += element.len() + 1;
        }
    }
}

/// Returns the byte behind the result of a method that an interface declares.
fn skip_result(text: &str, mut at: usize, end: usize) -> usize {
    while at < end {
        match text.as_bytes()[at] {
            b'\n' | b';' => return at,
            b'(' | b'[' | b'{' => at = closing(text, at).unwrap_or(end),
            _ => at += 1,
        }
    }
    end
}
