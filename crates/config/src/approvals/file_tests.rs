#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::PermissionsExt;

use super::super::{Policy, PolicySubject, Rule, RulePattern};
use super::*;
use symd_base::Timestamp;

fn check(text: &str) -> Result<Approvals, String> {
    parse_bytes("F", text.as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn a_tools_policy_goes_before_its_toolsets() {
    let approvals =
        check("[policy]\ncli_agent = \"allow\"\n\"cli_agent/create_file\" = \"deny\"\n").expect("right");
    assert_eq!(approvals.policy("cli_agent", "create_file"), Some(Policy::Deny));
    assert_eq!(approvals.policy("cli_agent", "read_file"), Some(Policy::Allow));
    assert_eq!(approvals.policy("native", "create_file"), None);
    assert_eq!(check(""), Ok(Approvals::default()));
}

#[test]
fn every_mistake_names_its_line() {
    let rule = "[[rule]]\nid = 1\ntool = \"t\"\npattern = 'p'\n";
    for (text, expected) in [
        ("[policy]\na = \"alow\"\n", "F, line 2: unknown variant `alow`"),
        ("[policy]\n\n\"a/b/c\" = \"ask\"\n", "F, line 3: \"a/b/c\" is neither a TOOLSET nor"),
        ("[polcy]\n", "F, line 1: unknown field `polcy`"),
        ("\n\n= 3", "F, line 3: "),
        ("[[rule]]\ntool = \"t\"\npattern = 'p'\n", "missing field `id`"),
        (&format!("{rule}color = 1\n"), "F, line 5: unknown field `color`"),
        (&rule.replace("'p'", "'(p'"), "F, line 4: \"(p\" is not a regular expression: unclosed group"),
        (&rule.replace("\"t\"", "\"t t\""), "F, line 3: \"t t\" is not a valid tool name"),
        (&rule.replace("= 1", "= 0"), "F, line 2: ids start at 1"),
        (&format!("{rule}expires = \"tomorrow\"\n"), "F, line 5: \"tomorrow\" is not a time"),
        (&format!("{rule}{rule}"), "two rules have the id 1"),
    ] {
        let error = check(text).expect_err(text);
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let error = parse_bytes("F", b"[policy]\n# \xff\n").expect_err("not UTF-8").to_string();
    assert_eq!(error, "F, line 2: this is not UTF-8");
}

fn rule(pattern: &str) -> Rule {
    Rule {
        id: 0,
        tool: "create_file".to_owned(),
        pattern: RulePattern::new(pattern).expect(pattern),
        toolset: Some("cli_agent".to_owned()),
        project: Some("/p/\"q\"\\ü\u{7f}\n".to_owned()),
        expires: Some(Timestamp::from_seconds(1_795_255_200)),
        enabled: false,
        policy: Policy::Deny,
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut approvals = Approvals::default();
    approvals.policies.insert(PolicySubject::tool("native", "move"), Policy::Ask);
    approvals.policies.insert(PolicySubject::toolset("native"), Policy::Deny);
    for pattern in ["'", "\\.\"x\t\u{85}", r"^\{\}$", "日本"] {
        approvals.add(rule(pattern));
    }
    approvals.add(Rule {
        toolset: None,
        project: None,
        expires: None,
        enabled: true,
        policy: Policy::Allow,
        ..rule("a")
    });
    assert_eq!(check(&approvals.to_text()), Ok(approvals));
}

#[test]
fn a_rule_that_is_covered_is_not_added_twice() {
    let mut approvals = Approvals::default();
    let first = approvals.add(rule("a"));
    assert_eq!(approvals.add(rule("a")), first);
    let later = Rule { expires: Some(Timestamp::from_seconds(1_795_255_201)), ..rule("a") };
    assert_eq!(approvals.add(later), 2);
    assert_eq!(approvals.add(Rule { expires: None, ..rule("a") }), 3);
    assert_eq!(approvals.add(rule("b")), 4);
    approvals.rules.retain(|rule| rule.id != 2);
    assert_eq!(approvals.add(rule("c")), 5);
}

#[test]
fn only_a_file_of_ours_alone_is_used() {
    let scratch = tempfile::tempdir().expect("scratch");
    let path = user_file(&scratch.path().join("new/symd"));
    let id = change(&path, |approvals| Ok(approvals.add(rule("a")))).expect("changed");
    assert_eq!((id, read(&path).expect("read").rules.len()), (1, 1));
    let mode =
        |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("changed");
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    for open in [0o644, 0o660, 0o602] {
        mode(open);
        let error = read(&path).expect_err("others may read or write it").to_string();
        assert!(error.contains("chmod 600"), "{error}");
        assert!(change(&path, |_| Ok(())).is_err());
    }
    mode(0o400);
    assert!(read(&path).is_ok());
    let elsewhere = scratch.path().join("elsewhere");
    std::fs::rename(&path, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &path).expect("linked");
    assert!(read(&path).expect_err("a link").to_string().contains("is a link"));
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("made");
    assert!(read(&path).is_err());
}

#[test]
fn a_file_that_is_wrong_is_not_overwritten() {
    let scratch = tempfile::tempdir().expect("scratch");
    let path = user_file(scratch.path());
    state::replace_file(&path, &[b"[policy]\nx = 1\n"]).expect("written");
    let error = change(&path, |approvals| Ok(approvals.add(rule("a")))).expect_err("wrong").to_string();
    assert!(error.contains("approvals.toml, line 2"), "{error}");
    assert_eq!(std::fs::read(&path).expect("read"), b"[policy]\nx = 1\n");
    assert_eq!(read(&scratch.path().join("none")).expect("none"), Approvals::default());
}

#[test]
fn several_writers_lose_nothing() {
    let scratch = tempfile::tempdir().expect("scratch");
    let path = user_file(scratch.path());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..10 {
                    let pattern = format!("{writer}-{number}");
                    change(path, |approvals| Ok(approvals.add(rule(&pattern)))).expect("changed");
                }
            });
        }
    });
    let approvals = read(&path).expect("read");
    assert_eq!(approvals.rules.len(), 80);
    assert_eq!(approvals.rules.iter().map(|rule| rule.id).collect::<Vec<_>>(), (1..=80).collect::<Vec<_>>());
}
