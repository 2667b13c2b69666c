//! A language server as described in languages.toml: what to run, when it is ready, how it is installed. Data
//! only: starts nothing. The format is Helix's `[language-server.NAME]`, extended.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// One `[language-server.NAME]` table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LanguageServer {
    /// The program: a bare name, looked up where symd installs servers and then on PATH, never in the
    /// project; or, in the user's own files, an absolute path.
    // Optional here: a file may change other keys of a server that another file defines. Whether it is
    // missing is checked once all files are merged.
    #[serde(default)]
    pub command: String,
    /// Its arguments. `{state}` stands for a directory of symd's own for this server and project, `{root}`
    /// for the root that is passed to the server.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables that are added to the cleaned environment; placeholders as in `args`.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Sent as `initializationOptions`, and by section as the response to `workspace/configuration`.
    #[serde(default)]
    pub config: Option<toml::Value>,
    /// Timeout of a request in seconds.
    #[serde(default = "LanguageServer::default_timeout")]
    pub timeout: u64,
    /// Conditions under which it counts as ready.
    #[serde(default)]
    pub readiness: Readiness,
    /// Texts on stderr that mean that it will never work.
    #[serde(default)]
    pub fatal_stderr: Vec<FatalPattern>,
    /// Programs that it requires on PATH; it is not started without them.
    #[serde(default)]
    pub requires: Vec<String>,
    /// How `symd install` installs it; several parts are installed in order.
    #[serde(default)]
    pub install: Vec<Install>,
    /// What it runs from the project, in words that complete "it runs …". If set, it is started in trusted
    /// projects only.
    #[serde(default)]
    pub runs_project_code: Option<String>,
    /// How far its references are reliable; if they are not, those of a language whose types symd resolves are
    /// judged by these.
    #[serde(default)]
    pub references: Reliability,
    /// How far its renames are reliable.
    #[serde(default)]
    pub rename: Reliability,
    /// How far its call hierarchy is reliable; if it is not, references are requested as well.
    #[serde(default)]
    pub call_hierarchy: Reliability,
    /// Mebibytes of memory (of its whole process group) above which it is restarted; `None`: no limit of its
    /// own.
    #[serde(default)]
    pub memory_limit_mb: Option<u64>,
}

impl LanguageServer {
    fn default_timeout() -> u64 {
        30
    }
}

/// Conditions of readiness, all of which must hold: initialized, no progress open, and what is given here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Readiness {
    /// Milliseconds after `initialized` within which the first `$/progress` begins, if there is any.
    pub start_grace_ms: u64,
    /// Whether it sends `experimental/serverStatus`, whose `quiescent` must then be true.
    pub server_status: bool,
    /// A notification that must have been received: `intellij/ready-for-test`.
    pub notification: Option<String>,
    /// A part of a `window/logMessage` that must have been received: `source files` (basedpyright, which
    /// sends no other sign that it knows the project's files).
    pub log_message: Option<String>,
    /// Whether its progress reports cover only requests and checks, and so say nothing about its knowledge of
    /// the project.
    pub ignores_progress: bool,
    /// Whether its first answer already covers the whole project, as its answers wait for what it loads, so that
    /// neither missing nor open progress is a reason for doubt.
    pub whole_from_start: bool,
    /// Whether it loads nothing before a document is opened. If so, the first requested document is opened
    /// when the server starts, and `start_grace_ms` counts from then.
    pub opens_first: bool,
    /// Seconds after which it counts as ready anyway (and answers say that it may still be indexing).
    pub timeout: u64,
}

impl Default for Readiness {
    fn default() -> Readiness {
        Readiness {
            start_grace_ms: 250,
            server_status: false,
            notification: None,
            log_message: None,
            ignores_progress: false,
            whole_from_start: false,
            opens_first: false,
            timeout: 120,
        }
    }
}

/// Text on stderr that means that the server will never work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FatalPattern {
    /// Part of a line.
    pub contains: String,
    /// The message for the user, including the next step.
    pub say: String,
}

/// Whether the results of a server are checked against other evidence before they are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reliability {
    /// Correct as far as known.
    #[default]
    Proven,
    /// Known to be wrong at times.
    Unproven,
}

/// One part of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "registry")]
pub enum Install {
    /// Wheels into a private virtual environment; no source builds.
    #[serde(rename = "pypi")]
    PyPi {
        package: String,
        /// Exact version.
        version: String,
    },
    /// Packages into a private prefix, without install scripts.
    #[serde(rename = "npm")]
    Npm {
        package: String,
        /// Exact version.
        version: String,
        /// Packages that must be installed with it: `name@version`.
        #[serde(default)]
        with: Vec<String>,
    },
    /// `cargo install --locked`.
    #[serde(rename = "cargo")]
    Cargo {
        package: String,
        /// Exact version.
        version: String,
    },
    /// Not installed by symd, but by the user's package manager, or from the authors' page.
    #[serde(rename = "system")]
    System {
        /// What to do, in one line: `apt install gopls`.
        hint: String,
        /// What to do on macOS, if it differs.
        #[serde(default)]
        macos: Option<String>,
    },
}

impl Install {
    /// Returns what the user has to do if symd does not install this part.
    pub fn manual_instruction(&self) -> Option<&str> {
        match self {
            Install::System { hint, macos } => {
                Some(macos.as_deref().filter(|_| cfg!(target_os = "macos")).unwrap_or(hint))
            }
            _ => None,
        }
    }
}

/// How a language uses a server: all its features, or some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUse {
    pub name: String,
    /// If not empty, the only features to use: words of [`FEATURES`].
    pub only_features: Vec<String>,
    /// Features not to use.
    pub except_features: Vec<String>,
}

/// Words for the features that a language's list can give to a server or exclude: Helix's, where it has one.
pub const FEATURES: [&str; 14] = [
    "call-hierarchy",
    "code-action",
    "diagnostics",
    "document-symbols",
    "format",
    "goto-declaration",
    "goto-definition",
    "goto-implementation",
    "goto-reference",
    "goto-type-definition",
    "hover",
    "rename-symbol",
    "signature-help",
    "type-hierarchy",
];

impl ServerUse {
    /// Whether the server is to be used for `feature`, one of [`FEATURES`].
    pub fn provides(&self, feature: &str) -> bool {
        let named = |features: &[String]| features.iter().any(|known| known == feature);
        (self.only_features.is_empty() || named(&self.only_features)) && !named(&self.except_features)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ServerUseTable {
    name: String,
    #[serde(default)]
    only_features: Vec<String>,
    #[serde(default)]
    except_features: Vec<String>,
}

impl<'de> Deserialize<'de> for ServerUse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ServerUse, D::Error> {
        deserializer.deserialize_any(ServerUseForm)
    }
}

/// A name or a table. Written by hand, because serde's untagged enums cannot say which key is wrong.
struct ServerUseForm;

impl<'de> Visitor<'de> for ServerUseForm {
    type Value = ServerUse;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a server's name, or { name, only-features, except-features }")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ServerUse, E> {
        Ok(ServerUse { name: name.to_owned(), only_features: Vec::new(), except_features: Vec::new() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ServerUse, A::Error> {
        let ServerUseTable { name, only_features, except_features } =
            ServerUseTable::deserialize(MapAccessDeserializer::new(map))?;
        for feature in only_features.iter().chain(&except_features) {
            if !FEATURES.contains(&feature.as_str()) {
                let known = FEATURES.join(", ");
                return Err(Error::custom(format!("there is no feature `{feature}`; known: {known}")));
            }
        }
        Ok(ServerUse { name, only_features, except_features })
    }
}
