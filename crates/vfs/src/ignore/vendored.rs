//! Folders that contain third-party or generated code, recognised by their name and by marker files. The
//! names come from the caller; nothing here depends on languages.

use crate::Entry;

/// Patterns for vendored or generated folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vendored {
    /// Folder names that are always ignored: `node_modules`.
    pub names: Vec<String>,
    /// Folder names that are ignored only next to one of these markers: `target` next to `Cargo.toml`. A
    /// marker is a name, or `*` and the end of a name: `*.csproj`.
    pub beside: Vec<(String, Vec<String>)>,
    /// Folder names whose content is ignored when they contain one of these markers: `venv` with
    /// `pyvenv.cfg`.
    pub holding: Vec<(String, Vec<String>)>,
}

impl Vendored {
    /// Whether the folder `name` is ignored in a directory that contains `markers`.
    pub(super) fn ignores(&self, name: &str, markers: &[String]) -> bool {
        self.names.iter().any(|vendored| vendored == name)
            || self.beside.iter().any(|(vendored, wanted)| {
                vendored == name
                    && wanted
                        .iter()
                        .any(|pattern| markers.iter().any(|marker| matches_pattern(pattern, marker)))
            })
    }

    /// Whether everything in the folder `name` is ignored, given the markers in that folder.
    pub(super) fn ignores_all_content(&self, name: &str, markers: &[String]) -> bool {
        self.holding.iter().any(|(vendored, wanted)| {
            vendored == name
                && wanted.iter().any(|pattern| markers.iter().any(|marker| matches_pattern(pattern, marker)))
        })
    }

    /// Whether creating or removing `name` may change what is ignored around it.
    pub(super) fn is_marker(&self, name: &str) -> bool {
        let mut rules = self.beside.iter().chain(&self.holding);
        rules.any(|(_, wanted)| wanted.iter().any(|pattern| matches_pattern(pattern, name)))
    }

    pub(super) fn markers_among(&self, entries: &[Entry]) -> Vec<String> {
        if self.beside.is_empty() && self.holding.is_empty() {
            return Vec::new();
        }
        entries.iter().filter(|entry| self.is_marker(&entry.name)).map(|entry| entry.name.clone()).collect()
    }
}

fn matches_pattern(pattern: &str, name: &str) -> bool {
    pattern.strip_prefix('*').map_or(pattern == name, |end| name.ends_with(end))
}
