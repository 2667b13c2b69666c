//! The daemon's log: the current file and the one before it. Invariant: both together stay below twice the
//! limit, and stderr and the last lines of a dying daemon are written to the current one.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{Mode, OFlags};
use serde_json::{Map, Value};
use tracing_subscriber::EnvFilter;

use super::last_words;

/// The size, in bytes, at which a new file is started.
const ROTATE_AT: u64 = 5 * 1024 * 1024;

/// Where log lines are copied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Stderr, which belongs to a terminal or a service manager.
    Stderr,
    /// Nowhere; stderr itself is redirected to the log.
    Nowhere,
}

/// Starts logging to `path`. `filter` has the syntax of `SYMD_LOG`.
pub fn start(path: &Path, filter: &str, echo: Echo) -> Result<(), String> {
    let filter = EnvFilter::builder()
        .parse(filter)
        .map_err(|error| format!("the log filter {filter:?} (SYMD_LOG, or `log` in config.toml): {error}"))?;
    let log =
        LogFile::open(path, echo).map_err(|error| format!("cannot log to {}: {error}", path.display()))?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Mutex::new(log))
        .finish();
    last_words::install(echo);
    tracing::subscriber::set_global_default(subscriber).map_err(|error| error.to_string())
}

/// Opens a log for appending, creating it with mode 0600.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// Returns the path of the log before the last rotation.
pub fn older(path: &Path) -> PathBuf {
    path.with_extension("log.1")
}

/// The most characters of one value, or of a result, that are logged.
const LOGGED_CHARS: usize = 200;

/// The most characters of all arguments of a call that are logged.
const LOGGED_ARGUMENTS_CHARS: usize = 2_000;

/// Returns the arguments of a call as JSON, with each long text truncated separately: a file's content must
/// not displace its path.
pub fn short_arguments(arguments: &Map<String, Value>) -> String {
    let mut shown = Map::new();
    let mut chars = 0;
    for (name, value) in arguments {
        if chars > LOGGED_ARGUMENTS_CHARS {
            shown.insert("…".to_owned(), format!("{} more", arguments.len() - shown.len()).into());
            break;
        }
        let value = match value {
            Value::String(text) => Value::String(short(text)),
            Value::Object(_) | Value::Array(_) => {
                let text = value.to_string();
                if text.len() > LOGGED_CHARS { Value::String(short(&text)) } else { value.clone() }
            }
            other => other.clone(),
        };
        let name = short(name);
        chars += name.chars().count() + value.to_string().chars().count();
        shown.insert(name, value);
    }
    Value::Object(shown).to_string()
}

/// Truncates a long text.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(LOGGED_CHARS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

struct LogFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    echo: Echo,
}

impl LogFile {
    fn open(path: &Path, echo: Echo) -> io::Result<LogFile> {
        let file = open(path)?;
        let bytes = file.metadata()?.len();
        last_words::write_to(&file)?;
        if echo == Echo::Nowhere {
            rustix::stdio::dup2_stderr(&file)?;
        }
        Ok(LogFile { path: path.to_owned(), file, bytes, echo })
    }

    fn rotate(&mut self) -> io::Result<()> {
        // A crash may truncate the log, so it does not need the atomic writes of base::state.
        rustix::fs::rename(&self.path, older(&self.path))?;
        *self = LogFile::open(&self.path, self.echo)?;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes >= ROTATE_AT {
            // A log that is too long is better than none.
            let _ = self.rotate();
        }
        if self.echo == Echo::Stderr {
            let _ = io::stderr().write_all(line);
        }
        self.file.write_all(line)?;
        self.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_each_by_itself() {
        let long = "ä".repeat(300);
        let arguments =
            serde_json::json!({ "content": long, "list": [long], "path": "a.txt", "z": [1, {"b": null}] });
        let shown = short_arguments(arguments.as_object().expect("an object"));
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["path"], "a.txt");
        assert_eq!(shown["z"], arguments["z"]);
        for name in ["content", "list"] {
            let text = shown[name].as_str().expect("a text");
            assert!(text.chars().count() < 230 && text.contains("… (60"), "{text}");
        }
        let many: Map<String, Value> =
            (0..5_000).map(|n| (format!("{n:04}"), long.as_str().into())).collect();
        let lists: Map<String, Value> =
            (0..5_000).map(|n| (format!("{n:04}"), serde_json::json!([n, n, n]))).collect();
        for arguments in [many, lists] {
            let shown = short_arguments(&arguments);
            assert!(shown.chars().count() < 4_000 && shown.contains("more"), "{}", shown.len());
        }
    }

    #[test]
    fn a_long_log_is_rotated() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("symd.log");
        let mut log = LogFile::open(&path, Echo::Stderr).unwrap();
        log.bytes = ROTATE_AT;
        log.write_all(b"line\n").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 5);
        assert_eq!(std::fs::metadata(older(&path)).unwrap().len(), 0);
    }
}
