//! Renames by a server that plays a script: honest in both forms of an edit, and wrong in every way that an
//! edit can be wrong. A rejection leaves every byte as it was.

use serde_json::{Value, json};

use crate::rename_stage::{Answers, Stage, play};

const LIB: &str = "def run(x):\n    return x\n\n\nclass Box:\n    def get(self):\n        return run(1)\n";
const USE: &str = "from lib import run\n\n\ndef main():\n    print(run(2))  # run it\n    return \"run\"\n";
const FILES: [(&str, &[u8]); 2] = [("lib.py", LIB.as_bytes()), ("use.py", USE.as_bytes())];

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn edit(line: u32, from: u32) -> Value {
    json!({ "range": range(line, from, from + 3), "newText": "go" })
}

/// Returns the edits of a correct server, as `changes`.
fn truth() -> Value {
    json!({
        "{root}/lib.py": [edit(0, 4), edit(6, 15)],
        "{root}/use.py": [edit(0, 16), edit(4, 10)],
    })
}

/// Converts `changes` to `documentChanges`.
fn documents(changes: &Value) -> Vec<Value> {
    let one = |(uri, edits): (&String, &Value)| json!({ "textDocument": { "uri": uri, "version": null }, "edits": edits });
    changes.as_object().unwrap().iter().map(one).collect()
}

fn script(answer: Value) -> Value {
    // fake-ls does not fill in keys: `changes` is converted to the newer form.
    json!({
        "capabilities": { "renameProvider": { "prepareProvider": true }, "definitionProvider": true },
        "on": {
            "textDocument/prepareRename": [{ "answer": { "range": range(0, 4, 7), "placeholder": "run" } }],
            "textDocument/rename": [answer],
            "textDocument/definition": [{ "answer": [{ "uri": "{root}/lib.py", "range": range(0, 4, 7) }] }],
        },
    })
}

fn answering(edit: Value) -> Answers {
    Answers::Fake(script(json!({ "answer": edit })), "")
}

fn wanted() -> Value {
    json!({ "name_path": "run", "relative_path": "lib.py", "new_name": "go" })
}

fn with(key: &str, value: Value) -> Value {
    let mut wanted = wanted();
    wanted[key] = value;
    wanted
}

/// Asserts that an edit with these document changes is rejected.
fn refusal(changes: Vec<Value>, says: &str) {
    play(&FILES, answering(json!({ "documentChanges": changes })), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.contains(says), "{text:?} does not say {says:?}");
        // Force is for doubts, not for invalid edits.
        let text = stage.refused("rename_symbol", with("force", json!(true))).await;
        assert!(text.contains(says), "{text:?} does not say {says:?}");
    });
}

fn more(extra: Value) -> Vec<Value> {
    let mut all = documents(&truth());
    all.push(extra);
    all
}

fn document(path: &str, edits: Value) -> Value {
    json!({ "textDocument": { "uri": format!("{{root}}/{path}"), "version": null }, "edits": edits })
}

fn renamed(text: &str) -> String {
    text.replace("def run", "def go").replace("run(", "go(").replace("import run", "import go")
}

async fn is_renamed(stage: &Stage) {
    assert_eq!(stage.text("lib.py"), renamed(LIB));
    assert_eq!(stage.text("use.py"), renamed(USE));
}

#[test]
fn an_honest_rename_is_shown_made_and_undone() {
    play(&FILES, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        let before = stage.tree();
        let shown = stage.done("rename_symbol", with("dry_run", json!(true))).await;
        assert!(shown.contains("-def run(x):\n+def go(x):") && shown.contains("+++ b/use.py"), "{shown}");
        assert!(shown.contains("[4 changes in 2 files; fake; "), "{shown}");
        assert!(stage.tree() == before);

        let done = stage.done("rename_symbol", wanted()).await;
        assert!(done.starts_with("lib.py: 2\nuse.py: 2\n"), "{done}");
        assert!(done.contains("note: 1 mention in comments left as it is"), "{done}");
        assert!(done.contains("  use.py:5: print(run(2))  # run it"), "{done}");
        assert!(done.contains("note: 1 mention in strings") && done.contains("; operation 1"), "{done}");
        is_renamed(stage).await;
        stage.undo().await;
        assert!(stage.tree() == before);
    });
}

#[test]
fn the_older_form_of_an_edit_is_taken_too() {
    // fake-ls fills in values, not keys; therefore the edit is written with the real path, of one file.
    let files: [(&str, &[u8]); 1] = [("lib.py", LIB.as_bytes())];
    play(&files, Answers::Fake(script(json!({ "hold": true })), ""), async |stage| {
        let root = format!("file://{}", stage.path("").display());
        let uri = format!("{}/lib.py", root.trim_end_matches('/'));
        let script_file = stage.path("").parent().unwrap().join("script.json");
        let mut script: Value =
            serde_json::from_str(&std::fs::read_to_string(&script_file).unwrap()).unwrap();
        script["on"]["textDocument/rename"] =
            json!([{ "answer": { "changes": { (uri): [edit(0, 4), edit(6, 15)] } } }]);
        std::fs::write(&script_file, script.to_string()).unwrap();
        stage.done("rename_symbol", wanted()).await;
        assert_eq!(stage.text("lib.py"), renamed(LIB));
    });
}

#[test]
fn serenas_text_is_exactly_its_own() {
    play(&FILES, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        let reply = stage.serena("rename_symbol", wanted()).await;
        assert_eq!(reply.text, "Successfully renamed 'run' to 'go' (4 changes applied)");
        is_renamed(stage).await;
        let reply = stage.serena("rename_symbol", with("new_name", json!("1bad"))).await;
        assert!(reply.text.starts_with("Error: "), "{}", reply.text);
    });
}

/// A use that the server renames, and whose definitions are the symbol and another one with its name.
#[test]
fn a_use_that_may_mean_two_things_is_refused_and_by_serena_told() {
    let lib = "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n";
    let using = "def f(one):\n    one.run()\n";
    let files: [(&str, &[u8]); 2] = [("lib.py", lib.as_bytes()), ("use.py", using.as_bytes())];
    let changes = json!({ "{root}/lib.py": [edit(1, 8)], "{root}/use.py": [edit(1, 8)] });
    let both = [1, 6].map(|line| json!({ "uri": "{root}/lib.py", "range": range(line, 8, 11) }));
    let script = json!({
        "capabilities": { "renameProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/rename": [{ "answer": { "documentChanges": documents(&changes) } }],
            "textDocument/definition": [{ "answer": both }],
        },
    });
    play(&files, Answers::Fake(script, ""), async |stage| {
        let wanted = json!({ "name_path": "A/run", "relative_path": "lib.py", "new_name": "go" });
        let refused = stage.refused("rename_symbol", wanted.clone()).await;
        let why = "1 occurrence may refer to this 'run' or to another one, according to fake";
        assert!(refused.starts_with(why), "{refused}");
        let reply = stage.serena("rename_symbol", wanted).await;
        let told =
            format!("Successfully renamed 'A/run' to 'go' (2 changes applied)\n{why}\nuse.py:1: one.run()");
        assert_eq!(reply.text, told);
        assert_eq!(stage.text("use.py"), using.replace("run", "go"));
    });
}

#[test]
fn mentions_are_changed_when_asked_for() {
    play(&FILES, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        let done = stage.done("rename_symbol", with("include", json!(["comments", "strings"]))).await;
        assert!(!done.contains("mention"), "{done}");
        assert_eq!(stage.text("use.py"), USE.replace("run", "go"));
    });
}

#[test]
fn lying_ranges_are_refused() {
    refusal(
        more(document("use.py", json!([edit(99, 0)]))),
        "refers to a place that its text does not have (line 100",
    );
    refusal(more(document("use.py", json!([edit(1, 0)]))), "does not have");
    refusal(more(document("use.py", json!([edit(3, 4)]))), "would change `mai` on line 4");
    let other = json!([{ "range": range(5, 11, 16), "newText": "\"walk\"" }]);
    refusal(more(document("use.py", other)), "would change `\"run\"` on line 6 to `\"walk\"`");
}

#[test]
fn edits_outside_of_the_project_are_refused() {
    let outside =
        json!({ "textDocument": { "uri": "file:///etc/hostname", "version": null }, "edits": [edit(0, 0)] });
    // A library's members may have the same name: force renames the project's own.
    for outside in [outside, document("../elsewhere.py", json!([edit(0, 0)]))] {
        play(&FILES, answering(json!({ "documentChanges": more(outside) })), async |stage| {
            let text = stage.refused("rename_symbol", wanted()).await;
            assert!(text.contains("which is outside the project"), "{text}");
            let done = stage.done("rename_symbol", with("force", json!(true))).await;
            assert!(
                done.contains("outside the project, which symd does not do") && !done.contains("; complete]"),
                "{done}"
            );
        });
    }
    refusal(more(document(".git/config", json!([edit(0, 0)]))), "ignore rules");
    refusal(more(document("gone.py", json!([edit(0, 0)]))), "gone.py");
}

#[test]
fn overlaps_are_refused_and_repetitions_dropped() {
    let twice = json!([{ "range": range(4, 10, 13), "newText": "go" }, { "range": range(4, 4, 16), "newText": "print(go(2)" }]);
    play(&FILES, answering(json!({ "documentChanges": more(document("use.py", twice)) })), async |stage| {
        let done = stage.done("rename_symbol", wanted()).await;
        assert!(done.contains("2 edits given twice by the server"), "{done}");
        is_renamed(stage).await;
    });
    let differs = json!([{ "range": range(4, 10, 13), "newText": "run: go" }]);
    refusal(more(document("use.py", differs)), "overlap");
}

#[test]
fn a_stale_version_is_refused() {
    let stale = json!({ "textDocument": { "uri": "{root}/lib.py", "version": 0 }, "edits": [edit(0, 4)] });
    refusal(vec![stale], "for version 0 of lib.py");
}

#[test]
fn a_refusal_is_told_with_the_servers_reason() {
    let error = json!({ "error": { "code": -32803, "message": "it overrides Base.run" } });
    play(&FILES, Answers::Fake(script(error), ""), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert_eq!(text, "fake refuses textDocument/rename: it overrides Base.run");
    });
    let failure = json!({ "error": { "code": -32603, "message": "index out of bounds" } });
    play(&FILES, Answers::Fake(script(failure), ""), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.starts_with("fake failed: "), "{text}");
    });
    play(&FILES, answering(Value::Null), async |stage| {
        assert!(stage.refused("rename_symbol", wanted()).await.contains("refuses"));
    });
    let mut not_here = script(json!({ "answer": { "documentChanges": [] } }));
    not_here["on"]["textDocument/prepareRename"] = json!([{ "answer": null }]);
    play(&FILES, Answers::Fake(not_here, ""), async |stage| {
        assert!(
            stage.refused("rename_symbol", wanted()).await.contains("refuses textDocument/prepareRename")
        );
    });
}

#[test]
fn a_decorator_is_not_the_member_that_it_decorates() {
    let files: [(&str, &[u8]); 1] =
        [("lib.py", b"class Box:\n    @classmethod\n    def classmethod(cls):\n        return 1\n")];
    let edit = |line: u32, from: u32| json!({ "range": range(line, from, from + 11), "newText": "zz" });
    let change = json!({ "{root}/lib.py": [edit(1, 5), edit(2, 8)] });
    let script = json!({
        "capabilities": { "renameProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/rename": [{ "answer": { "documentChanges": documents(&change) } }],
            "textDocument/definition": [{ "answer": [] }],
        },
    });
    play(&files, Answers::Fake(script, ""), async |stage| {
        let wanted = json!({ "name_path": "Box/classmethod", "new_name": "zz" });
        let refused = stage.refused("rename_symbol", wanted).await;
        assert!(refused.contains("changes a decorator of 'classmethod' itself"), "{refused}");
        assert!(refused.contains("\n  lib.py:2: @classmethod"), "{refused}");
    });
}

#[test]
fn an_argument_that_any_parameter_takes_is_a_doubt() {
    let files: [(&str, &[u8]); 2] = [
        ("lib.py", b"class Point:\n    east: int\n\n\ndef moved(point, **changes):\n    return point\n"),
        ("use.py", b"import lib\n\nlib.moved(1, east=2)\n"),
    ];
    let change = json!({ "{root}/lib.py": [{ "range": range(1, 4, 8), "newText": "west" }] });
    let leads = |from: u32, to: u32| {
        json!({
            "capabilities": { "renameProvider": true, "definitionProvider": true },
            "on": {
                "textDocument/rename": [{ "answer": { "documentChanges": documents(&change) } }],
                "textDocument/definition": [{ "answer": [{ "uri": "{root}/lib.py", "range": range(4, from, to) }] }],
            },
        })
    };
    let wanted = json!({ "name_path": "Point/east", "new_name": "west" });
    play(&files, Answers::Fake(leads(19, 26), ""), async |stage| {
        assert!(
            stage.refused("rename_symbol", wanted.clone()).await.contains("use.py:3: lib.moved(1, east=2)")
        );
    });
    // A parameter of the same length may be that very one.
    play(&files, Answers::Fake(leads(10, 14), ""), async |stage| {
        assert!(stage.done("rename_symbol", wanted.clone()).await.contains("; complete]"));
    });
}

#[test]
fn uses_of_which_nothing_is_known_refuse_or_are_renamed_too() {
    let files: [(&str, &[u8]); 2] = [
        ("lib.py", b"class Box:\n    def get(self):\n        return 1\n"),
        ("use.py", b"def f(box):\n    return box.get()\n"),
    ];
    let change = json!({ "{root}/lib.py": [{ "range": range(1, 8, 11), "newText": "zz" }] });
    let script = json!({
        "capabilities": { "renameProvider": true, "definitionProvider": true },
        "on": {
            "textDocument/rename": [{ "answer": { "documentChanges": documents(&change) } }],
            "textDocument/definition": [{ "answer": [] }],
        },
    });
    play(&files, Answers::Fake(script, ""), async |stage| {
        let before = stage.tree();
        let mut wanted = json!({ "name_path": "Box/get", "new_name": "zz" });
        let refused = stage.refused("rename_symbol", wanted.clone()).await;
        assert!(
            refused.contains("nor syntax can determine the meaning of 1 occurrence of 'get'"),
            "{refused}"
        );
        assert!(refused.contains("include: [\"unchecked\"] renames them too"), "{refused}");
        assert!(refused.contains("\n  use.py:2: return box.get()"), "{refused}");
        wanted["include"] = json!(["unchecked"]);
        let done = stage.done("rename_symbol", wanted).await;
        assert!(stage.text("use.py").contains("box.zz()") && !done.contains("; complete]"), "{done}");
        stage.undo().await;
        assert!(stage.tree() == before);
        // serena's rename has no such option: it renames the known uses and reports the rest.
        let wanted = json!({ "name_path": "Box/get", "relative_path": "lib.py", "new_name": "zz" });
        let done = stage.serena("rename_symbol", wanted).await.text;
        assert!(
            done.contains("(1 changes applied)\n") && done.contains("use.py:1: return box.get()"),
            "{done}"
        );
    });
}

#[test]
fn what_the_server_leaves_out_though_it_leads_there_is_renamed_too() {
    let lacking = json!({ "{root}/lib.py": [edit(0, 4), edit(6, 15)], "{root}/use.py": [edit(0, 16)] });
    play(&FILES, answering(json!({ "documentChanges": documents(&lacking) })), async |stage| {
        let done = stage.done("rename_symbol", wanted()).await;
        let note = "note: 1 occurrence that fake omitted and that refers to 'run', renamed too\n  use.py:5: print(run(2))";
        assert!(done.contains(note), "{done}");
        is_renamed(stage).await;
    });
    // The server must know the symbol that was asked about.
    let no_declaration = json!({ "{root}/use.py": [edit(0, 16), edit(4, 10)] });
    play(&FILES, answering(json!({ "documentChanges": documents(&no_declaration) })), async |stage| {
        assert!(stage.refused("rename_symbol", wanted()).await.contains("does not rename the declaration"));
    });
}

#[test]
fn an_unproven_server_is_held_against_package_and_imports() {
    let other = "def run():\n    return 0\n\n\nrun()\n";
    let files: [(&str, &[u8]); 3] = [FILES[0], FILES[1], ("other.py", other.as_bytes())];
    let too_much = json!({ "documentChanges": more(document("other.py", json!([edit(4, 0)]))) });
    play(
        &files,
        Answers::Fake(script(json!({ "answer": too_much })), "rename = \"unproven\""),
        async |stage| {
            let text = stage.refused("rename_symbol", wanted()).await;
            assert!(text.contains("contradict 1 edit") && text.contains("\n  other.py:5: run()"), "{text}");
        },
    );
    let right = json!({ "documentChanges": documents(&truth()) });
    play(&files, Answers::Fake(script(json!({ "answer": right })), "rename = \"unproven\""), async |stage| {
        stage.done("rename_symbol", wanted()).await;
        is_renamed(stage).await;
    });
}

#[test]
fn annotations_and_file_operations_go_into_the_same_edit() {
    let mut changes = documents(&truth());
    changes[0]["edits"][0]["annotationId"] = json!("a");
    changes.push(json!({ "kind": "rename", "oldUri": "{root}/lib.py", "newUri": "{root}/pkg/go.py" }));
    changes.push(json!({ "kind": "create", "uri": "{root}/new.py" }));
    let start = json!([{ "range": range(0, 0, 0), "newText": "a = 1\n" }, { "range": range(0, 0, 0), "newText": "b = 2\n" }]);
    changes.push(document("new.py", start));
    // Positions refer to the result of the step before.
    changes.push(document("new.py", json!([{ "range": range(1, 4, 5), "newText": "\u{1F600}" }])));
    let annotations = json!({ "a": { "label": "Declaration", "needsConfirmation": true } });
    let answer = json!({ "documentChanges": changes, "changeAnnotations": annotations });
    let mut script = script(json!({ "answer": answer }));
    script["capabilities"]["workspace"] = json!({ "fileOperations": { "willRename": {}, "didRename": {} } });
    let import = json!([{ "range": range(0, 5, 8), "newText": "pkg.go" }]);
    script["on"]["workspace/willRenameFiles"] =
        json!([{ "answer": { "documentChanges": [document("use.py", import)] } }]);
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let before = stage.tree();
        let done = stage.done("rename_symbol", wanted()).await;
        assert!(done.contains("lib.py renamed to pkg/go.py"), "{done}");
        assert!(
            done.contains("note: the server says: Declaration (the server wants this confirmed)"),
            "{done}"
        );
        assert_eq!(stage.text("pkg/go.py"), renamed(LIB));
        assert_eq!(stage.text("use.py"), renamed(USE).replace("from lib", "from pkg.go"));
        assert_eq!(stage.text("new.py"), "a = 1\nb = \u{1F600}\n");
        assert!(done.contains("\nnew.py: 3\n"), "{done}");
        assert!(!stage.path("lib.py").exists());
        // After a second question the notification has been sent.
        let again = json!({ "name_path": "go", "relative_path": "pkg/go.py", "new_name": "x" });
        stage.reply("rename_symbol", again).await;
        assert!(stage.log().contains("workspace/didRenameFiles"));
        stage.undo().await;
        assert!(stage.tree() == before);
    });
}

/// Plays a code action with this edit.
fn action(files: &[(&str, &[u8])], changes: Value, test: impl AsyncFnOnce(&Stage)) {
    let script = json!({
        "capabilities": { "codeActionProvider": true },
        "on": { "textDocument/codeAction": [{ "answer": [{ "title": "act", "edit": { "documentChanges": changes } }] }] },
    });
    play(files, Answers::Fake(script, ""), test);
}

fn act() -> Value {
    json!({ "relative_path": "lib.py", "start_line": 1, "title": "act" })
}

#[test]
fn a_symbol_moves_to_a_file_that_is_made_for_it() {
    let body = "def run(x):\n    return x\n";
    let cut = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let changes = json!([
        { "kind": "create", "uri": "{root}/pkg/moved.py" },
        document("pkg/moved.py", json!([{ "range": range(0, 0, 0), "newText": body }])),
        document("lib.py", json!([{ "range": cut, "newText": "from pkg.moved import run\n" }])),
    ]);
    action(&FILES, changes, async |stage| {
        let before = stage.tree();
        let mut shown = act();
        shown["dry_run"] = json!(true);
        let diff = stage.done("apply_code_action", shown).await;
        assert!(diff.contains("+++ b/pkg/moved.py") && stage.tree() == before, "{diff}");
        let done = stage.done("apply_code_action", act()).await;
        assert!(done.starts_with("lib.py: 1\npkg/moved.py: 1\n"), "{done}");
        assert_eq!(stage.text("pkg/moved.py"), body);
        assert_eq!(stage.text("lib.py"), LIB.replace(body, "from pkg.moved import run\n"));
        stage.undo().await;
        assert!(stage.tree() == before);
    });
    // A created file may be created elsewhere, not at all, or in place of an existing one.
    let changes = json!([
        { "kind": "create", "uri": "{root}/a.py" },
        document("a.py", json!([{ "range": range(0, 0, 0), "newText": "1\n" }])),
        { "kind": "rename", "oldUri": "{root}/a.py", "newUri": "{root}/b.py" },
        { "kind": "create", "uri": "{root}/c.py" },
        { "kind": "delete", "uri": "{root}/c.py" },
        { "kind": "create", "uri": "{root}/use.py", "options": { "overwrite": true } },
        document("use.py", json!([{ "range": range(0, 0, 0), "newText": "2\n" }])),
    ]);
    action(&FILES, changes, async |stage| {
        let before = stage.tree();
        stage.done("apply_code_action", act()).await;
        assert_eq!((stage.text("b.py").as_str(), stage.text("use.py").as_str()), ("1\n", "2\n"));
        assert!(!stage.path("a.py").exists() && !stage.path("c.py").exists());
        stage.undo().await;
        assert!(stage.tree() == before);
    });
    let lies = json!([
        { "kind": "create", "uri": "{root}/a.py" },
        document("a.py", json!([{ "range": range(3, 0, 0), "newText": "1\n" }])),
    ]);
    action(&FILES, lies, async |stage| {
        let text = stage.refused("apply_code_action", act()).await;
        assert!(
            text.contains("the server's edit of a.py refers to a place that its text does not have"),
            "{text}"
        );
    });
}

#[test]
fn a_directory_gets_another_name() {
    let files: [(&str, &[u8]); 4] =
        [FILES[0], ("pkg/a.py", b"a = 1\n"), ("pkg/sub/b.py", b"\xEF\xBB\xBFb = 2\r\n"), ("pkg/data", b"\0")];
    let changes = json!([
        { "kind": "rename", "oldUri": "{root}/pkg", "newUri": "{root}/new/place" },
        document("new/place/a.py", json!([{ "range": range(0, 4, 5), "newText": "3" }])),
    ]);
    action(&files, changes, async |stage| {
        let before = stage.tree();
        let done = stage.done("apply_code_action", act()).await;
        assert!(done.contains("pkg/sub/b.py renamed to new/place/sub/b.py"), "{done}");
        assert_eq!(stage.text("new/place/a.py"), "a = 3\n");
        assert_eq!(stage.bytes("new/place/sub/b.py"), files[2].1);
        assert_eq!(stage.bytes("new/place/data"), b"\0");
        assert_eq!(stage.tree().len(), before.len());
        stage.undo().await;
        assert!(stage.tree() == before);
    });
    let taken = json!([{ "kind": "rename", "oldUri": "{root}/pkg", "newUri": "{root}/pkg/sub/x" }]);
    action(&files, taken, async |stage| {
        stage.refused("apply_code_action", act()).await;
    });
    let taken = json!([{ "kind": "rename", "oldUri": "{root}/pkg", "newUri": "{root}/lib.py" }]);
    action(&files, taken, async |stage| {
        let text = stage.refused("apply_code_action", act()).await;
        assert!(text.contains("needs the path lib.py for a file, but it exists already"), "{text}");
    });
}

#[test]
fn a_file_in_the_way_is_never_replaced() {
    for options in [json!({}), json!({ "overwrite": true })] {
        let taken = json!({ "kind": "rename", "oldUri": "{root}/lib.py", "newUri": "{root}/use.py", "options": options });
        refusal(more(taken), "needs the path use.py for a file, but it exists already");
    }
    let away = json!({ "kind": "rename", "oldUri": "{root}/lib.py", "newUri": "file:///tmp/lib.py" });
    refusal(more(away), "outside the project");
}

#[test]
fn bad_names_never_reach_the_server() {
    play(&FILES, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        for (name, says) in [
            ("", "empty"),
            ("class", "keyword of python"),
            ("a b", "white space"),
            ("1bad", "cannot begin with '1'"),
            ("a/b", "is a path"),
            ("a\\b", "is a path"),
            ("a.b", "is a path"),
            ("a-b", "'-'"),
            ("run", "already its name"),
        ] {
            let text = stage.refused("rename_symbol", with("new_name", json!(name))).await;
            assert!(text.contains(says), "{name:?}: {text}");
        }
        assert!(
            stage.refused("rename_symbol", with("name_path", json!("nobody"))).await.contains("No symbol")
        );
        assert!(!stage.path("").parent().unwrap().join("log").exists(), "the server was not even started");
    });
}

#[test]
fn names_in_the_way_are_refused() {
    let user = format!("{USE}\n\ndef go():\n    pass\n");
    let files: [(&str, &[u8]); 2] = [("lib.py", LIB.as_bytes()), ("use.py", user.as_bytes())];
    play(&files, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.starts_with("'go' is taken where 'run' is declared or used"), "{text}");
        assert!(text.contains("\n  use.py:9: def go():"), "{text}");
    });
    let lib = format!("{LIB}\ngo = 3\n");
    let files: [(&str, &[u8]); 2] = [("lib.py", lib.as_bytes()), ("use.py", USE.as_bytes())];
    play(&files, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        assert!(stage.refused("rename_symbol", wanted()).await.contains("\n  lib.py:9: go = 3"));
    });
}

#[test]
fn names_that_would_mean_something_else_are_refused() {
    let lib = format!("import go\n{LIB}");
    let edits =
        json!({ "{root}/lib.py": [edit(1, 4), edit(7, 15)], "{root}/use.py": [edit(0, 16), edit(4, 10)] });
    let mut with_import = script(json!({ "answer": { "documentChanges": documents(&edits) } }));
    let name = json!([{ "answer": { "range": range(1, 4, 7), "placeholder": "run" } }]);
    with_import["on"]["textDocument/prepareRename"] = name;
    let files: [(&str, &[u8]); 2] = [("lib.py", lib.as_bytes()), FILES[1]];
    play(&files, Answers::Fake(with_import.clone(), ""), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.contains("\n  lib.py:1: import go"), "{text}");
        let before = stage.tree();
        let reply = stage.serena("rename_symbol", wanted()).await;
        assert!(reply.text.starts_with("Error: 'go' is taken") && stage.tree() == before, "{}", reply.text);
        let done = stage.done("rename_symbol", with("force", json!(true))).await;
        assert!(done.contains("note: 'go' is already in use here\n  lib.py:1: import go"), "{done}");
    });
    // Also a name without a declaration, wherever it comes from.
    let user = USE.replace("print(run(2))", "print(run(2), go)");
    let files: [(&str, &[u8]); 2] = [FILES[0], ("use.py", user.as_bytes())];
    play(&files, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.contains("\n  use.py:5: print(run(2), go)"), "{text}");
    });
    // The same without a server.
    play(&files, Answers::NoServer, async |stage| {
        let text = stage.refused("rename_symbol", wanted()).await;
        assert!(text.contains("\n  use.py:5: print(run(2), go)"), "{text}");
    });
    // Members of other things, keyword arguments and strings do not conflict.
    let user = USE.replace("print(run(2))", "print(run(2), x.go, f(go=1), 'go')");
    let files: [(&str, &[u8]); 2] = [FILES[0], ("use.py", user.as_bytes())];
    play(&files, answering(json!({ "documentChanges": documents(&truth()) })), async |stage| {
        stage.done("rename_symbol", wanted()).await;
    });
}

#[test]
fn an_applied_code_action_collects_what_its_command_asks_for() {
    let wished = json!({ "edit": { "documentChanges": [document("lib.py", json!([{ "range": range(1, 11, 12), "newText": "y" }]))] } });
    let script = json!({
        "capabilities": { "codeActionProvider": { "resolveProvider": true }, "executeCommandProvider": { "commands": ["c"] } },
        "on": {
            "textDocument/codeAction": [{ "answer": [
                { "title": "by edit", "data": 7 },
                { "title": "by command", "command": { "title": "x", "command": "c", "arguments": [1] } },
                { "title": "never", "disabled": { "reason": "not in Python" } },
            ] }],
            "codeAction/resolve": [
                [{ "answer": { "title": "by edit", "edit": { "documentChanges": [document("lib.py", json!([{ "range": range(0, 8, 9), "newText": "z" }]))] } } }],
                [{ "answer": { "title": "by command", "command": { "title": "x", "command": "c", "arguments": [1] } } }],
            ],
            "workspace/executeCommand": [
                { "request": { "method": "workspace/applyEdit", "params": wished } },
                { "answer": null },
            ],
        },
    });
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let ask = |title: &str| json!({ "relative_path": "lib.py", "start_line": 1, "title": title });
        stage.done("apply_code_action", ask("by edit")).await;
        assert!(stage.text("lib.py").starts_with("def run(z):\n    return x\n"));
        stage.done("apply_code_action", ask("by command")).await;
        assert!(stage.text("lib.py").starts_with("def run(z):\n    return y\n"));
        assert!(stage.refused("apply_code_action", ask("never")).await.contains("not in Python"));
        let text = stage.refused("apply_code_action", ask("nothing")).await;
        assert!(text.contains("it offers only: by edit, by command, never"), "{text}");
        let log = stage.log();
        assert!(log.contains(r#""applied":true"#), "{log}");
    });
}

#[test]
fn formatting_is_an_edit_like_any_other() {
    let script = json!({
        "capabilities": { "documentFormattingProvider": true, "documentRangeFormattingProvider": true },
        "on": {
            "textDocument/formatting": [{ "answer": [
                { "range": range(1, 0, 4), "newText": "  " }, { "range": range(0, 0, 3), "newText": "def" },
            ] }],
            "textDocument/rangeFormatting": [{ "answer": null }],
        },
    });
    play(&FILES, Answers::Fake(script, ""), async |stage| {
        let shown = stage.done("format", json!({ "relative_path": "lib.py", "dry_run": true })).await;
        assert!(shown.contains("-    return x\n+  return x\n"), "{shown}");
        let done = stage.done("format", json!({ "relative_path": "lib.py" })).await;
        assert!(done.starts_with("lib.py: 1\n[1 change in 1 file; fake; "), "{done}");
        assert!(stage.text("lib.py").starts_with("def run(x):\n  return x\n"));
        let nothing =
            stage.done("format", json!({ "relative_path": "lib.py", "start_line": 2, "end_line": 3 })).await;
        assert!(nothing.starts_with("Nothing to change."), "{nothing}");
        let request = stage.log().lines().rfind(|line| line.contains("rangeFormatting")).unwrap().to_owned();
        assert!(
            request.contains(r#""insertSpaces":true"#)
                && request.contains(r#""start":{"character":0,"line":1}"#),
            "{request}"
        );
    });
}
