//! `symd doctor`: what symd needs of the system, whether it is there, and what to do where it is not.

use std::fmt::Write;
use std::io::IsTerminal;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use serde_json::{Value, json};

use crate::base::state;
use crate::cli::client::Client;
use crate::cli::commands::{Form, print};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::config::settings::Settings;
use crate::serve::Place;
use crate::serve::protocol::{STATUS, VERSION};

/// Watches below which a big project falls back to polling.
const ENOUGH_WATCHES: u64 = 65_536;
/// Open files below which many connections and servers get tight.
const ENOUGH_FILES: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Fail,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Fail => "fail",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            State::Ok => "\x1b[32m",
            State::Warn => "\x1b[33m",
            State::Fail => "\x1b[31m",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    /// What to do; empty where all is well.
    advice: &'static str,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Check {
        Check { name, state: State::Ok, found: found.into(), advice: "" }
    }

    fn warn(name: &'static str, found: impl Into<String>, advice: &'static str) -> Check {
        Check { name, state: State::Warn, found: found.into(), advice }
    }

    fn fail(name: &'static str, found: impl Into<String>, advice: &'static str) -> Check {
        Check { name, state: State::Fail, found: found.into(), advice }
    }
}

pub(super) fn run(context: &Context, form: Form) -> Result<(), Failure> {
    let mut checks = vec![settings(context), kernel(), watches(), open_files(), git()];
    match context.find_place() {
        Ok(place) => {
            checks.push(Check::ok("project", place.root.display().to_string()));
            let directories = directories(&place);
            if directories.state == State::Ok {
                checks.push(daemon(&place));
            }
            checks.push(directories);
        }
        Err(error) => checks.push(Check::warn(
            "project",
            error.to_string(),
            "start inside a project, or name one with --project DIR",
        )),
    }
    match form {
        Form::Json => print(&format!("{:#}\n", json!(checks.iter().map(as_json).collect::<Vec<_>>())))?,
        Form::Text => print(&text(&checks))?,
    }
    let failed = checks.iter().any(|check| check.state == State::Fail);
    if failed { Err(Exit::Failed.silent()) } else { Ok(()) }
}

fn as_json(check: &Check) -> Value {
    json!({ "check": check.name, "state": check.state.name(), "found": check.found, "advice": check.advice })
}

fn text(checks: &[Check]) -> String {
    let coloured =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let mut text = String::new();
    for check in checks {
        let (on, off) = if coloured { (check.state.colour(), "\x1b[0m") } else { ("", "") };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{on}{:<4}{off}  {:<12} {}", check.state.name(), check.name, check.found);
        if !check.advice.is_empty() {
            let _ = writeln!(text, "{:19}→ {}", "", check.advice);
        }
    }
    text
}

fn settings(context: &Context) -> Check {
    let file = Settings::file(&context.dirs.config);
    match Settings::load(&context.dirs.config) {
        Ok(_) if file.exists() => Check::ok("settings", file.display().to_string()),
        Ok(_) => Check::ok("settings", format!("all defaults ({} does not exist)", file.display())),
        Err(error) => Check::fail("settings", error.to_string(), "the daemon does not start with this"),
    }
}

fn kernel() -> Check {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::openat2(CWD, ".", flags, Mode::empty(), ResolveFlags::BENEATH) {
        Ok(_) => Check::ok("kernel", "openat2: files are opened beneath the root"),
        Err(error) => Check::warn(
            "kernel",
            format!("no openat2 ({error})"),
            "Linux 5.6 or newer opens files faster; symd walks paths step by step without it",
        ),
    }
}

fn watches() -> Check {
    let read = |name: &str| {
        let bytes = state::read_file(format!("/proc/sys/fs/inotify/{name}").as_ref()).ok().flatten()?;
        String::from_utf8(bytes).ok()?.trim().parse::<u64>().ok()
    };
    match (read("max_user_watches"), read("max_user_instances")) {
        (Some(watches), Some(instances)) if watches >= ENOUGH_WATCHES => {
            Check::ok("inotify", format!("{watches} watches, {instances} instances"))
        }
        (Some(watches), _) => Check::warn(
            "inotify",
            format!("{watches} watches"),
            "sudo sysctl fs.inotify.max_user_watches=524288 (directories over the limit are polled)",
        ),
        (None, _) => {
            Check::warn("inotify", "not found", "symd watches by the notify crate here, which is slower")
        }
    }
}

fn open_files() -> Check {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    match limit.maximum {
        Some(most) if most < ENOUGH_FILES => {
            Check::warn("open files", format!("at most {most}"), "raise the hard limit: ulimit -Hn")
        }
        Some(most) => Check::ok("open files", format!("at most {most}")),
        None => Check::ok("open files", "no limit"),
    }
}

fn git() -> Check {
    let output = std::process::Command::new("git").arg("--version").output();
    match output {
        Ok(output) if output.status.success() => {
            Check::ok("git", String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Check::warn("git", "not found", "nothing depends on it; agents like to have it"),
    }
}

fn directories(place: &Place) -> Check {
    let verified = place
        .verify()
        .and_then(|()| state::private_dir(&place.state))
        .and_then(|()| state::private_dir(&place.outlines));
    match verified {
        Ok(()) => Check::ok("directories", place.runtime.display().to_string()),
        Err(error) => {
            Check::fail("directories", error.to_string(), "no daemon starts before this is put right")
        }
    }
}

fn daemon(place: &Place) -> Check {
    let asked = Client::raw(place).and_then(|client| match client {
        Some(mut client) => client.request(STATUS, json!({}), |_| ()).map(Some),
        None => Ok(None),
    });
    match asked {
        Ok(Some(status)) if status["version"] == VERSION => {
            Check::ok("daemon", format!("pid {}, symd {VERSION}", status["pid"]))
        }
        Ok(Some(status)) => Check::warn(
            "daemon",
            format!("pid {}, symd {} (this is {VERSION})", status["pid"], status["version"]),
            "`symd restart` starts this version",
        ),
        Ok(None) => Check::ok("daemon", "not running; the first client starts it"),
        Err(failure) => Check::fail("daemon", failure.text, "`symd logs` may show why"),
    }
}
