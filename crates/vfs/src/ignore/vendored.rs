//! Folders that hold other people's code or generated files, told by their name and by what stands beside
//! them. The names come from the caller; nothing is known here about languages.

use crate::Entry;

/// Which folders are vendored or generated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vendored {
    /// Folder names left out wherever they stand: `node_modules`.
    pub names: Vec<String>,
    /// Folder names left out only beside one of these markers: `target` beside `Cargo.toml`. A marker is a
    /// name, or `*` and the end of a name: `*.csproj`.
    pub beside: Vec<(String, Vec<String>)>,
    /// Folder names whose content is left out when they hold one of these markers: `venv` with `pyvenv.cfg`.
    pub holding: Vec<(String, Vec<String>)>,
}

impl Vendored {
    /// Whether the folder `name` is left out in a directory that holds `markers`.
    pub(super) fn leaves_out(&self, name: &str, markers: &[String]) -> bool {
        self.names.iter().any(|vendored| vendored == name)
            || self.beside.iter().any(|(vendored, wanted)| {
                vendored == name
                    && wanted.iter().any(|pattern| markers.iter().any(|marker| fits(pattern, marker)))
            })
    }

    /// Whether all that the folder `name` holds is left out, given the markers in it.
    pub(super) fn seals(&self, name: &str, markers: &[String]) -> bool {
        self.holding.iter().any(|(vendored, wanted)| {
            vendored == name
                && wanted.iter().any(|pattern| markers.iter().any(|marker| fits(pattern, marker)))
        })
    }

    /// Whether the coming or going of `name` may change what is left out beside it.
    pub(super) fn is_marker(&self, name: &str) -> bool {
        let mut rules = self.beside.iter().chain(&self.holding);
        rules.any(|(_, wanted)| wanted.iter().any(|pattern| fits(pattern, name)))
    }

    pub(super) fn markers_among(&self, entries: &[Entry]) -> Vec<String> {
        if self.beside.is_empty() && self.holding.is_empty() {
            return Vec::new();
        }
        entries.iter().filter(|entry| self.is_marker(&entry.name)).map(|entry| entry.name.clone()).collect()
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_prefix('*').map_or(pattern == name, |end| name.ends_with(end))
}
