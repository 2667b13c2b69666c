//! `symd install` as users run it. Most tests use fake programs of the registries, which record their input;
//! ty is installed for real, from PyPI.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::servers;
use crate::support::{User, write};

/// The last step of every fake npm in these tests: an installed typescript whose `tsc` prints its path.
const DELIVER: &str = r#"
mkdir -p "$prefix/node_modules/typescript" "$prefix/node_modules/.bin"
echo '{"bin":{"tsc":"./bin/tsc"}}' > "$prefix/node_modules/typescript/package.json"
printf '#!/bin/sh\necho "the fake tsc in $0"\n' > "$prefix/node_modules/.bin/tsc"
chmod +x "$prefix/node_modules/.bin/tsc"
"#;

/// A user whose PATH contains the test's own programs.
struct Customer {
    user: User,
}

impl Customer {
    /// Creates a user whose npm runs `script`; `$log` is a directory for its records, `$prefix` the target of
    /// the installation.
    fn with_npm(script: &str) -> Customer {
        let customer = Customer { user: User::new() };
        for directory in ["bin", "log"] {
            std::fs::create_dir(customer.user.path(directory)).unwrap();
        }
        customer.npm(script);
        customer
    }

    fn npm(&self, script: &str) {
        let noting = "echo run >> \"$log/runs\"; pwd > \"$log/cwd\"; env > \"$log/env\"; echo \"$@\" > \"$log/arguments\"
while [ \"$1\" != --prefix ]; do shift; done; prefix=$2; cp \"$prefix\"/package*.json \"$log\"\n";
        self.program("npm", &format!("{noting}{script}"));
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.user.path("bin").join(name);
        write(&path, &format!("#!/bin/sh\nlog='{}'\n{script}", self.user.path("log").display()));
        make_executable(&path);
    }

    fn symd(&self, arguments: &[&str]) -> Command {
        let mut command = self.user.symd();
        let path = format!("{}:/usr/bin:/bin", self.user.path("bin").display());
        command.args(arguments).env("PATH", path);
        command
    }

    /// Runs symd; returns its exit code, stdout and stderr.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.symd(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn logged(&self, name: &str) -> String {
        std::fs::read_to_string(self.user.path("log").join(name)).unwrap_or_default()
    }

    fn home(&self) -> PathBuf {
        self.user.path("data/servers/tsc")
    }

    fn tsc(&self) -> String {
        let output = Command::new(self.home().join("bin/tsc")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn fifo(&self, name: &str) -> PathBuf {
        let path = self.user.path("log").join(name);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
        path
    }
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the number of installation directories, visible or not.
fn installations(home: &Path) -> usize {
    let Ok(entries) = home.read_dir() else { return 0 };
    entries.flatten().filter(|entry| entry.file_type().unwrap().is_dir()).count()
}

#[test]
fn what_is_there_is_not_installed_again() {
    let customer = Customer::with_npm(DELIVER);
    let (exit, report, talk) = customer.run(&["install", "typescript"]);
    assert_eq!(exit, Some(0), "{talk}");
    assert!(report.starts_with("tsc: ") && report.contains("installed"), "{report}");
    let first = customer.tsc();
    assert!(first.starts_with("the fake tsc in "), "{first}");
    // Another language with the same server.
    let (exit, report, _) = customer.run(&["install", "typescript", "javascript"]);
    assert!(
        exit == Some(0) && report.contains("already installed") && report.lines().count() == 1,
        "{report}"
    );
    assert_eq!(customer.logged("runs"), "run\n");
    let (exit, _, _) = customer.run(&["install", "--force", "typescript"]);
    assert_eq!((exit, customer.logged("runs").as_str()), (Some(0), "run\nrun\n"));
    assert_ne!(customer.tsc(), first, "a directory of its own");
    assert_eq!(installations(&customer.home()), 1, "the old one is gone");
    assert!(!customer.home().join("current/workspace").exists());
    let (_, listed, _) = customer.run(&["install", "--list"]);
    let line = listed.lines().find(|line| line.starts_with("tsc ")).unwrap();
    assert!(line.contains("installed, ") && line.contains("javascript"), "{listed}");
}

#[test]
fn the_lockfile_is_the_reviewed_one_and_scripts_do_not_run() {
    let customer = Customer::with_npm(DELIVER);
    assert_eq!(customer.run(&["install", "typescript"]).0, Some(0));
    let reviewed = Path::new(env!("CARGO_MANIFEST_DIR")).join("installs/tsc.package-lock.json");
    assert_eq!(customer.logged("package-lock.json"), std::fs::read_to_string(reviewed).unwrap());
    let arguments = customer.logged("arguments");
    assert!(arguments.starts_with("ci ") && arguments.contains("--ignore-scripts"), "{arguments}");
}

#[test]
fn nothing_of_the_project_has_a_say() {
    let customer = Customer::with_npm(DELIVER);
    let project = customer.user.path("project");
    let evil = project.join("node_modules/.bin");
    std::fs::create_dir_all(&evil).unwrap();
    write(&evil.join("npm"), &format!("#!/bin/sh\ntouch '{}'", customer.user.path("log/evil").display()));
    make_executable(&evil.join("npm"));
    write(&project.join(".npmrc"), "registry=http://127.0.0.1:1/\nignore-scripts=false\n");
    let path = format!("{}:.:{}:/usr/bin:/bin", evil.display(), customer.user.path("bin").display());
    let output = customer
        .symd(&["install", "typescript"])
        .env("PATH", path)
        .env("NODE_OPTIONS", "--require ./evil.js")
        .env("npm_config_prefix", &project)
        .env("https_proxy", "http://proxy.invalid:3128")
        .env("SECRET_TOKEN", "s3cret")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!customer.user.path("log/evil").exists());
    let environment = customer.logged("env");
    for name in ["NODE_OPTIONS", "npm_config_prefix", "SECRET_TOKEN", "project"] {
        assert!(!environment.contains(name), "{environment}");
    }
    assert!(environment.contains("https_proxy=http://proxy.invalid:3128"), "{environment}");
    let cwd = customer.logged("cwd");
    assert!(Path::new(cwd.trim()).starts_with(customer.home()), "{cwd}");
}

#[test]
fn a_failure_leaves_nothing_and_says_what_the_registry_said() {
    let half = "mkdir -p $prefix/node_modules/half; echo 'npm error code ENOSPC: no space left on device' >&2; exit 28";
    let customer = Customer::with_npm(half);
    let (exit, report, talk) = customer.run(&["install", "typescript"]);
    assert_eq!((exit, report.as_str()), (Some(1), ""));
    assert!(
        talk.contains("npm ci failed (exit status: 28)") && talk.contains("    npm error code ENOSPC"),
        "{talk}"
    );
    assert_eq!(customer.home().read_dir().unwrap().count(), 0);
    // An existing installation stays as it is.
    customer.npm(DELIVER);
    assert_eq!(customer.run(&["install", "typescript"]).0, Some(0));
    let before = customer.tsc();
    customer.npm(half);
    assert_eq!(customer.run(&["install", "--force", "typescript"]).0, Some(1));
    assert_eq!((customer.tsc(), installations(&customer.home())), (before, 1));
    // A package without the expected program.
    customer.npm("mkdir -p $prefix/node_modules");
    let (exit, _, talk) = customer.run(&["install", "--force", "typescript"]);
    assert!(exit == Some(1) && talk.contains("did not install the program \"tsc\""), "{talk}");
    assert_eq!(installations(&customer.home()), 1);
}

#[test]
fn a_missing_tool_is_named_and_the_others_are_installed() {
    let customer = Customer::with_npm(DELIVER);
    // python3 exists and cannot create environments, as on a Debian without python3-venv.
    customer.program("python3", "echo 'ensurepip is not available'; exit 1");
    let (exit, report, talk) = customer.run(&["install", "ty", "typescript"]);
    assert_eq!(exit, Some(1));
    assert!(
        talk.contains("ty: python3 -m venv failed") && talk.contains("ensurepip is not available"),
        "{talk}"
    );
    assert!(report.contains("tsc: ") && report.contains("installed"), "{report}");
    let customer = Customer::with_npm(DELIVER);
    let empty = customer.user.path("elsewhere");
    let output = customer.symd(&["install", "typescript"]).env("PATH", empty).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("npm is not on PATH; install Node.js"), "{talk}");
    assert_eq!(installations(&customer.home()), 0);
}

/// Starts a symd that installs typescript and is blocked in the middle: npm has reported its own process id
/// and that of a child, and waits for `gate`.
fn standing_still(customer: &Customer) -> (Child, [Pid; 2], PathBuf) {
    let (told, gate) = (customer.fifo("told"), customer.fifo("gate"));
    customer.npm(&format!(
        "mkdir -p $prefix/node_modules/half\n(read line < $log/never) & echo $$ $! > $log/told; read line < $log/gate\n{DELIVER}"
    ));
    customer.fifo("never");
    let symd = customer
        .symd(&["install", "typescript"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read_to_string(told).unwrap();
    let mut ids = text.split_whitespace().map(|id| Pid::from_raw(id.parse().unwrap()).unwrap());
    (symd, [ids.next().unwrap(), ids.next().unwrap()], gate)
}

#[test]
fn an_interruption_ends_everything_and_leaves_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let customer = Customer::with_npm("");
        let (symd, ids, _) = standing_still(&customer);
        let watched = ids.map(|id| rustix::process::pidfd_open(id, PidfdFlags::empty()).unwrap());
        let id = Pid::from_child(&symd);
        rustix::process::kill_process(id, signal).unwrap();
        let output = symd.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(talk.contains("tsc: interrupted"), "{talk}");
        assert_eq!(customer.home().read_dir().unwrap().count(), 0);
        for process in &watched {
            // Readable when the process has exited; waits as long as the test may take.
            let mut ended = [PollFd::new(process, PollFlags::IN)];
            rustix::event::poll(&mut ended, None).unwrap();
        }
    }
}

#[test]
fn a_second_installer_waits_for_the_first() {
    let customer = Customer::with_npm("");
    let (first, ids, gate) = standing_still(&customer);
    let mut second = customer
        .symd(&["install", "typescript"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut talk = BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    talk.read_line(&mut line).unwrap();
    assert!(line.contains("another `symd install` is at work"), "{line}");
    write(&gate, "go\n");
    let first = first.wait_with_output().unwrap();
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let mut report = String::new();
    second.stdout.take().unwrap().read_to_string(&mut report).unwrap();
    assert!(second.wait().unwrap().success() && report.contains("already installed"), "{report}");
    assert_eq!(customer.logged("runs"), "run\n");
    rustix::process::kill_process(ids[1], Signal::KILL).unwrap();
}

#[test]
fn what_a_killed_installer_left_goes_with_the_next() {
    let customer = Customer::with_npm("");
    let (mut symd, ids, gate) = standing_still(&customer);
    let watched = ids.map(|id| rustix::process::pidfd_open(id, PidfdFlags::empty()).unwrap());
    symd.kill().unwrap();
    symd.wait().unwrap();
    rustix::process::kill_process(ids[1], Signal::KILL).unwrap();
    // npm continues by itself and installs into a directory that nothing refers to.
    write(&gate, "go\n");
    for process in &watched {
        rustix::event::poll(&mut [PollFd::new(process, PollFlags::IN)], None).unwrap();
    }
    assert_eq!(installations(&customer.home()), 1);
    assert!(!customer.home().join("bin").exists());
    customer.npm(DELIVER);
    assert_eq!(customer.run(&["install", "typescript"]).0, Some(0));
    assert_eq!(installations(&customer.home()), 1);
    customer.tsc();
}

#[test]
fn names_that_mean_nothing() {
    let customer = Customer::with_npm(DELIVER);
    let fails = |name: &str| {
        let (exit, _, talk) = customer.run(&["install", name]);
        assert_eq!(exit, Some(2), "{talk}");
        talk
    };
    assert!(fails("pyton").contains("is it one of: python"));
    assert!(fails("typescrpt").contains("typescript"));
    assert!(fails("../../etc").contains("symd install --list"));
    assert!(!customer.user.path("data").exists(), "nothing was begun");
}

#[test]
fn without_a_name_the_projects_languages_are_installed() {
    let customer = Customer::with_npm(DELIVER);
    let project = customer.user.path("project");
    write(&project.join("a.ts"), "export {}\n");
    write(&project.join("README.md"), "");
    std::fs::create_dir(project.join("node_modules")).unwrap();
    write(&project.join("node_modules/x.py"), "");
    let (exit, report, talk) = customer.run(&["install"]);
    assert_eq!(exit, Some(0), "{talk}");
    assert!(report.starts_with("tsc: ") && report.lines().count() == 1, "{report}");
    let output = customer.symd(&["install"]).current_dir(customer.user.path("elsewhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("symd install LANGUAGE"));
}

#[test]
fn doctor_shows_each_language() {
    let customer = Customer::with_npm(DELIVER);
    let project = customer.user.path("project");
    write(&project.join("a.ts"), "export {}\n");
    write(&project.join("a.py"), "");
    let (_, text, _) = customer.run(&["doctor"]);
    let line = |text: &str, name: &str| {
        text.lines().find(|line| line.contains(&format!("  {name} "))).unwrap_or_default().to_owned()
    };
    assert!(line(&text, "typescript").starts_with("warn"), "{text}");
    assert!(text.contains("→ symd install typescript"), "{text}");
    assert_eq!(customer.run(&["install", "typescript"]).0, Some(0));
    let (_, text, _) = customer.run(&["doctor"]);
    let shown = line(&text, "typescript");
    assert!(shown.starts_with("ok") && shown.contains("servers/tsc/bin/tsc"), "{text}");
    assert!(line(&text, "python").starts_with("warn"), "{text}");
    let (_, json, _) = customer.run(&["doctor", "--json"]);
    let checks: serde_json::Value = serde_json::from_str(&json).unwrap();
    let check = checks.as_array().unwrap().iter().find(|check| check["check"] == "typescript").unwrap();
    assert_eq!((&check["server"]["name"], &check["state"]), (&"tsc".into(), &"ok".into()), "{json}");
}

#[test]
fn ty_from_pypi_twice_and_past_the_projects_settings() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    std::fs::create_dir_all(at("project/.symd")).unwrap();
    let nowhere = "[global]\nindex-url = http://127.0.0.1:1/\nno-index = true\n";
    for file in ["project/pip.conf", "project/pip.ini", "project/.symd/pip.conf"] {
        write(&at(file), nowhere);
    }
    // A module of the project that would replace one that pip needs.
    write(&at("project/ssl.py"), "raise SystemExit('the project was asked')\n");
    let install = || {
        Command::new(env!("CARGO_BIN_EXE_symd"))
            .args(["install", "ty"])
            .env("SYMD_HOME", at(""))
            .env("PYTHONPATH", at("project"))
            .current_dir(at("project"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let output = install();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!talk.contains("127.0.0.1:1") && !talk.contains("the project was asked"), "{talk}");
    if !output.status.success() {
        servers::unrun(&format!(
            "ty cannot be installed here: {}",
            talk.lines().last().unwrap_or_default().trim()
        ));
        return;
    }
    let home = at("data/servers/ty");
    let version = Command::new(home.join("bin/ty")).arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(home.join("installed.json")).unwrap()).unwrap();
    let part = manifest["parts"][0].as_str().unwrap();
    assert!(version.contains(part.strip_prefix("pypi:ty==").unwrap()), "{version} is not {part}");
    assert!(manifest["pins"].is_string());
    let again = String::from_utf8(install().stdout).unwrap();
    assert!(again.contains("already installed"), "{again}");
}

/// Runs the installed `server` and returns its response to `initialize`.
fn initialized(program: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ask = serde_json::json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": { "processId": null, "rootUri": null, "capabilities": {} },
    })
    .to_string();
    let mut stdin = child.stdin.take().unwrap();
    write!(stdin, "Content-Length: {}\r\n\r\n{ask}", ask.len()).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let answer = loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "it ended without an answer");
            match line.trim().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().unwrap();
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).unwrap();
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap();
        if message["id"] == 1 && message.get("method").is_none() {
            break message;
        }
    };
    child.kill().unwrap();
    child.wait().unwrap();
    answer["result"].clone()
}

#[track_caller]
fn check_installed(server: &str, command: &str, arguments: &[&str]) {
    let Some(installed) = servers::real_server(server) else { return };
    let answer = initialized(&installed.join(server).join("bin").join(command), arguments);
    assert!(answer["capabilities"].is_object(), "{server}: {answer}");
}

#[test]
fn the_installed_ty_answers() {
    check_installed("ty", "ty", &["server"]);
}

#[test]
fn the_installed_basedpyright_answers() {
    check_installed("basedpyright", "basedpyright-langserver", &["--stdio"]);
}

#[test]
fn the_installed_typescript_answers() {
    check_installed("tsc", "tsc", &["--lsp", "--stdio"]);
}

#[test]
fn the_installed_clangd_answers() {
    check_installed("clangd", "clangd", &[]);
}

#[test]
fn the_installed_kmp_lsp_answers_and_has_its_ripgrep_beside_it() {
    check_installed("kmp-lsp", "kmp-lsp", &[]);
    let Some(installed) = servers::real_server("kmp-lsp") else { return };
    let version = Command::new(installed.join("kmp-lsp/bin/rg")).arg("--version").output().unwrap();
    assert!(version.stdout.starts_with(b"ripgrep 14."));
}

#[test]
fn gopls_of_the_system_is_found() {
    if !servers::real_program("gopls") {
        return;
    }
    let user = User::new();
    assert!(user.check(&["install", "gopls"], 0).starts_with("gopls: found at /"));
}
