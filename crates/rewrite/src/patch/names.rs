//! Parses file names in the headers of diffs: quoted, with prefixes and time stamps.

use super::parsed::PatchParseError;
use symd_base::RelPath;

/// Returns the name in a `---` or `+++` line, without time stamp and quotes; `None` for `/dev/null`.
pub(super) fn header_name(rest: &str) -> Option<String> {
    let name = match rest.strip_prefix('"') {
        Some(quoted) => unquoted(quoted).0,
        None => rest.split('\t').next().unwrap_or("").trim_end().to_owned(),
    };
    (name != "/dev/null").then_some(name)
}

/// Returns the text up to the closing quote, with C's escapes resolved as git writes them, and the rest after
/// it.
fn unquoted(quoted: &str) -> (String, &str) {
    let mut bytes = Vec::new();
    let mut rest = quoted.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, behind.split_first()) {
            (b'"', _) => break,
            (b'\\', Some((&escaped, behind))) => {
                let octal = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                if octal == 3 {
                    let value = rest[..3].iter().fold(0_u32, |value, b| value * 8 + u32::from(b - b'0'));
                    bytes.push(u8::try_from(value).unwrap_or(b'?'));
                    rest = &rest[3..];
                } else {
                    bytes.push(match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        other => other,
                    });
                    rest = behind;
                }
            }
            _ => bytes.push(byte),
        }
    }
    let left = std::str::from_utf8(rest).unwrap_or("");
    (String::from_utf8_lossy(&bytes).into_owned(), left)
}

/// Returns the two names of a `diff --git` line, if they can be separated.
pub(super) fn git_names(rest: &str) -> Option<(String, String)> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (old, rest) = unquoted(quoted);
        return Some((old, header_name(rest.trim_start())?));
    }
    // Names may contain blanks: the two halves are equal except for their prefixes.
    let halves = rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let mut halves = halves
        .filter(|(old, new)| without_prefix(old).is_some() && without_prefix(old) == without_prefix(new));
    let same = halves.next();
    let any = || rest.split_once(' ');
    same.or_else(any).map(|(old, new)| (old.to_owned(), new.trim_matches('"').to_owned()))
}

/// Returns the text after the first `/`.
fn without_prefix(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, rest)| rest)
}

/// Git's pairs of prefixes for the old and the new side.
const PREFIXES: [(&str, &str); 5] = [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];

/// Removes git's prefixes from both names if they form a pair; where one side is `/dev/null`, from the other.
pub(super) fn without_prefixes(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>) {
    // Beside `/dev/null` only git's default pair counts: `c/main.c` is more likely a file in a directory `c`.
    let fits = |(a, b): &&(&str, &str)| match (&old, &new) {
        (Some(old), Some(new)) => old.starts_with(a) && new.starts_with(b),
        (Some(old), None) => *a == "a/" && old.starts_with(a),
        (None, Some(new)) => *b == "b/" && new.starts_with(b),
        (None, None) => false,
    };
    match PREFIXES.iter().find(fits) {
        Some(_) => {
            let cut = |name: Option<String>| name.map(|name| name[2..].to_owned());
            (cut(old), cut(new))
        }
        None => (old, new),
    }
}

/// Validates a path of the project.
pub(super) fn path(line: usize, name: &str) -> Result<RelPath, PatchParseError> {
    let path = RelPath::new(name).map_err(|error| PatchParseError::Path { line, error })?;
    if path.is_root() {
        let error = symd_base::PathError::Invalid(name.to_owned());
        return Err(PatchParseError::Path { line, error });
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_and_diff_write_them() {
        let name = |text: &str| Some(text.to_owned());
        assert_eq!(header_name("a/x y.txt\t2026-11-21 10:00:00 +0000"), name("a/x y.txt"));
        assert_eq!(header_name("\"a/\\303\\244\\\"\\t.txt\""), name("a/ä\"\t.txt"));
        assert_eq!(header_name("/dev/null\t1970-01-01"), None);
        assert_eq!(git_names("a/x y b/x y"), Some(("a/x y".to_owned(), "b/x y".to_owned())));
        assert_eq!(
            git_names("\"a/\\303\\244\" \"b/\\303\\244\""),
            Some(("a/ä".to_owned(), "b/ä".to_owned()))
        );
        let cases = [
            (name("a/x"), name("b/x"), name("x"), name("x")),
            (name("a/x"), name("a/x"), name("a/x"), name("a/x")),
            (None, name("b/x"), None, name("x")),
            (name("a/x"), None, name("x"), None),
            (name("x"), name("x"), name("x"), name("x")),
            (name("i/x"), name("w/x"), name("x"), name("x")),
        ];
        for (old, new, old_bare, new_bare) in cases {
            assert_eq!(without_prefixes(old, new), (old_bare, new_bare));
        }
        assert!(path(1, "../x").is_err() && path(1, "").is_err() && path(1, "/x").is_err());
    }
}
