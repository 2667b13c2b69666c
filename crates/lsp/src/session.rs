//! One running, initialized server that can be asked. It knows nothing of processes, readiness or restarts: whoever
//! drives it does, by the facts it tells. Invariant: every question is asked about the very text that was meant, under
//! one deadline, and a failure names the server and the next step.

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

use super::answers::Answers;
use super::at::At;
use super::collected::Collecting;
use super::connection::{Connection, Handler, RequestError};
use super::convert::Rim;
use super::documents::{Documents, SentDocument};
use super::fact::Fact;
use super::files::{Files, FilesSetup, Unasked};
use super::handshake::{ServerInfo, shake_hands};
use super::no_answer::NoAnswer;
use super::place;
use super::published::Published;
use super::span::ColumnEncoding;
use symd_base::{ContentHash, RelPath};
use symd_config::{LanguageId, Languages};
use symd_vfs::{Change, Root};

/// How often a question is asked while others go on, and then alone, when the server gives it up because files changed.
const RETRIES: usize = 3;

/// What a session takes.
pub(crate) struct Setup {
    /// The server's name in languages.toml.
    pub(crate) server: String,
    /// The root that it is given: absolute, links resolved, the project's or a directory in it.
    pub(crate) server_root: PathBuf,
    /// The door to the project's files.
    pub(crate) root: Arc<Root>,
    /// Its settings; null: none.
    pub(crate) config: Value,
    /// A part of the `window/logMessage` that its readiness waits for.
    pub(crate) log_message: Option<String>,
    /// How long a question may take.
    pub(crate) timeout: Duration,
    /// How files are told apart.
    pub(crate) languages: Arc<Languages>,
    /// The language of files whose names do not tell.
    pub(crate) language: LanguageId,
}

/// An initialized server.
pub(crate) struct Session {
    server: String,
    timeout: Duration,
    info: ServerInfo,
    pub(super) rim: Rim,
    connection: Connection,
    answers: Arc<Answers>,
    pub(super) files: Arc<Files>,
    pub(super) published: Arc<Published>,
    /// Shared by whoever tells the server of documents, taken alone by a question that this broke off too often: some
    /// servers (ty) give up everything under way whenever a document is opened.
    calm: RwLock<()>,
    // Aborted when dropped.
    _tasks: JoinSet<()>,
}

impl Session {
    /// Introduces symd to the server behind `reader` and `writer`, until `deadline`. The receiver gives the facts that
    /// it tells, from before the handshake on; it must be read.
    pub(crate) async fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        setup: Setup,
        deadline: Instant,
    ) -> Result<(Arc<Session>, mpsc::Receiver<Fact>), RequestError> {
        let Setup { server, server_root, root, config, log_message, timeout, languages, language } = setup;
        let rim = Rim { root: Arc::new(root.path().to_owned()), encoding: ColumnEncoding::default() };
        let published = Arc::new(Published::new(&server, rim.clone()));
        let (answers, facts) =
            Answers::new(&server, server_root.clone(), config.clone(), log_message, Arc::clone(&published));
        let handler = Arc::clone(&answers) as Arc<dyn Handler>;
        let connection = Connection::open(&server, reader, writer, handler);
        let info = shake_hands(&connection, &answers, &server_root, &config, deadline).await?;

        let (encoding, sync) = answers.capabilities().agreed();
        let rim = Rim { encoding, ..rim };
        published.agree(rim.clone());
        let files = Arc::new(Files::new(
            FilesSetup {
                connection: connection.clone(),
                root,
                languages,
                language,
                published: Arc::clone(&published),
            },
            Documents::new(sync, encoding),
        ));
        let mut tasks = JoinSet::new();
        tasks.spawn(Arc::clone(&files).keep_telling());
        let session = Session {
            server,
            timeout,
            info,
            rim,
            connection,
            answers,
            files,
            published,
            calm: RwLock::new(()),
            _tasks: tasks,
        };
        Ok((Arc::new(session), facts))
    }

    /// Who the server says it is.
    pub(crate) fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// Whether it answers requests of this method now.
    pub(crate) fn supports(&self, method: &str) -> bool {
        self.answers.capabilities().supports(method)
    }

    /// The requests it answers, of those symd makes: LSP's method names, sorted.
    pub(crate) fn features(&self) -> Vec<String> {
        self.answers.capabilities().features()
    }

    /// Notes a change of a file, which the server hears of soon, and before its next question. Does not wait.
    pub(crate) fn file_changed(&self, path: &RelPath, change: Change) {
        self.files.changed(path, change);
    }

    /// Opens a document, so that the server begins to load; one that cannot be read is left alone.
    pub(crate) async fn show(&self, path: &RelPath) {
        let shown = self.files.sync(path, "textDocument/didOpen", self.deadline()).await;
        if let Err(error) = shown {
            tracing::debug!(server = self.server, %path, ?error, "could not be opened");
        }
    }

    /// Whether more changes came than could be kept: the server must be restarted to know the files again.
    pub(crate) fn lost_changes(&self) -> bool {
        self.files.lost_changes()
    }

    /// Whether the server has closed one of the pipes: every question fails from now on.
    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    /// Waits until it has.
    pub(crate) async fn closed(&self) {
        self.connection.closed().await;
    }

    /// Asks the server to end, and tells it to, until `deadline`. It goes on being answered meanwhile. Whether it does
    /// end is for the driver to see, who ends it by force if not.
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
        // Past the deadline the driver uses force anyway.
        let _ = tokio::time::timeout_at(deadline, exit).await;
    }

    /// When a question that is asked now must be answered.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// An error, unless the server answers requests of this method.
    pub(super) fn require(&self, method: &'static str) -> Result<(), NoAnswer> {
        let is_there = self.supports(method);
        is_there
            .then_some(())
            .ok_or_else(|| NoAnswer::Unsupported { server: self.server.clone(), what: method })
    }

    /// Asks about a place in a file; `params` makes the parameters of the document's URI and the position.
    pub(super) async fn ask_at<R: DeserializeOwned + Send + 'static>(
        &self,
        at: &At,
        method: &'static str,
        params: impl Fn(&str, Position) -> Value,
    ) -> Result<R, NoAnswer> {
        let params = |told: &SentDocument| {
            let position = place::of_offset(&told.content.text, at.offset, self.rim.encoding);
            params(&told.uri, position.into())
        };
        self.ask_about(at, method, params).await
    }

    /// Asks about a file in the version that is meant.
    pub(super) async fn ask_about<R: DeserializeOwned + Send + 'static>(
        &self,
        at: &At,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, NoAnswer> {
        self.ask_version(&at.path, Some(at.hash), method, params).await
    }

    /// Asks about a file as it is on disk now.
    pub(super) async fn ask_current<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &RelPath,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, NoAnswer> {
        self.ask_version(path, None, method, params).await
    }

    /// The answer counts only if the server was told of no other version meanwhile.
    async fn ask_version<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &RelPath,
        hash: Option<ContentHash>,
        method: &'static str,
        params: impl Fn(&SentDocument) -> Value,
    ) -> Result<R, NoAnswer> {
        self.require(method)?;
        let (begun, deadline) = (Instant::now(), self.deadline());
        let late = |_| self.failed(RequestError::TimedOut { method, after: begun.elapsed() });
        let mut attempt = 0;
        loop {
            attempt += 1;
            // Others may tell the server of documents while this question is under way, until that has broken it off
            // too often: then they wait for it.
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
                    tracing::debug!(server = self.server, method, attempt, "given up, asked again");
                }
                Err(error) => return Err(self.failed(error)),
                Ok(answer) => {
                    let now = self.files.told(path);
                    let is_same = now.is_none_or(|now| now.content.hash == told.content.hash);
                    return if is_same { Ok(answer) } else { Err(changed(path)) };
                }
            }
        }
    }

    /// Asks about all files, after the server has been told of every change.
    pub(super) async fn ask_of_project<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &Value,
    ) -> Result<R, NoAnswer> {
        let deadline = self.deadline();
        let shown = self.files.sync_all(method, deadline).await;
        shown.map_err(|unasked| self.unasked(&RelPath::root(), unasked))?;
        self.ask(method, params, deadline).await
    }

    /// Asks with what an earlier answer gave.
    pub(super) async fn ask<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: &Value,
        deadline: Instant,
    ) -> Result<R, NoAnswer> {
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

    /// Tells the server something; its next question finds it told.
    pub(super) async fn tell(&self, method: &'static str, params: &Value) {
        self.connection.notify(method, params).await;
    }

    /// Collects the edits that the server asks for, once nobody else does.
    pub(super) async fn collect_edits(
        &self,
        method: &'static str,
        deadline: Instant,
    ) -> Result<Collecting, NoAnswer> {
        let (begun, begin) = (Instant::now(), self.answers.collected().begin());
        let collecting = tokio::time::timeout_at(deadline, begin).await.ok().flatten();
        collecting.ok_or_else(|| self.failed(RequestError::TimedOut { method, after: begun.elapsed() }))
    }

    /// The name under which the server wants its diagnostics pulled, if any.
    pub(super) fn diagnostics_identifier(&self) -> Option<String> {
        self.answers.capabilities().diagnostics_identifier()
    }

    /// The types of the server's semantic tokens, in the order in which it numbers them.
    pub(super) fn token_types(&self) -> Vec<String> {
        self.answers.capabilities().token_types()
    }

    /// Why a question could not be asked, for the asker.
    pub(super) fn unasked(&self, path: &RelPath, unasked: Unasked) -> NoAnswer {
        match unasked {
            Unasked::Changed => changed(path),
            Unasked::Unreadable(problem) => self.problem(problem),
            Unasked::Request(error) => self.failed(error),
        }
    }

    /// Why a request failed, and the next step, for the asker.
    pub(super) fn failed(&self, error: RequestError) -> NoAnswer {
        let server = &self.server;
        let next = match &error {
            RequestError::Unknown { method } => {
                return NoAnswer::Unsupported { server: server.clone(), what: method };
            }
            RequestError::Refused { method, code, message } if is_refusal(method, *code) => {
                return self.refuses(method, message);
            }
            RequestError::Closed { .. } | RequestError::Outdated { .. } => "ask again".to_owned(),
            RequestError::TimedOut { .. } => {
                format!("ask again, or raise `timeout` of [language-server.{server}] in languages.toml")
            }
            RequestError::Refused { .. } => {
                format!("if that stays, `symd server restart {server}` may help")
            }
            RequestError::TooLong { .. } | RequestError::WrongShape { .. } => {
                "if that stays, name another server for the language in languages.toml".to_owned()
            }
        };
        self.problem(format!("{error}; {next}"))
    }

    /// An answer, or a part of it, that is not what LSP says.
    pub(super) fn odd(&self, method: &'static str, error: &serde_json::Error) -> NoAnswer {
        self.failed(RequestError::WrongShape { method, problem: error.to_string() })
    }

    /// An answer of the right shape that cannot be meant.
    pub(super) fn wrong(&self, method: &'static str, problem: String) -> NoAnswer {
        self.failed(RequestError::WrongShape { method, problem })
    }

    /// The server's word that it will not.
    pub(super) fn refuses(&self, what: &'static str, reason: &str) -> NoAnswer {
        NoAnswer::Refused { server: self.server.clone(), what, reason: reason.trim().to_owned() }
    }

    fn problem(&self, problem: String) -> NoAnswer {
        NoAnswer::Failed { server: self.server.clone(), problem }
    }
}

/// Whether an error is the server's word that it will not: requests for edits may be refused for good reasons, which
/// servers give under many codes, but not under those of their own failures.
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

fn changed(path: &RelPath) -> NoAnswer {
    NoAnswer::Changed { path: path.to_string() }
}
