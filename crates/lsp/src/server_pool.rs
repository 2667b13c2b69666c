//! Chooses the server that answers a question: the first of the language's that can, or the reason why none
//! can. Also merges equal questions. Invariant: a server is created only if its program exists and the
//! project is trusted as far as the server requires it, and there is one per name and root.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::feature::Feature;
use super::memory_of_all::MemoryOfAll;
use super::server::{InUseGuard, STOPPED_BY_HAND, Server, Spec, Usable};
use super::session::Session;
use super::shared_requests::{SharedRequests, Sharing, WaitOutcome};
use super::{Change, DocumentPosition, ServerAnswer, ServerError, ServersOptions, WaitPolicy, server_root};
use symd_base::{ContentHash, RelPath};
use symd_config::server::Install;
use symd_config::{LanguageId, LanguageServer, Languages};

/// All servers of one project.
#[derive(Debug)]
pub(super) struct ServerPool {
    pub(super) options: ServersOptions,
    servers: Mutex<ServerTable>,
    roots: Mutex<HashMap<LanguageId, RelPath>>,
    shared: SharedRequests<QuestionKey>,
    memory_of_all: Arc<MemoryOfAll>,
    outliners: Mutex<HashMap<LanguageId, (Instant, Outliner)>>,
}

/// A text that identifies the server that would outline a language, or why there is none.
type Outliner = Result<String, ServerError>;

/// How long the choice of an outlining server is cached: every question about symbols needs it.
const OUTLINER_STAYS: Duration = Duration::from_secs(2);

/// The reason in [`ServerError::NotReady`] when a ready server's answer takes longer than a question that does
/// not wait.
const ANSWER: &str = "it is still working on the answer, which is kept for the next question";

/// The created servers by name and root; none is created after `over` is set.
#[derive(Debug, Default)]
pub(super) struct ServerTable {
    pub(super) servers: BTreeMap<(String, RelPath), Arc<Server>>,
    /// Names of servers that the user stopped: none is created for a further root.
    stopped: BTreeSet<String>,
    over: bool,
}

/// Two questions with equal keys are merged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct QuestionKey {
    server: String,
    root: RelPath,
    feature: Feature,
    about: QuestionSubject,
}

/// The subject of a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct QuestionSubject {
    /// The file; `None` for the whole project.
    pub(super) path: Option<RelPath>,
    /// Byte offsets; the start equals the end for a place.
    pub(super) range: Option<(u32, u32)>,
    pub(super) hash: Option<ContentHash>,
    pub(super) revision: u64,
    /// Further parameters: a new name, a title.
    pub(super) words: Option<String>,
}

impl QuestionSubject {
    pub(super) fn place(at: &DocumentPosition) -> QuestionSubject {
        let DocumentPosition { path, offset, hash, revision } = at;
        QuestionSubject {
            path: Some(path.clone()),
            range: Some((*offset, *offset)),
            hash: Some(*hash),
            revision: *revision,
            words: None,
        }
    }

    pub(super) fn with_parameters(mut self, words: impl Into<String>) -> QuestionSubject {
        self.words = Some(words.into());
        self
    }
}

impl ServerPool {
    pub(super) fn new(options: ServersOptions) -> ServerPool {
        ServerPool {
            memory_of_all: Arc::new(MemoryOfAll::new(options.memory_limit_of_all)),
            options,
            servers: Mutex::default(),
            roots: Mutex::default(),
            shared: SharedRequests::default(),
            outliners: Mutex::default(),
        }
    }

    /// Asks the first server of the language that can answer; `run` sends the request through a session. If
    /// the server dies and `waiting` is `Until`, the question is asked once more, of the next process. Not
    /// more often, because the question may be the cause.
    pub(super) async fn ask<T, F>(
        &self,
        language: LanguageId,
        feature: Feature,
        about: QuestionSubject,
        waiting: WaitPolicy,
        run: impl FnOnce(Arc<Session>) -> F + Clone + Send + 'static,
    ) -> Result<ServerAnswer<T>, ServerError>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, ServerError>> + Send + 'static,
    {
        let first = self.ask_once(language, feature, about.clone(), waiting, run.clone()).await;
        match (first, waiting) {
            (Err(Failure { died: true, .. }), WaitPolicy::Until(_)) => {
                let second = self.ask_once(language, feature, about, waiting, run).await;
                second.map_err(|failure| failure.why)
            }
            (answer, _) => answer.map_err(|failure| failure.why),
        }
    }

    async fn ask_once<T, F>(
        &self,
        language: LanguageId,
        feature: Feature,
        about: QuestionSubject,
        waiting: WaitPolicy,
        run: impl FnOnce(Arc<Session>) -> F + Send + 'static,
    ) -> Result<ServerAnswer<T>, Failure>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, ServerError>> + Send + 'static,
    {
        let (server, Usable { session, maybe_indexing }, using) =
            self.find_usable(language, feature, about.path.as_ref(), waiting).await?;
        if let (WaitPolicy::DontWait | WaitPolicy::ForAnswer, Some(since)) = (waiting, server.late_since()) {
            let value = self
                .try_late(&server, since, send_question(Arc::clone(&server), session, run), using)
                .await?;
            return Ok(ServerAnswer { value, server: server.spec.name.clone(), maybe_indexing });
        }
        // Held until the answer has come.
        let _using = using;
        let (name, root) = (server.spec.name.clone(), server.spec.root_in_project.clone());
        let asked = QuestionKey { server: name.clone(), root, feature, about };
        let used = server.used();
        let on_share = |sharing| {
            let counter = match sharing {
                Sharing::Started => &used.requests,
                Sharing::Joined => &used.shared,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let for_work = Arc::clone(&server);
        let work = || send_question(for_work, session, run);
        let patience = match waiting {
            WaitPolicy::DontWait if feature.has_syntax_answer() => Some(self.options.answer_patience),
            WaitPolicy::DontWait | WaitPolicy::ForAnswer | WaitPolicy::Until(_) => None,
        };
        let began = Instant::now();
        match self.shared.share(asked, on_share, work, patience).await {
            WaitOutcome::Done(answer) => Ok(ServerAnswer { value: answer?, server: name, maybe_indexing }),
            WaitOutcome::Panicked => {
                Err(failed(&name, "internal error, a bug in symd; see `symd logs`").into())
            }
            WaitOutcome::TimedOut => {
                let seconds = began.elapsed().as_secs();
                Err(ServerError::NotReady { server: name, waiting_for: ANSWER.to_owned(), seconds }.into())
            }
        }
    }

    /// Asks a server whose last request timed out, for a caller that does not wait. The caller waits for
    /// `answer_patience` at most, while the request goes on, which finds out whether the server responds
    /// again or must be restarted. One such request is in progress at a time; other callers get
    /// [`ServerError::NotReady`] at once.
    async fn try_late<T: Send + 'static>(
        &self,
        server: &Arc<Server>,
        since: Instant,
        question: impl Future<Output = Result<T, Failure>> + Send + 'static,
        using: InUseGuard,
    ) -> Result<T, Failure> {
        let (tell, told) = oneshot::channel();
        let is_put = server.start_trial(async move {
            let _using = using;
            let _ = tell.send(question.await);
        });
        let answer = if is_put {
            timeout(self.options.answer_patience, told).await.ok().and_then(Result::ok)
        } else {
            None
        };
        answer.unwrap_or_else(|| Err(server.late_error(since).into()))
    }

    async fn find_usable(
        &self,
        language: LanguageId,
        feature: Feature,
        document: Option<&RelPath>,
        waiting: WaitPolicy,
    ) -> Result<(Arc<Server>, Usable, InUseGuard), ServerError> {
        let known = self.options.languages.get(language);
        let root = self.root_of(language).await;
        let mut reasons = Vec::new();
        for wanted in known.language_servers.iter().filter(|server| feature.is_enabled_for(server)) {
            let server = match self.server(language, &wanted.name, &root) {
                Ok(server) => server,
                Err(ServerError::Stopping) => return Err(ServerError::Stopping),
                Err(reason) => {
                    reasons.push(reason);
                    continue;
                }
            };
            // Held from here on, so that the server does not idle-stop while callers wait for it.
            let using = server.using();
            match server.ready(document, waiting).await {
                Ok(usable)
                    if feature.required_method.is_none_or(|method| usable.session.supports(method)) =>
                {
                    return Ok((server, usable, using));
                }
                Ok(_) => reasons.push(ServerError::Unsupported {
                    server: wanted.name.clone(),
                    what: feature.required_method.unwrap_or(feature.method),
                }),
                // The server will be ready soon; another server's answer would differ from its answer a
                // moment later.
                Err(answer @ (ServerError::NotReady { .. } | ServerError::Stopping)) => return Err(answer),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(self.best_reason(language, reasons))
    }

    /// Returns the most informative reason: that of an existing server first; of several missing servers, the
    /// first one's.
    fn best_reason(&self, language: LanguageId, reasons: Vec<ServerError>) -> ServerError {
        let rank = |reason: &ServerError| match reason {
            ServerError::Failed { .. } => 0,
            ServerError::Down { .. } => 1,
            ServerError::NotTrusted { .. } => 2,
            ServerError::Unsupported { .. } => 3,
            _ => 4,
        };
        let language = self.options.languages.get(language).name.clone();
        let none = ServerError::NoServer {
            language,
            reason: "languages.toml lists none for this question".to_owned(),
            install: None,
        };
        reasons.into_iter().min_by_key(rank).unwrap_or(none)
    }

    /// Returns the server `name`, and creates it if its program exists and may be run.
    fn server(&self, language: LanguageId, name: &str, root: &RelPath) -> Result<Arc<Server>, ServerError> {
        let mut made = self.lock_servers();
        if made.over {
            return Err(ServerError::Stopping);
        }
        let key = (name.to_owned(), root.clone());
        if let Some(server) = made.servers.get(&key) {
            return Ok(Arc::clone(server));
        }
        if made.stopped.contains(name) {
            return Err(stopped_by_hand(name));
        }
        let spec = self.spec(language, name, root)?;
        self.check(language, &spec)?;
        let server = Arc::new(Server::new(spec));
        made.servers.insert(key, Arc::clone(&server));
        Ok(server)
    }

    pub(super) fn spec(&self, language: LanguageId, name: &str, root: &RelPath) -> Result<Spec, ServerError> {
        let options = &self.options;
        let config = options.languages.server(name).ok_or_else(|| ServerError::NoServer {
            language: options.languages.get(language).name.clone(),
            reason: format!("languages.toml names {name}, but has no [language-server.{name}]; add it"),
            install: None,
        })?;
        let megabytes = config.memory_limit_mb.map(|limit| limit << 20);
        Ok(Spec {
            name: name.to_owned(),
            config: config.clone(),
            directory: options.files.path().join(root.as_path()),
            language,
            root_in_project: root.clone(),
            files: Arc::clone(&options.files),
            languages: Arc::clone(&options.languages),
            supervisor: options.supervisor.clone(),
            installed: options.installed.clone(),
            search_path: options.search_path.clone(),
            state: options.state_directory.join(file_name(name, root)),
            log: options.state_directory.join(format!("{}.log", file_name(name, root))),
            idle_stop: options.idle_stop,
            memory_limit: megabytes.or(options.memory_limit),
            memory_of_all: Arc::clone(&self.memory_of_all),
        })
    }

    fn check(&self, language: LanguageId, spec: &Spec) -> Result<(), ServerError> {
        let languages = &self.options.languages;
        spec.program().map_err(|problem| ServerError::NoServer {
            reason: format!("{problem}{}", next_step(languages, language, &spec.name, &spec.config)),
            language: languages.get(language).name.clone(),
            install: if spec.is_missing() { install_command(languages, language) } else { None },
        })?;
        match &spec.config.runs_project_code {
            Some(runs) if !self.options.trusted => {
                Err(ServerError::NotTrusted { server: spec.name.clone(), runs: runs.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Whether a server of the language exists, or can be created.
    pub(super) fn may_answer(&self, language: LanguageId) -> bool {
        self.available(language).next().is_some()
    }

    /// Returns the names of the language's servers that exist, or can be created, the preferred one first.
    pub(super) fn available(&self, language: LanguageId) -> impl Iterator<Item = &str> {
        let known = self.options.languages.get(language);
        let names = known.language_servers.iter().map(|wanted| wanted.name.as_str());
        names.filter(move |name| {
            let exists = self.lock_servers().servers.keys().any(|(known, _)| known == name);
            let can_be = || self.check(language, &self.spec(language, name, &RelPath::root())?);
            exists || can_be().is_ok()
        })
    }

    /// Returns the first server of the language whose program exists, that may be started and that may answer
    /// outlines, or why there is none.
    pub(super) fn outliner(&self, language: LanguageId) -> Outliner {
        let mut outliners = self.outliners.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match outliners.get(&language) {
            Some((looked, known)) if now.duration_since(*looked) < OUTLINER_STAYS => known.clone(),
            _ => {
                let found = self.look_for_outliner(language);
                outliners.insert(language, (now, found.clone()));
                found
            }
        }
    }

    fn look_for_outliner(&self, language: LanguageId) -> Outliner {
        let known = self.options.languages.get(language);
        let wanted =
            known.language_servers.iter().filter(|server| Feature::DOCUMENT_SYMBOLS.is_enabled_for(server));
        let mut reasons = Vec::new();
        for wanted in wanted {
            let spec = self.spec(language, &wanted.name, &RelPath::root());
            match spec.and_then(|spec| self.check(language, &spec).map(|()| spec)) {
                Ok(spec) => {
                    if let Ok(program) = spec.program()
                        && let Ok(meta) = program.metadata()
                    {
                        let changed = meta.modified().ok();
                        let state = format!("{} {changed:?}", meta.len());
                        return Ok(format!("{} {} {state}", wanted.name, program.display()));
                    }
                }
                Err(reason) => reasons.push(reason),
            }
        }
        Err(self.best_reason(language, reasons))
    }

    async fn root_of(&self, language: LanguageId) -> RelPath {
        if let Some(root) = self.roots().get(&language) {
            return root.clone();
        }
        let (files, languages) = (Arc::clone(&self.options.files), Arc::clone(&self.options.languages));
        let look = move || server_root::root_of(&*files, &languages, language);
        let root = tokio::task::spawn_blocking(look).await.unwrap_or_else(|_| RelPath::root());
        // Another question may have computed it meanwhile; the first result counts, so that there is one
        // server.
        self.roots().entry(language).or_insert(root).clone()
    }

    /// Notifies all servers that run or are starting of a change.
    pub(super) fn changed(&self, path: &RelPath, change: Change) {
        for server in self.lock_servers().servers.values() {
            server.changed(path, change);
        }
    }

    /// Notifies all running servers of renamed files.
    pub(super) async fn renamed(&self, files: &[(RelPath, RelPath)]) {
        let running: Vec<Arc<Session>> =
            self.lock_servers().servers.values().filter_map(|server| server.phase().session).collect();
        for session in running {
            session.did_rename_files(files).await;
        }
    }

    pub(super) async fn restart(&self, name: &str) -> Result<(), ServerError> {
        self.lock_servers().stopped.remove(name);
        for server in self.by_name(name).await? {
            server.restart().await?;
        }
        Ok(())
    }

    pub(super) async fn stop(&self, name: &str) -> Result<(), ServerError> {
        let called = self.by_name(name).await?;
        self.lock_servers().stopped.insert(name.to_owned());
        for server in called {
            server.stop().await?;
        }
        Ok(())
    }

    /// Returns the servers with this name, one per root; creates one if there is none.
    async fn by_name(&self, name: &str) -> Result<Vec<Arc<Server>>, ServerError> {
        let all: Vec<Arc<Server>> = self.lock_servers().servers.values().cloned().collect();
        let called: Vec<Arc<Server>> = all.into_iter().filter(|server| server.spec.name == name).collect();
        if !called.is_empty() {
            return Ok(called);
        }
        let uses = |(_, language): &(LanguageId, &symd_config::Language)| {
            language.language_servers.iter().any(|server| server.name == name)
        };
        let language = self.options.languages.all().find(uses).map(|(language, _)| language);
        let Some(language) = language else {
            let reason = "no server has this name; `symd doctor` lists all".to_owned();
            return Err(ServerError::NoServer { language: name.to_owned(), reason, install: None });
        };
        let root = self.root_of(language).await;
        Ok(vec![self.server(language, name, &root)?])
    }

    /// Stops all servers concurrently; returns when no process of them is left.
    pub(super) async fn shutdown(&self) {
        let servers = {
            let mut made = self.lock_servers();
            made.over = true;
            made.servers.values().cloned().collect::<Vec<_>>()
        };
        let mut endings = tokio::task::JoinSet::new();
        for server in servers {
            endings.spawn(async move { server.shutdown().await });
        }
        endings.join_all().await;
    }

    pub(super) fn lock_servers(&self) -> MutexGuard<'_, ServerTable> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn roots(&self) -> MutexGuard<'_, HashMap<LanguageId, RelPath>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a request through a session, and records for the server whether it answered, timed out or died.
async fn send_question<T, F>(
    server: Arc<Server>,
    session: Arc<Session>,
    run: impl FnOnce(Arc<Session>) -> F,
) -> Result<T, Failure>
where
    F: Future<Output = Result<T, ServerError>>,
{
    // The server may still work on the request after its caller has gone: it is not idle until then.
    let _using = server.using();
    let asked = Instant::now();
    let answer = run(Arc::clone(&session)).await;
    match answer {
        Err(why @ ServerError::Failed { .. }) if session.is_closed() => {
            Err(Failure { why: server.exit_report(&session).await.unwrap_or(why), died: true })
        }
        Err(ServerError::Failed { .. })
            if asked.elapsed() >= Duration::from_secs(server.spec.config.timeout) =>
        {
            server.record_timeout(&session, asked);
            answer.map_err(Failure::from)
        }
        answer => {
            server.record_response();
            answer.map_err(Failure::from)
        }
    }
}

/// Why a question was not answered.
#[derive(Clone, Debug)]
struct Failure {
    why: ServerError,
    /// Whether the server's process ended before the answer.
    died: bool,
}

impl From<ServerError> for Failure {
    fn from(why: ServerError) -> Failure {
        Failure { why, died: false }
    }
}

fn stopped_by_hand(server: &str) -> ServerError {
    ServerError::Down { server: server.to_owned(), problem: STOPPED_BY_HAND.to_owned() }
}

fn failed(server: &str, problem: &str) -> ServerError {
    ServerError::Failed { server: server.to_owned(), problem: problem.to_owned() }
}

/// Returns a name for a server's files in the state directory.
fn file_name(name: &str, root: &RelPath) -> String {
    let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "_");
    if root.is_root() {
        return plain(name);
    }
    // The hash keeps two roots with the same plain name apart.
    let hash = ContentHash::of(root.as_str().as_bytes()).short();
    format!("{}-{hash}", plain(name))
}

/// Describes how to install the missing server `name`; another server of the language that symd can install
/// is named too.
fn next_step(languages: &Languages, language: LanguageId, name: &str, config: &LanguageServer) -> String {
    let known = languages.get(language);
    let first = first_by_symd(languages, language);
    let by_language = format!("`symd install {}` installs", known.name);
    let by_hand = match config.install.iter().find_map(Install::manual_instruction) {
        _ if first == Some(name) => return format!("; {by_language} {name}"),
        _ if by_symd(config) => return format!("; `symd install {name}` installs it"),
        Some(hint) => format!("; {hint}"),
        None => format!("; install {name} so that it is on PATH"),
    };
    first.map_or_else(|| by_hand.clone(), |other| format!("{by_hand}; or {by_language} {other}"))
}

/// Returns the command that installs the first of the language's servers that symd can install.
fn install_command(languages: &Languages, language: LanguageId) -> Option<String> {
    first_by_symd(languages, language).map(|_| format!("symd install {}", languages.get(language).name))
}

fn first_by_symd(languages: &Languages, language: LanguageId) -> Option<&str> {
    let mut servers = languages.get(language).language_servers.iter().map(|used| used.name.as_str());
    servers.find(|server| languages.server(server).is_some_and(by_symd))
}

/// Whether symd can install the server.
fn by_symd(server: &LanguageServer) -> bool {
    server.install.iter().any(|part| part.manual_instruction().is_none())
}
