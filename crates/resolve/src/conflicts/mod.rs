//! Conflicts that renaming a declaration would cause: names whose meaning would change. Strings, comments,
//! members of other objects, argument names and names in other scopes do not conflict. Invariant: every
//! conflict is an identifier, or an import, with the new name, or a use of the declaration where something
//! nearer has that name.

mod captures;
mod changed_meanings;
mod exports;
mod extended;
mod go;
mod jvm_accessors;
mod library;
mod namespaces;
mod new_uses;

pub use self::changed_meanings::{EditedText, find_changed_meanings, find_changed_meanings_of_local};
pub(super) use self::extended::extended_type;
pub use self::library::{LibraryConflict, find_library_conflicts};
use super::binders::Locality;
use super::family::Family;
use super::meaning::{Meaning, binds};
use super::modules::Module;
use super::profiles::{LiteralKey, PackageScope};
use super::resolver::{CurrentFile, Resolver};
use super::scope;
use super::sources::{IndexedDeclaration, Sources};
use crate::hierarchy::classes::is_class;
use crate::hierarchy::inheritance::Inheritance;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::NeededWords;
use symd_syntax::{Import, Outline, Row, SymbolKind, name_hash};

/// A file and a range in it.
pub(super) type SourcePlace = (RelPath, TextRange);

/// Finds what already has the name `new_name` where `targets`, the declarations of one symbol, are declared,
/// and the uses of that name that would then mean the symbol: what it would hide, override or be overridden
/// by. Unordered; includes places where the symbol itself is not used.
pub fn find_conflicts(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(family) = targets.first().and_then(|target| Family::of(&target.file)) else {
        return Ok(Vec::new());
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = &resolver.refresh_targets(targets);
    let mut found = Vec::new();
    for target in 0..targets.len() {
        found.extend(find_conflicts_of(&resolver, targets, target, new_name)?);
    }
    Ok(found)
}

fn find_conflicts_of(
    resolver: &Resolver,
    targets: &[IndexedDeclaration],
    target: usize,
    new_name: &str,
) -> Result<Vec<SourcePlace>, Cancelled> {
    resolver.cancel.check()?;
    let Some(renaming) = Renaming::new(resolver, targets, target, new_name) else { return Ok(Vec::new()) };
    let mut found = renaming.conflicts_in_scope()?;
    found.extend(renaming.conflicts_in_hierarchy()?);
    found.extend(renaming.conflicts_in_extended_class()?);
    found.extend(renaming.conflicts_of_accessors()?);
    let hash = name_hash(renaming.new.as_bytes());
    for file in resolver.sources.snapshot().files.with_words(NeededWords::of_name(renaming.new)) {
        let is_it = file.holds_hash(hash);
        if !is_it || Family::of(file) != Some(resolver.family) || !renaming.may_reach(file)? {
            continue;
        }
        resolver.cancel.check()?;
        if let Some(here) = resolver.read_file(file) {
            renaming.add_new_uses(&here, &mut found)?;
        }
    }
    Ok(found)
}

/// Finds what the uses of a symbol at `places` of the file at `path` would mean instead, once they are called
/// `new_name`. `targets` are the declarations of that symbol.
pub fn find_captures(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    new_name: &str,
    path: &RelPath,
    places: &[TextRange],
    cancel: &Cancel,
) -> Result<Vec<SourcePlace>, Cancelled> {
    cancel.check()?;
    let Some(family) = targets.first().and_then(|target| Family::of(&target.file)) else {
        return Ok(Vec::new());
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = &resolver.refresh_targets(targets);
    let Some(renaming) = Renaming::new(&resolver, targets, 0, new_name) else { return Ok(Vec::new()) };
    let Some(here) = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file)) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for &range in places.iter().filter(|&&range| here.text.slice(range) == renaming.old) {
        cancel.check()?;
        renaming.add_captures(&here, range, &mut found)?;
    }
    Ok(found)
}

/// Where a declaration is visible by its bare name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    /// In the function in this row of its file.
    Function(usize),
    /// As a member of the class in this row.
    Member(usize),
    /// In its file, where it is imported, and in its package.
    File,
}

/// Whether the members of a class itself are looked at, beside those of its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Included,
    Excluded,
}

/// One declaration and its new name.
struct Renaming<'p, 's> {
    resolver: &'p Resolver<'s>,
    /// All declarations of the symbol.
    all: &'p [IndexedDeclaration],
    target: &'p IndexedDeclaration,
    outline: &'p Outline,
    row: &'p Row,
    old: &'p str,
    new: &'p str,
    visible: Visibility,
}

impl<'p, 's> Renaming<'p, 's> {
    fn new(
        resolver: &'p Resolver<'s>,
        all: &'p [IndexedDeclaration],
        which: usize,
        new_name: &'p str,
    ) -> Option<Renaming<'p, 's>> {
        let target = all.get(which)?;
        let (outline, row) = target.row()?;
        let visible = match row.parent() {
            Some(parent) if is_class(&outline.rows[parent]) => Visibility::Member(parent),
            Some(parent) if !is_namespace(&outline.rows[parent]) => Visibility::Function(parent),
            _ => Visibility::File,
        };
        // The index holds identifiers without their escape marks.
        let new = new_name.trim_matches('`');
        let new = resolver.profile.spelling.escape.and_then(|mark| new.strip_prefix(mark)).unwrap_or(new);
        Some(Renaming { resolver, all, target, outline, row, old: outline.name(row), new, visible })
    }

    /// Whether `one` is a declaration of the symbol.
    fn is_ours(&self, one: &IndexedDeclaration) -> bool {
        self.all.iter().any(|known| known.is_same_declaration(one))
    }

    /// Finds what has the new name in the scope of the declaration itself.
    fn conflicts_in_scope(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        let rows = self.outline.rows.iter().enumerate();
        let siblings = rows.filter(|(at, other)| {
            *at != self.target.row
                && other.parent == self.row.parent
                && unquoted(self.outline.name(other)) == self.new
                && self.can_clash(other.kind())
        });
        let mut found: Vec<SourcePlace> = siblings
            .map(|(at, _)| name_place(&IndexedDeclaration { file: self.target.file.clone(), row: at }))
            .collect();
        found.extend(self.conflicts_in_go_type()?);
        if let Visibility::Member(_) = self.visible {
            return Ok(found);
        }
        if let Some(here) = self.resolver.read_file(&self.target.file) {
            let function = match self.visible {
                Visibility::Function(parent) => Some(parent),
                _ => self.row.parent(),
            };
            found.extend(self.imports(&here, function));
            // A nested function may have a local beside it that the outline does not list.
            if matches!(self.visible, Visibility::Function(_))
                && here.is_local(self.resolver, self.new, self.row.name_start) != Locality::No
            {
                found.push(name_place(self.target));
            }
        }
        found.extend(self.in_package()?);
        found.extend(self.conflicts_in_exports()?);
        // Each function has an `arguments` of its own.
        if self.resolver.family == Family::Ecma && self.new == "arguments" {
            found.push(name_place(self.target));
        }
        Ok(found)
    }

    /// Returns the import statements of the file that bind the new name inside `function`, or outside all
    /// functions for `None`.
    fn imports(&self, here: &CurrentFile, function: Option<usize>) -> Vec<SourcePlace> {
        let is_it = |import: &Import| {
            binds(self.resolver.family, import) == Some(self.new)
                && scope::function_around(here, import.statement.start) == function
        };
        let imports = here.imports().iter().filter(is_it);
        imports.map(|import| (here.file.path.clone(), import.statement)).collect()
    }

    /// Finds declarations of the new name in other files of the package, whose names are visible without an
    /// import.
    fn in_package(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        if self.visible != Visibility::File {
            return Ok(Vec::new());
        }
        let package = match self.resolver.profile.imports.package {
            PackageScope::Declared => {
                let imports = self.outline.imports.unpack();
                Module::Package(imports.package().unwrap_or("").to_owned())
            }
            PackageScope::Directory => {
                Module::Directory(self.target.file.path.parent().unwrap_or_else(RelPath::root))
            }
            PackageScope::None | PackageScope::DeclaredAndOuter => return Ok(Vec::new()),
        };
        let Meaning::Declared(found) = self.resolver.exported(&package, self.new, 0)? else {
            return Ok(Vec::new());
        };
        let is_other = |other: &&IndexedDeclaration| {
            other.file.path != self.target.file.path
                && other.row().is_some_and(|(_, row)| self.can_clash(row.kind()))
        };
        Ok(found.iter().filter(is_other).map(name_place).collect())
    }

    /// Finds members of the new name in the base classes and subclasses of the member's class.
    fn conflicts_in_hierarchy(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        let Visibility::Member(class) = self.visible else { return Ok(Vec::new()) };
        let class = IndexedDeclaration { file: self.target.file.clone(), row: class };
        self.members_of_kin(&class, Owner::Excluded)
    }

    /// Finds members of the new name in the base classes and subclasses of a class.
    fn members_of_kin(&self, class: &IndexedDeclaration, own: Owner) -> Result<Vec<SourcePlace>, Cancelled> {
        let kin = Inheritance::new(class);
        let mut found = Vec::new();
        let mut declared = self.resolver.declared(self.new)?.to_vec();
        if self.resolver.profile.spelling.literal_key == LiteralKey::Member {
            for quote in ['"', '\''] {
                declared
                    .extend(self.resolver.declared(&format!("{quote}{}{quote}", self.new))?.iter().cloned());
            }
        }
        for other in &declared {
            let Some((outline, row)) = other.row() else { continue };
            let Some(owner) = row.parent().filter(|&at| is_class(&outline.rows[at])) else { continue };
            let owner = IndexedDeclaration { file: other.file.clone(), row: owner };
            if (own == Owner::Included || !owner.is_same_declaration(class))
                && self.can_clash(row.kind())
                && kin.is_related(self.resolver, &owner)?
            {
                found.push(name_place(other));
            }
        }
        Ok(found)
    }
}

/// Returns a name without the quotes that the outline keeps around some members of JavaScript.
fn unquoted(name: &str) -> &str {
    let inside = |quote: char| name.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(name)
}

fn is_namespace(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module)
}

/// Returns the place of a declaration's name.
pub(crate) fn name_place(target: &IndexedDeclaration) -> SourcePlace {
    let range = target.row().map_or(TextRange::new(0, 0), |(_, row)| {
        TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
    });
    (target.file.path.clone(), range)
}
