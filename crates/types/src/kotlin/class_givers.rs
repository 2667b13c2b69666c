//! Functions and properties whose value is a class: `fun <T : Any> T.kind() = this::class`. Code that calls one reads names of the class
//! without a word that tells so.

use std::collections::BTreeSet;

use super::callables::property_node;
use super::declarations::DeclarationKind;
use super::names_in_texts::{COMMON_WORDS, JAVAS_WORDS};
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, Universe};

/// Parts of texts of which the type, or what computes the value, of such a function or property holds one.
pub const CLASS_WORDS: [&str; 4] = ["::class", "javaClass", "Class<", "KClass"];

/// Whether a text has a class in hand.
pub fn has_class_word(text: &str) -> bool {
    CLASS_WORDS.iter().any(|word| text.contains(word))
}

/// Whether the text of a function or property, as far as it tells, may give a class: one stands before the first brace, or its type there.
pub fn may_give_class(declaration: &str) -> bool {
    let head = declaration.split('{').next().unwrap_or("");
    has_class_word(head) || declaration.contains("KClass") || declaration.contains("Class<")
}

/// The names of functions and properties of a project whose value is a class.
#[derive(Clone, Debug, Default)]
pub struct ClassGivers {
    /// Those that give one of Kotlin's classes, or one of Java's.
    of_any: BTreeSet<String>,
    of_javas: BTreeSet<String>,
}

impl ClassGivers {
    /// Adds those that another file declares.
    pub fn extend(&mut self, others: ClassGivers) {
        self.of_any.extend(others.of_any);
        self.of_javas.extend(others.of_javas);
    }

    /// Whether a text may read one of the words, which name a class or its members, of a class that it has from elsewhere: it holds one that
    /// hardly anything else is called, or one of these names beside a word that much is called.
    pub fn may_be_read(&self, text: &str, words: &[&str]) -> bool {
        let holds = |names: &BTreeSet<String>| names.iter().any(|name| text.contains(name.as_str()));
        words.iter().filter(|word| text.contains(**word)).any(|word| {
            !COMMON_WORDS.contains(word)
                || holds(if JAVAS_WORDS.contains(word) { &self.of_javas } else { &self.of_any })
        })
    }
}

impl Universe<'_> {
    /// Returns the functions and properties of a file, those of functions apart, whose value is a class.
    pub fn class_givers(&self, key: FileKey) -> ClassGivers {
        use DeclarationKind as D;
        let mut givers = ClassGivers::default();
        let Some(file) = self.file(key) else { return givers };
        for (number, declaration) in file.declarations.iter().enumerate() {
            if !matches!(declaration.kind, D::Function | D::Property | D::ConstructorProperty) {
                continue;
            }
            let whole = file.text_of(property_node(&file, declaration.node));
            if !may_give_class(whole) {
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
