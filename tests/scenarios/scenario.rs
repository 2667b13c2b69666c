//! The format of a fixture in `fixtures/contracts`. Unknown keys are rejected, so that a misspelt expectation
//! is not ignored.
//!
//! In all texts and paths `{ROOT}` stands for the project's absolute path, `{OUTSIDE}` for the directory `outside` beside it,
//! `{CONFIG}` for the directory of the user's configuration, `{HTTP}` for the address of the scenario's web server (in `config`, too),
//! `{LOCALHOST}` for the same by the machine's name, and `{REPEAT 3 ab}` for `ababab`. Expected texts also know `{MS}`, `{PID}`,
//! `{ID}`, `{TIME}` and `{ANY}` (`compare`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file: the scenarios of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// The user's `config.toml`.
    #[serde(default)]
    pub config: String,
    #[serde(rename = "scenario")]
    pub scenarios: Vec<Scenario>,
}

impl Fixture {
    pub fn read(file: &Path) -> Fixture {
        let text = std::fs::read_to_string(file).unwrap();
        let mut fixture: Fixture =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut names = BTreeSet::new();
        for scenario in &mut fixture.scenarios {
            scenario.config.get_or_insert_with(|| fixture.config.clone());
            scenario.gather_steps();
            let scenario = &*scenario;
            assert!(names.insert(scenario.name.clone()), "{}: {:?} twice", file.display(), scenario.name);
            for step in &scenario.steps {
                assert!(
                    step.is_whole(),
                    "{}: {:?} expects nothing, or too much",
                    file.display(),
                    scenario.name
                );
            }
        }
        fixture
    }
}

/// Files, calls on a new connection, and the expected results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    /// The complete content of the project's root.
    #[serde(default)]
    pub files: Vec<Put>,
    /// The complete content of `{OUTSIDE}`.
    #[serde(default)]
    pub outside: Vec<Put>,
    /// Pages of a web server on this machine.
    #[serde(default)]
    pub http: Vec<Page>,
    /// What an editor tells symd, over `symd lsp`, before the first call; it stays connected.
    #[serde(default)]
    pub editor: Vec<EditorMessage>,
    /// The past solutions in the user's store, as JSON lines.
    #[serde(default)]
    pub solutions: String,
    /// The user's `config.toml`, in place of the fixture's.
    pub config: Option<String>,
    /// The script of the fake language server (fake-ls, `tests/fake_ls`), as JSON. It serves Python, Kotlin,
    /// TypeScript, JavaScript and `.plain` files, which have no grammar. It is ready as soon as it has
    /// started, unless the script defines what follows `initialized`. Without a script no language has an
    /// installed server.
    pub server: Option<String>,
    /// Further keys of the server's table in `languages.toml`.
    pub server_keys: Option<String>,
    #[serde(default)]
    pub uid: Uid,
    #[serde(default)]
    pub approve: Approve,
    #[serde(default)]
    pub project: ProjectWanted,
    /// Variables of the client's environment in addition to `PATH`, `HOME`, `LANG` and `SHELL`, or overriding
    /// them.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether the client sends its environment; one that does not connects over the socket (`approve` =
    /// `yes`).
    #[serde(default = "yes")]
    pub tells_environment: bool,
    /// Several calls on the same connection, instead of the one that `tool` to `is_error` describe (see `Step`).
    #[serde(default)]
    pub steps: Vec<Step>,
    tool: Option<String>,
    arguments: Option<Map<String, Value>>,
    json: Option<String>,
    asked: Option<String>,
    text: Option<String>,
    text_json: Option<String>,
    content_json: Option<String>,
    #[serde(default)]
    polled: bool,
    #[serde(default = "once")]
    times: usize,
    #[serde(default)]
    is_error: bool,
    /// The files to check at the end. A call that only reads, or that failed, must not have changed anything
    /// else.
    #[serde(default)]
    pub after: Vec<Seen>,
}

impl Scenario {
    /// Moves the only call into `steps`.
    fn gather_steps(&mut self) {
        if self.steps.is_empty() {
            self.steps.push(Step {
                tool: self.tool.take(),
                write: Vec::new(),
                arguments: self.arguments.take(),
                json: self.json.take(),
                asked: self.asked.take(),
                text: self.text.take(),
                text_json: self.text_json.take(),
                content_json: self.content_json.take(),
                polled: self.polled,
                times: self.times,
                is_error: self.is_error,
            });
        }
        let left = [&self.tool, &self.asked, &self.json, &self.text, &self.text_json, &self.content_json];
        let left_over = left.iter().any(|field| field.is_some()) || self.arguments.is_some();
        assert!(!left_over, "{:?} has steps and a call beside them", self.name);
    }
}

/// A call with its expected result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The tool; by default the one that the file is named after.
    pub tool: Option<String>,
    /// Files that another program writes before this call.
    #[serde(default)]
    pub write: Vec<Put>,
    pub arguments: Option<Map<String, Value>>,
    /// The arguments as JSON, for values that TOML cannot express.
    pub json: Option<String>,
    /// The whole question to the user before the call (with `approve` = `each` or `refused`); empty if the user is not
    /// asked.
    pub asked: Option<String>,
    /// The whole text of the answer.
    pub text: Option<String>,
    /// As `text`, under a name that indicates that its escapes matter.
    pub text_json: Option<String>,
    /// The expected output may arrive later on a busy machine: until then tool_router's `write_stdin` polls
    /// for more, and its output is appended to what arrived before.
    #[serde(default)]
    pub polled: bool,
    /// How often to make the call, with the same result each time; `{NUMBER}` in its arguments counts from 1.
    #[serde(default = "once")]
    pub times: usize,
    /// The whole content of the answer as JSON, where it is more than a text.
    pub content_json: Option<String>,
    #[serde(default)]
    pub is_error: bool,
}

impl Step {
    /// Whether the step has exactly one kind of expected result, and at most one kind of arguments.
    fn is_whole(&self) -> bool {
        let expected = [&self.text, &self.text_json, &self.content_json];
        let arguments = usize::from(self.arguments.is_some()) + usize::from(self.json.is_some());
        expected.iter().filter(|expected| expected.is_some()).count() == 1 && arguments <= 1
    }
}

/// A file, directory or link to create.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    /// The path; it ends with `/` for a directory. Parent directories are created.
    pub path: String,
    /// The number of copies; `{NUMBER}` in path and text counts from 1.
    #[serde(default = "once")]
    pub copies: usize,
    /// The name, in the directory `path`, if it is not UTF-8.
    pub name_hex: Option<String>,
    pub text: Option<String>,
    pub hex: Option<String>,
    /// A text to repeat `times` times.
    pub repeat: Option<String>,
    pub times: Option<usize>,
    /// The size of the file in bytes: the text is padded with zeros, or truncated.
    pub size: Option<u64>,
    pub link: Option<String>,
    /// A file that is neither regular file, directory nor link.
    pub special: Option<Special>,
    pub mode: Option<u32>,
    /// The modification time, in seconds since 1970.
    pub mtime: Option<u64>,
}

/// A kind of file on which a read could block for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Special {
    Fifo,
    Socket,
}

/// The expected state of a path.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// The path; it ends with `/` for a directory.
    pub path: String,
    pub text: Option<String>,
    pub hex: Option<String>,
    pub link: Option<String>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub absent: bool,
}

/// The web server's response for a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    pub path: String,
    #[serde(default = "ok")]
    pub status: u16,
    /// The headers. Content-Length is added unless it is given; a header with an empty value is omitted.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub text: String,
    /// How often to repeat the text.
    #[serde(default = "once")]
    pub times: usize,
    /// The body, if it is not text.
    pub hex: Option<String>,
    pub hangs: Option<Hangs>,
}

/// The point at which the server stops sending and keeps the connection open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hangs {
    BeforeHead,
    BehindBody,
}

/// A notification of an editor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditorMessage {
    pub method: String,
    /// The parameters as JSON.
    pub params: String,
}

fn yes() -> bool {
    true
}

fn ok() -> u16 {
    200
}

fn once() -> usize {
    1
}

/// The user that the daemon runs as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Uid {
    /// The user who runs the tests.
    #[default]
    Mine,
    /// An unprivileged user, never root.
    Nobody,
}

/// The user's policy for all calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    #[default]
    Yes,
    No,
    /// No policy: symd's defaults, on a connection without elicitation.
    Ask,
    /// No policy; the user is asked through the client and approves every call.
    Each,
    /// The same, after more than the time that a contract gives a tool.
    Late,
    /// No policy; the user is asked through the client and declines every call.
    Refused,
}

/// Whether the connection has a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectWanted {
    #[default]
    Open,
    None,
}
