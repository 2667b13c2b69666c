//! Connections of different contracts on one daemon at once: each keeps its own tools and formats, all see
//! each other's completed writes, and no edit is lost because of another.

use serde_json::{Value, json};
use symd::serve::describe;
use symd::toolsets::listing::choose;
use symd::toolsets::{self, Toolset};

use crate::edit_agent::text_of;
use crate::support::{PATIENCE, User, Wire, call, request, write};

/// The number of edits that every connection makes while all the others make theirs.
const EDITS: u32 = 25;

/// Returns the toolsets with tools to read, search and edit files.
fn speaking() -> impl Iterator<Item = &'static Toolset> {
    toolsets::all().iter().copied().filter(|toolset| {
        let tools = ["read_file", editing(toolset.name), searching(toolset.name)];
        tools.iter().all(|wanted| toolset.tools.iter().any(|tool| tool.name == *wanted))
    })
}

/// Returns the tool that replaces a line, in each contract.
fn editing(toolset: &str) -> &'static str {
    match toolset {
        "gemini_cli" => "replace",
        "cli_agent" => "replace_string_in_file",
        "tool_router" => "apply_patch_freeform",
        _ => "replace_content",
    }
}

/// Returns the tool that searches.
fn searching(toolset: &str) -> &'static str {
    match toolset {
        "native" => "search",
        "gemini_cli" => "search_file_content",
        "cli_agent" => "grep_search",
        "tool_router" => "grep_files",
        _ => "search_for_pattern",
    }
}

/// Returns a user whose policy lets every contract write: no client can ask.
fn user() -> User {
    let user = User::new();
    let policy = toolsets::all().iter().map(|toolset| format!("{} = \"allow\"\n", toolset.name));
    user.settles(&format!("[policy]\n{}", policy.collect::<String>()));
    user
}

/// A client of one contract, which uses that contract's tools.
struct Speaker {
    toolset: &'static str,
    root: String,
    wire: Wire,
    calls: u64,
}

impl Speaker {
    fn new(user: &User, toolset: &'static Toolset) -> Speaker {
        let mut wire = user.connect();
        wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": [toolset.name] } }));
        wire.initialize();
        let root = user.path("project").to_str().unwrap().to_owned();
        Speaker { toolset: toolset.name, root, wire, calls: 0 }
    }

    fn ask(&mut self, message: Value) -> Value {
        let answer = self.wire.ask(&message);
        assert_eq!(answer["id"], message["id"], "an answer to somebody else's question: {answer}");
        answer
    }

    /// Returns the text of an answer, or of a rejection.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        self.calls += 1;
        let answer = self.ask(call(self.calls, tool, arguments));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }

    fn read(&mut self, path: &str) -> String {
        let absolute = format!("{}/{path}", self.root);
        let (arguments, unwrap): (Value, fn(&str) -> String) = match self.toolset {
            "serena" => (json!({ "relative_path": path }), str::to_owned),
            "gemini_cli" => (json!({ "absolute_path": absolute }), str::to_owned),
            "native" => (json!({ "relative_path": path }), |text| behind_first_line(text)),
            "cli_agent" => (json!({ "path": path }), |text| {
                let envelope: Value = serde_json::from_str(text).unwrap();
                behind_first_line(envelope["output"].as_str().unwrap())
            }),
            "tool_router" => (json!({ "path": path }), |text| {
                serde_json::from_str::<Value>(text).unwrap()["text"].as_str().unwrap().to_owned()
            }),
            other => panic!("no tool to read for {other}"),
        };
        unwrap(&self.call("read_file", arguments).unwrap())
    }

    /// Replaces `old`, a whole line that occurs once in the file, by `new`.
    fn replace(&mut self, path: &str, old: &str, new: &str) {
        let absolute = format!("{}/{path}", self.root);
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
        let tool = editing(self.toolset);
        let arguments = match self.toolset {
            "serena" | "native" => {
                json!({ "relative_path": path, "needle": old, "repl": new, "mode": "literal" })
            }
            "gemini_cli" => json!({ "file_path": absolute, "old_string": old, "new_string": new }),
            "cli_agent" => json!({ "path": path, "old_string": old, "new_string": new }),
            "tool_router" => json!({ "patch": patch }),
            other => panic!("no tool to edit for {other}"),
        };
        // native rejects edits of text that this connection has not seen in its present state; no other tool
        // may reject.
        while let Err(refused) = self.call(tool, arguments.clone()) {
            let by_another =
                ["changed since it was read here", "conflict: "].iter().any(|why| refused.contains(why));
            assert!(self.toolset == "native" && by_another, "{}: {refused}", self.toolset);
            assert!(self.read(path).contains(old), "somebody else changed {old}");
        }
    }

    fn listed(&mut self) -> Value {
        self.calls += 1;
        self.ask(request(self.calls, "tools/list", json!({})))["result"]["tools"].clone()
    }
}

fn behind_first_line(text: &str) -> String {
    text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
}

#[test]
fn each_sees_the_others_finished_writes() {
    let user = user();
    let mut speakers: Vec<Speaker> = speaking().map(|toolset| Speaker::new(&user, toolset)).collect();
    let mut line = "begin".to_owned();
    write(&user.path("project/shared.txt"), &format!("{line}\n"));
    for round in 0..10 {
        for at in 0..speakers.len() {
            let new = format!("round {round} of {}", speakers[at].toolset);
            speakers[at].replace("shared.txt", &line, &new);
            line = new;
            for speaker in &mut speakers {
                // Contracts differ in whether the final line break belongs to the text.
                let read = speaker.read("shared.txt");
                assert_eq!(read.trim_end_matches('\n'), line, "{} after round {round}", speaker.toolset);
            }
        }
        // Also what a program writes that does not use symd.
        line = format!("round {round} of an editor");
        write(&user.path("project/shared.txt"), &format!("{line}\n"));
    }
}

#[test]
fn edits_of_one_file_at_once_are_all_there() {
    let user = user();
    // Two of each contract.
    let toolsets: Vec<&'static Toolset> = speaking().chain(speaking()).collect();
    let lines = (0..toolsets.len()).map(|number| format!("counter_{number} = <0>\n"));
    write(&user.path("project/shared.txt"), &lines.collect::<String>());
    user.socket();
    std::thread::scope(|scope| {
        for (number, toolset) in toolsets.iter().enumerate() {
            let user = &user;
            scope.spawn(move || {
                let mut speaker = Speaker::new(user, toolset);
                for count in 0..EDITS {
                    let (old, new) = (
                        format!("counter_{number} = <{count}>"),
                        format!("counter_{number} = <{}>", count + 1),
                    );
                    speaker.replace("shared.txt", &old, &new);
                    assert!(
                        speaker.read("shared.txt").contains(&new),
                        "{} does not see its own edit",
                        toolset.name
                    );
                }
            });
        }
    });
    let expected = (0..toolsets.len()).map(|number| format!("counter_{number} = <{EDITS}>\n"));
    assert_eq!(text_of(&user, "shared.txt"), expected.collect::<String>());
}

#[test]
fn each_keeps_its_own_tools() {
    let user = user();
    write(&user.path("project/a.txt"), "text\n");
    let mut speakers: Vec<(&Toolset, Speaker)> =
        speaking().map(|toolset| (toolset, Speaker::new(&user, toolset))).collect();
    for _ in 0..2 {
        for (toolset, speaker) in &mut speakers {
            let listing = choose(toolsets::all(), &[toolset.name.to_owned()]).unwrap()[0];
            let expected: Vec<Value> = listing.tools().iter().map(|offered| describe(offered.tool)).collect();
            assert_eq!(speaker.listed(), json!(expected), "{}", toolset.name);
            assert!(speaker.read("a.txt").starts_with("text"), "{}", toolset.name);
        }
    }
    // A tool of another contract is unknown, however often other connections have called it.
    for (toolset, speaker) in &mut speakers {
        for foreign in speaking().flat_map(|other| other.tools) {
            if toolset.tools.iter().all(|tool| tool.name != foreign.name) {
                let answer = speaker.ask(call("foreign", foreign.name, json!({})));
                assert_eq!(answer["error"]["code"], -32602, "{}: {answer}", toolset.name);
            }
        }
    }
}

#[test]
fn one_that_leaves_in_the_middle_of_its_calls_takes_nobody_along() {
    let user = user();
    for number in 0..300 {
        write(&user.path(&format!("project/f{number}.py")), &"some text to look through\n".repeat(200));
    }
    let all: Vec<&'static Toolset> = speaking().collect();
    let mut stays: Vec<Speaker> = all.iter().map(|toolset| Speaker::new(&user, toolset)).collect();
    for round in 0..5 {
        for toolset in &all {
            let mut leaves = Speaker::new(&user, toolset);
            let pattern =
                if matches!(toolset.name, "native" | "serena") { "substring_pattern" } else { "pattern" };
            let search = call(1, searching(toolset.name), json!({ pattern: "(a|b|t)+e" }));
            leaves.wire.send(&search);
            drop(leaves);
            for speaker in &mut stays {
                let read = speaker.read(&format!("f{round}.py"));
                assert!(read.contains("some text to look through"), "{}", speaker.toolset);
            }
        }
    }
    // All have ended before anything would ask again.
    let deadline = std::time::Instant::now() + PATIENCE;
    while user.status()["connections"] != stays.len() + 1 {
        assert!(std::time::Instant::now() < deadline, "connections stay: {}", user.status()["connections"]);
    }
}
