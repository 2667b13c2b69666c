//! A language server as languages.toml describes it: what to run, when it counts as ready, how it is installed.
//! Only data: nothing here starts anything. The shape is Helix's `[language-server.NAME]`, extended.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// One `[language-server.NAME]` table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LanguageServer {
    /// The program: a bare name, looked up where symd installs servers and then on PATH, never in the project; or,
    /// from the user's own files, an absolute path.
    // A file may change other things of a server that another file names, so it is missed only when all are merged.
    #[serde(default)]
    pub command: String,
    /// Its arguments. `{state}` stands for a directory of symd's own for this server and project, `{root}` for the
    /// root the server is given.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables it gets besides the cleaned environment; placeholders as in `args`.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Sent as `initializationOptions`, and the answer to `workspace/configuration`, by section.
    #[serde(default)]
    pub config: Option<toml::Value>,
    /// Seconds that a request may take.
    #[serde(default = "LanguageServer::default_timeout")]
    pub timeout: u64,
    /// When it counts as ready.
    #[serde(default)]
    pub readiness: Readiness,
    /// What on stderr means that it will never work.
    #[serde(default)]
    pub fatal_stderr: Vec<FatalPattern>,
    /// Programs it needs on PATH to work at all: it is not started without them.
    #[serde(default)]
    pub requires: Vec<String>,
    /// How `symd install` gets it; several parts are installed in order.
    #[serde(default)]
    pub install: Vec<Install>,
    /// What of the project's it runs, in words that complete "it runs …": then it is started in trusted projects
    /// only.
    #[serde(default)]
    pub runs_project_code: Option<String>,
    /// How far its renames can be relied on.
    #[serde(default)]
    pub rename: Trustworthiness,
    /// How far its call hierarchy can be relied on: where it cannot, references are asked as well.
    #[serde(default)]
    pub call_hierarchy: Trustworthiness,
    /// Mebibytes of memory (its whole process group) after which it is restarted; none: no limit of its own.
    #[serde(default)]
    pub memory_limit_mb: Option<u64>,
}

impl LanguageServer {
    fn default_timeout() -> u64 {
        30
    }
}

/// A conjunction of named facts: initialized, no progress open, and what else is given here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Readiness {
    /// Milliseconds after `initialized` within which the first `$/progress` begins, if any is to come.
    pub start_grace_ms: u64,
    /// Whether it sends `experimental/serverStatus`, whose `quiescent` must then be true.
    pub server_status: bool,
    /// A notification that must have come: `intellij/ready-for-test`.
    pub notification: Option<String>,
    /// A part of a `window/logMessage` that must have come: `source files` (basedpyright, which tells nothing else
    /// when it knows the project's files).
    pub log_message: Option<String>,
    /// Whether its progress is that of requests and checks alone, and says nothing of what it knows of the project.
    pub ignores_progress: bool,
    /// Whether its first answer already holds the whole project, so that its silence about loading is no reason for doubt.
    pub whole_from_start: bool,
    /// Whether it loads nothing before a document is opened: then the first one asked about is opened at its start, and
    /// `start_grace_ms` counts from then.
    pub opens_first: bool,
    /// Seconds after which it counts as ready all the same (and answers say that it may still be indexing).
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

/// A sign on stderr that the server will never work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FatalPattern {
    /// A part of a line.
    pub contains: String,
    /// What to tell the user, the next step included.
    pub say: String,
}

/// Whether what a server says is held against other evidence before it is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trustworthiness {
    /// As far as known, they are right.
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
        /// The distribution.
        package: String,
        /// Pinned.
        version: String,
    },
    /// Packages into a private prefix, without install scripts.
    #[serde(rename = "npm")]
    Npm {
        /// The package.
        package: String,
        /// Pinned.
        version: String,
        /// Packages it needs beside it: `name@version`.
        #[serde(default)]
        with: Vec<String>,
    },
    /// `cargo install --locked`.
    #[serde(rename = "cargo")]
    Cargo {
        /// The crate.
        package: String,
        /// Pinned.
        version: String,
    },
    /// symd does not install it: the user's package manager, or the authors' page, does.
    #[serde(rename = "system")]
    System {
        /// What to do, as one line: `apt install gopls`.
        hint: String,
        /// What to do on macOS, where that is another thing.
        #[serde(default)]
        macos: Option<String>,
    },
}

impl Install {
    /// What the user has to do, where symd does not install it.
    pub fn by_hand(&self) -> Option<&str> {
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
    /// The server's name.
    pub name: String,
    /// Only these features, if any are named: words of [`FEATURES`].
    pub only_features: Vec<String>,
    /// Not these.
    pub except_features: Vec<String>,
}

/// The words by which a language's list gives features to a server, or keeps them from it: Helix's, where it has one.
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
    /// Whether the server is to be used for a feature, one of [`FEATURES`].
    pub fn gives(&self, feature: &str) -> bool {
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

/// A name, or a table. By hand, because serde's untagged enums cannot say which key is wrong.
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
