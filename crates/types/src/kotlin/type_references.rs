//! What a written type means.

use std::sync::Arc;

use super::declarations::DeclarationKind;
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::ty::{FunctionType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What a name means where a type or a qualifier may stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Classifier {
    /// A class, an object, an alias or a type parameter.
    Declared(DeclarationId),
    /// Something outside the project and the known library.
    External(String),
    /// A class that a Java file of the project declares.
    Java(String),
    /// Nothing that is known has the name.
    Unknown,
}

/// The packages that every file imports, and that the library has.
pub(super) const DEFAULT_IMPORTS: [&str; 10] = [
    "kotlin",
    "kotlin.annotation",
    "kotlin.collections",
    "kotlin.comparisons",
    "kotlin.io",
    "kotlin.ranges",
    "kotlin.sequences",
    "kotlin.text",
    "kotlin.jvm",
    "java.lang",
];

/// Classes of `java.lang`, which every file for the JVM imports, that are none of Kotlin's.
const JAVA_LANG: [&str; 20] = [
    "Character",
    "Class",
    "ClassLoader",
    "ClassNotFoundException",
    "Integer",
    "InterruptedException",
    "Math",
    "Module",
    "Package",
    "Process",
    "ProcessBuilder",
    "ReflectiveOperationException",
    "Runnable",
    "Runtime",
    "StackTraceElement",
    "System",
    "Thread",
    "ThreadGroup",
    "ThreadLocal",
    "Void",
];

/// The package of properties that Android's former build plugin makes of layouts.
const VIEWS_OF_LAYOUTS: &str = "kotlinx.android.synthetic.";

impl Universe<'_> {
    /// Returns the type that a node of a type, or a projection, means.
    pub(super) fn written_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        self.remembered(&self.findings.written_types, (file.key, node), || {
            let read = self.guarded(Work::WrittenType, file.key, node, || self.read_type(file, node));
            read.unwrap_or(Type::Unknown)
        })
    }

    fn read_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        match file.kind(node) {
            K::UserType => self.user_type(file, node),
            K::FunctionType => self.function_type(file, node),
            // Of `T & Any` the first.
            K::NullableType
            | K::ParenthesizedType
            | K::NotNullableType
            | K::TypeProjection
            | K::ReceiverType => self.type_in(file, node).unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        }
    }

    /// Returns the type that the first child of a node that is a type means; `None` if no child is a type.
    pub(super) fn type_in(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        let ty = type_node(file, node)?;
        Some(self.written_type(file, ty))
    }

    fn function_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let receiver = file.child(node, K::ReceiverType).map(|receiver| self.written_type(file, receiver));
        let list = file.child(node, K::FunctionTypeParameters);
        let parameters = list.map_or(Vec::new(), |list| {
            let one = |child: NodeId| match file.kind(child) {
                K::Parameter => self.type_in(file, child),
                kind if is_type(kind) => Some(self.written_type(file, child)),
                _ => None,
            };
            file.children(list).filter_map(one).collect()
        });
        let result = file.children(node).filter(|child| is_type(file.kind(*child))).last();
        let result = result.map_or(Type::Unknown, |result| self.written_type(file, result));
        let contexts = file.child(node, K::ContextParameters);
        let contexts = contexts.map_or(0, |list| {
            file.children(list).filter(|one| file.kind(*one) == K::ContextParameter).count()
        });
        Type::Function(Arc::new(FunctionType { contexts, receiver, parameters, result }))
    }

    fn user_type(&self, file: &ProjectFile, node: NodeId) -> Type {
        let names: Vec<NodeId> =
            file.children(node).filter(|child| file.kind(*child) == K::TypeIdentifier).collect();
        let Some(last) = names.last() else { return Type::Unknown };
        let arguments = file.children(node).skip_while(|child| child != last).find_map(|child| {
            (file.kind(child) == K::TypeArguments).then(|| self.type_arguments(file, child))
        });
        let of_outer = file.children(node).take_while(|child| child != last);
        let is_of_generic = of_outer.into_iter().any(|child| file.kind(child) == K::TypeArguments);
        let found = self.classifier_of_path(file, &names);
        if found == Classifier::Unknown
            && let [name] = names[..]
            && self.imports_from_outside(file)
        {
            return Type::LikelyExternal(file.name_text(name).into());
        }
        if let (Classifier::External(name), true) = (&found, is_of_generic) {
            return Type::outside(name, arguments.unwrap_or_default(), true);
        }
        let mut arguments = arguments.unwrap_or_default();
        if let (Classifier::External(_), Some(list)) = (&found, file.child(node, K::TypeArguments)) {
            let projections = file.children(list).filter(|child| file.kind(*child) == K::TypeProjection);
            for (argument, projection) in arguments.iter_mut().zip(projections) {
                // The members of a `Class<*>` give at most an `Any`.
                if file.text_of(projection) == "*" {
                    *argument = Type::foreign();
                }
            }
        }
        let ty = self.type_of_classifier(&found, arguments);
        if has_projection(file, node) { ty.projected() } else { ty }
    }

    /// Returns the types in a list of type arguments; of `*` and `_`, unknown.
    pub(super) fn type_arguments(&self, file: &ProjectFile, list: NodeId) -> Vec<Type> {
        let projections = file.children(list).filter(|child| file.kind(*child) == K::TypeProjection);
        projections.map(|projection| self.written_type(file, projection)).collect()
    }

    pub(super) fn type_of_classifier(&self, classifier: &Classifier, arguments: Vec<Type>) -> Type {
        match classifier {
            Classifier::Unknown => Type::Unknown,
            Classifier::External(name) => self.outside_type(name, arguments),
            Classifier::Java(name) => Type::Java(name.as_str().into()),
            Classifier::Declared(id) => match self.kind(*id) {
                Some(DeclarationKind::TypeParameter) => Type::Parameter(*id),
                Some(DeclarationKind::TypeAlias) => self.aliased(*id, &arguments),
                Some(_) if Some(*id) == self.library_class("kotlin", "Nothing") => Type::Nothing,
                Some(_) => Type::class(self.representative(*id), arguments),
                None => Type::Unknown,
            },
        }
    }

    pub(super) fn aliased(&self, alias: DeclarationId, arguments: &[Type]) -> Type {
        let Some((file, declaration)) = self.get(alias) else { return Type::Unknown };
        let parameters = self.type_parameters(alias);
        let ty = self.type_in(&file, declaration.node).unwrap_or(Type::Unknown);
        Substitution::new(&parameters, arguments).apply(&ty)
    }

    /// Resolves a path of names where a type may stand: `Outer.Inner`, `package.Class`.
    pub(super) fn classifier_of_path(&self, file: &ProjectFile, names: &[NodeId]) -> Classifier {
        let Some((first, rest)) = names.split_first() else { return Classifier::Unknown };
        let mut found = self.classifier(file, *first, file.name_text(*first));
        if found == Classifier::Unknown && !rest.is_empty() {
            let path: Vec<&str> = names.iter().map(|name| file.name_text(*name)).collect();
            return self.imported_classifier(file, &path.join("."));
        }
        for name in rest {
            let name = file.name_text(*name);
            found = match found {
                Classifier::Declared(class) => {
                    let class = self.class_behind(class).unwrap_or(class);
                    self.nested(class, name).map_or(Classifier::Unknown, Classifier::Declared)
                }
                Classifier::External(outer) => Classifier::External(format!("{outer}.{name}")),
                Classifier::Java(outer) => {
                    self.java_classifier(format!("{outer}.{name}")).unwrap_or(Classifier::Unknown)
                }
                Classifier::Unknown => Classifier::Unknown,
            };
        }
        found
    }

    /// Returns the class that an alias stands for; the class itself for a class.
    pub(super) fn class_behind(&self, id: DeclarationId) -> Option<DeclarationId> {
        match self.kind(id)? {
            DeclarationKind::TypeAlias => match self.aliased(id, &[]) {
                Type::Class(class) => Some(class.class),
                _ => None,
            },
            kind if kind.is_class() => Some(id),
            _ => None,
        }
    }

    /// Returns the class that a class or one of its superclasses declares with this name.
    pub(super) fn nested(&self, class: DeclarationId, name: &str) -> Option<DeclarationId> {
        let own = |class: DeclarationId| {
            let declared = self.declared_in(class, name).into_iter();
            declared.into_iter().find(|id| self.kind(*id).is_some_and(DeclarationKind::is_classifier))
        };
        own(class)
            .or_else(|| self.companion(class).and_then(own))
            .or_else(|| self.superclasses(class).find_map(own))
    }

    /// Resolves a name where a type may stand.
    pub(super) fn classifier(&self, file: &ProjectFile, node: NodeId, name: &str) -> Classifier {
        let declared = |number: usize| Classifier::Declared(DeclarationId::new(file.key, number));
        let mut child = node;
        let is_in_arguments = |specifier: NodeId| {
            let mut within = file.ancestors(node).take_while(|above| *above != specifier);
            file.kind(specifier) == K::DelegationSpecifier
                && within.any(|above| file.kind(above) == K::ValueArguments)
        };
        for scope in file.ancestors(node) {
            let is_meant = |number: &usize| file.declarations[*number].kind.is_classifier();
            // What an import names comes before what the file declares outside of classes.
            let is_file = file.kind(scope) == K::SourceFile;
            if let Some(number) = file.in_scope(scope, name).filter(is_meant).last().filter(|_| !is_file) {
                return declared(number);
            }
            if let Some(number) = file.declaration_of(scope)
                && file.declarations[number].kind.is_class()
                // The list of supertypes does not see what they declare; arguments of their constructors do.
                && (matches!(file.kind(child), K::ClassBody | K::EnumClassBody | K::PrimaryConstructor)
                    || is_in_arguments(child))
                && let Some(nested) = self.nested(DeclarationId::new(file.key, number), name)
            {
                return Classifier::Declared(nested);
            }
            child = scope;
        }
        self.classifier_of_file(file, name)
    }

    fn classifier_of_file(&self, file: &ProjectFile, name: &str) -> Classifier {
        for import in file.imports.iter().filter(|import| import.bound() == Some(name)) {
            let imported = self.qualified(&import.path);
            let is_classifier =
                |id: &DeclarationId| self.kind(*id).is_some_and(DeclarationKind::is_classifier);
            // A function that is called like a class hides none.
            if imported.is_empty() || imported.iter().any(is_classifier) {
                return self.classifier_among(file, imported, &import.path);
            }
        }
        let classifier = |ids: Vec<DeclarationId>| {
            let is_classifier =
                |id: &DeclarationId| self.kind(*id).is_some_and(DeclarationKind::is_classifier);
            self.seen(file, ids.into_iter().filter(is_classifier).collect()).first().copied()
        };
        if let Some(found) = classifier(self.in_package(&file.package, name)) {
            return Classifier::Declared(found);
        }
        let within = |package: &str| match package {
            "" => name.to_owned(),
            package => format!("{package}.{name}"),
        };
        if let Some(found) = self.java_classifier(within(&file.package)) {
            return found;
        }
        let stars = file.imports.iter().filter(|import| import.is_star);
        for import in stars {
            if let Some(found) = classifier(self.qualified(&format!("{}.{name}", import.path))) {
                return Classifier::Declared(found);
            }
            if let Some(found) = self.java_classifier(within(&import.path)) {
                return found;
            }
        }
        let defaults = DEFAULT_IMPORTS.iter().find_map(|package| classifier(self.in_package(package, name)));
        if defaults.is_none() && JAVA_LANG.contains(&name) && !file.imports.iter().any(|one| one.is_star) {
            return Classifier::External(format!("java.lang.{name}"));
        }
        defaults.map_or(Classifier::Unknown, Classifier::Declared)
    }

    /// Whether a file imports a package with a star that is not the project's, nor one of the known library's.
    pub(super) fn imports_from_outside(&self, file: &ProjectFile) -> bool {
        let mut stars = file.imports.iter().filter(|import| import.is_star);
        stars.any(|import| !self.has_package(&import.path) && !self.may_declare(&import.path))
    }

    fn java_classifier(&self, path: String) -> Option<Classifier> {
        self.declares_in_java(&path).then_some(Classifier::Java(path))
    }

    /// Resolves a qualified name.
    fn imported_classifier(&self, file: &ProjectFile, path: &str) -> Classifier {
        self.classifier_among(file, self.qualified(path), path)
    }

    /// Returns the classifier among the declarations with a qualified name.
    fn classifier_among(&self, file: &ProjectFile, mut found: Vec<DeclarationId>, path: &str) -> Classifier {
        found.retain(|id| self.kind(*id).is_some_and(DeclarationKind::is_classifier));
        match self.seen(file, found).first() {
            Some(id) => Classifier::Declared(*id),
            None if self.declares_in_java(path) => Classifier::Java(path.to_owned()),
            // Views that a layout declares may be of classes of the project.
            None if path.starts_with(VIEWS_OF_LAYOUTS) => Classifier::Unknown,
            // Views' classes are generated from layouts, and extend none of the project's.
            None if self.may_declare(path) && !is_view_binding(path) => Classifier::Unknown,
            None => Classifier::External(path.to_owned()),
        }
    }
}

/// Whether a qualified name is that of a class that Android's build makes of a layout.
fn is_view_binding(path: &str) -> bool {
    let mut names = path.rsplit('.');
    names.next().is_some_and(|name| name.ends_with("Binding")) && names.next() == Some("databinding")
}

/// Whether an argument of a written type is projected: `out T`, `in T`.
fn has_projection(file: &SourceFile, ty: NodeId) -> bool {
    let lists = file.children(ty).filter(|child| file.kind(*child) == K::TypeArguments);
    let mut projections = lists.flat_map(|list| file.children(list));
    projections.any(|one| file.child(one, K::TypeProjectionModifiers).is_some())
}

/// Whether nodes of this kind are types.
pub(super) fn is_type(kind: K) -> bool {
    matches!(
        kind,
        K::UserType | K::NullableType | K::NotNullableType | K::ParenthesizedType | K::FunctionType
    )
}

/// Returns the first child of a node that is a type.
pub(super) fn type_node(file: &SourceFile, node: NodeId) -> Option<NodeId> {
    file.children(node).find(|child| is_type(file.kind(*child)))
}

/// Returns the node of the type that is written of a variable, or of what a function returns.
pub(super) fn stated_type(file: &SourceFile, node: NodeId) -> Option<NodeId> {
    let is_function = file.kind(node) == K::FunctionDeclaration;
    let mut parts = file
        .children(node)
        .skip_while(move |part| is_function && file.kind(*part) != K::FunctionValueParameters);
    parts.find(|part| is_type(file.kind(*part)))
}
