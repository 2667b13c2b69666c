//! The approval settings: the user's file and the project's, read again for every decision and parsed when
//! they change. Invariants: a project's file can only tighten, and so can the user's file if it lies inside
//! the project; a file that exists but cannot be used is distinguished from a missing one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use symd_base::RelPath;
use symd_base::state::{self, nonblocking};
use symd_config::approvals::{self, Approvals, MAX_FILE_BYTES, PROJECT_FILE, Policy};
use symd_vfs::{Root, VfsError};

use super::is_inside;

/// The settings in one file, or why the file cannot be used.
type Parsed = Arc<Result<Approvals, String>>;

/// The bytes of a file (`None` if it is missing), or why the file cannot be used.
type Read = Result<Option<Vec<u8>>, String>;

/// The approval settings.
#[derive(Clone, Debug)]
pub struct ApprovalSettings {
    /// The user's settings.
    pub user: Parsed,
    /// The project's settings, without anything that allows a call.
    pub project: Parsed,
    /// The path of the user's file.
    pub user_file: PathBuf,
    /// Settings that are ignored, and why.
    pub notes: Vec<String>,
}

/// The user's and the project's settings files.
#[derive(Debug)]
pub struct ApprovalFiles {
    user_file: PathBuf,
    /// Whether the user's file lies in the project.
    user_is_inside: bool,
    root: Option<PathBuf>,
    user: Mutex<Option<Known>>,
    project: Mutex<Option<Known>>,
}

/// A file as it was last read.
#[derive(Debug)]
struct Known {
    bytes: Vec<u8>,
    parsed: Parsed,
}

impl ApprovalFiles {
    /// Creates the layers for the user's file and that of the project at `root`, if there is one.
    pub fn new(user_file: &Path, root: Option<&Path>) -> ApprovalFiles {
        ApprovalFiles {
            user_file: user_file.to_owned(),
            user_is_inside: root.is_some_and(|root| is_inside(user_file, root)),
            root: root.map(Path::to_owned),
            user: Mutex::default(),
            project: Mutex::default(),
        }
    }

    /// Returns the path of the user's file.
    pub fn user_file(&self) -> &Path {
        &self.user_file
    }

    /// Reads the current settings. May block on the disk.
    pub fn read(&self) -> ApprovalSettings {
        let user = state::read_private(&self.user_file, MAX_FILE_BYTES).map_err(|error| error.to_string());
        self.settled(user, self.project_bytes())
    }

    /// Reads the current settings without blocking, if the kernel has them in memory: the user's file or its
    /// absence, and the absence of the project's file, which few projects have. Otherwise `None`.
    pub fn try_read_cached(&self) -> Option<ApprovalSettings> {
        let user = nonblocking::read_private(&self.user_file, MAX_FILE_BYTES)?;
        let project =
            self.root.as_ref().is_none_or(|root| nonblocking::is_known_absent(root, PROJECT_FILE.as_ref()));
        project.then(|| self.settled(Ok(user), Ok(None)))
    }

    fn settled(&self, user: Read, project: Read) -> ApprovalSettings {
        let name = self.user_file.display().to_string();
        let user = match user {
            Ok(bytes) => parsed(&self.user, bytes, &name),
            Err(why) => Arc::new(Err(why)),
        };
        let project = match project {
            Ok(bytes) => parsed(&self.project, bytes, PROJECT_FILE),
            Err(why) => Arc::new(Err(why)),
        };
        let mut notes = Vec::new();
        let project =
            without_allowances(project, PROJECT_FILE, "a project's own file can only tighten", &mut notes);
        let user = if self.user_is_inside {
            without_allowances(user, &name, "it lies inside the project, where tools can write", &mut notes)
        } else {
            user
        };
        ApprovalSettings { user, project, user_file: self.user_file.clone(), notes }
    }

    /// Reads the project's file; does not follow a symlink.
    fn project_bytes(&self) -> Read {
        let cannot = |why: String| format!("{PROJECT_FILE} cannot be read: {why}");
        let path = RelPath::new(PROJECT_FILE).map_err(|error| cannot(error.to_string()))?;
        let Some(root) = &self.root else { return Ok(None) };
        // The root is opened again: the directory may have been replaced.
        let root = Root::open(root).map_err(|error| cannot(error.to_string()))?;
        match root.read_no_follow(&path, MAX_FILE_BYTES) {
            Ok(file) => Ok(Some(file.bytes)),
            Err(VfsError::NotFound { .. }) => Ok(None),
            Err(error) => Err(cannot(error.to_string())),
        }
    }
}

/// Parses `bytes`, or returns the previous result if they are unchanged. All bytes are compared, so that a
/// forged time stamp cannot keep an old policy in force.
fn parsed(known: &Mutex<Option<Known>>, bytes: Option<Vec<u8>>, file: &str) -> Parsed {
    let Some(bytes) = bytes else { return Arc::new(Ok(Approvals::default())) };
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = &*known
        && known.bytes == bytes
    {
        return Arc::clone(&known.parsed);
    }
    let outcome = approvals::parse_bytes(file, &bytes).map_err(|error| error.to_string());
    match &outcome {
        Ok(_) => tracing::info!(file, "read the approval settings"),
        Err(why) => tracing::warn!("approvals: {why}"),
    }
    let parsed = Arc::new(outcome);
    *known = Some(Known { bytes, parsed: Arc::clone(&parsed) });
    parsed
}

/// Returns `parsed` without anything that allows a call, and adds a note for each omission.
fn without_allowances(parsed: Parsed, file: &str, why: &str, notes: &mut Vec<String>) -> Parsed {
    let Ok(approvals) = &*parsed else { return parsed };
    let mut tight = approvals.clone();
    tight.policies.retain(|subject, policy| {
        let stays = *policy != Policy::Allow;
        if !stays {
            notes.push(format!("{file}: {subject} = \"allow\" is ignored: {why}"));
        }
        stays
    });
    tight.rules.retain(|rule| {
        let stays = rule.policy != Policy::Allow;
        if !stays {
            notes.push(format!("{file}: rule {} is ignored, because it allows: {why}", rule.id));
        }
        stays
    });
    if notes.is_empty() { parsed } else { Arc::new(Ok(tight)) }
}
