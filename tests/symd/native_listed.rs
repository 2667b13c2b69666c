//! The tools that native lists, through a real daemon: each call stands for an older tool, in every listing,
//! has the same answer, and is subject to the same approvals.

use serde_json::{Value, json};

use crate::edit_agent::{Agent, put, text_of};
use crate::support::User;

const LIB: &str = "\
class Shape:
    def area(self) -> int:
        \"\"\"How large it is.\"\"\"
        return 0


class Square(Shape):
    def area(self) -> int:
        return side() * side()


def side() -> int:
    \"\"\"The length of a side.\"\"\"
    return 2
";

const USE: &str = "\
from lib import Square, side


def total() -> int:
    return side() + 1
";

fn project() -> User {
    let user = User::new();
    put(&user, "lib.py", LIB);
    put(&user, "use.py", USE);
    user
}

/// Returns pairs of equivalent calls: of a listed tool with short parameters, and of the older tool.
fn pairs() -> Vec<[(&'static str, Value); 2]> {
    let one = |short: &'static str, few: Value, long: &'static str, many: Value| [(short, few), (long, many)];
    vec![
        one(
            "overview",
            json!({ "path": "lib.py" }),
            "get_symbols_overview",
            json!({ "relative_path": "lib.py" }),
        ),
        one("overview", json!({}), "get_symbols_overview", json!({})),
        one(
            "find_symbol",
            json!({ "name_path": "ar", "substring": true, "body": true, "kinds": ["method"] }),
            "find_symbol",
            json!({
                "name_path_pattern": "ar", "substring_matching": true, "include_body": true, "include_kinds": ["method"],
            }),
        ),
        one(
            "references",
            json!({ "name_path": "side" }),
            "find_referencing_symbols",
            json!({ "name_path": "side" }),
        ),
        one(
            "references",
            json!({ "name_path": "side", "relation": "callers", "depth": 2 }),
            "find_callers",
            json!({ "name_path": "side", "depth": 2 }),
        ),
        one(
            "references",
            json!({ "name_path": "total", "relation": "callees" }),
            "find_callees",
            json!({ "name_path": "total" }),
        ),
        one(
            "references",
            json!({ "name_path": "Shape", "path": "lib.py", "relation": "implementations" }),
            "find_implementations",
            json!({ "name_path": "Shape", "relative_path": "lib.py" }),
        ),
        one(
            "references",
            json!({ "name_path": "Square", "relation": "supertypes" }),
            "type_hierarchy",
            json!({ "name_path": "Square", "direction": "supertypes" }),
        ),
        one(
            "references",
            json!({ "name_path": "Shape", "relation": "subtypes" }),
            "type_hierarchy",
            json!({ "name_path": "Shape" }),
        ),
        one(
            "search",
            json!({ "pattern": "return", "glob": "lib.*", "context": 1 }),
            "search_for_pattern",
            json!({
                "substring_pattern": "return", "paths_include_glob": "lib.*", "context_lines_before": 1,
                "context_lines_after": 1,
            }),
        ),
        one(
            "rename",
            json!({ "name_path": "total", "new_name": "sum_up", "dry_run": true }),
            "rename_symbol",
            json!({ "name_path": "total", "new_name": "sum_up", "dry_run": true }),
        ),
        one(
            "insert_symbol",
            json!({ "name_path": "total", "position": "before", "body": "x = 1", "dry_run": true }),
            "insert_before_symbol",
            json!({ "name_path": "total", "body": "x = 1", "dry_run": true }),
        ),
        one(
            "insert_symbol",
            json!({ "name_path": "total", "body": "x = 1", "dry_run": true }),
            "insert_after_symbol",
            json!({ "name_path": "total", "body": "x = 1", "dry_run": true }),
        ),
    ]
}

#[test]
fn a_listed_tool_answers_as_the_one_that_it_means() {
    let user = project();
    for toolset in ["native", "native_full", "coding-agent", "debugging"] {
        let mut agent = Agent::new(&user, toolset);
        // A connection learns only once why there is no server.
        let told = agent.done("references", json!({ "name_path": "side" }));
        assert!(told.contains("; syntax (") || !told.contains("; syntax"), "{told}");
        let told = agent.done("references", json!({ "name_path": "Shape" }));
        assert!(!told.contains("; syntax ("), "{told}");
        for [(short, few), (long, many)] in pairs() {
            assert_eq!(agent.done(short, few.clone()), agent.done(long, many.clone()), "{short} {few}");
            if few["dry_run"] != true {
                let json = |mut arguments: Value| {
                    arguments["format"] = json!("json");
                    arguments
                };
                assert_eq!(agent.done(short, json(few)), agent.done(long, json(many)), "{short} as JSON");
            }
        }
    }
}

#[test]
fn a_definition_says_what_it_is() {
    let user = project();
    let mut agent = Agent::new(&user, "native");
    let place = json!({ "path": "use.py", "line": 5, "name": "side" });
    let text = agent.done("definition", place.clone());
    assert!(
        text.starts_with("lib.py:12-14 function side() -> int\n\"\"\"The length of a side.\"\"\"\n["),
        "{text}"
    );
    let mut for_programs = place.clone();
    for_programs["format"] = json!("json");
    let json: Value = serde_json::from_str(&agent.done("definition", for_programs)).unwrap();
    assert_eq!(json["definitions"][0]["name_path"], "side");
    assert!(json["hover"]["text"].as_str().unwrap().contains("The length of a side."), "{json}");
    // The older tool behaves as before.
    let text = agent.done("find_definition", place);
    assert!(text.starts_with("lib.py:12-14 function side() -> int\n["), "{text}");
    let text = agent.refused("definition", json!({ "line": 5, "name": "side" }));
    assert!(text.contains("give path, line and name, or a name_path"), "{text}");
}

#[test]
fn several_symbols_are_asked_about_at_once() {
    let user = project();
    let mut agent = Agent::new(&user, "native");
    let names = json!({ "name_path": ["side", "Square/area", "nothing"], "body": true });
    let text = agent.done("find_symbol", names);
    let blocks: Vec<&str> = text.split("# ").collect();
    assert_eq!(blocks.len(), 4, "{text}");
    assert!(blocks[1].starts_with("side") && blocks[1].contains("    return 2"), "{text}");
    assert!(blocks[2].starts_with("Square/area") && blocks[2].contains("side() * side()"), "{text}");
    assert!(blocks[3].starts_with("nothing") && blocks[3].contains("No symbols match."), "{text}");

    let text = agent.done("references", json!({ "name_path": ["side", "Square"] }));
    assert!(text.contains("# side") && text.contains("# Square") && text.contains("\n[2 names; "), "{text}");
    let one = agent.done("references", json!({ "name_path": "Square" }));
    let (body, _) = one.rsplit_once('\n').unwrap();
    assert!(text.contains(body), "{text}");

    let text = agent.done("references", json!({ "name_path": ["side", "nothing"], "relation": "callers" }));
    assert!(text.contains("# nothing") && text.contains("No symbol matching 'nothing' found"), "{text}");
    agent.refused("references", json!({ "name_path": ["nothing"] }));
    let json = json!({ "name_path": ["side", "nothing"], "format": "json" });
    let json: Value = serde_json::from_str(&agent.done("references", json)).unwrap();
    assert_eq!((&json["answers"][0]["asked"], &json["complete"]), (&json!("side"), &json!(false)));
    assert!(json["answers"][1]["error"].as_str().unwrap().contains("No symbol matching"), "{json}");
    let text = agent.refused("rename", json!({ "name_path": ["side"], "new_name": "edge" }));
    assert!(text.starts_with("Invalid parameter 'name_path': expected a string"), "{text}");
}

#[test]
fn an_edit_is_undone_and_made_again_by_one_tool() {
    let user = project();
    let mut agent = Agent::new(&user, "native");
    agent.done("rename", json!({ "name_path": "total", "new_name": "sum_up" }));
    assert!(text_of(&user, "use.py").contains("def sum_up()"));
    agent.done("undo", json!({}));
    assert_eq!(text_of(&user, "use.py"), USE);
    agent.done("undo", json!({ "redo": true }));
    assert!(text_of(&user, "use.py").contains("def sum_up()"));
    // The history names the tool that made an edit.
    assert!(agent.done("history", json!({})).contains("rename_symbol"));
}

#[test]
fn two_names_of_a_parameter_with_different_values_are_refused() {
    let user = project();
    let mut agent = Agent::new(&user, "native_full");
    let both = json!({ "name_path": "side", "name_path_pattern": "Shape" });
    for tool in ["find_symbol", "references", "find_callers"] {
        let text = agent.refused(tool, both.clone());
        assert!(text.contains("name the same parameter and have different values"), "{tool}: {text}");
    }
    agent.done("find_symbol", json!({ "name_path": "side", "name_path_pattern": "side" }));
    let paths = json!({ "path": "lib.py", "relative_path": "use.py" });
    assert!(agent.refused("overview", paths).contains("different values"));
}

#[test]
fn what_is_settled_about_a_tool_holds_for_its_other_name() {
    let user = project();
    user.settles("[policy]\n\"native/rename_symbol\" = \"deny\"\n\"native/apply_code_action\" = \"deny\"\n");
    for toolset in ["native", "native_full"] {
        let mut agent = Agent::new(&user, toolset);
        let text = agent.refused("rename", json!({ "name_path": "total", "new_name": "sum_up" }));
        assert!(text.contains("denies native/rename_symbol"), "{text}");
        let fix = json!({ "path": "use.py", "start_line": 1, "title": "Fix" });
        let text = agent.refused("code_actions", fix);
        assert!(text.contains("denies native/apply_code_action"), "{text}");
        // Listing the actions is another tool.
        let text = agent.refused("code_actions", json!({ "path": "use.py", "start_line": 1 }));
        assert!(!text.contains("denies"), "{text}");
    }
    assert_eq!(text_of(&user, "use.py"), USE);
}
