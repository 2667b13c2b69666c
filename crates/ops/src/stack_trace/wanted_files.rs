//! Which files of a project frames may lie in: those with the names that frames have, and those that declare their classes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::names::source_names;
use super::parse::ParsedFrame;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::Content;
use symd_resolve::is_type;

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

    /// Returns the files that declare a class, whatever their names, in path order.
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
            for class in classes {
                found.entry((package.clone(), class.to_owned())).or_default().push(file.path.clone());
            }
        }
        Ok(found)
    }
}
