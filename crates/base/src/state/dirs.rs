//! Where symd's files are. All of a user's clients and daemons must agree on it, whatever their environment
//! says. Sockets are in a directory that depends on the user alone; the other directories are those that the
//! environment names, else those that it named last, else those in the account's home. Only `SYMD_HOME` gives
//! one user separate sets. Invariant: with `SYMD_HOME` nothing outside of it is read.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{StateError, private_dir, read_private, replace_file};

/// The environment variable that names a directory for all of symd's files.
pub const SYMD_HOME: &str = "SYMD_HOME";

/// Maximum size of the record of directories, in bytes.
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// The directories of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDirs {
    /// Sockets, locks and notes of daemons, shared by all processes of this user.
    pub sockets: PathBuf,
    /// Short-lived files of a daemon (barriers); in memory where there is a session directory.
    pub runtime: PathBuf,
    pub persistent: PersistentDirs,
}

/// The directories whose files outlive a daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersistentDirs {
    /// Files that can be created again.
    pub cache: PathBuf,
    /// Logs and journals.
    pub state: PathBuf,
    /// The user's settings.
    pub config: PathBuf,
    /// What `symd install` installed.
    pub data: PathBuf,
}

impl PersistentDirs {
    /// Returns each directory with its display name.
    fn named(&self) -> [(&'static str, &Path); 4] {
        [
            ("cache", &self.cache),
            ("state", &self.state),
            ("configuration", &self.config),
            ("data", &self.data),
        ]
    }

    /// Returns where `self` and `others` differ, as the end of a sentence: "configuration /a (there /b)";
    /// `None` when they agree.
    pub fn differences(&self, others: &PersistentDirs) -> Option<String> {
        let pairs = self.named().into_iter().zip(others.named());
        let different: Vec<String> = pairs
            .filter(|((_, mine), (_, theirs))| !is_same(mine, theirs))
            .map(|((name, mine), (_, theirs))| {
                format!("{name} {} (there {})", mine.display(), theirs.display())
            })
            .collect();
        (!different.is_empty()).then(|| different.join(", "))
    }
}

/// Whether both paths name one directory, perhaps spelled differently.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// What the environment and the system say about a user.
struct UserEnvironment<'a> {
    variable: &'a dyn Fn(&str) -> Option<OsString>,
    user: u32,
    /// The account's home directory in the system's list of users.
    account_home: Option<PathBuf>,
    /// The runtime directory that a session manager created.
    session: Option<PathBuf>,
    /// The directory that all users' programs share, whatever TMPDIR says.
    shared: PathBuf,
}

impl StateDirs {
    /// Determines the directories from the environment. Relative values of the XDG variables are ignored, as
    /// their specification requires.
    pub fn from_env() -> Result<StateDirs, StateError> {
        let user = rustix::process::geteuid().as_raw();
        StateDirs::of(&UserEnvironment {
            variable: &|name| std::env::var_os(name),
            user,
            account_home: account_home(user),
            session: session_directory(user),
            shared: PathBuf::from("/tmp"),
        })
    }

    /// Returns the directories inside the one directory `home`.
    pub fn within(home: &Path) -> StateDirs {
        let at = |name: &str| home.join(name);
        let persistent =
            PersistentDirs { cache: at("cache"), state: at("state"), config: at("config"), data: at("data") };
        StateDirs { sockets: at("run"), runtime: at("run"), persistent }
    }

    fn of(around: &UserEnvironment) -> Result<StateDirs, StateError> {
        if let Some(home) = (around.variable)(SYMD_HOME).filter(|value| !value.is_empty()) {
            let home = PathBuf::from(home);
            return match home.is_absolute() {
                true => Ok(StateDirs::within(&home)),
                false => Err(StateError::RelativeHome(home)),
            };
        }
        let absolute = |name: &str| {
            let path = (around.variable)(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let home = home(around, absolute("HOME"));
        let recorded = home.as_deref().and_then(recorded);
        let dir = |name: &str, recorded: Option<PathBuf>, rest: &str| {
            let named = absolute(name).map(|path| path.join("symd"));
            let in_home = || home.as_ref().map(|home| home.join(rest).join("symd"));
            named.or(recorded).or_else(in_home).ok_or(StateError::NoHome)
        };
        let of = |part: fn(&PersistentDirs) -> &PathBuf| recorded.as_ref().map(part).cloned();
        let persistent = PersistentDirs {
            cache: dir("XDG_CACHE_HOME", of(|dirs| &dirs.cache), ".cache")?,
            state: dir("XDG_STATE_HOME", of(|dirs| &dirs.state), ".local/state")?,
            config: dir("XDG_CONFIG_HOME", of(|dirs| &dirs.config), ".config")?,
            data: dir("XDG_DATA_HOME", of(|dirs| &dirs.data), ".local/share")?,
        };
        let session = around.session.as_ref().map(|session| session.join("symd"));
        // The fallback in the cache belongs to this user, is on a local disk, and survives a login without a
        // session manager.
        let runtime = absolute("XDG_RUNTIME_DIR").map(|dir| dir.join("symd")).or_else(|| session.clone());
        let runtime = runtime.unwrap_or_else(|| persistent.cache.join("run"));
        let sockets = around.shared.join(format!("symd-{}", around.user));
        // Another user may have taken the name already.
        let sockets = match is_usable(&sockets, around.user) {
            true => sockets,
            false => session.unwrap_or_else(|| persistent.cache.join("run")),
        };
        Ok(StateDirs { sockets, runtime, persistent })
    }

    /// Records where the persistent files are, for processes whose environment does not say. Daemons call it.
    pub fn record(&self) -> Result<(), StateError> {
        let user = rustix::process::geteuid().as_raw();
        let named = ["XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
        let is_named = named.iter().any(|name| std::env::var_os(name).is_some());
        let home = account_home(user).or_else(|| std::env::var_os("HOME").map(PathBuf::from));
        match home {
            Some(home) if is_named && std::env::var_os(SYMD_HOME).is_none() => {
                record(&home, &self.persistent)
            }
            _ => Ok(()),
        }
    }
}

/// Returns the path of the record of a user's directories.
fn record_of(home: &Path) -> PathBuf {
    home.join(".local/state/symd/directories.json")
}

fn recorded(home: &Path) -> Option<PersistentDirs> {
    let bytes = read_private(&record_of(home), MAX_RECORD_BYTES).ok()??;
    let dirs: PersistentDirs = serde_json::from_slice(&bytes).ok()?;
    // A record that names a scratch directory is void once that directory is gone.
    dirs.named().iter().all(|(_, path)| path.is_absolute()).then_some(dirs).filter(|dirs| dirs.state.exists())
}

fn record(home: &Path, dirs: &PersistentDirs) -> Result<(), StateError> {
    if recorded(home).as_ref() == Some(dirs) {
        return Ok(());
    }
    let path = record_of(home);
    private_dir(path.parent().unwrap_or(home))?;
    let text = serde_json::to_vec(dirs).unwrap_or_default();
    replace_file(&path, &[&text, b"\n"])
}

/// Returns the account's home; `named` (HOME) only where the account has none, since `sudo -u` and cron keep
/// the HOME of another user.
fn home(around: &UserEnvironment, named: Option<PathBuf>) -> Option<PathBuf> {
    around.account_home.clone().filter(|home| home.is_dir()).or(named)
}

/// Returns the home directory of `user` in the system's list of users.
fn account_home(user: u32) -> Option<PathBuf> {
    let users = std::fs::read("/etc/passwd").ok()?;
    let home = users.split(|&byte| byte == b'\n').find_map(|line| {
        let mut fields = line.split(|&byte| byte == b':');
        let is_theirs = fields.nth(2)? == user.to_string().as_bytes();
        is_theirs.then(|| fields.nth(2).map(<[u8]>::to_vec)).flatten()
    })?;
    Some(PathBuf::from(OsString::from_vec(home)))
        .filter(|home| home.is_absolute() && home.as_os_str().as_bytes() != b"/")
}

/// Returns the directory that a session manager made for this user: in memory, and removed with the user's
/// last session.
fn session_directory(user: u32) -> Option<PathBuf> {
    let path = PathBuf::from(format!("/run/user/{user}"));
    let meta = std::fs::symlink_metadata(&path).ok()?;
    (meta.is_dir() && meta.uid() == user && meta.mode() & 0o077 == 0).then_some(path)
}

/// Whether the directory belongs to this user, or can be created by this user.
fn is_usable(path: &Path, user: u32) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(meta) => meta.is_dir() && meta.uid() == user,
        Err(_) => path.parent().is_some_and(|parent| {
            rustix::fs::access(parent, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the directories of a user whose account has the home `home`, with these variables.
    fn dirs(home: Option<&Path>, shared: &Path, variables: &[(&str, &str)]) -> Result<StateDirs, StateError> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        StateDirs::of(&UserEnvironment {
            variable: &variable,
            user: rustix::process::geteuid().as_raw(),
            account_home: home.map(Path::to_owned),
            session: None,
            shared: shared.to_owned(),
        })
    }

    #[test]
    fn the_meeting_place_depends_on_the_user_alone() {
        let scratch = tempfile::tempdir().expect("scratch");
        let (home, shared) = (scratch.path().join("home"), scratch.path().join("tmp"));
        std::fs::create_dir(&home).expect("made");
        std::fs::create_dir(&shared).expect("made");
        let of =
            |variables: &[(&str, &str)]| dirs(Some(&home), &shared, variables).expect("a home is enough");
        let plain = of(&[]);
        assert_eq!(plain.sockets, shared.join(format!("symd-{}", rustix::process::geteuid().as_raw())));
        assert_eq!(plain.persistent.config, home.join(".config/symd"));
        for variables in [
            &[("HOME", "/home/other"), ("TMPDIR", "/elsewhere")][..],
            &[("XDG_RUNTIME_DIR", "/run/own"), ("XDG_CONFIG_HOME", "relative")],
        ] {
            assert_eq!(
                (of(variables).sockets, of(variables).persistent),
                (plain.sockets.clone(), plain.persistent.clone())
            );
        }
        let named = of(&[("XDG_CONFIG_HOME", "/c"), ("XDG_RUNTIME_DIR", "/run/own")]);
        assert_eq!((named.persistent.config, named.sockets), (PathBuf::from("/c/symd"), plain.sockets));
        assert_eq!(named.runtime, Path::new("/run/own/symd"));
        let no_account = dirs(None, &shared, &[("HOME", "/h")]).expect("HOME is enough");
        assert_eq!(no_account.persistent.data, Path::new("/h/.local/share/symd"));
        assert!(matches!(dirs(None, &shared, &[]), Err(StateError::NoHome)));
    }

    #[test]
    fn what_the_environment_named_is_remembered() {
        let scratch = tempfile::tempdir().expect("scratch");
        let (home, shared) = (scratch.path().join("home"), scratch.path().to_owned());
        std::fs::create_dir(&home).expect("made");
        let named = scratch.path().join("named");
        let variables = [
            ("XDG_CONFIG_HOME", named.to_str().expect("text")),
            ("XDG_STATE_HOME", named.to_str().expect("text")),
        ];
        let full = dirs(Some(&home), &shared, &variables).expect("a home");
        record(&home, &full.persistent).expect("written");
        // The recorded directories do not exist yet.
        assert_ne!(dirs(Some(&home), &shared, &[]).expect("a home").persistent, full.persistent);
        std::fs::create_dir_all(named.join("symd")).expect("made");
        assert_eq!(dirs(Some(&home), &shared, &[]).expect("a home").persistent, full.persistent);
        let other = dirs(Some(&home), &shared, &[("XDG_CONFIG_HOME", "/c")]).expect("a home").persistent;
        assert_eq!(other.config, Path::new("/c/symd"));
        let told = other.differences(&full.persistent).expect("different");
        assert_eq!(told, format!("configuration /c/symd (there {})", named.join("symd").display()));
        assert_eq!(full.persistent.differences(&full.persistent), None);
    }

    #[test]
    fn one_variable_separates() {
        let dirs = |value| dirs(None, Path::new("/tmp"), &[("SYMD_HOME", value), ("XDG_CONFIG_HOME", "/c")]);
        let own = dirs("/own").expect("absolute");
        assert_eq!(own, StateDirs::within(Path::new("/own")));
        assert_eq!(
            (own.persistent.config, own.sockets),
            (PathBuf::from("/own/config"), PathBuf::from("/own/run"))
        );
        assert!(matches!(dirs("own"), Err(StateError::RelativeHome(_))));
        assert!(matches!(dirs(""), Err(StateError::NoHome)) || rustix::process::geteuid().is_root());
    }
}
