//! The declarations of a file, locals and parameters included, found in one pass over its tree.

use super::source_file::SourceFile;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    Class,
    Interface,
    EnumClass,
    Object,
    Companion,
    AnonymousObject,
    EnumEntry,
    TypeAlias,
    TypeParameter,
    Function,
    /// `fun(x: Int) = …` without a name.
    AnonymousFunction,
    PrimaryConstructor,
    SecondaryConstructor,
    /// A property of a class or of the file.
    Property,
    /// `val` or `var` in a primary constructor: a parameter and a property.
    ConstructorProperty,
    Parameter,
    /// A variable of a block, of a loop, a lambda, a destructuring declaration, a `when` or a `catch`.
    Local,
}

impl DeclarationKind {
    /// Whether it declares a class with members.
    pub(super) fn is_class(self) -> bool {
        use DeclarationKind as D;
        matches!(
            self,
            D::Class
                | D::Interface
                | D::EnumClass
                | D::Object
                | D::Companion
                | D::AnonymousObject
                | D::EnumEntry
        )
    }

    /// Whether its name alone is a value: `Registry.find()`.
    pub(super) fn is_object(self) -> bool {
        use DeclarationKind as D;
        matches!(self, D::Object | D::Companion | D::EnumEntry)
    }

    pub(super) fn is_function(self) -> bool {
        matches!(self, DeclarationKind::Function | DeclarationKind::AnonymousFunction)
    }

    /// Whether its name stands for a value.
    pub(super) fn is_variable(self) -> bool {
        use DeclarationKind as D;
        matches!(self, D::Property | D::ConstructorProperty | D::Parameter | D::Local)
    }

    /// Whether its name can be used as a type.
    pub(super) fn is_classifier(self) -> bool {
        use DeclarationKind as D;
        self.is_class() && !matches!(self, D::AnonymousObject | D::EnumEntry)
            || matches!(self, D::TypeAlias | D::TypeParameter)
    }
}

/// A declaration of a file.
#[derive(Clone, Debug)]
pub struct KotlinDeclaration {
    pub kind: DeclarationKind,
    /// The whole declaration; of a variable the node that holds its name and type.
    pub node: NodeId,
    /// The identifier, a child of `node`; `None` for a declaration without a name.
    pub name: Option<NodeId>,
    /// The scope that its name belongs to: a class, the file, a block, a lambda, a function.
    pub(super) scope: NodeId,
    pub(super) modifiers: Modifiers,
}

/// The modifiers that matter to what names mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modifiers {
    pub(super) is_private: bool,
    pub(super) is_protected: bool,
    /// Only where it is written.
    pub(super) is_public: bool,
    pub(super) is_internal: bool,
    pub(super) is_inner: bool,
    pub(super) is_abstract: bool,
    pub(super) is_override: bool,
    pub(super) is_vararg: bool,
    pub(super) is_operator: bool,
    pub(super) is_infix: bool,
    pub(super) is_data: bool,
    pub(super) is_expect: bool,
    pub(super) is_actual: bool,
    /// `@Deprecated(…, level = HIDDEN)`: no call means it.
    pub(super) is_hidden: bool,
    /// `@LowPriorityInOverloadResolution`: a call means it only where nothing else fits.
    pub(super) has_low_priority: bool,
}

/// Finds all declarations of a file, in the order of the text.
pub(super) fn declarations(file: &SourceFile) -> Vec<KotlinDeclaration> {
    let mut found = Vec::new();
    for node in file.tree().nodes() {
        if let Some(declaration) = declaration_at(file, node) {
            found.push(declaration);
        }
    }
    found
}

fn declaration_at(file: &SourceFile, node: NodeId) -> Option<KotlinDeclaration> {
    use DeclarationKind as D;
    let identifier = || file.child(node, K::SimpleIdentifier);
    let type_identifier = || file.child(node, K::TypeIdentifier);
    let parent = file.parent(node)?;
    let (kind, name, scope, modified) = match file.kind(node) {
        K::ClassDeclaration => {
            let kind = if file.child(node, K::InterfaceToken).is_some() {
                D::Interface
            } else if file.child(node, K::EnumToken).is_some() {
                D::EnumClass
            } else {
                D::Class
            };
            (kind, type_identifier(), owner(file, parent), node)
        }
        K::ObjectDeclaration => (D::Object, type_identifier(), owner(file, parent), node),
        K::CompanionObject => (D::Companion, type_identifier(), owner(file, parent), node),
        K::ObjectLiteral => (D::AnonymousObject, None, parent, node),
        K::EnumEntry => (D::EnumEntry, identifier(), owner(file, parent), node),
        K::TypeAlias => (D::TypeAlias, type_identifier(), owner(file, parent), node),
        K::TypeParameter => (D::TypeParameter, type_identifier(), file.parent(parent)?, node),
        K::FunctionDeclaration => (D::Function, identifier(), owner(file, parent), node),
        K::AnonymousFunction => (D::AnonymousFunction, None, parent, node),
        K::PrimaryConstructor => (D::PrimaryConstructor, None, parent, node),
        K::SecondaryConstructor => (D::SecondaryConstructor, None, owner(file, parent), node),
        K::ClassParameter => {
            let kind = match file.child(node, K::BindingPatternKind) {
                Some(_) => D::ConstructorProperty,
                None => D::Parameter,
            };
            // The primary constructor's class.
            (kind, identifier(), file.parent(parent)?, node)
        }
        K::Parameter => match file.kind(parent) {
            K::FunctionValueParameters => (D::Parameter, identifier(), file.parent(parent)?, node),
            // `context(name: Type) fun f()`: the parameter belongs to the function.
            K::ContextParameter => {
                let modifiers = file.parent(file.parent(parent)?)?;
                (D::Parameter, identifier(), file.parent(modifiers)?, node)
            }
            _ => return None,
        },
        K::ParameterWithOptionalType => (D::Parameter, identifier(), parent, node),
        K::CatchBlock => (D::Local, identifier(), node, node),
        K::VariableDeclaration => {
            let (holder, scope) = match file.kind(parent) {
                K::MultiVariableDeclaration => (file.parent(parent)?, file.parent(file.parent(parent)?)?),
                _ => (parent, file.parent(parent)?),
            };
            match file.kind(holder) {
                K::PropertyDeclaration | K::DestructuringDeclaration => {
                    let scope = owner(file, scope);
                    let is_local = !matches!(file.kind(scope), K::SourceFile) && !is_class_node(file, scope);
                    (if is_local { D::Local } else { D::Property }, identifier(), scope, holder)
                }
                // Parameters of a lambda.
                K::LambdaParameters => (D::Local, identifier(), file.parent(holder)?, node),
                K::ForStatement => (D::Local, identifier(), holder, node),
                // The subject of a `when`.
                K::WhenSubject => (D::Local, identifier(), file.parent(holder)?, node),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(KotlinDeclaration { kind, node, name, scope, modifiers: modifiers(file, modified) })
}

/// Returns the class around a body, or the node itself: the scope of what is declared directly in it.
fn owner(file: &SourceFile, node: NodeId) -> NodeId {
    match (file.kind(node), file.parent(node)) {
        (K::ClassBody | K::EnumClassBody, Some(class)) => class,
        _ => node,
    }
}

/// Whether the node declares a class, an object or an entry with members.
pub(super) fn is_class_node(file: &SourceFile, node: NodeId) -> bool {
    matches!(
        file.kind(node),
        K::ClassDeclaration | K::ObjectDeclaration | K::CompanionObject | K::ObjectLiteral | K::EnumEntry
    )
}

fn modifiers(file: &SourceFile, node: NodeId) -> Modifiers {
    let mut found = Modifiers::default();
    let direct = [K::Modifiers, K::ParameterModifiers].into_iter().find_map(|kind| file.child(node, kind));
    // The modifiers of a function's parameter stand before it, in the list.
    let before = || {
        let parent = file.parent(node)?;
        let mut siblings = file.children(parent).take_while(|sibling| *sibling < node);
        let last = siblings.by_ref().last()?;
        (file.kind(node) == K::Parameter && file.kind(last) == K::ParameterModifiers).then_some(last)
    };
    let Some(list) = direct.or_else(before) else { return found };
    for modifier in file.children(list) {
        match file.text_of(modifier) {
            "private" => found.is_private = true,
            "protected" => found.is_protected = true,
            "public" => found.is_public = true,
            "internal" => found.is_internal = true,
            "inner" => found.is_inner = true,
            "abstract" => found.is_abstract = true,
            "override" => found.is_override = true,
            "vararg" => found.is_vararg = true,
            "operator" => found.is_operator = true,
            "infix" => found.is_infix = true,
            "data" => found.is_data = true,
            "expect" => found.is_expect = true,
            "actual" => found.is_actual = true,
            text if text.starts_with("@Deprecated") && text.contains("HIDDEN") => found.is_hidden = true,
            text if text.ends_with("LowPriorityInOverloadResolution") => found.has_low_priority = true,
            _ => {}
        }
    }
    found
}
