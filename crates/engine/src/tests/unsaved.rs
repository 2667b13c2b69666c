//! Tests: an unsaved text is in the place of its file for every question asked after it was set. The project is
//! in memory, and its watcher is controlled by the test.

use std::time::Instant;

use super::*;
use symd_vfs::{MemoryFiles, Overlay, TextOrigin, UnsavedTexts};

/// An engine of a project in memory.
struct MemoryEngine {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    fake: FakeHandle,
    memory: Arc<MemoryFiles>,
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).expect("valid")
}

impl MemoryEngine {
    fn new(files: &[(&str, &str)]) -> MemoryEngine {
        let (scratch, runtime) = (Scratch::new(), runtime());
        let (sender, notices) = mpsc::channel(NOTICE_QUEUE);
        let (watch, fake) = Watch::fake(sink(sender));
        // There is no file with ignore rules.
        let (_, ignore) = scratch.parts();
        let memory = Arc::new(MemoryFiles::new(Path::new("/p"), files.iter().copied()));
        let unsaved = Arc::<UnsavedTexts>::default();
        let overlay = Arc::new(Overlay::new(memory.clone(), unsaved.clone()));
        let scanner = scanner(
            overlay,
            Languages::builtin().clone(),
            None,
            (None, ClockReading::now),
            Parsers::in_this_process(),
        );
        let engine = {
            let _within = runtime.enter();
            Engine::run(
                (scanner, ignore, unsaved),
                (watch, notices),
                (IndexState::default(), Ceiling::new(MemoryOptions::default())),
                None,
            )
        };
        let names = files.iter().map(|(name, _)| path(name)).collect();
        let listed = Notice::Listed {
            directory: RelPath::root(),
            files: names,
            states: Vec::new(),
            directories: Vec::new(),
        };
        assert!(fake.tell(vec![listed, Notice::Crawled]).is_continue());
        MemoryEngine { runtime, engine, fake, memory }
    }

    /// Returns the index, and the text of `a.py` as a question reads it.
    fn seen(&self) -> (String, String) {
        self.asked(|view| {
            let text = view.files.read(&path("a.py")).expect("read").bytes;
            (shown(view), String::from_utf8(text).expect("text"))
        })
    }

    /// Asks a question, and lets its barriers arrive: it is asked again when a file is found to be gone meanwhile.
    fn asked<T: Send + 'static>(&self, question: impl Fn(&View) -> T + Send + Sync + 'static) -> T {
        let engine = self.engine.clone();
        let mut answer = self.runtime.spawn(async move { engine.ask(question).await });
        let until = Instant::now() + DEADLINE;
        loop {
            for barrier in self.fake.take_asked() {
                assert!(self.fake.tell(vec![Notice::Barrier(barrier)]).is_continue());
            }
            let some = Duration::from_millis(5);
            if let Ok(answered) =
                self.runtime.block_on(async { tokio::time::timeout(some, &mut answer).await })
            {
                return answered.expect("no panic").expect("answered");
            }
            assert!(Instant::now() < until, "no answer");
        }
    }

    fn set(&self, name: &str, version: i64, text: &str) {
        self.set_as(TextOrigin::OfFile, name, version, text);
    }

    fn set_as(&self, origin: TextOrigin, name: &str, version: i64, text: &str) {
        self.runtime.block_on(self.engine.set_unsaved(path(name), version, text, origin)).expect("set");
    }

    fn remove(&self, name: &str) {
        self.runtime.block_on(self.engine.remove_unsaved(path(name))).expect("removed");
    }
}

fn pair(index: &str, text: &str) -> (String, String) {
    (index.to_owned(), text.to_owned())
}

#[test]
fn a_question_sees_the_unsaved_text_and_its_outline() {
    let project = MemoryEngine::new(&[("a.py", "saved = 1\n"), ("b.py", "b = 1\n")]);
    assert_eq!(project.seen(), pair("a.py:saved b.py:b", "saved = 1\n"));
    project.set("a.py", 1, "unsaved = 1\n");
    assert_eq!(project.seen(), pair("a.py:unsaved b.py:b", "unsaved = 1\n"));
    project.set("a.py", 2, "newer12 = 1\n");
    project.set("a.py", 1, "older = 1\n");
    assert_eq!(project.seen(), pair("a.py:newer12 b.py:b", "newer12 = 1\n"));
    assert_eq!(project.engine.unsaved().paths(), [path("a.py")]);
    project.remove("a.py");
    assert_eq!(project.seen(), pair("a.py:saved b.py:b", "saved = 1\n"));
}

#[test]
fn a_write_beneath_an_unsaved_text_shows_when_the_text_is_removed() {
    let project = MemoryEngine::new(&[("a.py", "saved = 1\n")]);
    project.set("a.py", 1, "unsaved = 1\n");
    project.memory.write(&path("a.py"), b"written = 1\n");
    assert!(project.fake.tell(vec![Notice::Changed(path("a.py"))]).is_continue());
    assert_eq!(project.seen(), pair("a.py:unsaved", "unsaved = 1\n"));
    project.remove("a.py");
    assert_eq!(project.seen(), pair("a.py:written", "written = 1\n"));
}

#[test]
fn an_unsaved_text_of_no_file_of_the_project_is_not_seen() {
    let project = MemoryEngine::new(&[("a.py", "saved = 1\n")]);
    project.set_as(TextOrigin::New, "new.py", 1, "unsaved = 1\n");
    assert_eq!(project.seen(), pair("a.py:saved", "saved = 1\n"));
    project.memory.remove(&path("a.py"));
    project.memory.write(&path("a.py"), b"saved = 2\n");
    project.remove("new.py");
    assert_eq!(project.seen().0, "a.py:saved");
}

#[test]
fn an_unsaved_text_outlasts_its_file() {
    let project = MemoryEngine::new(&[("a.py", "saved = 1\n"), ("b.py", "b = 1\n")]);
    project.set("a.py", 1, "unsaved = 1\n");
    for gone in ["a.py", "b.py"] {
        project.memory.remove(&path(gone));
        assert!(project.fake.tell(vec![Notice::Removed(path(gone))]).is_continue());
    }
    assert_eq!(project.seen(), pair("a.py:unsaved", "unsaved = 1\n"));
    let listed = Notice::Listed {
        directory: RelPath::root(),
        files: Vec::new(),
        states: Vec::new(),
        directories: Vec::new(),
    };
    assert!(project.fake.tell(vec![listed]).is_continue());
    project.set("a.py", 2, "typed = 1\n");
    assert_eq!(project.seen(), pair("a.py:typed", "typed = 1\n"));
    project.remove("a.py");
    assert_eq!(project.asked(shown), "");
}
