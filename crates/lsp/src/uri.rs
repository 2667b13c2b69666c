//! Converts paths to file URIs and back. A server may write a URI differently: other characters
//! percent-encoded, the scheme in capitals, `file:/path`. Invariant: only the decoded bytes of a URI decide
//! which file it names.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use super::span::FileRef;
use symd_base::RelPath;

/// What a path's URI encodes: all but RFC 3986's unreserved characters, and reserved ones without a meaning in a
/// path.
const ENCODED: &AsciiSet = &{
    let (mut set, mut plain): (_, &[u8]) = (NON_ALPHANUMERIC.remove(b'/'), b"-_.~!$&'()*+,=@");
    while let [byte, rest @ ..] = plain {
        (set, plain) = (set.remove(*byte), rest);
    }
    set
};

/// Returns the URI of an absolute path.
pub fn of_path(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), ENCODED))
}

/// Returns the URI of a file in the project whose root is `root`.
pub fn of_file(root: &Path, path: &RelPath) -> String {
    if path.is_root() { of_path(root) } else { of_path(&root.join(path.as_str())) }
}

/// Returns the file that a URI names, in a project whose root is `root` (symlinks resolved). A URI that is
/// not a local file is returned as the path of an outside file.
pub(crate) fn file_ref(root: &Path, uri: &str) -> FileRef {
    let Some(path) = to_path(uri) else { return FileRef::Outside(PathBuf::from(uri)) };
    let inside = path.strip_prefix(root).ok().and_then(Path::to_str).map(RelPath::new);
    match inside {
        Some(Ok(inside)) => FileRef::Project(inside),
        _ => FileRef::Outside(path),
    }
}

/// Returns the absolute path that a file URI of this machine names.
fn to_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            let is_here = rest[..slash].is_empty() || rest[..slash].eq_ignore_ascii_case("localhost");
            is_here.then_some(&rest[slash..])?
        }
        None => rest.starts_with('/').then_some(rest)?,
    };
    // An unencoded `?` or `#` ends the path.
    let path = path.split(['?', '#']).next()?;
    // Some servers do not encode `%`: without two hex digits behind it, it stands for itself.
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    let is_possible = !bytes.contains(&0);
    is_possible.then(|| PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn project(path: &str) -> FileRef {
        FileRef::Project(RelPath::new(path).unwrap())
    }

    #[test]
    fn every_path_comes_back() {
        let root = Path::new("/home/jö rg/100%/#1?");
        for path in [
            "a.py",
            "ä ö/ü.py",
            "100%.py",
            "%41.py",
            "a#b?c.py",
            "a:b;c[d]{e}|\\^`.py",
            "日本/😀.kt",
            "+&='!",
        ] {
            let path = RelPath::new(path).unwrap();
            let uri = of_file(root, &path);
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?']), "{uri}");
            assert_eq!(file_ref(root, &uri), FileRef::Project(path));
        }
        assert_eq!(of_file(Path::new("/a"), &RelPath::new("ü b%").unwrap()), "file:///a/%C3%BC%20b%25");
        assert_eq!(file_ref(root, &of_file(root, &RelPath::root())), project(""));
    }

    #[test]
    fn servers_write_uris_otherwise() {
        let root = Path::new("/p/ü");
        for uri in [
            "file:///p/%C3%BC/a(1).py",
            "file:///p/%c3%bc/a%281%29.py",
            "FILE:///p/ü/a(1).py",
            "file://localhost/p/%C3%BC/a(1).py",
            "file:/p/%C3%BC/a(1).py",
            "file:///p/%C3%BC/b/../%61(1).py",
            "file:///p/%C3%BC//a(1).py#L3",
        ] {
            assert_eq!(file_ref(root, uri), project("a(1).py"), "{uri}");
        }
        assert_eq!(file_ref(root, "file:///p/ü/100%zz"), project("100%zz"));
    }

    #[test]
    fn what_is_elsewhere_is_outside() {
        let root = Path::new("/p/x");
        let outside = |uri: &str, path: &[u8]| {
            assert_eq!(
                file_ref(root, uri),
                FileRef::Outside(PathBuf::from(OsStr::from_bytes(path))),
                "{uri}"
            );
        };
        outside("file:///p/xy/a.py", b"/p/xy/a.py");
        outside("file:///p/x/../y/a.py", b"/p/x/../y/a.py");
        outside("file:///p/x/%FF.py", b"/p/x/\xFF.py");
        outside("file://server/p/x/a.py", b"file://server/p/x/a.py");
        outside("jar:file:///p/x/a.jar!/b.class", b"jar:file:///p/x/a.jar!/b.class");
        outside("untitled:Untitled-1", b"untitled:Untitled-1");
        outside("nonsense", b"nonsense");
        outside("file:///p/x/%00", b"file:///p/x/%00");
    }
}
