//! Editors that answer an edit too late, or that wait for another edit before they answer.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use symd::base::RelPath;
use symd::base::state::presence::Presence;
use symd::ops::Project;
use symd::ops::buffers::{
    BufferAbilities, BufferChange, DocumentChanges, EditNotice, EditorAnswer, EditorBuffers, EditorDeadlines,
    EditorPort,
};
use symd::toolsets::Outcome;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::fake_editor::{FakeEditor, uri};
use crate::opened::{Opening, call_native};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "a = 1\n";
const TYPED: &str = "typed = 1\n";
const EDITED: &str = "typed = 2\n";

/// A request to the editor, and the way to answer it.
type AskedChange = (Vec<DocumentChanges>, oneshot::Sender<Result<(), String>>);

/// How an editor answers a greeting.
#[derive(Clone, Debug)]
enum Greeting {
    AtOnce,
    Never,
    /// When the test has taken it.
    Asked(mpsc::UnboundedSender<oneshot::Sender<()>>),
}

/// An editor that answers when the test does.
#[derive(Debug)]
struct SlowPort {
    asks: mpsc::UnboundedSender<AskedChange>,
    greeting: Greeting,
}

impl EditorPort for SlowPort {
    fn greet(&self) -> EditorAnswer {
        match &self.greeting {
            Greeting::AtOnce => Box::pin(std::future::ready(Ok(()))),
            Greeting::Never => Box::pin(std::future::pending()),
            Greeting::Asked(asked) => {
                let (answer, answered) = oneshot::channel();
                asked.send(answer).unwrap();
                Box::pin(async move { answered.await.map_err(|_| "it is gone".to_owned()) })
            }
        }
    }

    fn apply(&self, changes: Vec<DocumentChanges>, _: String) -> EditorAnswer {
        let (answer, answered) = oneshot::channel();
        self.asks.send((changes, answer)).unwrap();
        Box::pin(async move { answered.await.unwrap_or_else(|_| Err("it is gone".to_owned())) })
    }

    fn tell_edit(&self, _: EditNotice) {}

    fn save(&self, _: RelPath, _: i64) -> EditorAnswer {
        Box::pin(std::future::ready(Ok(())))
    }

    fn reload(&self, _: RelPath) -> EditorAnswer {
        Box::pin(std::future::ready(Ok(())))
    }
}

struct Stage {
    project: Project,
    editor: EditorBuffers,
    asked: Mutex<mpsc::UnboundedReceiver<AskedChange>>,
    path: RelPath,
}

impl Stage {
    async fn edit(&self, from: &str, to: &str) -> (Outcome, String) {
        self.edit_of("a.py", from, to).await
    }

    async fn edit_of(&self, file: &str, from: &str, to: &str) -> (Outcome, String) {
        let arguments = json!({ "relative_path": file, "needle": from, "repl": to, "mode": "literal" });
        call_native(&self.project, "replace_content", arguments).await
    }

    async fn request(&self) -> AskedChange {
        tokio::time::timeout(PATIENCE, self.asked.lock().await.recv()).await.unwrap().unwrap()
    }

    async fn shows(&self, version: i64, text: &str) {
        self.editor.open(self.path.clone(), version, text.to_owned()).await.unwrap();
    }
}

/// Opens a project whose only file has an unsaved text in a slow editor.
fn play(deadlines: EditorDeadlines, test: impl AsyncFnOnce(&Stage)) {
    play_with(deadlines, Greeting::AtOnce, test);
}

/// Like [`play`]; the editor says that it answers a greeting at once, and does so or not.
fn play_with(deadlines: EditorDeadlines, greeting: Greeting, test: impl AsyncFnOnce(&Stage)) {
    let scratch = tempfile::tempdir().unwrap();
    let at = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(at.join("project")).unwrap();
    write(&at.join("project/a.py"), SAVED);
    write(&at.join("project/b.py"), "b = 1\n");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let toml = "[[language]]\nname = \"python\"\nlanguage-servers = []\n";
        let project = Opening { deadlines, ..Opening::new(&at, toml) }.open(&at);
        let (asks, asked) = mpsc::unbounded_channel();
        let abilities = BufferAbilities { applies: true, answers: true, ..BufferAbilities::default() };
        let editor = project.buffers.attach("slow", abilities, Arc::new(SlowPort { asks, greeting }));
        let path = RelPath::new("a.py").unwrap();
        let stage = Stage { project, editor, asked: Mutex::new(asked), path };
        stage.shows(1, TYPED).await;
        test(&stage).await;
        assert_eq!(std::fs::read_to_string(at.join("project/a.py")).unwrap(), SAVED);
        stage.project.servers.shutdown().await;
        stage.project.engine.shutdown().await;
    });
}

/// The deadline that is to pass is over at once; no test waits for another one.
fn soon(change: bool) -> EditorDeadlines {
    let (now, never) = (Duration::from_millis(50), PATIENCE);
    let (change, turn) = if change { (now, never) } else { (never, now) };
    EditorDeadlines { change, turn, ..EditorDeadlines::default() }
}

#[test]
fn a_change_that_comes_after_the_deadline_is_taken_back() {
    play(soon(true), async |stage| {
        let (outcome, text) = stage.edit("1", "2").await;
        assert_eq!(outcome, Outcome::Failed, "{text}");
        assert!(text.contains("slow did not answer within"), "{text}");
        let (_, answer) = stage.request().await;
        stage.shows(2, EDITED).await;
        answer.send(Ok(())).unwrap();
        let (changes, answer) = stage.request().await;
        let back = BufferChange { start: 0, end: EDITED.len(), text: TYPED.to_owned() };
        assert_eq!((changes[0].version, &changes[0].changes), (2, &vec![back]));
        stage.shows(3, TYPED).await;
        // Nothing depends on this answer.
        let _ = answer.send(Ok(()));
    });
}

#[test]
fn what_a_user_made_of_a_late_change_is_left_alone() {
    play(EditorDeadlines { tell: Duration::from_millis(50), ..soon(true) }, async |stage| {
        let (outcome, _) = stage.edit("1", "2").await;
        assert_eq!(outcome, Outcome::Failed);
        let (_, answer) = stage.request().await;
        stage.shows(2, "typed = 22\n").await;
        answer.send(Ok(())).unwrap();
        // The next edit waits until the late answer was looked at.
        let (outcome, text) = stage.edit_of("b.py", "1", "2").await;
        assert_eq!(outcome, Outcome::Done, "{text}");
        assert!(stage.asked.lock().await.try_recv().is_err(), "nothing is taken back");
    });
}

#[test]
fn an_editor_that_is_busy_with_something_else_is_asked_for_no_change() {
    play_with(
        EditorDeadlines { greet: Duration::from_millis(50), ..soon(false) },
        Greeting::Never,
        async |stage| {
            let (outcome, text) = stage.edit("1", "2").await;
            assert_eq!(outcome, Outcome::Failed, "{text}");
            assert!(text.contains("slow does not answer") && text.contains("nothing was written"), "{text}");
            assert!(!text.contains("may still have"), "{text}");
            assert!(stage.asked.lock().await.try_recv().is_err(), "nothing was asked");
        },
    );
}

#[test]
fn the_text_that_an_editor_has_when_it_is_no_longer_busy_counts() {
    let (asked, mut greetings) = mpsc::unbounded_channel();
    play_with(soon(false), Greeting::Asked(asked), async |stage| {
        let typing = async {
            let answer = greetings.recv().await.unwrap();
            stage.shows(2, "typed = 1\nmore = 1\n").await;
            answer.send(()).unwrap();
        };
        let ((outcome, text), ()) = tokio::join!(stage.edit("typed = 1", "typed = 2"), typing);
        assert_eq!(outcome, Outcome::Failed, "{text}");
        assert!(text.contains("a.py was changed in slow meanwhile"), "{text}");
        assert!(text.contains("nothing was written") && !text.contains("may still have"), "{text}");
        assert!(stage.asked.lock().await.try_recv().is_err(), "nothing was asked for a text that is gone");
    });
}

#[test]
fn an_editor_that_runs_is_waited_for_longer_than_a_suspended_one() {
    let now = Duration::from_millis(50);
    play(EditorDeadlines { suspended: now, present: PATIENCE, ..soon(false) }, async |stage| {
        // This very process, which is not suspended, and tells late.
        let state = stage.project.editor.root().parent().unwrap().join("state/editors");
        let presence = Presence::begin(&state, "fake").unwrap();
        let mut edit = Box::pin(stage.edit_of("b.py", "b = 1", "b = 2"));
        let early = tokio::time::timeout(4 * now, &mut edit).await;
        assert!(early.is_err(), "it is not refused, and not made: {early:?}");
        stage.editor.record_told(presence.name().to_owned());
        let (outcome, text) = edit.await;
        assert_eq!(outcome, Outcome::Done, "{text}");
    });
}

#[test]
fn an_edit_that_an_editor_waits_for_while_it_makes_another_is_refused_in_time() {
    play(soon(false), async |stage| {
        let inside = async {
            let (_, answer) = stage.request().await;
            // A program that the editor runs before it answers, such as a formatter.
            let (outcome, text) = stage.edit("typed", "other").await;
            assert_eq!(outcome, Outcome::Failed, "{text}");
            assert!(
                text.contains("slow has not answered yet") && text.contains("nothing was written"),
                "{text}"
            );
            stage.shows(2, EDITED).await;
            answer.send(Ok(())).unwrap();
        };
        let ((outcome, text), ()) = tokio::join!(stage.edit("1", "2"), inside);
        assert_eq!(outcome, Outcome::Done, "{text}");
    });
}

#[test]
fn a_command_of_the_editor_itself_is_refused_at_once_while_it_makes_an_edit() {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), SAVED);
    let file = uri(&user, "project/a.py");
    let abilities = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    let mut editor = FakeEditor::with(&user, json!({ "workspace": abilities }));
    editor.open(&file, 1, TYPED);
    editor.settle();
    let mut command = user.symd();
    let arguments = json!({ "relative_path": "a.py", "needle": "1", "repl": "2", "mode": "literal" });
    command.args(["call", "replace_content", &arguments.to_string()]);
    command.stdout(std::process::Stdio::piped());
    let call = command.spawn().unwrap();
    let request = editor.await_request("workspace/applyEdit");
    let rename: Value = editor.ask(
        "workspace/executeCommand",
        json!({ "command": "symd.rename", "arguments": [{ "name_path": "typed", "new_name": "other" }] }),
    );
    let told = rename["result"]["text"].as_str().unwrap();
    assert!(told.contains("fake 1 has not answered yet"), "{rename}");
    editor.rewrite(&file, 2, EDITED);
    editor.reply(&request, json!({ "applied": true }));
    let done = call.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn an_edit_waits_for_an_editor_that_reads_the_changed_file_again() {
    play(EditorDeadlines { reload: PATIENCE, ..EditorDeadlines::default() }, async |stage| {
        let path = RelPath::new("b.py").unwrap();
        stage.editor.open(path.clone(), 1, "b = 1\n".to_owned()).await.unwrap();
        let reload = async {
            let disk = stage.project.editor.root().join("b.py");
            while std::fs::read_to_string(&disk).unwrap() != "b = 2\n" {
                tokio::task::yield_now().await;
            }
            let change = |start, end, text: &str| BufferChange { start, end, text: text.to_owned() };
            stage.editor.change(&path, 2, &[change(4, 5, "2")], 6).await.unwrap();
            // Its user types on at once.
            stage.editor.change(&path, 3, &[change(0, 0, "#")], 7).await.unwrap();
        };
        let ((outcome, told), ()) = tokio::join!(stage.edit_of("b.py", "b = 1", "b = 2"), reload);
        assert_eq!(outcome, Outcome::Done, "{told}");
        assert!(!told.contains("reloaded"), "{told}");
    });
}
