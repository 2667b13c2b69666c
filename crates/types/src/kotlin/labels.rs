//! What labels mean: `this@Outer`, `return@forEach`, `super@Outer`. A label names the class or function around it, or
//! the function that a lambda is passed to. A label that is attached in the code (`outer@ for (…)`) names no declaration.

use super::calls::{callee_name, callee_of, is_binary};
use super::declarations::is_class_node;
use super::resolve::NameResolution;
use super::scopes::property_of_detached;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What a lambda's or an anonymous function's label is made from.
#[derive(Clone, Copy)]
enum LambdaLabel {
    /// A label before it: `next@{ … }`.
    Attached(NodeId),
    /// The name of the function in the call that it is passed to.
    Callee(NodeId),
}

/// What a label is used for.
#[derive(Clone, Copy, PartialEq)]
enum LabelUse {
    Return,
    This,
    Super,
}

impl Universe<'_> {
    /// Resolves a label, or the name in `this@name` and `super@name`.
    pub(super) fn resolve_label(&self, file: &ProjectFile, label: NodeId) -> NameResolution {
        let Some(named) = use_of(file, label) else { return NameResolution::certain(Vec::new()) };
        let name = label_name(file, label);
        // What lambdas mean further in that may have an object of their own for `this`.
        let mut perhaps: Option<Vec<DeclarationId>> = None;
        for around in file.ancestors(label) {
            let lambda = lambda_label(file, around).filter(|one| one.name(file) == name);
            if let Some(lambda) = lambda.filter(|_| named != LabelUse::Super) {
                let of_lambda = || match lambda {
                    LambdaLabel::Attached(_) => NameResolution::certain(Vec::new()),
                    LambdaLabel::Callee(callee) => self.resolve_identifier(file, callee),
                };
                let is_meant =
                    if named == LabelUse::Return { Some(true) } else { self.has_receiver(file, around) };
                match is_meant {
                    Some(true) if perhaps.is_none() => return of_lambda(),
                    Some(false) => {}
                    _ => perhaps.get_or_insert_default().extend(of_lambda().declarations),
                }
            }
            if let Some(number) = named_by_label(file, around, named)
                && file.name_of(number) == name
            {
                let declared = DeclarationId::new(file.key, number);
                return match perhaps {
                    None => NameResolution::certain(vec![declared]),
                    Some(further_in) => NameResolution::possible([further_in, vec![declared]].concat()),
                };
            }
        }
        match perhaps {
            Some(found) if !found.is_empty() => NameResolution::possible(found),
            _ => NameResolution::unknown(),
        }
    }

    /// Returns the name that a lambda's label has.
    pub(super) fn lambda_label(&self, file: &ProjectFile, lambda: NodeId) -> Option<String> {
        Some(lambda_label(file, lambda)?.name(file).to_owned())
    }

    /// Whether a lambda or an anonymous function has an object of its own for `this`; `None` where that is not known.
    pub(super) fn has_receiver(&self, file: &ProjectFile, function: NodeId) -> Option<bool> {
        if file.kind(function) == K::AnonymousFunction {
            return Some(file.child(function, K::ReceiverType).is_some());
        }
        match self.expected_lambda(file, function) {
            Type::Function(expected) => Some(expected.receiver.is_some()),
            Type::Nothing => Some(false),
            _ => None,
        }
    }
}

impl LambdaLabel {
    fn name(self, file: &SourceFile) -> &str {
        match self {
            LambdaLabel::Attached(label) => label_name(file, label),
            LambdaLabel::Callee(callee) => file.name_text(callee),
        }
    }
}

/// Returns what a label is used for; `None` where it is attached (`name@`), and where it names a loop.
fn use_of(file: &SourceFile, label: NodeId) -> Option<LabelUse> {
    let parent = file.parent(label)?;
    match file.kind(parent) {
        K::ThisExpression => Some(LabelUse::This),
        K::SuperExpression => Some(LabelUse::Super),
        // The keyword and its `@` are one token.
        K::JumpExpression if file.text_of(parent).starts_with("return@") => Some(LabelUse::Return),
        _ => None,
    }
}

/// Returns the label of a lambda or an anonymous function; `None` where it has none, and for another node.
fn lambda_label(file: &SourceFile, function: NodeId) -> Option<LambdaLabel> {
    if !matches!(file.kind(function), K::LambdaLiteral | K::AnonymousFunction) {
        return None;
    }
    let holder = file.parent(function)?;
    let before = file.children(holder).take_while(|child| *child < function).last();
    if let Some(label) = before.filter(|before| file.kind(*before) == K::Label) {
        return Some(LambdaLabel::Attached(label));
    }
    let mut child = function;
    for above in file.ancestors(function) {
        match file.kind(above) {
            K::CallExpression => return callee_name(file, callee_of(file, above)?).map(LambdaLabel::Callee),
            // `receiver name { … }`
            K::InfixExpression if file.children(above).last() == Some(child) => {
                return file.children(above).nth(1).map(LambdaLabel::Callee);
            }
            // A value that is kept, or one side of an operator, is passed to nothing.
            K::Statements | K::FunctionBody | K::PropertyDeclaration | K::Assignment => return None,
            kind if is_binary(kind) => return None,
            _ => child = above,
        }
    }
    None
}

/// Returns the declaration that a node is, if a label of this use can name it.
fn named_by_label(file: &SourceFile, node: NodeId, named: LabelUse) -> Option<usize> {
    let extends = |declaration: NodeId| file.child(declaration, K::ReceiverType).is_some();
    let of_property = |property: NodeId| {
        let variable = file.child(property, K::VariableDeclaration).filter(|_| extends(property))?;
        file.declaration_of(variable)
    };
    match (file.kind(node), named) {
        (K::FunctionDeclaration, LabelUse::Return) => file.declaration_of(node),
        (K::FunctionDeclaration, LabelUse::This) if extends(node) => file.declaration_of(node),
        (K::PropertyDeclaration, LabelUse::This) => of_property(node),
        (K::Getter | K::Setter, LabelUse::This) => of_property(property_of_detached(file, node)?),
        (_, LabelUse::This | LabelUse::Super) if is_class_node(file, node) => file.declaration_of(node),
        _ => None,
    }
}

fn label_name(file: &SourceFile, label: NodeId) -> &str {
    file.text_of(label).trim_end_matches('@').trim_matches('`')
}
