//! `symd gc`: removes files of dead daemons and deleted projects. Never removes a live daemon's files: it
//! holds the daemon's lock while it removes them.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::state;
use crate::cli::commands::print;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::projects::Projects;
use crate::index::cache;
use crate::serve::daemon_paths::{OUTLINES, runtime_base};
use crate::serve::lock;

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let dirs = &context.dirs;
    let runtime = runtime_base(&dirs.sockets);
    let mut text = String::new();
    for directory in directories(&runtime) {
        if remove_if_dead(&directory)? {
            tell(&mut text, format_args!("removed {}: its daemon is gone", directory.display()));
        }
    }
    for directory in directories(&dirs.persistent.state) {
        let name = directory.file_name().unwrap_or_default();
        let Ok(Some(root)) = state::read_file(&directory.join("root")) else { continue };
        let root = Path::new(OsStr::from_bytes(&root));
        if root.exists() || runtime.join(name).exists() {
            continue;
        }
        remove_tree(&directory)?;
        let (directory, root) = (directory.display(), root.display());
        tell(&mut text, format_args!("removed {directory}: {root} does not exist any more"));
    }
    let projects = Projects::new(&dirs.persistent.state);
    for gone in projects.forget_gone().map_err(|error| Exit::Failed.because(error))? {
        tell(&mut text, format_args!("forgot the project {}: {} is gone", gone.name, gone.root.display()));
    }
    let limit = context.settings()?.cache_max_bytes;
    let report = cache::gc(&dirs.persistent.cache.join(OUTLINES), limit, None)
        .map_err(|error| Exit::Failed.because(error))?;
    if report.removed > 0 {
        let freed = report.bytes_before - report.bytes_after;
        tell(&mut text, format_args!("removed {} cache files, {freed} bytes", report.removed));
    }
    let total = report.bytes_after;
    tell(&mut text, format_args!("{total} bytes of cached outlines; the limit is {limit} (cache_max_bytes)"));
    print(&text)
}

fn tell(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Returns the directories in `parent`, sorted by name; none if `parent` does not exist.
fn directories(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = parent.read_dir() else { return Vec::new() };
    let is_directory = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut found: Vec<PathBuf> = entries.flatten().filter(is_directory).map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn remove_if_dead(runtime: &Path) -> Result<bool, Failure> {
    let path = runtime.join("lock");
    if !path.exists() {
        return Ok(false);
    }
    // Takes both locks, so that no daemon is starting either.
    let failed = |error| Exit::Failed.because(format!("cannot lock {}: {error}", path.display()));
    let starting = lock::try_lock(&runtime.join("start.lock")).map_err(failed)?;
    let living = lock::try_lock(&path).map_err(failed)?;
    if starting.is_none() || living.is_none() {
        return Ok(false);
    }
    remove_tree(runtime)?;
    Ok(true)
}

/// Removes one of symd's own directories with its contents. Does not follow symlinks.
fn remove_tree(directory: &Path) -> Result<(), Failure> {
    state::remove_tree(directory).map_err(|error| Exit::Failed.because(error))
}
