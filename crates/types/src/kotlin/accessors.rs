//! Accessors of Java's that a class overrides: `override fun getNick()` is read as `nick`, and `nick = "a"` calls `setNick`, too.
//! Source: Kotlin's specification of synthetic properties for Java's methods.

use super::classes::Member;
use super::conventions::{has_counter, is_assigned};
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse, Search};
use super::resolve::Certainty;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Finds the accessors that a name of a property means for an object of this type.
    pub(super) fn overridden_accessors(&self, search: &Search, ty: &Type) -> Option<Lookup> {
        let (NameUse::Value, Type::Class(class)) = (search.wanted, ty) else { return None };
        if self.ancestors(class.class).is_complete {
            return None;
        }
        // `URL` is no property of Java's: that of `getURL` is called `url`.
        let name = Some(search.name).filter(|name| name.starts_with(char::is_lowercase))?;
        let (getter, setter) = accessors_of(name);
        // The getter makes the property, so that what writes it means both.
        let accessors = [Some((getter, 0)), is_written(search.file, search.node).then_some((setter, 1))];
        let overridden = |(name, parameters): (String, usize)| {
            let found = self.members(ty, &name, &DeclarationKind::is_function).found.into_iter();
            found.into_iter().find(|one| self.may_override_java(one, parameters))
        };
        let candidates: Vec<Member> = accessors.into_iter().flatten().filter_map(overridden).collect();
        // That a class from outside has the accessor is not seen.
        let found = Lookup { certainty: Certainty::Likely, ..Lookup::nothing(false) };
        (!candidates.is_empty()).then_some(Lookup { candidates, ..found })
    }

    /// Whether something is assigned to the property whose name stands at a range of a file, in bytes.
    pub fn writes_property(&self, key: FileKey, range: TextRange) -> bool {
        let Some(file) = self.file(key) else { return false };
        file.identifier_at(range).is_some_and(|name| is_written(&file, name))
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

/// Returns the names of the functions that read and write a property for Java.
pub fn accessors_of(property: &str) -> (String, String) {
    let is_word = |rest: &&str| rest.starts_with(|c: char| !c.is_lowercase());
    if let Some(rest) = property.strip_prefix("is").filter(is_word) {
        return (property.to_owned(), format!("set{rest}"));
    }
    let mut chars = property.chars();
    let capital: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    (format!("get{capital}"), format!("set{capital}"))
}

/// Whether something is assigned to a property where its name stands: `size = 1`, `a.size += 1`, `a.size++`, `--a.size`.
fn is_written(file: &SourceFile, name: NodeId) -> bool {
    let suffix = file.parent(name).filter(|above| file.kind(*above) == K::NavigationSuffix);
    let last = suffix.unwrap_or(name);
    let holder = file.parent(last);
    // `size++` holds the name itself.
    let around = if suffix.is_some() { holder.and_then(|holder| file.parent(holder)) } else { holder };
    is_assigned(file, last) || around.is_some_and(|around| has_counter(file, around))
}
