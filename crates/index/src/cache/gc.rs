//! Keeps all caches together, but for that of the project whose daemon collects, under a size limit by removing whole repositories, the
//! one written longest ago first. Also removes what a killed daemon left half-written.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::pack::Pack;
use super::{INDEX_EXTENSION, PACK_EXTENSION, PARSES_EXTENSION, index_path, paths_with};
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

/// The cache of the project whose daemon collects.
#[derive(Clone, Copy, Debug)]
pub struct KeptCache<'a> {
    /// Its directory, which work trees of one repository share.
    pub directory: &'a Path,
    /// The project's root.
    pub root: &'a Path,
}

struct Repository {
    directory: PathBuf,
    files: Vec<CacheFile>,
    bytes: u64,
    written: SystemTime,
}

struct CacheFile {
    path: PathBuf,
    bytes: u64,
    written: SystemTime,
}

/// Removes the outlines and indexes of the repositories under `outlines` (one directory each) until all but `kept` together have at most
/// `max_bytes`. Never removes what the daemon of `kept` can use, however large it is, nor counts it: a daemon that lost its own cache at
/// each start would parse a large tree each time. A daemon that has a removed pack open continues to read it.
pub fn gc(outlines: &Path, max_bytes: u64, kept: Option<KeptCache<'_>>) -> Result<GcReport, StateError> {
    let mut repositories = Vec::new();
    let directories = match std::fs::read_dir(outlines) {
        Ok(directories) => directories,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(GcReport::default()),
        Err(source) => return Err(StateError::Io { what: "cannot list", path: outlines.to_owned(), source }),
    };
    for directory in directories.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        remove_leftovers(&directory)?;
        repositories.push(Repository::list(directory)?);
    }
    repositories.sort_by_key(|repository| repository.written);
    let bytes_before = repositories.iter().map(|repository| repository.bytes).sum();
    let (own, others): (Vec<Repository>, Vec<Repository>) = repositories
        .into_iter()
        .partition(|repository| kept.is_some_and(|kept| kept.directory == repository.directory));
    let mut report = GcReport { bytes_before, bytes_after: bytes_before, removed: 0 };
    let mut left: u64 = others.iter().map(|repository| repository.bytes).sum();
    for repository in &others {
        if left <= max_bytes {
            break;
        }
        repository.files.iter().try_for_each(|file| report.remove(file))?;
        left -= repository.bytes;
    }
    for (repository, kept) in own.iter().zip(kept) {
        remove_unusable(repository, max_bytes, kept, &mut report)?;
    }
    Ok(report)
}

/// Removes files of the kept cache, the oldest first, until it has at most `max_bytes`; only those that are of no use to its daemon: packs that
/// it cannot open, and indexes of other work trees, which may be gone.
fn remove_unusable(
    repository: &Repository,
    max_bytes: u64,
    kept: KeptCache<'_>,
    report: &mut GcReport,
) -> Result<(), StateError> {
    let index = index_path(kept.directory, kept.root);
    let is_unusable = |path: &Path| {
        let is_index = path.extension().is_some_and(|extension| extension == INDEX_EXTENSION);
        if is_index { path != index } else { Pack::open(path).is_none() }
    };
    let mut left = repository.bytes;
    for file in &repository.files {
        if left <= max_bytes {
            break;
        }
        if is_unusable(&file.path) {
            report.remove(file)?;
            left -= file.bytes;
        }
    }
    Ok(())
}

impl GcReport {
    fn remove(&mut self, file: &CacheFile) -> Result<(), StateError> {
        state::remove_file(&file.path)?;
        self.removed += 1;
        self.bytes_after -= file.bytes;
        Ok(())
    }
}

impl Repository {
    /// Lists the files in `directory`, the one written longest ago first.
    fn list(directory: PathBuf) -> Result<Repository, StateError> {
        let paths = paths_with(&[PACK_EXTENSION, INDEX_EXTENSION, PARSES_EXTENSION], &directory)?;
        let file = |path: PathBuf| {
            let stat = path.metadata().ok()?;
            let written = stat.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            Some(CacheFile { path, bytes: stat.len(), written })
        };
        let mut files: Vec<CacheFile> = paths.into_iter().filter_map(file).collect();
        files.sort_by_key(|file| file.written);
        let bytes = files.iter().map(|file| file.bytes).sum();
        let written = files.last().map_or(SystemTime::UNIX_EPOCH, |file| file.written);
        Ok(Repository { directory, files, bytes, written })
    }
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
