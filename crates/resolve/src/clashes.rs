//! Conflicts that renaming a declaration would cause: names whose meaning would change. Strings, comments,
//! members of other objects, argument names and names in other scopes do not conflict. Invariant: every
//! conflict is an identifier, or an import, with the new name, or a use of the declaration where something
//! nearer has that name.

use std::sync::Arc;

use super::binders::Locality;
use super::classes::is_class;
use super::context::{Receiver, argument_of, before, behind, receiver};
use super::family::Family;
use super::kin::Kin;
use super::meaning::{Meaning, binds};
use super::modules::Module;
use super::place::{OccurrenceKind, place};
use super::project::{Here, Project};
use super::scope::{self, From, Reach, is_called, reached};
use super::sources::{Sources, Target};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_index::FileEntry;
use symd_syntax::{Import, Outline, Row, SymbolKind, call_site, name_hash};

/// A file and a range in it.
pub(super) type Spot = (RelPath, TextRange);

/// Finds what already has the name `new_name` where `targets`, the declarations of one symbol, are declared,
/// and the uses of that name that would then mean the symbol: what it would hide, override or be overridden
/// by. Unordered; includes places where the symbol itself is not used.
pub fn taken(
    sources: &dyn Sources,
    targets: &[Target],
    new_name: &str,
    cancel: &Cancel,
) -> Result<Vec<Spot>, Cancelled> {
    let Some(family) = targets.first().and_then(|target| Family::of(&target.file)) else {
        return Ok(Vec::new());
    };
    let project = Project::new(sources, family, cancel);
    let targets = &project.at_hand(targets);
    let mut found = Vec::new();
    for target in 0..targets.len() {
        found.extend(taken_by_one(&project, targets, target, new_name)?);
    }
    Ok(found)
}

fn taken_by_one(
    project: &Project,
    targets: &[Target],
    target: usize,
    new_name: &str,
) -> Result<Vec<Spot>, Cancelled> {
    project.cancel.check()?;
    let Some(renaming) = Renaming::new(project, targets, target, new_name) else { return Ok(Vec::new()) };
    let mut found = renaming.beside()?;
    found.extend(renaming.of_kin()?);
    let hash = name_hash(renaming.new.as_bytes());
    for file in project.sources.snapshot().files.iter() {
        let is_it = file.outline().is_some_and(|outline| outline.occurrences.contains_hash(hash));
        if !is_it || Family::of(file) != Some(project.family) || !renaming.may_reach(file)? {
            continue;
        }
        project.cancel.check()?;
        if let Some(here) = project.here(file) {
            renaming.uses(&here, &mut found)?;
        }
    }
    Ok(found)
}

/// Finds what the uses of a symbol at `places` of the file at `path` would mean instead, once they are called
/// `new_name`. `targets` are the declarations of that symbol.
pub fn captured(
    sources: &dyn Sources,
    targets: &[Target],
    new_name: &str,
    path: &RelPath,
    places: &[TextRange],
    cancel: &Cancel,
) -> Result<Vec<Spot>, Cancelled> {
    cancel.check()?;
    let Some(family) = targets.first().and_then(|target| Family::of(&target.file)) else {
        return Ok(Vec::new());
    };
    let project = Project::new(sources, family, cancel);
    let targets = &project.at_hand(targets);
    let Some(renaming) = Renaming::new(&project, targets, 0, new_name) else { return Ok(Vec::new()) };
    let Some(here) = project.file(path.as_str()).and_then(|file| project.here(file)) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for &range in places.iter().filter(|&&range| here.text.slice(range) == renaming.old) {
        cancel.check()?;
        renaming.catches(&here, range, &mut found)?;
    }
    Ok(found)
}

/// Where a declaration is visible by its bare name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visible {
    /// In the function in this row of its file.
    Function(usize),
    /// As a member of the class in this row.
    Member(usize),
    /// In its file, where it is imported, and in its package.
    File,
}

/// One declaration and its new name.
struct Renaming<'p, 's> {
    project: &'p Project<'s>,
    /// All declarations of the symbol.
    all: &'p [Target],
    target: &'p Target,
    outline: &'p Outline,
    row: &'p Row,
    old: &'p str,
    new: &'p str,
    visible: Visible,
}

impl<'p, 's> Renaming<'p, 's> {
    fn new(
        project: &'p Project<'s>,
        all: &'p [Target],
        which: usize,
        new_name: &'p str,
    ) -> Option<Renaming<'p, 's>> {
        let target = all.get(which)?;
        let (outline, row) = target.row()?;
        let visible = match row.parent() {
            Some(parent) if is_class(&outline.rows[parent]) => Visible::Member(parent),
            Some(parent) if !is_namespace(&outline.rows[parent]) => Visible::Function(parent),
            _ => Visible::File,
        };
        // The index holds identifiers without their escape marks.
        let new = new_name.trim_matches('`');
        let new = match project.family {
            Family::Rust => new.strip_prefix("r#").unwrap_or(new),
            Family::CSharp => new.strip_prefix('@').unwrap_or(new),
            _ => new,
        };
        Some(Renaming { project, all, target, outline, row, old: outline.name(row), new, visible })
    }

    /// Whether `one` is a declaration of the symbol.
    fn is_ours(&self, one: &Target) -> bool {
        self.all.iter().any(|known| known.is(one))
    }

    /// Finds what has the new name in the scope of the declaration itself.
    fn beside(&self) -> Result<Vec<Spot>, Cancelled> {
        let rows = self.outline.rows.iter().enumerate();
        let siblings = rows.filter(|(at, other)| {
            *at != self.target.row
                && other.parent == self.row.parent
                && self.outline.name(other) == self.new
                && self.can_clash(other.kind())
        });
        let mut found: Vec<Spot> =
            siblings.map(|(at, _)| name_spot(&Target { file: self.target.file.clone(), row: at })).collect();
        if let Visible::Member(_) = self.visible {
            return Ok(found);
        }
        if let Some(here) = self.project.here(&self.target.file) {
            let function = match self.visible {
                Visible::Function(parent) => Some(parent),
                _ => self.row.parent(),
            };
            found.extend(self.imports(&here, function));
            // A nested function may have a local beside it that the outline does not list.
            if matches!(self.visible, Visible::Function(_))
                && here.is_local(self.project.family, self.new, self.row.name_start) != Locality::No
            {
                found.push(name_spot(self.target));
            }
        }
        found.extend(self.in_package()?);
        Ok(found)
    }

    /// Returns the import statements of the file that bind the new name inside `function`, or outside all
    /// functions for `None`.
    fn imports(&self, here: &Here, function: Option<usize>) -> Vec<Spot> {
        let is_it = |import: &Import| {
            binds(self.project.family, import) == Some(self.new)
                && scope::function_around(here, import.statement.start) == function
        };
        let imports = here.imports().iter().filter(is_it);
        imports.map(|import| (here.file.path.clone(), import.statement)).collect()
    }

    /// Finds declarations of the new name in other files of the package, whose names are visible without an
    /// import.
    fn in_package(&self) -> Result<Vec<Spot>, Cancelled> {
        if self.visible != Visible::File {
            return Ok(Vec::new());
        }
        let package = match self.project.family {
            Family::Jvm => {
                let imports = self.outline.imports.unpack();
                Module::Package(imports.package().unwrap_or("").to_owned())
            }
            Family::Go => Module::Directory(self.target.file.path.parent().unwrap_or_else(RelPath::root)),
            _ => return Ok(Vec::new()),
        };
        let Meaning::Declared(found) = self.project.exported(&package, self.new, 0)? else {
            return Ok(Vec::new());
        };
        let is_other = |other: &&Target| {
            other.file.path != self.target.file.path
                && other.row().is_some_and(|(_, row)| self.can_clash(row.kind()))
        };
        Ok(found.iter().filter(is_other).map(name_spot).collect())
    }

    /// Finds members of the new name in the base classes and subclasses of the member's class.
    fn of_kin(&self) -> Result<Vec<Spot>, Cancelled> {
        let Visible::Member(class) = self.visible else { return Ok(Vec::new()) };
        let class = Target { file: self.target.file.clone(), row: class };
        let kin = Kin::new(&class);
        let mut found = Vec::new();
        for other in self.project.declared(self.new)?.iter() {
            let Some((outline, row)) = other.row() else { continue };
            let Some(owner) = row.parent().filter(|&at| is_class(&outline.rows[at])) else { continue };
            let owner = Target { file: other.file.clone(), row: owner };
            if !owner.is(&class) && self.can_clash(row.kind()) && kin.is_kin(self.project, &owner)? {
                found.push(name_spot(other));
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
            Visible::Function(_) => false,
            Visible::Member(_) => true,
            Visible::File => {
                outline.occurrences.contains(self.old)
                    || outline.imports.has_stars()
                    || matches!(self.project.family, Family::Jvm | Family::CSharp | Family::Go)
            }
        })
    }

    /// Adds the uses of the new name in a file that would mean the declaration.
    fn uses(&self, here: &Here, found: &mut Vec<Spot>) -> Result<(), Cancelled> {
        let class = match self.visible {
            Visible::Member(row) => Some(Target { file: self.target.file.clone(), row }),
            _ => None,
        };
        let kin = class.as_ref().map(Kin::new);
        let length = u32::try_from(self.new.len()).unwrap_or(u32::MAX);
        for start in here.outline.occurrences.offsets_of(self.new) {
            let range = TextRange::new(start, start.saturating_add(length));
            if here.text.slice(range) != self.new || !self.can_mean(here, range) {
                continue;
            }
            let would_mean = match receiver(here.text.as_str(), start as usize, self.project.family) {
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
    fn would_mean(&self, here: &Here, range: TextRange) -> Result<bool, Cancelled> {
        let (meaning, mine) = reached(self.project, here, range.start, self.old)?;
        let is_visible =
            matches!(meaning, Meaning::Declared(found) if found.iter().any(|one| self.is_ours(one)));
        if !is_visible || self.is_no_use(here, range)? {
            return Ok(false);
        }
        let (_, theirs) = reached(self.project, here, range.start, self.new)?;
        Ok(mine <= theirs)
    }

    /// Whether the name at `range` is not used as a bare name: it is declared or imported there, or names an
    /// argument.
    fn is_no_use(&self, here: &Here, range: TextRange) -> Result<bool, Cancelled> {
        let place = place(self.project, here, range, self.new)?;
        Ok(!matches!(place, OccurrenceKind::Bare(_)))
    }

    /// Whether the receiver is the member's class, or a class that inherits from it.
    fn is_member_of_kin(
        &self,
        here: &Here,
        first: usize,
        chain: &[&str],
        kin: &Kin,
    ) -> Result<bool, Cancelled> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        match scope::chain(self.project, here, first, chain, From::Inside)? {
            Meaning::Declared(owner) => match &owner[..] {
                [owner] if owner.row().is_some_and(|(_, row)| is_class(row)) => {
                    kin.descends(self.project, owner)
                }
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Adds what would capture the use of the declaration at `range`.
    fn catches(&self, here: &Here, range: TextRange, found: &mut Vec<Spot>) -> Result<(), Cancelled> {
        let mine = match place(self.project, here, range, self.old)? {
            OccurrenceKind::Argument { .. } | OccurrenceKind::Member(_) => return Ok(()),
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
                let (_, reach) = reached(self.project, here, range.start, self.old)?;
                match meaning {
                    Meaning::Declared(all) if all.iter().any(|one| self.is_ours(one)) => reach,
                    _ => self.guessed_reach(here, range.start),
                }
            }
        };
        let (meaning, theirs) = reached(self.project, here, range.start, self.new)?;
        let is_nearer = theirs <= mine && (theirs != Reach::Wider || matches!(meaning, Meaning::Declared(_)));
        if !is_nearer
            || (theirs == Reach::Local
                && self.is_apart(SymbolKind::Variable)
                && !may_call_value(here, self.new, range))
        {
            return Ok(());
        }
        match meaning {
            Meaning::Declared(all) => {
                let clash = all.iter().filter(|one| {
                    !self.is_ours(one) && one.row().is_some_and(|(_, row)| self.can_clash(row.kind()))
                });
                found.extend(clash.map(name_spot));
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
    fn siblings_of(&self, here: &Here, row: usize) -> Vec<Spot> {
        let rows = &here.outline.rows;
        let is_it = |&at: &usize| {
            at != row
                && rows[at].parent == rows[row].parent
                && here.outline.name(&rows[at]) == self.new
                && self.can_clash(rows[at].kind())
        };
        (0..rows.len()).filter(is_it).map(|at| name_spot(&here.target(at))).collect()
    }

    /// Whether the import around `range` binds the old name in the file.
    fn is_bound(&self, here: &Here, range: TextRange) -> bool {
        here.imports().iter().any(|import| {
            import.statement.contains(range) && binds(self.project.family, &import) == Some(self.old)
        })
    }

    /// Estimates how far out the declaration is, for uses that a server resolves and syntax does not.
    fn guessed_reach(&self, here: &Here, at: u32) -> Reach {
        let around = scope::around(here, at);
        let step = match self.visible {
            Visible::File => None,
            Visible::Function(row) => around.iter().position(|&one| one == row),
            Visible::Member(_) => around.iter().position(|&one| is_class(&here.outline.rows[one])),
        };
        step.map_or(Reach::File, Reach::Scope)
    }

    /// Whether an occurrence is spelled so that it can mean the declaration. A key of an object literal is no
    /// use, nor is a keyword in an argument list; Kotlin and Java separate functions from values.
    fn can_mean(&self, here: &Here, range: TextRange) -> bool {
        let (text, family) = (here.text.as_str(), self.project.family);
        let (left, right) = (before(text, range.start as usize, family), behind(text, range.end as usize));
        match family {
            Family::Python => {
                !(left.ends_with(['(', ',']) && right.starts_with('=') && !right.starts_with("=="))
                    && argument_of(text, range.start as usize, range.end as usize, family).is_none()
            }
            Family::Ecma | Family::Rust | Family::Go => {
                !(left.ends_with(['{', ',']) && right.starts_with(':') && !right.starts_with("::"))
            }
            Family::Jvm => {
                let is_called = call_site::is_called(here.grammar, text, range) || left.ends_with("::");
                match space(self.row.kind()) {
                    Some(Space::Calls) => is_called,
                    Some(Space::Values) => !is_called,
                    None => true,
                }
            }
            Family::CSharp | Family::C => true,
        }
    }

    /// Whether this declaration and one of `kind` cannot both have the name.
    fn can_clash(&self, kind: SymbolKind) -> bool {
        !self.is_apart(kind)
    }

    /// Whether the language has separate namespaces for `kind` and the declaration's kind.
    fn is_apart(&self, kind: SymbolKind) -> bool {
        let spaces = (space(kind), space(self.row.kind()));
        self.project.family == Family::Jvm && matches!(spaces, (Some(one), Some(other)) if one != other)
    }
}

/// Whether the Kotlin call at `range` could call a value `name` of the file: one that is declared with a
/// function type, or initialized with a function.
fn may_call_value(here: &Here, name: &str, range: TextRange) -> bool {
    let text = here.text.as_str();
    let is_function = |at: usize| {
        let right = behind(text, at + name.len());
        let declared = right.strip_prefix(':').map(str::trim_start);
        let value = right.strip_prefix('=').map(str::trim_start);
        declared
            .is_some_and(|it| it.strip_prefix("suspend").unwrap_or(it).trim_start().starts_with(['(', '@']))
            || value.is_some_and(|it| it.starts_with(['{', ':']) || it.starts_with("fun"))
    };
    here.grammar.name() == "kotlin"
        && is_called(here, range.start)
        && here.outline.occurrences.offsets_of(name).into_iter().any(|at| is_function(at as usize))
}

/// The namespaces that Kotlin and Java look up separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Calls,
    Values,
}

fn space(kind: SymbolKind) -> Option<Space> {
    use SymbolKind::{Constant, EnumMember, Field, Function, Method, Property, Variable};
    match kind {
        Function | Method => Some(Space::Calls),
        Variable | Constant | Property | Field | EnumMember => Some(Space::Values),
        _ => None,
    }
}

fn is_namespace(row: &Row) -> bool {
    matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module)
}

/// Returns the place of a declaration's name.
fn name_spot(target: &Target) -> Spot {
    let range = target.row().map_or(TextRange::new(0, 0), |(_, row)| {
        TextRange::new(row.name_start, row.name_start.saturating_add(u32::from(row.name_len)))
    });
    (target.file.path.clone(), range)
}
