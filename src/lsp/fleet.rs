//! Which server answers what: the first of the language's that can, with a text of why none could. Also asks equal
//! questions once. Invariant: a server is made only if its program is there and the project is trusted as far as the
//! server needs it, and there is one per name and root.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::feature::Feature;
use super::flights::{Flights, Taken};
use super::server::{Server, Spec, Usable, Using};
use super::session::Session;
use super::{At, Change, NoAnswer, Said, ServerState, ServerStatus, ServersOptions, Waiting, group, nested};
use crate::base::{ContentHash, RelPath};
use crate::config::server::Install;
use crate::config::{LanguageId, LanguageServer, ServerUse};

/// All servers of one project.
#[derive(Debug)]
pub(super) struct Fleet {
    options: ServersOptions,
    servers: Mutex<Made>,
    roots: Mutex<HashMap<LanguageId, RelPath>>,
    flights: Flights<Asked>,
    outliners: Mutex<HashMap<LanguageId, (Instant, Option<String>)>>,
}

/// For how long it is not looked again which program would outline a language: every question about symbols asks.
const OUTLINER_STAYS: Duration = Duration::from_secs(2);

/// The servers by name and root; none are made once it is over.
#[derive(Debug, Default)]
struct Made {
    servers: BTreeMap<(String, RelPath), Arc<Server>>,
    over: bool,
}

/// What makes two questions equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asked {
    server: String,
    root: RelPath,
    feature: Feature,
    about: About,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct About {
    /// `None`: the whole project.
    pub(super) path: Option<RelPath>,
    /// Where; with an end where a range is meant.
    pub(super) range: Option<(u32, u32)>,
    pub(super) hash: Option<ContentHash>,
    pub(super) revision: u64,
}

impl About {
    pub(super) fn place(at: &At) -> About {
        let At { path, offset, hash, revision } = at;
        About {
            path: Some(path.clone()),
            range: Some((*offset, *offset)),
            hash: Some(*hash),
            revision: *revision,
        }
    }
}

impl Fleet {
    pub(super) fn new(options: ServersOptions) -> Fleet {
        Fleet {
            options,
            servers: Mutex::default(),
            roots: Mutex::default(),
            flights: Flights::default(),
            outliners: Mutex::default(),
        }
    }

    /// Asks the first server of the language that can answer. `run` puts the question to a session.
    pub(super) async fn ask<T, F>(
        &self,
        language: LanguageId,
        feature: Feature,
        about: About,
        waiting: Waiting,
        run: impl FnOnce(Arc<Session>) -> F + Send + 'static,
    ) -> Result<Said<T>, NoAnswer>
    where
        T: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, NoAnswer>> + Send + 'static,
    {
        let (server, Usable { session, maybe_indexing }, _using) =
            self.usable(language, feature, waiting).await?;
        let (name, root) = (server.spec.name.clone(), server.spec.root_in_project.clone());
        let asked = Asked { server: name.clone(), root, feature, about };
        let used = server.used();
        let noted = |taken| {
            let counter = match taken {
                Taken::First => &used.requests,
                Taken::Along => &used.shared,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        };
        let for_work = Arc::clone(&server);
        let work = || put(for_work, session, run);
        let answer = self.flights.share(asked, noted, work).await;
        let value = answer.unwrap_or_else(|| Err(failed(&name, "the question broke off; ask again")))?;
        Ok(Said { value, server: name, maybe_indexing })
    }

    async fn usable(
        &self,
        language: LanguageId,
        feature: Feature,
        waiting: Waiting,
    ) -> Result<(Arc<Server>, Usable, Using), NoAnswer> {
        let known = self.options.languages.get(language);
        let root = self.root_of(language).await;
        let mut reasons = Vec::new();
        for wanted in known.language_servers.iter().filter(|server| feature.is_wanted_of(server)) {
            let server = match self.server(language, &wanted.name, &root) {
                Ok(server) => server,
                Err(NoAnswer::Stopping) => return Err(NoAnswer::Stopping),
                Err(reason) => {
                    reasons.push(reason);
                    continue;
                }
            };
            // From here on: whoever waits for it wants it to stay.
            let using = server.using();
            match server.ready(waiting).await {
                Ok(usable) if feature.needs.is_none_or(|method| usable.session.supports(method)) => {
                    return Ok((server, usable, using));
                }
                Ok(_) => reasons.push(NoAnswer::Unsupported {
                    server: wanted.name.clone(),
                    what: feature.needs.unwrap_or(feature.method),
                }),
                // It is on its way: another's answer meanwhile would differ from its own a second later.
                Err(answer @ (NoAnswer::NotReady { .. } | NoAnswer::Stopping)) => return Err(answer),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(self.why_none(language, reasons))
    }

    /// The reason that says most: that of a server that was there, and of several missing ones the first's.
    fn why_none(&self, language: LanguageId, reasons: Vec<NoAnswer>) -> NoAnswer {
        let rank = |reason: &NoAnswer| match reason {
            NoAnswer::Failed { .. } => 0,
            NoAnswer::Down { .. } => 1,
            NoAnswer::NotTrusted { .. } => 2,
            NoAnswer::Unsupported { .. } => 3,
            _ => 4,
        };
        let language = self.options.languages.get(language).name.clone();
        let none = NoAnswer::NoServer { language, reason: "symd knows none for this question".to_owned() };
        reasons.into_iter().min_by_key(rank).unwrap_or(none)
    }

    /// The server of that name, made if its program is there and may be run.
    fn server(&self, language: LanguageId, name: &str, root: &RelPath) -> Result<Arc<Server>, NoAnswer> {
        let mut made = self.made();
        if made.over {
            return Err(NoAnswer::Stopping);
        }
        let key = (name.to_owned(), root.clone());
        if let Some(server) = made.servers.get(&key) {
            return Ok(Arc::clone(server));
        }
        let spec = self.spec(language, name, root)?;
        self.check(language, &spec)?;
        let server = Arc::new(Server::new(spec));
        made.servers.insert(key, Arc::clone(&server));
        Ok(server)
    }

    fn spec(&self, language: LanguageId, name: &str, root: &RelPath) -> Result<Spec, NoAnswer> {
        let options = &self.options;
        let config = options.languages.server(name).ok_or_else(|| NoAnswer::NoServer {
            language: options.languages.get(language).name.clone(),
            reason: format!("languages.toml names {name} and does not say what that is; correct it"),
        })?;
        let megabytes = config.memory_limit_mb.map(|limit| limit << 20);
        Ok(Spec {
            name: name.to_owned(),
            config: config.clone(),
            directory: options.root.path().join(root.as_path()),
            language,
            root_in_project: root.clone(),
            root: Arc::clone(&options.root),
            languages: Arc::clone(&options.languages),
            supervisor: options.supervisor.clone(),
            installed: options.installed.clone(),
            search_path: options.search_path.clone(),
            state: options.state_directory.join(file_name(name, root)),
            log: options.state_directory.join(format!("{}.log", file_name(name, root))),
            idle_stop: options.idle_stop,
            memory_limit: megabytes.or(options.memory_limit),
        })
    }

    fn check(&self, language: LanguageId, spec: &Spec) -> Result<(), NoAnswer> {
        let language = self.options.languages.get(language).name.clone();
        spec.program().map_err(|problem| NoAnswer::NoServer {
            reason: format!("{problem}{}", next_step(&spec.config, &spec.name, &language)),
            language,
        })?;
        match &spec.config.runs_project_code {
            Some(runs) if !self.options.trusted => {
                Err(NoAnswer::NotTrusted { server: spec.name.clone(), runs: runs.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The first server of the language that is there, may be started and is wanted for outlines.
    pub(super) fn outliner(&self, language: LanguageId) -> Option<String> {
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

    fn look_for_outliner(&self, language: LanguageId) -> Option<String> {
        let known = self.options.languages.get(language);
        let wanted =
            known.language_servers.iter().filter(|server| Feature::DOCUMENT_SYMBOLS.is_wanted_of(server));
        wanted.into_iter().find_map(|wanted| {
            let spec = self.spec(language, &wanted.name, &RelPath::root()).ok()?;
            self.check(language, &spec).ok()?;
            let program = spec.program().ok()?;
            let meta = program.metadata().ok()?;
            Some(format!("{} {} {} {:?}", wanted.name, program.display(), meta.len(), meta.modified().ok()))
        })
    }

    async fn root_of(&self, language: LanguageId) -> RelPath {
        if let Some(root) = self.roots().get(&language) {
            return root.clone();
        }
        let (root, languages) = (Arc::clone(&self.options.root), Arc::clone(&self.options.languages));
        let look = move || nested::root_of(&root, &languages, language);
        let root = tokio::task::spawn_blocking(look).await.unwrap_or_else(|_| RelPath::root());
        // Another question may have looked meanwhile: the first one's word counts, so that there is one server.
        self.roots().entry(language).or_insert(root).clone()
    }

    /// Tells all running servers of a change.
    pub(super) fn changed(&self, path: &RelPath, change: Change) {
        for server in self.made().servers.values() {
            server.tell_running(|session| {
                session.file_changed(path, change);
                if session.lost_changes() {
                    server.is_useless(session, "too many files changed for it to be told of each");
                }
            });
        }
    }

    /// All servers that were made, and all whose programs are there.
    pub(super) fn status(&self) -> Vec<ServerStatus> {
        let made: Vec<Arc<Server>> = self.made().servers.values().cloned().collect();
        let mut all: Vec<ServerStatus> = made.iter().map(|server| self.status_of(server)).collect();
        for (language, known) in self.options.languages.all() {
            for ServerUse { name, .. } in &known.language_servers {
                if all.iter().any(|status| status.name == *name) {
                    continue;
                }
                let found =
                    self.spec(language, name, &RelPath::root()).ok().and_then(|spec| spec.program().ok());
                all.extend(found.map(|program| ServerStatus {
                    name: name.clone(),
                    languages: self.languages_of(name),
                    state: ServerState::Idle,
                    doing: None,
                    program: Some(program.display().to_string()),
                    version: None,
                    pid: None,
                    memory_bytes: None,
                    starts: 0,
                    requests: 0,
                    shared: 0,
                    last_error: None,
                    features: Vec::new(),
                }));
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn status_of(&self, server: &Server) -> ServerStatus {
        let phase = server.phase();
        let program = phase.program.or_else(|| server.spec.program().ok());
        ServerStatus {
            name: server.spec.name.clone(),
            languages: self.languages_of(&server.spec.name),
            state: phase.state,
            doing: phase.doing,
            program: program.map(|program| program.display().to_string()),
            version: phase.version,
            pid: phase.group.and_then(|group| u32::try_from(group.as_raw_nonzero().get()).ok()),
            memory_bytes: phase.group.map(group::memory_bytes),
            starts: phase.starts,
            requests: server.used().requests.load(Ordering::Relaxed),
            shared: server.used().shared.load(Ordering::Relaxed),
            last_error: phase.last_error,
            features: phase.features,
        }
    }

    fn languages_of(&self, name: &str) -> Vec<String> {
        let all = self.options.languages.all();
        let with_it =
            all.filter(|(_, language)| language.language_servers.iter().any(|server| server.name == name));
        with_it.map(|(_, language)| language.name.clone()).collect()
    }

    pub(super) async fn restart(&self, name: &str) -> Result<(), NoAnswer> {
        for server in self.called(name).await? {
            server.restart().await?;
        }
        Ok(())
    }

    pub(super) async fn stop(&self, name: &str) -> Result<(), NoAnswer> {
        for server in self.called(name).await? {
            server.stop().await?;
        }
        Ok(())
    }

    /// The servers of that name, one for each root; made if there is none yet.
    async fn called(&self, name: &str) -> Result<Vec<Arc<Server>>, NoAnswer> {
        let all: Vec<Arc<Server>> = self.made().servers.values().cloned().collect();
        let called: Vec<Arc<Server>> = all.into_iter().filter(|server| server.spec.name == name).collect();
        if !called.is_empty() {
            return Ok(called);
        }
        let uses = |(_, language): &(LanguageId, &crate::config::Language)| {
            language.language_servers.iter().any(|server| server.name == name)
        };
        let language = self.options.languages.all().find(uses).map(|(language, _)| language);
        let Some(language) = language else {
            let reason = "no server is called so; `symd doctor` lists all".to_owned();
            return Err(NoAnswer::NoServer { language: name.to_owned(), reason });
        };
        let root = self.root_of(language).await;
        Ok(vec![self.server(language, name, &root)?])
    }

    /// Ends all servers, at once; returns when nothing of them is left.
    pub(super) async fn shutdown(&self) {
        let servers = {
            let mut made = self.made();
            made.over = true;
            made.servers.values().cloned().collect::<Vec<_>>()
        };
        let mut endings = tokio::task::JoinSet::new();
        for server in servers {
            endings.spawn(async move { server.shutdown().await });
        }
        endings.join_all().await;
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn roots(&self) -> MutexGuard<'_, HashMap<LanguageId, RelPath>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a question to a session, and draws conclusions for the server from how that went.
async fn put<T, F>(
    server: Arc<Server>,
    session: Arc<Session>,
    run: impl FnOnce(Arc<Session>) -> F,
) -> Result<T, NoAnswer>
where
    F: Future<Output = Result<T, NoAnswer>>,
{
    let asked = Instant::now();
    let answer = run(Arc::clone(&session)).await;
    match answer {
        Err(NoAnswer::Failed { server: name, problem }) if session.is_closed() => {
            let problem = server.obituary(&session).await.unwrap_or(problem);
            Err(NoAnswer::Failed {
                server: name,
                problem: format!("{problem}; ask again: it is started anew"),
            })
        }
        Err(NoAnswer::Failed { .. })
            if asked.elapsed() >= Duration::from_secs(server.spec.config.timeout) =>
        {
            server.was_late(&session);
            answer
        }
        answer => {
            server.answered();
            answer
        }
    }
}

fn failed(server: &str, problem: &str) -> NoAnswer {
    NoAnswer::Failed { server: server.to_owned(), problem: problem.to_owned() }
}

/// A name for a server's files in the state directory.
fn file_name(name: &str, root: &RelPath) -> String {
    let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "_");
    if root.is_root() {
        return plain(name);
    }
    // Two roots never share a directory, whatever their names have in common.
    let hash = ContentHash::of(root.as_str().as_bytes()).short();
    format!("{}-{hash}", plain(name))
}

/// How to get what is missing.
fn next_step(config: &LanguageServer, name: &str, language: &str) -> String {
    let by_symd = config.install.iter().any(|part| !matches!(part, Install::System { .. }));
    let hint = config.install.iter().find_map(|part| match part {
        Install::System { hint } => Some(hint),
        _ => None,
    });
    match hint {
        _ if by_symd => format!("; `symd install {language}` installs {name}"),
        Some(hint) => format!("; {hint}"),
        None => format!("; install {name} so that it is on PATH"),
    }
}
