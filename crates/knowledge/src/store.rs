//! What a store of solutions does, whichever it is.

use std::time::Instant;

use super::embedder::EmbedError;
use super::solution::{InvalidSolution, Solution};

/// A question for similar errors.
#[derive(Clone, Debug)]
pub struct SolutionQuery {
    /// An error description or a stack trace.
    pub text: String,
    /// Only solutions in this language.
    pub language: Option<String>,
    /// Only solutions of this type of error; the last component of a qualified name counts.
    pub error_type: Option<String>,
    /// Only solutions of at least this confidence.
    pub min_confidence: f64,
    pub limit: usize,
    /// When the answer must be there, the vector of the text included: a store behind a URL gives up then.
    pub until: Instant,
}

/// A solution that was found.
#[derive(Clone, Debug)]
pub struct SimilarSolution {
    pub solution: Solution,
    /// The cosine of the angle between its vector and the query's.
    pub similarity: f64,
}

/// The solutions found.
#[derive(Clone, Debug, Default)]
pub struct SimilarSolutions {
    /// The best first.
    pub list: Vec<SimilarSolution>,
    /// How many there are without the limit.
    pub total: usize,
}

/// What an import has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportedSolutions {
    /// How many there are in all.
    pub count: usize,
    /// How many took the place of an earlier copy.
    pub replaced: usize,
    /// How many have a new id, because another solution has theirs.
    pub renumbered: usize,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be used at all.
    #[error("the store of solutions {place} cannot be used: {reason}")]
    Unavailable { place: String, reason: String },
    /// A service behind a URL did not answer in time.
    #[error("{place} did not answer in time: {reason}")]
    Late { place: String, reason: String },
    /// A service behind a URL answered, but not with what was asked for.
    #[error("{place} {reason}")]
    Service { place: String, reason: String },
    #[error("there is no collection {collection} at {place}; {next}")]
    NoCollection { place: String, collection: String, next: String },
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error("there is no solution {0}; `symd solutions list` shows what there is")]
    Unknown(String),
    #[error("this is no solution: {0}")]
    Invalid(#[from] InvalidSolution),
}

/// A store of solutions. Calls block; several processes may use one store at once.
pub trait SolutionStore: std::fmt::Debug + Send + Sync {
    /// Finds solutions similar to a text: filters first, then the rank by words and by vectors together.
    fn find_similar(&self, query: &SolutionQuery) -> Result<SimilarSolutions, StoreError>;

    /// Adds solutions and returns the ids that they are given.
    fn record(&self, solutions: Vec<Solution>) -> Result<Vec<String>, StoreError>;

    /// Adds solutions with their ids. One replaces a known solution of the same id, error description and time;
    /// if another solution has its id, it is given a new one.
    fn import(&self, solutions: Vec<Solution>) -> Result<ImportedSolutions, StoreError>;

    /// Returns all solutions, the oldest first.
    fn all(&self) -> Result<Vec<Solution>, StoreError>;

    fn get(&self, id: &str) -> Result<Solution, StoreError>;

    /// Marks a solution as confirmed by the user.
    fn validate(&self, id: &str) -> Result<Solution, StoreError>;

    /// Deletes a solution and returns it.
    fn delete(&self, id: &str) -> Result<Solution, StoreError>;

    /// Computes vectors again that are of another model than the store's, or missing; tells after each batch how many
    /// solutions of how many have one. Returns how many it computed. A run that is interrupted loses one batch at most.
    fn reembed(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, StoreError>;

    /// Returns how many bytes of memory the vectors take that it keeps for the next question; `None` while it is in use.
    fn memory(&self) -> Option<usize> {
        Some(0)
    }

    /// Frees what only speeds up questions; the next one reads it again.
    fn free_memory(&self) {}

    /// Returns what happened to the store that its user must know, once.
    fn take_notices(&self) -> Vec<String>;
}
