//! SIGKILL at random moments of edits that span a buffer and a file, from their staging on: of the daemon, of an editor's `symd lsp`,
//! and of an editor alone, whose pipe ends. `SYMD_EDITOR_ROUNDS` plays more rounds.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::editor_agent::agent;
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "def saved():\n    return 1\n";
const TYPED: &str = "def typed():\n    return 1\n";
const USER: &str = "import a\n\na.typed()\n";

/// The entries of the project before an edit: its two files and `.git`.
const ENTRIES: usize = 3;

/// The latest moment of a kill, counted from the staging of the edit, in microseconds. The edit has usually ended by then.
const LATEST_KILL: u64 = 64_000;

/// Returns a random moment. Early ones are more likely: most steps of an edit follow its staging at once.
fn random_moment() -> Duration {
    Duration::from_micros(fastrand::u64(..LATEST_KILL >> fastrand::u32(..9)))
}

/// What ends in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Killed {
    Daemon,
    /// The editor with its `symd lsp`.
    Editor,
    /// The editor alone: `symd lsp` reads the end of its pipe.
    EditorAlone,
}

/// What is under way then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnderWay {
    Edit,
    /// The undo of an edit that was made.
    Undo,
}

/// What the editor shows of `a.py` before the edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Unsaved,
    /// Saved, in an editor that saves on request.
    Saved,
}

/// An editor that makes every change it is asked for, and what it shows.
struct Screen {
    editor: FakeEditor,
    file: String,
    text: String,
    version: i64,
}

impl Screen {
    fn open(user: &User, buffer: Buffer) -> Screen {
        let file = uri(user, "project/a.py");
        let abilities =
            json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } });
        let (mut editor, saved) = match buffer {
            Buffer::Unsaved => (FakeEditor::with(user, abilities), SAVED),
            Buffer::Saved => (FakeEditor::saving(user, abilities), TYPED),
        };
        editor.open(&file, 1, saved);
        let mut screen = Screen { editor, file, text: saved.to_owned(), version: 1 };
        if buffer == Buffer::Unsaved {
            screen.show(TYPED);
        }
        screen.editor.settle();
        screen
    }

    /// Shows another text, as if its user had typed it.
    fn show(&mut self, text: &str) {
        self.version += 1;
        text.clone_into(&mut self.text);
        self.editor.rewrite(&self.file, self.version, text);
    }

    /// Does what symd asks for, as far as it has come.
    fn serve(&mut self, user: &User) {
        let mut heard = std::mem::take(&mut self.editor.heard).into_iter();
        let next = |editor: &mut FakeEditor| editor.receive_within(Duration::from_micros(200));
        while let Some(message) = heard.next().or_else(|| next(&mut self.editor)) {
            match message["method"].as_str() {
                Some("workspace/applyEdit") => {
                    let change = &message["params"]["edit"]["documentChanges"][0];
                    let is_current = change["textDocument"]["version"] == self.version;
                    if is_current {
                        let edited = edited(&self.text, &change["edits"]);
                        self.show(&edited);
                    }
                    self.editor.reply(&message, json!({ "applied": is_current }));
                }
                Some("symd/save") => {
                    write(&user.path("project/a.py"), &self.text);
                    self.editor.save(&self.file);
                    self.editor.reply(&message, json!({ "saved": true }));
                }
                _ => {}
            }
        }
    }

    /// Has an agent call a tool and serves it meanwhile; returns whether the call succeeded.
    fn call(&mut self, user: &User, tool: &str, arguments: &Value) -> bool {
        let mut call = agent(user, tool, arguments);
        while call.try_wait().unwrap().is_none() {
            self.serve(user);
        }
        let ended = call.wait_with_output().unwrap();
        self.serve(user);
        ended.status.success()
    }
}

/// Returns `text` after the edits of a `TextDocumentEdit`; all of it is ASCII.
fn edited(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let line = usize::try_from(at["line"].as_u64().unwrap()).unwrap();
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        before + usize::try_from(at["character"].as_u64().unwrap()).unwrap()
    };
    let mut edited = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
        edited.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    edited
}

fn renamed(text: &str) -> String {
    text.replace("typed", "other")
}

/// Returns the call that makes the edit, or undoes it.
fn wanted(under_way: UnderWay) -> (&'static str, Value) {
    let rename =
        json!({ "name_path": "typed", "new_name": "other", "force": true, "include": ["unchecked"] });
    match under_way {
        UnderWay::Edit => ("rename_symbol", rename),
        UnderWay::Undo => ("undo", json!({})),
    }
}

/// A kill in one round, and what it left.
struct Round {
    killed: Killed,
    under_way: UnderWay,
    buffer: Buffer,
    user: User,
    /// For messages of failures.
    name: String,
}

impl Round {
    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.user.path("project").join(file)).unwrap()
    }

    /// What `a.py` is on the disk without the edit.
    fn saved(&self) -> &'static str {
        if self.buffer == Buffer::Saved { TYPED } else { SAVED }
    }

    fn is_staged(&self) -> bool {
        std::fs::read_dir(self.user.path("project")).unwrap().count() > ENTRIES
    }

    /// Kills at a random moment of the call. Returns the screen, if the editor lives, and whether the call succeeded.
    fn kill(&self, daemon: u64, mut screen: Screen) -> (Option<Screen>, bool) {
        let (tool, arguments) = wanted(self.under_way);
        let mut call = agent(&self.user, tool, &arguments);
        let mut moment = None;
        while call.try_wait().unwrap().is_none() && moment.is_none_or(|moment| Instant::now() < moment) {
            if moment.is_none() && self.is_staged() {
                moment = Some(Instant::now() + random_moment());
            }
            screen.serve(&self.user);
        }
        match self.killed {
            Killed::Daemon => {
                let daemon = Pid::from_raw(i32::try_from(daemon).unwrap()).unwrap();
                kill_process(daemon, Signal::KILL).unwrap();
            }
            Killed::Editor => screen.editor.process.kill().unwrap(),
            Killed::EditorAlone => screen.editor.close_pipe(),
        }
        let left = match self.killed {
            Killed::Daemon => Some(screen),
            Killed::Editor | Killed::EditorAlone => {
                screen.editor.process.wait().unwrap();
                None
            }
        };
        (left, call.wait_with_output().unwrap().status.success())
    }

    fn play(&self) {
        let Round { name, user, .. } = self;
        let mut screen = Screen::open(user, self.buffer);
        if self.under_way == UnderWay::Undo {
            let (tool, arguments) = wanted(UnderWay::Edit);
            assert!(screen.call(user, tool, &arguments), "{name}: the edit before");
        }
        let daemon = user.pid();
        let (left, is_done) = self.kill(daemon, screen);
        match left {
            Some(screen) => self.check_daemons_end(daemon, screen, is_done),
            None => self.check_editors_end(is_done),
        }
        assert_eq!(
            (self.read("a.py").as_str(), self.read("b.py").as_str()),
            (self.saved(), USER),
            "{name}: the first tree"
        );
    }

    /// Each file and the buffer are old or new, or the next daemon names what differs; all is undone then.
    fn check_daemons_end(&self, daemon: u64, mut screen: Screen, is_done: bool) {
        let Round { name, user, .. } = self;
        screen.serve(user);
        screen.editor.await_restart(daemon);
        let recovered = user.status()["recovered"].to_string();
        screen.serve(user);
        let (old, new) = match self.under_way {
            UnderWay::Edit => {
                ([self.saved().to_owned(), USER.to_owned()], [renamed(self.saved()), renamed(USER)])
            }
            UnderWay::Undo => {
                ([renamed(self.saved()), renamed(USER)], [self.saved().to_owned(), USER.to_owned()])
            }
        };
        let [old_text, new_text] = match self.under_way {
            UnderWay::Edit => [TYPED.to_owned(), renamed(TYPED)],
            UnderWay::Undo => [renamed(TYPED), TYPED.to_owned()],
        };
        let files = [self.read("a.py"), self.read("b.py")];
        let is_new = files[1] == new[1];
        println!("{name}: done: {is_done}, files new: {is_new}, buffer new: {}", screen.text == new_text);
        assert!(files == old || files == new, "{name}: {files:?}; {recovered}");
        assert!(screen.text == old_text || screen.text == new_text, "{name}: {}", screen.text);
        assert!(!is_done || is_new && screen.text == new_text, "{name}: said to be done");
        if is_new {
            assert_eq!(screen.text, new_text, "{name}: files changed before the editor had agreed");
        } else if screen.text != old_text {
            assert!(
                recovered.contains("a.py"),
                "{name}: the buffer that has the change is named: {recovered}"
            );
            // Its user takes it back.
            screen.show(&old_text);
            screen.editor.settle();
        }
        assert!(!self.is_staged(), "{name}: a staged file is left");
        if is_new == (self.under_way == UnderWay::Edit) {
            assert!(screen.call(user, "undo", &json!({})), "{name}: undo; {}", user.check(&["history"], 0));
        }
        assert_eq!(screen.text, TYPED, "{name}");
    }

    /// The edit is whole or not made, and can be undone.
    fn check_editors_end(&self, is_done: bool) {
        let Round { name, user, .. } = self;
        let is_edited = is_done == (self.under_way == UnderWay::Edit);
        println!("{name}: done: {is_done}");
        let of = |text: &str| if is_edited { renamed(text) } else { text.to_owned() };
        let saved = if self.buffer == Buffer::Saved { of(TYPED) } else { SAVED.to_owned() };
        assert_eq!((self.read("a.py"), self.read("b.py")), (saved, of(USER)), "{name}: done: {is_done}");
        assert!(!self.is_staged(), "{name}: a staged file is left");
        let begun = Instant::now();
        while is_edited && self.read("b.py") != USER {
            // Its end is noticed soon; until then the buffer counts, and cannot be changed.
            user.run(&["undo"]);
            assert!(begun.elapsed() < PATIENCE, "{name}: {}", user.check(&["history"], 0));
        }
    }
}

#[test]
fn a_kill_at_any_moment_leaves_old_or_new_files_or_names_them_and_undo_gives_the_first_tree() {
    let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    // A few rounds are others each time.
    let first = fastrand::usize(..12);
    for round in 0..rounds.unwrap_or(6) {
        let kind = first + round;
        let killed = [Killed::Daemon, Killed::Editor, Killed::EditorAlone][kind % 3];
        let under_way = [UnderWay::Edit, UnderWay::Undo][kind / 3 % 2];
        let buffer = [Buffer::Unsaved, Buffer::Saved][kind / 6 % 2];
        let user = User::new();
        let languages = "[[language]]\nname = \"python\"\nlanguage-servers = []\n";
        write(&user.path("config/languages.toml"), languages);
        let name = format!("round {round}: {killed:?} killed in {under_way:?}, {buffer:?}");
        let round = Round { killed, under_way, buffer, user, name };
        write(&round.user.path("project/a.py"), round.saved());
        write(&round.user.path("project/b.py"), USER);
        assert_eq!(std::fs::read_dir(round.user.path("project")).unwrap().count(), ENTRIES);
        round.play();
    }
}
