//! Functions that read the names of the members of whatever they are given: `fun columns(of: Any) = of::class.java.declaredFields`. A name
//! counts as read where a value of its class is given to one.

use std::collections::HashSet;

use super::callables::Arguments;
use super::calls::{callee_name, callee_of};
use super::declarations::DeclarationKind;
use super::names_in_texts::{MEMBER_LISTS, NamesInTexts, class_named_before};
use super::qualifiers::Qualifier;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns where functions of a file list the members of a class that is not known there, each with the function's name.
    pub fn reflections_of_any(&self, key: FileKey) -> Vec<(TextRange, String)> {
        let Some(file) = self.file(key) else { return Vec::new() };
        let lists = |node: &NodeId| {
            let last = file.children(*node).last().and_then(|suffix| file.child(suffix, K::SimpleIdentifier));
            file.kind(*node) == K::NavigationExpression
                && last.is_some_and(|last| MEMBER_LISTS.contains(&file.name_text(last)))
        };
        let mut found = Vec::new();
        for node in file.tree().nodes().filter(lists) {
            self.steps.set(0);
            let function = file
                .ancestors(node)
                .filter(|above| file.kind(*above) == K::FunctionDeclaration)
                .find_map(|above| file.declaration_of(above));
            if let Some(function) = function.filter(|_| self.is_of_any(&file, node)) {
                found.push((file.range(node), file.name_of(function).to_owned()));
            }
        }
        found
    }

    /// Whether a list of members is that of the class of a value that may be of any class, or of a type parameter.
    fn is_of_any(&self, file: &ProjectFile, node: NodeId) -> bool {
        let Some(before) = file.children(node).next() else { return false };
        let Some(of) = class_named_before(file.text_of(before)) else { return false };
        let is_named = |one: &NodeId| {
            matches!(file.kind(*one), K::SimpleIdentifier | K::TypeIdentifier) && file.text_of(*one) == of
        };
        let Some(named) = file.tree().subtree(before).find(is_named) else { return false };
        match self.qualifier(file, named) {
            Some(Qualifier::Value(Type::Class(class))) => {
                self.library_class("kotlin", "Any") == Some(class.class)
            }
            Some(Qualifier::Value(Type::Parameter(_))) => true,
            Some(Qualifier::Class(id)) => self.kind(id) == Some(DeclarationKind::TypeParameter),
            _ => false,
        }
    }

    /// Whether a file calls a function of this name with a value that is, or holds, an object of the class whose members have the names, or with
    /// the class as a type argument.
    pub fn gives_to(&self, key: FileKey, function: &str, names: &NamesInTexts) -> bool {
        let Some(file) = self.file(key) else { return false };
        let classes = self.members_class(names);
        let holds = |ty: &Type| holds_object(ty, &classes);
        let mut calls = file.tree().nodes().filter(|node| file.kind(*node) == K::CallExpression);
        calls.any(|call| {
            let Some(callee) = callee_of(&file, call) else { return false };
            let name = callee_name(&file, callee).map(|name| file.name_text(name));
            let Some(suffix) = file.child(call, K::CallSuffix).filter(|_| name == Some(function)) else {
                return false;
            };
            self.steps.set(0);
            let arguments = Arguments::of(&file, suffix);
            let types = arguments.types.map_or(Vec::new(), |types| self.type_arguments(&file, types));
            let receiver = match file.kind(callee) {
                K::NavigationExpression => {
                    file.children(callee).last().and_then(|last| self.before_suffix(&file, last))
                }
                _ => None,
            };
            types.iter().any(holds)
                || arguments.values.iter().any(|one| holds(&self.expression_type(&file, one.value)))
                || matches!(receiver, Some(Qualifier::Value(ty)) if holds(&ty))
        })
    }
}

/// Whether a value of a type is an object of one of the classes, or holds one by its type arguments.
fn holds_object(ty: &Type, classes: &HashSet<DeclarationId>) -> bool {
    match ty {
        Type::Class(class) => {
            classes.contains(&class.class) || class.arguments.iter().any(|one| holds_object(one, classes))
        }
        Type::External(class) => class.arguments.iter().any(|one| holds_object(one, classes)),
        Type::Both(both) => holds_object(&both.0, classes) || holds_object(&both.1, classes),
        _ => false,
    }
}
