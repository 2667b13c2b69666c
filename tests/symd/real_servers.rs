//! Real language servers with the real daemon, on small projects: whole answers, freshness, readiness, trust,
//! and that nothing is left running. A missing prerequisite of a test is recorded (`servers.rs`).

mod clangd;
mod go;
mod kotlin;
mod mixed;
mod pyright;
mod ty;
mod ty_life;
mod web;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::lsp_stage::Watched;
use crate::servers::real_server;
use crate::support::{User, write};

/// A project whose languages have exactly the servers named.
pub struct Real {
    pub user: User,
}

impl Real {
    /// Creates a project with `chosen`, pairs of a language and its only server. `None`: a server is missing,
    /// which has been recorded.
    #[track_caller]
    pub fn new(chosen: &[(&str, &str)]) -> Option<Real> {
        let user = User::new();
        std::fs::create_dir_all(user.path("data/servers")).unwrap();
        let mut toml = String::new();
        for (language, server) in chosen {
            let installed = real_server(server)?.join(server);
            let link = user.path("data/servers").join(server);
            if !link.exists() {
                std::os::unix::fs::symlink(installed.canonicalize().unwrap(), link).unwrap();
            }
            toml.push_str(&format!(
                "[[language]]\nname = \"{language}\"\nlanguage-servers = [\"{server}\"]\n"
            ));
        }
        write(&user.path("config/languages.toml"), &toml);
        // On a busy machine a real server takes longer than the second after which syntax answers.
        write(&user.path("config/config.toml"), "server_answer_ms = 60000\n");
        Some(Real { user })
    }

    /// Writes these files: the text after each line `//- name`.
    pub fn with(self, files: &str) -> Real {
        for file in files.split("//- ").skip(1) {
            let (name, text) = file.split_once('\n').unwrap();
            self.write(name, text);
        }
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.user.path("project").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }

    pub fn copy(&self, from: &Path) {
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.copy(&path);
            } else {
                let name = path.strip_prefix(demo()).unwrap();
                self.write(name.to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    pub fn trust(&self) {
        self.user.check(&["trust", "--yes"], 0);
    }

    /// Returns a tool's answer with the servers as they are now.
    #[track_caller]
    pub fn ask_now(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["format"] = "json".into();
        arguments["limit"] = 10_000_000.into();
        let text = self.user.check(&["call", tool, &arguments.to_string()], 0);
        serde_json::from_str(&text).unwrap()
    }

    /// Returns a tool's answer once the server is ready.
    #[track_caller]
    pub fn ask(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["wait"] = "ready".into();
        arguments["deadline_seconds"] = 120.into();
        self.ask_now(tool, arguments)
    }

    /// Returns a symbol's references, which must come from `server`, as `file:line`.
    #[track_caller]
    pub fn references(&self, server: &str, name_path: &str) -> Vec<String> {
        self.references_in("", server, name_path)
    }

    /// As `references`, for a symbol that is declared in `file`.
    #[track_caller]
    pub fn references_in(&self, file: &str, server: &str, name_path: &str) -> Vec<String> {
        let ask = json!({ "name_path": name_path, "relative_path": file });
        let answer = self.ask("find_referencing_symbols", ask);
        assert_eq!(answer["source"], server, "{answer:#}");
        places(&answer["references"])
    }

    /// As `references`; the answer must also be called complete.
    #[track_caller]
    pub fn all_references(&self, server: &str, name_path: &str) -> Vec<String> {
        let answer = self.ask("find_referencing_symbols", json!({ "name_path": name_path }));
        assert_eq!((&answer["source"], &answer["complete"]), (&json!(server), &json!(true)), "{answer:#}");
        places(&answer["references"])
    }

    /// Returns the list that `tool` answers under `key`, as `file:line`.
    #[track_caller]
    pub fn places(&self, server: &str, tool: &str, key: &str, arguments: Value) -> Vec<String> {
        let answer = self.ask(tool, arguments);
        assert_eq!(answer["source"], server, "{answer:#}");
        places(&answer[key])
    }

    /// Returns the status of a server.
    pub fn status(&self, server: &str) -> Value {
        let status = self.user.status();
        let servers = status["servers"].as_array().unwrap();
        servers.iter().find(|one| one["name"] == server).cloned().unwrap_or_else(|| panic!("{status:#}"))
    }

    /// Returns every process of a server: its supervisor, itself and its children.
    pub fn processes(&self, server: &str) -> Vec<Watched> {
        let group = i32::try_from(self.status(server)["pid"].as_i64().unwrap()).unwrap();
        let all: Vec<Watched> = processes_of(group).into_iter().map(Watched::new).collect();
        assert!(all.len() >= 2, "a supervisor and a server");
        all
    }
}

/// Returns `file:line` of each entry, in the answer's order.
#[track_caller]
pub fn places(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("not a list: {list}"));
    list.iter().map(|one| format!("{}:{}", one["path"].as_str().unwrap(), one["line"])).collect()
}

pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo")
}

/// Returns the processes of a group, its leader first.
fn processes_of(group: i32) -> Vec<i32> {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let mut all: Vec<i32> = ids.filter(|&id| group_of(id) == Some(group)).collect();
    all.sort_by_key(|&id| (id != group, id));
    all
}

fn group_of(id: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // After the name, which may contain anything: state, parent, group.
    stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
}
