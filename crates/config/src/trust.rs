//! Whether the user has trusted a project, so that its own code and the commands that its files name may run.
//! The record is in symd's state directory, and identifies what the user saw: the root, and the content of
//! every file that can name commands. Reads none of the project's files: contents come from the caller.
//! Invariant: a record that does not match to the byte, or that another user could have written, grants no
//! trust.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use symd_base::state::{self, StateError};

/// The project's files that can name commands, relative to its root.
pub const COMMAND_FILES: [&str; 2] = [".symd/languages.toml", ".symd/config.toml"];

/// Maximum size of a record in bytes: a path and two hashes, with room to grow. symd never writes a longer
/// one.
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// Whether a project is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Trusted, with the files as they are.
    Trusted,
    /// Never trusted, or revoked.
    Never,
    /// Trusted before these files changed.
    Lapsed {
        /// Some of [`COMMAND_FILES`].
        changed: Vec<String>,
    },
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trust::Trusted => f.write_str("this project is trusted"),
            Trust::Never => f.write_str("this project is not trusted"),
            Trust::Lapsed { changed } => {
                write!(f, "this project was trusted, but {} changed since", changed.join(" and "))
            }
        }
    }
}

/// Contents of the files that can name commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandFiles(BTreeMap<&'static str, Content>);

/// The content of one such file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Absent,
    Hash(blake3::Hash),
    /// The user cannot have seen the content.
    Unreadable,
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Absent => f.write_str("absent"),
            // The full hash, not the short one of `base`: an author must not be able to construct two texts
            // with one hash.
            Content::Hash(hash) => write!(f, "{}", hash.to_hex()),
            Content::Unreadable => f.write_str("unreadable"),
        }
    }
}

impl CommandFiles {
    /// Calls `read` for each of [`COMMAND_FILES`]; it returns `Ok(None)` for a file that does not exist.
    pub fn read<E>(mut read: impl FnMut(&'static str) -> Result<Option<Vec<u8>>, E>) -> CommandFiles {
        let content = |read: Result<Option<Vec<u8>>, E>| match read {
            Ok(None) => Content::Absent,
            Ok(Some(bytes)) => Content::Hash(blake3::hash(&bytes)),
            Err(_) => Content::Unreadable,
        };
        CommandFiles(COMMAND_FILES.into_iter().map(|file| (file, content(read(file)))).collect())
    }

    /// Returns the files that exist.
    pub fn present(&self) -> Vec<&'static str> {
        let there =
            |(file, content): (&&'static str, &Content)| (*content != Content::Absent).then_some(*file);
        self.0.iter().filter_map(there).collect()
    }

    /// Returns the files that cannot be read; they prevent trust.
    pub fn unreadable(&self) -> Vec<&'static str> {
        let unreadable =
            |(file, content): (&&'static str, &Content)| (*content == Content::Unreadable).then_some(*file);
        self.0.iter().filter_map(unreadable).collect()
    }
}

/// The record in its stored form.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The root's path, for display.
    root: String,
    /// The hash of the path's bytes, which need not be UTF-8.
    root_hash: String,
    /// The content of each file: a hash, `absent` or `unreadable`.
    files: BTreeMap<String, String>,
}

impl Record {
    fn new(root: &Path, files: &CommandFiles) -> Record {
        Record {
            root: root.display().to_string(),
            root_hash: blake3::hash(root.as_os_str().as_bytes()).to_hex().to_string(),
            files: files.0.iter().map(|(file, content)| ((*file).to_owned(), content.to_string())).collect(),
        }
    }
}

/// Returns the path of the record of a user that does not want to be asked again.
fn declined(state: &Path) -> PathBuf {
    state.join("trust-declined.json")
}

/// Returns the path of a project's record in `state`, the project's own state directory.
pub fn record(state: &Path) -> PathBuf {
    state.join("trust.json")
}

impl Trust {
    /// Returns whether the project at `root` is trusted, with its files as they are now. `state` is symd's
    /// directory for this project.
    pub fn of(state: &Path, root: &Path, files: &CommandFiles) -> Trust {
        let Some(granted) = read(&record(state)) else { return Trust::Never };
        let now = Record::new(root, files);
        if granted.root_hash != now.root_hash {
            return Trust::Never;
        }
        let same = |(file, content): &(&&'static str, &Content)| {
            **content != Content::Unreadable && granted.files.get(**file) == Some(&content.to_string())
        };
        let changed: Vec<String> =
            files.0.iter().filter(|entry| !same(entry)).map(|(file, _)| (*file).to_owned()).collect();
        if changed.is_empty() { Trust::Trusted } else { Trust::Lapsed { changed } }
    }

    /// Trusts the project at `root` with its files as they are in `files`. These must be what the user was
    /// shown, not what is there a moment later.
    pub fn grant(state: &Path, root: &Path, files: &CommandFiles) -> Result<(), StateError> {
        state::private_dir(state)?;
        let text = serde_json::json!(Record::new(root, files)).to_string();
        state::replace_file(&record(state), &[text.as_bytes(), b"\n"])
    }

    /// Records that the user does not want to be asked about the project at `root` while its files are as in `files`.
    pub fn decline(state: &Path, root: &Path, files: &CommandFiles) -> Result<(), StateError> {
        state::private_dir(state)?;
        let text = serde_json::json!(Record::new(root, files)).to_string();
        state::replace_file(&declined(state), &[text.as_bytes(), b"\n"])
    }

    /// Whether [`Trust::decline`] was called for these files.
    pub fn is_declined(state: &Path, root: &Path, files: &CommandFiles) -> bool {
        read(&declined(state)).is_some_and(|record| record == Record::new(root, files))
    }

    /// Revokes the trust; succeeds when there was none.
    pub fn revoke(state: &Path) -> Result<(), StateError> {
        state::remove_file(&record(state))
    }
}

fn read(path: &Path) -> Option<Record> {
    let mut bytes = Vec::new();
    state::open_private(path)?.take(MAX_RECORD_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn files(languages: Option<&str>) -> CommandFiles {
        CommandFiles::read::<()>(|file| {
            Ok(languages.filter(|_| file == COMMAND_FILES[0]).map(|text| text.as_bytes().to_vec()))
        })
    }

    #[test]
    fn trust_is_bound_to_root_and_content() {
        let scratch = tempfile::tempdir().expect("scratch");
        let (state, root) = (scratch.path().join("state"), Path::new("/p"));
        let (none, one) = (files(None), files(Some("one")));
        assert_eq!(Trust::of(&state, root, &one), Trust::Never);
        Trust::grant(&state, root, &one).expect("granted");
        assert_eq!(Trust::of(&state, root, &one), Trust::Trusted);
        assert_eq!(Trust::of(&state, Path::new("/q"), &one), Trust::Never, "another root");
        for other in [&none, &files(Some("One")), &files(Some(""))] {
            let lapsed = Trust::of(&state, root, other);
            assert_eq!(lapsed, Trust::Lapsed { changed: vec![".symd/languages.toml".to_owned()] });
            assert!(lapsed.to_string().ends_with("was trusted, but .symd/languages.toml changed since"));
        }
        assert_eq!(Trust::of(&state, root, &one), Trust::Trusted, "as it was again");
        Trust::revoke(&state).expect("revoked");
        assert_eq!(Trust::of(&state, root, &one), Trust::Never);
        Trust::revoke(&state).expect("no error");
        Trust::decline(&state, root, &one).expect("declined");
        assert!(Trust::is_declined(&state, root, &one) && Trust::of(&state, root, &one) == Trust::Never);
        assert!(
            !Trust::is_declined(&state, root, &none) && !Trust::is_declined(&state, Path::new("/q"), &one)
        );
    }

    #[test]
    fn a_file_that_appears_lapses_trust_and_so_does_one_that_cannot_be_read() {
        let scratch = tempfile::tempdir().expect("scratch");
        let root = Path::new("/p");
        Trust::grant(scratch.path().join("s").as_path(), root, &files(None)).expect("granted");
        let state = scratch.path().join("s");
        let config = CommandFiles::read::<()>(|file| Ok((file == COMMAND_FILES[1]).then(Vec::new)));
        assert_eq!(config.present(), [".symd/config.toml"]);
        assert_eq!(
            Trust::of(&state, root, &config),
            Trust::Lapsed { changed: vec![".symd/config.toml".to_owned()] }
        );
        let unreadable = CommandFiles::read(|_| Err(()));
        assert_eq!(unreadable.unreadable().len(), 2);
        Trust::grant(&state, root, &unreadable).expect("granted");
        assert!(matches!(Trust::of(&state, root, &unreadable), Trust::Lapsed { .. }), "seen by nobody");
    }

    #[test]
    fn only_a_record_of_ours_counts() {
        let scratch = tempfile::tempdir().expect("scratch");
        let (state, root, files) = (scratch.path().join("state"), Path::new("/p"), files(None));
        Trust::grant(&state, root, &files).expect("granted");
        let mode = || std::fs::metadata(record(&state)).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(record(&state), std::fs::Permissions::from_mode(0o644)).expect("changed");
        assert_eq!(Trust::of(&state, root, &files), Trust::Never, "others could read it");
        Trust::grant(&state, root, &files).expect("granted");
        assert_eq!((mode(), Trust::of(&state, root, &files)), (0o600, Trust::Trusted));
        let elsewhere = state.join("elsewhere");
        std::fs::rename(record(&state), &elsewhere).expect("moved");
        std::os::unix::fs::symlink(&elsewhere, record(&state)).expect("linked");
        assert_eq!(Trust::of(&state, root, &files), Trust::Never, "a link");
        state::remove_file(&record(&state)).expect("removed");
        state::replace_file(&record(&state), &[b"{}"]).expect("written");
        assert_eq!(Trust::of(&state, root, &files), Trust::Never, "no record");
    }
}
