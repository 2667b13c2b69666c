//! Real language servers for tests, in `SYMD_TEST_SERVERS`, or by default in
//! `target/test-servers/data/servers`; ty, which takes seconds, is installed there by `symd install` when it
//! is missing. A test whose server is missing records that here and returns; `crates/unrun`, which cargo runs
//! last, lists these tests. Under `SYMD_REQUIRE_SERVERS=1` such a test fails.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, Once};

use crate::support::write;

/// Returns the directory with the installed servers, including `server`: it is `<SYMD_HOME>/data/servers` for
/// a daemon whose `SYMD_HOME` is [`home_of`] it. `None`: the test cannot run, which has been recorded, and
/// must return.
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

/// Returns the `SYMD_HOME` under which symd finds the servers in `servers`.
pub fn home_of(servers: &Path) -> PathBuf {
    servers.parent().and_then(Path::parent).unwrap().to_owned()
}

/// Whether `program`, which symd does not install, is on PATH. If not, that has been recorded, and the test
/// must return.
#[track_caller]
pub fn real_program(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = symd::base::programs::Programs::on(&path, None).find(program).is_ok();
    if !there {
        unrun(&format!("{program} is not on PATH"));
    }
    there
}

/// Records that the calling test does not run, or fails it if servers are required.
#[track_caller]
pub fn unrun(why: &str) {
    assert!(std::env::var_os("SYMD_REQUIRE_SERVERS").is_none_or(|it| it != "1"), "{why}");
    unrun_even_if_required(why);
}

/// Records that the calling test does not run; what it needs is not installed where all servers are.
pub fn unrun_even_if_required(why: &str) {
    static FIRST: Once = Once::new();
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unrun");
    // Records of an earlier run do not count.
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

/// Returns why `server` is missing, after trying to install it; determined once per process.
fn missing(servers: &Path, server: &str) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.entry(server.to_owned()).or_insert_with(|| look_for(servers, server)).clone()
}

fn look_for(servers: &Path, server: &str) -> Option<String> {
    let ours = std::env::var_os("SYMD_TEST_SERVERS").is_none();
    if server == "ty" && ours {
        // Returns at once if ty is installed already.
        return install(servers, server).err();
    }
    let there = servers.join(server).join("installed.json").exists();
    let home = home_of(servers);
    (!there).then(|| format!("not installed; `SYMD_HOME={} symd install {server}` does it", home.display()))
}

/// Runs `symd install`; returns the end of its output if it fails.
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
