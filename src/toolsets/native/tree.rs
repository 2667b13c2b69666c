//! What several paths begin with is written once: a list of `/`-separated keys as an indented tree. For file paths
//! and for name paths; knows neither. Invariant: a key stays on its line.

use crate::base::escaped;

/// Writes `items` in their order: neighbours that begin with the same components share a line that ends in `/`, and
/// stand one column deeper beneath it. `written` bytes of each key stand above already. `leaf` writes one item at a
/// depth, given the rest of its key.
pub(super) fn write<'a, T: Copy>(
    items: &[T],
    key: &impl Fn(T) -> &'a str,
    leaf: &mut impl FnMut(T, usize, &str, &mut Vec<String>),
    (written, depth): (usize, usize),
    lines: &mut Vec<String>,
) {
    let rest = |item: T| &key(item)[written..];
    let directory = |item: T| rest(item).find('/').map(|slash| &rest(item)[..slash]);
    for group in items.chunk_by(|&a, &b| directory(a).is_some() && directory(a) == directory(b)) {
        let first = rest(group[0]);
        if group.len() == 1 {
            leaf(group[0], depth, &escaped(first), lines);
            continue;
        }
        let shared = group.iter().map(|&item| shared_directories(first, rest(item))).min().unwrap_or(0);
        lines.push(format!("{}{}", " ".repeat(depth), escaped(&first[..shared])));
        write(group, key, leaf, (written + shared, depth + 1), lines);
    }
}

/// How many bytes of whole components both keys begin with, the last `/` included.
fn shared_directories(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let directories = &a.as_bytes()[..same];
    // Two equal keys: the last component is no directory.
    directories.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_written_once() {
        let paths = ["a/b/c/x", "a/b/c/y", "a/b/z", "a/q", "b/c/only", "top", "top"];
        let mut lines = Vec::new();
        let leaf = &mut |_, depth: usize, rest: &str, lines: &mut Vec<String>| {
            lines.push(format!("{}{rest}", " ".repeat(depth)));
        };
        write(&paths, &|path| path, leaf, (0, 0), &mut lines);
        assert_eq!(lines.join("\n"), "a/\n b/\n  c/\n   x\n   y\n  z\n q\nb/c/only\ntop\ntop");
    }
}
