//! Checks what symd needs of the machine, with or without a project.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use super::Check;
use crate::base::state;
use crate::cli::context::Context;
use crate::config::settings::Settings;

/// The number of inotify watches below which a big project falls back to polling.
const ENOUGH_WATCHES: u64 = 65_536;
/// The number of open files below which many connections and servers may run out of descriptors.
const ENOUGH_FILES: u64 = 4096;

pub(super) fn checks(context: &Context) -> Vec<Check> {
    vec![settings(context), kernel(), watches(), open_files(), git()]
}

fn settings(context: &Context) -> Check {
    let file = Settings::file(&context.dirs.persistent.config);
    match Settings::load(&context.dirs.persistent.config) {
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

/// Runs git in `/`, so that it reads no repository's configuration; symd runs git nowhere else.
fn git() -> Check {
    let output = std::process::Command::new("git").arg("--version").current_dir("/").output();
    match output {
        Ok(output) if output.status.success() => {
            Check::ok("git", String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Check::warn("git", "not found", "symd does not need it, but agents often do"),
    }
}
