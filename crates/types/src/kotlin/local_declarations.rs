//! What outlines leave out of a file: locals, parameters, type parameters and functions within functions, and how each is called from
//! outside.

use super::calls::{callee_name, callee_of};
use super::declarations::{DeclarationKind, is_class_node};
use super::resolve::is_argument_name;
use super::source_file::SourceFile;
use super::universe::{DeclarationId, FileKey, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A declaration around a local: its name, which of those of that name in its scope it is, and how many these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameAround {
    pub name: String,
    /// 0-based, in the order of the text.
    pub index: usize,
    pub count: usize,
}

impl SourceFile {
    /// Iterates over the declarations of a name that outlines leave out, in the order of the text.
    pub fn locals_named<'f>(&'f self, name: &'f str) -> impl Iterator<Item = usize> + use<'f> {
        (0..self.declarations.len())
            .filter(move |number| self.name_of(*number) == name && self.is_left_out(*number))
    }

    fn is_left_out(&self, number: usize) -> bool {
        use DeclarationKind as D;
        let declaration = &self.declarations[number];
        match declaration.kind {
            D::Parameter | D::Local | D::TypeParameter => declaration.name.is_some(),
            D::Function => {
                let scope = declaration.scope;
                self.kind(scope) != K::SourceFile && !is_class_node(self, scope)
            }
            _ => false,
        }
    }

    /// Whether a declaration is a parameter of the function, the constructor or the class around it.
    pub fn is_own_part(&self, number: usize) -> bool {
        let declaration = &self.declarations[number];
        let is_parameter =
            matches!(declaration.kind, DeclarationKind::Parameter | DeclarationKind::TypeParameter);
        is_parameter
            && self.declaration_of(declaration.scope).is_some_and(|around| self.name_around(around).is_some())
    }

    /// Returns the functions, classes and properties around a declaration, the outermost first. Anonymous objects are
    /// left out.
    pub fn names_around(&self, number: usize) -> Vec<NameAround> {
        let node = self.declarations[number].node;
        let around = self.ancestors(node).filter_map(|above| self.declaration_around(above));
        let mut names: Vec<NameAround> = around.filter_map(|number| self.name_around(number)).collect();
        names.reverse();
        names
    }

    /// Returns the declaration that a node around another one is, or holds: a property's statement holds its name and type.
    fn declaration_around(&self, node: NodeId) -> Option<usize> {
        use DeclarationKind as D;
        let variable = || self.declaration_of(self.child(node, K::VariableDeclaration)?);
        let number = match self.kind(node) {
            K::PropertyDeclaration => variable()?,
            _ => self.declaration_of(node)?,
        };
        let kind = self.declarations[number].kind;
        let is_named = kind.is_class() || matches!(kind, D::Function | D::SecondaryConstructor | D::Property);
        is_named.then_some(number)
    }

    fn name_around(&self, number: usize) -> Option<NameAround> {
        let declaration = &self.declarations[number];
        let name = match declaration.kind {
            DeclarationKind::SecondaryConstructor => "constructor",
            _ => self.name_of(number),
        };
        if name.is_empty() {
            return None;
        }
        let is_like = |other: &usize| self.declarations[*other].kind == declaration.kind;
        let alike: Vec<usize> = match declaration.kind {
            DeclarationKind::SecondaryConstructor => {
                self.all_in_scope(declaration.scope).filter(is_like).collect()
            }
            _ => self.in_scope(declaration.scope, name).collect(),
        };
        let index = alike.iter().position(|one| *one == number)?;
        Some(NameAround { name: name.to_owned(), index, count: alike.len() })
    }

    /// Returns the names of variables, or of functions, of a name that stand in the same scope as a local, each with its range.
    pub fn beside_local(&self, number: usize, name: &str) -> Vec<TextRange> {
        let declaration = &self.declarations[number];
        // A class has its constructor's parameters, and they have a scope of their own.
        let is_alike = |other: &usize| {
            let (one, two) = (declaration.kind, self.declarations[*other].kind);
            match one {
                DeclarationKind::Parameter => {
                    matches!(two, DeclarationKind::Parameter | DeclarationKind::ConstructorProperty)
                }
                _ => one == two,
            }
        };
        let others = self.in_scope(declaration.scope, name).filter(is_alike);
        others.filter_map(|other| self.name_range(other)).collect()
    }
}

impl Universe<'_> {
    /// Whether a declaration is a parameter that calls may name: of a function or a constructor.
    pub fn is_named_by_calls(&self, id: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(id) else { return false };
        let scope = file.kind(declaration.scope);
        let is_of_class = is_class_node(&file, declaration.scope);
        declaration.kind == DeclarationKind::Parameter
            && (is_of_class || matches!(scope, K::FunctionDeclaration | K::SecondaryConstructor))
    }

    /// Whether the function around a parameter is declared for several platforms, each with its own parameters.
    pub fn is_of_platforms(&self, id: DeclarationId) -> bool {
        let Some((file, declaration)) = self.get(id) else { return false };
        let around = std::iter::once(declaration.scope).chain(file.ancestors(declaration.scope));
        around
            .filter_map(|node| file.declaration_of(node))
            .any(|number| self.is_split(DeclarationId::new(id.file, number)))
    }

    /// Returns where the documentation of the function or class stands that a parameter belongs to.
    pub fn documentation_of(&self, id: DeclarationId) -> Option<TextRange> {
        let (file, declaration) = self.get(id)?;
        let start = file.range(declaration.scope).start;
        let before = file.slice(TextRange::new(0, start)).trim_end();
        let open = before.ends_with("*/").then(|| before.rfind("/**")).flatten()?;
        let (from, to) = (u32::try_from(open).ok()?, u32::try_from(before.len()).ok()?);
        (before[open..].find("*/") == Some(to as usize - open - 2)).then(|| TextRange::new(from, to))
    }

    /// Whether the call around an argument's name may be one of the function, or the constructor, that has a parameter: by the name of what is
    /// called, where there is one.
    pub fn may_call_function_of(&self, parameter: DeclarationId, key: FileKey, argument: TextRange) -> bool {
        let (Some((of, declaration)), Some(file)) = (self.get(parameter), self.file(key)) else {
            return true;
        };
        let Some(node) = file.identifier_at(argument) else { return true };
        let call = file.ancestors(node).find(|above| file.kind(*above) == K::CallExpression);
        let called = call.and_then(|call| callee_name(&file, callee_of(&file, call)?));
        let around = std::iter::once(declaration.scope).chain(of.ancestors(declaration.scope));
        let function = around.filter_map(|node| of.declaration_of(node)).map(|number| of.name_of(number));
        match (called, function.into_iter().find(|name| !name.is_empty())) {
            (Some(called), Some(name)) => file.name_text(called) == name,
            _ => true,
        }
    }

    /// Whether the identifier at a range names an argument: `f(size = 1)`.
    pub fn names_argument(&self, key: FileKey, range: TextRange) -> bool {
        let Some(file) = self.file(key) else { return false };
        let Some(node) = file.identifier_at(range) else { return false };
        file.parent(node)
            .is_some_and(|above| file.kind(above) == K::ValueArgument && is_argument_name(&file, above, node))
    }
}
