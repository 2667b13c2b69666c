//! Rust's use trees, parsed as text: `a::{b, c::{self, d as e}, f::*}` → its leaves.

/// Maximum nesting depth of braces; deeper leaves are omitted.
const MAX_DEPTH: usize = 32;

/// One imported module or name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) module: String,
    /// Empty for the module itself, `*` for all its names.
    pub(super) name: String,
    pub(super) alias: String,
}

/// Returns all leaves, in order.
pub(super) fn leaves(tree: &str) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    grow(tree, "", 0, &mut leaves);
    leaves
}

fn grow(tree: &str, prefix: &str, depth: usize, leaves: &mut Vec<Leaf>) {
    let tree = tree.trim();
    if tree.is_empty() || depth > MAX_DEPTH {
        return;
    }
    if let Some(open) = tree.find('{') {
        let inner = tree[open + 1..].strip_suffix('}').unwrap_or(&tree[open + 1..]);
        let prefix = joined(prefix, tree[..open].trim().trim_end_matches("::"));
        split(inner).for_each(|part| grow(part, &prefix, depth + 1, leaves));
        return;
    }
    let (path, alias) = match tree.split_once(" as ") {
        Some((path, alias)) => (path, alias.trim()),
        None => (tree, ""),
    };
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    let (module, name) = match path.rsplit_once("::") {
        Some((module, name)) => (joined(prefix, module), name),
        None => (prefix.to_owned(), &*path),
    };
    let name = if name == "self" && !module.is_empty() { "" } else { name };
    leaves.push(Leaf { module, name: name.to_owned(), alias: alias.to_owned() });
}

/// Returns the parts between commas outside braces.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

fn joined(prefix: &str, path: &str) -> String {
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path,
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}::{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_is_found() {
        let found = leaves("a::{b, c::{self, d as e}, f::*, super::g}");
        let found: Vec<(&str, &str, &str)> =
            found.iter().map(|leaf| (&*leaf.module, &*leaf.name, &*leaf.alias)).collect();
        assert_eq!(
            found,
            [("a", "b", ""), ("a::c", "", ""), ("a::c", "d", "e"), ("a::f", "*", ""), ("a::super", "g", "")]
        );
        assert_eq!(leaves(&"a::{".repeat(10_000)).len(), 0);
    }
}
