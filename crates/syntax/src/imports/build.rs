//! Converts matches of the imports query to [`Imports`].

use tree_sitter::{Node, QueryMatch};

use super::packed::Packer;
use super::roles::ImportRole;
use super::use_tree::{self, Leaf};
use super::{ImportKind, Imports};

/// One import to be packed into [`Imports`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Draft {
    start: u32,
    end: u32,
    /// Order of the imports within one statement.
    at: u32,
    kind: char,
    module: String,
    /// Empty for the module itself, `*` for all its names.
    name: String,
    alias: String,
}

/// Adds the imports of a match: usually one, several for a use tree or a list.
pub(crate) fn draft(role: &ImportRole, found: &QueryMatch, text: &str, drafts: &mut Vec<Draft>) {
    let node = |index: Option<u32>| {
        let index = index?;
        found.captures.iter().find(|capture| capture.index == index).map(|capture| capture.node)
    };
    let text_of = |node: Node| text.get(node.byte_range()).map(strip_quotes);
    let written = |index: Option<u32>| node(index).and_then(text_of);
    let Some(statement) = node(Some(role.statement)) else { return };
    let at = node(role.name.or(role.alias)).map_or(0, |node| node.start_byte());
    let written_statement = text.get(statement.byte_range()).unwrap_or("");
    // The node of a C include contains its line break.
    let end = statement.start_byte() + written_statement.trim_end().len();
    // In `export default class A { … }` only the part up to the name is the statement.
    let end = match node(role.name) {
        Some(name) if role.fixed_alias.is_some() => name.end_byte(),
        _ => end,
    };
    let mut push = |at: usize, module: String, name: String, alias: String| {
        // Tabs and line feeds are separators here; no module path to a file contains them.
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
        return push(at, written(Some(role.statement)).unwrap_or_default(), String::new(), String::new());
    }
    if let Some(tree) = node(role.tree) {
        for Leaf { module, name, alias } in use_tree::leaves(text.get(tree.byte_range()).unwrap_or("")) {
            push(at, module, name, alias);
        }
        return;
    }
    if let Some(list) = node(role.list) {
        for (name, alias) in list.named_children(&mut list.walk()).filter_map(listed_name) {
            let written_name = text_of(name).unwrap_or_default();
            let alias = alias.and_then(text_of).filter(|alias| *alias != written_name).unwrap_or_default();
            push(name.start_byte(), written(role.module).unwrap_or_default(), written_name, alias);
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
    // `import { a as a }` binds the name itself.
    let alias = alias.filter(|alias| *alias != name).unwrap_or_default();
    push(at, module, name, alias);
}

/// Returns the name and the alias that a node in a list of imported names stands for: `a as b`, and in `const { a, b: c } = require("m")`.
fn listed_name(one: Node) -> Option<(Node, Option<Node>)> {
    match one.kind() {
        "import_specifier" | "export_specifier" => {
            Some((one.child_by_field_name("name")?, one.child_by_field_name("alias")))
        }
        "shorthand_property_identifier_pattern" => Some((one, None)),
        "pair_pattern" => {
            let (key, value) = (one.child_by_field_name("key")?, one.child_by_field_name("value")?);
            let is_alias = key.kind() == "property_identifier" && value.kind() == "identifier";
            is_alias.then_some((key, Some(value)))
        }
        _ => None,
    }
}

/// Whether all imports of a file were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportCoverage {
    Complete,
    Truncated,
}

/// Sorts and packs the imports, and reports whether all were kept. Leaves `drafts` empty.
pub(crate) fn build(drafts: &mut Vec<Draft>) -> (Imports, ImportCoverage) {
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
    let all = if packer.is_full() { ImportCoverage::Truncated } else { ImportCoverage::Complete };
    (packer.finish(), all)
}

/// Removes quotes, backticks, angle brackets and white space; a name in backticks keeps its blanks.
fn strip_quotes(written: &str) -> String {
    let quoted = written.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    if let Some(name) = quoted.filter(|name| !name.contains('`')) {
        return name.to_owned();
    }
    let is_kept = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '<' | '>');
    written.chars().filter(is_kept).collect()
}

/// Converts a byte offset in a text that was checked to be shorter than 4 GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
