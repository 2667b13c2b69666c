//! `symd start`, `stop`, `restart`, `socket`: the daemon's life cycle.

use crate::cli::client::{self, Client, Role};
use crate::cli::commands::status::daemons;
use crate::cli::commands::{print, say};
use crate::cli::context::{Context, Spawning};
use crate::cli::daemon_process::DaemonProcess;
use crate::cli::failure::{Exit, Failure};
use crate::serve::daemon::HANDOVER_DEADLINE;
use crate::serve::{DaemonPaths, lock};

pub(super) fn start(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    let (_, welcome) = Client::connect(&place, Role::Cli, &[], context.spawning)?;
    say(&format!("symd {} serves {} (pid {})", welcome.version, welcome.root, welcome.pid));
    Ok(())
}

pub(super) fn stop(context: &Context) -> Result<(), Failure> {
    stop_place(&context.place()?)
}

pub(super) fn stop_all(context: &Context) -> Result<(), Failure> {
    for place in daemons(context)? {
        stop_place(&place)?;
    }
    Ok(())
}

fn stop_place(place: &DaemonPaths) -> Result<(), Failure> {
    if !end(place)? {
        say(&format!("no daemon is running for {}", place.root.display()));
    }
    Ok(())
}

/// Stops the daemon of `place` and prints that; returns whether there was one.
pub(super) fn end(place: &DaemonPaths) -> Result<bool, Failure> {
    let client = match Client::raw(place)? {
        Some(client) => Some(client),
        None => {
            // A daemon that is starting holds this lock until it listens.
            let _ = lock::lock_within(&place.start_lock(), HANDOVER_DEADLINE);
            Client::raw(place)?
        }
    };
    match client {
        Some(client) => {
            let daemon = DaemonProcess::behind(&client);
            client::ask_to_end(client, place)?;
            client::wait_until_gone(place, daemon.as_ref())?;
        }
        // A daemon whose socket was removed gets no new clients, but prevents another one from starting.
        None => {
            let Some(daemon) = DaemonProcess::holding(place) else { return Ok(false) };
            let pid = daemon.pid().as_raw_nonzero();
            daemon.terminate().map_err(|error| {
                Exit::Failed.because(format!(
                    "the daemon of {} (pid {pid}) has lost its socket and cannot be stopped: {error}",
                    place.root.display()
                ))
            })?;
            client::wait_until_gone(place, Some(&daemon))?;
        }
    }
    say(&format!("stopped the daemon of {}", place.root.display()));
    Ok(true)
}

pub(super) fn restart(context: &Context) -> Result<(), Failure> {
    stop_place(&context.place()?)?;
    let place = context.again()?.place()?;
    let (_, welcome) = Client::connect(&place, Role::Cli, &[], Spawning::Allowed)?;
    say(&format!("symd {} serves {} (pid {})", welcome.version, welcome.root, welcome.pid));
    Ok(())
}

pub(super) fn socket(context: &Context) -> Result<(), Failure> {
    let place = context.place()?;
    Client::connect(&place, Role::Cli, &[], context.spawning)?;
    print(&format!("{}\n", place.socket().display()))
}
