//! `symd lsp`: connects an editor's stdin and stdout to the daemons of its projects.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use crate::base::state::StateDirs;
use crate::base::state::presence::Presence;
use crate::cli::client::{Client, Role};
use crate::cli::commands::trust;
use crate::cli::context::{Context, Spawning};
use crate::cli::editor_pipes;
use crate::cli::failure::{Exit, Failure};
use crate::ide::proxy::{self, Announce, AskTrust, Connect, ProxyEnd, ProxyHooks, StartPolicy, WatchSocket};
use crate::serve::approvals::proof;
use crate::serve::{DaemonPaths, SharedDirs, resolve_dirs};
use crate::sys::file_watch::FileWatch;

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let own = StateDirs::from_env().map_err(|error| Exit::Failed.because(error))?;
    let allowed = context.spawning;
    let dirs = own.clone();
    let announce: Announce = Arc::new(move |root, editor| {
        let SharedDirs { dirs, .. } = resolve_dirs(dirs.clone(), root);
        Presence::begin(&DaemonPaths::new(&dirs, root).editors(), editor).map_err(|error| error.to_string())
    });
    let connecting = own.clone();
    let connect: Connect = Arc::new(move |root, policy| {
        let spawning = match policy {
            StartPolicy::Start => allowed,
            StartPolicy::JoinOnly => Spawning::Forbidden,
        };
        connect(connecting.clone(), root, spawning).map_err(|failure| failure.text)
    });
    let dirs = own.clone();
    let watch_socket: WatchSocket = Arc::new(move |root| {
        let SharedDirs { dirs, .. } = resolve_dirs(dirs.clone(), root);
        FileWatch::begin(&DaemonPaths::new(&dirs, root).socket())
    });
    let dirs = own.clone();
    let ask_trust: AskTrust = Arc::new(move |root| {
        let SharedDirs { dirs, .. } = resolve_dirs(dirs.clone(), root);
        trust::question(&dirs.persistent.config, &DaemonPaths::new(&dirs, root), allowed)
    });
    let hooks = ProxyHooks { announce, connect, watch_socket, ask_trust };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Exit::Failed.because(format!("cannot start: {error}")))?;
    let end =
        runtime.block_on(async { proxy::serve(hooks, editor_pipes::input(), editor_pipes::output()).await });
    // A thread may still be reading stdin.
    runtime.shutdown_background();
    match end {
        ProxyEnd::Orderly => Ok(()),
        // LSP: the exit code is 1 if the editor did not ask for a shutdown first.
        ProxyEnd::Abrupt => Err(Exit::Failed.silent()),
    }
}

/// Connects to the daemon of `root` and returns the stream after the hello.
fn connect(own: StateDirs, root: &Path, spawning: Spawning) -> Result<UnixStream, Failure> {
    let SharedDirs { dirs, .. } = resolve_dirs(own, root);
    let place = DaemonPaths::new(&dirs, root);
    let (client, welcome) = Client::connect(&place, Role::Lsp, &[], spawning)?;
    if let Some(word) = &welcome.proof {
        // In a sandbox this fails, as intended: the user's answers over this connection do not count.
        let _ = proof::prove(&place.proofs(), word);
    }
    let cannot = |error| Exit::lost(format!("the connection broke: {error}"));
    // A daemon sends nothing unasked before it knows that an editor is there: nothing is buffered.
    client.stream().try_clone().map_err(cannot)
}
