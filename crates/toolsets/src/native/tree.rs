//! Formats a list of `/`-separated keys as an indented tree, so that shared prefixes are written once. It
//! serves file paths and name paths and depends on neither. Invariant: a key stays on its line.

use symd_base::escaped;

/// Writes `items` in their order. Neighbours that begin with the same components are put beneath a shared
/// line that ends in `/`, one column deeper. `written` bytes of each key have been written above already.
/// `leaf` writes one item at a depth, given the rest of its key.
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

/// The number of items from which shared path prefixes are written once; of fewer, only if that saves
/// [`WORTH_GROUPING`] characters.
const MANY: usize = 5;
pub(super) const WORTH_GROUPING: usize = 40;

/// Formats one line per item, after its path. A few items with short paths keep their whole paths; otherwise
/// the items of a file are put beneath it, and shared path prefixes above.
pub(super) fn by_file<T>(
    items: &[T],
    path: impl Fn(&T) -> String,
    line: impl Fn(&T) -> String,
) -> Vec<String> {
    let groups: Vec<(String, &[T])> =
        items.chunk_by(|a, b| path(a) == path(b)).map(|group| (path(&group[0]), group)).collect();
    let groups: Vec<&(String, &[T])> = groups.iter().collect();
    let leaf = &mut |(_, group): &(String, &[T]), depth: usize, file: &str, lines: &mut Vec<String>| {
        let indent = " ".repeat(depth);
        if let [only] = group {
            lines.push(format!("{indent}{file}:{}", line(only)));
            return;
        }
        lines.push(format!("{indent}{file}"));
        lines.extend(group.iter().map(|item| format!("{indent} {}", line(item))));
    };
    let mut lines = Vec::new();
    write(&groups, &|group: &(String, &[T])| group.0.as_str(), leaf, (0, 0), &mut lines);
    if items.len() < MANY {
        let whole: Vec<String> =
            items.iter().map(|item| format!("{}:{}", escaped(&path(item)), line(item))).collect();
        if characters(&lines) + WORTH_GROUPING > characters(&whole) {
            return whole;
        }
    }
    lines
}

/// The innermost directory that contains all of the paths, with a slash at its end; empty if they share none.
pub(super) fn shared_directory<'p>(paths: &[&'p str]) -> &'p str {
    let Some((first, rest)) = paths.split_first() else { return "" };
    let own = first.rfind('/').map_or(0, |slash| slash + 1);
    let shared = rest.iter().map(|path| shared_directories(first, path)).min().unwrap_or(own);
    &first[..shared.min(own)]
}

/// Returns the number of characters of the lines, line feeds included.
pub(super) fn characters(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count() + 1).sum()
}

/// Returns the length in bytes of the components that both keys begin with, including the last `/`.
fn shared_directories(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let directories = &a.as_bytes()[..same];
    // The last component of two equal keys is no directory.
    directories.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_grouped_by_file() {
        let all = [("a/b/x.py", 1), ("a/b/x.py", 2), ("a/c.py", 3), ("d.py", 4), ("e.py", 5)];
        let shown = |items: &[(&str, u32)]| {
            by_file(items, |item| item.0.to_owned(), |item| item.1.to_string()).join("\n")
        };
        assert_eq!(shown(&all), "a/\n b/x.py\n  1\n  2\n c.py:3\nd.py:4\ne.py:5");
        assert_eq!(shown(&all[1..]), "a/b/x.py:2\na/c.py:3\nd.py:4\ne.py:5");
        let long = "a/directory/with/a/path/longer/than/a/few/words/x.py";
        assert_eq!(shown(&[(long, 1), (long, 2)]), format!("{long}\n 1\n 2"));
    }

    #[test]
    fn a_directory_is_shared_by_whole_names() {
        assert_eq!(shared_directory(&["a/b/x", "a/bc/y"]), "a/");
        assert_eq!(shared_directory(&["a/b/x", "a/b/x"]), "a/b/");
        assert_eq!(shared_directory(&["a/b/x"]), "a/b/");
        assert_eq!(shared_directory(&["a/x", "b/x"]), "");
    }

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
