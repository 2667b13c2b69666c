//! From matches of the imports query to [`Imports`].

use tree_sitter::QueryMatch;

use super::packed::Packer;
use super::roles::ImportRole;
use super::use_tree::{self, Leaf};
use super::{ImportKind, Imports};

/// One import on its way into [`Imports`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Draft {
    start: u32,
    end: u32,
    /// Orders the imports of one statement.
    at: u32,
    kind: char,
    module: String,
    /// Empty for the module itself, `*` for everything in it.
    name: String,
    alias: String,
}

/// What a match says: usually one import, many for a tree of them.
pub(crate) fn draft(role: &ImportRole, found: &QueryMatch, text: &str, drafts: &mut Vec<Draft>) {
    let node = |index: Option<u32>| {
        let index = index?;
        found.captures.iter().find(|capture| capture.index == index).map(|capture| capture.node)
    };
    let written = |index: Option<u32>| node(index).and_then(|node| text.get(node.byte_range())).map(bare);
    let Some(statement) = node(Some(role.statement)) else { return };
    let at = node(role.name.or(role.alias)).map_or(0, |node| node.start_byte());
    let written_statement = text.get(statement.byte_range()).unwrap_or("");
    // C's includes hold their line break.
    let end = statement.start_byte() + written_statement.trim_end().len();
    // `export default class A { … }` is a statement up to its name: the rest is no import.
    let end = match node(role.name) {
        Some(name) if role.fixed_alias.is_some() => name.end_byte(),
        _ => end,
    };
    let mut push = |module: String, name: String, alias: String| {
        // Tabs and line feeds separate here; no module that is a file has them.
        if [&module, &name, &alias].iter().any(|field| field.contains(['\t', '\n'])) {
            return;
        }
        drafts.push(Draft {
            start: offset(statement.start_byte()),
            end: offset(end),
            at: offset(at),
            kind: match role.kind {
                ImportKind::Import => 'i',
                ImportKind::Export => 'e',
                ImportKind::Package => 'p',
            },
            module,
            name,
            alias,
        });
    };
    if role.kind == ImportKind::Package {
        return push(written(Some(role.statement)).unwrap_or_default(), String::new(), String::new());
    }
    if let Some(tree) = node(role.tree) {
        for Leaf { module, name, alias } in use_tree::leaves(text.get(tree.byte_range()).unwrap_or("")) {
            push(module, name, alias);
        }
        return;
    }
    let is_star = role.always_star || node(role.star).is_some();
    let alias = written(role.alias).or_else(|| role.fixed_alias.as_deref().map(str::to_owned));
    let (module, name) = match written(role.path) {
        Some(path) if is_star => (path, None),
        Some(path) => match path.rsplit_once('.') {
            Some((module, name)) => (module.to_owned(), Some(name.to_owned())),
            None => (String::new(), Some(path)),
        },
        None => (written(role.module).unwrap_or_default(), written(role.name)),
    };
    let name = if is_star { Some("*".to_owned()) } else { name };
    let name = name.or_else(|| role.fixed_name.as_deref().map(str::to_owned)).unwrap_or_default();
    // `import { a as a }` and the like bind the name itself.
    let alias = alias.filter(|alias| *alias != name).unwrap_or_default();
    push(module, name, alias);
}

/// Whether all imports of a file are among those that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllOfThem {
    Yes,
    No,
}

/// Sorts what was found and packs it, and says whether that is all of it. `drafts` is left empty.
pub(crate) fn build(drafts: &mut Vec<Draft>) -> (Imports, AllOfThem) {
    drafts.sort_unstable();
    drafts.dedup();
    let mut packer = Packer::new();
    for draft in drafts.drain(..) {
        let kind = match draft.kind {
            'e' => ImportKind::Export,
            'p' => ImportKind::Package,
            _ => ImportKind::Import,
        };
        packer.add(kind, (draft.start, draft.end), [&draft.module, &draft.name, &draft.alias]);
    }
    let all = if packer.is_full() { AllOfThem::No } else { AllOfThem::Yes };
    (packer.finish(), all)
}

/// Without quotes, backticks and white space.
fn bare(written: &str) -> String {
    let is_kept = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '<' | '>');
    written.chars().filter(is_kept).collect()
}

/// A byte offset in a text that was checked to be shorter than 4 GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
