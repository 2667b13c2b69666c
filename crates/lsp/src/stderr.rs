//! A server's stderr: its last lines, for error messages, and a log file. Invariant: memory and disk use are
//! bounded, whatever the server writes; stderr is read for as long as the server lives, so that a full pipe
//! never blocks it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{Mode, OFlags};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

/// The number of lines kept for error messages.
const LINES: usize = 20;
/// The characters kept of a line.
const LINE_CHARS: usize = 300;
/// The size in bytes at which the log is rotated; one earlier log is kept.
const ROTATE_AT: u64 = 1 << 20;
/// Bytes per read.
const CHUNK: usize = 8 << 10;
/// The length in bytes at which a line without a line break is split.
const LONGEST_LINE: usize = 4 << 10;
/// Capacity of the queue of lines that are matched against the `fatal-stderr` patterns. When it is full,
/// further lines are only logged.
pub(super) const STDERR_QUEUE: usize = 256;

/// The last lines of one process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    /// The last lines, oldest first.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(LINE_CHARS).collect());
    }
}

/// Reads stderr to its end, which comes when all processes with a writing end have exited.
pub(super) async fn read(
    mut stderr: impl AsyncRead + Unpin,
    tail: Tail,
    log: PathBuf,
    told: mpsc::Sender<String>,
) {
    let mut log = Log::open(log);
    let mut chunk = vec![0; CHUNK];
    let mut line = Vec::new();
    let tell = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        line.clear();
        if !text.is_empty() {
            tail.push(&text);
            // Fails if the queue is full or its receiver is gone.
            let _ = told.try_send(text);
        }
    };
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        log.write(&chunk[..count]);
        for &byte in &chunk[..count] {
            match byte {
                b'\n' => tell(&mut line),
                byte if line.len() < LONGEST_LINE => line.push(byte),
                byte => {
                    tell(&mut line);
                    line.push(byte);
                }
            }
        }
    }
    tell(&mut line);
}

/// A log file and its predecessor. A crash may truncate it, so it is written without the care of
/// `base::state`.
struct Log {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl Log {
    fn open(path: PathBuf) -> Log {
        let file =
            open(&path).inspect_err(|error| tracing::warn!("cannot log to {}: {error}", path.display())).ok();
        let bytes = file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |meta| meta.len());
        Log { path, file, bytes }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.bytes >= ROTATE_AT {
            // If that fails, the log grows beyond its limit, which is better than no log.
            let _ = rustix::fs::rename(&self.path, self.path.with_extension("log.1"));
            *self = Log::open(std::mem::take(&mut self.path));
        }
        if let Some(file) = &mut self.file {
            // An error such as a full disk must not stop the reading, or the server would block.
            let _ = file.write_all(bytes);
            self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_the_log_is_bounded() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("ls.log");
        let mut said = Vec::new();
        for number in 0..300_000 {
            said.extend_from_slice(format!("line {number}\r\n").as_bytes());
        }
        said.extend_from_slice(&[b'x'; 5000]);
        let (told, mut lines) = mpsc::channel(STDERR_QUEUE);
        let tail = Tail::default();
        read(&said[..], tail.clone(), path.clone(), told).await;
        let kept = tail.lines();
        assert_eq!(kept.len(), LINES);
        assert_eq!(kept[LINES - 3], "line 299999");
        assert_eq!(kept[LINES - 1].len(), LINE_CHARS);
        assert_eq!(lines.recv().await.unwrap(), "line 0");
        let size = |path: &Path| std::fs::metadata(path).unwrap().len();
        assert!(size(&path) <= ROTATE_AT + 8192 && size(&path.with_extension("log.1")) <= ROTATE_AT + 8192);
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
}
