//! The life of the file: opened when it is first needed, kept aside when it is damaged, its index of words built again.
//! Invariant: what another process has set aside, or replaced, is not written any more.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use symd_base::Timestamp;
use symd_base::state::{self, durable};

use super::{LoadedMatrix, Opened, SqliteStore, tables};
use crate::store::StoreError;

/// How long a call waits for another process that writes.
const WAIT: Duration = Duration::from_millis(1_500);

/// How often a file that other processes replace is opened.
const TRIES: usize = 3;

/// The end of the name of SQLite's log of writes.
const LOG: &str = "-wal";

/// Why a transaction failed.
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    /// The index of words, which can be built again, refused a change.
    Words(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sqlite(error)
    }
}

impl<E: Into<StoreError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Store(error.into())
    }
}

impl SqliteStore {
    /// Runs `work`; if the file turns out to be damaged, keeps it aside and runs `work` on a new one.
    pub(super) fn with<T>(
        &self,
        work: impl Fn(&mut Connection, &mut Option<LoadedMatrix>) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut opened = self.opened();
        let (mut is_repaired, mut is_second) = (false, false);
        loop {
            match self.run(&mut opened, &work) {
                Err(Failure::Words(error)) if !is_repaired && !is_busy(&error) => {
                    is_repaired = true;
                    // It has the counts of words.
                    opened.matrix = None;
                    // If that fails, the next round finds the damage again.
                    if opened.connection.as_mut().is_some_and(|connection| tables::repair(connection).is_ok())
                    {
                        let said =
                            "the words of the solutions could not be searched; their index was built again";
                        opened.notices.push(format!("{said} ({error})"));
                    }
                }
                Ok(value) => return Ok(value),
                Err(Failure::Store(error)) => return Err(error),
                Err(Failure::Sqlite(error) | Failure::Words(error)) if is_damaged(&error) && !is_second => {
                    is_second = true;
                    self.set_aside(&mut opened, &error)?;
                }
                Err(Failure::Sqlite(error) | Failure::Words(error)) => return Err(self.unavailable(error)),
            }
        }
    }

    fn run<T>(
        &self,
        opened: &mut Opened,
        work: &impl Fn(&mut Connection, &mut Option<LoadedMatrix>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // A file that another process has set aside, or that was deleted, is not written any more.
        if opened.connection.is_none() || opened.file != self.file() {
            let _lock = self.lock().map_err(Failure::Store)?;
            (opened.connection, opened.matrix) = (None, None);
            self.connect(opened)?;
        }
        match &mut opened.connection {
            Some(connection) => work(connection, &mut opened.matrix),
            None => Err(Failure::Store(self.unavailable("it did not open"))),
        }
    }

    /// Returns the identity of the file that is at the path now.
    fn file(&self) -> Option<(u64, u64)> {
        let metadata = std::fs::metadata(&self.path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    }

    /// Keeps the file from being set aside by another process until the lock is dropped.
    fn lock(&self) -> Result<File, StoreError> {
        if let Some(parent) = self.path.parent() {
            state::private_dir(parent).map_err(|error| self.unavailable(error))?;
        }
        durable::lock(&beside(&self.path, ".lock")).map_err(|error| self.unavailable(error))
    }

    /// Opens the file; the caller holds the lock.
    fn connect(&self, opened: &mut Opened) -> Result<(), Failure> {
        for _ in 0..TRIES {
            // Also if it does not open: what is set aside is the file that was found damaged.
            opened.file = self.file();
            let (before, connection) = (opened.file, self.open()?);
            opened.file = self.file();
            if before.is_none() || before == opened.file {
                opened.connection = Some(connection);
                return Ok(());
            }
        }
        Err(Failure::Store(self.unavailable("other processes replace it all the time")))
    }

    fn open(&self) -> Result<Connection, Failure> {
        let mut connection = Connection::open(&self.path)?;
        connection.busy_timeout(WAIT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        if let Err(newer) = tables::prepare(&mut connection)? {
            let reason = format!("it was written by a newer symd (version {newer} of its tables)");
            return Err(Failure::Store(self.unavailable(reason)));
        }
        Ok(connection)
    }

    /// Keeps the damaged file, with the log of its last writes, under another name.
    fn set_aside(&self, opened: &mut Opened, error: &rusqlite::Error) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        if opened.file != self.file() {
            // Another process has done it.
            (opened.connection, opened.matrix) = (None, None);
            return Ok(());
        }
        if let Some(connection) = opened.connection.take() {
            // It would write its log into the damaged file otherwise; without the setting, no more than that.
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        opened.matrix = None;
        let first = beside(&self.path, &format!(".damaged-{}", Timestamp::now().seconds()));
        let others = (2..).map(|number| beside(&first, &format!("-{number}")));
        let is_free = |path: &PathBuf| [path.clone(), beside(path, LOG)].iter().all(|path| is_absent(path));
        let aside =
            std::iter::once(first.clone()).chain(others).find(is_free).unwrap_or_else(|| first.clone());
        // The log first: SQLite would apply one that is left to the new file.
        let log = beside(&self.path, LOG);
        if !is_absent(&log) {
            state::move_file(&log, &beside(&aside, LOG)).map_err(|error| self.unavailable(error))?;
        }
        state::remove_file(&beside(&self.path, "-shm")).map_err(|error| self.unavailable(error))?;
        state::move_file(&self.path, &aside).map_err(|error| self.unavailable(error))?;
        opened.notices.push(format!(
            "the store of solutions was damaged ({error}); it is kept as {}, and a new one was begun",
            aside.display()
        ));
        Ok(())
    }

    pub(super) fn unavailable(&self, reason: impl ToString) -> StoreError {
        StoreError::Unavailable { place: self.path.display().to_string(), reason: reason.to_string() }
    }
}

/// Returns `path` with `suffix` at its end.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(suffix);
    PathBuf::from(path)
}

fn is_absent(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err()
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Whether another process writes, or the disk is full: nothing is wrong with the file.
fn is_busy(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseBusy | DatabaseLocked | DiskFull | ReadOnly | SystemIoFailure))
}
