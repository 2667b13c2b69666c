//! SIGKILL at random moments of edits that span two buffers and a file, from their staging on, after none, one or two others: of the
//! daemon, of an editor's `symd lsp`, and of an editor alone, whose pipe ends. `SYMD_EDITOR_ROUNDS` plays more rounds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::editor_agent::agent;
use crate::fake_editor::{FakeEditor, uri};
use crate::support::{PATIENCE, User, write};

const SAVED: &str = "def saved():\n    return 1\n";
const TYPED: &str = "def typed():\n    return 1\n";
const USER: &str = "import a\n\na.typed()\n";
/// The file of the second buffer, which is always unsaved.
const SECOND_SAVED: &str = "import a\n";
const SECOND_TYPED: &str = "import a\n\nprint(a.typed)\n";

/// The names that the function has after none, one, two and three edits.
const NAMES: [&str; 4] = ["typed", "other", "third", "last"];

/// The entries of the project before an edit: its three files and `.git`.
const ENTRIES: usize = 4;

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

/// What an editor shows of one file.
#[derive(Clone, Debug)]
struct ShownText {
    text: String,
    version: i64,
}

/// An editor that makes every change it is asked for, and what it shows, by file.
struct Screen {
    editor: FakeEditor,
    shown: BTreeMap<&'static str, ShownText>,
}

impl Screen {
    fn open(user: &User, buffer: Buffer) -> Screen {
        let abilities =
            json!({ "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } } });
        let (editor, saved) = match buffer {
            Buffer::Unsaved => (FakeEditor::with(user, abilities), SAVED),
            Buffer::Saved => (FakeEditor::saving(user, abilities), TYPED),
        };
        let mut screen = Screen { editor, shown: BTreeMap::new() };
        for (file, saved, typed) in [("a.py", saved, TYPED), ("c.py", SECOND_SAVED, SECOND_TYPED)] {
            screen.editor.open(&screen.uri(user, file), 1, saved);
            screen.shown.insert(file, ShownText { text: saved.to_owned(), version: 1 });
            if saved != typed {
                screen.show(user, file, typed);
            }
        }
        screen.editor.settle();
        screen
    }

    fn uri(&self, user: &User, file: &str) -> String {
        uri(user, &format!("project/{file}"))
    }

    fn texts(&self) -> [&str; 2] {
        ["a.py", "c.py"].map(|file| self.shown[file].text.as_str())
    }

    /// Shows another text, as if its user had typed it.
    fn show(&mut self, user: &User, file: &'static str, text: &str) {
        let to = self.uri(user, file);
        let shown = self.shown.get_mut(file).unwrap();
        shown.version += 1;
        text.clone_into(&mut shown.text);
        self.editor.rewrite(&to, shown.version, text);
    }

    /// Does what symd asks for, as far as it has come.
    fn serve(&mut self, user: &User) {
        let mut heard = std::mem::take(&mut self.editor.heard).into_iter();
        let next = |editor: &mut FakeEditor| editor.receive_within(Duration::from_micros(200));
        while let Some(message) = heard.next().or_else(|| next(&mut self.editor)) {
            match message["method"].as_str() {
                Some("workspace/applyEdit") => {
                    let is_applied = self.apply(user, &message["params"]["edit"]["documentChanges"]);
                    self.editor.reply(&message, json!({ "applied": is_applied }));
                }
                Some("symd/save") => {
                    write(&user.path("project/a.py"), &self.shown["a.py"].text);
                    let file = self.uri(user, "a.py");
                    self.editor.save(&file);
                    self.editor.reply(&message, json!({ "saved": true }));
                }
                _ => {}
            }
        }
    }

    /// Makes all of the changes, if all are for the versions that are shown.
    fn apply(&mut self, user: &User, changes: &Value) -> bool {
        let mut planned = Vec::new();
        for change in changes.as_array().unwrap() {
            let (document, edits) = (&change["textDocument"], &change["edits"]);
            let is_meant = |file: &&&str| document["uri"] == self.uri(user, file);
            let file = *self.shown.keys().find(is_meant).unwrap();
            let shown = &self.shown[file];
            if document["version"] != shown.version {
                return false;
            }
            planned.push((file, edited(&shown.text, edits)));
        }
        planned.into_iter().for_each(|(file, text)| self.show(user, file, &text));
        true
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

/// Returns a text after so many edits.
fn after(edits: usize, text: &str) -> String {
    text.replace(NAMES[0], NAMES[edits])
}

/// Returns the call that makes the edit which follows so many others.
fn next_edit(edits: usize) -> (&'static str, Value) {
    let rename = json!({
        "name_path": NAMES[edits], "new_name": NAMES[edits + 1], "force": true, "include": ["unchecked"],
    });
    ("rename_symbol", rename)
}

/// A kill in one round, and what it left.
struct Round {
    killed: Killed,
    under_way: UnderWay,
    buffer: Buffer,
    /// The number of edits that were made before.
    before: usize,
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

    fn files(&self) -> [String; 3] {
        ["a.py", "b.py", "c.py"].map(|file| self.read(file))
    }

    /// The files on the disk after so many edits.
    fn files_after(&self, edits: usize) -> [String; 3] {
        [after(edits, self.saved()), after(edits, USER), SECOND_SAVED.to_owned()]
    }

    /// The number of edits that are made at the end of the call, if it succeeds.
    fn target(&self) -> usize {
        if self.under_way == UnderWay::Edit { self.before + 1 } else { self.before }
    }

    /// The number of edits that are made before the call.
    fn origin(&self) -> usize {
        if self.under_way == UnderWay::Edit { self.before } else { self.before + 1 }
    }

    fn is_staged(&self) -> bool {
        std::fs::read_dir(self.user.path("project")).unwrap().count() > ENTRIES
    }

    /// Kills at a random moment of the call. Returns the screen, if the editor lives, and whether the call succeeded.
    fn kill(&self, daemon: u64, mut screen: Screen) -> (Option<Screen>, bool) {
        let (tool, arguments) = match self.under_way {
            UnderWay::Edit => next_edit(self.before),
            UnderWay::Undo => ("undo", json!({})),
        };
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
        for edits in 0..self.origin() {
            let (tool, arguments) = next_edit(edits);
            assert!(screen.call(user, tool, &arguments), "{name}: edit {edits} before");
        }
        let daemon = user.pid();
        let (left, is_done) = self.kill(daemon, screen);
        match left {
            Some(screen) => self.check_daemons_end(daemon, screen, is_done),
            None => self.check_editors_end(is_done),
        }
        assert_eq!(self.files(), self.files_after(0), "{name}: the first tree");
    }

    /// Each file and each buffer are old or new, or the next daemon names what differs; all is undone then.
    fn check_daemons_end(&self, daemon: u64, mut screen: Screen, is_done: bool) {
        let Round { name, user, .. } = self;
        screen.serve(user);
        screen.editor.await_restart(daemon);
        let recovered = user.status()["recovered"].to_string();
        screen.serve(user);
        let files = self.files();
        let is_new = files == self.files_after(self.target());
        let texts = |edits: usize| [TYPED, SECOND_TYPED].map(|text| after(edits, text));
        let (old_texts, new_texts) = (texts(self.origin()), texts(self.target()));
        println!(
            "{name}: done: {is_done}, files new: {is_new}, buffers new: {}",
            screen.texts() == new_texts
        );
        assert!(is_new || files == self.files_after(self.origin()), "{name}: {files:?}; {recovered}");
        assert!(!is_done || is_new, "{name}: said to be done");
        for (at, file) in ["a.py", "c.py"].into_iter().enumerate() {
            let text = screen.texts()[at].to_owned();
            assert!(text == old_texts[at] || text == new_texts[at], "{name}: {file}: {text}");
            if is_new {
                assert_eq!(text, new_texts[at], "{name}: files changed before the editor had agreed");
            } else if text != old_texts[at] {
                assert!(
                    recovered.contains(file),
                    "{name}: the buffer that has the change is named: {recovered}"
                );
                // Its user takes it back.
                screen.show(user, file, &old_texts[at]);
            }
        }
        screen.editor.settle();
        assert!(!self.is_staged(), "{name}: a staged file is left");
        let edits = if is_new { self.target() } else { self.origin() };
        for edit in (0..edits).rev() {
            let is_undone = screen.call(user, "undo", &json!({}));
            assert!(is_undone, "{name}: undo of {edit}; {}", user.check(&["history"], 0));
        }
        assert_eq!(screen.texts(), [TYPED, SECOND_TYPED], "{name}");
    }

    /// The edit is whole or not made, and all are undone.
    fn check_editors_end(&self, is_done: bool) {
        let Round { name, user, .. } = self;
        println!("{name}: done: {is_done}");
        let edits = if is_done { self.target() } else { self.origin() };
        assert_eq!(self.files(), self.files_after(edits), "{name}: done: {is_done}");
        assert!(!self.is_staged(), "{name}: a staged file is left");
        let begun = Instant::now();
        while self.read("b.py") != USER {
            // Its end is noticed soon; until then the buffers count, and cannot be changed.
            user.run(&["undo"]);
            assert!(begun.elapsed() < PATIENCE, "{name}: {}", user.check(&["history"], 0));
        }
    }
}

#[test]
fn a_kill_at_any_moment_leaves_old_or_new_files_or_names_them_and_undo_gives_the_first_tree() {
    let rounds = std::env::var("SYMD_EDITOR_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    // A few rounds are others each time.
    let first = fastrand::usize(..36);
    for round in 0..rounds.unwrap_or(6) {
        let kind = first + round;
        let killed = [Killed::Daemon, Killed::Editor, Killed::EditorAlone][kind % 3];
        let under_way = [UnderWay::Edit, UnderWay::Undo][kind / 3 % 2];
        let buffer = [Buffer::Unsaved, Buffer::Saved][kind / 6 % 2];
        let before = kind / 12 % 3;
        let user = User::new();
        let languages = "[[language]]\nname = \"python\"\nlanguage-servers = []\n";
        write(&user.path("config/languages.toml"), languages);
        let name = format!("round {round}: {killed:?} killed in {under_way:?} after {before}, {buffer:?}");
        let round = Round { killed, under_way, buffer, before, user, name };
        write(&round.user.path("project/a.py"), round.saved());
        write(&round.user.path("project/b.py"), USER);
        write(&round.user.path("project/c.py"), SECOND_SAVED);
        assert_eq!(std::fs::read_dir(round.user.path("project")).unwrap().count(), ENTRIES);
        round.play();
    }
}
