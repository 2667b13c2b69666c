//! The types of declared variables and functions.

use super::callables::property_node;
use super::declarations::{DeclarationKind, KotlinDeclaration};
use super::lookup::NameUse;
use super::resolve::Certainty;
use super::scopes::property_of_detached;
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::ty::Type;
use super::type_references::stated_type;
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A type, as code of another language sees it.
#[derive(Clone, Debug)]
pub struct KotlinType {
    /// The class, if it is one of the project's Kotlin files.
    pub class: Option<DeclarationId>,
    /// The class's simple name; empty for a type that is not known, or none of a class.
    pub name: String,
    pub arguments: Vec<KotlinType>,
}

impl Universe<'_> {
    /// Returns the type that a declaration gives its name: of a function what it returns.
    pub(super) fn declared_type(&self, id: DeclarationId) -> Type {
        let memo = &self.findings.declared_types;
        if let Some(known) = self.known(memo, &id) {
            return known;
        }
        let Some((file, declaration)) = self.get(id) else { return Type::Unknown };
        let guard = (Work::DeclaredType, id.file, declaration.node);
        let found = self.remembered_and_guarded(memo, id, guard, || match declaration.kind {
            DeclarationKind::Function => {
                self.as_others_see(&file, &declaration, self.returned_type(&file, declaration.node))
            }
            DeclarationKind::AnonymousFunction => self.returned_type(&file, declaration.node),
            DeclarationKind::Property => {
                self.as_others_see(&file, &declaration, self.variable_type(&file, id, &declaration))
            }
            DeclarationKind::EnumEntry => {
                let of = file.declaration_of(declaration.scope);
                of.map_or(Type::Unknown, |number| {
                    Type::class(DeclarationId::new(id.file, number), Vec::new())
                })
            }
            kind if kind.is_class() => self.self_type(id),
            kind if kind.is_variable() => self.variable_type(&file, id, &declaration),
            _ => Type::Unknown,
        });
        found.unwrap_or(Type::Unknown)
    }

    /// Returns the supertype of an anonymous object that code further out than its class or file gets to see.
    fn as_others_see(&self, file: &ProjectFile, declaration: &KotlinDeclaration, ty: Type) -> Type {
        let Type::Class(of) = &ty else { return ty };
        if declaration.modifiers.is_private || self.kind(of.class) != Some(DeclarationKind::AnonymousObject) {
            return ty;
        }
        let mut around = file.ancestors(declaration.node);
        if around.any(|node| matches!(file.kind(node), K::Statements | K::FunctionBody)) {
            return ty;
        }
        match &self.direct_supertypes(of.class)[..] {
            [] => self.library_type("kotlin", "Any", Vec::new()),
            [one] => one.clone(),
            // Which of them is meant, the declaration must write.
            _ => Type::Unknown,
        }
    }

    /// Returns the type of a variable's values, or of what a function returns.
    pub fn type_of_value(&self, id: DeclarationId) -> KotlinType {
        self.shown(&self.declared_type(id))
    }

    fn shown(&self, ty: &Type) -> KotlinType {
        let unknown = KotlinType { class: None, name: String::new(), arguments: Vec::new() };
        match ty {
            Type::Class(of) => KotlinType {
                class: Some(of.class).filter(|class| !self.of_library(*class)),
                name: self.name(of.class),
                arguments: of.arguments.iter().map(|argument| self.shown(argument)).collect(),
            },
            Type::External(class) => self.shown(&Type::Java(class.name.clone())),
            Type::Java(name) => {
                KotlinType { name: name.rsplit('.').next().unwrap_or(name).to_owned(), ..unknown }
            }
            Type::Parameter(id) => KotlinType { name: self.name(*id), ..unknown },
            Type::Both(both) => self.shown(&both.0),
            _ => unknown,
        }
    }

    fn returned_type(&self, file: &ProjectFile, function: NodeId) -> Type {
        if let Some(written) = stated_type(file, function) {
            return self.written_type(file, written);
        }
        match file.child(function, K::FunctionBody).and_then(|body| initializer(file, body)) {
            Some(expression) => self.expression_type(file, expression),
            None => self.library_type("kotlin", "Unit", Vec::new()),
        }
    }

    fn variable_type(&self, file: &ProjectFile, id: DeclarationId, declaration: &KotlinDeclaration) -> Type {
        let node = declaration.node;
        if let Some(ty) = self.type_in(file, node) {
            return match declaration.modifiers.is_vararg {
                true => self.vararg_type(ty, self.is_declared_nullable(id)),
                false => ty,
            };
        }
        let Some(parent) = file.parent(node) else { return Type::Unknown };
        match file.kind(parent) {
            K::PropertyDeclaration => self.property_type(file, property_node(file, node)),
            K::MultiVariableDeclaration => {
                let parts = file.children(parent).filter(|part| file.kind(*part) == K::VariableDeclaration);
                let at = parts.take_while(|part| *part != node).count();
                let whole = self.destructured_type(file, parent);
                self.component_type(file, node, &whole, at)
            }
            K::ForStatement => self.looped_type(file, parent),
            K::WhenSubject => file
                .children(parent)
                .last()
                .map_or(Type::Unknown, |subject| self.expression_type(file, subject)),
            K::LambdaParameters => self.lambda_parameter_type(file, node),
            // The parameter of a setter.
            K::Setter => {
                let number = property_of_detached(file, parent)
                    .or_else(|| file.parent(parent))
                    .and_then(|property| file.child(property, K::VariableDeclaration))
                    .and_then(|variable| file.declaration_of(variable));
                number.map_or(Type::Unknown, |number| {
                    let property = DeclarationId::new(id.file, number);
                    if property == id { Type::Unknown } else { self.declared_type(property) }
                })
            }
            _ => Type::Unknown,
        }
    }

    fn looped_type(&self, file: &ProjectFile, statement: NodeId) -> Type {
        let subject = file.children(statement).skip_while(|part| file.kind(*part) != K::InToken).nth(1);
        subject.map_or(Type::Unknown, |subject| {
            let ty = self.expression_type(file, subject);
            self.element_type(file, statement, &ty)
        })
    }

    /// Returns the type of the value that a list of variables takes apart.
    pub(super) fn destructured_type(&self, file: &ProjectFile, list: NodeId) -> Type {
        let Some(holder) = file.parent(list) else { return Type::Unknown };
        match file.kind(holder) {
            K::PropertyDeclaration | K::DestructuringDeclaration => {
                initializer(file, holder).map_or(Type::Unknown, |value| self.expression_type(file, value))
            }
            K::ForStatement => self.looped_type(file, holder),
            K::LambdaParameters => self.lambda_parameter_type(file, list),
            _ => Type::Unknown,
        }
    }

    fn lambda_parameter_type(&self, file: &ProjectFile, parameter: NodeId) -> Type {
        let Some(list) = file.parent(parameter) else { return Type::Unknown };
        let Some(lambda) = file.parent(list) else { return Type::Unknown };
        let own = file.children(list).filter(|one| super::applicability::is_lambda_parameter(file, *one));
        let at = own.take_while(|one| *one != parameter).count();
        match self.expected_lambda(file, lambda) {
            Type::Function(function) => function.parameters.get(at).cloned().unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        }
    }

    fn property_type(&self, file: &ProjectFile, property: NodeId) -> Type {
        if let Some(value) = initializer(file, property) {
            return match self.expression_type(file, value) {
                Type::Integer => self.library_type("kotlin", "Int", Vec::new()),
                ty => ty,
            };
        }
        if let Some(delegate) = file.child(property, K::PropertyDelegate) {
            let value = file.children(delegate).last();
            let ty = value.map_or(Type::Unknown, |value| self.expression_type(file, value));
            return self.delegated_type(file, delegate, &ty);
        }
        let Some(getter) = getter_of(file, property) else { return Type::Unknown };
        if let Some(ty) = self.type_in(file, getter) {
            return ty;
        }
        let body = file.child(getter, K::FunctionBody);
        let value = body.and_then(|body| initializer(file, body));
        value.map_or(Type::Unknown, |value| self.expression_type(file, value))
    }

    /// Returns the type of a property with a delegate of this type, or with what the delegate provides.
    fn delegated_type(&self, file: &ProjectFile, node: NodeId, delegate: &Type) -> Type {
        let provider = self.find_member(file, node, delegate, "provideDelegate", NameUse::Reference);
        let provided = match &provider.candidates[..] {
            [] => None,
            [one] if provider.certainty > Certainty::Possible => Some(self.member_type(one, Some(delegate))),
            _ => return Type::Unknown,
        };
        let delegate = provided.as_ref().unwrap_or(delegate);
        let lookup = self.find_member(file, node, delegate, "getValue", NameUse::Reference);
        match &lookup.candidates[..] {
            [one] if lookup.certainty > Certainty::Possible => self.member_type(one, Some(delegate)),
            _ => Type::Unknown,
        }
    }

    /// Returns the type of the elements that a loop over a value of this type takes.
    pub(super) fn element_type(&self, file: &ProjectFile, node: NodeId, ty: &Type) -> Type {
        if self.is_looped_outside(file, node, ty) {
            return Type::foreign();
        }
        let iterator = self.member_call_type(file, node, ty, "iterator", &[]);
        self.member_call_type(file, node, &iterator, "next", &[])
    }

    /// Returns the type of one part of a destructured value; parts are counted from 0.
    fn component_type(&self, file: &ProjectFile, node: NodeId, ty: &Type, at: usize) -> Type {
        if let Type::Class(class) = ty
            && self.get(class.class).is_some_and(|(_, declaration)| declaration.modifiers.is_data)
        {
            let constructor = self.constructors(class.class).into_iter().next();
            let parameters = constructor.map_or(Vec::new(), |constructor| self.parameters(constructor));
            let own = Substitution::new(&self.type_parameters(class.class), &class.arguments);
            return parameters.get(at).map_or(Type::Unknown, |parameter| own.apply(&parameter.ty));
        }
        self.member_call_type(file, node, ty, &format!("component{}", at + 1), &[])
    }
}

/// Returns the expression after `=` in a declaration of variables or the body of a function; `None` if there is
/// no `=`.
pub(super) fn initializer(file: &SourceFile, node: NodeId) -> Option<NodeId> {
    file.children(node).skip_while(|part| file.kind(*part) != K::AssignToken).nth(1)
}

/// Returns the getter of a property.
pub(super) fn getter_of(file: &SourceFile, property: NodeId) -> Option<NodeId> {
    file.child(property, K::Getter).or_else(|| following_getter(file, property))
}

/// Returns a getter that the grammar parsed apart from its property.
fn following_getter(file: &SourceFile, property: NodeId) -> Option<NodeId> {
    let parent = file.parent(property)?;
    let next = file.children(parent).find(|sibling| *sibling > property)?;
    (file.kind(next) == K::Getter).then_some(next)
}
