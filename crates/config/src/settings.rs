//! The user's settings: `config.toml` in the configuration directory. Every key has a default; an unknown key
//! or a value of the wrong type is an error that names file and key. Does not handle environment variables
//! and flags.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use symd_base::state::{self, StateError};

/// How changes of files are detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchBackend {
    /// The mechanism of the system: inotify on Linux.
    #[default]
    Auto,
    /// Examination of the tree at each question, for file systems that report no changes.
    Poll,
    /// The `notify` crate.
    Notify,
}

/// What happens to processes that a shell command leaves running in the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellBackground {
    /// They are terminated when the connection that started them ends.
    #[default]
    Reap,
    /// They keep running.
    Keep,
}

/// Resource limits of a connection and of the whole daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum size of one message in bytes; it must allow a big patch.
    pub max_line_bytes: usize,
    /// Maximum number of requests of one connection in progress at a time.
    pub max_in_flight: usize,
    /// Maximum number of connections at a time.
    pub max_connections: usize,
    /// Milliseconds for which a client may leave a response unread.
    pub write_deadline_ms: u64,
    /// Milliseconds for which the user may leave a question about a call unanswered.
    pub approval_deadline_ms: u64,
}

impl Limits {
    /// Returns how long to wait for the user's answer.
    pub fn approval(&self) -> Duration {
        Duration::from_millis(self.approval_deadline_ms)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_line_bytes: 16 * 1024 * 1024,
            max_in_flight: 64,
            max_connections: 1024,
            write_deadline_ms: 30_000,
            approval_deadline_ms: 300_000,
        }
    }
}

/// An HTTP API that documentation is searched with.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocsApi {
    /// The address up to the API's version, in place of the public one.
    pub url: Option<String>,
    /// The key or token; most APIs need none, and allow more requests with one. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: Option<String>,
    /// The site or search engine, where the API serves several.
    pub engine: Option<String>,
}

fn hidden<S: serde::Serializer>(key: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    key.as_ref().map(|_| "<secret>").serialize(serializer)
}

// Settings may be logged; the key must not.
impl std::fmt::Debug for DocsApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DocsApi({:?}, {:?}, has a key: {})", self.url, self.engine, self.key.is_some())
    }
}

/// Where documentation is searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocsSearchSettings {
    pub stackoverflow: DocsApi,
    pub github: DocsApi,
    pub mdn: DocsApi,
    /// The search of kotlinlang.org.
    pub kotlin: DocsApi,
    /// A Programmable Search Engine for developer.android.com.
    pub android: DocsApi,
}

impl DocsSearchSettings {
    /// Returns each API with its key in `config.toml`.
    fn named(&self) -> [(&'static str, &DocsApi); 5] {
        [
            ("stackoverflow", &self.stackoverflow),
            ("github", &self.github),
            ("mdn", &self.mdn),
            ("kotlin", &self.kotlin),
            ("android", &self.android),
        ]
    }
}

/// The model behind a URL by which past solutions are compared.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedderSettings {
    /// Ollama's `http://127.0.0.1:11434/api/embed`, or the base of an API in the shape of OpenAI's (`…/v1`); without it
    /// symd's own model is used, which sends nothing.
    pub url: Option<String>,
    /// The model's name.
    pub model: String,
    /// The API's key. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: Option<String>,
}

impl std::fmt::Debug for EmbedderSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EmbedderSettings({:?}, {:?}, has a key: {})", self.url, self.model, self.key.is_some())
    }
}

/// The Chroma server that keeps a team's past solutions.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChromaSettings {
    /// `http://chroma.example:8000`; without it the solutions are in a file of this machine.
    pub url: Option<String>,
    pub tenant: String,
    pub database: String,
    /// What the server, or the proxy before it, knows the user by. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub token: Option<String>,
}

impl Default for ChromaSettings {
    fn default() -> ChromaSettings {
        let (tenant, database) = ("default_tenant".to_owned(), "default_database".to_owned());
        ChromaSettings { url: None, tenant, database, token: None }
    }
}

impl std::fmt::Debug for ChromaSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ChromaSettings { url, tenant, database, token } = self;
        write!(f, "ChromaSettings({url:?}, {tenant:?}, {database:?}, has a token: {})", token.is_some())
    }
}

/// Rejects a URL of another scheme than HTTP's.
fn check_url(key: &str, url: Option<&str>) -> Result<(), String> {
    match url {
        Some(url) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            Err(format!("{key}: {url} begins with neither https:// nor http://"))
        }
        _ => Ok(()),
    }
}

impl ChromaSettings {
    fn check(&self) -> Result<(), String> {
        check_url("chroma.url", self.url.as_deref())?;
        for (key, name) in [("tenant", &self.tenant), ("database", &self.database)] {
            // They are parts of URLs.
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if !name.bytes().all(is_plain) || name.trim_matches('.').is_empty() {
                let expected = "letters, digits, '-', '_' and '.'";
                return Err(format!("chroma.{key}: {name:?} does not consist of {expected}"));
            }
        }
        let is_sent = |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        if self.token.as_ref().is_some_and(|token| !is_sent(token)) {
            return Err("chroma.token: it is empty, or holds what an HTTP header cannot hold".to_owned());
        }
        Ok(())
    }
}

/// All keys of `config.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Minutes without a connection after which the daemon exits; 0 = never. Fractions are allowed.
    pub idle_exit_minutes: f64,
    /// Log filter in the syntax of `SYMD_LOG`: `info`, `info,symd_watch=debug`.
    pub log: String,
    /// Characters above which an answer is "too long", unless the tool's caller gives a limit.
    pub max_answer_chars: usize,
    /// Mebibytes of memory above which the daemon lets go of what it can make again; by default the smaller of 512 and a tenth
    /// of what the machine has or the daemon's control groups allow.
    pub memory_mb: Option<u64>,
    /// Limit of all projects' caches together, in bytes. When a project's daemon starts, its own cache is kept, however large it is, and is not
    /// counted.
    pub cache_max_bytes: u64,
    /// The toolsets of a connection that names none.
    pub toolset: Vec<String>,
    pub watch: WatchBackend,
    /// Minutes without a question after which a language server is stopped; 0 = never. Fractions are allowed.
    pub server_idle_minutes: f64,
    /// Mebibytes of memory (of its whole process group) above which a language server is restarted, if
    /// languages.toml gives it no limit of its own; 0 = no limit.
    pub server_memory_mb: u64,
    /// Mebibytes of memory of all language servers of a project together above which the largest one that is idle is
    /// restarted; 0 = no limit.
    pub all_servers_memory_mb: u64,
    /// Milliseconds that a question which does not wait for language servers allows to one that is ready;
    /// after that, the question is answered from syntax.
    pub server_answer_ms: u64,
    pub shell_background: ShellBackground,
    pub docs_search: DocsSearchSettings,
    pub embedder: EmbedderSettings,
    pub chroma: ChromaSettings,
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            idle_exit_minutes: 60.0,
            log: "info,rmcp=error".to_owned(),
            max_answer_chars: 150_000,
            memory_mb: None,
            cache_max_bytes: 512 * 1024 * 1024,
            toolset: vec!["native".to_owned()],
            watch: WatchBackend::Auto,
            server_idle_minutes: 30.0,
            server_memory_mb: 0,
            all_servers_memory_mb: 0,
            server_answer_ms: 1_000,
            shell_background: ShellBackground::Reap,
            docs_search: DocsSearchSettings::default(),
            embedder: EmbedderSettings::default(),
            chroma: ChromaSettings::default(),
            limits: Limits::default(),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file that exists but cannot be read.
    #[error(transparent)]
    Unreadable(#[from] StateError),
    /// A file with invalid content. `message` names line and key.
    #[error("{}: {message}; correct it, or remove the file to use the defaults", path.display())]
    Invalid {
        path: PathBuf,
        /// Line, key, what was expected.
        message: String,
    },
}

impl Settings {
    /// Returns the path of the settings file in the configuration directory `config`.
    pub fn file(config: &Path) -> PathBuf {
        config.join("config.toml")
    }

    /// Reads `config.toml` in the directory `config`; all defaults when it does not exist.
    pub fn load(config: &Path) -> Result<Settings, SettingsError> {
        let path = Settings::file(config);
        let Some(bytes) = state::read_file(&path)? else { return Ok(Settings::default()) };
        let wrong = |message: String| SettingsError::Invalid { path: path.clone(), message };
        let text = std::str::from_utf8(&bytes).map_err(|error| wrong(format!("is not UTF-8: {error}")))?;
        Settings::parse(text).map_err(wrong)
    }

    /// Parses and validates the text of a `config.toml`.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let settings: Settings = toml::from_str(text).map_err(|error| error.to_string().trim().to_owned())?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        const YEAR: f64 = 525_600.0;
        let minutes = [
            ("idle_exit_minutes", self.idle_exit_minutes),
            ("server_idle_minutes", self.server_idle_minutes),
        ];
        for (key, value) in minutes {
            if !(0.0..=YEAR).contains(&value) {
                return Err(format!("{key}: {value} is not between 0 and {YEAR} (0 = never)"));
            }
        }
        let limits = &self.limits;
        let least = [
            ("limits.max_line_bytes", limits.max_line_bytes, 1024),
            ("limits.max_in_flight", limits.max_in_flight, 1),
            ("limits.max_connections", limits.max_connections, 1),
            ("max_answer_chars", self.max_answer_chars, 1),
        ];
        for (key, value, least) in least {
            if value < least {
                return Err(format!("{key}: {value} is less than {least}"));
            }
        }
        if self.memory_mb == Some(0) {
            return Err(
                "memory_mb: 0 is less than 1; without the key, the limit depends on the machine".to_owned()
            );
        }
        for (key, api) in self.docs_search.named() {
            check_url(&format!("docs_search.{key}.url"), api.url.as_deref())?;
        }
        let embedder = &self.embedder;
        check_url("embedder.url", embedder.url.as_deref())?;
        if embedder.url.is_some() && embedder.model.trim().is_empty() {
            return Err("embedder.model: the name of the model at embedder.url is missing".to_owned());
        }
        self.chroma.check()?;
        if self.toolset.is_empty() {
            return Err("toolset: the list is empty; write [\"native\"]".to_owned());
        }
        Ok(())
    }

    /// Returns how long the daemon runs without a connection; `None` = for ever.
    pub fn idle_exit(&self) -> Option<Duration> {
        minutes(self.idle_exit_minutes)
    }

    /// Returns the bytes of memory above which the daemon lets go of what it can make again; `available`: what the machine
    /// has or the daemon's control groups allow, if known.
    pub fn memory_ceiling(&self, available: Option<u64>) -> u64 {
        const MOST: u64 = 512 << 20;
        let default = || available.map_or(MOST, |available| MOST.min(available / 10));
        self.memory_mb.map_or_else(default, |mebibytes| mebibytes.saturating_mul(1 << 20))
    }

    /// Returns how long a language server runs without a question; `None` = for ever.
    pub fn server_idle(&self) -> Option<Duration> {
        minutes(self.server_idle_minutes)
    }

    /// Returns how long a question that does not wait for language servers waits for one that is ready.
    pub fn server_answer(&self) -> Duration {
        Duration::from_millis(self.server_answer_ms)
    }

    /// Returns the bytes of memory above which a language server is restarted; `None` = no limit.
    pub fn server_memory(&self) -> Option<u64> {
        limit_in_bytes(self.server_memory_mb)
    }

    /// Returns the bytes of memory of all language servers together above which the largest idle one is restarted;
    /// `None` = no limit.
    pub fn all_servers_memory(&self) -> Option<u64> {
        limit_in_bytes(self.all_servers_memory_mb)
    }
}

/// Converts mebibytes to bytes; `None` for 0, which means no limit.
fn limit_in_bytes(mebibytes: u64) -> Option<u64> {
    (mebibytes > 0).then(|| mebibytes.saturating_mul(1 << 20))
}

/// Converts minutes to a duration; `None` for 0, which means no limit.
fn minutes(minutes: f64) -> Option<Duration> {
    (minutes > 0.0).then(|| Duration::from_secs_f64(minutes * 60.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_default() {
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
        let settings = Settings::parse("idle_exit_minutes = 0\n[limits]\nmax_in_flight = 2").unwrap();
        assert_eq!(settings.idle_exit(), None);
        assert_eq!(settings.limits, Limits { max_in_flight: 2, ..Limits::default() });
    }

    #[test]
    fn the_ceiling_is_what_is_set_or_a_tenth_of_what_there_is() {
        let of = |text: &str, available: Option<u64>| {
            Settings::parse(text).unwrap().memory_ceiling(available) >> 20
        };
        assert_eq!((of("", Some(24 << 30)), of("", Some(2000 << 20)), of("", None)), (512, 200, 512));
        assert_eq!(of("memory_mb = 3000", Some(2 << 30)), 3000);
    }

    #[test]
    fn errors_name_the_key() {
        let cases = [
            ("idle_exit_minute = 1", "idle_exit_minute"),
            ("idle_exit_minutes = \"1\"", "idle_exit_minutes"),
            ("idle_exit_minutes = -1", "idle_exit_minutes"),
            ("idle_exit_minutes = nan", "idle_exit_minutes"),
            ("watch = \"kqueue\"", "watch"),
            ("shell_background = \"leave\"", "shell_background"),
            ("toolset = []", "toolset"),
            ("[docs_search.github]\nurl = \"api.github.com\"", "docs_search.github.url"),
            ("[embedder]\nurl = \"localhost\"\nmodel = \"a\"", "embedder.url"),
            ("[embedder]\nurl = \"http://localhost\"", "embedder.model"),
            ("[chroma]\nurl = \"chroma:8000\"", "chroma.url"),
            ("[chroma]\ntenant = \"a/b\"", "chroma.tenant"),
            ("[chroma]\ndatabase = \"..\"", "chroma.database"),
            ("[chroma]\ntoken = \"a\\nb\"", "chroma.token"),
            ("[limits]\nmax_in_flight = 0", "limits.max_in_flight"),
            ("memory_mb = 0", "memory_mb"),
        ];
        for (text, key) in cases {
            let message = Settings::parse(text).unwrap_err();
            assert!(message.contains(key), "{text:?}: {message}");
        }
    }
}
