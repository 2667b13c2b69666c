//! Shared by the tests of edit tools: a connection that calls tools, and a project's files.

use serde_json::{Value, json};
use symd::base::ContentHash;

use super::edit_support::{Things, things_of};
use crate::support::{User, Wire, call};

/// A connection that calls tools.
pub struct Agent {
    wire: Wire,
    calls: u64,
}

impl Agent {
    pub fn new(user: &User, toolset: &str) -> Agent {
        Agent::over(user.connect(), toolset)
    }

    pub fn over(mut wire: Wire, toolset: &str) -> Agent {
        wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": [toolset] } }));
        wire.initialize();
        Agent { wire, calls: 0 }
    }

    /// Calls a tool; returns the text, and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        self.try_call(tool, arguments).expect("answered")
    }

    /// As `call`; returns `None` when the daemon is gone.
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Option<(String, bool)> {
        self.calls += 1;
        self.wire.try_send(&call(self.calls, tool, arguments))?;
        let answer = self.wire.try_receive()?;
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        Some((text.to_owned(), result["isError"] == true))
    }

    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(tool, arguments);
        assert!(is_error, "{tool}: {text}");
        text
    }
}

pub fn put(user: &User, path: &str, bytes: impl AsRef<[u8]>) {
    let path = user.path("project").join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

pub fn text_of(user: &User, path: &str) -> String {
    String::from_utf8(std::fs::read(user.path("project").join(path)).unwrap()).unwrap()
}

pub fn things(user: &User) -> Things {
    things_of(&user.path("project"))
}

pub fn revision(bytes: impl AsRef<[u8]>) -> String {
    ContentHash::of(bytes.as_ref()).short()
}

/// The file that most tests edit.
pub const CALC: &str = "class Calc:\n    def add(self, a, b):\n        return a + b\n\n    def sub(self, a, b):\n        return a - b\n\n\ndef main():\n    print(Calc().add(1, 2))\n";

/// Returns the arguments of a tool that edits this file.
pub fn of_file(more: Value) -> Value {
    let mut all = json!({ "relative_path": "calc.py" });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    all
}
