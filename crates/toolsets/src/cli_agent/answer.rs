//! Runs calls and formats failures in the contract's words. Invariant: paths are quoted as the client wrote
//! them.

use std::future::Future;
use std::io;
use std::time::Instant;

use serde_json::{Map, Value};

use super::envelope::{Code, Success, ToolError, format_refusal, reply};
use crate::arguments::Arguments;
use crate::{Call, Reply, ReplyFuture, too_late, wait_for};
use symd_base::cancel::CancelOnDrop;
use symd_base::path::PathError;
use symd_base::{Cancel, RelPath};
use symd_edit::{EditError, Originator};
use symd_engine::{EngineError, View};
use symd_files::tree::{FileOpError, LocateError};
use symd_ops::Project;
use symd_ops::edits::{ApplyError, PerformError, PlanningError};
use symd_ops::question::QuestionError;
use symd_vfs::VfsError;

/// The result of a tool.
pub(super) type Answer = Result<Success, ToolError>;

/// Returns the result of a check: the contract's `Validate`.
pub(super) fn checked<T>(read: Result<T, ToolError>) -> Result<(), Reply> {
    read.map(drop).map_err(format_refusal)
}

/// Runs `work` on the project as it is now, under the deadline of all tools.
pub(super) fn ask<'a>(
    call: Call<'a>,
    work: impl Fn(&View, &Arguments<'_>, &Cancel) -> Answer + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let started = Instant::now();
        let (question, _stops_with_us) = stoppable(call.arguments, work);
        in_time(call.project, started, call.project.engine.ask_by_need(question)).await
    })
}

/// Runs `work`, which reads every file: calls of other tools never wait for it.
pub(super) fn ask_long<'a>(
    call: Call<'a>,
    work: impl Fn(&View, &Arguments<'_>, &Cancel) -> Answer + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let started = Instant::now();
        let (question, _stops_with_us) = stoppable(call.arguments, work);
        in_time(call.project, started, call.project.engine.ask_long_by_need(question)).await
    })
}

/// Returns `work` as a question, and a guard that stops it when dropped. The call's own flag does not do: see
/// `toolsets::stoppable`.
fn stoppable(
    arguments: Map<String, Value>,
    work: impl Fn(&View, &Arguments<'_>, &Cancel) -> Answer + Send + 'static,
) -> (impl Fn(&View) -> Answer + Send + 'static, CancelOnDrop) {
    let given_up = Cancel::new();
    let stops = given_up.on_drop();
    (move |view: &View| work(view, &Arguments::new(&arguments), &given_up), stops)
}

async fn in_time(
    project: &Project,
    started: Instant,
    answer: impl Future<Output = Result<Answer, EngineError>>,
) -> Reply {
    let answer = match wait_for(project, answer).await {
        Some(answer) => answer.map_err(ToolError::from).and_then(|answer| answer),
        None => {
            let why = too_late(&project.engine.status());
            let why = why.strip_prefix("Error: ").unwrap_or(&why);
            Err(ToolError::new(Code::Timeout, why, "Ask for less, or call the tool again"))
        }
    };
    reply(started, answer)
}

/// Returns the author of the call's edits.
pub(super) fn by(call: &Call<'_>) -> Originator {
    Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() }
}

/// The action of a tool on a path, for the texts of its failures.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolAction<'a> {
    /// "read file", "create file" …
    what: &'static str,
    /// The noun for what is not found: "File" or "Directory".
    noun: &'static str,
    path: &'a str,
}

impl<'a> ToolAction<'a> {
    pub(super) fn reading(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "read file", noun: "File", path }
    }

    pub(super) fn creating(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "create file", noun: "File", path }
    }

    pub(super) fn modifying(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "modify file", noun: "File", path }
    }

    pub(super) fn listing(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "list directory", noun: "Directory", path }
    }

    pub(super) fn searching(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "search directory", noun: "Directory", path }
    }

    pub(super) fn making(path: &'a str) -> ToolAction<'a> {
        ToolAction { what: "create directory", noun: "Directory", path }
    }

    /// Returns "Cannot create file 'a.txt'"; directories are not named, as in the contract.
    fn cannot(self) -> String {
        match self.noun {
            "Directory" => format!("Cannot {}", self.what),
            _ => format!("Cannot {} '{}'", self.what, self.path),
        }
    }

    pub(super) fn denied(self) -> ToolError {
        ToolError::new(
            Code::PermissionDenied,
            format!("{} - permission denied", self.cannot()),
            "Check the permissions, or use another path",
        )
    }

    pub(super) fn outside(self) -> ToolError {
        ToolError::new(
            Code::PathOutsideWorkingDir,
            format!("Path '{}' is outside working directory", self.path),
            "Use a path relative to the working directory, inside it",
        )
    }

    fn missing(self) -> ToolError {
        let suggestion = match self.noun {
            "File" => "Check the file name and try again, or use file_search to find it",
            _ => "Check the path and try again, or use list_dir to see what is there",
        };
        ToolError::new(Code::FileNotFound, format!("{} '{}' not found", self.noun, self.path), suggestion)
    }

    fn io(self, kind: io::ErrorKind, text: &str) -> ToolError {
        match kind {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => self.denied(),
            io::ErrorKind::NotADirectory => not_a_directory(self.path),
            _ => ToolError::new(
                Code::CommandFailed,
                format!("{} - {text}", self.cannot()),
                "Look at what the system said and try again",
            ),
        }
    }

    /// Rejects a path whose text alone shows that it is invalid.
    pub(super) fn lexical(self) -> Result<(), ToolError> {
        RelPath::new(self.path).map(drop).map_err(|error| self.locate(error.into()))
    }

    pub(super) fn locate(self, error: LocateError) -> ToolError {
        match error {
            LocateError::Path(PathError::Absolute(_) | PathError::Outside(_)) | LocateError::Outside(_) => {
                self.outside()
            }
            LocateError::Path(PathError::Invalid(path)) => {
                invalid_path(format!("Path '{path}' is not valid"))
            }
            LocateError::Missing(_) => self.missing(),
            LocateError::Unreadable { reason, kind, .. } => self.io(kind, &reason),
            // No tool of this contract applies the ignore rules.
            LocateError::Ignored(_) => self.denied(),
        }
    }

    pub(super) fn vfs(self, error: VfsError) -> ToolError {
        match error {
            VfsError::NotFound { .. } => self.missing(),
            VfsError::Outside { .. } => self.outside(),
            VfsError::NotAFile { what, .. } => {
                invalid_path(format!("Path '{}' is {what}, not a regular file", self.path))
            }
            VfsError::TooLarge { bytes, limit, .. } => ToolError::new(
                Code::ContentTooLarge,
                format!("File '{}' is too large ({bytes} bytes, limit {limit})", self.path),
                "Use smaller content",
            ),
            VfsError::ReadOnly { .. } | VfsError::InGitDirectory { .. } => self.denied(),
            VfsError::Exists { .. } => exists(self.path),
            VfsError::Io { source, .. } | VfsError::Write { source, .. } => {
                self.io(source.kind(), &source.to_string())
            }
        }
    }

    pub(super) fn file(self, error: FileOpError) -> ToolError {
        match error {
            FileOpError::Locate(error) => self.locate(error),
            FileOpError::Vfs(error) => self.vfs(error),
            FileOpError::IsDirectory(_) => {
                invalid_path(format!("Path '{}' is a directory, not a file", self.path))
            }
            FileOpError::IsFile(path) => not_a_directory(&path),
            FileOpError::Binary(path) => ToolError::new(
                Code::InvalidParameters,
                format!("File '{path}' is binary, it has no text to replace"),
                "Use a text file",
            ),
            other @ (FileOpError::Range(_) | FileOpError::Glob(_)) => {
                ToolError::new(Code::InvalidParameters, other.to_string(), "Correct the parameters")
            }
            FileOpError::Cancelled(_) => cancelled(),
        }
    }

    pub(super) fn perform(self, error: PerformError) -> ToolError {
        match error {
            PerformError::Make(PlanningError::File(error)) => self.file(error),
            PerformError::Apply(ApplyError::Edit(error)) => self.edit(error),
            PerformError::Engine(error) | PerformError::Question(QuestionError::Engine(error)) => {
                error.into()
            }
            other => self.failed(other.to_string()),
        }
    }

    fn edit(self, error: EditError) -> ToolError {
        match error {
            EditError::File(error) => self.vfs(error),
            EditError::Failed { reason } => self.edit(*reason),
            EditError::Settings { .. } => ToolError::new(
                Code::PermissionDenied,
                format!("{} - permission denied: {error}", self.cannot()),
                "Ask the user to edit the file",
            ),
            EditError::Unsaved { .. } => ToolError::new(
                Code::CommandFailed,
                format!("{} - {error}", self.cannot()),
                "Ask the user to save or close the file in the editor",
            ),
            EditError::Busy(text) => {
                ToolError::new(Code::Timeout, text, "Call the tool again when the search has ended")
            }
            other => self.failed(other.to_string()),
        }
    }

    fn failed(self, text: String) -> ToolError {
        ToolError::new(Code::CommandFailed, format!("{} - {text}", self.cannot()), "Call the tool again")
    }
}

pub(super) fn not_a_directory(path: &str) -> ToolError {
    ToolError::new(
        Code::NotADirectory,
        format!("Path '{path}' is not a directory"),
        "Use the path of a directory",
    )
}

pub(super) fn exists(path: &str) -> ToolError {
    ToolError::new(
        Code::FileExists,
        format!("File '{path}' already exists. Use replace_string_in_file to modify"),
        "Use replace_string_in_file to modify it, or choose another path",
    )
}

pub(super) fn cancelled() -> ToolError {
    ToolError::new(Code::Timeout, "The call was cancelled", "Call the tool again")
}

/// Returns the error for an argument that has the right type and an impossible value.
pub(super) fn invalid(text: String, suggestion: &str) -> ToolError {
    ToolError::new(Code::InvalidParameters, text, suggestion)
}

fn invalid_path(text: String) -> ToolError {
    invalid(text, "Use the path of a regular file; list_dir shows what is there")
}

/// Returns the warning about `count` names that cannot be shown.
pub(super) fn unnamed(count: usize) -> String {
    format!("Left out {} with a name that is not UTF-8", counted(count, "entry", "entries"))
}

/// Formats a count with its noun: "1 file", "2 files".
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
