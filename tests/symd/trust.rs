//! What a project's files can make symd do before the user trusts the project, and how trust is given and
//! revoked.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{User, open_terminal, terminal, write};

const EVIL: &str = r#"
[language-server.evil]
command = "evil-program"
args = ["--do", "it"]
[language-server.ty]
command = "evil-ty"
[[language]]
name = "nushell"
file-types = ["nu"]
grammar = "python"
language-servers = ["evil"]
"#;

fn project_file(user: &User) -> PathBuf {
    user.path("project/.symd/languages.toml")
}

fn trust_of(user: &User) -> String {
    user.check(&["start"], 0);
    user.status()["trust"].as_str().unwrap().to_owned()
}

fn left_out(user: &User) -> Vec<String> {
    let status = user.status();
    status["left_out"].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned()).collect()
}

fn checks(user: &User, name: &str) -> Vec<Value> {
    let output = user.run(&["doctor", "--json"]);
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    checks.as_array().unwrap().iter().filter(|check| check["check"] == name).cloned().collect()
}

#[test]
fn trust_is_given_shown_lost_and_taken_back() {
    let user = User::new();
    write(&project_file(&user), EVIL);
    write(&user.path("project/a.py"), "x = 1\n");
    assert_eq!(trust_of(&user), "this project is not trusted");
    let notes = left_out(&user).join("\n");
    for part in
        ["[language-server.evil] is ignored", "[language-server.ty] is ignored", "nushell's server \"evil\""]
    {
        assert!(notes.contains(part), "{notes}");
    }
    let pid = user.pid();

    let shown = user.check(&["trust", "--show"], 0);
    for part in [
        "not trusted",
        "command = \"evil-program\"",
        "args = [\"--do\",\"it\"]",
        "basedpyright runs the project's Python",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("rust-analyzer"), "no Rust here: {shown}");
    assert!(user.fails(&["trust"], 2).contains("symd trust --yes"), "nobody can be asked");
    assert_eq!((trust_of(&user).as_str(), user.pid()), ("this project is not trusted", pid));

    let talk = user.fails(&["trust", "--yes"], 0);
    assert!(talk.contains("command = \"evil-program\"") && talk.contains("stopped the daemon"), "{talk}");
    let record = symd::config::trust::record(&user.place().state);
    assert_eq!(std::fs::metadata(&record).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(trust_of(&user), "this project is trusted");
    assert_ne!(user.pid(), pid);
    assert_eq!(left_out(&user), [""; 0]);
    assert!(user.fails(&["trust", "--yes"], 0).contains("trusted already"));

    write(&project_file(&user), &EVIL.replace("it", "more"));
    assert_eq!(checks(&user, "trust")[0]["state"], "warn");
    user.check(&["stop"], 0);
    assert_eq!(trust_of(&user), "this project was trusted, but .symd/languages.toml changed since");
    assert_eq!(left_out(&user).len(), 3);
    write(&project_file(&user), EVIL);
    user.check(&["stop"], 0);
    assert_eq!(trust_of(&user), "this project is trusted");

    user.check(&["trust", "--revoke"], 0);
    assert!(!record.exists());
    assert_eq!(trust_of(&user), "this project is not trusted");
}

#[test]
fn a_file_that_appears_later_is_not_trusted() {
    let user = User::new();
    user.check(&["trust", "--yes"], 0);
    assert_eq!(trust_of(&user), "this project is trusted");
    write(&project_file(&user), EVIL);
    user.check(&["stop"], 0);
    assert!(trust_of(&user).contains(".symd/languages.toml changed since"));
    std::fs::remove_file(project_file(&user)).unwrap();
    write(&user.path("project/.symd/config.toml"), "");
    user.check(&["stop"], 0);
    assert!(trust_of(&user).contains(".symd/config.toml changed since"));
}

#[test]
fn on_a_terminal_it_asks() {
    let user = User::new();
    write(&project_file(&user), EVIL);
    for (answer, exit, trust) in
        [("\n", 6, "not trusted"), ("no\n", 6, "not trusted"), ("y\n", 0, "is trusted")]
    {
        let (mut terminal, name) = terminal();
        let slave = || open_terminal(&name);
        let mut child = user.symd().arg("trust").stdin(slave()).stderr(slave()).spawn().unwrap();
        let mut talk = Vec::new();
        while !String::from_utf8_lossy(&talk).contains("[y/N]") {
            let mut some = [0; 512];
            let count = terminal.read(&mut some).unwrap();
            talk.extend_from_slice(&some[..count]);
        }
        assert!(String::from_utf8_lossy(&talk).contains("evil-program"), "shown before it is asked");
        terminal.write_all(answer.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(exit), "{answer:?}");
        assert!(trust_of(&user).contains(trust), "{answer:?}");
    }
}

#[test]
fn what_is_harmless_of_a_projects_file_is_in_effect_without_trust() {
    let user = User::new();
    let vendored = EVIL.replace("grammar =", "vendored = [{ name = \"nu_libs\" }]\ngrammar =");
    write(&project_file(&user), &vendored);
    std::fs::create_dir(user.path("project/nu_libs")).unwrap();
    write(&user.path("project/a.nu"), "def in_nushell(): ...\n");
    write(&user.path("project/nu_libs/b.nu"), "def in_vendored(): ...\n");
    assert!(user.find("in_nushell").contains("a.nu"));
    assert!(!user.find("in_vendored").contains("b.nu"));
}

#[test]
fn a_wrong_file_of_the_project_is_told_and_stops_nothing() {
    let user = User::new();
    write(&project_file(&user), "[[language]]\nname = \"python\"\nfile_types = []\n");
    write(&user.path("project/a.py"), "def there(): ...\n");
    assert!(user.find("there").contains("a.py"));
    let notes = left_out(&user).join("\n");
    assert!(notes.contains("line 3") && notes.contains("unknown field `file_types`"), "{notes}");
    let found = checks(&user, "languages");
    assert!(found.iter().any(|check| check["state"] == "warn"), "{found:?}");
}

#[test]
fn a_wrong_file_of_the_user_stops_the_start() {
    let user = User::new();
    let file = user.path("config/languages.toml");
    write(&file, "[[language]]\nname = \"python\"\nlanguage-servers = [\"tyy\"]\n");
    let talk = user.fails(&["start"], 3);
    assert!(talk.contains(file.to_str().unwrap()) && talk.contains("\"tyy\""), "{talk}");
    assert_eq!(checks(&user, "languages")[0]["state"], "fail");
    write(&file, "[[language]]\nname = \"nushell\"\nfile-types = [\"nu\"]\ngrammar = \"python\"\n");
    write(&user.path("project/a.nu"), "def in_nushell(): ...\n");
    assert!(user.find("in_nushell").contains("a.nu"));
}

#[test]
fn what_nobody_can_look_at_is_not_trusted() {
    let user = User::new();
    let elsewhere = user.path("elsewhere/languages.toml");
    write(&elsewhere, EVIL);
    std::os::unix::fs::symlink(&elsewhere, project_file(&user)).unwrap();
    user.check(&["start"], 0);
    let notes = left_out(&user).join("\n");
    assert!(!notes.contains("evil"), "nothing behind a link is read: {notes}");
    std::fs::remove_file(project_file(&user)).unwrap();
    std::fs::create_dir(project_file(&user)).unwrap();
    assert!(user.fails(&["trust", "--yes"], 1).contains(".symd/languages.toml cannot be read"));
    user.check(&["stop"], 0);
    assert_eq!(trust_of(&user), "this project is not trusted");
}
