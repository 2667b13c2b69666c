//! The scopes around a node, from the inside out. Invariant: a scope tells only which names it may bind;
//! whether one is visible at the node is asked of it.

use super::declarations::{DeclarationKind, is_class_node};
use super::question_memos::Levels;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A scope around a node. The file's own level follows the last one.
#[derive(Clone, Debug)]
pub(super) enum Level {
    /// Locals, parameters and local functions that belong to `scope`, seen from its child `child`.
    Names { scope: NodeId, child: NodeId },
    /// The parameter `it` of a lambda that names no parameters and may take one.
    It { lambda: NodeId },
    /// What `field` means in an accessor: where the value of the property is kept.
    Field { property: DeclarationId },
    /// An object whose members need no receiver, with the label that `this@label` names it by.
    Receiver { ty: Type, label: Option<String> },
    /// Companions, nested classes and entries of a class.
    Statics { class: DeclarationId },
}

impl Universe<'_> {
    /// Returns the scopes around a node.
    pub(super) fn levels(&self, file: &ProjectFile, node: NodeId) -> Levels {
        // All parts of an expression see the same.
        let mut whole = node;
        while let Some(above) = file.parent(whole).filter(|above| is_plain_expression(file.kind(*above))) {
            whole = above;
        }
        self.known_levels_or((file.key, whole), || self.find_levels(file, whole).into())
    }

    /// Whether a name is `field` in an accessor.
    pub(super) fn is_kept_value(&self, file: &ProjectFile, node: NodeId, name: &str) -> bool {
        let is_field = |level: &Level| matches!(level, Level::Field { .. });
        name == "field" && self.levels(file, node).iter().any(is_field)
    }

    fn find_levels(&self, file: &ProjectFile, node: NodeId) -> Vec<Level> {
        let mut levels = Vec::new();
        let mut child = node;
        // The child of the innermost class's body that the node is in.
        let mut member = None;
        let mut is_in_accessor = false;
        // Whether the objects of the classes further out can be reached.
        let mut reaches_objects = true;
        // The objects, each with the nodes between which it is `this`.
        let mut objects: Vec<(usize, NodeId, NodeId)> = Vec::new();
        let mut inner = node;
        for scope in file.ancestors(node) {
            let known = levels.len();
            match file.kind(scope) {
                K::Statements | K::ControlStructureBody => {
                    if let Some(head) = loop_before(file, scope, child) {
                        levels.push(Level::Names { scope: head, child });
                    }
                    levels.push(Level::Names { scope, child });
                }
                // The condition sees what the body declares.
                K::DoWhileStatement => {
                    let body = file.child(scope, K::ControlStructureBody).filter(|body| *body != child);
                    if let Some(block) = body.and_then(|body| file.child(body, K::Statements)) {
                        levels.push(Level::Names { scope: block, child });
                    }
                }
                K::ForStatement | K::WhenExpression | K::CatchBlock | K::SecondaryConstructor => {
                    levels.push(Level::Names { scope, child })
                }
                K::Getter | K::Setter => {
                    is_in_accessor = true;
                    if let Some(parameter) = file.child(scope, K::ParameterWithOptionalType)
                        && parameter != child
                    {
                        levels.push(Level::Names { scope, child });
                    }
                    levels.extend(kept_by_accessor(file, scope));
                    // An accessor that the grammar parsed apart from its property.
                    if let Some(property) = property_of_detached(file, scope) {
                        levels.push(Level::Names { scope: property, child: scope });
                        levels.extend(self.extended_by(file, property));
                    }
                }
                K::LambdaLiteral => self.push_lambda(file, scope, child, &mut levels),
                K::FunctionDeclaration | K::AnonymousFunction => {
                    levels.push(Level::Names { scope, child });
                    let sees_receiver =
                        matches!(file.kind(child), K::FunctionBody | K::FunctionValueParameters);
                    if let Some(number) = file.declaration_of(scope).filter(|_| sees_receiver) {
                        let id = DeclarationId::new(file.key, number);
                        if let Some(ty) = self.extension_receiver(id) {
                            levels.push(Level::Receiver { ty, label: Some(file.name_of(number).to_owned()) });
                        }
                    }
                }
                K::PropertyDeclaration => {
                    let sees_receiver =
                        matches!(file.kind(child), K::Getter | K::Setter | K::PropertyDelegate);
                    // Its context parameters.
                    if sees_receiver {
                        levels.push(Level::Names { scope, child });
                    }
                    levels.extend(self.extended_by(file, scope).filter(|_| sees_receiver));
                }
                K::ClassBody | K::EnumClassBody => member = Some(child),
                _ if is_class_node(file, scope) => {
                    let Some(number) = file.declaration_of(scope) else { continue };
                    let class = DeclarationId::new(file.key, number);
                    let is_in_body = is_class_body(file, child);
                    let is_initializer = member.is_some_and(|member| {
                        let kind = file.kind(member);
                        kind == K::AnonymousInitializer || kind == K::PropertyDeclaration && !is_in_accessor
                    });
                    if !is_in_body || is_initializer {
                        levels.push(Level::Names { scope, child });
                    }
                    // An object that is declared with a name is reached from everywhere in it.
                    let kind = file.declarations[number].kind;
                    let is_single = matches!(kind, DeclarationKind::Object | DeclarationKind::Companion);
                    if is_in_body && (reaches_objects || is_single) {
                        let label = file.name_of(number).to_owned();
                        levels.push(Level::Receiver { ty: self.self_type(class), label: Some(label) });
                    }
                    if !matches!(file.kind(child), K::DelegationSpecifier | K::PrimaryConstructor)
                        || kind != DeclarationKind::AnonymousObject
                    {
                        levels.push(Level::Statics { class });
                    }
                    reaches_objects &= keeps_outer_object(file, number);
                    member = None;
                    is_in_accessor = false;
                }
                _ => {}
            }
            let is_object = |level: &Level| matches!(level, Level::Receiver { .. });
            if let Some(at) = levels[known..].iter().position(is_object) {
                objects.push((known + at, inner, scope));
                inner = scope;
            }
            child = scope;
        }
        for (at, inner, outer) in objects.into_iter().rev() {
            // `when (this) { is Circle -> radius }`
            if let Some(narrowed) = self.narrowed_this(file, inner, outer) {
                levels.insert(at, Level::Receiver { ty: narrowed, label: None });
            }
        }
        levels
    }

    /// Returns the object that a property extends, within its accessors.
    fn extended_by(&self, file: &ProjectFile, property: NodeId) -> Option<Level> {
        let ty = self.written_type(file, file.child(property, K::ReceiverType)?);
        let label = file
            .child(property, K::VariableDeclaration)
            .and_then(|variable| file.child(variable, K::SimpleIdentifier))
            .map(|name| file.name_text(name).to_owned());
        Some(Level::Receiver { ty, label })
    }

    fn push_lambda(&self, file: &ProjectFile, lambda: NodeId, child: NodeId, levels: &mut Vec<Level>) {
        if file.kind(child) == K::LambdaParameters {
            return;
        }
        levels.push(Level::Names { scope: lambda, child });
        let expected = self.expected_lambda(file, lambda);
        let takes_nothing = match &expected {
            Type::Nothing => true,
            Type::Function(function) => function.parameters.is_empty(),
            _ => false,
        };
        if !takes_nothing && file.child(lambda, K::LambdaParameters).is_none() {
            levels.push(Level::It { lambda });
        }
        let label = || self.lambda_label(file, lambda);
        match expected {
            Type::Function(function) => {
                if let Some(receiver) = &function.receiver {
                    let label = label();
                    let ty = if receiver.is_foreign() { Type::Unknown } else { receiver.clone() };
                    levels.push(Level::Receiver { ty, label });
                }
            }
            // It may have a receiver.
            ty if ty.is_unknown() && self.has_foreign_receiver(file, lambda) => {
                levels.push(Level::Receiver { ty: Type::foreign(), label: label() });
            }
            Type::Unknown | Type::LikelyExternal(_) => {
                levels.push(Level::Receiver { ty: Type::Unknown, label: label() });
            }
            _ => {}
        }
    }
}

/// Whether nodes of this kind, with those beneath them, stand in one scope, and no condition shows more of a value in one part than in
/// another.
fn is_plain_expression(kind: K) -> bool {
    matches!(
        kind,
        K::NavigationExpression
            | K::NavigationSuffix
            | K::CallExpression
            | K::CallSuffix
            | K::ValueArguments
            | K::ValueArgument
            | K::AnnotatedLambda
            | K::IndexingExpression
            | K::IndexingSuffix
            | K::ParenthesizedExpression
            | K::AdditiveExpression
            | K::MultiplicativeExpression
            | K::ComparisonExpression
            | K::EqualityExpression
            | K::RangeExpression
            | K::InfixExpression
            | K::ElvisExpression
            | K::PrefixExpression
            | K::PostfixExpression
            | K::StringLiteral
            | K::InterpolatedExpression
            | K::SpreadExpression
    )
}

/// Returns the field of an accessor's property. What extends an object keeps no value.
fn kept_by_accessor(file: &ProjectFile, accessor: NodeId) -> Option<Level> {
    let property = property_of_detached(file, accessor).or_else(|| file.parent(accessor))?;
    if file.child(property, K::ReceiverType).is_some() {
        return None;
    }
    let number = file.declaration_of(file.child(property, K::VariableDeclaration)?)?;
    Some(Level::Field { property: DeclarationId::new(file.key, number) })
}

/// Returns the property of an accessor that the grammar parsed apart from it.
pub(super) fn property_of_detached(file: &SourceFile, accessor: NodeId) -> Option<NodeId> {
    let parent = file.parent(accessor).filter(|parent| file.kind(*parent) != K::PropertyDeclaration)?;
    let before = file.children(parent).take_while(|sibling| *sibling < accessor);
    before.filter(|sibling| file.kind(*sibling) == K::PropertyDeclaration).last()
}

/// Whether code in a class reaches the object of the class around it.
fn keeps_outer_object(file: &SourceFile, class: usize) -> bool {
    let declaration = &file.declarations[class];
    match declaration.kind {
        DeclarationKind::AnonymousObject => true,
        DeclarationKind::Class => {
            let is_local =
                !is_class_node(file, declaration.scope) && file.kind(declaration.scope) != K::SourceFile;
            is_local || declaration.modifiers.is_inner
        }
        _ => false,
    }
}

/// Iterates over the locals, parameters and local functions called `name` that `child` of `scope` sees, the
/// one that counts last.
pub(super) fn visible_names<'f>(
    file: &'f SourceFile,
    scope: NodeId,
    child: NodeId,
    name: &'f str,
) -> impl Iterator<Item = usize> + use<'f> {
    let is_visible = move |number: &usize| {
        let declaration = &file.declarations[*number];
        let kind = declaration.kind;
        match file.kind(scope) {
            // A variable is visible behind its declaration, a function in itself too.
            K::Statements | K::ControlStructureBody => {
                let node = statement_of(file, scope, declaration.node);
                node < child || node == child && !kind.is_variable()
            }
            K::ForStatement => {
                file.kind(child) == K::ControlStructureBody || file.parent(child) != Some(scope)
            }
            K::WhenExpression => file.kind(child) == K::WhenEntry,
            K::CatchBlock => declaration.node != child,
            K::LambdaLiteral => file.kind(child) == K::Statements,
            K::FunctionDeclaration
            | K::AnonymousFunction
            | K::SecondaryConstructor
            | K::PropertyDeclaration => {
                kind == DeclarationKind::Parameter
                    && !matches!(file.kind(child), K::Modifiers | K::ReceiverType)
            }
            K::Setter => true,
            // Of a class only the parameters of its primary constructor. In the class's body those declared with `val` or `var` are
            // found as members of its object instead.
            _ => {
                kind == DeclarationKind::Parameter
                    || kind == DeclarationKind::ConstructorProperty && !is_class_body(file, child)
            }
        }
    };
    file.in_scope(scope, name).filter(is_visible)
}

pub(super) fn is_class_body(file: &SourceFile, node: NodeId) -> bool {
    matches!(file.kind(node), K::ClassBody | K::EnumClassBody)
}

/// Returns the head of a loop whose body a statement is: the grammar parses them apart where the body is on a
/// line of its own, without braces.
fn loop_before(file: &SourceFile, statements: NodeId, statement: NodeId) -> Option<NodeId> {
    let before = file.children(statements).take_while(|sibling| *sibling < statement).last()?;
    let is_head =
        file.kind(before) == K::ForStatement && file.child(before, K::ControlStructureBody).is_none();
    is_head.then_some(before)
}

/// Returns the child of `scope` that holds a declaration.
fn statement_of(file: &SourceFile, scope: NodeId, node: NodeId) -> NodeId {
    let mut child = node;
    for above in file.ancestors(node) {
        if above == scope {
            return child;
        }
        child = above;
    }
    node
}
