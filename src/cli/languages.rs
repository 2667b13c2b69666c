//! The languages that a command goes by, and which of them a project has, told by the names of its files, ignored and
//! vendored ones left out. Asks no daemon, so that `install` and `doctor` need none; of the project's files it reads
//! ignore rules and those of symd's own settings.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::failure::{Exit, Failure};
use crate::base::state;
use crate::base::{RelPath, state::StateDirs};
use crate::config::layers::{LayerText, Loaded};
use crate::config::trust::{CommandFiles, Trust};
use crate::config::{LanguageId, Languages};
use crate::engine;
use crate::serve::Place;
use crate::vfs::{EntryKind, Ignore, IgnoreSettings, Root, VfsError};

/// The user's own file, in the configuration directory.
const FILE: &str = "languages.toml";
/// The project's.
const PROJECT_FILE: &str = ".symd/languages.toml";

/// The languages with the user's file merged over the binary's. The project has no say: what is installed, and from
/// where, is the user's business.
pub(super) fn of_user(dirs: &StateDirs) -> Result<Arc<Languages>, Failure> {
    let (file, text) = user_text(dirs)?;
    let layer = text.as_deref().map(|text| LayerText { file: &file, text });
    let loaded = Languages::load(layer, None, &Trust::Never).map_err(|error| Exit::Usage.because(error))?;
    Ok(loaded.languages)
}

/// All layers merged, as the project's daemon has them, and whether the project is trusted.
pub(super) fn of_project(dirs: &StateDirs, place: &Place) -> Result<(Loaded, Trust), Failure> {
    let (file, text) = user_text(dirs)?;
    let user = text.as_deref().map(|text| LayerText { file: &file, text });
    let root = Root::open(&place.root).map_err(|error| Exit::Failed.because(error))?;
    let read = |file: &str| match RelPath::new(file).map(|path| root.read(&path)) {
        Ok(Ok(file)) => Ok(Some(file.bytes)),
        Ok(Err(VfsError::NotFound { .. })) => Ok(None),
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let mut project = None;
    let files = CommandFiles::read(|file| {
        let content = read(file);
        if let (PROJECT_FILE, Ok(Some(bytes))) = (file, &content) {
            // What is merged is what trust was asked for: it is read once.
            project = Some(String::from_utf8_lossy(bytes).into_owned());
        }
        content
    });
    let trust = Trust::of(&place.state, &place.root, &files);
    let project = project.as_deref().map(|text| LayerText { file: PROJECT_FILE, text });
    let loaded = Languages::load(user, project, &trust).map_err(|error| Exit::Usage.because(error))?;
    Ok((loaded, trust))
}

fn user_text(dirs: &StateDirs) -> Result<(String, Option<String>), Failure> {
    let file = dirs.config.join(FILE);
    let text = state::read_file(&file).map_err(|error| Exit::Failed.because(error))?;
    Ok((file.display().to_string(), text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())))
}

/// The languages of the project at `root`, in the order of languages.toml. A directory that cannot be read holds none.
pub(super) fn present_in(root: &Path, languages: &Languages) -> std::io::Result<Vec<LanguageId>> {
    let root = Root::open(root)?;
    let settings = IgnoreSettings {
        vendored: engine::vendored(languages),
        global: IgnoreSettings::global_excludes(|name| std::env::var_os(name)),
    };
    let ignore = Ignore::new(&root, settings);
    let mut found = BTreeSet::new();
    let mut open = vec![RelPath::root()];
    while let Some(directory) = open.pop() {
        let listing = root.open_directory_itself(&directory);
        let Ok((entries, _)) = listing.and_then(|opened| root.list(&directory, &opened)) else { continue };
        let rules = ignore.enter(&root, &directory, &entries);
        for entry in &entries {
            let path = directory.join(&entry.name);
            match entry.kind {
                EntryKind::Link | EntryKind::Other => {}
                kind if ignore.leaves_out(&rules, &path, kind) => {}
                EntryKind::Directory => open.push(path),
                EntryKind::File => found.extend(languages.language_of(&path)),
            }
        }
    }
    Ok(found.into_iter().collect())
}
