//! `symd logs`: prints the daemon's log, and follows it on request.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc;

use notify::{RecursiveMode, Watcher};
use rustix::fs::{Mode, OFlags};

use crate::base::state;
use crate::cli::commands::print;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::terminal::for_reader;
use crate::serve::{DaemonPaths, log};

pub(super) fn show(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    let mut found = false;
    for path in [log::older(&place.log()), place.log()] {
        if let Some(bytes) = state::read_file(&path).map_err(|error| Exit::Failed.because(error))? {
            found = true;
            print(&String::from_utf8_lossy(&bytes))?;
        }
    }
    if found { Ok(()) } else { Err(no_log(&place)) }
}

/// Prints the log and its new lines until it is interrupted, or stdout is closed.
pub(super) fn follow(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    let path = place.log();
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Exit::Failed.because(format!("cannot {what} {}: {error}", path.display()))
    };
    // Room for one notification: more are not needed until it is received.
    let (wake, woken) = mpsc::sync_channel(1);
    let mut watcher = notify::recommended_watcher(move |_| {
        let _ = wake.try_send(());
    })
    .map_err(|error| failed("watch", &error))?;
    // Watches before reading: otherwise a line written in between would be shown only with the next one.
    watcher.watch(&place.state, RecursiveMode::NonRecursive).map_err(|_| no_log(&place))?;
    let mut file = open(&path).map_err(|_| no_log(&place))?;
    loop {
        let read = copy(&mut file).map_err(|error| failed("read", &error))?;
        if read == Copied::NobodyReads {
            return Ok(());
        }
        match replaced(&file, &path) {
            Some(newer) => file = newer,
            None => woken.recv().map_err(|error| failed("watch", &error))?,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copied {
    ToTheEnd,
    NobodyReads,
}

fn copy(file: &mut File) -> io::Result<Copied> {
    let mut new = Vec::new();
    file.read_to_end(&mut new)?;
    let mut out = io::stdout().lock();
    let text = String::from_utf8_lossy(&new);
    match out.write_all(for_reader(&text, &out).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Copied::NobodyReads),
        Err(error) => Err(error),
        Ok(()) => Ok(Copied::ToTheEnd),
    }
}

/// Returns the new file if the log was rotated since `file` was opened.
fn replaced(file: &File, path: &Path) -> Option<File> {
    let newer = open(path).ok()?;
    let inode = |file: &File| file.metadata().ok().map(|meta| meta.ino());
    (inode(&newer)? != inode(file)?).then_some(newer)
}

fn open(path: &Path) -> io::Result<File> {
    Ok(File::from(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?))
}

fn no_log(place: &DaemonPaths) -> Failure {
    Exit::Failed.because(format!(
        "there is no log of {} ({} does not exist); `symd start` starts a daemon",
        place.root.display(),
        place.log().display()
    ))
}
