//! Uses of a JVM member by names other than its own: Java reaches Kotlin's property `size` through `getSize`, and a
//! function by the name that `@JvmName` gives it; Kotlin reaches Java's `getSize`, and Kotlin's override of it, as `size`. Uses are
//! judged by the declared type of what stands before the dot. Invariant: every possible use is reported.

use crate::context::{Receiver, receiver};
use crate::family::{Family, has_types};
use crate::jvm;
use crate::jvm::java_values;
use crate::jvm::names::{JVM_NAME, jvm_name_argument};
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::profiles::{AccessorForm, LanguageProfile};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{Imported, Outline, Row, SymbolKind, name_hash};
use symd_types::kotlin::accessors_of;

/// Returns the names by which the other of the two languages may reach a member called `name`: those of its
/// accessors, in case it is a Kotlin property, and those of its property, in case it is a Java accessor.
pub fn accessor_names(name: &str) -> Vec<String> {
    let mut names = other_accessors(name);
    names.extend(properties_of(name));
    names
}

/// The names by which code uses a member besides its own, and where.
#[derive(Default)]
struct OtherForm {
    names: Vec<String>,
    /// The form of accessors in the files that use them.
    form: AccessorForm,
}

impl OtherForm {
    fn of(resolver: &Resolver, target: &IndexedDeclaration) -> OtherForm {
        use SymbolKind::{Constant, Field, Method, Property, Variable};
        let Some((outline, row)) = target.row() else { return OtherForm::default() };
        let name = outline.name(row);
        let is_variable = matches!(row.kind(), Property | Variable | Constant | Field) && !row.is_local();
        let is_method = row.kind() == Method && !row.is_local();
        let in_kotlin = |names: Vec<String>| OtherForm { names, form: AccessorForm::Properties };
        let in_java = |names: Vec<String>| OtherForm { names, form: AccessorForm::Methods };
        match form(&target.file) {
            AccessorForm::Methods if is_method => in_kotlin(properties_of(name)),
            AccessorForm::Properties if is_variable => {
                let mut names = other_accessors(name);
                if outline.occurrences.contains(JVM_NAME)
                    && let Some(current) = resolver.sources.current(&target.file)
                {
                    names.extend(given_names(current.text.slice(row.range())));
                }
                in_java(names)
            }
            // Kotlin uses the accessors of Java's that its classes override like properties, too.
            AccessorForm::Properties if is_method && resolver.kotlin().may_be_property(target) => {
                in_kotlin(properties_of(name))
            }
            _ => {
                let given = has_types(&target.file)
                    .then(|| jvm::names::name_of_function(resolver.sources, target))
                    .flatten();
                in_java(given.into_iter().collect())
            }
        }
    }
}

/// Returns the names by which code uses `target`, besides its own.
pub fn foreign_names(sources: &dyn Sources, target: &IndexedDeclaration, cancel: &Cancel) -> Vec<String> {
    OtherForm::of(&Resolver::new(sources, Family::Jvm, cancel), target).names
}

/// Finds the occurrences of these names of `target`, each with the name; in path order, then by offset.
pub fn accessor_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let OtherForm { names, form: other } = OtherForm::of(&resolver, target);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let words = names.iter().map(|name| NeededWords::of_name(name));
    for file in sources.snapshot().files.with_any_words(words).filter(|file| form(file) == other) {
        if !names.iter().any(|name| file.holds(name)) {
            continue;
        }
        cancel.check()?;
        let Some(current) = sources.current(file) else { continue };
        let (text, outline) = (current.text.as_str(), &current.outline);
        let here = resolver.read_file(file);
        for name in &names {
            let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
            for start in outline.occurrences.offsets_of_hash(name_hash(name.as_bytes())) {
                let range = TextRange::new(start, start.saturating_add(length));
                // Two names can share a hash.
                let is_it = text.get(range.as_range()) == Some(name) && is_whole(text, range);
                if is_it && !is_unrelated_declaration(text, outline, start) {
                    let judgement = match &here {
                        Some(here) if other == AccessorForm::Methods => {
                            judge_call(&resolver, here, target, (start, name.as_str()))?
                        }
                        Some(here) => judge_property(&resolver, here, target, range),
                        None => Judgement::Unchecked,
                    };
                    if judgement != Judgement::Unlikely {
                        let path = file.path.clone();
                        found.push((name.clone(), Occurrence { path, range, judgement, role: Role::Use }));
                    }
                }
            }
        }
    }
    found.sort_by(|(_, a), (_, b)| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)));
    Ok(found)
}

/// Judges whether a name in Kotlin means the accessor in Java.
fn judge_property(
    resolver: &Resolver,
    here: &CurrentFile,
    accessor: &IndexedDeclaration,
    range: TextRange,
) -> Judgement {
    match resolver.kotlin().meaning(resolver, here, range) {
        Some(Meaning::Declared(found)) => match found.iter().any(|one| one.is_same_declaration(accessor)) {
            // What writes a property means its getter and its setter.
            true if found
                .iter()
                .all(|one| one.name() != accessor.name() || one.is_same_declaration(accessor)) =>
            {
                Judgement::Likely
            }
            true => Judgement::Unchecked,
            false => Judgement::Unlikely,
        },
        Some(Meaning::Local | Meaning::OutsideProject) => Judgement::Unlikely,
        _ => Judgement::Unchecked,
    }
}

/// Judges whether a call of an accessor in Java, at byte `start`, means the Kotlin property, or one of the name that an
/// annotation gives means the function.
fn judge_call(
    resolver: &Resolver,
    here: &CurrentFile,
    property: &IndexedDeclaration,
    (start, accessor): (u32, &str),
) -> Result<Judgement, Cancelled> {
    if here.outline.rows.iter().any(|row| row.name_start == start) {
        return Ok(Judgement::Unchecked);
    }
    let owner = match receiver(here.text.as_str(), start as usize, Family::Jvm) {
        Receiver::None | Receiver::Super => scope::own_class(here, start),
        Receiver::Chain(..) | Receiver::Expression => java_values::owner(resolver, here, start as usize)?,
    };
    // A class of Java's may override the accessor, or have one of its own.
    let own = scope::resolve_member(resolver, &owner, accessor)?;
    if let Meaning::Declared(_) = own {
        return Ok(Judgement::Unchecked);
    }
    let is_bare = matches!(receiver(here.text.as_str(), start as usize, Family::Jvm), Receiver::None);
    if is_bare && is_imported(resolver, here, property, accessor, &own)? {
        return Ok(Judgement::Likely);
    }
    Ok(match (&owner, scope::resolve_member(resolver, &owner, property.name())?) {
        (_, Meaning::Declared(found)) => match found.iter().any(|one| one.is_same_declaration(property)) {
            true => Judgement::Likely,
            false => Judgement::Unlikely,
        },
        (Meaning::OutsideProject, _) => Judgement::Unlikely,
        (Meaning::Declared(_), Meaning::OutsideProject)
            if !matches!(
                receiver(here.text.as_str(), start as usize, Family::Jvm),
                Receiver::None | Receiver::Super
            ) =>
        {
            Judgement::Unlikely
        }
        _ => Judgement::Unchecked,
    })
}

/// Whether a static import brings the accessor of a property, or a function by its given name; `own` is what the name means
/// in the class around.
fn is_imported(
    resolver: &Resolver,
    here: &CurrentFile,
    declared: &IndexedDeclaration,
    name: &str,
    own: &Meaning,
) -> Result<bool, Cancelled> {
    for import in here.imports().iter() {
        // What a class above declares comes before what stars bring.
        let by_star = import.imported == Imported::Everything && !matches!(own, Meaning::Unknown);
        if !by_star && import.imported != Imported::Name(name) {
            continue;
        }
        let module = Module::Package(import.module.to_owned());
        if let Meaning::Declared(found) = resolver.exported(&module, declared.name(), 0)?
            && found.iter().any(|one| one.is_same_declaration(declared))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A place where an accessor or property name of a symbol occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessorPlace {
    pub path: RelPath,
    pub range: TextRange,
    /// The name that stands there.
    pub name: String,
    /// Whether declared types tell that the symbol is meant.
    pub is_certain: bool,
}

/// Returns what a use of an accessor in Java becomes when its Kotlin property is renamed; the accessor itself for one
/// whose name an annotation gives. `None` where only the compiler's rules for the new name would tell.
pub fn renamed_accessor(property: &str, accessor: &str, new_name: &str) -> Option<String> {
    if !other_accessors(property).iter().any(|one| one == accessor) {
        return Some(accessor.to_owned());
    }
    let is_like_getter = |name| without_prefix(name, "is").is_some();
    if is_like_getter(property) != is_like_getter(new_name) || new_name.is_empty() {
        return None;
    }
    let ((getter, _), (new_getter, new_setter)) = (accessors_of(property), accessors_of(new_name));
    Some(if accessor == getter { new_getter } else { new_setter })
}

/// Finds the uses by accessor or property names whose syntax fits: Java calls, or declares, accessors as
/// methods; Kotlin writes the property behind a dot. Empty for a property that Java does not reach through
/// accessors: a private one, a constant, a field (`@JvmField`).
pub fn accessor_places(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<AccessorPlace>, Cancelled> {
    if is_kept_from_java(sources, target) {
        return Ok(Vec::new());
    }
    let snapshot = sources.snapshot();
    let mut found = Vec::new();
    for (name, one) in accessor_uses(sources, target, cancel)? {
        let Some(file) = snapshot.files.get(one.path.as_str()) else { continue };
        let Some(current) = sources.current(file) else { continue };
        let text = current.text.as_str();
        let reads_like_one = match form(file) {
            AccessorForm::Methods => {
                text.get(one.range.end as usize..).is_some_and(|behind| behind.trim_start().starts_with('('))
            }
            _ => text.get(..one.range.start as usize).is_some_and(|before| before.ends_with('.')),
        };
        if reads_like_one {
            let is_certain = one.judgement == Judgement::Likely;
            found.push(AccessorPlace { path: one.path, range: one.range, name, is_certain });
        }
    }
    Ok(found)
}

/// Whether a Kotlin property is private, a constant, or a field for Java.
fn is_kept_from_java(sources: &dyn Sources, target: &IndexedDeclaration) -> bool {
    let Some((_, row)) = target.row().filter(|_| form(&target.file) == AccessorForm::Properties) else {
        return false;
    };
    let Some(current) = sources.current(&target.file) else { return false };
    let head = current.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("");
    head.split_whitespace().any(|word| matches!(word, "private" | "const" | "@JvmField"))
}

fn form(file: &FileEntry) -> AccessorForm {
    LanguageProfile::of(file).map_or(AccessorForm::None, |language| language.accessors)
}

/// Whether the name at byte `start` belongs to a declaration that overrides nothing. Java does not require
/// that an override is marked, but the class of one then inherits from another.
fn is_unrelated_declaration(text: &str, outline: &Outline, start: u32) -> bool {
    let declared = outline.rows.iter().find(|row| row.name_start == start);
    declared.is_some_and(|row: &Row| {
        let before = text.get(row.start as usize..start as usize).unwrap_or("");
        let class = row.parent().map(|at| &outline.rows[at]);
        let head = class.and_then(|class| text.get(class.name_start as usize..row.start as usize));
        let mut words = head.and_then(|head| head.split('{').next()).unwrap_or("").split_whitespace();
        let inherits = words.any(|word| matches!(word, "extends" | "implements"));
        !before.contains("@Override")
            && !before.split_whitespace().any(|word| word == "override")
            && !inherits
    })
}

/// Whether the identifier ends where the range ends.
fn is_whole(text: &str, range: TextRange) -> bool {
    let next = text.get(range.end as usize..).and_then(|rest| rest.chars().next());
    next.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
}

/// Returns the names of a property's accessors that are not its own: `setEmpty` for `isEmpty`.
fn other_accessors(property: &str) -> Vec<String> {
    let (getter, setter) = accessors_of(property);
    [getter, setter].into_iter().filter(|name| name != property).collect()
}

/// Returns the property names of a `get` or `set` accessor: `empty` and `isEmpty` for `setEmpty`; also
/// `urlPath` for `getURLPath`.
pub(crate) fn properties_of(accessor: &str) -> Vec<String> {
    let rest = ["get", "set"].iter().find_map(|prefix| without_prefix(accessor, prefix));
    let Some(rest) = rest else { return Vec::new() };
    let lowered = |count: usize| -> String {
        rest.chars().enumerate().map(|(at, c)| if at < count { c.to_ascii_lowercase() } else { c }).collect()
    };
    let capitals = rest.chars().take_while(char::is_ascii_uppercase).count();
    let mut names = vec![lowered(1), format!("is{rest}")];
    if capitals > 1 {
        let is_all = capitals == rest.chars().count();
        names.push(lowered(if is_all { capitals } else { capitals - 1 }));
    }
    names
}

/// Returns the rest of `name` behind `prefix`, if a new word begins there.
fn without_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    name.strip_prefix(prefix).filter(|rest| rest.starts_with(|c: char| !c.is_lowercase()))
}

/// Returns the names that a declaration's annotations give its accessors: `@get:JvmName("size")`.
fn given_names(declaration: &str) -> impl Iterator<Item = String> {
    declaration.split(JVM_NAME).skip(1).filter_map(jvm_name_argument).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_two_languages() {
        assert_eq!(other_accessors("size"), ["getSize", "setSize"]);
        assert_eq!(other_accessors("isEmpty"), ["setEmpty"]);
        assert_eq!(other_accessors("issue"), ["getIssue", "setIssue"]);
        assert_eq!(properties_of("getSize"), ["size", "isSize"]);
        assert_eq!(properties_of("setURLPath"), ["uRLPath", "isURLPath", "urlPath"]);
        assert_eq!(properties_of("getURL"), ["uRL", "isURL", "url"]);
        assert!(properties_of("getter").is_empty() && properties_of("get").is_empty());
        let given: Vec<String> = given_names("@get:JvmName(\"a\") @set:JvmName(\"b\") var x = 1").collect();
        assert_eq!(given, ["a", "b"]);
    }

    #[test]
    fn accessors_follow_their_property() {
        let renamed = |property, accessor, new| renamed_accessor(property, accessor, new);
        assert_eq!(renamed("size", "getSize", "count").as_deref(), Some("getCount"));
        assert_eq!(renamed("size", "setSize", "count").as_deref(), Some("setCount"));
        assert_eq!(renamed("isOpen", "setOpen", "isShut").as_deref(), Some("setShut"));
        assert_eq!(renamed("size", "given", "count").as_deref(), Some("given"), "an annotation names it");
        assert_eq!(renamed("size", "getSize", "isLarge"), None);
        assert_eq!(renamed("isOpen", "setOpen", "open"), None);
    }
}
