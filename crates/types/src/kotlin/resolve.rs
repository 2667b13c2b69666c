//! The declarations that an identifier of a file means.

use std::sync::Arc;

use super::callables::{Arguments, CallForm};
use super::calls::call_of_callee;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::qualifiers::Qualifier;
use super::source_file::SourceFile;
use super::type_references::Classifier;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// How sure it is that a name means what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Nothing rules it out, and nothing shows it.
    Possible,
    /// Nothing else that is known fits.
    Likely,
    /// The rules of the language lead to it.
    Certain,
}

/// What an identifier means.
#[derive(Clone, Debug)]
pub struct NameResolution {
    /// The declarations that it means. Empty when it means none of those that are known.
    pub declarations: Vec<DeclarationId>,
    pub certainty: Certainty,
    /// Whether it may mean a declaration of the project that is not among them.
    pub may_be_other: bool,
    /// The Java class of the project, by its qualified name, whose member is meant if none of these is.
    pub java_class: Option<Arc<str>>,
}

impl NameResolution {
    pub(super) fn certain(declarations: Vec<DeclarationId>) -> NameResolution {
        NameResolution { declarations, certainty: Certainty::Certain, may_be_other: false, java_class: None }
    }

    pub(super) fn possible(declarations: Vec<DeclarationId>) -> NameResolution {
        NameResolution { declarations, certainty: Certainty::Possible, may_be_other: false, java_class: None }
    }

    pub(super) fn unknown() -> NameResolution {
        NameResolution {
            declarations: Vec::new(),
            certainty: Certainty::Possible,
            may_be_other: true,
            java_class: None,
        }
    }

    pub(super) fn of(lookup: Option<Lookup>) -> NameResolution {
        match lookup {
            None => NameResolution::unknown(),
            Some(lookup) => NameResolution {
                declarations: lookup.candidates.iter().map(|member| member.declaration).collect(),
                certainty: lookup.certainty,
                may_be_other: lookup.may_be_other,
                java_class: lookup.java_class,
            },
        }
    }
}

impl Universe<'_> {
    /// Resolves the identifier at a range of a file, in bytes; `None` if the file cannot be read, or if the
    /// range is not that of an identifier.
    pub fn resolve(&self, key: FileKey, range: TextRange) -> Option<NameResolution> {
        let file = self.file(key)?;
        let node = file.identifier_at(range)?;
        self.steps.set(0);
        let find = || self.resolve_identifier(&file, node);
        Some(self.remembered(&self.findings.resolutions, (key, node), find))
    }

    pub(super) fn resolve_identifier(&self, file: &ProjectFile, node: NodeId) -> NameResolution {
        let mut found = self.resolve_node(file, node);
        if found.declarations.is_empty() && !found.may_be_other && found.java_class.is_none() {
            found.declarations = self.unbound(file, node);
            if !found.declarations.is_empty() {
                found.certainty = Certainty::Possible;
            }
        }
        let others = self.behind_open_dot(file, node);
        if others.iter().any(|other| !found.declarations.contains(other)) {
            found.declarations.extend(others);
            found.certainty = Certainty::Possible;
        }
        // A name in a declaration is that declaration's.
        let declares = |number: usize| file.declarations[number].name == Some(node);
        let declaration = file.parent(node).and_then(|parent| file.declaration_of(parent));
        if !declaration.is_some_and(declares) {
            found = self.with_twins(file, node, found);
            for id in found.declarations.clone() {
                let others = self.counterparts(id);
                let is_new = |other: &&DeclarationId| !found.declarations.contains(*other);
                let new: Vec<DeclarationId> = others.iter().filter(is_new).copied().collect();
                found.declarations.extend(new);
            }
        }
        found
    }

    fn resolve_node(&self, file: &ProjectFile, node: NodeId) -> NameResolution {
        let name = file.name_text(node);
        let Some(parent) = file.parent(node) else { return NameResolution::unknown() };
        if let Some(number) = file.declaration_of(parent)
            && file.declarations[number].name == Some(node)
        {
            return NameResolution::certain(vec![DeclarationId::new(file.key, number)]);
        }
        match file.kind(parent) {
            // A name in a function type: `(size: Int) -> Unit`.
            K::Parameter => NameResolution::certain(Vec::new()),
            K::Identifier => self.resolve_import(file, parent, node),
            K::UserType => self.resolve_type(file, parent, node),
            K::CallableReference => self.resolve_reference(file, parent, node),
            K::TypeConstraint => Self::classified(self.classifier(file, node, name)),
            K::ThisExpression | K::SuperExpression => self.resolve_label(file, node),
            _ if file.kind(node) == K::Label => self.resolve_label(file, node),
            K::ValueArgument if is_argument_name(file, parent, node) => {
                self.resolve_argument(file, parent, name)
            }
            K::InfixExpression if file.children(parent).nth(1) == Some(node) => {
                if let Some((found, _)) = self.resolve_split(file, parent) {
                    return NameResolution::of(Some(found));
                }
                let parts: Vec<NodeId> = file.children(parent).collect();
                let receiver = self.expression_type(file, parts[0]);
                let arguments = Arguments::operands(&parts[2..], CallForm::Infix);
                let wanted = NameUse::Call(&arguments);
                NameResolution::of(Some(self.find_member(file, node, &receiver, name, wanted)))
            }
            K::NavigationSuffix => self.resolve_suffix(file, parent),
            _ => {
                let call = call_of_callee(file, node);
                match call.and_then(|call| file.child(call, K::CallSuffix)) {
                    Some(suffix) => {
                        let arguments = Arguments::of(file, suffix);
                        NameResolution::of(Some(self.find_bare(file, node, name, NameUse::Call(&arguments))))
                    }
                    None => self.resolve_value(file, node, name),
                }
            }
        }
    }

    fn resolve_value(&self, file: &ProjectFile, node: NodeId, name: &str) -> NameResolution {
        let lookup = self.find_bare(file, node, name, NameUse::Value);
        if !lookup.candidates.is_empty() || name == "it" || self.is_kept_value(file, node, name) {
            return NameResolution::of(Some(lookup));
        }
        match self.classifier(file, node, name) {
            Classifier::Unknown => {
                Self::or_called(lookup, || Some(self.find_bare(file, node, name, NameUse::Reference)))
            }
            found => Self::classified(found),
        }
    }

    /// Resolves a name that stands for a value. If no value has the name but a function does, the function is possible: the user has not
    /// written the call's arguments yet.
    fn or_called(value: Lookup, function: impl FnOnce() -> Option<Lookup>) -> NameResolution {
        let is_meant = value.candidates.is_empty() && !value.may_be_other && value.java_class.is_none();
        let called = is_meant.then(function).flatten().filter(|called| !called.candidates.is_empty());
        NameResolution::of(Some(match called {
            Some(called) => Lookup { certainty: Certainty::Possible, ..called },
            None => value,
        }))
    }

    fn resolve_suffix(&self, file: &ProjectFile, suffix: NodeId) -> NameResolution {
        let Some(holder) = file.parent(suffix) else { return NameResolution::unknown() };
        // `value::name`, `Class::name`
        if file.child(suffix, K::Reference).is_some() {
            let takes_object = matches!(self.before_suffix(file, suffix), Some(Qualifier::Class(class))
                if !self.kind(class).is_some_and(DeclarationKind::is_object));
            let found = self.named_by_suffix(file, suffix, NameUse::Reference);
            return NameResolution::of(
                found.map(|found| self.choose_reference(file, holder, found, takes_object)),
            );
        }
        let call = match file.kind(holder) {
            K::NavigationExpression => call_of_callee(file, holder),
            _ => None,
        };
        let Some(suffix_of_call) = call.and_then(|call| file.child(call, K::CallSuffix)) else {
            let lookup = self.named_by_suffix(file, suffix, NameUse::Value);
            if let Some(found) = &lookup
                && !found.candidates.is_empty()
            {
                return NameResolution::of(lookup);
            }
            // `Outer.Inner.member`: a class.
            return match self.nested_by_suffix(file, suffix) {
                Some(class) => Self::classified(Classifier::Declared(class)),
                None => lookup.map_or_else(
                    || NameResolution::of(None),
                    |value| Self::or_called(value, || self.named_by_suffix(file, suffix, NameUse::Reference)),
                ),
            };
        };
        let arguments = Arguments::of(file, suffix_of_call);
        let found = self.named_by_suffix(file, suffix, NameUse::Call(&arguments));
        // `copy` of a data class is declared nowhere.
        NameResolution::of(found.map(|mut found| {
            found
                .candidates
                .retain(|one| self.kind(one.declaration) != Some(DeclarationKind::PrimaryConstructor));
            found
        }))
    }

    fn nested_by_suffix(&self, file: &ProjectFile, suffix: NodeId) -> Option<DeclarationId> {
        let name = file.name_text(file.child(suffix, K::SimpleIdentifier)?);
        match self.before_suffix(file, suffix)? {
            Qualifier::Class(class) => self.nested(self.class_behind(class).unwrap_or(class), name),
            Qualifier::Package(package) => {
                let found = self.qualified(&format!("{package}.{name}")).into_iter();
                found.into_iter().find(|id| self.kind(*id).is_some_and(DeclarationKind::is_classifier))
            }
            _ => None,
        }
    }

    /// `::name`, `Class::name`
    fn resolve_reference(&self, file: &ProjectFile, reference: NodeId, node: NodeId) -> NameResolution {
        let name = file.name_text(node);
        let owner = file.child(reference, K::TypeIdentifier);
        if owner == Some(node) {
            return self.resolve_value(file, node, name);
        }
        let Some(owner) = owner else {
            let found = self.find_bare(file, node, name, NameUse::Reference);
            return NameResolution::of(Some(self.choose_reference(file, reference, found, false)));
        };
        match self.qualifier(file, owner) {
            Some(Qualifier::Value(ty)) => {
                let found = self.find_member(file, node, &ty, name, NameUse::Reference);
                NameResolution::of(Some(self.choose_reference(file, reference, found, false)))
            }
            Some(Qualifier::Class(class)) => {
                let found = self.find_static(file, node, class, name, NameUse::Reference);
                let takes_object = !self.kind(class).is_some_and(DeclarationKind::is_object);
                NameResolution::of(Some(self.choose_reference(file, reference, found, takes_object)))
            }
            Some(Qualifier::External(class)) => NameResolution::of(Some(self.find_behind_external(
                file,
                node,
                &class,
                name,
                NameUse::Reference,
            ))),
            Some(Qualifier::Package(_)) | None => NameResolution::unknown(),
        }
    }

    fn resolve_import(&self, file: &ProjectFile, path: NodeId, node: NodeId) -> NameResolution {
        let names = file.children(path).filter(|part| file.kind(*part) == K::SimpleIdentifier);
        let mut path: Vec<&str> = Vec::new();
        for part in names {
            path.push(file.name_text(part));
            if part == node {
                break;
            }
        }
        let found = self.seen(file, self.qualified(&path.join(".")));
        // An import brings all overloads, but one of two declarations that are alike.
        match self.are_told_apart(&found) {
            true => NameResolution::certain(found),
            false => NameResolution::possible(found),
        }
    }

    fn resolve_type(&self, file: &ProjectFile, path: NodeId, node: NodeId) -> NameResolution {
        let mut names: Vec<NodeId> = Vec::new();
        for part in file.children(path).filter(|part| file.kind(*part) == K::TypeIdentifier) {
            names.push(part);
            if part == node {
                break;
            }
        }
        Self::classified(self.classifier_of_path(file, &names))
    }

    fn classified(found: Classifier) -> NameResolution {
        match found {
            Classifier::Declared(id) => NameResolution::certain(vec![id]),
            Classifier::External(_) => NameResolution::certain(Vec::new()),
            Classifier::Unknown | Classifier::Java(_) => NameResolution {
                declarations: Vec::new(),
                certainty: Certainty::Likely,
                may_be_other: false,
                java_class: None,
            },
        }
    }

    /// Resolves the name of an argument to the parameters that the call gives it to.
    fn resolve_argument(&self, file: &ProjectFile, argument: NodeId, name: &str) -> NameResolution {
        let holder = file.ancestors(argument).find(|above| {
            matches!(
                file.kind(*above),
                K::CallSuffix | K::ConstructorInvocation | K::ConstructorDelegationCall | K::EnumEntry
            )
        });
        let Some(holder) = holder else { return NameResolution::unknown() };
        let arguments = Arguments::of(file, holder);
        let Some(mut call) = self.call_of_suffix(file, holder, &arguments) else {
            return NameResolution::unknown();
        };
        if call.candidates.is_empty() && !call.may_be_other {
            call = self.unbound_call(file, holder, &arguments).unwrap_or(call);
        }
        let mut declarations = Vec::new();
        for member in &call.candidates {
            let parameters = self.parameters(member.declaration);
            let meant = parameters.iter().filter(|parameter| parameter.name == name);
            declarations.extend(meant.map(|parameter| parameter.declaration));
        }
        NameResolution {
            declarations,
            certainty: call.certainty,
            may_be_other: call.may_be_other,
            java_class: None,
        }
    }
}

pub(super) fn is_argument_name(file: &SourceFile, argument: NodeId, node: NodeId) -> bool {
    let mut parts = file.children(argument).filter(|part| file.kind(*part) != K::Annotation);
    parts.next() == Some(node) && parts.next().is_some_and(|next| file.kind(next) == K::AssignToken)
}
