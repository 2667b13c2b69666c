//! Why a server gave no answer. Each text names the server or language, what is wrong, and the next step.

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// No server of the language is installed, or none is known.
    #[error("{language}: no language server: {reason}")]
    NoServer {
        /// The language.
        language: String,
        /// What is missing and how to get it: "ty is not installed; `symd install python` installs it".
        reason: String,
        /// The command that installs one, where none is installed and symd can: "symd install python".
        install: Option<String>,
    },
    /// The server runs the project's code, and the user has not trusted the project.
    #[error(
        "{server} is not started: it runs {runs}, and this project is not trusted; look at it, then `symd trust`"
    )]
    NotTrusted {
        /// The server.
        server: String,
        /// What of the project's it would run.
        runs: String,
    },
    /// It is starting or loading.
    #[error("{server} is not ready yet: {waiting_for} ({seconds} s so far)")]
    NotReady {
        /// The server.
        server: String,
        /// What is being waited for: "it is starting", "indexing (43 %)".
        waiting_for: String,
        /// Since it was started.
        seconds: u64,
    },
    /// It cannot do that.
    #[error("{server} does not support {what}")]
    Unsupported {
        /// The server.
        server: String,
        /// LSP's name of the request.
        what: &'static str,
    },
    /// It will not: renaming this, say. Asking again changes nothing.
    #[error("{server} refuses {what}: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// LSP's name of the request.
        what: &'static str,
        /// In the server's words.
        reason: String,
    },
    /// It answered with an error, with nonsense, too late, or died.
    #[error("{server} failed: {problem}")]
    Failed {
        /// The server.
        server: String,
        /// What happened, its last stderr lines where it died, and the next step.
        problem: String,
    },
    /// It was started too often, or can never work; it stays down until asked for by hand.
    #[error("{server} is down: {problem}; `symd server restart {server}` tries again")]
    Down {
        /// The server.
        server: String,
        /// Why.
        problem: String,
    },
    /// The file is no longer what the question was about: ask again.
    #[error("{path} changed while the question was on its way; ask again")]
    Changed {
        /// Which file.
        path: String,
    },
    /// The daemon is ending.
    #[error("the daemon is stopping; ask again, which starts a new one")]
    Stopping,
}

impl NoAnswer {
    /// Whether the reason lies in the file that was asked about: the server may well answer about others.
    pub fn is_of_file(&self) -> bool {
        matches!(self, NoAnswer::Changed { .. } | NoAnswer::Failed { .. })
    }

    /// Whether a later question may well be answered without anybody doing anything.
    pub fn may_pass(&self) -> bool {
        matches!(self, NoAnswer::NotReady { .. } | NoAnswer::Changed { .. } | NoAnswer::Failed { .. })
    }
}
