//! The languages that the user has configured, and which of them a project has, determined from the names of
//! its files without ignored and vendored ones. Needs no daemon, so `install`, `doctor` and `trust` work
//! without one. `serve::setup` reads a project's own configuration.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::failure::{Exit, Failure};
use crate::base::cancel::Cancelled;
use crate::base::state;
use crate::base::{Cancel, RelPath, state::StateDirs};
use crate::config::layers::LayerText;
use crate::config::trust::Trust;
use crate::config::{LanguageId, Languages};
use crate::engine;
use crate::serve::setup;
use crate::vfs::{Entry, EntryKind, Ignore, IgnoreSettings, Root, TreeWalk};

/// The most file names that are examined; more are unlikely to add a language.
const ENOUGH_NAMES: usize = 1_000_000;

/// Returns the languages with the user's file merged over the built-in one. The project's file is ignored:
/// what is installed, and from where, is the user's decision.
pub(super) fn of_user(dirs: &StateDirs) -> Result<Arc<Languages>, Failure> {
    let path = setup::user_file(&dirs.persistent.config);
    let bytes = state::read_file(&path).map_err(|error| Exit::Failed.because(error))?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let file = path.display().to_string();
    let layer = text.as_deref().map(|text| LayerText { file: &file, text });
    let loaded = Languages::load(layer, None, &Trust::Never).map_err(|error| Exit::Usage.because(error))?;
    Ok(loaded.languages)
}

/// Returns the languages of the project at `root`, in the order of languages.toml. Skips directories that
/// cannot be read.
pub(super) fn present_in(root: &Path, languages: &Languages) -> std::io::Result<Vec<LanguageId>> {
    let root = Root::open(root)?;
    let settings = IgnoreSettings {
        vendored: engine::vendored(languages),
        global: IgnoreSettings::global_excludes(|name| std::env::var_os(name)),
    };
    let ignore = Ignore::new(&root, settings);
    let (mut found, mut seen) = (BTreeSet::new(), 0);
    let look = |directory: &RelPath, entries: Vec<Entry>, _| {
        let (mut found, mut below) = (BTreeSet::new(), Vec::new());
        let rules = ignore.enter(&root, directory, &entries);
        for entry in &entries {
            let path = directory.join(&entry.name);
            match entry.kind {
                EntryKind::Link | EntryKind::Other => {}
                kind if ignore.ignores(&rules, &path, kind) => {}
                EntryKind::Directory => below.push(entry.name.clone()),
                EntryKind::File => found.extend(languages.language_of(&path)),
            }
        }
        ((found, entries.len()), below)
    };
    let never = Cancel::new();
    let walked = TreeWalk::whole(&root, &never).run(&RelPath::root(), look, |_, looked| {
        let (mut more, names) = looked.unwrap_or_default();
        found.append(&mut more);
        seen += names;
        let is_enough = seen >= ENOUGH_NAMES;
        Ok::<_, Cancelled>(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    walked.map_err(std::io::Error::other)?;
    Ok(found.into_iter().collect())
}
