//! Reads a project's git repository by the user's git: sources of a revision, its tags, who changed lines last. Runs only
//! commands that read, and nothing that the repository names: no hook, filter, pager, helper, diff or signature program,
//! no fetch. Invariants: a reading ends at its deadline, and its processes with it; a repository that the project merely
//! points to, without the repository knowing of it, is not read, nor one whose files lead elsewhere.

mod blame;
mod links;
mod objects;
mod run;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use symd_base::programs::{ProgramError, Programs};

pub use blame::BlamedLine;
pub use objects::{BlobsOfTags, Commit, TreeFile};

/// How long all readings of one question may take together.
pub const DEADLINE: Duration = Duration::from_secs(1);

/// Maximum length of a file that holds a path, in bytes.
const MAX_PATH_TEXT: u64 = 8_192;

/// The user's git, and how it is started.
#[derive(Clone, Debug)]
pub struct Git {
    /// The symd executable, as which git is started ([`symd_sys::tether`]).
    launcher: PathBuf,
    program: PathBuf,
    /// PATH, without directories of the project.
    search_path: std::ffi::OsString,
    root: PathBuf,
}

/// Why git told nothing.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The project is in no repository, or in one that git does not take for the user's.
    #[error("git reads no repository here: {0}")]
    NoRepository(String),
    /// The project's `.git` leads to a repository that does not know of it.
    #[error(
        "the project's .git leads to {}, which has no worktree here; it is not read", .0.display()
    )]
    Foreign(PathBuf),
    /// A part of the repository is a link out of it, or its objects are those of another one.
    #[error("{} leads outside the repository; it is not read", .0.display())]
    LeadsOut(PathBuf),
    #[error("there is no commit {0:?} in this repository; `git tag` and `git log` show what there is")]
    NoCommit(String),
    #[error("git did not answer within {}", seconds(*.0))]
    TimedOut(Duration),
    #[error("git said more than {0} MB")]
    TooMuch(usize),
    #[error("git failed: {0}")]
    Failed(String),
    #[error("git could not be started: {0}")]
    Start(#[from] std::io::Error),
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

impl Git {
    /// Finds git on `search_path` for the project at `root`, an absolute path with its links resolved.
    pub fn find(launcher: &Path, search_path: &OsStr, root: &Path) -> Result<Git, GitError> {
        let programs = Programs::on(search_path, Some(root));
        Ok(Git {
            launcher: launcher.to_owned(),
            program: programs.find("git")?,
            search_path: programs.path(),
            root: root.to_owned(),
        })
    }

    /// Opens the repository around the project; all readings end at the deadline.
    pub fn repository(&self, within: Duration) -> Result<Repository<'_>, GitError> {
        // Git looks for it there too; a project without one needs no process to say so.
        let holds_git = |directory: &Path| directory.join(".git").symlink_metadata().is_ok();
        if !self.root.ancestors().any(holds_git) {
            return Err(GitError::NoRepository(format!("no .git in {} or above", self.root.display())));
        }
        let repository = Repository { git: self, until: Instant::now() + within, within };
        let asked =
            ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
        let told = repository.output(&asked, b"").map_err(|error| match error {
            GitError::Failed(why) => GitError::NoRepository(why),
            other => other,
        })?;
        let told = String::from_utf8_lossy(&told).into_owned();
        let [top, directory, common] = *told.lines().map(Path::new).collect::<Vec<_>>() else {
            return Err(GitError::NoRepository("its paths cannot be read".to_owned()));
        };
        if !(self.root.starts_with(top) && repository.is_of(top, directory, common)?) {
            return Err(GitError::Foreign(common.to_owned()));
        }
        match links::leading_out(common, repository.until) {
            Ok(None) => Ok(repository),
            Ok(Some(path)) => Err(GitError::LeadsOut(path)),
            Err(links::Unfinished) => Err(GitError::TimedOut(within)),
        }
    }
}

/// Returns the start of a text file of git's. The project may have put anything there: no reading waits for a writer.
fn short_text(path: &Path) -> std::io::Result<String> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let mut text = String::new();
    file.take(MAX_PATH_TEXT).read_to_string(&mut text)?;
    Ok(text)
}

/// A repository while one question reads it.
#[derive(Clone, Copy, Debug)]
pub struct Repository<'g> {
    git: &'g Git,
    until: Instant,
    within: Duration,
}

impl Repository<'_> {
    /// Whether the repository in `directory`, with what it shares in `common`, has the worktree `top`: a `.git` file, a link
    /// or a `commondir` can name any repository of the machine.
    fn is_of(&self, top: &Path, directory: &Path, common: &Path) -> Result<bool, GitError> {
        let dot_git = top.join(".git");
        if directory == dot_git && common == dot_git {
            return Ok(true);
        }
        // A linked worktree: its directory lies in the shared one, and names the worktree.
        if directory.parent() == Some(&common.join("worktrees")) {
            let named = short_text(&directory.join("gitdir")).unwrap_or_default();
            return Ok(Path::new(named.trim_end_matches('\n')) == dot_git);
        }
        // A submodule: its configuration names the worktree.
        if directory == common {
            let file = directory.join("config");
            let asked =
                [OsStr::new("config"), OsStr::new("--file"), file.as_os_str(), OsStr::new("core.worktree")];
            let named = self.output(&asked, b"").unwrap_or_default();
            let named = String::from_utf8_lossy(&named);
            let named = directory.join(named.trim_end_matches('\n'));
            return Ok(named != directory && named.canonicalize().is_ok_and(|named| named == top));
        }
        Ok(false)
    }
}
