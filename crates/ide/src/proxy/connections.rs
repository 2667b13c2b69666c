//! The links to the daemons: which roots have one, and what is done when one is made, ends or fails. Invariant: a
//! daemon is told all of the editor before anything that happens later.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::Proxy;
use super::commands;
use super::context::Units;
use super::daemon_messages::{cancelled, whole};
use super::edits::{self, AskedEditor, EditorQuestion};
use super::link::{AnswerUse, AskedCommand, Link, LinkEvent};
use super::progress;
use super::trust::{self, TrustAnswer, TrustQuestion};
use crate::wire::{ATTACH, Attach, TOLD, ToldDocuments};
use symd_rpc::codes::{CONTENT_MODIFIED, REQUEST_FAILED};
use symd_rpc::server_message::{ErrorObject, RawJson};
use symd_rpc::write;

impl Proxy {
    /// Connects the daemons of the workspace's folders, and gives up those that no folder and no document needs.
    pub(super) fn connect_folders(&mut self) {
        let mut roots = self.workspace.roots();
        for document in self.documents.by_uri.values() {
            roots.extend(self.workspace.root_of(&document.path));
        }
        self.keep_links(|root| roots.contains(root));
        // Of a project that was closed nothing is shown any more.
        self.diagnose_all(Duration::ZERO, |_| true);
        for root in roots {
            self.connect_root(root);
        }
    }

    /// Gives up the links of other roots, with the commands that their daemons have not answered.
    pub(super) fn keep_links(&mut self, is_kept: impl Fn(&Path) -> bool) {
        for (root, mut link) in self.links.extract_if(.., |root, _| !is_kept(root)) {
            self.withdrawn.extend(self.asked.drop_of(&root));
            self.unanswered.extend(link.set_down());
        }
    }

    /// Connects the daemon of a document that lies in none of the connected roots.
    pub(super) fn connect_document(&mut self, uri: &str) {
        let Some(document) = self.documents.by_uri.get(uri) else { return };
        if self.links.keys().any(|root| document.beneath(root).is_some()) {
            return;
        }
        if let Some(root) = self.workspace.root_of(&document.path) {
            self.connect_root(root);
        }
    }

    pub(super) fn connect_root(&mut self, root: PathBuf) {
        let (hooks, events) = (&self.hooks, &self.events);
        let (editor, limits) = (self.abilities.name.as_str(), self.limits.link);
        self.links.entry(root).or_insert_with_key(|root| {
            let ways = (&hooks.announce, hooks.connect.clone(), hooks.watch_socket.clone());
            Link::begin(root.clone(), ways, (editor, limits), events.clone())
        });
    }

    pub(super) async fn take_link_event(&mut self, root: &Path, event: LinkEvent) {
        // An event of a link that was given up meanwhile concerns nothing.
        let Some(link) = self.links.get_mut(root) else { return };
        match event {
            LinkEvent::Up(to_daemon) => {
                link.set_up(to_daemon);
                self.told_failures.remove(root);
                let attach = Attach {
                    editor: self.abilities.name.clone(),
                    applies: self.abilities.applies,
                    saves: self.abilities.saves,
                    reloads: self.abilities.reloads,
                    tells: self.abilities.tells_context,
                };
                link.send(write::notification(ATTACH, Some(attach)));
                for document in self.documents.by_uri.values() {
                    let Some(path) = document.beneath(root) else { continue };
                    let is_in_doubt = self.documents.is_in_doubt(document);
                    whole(document, path, is_in_doubt).into_iter().for_each(|message| link.send(message));
                }
                let units = Units { documents: &self.documents, encoding: self.encoding };
                for message in self.shown.messages(root, &units) {
                    link.send(message);
                }
                if let Some(presence) = &link.presence {
                    let told = ToldDocuments { presence: presence.name().to_owned() };
                    link.send(write::notification(TOLD, Some(told)));
                }
                let outdated = link.take_outdated(|uri, version| {
                    self.documents.by_uri.get(uri).is_some_and(|document| document.version == version)
                });
                link.send_waiting();
                self.refuse_outdated(outdated).await;
                self.look_at_trust(root);
                self.diagnose_all(Duration::ZERO, |path| path.starts_with(root));
            }
            LinkEvent::Down => {
                let lost = link.lose_daemon();
                for id in self.asked.drop_of(root) {
                    self.tell(cancelled(id)).await;
                }
                self.refuse_lost(lost).await;
            }
            LinkEvent::Stopping => link.set_stopping(),
            LinkEvent::Unread => link.begin_anew(),
            LinkEvent::Answer(number, outcome) => {
                if let Some(asked) = link.answered(number) {
                    self.answer_command(&asked, outcome).await;
                }
            }
            LinkEvent::Message(message) => match message["method"].as_str().map(str::to_owned) {
                Some(method) if message.get("id").is_some() => {
                    self.take_daemon_request(root, &method, message).await;
                }
                _ => self.take_daemon_message(root, &message).await,
            },
            LinkEvent::TrustWanted(question) => {
                let answers = trust::ANSWERS.map(|(title, _)| title.to_owned());
                let shown = edits::show_question(&question.text, &answers);
                let question = EditorQuestion::Trust(question);
                let id = self.asked.add(AskedEditor { root: root.to_owned(), id: Value::Null, question });
                self.tell(write::request(id, "window/showMessageRequest", Some(shown))).await;
            }
            LinkEvent::TrustRecorded(told) => match told {
                Ok(told) => self.inform(&told).await,
                Err(why) => self.warn(&format!("symd: {why}")).await,
            },
            LinkEvent::Failed(why) => {
                let waiting = link.set_down();
                self.refuse(waiting, &why).await;
                // Each attempt fails for the same reason, until the user has mended it.
                if self.told_failures.insert(root.to_owned(), why.clone()).as_ref() == Some(&why) {
                    return;
                }
                self.warn(&format!("symd: no daemon for {}: {why}", root.display())).await;
            }
        }
    }

    /// Has the user asked whether the project is trusted, unless that was done.
    fn look_at_trust(&mut self, root: &Path) {
        if !self.trust_asked.insert(root.to_owned()) {
            return;
        }
        let (ask, events, root) = (self.hooks.ask_trust.clone(), self.events.clone(), root.to_owned());
        tokio::spawn(async move {
            let asked = root.clone();
            let question = tokio::task::spawn_blocking(move || ask(&asked)).await;
            if let Ok(Some(question)) = question {
                // An editor that is gone is not asked.
                let _ = events.send((root, LinkEvent::TrustWanted(question))).await;
            }
        });
    }

    /// Has the user's answer to "trust this project?" recorded.
    pub(super) fn record_trust(&self, root: &Path, question: TrustQuestion, answer: TrustAnswer) {
        let (events, root) = (self.events.clone(), root.to_owned());
        tokio::spawn(async move {
            let recorded = tokio::task::spawn_blocking(move || (question.record)(answer)).await;
            let recorded = recorded.unwrap_or_else(|error| Err(error.to_string()));
            let _ = events.send((root, LinkEvent::TrustRecorded(recorded))).await;
        });
    }

    /// Refuses what a daemon that is gone did not answer and the next one is not asked.
    async fn refuse_lost(&mut self, lost: Vec<AskedCommand>) {
        let (questions, commands) = lost.into_iter().partition(AskedCommand::is_question);
        self.refuse(questions, "two daemons ended before they answered; see `symd logs`").await;
        let why = "the daemon ended before it answered; it is unknown whether the command was carried out";
        self.refuse(commands, why).await;
    }

    /// Answers questions that waited for a daemon while their documents were changed.
    async fn refuse_outdated(&self, outdated: Vec<AskedCommand>) {
        for asked in outdated {
            let why = "the document was changed before a daemon was there to answer";
            self.tell(write::error(&asked.id, CONTENT_MODIFIED, why)).await;
        }
    }

    pub(super) async fn refuse(&mut self, commands: Vec<AskedCommand>, why: &str) {
        for asked in commands {
            if let AnswerUse::Published { uri, .. } = &asked.used {
                self.forget_question(uri);
                continue;
            }
            if asked.used == AnswerUse::Part {
                self.gather(&asked.id, Err(why.to_owned())).await;
                continue;
            }
            self.end_progress(&asked).await;
            self.tell(write::error(&asked.id, REQUEST_FAILED, why)).await;
        }
    }

    /// Tells the editor that it hears no more of a command's progress.
    pub(super) async fn end_progress(&self, asked: &AskedCommand) {
        if let Some(token) = &asked.progress {
            self.tell(progress::ended(token)).await;
        }
    }

    pub(super) async fn answer_command(
        &mut self,
        asked: &AskedCommand,
        outcome: Result<RawJson, ErrorObject>,
    ) {
        self.end_progress(asked).await;
        let result = match outcome {
            Ok(result) => result,
            Err(error) => {
                if let AnswerUse::Published { uri, .. } = &asked.used {
                    // What is shown stays until the text changes.
                    tracing::debug!(error = error.message, "no diagnostics to publish");
                    return self.forget_question(uri);
                }
                if asked.used == AnswerUse::Part {
                    return self.gather(&asked.id, Err(error.message)).await;
                }
                return self.tell(write::error(&asked.id, REQUEST_FAILED, &error.message)).await;
            }
        };
        let answer = match &asked.used {
            AnswerUse::Published { uri, version } => return self.publish(uri, *version, &result).await,
            AnswerUse::Part => return self.gather(&asked.id, Ok(result.as_str())).await,
            AnswerUse::Passed => write::raw_result(&asked.id, result.as_str()),
            AnswerUse::Returned | AnswerUse::Shown => {
                let result: Value = result.decode().unwrap_or_default();
                if asked.used == AnswerUse::Shown {
                    self.inform(&commands::shown(&result)).await;
                }
                write::result(&asked.id, result)
            }
            AnswerUse::Rename(asked_at) => {
                match self.completed_rename(result.decode().unwrap_or_default(), asked_at) {
                    Ok(edit) => write::result(&asked.id, edit),
                    Err(why) => write::error(&asked.id, REQUEST_FAILED, &why),
                }
            }
        };
        self.tell(answer).await;
    }
}
