//! Judges whether an occurrence means the target declaration. `Likely` is used only where a complete server
//! would list the occurrence, because servers' answers are compared with it.

use super::class_names;
use super::classes::is_class;
use super::context::{Receiver, last_word, receiver, text_after, text_before};
use super::cpp::{self, has_prototypes};
use super::enclosing::enclosing_row;
use super::family::{Family, has_types};
use super::gradle;
use super::meaning::Meaning;
use super::module_calls;
use super::modules;
use super::occurrence::{Judgement, Role};
use super::place::{OccurrenceKind, binds_here, classify_occurrence, embedded, is_shorthand};
use super::profiles::{ConstructorCalls, LiteralKey, ModuleLookup, Namespaces, UnresolvedName};
use super::resolver::{CurrentFile, Resolver};
use super::rust_names::{self, MacroKind};
use super::scope::{self, SearchStart};
use super::sources::IndexedDeclaration;
use super::test_functions::{test_function, test_of_all};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_syntax::{Imported, Row, SymbolKind, call_site};

/// The target declaration, with the facts that every judgement needs.
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

    /// Returns the name of the function whose parameter or local the target is.
    pub(super) fn function(&self) -> Option<&str> {
        self.owner.as_ref().filter(|_| self.row.is_local()).map(IndexedDeclaration::name)
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
        // What nothing resolves is something else where the file cannot see the declaration.
        let is_beyond = judgement == Judgement::Unchecked
            && (self.is_private && self.all.iter().all(|one| one.file.path != here.file.path)
                || self.all.iter().all(|one| !gradle::may_see(resolver, &here.file.path, &one.file.path)));
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

    /// Judges a name that stands for a variable and a member of an object at once, `{ name }`: any object may have such a
    /// member; that of a module is its export.
    fn shorthand(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
    ) -> Result<Option<Judgement>, Cancelled> {
        let (start, end) = (range.start as usize, range.end as usize);
        let can_be = resolver.profile.spelling.literal_key == LiteralKey::Member && !self.row.is_local();
        if !can_be || !is_shorthand(here.text.as_str(), start, end) {
            return Ok(None);
        }
        if self.is_member {
            return Ok(Some(Judgement::Unchecked));
        }
        let taken = module_calls::taken_from_call(resolver, here, start, self.name)?;
        Ok(taken.map(|meaning| self.judge_meaning(&meaning).unwrap_or(Judgement::Unchecked)))
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
                (self.judge_meaning(&meaning).unwrap_or(silent), Role::Import)
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
                    && !rust_names::is_in_namespace(resolver, here, range, self.row, self.macro_kind) =>
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
                (self.downgrade_unlisted(resolver, here, range, role, judgement), role)
            }
            // A member of that name may be meant, where the project has one.
            OccurrenceKind::Member(Meaning::Probable(_)) if !self.is_unique => {
                (Judgement::Unchecked, role(here, range))
            }
            OccurrenceKind::Member(meaning) => {
                let judgement = match self.judge_meaning(&meaning) {
                    Some(judgement) => judgement,
                    None if self.is_of_another_test(here, range.start) => Judgement::Unlikely,
                    None => self.member(resolver, here, range.start)?,
                };
                (judgement, role(here, range))
            }
        })
    }

    /// Whether the target is a variable of this file that holds a module, or what a module exports: `const name = require('./a')`.
    fn is_loaded_by(&self, resolver: &Resolver, here: &CurrentFile) -> bool {
        let range = TextRange::new(self.row.name_start, self.row.name_start + u32::from(self.row.name_len));
        resolver.profile.imports.declarations_import
            && here.row_of(self.target).is_some()
            && binds_here(here, range, self.name)
    }

    /// Judges a bare name in a file whose import declares the target: it means the target, unless it is a local or another
    /// declaration of the file.
    fn loaded(&self, here: &CurrentFile, meaning: &Meaning) -> Judgement {
        let is_other = |one: &IndexedDeclaration| one.file.path == here.file.path && !self.is_target(one);
        match meaning {
            Meaning::Local => Judgement::Unlikely,
            Meaning::Declared(found) if found.iter().any(is_other) => Judgement::Unlikely,
            Meaning::LocalOrDeclared(_) => Judgement::Unchecked,
            _ => Judgement::Likely,
        }
    }

    /// Whether the name is a segment inside the path of a Rust `use`, which cannot mean the target.
    fn is_no_path_segment(&self, resolver: &Resolver, here: &CurrentFile, range: TextRange) -> bool {
        resolver.profile.imports.lookup == ModuleLookup::RustPath
            && text_after(here.text.as_str(), range.end as usize).starts_with("::")
            && !rust_names::is_in_namespace(resolver, here, range, self.row, self.macro_kind)
    }

    /// Whether byte `at` lies in a test function other than the one that declares the target: objects do not
    /// pass between test functions.
    fn is_of_another_test(&self, here: &CurrentFile, at: u32) -> bool {
        let Some((path, row)) = &self.test else { return false };
        let around = test_function(&here.outline, at);
        around.is_some_and(|around| here.file.path != *path || around != *row)
    }

    /// Downgrades occurrences that compilers do not list: labels (`this@Name`, `return@name`) and
    /// types that share a function's name. A loop's label means no declaration.
    fn downgrade_unlisted(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
        role: Role,
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
        let is_label = matches!(labelled, Some("this" | "return" | "super"));
        let is_type = self.row.kind() == SymbolKind::Function
            && role == Role::Use
            && left.ends_with([':', '<', ','])
            && !left.ends_with("::");
        if is_label || is_type { Judgement::Unchecked } else { judgement }
    }

    /// Returns the judgement that a meaning implies; `None` if it implies none.
    fn judge_meaning(&self, meaning: &Meaning) -> Option<Judgement> {
        match meaning {
            Meaning::Declared(found) if found.iter().any(|one| self.is_target(one)) => {
                let is_one_symbol = found.iter().all(|one| self.is_same_symbol(one));
                Some(if is_one_symbol { Judgement::Likely } else { Judgement::Unchecked })
            }
            // The class's name in a call: `new A()`.
            Meaning::Declared(found)
                if self.is_called_by_class_name && found.iter().any(|one| self.is_owner(one)) =>
            {
                Some(if self.has_other_constructors { Judgement::Unchecked } else { Judgement::Likely })
            }
            Meaning::LocalOrDeclared(found) if found.iter().any(|one| self.is_target(one)) => {
                Some(Judgement::Unchecked)
            }
            Meaning::Probable(found) if found.iter().any(|one| self.is_target(one)) => {
                let is_one_symbol = found.iter().all(|one| self.is_same_symbol(one));
                Some(if is_one_symbol { Judgement::Likely } else { Judgement::Unchecked })
            }
            Meaning::Possible(found) if found.iter().any(|one| self.is_target(one)) => {
                Some(Judgement::Unchecked)
            }
            Meaning::Probable(_) | Meaning::Possible(_) | Meaning::Unknown => None,
            Meaning::Declared(found) | Meaning::LocalOrDeclared(found)
                if found
                    .iter()
                    .any(|one| self.perhaps.iter().any(|other| one.is_same_declaration(other))) =>
            {
                Some(Judgement::Unchecked)
            }
            _ => Some(Judgement::Unlikely),
        }
    }

    /// Whether `other` is the target, or another definition of it in a language that has such: in the other
    /// branch of an `if`, or a property's setter.
    fn is_same_symbol(&self, other: &IndexedDeclaration) -> bool {
        self.is_target(other)
            || Family::of(&other.file).is_some_and(|family| family.profile().uses.redeclares)
                && other.file.path == self.target.file.path
                && other.row().is_some_and(|(_, row)| row.parent == self.row.parent)
    }

    /// Whether `other` is the class or function around one of the target declarations.
    fn is_owner(&self, other: &IndexedDeclaration) -> bool {
        self.owners.iter().any(|one| one.is_same_declaration(other))
    }

    /// Whether `other` is one of the target declarations.
    fn is_target(&self, other: &IndexedDeclaration) -> bool {
        self.all.iter().any(|one| one.is_same_declaration(other))
    }

    fn declaration(&self, resolver: &Resolver, here: &CurrentFile, row: usize) -> Judgement {
        let other = here.target(row);
        if self.is_target(&other) {
            return Judgement::Likely;
        }
        if self.perhaps.iter().any(|one| one.is_same_declaration(&other)) {
            return Judgement::Unchecked;
        }
        let is_sibling = self.all.iter().any(|one| {
            let parent = one.row().map(|(_, row)| row.parent);
            let is_beside = here.file.path == one.file.path && Some(here.outline.rows[row].parent) == parent;
            // What is around a member that is defined outside of its class does not tell the class.
            is_beside
                && (!resolver.profile.uses.has_prototypes
                    || here.row_of(one).is_some_and(|at| cpp::have_same_owner((here, at), (here, row))))
        });
        if is_sibling { Judgement::Unchecked } else { Judgement::Unlikely }
    }

    /// Judges `f(name=…)`, which means the parameter of `f`, or the property that the constructor of `f`
    /// takes.
    fn argument(&self, resolver: &Resolver, callee: &str, meaning: &Meaning) -> Judgement {
        if self.is_field_in_body(resolver) {
            // A parameter of the same name is another symbol; a keyword that a function takes with `**` may
            // be the field.
            let has_parameter = |one: &IndexedDeclaration| {
                one.row().is_some_and(|(outline, row)| {
                    let is_function = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
                    let is_it = |other: &Row| {
                        other.is_local()
                            && other.parent() == Some(one.row)
                            && outline.name(other) == self.name
                    };
                    is_function && outline.rows.iter().any(is_it)
                })
            };
            return match meaning {
                Meaning::Declared(found) if found.iter().all(has_parameter) => Judgement::Unlikely,
                _ => Judgement::Unchecked,
            };
        }
        let judgements = self.owners.iter().map(|owner| self.argument_of(resolver, owner, callee, meaning));
        judgements.min().unwrap_or(Judgement::Unlikely)
    }

    /// Whether the target is a field that a class declares in its body, of which dataclasses and the like make
    /// constructor parameters. Other functions accept the same parameters.
    fn is_field_in_body(&self, resolver: &Resolver) -> bool {
        use SymbolKind::{Class, Constructor, Function, Method};
        let Some((outline, row)) = self.target.row() else { return false };
        resolver.profile.uses.fields_are_parameters
            && self.is_member
            && !row.is_local()
            && !matches!(row.kind(), Method | Function | Constructor | Class)
            && enclosing_row(outline, row.name_start) == row.parent()
    }

    fn argument_of(
        &self,
        resolver: &Resolver,
        owner: &IndexedDeclaration,
        callee: &str,
        meaning: &Meaning,
    ) -> Judgement {
        let (function, class) = match owner.row() {
            Some((outline, row)) => (owner.name(), row.parent().map(|at| outline.name(&outline.rows[at]))),
            None => return Judgement::Unlikely,
        };
        let is_of = callee == function || (function == "__init__" && class == Some(callee));
        let takes_properties = resolver.profile.uses.parameters_are_properties;
        if !is_of && takes_properties && self.is_member && may_construct(callee, meaning, class) {
            return Judgement::Unchecked;
        }
        if !is_of || !(self.row.is_local() || self.is_member) {
            return Judgement::Unlikely;
        }
        let Meaning::Declared(found) = meaning else { return Judgement::Unchecked };
        let leads_here = found.iter().any(|one| {
            one.is_same_declaration(owner)
                || owner.row().and_then(|(_, row)| row.parent()).is_some_and(|class| {
                    one.is_same_declaration(&IndexedDeclaration { file: owner.file.clone(), row: class })
                })
        });
        match leads_here {
            false => Judgement::Unlikely,
            true if takes_properties || self.row.is_local() => Judgement::Likely,
            true => Judgement::Unchecked,
        }
    }

    /// Judges a bare name that the scopes do not resolve.
    fn bare(&self, resolver: &Resolver, here: &CurrentFile, range: TextRange) -> Judgement {
        if self.row.is_local() {
            return Judgement::Unlikely;
        }
        match (resolver.profile.uses.unresolved, self.is_member) {
            (UnresolvedName::NoMember, true) | (UnresolvedName::OnlyMember, false) => Judgement::Unlikely,
            (UnresolvedName::FitsPlace, _)
                if !rust_names::may_be_bare(resolver, here, range, self.row.kind()) =>
            {
                Judgement::Unlikely
            }
            (UnresolvedName::Included, false) if self.is_unique && includes(resolver, here, self.target) => {
                Judgement::Likely
            }
            _ => Judgement::Unchecked,
        }
    }

    /// Judges a member of an unknown receiver.
    fn member(&self, resolver: &Resolver, here: &CurrentFile, at: u32) -> Result<Judgement, Cancelled> {
        if self.row.is_local() {
            return Ok(Judgement::Unlikely);
        }
        if rust_names::is_of_standard_library(resolver, here, at) {
            return Ok(Judgement::Unlikely);
        }
        if self.is_member || self.is_fields_name {
            return Ok(Judgement::Unchecked);
        }
        if self.is_extension {
            // A local or a member of that name does not hide an extension that is called on another receiver.
            let visible = scope::resolve_chain(resolver, here, at, &[self.name], SearchStart::File)?;
            return Ok(match self.judge_meaning(&visible) {
                Some(Judgement::Likely) if !self.is_unique => Judgement::Unchecked,
                Some(judgement) => judgement,
                None => Judgement::Unlikely,
            });
        }
        Ok(match resolver.profile.uses.receivers_may_be_modules {
            false => Judgement::Unlikely,
            // Where the bare name resolves, a member of that name can be the target only at the end of a path
            // of modules: `package.module.name`.
            // `module::name` may be in a module that is not followed.
            true if is_behind_colons(here, at) => Judgement::Unchecked,
            true => match scope::resolve_name(resolver, here, at, self.name)? {
                Meaning::Declared(found)
                    if !found.iter().any(|one| self.is_target(one)) || !is_path(resolver, here, at) =>
                {
                    let is_reached = module_calls::reaches(resolver, here, self.name, &|meaning| {
                        self.judge_meaning(meaning).is_some_and(|judgement| judgement != Judgement::Unlikely)
                    })?;
                    if is_reached { Judgement::Unchecked } else { Judgement::Unlikely }
                }
                _ => Judgement::Unchecked,
            },
        })
    }
}

/// Whether a declaration is in a language whose types are known, and only its own file can name it.
fn is_private(resolver: &Resolver, declaration: &IndexedDeclaration) -> bool {
    has_types(&declaration.file) && resolver.kotlin().is_private(declaration)
}

/// Whether a call with named arguments may call a Kotlin constructor by a name other than its class's:
/// `copy`, `this`, `super`, an enum entry, an alias of the class.
fn may_construct(callee: &str, meaning: &Meaning, class: Option<&str>) -> bool {
    let is_other_name = |target: &IndexedDeclaration| {
        target.row().is_some_and(|(_, row)| match row.kind() {
            SymbolKind::EnumMember => true,
            // An alias has no members.
            SymbolKind::Class => row.descendants == 0 && Some(target.name()) != class,
            _ => false,
        })
    };
    matches!(callee, "copy" | "this" | "super")
        || matches!(meaning, Meaning::Declared(found) if found.iter().any(is_other_name))
}

/// Whether the name at byte `at` is a member of a path of several names.
fn is_path(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    let receiver = receiver(here.text.as_str(), at as usize, resolver.family);
    matches!(receiver, Receiver::Chain(chain, _) if chain.len() > 1)
}

/// Whether a class's name that no argument list follows refers to a constructor: `A::new`, `::A`, `new A { X = 1 }`.
fn refers_to_constructor(text: &str, range: TextRange, family: Family) -> bool {
    let behind = text_after(text, range.end as usize);
    let before = text_before(text, range.start as usize, family);
    let is_new = |rest: &str| rest.trim_start().starts_with("new");
    behind.strip_prefix("::").is_some_and(is_new) || before.ends_with("::") || last_word(before) == "new"
}

fn is_behind_colons(here: &CurrentFile, at: u32) -> bool {
    here.text.as_str().get(..at as usize).is_some_and(|left| left.trim_end().ends_with("::"))
}

fn role(here: &CurrentFile, range: TextRange) -> Role {
    if call_site::is_called(here.grammar, here.text.as_str(), range) { Role::Call } else { Role::Use }
}

/// Whether the file includes the target's file, or a header with the same file stem.
fn includes(resolver: &Resolver, here: &CurrentFile, target: &IndexedDeclaration) -> bool {
    here.file.path == target.file.path
        || here.imports().iter().filter(|import| import.imported == Imported::Everything).any(|import| {
            match modules::find(resolver, &here.file, import.module, import.statement.start) {
                Some(modules::Module::File(file)) => file.path.file_stem() == target.file.path.file_stem(),
                _ => false,
            }
        })
}
