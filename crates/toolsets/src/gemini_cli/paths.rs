//! The contract's paths: absolute, inside the root, and quoted in answers as the client wrote them (ruling on
//! paths). Invariant: a parsed path is beneath the root, as far as its text can tell.

use std::path::Path;

use crate::Reply;
use symd_base::RelPath;
use symd_base::path::PathError;
use symd_vfs::spelling;

/// Returns the failure of a call with invalid parameters, which did and read nothing.
pub(super) fn invalid(reason: impl std::fmt::Display) -> Reply {
    Reply::failed(format!("Error: Invalid parameters provided. Reason: {reason}"))
}

/// Returns the failure for a `path` that leaves the root, by its text or by a link.
pub(super) fn outside(root: &Path, path: &str) -> Reply {
    invalid(format!("File path must be within the root directory ({}): {path}", root.display()))
}

/// Parses an absolute path.
pub(super) fn absolute(root: &Path, text: &str) -> Result<RelPath, Reply> {
    if !text.starts_with('/') {
        return Err(invalid(format!("File path must be absolute: {}", text.replace('\0', "\\0"))));
    }
    let normal = normal(text);
    let root_text = root.to_string_lossy();
    let rest = match root_text.as_ref() {
        "/" => normal.strip_prefix('/'),
        root_text => match normal.strip_prefix(root_text) {
            Some("") => Some(""),
            rest => rest.and_then(|rest| rest.strip_prefix('/')),
        },
    };
    let rest = match rest {
        Some(rest) => rest.to_owned(),
        None => spelling::beneath_root(root, text).ok_or_else(|| outside(root, text))?,
    };
    RelPath::new(&rest).map_err(|error| match error {
        PathError::Invalid(_) => invalid(format!("Path is not valid: {}", text.replace('\0', "\\0"))),
        PathError::Absolute(_) | PathError::Outside(_) => outside(root, text),
    })
}

/// Parses a path that is absolute or relative to the root, as the search tools take it.
pub(super) fn from_root(root: &Path, text: &str) -> Result<RelPath, Reply> {
    if text.starts_with('/') {
        return absolute(root, text);
    }
    RelPath::new(text).map_err(|error| match error {
        PathError::Invalid(_) => invalid(format!("Path is not valid: {}", text.replace('\0', "\\0"))),
        PathError::Absolute(_) | PathError::Outside(_) => outside(root, text),
    })
}

/// Returns the absolute path of `path`.
pub(super) fn absolute_text(root: &Path, path: &RelPath) -> String {
    let root = root.to_string_lossy();
    match path.is_root() {
        true => root.into_owned(),
        false => format!("{}/{path}", root.trim_end_matches('/')),
    }
}

/// Normalizes `text`: removes `.` and empty components, and each `..` with the component before it.
fn normal(text: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
    format!("/{}", components.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_inside_the_root_name_its_files() {
        let root = Path::new("/home/u/p");
        let named = |text: &str| {
            absolute(root, text).map_or_else(|reply| reply.text, |path| format!("[{}]", path.as_str()))
        };
        let invalid = "Error: Invalid parameters provided. Reason: ";
        let within = "File path must be within the root directory (/home/u/p): ";
        let cases = [
            ("/home/u/p/a b/c", "[a b/c]".to_owned()),
            ("/home/u/p", "[]".to_owned()),
            ("/home/u/p/", "[]".to_owned()),
            ("//home/./u/p/x//y/../z", "[x/z]".to_owned()),
            ("/home/u/q/../p/a", "[a]".to_owned()),
            ("/home/u/p/a\\b", "[a\\b]".to_owned()),
            ("a/b", format!("{invalid}File path must be absolute: a/b")),
            ("", format!("{invalid}File path must be absolute: ")),
            ("C:\\x", format!("{invalid}File path must be absolute: C:\\x")),
            ("/etc/passwd", format!("{invalid}{within}/etc/passwd")),
            ("/home/u/pp", format!("{invalid}{within}/home/u/pp")),
            ("/home/u/p/../x", format!("{invalid}{within}/home/u/p/../x")),
            ("/home/u/p/..\\x", format!("{invalid}{within}/home/u/p/..\\x")),
            ("/home/u/p/a\0b", format!("{invalid}Path is not valid: /home/u/p/a\\0b")),
        ];
        for (text, expected) in cases {
            assert_eq!(named(text), expected, "{text:?}");
        }
        assert_eq!(absolute(Path::new("/"), "/etc").expect("inside").as_str(), "etc");
        assert_eq!(absolute_text(Path::new("/"), &RelPath::new("etc").expect("valid")), "/etc");
        assert_eq!(from_root(root, "src/../a").expect("inside").as_str(), "a");
    }
}
