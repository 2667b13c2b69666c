//! Keeps all caches together under a size limit by removing whole repositories, the one written longest ago
//! first. Also removes what a killed daemon left half-written.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{PACK_EXTENSION, PARSES_EXTENSION, RECORDS_EXTENSION, paths_with};
use symd_base::state::{self, StateError};

/// What a collection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct GcReport {
    /// Bytes of all caches before.
    pub bytes_before: u64,
    /// Bytes of all caches after.
    pub bytes_after: u64,
    /// Files removed.
    pub removed: usize,
}

/// Age after which a temporary file counts as left over; writing a pack takes seconds.
const LEFT_OVER_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

struct Repository {
    is_kept: bool,
    files: Vec<PathBuf>,
    bytes: u64,
    written: SystemTime,
}

/// Removes the outlines and records of the repositories under `outlines` (one directory each) until all together have at most
/// `max_bytes`; never those in the directory `kept`, however large: a daemon whose own cache went at each start would parse a large tree
/// each time. A daemon that has a removed pack open continues to read it.
pub fn gc(outlines: &Path, max_bytes: u64, kept: Option<&Path>) -> Result<GcReport, StateError> {
    let mut repositories = Vec::new();
    let directories = match std::fs::read_dir(outlines) {
        Ok(directories) => directories,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(GcReport::default()),
        Err(source) => return Err(StateError::Io { what: "cannot list", path: outlines.to_owned(), source }),
    };
    for directory in directories.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        remove_leftovers(&directory)?;
        let files = paths_with(&[PACK_EXTENSION, RECORDS_EXTENSION, PARSES_EXTENSION], &directory)?;
        let stats: Vec<_> = files.iter().filter_map(|path| path.metadata().ok()).collect();
        let written =
            stats.iter().filter_map(|stat| stat.modified().ok()).max().unwrap_or(SystemTime::UNIX_EPOCH);
        repositories.push(Repository {
            is_kept: kept == Some(&directory),
            files,
            bytes: stats.iter().map(std::fs::Metadata::len).sum(),
            written,
        });
    }
    repositories.sort_by_key(|repository| repository.written);
    let bytes_before: u64 = repositories.iter().map(|repository| repository.bytes).sum();
    let mut report = GcReport { bytes_before, bytes_after: bytes_before, removed: 0 };
    for repository in repositories.iter().filter(|repository| !repository.is_kept) {
        if report.bytes_after <= max_bytes {
            break;
        }
        for file in &repository.files {
            state::remove_file(file)?;
            report.removed += 1;
        }
        report.bytes_after -= repository.bytes;
    }
    Ok(report)
}

/// Removes temporary files that are too old to be in use.
fn remove_leftovers(directory: &Path) -> Result<(), StateError> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_temporary =
            path.extension().is_some_and(|extension| extension.to_string_lossy().starts_with("tmp"));
        let age =
            path.symlink_metadata().and_then(|stat| stat.modified()).ok().and_then(|at| at.elapsed().ok());
        if is_temporary && age.is_some_and(|age| age > LEFT_OVER_AFTER) {
            state::remove_file(&path)?;
        }
    }
    Ok(())
}
