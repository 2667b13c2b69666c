//! What other tools than rename make of members that override one another: find_implementations.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};
use crate::servers::real_server;

const SPIDERS: [(&str, &[u8]); 4] = [
    ("pyproject.toml", b"[project]\nname = \"spiders\"\nversion = \"1\"\n"),
    (
        "base.py",
        b"from typing import TYPE_CHECKING, Any\n\n\nclass Spider:\n    if TYPE_CHECKING:\n        parse: Any\n    else:\n\n        def parse(self):\n            return 0\n",
    ),
    ("own.py", b"from base import Spider as S\n\n\nclass One(S):\n    def parse(self):\n        return 1\n\n\nclass Two(One):\n    pass\n\n\nclass Three(Two):\n    def parse(self):\n        return 3\n"),
    ("apart.py", b"class Other:\n    def parse(self):\n        return 1\n"),
];

fn lines(answer: &str) -> Vec<&str> {
    answer.lines().filter_map(|line| line.split(' ').next()).filter(|place| place.contains(".py:")).collect()
}

async fn finds_all_that_override(stage: &Stage) {
    let ask = json!({ "name_path": "Spider/parse", "relative_path": "base.py", "wait": "ready" });
    let found = stage.done("find_implementations", ask).await;
    assert_eq!(lines(&found), ["own.py:5-6", "own.py:14-15"], "{found}");
    assert!(found.ends_with("; complete]"), "{found}");
    let ask = json!({ "name_path": "Spider", "relative_path": "base.py", "wait": "ready" });
    let found = stage.done("find_implementations", ask).await;
    assert_eq!(lines(&found), ["own.py:4-6", "own.py:9-10", "own.py:13-15"], "{found}");
}

#[test]
fn implementations_are_found_by_heads_of_classes() {
    play(&SPIDERS, Answers::Nobody, finds_all_that_override);
}

#[test]
fn what_a_server_does_not_tell_is_found_all_the_same() {
    let Some(servers) = real_server("ty") else { return };
    play(&SPIDERS, Answers::Real(servers), finds_all_that_override);
}

#[test]
fn a_class_that_may_be_one_keeps_the_list_from_being_called_complete() {
    for more in [
        "class D(make(Spider)): pass\n",
        "from nowhere import *\nclass D(Spider): pass\n",
        "def f(kind):\n    class D(kind):\n        def parse(self): pass\n",
    ] {
        let mut files = SPIDERS.to_vec();
        files.push(("more.py", more.as_bytes()));
        play(&files, Answers::Nobody, async |stage| {
            let ask = json!({ "name_path": "Spider", "relative_path": "base.py" });
            let found = stage.done("find_implementations", ask.clone()).await;
            assert!(found.contains("; unchecked: perhaps D by a base that is not known]"), "{more}: {found}");
            let mut ask = ask;
            ask["format"] = json!("json");
            let found: Value = serde_json::from_str(&stage.done("find_implementations", ask).await).unwrap();
            assert_eq!(found["complete"], false, "{more}");
        });
    }
}
