//! Which files of a project frames may lie in: those with the names that frames have, and those that declare their classes.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::inlined::{InlineFunction, inline_functions};
use super::named_text::NamedText;
use super::names::source_names;
use super::parse::ParsedFrame;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::FileEntry;
use symd_resolve::{JVM_NAME, file_class_name, is_type};
use symd_syntax::Outline;

/// What is looked for.
#[derive(Default)]
pub(super) struct WantedFiles {
    /// The names of files.
    pub(super) names: BTreeSet<String>,
    /// Outermost classes whose file is not named, by package.
    classes: BTreeMap<String, BTreeSet<String>>,
}

impl WantedFiles {
    pub(super) fn of(frames: &[&ParsedFrame]) -> WantedFiles {
        let mut wanted = WantedFiles::default();
        for frame in frames {
            wanted.names.extend((!frame.file.is_empty()).then(|| frame.file.clone()));
            // A class that was copied from a library's inline function has the library's file.
            let of_class = source_names(frame).filter(|names| frame.file.is_empty() || names.is_inlined());
            if let Some(names) = of_class {
                wanted.names.extend(files_of_class(&names.outer));
                wanted.classes.entry(names.package).or_default().insert(names.outer);
            }
        }
        wanted
    }
}

/// Stands between the name of a facade of several files and that of the class of one of them: `Texts__TillKt`.
pub(super) const PART_OF_FACADE: &str = "__";

/// Returns the names that the file of a class usually has, each once.
pub(super) fn files_of_class(outer: &str) -> Vec<String> {
    let of_part = outer.rsplit_once(PART_OF_FACADE).map_or(outer, |(_, part)| part);
    let of_facade = of_part.strip_suffix("Kt").map(|stem| format!("{stem}.kt"));
    of_facade.into_iter().chain([format!("{outer}.kt"), format!("{outer}.java")]).collect()
}

/// The files of the index that declare the wanted classes. The index is gone through once for all of them, and only if one is
/// asked for.
pub(super) struct ClassFiles<'v> {
    view: &'v View,
    wanted: BTreeMap<String, BTreeSet<String>>,
    cancel: &'v Cancel,
    found: OnceCell<DeclaringFiles>,
    inline: RefCell<BTreeMap<RelPath, Vec<InlineFunction>>>,
}

/// The files that declare a class, in path order, by its package and name.
type DeclaringFiles = BTreeMap<(String, String), Vec<RelPath>>;

impl<'v> ClassFiles<'v> {
    pub(super) fn of(view: &'v View, wanted: WantedFiles, cancel: &'v Cancel) -> ClassFiles<'v> {
        ClassFiles {
            view,
            wanted: wanted.classes,
            cancel,
            found: OnceCell::new(),
            inline: RefCell::default(),
        }
    }

    /// Returns the files that declare a class, or whose facade it is, whatever their names, in path order.
    pub(super) fn declaring(&self, package: &str, class: &str) -> Result<&[RelPath], Cancelled> {
        let found = match self.found.get() {
            Some(found) => found,
            None => {
                let found = self.find()?;
                self.found.get_or_init(|| found)
            }
        };
        Ok(found.get(&(package.to_owned(), class.to_owned())).map_or(&[], Vec::as_slice))
    }

    /// Returns the inline functions of the index that have one of the names, in order of their paths.
    pub(super) fn inline_functions(
        &self,
        names: &BTreeSet<String>,
    ) -> Result<Vec<InlineFunction>, Cancelled> {
        inline_functions(self.view, names, &mut self.inline.borrow_mut(), self.cancel)
    }

    fn find(&self) -> Result<DeclaringFiles, Cancelled> {
        let mut found = DeclaringFiles::new();
        self.each_file(|package, wanted, file, outline| {
            let rows = outline.rows.iter().filter(|row| row.parent().is_none() && is_type(row.kind()));
            let mut classes: BTreeSet<&str> = rows.map(|row| outline.name(row)).collect();
            let facade = has_facade(file, outline).then(|| file_class_name(&file.path));
            classes.extend(facade.as_deref());
            for class in classes.into_iter().filter(|class| wanted.contains(*class)) {
                found.entry((package.to_owned(), class.to_owned())).or_default().push(file.path.clone());
            }
        })?;
        // A facade's own name stands only in the text, which is read for classes that no file was found for.
        let mut named: Vec<(String, String, RelPath)> = Vec::new();
        self.each_file(|package, wanted, file, outline| {
            let is_open = |class: &String| !found.contains_key(&(package.to_owned(), class.clone()));
            let has_word = || outline.occurrences.contains(JVM_NAME);
            if !has_facade(file, outline) || !has_word() || !wanted.iter().any(is_open) {
                return;
            }
            let Ok(current) = self.view.saved(file) else { return };
            let Some(facade) = NamedText::of(current).facade().map(str::to_owned) else { return };
            let part = format!("{facade}{PART_OF_FACADE}{}", file_class_name(&file.path));
            for class in [facade, part].into_iter().filter(|class| wanted.contains(class)) {
                named.push((package.to_owned(), class, file.path.clone()));
            }
        })?;
        for (package, facade, path) in named {
            found.entry((package, facade)).or_default().push(path);
        }
        Ok(found)
    }

    /// Calls a function with each file of a wanted package, and the classes that are wanted of it.
    fn each_file(
        &self,
        mut visit: impl FnMut(&str, &BTreeSet<String>, &FileEntry, &Outline),
    ) -> Result<(), Cancelled> {
        for file in self.view.snapshot.files.iter() {
            self.cancel.check()?;
            let Some(imports) = file.imports() else { continue };
            let package = imports.package().unwrap_or_default();
            if let (Some(wanted), Some(outline)) = (self.wanted.get(&package), file.outline()) {
                visit(&package, wanted, file, outline);
            }
        }
        Ok(())
    }
}

/// Whether a file of Kotlin's has functions or properties at the top level, which are compiled into a class of the file.
fn has_facade(file: &FileEntry, outline: &Outline) -> bool {
    let mut rows = outline.rows.iter();
    file.path.file_name().ends_with(".kt") && rows.any(|row| row.parent().is_none() && !is_type(row.kind()))
}
