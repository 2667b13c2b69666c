//! Functions and properties that read names of the class of whatever they are given: `fun columns(of: Any) = of::class.java.declaredFields`,
//! `val Any.tag get() = javaClass.simpleName`. A name counts as read where a value of its class is given to one.

use std::collections::HashSet;

use super::callables::Arguments;
use super::calls::call_of_callee;
use super::declarations::{DeclarationKind, is_class_node};
use super::lookup::NameUse;
use super::names_in_texts::{NamesInTexts, imported_name};
use super::qualifiers::Qualifier;
use super::scopes::{Level, property_of_detached};
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A place where names are read of a class that is not known there.
#[derive(Clone, Debug)]
pub struct ReflectionOfAny {
    pub range: TextRange,
    /// The name of the function or the extended property, or of the class that keeps what its constructor is given.
    pub reader: String,
    /// Whether it reads the class of the object that it extends.
    pub is_of_receiver: bool,
}

impl Universe<'_> {
    /// Returns where functions and extended properties of a file read such names of a class that is not known there.
    pub fn reflections_of_any(&self, key: FileKey, names: &NamesInTexts) -> Vec<ReflectionOfAny> {
        let Some(file) = self.file(key) else { return Vec::new() };
        let words = names.words_of_reflection();
        let reads = |node: &NodeId| {
            let last = file.children(*node).last().and_then(|suffix| file.child(suffix, K::SimpleIdentifier));
            file.kind(*node) == K::NavigationExpression
                && last.is_some_and(|last| words.contains(&imported_name(&file, last)))
        };
        let mut found = Vec::new();
        for node in file.tree().nodes().filter(reads) {
            self.steps.set(0);
            let Some(before) = file.children(node).next() else { continue };
            if !self.is_of_any(&file, before) {
                continue;
            }
            let text = file.text_of(before);
            let is_of_receiver = text == "javaClass" || text.starts_with("this");
            for reader in self.readers_around(&file, node, before) {
                found.push(ReflectionOfAny { range: file.range(node), reader, is_of_receiver });
            }
        }
        found
    }

    /// Whether an expression is the class of a value that may be of any class, or a type parameter.
    fn is_of_any(&self, file: &ProjectFile, class: NodeId) -> bool {
        let is_any = |ty: &Type| match ty {
            Type::Class(class) => self.library_class("kotlin", "Any") == Some(class.class),
            Type::Parameter(_) => true,
            _ => false,
        };
        match self.reflected_object(file, class) {
            Some(Qualifier::Value(ty)) => is_any(&ty),
            Some(Qualifier::Class(id)) => self.kind(id) == Some(DeclarationKind::TypeParameter),
            Some(_) => false,
            // A variable that holds the class: `val c = x::class`, `c: KClass<*>`.
            None => self
                .class_reflected_by(&self.expression_type(file, class))
                .is_some_and(|of| is_any(of) || of.is_unknown() || of.is_foreign()),
        }
    }

    /// Returns the names of what gives the value of which names are read: the innermost function around the place or the extended property, and
    /// the class whose constructor keeps the value.
    fn readers_around(&self, file: &ProjectFile, node: NodeId, before: NodeId) -> Vec<String> {
        let function = reader_around(file, node);
        let names = file.tree().subtree(before).filter(|one| file.kind(*one) == K::SimpleIdentifier);
        let is_kept = names.into_iter().any(|name| {
            let found = self.find_bare(file, name, file.name_text(name), NameUse::Value);
            found.candidates.iter().any(|one| {
                matches!(
                    self.kind(one.declaration),
                    Some(DeclarationKind::Property | DeclarationKind::ConstructorProperty)
                )
            })
        });
        let class = file.class_around(node).filter(|_| is_kept || function.is_none());
        let class = class.map(|class| self.name(class)).filter(|name| !name.is_empty());
        function.into_iter().chain(class).collect()
    }

    /// Whether a file gives a value that is, or holds, an object of the class that has the names, or the class as a type argument, to what
    /// reads names so.
    pub fn gives_to(&self, key: FileKey, reflection: &ReflectionOfAny, names: &NamesInTexts) -> bool {
        let Some(file) = self.file(key) else { return false };
        let classes = self.reflected_classes(names);
        let is_named = |node: &NodeId| {
            matches!(file.kind(*node), K::SimpleIdentifier | K::InterpolatedIdentifier)
                && imported_name(&file, *node) == reflection.reader
        };
        file.tree().nodes().filter(is_named).any(|name| {
            self.steps.set(0);
            self.calls_with(&file, name, &classes)
                || reflection.is_of_receiver && self.is_called_within(&file, name, &classes)
        })
    }

    /// Whether a name stands behind an object of one of the classes, or is called with one, or with one of the classes as a type argument.
    fn calls_with(&self, file: &ProjectFile, name: NodeId, classes: &HashSet<DeclarationId>) -> bool {
        let holds = |ty: &Type| holds_object(ty, classes);
        let suffix = suffix_of(file, name);
        let receiver = suffix.and_then(|suffix| self.before_suffix(file, suffix));
        if matches!(receiver, Some(Qualifier::Value(ty)) if holds(&ty)) {
            return true;
        }
        let callee = suffix.and_then(|suffix| file.parent(suffix)).unwrap_or(name);
        let Some(call) = call_of_callee(file, callee) else { return false };
        let Some(suffix) = file.child(call, K::CallSuffix) else { return false };
        let arguments = Arguments::of(file, suffix);
        let types = arguments.types.map_or(Vec::new(), |types| self.type_arguments(file, types));
        types.iter().any(holds)
            || arguments.values.iter().any(|one| holds(&self.expression_type(file, one.value)))
    }

    /// Whether a name stands behind no object, where one of the classes is in scope.
    fn is_called_within(&self, file: &ProjectFile, name: NodeId, classes: &HashSet<DeclarationId>) -> bool {
        let is_of_class =
            |level: &Level| matches!(level, Level::Receiver { ty, .. } if holds_object(ty, classes));
        suffix_of(file, name).is_none() && self.levels(file, name).iter().any(is_of_class)
    }
}

fn suffix_of(file: &SourceFile, name: NodeId) -> Option<NodeId> {
    file.parent(name).filter(|above| file.kind(*above) == K::NavigationSuffix)
}

/// Returns the name of the innermost function around a node, or of the extended property.
fn reader_around(file: &SourceFile, node: NodeId) -> Option<String> {
    let within = file.ancestors(node).take_while(|above| {
        !matches!(file.kind(*above), K::AnonymousInitializer | K::SecondaryConstructor)
            && !is_named_class(file, *above)
    });
    within.into_iter().find_map(|above| match file.kind(above) {
        K::FunctionDeclaration => Some(file.name_of(file.declaration_of(above)?).to_owned()),
        K::Getter => name_of_extended(file, property_of_detached(file, above)?),
        K::PropertyDeclaration => name_of_extended(file, above),
        _ => None,
    })
}

fn is_named_class(file: &SourceFile, node: NodeId) -> bool {
    let number = file.declaration_of(node).filter(|_| is_class_node(file, node));
    number.is_some_and(|number| !file.name_of(number).is_empty())
}

fn name_of_extended(file: &SourceFile, property: NodeId) -> Option<String> {
    file.child(property, K::ReceiverType)?;
    let variable = file.child(property, K::VariableDeclaration)?;
    Some(file.name_text(file.child(variable, K::SimpleIdentifier)?).to_owned())
}

/// Whether a value of a type is an object of one of the classes, or holds one by its type arguments.
fn holds_object(ty: &Type, classes: &HashSet<DeclarationId>) -> bool {
    match ty {
        Type::Class(class) => {
            classes.contains(&class.class) || class.arguments.iter().any(|one| holds_object(one, classes))
        }
        Type::External(class) => class.arguments.iter().any(|one| holds_object(one, classes)),
        Type::Both(both) => holds_object(&both.0, classes) || holds_object(&both.1, classes),
        // A constructor, or a lambda that makes one.
        Type::Function(function) => holds_object(&function.result, classes),
        _ => false,
    }
}
