//! All servers of one project: which one answers what, started when first asked.

use std::path::PathBuf;
use std::sync::Arc;

use super::failures::Failures;
use super::feature::Feature;
use super::fleet::{About, Fleet};
use super::session::Session;
use super::{
    At, CallSite, Change, CodeAction, Diagnoses, Direction, Formatting, Goto, Item, NoAnswer, OutsideMembers,
    Renaming, Said, ServerStatus, Span, Subject, Waiting, WorkspaceEdit,
};
use symd_base::{ContentHash, RelPath, TextRange};
use symd_config::{LanguageId, Languages};
use symd_vfs::Root;

/// What driving servers takes.
#[derive(Clone, Debug)]
pub struct ServersOptions {
    /// The door to the project's files.
    pub root: Arc<Root>,
    /// Languages and servers, all layers merged.
    pub languages: Arc<Languages>,
    /// Whether the user has trusted the project: servers that run its code may be started.
    pub trusted: bool,
    /// The program to run as supervisor: symd itself.
    pub supervisor: PathBuf,
    /// Where `symd install` puts servers: each in a directory of its name.
    pub installed: PathBuf,
    /// PATH as the user has it; entries inside the project and relative ones are left out.
    pub search_path: std::ffi::OsString,
    /// This project's directory for servers: logs, and a directory of each server's own (`{state}`).
    pub state_directory: PathBuf,
    /// How long a server that nobody asks stays.
    pub idle_stop: Option<std::time::Duration>,
    /// Bytes of memory after which a server is restarted, where languages.toml says nothing.
    pub memory_limit: Option<u64>,
    /// How long a question that does not wait gives a server that is ready; its answer is kept for the next one.
    pub answer_patience: std::time::Duration,
}

/// All servers of one project. Cheap to clone; questions may be asked from anywhere at once, within a tokio runtime.
/// When the last clone is gone, so are the servers: by force, unless [`Servers::shutdown`] was awaited before.
#[derive(Clone, Debug)]
pub struct Servers {
    fleet: Arc<Fleet>,
    failures: Arc<Failures>,
}

impl Servers {
    /// Starts nothing yet.
    pub fn new(options: ServersOptions) -> Servers {
        Servers { fleet: Arc::new(Fleet::new(options)), failures: Arc::default() }
    }

    /// Tells that a file changed. Never blocks: it is noted, and every running server hears of it before its next
    /// question. The engine calls this before a question of that revision can run.
    pub fn changed(&self, path: &RelPath, change: Change) {
        self.fleet.changed(path, change);
    }

    /// All places where what stands at `at` is used, its declarations included (`textDocument/references` with
    /// `includeDeclaration: true`), as the server sent them: unchecked, in its order.
    pub async fn references(
        &self,
        language: LanguageId,
        at: &At,
        waiting: Waiting,
    ) -> Result<Said<Vec<Span>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.references(&place).await;
        self.fleet.ask(language, Feature::REFERENCES, About::place(at), waiting, run).await
    }

    /// Where what stands at `at` leads. Name ranges where the server sends them (`targetSelectionRange`).
    pub async fn goto(
        &self,
        language: LanguageId,
        at: &At,
        which: Goto,
        waiting: Waiting,
    ) -> Result<Said<Vec<Span>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.goto(&place, which).await;
        self.fleet.ask(language, Feature::goto(which), About::place(at), waiting, run).await
    }

    /// What the class outside the project whose name stands at `class`, and those that it inherits from, say of a member
    /// `name`. Several places are those of one class: its source, a stub of it.
    pub async fn outside_members(
        &self,
        language: LanguageId,
        class: &[Span],
        name: &str,
        revision: u64,
        waiting: Waiting,
    ) -> Result<Said<OutsideMembers>, NoAnswer> {
        let place = |span: &Span| format!("{:?}:{}:{}", span.file, span.start.line, span.start.character);
        let words: Vec<String> = class.iter().map(place).chain([name.to_owned()]).collect();
        let about = About { path: None, range: None, hash: None, revision, words: Some(words.join("\n")) };
        let (class, name) = (class.to_vec(), name.to_owned());
        let run = async move |session: Arc<Session>| session.outside_members(&class, &name).await;
        self.fleet.ask(language, Feature::OUTSIDE_MEMBERS, about, waiting, run).await
    }

    /// Who calls the function at `at` (`Up`), or whom it calls (`Down`): one level.
    pub async fn calls(
        &self,
        language: LanguageId,
        at: &At,
        direction: Direction,
        waiting: Waiting,
    ) -> Result<Said<Vec<CallSite>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.calls(&place, direction).await;
        self.fleet.ask(language, Feature::calls(direction), About::place(at), waiting, run).await
    }

    /// Supertypes (`Up`) or subtypes (`Down`) of the type at `at`: one level.
    pub async fn types(
        &self,
        language: LanguageId,
        at: &At,
        direction: Direction,
        waiting: Waiting,
    ) -> Result<Said<Vec<Item>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.types(&place, direction).await;
        self.fleet.ask(language, Feature::types(direction), About::place(at), waiting, run).await
    }

    /// What an editor would show over `at`, as Markdown; `None` when the server has nothing to say.
    pub async fn hover(
        &self,
        language: LanguageId,
        at: &At,
        waiting: Waiting,
    ) -> Result<Said<Option<String>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.hover(&place).await;
        self.fleet.ask(language, Feature::HOVER, About::place(at), waiting, run).await
    }

    /// The signatures of the call in whose argument list `at` stands, the active one first.
    pub async fn signatures(
        &self,
        language: LanguageId,
        at: &At,
        waiting: Waiting,
    ) -> Result<Said<Vec<String>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.signatures(&place).await;
        self.fleet.ask(language, Feature::SIGNATURES, About::place(at), waiting, run).await
    }

    /// What is wrong, pulled or pushed; for a file, of its version at `revision` or later.
    pub async fn diagnostics(
        &self,
        language: LanguageId,
        subject: &Subject,
        revision: u64,
        waiting: Waiting,
    ) -> Result<Said<Diagnoses>, NoAnswer> {
        let path = match subject {
            Subject::File(path) => Some(path.clone()),
            Subject::Project => None,
        };
        let about = About { path, range: None, hash: None, revision, words: None };
        let subject = subject.clone();
        let run = async move |session: Arc<Session>| {
            let list = session.diagnostics(&subject).await?;
            Ok(Diagnoses { list, covers: session.covers(&subject) })
        };
        self.fleet.ask(language, Feature::DIAGNOSTICS, about, waiting, run).await
    }

    /// What could be done about `range`.
    pub async fn code_actions(
        &self,
        language: LanguageId,
        at: &At,
        range: TextRange,
        waiting: Waiting,
    ) -> Result<Said<Vec<CodeAction>>, NoAnswer> {
        let about = About { range: Some((range.start, range.end)), ..About::place(at) };
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.code_actions(&place, range).await;
        self.fleet.ask(language, Feature::CODE_ACTIONS, about, waiting, run).await
    }

    /// What renaming the symbol at `at` would change, after the server was asked whether it can be (`prepareRename`)
    /// and told of the texts of the files `opened`.
    pub async fn rename(
        &self,
        language: LanguageId,
        at: &At,
        new_name: &str,
        opened: &[RelPath],
        waiting: Waiting,
    ) -> Result<Said<Renaming>, NoAnswer> {
        let (place, name, opened) = (at.clone(), new_name.to_owned(), opened.to_vec());
        let run = async move |session: Arc<Session>| {
            for path in &opened {
                session.show(path).await;
            }
            session.rename(&place, &name).await
        };
        self.fleet.ask(language, Feature::RENAME, About::place(at).saying(new_name), waiting, run).await
    }

    /// What else has to change when these files of a language get other names (`workspace/willRenameFiles`).
    pub async fn will_rename_files(
        &self,
        language: LanguageId,
        files: &[(RelPath, RelPath)],
        revision: u64,
        waiting: Waiting,
    ) -> Result<Said<WorkspaceEdit>, NoAnswer> {
        let names: Vec<String> =
            files.iter().map(|(from, to)| format!("{}\n{}", from.as_str(), to.as_str())).collect();
        let words = Some(names.join("\n"));
        let about = About { path: None, range: None, hash: None, revision, words };
        let files = files.to_vec();
        let run = async move |session: Arc<Session>| session.will_rename_files(&files).await;
        self.fleet.ask(language, Feature::RENAME_FILES, about, waiting, run).await
    }

    /// Tells the running servers that files have other names now, those that want to hear of it.
    pub async fn renamed_files(&self, files: &[(RelPath, RelPath)]) {
        self.fleet.renamed(files).await;
    }

    /// What formatting the file of `at`, or `range` of it, would change.
    pub async fn formatting(
        &self,
        language: LanguageId,
        at: &At,
        range: Option<TextRange>,
        how: Formatting,
        waiting: Waiting,
    ) -> Result<Said<WorkspaceEdit>, NoAnswer> {
        let about = About { range: range.map(|range| (range.start, range.end)), ..About::place(at) };
        let about = about.saying(format!("{how:?}"));
        let feature = if range.is_some() { Feature::RANGE_FORMATTING } else { Feature::FORMATTING };
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.formatting(&place, range, how).await;
        self.fleet.ask(language, feature, about, waiting, run).await
    }

    /// What the code action called `title`, one of [`Servers::code_actions`] for the same range, would change.
    pub async fn code_action_edit(
        &self,
        language: LanguageId,
        at: &At,
        range: TextRange,
        title: &str,
        waiting: Waiting,
    ) -> Result<Said<WorkspaceEdit>, NoAnswer> {
        let about = About { range: Some((range.start, range.end)), ..About::place(at) }.saying(title);
        let (place, title) = (at.clone(), title.to_owned());
        let run = async move |session: Arc<Session>| session.code_action_edit(&place, range, &title).await;
        self.fleet.ask(language, Feature::CODE_ACTIONS, about, waiting, run).await
    }

    /// The symbols of a file (`textDocument/documentSymbol`), as a tree.
    pub async fn document_symbols(
        &self,
        language: LanguageId,
        at: &At,
        waiting: Waiting,
    ) -> Result<Said<Vec<Item>>, NoAnswer> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.document_symbols(&place).await;
        let said = self.fleet.ask(language, Feature::DOCUMENT_SYMBOLS, About::place(at), waiting, run).await;
        self.failures.note((language, at.hash), &said);
        said
    }

    /// How often in a row a server of the language failed over these bytes ([`Servers::document_symbols`]), and why.
    pub fn failed_over(&self, language: LanguageId, hash: ContentHash) -> Option<(usize, NoAnswer)> {
        self.failures.of((language, hash))
    }

    /// The server that would answer [`Servers::document_symbols`], as a text that changes when it does (its name, its
    /// program and that one's state on disk); else why there is none. Looks at the disk now and then only.
    pub fn outliner(&self, language: LanguageId) -> Result<String, NoAnswer> {
        self.fleet.outliner(language)
    }

    /// All servers that were tried, and all whose programs are found, by name. Looks at the disk and the processes: not
    /// for the runtime's own threads.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.fleet.status()
    }

    /// What servers that start or load are doing, by name.
    pub fn busy(&self) -> Vec<(String, String)> {
        self.fleet.busy()
    }

    /// Whether one of the language's servers is ready.
    pub fn is_ready(&self, language: LanguageId) -> bool {
        self.fleet.is_ready(language)
    }

    /// Starts a server by hand, also one that is down; stops it first if it runs. Returns when it is being started.
    pub async fn restart(&self, server: &str) -> Result<(), NoAnswer> {
        self.failures.forget();
        self.fleet.restart(server).await
    }

    /// Stops a server by hand: it stays stopped until [`Servers::restart`]. Returns when nothing of it is left.
    pub async fn stop(&self, server: &str) -> Result<(), NoAnswer> {
        self.fleet.stop(server).await
    }

    /// Ends all servers: shutdown, exit, then by force; returns when nothing of them is left.
    pub async fn shutdown(&self) {
        self.fleet.shutdown().await;
    }
}
