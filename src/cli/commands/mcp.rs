//! `symd mcp`: connects an MCP client's stdin and stdout to the daemon. Outside any project it serves the
//! same tools itself; each of them answers how to choose a project.

use std::sync::Arc;

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::shim::Shim;
use crate::config::Trust;
use crate::config::roots::RootError;
use crate::serve::approvals::Approver;
use crate::serve::connection::{self, PeerState};
use crate::serve::host::{Host, Parts};
use crate::toolsets;
use crate::toolsets::listing::choose;

pub(super) fn run(context: &Context, toolset: Vec<String>) -> Result<(), Failure> {
    match context.find_place() {
        Ok(place) => Shim::new(place, toolset, context.spawning).run(),
        Err(RootError::NoProject(_)) => without_project(context, toolset),
        Err(error) => Err(Exit::Usage.because(error)),
    }
}

fn without_project(context: &Context, toolset: Vec<String>) -> Result<(), Failure> {
    let settings = context.settings()?;
    let names = if toolset.is_empty() { settings.toolset } else { toolset };
    choose(toolsets::all(), &names).map_err(|message| Exit::Usage.because(message))?;
    let approvals = Approver::outside(&context.dirs, settings.limits.approval());
    let host = Host::new(Parts {
        project: None,
        root: std::path::PathBuf::new(),
        toolsets: toolsets::all(),
        default_toolset: names,
        approvals: Some(approvals.map_err(|error| Exit::Failed.because(error))?),
        limits: settings.limits,
        trust: Trust::Never,
        notes: Vec::new(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Exit::Failed.because(format!("cannot start: {error}")))?;
    runtime.block_on(connection::serve(Arc::clone(&host), tokio::io::stdin(), tokio::io::stdout(), |_| {
        PeerState::HalfClosed
    }));
    // A thread may still be reading stdin.
    runtime.shutdown_background();
    Ok(())
}
