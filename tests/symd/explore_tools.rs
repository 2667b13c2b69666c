//! `explore`: the content of the bundle about a symbol, its budget, and its statements about what is unknown.

use serde_json::{Value, json};

use crate::edit_agent::{Agent, put};
use crate::real_servers::Real;
use crate::support::User;

pub const CORE: &str = "\
import hashlib


class Base:
    def run(self, x):
        return 0


class Job(Base):
    \"\"\"A job.\"\"\"

    size = 3

    def run(self, x):
        \"\"\"Runs it.\"\"\"
        return digest(x) + helper(x)


class Late(Job):
    def run(self, x):
        return 1


def digest(value):
    \"\"\"The digest of a value.\"\"\"
    return hashlib.sha1(value)


def helper(value):
    return digest(value)


def around(n):
    return back(n)


def back(n):
    return around(n - 1)
";

pub const MAIN: &str = "\
from lib.core import Job, digest


def main():
    return digest(1)


def start():
    return main()


def register():
    return [digest]


def work(anything):
    return anything.run(2) + Job().run(3)
";

pub const TESTS: &str = "\
from app.main import main, start
from lib.core import digest


def test_digest():
    assert digest(1)


def test_main():
    assert main()


def make():
    return start()


def test_made():
    assert make()
";

pub const FILES: [(&str, &str); 6] = [
    ("pyproject.toml", "[project]\nname = \"jobs\"\nversion = \"1\"\n"),
    ("lib/__init__.py", ""),
    ("lib/core.py", CORE),
    ("app/__init__.py", ""),
    ("app/main.py", MAIN),
    ("tests/test_core.py", TESTS),
];

fn project(files: &[(&str, &str)]) -> User {
    let user = User::new();
    files.iter().for_each(|(path, text)| put(&user, path, text));
    user
}

/// Splits an answer into its lines and the last one.
fn parts(answer: &str) -> (Vec<&str>, &str) {
    let mut lines: Vec<&str> = answer.lines().collect();
    let last = lines.pop().unwrap();
    (lines, last)
}

#[test]
fn it_bundles_what_one_asks_about_a_function() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    agent.done("references", json!({ "name_path": "digest" }));
    let answer = agent.done("explore", json!({ "name_path": "digest" }));
    let expected = "\
lib/core.py:24-26 function digest
def digest(value):
    \"\"\"The digest of a value.\"\"\"
    return hashlib.sha1(value)
calls outside the project, or unknown: sha1
called by 3
 app/main.py:4 function main @ 5
 lib/core.py:14 method Job/run @ 16
 lib/core.py:29 function helper @ 30
used without a call by 1
 app/main.py:12 function register @ 13
reached by 3 tests in 1 file
 tests/test_core.py: test_digest @ 6
 tests/test_core.py: test_main via main
 tests/test_core.py: make via start
";
    let (_, last) = parts(&answer);
    assert!(answer.starts_with(expected), "{answer}");
    assert!(last.starts_with("[0 callees, 4 users, 3 tests; syntax; "), "{last}");
    // A fourth level leads to another test.
    assert!(last.contains("; tests beyond depth 3 were not looked for;"), "{last}");
    assert!(last.ends_with("; complete]"), "{last}");
}

#[test]
fn it_follows_users_to_a_depth_and_cycles_end() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    let deep = agent.done("explore", json!({ "name_path": "digest", "depth": 2 }));
    assert!(deep.contains("\n at depth 2\n  app/main.py:8 function start @ 9 via main\n"), "{deep}");
    let cycle = agent.done("explore", json!({ "name_path": "around", "depth": 5 }));
    assert!(
        cycle.contains(
            "calls 1\n lib/core.py:37 function back @ 34\ncalled by 1\n lib/core.py:37 function back @ 38\n"
        ),
        "{cycle}"
    );
    assert!(cycle.ends_with("; complete]"), "{cycle}");
}

#[test]
fn it_tells_overrides_and_what_is_overridden() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    let answer = agent.done("explore", json!({ "name_path": "Job/run" }));
    for part in [
        "calls 2\n lib/core.py:24 function digest @ 16\n lib/core.py:29 function helper @ 16\n",
        "overrides 1\n lib/core.py:5 method Base/run\n",
        "overridden by 1\n lib/core.py:20 method Late/run\n",
        "called by 1\n app/main.py:16 function work @ 17\n",
    ] {
        assert!(answer.contains(part), "{part}\n{answer}");
    }
    assert!(!answer.contains("marked ?") && answer.contains("; complete]"), "{answer}");
    // A class that fits is shown in full; of a larger one only its members.
    let class = agent.done("explore", json!({ "name_path": "Job" }));
    assert!(
        class.contains("extends 1\n lib/core.py:4 class Base\nextended by 1\n lib/core.py:19 class Late\n"),
        "{class}"
    );
    assert!(class.contains("    size = 3\n") && !class.contains("\nmembers"), "{class}");
    let large: String =
        (0..80).map(|n| format!("    def m{n}(self, a):\n        return {n} + a\n\n")).collect();
    put(&user, "large.py", format!("class Large:\n    \"\"\"Much.\"\"\"\n\n{large}"));
    let class = agent.done("explore", json!({ "name_path": "Large", "budget": 2000 }));
    assert!(class.contains("class Large:\n    \"\"\"Much.\"\"\"\n… lines 3-"), "{class}");
    assert!(class.contains("members 80\n 4-5 method m0(self, a)\n"), "{class}");
}

#[test]
fn it_keeps_to_its_budget_and_says_what_is_left_out() {
    let user = project(&FILES);
    let callers: String = (0..300).map(|n| format!("def caller_{n}():\n    return hub({n})\n\n\n")).collect();
    let body: String = (0..100).map(|n| format!("    value += {n}\n")).collect();
    put(
        &user,
        "hub.py",
        format!(
            "def hub(value):\n    \"\"\"All meet here.\"\"\"\n{body}    return digest(value)\n\n\n{callers}"
        ),
    );
    let mut agent = Agent::new(&user, "native");
    agent.done("references", json!({ "name_path": "digest" }));
    for budget in [700, 1_000, 3_000, 6_000] {
        let answer = agent.done("explore", json!({ "name_path": "hub", "budget": budget }));
        assert!(answer.chars().count() <= budget, "{} of {budget}\n{answer}", answer.chars().count());
        assert!(
            answer
                .starts_with("hub.py:1-103 function hub\ndef hub(value):\n    \"\"\"All meet here.\"\"\"\n"),
            "{answer}"
        );
        assert!(answer.contains("called by 300\n hub.py\n"), "{answer}");
        let (lines, last) = parts(&answer);
        let shown = lines.iter().filter(|line| line.contains("function caller_")).count();
        assert!(shown > 0 && last.contains(&format!("{} of 300 callers", 300 - shown)), "{shown} {last}");
        assert!(last.contains("incomplete: left out: ") && !last.contains("complete]"), "{last}");
    }
    let refused = agent.refused("explore", json!({ "name_path": "hub", "budget": 499 }));
    assert_eq!(refused, "Invalid parameter 'budget': expected an integer of at least 500, got: 499");
}

/// Of uncertain entries only some are shown, after the certain ones.
#[test]
fn what_is_not_sure_takes_little_room() {
    let user = project(&FILES);
    let unsure: String = (0..40).map(|n| format!("def maybe_{n}(it):\n    it.run({n})\n\n\n")).collect();
    put(
        &user,
        "app/maybe.py",
        format!(
            "{unsure}class Odd:\n    def run(self, x):\n        return x\n\n    def surely(self):\n        return self.run(1)\n"
        ),
    );
    let mut agent = Agent::new(&user, "native");
    let answer = agent.done("explore", json!({ "name_path": "Odd/run" }));
    assert!(answer.contains("called by 42, 41 of them marked ?\n"), "{answer}");
    let callers: Vec<&str> = answer.lines().filter(|line| line.contains(" @ ")).collect();
    assert!(callers[0].contains("surely") && callers.len() == 11, "{answer}");
    assert!(answer.contains("incomplete: left out: 31 of 42 callers;"), "{answer}");
}

#[test]
fn several_symbols_share_the_budget() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    let ask = json!({ "name_path": ["digest", "nowhere", "helper"], "budget": 3000 });
    let answer = agent.done("explore", ask.clone());
    assert!(answer.chars().count() <= 3_300, "{answer}");
    assert!(answer.contains("# nowhere\nNo symbol matching 'nowhere' found"), "{answer}");
    assert!(answer.contains("def digest(value):") && answer.contains("def helper(value):"), "{answer}");
    let mut ask = ask;
    ask["format"] = json!("json");
    ask["budget"] = json!(12_000);
    let answers: Value = serde_json::from_str(&agent.done("explore", ask)).unwrap();
    assert_eq!(answers["complete"], false);
    let digest = &answers["answers"][0];
    assert_eq!(digest["symbol"]["signature"], "(value)");
    assert_eq!(digest["outside_callees"], json!(["sha1"]));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name_path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&digest["users"]), ["main", "register", "Job/run", "helper"]);
    assert_eq!(names(&digest["tests"]), ["test_digest", "test_main", "make"]);
    assert_eq!((&digest["tests"][1]["over"], &digest["tests"][1]["depth"]), (&json!("main"), &json!(2)));
    assert_eq!(digest["left_out"]["users"], 0);
    assert!(answers["answers"][1]["error"].as_str().unwrap().contains("nowhere"));
}

#[test]
fn kotlin_without_a_server() {
    let user = project(&[
        ("build.gradle.kts", ""),
        (
            "core/src/commonMain/kotlin/Store.kt",
            "package shop\n\ninterface Store {\n    fun take(count: Int): Int\n}\n\n/** Keeps things. */\nclass Shelf : Store {\n    override fun take(count: Int): Int = remain(count)\n}\n\nfun remain(count: Int): Int {\n    return 3 - count\n}\n",
        ),
        (
            "core/src/commonTest/kotlin/ShelfTest.kt",
            "package shop\n\nclass ShelfTest {\n    @Test\n    fun takes() {\n        val shelf = Shelf()\n        check(shelf.take(1) == remain(1))\n    }\n}\n",
        ),
    ]);
    let mut agent = Agent::new(&user, "native");
    let answer = agent.done("explore", json!({ "name_path": "remain" }));
    assert!(
        answer.contains("called by 1\n core/src/commonMain/kotlin/Store.kt:9 method Shelf/take @ 9\n"),
        "{answer}"
    );
    assert!(
        answer.contains(
            "reached by 1 test in 1 file\n core/src/commonTest/kotlin/ShelfTest.kt: ShelfTest/takes @ 7"
        ),
        "{answer}"
    );
    let class = agent.done("explore", json!({ "name_path": "Shelf" }));
    assert!(
        class.contains("function") || class.contains("/** Keeps things. */\nclass Shelf : Store {"),
        "{class}"
    );
    assert!(class.contains("extends 1\n core/src/commonMain/kotlin/Store.kt:3 interface Store\n"), "{class}");
    let member = agent.done("explore", json!({ "name_path": "Store/take" }));
    assert!(
        member.contains("overridden by 1\n core/src/commonMain/kotlin/Store.kt:9 method Shelf/take\n"),
        "{member}"
    );
}

#[test]
fn with_a_server_it_answers() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    FILES.iter().for_each(|(path, text)| real.write(path, text));
    let answer = real.ask("explore", json!({ "name_path": "Job/run" }));
    assert_eq!(answer["source"], "ty", "{answer:#}");
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name_path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&answer["callees"]), ["digest", "helper"], "{answer:#}");
    assert_eq!(names(&answer["users"]), ["work"], "{answer:#}");
    assert_eq!(names(&answer["above"]), ["Base/run"], "{answer:#}");
    assert_eq!(names(&answer["below"]), ["Late/run"], "{answer:#}");
    let answer = real.ask("explore", json!({ "name_path": "digest" }));
    assert_eq!(names(&answer["tests"]), ["test_digest", "test_main", "make"], "{answer:#}");
}

#[test]
fn the_command_line_has_it() {
    let user = project(&FILES);
    let answer = user.check(&["explore", "helper", "--depth", "2", "--budget", "1500"], 0);
    assert!(answer.contains("called by 2\n lib/core.py:14 method Job/run @ 16\n"), "{answer}");
    assert!(user.check(&["explore", "nowhere"], 1).contains("No symbol matching 'nowhere' found"));
}
