//! The oracle of half-built indexes: an answer that was given while files were unread is the one of the complete
//! index. The order of scans, searches, changes and questions is random. `SYMD_ORACLE_ROUNDS` and
//! `SYMD_ORACLE_SEED` play more rounds, or repeat the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::oracle::number;
use super::restart::hours_later;
use super::*;
use crate::event::QuestionRun;
use symd_base::{Cancel, Text};
use symd_index::{Locals, NeededWords, Query, Scope, SegmentThresholds};
use symd_syntax::{Grammar, Matching, NamePattern, Outline};

const ROUNDS: usize = 60;
const DIRECTORIES: [&str; 4] = ["", "a", "a-b", "a/b"];
const NAMES: [&str; 6] = ["Clock", "now", "größe", "run", "Ru", "of two words"];
const PATTERNS: [&str; 16] = [
    "Clock",
    "now",
    "größe",
    "run",
    "Ru",
    "of two words",
    "Clock/now",
    "/Clock",
    "Clock/Companion/now",
    "Companion",
    "/run",
    "missing",
    "now[1]",
    "impl Clock",
    "impl Show for Clock/run",
    "object",
];
const PARTS: [&str; 7] = ["ock", "u", "Compan", "two wo", "nio", "öß", "l Clo"];

/// What was found: path, name path, offset.
type FoundRows = BTreeSet<(String, String, u32)>;

/// Where outlines are stored; in no listing.
const CACHE: &str = "cache-of-outlines";

pub(super) struct Tree {
    daemon: Daemon,
    scratch: Scratch,
    random: fastrand::Rng,
    /// Whether background work runs in `step` even while a question holds it back, as what was begun before does.
    pub(super) background: bool,
    /// Whether `step` changes files, once all are listed: a listing is told only of files as they are.
    changes_by_itself: bool,
    /// What is still to be told of the crawl.
    unlisted: VecDeque<Notice>,
    /// Every content that a file had since the question was asked; `None` for no file.
    contents: BTreeMap<String, Vec<Option<Vec<u8>>>>,
}

/// An engine, and what it is driven by.
struct Daemon {
    run: Run,
    queued: Queued,
    events: mpsc::Receiver<Event>,
    sender: mpsc::Sender<Event>,
    watch: Arc<Watch>,
    status: tokio_watch::Receiver<EngineStatus>,
    gone: tokio_watch::Receiver<bool>,
    fake: FakeHandle,
}

impl Daemon {
    fn start(
        parts: (Arc<Scanner>, Arc<Ignore>),
        random: &mut fastrand::Rng,
        options: MemoryOptions,
    ) -> Daemon {
        let (watch, fake) = Watch::fake(|_| ControlFlow::Continue(()));
        let (pool, queued) = Pool::idle();
        let (sender, events) = mpsc::channel(EVENT_QUEUE);
        let watch = Arc::new(watch);
        // Tables are built early, or not at all.
        let small =
            SegmentThresholds { loose_rows: 8, loose_files: 6, segments: 2, ..SegmentThresholds::default() };
        let state = if random.bool() { IndexState::with_limits(small) } else { IndexState::default() };
        let pool = (pool, sender.downgrade());
        let (run, status, gone) = Run::new(parts, watch.clone(), pool, state, memory_of(options));
        Daemon { run, queued, events, sender, watch, status, gone, fake }
    }
}

/// Opens the cache of a tree.
fn cache(scratch: &Scratch) -> Arc<Cache> {
    Arc::new(Cache::open(&scratch.at(CACHE)).expect("opened"))
}

impl Tree {
    pub(super) fn new(mut random: fastrand::Rng) -> Tree {
        let scratch = Scratch::new();
        for directory in DIRECTORIES {
            std::fs::create_dir_all(scratch.at(directory)).expect("made");
        }
        // Outlines are let go of as soon as they are stored, or never.
        let daemon = if random.bool() {
            let none = MemoryOptions { ceiling: 0, let_go: None };
            Daemon::start(scratch.parts_with(Some(cache(&scratch))), &mut random, none)
        } else {
            Daemon::start(scratch.parts(), &mut random, MemoryOptions::default())
        };
        let (background, changes_by_itself, unlisted, contents) =
            (true, false, VecDeque::new(), BTreeMap::new());
        Tree { daemon, scratch, random, background, changes_by_itself, unlisted, contents }
    }

    /// Has a daemon know all files and end, changes some files, and begins with the next daemon.
    fn restart(&mut self) {
        let some = |random: &mut fastrand::Rng| MemoryOptions {
            ceiling: if random.bool() { 0 } else { MemoryOptions::default().ceiling },
            let_go: None,
        };
        let parts = self.scratch.parts_at(Some(cache(&self.scratch)), Some(|| hours_later(1)));
        let memory = some(&mut self.random);
        self.daemon = Daemon::start(parts, &mut self.random, memory);
        self.crawl();
        self.drain();
        let (stop, _stopped) = oneshot::channel();
        self.take(Event::Stop(stop));
        self.drain();
        let files: Vec<String> = self.contents.keys().cloned().collect();
        for file in files {
            if self.random.u8(..4) == 0 {
                let content = (self.random.u8(..4) > 0).then(|| self.text(&file));
                // Another inode: within a tick of the clock the state would be the same.
                if let Some(content) = &content {
                    self.write("new", Some(content));
                    std::fs::rename(self.scratch.at("new"), self.scratch.at(&file)).expect("renamed");
                } else {
                    self.write(&file, None);
                }
                self.contents.insert(file, vec![content]);
            }
        }
        if self.random.u8(..4) == 0 {
            self.damage("index");
        }
        let parts = self.scratch.parts_at(Some(cache(&self.scratch)), Some(|| hours_later(2)));
        let memory = some(&mut self.random);
        self.daemon = Daemon::start(parts, &mut self.random, memory);
        if self.random.u8(..4) > 0 {
            // What was stored is read before the first listing.
            self.drain();
        }
    }

    /// Cuts files of the cache, or overwrites a part of them.
    fn damage(&mut self, extension: &str) {
        let entries = std::fs::read_dir(self.scratch.at(CACHE)).expect("listed");
        let paths = entries.map(|entry| entry.expect("listed").path());
        for file in paths.filter(|path| path.extension().is_some_and(|it| it == extension)) {
            let mut bytes = std::fs::read(&file).expect("read");
            let at = self.random.usize(..bytes.len());
            if self.random.bool() {
                bytes.truncate(at);
            } else {
                let end = bytes.len().min(at + self.random.usize(1..2_000));
                bytes[at..end].fill(7);
            }
            std::fs::write(&file, bytes).expect("written");
        }
    }

    fn take(&mut self, event: Event) {
        self.daemon.run.handle(event);
        self.daemon.run.after_event();
    }

    fn some<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.random.usize(..all.len())]
    }

    fn path(&mut self) -> String {
        let directory = self.some(&DIRECTORIES);
        let extension = self.some(&["py", "py", "kt", "kt", "rs", "txt", "html"]);
        let name = format!("f{}.{extension}", self.random.u8(..12));
        if directory.is_empty() { name } else { format!("{directory}/{name}") }
    }

    fn text(&mut self, path: &str) -> Vec<u8> {
        let mut text = String::new();
        for _ in 0..self.random.usize(..3) {
            let (name, inner) = (self.some(&NAMES), self.some(&NAMES));
            let number = self.random.u8(..3);
            let plain = |name: &str| name.replace(' ', "_");
            text += &match path.rsplit('.').next() {
                Some("kt") => format!(
                    "class `{name}` {{\n  companion object {{ fun `{inner}`() = {number} }}\n  fun {}() = 1\n}}\nval x{number} = object : {} {{}}\n",
                    plain(inner),
                    plain(name),
                ),
                Some("rs") => format!(
                    "struct {0};\nimpl Show for {0} {{ fn {1}(&self) {{}} }}\nimpl {0} {{ fn {1}{number}() {{}} }}\n",
                    plain(name),
                    plain(inner),
                ),
                _ => format!(
                    "class {}:\n    def {}(self): pass\ndef {}(): pass  # {name}\n",
                    plain(name),
                    plain(inner),
                    plain(inner),
                ),
            };
        }
        match self.random.u8(..8) {
            0 => std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
            1 => format!("\u{FEFF}{text}").into_bytes(),
            2 => [b"# \xE9\xFF\n".as_slice(), text.as_bytes()].concat(),
            _ => text.into_bytes(),
        }
    }

    /// Writes or removes a file. Its notice follows at once, or behind others that are still to come.
    fn change(&mut self, file: &str) {
        let content = (self.random.u8(..3) > 0).then(|| self.text(file));
        self.write(file, content.as_deref());
        let notice =
            if content.is_some() { Notice::Changed(path(file)) } else { Notice::Removed(path(file)) };
        self.contents.entry(file.to_owned()).or_insert_with(|| vec![None]).push(content);
        // The watcher tells of changes in their order.
        let is_change = |notice: &Notice| matches!(notice, Notice::Changed(_) | Notice::Removed(_));
        if self.unlisted.iter().any(is_change) || self.random.u8(..3) == 0 {
            self.unlisted.push_back(notice);
        } else {
            self.tell(notice);
        }
    }

    /// Returns a handle of the engine, for questions whose futures the test polls.
    pub(super) fn engine(&self) -> Engine {
        Engine {
            events: self.daemon.sender.clone(),
            unsaved: Arc::default(),
            status: self.daemon.status.clone(),
            gone: self.daemon.gone.clone(),
            watch: self.daemon.watch.clone(),
            cache: None,
            gate: QuestionGate::default(),
            turns: EditQueue::default(),
            outside_pool: Arc::new(tokio::sync::Semaphore::new(1)),
            question_threads: Arc::new(tokio::sync::Semaphore::new(1)),
            preparsed: Arc::default(),
            parsers: Parsers::in_this_process(),
            caches: QuestionCaches::new(0),
            ceiling: Arc::new(Ceiling::new(MemoryOptions::default())),
        }
    }

    /// Writes or removes a file, without a notice.
    pub(super) fn write(&self, file: &str, content: Option<&[u8]>) {
        let at = self.scratch.at(file);
        match content {
            Some(text) => std::fs::write(at, text).expect(file),
            None => drop(std::fs::remove_file(at)),
        }
    }

    pub(super) fn tell(&mut self, notice: Notice) {
        self.take(Event::Noticed(vec![notice]));
    }

    /// Lets the barriers arrive that were asked for.
    pub(super) fn release_barriers(&mut self) {
        for barrier in self.daemon.fake.take_asked() {
            self.tell(Notice::Barrier(barrier));
        }
    }

    /// Does everything that is under way.
    pub(super) fn drain(&mut self) {
        while self.daemon.queued.run_background() || self.daemon.queued.run_questions() > 0 {
            while let Ok(event) = self.daemon.events.try_recv() {
                self.take(event);
            }
        }
    }

    /// Returns a view of everything that was read.
    pub(super) fn complete_view(&mut self) -> View {
        assert!(self.daemon.run.is_drained());
        self.daemon.run.view_now()
    }

    /// Does something that is under way, or changes the tree.
    pub(super) fn step(&mut self) {
        // Also for a question that is asked again.
        self.unlisted.extend(self.daemon.fake.take_asked().into_iter().map(Notice::Barrier));
        match self.random.u8(..10) {
            0..3 if self.background => drop(self.daemon.queued.run_background()),
            0..3 => self.daemon.queued.run_allowed_background(),
            3..6 => drop(self.daemon.queued.run_questions()),
            6..9 => {
                if let Ok(event) = self.daemon.events.try_recv() {
                    self.take(event);
                }
            }
            _ if !self.unlisted.is_empty() => {
                let next = self.unlisted.pop_front();
                next.into_iter().for_each(|notice| self.tell(notice));
            }
            _ if self.changes_by_itself && self.random.u8(..3) == 0 => {
                let file = self.path();
                self.change(&file);
            }
            _ => {}
        }
    }

    fn ask<T: Send + 'static>(
        &mut self,
        question: impl Fn(&Arc<View>) -> T + Send + 'static,
    ) -> oneshot::Receiver<Result<T, EngineError>> {
        let (answer, answered) = oneshot::channel();
        let run = QuestionRun::ByNeed(ByNeed::new(question, answer, ((), 0)));
        self.take(Event::Ask(Question::new(QuestionLength::Short, None, run)));
        // The watcher tells of a barrier when the crawl is behind it.
        self.unlisted.extend(self.daemon.fake.asked(DEADLINE).into_iter().map(Notice::Barrier));
        if !matches!(self.unlisted.front(), Some(Notice::Listed { .. } | Notice::Crawled)) {
            self.end_crawl();
        }
        answered
    }

    /// Lists the tree, as a crawl does.
    pub(super) fn crawl(&mut self) {
        let notices = self.listings();
        self.take(Event::Noticed(notices));
    }

    /// Begins to list the tree; `step` goes on with it.
    fn begin_crawl(&mut self) {
        self.unlisted = self.listings().into();
    }

    /// Lists what is left to be listed.
    fn end_crawl(&mut self) {
        let left: Vec<Notice> = std::mem::take(&mut self.unlisted).into();
        if !left.is_empty() {
            self.take(Event::Noticed(left));
        }
    }

    fn listings(&self) -> Vec<Notice> {
        let root = Root::open(self.scratch.0.path()).expect("opened");
        let mut notices = Vec::new();
        for directory in DIRECTORIES {
            let child = |name: &str| {
                if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
            };
            let entries = std::fs::read_dir(self.scratch.at(directory)).expect("there").flatten();
            let (directories, files): (Vec<_>, Vec<_>) =
                entries.partition(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let sorted = |entries: Vec<std::fs::DirEntry>| {
                let mut all: Vec<RelPath> =
                    entries.iter().map(|entry| path(&child(&entry.file_name().to_string_lossy()))).collect();
                all.sort();
                all
            };
            let (files, directories) = (sorted(files), sorted(directories));
            let states = files.iter().map(|file| Some(root.stat_link(file).expect("there").1)).collect();
            notices.push(Notice::Listed { directory: path(directory), files, states, directories });
        }
        notices.push(Notice::Crawled);
        notices
    }

    fn query(&mut self) -> Query {
        let (pattern, matching) = if self.random.u8(..3) == 0 {
            (self.some(&PARTS), Matching::Substring)
        } else {
            (self.some(&PATTERNS), Matching::Exact)
        };
        let pattern = NamePattern::parse(pattern, matching).expect("valid");
        let scope = match self.random.u8(..4) {
            0 => Scope::Within(path(self.some(&["a", "a/b", "a-b"]))),
            1 => Scope::Within(path(&self.path())),
            _ => Scope::Project,
        };
        Query { scope, ..Query::in_project(pattern, Locals::Excluded) }
    }
}

fn outline_of(file: &str, content: &[u8]) -> Option<Outline> {
    let grammar = match file.rsplit('.').next()? {
        "py" => "python",
        "kt" => "kotlin",
        "rs" => "rust",
        _ => return None,
    };
    let text = Text::decode(content.to_vec()).ok()?;
    symd_syntax::outline(Grammar::named(grammar)?, text.as_str(), &Cancel::new()).ok()
}

/// Returns what the complete index finds in one file.
fn rows_in(file: &str, content: Option<&Vec<u8>>, query: &Query) -> FoundRows {
    let outline = content.and_then(|content| outline_of(file, content));
    let is_in_scope = match &query.scope {
        Scope::Project => true,
        Scope::Within(scope) => path(file).is_within(scope),
    };
    let Some(outline) = outline.filter(|_| is_in_scope) else { return FoundRows::new() };
    let rows = query.rows_in(&outline).into_iter();
    rows.map(|row| (file.to_owned(), outline.name_path(row), outline.rows[row].start)).collect()
}

/// Asks one question in the middle of a crawl, before all files are listed or read, or of a storm of changes, and compares. Returns whether it was
/// answered while files were unread.
fn round(seed: u64) -> bool {
    let mut tree = Tree::new(fastrand::Rng::with_seed(seed));
    tree.changes_by_itself = true;
    for _ in 0..tree.random.usize(17..140) {
        let file = tree.path();
        let text = tree.text(&file);
        std::fs::write(tree.scratch.at(&file), &text).expect("written");
        tree.contents.insert(file, vec![Some(text)]);
    }
    let is_restarted = tree.random.u8(..3) == 0;
    if is_restarted {
        tree.restart();
    }
    if tree.random.bool() {
        tree.begin_crawl()
    } else {
        tree.crawl()
    }
    for _ in 0..tree.random.usize(..40) {
        tree.step();
    }
    if is_restarted && tree.random.u8(..4) == 0 {
        tree.damage("index");
        tree.damage("pack");
    }
    if tree.random.bool() {
        // Complete once, then a storm.
        tree.end_crawl();
        tree.drain();
        let files: Vec<String> = tree.contents.keys().cloned().collect();
        for file in files.iter().take(30) {
            tree.change(file);
        }
    }
    let mut query = tree.query();
    // The next question may use what was searched for the last one.
    let questions = tree.random.usize(1..4);
    let mut is_early = false;
    for number in 0..questions {
        is_early |= question_is_answered(&mut tree, &query, seed);
        tree.end_crawl();
        if number + 1 == questions {
            break;
        }
        let files: Vec<String> = tree.contents.keys().cloned().collect();
        for file in files {
            if tree.random.bool() {
                tree.change(&file);
            }
        }
        if tree.random.bool() {
            query = tree.query();
        }
    }
    is_early
}

/// Notices are read again only when scans have ended, and the barrier of a question is behind them.
#[test]
fn where_so_many_scans_are_pending_that_no_notice_is_read_a_question_holds_none_back() {
    let mut tree = Tree::new(fastrand::Rng::with_seed(1));
    let most = crate::run::MAX_PENDING_LOOKS;
    let names: Vec<String> = (0..=most).map(|number| format!("f{number}.py")).collect();
    tree.tell(listed("", &names.join(" "), ""));
    let (answer, _answered) = oneshot::channel();
    let run = QuestionRun::ByNeed(ByNeed::new(|_: &Arc<View>| (), answer, ((), 0)));
    tree.take(Event::Ask(Question::new(QuestionLength::Short, None, run)));
    for _ in 0..=most {
        tree.daemon.queued.run_allowed_background();
        while let Ok(event) = tree.daemon.events.try_recv() {
            tree.take(event);
        }
    }
    assert!(tree.daemon.run.takes_notices(), "scans have ended");
}

/// Asks one question, and compares. Returns whether it was answered while files were unread.
fn question_is_answered(tree: &mut Tree, query: &Query, seed: u64) -> bool {
    // From here on, a file may be seen as it is or as it becomes.
    for contents in tree.contents.values_mut() {
        let last = contents.pop().expect("never empty");
        *contents = vec![last];
    }
    tree.background = tree.random.bool();
    let asked = query.clone();
    let mut answered = tree.ask(move |view| {
        let hits = view.snapshot.find(&asked, &Cancel::new()).expect("not cancelled");
        let listed: BTreeSet<String> =
            view.snapshot.files.paths_within(&RelPath::root()).map(|path| path.as_str().to_owned()).collect();
        let found = hits.iter().filter_map(|hit| {
            let outline = hit.file.outline()?;
            let path = hit.file.path.as_str().to_owned();
            Some((path, outline.name_path(hit.row), outline.rows[hit.row].start))
        });
        let found = found.collect::<FoundRows>();
        let mut plain = view.plain_files().to_vec();
        view.retain_holding(&mut plain, &NeededWords::of_pattern(&asked.pattern));
        let plain: BTreeSet<String> = plain.iter().map(|(path, _)| path.as_str().to_owned()).collect();
        (found, listed, plain, view.unread_files(), view.snapshot.files.is_complete())
    });
    let mut steps = 0;
    let (found, listed, plain, unread, is_complete) = loop {
        if let Ok(answer) = answered.try_recv() {
            break answer.expect("an answer");
        }
        tree.step();
        steps += 1;
        assert!(steps < 100_000, "seed {seed}: no answer");
    };
    // What a damaged cache has lost of a file that has changed meanwhile: the answer tells that it was not read.
    let is_read = |file: &str| unread.iter().all(|unread| unread.as_str() != file);
    for (file, contents) in tree.contents.iter().filter(|(file, _)| is_read(file)) {
        let of_file: FoundRows = found.iter().filter(|(path, ..)| path == file).cloned().collect();
        let expected: Vec<FoundRows> =
            contents.iter().map(|content| rows_in(file, content.as_ref(), query)).collect();
        assert!(
            expected.contains(&of_file),
            "seed {seed}: {query:?} in {file} (complete: {is_complete}): {of_file:#?} is none of {expected:#?}"
        );
        let may_be = contents.iter().any(Option::is_some);
        let must_be = contents.iter().all(Option::is_some);
        let is = listed.contains(file);
        assert!(is && may_be || !is && !must_be, "seed {seed}: {file} listed: {is}");
    }
    assert!(found.iter().all(|(file, ..)| tree.contents.contains_key(file)), "seed {seed}");
    let words = NeededWords::of_pattern(&query.pattern);
    for (file, contents) in tree.contents.iter().filter(|(file, _)| file.ends_with(".html")) {
        let holds =
            |content: &Option<Vec<u8>>| content.as_ref().is_some_and(|bytes| words.match_bytes(bytes));
        let is = plain.contains(file);
        assert!(
            contents.iter().any(|content| holds(content) == is),
            "seed {seed}: {query:?}: {file} may hold it: {is}"
        );
    }
    !is_complete
}

/// Plays the rounds of an oracle, of which each has a seed and returns whether files were unread when it was answered.
/// More than one in `least_early` must be so. `SYMD_ORACLE_ROUNDS` plays another number of rounds, `SYMD_ORACLE_SEED`
/// one round.
pub(super) fn play(rounds: u64, least_early: u64, round: impl Fn(u64) -> bool) {
    let rounds = number("SYMD_ORACLE_ROUNDS").unwrap_or(rounds);
    if let Some(seed) = number("SYMD_ORACLE_SEED") {
        round(seed);
        return;
    }
    let first = fastrand::u64(..u64::MAX / 2);
    let early = (0..rounds).filter(|number| round(first + number)).count();
    println!("{early} of {rounds} answers with files unread");
    assert!(early as u64 * least_early > rounds, "{early} of {rounds}");
}

#[test]
fn an_answer_of_a_half_built_index_is_the_one_of_the_complete_index() {
    play(ROUNDS as u64, 10, round);
}

#[test]
fn a_question_asked_again_runs_once_and_searches_nothing_that_is_unchanged() {
    let mut tree = Tree::new(fastrand::Rng::with_seed(1));
    for number in 0..200 {
        let text = format!("class C{number}:\n    def run{}(self): pass\n", number % 50);
        tree.write(&format!("a/f{number}.py"), Some(text.as_bytes()));
    }
    tree.crawl();
    // Returns what was found, how many times the question ran, and how many files were searched or read for it.
    let ask = |tree: &mut Tree, name: &str| {
        let pattern = NamePattern::parse(name, Matching::Exact).expect("valid");
        let query = Query::in_project(pattern, Locals::Excluded);
        let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = runs.clone();
        let mut answered = tree.ask(move |view| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            view.snapshot.find(&query, &Cancel::new()).expect("not cancelled").len()
        });
        let mut jobs = 0;
        loop {
            if let Ok(answer) = answered.try_recv() {
                let unread = tree.daemon.status.borrow().unread_files;
                let runs = runs.load(std::sync::atomic::Ordering::Relaxed);
                return (answer.expect("an answer"), runs, jobs, unread);
            }
            jobs += tree.daemon.queued.run_questions();
            while let Ok(event) = tree.daemon.events.try_recv() {
                tree.take(event);
            }
        }
    };
    let (found, runs, jobs, unread) = ask(&mut tree, "run7");
    assert_eq!((found, runs, unread), (4, 2, 196));
    assert!(jobs > 4, "{jobs}: it is searched for, and four files are read");
    assert_eq!(ask(&mut tree, "run7"), (4, 1, 1, 196));
    assert_eq!(ask(&mut tree, "missing").0, 0);
    assert_eq!(ask(&mut tree, "missing"), (0, 1, 1, 196));
    // A changed file is searched, and no other.
    tree.write("a/f100.py", Some(b"def run7(): pass\n"));
    tree.tell(changed("a/f100.py"));
    assert_eq!(ask(&mut tree, "run7"), (5, 2, 4, 195));
    assert_eq!(ask(&mut tree, "run7"), (5, 1, 1, 195));
    assert_eq!(ask(&mut tree, "missing"), (0, 1, 1, 195), "the changed file was read");
    tree.drain();
    assert_eq!(ask(&mut tree, "run7").0, 5);
}

#[test]
fn the_background_goes_on_beside_what_was_asked_about() {
    let mut tree = Tree::new(fastrand::Rng::with_seed(3));
    for number in 0..40 {
        for directory in ["a", "a-b", "a/b"] {
            tree.write(&format!("{directory}/f{number:02}.py"), Some(b"def other(): pass\n"));
        }
    }
    tree.write("a/b/g.py", Some(b"def run(): pass\n"));
    tree.crawl();
    let query = |name| {
        let pattern = NamePattern::parse(name, Matching::Exact).expect("valid");
        Query::in_project(pattern, Locals::Excluded)
    };
    let run = query("run");
    let mut answered =
        tree.ask(move |view| view.snapshot.find(&run, &Cancel::new()).map_or(0, |hits| hits.len()));
    let found = loop {
        if let Ok(answer) = answered.try_recv() {
            break answer.expect("an answer");
        }
        tree.daemon.queued.run_questions();
        while let Ok(event) = tree.daemon.events.try_recv() {
            tree.take(event);
        }
    };
    assert_eq!(found, 1);
    for _ in 0..5 {
        assert!(tree.daemon.queued.run_background());
        let event = tree.daemon.events.try_recv().expect("a scan");
        tree.take(event);
    }
    let read =
        tree.daemon.run.view_now().snapshot.files.iter().map(|file| file.path.parent()).collect::<Vec<_>>();
    assert_eq!((read.len(), read.iter().all(|parent| *parent == Some(path("a/b")))), (41, true));
    tree.drain();
    assert!(tree.daemon.run.is_drained(), "what was read ahead of the queue is not waited for");
}

#[test]
fn a_file_that_is_read_and_changes_while_a_question_runs_is_searched_for_the_next_one() {
    let mut tree = Tree::new(fastrand::Rng::with_seed(2));
    for number in 0..60 {
        tree.write(&format!("a/f{number:02}.py"), Some(b"def other(): pass\n"));
    }
    tree.crawl();
    let found = |tree: &mut Tree, meanwhile: &dyn Fn(&mut Tree)| {
        let pattern = NamePattern::parse("run", Matching::Exact).expect("valid");
        let query = Query::in_project(pattern, Locals::Excluded);
        let mut answered =
            tree.ask(move |view| view.snapshot.find(&query, &Cancel::new()).expect("not cancelled").len());
        meanwhile(tree);
        for _ in 0..1000 {
            if let Ok(answer) = answered.try_recv() {
                return answer.expect("an answer");
            }
            tree.daemon.queued.run_questions();
            while let Ok(event) = tree.daemon.events.try_recv() {
                tree.take(event);
            }
        }
        panic!("no answer");
    };
    let during_the_first = |tree: &mut Tree| {
        assert!(tree.daemon.queued.run_background(), "some files are read");
        let event = tree.daemon.events.try_recv().expect("their scan");
        tree.take(event);
        tree.write("a/f00.py", Some(b"def run(): pass\n"));
        tree.tell(changed("a/f00.py"));
    };
    // The question sees the file as it was when it was asked.
    assert_eq!(found(&mut tree, &during_the_first), 0);
    assert_eq!(found(&mut tree, &|_| ()), 1);
}
