//! `impact`: what a change reaches, depending on the kind of change; with consistent counts, within its
//! limits of time and size, and with statements about what is unknown.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::edit_agent::{Agent, put};
use crate::explore_tools::FILES;
use crate::real_servers::Real;
use crate::support::User;

fn project(files: &[(&str, &str)]) -> User {
    let user = User::new();
    files.iter().for_each(|(path, text)| put(&user, path, text));
    user
}

fn ask(agent: &mut Agent, name_path: &str, change: &str, depth: usize) -> (String, Value) {
    let mut ask = json!({ "name_path": name_path, "change": change, "depth": depth });
    let text = agent.done("impact", ask.clone());
    ask["format"] = json!("json");
    (text, serde_json::from_str(&agent.done("impact", ask)).unwrap())
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one["name_path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_signature_reaches_its_uses_with_their_arguments() {
    let user = project(&FILES);
    put(&user, "gen/values_pb2.py", "from lib.core import digest\n\n\ndef packed():\n    return digest(9)\n");
    put(&user, "README.md", "Use `digest`.\n");
    let mut agent = Agent::new(&user, "native");
    agent.done("references", json!({ "name_path": "digest" }));
    let (text, facts) = ask(&mut agent, "digest", "signature", 3);
    let expected = "\
signature of function digest (lib/core.py:24)
direct: 6 symbols in 4 files: production 4, test 1, generated 1
at depth 2: 3 more: production 2, test 1, generated 0
at depth 3: 1 more: production 0, test 1, generated 0
modules (direct+further): app 2+2, lib 2, tests 1+2, gen 1
mentioned: 1 in docs
production
 app/main.py:4 function main @ 5: return digest(1)
 app/main.py:12 function register @ 13: return [digest]
 lib/core.py:14 method Job/run @ 16: return digest(x) + helper(x)
 lib/core.py:29 function helper @ 30: return digest(value)
test
 tests/test_core.py:5 function test_digest @ 6: assert digest(1)
generated
 gen/values_pb2.py:4 function packed @ 5: return digest(9)
tests to run: tests/test_core.py
";
    assert!(text.starts_with(expected), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("[10 symbols; syntax; "), "{last}");
    assert!(last.contains("; 1 symbol of the last level may be used further, raise depth;"), "{last}");
    assert!(last.ends_with("; complete]"), "{last}");
    let level = |depth: usize| &facts["levels"][depth - 1];
    assert_eq!(
        (&level(1)["symbols"], &level(1)["files"], &level(1)["generated"]),
        (&json!(6), &json!(4), &json!(1))
    );
    assert_eq!((&level(2)["symbols"], &level(3)["test"]), (&json!(3), &json!(1)));
    assert_eq!(names(&facts["further"]), ["start", "work", "test_main", "make"]);
    assert_eq!(facts["tests"], json!([{ "path": "tests/test_core.py", "depth": 1, "likely": true }]));
    assert_eq!(
        (&facts["complete"], &facts["mentioned"]),
        (&json!(true), &json!([{ "in": "docs", "count": 1 }]))
    );
}

#[test]
fn a_behaviour_reaches_callers_over_any_number_of_calls() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    let (text, facts) = ask(&mut agent, "digest", "behaviour", 4);
    assert!(text.contains("at depth 2\n app/main.py:8 function start @ 9 via main\n"), "{text}");
    assert!(text.contains("at depth 4\n tests/test_core.py:17 function test_made @ 18 via make\n"), "{text}");
    assert_eq!(facts["levels"][3]["test"], 1, "{facts:#}");
    assert_eq!(facts["goes_on"], 0, "{facts:#}");
    // Not deeper than requested.
    let (text, facts) = ask(&mut agent, "digest", "behaviour", 1);
    assert!(!text.contains("at depth 2") && text.contains("may be used further, raise depth"), "{text}");
    assert_eq!((names(&facts["further"]).len(), facts["goes_on"].as_u64() > Some(0)), (0, true), "{facts:#}");
}

#[test]
fn overrides_are_reached_with_their_callers() {
    let user = project(&[(
        "shapes.py",
        "\
class Shape:
    def area(self):
        return 0


class Square(Shape):
    def area(self):
        return 1


class Round(Shape):
    def area(self):
        return 3


def of_shape(shape: Shape):
    return shape.area()


def of_square():
    return Square().area()


def of_round():
    return Round().area()
",
    )]);
    let mut agent = Agent::new(&user, "native");
    let (text, facts) = ask(&mut agent, "Shape/area", "behaviour", 3);
    assert_eq!(names(&facts["below"]), ["Square/area", "Round/area"], "{facts:#}");
    for caller in ["of_shape", "of_square", "of_round"] {
        assert!(names(&facts["direct"]).contains(&caller.to_owned()), "{caller} {text}");
    }
    assert!(
        text.contains("overridden by 2\n shapes.py:7 method Square/area\n shapes.py:12 method Round/area\n"),
        "{text}"
    );
    let (text, facts) = ask(&mut agent, "Square/area", "signature", 3);
    assert_eq!((names(&facts["above"]), names(&facts["below"])), (vec!["Shape/area".to_owned()], vec![]));
    assert!(text.contains("overrides 1\n shapes.py:2 method Shape/area\n"), "{text}");
    assert!(names(&facts["direct"]).contains(&"of_shape".to_owned()), "{text}");
}

#[test]
fn a_removal_is_in_the_way_of_every_mention() {
    let user = project(&FILES);
    put(&user, "docs/guide.md", "First `digest`,\nthen digest again.\n");
    put(&user, "app/names.py", "# digest is the best\nNAMES = [\"digest\"]\n");
    let mut agent = Agent::new(&user, "native");
    let (text, facts) = ask(&mut agent, "digest", "removal", 2);
    // A file that only imports the symbol also prevents its removal.
    assert!(text.contains(" app/main.py\n  1 file main @ 1: from lib.core import Job, digest\n"), "{text}");
    assert!(text.contains("mentioned 1 in comments\n app/names.py:1\n"), "{text}");
    assert!(text.contains("mentioned 1 in strings\n app/names.py:2\n"), "{text}");
    assert!(text.contains("mentioned 2 in docs\n docs/guide.md:1 2\n"), "{text}");
    assert_eq!(facts["mentions"].as_array().unwrap().len(), 4, "{facts:#}");
    assert_eq!(facts["levels"][0]["symbols"], facts["direct"].as_array().unwrap().len(), "{facts:#}");
}

#[test]
fn cycles_end_and_what_is_known_is_complete() {
    let user = project(&FILES);
    let mut agent = Agent::new(&user, "native");
    let (text, facts) = ask(&mut agent, "around", "behaviour", 10);
    assert!(text.contains("direct: 1 symbol in 1 file: production 1, test 0, generated 0\n"), "{text}");
    assert!(text.contains("tests to run: none reaches it within depth 10\n"), "{text}");
    assert!(text.ends_with("; complete]"), "{text}");
    assert_eq!(facts["complete"], true, "{facts:#}");
    // The behaviour of a class is that of its members.
    let (text, facts) = ask(&mut agent, "Job", "behaviour", 1);
    assert!(
        text.ends_with("; incomplete: uses of only its members are not included; ask about a member]"),
        "{text}"
    );
    assert_eq!(facts["complete"], false, "{facts:#}");
    // One of several symbols with that name: reported as uncertain, and not followed.
    put(&user, "app/more.py", "def odd(anything):\n    return anything.run(2)\n");
    let (text, facts) = ask(&mut agent, "Late/run", "behaviour", 3);
    assert!(text.contains("function work @ 17\n"), "{text}");
    assert!(text.contains("function odd @ 2?") && text.contains("unchecked: 1 marked ?"), "{text}");
    assert_eq!((&facts["complete"], &facts["unchecked"]), (&json!(false), &json!(1)), "{facts:#}");
}

#[test]
fn a_file_that_cannot_be_parsed_makes_it_incomplete() {
    let user = project(&FILES);
    let mut large = String::from("from lib.core import digest\ndigest(1)\n");
    large.push_str(&"x = 1\n".repeat(3 << 19));
    put(&user, "app/large.py", large);
    let mut agent = Agent::new(&user, "native");
    let (text, facts) = ask(&mut agent, "around", "removal", 1);
    assert_eq!(facts["complete"], true, "what does not hold the name is not spoken of: {text}");
    let (text, facts) = ask(&mut agent, "digest", "removal", 1);
    assert!(
        text.contains("incomplete: 1 file too large to be parsed holds the name: app/large.py"),
        "{text}"
    );
    assert_eq!(facts["complete"], false);
}

#[test]
fn a_hub_is_told_within_time_and_room() {
    const CALLERS: usize = 2_000;
    let user = project(&[("hub.py", "def hub(value):\n    return value\n")]);
    for file in 0..40 {
        let of_file = CALLERS / 40;
        let callers: String =
            (0..of_file).map(|n| format!("def caller_{file}_{n}():\n    return hub({n})\n\n\n")).collect();
        let further: String = (0..of_file)
            .map(|n| format!("def further_{file}_{n}():\n    return caller_{file}_{n}()\n\n\n"))
            .collect();
        put(
            &user,
            &format!("pkg_{}/part_{file}.py", file % 5),
            format!("from hub import hub\n\n\n{callers}{further}"),
        );
    }
    let mut agent = Agent::new(&user, "native");
    agent.done("references", json!({ "name_path": "hub", "limit": 100 }));
    let begun = Instant::now();
    let (text, facts) = ask(&mut agent, "hub", "behaviour", 3);
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
    assert!(text.chars().count() <= 20_000, "{}", text.chars().count());
    assert!(
        text.contains("direct: 2000 symbols in 40 files: production 2000, test 0, generated 0\n"),
        "{text}"
    );
    assert_eq!(facts["levels"][0]["symbols"], CALLERS);
    // Every file of a direct user is listed; omitted names and lines are counted.
    for file in 0..40 {
        assert!(text.contains(&format!("part_{file}.py: ")), "part_{file}\n{text}");
    }
    assert!(text.contains("incomplete: ") && !text.contains("complete]"), "{text}");
    let further = facts["levels"][1]["symbols"].as_u64().unwrap();
    let not_followed = facts["not_followed"].as_u64().unwrap();
    assert!(further > 0 && further + not_followed == CALLERS as u64, "{further} {not_followed}");
    let direct = facts["direct"].as_array().unwrap().len() as u64;
    assert_eq!(direct + facts["left_out"]["direct"].as_u64().unwrap(), CALLERS as u64);
    // The same in explore, within its budget.
    let begun = Instant::now();
    let explored = agent.done("explore", json!({ "name_path": "hub" }));
    assert!(explored.chars().count() <= 6_000 && explored.contains("called by 2000\n"), "{explored}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn kotlin_without_a_server() {
    let user = project(&[
        ("build.gradle.kts", ""),
        (
            "core/src/main/kotlin/Price.kt",
            "package shop\n\nfun price(count: Int): Int = count * 2\n\nfun total(count: Int): Int = price(count)\n",
        ),
        ("app/src/main/kotlin/App.kt", "package shop\n\nfun main() {\n    println(total(3))\n}\n"),
        (
            "core/src/test/kotlin/PriceTest.kt",
            "package shop\n\nclass PriceTest {\n    fun prices() {\n        check(price(1) == 2)\n    }\n}\n",
        ),
    ]);
    let mut agent = Agent::new(&user, "native");
    let (text, _) = ask(&mut agent, "price", "behaviour", 3);
    assert!(text.contains("direct: 2 symbols in 2 files: production 1, test 1, generated 0\n"), "{text}");
    assert!(text.contains("modules (direct+further): core 2, app 0+1\n"), "{text}");
    assert!(
        text.contains("at depth 2\n app/src/main/kotlin/App.kt:3 function main @ 4 via total\n"),
        "{text}"
    );
    assert!(text.contains("tests to run: core/src/test/kotlin/PriceTest.kt\n"), "{text}");
}

#[test]
fn with_a_server_it_answers() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    FILES.iter().for_each(|(path, text)| real.write(path, text));
    let facts = real.ask("impact", json!({ "name_path": "digest", "change": "behaviour", "depth": 4 }));
    assert_eq!(facts["source"], "ty", "{facts:#}");
    assert_eq!(
        names(&facts["direct"]),
        ["main", "register", "Job/run", "helper", "test_digest"],
        "{facts:#}"
    );
    assert!(names(&facts["further"]).contains(&"test_made".to_owned()), "{facts:#}");
    let facts = real.ask("impact", json!({ "name_path": "Job/run", "change": "signature" }));
    assert_eq!(
        (names(&facts["above"]), names(&facts["below"])),
        (vec!["Base/run".to_owned()], vec!["Late/run".to_owned()])
    );
    assert!(names(&facts["direct"]).contains(&"work".to_owned()), "{facts:#}");
}

#[test]
fn the_command_line_has_it() {
    let user = project(&FILES);
    let answer = user.check(&["impact", "helper", "--change", "behaviour", "--depth", "1"], 0);
    assert!(
        answer.starts_with("behaviour of function helper (lib/core.py:29)\ndirect: 1 symbol in 1 file"),
        "{answer}"
    );
    user.fails(&["impact", "helper", "--change", "colour"], 2);
}
