//! Classes: their type parameters, their supertypes, their members.

use std::sync::Arc;

use super::callables::property_node;
use super::declarations::DeclarationKind;
use super::result_extent::ResultExtent;
use super::substitution::Substitution;
use super::ty::Type;
use super::type_references::is_type;
use super::universe::{DeclarationId, Universe};
use symd_syntax::kotlin::KotlinNode as K;

/// All classes above a class.
#[derive(Debug)]
pub(super) struct Supertypes {
    /// Nearest first; each with what its type parameters stand for, in terms of the class's own.
    pub(super) classes: Vec<(DeclarationId, Substitution)>,
    /// The function types among them.
    pub(super) functions: Vec<Type>,
    /// The qualified names of those outside the project and the library; what is above them is not known.
    pub(super) outside: Vec<Arc<str>>,
    /// Whether all of them are known.
    pub(super) is_complete: bool,
    /// Whether one that is not known may be a class of the project.
    pub(super) may_lack_own: bool,
}

/// A member of a type, with what type parameters stand for in it.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) declaration: DeclarationId,
    pub(super) substitution: Substitution,
}

impl Member {
    /// A declaration whose type parameters stand for nothing that is known.
    pub(super) fn new(declaration: DeclarationId) -> Member {
        Member { declaration, substitution: Substitution::default() }
    }
}

/// The members of a type that have a name.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Nearest first; those that are overridden by a nearer one are left out.
    pub(super) found: Vec<Member>,
    /// Whether there may be others: a supertype is not known.
    pub(super) may_be_more: bool,
}

/// What must be equal in a function and the one that it overrides.
#[derive(Debug)]
pub(super) struct CallableShape {
    parameters: Vec<Type>,
    /// Of an extension.
    receiver: Option<Type>,
}

/// How many supertypes are followed.
const MAX_SUPERTYPES: usize = 200;

impl Universe<'_> {
    /// Returns the type parameters of a class, function, property or alias.
    pub(super) fn type_parameters(&self, id: DeclarationId) -> Vec<DeclarationId> {
        let Some((file, declaration)) = self.get(id) else { return Vec::new() };
        let node = match declaration.kind {
            // A constructor has those of its class.
            DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor => declaration.scope,
            _ => property_node(&file, declaration.node),
        };
        let is_it = |number: &usize| file.declarations[*number].kind == DeclarationKind::TypeParameter;
        file.all_in_scope(node).filter(is_it).map(|number| DeclarationId::new(id.file, number)).collect()
    }

    /// Returns the type of `this` in a class.
    pub(super) fn self_type(&self, class: DeclarationId) -> Type {
        let class = self.representative(class);
        Type::class(class, self.type_parameters(class).into_iter().map(Type::Parameter).collect())
    }

    /// Returns the supertypes that the head of a class names.
    pub(super) fn direct_supertypes(&self, class: DeclarationId) -> Vec<Type> {
        let Some((file, declaration)) = self.get(class) else { return Vec::new() };
        let mut types = Vec::new();
        for specifier in file.children(declaration.node) {
            if file.kind(specifier) != K::DelegationSpecifier {
                continue;
            }
            let inner = file.children(specifier).find_map(|child| match file.kind(child) {
                K::ConstructorInvocation | K::ExplicitDelegation => {
                    file.children(child).find(|part| is_type(file.kind(*part)))
                }
                kind => is_type(kind).then_some(child),
            });
            // A class inherits what it extends, of which its own type tells not all.
            types.push(inner.map_or(Type::Unknown, |inner| self.written_type(&file, inner).without_view()));
        }
        match declaration.kind {
            DeclarationKind::EnumClass => {
                let base = self.library_class("kotlin", "Enum");
                types.extend(base.map(|base| Type::class(base, vec![Type::class(class, Vec::new())])));
            }
            DeclarationKind::EnumEntry => {
                let of = file.declaration_of(declaration.scope);
                types
                    .extend(of.map(|number| Type::class(DeclarationId::new(class.file, number), Vec::new())));
            }
            _ => {}
        }
        types
    }

    /// Returns a class of the library.
    pub(super) fn library_class(&self, package: &str, name: &str) -> Option<DeclarationId> {
        let mut found = self.in_package(package, name).into_iter();
        found.find(|id| self.kind(*id).is_some_and(DeclarationKind::is_class))
    }

    /// Returns the type of a class of the library; unknown when it is not listed.
    pub(super) fn library_type(&self, package: &str, name: &str, arguments: Vec<Type>) -> Type {
        self.library_class(package, name).map_or(Type::Unknown, |class| Type::class(class, arguments))
    }

    /// Returns all classes above a class.
    pub(super) fn ancestors(&self, class: DeclarationId) -> Arc<Supertypes> {
        let memo = &self.findings.supertypes;
        if let Some(known) = self.known(memo, &class) {
            return known;
        }
        let (found, extent) = self.cuts.noting(|| Arc::new(self.find_ancestors(class)));
        memo.keep(class, found.clone(), extent == ResultExtent::Whole);
        found
    }

    /// Iterates over the classes above a class that are no interfaces, nearest first: those whose nested classes and companions it
    /// names without their name.
    pub(super) fn superclasses(&self, class: DeclarationId) -> impl Iterator<Item = DeclarationId> {
        let is_class = |above: &DeclarationId| self.kind(*above) != Some(DeclarationKind::Interface);
        self.classes_above(class).filter(is_class)
    }

    /// Iterates over all classes above a class, nearest first.
    pub(super) fn classes_above(&self, class: DeclarationId) -> impl Iterator<Item = DeclarationId> + use<> {
        let above = self.ancestors(class);
        (0..above.classes.len()).map(move |at| above.classes[at].0)
    }

    /// Whether a class is known to be below another one; `expect` and `actual` are one class.
    pub(super) fn is_below(&self, class: DeclarationId, above: DeclarationId) -> bool {
        let above = self.representative(above);
        let ancestors = self.ancestors(class);
        ancestors.classes.iter().any(|(class, _)| self.representative(*class) == above)
    }

    fn find_ancestors(&self, class: DeclarationId) -> Supertypes {
        let mut all = Supertypes {
            classes: Vec::new(),
            functions: Vec::new(),
            outside: Vec::new(),
            is_complete: true,
            may_lack_own: false,
        };
        let mut open = vec![(class, Substitution::default())];
        let mut at = 0;
        while let Some((next, substitution)) = open.get(at).cloned() {
            at += 1;
            if at > MAX_SUPERTYPES {
                all.is_complete = false;
                all.may_lack_own = true;
                break;
            }
            let mut direct = self.direct_supertypes(next);
            for other in self.counterparts(next).iter() {
                direct.extend(self.direct_supertypes(*other));
            }
            for ty in direct {
                match substitution.apply(&ty) {
                    Type::Class(above) => {
                        if open.iter().any(|(known, _)| *known == above.class) {
                            continue;
                        }
                        open.push((above.class, self.given(above.class, &above.arguments)));
                    }
                    // A class outside the project has no supertype in it.
                    Type::External(outside) => {
                        all.is_complete = false;
                        all.outside.push(outside.name.clone());
                    }
                    function @ Type::Function(_) => all.functions.push(function),
                    _ => {
                        all.is_complete = false;
                        all.may_lack_own = true;
                    }
                }
            }
        }
        all.classes = open.split_off(1.min(open.len()));
        if let Some(any) = self.library_class("kotlin", "Any")
            && any != class
            && !all.classes.iter().any(|(known, _)| *known == any)
        {
            all.classes.push((any, Substitution::default()));
        }
        all
    }

    /// Returns what the type parameters of a class, in each of its declarations, stand for.
    fn given(&self, class: DeclarationId, arguments: &[Type]) -> Substitution {
        let mut given = Substitution::new(&self.type_parameters(class), arguments);
        for other in self.counterparts(class).iter() {
            for (number, parameter) in self.type_parameters(*other).into_iter().enumerate() {
                given.bind(parameter, arguments.get(number).cloned().unwrap_or(Type::Unknown));
            }
        }
        given
    }

    /// Returns the members of a type that are called `name`, and fit.
    pub(super) fn members(&self, ty: &Type, name: &str, fits: &dyn Fn(DeclarationKind) -> bool) -> Members {
        match ty {
            Type::Class(class) => {
                let own = self.given(class.class, &class.arguments);
                self.members_of_class(class.class, &own, name, fits)
            }
            Type::Parameter(parameter) => {
                let mut all = Members::default();
                for bound in self.bounds(*parameter) {
                    let members = self.members(&bound, name, fits);
                    all.found.extend(members.found);
                    all.may_be_more |= members.may_be_more;
                }
                all
            }
            Type::Both(both) => {
                let (mut near, far) = (self.members(&both.0, name, fits), self.members(&both.1, name, fits));
                let is_new = |one: &Member| {
                    let known = near.found.iter().map(|known| known.declaration);
                    known
                        .into_iter()
                        .all(|known| known != one.declaration && !self.hides(known, one.declaration))
                };
                let more: Vec<Member> = far.found.into_iter().filter(is_new).collect();
                near.found.extend(more);
                near.may_be_more |= far.may_be_more;
                near
            }
            Type::Integer => self.members(&self.library_type("kotlin", "Int", Vec::new()), name, fits),
            Type::Nothing | Type::Null => Members::default(),
            Type::Function(_) => self.members(&self.library_type("kotlin", "Any", Vec::new()), name, fits),
            Type::External(_) | Type::LikelyExternal(_) | Type::Java(_) | Type::Unknown => {
                Members { found: Vec::new(), may_be_more: true }
            }
        }
    }

    /// Returns the upper bounds of a type parameter; `Any` where none is written.
    pub(super) fn bounds(&self, parameter: DeclarationId) -> Vec<Type> {
        if self.get(parameter).is_none() {
            return vec![Type::Unknown];
        }
        let mut bounds = self.written_bounds(parameter);
        if bounds.is_empty() {
            bounds.push(self.library_type("kotlin", "Any", Vec::new()));
        }
        bounds
    }

    /// Returns the bounds that are written of a type parameter.
    pub(super) fn written_bounds(&self, parameter: DeclarationId) -> Vec<Type> {
        let Some((file, declaration)) = self.get(parameter) else { return Vec::new() };
        let mut bounds: Vec<Type> = self.type_in(&file, declaration.node).into_iter().collect();
        let name = file.name_of(parameter.number());
        if let Some(constraints) = file.child(declaration.scope, K::TypeConstraints) {
            for constraint in file.children(constraints) {
                let is_of_it =
                    file.child(constraint, K::TypeIdentifier).is_some_and(|of| file.name_text(of) == name);
                if is_of_it {
                    bounds.extend(self.type_in(&file, constraint));
                }
            }
        }
        bounds
    }

    fn members_of_class(
        &self,
        class: DeclarationId,
        own: &Substitution,
        name: &str,
        fits: &dyn Fn(DeclarationKind) -> bool,
    ) -> Members {
        let above = self.ancestors(class);
        let mut members = Members { found: Vec::new(), may_be_more: !above.is_complete };
        let first = [(class, None)];
        let rest = above.classes.iter().map(|(class, substitution)| (*class, Some(substitution)));
        for (class, above) in first.into_iter().chain(rest) {
            // Few of the classes declare the name: only theirs is applied.
            let mut applied: Option<Substitution> = None;
            for declaration in self.declared_in(class, name) {
                let is_meant = self.kind(declaration).is_some_and(fits);
                if is_meant && !members.found.iter().any(|near| self.hides(near.declaration, declaration)) {
                    let applied = applied.get_or_insert_with(|| match above {
                        Some(above) => self.applied(class, above, own),
                        None => own.clone(),
                    });
                    members.found.push(Member { declaration, substitution: applied.clone() });
                }
            }
        }
        members
    }

    /// Returns what the type parameters of a class stand for where those of one below it stand for `own`.
    fn applied(&self, class: DeclarationId, above: &Substitution, own: &Substitution) -> Substitution {
        let mut applied = Substitution::default();
        let others = self.counterparts(class);
        for parameter in others.iter().copied().chain([class]).flat_map(|class| self.type_parameters(class)) {
            if let Some(ty) = above.get(parameter) {
                applied.bind(parameter, own.apply(ty));
            }
        }
        applied
    }

    /// Whether the member of a class takes the place of one that a class above it declares with its name.
    pub(super) fn hides(&self, near: DeclarationId, far: DeclarationId) -> bool {
        let (Some((near_file, near_declared)), Some((far_file, far_declared))) =
            (self.get(near), self.get(far))
        else {
            return false;
        };
        if near_file.key == far_file.key && near_declared.scope == far_declared.scope {
            return false;
        }
        // Of classes that are no kin, a class inherits both members.
        if let (Some(inner), Some(outer)) = (self.class_of(near), self.class_of(far))
            && !self.ancestors(inner).classes.iter().any(|(above, _)| *above == self.representative(outer))
        {
            return false;
        }
        // `expect` and `actual` are one class.
        if self.is_split(near) && self.is_split(far) && self.counterparts(near).contains(&far) {
            return false;
        }
        match (near_declared.kind, far_declared.kind) {
            (DeclarationKind::Function, DeclarationKind::Function) => self.overrides_by_shape(near, far),
            (near, far) => near.is_variable() && far.is_variable(),
        }
    }

    /// Whether two functions of one name have the same receiver and parameters, as far as that is known.
    pub(super) fn overrides_by_shape(&self, near: DeclarationId, far: DeclarationId) -> bool {
        let (near, far) = (self.shape(near), self.shape(far));
        let (one, two) = (&near.parameters, &far.parameters);
        let is_same_receiver = match (&near.receiver, &far.receiver) {
            (Some(one), Some(two)) => self.may_be_same(one, two),
            (one, two) => one.is_some() == two.is_some(),
        };
        one.len() == two.len()
            && is_same_receiver
            && one.iter().zip(two.iter()).all(|(one, two)| self.may_be_same(one, two))
    }

    /// Whether the types of two parameters may be the same one.
    fn may_be_same(&self, one: &Type, two: &Type) -> bool {
        match (one, two) {
            (Type::Class(one), Type::Class(two)) => one.class == two.class,
            (Type::Function(one), Type::Function(two)) => one.parameters.len() == two.parameters.len(),
            (Type::Class(_), Type::Function(_)) | (Type::Function(_), Type::Class(_)) => false,
            (Type::Java(one), Type::Java(two)) => one == two,
            // `kotlin.Exception` is `java.lang.Exception`.
            (Type::External(one), Type::External(two)) => simple_name(&one.name) == simple_name(&two.name),
            (Type::External(outside), of @ Type::Class(_))
            | (of @ Type::Class(_), Type::External(outside)) => {
                self.may_be_same(&Type::Java(outside.name.clone()), of)
            }
            (Type::Java(outside), Type::Class(class)) | (Type::Class(class), Type::Java(outside)) => {
                // An `actual typealias` may make a class from outside of it.
                self.is_split(class.class)
                    || self.of_library(class.class) && self.name(class.class) == simple_name(outside)
            }
            _ => true,
        }
    }

    fn shape(&self, callable: DeclarationId) -> Arc<CallableShape> {
        self.remembered(&self.findings.shapes, callable, || {
            let parameters =
                self.own_parameters(callable).into_iter().map(|parameter| parameter.ty).collect();
            Arc::new(CallableShape { parameters, receiver: self.extension_receiver(callable) })
        })
    }
}

fn simple_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}
