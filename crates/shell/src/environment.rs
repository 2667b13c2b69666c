//! The environment variables of a command: those of the requesting client, from its hello, or, if the client
//! sent none, a few of the daemon's own. Invariant: every name and value can be passed to a program; values
//! appear in no log and no `Debug` output, because they may be secret.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Variables kept of the daemon's own environment: those a shell needs to find programs and the user's files.
/// The process that started the daemon may have had tokens in its environment.
const KEPT: &[&str] = &["HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "PATH", "SHELL"];
/// Prefixes of further variables that are kept.
const KEPT_PREFIXES: &[&str] = &["LC_", "XDG_"];
/// The PATH if the environment has none.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Environment variables and their values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Creates the environment of a client. Drops variables that cannot be passed to a program (`=` in the
    /// name, NUL).
    pub fn of_client(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        let possible = |(name, value): &(String, String)| {
            !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
        };
        let variables = variables.into_iter().filter(possible);
        Environment(variables.map(|(name, value)| (name.into(), value.into())).collect()).with_path()
    }

    /// Creates the environment from the permitted subset of the daemon's own variables, `ours`.
    pub fn cleaned(ours: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
        let kept = |(name, _): &(OsString, OsString)| {
            name.to_str().is_some_and(|name| {
                KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            })
        };
        Environment(ours.into_iter().filter(kept).collect()).with_path()
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Returns a copy with these variables set.
    pub fn with(&self, variables: &[(&str, &str)]) -> Environment {
        let mut all = self.0.clone();
        all.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        Environment(all)
    }

    /// Returns names and values, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn with_path(mut self) -> Environment {
        self.0.entry("PATH".into()).or_insert_with(|| USUAL_PATH.into());
        self
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({} variables)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(environment: &Environment) -> Vec<String> {
        environment.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
    }

    #[test]
    fn a_clients_own_is_whole_and_the_daemons_is_cleaned() {
        let client =
            [("TOKEN", "x"), ("PATH", "/p"), ("a=b", "x"), ("", "x"), ("NUL", "a\0b"), ("EMPTY", "")];
        let client = client.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let client = Environment::of_client(client);
        assert_eq!(texts(&client), ["EMPTY=", "PATH=/p", "TOKEN=x"]);
        assert_eq!(texts(&client.with(&[("TERM", "dumb")]))[2], "TERM=dumb");
        assert_eq!(format!("{client:?}"), "Environment(3 variables)");

        let ours =
            [("HOME", "/h"), ("LC_ALL", "C"), ("API_KEY", "x"), ("LD_PRELOAD", "x"), ("SHELL", "/bin/sh")];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let path = format!("PATH={USUAL_PATH}");
        assert_eq!(texts(&Environment::cleaned(ours)), ["HOME=/h", "LC_ALL=C", &path, "SHELL=/bin/sh"]);
    }
}
