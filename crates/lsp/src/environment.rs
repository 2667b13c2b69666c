//! The environment variables of a server: those that every program needs to find its user's files, and those
//! that languages.toml sets. Invariant: nothing else of the environment in which the daemon happened to be
//! started, and no path into the project.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use symd_base::programs::is_within;

/// Names of variables that are passed on unchanged.
const KEPT: &[&str] = &["HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR"];
/// Prefixes of variables that are passed on unchanged.
const KEPT_PREFIXES: &[&str] = &["LC_", "XDG_"];
/// Names of variables that are passed on if their value is a path outside the project: servers run programs
/// from there.
const KEPT_PROGRAMS: &[&str] = &["JAVA_HOME"];

/// Builds the environment of a server: the permitted variables of `ours`; `path` as PATH; and `own`, which
/// takes precedence.
pub(super) fn of_server(
    ours: impl Iterator<Item = (OsString, OsString)>,
    path: OsString,
    own: BTreeMap<String, String>,
    root: &Path,
) -> BTreeMap<OsString, OsString> {
    let kept = |(name, value): &(OsString, OsString)| {
        name.to_str().is_some_and(|name| {
            KEPT.contains(&name)
                || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                || (KEPT_PROGRAMS.contains(&name) && !is_within(Path::new(value), root))
        })
    };
    let mut environment: BTreeMap<OsString, OsString> = ours.filter(kept).collect();
    environment.insert("PATH".into(), path);
    environment.extend(own.into_iter().map(|(name, value)| (name.into(), value.into())));
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_what_is_not() {
        let ours = [
            ("HOME", "/home/u"),
            ("LC_ALL", "C"),
            ("XDG_CACHE_HOME", "/c"),
            ("JAVA_HOME", "/project/jdk"),
            ("PATH", "/project/bin"),
            ("LD_PRELOAD", "x.so"),
            ("SHELL", "/bin/sh"),
            ("PYTHONPATH", "."),
        ];
        let ours = ours.into_iter().map(|(name, value)| (name.into(), value.into()));
        let own = BTreeMap::from([("RUST_LOG".to_owned(), "x".to_owned())]);
        let made = of_server(ours, "/bin".into(), own, Path::new("/project"));
        let made: Vec<(&str, &str)> =
            made.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap())).collect();
        let expected = [
            ("HOME", "/home/u"),
            ("LC_ALL", "C"),
            ("PATH", "/bin"),
            ("RUST_LOG", "x"),
            ("XDG_CACHE_HOME", "/c"),
        ];
        assert_eq!(made, expected);
    }
}
