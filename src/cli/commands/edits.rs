//! `symd undo`, `redo`, `resolve`, `finish`, `history`, `patch`: native's tools of these names.

use std::io::Read;

use serde_json::{Value, json};

use super::Form;
use crate::cli::args::{Length, Resolution};
use crate::cli::commands::ask;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};

/// Whether files are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DryRun {
    No,
    Yes,
}

impl DryRun {
    pub(super) fn new(dry_run: bool) -> DryRun {
        if dry_run { DryRun::Yes } else { DryRun::No }
    }

    /// Returns the parameter's value; `None` omits the default.
    fn flag(self) -> Option<bool> {
        (self == DryRun::Yes).then_some(true)
    }
}

/// Whether an edit is refused after which a file would no longer parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaking {
    Refused,
    Allowed,
}

impl Breaking {
    pub(super) fn new(force: bool) -> Breaking {
        if force { Breaking::Allowed } else { Breaking::Refused }
    }

    fn flag(self) -> Option<bool> {
        (self == Breaking::Allowed).then_some(true)
    }
}

pub(super) fn undo(context: &Context, id: Option<u64>, trial: DryRun, length: Length) -> Result<(), Failure> {
    ask::run(context, "undo", json!({ "id": id, "dry_run": trial.flag(), "limit": length.limit }))
}

pub(super) fn resolve(
    context: &Context,
    id: u64,
    resolution: Resolution,
    trial: DryRun,
) -> Result<(), Failure> {
    let resolution = match resolution {
        Resolution::Keep => "keep",
        Resolution::PutBack => "put_back",
    };
    ask::run(context, "resolve_edit", json!({ "id": id, "resolution": resolution, "dry_run": trial.flag() }))
}

pub(super) fn finish(context: &Context, id: u64, trial: DryRun) -> Result<(), Failure> {
    ask::run(context, "finish_edit", json!({ "id": id, "dry_run": trial.flag() }))
}

pub(super) fn redo(context: &Context, trial: DryRun, length: Length) -> Result<(), Failure> {
    ask::run(context, "redo", json!({ "dry_run": trial.flag(), "limit": length.limit }))
}

pub(super) fn history(context: &Context, count: Option<u32>, form: Form) -> Result<(), Failure> {
    let format = match form {
        Form::Text => Value::Null,
        Form::Json => json!("json"),
    };
    // A user who gives a count wants to see all of these entries.
    let limit = (form == Form::Json || count.is_some()).then_some(u32::MAX);
    ask::run(context, "history", json!({ "count": count, "format": format, "limit": limit }))
}

#[allow(
    clippy::disallowed_methods,
    reason = "the patch is no file of the project: the user names it to their own command"
)]
pub(super) fn patch(
    context: &Context,
    file: &str,
    trial: DryRun,
    breaking: Breaking,
    length: Length,
) -> Result<(), Failure> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text),
        path => std::fs::File::open(path).and_then(|mut opened| opened.read_to_string(&mut text)),
    };
    read.map_err(|error| Exit::Usage.because(format!("cannot read the patch from {file}: {error}")))?;
    ask::run(
        context,
        "apply_patch",
        json!({ "patch": text, "dry_run": trial.flag(), "force": breaking.flag(), "limit": length.limit }),
    )
}
