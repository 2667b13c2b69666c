//! Where a program makes texts of names: `toString` of a data class writes the names of its properties, that of an enum's entry its own,
//! and `::class.simpleName` that of a class. A place counts where the type of the value is known to be, or to hold, such an object.

use std::collections::{BTreeSet, HashSet};

use super::callables::{Arguments, property_node};
use super::calls::{callee_name, callee_of};
use super::declarations::DeclarationKind;
use super::qualifiers::Qualifier;
use super::source_file::{KotlinImport, SourceFile};
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Functions that make a text of each value that they are given.
const PRINTING: [&str; 9] =
    ["println", "print", "append", "appendLine", "format", "printf", "write", "valueOf", "plus"];

/// Functions that make a text of what they are called on, where they are given no lambda.
const JOINING: [&str; 4] = ["toString", "joinToString", "joinTo", "contentToString"];

/// Properties of a class that are its name, or give constructors, whose texts have it.
pub(super) const CLASS_NAMES: [&str; 8] = [
    "simpleName",
    "qualifiedName",
    "name",
    "typeName",
    "canonicalName",
    "constructors",
    "declaredConstructors",
    "primaryConstructor",
];

/// Those of `CLASS_NAMES` and `MEMBER_LISTS` that many other things have, too.
pub(super) const COMMON_WORDS: [&str; 6] =
    ["name", "constructors", "functions", "fields", "methods", "members"];

/// Those of `COMMON_WORDS` that `Class` has, and `KClass` has not.
pub(super) const JAVAS_WORDS: [&str; 3] = ["name", "fields", "methods"];

/// Properties of a class that give its members, whose texts have their names.
pub(super) const MEMBER_LISTS: [&str; 19] = [
    "constructors",
    "declaredConstructors",
    "declaredFunctions",
    "declaredMemberExtensionProperties",
    "functions",
    "memberExtensionFunctions",
    "memberExtensionProperties",
    "primaryConstructor",
    "staticProperties",
    "declaredFields",
    "declaredMethods",
    "fields",
    "methods",
    "members",
    "memberProperties",
    "declaredMemberProperties",
    "declaredMembers",
    "memberFunctions",
    "declaredMemberFunctions",
];

/// How many types that hold one another are followed, and how deep type arguments are looked into.
const MAX_HOLDERS: usize = 3;
const MAX_ARGUMENTS: usize = 3;

/// How texts come to hold the name of a declaration, or of several that are renamed together: the classes whose objects' texts hold it,
/// and those of which code may ask the class itself for it (`simpleName`, `members`).
#[derive(Clone, Debug, Default)]
pub struct NamesInTexts {
    /// The classes whose `toString` writes the name, with those above them: a value of these may be one of theirs.
    printed: HashSet<DeclarationId>,
    /// The enum that has the name as an entry's: `name` of an entry is it, and `valueOf` looks it up.
    entries_of: Option<DeclarationId>,
    /// For the name of a class: it, and what is above it.
    pub(super) classes: HashSet<DeclarationId>,
    /// For the name of a member: the classes that declare one of this name, and their counterparts (`expect`, `actual`).
    pub(super) members_of: HashSet<DeclarationId>,
    /// Those of `members_of`, what is above them, and the counterparts of all these.
    pub(super) above_members: HashSet<DeclarationId>,
    /// The classes that have the name, or declare what has it, each once.
    owners: Vec<NamedClass>,
}

/// A class that has a name, or declares what has it.
#[derive(Clone, Debug)]
struct NamedClass {
    class: DeclarationId,
    /// The class's own name; empty for an anonymous object.
    name: String,
}

impl NamesInTexts {
    /// Whether nothing makes a text of the name.
    pub fn is_empty(&self) -> bool {
        self.printed.is_empty() && self.classes.is_empty() && self.members_of.is_empty()
    }

    /// Returns identifiers of which every file has one that makes texts of the name; `None` if a file may make them without any.
    pub fn words(&self) -> Option<&'static [&'static str]> {
        let is_of_members = self.printed.is_empty() && self.classes.is_empty() && self.entries_of.is_none();
        is_of_members.then_some(&MEMBER_LISTS)
    }

    /// Whether only code makes texts of the name that asks a class for it, none that prints objects.
    pub fn is_of_class_alone(&self) -> bool {
        self.printed.is_empty() && self.entries_of.is_none()
    }

    /// Returns the properties of `KClass` and `Class` that give the name: those that list members for a member's, those that are the class's
    /// own name for a class's, none for others.
    pub fn words_of_reflection(&self) -> &'static [&'static str] {
        match (!self.members_of.is_empty(), self.classes.is_empty()) {
            (true, _) => &MEMBER_LISTS,
            (false, false) => &CLASS_NAMES,
            (false, true) => &[],
        }
    }

    /// Returns the name of the first class that has the name, or declares what has it, to tell of it.
    pub fn class_name(&self) -> &str {
        self.owners.first().map_or("", |owner| &owner.name)
    }

    /// Whether several classes have the names: those of a method and of what overrides it, or of an expected class and its actual ones.
    pub fn is_of_several_classes(&self) -> bool {
        self.owners.len() > 1
    }

    /// Whether one of [`NamesInTexts::owners`] is called so.
    pub(super) fn is_class_name(&self, name: &str) -> bool {
        self.owners.iter().any(|owner| owner.name == name)
    }

    /// Iterates over the classes that have the name, or declare what has it.
    pub(super) fn owners(&self) -> impl Iterator<Item = DeclarationId> {
        self.owners.iter().map(|owner| owner.class)
    }

    /// Adds another declaration of the same name that is renamed with this one, if texts come to hold both names in the same ways, so that one
    /// search finds them. Returns whether it did.
    pub fn add(&mut self, other: &NamesInTexts) -> bool {
        let shape = |one: &NamesInTexts| {
            (
                one.printed.is_empty(),
                one.entries_of,
                one.classes.is_empty(),
                one.members_of.is_empty(),
                one.is_empty(),
            )
        };
        if shape(self) != shape(other) {
            return false;
        }
        self.printed.extend(&other.printed);
        self.classes.extend(&other.classes);
        self.members_of.extend(&other.members_of);
        self.above_members.extend(&other.above_members);
        for other in &other.owners {
            if self.owners().all(|known| known != other.class) {
                self.owners.push(other.clone());
            }
        }
        true
    }
}

impl Universe<'_> {
    /// Returns how texts come to hold a declaration's name; empty where they do not.
    pub fn names_in_texts(&self, id: DeclarationId) -> NamesInTexts {
        use DeclarationKind as D;
        let mut names = NamesInTexts::default();
        let Some((file, declaration)) = self.get(id) else { return names };
        let owner = self.class_of(id);
        let class = match declaration.kind {
            kind if kind.is_class() && kind != D::EnumEntry => Some(id),
            _ => owner,
        };
        let Some(class) = class else { return names };
        names.owners.push(NamedClass { class, name: self.name(class) });
        match declaration.kind {
            D::EnumEntry => {
                names.entries_of = Some(class);
                let has_own_text = self.has_own_text(class) || self.has_own_text(id);
                if !has_own_text {
                    names.printed = self.with_kin(class);
                }
            }
            D::ConstructorProperty if self.is_data(class) => {
                self.add_members_of(class, &mut names);
                if !self.has_own_text(class) {
                    names.printed = self.with_kin(class);
                }
            }
            D::ConstructorProperty | D::Property | D::Function => self.add_members_of(class, &mut names),
            D::AnonymousObject | D::Companion => {}
            _ => {
                names.classes = self.with_kin(id);
                let is_printed = self.is_data(id) && !self.has_own_text(id);
                let node = property_node(&file, declaration.node);
                if is_printed
                    && matches!(declaration.kind, D::Class | D::Object)
                    && file.parent(node).is_some()
                {
                    names.printed = names.classes.clone();
                }
            }
        }
        names
    }

    /// Returns the names of the classes of which a value may be an object whose text holds the name, or whose class gives it.
    pub fn names_of_kin(&self, names: &NamesInTexts) -> BTreeSet<String> {
        let classes = names.printed.iter().chain(&names.classes).chain(&names.above_members);
        let kin = classes.copied().chain(names.owners()).map(|class| self.name(class));
        kin.filter(|name| !name.is_empty()).collect()
    }

    fn add_members_of(&self, class: DeclarationId, names: &mut NamesInTexts) {
        let with_counterparts = |one: DeclarationId| {
            std::iter::once(one).chain(self.counterparts(one).iter().copied()).collect::<Vec<_>>()
        };
        names.members_of.extend(with_counterparts(class));
        names.above_members.extend(self.with_kin(class).into_iter().flat_map(with_counterparts));
    }

    fn is_data(&self, class: DeclarationId) -> bool {
        self.get(class).is_some_and(|(_, one)| one.modifiers.is_data)
    }

    fn has_own_text(&self, class: DeclarationId) -> bool {
        let texts = self.declared_in(class, "toString");
        texts.into_iter().any(|one| self.own_parameters(one).is_empty())
    }

    /// Returns a class with those of the project above it: a value of these may be one of its objects.
    pub(super) fn with_kin(&self, class: DeclarationId) -> HashSet<DeclarationId> {
        let above = self.ancestors(class);
        let above = above.classes.iter().map(|(above, _)| *above).filter(|above| !self.of_library(*above));
        std::iter::once(class).chain(above).collect()
    }

    /// Returns the places of a file where texts are made that hold the names, or where names are looked up by a text that is not written
    /// there.
    pub fn places_of_texts(&self, key: FileKey, names: &NamesInTexts) -> Vec<TextRange> {
        let Some(file) = self.file(key) else { return Vec::new() };
        let mut found = Vec::new();
        for node in file.tree().nodes() {
            self.steps.set(0);
            let is_it = match file.kind(node) {
                K::InterpolatedIdentifier | K::InterpolatedExpression => self.has_name(&file, node, names),
                K::AdditiveExpression => self.is_joined(&file, node, names),
                K::CallExpression => self.is_text_of(&file, node, names),
                K::NavigationExpression => self.reads_a_name(&file, node, names),
                K::SimpleIdentifier => self.reads_its_name(&file, node, names),
                _ => false,
            };
            if is_it {
                found.push(file.range(node));
            }
        }
        found
    }

    /// Whether a value is, or holds, an object whose text has the name, or the class that has it.
    fn has_name(&self, file: &ProjectFile, value: NodeId, names: &NamesInTexts) -> bool {
        (!names.printed.is_empty() || !names.classes.is_empty())
            && self.tells_name(&self.expression_type(file, value), names)
    }

    fn tells_name(&self, ty: &Type, names: &NamesInTexts) -> bool {
        self.is_printed(ty, names) || self.holds_class(ty, names, MAX_ARGUMENTS)
    }

    fn holds_class(&self, ty: &Type, names: &NamesInTexts, depth: usize) -> bool {
        if let Some(of) = self.class_reflected_by(ty) {
            return is_one_of(of, &names.classes);
        }
        let arguments = match ty {
            Type::Class(class) if self.of_library(class.class) => &class.arguments,
            Type::External(class) => &class.arguments,
            _ => return false,
        };
        depth > 0 && arguments.iter().any(|one| self.holds_class(one, names, depth - 1))
    }

    fn is_printed(&self, ty: &Type, names: &NamesInTexts) -> bool {
        self.prints(ty, names, MAX_HOLDERS, MAX_ARGUMENTS)
    }

    fn prints(&self, ty: &Type, names: &NamesInTexts, holders: usize, depth: usize) -> bool {
        match ty {
            Type::Class(class) if names.printed.contains(&class.class) => true,
            Type::Class(class) => {
                let within = depth.checked_sub(1);
                let in_arguments = || {
                    within.is_some_and(|depth| {
                        class.arguments.iter().any(|one| self.prints(one, names, holders, depth))
                    })
                };
                self.of_library(class.class) && in_arguments()
                    || !self.of_library(class.class)
                        && holders > 0
                        && self.is_data(class.class)
                        && !self.has_own_text(class.class)
                        && self.holds_printed(class.class, names, holders - 1, depth)
            }
            Type::Both(both) => {
                self.prints(&both.0, names, holders, depth) || self.prints(&both.1, names, holders, depth)
            }
            Type::Parameter(parameter) => {
                let bounds = self.bounds(*parameter);
                bounds
                    .iter()
                    .any(|bound| matches!(bound, Type::Class(one) if names.printed.contains(&one.class)))
            }
            _ => false,
        }
    }

    fn holds_printed(
        &self,
        class: DeclarationId,
        names: &NamesInTexts,
        holders: usize,
        depth: usize,
    ) -> bool {
        let constructor = self.constructors(class).into_iter().next();
        constructor.is_some_and(|constructor| {
            self.parameters(constructor).iter().any(|one| self.prints(&one.ty, names, holders, depth))
        })
    }

    /// Whether an addition joins such an object to a text.
    fn is_joined(&self, file: &ProjectFile, node: NodeId, names: &NamesInTexts) -> bool {
        let parts: Vec<NodeId> = file.children(node).collect();
        let [left, operator, right] = parts[..] else { return false };
        let string = self.library_class("kotlin", "String");
        file.kind(operator) == K::Plus
            && matches!(self.expression_type(file, left), Type::Class(one) if Some(one.class) == string)
            && self.has_name(file, right, names)
    }

    /// Whether a call makes a text of such an object, or looks an entry up by its name.
    fn is_text_of(&self, file: &ProjectFile, call: NodeId, names: &NamesInTexts) -> bool {
        let Some(callee) = callee_of(file, call) else { return false };
        let Some(name) = callee_name(file, callee).map(|name| file.name_text(name)) else { return false };
        let Some(suffix) = file.child(call, K::CallSuffix) else { return false };
        let arguments = Arguments::of(file, suffix);
        let is_text = |node: NodeId| file.kind(node) == K::StringLiteral && !file.text_of(node).contains('$');
        let values = || arguments.values.iter().map(|one| one.value);
        if matches!(name, "valueOf" | "enumValueOf")
            && let Some(of) = names.entries_of
            && values().any(|value| !is_text(value))
            && self.is_of_enum(file, callee, suffix, of)
        {
            return true;
        }
        if PRINTING.contains(&name) && values().any(|value| self.has_name(file, value, names)) {
            return true;
        }
        let receiver = || file.children(callee).last().and_then(|last| self.before_suffix(file, last));
        JOINING.contains(&name)
            && arguments.lambda.is_none()
            && file.kind(callee) == K::NavigationExpression
            && matches!(receiver(), Some(Qualifier::Value(ty)) if self.tells_name(&ty, names))
    }

    /// Whether a call is `Enum.valueOf(…)`, within the enum too, or `enumValueOf<Enum>(…)`.
    fn is_of_enum(&self, file: &ProjectFile, callee: NodeId, suffix: NodeId, of: DeclarationId) -> bool {
        if let Some(types) = file.child(suffix, K::TypeArguments) {
            let types = self.type_arguments(file, types);
            return types.iter().any(|ty| matches!(ty, Type::Class(one) if one.class == of));
        }
        match file.kind(callee) {
            K::NavigationExpression => {
                let last = file.children(callee).last();
                let before = last.and_then(|last| self.before_suffix(file, last));
                matches!(before, Some(Qualifier::Class(class)) if self.class_behind(class) == Some(of))
            }
            _ => self.enum_around(file, callee) == Some(of),
        }
    }

    /// Whether a path ends with a name that is read: an entry's, a class's, those of a class's members.
    fn reads_a_name(&self, file: &ProjectFile, node: NodeId, names: &NamesInTexts) -> bool {
        let parts: Vec<NodeId> = file.children(node).collect();
        let (Some(&before), Some(&suffix)) = (parts.first(), parts.last()) else { return false };
        let Some(read) = file.child(suffix, K::SimpleIdentifier).map(|name| imported_name(file, name)) else {
            return false;
        };
        if read == "name" && names.entries_of.is_some() {
            let before = self.before_suffix(file, suffix);
            return matches!(before, Some(Qualifier::Value(Type::Class(one))) if Some(one.class) == names.entries_of);
        }
        names.words_of_reflection().contains(&read)
            && (self.is_class_of(file, before, names)
                || self.is_of_any(file, before, names) && self.is_held_around(file, node, names))
    }

    /// Whether a name without anything before it reads such a name of the object in scope.
    fn reads_its_name(&self, file: &ProjectFile, node: NodeId, names: &NamesInTexts) -> bool {
        let is_of_entry = |ty: &Type| matches!(ty, Type::Class(one) if Some(one.class) == names.entries_of);
        if names.entries_of.is_some() && file.name_text(node) == "name" {
            return self.read_object(file, node).is_some_and(|object| is_of_entry(&object));
        }
        names.words_of_reflection().contains(&imported_name(file, node))
            && self.read_object(file, node).is_some_and(|object| {
                self.class_reflected_by(&object).is_some_and(|of| self.is_kin(of, names))
            })
    }
}

fn is_one_of(ty: &Type, classes: &HashSet<DeclarationId>) -> bool {
    matches!(ty, Type::Class(one) if classes.contains(&one.class))
}

/// Returns the name that stands at a node, or the one that an import gives another name there.
pub(super) fn imported_name(file: &SourceFile, node: NodeId) -> &str {
    let name = file.name_text(node);
    let aliased = file.imports.iter().find(|import| import.alias.as_deref() == Some(name));
    aliased.map_or(name, KotlinImport::last_name)
}
