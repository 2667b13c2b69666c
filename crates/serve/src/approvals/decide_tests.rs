use std::sync::Arc;

use serde_json::json;

use super::super::test_tools::wanted;
use super::*;

fn settled(user: &str, project: &str) -> ApprovalSettings {
    let parse = |text: &str| {
        Arc::new(approvals::parse_bytes("F", text.as_bytes()).map_err(|error| error.to_string()))
    };
    ApprovalSettings { user: parse(user), project: parse(project), user_file: "U".into(), notes: Vec::new() }
}

/// Returns the decision about the call `{"path":"a.txt"}` in /p at second 100: `run (why)`, `ask`, `ask each
/// time`, or the reason for a refusal.
fn check(tool: &str, user: &str, project: &str) -> String {
    check_needing(RequiredApproval::Any, tool, user, project)
}

fn check_needing(needs: RequiredApproval, tool: &str, user: &str, project: &str) -> String {
    let wanted = wanted(tool, json!({ "path": "a.txt" }));
    match decide(&settled(user, project), &wanted, &wanted.json, needs, Timestamp::from_seconds(100)) {
        Verdict::Run(approved) => format!("run {approved:?}"),
        Verdict::Ask(Offer::Always) => "ask".to_owned(),
        Verdict::Ask(Offer::Once) => "ask each time".to_owned(),
        Verdict::Refuse(why) => why,
    }
}

fn rule(more: &str) -> String {
    format!("[[rule]]\nid = 1\ntool = \"create_file\"\npattern = 'a\\.txt'\n{more}\n")
}

#[test]
fn defaults() {
    for (tool, expected) in [
        ("careful/look", "run ByPolicy"),
        ("careful/create_file", "ask"),
        ("careful/command", "ask"),
        ("careful/fetch", "ask"),
        ("easy/look", "run ByPolicy"),
        ("easy/create_file", "run ByPolicy"),
        ("easy/command", "ask"),
        ("easy/fetch", "ask"),
    ] {
        assert_eq!(check(tool, "", ""), expected, "{tool}");
    }
}

#[test]
fn policies() {
    let allow = "[policy]\ncareful = \"allow\"\n";
    for tool in ["look", "create_file", "command", "fetch"] {
        assert_eq!(check(&format!("careful/{tool}"), allow, ""), "run ByPolicy", "{tool}");
    }
    assert_eq!(check("easy/command", allow, ""), "ask", "another toolset");
    assert_eq!(check("easy/create_file", "[policy]\neasy = \"ask\"", ""), "ask");
    assert_eq!(check("easy/look", "[policy]\neasy = \"ask\"", ""), "ask", "what only looks, too");
    let but = "[policy]\ncareful = \"allow\"\n\"careful/create_file\" = \"ask\"";
    assert_eq!(check("careful/create_file", but, ""), "ask");
    let but = "[policy]\ncareful = \"deny\"\n\"careful/create_file\" = \"allow\"";
    assert_eq!(check("careful/create_file", but, ""), "run ByPolicy");
    assert_eq!(
        check("careful/look", but, ""),
        "look was not run: the user's policy denies careful (U); `symd approvals policy careful ask` changes that"
    );
    assert_eq!(
        check("careful/look", "[policy]\n\"careful/look\" = \"deny\"", ""),
        "look was not run: the user's policy denies careful/look (U); `symd approvals policy careful/look ask` changes that"
    );
}

#[test]
fn rules_allow_what_would_be_asked_and_never_what_is_denied() {
    let tool = "careful/create_file";
    for (more, expected) in [
        ("", "run ByRule"),
        ("enabled = false", "ask"),
        ("expires = \"1970-01-01T00:01:40Z\"", "ask"),
        ("expires = \"1970-01-01T00:01:41Z\"", "run ByRule"),
        ("toolset = \"careful\"", "run ByRule"),
        ("toolset = \"easy\"", "ask"),
        ("project = \"/p\"", "run ByRule"),
        ("project = \"/q\"", "ask"),
        ("policy = \"ask\"", "ask each time"),
    ] {
        assert_eq!(check(tool, &rule(more), ""), expected, "{more}");
    }
    let exact = rule("").replace("'a\\.txt'", r#"'^\{"path":"a\.txt"\}$'"#);
    assert_eq!(check(tool, &exact, ""), "run ByUser");
    assert_eq!(check("careful/command", &rule(""), ""), "ask", "another tool");
    let denied = format!("[policy]\ncareful = \"deny\"\n{}", rule(""));
    assert!(check(tool, &denied, "").contains("the user's policy denies careful"));
    let denies = rule("policy = \"deny\"");
    assert_eq!(
        check("easy/create_file", &denies, ""),
        "create_file was not run: the user's rule 1 denies it (U); `symd approvals revoke 1` takes it back"
    );
    let both = format!("{}{}", rule(""), rule("policy = \"ask\"").replace("id = 1", "id = 2"));
    assert_eq!(check(tool, &both, ""), "ask each time");
    assert_eq!(check("easy/create_file", &rule("policy = \"ask\""), ""), "ask each time");
}

#[test]
fn where_the_users_word_is_needed_only_what_is_about_this_very_call_counts() {
    let tool = "careful/create_file";
    let needs_it =
        |user: &str, project: &str| check_needing(RequiredApproval::UserForThisCall, tool, user, project);
    let allow = "[policy]\ncareful = \"allow\"\n";
    let exact = rule("").replace("'a\\.txt'", r#"'^\{"path":"a\.txt"\}$'"#);
    assert!(exact.contains("path"));
    assert_eq!(needs_it("", ""), "ask");
    assert_eq!(needs_it(allow, ""), "ask");
    assert_eq!(needs_it(&rule(""), ""), "ask", "a rule about more");
    assert_eq!(needs_it(&format!("{allow}{}", rule("")), ""), "ask", "both of them");
    assert_eq!(needs_it(&exact, ""), "run ByUser");
    assert_eq!(needs_it(&format!("{allow}{exact}"), ""), "run ByUser");
    assert_eq!(check(tool, &format!("{allow}{exact}"), ""), "run ByPolicy", "which suffices otherwise");
    assert_eq!(needs_it(&exact, "[policy]\ncareful = \"ask\""), "ask each time");
    assert!(needs_it(&exact, "[policy]\ncareful = \"deny\"").contains("the project's own"));
    assert!(
        needs_it(&format!("[policy]\ncareful = \"deny\"\n{exact}"), "").contains("the user's policy denies")
    );
}

#[test]
fn a_project_only_tightens() {
    let allow = "[policy]\ncareful = \"allow\"\neasy = \"allow\"\n";
    let denied = "create_file was not run: the project's own .symd/approvals.toml denies it";
    assert_eq!(check("easy/create_file", allow, "[policy]\neasy = \"deny\""), denied);
    assert_eq!(check("easy/create_file", allow, &rule("policy = \"deny\"")), denied);
    assert_eq!(check("easy/create_file", allow, "[policy]\neasy = \"ask\""), "ask each time");
    assert_eq!(check("easy/create_file", &rule(""), "[policy]\neasy = \"ask\""), "ask each time");
    assert_eq!(check("easy/create_file", "", &rule("policy = \"ask\"")), "ask each time");
    // `ApprovalFiles` removes `allow` beforehand; even if it did not, `allow` would have no effect here.
    assert_eq!(check("careful/create_file", "", "[policy]\ncareful = \"allow\""), "ask");
    assert_eq!(check("careful/create_file", "", &rule("")), "ask");
    let denies = "[policy]\ncareful = \"deny\"";
    assert!(
        check("careful/create_file", denies, "[policy]\ncareful = \"ask\"").contains("the user's policy")
    );
}

#[test]
fn a_file_that_cannot_be_used_allows_nothing() {
    for (user, project) in [("[policy]\n\neasy = 1", ""), ("", "[policy]\n\neasy = 1")] {
        assert_eq!(check("easy/look", user, project), "run ByPolicy");
        for tool in ["create_file", "command", "fetch"] {
            let refused = check(&format!("easy/{tool}"), user, project);
            assert!(
                refused.starts_with(&format!(
                    "{tool} was not run, because the settings for approvals cannot be used: F, line 3: "
                )),
                "{refused}"
            );
        }
    }
}
