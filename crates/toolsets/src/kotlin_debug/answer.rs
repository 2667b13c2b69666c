//! Runs calls under the contract's limit of two seconds, and formats what went wrong with a file. Invariant: paths
//! are quoted as the client wrote them.

use std::future::Future;
use std::time::Duration;

use symd_base::Cancel;
use symd_base::path::PathError;
use symd_engine::View;
use symd_files::tree::{FileOpError, LocateError};
use symd_vfs::VfsError;

use super::envelope::{Data, DebugToolError, ErrorCode, reply};
use crate::arguments::Arguments;
use crate::{Call, Reply, ReplyFuture};
use symd_ops::Project;

/// The result of a tool.
pub(super) type DebugAnswer = Result<Data, DebugToolError>;

/// The contract's limit on every call.
pub(super) const LIMIT: Duration = Duration::from_secs(2);

/// Runs `work` on the project as it is now.
pub(super) fn ask<'a>(
    call: Call<'a>,
    work: impl FnOnce(&View, &Arguments<'_>, &Cancel) -> DebugAnswer + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let Call { project, arguments, .. } = call;
        // Raised when the call is given up for being late.
        let given_up = Cancel::new();
        let _stops_with_us = given_up.on_drop();
        let question = project.engine.ask(move |view| work(view, &Arguments::new(&arguments), &given_up));
        in_time(project, async { question.await.map_err(DebugToolError::from)? }).await
    })
}

/// Waits for an answer for as long as the contract allows.
pub(super) async fn in_time(project: &Project, answer: impl Future<Output = DebugAnswer>) -> Reply {
    let late = |_| {
        let status = project.engine.status();
        let left = match status.ready {
            true => "ask for less".to_owned(),
            false => format!("files are still to be read: {}; ask again", status.pending_files),
        };
        let why = format!("no answer within {} s; {left}", LIMIT.as_secs());
        Err(DebugToolError::new(ErrorCode::ToolTimeout, why))
    };
    reply(tokio::time::timeout(LIMIT, answer).await.unwrap_or_else(late))
}

/// Converts the reason why the file that a client named cannot be read.
pub(super) fn unreadable(path: &str, error: FileOpError) -> DebugToolError {
    match error {
        FileOpError::Locate(error) => not_located(path, error),
        FileOpError::Vfs(error) => vfs(path, error),
        FileOpError::IsDirectory(_) | FileOpError::IsFile(_) => not_a_file(path, "a directory"),
        FileOpError::Binary(_) => binary(path),
        other => DebugToolError::new(ErrorCode::InternalError, other.to_string()),
    }
}

/// Converts the reason why a path that a client wrote is not used.
pub(super) fn not_located(path: &str, error: LocateError) -> DebugToolError {
    match error {
        LocateError::Path(PathError::Absolute(_) | PathError::Outside(_)) | LocateError::Outside(_) => {
            outside(path)
        }
        LocateError::Path(PathError::Invalid(_)) => {
            DebugToolError::new(ErrorCode::FileNotFound, format!("'{path}' is not a valid path"))
        }
        LocateError::Missing(_) => missing(path),
        LocateError::Ignored(_) => missing(path),
        LocateError::Unreadable { reason, .. } => denied(path, &reason),
    }
}

fn vfs(path: &str, error: VfsError) -> DebugToolError {
    match error {
        VfsError::NotFound { .. } => missing(path),
        VfsError::Outside { .. } => outside(path),
        VfsError::NotAFile { what, .. } => not_a_file(path, what),
        VfsError::TooLarge { bytes, .. } => too_large(path, bytes),
        VfsError::Io { source, .. } => denied(path, &source.to_string()),
        other => DebugToolError::new(ErrorCode::InternalError, other.to_string()),
    }
}

/// The contract's example.
pub(super) fn missing(path: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::FileNotFound, format!("File '{path}' does not exist in workspace"))
}

pub(super) fn binary(path: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::BinaryFile, format!("File '{path}' is not a text file"))
}

pub(super) fn too_large(path: &str, bytes: u64) -> DebugToolError {
    let message = format!("File '{path}' exceeds the limit of 10 MB ({bytes} bytes)");
    DebugToolError::new(ErrorCode::TooLarge, message)
}

fn outside(path: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::PermissionDenied, format!("'{path}' is outside of the workspace"))
}

fn denied(path: &str, reason: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::PermissionDenied, format!("File '{path}' cannot be read: {reason}"))
}

fn not_a_file(path: &str, what: &str) -> DebugToolError {
    DebugToolError::new(ErrorCode::FileNotFound, format!("'{path}' is {what}, not a file"))
}
