//! A team's store: the collection `rca_solutions` of a Chroma server, which other clients read and write, too. Invariants: the
//! server is sent nothing without the user's yes; a question ends by its deadline, model and server together; records of other
//! programs are neither shown nor changed; vectors of another model are never compared.

mod collection;
mod record;
mod reembed;
mod search;
mod server;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use collection::{COLLECTION, ChromaCollection, ChromaRecord};
use record::{OWN, VALIDATED, content_id, is_content_id, record, solution};
use reembed::BATCH;
pub use server::ChromaServer;

use super::embedder::Embedder;
use super::solution::Solution;
use super::store::{ImportedSolutions, SimilarSolutions, SolutionQuery, SolutionStore, StoreError};

/// How long one request may take that no question waits for.
const FOR_REQUEST: Duration = Duration::from_secs(10);

/// A store in a Chroma server.
pub struct ChromaStore {
    server: ChromaServer,
    embedder: Arc<dyn Embedder>,
    noted: Mutex<ChromaNotes>,
}

#[derive(Default)]
struct ChromaNotes {
    notices: Vec<String>,
    /// When the solutions without a vector of this model were counted.
    checked: Option<Instant>,
    /// Their number, when it was said last.
    said_others: usize,
}

impl std::fmt::Debug for ChromaStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChromaStore({:?})", self.server)
    }
}

/// Returns the end of a request that begins now.
fn soon() -> Instant {
    Instant::now() + FOR_REQUEST
}

impl ChromaStore {
    pub fn new(server: ChromaServer, embedder: Arc<dyn Embedder>) -> ChromaStore {
        ChromaStore { server, embedder, noted: Mutex::default() }
    }

    /// Returns the server, which needs the user's yes.
    pub fn server(&self) -> &ChromaServer {
        &self.server
    }

    /// Makes the collection if there is none; returns how many records it has.
    pub fn prepare(&self) -> Result<usize, StoreError> {
        let collection = self.server.create(COLLECTION, soon())?;
        self.server.count(&collection, soon())
    }

    fn noted(&self) -> MutexGuard<'_, ChromaNotes> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the collection's vectors are not of this dimension.
    fn check_dimension(&self, of: &ChromaCollection, dimension: usize) -> Result<(), StoreError> {
        match of.dimension {
            Some(other) if other != dimension => Err(self.server.useless(format!(
                "holds vectors of {other} components in {COLLECTION}, but {} gives {dimension}; name the team's model under \
                 [embedder] in config.toml, or let `symd solutions reembed` compute all vectors by yours, for everyone",
                self.embedder.model()
            ))),
            _ => Ok(()),
        }
    }

    /// Stores solutions, which have ids. Without an answer of the model they get vectors that say nothing.
    fn store(&self, solutions: &[Solution]) -> Result<(), StoreError> {
        for batch in solutions.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(Solution::searched_text).collect();
            let computed = self.embedder.embed_all(&texts);
            // Only now: another one may have been put in its place while the model was at work.
            let collection = self.server.collection(soon())?;
            let (model, vectors) = match (computed, collection.dimension) {
                (Ok(vectors), _) => (self.embedder.model(), vectors),
                (Err(error), Some(dimension)) if self.embedder.is_costly() => {
                    let what =
                        "recorded without vectors, so that nothing finds it until `symd solutions reembed`";
                    self.noted().notices.push(format!("{what}: {error}"));
                    ("", vec![vec![0.0; dimension]; batch.len()])
                }
                (Err(error), _) => return Err(error.into()),
            };
            if let Some(vector) = vectors.first() {
                self.check_dimension(&collection, vector.len())?;
            }
            let records: Vec<ChromaRecord> = batch.iter().map(|one| record(one, model)).collect();
            self.server.upsert(&collection, &records, &vectors, soon())?;
        }
        Ok(())
    }

    /// Returns the collection, and its record with this id.
    fn own(&self, id: &str) -> Result<(ChromaCollection, Solution), StoreError> {
        let collection = self.server.collection(soon())?;
        let records = self.server.records(&collection, &[id.to_owned()], &soon)?;
        let found = records.first().and_then(solution).ok_or_else(|| StoreError::Unknown(id.to_owned()))?;
        Ok((collection, found))
    }
}

impl SolutionStore for ChromaStore {
    fn find_similar(&self, query: &SolutionQuery) -> Result<SimilarSolutions, StoreError> {
        self.search(query)
    }

    fn record(&self, solutions: Vec<Solution>) -> Result<Vec<String>, StoreError> {
        let mut solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        self.server.check_consent()?;
        solutions.iter_mut().for_each(|one| one.id = content_id(one));
        self.store(&solutions)?;
        Ok(solutions.into_iter().map(|one| one.id).collect())
    }

    fn import(&self, solutions: Vec<Solution>) -> Result<ImportedSolutions, StoreError> {
        let mut solutions: Vec<Solution> = solutions.into_iter().map(Solution::dated).collect();
        solutions.iter().try_for_each(Solution::check)?;
        let mut done = ImportedSolutions { count: solutions.len(), ..ImportedSolutions::default() };
        let is_of_a_file = |one: &Solution| !one.id.is_empty() && !is_content_id(&one.id);
        let from_files = solutions.iter().filter(|one| is_of_a_file(one)).count();
        for one in solutions.iter_mut().filter(|one| !is_content_id(&one.id)) {
            one.id = content_id(one);
        }
        let collection = self.server.collection(soon())?;
        let ids: Vec<String> = solutions.iter().map(|one| one.id.clone()).collect();
        let records = self.server.records(&collection, &ids, &soon)?;
        // Also what other programs have under these ids.
        let mut known: HashMap<String, Option<Solution>> =
            records.iter().map(|record| (record.id.clone(), solution(record))).collect();
        for one in &mut solutions {
            match known.get(&one.id) {
                Some(Some(other)) if other.is_of_same_error(one) => done.replaced += 1,
                Some(_) => {
                    one.id = content_id(one);
                    done.renumbered += 1;
                }
                None => {}
            }
            known.insert(one.id.clone(), Some(one.clone()));
        }
        // Of several with one id the last counts.
        let mut ids = HashSet::new();
        let mut stored: Vec<Solution> =
            solutions.into_iter().rev().filter(|one| ids.insert(one.id.clone())).collect();
        stored.reverse();
        self.store(&stored)?;
        if from_files > 0 {
            let why = "numbers of one machine's store would be taken twice in a team's";
            self.noted().notices.push(format!("{from_files} solutions have longer ids here: {why}"));
        }
        Ok(done)
    }

    fn all(&self) -> Result<Vec<Solution>, StoreError> {
        let collection = self.server.collection(soon())?;
        let ids = self.server.ids(&collection, Some(&json!({ OWN: 1 })), &soon)?;
        let records = self.server.records(&collection, &ids, &soon)?;
        let mut all: Vec<Solution> = records.iter().filter_map(solution).collect();
        all.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.id.cmp(&b.id)));
        let others = self.server.count(&collection, soon())?.saturating_sub(all.len());
        if others > 0 {
            self.noted()
                .notices
                .push(format!("{others} records of other programs in {COLLECTION} are left alone"));
        }
        Ok(all)
    }

    fn get(&self, id: &str) -> Result<Solution, StoreError> {
        Ok(self.own(id)?.1)
    }

    fn validate(&self, id: &str) -> Result<Solution, StoreError> {
        let (collection, found) = self.own(id)?;
        self.server.update(&collection, &[id.to_owned()], (None, &json!({ VALIDATED: true })), soon())?;
        Ok(Solution { user_validated: true, ..found })
    }

    fn delete(&self, id: &str) -> Result<Solution, StoreError> {
        let (collection, found) = self.own(id)?;
        self.server.delete(&collection, id, soon())?;
        Ok(found)
    }

    fn reembed(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, StoreError> {
        self.compute_again(progress)
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.noted().notices)
    }
}
