//! The life cycle of the daemon: one per root, however many clients start it; how it exits, and what happens
//! then.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;
use symd::serve::DaemonPaths;

use crate::support::{PATIENCE, User, Wire, call, modern, request, write};

/// Waits until the daemon's lock is free.
fn wait_until_gone(user: &User) {
    let runtime = user.path("run").read_dir().unwrap().next().unwrap().unwrap().path();
    assert!(symd::serve::lock::lock_within(&runtime.join("lock"), PATIENCE).unwrap().is_some());
}

fn kill(signal: &str, pid: u64) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn clients_that_start_at_once_get_one_daemon() {
    let user = User::new();
    let children: Vec<_> = (0..8)
        .map(|_| {
            user.symd()
                .args(["call", "status"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let status = user.status();
    assert_eq!(status["calls"], 8, "{status}");
}

#[test]
fn directories_and_socket_are_the_users_alone() {
    let user = User::new();
    let socket = user.socket();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&socket), 0o600);
    for directory in socket.ancestors().skip(1).take(2) {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
}

#[test]
fn a_daemon_that_was_killed_is_replaced() {
    let user = User::new();
    let pid = user.check(&["start"], 0).is_empty().then(|| user.pid()).unwrap();
    let socket = user.socket();
    kill("-KILL", pid);
    wait_until_gone(&user);
    assert!(socket.exists(), "a stale socket is left");
    assert_ne!(
        {
            user.check(&["start"], 0);
            user.pid()
        },
        pid
    );
}

#[test]
fn a_signal_ends_it_and_takes_the_socket_away() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let user = User::new();
        let socket = user.socket();
        let mut wire = Wire::connect(&socket);
        assert_eq!(wire.ask(&modern(call(1, "status", json!({}))))["id"], 1);
        kill(signal, user.pid());
        assert_eq!(wire.receive(), None);
        wait_until_gone(&user);
        assert!(!socket.exists());
        assert!(user.fails(&["status"], 3).contains("symd start"));
    }
}

#[test]
fn stop_and_restart() {
    let user = User::new();
    user.check(&["start"], 0);
    let first = user.pid();
    user.check(&["start"], 0);
    assert_eq!(user.pid(), first);
    user.check(&["restart"], 0);
    assert_ne!(user.pid(), first);
    let all: serde_json::Value =
        serde_json::from_str(&user.check(&["status", "--all", "--json"], 0)).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1);
    user.check(&["stop", "--all"], 0);
    user.fails(&["status"], 3);
    user.check(&["stop"], 0);
}

#[test]
fn nobody_connected_for_long_ends_it() {
    // Long enough for a busy machine to connect before the daemon is alone for too long.
    let user = User::with_config("idle_exit_minutes = 0.05\n");
    let mut wire = user.connect();
    wire.initialize();
    assert_eq!(wire.ask(&call(1, "status", json!({})))["id"], 1, "a connection keeps it alive");
    drop(wire);
    wait_until_gone(&user);
}

#[test]
fn one_that_others_could_enter_is_refused() {
    let user = User::new();
    std::fs::create_dir(user.path("run")).unwrap();
    std::fs::set_permissions(user.path("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let talk = user.fails(&["call", "status"], 3);
    assert!(talk.contains("can be entered by others (mode 755)"), "{talk}");
    std::fs::remove_dir(user.path("run")).unwrap();
    std::fs::create_dir(user.path("elsewhere/other")).unwrap();
    std::os::unix::fs::symlink(user.path("elsewhere/other"), user.path("run")).unwrap();
    assert!(user.fails(&["call", "status"], 3).contains("link"));
}

#[test]
fn a_home_whose_path_is_too_long_for_sockets_is_no_obstacle() {
    let user = User::new();
    let long = |name: &str| user.path(name).join("x".repeat(150));
    let mut sockets = Vec::new();
    for home in [long("one"), long("two")] {
        let output = user.symd().env("SYMD_HOME", &home).args(["socket"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let socket = std::path::PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end());
        assert!(socket.as_os_str().len() <= 103);
        UnixStream::connect(&socket).unwrap();
        sockets.push(socket);
    }
    assert_ne!(sockets[0], sockets[1]);
    for (home, socket) in [long("one"), long("two")].iter().zip(sockets) {
        let stopped = user.symd().env("SYMD_HOME", home).args(["stop"]).output().unwrap();
        assert!(stopped.status.success());
        std::fs::remove_dir_all(socket.parent().and_then(std::path::Path::parent).unwrap()).unwrap();
    }
}

#[test]
fn in_the_foreground_it_tells_on_stderr_and_ends_well() {
    let user = User::new();
    let mut daemon = user.symd().arg("daemon").stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(daemon.stderr.take().unwrap()).lines();
    assert!(talk.any(|line| line.unwrap().contains("ready")));
    assert_eq!(user.pid(), u64::from(daemon.id()));
    assert!(user.fails(&["daemon"], 1).contains("symd stop"));
    kill("-TERM", user.pid());
    assert!(daemon.wait().unwrap().success());
    assert!(talk.any(|line| line.unwrap().contains("SIGTERM")));
}

#[test]
fn another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let user = User::new();
    let socket = user.socket();
    // Grants what the directories' modes forbid, so that only the check of the peer is left.
    for directory in socket.ancestors().skip(1).take_while(|path| path.starts_with(user.path(""))) {
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o711)).unwrap();
    }
    std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o666)).unwrap();
    // Prints its user id, that the socket let it in, and whether it got an answer.
    let program = "import os,socket,sys
s=socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])
try:
    s.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"symd/status\"}\\n')
    answered=len(s.recv(1000))>0
except (BrokenPipeError, ConnectionResetError): answered=False
print(os.getuid(), 'answered' if answered else 'refused')";
    let ask = |other: &[&str]| {
        let mut command = Command::new("setpriv");
        // The system's own interpreter: another user may not enter this user's directories.
        command.env("PATH", "/usr/bin:/bin");
        command.args(other).args(["python3", "-c", program]).arg(&socket);
        let output = command.output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8(output.stdout).unwrap().trim().to_owned(), talk)
    };
    let (stranger, talk) = ask(&["--reuid=65534", "--regid=65534", "--clear-groups"]);
    assert_eq!(stranger, "65534 refused", "{talk}");
    let (same, talk) = ask(&["--clear-groups"]);
    assert_eq!(same, "0 answered", "{talk}");
    let log = user.check(&["logs"], 0);
    assert!(log.contains("refused a client of another user") && log.contains("uid=65534"), "{log}");
    for directory in socket.ancestors().skip(1).take_while(|path| path.starts_with(user.path(""))) {
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// Only the daemon's own user may connect, and root is no exception.
#[test]
fn root_is_another_user_to_a_daemon_that_is_not_roots() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let user = User::new();
    let program = user.copy_of_symd("symd");
    assert!(Command::new("chown").args(["-R", "65534:65534"]).arg(user.path("")).status().unwrap().success());
    let nobody = |arguments: &[&str]| {
        let mut command = user.dressed(Command::new("setpriv"));
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let socket = std::path::PathBuf::from(nobody(&["socket"]).trim_end());
    assert_eq!(std::fs::metadata(&socket).unwrap().uid(), 65534);
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let asked = stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"symd/status\"}\n");
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    // Closed before or after the request: the connection must not have answered.
    assert!(answer.is_empty(), "{asked:?} {read:?} {answer}");
    assert!(nobody(&["logs"]).contains("refused a client of another user uid=0"));
    assert!(user.fails(&["call", "status"], 3).contains("belongs to user 65534"));
    nobody(&["stop"]);
}

#[test]
fn a_start_that_fails_says_why() {
    let user = User::with_config("idle_exit_minute = 1\n");
    let talk = user.fails(&["start"], 3);
    assert!(talk.contains("idle_exit_minute") && talk.contains("config.toml"), "{talk}");
    write(&user.path("config/config.toml"), "toolset = [\"nope\"]\n");
    let talk = user.fails(&["start"], 3);
    assert!(talk.contains("there is no toolset \"nope\""), "{talk}");
}

#[test]
fn hellos_and_their_answers() {
    let user = User::new();
    let hello = |protocol: [u32; 2], toolset: &str| json!({ "symd": { "protocol": protocol, "version": "9", "toolset": [toolset] } });
    let mut wire = user.connect();
    let answer = wire.ask(&hello([1, 7], "native"));
    assert_eq!(answer["symd"]["protocol"], 1);
    assert_eq!(answer["symd"]["pid"], user.pid());
    let again = wire.ask(&hello([1, 1], "native"));
    assert_eq!(again["error"]["code"], -32600);

    let answer = user.connect().ask(&hello([1, 1], "nope"));
    assert_eq!(answer["symd"]["reason"], "toolset");
    let answer = user.connect().ask(&json!({ "symd": 7 }));
    assert_eq!(answer["symd"]["reason"], "malformed");

    // A newer client: it learns the supported range, and may still request status and stop.
    let mut newer = user.connect();
    let answer = newer.ask(&hello([2, 2], "native"));
    assert_eq!(
        (&answer["symd"]["reason"], &answer["symd"]["protocol"]),
        (&json!("protocol"), &json!([1, 1]))
    );
    assert_eq!(newer.ask(&modern(call(1, "status", json!({}))))["error"]["code"], -32600);
    assert!(newer.ask(&request(2, "symd/status", json!({})))["result"]["pid"].is_u64());
    assert_eq!(newer.ask(&request(3, "symd/stop", json!({})))["result"]["stopping"], true);
    assert_eq!(newer.receive(), None);
    wait_until_gone(&user);
}

/// Pretends to be a daemon of another version: it holds the lock, rejects the hello, and exits when it is
/// asked to.
fn pretend_daemon(place: &DaemonPaths, protocol: [u32; 2]) -> std::thread::JoinHandle<()> {
    place.prepare().unwrap();
    let held = symd::serve::lock::try_lock(&place.lock()).unwrap().unwrap();
    let listener = UnixListener::bind(place.socket()).unwrap();
    let socket = place.socket();
    std::thread::spawn(move || {
        let mut wire = Wire::over(listener.accept().unwrap().0);
        assert!(wire.receive().unwrap()["symd"]["protocol"].is_array());
        wire.send(&json!({ "symd": {
            "error": "no version in common", "reason": "protocol", "protocol": protocol, "version": "x" } }));
        if let Some(asked) = wire.receive() {
            assert_eq!(asked["method"], "symd/stop");
            std::fs::remove_file(socket).unwrap();
            wire.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": {} }));
        }
        drop(held);
    })
}

#[test]
fn an_older_daemon_is_replaced_and_a_newer_one_is_not() {
    let user = User::new();
    let place = user.place();
    let older = pretend_daemon(&place, [0, 0]);
    assert!(user.fails(&["--no-spawn", "call", "status"], 3).contains("symd restart"));
    older.join().unwrap();
    std::fs::remove_file(place.socket()).unwrap();

    let older = pretend_daemon(&place, [0, 0]);
    user.check(&["call", "status"], 0);
    older.join().unwrap();
    user.check(&["stop"], 0);

    let newer = pretend_daemon(&place, [2, 3]);
    assert!(user.fails(&["call", "status"], 3).contains("upgrade this symd"));
    newer.join().unwrap();
}

#[test]
fn a_daemon_out_of_descriptors_goes_on() {
    let user = User::new();
    let mut start = Command::new("prlimit");
    start.args(["--nofile=64:64", env!("CARGO_BIN_EXE_symd"), "start"]).stderr(Stdio::null());
    let symd = user.symd();
    start.env_clear().envs(symd.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(start.current_dir(user.path("project")).status().unwrap().success());
    let socket = user.socket();
    let mut first = Wire::connect(&socket);
    assert_eq!(first.ask(&modern(call(1, "status", json!({}))))["id"], 1);
    let many: Vec<UnixStream> = (0..200).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    assert_eq!(first.ask(&modern(call(2, "status", json!({}))))["id"], 2);
    drop(many);
    let tried = Instant::now();
    // Until the daemon has noticed that they are gone.
    while user.run(&["--no-spawn", "call", "status"]).status.code() != Some(0) {
        assert!(tried.elapsed() < PATIENCE);
    }
    assert_eq!(first.ask(&modern(call(3, "status", json!({}))))["id"], 3);
}

/// Without its runtime directory no client can find a daemon: it must not keep running beside the next one.
#[test]
fn a_daemon_whose_directory_was_removed_ends_with_the_next_question() {
    let user = User::new();
    user.check(&["start"], 0);
    let mut wire = user.connect();
    wire.initialize();
    std::fs::remove_dir_all(user.path("run")).unwrap();
    let answer = wire.ask(&call(1, "find_symbol", json!({"name_path_pattern": "x"})));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("is up to date: cannot create a barrier file in "), "{text}");
    assert!(text.contains("No such file or directory") && text.contains("then ask again"), "{text}");
    assert_eq!(wire.receive(), None, "the daemon went on");
}

#[test]
fn one_that_lost_its_socket_is_ended_all_the_same() {
    let user = User::new();
    let socket = user.socket();
    let pid = user.pid();
    std::fs::remove_file(&socket).unwrap();
    let output = user.run(&["stop"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped the daemon"), "{output:?}");
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    user.check(&["start"], 0);
    assert_ne!(user.pid(), pid);
}

#[test]
fn one_in_another_process_namespace_is_ended_and_started_anew() {
    let user = User::new();
    let within = |arguments: &[&str]| {
        let symd = user.symd();
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork", "--mount-proc"]).arg(symd.get_program());
        for (name, value) in symd.get_envs() {
            value.map(|value| command.env(name, value));
        }
        command.args(arguments).current_dir(user.path("project")).output().unwrap()
    };
    if !within(&["--version"]).status.success() {
        // The system does not allow namespaces.
        return;
    }
    user.check(&["start"], 0);
    let pid = user.pid();
    let output = within(&["stop"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped the daemon"), "{output:?}");
    wait_until_gone(&user);
    user.check(&["start"], 0);
    assert_ne!(user.pid(), pid);
}

#[test]
fn the_next_daemon_says_that_the_last_one_was_killed() {
    let user = User::new();
    user.check(&["start"], 0);
    let pid = user.pid();
    user.check(&["restart"], 0);
    assert!(!user.check(&["logs"], 0).contains("did not exit cleanly"));
    let killed = user.pid();
    assert_ne!(killed, pid);
    kill("-KILL", killed);
    wait_until_gone(&user);
    user.check(&["start"], 0);
    let log = user.check(&["logs"], 0);
    assert!(log.contains(&format!("(pid {killed}) did not exit cleanly")), "{log}");
}

#[test]
fn a_reading_question_outlives_its_daemon() {
    let user = User::new();
    for file in 0..200 {
        write(&user.path(&format!("project/f{file}.py")), &"def f(): pass\n".repeat(300));
    }
    let mut shim = user
        .symd()
        .arg("mcp")
        .current_dir(user.path("project"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = shim.stdin.take().unwrap();
    let mut stdout = BufReader::new(shim.stdout.take().unwrap());
    let mut line = String::new();
    let mut hear = || {
        line.clear();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    writeln!(stdin, "{}", crate::support::initialize("2025-06-18")).unwrap();
    hear();
    writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    for round in 0..10_u64 {
        // None runs if the last answer came before the signal.
        user.check(&["start"], 0);
        let pid = user.pid();
        // It must read all files before it can answer, and is killed before or during that.
        for file in 0..200 {
            write(&user.path(&format!("project/f{file}.py")), &format!("def g{round}(): pass\n").repeat(300));
        }
        let question = json!({ "name_path_pattern": format!("g{round}[299]") });
        writeln!(stdin, "{}", call(round + 10, "find_symbol", question)).unwrap();
        kill("-KILL", pid);
        let answer = hear();
        assert_eq!(answer["id"], round + 10, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("[200 symbols;"), "{round}: {answer}");
    }
    drop(stdin);
    assert!(shim.wait().unwrap().success());
}
