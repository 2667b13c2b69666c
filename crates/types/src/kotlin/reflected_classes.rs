//! The classes whose objects have a name that code may read of their class, and the objects and classes that code has in hand.

use super::lookup::NameUse;
use super::names_in_texts::{NamesInTexts, imported_name};
use super::qualifiers::Qualifier;
use super::scopes::Level;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the innermost object in scope, if a name without anything before it may mean a member of its class in the library.
    pub(super) fn read_object(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        let above = file.parent(node)?;
        if matches!(file.kind(above), K::NavigationSuffix | K::CallableReference)
            || file.declaration_of(above).is_some()
        {
            return None;
        }
        let object = self.innermost_object(file, node)?;
        let found = self.find_bare(file, node, imported_name(file, node), NameUse::Value);
        found.candidates.iter().all(|one| self.of_library(one.declaration)).then_some(object)
    }

    /// Returns the type of the innermost object in scope, which `this` is.
    fn innermost_object(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        self.levels(file, node).iter().find_map(|level| match level {
            Level::Receiver { ty, .. } => Some(ty.clone()),
            _ => None,
        })
    }

    /// Whether the function or the property around a place has an object of the class that has the names, or the class, in hand.
    pub(super) fn is_held_around(&self, file: &ProjectFile, node: NodeId, names: &NamesInTexts) -> bool {
        let is_whole = |above: &NodeId| {
            matches!(
                file.kind(*above),
                K::FunctionDeclaration | K::PropertyDeclaration | K::AnonymousInitializer
            )
        };
        let Some(whole) = file.ancestors(node).find(is_whole) else { return false };
        let is_value = |one: &NodeId| {
            matches!(
                file.kind(*one),
                K::CallExpression | K::NavigationExpression | K::CallableReference | K::ValueArgument
            )
        };
        file.tree().subtree(whole).filter(is_value).any(|one| {
            let value =
                if file.kind(one) == K::ValueArgument { file.children(one).last() } else { Some(one) };
            value.is_some_and(|value| self.holds_object(&self.expression_type(file, value), names))
        })
    }

    /// Whether an object of a type may be one of the class that has the names, or, of those of members, of one below it.
    pub(super) fn is_kin(&self, ty: &Type, names: &NamesInTexts) -> bool {
        match ty {
            Type::Class(one) => {
                names.classes.contains(&one.class)
                    || names.above_members.contains(&one.class)
                    || self.is_below_members(one.class, names)
            }
            Type::Both(both) => self.is_kin(&both.0, names) || self.is_kin(&both.1, names),
            _ => false,
        }
    }

    /// Whether a class has one above it of which a member has the name, or is one.
    fn is_below_members(&self, class: DeclarationId, names: &NamesInTexts) -> bool {
        let is_it = |one: DeclarationId| names.members_of.contains(&one);
        !names.members_of.is_empty()
            && (is_it(class) || self.ancestors(class).classes.iter().any(|(one, _)| is_it(*one)))
    }

    /// Whether a value of a type may be an object of the class that has the names, as far as classes outside the project tell: code that
    /// is given it reads those names of the object's class.
    pub(super) fn may_have_names(&self, ty: &Type, names: &NamesInTexts) -> bool {
        let is_any_above = |is_it: &dyn Fn(DeclarationId) -> bool| {
            names
                .owners()
                .map(|class| self.ancestors(class))
                .any(|above| !above.is_complete || above.classes.iter().any(|(known, _)| is_it(*known)))
        };
        match ty {
            Type::Unknown | Type::Parameter(_) => true,
            Type::Class(one) if self.of_library(one.class) => {
                self.library_class("kotlin", "Any") == Some(one.class)
                    || is_any_above(&|known| known == one.class)
            }
            Type::External(_) | Type::LikelyExternal(_) | Type::Java(_) => {
                ty.is_foreign() || is_any_above(&|_| false)
            }
            Type::Both(both) => self.may_have_names(&both.0, names) || self.may_have_names(&both.1, names),
            _ => false,
        }
    }

    /// Whether an expression is the class of an object of the class that has the names: `Shop::class`, `shop::class.java`, `javaClass`.
    pub(super) fn is_class_of(&self, file: &ProjectFile, node: NodeId, names: &NamesInTexts) -> bool {
        let of = class_named_before(file.text_of(node));
        if of.and_then(|of| of.rsplit('.').next()).is_some_and(|of| names.is_class_name(of)) {
            return true;
        }
        match self.reflected_object(file, node) {
            Some(Qualifier::Value(ty)) => self.is_kin(&ty, names),
            Some(Qualifier::Class(class)) => self.is_class_itself(class, names),
            Some(_) => false,
            // A variable that holds the class.
            None => self
                .class_reflected_by(&self.expression_type(file, node))
                .is_some_and(|of| self.is_kin(of, names)),
        }
    }

    /// Whether a class is the one that has the names, by an alias too, or has its members.
    fn is_class_itself(&self, class: DeclarationId, names: &NamesInTexts) -> bool {
        let class = self.class_behind(class).unwrap_or(class);
        names.owners().any(|of| class == of || self.counterparts(of).contains(&class))
            || self.is_below_members(class, names)
    }

    /// Returns of which class a value of a type tells: `KClass<Shop>`, `Class<Shop>`.
    pub(super) fn class_reflected_by<'t>(&self, ty: &'t Type) -> Option<&'t Type> {
        match ty {
            Type::Class(class) if Some(class.class) == self.library_class("kotlin.reflect", "KClass") => {
                class.arguments.first()
            }
            Type::External(class) if &*class.name == "java.lang.Class" => class.arguments.first(),
            _ => None,
        }
    }

    /// Returns what an expression is the class of: `shop` of `shop::class.java` and `shop.javaClass`, the object in scope of `javaClass`.
    pub(super) fn reflected_object(&self, file: &ProjectFile, node: NodeId) -> Option<Qualifier> {
        let text = file.text_of(node);
        if text == "javaClass" {
            return self.innermost_object(file, node).map(Qualifier::Value);
        }
        let of = class_named_before(text)?;
        let is_it = |one: &NodeId| file.text_of(*one) == of && is_expression(file, *one);
        self.qualifier(file, file.tree().subtree(node).find(is_it)?)
    }
}

/// Returns what a text tells the class of: `shop` of `shop::class.java` and of `shop.javaClass`.
fn class_named_before(text: &str) -> Option<&str> {
    let text = text.strip_suffix(".java").unwrap_or(text);
    text.strip_suffix("::class").or_else(|| text.strip_suffix(".javaClass"))
}

fn is_expression(file: &SourceFile, node: NodeId) -> bool {
    matches!(
        file.kind(node),
        K::SimpleIdentifier
            | K::NavigationExpression
            | K::CallExpression
            | K::TypeIdentifier
            | K::ThisExpression
    )
}
