//! The store on real files.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use super::file::Failure;
use super::search::CANDIDATES;
use super::*;
use crate::embedder::cosine;
use crate::lexical::LexicalEmbedder;
use crate::matrix::Filter;
use crate::ranking::MIN_SIMILARITY;
use crate::shared_words::distinct_terms;
use crate::solution::InvalidSolution;

/// Returns a directory that only its owner may enter, as symd's own are.
fn scratch() -> tempfile::TempDir {
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    tempfile::Builder::new().permissions(private).tempdir().unwrap()
}

fn store(directory: &Path) -> SqliteStore {
    SqliteStore::new(&directory.join("solutions.db"), Arc::new(LexicalEmbedder))
}

fn solution(error_type: &str, description: &str) -> Solution {
    Solution {
        id: String::new(),
        error_description: description.to_owned(),
        root_cause: "the cause".to_owned(),
        solution: "the fix".to_owned(),
        language: "Kotlin".to_owned(),
        error_type: error_type.to_owned(),
        confidence: 0.8,
        user_validated: false,
        created_at: String::new(),
        fixed_in: "src/A.kt".to_owned(),
    }
}

fn query(text: &str) -> SolutionQuery {
    SolutionQuery {
        text: text.to_owned(),
        language: None,
        error_type: None,
        min_confidence: 0.7,
        limit: 5,
        until: std::time::Instant::now() + std::time::Duration::from_secs(60),
    }
}

fn ids(store: &SqliteStore, query: &SolutionQuery) -> Vec<String> {
    store.find_similar(query).unwrap().list.into_iter().map(|one| one.solution.id).collect()
}

#[test]
fn what_is_recorded_is_found_validated_and_deleted() {
    let scratch = scratch();
    let store = store(scratch.path());
    assert_eq!(store.find_similar(&query("anything")).unwrap().total, 0);
    let recorded = store
        .record(vec![
            solution(
                "kotlin.UninitializedPropertyAccessException",
                "lateinit property catalog has not been initialized",
            ),
            solution("java.net.SocketTimeoutException", "timeout while the catalog is downloaded"),
        ])
        .unwrap();
    assert_eq!(recorded, ["rca-001", "rca-002"]);
    assert_eq!(ids(&store, &query("catalog was not initialized before use"))[0], "rca-001");
    assert_eq!(ids(&store, &query("the download of the list is too slow")), ["rca-002"]);
    let filtered =
        SolutionQuery { error_type: Some("SocketTimeoutException".to_owned()), ..query("catalog") };
    assert_eq!(ids(&store, &filtered), ["rca-002"]);
    assert!(ids(&store, &SolutionQuery { language: Some("java".to_owned()), ..query("catalog") }).is_empty());
    assert!(ids(&store, &SolutionQuery { min_confidence: 0.9, ..query("catalog") }).is_empty());
    assert!(store.validate("rca-001").unwrap().user_validated);
    assert_eq!(store.delete("rca-002").unwrap().error_type, "java.net.SocketTimeoutException");
    assert!(ids(&store, &query("the download is too slow")).is_empty());
    assert!(matches!(store.get("rca-002"), Err(StoreError::Unknown(_))));
    // Ids are not given again.
    assert_eq!(store.record(vec![solution("A", "b c d")]).unwrap(), ["rca-003"]);
}

#[test]
fn similarity_is_the_cosine_of_the_exact_vectors() {
    let scratch = scratch();
    let store = store(scratch.path());
    let one = solution("IOException", "disk full while the log is written");
    store.record(vec![one.clone()]).unwrap();
    let found = store.find_similar(&query("log file cannot be written, disk full")).unwrap();
    let vector = |text: &str| LexicalEmbedder.embed(text).unwrap();
    let exact = cosine(&vector("log file cannot be written, disk full"), &vector(&one.searched_text()));
    assert!((found.list[0].similarity - exact).abs() < 1e-6);
}

#[test]
fn an_import_with_known_ids_replaces_and_the_export_is_equal() {
    let scratch = scratch();
    let (one, other) = (store(&scratch.path().join("a")), store(&scratch.path().join("b")));
    one.record(vec![solution("A", "first"), solution("B", "second")]).unwrap();
    other.import(one.all().unwrap()).unwrap();
    let again = ImportedSolutions { count: 2, replaced: 2, renumbered: 0 };
    assert_eq!(other.import(one.all().unwrap()).unwrap(), again);
    assert_eq!(one.all().unwrap(), other.all().unwrap());
    assert_eq!(ids(&other, &query("second")), ["rca-002"]);
}

#[test]
fn two_processes_see_each_others_solutions() {
    let scratch = scratch();
    let (one, other) = (store(scratch.path()), store(scratch.path()));
    one.record(vec![solution("A", "printer jammed")]).unwrap();
    assert_eq!(ids(&other, &query("printer jam")).len(), 1);
    std::thread::scope(|scope| {
        for store in [&one, &other] {
            scope.spawn(move || {
                for number in 0..25 {
                    store.record(vec![solution("B", &format!("plug {number} is loose"))]).unwrap();
                }
            });
        }
    });
    assert_eq!(one.all().unwrap().len(), 51);
    assert_eq!(one.find_similar(&query("loose plug")).unwrap().total, 50);
    other.delete("rca-001").unwrap();
    assert!(ids(&one, &query("printer jam")).is_empty());
}

#[test]
fn a_damaged_file_is_kept_aside_and_said() {
    let scratch = scratch();
    let path = scratch.path().join("solutions.db");
    std::fs::write(&path, "this is no database, and was none before".repeat(100)).unwrap();
    let store = store(scratch.path());
    assert_eq!(store.record(vec![solution("A", "first")]).unwrap(), ["rca-001"]);
    let notices = store.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("solutions.db.damaged-"), "{notices:?}");
    assert!(store.take_notices().is_empty());
    let kept: Vec<String> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".damaged-"))
        .collect();
    let text = std::fs::read_to_string(scratch.path().join(&kept[0])).unwrap();
    assert!(kept.len() == 1 && text.starts_with("this is no database"));
}

#[test]
fn a_page_that_is_damaged_later_is_noticed() {
    let scratch = scratch();
    let path = scratch.path().join("solutions.db");
    {
        let store = store(scratch.path());
        store.record((0..50).map(|n| solution("A", &format!("error number {n}"))).collect()).unwrap();
    }
    let mut bytes = std::fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0xAA);
    std::fs::write(&path, bytes).unwrap();
    let store = store(scratch.path());
    assert_eq!(store.find_similar(&query("error number")).unwrap().total, 0);
    assert_eq!(store.take_notices().len(), 1);
}

#[test]
fn vectors_of_another_model_are_computed_again() {
    struct Other;
    impl Embedder for Other {
        fn model(&self) -> &str {
            "other"
        }
        fn embed(&self, text: &str) -> Result<Vec<f32>, crate::EmbedError> {
            Ok(if text.contains("ab") { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
        }
    }
    let scratch = scratch();
    store(scratch.path()).record(vec![solution("X", "ab"), solution("X", "cd")]).unwrap();
    let other = SqliteStore::new(&scratch.path().join("solutions.db"), Arc::new(Other));
    let found = other.find_similar(&query("ab")).unwrap();
    assert_eq!((found.total, found.list[0].solution.id.as_str()), (1, "rca-001"));
    assert!(found.list[0].similarity > 0.99);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let store = SqliteStore::new(Path::new("/dev/null/solutions.db"), Arc::new(LexicalEmbedder));
    assert!(matches!(store.all(), Err(StoreError::Unavailable { .. })));
}

/// Returns the ids of the solutions that share words with `text`, the best first.
fn word_ids(store: &SqliteStore, text: &str) -> Vec<String> {
    let filter = Filter { language: None, error_type: None, min_confidence: 0.0 };
    let found = store.with(|connection, known| {
        let terms = words::rows_of(connection, &distinct_terms(text))?;
        let matrix = store.matrix(connection, known, 384)?;
        let rows = matrix.best_by_words(&matrix.weigh(terms), &filter, CANDIDATES);
        let id =
            |row| connection.query_row("SELECT id FROM solutions WHERE row = ?1", [row], |row| row.get(0));
        Ok(rows.into_iter().map(id).collect::<Result<Vec<String>, _>>()?)
    });
    found.unwrap()
}

#[test]
fn words_are_ranked_by_what_they_tell() {
    let scratch = scratch();
    let store = store(scratch.path());
    let many =
        (0..CANDIDATES + 20).map(|n| solution("A", &format!("the printer is jammed at desk d{n}"))).collect();
    store.record(many).unwrap();
    let late = store.record(vec![solution("A", "the printer reports hieroglyphs")]).unwrap();
    assert_eq!(word_ids(&store, "printer hieroglyphs")[0], late[0]);
    assert_eq!(ids(&store, &query("printer hieroglyphs"))[0], late[0]);
}

#[test]
fn words_of_any_script_are_searched_for() {
    let scratch = scratch();
    let store = store(scratch.path());
    store.record(vec![solution("A", "कैटलॉग नहीं मिली"), solution("A", "ऐप बंद हो गया")]).unwrap();
    assert_eq!(word_ids(&store, "कैटलॉग"), ["rca-001"]);
    assert_eq!(ids(&store, &query("कैटलॉग நூலகம் \"'* OR (")), ["rca-001"]);
}

/// Earlier versions had an index of FTS5's, whose own tables may be damaged so that it cannot be dropped.
#[test]
fn an_older_index_of_words_is_built_again() {
    for damage in [
        "",
        "DELETE FROM words_data",
        "DROP TABLE words_config",
        "DROP TABLE words_data; DROP TABLE words_idx",
    ] {
        let scratch = scratch();
        store(scratch.path())
            .record(vec![solution("A", "कैटलॉग नहीं मिली"), solution("A", "printer jammed")])
            .unwrap();
        let old = Connection::open(scratch.path().join("solutions.db")).unwrap();
        let words = "DROP TABLE words; PRAGMA user_version = 3; ALTER TABLE solutions DROP COLUMN word_count; \
            CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1);";
        old.execute_batch(words).expect(words);
        old.execute_batch(damage).expect(damage);
        drop(old);
        let store = store(scratch.path());
        assert_eq!(word_ids(&store, "printer"), ["rca-002"], "{damage}");
        assert_eq!(word_ids(&store, "कैटलॉग"), ["rca-001"], "{damage}");
        let raw = Connection::open(scratch.path().join("solutions.db")).unwrap();
        let state: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        let left: i64 = raw
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'words_%'", [], |row| row.get(0))
            .unwrap();
        assert_eq!((state.as_str(), left), ("ok", 0), "{damage}");
    }
}

fn corrupt() -> Failure {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    Failure::Sqlite(rusqlite::Error::SqliteFailure(code, None))
}

/// Has `store` find its file damaged once.
fn damage(store: &SqliteStore) {
    let is_first = std::cell::Cell::new(true);
    store.with(|_, _| if is_first.take() { Err(corrupt()) } else { Ok(()) }).unwrap();
}

fn set_aside(directory: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = paths
        .filter(|path| {
            path.to_str().unwrap().contains(".damaged-") && !path.to_str().unwrap().ends_with("-wal")
        })
        .collect();
    all.sort();
    all
}

#[test]
fn what_is_set_aside_has_the_last_writes() {
    let scratch = scratch();
    let (one, other) = (store(scratch.path()), store(scratch.path()));
    other.record(vec![solution("A", "first")]).unwrap();
    one.record(vec![solution("A", "second")]).unwrap();
    damage(&one);
    assert!(one.all().unwrap().is_empty());
    // In the same second: nothing is replaced.
    one.record(vec![solution("A", "third")]).unwrap();
    damage(&one);
    let aside = set_aside(scratch.path());
    let count = |path: &PathBuf| {
        let kept = Connection::open(path).unwrap();
        kept.query_row("SELECT count(*) FROM solutions", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(aside.iter().map(count).collect::<Vec<_>>(), [2, 1], "{aside:?}");
}

#[test]
fn a_store_that_another_process_began_is_left_alone() {
    let scratch = scratch();
    let (one, other) = (store(scratch.path()), store(scratch.path()));
    one.record(vec![solution("A", "first")]).unwrap();
    other.all().unwrap();
    let is_first = std::cell::Cell::new(true);
    let seen = other.with(|connection, _| {
        if is_first.take() {
            // While this process finds the damage, the other has done so and goes on with a new file.
            damage(&one);
            one.record(vec![solution("A", "of the new file")]).unwrap();
            return Err(corrupt());
        }
        Ok(connection
            .query_row("SELECT error_description FROM solutions", [], |row| row.get::<_, String>(0))?)
    });
    assert_eq!(seen.unwrap(), "of the new file");
    assert!(other.take_notices().is_empty() && set_aside(scratch.path()).len() == 1);
}

#[test]
fn a_process_that_ends_late_leaves_the_new_log() {
    let scratch = scratch();
    let (one, late) = (store(scratch.path()), store(scratch.path()));
    one.record(vec![solution("A", "first")]).unwrap();
    late.all().unwrap();
    damage(&one);
    one.record(vec![solution("A", "of the new file")]).unwrap();
    drop(late);
    assert!(scratch.path().join("solutions.db-wal").exists());
    assert_eq!(store(scratch.path()).all().unwrap().len(), 1);
}

#[test]
fn an_import_replaces_no_other_solution() {
    let scratch = scratch();
    let store = store(scratch.path());
    store.record(vec![solution("A", "my own")]).unwrap();
    let theirs = Solution { id: "rca-001".to_owned(), ..solution("A", "a colleague's") };
    let renumbered = ImportedSolutions { count: 1, replaced: 0, renumbered: 1 };
    assert_eq!(store.import(vec![theirs.clone()]).unwrap(), renumbered);
    let all = store.all().unwrap();
    let shown: Vec<_> = all.iter().map(|one| (one.id.as_str(), one.error_description.as_str())).collect();
    assert_eq!(shown, [("rca-001", "my own"), ("rca-002", "a colleague's")]);
    for id in ["new 0", "rca-", "rca-1x", "../x", "rca-9999999999999999999"] {
        let refused = store.import(vec![Solution { id: id.to_owned(), ..theirs.clone() }]);
        assert!(matches!(refused, Err(StoreError::Invalid(InvalidSolution::Id))), "{id}");
    }
    let undated = Solution { created_at: "password".to_owned(), ..theirs };
    assert!(matches!(store.import(vec![undated]), Err(StoreError::Invalid(InvalidSolution::Time))));
}

#[test]
fn a_damaged_value_hides_nothing_else() {
    let scratch = scratch();
    let store = store(scratch.path());
    store.record(vec![solution("A", "printer jammed"), solution("A", "plug loose")]).unwrap();
    let raw = Connection::open(scratch.path().join("solutions.db")).unwrap();
    raw.execute_batch(
        "UPDATE solutions SET language = CAST(x'6BFF' AS TEXT), confidence = 'x' WHERE row = 1",
    )
    .unwrap();
    assert_eq!(store.all().unwrap().len(), 2);
    assert_eq!(store.get("rca-001").unwrap().language, "k\u{fffd}");
    assert_eq!(ids(&store, &query("plug loose")), ["rca-002"]);
    assert_eq!(ids(&store, &SolutionQuery { min_confidence: 0.0, ..query("printer jammed") })[0], "rca-001");
    assert!(store.delete("rca-001").is_ok());
}

#[test]
fn a_missing_index_of_words_is_built_again() {
    let scratch = scratch();
    store(scratch.path()).record(vec![solution("A", "printer jammed"), solution("A", "plug loose")]).unwrap();
    Connection::open(scratch.path().join("solutions.db")).unwrap().execute_batch("DROP TABLE words").unwrap();
    let store = store(scratch.path());
    assert_eq!(ids(&store, &query("plug loose")), ["rca-002"]);
    assert_eq!(store.record(vec![solution("A", "third")]).unwrap(), ["rca-003"]);
    assert_eq!(word_ids(&store, "plug"), ["rca-002"]);
    let notices = store.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("built again"), "{notices:?}");
}

#[test]
fn a_recorded_trace_is_similar_to_itself() {
    let scratch = scratch();
    let foreign: String = (0..60)
        .map(|n| format!("\tat android.os.Handler{n}.dispatchMessage(Handler{n}.java:106)\n"))
        .collect();
    let trace =
        format!("java.lang.IllegalStateException: no till\n{foreign}\tat shop.app.Till.sell(Till.kt:12)\n");
    let store = store(scratch.path());
    store.record(vec![solution("java.lang.IllegalStateException", &trace)]).unwrap();
    let similarity = |store: &SqliteStore| store.find_similar(&query(&trace)).unwrap().list[0].similarity;
    let similar = similarity(&store);
    assert!(similar > 0.7, "{similar}");
    // One that an earlier version recorded.
    let raw = Connection::open(scratch.path().join("solutions.db")).unwrap();
    let vector = to_bytes(&LexicalEmbedder.embed(&trace).unwrap());
    raw.execute("UPDATE solutions SET model = 'lexical-1', vector = ?1", [vector]).unwrap();
    assert!((similarity(&store) - similar).abs() < 1e-6);
    assert_eq!(word_ids(&store, "till"), ["rca-001"]);
}

#[test]
fn a_shared_word_is_a_match_however_long_the_text_is() {
    let scratch = scratch();
    let store = store(scratch.path());
    let long: String =
        (0..400_u32).map(|n| format!("{}x{} ", char::from_u32(97 + n % 26).unwrap(), n * 7919)).collect();
    store.record(vec![solution("A", &format!("{long} hieroglyphs")), solution("A", &long)]).unwrap();
    let found = store.find_similar(&query("hieroglyphs")).unwrap();
    assert!(found.list[0].similarity < MIN_SIMILARITY, "{}", found.list[0].similarity);
    assert_eq!((found.list[0].solution.id.as_str(), found.total), ("rca-001", 1));
}

#[test]
fn all_matches_are_counted() {
    let scratch = scratch();
    let store = store(scratch.path());
    let many = (0..3 * CANDIDATES).map(|n| solution("A", &format!("plug number q{n} is loose"))).collect();
    store.record(many).unwrap();
    let found = store.find_similar(&query("loose plug")).unwrap();
    assert_eq!((found.list.len(), found.total), (5, 3 * CANDIDATES));
}

/// Whatever is wrong in the index of words, nothing is refused for it, and words are found again.
#[test]
fn a_damaged_index_of_words_is_built_again() {
    for damage in [
        "DROP TABLE words",
        "UPDATE words SET rows = x''",
        "UPDATE words SET rows = 'text'",
        "UPDATE words SET rows = x'FFFFFFFFFFFF'",
        "UPDATE words SET rows = zeroblob(3000)",
        "ALTER TABLE words RENAME COLUMN rows TO other",
        "DROP TABLE words; CREATE TABLE words (term TEXT, rows INTEGER)",
        "DROP TABLE words; CREATE VIEW words AS SELECT 1 AS term, 2 AS rows",
    ] {
        let scratch = scratch();
        store(scratch.path())
            .record(vec![solution("A", "printer jammed"), solution("A", "plug loose")])
            .unwrap();
        Connection::open(scratch.path().join("solutions.db")).unwrap().execute_batch(damage).unwrap();
        let store = store(scratch.path());
        let recorded = store.record(vec![solution("A", "third")]);
        assert_eq!(recorded.expect(damage), ["rca-003"], "{damage}");
        assert_eq!(word_ids(&store, "plug"), ["rca-002"], "{damage}");
        assert!(store.take_notices().iter().any(|notice| notice.contains("built again")), "{damage}");
        assert!(store.delete("rca-001").is_ok(), "{damage}");
        assert_eq!(store.all().unwrap().len(), 2, "{damage}");
        assert!(set_aside(scratch.path()).is_empty(), "{damage}");
    }
}

/// An embedder that costs: one direction for each number in the text.
struct Costly {
    name: &'static str,
    dimension: usize,
    /// How many more texts it answers.
    left: std::sync::atomic::AtomicUsize,
}

impl Costly {
    fn new(name: &'static str, dimension: usize, left: usize) -> Arc<Costly> {
        Arc::new(Costly { name, dimension, left: left.into() })
    }
}

impl Embedder for Costly {
    fn model(&self) -> &str {
        self.name
    }
    fn embed(&self, text: &str) -> Result<Vec<f32>, crate::EmbedError> {
        use std::sync::atomic::Ordering::SeqCst;
        let is_left = self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        if !is_left {
            return Err(crate::EmbedError { model: self.name.to_owned(), reason: "it is down".to_owned() });
        }
        let mut vector = vec![0.0; self.dimension];
        let number: usize =
            text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
        vector[number % self.dimension] = 1.0;
        Ok(vector)
    }
    fn is_costly(&self) -> bool {
        true
    }
}

fn with(directory: &Path, embedder: Arc<Costly>) -> SqliteStore {
    SqliteStore::new(&directory.join("solutions.db"), embedder)
}

#[test]
fn vectors_of_a_costly_model_are_computed_when_the_user_wants_it_and_a_run_goes_on_where_it_stopped() {
    let scratch = scratch();
    store(scratch.path()).record((0..600).map(|n| solution("A", &format!("plug {n}"))).collect()).unwrap();
    // 1 for the dimension, 256 of a batch, and the model is gone within the second batch.
    let failing = with(scratch.path(), Costly::new("big", 700, 1 + 256 + 40));
    let mut seen = Vec::new();
    let stopped = failing.reembed(&mut |done, of| seen.push((done, of)));
    assert!(matches!(stopped, Err(StoreError::Embed(_))), "{stopped:?}");
    assert_eq!(seen, [(0, 600), (256, 600)]);
    let going_on = with(scratch.path(), Costly::new("big", 700, usize::MAX));
    // What has its vector is found meanwhile, and the others are not compared.
    let found = going_on.find_similar(&query("7")).unwrap();
    assert_eq!((found.total, found.list[0].solution.error_description.as_str()), (1, "plug 7"));
    assert!(going_on.find_similar(&query("599")).unwrap().list.is_empty());
    assert_eq!(
        going_on.take_notices(),
        [
            "344 solutions have no vector of this model and are not found; `symd solutions reembed` computes them"
        ]
    );
    assert_eq!(going_on.reembed(&mut |_, _| {}).unwrap(), 344);
    assert_eq!(going_on.find_similar(&query("599")).unwrap().list[0].solution.id, "rca-600");
    assert!(going_on.take_notices().is_empty());
    assert_eq!(going_on.reembed(&mut |_, _| {}).unwrap(), 0);
}

#[test]
fn a_model_that_changes_its_dimension_is_another_one() {
    let scratch = scratch();
    let one = with(scratch.path(), Costly::new("big", 10, usize::MAX));
    one.record(vec![solution("A", "plug 3")]).unwrap();
    let other = with(scratch.path(), Costly::new("big", 20, usize::MAX));
    assert!(other.find_similar(&query("3")).unwrap().list.is_empty());
    assert_eq!(other.reembed(&mut |_, _| {}).unwrap(), 1);
    assert_eq!(ids(&other, &query("3")), ["rca-001"]);
    // And the first, which runs still, mixes nothing.
    assert!(one.find_similar(&query("3")).unwrap().list.is_empty());
}

#[test]
fn a_solution_is_not_lost_if_the_model_is_down() {
    let scratch = scratch();
    let down = with(scratch.path(), Costly::new("big", 10, 0));
    assert_eq!(down.record(vec![solution("A", "plug 3")]).unwrap(), ["rca-001"]);
    let notices = down.take_notices();
    assert!(
        notices[0].starts_with("recorded without vectors") && notices[0].contains("it is down"),
        "{notices:?}"
    );
    assert!(matches!(down.find_similar(&query("3")), Err(StoreError::Embed(_))));
    let up = with(scratch.path(), Costly::new("big", 10, usize::MAX));
    assert_eq!(up.reembed(&mut |_, _| {}).unwrap(), 1);
    assert_eq!(ids(&up, &query("3")), ["rca-001"]);
}

#[test]
fn a_file_of_version_2_has_its_dimensions_added() {
    let scratch = scratch();
    store(scratch.path()).record(vec![solution("A", "plug loose")]).unwrap();
    let old = Connection::open(scratch.path().join("solutions.db")).unwrap();
    old.execute_batch("ALTER TABLE solutions DROP COLUMN dimension; PRAGMA user_version = 2").unwrap();
    drop(old);
    let store = store(scratch.path());
    assert_eq!(ids(&store, &query("plug loose")), ["rca-001"]);
    let raw = Connection::open(scratch.path().join("solutions.db")).unwrap();
    let dimension: i64 = raw.query_row("SELECT dimension FROM solutions", [], |row| row.get(0)).unwrap();
    assert_eq!(dimension, 384);
}

#[test]
fn an_index_of_words_without_those_of_the_fix_is_built_again() {
    let scratch = scratch();
    let fixed = Solution { solution: "retry the upload".to_owned(), ..solution("A", "printer jammed") };
    store(scratch.path()).record(vec![fixed, solution("A", "plug loose")]).unwrap();
    let old = Connection::open(scratch.path().join("solutions.db")).unwrap();
    let words = "DELETE FROM words WHERE term IN ('retry', 'upload'); UPDATE solutions SET word_count = 1; \
        PRAGMA user_version = 4";
    old.execute_batch(words).unwrap();
    drop(old);
    let store = store(scratch.path());
    assert_eq!(word_ids(&store, "uploading"), ["rca-001"]);
    let raw = Connection::open(scratch.path().join("solutions.db")).unwrap();
    let count = "SELECT word_count FROM solutions WHERE row = 1";
    assert!(raw.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap() > 1);
}

#[test]
fn a_word_of_a_similar_meaning_finds_and_the_querys_own_comes_first() {
    let scratch = scratch();
    let store = store(scratch.path());
    let many = (0..30).map(|n| solution("A", &format!("plug q{n} is loose"))).collect();
    store.record(many).unwrap();
    let other = store.record(vec![solution("A", "the printer is stuck")]).unwrap().remove(0);
    let own = store.record(vec![solution("A", "the printer hangs")]).unwrap().remove(0);
    assert_eq!(ids(&store, &query("hanging printer")), [own, other]);
}

#[test]
fn a_query_of_something_else_finds_nothing() {
    let scratch = scratch();
    let store = store(scratch.path());
    store
        .record(vec![
            solution("A", "property catalog has not been initialized when the till opens"),
            solution("A", "the reader of the socket waits until the peer closes"),
            solution("A", "printer jammed"),
        ])
        .unwrap();
    let found =
        store.find_similar(&query("weather forecast of Lisbon: a property is sold by the sea")).unwrap();
    assert_eq!((found.total, found.list.len()), (0, 0));
}
