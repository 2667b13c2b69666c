//! Tests of scans, notices and barriers in every awkward order, one step at a time: the test controls which
//! job runs when, and when its result is applied.

use super::*;

pub(super) struct Stage {
    run: Run,
    queued: Queued,
    events: mpsc::Receiver<Event>,
    _sender: mpsc::Sender<Event>,
    fake: FakeHandle,
    pub(super) scratch: Scratch,
}

impl Stage {
    fn new() -> Stage {
        Stage::with(IndexState::default(), None, MemoryOptions::default())
    }

    /// Returns an engine that begins with this index.
    pub(super) fn with(state: IndexState, cache: Option<Arc<Cache>>, options: MemoryOptions) -> Stage {
        let scratch = Scratch::new();
        let (watch, fake) = Watch::fake(|_| ControlFlow::Continue(()));
        let (pool, queued) = Pool::idle();
        let (sender, events) = mpsc::channel(EVENT_QUEUE);
        let (run, ..) = {
            let pool = (pool, sender.downgrade());
            Run::new(scratch.parts_with(cache), Arc::new(watch), pool, state, memory_of(options))
        };
        let mut stage = Stage { run, queued, events, _sender: sender, fake, scratch };
        stage.tell([listed("", "", ""), Notice::Crawled]);
        stage
    }

    pub(super) fn take(&mut self, event: Event) {
        self.run.handle(event);
        self.run.after_event();
    }

    pub(super) fn tell<const N: usize>(&mut self, notices: [Notice; N]) {
        self.take(Event::Noticed(notices.into()));
    }

    /// Runs the oldest job and holds back its result.
    fn look(&mut self) -> Event {
        self.run_job().expect("an answer")
    }

    /// Runs the oldest job; returns its result if it has one.
    pub(super) fn run_job(&mut self) -> Option<Event> {
        assert!(self.queued.run_background(), "no job is queued");
        self.events.try_recv().ok()
    }

    /// Runs all jobs and applies their results.
    pub(super) fn finish(&mut self) {
        while self.queued.run_background() {
            // Some jobs only free memory.
            if let Ok(answer) = self.events.try_recv() {
                self.take(answer);
            }
        }
    }

    fn ask(&mut self) -> oneshot::Receiver<String> {
        self.ask_for(shown)
    }

    fn ask_for<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (answer, answered) = oneshot::channel();
        let run = Box::new(move |view: Result<Arc<View>, EngineError>| {
            let _ = answer.send(question(&view.expect("fresh")));
        });
        self.take(Event::Ask(Question::new(QuestionLength::Short, None, QuestionRun::Once(run))));
        answered
    }

    /// Delivers the requested barriers.
    fn arrive(&mut self) {
        let barriers = self.fake.asked(DEADLINE).into_iter().map(Notice::Barrier).collect();
        self.take(Event::Noticed(barriers));
    }

    /// Returns the answer to a question that waits for no job.
    pub(super) fn answer<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&View) -> T + Send + 'static,
    ) -> T {
        let answer = self.ask_for(question);
        self.arrive();
        assert_eq!(self.queued.run_questions(), 1);
        answer.blocking_recv().expect("answered")
    }

    /// Returns the index after everything was applied.
    fn shows(&mut self) -> String {
        self.finish();
        self.answer(shown)
    }
}

#[test]
fn a_file_that_moves_while_a_question_waits_is_found_at_its_new_place() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "a = 1\n");
    stage.tell([changed("a.py")]);
    stage.finish();
    stage.scratch.write("other.py", "other = 1\n");
    stage.tell([changed("other.py")]);
    let answer = stage.ask();
    stage.arrive();
    // The question waits for a scan. Of the move only the first half is known when that has ended.
    std::fs::rename(stage.scratch.at("a.py"), stage.scratch.at("b.py")).expect("moved");
    stage.tell([Notice::Removed(path("a.py"))]);
    stage.finish();
    assert_eq!(stage.queued.run_questions(), 0);
    stage.tell([changed("b.py")]);
    stage.arrive();
    stage.finish();
    assert_eq!(stage.queued.run_questions(), 1);
    assert_eq!(answer.blocking_recv().expect("answered"), "b.py:a other.py:other");
}

#[test]
fn a_question_is_answered_while_files_are_removed_all_the_time() {
    let mut stage = Stage::new();
    let files: Vec<String> = (0..20).map(|number| format!("f{number:02}.py")).collect();
    files.iter().for_each(|file| stage.scratch.write(file, "f = 1\n"));
    stage.tell([listed("", &files.join(" "), "")]);
    stage.finish();
    stage.scratch.write("f00.py", "g = 1\n");
    stage.tell([changed("f00.py")]);
    let answer = stage.ask();
    let mut rounds = 0;
    for file in files.iter().rev() {
        rounds += 1;
        stage.arrive();
        std::fs::remove_file(stage.scratch.at(file)).expect("removed");
        stage.tell([changed("f00.py"), Notice::Removed(path(file))]);
        stage.finish();
        if stage.queued.run_questions() > 0 {
            break;
        }
    }
    assert!(answer.blocking_recv().expect("answered").starts_with("f00.py:g"));
    assert!((2..12).contains(&rounds), "{rounds}");
}

#[test]
fn every_change_is_told_once_and_with_its_true_kind() {
    let mut stage = Stage::new();
    let (sender, told) = std::sync::mpsc::sync_channel(64);
    let tell = move |path: &RelPath, change| sender.send(format!("{change:?} {path}")).expect("room");
    stage.run = stage.run.with_on_change(Some(OnChange(Arc::new(tell))));
    let told = || told.try_iter().collect::<Vec<_>>();
    stage.scratch.write("a.py", "a = 1\n");
    stage.scratch.write("notes", "");
    stage.tell([changed("a.py"), changed("notes")]);
    stage.finish();
    assert_eq!(told(), ["Created a.py", "Created notes"]);
    // Touched, with the same bytes.
    stage.scratch.write("a.py", "a = 1\n");
    stage.tell([changed("a.py")]);
    stage.finish();
    assert!(told().is_empty());
    stage.scratch.write("a.py", "a = 2\n");
    stage.tell([changed("a.py"), changed("notes")]);
    stage.finish();
    assert_eq!(told(), ["Written notes", "Written a.py"]);
    std::fs::remove_file(stage.scratch.at("a.py")).expect("removed");
    stage.tell([changed("a.py"), Notice::Removed(path("notes"))]);
    stage.finish();
    assert_eq!(told(), ["Deleted notes", "Deleted a.py"]);
}

#[test]
fn an_outline_made_elsewhere_lasts_as_long_as_its_text() {
    let mut stage = Stage::new();
    let text = "class A\nend\n";
    stage.scratch.write("a.rb", text);
    stage.tell([changed("a.rb")]);
    assert_eq!(stage.shows(), "a.rb");
    let symbol = symd_syntax::server_symbols::ServerSymbol {
        name: "A".to_owned(),
        kind: symd_syntax::SymbolKind::Class,
        range: symd_base::TextRange::new(0, 11),
        name_range: symd_base::TextRange::new(6, 7),
        children: Vec::new(),
    };
    let outlined = |text: &str| OutlinedFile {
        path: path("a.rb"),
        hash: ContentHash::of(text.as_bytes()),
        stat: Stat::default(),
        fingerprint: 7,
        outline: Arc::new(symd_syntax::server_symbols::outline_from_symbols(
            text,
            std::slice::from_ref(&symbol),
        )),
    };
    stage.take(Event::ServerOutlined(vec![outlined(text)]));
    assert_eq!(stage.shows(), "a.rb:A");
    stage.scratch.write("a.rb", "class B\nend\n");
    stage.tell([changed("a.rb")]);
    assert_eq!(stage.shows(), "a.rb");
    // The outline of an earlier text: the scan that follows detects that.
    stage.take(Event::ServerOutlined(vec![outlined(text)]));
    assert_eq!(stage.shows(), "a.rb");
}

#[test]
fn files_with_long_lines_are_looked_at_after_many_others_and_are_waited_for() {
    let mut stage = Stage::new();
    let names: Vec<String> = (0..320).map(|number| format!("f{number}.py")).collect();
    for name in &names {
        stage.scratch.write(name, "a = 1\n");
    }
    stage.scratch.write("f290.py", &format!("last = [{}]\n", "1, ".repeat(2_000)));
    stage.take(Event::Noticed(names.iter().map(|name| changed(name)).collect()));
    let mut answer = stage.ask();
    stage.arrive();
    let mut looked = Vec::new();
    while looked.len() < 319 {
        let event = stage.look();
        if let Event::Scanned { files, .. } = &event {
            looked.extend(files.iter().map(|file| file.path.to_string()));
        }
        stage.take(event);
    }
    assert!(!looked.contains(&"f290.py".to_owned()));
    assert_eq!(stage.queued.run_questions(), 0);
    assert!(answer.try_recv().is_err());
    stage.finish();
    assert_eq!(stage.queued.run_questions(), 1);
    assert!(answer.try_recv().expect("answered").contains("f290.py:last"));
}

#[test]
fn an_older_look_taken_in_late_changes_nothing() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "old = 1\n");
    stage.tell([changed("a.py")]);
    let old = stage.look();
    stage.scratch.write("a.py", "new = 1\n");
    stage.tell([changed("a.py")]);
    let new = stage.look();
    stage.take(new);
    stage.take(old);
    assert_eq!(stage.shows(), "a.py:new");
}

#[test]
fn as_before_means_as_it_was_when_the_look_began() {
    let mut stage = Stage::new();
    stage.scratch.write("notes", "");
    stage.tell([changed("notes")]);
    stage.finish();
    // One scan finds the file gone; the next, begun before that result was applied, finds it unchanged.
    std::fs::remove_file(stage.scratch.at("notes")).expect("removed");
    stage.tell([changed("notes"), changed("notes")]);
    let gone = stage.look();
    stage.scratch.write("notes", "");
    let same = stage.look();
    stage.take(gone);
    stage.take(same);
    assert_eq!(stage.shows(), "notes");
}

#[test]
fn a_look_begun_before_its_file_left_the_listing_is_out_of_date() {
    for listing in [listed("d", "", ""), Notice::Removed(path("d")), listed("", "", "")] {
        let mut stage = Stage::new();
        std::fs::create_dir(stage.scratch.at("d")).expect("made");
        stage.scratch.write("d/a.py", "a = 1\n");
        // The file is not in the index yet, so only the scan knows of it. It still exists: it may have become
        // ignored.
        stage.tell([changed("d/a.py")]);
        let look = stage.look();
        stage.tell([listing.clone()]);
        stage.take(look);
        assert_eq!(stage.shows(), "", "{listing:?}");
    }
}

#[test]
fn removed_then_listed_is_listed() {
    let mut stage = Stage::new();
    std::fs::create_dir(stage.scratch.at("d")).expect("made");
    stage.scratch.write("d/a.py", "a = 1\n");
    stage.tell([listed("", "", "d"), listed("d", "d/a.py", "")]);
    let before = stage.look();
    stage.tell([Notice::Removed(path("d")), listed("d", "d/a.py", "")]);
    stage.take(before);
    assert_eq!(stage.shows(), "d/a.py:a");
    stage.tell([listed("d", "d/a.py", ""), listed("d", "d/a.py", "")]);
    assert_eq!(stage.shows(), "d/a.py:a");
}

#[test]
fn a_directory_in_the_place_of_a_file_is_no_file() {
    let mut stage = Stage::new();
    stage.scratch.write("x.py", "x = 1\n");
    stage.scratch.write("x.pyi", "x = 1\n");
    stage.tell([listed("", "x.py x.pyi", "")]);
    assert_eq!(stage.shows(), "x.py:x x.pyi:x");
    std::fs::remove_file(stage.scratch.at("x.py")).expect("removed");
    std::fs::create_dir(stage.scratch.at("x.py")).expect("made");
    stage.scratch.write("x.py/y.py", "y = 1\n");
    stage.tell([listed("x.py", "x.py/y.py", "")]);
    assert_eq!(stage.shows(), "x.py/y.py:y x.pyi:x");
}

#[test]
fn what_the_sweep_found_may_have_been_left_out_since() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "a = 1\n");
    stage.tell([listed("", "a.py", "")]);
    stage.finish();
    stage.scratch.write("a.py", "bb = 1\n");
    stage.take(Event::Sweep);
    let swept = stage.look();
    stage.tell([listed("", "", "")]);
    stage.take(swept);
    assert_eq!(stage.shows(), "");
}

#[test]
fn the_sweep_finds_what_gave_no_event() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "a = 1\n");
    stage.tell([listed("", "a.py", "")]);
    stage.finish();
    stage.scratch.write("a.py", "bb = 1\n");
    stage.take(Event::Sweep);
    assert_eq!(stage.shows(), "a.py:bb");
}

#[test]
fn a_barrier_that_arrives_while_looks_are_under_way_waits_for_them() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "a = 1\n");
    stage.scratch.write("b.py", "b = 1\n");
    let answer = stage.ask();
    stage.tell([changed("a.py")]);
    stage.arrive();
    assert_eq!(stage.queued.run_questions(), 0, "a look is under way");
    let look = stage.look();
    stage.tell([changed("b.py")]);
    stage.take(look);
    // The scan of b.py began after the barrier: no question waits for it.
    assert_eq!(stage.queued.run_questions(), 1);
    assert_eq!(answer.blocking_recv().expect("answered"), "a.py:a");
}

#[test]
fn a_question_asked_while_a_barrier_is_on_its_way_waits_for_the_next() {
    let mut stage = Stage::new();
    let first = stage.ask();
    let early = stage.fake.asked(DEADLINE);
    let second = stage.ask();
    stage.tell([Notice::Barrier(99)]);
    assert_eq!(stage.queued.run_questions(), 0, "nobody asked for this one");
    stage.scratch.write("a.py", "a = 1\n");
    for _ in 0..2 {
        stage.take(Event::Noticed(early.iter().copied().map(Notice::Barrier).collect()));
    }
    assert_eq!(stage.queued.run_questions(), 1);
    assert_eq!(first.blocking_recv().expect("answered"), "");
    stage.tell([changed("a.py")]);
    stage.arrive();
    stage.finish();
    assert_eq!(stage.queued.run_questions(), 1);
    assert_eq!(second.blocking_recv().expect("answered"), "a.py:a");
}

#[test]
fn stopping_lets_no_stale_answer_out() {
    let mut stage = Stage::new();
    stage.scratch.write("a.py", "a = 1\n");
    stage.tell([changed("a.py")]);
    let answer = stage.ask();
    stage.arrive();
    let (stopped, _done) = oneshot::channel();
    stage.take(Event::Stop(stopped));
    stage.finish();
    assert_eq!(stage.queued.run_questions(), 0);
    assert!(answer.blocking_recv().is_err(), "the look was cancelled: nothing fresh is known");
    assert!(stage.ask().blocking_recv().is_err());
}

/// A write through a name in a directory that is not watched yet is told for no name.
#[test]
fn a_name_that_was_read_before_its_file_changed_through_another_is_read_again() {
    use std::os::unix::fs::MetadataExt;
    for is_listed_last in [false, true] {
        let mut stage = Stage::new();
        ["a", "b"].iter().for_each(|name| std::fs::create_dir(stage.scratch.at(name)).expect("made"));
        stage.scratch.write("a/f.py", "old = 1\n");
        std::fs::hard_link(stage.scratch.at("a/f.py"), stage.scratch.at("b/f.py")).expect("linked");
        stage.tell([listed("a", "a/f.py", "")]);
        let early = stage.look();
        let changed_at = || {
            let meta = std::fs::metadata(stage.scratch.at("a/f.py")).expect("there");
            (meta.ctime(), meta.ctime_nsec())
        };
        let before = changed_at();
        while changed_at() == before {
            stage.scratch.write("b/f.py", "new = 1\n");
        }
        if is_listed_last {
            stage.tell([listed("b", "b/f.py", "")]);
            stage.finish();
            stage.take(early);
        } else {
            stage.take(early);
            stage.tell([listed("b", "b/f.py", "")]);
        }
        assert_eq!(stage.shows(), "a/f.py:new b/f.py:new", "{is_listed_last}");
    }
}
