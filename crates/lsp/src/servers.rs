//! All servers of one project: chooses the server for each question, and starts it when it is first needed.

use std::path::PathBuf;
use std::sync::Arc;

use super::failures::Failures;
use super::feature::Feature;
use super::server_pool::{QuestionSubject, ServerPool};
use super::session::Session;
use super::{
    CallSite, Change, CodeAction, DiagnosticList, DiagnosticSubject, Direction, DocumentPosition, Formatting,
    Goto, Item, OutsideMembers, RenameResult, ServerAnswer, ServerError, ServerStatus, Span, WaitPolicy,
    WorkspaceEdit,
};
use symd_base::{ContentHash, RelPath, TextRange};
use symd_config::{LanguageId, Languages};
use symd_vfs::Files;

/// The configuration of [`Servers`].
#[derive(Clone, Debug)]
pub struct ServersOptions {
    /// Access to the project's files.
    pub files: Arc<dyn Files>,
    /// Languages and servers, merged from all layers.
    pub languages: Arc<Languages>,
    /// Whether the user trusts the project, so that servers which run its code may be started.
    pub trusted: bool,
    /// The program that runs as supervisor: symd itself.
    pub supervisor: PathBuf,
    /// The directory into which `symd install` puts servers, each in a subdirectory of its name.
    pub installed: PathBuf,
    /// The user's PATH; relative entries and entries inside the project are ignored.
    pub search_path: std::ffi::OsString,
    /// This project's directory for servers: logs, and one directory per server (`{state}`).
    pub state_directory: PathBuf,
    /// How long an unused server keeps running; `None`: for ever.
    pub idle_stop: Option<std::time::Duration>,
    /// Bytes of memory above which a server is restarted, unless languages.toml sets another limit.
    pub memory_limit: Option<u64>,
    /// Bytes of memory above which, if all servers take more together, the largest idle one is restarted.
    pub memory_limit_of_all: Option<u64>,
    /// How long a question with [`WaitPolicy::DontWait`] waits for the answer of a ready server; a later answer is
    /// kept for the next question.
    pub answer_patience: std::time::Duration,
}

/// All servers of one project. Cheap to clone; questions may be asked concurrently, within a tokio runtime.
/// When the last clone is dropped, the servers are killed, unless [`Servers::shutdown`] was awaited before.
#[derive(Clone, Debug)]
pub struct Servers {
    pool: Arc<ServerPool>,
    failures: Arc<Failures>,
}

impl Servers {
    /// Creates the object; starts no server yet.
    pub fn new(options: ServersOptions) -> Servers {
        Servers { pool: Arc::new(ServerPool::new(options)), failures: Arc::default() }
    }

    /// Notes that a file changed. Never blocks; every running server is notified before its next request. The
    /// engine calls this before a question of that revision can run.
    pub fn changed(&self, path: &RelPath, change: Change) {
        self.pool.changed(path, change);
    }

    /// Returns all occurrences of the symbol at `at`, including its declarations (`textDocument/references`
    /// with `includeDeclaration: true`), as the server sent them: unchecked, in its order.
    pub async fn references(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.references(&place).await;
        self.pool.ask(language, Feature::REFERENCES, QuestionSubject::place(at), waiting, run).await
    }

    /// Returns the targets of the name at `at`: the ranges of their names, if the server sends these
    /// (`targetSelectionRange`).
    pub async fn goto(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        which: Goto,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.goto(&place, which).await;
        self.pool.ask(language, Feature::goto(which), QuestionSubject::place(at), waiting, run).await
    }

    /// Searches a class outside the project, whose name is at `class`, and the classes that it inherits from
    /// for a member `name`. Several places are those of the same class: its source, a stub of it.
    pub async fn outside_members(
        &self,
        language: LanguageId,
        class: &[Span],
        name: &str,
        revision: u64,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<OutsideMembers>, ServerError> {
        let place = |span: &Span| format!("{:?}:{}:{}", span.file, span.start.line, span.start.character);
        let words: Vec<String> = class.iter().map(place).chain([name.to_owned()]).collect();
        let about =
            QuestionSubject { path: None, range: None, hash: None, revision, words: Some(words.join("\n")) };
        let (class, name) = (class.to_vec(), name.to_owned());
        let run = async move |session: Arc<Session>| session.outside_members(&class, &name).await;
        self.pool.ask(language, Feature::OUTSIDE_MEMBERS, about, waiting, run).await
    }

    /// Returns the callers of the function at `at` (`Up`), or the functions that it calls (`Down`): one
    /// level.
    pub async fn calls(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        direction: Direction,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<CallSite>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.calls(&place, direction).await;
        self.pool.ask(language, Feature::calls(direction), QuestionSubject::place(at), waiting, run).await
    }

    /// Returns the supertypes (`Up`) or subtypes (`Down`) of the type at `at`: one level.
    pub async fn types(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        direction: Direction,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<Item>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.types(&place, direction).await;
        self.pool.ask(language, Feature::types(direction), QuestionSubject::place(at), waiting, run).await
    }

    /// Returns the hover text at `at` as Markdown; `None` if the server has none.
    pub async fn hover(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Option<String>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.hover(&place).await;
        self.pool.ask(language, Feature::HOVER, QuestionSubject::place(at), waiting, run).await
    }

    /// Returns the signatures of the call in whose argument list `at` is, the active one first.
    pub async fn signatures(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<String>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.signatures(&place).await;
        self.pool.ask(language, Feature::SIGNATURES, QuestionSubject::place(at), waiting, run).await
    }

    /// Returns diagnostics, pulled or published; for a file, of its version at `revision` or later.
    pub async fn diagnostics(
        &self,
        language: LanguageId,
        subject: &DiagnosticSubject,
        revision: u64,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<DiagnosticList>, ServerError> {
        let path = match subject {
            DiagnosticSubject::File(path) => Some(path.clone()),
            DiagnosticSubject::Project => None,
        };
        let about = QuestionSubject { path, range: None, hash: None, revision, words: None };
        let subject = subject.clone();
        let run = async move |session: Arc<Session>| {
            let list = session.diagnostics(&subject).await?;
            Ok(DiagnosticList { list, covers: session.covers(&subject) })
        };
        self.pool.ask(language, Feature::DIAGNOSTICS, about, waiting, run).await
    }

    /// Returns the code actions for `range`.
    pub async fn code_actions(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        range: TextRange,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<CodeAction>>, ServerError> {
        let about = QuestionSubject { range: Some((range.start, range.end)), ..QuestionSubject::place(at) };
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.code_actions(&place, range).await;
        self.pool.ask(language, Feature::CODE_ACTIONS, about, waiting, run).await
    }

    /// Returns the edit that renames the symbol at `at`. Before that, the server is sent the texts of the
    /// files `opened`, and asked whether it can rename the symbol (`prepareRename`).
    pub async fn rename(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        new_name: &str,
        opened: &[RelPath],
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<RenameResult>, ServerError> {
        let (place, name, opened) = (at.clone(), new_name.to_owned(), opened.to_vec());
        let run = async move |session: Arc<Session>| {
            for path in &opened {
                session.open_document(path).await;
            }
            session.rename(&place, &name).await
        };
        self.pool
            .ask(
                language,
                Feature::RENAME,
                QuestionSubject::place(at).with_parameters(new_name),
                waiting,
                run,
            )
            .await
    }

    /// Returns the further edits that renaming these files of a language requires
    /// (`workspace/willRenameFiles`); pairs of old and new path.
    pub async fn will_rename_files(
        &self,
        language: LanguageId,
        files: &[(RelPath, RelPath)],
        revision: u64,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<WorkspaceEdit>, ServerError> {
        let names: Vec<String> =
            files.iter().map(|(from, to)| format!("{}\n{}", from.as_str(), to.as_str())).collect();
        let words = Some(names.join("\n"));
        let about = QuestionSubject { path: None, range: None, hash: None, revision, words };
        let files = files.to_vec();
        let run = async move |session: Arc<Session>| session.will_rename_files(&files).await;
        self.pool.ask(language, Feature::RENAME_FILES, about, waiting, run).await
    }

    /// Notifies the running servers that want to know it that files were renamed.
    pub async fn renamed_files(&self, files: &[(RelPath, RelPath)]) {
        self.pool.renamed(files).await;
    }

    /// Returns the edit that formats the file of `at`, or `range` of it.
    pub async fn formatting(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        range: Option<TextRange>,
        how: Formatting,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<WorkspaceEdit>, ServerError> {
        let about = QuestionSubject {
            range: range.map(|range| (range.start, range.end)),
            ..QuestionSubject::place(at)
        };
        let about = about.with_parameters(format!("{how:?}"));
        let feature = if range.is_some() { Feature::RANGE_FORMATTING } else { Feature::FORMATTING };
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.formatting(&place, range, how).await;
        self.pool.ask(language, feature, about, waiting, run).await
    }

    /// Returns the edit of the code action titled `title`, one of [`Servers::code_actions`] for the same
    /// range.
    pub async fn code_action_edit(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        range: TextRange,
        title: &str,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<WorkspaceEdit>, ServerError> {
        let about = QuestionSubject { range: Some((range.start, range.end)), ..QuestionSubject::place(at) }
            .with_parameters(title);
        let (place, title) = (at.clone(), title.to_owned());
        let run = async move |session: Arc<Session>| session.code_action_edit(&place, range, &title).await;
        self.pool.ask(language, Feature::CODE_ACTIONS, about, waiting, run).await
    }

    /// Returns the symbols of a file (`textDocument/documentSymbol`), as a tree.
    pub async fn document_symbols(
        &self,
        language: LanguageId,
        at: &DocumentPosition,
        waiting: WaitPolicy,
    ) -> Result<ServerAnswer<Vec<Item>>, ServerError> {
        let place = at.clone();
        let run = async move |session: Arc<Session>| session.document_symbols(&place).await;
        let said = self
            .pool
            .ask(language, Feature::DOCUMENT_SYMBOLS, QuestionSubject::place(at), waiting, run)
            .await;
        self.failures.note((language, at.hash), &said);
        said
    }

    /// Returns how many times in a row a server of the language failed over these bytes
    /// ([`Servers::document_symbols`]), and the last error.
    pub fn failed_over(&self, language: LanguageId, hash: ContentHash) -> Option<(usize, ServerError)> {
        self.failures.of((language, hash))
    }

    /// Identifies the server that would answer [`Servers::document_symbols`] by a text that changes when the
    /// server does (its name, its program, and the program's size and modification time); the error says why
    /// there is none. The result is cached for a short time.
    pub fn outliner(&self, language: LanguageId) -> Result<String, ServerError> {
        self.pool.outliner(language)
    }

    /// Whether a server may be asked about the language: one that runs, or one whose program is found and may be
    /// started. If not, every question fails at once.
    pub fn may_answer(&self, language: LanguageId) -> bool {
        self.pool.may_answer(language)
    }

    /// Returns the names of the language's servers that run or can be started, the preferred one first. Looks
    /// for programs on the disk.
    pub fn available(&self, language: LanguageId) -> impl Iterator<Item = &str> {
        self.pool.available(language)
    }

    /// Returns the status of all servers that were created, and of all whose programs are found, sorted by
    /// name. Reads the disk and /proc, so it must not be called on the runtime's own threads.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.pool.status()
    }

    /// Returns what servers that are starting or loading are doing, by name.
    pub fn busy(&self) -> Vec<(String, String)> {
        self.pool.busy()
    }

    pub fn is_ready(&self, language: LanguageId) -> bool {
        self.pool.is_ready(language)
    }

    /// Starts a server by the user's order, even one that is down; stops it first if it runs. Returns when it
    /// is being started.
    pub async fn restart(&self, server: &str) -> Result<(), ServerError> {
        self.failures.forget();
        self.pool.restart(server).await
    }

    /// Stops a server by the user's order; it stays stopped until [`Servers::restart`]. Returns when no
    /// process of it is left.
    pub async fn stop(&self, server: &str) -> Result<(), ServerError> {
        self.pool.stop(server).await
    }

    /// Stops all servers, by request and then by force; returns when no process of them is left.
    pub async fn shutdown(&self) {
        self.pool.shutdown().await;
    }
}
