//! native's tools with servers that play scripts: answers that are wrong, incomplete or duplicated, come too
//! late, or never.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use symd::base::{Cancel, RelPath};
use symd::lsp::{ColumnEncoding, WaitPolicy};
use symd::ops::Project;
use symd::ops::at_place::{AnswerForm, DeclarationUses, TextPlace, references_at};
use symd::toolsets::{Call, Client, Outcome, Reply, native, serena};

use crate::lsp_stage::{fake_ls, heard, let_on};
use crate::opened::Opening;
use crate::support::{PATIENCE, write};

const LIB: &str = "def run(x):\n    return x\n\n\nclass Box:\n    def get(self):\n        return run(1)\n";
const USE: &str =
    "import lib\nfrom lib import run\n\n\ndef main():\n    print(run(2))\n    lib.run(3)\n    return run\n";

/// A project with a Python server that plays a script.
struct Stage {
    scratch: tempfile::TempDir,
    project: Project,
    client: Arc<Client>,
}

/// Returns a range on one line of a file, in the form of servers.
fn at(file: &str, line: u32, from: u32, to: u32) -> Value {
    json!({
        "uri": format!("{{root}}/{file}"),
        "range": { "start": { "line": line, "character": from }, "end": { "line": line, "character": to } },
    })
}

/// Returns the actual occurrences of `run`; the first is its definition.
fn truth() -> Vec<Value> {
    vec![
        at("lib.py", 0, 4, 7),
        at("lib.py", 6, 15, 18),
        at("use.py", 1, 16, 19),
        at("use.py", 5, 10, 13),
        at("use.py", 6, 8, 11),
        at("use.py", 7, 11, 14),
    ]
}

fn script(references: Value, definition: Value) -> Value {
    json!({
        "capabilities": { "referencesProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/references": [{ "answer": references }],
            "textDocument/definition": [{ "answer": definition }],
        },
    })
}

impl Stage {
    /// Must be called within a runtime.
    fn new(mut script: Value) -> Stage {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().canonicalize().unwrap();
        for directory in ["project", "installed/fake/bin"] {
            std::fs::create_dir_all(path.join(directory)).unwrap();
        }
        write(&path.join("project/lib.py"), LIB);
        write(&path.join("project/use.py"), USE);
        // Report readiness at once: a server that does not report it may be indexing for long.
        let quiet = json!({ "health": "ok", "quiescent": true });
        script["on"]["initialized"] =
            json!([{ "notify": { "method": "experimental/serverStatus", "params": quiet } }]);
        script["log"] = path.join("log").to_str().unwrap().into();
        write(&path.join("script.json"), &script.to_string());
        std::os::unix::fs::symlink(fake_ls(), path.join("installed/fake/bin/fake")).unwrap();
        let toml = format!(
            "[language-server.fake]\ncommand = \"fake\"\nargs = [{:?}]\nreadiness = {{ start-grace-ms = 0, server-status = true }}\n\
             [[language]]\nname = \"python\"\nfile-types = [\"py\"]\nlanguage-servers = [\"fake\"]\ngrammar = \"python\"\n",
            path.join("script.json")
        );
        let project = Opening::new(&path, &toml).open(&path);
        Stage { scratch, project, client: Arc::new(Client::with_name("test")) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(name)
    }

    async fn reply(&self, tool: &str, arguments: Value) -> Reply {
        let tool = native::NATIVE.tools.iter().find(|known| known.name == tool).unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        let call = Call {
            project: &self.project,
            toolset: &native::NATIVE,
            tool: tool.name,
            arguments,
            client: self.client.clone(),
            outgoing: None,
            approved: symd::toolsets::ApprovalSource::ByPolicy,
            cancel: Cancel::new(),
        };
        tokio::time::timeout(PATIENCE, tool.run(call)).await.expect("answered in time")
    }

    /// Returns a tool's answer once the server is ready.
    async fn ask(&self, tool: &str, mut arguments: Value) -> String {
        arguments["wait"] = "ready".into();
        let reply = self.reply(tool, arguments).await;
        assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
        reply.text
    }

    async fn references(&self) -> (String, String) {
        let text = self.ask("find_referencing_symbols", json!({ "name_path": "run" })).await;
        let (list, footer) = text.rsplit_once('\n').unwrap();
        (list.to_owned(), footer.to_owned())
    }

    /// Returns how often the server received that method.
    fn times(&self, method: &str) -> usize {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        let received = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        received.filter(|message| message["method"] == method).count()
    }
}

/// Runs a test in a runtime; its servers end with it.
fn play<F: Future<Output = ()>>(script: Value, test: impl FnOnce(Arc<Stage>) -> F) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stage = Arc::new(Stage::new(script));
        test(stage.clone()).await;
        stage.project.servers.shutdown().await;
        stage.project.engine.shutdown().await;
    });
}

fn fifo(path: &Path) -> String {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_complete_answer_is_called_complete() {
    play(script(truth().into(), Value::Null), async |stage| {
        let (list, footer) = stage.references().await;
        assert_eq!(
            list,
            "lib.py:7 in Box/get: return run(1)\nuse.py\n 2: from lib import run\n in main\n  6: print(run(2))\n  \
             7: lib.run(3)\n  8: return run"
        );
        assert!(footer.starts_with("[5 references in 2 files; fake; "), "{footer}");
        assert!(footer.ends_with("; complete]"), "{footer}");
        assert_eq!(stage.times("textDocument/references"), 1, "nothing gave reason to ask again");
        assert_eq!(stage.times("textDocument/definition"), 0, "nothing was to be confirmed");
    });
}

#[test]
fn ranges_are_held_against_the_text() {
    let mut told = truth();
    told[4] = at("use.py", 6, 4, 11);
    told.extend([
        at("use.py", 5, 10, 13),
        at("use.py", 99, 0, 3),
        at("use.py", 5, 4, 9),
        at("absent.py", 0, 0, 3),
        json!({ "uri": "file:///usr/lib/other.py", "range": at("", 3, 0, 3)["range"] }),
    ]);
    play(script(told.into(), Value::Null), async |stage| {
        let (list, footer) = stage.references().await;
        assert!(
            list.contains("\n in main\n") && list.contains("\n  7: lib.run(3)\n"),
            "the range began at the qualifier: {list}"
        );
        assert!(list.ends_with("outside the project:\n /usr/lib/other.py:4"), "{list}");
        assert!(footer.starts_with("[5 references in 2 files; fake;"), "{footer}");
        assert!(footer.contains("; dropped 2 ranges outside the text"), "{footer}");
        assert!(footer.contains("; dropped 1 range where the name does not occur"), "{footer}");
        assert!(footer.ends_with("; complete]"), "{footer}");
    });
}

#[test]
fn what_the_server_leaves_out_but_confirms_is_listed() {
    let told = truth()[..2].to_vec();
    play(script(told.into(), at("lib.py", 0, 4, 7)), async |stage| {
        let (list, footer) = stage.references().await;
        assert_eq!(
            list,
            "lib.py:7 in Box/get: return run(1)\nuse.py\n 2: from lib import run\n in main\n  6: print(run(2))\n  \
             7: lib.run(3)\n  8: return run"
        );
        assert!(footer.starts_with("[5 references in 2 files; fake; "), "{footer}");
        assert!(footer.ends_with("; complete]"), "{footer}");
        assert_eq!(
            stage.times("textDocument/references"),
            2,
            "asked again, and no more when the answer stays"
        );
    });
}

#[test]
fn what_the_server_leaves_out_and_is_not_asked_about_is_missing() {
    let told = truth()[..2].to_vec();
    play(script(told.into(), at("lib.py", 0, 4, 7)), async |stage| {
        let calls = "    run(4)\n".repeat(62);
        write(&stage.path("project/more.py"), &format!("from lib import run\n\n\ndef more():\n{calls}"));
        // 67 are left out: the server is asked about 64.
        let (_, footer) = stage.references().await;
        assert!(footer.starts_with("[65 references in "), "{footer}");
        assert!(
            footer.ends_with(
                "; incomplete: 3 possible uses that fake does not report; show_unlisted lists them]"
            ),
            "{footer}"
        );
        let all = json!({ "name_path": "run", "show_unlisted": true });
        let text = stage.ask("find_referencing_symbols", all).await;
        let missing = "more.py\n in more\n  26: run(4)\n  48: run(4)\nuse.py:8 in main: return run\n";
        assert!(text.contains(&format!("\nnot reported by the server:\n{missing}[")), "{text}");
    });
}

#[test]
fn an_answer_that_grows_is_waited_for() {
    let steps = json!([[{ "answer": truth()[..2] }], [{ "answer": truth() }]]);
    let mut script = script(Value::Null, at("lib.py", 0, 4, 7));
    script["on"]["textDocument/references"] = steps;
    play(script, async |stage| {
        let (_, footer) = stage.references().await;
        assert!(footer.starts_with("[5 references in 2 files; fake;"), "{footer}");
        assert!(footer.ends_with("; complete]"), "{footer}");
    });
}

#[test]
fn a_symbol_that_is_deleted_under_the_question_is_said_to_be_gone() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go) = (fifo(&scratch.path().join("asked")), fifo(&scratch.path().join("go")));
    let mut script = script(Value::Null, Value::Null);
    let first = json!([{ "tell": asked }, { "wait_for": go }, { "answer": truth() }]);
    script["on"]["textDocument/references"] = json!([first, [{ "answer": truth() }]]);
    play(script, async |stage| {
        let asker = stage.clone();
        let ask = json!({ "name_path": "run", "wait": "ready" });
        let question = tokio::spawn(async move { asker.reply("find_referencing_symbols", ask).await });
        heard(&asked).await;
        write(&stage.path("project/lib.py"), &LIB.replace("def run", "def gone"));
        let_on(&go).await;
        let reply = question.await.unwrap();
        assert_eq!(reply.outcome, Outcome::Failed, "{}", reply.text);
        assert!(reply.text.contains("matching 'run'"), "{}", reply.text);
    });
}

#[test]
fn what_leads_elsewhere_raises_no_alarm() {
    let told = truth()[..2].to_vec();
    play(script(told.into(), at("use.py", 4, 4, 8)), async |stage| {
        let (_, footer) = stage.references().await;
        assert!(footer.starts_with("[1 reference in 1 file; fake;"), "{footer}");
        assert!(footer.ends_with("; complete]"), "{footer}");
    });
}

#[test]
fn a_server_that_is_not_ready_is_not_waited_for() {
    let script = json!({ "on": { "initialize": [{ "hang": true }] } });
    play(script, async |stage| {
        let ask = json!({ "name_path": "run" });
        let reply = stage.reply("find_referencing_symbols", ask).await;
        assert_eq!(reply.outcome, Outcome::Done);
        assert!(
            reply.text.contains("[5 references in 2 files; syntax (fake is not ready yet: "),
            "{}",
            reply.text
        );
        assert!(reply.text.contains("wait: \"ready\" waits for it"), "{}", reply.text);
        let late = json!({ "name_path": "run", "wait": "ready", "deadline_seconds": 1 });
        let reply = stage.reply("find_referencing_symbols", late).await;
        assert!(
            reply.text.contains("[5 references in 2 files; syntax (fake is not ready yet: "),
            "{}",
            reply.text
        );
        let reply = stage.reply("diagnostics", json!({ "relative_path": "use.py" })).await;
        assert_eq!(reply.outcome, Outcome::NotReady, "{}", reply.text);
    });
}

#[test]
fn a_symbol_that_is_deleted_meanwhile_is_gone() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go_on) = (fifo(&scratch.path().join("asked")), fifo(&scratch.path().join("go_on")));
    let mut script = script(Value::Null, Value::Null);
    script["on"]["textDocument/references"] =
        json!([[{ "tell": asked }, { "wait_for": go_on }, { "answer": truth() }]]);
    play(script, async |stage| {
        let asking = tokio::spawn({
            let stage = stage.clone();
            async move {
                stage.reply("find_referencing_symbols", json!({ "name_path": "run", "wait": "ready" })).await
            }
        });
        let lib = stage.path("project/lib.py");
        let change = tokio::task::spawn_blocking(move || {
            assert_eq!(std::fs::read_to_string(asked).unwrap(), "textDocument/references\n");
            write(&lib, "def walk(x):\n    return x\n");
            drop(std::fs::OpenOptions::new().write(true).open(go_on).unwrap());
        });
        tokio::time::timeout(PATIENCE, change).await.unwrap().unwrap();
        let reply = asking.await.unwrap();
        assert_eq!(reply.outcome, Outcome::Failed, "{}", reply.text);
        assert!(reply.text.starts_with("No symbol matching 'run' found"), "{}", reply.text);
    });
}

#[test]
fn uses_of_a_local_variable_are_found_though_its_file_changes_meanwhile() {
    let scratch = tempfile::tempdir().unwrap();
    let (asked, go_on) = (fifo(&scratch.path().join("asked")), fifo(&scratch.path().join("go_on")));
    let mut script = script(Value::Null, Value::Null);
    let answer = json!({ "answer": [at("lib.py", 0, 8, 9), at("lib.py", 1, 11, 12)] });
    script["on"]["textDocument/references"] =
        json!([[{ "tell": asked }, { "wait_for": go_on }, answer], [answer]]);
    play(script, async |stage| {
        let asking = tokio::spawn({
            let stage = stage.clone();
            async move {
                let place = TextPlace { path: RelPath::new("lib.py").unwrap(), offset: 8 };
                let waiting = WaitPolicy::Until(tokio::time::Instant::now() + PATIENCE);
                let form = AnswerForm { encoding: ColumnEncoding::Utf8, waiting };
                references_at(&stage.project, &place, DeclarationUses::Included, form).await.unwrap()
            }
        });
        let lib = stage.path("project/lib.py");
        let change = tokio::task::spawn_blocking(move || {
            assert_eq!(std::fs::read_to_string(asked).unwrap(), "textDocument/references\n");
            write(&lib, &format!("{LIB}\n\nbox = Box()\n"));
            drop(std::fs::OpenOptions::new().write(true).open(go_on).unwrap());
        });
        tokio::time::timeout(PATIENCE, change).await.unwrap().unwrap();
        let places: Vec<(u32, u32)> =
            asking.await.unwrap().iter().map(|span| (span.start.line, span.start.character)).collect();
        assert_eq!(places, [(0, 8), (1, 11)]);
    });
}

#[test]
fn callers_that_the_hierarchy_lacks_are_added() {
    let item = |name: &str, file: &str, line: u32, from: u32| {
        let range = at(file, line, from, from + u32::try_from(name.len()).unwrap());
        json!({ "name": name, "kind": 12, "uri": range["uri"], "range": range["range"], "selectionRange": range["range"] })
    };
    let mut script = script(truth().into(), Value::Null);
    script["capabilities"]["callHierarchyProvider"] = true.into();
    script["on"]["textDocument/prepareCallHierarchy"] = json!([{ "answer": [item("run", "lib.py", 0, 4)] }]);
    script["on"]["callHierarchy/incomingCalls"] = json!([{ "answer": [
        { "from": item("main", "use.py", 4, 4), "fromRanges": [at("use.py", 5, 10, 13)["range"]] },
    ] }]);
    play(script, async |stage| {
        let text = stage.ask("find_callers", json!({ "name_path": "run" })).await;
        assert!(
            text.starts_with("lib.py:6 method Box/get @ 7\nuse.py:5 function main @ 6 7\n[2 callers; fake;"),
            "{text}"
        );
        assert!(text.contains("; 1 of them missing from the call hierarchy;"), "{text}");
        assert!(text.contains("; 1 other use is not a call;"), "{text}");
    });
}

#[test]
fn types_of_one_level_are_asked_about_at_the_same_time() {
    let item = |name: &str, line: u32| {
        let range = at("types.py", line, 6, 6 + u32::try_from(name.len()).unwrap());
        json!({ "name": name, "kind": 5, "uri": range["uri"], "range": range["range"], "selectionRange": range["range"] })
    };
    let below = ["One", "Two", "Three", "Four"];
    let items: Vec<Value> = (1..).zip(below).map(|(line, name)| item(name, line)).collect();
    let mut script = script(Value::Null, Value::Null);
    script["capabilities"]["typeHierarchyProvider"] = true.into();
    // The last request of the next level lets the server answer the others.
    script["on"]["textDocument/prepareTypeHierarchy"] = json!([
        [{ "answer": [item("Base", 0)] }],
        [{ "hold": true }],
        [{ "hold": true }],
        [{ "hold": true }],
        [{ "hold": true }, { "release": [] }],
    ]);
    script["on"]["typeHierarchy/subtypes"] = json!([{ "answer": items }]);
    play(script, async |stage| {
        let text = below.map(|name| format!("class {name}(Base): pass\n")).concat();
        write(&stage.path("project/types.py"), &format!("class Base: pass\n{text}"));
        let arguments = json!({ "name_path": "Base", "direction": "subtypes", "depth": 2 });
        let text = stage.ask("type_hierarchy", arguments).await;
        assert!(text.contains("[4 subtypes; fake;"), "{text}");
        let log = std::fs::read_to_string(stage.path("log")).unwrap();
        assert_eq!(log.matches("textDocument/prepareTypeHierarchy").count(), 5, "{log}");
    });
}

#[test]
fn serena_waits_and_lists_what_the_server_tells() {
    play(script(truth().into(), Value::Null), async |stage| {
        let tool = serena::SERENA.tools.iter().find(|tool| tool.name == "find_referencing_symbols").unwrap();
        let arguments = json!({ "name_path": "run", "relative_path": "lib.py" }).as_object().unwrap().clone();
        let reply = tool
            .run(Call {
                project: &stage.project,
                toolset: &serena::SERENA,
                tool: tool.name,
                arguments,
                client: stage.client.clone(),
                outgoing: None,
                approved: symd::toolsets::ApprovalSource::ByPolicy,
                cancel: Cancel::new(),
            })
            .await;
        let entries: Vec<Value> = serde_json::from_str(&reply.text).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry["name_path"].as_str().unwrap()).collect();
        assert_eq!(names, ["Box/get", "use", "main", "main", "main"]);
        assert_eq!(entries[1]["kind"], 1);
    });
}

#[test]
fn an_edit_tells_the_diagnostics_that_it_caused_and_no_others() {
    let one = |line: u32, message: &str| {
        json!({
            "range": { "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 3 } },
            "severity": 1, "message": message, "code": "bad",
        })
    };
    let report = |items: Value| json!([{ "answer": { "kind": "full", "items": items } }]);
    let mut script = script(truth().into(), Value::Null);
    script["capabilities"]["diagnosticProvider"] =
        json!({ "interFileDependencies": false, "workspaceDiagnostics": false });
    script["on"]["textDocument/diagnostic"] = json!([
        report(json!([one(0, "old")])),
        report(json!([one(1, "old"), one(2, "new")])),
        report(json!([one(1, "old"), one(2, "new")])),
        report(json!([one(0, "old")])),
        [{ "hang": true }],
    ]);
    play(script, async |stage| {
        let edit = |line: u32| json!({ "relative_path": "lib.py", "line": line, "content": "# more" });
        let reply = stage.reply("insert_at_line", edit(1)).await;
        assert!(reply.text.ends_with("; new diagnostics unknown: no server is ready]"), "{}", reply.text);
        stage.ask("find_referencing_symbols", json!({ "name_path": "run" })).await;
        let reply = stage.reply("insert_at_line", edit(1)).await;
        let (text, footer) = reply.text.rsplit_once('\n').unwrap();
        assert!(text.ends_with("\nnew diagnostics:\nlib.py\n 3 error in run: new [bad]"), "{text}");
        assert!(footer.ends_with("; 1 new diagnostic (fake)]"), "{footer}");
        let reply = stage.reply("insert_at_line", edit(1)).await;
        assert!(reply.text.ends_with("; no new diagnostics (fake)]"), "{}", reply.text);
        let reply = stage.reply("insert_at_line", edit(1)).await;
        assert!(
            reply.text.contains("; new diagnostics unknown: the language server did not answer in time"),
            "{}",
            reply.text
        );
        assert_eq!(reply.outcome, Outcome::Done, "the edit was made");
    });
}
