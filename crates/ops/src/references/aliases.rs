//! Imports that give a symbol another name, of which the uses are not followed. Those of Kotlin are (`symd_resolve::indirect_uses`).

use super::answer::References;
use crate::spot::whole_words;
use symd_base::RelPath;
use symd_resolve::{Role, has_types};

impl References {
    /// Returns the files that import the symbol under another name and in which no use of that name was
    /// found, each with that name, in path order. Neither ty nor syntax follows such names; Kotlin's types do.
    pub fn unfollowed_aliases(&self) -> Vec<(&RelPath, &str)> {
        if has_types(&self.target.file) {
            return Vec::new();
        }
        let name = self.target.name.as_str();
        let mut renamed = Vec::new();
        for of_file in self.list.chunk_by(|a, b| a.spot.path == b.spot.path) {
            let imports = of_file.iter().filter(|one| one.role == Role::Import);
            for alias in imports.filter_map(|one| import_alias(&one.spot.around.line, name)) {
                let is_told = of_file.iter().any(|one| {
                    let holds = |word| whole_words(&one.spot.around.line, word).next().is_some();
                    // A use of the own name beside the other one tells nothing of that.
                    one.role != Role::Import && holds(alias) && !holds(name)
                });
                if !is_told && alias != name {
                    renamed.push((&of_file[0].spot.path, alias));
                }
            }
        }
        renamed
    }
}

/// Returns `b` of an import's `a as b`, where `a` is `name`.
pub(crate) fn import_alias<'a>(line: &'a str, name: &'a str) -> Option<&'a str> {
    // TypeScript's `export { a as b }` is not an import, and servers of that language follow it.
    let rest = whole_words(line, name).map(|at| &line[at + name.len()..]);
    let mut aliases = rest.filter_map(|rest| rest.trim_start().strip_prefix("as "));
    let alias = aliases.next().filter(|_| !line.trim_start().starts_with("export"))?.trim_start();
    let end = alias.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(alias.len());
    (end > 0).then(|| &alias[..end])
}
