//! References (`::open`, `Shop::size`) whose name is read or printed: where they stand, or in what they are given to.

use super::applicability::pair_arguments;
use super::callables::Arguments;
use super::calls::{call_of_callee, callee_name};
use super::declarations::DeclarationKind;
use super::lookup::NameUse;
use super::names_in_texts::imported_name;
use super::scopes::is_class_body;
use super::source_file::SourceFile;
use super::ty::Type;
use super::type_references::type_node;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Members of a reference that are, or hold, its name.
const NAMES: [&str; 2] = ["name", "toString"];

/// Members of a reference that use what it means.
const USING: [&str; 8] = ["get", "set", "invoke", "call", "callBy", "getter", "setter", "isInitialized"];

impl Universe<'_> {
    /// Whether the name of a reference, which stands at a range, is read or printed.
    pub fn is_reference_read(&self, key: FileKey, range: TextRange) -> bool {
        let Some(file) = self.file(key) else { return false };
        let Some(node) = file.identifier_at(range) else { return false };
        let Some(above) = file.parent(node) else { return false };
        self.steps.set(0);
        let reference = match file.kind(above) {
            K::CallableReference => Some(above),
            K::NavigationSuffix if file.child(above, K::Reference).is_some() => file.parent(above),
            _ => None,
        };
        reference.is_some_and(|reference| self.is_read_from(&file, reference))
    }

    fn is_read_from(&self, file: &ProjectFile, reference: NodeId) -> bool {
        let Some(above) = file.parent(reference) else { return false };
        match file.kind(above) {
            K::ParenthesizedExpression => self.is_read_from(file, above),
            K::InterpolatedExpression | K::AdditiveExpression | K::InfixExpression => true,
            // The grammar takes what follows for a part of the reference's row.
            K::NavigationExpression => self.is_read_behind(file, above, reference),
            K::ValueArgument => self.is_read_by_call(file, above, reference),
            K::PropertyDeclaration => {
                let Some(variable) = file.child(above, K::VariableDeclaration) else { return false };
                let name = file.child(variable, K::SimpleIdentifier).map(|name| file.name_text(name));
                let is_function =
                    type_node(file, variable).is_some_and(|ty| file.kind(ty) == K::FunctionType);
                let around = file.parent(above).unwrap_or(above);
                let is_seen_elsewhere =
                    matches!(file.kind(around), K::SourceFile) || is_class_body(file, around);
                !is_function
                    && name
                        .is_some_and(|name| is_seen_elsewhere || is_name_read(file, around, (name, variable)))
            }
            _ => false,
        }
    }

    /// Whether what follows a reference and a dot is its name, or an extension of the project that reads it.
    fn is_read_behind(&self, file: &ProjectFile, row: NodeId, reference: NodeId) -> bool {
        let Some(suffix) = file.children(row).find(|part| *part > reference) else { return false };
        let Some(name) = file.child(suffix, K::SimpleIdentifier) else { return false };
        if NAMES.contains(&imported_name(file, name)) {
            return true;
        }
        let call = call_of_callee(file, row).and_then(|call| file.child(call, K::CallSuffix));
        let arguments = call.map(|suffix| Arguments::of(file, suffix));
        let wanted = arguments.as_ref().map_or(NameUse::Value, NameUse::Call);
        let found = self.named_by_suffix(file, suffix, wanted);
        found.is_some_and(|found| found.candidates.iter().any(|one| self.reads_own_name(one.declaration)))
    }

    fn reads_own_name(&self, extension: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(extension).filter(|_| !self.of_library(extension)) else {
            return false;
        };
        let whole = match declaration.kind {
            DeclarationKind::Function => declaration.node,
            _ => file.parent(declaration.node).unwrap_or(declaration.node),
        };
        let is_read = |node: NodeId| {
            matches!(file.kind(node), K::SimpleIdentifier | K::InterpolatedIdentifier)
                && NAMES.contains(&file.name_text(node))
        };
        file.tree().subtree(whole).any(is_read)
    }

    /// Whether a call reads the name of a reference that it is given, or keeps it: the library's functions where they take anything, the
    /// project's where their code does more with it than to use what it means.
    fn is_read_by_call(&self, file: &ProjectFile, argument: NodeId, reference: NodeId) -> bool {
        let suffix = file.ancestors(argument).find(|above| {
            matches!(
                file.kind(*above),
                K::CallSuffix | K::ConstructorInvocation | K::ConstructorDelegationCall
            )
        });
        let Some(suffix) = suffix else { return false };
        let arguments = Arguments::of(file, suffix);
        let Some(found) = self.call_of_suffix(file, suffix, &arguments) else { return false };
        found.candidates.iter().any(|one| {
            let parameters = self.parameters(one.declaration);
            let pairs = pair_arguments(&parameters, &arguments).unwrap_or_default();
            let Some((at, ..)) = pairs.into_iter().find(|(_, value, _)| *value == reference) else {
                return false;
            };
            let parameter = &parameters[at];
            let takes_anything = match &parameter.ty {
                Type::Parameter(_) => true,
                Type::Class(class) => self.library_class("kotlin", "Any") == Some(class.class),
                _ => false,
            };
            match &parameter.ty {
                Type::Function(_) => false,
                _ if self.of_library(one.declaration) => takes_anything,
                _ => match self.get(one.declaration) {
                    Some((declared_in, declaration)) if declaration.kind == DeclarationKind::Function => {
                        let node = self.get(parameter.declaration).map(|(_, parameter)| parameter.node);
                        node.is_some_and(|node| {
                            is_name_read(&declared_in, declaration.node, (&parameter.name, node))
                        })
                    }
                    _ => true,
                },
            }
        })
    }
}

/// Whether code does more with a variable that holds a reference than to use what it means.
fn is_name_read(file: &SourceFile, within: NodeId, (name, declared): (&str, NodeId)) -> bool {
    let is_use = |node: &NodeId| {
        matches!(file.kind(*node), K::SimpleIdentifier | K::InterpolatedIdentifier)
            && file.name_text(*node) == name
            && file.parent(*node) != Some(declared)
    };
    file.tree().subtree(within).filter(is_use).any(|node| {
        let Some(above) = file.parent(node) else { return false };
        match file.kind(above) {
            K::NavigationExpression if file.children(above).next() == Some(node) => {
                let suffix = file.children(above).find(|part| *part > node);
                let member = suffix.and_then(|suffix| file.child(suffix, K::SimpleIdentifier));
                !member.is_some_and(|member| USING.contains(&file.name_text(member)))
            }
            // It is called, or another one's member or argument has the name.
            K::CallExpression => callee_name(file, node).is_none(),
            K::NavigationSuffix => false,
            _ => true,
        }
    })
}
