//! Converts paths to file URIs and back. A server may write a URI differently: other characters
//! percent-encoded, the scheme in capitals, `file:/path`. Invariant: only the decoded bytes of a URI decide
//! which file it names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::span::FileRef;
use symd_base::RelPath;

/// Returns the URI of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        // RFC 3986: unreserved characters, and reserved ones without a meaning in a path.
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte))
            }
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b'=' | b'@' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns the URI of a file in the project whose root is `root`.
pub(crate) fn of_file(root: &Path, path: &RelPath) -> String {
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
    let bytes = decode(path.as_bytes());
    let is_possible = !bytes.contains(&0);
    is_possible.then(|| PathBuf::from(OsStr::from_bytes(&bytes)))
}

fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let encoded = (text[at] == b'%').then(|| hex_pair(text.get(at + 1..at + 3)?)).flatten();
        match encoded {
            Some(byte) => {
                bytes.push(byte);
                at += 3;
            }
            // A `%` without two hex digits stands for itself: some servers forget to encode it.
            None => {
                bytes.push(text[at]);
                at += 1;
            }
        }
    }
    bytes
}

fn hex_pair(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(digits[0])? * 16 + digit(digits[1])?)
}

#[cfg(test)]
mod tests {
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
