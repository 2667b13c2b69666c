//! Imports that give a symbol another name. Only reports them; the uses of that name are not followed.

use super::answer::References;
use crate::spot::whole_words;
use symd_base::RelPath;
use symd_resolve::Role;

impl References {
    /// Returns the files that import the symbol under another name and in which no use of that name was
    /// found, each with that name, in path order. Neither ty nor syntax follows such names.
    pub fn unfollowed_aliases(&self) -> Vec<(&RelPath, &str)> {
        let name = self.target.name.as_str();
        let mut renamed = Vec::new();
        for of_file in self.list.chunk_by(|a, b| a.spot.path == b.spot.path) {
            let imports = of_file.iter().filter(|one| one.role == Role::Import);
            for alias in imports.filter_map(|one| import_alias(&one.spot.around.line, name)) {
                let is_told = of_file.iter().any(|one| {
                    let line = &one.spot.around.line;
                    one.role != Role::Import && whole_words(line, alias).next().is_some()
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
