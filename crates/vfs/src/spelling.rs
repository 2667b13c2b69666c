//! Converts paths as clients spell them: absolute paths inside the project, and names in the escaped form in
//! which lines of text display them. Only converts the spelling; whether the path may be opened is checked
//! where it is opened.

use std::path::Path;

use symd_base::{RelPath, unescaped};

/// Returns the absolute path `text` relative to the project at `root` (absolute, links resolved); `None` when
/// `text` is not absolute or lies elsewhere. `text` may spell the root with links in it.
pub fn beneath_root(root: &Path, text: &str) -> Option<String> {
    if !text.starts_with('/') || text.contains('\0') {
        return None;
    }
    // The longest ancestor first: `/root/../root/a` lies in the project.
    let rest = Path::new(text).ancestors().find_map(|ancestor| {
        let is_root = ancestor == root || ancestor.canonicalize().is_ok_and(|real| real == root);
        if is_root { Path::new(text).strip_prefix(ancestor).ok() } else { None }
    })?;
    let rest = rest.to_str()?;
    RelPath::new(rest).ok()?;
    Some(if rest.is_empty() { ".".to_owned() } else { rest.to_owned() })
}

/// Returns the path, relative to `root` or absolute, of which `text` is the escaped form. `None` when a file
/// named exactly `text` exists, or none with the unescaped name.
pub fn escaped_name(root: &Path, text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let is_there = |name: &str| rustix::fs::lstat(root.join(name)).is_ok();
    unescaped(text).filter(|name| !name.contains('\0') && !is_there(text) && is_there(name))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_lie_in_the_project_however_its_root_is_spelled() {
        let scratch = tempfile::tempdir().expect("scratch");
        let root = scratch.path().canonicalize().expect("canonical").join("root");
        std::fs::create_dir_all(root.join("d")).expect("made");
        std::os::unix::fs::symlink(&root, root.with_file_name("link")).expect("linked");
        let at = |text: &str| text.replace('@', root.parent().and_then(Path::to_str).expect("UTF-8"));
        for (text, expected) in [
            ("@/root/d/f", Some("d/f")),
            ("@/root/missing/f.py:12", Some("missing/f.py:12")),
            ("@/link/d/f", Some("d/f")),
            ("@/link", Some(".")),
            ("@/root/", Some(".")),
            ("@/root/../root/d", Some("d")),
            ("@/root/d/../f", Some("f")),
            ("@/root/../other", None),
            ("@/rooted/f", None),
            ("@", None),
            ("d/f", None),
            ("@/root/a\0b", None),
        ] {
            assert_eq!(beneath_root(&root, &at(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_escaped_name_is_understood_where_it_is_not_itself_a_name() {
        let scratch = tempfile::tempdir().expect("scratch");
        let root = scratch.path();
        std::fs::write(root.join("a\nb"), "").expect("written");
        std::fs::write(root.join("c\nd"), "").expect("written");
        std::fs::write(root.join("c\\nd"), "").expect("written");
        assert_eq!(escaped_name(root, "a\\nb").as_deref(), Some("a\nb"));
        assert_eq!(escaped_name(root, "c\\nd"), None);
        assert_eq!(escaped_name(root, "e\\nf"), None);
        assert_eq!(escaped_name(root, "a\nb"), None);
    }
}
