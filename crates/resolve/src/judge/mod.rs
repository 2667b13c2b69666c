//! Judges whether an occurrence means the target declaration. `Likely` is used only where a complete server
//! would list the occurrence, because servers' answers are compared with it.

mod arguments;
mod doubles;
mod identity;
mod not_called;
mod objects;
mod unresolved;

use self::not_called::{cannot_be_called, is_read_by_own_name};
use crate::class_names;
use crate::context::{last_word, text_after, text_before};
use crate::cpp::{self, has_prototypes};
use crate::family::{Family, has_types};
use crate::hierarchy::classes::is_class;
use crate::kotlin::gradle;
use crate::meaning::Meaning;
use crate::occurrence::{Judgement, Role};
use crate::place::{OccurrenceKind, classify_occurrence, embedded};
use crate::profiles::{ConstructorCalls, LiteralKey, ModuleLookup, Namespaces};
use crate::resolver::{CurrentFile, Resolver};
use crate::rust;
use crate::rust::names::MacroKind;
use crate::scope;
use crate::sources::IndexedDeclaration;
use crate::test_functions::{test_function, test_of_all};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Row, SymbolKind, call_site};

/// The target declaration, with the facts that every judgement needs.
#[derive(Clone)]
pub(super) struct TargetContext<'t> {
    target: &'t IndexedDeclaration,
    /// All declarations of the symbol, the target among them.
    all: &'t [IndexedDeclaration],
    /// Declarations of which it is not known whether they are the symbol's.
    perhaps: &'t [IndexedDeclaration],
    row: &'t Row,
    name: &'t str,
    /// The class or function around the target.
    owner: Option<IndexedDeclaration>,
    /// The classes or functions around all declarations of the symbol.
    owners: Vec<IndexedDeclaration>,
    is_member: bool,
    is_extension: bool,
    /// Whether it is a constructor with its class's name, which is meant only where that is called, and not also the class.
    is_called_by_class_name: bool,
    /// Whether its class has other constructors too, so that the class's name does not tell which is called.
    has_other_constructors: bool,
    /// Whether it is a macro of Rust.
    macro_kind: MacroKind,
    /// Whether nothing else in the project has the name.
    is_unique: bool,
    /// Whether, in Go, a field has its name: the field that a struct gets by embedding the type is used by
    /// the type's name.
    is_fields_name: bool,
    /// Whether only its own file can name it.
    is_private: bool,
    /// Whether Java may read the property of Kotlin by a method of its own name.
    is_read_by_own_name: bool,
    /// The test function in which all declarations are: file and row.
    test: Option<(RelPath, usize)>,
}

impl<'t> TargetContext<'t> {
    /// Returns `None` when the target's file has no such row.
    pub(super) fn new(
        resolver: &Resolver,
        all: &'t [IndexedDeclaration],
        perhaps: &'t [IndexedDeclaration],
    ) -> Result<Option<TargetContext<'t>>, Cancelled> {
        let Some(target) = all.first() else { return Ok(None) };
        let Some((outline, row)) = target.row() else { return Ok(None) };
        let owner_of = |target: &IndexedDeclaration| {
            let parent = target.row()?.1.parent()?;
            Some(IndexedDeclaration { file: target.file.clone(), row: parent })
        };
        let owner = owner_of(target);
        let owners: Vec<IndexedDeclaration> = all.iter().filter_map(owner_of).collect();
        let is_in_class = owners.iter().any(|owner| owner.row().is_some_and(|(_, row)| is_class(row)));
        let rules = &resolver.profile.uses;
        let is_extension = rules.has_extensions
            && resolver.read_file(&target.file).is_some_and(|here| {
                text_before(here.text.as_str(), row.name_start as usize, resolver.family).ends_with('.')
            });
        let is_constructor = |one: &IndexedDeclaration| {
            one.row().is_some_and(|(outline, row)| {
                class_names::is_class_named(resolver.family, outline, row)
                    || cpp::is_outside_constructor_row(resolver.profile, outline, row)
            })
        };
        let is_called_by_class_name = resolver.profile.members.constructors.called != ConstructorCalls::Named
            && all.iter().all(is_constructor);
        let is_another = |one: &IndexedDeclaration| {
            is_constructor(one) && !all.iter().any(|known| known.is_same_declaration(one))
        };
        let has_other_constructors = is_called_by_class_name
            && all.iter().flat_map(class_names::declared_with_class).any(|one| is_another(&one));
        let of_target = if rules.has_macros { resolver.read_file(&target.file) } else { None };
        let macro_kind = of_target.map_or(MacroKind::None, |here| MacroKind::of(&here, row));
        let declared = resolver.declared(outline.name(row))?;
        Ok(Some(TargetContext {
            target,
            all,
            perhaps,
            row,
            name: outline.name(row),
            // The fields of a C struct without a name have no class around them.
            is_member: is_in_class
                || matches!(row.kind(), SymbolKind::Method | SymbolKind::EnumMember | SymbolKind::Field),
            owner,
            owners,
            is_extension,
            is_called_by_class_name,
            has_other_constructors,
            macro_kind,
            is_private: all.iter().all(|one| is_private(resolver, one)),
            is_read_by_own_name: all.iter().any(|one| is_read_by_own_name(resolver, one)),
            test: test_of_all(all, resolver.family),
            is_fields_name: rules.embeds_by_name
                && declared
                    .iter()
                    .any(|one| one.row().is_some_and(|(_, row)| row.kind() == SymbolKind::Field)),
            is_unique: declared.iter().all(|one| all.iter().any(|known| known.is_same_declaration(one))),
        }))
    }

    pub(super) fn name(&self) -> &'t str {
        self.name
    }

    /// Returns the same target, to judge occurrences of another name that a file gives it.
    pub(crate) fn under_name<'a>(
        &self,
        resolver: &Resolver,
        name: &'a str,
    ) -> Result<TargetContext<'a>, Cancelled>
    where
        't: 'a,
    {
        let is_unique = resolver.declared(name)?.is_empty();
        Ok(TargetContext { name, is_unique, ..self.clone() })
    }

    /// Returns the names by which the function is called whose parameter or local the target is: a constructor by its class's, too.
    pub(super) fn function_names(&self) -> Option<Vec<&str>> {
        let owner = self.owner.as_ref().filter(|_| self.row.is_local())?;
        let mut names = vec![owner.name()];
        if let Some((outline, row)) = owner.row()
            && owner.name() == "__init__"
        {
            names.extend(row.parent().map(|class| outline.name(&outline.rows[class])));
        }
        Some(names)
    }

    /// Whether the name at `range`, in a string that is run as code, may mean the target. `is_member`: whether it stands behind a dot.
    pub(crate) fn may_be_named_in_code(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
        is_member: bool,
    ) -> Result<bool, Cancelled> {
        if is_member || self.is_member {
            return Ok(is_member && !self.row.is_local());
        }
        if self.row.is_local() {
            let around = |one: &IndexedDeclaration| {
                one.file.path == here.file.path
                    && one.row().is_some_and(|(_, row)| row.start <= range.start && range.start < row.end)
            };
            return Ok(self.owners.iter().any(around));
        }
        let meaning = scope::resolve_name(resolver, here, range.start, self.name)?;
        Ok(self.judge_meaning(&meaning) != Some(Judgement::Unlikely))
    }

    /// Judges the occurrence at `range`.
    pub(super) fn judge(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
    ) -> Result<(Judgement, Role), Cancelled> {
        let (judgement, role) = self.judge_name(resolver, here, range)?;
        if judgement == Judgement::Unlikely
            && role != Role::Import
            && let Some(judgement) = self.shorthand(resolver, here, range)?
        {
            return Ok((judgement, Role::Use));
        }
        let is_forward = resolver.profile.uses.has_prototypes && cpp::is_forward(here.text.as_str(), range);
        let role =
            if is_forward && self.row.kind() != SymbolKind::Constructor { Role::Declaration } else { role };
        // What nothing resolves is something else where the file cannot see the declaration, and where it calls what cannot be called.
        let is_beyond = judgement == Judgement::Unchecked
            && (self.is_private && self.all.iter().all(|one| one.file.path != here.file.path)
                || self.all.iter().all(|one| !gradle::may_see(resolver, &here.file.path, &one.file.path))
                || role == Role::Call && self.cannot_be_called(resolver, here));
        if is_beyond {
            return Ok((Judgement::Unlikely, role));
        }
        if self.is_called_by_class_name
            && resolver.profile.members.constructors.called == ConstructorCalls::Values
        {
            return Ok((self.construction(resolver, here, range, judgement, role), role));
        }
        // The class's name as a type.
        let is_type = match role {
            Role::Import => true,
            Role::Use => !refers_to_constructor(here.text.as_str(), range, resolver.family),
            _ => false,
        };
        let is_no_call = self.is_called_by_class_name && is_type;
        Ok((if is_no_call { Judgement::Unlikely } else { judgement }, role))
    }

    fn cannot_be_called(&self, resolver: &Resolver, here: &CurrentFile) -> bool {
        self.all.iter().all(|one| cannot_be_called(resolver, here, one, self.is_read_by_own_name))
    }

    /// Drops a meaning that rests on the structure of a C or C++ file with syntax errors, which macros cause: its
    /// declarations may stand in other scopes than it seems.
    fn doubted(&self, here: &CurrentFile, kind: OccurrenceKind) -> OccurrenceKind {
        let is_doubtful = |meaning: &Meaning| match meaning {
            Meaning::Declared(found) => {
                !found.iter().any(|one| self.is_target(one) || self.is_owner(one))
                    && found.iter().any(|one| one.file.path == here.file.path)
            }
            _ => false,
        };
        match kind {
            kind if !here.outline.has_errors || !has_prototypes(&here.file) => kind,
            OccurrenceKind::Bare(meaning) if is_doubtful(&meaning) => OccurrenceKind::Bare(Meaning::Unknown),
            OccurrenceKind::Member(meaning) if is_doubtful(&meaning) => {
                OccurrenceKind::Member(Meaning::Unknown)
            }
            kind => kind,
        }
    }

    /// Judges the name of a C++ class for one of its constructors: a declared value runs one too, `Shop shop;`.
    fn construction(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
        judgement: Judgement,
        role: Role,
    ) -> Judgement {
        if matches!(role, Role::Declaration) || judgement == Judgement::Unlikely {
            return judgement;
        }
        match cpp::construction(here.text.as_str(), range, resolver.family) {
            cpp::Construction::None => Judgement::Unlikely,
            cpp::Construction::Perhaps => judgement.max(Judgement::Unchecked),
            cpp::Construction::Called => judgement,
        }
    }

    fn judge_name(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
    ) -> Result<(Judgement, Role), Cancelled> {
        Ok(match self.doubted(here, classify_occurrence(resolver, here, range, self.name)?) {
            OccurrenceKind::Declaration(row) => {
                // A constructor that is defined outside of its class has the class's name.
                if cpp::is_outside_constructor_row(resolver.profile, &here.outline, &here.outline.rows[row])
                    && let Some(class) = cpp::outside_class(resolver, here, row)?
                    && self.is_target(&class)
                {
                    return Ok((Judgement::Likely, Role::Declaration));
                }
                match (self.declaration(resolver, here, row), embedded(resolver, here, row)?) {
                    (Judgement::Unlikely, Some(meaning)) => {
                        (self.judge_meaning(&meaning).unwrap_or(Judgement::Unchecked), Role::Use)
                    }
                    (Judgement::Unlikely, None) if self.is_assigned_by(resolver, &[here.target(row)])? => {
                        (Judgement::Likely, Role::Use)
                    }
                    (judgement, _) => (judgement, Role::Declaration),
                }
            }
            OccurrenceKind::Import(_)
                if range.start == self.row.name_start && self.is_loaded_by(resolver, here) =>
            {
                (Judgement::Likely, Role::Declaration)
            }
            OccurrenceKind::Import(_) if self.is_no_path_segment(resolver, here, range) => {
                (Judgement::Unlikely, Role::Import)
            }
            OccurrenceKind::Import(meaning) => {
                let silent = match resolver.profile.imports.needs_build_files {
                    true => Judgement::Unchecked,
                    false => Judgement::Unlikely,
                };
                let judgement = self.judge_meaning(&meaning).unwrap_or(silent);
                // Kotlin's import names all declarations of its path; which of them are used, the file tells elsewhere.
                let brings = |found: &[IndexedDeclaration]| found.iter().any(|one| self.is_target(one));
                let judgement = match &meaning {
                    Meaning::Declared(found)
                        if judgement == Judgement::Unchecked && has_types(&here.file) && brings(found) =>
                    {
                        Judgement::Probable
                    }
                    _ => judgement,
                };
                (judgement, Role::Import)
            }
            OccurrenceKind::Argument { .. } if self.is_of_another_test(here, range.start) => {
                (Judgement::Unlikely, Role::Argument)
            }
            OccurrenceKind::Argument { callee, meaning } => {
                (self.argument(resolver, &callee, &meaning), Role::Argument)
            }
            OccurrenceKind::Parameter(meaning) => {
                (self.judge_meaning(&meaning).unwrap_or(Judgement::Unchecked), Role::Argument)
            }
            OccurrenceKind::Bare(_) | OccurrenceKind::Member(_)
                if resolver.profile.scopes.namespaces == Namespaces::TypesAndValues
                    && !rust::names::is_in_namespace(resolver, here, range, self.row, self.macro_kind) =>
            {
                (Judgement::Unlikely, role(here, range))
            }
            // A member of an object in scope whose type is not known may be meant.
            OccurrenceKind::Bare(Meaning::Probable(found))
                if !self.is_unique && (self.is_member || found.iter().any(|one| self.is_target(one))) =>
            {
                let is_nearest = found.iter().all(|one| self.is_same_symbol(one));
                let judgement = if is_nearest { Judgement::Probable } else { Judgement::Unchecked };
                (judgement, role(here, range))
            }
            OccurrenceKind::Bare(meaning) if self.is_loaded_by(resolver, here) => {
                (self.loaded(here, &meaning), role(here, range))
            }
            OccurrenceKind::Bare(meaning) => {
                // `S { name }` names the field, whatever else the name means there.
                let is_field = resolver.profile.spelling.literal_key == LiteralKey::Field
                    && self.row.kind() == SymbolKind::Field;
                let implied = if is_field { None } else { self.judge_meaning(&meaning) };
                let judgement = implied.unwrap_or_else(|| self.bare(resolver, here, range));
                let role = role(here, range);
                (self.downgrade_unlisted(resolver, here, range, judgement), role)
            }
            // A member of that name may be meant, where the project has one.
            OccurrenceKind::Member(Meaning::Probable(_)) if !self.is_unique => {
                (Judgement::Unchecked, role(here, range))
            }
            OccurrenceKind::Member(meaning) => {
                let judgement = match self.judge_meaning(&meaning) {
                    Some(Judgement::Unlikely) if self.is_embedded(resolver, &meaning)? => Judgement::Likely,
                    Some(Judgement::Unlikely) if self.is_assigned_by(resolver, meaning.declared())? => {
                        Judgement::Likely
                    }
                    Some(judgement) => judgement,
                    None if self.is_of_another_test(here, range.start) => Judgement::Unlikely,
                    None => self.member(resolver, here, range.start)?,
                };
                (judgement, role(here, range))
            }
        })
    }

    /// Whether a member of Go is a field that embeds the target and has its name: `route.Conf` of `struct { Conf }`.
    fn is_embedded(&self, resolver: &Resolver, meaning: &Meaning) -> Result<bool, Cancelled> {
        let Meaning::Declared(fields) = meaning else { return Ok(false) };
        if !self.is_fields_name {
            return Ok(false);
        }
        for field in fields {
            let Some(there) = resolver.read_file(&field.file) else { continue };
            let Some(row) = there.row_of(field) else { continue };
            if let Some(embedded) = embedded(resolver, &there, row)?
                && self.judge_meaning(&embedded) == Some(Judgement::Likely)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the name is a segment inside the path of a Rust `use`, which cannot mean the target.
    fn is_no_path_segment(&self, resolver: &Resolver, here: &CurrentFile, range: TextRange) -> bool {
        resolver.profile.imports.lookup == ModuleLookup::RustPath
            && text_after(here.text.as_str(), range.end as usize).starts_with("::")
            && !rust::names::is_in_namespace(resolver, here, range, self.row, self.macro_kind)
    }

    /// Whether byte `at` lies in a test function other than the one that declares the target: objects do not
    /// pass between test functions.
    fn is_of_another_test(&self, here: &CurrentFile, at: u32) -> bool {
        let Some((path, row)) = &self.test else { return false };
        let around = test_function(&here.outline, at);
        around.is_some_and(|around| here.file.path != *path || around != *row)
    }

    /// Downgrades occurrences that compilers do not list: labels (`this@Name`, `return@name`), unless their
    /// types tell what they name, and types that share a function's name. A loop's label means no declaration.
    fn downgrade_unlisted(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
        judgement: Judgement,
    ) -> Judgement {
        if !resolver.profile.uses.has_labels || judgement == Judgement::Unlikely {
            return judgement;
        }
        let left = text_before(here.text.as_str(), range.start as usize, resolver.family);
        let labelled = left.strip_suffix('@').map(last_word);
        if matches!(labelled, Some("break" | "continue")) {
            return Judgement::Unlikely;
        }
        let is_label = matches!(labelled, Some("this" | "return" | "super"))
            && resolver.kotlin().meaning(resolver, here, range).is_none();
        let is_type = self.row.kind() == SymbolKind::Function
            && role(here, range) == Role::Use
            && left.ends_with([':', '<', ','])
            && !left.ends_with("::");
        if is_label || is_type { Judgement::Unchecked } else { judgement }
    }
}

/// Whether a declaration is in a language whose types are known, and only its own file can name it.
fn is_private(resolver: &Resolver, declaration: &IndexedDeclaration) -> bool {
    has_types(&declaration.file) && resolver.kotlin().is_private(declaration)
}

/// Whether a class's name that no argument list follows refers to a constructor: `A::new`, `::A`, `new A { X = 1 }`.
fn refers_to_constructor(text: &str, range: TextRange, family: Family) -> bool {
    let behind = text_after(text, range.end as usize);
    let before = text_before(text, range.start as usize, family);
    let is_new = |rest: &str| rest.trim_start().starts_with("new");
    behind.strip_prefix("::").is_some_and(is_new) || before.ends_with("::") || last_word(before) == "new"
}

fn role(here: &CurrentFile, range: TextRange) -> Role {
    if call_site::is_called(here.grammar, here.text.as_str(), range) { Role::Call } else { Role::Use }
}
