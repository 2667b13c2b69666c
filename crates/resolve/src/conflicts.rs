//! Conflicts that renaming a declaration would cause: names whose meaning would change. Strings, comments,
//! members of other objects, argument names and names in other scopes do not conflict. Invariant: every
//! conflict is an identifier, or an import, with the new name, or a use of the declaration where something
//! nearer has that name.

use std::sync::Arc;

use super::binders::Locality;
use super::classes::is_class;
use super::context::{Receiver, argument_of, receiver, text_after, text_before};
use super::family::Family;
use super::inheritance::Inheritance;
use super::meaning::{Meaning, binds};
use super::modules::Module;
use super::place::{OccurrenceKind, classify_occurrence};
use super::profiles::{Namespaces, NonUse, PackageScope};
use super::resolver::{CurrentFile, Resolver};
use super::scope::{self, Reach, SearchStart, is_called, resolve_with_reach};
use super::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{Import, Outline, Row, SymbolKind, call_site, name_hash};

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
    let hash = name_hash(renaming.new.as_bytes());
    for file in resolver.sources.snapshot().files.with_words(NeededWords::of_name(renaming.new)) {
        let is_it = file.outline().is_some_and(|outline| outline.occurrences.contains_hash(hash));
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
                && self.outline.name(other) == self.new
                && self.can_clash(other.kind())
        });
        let mut found: Vec<SourcePlace> = siblings
            .map(|(at, _)| name_place(&IndexedDeclaration { file: self.target.file.clone(), row: at }))
            .collect();
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
        let kin = Inheritance::new(&class);
        let mut found = Vec::new();
        for other in self.resolver.declared(self.new)?.iter() {
            let Some((outline, row)) = other.row() else { continue };
            let Some(owner) = row.parent().filter(|&at| is_class(&outline.rows[at])) else { continue };
            let owner = IndexedDeclaration { file: other.file.clone(), row: owner };
            if !owner.is_same_declaration(&class)
                && self.can_clash(row.kind())
                && kin.is_related(self.resolver, &owner)?
            {
                found.push(name_place(other));
            }
        }
        Ok(found)
    }

    /// Whether the file may use the declaration by its bare name, or as a member. Cheap: it excludes most
    /// files.
    fn may_reach(&self, file: &Arc<FileEntry>) -> Result<bool, Cancelled> {
        if file.path == self.target.file.path {
            return Ok(true);
        }
        let Some(outline) = file.outline() else { return Ok(false) };
        Ok(match self.visible {
            Visibility::Function(_) => false,
            Visibility::Member(_) => true,
            Visibility::File => {
                outline.occurrences.contains(self.old)
                    || outline.imports.has_stars()
                    || self.resolver.profile.imports.package != PackageScope::None
            }
        })
    }

    /// Adds the uses of the new name in a file that would mean the declaration.
    fn add_new_uses(&self, here: &CurrentFile, found: &mut Vec<SourcePlace>) -> Result<(), Cancelled> {
        let class = match self.visible {
            Visibility::Member(row) => Some(IndexedDeclaration { file: self.target.file.clone(), row }),
            _ => None,
        };
        let kin = class.as_ref().map(Inheritance::new);
        let length = u32::try_from(self.new.len()).unwrap_or(u32::MAX);
        for start in here.outline.occurrences.offsets_of(self.new) {
            let range = TextRange::new(start, start.saturating_add(length));
            if here.text.slice(range) != self.new || !self.can_mean(here, range) {
                continue;
            }
            let would_mean = match receiver(here.text.as_str(), start as usize, self.resolver.family) {
                Receiver::None => self.would_mean(here, range)?,
                Receiver::Chain(chain, first) => match &kin {
                    Some(kin) => self.is_member_of_kin(here, first, &chain, kin)?,
                    None => false,
                },
                Receiver::Super | Receiver::Expression => false,
            };
            if would_mean {
                found.push((here.file.path.clone(), range));
            }
        }
        Ok(())
    }

    /// Whether the bare new name at `range` would mean the declaration: the declaration is visible there, and
    /// nothing nearer has the name.
    fn would_mean(&self, here: &CurrentFile, range: TextRange) -> Result<bool, Cancelled> {
        let (meaning, mine) = resolve_with_reach(self.resolver, here, range.start, self.old)?;
        let is_visible =
            matches!(meaning, Meaning::Declared(found) if found.iter().any(|one| self.is_ours(one)));
        if !is_visible || self.is_no_use(here, range)? {
            return Ok(false);
        }
        let (_, theirs) = resolve_with_reach(self.resolver, here, range.start, self.new)?;
        Ok(mine <= theirs)
    }

    /// Whether the name at `range` is not used as a bare name: it is declared or imported there, or names an
    /// argument.
    fn is_no_use(&self, here: &CurrentFile, range: TextRange) -> Result<bool, Cancelled> {
        let place = classify_occurrence(self.resolver, here, range, self.new)?;
        Ok(!matches!(place, OccurrenceKind::Bare(_)))
    }

    /// Whether the receiver is the member's class, or a class that inherits from it.
    fn is_member_of_kin(
        &self,
        here: &CurrentFile,
        first: usize,
        chain: &[&str],
        kin: &Inheritance,
    ) -> Result<bool, Cancelled> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        match scope::resolve_chain(self.resolver, here, first, chain, SearchStart::Inside)? {
            Meaning::Declared(owner) => match &owner[..] {
                [owner] if owner.row().is_some_and(|(_, row)| is_class(row)) => {
                    kin.is_subclass_or_same(self.resolver, owner)
                }
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Adds what would capture the use of the declaration at `range`.
    fn add_captures(
        &self,
        here: &CurrentFile,
        range: TextRange,
        found: &mut Vec<SourcePlace>,
    ) -> Result<(), Cancelled> {
        let mine = match classify_occurrence(self.resolver, here, range, self.old)? {
            OccurrenceKind::Argument { .. } | OccurrenceKind::Parameter(_) | OccurrenceKind::Member(_) => {
                return Ok(());
            }
            OccurrenceKind::Declaration(row) => {
                found.extend(self.siblings_of(here, row));
                return Ok(());
            }
            OccurrenceKind::Import(_) if !self.is_bound(here, range) => return Ok(()),
            OccurrenceKind::Import(_) => match scope::function_around(here, range.start) {
                Some(_) => Reach::Scope(0),
                None => Reach::File,
            },
            OccurrenceKind::Bare(meaning) => {
                let (_, reach) = resolve_with_reach(self.resolver, here, range.start, self.old)?;
                match meaning {
                    Meaning::Declared(all) if all.iter().any(|one| self.is_ours(one)) => reach,
                    _ => self.guessed_reach(here, range.start),
                }
            }
        };
        let (meaning, theirs) = resolve_with_reach(self.resolver, here, range.start, self.new)?;
        let is_nearer = theirs <= mine && (theirs != Reach::Wider || matches!(meaning, Meaning::Declared(_)));
        if !is_nearer
            || (theirs == Reach::Local
                && self.has_own_namespace(SymbolKind::Variable)
                && !may_call_value(here, self.new, range))
        {
            return Ok(());
        }
        match meaning {
            Meaning::Declared(all) => {
                let clash = all.iter().filter(|one| {
                    !self.is_ours(one) && one.row().is_some_and(|(_, row)| self.can_clash(row.kind()))
                });
                found.extend(clash.map(name_place));
            }
            _ => {
                let function = match theirs {
                    Reach::Scope(_) => scope::function_around(here, range.start),
                    _ => None,
                };
                let imports = self.imports(here, function);
                let is_import = theirs != Reach::Local && !imports.is_empty();
                found.extend(if is_import { imports } else { vec![(here.file.path.clone(), range)] });
            }
        }
        Ok(())
    }

    /// Returns the siblings of `row`, which is renamed too, that have the new name.
    fn siblings_of(&self, here: &CurrentFile, row: usize) -> Vec<SourcePlace> {
        let rows = &here.outline.rows;
        let is_it = |&at: &usize| {
            at != row
                && rows[at].parent == rows[row].parent
                && here.outline.name(&rows[at]) == self.new
                && self.can_clash(rows[at].kind())
        };
        (0..rows.len()).filter(is_it).map(|at| name_place(&here.target(at))).collect()
    }

    /// Whether the import around `range` binds the old name in the file.
    fn is_bound(&self, here: &CurrentFile, range: TextRange) -> bool {
        here.imports().iter().any(|import| {
            import.statement.contains(range) && binds(self.resolver.family, &import) == Some(self.old)
        })
    }

    /// Estimates how far out the declaration is, for uses that a server resolves and syntax does not.
    fn guessed_reach(&self, here: &CurrentFile, at: u32) -> Reach {
        let around = scope::around(here, at);
        let step = match self.visible {
            Visibility::File => None,
            Visibility::Function(row) => around.iter().position(|&one| one == row),
            Visibility::Member(_) => around.iter().position(|&one| is_class(&here.outline.rows[one])),
        };
        step.map_or(Reach::File, Reach::Scope)
    }

    /// Whether an occurrence is spelled so that it can mean the declaration. A key of an object literal is no
    /// use, nor is a keyword in an argument list; Kotlin and Java separate functions from values.
    fn can_mean(&self, here: &CurrentFile, range: TextRange) -> bool {
        let (text, family) = (here.text.as_str(), self.resolver.family);
        let (left, right) =
            (text_before(text, range.start as usize, family), text_after(text, range.end as usize));
        match self.resolver.profile.scopes.non_use {
            NonUse::ArgumentName => {
                !(left.ends_with(['(', ',']) && right.starts_with('=') && !right.starts_with("=="))
                    && argument_of(text, range.start as usize, range.end as usize, family).is_none()
            }
            NonUse::Key => {
                !(left.ends_with(['{', ',']) && right.starts_with(':') && !right.starts_with("::"))
            }
            NonUse::OtherNamespace => {
                let is_called = call_site::is_called(here.grammar, text, range) || left.ends_with("::");
                match space(self.row.kind()) {
                    Some(Space::Calls) => is_called,
                    Some(Space::Values) => !is_called,
                    Some(Space::Types) | None => true,
                }
            }
            NonUse::None => true,
        }
    }

    /// Whether this declaration and one of `kind` cannot both have the name.
    fn can_clash(&self, kind: SymbolKind) -> bool {
        !self.has_own_namespace(kind)
    }

    /// Whether the language has separate namespaces for `kind` and the declaration's kind.
    fn has_own_namespace(&self, kind: SymbolKind) -> bool {
        let space = match self.resolver.profile.scopes.namespaces {
            Namespaces::CallsAndValues => space,
            Namespaces::TypesAndValues => rust_space,
            Namespaces::One => return false,
        };
        let spaces = (space(kind), space(self.row.kind()));
        matches!(spaces, (Some(one), Some(other)) if one != other)
    }
}

/// Whether the call at `range` could call a value `name` of the file: one that is declared with a
/// function type, or initialized with a function.
fn may_call_value(here: &CurrentFile, name: &str, range: TextRange) -> bool {
    let text = here.text.as_str();
    let is_function = |at: usize| {
        let right = text_after(text, at + name.len());
        let declared = right.strip_prefix(':').map(str::trim_start);
        let value = right.strip_prefix('=').map(str::trim_start);
        declared
            .is_some_and(|it| it.strip_prefix("suspend").unwrap_or(it).trim_start().starts_with(['(', '@']))
            || value.is_some_and(|it| it.starts_with(['{', ':']) || it.starts_with("fun"))
    };
    here.language.calls_values
        && is_called(here, range.start)
        && here.outline.occurrences.offsets_of(name).into_iter().any(|at| is_function(at as usize))
}

/// Namespaces that a language looks up separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Calls,
    Types,
    Values,
}

/// The namespaces of Kotlin and Java.
fn space(kind: SymbolKind) -> Option<Space> {
    use SymbolKind::{Constant, EnumMember, Field, Function, Method, Property, Variable};
    match kind {
        Function | Method => Some(Space::Calls),
        Variable | Constant | Property | Field | EnumMember => Some(Space::Values),
        _ => None,
    }
}

/// Rust's namespaces; `None` for structs, some of which are values too.
fn rust_space(kind: SymbolKind) -> Option<Space> {
    use SymbolKind::{Constant, Enum, Function, Interface, Method, Module, Variable};
    match kind {
        Enum | Interface | Module => Some(Space::Types),
        Function | Method | Variable | Constant => Some(Space::Values),
        _ => None,
    }
}

fn is_namespace(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module)
}

/// Returns the place of a declaration's name.
fn name_place(target: &IndexedDeclaration) -> SourcePlace {
    let range = target.row().map_or(TextRange::new(0, 0), |(_, row)| {
        TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
    });
    (target.file.path.clone(), range)
}
