//! Which files of a project frames may lie in: those with the names that frames have, and those that declare their classes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::inlined::{InlineFunction, inline_functions};
use super::named_text::NamedText;
use super::names::source_names;
use super::parse::ParsedFrame;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::{Content, FileEntry};
use symd_resolve::is_type;
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
            if !frame.file.is_empty() {
                wanted.names.insert(frame.file.clone());
            } else if let Some(names) = source_names(frame) {
                wanted.names.extend(files_of_class(&names.outer));
                wanted.classes.entry(names.package).or_default().insert(names.outer);
            }
        }
        wanted
    }
}

/// Returns the names that the file of a class usually has, each once.
pub(super) fn files_of_class(outer: &str) -> Vec<String> {
    let of_facade = outer.strip_suffix("Kt").map(|stem| format!("{stem}.kt"));
    of_facade.into_iter().chain([format!("{outer}.kt"), format!("{outer}.java")]).collect()
}

/// The files of the index that declare the wanted classes. The index is gone through once for all of them, and only if one is
/// asked for.
pub(super) struct ClassFiles<'v> {
    view: &'v View,
    wanted: BTreeMap<String, BTreeSet<String>>,
    cancel: &'v Cancel,
    found: OnceCell<DeclaringFiles>,
}

/// The files that declare a class, in path order, by its package and name.
type DeclaringFiles = BTreeMap<(String, String), Vec<RelPath>>;

impl<'v> ClassFiles<'v> {
    pub(super) fn of(view: &'v View, wanted: WantedFiles, cancel: &'v Cancel) -> ClassFiles<'v> {
        ClassFiles { view, wanted: wanted.classes, cancel, found: OnceCell::new() }
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
        inline_functions(self.view, names, self.cancel)
    }

    fn find(&self) -> Result<DeclaringFiles, Cancelled> {
        let mut found = DeclaringFiles::new();
        for file in self.view.snapshot.files.iter() {
            self.cancel.check()?;
            let Content::Code { outline, .. } = &file.content else { continue };
            let package = outline.imports.package().unwrap_or_default();
            let Some(wanted) = self.wanted.get(&package) else { continue };
            let rows = outline.rows.iter().filter(|row| row.parent().is_none() && is_type(row.kind()));
            let classes: BTreeSet<&str> =
                rows.map(|row| outline.name(row)).filter(|class| wanted.contains(*class)).collect();
            let facade = self.facade(file, outline);
            let facade = facade.as_deref().filter(|facade| wanted.contains(*facade));
            for class in classes.into_iter().chain(facade) {
                found.entry((package.clone(), class.to_owned())).or_default().push(file.path.clone());
            }
        }
        Ok(found)
    }

    /// Returns the class that a file's functions and properties of the top level are compiled into.
    fn facade(&self, file: &FileEntry, outline: &Outline) -> Option<String> {
        let stem = file.path.file_name().strip_suffix(".kt")?;
        outline.rows.iter().find(|row| row.parent().is_none() && !is_type(row.kind()))?;
        let text = self.view.saved(file).ok()?;
        Some(NamedText::of(text).facade().map_or_else(|| usual_facade(stem), str::to_owned))
    }
}

/// `My_textsKt` for `my-texts`.
fn usual_facade(stem: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name: String = stem.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    let mut chars = name.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}Kt", chars.as_str())
}
