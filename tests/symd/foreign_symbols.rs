//! Symbols of a language without a grammar (ruby), outlined by a server that plays a script: found like any
//! others, reported as missing where they are, and cached.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use symd::base::Cancel;
use symd::config::Languages;
use symd::ops::Project;
use symd::toolsets::{Call, Outcome, Reply, native, serena};

use crate::lsp_stage::{fake_ls, fifo, let_on};
use crate::opened::Opening;
use crate::servers::{real_program, real_server};
use crate::support::{PATIENCE, write};

const SHOP: &str = "class Shop\n  def open\n    1\n  end\n  def close; end\nend\n";

/// A project whose Ruby files have a server that plays a script; its directories outlive this value.
struct Stage {
    at: PathBuf,
    project: Project,
}

/// A range, by lines and characters.
fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

fn symbol(name: &str, kind: u8, whole: Value, own: Value, children: Value) -> Value {
    json!({ "name": name, "kind": kind, "range": whole, "selectionRange": own, "children": children })
}

/// Returns the symbols of `SHOP`, as a tree.
fn shop() -> Value {
    json!([symbol(
        "Shop",
        5,
        range((0, 0), (5, 3)),
        range((0, 6), (0, 10)),
        json!([
            symbol("open", 6, range((1, 2), (3, 5)), range((1, 6), (1, 10)), json!([])),
            symbol("close", 6, range((4, 2), (4, 16)), range((4, 6), (4, 11)), json!([])),
        ]),
    )])
}

/// Returns the script of a server that answers `textDocument/documentSymbol` with these steps.
fn outlines(steps: Value) -> Value {
    json!({ "capabilities": { "documentSymbolProvider": true }, "on": { "textDocument/documentSymbol": steps } })
}

impl Stage {
    /// Must be called within a runtime.
    fn new(at: &Path, mut script: Value) -> Stage {
        std::fs::create_dir_all(at.join("installed/rubyls/bin")).unwrap();
        script["log"] = at.join("log").to_str().unwrap().into();
        write(&at.join("script.json"), &script.to_string());
        let program = at.join("installed/rubyls/bin/rubyls");
        if script["absent"] != true && !program.exists() {
            std::os::unix::fs::symlink(fake_ls(), program).unwrap();
        }
        let toml = format!(
            "[language-server.rubyls]\ncommand = \"rubyls\"\nargs = [{:?}]\nreadiness = {{ start-grace-ms = 0 }}\n\
             install = [{{ registry = \"npm\", package = \"rubyls\", version = \"1.0.0\" }}]\n\
             [[language]]\nname = \"ruby\"\nfile-types = [\"rb\"]\nlanguage-servers = [\"rubyls\"]\n",
            at.join("script.json")
        );
        Stage::with(at, Opening::new(at, &toml))
    }

    /// Opens a stage with these languages and servers, and a cache of the index that outlives the stage.
    fn with(at: &Path, opening: Opening) -> Stage {
        let project = Opening { cache: Some(at.join("cache")), ..opening }.open(at);
        Stage { at: at.to_owned(), project }
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.at.join("project").join(name), text);
    }

    async fn reply(&self, tools: &'static symd::toolsets::Toolset, tool: &str, arguments: Value) -> Reply {
        let tool = tools.tools.iter().find(|known| known.name == tool).unwrap();
        let arguments = arguments.as_object().unwrap().clone();
        let call = Call {
            project: &self.project,
            toolset: tools,
            tool: tool.name,
            arguments,
            client: Arc::default(),
            outgoing: None,
            approved: symd::toolsets::ApprovalSource::ByPolicy,
            cancel: Cancel::new(),
        };
        tokio::time::timeout(PATIENCE, tool.run(call)).await.expect("answered in time")
    }

    async fn ask(&self, tool: &str, arguments: Value) -> Reply {
        self.reply(&native::NATIVE, tool, arguments).await
    }

    async fn find(&self, name: &str) -> String {
        let reply = self.ask("find_symbol", json!({ "name_path_pattern": name })).await;
        assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
        reply.text
    }

    /// Repeats the request until the answer is complete: the request does not wait for a server that is not
    /// ready.
    async fn found(&self, name: &str) -> String {
        let all = async {
            loop {
                let text = self.find(name).await;
                if text.ends_with("; complete]") {
                    return text;
                }
            }
        };
        tokio::time::timeout(PATIENCE, all).await.expect("outlined in time")
    }

    async fn overview(&self, file: &str) -> Reply {
        self.ask("get_symbols_overview", json!({ "relative_path": file })).await
    }

    /// Returns how often the server received that method.
    fn times(&self, method: &str) -> usize {
        let log = std::fs::read_to_string(self.at.join("log")).unwrap_or_default();
        let received = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        received.filter(|message| message["method"] == method).count()
    }

    async fn end(self) {
        self.project.servers.shutdown().await;
        self.project.engine.shutdown().await;
    }
}

/// Runs a test in a runtime, in a scratch directory.
fn play<F: Future<Output = ()>>(test: impl FnOnce(PathBuf) -> F) {
    let scratch = tempfile::tempdir().unwrap();
    let at = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(at.join("project")).unwrap();
    write(&at.join("project/shop.rb"), SHOP);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(test(at));
}

#[test]
fn symbols_are_found_shown_and_named() {
    play(async |at| {
        let stage = Stage::new(&at, outlines(json!([{ "answer": shop() }])));
        let overview = stage.overview("shop.rb").await;
        let lines: Vec<&str> = overview.text.lines().collect();
        assert_eq!(lines[..4], ["shop.rb", " 1-6 class Shop", "  2-4 method open", "  5 method close; end"]);
        let text = stage.found("Shop/open").await;
        assert!(text.starts_with("shop.rb:2-4 method Shop/open\n"), "{text}");
        let body = json!({ "name_path_pattern": "open", "include_body": true });
        let text = stage.ask("find_symbol", body).await.text;
        assert!(text.contains("\n  def open\n    1\n  end\n"), "{text}");
        let serena = json!({ "name_path_pattern": "Shop/close", "include_body": true });
        let text = stage.reply(&serena::SERENA, "find_symbol", serena).await.text;
        assert!(text.contains("\"body\": \"def close; end\""), "{text}");
        assert_eq!(stage.times("textDocument/documentSymbol"), 1, "it was asked once for the file as it is");
        stage.end().await;
    });
}

#[test]
fn what_is_written_is_outlined_anew_and_at_once() {
    play(async |at| {
        let other = json!([symbol("Mall", 5, range((0, 0), (1, 3)), range((0, 6), (0, 10)), json!([]))]);
        let script = outlines(json!([[{ "answer": shop() }], [{ "answer": other }]]));
        let stage = Stage::new(&at, script);
        stage.found("Shop").await;
        stage.write("shop.rb", "class Mall\nend\n");
        let text = stage.find("Mall").await;
        assert!(text.starts_with("shop.rb:1-2 class Mall\n"), "{text}");
        let text = stage.find("Shop").await;
        assert!(text.starts_with("No symbols match.") && text.ends_with("; complete]"), "{text}");
        stage.end().await;
    });
}

#[test]
fn a_server_that_is_loading_is_said_to_be() {
    play(async |at| {
        let gate = fifo(&at.join("gate"));
        let mut script = outlines(json!([{ "answer": shop() }]));
        script["on"]["initialize"] = json!([{ "wait_for": gate }]);
        let stage = Stage::new(&at, script);
        stage.write("a.py", "def known(): pass\n");
        let text = stage.find("Shop").await;
        assert!(text.contains("; incomplete: 1 ruby file has no outline: rubyls is not ready yet"), "{text}");
        let text = stage.find("known").await;
        assert!(text.starts_with("a.py:1 function known"), "others are answered meanwhile: {text}");
        assert!(text.ends_with("; complete]"), "the ruby file does not hold the name: {text}");
        let as_json = json!({ "name_path_pattern": "Shop", "format": "json" });
        let reply: Value = serde_json::from_str(&stage.ask("find_symbol", as_json).await.text).unwrap();
        assert_eq!(reply["complete"], false);
        assert!(reply["notes"][0].as_str().unwrap().starts_with("1 ruby file has no outline"), "{reply}");
        let_on(&gate).await;
        assert!(stage.found("Shop").await.starts_with("shop.rb:1-6 class Shop"));
        stage.end().await;
    });
}

#[test]
fn without_a_server_the_next_step_is_said() {
    play(async |at| {
        let mut script = outlines(json!([]));
        script["absent"] = true.into();
        let stage = Stage::new(&at, script);
        stage.write("b.rb", "class B; end\n");
        stage.write("a.py", "def known(): pass\n");
        let text = stage.find("Shop").await;
        assert!(text.contains("; incomplete: 1 ruby file has no outline: no language server: "), "{text}");
        assert!(text.contains("`symd install ruby`"), "{text}");
        for name in ["known", "nowhere", "Shop/nowhere", "Shopper"] {
            let text = stage.find(name).await;
            assert!(text.ends_with("; complete]"), "no ruby file can hold the answer: {text}");
        }
        let within = json!({ "name_path_pattern": "Shop", "relative_path": "a.py" });
        let text = stage.ask("find_symbol", within).await.text;
        assert!(text.ends_with("; complete]"), "the question is not about ruby: {text}");
        // That a file lacks a name is known until the file changes.
        for (text, files) in [("def nowhere; end\n", 1), ("def b; end\n", 0), ("NOWHERE = nowhere\n", 1)] {
            std::fs::remove_file(stage.at.join("project/b.rb")).unwrap();
            stage.write("b.rb", text);
            for _ in 0..2 {
                let answer = stage.find("nowhere").await;
                let is_told = answer.contains("; incomplete: 1 ruby file has no outline");
                assert_eq!(is_told, files == 1, "{text}: {answer}");
            }
        }
        let reply = stage.overview("b.rb").await;
        assert_eq!(reply.outcome, Outcome::NoServer);
        assert!(
            reply.text.starts_with("b.rb has no outline: symd has no grammar for it, and "),
            "{}",
            reply.text
        );
        assert!(reply.text.contains("`symd install ruby`"), "{}", reply.text);
        let arguments = json!({ "relative_path": "b.rb" });
        let reply = stage.reply(&serena::SERENA, "get_symbols_overview", arguments).await;
        assert_eq!(reply.outcome, Outcome::NoServer);
        assert!(
            reply.text.starts_with("Error: ") && reply.text.contains("`symd install ruby`"),
            "{}",
            reply.text
        );
        stage.end().await;
    });
}

#[test]
fn one_file_that_a_server_dies_of_costs_no_other() {
    play(async |at| {
        let mut script = outlines(json!([{ "answer": shop() }]));
        script["on"]["textDocument/documentSymbol bad.rb"] = json!([{ "stderr": "boom" }, { "exit": 3 }]);
        let stage = Stage::new(&at, script);
        stage.write("bad.rb", "class Bad; end # Shop\n");
        for number in 0..20 {
            stage.write(&format!("shop{number}.rb"), &format!("{SHOP}# {number}\n"));
        }
        let settled = async {
            loop {
                let text = stage.find("Shop").await;
                let is_left = text.contains("not requested again until the file changes");
                if is_left && text.contains("1 ruby file has no outline") {
                    return text;
                }
            }
        };
        let text = tokio::time::timeout(PATIENCE, settled).await.expect("all others are outlined");
        assert!(text.contains("[21 symbols;"), "{text}");
        assert!(text.contains("; incomplete: 1 ruby file has no outline: bad.rb: rubyls failed: "), "{text}");
        let asked = stage.times("textDocument/documentSymbol");
        stage.find("Shop").await;
        assert_eq!(stage.times("textDocument/documentSymbol"), asked, "it is left alone");
        stage.end().await;
    });
}

#[test]
fn what_no_file_of_its_language_holds_starts_no_server() {
    play(async |at| {
        let stage = Stage::new(&at, outlines(json!([{ "answer": shop() }])));
        stage.write("a.py", "class Flask:\n    def run(self): pass\n");
        for name in ["Flask/run", "nowhere", "Shop/nowhere", "Flask/add"] {
            let text = stage.find(name).await;
            assert!(text.ends_with("; complete]"), "{name}: {text}");
            let uses = json!({ "name_path": name });
            let text = stage.ask("find_referencing_symbols", uses).await.text;
            assert!(!text.contains("ruby"), "{name}: {text}");
        }
        assert!(!at.join("log").exists(), "the server was started");
        assert!(stage.found("Shop/open").await.starts_with("shop.rb"));
        stage.end().await;
    });
}

#[test]
fn a_restart_asks_no_server() {
    play(async |at| {
        let stage = Stage::new(&at, outlines(json!([{ "answer": shop() }])));
        stage.found("Shop").await;
        stage.end().await;
        std::fs::remove_file(at.join("log")).unwrap();
        let stage = Stage::new(&at, outlines(json!([{ "answer": shop() }])));
        let text = stage.find("Shop").await;
        assert!(text.starts_with("shop.rb:1-6 class Shop\n") && text.ends_with("; complete]"), "{text}");
        assert!(!at.join("log").exists(), "the server was started");
        stage.end().await;
    });
}

#[test]
fn flat_lists_and_ranges_that_lie() {
    play(async |at| {
        let flat = |name: &str, kind: u8, range: Value, container: &str| {
            let place = json!({ "uri": "{uri}", "range": range });
            json!({ "name": name, "kind": kind, "location": place, "containerName": container })
        };
        let list = json!([
            flat("Shop", 5, range((0, 0), (5, 3)), ""),
            flat("open", 6, range((1, 2), (3, 5)), "Shop"),
            flat("beyond", 6, range((90, 0), (91, 0)), "Shop"),
            flat("backwards", 6, range((3, 0), (1, 0)), "Shop"),
        ]);
        let mut script = outlines(json!([{ "answer": list }]));
        let lies = symbol("far", 6, range((0, 0), (0, 5)), range((4, 6), (4, 11)), json!([]));
        script["on"]["textDocument/documentSymbol lies.rb"] = json!([{ "answer": [lies] }]);
        let stage = Stage::new(&at, script);
        stage.write("lies.rb", SHOP);
        let reply = stage.overview("shop.rb").await;
        let names: Vec<&str> =
            reply.text.lines().skip(1).filter_map(|line| line.trim_start().split(' ').nth(2)).collect();
        assert_eq!(names[..2], ["Shop", "open"], "{}", reply.text);
        assert!(!reply.text.contains("beyond") && !reply.text.contains("backwards"), "{}", reply.text);
        let body = json!({ "name_path_pattern": "open", "relative_path": "shop.rb", "include_body": true });
        let text = stage.ask("find_symbol", body).await.text;
        assert!(text.contains("def open\n    1\n  end"), "{text}");
        let reply = stage.overview("lies.rb").await;
        assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
        stage.end().await;
    });
}

#[test]
fn references_name_symbols_of_such_files() {
    play(async |at| {
        let mut script = outlines(json!([{ "answer": shop() }]));
        script["capabilities"]["referencesProvider"] = true.into();
        let place = json!({ "uri": "{root}/use.rb", "range": range((0, 9), (0, 13)) });
        script["on"]["textDocument/references"] = json!([{ "answer": [place] }]);
        let stage = Stage::new(&at, script);
        stage.write("use.rb", "Shop.new.open\n");
        let arguments = json!({ "name_path": "Shop/open", "relative_path": "shop.rb", "wait": "ready" });
        let reply = stage.ask("find_referencing_symbols", arguments).await;
        assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
        assert!(
            reply.text.starts_with("use.rb:1: Shop.new.open\n[1 reference in 1 file; rubyls;"),
            "{}",
            reply.text
        );
        stage.end().await;
    });
}

#[test]
fn a_real_server_outlines_shell_scripts() {
    let Some(servers) = real_server("bash-language-server") else { return };
    if !real_program("node") {
        return;
    }
    play(async |at| {
        let languages = Languages::builtin().clone();
        let search_path = std::env::var_os("PATH").unwrap();
        let stage =
            Stage::with(&at, Opening { languages, installed: servers, search_path, ..Opening::new(&at, "") });
        stage.write("deploy.sh", "#!/bin/sh\nTARGET=here\n\nship() {\n  echo \"$TARGET\"\n}\n\nship\n");
        let overview = stage.overview("deploy.sh").await;
        assert_eq!(overview.outcome, Outcome::Done, "{}", overview.text);
        assert!(overview.text.contains("\n 4-6 function ship"), "{}", overview.text);
        let body = json!({ "name_path_pattern": "ship", "include_body": true });
        let text = stage.ask("find_symbol", body).await.text;
        assert!(text.contains("ship() {\n  echo \"$TARGET\"\n}\n"), "{text}");
        stage.write("deploy.sh", "launch() {\n  true\n}\n");
        let text = stage.find("launch").await;
        assert!(text.starts_with("deploy.sh:1-3 function launch"), "{text}");
        stage.end().await;
    });
}
