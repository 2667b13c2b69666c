//! One running, initialized server to which requests can be sent. Knows nothing of processes, readiness or
//! restarts: its owner handles these, using the facts that the server reports. Invariant: every request is
//! about exactly the text that the caller means, under one deadline, and an error names the server and the
//! next step.

use rustix::process::Pid;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::Position;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{RwLock, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::at::DocumentPosition;
use super::connection::{Connection, Handler, RequestError};
use super::convert::Converter;
use super::documents::{Documents, SentDocument};
use super::edit_collector::CollectGuard;
use super::files::{FileSync, FileSyncConfig, UnsentRequest};
use super::handshake::{ServerInfo, initialize};
use super::message_handler::ServerMessageHandler;
use super::place;
use super::published_diagnostics::Published;
use super::server_error::ServerError;
use super::server_event::ServerEvent;
use super::span::ColumnEncoding;
use symd_base::{ContentHash, RelPath};
use symd_config::{LanguageId, Languages};
use symd_vfs::{Change, Files};

/// How many times a request is sent concurrently with others, and then how many times exclusively, while the
/// server cancels it because files changed.
const RETRIES: usize = 3;

/// The arguments of [`Session::open`].
pub(crate) struct SessionConfig {
    /// The server's name in languages.toml.
    pub(crate) server: String,
    /// The server's root: absolute, symlinks resolved, the project's root or a directory in it.
    pub(crate) server_root: PathBuf,
    /// Access to the project's files.
    pub(crate) files: Arc<dyn Files>,
    /// The server's settings; null if it has none.
    pub(crate) config: Value,
    /// A part of the `window/logMessage` for which the readiness rules wait.
    pub(crate) log_message: Option<String>,
    /// The server's process group; `None` if the server is not a process of its own.
    pub(crate) group: Option<Pid>,
    /// The maximum time for a request.
    pub(crate) timeout: Duration,
    /// Identifies the language of a file.
    pub(crate) languages: Arc<Languages>,
    /// The language of files whose names do not identify one.
    pub(crate) language: LanguageId,
}

/// An initialized server.
pub(crate) struct Session {
    server: String,
    timeout: Duration,
    info: ServerInfo,
    pub(super) rim: Converter,
    connection: Connection,
    answers: Arc<ServerMessageHandler>,
    pub(super) files: Arc<FileSync>,
    pub(super) published: Arc<Published>,
    /// Locked shared to send documents, and exclusively by a request that such messages made the server
    /// cancel too often: some servers (ty) cancel everything in progress whenever a document is opened.
    calm: RwLock<()>,
    // Aborted when dropped.
    _tasks: JoinSet<()>,
}

impl Session {
    /// Runs the handshake with the server behind `reader` and `writer`, until `deadline`. The receiver yields
    /// the server's facts, from before the handshake on; it must be read.
    pub(crate) async fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        setup: SessionConfig,
        deadline: Instant,
    ) -> Result<(Arc<Session>, mpsc::Receiver<ServerEvent>), RequestError> {
        let SessionConfig {
            server,
            server_root,
            files,
            config,
            log_message,
            group,
            timeout,
            languages,
            language,
        } = setup;
        let rim = Converter { root: Arc::new(files.path().to_owned()), encoding: ColumnEncoding::default() };
        let published = Arc::new(Published::new(&server, rim.clone()));
        let (answers, facts) = ServerMessageHandler::new(
            &server,
            server_root.clone(),
            config.clone(),
            log_message,
            Arc::clone(&published),
        );
        let handler = Arc::clone(&answers) as Arc<dyn Handler>;
        let connection = Connection::open(&server, reader, writer, handler, group);
        let info = initialize(&connection, &answers, &server_root, &config, deadline).await?;

        let (encoding, sync) = answers.capabilities().negotiated();
        let rim = Converter { encoding, ..rim };
        published.agree(rim.clone());
        let file_sync = Arc::new(FileSync::new(
            FileSyncConfig {
                connection: connection.clone(),
                files,
                languages,
                language,
                published: Arc::clone(&published),
            },
            Documents::new(sync, encoding),
        ));
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&file_sync).run_notifier());
        let session = Session {
            server,
            timeout,
            info,
            rim,
            connection,
            answers,
            files: file_sync,
            published,
            calm: RwLock::new(()),
            _tasks: tasks,
        };
        Ok((Arc::new(session), facts))
    }

    pub(crate) fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// Whether the server supports requests of this method now.
    pub(crate) fn supports(&self, method: &str) -> bool {
        self.answers.capabilities().supports(method)
    }

    /// Returns the methods that symd uses and the server supports: LSP's method names, sorted.
    pub(crate) fn features(&self) -> Vec<String> {
        self.answers.capabilities().features()
    }

    /// Notes a change of a file. The server is notified soon, and in any case before its next request. Never
    /// blocks.
    pub(crate) fn file_changed(&self, path: &RelPath, change: Change) {
        self.files.changed(path, change);
    }

    /// Opens a document, so that the server begins to load; an unreadable one is ignored.
    pub(crate) async fn open_document(&self, path: &RelPath) {
        let shown = self.files.sync(path, "textDocument/didOpen", self.deadline()).await;
        if let Err(error) = shown {
            tracing::debug!(server = self.server, %path, ?error, "could not be opened");
        }
    }

    /// Whether changes were lost because too many were pending: the server must be restarted to see the files
    /// correctly.
    pub(crate) fn lost_changes(&self) -> bool {
        self.files.lost_changes()
    }

    /// Whether the server has closed one of the pipes; if so, every request fails.
    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    /// Waits until the server has closed one of the pipes.
    pub(crate) async fn closed(&self) {
        self.connection.closed().await;
    }

    /// Sends `shutdown` and `exit`, until `deadline`. The server's own requests are still answered meanwhile.
    /// Does not wait for the process to exit; the caller checks that and uses force if necessary.
    pub(crate) async fn shutdown(&self, deadline: Instant) {
        let asked: Result<Value, RequestError> =
            self.connection.request("shutdown", &Value::Null, deadline).await;
        if let Err(error) = asked {
            tracing::debug!(server = self.server, %error, "shutdown was not answered");
        }
        let exit = async {
            self.connection.notify("exit", &Value::Null).await;
            self.connection.flush().await;
        };
        // After the deadline the caller uses force anyway.
        let _ = tokio::time::timeout_at(deadline, exit).await;
    }

    /// Returns the deadline of a request that is sent now.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Returns an error unless the server supports requests of this method.
    pub(super) fn require(&self, method: &'static str) -> Result<(), ServerError> {
        let is_there = self.supports(method);
        is_there
            .then_some(())
            .ok_or_else(|| ServerError::Unsupported { server: self.server.clone(), what: method })
    }

    /// Sends a request about a place in a file; `params` builds the parameters from the document's URI and
    /// the position.
    pub(super) async fn ask_at<R: DeserializeOwned + Send + 'static>(
        &self,
        at: &DocumentPosition,
        method: &'static str,
        params: impl Fn(&str, Position) -> Value,
    ) -> Result<R, ServerError> {
        let params = |told: &SentDocument| {
            let position = place::of_offset(&told.content.text, at.offset, self.rim.encoding);
            params(&told.uri, position.into())
        };
        self.ask_about(at, method, params).await
    }

    /// Sends a request about a file in the version `at.hash`.
    pub(super) async fn ask_about<R: DeserializeOwned + Send + 'static>(
        &self,
        at: &DocumentPosition,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, ServerError> {
        self.ask_version(&at.path, Some(at.hash), method, params).await
    }

    /// Sends a request about a file as it is on disk now.
    pub(super) async fn ask_current<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &RelPath,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, ServerError> {
        self.ask_version(path, None, method, params).await
    }

    /// Sends a request about a file, and retries when the server cancels it because files changed. The
    /// response counts only if the server was sent no other version meanwhile.
    async fn ask_version<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &RelPath,
        hash: Option<ContentHash>,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, ServerError> {
        self.require(method)?;
        let (begun, deadline) = (Instant::now(), self.deadline());
        let late = |_| self.failed(RequestError::TimedOut { method, after: begun.elapsed() });
        let mut attempt = 0;
        loop {
            attempt += 1;
            // Other tasks may send documents while this request is in progress. If that made the server
            // cancel it too often, they wait until it is done.
            let (mut shared, mut alone) = (None, None);
            if attempt <= RETRIES {
                shared = Some(tokio::time::timeout_at(deadline, self.calm.read()).await.map_err(late)?);
            } else {
                alone = Some(tokio::time::timeout_at(deadline, self.calm.write()).await.map_err(late)?);
            }
            let asked = self.files.ask(path, hash, method, &params, deadline).await;
            shared.take();
            let (told, asked) = asked.map_err(|unasked| self.unasked(path, unasked))?;
            let answer = asked.answer(deadline).await;
            alone.take();
            match answer {
                Err(error) if error.is_outdated() && attempt < 2 * RETRIES => {
                    tracing::debug!(server = self.server, method, attempt, "cancelled; sending again");
                }
                Err(error) => return Err(self.failed(error)),
                Ok(answer) => {
                    let now = self.files.sent_state(path);
                    let is_same = now.is_none_or(|now| now.content.hash == told.content.hash);
                    return if is_same { Ok(answer) } else { Err(ServerError::changed(path)) };
                }
            }
        }
    }

    /// Sends a request about all files, after the server was notified of every change.
    pub(super) async fn ask_of_project<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &Value,
    ) -> Result<R, ServerError> {
        let deadline = self.deadline();
        let shown = self.files.sync_all(method, deadline).await;
        shown.map_err(|unasked| self.unasked(&RelPath::root(), unasked))?;
        self.ask(method, params, deadline).await
    }

    /// Sends a request that follows up on an earlier response; retries when the server cancels it because
    /// files changed.
    pub(super) async fn ask<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &Value,
        deadline: Instant,
    ) -> Result<R, ServerError> {
        for _ in 0..RETRIES {
            match self.connection.request(method, params, deadline).await {
                Err(error) if error.is_outdated() => {}
                answer => return answer.map_err(|error| self.failed(error)),
            }
        }
        let late = |_| self.failed(RequestError::TimedOut { method, after: self.timeout });
        let _alone = tokio::time::timeout_at(deadline, self.calm.write()).await.map_err(late)?;
        let answer = self.connection.request(method, params, deadline).await;
        answer.map_err(|error| self.failed(error))
    }

    /// Sends a notification; it arrives before the next request.
    pub(super) async fn notify(&self, method: &'static str, params: &Value) {
        self.connection.notify(method, params).await;
    }

    /// Waits until no other command collects edits, then begins to collect those that the server requests.
    pub(super) async fn collect_edits(
        &self,
        method: &'static str,
        deadline: Instant,
    ) -> Result<CollectGuard, ServerError> {
        let (begun, begin) = (Instant::now(), self.answers.collected().begin());
        let collecting = tokio::time::timeout_at(deadline, begin).await.ok().flatten();
        collecting.ok_or_else(|| self.failed(RequestError::TimedOut { method, after: begun.elapsed() }))
    }

    /// Returns the identifier for pull requests for diagnostics, if the server has one.
    pub(super) fn diagnostics_identifier(&self) -> Option<String> {
        self.answers.capabilities().diagnostics_identifier()
    }

    /// Returns the types of the server's semantic tokens in the order of its legend.
    pub(super) fn token_types(&self) -> Vec<String> {
        self.answers.capabilities().token_types()
    }

    /// Converts the reason why a request was not sent.
    pub(super) fn unasked(&self, path: &RelPath, unasked: UnsentRequest) -> ServerError {
        match unasked {
            UnsentRequest::Changed => ServerError::changed(path),
            UnsentRequest::Unreadable(problem) => self.problem(problem),
            UnsentRequest::Request(error) => self.failed(error),
        }
    }

    /// Converts a failed request, and adds the next step to the message.
    pub(super) fn failed(&self, error: RequestError) -> ServerError {
        let server = &self.server;
        let next = match &error {
            RequestError::Unknown { method } => {
                return ServerError::Unsupported { server: server.clone(), what: method };
            }
            RequestError::Refused { method, code, message } if is_refusal(method, *code) => {
                return self.refuses(method, message);
            }
            RequestError::Closed { .. } | RequestError::Outdated { .. } => "ask again".to_owned(),
            RequestError::TimedOut { .. } => {
                format!("ask again, or raise `timeout` of [language-server.{server}] in languages.toml")
            }
            RequestError::Refused { .. } => {
                format!("if this persists, `symd server restart {server}` may help")
            }
            RequestError::TooLong { .. } | RequestError::WrongShape { .. } => {
                "if this persists, configure another server for the language in languages.toml".to_owned()
            }
        };
        self.problem(format!("{error}; {next}"))
    }

    /// Returns the error for a response, or a part of it, that cannot be decoded.
    pub(super) fn odd(&self, method: &'static str, error: &serde_json::Error) -> ServerError {
        self.failed(RequestError::WrongShape { method, problem: error.to_string() })
    }

    /// Returns the error for a response that was decoded but is invalid.
    pub(super) fn wrong(&self, method: &'static str, problem: String) -> ServerError {
        self.failed(RequestError::WrongShape { method, problem })
    }

    /// Returns the error for a refusal by the server.
    pub(super) fn refuses(&self, what: &'static str, reason: &str) -> ServerError {
        ServerError::Refused { server: self.server.clone(), what, reason: reason.trim().to_owned() }
    }

    fn problem(&self, problem: String) -> ServerError {
        ServerError::Failed { server: self.server.clone(), problem }
    }
}

/// Whether an error response is a refusal: a request for an edit may be refused for good reasons, which
/// servers report under many codes, but not under those for their own failures.
fn is_refusal(method: &str, code: i64) -> bool {
    // JSON-RPC 2.0: ParseError, InternalError; LSP 3.17: ServerNotInitialized.
    const FAILURES: [i64; 3] = [-32700, -32603, -32002];
    const EDITS: [&str; 7] = [
        "codeAction/resolve",
        "textDocument/formatting",
        "textDocument/prepareRename",
        "textDocument/rangeFormatting",
        "textDocument/rename",
        "workspace/executeCommand",
        "workspace/willRenameFiles",
    ];
    EDITS.contains(&method) && !FAILURES.contains(&code)
}
