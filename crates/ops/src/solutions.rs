//! Past solutions of errors, of all projects of the user. Invariant: what is recorded has lost its secrets first.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use symd_config::settings::Settings;
use symd_knowledge::{
    ChromaServer, ChromaStore, Embedder, LexicalEmbedder, SimilarSolutions, Solution, SolutionQuery,
    SolutionStore, SqliteStore, StoreError, UrlEmbedder, count_redacted, redact,
};

/// How long the vectors stay in memory after a question.
const IDLE: Duration = Duration::from_secs(60);

/// How long a search may take, the vector of its text and the store's answer together: a tool answers within two seconds.
const FOR_SEARCH: Duration = Duration::from_millis(1_800);

/// The user's store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Solutions {
    store: Arc<dyn SolutionStore>,
    /// The same store, if it is a team's.
    team: Option<Arc<ChromaStore>>,
    /// The model behind a URL, if the settings name one.
    url_embedder: Option<UrlEmbedder>,
    /// The number of questions so far.
    asked: Arc<watch::Sender<u64>>,
    /// How long the vectors stay in memory after a question.
    idle: Duration,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct RecordedSolution {
    pub solution: Solution,
    /// How many secrets and personal paths were taken out, here or by the caller.
    pub removed: usize,
    /// What happened to the store that the user must know.
    pub notices: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct FoundSolutions {
    pub similar: SimilarSolutions,
    /// What happened to the store that the user must know.
    pub notices: Vec<String>,
}

impl Solutions {
    /// Returns the team's store, if the settings name one, or the one beneath symd's data directory; it is opened when it is
    /// first needed.
    pub fn new(data: &Path, settings: &Settings) -> Solutions {
        let directory = data.join("solutions");
        let url_embedder = UrlEmbedder::of(&settings.embedder, &directory);
        let embedder: Arc<dyn Embedder> = match &url_embedder {
            Some(embedder) => Arc::new(embedder.clone()),
            None => Arc::new(LexicalEmbedder),
        };
        let asked = Arc::new(watch::Sender::new(0));
        match ChromaServer::of(&settings.chroma, &directory) {
            Some(server) => {
                let team = Arc::new(ChromaStore::new(server, embedder));
                Solutions {
                    store: Arc::<ChromaStore>::clone(&team),
                    team: Some(team),
                    url_embedder,
                    asked,
                    idle: IDLE,
                }
            }
            None => {
                let store = Arc::new(SqliteStore::new(&directory.join("solutions.db"), embedder));
                Solutions { store, team: None, url_embedder, asked, idle: IDLE }
            }
        }
    }

    /// Returns the team's store, which needs the user's yes, if the settings name one.
    pub fn team(&self) -> Option<&ChromaStore> {
        self.team.as_deref()
    }

    /// Returns when a search that begins now has its answer, or fails.
    pub fn deadline() -> Instant {
        Instant::now() + FOR_SEARCH
    }

    /// Returns the model behind a URL, which needs the user's yes, if the settings name one.
    pub fn url_embedder(&self) -> Option<&UrlEmbedder> {
        self.url_embedder.as_ref()
    }

    /// Returns the store, whose calls block.
    pub fn store(&self) -> &dyn SolutionStore {
        &*self.store
    }

    /// Frees the vectors, which the next question reads again. Blocks.
    pub fn free_memory(&self) {
        self.store.free_memory();
    }

    /// Finds similar solutions.
    pub async fn find_similar(&self, query: SolutionQuery) -> Result<FoundSolutions, StoreError> {
        // First, because the caller may give up while this waits.
        self.free_when_idle();
        let found = self.blocking(move |store| store.find_similar(&query)).await;
        found.map(|(similar, notices)| FoundSolutions { similar, notices })
    }

    /// Records a solution, without the secrets in it.
    pub async fn record(&self, solution: Solution) -> Result<RecordedSolution, StoreError> {
        let recorded = self.blocking(move |store| {
            let (solution, _) = without_secrets(solution);
            let ids = store.record(vec![solution])?;
            let solution = store.get(ids.first().map_or("", String::as_str))?;
            let removed = solution.texts().into_iter().map(count_redacted).sum();
            Ok((solution, removed))
        });
        let ((solution, removed), notices) = recorded.await?;
        Ok(RecordedSolution { solution, removed, notices })
    }

    /// Runs `work`; returns its result and the notices of the store.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SolutionStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<(T, Vec<String>), StoreError> {
        let store = Arc::clone(&self.store);
        let done = tokio::task::spawn_blocking(move || {
            let done = work(&*store);
            // Here, because the caller may have given up.
            let notices = store.take_notices();
            notices.iter().for_each(|notice| tracing::warn!("{notice}"));
            (done, notices)
        });
        match done.await {
            Ok((done, notices)) => done.map(|done| (done, notices)),
            Err(error) => Err(StoreError::Unavailable {
                place: "of this machine".to_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// Frees the vectors when no further question has come for a while.
    fn free_when_idle(&self) {
        self.asked.send_modify(|asked| *asked += 1);
        let (store, mut next, idle) = (Arc::clone(&self.store), self.asked.subscribe(), self.idle);
        tokio::spawn(async move {
            if tokio::time::timeout(idle, next.changed()).await.is_err() {
                // Another call may hold the store.
                tokio::task::spawn_blocking(move || store.free_memory());
            }
        });
    }
}

/// Returns a solution without secrets and personal paths, and how many there were.
pub fn without_secrets(solution: Solution) -> (Solution, usize) {
    let mut removed = 0;
    let mut clean = |text: String| {
        let (text, count) = redact(&text);
        removed += count;
        text
    };
    let solution = Solution {
        error_description: clean(solution.error_description),
        root_cause: clean(solution.root_cause),
        solution: clean(solution.solution),
        fixed_in: clean(solution.fixed_in),
        error_type: clean(solution.error_type),
        language: clean(solution.language),
        id: clean(solution.id),
        created_at: clean(solution.created_at),
        ..solution
    };
    (solution, removed)
}

#[cfg(test)]
mod tests {
    use symd_knowledge::ImportedSolutions;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    use super::*;

    /// A store that tells when its memory is freed.
    #[derive(Debug)]
    struct FreedStore(UnboundedSender<Instant>);

    impl SolutionStore for FreedStore {
        fn find_similar(&self, _: &SolutionQuery) -> Result<SimilarSolutions, StoreError> {
            Ok(SimilarSolutions::default())
        }

        fn record(&self, _: Vec<Solution>) -> Result<Vec<String>, StoreError> {
            unreachable!("nothing is recorded")
        }

        fn import(&self, _: Vec<Solution>) -> Result<ImportedSolutions, StoreError> {
            unreachable!("nothing is imported")
        }

        fn all(&self) -> Result<Vec<Solution>, StoreError> {
            Ok(Vec::new())
        }

        fn get(&self, _: &str) -> Result<Solution, StoreError> {
            unreachable!("it is empty")
        }

        fn validate(&self, _: &str) -> Result<Solution, StoreError> {
            unreachable!("it is empty")
        }

        fn delete(&self, _: &str) -> Result<Solution, StoreError> {
            unreachable!("it is empty")
        }

        fn reembed(&self, _: &mut dyn FnMut(usize, usize)) -> Result<usize, StoreError> {
            Ok(0)
        }

        fn free_memory(&self) {
            self.0.send(Instant::now()).expect("the test listens");
        }

        fn take_notices(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[tokio::test]
    async fn the_vectors_are_freed_once_no_question_has_come_for_a_while() {
        let (freed, mut heard) = unbounded_channel();
        let idle = Duration::from_millis(200);
        let solutions = Solutions {
            store: Arc::new(FreedStore(freed)),
            team: None,
            url_embedder: None,
            asked: Arc::new(watch::Sender::new(0)),
            idle,
        };
        let query = || SolutionQuery {
            text: "no till".to_owned(),
            language: None,
            error_type: None,
            min_confidence: 0.0,
            limit: 1,
            until: Solutions::deadline(),
        };
        // Again after it was freed.
        for questions in [3, 1] {
            let mut last = Instant::now();
            for _ in 0..questions {
                last = Instant::now();
                solutions.find_similar(query()).await.expect("empty");
            }
            // Where this was held up between two questions, it was freed in between, too.
            let freed_at = loop {
                let at = heard.recv().await.expect("freed");
                if at > last {
                    break at;
                }
            };
            assert!(freed_at.duration_since(last) >= idle, "{:?}", freed_at.duration_since(last));
        }
    }
}
