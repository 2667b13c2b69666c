//! What a fixture of `fixtures/contracts` may say. Unknown keys are refused, so that a misspelt expectation is none that holds.
//!
//! In all texts and paths `{ROOT}` stands for the project's absolute path, `{OUTSIDE}` for the directory `outside` beside it,
//! `{CONFIG}` for the directory of the user's configuration, `{HTTP}` for the address of the scenario's web server,
//! `{LOCALHOST}` for the same by the machine's name, and `{REPEAT 3 ab}` for `ababab`. Expected texts also know `{MS}`, `{PID}`,
//! `{TIME}` and `{ANY}` (`compare`).

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
    /// They run one after the other on one daemon.
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

/// Files, calls on a new connection, and what is to come of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    /// All that is in the project's root, nothing else.
    #[serde(default)]
    pub files: Vec<Put>,
    /// All that is in `{OUTSIDE}`.
    #[serde(default)]
    pub outside: Vec<Put>,
    /// Pages of a web server on this machine.
    #[serde(default)]
    pub http: Vec<Page>,
    /// The user's `config.toml`, in place of the fixture's.
    pub config: Option<String>,
    /// What the language server of Python, Kotlin, TypeScript, JavaScript and of `.plain` files, which have no grammar, plays:
    /// a script of fake-ls (`tests/fake_ls`), JSON. It is ready as soon as it has started, unless the script says what
    /// follows `initialized`. Without one no language has a server that is there.
    pub server: Option<String>,
    /// Further keys of its table in `languages.toml`.
    pub server_keys: Option<String>,
    #[serde(default)]
    pub uid: Uid,
    #[serde(default)]
    pub approve: Approve,
    #[serde(default)]
    pub project: ProjectWanted,
    /// Variables of the client's environment beside `PATH`, `HOME`, `LANG` and `SHELL`, or in their place.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Whether the client tells its environment; one that does not comes over the socket (`approve` = `yes`).
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
    /// What is looked at when all is done. A call that only reads, or that failed, must have changed nothing else.
    #[serde(default)]
    pub after: Vec<Seen>,
}

impl Scenario {
    /// Puts the only call where several would be.
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

/// One call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Default: the tool that the file is named after.
    pub tool: Option<String>,
    /// Files written before this call, by somebody else.
    #[serde(default)]
    pub write: Vec<Put>,
    pub arguments: Option<Map<String, Value>>,
    /// The arguments as JSON, for what TOML cannot say.
    pub json: Option<String>,
    /// What the user is asked before (with `approve` = `each` or `refused`), whole.
    pub asked: Option<String>,
    /// The whole text of the answer.
    pub text: Option<String>,
    /// The same, by a name that says that its escapes matter.
    pub text_json: Option<String>,
    /// What is expected may come later, on a busy machine: until it has, tool_router's `write_stdin` asks for more, and what
    /// it gives is put behind what came before.
    #[serde(default)]
    pub polled: bool,
    /// Called so often, with the same outcome each time; in its arguments `{NUMBER}` counts from 1.
    #[serde(default = "once")]
    pub times: usize,
    /// The whole content of the answer as JSON, where it is more than a text.
    pub content_json: Option<String>,
    #[serde(default)]
    pub is_error: bool,
}

impl Step {
    /// Whether it says in exactly one way what is to come, and in no more than one with what arguments.
    fn is_whole(&self) -> bool {
        let expected = [&self.text, &self.text_json, &self.content_json];
        let arguments = usize::from(self.arguments.is_some()) + usize::from(self.json.is_some());
        expected.iter().filter(|expected| expected.is_some()).count() == 1 && arguments <= 1
    }
}

/// A file, directory or link to be made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    /// Ends with `/` for a directory. Directories above are made.
    pub path: String,
    /// So many of them; in path and text `{NUMBER}` counts from 1.
    #[serde(default = "once")]
    pub copies: usize,
    /// The name, in the directory `path`, where it is not UTF-8.
    pub name_hex: Option<String>,
    pub text: Option<String>,
    pub hex: Option<String>,
    /// This text as often as `times` says.
    pub repeat: Option<String>,
    pub times: Option<usize>,
    /// Bytes of the file: zeros behind its text, or the text's beginning.
    pub size: Option<u64>,
    pub link: Option<String>,
    /// Something that is neither file, directory nor link.
    pub special: Option<Special>,
    pub mode: Option<u32>,
    /// Seconds since 1970 at which it was changed last.
    pub mtime: Option<u64>,
}

/// A file whose reading could wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Special {
    Fifo,
    Socket,
}

/// What is to be found at a path.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Ends with `/` for a directory.
    pub path: String,
    pub text: Option<String>,
    pub hex: Option<String>,
    pub link: Option<String>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub absent: bool,
}

/// What the web server answers at a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    pub path: String,
    #[serde(default = "ok")]
    pub status: u16,
    /// Content-Length is added unless it is here; a header with an empty value is left out.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub text: String,
    /// The text so often.
    #[serde(default = "once")]
    pub times: usize,
    /// The body, where it is no text.
    pub hex: Option<String>,
    pub hangs: Option<Hangs>,
}

/// Where the server stops talking and keeps the connection open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hangs {
    BeforeHead,
    BehindBody,
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

/// Who the daemon runs as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Uid {
    /// Whoever runs the tests.
    #[default]
    Mine,
    /// Never root.
    Nobody,
}

/// What the user's policy says to everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    #[default]
    Yes,
    No,
    /// Nothing: symd's defaults, on a connection that cannot ask.
    Ask,
    /// Nothing, and the user, asked through the client, says yes to every call
    Each,
    /// or no.
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
