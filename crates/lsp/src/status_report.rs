//! The status of all servers. Reads only. Invariant: [`ServerPool::status`] reads the disk and `/proc`, so it is
//! for blocking threads; nothing else here blocks.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::server::{LATE, Server};
use super::server_pool::ServerPool;
use super::{ServerState, ServerStatus};
use symd_base::RelPath;
use symd_config::{LanguageId, ServerUse};
use symd_sys::group;

impl ServerPool {
    /// Returns the status of all created servers and of all whose programs are found, sorted by name.
    pub(super) fn status(&self) -> Vec<ServerStatus> {
        let made: Vec<Arc<Server>> = self.lock_servers().servers.values().cloned().collect();
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
                    memory_note: None,
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
            doing: server.late_since().map(|_| LATE.to_owned()).or(phase.doing),
            program: program.map(|program| program.display().to_string()),
            version: phase.version,
            pid: phase.group.and_then(|group| u32::try_from(group.as_raw_nonzero().get()).ok()),
            memory_bytes: phase.group.map(group::memory_bytes),
            starts: phase.starts,
            requests: server.used().requests.load(Ordering::Relaxed),
            shared: server.used().shared.load(Ordering::Relaxed),
            last_error: phase.last_error,
            memory_note: phase.memory_note,
            features: phase.features,
        }
    }

    fn languages_of(&self, name: &str) -> Vec<String> {
        let all = self.options.languages.all();
        let with_it =
            all.filter(|(_, language)| language.language_servers.iter().any(|server| server.name == name));
        with_it.map(|(_, language)| language.name.clone()).collect()
    }

    /// Returns what the servers that are starting or loading are doing, by name. Reads no files: it is called
    /// often.
    pub(super) fn busy(&self) -> Vec<(String, String)> {
        let doing = |server: &Arc<Server>| {
            let phase = server.phase();
            let busy = matches!(phase.state, ServerState::Starting | ServerState::Loading);
            busy.then(|| (server.spec.name.clone(), phase.doing.unwrap_or_else(|| "starting".to_owned())))
        };
        self.lock_servers().servers.values().filter_map(doing).collect()
    }

    pub(super) fn is_ready(&self, language: LanguageId) -> bool {
        let names = &self.options.languages.get(language).language_servers;
        let made = self.lock_servers();
        made.servers.values().any(|server| {
            server.phase().state == ServerState::Ready && names.iter().any(|one| one.name == server.spec.name)
        })
    }
}
