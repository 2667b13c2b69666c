//! What the names of Kotlin files mean, by their types. Invariant: a name that `types` does not resolve is judged
//! as those of other languages are.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::context::text_after;
use crate::family::has_types;
use crate::hierarchy::classes;
use crate::kotlin::edited::EditedKotlin;
use crate::kotlin::project::KotlinProject;
use crate::kotlin::state::{KotlinFiles, KotlinState};
use crate::meaning::Meaning;
use crate::occurrence::Judgement;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_types::kotlin::{
    Certainty, DeclarationId, DeclarationKind, FileKey, JvmMethod, KotlinType, LibraryMember, NameResolution,
    ProjectFile, SourceFile, Universe, accessors_of,
};

/// The Kotlin files of a question, and what is known of them.
pub(crate) struct KotlinNames<'a> {
    sources: &'a dyn Sources,
    project: Rc<KotlinProject<'a>>,
    universe: Universe<'a>,
}

impl<'a> KotlinNames<'a> {
    pub(crate) fn new(sources: &'a dyn Sources, cancel: &'a Cancel) -> KotlinNames<'a> {
        let state = sources.kotlin_state(cancel);
        let project = Rc::new(KotlinProject::new(sources, cancel, state.files));
        let universe = Universe::new(Box::new(Rc::clone(&project)), state.findings);
        KotlinNames { sources, universe, project }
    }

    /// Returns the Kotlin files of the snapshot.
    pub(crate) fn files(&self) -> Arc<KotlinFiles> {
        self.project.files.clone()
    }

    /// Returns what the identifier at a range of a Kotlin file means; `None` where its syntax tells nothing.
    pub(crate) fn meaning(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
    ) -> Option<Meaning> {
        let key = self.project.key(&here.file.path)?;
        let found = self.universe.resolve(key, range)?;
        let mut declared = Vec::new();
        let mut has_locals = false;
        for id in &found.declarations {
            if self.universe.of_library(*id) {
                continue;
            }
            match self.indexed(resolver, *id) {
                Some(declaration) => declared.push(declaration),
                None => has_locals = true,
            }
        }
        let of_library = found.declarations.iter().filter(|id| self.universe.of_library(**id)).count();
        let is_outside = of_library > 0 && of_library == found.declarations.len();
        let may_be_outside = of_library > 0 && !is_outside && found.certainty < Certainty::Certain;
        if declared.is_empty()
            && !has_locals
            && let Some(class) = found.java_class.and_then(|class| self.project.java_class(&class))
        {
            let is_written = self.universe.writes_property(key, range);
            let found = member_of_java(resolver, here, &class, (range, is_written));
            return Some(found.unwrap_or(Meaning::Unknown));
        }
        Some(match (found.certainty, declared.is_empty()) {
            (Certainty::Possible, false) => Meaning::Possible(declared),
            // Nothing decides between the project's and the library's.
            (_, false) if may_be_outside => Meaning::Possible(declared),
            (Certainty::Possible, true) => Meaning::Unknown,
            (_, false) if has_locals => Meaning::LocalOrDeclared(declared),
            (_, false) if found.may_be_other => Meaning::Probable(declared),
            (_, false) => Meaning::Declared(declared),
            (_, true) if has_locals => Meaning::Local,
            (_, true) if found.may_be_other => Meaning::Unknown,
            // What Java declares is not known here.
            (_, true) if !is_outside && self.project.java_may_declare(here.text.slice(range)) => return None,
            (_, true) => Meaning::OutsideProject,
        })
    }

    /// Whether only its own file can name a declaration.
    pub(crate) fn is_private(&self, declaration: &IndexedDeclaration) -> bool {
        let found = self.declared_at(declaration);
        found.is_some_and(|found| found.iter().any(|id| self.universe.is_private(*id)))
    }

    /// Whether a declaration is a property or another variable that cannot be called.
    pub(crate) fn is_no_function(&self, declaration: &IndexedDeclaration) -> bool {
        let found = self.declared_at(declaration);
        found.is_some_and(|found| {
            !found.is_empty() && found.iter().all(|id| self.universe.is_no_function(*id))
        })
    }

    /// Whether the identifier at a range of a Kotlin file is the name of a class that stands for the class's companion.
    pub(crate) fn stands_for_companion(
        &self,
        path: &RelPath,
        range: TextRange,
        class: &IndexedDeclaration,
    ) -> bool {
        let Some(key) = self.project.key(path) else { return false };
        self.ids_of(class).into_iter().any(|id| self.universe.stands_for_companion(key, range, id))
    }

    /// Returns where the delegate of a property stands that looks up, or may read, the property's name. Delegates of libraries are taken not
    /// to, but for those of Gradle's scripts: `val version: String by project` looks `version` up.
    pub(crate) fn delegate_that_reads_name(&self, property: &IndexedDeclaration) -> Option<TextRange> {
        let is_of_gradle = property.file.path.as_str().ends_with(".gradle.kts");
        self.ids_of(property).into_iter().find_map(|id| {
            let known = self.universe.delegate_that_reads_name(id);
            known.or_else(|| self.universe.delegate_of_unknown_type(id).filter(|_| is_of_gradle))
        })
    }

    /// Whether two methods that the compiler makes of declarations may take the same on the JVM.
    pub(crate) fn may_take_the_same(
        &self,
        one: (&IndexedDeclaration, JvmMethod),
        other: (&IndexedDeclaration, JvmMethod),
    ) -> bool {
        let of = |(declared, method): (&IndexedDeclaration, JvmMethod)| {
            self.ids_of(declared).first().map(|id| (*id, method))
        };
        let (Some(one), Some(other)) = (of(one), of(other)) else { return true };
        self.universe.may_take_the_same(one, other)
    }

    /// Whether a function may override an accessor of Java's, which Kotlin uses like a property.
    pub(crate) fn may_be_property(&self, function: &IndexedDeclaration) -> bool {
        let found = self.declared_at(function);
        found.is_some_and(|found| found.iter().any(|id| self.universe.may_be_property(*id)))
    }

    /// Returns the places in a Kotlin file where the language calls, or may call, a function without naming it, each with what is written
    /// there.
    pub(crate) fn convention_uses(
        &self,
        path: &RelPath,
        function: &IndexedDeclaration,
    ) -> Vec<(TextRange, String, Judgement)> {
        let (Some(key), Some(ids)) = (self.project.key(path), self.declared_at(function)) else {
            return Vec::new();
        };
        let Some(file) = self.universe.file(key) else { return Vec::new() };
        let judged = |(range, found): (TextRange, NameResolution)| {
            let is_it = found.certainty > Certainty::Possible
                && !found.may_be_other
                && !found.declarations.is_empty()
                && found.declarations.iter().all(|id| ids.contains(id));
            (
                range,
                file.slice(range).to_owned(),
                if is_it { Judgement::Likely } else { Judgement::Unchecked },
            )
        };
        self.universe.convention_uses(key, &ids).into_iter().map(judged).collect()
    }

    /// Returns the other declarations of a Kotlin symbol: `expect` and `actual`. None for other languages.
    pub(crate) fn counterparts(
        &self,
        resolver: &Resolver,
        declaration: &IndexedDeclaration,
    ) -> Vec<IndexedDeclaration> {
        let ids = match has_types(&declaration.file) {
            true => self.declared_at(declaration).unwrap_or_default(),
            false => Vec::new(),
        };
        let others = ids.into_iter().flat_map(|id| self.universe.counterparts(id).to_vec());
        others.filter_map(|id| self.indexed(resolver, id)).collect()
    }

    /// Returns the type of a variable's values, or of what a function returns.
    pub(crate) fn type_of_value(&self, declared: &IndexedDeclaration) -> Option<KotlinType> {
        let id = *self.declared_at(declared)?.first()?;
        Some(self.universe.type_of_value(id))
    }

    /// Returns the classes and aliases of the library that an identifier of a Kotlin file means.
    pub(crate) fn library_classes(&self, path: &RelPath, range: TextRange) -> Vec<DeclarationId> {
        let found = self.project.key(path).and_then(|key| self.universe.resolve(key, range));
        let ids = found.map_or(Vec::new(), |found| found.declarations);
        match ids.iter().all(|id| self.universe.of_library(*id)) {
            true => ids,
            // The project declares it, or may.
            false => Vec::new(),
        }
    }

    /// Looks for a member in a class of the library.
    pub(crate) fn library_member(
        &self,
        class: DeclarationId,
        name: &str,
        parameters: Option<usize>,
    ) -> LibraryMember {
        self.universe.library_member(class, name, parameters)
    }

    /// Returns the row of a class.
    pub(crate) fn class_row(&self, resolver: &Resolver, class: DeclarationId) -> Option<IndexedDeclaration> {
        self.indexed(resolver, class)
    }

    /// Returns the class outside the project that an `actual typealias` makes of a Kotlin class.
    pub(crate) fn outside_actual(&self, class: &IndexedDeclaration) -> Option<String> {
        let ids = self.declared_at(class).filter(|_| has_types(&class.file))?;
        ids.into_iter().find_map(|id| self.universe.outside_actual(id))
    }

    /// Returns whether a call in a Kotlin file, of the class whose name stands at a range or by `this` or `super`, calls a secondary
    /// constructor; `None` where its syntax tells nothing.
    pub(crate) fn calls_constructor(
        &self,
        path: &RelPath,
        range: TextRange,
        constructor: &IndexedDeclaration,
    ) -> Option<Judgement> {
        let constructor = self.secondary_constructor(constructor)?;
        let called = self.universe.constructors_called(self.project.key(path)?, range)?;
        Some(judged(&called, constructor))
    }

    /// Returns the entries of an enum that call, or may call, its secondary constructor, with their names.
    pub(crate) fn constructed_entries(
        &self,
        constructor: &IndexedDeclaration,
    ) -> Vec<(TextRange, String, Judgement)> {
        let Some(constructor) = self.secondary_constructor(constructor) else { return Vec::new() };
        let Some(file) = self.universe.file(constructor.file) else { return Vec::new() };
        let entries = self.universe.constructed_entries(constructor).into_iter();
        let entries = entries
            .map(|(range, called)| (range, file.slice(range).to_owned(), judged(&called, constructor)));
        entries.filter(|(_, _, judgement)| *judgement != Judgement::Unlikely).collect()
    }

    fn secondary_constructor(&self, constructor: &IndexedDeclaration) -> Option<DeclarationId> {
        let (_, row) = constructor.row()?;
        self.universe.secondary_constructor_at(self.project.key(&constructor.file.path)?, row.name_start)
    }

    /// Returns a Kotlin file with its key.
    pub(crate) fn file(&self, path: &RelPath) -> Option<(FileKey, ProjectFile)> {
        let key = self.project.key(path)?;
        Some((key, self.universe.file(key)?))
    }

    /// Returns the declarations whose name stands where that of a row does.
    pub(crate) fn ids_of(&self, declaration: &IndexedDeclaration) -> Vec<DeclarationId> {
        self.declared_at(declaration).unwrap_or_default()
    }

    pub(crate) fn universe(&self) -> &Universe<'a> {
        &self.universe
    }

    /// Returns the files as an edit leaves them that gives declarations a new name; `texts` are those that it changes.
    pub(crate) fn edited(
        &self,
        texts: HashMap<FileKey, Arc<SourceFile>>,
        old_name: &str,
        new_name: &str,
    ) -> EditedKotlin<'a> {
        EditedKotlin::new(Rc::clone(&self.project), texts, old_name, new_name)
    }

    /// Returns the declarations whose name stands where that of a row does.
    fn declared_at(&self, declaration: &IndexedDeclaration) -> Option<Vec<DeclarationId>> {
        let (_, row) = declaration.row()?;
        let key = self.project.key(&declaration.file.path)?;
        let range = TextRange { start: row.name_start, end: row.name_start + u32::from(row.name_len) };
        Some(self.universe.resolve(key, range)?.declarations)
    }

    /// Returns the row of a declaration; `None` for one that the outline does not list.
    fn indexed(&self, resolver: &Resolver, id: DeclarationId) -> Option<IndexedDeclaration> {
        let here = resolver.read_file(self.project.entry(id.file)?)?;
        let file = self.universe.file(id.file)?;
        let name = file.name_range(id.number());
        let is_it = |row: &symd_syntax::Row| match name {
            Some(name) => row.name_start == name.start,
            None => {
                file.kind_at(id.number()) == DeclarationKind::Companion
                    && row.start <= file.range_of(id.number()).start
                    && row.end == file.range_of(id.number()).end
            }
        };
        Some(here.target(here.outline.rows.iter().position(is_it)?))
    }
}

/// Judges a call of the constructors in `called` as a use of one of them.
fn judged(called: &NameResolution, constructor: DeclarationId) -> Judgement {
    let is_known = !called.may_be_other && called.certainty > Certainty::Possible;
    match &called.declarations[..] {
        _ if !is_known => Judgement::Unchecked,
        [only] if *only == constructor => Judgement::Likely,
        several if several.contains(&constructor) => Judgement::Unchecked,
        _ => Judgement::Unlikely,
    }
}

impl Drop for KotlinNames<'_> {
    fn drop(&mut self) {
        if let Some(findings) = self.universe.take_findings() {
            let files = Some(self.project.files.clone());
            self.sources.keep_kotlin_state(KotlinState { files, findings });
        }
    }
}

/// Returns what a name behind a value of a Java class means: a member, or an accessor that is written as a property, to which something is
/// assigned or not.
fn member_of_java(
    resolver: &Resolver,
    here: &CurrentFile,
    class: &IndexedDeclaration,
    (range, is_written): (TextRange, bool),
) -> Result<Meaning, Cancelled> {
    let name = here.text.slice(range);
    let own = classes::member(resolver, class, name)?;
    let behind = text_after(here.text.as_str(), range.end as usize);
    let (getter, setter) = accessors_of(name);
    let is_declared = matches!(own, Meaning::Declared(_));
    let found = if behind.starts_with('(') || is_declared && name != getter {
        own
    } else {
        let read = if name == getter { own } else { classes::member(resolver, class, &getter)? };
        // The getter makes the property, so that what writes it means both.
        match (read, is_written.then(|| classes::member(resolver, class, &setter)).transpose()?) {
            (Meaning::Declared(read), Some(Meaning::Declared(written))) => {
                Meaning::Declared(read.into_iter().chain(written).collect())
            }
            (_, Some(written @ Meaning::Declared(_))) => written,
            (read, _) => read,
        }
    };
    Ok(if matches!(found, Meaning::OutsideProject) { Meaning::Unknown } else { found })
}
