//! Functions and properties whose value is a class: `fun <T : Any> T.kind() = this::class`. Code that calls one reads names of the class
//! without a word that tells so.

use std::collections::BTreeSet;

use super::callables::property_node;
use super::declarations::DeclarationKind;
use super::names_in_texts::{COMMON_WORDS, JAVAS_WORDS};
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, Universe};

/// Parts of texts: one of them stands wherever Kotlin writes a class as a value (`::class`, `javaClass`) or as the type of one.
pub const CLASS_WORDS: [&str; 4] = ["::class", "javaClass", "Class<", "KClass"];

/// Whether a text writes a class as a value, or the type of one.
pub fn has_class_word(text: &str) -> bool {
    CLASS_WORDS.iter().any(|word| text.contains(word))
}

/// Whether the whole text of a function or property leaves it possible that its value is a class: by a class before the first brace, where
/// an expression body begins, or by the type of one anywhere.
pub fn may_give_class(declaration: &str) -> bool {
    has_class_word(head(declaration)) || declaration.contains("KClass") || declaration.contains("Class<")
}

/// Returns the text of a function or property up to its first brace: its types, and an expression body.
fn head(declaration: &str) -> &str {
    declaration.split('{').next().unwrap_or("")
}

/// The names of functions and properties of a project whose value is a class.
#[derive(Clone, Debug, Default)]
pub struct ClassGivers {
    /// Those that give a class, Kotlin's (`KClass`) or Java's (`Class`).
    of_any: BTreeSet<String>,
    /// Those of them that give Java's.
    of_javas: BTreeSet<String>,
}

impl ClassGivers {
    pub fn is_empty(&self) -> bool {
        self.of_any.is_empty()
    }

    pub fn names(&self) -> &BTreeSet<String> {
        &self.of_any
    }

    /// Whether the whole text of a function or property leaves it possible that its value is what one of these gives: `fun T.tag() = kind()`.
    pub fn may_be_given_by(&self, declaration: &str) -> bool {
        self.of_any.iter().any(|name| names_word(head(declaration), name))
    }

    /// Removes what is among others.
    pub fn remove(&mut self, others: &ClassGivers) {
        self.of_any.retain(|name| !others.of_any.contains(name));
        self.of_javas.retain(|name| !others.of_javas.contains(name));
    }

    /// Adds those that another file declares.
    pub fn extend(&mut self, others: ClassGivers) {
        self.of_any.extend(others.of_any);
        self.of_javas.extend(others.of_javas);
    }

    /// Whether a text may ask a class, which one of these gives it, for one of `words`, which are properties of classes (`simpleName`, `name`,
    /// `members`): it has one that is hardly anything else's, or one of many things' (`name`) and also the name of one of these.
    pub fn may_be_read(&self, text: &str, words: &[&str]) -> bool {
        let holds = |names: &BTreeSet<String>| names.iter().any(|name| names_word(text, name));
        words.iter().filter(|word| text.contains(**word)).any(|word| {
            !COMMON_WORDS.contains(word)
                || holds(if JAVAS_WORDS.contains(word) { &self.of_javas } else { &self.of_any })
        })
    }
}

/// Whether a text has `word` as a whole word.
fn names_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

impl Universe<'_> {
    /// Returns the functions and properties of a file, without variables of functions, whose value is a class. Only those are looked at of
    /// whose whole text `may_give` is true: to infer types takes long.
    pub fn class_givers(&self, key: FileKey, may_give: &dyn Fn(&str) -> bool) -> ClassGivers {
        use DeclarationKind as D;
        let mut givers = ClassGivers::default();
        let Some(file) = self.file(key) else { return givers };
        for (number, declaration) in file.declarations.iter().enumerate() {
            if !matches!(declaration.kind, D::Function | D::Property | D::ConstructorProperty) {
                continue;
            }
            if !may_give(file.text_of(property_node(&file, declaration.node))) {
                continue;
            }
            self.steps.set(0);
            let id = DeclarationId::new(key, number);
            let ty = self.declared_type(id);
            if self.class_reflected_by(&ty).is_some() {
                givers.of_any.insert(self.name(id));
                if matches!(ty, Type::External(_)) {
                    givers.of_javas.insert(self.name(id));
                }
            }
        }
        givers
    }
}
