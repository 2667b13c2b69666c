//! What stands before a dot: a value, a class or the beginning of a qualified name.

use super::choice::Receivers;
use super::classes::Member;
use super::declarations::DeclarationKind;
use super::lookup::{Lookup, NameUse};
use super::resolve::Certainty;
use super::scopes::{Level, visible_names};
use super::source_file::SourceFile;
use super::ty::Type;
use super::type_references::Classifier;
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The classes that Android's build makes of resources. Their members, and those of their nested classes, are numbers and texts.
const OF_ANDROIDS_BUILD: [&str; 2] = ["R", "BR"];

/// The first name of the packages of Java's library.
const JAVA: &str = "java";

/// What stands before a dot.
#[derive(Clone, Debug)]
pub(super) enum Qualifier {
    Value(Type),
    Class(DeclarationId),
    /// A class outside the project and the library.
    External(String),
    /// The beginning of a qualified name.
    Package(String),
}

impl Universe<'_> {
    /// Returns what stands before a dot: a value, a class or a part of a qualified name.
    pub(super) fn qualifier(&self, file: &ProjectFile, node: NodeId) -> Option<Qualifier> {
        let find =
            || self.guarded(Work::Qualifier, file.key, node, || self.find_qualifier(file, node)).flatten();
        self.known_or(&self.memos.qualifiers, (file.key, node, false), find)
    }

    fn find_qualifier(&self, file: &ProjectFile, node: NodeId) -> Option<Qualifier> {
        match file.kind(node) {
            K::SimpleIdentifier | K::InterpolatedIdentifier | K::TypeIdentifier => {
                let name = file.name_text(node);
                let declared = || self.unnarrowed_type(file, node, name);
                if let Some(narrowed) = self.narrowed_type(file, node, declared) {
                    return Some(Qualifier::Value(narrowed));
                }
                if let Some(ty) = self.undeclared_type(file, node, name) {
                    return Some(Qualifier::Value(ty));
                }
                let lookup = self.find_bare(file, node, name, NameUse::Value);
                if let Some(object) = self.only_object(&lookup) {
                    return Some(Qualifier::Class(object));
                }
                if !lookup.candidates.is_empty() {
                    return Some(Qualifier::Value(self.lookup_type(&lookup)));
                }
                if !lookup.may_be_other
                    && let Some(all) =
                        self.enum_around(file, node).and_then(|class| self.all_entries(class, name))
                {
                    return Some(Qualifier::Value(all));
                }
                match self.classifier(file, node, name) {
                    Classifier::Declared(class) => Some(Qualifier::Class(class)),
                    Classifier::External(name) => Some(Qualifier::External(name)),
                    Classifier::Java(name) => Some(Qualifier::Value(Type::Java(name.as_str().into()))),
                    Classifier::Unknown if !lookup.may_be_other && self.is_of_androids_build(name) => {
                        Some(Qualifier::External(name.to_owned()))
                    }
                    Classifier::Unknown if self.has_package(name) || name == JAVA => {
                        Some(Qualifier::Package(name.to_owned()))
                    }
                    // `okio.Buffer()` beside `import okio.Source`.
                    Classifier::Unknown if !lookup.may_be_other && imports_from(file, name) => {
                        Some(Qualifier::External(name.to_owned()))
                    }
                    Classifier::Unknown => Some(Qualifier::Value(Type::Unknown)),
                }
            }
            K::NavigationExpression => {
                let suffix = file.children(node).last()?;
                self.suffix_qualifier(file, suffix)
            }
            _ => Some(Qualifier::Value(self.expression_type(file, node))),
        }
    }

    /// Returns the object that a name means, so that what follows may be declared in it or nested in it.
    fn only_object(&self, found: &Lookup) -> Option<DeclarationId> {
        let [one] = &found.candidates[..] else { return None };
        let kind = self.kind(one.declaration)?;
        matches!(kind, DeclarationKind::Object | DeclarationKind::Companion).then_some(one.declaration)
    }

    /// Returns the type of a variable as it is declared.
    fn unnarrowed_type(&self, file: &ProjectFile, node: NodeId, name: &str) -> Type {
        if let Some(ty) = self.undeclared_type(file, node, name) {
            return ty;
        }
        self.lookup_type(&self.find_bare(file, node, name, NameUse::Value))
    }

    /// Returns what stands before a suffix `.name`.
    pub(super) fn before_suffix(&self, file: &ProjectFile, suffix: NodeId) -> Option<Qualifier> {
        let holder = file.parent(suffix)?;
        // In `a!!.b = …` the sign is a part of the row.
        let before = file.children(holder).take_while(|sibling| *sibling < suffix);
        let before = before.filter(|sibling| file.text_of(*sibling) != "!!").last()?;
        match file.kind(before) {
            // `a.b.c = …` is a row of suffixes.
            K::NavigationSuffix | K::IndexingSuffix => self.suffix_qualifier(file, before),
            _ => self.qualifier(file, before),
        }
    }

    /// Returns what an expression that ends with this suffix means.
    pub(super) fn suffix_qualifier(&self, file: &ProjectFile, suffix: NodeId) -> Option<Qualifier> {
        let find =
            || self.guarded(Work::Qualifier, file.key, suffix, || self.find_suffix(file, suffix)).flatten();
        self.known_or(&self.memos.qualifiers, (file.key, suffix, true), find)
    }

    fn find_suffix(&self, file: &ProjectFile, suffix: NodeId) -> Option<Qualifier> {
        // In `a.b.c = …` the parent of each suffix is the whole target: a type shown for `a.b.c` is not that
        // of `a.b`.
        if let Some(holder) = file.parent(suffix)
            && file.kind(holder) == K::NavigationExpression
            && let Some(narrowed) =
                self.narrowed_type(file, holder, || match self.read_suffix(file, suffix) {
                    Some(Qualifier::Value(ty)) => ty,
                    _ => Type::Unknown,
                })
        {
            return Some(Qualifier::Value(narrowed));
        }
        self.read_suffix(file, suffix)
    }

    fn read_suffix(&self, file: &ProjectFile, suffix: NodeId) -> Option<Qualifier> {
        let before = self.before_suffix(file, suffix)?;
        if file.kind(suffix) == K::IndexingSuffix {
            let Qualifier::Value(ty) = before else { return None };
            let arguments: Vec<NodeId> = file.children(suffix).collect();
            return Some(Qualifier::Value(self.member_call_type(file, suffix, &ty, "get", &arguments)));
        }
        if file.child(suffix, K::Reference).is_some() {
            let is_class = file.text_of(suffix).ends_with("class");
            let ty = if is_class { self.class_of_qualifier(Some(before)) } else { Type::Unknown };
            return Some(Qualifier::Value(ty));
        }
        let name_node = file.child(suffix, K::SimpleIdentifier)?;
        let name = file.name_text(name_node);
        match before {
            Qualifier::Value(ty) => {
                let lookup = self.find_member(file, name_node, &ty, name, NameUse::Value);
                let ty = match (lookup.candidates.is_empty(), &lookup.java_class) {
                    (true, Some(class)) => self.given_by_java(class, name, false),
                    (true, None) if !lookup.may_be_other => self.property_outside(file, &ty, name_node),
                    _ => self.lookup_type(&lookup),
                };
                Some(Qualifier::Value(ty))
            }
            Qualifier::Class(class) => {
                let lookup = self.find_static(file, name_node, class, name, NameUse::Value);
                if let Some(object) = self.only_object(&lookup) {
                    return Some(Qualifier::Class(object));
                }
                if !lookup.candidates.is_empty() {
                    return Some(Qualifier::Value(self.lookup_type(&lookup)));
                }
                if let Some(all) = self.all_entries(class, name) {
                    return Some(Qualifier::Value(all));
                }
                let class = self.class_behind(class).unwrap_or(class);
                self.nested(class, name).map(Qualifier::Class)
            }
            Qualifier::External(outer) => {
                let extension = self.find_behind_external(file, name_node, &outer, name, NameUse::Value);
                match extension.candidates.is_empty() {
                    true => Some(Qualifier::External(format!("{outer}.{name}"))),
                    // A member of the class would be meant before it.
                    false if extension.certainty == Certainty::Possible => {
                        Some(Qualifier::Value(Type::Unknown))
                    }
                    false => Some(Qualifier::Value(self.lookup_type(&extension))),
                }
            }
            Qualifier::Package(package) => {
                let path = format!("{package}.{name}");
                let found = self.seen(file, self.qualified(&path));
                match found.first() {
                    Some(id) if self.kind(*id).is_some_and(DeclarationKind::is_classifier) => {
                        Some(Qualifier::Class(*id))
                    }
                    Some(id) => Some(Qualifier::Value(self.declared_type(*id))),
                    None if self.has_package(&path) => Some(Qualifier::Package(path)),
                    // `java.time.Instant`
                    None if path.starts_with("java.") => match name.starts_with(char::is_uppercase) {
                        true => Some(Qualifier::External(path)),
                        false => Some(Qualifier::Package(path)),
                    },
                    None => Some(Qualifier::Value(Type::Unknown)),
                }
            }
        }
    }

    /// Returns the type of a qualifier that stands as a value.
    pub(super) fn value_of(&self, qualifier: Qualifier) -> Type {
        match qualifier {
            Qualifier::Value(ty) => ty,
            Qualifier::Class(class) => match self.kind(class) {
                Some(kind) if kind.is_object() => self.self_type(class),
                _ => self.companion(class).map_or(Type::Unknown, |companion| self.self_type(companion)),
            },
            Qualifier::External(path) => self.object_outside(&path),
            Qualifier::Package(_) => Type::Unknown,
        }
    }

    /// Whether a name is that of a class that Android's build makes: nothing of the project has it.
    fn is_of_androids_build(&self, name: &str) -> bool {
        OF_ANDROIDS_BUILD.contains(&name)
            && self.top_level(name).is_empty()
            && self.members_called(name).is_some_and(|members| members.is_empty())
    }

    /// Returns the type of `it` at a node, where a lambda around it has one parameter without a name, and that of `field` in an accessor.
    fn undeclared_type(&self, file: &ProjectFile, node: NodeId, name: &str) -> Option<Type> {
        if !matches!(name, "it" | "field") {
            return None;
        }
        for level in self.levels(file, node).iter() {
            match level {
                Level::Names { scope, child }
                    if visible_names(file, *scope, *child, name).next().is_some() =>
                {
                    return None;
                }
                Level::Field { property } if name == "field" => return Some(self.declared_type(*property)),
                Level::It { lambda } if name == "it" => match self.expected_lambda(file, *lambda) {
                    Type::Function(function) => return function.parameters.first().cloned(),
                    _ => return Some(Type::Unknown),
                },
                _ => {}
            }
        }
        None
    }

    /// Returns the innermost enum around a node, whose `entries` and `values()` code within it names alone.
    pub(super) fn enum_around(&self, file: &ProjectFile, node: NodeId) -> Option<DeclarationId> {
        let mut around = file.ancestors(node).filter_map(|above| file.declaration_of(above));
        let number = around.find(|number| file.declarations[*number].kind == DeclarationKind::EnumClass)?;
        Some(DeclarationId::new(file.key, number))
    }

    /// Returns the type of `entries` of an enum, which the compiler makes.
    fn all_entries(&self, class: DeclarationId, name: &str) -> Option<Type> {
        let class = self.class_behind(class)?;
        let is_it = name == "entries" && self.kind(class) == Some(DeclarationKind::EnumClass);
        is_it.then(|| self.library_type("kotlin.enums", "EnumEntries", vec![Type::class(class, Vec::new())]))
    }

    /// Resolves a name behind a class from outside: an extension of its object, of its companion, or in a
    /// reference of the class itself. What it declares itself comes first, but is not known.
    pub(super) fn find_behind_external(
        &self,
        file: &ProjectFile,
        node: NodeId,
        class: &str,
        name: &str,
        wanted: NameUse,
    ) -> Lookup {
        let companion = format!("{class}.Companion");
        let mut first = None;
        for ty in [class, companion.as_str()].map(|name| Type::outside(name, Vec::new(), true)) {
            let found = self.find_member(file, node, &ty, name, wanted);
            let extends_it = |member: &Member| {
                let wanted = self.extension_receiver(member.declaration);
                matches!((&wanted, &ty), (Some(Type::External(one)), Type::External(two)) if one.name == two.name)
            };
            if !found.candidates.is_empty() && found.candidates.iter().all(extends_it) {
                return found;
            }
            first.get_or_insert(found);
        }
        let found = first.unwrap_or_else(|| Lookup::nothing(false));
        match found.candidates.is_empty() {
            true => found,
            false => Lookup { certainty: Certainty::Possible, ..found },
        }
    }

    /// Resolves a name behind a package: no extension, since nothing stands before it that one could take.
    fn find_in_package(&self, file: &ProjectFile, package: &str, name: &str, wanted: NameUse) -> Lookup {
        let found = self.seen(file, self.qualified(&format!("{package}.{name}")));
        let found = found.into_iter().filter(|id| self.is_visible(file, *id)).map(Member::new).collect();
        let mut unfit = Vec::new();
        let chosen = self.choose(file, found, wanted, Receivers::Implicit(&[]), &mut unfit);
        chosen.unwrap_or_else(|| match unfit.is_empty() {
            true => Lookup::nothing(false),
            false => Lookup { candidates: unfit, certainty: Certainty::Possible, ..Lookup::nothing(false) },
        })
    }

    /// Resolves the name in a suffix `.name`; `None` where nothing is known of what stands before it.
    pub(super) fn named_by_suffix(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        wanted: NameUse,
    ) -> Option<Lookup> {
        let name_node = file.child(suffix, K::SimpleIdentifier)?;
        let name = file.name_text(name_node);
        match self.before_suffix(file, suffix)? {
            Qualifier::Value(ty) => Some(self.find_member(file, name_node, &ty, name, wanted)),
            Qualifier::Class(class) => Some(self.find_static(file, name_node, class, name, wanted)),
            Qualifier::External(class) => {
                Some(self.find_behind_external(file, name_node, &class, name, wanted))
            }
            Qualifier::Package(package) => Some(self.find_in_package(file, &package, name, wanted)),
        }
    }
}

/// Whether a file imports something from a package that begins with this name.
fn imports_from(file: &SourceFile, first: &str) -> bool {
    let is_from = |path: &str| path.strip_prefix(first).is_some_and(|rest| rest.starts_with('.'));
    file.imports.iter().any(|import| is_from(&import.path) || import.is_star && import.path == first)
}
