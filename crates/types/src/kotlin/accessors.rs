//! Accessors of Java's that a class overrides: `override fun getNick()` is read as `nick`, and `nick = "a"` calls `setNick`.
//! Source: Kotlin's specification of synthetic properties for Java's methods.

use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse, Search};
use super::resolve::Certainty;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What is done with a property where its name stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PropertyUse {
    Read,
    Written,
    /// `a.size += 1`, `a.size++`
    Both,
}

impl Universe<'_> {
    /// Finds the accessors that a name of a property means for an object of this type.
    pub(super) fn overridden_accessors(&self, search: &Search, ty: &Type) -> Option<Lookup> {
        let (NameUse::Value, Type::Class(class)) = (search.wanted, ty) else { return None };
        if self.ancestors(class.class).is_complete {
            return None;
        }
        let (getter, setter) = accessors_of(search.name)?;
        let wanted = property_use(search.file, search.node);
        let mut candidates = Vec::new();
        for (name, count, other) in [(getter, 0, PropertyUse::Written), (setter, 1, PropertyUse::Read)] {
            if wanted != other {
                let found = self.members(ty, &name, &DeclarationKind::is_function).found.into_iter();
                let mut found = found.filter(|one| self.may_override_java(one, count));
                candidates.push(found.next()?);
            }
        }
        // That a class from outside has the accessor is not seen; nothing decides between two.
        let certainty = if candidates.len() == 1 { Certainty::Likely } else { Certainty::Possible };
        Some(Lookup { candidates, certainty, ..Lookup::nothing(false) })
    }

    fn may_override_java(&self, member: &Member, parameters: usize) -> bool {
        self.may_be_property(member.declaration)
            && self.own_parameters(member.declaration).len() == parameters
    }

    /// Whether a function may override one of a class that is neither Kotlin's nor of the known library, so that code may use it like a
    /// property if it is called like an accessor.
    pub fn may_be_property(&self, function: DeclarationId) -> bool {
        let overrides = self.get(function).is_some_and(|(_, one)| one.modifiers.is_override);
        overrides && self.class_of(function).is_some_and(|class| !self.ancestors(class).is_complete)
    }
}

/// Returns the names of the functions that read and write a property.
fn accessors_of(property: &str) -> Option<(String, String)> {
    if let Some(rest) = property.strip_prefix("is").filter(|rest| !rest.starts_with(char::is_lowercase)) {
        return Some((property.to_owned(), format!("set{rest}")));
    }
    let mut chars = property.chars();
    let first = chars.next().filter(|first| first.is_lowercase())?;
    let capital: String = first.to_uppercase().chain(chars).collect();
    Some((format!("get{capital}"), format!("set{capital}")))
}

fn property_use(file: &SourceFile, name: NodeId) -> PropertyUse {
    let suffix = file.parent(name).filter(|above| file.kind(*above) == K::NavigationSuffix);
    let last = suffix.unwrap_or(name);
    let Some(holder) = file.parent(last) else { return PropertyUse::Read };
    let is_target = file.kind(holder) == K::DirectlyAssignableExpression;
    // `size++` holds the name itself.
    let around = if suffix.is_some() || is_target { file.parent(holder) } else { Some(holder) };
    let Some(around) = around else { return PropertyUse::Read };
    let operator = |kinds: &[K]| file.children(around).any(|part| kinds.contains(&file.kind(part)));
    let is_last = file.children(holder).last() == Some(last);
    match is_target && is_last {
        _ if operator(&[K::Increment, K::Decrement]) => PropertyUse::Both,
        true if operator(&[K::AssignToken]) => PropertyUse::Written,
        true => PropertyUse::Both,
        false => PropertyUse::Read,
    }
}
