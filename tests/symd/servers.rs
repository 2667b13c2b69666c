//! Real language servers for tests. They lie where `SYMD_TEST_SERVERS` says, else in `target/test-servers/data/servers`;
//! ty, which takes seconds, is installed there by `symd install` when it is missing. A test whose server is missing says
//! so here and returns; `crates/unrun`, which cargo runs last, lists those. Under `SYMD_REQUIRE_SERVERS=1` it fails.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, Once};

use crate::support::write;

/// The directory with the installed servers, of which `server` is one: what `<SYMD_HOME>/data/servers` is for a daemon whose
/// `SYMD_HOME` is [`home_of`] it. `None`: the test cannot run, which has been recorded; return.
#[track_caller]
pub fn real_server(server: &str) -> Option<PathBuf> {
    let servers = servers();
    let why = missing(&servers, server);
    if why.is_none() {
        return Some(servers);
    }
    unrun(&format!("{server}: {}", why.unwrap_or_default()));
    None
}

/// The `SYMD_HOME` under which symd finds the servers in `servers`.
pub fn home_of(servers: &Path) -> PathBuf {
    servers.parent().and_then(Path::parent).unwrap().to_owned()
}

/// Whether `program`, which symd does not install, is on PATH; if not, that has been recorded; return.
#[track_caller]
pub fn real_program(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = symd::base::programs::Programs::on(&path, None).find(program).is_ok();
    if !there {
        unrun(&format!("{program} is not on PATH"));
    }
    there
}

/// Records that the calling test does not run, or fails it where servers are required.
#[track_caller]
pub fn unrun(why: &str) {
    static FIRST: Once = Once::new();
    assert!(std::env::var_os("SYMD_REQUIRE_SERVERS").is_none_or(|it| it != "1"), "{why}");
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unrun");
    // What an earlier run left is not about this one.
    FIRST.call_once(|| {
        let _ = std::fs::remove_dir_all(&records);
    });
    std::fs::create_dir_all(&records).unwrap();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    write(&records.join(test.replace("::", ".")), &format!("{test}: {why}\n"));
}

fn servers() -> PathBuf {
    match std::env::var_os("SYMD_TEST_SERVERS") {
        Some(servers) => PathBuf::from(servers),
        None => {
            let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
            target.join("test-servers/data/servers")
        }
    }
}

/// Why `server` is not there, after trying; found out once a process.
fn missing(servers: &Path, server: &str) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.entry(server.to_owned()).or_insert_with(|| look_for(servers, server)).clone()
}

fn look_for(servers: &Path, server: &str) -> Option<String> {
    let ours = std::env::var_os("SYMD_TEST_SERVERS").is_none();
    if server == "ty" && ours {
        // Says at once that it is there already.
        return install(servers, server).err();
    }
    let there = servers.join(server).join("installed.json").exists();
    let home = home_of(servers);
    (!there).then(|| format!("not installed; `SYMD_HOME={} symd install {server}` does it", home.display()))
}

/// Runs `symd install`; its last words if it fails.
pub fn install(servers: &Path, server: &str) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_symd"))
        .args(["install", server])
        .env("SYMD_HOME", home_of(servers))
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("it cannot be installed: {}", talk.lines().last().unwrap_or_default().trim()))
}
