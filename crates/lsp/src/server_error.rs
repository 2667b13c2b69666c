//! Why a server gave no answer. Each text names the server or language, the problem, and the next step.

use symd_base::RelPath;

/// The reason for a missing answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// No server of the language is installed, or none is configured.
    #[error("{language}: no language server: {reason}")]
    NoServer {
        language: String,
        /// What is missing and how to install it: "ty is not installed; `symd install python` installs it".
        reason: String,
        /// The command that installs a server, if none is installed and symd can install one: "symd install
        /// python".
        install: Option<String>,
    },
    /// The server runs the project's code, and the user has not trusted the project.
    #[error(
        "{server} is not started: it runs {runs}, and this project is not trusted; look at it, then `symd trust`"
    )]
    NotTrusted {
        server: String,
        /// The project's code that the server would run.
        runs: String,
    },
    /// The server is starting or loading.
    #[error("{server} is not ready yet: {waiting_for} ({seconds} s so far); ask again in a few seconds")]
    NotReady {
        server: String,
        /// What the server is doing: "it is starting", "indexing (43 %)".
        waiting_for: String,
        /// Seconds since the server was started, or since the unanswered request was sent.
        seconds: u64,
    },
    /// The server does not support the request.
    #[error("{server} does not support {what}")]
    Unsupported {
        server: String,
        /// LSP's method name.
        what: &'static str,
    },
    /// The server refuses, for instance to rename this symbol. A retry gives the same result.
    #[error("{server} refuses {what}: {reason}")]
    Refused {
        server: String,
        /// LSP's method name.
        what: &'static str,
        /// The server's reason, verbatim.
        reason: String,
    },
    /// The server responded with an error or invalid data, timed out, or died.
    #[error("{server} failed: {problem}")]
    Failed {
        server: String,
        /// What happened, the last lines of stderr if the server died, and the next step.
        problem: String,
    },
    /// The server died too often, can never work, or was stopped by hand; it stays down until the user
    /// restarts it.
    #[error("{server} is down: {problem}; `symd server restart {server}` tries again")]
    Down {
        server: String,
        /// Why it is down.
        problem: String,
    },
    /// The answer of a server whose answers have to be judged by types was not needed: types decide alone.
    #[error("{server} is not asked where types decide")]
    NotNeeded { server: String },
    /// The file's content is no longer the version that the question was about.
    #[error("{path} changed while the question was in progress; ask again")]
    Changed {
        /// The file's path relative to the project's root.
        path: String,
    },
    /// The daemon is shutting down.
    #[error("the daemon is stopping; ask again, which starts a new one")]
    Stopping,
}

impl ServerError {
    /// Returns the error for a file that changed after the request was made.
    pub fn changed(path: &RelPath) -> ServerError {
        ServerError::Changed { path: path.to_string() }
    }

    /// Whether the file that was asked about may be the reason, so that the server may still answer about
    /// others.
    pub fn is_of_file(&self) -> bool {
        matches!(self, ServerError::Changed { .. } | ServerError::Failed { .. })
    }

    /// Whether a later question may succeed without any action of the user.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            ServerError::NotReady { .. } | ServerError::Changed { .. } | ServerError::Failed { .. }
        )
    }
}
