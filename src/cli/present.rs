//! Which languages lie in a project, by a look of our own: for commands that must not start a daemon. Not the index:
//! it looks at names only, and stops when it has seen enough.

use std::collections::BTreeSet;

use crate::base::RelPath;
use crate::config::{LanguageId, Languages};
use crate::vfs::{EntryKind, Ignore, IgnoreSettings, Root, Vendored};

/// Names after which nothing new is to be expected.
const ENOUGH_NAMES: usize = 100_000;

/// The languages of the files in `root` that are not left out, in the order of languages.toml.
pub(super) fn languages(root: &Root, languages: &Languages) -> BTreeSet<LanguageId> {
    let unconditional =
        languages.vendored_rules().filter(|rule| rule.beside.is_empty() && rule.holding.is_empty());
    let vendored =
        Vendored { names: unconditional.map(|rule| rule.name.clone()).collect(), ..Vendored::default() };
    let ignore = Ignore::new(root, IgnoreSettings { vendored, global: None });
    let mut found = BTreeSet::new();
    let mut seen = 0;
    let mut directories = vec![RelPath::root()];
    while let Some(directory) = directories.pop() {
        // What cannot be listed holds nothing for us.
        let Ok(opened) = root.open_directory_itself(&directory) else { continue };
        let Ok((entries, _)) = root.list(&directory, &opened) else { continue };
        let rules = ignore.enter(root, &directory, &entries);
        for entry in &entries {
            let path = directory.join(&entry.name);
            if ignore.leaves_out(&rules, &path, entry.kind) {
                continue;
            }
            match entry.kind {
                EntryKind::Directory => directories.push(path),
                EntryKind::File => found.extend(languages.language_of(&path)),
                EntryKind::Link | EntryKind::Other => {}
            }
        }
        seen += entries.len();
        if seen > ENOUGH_NAMES {
            break;
        }
    }
    found
}
