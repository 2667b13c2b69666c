//! References (`::open`, `Shop::size`) whose name is read or printed. A name counts as read unless its reference is known to be used for what it
//! means alone: where a function is expected, where it is called, compared or delegated to, and in code that does no more with it.

use super::applicability::pair_arguments;
use super::callables::Arguments;
use super::calls::{call_of_callee, callee_name};
use super::declarations::DeclarationKind;
use super::lookup::NameUse;
use super::scopes::is_class_body;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Members of a reference that use what it means, or tell of it what is not its name.
const USING: [&str; 14] = [
    "get",
    "set",
    "invoke",
    "call",
    "callBy",
    "isInitialized",
    "isAccessible",
    "returnType",
    "visibility",
    "annotations",
    "isSuspend",
    "isConst",
    "isLateinit",
    "hashCode",
];

/// Members of a reference that are references themselves.
const ACCESSORS: [&str; 2] = ["getter", "setter"];

impl Universe<'_> {
    /// Returns where a file refers to one of declarations of one name so that the name is read or printed.
    pub fn names_read_by_references(&self, key: FileKey, to: &[DeclarationId]) -> Vec<TextRange> {
        let (Some(file), Some(first)) = (self.file(key), to.first()) else { return Vec::new() };
        let name = self.name(*first);
        let is_function = self.kind(*first) == Some(DeclarationKind::Function);
        let aliases = file.imports.iter().filter(|import| import.last_name() == name);
        let names: Vec<&str> =
            aliases.filter_map(|import| import.alias.as_deref()).chain([name.as_str()]).collect();
        let mut found = Vec::new();
        for node in file.tree().nodes() {
            if file.kind(node) != K::SimpleIdentifier || !names.contains(&file.name_text(node)) {
                continue;
            }
            self.steps.set(0);
            let Some(reference) = reference_of(&file, node) else { continue };
            let meant = self.resolve_identifier(&file, node);
            let is_meant = meant.declarations.iter().any(|one| to.contains(one));
            if is_meant
                && !(is_function && self.is_given_to_platform(&file, reference))
                && self.is_read_from(&file, reference)
            {
                found.push(file.range(node));
            }
        }
        found
    }

    fn is_read_from(&self, file: &ProjectFile, reference: NodeId) -> bool {
        let Some(above) = file.parent(reference) else { return true };
        match file.kind(above) {
            K::ParenthesizedExpression => self.is_read_from(file, above),
            // It is called, compared, or delegated to.
            K::CallExpression if file.children(above).next() == Some(reference) => false,
            K::EqualityExpression | K::PropertyDelegate => false,
            // The grammar takes what follows for a part of the reference's row.
            K::NavigationExpression => self.is_read_behind(file, above, reference),
            K::InfixExpression if self.is_object_of_function(file, above, reference) => false,
            _ if self.is_function_expected(file, reference) => false,
            K::ValueArgument => self.is_read_by_call(file, above, reference),
            K::PropertyDeclaration => is_variable_read(file, above),
            _ => true,
        }
    }

    /// Whether a function, or an object of an interface that is made of one, is expected where an expression stands.
    fn is_function_expected(&self, file: &ProjectFile, expression: NodeId) -> bool {
        let is_function = |ty: &Type| matches!(ty, Type::Function(_));
        is_function(&self.expected_of_value(file, expression, expression))
            || is_function(&self.as_function(self.expected_type(file, expression)))
    }

    /// Whether an infix function extends functions, of which the reference before it is one.
    fn is_object_of_function(&self, file: &ProjectFile, infix: NodeId, reference: NodeId) -> bool {
        let parts: Vec<NodeId> = file.children(infix).collect();
        let [left, name, _] = parts[..] else { return false };
        let found = self.resolve_identifier(file, name);
        left == reference && !found.may_be_other && self.extend_functions(&found.declarations)
    }

    fn extend_functions(&self, called: &[DeclarationId]) -> bool {
        let extends = |id: &DeclarationId| matches!(self.extension_receiver(*id), Some(Type::Function(_)));
        !called.is_empty() && called.iter().all(extends)
    }

    /// Whether what follows a reference and a dot may read its name.
    fn is_read_behind(&self, file: &ProjectFile, row: NodeId, reference: NodeId) -> bool {
        let Some(suffix) = file.children(row).find(|part| *part > reference) else { return true };
        let Some(name) = file.child(suffix, K::SimpleIdentifier) else { return true };
        let member = file.name_text(name);
        if USING.contains(&member) {
            return false;
        }
        if ACCESSORS.contains(&member) {
            return self.is_read_from(file, row);
        }
        let call = call_of_callee(file, row).and_then(|call| file.child(call, K::CallSuffix));
        let arguments = call.map(|suffix| Arguments::of(file, suffix));
        let wanted = arguments.as_ref().map_or(NameUse::Value, NameUse::Call);
        let found = self.named_by_suffix(file, suffix, wanted);
        let called = found.map_or(Vec::new(), |found| found.candidates);
        let called: Vec<DeclarationId> = called.iter().map(|one| one.declaration).collect();
        !self.extend_functions(&called)
    }

    /// Whether a call may read the name of a reference that it is given, or keep it: unless it means functions of the project whose own
    /// code does no more with it than to use what it means.
    fn is_read_by_call(&self, file: &ProjectFile, argument: NodeId, reference: NodeId) -> bool {
        let suffix = file.ancestors(argument).find(|above| {
            matches!(
                file.kind(*above),
                K::CallSuffix | K::ConstructorInvocation | K::ConstructorDelegationCall | K::EnumEntry
            )
        });
        let Some(suffix) = suffix else { return true };
        let arguments = Arguments::of(file, suffix);
        let Some(found) = self.call_of_suffix(file, suffix, &arguments) else { return true };
        found.may_be_other
            || found.candidates.is_empty()
            || found.candidates.iter().any(|one| {
                let parameters = self.parameters(one.declaration);
                let pairs = pair_arguments(&parameters, &arguments).unwrap_or_default();
                let given = pairs.into_iter().find(|(_, value, _)| *value == reference);
                given.is_none_or(|(at, ..)| {
                    self.is_parameter_read(
                        one.declaration,
                        (&parameters[at].name, parameters[at].declaration),
                    )
                })
            })
    }

    /// Whether a function may do more with the reference that a parameter is given than to use what it means.
    fn is_parameter_read(&self, function: DeclarationId, (name, id): (&str, DeclarationId)) -> bool {
        let Some((file, declaration)) = self.get(function).filter(|_| self.is_alone(function)) else {
            return true;
        };
        let Some((_, parameter)) = self.get(id) else { return true };
        is_name_read(&file, declaration.node, (name, parameter.node))
    }

    /// Whether the code of a function of the project is what its calls run: it has a body, and nothing overrides it.
    fn is_alone(&self, function: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(function).filter(|_| !self.of_library(function)) else {
            return false;
        };
        let is_in_class = self.class_of(function).is_some();
        let is_final = !is_in_class
            || declaration.modifiers.is_private
            || !declaration.modifiers.is_override
                && !has_modifier(&file, declaration.node, "open")
                && self.class_of(function).and_then(|class| self.kind(class))
                    != Some(DeclarationKind::Interface);
        declaration.kind == DeclarationKind::Function
            && is_final
            && !self.is_split(function)
            && file.child(declaration.node, K::FunctionBody).is_some()
    }
}

/// Returns the reference that a name stands in.
fn reference_of(file: &SourceFile, name: NodeId) -> Option<NodeId> {
    let above = file.parent(name)?;
    match file.kind(above) {
        K::CallableReference => Some(above),
        K::NavigationSuffix if file.child(above, K::Reference).is_some() => file.parent(above),
        _ => None,
    }
}

fn has_modifier(file: &SourceFile, node: NodeId, modifier: &str) -> bool {
    let modifiers = file.child(node, K::Modifiers);
    modifiers.is_some_and(|list| file.children(list).any(|one| file.text_of(one) == modifier))
}

/// Whether the name of a reference that a variable is declared with may be read of it: it is seen elsewhere, or its own scope does more.
fn is_variable_read(file: &SourceFile, property: NodeId) -> bool {
    let Some(variable) = file.child(property, K::VariableDeclaration) else { return true };
    let Some(name) = file.child(variable, K::SimpleIdentifier) else { return true };
    let around = file.parent(property).unwrap_or(property);
    let is_seen_elsewhere = matches!(file.kind(around), K::SourceFile) || is_class_body(file, around);
    is_seen_elsewhere || is_name_read(file, around, (file.name_text(name), variable))
}

/// Whether code does more with a variable that holds a reference than to use what it means.
fn is_name_read(file: &SourceFile, within: NodeId, (name, declared): (&str, NodeId)) -> bool {
    let is_use = |node: &NodeId| {
        matches!(file.kind(*node), K::SimpleIdentifier | K::InterpolatedIdentifier)
            && file.name_text(*node) == name
            && file.parent(*node) != Some(declared)
    };
    file.tree().subtree(within).filter(is_use).any(|node| {
        let Some(above) = file.parent(node) else { return true };
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
