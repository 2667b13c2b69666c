//! How the approvals files affect calls while the daemon runs: policies, rules, the project's own file, and
//! files that are invalid or not the user's.

use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::approvals_stage::{Stage, Whose, text};
use crate::support::{call, modern, write};

#[test]
fn what_is_asked_about_by_default_depends_on_risk_reach_and_toolset() {
    let stage = Stage::new();
    for (toolset, runs) in [("careful", ["look"].as_slice()), ("easy", ["look", "create_file"].as_slice())] {
        for tool in ["look", "create_file", "command", "fetch"] {
            let says = stage.says(toolset, tool, json!({}));
            if runs.contains(&tool) {
                assert_eq!(says, "ran ByPolicy", "{toolset}/{tool}");
            } else {
                assert!(says.contains("needs the user's approval"), "{toolset}/{tool}: {says}");
            }
        }
    }
}

#[test]
fn a_refusal_says_how_to_allow_the_call() {
    let stage = Stage::new();
    assert_eq!(
        stage.says("careful", "create_file", json!({ "path": "it's.txt", "content": "a" })),
        "Refused: create_file was not run: it needs the user's approval, and this client cannot ask the user: it declares \
         no elicitation. The user can allow it in a terminal: `symd approvals policy careful/create_file allow` this tool, \
         `symd approvals policy careful allow` all tools of careful, `symd approvals add create_file \
         '^\\{\"content\":\"a\",\"path\":\"it'\\''s\\.txt\"\\}$' --toolset careful` only calls like this one"
    );
    let long = stage.says("careful", "create_file", json!({ "content": "x".repeat(1000) }));
    assert!(long.contains("`symd approvals add create_file PATTERN --toolset careful`"), "{long}");
}

#[test]
fn policies_and_rules_hold_from_the_next_call_on() {
    let stage = Stage::new();
    let mut wire = stage.connect("careful", Whose::Users);
    let mut number = 0;
    let mut says = |arguments| {
        number += 1;
        text(&wire.ask(&modern(call(number, "create_file", arguments))))
    };
    assert!(says(json!({})).contains("needs the user's approval"));
    stage.approvals("[policy]\ncareful = \"allow\"\n");
    assert_eq!(says(json!({})), "ran ByPolicy");
    stage.approvals("[policy]\ncareful = \"deny\"\n");
    assert!(says(json!({})).contains("the user's policy denies careful ("), "denied");
    stage.approvals("[policy]\ncareful = \"deny\"\n\"careful/create_file\" = \"allow\"\n");
    assert_eq!(says(json!({})), "ran ByPolicy");

    let rule = |pattern: &str, more: &str| {
        stage
            .approvals(&format!("[[rule]]\nid = 1\ntool = \"create_file\"\npattern = '{pattern}'\n{more}\n"));
    };
    let path = || json!({ "path": "test.txt" });
    rule(r#"^{"path":".*\.txt"}$"#, "");
    assert_eq!(says(path()), "ran ByRule");
    assert!(says(json!({ "path": "test.rs" })).contains("needs"), "another path");
    assert!(
        says(json!({ "path": "test.txt", "content": "" })).contains("needs"),
        "more than the pattern says"
    );
    for more in
        ["enabled = false", "expires = \"2020-01-01T00:00:00Z\"", "toolset = \"easy\"", "project = \"/\""]
    {
        rule("txt", more);
        assert!(says(path()).contains("needs the user's approval"), "{more}");
    }
    let here = format!("project = \"{}\"\ntoolset = \"careful\"", stage.host.root().display());
    rule("txt", &format!("{here}\nexpires = \"2999-01-01T00:00:00Z\""));
    assert_eq!(says(path()), "ran ByRule");
    std::fs::remove_file(stage.file()).unwrap();
    assert!(says(path()).contains("needs the user's approval"), "as if nothing had been said");
}

#[test]
fn nothing_that_fools_time_stamps_leaves_an_old_rule_in_force() {
    let stage = Stage::new();
    let then = SystemTime::now() - Duration::from_secs(1_000);
    let rule = |pattern: &str| {
        // Overwritten in place, with the same length and modification time.
        stage.approvals(&format!("[[rule]]\nid = 1\ntool = \"create_file\"\npattern = '{pattern}'\n"));
        std::fs::File::options().write(true).open(stage.file()).unwrap().set_modified(then).unwrap();
    };
    for _ in 0..20 {
        rule("a.txt");
        assert_eq!(stage.says("careful", "create_file", json!({ "path": "a.txt" })), "ran ByRule");
        rule("b.txt");
        assert!(stage.says("careful", "create_file", json!({ "path": "a.txt" })).contains("needs"));
    }
}

#[test]
fn a_project_can_only_tighten() {
    let stage = Stage::new();
    stage.projects("[policy]\ncareful = \"allow\"\neasy = \"allow\"\n");
    assert!(stage.says("careful", "create_file", json!({})).contains("needs the user's approval"));
    assert!(stage.says("easy", "command", json!({})).contains("needs the user's approval"));
    stage.projects("[[rule]]\nid = 1\ntool = \"command\"\npattern = '.*'\n");
    assert!(stage.says("easy", "command", json!({})).contains("needs the user's approval"));
    let listed = stage.user.check(&["approvals", "list"], 0);
    assert!(
        listed.contains("note: .symd/approvals.toml: rule 1 is ignored, because it allows: a project's own file can only tighten"),
        "{listed}"
    );

    stage.approvals("[policy]\neasy = \"allow\"\n");
    stage.projects("[policy]\n\"easy/create_file\" = \"deny\"\n\"easy/command\" = \"ask\"\n");
    assert_eq!(
        stage.says("easy", "create_file", json!({})),
        "Refused: create_file was not run: the project's own .symd/approvals.toml denies it"
    );
    let asks = stage.says("easy", "command", json!({}));
    assert!(asks.ends_with("The project's .symd/approvals.toml or one of the user's rules requires a question each time; `symd approvals list` shows which"), "{asks}");
    assert_eq!(stage.says("easy", "fetch", json!({})), "ran ByPolicy");

    stage.projects("[policy]\neasy = \"denny\"\n");
    let refused = stage.says("easy", "fetch", json!({}));
    assert!(
        refused.contains("cannot be used: .symd/approvals.toml, line 2: unknown variant `denny`"),
        "{refused}"
    );
    // The target of a link does not belong to the project.
    let file = stage.user.path("project/.symd/approvals.toml");
    std::fs::rename(&file, stage.user.path("elsewhere/approvals.toml")).unwrap();
    std::os::unix::fs::symlink(stage.user.path("elsewhere/approvals.toml"), &file).unwrap();
    let refused = stage.says("easy", "fetch", json!({}));
    assert!(refused.contains(".symd/approvals.toml cannot be read"), "{refused}");
}

#[test]
fn a_users_file_inside_the_project_can_only_tighten() {
    // The user's home is the project: a file that tools may edit must not allow them anything.
    let stage = Stage::new();
    let config = stage.user.path("project/config");
    std::fs::create_dir(&config).unwrap();
    let layers =
        symd::serve::approvals::ApprovalFiles::new(&config.join("approvals.toml"), Some(stage.host.root()));
    symd::base::state::replace_file(
        &config.join("approvals.toml"),
        &[b"[policy]\ncareful = \"allow\"\neasy = \"deny\"\n"],
    )
    .unwrap();
    let settled = layers.read();
    let user = settled.user.as_ref().as_ref().unwrap();
    assert_eq!(user.policy("careful", "x"), None);
    assert_eq!(user.policy("easy", "x"), Some(symd::config::approvals::Policy::Deny));
    assert!(settled.notes[0].contains("it lies inside the project"), "{:?}", settled.notes);
}

#[test]
fn a_file_that_is_wrong_or_open_to_others_allows_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    let allow = "[policy]\ncareful = \"allow\"\n";
    stage.approvals(&format!("{allow}\nx = y z\n"));
    let refused = stage.says("careful", "create_file", json!({}));
    let expected = format!("cannot be used: {}, line 4: ", stage.file().display());
    assert!(refused.contains(&expected), "{refused}");
    assert_eq!(stage.says("careful", "look", json!({})), "ran ByPolicy", "what only looks goes on");

    for mode in [0o644, 0o620, 0o602] {
        stage.approvals(allow);
        std::fs::set_permissions(stage.file(), std::fs::Permissions::from_mode(mode)).unwrap();
        let refused = stage.says("careful", "create_file", json!({}));
        assert!(refused.contains("`chmod 600` it"), "{mode:o}: {refused}");
    }
    stage.approvals(allow);
    assert_eq!(stage.says("careful", "create_file", json!({})), "ran ByPolicy");

    write(&stage.user.path("elsewhere/approvals.toml"), allow);
    std::fs::remove_file(stage.file()).unwrap();
    std::os::unix::fs::symlink(stage.user.path("elsewhere/approvals.toml"), stage.file()).unwrap();
    assert!(stage.says("careful", "create_file", json!({})).contains("is a link"));
    std::fs::remove_file(stage.file()).unwrap();
    std::fs::create_dir(stage.file()).unwrap();
    assert!(stage.says("careful", "create_file", json!({})).contains("is not a regular file"));
    std::fs::remove_dir(stage.file()).unwrap();

    if !rustix::process::geteuid().is_root() {
        return;
    }
    stage.approvals(allow);
    std::os::unix::fs::chown(stage.file(), Some(65_534), None).unwrap();
    let refused = stage.says("careful", "create_file", json!({}));
    assert!(refused.contains("belongs to user 65534, not to user 0"), "{refused}");
}
